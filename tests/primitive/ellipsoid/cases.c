// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "cases.h"

#include <math.h>
#include <string.h>

const char *const regime_names[REGIME_COUNT] = { "round",    "flat",     "needle",         "co-aligned",
                                                 "touching", "repaired", "touching, thin", "coarse grid" };

static double dot( const double a[3], const double b[3] ) {
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise( double a[3] ) {
	const double length = sqrt( dot( a, a ) );
	for ( int k = 0; k < 3; ++k )
		a[k] /= length;
}

static void direction( rng *r, double out[3] ) {
	do {
		for ( int k = 0; k < 3; ++k )
			out[k] = rng_range( r, -1.0, 1.0 );
	} while ( dot( out, out ) > 1.0 || dot( out, out ) < 0.01 );
	normalise( out );
}

static void across( const double a[3], const double b[3], double out[3] ) {
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

static void grid_axes( rng *r, double out[3][3] ) {
	memset( out, 0, 9 * sizeof( double ) );
	const int first = (int)rng_below( r, 3 ), second = ( first + 1 + (int)rng_below( r, 2 ) ) % 3;
	const int order[3] = { first, second, 3 - first - second };
	for ( int k = 0; k < 3; ++k )
		out[k][order[k]] = rng_below( r, 2 ) == 0 ? 1.0 : -1.0;
}

void random_axes( rng *r, double out[3][3] ) {
	if ( rng_below( r, 16 ) == 0 ) {
		grid_axes( r, out );
		return;
	}
	double other[3];
	do {
		direction( r, out[0] );
		direction( r, other );
		across( out[0], other, out[1] );
	} while ( dot( out[1], out[1] ) < 1e-4 );
	normalise( out[1] );
	across( out[0], out[1], out[2] );
	normalise( out[2] );
	if ( rng_below( r, 4 ) == 0 ) {
		for ( int k = 0; k < 3; ++k )
			out[2][k] = -out[2][k];
	}
}

// Thin along `count` axes by a factor of up to `most`.
static void random_half( rng *r, int thin, double most, double out[3] ) {
	const int turn = (int)rng_below( r, 3 );
	for ( int k = 0; k < 3; ++k ) {
		out[( k + turn ) % 3] = rng_range( r, 0.2, 1.0 );
		if ( k < thin )
			out[( k + turn ) % 3] *= exp( -log( most ) * rng_unit( r ) );
	}
}

static void place( rng *r, volume_pair *p, double reach ) {
	for ( int k = 0; k < 3; ++k ) {
		p->ellipsoid.centre[k] = rng_range( r, -1.0, 1.0 );
		p->box.centre[k] = p->ellipsoid.centre[k] + rng_range( r, -reach, reach );
	}
}

// Moves the box to where a vertex, an edge or a face touches the ellipsoid, but for a gap (or depth) of 10^-3 to
// 10^-17.
static void touch( rng *r, volume_pair *p ) {
	dbvh_ellipsoid *e = &p->ellipsoid;
	dbvh_obb *b = &p->box;
	double n[3], support = 0.0;
	const int kind = (int)rng_below( r, 3 ), axis = (int)rng_below( r, 3 );
	direction( r, n );
	if ( kind == 1 ) {
		double other[3];
		across( n, b->axis[axis], other );
		memcpy( n, other, sizeof other );
		normalise( n );
	} else if ( kind == 2 ) {
		for ( int k = 0; k < 3; ++k )
			n[k] = b->axis[axis][k];
	}
	double point[3];
	memcpy( point, e->centre, sizeof point );
	for ( int k = 0; k < 3; ++k ) {
		const double along = dot( n, e->axis[k] );
		support += along * along * e->half[k] * e->half[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		const double step = e->half[k] * e->half[k] * dot( n, e->axis[k] ) / sqrt( support );
		for ( int c = 0; c < 3; ++c )
			point[c] += step * e->axis[k][c];
	}
	double gap = pow( 10.0, -rng_range( r, 3.0, 17.0 ) ) * ( rng_below( r, 2 ) == 0 ? 1.0 : -1.0 );
	for ( int c = 0; c < 3; ++c )
		b->centre[c] = point[c] + gap * n[c];
	for ( int k = 0; k < 3; ++k ) {
		// The contact is anywhere on the box's edge or face that touches.
		const int inside = ( kind == 1 && k == axis ) || ( kind == 2 && k != axis );
		const double t = inside ? rng_range( r, -1.0, 1.0 ) : dot( n, b->axis[k] ) > 0.0 ? 1.0 : -1.0;
		for ( int c = 0; c < 3; ++c )
			b->centre[c] += t * b->half[k] * b->axis[k][c];
	}
}

static void co_align( rng *r, volume_pair *p ) {
	if ( rng_below( r, 2 ) == 0 ) {
		grid_axes( r, p->ellipsoid.axis );
		grid_axes( r, p->box.axis );
	} else {
		memcpy( p->box.axis, p->ellipsoid.axis, sizeof p->box.axis );
	}
}

static volume_pair draw( rng *r, int regime ) {
	volume_pair p;
	random_axes( r, p.ellipsoid.axis );
	random_axes( r, p.box.axis );
	double reach = rng_below( r, 2 ) == 0 ? 1.2 : 2.0;
	switch ( regime ) {
	case 0: // round
		random_half( r, 0, 1.0, p.ellipsoid.half );
		random_half( r, 0, 1.0, p.box.half );
		break;
	case 1: // flat
		random_half( r, 1, 1e5, p.ellipsoid.half );
		random_half( r, 1, 1e5, p.box.half );
		break;
	case 2: // needle
		random_half( r, 2, 1e5, p.ellipsoid.half );
		random_half( r, 2, 1e5, p.box.half );
		reach = rng_below( r, 4 ) == 0 ? reach : 0.05; // else next to none meet
		break;
	case 3: // co-aligned, any shape
		random_half( r, (int)rng_below( r, 3 ), 1e3, p.ellipsoid.half );
		random_half( r, (int)rng_below( r, 3 ), 1e3, p.box.half );
		co_align( r, &p );
		break;
	case 4: // nearly touching
		random_half( r, (int)rng_below( r, 3 ), 10.0, p.ellipsoid.half );
		random_half( r, (int)rng_below( r, 3 ), 10.0, p.box.half );
		break;
	case 5: // degenerate, repaired
	case 6: // thin and nearly touching
		random_half( r, (int)rng_below( r, 3 ), regime == 5 ? 1.0 : 1e6, p.ellipsoid.half );
		random_half( r, (int)rng_below( r, 3 ), regime == 5 ? 1.0 : 1e6, p.box.half );
		if ( regime == 5 ) {
			const uint64_t flat = 1 + rng_below( r, 63 );
			for ( int k = 0; k < 3; ++k ) {
				p.ellipsoid.half[k] *= ( flat >> k & 1 ) != 0 && ( flat & 7 ) != 7 ? 0.0 : 1.0;
				p.box.half[k] *= ( flat >> ( 3 + k ) & 1 ) != 0 && ( flat >> 3 & 7 ) != 7 ? 0.0 : 1.0;
			}
		}
		dbvh_ellipsoid_repair( &p.ellipsoid, 0.0 );
		dbvh_obb_repair( &p.box, 0.0 );
		break;
	default: // eighths, along the coordinate axes: coincidences, and touching without rounding
		grid_axes( r, p.ellipsoid.axis );
		grid_axes( r, p.box.axis );
		for ( int k = 0; k < 3; ++k ) {
			p.ellipsoid.half[k] = (double)( 1 + rng_below( r, 8 ) ) / 8.0;
			p.box.half[k] = (double)( 1 + rng_below( r, 8 ) ) / 8.0;
			p.ellipsoid.centre[k] = (double)rng_below( r, 17 ) / 8.0;
			p.box.centre[k] = (double)rng_below( r, 17 ) / 8.0;
		}
		break;
	}
	if ( regime < 7 )
		place( r, &p, reach );
	return p;
}

static void bring_near( rng *r, int regime, volume_pair *p ) {
	if ( regime == 4 || regime == 6 || ( regime == 3 && rng_below( r, 2 ) == 0 ) ||
	     ( regime == 5 && rng_below( r, 4 ) == 0 ) )
		touch( r, p );
}

volume_pair random_volumes( rng *r, int regime ) {
	volume_pair p = draw( r, regime );
	bring_near( r, regime, &p );
	// Nothing depends on the unit.
	if ( rng_below( r, 8 ) == 0 ) {
		const double scale = ldexp( 1.0, (int)rng_below( r, 161 ) - 80 );
		for ( int k = 0; k < 3; ++k ) {
			p.ellipsoid.centre[k] *= scale;
			p.ellipsoid.half[k] *= scale;
			p.box.centre[k] *= scale;
			p.box.half[k] *= scale;
		}
	}
	return p;
}

dbvh_obb random_box_for( rng *r, int regime, const dbvh_ellipsoid *ellipsoid ) {
	volume_pair p = draw( r, regime );
	double longest = 0.0;
	int exponent = 0;
	for ( int k = 0; k < 3; ++k )
		longest = fmax( longest, ellipsoid->half[k] );
	frexp( longest, &exponent );
	for ( int k = 0; k < 3; ++k ) {
		p.box.centre[k] =
		    ellipsoid->centre[k] + ldexp( p.box.centre[k] - p.ellipsoid.centre[k], regime < 7 ? exponent : 0 );
		p.box.half[k] = ldexp( p.box.half[k], regime < 7 ? exponent : 0 );
	}
	p.ellipsoid = *ellipsoid;
	bring_near( r, regime, &p );
	return p.box;
}
