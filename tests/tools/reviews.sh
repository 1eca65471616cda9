#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# `dualbvh scene --review`, --compare and --recheck: the file of all clashes and of what people decide about them.
# tests/tools/scene/test_scene_year.c asks for the standings; here is what the command reads and writes.
#
#   reviews.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
"$dualbvh" --version | grep -q '^with jansson' || { echo 'reviews: no jansson'; exit 77; }
export SOURCE_DATE_EPOCH=1800000000 # 2027-01-15

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply

# scene FILE [NAME X Z]...: bolts on a beam.
scene() {
	local file=$1 bodies='{"file": "beam.ply"}'
	shift
	while [ $# -gt 0 ]; do
		bodies="$bodies, {\"name\": \"$1\", \"file\": \"bolt.ply\", \"pose\": {\"translation\": [$2, 0, $3]}}"
		shift 3
	done
	echo "{\"bodies\": [$bodies]}" >"$file"
}
# stands WORDS STATUS FILE [OPTION...]: the standings against review.txt, by the names of the bolts, and the exit status.
stands() {
	local words=$1 status=$2
	shift 2
	expect "$status" scene "$@" --review review.txt --json
	is "' '.join(c['standing'] for c in d['clashes']) == '$words'"
}
# tell ID LINE...: adds lines to the paragraph of a clash.
tell() {
	awk -v id="clash: $1" -v lines="$(shift && printf '%s\\n' "$@")" \
		'{ print } $0 == id { printf "%s", lines }' review.txt >told.txt
	mv told.txt review.txt
}
id_of() { awk -v b="b: $1" '/^clash: / { id = $2 } $0 == b { print id; exit }' review.txt; }

# ---- the first run makes the file, a second one leaves it
scene now.json left -5 1.125 right 5 1.125
stands 'new new' 1 now.json
that 'it is there' test -s review.txt
cp review.txt first.txt
stands 'unchanged unchanged' 0 now.json
that 'a run of the same model leaves it' cmp -s review.txt first.txt
that 'the day is there' grep -qx 'found: 2027-01-15' review.txt

# ---- acceptance
left=$(id_of left)
tell "$left" 'accepted: a press fit,' ' as agreed' 'by: Ann' 'until: 2027-01-15' 'assignee: Bob' 'comment: seen on site'
stands 'accepted unchanged' 0 now.json
is "d['clashes'][0]['accepted'] == 'a press fit,\nas agreed' and d['clashes'][0]['by'] == 'Ann' and d['counts']['accepted'] == 1"
that 'the reason has two lines' grep -qx ' as agreed' review.txt
expect 0 scene now.json --review review.txt
says out 'accepted: beam and left overlap'
cp review.txt accepted.txt
SOURCE_DATE_EPOCH=1800086400 stands 'expired unchanged' 1 now.json
that 'and stays' cmp -s review.txt accepted.txt
scene now.json left -5 1.1875 right 5 1.1875
stands 'accepted improved' 0 now.json
scene now.json left -5 1.0625 right 5 1.1875
stands 'worsened unchanged' 1 now.json
that 'the acceptance has lapsed' grep -qx 'lapsed: a press fit,' review.txt
that 'people are kept' grep -qx 'assignee: Bob' review.txt
that 'comments are kept' grep -qx 'comment: seen on site' review.txt
stands 'unchanged unchanged' 0 now.json

# ---- an acceptance covers no more than what is known: a bolt that lacks its lid has no depth
mv review.txt kept.txt
open_box -0.25,-0.25,-0.25 0.25,0.25,0.25 >open.off
sed 's/bolt.ply/open.off/' now.json >open.json
stands 'new new' 1 open.json
tell "$(id_of left)" 'accepted: it is thin'
stands 'accepted unchanged' 0 open.json
cp review.txt thin.txt
stands 'accepted unchanged' 0 open.json
that 'it rests' cmp -s review.txt thin.txt
expect 0 scene open.json --review review.txt --worse-by 0 --moved-by 0
scene open.json left -5 1.03125 right 5 1.1875 && sed -i 's/bolt.ply/open.off/' open.json
stands 'unsure unchanged' 1 open.json
that 'the acceptance has lapsed' grep -qx 'lapsed: it is thin' review.txt
cp thin.txt review.txt
expect 1 scene open.json --review review.txt
says out 'unsure: beam and left overlap, which may be worse than it was, accepted: it is thin'
tell "$(id_of left)" 'accepted: it is thin, again'
stands 'accepted unchanged' 0 open.json
scene open.json left -5 1 right 5 1.1875 && sed -i 's/bolt.ply/open.off/' open.json
stands 'unsure unchanged' 1 open.json
that 'older reasons stay' grep -qx ' it is thin' review.txt

# ---- positions in the vertices: both bodies go far away together
rm review.txt
gen box --size 20,2,2 --at 1273,0,0 -o far-beam.ply
gen box --size 0.5,0.5,0.5 --at 0,0,1.125 -o high.ply
gen box --size 0.5,0.5,0.5 --at 1273,0,1.125 -o far-high.ply
at() { echo "{\"bodies\": [{\"name\": \"beam\", \"file\": \"$1beam.ply\"}, {\"name\": \"high\", \"file\": \"$1high.ply\"}]}" >baked.json; }
at ''
stands new 1 baked.json
tell "$(id_of high)" 'accepted: as built'
stands accepted 0 baked.json
at far-
stands moved 1 baked.json
is "d['clashes'][0]['was']['moved'] == 1273"
that 'the acceptance has lapsed' grep -qx 'lapsed: as built' review.txt

# ---- a depth line that was deleted; larger, and as deep as it was
rm review.txt
scene deleted.json left -5 1.125
stands new 1 deleted.json
tell "$(id_of left)" 'accepted: so'
sed -i '/^depth: /d' review.txt
cp review.txt without.txt
stands accepted 0 deleted.json
that 'the depth is there again' grep -q '^depth: ' review.txt
cp without.txt review.txt
scene deleted.json left -5 1.12499
stands unsure 1 deleted.json --worse-by 0.1
rm review.txt
gen box --size 0.5,0.75,0.5 -o wide.ply
scene deleted.json left -5 1.125
stands new 1 deleted.json
sed -i 's/bolt.ply/wide.ply/' deleted.json
stands worsened 1 deleted.json
is "d['clashes'][0]['was']['volume'][0] <= 0.03125 <= d['clashes'][0]['was']['volume'][1]"
sed -i 's/wide.ply/bolt.ply/' deleted.json
expect 0 scene deleted.json --review review.txt
says out 'improved: beam and left overlap: 0.125 deep, volume 0.03125, protrusion, 0.046875 before'

# ---- names with blanks at their ends, and lines that an editor has left
rm review.txt
python3 - <<'EOF'
import json
json.dump({"bodies": [{"name": " beam\\ \t", "file": "beam.ply"},
                      {"name": "bolt\n\rx ", "file": "bolt.ply", "pose": {"translation": [0, 0, 1.125]}}]}, open("blanks.json", "w"))
EOF
stands new 1 blanks.json
id=$(sed -n 's/^clash: //p' review.txt)
tell "$id" 'accepted: so' 'comment: a list:' '   - of' '   - two'
stands accepted 0 blanks.json
that 'lines keep their blanks' grep -qx '   - two' review.txt
{ printf '\xEF\xBB\xBF' && sed 's/^$/  /' review.txt; } >marked.txt && mv marked.txt review.txt
stands accepted 0 blanks.json
mv kept.txt review.txt

# ---- renamed, and the old name is that of another one: ids stay, and nobody has two
scene now.json up -5 1.0625 right 5 1.1875
stands 'unchanged renamed' 0 now.json # right, up
is "d['clashes'][1]['id'] == '$left' and d['clashes'][1]['was']['b'] == 'left'"
scene now.json up -5 1.0625 right 5 1.1875 left 0 1.125
stands 'new unchanged unchanged' 1 now.json # left, right, up
is "len({c['id'] for c in d['clashes']}) == 3 and d['clashes'][2]['id'] == '$left'"
cp review.txt three.txt
stands 'unchanged unchanged unchanged' 0 now.json
that 'it rests' cmp -s review.txt three.txt

# ---- resolved, gone, and there again
scene now.json up -5 3 right 5 1.1875 left 0 1.125
expect 0 scene now.json --review review.txt
says out 'absent: hard of beam and up: resolved'
that 'it says when' grep -qx 'resolved: 2027-01-15' review.txt
expect 0 scene now.json --review review.txt
says out ' 0 absent'
scene now.json up -5 1.0625 right 5 1.1875 left 0 1.125
stands 'unchanged unchanged new' 1 now.json
is "d['clashes'][2]['id'] == '$left'"
that 'it is not resolved any more' test "$(grep -c '^resolved' review.txt)" = 0
scene now.json right 5 1.1875 left 0 1.125
expect 0 scene now.json --review review.txt
says out 'a body is not there any more'
that 'it is gone' grep -qx 'gone: 2027-01-15 body missing' review.txt
scene now.json up -5 1.0625 right 5 1.1875 left 0 1.125
stands 'unchanged unchanged unchanged' 0 now.json
expect 0 scene now.json --review review.txt --allow up,beam
says out 'the rules have changed'
that 'it is gone' grep -qx 'gone: 2027-01-15 rules changed' review.txt
stands 'unchanged unchanged unchanged' 0 now.json

# ---- the known pairs alone
scene now.json up -5 0.9375 right 5 1.1875 left 0 1.125 more 2 1.125
cp review.txt before.txt
expect 1 scene now.json --review review.txt --recheck
says out '1 worsened, 2 unchanged, 0 absent'
says out 'only pairs that clashed before were looked at'
cp before.txt review.txt
stands 'unchanged new unchanged worsened' 1 now.json

# ---- two models
scene old.json a -5 1.125 b 5 1.125
scene new.json b 5 1 a -5 1.125 c 0 1.125
expect 1 scene new.json --compare old.json --json
is "[c['standing'] for c in d['clashes']] == ['unchanged', 'worsened', 'new'] and d['absent'] == []"
expect 0 scene old.json --compare new.json --json
is "[c['standing'] for c in d['clashes']] == ['unchanged', 'improved'] and [a['why'] for a in d['absent']] == ['body_missing']"
expect 2 scene new.json --compare nothing.json
says err 'nothing.json'

# ---- what is refused, with the line
wrong() { # SENTENCE LINE...
	local sentence=$1
	shift
	printf '%s\n' 'review: dualbvh 1' '' "$@" >wrong.txt
	expect 2 scene now.json --review wrong.txt
	says err "$sentence"
}
wrong "'untill' is no key here; 'until' is one" 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard' 'untill: 2027-01-01'
says err 'wrong.txt:7'
wrong "'severity' takes note, minor, major or critical" 'clash: 0123456789abcdef' 'severity: great'
wrong "'metres' takes the length of one unit" 'metres: -1'
wrong "'depth' takes two numbers, the least first" 'clash: 0123456789abcdef' 'depth: 1 0'
says err 'wrong.txt:4'
wrong "'volume' takes two numbers, the least first" 'clash: 0123456789abcdef' 'volume: 1 0.5'
wrong "the numbers of 'depth' are" 'clash: 0123456789abcdef' 'depth: 0 inf'
wrong 'takes a day' 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard' 'accepted: so' 'until: 2027-02-30'
wrong "'accepted' has no value" 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard' 'accepted:'
wrong 'lacks one of a, b and kind' 'clash: 0123456789abcdef' 'a: x' 'b: y'
wrong 'a merge conflict is left' '<<<<<<< HEAD' 'clash: 0123456789abcdef'
wrong 'is there twice' 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard' '' 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard'
wrong "'until' needs 'accepted'" 'clash: 0123456789abcdef' 'a: x' 'b: y' 'kind: hard' 'until: 2027-01-01'
echo 'nothing of the kind' >wrong.txt
expect 2 scene now.json --review wrong.txt
refuses 'exclude each other' scene now.json --review review.txt --baseline b.json
refuses 'needs --baseline, --review or --compare' scene now.json --recheck

# ---- a report that cannot be written leaves the review: the finding is new in the next run too
cp review.txt kept.txt
scene more.json left -5 1.125 right 5 1.125 far 0 1.125
expect 2 scene more.json --review kept.txt --report json=missing/report.json
that 'the review is as it was' cmp -s kept.txt review.txt
expect 1 scene more.json --review kept.txt --report json=report.json
that 'the review has the finding' grep -qx 'b: far' kept.txt

# ---- a rule that makes a clash more severe: it counts, and an acceptance has lapsed
mv review.txt other.txt
scene one.json left -5 1.125
printf '%s\n' ',beam' 'left,x note' >note.csv
printf '%s\n' ',beam' 'left,x critical' >critical.csv
expect 0 scene one.json --review review.txt --matrix note.csv
that 'its severity is there' grep -qx 'severity: note' review.txt
tell "$(id_of left)" 'accepted: only a note'
stands accepted 0 one.json --matrix note.csv
cp review.txt accepted.txt
expect 0 scene one.json --json --report json=note.json --matrix note.csv
expect 1 scene one.json --baseline note.json --matrix critical.csv
says out 'note before'
stands worsened 1 one.json --matrix critical.csv
that 'it has lapsed' grep -qx 'lapsed: only a note' review.txt
stands unchanged 0 one.json --matrix critical.csv
stands improved 0 one.json --matrix note.csv
stands worsened 1 one.json --matrix critical.csv
grep -v '^severity: ' accepted.txt >review.txt # as versions before wrote it
stands accepted 0 one.json --matrix critical.csv
that 'the severity is noted' grep -qx 'severity: critical' review.txt
mv other.txt review.txt

# ---- units: a model in another one is the same where its lengths are, and another where its numbers are
mv review.txt other.txt
sized() { # sized FILE UNIT SCALE X Z
	cat >"$1" <<-END
	{"unit": "$2", "bodies": [{"file": "beam.ply", "scale": $3},
	 {"name": "left", "file": "bolt.ply", "scale": $3, "pose": {"translation": [$4, 0, $5]}}]}
	END
}
sized mm.json mm 1 -5 1.125
sized m.json m 0.001 -0.005 0.001125
sized large.json m 1 -5 1.125
scene one.json left -5 1.125 # of no unit
expect 1 scene mm.json --review review.txt
that 'the unit is there' grep -qx 'metres: 0.001' review.txt
tell "$(id_of left)" 'accepted: a press fit'
cp review.txt accepted.txt
stands accepted 0 m.json
that 'the unit is that of the model' grep -qx 'metres: 1' review.txt
stands accepted 0 mm.json
stands accepted 0 one.json
that 'a model without a unit leaves it' grep -qx 'metres: 0.001' review.txt
stands worsened 1 large.json
that 'it has lapsed' grep -qx 'lapsed: a press fit' review.txt
expect 1 scene mm.json --report json=mm-report.json
expect 1 scene large.json --baseline mm-report.json
expect 0 scene m.json --baseline mm-report.json
expect 1 scene large.json --compare mm.json
expect 0 scene m.json --compare mm.json
expect 0 scene m.json --review accepted.txt --recheck
# The same numbers at the same place, and no measure: other bodies all the same.
sized inside.json mm 1 0 0
sized outside.json m 1 0 0
rm review.txt
expect 1 scene inside.json --review review.txt
tell "$(id_of left)" 'accepted: a press fit'
sed -i '/^depth: /d; /^volume: /d' review.txt
stands accepted 0 inside.json
sed -i '/^depth: /d; /^volume: /d' review.txt
stands unsure 1 outside.json
mv other.txt review.txt

# ---- an acceptance that lapses is kept beside older ones of which it is a part
mv review.txt other.txt
scene one.json left -5 1.125
scene deeper.json left -5 1.0625
expect 1 scene one.json --review review.txt
tell "$(id_of left)" 'accepted: ok' 'lapsed: not ok until Monday'
stands worsened 1 deeper.json
that 'both reasons are there' test "$(grep -A1 '^lapsed: ' review.txt)" = $'lapsed: ok\n not ok until Monday'
tell "$(id_of left)" 'accepted: ok'
scene deepest.json left -5 1
stands worsened 1 deepest.json
that 'the same reason is there once' test "$(grep -A1 '^lapsed: ' review.txt)" = $'lapsed: ok\n not ok until Monday'

# ---- numbers of a review that say nothing: a wide depth covers nothing but the same pair, an inverted one is refused
expect 1 scene one.json --review fresh.txt
for depth in '0 1000' '0.1 1000' '-1 1000'; do
	sed "s/^volume: .*/volume: $depth/; s/^depth: .*/depth: $depth/; s/^kind: hard/&\\naccepted: a press fit/" fresh.txt >review.txt
	stands unsure 1 deeper.json
done
mv other.txt review.txt

# ---- an ignored clash is not judged: its acceptance and its numbers stay, for the run that ignores it no more
cp review.txt kept.txt
mv review.txt other.txt
scene one.json left -5 1.125
expect 1 scene one.json --review review.txt
tell "$(id_of left)" 'accepted: a press fit'
cp review.txt accepted.txt
echo 'left beam not now' >ignored.txt
scene deeper.json left -5 1.0625
expect 0 scene deeper.json --review review.txt --ignore ignored.txt
that 'it stays accepted' grep -qx 'accepted: a press fit' review.txt
that 'its depth is what was accepted' test "$(grep '^depth: ' review.txt)" = "$(grep '^depth: ' accepted.txt)"
that 'the pair has changed since' grep -qx 'unsure: 2027-01-15' review.txt
stands worsened 1 deeper.json
that 'it has lapsed' grep -qx 'lapsed: a press fit' review.txt
cp accepted.txt review.txt
expect 0 scene one.json --review review.txt
cp review.txt accepted.txt
expect 0 scene one.json --review review.txt --ignore ignored.txt
that 'nothing has changed' cmp -s accepted.txt review.txt
mv other.txt review.txt
cp review.txt kept.txt

# ---- a run that ends while meshes are read (by one thread, which asks for the time after each) leaves the review, whatever the scene is by then
scene other.json left -5 1.1 new 5 1.125
for scene in more.json other.json; do
	cp kept.txt early.txt
	expect 3 scene "$scene" --review early.txt --threads 1 --timeout 1e-9
	says out 'not looked at, this run was ended early'
	that 'no other reason is told' test "$(grep -c '  absent: ' out)" = "$(grep -c 'this run was ended early' out)"
	that 'the rules are those of the review' test "$(grep -c 'its rules were others' out)" = 0
	that 'the review is as it was' cmp -s early.txt kept.txt
done
expect 3 scene other.json --review none.txt --threads 1 --timeout 1e-9
that 'an early end makes no review' test ! -e none.txt

# ---- two lost bodies of one name: each has its own paragraph
mv review.txt other.txt
gen box --size 0.5,0.5,0.75 -o long.ply
scene pair.json p -5 1.125 'p (gone)' 5 1.1875
stands 'new new' 1 pair.json
scene lost.json p -5 9 'p (gone)' 5 9
sed -i 's/bolt.ply/long.ply/g; s/"name"/"properties": {"guid": "z"}, "name"/g' lost.json
sed -i 's/^body: p$/&\nguid: x/; s/^body: p (gone)$/&\nguid: y/' review.txt
expect 0 scene lost.json --review review.txt
that 'both are there' test "$(grep -c '^gone: ' review.txt)" = 2
that 'each has a paragraph' test "$(grep '^body: p' review.txt | tr '\n' ,)" = 'body: p (gone) (gone),body: p (gone) (gone) (gone),'
that 'with its own data' test "$(grep -A1 '^body: p' review.txt | grep '^guid' | sort | tr '\n' ,)" = 'guid: x,guid: y,'
cp review.txt lost.txt
expect 0 scene lost.json --review review.txt
that 'it rests' cmp -s review.txt lost.txt
mv other.txt review.txt

# ---- a lost body of two clashes has one paragraph
mv review.txt other.txt
scene touching.json p -5 1.125 q -5.25 1.125
stands 'new new new' 1 touching.json
scene lost.json q -5.25 1.125
expect 0 scene lost.json --review review.txt
that 'both clashes are gone' test "$(grep -c '^gone: ' review.txt)" = 2
that 'one paragraph' test "$(grep '^body: p' review.txt)" = 'body: p'
mv other.txt review.txt

# ---- the severity that a clash had
mv review.txt other.txt
expect 0 scene one.json --review review.txt --matrix note.csv
stands worsened 1 one.json --matrix critical.csv
is "d['clashes'][0]['was']['severity'] == 'note'"
mv other.txt review.txt

# ---- two people, two branches
if command -v git >/dev/null; then
	cp review.txt base.txt
	tell "$(id_of right)" 'accepted: it is so' && mv review.txt mine.txt
	cp base.txt review.txt
	tell "$(id_of left)" 'assignee: Bob' && mv review.txt theirs.txt
	that 'both merge' git merge-file mine.txt base.txt theirs.txt
	mv mine.txt review.txt
	stands 'unchanged unchanged accepted unchanged' 0 now.json
fi

finish reviews
