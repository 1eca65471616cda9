#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The reports of `dualbvh scene`: each is what its readers take, whatever bodies are called. Schemas are checked where
# xmllint is, tables and archives where python3 is; `./scripts/soak reports` asks the readers' own validators.
#
#   reports.sh path/to/dualbvh path/to/schemas

schemas=$(cd "$2" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

gen box --size 2,2,2 -o a.ply
gen box --size 2,2,2 --at 1.5,0,0 -o b.ply
gen box --size 1,1,1 -o inner.ply
gen box --size 2,2,2 --at 3.5,0,0 -o touching.ply
gen box --size 2,2,2 --at 0,2.25,0 -o near.ply
odd=$'=a,"b" <c>&\x02\xc3\xa4\xff%0A\n::error::d]]>.ply'
is_posix || odd=$'=a,\'b\' &\xc3\xa4%0A]].ply' # Windows has no quotes, brackets and control characters in names
cp a.ply "$odd"
{
	echo 'OFF'
	echo '4 2 0'
	printf '%s\n' '-9 -9 -9' '9 -9 -9' '9 9 9' '-9 9 9' '3 0 1 2' '3 0 2 3'
} >open.off
gen box --size 1,1,1 --at 0,0,-5 -o held.ply # in the box of what is open
files=(a.ply b.ply inner.ply touching.ply near.ply open.off held.ply "$odd")
echo "inner a meant & <known>" >ignores.txt
bcf=,bcf=r.bcf
if ! "$dualbvh" --version | grep >/dev/null 'with libzip'; then
	bcf=
	expect 2 scene a.ply b.ply --report bcf=r.bcf
	says err 'libzip'
	expect 2 scene a.ply b.ply --report bcf21=r.bcf
	says err 'libzip'
fi
export SOURCE_DATE_EPOCH=1700000000

# valid SCHEMA FILE: where there is an xmllint.
valid() {
	command -v xmllint >/dev/null || return 0
	if xmllint --noout --schema "$schemas/$1" "$2" 2>err; then good; else bad "$2 is not valid"; fi
}
# python WHAT PROGRAM: where there is a python3.
python() {
	command -v python3 >/dev/null || return 0
	if python3 - 2>err <<<"$2"; then good; else bad "$1"; fi
}

expect 1 scene "${files[@]}" --clearance 0.5 --ignore ignores.txt --report "junit=r.xml,sarif=r.sarif" \
	--report "json=r.json,csv=r,1.csv,github=-$bcf"
cp out text
that "no file is left behind" [ -z "$(find . -name '*.tmp')" ]

# ---- JUnit
valid junit.xsd r.xml
count() { grep -c "$1" r.xml; }
tests=$(sed -nE 's/.*<testsuite .*tests="([0-9]+)".*/\1/p' r.xml)
that "as many cases as are said" [ "$(count '<testcase')" -eq "$tests" ]
that "as many failures as are said" [ "$(count '<failure')" -eq "$(sed -nE 's/.*<testsuite .*failures="([0-9]+)".*/\1/p' r.xml)" ]
that "as many errors as are said" [ "$(count '<error')" -eq "$(sed -nE 's/.*<testsuite .*errors="([0-9]+)".*/\1/p' r.xml)" ]
that "as many skipped as are said" [ "$(count '<skipped')" -eq "$(sed -nE 's/.*<testsuite .*skipped="([0-9]+)".*/\1/p' r.xml)" ]
that "something of each" [ "$(count '<failure')" -gt 0 ]
that "one is skipped" [ "$(count '<skipped')" -eq 1 ]
says r.xml 'meant &amp; &lt;known&gt;'

# ---- JSON, SARIF, CSV
python "the JSON" 'import json
d = json.load(open("r.json", encoding="utf-8"))
kinds = {c["kind"] for c in d["clashes"]}
assert kinds >= {"hard", "containment", "duplicate", "touch", "clearance"}, kinds
assert sum(d["counts"][k] for k in kinds | {"ignored"}) == len(d["clashes"])
assert sum(g["clashes"] for g in d["groups"]) == sum("ignored" not in c for c in d["clashes"])
assert sum(c["clashes"] for c in d["clusters"]) == sum("ignored" not in c for c in d["clashes"])'
python "the SARIF" 'import json, urllib.parse
d = json.load(open("r.json", encoding="utf-8"))
s = json.load(open("r.sarif", encoding="utf-8"))
run = s["runs"][0]
assert run["tool"]["driver"]["informationUri"].startswith("https://")
assert s["version"] == "2.1.0" and len(run["results"]) == len(d["clashes"])
assert {r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]} == {c["id"] for c in d["clashes"]}
for r in run["results"]:
    assert run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"]
    place = r["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].isascii() and place["region"]["startLine"] == 1
    assert r["message"]["text"] and len(r["suppressions"]) <= 1
assert sum(len(r["suppressions"]) for r in run["results"]) == 1'
python "the CSV" 'import csv, json
d = json.load(open("r.json", encoding="utf-8"))
text = open("r,1.csv", newline="", encoding="utf-8").read()
rows = list(csv.reader(text.splitlines(True), strict=True))
assert text.endswith("\r\n") and {len(r) for r in rows} == {len(rows[0])}
assert [r[0] for r in rows[1:]] == [c["id"] for c in d["clashes"]]
assert not any(cell.startswith("=") for r in rows for cell in r)'

# ---- GitHub
that "no body makes a command of its own" [ "$(grep -c '^::error' text)" -le 10 ]
that "no name makes a line" [ "$(grep -c '^::error::d' text)" -eq 0 ]
says text '::error file=a.ply,title=Clash '
says text '%0A'

# ---- BCF
if [ -n "$bcf" ] && command -v python3 >/dev/null; then
	python "the archive" 'import zipfile
z = zipfile.ZipFile("r.bcf")
assert z.testzip() is None
names = z.namelist()
topics = [n for n in names if n.endswith("/")]
assert sorted(names) == sorted(["bcf.version", "extensions.xml"] + [t + f for t in topics for f in ("", "markup.bcf", "snapshot.png", "viewpoint.bcfv")])
assert len(topics) > 3
for i in z.infolist():
    assert i.compress_type == (zipfile.ZIP_DEFLATED if i.filename.endswith((".bcf", ".bcfv", ".xml", ".version")) else zipfile.ZIP_STORED)
    assert i.date_time == (2023, 11, 14, 22, 13, 20) and i.external_attr >> 16 == (0o40755 if i.is_dir() else 0o100644)
z.extractall("bcf")'
	for file in bcf/bcf.version bcf/extensions.xml bcf/*/markup.bcf bcf/*/viewpoint.bcfv; do valid bcf.xsd "$file"; done
	that "there are lines" grep -q '<Line>' bcf/*/viewpoint.bcfv
	cp r.bcf first.bcf
	TZ=Asia/Tokyo expect 1 scene "${files[@]}" --clearance 0.5 --ignore ignores.txt --report bcf=r.bcf
	that "the same again is the same, byte for byte" cmp -s r.bcf first.bcf
fi
if [ -n "$bcf" ] && command -v python3 >/dev/null && "$dualbvh" --version | grep -q '^with jansson'; then
	cat >reviewed.json <<-'EOF2'
		{"bodies": [{"file": "a.ply", "properties": {"guid": "2O2Fr$t4X7Zf8NOew3FLOH"}}, {"file": "b.ply", "properties": {"guid": "no"}}]}
	EOF2
	expect 1 scene reviewed.json --review review.txt
	sed -i 's/^found: .*/&\naccepted: so "made" \& kept\nby: Ann <a@b.c>\nassignee: Bob \& Co\nstatus: In "Progress"\ncomment: one\n two\ncomment: three/' review.txt
	expect 0 scene reviewed.json --review review.txt --report bcf=reviewed.bcf
	python "the review is in the topic" 'import zipfile, xml.etree.ElementTree as xml
z = zipfile.ZipFile("reviewed.bcf")
z.extractall("reviewed")
name = [n for n in z.namelist() if n.endswith("markup.bcf")][0]
topic = xml.fromstring(z.read(name)).find("Topic")
assert topic.get("TopicStatus") == "In \"Progress\"" and topic.findtext("AssignedTo") == "Bob & Co"
said = [(c.findtext("Author"), c.findtext("Comment")) for c in topic.find("Comments")]
assert said == [("Ann <a@b.c>", "so \"made\" & kept"), ("dualbvh", "one\ntwo"), ("dualbvh", "three")], said
extensions = xml.fromstring(z.read("extensions.xml"))
assert [u.text for u in extensions.find("Users")] == ["dualbvh", "Bob & Co"]
assert "In \"Progress\"" in [s.text for s in extensions.find("TopicStatuses")]
view = xml.fromstring(z.read(name.replace("markup.bcf", "viewpoint.bcfv")))
assert [c.get("IfcGuid") for c in view.iter("Component")] == ["2O2Fr$t4X7Zf8NOew3FLOH", None]'
	for file in reviewed/extensions.xml reviewed/*/markup.bcf reviewed/*/viewpoint.bcfv; do valid bcf.xsd "$file"; done
	expect 0 scene reviewed.json --review review.txt --report bcf21=reviewed.bcf
	rm -r reviewed
	python "version 2.1 has the same" 'import zipfile, xml.etree.ElementTree as xml
z = zipfile.ZipFile("reviewed.bcf")
z.extractall("reviewed")
assert not any("extensions" in n for n in z.namelist())
assert xml.fromstring(z.read("bcf.version")).get("VersionId") == "2.1"
name = [n for n in z.namelist() if n.endswith("markup.bcf")][0]
markup = xml.fromstring(z.read(name))
assert [e.tag for e in markup] == ["Header", "Topic", "Comment", "Comment", "Comment", "Viewpoints"]
assert [e.tag for e in markup.find("Header")] == ["File"] and markup.find("Header")[0].get("isExternal") == "true"
topic = markup.find("Topic")
assert topic.get("TopicStatus") == "In \"Progress\"" and topic.findtext("Labels") == "hard"
assert [c.findtext("Comment") for c in markup.iter("Comment") if c.get("Guid")] == ["so \"made\" & kept", "one\ntwo", "three"]
view = xml.fromstring(z.read(name.replace("markup.bcf", "viewpoint.bcfv")))
assert [e.tag for e in view.find("PerspectiveCamera")] == ["CameraViewPoint", "CameraDirection", "CameraUpVector", "FieldOfView"]'
	for file in reviewed/bcf.version reviewed/*/markup.bcf reviewed/*/viewpoint.bcfv; do valid bcf21.xsd "$file"; done
fi

# ---- nothing clashes
expect 0 scene a.ply --report junit=none.xml,sarif=none.sarif,csv=none.csv,github=-
valid junit.xsd none.xml
says none.xml 'tests="1" failures="0" errors="0"'
says out '::notice title=dualbvh scene::0 clashes'

# ---- known by a baseline: skipped
if "$dualbvh" --version | grep >/dev/null '^with jansson'; then
	expect 1 scene a.ply b.ply --report json=base.json
	expect 0 scene a.ply b.ply --baseline base.json --report junit=known.xml,sarif=known.sarif
	valid junit.xsd known.xml
	says known.xml '<skipped message="known: base.json has it"/>'
	says known.sarif '"baselineState":"unchanged"'
fi

# ---- what cannot be written
expect_write_error() {
	"$dualbvh" scene a.ply b.ply --report "$1" >out 2>err </dev/null
	that "status 2: $1" [ $? -eq 2 ]
	says err 'the report cannot be written'
}
expect_write_error csv=none/r.csv
mkdir folder
expect_write_error csv=folder
if [ -w /dev/full ]; then
	for kind in junit sarif json csv github ${bcf:+bcf bcf21}; do expect_write_error "$kind=/dev/full"; done
	that "a device stays one" [ -c /dev/full ]
fi
echo old >kept.csv
mkdir locked
echo old >locked/r.csv
chmod 555 locked
if ! touch locked/probe 2>/dev/null; then expect_write_error csv=locked/r.csv; fi
chmod 755 locked
that "what is there stays" [ "$(cat locked/r.csv)" = old ]

# ---- many clashes: no report takes long beside the search, and each ends with it
# chain COUNT: boxes that each overlap the next.
chain() {
	awk -v n="$1" 'BEGIN { printf "{\"bodies\": ["; for (i = 0; i < n; ++i) printf "%s{\"name\": \"box%05d\", \"file\": \"a.ply\", \"pose\": {\"translation\": [%g, 0, 0]}}", i ? "," : "", i, 1.75 * i; print "]}" }'
}
# took COMMAND...: seconds of the processor, in hundredths.
took() {
	local TIMEFORMAT='%U %S'
	{ time "$@" >/dev/null 2>&1 </dev/null; } 2>&1 | awk '{ print int(100 * ($1 + $2)) }'
}
if "$dualbvh" --version | grep >/dev/null '^with jansson'; then
	count=800
	is_short_run && count=200
	chain $count >chain.json
	plain=$(took "$dualbvh" scene chain.json --threads 1)
	for kind in junit sarif json csv github ${bcf:+bcf bcf21}; do
		while_writing=$(took "$dualbvh" scene chain.json --threads 1 --report $kind=many.$kind)
		that "$kind: $while_writing beside $plain hundredths of a second" [ "$while_writing" -le $((6 * plain + 50)) ]
	done
	python "the archive of many" 'import zipfile
names = zipfile.ZipFile("many.bcf").namelist()
assert sum(n.endswith("/markup.bcf") for n in names) == '$((count - 1))' and 0 < sum(n.endswith(".png") for n in names) <= 32'
	# The time is over while bodies are described, or before: what is known is there, nothing is drawn, nothing is left.
	for seconds in 1e-9 0.05; do
		"$dualbvh" scene chain.json --depth --timeout $seconds --report bcf=late.bcf,json=late.json >out 2>err </dev/null
		that 'nobody complains' [ ! -s err ]
		python "what was known after $seconds s" 'import json, zipfile
z = zipfile.ZipFile("late.bcf")
assert z.testzip() is None and not any(n.endswith(".png") for n in z.namelist())
d = json.load(open("late.json"))
assert sum(n.endswith("/markup.bcf") for n in z.namelist()) == len(d["clashes"])
assert d.get("timed_out") or d["sketched"] > 0'
	done
	# A signal while a report is written: the file stays what it was, and nothing is beside it.
	echo old >given-up.bcf
	"$dualbvh" scene chain.json --quiet --report bcf=given-up.bcf >out 2>err </dev/null &
	while [ -z "$(find . -name 'given-up.bcf?*')" ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
	kill -TERM $! 2>/dev/null
	wait $!
	if [ $? -eq 143 ] && is_posix; then
		says err 'given-up.bcf: the report is not written: interrupted'
		that 'what was there stays' [ "$(cat given-up.bcf)" = old ]
	fi
	if is_posix; then that 'nothing is left' [ "$(echo given-up.bcf*)" = given-up.bcf ]; fi
fi

finish reports
