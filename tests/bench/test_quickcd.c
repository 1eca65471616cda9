// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The benchmark's k-DOP tree against the library and the oracle, its rotated DOPs against rational arithmetic, and its
// hulls against trying all points. DUALBVH_TEST_SCALE (default 1) multiplies the number of scenes.

#include "../../bench/paper/quickcd/tree.h"
#include "dualbvh/dualbvh.h"
#include "quickcd.h"
#include "support/oracle.h"
#include "support/scene.h"
#include "support/unit.h"

#include <gmp.h>
#include <string.h>

static const uint64_t seed_default = 7;

static const int ks[] = { 6, 14, 18, 24, 26 };
enum { K_COUNT = 5 };

// ------------------------------------------------------------------------------------------------
// Scenes

static void add_something( shape *s, rng *r ) {
	switch ( rng_below( r, 7 ) ) {
	case 0:
		shape_add_sphere( s, 1.0, (uint32_t)( 4 + rng_below( r, 12 ) ), (uint32_t)( 3 + rng_below( r, 10 ) ) );
		break;
	case 1:
		shape_add_torus( s, 1.0, 0.4, (uint32_t)( 4 + rng_below( r, 12 ) ), (uint32_t)( 4 + rng_below( r, 8 ) ) );
		break;
	case 2: // flat
		add_grid( s, (uint32_t)( 1 + rng_below( r, 7 ) ) );
		break;
	case 3:
		shape_add_box( s, 0.125 * (double)( 1 + rng_below( r, 8 ) ), 0.5, 0.125 * (double)( 1 + rng_below( r, 8 ) ),
		               (uint32_t)( 1 + rng_below( r, 4 ) ) );
		break;
	case 4: // needles, points and duplicates
		add_soup( s, r, 1 + rng_below( r, 60 ), 0.5, 0.8, rng_below( r, 2 ) == 0 );
		break;
	case 5:
		add_soup( s, r, 1 + rng_below( r, 90 ), 0.3, 0.1, true );
		break;
	default:
		shape_add_stairs( s, (uint32_t)( 1 + rng_below( r, 8 ) ) );
		break;
	}
	// Now and then far away from the origin, or of triangles of very different sizes.
	if ( rng_below( r, 8 ) == 0 )
		scale_and_move( s, 0, 1.0, ldexp( rng_unit( r ), (int)rng_below( r, 45 ) ), 0, -7.0 );
	if ( rng_below( r, 8 ) == 0 )
		scale_and_move( s, s->vertex_count / 2, ldexp( 1.0, -(int)rng_below( r, 60 ) ), 0, 0, 0 );
}

// The middle of what the vertices span.
static void middle_of( const shape *s, double out[3] ) {
	for ( int k = 0; k < 3; ++k ) {
		double low = s->positions[k], high = low;
		for ( size_t i = 1; i < s->vertex_count; ++i ) {
			low = fmin( low, s->positions[3 * i + (size_t)k] );
			high = fmax( high, s->positions[3 * i + (size_t)k] );
		}
		out[k] = 0.5 * low + 0.5 * high;
	}
}

typedef struct quick_scene {
	shape a, b;
	dbvh_pose pose;
} quick_scene;

static quick_scene make_scene( rng *r ) {
	quick_scene s = { 0 };
	add_something( &s.a, r );
	add_something( &s.b, r );
	switch ( rng_below( r, 6 ) ) {
	case 0:
		s.pose = exact_pose( r, 1.5 );
		break;
	case 1:
		s.pose = six_digits( random_pose( r, 1.0 ) );
		break;
	case 2:
		s.pose = sheared( r, random_pose( r, 1.0 ), 1.8e-6 );
		break;
	default:
		s.pose = random_pose( r, 1.5 );
		break;
	}
	// The pose brings meshes together that lie far from their origins.
	double from[3], to[3];
	middle_of( &s.a, to );
	middle_of( &s.b, from );
	for ( int k = 0; k < 3; ++k )
		s.pose.pos[k] +=
		    to[k] - ( s.pose.rot[k][0] * from[0] + s.pose.rot[k][1] * from[1] + s.pose.rot[k][2] * from[2] );
	if ( rng_below( r, 6 ) == 0 ) {
		// A vertex on a vertex, as far as one rounding goes.
		const double *p = s.a.positions + 3 * rng_below( r, s.a.vertex_count );
		const double *q = s.b.positions + 3 * rng_below( r, s.b.vertex_count );
		for ( int k = 0; k < 3; ++k )
			s.pose.pos[k] = p[k] - ( s.pose.rot[k][0] * q[0] + s.pose.rot[k][1] * q[1] + s.pose.rot[k][2] * q[2] );
	}
	// And at the ends of the range of doubles.
	if ( rng_below( r, 8 ) == 0 ) {
		static const int exponents[] = { -1060, -1000, -600, -130, -60, 60, 130, 600, 900 };
		const int exponent = exponents[rng_below( r, 9 )];
		shape a = scaled_copy( &s.a, exponent ), b = scaled_copy( &s.b, exponent );
		shape_free( &s.a );
		shape_free( &s.b );
		s.a = a;
		s.b = b;
		for ( int k = 0; k < 3; ++k )
			s.pose.pos[k] = ldexp( s.pose.pos[k], exponent );
	}
	return s;
}

