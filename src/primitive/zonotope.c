// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/assert.h"
#include "math/vec.h"
#include "primitive/signed_distance.h"

#include <string.h>

static const double unit_axes[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };

dbvhi_body dbvhi_body_of_segment( const double from[3], const double to[3] ) {
	return ( dbvhi_body ){ .p = from, .q = to, .axis = { to }, .back = { from }, .more = { 1.0 }, .count = 1 };
}

dbvhi_body dbvhi_body_of_aabb( const dbvh_aabb *aabb ) {
	dbvhi_body out = { .p = aabb->min, .q = aabb->max, .count = 3 };
	for ( int i = 0; i < 3; ++i ) {
		out.axis[i] = unit_axes[i];
		out.more[i] = aabb->max[i];
		out.less[i] = aabb->min[i];
	}
	return out;
}

dbvhi_body dbvhi_body_of_obb( const dbvh_obb *obb ) {
	dbvhi_body out = { .p = obb->centre, .q = obb->centre, .count = 3 };
	for ( int i = 0; i < 3; ++i ) {
		out.axis[i] = obb->axis[i];
		out.more[i] = obb->half[i];
		out.less[i] = -obb->half[i];
	}
	return out;
}

static bool same_line( const double x[3], const double y[3] ) {
	return ( x[0] == y[0] && x[1] == y[1] && x[2] == y[2] ) || ( x[0] == -y[0] && x[1] == -y[1] && x[2] == -y[2] );
}

void dbvhi_zonotope_of( dbvhi_zonotope *out, const dbvhi_body *a, const dbvhi_body *b ) {
	DBVHI_ASSERT( a->count + b->count <= DBVHI_GENERATORS );
	*out = ( dbvhi_zonotope ){ .a = { a->p, a->q }, .b = { b->p, b->q } };
	for ( int i = 0; i < a->count; ++i ) {
		const double *x = a->axis[i], *y = a->back[i];
		if ( y != NULL && x[0] == y[0] && x[1] == y[1] && x[2] == y[2] )
			continue;
		out->generator[out->count++] =
		    ( dbvhi_generator ){ a->axis[i], a->back[i], { a->more[i], a->less[i] }, { 0.0, 0.0 } };
	}
	for ( int i = 0; i < b->count; ++i ) {
		int like = 0;
		while ( like < out->count &&
		        !( out->generator[like].back == NULL && same_line( out->generator[like].axis, b->axis[i] ) ) )
			like += 1;
		if ( like == out->count )
			out->generator[out->count++] = ( dbvhi_generator ){ b->axis[i], b->back[i], { 0.0, 0.0 }, { 0.0, 0.0 } };
		out->generator[like].of_b[0] = b->more[i];
		out->generator[like].of_b[1] = b->less[i];
	}
}

// ------------------------------------------------------------------------------------------------
// Nearest or deepest points: which feature, in doubles; where on it, in pairs. All is scaled, and w is between 0 and 4.

typedef struct frame {
	int count, exponent;
	dbvhi_exact_point3 centre[2], w, axis[DBVHI_GENERATORS];
	dbvhi_dd of_a[DBVHI_GENERATORS], of_b[DBVHI_GENERATORS], half[DBVHI_GENERATORS];
	// The same in doubles.
	double point[3], line[DBVHI_GENERATORS][3], width[DBVHI_GENERATORS];
} frame;

// A generator at one of its ends, -1 or 1, or anywhere, 0.
typedef struct feature {
	double square; // squared distance
	int end[DBVHI_GENERATORS];
	const double *normal; // normal of the face that holds the feature
} feature;

// The features that are about as near as the nearest, for pairs of doubles to choose from.
enum { MOST_FEATURES = 32 };
typedef struct contest {
	feature entry[MOST_FEATURES];
	int count;
	double limit; // squared distance up to which features count as nearest
} contest;

