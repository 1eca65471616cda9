// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "contact_oracle.h"

#include "support/oracle.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 24 // corners of a polygon while it is clipped

struct oracle_point {
	mpq_t x[3];
};

static void *must( void *memory ) {
	if ( memory == NULL ) {
		fprintf( stderr, "the oracle has no memory\n" );
		exit( EXIT_FAILURE );
	}
	return memory;
}

// ------------------------------------------------------------------------------------------------
// Vectors of rationals, made once

typedef mpq_t vec[3];

static struct {
	bool ready;
	vec tri[2][3], in[MOST], out[MOST], normal, side, u, v, t;
	mpq_t f[MOST], s, p;
} z;

static void init_vec( vec v ) {
	for ( int k = 0; k < 3; ++k )
		mpq_init( v[k] );
}

static void init( void ) {
	if ( z.ready )
		return;
	z.ready = true;
	for ( int i = 0; i < 3; ++i ) {
		init_vec( z.tri[0][i] );
		init_vec( z.tri[1][i] );
	}
	for ( int i = 0; i < MOST; ++i ) {
		init_vec( z.in[i] );
		init_vec( z.out[i] );
		mpq_init( z.f[i] );
	}
	init_vec( z.normal );
	init_vec( z.side );
	init_vec( z.u );
	init_vec( z.v );
	init_vec( z.t );
	mpq_init( z.s );
	mpq_init( z.p );
}

static void copy( vec out, vec a ) {
	for ( int k = 0; k < 3; ++k )
		mpq_set( out[k], a[k] );
}

static void sub( vec out, vec a, vec b ) {
	for ( int k = 0; k < 3; ++k )
		mpq_sub( out[k], a[k], b[k] );
}

static void cross( vec out, vec a, vec b ) {
	for ( int k = 0; k < 3; ++k ) {
		mpq_mul( out[k], a[( k + 1 ) % 3], b[( k + 2 ) % 3] );
		mpq_mul( z.p, a[( k + 2 ) % 3], b[( k + 1 ) % 3] );
		mpq_sub( out[k], out[k], z.p );
	}
}

static void dot( mpq_t out, vec a, vec b ) {
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_mul( z.p, a[k], b[k] );
		mpq_add( out, out, z.p );
	}
}

static bool is_zero( vec a ) {
	return mpq_sgn( a[0] ) == 0 && mpq_sgn( a[1] ) == 0 && mpq_sgn( a[2] ) == 0;
}

static bool equal( vec a, vec b ) {
	return mpq_equal( a[0], b[0] ) && mpq_equal( a[1], b[1] ) && mpq_equal( a[2], b[2] );
}

// ------------------------------------------------------------------------------------------------
// Clipping

// Keeps the part of the polygon z.in with sign * normal . (x - o) >= 0.
static int clip( int n, vec normal, vec o, int sign ) {
	for ( int i = 0; i < n; ++i ) {
		sub( z.t, z.in[i], o );
		dot( z.f[i], normal, z.t );
	}
	int m = 0;
	for ( int i = 0; i < n; ++i ) {
		const int j = ( i + 1 ) % n;
		const int si = sign * mpq_sgn( z.f[i] ), sj = sign * mpq_sgn( z.f[j] );
		if ( si >= 0 )
			copy( z.out[m++], z.in[i] );
		if ( si * sj < 0 ) {
			// in[i] + f_i / (f_i - f_j) (in[j] - in[i])
			mpq_sub( z.s, z.f[i], z.f[j] );
			mpq_div( z.s, z.f[i], z.s );
			for ( int k = 0; k < 3; ++k ) {
				mpq_sub( z.out[m][k], z.in[j][k], z.in[i][k] );
				mpq_mul( z.out[m][k], z.out[m][k], z.s );
				mpq_add( z.out[m][k], z.out[m][k], z.in[i][k] );
			}
			m += 1;
		}
	}
	// Without repetitions, which keeps the polygon short.
	int kept = 0;
	for ( int i = 0; i < m; ++i ) {
		bool known = false;
		for ( int j = 0; j < kept; ++j )
			known = known || equal( z.in[j], z.out[i] );
		if ( !known )
			copy( z.in[kept++], z.out[i] );
	}
	return kept;
}

static int clip_to_plane( int n, vec normal, vec o ) {
	n = n > 0 ? clip( n, normal, o, 1 ) : 0;
	return n > 0 ? clip( n, normal, o, -1 ) : 0;
}

static void normal_of( vec out, vec t[3] ) {
	sub( z.u, t[1], t[0] );
	sub( z.v, t[2], t[0] );
	cross( out, z.u, z.v );
}

