// SPDX-License-Identifier: GPL-2.0-or-later
// The page: starts, holds what is being looked at, and draws what changed.
import {unpack} from './data.js';
import {h} from './dom.js';
import {App} from './app.js';
import {prepare} from './prepare.js';

async function start() {
	const holder = document.getElementById('dwell-data');
	const fallback = document.getElementById('fallback');
	const root = document.getElementById('app');
	const starting = document.getElementById('starting');
	if (!holder || !fallback || !root || !starting) return;
	if (typeof DecompressionStream === 'undefined') return;
	starting.textContent = 'Unpacking...';
	try {
		const model = await unpack(holder.textContent || '');
		holder.remove();
		const app = new App(model, root);
		fallback.remove();
		root.hidden = false;
		app.start();
		document.documentElement.dataset.ready = '1';
		prepare(app);
	} catch (error) {
		starting.replaceWith(h('p', {class: 'lost', role: 'alert'}, `The pictures cannot be shown: ${error instanceof Error ? error.message : error}.`));
		throw error;
	}
}

start();
