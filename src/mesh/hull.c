// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The convex hull of points by quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact signs. A point is above a facet
// only if it is strictly above its plane, so no case is special: points in the plane of a facet see the facets beside
// it, and every new facet has an area, because the horizon is an edge of a facet that the point is strictly above.
//
// note: a point that is above none of the facets that are new is inside of the hull, if it was above one that went:
// else the facets that it sees, which are connected by edges, lie on both sides of an edge of the horizon, and it is
// strictly above the new facet there.
//
// Points that were corners at first may end up within an edge or a face of the hull. Corners of the hull are where at
// least three edges meet whose facets are in different planes; the hull of these alone has no others.

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "exact/orient.h"
#include "mesh/view.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

typedef struct facet {
	uint32_t corner[3];
	uint32_t beside[3]; // the facet across the edge from corner k to the next
	uint32_t outside;   // a list of points above it, the farthest first
	double far;         // how far that is, about; 0 where the list is empty
	uint64_t visit;     // the last point that was compared with it, and whether it was above
	bool is_dead;       // in the list of free facets, by beside[0]
} facet;

// An edge of the horizon: that of a hidden facet.
typedef struct rim {
	uint32_t facet, edge;
} rim;

typedef struct hull {
	const dbvh_allocator *allocator;
	double *points; // those that were given, and an apex for flat ones
	size_t point_count, room;
	uint32_t *number; // the points that are looked at
	size_t count;
	uint32_t *next;  // for each point, the next in its list
	uint32_t *start; // for each point, the new facet whose first corner it is
	facet *facets;
	size_t facet_count, facet_capacity;
	uint32_t free;
	uint32_t *work; // facets that may have points above them
	size_t work_count, work_capacity;
	uint32_t *seen; // facets that the point at hand is above
	size_t seen_count, seen_capacity;
	rim *rims;
	size_t rim_count, rim_capacity;
	uint64_t visit;
	bool failed; // for want of memory
} hull;

static const double *point_of( const hull *h, uint32_t i ) {
	return h->points + 3 * (size_t)i;
}

// ------------------------------------------------------------------------------------------------
// Signs

static void take_points( const hull *h, const uint32_t corner[3], uint32_t point, dbvhi_points *out ) {
	static const dbvh_pose none = { .rot = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	double fixed[9], moved[9];
	for ( int i = 0; i < 3; ++i ) {
		memcpy( fixed + 3 * i, point_of( h, corner[i] ), 3 * sizeof( double ) );
		memcpy( moved + 3 * i, point_of( h, point ), 3 * sizeof( double ) );
	}
	dbvhi_points_init( out, fixed, moved, moved, &none, 0.0 );
	// note: integers are made of the corners later, when the arrays of this function are gone.
	out->fixed = out->p[0];
	out->moved = out->p[3];
}

// 1: the point is above the plane of three others, which run counter-clockwise seen from there.
static int side_of( const hull *h, const uint32_t corner[3], uint32_t point ) {
	dbvhi_points points;
	take_points( h, corner, point, &points );
	return -dbvhi_points_orient3d( &points, 0, 1, 2, 3 );
}

// An axis along which three points are seen as a triangle; -1: they lie on a line.
static int axis_of( const hull *h, const uint32_t corner[3] ) {
	dbvhi_points points;
	take_points( h, corner, corner[0], &points );
	return dbvhi_points_projection( &points, 0, 1, 2, NULL );
}

// Estimate how far above a facet a point is, times the facet's area: it only chooses the order of points.
static double height_of( const hull *h, const facet *f, uint32_t point ) {
	const double *a = point_of( h, f->corner[0] ), *b = point_of( h, f->corner[1] ), *c = point_of( h, f->corner[2] );
	const double *p = point_of( h, point );
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		sum += ( p[k] - a[k] ) * ( ( b[i] - a[i] ) * ( c[j] - a[j] ) - ( b[j] - a[j] ) * ( c[i] - a[i] ) );
	}
	return sum;
}

// ------------------------------------------------------------------------------------------------
// Facets

