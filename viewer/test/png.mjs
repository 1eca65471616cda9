// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reads the PNGs that browsers and dualbvh write: eight bits, RGB or RGBA, not interlaced.

import { inflateSync } from "node:zlib";

export function readPng(file) {
	const bytes = Buffer.from(file);
	const parts = [];
	let width = 0;
	let height = 0;
	let channels = 3;
	for (let at = 8; at < bytes.length; ) {
		const length = bytes.readUInt32BE(at);
		const name = bytes.toString("latin1", at + 4, at + 8);
		if (name === "IHDR") {
			width = bytes.readUInt32BE(at + 8);
			height = bytes.readUInt32BE(at + 12);
			channels = bytes[at + 17] === 6 ? 4 : 3;
			if (bytes[at + 16] !== 8 || bytes[at + 20] !== 0) throw new Error("a PNG of another kind");
		}
		if (name === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
		at += 12 + length;
	}
	const raw = inflateSync(Buffer.concat(parts));
	const row = width * channels;
	const out = new Uint8Array(row * height);
	for (let y = 0; y < height; ++y) {
		const filter = raw[y * (row + 1)];
		for (let i = 0; i < row; ++i) {
			const left = i >= channels ? out[y * row + i - channels] : 0;
			const up = y > 0 ? out[(y - 1) * row + i] : 0;
			const corner = i >= channels && y > 0 ? out[(y - 1) * row + i - channels] : 0;
			const guess = left + up - corner;
			const [dl, du, dc] = [left, up, corner].map((x) => Math.abs(guess - x));
			const paeth = dl <= du && dl <= dc ? left : du <= dc ? up : corner;
			const add = [0, left, up, (left + up) >> 1, paeth][filter];
			out[y * row + i] = raw[y * (row + 1) + 1 + i] + add;
		}
	}
	return { width, height, at: (x, y) => out.subarray(y * row + x * channels, y * row + x * channels + 3) };
}

// How many pixels are about of a colour, and where their middle is.
export function findColour(png, [r, g, b], tolerance = 40) {
	let count = 0;
	let x = 0;
	let y = 0;
	for (let j = 0; j < png.height; ++j)
		for (let i = 0; i < png.width; ++i) {
			const at = png.at(i, j);
			if (Math.max(Math.abs(at[0] - r), Math.abs(at[1] - g), Math.abs(at[2] - b)) > tolerance) continue;
			++count;
			x += i;
			y += j;
		}
	return { count, x: x / count, y: y / count };
}

// The part of pixels that differ by more than a little.
export function difference(a, b) {
	if (a.width !== b.width || a.height !== b.height) return 1;
	let different = 0;
	for (let y = 0; y < a.height; ++y)
		for (let x = 0; x < a.width; ++x) {
			const [p, q] = [a.at(x, y), b.at(x, y)];
			different += Math.max(...[0, 1, 2].map((k) => Math.abs(p[k] - q[k]))) > 24 ? 1 : 0;
		}
	return different / (a.width * a.height);
}

// How many pixels of a page's picture have the hues of A, of B and of a contact: lit, in shadow, or transparent over grey. For
// page.evaluate().
export function countHues() {
	const canvas = document.createElement("canvas");
	const drawn = document.getElementById("canvas");
	canvas.width = drawn.width;
	canvas.height = drawn.height;
	const context = canvas.getContext("2d");
	context.drawImage(drawn, 0, 0);
	const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
	const counts = { a: 0, b: 0, contact: 0 };
	for (let i = 0; i < data.length; i += 4) {
		const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
		const most = Math.max(r, g, b);
		const range = most - Math.min(r, g, b);
		if (range < 20) continue;
		const hue = 60 * (most === r ? ((g - b) / range + 6) % 6 : most === g ? (b - r) / range + 2 : (r - g) / range + 4);
		if (hue > 190 && hue < 215) ++counts.a;
		else if (hue > 51 && hue < 61 && range > 0.55 * most && most > 200) ++counts.contact;
		else if (hue > 30 && hue < 48) ++counts.b;
	}
	return counts;
}