static void free_scene( quick_scene *s ) {
	shape_free( &s->a );
	shape_free( &s->b );
}

static quickcd_tree *must_build( const shape *s, int k, uint32_t leaf_size, bool flying, quickcd_rotation rotation,
                                 quickcd_rule rule ) {
	const dbvh_mesh_view view = shape_view( s );
	const quickcd_options options = { k, leaf_size, flying, rotation, rule };
	quickcd_tree *tree = quickcd_build( &view, &options );
	assert_non_null( tree );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// Answers

static bool is_in( const dbvh_pair *pairs, size_t count, dbvh_pair pair ) {
	for ( size_t i = 0; i < count; ++i )
		if ( pairs[i].a == pair.a && pairs[i].b == pair.b )
			return true;
	return false;
}

static void answers_are_the_librarys( void **state ) {
	(void)state;
	rng r = rng_announce( "quickcd: answers", seed_default );
	size_t scenes = 0, meeting = 0, queries = 0, differences = 0, pairs = 0;
	quickcd_work *work = quickcd_work_create();
	assert_non_null( work );
	for ( size_t round = rounds( 120 ); round-- > 0; ) {
		rng own = { rng_u64( &r ) };
		quick_scene s = make_scene( &own );
		const dbvh_mesh_view view_a = shape_view( &s.a ), view_b = shape_view( &s.b );
		dbvh_tree *tree_a = NULL, *tree_b = NULL;
		assert_int_equal( dbvh_tree_build( &view_a, &( dbvh_tree_options ){ .reference = true }, NULL, &tree_a, NULL ),
		                  DBVH_OK );
		assert_int_equal( dbvh_tree_build( &view_b, &( dbvh_tree_options ){ .reference = true }, NULL, &tree_b, NULL ),
		                  DBVH_OK );
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = DBVH_POLICY_RAPID };
		dbvh_collide_result result;
		assert_int_equal( dbvh_collide( tree_a, NULL, tree_b, &s.pose, &query, NULL, &result, NULL ), DBVH_OK );
		dbvh_pair *truth = calloc( result.pair_count + 1, sizeof *truth );
		assert_non_null( truth );
		query.pairs = truth;
		query.pair_capacity = result.pair_count;
		assert_int_equal( dbvh_collide( tree_a, NULL, tree_b, &s.pose, &query, NULL, &result, NULL ), DBVH_OK );
		if ( scenes % 16 == 0 ) {
			dbvh_pair *slow = NULL;
			const size_t count = oracle_collide( &view_a, &view_b, &s.pose, &slow );
			assert_int_equal( count, result.pair_count );
			assert_true( count == 0 || memcmp( slow, truth, count * sizeof *slow ) == 0 );
			free( slow );
		}
		scenes += 1;
		meeting += result.verdict == DBVH_INTERSECTING;
		pairs += result.pair_count;
		for ( int i = 0; i < K_COUNT; ++i )
			for ( int rotation = QUICKCD_APPROXIMATE; rotation <= QUICKCD_MIXED; ++rotation )
				for ( int large = 0; large < 2; ++large ) {
					quickcd_tree *e = must_build( &s.a, ks[i], rng_below( &own, 3 ) == 0 ? 40 : 1, false, 0, 0 );
					quickcd_tree *f = must_build( &s.b, ks[i], large ? 40 : 1, true, (quickcd_rotation)rotation,
					                              (quickcd_rule)rng_below( &own, 2 ) );
					quickcd_result all, first;
					assert_true( quickcd_collide( e, f, &s.pose, DBVH_FIND_ALL, work, &all ) );
					const bool same =
					    all.verdict == result.verdict && all.pair_count == result.pair_count &&
					    ( all.pair_count == 0 || memcmp( all.pairs, truth, all.pair_count * sizeof *truth ) == 0 );
					const uint64_t tests = all.counters.triangle_tests;
					assert_true( quickcd_collide( e, f, &s.pose, DBVH_FIND_ANY, work, &first ) );
					const bool same_first =
					    first.verdict == result.verdict &&
					    ( first.pair_count == 0 || is_in( truth, result.pair_count, first.pairs[0] ) );
					assert_true( first.counters.triangle_tests <= tests && result.pair_count <= tests );
					queries += 2;
					if ( ( !same || !same_first ) && differences++ < 5 ) {
						printf( "DIFFERENCE k %d, rotation %d, leaf %d: %zu pairs, the library has %zu\n", ks[i],
						        rotation, large ? 40 : 1, all.pair_count, result.pair_count );
						print_pose( "pose", &s.pose );
					}
					quickcd_free( e );
					quickcd_free( f );
				}
		free( truth );
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
		free_scene( &s );
	}
	quickcd_work_free( work );
	printf( "quickcd: %zu scenes, %zu meet, %zu pairs, %zu queries, %zu differences\n", scenes, meeting, pairs, queries,
	        differences );
	assert_outcomes( scenes < 20 || ( meeting > scenes / 10 && meeting < scenes ) );
	assert_int_equal( differences, 0 );
}

