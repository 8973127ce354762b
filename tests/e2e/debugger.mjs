// Debugging a cell in JupyterLab as a person does it: the bug, a click beside a line, run, look, step, go on.
import assert from 'node:assert/strict';
import path from 'node:path';

export const debugCells = [
  'type Point struct {\n\tX, Y float64\n\tname string\n}\n\nfunc norm(p Point) float64 {\n\tsquares := p.X*p.X + p.Y*p.Y\n\treturn math.Sqrt(squares)\n}',
  'points := []Point{{3, 4, "a"}, {5, 12, "b"}}\nsums := map[string]float64{}\nfor i, p := range points {\n\tn := norm(p)\n\tsums[p.name] = n * float64(i+1)\n}\nsums',
  'func half(n int) int {\n\tif n%2 == 1 {\n\t\tpanic(fmt.Sprint(n, " is odd"))\n\t}\n\treturn n / 2\n}\nhalf(7)',
];

// testDebugger drives the notebook with debugCells, which is open; the rest is what browser.mjs does with notebooks.
export async function testDebugger({ page, out, cell, run, prompt, step }) {
  const clean = list => list.map(t => t.replace(/\s+/g, ' ').trim());
  const press = name => page.locator(`.jp-DebuggerSidebar [data-command="debugger:${name}"]`).click();
  const panel = page.locator('.jp-DebuggerVariables-body:not(.lm-mod-hidden)');
  // listed is what the panel shows: names and, on the same line, types with values.
  const listed = async () => {
    const lines = clean((await panel.innerText()).split('\n')).filter(l => l);
    return lines.flatMap((l, i) => i % 2 ? [`${lines[i - 1]}: ${l}`] : []);
  };
  // stopped waits until the line is marked and the call stack and the variables are there.
  const stopped = async (i, text, calls, variables) => {
    await cell(i).locator('.jp-DebuggerEditor-highlight', { hasText: text }).waitFor();
    await until('call stack', async () => clean(await page.locator('.jp-DebuggerCallstackFrame-name').allInnerTexts()), calls);
    if (variables) {
      await until('variables', listed, variables);
    }
  };
  const until = async (what, got, want) => {
    let last;
    for (const start = Date.now(); Date.now() - start < 60_000; await page.waitForTimeout(100)) {
      last = await got();
      try { assert.deepEqual(last, want); return; } catch { /* not yet */ }
    }
    assert.deepEqual(last, want, what);
  };
  // click puts a breakpoint beside a line, or takes it away.
  const click = (i, line) => cell(i).locator('div.cm-breakpoint-gutter .cm-gutterElement').nth(line).click(); // element 0 only keeps the gutter's width

  await step('debugger: the bug starts it', async () => {
    await run(0);
    await prompt(0, '[1]:');
    await page.locator('.jp-DebuggerBugButton:visible').click();
    await page.locator('.jp-DebuggerSidebar').waitFor();
    await cell(1).locator('div.cm-breakpoint-gutter').waitFor();
  });
  await step('debugger: a breakpoint stops the cell', async () => {
    await click(1, 4);
    await page.locator('.jp-DebuggerBreakpoint').waitFor();
    await run(1);
    await stopped(1, 'n := norm(p)', ['In[2]'], ['i: int = 0', 'p: Point = {X: 3, Y: 4, name: "a"}',
      'points: []Point = [{X: 3, Y: 4, name: "a"}, {X: 5, Y: 12, name: "b"}]', 'sums: map[string]float64 = {}']);
    await prompt(1, '[*]:');
  });
  await step('debugger: step into a function of an earlier cell', async () => {
    await press('stepIn');
    await stopped(0, 'squares := p.X*p.X', ['norm', 'In[2]'], ['p: Point = {X: 3, Y: 4, name: "a"}']);
    await press('next');
    await stopped(0, 'return math.Sqrt(squares)', ['norm', 'In[2]'], ['p: Point = {X: 3, Y: 4, name: "a"}', 'squares: float64 = 25']);
  });
  await step('debugger: a struct is opened, field by field', async () => {
    const item = panel.locator('jp-tree-item').filter({ has: page.locator('.jp-DebuggerVariables-name', { hasText: /^p$/ }) }).first();
    await item.locator('.expand-collapse-button').first().click();
    await until('fields', listed, ['p: Point = {X: 3, Y: 4, name: "a"}', 'X: float64 = 3', 'Y: float64 = 4', 'name: string = "a"', 'squares: float64 = 25']);
    await page.screenshot({ path: path.join(out, 'debugger.png') });
  });
  await step('debugger: step out and over', async () => {
    await press('stepOut');
    await stopped(1, 'sums[p.name]', ['In[2]']);
    await press('next');
    await stopped(1, 'for i, p := range points', ['In[2]']);
  });
  await step('debugger: go on to the breakpoint, then to the end', async () => {
    await press('continue');
    await stopped(1, 'n := norm(p)', ['In[2]'], ['i: int = 1', 'p: Point = {X: 5, Y: 12, name: "b"}',
      'points: []Point = [{X: 3, Y: 4, name: "a"}, {X: 5, Y: 12, name: "b"}]', 'sums: map[string]float64 = {"a": 5}']);
    await click(1, 4);
    await page.locator('.jp-DebuggerBreakpoint').waitFor({ state: 'detached' });
    await press('continue');
    await prompt(1, '[2]:');
    await cell(1).locator('.jp-OutputArea-output', { hasText: 'map["a":5 "b":26]' }).waitFor();
    assert.equal(await page.locator('.jp-DebuggerEditor-highlight').count(), 0, 'no line is marked any more');
  });
  await step('debugger: a panic stops where it happens', async () => {
    await page.locator('.jp-PauseOnExceptions').click();
    await page.locator('.lm-Menu-itemLabel', { hasText: /^panics$/ }).click();
    await run(2);
    await stopped(2, 'panic(fmt.Sprint', ['half', 'In[3]'], ['n: int = 7']);
    await press('continue');
    await prompt(2, '[3]:');
    await cell(2).locator('.jp-OutputArea-output', { hasText: '7 is odd' }).first().waitFor();
  });
}
