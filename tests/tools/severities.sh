#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Severities of rules: the order of clashes, the exit status, and what reports make of them.
#
#   severities.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep -q '^with jansson' || { echo 'severities: no jansson'; exit 77; }

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply

# model RULES: three bolts in a beam, the first one the deepest.
model() {
	cat >model.json <<-EOF2
		{"bodies": [{"file": "beam.ply"},
		 {"name": "deep", "file": "bolt.ply", "pose": {"translation": [-5, 0, 1]}},
		 {"name": "less", "file": "bolt.ply", "pose": {"translation": [0, 0, 1.125]}},
		 {"name": "least", "file": "bolt.ply", "pose": {"translation": [5, 0, 1.1875]}}],
		 "rules": [$1]}
	EOF2
}
# judged STATUS OPTION...: the exit status.
judged() { expect "$1" scene model.json "${@:2}"; }

model ''
judged 1 --json
is "all(c['severity'] == 'major' for c in d['clashes'])"
judged 1 --fail-on major
judged 0 --fail-on critical

# ---- the most severe first, and sentences say so
model '{"a": "deep", "severity": "minor"}, {"a": "least", "b": "beam", "severity": "critical"}'
judged 1
that 'the order' test "$(grep -oE '(critical: |minor: )?beam and [a-z]+ overlap' out | tr '\n' ';')" = \
	'critical: beam and least overlap;beam and less overlap;minor: beam and deep overlap;'
judged 1 --json --fail-on critical
is "{c['b']: c['severity'] for c in d['clashes']} == {'deep': 'minor', 'less': 'major', 'least': 'critical'}"
judged 1 --report sarif=r.sarif,csv=r.csv,junit=r.xml,github=r.github --fail-on major
says r.csv ',critical'
says r.sarif '"level":"warning"'
says r.xml 'less severe than what counts'
says r.xml 'failures="2"'
that 'two annotations' test "$(grep -c '^::error file=' r.github)" = 2

# ---- notes are told, and fail nothing unless somebody asks
model '{"a": "*", "b": "*", "severity": "note"}'
judged 0
says out 'note: beam and deep overlap'
judged 0 --json
is "d['counts']['hard'] == 3"
judged 1 --fail-on note
model '{"a": "deep"}'
sed -i 's/"rules"/"defaults": {"severity": "note"}, "rules"/' model.json
judged 1
model '{"a": "less", "severity": "note"}'
sed -i 's/"rules"/"defaults": {"severity": "note"}, "rules"/' model.json
judged 0
judged 0 --clearance 0.1
model '{"a": "beam", "b": "l*", "severity": "note"}, {"a": "beam", "b": "deep", "allow": true}'
judged 0

# ---- what is refused
model '{"a": "deep", "severity": "bad"}'
judged 2
says err "'bad' is no severity"
model ''
refuses "'mayor'" scene model.json --fail-on mayor

finish severities
