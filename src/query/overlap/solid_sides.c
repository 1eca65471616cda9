// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Triangles that nowhere cross another of their mesh have the same two sides all over, and so do neighbours at an edge
// of two: so one ray on either side of one triangle tells for all that are joined through such edges.

#include "query/overlap/solid_sides.h"

#include "dualbvh/self.h"
#include "exact/exact_point.h"
#include "query/relation/inside.h"

#include <string.h>

#define RAY_AXIS 0

void dbvhi_solid_sides_free( dbvhi_solid_sides *s, const dbvh_allocator *allocator ) {
	dbvhi_free( allocator, s->side, s->side_capacity, sizeof *s->side );
	dbvhi_free( allocator, s->shell, s->shell_capacity, sizeof *s->shell );
	dbvhi_free( allocator, s->across, s->across_capacity, sizeof *s->across );
	dbvhi_free( allocator, s->first, s->first_capacity, sizeof *s->first );
	dbvhi_free( allocator, s->bounds, s->bounds_capacity, sizeof *s->bounds );
	dbvhi_free( allocator, s->cones, s->cone_capacity, sizeof *s->cones );
	dbvhi_free( allocator, s->inward, s->inward_capacity, sizeof *s->inward );
	dbvhi_clusters_free( &s->clusters, allocator );
	memset( s, 0, sizeof *s );
}

typedef struct learning {
	dbvhi_solid_sides *solid;
	const dbvh_tree *tree;
	const dbvhi_topology *topology;
	const dbvh_allocator *allocator;
	dbvhi_meter *meter;
	uint32_t *queue;
	uint8_t *seen; // by triangle
} learning;

// A triangle that may bound the solid.
static bool may_bound( const dbvhi_topology *t, uint32_t i ) {
	return t->even[t->component[i]] != 0 && !t->degenerate[i] && t->winding[i] != DBVHI_WINDING_COPY;
}

// ------------------------------------------------------------------------------------------------
// Crossings

static bool is_copy_of( const dbvhi_topology *t, uint32_t i, uint32_t j ) {
	const uint32_t *p = t->corner + 3 * (size_t)i, *q = t->corner + 3 * (size_t)j;
	int common = 0;
	for ( int k = 0; k < 3; ++k )
		common += p[k] == q[0] || p[k] == q[1] || p[k] == q[2];
	return common == 3;
}

dbvh_status dbvhi_self_collide_within( dbvhi_meter *meter, const dbvh_tree *tree, dbvh_collide_query query,
                                       dbvh_workspace *workspace, dbvh_collide_result *result_out ) {
	dbvhi_purse *purse = meter->purse;
	uint64_t spent = 0;
	dbvh_budget budget = { .spent = &spent };
	if ( purse->budget != NULL ) {
		const uint64_t before = dbvhi_meter_spent( meter );
		budget.is_cancelled = purse->budget->is_cancelled;
		budget.user = purse->budget->user;
		if ( purse->limit != UINT64_MAX )
			budget.max_work = purse->limit > before ? purse->limit - before : 1;
	}
	query.budget = &budget;
	const dbvh_status status = dbvh_self_collide( tree, &query, workspace, result_out, NULL );
	if ( status == DBVH_BUDGET_SPENT || status == DBVH_CANCELLED )
		atomic_store_explicit( &purse->stopped, (int)status, memory_order_relaxed );
	if ( status != DBVH_OK )
		return status;
	return dbvhi_meter_charge( meter, spent ) ? DBVH_OK : dbvhi_purse_status( purse );
}

