// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The page: the state, and the handlers that change it.

import { tellAbout, tellSummary } from "./about";
import { bcfOf, type Eye } from "./bcf";
import { clashJson, factsOf, tellClash } from "./clash_panel";
import { fillKinds, listenToControls, showControls, tabs } from "./controls";
import { $, element } from "./dom";
import { Joints } from "./joints";
import { type Key, listenToKeys, listKeys } from "./keys";
import { copy, hasAddress, keepAddress, linkTo } from "./link";
import { entriesOf, List } from "./list";
import { Matrix } from "./matrix";
import { PartTree } from "./part_tree";
import { Parts } from "./parts";
import { type Feature, featureText, type Place, placeOf, readFeature, tellMeasured } from "./measure";
import { type Clash, isWhole, type Picture, readPicture } from "./picture";
import { posterOf } from "./poster";
import { printAll } from "./printout";
import { Review, save } from "./review";
import { barOf, showAxes, showBar } from "./scale";
import { fromHash, initialState, type State, toHash } from "./state";
import { Timeline } from "./timeline";
import { intervalText, lengthText, type Unit, unitsOf } from "./units";
import { View3d } from "./view3d";
import type { Vector3 } from "three";

class Page {
	private readonly first: State;
	private state: State;
	private readonly view: View3d;
	private readonly units: Unit[];
	private readonly list: List;
	private readonly tree: PartTree;
	private readonly parts: Parts;
	private readonly matrix: Matrix;
	private readonly review: Review;
	private readonly timeline: Timeline;
	private readonly joints: Joints;
	private isNear = false; // the camera was set on a clash

	constructor(private readonly picture: Picture) {
		const isY = picture.bodies.some((body) => /\.(glb|gltf)$/i.test(body.file ?? ""));
		const worst = Math.max(
			picture.clashes.findIndex((clash) => clash.counts),
			Math.min(picture.clashes.length - 1, 0),
		);
		this.first = initialState(isY ? "y" : "z", worst, picture.clashes[worst]?.frame ?? 0);
		this.state = this.sane(fromHash(location.hash, this.first));
		this.units = unitsOf(picture.metres);
		this.view = new View3d($<HTMLCanvasElement>("canvas"), $<HTMLCanvasElement>("inset"), picture);
		this.review = new Review(picture);
		this.list = new List($("list"), picture, this.review, (clash) => this.choose(clash));
		this.tree = new PartTree(picture);
		this.parts = new Parts($("parts"), this.tree, {
			hide: (hidden) => this.set({ hidden }),
			find: (part) => this.set({ part, other: "", tab: "clashes" }),
		});
		this.matrix = new Matrix($("matrix"), picture, this.tree, (part, other) => this.findBetween(part, other));
		this.timeline = new Timeline($("time"), picture, (frame) => this.goTo(frame), (nearer) => this.set({ nearer: nearer / this.unit.factor }));
		this.joints = new Joints($("joints"), picture, (joints) => this.moveJoints(joints));
		this.fill();
		this.listen();
		this.view.onMove = () => this.moveLabel();
		this.view.onMark = (clash) => this.choose(clash);
		this.view.onMeasure = (feature) => this.measure(feature);
		this.view.onPick = (body) => {
			$("picked").textContent = picture.bodies[body].path;
		};
		this.update();
		if (!this.view.renderer) {
			$("note").hidden = false;
			$("note").textContent = "WebGL is missing or switched off in this browser: the picture is drawn in a plainer way.";
		}
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
		if (state.joints.length !== this.picture.links.length) state.joints = [];
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
		tellSummary(picture);
		$("link").hidden = !hasAddress;
		$("tab-joints").hidden = picture.links.length === 0;
		for (const unit of this.units) $("unit").append(new Option(unit.label, unit.name));
		fillKinds(picture);
		tellAbout(picture);
		this.fillTrees();
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
		showControls(state);
		tellClash($("chosen"), this.picture, this.clash, state.place, this.unit, this.review, {
			copy: () => void copy(this.clashJson()),
			nextPlace: () => this.stepPlace(1),
			reviewed: () => this.update(),
		});
		this.parts.show(state);
		this.matrix.show(state);
		$("of-part").hidden = state.part === "";
		const other = state.other === "" ? "" : state.other === state.part ? " within itself" : ` with ${state.other}`;
		$("of-part").textContent = `Only those of ${state.part}${other}: list all`;
		const { count } = this.review;
		$("review").hidden = this.picture.clashes.every(({ id }) => id === "");
		$("accepted").textContent = count === 0 ? "" : `${count} accepted`;
		$("save-accepted").hidden = count === 0;
		$("save-review").hidden = !this.review.hasFile;
		// Behind all that takes room from it: the list scrolls to the clash.
		const shown = this.list.show(state);
		$("found").textContent =
			shown === this.picture.clashes.length ? `${shown} in the list` : `${shown} of ${this.picture.clashes.length} in the list`;
		this.tellTrees();
		this.timeline.show(state.frame, this.unit, state.nearer, state.joints.length > 0);
		this.joints.show(state, this.unit);
		$("trail-row").hidden = this.picture.moving.length === 0;
		this.showLegend();
		this.view.show(state, this.isDark, this.tree.hiddenBodies(state), entriesOf(this.picture, state));
		this.tellOpen();
		this.tellMeasured();
		this.moveLabel();
		keepAddress(() => toHash({ ...state, camera: [] }, this.first));
	}

