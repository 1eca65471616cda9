// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests of the page in a real browser: node run.mjs DUALBVH FOLDER. Scenes, pages and screenshots stay in the folder.
// The last line is "N passed, N failed".

import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { axeComplaints, openPage, startBrowser, withoutWebgl } from "./browser.mjs";
import { commandOf, countChecks } from "./command.mjs";
import { difference, findColour, readPng } from "./png.mjs";

const require = createRequire(import.meta.url);
const command = commandOf(process.argv);
const { folder } = command;
const { check, finish } = countChecks();

// run STATUS ARGUMENT...
const run = (status, ...words) => {
	const got = command.run(...words);
	check(`dualbvh ${words.join(" ")} ends with ${status}`, got === status, `not ${got}`);
};
const box = (name, size, at) => run(0, "gen", "box", "--size", size, "--at", at, "-o", `${name}.ply`, "--quiet");

const a = [0x00, 0x72, 0xb2];
const b = [0xe6, 0x9f, 0x00];
const contact = [0xf0, 0xe4, 0x42];
const witness = [0xcc, 0x79, 0xa7];
const overlap = [0xd0, 0x20, 0x2e];
const hue = ([r, g, b]) => [r, g, b].map((x) => x * 0.85); // as lit

// Three clashes of boxes in a row, a gap, and a box far away.
box("a", "2,2,2", "0,0,0");
box("b", "2,2,2", "1.5,0.5,0.5");
box("c", "2,2,2", "3,1,1");
box("d", "2,2,2", "0,0,2.5");
box("e", "1,1,1", "0,12,0");
run(0, "gen", "gear", "-o", "gear.ply", "--quiet");
box("core", "1,1,1", "0.1,0.1,0.1");
run(0, "view", "a.ply", "core.ply", "-o", "within.html");
run(0, "view", "a.ply", "b.ply", "c.ply", "d.ply", "e.ply", "--clearance", "0.75", "--trees", "-o", "boxes.html", "--png", "png");
const gap = "1 0 0 30 0 1 0 0 0 0 1 0";
writeFileSync(`${folder}/moves.txt`, `${gap}\n1 0 0 26 0 1 0 0 0 0 1 0\n1 0 0 25.5 0 1 0 0 0 0 1 0\n${gap}\n`);
run(1, "check", "gear.ply", "gear.ply", "--poses", "moves.txt", "--relation", "--html", "poses.html");
run(1, "distance", "gear.ply", "gear.ply", "--poses", "moves.txt", "--html", "near.html");
run(1, "toi", "gear.ply", "gear.ply", "--from", "1 0 0 40 0 1 0 0 0 0 1 0", "--to", "1 0 0 20 0 1 0 0 0 0 1 0", "--html", "toi.html");
run(0, "check", "a.ply", "e.ply", "--html", "clear.html");
check("a page with little in it has at most 300 KB", statSync(`${folder}/clear.html`).size < 300e3, String(statSync(`${folder}/clear.html`).size));
run(0, "export", "a.ply", "b.ply", "c.ply", "-o", "all.glb", "--show", "bodies,contacts,clusters,overlap,levels,separation,distance");
run(0, "export", "a.ply", "e.ply", "-o", "plain.glb");
const hostile = "</script><img/src=x/onerror=window.hostile=1>";
writeFileSync(`${folder}/hostile.obj`, `o ${hostile}\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\no other\nv 1 1 -1\nv 0.2 0.3 2\nv 0.5 0.1 -1\nf 4 5 6\n`);
run(0, "view", "hostile.obj", "--split", "object", "--title", hostile, "-o", "hostile.html");
// As Scene.show() of the Python package puts it into notebooks, and as a URL.
const posesPage = readFileSync(`${folder}/poses.html`, "utf8");
const quoted = posesPage.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
const inFrame = (frame) => `<!doctype html><html data-state="ready"><link rel="icon" href="data:,"><div><iframe title="page" style="width: 1200px; height: 600px" ${frame}></iframe></div>`;
writeFileSync(`${folder}/notebook.html`, inFrame(`sandbox="allow-scripts" allow="clipboard-write" srcdoc="${quoted}"`));
writeFileSync(`${folder}/url.html`, inFrame(`src="data:text/html;base64,${Buffer.from(posesPage).toString("base64")}"`));

const browser = await startBrowser();
const shot = async (page, name) => {
	// Until nothing is drawn any more.
	await page.evaluate(() => new Promise((done) => setTimeout(done, 120)));
	const png = await page.locator("#canvas").screenshot({ path: `${folder}/${name}.png` });
	return readPng(png);
};
const state = (page) => page.evaluate(() => structuredClone(window.dualbvh.state));
const text = (page, id) => page.locator(`#${id}`).innerText();

