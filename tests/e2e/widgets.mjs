// Widgets in the real JupyterLab: a slider moved with the keyboard changes a picture and a variable in Go, a button is clicked, a text
// typed, a long function interrupted; the page is loaded anew, the notebook saved and opened without that kernel. Started by run.sh.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { lab, notebook, step, until } from './lab.mjs';

const cells = [
  `s := widgets.IntSlider(3, 0, 10, widgets.Description("n"))
t := widgets.Text("", widgets.Description("name"))
b := widgets.Button("Click me", widgets.Look("primary"))
clicks := 0
b.OnClick(func() { clicks++; fmt.Println("clicks:", clicks) })
t.OnChange(func(v string) { fmt.Println("name:", v) })
widgets.VBox(widgets.HBox(s, t), b)`,
  'fmt.Println("slider", s.Value(), "text", t.Value(), "clicks", clicks)',
  `func curve(eps float64, n int) any {
	fmt.Printf("ε = %.3g, n = %d\\n", eps, n)
	p := plot.New()
	p.Title.Text = fmt.Sprintf("eps %.3g", eps)
	xs := plotter.XYs{}
	for i := range n {
		x := float64(i) / float64(n)
		xs = append(xs, plotter.XY{X: x, Y: math.Exp(-eps * x)})
	}
	line, err := plotter.NewLine(xs)
	if err != nil {
		return err
	}
	p.Add(line)
	return p
}
widgets.Interact(curve, widgets.Arg{Name: "eps", Label: "ε", Min: 0.1, Max: 10, Log: true, Value: 1.0}, widgets.Arg{Name: "n", Min: 2, Max: 100, Value: 50})`,
  `rounds := 0
widgets.Interact(func(stop int) any {
	for i := 0; stop == 1; i++ {
		rounds = i
	}
	if stop == 2 {
		var m map[string]int
		m["a"] = stop
	}
	return fmt.Sprint("stop is ", stop)
}, widgets.Arg{Max: 2, Value: 0})`,
  `for s.Value() != 9 { // the value follows while a cell runs
	time.Sleep(10 * time.Millisecond)
}
fmt.Println("seen by the loop:", s.Value())`,
];

