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
	element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
}

// Letters of the page in px, unless the window is very wide.
const USUAL_REM = 15;

/** How much larger than usual the page's letters are: canvases grow with them. */
export function letterScale() {
	return parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_REM || 1;
}

/** What tells an element from others, also when all of them are made anew. @param {Element} element */
function identity(element) {
	const {tagName, id} = element, data = /** @type {HTMLElement} */ (element).dataset;
	return `${tagName} ${id || data.class || data.tab || data.view || element.getAttribute('aria-label') || element.textContent}`;
}

/** Runs a change that makes parts of the page anew; what had the keyboard has it afterwards. @param {() => void} change */
export function keepFocus(change) {
	const active = document.activeElement;
	const wanted = active && active !== document.body ? identity(active) : '';
	change();
	if (!active || !wanted || active.isConnected) return;
	const same = [...document.querySelectorAll(active.tagName)].find((other) => identity(other) === wanted);
	if (same) /** @type {HTMLElement} */ (same).focus({preventScroll: true});
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
