#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# pictures.sh path/to/dualbvh: pages, thumbnails and models that the command writes, without a browser (that is
# scripts/test viewer). The page's frame is a small one, so that neither node nor npm are needed.

. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

printf '<!doctype html><head>\n<!--dualbvh:picture-->\n</head>\n' >frame.html
export DUALBVH_VIEWER=$PWD/frame.html
gen gear -o gear.ply
gen box --size 2,2,2 -o box.ply
gen box --size 2,2,2 --at 1.5,0,0 -o other.ply
gen box --size 2,2,2 --at 0,5,0 -o far.ply
printf '1 0 0 %s  0 1 0 0  0 0 1 0\n' 30 26 25.5 >moves.txt

# has FILE TEXT
has() { that "'$2' is in $1" grep -qF -- "$2" "$1"; }

# Pages
expect 0 view box.ply other.ply far.ply -o page.html
says out 'page.html: a page'
says out 'overlap: 0.5 deep'
has page.html '"schema":"dualbvh.picture/2"'
has page.html '"sentence":"box and other overlap: 0.5 deep, volume 2, protrusion"'
has page.html '<title>box and 2 more</title>'
that 'the mark is gone' [ "$(grep -c 'dualbvh:picture' page.html)" -eq 0 ]
expect 0 view box.ply other.ply --quiet
that 'view.html is the default' [ -s view.html ]
expect 0 view box.ply far.ply --clearance 4 --title 'a <b> & c' --trees -o far.html
has far.html '<title>a &lt;b&gt; &amp; c</title>'
has far.html '"distance":3'
has far.html '"trees":[{"body":0'
expect 1 check gear.ply gear.ply --poses moves.txt --html check.html
has check.html '"time_name":"pose"'
has check.html 'pose 1: gear (A) and gear (B) intersect'
expect 1 check gear.ply gear.ply --poses moves.txt --relation --html check.html
has check.html 'pose 1: gear (A) and gear (B) touch'
has check.html 'pose 2: gear (A) and gear (B) overlap'
expect 1 distance gear.ply gear.ply --poses moves.txt --html distance.html
has distance.html 'pose 0: gear (A) and gear (B) are 4 apart'
expect 1 toi gear.ply gear.ply --from '1 0 0 40 0 1 0 0 0 0 1 0' --to '1 0 0 20 0 1 0 0 0 0 1 0' --html toi.html
has toi.html '"time_name":"time"'
expect 0 self box.ply --html self.html
expect 0 export box.ply other.ply -o both.obj --show bodies
expect 1 self both.obj --html both.html
has both.html 'pairs of triangles meet'
expect 1 scene box.ply other.ply --html scene.html
has scene.html '"clashes":[{"id":"'
expect 1 scene box.ply other.ply --html scene2.html --json
that 'JSON alone goes to standard output' [ "$(head -c 1 out)" = '{' ]
expect 0 view box.ply other.ply -o page2.html --quiet
expect 0 view box.ply other.ply -o again.html --quiet
that 'the same page twice' cmp -s page2.html again.html

# On standard output there is a page or a report; a folder that is not there is known before the work.
for question in 'check box.ply other.ply' 'distance box.ply far.ply' 'self box.ply' 'scene box.ply other.ply' \
	"toi box.ply box.ply --poses moves.txt"; do
	for place in - $(is_posix && echo /dev/stdout); do
		expect 2 $question --html "$place"
		says err 'the page cannot go there, too'
	done
	expect 2 $question --html nowhere/page.html
	says err 'nowhere/page.html: the page cannot be written: there is no such file or folder'
	that 'nothing was done' [ ! -s out ]
done
expect 1 check box.ply other.ply --quiet --html -
has out '"schema":"dualbvh.picture/2"'
that 'the page is all' [ "$(head -c 15 out)" = '<!doctype html>' ]
expect 0 view box.ply other.ply -o -
that 'the page is all' [ "$(head -c 15 out)" = '<!doctype html>' ]
expect 2 export box.ply other.ply -o nowhere/clash.glb
says err 'nowhere/clash.glb: the file cannot be written: there is no such file or folder'

