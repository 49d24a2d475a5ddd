// SPDX-License-Identifier: GPL-2.0-or-later
// The report page in a real browser: node --test tests/web/page.mjs, with PAGE made of a recording
// whose report REPORT is (as JSON) and whose views are in the folder FOLDED, COUNTED of the same one with two measures, EMPTY, LOSSY,
// HOSTILE and REDACTED other pages.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {readFile} from 'node:fs/promises';
import {launch, visit} from './browser.mjs';

const {PAGE, REPORT, RANGE_REPORT, FOLDED, COUNTED, COUNTED_REPORT, COUNTED_RANGE, EMPTY, LOSSY, HOSTILE, REDACTED, LONG} = process.env;
let browser, report, range, counted, countedRange;
before(async () => {
	browser = await launch();
	report = JSON.parse(await readFile(REPORT, 'utf8'));
	range = JSON.parse(await readFile(RANGE_REPORT, 'utf8'));
	counted = JSON.parse(await readFile(COUNTED_REPORT, 'utf8'));
	countedRange = JSON.parse(await readFile(COUNTED_RANGE, 'utf8'));
});
after(async () => { await browser.close(); });

const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready);
const at = (file, steps, options) => visit(browser, file, async (page) => {
	await ready(page);
	await steps(page);
}, {viewport: {width: 1280, height: 900}, ...options});
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const total = async (page) => Number(await page.locator('.panel .note').first().getAttribute('data-ns'));
const details = (page) => page.locator('#details').textContent();
const press = async (page, ...keys) => {
	for (const key of keys) await page.keyboard.press(key);
};
const chips = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.chip')].map(
	(chip) => [chip.dataset.class, Number(chip.dataset.ns)])));
const idleOf = ({totals}) => Object.values(totals.idle_ns).reduce((a, b) => a + b, 0);
// All is drawn: pictures grow over frames, and what a frame begins the next one ends.
const ended = async (page) => {
	await page.waitForFunction(() => !document.querySelector('[data-growing]'));
	await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
};

async function assertTotals(page, {totals}) {
	const got = await chips(page);
	assert.equal(got.running, totals.running_ns);
	assert.equal(got.runnable, totals.runnable_ns);
	for (const [reason, ns] of Object.entries(totals.blocked_as_called_ns)) assert.equal(got[reason], ns, reason);
	assert.equal(Number(await page.locator('#aside').getAttribute('data-ns')), idleOf({totals}));
}

test('figures of the whole range are the report\'s, to the nanosecond', () => at(PAGE, async (page) => {
	await assertTotals(page, report);
	const {totals} = report;
	const offcpu = totals.runnable_ns + totals.blocked_ns - idleOf(report);
	for (const [view, ns] of [['offcpu', offcpu], ['oncpu', totals.running_ns], ['runq', totals.runnable_ns], ['hotcold', totals.running_ns + offcpu]]) {
		await page.click(`[data-view="${view}"]`);
		assert.equal(await total(page), ns, view);
	}
	await page.selectOption('[aria-label="Idle time"]', 'show');
	await page.click('[data-view="offcpu"]');
	assert.equal(await total(page), totals.runnable_ns + totals.blocked_ns);
}));

test('each thread has the report\'s figures', () => at(PAGE, async (page) => {
	await page.fill('#thread-search', '/');
	for (const thread of report.threads) {
		const row = page.locator(`tr.thread[data-thread="${thread.comm.replaceAll(';', ':')}-${thread.pid}/${thread.tid}"]`);
		const read = async (name) => Number(await row.getAttribute(`data-${name}`));
		assert.equal(await read('running'), thread.running_ns, thread.comm);
		assert.equal(await read('runnable'), thread.runnable_ns);
		assert.equal(await read('blocked'), thread.blocked_ns - thread.idle_ns);
		assert.equal(await read('aside'), thread.idle_ns);
	}
}, {hash: '#tab=threads'}));

test('each thread in sight has a strip of its time, and the main thread is marked', () => at(PAGE, async (page) => {
	await page.fill('#thread-search', '/');
	await page.locator('.threadstrip').first().scrollIntoViewIfNeeded();
	await page.waitForFunction(() => document.querySelector('.threadstrip').dataset.painted);
	assert.equal(await page.locator('.threadstrip').count(), await page.locator('tr.thread, tr.process').count());
	assert.deepEqual(await page.locator('tr.thread').filter({has: page.locator('.main')}).evaluateAll((rows) => rows.map((row) => row.dataset.thread)),
		report.threads.filter((one) => one.tid === one.pid).map((one) => `${one.comm}-${one.pid}/${one.tid}`));
	const last = page.locator('tr.thread .threadstrip').last();
	assert.equal(await last.getAttribute('data-painted'), null, 'what is out of sight is not painted');
	await last.scrollIntoViewIfNeeded();
	await page.waitForFunction(() => [...document.querySelectorAll('tr.thread .threadstrip')].at(-1).dataset.painted);
	// The hog runs or has no CPU, and hardly anything else.
	const hog = page.locator('tr.thread[data-thread^="cpu-hog"] .threadstrip');
	await hog.scrollIntoViewIfNeeded();
	await page.waitForFunction(() => document.querySelector('tr.thread[data-thread^="cpu-hog"] .threadstrip').dataset.painted);
	const hues = await hog.evaluate((canvas) => {
		const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
		copy.drawImage(canvas, 0, 0);
		const {data} = copy.getImageData(0, 0, canvas.width, canvas.height), found = {};
		for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) found[[...data.slice(i, i + 3)]] = (found[[...data.slice(i, i + 3)]] || 0) + 1;
		return Object.entries(found).sort((a, b) => b[1] - a[1]).slice(0, 1).map(([color]) => color);
	});
	assert.ok(['0,158,115', '230,159,0'].includes(hues[0]), hues[0]);
}, {hash: '#tab=threads', viewport: {width: 1280, height: 240}}));

