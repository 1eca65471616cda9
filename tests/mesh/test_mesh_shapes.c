// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes of hulls, boxes and height fields. A hull is judged by what defines it, in integers of any length: no point is
// above a face, the surface is closed, and the planes of the faces round each corner meet in that point alone.

#include "dualbvh/mesh.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#define MOST 64

// Points: integers times a power of two.
typedef struct cloud {
	int64_t at[MOST][3];
	double scale, x[MOST][3];
	int count;
} cloud;

static int64_t whole( rng *r, int64_t size ) {
	return (int64_t)rng_below( r, (uint64_t)( 2 * size + 1 ) ) - size;
}

// Families: coarse grids, where many points are in one plane; fine ones; points on a sphere; planes, lines and one
// point.
static cloud make_cloud( rng *r, int family ) {
	cloud c = { .scale = ldexp( 1.0, (int)whole( r, 300 ) ), .count = 1 + (int)rng_below( r, MOST ) };
	const int64_t size = family % 2 == 0 ? 1 + (int64_t)rng_below( r, 4 ) : INT64_C( 1 ) << 40;
	int64_t base[3], u[3], v[3];
	for ( int k = 0; k < 3; ++k ) {
		base[k] = whole( r, size );
		u[k] = whole( r, 4 );
		v[k] = whole( r, 4 );
	}
	for ( int i = 0; i < c.count; ++i ) {
		const int64_t s = whole( r, size ), t = whole( r, size );
		for ( int k = 0; k < 3; ++k )
			c.at[i][k] = family < 2   ? whole( r, size )
			             : family < 4 ? base[k] + s * u[k] + t * v[k]
			             : family < 6 ? base[k] + s * u[k]
			                          : base[k];
		if ( family == 7 ) { // near a sphere
			const double z = rng_range( r, -1, 1 ), angle = rng_range( r, 0, 6.3 ), beside = sqrt( 1 - z * z );
			c.at[i][0] = (int64_t)( 0x1p30 * beside * cos( angle ) );
			c.at[i][1] = (int64_t)( 0x1p30 * beside * sin( angle ) );
			c.at[i][2] = (int64_t)( 0x1p30 * z );
		}
		for ( int k = 0; k < 3; ++k )
			c.x[i][k] = (double)c.at[i][k] * c.scale;
	}
	return c;
}

// ------------------------------------------------------------------------------------------------
// Integers

typedef struct vector {
	mpz_t v[3];
} vector;

static void vector_init( vector *x ) {
	mpz_inits( x->v[0], x->v[1], x->v[2], NULL );
}

static void vector_clear( vector *x ) {
	mpz_clears( x->v[0], x->v[1], x->v[2], NULL );
}

static void difference( vector *out, const int64_t a[3], const int64_t b[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		mpz_set_si( out->v[k], (long)( ( a[k] - b[k] ) / 0x10000 ) );
		mpz_mul_2exp( out->v[k], out->v[k], 16 );
		const long rest = (long)( ( a[k] - b[k] ) % 0x10000 );
		if ( rest >= 0 )
			mpz_add_ui( out->v[k], out->v[k], (unsigned long)rest );
		else
			mpz_sub_ui( out->v[k], out->v[k], (unsigned long)-rest );
	}
}

static void cross( vector *out, const vector *a, const vector *b ) {
	for ( int k = 0; k < 3; ++k ) {
		const int i = ( k + 1 ) % 3, j = ( k + 2 ) % 3;
		mpz_mul( out->v[k], a->v[i], b->v[j] );
		mpz_submul( out->v[k], a->v[j], b->v[i] );
	}
}

static int dot_sign( const vector *a, const vector *b ) {
	mpz_t sum;
	mpz_init( sum );
	for ( int k = 0; k < 3; ++k )
		mpz_addmul( sum, a->v[k], b->v[k] );
	const int sign = mpz_sgn( sum );
	mpz_clear( sum );
	return sign;
}

static bool is_zero( const vector *a ) {
	return mpz_sgn( a->v[0] ) == 0 && mpz_sgn( a->v[1] ) == 0 && mpz_sgn( a->v[2] ) == 0;
}