static int clip_to_triangle( int n, vec t[3] ) {
	// z.normal is its normal, not 0.
	n = clip_to_plane( n, z.normal, t[0] );
	for ( int k = 0; k < 3 && n > 0; ++k ) {
		sub( z.u, t[( k + 1 ) % 3], t[k] );
		cross( z.side, z.normal, z.u );
		n = clip( n, z.side, t[k], 1 );
	}
	return n;
}

// A triangle without area: the segment between the two corners that are farthest apart.
static int clip_to_segment( int n, vec t[3] ) {
	int from = 0, to = 0;
	for ( int i = 0; i < 3; ++i ) {
		const int j = ( i + 1 ) % 3, k = ( i + 2 ) % 3;
		// The corner k lies between i and j if the vectors to them do not point the same way.
		sub( z.u, t[i], t[k] );
		sub( z.v, t[j], t[k] );
		dot( z.s, z.u, z.v );
		if ( mpq_sgn( z.s ) <= 0 && !equal( t[i], t[j] ) ) {
			from = i;
			to = j;
		}
	}
	sub( z.side, t[to], t[from] );
	if ( from == to ) {
		for ( int k = 0; k < 3 && n > 0; ++k ) {
			for ( int l = 0; l < 3; ++l )
				mpq_set_ui( z.normal[l], k == l, 1 );
			n = clip_to_plane( n, z.normal, t[0] );
		}
		return n;
	}
	for ( int k = 0; k < 3 && n > 0; ++k ) {
		for ( int l = 0; l < 3; ++l )
			mpq_set_ui( z.u[l], k == l, 1 );
		cross( z.normal, z.side, z.u );
		n = clip_to_plane( n, z.normal, t[from] );
	}
	n = n > 0 ? clip( n, z.side, t[from], 1 ) : 0;
	return n > 0 ? clip( n, z.side, t[to], -1 ) : 0;
}

// Collinear points: only the two ends stay.
static int keep_ends( int n ) {
	if ( n < 3 )
		return n;
	sub( z.u, z.in[1], z.in[0] );
	for ( int i = 2; i < n; ++i ) {
		sub( z.v, z.in[i], z.in[0] );
		cross( z.t, z.u, z.v );
		if ( !is_zero( z.t ) )
			return n;
	}
	int low = 0, high = 0;
	for ( int i = 0; i < n; ++i ) {
		sub( z.v, z.in[i], z.in[low] );
		dot( z.s, z.u, z.v );
		low = mpq_sgn( z.s ) < 0 ? i : low;
		sub( z.v, z.in[i], z.in[high] );
		dot( z.s, z.u, z.v );
		high = mpq_sgn( z.s ) > 0 ? i : high;
	}
	copy( z.out[0], z.in[low] );
	copy( z.out[1], z.in[high] );
	copy( z.in[0], z.out[0] );
	copy( z.in[1], z.out[1] );
	return 2;
}

// The extreme points of what z.tri[0] and z.tri[1] share, in z.in.
static int intersect( void ) {
	normal_of( z.normal, z.tri[1] );
	const bool second = !is_zero( z.normal );
	const int polygon = second ? 0 : 1;
	if ( !second )
		normal_of( z.normal, z.tri[0] );
	const bool first = second || !is_zero( z.normal );
	for ( int i = 0; i < 3; ++i )
		copy( z.in[i], z.tri[first ? polygon : 0][i] );
	const int n = first ? clip_to_triangle( 3, z.tri[1 - polygon] ) : clip_to_segment( 3, z.tri[1] );
	return keep_ends( n );
}

// ------------------------------------------------------------------------------------------------
// Meshes

static void set( vec out, const double *p ) {
	for ( int k = 0; k < 3; ++k )
		mpq_set_d( out[k], p[k] );
}

static void move( vec v, const dbvh_pose *pose ) {
	copy( z.t, v );
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( v[k], pose->pos[k] );
		for ( int j = 0; j < 3; ++j ) {
			mpq_set_d( z.s, pose->rot[k][j] );
			mpq_mul( z.p, z.s, z.t[j] );
			mpq_add( v[k], v[k], z.p );
		}
	}
}