test('who had the CPU is said as in the report', () => at(PAGE, async (page) => {
	const line = report.lines.find(({reason}) => reason === 'no CPU');
	const told = await page.locator('#waits tbody tr', {hasText: 'no CPU'}).first().locator('.cause').textContent();
	assert.ok(line.behind.length && /(Behind|Waking an idle CPU|Not explained) /i.test(told), told);
}));

test('waits are the report\'s, and each leads to its picture', () => at(PAGE, async (page) => {
	const largest = Math.max(...report.lines.map((line) => line.total_ns));
	assert.equal(Number(await page.locator('#waits tbody tr').first().getAttribute('data-ns')), largest);
	await page.locator('#waits tbody a').first().click();
	assert.match(await hash(page), /zoom=/);
	assert.ok(await page.locator('.path .crumb').count() > 1);
	await ended(page);
	assert.ok(await page.locator('#panel').evaluate((panel) => panel.getBoundingClientRect().top < innerHeight));
	assert.ok(await page.locator('.flame canvas').first().evaluate((canvas) => canvas === document.activeElement), 'arrows walk on from there');
	const line = report.lines.find((one) => one.total_ns === largest);
	const told = await details(page);
	if (line.reason !== 'no CPU') assert.match(told, / of the zoom/);
	assert.ok(!told.startsWith('all'), told);
}));

test('what a line waited in leads to its stacks, from the list and from "In short"', () => at(PAGE, async (page) => {
	const row = page.locator('#waits tbody tr', {hasText: 'mutex'}).first();
	const ns = Number(await row.getAttribute('data-ns'));
	const rows = await page.locator('#waits tbody tr').count();
	await row.locator('a.stacks').click();
	assert.equal(await total(page), ns);
	assert.match(await page.locator('.crumb.filter').textContent(), /: mutex/);
	assert.equal(await page.locator('#waits tbody tr').count(), rows, 'the list stays whole');
	assert.equal(await page.locator('#waits a.stacks[aria-current]').count(), 1);
	await row.locator('a.stacks').click();
	assert.doesNotMatch(await hash(page), /line=/);
	const link = page.locator('#verdict a.stacks').first();
	// A phrase that several lines could mean is no link.
	if (await link.count()) {
		assert.match(await link.textContent(), /^(for|in) /);
		await link.click();
		const [, number] = /line=(\d+)/.exec(await hash(page));
		assert.equal(await total(page), report.lines[number - 1].total_ns);
	}
	await page.evaluate(() => { location.hash = '#line=4711'; });
	await page.waitForFunction(() => !document.querySelector('.crumb.filter'));
}));

test('brushing a range recomputes everything, as the report for that range', () => at(PAGE, async (page) => {
	const strip = page.locator('.strip canvas');
	await strip.scrollIntoViewIfNeeded();
	const box = await strip.boundingBox();
	const x = (bucket) => box.x + box.width * (bucket + 0.5) * report.recording.slice_ns / report.window_ns;
	await page.mouse.move(x(2), box.y + 20);
	await page.mouse.down();
	await page.mouse.move(x(4), box.y + 25);
	await page.mouse.move(x(5), box.y + 25);
	await page.mouse.up();
	assert.match(await hash(page), /from=2&to=6/);
	await assertTotals(page, range);
	await press(page, 'Escape');
	await assertTotals(page, report);
}));

// Of a part the page says what the report says, less what it does not hold: where else to look, what ran, which thing, who had the CPU.
const words = (text) => text.replaceAll('\u00a0', ' ').replace(/,? ?see \d+/g, '').replace(/ \(mostly [^)]*\)/g, '').replace(/ of \/[^ ]*( \(deleted\))?/g, '').replaceAll(' ()', '').replace(/(< )?\d+ %/g, 'N %')
	.replace(/^(.*)\bOf these waits as a whole: (.)/, (_, before, letter) => `${before}${letter.toUpperCase()}`);

test('"In short" and the causes are of what is chosen, in the report\'s words', () => at(PAGE, async (page) => {
	const verdict = () => page.locator('#verdict').textContent();
	const whole = await verdict();
	assert.match(whole, /^In short: /);
	await page.evaluate(() => { location.hash = '#from=2&to=6'; });
	await page.waitForFunction(() => /^In short, from 0.5 s to 1.5 s: /.test(document.querySelector('#verdict').textContent));
	const causes = await page.locator('#waits tbody tr').evaluateAll((rows) => rows.map((row) => [Number(row.dataset.ns), row.querySelector('.cause').firstChild.textContent]));
	const line = range.lines.find((one) => one.reason !== 'no CPU');
	const [, sentence] = causes.find(([ns]) => ns === line.total_ns);
	// Whom they waited for, and what that one did most; the page's shares are of whole waits, so small ones may differ.
	const main = (text) => words(text).match(/^[^:]*: [^,;.]*? N %/)?.[0] || words(text);
	assert.equal(main(sentence), main(line.sentence));
	assert.ok(words(await verdict()).includes(main(line.sentence).slice(1)), await verdict());
	await page.evaluate(() => { location.hash = '#off=lock'; });
	await page.waitForFunction(() => /^In short, of what the filters leave: /.test(document.querySelector('#verdict').textContent));
	assert.doesNotMatch(await verdict(), /mutex/);
	await page.evaluate(() => { location.hash = ''; });
	await page.waitForFunction((text) => document.querySelector('#verdict').textContent === text, whole);
}));