typedef struct face {
	int i, j;
	double beyond;             // height of the point over the face
	double product[3], square; // cross product of the axes, and its square
	double normal[3];          // towards the point's side
	int end[DBVHI_GENERATORS];
} face;

enum { MOST_FACES = DBVHI_GENERATORS * ( DBVHI_GENERATORS - 1 ) / 2 };

static dbvhi_dd scaled_sum( double x, double y, int exponent ) {
	return dbvhi_dd_sum( ldexp( x, exponent ), ldexp( y, exponent ) );
}

static void frame_of( frame *f, const dbvhi_zonotope *z, int exponent ) {
	f->count = z->count;
	f->exponent = exponent;
	for ( int k = 0; k < 3; ++k ) {
		f->centre[0].x[k] = scaled_sum( z->a[0][k], z->a[1][k], -exponent - 1 );
		f->centre[1].x[k] = scaled_sum( z->b[0][k], z->b[1][k], -exponent - 1 );
	}
	f->w = dbvhi_exact_point3_minus( &f->centre[0], &f->centre[1] );
	for ( int i = 0; i < z->count; ++i ) {
		const dbvhi_generator *g = &z->generator[i];
		double size = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			f->axis[i].x[k] =
			    g->back != NULL ? scaled_sum( g->axis[k], -g->back[k], -exponent ) : ( dbvhi_dd ){ g->axis[k], 0.0 };
			size = fmax( size, fabs( f->axis[i].x[k].hi ) );
		}
		int length = 0;
		if ( g->back != NULL )
			frexp( size, &length ); // the axis is made as long as one, and has the scale
		const int by = g->back != NULL ? length - 1 : -exponent - 1;
		for ( int k = 0; k < 3; ++k ) {
			f->axis[i].x[k].hi = ldexp( f->axis[i].x[k].hi, -length );
			f->axis[i].x[k].lo = ldexp( f->axis[i].x[k].lo, -length );
			f->line[i][k] = f->axis[i].x[k].hi;
		}
		f->of_a[i] = scaled_sum( g->of_a[0], -g->of_a[1], by );
		f->of_b[i] = scaled_sum( g->of_b[0], -g->of_b[1], by );
		f->half[i] = dbvhi_dd_add( f->of_a[i], f->of_b[i] );
		f->width[i] = f->half[i].hi;
	}
	for ( int k = 0; k < 3; ++k )
		f->point[k] = f->w.x[k].hi;
}

// Fills in what axes i and j make; returns false where they are parallel.
static bool face_of( const frame *f, int i, int j, face *out ) {
	DBVHI_ASSERT( i < j && j < DBVHI_GENERATORS );
	const dbvhi_exact_point3 n = dbvhi_exact_point3_cross( &f->axis[i], &f->axis[j] );
	const double square = n.x[0].hi * n.x[0].hi + n.x[1].hi * n.x[1].hi + n.x[2].hi * n.x[2].hi;
	if ( !( square > 0x1p-96 ) )
		return false;
	const double length = sqrt( square );
	dbvhi_dd over = dbvhi_exact_point3_dot( &n, &f->w );
	const int side = over.hi < 0.0 ? -1 : 1;
	if ( side < 0 )
		over = dbvhi_dd_negate( over );
	*out = ( face ){ .i = i, .j = j, .square = square };
	for ( int k = 0; k < f->count; ++k ) {
		if ( k == i || k == j )
			continue;
		dbvhi_dd way = dbvhi_exact_point3_dot( &n, &f->axis[k] );
		// Nearly in the plane of the face: either end may be on it.
		out->end[k] = fabs( way.hi ) <= 0x1p-46 * length ? 0 : way.hi < 0.0 ? -side : side;
		if ( way.hi < 0.0 )
			way = dbvhi_dd_negate( way );
		over = dbvhi_dd_sub( over, dbvhi_dd_mul( way, f->half[k] ) );
	}
	out->beyond = over.hi / length;
	for ( int k = 0; k < 3; ++k ) {
		out->product[k] = n.x[k].hi;
		out->normal[k] = n.x[k].hi / length * side;
	}
	return true;
}

