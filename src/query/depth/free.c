// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Directions are ranked by the width of both convex hulls along them: to move one by that much frees it. The best is
// turned until no small turn lowers the width; then shorter lengths and turned directions are tried by the exact
// decision.

#include "query/depth/free.h"

#include "base/alloc.h"
#include "base/assert.h"

#include <math.h>
#include <string.h>

#define MOST_WAYS 160  // directions that are ranked
#define TRIED_WAYS 64  // the best of them that are tried
#define LARGEST 24     // triangles of each mesh whose normals are among them
#define COARSE_STEPS 8 // halvings of the length along a direction that is new
#define FINE_STEPS 26  // and along the last one

typedef struct way {
	double d[3]; // length 1
	double width;
} way;

static double *place_points( const dbvhi_solid *solid, const dbvh_allocator *allocator ) {
	const dbvhi_topology *t = solid->placed.tree->topology;
	double *out = dbvhi_alloc( allocator, t->point_count, 3 * sizeof( double ) );
	if ( out == NULL )
		return NULL;
	memcpy( out, t->position, t->point_count * 3 * sizeof( double ) );
	const dbvh_pose *pose = solid->placed.pose;
	for ( size_t i = 0; pose != NULL && i < t->point_count; ++i ) {
		const double *x = t->position + 3 * i;
		for ( size_t k = 0; k < 3; ++k )
			out[3 * i + k] = dbvhi_dot3( pose->rot[k], x ) + pose->pos[k];
	}
	return out;
}

