#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 the dualbvh authors
#
# Rules of the public names (base.h): every enumerator has its type's prefix, but for the statuses and the verdict; every
# structure that is a query or options has a function that returns its defaults; and every function that takes a
# dbvh_error takes it last.
#
#   tests/headers/names.sh
#
# Prints one line a violation, "file:line: what is wrong", and exits with 1 where there is any.

set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../../include/dualbvh"

awk '
	function complain(line, text) { print FILENAME ":" line ": " text; ++wrong }
	FNR == 1 { inside = "" }
	/^typedef enum dbvh_[a-z_]+ \{/ {
		inside = $3
		prefix = toupper($3) "_"
		if ($3 == "dbvh_status" || $3 == "dbvh_verdict")
			inside = ""
		next
	}
	/^\}/ { inside = "" }
	inside != "" && $1 ~ /^DBVH_[A-Z0-9_]+,?$/ && index($1, prefix) != 1 { complain(FNR, $1 " lacks the prefix " prefix) }
	/^typedef struct dbvh_[a-z_]+_(query|options|budget) \{/ || /^typedef struct dbvh_budget \{/ { asked[$3] = FILENAME ":" FNR }
	/_default\( void \);/ { name = $0; sub(/_default\(.*/, "", name); sub(/.* /, "", name); has[name] = 1 }
	/^DBVH_API/ { declaration = ""; open = FNR }
	open { declaration = declaration $0 }
	open && /;/ {
		if (declaration ~ /dbvh_error \*error/ && declaration !~ /dbvh_error \*error \);/)
			complain(open, "the dbvh_error is not the last argument")
		open = 0
	}
	END {
		for (name in asked)
			if (!(name in has)) { print asked[name] ": " name " has no " name "_default()"; ++wrong }
		print "names: " (wrong ? wrong " violation(s)" : "in order")
		exit wrong > 0
	}' *.h
