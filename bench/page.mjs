// SPDX-License-Identifier: GPL-2.0-or-later
// The part of bench/page inside the browser: node bench/page.mjs PAGE
import {pathToFileURL} from 'node:url';
import {launch} from '../tests/web/browser.mjs';

const file = pathToFileURL(process.argv[2]).href;
const browser = await launch();
const say = (what, ms) => console.log(`${what.padEnd(34)}${ms.toFixed(0).padStart(7)} ms`);

async function firstPicture(hash) {
	const page = await (await browser.newContext({viewport: {width: 1280, height: 900}})).newPage();
	await page.addInitScript(() => {
		new MutationObserver((_, observer) => {
			if (!document.documentElement.dataset.ready) return;
			observer.disconnect();
			requestAnimationFrame(() => requestAnimationFrame(() => { window.firstPicture = performance.now(); }));
		}).observe(document, {subtree: true, attributes: true, attributeFilter: ['data-ready']});
	});
	await page.goto(file + hash);
	await page.waitForFunction(() => window.firstPicture, null, {timeout: 120000});
	return [page, await page.evaluate(() => window.firstPicture)];
}

// From the step to the frame that shows it.
async function measure(page, what, step) {
	const times = [];
	for (let i = 0; i < 3; i++)
		times.push(await page.evaluate(async (source) => {
			const start = performance.now();
			new Function(source)();
			await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
			return performance.now() - start;
		}, step));
	say(what, Math.min(...times));
	return times[0];
}

const times = [];
let page;
for (let i = 0; i < 3; i++) {
	if (page) await page.context().close();
	let ms;
	[page, ms] = await firstPicture('#idle=show');
	times.push(ms);
}
say('first picture', Math.min(...times));
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
	['another view', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&view=hotcold' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
	['callers', `window.turn = !window.turn; location.hash = window.turn ? 'idle=show&inverted=1' : 'idle=show'; window.dispatchEvent(new HashChangeEvent('hashchange'))`],
])
	first[what] = await measure(page, what, step);
for (const what of ['another view', 'callers']) say(`${what}, the first time`, first[what]);
await browser.close();