test('the last column is as wide as it is long', () => at(PAGE, async (page) => {
	const {window_ns, recording: {slice_ns}} = report, columns = Math.ceil(window_ns / slice_ns);
	const canvas = page.locator('.strip canvas'), box = await canvas.boundingBox();
	assert.equal(Number(await canvas.getAttribute('aria-valuemax')), columns);
	const seconds = (ns) => `${(ns / 1e9).toFixed(3).replace(/\.?0+$/, '')} s`;
	const start = (columns - 1) * slice_ns, x = box.width * start / window_ns;
	await page.mouse.move(box.x + x - 2, box.y + 20);
	assert.ok((await page.locator('.strip .note').textContent()).startsWith(`From ${seconds(start - slice_ns)} to ${seconds(start)}`));
	await page.mouse.move(box.x + Math.min(x + 2, box.width - 0.5), box.y + 20);
	assert.ok((await page.locator('.strip .note').textContent()).startsWith(`From ${seconds(start)} to ${seconds(window_ns)}`));
}));

test('a heat map by the second: a range is brushed from one moment to another', () => at(LONG, async (page) => {
	const canvas = page.locator('.heat canvas');
	assert.equal(await canvas.isVisible(), false);
	await page.selectOption('[aria-label="Picture of time"]', 'sleep');
	assert.equal(await page.locator('.strip:not(.heat) canvas').isVisible(), false);
	const {x, y, width, height} = await canvas.boundingBox(), left = 44, below = 16, columns = 11, rows = 10;
	const cell = (column, row) => [x + left + (width - left) * (column + 0.5) / columns, y + (height - below) * (1 - (row + 0.5) / rows)];
	await page.mouse.move(...cell(3, 7));
	assert.match(await page.locator('.heat .note').textContent(), /^From 3\.7 s to 3\.8 s: 1\.00 threads asleep\.$/);
	await page.mouse.down();
	await page.mouse.move(...cell(5, 2));
	await page.mouse.up();
	assert.match(await hash(page), /from=37&to=53/);
	assert.match(await page.locator('.crumb.filter').textContent(), /^3\.7 s to 5\.3 s/);
	await canvas.focus();
	await press(page, 'ArrowRight');
	assert.match(await hash(page), /from=38&to=54/);
}, {hash: '#idle=show'}));

test('short recordings, and coarse ones, have no heat map', () => at(PAGE, async (page) => {
	assert.equal(await page.locator('.heat, [aria-label="Picture of time"]').count(), 0);
	assert.ok(await page.locator('.strip canvas').isVisible(), 'whatever a link says');
}, {hash: '#heat=lock'}));

test('the strip obeys keys', () => at(PAGE, async (page) => {
	await page.locator('.strip canvas').focus();
	await press(page, 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight');
	assert.match(await hash(page), /from=1&to=3/);
	await press(page, 'Home');
	assert.doesNotMatch(await hash(page), /from|to=/);
}));

test('every view can be walked, as flame, icicle, from the leaf, as tables', () => at(PAGE, async (page) => {
	for (const view of ['1', '2', '3', '4', '5', '6', '7']) {
		await press(page, view);
		const ns = await total(page);
		for (const key of ['i', 'c', 'a']) {
			await press(page, key);
			assert.equal(await total(page), ns);
			await ended(page);
		}
		await press(page, 'i', 'c', 'a', 't');
		assert.ok(await page.locator('#functions tbody tr').count() > 0);
		const selfs = await page.locator('#functions tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.dataset.self)));
		assert.equal(selfs.reduce((a, b) => a + b, 0), ns, `view ${view}`);
		await press(page, 'f');
	}
}));

test('functions are the report\'s, and not led by the scheduler', () => at(PAGE, async (page) => {
	for (const view of ['offcpu', 'oncpu', 'runq', 'hotcold']) {
		await page.click(`[data-view="${view}"]`);
		const got = Object.fromEntries(await page.locator('#functions tbody tr').evaluateAll((rows) => rows.map((row) => [row.querySelector('a').textContent, Number(row.dataset.self)])));
		const want = new Map();
		for (const {function: name, self_ns} of JSON.parse(await readFile(`${FOLDED}/functions-${view}.json`, 'utf8')).functions) want.set(name, (want.get(name) || 0) + self_ns);
		// Rounding is carried in another order, among samples.
		for (const [name, ns] of Object.entries(got)) assert.ok(Math.abs((want.get(name) || 0) - ns) <= (view === 'oncpu' || view === 'hotcold' ? ns / 1000 + 50 : 0), `${view}: ${name} ${ns}, not ${want.get(name)}`);
		assert.ok(Object.keys(got).length >= Math.min(want.size, 300));
		if (view === 'offcpu') assert.ok(!['__schedule', 'schedule'].includes(Object.keys(got)[0]) && !got.__schedule, Object.keys(got)[0]);
	}
}, {hash: '#tab=functions'}));

test('zoom by click, breadcrumb, undo, back and permalink', () => at(PAGE, async (page) => {
	const canvas = page.locator('.flame canvas');
	await canvas.scrollIntoViewIfNeeded();
	const before = await total(page);
	await canvas.focus();
	await press(page, 'ArrowUp', 'ArrowUp', 'Enter');
	const link = await hash(page);
	assert.match(link, /zoom=/);
	const crumb = await page.locator('.path .crumb').last().textContent();
	const told = await details(page);
	assert.ok(told.startsWith(crumb), `${told} is not about ${crumb}`);
	await page.click('#undo');
	await page.waitForFunction(() => !location.hash.includes('zoom'));
	assert.equal(await page.locator('.path .crumb').count(), 1);
	assert.equal(await total(page), before);
	await page.goForward();
	await page.waitForFunction(() => location.hash.includes('zoom'));
	await page.goBack();
	await page.waitForFunction(() => !location.hash.includes('zoom'));
	await ended(page);
	// The row above the root's, wherever the way back has scrolled to.
	await canvas.click({position: {x: 20, y: (await canvas.boundingBox()).height - 27}});
	assert.match(await hash(page), /zoom=/);
	await press(page, '0');
	assert.doesNotMatch(await hash(page), /zoom=/);
	// More steps back than there were, all at once, do not leave the page.
	await page.evaluate(() => { for (let i = 0; i < 8; i++) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'u', bubbles: true})); });
	await page.waitForFunction(() => document.querySelector('#undo')?.disabled);
	await ended(page);
	assert.ok(await page.locator('#undo').isDisabled());
}));

