#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks who includes whom in src/, io/, tools/ and bench/, and a few rules that every source keeps.
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
			# A folder, and what it may see besides itself; a deeper folder with a line of its own goes by that.
			allowed["base"] = ""
			allowed["math"] = " base "
			allowed["simd"] = ""
			allowed["exact/number"] = " base "
			allowed["exact"] = " exact/number simd math base "
			allowed["primitive"] = " exact exact/number simd math base "
			allowed["primitive/batch"] = " primitive simd math base "
			allowed["primitive/fit"] = " math base "
			allowed["primitive/ellipsoid"] = " primitive/fit simd math base "
			allowed["mesh"] = " exact exact/number math base "
			allowed["mesh/io"] = " mesh base "
			allowed["bvh"] = " primitive/ellipsoid primitive/fit exact exact/number simd math base "
			of_tree = " primitive/ellipsoid primitive/fit exact exact/number simd math base bvh "
			allowed["bvh/packed"] = of_tree
			allowed["bvh/ellipsoid"] = of_tree " bvh/packed "
			allowed["bvh/builder"] = of_tree " bvh/packed bvh/ellipsoid "
			allowed["bvh/validate"] = of_tree " bvh/packed bvh/builder "
			allowed["bvh/file"] = " bvh bvh/packed bvh/builder bvh/validate primitive/ellipsoid exact exact/number math base mesh/io "
			below = " bvh bvh/packed primitive primitive/ellipsoid primitive/fit exact exact/number simd math base "
			allowed["query/common"] = below
			below = below " query/common "
			allowed["query/raycast"] = allowed["query/shape"] = allowed["query/collide"] = below
			below = below " query/collide "
			allowed["query/self"] = allowed["query/distance"] = below
			below = below " query/distance "
			allowed["query/toi"] = allowed["query/relation"] = allowed["query/cached"] = below
			allowed["query/contact"] = below " query/relation "
			allowed["query/overlap"] = below " query/relation query/raycast query/contact "
			allowed["query/depth"] = below " query/relation query/raycast query/contact query/overlap "
			allowed["query"] = below " query/toi "
			allowed["reference"] = " bvh primitive primitive/ellipsoid primitive/fit exact exact/number simd math base query/common "
			allowed["scene"] = below " query query/distance query/collide query/toi query/raycast query/relation query/overlap query/depth "
			allowed["robot"] = " scene bvh query/common query/collide math base "
			allowed["capture"] = " mesh mesh/io base "
			# Single files of mesh that others may see.
			sees["simd base/cpu.h"] = 1
			sees["bvh mesh/view.h"] = sees["bvh mesh/topology.h"] = sees["query mesh/topology.h"] = 1
			# Public headers, by the top folders that may see them besides base.h.
			public["mesh.h"] = " mesh bvh query "
			public["primitives.h"] = " bvh primitive query "
			public["shape_cast.h"] = " primitive query "
			public["ellipsoid.h"] = " primitive bvh query "
			public["fit.h"] = " primitive "
			public["tree.h"] = " bvh query "
			public["tree_file.h"] = " bvh "
			public["isa.h"] = " base bvh query "
			# Files that have intrinsics of their own until src/simd has what they need.
			intrinsics["src/base/crc32c.c"] = intrinsics["src/bvh/builder/wide.h"] = 1
			intrinsics["src/query/common/node_stages.inl"] = 1
			intrinsics["src/query/collide/kernel.inl"] = intrinsics["src/query/common/packed_nodes.inl"] = 1
			intrinsics["src/query/distance/kernel.inl"] = intrinsics["src/query/distance/packed_nodes_x16.inl"] = 1
			system_simd = " stdint.h stddef.h string.h immintrin.h emmintrin.h arm_neon.h wasm_simd128.h "
		}
		FNR == 1 {
			n = split(FILENAME, part, "/")
			top = part[2]
			layer = top
			for (i = 3; i < n; ++i)
				if (layer "/" part[i] in allowed) layer = layer "/" part[i]
			if (!(layer in allowed)) complain("src/" layer " is no layer that layers.sh knows")
		}
		/_mm(256|512)?_[a-z]|__m(128|256|512|mask)|__builtin_ia32|(imm|emm)intrin[.]h|arm_neon[.]h|wasm_simd128[.]h|wasm_[fiv][0-9]|[^a-z_]v[a-z]+q_[fsu](32|64)\(/ && top != "simd" && !(FILENAME in intrinsics) {
			complain("intrinsics belong in src/simd alone")
		}
		/^[ \t]*#[ \t]*pragma[ \t]+omp/ && FILENAME != "src/base/parallel.c" {
			complain("OpenMP belongs in src/base/parallel.c alone")
		}
		/^[ \t]*#[ \t]*include[ \t]*</ {
			name = $0
			sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
			if (name == "omp.h" && FILENAME != "src/base/parallel.c")
				complain("omp.h belongs in src/base/parallel.c alone")
			if (name ~ /^cglm\//)
				complain("cglm is for callers: include/dualbvh/cglm.h")
			if (name == "stdio.h" && top != "mesh" && layer != "bvh/file" && FILENAME !~ /^src\/base\/(status|assert|replace|os|os_[a-z]+)\.[ch]$/)
				complain("stdio belongs in src/mesh, src/bvh/file and src/base/{status,assert,replace,os} alone")
			if (name == "locale.h")
				complain("the locale is the caller'\''s business")
			chooses = FILENAME == "src/simd/isa.c" && (name == "stdatomic.h" || name == "stdlib.h")
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
				else if (part[2] != "base.h" && top != "query" && top != "capture" && top != "scene" && top != "robot" && (!(part[2] in public) || index(public[part[2]], " " top " ") == 0))
					complain(layer " may not include " name)
			} else if (n < 2)
				complain("\"" name "\" should be written from src/, as \"" layer "/" name "\"")
			else {
				folder = part[1]
				for (i = 2; i < n; ++i)
					if (folder "/" part[i] in allowed) folder = folder "/" part[i]
				if (folder == "reference" && layer ~ /^query/) {
					if (FILENAME !~ /^src\/query\/[a-z]+\/api\.c$/ || layer == "query/common")
						complain("only the api.c of a query may include " name)
				} else if (folder != layer && index(allowed[layer], " " folder " ") == 0 && !((top " " name) in sees))
					complain(layer " may not include " name)
			}
		}
	' "${files[@]}"
}

