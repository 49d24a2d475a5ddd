// SPDX-License-Identifier: GPL-2.0-or-later
// The part of bench/page inside the browser: node bench/page.mjs PAGE
import {pathToFileURL} from 'node:url';
import {launch} from '../tests/web/browser.mjs';

const file = pathToFileURL(process.argv[2]).href;
const browser = await launch();
// whole: until pictures that grow, row by row, are complete
const say = (what, {wall, cpu, whole = wall}) => console.log(`${what.padEnd(36)}${wall.toFixed(0).padStart(6)} ms${cpu.toFixed(0).padStart(6)} ms of CPU` +
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

async function firstPicture(hash) {
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

// From the step to the frame that shows it, CPU time until all is drawn; the best of three.
async function measure(page, cpu, what, step) {
	const times = [];
	await page.evaluate(() => { window.turn = false; });
	for (let i = 0; i < 3; i++) {
		const before = await cpu();
		const [wall, whole] = await page.evaluate(async (source) => {
			const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
			const start = performance.now();
			new Function(source)();
			await frame();
			const first = performance.now() - start;
			while (document.querySelector('[data-growing]')) await frame();
			return [first, performance.now() - start];
		}, step);
		times.push({wall, whole, cpu: await cpu() - before});
	}
	say(what, {wall: Math.min(...times.map((time) => time.wall)), cpu: Math.min(...times.map((time) => time.cpu))});
	return times[0];
}

const times = [];
let page, cpu;
for (let i = 0; i < 3; i++) {
	if (page) await page.context().close();
	const time = await firstPicture('#idle=show');
	({page, meter: cpu} = time);
	times.push(time);
}
say('first picture', {wall: Math.min(...times.map((time) => time.wall)), cpu: Math.min(...times.map((time) => time.cpu))});
const key = (name) => `document.querySelector('.flame canvas').dispatchEvent(new KeyboardEvent('keydown', {key: '${name}', bubbles: true}))`;
const go = (hash) => `location.hash = '${hash}'; window.dispatchEvent(new HashChangeEvent('hashchange'))`;
const first = {};
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
	first[what] = await measure(page, cpu, what, step);
for (const what of ['sandwich of what all call', 'another view', 'view wakeup', 'view chain', 'callers', 'callers of chains']) say(`${what}, the first time`, first[what]);
await browser.close();
