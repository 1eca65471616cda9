// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// `dualbvh check` for people: a line a pose, or one line for consecutive poses with the same text.

#include "cli/timeout.h"
#include "cmd/check.h"
#include "text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MANY_POSES = 100,  // from here on, neighbours share a line
	MANY_CLUSTERS = 10 // how many clusters are described
};

static const char *relation_text( const dbvh_relate_result *r ) {
	static const char *const plain[] = { "disjoint",      "touching",      "overlapping",
	                                     "A is inside B", "B is inside A", "equal" };
	if ( r->relation == DBVH_RELATION_UNDECIDABLE )
		return r->surface_relation == DBVH_RELATION_TOUCHING ? "touching at least, undecidable" : "undecidable";
	if ( r->relation == DBVH_RELATION_TOUCHING && r->exact == DBVH_RELATION_DISJOINT )
		return "touching, at the gap allowed";
	if ( r->relation == DBVH_RELATION_TOUCHING && r->exact == DBVH_RELATION_OVERLAPPING )
		return "touching, at the overlap allowed";
	return plain[r->relation];
}

// The largest hole is named, by its edges.
static void print_holes( const dbvh_tree *tree, char mesh, const dbvh_doubt *doubt ) {
	size_t loop_count, edge_count, largest = 0;
	if ( dbvh_tree_open_loops( tree, doubt->open_component, NULL, 0, NULL, 0, &loop_count, &edge_count, NULL ) !=
	         DBVH_OK ||
	     loop_count == 0 )
		return;
	printf( "component %zu of %c is open: %zu open edge%s in %zu loop%s", doubt->open_component, mesh, edge_count,
	        plural( edge_count ), loop_count, plural( loop_count ) );
	dbvh_open_loop *loops = malloc( loop_count * sizeof *loops );
	if ( loops != NULL && dbvh_tree_open_loops( tree, doubt->open_component, loops, loop_count, NULL, 0, NULL, NULL,
	                                            NULL ) == DBVH_OK ) {
		for ( size_t i = 1; i < loop_count; ++i )
			largest = loops[i].point_count > loops[largest].point_count ? i : largest;
		const double *at = loops[largest].centre;
		printf( "%s about (%.9g, %.9g, %.9g)", loop_count > 1 ? ", the longest" : "", at[0], at[1], at[2] );
	}
	free( loops );
}

// Print why it is undecidable, and where the meshes themselves are ambiguous.
static void print_reasons( const check_job *w, const dbvh_relate_result *r ) {
	const bool a = r->undecided == DBVH_UNDECIDED_A_OPEN || r->undecided == DBVH_UNDECIDED_BOTH_OPEN;
	const bool b = r->undecided == DBVH_UNDECIDED_B_OPEN || r->undecided == DBVH_UNDECIDED_BOTH_OPEN;
	if ( r->relation == DBVH_RELATION_UNDECIDABLE ) {
		fputs( ": ", stdout );
		if ( a )
			print_holes( w->pair.tree_a, 'A', &r->doubt_a );
		if ( a && b )
			fputs( "; ", stdout );
		if ( b )
			print_holes( w->pair.tree_b, 'B', &r->doubt_b );
	}
	if ( r->ambiguous_a || r->ambiguous_b )
		printf( "; not so by the %s rule, since shells of %s overlap, coincide or are nested",
		        w->pair.fill == DBVH_FILL_RULE_EVEN_ODD ? "nonzero" : "even-odd",
		        !r->ambiguous_b   ? "A"
		        : !r->ambiguous_a ? "B"
		                          : "A and of B" );
}

static void print_pairs( size_t least, size_t most ) {
	if ( least == most )
		printf( ", %zu pair%s", most, plural( most ) );
	else
		printf( ", %zu to %zu pairs", least, most );
}

static void print_clearance( const check_job *w, const check_text *t ) {
	char number[REAL_ROOM];
	const bool near = t->answer.near.within;
	real_text( w->clearance, number );
	if ( near && w->all ) {
		print_pairs( t->near_least, t->near_most );
		printf( " at a distance of at most %s", number );
	} else if ( near && t->answer.surfaces.verdict == DBVH_DISJOINT ) {
		printf( ", at most %s away", number );
		if ( t->first == t->last )
			printf( " (triangle %u of A and %u of B, for one)", t->answer.near.first.a, t->answer.near.first.b );
	} else if ( !near )
		printf( ", more than %s away", number );
}

static void print_contacts( const dbvh_contacts_view *v ) {
	size_t closed = 0;
	for ( size_t i = 0; i < v->polyline_count; ++i )
		closed += v->polylines[i].closed;
	printf( "  %zu cluster%s, %zu polyline%s (%zu closed), %zu point%s\n", v->cluster_count, plural( v->cluster_count ),
	        v->polyline_count, plural( v->polyline_count ), closed, v->point_count, plural( v->point_count ) );
	for ( size_t i = 0; i < v->cluster_count && i < MANY_CLUSTERS; ++i ) {
		const dbvh_cluster *c = &v->clusters[i];
		printf( "  cluster %zu: box (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g), length %.9g", i, c->bounds.min[0],
		        c->bounds.min[1], c->bounds.min[2], c->bounds.max[0], c->bounds.max[1], c->bounds.max[2], c->length );
		if ( c->area > 0.0 )
			printf( ", area %.9g", c->area );
		printf( ", %zu triangle%s of A, %zu of B\n", c->triangle_count_a, plural( c->triangle_count_a ),
		        c->triangle_count_b );
	}
	if ( v->cluster_count > MANY_CLUSTERS )
		printf( "  and %zu more clusters\n", v->cluster_count - MANY_CLUSTERS );
}

