// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {parseData, Reader, unpack} from '../../../web/page/data.js';
import {CELLS, encode, HEAD, KEYS, model, NODES, tables} from './model.mjs';

test('numbers are read up to 2^53, with their signs', () => {
	const head = {...HEAD};
	const values = [0, 1, 127, 128, 16383, 16384, 2 ** 31, 2 ** 40 + 3, 2 ** 53 - 1];
	const bytes = encode(head, {...tables(), wide: {ns: ['plain', values]}});
	assert.deepEqual([...parseData(bytes).wide.ns], values);
	const signed = new Reader(new Uint8Array([0, 1, 2, 3]), 0);
	assert.deepEqual([0, 1, 2, 3].map(() => signed.signed()), [0, -1, 1, -2]);
});

test('tables come out as they went in, whatever their encoding', () => {
	const {nodes, keys, cells, starts} = model();
	assert.deepEqual([...nodes.parent], NODES.map((row) => row[0]));
	assert.deepEqual([...keys.node], KEYS.map((row) => row[2]));
	assert.deepEqual([...keys.total], KEYS.map((row) => row[4] * 1e9 + row[5]));
	assert.deepEqual([...cells.key], CELLS.map((row) => row[1]));
	assert.deepEqual([...starts], [0, 4, 8, 11, 12]);
});

test('data that is cut short, or of another version, is an error with a sentence', () => {
	const bytes = encode(HEAD, tables());
	assert.throws(() => parseData(bytes.subarray(0, bytes.length - 3)), /cut short/);
	assert.throws(() => parseData(new Uint8Array(2)), /missing/);
	assert.throws(() => parseData(encode({...HEAD, version: 99}, tables())), /version 99/);
});

test('threads have names for each way of naming, without semicolons', () => {
	const head = {...HEAD, threads: [{comm: 'a;b', process: 'p', pid: 3, tid: 4, container: '0123456789abcdef'}, {comm: '', process: 'p', threads: 7}]};
	const [one, folded] = parseData(encode(head, tables())).threads;
	assert.deepEqual(one.names, {comm: 'a:b', name: 'p', process: 'p-3', thread: 'a:b-3/4', container: '0123456789ab'});
	assert.equal(folded.names.thread, '[no name] (7 more)');
	assert.equal(folded.count, 7);
});

test('gzip and base64 come off', async () => {
	const packed = gzipSync(encode(HEAD, tables())).toString('base64');
	assert.equal((await unpack(packed)).keys.rows, KEYS.length);
});