// ------------------------------------------------------------------------------------------------
// Enclosure

// d * ( ( x * scale - centre ) * stretch ), exactly.
static void along( const quickcd_tree *t, const signed char d[3], mpq_t x[3], mpq_t out ) {
	mpq_t y, term;
	mpq_inits( y, term, NULL );
	mpq_set_ui( out, 0, 1 );
	for ( int k = 0; k < 3; ++k ) {
		mpq_set_d( y, t->scale );
		mpq_mul( y, y, x[k] );
		mpq_set_d( term, t->centre[k] );
		mpq_sub( y, y, term );
		mpq_set_d( term, t->stretch );
		mpq_mul( y, y, term );
		mpq_set_si( term, d[k], 1 );
		mpq_mul( y, y, term );
		mpq_add( out, out, y );
	}
	mpq_clears( y, term, NULL );
}

static void corner_exactly( const double *corner, const dbvh_pose *pose, mpq_t out[3] ) {
	mpq_t term, factor;
	mpq_inits( term, factor, NULL );
	for ( int i = 0; i < 3; ++i ) {
		if ( pose == NULL ) {
			mpq_set_d( out[i], corner[i] );
			continue;
		}
		mpq_set_d( out[i], pose->pos[i] );
		for ( int j = 0; j < 3; ++j ) {
			mpq_set_d( term, pose->rot[i][j] );
			mpq_set_d( factor, corner[j] );
			mpq_mul( term, term, factor );
			mpq_add( out[i], out[i], term );
		}
	}
	mpq_clears( term, factor, NULL );
}

// Does `bound`, which may be infinite, reach at least as far as the exact value times `sign`?
static bool reaches( float bound, int sign, mpq_t value ) {
	if ( isinf( bound ) )
		return bound > 0.0f;
	mpq_t b, v;
	mpq_inits( b, v, NULL );
	mpq_set_d( b, (double)bound );
	mpq_set( v, value );
	if ( sign < 0 )
		mpq_neg( v, v );
	const bool good = mpq_cmp( b, v ) >= 0;
	mpq_clears( b, v, NULL );
	return good;
}

// The triangles below a node: a range, since they are in leaf order.
static void range_of( const quickcd_tree *t, uint32_t node, uint32_t *first, uint32_t *end ) {
	uint32_t left = node, right = node;
	while ( t->links[left].count == 0 )
		left = t->links[left].first;
	while ( t->links[right].count == 0 )
		right = t->links[right].first + 1;
	*first = t->links[left].first;
	*end = t->links[right].first + t->links[right].count;
}

typedef struct enclosure {
	size_t bounds, open, slack_count;
	double slack; // how much the bounds of single triangles exceed what they enclose, on average
} enclosure;