// a x b . c
static double triple( const double a[3], const double b[3], const double c[3] ) {
	return ( a[1] * b[2] - a[2] * b[1] ) * c[0] + ( a[2] * b[0] - a[0] * b[2] ) * c[1] +
	       ( a[0] * b[1] - a[1] * b[0] ) * c[2];
}

static bool is_same( const feature *x, const feature *y ) {
	return memcmp( x->end, y->end, sizeof x->end ) == 0;
}

static void offer_feature( contest *all, const double rest[3], const face *at, const int end[DBVHI_GENERATORS],
                           int end_i, int end_j ) {
	feature next = { .square = dbvhi_dot3( rest, rest ), .normal = at->normal };
	if ( !( next.square <= all->limit ) )
		return;
	memcpy( next.end, end, sizeof next.end );
	next.end[at->i] = end_i;
	next.end[at->j] = end_j;
	const double slack = sqrt( next.square ) + 0x1p-46, limit = slack * slack;
	int keep = 0, farthest = 0;
	if ( limit < all->limit ) {
		all->limit = limit;
		for ( int i = 0; i < all->count; ++i ) {
			if ( all->entry[i].square <= limit )
				all->entry[keep++] = all->entry[i];
		}
		all->count = keep;
	}
	for ( int i = 0; i < all->count; ++i ) {
		if ( is_same( &all->entry[i], &next ) )
			return;
		farthest = all->entry[i].square > all->entry[farthest].square ? i : farthest;
	}
	if ( all->count < MOST_FEATURES )
		all->entry[all->count++] = next;
	else if ( next.square < all->entry[farthest].square )
		all->entry[farthest] = next;
}

