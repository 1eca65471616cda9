// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query.h"

#include "body.h"
#include "dualbvh/dualbvh.h"
#include "math/pose.h"
#include "simd/isa.h"
#include "support/clearance.h"
#include "support/line.h"

#include <math.h>

// Small, so that nothing takes long: what matters is how numbers lie to each other.
#define MOST_VERTICES 16
#define MOST_TRIANGLES 12
#define MOST_PAIRS ( MOST_TRIANGLES * MOST_TRIANGLES )
#define POLICIES ( DBVH_POLICY_PACKED_MIXED + 1 )

fuzz_query_tally fuzz_query_seen;

// ------------------------------------------------------------------------------------------------
// From bytes

typedef struct source {
	const uint8_t *at, *end;
	double seen[64]; // numbers made so far, to be taken again
	size_t seen_count;
	enum { TAME, BAND, WILD } range;
	int exponent; // exponent of the middle of the band
} source;

// Zero where there are no more.
static unsigned next( source *s ) {
	return s->at < s->end ? *s->at++ : 0;
}

static double remember( source *s, double x ) {
	s->seen[s->seen_count++ % 64] = x;
	return x;
}

static double again( source *s ) {
	const size_t known = s->seen_count < 64 ? s->seen_count : 64;
	return known > 0 ? s->seen[next( s ) % known] : 0.0;
}

// A finite double. Mostly a small number times the middle of the band; some are as odd as they come. What has the whole
// range of exponents is decided with numbers of thousands of bits, so there is little of it.
static double number( source *s ) {
	const unsigned what = next( s );
	const int small = (int)( next( s ) ) - 128;
	switch ( s->range != WILD && ( what % 16 == 2 || what % 16 == 3 || what % 16 == 7 ) ? 10 : what % 16 ) {
	case 0:
		return remember( s, small < 0 ? -0.0 : 0.0 );
	case 1:
		return remember( s, ldexp( small, s->range == TAME ? -20 : s->range == BAND ? s->exponent - 50 : -1074 ) );
	case 2:
		return remember( s, ldexp( small, -1024 + (int)next( s ) ) );
	case 3:
		return remember( s, ldexp( small, 1000 - (int)next( s ) ) );
	case 4:
		return remember( s, nextafter( again( s ), small ) );
	case 5:
		return again( s );
	case 6:
		return remember( s, -again( s ) );
	case 7: {
		uint64_t bits = 0;
		double x;
		for ( int k = 0; k < 8; ++k )
			bits = bits << 8 | next( s );
		memcpy( &x, &bits, sizeof x );
		return remember( s, isfinite( x ) ? x : 1.0 );
	}
	case 8:
		return remember( s, ldexp( 0.1 * small, s->exponent ) );
	case 9:
		return remember( s, ldexp( 1.0 + ldexp( small, -52 ), s->exponent ) );
	default:
		return remember( s, ldexp( (double)( small / 8 ), s->exponent ) );
	}
}

typedef struct body {
	double positions[3 * MOST_VERTICES];
	uint32_t indices[3 * MOST_TRIANGLES];
	dbvh_mesh_view view;
	double corners[MOST_TRIANGLES][9]; // corners as the view has them
	size_t count;
	bool degenerate; // one of them has no area
	dbvh_tree *tree;
} body;