test('a permalink restores view, range, bands, classes, search and tab', () => at(PAGE, async (page) => {
	assert.equal(await page.locator('[data-view="runq"]').getAttribute('aria-pressed'), 'true');
	assert.equal(await page.locator('#search').inputValue(), 'main');
	assert.equal(await page.locator('[aria-label="Shortest wait"]').inputValue(), '1');
	assert.equal(await page.locator('[data-class="lock"]').getAttribute('aria-pressed'), 'false');
	assert.equal(await page.locator('.crumb.filter').count(), 4, 'range, bands, class, all');
	assert.equal(await page.locator('[data-tab="functions"]').getAttribute('aria-selected'), 'true');
	await page.locator('.crumb.filter', {hasText: 'all filters'}).click();
	assert.equal(await page.locator('.crumb.filter').count(), 0);
}, {hash: '#view=runq&tab=functions&search=main&from=1&to=4&bandMin=1&off=lock'}));

test('a link that fits nothing shows everything', () => at(PAGE, (page) => assertTotals(page, report),
	{hash: '#zoom=gone;%E0%A4%A&from=99&search=%28&by=nobody&view=none&x&=&'}));

test('search tells the matched share; n and Esc', () => at(PAGE, async (page) => {
	await press(page, '/');
	await page.keyboard.type('convoy|cpu-hog');
	assert.match(await page.locator('#matched').textContent(), /^Matched [\d.]+ %: .*frames$/);
	const ns = Number(await page.locator('#matched').getAttribute('data-ns'));
	const wanted = [...report.waits.filter((wait) => !wait.is_idle), ...report.runq].filter((wait) => /convoy|cpu-hog/.test(wait.name)).reduce((sum, wait) => sum + wait.total_ns, 0);
	assert.equal(ns, wanted);
	await press(page, 'Enter');
	assert.match(await details(page), /^(convoy|cpu-hog)/);
	await press(page, 'n');
	assert.match(await details(page), /^(convoy|cpu-hog)/);
	await press(page, '/');
	await page.locator('#search').fill('(');
	assert.equal(await page.locator('#matched').textContent(), 'Not a regular expression');
	await press(page, 'Escape', 'Escape');
	assert.equal(await page.locator('#search').inputValue(), '');
}));

test('chips take classes out and in; a double click leaves one', () => at(PAGE, async (page) => {
	const before = await total(page);
	await page.locator('.chip[data-class="lock"]').click();
	assert.equal(await total(page), before - report.totals.blocked_as_called_ns.lock);
	await page.locator('.chip[data-class="lock"]').click();
	assert.equal(await total(page), before);
	await page.locator('.chip[data-class="lock"]').dblclick();
	assert.equal(await total(page), report.totals.blocked_as_called_ns.lock);
}));

test('bands: only long waits', () => at(PAGE, async (page) => {
	await page.selectOption('[aria-label="Shortest wait"]', '4');
	const wanted = [...report.waits.filter((wait) => !wait.is_idle), ...report.runq].reduce((sum, wait) => sum + wait.bands_ns.slice(4).reduce((a, b) => a + b, 0), 0);
	assert.equal(await total(page), wanted);
}));

test('a process or a thread alone', () => at(PAGE, async (page) => {
	await press(page, 'p');
	const thread = report.threads.find((one) => one.comm === 'cpu-hog');
	await page.fill('#thread-search', 'cpu-hog');
	await page.locator('tr.thread a').first().click();
	await press(page, 'f');
	assert.equal(await total(page), thread.runnable_ns + thread.blocked_ns - thread.idle_ns);
	assert.match(await page.locator('.crumb.filter').textContent(), /thread cpu-hog/);
}));

test('sandwich: callers and callees of a function, in total as in the table', () => at(PAGE, async (page) => {
	await press(page, 't');
	const row = page.locator('#functions tbody tr').filter({has: page.locator('a', {hasText: /^do_syscall_64$/})}).first();
	const ns = Number(await row.getAttribute('data-total'));
	await row.locator('a').click();
	assert.equal(Number(await page.locator('#middle').getAttribute('data-ns')), ns);
	assert.equal(await page.locator('.content .flame').count(), 2);
}));

test('only stacks with a function, and without them, make up the whole', () => at(PAGE, async (page) => {
	const whole = await total(page);
	const link = (name) => page.evaluate((text) => { location.hash = text; }, name);
	await link('#only=do_syscall_64');
	await page.waitForFunction(() => document.querySelector('.crumb.filter'));
	const only = await total(page);
	await link('#without=do_syscall_64');
	await page.waitForFunction(() => /no stacks/.test(document.querySelector('.crumb.filter')?.textContent));
	assert.equal(only + await total(page), whole);
	assert.ok(only > 0 && only < whole);
}));