# The folders of the readers of scenes, of the command and of the benchmark, each with what it may see besides itself:
# "folder: what it sees". What does not stand in a folder of theirs belongs to src/, the tests or another library;
# `from_src` names the only headers of src/ that the readers and the command may see. The command includes folders of io/
# by the same names as its own.
io_layers='
	text:
	shape:
	model: text shape
	formats: model text
	formats/json: formats model text
	formats/gltf: formats formats/json model text
	formats/threemf: formats model text shape
	formats/urdf: formats model text
	api: formats model text'
tools_layers="$io_layers"'
	os:
	shapes: shape
	cli: text os
	assembly: formats model text shapes
	results: cli text os
	load: results formats assembly model cli text
	picture: load assembly model cli text os
	report: picture load assembly model cli text os
	cmd: report picture load results formats assembly model cli text os shapes
	.: cmd cli os'
bench_layers='
	common:
	paper/quickcd:
	paper: paper/quickcd common
	perf: paper common
	peers: common
	.: paper common'
from_src=' base/fpenv.h base/reason.h base/replace.h base/os.h base/os_windows.h base/parallel.h '
# What the benchmark needs of the command: meshes, the line of progress, JSON and numbers as text.
bench_from_command=' shapes/shapes.h cli/progress.h text/json.h text/number.h '