static dbvh_status mark_crossed( learning *l, dbvh_workspace *workspace ) {
	dbvhi_solid_sides *s = l->solid;
	dbvh_pair *pairs = NULL;
	size_t capacity = 0;
	dbvh_status status = DBVH_OK;
	dbvh_collide_result found = { .pair_count = 256 };
	// note: the pairs are found twice where there was no room for all.
	do {
		if ( !dbvhi_grow_array( l->allocator, &pairs, &capacity, found.pair_count, sizeof *pairs ) ) {
			status = DBVH_OUT_OF_MEMORY;
			break;
		}
		const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = capacity };
		status = dbvhi_self_collide_within( l->meter, l->tree, query, workspace, &found );
	} while ( status == DBVH_OK && found.pair_count > capacity );
	for ( size_t i = 0; i < found.pair_count && status == DBVH_OK; ++i ) {
		const uint32_t a = pairs[i].a, b = pairs[i].b;
		if ( !may_bound( l->topology, a ) || !may_bound( l->topology, b ) || is_copy_of( l->topology, a, b ) )
			continue;
		if ( !s->has_crossed ) {
			s->crossed[0] = a;
			s->crossed[1] = b;
		}
		s->has_crossed = true;
		s->side[a] = s->side[b] = DBVHI_SOLID_CROSSED;
	}
	dbvhi_free( l->allocator, pairs, capacity, sizeof *pairs );
	return status;
}

// ------------------------------------------------------------------------------------------------
// Sides

// The two triangles at an edge that has no others that may bound the solid; false where it has.
static bool other_at_edge( const dbvhi_topology *t, uint32_t edge, uint32_t triangle, uint32_t *other_out ) {
	int count = 0;
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t other = t->side[k] / 3;
		if ( other == triangle || !may_bound( t, other ) )
			continue;
		*other_out = other;
		if ( ++count > 1 )
			return false;
	}
	return count == 1;
}

static bool runs_alike( const dbvhi_topology *t, uint32_t edge, uint32_t i, uint32_t j ) {
	uint32_t start[2] = { 0, 0 };
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		if ( t->side[k] / 3 == i )
			start[0] = dbvhi_topology_start( t, t->side[k] );
		if ( t->side[k] / 3 == j )
			start[1] = dbvhi_topology_start( t, t->side[k] );
	}
	return start[0] == start[1];
}

// True if the mesh encloses the points just beside a triangle, above or below it.
static bool is_inside_beside( const dbvhi_placed *placed, uint32_t triangle, bool above ) {
	const dbvh_pose identity = dbvh_pose_identity();
	dbvhi_target target;
	dbvhi_placed_target( placed, placed->tree->leaf[triangle], &target );
	dbvhi_exact_point point;
	dbvhi_vector along, across;
	dbvhi_vector_limbs limbs[2];
	dbvhi_exact_point_at_middle( &point, &target, 0 );
	dbvhi_vector_along( &along, &limbs[0], &target, 0, 1, &identity );
	dbvhi_vector_along( &across, &limbs[1], &target, 0, 2, &identity );
	int axis = 0, turn;
	// note: along x across is the normal, so that the determinant tells which way the axis leaves the triangle.
	while ( ( turn = dbvhi_vector_det3( &along, &across, &dbvhi_unit_vector[axis] ) ) == 0 )
		axis += 1;
	const dbvhi_perturbed_point perturbed = { .point = &point,
	                                          .level = { &across, &along, &dbvhi_unit_vector[axis] },
	                                          .sign = { 1, 1, above ? turn : -turn },
	                                          .level_count = 3 };
	return ( dbvhi_is_inside( placed, &perturbed, RAY_AXIS ) & DBVHI_ENCLOSED ) != 0;
}

// A lower triangle in the same place bounds instead.
static bool has_lower_copy( const dbvhi_topology *t, uint32_t i ) {
	const uint32_t edge = t->edge[3 * (size_t)i];
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t other = t->side[k] / 3;
		if ( other < i && may_bound( t, other ) && is_copy_of( t, i, other ) )
			return true;
	}
	return false;
}

