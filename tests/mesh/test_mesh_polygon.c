// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Polygons of OFF files become triangles: whether a polygon is taken, and what it becomes, beside plain definitions in
// whole numbers of any length. The corners are whole numbers in a plane that is tilted by whole numbers, so that they
// lie in it exactly.

#include "mesh/meshes.h"
#include "support/rng.h"
#include "support/rounds.h"

#include <gmp.h>
#include <math.h>

typedef struct polygon {
	double ( *p )[2];
	size_t count, capacity;
} polygon;

static void put( polygon *g, double x, double y ) {
	if ( g->count == g->capacity ) {
		g->capacity = 2 * g->capacity + 16;
		g->p = realloc( g->p, g->capacity * sizeof *g->p );
		assert_non_null( g->p );
	}
	g->p[g->count][0] = x;
	g->p[g->count++][1] = y;
}

// ------------------------------------------------------------------------------------------------
// The oracle

static mpz_t number[7];

static void numbers_begin( void ) {
	for ( int i = 0; i < 7; ++i )
		mpz_init( number[i] );
}

static void numbers_end( void ) {
	for ( int i = 0; i < 7; ++i )
		mpz_clear( number[i] );
}

// Twice the signed area, in number[6]; returns its sign.
static int area_of( const double *a, const double *b, const double *c ) {
	const double *const from[4] = { b, c, b, c };
	static const int axis[4] = { 0, 1, 1, 0 };
	for ( int i = 0; i < 4; ++i ) {
		mpz_set_d( number[i], from[i][axis[i]] );
		mpz_set_d( number[4], a[axis[i]] );
		mpz_sub( number[i], number[i], number[4] );
	}
	mpz_mul( number[6], number[0], number[1] );
	mpz_submul( number[6], number[2], number[3] );
	return mpz_sgn( number[6] );
}

static bool same( const double *p, const double *q ) {
	return p[0] == q[0] && p[1] == q[1];
}

static bool between( const double *a, const double *b, const double *p ) { // p is collinear with a and b
	return fmin( a[0], b[0] ) <= p[0] && p[0] <= fmax( a[0], b[0] ) && fmin( a[1], b[1] ) <= p[1] &&
	       p[1] <= fmax( a[1], b[1] );
}

static bool on_segment( const double *a, const double *b, const double *p ) {
	return area_of( a, b, p ) == 0 && between( a, b, p );
}

static bool segments_meet( const double *a, const double *b, const double *c, const double *d ) {
	if ( on_segment( a, b, c ) || on_segment( a, b, d ) || on_segment( c, d, a ) || on_segment( c, d, b ) )
		return true;
	return area_of( a, b, c ) * area_of( a, b, d ) < 0 && area_of( c, d, a ) * area_of( c, d, b ) < 0;
}

// The polygon without corners that repeat the one before.
static polygon without_repeats( const polygon *g ) {
	polygon out = { 0 };
	for ( size_t i = 0; i < g->count; ++i )
		if ( !same( g->p[i], g->p[( i + g->count - 1 ) % g->count] ) )
			put( &out, g->p[i][0], g->p[i][1] );
	return out;
}

static bool is_flat( const polygon *g ) {
	for ( size_t i = 0; i < g->count; ++i )
		for ( size_t k = 0; k < g->count; ++k )
			if ( area_of( g->p[0], g->p[i], g->p[k] ) != 0 )
				return false;
	return true;
}

// The definition of a simple polygon: edges meet only where one follows the other.
static bool is_simple( const polygon *g ) {
	const size_t n = g->count;
	for ( size_t i = 0; i < n; ++i ) {
		const double *a = g->p[i], *b = g->p[( i + 1 ) % n], *c = g->p[( i + 2 ) % n];
		if ( on_segment( a, b, c ) || on_segment( b, c, a ) )
			return false;
		for ( size_t k = i + 2; k < n; ++k )
			if ( ( k + 1 ) % n != i && segments_meet( a, b, g->p[k], g->p[( k + 1 ) % n] ) )
				return false;
	}
	return true;
}

// ------------------------------------------------------------------------------------------------
// As a file

// x and y go to two of the three axes, and the third is a whole multiple of them.
typedef struct tilt {
	int axis;
	double slope[2], offset, scale;
} tilt;

static tilt random_tilt( rng *r ) {
	static const double scales[] = { 1.0, 1.0, 0x1p-40, 0x1p60, 0x1p-1060, 0x1p970 };
	return ( tilt ){ (int)rng_below( r, 3 ),
	                 { (double)rng_below( r, 7 ) - 3.0, (double)rng_below( r, 7 ) - 3.0 },
	                 (double)rng_below( r, 100 ),
	                 scales[rng_below( r, 6 )] };
}

static void place( const tilt *t, const double *p, double out[3] ) {
	out[t->axis] = t->scale * ( t->slope[0] * p[0] + t->slope[1] * p[1] + t->offset );
	out[( t->axis + 1 ) % 3] = t->scale * p[0];
	out[( t->axis + 2 ) % 3] = t->scale * p[1];
}

