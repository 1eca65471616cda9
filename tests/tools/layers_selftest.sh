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
	mkdir -p "$tree"/src/{base,math,simd,exact/number,primitive/{fit,batch,ellipsoid},mesh/io,bvh/{builder,packed}}
	mkdir -p "$tree"/src/reference "$tree"/src/query/{common,collide,distance,toi,relation,contact,raycast}
	mkdir -p "$tree"/io/{text,model,formats/{json,gltf}} "$tree"/tools/{cli,assembly,cmd} "$tree"/bench/{common,paper/quickcd,perf}
	put src/base/alloc.h '#include "dualbvh/base.h"'
	put src/base/parallel.c '#include <omp.h>' '#pragma omp parallel'
	put src/math/mat4.c '#include "base/alloc.h"' '#include <math.h>'
	put src/simd/isa.h '#include <stddef.h>' '#include "simd/vec_f.h"'
	put src/simd/vec_f.h '#include <stdint.h>' '#include <immintrin.h>'
	put src/exact/tri_tri.c '#include "exact/number/big.h"' '#include "math/vec.h"'
	put src/primitive/core.c '#include "exact/number/dd.h"' '#include "dualbvh/primitives.h"'
	put src/primitive/ellipsoid/fit.c '#include "primitive/fit/box_fit.h"'
	put src/mesh/view.h '#include "dualbvh/mesh.h"' '#include <stdio.h>'
	put src/mesh/io/obj.c '#include "mesh/builder.h"'
	put src/bvh/builder/build.c '#include "mesh/view.h"' '#include "base/alloc.h"' '#include "primitive/fit/box_fit.h"'
	put src/bvh/tree.h '#include "mesh/topology.h"' '#include "bvh/packed_layout.h"'
	put src/query/common/workspace.h '#include "bvh/tree.h"' '#include "dualbvh/collide.h"'
	put src/query/collide/api.c '#include "query/common/workspace.h"' '#include "dualbvh/collide.h"'
	put src/query/distance/api.c '#include "query/collide/collide.h"' '#include "reference/reference.h"'
	put src/reference/collide.h '#include "query/common/nearest.h"' '#include "query/common/workspace.h"'
	put src/query/toi/api.c '#include "query/distance/distance.h"' '#include "query/collide/collide.h"'
	put src/query/relation/api.c '#include "mesh/topology.h"' '#include "query/distance/distance.h"'
	put src/query/contact/api.c '#include "query/relation/relation.h"'
	put tools/main.c '#include "cmd/cmd.h"' '#include "cli/args.h"'
	put tools/cli/args.h '#include "text/number.h"' '#include "base/replace.h"'
	put io/formats/gltf/gltf.h '#include "formats/json/load.h"' '#include "model/model.h"'
	put bench/main.c '#include "paper/paper.h"' '#include "text/number.h"'
	put bench/perf/flat.c '#include "shapes/shapes.h"' '#include "support/rng.h"' '#include "bvh/tree.h"'
	put bench/paper/quickcd/tree.h '#include "hull.h"' '#include "simd/vec_f.h"'
	# Two that know each other are one thing in two files.
	put src/query/raycast/walk.h '#include "query/raycast/packed.h"'
	put src/query/raycast/packed.h '#include "query/raycast/walk.h"'
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