# frames FILE EXPECTED: number, distance and state (0 clear, 1 clashing, 2 unknown) of each frame. Passes without python3.
frames() {
	local got
	command -v python3 >/dev/null || return 0
	got=$(python3 - "$1" <<-'END'
		import base64, json, re, struct, sys, zlib
		text = open(sys.argv[1]).read()
		d = json.loads(re.search('id="picture">(.*?)</script>', text, re.S)[1])
		data = zlib.decompress(base64.b64decode(re.search('id="arrays">(.*?)</script>', text, re.S)[1]), -15)
		at, count = d["frames"]
		print(" ".join("%g:%g:%d" % x for x in struct.iter_unpack("<3d", data[at:at + count])))
	END
	)
	that "frames of $1: $got, not $2" [ "$got" = "$2" ]
}

# rounded FILE OBJ: each point of contact of the page is, to half a step, a vertex of the exact ones in OBJ, and the step is
# small. Passes without python3.
rounded() {
	local got
	command -v python3 >/dev/null || return 0
	got=$(python3 - "$1" "$2" <<-'END'
		import base64, json, re, sys, zlib
		text = open(sys.argv[1]).read()
		d = json.loads(re.search('id="picture">(.*?)</script>', text, re.S)[1])
		data = zlib.decompress(base64.b64decode(re.search('id="arrays">(.*?)</script>', text, re.S)[1]), -15)
		exact = [tuple(map(float, line.split()[1:4])) for line in open(sys.argv[2]) if line.startswith("v ")]
		at, size = d["points"]
		end, points, worst = at + size, 0, 0
		def varint():
		    global at
		    value = shift = 0
		    while True:
		        value |= (data[at] & 127) << shift
		        shift += 7
		        at += 1
		        if data[at - 1] < 128: return value
		def signed():
		    x = varint()
		    return x // 2 if x % 2 == 0 else -(x + 1) // 2
		while at < end:
		    count, exponent = varint(), signed()
		    step, rows = 2.0 ** exponent, []
		    for k in range(3):
		        last, row = 0, []
		        for i in range(count):
		            last += signed()
		            row.append(d["lower"][k] + last * step)
		        rows.append(row)
		    length = max(max(row) - min(row) for row in rows)
		    assert 0 < step < length / 500000, (step, length)
		    for p in zip(*rows):
		        worst = max(worst, min(max(abs(a - b) for a, b in zip(p, q)) for q in exact) / step)
		    points += count
		assert at == end and points == d["point_count"] > 20, points
		assert worst <= 0.5000001, worst
		print("well")
	END
	)
	that "points of $1 are those of $2 to half a step" [ "$got" = well ]
}
gen gear --rotate 0,0,1,7.5 --at 23.5,0.1,0.3 -o driven.ply
expect 0 view gear.ply driven.ply -o gears.html --quiet
expect 0 export gear.ply driven.ply -o gears.obj --show contacts --quiet
rounded gears.html gears.obj

# What clashes is in the page, however many poses there are and whatever time was left
awk 'BEGIN { for ( i = 0; i < 3001; ++i ) print "1 0 0", i == 1234 ? 1 : 9 + i, "0 1 0 0 0 0 1 0" }' >many.txt
for more in '' '--output answers.npy'; do
	# shellcheck disable=SC2086 # words
	expect 1 check box.ply box.ply --poses many.txt --html many.html --quiet $more
	has many.html 'pose 1234: box (A) and box (B) intersect'
	has many.html '"complete":true'
	has many.html ' are shown: 1 of the 1 that clash'
done
printf '1 0 0 %s  0 1 0 0  0 0 1 0\n' 3 90 5 >away.txt
expect 0 check box.ply box.ply --poses away.txt --html away.html
has away.html '"upper":[91,1,1]' # all that a motion sweeps is in sight
awk 'BEGIN { for ( i = 0; i < 41; ++i ) print "1 0 0", 100 - i * i / 16, "0 1 0 0 0 0 1 0" }' >legs.txt
expect 1 toi box.ply box.ply --poses legs.txt --html legs.html
that 'the impact is among the frames' [ "$(grep -c '"kind":"intersecting"' legs.html)" -ge 1 ]
has legs.html '"complete":true'
expect 3 check box.ply other.ply --poses moves.txt --timeout 1e-9 --html late.html
has late.html '"complete":false'
has late.html 'The work was ended early: 3 of 3 poses were not looked at.'
frames late.html '0:nan:2 1:nan:2 2:nan:2'
# Whether a scene of one pair is finished before anybody looks at the clock is open; the page says the same.
"$dualbvh" scene box.ply other.ply --timeout 1e-9 --html late.html >out 2>err
case $? in
1) has late.html '"complete":true' ;;
3) has late.html '"complete":false' ;;
*) bad 'a scene that is late' ;;
esac
expect 1 self both.obj --timeout 1e-9 --html late.html
has late.html '"contacts_left_out":true'
has late.html '"counts":true'
expect 0 check box.ply far.ply --poses moves.txt --html clear.html
has clear.html '"complete":true'
frames clear.html '0:28.1603:0 1:24.1868:0 2:23.6907:0'

