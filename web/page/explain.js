// SPDX-License-Identifier: GPL-2.0-or-later
// What lines of waits were for, of whatever is chosen: who was the cause, and what it did meanwhile. The
// rules are those of src/profile/summary/explain.c and the words those of render/report/report_causes.c; what the
// page does not hold is left out: which function a cause ran in, what exactly it waited for, where else to look.
import {wakerName} from './chains.js';
import {BLOCKED} from './weigh.js';

const MOST_HOLDERS = 3;
const MOST_DOINGS = 3;
const LEAST_PERCENT = 5;
const MUCH_PERCENT = 20;
// Less of the waits than this is in the range: what their causes did when is not known, only their shares of whole waits.
const WHOLE_PART = 0.9;
const NOTED_PART = 0.05;
// Waits that are what they are, whoever ends them.
const NOT_HANDED_ON = ['disk', 'journal', 'sleep', 'page fault', 'stopped', 'kernel'];
const NOT_FOR_THREADS = ['disk', 'journal', 'sleep'];

/**
 * @typedef {{kind: number, name: string, reason: string, operation: string, spot: string, rootKind: number, rootName: string,
 *   ran: number, nocpu: number, waited: number}} Cause
 * @typedef {{causes: Cause[], open: number, forgotten: number, byEnd: Map<string, number>, isHeld: boolean, isOfWhole: boolean}} Explanation
 * "open" is what is not explained, by how its chains end; "forgotten" is the part that a waker did not remember; "isOfWhole": causes
 * have the shares of these waits as a whole, of which only a part is looked at.
 */

/** Has more than one a share? What one alone is the cause of is its in any part of the time. @param {any} shares @param {number} first @param {number} count */
function isDivided({ran, nocpu, earlier}, first, count) {
	let number = ran[first + count] ? 1 : 0;
	for (let at = first; at < first + count && number < 2; at++) number += (ran[at] ? 1 : 0) + (nocpu[at] ? 1 : 0) + (earlier[at] ? 1 : 0);
	return number > 1;
}

/** Of each chain of each wanted line what its hops ran, had no CPU, did not remember, and the rest; and of lines what has no chain. @param {any} model @param {any} weights @param {Int32Array} lineOf @param {Set<number>} wanted */
function sumChains(model, weights, lineOf, wanted) {
	const {keys, kinds, chains, shares} = model;
	/** @type {Map<number, {chains: Map<number, Float64Array>, without: number, ns: number, divided: number, dividedWhole: number}>} */
	const lines = new Map([...wanted].map((place) => [place, {chains: new Map(), without: 0, ns: 0, divided: 0, dividedWhole: 0}]));
	for (let key = 0; key < keys.rows; key++) {
		const part = weights.ns[key], line = part ? lines.get(lineOf[key]) : undefined;
		if (!line || kinds.state[keys.kind[key]] !== BLOCKED) continue;
		const number = keys.chain[key] - 1;
		line.ns += part;
		if (number < 0) {
			line.without += part;
			continue;
		}
		const count = chains.count[number], scale = part / (keys.total[key] || 1), first = keys.share[key];
		let sums = line.chains.get(number);
		if (!sums) line.chains.set(number, sums = new Float64Array(3 * count + 1));
		for (let hop = 0; hop < count; hop++) {
			sums[3 * hop] += shares.ran[first + hop] * scale;
			sums[3 * hop + 1] += shares.nocpu[first + hop] * scale;
			sums[3 * hop + 2] += shares.earlier[first + hop] * scale;
		}
		sums[3 * count] += shares.ran[first + count] * scale;
		if (!isDivided(shares, first, count)) continue;
		line.divided += part;
		line.dividedWhole += keys.total[key];
	}
	return lines;
}

class Explaining {
	/** @param {any} model @param {boolean} isHeld */
	constructor(model, isHeld) {
		this.model = model;
		this.isHeld = isHeld;
		/** @type {Map<string, Cause>} */
		this.causes = new Map();
		/** @type {Map<string, number>} */
		this.byEnd = new Map();
		this.open = this.forgotten = 0;
	}

	leaveOpen(/** @type {string} */ end, /** @type {number} */ ns) {
		if (!(ns > 0)) return;
		this.open += ns;
		this.byEnd.set(end, (this.byEnd.get(end) || 0) + ns);
	}

	isMetal(/** @type {number} */ hop) {
		return this.model.hop_kinds[this.model.hops.kind[hop]][1];
	}

	name(/** @type {number} */ hop) {
		return this.model.labels[this.model.hops.name[hop]];
	}

	/** @param {number} hop that it is @param {any} wait what it waited in @returns {Cause} */
	cause(hop, wait = {}) {
		const cause = {kind: this.model.hops.kind[hop], name: this.name(hop), reason: '', operation: '', spot: '', rootKind: -1, rootName: '', ran: 0, nocpu: 0, waited: 0, ...wait};
		const id = JSON.stringify([this.isMetal(hop) ? cause.kind : -1, cause.name, cause.reason, cause.operation, cause.spot, cause.rootKind, cause.rootName]);
		if (!this.causes.has(id)) this.causes.set(id, cause);
		return /** @type {Cause} */ (this.causes.get(id));
	}