test('saves the picture as SVG and as folded text that sums to it', () => at(PAGE, async (page) => {
	const save = async (button) => {
		const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
		return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
	};
	const [name, folded] = await save('#save-folded');
	assert.equal(name, 'dwell-offcpu.folded');
	const sum = folded.trim().split('\n').reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
	assert.ok(Math.abs(sum - Math.floor(await total(page) / 1000)) <= 1, `${sum}`);
	const [picture, svg] = await save('#save-svg');
	assert.equal(picture, 'dwell-offcpu.svg');
	assert.match(svg, /^<svg xmlns=/);
	assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror'), svg), null);
}));

const parse = (text) => new Map(text.trim().split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));

test('each view has the stacks that dwell flame has', () => at(PAGE, async (page) => {
	for (const view of ['offcpu', 'oncpu', 'runq', 'hotcold', 'wakeup', 'offwake', 'chain']) {
		await page.click(`[data-view="${view}"]`);
		const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-folded')]);
		const got = parse(await readFile(await download.path(), 'utf8'));
		const want = parse(await readFile(`${FOLDED}/${view}.folded`, 'utf8'));
		// Rounding is carried in another order.
		for (const stack of new Set([...got.keys(), ...want.keys()]))
			assert.ok(Math.abs((got.get(stack) || 0) - (want.get(stack) || 0)) <= 2, `${view}: ${stack}: ${got.get(stack)}, not ${want.get(stack)}`);
	}
}));

// The shares in a picture's legend, by word.
const shares = (texts) => Object.fromEntries(texts.map((text) => text.match(/^(?:ready, )?(.+) ([\d.]+) %$/)).filter(Boolean).map(([, word, share]) => [word, Number(share)]));

test('colours say why, with the shares of dwell flame, in the picture, its legend and what it saves', () => at(PAGE, async (page) => {
	for (const view of ['offcpu', 'offwake', 'chain']) {
		const svg = await readFile(`${FOLDED}/${view}.svg`, 'utf8');
		const want = shares(Array.from(svg.slice(svg.indexOf('class="legend"')).split('</g>\n<g id=')[0].matchAll(/<text[^>]*>([^<]+)</g), ([, text]) => text));
		assert.ok(Object.keys(want).length > 1, `${view}: ${JSON.stringify(want)}`);
		await page.click(`[data-view="${view}"]`);
		await ended(page);
		const got = shares(await page.locator('.legend .tag').allTextContents());
		for (const word of Object.keys({...got, ...want})) assert.ok(Math.abs((got[word] || 0) - (want[word] || 0)) <= 0.6, `${view}: ${word}: ${got[word]}, not ${want[word]}`);
		const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-svg')]);
		const saved = await readFile(await download.path(), 'utf8');
		// Wakers are no reasons; the convoy's lock is pink, and greener hues have less red.
		const boxes = Array.from(saved.matchAll(/<title>([^<:]+): [^<]*<\/title><rect[^>]* fill="rgb\((\d+) (\d+) (\d+)\)"/g), ([, name, ...rgb]) => [name, rgb.map(Number)]);
		const locks = boxes.filter(([name]) => name === 'pthread_mutex_lock');
		assert.ok(locks.length && locks.every(([, [red, green, blue]]) => red > blue && blue > green), `${view}: ${JSON.stringify(locks)}`);
	}
	await page.click('[data-view="oncpu"]');
	await ended(page);
	assert.match(await page.locator('.legend').textContent(), /^nameprogramkernel/);
}));

const about = (page) => page.locator('.panel .note').first().textContent();
const spaced = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

test('a measure is a view behind the others, with the report\'s figures, and time stays time', () => at(COUNTED, async (page) => {
	const [faults, alloc] = counted.measures;
	assert.deepEqual(await page.locator('[data-view]').evaluateAll((all) => all.slice(7).map((button) => button.textContent)), ['Allocated', 'Page faults']);
	assert.deepEqual(await page.locator('[aria-label="Memory"] button, [aria-label="Events"] button').allTextContents(), ['Allocated', 'Page faults']);
	await page.click('[data-view="page-faults"]');
	assert.equal(await total(page), faults.value);
	assert.equal(await about(page), `Page faults: where memory was touched for the first time. ${spaced(faults.value)} page faults in all.`);
	assert.equal(await details(page), `all: ${spaced(faults.value)} page faults, 100 % of all`);
	await assertTotals(page, report);
	await press(page, '8');
	assert.equal(await total(page), alloc.value);
	assert.ok(alloc.samples * 50 === alloc.count && alloc.relative_error > 0);
	assert.match(await details(page), new RegExp(`^all: [\\d.]+ [KMG]iB of allocated memory \u00b1 (< )?\\d+ %, 100 % of all, ${spaced(alloc.count)} allocations, ${spaced(alloc.samples)} looked at$`));
	assert.match(await page.locator('.legend').textContent(), /share of the allocated memory/);
	assert.match(await page.locator('.strip .note').textContent(), /Dashed: resident memory, 1\.0 MiB to [\d.]+ MiB\./);
	await assertTotals(page, report);
}));

