// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a flame graph interactive: zoom, search, keys, a link to what is shown. All data is in the
// picture itself: a frame is an element of .frames with data-s (start), data-w (weight), data-d
// (depth), data-c (change, in a comparison), data-r and data-q (what ran and what was runnable of the
// weight, where boxes are striped) and a title whose first line is the name. Frames stand
// in the order of the tree, so a frame and all below it are one range of the list.
(() => {
	'use strict';
	const SVG = 'http://www.w3.org/2000/svg';
	const HTML = 'http://www.w3.org/1999/xhtml';
	const KEYS = 'Keys: / search, n N next and previous match, arrows move, Enter zooms, ' +
		'0 resets the zoom, i turns the picture over, Esc leaves the search, then the zoom';

	const svg = (document.currentScript && document.currentScript.ownerSVGElement) ||
		document.documentElement;
	const isPage = svg === document.documentElement;
	const setting = (name) => svg.getAttribute('data-' + name);
	const pad = Number(setting('pad'));
	const frameHeight = Number(setting('frame-height'));
	const barHeight = Number(setting('foot-height'));
	const markWidth = Number(setting('mark-width')); // of frames with marks on their edges
	const stripeWidth = Number(setting('stripe-width')); // of the narrowest frame with stripes
	const gap = Number(setting('gap')); // between neighbours, where there is room
	const fontSize = Number(setting('font-size'));
	const top = Number(setting('top')); // of the frames
	const cutsLeft = setting('cut') === 'left';
	const nameType = setting('name-type');
	const height = Number(svg.getAttribute('height'));
	const footer = svg.querySelector('.foot').textContent;
	const group = svg.querySelector('.frames');

	let width = Number(svg.getAttribute('width'));
	let characterWidth = Number(setting('character-width'));
	let isInverted = setting('inverted') === '1';
	let zoomed = 0; // index of a frame
	let here = -1; // the frame that keys move from
	let hovered = -1;
	let search = null; // a RegExp, or null
	let ignoresCase = false;
	let matches = [];

	// Stripes from left to right: class and weight. Empty if frames are not striped.
	function sharesOf(box) {
		if (!box.hasAttribute('data-r')) return [];
		const [whole, ran, runnable] = ['w', 'r', 'q'].map(
			(letter) => Number(box.getAttribute('data-' + letter)));
		return [['s r', ran], ['s q', runnable], ['s b', whole - ran - runnable]];
	}

	const frames = Array.from(group.children, (box, index) => {
		const lines = box.querySelector('title').textContent.split('\n');
		box.dwellIndex = index;
		return {
			box,
			rect: box.querySelector('rect'),
			text: box.querySelector('text'),
			edge: box.querySelector('.e'),
			shares: sharesOf(box),
			stripes: Object.fromEntries(Array.from(box.querySelectorAll('.s'),
				(stripe) => [stripe.getAttribute('class'), stripe])),
			name: lines[0],
			label: [lines[0], box.getAttribute('data-c')].filter(Boolean).join(' '),
			facts: lines.slice(1).join(', '),
			start: Number(box.getAttribute('data-s')),
			weight: Number(box.getAttribute('data-w')),
			depth: Number(box.getAttribute('data-d')),
			isThin: box.classList.contains('t'),
			left: /\b[kji]\b/.test(box.getAttribute('class')),
			right: box.classList.contains('w'),
			parent: -1,
			end: index + 1,
			state: '',
			isHit: false,
		};
	});

	const deepest = frames.reduce((most, frame) => Math.max(most, frame.depth), 0);
	const legend = Array.from(svg.querySelectorAll('.legend > g'));
	const lines = Array.from(svg.querySelectorAll(':scope > .title, :scope > .soft:not(.foot)'));
	for (const line of lines) line.dwellText = line.textContent;

	function link() {
		const path = [];
		const close = (depth, end) => {
			while (path.length > depth) frames[path.pop()].end = end;
		};
		frames.forEach((frame, index) => {
			close(frame.depth, index);
			frame.parent = path.length ? path[path.length - 1] : -1;
			path.push(index);
		});
		close(0, frames.length);
	}

	// Drawing

	function shorten(name, room) {
		if (room < 3) return '';
		if (name.length <= room) return name;
		const letters = Array.from(name);
		if (letters.length <= room) return name;
		return cutsLeft ? '…' + letters.slice(1 - room).join('')
			: letters.slice(0, room - 1).join('') + '…';
	}

	function drawStripes(frame, x, w, y) {
		for (const [name, weight] of frame.shares) {
			const part = weight / frame.weight * w;
			if (!frame.stripes[name] && part > 0 && w >= stripeWidth) {
				const made = document.createElementNS(SVG, 'path');
				made.setAttribute('class', name);
				frame.rect.after(made);
				frame.stripes[name] = made;
			}
			if (frame.stripes[name])
				frame.stripes[name].setAttribute('d', w < stripeWidth ? '' :
					`M${x.toFixed(2)} ${y}h${part.toFixed(2)}v${frameHeight - 1}` +
					`h-${part.toFixed(2)}z`);
			x += part;
		}
	}

	function drawEdges(frame, x, w, y) {
		if (!frame.left && !frame.right) return;
		if (!frame.edge) {
			if (w < markWidth) return;
			frame.edge = document.createElementNS(SVG, 'path');
			frame.edge.setAttribute('class', 'e');
			frame.box.insertBefore(frame.edge, frame.text);
		}
		const line = (at) => `M${at.toFixed(2)} ${y}v${frameHeight - 1}`;
		frame.edge.setAttribute('d', w < markWidth ? '' :
			(frame.left ? line(x + 1) : '') + (frame.right ? line(x + w - 1) : ''));
	}

	function drawText(frame, x, w, y) {
		const indent = frame.left ? 6 : 3;
		const label = shorten(frame.label,
			Math.floor((w - indent - (frame.right ? 6 : 3)) / characterWidth));
		if (!frame.text) {
			if (!label) return;
			frame.text = document.createElementNS(SVG, 'text');
			frame.box.appendChild(frame.text);
		}
		frame.text.setAttribute('y', (y + frameHeight / 2 + fontSize * 0.33).toFixed(2));
		frame.text.textContent = label;
		frame.text.setAttribute('x', (x + indent).toFixed(2));
	}

	function place(frame, x, w) {
		const y = top + (isInverted ? frame.depth : deepest - frame.depth) * frameHeight;
		frame.rect.setAttribute('y', y);
		const drawn = w > 4 * gap ? w - gap : Math.max(w, 0.05);
		frame.rect.setAttribute('x', x.toFixed(2));
		frame.rect.setAttribute('width', drawn.toFixed(2));
		drawStripes(frame, x, drawn, y);
		drawEdges(frame, x, w, y);
		drawText(frame, x, w, y);
	}

	function setState(frame, state) {
		if (frame.state === state) return;
		if (frame.state) frame.box.classList.remove(frame.state);
		if (state) frame.box.classList.add(state);
		frame.state = state;
	}

	function draw() {
		const top = frames[zoomed];
		const room = width - 2 * pad;
		const scale = room / top.weight;
		const above = new Set();
		for (let i = top.parent; i >= 0; i = frames[i].parent) above.add(i);
		frames.forEach((frame, index) => {
			if (above.has(index)) {
				setState(frame, 'up');
				place(frame, pad, room);
			} else if (index >= zoomed && index < top.end) {
				setState(frame, '');
				place(frame, pad + (frame.start - top.start) * scale, frame.weight * scale);
			} else {
				setState(frame, 'off');
			}
		});
		bar.reset.disabled = zoomed === 0;
		showMatches();
	}

	// The bar at the foot: details, search, buttons

	function element(name, className, parent, text) {
		const made = document.createElementNS(HTML, name);
		if (className) made.className = className;
		if (text) made.textContent = text;
		parent.appendChild(made);
		return made;
	}

	function button(parent, text, help, act) {
		const made = element('button', '', parent, text);
		made.type = 'button';
		made.title = help;
		made.setAttribute('aria-label', help);
		made.addEventListener('click', act);
		return made;
	}

	function makeBar() {
		const frame = document.createElementNS(SVG, 'foreignObject');
		frame.setAttribute('x', 0);
		frame.setAttribute('height', barHeight);
		svg.appendChild(frame);
		const whole = element('div', 'dwell-bar', frame);
		const details = element('div', 'details', whole, footer);
		details.setAttribute('aria-live', 'polite');
		const row = element('div', 'row', whole);
		const input = element('input', '', row);
		input.type = 'text';
		input.placeholder = 'Search ( / )';
		input.setAttribute('aria-label', 'Search frames by regular expression');
		input.spellcheck = false;
		const made = {frame, details, input};
		made.sameCase = button(row, 'Aa', 'Upper and lower case differ',
			() => setIgnoresCase(!ignoresCase));
		made.previous = button(row, '‹', 'Previous match (N)', () => step(-1));
		made.next = button(row, '›', 'Next match (n)', () => step(1));
		made.matched = element('span', 'matched', row);
		made.matched.setAttribute('role', 'status');
		made.turn = button(row, '⇅', 'Root on top or at the bottom (i)', () => turn(!isInverted));
		made.reset = button(row, 'Reset zoom', 'Reset the zoom (0)', () => zoom(0));
		made.help = button(row, '?', 'Show the keys', () => { details.textContent = KEYS; });
		input.addEventListener('input', () => find(input.value));
		return made;
	}

	// Tall pictures scroll; the bar stays in sight.
	function placeBar() {
		const scroll = isPage ? window.scrollY + window.innerHeight : height;
		bar.frame.setAttribute('y', Math.max(0, Math.min(height, scroll) - barHeight));
		bar.frame.setAttribute('width', width);
	}

	function describe(index) {
		const frame = frames[index];
		bar.details.textContent = index < 0 ? footer :
			(frame.isThin ? frame.facts : `${nameType} ${frame.name} (${frame.facts})`);
	}

	// Root on top or at the bottom

	// A flame graph that is taller than the window begins with its thinnest tips, mostly white: it
	// is opened with the root on top, below the title. Who turns it over finds the root in sight.
	const isTall = () => isPage && height > window.innerHeight;

	function turn(value) {
		isInverted = value;
		draw();
		if (isTall()) window.scrollTo(0, isInverted ? 0 : height);
		placeBar();
	}

	// Zoom and focus

	function zoom(index) {
		if (frames[index].isThin) return;
		zoomed = index;
		draw();
		writeLink();
	}

	function go(index) {
		if (here >= 0) {
			frames[here].box.classList.remove('here');
			frames[here].box.setAttribute('tabindex', '-1');
		}
		here = index;
		const box = frames[here].box;
		box.classList.add('here');
		box.setAttribute('tabindex', '0');
		box.setAttribute('role', 'button');
		box.focus({preventScroll: true});
		// Not behind the bar.
		const at = frames[here].rect.getBoundingClientRect();
		if (isPage && at.bottom > window.innerHeight - barHeight)
			window.scrollBy(0, at.bottom - window.innerHeight + barHeight + frameHeight);
		else if (isPage && at.top < 0)
			window.scrollBy(0, at.top - frameHeight);
		describe(here);
	}

	const isShown = (index) => frames[index].state !== 'off';

	function heaviestChild(index) {
		let best = -1;
		for (let i = index + 1; i < frames[index].end; i = frames[i].end)
			if (isShown(i) && (best < 0 || frames[i].weight > frames[best].weight)) best = i;
		return best;
	}

	function neighbour(index, direction) {
		for (let i = index + direction; i >= 0 && i < frames.length; i += direction)
			if (frames[i].depth === frames[index].depth && isShown(i)) return i;
		return -1;
	}

	function move(key) {
		if (here < 0 || !isShown(here)) return go(zoomed);
		let next;
		if (key === 'ArrowLeft' || key === 'ArrowRight')
			next = neighbour(here, key === 'ArrowLeft' ? -1 : 1);
		else
			next = (key === 'ArrowUp') === isInverted ? frames[here].parent : heaviestChild(here);
		if (next >= 0) go(next);
	}

	// Search

	function showMatches() {
		matches = [];
		const top = frames[zoomed];
		let covered = 0;
		let behind = -1; // frames before this index lie inside one that is counted
		frames.forEach((frame, index) => {
			const isHit = Boolean(search) && !frame.isThin && search.test(frame.name);
			if (isHit !== frame.isHit) frame.box.classList.toggle('hit', isHit);
			frame.isHit = isHit;
			if (!isHit || !isShown(index)) return;
			matches.push(index);
			if (index < behind) return;
			behind = frame.end;
			covered += frame.state === 'up' ? top.weight : frame.weight;
		});
		bar.next.disabled = bar.previous.disabled = !matches.length;
		bar.matched.textContent = search ? `Matched: ${(100 * covered / top.weight).toFixed(2)}%` +
			`${zoomed ? ' of ' + top.name : ''}, ${matches.length} ` +
			(matches.length === 1 ? 'frame' : 'frames') : '';
	}

	function compile(text) {
		try {
			search = text ? new RegExp(text, ignoresCase ? 'i' : '') : null;
			return true;
		} catch (error) {
			search = null;
			return false;
		}
	}

	function find(text) {
		const isValid = compile(text);
		bar.input.setAttribute('aria-invalid', String(!isValid));
		showMatches();
		if (!isValid) bar.matched.textContent = 'Not a regular expression';
		writeLink();
	}

	function setIgnoresCase(value) {
		ignoresCase = value;
		bar.sameCase.setAttribute('aria-pressed', String(!ignoresCase));
		find(bar.input.value);
	}

	function step(direction) {
		if (!matches.length) return;
		const after = matches.findIndex((index) => index > here);
		const before = matches.filter((index) => index < here).length - 1;
		const count = matches.length;
		const next = direction > 0 ? (after < 0 ? 0 : after) : (before < 0 ? count - 1 : before);
		go(matches[next]);
	}

	// The link: #z=root;...;frame&s=expression&i=1. Of siblings with the same name, as a chart has
	// them, the second is name,1 and the third name,2: a comma of a name itself is written as %2C.

	const isNamed = (index, name) => frames[index].name === name && !frames[index].isThin;

	function linkName(index) {
		const {name, parent} = frames[index];
		let before = 0;
		for (let i = parent + 1; i < index; i = frames[i].end) before += isNamed(i, name);
		return encodeURIComponent(name) + (before ? ',' + before : '');
	}

	function writeLink() {
		const path = [];
		for (let i = zoomed; i > 0; i = frames[i].parent) path.unshift(linkName(i));
		const parts = [];
		if (path.length) parts.push('z=' + path.join(';'));
		if (bar.input.value) parts.push('s=' + encodeURIComponent(bar.input.value));
		if (bar.input.value && ignoresCase) parts.push('i=1');
		const hash = '#' + parts.join('&');
		if (!isPage || hash === (location.hash || '#')) return;
		// A script that runs from somewhere odd (data:, sandbox) may not touch the address.
		try { history.replaceState(null, '', hash); } catch (error) { return; }
	}

	function decode(text) {
		try { return decodeURIComponent(text); } catch (error) { return text; }
	}

	// As far down as there are such frames.
	function findPath(words) {
		let at = 0;
		for (const word of words) {
			const [, code, number] = /^(.*?)(?:,(\d+))?$/.exec(word);
			const name = decode(code);
			let left = Number(number || 0);
			let child = at + 1;
			for (; child < frames[at].end; child = frames[child].end)
				if (isNamed(child, name) && left-- === 0) break;
			if (child >= frames[at].end) break;
			at = child;
		}
		return at;
	}

	function readLink() {
		const fields = {};
		for (const part of location.hash.slice(1).split('&')) {
			const equals = part.indexOf('=');
			if (equals > 0) fields[part.slice(0, equals)] = part.slice(equals + 1);
		}
		zoomed = fields.z ? findPath(fields.z.split(';')) : 0;
		ignoresCase = fields.i === '1';
		bar.sameCase.setAttribute('aria-pressed', String(!ignoresCase));
		bar.input.value = decode(fields.s || '');
		bar.input.setAttribute('aria-invalid', String(!compile(bar.input.value)));
		draw();
	}

	// Events

	function indexOf(target) {
		while (target && target.parentNode !== group) target = target.parentNode;
		return target ? target.dwellIndex : -1;
	}

	function leave() {
		if (bar.input.value) {
			bar.input.value = '';
			find('');
		} else if (zoomed) {
			zoom(0);
		}
		bar.input.blur();
	}

	function onSearchKey(event) {
		if (event.key === 'Escape') leave();
		else if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault();
	}

	function onKey(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || event.target === bar.input) return;
		if (event.key === '/') bar.input.focus(), bar.input.select();
		else if (event.key === 'n') step(1);
		else if (event.key === 'N') step(-1);
		else if (event.key === '0') zoom(0);
		else if (event.key === 'i') turn(!isInverted);
		else if (event.key === '?') bar.details.textContent = KEYS;
		else if (event.key === 'Escape') leave();
		else if (event.key.startsWith('Arrow')) move(event.key);
		else if (event.key === 'Enter' && here >= 0 && event.target === frames[here].box) zoom(here);
		else return;
		event.preventDefault();
	}

	function onClick(event) {
		const index = indexOf(event.target);
		// A frame with a link is followed; with Ctrl it zooms like the others.
		if (index < 0 || (frames[index].box.nodeName === 'a' && !event.ctrlKey)) return;
		event.preventDefault();
		go(index);
		zoom(index);
	}

	function listen() {
		group.addEventListener('click', onClick);
		group.addEventListener('mouseover', (event) => {
			hovered = indexOf(event.target);
			if (hovered >= 0) describe(hovered);
		});
		group.addEventListener('mouseout', () => describe(here));
		group.addEventListener('focusin', (event) => {
			const index = indexOf(event.target);
			if (index >= 0 && index !== here) go(index);
		});
		bar.input.addEventListener('keydown', onSearchKey);
		(isPage ? window : svg).addEventListener('keydown', onKey);
		if (!isPage) return;
		window.addEventListener('hashchange', readLink);
		window.addEventListener('scroll', placeBar);
		window.addEventListener('resize', () => { measure(); draw(); placeBar(); });
	}

	// The picture fills the window unless its width was asked for.
	function measure() {
		const probe = document.createElementNS(SVG, 'text');
		probe.textContent = 'std::vector<int>::push_back_0123456789 do_sys_poll';
		group.appendChild(probe);
		characterWidth = probe.getComputedTextLength() / probe.textContent.length || characterWidth;
		probe.remove();
		if (!isPage || setting('fixed') === '1') return;
		svg.setAttribute('width', '100%');
		width = Math.max(320, Math.round(svg.getBoundingClientRect().width));
		svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
		svg.querySelector('.paper').setAttribute('width', width);
		fitHead();
	}

	// Lines of the head end with the window: texts are cut, and of the legend those reasons go that
	// took least; what explains the rest of the picture (mixed, kernel, waker) stays.
	function fitHead() {
		for (const line of lines) {
			line.textContent = line.dwellText;
			const letter = line.getComputedTextLength() / line.dwellText.length || characterWidth;
			line.textContent = shorten(line.dwellText, Math.floor((width - 2 * pad) / letter));
		}
		const between = 2 * characterWidth;
		for (const entry of legend) entry.removeAttribute('display');
		const boxes = legend.map((entry) => entry.getBBox());
		const isReason = (entry) => entry.classList.contains('why');
		let room = width - 2 * pad;
		legend.forEach((entry, i) => { room -= isReason(entry) ? 0 : boxes[i].width + between; });
		let isFull = false;
		let at = pad;
		legend.forEach((entry, i) => {
			const size = boxes[i].width + between;
			if (isReason(entry)) {
				isFull = isFull || size > room;
				room -= size;
				if (isFull) return entry.setAttribute('display', 'none');
			}
			entry.setAttribute('transform', `translate(${(at - boxes[i].x).toFixed(2)})`);
			at += size;
		});
	}

	link();
	svg.classList.add('live');
	svg.setAttribute('role', 'group');
	frames[0].box.setAttribute('tabindex', '0');
	const bar = makeBar();
	if (isTall()) isInverted = true;
	measure();
	listen();
	if (isPage) readLink();
	else draw();
	placeBar();
})();