try {
	// The page as it opens
	const { page, mistakes, context } = await openPage(browser, `${folder}/boxes.html`);
	check("the page is ready", (await page.evaluate(() => document.documentElement.dataset.state)) === "ready");
	check("five bodies", (await text(page, "summary")).startsWith("5 bodies, 60 triangles, 4 clashes"), await text(page, "summary"));
	const first = await shot(page, "first");
	const seenA = findColour(first, hue(a), 60);
	const seenB = findColour(first, hue(b), 60);
	const seenContact = findColour(first, contact, 20);
	check("A is to be seen", seenA.count > 3000, JSON.stringify(seenA));
	check("B is to be seen", seenB.count > 3000, JSON.stringify(seenB));
	check("A is on the left of B", seenA.x < seenB.x);
	check("the contact is to be seen", seenContact.count > 150, JSON.stringify(seenContact));
	check("the overlap is to be seen", findColour(first, [0xb8, 0x1c, 0x29], 70).count > 300);
	// Where the page says that the contact is, there is a line.
	const at = await page.evaluate(() => {
		const { picture, view, state } = window.dualbvh;
		const clash = picture.clashes[state.clash];
		const { points } = picture.line(clash.lines[0]);
		return [0, 1, 2].map((k) => view.project(view.place([0, 1, 2].map((c) => 0.5 * (points[3 * k + c] + points[3 * k + 3 + c])))));
	});
	for (const [x, y] of at) {
		let near = false;
		for (let dx = -3; dx <= 3; ++dx)
			for (let dy = -3; dy <= 3; ++dy) {
				const px = Math.round(x + dx);
				const py = Math.round(y + dy);
				if (px < 0 || py < 0 || px >= first.width || py >= first.height) continue;
				const p = first.at(px, py);
				near ||= Math.abs(p[0] - contact[0]) < 40 && Math.abs(p[1] - contact[1]) < 40 && Math.abs(p[2] - contact[2]) < 60;
			}
		check(`the contact line goes through ${Math.round(x)}, ${Math.round(y)}`, near);
	}

	// Next, previous, list
	const sentence = await text(page, "chosen");
	await page.click("#next");
	check("Next shows another sentence", (await text(page, "chosen")) !== sentence);
	check("Next shows another picture", difference(first, await shot(page, "second")) > 0.02);
	await page.click("#previous");
	check("Previous goes back", (await text(page, "chosen")) === sentence);
	check("the same picture again", difference(first, await shot(page, "again")) < 0.005);
	await page.locator("#list button").nth(2).click();
	check("the list chooses", (await page.locator("#list button").nth(2).getAttribute("aria-current")) === "true");
	await page.keyboard.press("n");
	await page.keyboard.press("p");
	check("the keys n and p", (await page.locator("#list button").nth(2).getAttribute("aria-current")) === "true");

	// Clearance, with the shortest way and its length
	await page.fill("#filter", "clearance");
	check("the filter leaves one", (await text(page, "found")) === "1 of 4 in the list", await text(page, "found"));
	await page.click("#next");
	check("its length is drawn", (await text(page, "label")) === "0.5", await text(page, "label"));
	check("the shortest way is drawn", findColour(await shot(page, "gap"), witness, 20).count > 30);
	await page.fill("#filter", "no such thing");
	check("a filter that nothing passes", (await text(page, "found")) === "0 of 4 in the list");
	await page.fill("#filter", "");
	await page.locator("#kinds input").first().uncheck();
	check("kinds are hidden", (await text(page, "found")) !== "4 in the list");
	await page.locator("#kinds input").first().check();

	// Where the list is low, it scrolls to the clash that is chosen.
	await page.setViewportSize({ width: 1280, height: 600 });
	await page.locator("#list button").last().click();
	const [row, list] = await Promise.all([page.locator("#list [aria-current=true]").boundingBox(), page.locator("#list").boundingBox()]);
	check("the chosen clash is seen in the list", row.y >= list.y - 1 && row.y + row.height <= list.y + list.height + 1, JSON.stringify([row, list]));
	await page.setViewportSize({ width: 1280, height: 800 });

	// Isolate, ghosts
	await page.locator("#list button").first().click();
	await page.locator("#tab-view").click();
	await page.click("#all");
	const all = await shot(page, "all");
	await page.locator("#tab-clashes").click();
	await page.check("#isolate");
	check("only two bodies are left", difference(all, await shot(page, "isolated")) > 0.002);
	check("two are visible", (await page.evaluate(() => window.dualbvh.view.bodies.filter((x) => x.visible).length)) === 2);
	await page.uncheck("#isolate");

	// Section
	await page.locator("#tab-view").click();
	await page.click("#near");
	const whole = await shot(page, "whole");
	await page.check("#section");
	const cut = await shot(page, "cut");
	check("the section cuts", difference(whole, cut) > 0.02);
	await page.selectOption("#axis", "z");
	const [drawing] = await Promise.all([page.waitForEvent("download"), page.click("#save-section")]);
	const svg = readFileSync(await drawing.path(), "utf8");
	const areas = [...svg.matchAll(/data-area="([^"]*)"/g)].map(([, text]) => Number(text));
	check("its drawing has two squares and their overlap", areas.length === 3 && [4, 4, 0.75].every((x, i) => Math.abs(areas[i] - x) < 1e-5), areas.join());
	check("of closed curves", [...svg.matchAll(/ d="([^"]*)"/g)].every(([, d]) => d.endsWith("Z")));
	await page.selectOption("#axis", "x");
	await page.check("#flip");
	check("the other half", difference(cut, await shot(page, "flipped")) > 0.02);
	await page.locator("#cut").fill("0.1");
	check("the plane moves", (await state(page)).cut === 0.1);
	check("the section is red where both are", findColour(cut, overlap, 90).count > 500, JSON.stringify(findColour(cut, overlap, 90)));
	await page.uncheck("#section");
	await page.uncheck("#flip");

	// Trees
	await page.locator("#tab-trees").click();
	const boxes = await shot(page, "trees");
	const volumes = () => page.evaluate(() => window.dualbvh.view.volumes.map((x) => x.count).filter((x) => x !== undefined));
	const setVolumes = (visible) => page.evaluate((on) => {
		for (const x of window.dualbvh.view.volumes) x.visible = on;
		window.dualbvh.view.invalidate();
	}, visible);
	await setVolumes(false);
	check("volumes are drawn", difference(boxes, await shot(page, "trees-without")) > 0.02);
	await setVolumes(true);
	for (const volume of ["sphere", "ellipsoid"]) {
		await page.selectOption("#volume", volume);
		check(`${volume}s are drawn`, difference(boxes, await shot(page, `trees-${volume}`)) > 0.01);
	}
	await page.locator("#level").fill("0");
	check("the level is said", (await text(page, "level-number")) === "0");
	check("one volume a tree at the root", String(await volumes()) === "1,1", String(await volumes()));
	const deepest = await page.locator("#level").getAttribute("max");
	await page.locator("#level").fill(deepest);
	const leaves = await page.evaluate(() => [0, 1].map((i) => {
		const { count, nodes } = window.dualbvh.picture.tree(i);
		const places = Array.from({ length: count }, (_, k) => k).filter((k) => nodes[4 * k + 2] <= 1);
		return [places.length, places.filter((k) => nodes[4 * k + 3] !== 0).length];
	}));
	check("all leaves are drawn", String(await volumes()) === `${leaves[0][0]},${leaves[1][0]}`, `${await volumes()} of ${leaves}`);
	const every = await shot(page, "leaves");
	await page.check("#visited");
	check("those that a search looks at are fewer", leaves.every(([count, seen]) => seen > 0 && seen < count), String(leaves));
	check("and they are drawn", String(await volumes()) === `${leaves[0][1]},${leaves[1][1]}`, `${await volumes()} of ${leaves}`);
	check("which is another picture", difference(every, await shot(page, "visited")) > 0.002);
	await page.uncheck("#visited");
	await page.locator("#tab-clashes").click();
	await page.waitForTimeout(500);
	check("the address follows", (await page.evaluate(() => location.hash)).includes("volume=ellipsoid"), await page.evaluate(() => location.hash));

	// Dark, units, JSON, a link that restores the view
	await page.keyboard.press("d");
	check("dark", (await page.evaluate(() => document.documentElement.dataset.theme)) === "dark");
	const dark = await shot(page, "dark");
	check("the background is dark", dark.at(5, 5)[0] < 60, String(dark.at(5, 5)));
	check("the contact is to be seen in the dark", findColour(dark, contact, 20).count > 150);
	const json = JSON.parse(await page.evaluate(() => window.dualbvh.clashJson()));
	check("JSON has the contact", json.polylines.length > 0 && json.polylines[0].points[0].length === 3);
	await page.click("#next");
	await page.evaluate(() => window.dualbvh.view.setCamera([9, -7, 6, 1, 0.5, 0.5], "z"));
	const link = await page.evaluate(() => window.dualbvh.link());
	const before = await shot(page, "linked");
	const other = await openPage(browser, `${folder}/boxes.html`, { hash: link.replace(/^[^#]*/, "") });
	check("the link restores the view", difference(before, await shot(other.page, "restored")) < 0.01);
	check("no mistake with a link", other.mistakes.length === 0, other.mistakes.join("; "));
	await other.context.close();
	const odd = await openPage(browser, `${folder}/boxes.html`, { hash: "#clash=99&place=7&frame=-3&tab=none&camera=1,2&level=x" });
	check("a link that is wrong does no harm", odd.mistakes.length === 0 && (await state(odd.page)).clash === 3, odd.mistakes.join("; "));
	await odd.context.close();

	// Accessibility, in both themes
	for (const theme of ["dark", "light"]) {
		await page.selectOption("#theme", theme);
		for (const tab of ["clashes", "parts", "view", "trees", "about"]) {
			await page.locator(`#tab-${tab}`).click();
			const found = await axeComplaints(page);
			check(`axe finds nothing (${theme}, ${tab})`, found === "", found);
		}
	}
	await page.keyboard.press("?");
	check("? shows the keys", await page.locator("#keys").evaluate((x) => x.open));
	check("axe finds nothing (keys)", (await axeComplaints(page)) === "", await axeComplaints(page));
	check("no mistake in the console", mistakes.length === 0, mistakes.join("; "));
	await context.close();

	// Parts, and what is accepted
	const parts = await openPage(browser, `${folder}/boxes.html`);
	await parts.page.click("#tab-parts");
	check("every part is in the tree", (await parts.page.locator("#parts input").count()) === 5);
	const { a: bodyA } = await parts.page.evaluate(() => window.dualbvh.picture.clashes[window.dualbvh.state.clash]);
	await parts.page.locator("#parts input").nth(bodyA).uncheck();
	const gone = findColour(await shot(parts.page, "hidden"), hue(a), 40).count;
	check("a hidden part is not drawn", gone < 300, `${gone} pixels`);
	await parts.page.click("#show-parts");
	check("it comes back", findColour(await shot(parts.page, "unhidden"), hue(a), 60).count > 3000);
	await parts.page.locator("#parts button").first().click();
	check("a part lists its clashes", (await text(parts.page, "found")).includes(" of "), await text(parts.page, "found"));
	await parts.page.click("#of-part");
	check("and all are listed again", (await text(parts.page, "found")) === "4 in the list");
	await parts.page.click("#tab-parts");
	const cells = await parts.page.locator("#matrix button").allInnerTexts();
	check("the matrix has each pair that clashes", cells.join() === "1,1,1,1", cells.join());
	await parts.page.getByRole("button", { name: "1 of d with a" }).click();
	check("a cell lists the clashes of two parts", (await text(parts.page, "found")) === "1 of 4 in the list" && /Only those of d with a/.test(await text(parts.page, "of-part")));
	check("and shows the first of them", /a and d|d and a/.test(await text(parts.page, "chosen")), await text(parts.page, "chosen"));
	await parts.page.click("#of-part");
	await parts.page.locator("#list button").first().click();
	await parts.page.fill("#reason", "fits: DIN 7168");
	await parts.page.click("#accept");
	check("one is accepted", (await text(parts.page, "accepted")) === "1 accepted");
	check("it is struck in the list", (await parts.page.locator("#list button.accepted").count()) === 1);
	const [saved] = await Promise.all([parts.page.waitForEvent("download"), parts.page.click("#save-accepted")]);
	await saved.saveAs(`${folder}/accepted.txt`);
	writeFileSync(`${folder}/reviewed.json`, "");
	run(1, "scene", "a.ply", "b.ply", "c.ply", "d.ply", "e.ply", "--clearance", "0.75", "--ignore", "accepted.txt", "--report", "json=reviewed.json", "--quiet");
	check("the command takes the file", readFileSync(`${folder}/reviewed.json`, "utf8").includes("fits: DIN 7168"));
	await parts.page.getByText("Assignee, comment").click();
	await parts.page.fill("#assignee", "Ann & Bob");
	await parts.page.fill("#comment", "seen on site");
	const chosenId = await parts.page.evaluate(() => window.dualbvh.picture.clashes[window.dualbvh.state.clash].id);
	const [review] = await Promise.all([parts.page.waitForEvent("download"), parts.page.click("#save-review")]);
	await review.saveAs(`${folder}/page.review.txt`);
	run(0, "scene", "a.ply", "b.ply", "c.ply", "d.ply", "e.ply", "--clearance", "0.75", "--review", "page.review.txt", "--report", "json=reviewed.json", "--quiet");
	const standings = JSON.parse(readFileSync(`${folder}/reviewed.json`, "utf8")).clashes;
	check("the command knows each clash of the review", standings.every((x) => x.standing === (x.id === chosenId ? "accepted" : "unchanged")), standings.map((x) => x.standing).join());
	const decided = standings.find((x) => x.id === chosenId);
	check("and what was decided", decided.accepted === "fits: DIN 7168" && decided.assignee === "Ann & Bob", JSON.stringify(decided));
	check("and the comment", readFileSync(`${folder}/page.review.txt`, "utf8").includes("comment: seen on site"));
	const [bcf] = await Promise.all([parts.page.waitForEvent("download"), parts.page.click("#save-bcf")]);
	await bcf.saveAs(`${folder}/page.bcf`);
	run(1, "scene", "a.ply", "b.ply", "c.ply", "d.ply", "e.ply", "--clearance", "0.75", "--report", "bcf=command.bcf", "--quiet");
	const topics = (name) => [...new Set(readFileSync(`${folder}/${name}.bcf`, "latin1").match(/[0-9a-f-]{36}(?=\/markup\.bcf)/g))].sort().join();
	check("BCF has the topics of the command's", topics("page").length === 4 * 37 - 1 && topics("page") === topics("command"), topics("page"));
	const stored = readFileSync(`${folder}/page.bcf`, "utf8");
	check("and what was decided", stored.includes("<AssignedTo>Ann &#38; Bob</AssignedTo>") && stored.includes("fits: DIN 7168") && stored.includes('TopicStatus="Accepted"'));
	writeFileSync(`${folder}/taken.review.txt`, "review: dualbvh 2\n");
	const review2 = ["scene", "a.ply", "b.ply", "c.ply", "d.ply", "e.ply", "--clearance", "0.75", "--review", "taken.review.txt", "--quiet"];
	run(1, ...review2);
	run(0, ...review2, "--from-bcf", "page.bcf");
	const taken = readFileSync(`${folder}/taken.review.txt`, "utf8");
	check("the command takes it back", taken.includes("assignee: Ann & Bob") && /comment: .*seen on site/.test(taken));
	check("and pictures", stored.includes("snapshot.png"));
	await parts.page.reload();
	await parts.page.waitForFunction(() => document.documentElement.dataset.state !== undefined);
	check("the browser has kept it", (await text(parts.page, "accepted")) === "1 accepted");
	await parts.page.click("#take-back");
	check("and it is taken back", (await parts.page.locator("#save-accepted").isHidden()) && parts.mistakes.length === 0, parts.mistakes.join("; "));
	await parts.context.close();

	// Measuring, exploding, parting
	const measuring = await openPage(browser, `${folder}/boxes.html`);
	const between = (x, y) => measuring.page.evaluate(([x, y]) => {
		const { picture, set, view } = window.dualbvh;
		const path = (i) => picture.bodies[i].path;
		const clash = picture.clashes.findIndex(({ a, b }) => [path(a), path(b)].sort().join() === [x, y].join());
		set({ clash, isolate: true });
		const middle = view.place([0.75, 0.25, 0.25]).toArray();
		view.setCamera([middle[0] + 7, middle[1] - 7, middle[2] + 6, ...middle], "z");
	}, [x, y]);
	const clickAt = async (...x) => {
		const [left, top] = await measuring.page.evaluate((x) => window.dualbvh.view.project(window.dualbvh.view.place(x)), x);
		await measuring.page.locator("#canvas").click({ position: { x: left, y: top } });
	};
	await between("a", "b");
	await shot(measuring.page, "unmeasured");
	await measuring.page.click("#measure");
	await clickAt(2.49, -0.46, 1.46);
	check("the first point is a vertex", (await text(measuring.page, "measured")).startsWith("vertex of b"), await text(measuring.page, "measured"));
	await clickAt(2.49, 1.46, 1.46);
	check("from vertex to vertex", (await text(measuring.page, "length")) === "2", await text(measuring.page, "length"));
	check("along the axes", (await text(measuring.page, "measured")).includes("0, 2, 0"), await text(measuring.page, "measured"));
	check("the line is drawn", findColour(await shot(measuring.page, "measured"), [0x00, 0x9e, 0x73], 25).count > 100);
	const measuredLink = await measuring.page.evaluate(() => window.dualbvh.link());
	const remeasured = await openPage(browser, `${folder}/boxes.html`, { hash: measuredLink.replace(/^[^#]*/, "") });
	check("a link has the measured length", (await text(remeasured.page, "length")) === "2" && remeasured.mistakes.length === 0, remeasured.mistakes.join("; "));
	await remeasured.context.close();
	await clickAt(2.5, 0.5, 0.5);
	await clickAt(1.7, 0.5, 1.5);
	check("axe finds nothing (measured)", (await axeComplaints(measuring.page)) === "", await axeComplaints(measuring.page));
	check("the angle of two faces", /face of b to face of b[^]*Angle\s+90°/.test(await text(measuring.page, "measured")), await text(measuring.page, "measured"));
	await clickAt(2.5, 0.5, 1.5);
	await clickAt(2.5, 0.5, -0.49);
	check("the distance of parallel edges", /edge of b to edge of b[^]*Between the edges\s+2$/m.test(await text(measuring.page, "measured")), await text(measuring.page, "measured"));
	await measuring.page.keyboard.press("m");
	check("and it is put away", (await measuring.page.locator("#measured").isHidden()) && (await measuring.page.locator("#length").isHidden()));
	const wrong = await openPage(browser, `${folder}/boxes.html`, { hash: "#measured=v.9.1,e.0.0.99.5&measures=true" });
	check("features that are not there do no harm", wrong.mistakes.length === 0 && (await wrong.page.locator("#length").isHidden()), wrong.mistakes.join("; "));
	await wrong.context.close();
	await measuring.page.evaluate(() => window.dualbvh.set({ isolate: false }));
	const stands = () => measuring.page.evaluate(() => window.dualbvh.view.bodies.map((mesh) => mesh.matrix.elements.slice(12, 15)));
	const stood = await stands();
	await measuring.page.evaluate(() => window.dualbvh.set({ explode: 0.5 }));
	const after = await stands();
	const pair = await measuring.page.evaluate(() => [window.dualbvh.picture.clashes[window.dualbvh.state.clash]].flatMap(({ a, b }) => [a, b]));
	check("exploded, only the two stay", after.every((x, i) => pair.includes(i) === (Math.hypot(...x.map((y, k) => y - stood[i][k])) < 1e-9)));
	await measuring.page.evaluate(() => window.dualbvh.set({ explode: 0, parted: 1 }));
	const { move, b: second } = await measuring.page.evaluate(() => window.dualbvh.picture.clashes[window.dualbvh.state.clash]);
	const parted = await stands();
	check("B goes along its move", parted[second].every((x, k) => Math.abs(x - stood[second][k] - move[k]) < 1e-9));
	await measuring.page.evaluate(() => window.dualbvh.set({ parted: 0 }));
	check("and all come back", JSON.stringify(await stands()) === JSON.stringify(stood));
	check("no mistake while measuring", measuring.mistakes.length === 0, measuring.mistakes.join("; "));
	await measuring.context.close();

	// A body within another one is seen through it.
	const within = await openPage(browser, `${folder}/within.html`);
	const covering = () => within.page.evaluate(() => {
		const { picture, view } = window.dualbvh;
		return picture.bodies[view.covering]?.path ?? "";
	});
	check("the outer one hides the inner one", (await covering()) === "a", await covering());
	const through = await shot(within.page, "through");
	await within.page.click("#tab-view");
	await within.page.uncheck("#reveal");
	const opaque = await shot(within.page, "opaque");
	check("and is transparent, unless one does not want it", findColour(opaque, hue(a), 60).count > 2 * findColour(through, hue(a), 60).count && difference(through, opaque) > 0.05);
	check("no mistake with bodies within each other", within.mistakes.length === 0, within.mistakes.join("; "));
	await within.context.close();

	// Print: a page for each clash; the order of the list; marks
	const printed = await openPage(browser, `${folder}/boxes.html`);
	await printed.page.pdf({ path: `${folder}/boxes.pdf`, printBackground: true });
	const pdf = readFileSync(`${folder}/boxes.pdf`, "latin1");
	check("four clashes are four printed pages", (pdf.match(/\/Type\s*\/Page\b/g) ?? []).length === 4, `${(pdf.match(/\/Type\s*\/Page\b/g) ?? []).length}`);
	check("nothing of it stays", (await printed.page.locator("#print > *").count()) === 0);
	await printed.page.selectOption("#sort", "name");
	const names = await printed.page.locator("#list button").allInnerTexts();
	check("the list is sorted by name", names.join() === [...names].sort().join(), names.join());
	const marks = await printed.page.evaluate(() => {
		const { picture, view, state } = window.dualbvh;
		const other = picture.clashes.findIndex((_, i) => i !== state.clash);
		return { other, at: view.project(view.place(picture.clashes[other].point)) };
	});
	await printed.page.locator("#canvas").click({ position: { x: marks.at[0], y: marks.at[1] } });
	check("a click on a mark chooses its clash", (await state(printed.page)).clash === marks.other, `${(await state(printed.page)).clash}`);
	check("no mistake with print", printed.mistakes.length === 0, printed.mistakes.join("; "));
	await printed.context.close();

	// A phone: each clash of the list can be reached.
	for (const [width, height] of [[390, 800], [800, 390]]) {
		const phone = await openPage(browser, `${folder}/boxes.html`, { width, height });
		await phone.page.locator("#list button").last().click();
		const box = await phone.page.locator("#list button").last().boundingBox();
		check(`axe finds nothing at ${width} x ${height}`, (await axeComplaints(phone.page)) === "", await axeComplaints(phone.page));
		check(`the list is reached at ${width} x ${height}`, box.y >= 0 && box.y + box.height <= height && phone.mistakes.length === 0, JSON.stringify(box));
		await phone.context.close();
	}

	// Without WebGL the list and the numbers stay.
	const flat = await openPage(browser, `${folder}/boxes.html`, { init: withoutWebgl });
	check("without WebGL the page says so", (await text(flat.page, "note")).includes("WebGL is missing"), await text(flat.page, "note"));
	const plain = await shot(flat.page, "plain");
	for (const [name, colour] of [["A", hue(a)], ["B", hue(b)], ["the contact", contact], ["the overlap", [0xb8, 0x1c, 0x29]]])
		check(`without WebGL ${name} is to be seen`, findColour(plain, colour, 60).count > 150, JSON.stringify(findColour(plain, colour, 60)));
	const [withA, plainA] = [first, plain].map((png) => findColour(png, hue(a), 60));
	check("at the same place", Math.hypot(withA.x - plainA.x, withA.y - plainA.y) < 12, JSON.stringify([withA, plainA]));
	await flat.page.mouse.move(300, 300);
	await flat.page.mouse.down();
	await flat.page.mouse.move(400, 340, { steps: 3 });
	await flat.page.mouse.up();
	check("without WebGL a hand turns it", difference(plain, await shot(flat.page, "plain-turned")) > 0.02);
	check("axe finds nothing (without WebGL)", (await axeComplaints(flat.page)) === "", await axeComplaints(flat.page));
	check("no mistake without WebGL", flat.mistakes.filter((x) => !/WebGL/.test(x)).length === 0, flat.mistakes.join("; "));
	await flat.page.click("#next");
	check("without WebGL the clashes are there", (await text(flat.page, "chosen")).includes("Depth") && (await text(flat.page, "found")) === "4 in the list");
	await flat.context.close();

	// Poses
	const poses = await openPage(browser, `${folder}/poses.html`);
	check("the first clash is chosen", (await text(poses.page, "when")) === "pose 1: clashing", await text(poses.page, "when"));
	const touching = await shot(poses.page, "pose1");
	await poses.page.locator("#frame").fill("2");
	check("the slider says the pose", (await text(poses.page, "when")) === "pose 2: clashing");
	check("the sentence follows", (await text(poses.page, "chosen")).startsWith("pose 2: gear (A) and gear (B) overlap"));
	const told = await text(poses.page, "chosen");
	check("how deep and how much is told", /Depth\s+0\.\d/.test(told) && /Volume\s+\d/.test(told), told);
	check("the body moves", difference(touching, await shot(poses.page, "pose2")) > 0.005);
	await poses.page.locator("#canvas").focus();
	await poses.page.keyboard.press("ArrowRight");
	check("the right arrow goes on", (await text(poses.page, "when")).startsWith("pose 3: clear"), await text(poses.page, "when"));
	const ends = await poses.page.locator("#ends span").allInnerTexts();
	check("the plot says where it begins and ends", ends.join() === "pose 0,distance from 0 to 4,pose 3", ends.join());
	const runs = await poses.page.locator("#runs button").allInnerTexts();
	check("poses in a row that clash are one entry", runs.join() === "1 to 2", runs.join());
	await poses.page.locator("#runs button").click();
	check("a click goes to the first of them", (await text(poses.page, "when")) === "pose 1: clashing");
	const { width: plotWidth } = await poses.page.locator("#plot").boundingBox();
	await poses.page.locator("#plot").click({ position: { x: plotWidth - 2, y: 30 } });
	check("a click on the plot goes to its pose", (await text(poses.page, "when")).startsWith("pose 3"), await text(poses.page, "when"));
	check("axe finds nothing (poses)", (await axeComplaints(poses.page)) === "", await axeComplaints(poses.page));
	await poses.page.click("#play");
	await poses.page.waitForFunction(() => document.getElementById("frame").value !== "3");
	await poses.page.click("#play");
	check("no mistake with poses", poses.mistakes.length === 0, poses.mistakes.join("; "));
	await poses.context.close();

	const near = await openPage(browser, `${folder}/near.html`);
	await near.page.fill("#nearer", "4.5");
	check("what is nearer than a limit is marked", (await near.page.locator("#runs button").allInnerTexts()).join() === "0 to 3", (await near.page.locator("#runs").innerText()));
	await near.page.fill("#nearer", "0");
	check("and no longer", (await near.page.locator("#runs button").allInnerTexts()).join() === "1 to 2");
	const untrailed = await shot(near.page, "untrailed");
	await near.page.click("#tab-view");
	await near.page.check("#trail");
	check("the trail of what moves is drawn", difference(untrailed, await shot(near.page, "trail")) > 0.005 && (await near.page.evaluate(() => window.dualbvh.view.trail.count)) === 4);
	await near.page.uncheck("#trail");
	check("and put away", difference(untrailed, await shot(near.page, "trailless")) < 0.005);
	check("no mistake with a limit and a trail", near.mistakes.length === 0, near.mistakes.join("; "));
	await near.context.close();

	// A motion, and nothing that clashes
	const toi = await openPage(browser, `${folder}/toi.html`);
	check("the time of the impact", (await text(toi.page, "when")).startsWith("time 0.7"), await text(toi.page, "when"));
	check("the contact of the impact", findColour(await shot(toi.page, "toi"), contact, 20).count > 100);
	check("no mistake with a motion", toi.mistakes.length === 0, toi.mistakes.join("; "));
	await toi.context.close();
	const clear = await openPage(browser, `${folder}/clear.html`, { width: 500, height: 800 });
	check("how far apart", (await text(clear.page, "chosen")).includes("a and e are 10.5 apart"), await text(clear.page, "chosen"));
	check("no mistake where all is clear", clear.mistakes.length === 0, clear.mistakes.join("; "));
	await clear.context.close();

	// Names that would be markup, and a script that is none of the page
	const safe = await openPage(browser, `${folder}/hostile.html`);
	check("a hostile name is a name", (await text(safe.page, "legend")).includes(hostile), await text(safe.page, "legend"));
	check("and no element", (await safe.page.locator("img").count()) === 0 && (await safe.page.evaluate(() => window.hostile)) === undefined);
	check("no mistake with a hostile name", safe.mistakes.length === 0, safe.mistakes.join("; "));
	await safe.page.evaluate((markup) => {
		document.getElementById("about").innerHTML = markup.replace("</script>", "");
	}, hostile);
	await safe.page.waitForTimeout(200);
	check("the policy stops what is no part of the page", (await safe.page.evaluate(() => window.hostile)) === undefined && safe.mistakes.length > 0);
	await safe.context.close();

	// In notebooks
	for (const name of ["notebook", "url"]) {
		const outer = await openPage(browser, `${folder}/${name}.html`);
		const frame = outer.page.frames()[1];
		await frame.waitForFunction(() => document.documentElement.dataset.state !== undefined, null, { timeout: 60000 });
		check(`${name}: the page is ready`, (await frame.evaluate(() => document.documentElement.dataset.state)) === "ready");
		await frame.locator("#frame").fill("2");
		check(`${name}: the slider works`, (await frame.locator("#when").innerText()) === "pose 2: clashing");
		await outer.page.waitForTimeout(600);
		check(`${name}: no mistake`, outer.mistakes.length === 0, outer.mistakes.join("; "));
		await outer.context.close();
	}

	// Thumbnails, drawn without a browser, are of the same things.
	const pictures = readdirSync(`${folder}/png`).filter((name) => !name.startsWith("tree-"));
	check("there is a thumbnail", pictures.length > 0);
	for (const name of pictures) {
		const png = readPng(readFileSync(`${folder}/png/${name}`));
		const inked = (left, right) => Array.from({ length: 60 * (right - left) }, (_, i) => png.at(left + (i % (right - left)), png.height - 64 + Math.floor(i / (right - left)))).filter((x) => Math.max(...x) < 8).length;
		check(`${name} has names, a measure and a scale`, inked(0, 150) > 200 && inked(png.width - 150, png.width) > 100, `${inked(0, 150)} ${inked(png.width - 150, png.width)}`);
		check(`${name} shows A, B and what is between`, findColour(png, hue(a), 60).count > 1000 && findColour(png, hue(b), 60).count > 1000 &&
			findColour(png, contact, 30).count + findColour(png, witness, 30).count > 30);
	}
} finally {
	await browser.close();
}

const validator = require("gltf-validator");
for (const name of ["all.glb", "plain.glb"]) {
	const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(`${folder}/${name}`)));
	check(`gltf-validator on ${name}`, issues.numErrors + issues.numWarnings + issues.numInfos + issues.numHints === 0, JSON.stringify(issues.messages));
}

finish();