// The inverse of move(), by Cramer's rule.
static void move_back( vec v, const dbvh_pose *pose ) {
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( z.s, pose->pos[k] );
		mpq_sub( v[k], v[k], z.s );
	}
	vec column[3], c;
	mpq_t det;
	mpq_init( det );
	init_vec( c );
	for ( int j = 0; j < 3; ++j ) {
		init_vec( column[j] );
		for ( int k = 0; k < 3; ++k )
			mpq_set_d( column[j][k], pose->rot[k][j] );
	}
	cross( c, column[1], column[2] );
	dot( det, column[0], c );
	for ( int j = 0; j < 3; ++j ) {
		cross( c, column[( j + 1 ) % 3], column[( j + 2 ) % 3] );
		dot( z.t[j], v, c );
		mpq_div( z.t[j], z.t[j], det );
	}
	copy( v, z.t );
	mpq_clear( det );
	for ( int k = 0; k < 3; ++k ) {
		mpq_clear( c[k] );
		for ( int j = 0; j < 3; ++j )
			mpq_clear( column[j][k] );
	}
}

typedef struct table {
	uint32_t *slots; // 1 + number
	size_t mask, count;
} table;

static uint64_t hash_of( vec v ) {
	uint64_t h = 0;
	for ( int k = 0; k < 3; ++k ) {
		const double d = mpq_get_d( v[k] ) + 0.0;
		uint64_t bits;
		memcpy( &bits, &d, sizeof bits );
		h = ( h ^ bits ) * UINT64_C( 0x9e3779b97f4a7c15 );
		h ^= h >> 29;
	}
	return h;
}

static uint32_t number_of( oracle_contacts *c, table *t, vec v ) {
	if ( t->slots == NULL || 2 * t->count > t->mask ) {
		const size_t slots = t->slots == NULL ? 1024 : 2 * ( t->mask + 1 );
		free( t->slots );
		t->slots = must( calloc( slots, sizeof *t->slots ) );
		t->mask = slots - 1;
		for ( size_t i = 0; i < t->count; ++i ) {
			size_t at = (size_t)hash_of( c->points[i].x ) & t->mask;
			while ( t->slots[at] != 0 )
				at = ( at + 1 ) & t->mask;
			t->slots[at] = (uint32_t)i + 1;
		}
		c->points = must( realloc( c->points, slots * sizeof *c->points ) );
	}
	size_t at = (size_t)hash_of( v ) & t->mask;
	for ( ; t->slots[at] != 0; at = ( at + 1 ) & t->mask ) {
		if ( equal( c->points[t->slots[at] - 1].x, v ) )
			return t->slots[at] - 1;
	}
	t->slots[at] = (uint32_t)++t->count;
	init_vec( c->points[t->count - 1].x );
	copy( c->points[t->count - 1].x, v );
	return (uint32_t)t->count - 1;
}

typedef struct bounds {
	double low[3], high[3];
} bounds;

static bounds bounds_of( const double t[9], const dbvh_pose *pose ) {
	bounds out = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int k = 0; k < 3; ++k ) {
			double x = t[3 * i + k], size = fabs( x );
			if ( pose != NULL ) {
				x = pose->pos[k];
				size = fabs( x );
				for ( int j = 0; j < 3; ++j ) {
					x += pose->rot[k][j] * t[3 * i + j];
					size += fabs( pose->rot[k][j] * t[3 * i + j] );
				}
			}
			out.low[k] = fmin( out.low[k], x - 1e-12 * size );
			out.high[k] = fmax( out.high[k], x + 1e-12 * size );
		}
	}
	return out;
}

static bool are_apart( const bounds *a, const bounds *b ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( a->high[k] < b->low[k] || b->high[k] < a->low[k] )
			return true;
	}
	return false;
}

// ------------------------------------------------------------------------------------------------
// What follows from the points

typedef struct step {
	uint32_t from, to, polygons;
} step;

static int compare_steps( const void *p, const void *q ) {
	const step *x = p, *y = q;
	if ( x->from != y->from )
		return x->from < y->from ? -1 : 1;
	return ( x->to > y->to ) - ( x->to < y->to );
}

static uint32_t root( uint32_t *parent, uint32_t i ) {
	while ( parent[i] != i )
		i = parent[i] = parent[parent[i]];
	return i;
}

static double coordinate( const oracle_contacts *c, uint32_t point, int k ) {
	return mpq_get_d( c->points[point].x[k] );
}

static double distance( const oracle_contacts *c, uint32_t p, uint32_t q ) {
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double d = coordinate( c, p, k ) - coordinate( c, q, k );
		sum += d * d;
	}
	return sqrt( sum );
}

