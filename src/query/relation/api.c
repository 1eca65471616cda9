// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/sort.h"
#include "base/status.h"
#include "dualbvh/distance.h"
#include "dualbvh/relation.h"
#include "dualbvh/self.h"
#include "exact/point_in_box.h"
#include "exact/tri_tri.h"
#include "math/pose.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/distance/distance.h"
#include "query/relation/relation.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char *dbvh_relation_name( dbvh_relation relation ) {
	static const char *const names[] = { "DISJOINT", "TOUCHING", "OVERLAPPING", "A_IN_B",
	                                     "B_IN_A",   "EQUAL",    "UNDECIDABLE" };
	return (unsigned)relation <= DBVH_RELATION_UNDECIDABLE ? names[relation] : "?";
}

const char *dbvh_location_name( dbvh_location location ) {
	static const char *const names[] = { "OUTSIDE", "ON_SURFACE", "INSIDE", "UNDECIDABLE" };
	return (unsigned)location <= DBVH_LOCATION_UNDECIDABLE ? names[location] : "?";
}

static void release( void *memory, const dbvh_allocator *allocator ) {
	dbvhi_relation_memory *m = memory;
	dbvhi_free( allocator, m->pairs, m->pair_capacity, sizeof *m->pairs );
	dbvhi_free( allocator, m->by_fixed, m->by_fixed_capacity, sizeof *m->by_fixed );
	dbvhi_free( allocator, m->by_moved, m->by_moved_capacity, sizeof *m->by_moved );
	dbvhi_free( allocator, m->link, m->link_capacity, sizeof *m->link );
	for ( int mesh = 0; mesh < 2; ++mesh )
		dbvhi_free( allocator, m->met[mesh], m->met_capacity[mesh], sizeof *m->met[mesh] );
}

static const dbvhi_slot_kind memory_kind = { sizeof( dbvhi_relation_memory ), release };

static dbvh_status take_memory( dbvh_workspace *w, const dbvhi_relating *r ) {
	dbvhi_relation_memory *m = dbvhi_workspace_slot( w, &memory_kind );
	if ( m == NULL )
		return DBVH_OUT_OF_MEMORY;
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		const size_t count = r->mesh[mesh].tree->topology->component_count;
		void *met = m->met[mesh];
		if ( !dbvhi_grow( &w->allocator, &met, &m->met_capacity[mesh], count, 1 ) )
			return DBVH_OUT_OF_MEMORY;
		m->met[mesh] = met;
		memset( met, 0, count );
	}
	return DBVH_OK;
}

static bool has_solid( const dbvhi_topology *t ) {
	for ( size_t i = 0; i < t->component_count; ++i ) {
		if ( t->even[i] )
			return true;
	}
	return false;
}

// Two meshes at two poses, and the workspace, meter and threads of all searches about them.
typedef struct relate_call {
	const dbvh_tree *a, *b;
	const dbvh_pose *pose_a, *pose_b;
	dbvh_workspace *workspace;
	dbvhi_meter *meter;
	uint32_t thread_count;
} relate_call;

// List all pairs that intersect, sorted by either mesh; equal triangles count as one. If there was not enough room for
// them, they are found once more, free of charge, so that the cost of a relation does not depend on what the workspace
// was used for before.
static dbvh_status list_pairs( const relate_call *q, bool a_moves, dbvhi_relating *r ) {
	dbvhi_relation_memory *m = r->memory;
	const dbvh_budget *budget = q->meter->purse->budget;
	const dbvh_budget free_of_charge = { .is_cancelled = budget != NULL ? budget->is_cancelled : NULL,
	                                     .user = budget != NULL ? budget->user : NULL };
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, &free_of_charge );
	dbvhi_collide_options distinct = { .distinct = true, .meter = q->meter };
	dbvh_collide_result found;
	for ( ;; distinct.meter = &meter ) {
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL,
		                                   .pairs = m->pairs,
		                                   .pair_capacity = m->pair_capacity,
		                                   .thread_count = q->thread_count };
		DBVHI_TRY( dbvhi_collide_checked( q->a, q->pose_a, q->b, q->pose_b, &distinct, &query, q->workspace, &found ) );
		if ( found.pair_count <= m->pair_capacity )
			break;
		void *pairs = m->pairs;
		const bool grown = dbvhi_grow( r->allocator, &pairs, &m->pair_capacity, found.pair_count, sizeof *m->pairs );
		m->pairs = pairs;
		if ( !grown )
			return DBVH_OUT_OF_MEMORY;
	}
	r->pair_count = found.pair_count;
	void *by_fixed = m->by_fixed, *by_moved = m->by_moved;
	const bool grown =
	    dbvhi_grow( r->allocator, &by_fixed, &m->by_fixed_capacity, r->pair_count, sizeof( uint64_t ) ) &&
	    dbvhi_grow( r->allocator, &by_moved, &m->by_moved_capacity, r->pair_count, sizeof( uint64_t ) );
	m->by_fixed = by_fixed;
	m->by_moved = by_moved;
	if ( !grown )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = 0; i < r->pair_count; ++i ) {
		const uint32_t fixed = a_moves ? m->pairs[i].b : m->pairs[i].a, moved = a_moves ? m->pairs[i].a : m->pairs[i].b;
		m->by_fixed[i] = (uint64_t)fixed << 32 | moved;
		m->by_moved[i] = (uint64_t)moved << 32 | fixed;
	}
	dbvhi_sort_u64( m->by_fixed, r->pair_count );
	dbvhi_sort_u64( m->by_moved, r->pair_count );
	return DBVH_OK;
}

