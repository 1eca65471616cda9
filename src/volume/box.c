// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "volume/box.h"

#include <stdbool.h>

void dbvhi_moments_add( dbvhi_moments *moments, const double corners[9], dbvhi_vec origin ) {
	dbvhi_vec p[3], sum = { { 0 } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k )
			p[i].v[k] = corners[3 * i + k] - origin.v[k];
		sum = dbvhi_add( sum, p[i] );
	}
	const double area = 0.5 * dbvhi_length( dbvhi_cross( dbvhi_sub( p[1], p[0] ), dbvhi_sub( p[2], p[0] ) ) );
	moments->area += area;
	for ( int k = 0; k < 3; ++k )
		moments->first[k] += area / 3.0 * sum.v[k];
	// The integral of x x^T over a triangle is area / 12 * ( s s^T + sum p p^T ) with s the sum of the corners.
	const double w = area / 12.0;
	for ( int k = 0; k < 3; ++k ) {
		const int l = ( k + 1 ) % 3;
		moments->second[k] += w * ( sum.v[k] * sum.v[k] + p[0].v[k] * p[0].v[k] + p[1].v[k] * p[1].v[k] +
									p[2].v[k] * p[2].v[k] );
		moments->second[3 + k] += w * ( sum.v[k] * sum.v[l] + p[0].v[k] * p[0].v[l] + p[1].v[k] * p[1].v[l] +
										p[2].v[k] * p[2].v[l] );
	}
}

dbvhi_mat dbvhi_eigenvectors( const double symmetric[6] ) {
	double a[3][3] = { { symmetric[0], symmetric[3], symmetric[5] },
					   { symmetric[3], symmetric[1], symmetric[4] },
					   { symmetric[5], symmetric[4], symmetric[2] } };
	dbvhi_mat v = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	for ( int sweep = 0; sweep < 24; ++sweep ) {
		const double off = fabs( a[0][1] ) + fabs( a[1][2] ) + fabs( a[0][2] );
		const double diagonal = fabs( a[0][0] ) + fabs( a[1][1] ) + fabs( a[2][2] );
		if ( !( off > 0x1p-50 * diagonal ) )
			break;
		for ( int p = 0; p < 2; ++p ) {
			for ( int q = p + 1; q < 3; ++q ) {
				if ( a[p][q] == 0.0 )
					continue;
				// Golub and Van Loan, symmetric Schur decomposition: the smaller of the two angles.
				const double theta = ( a[q][q] - a[p][p] ) / ( 2.0 * a[p][q] );
				const double t = ( theta >= 0.0 ? 1.0 : -1.0 ) / ( fabs( theta ) + sqrt( 1.0 + theta * theta ) );
				const double c = 1.0 / sqrt( 1.0 + t * t ), s = t * c;
				const int r = 3 - p - q;
				const double apq = a[p][q], arp = a[r][p], arq = a[r][q];
				a[p][p] -= t * apq;
				a[q][q] += t * apq;
				a[p][q] = a[q][p] = 0.0;
				a[r][p] = a[p][r] = c * arp - s * arq;
				a[r][q] = a[q][r] = s * arp + c * arq;
				for ( int k = 0; k < 3; ++k ) {
					const double vp = v.m[k][p], vq = v.m[k][q];
					v.m[k][p] = c * vp - s * vq;
					v.m[k][q] = s * vp + c * vq;
				}
			}
		}
	}
	return v;
}

static dbvhi_mat from_columns( dbvhi_vec x, dbvhi_vec y, dbvhi_vec z ) {
	dbvhi_mat m;
	for ( int k = 0; k < 3; ++k ) {
		m.m[k][0] = x.v[k];
		m.m[k][1] = y.v[k];
		m.m[k][2] = z.v[k];
	}
	return m;
}

static double largest_entry( dbvhi_vec a ) {
	return fmax( fmax( fabs( a.v[0] ), fabs( a.v[1] ) ), fabs( a.v[2] ) );
}

// Unit length, whatever the size of the vector; false for zero.
static bool normalise( dbvhi_vec *a ) {
	const double size = largest_entry( *a );
	if ( !( size > 0.0 ) || isinf( size ) )
		return false;
	int exponent;
	frexp( size, &exponent );
	for ( int k = 0; k < 3; ++k )
		a->v[k] = ldexp( a->v[k], -exponent );
	*a = dbvhi_scale( 1.0 / dbvhi_length( *a ), *a );
	return true;
}

dbvhi_mat dbvhi_frame_from( dbvhi_vec first, dbvhi_vec second ) {
	if ( !normalise( &first ) )
		first = ( dbvhi_vec ){ { 1, 0, 0 } };
	if ( normalise( &second ) ) {
		// Twice: the first subtraction leaves a rounding error along `first` that the second removes.
		const double before = dbvhi_dot( first, second );
		second = dbvhi_sub( second, dbvhi_scale( before, first ) );
		if ( largest_entry( second ) > 0x1p-26 && normalise( &second ) ) {
			second = dbvhi_sub( second, dbvhi_scale( dbvhi_dot( first, second ), first ) );
			normalise( &second );
			return from_columns( first, second, dbvhi_cross( first, second ) );
		}
	}
	// Any direction: the coordinate axis least along `first`.
	int least = 0;
	for ( int k = 1; k < 3; ++k ) {
		if ( fabs( first.v[k] ) < fabs( first.v[least] ) )
			least = k;
	}
	second = ( dbvhi_vec ){ { 0, 0, 0 } };
	second.v[least] = 1.0;
	second = dbvhi_sub( second, dbvhi_scale( first.v[least], first ) );
	normalise( &second );
	return from_columns( first, second, dbvhi_cross( first, second ) );
}

