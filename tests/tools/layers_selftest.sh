#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# The layer check must pass a good tree and name each violation put into it, one at a time.
#
#   layers_selftest.sh LAYERS

set -euo pipefail
lint=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

fresh() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree"/src/{base,math,exact,volume,mesh,tree,query,simd}
	put src/base/alloc.h '#include "dualbvh/base.h"'
	put src/base/parallel.c '#include <omp.h>' '#pragma omp parallel'
	put src/math/mat4.c '#include <cglm/cglm.h>'
	put src/mesh/view.h '#include "dualbvh/mesh.h"' '#include <stdio.h>'
	put src/bvh/build/build.c '#include "mesh/view.h"' '#include "base/alloc.h"'
	put src/bvh/tree.h '#include "mesh/topology.h"'
	put src/query/collide/api.c '#include "bvh/tree.h"' '#include "dualbvh/collide.h"' '#include "mesh/topology.h"'
	put src/simd/kernels.h '#include <stdint.h>' '#include "simd/op.h"'
}

put() { # file, lines...
	local file=$tree/$1
	shift
	printf '%s\n' '// SPDX-License-Identifier: MIT' '// Copyright (c) 2026 the dualbvh authors' '' "$@" >"$file"
}

must_fail() { # what is expected in the output; the tree has been spoiled
	if output=$(bash "$lint" "$tree" 2>/dev/null); then
		echo "FAIL: not noticed: $1"
		failed=1
	elif [[ $output != *"$1"* ]]; then
		printf 'FAIL: instead of "%s":\n%s\n' "$1" "$output"
		failed=1
	elif [ "$(wc -l <<<"$output")" -ne 1 ]; then
		printf 'FAIL: one violation, several complaints:\n%s\n' "$output"
		failed=1
	fi
}

fresh
if ! bash "$lint" "$tree"; then
	echo "FAIL: a good tree is refused"
	failed=1
fi

fresh; put src/base/alloc.h '#include "math/vec.h"';           must_fail 'src/base/alloc.h:4: base may not include math/vec.h'
fresh; put src/math/pose.c '#include "exact/orient.h"';        must_fail 'math may not include exact/orient.h'
fresh; put src/exact/orient.c '#include "bvh/box_fit.h"';       must_fail 'exact may not include bvh/box_fit.h'
fresh; put src/bvh/box_fit.c '#include "exact/orient.h"';       must_fail 'volume may not include exact/orient.h'
fresh; put src/mesh/io/stl.c '#include "bvh/tree.h"';            must_fail 'mesh may not include bvh/tree.h'
fresh; put src/bvh/build/fit.c '#include "mesh/mesh.h"';            must_fail 'only mesh/view.h'
fresh; put src/bvh/build/fit.c '#include "query/work.h"';           must_fail 'tree may not include query/work.h'
fresh; put src/bvh/build/fit.c '#include "dualbvh/collide.h"';        must_fail 'tree may not include dualbvh/collide.h'
fresh; put src/query/work.c '#include "mesh/view.h"';          must_fail 'only mesh/topology.h, not mesh/view.h'
fresh; put src/query/work.c '  #  include  "mesh/view.h"';     must_fail 'only mesh/topology.h, not mesh/view.h'
fresh; put src/query/work.c '#include "work.h"';               must_fail 'should be written from src/'
fresh; put src/simd/scalar.c '#include <math.h>';              must_fail 'simd includes no <math.h>'
fresh; put src/simd/scalar.c '#include "base/alloc.h"';        must_fail 'simd may not include base/alloc.h'
fresh; put src/simd/scalar.c '#include "dualbvh/base.h"';      must_fail 'simd includes no public header'
fresh; put src/bvh/build/build.c '#include <omp.h>';                must_fail 'omp.h belongs'
fresh; put src/bvh/build/build.c '#include <pthread.h>';            must_fail 'threads belong'
fresh; put src/bvh/build/build.c '#pragma omp parallel for';        must_fail 'OpenMP belongs'
fresh; put src/bvh/build/build.c '#include <cglm/vec3.h>';          must_fail 'cglm belongs'
fresh; put src/bvh/build/build.c '#include <stdio.h>';              must_fail 'stdio belongs'
fresh; put src/mesh/io/stl.c '#include <locale.h>';               must_fail 'the locale'
fresh; mkdir "$tree/src/magic"; put src/magic/a.c '';          must_fail 'no layer'
fresh; echo 'int x;' >"$tree/src/base/a.c";                    must_fail 'SPDX'
fresh; put src/base/a.c $'// caf\xc3\xa9';                     must_fail 'ASCII'
home=/ho && fresh; put src/base/a.c "// see ${home}me/somebody"; must_fail 'a path of one machine'
fresh; put src/base/a.c "$(yes '// long' | head -n 999)";      must_fail 'longer than 1000 lines'

[ "$failed" -eq 0 ] && echo "layers_selftest: every violation was named"
exit "$failed"
