// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh check --json`, schema dualbvh.check/3: what dualbvh.check/1 had, with the same names, types and meanings,
// and more. README.md describes it.

#include "cmd/check.h"

#include <ctype.h>
#include <stdlib.h>

static const char *lower_case( const char *name, char *text, size_t size ) {
	size_t i = 0;
	for ( ; name[i] != '\0' && i + 1 < size; ++i )
		text[i] = (char)tolower( (unsigned char)name[i] );
	text[i] = '\0';
	return text;
}

static void put_relation( json *j, const char *key, dbvh_relation relation ) {
	char text[24];
	json_put_string( j, key, lower_case( dbvh_relation_name( relation ), text, sizeof( text ) ) );
}

void check_json_begin( json *j, const check_job *w ) {
	json_open( j, '{' );
	json_put_string( j, "schema", "dualbvh.check/3" );
	pair_json( j, &w->pair );
	if ( w->has_clearance )
		json_put_real( j, "clearance", w->clearance );
	if ( w->relation ) {
		json_put_real( j, "touch_gap", w->tolerance.touch_gap );
		json_put_real( j, "touch_overlap", w->tolerance.touch_overlap );
		json_put_bool( j, "allow_touching", w->allow_touching );
		json_put_string( j, "fill", w->pair.fill == DBVH_FILL_RULE_EVEN_ODD ? "even-odd" : "nonzero" );
	}
	if ( w->has_allowed_depth )
		json_put_real( j, "allowed_depth", w->allowed_depth );
	if ( w->has_allowed_volume )
		json_put_real( j, "allowed_volume", w->allowed_volume );
	if ( w->contacts || check_wants_overlap( w ) )
		json_put_string( j, "frame", "a" );
	json_key( j, "results" );
	json_open( j, '[' );
	json_break( j );
}

static void put_feature( json *j, const char *key, const dbvh_feature *f ) {
	static const char *const kinds[] = { "vertex", "edge", "triangle" };
	json_key( j, key );
	json_open( j, '{' );
	json_put_string( j, "kind", kinds[f->kind] );
	json_put_count( j, "triangle", f->triangle );
	if ( f->kind != DBVH_FEATURE_KIND_TRIANGLE )
		json_put_count( j, "index", f->index );
	json_close( j, '}' );
}

