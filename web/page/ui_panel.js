// SPDX-License-Identifier: GPL-2.0-or-later
// The large part of the page: tabs, tools, and the picture or table chosen.
import {classColor, kindColor, legendColor, wakerColor} from './colors.js';
import {copyText, h, saveFile, select, toggle} from './dom.js';
import {foldedText} from './folded.js';
import {amount, amountOf, chipWords, count, countedText, errorText, percent, plural} from './format.js';
import {layOut} from './layout.js';
import {viewsOf} from './look.js';
import {largeThings, shortThing} from './things.js';
import {svgText} from './svg.js';
import {childrenOf} from './tree.js';
import {KERNEL, MARK, NAME, USER, WAKER} from './trie.js';
import {chainTab} from './ui_chain.js';
import {zoomPath} from './ui_crumbs.js';
import {FlameView, SPELL_MS} from './ui_flame.js';
import {boxTable, functionsTable, threadsTable} from './ui_tables.js';
import {isDarkNow} from './ui_theme.js';
import {BYS, isOfMemory, modelOf, viewOf} from './views.js';
import {boxColor, sharesOf, toldClass} from './whys.js';

export const TABS = {flame: 'Flame graph', functions: 'Functions', sandwich: 'Sandwich', threads: 'Threads', chain: 'Who woke them'};

