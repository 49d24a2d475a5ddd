// SPDX-License-Identifier: GPL-2.0-or-later
// What is being looked at, and its way from links, clicks and keys to the screen. The address is the
// truth: every step writes it, and whatever changes it (a link, back, forward) is drawn.
import {bucketStart} from './buckets.js';
import {h, keepFocus} from './dom.js';
import {tied} from './format.js';
import {followPath} from './layout.js';
import {Look, viewsOf} from './look.js';
import {fromHash, initialState, toHash} from './state.js';
import {bandChoices, filterBar} from './ui_crumbs.js';
import {footer} from './ui_footer.js';
import {helpDialog} from './ui_help.js';
import {heatShape} from './heat.js';
import {heatChoice, HeatMap} from './ui_heat.js';
import {Panel, TABS} from './ui_panel.js';
import {Strip} from './ui_strip.js';
import {processTable, summaryBar, waitsTable} from './ui_summary.js';
import {waitLines} from './lines.js';
import {verdictParts, verdictSentence} from './verdict.js';
import {printLight, readTheme, toggleTheme} from './ui_theme.js';
import {thingChoices} from './ui_things.js';
import {showVerdict, wholeParts} from './ui_verdict.js';

const FEW_WAITS = 5;

export class App {
	/** @param {any} model @param {HTMLElement} root */
	constructor(model, root) {
		this.model = model;
		this.look = new Look(model);
		this.labels = this.look.labels;
		this.initial = initialState(model);
		this.state = this.initial;
		this.shownHeat = '';
		this.steps = 0; // how far `undo` can go, less what is under way:
		this.backs = 0; // steps back that the browser was asked for and has not made yet
		this.selected = -1;
		/** What look.at() gives. @type {any} */
		this.view = this.weights = this.tree = this.found = this.search = this.matches = null;
		this.zoomNode = 0;
		/** @type {any} */
		this.baseWeights = this.threadWeights = this.thingWeights = this.lineWeights = this.shown = this.shownBase = this.shownMeasure = null;
		/** What look.events() gives, of a measure that is looked at. @type {any} */
		this.events = null;
		/** @type {Map<number, string> | null} */
		this.objects = null;
		/** @type {any} */
		this.selectedTree = null;
		this.selectedZoom = 0;
		this.waitsShown = FEW_WAITS;
		this.threadSearch = '';
		/** @type {Set<string>} */
		this.openProcesses = new Set();
		this.summary = h('div', {});
		/** What the head says of the recording as a whole. */
		this.verdict = document.getElementById('verdict');
		this.wholeVerdict = this.verdict?.textContent || '';
		/** Of `lineWeights`. @type {import('./lines.js').Line[]} */
		this.waitLines = [];
		this.tables = h('div', {class: 'tables'});
		this.strip = new Strip(model, (from, to) => this.update({from, to}));
		/** @type {HeatMap | null} */
		this.heat = heatShape(model) ? new HeatMap(model, (from, to) => this.update({from, to})) : null;
		this.choices = h('div', {class: 'tools choices'});
		this.crumbs = h('div', {class: 'top'});
		this.panel = new Panel(this);
		this.help = helpDialog();
		if (![model, ...model.measures].some((one) => one.keys.rows)) root.classList.add('nothing');
		root.append(this.crumbs, h('section', {class: 'card time', 'aria-label': 'Time'}, this.summary, this.choices, this.strip.element, this.heat && this.heat.element),
			h('div', {class: 'columns'}, this.panel.element, this.tables), footer(model), this.help);
	}

	start() {
		readTheme();
		window.addEventListener('hashchange', () => this.arrive());
		document.addEventListener('keydown', (event) => this.key(event));
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
		printLight(() => this.toPaper(), () => this.fromPaper());
		this.state = fromHash(location.hash, this.initial);
		this.render();
	}

	/** The address has changed. */
	arrive() {
		const state = fromHash(location.hash, this.initial);
		if (toHash(state, this.initial) === toHash(this.state, this.initial)) return;
		if (this.steps > 0) this.steps--;
		if (this.backs > 0) this.backs--;
		this.state = state;
		this.render();
	}

	/** @param {Partial<import('./state.js').State>} patch @returns {string} */
	link(patch) {
		return `#${toHash({...this.state, ...patch}, this.initial)}`;
	}

	/** Are all figures those of the recording as a whole, with idle time set aside? */
	isInitial() {
		return this.lineWeights === this.look.weights({...this.initial, idle: 'hide'}).weights;
	}

	/** A link that changes part of the state; those into the panel lead there; `after` runs then. @param {any} patch @param {any} properties @param {...any} children */
	anchor(patch, {after = null, ...properties}, ...children) {
		return h('a', {href: this.link(patch), ...properties, onclick: (/** @type {MouseEvent} */ event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
			event.preventDefault();
			this.update(patch);
			if (!patch.tab) return;
			this.panel.element.scrollIntoView({block: 'start'});
			(patch.tab === 'flame' ? this.panel.flame.canvas : this.panel.content).focus({preventScroll: true});
			if (after) after();
		}}, ...children);
	}