// The relation by the kinds of points that exist, if open components enclose nothing.
static dbvh_relation judge( unsigned known, bool meet, bool a_moves ) {
	DBVHI_ASSERT( known <= DBVHI_EVERYTHING );
	const bool fixed_out = ( known & DBVHI_ONLY_FIXED ) != 0, moved_out = ( known & DBVHI_ONLY_MOVED ) != 0;
	if ( ( known & DBVHI_BOTH ) == 0 )
		return meet ? DBVH_RELATION_TOUCHING : DBVH_RELATION_DISJOINT;
	if ( fixed_out && moved_out )
		return DBVH_RELATION_OVERLAPPING;
	if ( !fixed_out && !moved_out )
		return DBVH_RELATION_EQUAL;
	const bool a_out = a_moves ? moved_out : fixed_out;
	return a_out ? DBVH_RELATION_B_IN_A : DBVH_RELATION_A_IN_B;
}

// The open component that makes the relation undecidable: the first whose box contains a corner of the component that
// it might enclose, else the first open one.
static size_t blame( const dbvhi_topology *open, const dbvhi_placed *holder, const dbvhi_placed *held, size_t number ) {
	const dbvhi_topology *t = held->tree->topology;
	const double *p = t->position + 3 * (size_t)t->corner[3 * t->components[number].first_triangle];
	size_t first = SIZE_MAX;
	for ( size_t c = 0; c < open->component_count; ++c ) {
		if ( open->even[c] )
			continue;
		first = first == SIZE_MAX ? c : first;
		if ( dbvhi_corner_in_box( ( dbvhi_corner ){ p, held->moved }, open->bounds + 6 * c, holder->moved,
		                          holder->pose ) )
			return c;
	}
	return first;
}

// The relation in one reading. If it is undecidable, `out` (unless NULL) gets the components that make it so.
static dbvh_relation decide( dbvhi_relating *r, int reading, bool meet, bool a_moves, bool doubts,
                             dbvh_relate_result *out ) {
	DBVHI_ASSERT( reading >= 0 && reading < DBVHI_READINGS );
	const dbvh_relation plain = judge( r->known[reading], meet, a_moves );
	if ( out != NULL )
		out->surface_relation = plain;
	if ( plain == DBVH_RELATION_OVERLAPPING || !doubts )
		return plain;
	size_t held[2];
	for ( int mesh = 0; mesh < 2; ++mesh )
		held[mesh] = dbvhi_relate_doubt( r, mesh, reading );
	if ( held[0] == SIZE_MAX && held[1] == SIZE_MAX )
		return plain;
	for ( int mesh = 0; mesh < 2 && out != NULL; ++mesh ) {
		if ( held[mesh] == SIZE_MAX )
			continue;
		// note: a component of one mesh might be enclosed by a sheet of the other.
		const bool a_open = ( mesh == 1 ) != a_moves;
		dbvh_doubt *doubt = a_open ? &out->doubt_a : &out->doubt_b;
		doubt->held_component = held[mesh];
		doubt->open_component = blame( r->mesh[!mesh].tree->topology, &r->mesh[!mesh], &r->mesh[mesh], held[mesh] );
		out->undecided =
		    (dbvh_undecided)( out->undecided | ( a_open ? DBVH_UNDECIDED_A_OPEN : DBVH_UNDECIDED_B_OPEN ) );
	}
	return DBVH_RELATION_UNDECIDABLE;
}

