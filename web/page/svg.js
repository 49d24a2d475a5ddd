// SPDX-License-Identifier: GPL-2.0-or-later
// The picture as it is, as an SVG file of its own.
import {percent} from './format.js';
import {KERNEL} from './trie.js';

const SVG_ROW = 18;

export function escapeXml(/** @type {string} */ text) {
	return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
		// eslint-disable-next-line no-control-regex
		.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '?');
}

/**
 * @param {import('./tree.js').Weighted} tree @param {import('./layout.js').Layout} layout
 * @param {string[]} texts @param {{width: number, isIcicle: boolean, title: string, amount: (value: number) => string, colorOf: (node: number, name: string, kind: number) => string, legend?: {color: string, text: string}[]}} options
 *   amount: a weight in words; colorOf: of a box; legend: what colours say, where they do not tell kernel code, which has a bar then
 */
export function svgText(tree, layout, texts, {width, isIcicle, title, amount, colorOf, legend = []}) {
	const head = legend.length ? 2 : 1, height = (layout.rows.length + head + 1) * SVG_ROW;
	const whole = tree.totalOf(0);
	const parts = [`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
		`viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="12">`,
	`<title>${escapeXml(title)}</title><rect width="100%" height="100%" fill="#fff"/>`,
	`<text x="4" y="14">${escapeXml(title)}</text>`];
	let at = 4;
	for (const {color, text} of legend) {
		if (at > width) break;
		parts.push(`<g class="legend"><rect x="${at}" y="22" width="10" height="10" fill="${color}"/><text x="${at + 14}" y="32">${escapeXml(text)}</text></g>`);
		at += 30 + 7.3 * text.length;
	}
	for (const box of layout.boxes) {
		const y = isIcicle ? (box.row + head + 0.5) * SVG_ROW : height - (box.row + 1) * SVG_ROW - 4;
		const name = box.node > 0 ? texts[tree.trie.label[box.node]] : box.node ? '…' : 'all';
		const kind = box.node > 0 ? tree.trie.kind[box.node] : 3;
		const room = Math.floor((box.width - 6) / 7.3);
		const label = room < 3 ? '' : name.length <= room ? name : `${name.slice(0, room - 1)}…`;
		const told = box.node >= 0 ? `${name}: ${amount(tree.totalOf(box.node))}, ` +
			`${percent(tree.totalOf(box.node), whole)}` : `${box.thin} frames too thin to draw`;
		parts.push(`<g><title>${escapeXml(told)}</title><rect x="${box.x.toFixed(2)}" y="${y}" ` +
			`width="${Math.max(box.width - 0.5, 0.3).toFixed(2)}" height="${SVG_ROW - 1}" rx="1" ` +
			`fill="${colorOf(box.node, name, kind)}"/>` +
			(legend.length && (kind & 3) === KERNEL && box.width > 14 ? `<rect x="${box.x.toFixed(2)}" y="${y}" width="2" height="${SVG_ROW - 1}"/>` : '') +
			(label ? `<text x="${(box.x + 3).toFixed(2)}" y="${y + 13}">${escapeXml(label)}</text>` : '') +
			'</g>');
	}
	parts.push('</svg>');
	return `${parts.join('\n')}\n`;
}