// ------------------------------------------------------------------------------------------------
// The judge

typedef struct judged {
	cloud c;
	int number[MOST]; // of each vertex, that of a point
	size_t vertices, triangles;
	const uint32_t *index;
	vector normal[2 * MOST];
} judged;

static const int64_t *corner( const judged *j, size_t triangle, int k ) {
	return j->c.at[j->number[j->index[3 * triangle + (size_t)k]]];
}

static void find_numbers( judged *j, const double *positions ) {
	int at = 0;
	for ( size_t i = 0; i < j->vertices; ++i ) {
		// In the order of the points; equal ones may stand for each other.
		int found = -1;
		for ( int p = 0; p < j->c.count; ++p )
			if ( memcmp( positions + 3 * i, j->c.x[p], sizeof j->c.x[p] ) == 0 )
				found = found < at ? p : found;
		assert_true( found >= 0 );
		at = found > at ? found : at;
		for ( size_t other = 0; other < i; ++other )
			assert_true( memcmp( positions + 3 * i, positions + 3 * other, 3 * sizeof( double ) ) != 0 );
		j->number[i] = found;
	}
}

static void find_normals( judged *j ) {
	vector u, v;
	vector_init( &u );
	vector_init( &v );
	for ( size_t t = 0; t < j->triangles; ++t ) {
		vector_init( &j->normal[t] );
		difference( &u, corner( j, t, 1 ), corner( j, t, 0 ) );
		difference( &v, corner( j, t, 2 ), corner( j, t, 0 ) );
		cross( &j->normal[t], &u, &v );
	}
	vector_clear( &u );
	vector_clear( &v );
}

// The dimension that points span.
static int span_of( const cloud *c ) {
	vector u, v, n, w;
	vector_init( &u );
	vector_init( &v );
	vector_init( &n );
	vector_init( &w );
	int dimension = 0;
	for ( int i = 1; i < c->count; ++i ) {
		if ( dimension == 0 ) {
			difference( &u, c->at[i], c->at[0] );
			dimension = is_zero( &u ) ? 0 : 1;
		} else if ( dimension == 1 ) {
			difference( &v, c->at[i], c->at[0] );
			cross( &n, &u, &v );
			dimension = is_zero( &n ) ? 1 : 2;
		} else {
			difference( &w, c->at[i], c->at[0] );
			dimension = dot_sign( &n, &w ) != 0 ? 3 : dimension;
		}
	}
	vector_clear( &u );
	vector_clear( &v );
	vector_clear( &n );
	vector_clear( &w );
	return dimension;
}

// Which sides of the plane of a triangle have points: bit 0 above, bit 1 below.
static int sides_of( const judged *j, size_t t ) {
	vector w;
	vector_init( &w );
	int sides = 0;
	for ( int p = 0; p < j->c.count; ++p ) {
		difference( &w, j->c.at[p], corner( j, t, 0 ) );
		const int sign = dot_sign( &j->normal[t], &w );
		sides |= sign > 0 ? 1 : sign < 0 ? 2 : 0;
	}
	vector_clear( &w );
	return sides;
}

// The rank of the normals of the triangles at a vertex, 3 for a corner of a solid.
static int rank_at( const judged *j, uint32_t vertex ) {
	const vector *first = NULL;
	vector n;
	vector_init( &n );
	int rank = 0;
	for ( size_t t = 0; t < j->triangles; ++t ) {
		const uint32_t *i = j->index + 3 * t;
		if ( i[0] != vertex && i[1] != vertex && i[2] != vertex )
			continue;
		if ( rank == 0 ) {
			first = &j->normal[t];
			rank = 1;
		} else if ( rank == 1 ) {
			cross( &n, first, &j->normal[t] );
			rank = is_zero( &n ) ? 1 : 2;
		} else if ( rank == 2 && dot_sign( &n, &j->normal[t] ) != 0 )
			rank = 3;
	}
	vector_clear( &n );
	return rank;
}