// Find the side of one triangle by rays, and of all that are joined to it.
static dbvh_status find_sides_from( learning *l, const dbvhi_placed *placed, uint32_t first ) {
	const dbvhi_topology *t = l->topology;
	int8_t *side = l->solid->side;
	const bool above = is_inside_beside( placed, first, true ), below = is_inside_beside( placed, first, false );
	if ( !dbvhi_meter_charge( l->meter, 512 ) )
		return dbvhi_purse_status( l->meter->purse );
	side[first] = above == below ? DBVHI_SOLID_NEITHER : below ? DBVHI_SOLID_BELOW : DBVHI_SOLID_ABOVE;
	size_t count = 0;
	l->queue[count++] = first;
	l->seen[first] = 1;
	for ( size_t i = 0; i < count; ++i ) {
		const uint32_t triangle = l->queue[i];
		for ( size_t k = 0; k < 3; ++k ) {
			const uint32_t edge = t->edge[3 * (size_t)triangle + k];
			uint32_t other = 0;
			if ( edge == DBVHI_NO_EDGE || !other_at_edge( t, edge, triangle, &other ) || l->seen[other] ||
			     side[other] == DBVHI_SOLID_CROSSED )
				continue;
			const int8_t own = side[triangle];
			side[other] = runs_alike( t, edge, triangle, other ) ? (int8_t)-own : own;
			l->seen[other] = 1;
			l->queue[count++] = other;
		}
	}
	return dbvhi_meter_charge( l->meter, count / 8 ) ? DBVH_OK : dbvhi_purse_status( l->meter->purse );
}

static dbvh_status find_sides( learning *l ) {
	const dbvhi_topology *t = l->topology;
	const dbvhi_placed placed = dbvhi_place( l->tree, NULL, false );
	memset( l->seen, 0, t->triangle_count );
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		if ( l->seen[i] || !may_bound( t, i ) || l->solid->side[i] == DBVHI_SOLID_CROSSED )
			continue;
		const dbvh_status status = find_sides_from( l, &placed, i );
		if ( status != DBVH_OK )
			return status;
	}
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		if ( ( l->solid->side[i] == DBVHI_SOLID_BELOW || l->solid->side[i] == DBVHI_SOLID_ABOVE ) &&
		     has_lower_copy( t, i ) )
			l->solid->side[i] = DBVHI_SOLID_NEITHER;
	}
	return DBVH_OK;
}

static bool is_boundary_side( int8_t side ) {
	return side == DBVHI_SOLID_BELOW || side == DBVHI_SOLID_ABOVE;
}

static uint32_t side_across( const dbvhi_solid_sides *s, const dbvhi_topology *t, uint32_t side ) {
	const uint32_t edge = t->edge[side];
	uint32_t found = DBVHI_NO_SIDE;
	if ( edge == DBVHI_NO_EDGE || !is_boundary_side( s->side[side / 3] ) )
		return DBVHI_NO_SIDE;
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t other = t->side[k];
		if ( other == side || s->side[other / 3] == DBVHI_SOLID_NEITHER )
			continue;
		if ( found != DBVHI_NO_SIDE || !is_boundary_side( s->side[other / 3] ) )
			return DBVHI_NO_SIDE;
		found = other;
	}
	return found;
}

static void find_across( dbvhi_solid_sides *s, const dbvhi_topology *t ) {
	for ( uint32_t side = 0; side < 3 * t->triangle_count; ++side )
		s->across[side] = side_across( s, t, side );
}

// ------------------------------------------------------------------------------------------------
// Shells

static void grow_box( double box[6], const dbvhi_topology *t, uint32_t triangle ) {
	for ( size_t k = 0; k < 9; ++k ) {
		const double x = t->position[3 * (size_t)t->corner[3 * (size_t)triangle + k / 3] + k % 3];
		box[k % 3] = x < box[k % 3] ? x : box[k % 3];
		box[3 + k % 3] = x > box[3 + k % 3] ? x : box[3 + k % 3];
	}
}

