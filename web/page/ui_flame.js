// SPDX-License-Identifier: GPL-2.0-or-later
// A tree on a canvas. The canvas is as large as its window; a spacer makes the window scroll over all
// rows, so a stack of a thousand frames needs no canvas of that height.
import {classColor} from './colors.js';
import {h, letterScale} from './dom.js';
import {boxAt, layOn, layOut} from './layout.js';
import {boxColor, toldClass} from './whys.js';

// Heights in px where the page's letters have their usual size; on a wall all grows.
const ROW = 18;
const LETTERS = 12;
const FAMILY = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const PADDING = 4;
// What is said below the picture should be in sight with it.
const BELOW = 34;
// A picture of fewer rows is too low to be of use: then its root may be below the window.
const ENOUGH_ROWS = 9;
const MOST_OF_WINDOW = 0.72;
// So long a picture is laid out before what there is of it is shown.
export const SPELL_MS = 15;
// A sheet has room for so many.
const MOST_PRINTED = 120;

export class FlameView {
	/**
	 * @param {{label: string, onhover: (node: number, thin: number) => void, onpick: (node: number) => void,
	 *   onselect: (node: number) => void, texts: () => string[], model: any}} options
	 */
	constructor(options) {
		this.options = options;
		this.canvas = h('canvas', {tabindex: '0', role: 'img', 'aria-label': options.label});
		this.spacer = h('div', {class: 'spacer'});
		this.more = h('button', {class: 'more', hidden: true, tabindex: '-1', title: 'Scroll on', onclick: () => this.scrollOn()});
		this.scroller = h('div', {class: 'rows'}, this.spacer, this.canvas);
		this.element = h('div', {class: 'flame'}, this.scroller, this.more);
		/** @type {any} */
		this.tree = null;
		this.zoom = 0;
		this.selected = -1;
		this.hovered = -1;
		this.isIcicle = false;
		this.isByName = false;
		/** @type {Uint8Array | null} */
		this.matches = null;
		/** @type {import('./layout.js').Layout} */
		this.layout = {boxes: [], rows: [], open: [], at: 0};
		/** The frame that will draw; 0: none. */
		this.pending = 0;
		this.row = ROW;
		this.font = '';
		this.letter = 0;
		/** Colours by label, kind and what they tell, of the theme that was painted last. @type {Map<string, string>} */
		this.palette = new Map();
		this.isDark = false;
		this.scroller.addEventListener('scroll', () => this.draw(), {passive: true});
		this.canvas.addEventListener('mousemove', (/** @type {MouseEvent} */ event) => this.hover(event));
		this.canvas.addEventListener('mouseleave', () => this.setHover(null));
		this.canvas.addEventListener('click', (/** @type {MouseEvent} */ event) => {
			const box = this.at(event);
			if (box && box.node >= 0) options.onpick(box.node);
		});
		this.canvas.addEventListener('contextmenu', (/** @type {MouseEvent} */ event) => {
			const box = this.at(event);
			if (!box || box.node < 0) return;
			event.preventDefault();
			options.onselect(box.node);
		});
		this.observer = new ResizeObserver(() => this.resize());
		this.observer.observe(this.scroller);
	}

	/** `until`: as layOut() has it. @param {{tree: any, zoom: number, isIcicle: boolean, isByName?: boolean, matches?: Uint8Array | null, selected?: number, until?: number}} what */
	show({tree, zoom, isIcicle, isByName = false, matches = null, selected = -1, until = performance.now() + SPELL_MS}) {
		const turned = isIcicle !== this.isIcicle;
		const isNew = tree !== this.tree || zoom !== this.zoom || turned || isByName !== this.isByName;
		Object.assign(this, {tree, zoom, isIcicle, isByName, matches, selected});
		if (isNew) this.place(until);
		else this.draw();
	}

	place(until = performance.now() + SPELL_MS) {
		if (!this.tree) return;
		this.width = Math.max(this.scroller.clientWidth, 50);
		this.measure();
		this.layout = layOut(this.tree, this.zoom, this.width, this.isByName, this.options.texts(), until);
		const height = this.sizeRows();
		this.scroller.scrollTop = this.isIcicle ? 0 : height;
		this.draw();
		this.goOn(this.layout);
	}

	/** Makes room for all rows. Their height. */
	sizeRows() {
		const height = Math.max(this.layout.rows.length, 1) * this.row;
		this.spacer.style.height = `${height}px`;
		this.element.style.setProperty('--rows', `${height + 2}px`);
		this.element.style.setProperty('--room', `${this.room()}px`);
		this.sizeCanvas();
		return height;
	}

	/** The height at which the root is in sight before anything is scrolled, if that is enough of a picture; else what a window has room for. */
	room() {
		const top = this.scroller.getBoundingClientRect().top + window.scrollY;
		const left = window.innerHeight - top - BELOW * letterScale();
		return Math.round(left >= ENOUGH_ROWS * this.row ? left : window.innerHeight * MOST_OF_WINDOW);
	}

