// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "inputs.h"

#include <string.h>

uint64_t input_u64( input_rng *r ) {
	uint64_t x = ( r->state += UINT64_C( 0x9e3779b97f4a7c15 ) );
	x = ( x ^ ( x >> 30 ) ) * UINT64_C( 0xbf58476d1ce4e5b9 );
	x = ( x ^ ( x >> 27 ) ) * UINT64_C( 0x94d049bb133111eb );
	return x ^ ( x >> 31 );
}

int64_t input_between( input_rng *r, int64_t low, int64_t high ) {
	return low + (int64_t)( input_u64( r ) % (uint64_t)( high - low + 1 ) );
}

double input_number( input_rng *r, int64_t size, int64_t parts ) {
	return (double)input_between( r, -size * parts, size * parts ) / (double)parts;
}

void input_point( input_rng *r, int64_t size, int64_t parts, double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = input_number( r, size, parts );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static uint32_t add_vertex( input_mesh *m, double x, double y, double z ) {
	double *const p = m->positions[m->vertex_count];
	p[0] = x, p[1] = y, p[2] = z;
	return (uint32_t)m->vertex_count++;
}

static void add_triangle( input_mesh *m, uint32_t a, uint32_t b, uint32_t c ) {
	uint32_t *const t = m->indices[m->triangle_count++];
	t[0] = a, t[1] = b, t[2] = c;
}

static void add_quad( input_mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	add_triangle( m, a, b, c );
	add_triangle( m, a, c, d );
}

// The box between two corners, in units of 1/8, each face divided into parts x parts squares. `turned` has the normals
// inside: a cavity.
static void add_box( input_mesh *m, const int64_t low[3], const int64_t high[3], int64_t parts, bool turned ) {
	for ( int axis = 0; axis < 3; ++axis ) {
		const int u = ( axis + 1 ) % 3, v = ( axis + 2 ) % 3;
		for ( int side = 0; side < 2; ++side ) {
			const uint32_t first = (uint32_t)m->vertex_count, row = (uint32_t)parts + 1;
			for ( int64_t i = 0; i <= parts; ++i ) {
				for ( int64_t j = 0; j <= parts; ++j ) {
					double p[3];
					p[axis] = (double)( side ? high[axis] : low[axis] ) / 8.0;
					p[u] = (double)( low[u] * parts + ( high[u] - low[u] ) * i ) / (double)( 8 * parts );
					p[v] = (double)( low[v] * parts + ( high[v] - low[v] ) * j ) / (double)( 8 * parts );
					add_vertex( m, p[0], p[1], p[2] );
				}
			}
			for ( uint32_t i = 0; i < (uint32_t)parts; ++i ) {
				for ( uint32_t j = 0; j < (uint32_t)parts; ++j ) {
					const uint32_t a = first + i * row + j, b = a + row;
					if ( ( side == 1 ) != turned )
						add_quad( m, a, b, b + 1, a + 1 );
					else
						add_quad( m, a, a + 1, b + 1, b );
				}
			}
		}
	}
}

// A point of the unit circle with rational coordinates: c / d and s / d. Step k of 4 n.
typedef struct circle_point {
	int64_t c, s, d;
} circle_point;

static circle_point on_circle( int64_t k, int64_t n ) {
	const int64_t i = k % n;
	const circle_point p = { n * n - i * i, 2 * n * i, n * n + i * i };
	switch ( k / n % 4 ) {
	case 0:
		return p;
	case 1:
		return ( circle_point ){ -p.s, p.c, p.d };
	case 2:
		return ( circle_point ){ -p.c, -p.s, p.d };
	default:
		return ( circle_point ){ p.s, -p.c, p.d };
	}
}

// A sphere of radius `eighths` / 8 with 4 n meridians, from pole to pole.
static void add_sphere( input_mesh *m, int64_t eighths, int64_t n, bool turned ) {
	const uint32_t first = (uint32_t)m->vertex_count, row = (uint32_t)( 4 * n );
	for ( int64_t i = 0; i <= 2 * n; ++i ) {
		const circle_point v = on_circle( i, n ); // from the pole at step 0: its height is c
		for ( int64_t j = 0; j < 4 * n; ++j ) {
			const circle_point u = on_circle( j, n );
			const double below = (double)( 8 * u.d * v.d );
			add_vertex( m, (double)( eighths * u.c * v.s ) / below, (double)( eighths * u.s * v.s ) / below,
			            (double)( eighths * v.c ) / (double)( 8 * v.d ) );
		}
	}
	for ( uint32_t i = 0; i < 2 * (uint32_t)n; ++i ) {
		for ( uint32_t j = 0; j < row; ++j ) {
			const uint32_t a = first + i * row + j, b = first + i * row + ( j + 1 ) % row;
			const uint32_t c = a + row, d = b + row;
			if ( i + 1 < 2 * (uint32_t)n )
				turned ? add_triangle( m, a, d, c ) : add_triangle( m, a, c, d );
			if ( i > 0 )
				turned ? add_triangle( m, a, b, d ) : add_triangle( m, a, d, b );
		}
	}
}

// A torus of radii 3/4 and 1/4.
static void add_torus( input_mesh *m, int64_t n, int64_t k ) {
	const uint32_t rows = (uint32_t)( 4 * n ), row = (uint32_t)( 4 * k );
	for ( int64_t i = 0; i < 4 * n; ++i ) {
		const circle_point u = on_circle( i, n );
		for ( int64_t j = 0; j < 4 * k; ++j ) {
			const circle_point v = on_circle( j, k );
			const int64_t out = 3 * v.d + v.c;
			const double below = (double)( 4 * u.d * v.d );
			add_vertex( m, (double)( out * u.c ) / below, (double)( out * u.s ) / below,
			            (double)v.s / (double)( 4 * v.d ) );
		}
	}
	for ( uint32_t i = 0; i < rows; ++i ) {
		for ( uint32_t j = 0; j < row; ++j ) {
			const uint32_t a = i * row, b = ( i + 1 ) % rows * row, next = ( j + 1 ) % row;
			add_quad( m, a + j, b + j, b + next, a + next );
		}
	}
}

// An open surface: heights over n x n squares.
static void add_field( input_mesh *m, input_rng *r, uint32_t n ) {
	const uint32_t first = (uint32_t)m->vertex_count;
	for ( uint32_t i = 0; i <= n; ++i ) {
		for ( uint32_t j = 0; j <= n; ++j )
			add_vertex( m, ( 2.0 * i - n ) / n, ( 2.0 * j - n ) / n, (double)input_between( r, -16, 16 ) / 64.0 );
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t a = first + i * ( n + 1 ) + j, b = a + n + 1;
			add_quad( m, a, b, b + 1, a + 1 );
		}
	}
}

