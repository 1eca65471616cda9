#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# --output of check and distance: what is in the files, and runs that end too soon and go on.
#
#   results.sh path/to/dualbvh

. "$(dirname "${BASH_SOURCE[0]}")/long_run.sh"

gen box --size 2,2,2 -o box.ply
gen gear -o gear.ply
gen statue --scale 30 -o statue.ply
awk 'BEGIN { for (i = 0; i < 60; ++i) print 1, 0, 0, i * 0.07, 0, 1, 0, 0, 0, 0, 1, 0 }' >some.txt

tail -n 3 some.txt >far.txt
head -n 4 some.txt >near.txt

# ------------------------------------------------------------------------------------------------
# What is in the files

# The fields of a .npy file, and the lines of a .jsonl file, beside what --json says of the same poses, without NumPy.
cat >compare.py <<'PYTHON'
import ast, json, math, struct, sys
file = open(sys.argv[1], "rb").read()
told = json.load(open(sys.argv[3]))["results"]
assert [json.loads(line) for line in open(sys.argv[2])] == told
assert file[:8] == b"\x93NUMPY\x01\x00" and (10 + struct.unpack("<H", file[8:10])[0]) % 64 == 0
at = 10 + struct.unpack("<H", file[8:10])[0]
head = ast.literal_eval(file[10:at].decode())
assert file[at - 1:at] == b"\n" and head["shape"] == (len(told),) and head["fortran_order"] is False
rows = []
for _ in told:
    row = {}
    for field in head["descr"]:
        n = field[2][0] if len(field) > 2 else 1
        code = {"<u8": "Q", "<i8": "q", "<f8": "d", "|u1": "B", "|b1": "?"}[field[1]]
        x = struct.unpack_from("<%d%s" % (n, code), file, at)
        at += struct.calcsize("<%d%s" % (n, code))
        row[field[0]] = list(x) if n > 1 else x[0]
    rows.append(row)
assert at == len(file)
relations = ["disjoint", "touching", "overlapping", "a_in_b", "b_in_a", "equal", "undecidable"]
for row, r in zip(rows, told):
    assert row["pose"] == r["pose"] and row["intersecting"] == (r["verdict"] == "intersecting")
    if "found" in row:
        assert row["found"] == r["found"]
        for key in ("distance", "pair", "point_a", "point_b", "between"):
            assert row[key] == r[key] if r["found"] else math.isnan(row["distance"]) and row["pair"] == [-1, -1], key
    else:
        assert row["interference"] == ["no", "yes", "undecidable"].index(r["interference"])
        assert row["pair"] == [-1, -1] if r["verdict"] == "disjoint" else row["pair"][0] >= 0
        assert row["pair"] in r["pairs"] if r.get("pairs") else True
    for key in ("pair_count", "near_pair_count", "within_clearance"):
        assert (key in row) == (key in r) and (key not in row or row[key] == r[key]), key
    for key in ("relation", "exact_relation"):
        assert (key in row) == (key in r) and (key not in row or relations[row[key]] == r[key]), key
    assert ("clusters" in row) == ("contacts" in r)
    assert "clusters" not in row or row["clusters"] == len(r["contacts"]["clusters"])
PYTHON
same_as_told() { # status, arguments
	local status=$1
	shift
	rm -f r.npy r.npy.state r.jsonl r.jsonl.state
	expect "$status" "$@"
	tail -n 1 out >said
	expect "$status" "$@" --output r.npy
	that 'the summary is that of the text' cmp -s said out
	expect "$status" "$@" -o r.jsonl
	expect "$status" "$@" --json
	if command -v python3 >/dev/null; then
		that 'fields and lines say what JSON says' python3 compare.py r.npy r.jsonl out 2>>err
	fi
	that 'there is a line a pose' [ "$(wc -l <r.jsonl)" -eq "$(grep -c '"pose"' out)" ]
}
same_as_told 1 check box.ply box.ply --poses some.txt
same_as_told 1 check box.ply box.ply --poses some.txt --all --clearance 0.5
same_as_told 1 check box.ply box.ply --poses near.txt --relation --touch-gap 0.1 --contacts
same_as_told 1 distance box.ply box.ply --poses some.txt
same_as_told 1 distance box.ply box.ply --poses some.txt --max-distance 1.2
same_as_told 0 check box.ply box.ply --poses far.txt
same_as_told 0 distance box.ply box.ply --poses far.txt
expect 1 check box.ply box.ply --poses some.txt -o quiet.jsonl --quiet
that '--quiet is quiet' [ ! -s out ]
that 'and goes through all poses' [ "$(wc -l <quiet.jsonl)" -eq 60 ]
expect 1 check box.ply box.ply -o one.npy # without poses
that 'one pose, one record' grep -qF "'shape': (1,)" one.npy
expect 1 check box.ply box.ply --poses far.txt --clearance 5 -o one.npy # another run may replace a finished one
that 'three records' grep -qF "'shape': (3,)" one.npy

# ------------------------------------------------------------------------------------------------
# Runs that go on

