// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "query/overlap/soup.h"

#include "base/hash.h"
#include "exact/number/dyadic.h"

#include <math.h>
#include <string.h>

#define U 0x1p-53
// Coordinates are below 2^COORDINATE_BITS units before the random steps.
#define COORDINATE_BITS 49

// ------------------------------------------------------------------------------------------------
// Triangles

// The steps of a sign that doubles decide, and of one that they do not: that takes a microsecond or two.
#define ROUGH_STEPS 1
#define EXACT_STEPS 64

bool dbvhi_soup_charge( dbvhi_soup *soup ) {
	const uint64_t work = soup->work;
	soup->work = 0;
	return dbvhi_overlap_charge( soup->o, work );
}

// Charge some steps for each triangle or corner. False if the budget is spent.
static bool count_steps( dbvhi_soup *soup, uint64_t steps ) {
	soup->work += steps;
	return soup->work < 1024 || dbvhi_soup_charge( soup );
}

// Add what one triangle of a mesh counts to that which stands for it and its copies.
static void count_triangle( const dbvhi_soup *soup, int m, int winding, bool alike, dbvhi_soup_triangle *out ) {
	if ( soup->o->body[m].tree->options.fill == DBVH_FILL_RULE_EVEN_ODD ) {
		out->parity += 1;
		return;
	}
	if ( winding == 1 || winding == -1 )
		out->winding += alike ? winding : -winding;
	out->parity += winding == DBVHI_WINDING_PARITY;
}

static bool has_three_corners( const dbvhi_topology *t, uint32_t i ) {
	const uint32_t *c = t->corner + 3 * (size_t)i;
	return c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
}

// The edge of a triangle at which the fewest triangles are.
static uint32_t least_edge( const dbvhi_topology *t, uint32_t i ) {
	uint32_t least = t->edge[3 * (size_t)i];
	for ( size_t k = 1; k < 3; ++k ) {
		const uint32_t e = t->edge[3 * (size_t)i + k];
		if ( t->edge_begin[e + 1] - t->edge_begin[e] < t->edge_begin[least + 1] - t->edge_begin[least] )
			least = e;
	}
	return least;
}

// The lowest triangle on the same three points: `i` itself, mostly.
static uint32_t lowest_copy( const dbvhi_topology *t, uint32_t i ) {
	const uint32_t *c = t->corner + 3 * (size_t)i, edge = least_edge( t, i );
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		const uint32_t *d = t->corner + 3 * (size_t)( t->side[k] / 3 );
		int common = 0;
		for ( int j = 0; j < 3; ++j )
			common += d[j] == c[0] || d[j] == c[1] || d[j] == c[2];
		if ( common == 3 && has_three_corners( t, t->side[k] / 3 ) )
			return t->side[k] / 3;
	}
	return i;
}

// Find the components that their triangles with an area do not close: `open` gets 1 for these. False if the budget is
// spent.
static bool find_open( dbvhi_soup *soup, const dbvhi_topology *t, uint8_t *open ) {
	memset( open, 0, t->component_count );
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		uint32_t count = 0;
		for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k )
			count += !t->degenerate[t->side[k] / 3] && t->winding[t->side[k] / 3] != DBVHI_WINDING_COPY;
		if ( count % 2 != 0 )
			open[t->component[t->side[t->edge_begin[e]] / 3]] = 1;
		if ( !count_steps( soup, 1 ) )
			return false;
	}
	return true;
}

// The only other triangle at an edge that closes its component with the others, by its side; DBVHI_NONE if there are
// more of them.
static uint32_t only_other( const dbvhi_topology *t, uint32_t side ) {
	const uint32_t edge = t->edge[side];
	uint32_t found = DBVHI_NONE;
	for ( uint32_t k = t->edge_begin[edge]; k < t->edge_begin[edge + 1]; ++k ) {
		if ( t->side[k] == side || t->winding[t->side[k] / 3] == DBVHI_WINDING_COPY )
			continue;
		if ( found != DBVHI_NONE )
			return DBVHI_NONE;
		found = t->side[k];
	}
	return found;
}

