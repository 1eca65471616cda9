#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# release.sh SOURCE: does scripts/release make an archive of the sources and of nothing else, the same bytes each time, with
# checksums and a bill of materials that names it by its checksum?

set -euo pipefail
source=$1
command -v python3 >/dev/null || { echo "release: skipped, there is no python3"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
complain() {
	echo "release: $*"
	failed=1
}

export SOURCE_DATE_EPOCH=1800000000
for run in one two; do
	"$source/scripts/release" --draft "$folder/$run" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
done
diff -r "$folder/one" "$folder/two" >/dev/null || complain "two runs differ"
cd "$folder/one"
archive=$(echo dualbvh-*.tar.gz)
name=${archive%.tar.gz}
sha256sum -c --quiet "$name.sha256" || complain "the checksums are wrong"
tar -tzf "$archive" >"$folder/listed"
for file in README.md LICENSE include/dualbvh/base.h src/CMakeLists.txt scripts/release; do
	grep -qxF "$name/$file" "$folder/listed" || complain "$file is not in the archive"
done
if grep -vE "^$name/" "$folder/listed" || grep -E "^$name/(build|\.git/)|__pycache__|/node_modules/" "$folder/listed"; then
	complain "this has no business in the archive"
fi
grep -q "$(sha256sum <"$archive" | cut -d' ' -f1)" "$name.cdx.json" || complain "the bill of materials does not name the archive"
python3 -c 'import json, sys; bill = json.load(open(sys.argv[1])); sys.exit(bill["bomFormat"] != "CycloneDX" or "dualbvh-" + bill["metadata"]["component"]["version"] != sys.argv[2])' \
	"$name.cdx.json" "$name" || complain "the bill of materials is none, or of another version"
[ "$(wc -l <"$name-notes.md")" -gt 10 ] || complain "the changelog says nothing of this version"
exit $failed