// How often an edge is walked from one vertex to another.
static int walks( const judged *j, uint32_t from, uint32_t to ) {
	int count = 0;
	for ( size_t t = 0; t < j->triangles; ++t )
		for ( size_t k = 0; k < 3; ++k )
			count += j->index[3 * t + k] == from && j->index[3 * t + ( k + 1 ) % 3] == to;
	return count;
}

static void judge_solid( const judged *j ) {
	assert_int_equal( j->triangles, 2 * j->vertices - 4 );
	for ( size_t t = 0; t < j->triangles; ++t ) {
		assert_false( is_zero( &j->normal[t] ) );
		assert_int_equal( sides_of( j, t ), 2 );
		for ( size_t k = 0; k < 3; ++k ) {
			assert_int_equal( walks( j, j->index[3 * t + k], j->index[3 * t + ( k + 1 ) % 3] ), 1 );
			assert_int_equal( walks( j, j->index[3 * t + ( k + 1 ) % 3], j->index[3 * t + k] ), 1 );
		}
	}
	for ( size_t i = 0; i < j->vertices; ++i )
		assert_int_equal( rank_at( j, (uint32_t)i ), 3 );
}

// On one side of an edge of the boundary, in the plane, there is no point; on its line none beyond its ends.
static void judge_boundary( const judged *j, size_t t, int k ) {
	const int64_t *a = corner( j, t, k ), *b = corner( j, t, ( k + 1 ) % 3 );
	vector u, v, n;
	vector_init( &u );
	vector_init( &v );
	vector_init( &n );
	difference( &u, b, a );
	for ( int p = 0; p < j->c.count; ++p ) {
		difference( &v, j->c.at[p], a );
		cross( &n, &u, &v );
		const int side = dot_sign( &n, &j->normal[t] );
		assert_true( side >= 0 );
		if ( side > 0 )
			continue;
		assert_true( dot_sign( &u, &v ) >= 0 );
		difference( &v, j->c.at[p], b );
		assert_true( dot_sign( &u, &v ) <= 0 );
	}
	vector_clear( &u );
	vector_clear( &v );
	vector_clear( &n );
}

static void judge_flat( const judged *j ) {
	assert_int_equal( j->triangles, j->vertices - 2 );
	size_t boundary = 0;
	for ( size_t t = 0; t < j->triangles; ++t ) {
		assert_false( is_zero( &j->normal[t] ) );
		assert_int_equal( sides_of( j, t ), 0 );
		assert_true( dot_sign( &j->normal[t], &j->normal[0] ) > 0 );
		for ( int k = 0; k < 3; ++k ) {
			const uint32_t a = j->index[3 * t + (size_t)k], b = j->index[3 * t + (size_t)( k + 1 ) % 3];
			assert_int_equal( walks( j, a, b ), 1 );
			if ( walks( j, b, a ) == 1 )
				continue;
			++boundary;
			judge_boundary( j, t, k );
		}
	}
	assert_int_equal( boundary, j->vertices );
}

static void judge_line( const judged *j, int dimension ) {
	assert_int_equal( j->vertices, dimension + 1 );
	assert_int_equal( j->triangles, 1 );
	const int64_t *a = corner( j, 0, 0 ), *b = corner( j, 0, 2 );
	vector u, v;
	vector_init( &u );
	vector_init( &v );
	for ( int p = 0; p < j->c.count; ++p ) { // not beyond either end
		difference( &u, j->c.at[p], a );
		difference( &v, j->c.at[p], b );
		assert_true( dot_sign( &u, &v ) <= 0 );
	}
	vector_clear( &u );
	vector_clear( &v );
}

static int judge( const cloud *c, const dbvh_mesh *mesh ) {
	static judged j;
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	j.c = *c;
	j.vertices = view.vertex_count;
	j.triangles = view.triangle_count;
	j.index = view.indices;
	assert_true( j.vertices <= MOST && j.triangles <= 2 * MOST );
	find_numbers( &j, view.positions );
	find_normals( &j );
	const int dimension = span_of( c );
	if ( dimension == 3 )
		judge_solid( &j );
	else if ( dimension == 2 )
		judge_flat( &j );
	else
		judge_line( &j, dimension );
	for ( size_t t = 0; t < j.triangles; ++t )
		vector_clear( &j.normal[t] );
	return dimension;
}