// Every bound of a node against every corner below it. `pose` NULL: the environment's own slabs.
static void check_node( const quickcd_tree *frame, const quickcd_tree *t, uint32_t node, const dbvh_pose *pose,
                        const float *upper, const float *negated_lower, enclosure *books ) {
	uint32_t first, end;
	range_of( t, node, &first, &end );
	mpq_t x[3], value;
	mpq_inits( x[0], x[1], x[2], value, NULL );
	const signed char( *d )[3] = quickcd_directions( frame->options.k );
	// Large nodes are checked at an even subset of their corners.
	for ( uint32_t c = 3 * first; c < 3 * end; c += 1 + ( end - first ) / 400 ) {
		corner_exactly( t->corners + 3 * (size_t)c, pose, x );
		for ( int i = 0; i < frame->options.k / 2; ++i ) {
			along( frame, d[i], x, value );
			assert_true( reaches( upper[i], 1, value ) );
			assert_true( reaches( negated_lower[i], -1, value ) );
			books->bounds += 2;
			books->open += isinf( upper[i] );
		}
	}
	mpq_clears( x[0], x[1], x[2], value, NULL );
}

static void rotated_dops_enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "quickcd: enclosure", seed_default + 1 );
	quickcd_work *work = quickcd_work_create();
	enclosure books = { 0 };
	size_t climbed = 0, rotated = 0;
	for ( size_t round = rounds( 40 ); round-- > 0; ) {
		rng own = { rng_u64( &r ) };
		quick_scene s = make_scene( &own );
		if ( rng_below( &own, 4 ) == 0 ) { // large enough for a hull to climb on
			shape_free( &s.b );
			shape_add_sphere( &s.b, 1.0, 36, 32 );
			s.pose = random_pose( &own, 1.0 );
		}
		const int k = ks[rng_below( &own, K_COUNT )];
		const quickcd_rotation rotation = (quickcd_rotation)rng_below( &own, 3 );
		quickcd_tree *e = must_build( &s.a, k, rng_below( &own, 2 ) ? 40 : 1, false, 0, 0 );
		quickcd_tree *f = must_build( &s.b, k, rng_below( &own, 2 ) ? 40 : 1, true, rotation, 0 );
		const int half = quickcd_half( k );
		for ( uint32_t node = 0; node < e->node_count; node += 1 + (uint32_t)rng_below( &own, 4 ) ) {
			const float *slab = e->nodes + node * (size_t)quickcd_stride( k );
			float upper[QUICKCD_MOST], negated_lower[QUICKCD_MOST];
			for ( int i = 0; i < k / 2; ++i ) {
				upper[i] = -slab[half + i];
				negated_lower[i] = -slab[i];
			}
			check_node( e, e, node, NULL, upper, negated_lower, &books );
		}
		static const char *const isas[] = { "avx512", "avx2", "neon", "baseline" };
		for ( size_t isa = 0; isa < sizeof isas / sizeof isas[0]; ++isa ) {
			if ( dbvh_isa_select( isas[isa], NULL ) != DBVH_OK )
				continue;
			assert_true( quickcd_work_fit( work, e, f ) );
			quickcd_run run = { .environment = e, .flying = f, .pose = &s.pose, .work = work };
			quickcd_aim( &run );
			for ( uint32_t node = 0; node < f->node_count;
			      node += node == 0 ? 1 : 1 + (uint32_t)rng_below( &own, 8 ) ) {
				// Memory behind a node's bounds must not change.
				float slab[2 * QUICKCD_LANES + 16];
				for ( int i = 0; i < 2 * QUICKCD_LANES + 16; ++i )
					slab[i] = 1234.5f;
				quickcd_kernel_current( k ).reorient( &run, node, slab );
				assert_true( slab[2 * half] == 1234.5f && slab[2 * half + 8] == 1234.5f );
				check_node( e, f, node, &s.pose, slab, slab + half, &books );
			}
			climbed += run.counters.climbing_steps > 0;
			rotated += run.counters.rotated_points > 0;
		}
		dbvh_isa_select( NULL, NULL );
		quickcd_free( e );
		quickcd_free( f );
		free_scene( &s );
	}
	quickcd_work_free( work );
	printf( "quickcd: %zu bounds hold, of which %zu are infinite; %zu trees climbed, %zu rotated\n", books.bounds,
	        books.open, climbed, rotated );
	if ( rounds( 100 ) >= 50 ) // a few scenes may lack one
		assert_outcomes( climbed > 0 && rotated > 0 && 10 * books.open < books.bounds );
}

// ------------------------------------------------------------------------------------------------
// Hulls

