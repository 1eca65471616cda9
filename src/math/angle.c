// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "math/angle.h"

#include <math.h>

// A quarter of a turn, in parts of 33 bits and a rest: the product of each part with a whole number up to 2^20 is
// exact.
#define QUARTER_1 0x1.921fb544p+0
#define QUARTER_2 0x1.0b4611a6p-34
#define QUARTER_3 0x1.3198a2ep-69
#define QUARTER_4 0x1.b839a252049c1p-104
#define TURN 0x1.921fb54442d18p+2
#define TURN_REST 0x1.1a62633145c07p-52 // a turn is TURN + TURN_REST, to 2^-105

// *rest becomes what a - b rounds off (Knuth).
static double subtract( double a, double b, double *rest ) {
	const double difference = a - b, back = a - difference;
	*rest = ( a - ( difference + back ) ) + ( back - b );
	return difference;
}

// The angle without its nearest whole number of quarters, as a sum of two doubles. Returns that number modulo 4.
static int reduce( double angle, double *high, double *low ) {
	if ( fabs( angle ) > DBVHI_LARGEST_ANGLE )
		angle = fmod( angle, TURN );
	const double n = nearbyint( angle / QUARTER_1 );
	double rest_2, rest_3;
	double r = angle - n * QUARTER_1; // exact: the two are nearly equal
	r = subtract( r, n * QUARTER_2, &rest_2 );
	r = subtract( r, n * QUARTER_3, &rest_3 );
	const double rest = ( rest_2 + rest_3 ) - n * QUARTER_4;
	*high = r + rest;
	*low = ( r - *high ) + rest;
	return (int)n & 3;
}

// For |r| up to an eighth of a turn the series end where their terms are below 2^-57 of the result.
static double sine_of( double r, double low ) {
	const double z = r * r;
	double sum = 1.0 / 355687428096000.0;
	sum = sum * z - 1.0 / 1307674368000.0;
	sum = sum * z + 1.0 / 6227020800.0;
	sum = sum * z - 1.0 / 39916800.0;
	sum = sum * z + 1.0 / 362880.0;
	sum = sum * z - 1.0 / 5040.0;
	sum = sum * z + 1.0 / 120.0;
	sum = sum * z - 1.0 / 6.0;
	return r + ( r * z * sum + low * ( 1.0 - 0.5 * z ) );
}

static double cosine_of( double r, double low ) {
	const double z = r * r;
	double sum = 1.0 / 20922789888000.0;
	sum = sum * z - 1.0 / 87178291200.0;
	sum = sum * z + 1.0 / 479001600.0;
	sum = sum * z - 1.0 / 3628800.0;
	sum = sum * z + 1.0 / 40320.0;
	sum = sum * z - 1.0 / 720.0;
	sum = sum * z + 1.0 / 24.0;
	const double half = 0.5 * z, most = 1.0 - half;
	return most + ( ( ( 1.0 - most ) - half ) + ( z * z * sum - r * low ) );
}

void dbvhi_sine_cosine( double angle, double *sine, double *cosine ) {
	if ( !isfinite( angle ) ) {
		*sine = *cosine = NAN;
		return;
	}
	double r, low;
	const int quarter = reduce( angle, &r, &low );
	const double s = sine_of( r, low ), c = cosine_of( r, low );
	*sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
	*cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}

// A first guess with an error below 0.005 in the first eighth of a turn, mirrored to the others. Each of two steps then
// adds the angle whose sine is the cross product of guess and target, by the two first terms of its series: the error
// becomes less than its fifth power, and in the end that of rounding.
double dbvhi_angle_of( double sine, double cosine ) {
	const double x = fabs( cosine ), y = fabs( sine ), length = sqrt( x * x + y * y );
	const double t = x > y ? y / x : y > 0.0 ? x / y : 0.0;
	double angle = t / ( 1.0 + 0.28 * t * t );
	angle = x > y ? angle : 0.25 * TURN - angle;
	for ( int i = 0; i < 2; ++i ) {
		double s, c;
		dbvhi_sine_cosine( angle, &s, &c );
		const double off = ( y * c - x * s ) / length;
		angle += off + off * off * off * ( 1.0 / 6.0 );
	}
	angle = cosine < 0.0 ? 0.5 * TURN - angle : angle;
	return sine < 0.0 ? -angle : angle;
}

double dbvhi_without_turns( double angle ) {
	const double turns = nearbyint( angle / TURN );
	return ( angle - turns * TURN ) - turns * TURN_REST;
}

void dbvhi_rotation_about( const double axis[3], double s, double c, double rot_out[3][3] ) {
	const double rest = 1.0 - c;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		rot_out[i][i] = c + rest * axis[i] * axis[i];
		rot_out[i][j] = rest * axis[i] * axis[j] - s * axis[k];
		rot_out[j][i] = rest * axis[i] * axis[j] + s * axis[k];
	}
}
