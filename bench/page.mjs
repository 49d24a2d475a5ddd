// SPDX-License-Identifier: GPL-2.0-or-later
// The part of bench/page inside the browser: node bench/page.mjs LOADS IS_FIRST_ONLY ONLY PAGE [OTHER_PAGE]
import {pathToFileURL} from 'node:url';
import {launch} from '../tests/web/browser.mjs';

const loads = Number(process.argv[2]), isFirstOnly = process.argv[3] === '1', only = process.argv[4];
const files = process.argv.slice(5).map((path) => pathToFileURL(path).href);
const browser = await launch();
// whole: until pictures that grow, row by row, are complete
const say = (what, {wall, cpu, whole = wall}) => console.log(`${what.padEnd(40)}${wall.toFixed(0).padStart(6)} ms${cpu.toFixed(0).padStart(6)} ms of CPU` +
	(whole > wall + 1 ? `, all of it after ${whole.toFixed(0)} ms` : ''));

// CPU time of the page's main thread so far: says more than the wall clock on a machine with others.
async function meter(page) {
	const session = await page.context().newCDPSession(page);
	await session.send('Performance.enable', {timeDomain: 'threadTicks'});
	return async () => {
		const {metrics} = await session.send('Performance.getMetrics');
		return 1000 * metrics.find(({name}) => name === 'TaskDuration').value;
	};
}

async function firstPicture(file, hash) {
	const page = await (await browser.newContext({viewport: {width: 1280, height: 900}})).newPage();
	const cpu = await meter(page);
	await page.addInitScript(() => {
		new MutationObserver((_, observer) => {
			if (!document.documentElement.dataset.ready) return;
			observer.disconnect();
			requestAnimationFrame(() => requestAnimationFrame(() => { window.firstPicture = performance.now(); }));
		}).observe(document, {subtree: true, attributes: true, attributeFilter: ['data-ready']});
	});
	await page.goto(file + hash);
	await page.waitForFunction(() => window.firstPicture, null, {timeout: 120000});
	return {page, meter: cpu, wall: await page.evaluate(() => window.firstPicture), cpu: await cpu()};
}

// From the step to the frame that shows it, with the CPU time until then, and until all is drawn.
async function take(page, cpu, step) {
	const before = await cpu();
	const wall = await page.evaluate(async (source) => {
		window.nextFrame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
		window.begin = performance.now();
		// Asked for first: its timer comes before those of a picture that goes on to grow.
		const shown = window.nextFrame();
		new Function(source)();
		await shown;
		return performance.now() - window.begin;
	}, step);
	const used = await cpu() - before;
	const whole = await page.evaluate(async () => {
		const isGrowing = () => document.querySelector('[data-growing]');
		if (!isGrowing()) return 0;
		while (isGrowing()) await window.nextFrame();
		return performance.now() - window.begin;
	});
	return {wall, whole, cpu: used};
}

// The best of three, on a page that has been used.
async function measure(page, cpu, what, step) {
	const times = [];
	await page.evaluate(() => { window.turn = false; });
	for (let i = 0; i < 3; i++) times.push(await take(page, cpu, step));
	say(what, {wall: Math.min(...times.map((time) => time.wall)), cpu: Math.min(...times.map((time) => time.cpu))});
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const medians = (times) => Object.fromEntries(Object.keys(times[0]).map((name) => [name, median(times.map((time) => time[name]))]));
const heap = (page) => page.evaluate(() => performance.memory.usedJSHeapSize / 1e6);
const go = (hash) => `location.hash = '${hash}'; window.dispatchEvent(new HashChangeEvent('hashchange'))`;

// What is not there yet when the page has been opened: each in a page of its own.
const FIRSTS = {'callers': 'inverted=1', 'sandwich of what all call': 'tab=sandwich&middle=do_syscall_64', 'sandwich of a recursion': 'tab=sandwich&middle=left',
	'chains': 'view=chain', 'callers of chains': 'view=chain&inverted=1', 'who woke them': 'tab=chain', 'hot/cold': 'view=hotcold', 'wakers': 'view=wakeup',
	'functions': 'tab=functions', 'threads': 'tab=threads', 'search': 'search=left', 'brush': 'from=2&to=5'};
// Asked for in the frame after the first picture, and once somebody has looked at that: the page uses the time.
const WAITS = [0, 2000];
const pictures = files.map(() => []), firsts = files.map(() => ({}));
for (const [what, hash] of Object.entries(FIRSTS).filter(([what]) => !only || only.split(',').includes(what))) {
	for (const turn of Array.from({length: loads * WAITS.length}).keys()) {
		const wait = WAITS[turn % WAITS.length];
		for (const [at, file] of files.entries()) {
			const {page, meter: cpu, ...time} = await firstPicture(file, '#idle=show');
			pictures[at].push({wall: time.wall, cpu: time.cpu, heap: await heap(page)});
			if (wait) await page.waitForTimeout(wait);
			const name = `${what}, ${wait ? `after ${wait / 1000} s` : 'at once'}`;
			(firsts[at][name] = firsts[at][name] || []).push(await take(page, cpu, go(`idle=show&${hash}`)));
			await page.context().close();
		}
	}
}
for (const at of files.keys()) {
	if (files.length > 1) console.log(at ? 'the other build:' : 'this build:');
	const picture = medians(pictures[at]);
	say('first picture', picture);
	console.log(`${'heap then'.padEnd(40)}${picture.heap.toFixed(0).padStart(6)} MB`);
	console.log('the first time:');
	for (const what of Object.keys(firsts[at])) say(what, medians(firsts[at][what]));
}
if (isFirstOnly) process.exit(await browser.close());

const {page, meter: cpu} = await firstPicture(files[0], '#idle=show');
const key = (name) => `document.querySelector('.flame canvas').dispatchEvent(new KeyboardEvent('keydown', {key: '${name}', bubbles: true}))`;
for (const [what, step] of [
	['hover', `(() => { const canvas = document.querySelector('.flame canvas'), box = canvas.getBoundingClientRect();
		canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: box.left + 100 + Math.random() * 300, clientY: box.bottom - 60, bubbles: true})); })()`],
	['zoom', `window.turn = !window.turn; ${go('idle=show&zoom=')} ; location.hash = window.turn ? 'idle=show&zoom=many_stacks;main' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['search', `window.turn = !window.turn; location.hash = 'idle=show&search=' + (window.turn ? 'left' : 'right'); window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['band', `window.turn = !window.turn; location.hash = 'idle=show&bandMin=' + (window.turn ? 1 : 2); window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['brush', `window.at = (window.at || 0) + 1; location.hash = 'idle=show&from=' + window.at + '&to=' + (window.at + 3); window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['idle set aside', `window.turn = !window.turn; location.hash = window.turn ? '' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['icicle', key('i')],
	['functions', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&tab=functions' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['sandwich', `window.at = (window.at || 0) + 1; location.hash = 'idle=show&tab=sandwich&middle=' + ['left', 'right'][window.at % 2]; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['sandwich of what all call', `window.at = (window.at || 0) + 1; location.hash = 'idle=show&tab=sandwich&middle=' + ['do_syscall_64', 'schedule'][window.at % 2]; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['another view', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&view=hotcold' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	...['wakeup', 'chain', 'oncpu'].map((view) => [`view ${view}`, `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&view=${view}' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`]),
	['callers', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&inverted=1' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['callers of chains', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&view=chain&inverted=1' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
])
	await measure(page, cpu, what, step);
await browser.close();