	// A section has no cut through bodies that have no inside.
	private tellOpen(): void {
		const { open } = this.view;
		const names = open.slice(0, 3).map((body) => this.picture.bodies[body].path).join(", ");
		const more = open.length > 3 ? ` and ${open.length - 3} more` : "";
		$("parting").hidden = !this.clash?.move;
		$("save-section").hidden = !this.state.section;
		$("open-bodies").textContent = !this.state.section || open.length === 0 ? "" : `Not closed, so the section is not filled: ${names}${more}`;
	}

	// ------------------------------------------------------------------------------------------------
	// Measuring

	private get measured(): Place[] {
		const features = this.state.measured.slice(0, 2).map((text) => readFeature(text, this.picture));
		return features.filter((x): x is Feature => x !== undefined).map((x) => placeOf(x, this.picture, this.state.frame, this.state.joints));
	}

	// A third feature begins anew.
	private measure(feature: Feature): void {
		const { measured } = this.state;
		this.set({ measured: [...(measured.length >= 2 ? [] : measured), featureText(feature)] });
	}

	private tellMeasured(): void {
		const { measures } = this.state;
		const places = this.measured;
		const box = $("measured");
		box.hidden = !measures && places.length === 0;
		this.view.showMeasured(places);
		$("measure").setAttribute("aria-pressed", String(measures));
		const hint = places.length === 1 ? "Click the second point" : "Click two points: vertices and edges near a click are taken exactly";
		const names = places.map(({ feature }) => `${feature.kind} of ${this.picture.bodies[feature.body].path}`);
		const facts = places.length === 2 ? tellMeasured(places[0], places[1], this.unit) : [];
		$("length").textContent = facts[0]?.[1] ?? "";
		const list = element("dl");
		for (const [name, text] of facts) list.append(element("dt", name), element("dd", text));
		const isSimplified = places.some(({ feature }) => this.picture.shape(this.picture.bodies[feature.body].shape).simplified);
		box.replaceChildren(element("p", names.join(" to ") || hint), list);
		if (names.length === 1) box.append(element("p", hint));
		if (isSimplified) box.append(element("p", "Of the drawing: the body is simplified."));
	}

	private showLegend(): void {
		const legend = $("legend");
		const { clash, picture } = this;
		const pair = clash ? [clash.a, clash.b] : picture.allFrames.length > 0 && picture.links.length === 0 ? [0, 1] : [];
		const items: [string, string][] = pair.map((body, i) => [picture.bodies[body].path, i === 0 ? "--a" : "--b"]);
		if (clash?.solid !== undefined) items.push(["overlap", "--overlap"]);
		if ((clash?.lines || clash?.regions) && clash.kind !== "duplicate") items.push(["contact", "--contact"]);
		if (clash?.witness) items.push(["shortest way", "--witness"]);
		else if (clash?.deepest) items.push(["depth", "--witness"]);
		legend.replaceChildren(
			...items.map(([text, colour]) => {
				const span = document.createElement("span");
				span.textContent = text;
				span.style.setProperty("--colour", `var(${colour})`);
				return span;
			}),
		);
	}

	private tellTrees(): void {
		const { trees, bodies } = this.picture;
		$("level-number").textContent = String(this.state.level);
		$("tree-text").textContent = trees
			.map((tree) => `${bodies[tree.body].path}: ${tree.total.toLocaleString("en")} nodes, ${tree.depth} levels; the upper ${tree.count.toLocaleString("en")} are here.`)
			.join(" ");
	}

	private moveLabel(): void {
		showBar(barOf(this.view.scale, this.unit));
		showAxes(this.view.axes);
		this.putLabel($("label"), this.view.witnessMiddle, this.lengthOfClash());
		this.putLabel($("length"), this.view.measuredMiddle, $("length").textContent ?? "");
	}