await lab('widgets', { 'widgets.ipynb': notebook(cells) }, async l => {
  const { page } = l;
  // What a cell, or an output area in it, shows; the innermost that has the text.
  const output = (i, text) => l.cell(i).locator('.jp-RenderedText, .jp-RenderedHTMLCommon', { hasText: text }).last();
  const shows = (i, text) => output(i, text).waitFor();
  const picture = () => l.cell(2).locator('.jp-OutputArea-output img, .jp-OutputArea-output svg').first();
  const source = () => picture().evaluate(e => e.getAttribute('src') ?? e.outerHTML);
  const file = path.join(l.dir, 'widgets.ipynb');
  const saved = () => { try { return JSON.parse(fs.readFileSync(file)); } catch { return { cells: [], metadata: {} }; } }; // it may be half written
  const slider = (i, n) => l.cell(i).locator('.widget-slider [role=slider], .widget-slider .noUi-handle').nth(n);
  // press focuses a slider and presses a key.
  const press = async (i, n, key, times = 1) => {
    await slider(i, n).focus();
    for (let k = 0; k < times; k++) await page.keyboard.press(key);
  };

  await step('widgets are shown', async () => {
    await l.open('widgets.ipynb');
    await l.run(0);
    await l.cell(0).locator('.widget-slider').waitFor();
    await l.cell(0).locator('button.jupyter-button', { hasText: 'Click me' }).waitFor();
    assert.equal(await l.cell(0).locator('.widget-readout').first().innerText(), '3');
  });
  await step('a slider is moved with the keyboard, a button clicked, a text typed', async () => {
    await press(0, 0, 'ArrowRight', 2);
    await l.cell(0).locator('button.jupyter-button').click();
    await l.cell(0).locator('button.jupyter-button').click();
    await shows(0, 'clicks: 2');
    await l.cell(0).locator('.widget-text input').fill('Günther');
    await shows(0, 'name: Günther');
    await l.run(1);
    await shows(1, 'slider 5 text Günther clicks 2');
  });
  await step('Interact: the picture follows the slider', async () => {
    await l.run(2);
    await picture().waitFor();
    await shows(2, 'ε = 1, n = 50');
    await l.idle();
    const before = await source();
    await press(2, 0, 'ArrowRight', 3);
    await shows(2, 'ε = 2, n = 50');
    assert.notEqual(await source(), before, 'the picture has not changed');
    await press(2, 1, 'ArrowRight', 10);
    await shows(2, 'ε = 2, n = 60');
  });
  await step('without flicker: nothing jumps and nothing is empty while the picture changes', async () => {
    await page.evaluate(() => {
      const area = document.querySelectorAll('.jp-Notebook .jp-Cell')[2].querySelector('.jp-OutputArea');
      window.frames_ = [];
      const look = () => {
        const img = area.querySelector('.jp-OutputArea-output img, .jp-OutputArea-output svg');
        window.frames_.push([Math.round(area.getBoundingClientRect().height), img ? (img.complete === false || img.naturalWidth === 0 ? 'loading' : 'shown') : 'none']);
        window.look_ = requestAnimationFrame(look);
      };
      look();
    });
    for (let k = 0; k < 8; k++) {
      await press(2, 0, 'ArrowLeft');
      await page.waitForTimeout(150);
    }
    await shows(2, 'ε = 0.316, n = 60');
    const frames = await page.evaluate(() => { cancelAnimationFrame(window.look_); return window.frames_; });
    const heights = frames.map(f => f[0]);
    const bad = frames.filter(f => f[1] !== 'shown').length;
    console.log(`      ${frames.length} frames, heights ${Math.min(...heights)} to ${Math.max(...heights)}, without a picture ${bad}`);
    assert(Math.max(...heights) - Math.min(...heights) <= 2, 'the page jumps');
    assert(bad * 20 <= frames.length, 'the picture is often missing');
  });
  await step('a long function is interrupted, and a panic shown with its place', async () => {
    await l.run(3);
    await shows(3, 'stop is 0');
    await l.idle();
    await press(3, 0, 'ArrowRight');
    await page.locator('#jp-main-statusbar', { hasText: 'Go (godp) | Busy' }).waitFor();
    await page.waitForTimeout(300);
    await l.menu('Kernel', 'Interrupt Kernel');
    await shows(3, 'interrupted');
    await l.idle();
    await press(3, 0, 'ArrowRight');
    const error = output(3, 'assignment to entry in nil map');
    await error.waitFor();
    assert.match(await error.innerText(), /In\[4\]:8/);
    await press(3, 0, 'ArrowLeft'); // a loop without end again, which the next value stops
    await page.waitForTimeout(300);
    await press(3, 0, 'ArrowLeft');
    await shows(3, 'stop is 0');
    await l.idle();
  });
  await step('the value follows while a cell runs', async () => {
    await l.run(4);
    await l.prompt(4, '[*]:');
    await press(0, 0, 'ArrowRight', 4);
    await shows(4, 'seen by the loop: 9');
  });
  await l.cell(0).scrollIntoViewIfNeeded();
  await l.screenshot('widgets.png');
  await step('the page is loaded anew: the widgets are there, with their values, and work', async () => {
    await l.save();
    await until('the notebook is saved', () => saved().cells[4]?.outputs.length > 0);
    await l.open('widgets.ipynb', { reset: false });
    await l.cell(0).locator('.widget-slider').first().waitFor();
    assert.equal(await l.cell(0).locator('.widget-readout').first().innerText(), '9');
    assert.equal(await l.cell(0).locator('.widget-text input').inputValue(), 'Günther');
    await picture().waitFor();
    await shows(2, 'ε = 0.316, n = 60');
    await press(2, 0, 'ArrowRight', 1);
    await shows(2, 'ε = 0.398, n = 60');
    await press(0, 0, 'ArrowLeft', 2);
    await l.run(1);
    await shows(1, 'slider 7 text Günther clicks 2');
    await l.screenshot('widgets-reloaded.png');
  });
  await step('the notebook keeps the state, and shows it without the kernel that made it', async () => {
    await l.menu('Settings', 'Save Widget State Automatically');
    const state = () => saved().metadata.widgets?.['application/vnd.jupyter.widget-state+json'];
    await until('the state is saved', async () => { // the setting takes a moment
      await l.save();
      await page.waitForTimeout(500);
      return Object.values(state()?.state ?? {}).some(m => m.model_name === 'IntSliderModel' && m.state.value === 7);
    });
    assert(Object.values(state().state).some(m => m.model_name === 'OutputModel' && JSON.stringify(m.state.outputs).includes('image/')), 'the picture is not saved');
    await l.menu('Kernel', 'Shut Down Kernel');
    await page.locator('#jp-main-statusbar', { hasText: 'No Kernel' }).waitFor();
    await l.open('widgets.ipynb'); // with a kernel that knows nothing of them
    await l.cell(0).locator('.widget-slider').first().waitFor();
    assert.equal(await l.cell(0).locator('.widget-readout').first().innerText(), '7');
    await picture().waitFor();
    await l.screenshot('widgets-saved.png');
  });
});