	/** A picture that takes long grows, row by row, between the frames. @param {import('./layout.js').Layout} layout */
	goOn(layout) {
		const isDone = layout.at === layout.open.length;
		this.element.toggleAttribute('data-growing', !isDone);
		if (isDone) return;
		// A frame's callbacks run before it is painted: the next step is for the time after that.
		requestAnimationFrame(() => setTimeout(() => {
			if (layout !== this.layout) return;
			const below = this.scroller.scrollHeight - this.scroller.scrollTop;
			layOn(layout, this.tree, this.isByName, this.options.texts(), performance.now() + SPELL_MS);
			this.sizeRows();
			if (!this.isIcicle) this.scroller.scrollTop = this.scroller.scrollHeight - below;
			this.drawNow();
			this.goOn(layout);
		}));
	}

	/** Sizes by the page's letters. */
	measure() {
		const scale = letterScale();
		const font = `${Math.round(LETTERS * scale)}px ${FAMILY}`;
		if (font === this.font) return;
		this.row = Math.round(ROW * scale);
		this.font = font;
		this.letter = 0;
	}

	resize() {
		if (!this.tree) return;
		if (Math.abs(this.scroller.clientWidth - (this.width || 0)) > 0) this.place();
		else this.sizeCanvas();
		this.drawNow();
	}

	sizeCanvas(wanted = this.scroller.clientHeight) {
		const ratio = window.devicePixelRatio || 1;
		const width = Math.max(this.scroller.clientWidth, 50), height = Math.max(wanted, this.row);
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		this.height = height;
	}

	/** How far the rows go on where stacks grow to. */
	hiddenRows() {
		const {scrollTop, clientHeight, scrollHeight} = this.scroller;
		return Math.round((this.isIcicle ? scrollHeight - clientHeight - scrollTop : scrollTop) / this.row);
	}

	/** Stacks that are cut off say so. */
	showMore() {
		const rows = this.hiddenRows();
		this.more.hidden = rows < 1;
		if (rows < 1) return;
		this.more.textContent = `${this.isIcicle ? '↓' : '↑'} ${rows} more row${rows === 1 ? '' : 's'}`;
		this.more.classList.toggle('below', this.isIcicle);
	}

	scrollOn() {
		const step = Math.max(this.scroller.clientHeight - 3 * this.row, this.row);
		this.scroller.scrollBy({top: this.isIcicle ? step : -step});
	}

	/** All rows, painted at once: a printer does not scroll. */
	toPaper() {
		if (!this.tree || !this.element.isConnected) return;
		layOn(this.layout, this.tree, this.isByName, this.options.texts(), Infinity);
		const rows = Math.min(this.layout.rows.length, MOST_PRINTED);
		this.sizeCanvas(rows * this.row);
		this.more.hidden = true;
		this.paint(Math.max(this.layout.rows.length - rows, 0) * (this.isIcicle ? 0 : this.row));
	}

	/** Top of a row, from the top of all rows. @param {number} row */
	top(row) {
		return this.isIcicle ? row * this.row : (this.layout.rows.length - 1 - row) * this.row;
	}

	/** @param {MouseEvent} event */
	at(event) {
		const frame = this.canvas.getBoundingClientRect();
		const y = event.clientY - frame.top + this.scroller.scrollTop;
		const line = Math.floor(y / this.row);
		const row = this.isIcicle ? line : this.layout.rows.length - 1 - line;
		return boxAt(this.layout, row, event.clientX - frame.left);
	}

	/** @param {MouseEvent} event */
	hover(event) {
		this.setHover(this.at(event));
	}

	/** @param {import('./layout.js').Box | null} box */
	setHover(box) {
		const node = box ? box.node : -1;
		if (node !== this.hovered || (box && box.thin)) {
			this.hovered = node;
			this.options.onhover(node, box ? box.thin : 0);
			this.canvas.style.cursor = node >= 0 ? 'pointer' : 'default';
			this.draw();
		}
	}

	draw() {
		if (!this.pending) this.pending = requestAnimationFrame(() => this.drawNow());
	}

	/** A canvas of a new size is empty: where the browser is about to paint, the next frame would be too late. */
	drawNow() {
		cancelAnimationFrame(this.pending);
		this.pending = 0;
		this.showMore();
		this.paint();
	}

	paint(from = this.scroller.scrollTop) {
		const context = this.canvas.getContext('2d');
		if (!this.tree || !context) return;
		const ratio = window.devicePixelRatio || 1;
		const style = getComputedStyle(this.element);
		const isDark = style.getPropertyValue('--dark').trim() === '1';
		if (isDark !== this.isDark) this.palette.clear();
		this.isDark = isDark;
		const colors = {paper: style.getPropertyValue('--paper'), ink: style.getPropertyValue('--ink'),
			match: style.getPropertyValue('--match'), matchInk: style.getPropertyValue('--match-ink')};
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		context.fillStyle = colors.paper;
		context.fillRect(0, 0, this.width || 0, this.height || 0);
		context.font = this.font;
		context.textBaseline = 'middle';
		if (!this.letter) this.letter = context.measureText('mmmmmmmmmm').width / 10;
		const rows = this.layout.rows.length;
		for (let row = 0; row < rows; row++) {
			const y = this.top(row) - from;
			if (y < -this.row || y > (this.height || 0)) continue;
			for (const box of this.layout.rows[row]) this.paintBox(context, box, y, isDark, colors);
		}
	}