static void random_points( rng *r, quickcd_point *points, size_t count ) {
	const uint64_t kind = rng_below( r, 7 );
	const int64_t reach = kind == 0 ? 3 : kind == 1 ? 40 : QUICKCD_GRID;
	for ( size_t i = 0; i < count; ++i ) {
		int64_t p[3];
		for ( int k = 0; k < 3; ++k )
			p[k] = (int64_t)rng_below( r, (uint64_t)( 2 * reach + 1 ) ) - reach;
		if ( kind == 2 ) // on a sphere
			for ( double length = sqrt( (double)( p[0] * p[0] + p[1] * p[1] + p[2] * p[2] ) + 1.0 ), k = 0; k < 3; ++k )
				p[(int)k] = (int64_t)( 0.99 * QUICKCD_GRID * (double)p[(int)k] / length );
		else if ( kind == 3 ) // in a tilted plane, exactly
			p[2] = ( p[0] - p[1] ) / 2, p[0] = 2 * ( p[0] / 4 ), p[1] = 2 * ( p[1] / 4 ), p[2] = ( p[0] - p[1] ) / 2;
		else if ( kind == 4 ) // on a line
			p[1] = -p[0], p[2] = p[0] / 1;
		else if ( kind == 5 ) // nearly in a plane
			p[2] = p[0] / 3 + (int64_t)rng_below( r, 3 );
		else if ( kind == 6 && i > 0 && rng_below( r, 3 ) == 0 ) // twice
			for ( int k = 0; k < 3; ++k )
				p[k] = points[i - 1].x[k];
		for ( int k = 0; k < 3; ++k )
			points[i].x[k] = (int32_t)p[k];
	}
}

static void climbing_finds_the_farthest( void **state ) {
	(void)state;
	rng r = rng_announce( "quickcd: hulls", seed_default + 2 );
	enum { MOST = 700 };
	static quickcd_point points[MOST];
	static uint32_t chosen[MOST];
	size_t hulls = 0, vertices = 0, most = 0;
	uint64_t steps = 0, climbs = 0;
	for ( size_t round = rounds( 3000 ); round-- > 0; ) {
		const size_t count = 1 + rng_below( &r, rng_below( &r, 8 ) == 0 ? MOST : 40 );
		random_points( &r, points, count );
		quickcd_hull hull;
		const size_t n = quickcd_hull_make( points, count, chosen, &hull );
		assert_true( n > 0 && n <= count && hull.vertex_count == n );
		hulls += 1;
		vertices += n;
		most = n > most ? n : most;
		for ( int i = 0; i < 12; ++i ) {
			double d[3];
			for ( int k = 0; k < 3; ++k )
				d[k] = i < 6 ? (double)( k == i / 2 ) * ( i % 2 ? -1.0 : 1.0 )
				             : rint( rng_range( &r, -1.9, 1.9 ) * 0x1p25 ) * 0x1p-25;
			if ( i >= 9 ) // a direction across a face, where many tie
				d[0] = (double)rng_below( &r, 3 ) - 1.0, d[1] = (double)rng_below( &r, 3 ) - 1.0, d[2] = 1.0;
			double best = -(double)INFINITY;
			for ( size_t p = 0; p < count; ++p ) {
				double value = 0.0; // exact
				for ( int k = 0; k < 3; ++k )
					value += d[k] * (double)points[p].x[k] * 0x1p-24;
				best = fmax( best, value );
			}
			const uint32_t from = (uint32_t)rng_below( &r, n );
			const float *v = hull.vertices + 3 * (size_t)quickcd_hull_climb( &hull, d, from, &steps );
			climbs += 1;
			assert_true( d[0] * (double)v[0] + d[1] * (double)v[1] + d[2] * (double)v[2] == best );
		}
		// Every vertex is needed: none lies in the hull of the others, so it is the only farthest one somewhere. Enough
		// of that is that no point is chosen twice.
		for ( size_t i = 0; i < n; ++i )
			for ( size_t j = 0; j < i; ++j )
				assert_true( memcmp( &points[chosen[i]], &points[chosen[j]], sizeof points[0] ) != 0 );
		quickcd_hull_free( &hull );
	}
	printf( "quickcd: %zu hulls, %.1f vertices on average, %zu at most, %.1f vertices looked at in a climb\n", hulls,
	        (double)vertices / (double)hulls, most, (double)steps / (double)climbs );
	assert_outcomes( most > 500 );
}

