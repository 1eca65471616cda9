#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# `dualbvh scene --review FILE --from-bcf FILE`: what people say about topics in another program comes into the review,
# once. Python stands for that program.
#
#   topics.sh path/to/dualbvh

# shellcheck source-path=SCRIPTDIR source=harness.sh
. "$(dirname "${BASH_SOURCE[0]}")/harness.sh"
version=$("$dualbvh" --version)
for library in jansson libzip expat; do
	grep -q "with $library" <<<"$version" || { echo "topics: no $library"; exit 77; }
done
command -v python3 >/dev/null || { echo 'topics: no python3'; exit 77; }
export SOURCE_DATE_EPOCH=1800000000 # 2027-01-15

gen box --size 20,2,2 -o beam.ply # up to z = 1
gen box --size 0.5,0.5,0.5 -o bolt.ply
cat >scene.json <<'EOF2'
{"bodies": [{"file": "beam.ply"},
 {"name": "left", "file": "bolt.ply", "pose": {"translation": [-5, 0, 1.125]}},
 {"name": "right", "file": "bolt.ply", "pose": {"translation": [5, 0, 1]}}]}
EOF2

# A program for buildings: edit FROM TO, with a function about each markup on standard input.
cat >edit.py <<'EOF2'
import sys, zipfile, xml.etree.ElementTree as xml
come, go = zipfile.ZipFile(sys.argv[1]), zipfile.ZipFile(sys.argv[2], "w")
def add(markup, author, date, text, guid="0b5e61fc-7e1d-4f7b-8a0f-3a5d1c0f5a6e"):
    topic = markup.find("Topic")
    if topic.find("Labels/Label") is None: # 2.1
        place, at = markup, [e.tag for e in markup].index("Viewpoints")
    else:
        place = topic.find("Comments")
        if place is None:
            place = xml.Element("Comments")
            topic.insert([e.tag for e in topic].index("Viewpoints"), place)
        at = len(place)
    made = xml.Element("Comment", Guid=guid)
    for tag, said in (("Date", date), ("Author", author), ("Comment", text)):
        xml.SubElement(made, tag).text = said
    place.insert(at, made)
def assign(topic, name):
    made = topic.find("AssignedTo")
    if made is None:
        made = xml.Element("AssignedTo")
        topic.insert([e.tag for e in topic].index("CreationAuthor") + 1, made)
    made.text = name
code = sys.stdin.read()
for info in come.infolist():
    data = come.read(info)
    if info.filename.endswith("markup.bcf"):
        markup = xml.fromstring(data)
        exec(code)
        data = xml.tostring(markup)
    go.writestr(info.filename, data)
go.close()
EOF2

for kind in bcf bcf21; do
	rm -f review.txt
	expect 1 scene scene.json --review review.txt --report $kind=out.bcf --json
	is "d['counts']['new'] == 2"
	cp review.txt first.txt
	expect 0 scene scene.json --review review.txt --from-bcf out.bcf
	says out 'out.bcf: 2 topics of the review; new: 0 statuses, 0 assignees, 0 comments'
	that 'nothing was said' cmp -s review.txt first.txt

	python3 edit.py out.bcf back.bcf <<-'EOF2'
		topic = markup.find("Topic")
		if "right" in topic.findtext("Title"):
		    topic.set("TopicStatus", "In Progress")
		    assign(topic, "Bob & Co")
		    add(markup, "ann@b.c", "2026-11-20T09:00:00Z", " seen on site: \r\n\n - one <two>\n", "0B5E61FC-7E1D-4F7B-8A0F-3A5D1C0F5A6E")
	EOF2
	expect 0 scene scene.json --review review.txt --from-bcf back.bcf
	says out 'back.bcf: 2 topics of the review; new: 1 status, 1 assignee, 1 comment'
	that 'the status' grep -qx 'status: In Progress' review.txt
	that 'the assignee' grep -qx 'assignee: Bob & Co' review.txt
	that 'the comment' grep -qx 'comment: ann@b.c, 2026-11-20: seen on site:' review.txt
	that 'its empty line' grep -qx ' \.' review.txt
	that 'its last line' grep -qx '  - one <two>' review.txt
	that 'the other clash has none' test "$(grep -cE '^(status|comment|assignee)' review.txt)" = 3
	cp review.txt said.txt
	expect 0 scene scene.json --review review.txt --from-bcf back.bcf
	says out 'new: 0 statuses, 0 assignees, 0 comments'
	that 'once' cmp -s review.txt said.txt

	# Out again, with what was said, and back with nothing but a change of the status and an answer.
	sed -i '0,/^found/s//accepted: a press fit\nby: Eve\nfound/' review.txt
	expect 0 scene scene.json --review review.txt --report $kind=out.bcf
	python3 edit.py out.bcf back.bcf <<-'EOF2'
		topic = markup.find("Topic")
		topic.set("TopicStatus", "Open" if "right" in topic.findtext("Title") else "Accepted")
		add(markup, "", "", "an answer")
		add(markup, "Zoe", "some day", "\n", "1b5e61fc-7e1d-4f7b-8a0f-3a5d1c0f5a6e")
	EOF2
	expect 0 scene scene.json --review review.txt --from-bcf back.bcf --from-bcf back.bcf --quiet
	that 'the status that the program writes is one where somebody had set another' grep -qx 'status: Open' review.txt
	that 'and else none' test "$(grep -c '^status' review.txt)" = 1
	that 'two answers' test "$(grep -cx 'comment: an answer' review.txt)" = 2
	that 'nothing else' test "$(grep -c '^comment' review.txt)" = 3
	that 'the reason is no comment' test "$(grep -c 'a press fit' review.txt)" = 1
