// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph in a real browser: node --test tests/web/flame.mjs, with PICTURE the SVG of
// flame.folded, TALL one of a very deep stack, HOTCOLD that of hotcold.folded and CHART the chart of
// chart.folded.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {writeFile, rm} from 'node:fs/promises';
import {launch, visit} from './browser.mjs';

const {PICTURE, TALL, HOTCOLD, CHART} = process.env;
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const frame = (page, name) => page.locator('.frames > *').filter(
	{has: page.locator('title', {hasText: new RegExp(`^${name}\\n`)})});
const width = async (page, name) => Number(
	await frame(page, name).first().locator('rect').getAttribute('width'));
const matched = (page) => page.locator('.matched').textContent();
const details = (page) => page.locator('.details').textContent();
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));
const room = (page) => page.evaluate(() =>
	document.documentElement.viewBox.baseVal.width - 20);

async function search(page, text) {
	await page.keyboard.press('/');
	await page.keyboard.type(text);
}

async function assertZoomedTo(page, name, above, beside) {
	assert.ok(await width(page, name) > await room(page) - 2, `${name} is not as wide as it gets`);
	for (const other of above) {
		assert.match(await frame(page, other).first().getAttribute('class'), /\bup\b/);
		assert.ok(await width(page, other) > await room(page) - 2);
	}
	for (const other of beside)
		assert.equal(await frame(page, other).first().isVisible(), false, `${other} is shown`);
}

test('a click zooms, ancestors fade and stay, siblings go', () => visit(browser, PICTURE,
	async (page) => {
		const all = await room(page);
		assert.ok(Math.abs(await width(page, 'work') - all * 0.4) < 2);
		await frame(page, 'work').click();
		await assertZoomedTo(page, 'work', ['all', 'main'], ['parse', 'srv']);
		assert.equal(await hash(page), '#z=app;main;work');
		assert.match(await frame(page, 'work').locator('text').textContent(), /^work$/);
	}));

test('a click on a faded ancestor zooms out to it, and reset goes back', () => visit(browser,
	PICTURE, async (page) => {
		await frame(page, 'get').click();
		await frame(page, 'main').click();
		await assertZoomedTo(page, 'main', ['all'], ['srv']);
		assert.equal(await frame(page, 'parse').isVisible(), true);
		await page.getByRole('button', {name: 'Reset the zoom'}).click();
		assert.ok(await width(page, 'main') < await room(page) * 0.85);
		assert.equal(await hash(page), '');
		await frame(page, 'work').click();
		await page.keyboard.press('0');
		assert.equal(await frame(page, 'srv').isVisible(), true);
	}));

test('search shows the matched share and counts nothing twice', () => visit(browser, PICTURE,
	async (page) => {
		await search(page, 'parse|read');
		assert.match(await matched(page), /^Matched: 40\.00%, 2 frames$/);
		assert.match(await frame(page, 'parse').getAttribute('class'), /\bhit\b/);
		assert.equal(await page.locator('.frames > .hit').count(), 2);
		assert.equal(await hash(page), '#s=parse|read');
	}));

test('the case switch', () => visit(browser, PICTURE, async (page) => {
	await search(page, '^parse$');
	assert.match(await matched(page), /1 frame/);
	await page.getByRole('button', {name: 'Upper and lower case'}).click();
	assert.match(await matched(page), /40\.00%, 2 frames/);
	assert.equal(await hash(page), '#s=^parse$&i=1');
}));

test('in a zoom the share is of what is zoomed', () => visit(browser, PICTURE, async (page) => {
	await frame(page, 'parse').click();
	await search(page, 'read');
	assert.match(await matched(page), /^Matched: 75\.0\d% of parse, 1 frame$/);
}));

test('a bad expression is told, not thrown', () => visit(browser, PICTURE, async (page) => {
	await search(page, '(');
	assert.equal(await matched(page), 'Not a regular expression');
	assert.equal(await page.locator('.hit').count(), 0);
}));