	/** One step; isSmall: it replaces the last one, as a letter typed does. @param {any} patch */
	update(patch, isSmall = false) {
		const next = {...this.state, ...patch};
		const hash = toHash(next, this.initial);
		if (hash === toHash(this.state, this.initial)) return;
		this.state = next;
		if (isSmall) {
			try {
				history.replaceState(null, '', `#${hash}`);
			} catch {
				location.hash = hash;
			}
		} else {
			this.steps++;
			location.hash = hash;
		}
		this.render();
	}

	canUndo() {
		return this.steps > this.backs;
	}

	undo() {
		if (!this.canUndo()) return;
		this.backs++;
		keepFocus(() => this.crumbs.replaceChildren(filterBar(this)));
		history.back();
	}

	/** @param {number} node of the tree that is shown */
	zoomTo(node) {
		this.selected = node;
		this.update({zoom: this.tree.trie.path(node).map((/** @type {number} */ label) => this.labels.texts[label])});
	}

	/** Chooses the box of a stack; where it is too thin to be seen, zooms into it. @param {string[]} path */
	choose(path) {
		const {flame} = this.panel;
		const node = followPath(this.tree.trie, this.labels, path);
		if (flame.boxOf(node)) {
			this.panel.select(node);
			flame.reveal(node);
		} else if (node > 0) {
			this.zoomTo(node);
		}
	}

	/** The file a frame is in, if it is known. @param {number} node */
	objectOf(node) {
		const label = this.tree.trie.label[node];
		if (!this.objects) {
			const {objects, labels} = this.model;
			this.objects = new Map(Array.from({length: objects.rows}, (_, i) => [objects.label[i], labels[objects.object[i]]]));
		}
		return this.objects.get(label) || '';
	}

	render() {
		keepFocus(() => this.renderAll());
	}

	renderAll() {
		const {state, look} = this;
		Object.assign(this, look.at(state));
		this.baseWeights = state.off.length ? look.weights({...state, off: []}).weights : this.weights;
		this.threadWeights = state.process || state.thread ? look.weights({...state, process: '', thread: ''}).weights : this.weights;
		this.thingWeights = state.thing ? look.weights({...state, thing: ''}).weights : this.weights;
		this.lineWeights = state.line ? look.weights({...state, line: 0}).weights : this.weights;
		this.events = this.view.measure ? look.events(this.view, state) : null;
		const series = look.series(state);
		const isNew = this.shown !== this.weights || this.shownBase !== this.baseWeights;
		if (isNew || this.shownMeasure !== this.view.measure || this.shownHeat !== state.heat) {
			this.summary.replaceChildren(summaryBar(this));
			this.choices.replaceChildren(...[thingChoices(this), bandChoices(this)].filter(Boolean));
			this.strip.putChoice(this.heat && state.heat ? null : heatChoice(this));
			this.heat?.putChoice(state.heat ? heatChoice(this) : null);
		}
		if (isNew) {
			this.waitLines = waitLines(this.model, this.lineWeights);
			this.tables.replaceChildren(waitsTable(this), processTable(this));
			this.showVerdict();
		}
		this.shown = this.weights;
		this.shownBase = this.baseWeights;
		this.shownMeasure = this.view.measure;
		this.shownHeat = state.heat;
		this.strip.element.hidden = Boolean(this.heat && state.heat);
		if (this.heat) this.heat.element.hidden = !state.heat;
		this.strip.show(series, state.from, state.to, this.events && {view: this.view, values: this.events.overTime});
		if (this.heat && state.heat) this.heat.showHeat(series, state.from, state.to, state.heat);
		this.crumbs.replaceChildren(filterBar(this));
		this.panel.render();
	}

	/** The head follows the filters: what it says of the whole is never said of a part. */
	showVerdict() {
		const {model, state, initial, verdict} = this;
		const isPart = state.from > 0 || state.to < model.buckets;
		(document.getElementById('counted') || document.getElementById('measures'))?.toggleAttribute('hidden', Boolean(isPart || state.process || state.thread));
		if (!verdict) return;
		const isWhole = this.isInitial() || !model.keys.rows;
		// What is clicked next should not move away because a sentence is shorter.
		if (isWhole) verdict.style.minHeight = '';
		else if (tied(verdict.textContent || '') === tied(this.wholeVerdict)) verdict.style.minHeight = `${verdict.offsetHeight}px`;
		if (isWhole) {
			showVerdict(this, verdict, wholeParts(this.wholeVerdict, this.model.lines, this.waitLines));
			return;
		}
		const window = bucketStart(model, state.to) - bucketStart(model, state.from);
		const hasOthers = this.lineWeights !== this.look.weights({...initial, idle: state.idle, from: state.from, to: state.to}).weights;
		showVerdict(this, verdict, [verdictSentence(model, state, hasOthers, ''), ...verdictParts(model, this.lineWeights, this.waitLines, window)]);
	}

