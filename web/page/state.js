// SPDX-License-Identifier: GPL-2.0-or-later
// What is being looked at, as the part of the address after '#': a link restores all of it. What is
// as it is at first is left out.

/**
 * @typedef {{view: string, by: string, tab: string, icicle: boolean, inverted: boolean, names: boolean,
 *   zoom: string[], search: string, exact: boolean, from: number, to: number, bandMin: number,
 *   bandMax: number, off: string[], idle: string, thing: string, line: number, process: string, thread: string, middle: string,
 *   only: string, without: string, sort: string, wait: string, heat: string}} State
 */

/** @param {any} model @returns {State} */
export function initialState(model) {
	return {view: 'offcpu', by: model.start.by, tab: 'flame', icicle: false, inverted: false,
		names: false, zoom: [], search: '', exact: false, from: 0, to: model.buckets, bandMin: 0,
		bandMax: model.bands.length - 1, off: [], idle: model.start.idle, thing: '', line: 0, process: '', thread: '',
		middle: '', only: '', without: '', sort: 'self', wait: '', heat: ''};
}

/** @param {State} state @param {State} initial */
export function toHash(state, initial) {
	const parts = [];
	for (const [name, first] of Object.entries(initial)) {
		const value = state[/** @type {keyof State} */ (name)];
		if (String(value) === String(first) && !Array.isArray(value)) continue;
		if (Array.isArray(value)) {
			if (value.length) parts.push(`${name}=${value.map(encode).join(';')}`);
		} else {
			parts.push(`${name}=${encode(value === true ? 1 : value === false ? 0 : value)}`);
		}
	}
	return parts.join('&');
}

function encode(/** @type {any} */ value) {
	return encodeURIComponent(String(value)).replaceAll('%20', '+').replace(/%(3A|2F|2C|40|5B|5D)/g,
		(code) => decodeURIComponent(code));
}

function decode(/** @type {string} */ text) {
	try {
		return decodeURIComponent(text.replaceAll('+', ' '));
	} catch {
		return text;
	}
}

/** Words that do not fit are ignored: a link can come from anywhere. @param {string} hash @param {State} initial @returns {State} */
export function fromHash(hash, initial) {
	/** @type {any} */
	const state = {...initial};
	for (const part of hash.replace(/^#/, '').split('&')) {
		const at = part.indexOf('=');
		const name = part.slice(0, at), text = part.slice(at + 1);
		if (at < 1 || !Object.hasOwn(initial, name)) continue;
		const first = /** @type {any} */ (initial)[name];
		if (Array.isArray(first)) state[name] = text.split(';').filter(Boolean).map(decode);
		else if (typeof first === 'boolean') state[name] = text === '1';
		else if (typeof first === 'number') state[name] = Number.parseInt(text, 10);
		else state[name] = decode(text);
	}
	return bound(state, initial);
}

function bound(/** @type {any} */ state, /** @type {State} */ initial) {
	const within = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high,
		/** @type {number} */ other) => value >= low && value <= high ? value : other;
	state.from = within(state.from, 0, initial.to - 1, 0);
	state.to = within(state.to, state.from + 1, initial.to, initial.to);
	state.bandMin = within(state.bandMin, 0, initial.bandMax, 0);
	state.bandMax = within(state.bandMax, state.bandMin, initial.bandMax, initial.bandMax);
	state.line = within(state.line, 0, Number.MAX_SAFE_INTEGER, 0);
	if (!['show', 'hide', 'only'].includes(state.idle)) state.idle = initial.idle;
	return state;
}