// Three points of a polygon's plane and the polygon: are p and q next to each other in it? Yes if all others lie on one
// side of the line through them.
static bool are_neighbours( oracle_contacts *c, const oracle_contact *t, int p, int q ) {
	int seen = 0;
	sub( z.u, c->points[t->points[q]].x, c->points[t->points[p]].x );
	bool have = false;
	for ( int i = 0; i < t->count; ++i ) {
		if ( i == p || i == q )
			continue;
		sub( z.v, c->points[t->points[i]].x, c->points[t->points[p]].x );
		cross( z.t, z.u, z.v );
		if ( !have ) {
			copy( z.side, z.t );
			have = true;
		}
		dot( z.s, z.side, z.t );
		seen |= mpq_sgn( z.s ) > 0 ? 1 : 2;
	}
	return seen == 1;
}

static double polygon_area( oracle_contacts *c, const oracle_contact *t ) {
	// Half the sum of the triangles that its centre forms with its sides.
	double centre[3] = { 0, 0, 0 }, sum = 0.0;
	for ( int i = 0; i < t->count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			centre[k] += coordinate( c, t->points[i], k ) / t->count;
	}
	for ( int i = 0; i < t->count; ++i ) {
		for ( int j = i + 1; j < t->count; ++j ) {
			if ( !are_neighbours( c, t, i, j ) )
				continue;
			double u[3], v[3], sq = 0.0;
			for ( int k = 0; k < 3; ++k ) {
				u[k] = coordinate( c, t->points[i], k ) - centre[k];
				v[k] = coordinate( c, t->points[j], k ) - centre[k];
			}
			for ( int k = 0; k < 3; ++k ) {
				const double x = u[( k + 1 ) % 3] * v[( k + 2 ) % 3] - u[( k + 2 ) % 3] * v[( k + 1 ) % 3];
				sq += x * x;
			}
			sum += 0.5 * sqrt( sq );
		}
	}
	return sum;
}

static void add_step( step *steps, size_t *count, uint32_t p, uint32_t q, uint32_t polygons ) {
	steps[( *count )++] = ( step ){ p < q ? p : q, p < q ? q : p, polygons };
}

static void derive( oracle_contacts *c ) {
	step *steps = must( malloc( ( 6 * c->contact_count + 1 ) * sizeof *steps ) );
	uint32_t *parent = must( malloc( ( c->point_count + 1 ) * sizeof *parent ) );
	uint32_t *chain = must( malloc( ( 6 * c->contact_count + 1 ) * sizeof *chain ) );
	uint32_t *degree = must( calloc( c->point_count + 1, sizeof *degree ) );
	uint32_t *last = must( malloc( ( c->point_count + 1 ) * sizeof *last ) );
	size_t count = 0;
	c->generic = true;
	for ( uint32_t i = 0; i < c->point_count; ++i )
		parent[i] = i;
	for ( size_t i = 0; i < c->contact_count; ++i ) {
		const oracle_contact *t = &c->contacts[i];
		for ( int k = 1; k < t->count; ++k )
			parent[root( parent, t->points[k] )] = root( parent, t->points[0] );
		if ( t->count == 2 )
			add_step( steps, &count, t->points[0], t->points[1], 0 );
		else
			c->generic = false;
		if ( t->count > 2 )
			c->area += polygon_area( c, t );
		for ( int p = 0; t->count > 2 && p < t->count; ++p ) {
			for ( int q = p + 1; q < t->count; ++q ) {
				if ( are_neighbours( c, t, p, q ) )
					add_step( steps, &count, t->points[p], t->points[q], 1 );
			}
		}
	}
	for ( uint32_t i = 0; i < c->point_count; ++i )
		c->cluster_count += root( parent, i ) == i;
	if ( count > 0 )
		qsort( steps, count, sizeof *steps, compare_steps );
	size_t kept = 0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( kept > 0 && compare_steps( &steps[kept - 1], &steps[i] ) == 0 )
			steps[kept - 1].polygons += steps[i].polygons;
		else
			steps[kept++] = steps[i];
	}
	count = 0;
	for ( size_t i = 0; i < kept; ++i ) {
		if ( steps[i].polygons == 0 || steps[i].polygons % 2 == 1 )
			steps[count++] = steps[i];
	}
	// Polylines: steps joined at points where two join; a polyline is closed if it has as many such points as steps.
	for ( uint32_t i = 0; i < count; ++i ) {
		chain[i] = i;
		degree[steps[i].from] += 1;
		degree[steps[i].to] += 1;
		c->length += distance( c, steps[i].from, steps[i].to );
	}
	uint32_t *inner = must( calloc( count + 1, sizeof *inner ) );
	memset( last, 0xff, ( c->point_count + 1 ) * sizeof *last );
	for ( uint32_t i = 0; i < count; ++i ) {
		const uint32_t ends[2] = { steps[i].from, steps[i].to };
		for ( int k = 0; k < 2; ++k ) {
			if ( degree[ends[k]] == 2 && last[ends[k]] != UINT32_MAX )
				chain[root( chain, i )] = root( chain, last[ends[k]] );
			last[ends[k]] = i;
		}
	}
	uint32_t *size = must( calloc( count + 1, sizeof *size ) );
	for ( uint32_t i = 0; i < c->point_count; ++i ) {
		c->generic = c->generic && degree[i] == 2;
		if ( degree[i] == 2 )
			inner[root( chain, last[i] )] += 1;
	}
	for ( uint32_t i = 0; i < count; ++i )
		size[root( chain, i )] += 1;
	for ( uint32_t i = 0; i < count; ++i ) {
		c->polyline_count += size[i] > 0;
		c->closed_count += size[i] > 0 && inner[i] == size[i];
	}
	c->step_count = count;
	free( steps );
	free( parent );
	free( chain );
	free( degree );
	free( last );
	free( inner );
	free( size );
}

