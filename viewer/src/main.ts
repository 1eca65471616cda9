// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The page: what the panels say, what keys and buttons do.

import { entriesOf, List } from "./list";
import { type Clash, type Picture, readPicture } from "./picture";
import { fromHash, initialState, type State, toHash } from "./state";
import { Timeline } from "./timeline";
import { lengthText, type Unit, unitsOf } from "./units";
import { View3d } from "./view3d";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const tabs = ["clashes", "view", "trees", "about"];

const keys: [string, string][] = [
	["N, J or ↓", "next clash"],
	["P, K or ↑", "previous clash"],
	["] and [", "next and previous place of a clash"],
	["I", "only the two bodies of the clash"],
	["G", "ghosts: more, fewer, none"],
	["S", "section plane"],
	[", and .", "move the section plane"],
	["A", "show all"],
	["F", "show the clash"],
	["← and →", "earlier and later"],
	["Space", "play"],
	["C", "copy the clash as JSON"],
	["D", "dark or light"],
	["/", "filter"],
	["?", "this list"],
];

class Page {
	private readonly first: State;
	private state: State;
	private readonly view: View3d;
	private readonly units: Unit[];
	private readonly list: List;
	private readonly timeline: Timeline;
	private readonly hasAddress = /^(file|https?):$/.test(location.protocol);
	private linkTimer = 0;

	constructor(private readonly picture: Picture) {
		const isY = picture.bodies.some((body) => /\.(glb|gltf)$/i.test(body.file ?? ""));
		const worst = Math.max(
			picture.clashes.findIndex((clash) => clash.counts),
			Math.min(picture.clashes.length - 1, 0),
		);
		this.first = initialState(isY ? "y" : "z", worst, picture.clashes[worst]?.frame ?? 0);
		this.state = this.sane(fromHash(location.hash, this.first));
		this.units = unitsOf(picture.metres);
		this.view = new View3d($<HTMLCanvasElement>("canvas"), picture);
		this.list = new List($("list"), picture, (clash) => this.choose(clash));
		this.timeline = new Timeline($("time"), picture, (frame) => this.goTo(frame));
		this.fill();
		this.listen();
		this.view.onMove = () => this.moveLabel();
		this.view.onPick = (body) => {
			$("picked").textContent = picture.bodies[body].path;
		};
		this.update();
		if (this.state.camera.length === 6) this.view.setCamera(this.state.camera, this.state.up);
		else this.aim();
	}

	// Numbers from a link, within what there is.
	private sane(state: State): State {
		const { clashes, allFrames } = this.picture;
		const whole = (x: number, least: number, most: number): number =>
			Math.max(least, Math.min(Math.round(Number.isFinite(x) ? x : least), most));
		state.clash = whole(state.clash, -1, clashes.length - 1);
		state.frame = whole(state.frame, 0, Math.max(allFrames.length - 1, 0));
		state.place = whole(state.place, -1, (clashes[state.clash]?.places?.[1] ?? 0) - 1);
		if (!tabs.includes(state.tab)) state.tab = "clashes";
		return state;
	}

	private get clash(): Clash | undefined {
		return this.picture.clashes[this.state.clash];
	}

	private get unit(): Unit {
		return this.units.find((unit) => unit.name === this.state.unit) ?? this.units[0];
	}

	private get isDark(): boolean {
		return this.state.theme === "auto"
			? matchMedia("(prefers-color-scheme: dark)").matches
			: this.state.theme === "dark";
	}

	// ------------------------------------------------------------------------------------------------
	// What is always the same