# A signal while it is drawn: what is known by then is in the page, and the signal ends the command. The answers, on
# standard output, are there before drawing begins.
if is_posix; then
	gen sphere --slices 150 --stacks 150 -o round.ply
	awk 'BEGIN { for ( i = 0; i < 1900; ++i ) print "1 0 0", 0.5 + i * 0.0001, "0 1 0 0 0 0 1 0" }' >slow.txt
	"$dualbvh" check round.ply round.ply --poses slow.txt --html slow.html >slow.out 2>slow.err &
	drawing=$!
	for _ in {1..600}; do
		if [ -s slow.out ]; then break; fi
		sleep 0.1
	done
	kill -TERM "$drawing"
	wait "$drawing" 2>>slow.err
	that 'a signal ends the drawing' [ $? -eq 143 ]
	has slow.html '"contacts_left_out":true'
	has slow.html '"counts":true'
fi

# What counts in the page counts for the exit status
printf '1 0 0 %s  0 1 0 0  0 0 1 0\n' 5 2 0.5 >touches.txt
expect 1 check box.ply box.ply --relation --poses touches.txt --html counts.html
that 'two count' [ "$(grep -o '"counts":true' counts.html | wc -l)" -eq 2 ]
frames counts.html '0:3:0 1:0:1 2:0:1'
printf '1 0 0 %s  0 1 0 0  0 0 1 0\n' 5 2 >touches.txt
expect 0 check box.ply box.ply --relation --allow-touching --poses touches.txt --html counts.html
has counts.html '"kind":"touch"'
that 'none counts' [ "$(grep -c '"counts":true' counts.html)" -eq 0 ]
frames counts.html '0:3:0 1:0:0'
gen box --size 1,1,1 --at 0,0,0 -o small.ply
open_box -2,-2,-2 2,2,2 >open.off
printf '1 0 0 0  0 1 0 0  0 0 1 0\n' >one.txt
expect 3 check open.off small.ply --relation --poses one.txt --html open.html
has open.html '"kind":"undecidable"'
that 'none counts' [ "$(grep -c '"counts":true' open.html)" -eq 0 ]
frames open.html '0:1.5:2'
expect 1 distance box.ply box.ply --poses one.txt --html one.html
frames one.html '0:0:1'
echo 'box other known' >ignore.txt
expect 0 scene box.ply other.ply --ignore ignore.txt --html ignored.html
has ignored.html '"counts":false'

# The unit of the files
expect 0 export box.ply -o unit.glb --show bodies
expect 1 check unit.glb unit.glb --html unit.html
has unit.html '"metres":1'
expect 1 distance unit.glb unit.glb --html unit.html
has unit.html '"metres":1'
expect 0 self unit.glb --html unit.html
has unit.html '"metres":1'
expect 1 toi unit.glb unit.glb --from '1 0 0 9 0 1 0 0 0 0 1 0' --to '1 0 0 0 0 1 0 0 0 0 1 0' --html unit.html
has unit.html '"metres":1'

# No input is overwritten, whatever it is called
cp box.ply box-before.ply
ln -s box.ply link.ply
cp moves.txt moves.obj
while read -r line; do
	# shellcheck disable=SC2086 # words
	refuses "is read, and would be overwritten" $line
done <<-'END'
	view box.ply other.ply -o ./box.ply
	view box.ply other.ply -o link.ply
	export box.ply other.ply -o box.ply
	export box.ply gear.ply --poses moves.obj -o moves.obj
	check box.ply other.ply --html box.ply
	check box.ply gear.ply --poses moves.txt --html moves.txt
	distance box.ply other.ply --html ./other.ply
	self box.ply --html box.ply
	toi box.ply other.ply --to moves.txt --html moves.txt
	scene box.ply other.ply --html other.ply
	scene box.ply other.ply --report csv=box.ply
	check box.ply other.ply --capture other.ply
	self box.ply --capture box.ply