// True if two trees have the same triangles in file order, however they are built, and so enclose the same.
static bool same_triangles( const dbvh_tree *a, const dbvh_tree *b ) {
	if ( a == b )
		return true;
	if ( a->hash != b->hash || a->mesh_triangle_count != b->mesh_triangle_count )
		return false;
	for ( size_t i = 0; i < a->mesh_triangle_count; ++i ) {
		const double *p = a->corners + 9 * (size_t)a->leaf[i], *q = b->corners + 9 * (size_t)b->leaf[i];
		for ( int k = 0; k < 9; ++k ) {
			if ( p[k] != q[k] )
				return false;
		}
	}
	return true;
}

static bool has_closed_components( const dbvh_tree *tree ) {
	const dbvhi_topology *t = tree->topology;
	if ( t->has_sheets || tree->twins != NULL )
		return false;
	for ( size_t c = 0; c < t->component_count; ++c ) {
		if ( !t->components[c].closed )
			return false;
	}
	for ( size_t i = 0; i < t->triangle_count; ++i ) {
		if ( t->degenerate[i] )
			return false;
	}
	return true;
}

// Find whether all components are closed surfaces that nowhere meet themselves or each other beyond corners and edges
// they share. That is a call of its own with the rest of the budget, to which its steps, those of long products among
// them, are charged.
static dbvh_status is_embedded( const relate_call *q, const dbvh_tree *tree, bool *out ) {
	*out = false;
	if ( !has_closed_components( tree ) )
		return DBVH_OK;
	const dbvh_budget *whole = q->meter->purse->budget;
	const uint64_t limit = q->meter->purse->limit, done = dbvhi_meter_spent( q->meter );
	uint64_t spent = 0;
	dbvh_budget rest = { .max_work = limit == UINT64_MAX ? 0 : done < limit ? limit - done : 1, .spent = &spent };
	if ( whole != NULL ) {
		rest.is_cancelled = whole->is_cancelled;
		rest.user = whole->user;
	}
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .budget = whole != NULL ? &rest : NULL };
	dbvh_collide_result result;
	dbvh_status status = dbvh_self_collide( tree, &any, q->workspace, &result, NULL );
	q->meter->products = dbvhi_long_products;
	if ( !dbvhi_meter_charge( q->meter, spent ) && status == DBVH_OK )
		status = dbvhi_purse_status( q->meter->purse );
	*out = result.verdict == DBVH_DISJOINT;
	return status;
}

static bool is_identity( const dbvh_pose *pose ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			if ( pose->rot[i][j] != ( i == j ? 1.0 : 0.0 ) )
				return false;
		}
	}
	return pose->pos[0] == 0.0 && pose->pos[1] == 0.0 && pose->pos[2] == 0.0;
}

