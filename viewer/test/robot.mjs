// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A page of a robot in many configurations: node robot.mjs DUALBVH FOLDER. Where the page puts the links is compared with
// where the command puts them.

import { readFileSync, writeFileSync } from "node:fs";
import { axeComplaints, openPage, startBrowser } from "./browser.mjs";
import { commandOf, countChecks } from "./command.mjs";
import { difference, readPng } from "./png.mjs";

const { folder, run } = commandOf(process.argv);
const { check, finish } = countChecks();

// Joints of every kind, whose axes and origins are along none of the axes; one follows another, one has no limits.
const link = (name, size) => `<link name="${name}"><collision><origin xyz="0.1 0 ${size / 2}" rpy="0.1 0 0.3"/><geometry><box size="0.2 0.3 ${size}"/></geometry></collision></link>`;
const joint = (name, type, parent, child, more, x = 0.05) => `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin xyz="${x} 0.02 1.3" rpy="0.2 -0.1 0.4"/>${more}</joint>`;
writeFileSync(
	`${folder}/robot.urdf`,
	`<robot name="r">${["base", "upper", "lower", "slide", "left", "right"].map((name) => link(name, 1)).join("")}
	${joint("pan", "continuous", "base", "upper", '<axis xyz="0 0 1"/>')}
	${joint("elbow", "revolute", "upper", "lower", '<axis xyz="0.6 0.8 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/>')}
	${joint("rail", "prismatic", "lower", "slide", '<axis xyz="0 0.6 0.8"/><limit lower="-0.2" upper="0.7" effort="1" velocity="1"/>')}
	${joint("mount", "fixed", "slide", "left", "")}
	${joint("twin", "revolute", "slide", "right", '<axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/><mimic joint="elbow" multiplier="-0.5" offset="0.25"/>', 0.9)}
	</robot>`,
);
const rows = [[0, 0, 0], [1, 2.4, 0.5], [-2, -2.4, -0.2], [3.1, 1.2, 0.7]];
writeFileSync(`${folder}/rows.txt`, `pan elbow rail\n${rows.map((row) => row.join(" ")).join("\n")}\n`);
const states = rows.map((row, i) => `<group_state name="s${i}" group="all">${["pan", "elbow", "rail"].map((name, k) => `<joint name="${name}" value="${row[k]}"/>`).join("")}</group_state>`);
writeFileSync(`${folder}/robot.srdf`, `<robot name="r"><group name="all"><joint name="pan"/><joint name="elbow"/><joint name="rail"/></group>${states.join("")}</robot>`);

const status = run("scene", "robot.urdf", "--srdf", "robot.srdf", "--joints", "rows.txt", "--html", "robot.html", "--quiet");
check("some configurations clash, and not all", status === 1, `${status}`);
const pictureOf = (name) => JSON.parse(readFileSync(`${folder}/${name}.html`, "utf8").match(/id="picture">([^]*?)<\/script>/)[1]);
const clashing = new Set(pictureOf("robot").clashes.map(({ frame }) => frame));
check("and the page has both", clashing.size > 0 && clashing.size < rows.length, [...clashing].join());

const browser = await startBrowser();
const { page, mistakes } = await openPage(browser, `${folder}/robot.html`);
const far = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
try {
	const count = await page.evaluate(() => window.dualbvh.picture.bodies.length);
	const posesOf = (frame, joints = []) => page.evaluate(([count, frame, joints]) => Array.from({ length: count }, (_, i) => [...window.dualbvh.picture.poseAt(i, frame, joints)]), [count, frame, joints]);
	for (const [i, row] of rows.entries()) {
		run("view", "robot.urdf", "--srdf", "robot.srdf", "--state", `s${i}`, "-o", `state${i}.html`, "--quiet");
		const placed = pictureOf(`state${i}`).bodies.map(({ pose }) => pose);
		const drawn = await posesOf(i);
		check(`configuration ${i} stands as the command puts it`, placed.length === count && placed.every((pose, k) => far(pose, drawn[k]) < 1e-12), JSON.stringify(placed.map((pose, k) => far(pose, drawn[k]))));
		check(`${row.join()} has its verdict`, (await page.evaluate((i) => window.dualbvh.picture.allFrames[i].state, i)) === (clashing.has(i) ? 1 : 0));
	}

	// Sliders: one for each joint that moves by itself, within its limits. At the values of another configuration the robot
	// stands as in that one, and the joint that follows does so.
	await page.click("#tab-joints");
	check("three joints move by themselves", (await page.locator("#joints input").count()) === 3);
	const limits = await page.locator("#joints input").evaluateAll((all) => all.map(({ min, max }) => [Number(min), Number(max)]));
	check("within their limits", String(limits) === String([[-Math.PI, Math.PI], [-2.5, 2.5], [-0.2, 0.7]]), String(limits));
	const clear = rows.findIndex((_, i) => !clashing.has(i));
	await page.locator("#frame").fill(String(clear));
	const shot = async () => readPng(await page.locator("#canvas").screenshot());
	const before = await shot();
	for (const [k, value] of rows[3].entries()) await page.locator("#joints input").nth(k).fill(String(value));
	const { joints, clash } = await page.evaluate(() => structuredClone(window.dualbvh.state));
	const [byHand, fromFile] = [await posesOf(clear, joints), await posesOf(3)];
	check("sliders move the links as rows do", byHand.every((pose, k) => far(pose, fromFile[k]) < 1e-9), JSON.stringify(joints));
	check("and the picture follows", difference(before, await shot()) > 0.01);
	check("nothing is said to clash there", clash === -1 && (await page.locator("#when").innerText()).includes("moved by hand") && /nobody has asked/.test(await page.locator("#joints-where").innerText()));
	const link = await page.evaluate(() => window.dualbvh.link());
	const other = await openPage(browser, `${folder}/robot.html`, { hash: link.replace(/^[^#]*/, "") });
	check("a link has the joints", String((await other.page.evaluate(() => window.dualbvh.state.joints)).map((x) => x.toFixed(5))) === String(joints.map((x) => x.toFixed(5))) && other.mistakes.length === 0, other.mistakes.join("; "));
	await other.context.close();
	check("axe finds nothing (joints)", (await axeComplaints(page)) === "", await axeComplaints(page));
	await page.click("#joints-back");
	check("and it goes back", (await page.evaluate(() => window.dualbvh.state.joints.length)) === 0 && difference(before, await shot()) < 0.005);

	// The timeline goes to the configurations that clash.
	const [first] = [...clashing].sort();
	await page.locator("#runs button").first().click();
	check("an entry of the timeline goes to its configuration", (await page.locator("#when").innerText()) === `configuration ${first}: clashing`, await page.locator("#when").innerText());
	await page.click("#tab-clashes");
	check("and its clash is told", (await page.locator("#chosen").innerText()).startsWith(`configuration ${first}: `), await page.locator("#chosen").innerText());
	const wrong = await openPage(browser, `${folder}/robot.html`, { hash: "#joints=1,2&tab=joints" });
	check("a link with too few joints does no harm", wrong.mistakes.length === 0 && (await wrong.page.evaluate(() => window.dualbvh.state.joints.length)) === 0, wrong.mistakes.join("; "));
	await wrong.context.close();
	check("no mistake with a robot", mistakes.length === 0, mistakes.join("; "));
} finally {
	await browser.close();
}
finish();
