#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Checks that every public function defined in src/ and io/api/ works in the default floating-point environment, as src/base/fpenv.h
# asks: its body begins with DBVHI_IN_DEFAULT_FPENV or dbvhi_fpenv_enter, or it is named below because it computes nothing.
# And that tests/query/common/fpenv_calls*.c, which try functions in all modes, call each of those that the headers declare.
#
#   tools/lint/fpenv.sh [ROOT]
#
# Prints one line a violation, "file:line: what is wrong", and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
cd "$root"
[ -d src ] || { echo "fpenv: $root has no src/" >&2; exit 2; }

# Names, texts, settings, memory, and doubles that are copied as they are.
exempt="version mesh_format_ending status_name status_text relation_name verdict_name location_name toi_verdict_name isa_name isa_select
	pose_identity pose_from_rows pose_from_row_major pose_from_column_major motion_translation
	budget_default tree_options_default tree_load_options_default tree_get_options is_tree_file batch_options_default collide_query_default cache_default clearance_query_default
	distance_query_default raycast_query_default closest_point_query_default collide_shape_query_default
	relate_query_default penetration_query_default local_depth_query_default depth_proof_name fit_verdict_name toi_query_default contacts_query_default tree_get_stats tree_destroy mesh_get_view mesh_get_faces mesh_get_skipped_faces mesh_read_options_default mesh_destroy obb_pack_destroy
	overlap_create overlap_get overlap_destroy overlap_query_default overlap_kind_name overlap_reason_name
	contacts_create contacts_get contacts_destroy capture_call_name capture_destroy
	scene_create scene_destroy scene_clone scene_get_body scene_body_count scene_next_body scene_remove_body scene_set_budget
	body_options_default pair_rule_default clash_kind_name
	scene_query_default scene_distance_query_default configurations_query_default motions_query_default
	joint_default robot_distances_query_default robot_edges_query_default robot_create robot_destroy robot_link_count robot_get_link robot_get_followed robot_width
	robot_column robot_detach robot_body_count robot_get_body
	load_options_default load_reads loaded_destroy loaded_scene loaded_robot loaded_metres loaded_count loaded_name loaded_find
	loaded_mesh loaded_get_property loaded_get_rule
	workspace_create workspace_reserve workspace_reserve_threads workspace_destroy"

complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT

roots=(src)
[ ! -d io/api ] || roots+=(io/api)
mapfile -t files < <(find "${roots[@]}" -type f \( -name '*.c' -o -name '*.inl' \) | sort)
awk -v exempt="$exempt" '
	BEGIN { n = split(exempt, list); for (i = 1; i <= n; ++i) is_exempt[list[i]] = 1 }
	FNR == 1 { state = 0 }
	# A definition begins at the edge, or in a macro a tab from it; a macro pastes its name together.
	state == 0 && /^\t?[a-z][a-z0-9_ ]*[ *]dbvh_[a-z0-9_#]+\(/ && !/^\t?static / && !/^\t?return / && !/;[ \t]*\\?$/ {
		name = $0
		sub(/\(.*/, "", name); sub(/.*dbvh_/, "", name)
		line = FNR
		state = 1
	}
	state == 2 {
		seen += 1
		if (!(name in is_exempt) && $0 !~ /DBVHI_IN_DEFAULT_FPENV\(|dbvhi_fpenv_enter\(/)
			print FILENAME ":" line ": dbvh_" name "() does not begin in the default floating-point environment"
		state = 0
	}
	state == 1 && /;[ \t]*\\?$/ { state = 0 }
	state == 1 && /\{[ \t]*\\?$/ { state = 2 }
	END { if (seen < 1) print "src: no public function was found" }
' "${files[@]}" >"$complaints"

calls=tests/query/common/fpenv_calls.c
scenes=tests/query/common/fpenv_calls_scenes.c
lines=tests/support/line.h # through which it casts rays and segments
if [ -f "$calls" ]; then
	for name in $(grep -hoE '^DBVH_API .*dbvh_[a-z0-9_]+\(' include/dualbvh/*.h | sed 's/.*dbvh_//; s/(//'); do
		case " $(echo $exempt) " in *" $name "*) continue ;; esac
		grep -qs "dbvh_$name(" "$calls" "$scenes" "$lines" || echo "$calls: dbvh_$name() is not tried"
	done >>"$complaints"
fi

if [ -s "$complaints" ]; then
	cat "$complaints"
	echo "fpenv: $(wc -l <"$complaints") violation(s)" >&2
	exit 1
fi
echo "fpenv: in order"