static void hulls_in_integers( void **state ) {
	(void)state;
	rng r = rng_announce( "hulls_in_integers", 20261123 );
	size_t met[4] = { 0 };
	for ( size_t i = 0; i < rounds( 1000 ); ++i ) {
		cloud c = make_cloud( &r, (int)rng_below( &r, 8 ) );
		for ( int p = 0; p < c.count / 3; ++p ) { // repeated points
			const uint64_t from = rng_below( &r, (uint64_t)c.count ), to = rng_below( &r, (uint64_t)c.count );
			memmove( c.at[to], c.at[from], sizeof c.at[to] );
			memmove( c.x[to], c.x[from], sizeof c.x[to] );
		}
		const dbvh_mesh_view points = { .positions = c.x, .vertex_count = (size_t)c.count };
		dbvh_mesh *mesh;
		assert_int_equal( dbvh_mesh_create_hull( &points, NULL, &mesh, NULL ), DBVH_OK );
		met[judge( &c, mesh )] += 1;
		dbvh_mesh_destroy( mesh );
	}
	printf( "hulls: %zu points, %zu segments, %zu polygons, %zu solids\n", met[0], met[1], met[2], met[3] );
	assert_outcomes( met[0] > 0 && met[1] > 0 && met[2] > 0 && met[3] > 0 );
}

// All of a grid: eight corners, twelve triangles. The order of the points does not matter.
static void hull_of_a_grid( void **state ) {
	(void)state;
	enum { SIDE = 9 };
	static float points[SIDE * SIDE * SIDE][4]; // a float that is no coordinate behind three that are
	for ( int i = 0; i < SIDE * SIDE * SIDE; ++i )
		for ( int k = 0; k < 4; ++k )
			points[i][k] = k == 3 ? NAN
			                      : (float)( k == 0   ? i % SIDE
			                                 : k == 1 ? i / SIDE % SIDE
			                                          : i / SIDE / SIDE ) *
			                            0.1f;
	const dbvh_mesh_view view = { .positions = points,
	                              .vertex_count = SIDE * SIDE * SIDE,
	                              .vertex_stride = sizeof points[0],
	                              .position_type = DBVH_POSITION_TYPE_FLOAT32 };
	dbvh_mesh *mesh;
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, &mesh, NULL ), DBVH_OK );
	const dbvh_mesh_view made = dbvh_mesh_get_view( mesh );
	assert_true( made.vertex_count == 8 && made.triangle_count == 12 );
	dbvh_mesh_destroy( mesh );
}

static void hulls_refuse( void **state ) {
	(void)state;
	double x[6] = { 0, 0, 0, 1, NAN, 0 };
	dbvh_mesh_view view = { .positions = x, .vertex_count = 2 };
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	assert_true( mesh == NULL && error.element == 1 );
	assert_int_equal( dbvh_mesh_create_hull( NULL, NULL, &mesh, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	view.vertex_count = 0;
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, &mesh, NULL ), DBVH_EMPTY );
	view.vertex_count = 1;
	view.vertex_stride = 8;
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, &mesh, NULL ), DBVH_INVALID_ARGUMENT );
	// The widest doubles.
	double wide[5][3] = {
	    { -0x1.8p1023, 0, 0 }, { 0x1.8p1023, 0, 0 }, { 0, 0x1p1023, 0 }, { 0, 0, 0x1p-1074 }, { 0, 0, 0 } };
	view = ( dbvh_mesh_view ){ .positions = wide, .vertex_count = 5 };
	assert_int_equal( dbvh_mesh_create_hull( &view, NULL, &mesh, NULL ), DBVH_OK );
	const dbvh_mesh_view made = dbvh_mesh_get_view( mesh );
	assert_true( made.vertex_count == 4 && made.triangle_count == 4 );
	dbvh_mesh_destroy( mesh );
}

