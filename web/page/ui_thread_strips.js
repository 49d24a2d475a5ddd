// SPDX-License-Identifier: GPL-2.0-or-later
// A small strip of time for each row of the list of threads: running at the bottom, then without a CPU, blocked by reason.
// A thread's full height is the time that passed, and what it was idle is grey; of a process, whose threads come and go, it is
// the highest column, and idle time would hide the rest. It is painted when it comes in sight.
import {bucketNs, bucketPlace} from './buckets.js';
import {classColor} from './colors.js';
import {h} from './dom.js';
import {threadSeries} from './thread_series.js';
import {className, FIRST_REASON} from './weigh.js';

const WIDTH = 220;
const HEIGHT = 18;
const IDLE = 'rgb(128 128 128 / 22%)';
const OUTSIDE = 0.35;

export class ThreadStrips {
	/** Of one list; a new list has new strips. @param {any} app */
	constructor(app) {
		this.model = app.model;
		this.filter = app.look.filter({...app.state, process: '', thread: ''});
		/** Rows that have not been painted. @type {Map<Element, number[]>} */
		this.waiting = new Map();
		this.observer = new IntersectionObserver((entries) => this.paint(entries.filter((entry) => entry.isIntersecting).map((entry) => entry.target)));
	}

	/** @param {number[]} threads @param {string} label what it shows, in words */
	make(threads, label) {
		const canvas = h('canvas', {class: 'threadstrip', role: 'img', 'aria-label': label, title: label});
		canvas.width = canvas.height = 1;
		this.waiting.set(canvas, threads);
		this.observer.observe(canvas);
		return canvas;
	}

	/** All that came in sight at once. @param {Element[]} canvases */
	paint(canvases) {
		const fresh = canvases.filter((canvas) => this.waiting.has(canvas));
		// A process and its threads are of the same time: each kind has a walk of its own.
		const rows = fresh.map((canvas) => ({canvas, threads: this.waiting.get(canvas) || []}));
		for (const some of [rows.filter(({threads}) => threads.length > 1), rows.filter(({threads}) => threads.length === 1)]) {
			if (!some.length) continue;
			const series = threadSeries(this.model, this.filter, some.map(({threads}) => threads));
			some.forEach(({canvas, threads}, i) => this.paintOne(/** @type {HTMLCanvasElement} */ (canvas), threads, series[i]));
		}
		for (const canvas of fresh) {
			this.waiting.delete(canvas);
			this.observer.unobserve(canvas);
		}
	}

	/** @param {HTMLCanvasElement} canvas @param {number[]} threads @param {Float64Array[]} sums by class */
	paintOne(canvas, threads, sums) {
		const {model} = this, ratio = window.devicePixelRatio || 1;
		const idle = FIRST_REASON + model.reasons.length, isOne = threads.length === 1 && model.threads[threads[0]].count === 1;
		if (!isOne) sums[idle].fill(0);
		const rate = isOne ? 1 : Math.max(...sums[idle].map((_, bucket) => sums.reduce((all, values) => all + values[bucket], 0) / bucketNs(model, bucket))) || 1;
		canvas.width = Math.round(WIDTH * ratio);
		canvas.height = Math.round(HEIGHT * ratio);
		const context = canvas.getContext('2d');
		if (!context) return;
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const colors = sums.map((_, class_) => class_ === idle ? IDLE : classColor(className(model, class_)));
		for (let bucket = 0; bucket < model.buckets; bucket++) {
			const left = WIDTH * bucketPlace(model, bucket), right = WIDTH * bucketPlace(model, bucket + 1);
			const scale = HEIGHT / (bucketNs(model, bucket) * rate);
			let top = HEIGHT;
			context.globalAlpha = bucket >= this.filter.from && bucket < this.filter.to ? 1 : OUTSIDE;
			sums.forEach((values, class_) => {
				if (!values[bucket]) return;
				const height = values[bucket] * scale;
				top -= height;
				context.fillStyle = colors[class_];
				context.fillRect(left, top, right - left, height);
			});
		}
		canvas.dataset.painted = '1';
	}
}