export class Panel {
	/** @param {any} app */
	constructor(app) {
		this.app = app;
		const texts = () => app.labels.texts, common = {texts, model: app.model};
		this.flame = new FlameView({label: 'Flame graph', ...common,
			onhover: (node, thin) => this.tell(node >= 0 ? node : app.selected, thin),
			onpick: (node) => { this.select(node); app.zoomTo(node); },
			onselect: (node) => this.select(node)});
		this.callers = new FlameView({label: 'Callers', ...common, onhover: (node) => this.tellOther(this.callers, node),
			onpick: (node) => this.pickOther(this.callers, node), onselect: () => {}});
		this.callees = new FlameView({label: 'Callees', ...common, onhover: (node) => this.tellOther(this.callees, node),
			onpick: (node) => this.pickOther(this.callees, node), onselect: () => {}});
		this.tabs = h('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Ways to look'});
		this.tools = h('div', {class: 'tools'});
		this.searchBox = h('input', {type: 'search', placeholder: 'search (regexp)', 'aria-label': 'Search frames by regular expression', id: 'search',
			oninput: () => app.update({search: this.searchBox.value}, true), spellcheck: 'false', autocomplete: 'off'});
		this.matched = h('span', {id: 'matched', role: 'status'});
		this.caseButton = h('button', {class: 'toggle', 'aria-pressed': 'false', title: 'Upper and lower case differ', onclick: () => app.update({exact: !app.state.exact}, true)}, 'Aa');
		this.search = h('span', {class: 'find'}, this.searchBox, this.caseButton, this.matched);
		this.ways = h('span', {class: 'ways'});
		this.shapes = h('div', {class: 'tools'}, this.search, this.ways);
		this.details = h('p', {id: 'details', class: 'details', 'aria-live': 'polite'});
		this.actions = h('div', {class: 'actions', role: 'group', 'aria-label': 'The chosen frame'});
		this.threadBox = h('input', {type: 'search', placeholder: 'search threads', 'aria-label': 'Search threads and processes', id: 'thread-search',
			oninput: () => { app.threadSearch = this.threadBox.value; app.renderTab(); }, spellcheck: 'false', autocomplete: 'off'});
		this.about = h('p', {class: 'note about'});
		this.folds = h('p', {class: 'note'});
		this.path = h('nav', {class: 'path', 'aria-label': 'Zoom'});
		this.where = h('div', {class: 'where'}, this.path, this.about);
		this.legend = h('p', {class: 'note legend'});
		this.inside = h('details', {class: 'inside', ontoggle: () => this.showInside()}, h('summary', {}, 'The picture as a table'));
		this.content = h('div', {class: 'content', id: 'content', role: 'tabpanel', tabindex: '-1'});
		this.element = h('section', {class: 'card panel', id: 'panel', 'aria-label': 'Pictures and tables'}, h('div', {class: 'head'}, this.tabs, this.always()), this.tools, this.shapes, this.where, this.content);
	}

	render() {
		const {app} = this;
		const {state} = app;
		this.tabs.replaceChildren(...Object.entries(TABS).map(([tab, text]) => h('button', {role: 'tab', 'aria-selected': String(state.tab === tab), 'aria-controls': 'content', 'data-tab': tab,
			onclick: () => app.update({tab})}, text)));
		this.tools.replaceChildren(...this.toolsOf(state));
		this.ways.replaceChildren(...this.waysOf(state));
		if (this.searchBox.value !== state.search) this.searchBox.value = state.search;
		this.caseButton.setAttribute('aria-pressed', String(state.exact));
		this.showMatched();
		this.tools.hidden = this.shapes.hidden = !this.isOfStacks(state);
		this.where.hidden = state.tab !== 'flame' && state.tab !== 'functions';
		this.path.replaceChildren(...zoomPath(app));
		this.about.hidden = state.tab !== 'flame' || app.zoomNode > 0;
		this.content.setAttribute('aria-label', TABS[/** @type {keyof TABS} */ (state.tab)] || '');
		this.renderTab();
	}

	/** What is there on every tab. */
	always() {
		const {app} = this;
		return h('span', {class: 'group'}, h('button', {id: 'theme', title: 'Light or dark (d)', 'aria-label': 'Light or dark', onclick: () => app.switchTheme()}, '◐'),
			h('button', {id: 'keys', title: 'Keys (?)', 'aria-label': 'Keys', onclick: () => app.showHelp()}, '?'));
	}

	/** Is the tab made of the stacks of a view? @param {import('./state.js').State} state */
	isOfStacks(state) {
		return ['flame', 'functions', 'sandwich'].includes(state.tab);
	}

	/** The choice of stacks. @param {import('./state.js').State} state */
	toolsOf(state) {
		const {app} = this;
		return this.isOfStacks(state) ? [...this.viewButtons(), h('label', {class: 'group'}, h('span', {class: 'dim'}, 'by '), select('Stacks named by', Object.entries(BYS), state.by, (by) => app.update({by, zoom: []})))] : [];
	}

	/** Ways to draw the picture. @param {import('./state.js').State} state */
	waysOf(state) {
		const {app} = this;
		if (state.tab !== 'flame') return [];
		return [h('span', {class: 'group'}, toggle('Icicle', state.icicle, () => app.update({icicle: !state.icicle}), 'The root on top (i)'),
			toggle('Callers', state.inverted, () => app.update({inverted: !state.inverted, zoom: []}), 'Stacks from their leaf (c)'),
			toggle('By name', state.names, () => app.update({names: !state.names}), 'Siblings by name instead of size (a)')),
		h('span', {class: 'group'}, h('button', {id: 'save-svg', title: 'Save the picture (s)', onclick: () => this.saveSvg()}, 'Save SVG'), h('button', {id: 'save-folded', title: 'Save the stacks as text (S)', onclick: () => this.saveFolded()}, 'Save folded'))];
	}

	/** Views of time, and beside them what was counted. */
	viewButtons() {
		const {app} = this;
		const views = viewsOf(app.model).map((name) => /** @type {import('./views.js').View} */ (viewOf(app.model, name)));
		const button = (/** @type {import('./views.js').View} */ {name, about, title}) => h('button', {class: 'toggle short', 'data-view': name,
			'aria-pressed': String(app.view.name === name), title: about, onclick: () => app.update({view: name, zoom: []})}, title || name);
		const group = (/** @type {string} */ label, /** @type {import('./views.js').View[]} */ some) => some.length
			? [h('span', {class: 'group', role: 'group', 'aria-label': label}, h('span', {class: 'dim'}, `${label.toLowerCase()} `), some.map(button))] : [];
		return [h('span', {class: 'group', role: 'group', 'aria-label': 'View'}, views.filter((view) => !view.measure).map(button)),
			...group('Memory', views.filter(isOfMemory)), ...group('Events', views.filter((view) => view.measure && !isOfMemory(view)))];
	}

	showMatched() {
		const {state, view, search, found, tree, zoomNode} = this.app;
		this.matched.textContent = search.error ? `Not a regular expression` : !state.search ? '' :
			`Matched ${percent(found.ns, tree.totalOf(zoomNode))}: ${amountOf(view, found.ns)}${found.nodes >= 0 ? `, ${plural(found.nodes, 'frame')}` : ''}`;
		this.matched.dataset.ns = String(found.ns);
	}

	renderTab() {
		const {app} = this;
		const {state} = app;
		if (state.tab === 'functions') this.content.replaceChildren(functionsTable(app));
		else if (state.tab === 'threads') this.content.replaceChildren(this.threadBox, threadsTable(app));
		else if (state.tab === 'chain') this.content.replaceChildren(...chainTab(app));
		else if (state.tab === 'sandwich') this.renderSandwich();
		else this.renderFlame();
	}

	renderFlame() {
		const {app} = this;
		const {state, tree, zoomNode, matches} = app;
		if (this.flame.element.parentNode !== this.content)
			this.content.replaceChildren(this.flame.element, this.details, this.actions, this.legend, this.folds, this.inside);
		this.showAbout();
		if (app.selectedTree !== tree.trie || app.selectedZoom !== zoomNode) app.selected = zoomNode;
		app.selectedTree = tree.trie;
		app.selectedZoom = zoomNode;
		this.flame.element.hidden = this.legend.hidden = !(tree.totalOf(0) > 0);
		this.showLegend();
		this.flame.show({tree, zoom: zoomNode, isIcicle: state.icicle, isByName: state.names, matches, selected: app.selected});
		this.tell(app.selected, 0);
		this.showInside();
	}

	/** What the picture shows, and what of it is not kept apart. */
	showAbout() {
		const {app} = this;
		const {state, tree, view} = app, {folded, buckets} = modelOf(app.model, view);
		const about = [view.title, view.about].filter(Boolean).join(': ');
		this.about.textContent = `${about}${state.inverted ? '; turned round: the last function of each stack is at the root, its callers follow' : ''}. ${amountOf(view, tree.totalOf(0))}${errorText(tree.countOf(0), tree.samplesOf(0))} in all.`;
		this.about.dataset.ns = String(tree.totalOf(0));
		this.folds.textContent = [folded.cells_weight && (state.from > 0 || state.to < buckets) ? 'Of each column of time the largest stacks are kept apart; the rest is [other].' : '',
			folded.keys ? `${count(folded.keys)} small stacks (${amount(view, folded.keys_weight)}) are [other].` : ''].filter(Boolean).join(' ');
		this.folds.hidden = !this.folds.textContent;
	}

	/** All pictures that there can be. */
	flames() {
		return [this.flame, this.callers, this.callees];
	}

	/** What colours say where they say why. @param {boolean} isDark */
	legendOf(isDark) {
		const {view, tree, model} = this.app;
		if (!tree.tellsWhy) return [];
		const shares = sharesOf(model, tree.classSums(0), 0.001);
		return [...shares.map(({word, share}) => ({color: legendColor(word, isDark), text: `${chipWords(word)} ${percent(share, 1)}`})),
			...shares.length > 1 ? [{color: legendColor('', isDark), text: 'mixed'}] : [], ...view.needs_chains ? [{color: wakerColor('', isDark), text: 'wakers'}] : []];
	}

	showLegend() {
		const isDark = isDarkNow();
		const entry = (/** @type {string} */ color, /** @type {string} */ text) => h('span', {class: 'tag', color}, text);
		const {view, tree} = this.app;
		if (tree.tellsWhy) {
			this.legend.replaceChildren('Colours say why: ', ...this.legendOf(isDark).map(({color, text}) => entry(color, text)), 'A bar at the left: kernel. The width of a box is its time. A click zooms in.');
			return;
		}
		const kinds = /** @type {[number, string][]} */ ([[NAME, 'name'], [USER, 'program'], [KERNEL, 'kernel'],
			...view.needs_chains ? [[USER | WAKER, 'waker\'s program'], [KERNEL | WAKER, 'waker\'s kernel side']] : []]);
		this.legend.replaceChildren(...kinds.map(([kind, text]) => entry(kindColor(kind, isDark), text)),
			...view.name === 'hotcold' ? ['On top of each box: ', entry(classColor('running'), 'running'), entry(classColor('runnable'), 'ready, no CPU'), entry(classColor('socket'), 'blocked')] : [],
			`The width of a box is its ${view.measure ? `share of the ${view.weight}` : 'time'}. A click zooms in.`);
	}

	showInside() {
		const {app} = this;
		if (this.inside.childNodes.length > 1) this.inside.lastChild.remove();
		if (this.inside.open) this.inside.append(boxTable(app, childrenOf(app.tree, app.zoomNode)));
	}

	renderSandwich() {
		const {app} = this;
		const {state} = app;
		if (!state.middle) {
			this.content.replaceChildren(h('p', {class: 'note'}, 'Choose a function: in the table of functions, or a box of the flame graph and then “Callers and callees”.'));
			return;
		}
		const until = performance.now() + SPELL_MS;
		const {callers, callees, total, self} = app.look.middle(state);
		const head = h('p', {class: 'lead', id: 'middle', 'data-ns': total}, h('b', {}, state.middle), ` ${amountOf(app.view, total)}, ${percent(total, app.look.tree(state).tree.totalOf(0))}; ${amount(app.view, self)} by itself`);
		this.middleTotal = total;
		this.content.replaceChildren(head, h('h3', {}, 'Callers'), this.callers.element, h('h3', {}, 'Callees'), this.callees.element, this.details);
		for (const view of [this.callers, this.callees]) view.element.hidden = !(total > 0);
		this.callers.show({tree: callers, zoom: this.firstBox(callers), isIcicle: false, matches: app.matches, until});
		this.callees.show({tree: callees, zoom: this.firstBox(callees), isIcicle: true, matches: app.matches, until});
	}

	firstBox(/** @type {any} */ tree) {
		return tree.trie.childList(0)[0] || 0;
	}

	tellOther(/** @type {FlameView} */ view, /** @type {number} */ node) {
		if (node > 0) this.details.textContent = `${this.app.labels.texts[view.tree.trie.label[node]]}: ${amountOf(this.app.view, view.tree.totalOf(node))}, ${percent(view.tree.totalOf(node), this.middleTotal || 0)} of the function's`;
	}

	pickOther(/** @type {FlameView} */ view, /** @type {number} */ node) {
		if (node > 0) this.app.update({middle: this.app.labels.texts[view.tree.trie.label[node]]});
	}

	/** @param {number} node */
	select(node) {
		this.app.selected = node;
		this.flame.selected = node;
		this.flame.draw();
		this.tell(node, 0);
	}

	/** @param {number} node @param {number} thin */
	tell(node, thin) {
		const {app} = this;
		const {tree, labels, view} = app;
		if (thin) {
			this.details.textContent = `${count(thin)} frames too thin to draw; zoom to see them`;
			return;
		}
		if (node < 0 || !(tree.totalOf(0) > 0)) {
			this.details.textContent = tree.totalOf(0) > 0 ? '' : `Nothing here: no ${view.measure ? view.counted : 'time'} passes the filters.`;
			this.actions.replaceChildren();
			return;
		}
		const name = node ? labels.texts[tree.trie.label[node]] : 'all';
		const ns = tree.totalOf(node), counted = tree.countOf(node), samples = tree.samplesOf(node);
		this.details.dataset.ns = String(ns);
		this.details.textContent = [`${name}: ${amountOf(view, ns)}${errorText(counted, samples)}`, `${percent(ns, tree.totalOf(0))} of all`, app.zoomNode && ns <= tree.totalOf(app.zoomNode) ? `${percent(ns, tree.totalOf(app.zoomNode))} of the zoom` : '',
			tree.selfOf(node) ? `${amount(view, tree.selfOf(node))} by itself` : '', counted && view.unit !== 'count' ? countedText(view, counted) : '',
			samples && samples < counted ? `${count(samples)} looked at` : '',
			node ? ['', '', 'kernel', ''][tree.trie.kind[node] & 3] : '', node && tree.trie.kind[node] & WAKER && (tree.trie.kind[node] & MARK) !== MARK ? 'waker' : '', node ? app.objectOf(node).replace(/^\[kernel\]$/, '') : '', this.whysOf(node), this.thingsOf(node, ns)].filter(Boolean).join(', ');
		this.showActions();
	}

	/** Why the time of a box went, in words; of the whole the legend says it. @param {number} node */
	whysOf(node) {
		const {tree, model} = this.app;
		return node && tree.tellsWhy ? sharesOf(model, tree.classSums(node), 0.05).map(({word, share}) => `${chipWords(word)} ${percent(share, 1)}`).join(', ') : '';
	}

	/** What the waits in a box were for, in words; the picture of callers has no such boxes. @param {number} node @param {number} whole */
	thingsOf(node, whole) {
		const {app} = this;
		if (app.state.inverted) return '';
		const large = largeThings(app.look.thingsIn(app.state, app.tree, node), whole);
		return large.length ? `for ${large.map(({text, ns}) => `${shortThing(text)} ${percent(ns, whole)}`).join(', ')}` : '';
	}

	showActions() {
		const {app} = this;
		const node = app.selected;
		if (node <= 0 || node >= app.tree.trie.size) {
			this.actions.replaceChildren();
			return;
		}
		const name = app.labels.texts[app.tree.trie.label[node]];
		if (this.actions.dataset.name === name && this.actions.childNodes.length) return;
		this.actions.dataset.name = name;
		this.actions.replaceChildren(h('span', {class: 'name'}, name), h('button', {onclick: () => app.zoomTo(app.selected)}, 'Zoom'), h('button', {onclick: () => app.update({tab: 'sandwich', middle: name})}, 'Callers and callees'),
			h('button', {onclick: () => app.update({only: name})}, 'Only stacks with it'), h('button', {onclick: () => app.update({without: name, zoom: []})}, 'Without them'),
			h('button', {id: 'copy', onclick: () => this.copyStack()}, 'Copy stack'));
	}

	async copyStack() {
		const {app} = this;
		const node = app.selected > 0 ? app.selected : app.zoomNode;
		const path = app.tree.trie.path(node).map((/** @type {number} */ label) => app.labels.texts[label]);
		const isDone = await copyText(path.join(';'));
		this.details.textContent = isDone ? `Copied ${path.length} frames` : path.join(';');
	}

	/** The picture's name for files. */
	fileName(/** @type {string} */ ending) {
		return `dwell-${this.app.view.name.replace(/[^\w.-]+/g, '-')}.${ending}`;
	}

	saveSvg() {
		const {app} = this;
		const {tree, state, labels, zoomNode, view} = app;
		const width = 1200;
		const title = `dwell ${view.name}: ${amountOf(view, tree.totalOf(zoomNode))}`;
		saveFile(this.fileName('svg'), 'image/svg+xml', svgText(tree, layOut(tree, zoomNode, width, state.names, labels.texts), labels.texts, {width, isIcicle: state.icicle, title, amount: (value) => amountOf(view, value),
			colorOf: (node, name, kind) => boxColor(app.model, tree, toldClass(tree, node), name, kind, false), legend: this.legendOf(false)}));
	}

	saveFolded() {
		const {app} = this;
		saveFile(this.fileName('folded'), 'text/plain', foldedText(app.tree, app.labels.texts, app.zoomNode, app.state.inverted, app.view.unit));
	}
}
