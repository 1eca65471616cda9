// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Samples at the pairs of triangles that intersect: where triangles cross, and at the corners of their intersections.

#include "base/alloc.h"
#include "base/assert.h"
#include "exact/orient.h"
#include "exact/tri_tri_features.h"
#include "query/relation/relation.h"

#include <string.h>

// The corners of the intersection of two triangles, and whether they cross: each has corners on both sides of the
// other, and they share more than a point.
typedef struct common {
	dbvhi_shared_points at;
	bool crossing;
} common;

static bool straddles( const int side[3] ) {
	bool above = false, below = false;
	for ( int i = 0; i < 3; ++i ) {
		above = above || side[i] > 0;
		below = below || side[i] < 0;
	}
	return above && below;
}

// Intersect two triangles that have an area. With `crossings_only`, the corners are left out if they do not cross.
static void compare( const dbvhi_target *fixed, const dbvhi_target *moved, const dbvh_pose *pose, bool crossings_only,
                     common *c ) {
	dbvhi_points points;
	dbvhi_points_init( &points, fixed->corners, moved->corners, moved->image, pose, moved->error );
	int side_fixed[3], side_moved[3];
	for ( int i = 0; i < 3; ++i ) {
		side_fixed[i] = dbvhi_points_orient3d( &points, 3, 4, 5, i );
		side_moved[i] = dbvhi_points_orient3d( &points, 0, 1, 2, 3 + i );
	}
	c->crossing = straddles( side_fixed ) && straddles( side_moved );
	c->at.count = 0;
	if ( crossings_only && !c->crossing )
		return;
	dbvhi_triangles_cut( &points, &c->at );
	c->crossing = c->crossing && c->at.count > 1;
}

// Compute the point in which the given features of two triangles meet.
static void place_spot( const dbvhi_relating *r, const dbvhi_target target[2], dbvhi_tri_feature fixed,
                        dbvhi_tri_feature moved, dbvhi_exact_point *point ) {
	DBVHI_ASSERT( fixed >= 0 && fixed <= DBVHI_FACE && moved >= 0 && moved <= DBVHI_FACE );
	if ( fixed < 3 )
		dbvhi_exact_point_at_corner( point, ( dbvhi_corner ){ target[0].corners + 3 * fixed, false }, r->pose, 0.0 );
	else if ( moved < 3 )
		dbvhi_exact_point_at_corner( point, ( dbvhi_corner ){ target[1].corners + 3 * moved, true }, r->pose,
		                             target[1].error );
	else if ( moved == DBVHI_FACE )
		dbvhi_exact_point_at_face( point, &target[0], fixed - 3, &target[1], r->pose );
	else if ( fixed == DBVHI_FACE )
		dbvhi_exact_point_at_face( point, &target[1], moved - 3, &target[0], r->pose );
	else
		dbvhi_exact_point_at_edges( point, &target[0], fixed - 3, &target[1], moved - 3, r->pose );
}

// ------------------------------------------------------------------------------------------------
// Crossings

// Get an edge of a triangle that is not parallel to u, the line in which its plane crosses that of the other triangle.
static __attribute__( ( noinline ) ) void leading_away( const dbvhi_relating *r, const dbvhi_target *of,
                                                        const dbvhi_vector *u, dbvhi_vector *out,
                                                        dbvhi_vector_limbs *limbs ) {
	for ( int i = 0; i < 2; ++i ) {
		dbvhi_vector_along( out, limbs, of, i, i + 1, r->pose );
		for ( int axis = 0; axis < 3; ++axis ) {
			if ( dbvhi_vector_det2( axis, u, out ) != 0 )
				return;
		}
	}
}

// True if a line in the triangle's plane leads into the triangle from a point on the feature `where`.
static __attribute__( ( noinline ) ) bool leads_into( const dbvhi_relating *r, const dbvhi_target *of,
                                                      dbvhi_tri_feature where, const dbvhi_vector *line ) {
	if ( where == DBVHI_FACE )
		return true;
	dbvhi_vector_limbs limbs[2];
	dbvhi_vector p, q;
	const int from = where % 3; // the corner, or the one at which the edge begins
	dbvhi_vector_along( &p, &limbs[0], of, from, ( from + 1 ) % 3, r->pose );
	dbvhi_vector_along( &q, &limbs[1], of, from, ( from + 2 ) % 3, r->pose );
	int axis = 0, turn = 0;
	while ( ( turn = dbvhi_vector_det2( axis, &p, &q ) ) == 0 )
		axis += 1;
	return dbvhi_vector_det2( axis, &p, line ) == turn && ( where >= 3 || dbvhi_vector_det2( axis, line, &q ) == turn );
}