	/** @param {CanvasRenderingContext2D} context @param {import('./layout.js').Box} box @param {number} y @param {boolean} isDark @param {any} colors */
	paintBox(context, box, y, isDark, colors) {
		const {tree} = this;
		const texts = this.options.texts();
		const text = box.node > 0 ? texts[tree.trie.label[box.node]] : box.node ? '' : 'all';
		const kind = box.node > 0 ? tree.trie.kind[box.node] : 3;
		const isMatch = Boolean(this.matches && box.node > 0 && this.matches[tree.trie.label[box.node]]);
		const width = Math.max(box.width - (box.width > 3 ? 1 : 0.2), 0.3);
		context.globalAlpha = box.isAbove ? 0.55 : 1;
		context.fillStyle = isMatch ? colors.match : box.thin ? (isDark ? '#444' : '#ccc') : this.color(box.node, text, kind);
		context.fillRect(box.x, y, width, this.row - 1);
		if (tree.isStriped && box.node >= 0 && tree.totalOf(box.node) > 0) this.paintStripe(context, box, y, width);
		else if ((kind & 3) === 2 && width > 14 && !isMatch) {
			context.fillStyle = tree.tellsWhy ? colors.ink : isDark ? '#8ecbff' : '#0b5a8f';
			context.fillRect(box.x, y, 2, this.row - 1);
		}
		if (box.node >= 0 && (box.node === this.selected || box.node === this.hovered)) {
			context.strokeStyle = colors.ink;
			context.lineWidth = box.node === this.selected ? 2 : 1;
			context.strokeRect(box.x + 0.5, y + 0.5, Math.max(width - 1, 1), this.row - 2);
		}
		const room = Math.floor((width - 2 * PADDING) / (this.letter || 7));
		if (room >= 3 && text) {
			context.fillStyle = isMatch ? colors.matchInk : colors.ink;
			context.fillText(text.length <= room ? text : `${text.slice(0, room - 1)}…`, box.x + PADDING, y + this.row / 2 + (tree.isStriped ? 1.5 : 0.5));
		}
		context.globalAlpha = 1;
	}

	color(/** @type {number} */ node, /** @type {string} */ text, /** @type {number} */ kind) {
		const {tree, options} = this, told = toldClass(tree, node);
		const id = `${node > 0 ? tree.trie.label[node] : -1}/${kind}/${told}/${tree.tellsWhy}`;
		let color = this.palette.get(id);
		if (!color) this.palette.set(id, color = boxColor(options.model, tree, told, text, kind, this.isDark));
		return color;
	}

	/** Running, runnable, blocked: three parts of a line at the top of the box. */
	paintStripe(/** @type {CanvasRenderingContext2D} */ context, /** @type {import('./layout.js').Box} */ box,
		/** @type {number} */ y, /** @type {number} */ width) {
		const {tree} = this;
		const whole = tree.totalOf(box.node);
		const running = width * tree.runningOf(box.node) / whole;
		const runnable = width * tree.runnableOf(box.node) / whole;
		context.fillStyle = classColor('running');
		context.fillRect(box.x, y, running, 3);
		context.fillStyle = classColor('runnable');
		context.fillRect(box.x + running, y, runnable, 3);
		context.fillStyle = classColor('socket');
		context.fillRect(box.x + running + runnable, y, width - running - runnable, 3);
	}

	/** The box of a node, if it is drawn. @param {number} node */
	boxOf(node) {
		return this.layout.boxes.find((box) => box.node === node) || null;
	}

	/** The box next to the selected one: up is towards the top of the screen. @param {string} key */
	neighbour(key) {
		const box = this.boxOf(this.selected);
		if (!box) return this.zoom;
		const up = this.isIcicle ? -1 : 1;
		const row = this.layout.rows[box.row + (key === 'ArrowUp' ? up : key === 'ArrowDown' ? -up : 0)] || [];
		if (key === 'ArrowUp' || key === 'ArrowDown') {
			const middle = box.x + box.width / 2;
			const near = row.filter((other) => other.node >= 0 && other.x < box.x + box.width && other.x + other.width > box.x);
			near.sort((a, b) => Math.abs(a.x + a.width / 2 - middle) - Math.abs(b.x + b.width / 2 - middle) || b.width - a.width);
			return near.length ? near[0].node : -1;
		}
		const boxes = row.filter((other) => other.node >= 0);
		const at = boxes.indexOf(box) + (key === 'ArrowRight' ? 1 : -1);
		return boxes[at] ? boxes[at].node : -1;
	}

	/** @param {number} node */
	reveal(node) {
		const box = this.boxOf(node);
		if (!box) return;
		const y = this.top(box.row), view = this.scroller;
		if (y < view.scrollTop) view.scrollTop = y;
		else if (y + this.row > view.scrollTop + view.clientHeight) view.scrollTop = y + this.row - view.clientHeight;
	}
}
