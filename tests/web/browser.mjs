// SPDX-License-Identifier: GPL-2.0-or-later
// Chromium for the tests of pictures. A page that logs an error, throws, or fetches anything but
// itself fails its test.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(new URL('../../build/', import.meta.url))('playwright-core');
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking',
	'--disable-component-update', '--disable-sync', '--no-first-run'];

export async function launch() {
	return chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ARGUMENTS});
}

// Opens the file (with #hash), runs the steps, and checks that nothing was complained about.
export async function visit(browser, file, steps, {hash = '', ...options} = {}) {
	const context = await browser.newContext({viewport: {width: 1000, height: 600}, ...options});
	const page = await context.newPage();
	const complaints = [];
	page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
	page.on('console', (message) => {
		if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
	});
	page.on('request', (request) => {
		if (!request.url().startsWith('file:')) complaints.push(`fetched ${request.url()}`);
	});
	page.on('dialog', (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	try {
		await page.goto(pathToFileURL(file).href + hash);
		await steps(page);
		assert.deepEqual(complaints, []);
	} finally {
		await context.close();
	}
}