static char *as_text( const polygon *g, const tilt *t ) {
	char *text = malloc( 64 + 100 * g->count );
	assert_non_null( text );
	char *at = text + sprintf( text, "OFF\n%zu 1 0\n", g->count );
	for ( size_t i = 0; i < g->count; ++i ) {
		double p[3];
		place( t, g->p[i], p );
		at += sprintf( at, "%.17g %.17g %.17g\n", p[0], p[1], p[2] );
	}
	at += sprintf( at, "%zu", g->count );
	for ( size_t i = 0; i < g->count; ++i )
		at += sprintf( at, " %zu", i );
	sprintf( at, "\n" );
	return text;
}

static dbvh_status parse_polygon( const polygon *g, const tilt *t, dbvh_mesh **mesh, dbvh_error *error ) {
	char *text = as_text( g, t );
	const dbvh_status status = parse_text( text, DBVH_MESH_FORMAT_OFF, mesh, error );
	free( text );
	return status;
}

// ------------------------------------------------------------------------------------------------
// What triangles must be

typedef struct edge_count {
	uint32_t from, to;
	int count;
} edge_count;

static int compare_edges( const void *a, const void *b ) {
	const edge_count *p = a, *q = b;
	if ( p->from != q->from )
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

static edge_count directed( uint32_t from, uint32_t to, int sign ) {
	return from < to ? ( edge_count ){ from, to, sign } : ( edge_count ){ to, from, -sign };
}

// For each corner the first one at its place; of many corners, the corner itself.
static uint32_t *points_of( const polygon *g ) {
	uint32_t *points = malloc( g->count * sizeof *points );
	assert_non_null( points );
	for ( uint32_t i = 0; i < g->count; ++i ) {
		points[i] = i;
		for ( uint32_t k = 0; k < i && g->count < 1000 && points[i] == i; ++k )
			points[i] = same( g->p[k], g->p[i] ) ? k : i;
	}
	return points;
}

// All triangles go round the same way as the polygon, and their edges cancel but for the polygon's own. Each point is
// then covered as often as the polygon goes round it: once inside, never outside.
static void check_triangles( const polygon *g, const uint32_t *t, bool is_repeated ) {
	const size_t n = g->count;
	edge_count *edges = malloc( ( 3 * ( n - 2 ) + n ) * sizeof *edges );
	assert_non_null( edges );
	size_t count = 0;
	uint32_t *points = points_of( g );
	mpz_t sum, whole;
	mpz_inits( sum, whole, NULL );
	for ( size_t i = 1; i + 1 < n; ++i ) {
		area_of( g->p[0], g->p[i], g->p[i + 1] );
		mpz_add( whole, whole, number[6] );
	}
	const int sign = mpz_sgn( whole );
	for ( size_t i = 0; i + 2 < n; ++i ) {
		const uint32_t *c = t + 3 * i;
		const int turn = area_of( g->p[c[0]], g->p[c[1]], g->p[c[2]] );
		mpz_add( sum, sum, number[6] );
		assert_true( turn == 0 || turn == sign );
		for ( int k = 0; k < 3; ++k )
			edges[count++] = directed( points[c[k]], points[c[( k + 1 ) % 3]], 1 );
	}
	assert_int_equal( mpz_cmp( sum, whole ), 0 );
	mpz_clears( sum, whole, NULL );
	for ( uint32_t i = 0; i < n; ++i )
		edges[count++] = directed( points[i], points[( i + 1 ) % (uint32_t)n], -1 );
	free( points );
	if ( !is_repeated ) { // else corners at one point stand for each other
		qsort( edges, count, sizeof *edges, compare_edges );
		for ( size_t i = 0; i < count; ) {
			int balance = 0;
			const size_t first = i;
			for ( ; i < count && compare_edges( &edges[i], &edges[first] ) == 0; ++i )
				balance += edges[i].count;
			assert_int_equal( balance, 0 );
		}
	}
	free( edges );
}

// Two triangles have no inner point in common: an edge of one has all of the other on its far side.
static bool are_disjoint( const polygon *g, const uint32_t *t, const uint32_t *u, int sign ) {
	for ( int side = 0; side < 2; ++side ) {
		const uint32_t *a = side == 0 ? t : u, *b = side == 0 ? u : t;
		for ( int k = 0; k < 3; ++k ) {
			bool separates = true;
			for ( int i = 0; i < 3; ++i )
				separates = separates && sign * area_of( g->p[a[k]], g->p[a[( k + 1 ) % 3]], g->p[b[i]] ) <= 0;
			if ( separates )
				return true;
		}
	}
	return false;
}

static void check_pairs( const polygon *g, const uint32_t *t ) {
	for ( size_t i = 0; i + 2 < g->count; ++i ) {
		const uint32_t *a = t + 3 * i;
		const int sign = area_of( g->p[a[0]], g->p[a[1]], g->p[a[2]] );
		for ( size_t k = 0; k < i && sign != 0; ++k ) {
			const uint32_t *b = t + 3 * k;
			if ( area_of( g->p[b[0]], g->p[b[1]], g->p[b[2]] ) != 0 )
				assert_true( are_disjoint( g, a, b, sign ) );
		}
	}
}

typedef struct tally {
	size_t taken, refused, repeated, fans, flat;
} tally;

// Takes the polygon to a file and back, and checks what became of it.
static void check_polygon( rng *r, const polygon *g, bool slow, tally *out ) {
	polygon reduced = without_repeats( g );
	tilt t = random_tilt( r );
	t.scale = slow ? t.scale : 1.0; // else every decision is one of long numbers
	dbvh_mesh *mesh;
	dbvh_error error;
	const dbvh_status status = parse_polygon( g, &t, &mesh, &error );
	const bool flat = slow && is_flat( &reduced ), simple = reduced.count < 3 || flat || !slow || is_simple( &reduced );
	if ( ( status == DBVH_OK ) != simple ) {
		char *text = as_text( g, &( tilt ){ 2, { 0, 0 }, 0, 1 } );
		printf( "%s (%s), but %s:\n%s", dbvh_status_name( status ), error.text, simple ? "simple" : "not simple",
		        text );
		free( text );
	}
	assert_int_equal( status == DBVH_OK, simple );
	free( reduced.p );
	if ( status != DBVH_OK ) {
		assert_int_equal( status, DBVH_MALFORMED );
		assert_int_equal( error.element, 0 );
		assert_true( error.line > 0 );
		assert_true( strncmp( error.text, "face 0 ", 7 ) == 0 );
		out->refused += 1;
		out->repeated += strstr( error.text, "to one point twice" ) != NULL;
		return;
	}
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	assert_int_equal( view.triangle_count, g->count - 2 );
	const uint32_t *triangles = view.indices;
	bool fan = true;
	for ( size_t i = 0; i < view.triangle_count; ++i )
		fan = fan && triangles[3 * i] == 0 && triangles[3 * i + 1] == i + 1 && triangles[3 * i + 2] == i + 2;
	out->fans += fan;
	out->flat += flat;
	out->taken += 1;
	if ( !flat )
		check_triangles( g, triangles, reduced.count < g->count );
	if ( slow )
		check_pairs( g, triangles );
	const dbvh_mesh_faces faces = dbvh_mesh_get_faces( mesh );
	assert_int_equal( faces.polygon_count, g->count > 3 );
	assert_true( fan || faces.concave_count == 1 );
	assert_int_equal( faces.nonplanar_count, 0 );
	dbvh_mesh_destroy( mesh );
}

static void print_tally( const char *name, const tally *t ) {
	printf( "%s: %zu taken (%zu fans, %zu flat), %zu refused (%zu for a point that comes twice)\n", name, t->taken,
	        t->fans, t->flat, t->refused, t->repeated );
}

// ------------------------------------------------------------------------------------------------
// Small ones: any corners on a small grid, most of them crooked

static void small_polygons( void **state ) {
	(void)state;
	rng r = rng_announce( "polygon: small", 1 );
	tally t = { 0 };
	for ( size_t round = rounds( 20000 ); round-- > 0; ) {
		polygon g = { 0 };
		const size_t count = 4 + (size_t)rng_below( &r, 5 );
		const uint64_t size = 2 + rng_below( &r, 6 );
		for ( size_t i = 0; i < count; ++i ) {
			if ( i > 0 && rng_below( &r, 20 ) == 0 )
				put( &g, g.p[i - 1][0], g.p[i - 1][1] );
			else
				put( &g, (double)rng_below( &r, size ), (double)rng_below( &r, size ) );
		}
		check_polygon( &r, &g, true, &t );
		free( g.p );
	}
	print_tally( "small", &t );
	assert_outcomes( t.taken > t.fans && t.fans > 0 && t.refused > t.repeated && t.repeated > 0 && t.flat > 0 );
}

// ------------------------------------------------------------------------------------------------
// Simple ones by construction

// Around a point, by angle, with radii from 1 to 2^20; corners are rounded to whole numbers, which keeps them in order
// where they are far enough out.
static void put_star( rng *r, polygon *g, size_t count, bool wild ) {
	for ( size_t i = 0; i < count; ++i ) {
		const double angle = 6.283185307179586 * (double)i / (double)count;
		const double radius = wild ? ldexp( 1.0, 30 - (int)rng_below( r, 8 ) ) : rng_range( r, 0x1p29, 0x1p30 );
		put( g, rint( radius * cos( angle ) ), rint( radius * sin( angle ) ) );
	}
}

// Teeth of equal or random length on a back, all at whole numbers, so that many corners share lines.
static void put_comb( rng *r, polygon *g, size_t teeth, bool same_length ) {
	put( g, 0, -1 );
	put( g, (double)( 2 * teeth ), -1 );
	for ( size_t i = teeth; i-- > 0; ) {
		const double y = same_length ? 8.0 : 1.0 + (double)rng_below( r, 9 );
		put( g, (double)( 2 * i + 2 ), 0 );
		put( g, (double)( 2 * i + 2 ), y );
		put( g, (double)( 2 * i + 1 ), y );
		put( g, (double)( 2 * i + 1 ), 0 );
	}
	put( g, 0, 0 );
}

// A square spiral: out along its outside and back along its inside.
static void put_spiral( polygon *g, size_t turns ) {
	polygon inner = { 0 };
	for ( size_t i = 0; i < turns; ++i ) {
		const double a = 4.0 * (double)( turns - i ), next = a - 4.0;
		put( g, -a, -a );
		put( g, a, -a );
		put( g, a, a );
		put( g, -next - 2, a ); // on to the next turn
		put( g, -next - 2, -next );
		put( &inner, -a + 1, -a + 1 );
		put( &inner, a - 1, -a + 1 );
		put( &inner, a - 1, a - 1 );
		put( &inner, -next - 1, a - 1 );
		put( &inner, -next - 1, -next + 1 );
		put( g, -next, -next );
		g->count -= 2;
		inner.count -= 1;
	}
	for ( size_t i = inner.count; i-- > 0; )
		put( g, inner.p[i][0], inner.p[i][1] );
	free( inner.p );
}

// A zigzag with a straight back, or between two zigzags.
static void put_saw( rng *r, polygon *g, size_t teeth ) {
	for ( size_t i = 0; i < teeth; ++i )
		put( g, (double)i, i % 2 == 0 ? 0.0 : 3.0 + (double)rng_below( r, 5 ) );
	for ( size_t i = teeth; i-- > 0; )
		put( g, (double)i, -1.0 - (double)rng_below( r, 2 ) );
}

// Corners on the edges, and some twice.
static polygon with_runs( rng *r, const polygon *g ) {
	polygon out = { 0 };
	for ( size_t i = 0; i < g->count; ++i ) {
		const double *a = g->p[i], *b = g->p[( i + 1 ) % g->count];
		put( &out, 4 * a[0], 4 * a[1] );
		for ( int k = 1; k < 4; ++k )
			if ( rng_below( r, 3 ) == 0 )
				put( &out, ( 4 - k ) * a[0] + k * b[0], ( 4 - k ) * a[1] + k * b[1] );
		while ( rng_below( r, 10 ) == 0 )
			put( &out, out.p[out.count - 1][0], out.p[out.count - 1][1] );
	}
	return out;
}

static void turn_about( rng *r, polygon *g ) {
	// Another first corner, another sense, mirrored, turned by a right angle.
	const size_t first = (size_t)rng_below( r, g->count );
	const bool back = rng_below( r, 2 ) == 0, swap = rng_below( r, 2 ) == 0;
	polygon out = { 0 };
	for ( size_t i = 0; i < g->count; ++i ) {
		const double *p = g->p[( back ? first + g->count - i : first + i ) % g->count];
		put( &out, p[swap], p[!swap] );
	}
	free( g->p );
	*g = out;
}

static void make_polygon( rng *r, polygon *g, int kind, size_t size ) {
	switch ( kind ) {
	case 0:
		put_star( r, g, size + 3, false );
		break;
	case 1:
		put_star( r, g, size + 3, true );
		break;
	case 2:
		put_comb( r, g, size / 4 + 1, false );
		break;
	case 3:
		put_comb( r, g, size / 4 + 1, true );
		break;
	case 4:
		put_spiral( g, size / 8 + 1 );
		break;
	default:
		put_saw( r, g, size / 2 + 2 );
	}
}

static void simple_polygons( void **state ) {
	(void)state;
	rng r = rng_announce( "polygon: simple", 2 );
	tally t = { 0 };
	for ( size_t round = rounds( 900 ); round-- > 0; ) {
		polygon g = { 0 };
		make_polygon( &r, &g, (int)( round % 6 ), 1 + (size_t)rng_below( &r, 30 ) );
		if ( round % 2 == 0 ) {
			const polygon run = with_runs( &r, &g );
			free( g.p );
			g = run;
		}
		turn_about( &r, &g );
		check_polygon( &r, &g, true, &t );
		free( g.p );
	}
	print_tally( "simple", &t );
	assert_int_equal( t.refused, 0 );
}

// A hundred thousand corners, where n^2 would take minutes.
static void large_polygons( void **state ) {
	(void)state;
	rng r = rng_announce( "polygon: large", 3 );
	tally t = { 0 };
	for ( int kind = 0; kind < 6; ++kind ) {
		polygon g = { 0 };
		make_polygon( &r, &g, kind, rounds( 30000 ) );
		turn_about( &r, &g );
		check_polygon( &r, &g, false, &t );
		free( g.p );
	}
	print_tally( "large", &t );
	assert_int_equal( t.refused, 0 );
}

// ------------------------------------------------------------------------------------------------
// Holes, each joined by a bridge with the rim or with a hole before

typedef struct ring {
	double p[8][2];
	size_t count;
} ring;

static ring random_ring( rng *r, double x, double y, double size, bool backwards ) {
	static const double around[8][2] = { { 1, 0 }, { 3, 0 }, { 4, 1 }, { 4, 3 },
	                                     { 3, 4 }, { 1, 4 }, { 0, 3 }, { 0, 1 } };
	ring out = { .count = 0 };
	const size_t first = (size_t)rng_below( r, 8 );
	for ( size_t i = 0; i < 8; ++i ) {
		const size_t k = ( backwards ? 16 - i + first : i + first ) % 8;
		if ( k % 2 == 0 && rng_below( r, 4 ) == 0 )
			continue;
		const double *last = out.p[out.count > 0 ? out.count - 1 : 0], *p = out.p[out.count];
		out.p[out.count][0] = x + size * around[k][0] + (double)rng_below( r, 2 );
		out.p[out.count][1] = y + size * around[k][1] + (double)rng_below( r, 2 );
		out.count += out.count == 0 || ( !same( p, last ) && !same( p, out.p[0] ) );
	}
	return out;
}

static int ring_sense( const ring *g ) {
	mpz_t sum;
	mpz_init( sum );
	for ( size_t i = 1; i + 1 < g->count; ++i ) {
		area_of( g->p[0], g->p[i], g->p[i + 1] );
		mpz_add( sum, sum, number[6] );
	}
	const int sign = mpz_sgn( sum );
	mpz_clear( sum );
	return sign;
}

// The even-odd rule for a point on no edge: count the edges that a ray to the right crosses.
static bool is_inside( const ring *g, const double *p ) {
	bool inside = false;
	for ( size_t i = 0; i < g->count; ++i ) {
		const double *a = g->p[i], *b = g->p[( i + 1 ) % g->count];
		if ( ( a[1] > p[1] ) != ( b[1] > p[1] ) )
			inside = inside != ( area_of( a, b, p ) * ( a[1] < b[1] ? 1 : -1 ) > 0 );
	}
	return inside;
}

static bool rings_meet( const ring *g, const ring *h ) {
	for ( size_t i = 0; i < g->count; ++i )
		for ( size_t k = 0; k < h->count; ++k )
			if ( segments_meet( g->p[i], g->p[( i + 1 ) % g->count], h->p[k], h->p[( k + 1 ) % h->count] ) )
				return true;
	return false;
}

// The definition of a face with holes, without bridges: simple rings that do not meet, the holes wound the other way,
// inside the rim and outside one another.
static bool is_rim_with_holes( const ring *rings, size_t count ) {
	for ( size_t i = 0; i < count; ++i ) {
		const polygon g = { .p = (double( * )[2])rings[i].p, .count = rings[i].count };
		if ( !is_simple( &g ) || ( i > 0 && ring_sense( &rings[i] ) == ring_sense( &rings[0] ) ) )
			return false;
		for ( size_t k = 0; k < i; ++k )
			if ( rings_meet( &rings[i], &rings[k] ) || is_inside( &rings[k], rings[i].p[0] ) != ( k == 0 ) ||
			     ( k > 0 && is_inside( &rings[i], rings[k].p[0] ) ) )
				return false;
	}
	return true;
}

// The walk around all of them: at corner at[i] of ring parent[i] to the first corner of ring i, around it, and back.
static void put_walk( polygon *g, const ring *rings, size_t count, const size_t *parent, const size_t *at, size_t i ) {
	const ring *w = &rings[i];
	for ( size_t k = 0; k < w->count; ++k ) {
		put( g, w->p[k][0], w->p[k][1] );
		for ( size_t c = i + 1; c < count; ++c ) {
			if ( parent[c] != i || at[c] != k )
				continue;
			put_walk( g, rings, count, parent, at, c );
			put( g, rings[c].p[0][0], rings[c].p[0][1] );
			put( g, w->p[k][0], w->p[k][1] );
		}
	}
}

static void keyholes( void **state ) {
	(void)state;
	rng r = rng_announce( "polygon: keyholes", 5 );
	size_t taken = 0, refused = 0, holes = 0;
	for ( size_t round = rounds( 3000 ); round-- > 0; ) {
		ring rings[5];
		size_t parent[5] = { 0 }, at[5] = { 0 };
		const size_t count = 2 + (size_t)rng_below( &r, 4 );
		const bool back = rng_below( &r, 2 ) == 0, wrong = rng_below( &r, 10 ) == 0;
		rings[0] = random_ring( &r, 0, 0, 12, back );
		for ( size_t i = 1; i < count; ++i ) {
			rings[i] = random_ring( &r, 6 + (double)rng_below( &r, 28 ), 6 + (double)rng_below( &r, 28 ),
			                        1 + (double)rng_below( &r, 2 ), wrong ? back : !back );
			parent[i] = (size_t)rng_below( &r, i );
			at[i] = (size_t)rng_below( &r, rings[parent[i]].count );
		}
		polygon g = { 0 };
		put_walk( &g, rings, count, parent, at, 0 );
		const bool right = is_rim_with_holes( rings, count );
		tilt t = random_tilt( &r );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = parse_polygon( &g, &t, &mesh, &error );
		if ( ( status == DBVH_OK ) != right ) {
			char *text = as_text( &g, &( tilt ){ 2, { 0, 0 }, 0, 1 } );
			printf( "%s (%s), but %s:\n%s", dbvh_status_name( status ), error.text, right ? "right" : "wrong", text );
			free( text );
		}
		assert_int_equal( status == DBVH_OK, right );
		if ( right ) {
			const uint32_t *triangles = dbvh_mesh_get_view( mesh ).indices;
			assert_int_equal( dbvh_mesh_get_view( mesh ).triangle_count, g.count - 2 );
			check_triangles( &g, triangles, false );
			check_pairs( &g, triangles );
			holes += count - 1;
		}
		*( right ? &taken : &refused ) += 1;
		dbvh_mesh_destroy( mesh );
		free( g.p );
	}
	printf( "keyholes: %zu taken with %zu holes, %zu refused\n", taken, holes, refused );
	assert_outcomes( taken > refused / 20 && holes > taken && refused > 0 );
}

// A thousand holes, all from one corner of the rim, or each from the one before.
static void many_holes( void **state ) {
	(void)state;
	for ( int chain = 0; chain < 2; ++chain ) {
		const size_t side = 4 + rounds( 28 );
		polygon g = { 0 };
		const double far = 4.0 * (double)side;
		put( &g, -1, -1 );
		for ( size_t i = 0; i < side * side; ++i ) {
			const double x = 4.0 * (double)( i % side ), y = 4.0 * (double)( i / side );
			put( &g, x, y );
			put( &g, x, y + 2 );
			put( &g, x + 2, y + 2 );
			put( &g, x + 2, y );
			put( &g, x, y );
			if ( !chain )
				put( &g, -1, -1 );
		}
		for ( size_t i = side * side - 1; chain && i-- > 0; )
			put( &g, 4.0 * (double)( i % side ), 4.0 * (double)( i / side ) );
		if ( chain )
			put( &g, -1, -1 );
		put( &g, far, -1 );
		put( &g, far, far );
		put( &g, -1, far );
		dbvh_mesh *mesh;
		dbvh_error error;
		assert_int_equal( parse_polygon( &g, &( tilt ){ 2, { 1, 2 }, 3, 1 }, &mesh, &error ), DBVH_OK );
		assert_int_equal( dbvh_mesh_get_view( mesh ).triangle_count, g.count - 2 );
		const uint32_t *triangles = dbvh_mesh_get_view( mesh ).indices;
		mpz_t sum;
		mpz_init( sum );
		for ( size_t i = 0; i + 2 < g.count; ++i ) {
			const uint32_t *c = triangles + 3 * i;
			assert_int_equal( area_of( g.p[c[0]], g.p[c[1]], g.p[c[2]] ), 1 );
			mpz_add( sum, sum, number[6] );
		}
		const double area = ( far + 1 ) * ( far + 1 ) - 4.0 * (double)( side * side );
		assert_int_equal( mpz_cmp_d( sum, 2.0 * area ), 0 );
		mpz_clear( sum );
		dbvh_mesh_destroy( mesh );
		free( g.p );
	}
}

// ------------------------------------------------------------------------------------------------
// Faces of files

typedef struct face_case {
	const char *name, *text;
	dbvh_status status;
	int64_t line;
	const char *says; // part of the error's text
	size_t triangles, polygons, concave, nonplanar;
} face_case;

#define SQUARE "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\n"
#define ARROW "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n"

static void faces_of_files( void **state ) {
	(void)state;
	static const face_case cases[] = {
	    { "square", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 0, 0 },
	    { "arrow", ARROW "f 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 1, 0 },
	    { "arrow from a wing", ARROW "f 2 3 4 1\n", DBVH_OK, 0, NULL, 2, 1, 1, 0 },
	    { "arrow before its vertices", "f 2 3 4 1\n" ARROW, DBVH_OK, 0, NULL, 2, 1, 1, 0 },
	    { "crossed", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 3 4\n", DBVH_MALFORMED, 6, "face 0 crosses", 0, 0, 0,
	      0 },
	    { "crossed before its vertices", "f 1 2 3\n\nf 1 2 3 4\nv 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\n", DBVH_MALFORMED,
	      3, "face 1 crosses", 0, 0, 0, 0 },
	    { "a hole and its bridge",
	      "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\nf 1 2 3 4 1 5 6 7 8 5\n", DBVH_OK, 0,
	      NULL, 8, 1, 1, 0 },
	    { "a hole that is turned the wrong way",
	      "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\nf 1 2 3 4 1 5 8 7 6 5\n",
	      DBVH_MALFORMED, 9, "crosses or touches itself", 0, 0, 0, 0 },
	    { "two squares and a bridge",
	      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 1 0\nv 6 1 0\nv 6 2 0\nv 5 2 0\n"
	      "f 1 2 3 5 6 7 8 5 3 4\n",
	      DBVH_MALFORMED, 9, "to one point twice", 0, 0, 0, 0 },
	    { "a hole that touches the rim at a point",
	      "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 1 2 0\nv 2 1 0\n"
	      "f 1 5 6 1 2 3 4\n",
	      DBVH_MALFORMED, 7, "to one point twice", 0, 0, 0, 0 },
	    { "a bridge to nowhere", "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nf 1 2 3 4 1 5\n", DBVH_MALFORMED, 6,
	      "face 0", 0, 0, 0, 0 },
	    { "closed by its first corner", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4 1\n", DBVH_OK, 0, NULL, 3, 1, 0,
	      0 },
	    { "without area", "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 3 2 4\n", DBVH_OK, 0, NULL, 2, 1, 0, 0 },
	    { "at one point", "v 1 1 1\nv 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 0, 0 },
	    { "a saddle", "v 0 0 0\nv 1 0 1\nv 1 1 0\nv 0 1 1\nf 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 0, 1 },
	    { "a tetrahedron's edges", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 0, 1 },
	    { "warped, over its own edge", "v -5 0 5\nv 5 0 5\nv 5 0 -5\nv -5 0 -5\nv 0 5 -5\nf 1 2 3 4 5\n", DBVH_OK, 0,
	      NULL, 3, 1, 1, 1 },
	    { "back on itself", "v 0 0 0\nv 2 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4 5\n", DBVH_MALFORMED, 6, "face 0",
	      0, 0, 0, 0 },
	    { "on two axes only", "v 0 0 0\nv 0 4 0\nv 0 1 1\nv 0 0 4\nf 1 2 3 4\n", DBVH_OK, 0, NULL, 2, 1, 1, 0 },
	};
	for ( size_t i = 0; i < LENGTH( cases ); ++i ) {
		const face_case *c = &cases[i];
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = parse_text( c->text, DBVH_MESH_FORMAT_OBJ, &mesh, &error );
		const dbvh_mesh_faces faces = dbvh_mesh_get_faces( mesh );
		if ( status != c->status || error.line != c->line ||
		     ( c->says != NULL && strstr( error.text, c->says ) == NULL ) ||
		     dbvh_mesh_get_view( mesh ).triangle_count != c->triangles || faces.polygon_count != c->polygons ||
		     faces.concave_count != c->concave || faces.nonplanar_count != c->nonplanar )
			fail_msg( "%s: %s, line %lld (%s), %zu polygons, %zu concave, %zu not planar", c->name,
			          dbvh_status_name( status ), (long long)error.line, error.text, faces.polygon_count,
			          faces.concave_count, faces.nonplanar_count );
		dbvh_mesh_destroy( mesh );
	}
	// The arrow's inner corner is an end of the edge that cuts it.
	dbvh_mesh *mesh;
	dbvh_error error;
	assert_int_equal( parse_text( ARROW "f 2 3 4 1\n", DBVH_MESH_FORMAT_OBJ, &mesh, &error ), DBVH_OK );
	const uint32_t *t = dbvh_mesh_get_view( mesh ).indices;
	for ( int i = 0; i < 2; ++i )
		assert_true( t[3 * i] == 2 || t[3 * i + 1] == 2 || t[3 * i + 2] == 2 );
	dbvh_mesh_destroy( mesh );
	assert_int_equal( dbvh_mesh_get_faces( NULL ).polygon_count, 0 );

	// Binary PLY, the corners in front of the vertices.
	static const char ply[] = "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\n"
	                          "element vertex 4\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
	                          "4 1 2 3 0\n0 0 0\n4 0 0\n1 1 0\n0 4 0\n";
	assert_int_equal( parse_text( ply, DBVH_MESH_FORMAT_PLY, &mesh, &error ), DBVH_OK );
	assert_int_equal( dbvh_mesh_get_faces( mesh ).concave_count, 1 );
	dbvh_mesh_destroy( mesh );
}

// Faces that cross themselves are left out where that is asked for; those that wait for vertices as well.
static void skipped_faces( void **state ) {
	(void)state;
	static const char *const texts[] = {
	    SQUARE "f 1 3 2 4\nf 1 2 3 4\nf 1 2 4\n\nf 1 3 4 2 2\nf 2 3 4\nf 4 3 2 1\n",
	    "f 1 3 2 4\nf 1 2 3 4\nf 1 2 4\n\n" SQUARE "f 1 3 4 2 2\nf 2 3 4\nf 4 3 2 1\n",
	};
	static const int64_t lines[2][2] = { { 5, 9 }, { 1, 9 } };
	for ( int i = 0; i < 2; ++i ) {
		dbvh_mesh *mesh, *without;
		dbvh_error error;
		dbvh_mesh_read_options options = dbvh_mesh_read_options_default();
		assert_int_equal(
		    dbvh_mesh_parse_with( texts[i], strlen( texts[i] ), DBVH_MESH_FORMAT_OBJ, &options, NULL, &mesh, &error ),
		    DBVH_MALFORMED );
		assert_int_equal( error.line, lines[i][i] ); // a face before its vertices is checked at the end
		assert_non_null( strstr( error.text, "--skip-bad-faces" ) );
		options.skip_bad_faces = true;
		assert_int_equal(
		    dbvh_mesh_parse_with( texts[i], strlen( texts[i] ), DBVH_MESH_FORMAT_OBJ, &options, NULL, &mesh, &error ),
		    DBVH_OK );
		static const char rest[] = SQUARE "f 1 2 3 4\nf 1 2 4\nf 2 3 4\nf 4 3 2 1\n";
		assert_int_equal( parse_text( rest, DBVH_MESH_FORMAT_OBJ, &without, &error ), DBVH_OK );
		const dbvh_mesh_view a = dbvh_mesh_get_view( mesh ), b = dbvh_mesh_get_view( without );
		assert_int_equal( a.triangle_count, b.triangle_count );
		assert_memory_equal( a.indices, b.indices, 3 * sizeof( uint32_t ) * b.triangle_count );
		assert_int_equal( dbvh_mesh_get_faces( mesh ).polygon_count, 2 );
		size_t count;
		const dbvh_skipped_face *skipped = dbvh_mesh_get_skipped_faces( mesh, &count );
		assert_int_equal( count, 2 );
		for ( size_t k = 0; k < count; ++k ) {
			assert_int_equal( skipped[k].face, k == 0 ? 0 : 3 );
			assert_int_equal( skipped[k].line, lines[i][k] );
			assert_int_equal( skipped[k].corner_count, k == 0 ? 4 : 5 );
			assert_int_equal( skipped[k].triangle, k == 0 ? 0 : 3 );
		}
		assert_null( dbvh_mesh_get_skipped_faces( without, &count ) );
		assert_int_equal( count, 0 );
		dbvh_mesh_destroy( mesh );
		dbvh_mesh_destroy( without );
	}
	size_t count = 7;
	assert_null( dbvh_mesh_get_skipped_faces( NULL, &count ) );
	assert_int_equal( count, 0 );
	assert_null( dbvh_mesh_get_skipped_faces( NULL, NULL ) );

	// A file of nothing but bad faces is empty; other errors stay errors.
	const dbvh_mesh_read_options options = { .skip_bad_faces = true };
	static const char *const others[] = { SQUARE "f 1 3 2 4\n", SQUARE "f 1 3 2 4\nf 1 2 9\n", SQUARE "f 1 2\n" };
	static const dbvh_status statuses[] = { DBVH_EMPTY, DBVH_INDEX_RANGE, DBVH_MALFORMED };
	for ( size_t i = 0; i < LENGTH( others ); ++i ) {
		dbvh_mesh *mesh;
		dbvh_error error;
		assert_int_equal(
		    dbvh_mesh_parse_with( others[i], strlen( others[i] ), DBVH_MESH_FORMAT_OBJ, &options, NULL, &mesh, &error ),
		    statuses[i] );
		assert_null( mesh );
		assert_true( i > 0 || strstr( error.text, "left out" ) != NULL );
	}
}

// Every allocation may fail.
static void no_memory( void **state ) {
	(void)state;
	rng r = rng_announce( "polygon: no memory", 4 );
	polygon g = { 0 };
	put_comb( &r, &g, 40, false );
	char *text = as_text( &g, &( tilt ){ 0, { 1, 2 }, 3, 1 } );
	size_t failures = 0;
	for ( bool done = false; !done; ) {
		counting books = { .fail_at = failures };
		const dbvh_allocator allocator = counting_allocator( &books );
		dbvh_mesh *mesh;
		dbvh_error error;
		const dbvh_status status = parse_bytes( text, strlen( text ), DBVH_MESH_FORMAT_OFF, &allocator, &mesh, &error );
		done = status == DBVH_OK;
		if ( !done ) {
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
			failures += 1;
		}
		dbvh_mesh_destroy( mesh );
		assert_int_equal( books.live_blocks, 0 );
	}
	assert_true( failures > 6 );
	free( text );
	free( g.p );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( small_polygons ), cmocka_unit_test( simple_polygons ), cmocka_unit_test( large_polygons ),
	    cmocka_unit_test( keyholes ),       cmocka_unit_test( many_holes ),      cmocka_unit_test( faces_of_files ),
	    cmocka_unit_test( skipped_faces ),  cmocka_unit_test( no_memory ),
	};
	numbers_begin();
	const int failed = test_main( argc, argv, tests );
	numbers_end();
	return failed;
}
