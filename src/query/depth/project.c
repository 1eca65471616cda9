// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Projection onto the translations that free: two triangles that intersect at a translation are apart beyond a plane in
// the space of translations, that of the axis along which they overlap least. The translation nearest to a goal that is
// beyond the planes of all such pairs is tried exactly; where other pairs intersect there, their planes are added.
// PolyDepth (Je et al. 2012) projects onto the contact space in the same way.

#include "query/collide/collide.h"
#include "query/depth/free.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 256  // pairs of triangles that are listed
#define MOST_PLANES 512 // planes that are kept
#define ROUNDS 8        // translations that are tried
#define SWEEPS 48       // sweeps over all planes

// The translations t with along . t >= least.
typedef struct plane {
	double along[3]; // length 1
	double least;
} plane;

typedef struct planes {
	plane at[MOST_PLANES];
	size_t count;
} planes;

// How far the moved triangle has to go along a direction until the two are apart.
static double overlap_along( const double fixed[9], const double moved[9], const double d[3] ) {
	double most = -INFINITY, least = INFINITY;
	for ( int i = 0; i < 3; ++i ) {
		const double x = dbvhi_dot3( d, fixed + 3 * i ), y = dbvhi_dot3( d, moved + 3 * i );
		most = x > most ? x : most;
		least = y < least ? y : least;
	}
	return most - least;
}

// The edge from a corner of a triangle to the next.
static void edge_of( const double c[9], int i, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = c[3 * ( ( i + 1 ) % 3 ) + k] - c[3 * i + k];
}

// The direction along which two triangles are least far from being apart, of those along which the translation `to`
// (NULL: any) takes them apart. False if there is none.
static bool best_plane( const double c[2][9], const double from[3], const double *to, plane *out ) {
	double best = INFINITY, edge[2][3][3], free_way[3] = { 0.0, 0.0, 0.0 };
	for ( int k = 0; to != NULL && k < 3; ++k )
		free_way[k] = to[k] - from[k];
	for ( int i = 0; i < 3; ++i ) {
		edge_of( c[0], i, edge[0][i] );
		edge_of( c[1], i, edge[1][i] );
	}
	for ( int axis = 0; axis < 11; ++axis ) {
		double d[3];
		if ( axis < 2 )
			dbvhi_cross3( edge[axis][0], edge[axis][1], d );
		else
			dbvhi_cross3( edge[0][( axis - 2 ) / 3], edge[1][( axis - 2 ) % 3], d );
		if ( !dbvhi_normalise3( d ) )
			continue;
		for ( int side = 0; side < 2; ++side ) {
			for ( int k = 0; k < 3; ++k )
				d[k] = -d[k];
			const double overlap = overlap_along( c[0], c[1], d );
			if ( !( overlap < best ) ||
			     ( to != NULL && dbvhi_dot3( d, free_way ) < overlap - 0x1p-20 * dbvhi_length3( free_way ) ) )
				continue;
			best = overlap;
			memcpy( out->along, d, sizeof d );
		}
	}
	out->least = dbvhi_dot3( out->along, from ) + best;
	return best < INFINITY;
}

// List pairs of triangles that intersect after a translation. A translation beyond the range of doubles has none.
static size_t list_pairs( dbvhi_freeing *f, const double shift[3], dbvh_pair list[MOST_PAIRS] ) {
	const dbvhi_mesh_pair *p = &f->pair->pair;
	dbvh_pose pose = p->pose;
	for ( int k = 0; k < 3; ++k )
		pose.pos[k] += shift[k];
	dbvh_collide_result found;
	const dbvhi_collide_options distinct = { .distinct = true, .meter = f->pair->meter };
	const dbvh_collide_query all = { .find = DBVH_FIND_ALL, .pairs = list, .pair_capacity = MOST_PAIRS };
	f->status = dbvhi_workspace_require( f->pair->workspace, p->fixed, p->moved, MOST_PAIRS );
	if ( f->status != DBVH_OK )
		return 0;
	const dbvh_status status =
	    dbvhi_collide_checked( p->fixed, NULL, p->moved, &pose, &distinct, &all, f->pair->workspace, &found );
	f->status = status == DBVH_NOT_FINITE ? DBVH_OK : status;
	if ( status != DBVH_OK || !dbvhi_meter_charge( f->pair->meter, 4 * found.pair_written ) )
		return 0;
	return found.pair_written;
}

// Add the planes of the pairs of triangles that intersect after a translation. False if there are none.
static bool add_planes_of_map( dbvhi_freeing *f, const double from[3], const double *to, planes *p ) {
	dbvh_pair list[MOST_PAIRS];
	const size_t before = p->count, found = list_pairs( f, from, list );
	for ( size_t i = 0; i < found && p->count < MOST_PLANES; ++i ) {
		const uint32_t number[2] = { list[i].a, list[i].b };
		double c[2][9];
		for ( int mesh = 0; mesh < 2; ++mesh ) {
			const dbvhi_solid *solid = &f->pair->solid[mesh];
			dbvhi_solid_image( solid, solid->placed.tree->leaf[number[mesh]], c[mesh] );
		}
		for ( int k = 0; k < 9; ++k )
			c[1][k] += from[k % 3];
		p->count += best_plane( (const double( * )[9])c, from, to, &p->at[p->count] );
	}
	return p->count > before;
}

// Find the point nearest to `goal` that is beyond all planes by `margin`: Hildreth's method, one multiplier of the
// quadratic program at a time.
static void nearest_beyond( const planes *p, const double goal[3], double margin, double x[3] ) {
	double multiplier[MOST_PLANES] = { 0.0 };
	memcpy( x, goal, 3 * sizeof *x );
	for ( int sweep = 0; sweep < SWEEPS; ++sweep ) {
		double most = 0.0;
		for ( size_t i = 0; i < p->count; ++i ) {
			const plane *q = &p->at[i];
			const double step = fmax( q->least + margin - dbvhi_dot3( q->along, x ), 0.0 - multiplier[i] );
			multiplier[i] += step;
			for ( int k = 0; k < 3; ++k )
				x[k] += step * q->along[k];
			most = fmax( most, fabs( step ) );
		}
		if ( most <= 0.25 * margin )
			return;
	}
}

bool dbvhi_freeing_project( dbvhi_freeing *f, const double from[3], const double *to, const double goal[3] ) {
	planes p;
	p.count = 0;
	double at[3] = { from[0], from[1], from[2] };
	for ( int i = 0; i < ROUNDS && f->status == DBVH_OK && add_planes_of_map( f, at, to, &p ); ++i ) {
		nearest_beyond( &p, goal, 0x1p-30 * f->pair->size, at );
		dbvhi_meter_charge( f->pair->meter, 4 * p.count );
		if ( !( dbvhi_length3( at ) < f->length ) )
			return false;
		if ( dbvhi_freeing_try( f, at ) )
			return true;
	}
	return false;
}

void dbvhi_freeing_slide( dbvhi_freeing *f ) {
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	for ( double part = 0.1; part > 0x1p-14 && f->status == DBVH_OK; ) {
		const double to[3] = { f->shift[0], f->shift[1], f->shift[2] }, before = f->length;
		const double from[3] = { ( 1.0 - part ) * to[0], ( 1.0 - part ) * to[1], ( 1.0 - part ) * to[2] };
		if ( dbvhi_freeing_try( f, from ) )
			continue;
		if ( !dbvhi_freeing_project( f, from, to, origin ) || f->length > before * ( 1.0 - 0x1p-12 ) )
			part *= 0.25;
	}
}