test('a measure has tables, callers, search and threads in its own unit', () => at(COUNTED, async (page) => {
	const [faults] = counted.measures;
	const sum = (selector, name) => page.locator(selector).evaluateAll((rows, field) => rows.reduce((all, row) => all + Number(row.dataset[field]), 0), name);
	assert.equal(await sum('#functions tbody tr', 'self'), faults.value);
	assert.match(await page.locator('#functions .note').textContent(), new RegExp(`functions of ${spaced(faults.value)} page faults`));
	assert.equal(await page.locator('#functions th').count(), 3, 'weights are the counts');
	await press(page, 'f', 'c');
	assert.equal(await total(page), faults.value);
	await press(page, 'c', 'p');
	assert.equal(await sum('tr.process', 'events'), faults.value);
	assert.equal(await page.locator('#threads th').nth(1).textContent(), 'page faults');
	await press(page, 'f', '/');
	await page.keyboard.type('convoy|cpu-hog');
	const wanted = [...parse(await readFile(`${FOLDED}/page-faults.folded`, 'utf8'))].filter(([stack]) => /convoy|cpu-hog/i.test(stack)).reduce((all, [, value]) => all + value, 0);
	assert.ok(wanted > 0 && wanted < faults.value);
	assert.equal(Number(await page.locator('#matched').getAttribute('data-ns')), wanted);
	assert.match(await page.locator('#matched').textContent(), /^Matched [\d.]+ %: [\d,]+ page faults, /);
}, {hash: '#view=page-faults&tab=functions'}));

test('a range and a thread choose among events; sorts of time and lengths do not, and say so', () => at(COUNTED, async (page) => {
	assert.equal(await total(page), countedRange.measures[0].value);
	await page.locator('.chip[data-class="lock"]').click();
	await page.selectOption('[aria-label="Shortest wait"]', '3');
	await page.selectOption('[aria-label="Idle time"]', 'only');
	assert.equal(await total(page), countedRange.measures[0].value);
	assert.deepEqual((await page.locator('.crumb.unused').allTextContents()).map((text) => text.startsWith('time only: ')), [true, true]);
	// Sorts of time, things and lengths.
	assert.equal(await page.locator('.timeonly').count(), 3);
	assert.match(await page.locator('.strip .note').textContent(), /The line: at most [\d,]+ page faults in a column/);
	await page.click('[data-view="offcpu"]');
	assert.equal(await page.locator('.timeonly, .crumb.unused').count(), 0);
}, {hash: '#view=page-faults&from=2&to=6'}));

test('a measure has the stacks that dwell flame has, and is saved under its name', () => at(COUNTED, async (page) => {
	for (const view of ['page-faults', 'alloc']) {
		await page.click(`[data-view="${view}"]`);
		const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-folded')]);
		assert.equal(download.suggestedFilename(), `dwell-${view}.folded`);
		const got = parse(await readFile(await download.path(), 'utf8')), want = parse(await readFile(`${FOLDED}/${view}.folded`, 'utf8'));
		assert.deepEqual([...got].sort(), [...want].sort());
	}
}));

test('a measure fits a phone and a wall, light and dark', async () => {
	for (const width of [375, 3840])
		for (const colorScheme of ['light', 'dark'])
			await at(COUNTED, async (page) => {
				for (const tab of ['f', 't', 'p']) {
					await press(page, tab);
					await ended(page);
					assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `tab ${tab} at ${width}`);
				}
				await press(page, 'f');
				await ended(page);
				assert.equal(await light(page) > 128, colorScheme === 'light');
			}, {viewport: {width, height: 800}, colorScheme, hash: '#view=alloc'});
});

test('hostile names of measures stay names, in the page and in what it saves', () => at(HOSTILE, async (page) => {
	await press(page, '8');
	const heading = '<img src=x onerror=window.hacked=1>;?';
	assert.ok((await about(page)).includes(heading));
	assert.match(await details(page), /^all: [\d,]+ <b>;\?" of <img src=x onerror=window\.hacked=1>;\?s, /);
	const [download] = await Promise.all([page.waitForEvent('download'), page.click('#save-svg')]);
	assert.match(download.suggestedFilename(), /^dwell-[\w.-]+\.svg$/);
	const svg = await readFile(await download.path(), 'utf8');
	assert.equal(await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelectorAll('parsererror, script, img').length, svg), 0);
	await press(page, 'p', 't', 'f', 'i');
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.locator('script').count(), 1);
	assert.ok((await page.locator('#measures').textContent()).includes(heading));
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
}));

test('a wait is walked hop by hop, and the shares are the report\'s', () => at(PAGE, async (page) => {
	await page.locator('#waits a', {hasText: 'who woke it'}).first().click();
	const line = report.lines.find((one) => one.reason !== 'no CPU');
	assert.equal(Number(await page.locator('#chain-note').getAttribute('data-ns')), line.total_ns);
	const chains = await page.locator('section.chain').evaluateAll((sections) => sections.map((section) => ({
		ns: Number(section.dataset.ns), hops: [...section.querySelectorAll('tr[data-ns]')].map((row) => Number(row.dataset.ns))})));
	assert.deepEqual(chains.map(({ns}) => ns), line.chains.slice(0, 12).map((chain) => chain.total_ns));
	for (const {ns, hops} of chains) assert.equal(hops.reduce((a, b) => a + b, 0), ns);
	const [first] = line.chains;
	assert.deepEqual(chains[0].hops.slice(0, first.hops.length), first.hops.map((hop) => hop.ran_ns + hop.no_cpu_ns + hop.earlier_ns));
	assert.ok((await page.locator('#waits .cause', {hasText: 'who woke it'}).first().textContent()).replaceAll('\u00a0', ' ').startsWith(line.sentence));
	await page.selectOption('[aria-label="Wait"]', {index: 1});
	assert.match(await hash(page), /wait=/);
	// A sleep is its timer's time: waited for, in the colour of sleeps.
	const sleep = (await page.locator('[aria-label="Wait"] option').allTextContents()).findIndex((text) => /: sleep/.test(text));
	await page.selectOption('[aria-label="Wait"]', {index: sleep});
	const timer = page.locator('section.chain tr', {hasText: 'its own timer'}).first();
	assert.match(await timer.textContent(), /its own timer woke it; waited for [\d.]+ /);
	assert.match(await timer.locator('.statebar').getAttribute('aria-label'), /^waited for a timer/);
	assert.equal(await timer.locator('.statebar i').first().evaluate((bar) => getComputedStyle(bar).backgroundColor), 'rgb(163, 177, 74)');
}));

