// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Annotations of GitHub's workflows, which show ten of a level and step: the worst nine, and a summary.

#include "assembly/sentences.h"
#include "cli/complain.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 9 };

// Escape a text as the runner's own library does: in properties also ':' and ','. Bytes of characters that control a
// terminal are escaped, too, since logs are shown in terminals.
static void put( FILE *file, const char *text, bool is_property ) {
	while ( *text != '\0' ) {
		uint32_t code;
		const int n = utf8_sequence( text, &code );
		const bool special =
		    n == 0 || code == '%' || utf8_is_control( code ) || ( is_property && ( code == ':' || code == ',' ) );
		for ( int i = 0; i < ( n > 0 ? n : 1 ); ++i, ++text ) {
			if ( special )
				fprintf( file, "%%%02X", (unsigned)(unsigned char)*text );
			else
				fputc( *text, file );
		}
	}
}

static void put_clash( const scene_findings *f, const scene_clash *c, FILE *file ) {
	char *sentence = scene_clash_sentence( f, c ), id[SCENE_HASH_ROOM];
	fprintf( file, "::%s file=",
	         c->kind == DBVH_CLASH_KIND_UNDECIDABLE || scene_severity_of( c ) < SCENE_MAJOR ? "warning" : "error" );
	put( file, scene_file_of( f, c->a ), true );
	fprintf( file, ",title=Clash %s (%s)::", scene_hash_print( c->id, id ), scene_kind_word( c->kind ) );
	put( file, sentence != NULL ? sentence : "", false );
	fputc( '\n', file );
	free( sentence );
}

void report_github( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	const report_counts counts = report_count( f );
	size_t shown = 0;
	for ( size_t i = 0; i < f->worst_count && shown < MOST_SHOWN; ++i ) {
		const scene_clash *c = &f->clashes[f->worst[i]];
		if ( !scene_clash_counts( f, c ) )
			continue;
		put_clash( f, c, file );
		++shown;
	}
	const size_t failing = counts.failing + counts.open;
	char *kinds = report_kinds_text( &counts );
	fprintf( file, "::%s title=dualbvh scene::%zu clash%s that count%s (of all that are not ignored: %s)%s\n",
	         counts.failing > 0               ? "error"
	         : failing > 0 || !f->is_finished ? "warning"
	                                          : "notice",
	         failing, failing == 1 ? "" : "es", failing == 1 ? "s" : "", kinds != NULL ? kinds : "?",
	         f->is_finished ? "" : "; the run was ended early" );
	free( kinds );
}
