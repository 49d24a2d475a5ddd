// SPDX-License-Identifier: GPL-2.0-or-later
// Elements. Text is only ever set as text, so names from a recording stay names.

/**
 * h('button', {class: 'x', onclick: f, 'aria-pressed': true}, 'text', child)
 * @param {string} tag @param {Record<string, any>} properties @param {...any} children
 * @returns {any}
 */
export function h(tag, properties = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties)) {
		if (value === undefined || value === null || value === false) continue;
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
		else if (name === 'width%') element.style.width = `${value}%`;
		else if (name === 'color') element.style.setProperty('--c', value);
		else if (name === 'value') /** @type {any} */ (element).value = value;
		else element.setAttribute(name, value === true ? '' : String(value));
	}
	element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

/** A <select> from [value, text] pairs. @param {string} label @param {[string, string][]} choices @param {string} chosen @param {(value: string) => void} change */
export function select(label, choices, chosen, change) {
	const element = h('select', {'aria-label': label,
		onchange: () => change(element.value)},
	choices.map(([value, text]) => h('option', {value, selected: value === chosen}, text)));
	element.value = chosen;
	return element;
}

/** A button that is on or off. @param {string} text @param {boolean} isOn @param {() => void} click @param {string} title */
export function toggle(text, isOn, click, title = '') {
	return h('button', {class: 'toggle', 'aria-pressed': String(isOn), onclick: click, title}, text);
}

/** Gives a file to the reader. @param {string} name @param {string} type @param {string} text */
export function saveFile(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], {type}));
	const link = h('a', {href: url, download: name});
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Text to the clipboard; false where that is not allowed. @param {string} text */
export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = h('textarea', {class: 'aside'});
		area.value = text;
		document.body.append(area);
		area.select();
		const isDone = document.execCommand('copy');
		area.remove();
		return isDone;
	}
}