// ------------------------------------------------------------------------------------------------
// Boxes and height fields

// Six times the volume that the triangles enclose.
static double volume_of( const dbvh_mesh_view *view ) {
	const double *x = view->positions;
	const uint32_t *t = view->indices;
	double sum = 0.0;
	for ( size_t i = 0; i < view->triangle_count; ++i ) {
		const double *a = x + 3 * t[3 * i], *b = x + 3 * t[3 * i + 1], *c = x + 3 * t[3 * i + 2];
		for ( int k = 0; k < 3; ++k ) {
			const int u = ( k + 1 ) % 3, v = ( k + 2 ) % 3;
			sum += a[k] * ( b[u] * c[v] - b[v] * c[u] );
		}
	}
	return sum;
}

static void boxes( void **state ) {
	(void)state;
	rng r = rng_announce( "boxes", 5 );
	for ( size_t round = 0; round < rounds( 200 ); ++round ) {
		dbvh_aabb b[5];
		const size_t count = 1 + rng_below( &r, 5 );
		double volume = 0.0;
		for ( size_t i = 0; i < count; ++i ) {
			double own = 6.0;
			for ( int k = 0; k < 3; ++k ) {
				b[i].min[k] = (double)whole( &r, 100 );
				b[i].max[k] = b[i].min[k] + (double)rng_below( &r, 50 );
				own *= b[i].max[k] - b[i].min[k];
			}
			volume += own;
		}
		dbvh_mesh *mesh;
		assert_int_equal( dbvh_mesh_create_boxes( b, count, NULL, &mesh, NULL ), DBVH_OK );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		assert_true( view.vertex_count == 8 * count && view.triangle_count == 12 * count );
		assert_true( volume_of( &view ) == volume ); // integers
		const double *x = view.positions;
		for ( size_t i = 0; i < 8 * count; ++i )
			for ( int k = 0; k < 3; ++k )
				assert_true( x[3 * i + (size_t)k] == b[i / 8].min[k] || x[3 * i + (size_t)k] == b[i / 8].max[k] );
		dbvh_mesh_audit_result audit;
		assert_int_equal( dbvh_mesh_audit( &view, NULL, &audit, NULL, 0, NULL ), DBVH_OK );
		if ( volume > 0.0 && count == 1 )
			assert_true( audit.closed_component_count == 1 && audit.oriented_component_count == 1 );
		dbvh_mesh_destroy( mesh );
	}
	dbvh_mesh *mesh;
	dbvh_error error;
	dbvh_aabb wrong[2] = { { { 0, 0, 0 }, { 1, 1, 1 } }, { { 0, 2, 0 }, { 1, 1, 1 } } };
	assert_int_equal( dbvh_mesh_create_boxes( wrong, 2, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_true( error.element == 1 && mesh == NULL );
	wrong[1].min[1] = NAN;
	assert_int_equal( dbvh_mesh_create_boxes( wrong, 2, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	assert_true( error.element == 1 );
	wrong[1].min[1] = -INFINITY;
	assert_int_equal( dbvh_mesh_create_boxes( wrong, 2, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	assert_true( error.element == 1 );
	assert_int_equal( dbvh_mesh_create_boxes( wrong, 0, NULL, &mesh, &error ), DBVH_EMPTY );
	assert_int_equal( dbvh_mesh_create_boxes( NULL, 1, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_mesh_create_boxes( wrong, SIZE_MAX, NULL, &mesh, &error ), DBVH_LIMIT );
}

// Does the mesh of a field have the triangle of three vertices of a cell?
static bool has_triangle( const dbvh_mesh_view *view, size_t a, size_t b, size_t c ) {
	const uint32_t *t = view->indices;
	for ( size_t i = 0; i < view->triangle_count; ++i )
		if ( t[3 * i] == a && t[3 * i + 1] == b && t[3 * i + 2] == c )
			return true;
	return false;
}

static void height_fields( void **state ) {
	(void)state;
	rng r = rng_announce( "height_fields", 6 );
	for ( size_t round = 0; round < rounds( 200 ); ++round ) {
		double heights[49];
		dbvh_height_field field = { .heights = heights,
		                            .column_count = 2 + rng_below( &r, 6 ),
		                            .row_count = 2 + rng_below( &r, 6 ),
		                            .origin = { rng_range( &r, -9, 9 ), rng_range( &r, -9, 9 ) },
		                            .step = { rng_range( &r, 0.1, 3 ), rng_range( &r, 0.1, 3 ) } };
		const size_t columns = field.column_count, rows = field.row_count;
		for ( size_t i = 0; i < columns * rows; ++i )
			heights[i] = rng_below( &r, 6 ) == 0 ? NAN : rng_range( &r, -1, 1 );
		size_t triangles = 0;
		dbvh_mesh *mesh;
		const dbvh_status status = dbvh_mesh_create_height_field( &field, NULL, &mesh, NULL );
		const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
		for ( size_t k = 0; k + 1 < rows; ++k ) {
			for ( size_t i = 0; i + 1 < columns; ++i ) {
				const size_t a = k * columns + i, b = a + 1, c = b + columns, d = a + columns;
				const bool low = !isnan( heights[a] + heights[b] + heights[c] ),
				           high = !isnan( heights[a] + heights[c] + heights[d] );
				triangles += (size_t)low + (size_t)high;
				assert_true( has_triangle( &view, a, b, c ) == low && has_triangle( &view, a, c, d ) == high );
			}
		}
		assert_int_equal( status, triangles > 0 ? DBVH_OK : DBVH_EMPTY );
		assert_int_equal( view.triangle_count, triangles );
		const double *x = view.positions;
		mpq_t sum, term;
		mpq_inits( sum, term, NULL );
		for ( size_t i = 0; i < view.vertex_count; ++i ) {
			assert_true( x[3 * i + 2] == ( isnan( heights[i] ) ? 0.0 : heights[i] ) );
			for ( int k = 0; k < 2; ++k ) { // rounded to the nearest
				mpq_set_d( sum, field.step[k] );
				mpq_set_ui( term, (unsigned long)( k == 0 ? i % columns : i / columns ), 1 );
				mpq_mul( sum, sum, term );
				mpq_set_d( term, field.origin[k] );
				mpq_add( sum, sum, term );
				const double at = x[3 * i + (size_t)k];
				mpq_set_d( term, at );
				mpq_sub( sum, sum, term );
				mpq_abs( sum, sum );
				mpq_set_d( term, 0.5 * ( nextafter( fabs( at ), INFINITY ) - fabs( at ) ) );
				assert_true( mpq_cmp( sum, term ) <= 0 );
			}
		}
		mpq_clears( sum, term, NULL );
		dbvh_mesh_destroy( mesh );
	}
	double heights[4] = { 0, 0, INFINITY, 0 };
	dbvh_height_field field = { .heights = heights, .column_count = 2, .row_count = 2, .step = { 1, 1 } };
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( dbvh_mesh_create_height_field( &field, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	assert_true( error.element == 2 && mesh == NULL );
	heights[2] = 1;
	field.step[1] = 0;
	assert_int_equal( dbvh_mesh_create_height_field( &field, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	field.step[1] = NAN;
	assert_int_equal( dbvh_mesh_create_height_field( &field, NULL, &mesh, &error ), DBVH_NOT_FINITE );
	field.step[1] = 1;
	field.row_count = 1;
	assert_int_equal( dbvh_mesh_create_height_field( &field, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
	field.row_count = SIZE_MAX;
	assert_int_equal( dbvh_mesh_create_height_field( &field, NULL, &mesh, &error ), DBVH_LIMIT );
	assert_int_equal( dbvh_mesh_create_height_field( NULL, NULL, &mesh, &error ), DBVH_INVALID_ARGUMENT );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( hulls_in_integers ), cmocka_unit_test( hull_of_a_grid ),
	    cmocka_unit_test( hulls_refuse ),      cmocka_unit_test( boxes ),
	    cmocka_unit_test( height_fields ),
	};
	return test_main( argc, argv, tests );
}