END
refuses 'is read, and would be overwritten' build ./box.ply -o box.ply
refuses 'is read, and would be overwritten' build box.ply -o link.ply
that 'the inputs are as they were' cmp -s box.ply box-before.ply

# A robot in two configurations, of which one clashes
printf '<robot name="r"><link name="one"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
<link name="two"><collision><geometry><box size="1 1 1"/></geometry></collision></link><joint name="rail" type="prismatic"><parent
link="one"/><child link="two"/><axis xyz="1 0 0"/><limit lower="0" upper="3" effort="1" velocity="1"/></joint></robot>' >robot.urdf
echo '<robot name="r"/>' >robot.srdf
printf '0.5\n2\n' >rows.txt
robot=(scene robot.urdf --srdf robot.srdf --joints rows.txt)
expect 1 "${robot[@]}" --html robot.html
has robot.html '"joint":"rail","parent":0,"kind":"prismatic"'
has robot.html 'configuration 0: one and two intersect'
frames robot.html '0:nan:1 1:nan:0'
expect 3 "${robot[@]}" --timeout 1e-9 --html late.html
has late.html 'The work was ended early: 2 of 2 configurations were not looked at.'
frames late.html '0:nan:2 1:nan:2'
for more in --distance --edges '--clearance 1' '--output rows.npy'; do
	# shellcheck disable=SC2086 # words
	expect 2 "${robot[@]}" --html no.html $more
	says err '--html shows verdicts'
done
awk 'BEGIN { for ( i = 0; i < 3000; ++i ) print i == 2345 ? 0.5 : 2 }' >rows.txt
expect 1 "${robot[@]}" --html many.html --quiet
has many.html 'configuration 2345: one and two intersect'
has many.html 'Of 3000 configurations '

# Where the frame is not there, or is none
DUALBVH_VIEWER=$PWD/none.html refuses none.html view box.ply other.ply -o none-page.html
that 'no page without a frame' [ ! -e none-page.html ]
echo '<html>' >bad.html
DUALBVH_VIEWER=$PWD/bad.html expect 2 view box.ply other.ply -o bad-page.html
says err 'no mark'
expect 2 view
expect 2 view box.ply other.ply -o nowhere/page.html
expect 2 scene box.ply --joints moves.txt --html x.html

# Names that would be markup
printf 'o </script><img/src=x/onerror=alert(1)>\nv 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\no other\nv 1 1 -1\nv 0.2 0.3 2\nv 0.5 0.1 -1\nf 4 5 6\n' >hostile.obj
expect 0 view hostile.obj --split object -o hostile.html --title '</title><img src=x>'
has hostile.html '\u003c/script>\u003cimg/src=x/onerror=alert(1)>'
that 'no name becomes an element' [ "$(grep -c '<img' hostile.html)" -eq 0 ]

# Simplification: what is far from the clash, and it says so
gen sphere --slices 100 --stacks 100 --at 50,0,0 -o ball.ply
expect 0 view box.ply other.ply ball.ply --triangles 1000 -o simple.html
says out 'triangles are drawn'
has simple.html '"simplified_bodies":1'

# A small body stays whole beside a large one, whether they clash or not.
gen gear -o small.ply
gen sphere --radius 40 --slices 100 --stacks 100 --at 48,0,0 -o large.ply
expect 0 view small.ply large.ply --triangles 6000 -o small.html
has small.html '"triangles":1824,"whole":1824'
# From the usual side the gear would be behind the ball.
that 'it is seen from another side' [ "$(grep -c '"view":\[0.62' small.html)" -eq 0 ]
has small.html '"view":['
has small.html '"simplified_bodies":1'

