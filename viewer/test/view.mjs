// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What stands beside the picture: node view.mjs DUALBVH FOLDER. Flights of the camera, the inset of the whole, axes and scale
// bar, hidden contacts, the picture that is saved; ghosts and sections without WebGL.

import { readFileSync } from "node:fs";
import { openPage, startBrowser, withoutWebgl } from "./browser.mjs";
import { commandOf, countChecks } from "./command.mjs";
import { difference, findColour, readPng } from "./png.mjs";

const { folder, make, gen } = commandOf(process.argv);
const { check, finish } = countChecks();

// Two boxes that clash, two that do so far away, and a box in front of the first two.
for (const [name, size, at] of [["a", "2,2,2", "0,0,0"], ["b", "2,2,2", "1.5,0.5,0.5"], ["far", "2,2,2", "40,0,0"], ["other", "2,2,2", "41.7,0.3,0.2"], ["front", "4,1,4", "1,-5,0"]]) gen(name, "box", "--size", size, "--at", at);
make("view", "a.ply", "b.ply", "far.ply", "other.ply", "front.ply", "-o", "beside.html", "--quiet");
make("view", "a.ply", "b.ply", "front.ply", "-o", "three.html", "--quiet");

const a = [0x00, 0x72, 0xb2];
const ghost = [0x5a, 0x62, 0x70];
const contact = [0xf0, 0xe4, 0x42];
const overlap = [0xd0, 0x20, 0x2e];
const browser = await startBrowser();
const shot = async (page, name, id = "canvas") => {
	await page.evaluate(() => new Promise((done) => setTimeout(done, 120)));
	return readPng(await page.locator(`#${id}`).screenshot({ path: `${folder}/${name}.png` }));
};
const camera = (page) => page.evaluate(() => window.dualbvh.view.camera.position.toArray());
const apart = (x, y) => Math.hypot(...x.map((_, k) => x[k] - y[k]));
try {
	// A flight goes from one clash to the next, and ends where the camera stands without one.
	const still = await openPage(browser, `${folder}/beside.html`);
	const start = await camera(still.page);
	await still.page.click("#next");
	const end = await camera(still.page);
	check("the clashes are far from each other", apart(start, end) > 20, `${apart(start, end)}`);
	const flying = await openPage(browser, `${folder}/beside.html`, { reducedMotion: "no-preference" });
	const seen = await flying.page.evaluate(async () => {
		const places = [];
		document.getElementById("next").click();
		for (let i = 0; i < 200 && places.length < 400; ++i) {
			await new Promise((done) => requestAnimationFrame(done));
			places.push(window.dualbvh.view.camera.position.toArray());
			if (i > 3 && window.dualbvh.view.flight.at(performance.now()) === undefined) break;
		}
		return places;
	});
	check("the camera flies", seen.some((x) => apart(x, start) > 1 && apart(x, end) > 1), `${seen.length} places`);
	for (let i = 0; i < 100 && !(apart(await camera(flying.page), end) < 1e-6); ++i) await flying.page.waitForTimeout(100);
	check("and arrives", apart(await camera(flying.page), end) < 1e-6, `${await camera(flying.page)}`);
	await flying.page.click("#next");
	const wanted = await flying.page.evaluate(() => window.dualbvh.link());
	check("a link in flight is of where it goes", apart((decodeURIComponent(wanted.match(/camera=([^&]*)/)[1])).split(",").map(Number).slice(0, 3), start) < 1e-3, wanted);
	check("no mistake in flight", flying.mistakes.length === 0, flying.mistakes.join("; "));
	await flying.context.close();

	// The inset: the frame in it goes from one clash to the other; it is not there where all is seen.
	const { page, mistakes } = still;
	const second = findColour(await shot(page, "inset-2", "inset"), overlap, 60);
	await page.click("#previous");
	const first = findColour(await shot(page, "inset-1", "inset"), overlap, 60);
	check("the inset frames what is looked at", first.count > 20 && second.count > 20 && Math.hypot(first.x - second.x, first.y - second.y) > 15, JSON.stringify([first, second]));
	await page.click("#tab-view");
	await page.click("#all");
	check("and is not there where all is seen", await page.locator("#inset").isHidden());
	await page.click("#near");

	// The scale bar is as long as it says, in pixels between two points where the camera looks.
	const bar = await page.evaluate(() => {
		const { view, state } = window.dualbvh;
		const { width } = document.getElementById("bar").getBoundingClientRect();
		const across = view.controls.target.clone().set(1, 0, 0).applyQuaternion(view.camera.quaternion);
		const length = Number(document.getElementById("bar").textContent);
		const ends = [-0.5, 0.5].map((k) => view.project(view.controls.target.clone().addScaledVector(across, k * length)));
		return { width, length, pixels: ends[1][0] - ends[0][0], clash: state.clash };
	});
	check("the scale bar is as long as it says", Math.abs(bar.width - bar.pixels) < 2 && bar.width > 25 && bar.width < 140, JSON.stringify(bar));
	const ends = await page.evaluate(() => {
		window.dualbvh.view.setCamera([0, -20, 0, 0, 0, 0], "z");
		return new Promise((done) => setTimeout(() => done([...document.querySelectorAll("#axes line")].map((x) => [x.getAttribute("x2"), x.getAttribute("y2")].map(Number))), 200));
	});
	check("the axes go where they do", ends[0][0] > 38 && ends[2][1] < 10 && Math.hypot(ends[1][0] - 24, ends[1][1] - 24) < 1, JSON.stringify(ends));
	await page.click("#near");

	// The contact is drawn through what hides it, in dashes: less of it than where nothing does.
	await page.click("#tab-clashes");
	await page.check("#isolate");
	const behind = async (reveal) => {
		await page.evaluate((reveal) => window.dualbvh.set({ reveal }), reveal);
		return findColour(await shot(page, "hidden-contact"), contact, 30).count;
	};
	const dashed = await behind(false);
	const whole = await page.evaluate(() => {
		const { view } = window.dualbvh;
		for (const material of [view.contacts.hiddenCore, view.contacts.hiddenEdge]) {
			material.dashed = false;
			material.needsUpdate = true;
		}
		view.invalidate();
	}).then(() => behind(false));
	check("hidden contact is dashed", dashed > 100 && dashed < 0.95 * whole, `${dashed} of ${whole}`);

	// The picture that is saved: as wide as the drawing, with a text below.
	const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-picture")]);
	const poster = readPng(readFileSync(await saved.path()));
	const stage = await page.locator("#stage").boundingBox();
	check("the picture is saved", poster.width === Math.round(stage.width) && poster.height > stage.height + 40 && findColour(poster, a.map((x) => 0.85 * x), 60).count > 1000);
	const dark = (y) => Array.from({ length: poster.width }, (_, x) => poster.at(x, y)[0]).filter((x) => x < 100).length;
	const rows = Array.from({ length: poster.height - Math.round(stage.height) }, (_, i) => dark(Math.round(stage.height) + i));
	check("with its names below", rows.filter((x) => x > 5).length > 15, rows.join());
	check("no mistake beside the picture", mistakes.length === 0, mistakes.join("; "));
	await still.context.close();

	// Without WebGL: ghosts are every eighth pixel, a section is filled, and red where both bodies are.
	const flat = await openPage(browser, `${folder}/three.html`, { init: withoutWebgl });
	const set = (changes) => flat.page.evaluate((changes) => window.dualbvh.set(changes), changes);
	await set({ ghosts: 0 });
	await flat.page.click("#tab-view");
	await flat.page.click("#all");
	const without = await shot(flat.page, "flat-without");
	await set({ ghosts: 0.5 });
	const withGhosts = await shot(flat.page, "flat-ghosts");
	const share = difference(without, withGhosts);
	check("without WebGL ghosts are drawn", share > 0.002 && share < 0.1 && findColour(withGhosts, ghost, 30).count > findColour(without, ghost, 30).count, `${share}`);
	await set({ isolate: true });
	check("and left out", difference(without, await shot(flat.page, "flat-isolated")) < 0.001);
	await flat.page.click("#near");
	const closed = await shot(flat.page, "flat-closed");
	await set({ section: true, axis: "y", flip: true });
	const cut = await shot(flat.page, "flat-section");
	check("without WebGL a section cuts", difference(closed, cut) > 0.02, `${difference(closed, cut)}`);
	check("and is red where both are", findColour(cut, overlap, 30).count > 300 && findColour(cut, overlap, 30).count > 2 * findColour(closed, overlap, 30).count, JSON.stringify(findColour(cut, overlap, 30)));
	check("and filled with their colours", findColour(cut, a, 12).count > 500, JSON.stringify(findColour(cut, a, 12)));
	check("no mistake without WebGL", flat.mistakes.filter((x) => !/WebGL/.test(x)).length === 0, flat.mistakes.join("; "));
	await flat.context.close();
} finally {
	await browser.close();
}
finish();