test('n and N go round the matches, Esc leaves the search, then the zoom', () => visit(browser,
	PICTURE, async (page) => {
		await search(page, 'parse|work|send');
		await page.keyboard.press('Enter');
		assert.match(await details(page), /^Function: parse \(399,970 samples, 40\.00%\)$/);
		await page.keyboard.press('n');
		assert.match(await details(page), /^Function: work/);
		await page.keyboard.press('N');
		await page.keyboard.press('N');
		assert.match(await details(page), /^Function: send .*waker\)$/);
		await page.keyboard.press('Enter');
		assert.match(await hash(page), /^#z=srv;.*;send&s=parse/);
		await page.keyboard.press('Escape');
		assert.equal(await page.locator('.hit').count(), 0);
		assert.match(await hash(page), /^#z=srv;[^&]*;send$/);
		await page.keyboard.press('Escape');
		assert.equal(await hash(page), '');
	}));

test('arrows walk, Enter zooms', () => visit(browser, PICTURE, async (page) => {
	await page.keyboard.press('ArrowUp');
	assert.match(await details(page), /^Function: all /);
	await page.keyboard.press('ArrowUp');
	assert.match(await details(page), /^Function: app /);
	await page.keyboard.press('ArrowRight');
	assert.match(await details(page), /^Function: srv /);
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('ArrowUp');
	assert.match(await details(page), /^Function: main /);
	await page.keyboard.press('Enter');
	await assertZoomedTo(page, 'main', ['all'], ['srv']);
	await page.keyboard.press('ArrowDown');
	assert.match(await details(page), /^Function: app /);
}));

test('a link leads to the same zoom and search', () => visit(browser, PICTURE, async (page) => {
	await assertZoomedTo(page, 'parse', ['all', 'main'], ['work', 'srv']);
	assert.equal(await page.locator('input').evaluate((input) => input.value), 'READ');
	assert.match(await matched(page), /75\.0\d% of parse/);
	await page.evaluate(() => { location.hash = '#z=app;main;work'; });
	await page.waitForFunction(() => !document.querySelector('.hit'));
	await assertZoomedTo(page, 'work', ['main'], ['parse']);
}, {hash: '#z=app;main;parse&s=READ&i=1'}));

test('a link that fits nothing shows everything', () => visit(browser, PICTURE, async (page) => {
	assert.equal(await frame(page, 'srv').isVisible(), true);
}, {hash: '#z=gone;%E0%A4%A&s=%28&x&=&'}));

test('names are text, never markup', () => visit(browser, PICTURE, async (page) => {
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.locator('script').count(), 1);
	await frame(page, '<script>window.hacked=1</script>').locator('rect').hover();
	assert.match(await details(page), /^Function: <script>window.hacked=1<\/script> \(/);
	assert.equal(await frame(page, ']]> & "quoted"').count(), 1);
	await search(page, '<script>');
	assert.match(await matched(page), /^Matched: 5\.00%, 1 frame$/);
}));

test('thin frames say how many they are, and are no place to go', () => visit(browser, PICTURE,
	async (page) => {
		const thin = page.locator('.frames > .t');
		assert.equal(await thin.count(), 1);
		assert.match(await thin.locator('title').textContent(),
			/^…\n3 frames too thin to draw: 30 samples, 0\.00%$/);
		await thin.dispatchEvent('click');
		assert.equal(await hash(page), '');
	}));

test('kinds of frames are told by marks and words', () => visit(browser, PICTURE, async (page) => {
	for (const [name, word, letter] of [['read', 'kernel', 'k'], ['Lib.run', 'JIT', 'j'],
		['get', 'inlined', 'i'], ['send', 'waker', 'w']]) {
		const box = frame(page, name);
		assert.match(await box.getAttribute('class'), new RegExp(`\\b${letter}\\b`));
		assert.match(await box.locator('title').textContent(), new RegExp(`, ${word}`));
		assert.equal(await box.locator('.e').count(), 1);
	}
}));

test('the picture fills the window, whatever its width', () => visit(browser, PICTURE,
	async (page) => {
		for (const size of [420, 1600]) {
			await page.setViewportSize({width: size, height: 500});
			await page.waitForFunction((wanted) =>
				document.documentElement.viewBox.baseVal.width === wanted, size);
			assert.ok(await width(page, 'all') > size - 22);
		}
	}));

test('light and dark', async () => {
	const papers = [];
	for (const colorScheme of ['light', 'dark'])
		await visit(browser, PICTURE, async (page) => {
			papers.push(await page.evaluate(() =>
				getComputedStyle(document.documentElement).getPropertyValue('--paper')));
		}, {colorScheme});
	assert.notEqual(papers[0], papers[1]);
});

test('it can be read without a script', () => visit(browser, PICTURE, async (page) => {
	assert.equal(await page.locator('.foot').isVisible(), true);
	assert.equal(await page.locator('.dwell-bar').count(), 0);
	assert.ok((await page.locator('.frames text').allTextContents()).includes('work'));
}, {javaScriptEnabled: false}));

test('it can be an image in a page', async () => {
	const html = `${PICTURE}.html`;
	await writeFile(html, `<!doctype html><title>x</title><img src="${PICTURE}">`);
	await visit(browser, html, async (page) => {
		assert.equal(await page.evaluate(() => document.images[0].naturalWidth), 1200);
	});
	await rm(html);
});

test('a picture that fits opens with its root at the bottom, a tall one with the root on top',
	async () => {
		const places = async (page) => {
			const [all, first] = [await frame(page, 'all').first().locator('rect').boundingBox(),
				await page.locator('.frames > *').nth(1).locator('rect').boundingBox()];
			return {all: all.y, first: first.y};
		};
		await visit(browser, PICTURE, async (page) => {
			const {all, first} = await places(page);
			assert.ok(first < all, 'callers are below');
			await page.keyboard.press('i');
			const turned = await places(page);
			assert.ok(turned.all < turned.first, 'i turns it over');
			await page.getByRole('button', {name: 'Root on top'}).click();
			assert.deepEqual(await places(page), {all, first});
		});
		await visit(browser, TALL, async (page) => {
			const {all, first} = await places(page);
			assert.ok(all > 0 && all < 200 && first > all, `the root is at ${all}`);
			assert.equal(await page.locator('.title').isVisible(), true);
			await page.keyboard.press('i');
			const turned = await places(page);
			assert.ok(turned.first < turned.all && turned.all > 0 && turned.all < 600,
				`turned over, the root is at ${turned.all}`);
			await page.setViewportSize({width: 420, height: 600});
			assert.ok((await places(page)).first < (await places(page)).all, 'and stays so');
		});
	});

test('in a narrow window the head ends with the window', () => visit(browser, PICTURE,
	async (page) => {
		const ends = () => page.locator('.title, .soft:not(.foot), .legend > g:not([display])')
			.evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
		const subtitle = () => page.locator('.soft:not(.foot)').textContent();
		const whole = await subtitle();
		await page.setViewportSize({width: 330, height: 500});
		await page.waitForFunction(() => document.documentElement.viewBox.baseVal.width === 330);
		assert.ok(await ends() <= 330, `the head ends at ${await ends()}`);
		assert.match(await subtitle(), /^a subtitle .*…$/);
		await page.setViewportSize({width: 1000, height: 500});
		await page.waitForFunction(() => document.documentElement.viewBox.baseVal.width === 1000);
		assert.equal(await subtitle(), whole);
	}));

test('in a tall picture the bar stays in sight', () => visit(browser, TALL, async (page) => {
	const box = async () => page.locator('.dwell-bar').boundingBox();
	const top = await box();
	assert.ok(top.y + top.height <= 601 && top.y > 500, `at ${top.y}`);
	await page.evaluate(() => window.scrollTo(0, 5000));
	await page.waitForFunction(() =>
		document.querySelector('foreignObject').getAttribute('y') > 5000);
	const later = await box();
	assert.ok(Math.abs(later.y - top.y) < 2, `at ${later.y}`);
	await page.keyboard.press('ArrowUp');
	assert.match(await details(page), /^Function: all/);
	const at = await page.locator('.here rect').boundingBox();
	assert.ok(at.y > 0 && at.y + at.height <= top.y + 1, `the frame is at ${at.y}`);
}));

// The stripes of a frame as class -> [left, right], in pixels of the screen.
const stripes = async (page, name) => Object.fromEntries(await frame(page, name).first().locator('.s')
	.evaluateAll((paths) => paths.filter((path) => path.getAttribute('d')).map((path) => {
		const {left, right} = path.getBoundingClientRect();
		return [path.getAttribute('class'), [left, right]];
	})));

test('boxes are striped by their shares, also in a zoom', () => visit(browser, HOTCOLD,
	async (page) => {
		const check = async (name, shares) => {
			const box = await frame(page, name).first().locator('rect').boundingBox();
			const found = await stripes(page, name);
			assert.deepEqual(Object.keys(found).sort(), Object.keys(shares).sort());
			let at = box.x;
			for (const [key, share] of Object.entries(shares)) {
				assert.ok(Math.abs(found[key][0] - at) < 2, `${name} ${key} at ${found[key]}`);
				at += share * box.width;
				assert.ok(Math.abs(found[key][1] - at) < 2, `${name} ${key} to ${found[key]}`);
			}
		};
		await check('app', {'s r': 0.3006, 's q': 0.1, 's b': 0.5994});
		await check('work', {'s r': 0.75, 's q': 0.25});
		assert.deepEqual(await stripes(page, 'tiny'), {}, 'too narrow for stripes');
		await frame(page, 'tiny').first().dispatchEvent('click');
		await check('tiny', {'s r': 0.6, 's b': 0.4});
		await check('app', {'s r': 0.3006, 's q': 0.1, 's b': 0.5994});
		assert.match(await details(page), /60\.0% running, 40\.0% blocked\)$/);
		await page.keyboard.press('0');
		assert.deepEqual(await stripes(page, 'tiny'), {}, 'narrow again');
	}));

