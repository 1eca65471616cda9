// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "report/report.h"
#include "text/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

report_counts report_count( const scene_findings *f ) {
	report_counts counts = { 0 };
	for ( size_t i = 0; i < f->clash_count; ++i ) {
		const scene_clash *c = &f->clashes[i];
		if ( c->ignored_by != SCENE_NONE ) {
			++counts.ignored;
			continue;
		}
		counts.clashes += c->kind != DBVH_CLASH_KIND_FIT;
		++counts.kinds[c->kind];
		++counts.standings[c->standing];
		if ( scene_clash_counts( f, c ) )
			++*( c->kind == DBVH_CLASH_KIND_UNDECIDABLE ? &counts.open : &counts.failing );
	}
	return counts;
}

char *report_kinds_text( const report_counts *counts ) {
	char text[256];
	size_t length = 0;
	for ( int i = 0; i < DBVH_CLASH_KIND_FIT; ++i )
		if ( counts->kinds[i] > 0 )
			length += (size_t)snprintf( text + length, sizeof text - length, "%s%zu %s", length > 0 ? ", " : "",
			                            counts->kinds[i], scene_kind_word( (dbvh_clash_kind)i ) );
	return scene_copy( length > 0 ? text : "none" );
}