work=(distance gear.ply statue.ply --poses many.txt)
expect 0 "${work[@]}" --output whole.npy
expect 0 "${work[@]}" --output whole.jsonl
for form in npy jsonl; do
	for signal in KILL TERM; do
		[ $form$signal = jsonlTERM ] && continue # as npyTERM
		rm -f run.$form run.$form.state
		before=0
		for _ in 1 2; do
			"$dualbvh" "${work[@]}" --output run.$form --resume >out 2>err </dev/null &
			until_more run.$form "$before"
			kill -$signal $! 2>/dev/null
			wait $! 2>/dev/null
			now=$(finished run.$form)
			now=${now:-0}
			that "$now are no fewer than $before" [ "$now" -ge "$before" ]
			before=$now
		done
		that 'some is finished' [ "$before" -gt 0 ]
		if [ "$before" -lt "$many" ]; then
			[ $signal = KILL ] || ! is_posix || says out "interrupted: $before of $many poses are finished"
			refuses 'of a run that was not finished; --resume goes on' "${work[@]}" --output run.$form
			printf 'half a rec' >>run.$form # as a crash may leave it
		fi
		expect 0 "${work[@]}" --output run.$form --resume
		says out "$many poses: 0 intersecting"
		that 'the bytes are those of a run that nothing ended' cmp -s run.$form whole.$form
		that 'so is the state' cmp -s run.$form.state whole.$form.state
	done
done
expect 0 "${work[@]}" --output run.npy --resume # there is nothing left to do
says out "$many poses: 0 intersecting"
that 'nothing is changed' cmp -s run.npy whole.npy
expect 3 "${work[@]}" --output late.npy --timeout 1e-9
expect 3 "${work[@]}" --output late.npy --timeout 0.001 # there was nothing to lose
says out 'not decided within 0.001 s'
if command -v python3 >/dev/null; then # a .npy file at any time
	that 'the header counts what is there' python3 -c 'import ast, struct
b = open("late.npy", "rb").read(); n = 10 + struct.unpack("<H", b[8:10])[0]
assert ast.literal_eval(b[10:n].decode())["shape"][0] * 106 == len(b) - n'
fi
expect 0 "${work[@]}" --output late.npy --resume
that 'after --timeout, too' cmp -s late.npy whole.npy

# It goes on with nothing but itself.
small=(distance box.ply plate.ply --poses some.txt)
gen box --size 3,2,1 -o plate.ply
expect 1 "${small[@]}" --output late.npy
cp late.npy kept.npy
cp late.npy.state kept.state
resumes_not() { # what is said; arguments
	local text=$1
	shift
	refuses "$text" "$@" --output late.npy --resume
	that 'the file is left alone' cmp -s late.npy kept.npy
	that 'its state is, too' cmp -s late.npy.state kept.state
}
cp some.txt other.txt
echo '1 0 0 50 0 1 0 0 0 0 1 0' >>other.txt
resumes_not "late.npy is of another run, which --resume does not go on with; cases: there '60', here '61'" \
	distance box.ply plate.ply --poses other.txt
sed '7s/0 1 0$/0 1 0.125/' some.txt >other.txt
resumes_not 'poses: there ' distance box.ply plate.ply --poses other.txt
resumes_not 'mesh A: there ' distance plate.ply plate.ply --poses some.txt
resumes_not 'mesh B: there ' distance box.ply box.ply --poses some.txt
resumes_not "questions: there '--error-relative 0 " "${small[@]}" --error-relative 0.5
resumes_not "policy: there 'default', here 'rapid'" "${small[@]}" --policy rapid
resumes_not "command: there 'distance', here 'check'" check "${small[@]:1}"
rm late.npy.state
refuses 'there is no late.npy.state, which --resume needs' "${small[@]}" --output late.npy --resume
echo 'dualbvh results' >late.npy.state
refuses 'late.npy.state: this is no state of results' "${small[@]}" --output late.npy --resume
sed 's/^bytes: .*/bytes: 99999999/' kept.state >late.npy.state
refuses 'late.npy: shorter than late.npy.state says' "${small[@]}" --output late.npy --resume
for broken in 's/^rank: .*/rank: 1 of 1/' 's/^finished: .*/finished: 2 of 1/' 's/^ended: .*/ended: maybe/' 's/^counts: /&-/' \
	's/^--$/-/' '$s/$/ 0/' 's/^bytes: .*/bytes: 99999999999999999999/'; do
	sed "$broken" kept.state >late.npy.state
	refuses 'this is no state of results' "${small[@]}" --output late.npy --resume
done
rm late.npy late.npy.state
expect 1 check box.ply box.ply --poses some.txt --output late.npy --resume # nothing to go on with is no mistake

# ------------------------------------------------------------------------------------------------
# Mistakes

refuses "'r.txt' is no value for --output" check box.ply box.ply --output r.txt
refuses "'.npy' is no value for --output" check box.ply box.ply --output .npy
refuses '--json and --output exclude each other' check box.ply box.ply --json --output r.npy
refuses '--json and --output exclude each other' distance box.ply box.ply --json --output r.npy
cp one.npy poses.npy
refuses "'poses.npy' is read, and would be overwritten" check box.ply box.ply --poses poses.npy --output ./poses.npy
that 'and does not' cmp -s one.npy poses.npy
refuses '--resume needs --output' check box.ply box.ply --resume
refuses 'no-such-folder/r.npy: the file cannot be written' check box.ply box.ply --output no-such-folder/r.npy
mkdir folder.npy
refuses 'folder.npy: the file cannot be written' check box.ply box.ply --output folder.npy
if [ -w /dev/full ]; then
	ln -s /dev/full full.npy
	refuses 'full.npy: the file cannot be' check box.ply box.ply --output full.npy
fi
"$dualbvh" "${work[@]}" --output busy.npy >out 2>err </dev/null &
until_more busy.npy 0
kill -STOP $! 2>/dev/null
if [ "$(finished busy.npy)" -lt "$many" ]; then
	refuses 'busy.npy: another process is writing it' "${work[@]}" --output busy.npy --resume
fi
kill -KILL $! 2>/dev/null
wait 2>/dev/null

finish results