static void put_points( json *j, const dbvh_contacts_view *v ) {
	json_key( j, "points" );
	json_open( j, '[' );
	for ( size_t i = 0; i < v->point_count; ++i ) {
		const dbvh_contact_point *p = &v->points[i];
		json_open( j, '{' );
		json_put_reals( j, "position", p->position, 3 );
		put_feature( j, "a", &p->a );
		put_feature( j, "b", &p->b );
		json_put_count( j, "steps", p->steps );
		json_put_count( j, "cluster", p->cluster );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

static void put_pieces( json *j, const dbvh_contacts_view *v ) {
	static const char *const kinds[] = { "point", "segment", "polygon" };
	json_key( j, "pieces" );
	json_open( j, '[' );
	for ( size_t i = 0; i < v->contact_count; ++i ) {
		const dbvh_contact *c = &v->contacts[i];
		json_open( j, '{' );
		json_key( j, "pair" );
		json_pair( j, c->pair );
		json_put_string( j, "kind", kinds[c->kind] );
		json_key( j, "points" );
		json_open( j, '[' );
		for ( size_t k = 0; k < c->corner_count; ++k )
			json_count( j, v->corners[c->first_corner + k] );
		json_close( j, ']' );
		json_put_count( j, "cluster", c->cluster );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

static void put_polylines( json *j, const dbvh_contacts_view *v ) {
	json_key( j, "polylines" );
	json_open( j, '[' );
	for ( size_t i = 0; i < v->polyline_count; ++i ) {
		const dbvh_polyline *l = &v->polylines[i];
		json_open( j, '{' );
		json_put_string( j, "kind", l->kind == DBVH_POLYLINE_KIND_CURVE ? "curve" : "boundary" );
		json_put_bool( j, "closed", l->closed );
		json_put_bool( j, "directed", l->directed );
		json_put_real( j, "length", l->length );
		json_put_count( j, "cluster", l->cluster );
		json_key( j, "points" );
		json_open( j, '[' );
		for ( size_t k = 0; k < l->point_count; ++k )
			json_count( j, v->path[l->first + k].point );
		json_close( j, ']' );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

static void put_clusters( json *j, const dbvh_contacts_view *v ) {
	json_key( j, "clusters" );
	json_open( j, '[' );
	for ( size_t i = 0; i < v->cluster_count; ++i ) {
		const dbvh_cluster *c = &v->clusters[i];
		json_open( j, '{' );
		json_put_reals( j, "lower", c->bounds.min, 3 );
		json_put_reals( j, "upper", c->bounds.max, 3 );
		json_put_real( j, "length", c->length );
		json_put_real( j, "area", c->area );
		json_put_count( j, "pieces", c->contact_count );
		json_put_count( j, "points", c->point_count );
		json_put_count( j, "polylines", c->polyline_count );
		json_put_count( j, "triangles_a", c->triangle_count_a );
		json_put_count( j, "triangles_b", c->triangle_count_b );
		json_close( j, '}' );
	}
	json_close( j, ']' );
}

// Write which component of an open mesh may hold which of the other, and where it is open.
static void put_doubt( json *j, const char *name, const dbvh_tree *tree, const dbvh_doubt *doubt ) {
	size_t loop_count = 0, edge_count = 0;
	dbvh_tree_open_loops( tree, doubt->open_component, NULL, 0, NULL, 0, &loop_count, &edge_count, NULL );
	dbvh_open_loop *loops = calloc( loop_count + 1, sizeof *loops );
	if ( loops == NULL ||
	     dbvh_tree_open_loops( tree, doubt->open_component, loops, loop_count, NULL, 0, NULL, NULL, NULL ) != DBVH_OK )
		loop_count = 0;
	json_open( j, '{' );
	json_put_string( j, "mesh", name );
	json_put_count( j, "component", doubt->open_component );
	json_put_count( j, "may_hold", doubt->held_component );
	json_put_count( j, "open_edges", edge_count );
	json_key( j, "loops" );
	json_open( j, '[' );
	for ( size_t i = 0; i < loop_count; ++i ) {
		json_open( j, '{' );
		json_put_count( j, "edges", loops[i].point_count );
		json_put_reals( j, "centre", loops[i].centre, 3 );
		json_put_reals( j, "lower", loops[i].bounds.min, 3 );
		json_put_reals( j, "upper", loops[i].bounds.max, 3 );
		json_close( j, '}' );
	}
	json_close( j, ']' );
	json_close( j, '}' );
	free( loops );
}

static void put_doubts( json *j, const check_job *w, const dbvh_relate_result *r ) {
	json_key( j, "doubts" );
	json_open( j, '[' );
	if ( r->undecided != DBVH_UNDECIDED_B_OPEN )
		put_doubt( j, "a", w->pair.tree_a, &r->doubt_a );
	if ( r->undecided != DBVH_UNDECIDED_A_OPEN )
		put_doubt( j, "b", w->pair.tree_b, &r->doubt_b );
	json_close( j, ']' );
}

static void put_more( json *j, const check_job *w, const check_answer *answer ) {
	static const char *const words[] = { "no", "yes", "undecidable" };
	static const char *const open[] = { NULL, "a", "b", "both" };
	json_put_string( j, "interference", words[answer->interference] );
	if ( w->has_clearance )
		json_put_bool( j, "within_clearance", answer->near.within );
	if ( w->has_clearance && w->all ) {
		json_put_count( j, "near_pair_count", answer->near.pair_count );
		json_key( j, "near_pairs" );
		json_pairs( j, w->near.pairs, answer->near.pair_written );
	}
	if ( w->relation ) {
		const dbvh_relate_result *r = &answer->relation;
		put_relation( j, "relation", r->relation );
		put_relation( j, "exact_relation", r->exact );
		if ( r->undecided != DBVH_UNDECIDED_NOT )
			json_put_string( j, "open", open[r->undecided] );
		if ( r->relation == DBVH_RELATION_UNDECIDABLE ) {
			put_relation( j, "surface_relation", r->surface_relation );
			put_doubts( j, w, r );
		}
		if ( r->ambiguous_a || r->ambiguous_b )
			json_put_string( j, "ambiguous", open[r->ambiguous_b ? r->ambiguous_a ? 3 : 2 : 1] );
		if ( r->relation == DBVH_RELATION_TOUCHING && r->exact == DBVH_RELATION_OVERLAPPING )
			json_put_reals( j, "separation", r->separation, 3 );
	}
	if ( check_wants_overlap( w ) )
		check_json_overlap( j, w, answer );
	if ( w->contacts ) {
		json_key( j, "contacts" );
		json_open( j, '{' );
		put_clusters( j, &answer->contacts );
		put_polylines( j, &answer->contacts );
		put_pieces( j, &answer->contacts );
		put_points( j, &answer->contacts );
		json_close( j, '}' );
	}
}

void check_json_answer( json *j, const check_job *w, size_t pose, const check_answer *answer ) {
	json_open( j, '{' );
	json_put_count( j, "pose", pose );
	json_put_string( j, "verdict", answer->surfaces.verdict == DBVH_INTERSECTING ? "intersecting" : "disjoint" );
	if ( w->all ) {
		json_put_count( j, "pair_count", answer->surfaces.pair_count );
		json_key( j, "pairs" );
		json_pairs( j, w->intersecting.pairs, answer->surfaces.pair_written );
	}
	if ( answer->surfaces.verdict == DBVH_INTERSECTING ) {
		json_key( j, "pair" );
		json_pair( j, answer->surfaces.first );
	}
	json_counters( j, &answer->surfaces.counters );
	put_more( j, w, answer );
	json_close( j, '}' );
	json_break( j );
}

void check_json_end( json *j, const check_job *w, size_t finished ) {
	json_close( j, ']' );
	if ( finished < pair_pose_count( &w->pair ) )
		json_interrupted( j, finished );
	if ( w->wants_stats ) {
		json_key( j, "stats" );
		json_open( j, '{' );
		json_put_count( j, "poses", w->stats.poses );
		json_put_real( j, "seconds", w->stats.seconds );
		json_counters( j, &w->stats.counters );
		json_close( j, '}' );
	}
	json_close( j, '}' );
	fputc( '\n', j->file );
}
