// SPDX-License-Identifier: GPL-2.0-or-later
// The report's tables for any filter: why threads waited, and which processes there are.
import {groupWaits, heaviest} from './wait_groups.js';
import {BLOCKED} from './weigh.js';

/**
 * @typedef {{name: string, reason: string, called: string, operation: string, known: string, number: number, isRest: boolean, isRunnable: boolean, ns: number,
 *   count: number, max: number, bands: Float64Array, node: number, nodeNs: number, member: string, place: number, stackNs: Float64Array}} Line
 * `member` is one of the names that the line stands for: of a thread in its heaviest stack. `place` is the line's among all
 * lines, `stackNs` the time of each stack of all lines.
 */

/**
 * The report's lines, and of idle waits those of one name, reason and operation, largest first; `max` is of the
 * whole recording.
 * @param {any} model @param {any} weights @returns {Line[]}
 */
export function waitLines(model, weights) {
	const {keys} = model;
	/** @type {ReturnType<typeof groupWaits>} */
	const {firstKeys, lineOf, stackOf, stackOwner, stackNode, stackThread} = model.waitGroups || (model.waitGroups = groupWaits(model));
	const stackNs = new Float64Array(stackNode.length);
	const lines = Array.from(firstKeys, (key, place) => ({...newLine(model, keys.thread[key], keys.kind[key]), place, stackNs}));
	for (let key = 0; key < keys.rows; key++) {
		const ns = weights.ns[key];
		if (!ns || lineOf[key] < 0) continue;
		const line = lines[lineOf[key]];
		line.ns += ns;
		line.count += weights.count[key] + (weights.isWhole ? keys.unended[key] : 0);
		if (keys.max[key] > line.max) line.max = keys.max[key];
		if (keys.band[key] < line.bands.length) line.bands[keys.band[key]] += ns;
		stackNs[stackOf[key]] += ns;
	}
	for (let stack = 0; stack < stackNs.length; stack++) {
		const line = lines[stackOwner[stack]], node = stackNode[stack];
		if (stackNs[stack] < line.nodeNs || !stackNs[stack] || (stackNs[stack] === line.nodeNs && node > line.node)) continue;
		line.node = node;
		line.nodeNs = stackNs[stack];
		line.member = model.threads[stackThread[stack]].names.comm;
	}
	return lines.filter((line) => line.ns > 0).sort((a, b) => b.ns - a.ns);
}

// Stacks of a line that are compared with the one that is shown, as the report does.
const MOST_COMPARED = 256;

/** How much of a line has a stack that looks like its heaviest one. @param {any} model @param {Line} line */
export function looksNs(model, line) {
	const {stackOwner, stackNode} = model.waitGroups, shown = stackLine(model, line.node);
	return heaviest(line.stackNs, stackOwner, line.place, MOST_COMPARED)
		.reduce((ns, stack) => ns + (stackLine(model, stackNode[stack]) === shown ? line.stackNs[stack] : 0), 0);
}

function newLine(/** @type {any} */ model, /** @type {number} */ thread, /** @type {number} */ kind) {
	const isRunnable = model.kinds.state[kind] !== BLOCKED;
	const told = model.lines[model.kinds.line[kind] - 1];
	return {name: told ? told.name : model.threads[thread].names.comm, isRunnable, known: told && told.known || '',
		number: model.kinds.line[kind], isRest: Boolean(told && told.is_rest), reason: isRunnable ? 'no CPU' : model.reasons[model.kinds.reason[kind]][0],
		called: isRunnable ? 'runnable' : model.reasons[model.kinds.called[kind]][0],
		operation: isRunnable ? '' : model.labels[model.kinds.operation[kind]], ns: 0, count: 0, max: 0,
		bands: new Float64Array(model.bands.length), node: 0, nodeNs: 0, member: model.threads[thread].names.comm};
}

/** What a line waited in, as the report says it. @param {{known: string, reason: string, operation: string, isRest: boolean}} line */
export function lineWords({known, reason, operation, isRest}) {
	const words = known || (operation && operation !== reason ? `${reason}, in ${operation}` : reason);
	return isRest ? `${words}, elsewhere` : words;
}

