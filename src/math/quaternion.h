// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rotations as quaternions w x y z of any length but zero.

#pragma once

// Computes a quaternion of length 2 to 4 from a matrix near a rotation. Branches on the largest component, so that
// precision holds near half a turn.
static inline void dbvhi_quaternion_from_rotation( const double m[3][3], double q_out[4] ) {
	const double trace = m[0][0] + m[1][1] + m[2][2];
	if ( trace > 0.0 ) {
		q_out[0] = 1.0 + trace;
		for ( int k = 0; k < 3; ++k ) {
			const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
			q_out[1 + k] = m[k2][k1] - m[k1][k2];
		}
	} else {
		int k = m[1][1] > m[0][0] ? 1 : 0;
		k = m[2][2] > m[k][k] ? 2 : k;
		const int k1 = ( k + 1 ) % 3, k2 = ( k + 2 ) % 3;
		q_out[0] = m[k2][k1] - m[k1][k2];
		q_out[1 + k] = 1.0 + m[k][k] - m[k1][k1] - m[k2][k2];
		q_out[1 + k1] = m[k1][k] + m[k][k1];
		q_out[1 + k2] = m[k2][k] + m[k][k2];
	}
}

static inline void dbvhi_rotation_from_quaternion( const double q[4], double m_out[3][3] ) {
	const double w = q[0], x = q[1], y = q[2], z = q[3];
	const double scale = 2.0 / ( w * w + x * x + y * y + z * z );
	m_out[0][0] = 1.0 - scale * ( y * y + z * z );
	m_out[0][1] = scale * ( x * y - w * z );
	m_out[0][2] = scale * ( x * z + w * y );
	m_out[1][0] = scale * ( x * y + w * z );
	m_out[1][1] = 1.0 - scale * ( x * x + z * z );
	m_out[1][2] = scale * ( y * z - w * x );
	m_out[2][0] = scale * ( x * z - w * y );
	m_out[2][1] = scale * ( y * z + w * x );
	m_out[2][2] = 1.0 - scale * ( x * x + y * y );
}
