// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Small helpers for elements of the page.

// The element with an id, which page.html has.
export const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function element<K extends keyof HTMLElementTagNameMap>(name: K, text = ""): HTMLElementTagNameMap[K] {
	const made = document.createElement(name);
	made.textContent = text;
	return made;
}

export function button(text: string, id: string, action: () => void): HTMLButtonElement {
	const made = element("button", text);
	made.type = "button";
	made.id = id;
	made.addEventListener("click", action);
	return made;
}