fresh; put src/base/alloc.h '#include "math/vec.h"';                must_fail 'src/base/alloc.h:4: base may not include math/vec.h'
fresh; put src/math/pose.c '#include "exact/orient.h"';             must_fail 'math may not include exact/orient.h'
fresh; put src/exact/orient.c '#include "bvh/node.h"';              must_fail 'exact may not include bvh/node.h'
fresh; put src/exact/number/big.c '#include "exact/orient.h"';      must_fail 'exact/number may not include exact/orient.h'
fresh; put src/primitive/fit/box_fit.c '#include "exact/orient.h"'; must_fail 'primitive/fit may not include exact/orient.h'
fresh; put src/primitive/ellipsoid/a.c '#include "bvh/node.h"';     must_fail 'primitive/ellipsoid may not include bvh/node.h'
fresh; put src/primitive/core.c '#include "primitive/batch/a.h"';   must_fail 'primitive may not include primitive/batch/a.h'
fresh; put src/mesh/io/stl.c '#include "bvh/tree.h"';               must_fail 'mesh/io may not include bvh/tree.h'
fresh; put src/mesh/mesh.h '#include "mesh/io/file.h"';             must_fail 'mesh may not include mesh/io/file.h'
fresh; put src/bvh/builder/fit.c '#include "mesh/mesh.h"';            must_fail 'bvh/builder may not include mesh/mesh.h'
fresh; put src/bvh/builder/fit.c '#include "query/common/a.h"';       must_fail 'bvh/builder may not include query/common/a.h'
fresh; put src/bvh/builder/fit.c '#include "dualbvh/collide.h"';      must_fail 'bvh/builder may not include dualbvh/collide.h'
fresh; put src/query/common/a.c '#include "query/toi/toi.h"';       must_fail 'query/common may not include query/toi/toi.h'
fresh; put src/query/collide/a.c '#include "query/distance/a.h"';   must_fail 'query/collide may not include query/distance/a.h'
fresh; put src/query/collide/packed.c '#include "reference/a.h"';    must_fail 'only the api.c of a query may include reference/a.h'
fresh; put src/query/common/api.c '#include "reference/a.h"';       must_fail 'only the api.c of a query may include reference/a.h'
fresh; put src/reference/a.c '#include "query/collide/kernel.h"';   must_fail 'reference may not include query/collide/kernel.h'
fresh; put src/reference/a.c '#include "query/distance/a.h"';        must_fail 'reference may not include query/distance/a.h'
fresh; put src/bvh/builder/fit.c '#include "reference/a.h"';        must_fail 'bvh/builder may not include reference/a.h'
fresh; put src/bvh/packed/pack.c '#include "bvh/builder/fit.h"';    must_fail 'bvh/packed may not include bvh/builder/fit.h'
fresh; put src/bvh/tree.c '#include "bvh/packed/pack.h"';           must_fail 'bvh may not include bvh/packed/pack.h'
fresh; put src/query/relation/a.c '#include "query/contact/a.h"';   must_fail 'query/relation may not include query/contact/a.h'
fresh; put src/query/toi/a.c '#include "mesh/view.h"';              must_fail 'query/toi may not include mesh/view.h'
fresh; put src/query/toi/a.c '  #  include  "mesh/view.h"';         must_fail 'query/toi may not include mesh/view.h'
fresh; put src/query/toi/a.c '#include "toi.h"';                    must_fail 'should be written from src/'
fresh; put src/simd/a.h '#include <math.h>';                        must_fail 'simd includes no <math.h>'
fresh; put src/simd/a.h '#include "base/alloc.h"';                  must_fail 'simd may not include base/alloc.h'
fresh; put src/simd/a.h '#include "query/collide/kernel.h"';        must_fail 'simd may not include query/collide/kernel.h'
fresh; put src/simd/a.h '#include "dualbvh/base.h"';                must_fail 'simd includes no public header'
fresh; put src/bvh/builder/build.c '#include <omp.h>';                must_fail 'omp.h belongs'
fresh; put src/bvh/builder/build.c '#pragma omp parallel for';        must_fail 'OpenMP belongs'
fresh; put src/math/mat4.c '#include <cglm/mat4.h>';                must_fail 'cglm is for callers'
fresh; put src/bvh/builder/build.c '#include <stdio.h>';              must_fail 'stdio belongs'
fresh; put src/mesh/io/stl.c '#include <locale.h>';                 must_fail 'the locale'
fresh; mkdir "$tree/src/magic"; put src/magic/a.c '';               must_fail 'no layer'
fresh; echo 'int x;' >"$tree/src/base/a.c";                         must_fail 'SPDX'
fresh; put src/base/a.c $'// caf\xc3\xa9';                          must_fail 'ASCII'
home=/ho && fresh; put src/base/a.c "// see ${home}me/somebody";    must_fail 'a path of one machine'
fresh; put src/base/a.c "$(yes '// long' | head -n 999)";           must_fail 'longer than 1000 lines'

fresh; put io/text/a.c '#include "cli/args.h"';                  must_fail 'io/text/a.c:4: io/text may not include cli/args.h'
fresh; put io/model/a.c '#include "formats/json/load.h"';           must_fail 'io/model may not include formats/json/load.h'
fresh; put io/formats/a.c '#include "assembly/findings.h"';         must_fail 'io/formats may not include assembly/findings.h'
fresh; put io/text/a.c '#include "math/pose.h"';                    must_fail 'io/ sees nothing of src/'
fresh; put io/formats/json/a.c '#include "formats/gltf/a.h"';    must_fail 'io/formats/json may not include formats/gltf/a.h'
fresh; put tools/cli/a.c '#include "math/pose.h"';                  must_fail 'tools/ sees nothing of src/'
fresh; put bench/common/a.c '#include "paper/paper.h"';             must_fail 'bench/common may not include paper/paper.h'
fresh; put bench/paper/a.c '#include "cli/args.h"';                 must_fail 'the benchmark sees nothing of io/ and tools/'
fresh; mkdir "$tree/tools/magic"; put tools/magic/a.c '';           must_fail 'in no folder that layers.sh knows'

# A circle of three, by headers alone and through a body; of several circles each is named.
three() { # names of headers without their endings, and the ending of the last one; by default in src/
	local root=${5:-src}
	put "$root/$1.h" "#include \"$2.h\""
	put "$root/$2.h" "#include \"$3.h\""
	put "$root/$3$4" "#include \"$1.h\""
}
fresh; three bvh/a bvh/b bvh/c .h;                                  must_fail 'a circle of 3 includes:'
fresh; three exact/a exact/b exact/c .c; put src/exact/c.h '';      must_fail 'a circle of 3 includes:'
fresh; three text/a text/b text/c .h io;                            must_fail 'io/text/a:1: a circle of 3 includes:'
fresh; three perf/a perf/b perf/c .h bench;                         must_fail 'a circle of 3 includes:'
fresh; three exact/a exact/b exact/c .inl;                          must_fail 'a circle of 3 includes:'
fresh; three bvh/a bvh/b bvh/c .h; three mesh/a mesh/b mesh/c .h;
if [ "$(bash "$lint" "$tree" 2>/dev/null | grep -c 'a circle of 3')" -ne 2 ]; then
	echo "FAIL: of two circles not both are named"
	failed=1
fi

[ "$failed" -eq 0 ] && echo "layers_selftest: every violation was named"
exit "$failed"