// The search for a triangle that covers, at a point, the thin wedge from the direction u towards w.
typedef struct covering {
	const dbvhi_relating *r;
	int mesh;
	const dbvhi_exact_point *point;
	const dbvhi_vector *u, *w;
	bool found;
} covering;

static bool covers( void *context, const dbvhi_placed *mesh, uint32_t leaf ) {
	covering *c = context;
	dbvhi_link_triangle t = { .leaf = leaf, .mesh = (uint8_t)c->mesh };
	dbvhi_target target;
	if ( mesh->tree->topology->degenerate[mesh->tree->triangle[leaf]] )
		return false;
	// note: the caller notices that the budget is spent.
	if ( !dbvhi_relating_charge( c->r, 16 ) )
		return true;
	dbvhi_placed_target( mesh, leaf, &target );
	t.feature = dbvhi_exact_point_on_triangle( c->point, &target, c->r->pose );
	if ( t.feature == DBVHI_NOWHERE )
		return false;
	dbvhi_link_make_vectors( &t, c->r );
	c->found = dbvhi_link_covers( &t, c->u, c->w );
	return c->found;
}

static __attribute__( ( noinline ) ) bool is_on_surface( const dbvhi_relating *r, int mesh,
                                                         const dbvhi_exact_point *point, const dbvhi_vector *u,
                                                         const dbvhi_vector *w ) {
	covering c = { .r = r, .mesh = mesh, .point = point, .u = u, .w = w };
	dbvhi_visit_at( &r->mesh[mesh], point, covers, &c );
	return c.found;
}

// Find whether the sheets themselves cross at a point at which two of their triangles cross along a line: other
// triangles of the sheets may meet there, too.
static __attribute__( ( noinline ) ) dbvh_status
look_where_sheets_cross( dbvhi_relating *r, const uint32_t leaf[2], const dbvhi_target target[2],
                         dbvhi_tri_feature fixed, dbvhi_tri_feature moved, const dbvhi_exact_point *point,
                         const dbvhi_vector *line );

// Take samples where two triangles cross along a line: in its four quadrants, near either end of what they share. The
// quadrants on both sides of triangle 0 differ in the sign of away[1], and the other way round.
static dbvh_status look_at_crossing( dbvhi_relating *r, const uint32_t leaf[2], const dbvhi_target target[2],
                                     const common *c ) {
	const bool sheet[2] = { dbvhi_relating_is_sheet( r, 0, leaf[0] ), dbvhi_relating_is_sheet( r, 1, leaf[1] ) };
	dbvh_status status = DBVH_OK;
	dbvhi_wide_limbs wide;
	dbvhi_vector_limbs limbs[2];
	dbvhi_vector line, away[2];
	dbvhi_vector_across( &line, &wide, &target[0], &target[1], r->pose );
	for ( int i = 0; i < 2; ++i )
		leading_away( r, &target[i], &line, &away[i], &limbs[i] );
	for ( int i = 0; i < c->at.count; ++i ) {
		dbvhi_exact_point point;
		place_spot( r, target, c->at.cell[i].fixed, c->at.cell[i].moved, &point );
		unsigned inside[8][2];
		for ( int signs = 0; signs < 8 && !dbvhi_relating_done( r ); ++signs ) {
			const dbvhi_perturbed_point perturbed = {
			    .point = &point,
			    .level = { &line, &away[0], &away[1] },
			    .sign = { signs & 4 ? 1 : -1, signs & 2 ? 1 : -1, signs & 1 ? 1 : -1 },
			    .level_count = 3 };
			for ( int mesh = 0; mesh < 2; ++mesh )
				inside[signs][mesh] = dbvhi_relate_is_inside( r, mesh, &perturbed );
			dbvhi_relate_learn( r, inside[signs] );
		}
		for ( int mesh = 0; mesh < 2 && !dbvhi_relating_done( r ); ++mesh ) {
			for ( int signs = 0; signs < 8 && !sheet[mesh]; ++signs ) {
				const int other_side = signs ^ ( mesh == 0 ? 1 : 2 );
				if ( ( ( inside[signs][mesh] ^ inside[other_side][mesh] ) & DBVHI_ENCLOSED ) == 0 )
					r->murky[mesh] = true;
			}
		}
		if ( sheet[0] && sheet[1] && r->listed && !dbvhi_relating_done( r ) )
			status =
			    look_where_sheets_cross( r, leaf, target, c->at.cell[i].fixed, c->at.cell[i].moved, &point, &line );
		if ( status != DBVH_OK )
			return status;
		for ( int mesh = 0; mesh < 2 && !dbvhi_relating_done( r ); ++mesh ) {
			if ( !sheet[mesh] )
				continue;
			const int along = mesh == 0 ? 2 : 1, across = mesh == 0 ? 1 : 2; // bits of signs
			for ( int way = 0; way < 2; ++way ) {
				const dbvhi_vector u = dbvhi_vector_signed( &line, way == 1 ? 1 : -1 );
				if ( !leads_into( r, &target[0], c->at.cell[i].fixed, &u ) ||
				     !leads_into( r, &target[1], c->at.cell[i].moved, &u ) )
					continue;
				for ( int half = 0; half < 2; ++half ) {
					const dbvhi_vector w = dbvhi_vector_signed( &away[mesh], half == 1 ? 1 : -1 );
					const int at = 4 * way + along * half;
					const unsigned sides[2] = { inside[at][!mesh], inside[at + across][!mesh] };
					const bool covered =
					    dbvhi_relate_is_news_of_sheet( r, mesh, sides ) && is_on_surface( r, !mesh, &point, &u, &w );
					dbvhi_relate_learn_sheet( r, mesh, sides, covered );
				}
			}
		}
	}
	return DBVH_OK;
}