test('copies the stack', () => at(PAGE, async (page) => {
	await page.locator('.flame canvas').focus();
	await press(page, 'ArrowUp', 'ArrowUp', 'ArrowUp');
	await page.click('#copy');
	await page.waitForFunction(() => /^Copied|;/.test(document.querySelector('#details').textContent));
}));

test('every key is listed, and the list closes', () => at(PAGE, async (page) => {
	await press(page, '?');
	assert.ok(await page.locator('#help').isVisible());
	assert.ok(await page.locator('#help tr').count() > 12);
	await press(page, 'Escape');
	assert.equal(await page.locator('#help').isVisible(), false);
}));

test('the picture as a table can be walked without a mouse', () => at(PAGE, async (page) => {
	await page.locator('.inside summary').click();
	const first = page.locator('.inside tbody button').first();
	const name = await first.textContent();
	await first.focus();
	await press(page, 'Enter');
	assert.match(await page.locator('.inside caption').textContent(), new RegExp(`^Inside ${name}`));
}));

test('everything has a name for screen readers', () => at(PAGE, async (page) => {
	const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, canvas, a[href]')]
		.filter((element) => !(element.textContent.trim() || element.getAttribute('aria-label') || element.title)).map((element) => element.outerHTML));
	assert.deepEqual(nameless, []);
	assert.equal(await page.locator('h1').count(), 1);
	assert.equal(await page.locator('html').getAttribute('lang'), 'en');
}));

const paper = (page) => page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--paper'));
// How light the flame graph is, from 0 to 255.
const light = (page) => page.evaluate(() => {
	const canvas = document.querySelector('.flame canvas');
	const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {willReadFrequently: true});
	copy.drawImage(canvas, 0, 0);
	const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
	return data.filter((_, i) => i % 4 < 3).reduce((a, b) => a + b, 0) / (data.length * 3 / 4);
});

test('light and dark, by the system and by hand', async () => {
	for (const colorScheme of ['light', 'dark'])
		await at(PAGE, async (page) => {
			await ended(page);
			assert.equal(await light(page) > 128, colorScheme === 'light');
			const first = await paper(page);
			await press(page, 'd');
			await ended(page);
			assert.notEqual(await paper(page), first);
			assert.equal(await light(page) > 128, colorScheme === 'dark');
		}, {colorScheme});
});

test('a picture of a new size is never blank', () => at(PAGE, async (page) => {
	await ended(page);
	// This observer comes after the page's own and sees what the browser is about to paint.
	const alpha = await page.evaluate(() => new Promise((done) => {
		const canvas = document.querySelector('.flame canvas'), {parentElement} = canvas;
		let isFirst = true;
		new ResizeObserver((_, observer) => {
			if (isFirst) parentElement.style.width = '500px';
			else {
				observer.disconnect();
				const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
				copy.drawImage(canvas, 0, 0);
				done(copy.getImageData(9, 9, 1, 1).data[3]);
			}
			isFirst = false;
		}).observe(parentElement);
	}));
	assert.equal(alpha, 255);
}));

test('what is made anew keeps the keyboard where it was', () => at(PAGE, async (page) => {
	const focused = () => page.evaluate(() => document.activeElement.outerHTML.replace(/>.*/s, '>'));
	for (const selector of ['.chip[data-class="lock"]', '[data-tab="threads"]', '[data-tab="flame"]', '[data-view="oncpu"]', '.toggle[title^="The root"]']) {
		await page.locator(selector).focus();
		await press(page, 'Enter');
		await ended(page);
		assert.ok(await page.locator(selector).evaluate((element) => element === document.activeElement), `${selector}: ${await focused()}`);
	}
	await page.locator('[aria-label="Shortest wait"]').focus();
	await press(page, 'ArrowDown');
	assert.match(await focused(), /Shortest wait/);
	assert.match(await hash(page), /bandMin=1/);
}));

test('stacks that are cut off say so, and lead on', () => at(PAGE, async (page) => {
	const more = page.locator('.flame .more').first();
	await ended(page);
	const rows = Number((await more.textContent()).match(/^↑ (\d+) more rows?$/)[1]);
	assert.ok(rows > 2);
	for (let i = 0; i < rows && await more.isVisible(); i++) {
		await more.click();
		await ended(page);
	}
	assert.equal(await more.isVisible(), false);
	await press(page, 'i');
	await ended(page);
	assert.match(await more.textContent(), /^↓ \d+ more rows?$/);
}, {viewport: {width: 1280, height: 240}}));

test('the flame graph is in sight without scrolling, with its root', () => at(PAGE, async (page) => {
	await ended(page);
	const {top, bottom} = await page.locator('.flame').first().evaluate((flame) => flame.getBoundingClientRect());
	assert.ok(bottom <= 900, `it ends at ${bottom}`);
	// Twelve rows of 18 px, or all that there are.
	assert.ok(bottom - top >= 216 || !(await page.locator('.flame .more').isVisible()), `from ${top} to ${bottom}`);
	assert.ok(await page.locator('#verdict').evaluate((verdict) => verdict.getBoundingClientRect().bottom < 300), 'and so is the answer');
}, {viewport: {width: 1400, height: 900}}));