// Find the exact relation, or as much of it as follows from the kinds of points in `enough`. Sets all but `relation`
// and `separation`; with DBVHI_EVERYTHING, also whether the fill rules matter.
static dbvh_status relate_exactly( const relate_call *q, unsigned enough, bool doubts, dbvh_relate_result *out ) {
	DBVHI_ASSERT( enough != 0 && enough <= DBVHI_EVERYTHING );
	dbvhi_relative_pose relative;
	DBVHI_TRY( dbvhi_pose_relate( q->pose_a, q->pose_b, &relative ) );
	const bool a_moves = relative.a_moves;
	const dbvh_tree *fixed = a_moves ? q->b : q->a, *moved = a_moves ? q->a : q->b;
	const dbvh_pose *pose = &relative.frame_from_moved;
	dbvhi_relating r = { .mesh = { dbvhi_place( fixed, pose, false ), dbvhi_place( moved, pose, true ) },
	                     .pose = pose,
	                     .solid = { has_solid( fixed->topology ), has_solid( moved->topology ) },
	                     .allocator = &q->workspace->allocator,
	                     .reading_count = enough == DBVHI_EVERYTHING ? DBVHI_READINGS : 1,
	                     .enough = enough,
	                     .meter = q->meter };
	dbvh_status status = take_memory( q->workspace, &r );
	if ( status != DBVH_OK )
		return status;
	r.memory = dbvhi_workspace_slot( q->workspace, &memory_kind );
	bool itself = false;
	if ( is_identity( pose ) && same_triangles( fixed, moved ) )
		status = is_embedded( q, fixed, &itself );
	if ( status != DBVH_OK )
		return status;
	if ( itself )
		dbvhi_relate_itself( &r );
	dbvh_collide_result found;
	const dbvhi_collide_options meeting = { .meter = q->meter };
	const dbvh_collide_query any = { .find = DBVH_FIND_ANY, .thread_count = q->thread_count };
	status = dbvhi_collide_checked( q->a, q->pose_a, q->b, q->pose_b, &meeting, &any, q->workspace, &found );
	if ( status != DBVH_OK )
		return status;
	out->surfaces_intersect = found.verdict == DBVH_INTERSECTING;
	out->first = found.first;
	if ( out->surfaces_intersect && !itself ) {
		const uint32_t leaf_a = q->a->leaf[found.first.a], leaf_b = q->b->leaf[found.first.b];
		status = dbvhi_relate_crossing( &r, a_moves ? leaf_b : leaf_a, a_moves ? leaf_a : leaf_b );
		if ( status != DBVH_OK )
			return status;
		if ( !dbvhi_relating_done( &r ) ) {
			status = list_pairs( q, a_moves, &r );
			r.listed = true;
			if ( status == DBVH_OK )
				status = dbvhi_relate_pairs( &r );
			if ( status != DBVH_OK )
				return status;
		}
	}
	if ( !itself && !dbvhi_relating_done( &r ) )
		dbvhi_relate_parts( &r );
	status = dbvhi_purse_status( q->meter->purse );
	if ( status != DBVH_OK )
		return status;
	const bool meet = out->surfaces_intersect;
	out->exact = decide( &r, DBVHI_AS_ASKED, meet, a_moves, doubts, out );
	for ( int k = DBVHI_FIXED_OTHERWISE; k < r.reading_count; ++k ) {
		if ( r.known[k] != r.known[DBVHI_AS_ASKED] && decide( &r, k, meet, a_moves, doubts, NULL ) != out->exact )
			*( ( k == DBVHI_FIXED_OTHERWISE ) == a_moves ? &out->ambiguous_b : &out->ambiguous_a ) = true;
	}
	return DBVH_OK;
}

dbvh_status dbvhi_relate_interiors( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                    const dbvh_pose *pose_b, dbvh_workspace *workspace, dbvhi_meter *meter,
                                    bool *common_out, bool *touching_out, dbvh_pair *first_out ) {
	const relate_call q = { a, b, pose_a, pose_b, workspace, meter, 0 };
	dbvh_relate_result result = { .relation = DBVH_RELATION_DISJOINT };
	const dbvh_status status = relate_exactly( &q, DBVHI_BOTH, false, &result );
	// note: more than TOUCHING needs a point inside both, whatever else is known.
	*common_out = result.exact != DBVH_RELATION_DISJOINT && result.exact != DBVH_RELATION_TOUCHING;
	*touching_out = result.surfaces_intersect;
	*first_out = result.first;
	return status;
}

// Check a tolerance. note: NaN is DBVH_NOT_FINITE, as in a coordinate.
static dbvh_status check_tolerance( double value, const char *name, dbvh_error *error ) {
	if ( isnan( value ) )
		return dbvhi_error_set( error, DBVH_NOT_FINITE, "%s is NaN", name );
	return dbvhi_check_range( value, DBL_MAX, name, error );
}

dbvh_status dbvhi_check_relate( const dbvh_tree *a, const dbvh_tree *b, const dbvh_relate_query *query,
                                dbvh_error *error ) {
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( check_tolerance( query->touch_gap, "query.touch_gap", error ) );
	DBVHI_TRY( check_tolerance( query->touch_overlap, "query.touch_overlap", error ) );
	DBVHI_TRY( dbvhi_check_topology( a, "tree a", error ) );
	return dbvhi_check_topology( b, "tree b", error );
}

// ------------------------------------------------------------------------------------------------
// Tolerances

