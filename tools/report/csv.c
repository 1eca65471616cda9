// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A table of all clashes, by RFC 4180: a heading, CR LF, quotes doubled.

#include "assembly/sentences.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/number.h"
#include "text/utf8.h"

#include <stdlib.h>
#include <string.h>

// Behind a comma. A text that a spreadsheet would take for a formula gets an apostrophe in front.
static void put_text( FILE *file, const char *text ) {
	fputs( ",\"", file );
	if ( *text != '\0' && strchr( "=+-@\t\r", *text ) != NULL )
		fputc( '\'', file );
	while ( *text != '\0' ) {
		uint32_t code;
		const int n = utf8_sequence( text, &code );
		if ( n == 0 || ( code < 0x20 && code != '\n' && code != '\t' ) || code == 0x7F )
			fputs( "\xEF\xBF\xBD", file );
		else if ( code == '"' )
			fputs( "\"\"", file );
		else
			fwrite( text, 1, (size_t)n, file );
		text += n > 0 ? n : 1;
	}
	fputc( '"', file );
}

static void put_real( FILE *file, double x, bool is_known ) {
	char text[REAL_ROOM];
	fprintf( file, ",%s", is_known ? real_text( x, text ) : "" );
}

static void put_count( FILE *file, size_t n, bool is_known ) {
	fputc( ',', file );
	if ( is_known )
		fprintf( file, "%zu", n );
}

// Measures as the intervals that they are.
static void put_overlap( FILE *file, const scene_overlap *o ) {
	const bool has_volume = scene_knows_volume( o );
	fprintf( file, ",%s", o->type != NULL ? o->type : "" );
	put_real( file, o->depth.lower, o->has_depth );
	put_real( file, o->depth.upper, o->has_depth );
	put_real( file, o->volume.lower, has_volume );
	put_real( file, o->volume.upper, has_volume );
	put_real( file, o->penetration.lower, o->has_penetration );
	put_real( file, o->penetration.upper, o->has_penetration );
}

static void put_clash( const scene_report *report, const scene_clash *c, FILE *file ) {
	const char *standing = scene_standing_word( c->standing );
	const scene_findings *f = report->findings;
	const bool is_ignored = c->ignored_by != SCENE_NONE;
	char id[SCENE_HASH_ROOM];
	fprintf( file, "%s,%s", scene_hash_print( c->id, id ), scene_kind_word( c->kind ) );
	put_text( file, scene_path( f, c->a ) );
	put_text( file, scene_path( f, c->b ) );
	put_text( file, scene_file_of( f, c->a ) );
	put_text( file, scene_file_of( f, c->b ) );
	put_text( file, c->rule != NULL && c->rule->name != NULL ? c->rule->name : "" );
	fprintf( file, ",%s,%s", scene_relation_word( c->relation ), scene_relation_word( c->exact ) );
	put_real( file, c->distance, c->kind == DBVH_CLASH_KIND_CLEARANCE || c->kind == DBVH_CLASH_KIND_TOUCH );
	put_overlap( file, &c->overlap );
	for ( int k = 0; k < 3; ++k )
		put_real( file, c->point[k], true );
	const dbvh_pair triangles = c->has_first ? scene_clash_triangles( f, c ) : c->first;
	put_count( file, triangles.a, c->has_first );
	put_count( file, triangles.b, c->has_first );
	put_count( file, c->group, !is_ignored );
	put_count( file, c->cluster, !is_ignored );
	fprintf( file, ",%s", standing != NULL ? standing : "" );
	put_text( file, is_ignored ? report->ignores->entries[c->ignored_by].reason : "" );
	char *sentence = scene_clash_sentence( f, c );
	put_text( file, sentence != NULL ? sentence : "" );
	free( sentence );
	fprintf( file, ",%s\r\n", scene_severity_word( scene_severity_of( c ) ) );
}

void report_csv( const scene_report *report, FILE *file ) {
	const scene_findings *f = report->findings;
	fputs( "id,kind,a,b,file_a,file_b,rule,relation,exact_relation,distance,type,depth_lower,depth_upper,volume_lower,"
	       "volume_upper,penetration_lower,penetration_upper,x,y,z,triangle_a,triangle_b,group,"
	       "cluster,"
	       "standing,ignored,sentence,severity\r\n",
	       file );
	for ( size_t i = 0; i < f->clash_count && !report_is_given_up( report ); ++i )
		put_clash( report, &f->clashes[i], file );
}
