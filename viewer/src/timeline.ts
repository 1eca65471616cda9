// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The slider of poses and motions, with the distance over time above it.

import { button, element } from "./dom";
import type { Picture } from "./picture";
import { lengthText, type Unit } from "./units";

const MOST_RUNS = 50;
const stateWords = ["clear", "clashing", "not known"];

export class Timeline {
	private readonly slider: HTMLInputElement;
	private readonly when: HTMLOutputElement;
	private readonly button: HTMLButtonElement;
	private runs: { first: number; last: number; button: HTMLButtonElement }[] = [];
	private most = 0; // distance
	private nearer = 0;
	private timer = 0;

	constructor(
		private readonly root: HTMLElement,
		private readonly picture: Picture,
		private readonly goTo: (frame: number) => void,
		private readonly mark: (nearer: number) => void,
	) {
		this.slider = root.querySelector("#frame") as HTMLInputElement;
		this.when = root.querySelector("#when") as HTMLOutputElement;
		this.button = root.querySelector("#play") as HTMLButtonElement;
		root.hidden = picture.allFrames.length < 2;
		if (root.hidden) return;
		this.slider.max = String(picture.allFrames.length - 1);
		this.slider.addEventListener("input", () => goTo(Number(this.slider.value)));
		this.button.addEventListener("click", () => this.toggle());
		this.plot();
		this.listRuns();
		const near = root.querySelector("#nearer") as HTMLInputElement;
		(root.querySelector("#near-row") as HTMLElement).hidden = this.most === 0;
		near.addEventListener("input", () => this.mark(Math.max(0, Number(near.value) || 0)));
	}

	private isNear(i: number): boolean {
		const { state, distance } = this.picture.allFrames[i];
		return state === 1 || distance < this.nearer;
	}

	// Neighbouring frames that clash, or are nearer than asked for, are one entry: a click goes to the first of them.
	private listRuns(): void {
		const frames = this.picture.allFrames;
		const runs: [number, number][] = [];
		this.runs = [];
		frames.forEach((_, i) => {
			if (!this.isNear(i)) return;
			const last = runs.at(-1);
			if (last && last[1] === i - 1) last[1] = i;
			else runs.push([i, i]);
		});
		const timeText = (i: number): string => String(Number(frames[i].time.toPrecision(4)));
		const entries = runs.slice(0, MOST_RUNS).map(([first, last]) => {
			const text = first === last ? timeText(first) : `${timeText(first)} to ${timeText(last)}`;
			const made = button(text, "", () => this.goTo(first));
			made.title = `they ${this.nearer > 0 ? "are that near" : "clash"} at ${this.picture.time_name ?? "time"} ${text}`;
			this.runs.push({ first, last, button: made });
			return made;
		});
		const rest = runs.length > MOST_RUNS ? [element("span", `and ${runs.length - MOST_RUNS} more`)] : [];
		const head = runs.length > 0 ? [element("span", `${this.nearer > 0 ? "Clashing or nearer" : "Clashing"} at ${this.picture.time_name ?? "time"}`)] : [];
		this.root.querySelector("#runs")?.replaceChildren(...head, ...entries, ...rest);
	}

	// `nearer` is in the unit of the files.
	show(frame: number, unit: Unit, nearer: number, isMoved: boolean): void {
		if (this.root.hidden) return;
		if (nearer !== this.nearer) this.showNear(nearer, unit);
		this.showEnds(unit);
		const { time, distance, state } = this.picture.allFrames[frame];
		this.slider.value = String(frame);
		const far = Number.isNaN(distance) ? "" : `, ${lengthText(distance, unit)} apart`;
		const told = isMoved ? "moved by hand" : `${stateWords[state]}${state === 1 ? "" : far}`;
		const text = `${this.picture.time_name} ${Number(time.toPrecision(7))}: ${told}`;
		this.when.textContent = text;
		this.slider.setAttribute("aria-valuetext", text);
		for (const run of this.runs) run.button.setAttribute("aria-pressed", String(run.first <= frame && frame <= run.last));
		const mark = this.root.querySelector("#now");
		const x = String(this.x(frame));
		mark?.setAttribute("x1", x);
		mark?.setAttribute("x2", x);
	}

