#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks who includes whom in src/, and a few rules that every source keeps.
#
#   tools/lint/layers.sh [ROOT]
#
# Prints one line a violation, "file:line: what is wrong", and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -d src ] || { echo "layers: $root has no src/" >&2; exit 2; }

complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT

list() { # the sources under the folders that exist
	local folder
	for folder in "$@"; do
		[ -d "$folder" ] || continue
		find "$folder" -type f \( -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.cpp' \) | sort
	done
}

# One awk program over src/. Everything it knows of the layers is in allowed[].
check_includes() {
	local files
	mapfile -t files < <(list src)
	[ ${#files[@]} -gt 0 ] || return 0
	awk '
		function complain(text) { print FILENAME ":" FNR ": " text }
		BEGIN {
			allowed["base"] = " base "
			allowed["math"] = " math base "
			allowed["exact"] = " exact math base "
			allowed["primitive"] = " primitive exact simd math base "
			allowed["volume"] = " volume simd math base "
			allowed["mesh"] = " mesh exact math base "
			allowed["tree"] = " tree volume exact simd math base "
			allowed["query"] = " query tree primitive volume exact simd math base "
			allowed["simd"] = " simd "
			# Public headers, by the layers that may see them besides base.h.
			public["mesh.h"] = " mesh tree query "
			public["primitives.h"] = " volume tree primitive query "
			public["sweep.h"] = " primitive query "
			public["ellipsoid.h"] = " volume tree query "
			public["tree.h"] = " tree query "
			public["query.h"] = " query "
			public["distance.h"] = " query "
			public["relation.h"] = " query "
			public["contact.h"] = " query "
			public["motion.h"] = " query "
			public["probe.h"] = " query "
			public["self.h"] = " query "
			public["shape.h"] = " query "
			system_simd = " stdint.h stddef.h string.h immintrin.h emmintrin.h arm_neon.h "
		}
		FNR == 1 {
			split(FILENAME, part, "/")
			layer = part[2]
			if (!(layer in allowed)) complain("src/" layer " is no layer that layers.sh knows")
		}
		/^[ \t]*#[ \t]*pragma[ \t]+omp/ && FILENAME != "src/base/parallel.c" {
			complain("OpenMP belongs in src/base/parallel.c alone")
		}
		/^[ \t]*#[ \t]*include[ \t]*</ {
			name = $0
			sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
			if (name == "omp.h" && FILENAME != "src/base/parallel.c")
				complain("omp.h belongs in src/base/parallel.c alone")
			if (name == "pthread.h" && FILENAME != "src/base/parallel.c")
				complain("threads belong in src/base/parallel.c alone")
			if (name ~ /^cglm\// && FILENAME != "src/math/mat4.c")
				complain("cglm belongs in src/math/mat4.c alone")
			if (name == "stdio.h" && layer != "mesh" && FILENAME != "src/base/status.c")
				complain("stdio belongs in src/mesh and src/base/status.c alone")
			if (name == "locale.h")
				complain("the locale is the caller'\''s business")
			chooses = FILENAME == "src/simd/dispatch.c" && (name == "stdatomic.h" || name == "stdlib.h")
			if (layer == "simd" && !chooses && index(system_simd, " " name " ") == 0)
				complain("simd includes no <" name ">")
			next
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			name = $0
			sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
			n = split(name, part, "/")
			if (part[1] == "dualbvh") {
				if (layer == "simd")
					complain("simd includes no public header")
				else if (part[2] != "base.h" && (!(part[2] in public) || index(public[part[2]], " " layer " ") == 0))
					complain(layer " may not include " name)
			} else if (n < 2)
				complain("\"" name "\" should be written from src/, as \"" layer "/" name "\"")
			else if (layer == "tree" && part[1] == "mesh") {
				if (name != "mesh/view.h" && name != "mesh/topology.h")
					complain("tree sees of mesh only mesh/view.h and mesh/topology.h, not " name)
			} else if (layer == "query" && part[1] == "mesh") {
				if (name != "mesh/topology.h") complain("query sees of mesh only mesh/topology.h, not " name)
			} else if (index(allowed[layer], " " part[1] " ") == 0)
				complain(layer " may not include " name)
		}
	' "${files[@]}"
}

check_files() {
	local file lines
	while IFS= read -r file; do
		case $(head -n 1 "$file") in
		"// SPDX-License-Identifier: MIT" | "# SPDX-License-Identifier: MIT") ;;
		*) echo "$file:1: the first line should be the SPDX line" ;;
		esac
		lines=$(wc -l <"$file")
		[ "$lines" -le 1000 ] || echo "$file:$lines: longer than 1000 lines"
		grep -n '[^ -~	]' "$file" | sed "s|^\([0-9]*\):.*|$file:\1: not plain ASCII|" || true
		# Where somebody's own machine shows: absolute paths into the usual places.
		grep -nE '(^|[^A-Za-z0-9_.$}/])/(home|root|Users|work|mnt|opt)/[A-Za-z]' "$file" |
			sed "s|^\([0-9]*\):.*|$file:\1: a path of one machine|" || true
	done < <(list src include tools tests bench)
}

{
	check_includes
	check_files
} >"$complaints"

if [ -s "$complaints" ]; then
	cat "$complaints"
	echo "layers: $(wc -l <"$complaints") violation(s)" >&2
	exit 1
fi
echo "layers: in order"
