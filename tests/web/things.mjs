// SPDX-License-Identifier: GPL-2.0-or-later
// What waits were for, on the page in a real browser: PAGE of a recording whose table (report --things --json) is
// THINGS, PLAIN of one that has none, REDACTED a page without names. tests/e2e/things_add_up_everywhere.py makes them.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {readFile} from 'node:fs/promises';
import {launch, visit} from './browser.mjs';

const {PAGE, PLAIN, REDACTED, THINGS} = process.env;
let browser, table;
before(async () => {
	browser = await launch();
	table = JSON.parse(await readFile(THINGS, 'utf8'));
});
after(async () => { await browser.close(); });

const at = (file, steps) => visit(browser, file, async (page) => {
	await page.waitForFunction(() => document.documentElement.dataset.ready);
	await steps(page);
}, {viewport: {width: 1280, height: 900}});
const total = async (page) => Number(await page.locator('.panel .note').first().getAttribute('data-ns'));
const LIST = 'select[aria-label="What waits were for"]';

test('the choice of things has the table\'s figures, and leaves its waits everywhere', () => at(PAGE, async (page) => {
	for (const {thing, total_ns} of table.things.filter((one) => one.thing.length < 100)) {
		await page.selectOption(LIST, thing);
		for (const view of ['offcpu', 'hotcold', 'chain']) {
			await page.click(`[data-view="${view}"]`);
			assert.equal(await total(page), total_ns, `${thing}, ${view}`);
		}
	}
	await page.selectOption(LIST, '[not told]');
	assert.equal(await total(page), table.not_told.total_ns);
	await page.selectOption(LIST, '');
	const [largest] = table.things;
	const button = page.locator('.things button').first();
	assert.equal(await button.getAttribute('data-thing'), largest.thing);
	assert.equal(Number(await button.getAttribute('data-ns')), largest.total_ns);
	await button.click();
	assert.equal(await total(page), largest.total_ns);
	assert.equal(await button.getAttribute('aria-pressed'), 'true');
	await page.locator('.crumb.filter').click();
	assert.equal(await page.locator(LIST).inputValue(), '');
}));

test('lines and boxes tell what their waits were for; hostile names are text', () => at(PAGE, async (page) => {
	assert.match(await page.locator('#waits').textContent(), /for (mutex|futex|lock)[^%]* \d/);
	await page.click('[data-view="offcpu"]');
	await page.selectOption(LIST, 'mutex cache_lock');
	assert.match(await page.locator('#details').textContent(), /for mutex cache_lock 100 %/);
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	const isWider = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
	assert.equal(isWider, false, 'no name makes the page wider than the window');
}));

test('a link brings the choice back, and one to a thing that is not there brings all', () => at(PAGE, async (page) => {
	const whole = await total(page);
	await page.evaluate(() => { location.hash = '#thing=mutex+cache_lock'; });
	await page.waitForFunction((list) => document.querySelector(list).value === 'mutex cache_lock', LIST);
	await page.evaluate(() => { location.hash = '#thing=nothing+so+called'; });
	await page.waitForFunction(() => !document.querySelector('.crumb.filter'));
	assert.equal(await total(page), whole);
}));

test('without things there is no choice, and a redacted page has kinds', async () => {
	await at(PLAIN, async (page) => assert.equal(await page.locator('.things').count(), 0));
	await at(REDACTED, async (page) => assert.match(await page.locator('.things').textContent(), /a file on vda1/));
});
