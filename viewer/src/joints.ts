// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A slider for each joint of a robot that moves by itself, within its limits; joints that follow it do so. Positions of the
// sliders are of the drawing alone: what clashes is known of the configurations of the file.

import { button, element } from "./dom";
import { isFree, type Link } from "./kinematics";
import type { Picture } from "./picture";
import type { State } from "./state";
import { lengthText, type Unit } from "./units";

const valueText = (link: Link, value: number, unit: Unit): string =>
	link.kind === "revolute" ? `${Number(((value * 180) / Math.PI).toFixed(2))}°` : lengthText(value, unit);

export class Joints {
	private readonly sliders: { link: number; input: HTMLInputElement; output: HTMLOutputElement }[] = [];
	private readonly where = element("p");
	private readonly back: HTMLButtonElement;

	constructor(
		root: HTMLElement,
		private readonly picture: Picture,
		move: (joints: number[]) => void,
	) {
		this.back = button("As in the file", "joints-back", () => move([]));
		this.where.id = "joints-where";
		this.where.setAttribute("role", "status");
		root.append(this.where, this.back);
		// A joint without limits turns once, and slides as far as the picture is large.
		const far = Math.hypot(...picture.upper.map((x, k) => x - picture.lower[k]));
		picture.links.forEach((link, i) => {
			if (!isFree(link)) return;
			const reach = link.kind === "revolute" ? Math.PI : far;
			const label = element("label");
			const input = element("input");
			const output = element("output");
			input.type = "range";
			input.step = "any";
			input.min = String(link.lower ?? -reach);
			input.max = String(link.upper ?? reach);
			input.addEventListener("input", () => move(this.moved(i, Number(input.value))));
			label.append(element("span", link.joint ?? link.name), input, output);
			label.className = "joint";
			root.append(label);
			this.sliders.push({ link: i, input, output });
		});
	}

	private values: ArrayLike<number> = [];

	// All values, with those of the sliders that nobody has moved as they are.
	private moved(link: number, value: number): number[] {
		return Array.from(this.values, (x, i) => (i === link ? value : x));
	}

	show(state: State, unit: Unit): void {
		if (this.picture.links.length === 0) return;
		const byHand = state.joints.length > 0;
		this.values = byHand ? state.joints : this.picture.jointsAt(state.frame);
		this.back.hidden = !byHand;
		const { time } = this.picture.allFrames[state.frame];
		this.where.textContent = byHand ? "Moved by hand: nobody has asked whether anything clashes here." : `Configuration ${time} of the file.`;
		for (const { link, input, output } of this.sliders) {
			const value = this.values[link];
			const text = valueText(this.picture.links[link], value, unit);
			if (Number(input.value) !== value) input.value = String(value);
			output.textContent = text;
			input.setAttribute("aria-valuetext", text);
		}
	}
}