static uint32_t add_facet( hull *h, uint32_t a, uint32_t b, uint32_t c ) {
	uint32_t at = h->free;
	if ( at != NONE ) {
		h->free = h->facets[at].beside[0];
	} else {
		if ( !dbvhi_grow_array( h->allocator, &h->facets, &h->facet_capacity, h->facet_count + 1,
		                        sizeof *h->facets ) ) {
			h->failed = true;
			return NONE;
		}
		at = (uint32_t)h->facet_count++;
	}
	h->facets[at] = ( facet ){ .corner = { a, b, c }, .beside = { NONE, NONE, NONE }, .outside = NONE };
	return at;
}

// Put a point into the list of a facet that it is above, if there is one among `count` in the array.
static void assign( hull *h, uint32_t point, const uint32_t *facets, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		facet *f = &h->facets[facets[i]];
		if ( side_of( h, f->corner, point ) <= 0 )
			continue;
		const double far = height_of( h, f, point );
		if ( f->outside == NONE || far > f->far ) {
			h->next[point] = f->outside;
			f->outside = point;
			f->far = far;
		} else {
			h->next[point] = h->next[f->outside];
			h->next[f->outside] = point;
		}
		return;
	}
}

static void want_work( hull *h, uint32_t at ) {
	if ( h->facets[at].outside == NONE )
		return;
	if ( !dbvhi_grow_array( h->allocator, &h->work, &h->work_capacity, h->work_count + 1, sizeof *h->work ) )
		h->failed = true;
	else
		h->work[h->work_count++] = at;
}

// Is a point above a facet? Asked once a point.
static bool sees( hull *h, uint32_t point, uint32_t at ) {
	facet *f = &h->facets[at];
	if ( f->visit >> 1 != h->visit )
		f->visit = h->visit << 1 | (uint64_t)( side_of( h, f->corner, point ) > 0 );
	return ( f->visit & 1 ) != 0;
}

static void see( hull *h, uint32_t at ) {
	if ( !dbvhi_grow_array( h->allocator, &h->seen, &h->seen_capacity, h->seen_count + 1, sizeof *h->seen ) ) {
		h->failed = true;
		return;
	}
	h->facets[at].is_dead = true;
	h->seen[h->seen_count++] = at;
}

// Find all facets that a point is above, from one of them on, and the edges around them.
static void find_visible( hull *h, uint32_t point, uint32_t from ) {
	h->visit += 1;
	h->seen_count = h->rim_count = 0;
	(void)sees( h, point, from );
	see( h, from );
	for ( size_t i = 0; i < h->seen_count && !h->failed; ++i ) {
		for ( int k = 0; k < 3 && !h->failed; ++k ) {
			const uint32_t here = h->seen[i], other = h->facets[here].beside[k];
			if ( sees( h, point, other ) ) {
				if ( !h->facets[other].is_dead )
					see( h, other );
				continue;
			}
			uint32_t edge = 0;
			while ( h->facets[other].beside[edge] != here )
				++edge;
			if ( !dbvhi_grow_array( h->allocator, &h->rims, &h->rim_capacity, h->rim_count + 1, sizeof *h->rims ) )
				h->failed = true;
			else
				h->rims[h->rim_count++] = ( rim ){ other, edge };
		}
	}
}

// Make a facet at each edge of the horizon. Their numbers take the place of the facets across, in `rims`.
static void cover( hull *h, uint32_t point ) {
	for ( size_t i = 0; i < h->rim_count; ++i ) {
		const rim r = h->rims[i];
		// The edge as the facet that goes ran along it.
		const uint32_t u = h->facets[r.facet].corner[( r.edge + 1 ) % 3], v = h->facets[r.facet].corner[r.edge];
		const uint32_t at = add_facet( h, u, v, point );
		if ( at == NONE )
			return;
		h->facets[at].beside[0] = r.facet;
		h->facets[r.facet].beside[r.edge] = at;
		h->start[u] = at;
		h->rims[i].facet = at;
	}
	for ( size_t i = 0; i < h->rim_count; ++i ) {
		const uint32_t at = h->rims[i].facet, after = h->start[h->facets[at].corner[1]];
		h->facets[at].beside[1] = after;
		h->facets[after].beside[2] = at;
	}
}