// ------------------------------------------------------------------------------------------------

oracle_contacts *oracle_contacts_find( const dbvh_mesh_view *a, const dbvh_mesh_view *b, const dbvh_pose *pose,
                                       bool a_moves ) {
	init();
	oracle_contacts *c = must( calloc( 1, sizeof *c ) );
	size_t capacity = 0;
	table t = { 0 };
	const size_t na = a->triangle_count, nb = b->triangle_count;
	bounds *boxes = must( malloc( nb * sizeof *boxes ) );
	double x[9], y[9];
	for ( size_t j = 0; j < nb; ++j ) {
		oracle_triangle( b, j, y );
		boxes[j] = bounds_of( y, a_moves ? NULL : pose );
	}
	for ( size_t i = 0; i < na; ++i ) {
		oracle_triangle( a, i, x );
		const bounds box = bounds_of( x, a_moves ? pose : NULL );
		bool set_a = false;
		for ( size_t j = 0; j < nb; ++j ) {
			if ( are_apart( &box, &boxes[j] ) )
				continue;
			oracle_triangle( b, j, y );
			for ( int k = 0; k < 3; ++k ) {
				if ( !set_a ) {
					set( z.tri[0][k], x + 3 * k );
					if ( a_moves && pose != NULL )
						move( z.tri[0][k], pose );
				}
				set( z.tri[1][k], y + 3 * k );
				if ( !a_moves && pose != NULL )
					move( z.tri[1][k], pose );
			}
			set_a = true;
			const int count = intersect();
			if ( count == 0 )
				continue;
			if ( count > 6 ) {
				fprintf( stderr, "the oracle's polygon has %d corners\n", count );
				exit( EXIT_FAILURE );
			}
			if ( c->contact_count == capacity ) {
				capacity = capacity == 0 ? 64 : 2 * capacity;
				c->contacts = must( realloc( c->contacts, capacity * sizeof *c->contacts ) );
			}
			oracle_contact *found = &c->contacts[c->contact_count++];
			*found = ( oracle_contact ){ .pair = { (uint32_t)i, (uint32_t)j }, .count = count };
			for ( int k = 0; k < count; ++k ) {
				if ( a_moves && pose != NULL )
					move_back( z.in[k], pose );
				found->points[k] = number_of( c, &t, z.in[k] );
			}
		}
	}
	c->point_count = t.count;
	free( t.slots );
	free( boxes );
	derive( c );
	return c;
}

void oracle_contacts_free( oracle_contacts *c ) {
	for ( size_t i = 0; i < c->point_count; ++i ) {
		for ( int k = 0; k < 3; ++k )
			mpq_clear( c->points[i].x[k] );
	}
	free( c->points );
	free( c->contacts );
	free( c );
}

bool oracle_is_nearest( const oracle_contacts *c, uint32_t point, const double position[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		if ( !isfinite( position[k] ) )
			return false;
		// No farther than half way to either neighbour; a tie goes to the even one, which this does not tell.
		mpq_set_d( z.s, position[k] );
		mpq_sub( z.s, c->points[point].x[k], z.s );
		const int side = mpq_sgn( z.s );
		if ( side == 0 )
			continue;
		mpq_set_d( z.t[0], nextafter( position[k], side > 0 ? INFINITY : -INFINITY ) );
		mpq_set_d( z.t[1], position[k] );
		mpq_sub( z.t[0], z.t[0], z.t[1] );
		mpq_add( z.s, z.s, z.s );
		mpq_abs( z.s, z.s );
		mpq_abs( z.t[0], z.t[0] );
		if ( mpq_cmp( z.s, z.t[0] ) > 0 )
			return false;
	}
	return true;
}