// Directions in which meshes that overlap are tried to be moved apart: normals of triangles that intersect.
#define DIRECTIONS 32 // the most that are counted
#define TRIED 8       // the most that are tried: those of most triangles
// The number of lengths that are tried of each: the whole length first; in a slot, for example, that would be too far.
#define LENGTHS 3
#define LOOKED_AT 4096 // the most pairs that intersect whose normals are counted

typedef struct direction {
	double v[3]; // length 1
	size_t weight;
} direction;

static void add_direction( direction *list, size_t *count, const double v[3] ) {
	const double scale = fmax( fmax( fabs( v[0] ), fabs( v[1] ) ), fabs( v[2] ) );
	if ( !( scale > 0.0 && scale < INFINITY ) )
		return;
	double u[3] = { v[0] / scale, v[1] / scale, v[2] / scale };
	const double length = sqrt( u[0] * u[0] + u[1] * u[1] + u[2] * u[2] );
	for ( int k = 0; k < 3; ++k )
		u[k] /= length;
	for ( size_t i = 0; i < *count; ++i ) {
		const double cosine = list[i].v[0] * u[0] + list[i].v[1] * u[1] + list[i].v[2] * u[2];
		if ( fabs( cosine ) > 1.0 - 1e-9 ) {
			list[i].weight += 1;
			return;
		}
	}
	if ( *count < DIRECTIONS )
		list[( *count )++] = ( direction ){ { u[0], u[1], u[2] }, 1 };
}

static void add_normal( const dbvh_tree *tree, const dbvh_pose *pose, uint32_t triangle, direction *list,
                        size_t *count ) {
	double p[9];
	memcpy( p, tree->corners + 9 * (size_t)tree->leaf[triangle], sizeof p );
	if ( pose != NULL )
		dbvhi_triangle_move( pose, tree->corners + 9 * (size_t)tree->leaf[triangle], p );
	// Scaled to about 1, so that products neither overflow nor vanish.
	double u[3], w[3], scale = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[3 + k] - p[k];
		w[k] = p[6 + k] - p[k];
		scale = fmax( scale, fmax( fabs( u[k] ), fabs( w[k] ) ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		u[k] /= scale;
		w[k] /= scale;
	}
	const double normal[3] = { u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0] };
	add_direction( list, count, normal );
}

static dbvh_status list_directions( const relate_call *q, direction *list, size_t *count ) {
	dbvhi_relation_memory *m = dbvhi_workspace_slot( q->workspace, &memory_kind );
	void *pairs = m->pairs;
	const bool grown = dbvhi_grow( &q->workspace->allocator, &pairs, &m->pair_capacity, LOOKED_AT, sizeof *m->pairs );
	m->pairs = pairs;
	if ( !grown )
		return DBVH_OUT_OF_MEMORY;
	const dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .pairs = m->pairs, .pair_capacity = LOOKED_AT, .thread_count = q->thread_count };
	dbvh_collide_result found;
	const dbvhi_collide_options distinct = { .distinct = true, .meter = q->meter };
	DBVHI_TRY( dbvhi_collide_checked( q->a, q->pose_a, q->b, q->pose_b, &distinct, &query, q->workspace, &found ) );
	*count = 0;
	for ( size_t i = 0; i < found.pair_written; ++i ) {
		add_normal( q->a, q->pose_a, m->pairs[i].a, list, count );
		add_normal( q->b, q->pose_b, m->pairs[i].b, list, count );
	}
	// Sort by weight. note: the sort is stable, so the result is the same everywhere.
	for ( size_t i = 1; i < *count; ++i ) {
		const direction moving = list[i];
		size_t k = i;
		for ( ; k > 0 && list[k - 1].weight < moving.weight; --k )
			list[k] = list[k - 1];
		list[k] = moving;
	}
	if ( *count > TRIED )
		*count = TRIED;
	const dbvh_tree_stats a = dbvh_tree_get_stats( q->a ), b = dbvh_tree_get_stats( q->b );
	double between[3];
	for ( int k = 0; k < 3; ++k ) {
		between[k] = b.sphere.centre[k] - a.sphere.centre[k];
		if ( q->pose_a != NULL || q->pose_b != NULL ) {
			const dbvh_pose identity = dbvh_pose_identity();
			const dbvh_pose *pa = q->pose_a != NULL ? q->pose_a : &identity;
			const dbvh_pose *pb = q->pose_b != NULL ? q->pose_b : &identity;
			between[k] = pb->pos[k] - pa->pos[k];
			for ( int j = 0; j < 3; ++j )
				between[k] += pb->rot[k][j] * b.sphere.centre[j] - pa->rot[k][j] * a.sphere.centre[j];
		}
	}
	add_direction( list, count, between );
	return DBVH_OK;
}