// Give the points above the facets that went to the new ones, and the facets back.
static void hand_over( hull *h, uint32_t point ) {
	// The new facets as a plain list: `work` grows by them in any case.
	const size_t first = h->work_count, count = h->rim_count;
	if ( !dbvhi_grow_array( h->allocator, &h->work, &h->work_capacity, first + count, sizeof *h->work ) ) {
		h->failed = true;
		return;
	}
	for ( size_t i = 0; i < count; ++i )
		h->work[first + i] = h->rims[i].facet;
	for ( size_t i = 0; i < h->seen_count; ++i ) {
		facet *f = &h->facets[h->seen[i]];
		for ( uint32_t p = f->outside, next; p != NONE; p = next ) {
			next = h->next[p];
			if ( p != point )
				assign( h, p, h->work + first, count );
		}
		f->beside[0] = h->free;
		h->free = h->seen[i];
	}
	for ( size_t i = 0; i < count; ++i )
		want_work( h, h->rims[i].facet );
}

// ------------------------------------------------------------------------------------------------
// The hull of the points that are looked at

static bool are_same( const double p[3], const double q[3] ) {
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// The first points that span a simplex. Returns how many: 1 if all are the same, 2 on a line, 3 in a plane, 4.
static int find_simplex( const hull *h, uint32_t corner[4] ) {
	int found = 1;
	corner[0] = h->number[0];
	for ( size_t i = 1; i < h->count && found < 4; ++i ) {
		corner[found] = h->number[i];
		found += found == 1   ? !are_same( point_of( h, corner[0] ), point_of( h, corner[1] ) )
		         : found == 2 ? axis_of( h, corner ) >= 0
		                      : side_of( h, corner, corner[3] ) != 0;
		// note: what is not independent of those before is replaced by the next one. Points before a third corner may
		// be off the plane only if they are off the line, and they are on it.
	}
	return found;
}

static void join( hull *h, uint32_t a, uint32_t b ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			facet *f = &h->facets[a];
			const facet *g = &h->facets[b];
			if ( f->corner[i] == g->corner[( j + 1 ) % 3] && f->corner[( i + 1 ) % 3] == g->corner[j] )
				f->beside[i] = b;
		}
	}
}

static void make_simplex( hull *h, const uint32_t corner[4] ) {
	const bool is_above = side_of( h, corner, corner[3] ) > 0;
	const uint32_t a = corner[0], b = corner[is_above ? 2 : 1], c = corner[is_above ? 1 : 2], d = corner[3];
	const uint32_t four[4][3] = { { a, b, c }, { a, d, b }, { b, d, c }, { c, d, a } };
	uint32_t facets[4];
	h->facet_count = h->work_count = 0;
	h->free = NONE;
	for ( int i = 0; i < 4; ++i ) {
		facets[i] = add_facet( h, four[i][0], four[i][1], four[i][2] );
		if ( facets[i] == NONE )
			return;
	}
	for ( int i = 0; i < 4; ++i )
		for ( int j = 0; j < 4; ++j )
			join( h, facets[i], facets[j] );
	for ( size_t i = 0; i < h->count; ++i )
		assign( h, h->number[i], facets, 4 );
	for ( int i = 0; i < 4; ++i )
		want_work( h, facets[i] );
}

static void grow_hull( hull *h ) {
	while ( h->work_count > 0 && !h->failed ) {
		const uint32_t at = h->work[--h->work_count];
		const facet *f = &h->facets[at];
		if ( f->is_dead || f->outside == NONE )
			continue;
		const uint32_t point = f->outside;
		find_visible( h, point, at );
		if ( !h->failed )
			cover( h, point );
		if ( !h->failed )
			hand_over( h, point );
	}
}