	/** A lock goes from hand to hand; other waits are for whoever is behind them, as long as that is a thread. @param {number} hop */
	isHandedOn(hop) {
		const {hops, reasons} = this.model;
		return this.isHeld ? hops.lock[hop] > 0 : !NOT_HANDED_ON.includes(reasons[hops.reason[hop]][0]);
	}

	/** @param {number} root @param {string} reason */
	isTelling(root, reason) {
		if (!this.isMetal(root)) return this.name(root) && !NOT_FOR_THREADS.includes(reason);
		return !['timer', 'ipi'].includes(this.model.hop_kinds[this.model.hops.kind[root]][0]);
	}

	/** The waker before a hop was itself in a wait, which that hop ended. */
	addWait(/** @type {number} */ hop, /** @type {number} */ last, /** @type {number} */ ns) {
		const {hops, hop_kinds, labels, reasons} = this.model;
		const root = this.isMetal(last) && hop_kinds[hops.kind[last]][0] !== 'timer' ? last : hop;
		const reason = reasons[hops.reason[hop]][0];
		const told = this.isTelling(root, reason) ? {rootKind: hops.kind[root], rootName: this.name(root)} : {};
		if (ns > 0) this.cause(hop - 1, {reason, operation: labels[hops.operation[hop]], spot: labels[hops.spot[hop]], ...told}).waited += ns;
	}

	/** @param {number} number @param {Float64Array} sums */
	addChain(number, sums) {
		const {hops, chains, chain_ends} = this.model;
		const first = chains.first[number], count = chains.count[number];
		for (let i = 0; i < count; i++) {
			const hop = first + i;
			if (i && (this.isMetal(hop) || (hops.waited[hop] && !this.isHandedOn(hop)))) {
				this.addWait(hop, first + count - 1, sums.subarray(3 * i).reduce((a, b) => a + b, 0));
				return;
			}
			this.leaveOpen('earlier', sums[3 * i + 2]);
			this.forgotten += sums[3 * i + 2];
			if (!sums[3 * i] && !sums[3 * i + 1]) continue;
			const cause = this.cause(hop);
			cause.ran += sums[3 * i];
			cause.nocpu += sums[3 * i + 1];
		}
		this.leaveOpen(chain_ends[chains.end[number]][0], sums[3 * count]);
	}
}

/**
 * Of lines of waits, by their places. @param {any} model with waitGroups @param {any} weights @param {import('./lines.js').Line[]} lines
 * @returns {Map<number, Explanation>}
 */
export function explainLines(model, weights, lines) {
	const sums = sumChains(model, weights, model.waitGroups.lineOf, new Set(lines.map((line) => line.place)));
	return new Map(lines.map((line) => {
		const {chains, without, ns, divided, dividedWhole} = /** @type {any} */ (sums.get(line.place)), told = model.lines[line.number - 1];
		const explaining = new Explaining(model, Boolean(told ? told.is_held : line.reason === 'lock'));
		for (const [number, shares] of chains) explaining.addChain(number, shares);
		explaining.leaveOpen('overflow', without);
		const isOfWhole = divided < dividedWhole * WHOLE_PART && divided > ns * NOTED_PART;
		return [line.place, {causes: [...explaining.causes.values()], open: explaining.open, forgotten: explaining.forgotten, byEnd: explaining.byEnd, isHeld: explaining.isHeld, isOfWhole}];
	}));
}

/** Whole percents that add up to 100, the largest rests first. @param {number[]} values */
export function apportion(values) {
	const total = values.reduce((a, b) => a + b, 0);
	if (!(total > 0)) return values.map(() => 0);
	const shares = values.map((value) => Math.floor(value / total * 100));
	const order = values.map((value, i) => i).sort((a, b) => (values[b] / total * 100 - shares[b]) - (values[a] / total * 100 - shares[a]) || a - b);
	for (let left = 100 - shares.reduce((a, b) => a + b, 0), i = 0; left > 0; left--, i++) shares[order[i % order.length]]++;
	return shares;
}

/** "asleep in refresh", "in fdatasync (XLogFlush, disk vda)". @param {any} model @param {Cause} cause */
function waitWords(model, cause) {
	const root = cause.rootKind < 0 ? '' : wakerName(model, /** @type {any} */ ({kind: cause.rootKind, name: cause.rootName}));
	if (cause.reason === 'sleep') return `asleep in ${cause.spot || cause.operation || cause.reason}`;
	if (!cause.operation && root) return `waiting for ${root}${cause.spot ? ` (${cause.spot})` : ''}`;
	const isThread = root && !model.hop_kinds[cause.rootKind][1];
	const inside = [cause.spot, root && `${isThread ? 'for ' : ''}${root}`].filter(Boolean);
	return `in ${cause.operation || cause.reason}${inside.length ? ` (${inside.join(', ')})` : ''}`;
}