static bool add_shell( learning *l, uint32_t first ) {
	dbvhi_solid_sides *s = l->solid;
	const size_t n = s->shell_count;
	if ( !dbvhi_grow_array( l->allocator, &s->first, &s->first_capacity, n + 1, sizeof *s->first ) ||
	     !dbvhi_grow_array( l->allocator, &s->bounds, &s->bounds_capacity, 6 * ( n + 1 ), sizeof *s->bounds ) )
		return false;
	s->first[n] = first;
	const double *p = l->topology->position + 3 * (size_t)l->topology->corner[3 * (size_t)first];
	for ( size_t k = 0; k < 6; ++k )
		s->bounds[6 * n + k] = p[k % 3];
	s->shell_count = n + 1;
	return true;
}

static bool find_shells( learning *l ) {
	const dbvhi_topology *t = l->topology;
	dbvhi_solid_sides *s = l->solid;
	s->shell_count = 0;
	memset( l->seen, 0, t->triangle_count );
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		if ( l->seen[i] || s->side[i] == DBVHI_SOLID_NEITHER )
			continue;
		if ( !add_shell( l, i ) )
			return false;
		size_t count = 0;
		l->queue[count++] = i;
		l->seen[i] = 1;
		for ( size_t at = 0; at < count; ++at ) {
			const uint32_t triangle = l->queue[at];
			s->shell[triangle] = (uint32_t)s->shell_count - 1;
			grow_box( s->bounds + 6 * ( s->shell_count - 1 ), t, triangle );
			for ( size_t k = 0; k < 3; ++k ) {
				const uint32_t edge = t->edge[3 * (size_t)triangle + k];
				for ( uint32_t j = t->edge_begin[edge]; j < t->edge_begin[edge + 1]; ++j ) {
					const uint32_t other = t->side[j] / 3;
					if ( l->seen[other] || s->side[other] == DBVHI_SOLID_NEITHER )
						continue;
					l->seen[other] = 1;
					l->queue[count++] = other;
				}
			}
		}
	}
	return true;
}

dbvh_status dbvhi_solid_sides_learn( dbvhi_solid_sides *s, const dbvh_tree *tree, const dbvh_allocator *allocator,
                                     dbvh_workspace *workspace, dbvhi_meter *meter ) {
	const dbvhi_topology *t = tree->topology;
	const size_t n = t->triangle_count;
	s->ready = s->has_crossed = s->has_cones = false;
	if ( !dbvhi_grow_array( allocator, &s->side, &s->side_capacity, n, sizeof *s->side ) ||
	     !dbvhi_grow_array( allocator, &s->across, &s->across_capacity, 3 * n, sizeof *s->across ) ||
	     !dbvhi_grow_array( allocator, &s->shell, &s->shell_capacity, n, sizeof *s->shell ) )
		return DBVH_OUT_OF_MEMORY;
	memset( s->side, DBVHI_SOLID_NEITHER, n );
	learning l = { s, tree, t, allocator, meter, NULL, NULL };
	l.queue = dbvhi_alloc( allocator, n, sizeof *l.queue );
	l.seen = dbvhi_alloc( allocator, n, sizeof *l.seen );
	dbvh_status status = l.queue != NULL && l.seen != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	if ( status == DBVH_OK )
		status = mark_crossed( &l, workspace );
	if ( status == DBVH_OK )
		status = find_sides( &l );
	if ( status == DBVH_OK )
		find_across( s, t );
	if ( status == DBVH_OK &&
	     ( !find_shells( &l ) || !dbvhi_clusters_build( &s->clusters, tree, s->side, s->across, allocator ) ) )
		status = DBVH_OUT_OF_MEMORY;
	dbvhi_free( allocator, l.queue, n, sizeof *l.queue );
	dbvhi_free( allocator, l.seen, n, sizeof *l.seen );
	if ( status != DBVH_OK )
		return status;
	s->tree = tree;
	s->hash = tree->hash;
	s->revision = tree->revision;
	s->triangle_count = n;
	s->fill = tree->options.fill;
	s->ready = true;
	return DBVH_OK;
}