// Keep the corners of the hull alone. Returns whether others had become corners of facets. `start` counts the edges
// round each point whose facets are not in one plane.
static bool drop_flat_corners( hull *h ) {
	for ( size_t i = 0; i < h->count; ++i )
		h->start[h->number[i]] = 0;
	for ( size_t i = 0; i < h->facet_count; ++i ) {
		const facet *f = &h->facets[i];
		for ( int k = 0; k < 3 && !f->is_dead; ++k ) {
			const facet *g = &h->facets[f->beside[k]];
			for ( int j = 0; j < 3; ++j )
				if ( g->beside[j] == i && side_of( h, f->corner, g->corner[( j + 2 ) % 3] ) != 0 )
					h->start[f->corner[k]] += 1;
		}
	}
	size_t kept = 0, corners = 0;
	for ( size_t i = 0; i < h->count; ++i )
		if ( h->start[h->number[i]] >= 3 )
			h->number[kept++] = h->number[i];
	h->count = kept;
	for ( size_t i = 0; i < h->facet_count; ++i )
		corners += h->facets[i].is_dead ? 0 : 1;
	// Euler: a closed surface of v corners has 2 v - 4 triangles.
	return corners != 2 * kept - 4;
}

static void make_hull( hull *h, const uint32_t corner[4] ) {
	make_simplex( h, corner );
	if ( !h->failed )
		grow_hull( h );
}

// Points in a plane get an apex beside it, which the result is without.
static void add_apex( hull *h, int axis, const double beside[3] ) {
	double largest = 0.0;
	for ( size_t i = 0; i < 3 * h->point_count; ++i )
		largest = fmax( largest, fabs( h->points[i] ) );
	double *apex = h->points + 3 * h->point_count;
	memcpy( apex, beside, 3 * sizeof *apex );
	apex[axis] = apex[axis] < 0.0 ? largest : -largest;
	h->number[h->count++] = (uint32_t)h->point_count;
}

// The ends of points on a line.
static void find_ends( const hull *h, uint32_t ends[2] ) {
	ends[0] = ends[1] = h->number[0];
	for ( size_t i = 1; i < h->count; ++i ) {
		const double *p = point_of( h, h->number[i] ), *low = point_of( h, ends[0] ), *high = point_of( h, ends[1] );
		int k = 0;
		while ( k < 2 && p[k] == low[k] && p[k] == high[k] )
			++k;
		if ( p[k] < low[k] )
			ends[0] = h->number[i];
		if ( p[k] > high[k] )
			ends[1] = h->number[i];
	}
}

// ------------------------------------------------------------------------------------------------
// The mesh

static dbvh_status no_room( dbvh_error *error, const hull *h ) {
	return dbvhi_error_set( error, DBVH_OUT_OF_MEMORY, "no memory for the hull of %zu points", h->point_count );
}

// The triangles as numbers of corners that are used, ascending, which take the place of the points.
static dbvh_status make_used( hull *h, uint32_t *triangles, size_t triangle_count, dbvh_mesh **mesh_out,
                              dbvh_error *error ) {
	for ( size_t i = 0; i <= h->point_count; ++i )
		h->start[i] = NONE;
	for ( size_t i = 0; i < 3 * triangle_count; ++i )
		h->start[triangles[i]] = 0;
	size_t used = 0;
	for ( size_t i = 0; i <= h->point_count; ++i ) {
		if ( h->start[i] == NONE )
			continue;
		memmove( h->points + 3 * used, h->points + 3 * i, 3 * sizeof( double ) );
		h->start[i] = (uint32_t)used++;
	}
	for ( size_t i = 0; i < 3 * triangle_count; ++i )
		triangles[i] = h->start[triangles[i]];
	const dbvh_mesh_view view = {
	    .positions = h->points, .vertex_count = used, .indices = triangles, .triangle_count = triangle_count };
	return dbvh_mesh_create( &view, h->allocator, mesh_out, error );
}

static dbvh_status make_solid( hull *h, dbvh_mesh **mesh_out, dbvh_error *error ) {
	const uint32_t apex = (uint32_t)h->point_count;
	uint32_t *triangles = dbvhi_alloc( h->allocator, h->facet_count, 3 * sizeof *triangles );
	if ( triangles == NULL )
		return no_room( error, h );
	size_t count = 0;
	for ( size_t i = 0; i < h->facet_count; ++i ) {
		const uint32_t *c = h->facets[i].corner;
		if ( h->facets[i].is_dead || c[0] == apex || c[1] == apex || c[2] == apex )
			continue;
		memcpy( triangles + 3 * count++, c, 3 * sizeof *c );
	}
	const dbvh_status status = make_used( h, triangles, count, mesh_out, error );
	dbvhi_free( h->allocator, triangles, h->facet_count, 3 * sizeof *triangles );
	return status;
}