	renderTab() {
		this.panel.renderTab();
	}

	redraw() {
		this.strip.paint();
		this.heat?.paint();
		for (const view of this.panel.flames()) view.draw();
		this.panel.showLegend();
	}

	moreWaits() {
		this.waitsShown += 20;
		this.tables.replaceChildren(waitsTable(this), processTable(this));
	}

	switchTheme() {
		toggleTheme();
		this.redraw();
	}

	toPaper() {
		this.strip.paint();
		this.panel.showLegend();
		for (const view of this.panel.flames()) view.toPaper();
	}

	fromPaper() {
		this.strip.paint();
		this.panel.showLegend();
		for (const view of this.panel.flames()) view.place();
	}

	showHelp() {
		if (!this.help.open) this.help.showModal();
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const target = /** @type {HTMLElement} */ (event.target);
		const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
		if ((event.key === 'f' && event.ctrlKey) || (event.key === '/' && !isTyping)) {
			event.preventDefault();
			if (this.state.tab === 'threads') this.panel.threadBox.focus();
			else this.panel.searchBox.focus();
			return;
		}
		if (this.help.open || event.ctrlKey || event.altKey || event.metaKey) return;
		if (isTyping) {
			if (event.key === 'Escape') {
				if (target === this.panel.searchBox && this.state.search) this.update({search: ''}, true);
				target.blur();
			} else if (event.key === 'Enter' && target === this.panel.searchBox) {
				target.blur();
				this.nextMatch(1);
			}
			return;
		}
		if (this.obey(event)) event.preventDefault();
	}

	/** @param {KeyboardEvent} event @returns {boolean} was it a key of ours? */
	obey(event) {
		const {state, panel} = this;
		const views = viewsOf(this.model);
		const name = this.selected > 0 ? this.labels.texts[this.tree.trie.label[this.selected]] : '';
		if (event.key.startsWith('Arrow')) return this.walk(event);
		if (event.key >= '1' && event.key <= '9' && views[Number(event.key) - 1]) this.update({view: views[Number(event.key) - 1], zoom: []});
		else if (event.key === '?') this.showHelp();
		else if (event.key === 'Enter' && event.target === panel.flame.canvas && this.selected >= 0) this.zoomTo(this.selected);
		else if (event.key === '0') this.update({zoom: []});
		else if (event.key === 'Escape') this.leave();
		else if (event.key === 'u' || event.key === 'Backspace') this.undo();
		else if (event.key === 'n') this.nextMatch(1);
		else if (event.key === 'N') this.nextMatch(-1);
		else if (event.key === 'i') this.update({icicle: !state.icicle});
		else if (event.key === 'c') this.update({inverted: !state.inverted, zoom: []});
		else if (event.key === 'a') this.update({names: !state.names});
		else if ('ftwpk'.includes(event.key)) this.update({tab: Object.keys(TABS)['ftwpk'.indexOf(event.key)]});
		else if (event.key === 'x' && name) this.update({tab: 'sandwich', middle: name});
		else if (event.key === 'o' && name) this.update({only: name});
		else if (event.key === 'O' && name) this.update({without: name, zoom: []});
		else if (event.key === 'y') panel.copyStack();
		else if (event.key === 's') panel.saveSvg();
		else if (event.key === 'S') panel.saveFolded();
		else if (event.key === 'd') this.switchTheme();
		else return false;
		return true;
	}

	/** @param {KeyboardEvent} event */
	walk(event) {
		const {flame} = this.panel;
		if (this.state.tab !== 'flame' || event.target !== flame.canvas) return false;
		const next = this.selected < 0 ? this.zoomNode : flame.neighbour(event.key);
		if (next >= 0) {
			this.panel.select(next);
			flame.reveal(next);
		}
		return true;
	}

	leave() {
		const {state, model} = this;
		if (state.search) this.update({search: ''}, true);
		else if (state.zoom.length) this.update({zoom: []});
		else if (state.from > 0 || state.to < model.buckets) this.update({from: 0, to: model.buckets});
	}

	/** @param {number} step */
	nextMatch(step) {
		const {matches, found, tree} = this;
		if (!matches) return;
		const drawn = this.panel.flame.layout.boxes.map((box) => box.node).filter((node) => node > 0 && matches[tree.trie.label[node]]);
		const list = drawn.length ? drawn.sort((a, b) => a - b) : found.first >= 0 ? [found.first] : [];
		if (!list.length) return;
		const at = list.indexOf(this.selected);
		const next = list[(at + step + list.length) % list.length];
		this.panel.select(next);
		this.panel.flame.reveal(next);
		this.panel.flame.canvas.focus();
	}
}