/** Labels of a stack of the data, root first. @param {any} model @param {number} node */
export function stackLabels(model, node) {
	const labels = [];
	for (; node > 0; node = model.nodes.parent[node])
		labels.push(model.labels[model.frames.label[model.nodes.frame[node]]]);
	return labels.reverse();
}

const LONGEST = 60;
const ENTRY = /^(_start|__libc_start|start_thread|clone|__clone|thread_start)/;
const NOISE = /^(entry_SYSCALL|do_syscall_64|x64_sys_call|__(x64|arm64|do|se)_sys_|__ia32_|ksys_|el0|invoke_syscall|asm_exc_|exc_page_fault|do_user_addr_fault|ret_from_fork|schedule|__schedule|io_schedule|do_el0_svc|poll_schedule_timeout|kthread$)/;
const GENERIC = /^(do_|__|vfs_|new_sync_|handle_mm_fault|worker_thread|process_one_work|process_scheduled_works|kthread_worker_fn|smpboot_thread_fn|rescuer_thread)/;

/** The frames that tell, in one line: "main > flush > fdatasync". @param {any} model @param {number} node @param {number} most */
export function stackLine(model, node, most = 4) {
	const user = [], kernel = [], telling = [];
	for (; node > 0; node = model.nodes.parent[node]) {
		const frame = model.nodes.frame[node], label = model.labels[model.frames.label[frame]];
		if (model.nodes.kind[node] === 2) kernel.unshift(label);
		else user.unshift(label);
		if (model.nodes.kind[node] === 1 && !model.frames.plumbing[frame]) telling.unshift(label);
	}
	const own = telling.length ? telling : user.filter((label) => !ENTRY.test(label) && !/^\[(broken|cut)\]/.test(label));
	const told = kernel.filter((label) => !NOISE.test(label));
	const operation = told.find((label) => !GENERIC.test(label)) || told[0];
	const shown = own.slice(-most).map((label) => label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label);
	if (own.length > most || user.some((label) => /^\[(broken|cut)\]/.test(label))) shown.unshift('...');
	if (operation && !telling.length) shown.push(operation);
	return shown.join(' > ');
}

/** Has a thread any time in what is chosen, counted or set aside? Folded threads are there together. @param {any} model @param {any} weights @param {number} i */
export function isThere(model, {threadNs, isWhole}, i) {
	const {life_s, life_ns} = model.threads[i];
	return threadNs.subarray(i * 4, i * 4 + 4).some((/** @type {number} */ ns) => ns > 0) || (isWhole && !life_s && !life_ns);
}

/**
 * Processes of one name with their threads, largest busy time first.
 * @param {any} model @param {any} weights
 */
export function processLines(model, weights) {
	/** @type {Map<string, any>} */
	const lines = new Map();
	model.threads.forEach((/** @type {any} */ thread, /** @type {number} */ i) => {
		const name = thread.names.name;
		let line = lines.get(name);
		if (!line)
			lines.set(name, line = {name, threads: [], count: 0, running: 0, runnable: 0, blocked: 0,
				aside: 0, isKernel: Boolean(thread.is_kernel), reasons: new Map()});
		line.threads.push(i);
		if (isThere(model, weights, i)) line.count += thread.count;
		['running', 'runnable', 'blocked', 'aside'].forEach((word, at) => {
			line[word] += weights.threadNs[i * 4 + at];
		});
	});
	const {keys, kinds} = model, {ns} = weights;
	const all = [...lines.values()], reasons = model.reasons.length;
	const lineNumbers = new Map(all.map((line, i) => [line.name, i]));
	const places = Int32Array.from(model.threads, (thread) => /** @type {number} */ (lineNumbers.get(thread.names.name)) * reasons);
	const sums = new Float64Array(all.length * reasons);
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key];
		if (ns[key] && kinds.state[kind] === BLOCKED) sums[places[keys.thread[key]] + kinds.called[kind]] += ns[key];
	}
	all.forEach((line, i) => {
		for (let reason = 0; reason < reasons; reason++)
			if (sums[i * reasons + reason]) line.reasons.set(reason, sums[i * reasons + reason]);
	});
	const busy = (/** @type {any} */ line) => line.running + line.runnable + line.blocked;
	return all.sort((a, b) => busy(b) - busy(a) || b.aside - a.aside);
}