check_folders() { # root, its layers
	local files
	mapfile -t files < <(list "$1")
	[ ${#files[@]} -gt 0 ] || return 0
	awk -v root="$1" -v layers="$2" -v others="$(cd src && find . -maxdepth 1 -mindepth 1 -type d | sed 's|^\./||' | tr '\n' ' ')" \
		-v tools_layers="$tools_layers" -v from_src="$from_src" -v from_tools="$bench_from_command" '
		function complain(text) { print FILENAME ":" FNR ": " text }
		function folder_of(name, known,    n, part, i, folder, best) { # the deepest folder of a table that a path is in
			n = split(name, part, "/")
			best = "."
			for (i = 1; i < n; ++i) {
				folder = folder (i > 1 ? "/" : "") part[i]
				if (folder in known) best = folder
			}
			return n > 1 && best == "." ? "" : best
		}
		function read_table(text, table,    n, line, i, at) {
			n = split(text, line, "\n")
			for (i = 1; i <= n; ++i) {
				gsub(/^[ \t]+/, "", line[i])
				if ((at = index(line[i], ":")) > 0) table[substr(line[i], 1, at - 1)] = substr(line[i], at + 1) " "
			}
		}
		BEGIN {
			read_table(layers, allowed)
			read_table(tools_layers, tools)
			n = split(others, word, " ")
			for (i = 1; i <= n; ++i) library[word[i]] = 1
		}
		FNR == 1 {
			layer = folder_of(substr(FILENAME, length(root) + 2), allowed)
			if (layer == "") complain("in no folder that layers.sh knows")
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			name = $0
			sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
			top = name
			sub(/\/.*/, "", top)
			folder = folder_of(name, allowed)
			if (name ~ /^dualbvh\// || index(name, "/") == 0) next
			if (folder != "" && folder != layer && index(allowed[layer], " " folder " ") == 0)
				complain(root "/" layer " may not include " name)
			else if (folder == "" && root == "io" && folder_of(name, tools) != "")
				complain(root "/" layer " may not include " name)
			else if (folder == "" && root != "bench" && (top in library) && index(from_src, " " name " ") == 0)
				complain(root "/ sees nothing of src/ but" from_src "and this is " name)
			else if (folder == "" && root == "bench" && !(top in library) && folder_of(name, tools) != "" && index(from_tools, " " name " ") == 0)
				complain("the benchmark sees nothing of io/ and tools/ but" from_tools "and this is " name)
		}
	' "${files[@]}"
}

# A unit is a .c, .h and .inl of one name. Two that include each other are one thing in two files; more are a circle, in
# which nothing can be read alone.
check_circles() { # root
	local files
	mapfile -t files < <(list "$1")
	[ ${#files[@]} -gt 0 ] || return 0
	awk -v root="$1" '
		function unit(name) { sub(/\.[a-z]+$/, "", name); return name }
		function visit(v,    k, w, size, text) { # Tarjan: strongly connected units
			order[v] = low[v] = ++time
			stack[++top] = v
			on[v] = 1
			for (k = 1; k <= count[v]; ++k) {
				w = to[v, k]
				if (!(w in count)) continue
				if (!(w in order)) { visit(w); if (low[w] < low[v]) low[v] = low[w] }
				else if (on[w] && order[w] < low[v]) low[v] = order[w]
			}
			if (low[v] != order[v]) return
			size = 0; text = ""
			do { w = stack[top--]; on[w] = 0; ++size; text = text " " w } while (w != v)
			if (size > 2) print root "/" v ":1: a circle of " size " includes:" text
		}
		FNR == 1 { from = unit(substr(FILENAME, length(root) + 2)); if (!(from in count)) count[from] = 0 }
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			name = $0
			sub(/^[^"]*"/, "", name); sub(/".*/, "", name)
			name = unit(name)
			if (name != from && !((from, name) in seen)) { seen[from, name] = 1; to[from, ++count[from]] = name }
		}
		END { for (v in count) if (!(v in order)) visit(v) }
	' "${files[@]}" | sort
}

check_files() {
	local files
	mapfile -t files < <(list src include io tools tests bench examples python)
	[ ${#files[@]} -gt 0 ] || return 0
	awk '
		FNR == 1 && $0 != "// SPDX-License-Identifier: MIT" && $0 != "# SPDX-License-Identifier: MIT" {
			print FILENAME ":1: the first line should be the SPDX line"
		}
		FNR == 1001 { print FILENAME ":1001: longer than 1000 lines" }
	' "${files[@]}"
	grep -Hn '[^ -~	]' "${files[@]}" | sed 's|^\([^:]*:[0-9]*\):.*|\1: not plain ASCII|' || true
	# Where somebody's own machine shows: absolute paths into the usual places.
	grep -HnE '(^|[^A-Za-z0-9_.$}/])/(home|root|Users|work|mnt|opt)/[A-Za-z]' "${files[@]}" |
		sed 's|^\([^:]*:[0-9]*\):.*|\1: a path of one machine|' || true
}

{
	check_includes
	check_folders io "$io_layers"
	check_folders tools "$tools_layers"
	check_folders bench "$bench_layers"
	for part in src io tools bench; do
		check_circles "$part"
	done
	check_files
} >"$complaints"

if [ -s "$complaints" ]; then
	cat "$complaints"
	echo "layers: $(wc -l <"$complaints") violation(s)" >&2
	exit 1
fi
echo "layers: in order"