static bool has_area( const dbvhi_relating *r, int mesh, uint32_t leaf ) {
	DBVHI_ASSERT( (unsigned)mesh < 2 && leaf < r->mesh[mesh].tree->triangle_count );
	const dbvh_tree *tree = r->mesh[mesh].tree;
	return !tree->topology->degenerate[tree->triangle[leaf]];
}

static void targets_of( const dbvhi_relating *r, uint32_t fixed, uint32_t moved, dbvhi_target target[2] ) {
	dbvhi_placed_target( &r->mesh[0], fixed, &target[0] );
	dbvhi_placed_target( &r->mesh[1], moved, &target[1] );
}

dbvh_status dbvhi_relate_crossing( dbvhi_relating *r, uint32_t fixed, uint32_t moved ) {
	if ( !has_area( r, 0, fixed ) || !has_area( r, 1, moved ) )
		return DBVH_OK;
	dbvhi_target target[2];
	common c;
	targets_of( r, fixed, moved, target );
	compare( &target[0], &target[1], r->pose, true, &c );
	return c.crossing ? look_at_crossing( r, ( uint32_t[2] ){ fixed, moved }, target, &c ) : DBVH_OK;
}

// ------------------------------------------------------------------------------------------------
// Corners

static bool is_sorted( const uint64_t *keys, size_t count ) {
	for ( size_t i = 1; i < count; ++i ) {
		if ( keys[i - 1] > keys[i] )
			return false;
	}
	return true;
}

// The range of keys whose upper half is `of`: from the returned index up to, and without, *end_out.
static size_t range_of( const uint64_t *keys, size_t count, uint32_t of, size_t *end_out ) {
	size_t low = 0, high = count;
	while ( low < high ) {
		const size_t middle = low + ( high - low ) / 2;
		if ( keys[middle] >> 32 < of )
			low = middle + 1;
		else
			high = middle;
	}
	size_t end = low;
	while ( end < count && keys[end] >> 32 == of )
		end += 1;
	*end_out = end;
	return low;
}

// A triangle, in file order, and the feature on which a point lies.
typedef struct placed_triangle {
	uint32_t triangle;
	dbvhi_tri_feature where;
} placed_triangle;

static void edge_of( const dbvhi_relating *r, int mesh, uint32_t triangle, int edge, dbvhi_vector *out,
                     dbvhi_vector_limbs *limbs ) {
	DBVHI_ASSERT( (unsigned)mesh < 2 && (unsigned)edge < 3 );
	dbvhi_target target;
	dbvhi_placed_target( &r->mesh[mesh], r->mesh[mesh].tree->leaf[triangle], &target );
	dbvhi_vector_along( out, limbs, &target, edge, ( edge + 1 ) % 3, r->pose );
}