test('stripes are told apart by pattern, not by colour alone', () => visit(browser, HOTCOLD,
	async (page) => {
		const fill = (name) => page.locator(`.frames .s.${name}`).first().evaluate(
			(path) => getComputedStyle(path).fill);
		const fills = [await fill('r'), await fill('q'), await fill('b')];
		assert.match(fills[1], /#dwell-runnable/);
		assert.match(fills[2], /#dwell-blocked/);
		assert.doesNotMatch(fills[0], /url/);
		assert.deepEqual((await page.locator('.legend text').allTextContents()),
			['running', 'runnable', 'blocked']);
	}));

test('in a chart a link leads to the sibling it was made at', () => visit(browser, CHART,
	async (page) => {
		const reads = frame(page, 'read');
		assert.equal(await reads.count(), 4);
		for (let i = 0; i < 4; i++) {
			await page.goto(page.url().split('#')[0]);
			await reads.nth(i).click();
			const address = page.url();
			const start = await reads.nth(i).getAttribute('data-s');
			await page.goto('about:blank');
			await page.goto(address);
			const shown = page.locator('.frames > :not(.off):not(.up) > title').first();
			assert.equal(await shown.locator('..').getAttribute('data-s'), start, address);
			assert.match(await shown.textContent(), /^read\n/);
		}
	}));

test('links tell commas of names from numbers of siblings', () => visit(browser, CHART,
	async (page) => {
		await frame(page, 'f\\(a,1\\)').first().click();
		assert.match(page.url(), /f\(a%2C1\)$/);
		await page.evaluate(() => { location.hash = '#z=main;read,7'; });
		await page.waitForFunction(() => document.querySelectorAll('.frames > .up').length === 1);
		await assertZoomedTo(page, 'main', ['all'], []);
	}));