test('so it is where a long head leaves room for ten rows', async () => {
	let height = 0;
	await at(PAGE, async (page) => {
		await ended(page);
		height = await page.locator('.flame').first().evaluate((flame) => Math.ceil(flame.getBoundingClientRect().top)) + 10 * 18 + 36;
	}, {viewport: {width: 1400, height: 900}});
	await at(PAGE, async (page) => {
		await ended(page);
		const bottom = await page.locator('.flame').first().evaluate((flame) => flame.getBoundingClientRect().bottom);
		assert.ok(bottom <= height, `it ends at ${bottom} of ${height}`);
	}, {viewport: {width: 1400, height}});
});

test('no sideways scrolling, from a phone to a wall', async () => {
	for (const width of [375, 768, 1280, 3840])
		await at(PAGE, async (page) => {
			for (const tab of ['f', 't', 'p', 'w', 'k']) {
				await press(page, tab);
				await ended(page);
				const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
				assert.ok(over <= 0, `${over} px at ${width}, tab ${tab}`);
			}
		}, {viewport: {width, height: 800}});
});

test('it prints', () => at(PAGE, async (page) => {
	await page.emulateMedia({media: 'print'});
	await ended(page);
	assert.equal(await page.locator('.tools').first().isVisible(), false);
	assert.equal(await page.locator('#verdict').isVisible(), true);
	assert.ok((await page.pdf()).length > 10000);
}));

test('paper is white, and all rows are on it', () => at(PAGE, async (page) => {
	const height = () => page.locator('.flame canvas').first().evaluate((canvas) => canvas.height);
	const before = await height();
	await page.evaluate(() => { window.dispatchEvent(new Event('beforeprint')); });
	assert.ok(await light(page) > 128);
	assert.equal((await paper(page)).trim(), '#fff');
	assert.ok(await height() > before);
	await page.evaluate(() => { window.dispatchEvent(new Event('afterprint')); });
	await ended(page);
	assert.ok(await light(page) < 128);
	assert.equal(await height(), before);
}, {colorScheme: 'dark', viewport: {width: 1280, height: 240}}));

test('an empty recording is a sentence, not a blank page', () => at(EMPTY, async (page) => {
	assert.match(await page.locator('#verdict').textContent(), /Nothing passes|empty/);
	await press(page, '1', '2', '3', '4', '5', '6', '7', 't', 'p', 'w', 'k', 'f', '/', 'Escape', 'n', 'y', 'Enter');
}));

test('losses are in plain sight', () => at(LOSSY, async (page) => {
	assert.ok(await page.locator('#accounting .lost').count() > 1);
	assert.match(await page.locator('#accounting').textContent(), /lost: [\d,]+ intervals/);
}));

test('hostile names stay names', () => at(HOSTILE, async (page) => {
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.locator('script').count(), 1);
	assert.equal(await page.locator('body img').count(), 0);
	// Where much is going on beside it, its wait is farther down.
	while (await page.locator('#waits button').count()) await page.locator('#waits button').click();
	assert.ok(await page.getByText('</script><script>window.hacked=1</script>').count() > 0);
	assert.ok(!(await page.content()).includes('\u202e'));
	await press(page, 't');
	assert.ok((await page.locator('#functions td.name a').allTextContents()).every((text) => text.length <= 2000));
}));

test('a redacted page has no paths, no host, no command line', () => at(REDACTED, async (page) => {
	const text = await page.evaluate(() => document.documentElement.textContent);
	assert.ok(!text.includes(report.recording.host + ',') && !text.includes('workloads/'), text.match(/.*workloads\/.*/)?.[0]);
	await assertTotals(page, report);
	assert.match(text, /are left out/);
}));

test('without scripts the summary, tables and a picture remain', () => visit(browser, PAGE, async (page) => {
	assert.equal(await page.locator('#verdict').isVisible(), true);
	assert.ok(await page.locator('#fallback tbody tr').count() > 2);
	assert.equal(await page.locator('#starting').isVisible(), true);
	assert.equal(await page.locator('#measures').count(), 0);
	const picture = page.locator('img.still');
	assert.ok((await picture.boundingBox()).height > 100);
}, {javaScriptEnabled: false}));

test('without scripts each measure is told as in the report', () => visit(browser, COUNTED, async (page) => {
	const lines = await page.locator('#measures li').allTextContents();
	assert.equal(lines.length, 2);
	assert.match(lines[0], new RegExp(`^${spaced(counted.measures[0].value)} page faults \\([\\d,.]+/s(; [^)]*)?\\): `));
	assert.match(lines[1], /^Memory allocated: [\d.]+ [KMG]iB in [\d,]+ allocations \u00b1 (< )?\d+ % \([\d.]+ [KMG]iB\/s\): /);
}, {javaScriptEnabled: false}));

test('a browser that cannot unpack says so and shows the tables', async () => {
	const context = await browser.newContext();
	await context.addInitScript(() => { delete window.DecompressionStream; });
	const page = await context.newPage();
	await page.goto(`file://${PAGE}`);
	assert.match(await page.locator('#starting').textContent(), /browser of 2023/);
	assert.ok(await page.locator('#fallback tbody tr').count() > 2);
	await context.close();
});

test('its policy lets nothing in and nothing out', () => visit(browser, PAGE, async (page) => {
	await ready(page);
	const blocked = await page.evaluate(async () => {
		const results = [];
		for (const url of ['data:text/plain,x', 'https://example.com/']) results.push(await fetch(url).then(() => url, () => ''));
		const script = document.createElement('script');
		script.textContent = 'window.hacked = 1';
		document.body.append(script);
		return [...results, window.hacked];
	}).catch((error) => String(error));
	assert.deepEqual(blocked, ['', '', undefined]);
}).catch((error) => {
	// The browser complains about what it blocked: that is what was wanted.
	if (!/Content Security Policy|Content-Security-Policy/.test(error.message + JSON.stringify(error.actual))) throw error;
}));