// True if a point on both triangles, `one` of the mesh and `two` of the other, is a corner of their intersection. It is
// known to be a corner of the intersection of `known` and `two`.
static bool is_corner( const dbvhi_relating *r, int mesh, const placed_triangle *one, const placed_triangle *two,
                       const placed_triangle *known ) {
	if ( one->where < 3 || two->where < 3 )
		return true;
	if ( one->where == DBVHI_FACE && two->where == DBVHI_FACE )
		return false;
	const uint32_t *edges = r->mesh[mesh].tree->topology->edge;
	if ( one->where < DBVHI_FACE && known->where >= 3 && known->where < DBVHI_FACE &&
	     edges[3 * (size_t)one->triangle + (size_t)one->where - 3] ==
	         edges[3 * (size_t)known->triangle + (size_t)known->where - 3] )
		return true;
	dbvhi_vector v[3];
	dbvhi_vector_limbs limbs[3];
	if ( one->where < DBVHI_FACE && two->where < DBVHI_FACE ) {
		edge_of( r, mesh, one->triangle, one->where - 3, &v[0], &limbs[0] );
		edge_of( r, !mesh, two->triangle, two->where - 3, &v[1], &limbs[1] );
		return dbvhi_vector_det2( 0, &v[0], &v[1] ) != 0 || dbvhi_vector_det2( 1, &v[0], &v[1] ) != 0 ||
		       dbvhi_vector_det2( 2, &v[0], &v[1] ) != 0;
	}
	const bool one_ends = one->where < DBVHI_FACE;
	const placed_triangle *edge = one_ends ? one : two, *face = one_ends ? two : one;
	const int edge_mesh = one_ends ? mesh : !mesh;
	edge_of( r, edge_mesh, edge->triangle, edge->where - 3, &v[0], &limbs[0] );
	for ( int k = 0; k < 2; ++k )
		edge_of( r, !edge_mesh, face->triangle, k, &v[1 + k], &limbs[1 + k] );
	return dbvhi_vector_det3( &v[0], &v[1], &v[2] ) != 0;
}

// Add the triangles of `mesh` that contain the point to the link, out of those that intersect triangle `of` of the
// other mesh, which contains it too. With `once`, returns false if the point is also a corner of the intersection of
// `of` and a triangle lower than `first`: then the samples are taken for that pair. Returns false, too, if memory or
// the budget does not suffice.
static bool gather( dbvhi_relating *r, int mesh, placed_triangle of, placed_triangle first, bool once,
                    const dbvhi_exact_point *point, size_t *count, dbvh_status *status ) {
	dbvhi_relation_memory *m = r->memory;
	const dbvh_tree *tree = r->mesh[mesh].tree;
	const uint64_t *keys = mesh == 0 ? m->by_moved : m->by_fixed;
	size_t end;
	for ( size_t i = range_of( keys, r->pair_count, of.triangle, &end ); i < end; ++i ) {
		const uint32_t triangle = (uint32_t)keys[i], leaf = tree->leaf[triangle];
		// note: among equal triangles the lowest stands for all, see dbvhi_count_twins(); a copy of a sheet is the same
		// sheet.
		if ( tree->topology->degenerate[triangle] || triangle != tree->triangle[leaf] )
			continue;
		// note: the caller notices that the budget is spent.
		if ( !dbvhi_relating_charge( r, 16 ) )
			return false;
		dbvhi_target target;
		dbvhi_placed_target( &r->mesh[mesh], leaf, &target );
		const dbvhi_tri_feature feature = dbvhi_exact_point_on_triangle( point, &target, r->pose );
		if ( feature == DBVHI_NOWHERE )
			continue;
		if ( once && triangle < first.triangle &&
		     is_corner( r, mesh, &( placed_triangle ){ triangle, feature }, &of, &first ) )
			return false;
		void *link = m->link;
		if ( !dbvhi_grow( r->allocator, &link, &m->link_capacity, *count + 1, sizeof *m->link ) ) {
			*status = DBVH_OUT_OF_MEMORY;
			return false;
		}
		m->link = link;
		dbvhi_link_triangle *t = &m->link[( *count )++];
		t->leaf = leaf;
		t->mesh = (uint8_t)mesh;
		t->sheet = dbvhi_relating_is_sheet( r, mesh, leaf );
		t->feature = feature;
	}
	return true;
}