	private lengthOfClash(): string {
		const { clash } = this;
		if (clash?.distance !== undefined) return lengthText(clash.distance, this.unit);
		return clash?.depth ? intervalText(clash.depth, this.unit) : "";
	}

	private putLabel(label: HTMLElement, middle: Vector3 | undefined, text: string): void {
		const at = middle ? this.view.project(middle) : undefined;
		label.hidden = at === undefined || text === "";
		if (!at) return;
		label.textContent = text;
		label.style.left = `${at[0]}px`;
		label.style.top = `${at[1]}px`;
	}

	// ------------------------------------------------------------------------------------------------
	// What is done

	private aim(): void {
		const { clash, state } = this;
		this.isNear = clash !== undefined;
		const place = this.picture.places[(clash?.places?.[0] ?? 0) + state.place];
		if (!clash) this.view.lookAtAll(state.up);
		else if (state.place >= 0 && place) {
			const middle = [0, 1, 2].map((k) => 0.5 * (place.lower[k] + place.upper[k]));
			const size = Math.max(...[0, 1, 2].map((k) => place.upper[k] - place.lower[k]));
			this.view.lookAt(this.view.place(middle), Math.max(3 * size, 0.3 * clash.size), state.up, clash.view);
		} else if (isWhole(clash)) {
			// From outside of both, unless the inner one were too small to be seen then.
			const point = this.view.place(clash.point);
			const inner = Math.min(this.view.sizeOf(clash.a), this.view.sizeOf(clash.b));
			this.view.lookAt(point, Math.min(2.2 * this.view.reachFrom(point, [clash.a, clash.b]), 8 * inner), state.up, clash.view);
		} else {
			// No more than shows all of the two.
			const point = this.view.place(clash.point);
			this.view.lookAt(point, Math.min(2.4 * clash.size, 2.2 * this.view.reachFrom(point, [clash.a, clash.b])), state.up, clash.view);
		}
	}

	choose(clash: number): void {
		const frame = this.picture.clashes[clash]?.frame;
		this.set({ clash, place: -1, parted: 0, joints: [], ...(frame === undefined ? {} : { frame }) });
		this.aim();
	}

