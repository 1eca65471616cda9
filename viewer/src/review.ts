// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The decisions of whoever looks: what is accepted, and why, who is to look after it, a comment. The browser keeps them, and
// files take them back to the command (`dualbvh scene --ignore`, `--review`) or to others (BCF).

import { button, element } from "./dom";
import type { Clash, Picture } from "./picture";

export interface Decision {
	accepted?: string; // the reason
	assignee: string;
	comment: string;
}

const nothing: Decision = { assignee: "", comment: "" };
const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

// The name of a body as review files have it: a line, from which the name comes back.
const nameText = (name: string): string =>
	name.replace(/\\/g, "\\\\").replace(/[\x00-\x1f\x7f]|^ +| +$/g, (text) => [...text].map((c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`).join(""));

// Stored decisions may be those of an earlier page, which knew a reason alone.
function readDecision(stored: unknown): Decision {
	if (typeof stored === "string") return { ...nothing, accepted: stored };
	const { accepted, assignee, comment } = (stored ?? {}) as Record<string, unknown>;
	const text = (x: unknown): string => (typeof x === "string" ? x : "");
	return { ...(typeof accepted === "string" ? { accepted } : {}), assignee: text(assignee), comment: text(comment) };
}

export class Review {
	private readonly decisions: Map<string, Decision>; // by id
	private readonly key: string;

	constructor(private readonly picture: Picture) {
		this.key = `dualbvh review of ${picture.title}`;
		this.decisions = new Map(this.stored());
	}

	// Pages in frames of their own have no storage: decisions last as long as the page then.
	private stored(): [string, Decision][] {
		try {
			const found: unknown = JSON.parse(localStorage.getItem(this.key) ?? "[]");
			const entries = (Array.isArray(found) ? found : []).filter((x): x is [string, unknown] => Array.isArray(x) && typeof x[0] === "string");
			return entries.map(([id, stored]) => [id, readDecision(stored)]);
		} catch {
			return [];
		}
	}

	private store(clash: Clash, changes: Partial<Decision>): void {
		this.decisions.set(clash.id, { ...this.of(clash), ...changes });
		try {
			localStorage.setItem(this.key, JSON.stringify([...this.decisions]));
		} catch {
			// The page goes on without.
		}
	}

	get count(): number {
		return this.picture.clashes.filter((clash) => this.isAccepted(clash)).length;
	}

	// A review file can be saved from the one of the run, or where no earlier decisions exist that it would leave out.
	get hasFile(): boolean {
		return this.picture.review !== undefined || this.picture.clashes.every(({ standing }) => standing === undefined || standing === "ignored");
	}

	// The clashes of earlier runs that are not there any more: their names, and the day.
	get resolved(): string[] {
		const paragraphs = (this.picture.review ?? "").split("\n\n");
		return paragraphs.flatMap((text) => {
			const value = (key: string): string => text.match(new RegExp(`^${key}: (.*)$`, "m"))?.[1] ?? "";
			return /^clash: /m.test(text) && value("resolved") !== "" ? [`${value("a")} and ${value("b")}: ${value("kind")}, resolved ${value("resolved")}`] : [];
		});
	}

	of(clash: Clash): Decision {
		return this.decisions.get(clash.id) ?? nothing;
	}

	isAccepted(clash: Clash): boolean {
		return clash.id !== "" && this.of(clash).accepted !== undefined;
	}

	reasonOf(clash: Clash): string {
		return this.of(clash).accepted ?? "";
	}

	accept(clash: Clash, reason: string): void {
		this.store(clash, { accepted: oneLine(reason) });
	}

	takeBack(clash: Clash): void {
		this.store(clash, { accepted: undefined });
	}

	note(clash: Clash, changes: { assignee?: string; comment?: string }): void {
		this.store(clash, changes);
	}

	// A file of --ignore: an id and a reason on each line.
	ignores(): string {
		const lines = this.picture.clashes
			.filter((clash) => this.isAccepted(clash))
			.map((clash) => `${clash.id}  ${this.reasonOf(clash) || "accepted"}`);
		return `# accepted in a page of ${oneLine(this.picture.title)}: dualbvh scene --ignore takes this file\n${[...new Set(lines)].join("\n")}\n`;
	}

	// A file of --review: that of the run with what was decided here, or a paragraph for each clash, with what the page knows of it.
	file(now: Date): string {
		return this.picture.review === undefined ? this.firstFile(now) : this.nextFile(this.picture.review);
	}

	private nextFile(review: string): string {
		const byId = new Map(this.picture.clashes.map((clash) => [clash.id, clash]));
		const paragraphs = review.split("\n\n").map((paragraph) => {
			const clash = byId.get(paragraph.match(/^clash: (\S+)/m)?.[1] ?? "");
			return clash ? this.decided(paragraph, clash) : paragraph;
		});
		return paragraphs.join("\n\n");
	}

	// The paragraph of a review with the lines of this page. An acceptance of an earlier day, with who and until when, is over
	// where another is given.
	private decided(paragraph: string, clash: Clash): string {
		const { assignee, comment } = this.of(clash);
		const accepted = this.isAccepted(clash) ? this.reasonOf(clash) || "accepted" : "";
		const lines: [string, string][] = [["assignee", oneLine(assignee)], ["accepted", accepted], ["comment", oneLine(comment)]];
		const given = lines.filter(([, text]) => text !== "");
		const over = new Set([...(accepted === "" ? [] : ["accepted", "by", "until"]), ...(assignee === "" ? [] : ["assignee"])]);
		// A line that begins with a blank goes with the one before.
		const kept = paragraph
			.replace(/\n+$/, "")
			.split(/\n(?![ \t])/)
			.filter((line) => !over.has(line.slice(0, line.indexOf(":"))));
		const added = given.map(([name, text]) => `${name}: ${text}`).filter((line) => !kept.includes(line));
		return [...kept, ...added].join("\n");
	}

	private firstFile(now: Date): string {
		const known = new Set<string>();
		const paragraphs = this.picture.clashes
			.filter((clash) => clash.id !== "" && clash.standing !== "ignored" && clash.kind !== "fit" && !known.has(clash.id) && known.add(clash.id))
			.map((clash) => this.paragraph(clash, now.toISOString().slice(0, 10)));
		return `# written by a page of ${oneLine(this.picture.title)}: dualbvh scene --review reads and updates it\nreview: dualbvh 2\n\n${paragraphs.join("\n")}`;
	}

	private paragraph(clash: Clash, day: string): string {
		const { bodies } = this.picture;
		const { assignee, comment } = this.of(clash);
		const point = clash.depth ? clash.deepest?.[0] : clash.pair && clash.point; // where the next run asks whether it is there still
		const lines: [string, string][] = [
			["clash", clash.id],
			["a", nameText(bodies[clash.a].path)],
			["b", nameText(bodies[clash.b].path)],
			["kind", clash.kind],
			["depth", clash.depth?.join(" ") ?? ""],
			["volume", clash.volume?.join(" ") ?? ""],
			["distance", clash.distance === undefined || clash.depth ? "" : String(clash.distance)],
			["at", clash.middle?.join(" ") ?? ""],
			["point", point?.join(" ") ?? ""],
			["found", day],
			["assignee", oneLine(assignee)],
			["accepted", this.isAccepted(clash) ? this.reasonOf(clash) || "accepted" : ""],
			["comment", oneLine(comment)],
		];
		return lines.map(([name, text]) => (text === "" ? "" : `${name}: ${text}\n`)).join("");
	}
}

export function save(content: Blob, name: string, ending: string): void {
	const link = element("a");
	link.href = URL.createObjectURL(content);
	link.download = `${name.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.${ending}`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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
	return [row, notes(review, clash)];
}

// The fields stay as they are while one writes in them: nothing else shows what is in them.
let isUnfolded = false;
function notes(review: Review, clash: Clash): HTMLElement {
	const details = element("details");
	details.append(element("summary", "Assignee, comment"));
	details.open = isUnfolded;
	details.addEventListener("toggle", () => {
		isUnfolded = details.open;
	});
	for (const id of ["assignee", "comment"] as const) {
		const label = element("label", id === "assignee" ? "Assignee" : "Comment");
		const input = element("input");
		input.type = "text";
		input.id = id;
		input.value = review.of(clash)[id];
		input.addEventListener("input", () => review.note(clash, { [id]: input.value }));
		label.append(input);
		details.append(label);
	}
	return details;
}
