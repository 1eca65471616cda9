// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What whoever looks decides about clashes: accepted, and why. The browser keeps it, and a file takes it back to the
// command: `dualbvh scene --ignore FILE`.

import { button, element } from "./dom";
import type { Clash, Picture } from "./picture";

export class Review {
	private readonly reasons: Map<string, string>; // of accepted clashes, by id
	private readonly key: string;

	constructor(private readonly picture: Picture) {
		this.key = `dualbvh review of ${picture.title}`;
		this.reasons = new Map(this.stored());
	}

	// Pages in frames of their own have no storage: decisions last as long as the page then.
	private stored(): [string, string][] {
		try {
			const found: unknown = JSON.parse(localStorage.getItem(this.key) ?? "[]");
			return Array.isArray(found) ? found.filter((x): x is [string, string] => Array.isArray(x) && x.length === 2 && x.every((y) => typeof y === "string")) : [];
		} catch {
			return [];
		}
	}

	private store(): void {
		try {
			localStorage.setItem(this.key, JSON.stringify([...this.reasons]));
		} catch {
			// The page goes on without.
		}
	}

	get count(): number {
		return this.picture.clashes.filter((clash) => this.isAccepted(clash)).length;
	}

	isAccepted(clash: Clash): boolean {
		return clash.id !== "" && this.reasons.has(clash.id);
	}

	reasonOf(clash: Clash): string {
		return this.reasons.get(clash.id) ?? "";
	}

	accept(clash: Clash, reason: string): void {
		this.reasons.set(clash.id, reason.replace(/\s+/g, " ").trim());
		this.store();
	}

	takeBack(clash: Clash): void {
		this.reasons.delete(clash.id);
		this.store();
	}

	// A file of --ignore: an id and a reason on each line.
	file(): string {
		const lines = this.picture.clashes
			.filter((clash) => this.isAccepted(clash))
			.map((clash) => `${clash.id}  ${this.reasonOf(clash) || "accepted"}`);
		return `# accepted in a page of ${this.picture.title.replace(/\s+/g, " ")}: dualbvh scene --ignore takes this file\n${[...new Set(lines)].join("\n")}\n`;
	}

	save(): void {
		const link = element("a");
		link.href = URL.createObjectURL(new Blob([this.file()], { type: "text/plain" }));
		link.download = `${this.picture.title.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.accepted.txt`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	}
}

// The part of the panel where a clash is accepted. Clashes of poses have no ids, so nothing could be told of them later.
export function reviewRow(review: Review, clash: Clash, changed: () => void): HTMLElement[] {
	if (clash.id === "" || clash.standing === "ignored") return [];
	const row = element("div");
	const reason = element("input");
	const accepted = review.isAccepted(clash);
	row.className = "row";
	reason.id = "reason";
	reason.type = "text";
	reason.value = review.reasonOf(clash);
	reason.placeholder = "why it may be";
	reason.setAttribute("aria-label", "Why this clash is accepted");
	const accept = (): void => {
		review.accept(clash, reason.value);
		changed();
	};
	reason.addEventListener("keydown", (e) => {
		if (e.key === "Enter") accept();
	});
	row.append(reason, button(accepted ? "Change" : "Accept", "accept", accept));
	if (accepted)
		row.append(
			button("Take back", "take-back", () => {
				review.takeBack(clash);
				changed();
			}),
		);
	return [row];
}