// Triangles anywhere, some without an area, some twice.
static void add_soup( input_mesh *m, input_rng *r, int64_t count ) {
	for ( int64_t i = 0; i < count; ++i ) {
		double from[3];
		input_point( r, 1, 16, from );
		uint32_t corners[3];
		for ( int c = 0; c < 3; ++c ) {
			double side[3];
			input_point( r, 1, 32, side );
			corners[c] = add_vertex( m, from[0] + side[0] / 2.0, from[1] + side[1] / 2.0, from[2] + side[2] / 2.0 );
		}
		switch ( input_between( r, 0, 15 ) ) {
		case 0:
			add_triangle( m, corners[0], corners[1], corners[1] );
			break;
		case 1:
			add_triangle( m, corners[2], corners[0], corners[1] );
			add_triangle( m, corners[0], corners[1], corners[2] );
			break;
		default:
			add_triangle( m, corners[0], corners[1], corners[2] );
			break;
		}
	}
}

void input_make_mesh( input_rng *r, input_mesh *m ) {
	m->vertex_count = 0, m->triangle_count = 0;
	m->is_solid = true;
	int64_t low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = -input_between( r, 1, 8 );
		high[k] = input_between( r, 1, 8 );
	}
	// note: two draws in one list of arguments would come in either order.
	const int64_t first = input_between( r, 1, 5 );
	const int64_t second = input_between( r, 1, 5 );
	switch ( input_between( r, 0, 7 ) ) {
	case 0:
	case 1:
		add_box( m, low, high, input_between( r, 1, 4 ), false );
		break;
	case 2: { // a hollow box: a cavity of an eighth less all round, where there is room
		add_box( m, low, high, 2, false );
		bool has_room = true;
		for ( int k = 0; k < 3; ++k ) {
			has_room = has_room && high[k] - low[k] >= 4;
			low[k] += 1;
			high[k] -= 1;
		}
		if ( has_room )
			add_box( m, low, high, 1, true );
		break;
	}
	case 3:
		add_sphere( m, 3 + first, 1 + second, false );
		break;
	case 4:
		add_sphere( m, 8, 4, false );
		add_sphere( m, 4, 2, input_between( r, 0, 1 ) == 1 );
		break;
	case 5:
		add_torus( m, 1 + first, 1 + second / 2 );
		break;
	case 6:
		add_field( m, r, (uint32_t)input_between( r, 4, 12 ) );
		break;
	default:
		add_soup( m, r, input_between( r, 20, 200 ) );
		m->is_solid = false;
		break;
	}
}