static void step( const double from[3], double t, const double d[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = from[k] - t * d[k];
}

// The parallelogram whose other generators are at `end`.
static void search_face( const frame *f, const face *at, const int end[DBVHI_GENERATORS], contest *all ) {
	double m[3], rest[3];
	memcpy( m, f->point, sizeof m );
	for ( int k = 0; k < f->count; ++k ) {
		if ( k != at->i && k != at->j )
			step( m, end[k] * f->width[k], f->line[k], m );
	}
	const double *p = f->line[at->i], *q = f->line[at->j];
	const double hp = f->width[at->i], hq = f->width[at->j], pp = dbvhi_dot3( p, p ), qq = dbvhi_dot3( q, q );
	// Nearly parallel axes may give an x far off; the y that is best for this x makes up for that.
	const double x = triple( m, q, at->product ) / at->square;
	step( m, x, p, rest );
	const double y = dbvhi_dot3( rest, q ) / qq;
	if ( fabs( x ) <= hp && fabs( y ) <= hq ) {
		step( rest, y, q, rest );
		offer_feature( all, rest, at, end, 0, 0 );
	}
	for ( int edge = 0; edge < 4; ++edge ) {
		const bool is_p = ( edge & 1 ) != 0; // the one that is at an end
		const int side = ( edge & 2 ) != 0 ? 1 : -1;
		step( m, side * ( is_p ? hp : hq ), is_p ? p : q, rest );
		const double h = is_p ? hq : hp, along = is_p ? dbvhi_dot3( rest, q ) / qq : dbvhi_dot3( rest, p ) / pp;
		const int other = along >= h ? 1 : along <= -h ? -1 : 0;
		step( rest, other == 0 ? along : other * h, is_p ? q : p, rest );
		offer_feature( all, rest, at, end, is_p ? side : other, is_p ? other : side );
	}
}

static void search_faces( const frame *f, const face *at, contest *all ) {
	int open[DBVHI_GENERATORS], opens = 0, end[DBVHI_GENERATORS];
	memcpy( end, at->end, sizeof end );
	for ( int k = 0; k < f->count; ++k ) {
		if ( k != at->i && k != at->j && end[k] == 0 )
			open[opens++] = k;
	}
	for ( int pattern = 0; pattern < 1 << opens; ++pattern ) {
		for ( int o = 0; o < opens; ++o )
			end[open[o]] = ( pattern >> o & 1 ) != 0 ? 1 : -1;
		search_face( f, at, end, all );
	}
}

static dbvhi_dd share_of( dbvhi_dd x, dbvhi_dd half ) {
	const dbvhi_dd t = half.hi > 0.0 ? dbvhi_dd_div( x, half ) : ( dbvhi_dd ){ 0.0, 0.0 };
	if ( t.hi >= 1.0 || t.hi <= -1.0 )
		return ( dbvhi_dd ){ t.hi > 0.0 ? 1.0 : -1.0, 0.0 };
	return t.hi == t.hi ? t : ( dbvhi_dd ){ 0.0, 0.0 };
}

// Locates the nearest point on the feature, in units of half widths; returns its squared distance.
static dbvhi_dd locate( const frame *f, const feature *at, dbvhi_dd t[DBVHI_GENERATORS] ) {
	dbvhi_exact_point3 m = f->w;
	int open[2] = { 0, 0 }, opens = 0;
	for ( int k = 0; k < DBVHI_GENERATORS; ++k )
		t[k] = ( dbvhi_dd ){ 0.0, 0.0 };
	for ( int k = 0; k < f->count; ++k ) {
		t[k].hi = at->end[k];
		if ( at->end[k] == 0 )
			open[opens++] = k;
		else
			m = dbvhi_exact_point3_along( &m, at->end[k] > 0 ? dbvhi_dd_negate( f->half[k] ) : f->half[k],
			                              &f->axis[k] );
	}
	for ( int i = 0; i < opens; ++i ) {
		const dbvhi_exact_point3 *p = &f->axis[open[i]], *q = &f->axis[open[1]];
		dbvhi_dd x = dbvhi_dd_div( dbvhi_exact_point3_dot( &m, p ), dbvhi_exact_point3_dot( p, p ) );
		if ( i + 1 < opens ) {
			const dbvhi_exact_point3 n = dbvhi_exact_point3_cross( p, q ), c = dbvhi_exact_point3_cross( &m, q );
			x = dbvhi_dd_div( dbvhi_exact_point3_dot( &c, &n ), dbvhi_exact_point3_dot( &n, &n ) );
		}
		t[open[i]] = share_of( x, f->half[open[i]] );
		m = dbvhi_exact_point3_along( &m, dbvhi_dd_negate( dbvhi_dd_mul( t[open[i]], f->half[open[i]] ) ), p );
	}
	return dbvhi_exact_point3_dot( &m, &m );
}

// The points, as they are in both bodies, and as the fallback the normal, from a to b, of the face that w is farthest
// beyond, or least under. Returns how far beyond.
static double search( dbvhi_zonotope *z, bool inside, int exponent, dbvhi_near_points *points ) {
	frame f;
	face faces[MOST_FACES];
	int count = 0, most = 0;
	faces[0].beyond = 0.0; // a box has axes that are not parallel
	frame_of( &f, z, exponent );
	for ( int i = 0; i < f.count; ++i ) {
		for ( int j = i + 1; j < f.count; ++j ) {
			if ( !face_of( &f, i, j, &faces[count] ) )
				continue;
			most = faces[count].beyond > faces[most].beyond ? count : most;
			count += 1;
		}
	}
	contest all = { .limit = INFINITY };
	const double least = inside ? faces[most].beyond - 0x1p-46 : -0x1p-46;
	for ( int i = 0; i < count; ++i ) {
		const double beyond = faces[i].beyond;
		if ( beyond >= least && ( beyond < 0.0 || beyond * beyond * 0.99 <= all.limit ) )
			search_faces( &f, &faces[i], &all );
	}
	const double *normal = faces[most].normal;
	dbvhi_dd nearest = { INFINITY, 0.0 };
	for ( int i = 0; i < all.count; ++i ) {
		dbvhi_dd t[DBVHI_GENERATORS];
		const dbvhi_dd square = locate( &f, &all.entry[i], t );
		if ( square.hi > nearest.hi || ( square.hi == nearest.hi && square.lo >= nearest.lo ) )
			continue;
		nearest = square;
		memcpy( z->t, t, sizeof t );
		// Several faces may be equally near: take the normal of the one that holds the points.
		if ( inside )
			normal = all.entry[i].normal;
	}
	z->has_point = true;
	points->a = f.centre[0];
	points->b = f.centre[1];
	for ( int i = 0; i < f.count; ++i ) {
		points->a =
		    dbvhi_exact_point3_along( &points->a, dbvhi_dd_negate( dbvhi_dd_mul( z->t[i], f.of_a[i] ) ), &f.axis[i] );
		points->b = dbvhi_exact_point3_along( &points->b, dbvhi_dd_mul( z->t[i], f.of_b[i] ), &f.axis[i] );
	}
	for ( int k = 0; k < 3; ++k )
		points->fallback[k] = -normal[k];
	return faces[most].beyond;
}

static int compare_zonotope( const void *context, const dbvhi_sum *sum ) {
	return dbvhi_zonotope_compared( context, sum );
}

static int compare_zonotope_depth( const void *context, const dbvhi_sum *sum ) {
	return dbvhi_zonotope_depth_compared( context, sum );
}

void dbvhi_bodies_gap( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent,
                       dbvh_signed_distance *signed_distance_out ) {
	DBVHI_ASSERT( radius >= 0.0 );
	dbvhi_zonotope z;
	dbvhi_near_points points;
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	dbvhi_zonotope_of( &z, a, b );
	const bool inside = dbvhi_zonotope_compared( &z, &zero ) <= 0;
	const double beyond = search( &z, inside, exponent, &points );
	if ( inside )
		dbvhi_gap_inside( compare_zonotope_depth, &z, radius, &points, -beyond, exponent, signed_distance_out );
	else
		dbvhi_gap_of( compare_zonotope, &z, radius, 0.0, &points, exponent, signed_distance_out );
}

double dbvhi_zonotope_nearest( dbvhi_zonotope *z, int exponent, dbvhi_near_points *points ) {
	search( z, false, exponent, points );
	return dbvhi_exact_point3_distance( &points->a, &points->b );
}

double dbvhi_bodies_distance( const dbvhi_body *a, const dbvhi_body *b, double radius, int exponent ) {
	DBVHI_ASSERT( radius >= 0.0 );
	dbvhi_zonotope z;
	dbvhi_near_points points;
	const dbvhi_sum zero = dbvhi_sum1( 0.0 );
	dbvhi_zonotope_of( &z, a, b );
	if ( dbvhi_zonotope_compared( &z, &zero ) <= 0 )
		return 0.0;
	const double length = dbvhi_zonotope_nearest( &z, exponent, &points );
	return dbvhi_distance_of( compare_zonotope, &z, radius, 0.0,
	                          ldexp( length - ldexp( radius, -exponent ), exponent ) );
}

dbvhi_exact_point3 dbvhi_body_corner( const dbvhi_body *body, int pattern, int exponent ) {
	DBVHI_ASSERT( pattern >= 0 && pattern < 1 << body->count );
	dbvhi_exact_point3 out;
	for ( int k = 0; k < 3; ++k ) {
		out.x[k] = scaled_sum( body->p[k], body->q[k], -exponent - 1 );
		for ( int i = 0; i < body->count; ++i ) {
			const dbvhi_dd half = scaled_sum( body->more[i], -body->less[i], -exponent - 1 );
			const dbvhi_dd part = dbvhi_dd_mul( half, ( dbvhi_dd ){ body->axis[i][k], 0.0 } );
			out.x[k] = ( pattern >> i & 1 ) != 0 ? dbvhi_dd_add( out.x[k], part ) : dbvhi_dd_sub( out.x[k], part );
		}
	}
	return out;
}
