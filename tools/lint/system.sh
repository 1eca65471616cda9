#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that only the layer of the operating system (src/base/os*, tools/os/) knows which system it is on: no other file
# of the library or the command includes a header of a system, asks for one by a macro, or opens, removes or renames files
# by the C library, whose names are not UTF-8 everywhere, or asks it for fma(), which is not rounded once everywhere.
#
#   tools/lint/system.sh [ROOT]
#
# Prints one line a violation, "file:line: what is wrong", and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -d src ] || { echo "system: $root has no src/" >&2; exit 2; }

complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT

folders=()
for folder in src include io tools; do [ ! -d "$folder" ] || folders+=("$folder"); done
mapfile -t files < <(find "${folders[@]}" -type f \( -name '*.c' -o -name '*.h' -o -name '*.inl' -o -name '*.cpp' -o \
	-name '*.hpp' -o -name CMakeLists.txt \) | grep -v '^src/base/os[._]\|^tools/os/' | sort)

awk '
	BEGIN {
		# Headers of C17, of compilers, and of libraries; those of C++ have no ending.
		n = split("assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg " \
			"stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath time uchar wchar wctype " \
			"immintrin emmintrin arm_neon arm_acle cpuid wasm_simd128 omp " \
			"jansson zip expat zlib meshoptimizer", word)
		for (i = 1; i <= n; ++i) known[word[i] ".h"] = 1
		# STEP is read in a child process, by fork(): on systems without it the reader is left out.
		exempt["io/formats/step.cpp"] = 1
		# Windows exports functions by an attribute in their declaration.
		exempt["include/dualbvh/base.h _WIN32"] = 1
	}
	function complain(text) { print FILENAME ":" FNR ": " text }
	FILENAME in exempt { next }
	/^[ \t]*#[ \t]*include[ \t]*</ {
		name = $0
		sub(/^[^<]*</, "", name); sub(/>.*/, "", name)
		if (name ~ /\./ && name !~ /^(assimp|cglm|glm|Eigen|draco|ompl|dualbvh)\// && !(name in known))
			complain("<" name "> is a header of a system: src/base/os.h or tools/os/os.h")
		next
	}
	{
		line = $0
		sub(/\/\/.*/, "", line)
		while (match(line, /(^|[^A-Za-z0-9_])(_WIN(32|64)|__(APPLE|linux|unix|GLIBC|MINGW32|MINGW64|CYGWIN|EMSCRIPTEN|wasi|FreeBSD|ANDROID)__|_(POSIX_C|GNU|DEFAULT|BSD|XOPEN|DARWIN_C)_SOURCE|_WIN32_WINNT|_FILE_OFFSET_BITS)($|[^A-Za-z0-9_])/)) {
			name = substr(line, RSTART, RLENGTH)
			gsub(/[^A-Za-z0-9_]/, "", name)
			if (!((FILENAME " " name) in exempt)) complain(name " asks which system it is: src/base/os.h or tools/os/os.h")
			line = substr(line, RSTART + RLENGTH - 1)
		}
		if (FILENAME ~ /^(src|io|tools)\// && FILENAME !~ /CMakeLists/ && match(line, /(^|[^A-Za-z0-9_.>"])(fopen|freopen|remove|rename|tmpfile)\(/)) {
			name = substr(line, RSTART, RLENGTH)
			gsub(/[^a-z]/, "", name)
			complain(name "() takes no UTF-8 names on Windows: src/base/os.h")
		}
		if (FILENAME ~ /^(src|io|tools)\// && line ~ /(^|[^A-Za-z0-9_])fma[fl]?\(/)
			complain("fma() rounds twice in some C libraries: src/exact/number/fma.h")
	}
' "${files[@]}" >"$complaints"

if [ -s "$complaints" ]; then
	cat "$complaints"
	echo "system: $(wc -l <"$complaints") violation(s)" >&2
	exit 1
fi
echo "system: only the layer of the operating system knows which one it is"
