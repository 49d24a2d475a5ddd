// SPDX-License-Identifier: GPL-2.0-or-later
// A map from two whole numbers to one, for tables of a million: arrays of numbers instead of objects.

export class PairMap {
	constructor(room = 1024) {
		this.count = 0;
		this.mask = 0;
		this.first = this.second = this.value = new Int32Array(0);
		this.make(room);
	}

	/** @param {number} room a power of two */
	make(room) {
		this.mask = room - 1;
		this.first = new Int32Array(room);
		this.second = new Int32Array(room);
		this.value = new Int32Array(room).fill(-1);
	}

	/** @param {number} a @param {number} b */
	slot(a, b) {
		let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b + 0x7f4a7c15, 0x85ebca6b);
		hash ^= hash >>> 15;
		hash = Math.imul(hash, 0x2c1b3c6d);
		let at = (hash ^ hash >>> 13) & this.mask;
		while (this.value[at] >= 0 && (this.first[at] !== a || this.second[at] !== b))
			at = at + 1 & this.mask;
		return at;
	}

	/** The value, or -1. @param {number} a @param {number} b */
	get(a, b) {
		return this.value[this.slot(a, b)];
	}

	/** @param {number} a @param {number} b @param {number} value from 0 up */
	set(a, b, value) {
		const at = this.slot(a, b);
		if (this.value[at] < 0) {
			this.first[at] = a;
			this.second[at] = b;
			this.count++;
		}
		this.value[at] = value;
		if (this.count * 3 > this.mask * 2) this.grow();
	}

	grow() {
		const {first, second, value} = this;
		this.make((this.mask + 1) * 2);
		for (let i = 0; i < value.length; i++) {
			if (value[i] < 0) continue;
			const at = this.slot(first[i], second[i]);
			this.first[at] = first[i];
			this.second[at] = second[i];
			this.value[at] = value[i];
		}
	}
}
