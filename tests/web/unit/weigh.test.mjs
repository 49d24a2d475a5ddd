// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bucketAt, bucketMoment, bucketNs, bucketPlace} from '../../../web/page/buckets.js';
import {classTotal, openFilter, overTime, portion, weigh} from '../../../web/page/weigh.js';
import {model} from './model.mjs';

const DISK = 4, FUTEX = 5, SLEEP = 6;
const at = (changes) => {
	const data = model();
	return weigh(data, {...openFilter(data), ...changes});
};

test('an open filter counts everything, to the nanosecond', () => {
	const weights = at({});
	assert.equal(classTotal(weights, 0), 1250000001n);
	assert.equal(classTotal(weights, DISK), 500000007n);
	assert.equal(classTotal(weights, SLEEP), 1749000000n);
	assert.equal(weights.total, 1250000001 + 500000007 + 1749000000 + 2e9 + 1000 + 999000);
});

test('idle is set aside, shown, or alone', () => {
	const hidden = at({idle: 'hide'});
	assert.equal(classTotal(hidden, SLEEP), 0n);
	assert.equal(hidden.asideS * 1e9 + hidden.asideNs, 1749000000);
	assert.equal(hidden.threadNs[7], 1749000000);
	assert.equal(at({idle: 'only'}).total, 1749000000);
});

test('running time is divided among a thread\'s samples, and nothing is lost', () => {
	const {ns} = at({});
	assert.equal(ns[0], 0);
	assert.equal(ns[1] + ns[2], 1000000001);
	assert.equal(ns[1], 333333333);
	assert.equal(ns[6], 250000000, 'without samples it stays');
});

test('portions are exact where a product would leave 2^53', () => {
	assert.equal(portion(9007199254740991, 99999, 100000), Number(9007199254740991n * 99999n / 100000n));
	assert.equal(portion(10, 1, 3), 3);
	assert.equal(portion(0, 1, 3), 0);
});

test('bands choose among waits and leave running time alone', () => {
	const weights = at({bandMin: 4});
	assert.equal(classTotal(weights, DISK), 500000000n);
	assert.equal(classTotal(weights, 1), 0n);
	assert.equal(classTotal(weights, 0), 1250000001n);
});

test('classes can be left out by their words', () => {
	const weights = at({off: new Set(['runnable', 'disk'])});
	assert.equal(classTotal(weights, DISK), 0n);
	assert.equal(classTotal(weights, 1) + classTotal(weights, 2), 0n);
	assert.equal(classTotal(weights, FUTEX), 2000000000n);
});

test('time is in the class that people call it by', () => {
	const data = model(), futex = 3;
	data.kinds.called[futex] = 1;
	const weights = weigh(data, openFilter(data));
	assert.equal(classTotal(weights, FUTEX), 0n);
	assert.equal(classTotal(weights, DISK), 2500000007n);
});

test('ranges of time add up to the whole', () => {
	const whole = at({});
	for (const class_ of [0, 1, 2, DISK, FUTEX, SLEEP]) {
		let sum = 0n;
		for (let bucket = 0; bucket < 4; bucket++) sum += classTotal(at({from: bucket, to: bucket + 1}), class_);
		assert.equal(sum, classTotal(whole, class_), `class ${class_}`);
	}
});

test('samples of a range divide the running time of that range', () => {
	const {ns} = at({from: 0, to: 1});
	assert.equal(ns[1] + ns[2], 1000000001);
	assert.equal(at({from: 2, to: 3}).ns[6], 250000000);
});

test('threads can be chosen', () => {
	assert.equal(at({passes: (thread) => thread.comm === 'app'}).total, 1000000001 + 500000007 + 1000);
});

test('sums of more than 2^53 ns are exact', () => {
	const data = model();
	data.keys.s[7] = 9e9;
	data.keys.ns[7] = 1;
	assert.equal(classTotal(weigh(data, openFilter(data)), FUTEX), 9000000000000000001n);
});

test('columns are equally long but the last, which ends with the recording', () => {
	const data = {from_ns: 5e8, to_ns: 3e9, buckets: 3, bucket_ns: 1e9};
	assert.deepEqual([0, 1, 2].map((bucket) => bucketNs(data, bucket)), [1e9, 1e9, 5e8]);
	assert.deepEqual([0, 1, 2, 3].map((bucket) => bucketPlace(data, bucket)), [0, 0.4, 0.8, 1]);
	assert.deepEqual([-1, 0, 0.39, 0.41, 0.79, 0.81, 1, 2].map((place) => bucketAt(data, place)), [0, 0, 0, 1, 1, 2, 2, 2]);
	assert.equal(bucketMoment(data, 3), 3e9);
	const damaged = {from_ns: 0, to_ns: 0, buckets: 1, bucket_ns: 0};
	assert.ok(bucketNs(damaged, 0) > 0 && bucketAt(damaged, 0.5) === 0 && bucketPlace(damaged, 1) === 1);
});

test('the strip has each class in its bucket, whatever range is chosen', () => {
	const data = model();
	const {sums, aside} = overTime(data, {...openFilter(data), from: 2, to: 3, idle: 'hide'});
	assert.deepEqual([...sums[FUTEX]], [1e9, 1e9, 0, 0]);
	assert.deepEqual([...aside], [0, 0, 1e9, 749000000]);
});
