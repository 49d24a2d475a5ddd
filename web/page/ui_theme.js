// SPDX-License-Identifier: GPL-2.0-or-later
// Light and dark: as the system has it, unless the reader chose. Paper is always light.

/** Is the page dark now? */
export function isDarkNow() {
	return getComputedStyle(document.documentElement).getPropertyValue('--dark').trim() === '1';
}

/** What the reader chose before. */
export function readTheme() {
	try {
		const theme = localStorage.getItem('dwell-theme');
		if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
	} catch {
		// Some browsers allow no storage for files.
	}
}

export function toggleTheme() {
	const theme = isDarkNow() ? 'light' : 'dark';
	document.documentElement.dataset.theme = theme;
	try {
		localStorage.setItem('dwell-theme', theme);
	} catch {
		// As above.
	}
}

/** Pictures are painted for the paper and then for the screen again. @param {() => void} toPaper @param {() => void} toScreen */
export function printLight(toPaper, toScreen) {
	const root = document.documentElement;
	/** @type {string | undefined} */
	let theme;
	window.addEventListener('beforeprint', () => {
		theme = root.dataset.theme;
		root.dataset.theme = 'light';
		toPaper();
	});
	window.addEventListener('afterprint', () => {
		if (theme) root.dataset.theme = theme;
		else delete root.dataset.theme;
		toScreen();
	});
}