	private fill(): void {
		const { picture } = this;
		$("title").textContent = picture.title;
		const counted = picture.clashes.filter((clash) => clash.counts).length;
		const open = picture.clashes.filter((clash) => clash.kind === "undecidable" && !clash.counts && clash.standing !== "ignored").length;
		const triangles = picture.triangles.whole.toLocaleString("en");
		$("summary").textContent =
			`${picture.bodies.length} ${picture.bodies.length === 1 ? "body" : "bodies"}, ${triangles} triangles, ` +
			`${counted === 0 ? "no clashes" : counted === 1 ? "1 clash" : `${counted} clashes`}` +
			`${open === 0 ? "" : `, ${open} undecidable`}${picture.complete ? "" : " among what is shown"}`;
		$("link").hidden = !this.hasAddress;
		for (const unit of this.units) $("unit").append(new Option(unit.label, unit.name));
		for (const [key, text] of keys) {
			const dt = document.createElement("dt");
			const dd = document.createElement("dd");
			dt.append(...key.split(/( and | or |, )/).map((part) => {
				if (/^( and | or |, )$/.test(part)) return document.createTextNode(part);
				const kbd = document.createElement("kbd");
				kbd.textContent = part;
				return kbd;
			}));
			dd.textContent = text;
			$("key-list").append(dt, dd);
		}
		for (const kind of new Set(picture.clashes.map((clash) => clash.kind))) {
			const label = document.createElement("label");
			const box = document.createElement("input");
			box.type = "checkbox";
			box.value = kind;
			const count = picture.clashes.filter((clash) => clash.kind === kind).length;
			label.append(box, `${kind} (${count})`);
			$("kinds").append(label);
		}
		this.fillNotes();
		this.fillTrees();
	}

	private fillNotes(): void {
		const { picture } = this;
		const { drawn, whole, simplified_bodies: bodies } = picture.triangles;
		const paragraphs: string[] = [];
		if (bodies > 0) {
			const text = `Simplified far from clashes: ${drawn.toLocaleString("en")} of ${whole.toLocaleString("en")} triangles are drawn.`;
			$("note").textContent = text;
			$("note").hidden = false;
			paragraphs.push(`${text} Clashes, contacts and numbers are those of the whole bodies.`);
		}
		if (!picture.complete) {
			$("note").textContent = [picture.notes[0], ...paragraphs.slice(0, 1)].join(" ");
			$("note").hidden = false;
		}
		paragraphs.push(...picture.notes);
		paragraphs.push(
			"What clashes was decided exactly, on the numbers in the files; the drawing is rounded. Coordinates and lengths " +
				"that are shown are those of the files; 'Copy as JSON' has all their digits.",
			picture.metres ? `A unit of the files is ${picture.metres} m.` : "The files do not say what their unit is.",
			`Written by dualbvh ${picture.version}. Drawn with three.js (MIT licence).`,
		);
		for (const text of paragraphs) {
			const p = document.createElement("p");
			p.textContent = text;
			$("about").append(p);
		}
	}

	private fillTrees(): void {
		const { trees, bodies } = this.picture;
		$("no-trees").hidden = trees.length > 0;
		$("tree-settings").hidden = trees.length === 0;
		if (trees.length === 0) return;
		const select = $<HTMLSelectElement>("tree");
		if (trees.length > 1) select.append(new Option("both", "-1"));
		trees.forEach((tree, i) => select.append(new Option(bodies[tree.body].path, String(i))));
		if (trees.length === 1) this.first.tree = this.state.tree = 0;
		let deepest = 0;
		for (let i = 0; i < trees.length; ++i) {
			const { nodes } = this.picture.tree(i);
			for (let k = 0; k < nodes.length; k += 4) deepest = Math.max(deepest, nodes[k]);
		}
		$<HTMLInputElement>("level").max = String(deepest);
	}

	// ------------------------------------------------------------------------------------------------
	// What changes

	set(changes: Partial<State>): void {
		Object.assign(this.state, changes);
		this.update();
	}

	private update(): void {
		const { state } = this;
		document.documentElement.dataset.theme = this.isDark ? "dark" : "light";
		for (const tab of tabs) {
			const button = $(`tab-${tab}`);
			button.setAttribute("aria-selected", String(tab === state.tab));
			button.tabIndex = tab === state.tab ? 0 : -1;
			$(`panel-${tab}`).hidden = tab !== state.tab;
		}
		for (const id of ["isolate", "section", "flip", "visited"] as const) $<HTMLInputElement>(id).checked = state[id];
		for (const id of ["ghosts", "cut", "level", "axis", "up", "tree", "volume", "theme", "unit", "filter"] as const) {
			const input = $<HTMLInputElement>(id);
			if (input.value !== String(state[id])) input.value = String(state[id]);
		}
		for (const box of document.querySelectorAll<HTMLInputElement>("#kinds input"))
			box.checked = !state.kinds.includes(box.value);
		const shown = this.list.show(state);
		$("found").textContent =
			shown === this.picture.clashes.length ? `${shown} in the list` : `${shown} of ${this.picture.clashes.length} in the list`;
		this.tellClash();
		this.tellTrees();
		this.timeline.show(state.frame, this.unit);
		this.showLegend();
		this.view.show(state, this.isDark);
		this.moveLabel();
		this.keepLink();
	}

