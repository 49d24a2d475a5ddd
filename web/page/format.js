// SPDX-License-Identifier: GPL-2.0-or-later
// Figures for people, as the text report prints them.

/** "850 ns", "12 us", "4.9 ms", "22.6 s". @param {number} ns */
export function duration(ns) {
	if (ns < 1e3) return `${Math.round(ns)} ns`;
	for (const [unit, size] of /** @type {[string, number][]} */ ([['us', 1e3], ['ms', 1e6]])) {
		const value = ns / size;
		if (value < 9.95) return `${value.toFixed(1)} ${unit}`;
		if (value < 999.5) return `${value.toFixed(0)} ${unit}`;
	}
	const s = ns / 1e9;
	return s < 9.9995 ? `${s.toFixed(s < 0.9995 ? 3 : 2)} s` : `${s.toFixed(1)} s`;
}

/** "61,000" @param {number} value */
export function count(value) {
	return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "812 B", "1.5 GiB" @param {number} value */
export function bytes(value) {
	const units = ['KiB', 'MiB', 'GiB', 'TiB'];
	if (value < 1024) return `${Math.round(value)} B`;
	let size = 1024, i = 0;
	for (; i + 1 < units.length && value >= size * 1024; i++) size *= 1024;
	return `${(value / size).toFixed(value < 10 * size ? 1 : 0)} ${units[i]}`;
}

/** A weight of a view in its unit: "4.9 ms", "61,000", "1.5 GiB", "12,345 furlongs". @param {import('./views.js').View} view @param {number} value */
export function amount({unit, unit_word}, value) {
	if (unit === 'ns') return duration(value);
	if (unit === 'bytes') return bytes(value);
	return unit === 'count' ? count(value) : `${count(value)} ${unit_word}`;
}

/** The same with what it is of, unless it is time: "61,000 page faults", "1.5 GiB of allocations". @param {import('./views.js').View} view @param {number} value */
export function amountOf(view, value) {
	if (!view.measure) return amount(view, value);
	if (view.unit !== 'count') return `${amount(view, value)} of ${view.weight}`;
	return countedText(view, value);
}

/** How many were counted: "12 waits", "1 allocation". @param {import('./views.js').View} view @param {number} number */
export function countedText(view, number) {
	return `${count(number)} ${number === 1 ? view.counted : view.counts}`;
}

/** One standard error of a sum of which only samples were looked at: " ± 4 %"; '' where all were (profile/estimate.h). @param {number} events @param {number} samples */
export function errorText(events, samples) {
	if (!samples || events <= samples) return '';
	const value = 100 / Math.sqrt(samples);
	return value < 1 ? ' ± < 1 %' : ` ± ${value.toFixed(0)} %`;
}

/** "12.3 %"; 0 and 100 only where it is exactly that. @param {number} part @param {number} whole */
export function percent(part, whole) {
	if (!(whole > 0) || part <= 0) return '0 %';
	if (part >= whole) return '100 %';
	const value = 100 * part / whole;
	if (value < 0.01) return '< 0.01 %';
	if (value > 99.99) return '> 99.99 %';
	return `${value.toFixed(value < 10 || value > 99 ? 2 : 1)} %`;
}

/** A time in the recording: "3.25 s". @param {number} ns */
export function moment(ns) {
	return `${(ns / 1e9).toFixed(3).replace(/\.?0+$/, '')} s`;
}

/** Nanoseconds as two numbers, so that sums of any size are exact. @param {number} s @param {number} ns */
export function exactNs(s, ns) {
	return BigInt(s) * 1000000000n + BigInt(ns);
}

/** "1 wait", "2 waits" @param {number} number @param {string} word */
export function plural(number, word) {
	return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** A class of time as chips call it. @param {string} word */
export function chipWords(word) {
	return word === 'runnable' ? 'ready, no CPU' : word;
}

/** A sentence in which no line ends between a number and its %. @param {string} text */
export function tied(text) {
	return text.replace(/(\d) %/g, '$1\u00a0%');
}
