// SPDX-License-Identifier: GPL-2.0-or-later
// What some threads did when: for the small strips in the list of threads, of which only those in sight are made.
import {classOf, FIRST_REASON, judge, SAMPLE} from './weigh.js';

/**
 * By group of threads and class of time, what of each column it has; idle time that is set aside is the last class.
 * @param {any} model @param {import('./weigh.js').Filter} filter its range does not count @param {number[][]} groups of threads; no thread is in two
 * @returns {Float64Array[][]} by group, class, column
 */
export function threadSeries(model, filter, groups) {
	const aside = FIRST_REASON + model.reasons.length;
	const sums = groups.map(() => Array.from({length: aside + 1}, () => new Float64Array(model.buckets)));
	const groupOf = new Int32Array(model.threads.length).fill(-1);
	groups.forEach((threads, group) => threads.forEach((thread) => { groupOf[thread] = group; }));
	const verdicts = judge(model, filter);
	const {bucket, key: keyOf, total, rows} = model.cells, {kind, thread} = model.keys;
	const classes = Array.from(model.kinds.state, (state, one) => state === SAMPLE ? -1 : classOf(model, one));
	for (let row = 0; row < rows; row++) {
		const key = keyOf[row], group = groupOf[thread[key]], class_ = classes[kind[key]];
		if (group < 0 || class_ < 0 || !verdicts[key]) continue;
		sums[group][verdicts[key] === 2 ? aside : class_][bucket[row]] += total[row];
	}
	return sums;
}