/** Somebody, or some metal, with what it did, largest first. @param {any} model @param {Explanation} explanation */
function listHolders(model, {causes, isHeld}) {
	/** @type {Map<string, any>} */
	const holders = new Map();
	for (const cause of causes) {
		const isMetal = model.hop_kinds[cause.kind][1], id = `${isMetal ? cause.kind : ''}/${cause.name}`;
		const name = wakerName(model, /** @type {any} */ (cause)), isTimeout = name === 'its own timer';
		if (!holders.has(id)) holders.set(id, {name, isMetal, isTimeout, isLast: isHeld && isTimeout, ns: 0, percent: 0, doings: new Map()});
		const holder = holders.get(id);
		for (const [words, ns] of /** @type {[string, number][]} */ ([['running', cause.ran], ['without a CPU', cause.nocpu], [cause.waited ? waitWords(model, cause) : '', cause.waited]])) {
			if (!ns) continue;
			holder.ns += ns;
			holder.doings.set(words, (holder.doings.get(words) || 0) + ns);
		}
	}
	for (const holder of holders.values()) holder.doings = [...holder.doings].map(([words, ns]) => ({words, ns, percent: 0})).sort((a, b) => b.ns - a.ns);
	return [...holders.values()].filter((holder) => holder.ns).sort((a, b) => Number(a.isLast) - Number(b.isLast) || b.ns - a.ns);
}

const share = (/** @type {number} */ value) => value ? `${value} %` : '< 1 %';

function doingsText(/** @type {any} */ holder) {
	const isOne = holder.percent < LEAST_PERCENT || holder.doings[0].ns >= holder.ns * 0.95;
	if (isOne) return `: ${holder.doings[0].words}`;
	const shown = holder.doings.filter((/** @type {any} */ doing, /** @type {number} */ i) => i < MOST_DOINGS && (!i || doing.percent));
	const rest = holder.percent - shown.reduce((/** @type {number} */ sum, /** @type {any} */ doing) => sum + doing.percent, 0);
	return `: ${shown.map((/** @type {any} */ doing) => `${doing.words} ${share(doing.percent)}`).join(', ')}${rest ? `, other ${rest} %` : ''}`;
}

function holderText(/** @type {any} */ holder, /** @type {boolean} */ isHeld, /** @type {string} */ who) {
	if (holder.isLast) return `timed out and tried again ${share(holder.percent)}`;
	const before = holder.isMetal ? (holder.isTimeout ? 'until ' : 'for ') : isHeld ? 'held by ' : 'for ';
	return `${before}${!holder.isMetal && holder.name === who ? 'another ' : ''}${holder.name} ${share(holder.percent)}${holder.isMetal ? '' : doingsText(holder)}`;
}

/** The report's sentence about causes, "" if there is none. @param {any} model @param {Explanation} explanation @param {string} who */
export function causeSentence(model, explanation, who) {
	const {isHeld, open, forgotten, byEnd, isOfWhole} = explanation, holders = listHolders(model, explanation);
	const percents = apportion([open, ...holders.flatMap((holder) => holder.doings.map((/** @type {any} */ doing) => doing.ns))]);
	let at = 1;
	for (const holder of holders) for (const doing of holder.doings) holder.percent += doing.percent = percents[at++];
	const [unexplained] = percents, mainEnd = [...byEnd].sort((a, b) => b[1] - a[1])[0]?.[0] || '';
	if (unexplained === 100 && mainEnd === 'not woken') return 'It had not ended when the recording did.';
	const why = mainEnd === 'earlier' && forgotten >= (byEnd.get(mainEnd) || 0) / 2 ? 'too far back to be remembered' : (model.chain_ends.find((/** @type {any[]} */ end) => end[0] === mainEnd) || [])[3] || mainEnd;
	const last = holders.length && holders[holders.length - 1].isLast ? holders.pop() : null;
	const shown = holders.filter((holder, i) => i < MOST_HOLDERS && (!i || holder.percent >= LEAST_PERCENT));
	const parts = shown.map((holder) => holderText(holder, isHeld, who));
	const rest = holders.slice(shown.length).reduce((sum, holder) => sum + holder.percent, 0);
	if (rest && holders.length === shown.length + 1) parts.push(holderText(holders[shown.length], isHeld, who));
	else if (rest) parts.push(`${holders.length - shown.length} others ${rest} %`);
	if (last) parts.push(holderText(last, isHeld, who));
	const isFirst = unexplained > MUCH_PERCENT, notWoken = byEnd.get('not woken') || 0;
	if (unexplained && !isFirst) parts.push(notWoken && notWoken / 9 >= open - notWoken ? `still waiting ${unexplained} %` : `not explained ${unexplained} % (${why})`);
	const upper = (/** @type {string} */ words) => `${words[0].toUpperCase()}${words.slice(1)}`;
	const text = parts.length ? `${isOfWhole && !isFirst ? `Of these waits as a whole: ${parts[0]}` : upper(parts[0])}${parts.slice(1).map((part) => `; ${part}`).join('')}.` : '';
	const first = isOfWhole ? `Of these waits as a whole ${unexplained} % is not explained (${why}).` : `Not explained: ${unexplained} % (${why}).`;
	return [isFirst ? first : '', text].filter(Boolean).join(' ');
}
