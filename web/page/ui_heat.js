// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map in the place of the time strip: seconds from left to right, offsets within them from bottom to top, and the
// more threads were in the chosen sort of time, the stronger the colour. A range is brushed as in the strip, from one moment to another.
import {classColor} from './colors.js';
import {h, letterScale, select} from './dom.js';
import {chipWords, duration, moment} from './format.js';
import {ALL_WAITS, heatBucket, heatCell, heatSecond, heatShape, heatValues} from './heat.js';
import {Strip} from './ui_strip.js';
import {barParts} from './ui_summary.js';

const HEAT_HEIGHT = 96;
const HEAT_AXIS = 16;
const LEFT = 44;
/** Of sorts of time that nothing is waited for in. @type {Record<string, string>} */
const DOING = {[ALL_WAITS]: 'not running', running: 'running', runnable: 'ready, without a CPU', sleep: 'asleep', stopped: 'stopped', kernel: 'waiting in the kernel', other: 'waiting otherwise', 'page fault': 'waiting for a page fault'};

export class HeatMap extends Strip {
	/** @param {any} model @param {(from: number, to: number) => void} choose */
	constructor(model, choose) {
		super(model, choose);
		this.element.classList.add('heat');
		this.shape = heatShape(model) || {rows: 1, columns: 1, first: 0};
		this.word = ALL_WAITS;
		this.values = new Float64Array(model.buckets);
	}

	/** @param {any} series @param {number} from @param {number} to @param {string} word */
	showHeat(series, from, to, word) {
		this.word = word;
		this.values = heatValues(this.model, series, word);
		this.show(series, from, to);
	}

	/** What threads did, as in "2.5 threads waiting for disk". */
	doing() {
		return DOING[this.word] || `waiting for ${this.word}`;
	}

	tell() {
		const {model, from, to} = this, most = Math.max(...this.values);
		this.note.textContent = from === 0 && to === model.buckets
			? `Drag from one moment to another. Each column is a second since the start, each row ${duration(model.bucket_ns)} of it; the strongest colour is ${most.toFixed(most < 10 ? 1 : 0)} threads ${this.doing()}.${this.lost}`
			: `${this.describe(from, to)}. Double click, or Esc, for all of it.`;
	}

	/** @param {number} bucket */
	tellColumn(bucket) {
		this.note.textContent = `${this.describe(bucket, bucket + 1)}: ${this.values[bucket].toFixed(2)} threads ${this.doing()}.`;
	}

	/** @param {PointerEvent} event */
	bucketAt(event) {
		const {model, shape} = this, scale = letterScale(), frame = this.canvas.getBoundingClientRect();
		const left = LEFT * scale, bottom = (HEAT_HEIGHT - HEAT_AXIS) * scale;
		const column = Math.floor((event.clientX - frame.left - left) / (frame.width - left) * shape.columns);
		const row = Math.floor((1 - (event.clientY - frame.top) / bottom) * shape.rows);
		return heatBucket(model, shape, Math.max(0, Math.min(shape.columns - 1, column)), Math.max(0, Math.min(shape.rows - 1, row)));
	}

	paint() {
		if (!this.series) return;
		const {model, canvas, shape} = this, scale = letterScale();
		const ratio = (window.devicePixelRatio || 1) * scale, wide = Math.max(this.element.clientWidth, 50), width = wide / scale;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(HEAT_HEIGHT * ratio);
		canvas.style.width = `${wide}px`;
		canvas.style.height = `${HEAT_HEIGHT * scale}px`;
		const context = canvas.getContext('2d');
		if (!context) return;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const style = getComputedStyle(canvas), most = Math.max(...this.values) || 1;
		context.fillStyle = style.getPropertyValue('--paper');
		context.fillRect(0, 0, width, HEAT_HEIGHT);
		const cellWidth = (width - LEFT) / shape.columns, cellHeight = (HEAT_HEIGHT - HEAT_AXIS) / shape.rows;
		const gap = Math.min(cellWidth, cellHeight) > 4 ? 1 : 0;
		for (let bucket = 0; bucket < model.buckets; bucket++) {
			const {column, row} = heatCell(shape, bucket);
			const x = LEFT + column * cellWidth, y = HEAT_HEIGHT - HEAT_AXIS - (row + 1) * cellHeight;
			const isInside = bucket >= this.from && bucket < this.to;
			context.globalAlpha = isInside ? 1 : 0.3;
			context.fillStyle = style.getPropertyValue('--button');
			context.fillRect(x, y, cellWidth - gap, cellHeight - gap);
			context.globalAlpha = (isInside ? 1 : 0.3) * this.values[bucket] / most;
			context.fillStyle = this.word === ALL_WAITS ? style.getPropertyValue('--accent') : classColor(this.word);
			context.fillRect(x, y, cellWidth - gap, cellHeight - gap);
		}
		context.globalAlpha = 1;
		this.paintAxes(context, width, cellWidth, style.getPropertyValue('--dim'));
	}

	/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} cellWidth @param {string} color */
	paintAxes(context, width, cellWidth, color) {
		const {model, shape} = this;
		context.fillStyle = color;
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'alphabetic';
		context.textAlign = 'left';
		context.fillText(`+${moment(1e9 - model.bucket_ns)}`, 0, 10);
		context.fillText('+0 s', 0, HEAT_HEIGHT - HEAT_AXIS - 2);
		const step = Math.ceil(shape.columns / Math.max(1, Math.floor((width - LEFT) / 60)));
		for (let column = 0; column < shape.columns; column += step) {
			const x = LEFT + column * cellWidth;
			if (x < width - 30) context.fillText(moment(heatSecond(model, column)), x, HEAT_HEIGHT - 3);
		}
	}
}

/** The choice between the strip and the heat map; null where a heat map says nothing new. @param {any} app */
export function heatChoice(app) {
	const {model, state} = app;
	if (!heatShape(model)) return null;
	/** @type {[string, string][]} */
	const choices = [['', 'columns'], [ALL_WAITS, 'heat map of not running'], ...barParts(model, app.baseWeights)
		.map(({word}) => /** @type {[string, string]} */ ([word, `heat map of ${chipWords(word)}`]))];
	if (!choices.some(([value]) => value === state.heat)) choices.push([state.heat, `heat map of ${state.heat}`]);
	return h('label', {class: 'group'}, h('span', {class: 'dim'}, 'Time as: '), select('Picture of time', choices, state.heat, (heat) => app.update({heat})));
}
