// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "model/placement.h"

#include <math.h>
#include <string.h>

scene_affine scene_affine_identity( void ) {
	return ( scene_affine ){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
}

scene_affine scene_affine_compose( const scene_affine *outer, const scene_affine *inner ) {
	scene_affine out;
	for ( int i = 0; i < 3; ++i ) {
		const double *r = outer->row[i];
		for ( int j = 0; j < 4; ++j )
			out.row[i][j] = r[0] * inner->row[0][j] + r[1] * inner->row[1][j] + r[2] * inner->row[2][j];
		out.row[i][3] += r[3];
	}
	return out;
}

// The inverse by the adjugate; false where there is none.
static bool invert( const double m[3][3], double out[3][3] ) {
	double cofactor[3][3];
	for ( int i = 0; i < 3; ++i ) {
		const int i1 = ( i + 1 ) % 3, i2 = ( i + 2 ) % 3;
		for ( int j = 0; j < 3; ++j ) {
			const int j1 = ( j + 1 ) % 3, j2 = ( j + 2 ) % 3;
			cofactor[i][j] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
		}
	}
	const double det = m[0][0] * cofactor[0][0] + m[0][1] * cofactor[0][1] + m[0][2] * cofactor[0][2];
	if ( det == 0.0 )
		return false;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			out[j][i] = cofactor[i][j] / det;
			if ( !isfinite( out[j][i] ) )
				return false;
		}
	}
	return true;
}

// a b, or a^T b.
static void multiply( const double a[3][3], bool transposed, const double b[3][3], double out[3][3] ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j ) {
			double sum = 0.0;
			for ( int k = 0; k < 3; ++k )
				sum += ( transposed ? a[k][i] : a[i][k] ) * b[k][j];
			out[i][j] = sum;
		}
	}
}

static double largest( const double m[3][3] ) {
	double most = 0.0;
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			most = fmax( most, fabs( m[i][j] ) );
	return most;
}

// Round to a multiple of 10^exponent. Powers of ten up to 22 are exact, so a short decimal comes back as it was
// written.
static double round_decimal( double x, int exponent ) {
	double power = 1.0;
	for ( int i = 0; i < ( exponent < 0 ? -exponent : exponent ); ++i )
		power *= 10.0;
	return exponent < 0 ? nearbyint( x * power ) / power : nearbyint( x / power ) * power;
}

// Remove the noise of the symmetric factor: entries that are negligible beside the largest become 0, diagonal entries
// that are nearly equal become equal, and all are rounded to about `digits` decimals.
static void tidy( const double s[3][3], int digits, double out[3][3] ) {
	const double most = largest( s );
	int exponent = 0;
	for ( double x = most; x >= 10.0; x /= 10.0 )
		++exponent;
	for ( double x = most; x < 1.0 && exponent > -300; x *= 10.0 )
		--exponent;
	double noise = most;
	for ( int i = 0; i < digits; ++i )
		noise /= 10.0;
	bool uniform = fabs( s[0][0] - s[1][1] ) <= noise && fabs( s[0][0] - s[2][2] ) <= noise;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j ) {
			const double x = 0.5 * ( s[i][j] + s[j][i] );
			out[i][j] = out[j][i] = i != j && fabs( x ) <= noise ? 0.0 : round_decimal( x, exponent - digits ) + 0.0;
			uniform = uniform && ( i == j || out[i][j] == 0.0 );
		}
	}
	if ( uniform )
		out[1][1] = out[2][2] = out[0][0];
}

// The rigid map that is left when `baked` is divided out of the linear part. False where it is no rotation, or does not
// reproduce the map: `baked` may be so flat that its inverse is mostly rounding.
static bool remainder_is_rigid( const double linear[3][3], const double baked[3][3], dbvh_pose *rigid ) {
	double inverse[3][3], product[3][3], deviation;
	if ( !invert( baked, inverse ) )
		return false;
	multiply( linear, false, inverse, rigid->rot );
	multiply( rigid->rot, false, baked, product );
	const double rounding = 0x1p-48 * largest( linear );
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			if ( !( fabs( product[i][j] - linear[i][j] ) <= rounding ) )
				return false;
	// Half of the tolerance, so that the pose can be composed with another one.
	return dbvh_pose_check( rigid, &deviation, NULL ) == DBVH_OK && deviation <= 0.5 * DBVH_POSE_TOLERANCE;
}

bool scene_split_affine( const double m[3][4], dbvh_pose *rigid_out, double baked_out[3][3], bool *is_rigid_out ) {
	*is_rigid_out = false;
	double linear[3][3], unused[3][3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 4; ++j ) {
			if ( !isfinite( m[i][j] ) )
				return false;
		}
		memcpy( linear[i], m[i], sizeof linear[i] );
		memcpy( rigid_out->rot[i], m[i], sizeof linear[i] );
		rigid_out->pos[i] = m[i][3];
	}
	if ( dbvh_pose_check( rigid_out, NULL, NULL ) == DBVH_OK ) {
		*is_rigid_out = true;
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 3; ++j )
				baked_out[i][j] = i == j ? 1.0 : 0.0;
		return true;
	}
	// Scale to a range in which products neither overflow nor vanish.
	const double size = largest( linear );
	if ( size == 0.0 )
		return false;
	double scaled[3][3];
	for ( int i = 0; i < 3; ++i )
		for ( int j = 0; j < 3; ++j )
			scaled[i][j] = linear[i][j] / size;
	if ( !invert( scaled, unused ) )
		return false;

	// L = R S; where L mirrors, -L does not.
	for ( int sign = 1; sign >= -1; sign -= 2 ) {
		dbvh_pose rotation = *rigid_out;
		for ( int i = 0; i < 3; ++i )
			for ( int j = 0; j < 3; ++j )
				rotation.rot[i][j] = sign * scaled[i][j];
		if ( dbvh_pose_orthonormalise( &rotation, &rotation, NULL, NULL ) != DBVH_OK )
			continue;
		double symmetric[3][3];
		multiply( rotation.rot, true, linear, symmetric );
		for ( int digits = 6; digits <= 15; digits += 3 ) {
			tidy( symmetric, digits, baked_out );
			if ( remainder_is_rigid( linear, baked_out, rigid_out ) )
				return true;
		}
	}
	memcpy( baked_out, linear, sizeof linear );
	const dbvh_pose identity = dbvh_pose_identity();
	memcpy( rigid_out->rot, identity.rot, sizeof identity.rot );
	return true;
}