// Orient the triangles without an area of components that they close: `winding` is that of the topology, in which they
// have none. They run against their neighbours, as those with an area do (mesh/winding.c); where an edge has more than
// two triangles, all of them run as they are. `queue` has room for all triangles.
static void orient_degenerate( const dbvhi_topology *t, const uint8_t *open, int8_t *winding, uint32_t *queue ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		winding[i] = t->winding[i];
		if ( open[t->component[i]] && !t->degenerate[i] )
			queue[count++] = i;
	}
	for ( size_t at = 0; at < count; ++at ) {
		for ( uint32_t side = 3 * queue[at]; side < 3 * queue[at] + 3; ++side ) {
			const uint32_t across = t->edge[side] == DBVHI_NO_EDGE ? DBVHI_NONE : only_other( t, side );
			if ( across == DBVHI_NONE || winding[across / 3] != 0 || !has_three_corners( t, across / 3 ) )
				continue;
			const int8_t own = winding[side / 3];
			const bool against = dbvhi_topology_start( t, across ) != dbvhi_topology_start( t, side );
			winding[across / 3] = against || own == DBVHI_WINDING_PARITY ? own : (int8_t)-own;
			queue[count++] = across / 3;
		}
	}
	for ( uint32_t i = 0; i < t->triangle_count; ++i )
		winding[i] = open[t->component[i]] && winding[i] == 0 ? 1 : winding[i];
}

// Room to orient the triangles of a mesh.
typedef struct orienting {
	uint8_t *open;   // by component
	int8_t *winding; // by triangle
	uint32_t *queue;
} orienting;

static bool orienting_begin( orienting *r, const dbvhi_topology *t, const dbvh_allocator *a ) {
	r->open = dbvhi_alloc( a, t->component_count + 1, sizeof *r->open );
	r->winding = dbvhi_alloc( a, t->triangle_count, sizeof *r->winding );
	r->queue = dbvhi_alloc( a, t->triangle_count, sizeof *r->queue );
	return r->open != NULL && r->winding != NULL && r->queue != NULL;
}

static void orienting_end( orienting *r, const dbvhi_topology *t, const dbvh_allocator *a ) {
	dbvhi_free( a, r->open, t->component_count + 1, sizeof *r->open );
	dbvhi_free( a, r->winding, t->triangle_count, sizeof *r->winding );
	dbvhi_free( a, r->queue, t->triangle_count, sizeof *r->queue );
}