static dbvh_status hull_of( hull *h, dbvh_mesh **mesh_out, dbvh_error *error ) {
	uint32_t corner[4];
	int found = find_simplex( h, corner );
	if ( found < 3 ) {
		uint32_t ends[3];
		find_ends( h, ends );
		ends[2] = ends[1];
		return make_used( h, ends, 1, mesh_out, error );
	}
	if ( found == 3 )
		add_apex( h, axis_of( h, corner ), point_of( h, corner[0] ) );
	do {
		found = find_simplex( h, corner );
		DBVHI_ASSERT( found == 4 );
		make_hull( h, corner );
	} while ( !h->failed && drop_flat_corners( h ) );
	return h->failed ? no_room( error, h ) : make_solid( h, mesh_out, error );
}

static bool take_room( hull *h ) {
	h->room = h->point_count + 1; // and the apex
	h->points = dbvhi_alloc( h->allocator, h->room, 3 * sizeof *h->points );
	h->number = dbvhi_alloc( h->allocator, h->room, sizeof *h->number );
	h->next = dbvhi_alloc( h->allocator, h->room, sizeof *h->next );
	h->start = dbvhi_alloc( h->allocator, h->room, sizeof *h->start );
	return h->points != NULL && h->number != NULL && h->next != NULL && h->start != NULL;
}

static void free_room( hull *h ) {
	dbvhi_free( h->allocator, h->points, h->room, 3 * sizeof *h->points );
	dbvhi_free( h->allocator, h->number, h->room, sizeof *h->number );
	dbvhi_free( h->allocator, h->next, h->room, sizeof *h->next );
	dbvhi_free( h->allocator, h->start, h->room, sizeof *h->start );
	dbvhi_free( h->allocator, h->facets, h->facet_capacity, sizeof *h->facets );
	dbvhi_free( h->allocator, h->work, h->work_capacity, sizeof *h->work );
	dbvhi_free( h->allocator, h->seen, h->seen_capacity, sizeof *h->seen );
	dbvhi_free( h->allocator, h->rims, h->rim_capacity, sizeof *h->rims );
}

// The vertices of a view are checked as those of one with a triangle.
static dbvh_status check_points( const dbvh_mesh_view *view, dbvh_error *error ) {
	static const uint32_t corners[3] = { 0, 0, 0 };
	if ( view == NULL )
		return dbvhi_error_null( error, "points" );
	if ( view->vertex_count == 0 )
		return dbvhi_error_set( error, DBVH_EMPTY, "there are no points" );
	dbvh_mesh_view checked = *view;
	checked.indices = corners;
	checked.triangle_count = 1;
	checked.triangle_stride = 0;
	checked.index_type = DBVH_INDEX_TYPE_UINT32;
	return dbvh_mesh_view_check( &checked, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_mesh_create_hull( const dbvh_mesh_view *view, const dbvh_allocator *allocator,
                                                          dbvh_mesh **mesh_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( mesh_out, sizeof *mesh_out, "mesh_out", error ) );
	DBVHI_TRY( check_points( view, error ) );
	dbvh_allocator own;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &own, error ) );
	hull h = { .allocator = &own, .point_count = view->vertex_count, .free = NONE };
	dbvh_status status = DBVH_OK;
	if ( !take_room( &h ) ) {
		status = no_room( error, &h );
	} else {
		for ( size_t i = 0; i < h.point_count; ++i ) {
			dbvhi_view_vertex( view, i, h.points + 3 * i );
			h.number[h.count++] = (uint32_t)i;
		}
		status = hull_of( &h, mesh_out, error );
	}
	free_room( &h );
	return status;
}

dbvh_status dbvh_mesh_create_hull( const dbvh_mesh_view *points, const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                   dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_mesh_create_hull( points, allocator, mesh_out, error ) );
}