# Thumbnails
expect 0 view box.ply other.ply far.ply --png pictures -o page.html
that 'one picture' [ "$(find pictures -name '*.png' | wc -l)" -eq 1 ]
that 'a PNG' [ "$(head -c 8 pictures/001-*.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
expect 0 view box.ply other.ply far.ply --trees --png volumes
that 'and the volumes of trees' [ "$(find volumes -name 'tree-*.png' | wc -l)" -eq 3 ]
for kind in spheres boxes ellipsoids; do
	that "a PNG of $kind" [ "$(head -c 8 volumes/tree-$kind.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
done
that 'they differ' [ "$(cksum <volumes/tree-boxes.png)" != "$(cksum <volumes/tree-spheres.png)" ]
expect 1 check gear.ply gear.ply --poses moves.txt --relation --png poses
that 'a picture of each run of poses' [ "$(find poses -name '*.png' | wc -l)" -eq 3 ]
DUALBVH_VIEWER=$PWD/none.html expect 0 view box.ply far.ply --png nothing # needs no frame
that 'a picture without a clash' [ "$(find nothing -name '*.png' | wc -l)" -eq 1 ]

# Models. What is written is read again, with the same triangles.
for ending in glb obj ply; do
	expect 0 export box.ply other.ply -o "model.$ending" --show bodies --quiet
	"$dualbvh" info "model.$ending" >out 2>err
	says out 'triangles        24'
	expect 1 check "model.$ending" box.ply
done
expect 0 export box.ply other.ply -o contact.obj --show contacts
has contact.obj 'o contact_box_and_other_'
that 'the contact of two boxes is at x = 0.5 or 1' [ -z "$(awk '$1 == "v" && $2 != 0.5 && $2 != 1' contact.obj)" ]
expect 0 export box.ply other.ply -o all.ply --show bodies,contacts,clusters,overlap,levels,separation,distance
has all.ply 'separation_box_and_other'
has all.ply 'level_4_of_box'
expect 0 export box.ply far.ply -o gap.ply --show distance --clearance 4
has gap.ply 'element edge 1'
expect 0 export box.ply other.ply -o 'exact.glb'
that 'exact numbers in extras' grep -qaE '"separation":\[0\.5[0-9]*,' exact.glb

# What floats do not hold is refused
gen box --size 1e39,1,1 -o huge.ply
expect 2 export huge.ply -o huge.glb
says err 'beyond what the floats of a GLB hold'
that 'nothing is written' [ ! -e huge.glb ]
expect 0 export huge.ply -o huge.obj

# Plots
name=$'b\xff&d.ply'
cp gear.ply "$name"
expect 0 export gear.ply "$name" --poses moves.txt -o strange.svg
that 'it is XML' [ "$(grep -ac $'gear and b\xef\xbf\xbd&amp;d' strange.svg)" -eq 2 ]
expect 0 export gear.ply gear.ply --poses moves.txt -o plot.svg
has plot.svg '<svg xmlns'
has plot.svg 'class="clash"'
expect 0 export gear.ply gear.ply --to '1 0 0 30 0 1 0 0 0 0 1 0' --samples 10 -o way.svg -o way.glb
that 'eleven points' [ "$(grep -c '<circle' way.svg)" -eq 11 ]

expect 0 export gear.ply gear.ply --poses one.txt -o one.svg
that 'one pose' [ "$(grep -c '<circle' one.svg)" -eq 1 ]
expect 0 export gear.ply gear.ply --poses moves.txt --timeout 1e-9 -o late.svg
has late.svg '</svg>'

# Sections. areas FILE CLASS: of the parts of that class; near X Y: alike to 12 digits.
areas() { sed -n "s/^<path class=\"$2[ a-z]*\" data-area=\"\([^\"]*\)\".*/\1/p" "$1"; }
near() { awk -v x="$1" -v y="$2" 'BEGIN { d = x - y; if (d < 0) d = -d; exit !(d <= 1e-12 * y) }'; }
letters() { grep data-area= "$1" | grep -o ' d="[^"]*"' | tr -cd "$2" | wc -c; } # FILE LETTER: of its curves
is_closed() { [ "$(letters "$1" M)" -gt 0 ] && [ "$(letters "$1" M)" -eq "$(letters "$1" Z)" ]; }
gen box --size 2,2,2 --at 1,1,0.5 -o corner.ply
expect 0 export box.ply corner.ply --section z=0.75 -o cut.svg
says out 'cut.svg: a section at z = 0.75 of 2 bodies, 1 overlap of area 1'
that 'squares of 2 by 2, and of 1' [ "$(areas cut.svg a) $(areas cut.svg b) $(areas cut.svg overlap)" = '4 4 1' ]
that 'their curves are closed' is_closed cut.svg
expect 0 export box.ply corner.ply --section x=0.25 -o side.svg
that 'across another axis' [ "$(areas side.svg overlap)" = 1.5 ]
expect 0 export box.ply corner.ply --section y -o deepest.svg
says out 'a section at y = '
expect 0 export box.ply corner.ply --section z=-0.5 -o flush.svg
says out 'just above what lies in the plane'
that 'a plane in a face is that just above it' [ "$(areas flush.svg b) $(areas flush.svg overlap)" = '4 1' ]
expect 0 export box.ply corner.ply --section z=7 -o none.svg
that 'the drawing of nothing has finite numbers' grep -q 'data-lower="0 0"' none.svg
has none.svg 'the plane meets nothing'
gen pipe --radius 3 --wall 1 --slices 40 -o pipe.ply
gen sphere --at 9,0,0 -o ball.ply
expect 0 export pipe.ply ball.ply --section z=0 -o round.svg
polygon() { awk -v n="$1" -v r="$2" -v s="$3" 'BEGIN { pi = atan2(0, -1); printf "%.17g", n / 2 * sin(2 * pi / n) * (r * r - s * s) }'; }
that 'a ring of 40 sides' near "$(areas round.svg rest | tail -n 1)" "$(polygon 40 3 2)"
that "a sphere's largest circle, through vertices" near "$(areas round.svg rest | head -n 1)" "$(polygon 64 1 0)"
that 'three closed curves' [ "$(letters round.svg M)" -eq 3 ]
that 'rings are closed' is_closed round.svg
printf 'v 0 0 -1\nv 0 0 1\nv 1 0 -1\nv 1 0 1\nf 1 3 2\nf 3 4 2\n' >sheet.obj
expect 0 export sheet.obj box.ply --section z=0.1 -o sheet.svg
has sheet.svg 'class="b open" data-area="0"'
# A box without a lid is open, also where the plane crosses walls alone; areas smaller than doubles are said to be.
open_box -1,-1,-1 1,1,1 >pot.off
expect 0 export box.ply pot.off --section z=0.1 -o pot.svg
has pot.svg 'class="b open" data-area="0"'
has pot.svg 'pot: not closed'
gen box --size 1e-200,1e-200,1e-200 -o tiny.ply
gen box --size 1e-200,1e-200,1e-200 --at 0.5e-200,0,0 -o other-tiny.ply
expect 0 export tiny.ply other-tiny.ply --section z=0 -o tiny.svg
has tiny.svg 'area below 2e-308'
for plane in '' w z= z=x z=1e999 'z =1' z=1,2 zz; do refuses 'no value for --section' export box.ply other.ply -o a.svg --section "$plane"; done
refuses 'needs -o FILE.svg' export box.ply other.ply -o a.glb --section z

# Nothing else stands in what goes to standard output
stdout=$(if is_posix; then echo /dev/stdout; else echo -; fi)
expect 0 view box.ply other.ply -o "$stdout"
that 'a page alone' [ "$(head -c 9 out)$(tail -n 1 out)" = '<!doctype</head>' ]
"$dualbvh" view box.ply other.ply -o "$stdout" 2>err | cat >piped.html
that 'a page alone, through a pipe' cmp -s out piped.html
expect 0 view box.ply other.ply -o /dev/null
that 'no size of what is no file' [ "$(grep -c 'a page' out)" -eq 0 ]

# Trees are kept
mkdir trees
expect 0 view box.ply other.ply -o cached.html --cache trees
expect 0 export box.ply gear.ply --poses moves.txt -o cached.svg --cache trees
that 'three trees or more' [ "$(find trees -type f | wc -l)" -ge 3 ]

# Options that would change nothing are refused
for option in '--split object' '--package a=b' '--srdf a' '--state a' '--clearance 1' '--allow a,b' --depth '--section z'; do
	# shellcheck disable=SC2086 # words
	refuses 'means nothing with --poses' export box.ply other.ply --poses moves.txt -o a.svg $option
done
refuses 'needs --to' export box.ply other.ply --poses moves.txt -o a.svg --samples 5
refuses "needs 'levels'" export box.ply other.ply -o a.glb --level 3
refuses 'needs --poses' export box.ply other.ply -o a.glb --normalise
for command in view export scene; do
	expect 2 "$command" box.ply --split halves -o a.glb
done
expect 2 view box.ply --split halves
says err "dualbvh view --help"
expect 2 export box.ply -o a.glb --allow box
says err "dualbvh export --help"

expect 2 export box.ply other.ply
expect 2 export box.ply other.ply -o model.txt
expect 2 export box.ply other.ply -o plot.svg
says err 'a plot needs poses'
expect 2 export box.ply other.ply -o a.glb --show everything
expect 2 export box.ply --to '1 0 0 30 0 1 0 0 0 0 1 0' -o a.svg
expect 2 export box.ply other.ply --from '1 0 0 30 0 1 0 0 0 0 1 0' -o a.svg

finish pictures