// The longest multiple of a direction that is surely no longer than `reach`.
static void stretch( const double v[3], double reach, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = v[k] * reach;
	const bool one_axis = ( v[0] != 0.0 ) + ( v[1] != 0.0 ) + ( v[2] != 0.0 ) == 1;
	for ( int k = 0; k < 3 && !one_axis; ++k ) {
		out[k] *= 1.0 - 0x1p-50; // v has length 1 to within a few 2^-53
		// note: near the denormal numbers the two products have an error of half a unit each, which may be more.
		if ( fabs( out[k] ) < 0x1p-960 )
			out[k] = nextafter( out[k], 0.0 );
	}
}

// x + move, rounded so that it is no further from x than that.
static double moved_by( double x, double move ) {
	const double sum = x + move;
	// The rounding error of the sum (Knuth's two-sum).
	const double part = sum - x, lost = ( x - ( sum - part ) ) + ( move - part );
	return lost * move < 0.0 || ( lost != 0.0 && lost * move == 0.0 ) ? nextafter( sum, x ) : sum;
}

// Move B by `move` or, if A is the mesh that the query moves, A the other way. Returns false if that overflows.
static bool move_apart( relate_call *q, bool a_moves, const double move[3], dbvh_pose *pose, double separation[3] ) {
	const dbvh_pose *before = a_moves ? q->pose_a : q->pose_b;
	*pose = before != NULL ? *before : dbvh_pose_identity();
	bool finite = true;
	for ( int k = 0; k < 3; ++k ) {
		const double from = pose->pos[k];
		pose->pos[k] = moved_by( from, a_moves ? -move[k] : move[k] );
		separation[k] = a_moves ? from - pose->pos[k] : pose->pos[k] - from;
		finite = finite && isfinite( pose->pos[k] );
	}
	*( a_moves ? &q->pose_a : &q->pose_b ) = pose;
	return finite;
}

// Try to find a translation of B by at most `reach` after which no point is inside both.
static dbvh_status part( const relate_call *q, double reach, bool doubts, double separation[3], bool *separated ) {
	direction list[DIRECTIONS + 1];
	size_t count = 0;
	*separated = false;
	dbvhi_relative_pose relative;
	dbvh_status status = dbvhi_pose_relate( q->pose_a, q->pose_b, &relative );
	if ( status == DBVH_OK )
		status = list_directions( q, list, &count );
	for ( size_t i = 0; i < LENGTHS * 2 * count && status == DBVH_OK && !*separated; ++i ) {
		double move[3], moved_by_that[3];
		stretch( list[i / 2 % count].v, ldexp( i % 2 == 0 ? reach : -reach, -2 * (int)( i / ( 2 * count ) ) ), move );
		relate_call moved = *q;
		dbvh_pose pose;
		if ( !move_apart( &moved, relative.a_moves, move, &pose, moved_by_that ) )
			continue;
		dbvh_relate_result result = { .surfaces_intersect = false };
		status = relate_exactly( &moved, DBVHI_BOTH, doubts, &result );
		*separated =
		    status == DBVH_OK && ( result.exact == DBVH_RELATION_DISJOINT || result.exact == DBVH_RELATION_TOUCHING );
		if ( *separated )
			memcpy( separation, moved_by_that, 3 * sizeof *separation );
	}
	return status;
}

static dbvh_status relate( const relate_call *q, const dbvh_relate_query *query, dbvh_relate_result *out ) {
	dbvh_status status = relate_exactly( q, DBVHI_EVERYTHING, !query->open_holds_nothing, out );
	out->fill_a = q->a->options.fill;
	out->fill_b = q->b->options.fill;
	out->relation = out->exact;
	if ( status == DBVH_OK && out->exact == DBVH_RELATION_DISJOINT && query->touch_gap > 0.0 ) {
		dbvh_collide_result within;
		status = dbvhi_clearance_checked( q->a, q->pose_a, q->b, q->pose_b, query->touch_gap, q->meter, NULL,
		                                  q->workspace, &within );
		if ( status == DBVH_OK && within.verdict == DBVH_INTERSECTING )
			out->relation = DBVH_RELATION_TOUCHING;
	}
	if ( status == DBVH_OK && out->exact == DBVH_RELATION_OVERLAPPING && query->touch_overlap > 0.0 ) {
		bool separated;
		status = part( q, query->touch_overlap, !query->open_holds_nothing, out->separation, &separated );
		if ( separated )
			out->relation = DBVH_RELATION_TOUCHING;
	}
	return status;
}

