// SPDX-License-Identifier: GPL-2.0-or-later
// The picture of the report page in the README: node tools/page-picture.mjs PAGE OUT.png [#HASH]
import {pathToFileURL} from 'node:url';
import {launch} from '../tests/web/browser.mjs';

const [page, out, hash = ''] = process.argv.slice(2);
const browser = await launch();
const context = await browser.newContext({viewport: {width: 1400, height: 1000}, colorScheme: 'light'});
const tab = await context.newPage();
await tab.goto(pathToFileURL(page).href + hash);
await tab.waitForFunction(() => document.documentElement.dataset.ready);
await tab.waitForTimeout(300);
await tab.screenshot({path: out});
await browser.close();
