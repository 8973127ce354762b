// Subshells in the real JupyterLab: while a cell of the notebook loops, a subshell console shows numbers of it and completes names, a widget is
// served over a subshell of its own, and what has to wait says so. Started by run.sh.
import assert from 'node:assert/strict';
import path from 'node:path';
import { lab, notebook, out, step } from './lab.mjs';

const cells = [
  'type progress struct{ Step int; Loss float64 }\nst := &progress{}\nlosses := []float64{1, 2}\ns := widgets.IntSlider(3, 0, 10)\ns',
  'for {\n\tst.Step++\n\tst.Loss = 1 / float64(st.Step+1)\n}',
  's.Value()',
];

await lab('subshell', { 'sub.ipynb': notebook(cells) }, async l => {
  const page = l.page;
  const consoleCells = page.locator('.jp-CodeConsole .jp-CodeConsole-content .jp-CodeCell');
  const input = page.locator('.jp-CodeConsole .jp-CodeConsole-input .cm-content');
  async function ask(code) {
    const n = await consoleCells.count();
    await input.click();
    await page.keyboard.insertText(code);
    await page.keyboard.press('Shift+Enter');
    const c = consoleCells.nth(n);
    await c.locator('.jp-OutputArea-output').first().waitFor();
    return (await c.locator('.jp-OutputArea-output').first().innerText()).trim();
  }
  await step('JupyterLab opens the notebook with the kernel', () => l.open('sub.ipynb'));
  await step('a cell shows a widget', async () => {
    await l.run(0);
    await l.cell(0).locator('.widget-slider, .jupyter-widgets').first().waitFor();
    await l.prompt(0, '[1]:');
  });
  await step('a cell loops', async () => {
    await l.run(1);
    await l.prompt(1, '[*]:');
  });
  await step('a subshell console opens beside it', async () => {
    await page.locator('.jp-Notebook .jp-Cell').nth(1).click({ button: 'right' });
    await page.locator('.lm-Menu-itemLabel', { hasText: /Subshell Console/ }).click();
    await input.waitFor();
    // It has its subshell when it shows the banner; what is run before that is sent to the main shell, or not at all.
    await page.locator('.jp-CodeConsole-banner', { hasText: 'no import statement' }).waitFor();
  });
  await step('it shows how far the cell is', async () => {
    const first = Number(await ask('st.Step'));
    const second = Number(await ask('st.Step'));
    assert(second > first && first >= 0, `steps ${first} and ${second}`);
    assert.equal(await ask('len(losses)'), '2');
    assert.match(await ask('fmt.Println(st.Loss < 1)'), /true/);
  });
  await step('it completes', async () => {
    await input.click();
    await page.keyboard.type('st.Lo');
    await page.keyboard.press('Tab');
    await page.locator('.jp-Completer .jp-Completer-item', { hasText: 'Loss' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.jp-CodeConsole-input .cm-content', { hasText: 'st.Loss' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
  });
  await step('a widget is served meanwhile', async () => {
    const handle = l.cell(0).locator('.noUi-handle').first();
    await handle.focus();
    for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowRight');
    await l.cell(0).locator('.widget-readout', { hasText: '5' }).first().waitFor();
  });
  await step('what is more than a look waits, and says so', async () => {
    assert.match(await ask('losses'), /waits until In\[2\] has ended: losses is a \[\]float64/);
  });
  await page.screenshot({ path: path.join(out, 'subshell.png') });
  await step('the loop is interrupted, and what waited runs', async () => {
    await l.cell(1).locator('.jp-InputPrompt').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await page.keyboard.press('i');
    await l.cell(1).locator('.jp-OutputArea-output', { hasText: 'interrupted' }).waitFor();
    await consoleCells.last().locator('.jp-OutputArea-output', { hasText: '[1 2]' }).waitFor();
    await l.run(2);
    await l.cell(2).locator('.jp-OutputArea-output', { hasText: '5' }).waitFor();
  });
});
