// SPDX-License-Identifier: GPL-2.0-or-later
// Where the figures come from, what they cost, and what was left out.
import {h} from './dom.js';
import {count, duration} from './format.js';

/** @param {any} model */
export function footer(model) {
	const {recording} = model;
	const line = (/** @type {string} */ word, /** @type {string} */ text) => text ? h('div', {}, h('dt', {}, word), h('dd', {}, text)) : null;
	const folds = [model.folded.threads ? `${count(model.folded.threads)} threads folded by name` : '', model.folded.keys ? `${count(model.folded.keys)} small stacks as [other]` : '',
		model.folded.cells ? `in ranges of time, ${duration(model.folded.cells_weight)} of small stacks as [other]` : ''].filter(Boolean).join('; ');
	return h('footer', {}, h('dl', {}, line('recorded with', recording.command_line), line('page made with', recording.made_by), line('recording', recording.file ? `${recording.file} (look again: dwell report ${recording.file})` : ''),
		line('begun', recording.start_unix_ms ? new Date(recording.start_unix_ms).toISOString().replace('T', ' ').replace(/\.\d+Z/, ' UTC') : ''),
		line('samples', recording.sample_hz ? `${recording.sample_hz} a second and CPU, ${recording.sample_event}` : 'none'), line('user stacks', `${recording.user_stacks}; ${(100 * recording.complete_user_stacks).toFixed(1)} % complete`),
		line('cost', `${recording.cost_us_per_switch.toFixed(2)} us per switch; with dwell itself ${(100 * recording.cost_share_of_one_cpu).toFixed(1)} % of one CPU`), line('dwell', recording.dwell_version), line('left out', folds),
		recording.is_redacted ? line('redacted', 'paths, command lines, containers and the host are left out') : null));
}
