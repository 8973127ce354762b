// The kernel in the real JupyterLab in a headless Chromium: run cells, see text, a table, a plot and an error with a
// caret, interrupt a loop without end and go on, restart. Started by run.sh; SCREENSHOT=FILE.png also takes the README's picture.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { debugCells, testDebugger } from './debugger.mjs';
import { lab, notebook, out, root, step, until } from './lab.mjs';

const cells = [
  'x := []float64{1, 2, 3}\nfmt.Println("hello from Go", len(x))',
  'display.Table([]struct{ Name string; Value float64 }{{"<b>epsilon</b>", 0.5}, {"delta", 1e-6}})',
  'var down []int\nfor i := range 30 { down = append(down, 30-i) }\ndisplay.Table(down)',
  'evil := "<img src=x onerror=window.injected=1><script>window.injected=2</script>$\\\\href{javascript:window.injected=3}{x}$"\n' +
    'display.Table(map[string]string{evil: evil})\nfor range display.Range(1, evil) { }\nguarantee := dp.Guarantee{Mechanism: evil, Source: evil}\ndisplay.Show(guarantee, errors.New(evil))\n' +
    'q := plot.New()\nq.Title.Text = evil\ndisplay.Show(q)\nfmt.Println(evil, "the end")',
  'p := plot.New()\np.Title.Text = "a curve"\npoints := plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 4}}\nline, err := plotter.NewLine(points)\np.Add(line)\np',
  'y := x[0]\ny + undefinedName',
  'for {\n}',
  'fmt.Println("still here:", x)',
];

await lab('browser', { 'test.ipynb': notebook(cells), 'debug.ipynb': notebook(debugCells) }, async l => {
  await testNotebook(l);
  await l.open('debug.ipynb');
  await testDebugger({ page: l.page, out, cell: i => l.cell(i), run: i => l.run(i), prompt: (i, text) => l.prompt(i, text), step });
  if (process.env.SCREENSHOT) await picture(l, process.env.SCREENSHOT);
});

async function testNotebook(l) {
  const { page } = l;
  const cell = i => l.cell(i), run = i => l.run(i), prompt = (i, text) => l.prompt(i, text);
  await step('JupyterLab opens the notebook with the kernel', () => l.open('test.ipynb'));
  await step('a cell prints', async () => {
    await run(0);
    await cell(0).locator('.jp-OutputArea-output', { hasText: 'hello from Go 3' }).waitFor();
    await prompt(0, '[1]:');
  });
  await step('a table, escaped', async () => {
    await run(1);
    await cell(1).locator('.jp-RenderedHTMLCommon table td', { hasText: '<b>epsilon</b>' }).waitFor();
    await prompt(1, '[2]:');
    assert.equal(await cell(1).locator('.jp-OutputArea-child').count(), 1, 'the table is shown once');
  });
  await step('a table is sorted and turns its pages', async () => {
    await run(2);
    const rows = () => cell(2).locator('.godp-table tbody tr').allInnerTexts();
    await cell(2).locator('button[title="next page"]').waitFor();
    assert.equal((await rows()).length, 20);
    assert.match((await rows())[0], /^0\s+30$/);
    await cell(2).locator('.godp-table th', { hasText: 'value' }).click();
    assert.match((await rows())[0], /^29\s+1$/, 'upwards, by number');
    await cell(2).locator('.godp-table th', { hasText: 'value' }).click();
    assert.match((await rows())[0], /^0\s+30$/, 'downwards');
    await cell(2).locator('button[title="next page"]').click();
    assert.equal((await rows()).length, 10);
    assert.match((await rows())[0], /^20\s+10$/, 'the second page');
  });
  await step('what a value contains runs no script', async () => {
    await run(3);
    await cell(3).locator('.jp-OutputArea-child', { hasText: 'the end' }).waitFor();
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => window.injected), undefined);
  });
  await step('a plot', async () => {
    await run(4);
    const picture = cell(4).locator('.jp-RenderedSVG img, .jp-RenderedSVG svg, .jp-RenderedImage img');
    await picture.first().waitFor();
    const box = await picture.first().boundingBox();
    assert(box.width > 200 && box.height > 150, `the plot is ${box.width} by ${box.height} pixels`);
  });
  await step('an error with its place and a caret', async () => {
    await run(5);
    const error = cell(5).locator('.jp-RenderedText[data-mime-type="application/vnd.jupyter.error"], .jp-RenderedText[data-mime-type="application/vnd.jupyter.stderr"]');
    await error.first().waitFor();
    const lines = (await error.first().innerText()).split('\n');
    assert.match(lines[0], /In\[6\]:2:5: undefined: undefinedName/);
    assert.equal(lines[1].slice(lines[2].indexOf('^')).trimEnd(), 'undefinedName');
  });
  await step('a loop without end is interrupted', async () => {
    await run(6);
    await prompt(6, '[*]:');
    await page.locator('#jp-main-statusbar', { hasText: 'Go (godp) | Busy' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('i');
    await page.keyboard.press('i');
    await cell(6).locator('.jp-OutputArea-output', { hasText: 'interrupted' }).waitFor();
    await prompt(6, '[7]:');
  });
  await step('the session goes on', async () => {
    await run(7);
    await cell(7).locator('.jp-OutputArea-output', { hasText: 'still here: [1 2 3]' }).waitFor();
  });
  await step('the notebook is saved with its outputs', async () => {
    await l.save();
    let nb;
    await until('the notebook is saved', () => {
      nb = JSON.parse(fs.readFileSync(path.join(l.dir, 'test.ipynb'), 'utf8'));
      return nb.cells[7].outputs.length > 0;
    });
    assert.equal(nb.cells[5].outputs[0].output_type, 'error');
    assert(nb.cells[4].outputs[0].data['image/png']);
    assert.equal(nb.metadata.language_info.name, 'go');
  });
  await l.screenshot('notebook.png');
  await step('the kernel restarts', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('0');
    await page.keyboard.press('0');
    await page.locator('.jp-Dialog button.jp-mod-warn, .jp-Dialog button.jp-mod-accept', { hasText: 'Restart' }).click();
    await l.idle();
    await run(7);
    await cell(7).locator('.jp-OutputArea-output', { hasText: 'undefined: x' }).waitFor();
  });
}

// picture runs the first notebook of the project and shows its last plot.
async function picture(l, file) {
  const { page } = l;
  const name = fs.readdirSync(path.join(root, 'notebooks')).filter(f => /^01-.*\.ipynb$/.test(f))[0];
  assert(name, 'there is no first notebook');
  fs.rmSync(path.join(l.dir, 'test.ipynb'));
  fs.copyFileSync(path.join(root, 'notebooks', name), path.join(l.dir, name));
  await l.open(name);
  await step(`picture of ${name}`, async () => {
    await l.menu('Run', 'Run All Cells');
    await page.locator('.jp-InputPrompt', { hasText: '[*]' }).first().waitFor();
    await page.waitForFunction(() => ![...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('[*]')));
    await l.idle();
    const plot = page.locator('.jp-RenderedSVG').last();
    await plot.evaluate(e => e.scrollIntoView({ block: 'end' }));
    await page.waitForTimeout(1000);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await page.screenshot({ path: file });
  });
}
