// SPDX-License-Identifier: GPL-2.0-or-later
// The time strip: how much of each class of time passed when, and of a measure that is looked at a line
// over it. Dragging, or keys, choose a range.
import {bucketAt, bucketMoment, bucketNs, bucketPlace} from './buckets.js';
import {classColor} from './colors.js';
import {h, letterScale} from './dom.js';
import {amountOf, bytes, duration, moment} from './format.js';
import {isOfMemory} from './views.js';
import {className} from './weigh.js';

// In px where the page's letters have their usual size.
const STRIP = 76;
const AXIS = 16;
const AXIS_LETTERS = 11;
const MOST_TOLD = 4;

/** Time whose moment was lost. @param {any} model */
function unslicedNs({keys, kinds}) {
	let sum = 0;
	for (let key = 0; key < keys.rows; key++) if (kinds.unsliced[keys.kind[key]]) sum += keys.total[key];
	return sum;
}

export class Strip {
	/** @param {any} model @param {(from: number, to: number) => void} choose */
	constructor(model, choose) {
		this.model = model;
		this.choose = choose;
		this.canvas = h('canvas', {tabindex: '0', role: 'slider', 'aria-label': 'Range of time', 'aria-valuemin': '0',
			'aria-valuemax': String(model.buckets), 'aria-valuenow': '0'});
		this.note = h('p', {class: 'note'});
		this.element = h('div', {class: 'strip'}, this.canvas, h('div', {class: 'foot'}, this.note));
		const lost = unslicedNs(model);
		this.lost = lost ? ` ${duration(lost)} are in totals only, because tables were full: they have no place here.` : '';
		/** @type {any} */
		this.series = null;
		/** Values by column, and their view. @type {{view: import('./views.js').View, values: Float64Array} | null} */
		this.line = null;
		/** Resident memory at the end of each column, where memory is looked at; null: not known. @type {(number | null)[] | null} */
		this.resident = null;
		this.from = 0;
		this.to = model.buckets;
		/** @type {number | null} */
		this.anchor = null;
		this.canvas.addEventListener('pointerdown', (/** @type {PointerEvent} */ event) => this.begin(event));
		this.canvas.addEventListener('pointermove', (/** @type {PointerEvent} */ event) => this.move(event));
		this.canvas.addEventListener('pointerup', () => this.end());
		this.canvas.addEventListener('pointercancel', () => { this.anchor = null; });
		this.canvas.addEventListener('pointerleave', () => { if (this.anchor === null) this.tell(); });
		this.canvas.addEventListener('dblclick', () => this.choose(0, model.buckets));
		this.canvas.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => this.key(event));
		new ResizeObserver(() => this.paint()).observe(this.element);
	}

	/** @param {any} series @param {number} from @param {number} to @param {{view: import('./views.js').View, values: Float64Array} | null} line */
	show(series, from, to, line = null) {
		Object.assign(this, {series, from, to, line});
		this.canvas.setAttribute('aria-valuenow', String(from));
		this.canvas.setAttribute('aria-valuetext', this.describe(from, to));
		this.resident = line && isOfMemory(line.view) && this.model.memory || null;
		this.tell();
		this.paint();
	}

	/** Beside the note: which picture of time this is. @param {HTMLElement | null} choice */
	putChoice(choice) {
		this.note.parentElement.replaceChildren(...[this.note, choice].filter(Boolean));
	}

	/** What can be done, or what is chosen. */
	tell() {
		const {model, from, to, line} = this;
		const lineText = line ? ` The line: at most ${amountOf(line.view, Math.max(...line.values))} in a column.${this.residentText()}` : '';
		const last = bucketNs(model, model.buckets - 1), lastText = last < model.bucket_ns ? `, the last ${duration(last)}` : '';
		this.note.textContent = (from === 0 && to === model.buckets
			? `Drag to choose a range of time. Each column is ${duration(model.bucket_ns)}${lastText}; the highest has ${duration(this.most() * model.bucket_ns)} of the threads' time${lastText ? ` in ${duration(model.bucket_ns)}` : ''}.${this.lost}`
			: `${this.describe(from, to)}. Double click, or Esc, for all of it.`) + lineText;
	}

	/** What the second line is. */
	residentText() {
		const known = (this.resident || []).filter((value) => value !== null);
		return known.length ? ` Dashed: resident memory, ${bytes(/** @type {number} */ (known[0]))} to ${bytes(/** @type {number} */ (known[known.length - 1]))}.` : '';
	}

	/** What is in a column, largest first. @param {number} bucket */
	tellColumn(bucket) {
		const {model, series, line} = this;
		/** @type {Map<string, number>} */
		const words = new Map();
		series.sums.forEach((/** @type {Float64Array} */ values, /** @type {number} */ class_) => {
			const word = className(model, class_);
			if (values[bucket]) words.set(word, (words.get(word) || 0) + values[bucket]);
		});
		const parts = [...words].sort((a, b) => b[1] - a[1]).map(([word, ns]) => `${word === 'runnable' ? 'no CPU' : word} ${duration(ns)}`);
		const more = parts.length > MOST_TOLD ? `, ${parts.length - MOST_TOLD} more` : '';
		this.note.textContent = `${this.describe(bucket, bucket + 1)}: ${parts.slice(0, MOST_TOLD).join(', ') || 'nothing'}${more}${line ? `; ${amountOf(line.view, line.values[bucket])}` : ''}${this.resident && this.resident[bucket] !== null ? `; rss ${bytes(/** @type {number} */ (this.resident[bucket]))}` : ''}.`;
	}

	/** The highest column: threads' time by time. */
	most() {
		let most = 0;
		for (let bucket = 0; bucket < this.model.buckets; bucket++) {
			let sum = 0;
			for (const values of this.series.sums) sum += values[bucket];
			most = Math.max(most, sum / bucketNs(this.model, bucket));
		}
		return most;
	}

	/** @param {number} from @param {number} to */
	describe(from, to) {
		const {model} = this;
		return `From ${moment(bucketMoment(model, from))} to ${moment(bucketMoment(model, to))}`;
	}

	/** @param {PointerEvent} event */
	bucketAt(event) {
		const frame = this.canvas.getBoundingClientRect();
		return bucketAt(this.model, (event.clientX - frame.left) / frame.width);
	}

	/** @param {PointerEvent} event */
	begin(event) {
		if (event.button) return;
		this.anchor = this.bucketAt(event);
		this.canvas.setPointerCapture(event.pointerId);
		this.moved = false;
	}

	/** @param {PointerEvent} event */
	move(event) {
		const at = this.bucketAt(event);
		if (this.anchor === null) {
			if (this.series) this.tellColumn(at);
			return;
		}
		this.moved = this.moved || at !== this.anchor;
		this.from = Math.min(at, this.anchor);
		this.to = Math.max(at, this.anchor) + 1;
		this.note.textContent = `${this.describe(this.from, this.to)}.`;
		this.paint();
	}

	end() {
		if (this.anchor === null) return;
		const from = this.moved ? this.from : this.anchor, to = this.moved ? this.to : this.anchor + 1;
		this.anchor = null;
		this.choose(from, to);
	}

	/** @param {KeyboardEvent} event */
	key(event) {
		const {buckets} = this.model;
		const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
		let {from, to} = this;
		if (event.key === 'Home' || event.key === 'End') [from, to] = [0, buckets];
		else if (!step) return;
		else if (event.shiftKey) to = Math.max(from + 1, Math.min(buckets, to + step));
		else if (from === 0 && to === buckets) [from, to] = step > 0 ? [0, 1] : [buckets - 1, buckets];
		else if (from + step >= 0 && to + step <= buckets) [from, to] = [from + step, to + step];
		event.preventDefault();
		event.stopPropagation();
		this.choose(from, to);
	}

	paint() {
		if (!this.series) return;
		const {model, canvas} = this;
		const scale = letterScale();
		// The strip is painted as if letters had their usual size.
		const ratio = (window.devicePixelRatio || 1) * scale, wide = Math.max(this.element.clientWidth, 50), width = wide / scale;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(STRIP * ratio);
		canvas.style.width = `${wide}px`;
		canvas.style.height = `${STRIP * scale}px`;
		const context = canvas.getContext('2d');
		if (!context) return;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const style = getComputedStyle(canvas);
		context.fillStyle = style.getPropertyValue('--paper');
		context.fillRect(0, 0, width, STRIP);
		this.paintColumns(context, width);
		this.paintLine(context, width, style);
		this.paintResident(context, width, style);
		context.fillStyle = style.getPropertyValue('--shade');
		const x = (/** @type {number} */ bucket) => width * bucketPlace(model, bucket);
		context.fillRect(0, 0, x(this.from), STRIP - AXIS);
		context.fillRect(x(this.to), 0, width - x(this.to), STRIP - AXIS);
		context.strokeStyle = style.getPropertyValue('--ink');
		if (this.from > 0 || this.to < model.buckets)
			context.strokeRect(x(this.from) + 0.5, 0.5, Math.max(x(this.to) - x(this.from) - 1, 1), STRIP - AXIS - 1);
		this.paintAxis(context, width, style.getPropertyValue('--dim'));
	}

	/** @param {CanvasRenderingContext2D} context @param {number} width */
	paintColumns(context, width) {
		const {model, series} = this;
		const most = this.most();
		if (!most) return;
		const gap = width / model.buckets > 4 ? 1 : 0;
		for (let bucket = 0; bucket < model.buckets; bucket++) {
			let sum = 0;
			const left = width * bucketPlace(model, bucket), column = width * bucketPlace(model, bucket + 1) - left, whole = most * bucketNs(model, bucket);
			const top = () => STRIP - AXIS - Math.round((STRIP - AXIS - 2) * sum / whole);
			series.sums.forEach((/** @type {Float64Array} */ values, /** @type {number} */ class_) => {
				const bottom = top();
				sum += values[bucket];
				context.fillStyle = classColor(className(model, class_));
				if (values[bucket]) context.fillRect(left, top(), column > 2 * gap ? column - gap : column, bottom - top());
			});
		}
	}

	/** The measure's line, with a rim that sets it off from the columns; its top is its own largest. @param {CanvasRenderingContext2D} context @param {number} width @param {CSSStyleDeclaration} style */
	paintLine(context, width, style) {
		if (!this.line) return;
		const {model} = this, values = this.line.values.map((value, bucket) => value / bucketNs(model, bucket)), most = Math.max(...values);
		if (!(most > 0)) return;
		context.beginPath();
		values.forEach((value, bucket) => {
			const y = STRIP - AXIS - 2 - (STRIP - AXIS - 5) * value / most;
			context.lineTo(width * bucketPlace(model, bucket), y);
			context.lineTo(width * bucketPlace(model, bucket + 1), y);
		});
		context.lineJoin = 'round';
		for (const [name, lineWidth] of /** @type {[string, number][]} */ ([['--paper', 4], ['--ink', 1.5]])) {
			context.lineWidth = lineWidth;
			context.strokeStyle = style.getPropertyValue(name);
			context.stroke();
		}
		context.lineWidth = 1;
	}

	/** From nothing to its own largest; dashed, so that nobody takes its height for the measure's. @param {CanvasRenderingContext2D} context @param {number} width @param {CSSStyleDeclaration} style */
	paintResident(context, width, style) {
		if (!this.resident) return;
		const {model} = this, most = Math.max(...this.resident.map((value) => value || 0));
		if (!(most > 0)) return;
		context.beginPath();
		let isDrawn = false;
		this.resident.forEach((value, bucket) => {
			if (value === null) {
				isDrawn = false;
				return;
			}
			const y = STRIP - AXIS - 2 - (STRIP - AXIS - 5) * value / most, x = width * bucketPlace(model, bucket + 1);
			if (isDrawn) context.lineTo(x, y);
			else context.moveTo(x, y);
			isDrawn = true;
		});
		for (const [name, lineWidth, dash] of /** @type {[string, number, number[]][]} */ ([['--paper', 4, []], ['--accent', 2, [6, 4]]])) {
			context.setLineDash(dash);
			context.lineWidth = lineWidth;
			context.strokeStyle = style.getPropertyValue(name);
			context.stroke();
		}
		context.setLineDash([]);
		context.lineWidth = 1;
	}

	/** @param {CanvasRenderingContext2D} context @param {number} width @param {string} color */
	paintAxis(context, width, color) {
		const {model} = this;
		const step = Math.ceil(model.buckets / Math.max(1, Math.floor(width / 90)));
		context.fillStyle = color;
		context.font = `${AXIS_LETTERS}px system-ui, sans-serif`;
		context.textBaseline = 'alphabetic';
		for (let bucket = 0; bucket < model.buckets; bucket += step) {
			context.textAlign = bucket ? 'center' : 'left';
			const x = width * bucketPlace(model, bucket);
			if (x < width - 30)
				context.fillText(moment(bucketMoment(model, bucket)), x, STRIP - 3);
		}
	}
}