	// A moment later, for all changes until then: Safari takes about a hundred of them in half a minute. A page in a notebook
	// has no address of its own, and is not allowed any.
	private keepLink(): void {
		if (!this.hasAddress || this.linkTimer !== 0) return;
		this.linkTimer = window.setTimeout(() => {
			this.linkTimer = 0;
			history.replaceState(null, "", `#${toHash({ ...this.state, camera: [] }, this.first)}`);
		}, 400);
	}

	private showLegend(): void {
		const legend = $("legend");
		const { clash, picture } = this;
		const pair = clash ? [clash.a, clash.b] : picture.allFrames.length > 0 ? [0, 1] : [];
		const items: [string, string][] = pair.map((body, i) => [picture.bodies[body].path, i === 0 ? "--a" : "--b"]);
		if (clash?.lines || clash?.regions) items.push(["contact", "--contact"]);
		if (clash?.witness) items.push(["shortest way", "--witness"]);
		legend.replaceChildren(
			...items.map(([text, colour]) => {
				const span = document.createElement("span");
				span.textContent = text;
				span.style.setProperty("--colour", `var(${colour})`);
				return span;
			}),
		);
	}

	private tellClash(): void {
		const { clash, unit, picture, state } = this;
		const box = $("chosen");
		if (!clash) {
			box.replaceChildren();
			if (picture.clashes.length === 0) box.textContent = picture.complete ? "Nothing clashes." : "Nothing that is shown clashes.";
			return;
		}
		const sentence = document.createElement("p");
		sentence.textContent = `${clash.sentence}.`;
		const facts: [string, string][] = [["Kind", clash.standing ? `${clash.kind}, ${clash.standing}` : clash.kind]];
		if (clash.id !== "") facts.push(["Id", clash.id]);
		facts.push(["Near", clash.point.map((x) => Number(x.toPrecision(6))).join(", ")]);
		if (clash.distance !== undefined) facts.push(["Distance", lengthText(clash.distance, unit)]);
		if (clash.move) facts.push(["Parted by", `${clash.move.map((x) => Number(x.toPrecision(6))).join(", ")} (moves ${picture.bodies[clash.b].path})`]);
		if (clash.pair) facts.push(["Triangles", `${clash.pair[0]} and ${clash.pair[1]}`]);
		const places = picture.places.slice(clash.places?.[0] ?? 0, (clash.places?.[0] ?? 0) + (clash.places?.[1] ?? 0));
		const chosen = state.place >= 0 ? [places[state.place]] : places;
		if (places.length > 0) {
			const sum = (key: "length" | "area"): number => chosen.reduce((total, place) => total + place[key], 0);
			facts.push(["Contact", `${lengthText(sum("length"), unit)} long` + (sum("area") > 0 ? `, ${lengthText(sum("area"), unit, 2)} flat` : "")]);
			facts.push(["Places", state.place >= 0 ? `${state.place + 1} of ${places.length}` : String(places.length)]);
		}
		if (clash.contacts_left_out) facts.push(["Contact", "not in this page: there would be too much of it, or the time was over"]);
		const dl = document.createElement("dl");
		for (const [name, text] of facts) {
			const dt = document.createElement("dt");
			const dd = document.createElement("dd");
			dt.textContent = name;
			dd.textContent = text;
			dl.append(dt, dd);
		}
		const row = document.createElement("div");
		row.className = "row";
		row.append(this.button("Copy as JSON", "copy", () => void this.copyClash()));
		if (places.length > 1)
			row.append(this.button("Next place", "next-place", () => this.stepPlace(1)));
		box.replaceChildren(sentence, dl, row);
	}

	private button(text: string, id: string, action: () => void): HTMLButtonElement {
		const button = document.createElement("button");
		button.type = "button";
		button.id = id;
		button.textContent = text;
		button.addEventListener("click", action);
		return button;
	}

