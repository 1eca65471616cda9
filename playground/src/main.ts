// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The page: files come in, B is dragged, and the answer follows.

import { init } from "dualbvh/single";
import { Vector3 } from "three";
import { type Answer, ask, deeper } from "./answer";
import { type Body, examples, readBody } from "./bodies";
import { View } from "./view";

const REST = 250; // ms without a move until depth and volume are asked for

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const axes = ["x", "y", "z"] as const;

class Playground {
	private readonly view = new View($<HTMLCanvasElement>("canvas"));
	private readonly offset = new Vector3();
	private timer = 0;
	private way?: readonly number[];

	constructor(private readonly bodies: [Body, Body]) {
		this.view.onDrag = (by) => this.moveTo(this.offset.clone().add(by));
		this.listen();
		this.show();
	}

	private listen(): void {
		for (const [i, id] of ["file-a", "file-b"].entries())
			$<HTMLInputElement>(id).addEventListener("change", (e) => void this.take([...((e.target as HTMLInputElement).files ?? [])], i));
		addEventListener("dragover", (e) => e.preventDefault());
		addEventListener("drop", (e) => {
			e.preventDefault();
			const files = [...(e.dataTransfer?.files ?? [])];
			void this.take(files, files.length > 1 || e.clientX < innerWidth / 2 ? 0 : 1);
		});
		for (const axis of axes) $<HTMLInputElement>(axis).addEventListener("change", () => this.moveTo(new Vector3(...axes.map((k) => Number($<HTMLInputElement>(k).value) || 0))));
		$("reset").addEventListener("click", () => this.moveTo(new Vector3()));
		$("free").addEventListener("click", () => this.way && this.moveTo(this.offset.clone().add(new Vector3(...this.way))));
		$("all").addEventListener("click", () => this.view.showAll());
	}

	// The first file is body `from`, a second one the other.
	private async take(files: File[], from: number): Promise<void> {
		$("mistake").textContent = "";
		for (const [i, file] of files.slice(0, 2).entries()) {
			try {
				const body = await readBody(file);
				this.bodies[(from + i) % 2].tree.dispose();
				this.bodies[(from + i) % 2] = body;
			} catch (error) {
				$("mistake").textContent = `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
			}
		}
		this.offset.set(0, 0, 0);
		this.show();
	}

	private show(): void {
		for (const [i, id] of ["name-a", "name-b"].entries()) {
			const { name, mesh, isClosed } = this.bodies[i];
			$(id).textContent = `${name}: ${(mesh.indices.length / 3).toLocaleString("en")} triangles${isClosed ? "" : ", open"}`;
		}
		this.view.setBodies(this.bodies.map((body) => body.mesh) as [Body["mesh"], Body["mesh"]]);
		this.moveTo(this.offset);
		this.view.showAll();
	}

	private moveTo(offset: Vector3): void {
		this.offset.copy(offset);
		for (const axis of axes) $<HTMLInputElement>(axis).value = String(Number(this.offset[axis].toPrecision(9)));
		this.view.moveB(this.offset);
		clearTimeout(this.timer);
		this.tell();
	}

	private tell(): void {
		const { x, y, z } = this.offset;
		const pose = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1);
		try {
			const answer = ask(...this.bodies, pose);
			this.showAnswer(answer);
			document.documentElement.dataset.state = answer.hasDepth ? "asking" : "done";
			if (answer.hasDepth) this.timer = window.setTimeout(() => this.tellDeeper(pose, answer, 0), REST);
		} catch (error) {
			$("verdict").textContent = error instanceof Error ? error.message : String(error);
			$("facts").replaceChildren();
			document.documentElement.dataset.state = "done";
		}
	}

	// One question at a time, so that B can be moved between them.
	private tellDeeper(pose: Float64Array, answer: Answer, step: number): void {
		try {
			deeper[step](...this.bodies, pose, answer);
		} catch {
			// There is no such fact of these meshes.
		}
		this.showAnswer(answer);
		if (step + 1 < deeper.length) this.timer = window.setTimeout(() => this.tellDeeper(pose, answer, step + 1), 0);
		else document.documentElement.dataset.state = "done";
	}

	private showAnswer(answer: Answer): void {
		this.way = answer.way;
		$<HTMLButtonElement>("free").disabled = !answer.way;
		$("verdict").textContent = answer.verdict;
		$("facts").replaceChildren(
			...answer.facts.flatMap(([name, text]) => {
				const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
				dt.textContent = name;
				dd.textContent = text;
				return [dt, dd];
			}),
		);
		this.view.showAnswer(answer);
	}
}

init()
	.then(() => new Playground(examples()))
	.catch((error: unknown) => {
		$("verdict").textContent = `This browser cannot run it: ${error instanceof Error ? error.message : String(error)}`;
	});