	// The axes of the plot: its first and last time, and how far up it goes.
	private showEnds(unit: Unit): void {
		const frames = this.picture.allFrames;
		const [first, last] = [frames[0], frames[frames.length - 1]].map(({ time }) => `${this.picture.time_name ?? ""} ${Number(time.toPrecision(6))}`);
		const texts = [first, this.most > 0 ? `distance from 0 to ${lengthText(this.most, unit)}` : "", last];
		this.root.querySelectorAll("#ends span").forEach((span, i) => {
			span.textContent = texts[i];
		});
	}

	private showNear(nearer: number, unit: Unit): void {
		const field = this.root.querySelector("#nearer") as HTMLInputElement;
		const shown = Number((nearer * unit.factor).toPrecision(6));
		if (Number(field.value) !== shown) field.value = String(shown);
		this.nearer = nearer;
		this.listRuns();
		const line = this.root.querySelector("#limit");
		const y = this.most > 0 && nearer > 0 ? String(this.y(nearer)) : "-9";
		line?.setAttribute("y1", y);
		line?.setAttribute("y2", y);
	}

	step(by: number): void {
		if (this.root.hidden) return;
		const last = this.picture.allFrames.length - 1;
		this.goTo(Math.max(0, Math.min(Number(this.slider.value) + by, last)));
	}

	toggle(): void {
		if (this.root.hidden) return;
		const playing = this.timer !== 0;
		window.clearInterval(this.timer);
		this.timer = 0;
		this.button.textContent = playing ? "Play" : "Stop";
		this.button.setAttribute("aria-pressed", String(!playing));
		if (playing) return;
		const { length } = this.picture.allFrames;
		const rest = Math.max(16, Math.min(100, 8000 / length));
		this.timer = window.setInterval(() => this.goTo((Number(this.slider.value) + 1) % length), rest);
	}

	private x(frame: number): number {
		return (1000 * frame) / (this.picture.allFrames.length - 1);
	}

	private y(distance: number): number {
		return 57 - (54 * distance) / this.most;
	}

	private plot(): void {
		const frames = this.picture.allFrames;
		this.most = frames.reduce((most, { distance }) => (Number.isFinite(distance) ? Math.max(most, distance) : most), 0);
		const svg = this.root.querySelector("#plot") as SVGElement;
		const add = (name: string, attributes: Record<string, string>): void => {
			const element = document.createElementNS("http://www.w3.org/2000/svg", name);
			for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
			svg.append(element);
		};
		svg.addEventListener("click", (e) => {
			const { left, width } = svg.getBoundingClientRect();
			this.goTo(Math.round(((e.clientX - left) / width) * (frames.length - 1)));
		});
		const half = 500 / (frames.length - 1);
		frames.forEach((frame, i) => {
			if (frame.state === 0) return;
			const fill = frame.state === 1 ? "var(--b)" : "var(--line)";
			add("rect", { x: String(this.x(i) - half), y: "0", width: String(2 * half), height: "60", fill, opacity: "0.45" });
		});
		if (this.most > 0) {
			const points = frames
				.map((frame, i) => (Number.isFinite(frame.distance) ? `${this.x(i)},${this.y(frame.distance)}` : ""))
				.filter((text) => text !== "");
			add("polyline", {
				points: points.join(" "),
				fill: "none",
				stroke: "var(--a)",
				"stroke-width": "2",
				"vector-effect": "non-scaling-stroke",
			});
		}
		add("line", { id: "limit", x1: "0", x2: "1000", y1: "-9", y2: "-9", stroke: "var(--witness)", "stroke-width": "2", "stroke-dasharray": "6 4", "vector-effect": "non-scaling-stroke" });
		add("line", { id: "now", y1: "0", y2: "60", stroke: "var(--text)", "stroke-width": "2", "vector-effect": "non-scaling-stroke" });
	}
}