dbvh_status dbvhi_freeing_begin( dbvhi_freeing *f, const dbvhi_solid_pair *pair, bool strict ) {
	*f = ( dbvhi_freeing ){ .pair = pair, .strict = strict, .length = INFINITY, .pose = pair->pair.pose };
	for ( int mesh = 0; mesh < 2; ++mesh )
		f->point[mesh] = place_points( &pair->solid[mesh], &pair->workspace->allocator );
	return f->point[0] != NULL && f->point[1] != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

void dbvhi_freeing_end( dbvhi_freeing *f ) {
	for ( int mesh = 0; mesh < 2; ++mesh )
		dbvhi_free( &f->pair->workspace->allocator, f->point[mesh],
		            f->pair->solid[mesh].placed.tree->topology->point_count, 3 * sizeof( double ) );
}

bool dbvhi_freeing_try( dbvhi_freeing *f, const double shift[3] ) {
	double real[3];
	f->trial = ( dbvhi_trial ){ .common = false };
	for ( int k = 0; k < 3; ++k )
		real[k] = ( f->pair->pair.pose.pos[k] + shift[k] ) - f->pair->pair.pose.pos[k];
	// note: the difference of two doubles is off by half a unit in its last place, which the rounding up covers.
	const double length = dbvhi_length3_up( real );
	if ( !( length < f->length ) || f->status != DBVH_OK )
		return false;
	const dbvh_status status = dbvhi_solid_pair_try( f->pair, shift, &f->trial );
	if ( status != DBVH_OK ) {
		// note: a pose beyond the range of doubles frees nothing; any other error ends the search.
		if ( status != DBVH_NOT_FINITE )
			f->status = status;
		return false;
	}
	if ( f->trial.common || ( f->strict && f->trial.touching ) )
		return false;
	f->length = length;
	memcpy( f->shift, real, sizeof real );
	f->pose = f->trial.pose;
	return true;
}

static bool try_along( dbvhi_freeing *f, const double d[3], double length ) {
	const double shift[3] = { length * d[0], length * d[1], length * d[2] };
	return dbvhi_freeing_try( f, shift );
}

bool dbvhi_freeing_try_hull( dbvhi_freeing *f, const double d[3], double length ) {
	double more = 0x1p-46 * length;
	for ( int i = 0; i < 32; ++i ) {
		if ( try_along( f, d, length + more ) )
			return true;
		if ( f->status != DBVH_OK || !( length + more < f->length ) )
			return false;
		more *= 2.0;
	}
	return false;
}

// The width of both hulls along a direction: how far the moved one is to be moved.
static double width_of( const dbvhi_freeing *f, const double d[3] ) {
	double most = -INFINITY, least = INFINITY;
	const size_t fixed = f->pair->pair.fixed->topology->point_count, moved = f->pair->pair.moved->topology->point_count;
	for ( size_t i = 0; i < fixed; ++i )
		most = fmax( most, dbvhi_dot3( d, f->point[0] + 3 * i ) );
	for ( size_t i = 0; i < moved; ++i )
		least = fmin( least, dbvhi_dot3( d, f->point[1] + 3 * i ) );
	dbvhi_meter_charge( f->pair->meter, 1 + ( fixed + moved ) / 16 );
	return most - least;
}

static void add_way( const dbvhi_freeing *f, way *list, size_t *count, const double d[3] ) {
	way w = { { d[0], d[1], d[2] }, 0.0 };
	if ( *count == MOST_WAYS || !dbvhi_normalise3( w.d ) )
		return;
	for ( size_t i = 0; i < *count; ++i ) {
		if ( dbvhi_dot3( list[i].d, w.d ) > 1.0 - 1e-9 )
			return;
	}
	w.width = width_of( f, w.d );
	list[( *count )++] = w;
}

static void add_both( const dbvhi_freeing *f, way *list, size_t *count, const double d[3] ) {
	const double back[3] = { -d[0], -d[1], -d[2] };
	add_way( f, list, count, d );
	add_way( f, list, count, back );
}

// Add the normals of the largest triangles of a mesh, those that differ.
static void add_normals( const dbvhi_freeing *f, const dbvhi_solid *solid, way *list, size_t *count ) {
	const dbvh_tree *tree = solid->placed.tree;
	struct {
		double area, normal[3];
	} best[LARGEST];
	int found = 0;
	for ( uint32_t i = 0; i < tree->triangle_count; ++i ) {
		if ( i % 1024 == 1023 && !dbvhi_meter_charge( solid->meter, 512 ) )
			return;
		double c[9], ab[3], ac[3], n[3];
		dbvhi_solid_image( solid, i, c );
		for ( int k = 0; k < 3; ++k ) {
			ab[k] = c[3 + k] - c[k];
			ac[k] = c[6 + k] - c[k];
		}
		dbvhi_cross3( ab, ac, n );
		const double area = dbvhi_length3( n );
		if ( !dbvhi_normalise3( n ) || ( found == LARGEST && area <= best[LARGEST - 1].area ) )
			continue;
		int at = 0;
		while ( at < found && fabs( dbvhi_dot3( best[at].normal, n ) ) < 1.0 - 1e-9 )
			at += 1;
		if ( at == found ) {
			at = found < LARGEST ? found : LARGEST - 1;
			found = at + 1;
		} else if ( area <= best[at].area ) {
			continue;
		}
		for ( ; at > 0 && best[at - 1].area < area; --at )
			best[at] = best[at - 1];
		best[at].area = area;
		memcpy( best[at].normal, n, sizeof n );
	}
	for ( int i = 0; i < found; ++i )
		add_both( f, list, count, best[i].normal );
}

// Two unit vectors at right angles to a direction and to each other.
static void make_across( const double d[3], double across[2][3] ) {
	int least = 0;
	for ( int k = 1; k < 3; ++k )
		least = fabs( d[k] ) < fabs( d[least] ) ? k : least;
	for ( int k = 0; k < 3; ++k )
		across[0][k] = ( k == least ? 1.0 : 0.0 ) - d[least] * d[k];
	dbvhi_normalise3( across[0] );
	dbvhi_cross3( d, across[0], across[1] );
}

// A direction turned by about `angle` towards one of six sides; false if it cannot be normalised.
static bool turn( const double d[3], double angle, int side, double out[3] ) {
	static const double hexagon[6][2] = { { 1.0, 0.0 },  { 0.5, 0.866 },   { -0.5, 0.866 },
	                                      { -1.0, 0.0 }, { -0.5, -0.866 }, { 0.5, -0.866 } };
	double across[2][3];
	make_across( d, across );
	for ( int k = 0; k < 3; ++k )
		out[k] = d[k] + angle * ( hexagon[side][0] * across[0][k] + hexagon[side][1] * across[1][k] );
	return dbvhi_normalise3( out );
}

// Turn a direction while that lowers the width of the hulls.
static void lower_width( const dbvhi_freeing *f, way *w ) {
	for ( double angle = 0.25; angle > 0x1p-14; ) {
		bool better = false;
		for ( int side = 0; side < 6 && !better; ++side ) {
			way turned;
			if ( !turn( w->d, angle, side, turned.d ) )
				continue;
			turned.width = width_of( f, turned.d );
			better = turned.width < w->width;
			*w = better ? turned : *w;
		}
		angle *= better ? 1.0 : 0.5;
	}
}

// Halve the length of the best shift along its direction, down to where it frees no more.
static void shorten( dbvhi_freeing *f, double at_least, int steps ) {
	double d[3] = { f->shift[0], f->shift[1], f->shift[2] };
	if ( !dbvhi_normalise3( d ) )
		return;
	double low = at_least;
	for ( int i = 0; i < steps && f->status == DBVH_OK && low < f->length; ++i ) {
		const double middle = low + 0.5 * ( f->length - low );
		if ( !try_along( f, d, middle ) )
			low = middle;
	}
}

void dbvhi_freeing_descend( dbvhi_freeing *f, double at_least ) {
	if ( !isfinite( f->length ) )
		return;
	dbvhi_freeing_slide( f );
	shorten( f, at_least, COARSE_STEPS );
	for ( double angle = 0.5; angle > 0x1p-10 && f->status == DBVH_OK; ) {
		bool better = false;
		double d[3] = { f->shift[0], f->shift[1], f->shift[2] };
		if ( !dbvhi_normalise3( d ) )
			return;
		// note: about a smooth minimum, as that over a face, a turn by an angle a gains at most a^2 / 2 of the length.
		const double gain = fmax( angle * angle / 16.0, 0x1p-12 );
		for ( int side = 0; side < 6 && !better; ++side ) {
			double turned[3];
			better = turn( d, angle, side, turned ) && try_along( f, turned, f->length * ( 1.0 - gain ) );
		}
		if ( better )
			shorten( f, fmax( at_least, f->length * ( 1.0 - angle ) ), COARSE_STEPS / 2 );
		else
			angle *= 0.5;
	}
	shorten( f, fmax( at_least, f->length * ( 1.0 - 0x1p-7 ) ), FINE_STEPS );
}

void dbvhi_freeing_search( dbvhi_freeing *f ) {
	way list[MOST_WAYS];
	size_t count = 0;
	for ( int mesh = 0; mesh < 2; ++mesh ) {
		const dbvhi_solid *solid = &f->pair->solid[mesh];
		const dbvh_tree_stats stats = dbvh_tree_get_stats( solid->placed.tree );
		for ( int axis = 0; axis < 3; ++axis ) {
			double d[3];
			for ( int k = 0; k < 3; ++k )
				d[k] =
				    mesh == 0 ? stats.box.axis[axis][k] : dbvhi_dot3( f->pair->pair.pose.rot[k], stats.box.axis[axis] );
			add_both( f, list, &count, d );
		}
		add_normals( f, solid, list, &count );
	}
	for ( int i = 0; i < 27; ++i ) {
		const double d[3] = { i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0 };
		add_way( f, list, &count, d );
	}
	// Sort by width. note: the sort is stable, so the result is the same everywhere.
	for ( size_t i = 1; i < count; ++i ) {
		const way moving = list[i];
		size_t k = i;
		for ( ; k > 0 && list[k - 1].width > moving.width; --k )
			list[k] = list[k - 1];
		list[k] = moving;
	}
	for ( size_t i = 0; i < count && i < 3; ++i ) {
		way best = list[i];
		lower_width( f, &best );
		dbvhi_freeing_try_hull( f, best.d, best.width );
	}
	dbvhi_freeing_descend( f, 0.0 );
	for ( size_t i = 0; i < count && i < TRIED_WAYS && f->status == DBVH_OK; ++i ) {
		if ( try_along( f, list[i].d, f->length * 0.95 ) || try_along( f, list[i].d, f->length * 0.5 ) )
			dbvhi_freeing_descend( f, 0.0 );
	}
}