	// Lists the clashes of two parts with each other, and shows the worst of them.
	private findBetween(part: string, other: string): void {
		this.set({ part, other, tab: "clashes" });
		const [first] = entriesOf(this.picture, this.state);
		if (first !== undefined) this.choose(first);
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

	// The camera leaves a clash when the robot goes on to another configuration, and shows the whole robot.
	private standBack(): void {
		if (this.picture.links.length === 0 || !this.isNear) return;
		this.isNear = false;
		this.view.lookAtAll(this.state.up);
	}

	// A configuration that somebody sets by hand was not checked, so that no clash is chosen.
	private moveJoints(joints: number[]): void {
		this.set({ joints, ...(joints.length > 0 ? { clash: -1 } : this.frameEntry(this.state.frame)) });
		this.standBack();
	}

	private frameEntry(frame: number): Partial<State> {
		return { frame, clash: this.picture.clashes.findIndex((entry) => entry.frame === frame), place: -1 };
	}

	// The clash of a frame is shown with it.
	goTo(frame: number): void {
		this.set({ joints: [], ...this.frameEntry(frame) });
		this.standBack();
	}

	clashJson(): string {
		return clashJson(this.picture, this.clash);
	}

	link(): string {
		return linkTo({ ...this.state, camera: this.view.getCamera() }, this.first);
	}

	// Shows clashes in turn, and then what was shown before.
	private andBack<T>(action: () => T): T {
		const before = { ...this.state, camera: this.view.getCamera() };
		const made = action();
		this.set(before);
		this.view.setCamera(before.camera, before.up);
		return made;
	}

	private bcf(): Blob {
		const show = (clash: number): Eye => {
			this.choose(clash);
			return this.view.eye();
		};
		const shower = { show, snapshot: () => this.view.snapshot("png") };
		return this.andBack(() => bcfOf(this.picture, entriesOf(this.picture, this.state), this.review, shower, new Date()));
	}

	private async savePoster(): Promise<void> {
		const { title } = this.picture;
		const blob = await posterOf(this.view.snapshot("png"), title, this.clash ? `${this.clash.sentence}.` : ($("summary").textContent ?? ""));
		if (blob) save(blob, title, "png");
	}

	private print(): void {
		this.andBack(() => this.printListed());
	}

	private printListed(): void {
		printAll({
			title: `${this.picture.title}: ${$("summary").textContent ?? ""}`,
			listed: () => entriesOf(this.picture, this.state),
			clash: (i) => this.picture.clashes[i],
			facts: (clash) => factsOf(this.picture, clash, -1, this.unit),
			picture: (i) => {
				this.choose(i);
				return this.view.snapshot("jpeg");
			},
		});
	}

	private toggleMeasuring(): void {
		this.set({ measures: !this.state.measures, measured: [] });
	}

	private listen(): void {
		window.addEventListener("beforeprint", () => this.print());
		window.addEventListener("afterprint", () => $("print").replaceChildren());
		$("of-part").addEventListener("click", () => this.set({ part: "", other: "" }));
		$("show-parts").addEventListener("click", () => this.set({ hidden: [] }));
		$("save-picture").addEventListener("click", () => void this.savePoster());
		$("measure").addEventListener("click", () => this.toggleMeasuring());
		const { title } = this.picture;
		const text = (content: string): Blob => new Blob([content], { type: "text/plain" });
		$("save-accepted").addEventListener("click", () => save(text(this.review.ignores()), title, "accepted.txt"));
		$("save-review").addEventListener("click", () => save(text(this.review.file(new Date())), title, "review.txt"));
		const drawing = (): Blob => new Blob([this.view.sectionDrawing(title, this.unit)], { type: "image/svg+xml" });
		$("save-section").addEventListener("click", () => save(drawing(), title, "svg"));
		$("save-bcf").addEventListener("click", () => save(this.bcf(), title, "bcf"));
		listenToControls({
			set: (changes) => this.set(changes),
			aim: () => this.aim(),
			step: (by) => this.step(by),
			showAll: () => this.view.lookAtAll(this.state.up),
			copyLink: () => {
				location.replace(this.link());
				void copy(this.link());
			},
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.update());
		const keys = this.keyTable();
		listKeys(keys, $("key-list"));
		listenToKeys(keys);
	}

	private keyTable(): Key[] {
		const { state, view, timeline } = this;
		const step = [() => this.step(1), () => this.step(-1)];
		const moveCut = (by: number) => () => this.set({ cut: Math.max(0, Math.min(1, state.cut + by)) });
		const moreGhosts = (): void => this.set({ ghosts: state.ghosts > 0.5 ? 0 : state.ghosts > 0 ? 0.8 : 0.35 });
		const places = [() => this.stepPlace(1), () => this.stepPlace(-1)];
		return [
			{ keys: ["n", "j", "ArrowDown"], shown: "N, J or ↓", text: "next clash", actions: [step[0]] },
			{ keys: ["p", "k", "ArrowUp"], shown: "P, K or ↑", text: "previous clash", actions: [step[1]] },
			{ keys: ["]", "["], shown: "] and [", text: "next and previous place of a clash", actions: places },
			{ keys: ["i"], shown: "I", text: "only the two bodies of the clash", actions: [() => this.set({ isolate: !state.isolate })] },
			{ keys: ["g"], shown: "G", text: "ghosts: more, fewer, none", actions: [moreGhosts] },
			{ keys: ["s"], shown: "S", text: "section plane", actions: [() => this.set({ section: !state.section })] },
			{ keys: [",", "."], shown: ", and .", text: "move the section plane", actions: [moveCut(-0.02), moveCut(0.02)] },
			{ keys: ["m"], shown: "M", text: "measure", actions: [() => this.toggleMeasuring()] },
			{ keys: ["a"], shown: "A", text: "show all", actions: [() => view.lookAtAll(state.up)] },
			{ keys: ["f"], shown: "F", text: "show the clash", actions: [() => this.aim()] },
			{ keys: ["ArrowLeft", "ArrowRight"], shown: "← and →", text: "earlier and later", actions: [() => timeline.step(-1), () => timeline.step(1)] },
			{ keys: [" "], shown: "Space", text: "play", actions: [() => timeline.toggle()] },
			{ keys: ["c"], shown: "C", text: "copy the clash as JSON", actions: [() => void copy(this.clashJson())] },
			{ keys: ["d"], shown: "D", text: "dark or light", actions: [() => this.set({ theme: this.isDark ? "light" : "dark" })] },
			{ keys: ["/"], shown: "/", text: "filter", actions: [() => $("filter").focus()] },
			{ keys: ["?"], shown: "?", text: "this list", actions: [() => $<HTMLDialogElement>("keys").showModal()] },
		];
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
			review: this.review,
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