static void flush( const check_job *w, check_text *t ) {
	const check_answer *a = &t->answer;
	const bool intersecting = a->surfaces.verdict == DBVH_INTERSECTING;
	if ( !t->open )
		return;
	t->open = false;
	pair_print_pose( &w->pair, t->first, t->last );
	fputs( w->relation                                ? relation_text( &a->relation )
	       : a->fit != DBVH_FIT_VERDICT_NONE          ? "overlapping"
	       : intersecting && check_wants_overlap( w ) ? "touching"
	       : intersecting                             ? "intersecting"
	                                                  : "disjoint",
	       stdout );
	if ( w->relation )
		print_reasons( w, &a->relation );
	check_text_overlap( w, a );
	if ( intersecting && w->all )
		print_pairs( t->least, t->most );
	else if ( intersecting && t->first == t->last )
		printf( " (triangle %u of A and %u of B, for one)", a->surfaces.first.a, a->surfaces.first.b );
	if ( w->has_clearance )
		print_clearance( w, t );
	putchar( '\n' );
	if ( w->contacts && intersecting )
		print_contacts( &a->contacts );
}

// Do both answers have the same text, numbers of pairs aside?
static bool alike( const check_answer *a, const check_answer *b ) {
	return a->fit == DBVH_FIT_VERDICT_NONE && b->fit == DBVH_FIT_VERDICT_NONE &&
	       a->surfaces.verdict == b->surfaces.verdict && a->near.within == b->near.within &&
	       a->relation.relation == b->relation.relation && a->relation.exact == b->relation.exact &&
	       a->relation.undecided == b->relation.undecided && a->relation.ambiguous_a == b->relation.ambiguous_a &&
	       a->relation.ambiguous_b == b->relation.ambiguous_b &&
	       memcmp( &a->relation.doubt_a, &b->relation.doubt_a, sizeof a->relation.doubt_a ) == 0 &&
	       memcmp( &a->relation.doubt_b, &b->relation.doubt_b, sizeof a->relation.doubt_b ) == 0;
}

static void widen( size_t n, size_t *least, size_t *most ) {
	if ( n < *least )
		*least = n;
	if ( n > *most )
		*most = n;
}

void check_text_answer( const check_job *w, check_text *t, size_t pose, const check_answer *answer ) {
	const size_t pairs = answer->surfaces.pair_count, near_pairs = answer->near.pair_count;
	if ( t->open && w->pair.poses.count >= MANY_POSES && alike( &t->answer, answer ) ) {
		t->last = pose;
		widen( pairs, &t->least, &t->most );
		widen( near_pairs, &t->near_least, &t->near_most );
	} else {
		flush( w, t );
		t->first = t->last = pose;
		t->answer = *answer;
		t->least = t->most = pairs;
		t->near_least = t->near_most = near_pairs;
		t->open = true;
	}
	t->intersecting += answer->surfaces.verdict == DBVH_INTERSECTING;
	t->near += answer->near.within;
	t->interfering += answer->interference == INTERFERENCE_YES;
	t->undecidable += answer->interference == INTERFERENCE_UNDECIDABLE;
	++t->relations[answer->relation.relation];
	if ( w->contacts && answer->contacts.contact_count > 0 )
		flush( w, t ); // contacts do not outlive their pose
}

void check_text_end( const check_job *w, check_text *t, size_t count ) {
	static const char *const words[] = { "disjoint",   "touching", "overlapping", "A inside B",
	                                     "B inside A", "equal",    "undecidable" };
	char number[REAL_ROOM];
	flush( w, t );
	if ( count < pair_pose_count( &w->pair ) && ( w->pair.pose_file != NULL || timeout_expired() ) )
		pair_print_interrupted( &w->pair, count );
	if ( w->pair.pose_file == NULL )
		return;
	printf( "%zu pose%s:", count, plural( count ) );
	if ( w->relation ) {
		const char *comma = "";
		for ( int i = 0; i <= DBVH_RELATION_UNDECIDABLE; ++i ) {
			if ( t->relations[i] == 0 )
				continue;
			printf( "%s %zu %s", comma, t->relations[i], words[i] );
			comma = ",";
		}
	} else
		printf( " %zu intersecting, %zu disjoint", t->intersecting, count - t->intersecting );
	if ( w->has_clearance )
		printf( "; %zu at most %s away", t->near, real_text( w->clearance, number ) );
	if ( w->relation || check_wants_overlap( w ) )
		printf( "; %zu interfere%s", t->interfering, t->interfering == 1 ? "s" : "" );
	putchar( '\n' );
}