static void set_view( body *out, size_t vertices, size_t triangles ) {
	out->count = triangles;
	out->view = ( dbvh_mesh_view ){
	    .positions = out->positions, .vertex_count = vertices, .indices = out->indices, .triangle_count = triangles };
	for ( size_t t = 0; t < triangles; ++t ) {
		for ( size_t k = 0; k < 9; ++k )
			out->corners[t][k] = out->positions[3 * out->indices[3 * t + k / 3] + k % 3];
	}
	dbvh_mesh_audit_result audit;
	FUZZ_REQUIRE( dbvh_mesh_audit( &out->view, NULL, &audit, NULL, 0, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( audit.triangle_count == triangles && audit.component_count >= 1 );
	out->degenerate = audit.degenerate_triangle_count > 0;
}

static const uint32_t box_indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
static const uint32_t tetra_indices[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };

// `other` is a mesh made before, whose vertices may be taken again; NULL for the first.
static void make_body( source *s, body *out, const body *other ) {
	memset( out, 0, sizeof *out );
	const unsigned kind = next( s );
	switch ( s->range == WILD ? 2 : kind % 4 ) {
	case 0: { // a box, closed whatever its sides
		double low[3], high[3];
		for ( int k = 0; k < 3; ++k ) {
			low[k] = number( s );
			high[k] = number( s );
		}
		// Round the other mesh, in it, or beside it, whether on its bounds or not.
		for ( int k = 0; other != NULL && kind & 8 && k < 3; ++k ) {
			double least = INFINITY, most = -INFINITY;
			for ( size_t v = 0; v < other->view.vertex_count; ++v ) {
				least = fmin( least, other->positions[3 * v + (size_t)k] );
				most = fmax( most, other->positions[3 * v + (size_t)k] );
			}
			const double middle = 0.5 * least + 0.5 * most, quarter = 0.25 * most - 0.25 * least;
			const unsigned how = next( s );
			low[k] = how % 4 == 0 ? middle - quarter : how % 4 == 1 ? least : how % 4 == 2 ? middle : low[k];
			high[k] = how / 4 % 4 == 0 ? middle + quarter : how / 4 % 4 < 3 ? most : high[k];
		}
		for ( uint32_t v = 0; v < 8; ++v ) {
			for ( uint32_t k = 0; k < 3; ++k )
				out->positions[3 * v + k] = v >> k & 1 ? high[k] : low[k];
		}
		memcpy( out->indices, box_indices, sizeof box_indices );
		set_view( out, 8, 12 );
		break;
	}
	case 1: // one or two tetrahedra
		for ( size_t k = 0; k < 24; ++k )
			out->positions[k] = number( s );
		memcpy( out->indices, tetra_indices, sizeof tetra_indices );
		for ( size_t k = 0; k < 12; ++k )
			out->indices[12 + k] = 4 + tetra_indices[k];
		set_view( out, 8, kind & 4 ? 8 : 4 );
		break;
	default: { // triangles that share vertices at random
		const size_t vertices = 3 + next( s ) % ( MOST_VERTICES - 2 ), most = s->range == WILD ? 2 : MOST_TRIANGLES;
		const size_t triangles = 1 + next( s ) % most;
		for ( size_t v = 0; v < vertices; ++v ) {
			const bool take = other != NULL && kind & 8 && next( s ) % 2 == 0;
			const size_t from = take ? next( s ) % other->view.vertex_count : 0;
			for ( size_t k = 0; k < 3; ++k )
				out->positions[3 * v + k] = take ? other->positions[3 * from + k] : number( s );
		}
		for ( size_t k = 0; k < 3 * triangles; ++k )
			out->indices[k] = (uint32_t)( next( s ) % vertices );
		set_view( out, vertices, triangles );
		break;
	}
	}
}

// Returns false for the identity that is said by NULL.
static bool make_pose( source *s, dbvh_pose *out ) {
	const unsigned what = next( s );
	*out = dbvh_pose_identity();
	switch ( what % 8 ) {
	case 0:
	case 1:
		return false;
	case 2:
		break; // no turn
	case 3: {  // right angles
		const unsigned first = next( s ) % 3, signs = next( s );
		memset( out->rot, 0, sizeof out->rot );
		for ( unsigned k = 0; k < 3; ++k )
			out->rot[k][( first + k ) % 3] = signs >> k & 1 ? -1.0 : 1.0;
		if ( ( ( signs ^ signs >> 1 ^ signs >> 2 ) & 1 ) != 0 )
			out->rot[2][( first + 2 ) % 3] = -out->rot[2][( first + 2 ) % 3];
		break;
	}
	case 4: // around an axis by an angle of a right triangle of whole sides
		out->rot[0][0] = out->rot[1][1] = 0.6;
		out->rot[1][0] = 0.8;
		out->rot[0][1] = -0.8;
		break;
	default: {
		double q[4];
		for ( int k = 0; k < 4; ++k )
			q[k] = (double)( next( s ) % 16 ) - 8.0;
		if ( what & 128 )
			q[3] *= 0x1p20; // hardly any turn
		if ( q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0 )
			*out = dbvh_pose_from_quaternion( q, out->pos );
		break;
	}
	}
	for ( int k = 0; k < 3; ++k )
		out->pos[k] = what & 64 ? 0.0 : number( s );
	return true;
}

// ------------------------------------------------------------------------------------------------
// The scene

typedef struct scene {
	body a, b;
	dbvh_pose pose_a, pose_b;
	const dbvh_pose *at_a, *at_b; // NULL: the identity
	dbvhi_relative_pose relative;
	dbvh_workspace *workspace;
	dbvh_pair truth[MOST_PAIRS]; // pairs that the predicate for two triangles finds
	size_t count;
	unsigned choice; // its bits choose the optional queries
} scene;

static bool is_true_pair( const scene *s, dbvh_pair p ) {
	for ( size_t i = 0; i < s->count; ++i ) {
		if ( s->truth[i].a == p.a && s->truth[i].b == p.b )
			return true;
	}
	return false;
}

static void find_truth( scene *s ) {
	for ( uint32_t a = 0; a < s->a.count; ++a ) {
		for ( uint32_t b = 0; b < s->b.count; ++b ) {
			const double *const fixed = s->relative.a_moves ? s->b.corners[b] : s->a.corners[a];
			const double *const moved = s->relative.a_moves ? s->a.corners[a] : s->b.corners[b];
			bool meet = false;
			FUZZ_REQUIRE( dbvh_triangles_intersect( (const dbvh_triangle *)fixed, (const dbvh_triangle *)moved,
			                                        &s->relative.frame_from_moved, &meet, NULL ) == DBVH_OK );
			if ( meet )
				s->truth[s->count++] = ( dbvh_pair ){ a, b };
		}
	}
}

static void require_first( const scene *s, const dbvh_collide_result *r ) {
	FUZZ_REQUIRE( ( r->verdict == DBVH_INTERSECTING ) == ( s->count > 0 ) );
	FUZZ_REQUIRE( r->verdict != DBVH_INTERSECTING || is_true_pair( s, r->first ) );
}

static void require_list( const scene *s, const dbvh_collide_result *r, const dbvh_pair *pairs, size_t room ) {
	require_first( s, r );
	FUZZ_REQUIRE( r->pair_count == s->count );
	FUZZ_REQUIRE( r->pair_written == ( room < s->count ? room : s->count ) );
	// Sorted, as the truth is.
	FUZZ_REQUIRE( memcmp( pairs, s->truth, r->pair_written * sizeof *pairs ) == 0 );
	FUZZ_REQUIRE( s->count == 0 || ( r->first.a == s->truth[0].a && r->first.b == s->truth[0].b ) );
}

// One policy, with the instruction set that is selected.
static void ask_collide( const scene *s, dbvh_policy policy ) {
	dbvh_pair pairs[MOST_PAIRS];
	const dbvh_tree *const a = s->a.tree, *const b = s->b.tree;
	dbvh_collide_result r;
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = policy, .pairs = pairs, .pair_capacity = MOST_PAIRS };
	FUZZ_REQUIRE( dbvh_collide( a, s->at_a, b, s->at_b, &query, s->workspace, &r, NULL ) == DBVH_OK );
	require_list( s, &r, pairs, MOST_PAIRS );
	query.pair_capacity = s->count / 2;
	FUZZ_REQUIRE( dbvh_collide( a, s->at_a, b, s->at_b, &query, s->workspace, &r, NULL ) == DBVH_OK );
	require_list( s, &r, pairs, query.pair_capacity );
	query.pair_capacity = MOST_PAIRS;
	FUZZ_REQUIRE( dbvh_collide( b, s->at_b, a, s->at_a, &query, s->workspace, &r, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( r.pair_count == s->count );
	for ( size_t i = 0; i < r.pair_written; ++i )
		FUZZ_REQUIRE( is_true_pair( s, ( dbvh_pair ){ pairs[i].b, pairs[i].a } ) );
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ANY, .policy = policy };
	FUZZ_REQUIRE( dbvh_collide( a, s->at_a, b, s->at_b, &query, s->workspace, &r, NULL ) == DBVH_OK );
	require_first( s, &r );
	FUZZ_REQUIRE( check_clearance( a, s->at_a, b, s->at_b, 0.0, &query, NULL, &r, NULL ) == DBVH_OK );
	require_first( s, &r );
}

static void ask_batch( const scene *s ) {
	dbvh_pair pairs[2 * MOST_PAIRS];
	dbvh_collide_result results[3];
	dbvh_pose poses[3] = { s->pose_b, s->pose_b, s->pose_b };
	poses[1].rot[0][0] = 2.0;
	const size_t begin[4] = { 0, MOST_PAIRS, MOST_PAIRS, 2 * MOST_PAIRS };
	const dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 2 * MOST_PAIRS, .pair_begin = begin };
	const dbvh_batch_options options = { .thread_count = 1, .workspace = s->workspace };
	dbvh_error error;
	FUZZ_REQUIRE( dbvh_collide_batch( s->a.tree, s->at_a, s->b.tree, poses, 3, &query, &options, results, &error ) ==
	              DBVH_NOT_RIGID );
	FUZZ_REQUIRE( error.element == 1 && results[1].status == DBVH_NOT_RIGID && results[1].pair_count == 0 );
	require_list( s, &results[0], pairs, MOST_PAIRS );
	require_list( s, &results[2], pairs + MOST_PAIRS, MOST_PAIRS );
}

// ------------------------------------------------------------------------------------------------
// Distances

static double true_distance( const scene *s ) {
	double least = INFINITY;
	for ( size_t a = 0; a < s->a.count; ++a ) {
		for ( size_t b = 0; b < s->b.count; ++b ) {
			const double *const fixed = s->relative.a_moves ? s->b.corners[b] : s->a.corners[a];
			const double *const moved = s->relative.a_moves ? s->a.corners[a] : s->b.corners[b];
			dbvh_triangles_distance_result r;
			FUZZ_REQUIRE( dbvh_triangles_distance( (const dbvh_triangle *)fixed, (const dbvh_triangle *)moved,
			                                       &s->relative.frame_from_moved, &r, NULL ) == DBVH_OK );
			least = r.distance < least ? r.distance : least;
		}
	}
	return least;
}

static void ask_distance( const scene *s, double truth, dbvh_policy policy ) {
	const dbvh_distance_query query = { .policy = policy };
	dbvh_distance_result there, back;
	FUZZ_REQUIRE( dbvh_distance( s->a.tree, s->at_a, s->b.tree, s->at_b, &query, s->workspace, &there, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( dbvh_distance( s->b.tree, s->at_b, s->a.tree, s->at_a, &query, s->workspace, &back, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( there.found && back.found && there.distance == truth && back.distance == truth );
	FUZZ_REQUIRE( ( truth == 0.0 ) == ( s->count > 0 ) );
	const dbvh_collide_query first = { .policy = policy };
	dbvh_collide_result r;
	FUZZ_REQUIRE( check_clearance( s->a.tree, s->at_a, s->b.tree, s->at_b, truth, &first, s->workspace, &r, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( r.verdict == DBVH_INTERSECTING );
	if ( truth == 0.0 )
		return;
	const double less = nextafter( truth, 0.0 );
	FUZZ_REQUIRE( check_clearance( s->a.tree, s->at_a, s->b.tree, s->at_b, less, &first, s->workspace, &r, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( r.verdict == DBVH_DISJOINT );
	// A limit at the distance finds it; the double below does not.
	dbvh_distance_query limited = { .policy = policy, .limit = truth };
	FUZZ_REQUIRE( dbvh_distance( s->a.tree, s->at_a, s->b.tree, s->at_b, &limited, s->workspace, &there, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( there.found && there.distance == truth );
	limited.limit = less;
	if ( less > 0.0 ) {
		FUZZ_REQUIRE( dbvh_distance( s->a.tree, s->at_a, s->b.tree, s->at_b, &limited, s->workspace, &there, NULL ) ==
		              DBVH_OK );
		FUZZ_REQUIRE( !there.found );
	}
}

// ------------------------------------------------------------------------------------------------
// Bodies and contacts

static dbvh_relation swapped( dbvh_relation r ) {
	return r == DBVH_RELATION_A_IN_B ? DBVH_RELATION_B_IN_A : r == DBVH_RELATION_B_IN_A ? DBVH_RELATION_A_IN_B : r;
}

static dbvh_relation ask_relation( const scene *s ) {
	dbvh_relate_result there, back;
	FUZZ_REQUIRE( dbvh_relate( s->a.tree, s->at_a, s->b.tree, s->at_b, NULL, s->workspace, &there, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_relate( s->b.tree, s->at_b, s->a.tree, s->at_a, NULL, s->workspace, &back, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( back.relation == swapped( there.relation ) && there.exact == there.relation );
	FUZZ_REQUIRE( there.surfaces_intersect == ( s->count > 0 ) && back.surfaces_intersect == there.surfaces_intersect );
	FUZZ_REQUIRE( !there.surfaces_intersect || is_true_pair( s, there.first ) );
	FUZZ_REQUIRE( there.relation != DBVH_RELATION_DISJOINT || !there.surfaces_intersect );
	FUZZ_REQUIRE( there.relation != DBVH_RELATION_TOUCHING || there.surfaces_intersect );
	FUZZ_REQUIRE( ( there.relation == DBVH_RELATION_UNDECIDABLE ) == ( there.undecided != DBVH_UNDECIDED_NOT ) );
	FUZZ_REQUIRE( (unsigned)there.relation < 7 );
	fuzz_query_seen.related[there.relation] += 1;
	return there.relation;
}

static dbvh_tree *build_tree( const dbvh_mesh_view *view, unsigned choice );

static bool has_area( const body *m, size_t triangle ) {
	const dbvh_mesh_view one = { .positions = m->positions,
	                             .vertex_count = m->view.vertex_count,
	                             .indices = m->indices + 3 * triangle,
	                             .triangle_count = 1 };
	dbvh_mesh_audit_result audit;
	FUZZ_REQUIRE( dbvh_mesh_audit( &one, NULL, &audit, NULL, 0, NULL ) == DBVH_OK );
	return audit.degenerate_triangle_count == 0;
}

// Without the triangles that have no area. Returns false if none is left.
static bool leave_out_degenerate( const body *from, body *out ) {
	*out = *from;
	size_t kept = 0;
	for ( size_t t = 0; t < from->count; ++t ) {
		if ( has_area( from, t ) )
			memcpy( out->indices + 3 * kept++, from->indices + 3 * t, 3 * sizeof *out->indices );
	}
	if ( kept > 0 )
		set_view( out, from->view.vertex_count, kept );
	return kept > 0;
}

// Two meshes that are apart as bodies, and have a point in common: a triangle without an area must be the reason.
static void require_nothing_solid_in_common( const scene *s ) {
	FUZZ_REQUIRE( s->a.degenerate || s->b.degenerate );
	body a, b;
	if ( !leave_out_degenerate( &s->a, &a ) || !leave_out_degenerate( &s->b, &b ) )
		return;
	a.tree = build_tree( &a.view, s->choice );
	b.tree = build_tree( &b.view, s->choice / 2 );
	dbvh_contacts *contacts = NULL;
	FUZZ_REQUIRE( dbvh_contacts_create( NULL, &contacts, NULL ) == DBVH_OK );
	const double direction[1][3] = { { 1.0, 0.0, 0.0 } };
	dbvh_extent extent;
	dbvh_relate_result related;
	bool common = true;
	FUZZ_REQUIRE( dbvh_relate( a.tree, s->at_a, b.tree, s->at_b, NULL, s->workspace, &related, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_overlap_extents( a.tree, s->at_a, b.tree, s->at_b, (const double *)direction, 1, NULL, contacts,
	                                    &extent, &common, NULL ) == DBVH_OK );
	// A component that those triangles held together may enclose nothing now, or something: no matter.
	FUZZ_REQUIRE( related.relation != DBVH_RELATION_DISJOINT || !common );
	fuzz_query_seen.without_area += 1;
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( a.tree );
	dbvh_tree_destroy( b.tree );
}

static void ask_contacts( const scene *s, dbvh_relation relation ) {
	dbvh_contacts *contacts = NULL;
	FUZZ_REQUIRE( dbvh_contacts_create( NULL, &contacts, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_contacts_find( s->a.tree, s->at_a, s->b.tree, s->at_b, NULL, contacts, NULL ) == DBVH_OK );
	const dbvh_contacts_view v = dbvh_contacts_get( contacts );
	FUZZ_REQUIRE( v.contact_count == s->count );
	size_t corners = 0;
	for ( size_t i = 0; i < v.contact_count; ++i ) {
		const dbvh_contact *const c = &v.contacts[i];
		FUZZ_REQUIRE( c->pair.a == s->truth[i].a && c->pair.b == s->truth[i].b );
		FUZZ_REQUIRE( c->first_corner == corners && c->cluster < v.cluster_count );
		FUZZ_REQUIRE( c->kind != DBVH_CONTACT_KIND_POINT || c->corner_count == 1 );
		FUZZ_REQUIRE( c->kind != DBVH_CONTACT_KIND_SEGMENT || c->corner_count == 2 );
		FUZZ_REQUIRE( c->kind != DBVH_CONTACT_KIND_POLYGON || ( c->corner_count >= 3 && c->corner_count <= 6 ) );
		corners += c->corner_count;
	}
	FUZZ_REQUIRE( corners == v.corner_count );
	for ( size_t i = 0; i < v.corner_count; ++i )
		FUZZ_REQUIRE( v.corners[i] < v.point_count );
	size_t in_clusters = 0, steps = 0;
	for ( size_t i = 0; i < v.cluster_count; ++i )
		in_clusters += v.clusters[i].contact_count;
	FUZZ_REQUIRE( in_clusters == v.contact_count );
	for ( size_t i = 0; i < v.polyline_count; ++i ) {
		const dbvh_polyline *const p = &v.polylines[i];
		FUZZ_REQUIRE( p->point_count >= 2 && p->first <= v.path_count && p->cluster < v.cluster_count );
		FUZZ_REQUIRE( p->point_count <= v.path_count - p->first );
		steps += p->point_count;
	}
	FUZZ_REQUIRE( steps == v.path_count );
	for ( size_t i = 0; i < v.path_count; ++i )
		FUZZ_REQUIRE( v.path[i].point < v.point_count );

	const double directions[2][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 1.0 } };
	dbvh_extent extents[2];
	bool common = false;
	const dbvh_status status = dbvh_overlap_extents( s->a.tree, s->at_a, s->b.tree, s->at_b, (const double *)directions,
	                                                 2, NULL, contacts, extents, &common, NULL );
	FUZZ_REQUIRE( status == DBVH_OK );
	FUZZ_REQUIRE( s->count == 0 || common );
	// A triangle without an area counts for contact alone in dbvh_relate(); here it is points of its mesh.
	if ( relation == DBVH_RELATION_DISJOINT && common )
		require_nothing_solid_in_common( s );
	for ( int k = 0; k < 2; ++k )
		FUZZ_REQUIRE( !( extents[k].min > extents[k].max ) );
	if ( s->choice % 8 == 0 ) {
		dbvh_separation apart;
		const dbvh_status parted =
		    dbvh_separating_translation( s->a.tree, s->at_a, s->b.tree, s->at_b, NULL, contacts, &apart, NULL );
		FUZZ_REQUIRE( parted == DBVH_OK || parted == DBVH_LIMIT );
		dbvh_relate_result r;
		if ( parted == DBVH_OK ) {
			FUZZ_REQUIRE( dbvh_relate( s->a.tree, s->at_a, s->b.tree, &apart.pose_b, NULL, s->workspace, &r, NULL ) ==
			              DBVH_OK );
			FUZZ_REQUIRE( r.relation == DBVH_RELATION_DISJOINT );
			FUZZ_REQUIRE( apart.disjoint == ( relation == DBVH_RELATION_DISJOINT ) );
		}
	}
	dbvh_contacts_destroy( contacts );
}

// ------------------------------------------------------------------------------------------------
// One mesh

static void ask_self( const scene *s, const body *m ) {
	dbvh_pair pairs[MOST_PAIRS], truth[MOST_PAIRS];
	size_t count = 0;
	for ( uint32_t a = 0; a < m->count; ++a ) {
		for ( uint32_t b = a + 1; b < m->count; ++b ) {
			bool meet = false, back = false;
			FUZZ_REQUIRE( dbvh_triangles_self_intersect( (const dbvh_triangle *)( m->corners[a] ),
			                                             (const dbvh_triangle *)( m->corners[b] ), &meet,
			                                             NULL ) == DBVH_OK );
			FUZZ_REQUIRE( dbvh_triangles_self_intersect( (const dbvh_triangle *)( m->corners[b] ),
			                                             (const dbvh_triangle *)( m->corners[a] ), &back,
			                                             NULL ) == DBVH_OK &&
			              meet == back );
			if ( meet )
				truth[count++] = ( dbvh_pair ){ a, b };
		}
	}
	fuzz_query_seen.self_meeting += count > 0;
	const dbvh_policy policies[3] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL, DBVH_POLICY_RAPID };
	for ( int k = 0; k < 3; ++k ) {
		dbvh_collide_query query = {
		    .find = DBVH_FIND_ALL, .policy = policies[k], .pairs = pairs, .pair_capacity = MOST_PAIRS };
		dbvh_collide_result r;
		FUZZ_REQUIRE( dbvh_self_collide( m->tree, &query, s->workspace, &r, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( ( r.verdict == DBVH_INTERSECTING ) == ( count > 0 ) && r.pair_count == count );
		FUZZ_REQUIRE( memcmp( pairs, truth, count * sizeof *pairs ) == 0 );
	}
}

// A point, a line, a ball and a box against the mesh as its pose places it.
static void ask_probes( const scene *s, const body *m, const dbvh_pose *pose, const double point[3],
                        const double to[3] ) {
	dbvh_closest_point_result nearest;
	FUZZ_REQUIRE( dbvh_closest_point( m->tree, pose, point, NULL, s->workspace, &nearest, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( nearest.found && nearest.triangle < m->count );
	dbvh_closest_point_result none;
	if ( nearest.distance > 0x1p-1074 ) { // below that, no limit is left but none
		FUZZ_REQUIRE( dbvh_closest_point( m->tree, pose, point,
		                                  &( dbvh_closest_point_query ){ .limit = nextafter( nearest.distance, 0.0 ) },
		                                  s->workspace, &none, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( !none.found );
	}
	dbvh_location location;
	FUZZ_REQUIRE( dbvh_locate_point( m->tree, pose, point, &location, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( ( location == DBVH_LOCATION_ON_SURFACE ) == ( nearest.distance == 0.0 ) );
	// The ball that just reaches it, and the one that does not.
	dbvh_shape ball = { .kind = DBVH_SHAPE_KIND_SPHERE };
	memcpy( ball.as.sphere.centre, point, sizeof ball.as.sphere.centre );
	uint32_t triangles[MOST_TRIANGLES];
	const dbvh_collide_shape_query all = {
	    .find = DBVH_FIND_ALL, .triangles = triangles, .triangle_capacity = MOST_TRIANGLES };
	dbvh_collide_shape_result r, first;
	if ( isfinite( nearest.distance ) ) {
		ball.as.sphere.radius = nearest.distance;
		FUZZ_REQUIRE( dbvh_collide_shape( m->tree, pose, &ball, &all, s->workspace, &r, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( r.intersects && r.triangle_count >= 1 && r.triangle_written == r.triangle_count );
		bool named = false;
		for ( size_t i = 0; i < r.triangle_written; ++i ) {
			named |= triangles[i] == nearest.triangle;
			FUZZ_REQUIRE( i == 0 || triangles[i - 1] < triangles[i] );
		}
		FUZZ_REQUIRE( named );
		ball.as.sphere.radius = nextafter( nearest.distance, 0.0 );
		FUZZ_REQUIRE( dbvh_collide_shape( m->tree, pose, &ball, NULL, s->workspace, &r, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( r.intersects == ( nearest.distance == 0.0 ) );
	}
	dbvh_shape box = { .kind = DBVH_SHAPE_KIND_AABB };
	for ( int k = 0; k < 3; ++k ) {
		box.as.aabb.min[k] = fmin( point[k], to[k] );
		box.as.aabb.max[k] = fmax( point[k], to[k] );
	}
	FUZZ_REQUIRE( dbvh_collide_shape( m->tree, pose, &box, &all, s->workspace, &r, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_collide_shape( m->tree, pose, &box, NULL, s->workspace, &first, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( r.intersects == first.intersects && r.intersects == ( r.triangle_count > 0 ) );
	FUZZ_REQUIRE( r.intersects || nearest.distance > 0.0 ); // the point is in the box

	test_line line = { .is_ray = s->choice & 1 };
	memcpy( line.from, point, sizeof line.from );
	memcpy( line.to, to, sizeof line.to );
	dbvh_ray_hit hits[MOST_TRIANGLES];
	const dbvh_raycast_query every = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = MOST_TRIANGLES };
	const dbvh_raycast_query one = { .find = DBVH_FIND_CLOSEST };
	dbvh_raycast_result la, lf, ln;
	FUZZ_REQUIRE( line_cast( m->tree, pose, &line, &every, s->workspace, &la, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( line_cast( m->tree, pose, &line, &one, s->workspace, &lf, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( line_cast( m->tree, pose, &line, NULL, s->workspace, &ln, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( la.intersects == lf.intersects && lf.intersects == ln.intersects &&
	              la.intersects == ( la.hit_count > 0 ) );
	FUZZ_REQUIRE( la.hit_written == la.hit_count );
	for ( size_t i = 1; i < la.hit_written; ++i )
		FUZZ_REQUIRE( hits[i - 1].t <= hits[i].t );
	FUZZ_REQUIRE( !la.intersects || ( lf.first.triangle == hits[0].triangle && lf.first.t == hits[0].t ) );
	FUZZ_REQUIRE( nearest.distance > 0.0 || la.intersects ); // the line begins on the mesh
	if ( !line.is_ray && la.intersects )
		FUZZ_REQUIRE( hits[0].t >= 0.0 && hits[la.hit_written - 1].t <= 1.0 && first.intersects );
}

// ------------------------------------------------------------------------------------------------
// Motion

// Tell whether all lengths are about as large, or zero: sweeps of others take long, and end with CLOSE.
static bool is_tame( const scene *s ) {
	double least = INFINITY, most = 0.0;
	const body *const bodies[2] = { &s->a, &s->b };
	for ( int m = 0; m < 2; ++m ) {
		for ( size_t i = 0; i < 3 * bodies[m]->view.vertex_count; ++i ) {
			const double x = fabs( bodies[m]->positions[i] );
			least = x > 0.0 && x < least ? x : least;
			most = x > most ? x : most;
		}
	}
	return most > 0.0 && most < 0x1p100 && least > 0x1p-20 * most;
}

static void ask_motion( const scene *s, const double by[3], dbvh_policy policy ) {
	dbvh_motion motion = dbvh_motion_translation( s->at_b, by );
	if ( s->choice & 2 && is_tame( s ) ) {
		motion.axis[s->choice % 3] = 1.0;
		motion.angle = ldexp( (double)( s->choice % 64 ) - 32.0, -5 );
	}
	dbvh_motion at_rest = dbvh_motion_translation( s->at_a, NULL );
	const dbvh_toi_query query = { .policy = policy };
	dbvh_toi_result m;
	const dbvh_status status =
	    dbvh_time_of_impact( s->a.tree, &at_rest, s->b.tree, &motion, &query, s->workspace, &m, NULL );
	if ( status != DBVH_OK ) // a move beyond the doubles
		return;
	fuzz_query_seen.moved[m.verdict] += 1;
	FUZZ_REQUIRE( m.time >= 0.0 && m.time <= 1.0 );
	FUZZ_REQUIRE( s->count == 0 || ( m.verdict == DBVH_TOI_VERDICT_CONTACT && m.time == 0.0 ) );
	dbvh_collide_result r;
	if ( m.verdict == DBVH_TOI_VERDICT_CONTACT ) {
		FUZZ_REQUIRE( m.upper >= m.time && m.upper - m.time <= 0x1.1p-20 );
		const dbvh_pose there = dbvh_motion_pose( &motion, m.upper );
		FUZZ_REQUIRE( dbvh_collide( s->a.tree, s->at_a, s->b.tree, &there, NULL, s->workspace, &r, NULL ) == DBVH_OK );
		FUZZ_REQUIRE( r.verdict == DBVH_INTERSECTING );
	}
	for ( int k = 0; k < 8; ++k ) {
		const dbvh_pose pose = dbvh_motion_pose( &motion, m.time * k / 8.0 );
		// Rounding may bring the bodies together at the very end, and if the verdict is CLOSE.
		if ( m.time * k / 8.0 >= m.time || m.verdict == DBVH_TOI_VERDICT_CLOSE )
			break;
		if ( dbvh_collide( s->a.tree, s->at_a, s->b.tree, &pose, NULL, s->workspace, &r, NULL ) == DBVH_OK )
			FUZZ_REQUIRE( r.verdict == DBVH_DISJOINT );
	}
}

// ------------------------------------------------------------------------------------------------
// Primitives: the same question asked of two functions

static void ask_primitives( const scene *s ) {
	dbvh_triangle triangle;
	memcpy( triangle.corner, s->a.corners[0], sizeof triangle.corner );
	const double *const p = s->b.corners[0];
	dbvh_capsule capsule = { .radius = fabs( p[6] ) };
	memcpy( capsule.from, p, sizeof capsule.from );
	memcpy( capsule.to, p + 3, sizeof capsule.to );
	const dbvh_segment segment = { { p[0], p[1], p[2] }, { p[3], p[4], p[5] } };
	dbvh_aabb box, of_capsule;
	for ( int k = 0; k < 3; ++k ) {
		box.min[k] = fmin( triangle.corner[0][k], triangle.corner[1][k] );
		box.max[k] = fmax( triangle.corner[0][k], triangle.corner[1][k] );
	}
	bool meet = false, hit = false;
	double distance = NAN;
	dbvh_hit crossing;
	dbvh_signed_distance gap;
	FUZZ_REQUIRE( dbvh_capsule_triangle_intersect( &capsule, &triangle, &meet ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_capsule_triangle_distance( &capsule, &triangle, &distance ) == DBVH_OK );
	FUZZ_REQUIRE( meet == ( distance == 0.0 ) );
	FUZZ_REQUIRE( dbvh_segment_triangle_intersect( &segment, &triangle, &hit ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_segment_triangle_hit( &segment, &triangle, &crossing ) == DBVH_OK );
	FUZZ_REQUIRE( hit == crossing.intersects && ( meet || !hit ) );
	FUZZ_REQUIRE( dbvh_capsule_aabb_intersect( &capsule, &box, &meet ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_capsule_aabb_distance( &capsule, &box, &distance ) == DBVH_OK );
	FUZZ_REQUIRE( meet == ( distance == 0.0 ) );
	FUZZ_REQUIRE( dbvh_segment_aabb_intersect( &segment, &box, &hit ) == DBVH_OK && ( meet || !hit ) );
	FUZZ_REQUIRE( dbvh_capsule_aabb_signed_distance( &capsule, &box, &gap ) == DBVH_OK && gap.distance == distance );
	FUZZ_REQUIRE( dbvh_triangle_aabb_intersect( &triangle, &box, &hit ) == DBVH_OK && hit ); // a side is in it
	FUZZ_REQUIRE( dbvh_capsule_to_aabb( &capsule, &of_capsule ) == DBVH_OK );
	const dbvh_status status = dbvh_aabb_aabb_intersect( &of_capsule, &box, &hit );
	FUZZ_REQUIRE( status == DBVH_NOT_FINITE || ( status == DBVH_OK && ( hit || !meet ) ) );
	const dbvh_sphere sphere = { { p[0], p[1], p[2] }, fabs( p[7] ) };
	FUZZ_REQUIRE( dbvh_sphere_triangle_intersect( &sphere, &triangle, &meet ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_sphere_triangle_signed_distance( &sphere, &triangle, &gap ) == DBVH_OK );
	FUZZ_REQUIRE( meet == ( gap.distance == 0.0 ) );
	const dbvh_plane plane = { { 1.0, p[8] != 0.0 ? 1.0 : 0.0, 0.0 }, p[8] };
	dbvh_plane_distance level;
	int side = 2;
	FUZZ_REQUIRE( dbvh_sphere_plane_distance( &sphere, &plane, &level ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_sphere_plane_side( &sphere, &plane, &side ) == DBVH_OK && side == level.side );
}

static void ask_ellipsoid( const scene *s ) {
	dbvh_ellipsoid e;
	const dbvh_status status = dbvh_ellipsoid_fit( s->a.positions, s->a.view.vertex_count, NULL, &e, NULL );
	FUZZ_REQUIRE( status == DBVH_OK || status == DBVH_LIMIT );
	if ( status != DBVH_OK )
		return;
	dbvh_obb box = { .axis = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for ( int k = 0; k < 3; ++k ) {
		box.centre[k] = s->b.positions[k];
		box.half[k] = fabs( s->b.positions[3 + k] );
	}
	const double margin = dbvh_ellipsoid_margin( &e, &box );
	bool meet[DBVH_ELLIPSOID_METHOD_COUNT] = { false };
	for ( int k = 0; k < DBVH_ELLIPSOID_METHOD_COUNT; ++k ) {
		const dbvh_status asked = dbvh_ellipsoid_obb_intersect( &e, &box, (dbvh_ellipsoid_method)k, &meet[k] );
		FUZZ_REQUIRE( asked == DBVH_OK || asked == DBVH_LIMIT || asked == DBVH_INVALID_ARGUMENT );
		// A vertex of A is in its ellipsoid; a box about its centre is met.
		if ( asked == DBVH_OK && margin < 1e-3 && memcmp( box.centre, e.centre, sizeof e.centre ) == 0 )
			FUZZ_REQUIRE( meet[k] );
	}
	dbvh_ellipsoid same = e;
	FUZZ_REQUIRE( dbvh_ellipsoid_repair( &same, 0.0 ) == DBVH_OK );
	bool both = false;
	const dbvh_status asked = dbvh_ellipsoid_ellipsoid_intersect( &e, &same, &both );
	FUZZ_REQUIRE( asked == DBVH_LIMIT || ( asked == DBVH_OK && both ) );
}

// ------------------------------------------------------------------------------------------------
// The same scene in other words

static dbvh_tree *build_tree( const dbvh_mesh_view *view, unsigned choice ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = 1;
	options.leaf_size = choice & 1 ? 1 + choice / 8 % 5 : 1;
	options.sphere_fit = choice & 2 ? DBVH_NODE_SPHERE_BOX_CENTRE : DBVH_NODE_SPHERE_SMALLEST;
	options.box_fit = choice & 4 ? DBVH_BOX_FIT_COVARIANCE : DBVH_BOX_FIT_BEST;
	options.split = choice & 16 ? DBVH_SPLIT_MEAN : DBVH_SPLIT_COST;
	options.ellipsoids = choice & 32 ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE;
	dbvh_tree *tree = NULL;
	dbvh_error error;
	FUZZ_REQUIRE( dbvh_tree_build( view, &options, NULL, &tree, &error ) == DBVH_OK );
	FUZZ_REQUIRE( dbvh_tree_validate( tree, &error ) == DBVH_OK );
	return tree;
}

// The triangles of A in the opposite order, each begun at another corner: the pairs are the same, renumbered.
static void ask_permuted( const scene *s, dbvh_relation relation ) {
	body turned = s->a;
	for ( size_t t = 0; t < s->a.count; ++t ) {
		for ( size_t k = 0; k < 3; ++k )
			turned.indices[3 * t + k] = s->a.indices[3 * ( s->a.count - 1 - t ) + ( k + 1 ) % 3];
	}
	set_view( &turned, s->a.view.vertex_count, s->a.count );
	dbvh_tree *const tree = build_tree( &turned.view, s->choice + 5 );
	dbvh_pair pairs[MOST_PAIRS];
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = MOST_PAIRS };
	dbvh_collide_result r;
	FUZZ_REQUIRE( dbvh_collide( tree, s->at_a, s->b.tree, s->at_b, &query, s->workspace, &r, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( r.pair_count == s->count );
	for ( size_t i = 0; i < r.pair_written; ++i )
		FUZZ_REQUIRE( is_true_pair( s, ( dbvh_pair ){ (uint32_t)s->a.count - 1 - pairs[i].a, pairs[i].b } ) );
	dbvh_relate_result related;
	FUZZ_REQUIRE( dbvh_relate( tree, s->at_a, s->b.tree, s->at_b, NULL, s->workspace, &related, NULL ) == DBVH_OK );
	FUZZ_REQUIRE( related.relation == relation );
	dbvh_tree_destroy( tree );
}

// Does x lose nothing if it is multiplied by 2^by?
static bool scales( double x, int by ) {
	return ldexp( ldexp( x, by ), -by ) == x;
}

static void ask_scaled( const scene *s, double distance, dbvh_relation relation ) {
	const int by = (int)( s->choice % 128 ) - 64;
	scene out = *s;
	bool exact = true;
	body *const bodies[2] = { &out.a, &out.b };
	dbvh_pose *const poses[2] = { &out.pose_a, &out.pose_b };
	for ( int m = 0; m < 2; ++m ) {
		for ( size_t i = 0; i < 3 * bodies[m]->view.vertex_count; ++i ) {
			exact &= scales( bodies[m]->positions[i], by );
			bodies[m]->positions[i] = ldexp( bodies[m]->positions[i], by );
		}
		for ( int k = 0; k < 3; ++k ) {
			exact &= scales( poses[m]->pos[k], by );
			poses[m]->pos[k] = ldexp( poses[m]->pos[k], by );
		}
	}
	// The composition of two poses rounds where products leave the range.
	if ( !exact || ( s->at_a != NULL && s->at_b != NULL ) )
		return;
	for ( int m = 0; m < 2; ++m )
		set_view( bodies[m], bodies[m]->view.vertex_count, bodies[m]->count );
	out.at_a = s->at_a != NULL ? &out.pose_a : NULL;
	out.at_b = s->at_b != NULL ? &out.pose_b : NULL;
	out.a.tree = build_tree( &out.a.view, s->choice );
	out.b.tree = build_tree( &out.b.view, s->choice / 2 );
	FUZZ_REQUIRE( dbvhi_pose_relate( out.at_a, out.at_b, &out.relative ) == DBVH_OK );
	ask_collide( &out, DBVH_POLICY_DEFAULT );
	ask_collide( &out, DBVH_POLICY_DUAL );
	dbvh_relate_result related;
	FUZZ_REQUIRE( dbvh_relate( out.a.tree, out.at_a, out.b.tree, out.at_b, NULL, s->workspace, &related, NULL ) ==
	              DBVH_OK );
	FUZZ_REQUIRE( related.relation == relation );
	if ( distance > 0x1p-900 && distance < 0x1p900 ) {
		dbvh_distance_result d;
		FUZZ_REQUIRE( dbvh_distance( out.a.tree, out.at_a, out.b.tree, out.at_b, NULL, s->workspace, &d, NULL ) ==
		              DBVH_OK );
		FUZZ_REQUIRE( d.distance == ldexp( distance, by ) );
	}
	dbvh_tree_destroy( out.a.tree );
	dbvh_tree_destroy( out.b.tree );
}

// ------------------------------------------------------------------------------------------------

static void ask_all( scene *s, source *from ) {
	size_t isa_count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &isa_count );
	find_truth( s );
	fuzz_query_seen.meeting += s->count > 0;
	fuzz_query_seen.apart += s->count == 0;
	const double truth = true_distance( s );
	for ( size_t i = 0; i < isa_count; ++i ) {
		FUZZ_REQUIRE( dbvh_isa_select( isas[i].name, NULL ) == DBVH_OK );
		ask_collide( s, DBVH_POLICY_DEFAULT );
		ask_collide( s, DBVH_POLICY_PACKED );
		ask_distance( s, truth, DBVH_POLICY_DEFAULT );
		ask_self( s, i % 2 == 0 ? &s->a : &s->b );
	}
	// One instruction set for the rest, and now and then another.
	FUZZ_REQUIRE( dbvh_isa_select( isas[s->choice % isa_count].name, NULL ) == DBVH_OK );
	const dbvh_policy others[] = { DBVH_POLICY_DUAL,        DBVH_POLICY_RAPID,     DBVH_POLICY_SAT_LITE,
	                               DBVH_POLICY_SPHERE,      DBVH_POLICY_ELLIPSOID, DBVH_POLICY_MIXED,
	                               DBVH_POLICY_PACKED_MIXED };
	for ( size_t i = 0; i < sizeof others / sizeof others[0]; ++i )
		ask_collide( s, others[i] );
	ask_distance( s, truth, DBVH_POLICY_DUAL );
	ask_batch( s );
	const dbvh_relation relation = ask_relation( s );
	ask_contacts( s, relation );
	ask_permuted( s, relation );
	ask_scaled( s, truth, relation );
	double points[2][3];
	for ( int k = 0; k < 6; ++k )
		points[k / 3][k % 3] = number( from );
	ask_probes( s, &s->a, s->at_a, points[0], points[1] );
	ask_probes( s, &s->b, s->at_b, s->a.corners[0], points[0] );
	ask_motion( s, points[0], DBVH_POLICY_DEFAULT );
	ask_motion( s, points[1], DBVH_POLICY_DUAL );
	ask_primitives( s );
	ask_ellipsoid( s );
	FUZZ_REQUIRE( dbvh_isa_select( NULL, NULL ) == DBVH_OK );
}

void fuzz_query( const uint8_t *data, size_t size ) {
	source from = { .at = data, .end = data + size };
	scene s = { .choice = 0 };
	s.choice = next( &from );
	s.choice |= next( &from ) << 8;
	static const int exponents[8] = { -1074, -1022, -540, -200, 200, 500, 960, 1015 };
	from.range = s.choice % 8 == 7 ? WILD : s.choice % 8 >= 5 ? BAND : TAME;
	from.exponent = from.range == BAND ? exponents[s.choice / 8 % 8] : 0;
	make_body( &from, &s.a, NULL );
	make_body( &from, &s.b, &s.a );
	s.at_a = make_pose( &from, &s.pose_a ) ? &s.pose_a : NULL;
	s.at_b = make_pose( &from, &s.pose_b ) ? &s.pose_b : NULL;
	s.a.tree = build_tree( &s.a.view, s.choice );
	s.b.tree = build_tree( &s.b.view, s.choice / 2 );
	FUZZ_REQUIRE( dbvh_workspace_create( NULL, &s.workspace, NULL ) == DBVH_OK );
	fuzz_query_seen.inputs += 1;
	const dbvh_status status = dbvhi_pose_relate( s.at_a, s.at_b, &s.relative );
	if ( status == DBVH_OK ) {
		ask_all( &s, &from );
	} else {
		dbvh_collide_result r;
		FUZZ_REQUIRE( dbvh_collide( s.a.tree, s.at_a, s.b.tree, s.at_b, NULL, s.workspace, &r, NULL ) == status );
		dbvh_distance_result d;
		FUZZ_REQUIRE( dbvh_distance( s.a.tree, s.at_a, s.b.tree, s.at_b, NULL, s.workspace, &d, NULL ) == status );
		fuzz_query_seen.refused += 1;
	}
	dbvh_workspace_destroy( s.workspace );
	dbvh_tree_destroy( s.a.tree );
	dbvh_tree_destroy( s.b.tree );
}