	private tellTrees(): void {
		const { trees, bodies } = this.picture;
		$("level-number").textContent = String(this.state.level);
		$("tree-text").textContent = trees
			.map((tree) => `${bodies[tree.body].path}: ${tree.total.toLocaleString("en")} nodes, ${tree.depth} levels; the upper ${tree.count.toLocaleString("en")} are here.`)
			.join(" ");
	}

	private moveLabel(): void {
		const label = $("label");
		const at = this.view.witnessMiddle ? this.view.project(this.view.witnessMiddle) : undefined;
		label.hidden = at === undefined || this.clash?.distance === undefined;
		if (!at || this.clash?.distance === undefined) return;
		label.textContent = lengthText(this.clash.distance, this.unit);
		label.style.left = `${at[0]}px`;
		label.style.top = `${at[1]}px`;
	}

	// ------------------------------------------------------------------------------------------------
	// What is done

	private aim(): void {
		const { clash, state } = this;
		const place = this.picture.places[(clash?.places?.[0] ?? 0) + state.place];
		if (!clash) this.view.lookAtAll(state.up);
		else if (state.place >= 0 && place) {
			const middle = [0, 1, 2].map((k) => 0.5 * (place.lower[k] + place.upper[k]));
			const size = Math.max(...[0, 1, 2].map((k) => place.upper[k] - place.lower[k]));
			this.view.lookAt(this.view.place(middle), Math.max(3 * size, 0.3 * clash.size), state.up);
		} else this.view.lookAt(this.view.place(clash.point), 2.4 * clash.size, state.up);
	}

	choose(clash: number): void {
		const frame = this.picture.clashes[clash]?.frame;
		this.set({ clash, place: -1, ...(frame === undefined ? {} : { frame }) });
		this.aim();
	}

	step(by: number): void {
		const shown = entriesOf(this.picture, this.state);
		if (shown.length === 0) return;
		const at = shown.indexOf(this.state.clash);
		this.choose(shown[at < 0 ? 0 : (at + by + shown.length) % shown.length]);
	}

	private stepPlace(by: number): void {
		const count = this.clash?.places?.[1] ?? 0;
		if (count === 0) return;
		this.set({ place: ((this.state.place + 1 + by + count + 1) % (count + 1)) - 1 });
		this.aim();
	}

	// The clash of a frame is shown with it.
	goTo(frame: number): void {
		const clash = this.picture.clashes.findIndex((entry) => entry.frame === frame);
		this.set({ frame, clash, place: -1 });
	}

	private async copy(text: string): Promise<void> {
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

	// All that is known of a clash, with all digits.
	clashJson(): string {
		const { clash, picture } = this;
		if (!clash) return "null";
		const span = <T>(range: [number, number] | undefined, take: (i: number) => T): T[] =>
			Array.from({ length: range?.[1] ?? 0 }, (_, i) => take((range as [number, number])[0] + i));
		const triples = (x: Float64Array): number[][] =>
			Array.from({ length: x.length / 3 }, (_, i) => [...x.subarray(3 * i, 3 * i + 3)]);
		const { lines, regions, places, ...rest } = clash;
		return JSON.stringify(
			{
				...rest,
				a: picture.bodies[clash.a].path,
				b: picture.bodies[clash.b].path,
				places: span(places, (i) => picture.places[i]),
				polylines: span(lines, (i) => ({ closed: picture.line(i).closed, points: triples(picture.line(i).points) })),
				regions: span(regions, (i) => triples(picture.region(i).points)),
			},
			null,
			1,
		);
	}

	private copyClash(): Promise<void> {
		return this.copy(this.clashJson());
	}

	link(): string {
		const hash = toHash({ ...this.state, camera: this.view.getCamera() }, this.first);
		return `${location.href.replace(/#.*/, "")}#${hash}`;
	}

	private listen(): void {
		for (const id of ["isolate", "section", "flip", "visited"] as const)
			$<HTMLInputElement>(id).addEventListener("change", (e) => this.set({ [id]: (e.target as HTMLInputElement).checked }));
		for (const id of ["ghosts", "cut", "level", "tree"] as const)
			$(id).addEventListener("input", (e) => this.set({ [id]: Number((e.target as HTMLInputElement).value) }));
		for (const id of ["axis", "volume", "theme", "unit", "filter"] as const)
			$(id).addEventListener("input", (e) => this.set({ [id]: (e.target as HTMLInputElement).value }));
		$("up").addEventListener("input", (e) => {
			this.set({ up: (e.target as HTMLSelectElement).value as "y" | "z" });
			this.aim();
		});
		$("kinds").addEventListener("change", () => {
			const boxes = [...document.querySelectorAll<HTMLInputElement>("#kinds input")];
			this.set({ kinds: boxes.filter((box) => !box.checked).map((box) => box.value) });
		});
		for (const tab of tabs) $(`tab-${tab}`).addEventListener("click", () => this.set({ tab }));
		document.querySelector('[role="tablist"]')?.addEventListener("keydown", (e) => this.stepTab(e as KeyboardEvent));
		$("next").addEventListener("click", () => this.step(1));
		$("previous").addEventListener("click", () => this.step(-1));
		$("all").addEventListener("click", () => this.view.lookAtAll(this.state.up));
		$("near").addEventListener("click", () => this.aim());
		$("link").addEventListener("click", () => {
			location.replace(this.link());
			void this.copy(this.link());
		});
		$("help").addEventListener("click", () => $<HTMLDialogElement>("keys").showModal());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.update());
		document.addEventListener("keydown", (e) => this.onKey(e));
	}

