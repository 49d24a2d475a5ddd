// SPDX-License-Identifier: GPL-2.0-or-later
// The report's tables for any filter: why threads waited, and which processes there are.
import {BLOCKED, RUNNING, SAMPLE} from './weigh.js';

/**
 * @typedef {{name: string, reason: string, operation: string, isRunnable: boolean, ns: number,
 *   count: number, max: number, bands: Float64Array, node: number, nodeNs: number}} Line
 */

/**
 * Waits of one name, reason and operation, largest first; `max` is of the whole recording.
 * @param {any} model @param {any} weights @returns {Line[]}
 */
export function waitLines(model, weights) {
	const {keys, kinds} = model;
	/** @type {Map<string, Line>} */
	const lines = new Map();
	/** @type {Map<Line, Map<number, number>>} */
	const stacks = new Map();
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key], state = kinds.state[kind];
		if (state === RUNNING || state === SAMPLE || !weights.ns[key]) continue;
		const isRunnable = state !== BLOCKED;
		const name = model.threads[keys.thread[key]].names.comm;
		const id = `${isRunnable ? '' : `${kinds.reason[kind]}/${kinds.operation[kind]}`};${name}`;
		let line = lines.get(id);
		if (!line) {
			lines.set(id, line = {name, isRunnable, reason: isRunnable ? 'no CPU' :
				model.reasons[kinds.reason[kind]][0], operation: isRunnable ? '' :
				model.labels[kinds.operation[kind]], ns: 0, count: 0, max: 0,
			bands: new Float64Array(model.bands.length), node: 0, nodeNs: 0});
			stacks.set(line, new Map());
		}
		line.ns += weights.ns[key];
		line.count += weights.count[key] + (weights.isWhole ? keys.unended[key] : 0);
		line.max = Math.max(line.max, keys.max[key]);
		if (keys.band[key] < line.bands.length) line.bands[keys.band[key]] += weights.ns[key];
		const nodes = /** @type {Map<number, number>} */ (stacks.get(line));
		nodes.set(keys.node[key], (nodes.get(keys.node[key]) || 0) + weights.ns[key]);
	}
	for (const [line, nodes] of stacks)
		for (const [node, ns] of nodes)
			if (ns > line.nodeNs || (ns === line.nodeNs && node < line.node)) {
				line.node = node;
				line.nodeNs = ns;
			}
	return [...lines.values()].sort((a, b) => b.ns - a.ns);
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
	const user = [], kernel = [];
	for (; node > 0; node = model.nodes.parent[node]) {
		const label = model.labels[model.frames.label[model.nodes.frame[node]]];
		if (model.nodes.kind[node] === 2) kernel.unshift(label);
		else user.unshift(label);
	}
	const own = user.filter((label) => !ENTRY.test(label) && !/^\[(broken|cut)\]/.test(label));
	const told = kernel.filter((label) => !NOISE.test(label));
	const operation = told.find((label) => !GENERIC.test(label)) || told[0];
	const shown = own.slice(-most).map((label) => label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label);
	if (own.length > most || user.some((label) => /^\[(broken|cut)\]/.test(label))) shown.unshift('...');
	if (operation) shown.push(operation);
	return shown.join(' > ');
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
		line.count += thread.count;
		['running', 'runnable', 'blocked', 'aside'].forEach((word, at) => {
			line[word] += weights.threadNs[i * 4 + at];
		});
	});
	const {keys, kinds} = model;
	for (let key = 0; key < keys.rows; key++) {
		const kind = keys.kind[key];
		if (kinds.state[kind] !== BLOCKED || !weights.ns[key]) continue;
		const {reasons} = lines.get(model.threads[keys.thread[key]].names.name);
		const reason = kinds.reason[kind];
		reasons.set(reason, (reasons.get(reason) || 0) + weights.ns[key]);
	}
	const busy = (/** @type {any} */ line) => line.running + line.runnable + line.blocked;
	return [...lines.values()].sort((a, b) => busy(b) - busy(a) || b.aside - a.aside);
}
