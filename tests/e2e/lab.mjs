// The real JupyterLab in a headless Chromium, for tests: lab(name, notebooks, test) starts both, calls test and ends them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const out = path.join(root, 'build/e2e');
export const WAIT = 120_000; // a loaded machine is no reason to fail

// notebook makes a notebook of code cells.
export function notebook(sources) {
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

export async function step(name, f) {
  const start = Date.now();
  await f();
  console.log(`ok    browser: ${name} (${Date.now() - start} ms)`);
}

// until polls what f returns until it is true.
export async function until(what, f) {
  for (const start = Date.now(); ;) {
    if (await f()) return;
    assert(Date.now() - start < WAIT, `this does not come true: ${what}`);
    await new Promise(r => setTimeout(r, 100));
  }
}

// Lab is the page of a running JupyterLab.
class Lab {
  constructor(url, token, dir, page) { Object.assign(this, { url, token, dir, page }); }

  // open opens a notebook and waits for its kernel.
  async open(file, { reset = true } = {}) {
    await this.page.goto(`${this.url}/lab/tree/${file}?token=${this.token}${reset ? '&reset' : ''}`);
    await this.page.locator('.jp-Notebook .jp-CodeCell').first().waitFor();
    await this.idle();
  }

  // idle waits until the kernel of the open notebook is connected and has nothing to do. The status bar knows; the circle in
  // the toolbar says idle even before there is a kernel, and what is run then is not run at all.
  async idle() { await this.page.locator('#jp-main-statusbar', { hasText: 'Go (godp) | Idle' }).waitFor(); }

  cell(i) { return this.page.locator('.jp-Notebook .jp-Cell').nth(i); }

  // run selects a cell and presses Shift+Enter.
  async run(i) {
    await this.cell(i).locator('.cm-content').click();
    await this.page.keyboard.press('Shift+Enter');
  }

  async prompt(i, text) { await this.cell(i).locator('.jp-InputPrompt', { hasText: text }).waitFor(); }

  async save() {
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.press('Control+s');
  }

  // menu chooses an entry of the menu bar.
  async menu(...names) {
    await this.page.locator('.lm-MenuBar-itemLabel', { hasText: new RegExp(`^${names[0]}$`) }).click();
    for (const n of names.slice(1)) await this.page.locator('.lm-Menu-itemLabel', { hasText: new RegExp(`^${n}$`) }).click();
  }

  async screenshot(name) { await this.page.screenshot({ path: path.join(out, name) }); }
}

export async function lab(name, notebooks, test) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), `godp-${name}-`));
  const settings = (plugin, json) => {
    const file = path.join(work, 'settings', plugin + '.jupyterlab-settings');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, json);
  };
  // A person's first visit shows a question about news; a test's does not.
  settings('@jupyterlab/apputils-extension/notification', '{"fetchNews": "false", "checkForUpdates": false, "doNotDisturbMode": true}');
  fs.mkdirSync(path.join(work, 'notebooks'));
  for (const [file, content] of Object.entries(notebooks)) fs.writeFileSync(path.join(work, 'notebooks', file), content);

  const port = await freePort();
  const token = 'test';
  const log = fs.openSync(path.join(out, `${name}.log`), 'w');
  const server = spawn('jupyter', ['lab', '--no-browser', '--allow-root', '--ip=127.0.0.1', `--port=${port}`, '--ServerApp.port_retries=0',
    `--IdentityProvider.token=${token}`, `--ServerApp.root_dir=${path.join(work, 'notebooks')}`, '--LabApp.extension_manager=readonly'],
    { stdio: ['ignore', log, log], env: { ...process.env, JUPYTERLAB_SETTINGS_DIR: path.join(work, 'settings'), JUPYTERLAB_WORKSPACES_DIR: path.join(work, 'workspaces') } });
  const ended = new Promise(resolve => server.on('exit', resolve));

  let browser, page;
  let failed = false;
  try {
    const url = `http://127.0.0.1:${port}`;
    for (const start = Date.now(); ;) {
      try { if ((await fetch(`${url}/api/status?token=${token}`)).ok) break; } catch { /* not yet */ }
      assert(Date.now() - start < WAIT && server.exitCode === null, `JupyterLab does not start; see build/e2e/${name}.log`);
      await new Promise(r => setTimeout(r, 200));
    }
    browser = await chromium.launch({
      executablePath: fs.readFileSync(path.join(out, 'chromium'), 'utf8').trim(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1 });
    page.setDefaultTimeout(WAIT);
    await test(new Lab(url, token, path.join(work, 'notebooks'), page));
  } catch (e) {
    failed = true;
    console.error(e);
    if (page) await page.screenshot({ path: path.join(out, `${name}-failed.png`) }).catch(() => {});
    console.error(`see build/e2e/${name}-failed.png and build/e2e/${name}.log`);
  } finally {
    await browser?.close().catch(() => {});
    server.kill('SIGINT');
    server.kill('SIGTERM');
    const timer = setTimeout(() => server.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
    fs.rmSync(work, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