static dbvh_status look_where_sheets_cross( dbvhi_relating *r, const uint32_t leaf[2], const dbvhi_target target[2],
                                            dbvhi_tri_feature fixed, dbvhi_tri_feature moved,
                                            const dbvhi_exact_point *point, const dbvhi_vector *line ) {
	const placed_triangle one = { r->mesh[0].tree->triangle[leaf[0]], fixed },
	                      two = { r->mesh[1].tree->triangle[leaf[1]], moved };
	size_t count = 0;
	dbvh_status status = DBVH_OK;
	if ( !gather( r, 0, two, one, false, point, &count, &status ) ||
	     !gather( r, 1, one, two, false, point, &count, &status ) )
		return status;
	for ( int way = -1; way <= 1; way += 2 ) {
		const dbvhi_vector u = dbvhi_vector_signed( line, way );
		if ( leads_into( r, &target[0], fixed, &u ) && leads_into( r, &target[1], moved, &u ) &&
		     dbvhi_link_sheets_cross( r, count, &u ) )
			dbvhi_relate_sheets_cross( r );
	}
	return DBVH_OK;
}

static dbvh_status look_at_corners( dbvhi_relating *r, uint32_t fixed, uint32_t moved ) {
	dbvhi_target target[2];
	common c;
	targets_of( r, r->mesh[0].tree->leaf[fixed], r->mesh[1].tree->leaf[moved], target );
	compare( &target[0], &target[1], r->pose, false, &c );
	dbvh_status status = DBVH_OK;
	for ( int i = 0; i < c.at.count && status == DBVH_OK && !dbvhi_relating_done( r ); ++i ) {
		dbvhi_exact_point point;
		size_t count = 0;
		place_spot( r, target, c.at.cell[i].fixed, c.at.cell[i].moved, &point );
		const placed_triangle one = { fixed, c.at.cell[i].fixed }, two = { moved, c.at.cell[i].moved };
		if ( gather( r, 0, two, one, true, &point, &count, &status ) &&
		     gather( r, 1, one, two, true, &point, &count, &status ) )
			dbvhi_relate_link( r, &point, count );
		if ( status == DBVH_OK )
			status = dbvhi_purse_status( r->meter->purse );
	}
	return status;
}

static bool pair_has_area( const dbvhi_relating *r, uint64_t key ) {
	return !r->mesh[0].tree->topology->degenerate[key >> 32] && !r->mesh[1].tree->topology->degenerate[(uint32_t)key];
}

dbvh_status dbvhi_relate_pairs( dbvhi_relating *r ) {
	DBVHI_ASSERT( r->listed );
	DBVHI_VALIDATE( is_sorted( r->memory->by_fixed, r->pair_count ) );
	DBVHI_VALIDATE( is_sorted( r->memory->by_moved, r->pair_count ) );
	dbvhi_relation_memory *m = r->memory;
	dbvh_status status = DBVH_OK;
	for ( size_t i = 0; i < r->pair_count; ++i ) {
		const uint32_t fixed = (uint32_t)( m->by_fixed[i] >> 32 ), moved = (uint32_t)m->by_fixed[i];
		if ( !pair_has_area( r, m->by_fixed[i] ) )
			continue;
		m->met[0][r->mesh[0].tree->topology->component[fixed]] = 1;
		m->met[1][r->mesh[1].tree->topology->component[moved]] = 1;
		if ( !dbvhi_relating_charge( r, 64 ) )
			return dbvhi_purse_status( r->meter->purse );
		if ( status == DBVH_OK && !dbvhi_relating_done( r ) )
			status = dbvhi_relate_crossing( r, r->mesh[0].tree->leaf[fixed], r->mesh[1].tree->leaf[moved] );
	}
	for ( size_t i = 0; i < r->pair_count && status == DBVH_OK && !dbvhi_relating_done( r ); ++i ) {
		if ( !dbvhi_relating_charge( r, 256 ) )
			return dbvhi_purse_status( r->meter->purse );
		if ( pair_has_area( r, m->by_fixed[i] ) )
			status = look_at_corners( r, (uint32_t)( m->by_fixed[i] >> 32 ), (uint32_t)m->by_fixed[i] );
	}
	return status;
}
