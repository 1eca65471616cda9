// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Links that restore a view, in the address of the page and on the clipboard.

import { $ } from "./dom";
import { type State, toHash } from "./state";

// A page in a notebook has no address of its own, and is not allowed any.
export const hasAddress = /^(file|https?):$/.test(location.protocol);

export function linkTo(state: State, first: State): string {
	return `${location.href.replace(/#.*/, "")}#${toHash(state, first)}`;
}

let timer = 0;

// A moment later, for all changes until then: Safari takes about a hundred of them in half a minute.
export function keepAddress(hash: () => string): void {
	if (!hasAddress || timer !== 0) return;
	timer = window.setTimeout(() => {
		timer = 0;
		history.replaceState(null, "", `#${hash()}`);
	}, 400);
}

export async function copy(text: string): Promise<void> {
	let done = true;
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = document.createElement("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		done = document.execCommand("copy");
		area.remove();
	}
	$("picked").textContent = done ? "Copied" : "The browser does not let this page copy";
}
