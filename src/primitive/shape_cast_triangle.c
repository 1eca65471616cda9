// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A sphere in motion and a triangle. Times of contact are an interval, so with one time at which the sphere is in it
// for certain, any other is before, in or after it by whether it intersects there. Where no such time is known, a time
// is before the first contact exactly if the capsule that the sphere sweeps until then does not intersect the triangle.

#include "math/vec.h"
#include "primitive/cast.h"
#include "primitive/core.h"
#include "primitive/round.h"

typedef struct question {
	dbvhi_path path;
	const dbvh_triangle *triangle;
	dbvhi_sum radius;
	double amid; // a time at which the sphere is nearer than its radius; NaN where none is known
} question;

static int between( const question *q, double begin, double end ) {
	dbvhi_path part = q->path;
	part.begin = begin;
	part.end = end;
	return dbvhi_path_triangle_compared( &part, q->triangle, &q->radius );
}

// Is t at most the first time of contact? If a capsule around the path only touches the triangle at its end, contact
// begins there if a longer path would go deeper. Otherwise the shapes touch for a while, or once only, and contact
// began earlier, or is taken to have done so.
static int until( const void *context, double t ) {
	const question *q = context;
	// With a nearer time to come, a distance of the radius is one that shrinks.
	if ( !isnan( q->amid ) )
		return t < q->amid && dbvhi_place_triangle_compared( &q->path, t, q->triangle, &q->radius ) >= 0;
	const int side = between( q, 0.0, t );
	return side > 0 || ( side == 0 && between( q, 0.0, nextafter( t, 2.0 ) ) < 0 );
}

static int since( const void *context, double t ) {
	const question *q = context;
	if ( !isnan( q->amid ) )
		return t > q->amid && dbvhi_place_triangle_compared( &q->path, t, q->triangle, &q->radius ) >= 0;
	const int side = between( q, t, 1.0 );
	return side > 0 || ( side == 0 && t > 0.0 && between( q, nextafter( t, -1.0 ), 1.0 ) < 0 );
}

// ------------------------------------------------------------------------------------------------
// Guesses in doubles: the first and the last of the times of the corners, of the edges, and of the face.

typedef struct guess {
	double first, last;
} guess;

static void accept( guess *g, double t, bool is_first ) {
	if ( !( t >= 0.0 && t <= 1.0 ) )
		return;
	if ( is_first )
		g->first = t < g->first ? t : g->first;
	else
		g->last = t > g->last ? t : g->last;
}

// The times at which the component of the way across `edge` is the radius; `edge` NULL: the whole way.
static bool tube_times( const double from[3], const double step[3], const double edge[3], double radius,
                        double time[2] ) {
	dbvhi_dd w[3], d[3];
	double ww[3] = { 0 }, dd[3] = { 0 }, size = 0.0;
	if ( edge != NULL ) {
		const double ee = dbvhi_dot3( edge, edge );
		if ( !( ee > 0.0 ) )
			return false;
		for ( int k = 0; k < 3; ++k ) {
			ww[k] = from[k] - dbvhi_dot3( from, edge ) / ee * edge[k];
			dd[k] = step[k] - dbvhi_dot3( step, edge ) / ee * edge[k];
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		w[k] = ( dbvhi_dd ){ edge != NULL ? ww[k] : from[k], 0.0 };
		d[k] = ( dbvhi_dd ){ edge != NULL ? dd[k] : step[k], 0.0 };
		size = fmax( size, fabs( d[k].hi ) );
	}
	if ( !( size > 0.0 ) )
		return false;
	dbvhi_ball_times( w, d, radius, &time[0], &time[1] );
	return true;
}

static guess guess_of( const question *q ) {
	guess g = { 1.0, 0.0 };
	// Scaled, so that nothing overflows or underflows that matters.
	double largest = q->radius.term[0];
	for ( int k = 0; k < 3; ++k ) {
		largest = fmax( largest, fmax( fabs( q->path.from[k] ), fabs( q->path.ahead[k] ) ) );
		largest = fmax( largest, fabs( q->path.behind[k] ) );
		for ( int i = 0; i < 3; ++i )
			largest = fmax( largest, fabs( q->triangle->corner[i][k] ) );
	}
	int exponent;
	frexp( largest, &exponent );
	const double radius = ldexp( q->radius.term[0], -exponent );
	double step[3], from[3][3], edge[3][3], normal[3], time[2];
	for ( int k = 0; k < 3; ++k ) {
		step[k] = ldexp( q->path.ahead[k], -exponent ) - ldexp( q->path.behind[k], -exponent );
		for ( int i = 0; i < 3; ++i ) {
			const double corner = ldexp( q->triangle->corner[i][k], -exponent );
			from[i][k] = ldexp( q->path.from[k], -exponent ) - corner;
			edge[i][k] = ldexp( q->triangle->corner[( i + 1 ) % 3][k], -exponent ) - corner;
		}
	}
	dbvhi_cross3( edge[0], edge[1], normal );
	for ( int i = 0; i < 3; ++i ) {
		if ( tube_times( from[i], step, NULL, radius, time ) ) {
			accept( &g, time[0], true );
			accept( &g, time[1], false );
		}
		if ( !tube_times( from[i], step, edge[i], radius, time ) )
			continue;
		for ( int end = 0; end < 2; ++end ) {
			const double at = dbvhi_dot3( from[i], edge[i] ) + time[end] * dbvhi_dot3( step, edge[i] );
			if ( at >= 0.0 && at <= dbvhi_dot3( edge[i], edge[i] ) )
				accept( &g, time[end], end == 0 );
		}
	}
	const double height = dbvhi_dot3( normal, from[0] ), speed = dbvhi_dot3( normal, step );
	const double reach = radius * sqrt( dbvhi_dot3( normal, normal ) );
	if ( speed == 0.0 )
		return g;
	for ( int end = 0; end < 2; ++end ) {
		const double side = ( speed < 0.0 ) == ( end == 0 ) ? reach : -reach;
		const double t = ( side - height ) / speed;
		bool inside = true;
		for ( int i = 0; i < 3; ++i ) {
			double at[3], c[3];
			for ( int k = 0; k < 3; ++k )
				at[k] = from[i][k] + t * step[k];
			dbvhi_cross3( edge[i], at, c );
			inside = inside && dbvhi_dot3( c, normal ) >= 0.0;
		}
		if ( inside )
			accept( &g, t, end == 0 );
	}
	return g;
}

DBVHI_CAST( sphere_triangle, sphere, triangle ) {
	question q = { dbvhi_path_of_cast( a->centre, by_a, by_b ), b, dbvhi_sum1( a->radius ), NAN };
	if ( between( &q, 0.0, 1.0 ) > 0 )
		return;
	out->intersects = true;
	out->at_start = dbvhi_point_triangle_compared( a->centre, b, &q.radius ) <= 0;
	out->at_end = between( &q, 1.0, 1.0 ) <= 0;
	out->exit = 1.0;
	if ( out->at_start && out->at_end )
		return;
	const guess g = guess_of( &q );
	const double amid = out->at_start ? 0.0 : out->at_end ? 1.0 : 0.5 * ( g.first + g.last );
	if ( dbvhi_place_triangle_compared( &q.path, amid, b, &q.radius ) < 0 )
		q.amid = amid;
	if ( !out->at_start )
		out->enter = dbvhi_round_down( until, &q, g.first, 0.0, 1.0 );
	if ( !out->at_end )
		out->exit = dbvhi_round_up( since, &q, g.last, 0.0, 1.0 );
}
