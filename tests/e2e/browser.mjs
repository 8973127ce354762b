// The kernel in the real JupyterLab in a headless Chromium: run cells, see text, a table, a plot and an error with a
// caret, interrupt a loop without end and go on, restart. Started by run.sh; SCREENSHOT=FILE.png also takes the README's picture.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { debugCells, testDebugger } from './debugger.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const out = path.join(root, 'build/e2e');
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'godp-lab-'));
const WAIT = 120_000; // a loaded machine is no reason to fail

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

function notebook(sources) {
  return JSON.stringify({
    cells: sources.map((s, i) => ({ cell_type: 'code', execution_count: null, id: `cell${i}`, metadata: {}, outputs: [], source: s })),
    metadata: { kernelspec: { name: 'godp', display_name: 'Go (godp)', language: 'go' }, language_info: { name: 'go' } },
    nbformat: 4, nbformat_minor: 5,
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => resolve(port)); }).on('error', reject);
  });
}

// A person's first visit shows a question about news; a test's does not.
const settings = path.join(work, 'settings/@jupyterlab/apputils-extension');
fs.mkdirSync(settings, { recursive: true });
fs.writeFileSync(path.join(settings, 'notification.jupyterlab-settings'), '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}');
fs.mkdirSync(path.join(work, 'notebooks'));
fs.writeFileSync(path.join(work, 'notebooks/test.ipynb'), notebook(cells));
fs.writeFileSync(path.join(work, 'notebooks/debug.ipynb'), notebook(debugCells));

const port = await freePort();
const token = 'test';
const log = fs.openSync(path.join(out, 'jupyterlab.log'), 'w');
const lab = spawn('jupyter', ['lab', '--no-browser', '--allow-root', '--ip=127.0.0.1', `--port=${port}`, '--ServerApp.port_retries=0',
  `--IdentityProvider.token=${token}`, `--ServerApp.root_dir=${path.join(work, 'notebooks')}`, '--LabApp.extension_manager=readonly'],
  { stdio: ['ignore', log, log], env: { ...process.env, JUPYTERLAB_SETTINGS_DIR: path.join(work, 'settings'), JUPYTERLAB_WORKSPACES_DIR: path.join(work, 'workspaces') } });
const ended = new Promise(resolve => lab.on('exit', resolve));

let browser, page;
let failed = false;
try {
  const url = `http://127.0.0.1:${port}`;
  for (const start = Date.now(); ;) {
    try { if ((await fetch(`${url}/api/status?token=${token}`)).ok) break; } catch { /* not yet */ }
    assert(Date.now() - start < WAIT && lab.exitCode === null, 'JupyterLab does not start; see build/e2e/jupyterlab.log');
    await new Promise(r => setTimeout(r, 200));
  }
  browser = await chromium.launch({
    executablePath: fs.readFileSync(path.join(out, 'chromium'), 'utf8').trim(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
  page = await browser.newPage({ viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1 });
  page.setDefaultTimeout(WAIT);
  await testNotebook(url);
  await open(url, 'debug.ipynb');
  await testDebugger({ page, out, cell, run, prompt, step });
  if (process.env.SCREENSHOT) await picture(url, process.env.SCREENSHOT);
} catch (e) {
  failed = true;
  console.error(e);
  if (page) await page.screenshot({ path: path.join(out, 'failed.png') }).catch(() => {});
  console.error('see build/e2e/failed.png and build/e2e/jupyterlab.log');
} finally {
  await browser?.close().catch(() => {});
  lab.kill('SIGINT');
  lab.kill('SIGTERM');
  const timer = setTimeout(() => lab.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(timer);
  fs.rmSync(work, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

async function open(url, file) {
  await page.goto(`${url}/lab/tree/${file}?token=${token}&reset`);
  await page.locator('.jp-Notebook .jp-CodeCell').first().waitFor();
  await idle();
}

// idle waits until the kernel of the open notebook is connected and has nothing to do. The status bar knows; the circle in
// the toolbar says idle even before there is a kernel, and what is run then is not run at all.
async function idle() {
  await page.locator('#jp-main-statusbar', { hasText: 'Go (godp) | Idle' }).waitFor();
}

function cell(i) { return page.locator('.jp-Notebook .jp-Cell').nth(i); }

// run selects a cell and presses Shift+Enter.
async function run(i) {
  await cell(i).locator('.cm-content').click();
  await page.keyboard.press('Shift+Enter');
}

async function prompt(i, text) {
  await cell(i).locator('.jp-InputPrompt', { hasText: text }).waitFor();
}

async function step(name, f) {
  const start = Date.now();
  await f();
  console.log(`ok    browser: ${name} (${Date.now() - start} ms)`);
}

async function testNotebook(url) {
  await step('JupyterLab opens the notebook with the kernel', () => open(url, 'test.ipynb'));
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
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+s');
    const file = path.join(work, 'notebooks/test.ipynb');
    for (const start = Date.now(); ;) {
      const nb = JSON.parse(fs.readFileSync(file, 'utf8'));
      if (nb.cells[7].outputs.length > 0) {
        assert.equal(nb.cells[5].outputs[0].output_type, 'error');
        assert(nb.cells[4].outputs[0].data['image/png']);
        assert.equal(nb.metadata.language_info.name, 'go');
        break;
      }
      assert(Date.now() - start < WAIT, 'the notebook is not saved');
      await new Promise(r => setTimeout(r, 200));
    }
  });
  await page.screenshot({ path: path.join(out, 'notebook.png') });
  await step('the kernel restarts', async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('0');
    await page.keyboard.press('0');
    await page.locator('.jp-Dialog button.jp-mod-warn, .jp-Dialog button.jp-mod-accept', { hasText: 'Restart' }).click();
    await idle();
    await run(7);
    await cell(7).locator('.jp-OutputArea-output', { hasText: 'undefined: x' }).waitFor();
  });
}

// picture runs the first notebook of the project and shows its last plot.
async function picture(url, file) {
  const name = fs.readdirSync(path.join(root, 'notebooks')).filter(f => /^01-.*\.ipynb$/.test(f))[0];
  assert(name, 'there is no first notebook');
  fs.rmSync(path.join(work, 'notebooks/test.ipynb'));
  fs.copyFileSync(path.join(root, 'notebooks', name), path.join(work, 'notebooks', name));
  await open(url, name);
  await step(`picture of ${name}`, async () => {
    await page.locator('.lm-MenuBar-itemLabel', { hasText: /^Run$/ }).click();
    await page.locator('.lm-Menu-itemLabel', { hasText: /^Run All Cells$/ }).click();
    await page.locator('.jp-InputPrompt', { hasText: '[*]' }).first().waitFor();
    await page.waitForFunction(() => ![...document.querySelectorAll('.jp-InputPrompt')].some(e => e.textContent.includes('[*]')));
    await idle();
    const plot = page.locator('.jp-RenderedSVG').last();
    await plot.evaluate(e => e.scrollIntoView({ block: 'end' }));
    await page.waitForTimeout(1000);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    await page.screenshot({ path: file });
  });
}