dbvh_mesh_view input_view( const input_mesh *mesh ) {
	return ( dbvh_mesh_view ){ .positions = mesh->positions,
	                           .vertex_count = mesh->vertex_count,
	                           .position_type = DBVH_POSITION_TYPE_FLOAT64,
	                           .indices = mesh->indices,
	                           .triangle_count = mesh->triangle_count,
	                           .index_type = DBVH_INDEX_TYPE_UINT32 };
}

// ------------------------------------------------------------------------------------------------
// Poses and motions

// The rotation of the quaternion (w, x, y, z) of whole numbers, times its squared length.
static void turn_by_integers( int64_t w, int64_t x, int64_t y, int64_t z, double rot[3][3] ) {
	const int64_t rows[3][3] = { { w * w + x * x - y * y - z * z, 2 * ( x * y - w * z ), 2 * ( x * z + w * y ) },
	                             { 2 * ( x * y + w * z ), w * w - x * x + y * y - z * z, 2 * ( y * z - w * x ) },
	                             { 2 * ( x * z - w * y ), 2 * ( y * z + w * x ), w * w - x * x - y * y + z * z } };
	const double below = (double)( w * w + x * x + y * y + z * z );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			rot[i][j] = (double)rows[i][j] / below;
	}
}

dbvh_pose input_pose( input_rng *r, bool on_grid, int64_t reach ) {
	const int64_t most = on_grid ? 1 : 99;
	int64_t q[4];
	do { // on the grid: one number that is not 0, or all four, whose rotations have entries 0, 1 and -1
		for ( int k = 0; k < 4; ++k )
			q[k] = input_between( r, -most, most );
	} while ( ( q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0 ) ||
	          ( on_grid && ( q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] ) == 3 ) );
	dbvh_pose pose;
	turn_by_integers( q[0], q[1], q[2], q[3], pose.rot );
	input_point( r, reach, on_grid ? 8 : 997, pose.pos );
	return pose;
}

dbvh_motion input_motion( input_rng *r ) {
	const dbvh_pose from = input_pose( r, false, 3 );
	double shift[3];
	input_point( r, 4, 991, shift );
	dbvh_motion motion = dbvh_motion_translation( &from, shift );
	if ( input_between( r, 0, 1 ) == 1 ) {
		input_point( r, 1, 16, motion.centre );
		input_point( r, 1, 16, motion.axis );
		motion.axis[0] += 2.0;
		motion.angle = input_number( r, 2, 64 );
	}
	return motion;
}

// ------------------------------------------------------------------------------------------------
// Shapes

void input_shapes( input_rng *r, bool on_grid, dbvh_shape shapes[INPUT_SHAPES] ) {
	const int64_t parts = on_grid ? 8 : 983;
	double centre[3], corner[3], half[3], axis[3][3], normal[3];
	input_point( r, 1, parts, centre );
	input_point( r, 1, parts, corner );
	input_point( r, 1, parts, normal );
	normal[0] += 2.0;
	for ( int k = 0; k < 3; ++k )
		half[k] = (double)input_between( r, 1, parts ) / (double)parts;
	const dbvh_pose turned = input_pose( r, on_grid, 1 );
	memcpy( axis, turned.rot, sizeof axis );
	memset( shapes, 0, INPUT_SHAPES * sizeof shapes[0] );
	for ( int i = 0; i < INPUT_SHAPES; ++i )
		shapes[i].kind = (dbvh_shape_kind)i;
	for ( int k = 0; k < 3; ++k ) {
		shapes[0].as.sphere.centre[k] = centre[k];
		shapes[1].as.aabb.min[k] = centre[k];
		shapes[1].as.aabb.max[k] = centre[k] + half[k];
		shapes[2].as.box.centre[k] = centre[k];
		shapes[2].as.box.half[k] = half[k];
		shapes[3].as.obb.centre[k] = centre[k];
		shapes[3].as.obb.half[k] = half[k];
		shapes[4].as.ellipsoid.centre[k] = centre[k];
		shapes[4].as.ellipsoid.half[k] = half[k];
		shapes[5].as.capsule.from[k] = centre[k];
		shapes[5].as.capsule.to[k] = corner[k];
		shapes[6].as.plane.normal[k] = normal[k];
	}
	memcpy( shapes[3].as.obb.axis, axis, sizeof axis );
	memcpy( shapes[4].as.ellipsoid.axis, axis, sizeof axis );
	shapes[0].as.sphere.radius = half[0];
	shapes[5].as.capsule.radius = half[1];
	shapes[6].as.plane.offset = input_number( r, 2, parts );
}
