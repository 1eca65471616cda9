// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The picture as a PNG that stands alone: with the sentence, the names, the length at its line and the scale bar.

import { $ } from "./dom";

const LINE = 22;
const FONT = "15px system-ui, sans-serif";

function drawImage(url: string): Promise<HTMLImageElement> {
	return new Promise((done, fail) => {
		const image = new Image();
		image.onload = () => done(image);
		image.onerror = fail;
		image.src = url;
	});
}

// Labels and legend are drawn as they stand on the page.
export async function posterOf(snapshot: string, title: string, sentence: string): Promise<Blob | undefined> {
	const stage = $("stage").getBoundingClientRect();
	const canvas = document.createElement("canvas");
	const items = [...document.querySelectorAll<HTMLElement>("#legend span")];
	const lines = [title, sentence].filter((text) => text !== "");
	canvas.width = Math.round(stage.width);
	canvas.height = Math.round(stage.height) + LINE * (lines.length + 1) + 12;
	const context = canvas.getContext("2d");
	if (!context || snapshot === "") return undefined;
	const style = getComputedStyle(document.documentElement);
	const colour = (name: string): string => style.getPropertyValue(name).trim();
	context.fillStyle = colour("--panel");
	context.fillRect(0, 0, canvas.width, canvas.height);
	context.drawImage(await drawImage(snapshot), 0, 0, stage.width, stage.height);
	context.font = FONT;
	context.textBaseline = "middle";
	const write = (text: string, x: number, y: number): void => {
		context.fillStyle = colour("--text");
		context.fillText(text, x, y, canvas.width - x - 8);
	};
	for (const id of ["label", "length"]) {
		const label = $(id);
		if (label.hidden || label.textContent === "") continue;
		const box = label.getBoundingClientRect();
		context.fillStyle = colour("--panel");
		context.fillRect(box.left - stage.left, box.top - stage.top, box.width, box.height);
		write(label.textContent ?? "", box.left - stage.left + 8, box.top - stage.top + box.height / 2);
	}
	let x = 8;
	const y = stage.height + LINE / 2 + 4;
	for (const item of items) {
		context.fillStyle = colour(item.style.getPropertyValue("--colour").slice(4, -1));
		context.fillRect(x, y - 6, 12, 12);
		context.strokeStyle = "#000000";
		context.strokeRect(x, y - 6, 12, 12);
		write(item.textContent ?? "", x + 18, y);
		x += 18 + context.measureText(item.textContent ?? "").width + 16;
	}
	const bar = $("bar");
	if (!bar.hidden) {
		const { width } = bar.getBoundingClientRect();
		context.fillStyle = colour("--text");
		context.fillRect(canvas.width - width - 10, stage.height - 10, width, 3);
		context.textAlign = "center";
		context.fillText(bar.textContent ?? "", canvas.width - width / 2 - 10, stage.height - 22);
		context.textAlign = "start";
	}
	lines.forEach((text, i) => write(text, 8, y + LINE * (i + 1)));
	return new Promise((done) => canvas.toBlob((blob) => done(blob ?? undefined), "image/png"));
}
