// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pages of runs that were compared with an earlier one: node review.mjs DUALBVH FOLDER. What is known, new and resolved is
// told, and the review file that the page saves has what was decided in it and all that was decided before.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { axeComplaints, openPage, startBrowser } from "./browser.mjs";
import { commandOf, countChecks } from "./command.mjs";

const { folder, run, gen } = commandOf(process.argv);
const { check, finish } = countChecks();

// A row of boxes that clash with their neighbours; the second model has lost one clash and has a new one.
for (const [name, at] of [["one", "0,0,0"], ["two", "1.5,0,0"], ["three", "3,0.5,0"], ["four", "4.5,0,0"]]) gen(name, "box", "--size", "2,2,2", "--at", at);
gen("five", "box", "--size", "2,2,2", "--at", "-0.7,1.5,0.5");
const scene = (four) => ({ schema: "dualbvh.scene/1", bodies: ["one", "two", "three", "four"].map((name) => ({ name, file: `${name}.ply`, ...(name === "four" ? { pose: [1, 0, 0, four, 0, 1, 0, 0, 0, 0, 1, 0] } : {}) })) });
writeFileSync(`${folder}/before.json`, JSON.stringify(scene(0)));
const after = scene(9);
after.bodies.push({ name: "five", file: "five.ply" });
writeFileSync(`${folder}/after.json`, JSON.stringify(after));
run("scene", "before.json", "--report", "json=baseline.json", "--quiet");

const browser = await startBrowser();
const text = (page, id) => page.locator(`#${id}`).innerText();
const saveReview = async (page, name) => {
	const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-review")]);
	await saved.saveAs(`${folder}/${name}`);
	return readFileSync(`${folder}/${name}`, "utf8");
};
const choose = (page, words) => page.locator("#list button", { hasText: words }).click();
try {
	// With --baseline
	check("a clash of the compared model is new", run("scene", "after.json", "--baseline", "baseline.json", "--html", "baseline.html", "--quiet") === 1);
	const { page, mistakes, context } = await openPage(browser, `${folder}/baseline.html`);
	const standings = await page.locator("#list button").evaluateAll((all) => all.map((x) => `${x.textContent.match(/^\w+ and \w+/)[0]}: ${x.dataset.standing}`).sort());
	check("new and known clashes are told apart", standings.join() === "five and one: new,one and two: known,three and two: known", standings.join());
	check("what is resolved is struck", (await page.locator("#list .resolved li").allInnerTexts()).join().startsWith("four and three: hard, resolved "), (await page.locator("#list .resolved").allInnerTexts()).join());
	await choose(page, "five and one");
	await page.fill("#reason", "agreed with Ann");
	await page.click("#accept");
	await choose(page, "one and two");
	await page.getByText("Assignee, comment").click();
	await page.fill("#assignee", "Bob");
	await page.fill("#comment", "seen on site");
	const saved = await saveReview(page, "from-baseline.txt");
	check("the review of a baseline has all of it", saved.includes("\nreview: dualbvh 2\n") && saved.includes("accepted: agreed with Ann") && saved.includes("assignee: Bob") && /resolved: \d/.test(saved), saved);
	check("with which nothing counts any more", run("scene", "after.json", "--review", "from-baseline.txt", "--quiet") === 0);
	check("and which the command keeps", readFileSync(`${folder}/from-baseline.txt`, "utf8").includes("accepted: agreed with Ann"));
	check("axe finds nothing (compared)", (await axeComplaints(page)) === "", await axeComplaints(page));
	check("no mistake with a baseline", mistakes.length === 0, mistakes.join("; "));
	await context.close();

	// With --compare
	check("models are compared", run("scene", "after.json", "--compare", "before.json", "--html", "compared.html", "--quiet") === 1);
	const compared = await openPage(browser, `${folder}/compared.html`);
	await choose(compared.page, "five and one");
	await compared.page.fill("#reason", "a fit");
	await compared.page.click("#accept");
	await saveReview(compared.page, "from-compared.txt");
	check("the review of a comparison is read", run("scene", "after.json", "--review", "from-compared.txt", "--quiet") === 0);
	await compared.context.close();

	// With --review: what people wrote stays, and what this page says goes before an older acceptance.
	rmSync(`${folder}/kept.txt`, { force: true }); // of an earlier run
	run("scene", "after.json", "--review", "kept.txt", "--quiet");
	const written = readFileSync(`${folder}/kept.txt`, "utf8").split("\n\n");
	const add = (a, b, lines) => written.map((x) => (x.includes(`\na: ${a}\nb: ${b}\n`) ? `${x}\n${lines}` : x));
	writeFileSync(`${folder}/kept.txt`, add("five", "one", "accepted: until spring\n and no longer\nby: Ann\nuntil: 2001-01-01\nassignee: Ann\ncomment: first\n second line").join("\n\n"));
	check("an acceptance is over", run("scene", "after.json", "--review", "kept.txt", "--html", "kept.html", "--quiet") === 1);
	const kept = await openPage(browser, `${folder}/kept.html`);
	const untouched = await saveReview(kept.page, "untouched.txt");
	check("without a decision the file is that of the run", untouched === readFileSync(`${folder}/kept.txt`, "utf8"));
	await choose(kept.page, "five and one");
	await kept.page.fill("#reason", "for good");
	await kept.page.click("#accept");
	await kept.page.getByText("Assignee, comment").click();
	await kept.page.fill("#comment", "second");
	const decided = await saveReview(kept.page, "decided.txt");
	check("a new acceptance ends the old one", decided.includes("accepted: for good") && !/spring|no longer|until: 2001|by: Ann/.test(decided), decided);
	check("and keeps the rest", decided.includes("comment: first\n second line") && decided.includes("comment: second") && decided.includes("assignee: Ann"));
	check("and the command agrees", run("scene", "after.json", "--review", "decided.txt", "--quiet") === 0 || (await text(kept.page, "found")) === "");
	check("no mistake with a review", kept.mistakes.length === 0, kept.mistakes.join("; "));
	await kept.context.close();
} finally {
	await browser.close();
}
finish();