done

# ---- what is refused
refuses '--from-bcf needs --review' scene scene.json --from-bcf back.bcf
refuses 'would be overwritten' scene scene.json --review review.txt --from-bcf back.bcf --report bcf=back.bcf
expect 2 scene scene.json --review review.txt --from-bcf no.bcf
expect 2 scene scene.json --review review.txt --from-bcf scene.json
says err 'no sound zip archive'
python3 -c 'import zipfile; zipfile.ZipFile("other.zip", "w").writestr("a", "b")'
expect 2 scene scene.json --review review.txt --from-bcf other.zip
says err 'no bcf.version'
cp review.txt before.txt
python3 - <<'EOF2'
import zipfile
come = zipfile.ZipFile("back.bcf")
for name, change in (("cut", lambda x: x[:len(x) // 2]), ("deep", lambda x: b"<a>" * 300 + b"</a>" * 300),
                     ("entity", lambda x: b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), ("long", lambda x: x.replace(b"an answer", b"x" * 1048577))):
    go = zipfile.ZipFile(name + ".bcf", "w")
    for i in come.infolist():
        data = come.read(i)
        go.writestr(i.filename, change(data) if i.filename.endswith("markup.bcf") else data)
    go.close()
EOF2
for name in cut deep entity long; do
	expect 2 scene scene.json --review review.txt --from-bcf $name.bcf
	says err 'markup.bcf'
done
that 'the review stays' cmp -s review.txt before.txt

# ---- the newer word stays: of the review, dated by the run that sees it, or of the topic
cp scene.json only.json
sed -i '/right/d; s/1.125\]}},/1.125]}}]}/' only.json
expect 1 scene only.json --review fresh.txt --report bcf=out.bcf
id=$(sed -n 's/^clash: //p' fresh.txt)
# change WHEN STATUS NAME [COMMENT...]: the topic as somebody has changed it then; '': nobody knows when.
change() {
	python3 edit.py out.bcf back.bcf <<-EOF2
		topic = markup.find("Topic")
		topic.set("TopicStatus", "$2")
		created = topic.find("CreationDate")
		if "$1" == "":
		    topic.remove(created)
		else:
		    modified = xml.Element("ModifiedDate")
		    modified.text = "$1"
		    topic.insert([e.tag for e in topic].index("CreationAuthor") + 1, modified)
		assign(topic, "$3")
	EOF2
}
take() { # take STATUS NAME: what the review has then
	expect 0 scene only.json --review review.txt --from-bcf back.bcf
	that "the status is $1" grep -qx "status: $1" review.txt
	that "the assignee is $2" grep -qx "assignee: $2" review.txt
}
cp fresh.txt review.txt
change 2027-01-10T10:00:00Z 'In Progress' Bob
take 'In Progress' Bob
that 'the date is that of the topic' grep -qx 'edited: 2027-01-10T10:00:00Z' review.txt
change 2027-01-09T23:59:59.5+01:00 Stale Zoe
take 'In Progress' Bob
says out "  $id: the status and assignee of the review stay, which are newer than the topic"
change 2027-01-10T11:30:00+01:00 Closed Ann
take Closed Ann
sed -i 's/^status: .*/status: By hand/' review.txt
change 2027-01-14T10:00:00Z Closed Bob
take 'By hand' Ann # dated 2027-01-15, by this run
that 'the date is that of the run' grep -qx 'edited: 2027-01-15T08:00:00Z' review.txt
change 2027-01-15T08:00:00Z 'As late' Eve
take 'As late' Eve # the hand was an earlier run's
sed -i 's/^status: .*/status: By hand/' review.txt
take 'By hand' Eve # the hand is this run's
change '' Closed Bob
take 'By hand' Eve
cp review.txt told.txt
change 2027-01-16T08:00:00Z Closed Bob
take Closed Bob
cp fresh.txt review.txt
sed -i 's/^kind: .*/&\nassignee: Ann/' review.txt
SOURCE_DATE_EPOCH=1800086400 expect 0 scene only.json --review review.txt
change 2027-01-15T23:00:00Z 'In Progress' Bob
expect 0 scene only.json --review review.txt --from-bcf back.bcf
that 'no status is taken of an older topic' test "$(grep -c '^status' review.txt)" = 0
that 'the assignee stays' grep -qx 'assignee: Ann' review.txt

# ---- a topic that a clock ahead has dated replaces words once, and not those that a hand writes then
cp told.txt review.txt
change 2027-01-15T20:00:00Z Closed Bob
take Closed Bob
sed -i 's/^status: .*/status: By hand/' review.txt
take 'By hand' Bob
that 'the hand is later than what it found' grep -qx 'edited: 2027-01-15T20:00:01Z' review.txt
take 'By hand' Bob
cp review.txt told.txt
change 2030-01-01T00:00:00Z Never Ann # years ahead: no date at all
take 'By hand' Bob
says out 'are newer than the topic'

# ---- a topic without dates is as late as its comments
cp fresh.txt review.txt
python3 edit.py out.bcf back.bcf <<-'EOF2'
	topic = markup.find("Topic")
	topic.remove(topic.find("CreationDate"))
	topic.set("TopicStatus", "In Progress")
	add(markup, "Ann", "2027-01-11T10:00:00Z", "first")
	add(markup, "Bob", "2027-01-12T10:00:00Z", "second", "1b5e61fc-7e1d-4f7b-8a0f-3a5d1c0f5a6e")
	add(markup, "Eve", "2027-01-10T10:00:00Z", "third", "2b5e61fc-7e1d-4f7b-8a0f-3a5d1c0f5a6e")
EOF2
expect 0 scene only.json --review review.txt --from-bcf back.bcf
that 'the date is that of the last comment' grep -qx 'edited: 2027-01-12T10:00:00Z' review.txt

# ---- comments that were deleted by hand stay away; new ones come
sed -i '/^comment: .*second/d' review.txt
expect 0 scene only.json --review review.txt --from-bcf back.bcf
says out 'new: 0 statuses, 0 assignees, 0 comments'
that 'it stays away' test "$(grep -c second review.txt)" = 0
sed -i 's/^found/comment: mine\ncomment: of   Ann\ncomment: of Ann\nfound/' review.txt
expect 0 scene only.json --review review.txt --report bcf=own.bcf
python3 edit.py own.bcf own2.bcf </dev/null
that 'one comment of a text' python3 -c 'import zipfile; z = zipfile.ZipFile("own2.bcf"); assert sum(z.read(n).count(b"<Comment Guid") for n in z.namelist()) == 4'
sed -i '/^comment: mine/d; /^comment: of/d' review.txt
cp review.txt without.txt
expect 0 scene only.json --review review.txt --from-bcf own2.bcf
that 'nor do those of the program' cmp -s review.txt without.txt

# ---- words of the program that people have chosen
cp fresh.txt review.txt
change 2027-01-16T08:00:00Z Accepted Bob
expect 0 scene only.json --review review.txt --from-bcf back.bcf
says out "  $id: 'Accepted' accepts nothing; a line 'accepted: REASON' in the review does"
change 2027-01-17T08:00:00Z Known Bob
expect 0 scene only.json --review review.txt --from-bcf back.bcf
says out "  $id: the status stays what the program finds; it is one of its own words"
that 'none is taken' test "$(grep -c '^status' review.txt)" = 0
sed -i 's/^kind: .*/&\naccepted: so/' review.txt
change 2027-01-18T08:00:00Z Accepted Bob
expect 0 scene only.json --review review.txt --from-bcf back.bcf
that 'it is accepted' test "$(grep -c 'accepts nothing' out)" = 0

# ---- topics of other clashes are counted
expect 0 scene scene.json --review two.txt --report bcf=two.bcf --fail-on critical
expect 0 scene only.json --review review.txt --from-bcf two.bcf
says out 'two.bcf: 1 topic of the review; new: 0 statuses, 0 assignees, 0 comments; 1 topic of no clash of the review'

# ---- 20,000 comments of one topic: about a second, and again
python3 edit.py out.bcf many.bcf <<-'EOF2'
	topic = markup.find("Topic")
	place = markup if topic.find("Labels/Label") is None else xml.SubElement(topic, "Comments")
	for i in range(20000):
	    made = xml.SubElement(place, "Comment", Guid="%08x-7e1d-4f7b-8a0f-3a5d1c0f5a6e" % i)
	    for tag, said in (("Date", "2027-01-11T10:00:00Z"), ("Author", "Ann"), ("Comment", "comment %d" % i)):
	        xml.SubElement(made, tag).text = said
EOF2
cp fresh.txt review.txt
started=$SECONDS
expect 0 scene only.json --review review.txt --from-bcf many.bcf
says out '20000 comments'
expect 0 scene only.json --review review.txt --from-bcf many.bcf --report bcf=out2.bcf
says out ' 0 comments'
expect 0 scene only.json --review review.txt --from-bcf out2.bcf
says out ' 0 comments'
that 'it takes seconds, not minutes' test $((SECONDS - started)) -lt 60
refuses 'so that out.bcf has no clash to speak of' scene only.json --review nothing.txt --from-bcf out.bcf
that 'no review is made' test ! -e nothing.txt
python3 edit.py out.bcf twin.bcf <<-'EOF2'
	markup.append(markup.find("Topic"))
EOF2
expect 2 scene only.json --review review.txt --from-bcf twin.bcf
says err 'there are two topics in one markup'

finish topics