	private stepTab(e: KeyboardEvent): void {
		const by = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0;
		if (by === 0) return;
		const tab = tabs[(tabs.indexOf(this.state.tab) + by + tabs.length) % tabs.length];
		this.set({ tab });
		$(`tab-${tab}`).focus();
		e.stopPropagation();
		e.preventDefault();
	}

	private onKey(e: KeyboardEvent): void {
		const target = e.target as HTMLElement;
		if (e.ctrlKey || e.metaKey || e.altKey || $<HTMLDialogElement>("keys").open) return;
		if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
			if (e.key === "Escape") target.blur();
			return;
		}
		const action = this.actionOf(e.key, target.tagName === "BUTTON");
		if (!action) return;
		action();
		e.preventDefault();
	}

	private actionOf(key: string, onButton: boolean): (() => void) | undefined {
		const { state } = this;
		const ghosts = state.ghosts > 0.5 ? 0 : state.ghosts > 0 ? 0.8 : 0.35;
		const actions: Record<string, () => void> = {
			n: () => this.step(1),
			j: () => this.step(1),
			ArrowDown: () => this.step(1),
			p: () => this.step(-1),
			k: () => this.step(-1),
			ArrowUp: () => this.step(-1),
			"]": () => this.stepPlace(1),
			"[": () => this.stepPlace(-1),
			i: () => this.set({ isolate: !state.isolate }),
			g: () => this.set({ ghosts }),
			s: () => this.set({ section: !state.section }),
			",": () => this.set({ cut: Math.max(0, state.cut - 0.02) }),
			".": () => this.set({ cut: Math.min(1, state.cut + 0.02) }),
			a: () => this.view.lookAtAll(state.up),
			f: () => this.aim(),
			ArrowLeft: () => this.timeline.step(-1),
			ArrowRight: () => this.timeline.step(1),
			c: () => void this.copyClash(),
			d: () => this.set({ theme: this.isDark ? "light" : "dark" }),
			"/": () => $("filter").focus(),
			"?": () => $<HTMLDialogElement>("keys").showModal(),
		};
		if (key === " ") return onButton ? undefined : () => this.timeline.toggle();
		return actions[key.length === 1 ? key.toLowerCase() : key];
	}

	// For tests and measurements.
	inspect(): object {
		return {
			state: this.state,
			view: this.view,
			picture: this.picture,
			set: (changes: Partial<State>) => this.set(changes),
			link: () => this.link(),
			clashJson: () => this.clashJson(),
		};
	}
}

function fail(error: unknown): void {
	$("note").hidden = false;
	$("note").textContent = `The picture cannot be drawn: ${error instanceof Error ? error.message : String(error)}`;
	document.documentElement.dataset.state = "failed";
}

readPicture()
	.then((picture) => {
		const page = new Page(picture);
		(window as unknown as { dualbvh: object }).dualbvh = page.inspect();
		requestAnimationFrame(() =>
			requestAnimationFrame(() => {
				document.documentElement.dataset.state = "ready";
				document.documentElement.dataset.milliseconds = String(Math.round(performance.now()));
			}),
		);
	})
	.catch(fail);
