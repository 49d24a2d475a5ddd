// SPDX-License-Identifier: GPL-2.0-or-later
// Columns of time: all are equally long but the last one, which ends where the recording does.

/** From the beginning of the page's time, in ns, to where a column begins; of the number of columns: to the end. @param {any} model @param {number} bucket */
export function bucketStart({from_ns, to_ns, bucket_ns}, bucket) {
	return Math.min(bucket * bucket_ns, spanOf({from_ns, to_ns, bucket_ns}, bucket));
}

/** All of the page's time, in ns; of a damaged recording, which may have none, at least the columns asked for. */
function spanOf(/** @type {any} */ {from_ns, to_ns, bucket_ns}, /** @type {number} */ buckets) {
	return to_ns > from_ns ? to_ns - from_ns : Math.max(buckets * bucket_ns, 1);
}

/** @param {any} model @param {number} bucket */
export function bucketNs(model, bucket) {
	return Math.max(bucketStart(model, bucket + 1) - bucketStart(model, bucket), 1);
}

/** Where a column begins, as a part of the width of all of them. @param {any} model @param {number} bucket */
export function bucketPlace(model, bucket) {
	return bucket >= model.buckets ? 1 : bucketStart(model, bucket) / spanOf(model, model.buckets);
}

/** The column at a part of the width. @param {any} model @param {number} place */
export function bucketAt(model, place) {
	const at = model.bucket_ns ? Math.floor(place * spanOf(model, model.buckets) / model.bucket_ns) : 0;
	return Math.max(0, Math.min(model.buckets - 1, at));
}

/** A moment of the recording, in ns. @param {any} model @param {number} bucket */
export function bucketMoment(model, bucket) {
	return model.from_ns + bucketStart(model, bucket);
}
