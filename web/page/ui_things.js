// SPDX-License-Identifier: GPL-2.0-or-later
// The choice of what waits were for: the largest things as buttons, all of them in a list.
import {h, select, toggle} from './dom.js';
import {count, duration, percent} from './format.js';
import {largeThings, shortThing, thingList} from './things.js';
import {timeOnly} from './ui_crumbs.js';

const MOST_BUTTONS = 3;
const MOST_LISTED = 200;

/** Nothing if the recording does not hold what waits were for. @param {any} app */
export function thingChoices(app) {
	const {model, state} = app;
	if (!model.things.length) return null;
	const all = thingList(model, app.thingWeights), whole = all.reduce((sum, thing) => sum + thing.ns, 0);
	const choose = (/** @type {string} */ thing) => app.update({thing: thing === state.thing ? '' : thing});
	const buttons = all.filter(({number, ns}) => number && ns > 0).slice(0, MOST_BUTTONS).map(({text, ns}) => {
		const button = toggle('', state.thing === text, () => choose(text), `Only waits for ${text}: ${duration(ns)}, ${percent(ns, whole)}`);
		button.classList.add('thing');
		button.dataset.thing = text;
		button.dataset.ns = String(ns);
		button.append(shortThing(text), ' ', h('span', {class: 'n'}, duration(ns)));
		return button;
	});
	const listed = all.slice(0, MOST_LISTED), others = all.slice(MOST_LISTED);
	/** @type {[string, string][]} */
	const choices = [['', `anything, ${duration(whole)}`], ...listed.map(({text, ns}) => /** @type {[string, string]} */ ([text, `${shortThing(text)}, ${duration(ns)}`]))];
	// What is chosen stays in the list, also where no wait is for it.
	if (state.thing && !choices.some(([text]) => text === state.thing)) choices.push([state.thing, shortThing(state.thing)]);
	const list = select('What waits were for', choices, state.thing, (thing) => app.update({thing}));
	if (others.length) list.append(h('option', {disabled: true}, `${count(others.length)} others, ${duration(others.reduce((sum, thing) => sum + thing.ns, 0))}`));
	return h('div', {class: 'tools things', role: 'group', 'aria-label': 'What waits were for'},
		h('label', {class: 'group'}, h('span', {class: 'dim'}, 'Only waits for '), list), buttons,
		model.folded.things ? h('span', {class: 'note'}, `${count(model.folded.things)} small things are told by kind only.`) : null, timeOnly(app));
}

/** "for the log 80 %, the lock 10 %" of a line of waits, each a link to its waits. @param {any} app @param {import('./things.js').Thing[] | undefined} things @param {number} whole */
export function thingLinks(app, things, whole) {
	const large = largeThings(things || [], whole);
	return large.length ? h('div', {class: 'stack'}, 'for ', large.map((thing, i) => [i ? ', ' : '',
		app.anchor({thing: thing.text}, {title: `Only waits for ${thing.text}`}, shortThing(thing.text)), ` ${percent(thing.ns, whole)}`]).flat()) : null;
}
