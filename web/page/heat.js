// SPDX-License-Identifier: GPL-2.0-or-later
// Time folded by the second: a column is a second of the recording, a row an offset within it. What comes back every second,
// or at the same moment of it, lies in a row.
import {bucketMoment, bucketNs} from './buckets.js';
import {className, RUNNING} from './weigh.js';

const SECOND = 1e9;
// Fewer rows, or columns, show nothing that the strip does not.
const LEAST_ROWS = 5;
const LEAST_COLUMNS = 10;
export const ALL_WAITS = 'waits';

/** Rows and columns; null where they would say nothing new. @param {any} model @returns {{rows: number, columns: number, first: number} | null} first: the cell of the first bucket */
export function heatShape(model) {
	const {bucket_ns, buckets, from_ns} = model;
	if (!bucket_ns || SECOND % bucket_ns || from_ns % bucket_ns) return null;
	const rows = SECOND / bucket_ns, first = from_ns % SECOND / bucket_ns, columns = Math.ceil((first + buckets) / rows);
	return rows >= LEAST_ROWS && columns >= LEAST_COLUMNS ? {rows, columns, first} : null;
}

/** Where a bucket lies: row 0 is the beginning of the second. @param {{rows: number, first: number}} shape @param {number} bucket */
export function heatCell({rows, first}, bucket) {
	return {column: Math.floor((first + bucket) / rows), row: (first + bucket) % rows};
}

/** The bucket of a cell, the nearest one where there is none. @param {any} model @param {{rows: number, first: number}} shape @param {number} column @param {number} row */
export function heatBucket(model, {rows, first}, column, row) {
	return Math.max(0, Math.min(model.buckets - 1, column * rows + row - first));
}

/** How many threads at once were in a sort of time, by bucket. @param {any} model @param {{sums: Float64Array[]}} series @param {string} word a class, or ALL_WAITS */
export function heatValues(model, {sums}, word) {
	const values = new Float64Array(model.buckets);
	sums.forEach((one, class_) => {
		if (word === ALL_WAITS ? class_ === RUNNING : className(model, class_) !== word) return;
		for (let bucket = 0; bucket < values.length; bucket++) values[bucket] += one[bucket];
	});
	return values.map((ns, bucket) => ns / bucketNs(model, bucket));
}

/** The second that a column is, in ns. @param {any} model @param {number} column */
export function heatSecond(model, column) {
	return (Math.floor(bucketMoment(model, 0) / SECOND) + column) * SECOND;
}