dbvh_relate_query dbvh_relate_query_default( void ) {
	return ( dbvh_relate_query ){ .touch_gap = 0.0 };
}

dbvh_status dbvhi_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                          const dbvh_relate_query *query, dbvh_workspace *workspace, dbvhi_meter *meter,
                          dbvh_relate_result *result ) {
	memset( result, 0, sizeof *result );
	const relate_call q = { a, b, pose_a, pose_b, workspace, meter, query->thread_count };
	const dbvh_status status = relate( &q, query, result );
	if ( status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED )
		result->relation = result->exact = DBVH_RELATION_UNDECIDABLE;
	else if ( status != DBVH_OK )
		memset( result, 0, sizeof *result );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                const dbvh_pose *pose_b, const dbvh_relate_query *query,
                                                dbvh_workspace *workspace, dbvh_relate_result *result_out,
                                                dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( result_out, sizeof *result_out, "result_out", error ) );
	const dbvh_relate_query exact = { .touch_gap = 0.0 };
	const dbvh_relate_query *q = query != NULL ? query : &exact;
	dbvh_status status = dbvhi_check_relate( a, b, q, error );
	dbvh_workspace *own = NULL;
	if ( status == DBVH_OK )
		status = dbvhi_workspace_borrow( &workspace, a, &own );
	if ( status != DBVH_OK )
		return status;
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, q->budget );
	status = dbvhi_relate( a, pose_a, b, pose_b, q, workspace, &meter, result_out );
	dbvhi_meter_close( &meter );
	dbvh_workspace_destroy( own );
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvh_relate( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                         const dbvh_relate_query *query, dbvh_workspace *workspace, dbvh_relate_result *result_out,
                         dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, dbvhi_error_finish( error, do_relate( a, pose_a, b, pose_b, query, workspace,
	                                                                           result_out, error ) ) );
}

static DBVHI_NOINLINE_FP dbvh_status do_locate_point( const dbvh_tree *tree, const dbvh_pose *pose,
                                                      const double point[3], dbvh_location *location_out,
                                                      dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( location_out == NULL )
		return dbvhi_error_null( error, "location_out" );
	*location_out = DBVH_LOCATION_OUTSIDE;
	DBVHI_TRY( dbvhi_check_given( tree, "tree", error ) );
	DBVHI_TRY( dbvhi_check_given( point, "point", error ) );
	if ( pose != NULL )
		DBVHI_TRY( dbvhi_blame_pose( dbvh_pose_check( pose, NULL, NULL ), pose, "pose", error ) );
	DBVHI_TRY( dbvhi_check_finite( point, 3, "point", error ) );
	DBVHI_TRY( dbvhi_check_topology( tree, "tree", error ) );
	const dbvhi_placed mesh = dbvhi_place( tree, pose, pose != NULL );
	dbvhi_exact_point exact;
	dbvhi_exact_point_at_corner( &exact, ( dbvhi_corner ){ point, false }, pose, 0.0 );
	if ( dbvhi_is_on_surface( &mesh, &exact, true ) ) {
		*location_out = DBVH_LOCATION_ON_SURFACE;
		return DBVH_OK;
	}
	if ( dbvhi_among_sheets( &mesh, ( dbvhi_corner ){ point, false } ) ) {
		*location_out = DBVH_LOCATION_UNDECIDABLE;
		return DBVH_OK;
	}
	const dbvhi_perturbed_point perturbed = { .point = &exact, .level_count = 0 };
	if ( ( dbvhi_is_inside( &mesh, &perturbed, DBVHI_RAY_AXIS ) & DBVHI_ENCLOSED ) != 0 )
		*location_out = DBVH_LOCATION_INSIDE;
	return DBVH_OK;
}

dbvh_status dbvh_locate_point( const dbvh_tree *tree, const dbvh_pose *pose, const double point[3],
                               dbvh_location *location_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status,
	                        dbvhi_error_finish( error, do_locate_point( tree, pose, point, location_out, error ) ) );
}
