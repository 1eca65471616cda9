// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The keys: what each does, and the list of them.

import { $, element } from "./dom";

export interface Key {
	keys: string[]; // as KeyboardEvent names them, in lower case if they are letters
	shown: string;
	text: string;
	actions: (() => void)[]; // one for all keys, or one for each
}

// Keys that move within fields and lists are not taken from them; the space bar presses the button that has the focus.
export function listenToKeys(table: Key[]): void {
	const actions = new Map<string, () => void>();
	for (const { keys, actions: list } of table) keys.forEach((key, i) => actions.set(key, list[i % list.length]));
	document.addEventListener("keydown", (e) => {
		const target = e.target as HTMLElement;
		if (e.ctrlKey || e.metaKey || e.altKey || $<HTMLDialogElement>("keys").open) return;
		if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
			if (e.key === "Escape") target.blur();
			return;
		}
		if (e.key === " " && target.tagName === "BUTTON") return;
		const action = actions.get(e.key.length === 1 ? e.key.toLowerCase() : e.key);
		if (!action) return;
		action();
		e.preventDefault();
	});
}

export function listKeys(table: Key[], list: HTMLElement): void {
	for (const { shown, text } of table) {
		const dt = element("dt");
		const between = /(?<=\S)( and | or |, )/; // a comma may be a key
		dt.append(...shown.split(between).map((part) => (/^( and | or |, )$/.test(part) ? document.createTextNode(part) : element("kbd", part))));
		list.append(dt, element("dd", text));
	}
}