// The corners of a DOP, moved a little inwards or not at all, satisfy its bounds; and along any direction they reach as
// far as the points that made the DOP.
static void corners_span_the_dop( void **state ) {
	(void)state;
	rng r = rng_announce( "quickcd: corners", seed_default + 3 );
	size_t most = 0, boxes = 0;
	for ( size_t round = rounds( 4000 ); round-- > 0; ) {
		enum { MOST = 60 };
		static quickcd_point points[MOST];
		const size_t count = 1 + rng_below( &r, MOST );
		random_points( &r, points, count );
		const int k = ks[rng_below( &r, K_COUNT )];
		const signed char( *d )[3] = quickcd_directions( k );
		double lower[QUICKCD_MOST], upper[QUICKCD_MOST], corners[QUICKCD_CORNERS][3];
		for ( int i = 0; i < k / 2; ++i ) {
			lower[i] = INFINITY;
			upper[i] = -(double)INFINITY;
			for ( size_t p = 0; p < count; ++p ) {
				double value = 0.0;
				for ( int x = 0; x < 3; ++x )
					value += d[i][x] * (double)points[p].x[x] * 0x1p-24;
				lower[i] = fmin( lower[i], value );
				upper[i] = fmax( upper[i], value );
			}
		}
		const size_t n = quickcd_corners( k, lower, upper, corners );
		boxes += n == 0;
		most = n > most ? n : most;
		for ( size_t c = 0; c < n; ++c )
			for ( int i = 0; i < k / 2; ++i ) {
				const double value = d[i][0] * corners[c][0] + d[i][1] * corners[c][1] + d[i][2] * corners[c][2];
				assert_true( value >= lower[i] - 0x1p-38 && value <= upper[i] + 0x1p-38 );
			}
		for ( int t = 0; n > 0 && t < 20; ++t ) {
			double way[3], reach = -(double)INFINITY, needed = -(double)INFINITY;
			random_direction( &r, way );
			for ( size_t c = 0; c < n; ++c )
				reach = fmax( reach, way[0] * corners[c][0] + way[1] * corners[c][1] + way[2] * corners[c][2] );
			for ( size_t p = 0; p < count; ++p )
				needed = fmax( needed, ( way[0] * points[p].x[0] + way[1] * points[p].x[1] + way[2] * points[p].x[2] ) *
				                           0x1p-24 );
			assert_true( reach >= needed - 3.0 * 0x1p-23 );
		}
	}
	printf( "quickcd: at most %zu corners, %zu DOPs were left to their boxes\n", most, boxes );
	assert_true( most > 24 );
}

// ------------------------------------------------------------------------------------------------
// The contract

static void nonsense_is_refused( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	const dbvh_mesh_view view = shape_view( &s ), nothing = { 0 };
	const quickcd_options bad_k = { 16, 1, true, QUICKCD_HILL, 0 }, bad_leaf = { 18, 0, true, QUICKCD_HILL, 0 },
	                      good = { 18, 1, true, QUICKCD_HILL, 0 };
	assert_null( quickcd_build( &view, &bad_k ) );
	assert_null( quickcd_build( &view, &bad_leaf ) );
	assert_null( quickcd_build( &nothing, &good ) );
	quickcd_tree *flying = quickcd_build( &view, &good ), *fixed = must_build( &s, 18, 1, false, 0, 0 ),
	             *other = must_build( &s, 14, 1, true, 0, 0 );
	quickcd_work *work = quickcd_work_create();
	dbvh_pose pose = dbvh_pose_identity();
	quickcd_result result;
	assert_true( quickcd_collide( fixed, flying, &pose, DBVH_FIND_ALL, work, &result ) );
	assert_true( result.verdict == DBVH_INTERSECTING && result.pair_count > 12 );
	assert_false( quickcd_collide( flying, fixed, &pose, DBVH_FIND_ALL, work, &result ) );
	assert_false( quickcd_collide( fixed, other, &pose, DBVH_FIND_ALL, work, &result ) );
	pose.rot[0][0] = 2.0;
	assert_false( quickcd_collide( fixed, flying, &pose, DBVH_FIND_ALL, work, &result ) );
	quickcd_work_free( work );
	quickcd_free( flying );
	quickcd_free( fixed );
	quickcd_free( other );
	shape_free( &s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( nonsense_is_refused ),         cmocka_unit_test( corners_span_the_dop ),
	    cmocka_unit_test( climbing_finds_the_farthest ), cmocka_unit_test( rotated_dops_enclose ),
	    cmocka_unit_test( answers_are_the_librarys ),
	};
	return test_main( argc, argv, tests );
}