static dbvhi_overlap_outcome list_triangles( dbvhi_soup *soup, int m, const orienting *r ) {
	const dbvhi_topology *t = soup->o->body[m].topology;
	const uint32_t first_corner = m == 0 ? 0 : (uint32_t)soup->o->body[0].topology->point_count;
	for ( uint32_t i = 0; i < t->triangle_count; ++i ) {
		soup->index[m][i] = DBVHI_NONE;
		if ( !t->even[t->component[i]] || !has_three_corners( t, i ) ||
		     ( t->degenerate[i] && !r->open[t->component[i]] ) )
			continue;
		const uint32_t lowest = lowest_copy( t, i );
		if ( soup->index[m][lowest] == DBVHI_NONE ) {
			soup->index[m][lowest] = (uint32_t)soup->triangle_count;
			dbvhi_soup_triangle *added = &soup->triangle[soup->triangle_count++];
			*added = ( dbvhi_soup_triangle ){ .source = lowest, .body = (uint8_t)m };
			for ( size_t k = 0; k < 3; ++k )
				added->corner[k] = first_corner + t->corner[3 * (size_t)lowest + k];
		}
		count_triangle( soup, m, r->winding[i], dbvhi_topology_same_turn( t, lowest, i ),
		                &soup->triangle[soup->index[m][lowest]] );
		if ( !count_steps( soup, 2 ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	return DBVHI_OVERLAP_OK;
}

static dbvhi_overlap_outcome add_triangles( dbvhi_soup *soup, int m ) {
	const dbvh_allocator *a = &soup->o->allocator;
	const dbvhi_topology *t = soup->o->body[m].topology;
	orienting r;
	soup->index[m] = dbvhi_alloc( a, t->triangle_count, sizeof *soup->index[m] );
	dbvhi_overlap_outcome outcome = DBVHI_OVERLAP_NO_MEMORY;
	if ( orienting_begin( &r, t, a ) && soup->index[m] != NULL ) {
		outcome = DBVHI_OVERLAP_STOPPED;
		if ( find_open( soup, t, r.open ) ) {
			orient_degenerate( t, r.open, r.winding, r.queue );
			outcome = list_triangles( soup, m, &r );
		}
	}
	orienting_end( &r, t, a );
	return outcome;
}

// Leave out triangles that make no difference.
static void drop_triangles( dbvhi_soup *soup ) {
	size_t kept = 0;
	for ( size_t i = 0; i < soup->triangle_count; ++i ) {
		dbvhi_soup_triangle *t = &soup->triangle[i];
		t->parity %= 2;
		const bool counts = t->winding != 0 || t->parity != 0;
		soup->index[t->body][t->source] = counts ? (uint32_t)kept : DBVHI_NONE;
		if ( counts )
			soup->triangle[kept++] = *t;
	}
	soup->triangle_count = kept;
}

// True if each edge of a mesh has what makes winding numbers and parities well defined.
static bool is_closed( const dbvhi_soup *soup, int m ) {
	const dbvhi_topology *t = soup->o->body[m].topology;
	for ( size_t e = 0; e < t->edge_count; ++e ) {
		const uint32_t start = dbvhi_topology_start( t, t->side[t->edge_begin[e]] );
		int32_t winding = 0, parity = 0;
		for ( uint32_t k = t->edge_begin[e]; k < t->edge_begin[e + 1]; ++k ) {
			const uint32_t side = t->side[k], at = soup->index[m][side / 3];
			if ( at == DBVHI_NONE )
				continue;
			winding +=
			    dbvhi_topology_start( t, side ) == start ? soup->triangle[at].winding : -soup->triangle[at].winding;
			parity += soup->triangle[at].parity;
		}
		if ( winding != 0 || parity % 2 != 0 )
			return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// Corners

// Find the box of the triangles of each mesh.
static dbvhi_overlap_outcome find_boxes( dbvhi_soup *soup ) {
	for ( int k = 0; k < 6; ++k ) {
		soup->low[k / 3][k % 3] = INFINITY;
		soup->high[k / 3][k % 3] = -INFINITY;
	}
	for ( size_t i = 0; i < soup->triangle_count; ++i ) {
		const dbvhi_soup_triangle *t = &soup->triangle[i];
		for ( size_t k = 0; k < 9; ++k ) {
			const double x = soup->corner[3 * (size_t)t->corner[k / 3] + k % 3];
			double *low = &soup->low[t->body][k % 3], *high = &soup->high[t->body][k % 3];
			*low = x < *low ? x : *low;
			*high = x > *high ? x : *high;
		}
		if ( !count_steps( soup, 1 ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	return DBVHI_OVERLAP_OK;
}

// Choose the centre of what the boxes of both have in common, and a unit in which all coordinates are short.
static void choose_grid( dbvhi_soup *soup ) {
	double most = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *low = soup->low[0] + k, *high = soup->high[0] + k;
		const double from = fmax( low[0], low[3] ), to = fmin( high[0], high[3] );
		soup->centre[k] = 0.5 * from + 0.5 * to;
		most =
		    fmax( most, fmax( fmax( high[0], high[3] ) - soup->centre[k], soup->centre[k] - fmin( low[0], low[3] ) ) );
	}
	DBVHI_ASSERT( most < INFINITY );
	int exponent = 0;
	frexp( most, &exponent );
	soup->unit = exponent - COORDINATE_BITS;
}

// A random whole number from -2^bits to 2^bits.
static double random_step( uint64_t seed, int bits ) {
	const uint64_t word = dbvhi_hash_word( dbvhi_hash_word( DBVHI_HASH_SEED, (uint64_t)bits ), seed );
	return (double)( word >> ( 63 - bits ) ) - ldexp( 1.0, bits );
}

// A coordinate in units, before the random step.
static double in_units( const dbvhi_soup *soup, double x, size_t axis ) {
	return rint( ldexp( x - soup->centre[axis], -soup->unit ) );
}

// Move the corners from where they are to the grid.
static dbvhi_overlap_outcome move_corners( dbvhi_soup *soup, int bits ) {
	choose_grid( soup );
	for ( size_t i = 0; i < 3 * soup->corner_count; ++i ) {
		soup->corner[i] = in_units( soup, soup->corner[i], i % 3 ) + random_step( i, bits );
		if ( !count_steps( soup, 1 ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	const double most = ldexp( 1.0, bits );
	for ( size_t k = 0; k < 6; ++k ) {
		soup->low[k / 3][k % 3] = in_units( soup, soup->low[k / 3][k % 3], k % 3 ) - most;
		soup->high[k / 3][k % 3] = in_units( soup, soup->high[k / 3][k % 3], k % 3 ) + most;
	}
	// note: the difference is rounded by at most u 2^49 units, the quotient by half a unit.
	soup->step = most + 0.6 + ldexp( soup->o->error, -soup->unit );
	return DBVHI_OVERLAP_OK;
}

static dbvhi_overlap_outcome place_corners( dbvhi_soup *soup, int bits ) {
	const dbvh_overlap *o = soup->o;
	soup->corner_count = o->body[0].topology->point_count + o->body[1].topology->point_count;
	soup->corner = dbvhi_alloc( &o->allocator, 3 * soup->corner_count, sizeof *soup->corner );
	if ( soup->corner == NULL )
		return DBVHI_OVERLAP_NO_MEMORY;
	for ( size_t i = 0; i < soup->corner_count; ++i ) {
		dbvhi_node_position( o, (dbvhi_node_id)( o->found.point_count + i ), soup->corner + 3 * i );
		if ( !count_steps( soup, 2 ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	const dbvhi_overlap_outcome outcome = find_boxes( soup );
	return outcome == DBVHI_OVERLAP_OK ? move_corners( soup, bits ) : outcome;
}

bool dbvhi_soup_is_empty( const dbvhi_soup *soup ) {
	size_t count[2] = { 0, 0 };
	for ( size_t i = 0; i < soup->triangle_count; ++i )
		count[soup->triangle[i].body] += 1;
	return count[0] == 0 || count[1] == 0;
}

dbvhi_overlap_outcome dbvhi_soup_make( dbvhi_soup *soup, dbvh_overlap *o, int bits ) {
	soup->o = o;
	soup->generic = true;
	const size_t most = o->body[0].topology->triangle_count + o->body[1].topology->triangle_count;
	soup->triangle = dbvhi_alloc( &o->allocator, most, sizeof *soup->triangle );
	dbvhi_overlap_outcome outcome = soup->triangle != NULL ? DBVHI_OVERLAP_OK : DBVHI_OVERLAP_NO_MEMORY;
	for ( int m = 0; m < 2 && outcome == DBVHI_OVERLAP_OK; ++m )
		outcome = add_triangles( soup, m );
	if ( outcome != DBVHI_OVERLAP_OK )
		return outcome;
	drop_triangles( soup );
	if ( !is_closed( soup, 0 ) || !is_closed( soup, 1 ) )
		return DBVHI_OVERLAP_UNDECIDED;
	return dbvhi_soup_is_empty( soup ) ? DBVHI_OVERLAP_OK : place_corners( soup, bits );
}

void dbvhi_soup_free( dbvhi_soup *soup ) {
	const dbvh_overlap *o = soup->o;
	const dbvh_allocator *a = &o->allocator;
	dbvhi_free( a, soup->corner, 3 * soup->corner_count, sizeof *soup->corner );
	dbvhi_free( a, soup->triangle, o->body[0].topology->triangle_count + o->body[1].topology->triangle_count,
	            sizeof *soup->triangle );
	for ( int m = 0; m < 2; ++m )
		dbvhi_free( a, soup->index[m], o->body[m].topology->triangle_count, sizeof *soup->index[m] );
	memset( soup, 0, sizeof *soup );
}

// ------------------------------------------------------------------------------------------------
// Determinants

void dbvhi_soup_vector( const dbvhi_soup *soup, uint32_t from, uint32_t to, double out[3] ) {
	for ( size_t k = 0; k < 3; ++k )
		out[k] = soup->corner[3 * (size_t)to + k] - soup->corner[3 * (size_t)from + k];
}

// Each product of three is off by at most 4 u of itself by the time that all are added up.
static dbvhi_rough rough_det3( const double u[3], const double v[3], const double w[3] ) {
	dbvhi_rough sum = { 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k ) {
		const int x = k == 2 ? 0 : k + 1, y = x == 2 ? 0 : x + 1;
		const double p = v[x] * w[y], q = v[y] * w[x];
		sum.value += u[k] * ( p - q );
		sum.error += fabs( u[k] ) * ( fabs( p ) + fabs( q ) );
	}
	sum.error *= 8.0 * U;
	return sum;
}

static void exact_det3( const double u[3], const double v[3], const double w[3], dbvhi_dyadic *out ) {
	dbvhi_dyadic_set( out, 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		const int x = k == 2 ? 0 : k + 1, y = x == 2 ? 0 : x + 1;
		dbvhi_dyadic a, b, p, q;
		dbvhi_dyadic_set( &a, v[x] );
		dbvhi_dyadic_set( &b, w[y] );
		dbvhi_dyadic_mul( &p, &a, &b );
		dbvhi_dyadic_set( &a, v[y] );
		dbvhi_dyadic_set( &b, w[x] );
		dbvhi_dyadic_mul( &q, &a, &b );
		dbvhi_dyadic_sub( &p, &p, &q );
		dbvhi_dyadic_set( &a, u[k] );
		dbvhi_dyadic_mul( &p, &p, &a );
		dbvhi_dyadic_add( out, out, &p );
	}
}

static int certain( dbvhi_rough x ) {
	return x.value > x.error ? 1 : x.value < -x.error ? -1 : 0;
}

static int settled( dbvhi_soup *soup, int sign ) {
	soup->work += EXACT_STEPS;
	soup->generic = soup->generic && sign != 0;
	return sign;
}

int dbvhi_soup_det3( dbvhi_soup *soup, const double u[3], const double v[3], const double w[3] ) {
	const int sign = certain( rough_det3( u, v, w ) );
	soup->work += ROUGH_STEPS;
	if ( sign != 0 )
		return sign;
	DBVHI_DYADIC_ROOM;
	dbvhi_dyadic det;
	exact_det3( u, v, w, &det );
	return settled( soup, det.sign );
}

int dbvhi_soup_det2( dbvhi_soup *soup, const double u[2], const double v[2] ) {
	const double p[3] = { u[0], u[1], 0.0 }, q[3] = { v[0], v[1], 0.0 }, up[3] = { 0.0, 0.0, 1.0 };
	return dbvhi_soup_det3( soup, p, q, up );
}

bool dbvhi_soup_has_areas( dbvhi_soup *soup ) {
	for ( size_t i = 0; i < soup->triangle_count; ++i ) {
		const uint32_t *t = soup->triangle[i].corner;
		double u[3], v[3];
		dbvhi_soup_vector( soup, t[0], t[1], u );
		dbvhi_soup_vector( soup, t[0], t[2], v );
		int k = 0;
		while ( k < 3 && u[k] * v[( k + 1 ) % 3] == u[( k + 1 ) % 3] * v[k] )
			k += 1;
		// note: equal where rounded need not be equal.
		soup->generic = soup->generic && k < 3;
	}
	return soup->generic;
}

typedef struct edges {
	double u[3], v[3], w[3];
} edges;

static edges edges_from( const dbvhi_soup *soup, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	edges e;
	dbvhi_soup_vector( soup, a, b, e.u );
	dbvhi_soup_vector( soup, a, c, e.v );
	dbvhi_soup_vector( soup, a, d, e.w );
	return e;
}

int dbvhi_soup_orient( dbvhi_soup *soup, uint32_t a, uint32_t b, uint32_t c, uint32_t d ) {
	const edges e = edges_from( soup, a, b, c, d );
	return dbvhi_soup_det3( soup, e.u, e.v, e.w );
}

int dbvhi_soup_side( dbvhi_soup *soup, uint32_t triangle, uint32_t corner ) {
	const uint32_t *c = soup->triangle[triangle].corner;
	return dbvhi_soup_orient( soup, c[0], c[1], c[2], corner );
}

// ------------------------------------------------------------------------------------------------
// Heights: determinants that are linear in a point. With the heights a, b of an edge's ends above the triangle that it
// crosses, the crossing point is (a to - b from) / (a - b), and so is its height above any other triangle.

static dbvhi_rough rough_height( const dbvhi_soup *soup, uint32_t triangle, uint32_t corner ) {
	const uint32_t *c = soup->triangle[triangle].corner;
	const edges e = edges_from( soup, c[0], c[1], c[2], corner );
	return rough_det3( e.u, e.v, e.w );
}

static void exact_height( const dbvhi_soup *soup, uint32_t triangle, uint32_t corner, dbvhi_dyadic *out ) {
	const uint32_t *c = soup->triangle[triangle].corner;
	const edges e = edges_from( soup, c[0], c[1], c[2], corner );
	exact_det3( e.u, e.v, e.w, out );
}

static dbvhi_rough rough_product( dbvhi_rough x, dbvhi_rough y ) {
	const double value = x.value * y.value;
	return ( dbvhi_rough ){
	    value, ( fabs( x.value ) * y.error + fabs( y.value ) * x.error + x.error * y.error + 2.0 * U * fabs( value ) ) *
	               ( 1.0 + 8.0 * U ) };
}

static dbvhi_rough rough_difference( dbvhi_rough x, dbvhi_rough y ) {
	const double value = x.value - y.value;
	return ( dbvhi_rough ){ value, ( x.error + y.error + 2.0 * U * fabs( value ) ) * ( 1.0 + 8.0 * U ) };
}

// A height as a fraction with a denominator above 0.
typedef struct rough_fraction {
	dbvhi_rough num, den;
} rough_fraction;

typedef struct exact_fraction {
	dbvhi_dyadic num, den;
} exact_fraction;

static rough_fraction rough_height_of_point( const dbvhi_soup *soup, uint32_t triangle,
                                             const dbvhi_crossing_point *p ) {
	if ( p->from == p->to )
		return ( rough_fraction ){ rough_height( soup, triangle, p->from ), { 1.0, 0.0 } };
	const dbvhi_rough a = rough_height( soup, p->triangle, p->from ), b = rough_height( soup, p->triangle, p->to );
	rough_fraction f = { .num = rough_difference( rough_product( a, rough_height( soup, triangle, p->to ) ),
	                                              rough_product( b, rough_height( soup, triangle, p->from ) ) ),
	                     .den = rough_difference( a, b ) };
	if ( f.den.value < 0.0 ) {
		f.num.value = -f.num.value;
		f.den.value = -f.den.value;
	}
	return f;
}

static void exact_height_of_point( const dbvhi_soup *soup, uint32_t triangle, const dbvhi_crossing_point *p,
                                   exact_fraction *out ) {
	if ( p->from == p->to ) {
		exact_height( soup, triangle, p->from, &out->num );
		dbvhi_dyadic_set( &out->den, 1.0 );
		return;
	}
	dbvhi_dyadic a, b, at_from, at_to;
	exact_height( soup, p->triangle, p->from, &a );
	exact_height( soup, p->triangle, p->to, &b );
	exact_height( soup, triangle, p->from, &at_from );
	exact_height( soup, triangle, p->to, &at_to );
	dbvhi_dyadic_mul( &at_to, &at_to, &a );
	dbvhi_dyadic_mul( &at_from, &at_from, &b );
	dbvhi_dyadic_sub( &out->num, &at_to, &at_from );
	dbvhi_dyadic_sub( &out->den, &a, &b );
	if ( out->den.sign < 0 ) {
		out->den.sign = -out->den.sign;
		out->num.sign = -out->num.sign;
	}
}

int dbvhi_soup_side_of_point( dbvhi_soup *soup, uint32_t triangle, const dbvhi_crossing_point *p ) {
	const rough_fraction f = rough_height_of_point( soup, triangle, p );
	soup->work += 4 * ROUGH_STEPS;
	// note: the denominator is only known to be the rounded one where its sign is certain.
	if ( certain( f.den ) != 0 && certain( f.num ) != 0 )
		return certain( f.num );
	DBVHI_DYADIC_ROOM;
	exact_fraction exact;
	exact_height_of_point( soup, triangle, p, &exact );
	return settled( soup, exact.num.sign );
}

// ------------------------------------------------------------------------------------------------
// Positions

// Heights are known well enough if errors are below this part of their sum.
#define GOOD 0x1p-46

static dbvhi_rough nearest_double( const dbvhi_dyadic *num, const dbvhi_dyadic *den ) {
	int num_exponent, den_exponent;
	const dbvhi_dd n = dbvhi_leading_digits( num, &num_exponent ), d = dbvhi_leading_digits( den, &den_exponent );
	if ( n.hi == 0.0 )
		return ( dbvhi_rough ){ 0.0, 0.0 };
	const double value = ldexp( n.hi / d.hi, num_exponent - den_exponent );
	return ( dbvhi_rough ){ value, 4.0 * U * fabs( value ) + 0x1p-1000 };
}

// a / (a - b) of two heights of different signs.
static dbvhi_rough rough_ratio( dbvhi_rough a, dbvhi_rough b ) {
	const double sum = fabs( a.value ) + fabs( b.value );
	const double value = fabs( a.value ) / sum;
	// note: the quotient changes by at most (|da| + |db|) / (|a| + |b|), with those that are exact.
	return ( dbvhi_rough ){ value, 2.0 * ( a.error + b.error ) / sum + 4.0 * U };
}

double dbvhi_soup_position( dbvhi_soup *soup, const dbvhi_crossing_point *p, double out[3] ) {
	const double *from = soup->corner + 3 * (size_t)p->from, *to = soup->corner + 3 * (size_t)p->to;
	if ( p->from == p->to ) {
		memcpy( out, from, 3 * sizeof *out );
		return 0.0;
	}
	const dbvhi_rough a = rough_height( soup, p->triangle, p->from ), b = rough_height( soup, p->triangle, p->to );
	dbvhi_rough at;
	if ( a.error + b.error <= GOOD * ( fabs( a.value ) + fabs( b.value ) ) ) {
		at = rough_ratio( a, b );
	} else {
		soup->work += EXACT_STEPS;
		DBVHI_DYADIC_ROOM;
		dbvhi_dyadic x, y;
		exact_height( soup, p->triangle, p->from, &x );
		exact_height( soup, p->triangle, p->to, &y );
		dbvhi_dyadic_sub( &y, &x, &y );
		at = nearest_double( &x, &y );
	}
	soup->work += 2 * ROUGH_STEPS;
	double error = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double way = to[k] - from[k];
		out[k] = from[k] + at.value * way;
		error = fmax( error, fabs( way ) * ( at.error + 2.0 * U ) + 2.0 * U * fabs( out[k] ) );
	}
	return error;
}

dbvhi_rough dbvhi_soup_ratio( dbvhi_soup *soup, uint32_t triangle, const dbvhi_crossing_point *from,
                              const dbvhi_crossing_point *to ) {
	const rough_fraction p = rough_height_of_point( soup, triangle, from ),
	                     q = rough_height_of_point( soup, triangle, to );
	soup->work += 8 * ROUGH_STEPS;
	if ( certain( p.den ) != 0 && certain( q.den ) != 0 ) {
		const dbvhi_rough a = rough_product( p.num, q.den ), b = rough_product( q.num, p.den );
		if ( a.error + b.error <= GOOD * ( fabs( a.value ) + fabs( b.value ) ) )
			return rough_ratio( a, b );
	}
	soup->work += 2 * EXACT_STEPS;
	DBVHI_DYADIC_ROOM;
	exact_fraction x, y;
	exact_height_of_point( soup, triangle, from, &x );
	exact_height_of_point( soup, triangle, to, &y );
	dbvhi_dyadic_mul( &x.num, &x.num, &y.den );
	dbvhi_dyadic_mul( &y.num, &y.num, &x.den );
	dbvhi_dyadic_sub( &y.num, &x.num, &y.num );
	return nearest_double( &x.num, &y.num );
}