dbvhi_box dbvhi_box_along( const dbvhi_mat *axes, dbvhi_point_set points ) {
	// Relative to a point of the set, so that a mesh far from the origin loses nothing.
	const double ox = points.x[0], oy = points.y[0], oz = points.z[0];
	double low[3] = { 0 }, high[3] = { 0 };
	for ( size_t i = 0; i < points.count; ++i ) {
		const double x = points.x[i] - ox, y = points.y[i] - oy, z = points.z[i] - oz;
		for ( int k = 0; k < 3; ++k ) {
			const double along = axes->m[0][k] * x + axes->m[1][k] * y + axes->m[2][k] * z;
			low[k] = along < low[k] ? along : low[k];
			high[k] = along > high[k] ? along : high[k];
		}
	}
	double middle[3], half[3];
	for ( int k = 0; k < 3; ++k ) {
		middle[k] = 0.5 * ( low[k] + high[k] );
		half[k] = 0.5 * ( high[k] - low[k] );
	}
	int order[3] = { 0, 1, 2 };
	for ( int i = 0; i < 2; ++i ) {
		for ( int j = 0; j < 2 - i; ++j ) {
			if ( half[order[j + 1]] < half[order[j]] ) {
				const int t = order[j];
				order[j] = order[j + 1];
				order[j + 1] = t;
			}
		}
	}
	const bool odd = ( order[1] + 3 - order[0] ) % 3 != 1; // not a cyclic permutation
	dbvhi_box box;
	for ( int k = 0; k < 3; ++k ) {
		const double sign = odd && k == 2 ? -1.0 : 1.0;
		for ( int r = 0; r < 3; ++r )
			box.axes.m[r][k] = sign * axes->m[r][order[k]];
		box.half.v[k] = half[order[k]];
	}
	const dbvhi_vec offset = dbvhi_mat_apply( axes, ( dbvhi_vec ){ { middle[0], middle[1], middle[2] } } );
	box.centre = ( dbvhi_vec ){ { ox + offset.v[0], oy + offset.v[1], oz + offset.v[2] } };
	return box;
}

double dbvhi_box_cost( const dbvhi_vec *half ) {
	const double a = half->v[0], b = half->v[1], c = half->v[2];
	// Full edges are 2a, 2b, 2c: V = 8abc, S = 8(ab + bc + ca), M = 2 pi (a + b + c).
	return 16.0 * a * b * c + 8.0 * ( a * b + b * c + c * a ) * ( a + b + c );
}

// The same box turned by an angle about its axis k, measured anew.
static dbvhi_box turned( const dbvhi_box *box, int k, double angle, dbvhi_point_set points ) {
	const int p = ( k + 1 ) % 3, q = ( k + 2 ) % 3;
	const double c = cos( angle ), s = sin( angle );
	dbvhi_mat axes = box->axes;
	for ( int r = 0; r < 3; ++r ) {
		axes.m[r][p] = c * box->axes.m[r][p] - s * box->axes.m[r][q];
		axes.m[r][q] = s * box->axes.m[r][p] + c * box->axes.m[r][q];
	}
	return dbvhi_box_along( &axes, points );
}

void dbvhi_box_refine( dbvhi_box *box, dbvhi_point_set points ) {
	double cost = dbvhi_box_cost( &box->half );
	for ( double step = 0.4; step > 0.02; step *= 0.5 ) {
		for ( int k = 0; k < 3; ++k ) {
			for ( int side = -1; side <= 1; side += 2 ) {
				// A direction that helps is gone on with, a few steps at most.
				for ( int repeat = 0; repeat < 4; ++repeat ) {
					const dbvhi_box trial = turned( box, k, side * step, points );
					const double trial_cost = dbvhi_box_cost( &trial.half );
					if ( !( trial_cost < 0.999 * cost ) )
						break;
					cost = trial_cost;
					*box = trial;
				}
			}
		}
	}
}

size_t dbvhi_extremal_points( dbvhi_point_set points, double *x, double *y, double *z ) {
	size_t count = 0;
	for ( int d = 0; d < DBVHI_EXTREMAL_POINTS / 2; ++d ) {
		// A spiral of equal areas over the half sphere.
		const double height = ( d + 0.5 ) / ( DBVHI_EXTREMAL_POINTS / 2 ), ring = sqrt( 1.0 - height * height );
		const double turn = 2.39996322972865332 * d;
		const double dx = ring * cos( turn ), dy = ring * sin( turn ), dz = height;
		size_t low = 0, high = 0;
		double lowest = INFINITY, highest = -INFINITY;
		for ( size_t i = 0; i < points.count; ++i ) {
			const double along = dx * points.x[i] + dy * points.y[i] + dz * points.z[i];
			if ( along < lowest ) {
				lowest = along;
				low = i;
			}
			if ( along > highest ) {
				highest = along;
				high = i;
			}
		}
		for ( int side = 0; side < 2; ++side ) {
			const size_t i = side == 0 ? low : high;
			x[count] = points.x[i];
			y[count] = points.y[i];
			z[count] = points.z[i];
			count += 1;
		}
	}
	return count;
}
