// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The broad phase against all pairs compared one by one: boxes of every size, far from the origin, in clusters, that
// touch to the bit, that move a little, much or not at all, on every instruction set.

#include "scene/broad_phase.h"
#include "simd/isa.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700 };

static int compare_u64( const void *a, const void *b ) {
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return ( x > y ) - ( x < y );
}

enum { KINDS = 9 };

// A box of some kind: `kind` chooses how sizes and places are spread.
static void random_box( rng *r, int kind, double out[6] ) {
	const double scale = kind == 1 ? ldexp( 1.0, (int)rng_below( r, 40 ) - 20 ) : kind == 2 ? 0.25 : 0.1;
	for ( int k = 0; k < 3; ++k ) {
		double at, size;
		switch ( kind ) {
		case 0: // even
			at = rng_unit( r );
			size = scale * rng_unit( r );
			break;
		case 1: // every size
			at = rng_range( r, -1.0, 1.0 );
			size = scale;
			break;
		case 2: // on a grid, so that most touch
			at = 0.25 * (double)rng_below( r, 12 );
			size = 0.25 * (double)rng_below( r, 3 );
			break;
		case 3: // far away, where floats of the place itself would tell nothing apart
			at = 1e12 + rng_unit( r );
			size = scale * rng_unit( r );
			break;
		case 4: // two clusters
			at = ( rng_below( r, 2 ) == 0 ? -1e7 : 1e7 ) + rng_unit( r );
			size = 0.2 * rng_unit( r );
			break;
		case 5: // beyond what floats hold
			at = rng_below( r, 4 ) == 0 ? -DBL_MAX : ldexp( rng_range( r, -1.0, 1.0 ), 1000 );
			size = rng_below( r, 4 ) == 0 ? DBL_MAX : ldexp( rng_unit( r ), 1000 );
			break;
		case 6: // the smallest floats, and smaller
			at = ldexp( rng_range( r, -1.0, 1.0 ), -149 );
			size = ldexp( rng_unit( r ), -149 );
			break;
		case 7: // 2^40 times farther away than they are large
			at = 0x1p40 + 0x1p-12 * (double)rng_below( r, 4096 );
			size = 0x1p-12 * (double)rng_below( r, 40 );
			break;
		default: // next to each other by one unit in the last place
			at = nextafter( 1.0 + (double)rng_below( r, 3 ), rng_below( r, 2 ) == 0 ? 0.0 : 9.0 );
			size = rng_below( r, 2 ) == 0 ? 0.0 : 1.0;
		}
		out[k] = at;
		out[3 + k] = at + size;
	}
}

static size_t brute_force( const dbvhi_broad_phase *p, uint64_t *pairs ) {
	size_t count = 0;
	for ( uint32_t i = 0; i < p->count; ++i ) {
		for ( uint32_t j = i + 1; j < p->count; ++j ) {
			if ( dbvhi_boxes_overlap( p->boxes + 6 * (size_t)i, p->boxes + 6 * (size_t)j ) )
				pairs[count++] = (uint64_t)i << 32 | j;
		}
	}
	return count;
}

static uint64_t truth[MOST * ( MOST - 1 ) / 2];

static dbvh_status bring_up_to_date( dbvhi_broad_phase *p ) {
	dbvhi_purse purse;
	dbvhi_meter watch;
	dbvhi_meter_open( &watch, &purse, NULL );
	return dbvhi_broad_phase_list( p, &watch );
}

static void check( const dbvhi_broad_phase *p ) {
	const size_t count = brute_force( p, truth );
	assert_int_equal( p->is_crowded, count > dbvhi_broad_phase_most_pairs( p ) );
	if ( p->is_crowded )
		return;
	assert_int_equal( p->pair_count, count );
	assert_true( count == 0 || memcmp( p->pairs, truth, count * sizeof *truth ) == 0 );
}

static void same_as_brute_force( void **state ) {
	(void)state;
	rng r = rng_announce( "broad_phase", 71 );
	size_t isa_count, pairs = 0, looked_at = 0, crowds = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	const size_t count = rounds( 400 );
	for ( size_t round = 0; round < count; ++round ) {
		assert_true( dbvhi_isa_select( isa[round % isa_count].name ) );
		dbvhi_broad_phase p;
		dbvhi_broad_phase_init( &p, &allocator );
		assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
		assert_int_equal( p.pair_count, 0 );
		if ( round % 5 == 0 ) { // a crowd now and then
			p.pairs_a_box = rng_below( &r, 3 );
			p.pairs_always = rng_below( &r, 200 );
		}
		const int kind = (int)( round / isa_count % KINDS );
		size_t boxes = rng_below( &r, round % 3 == 0 ? 40 : MOST );
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		double box[6];
		for ( int step = 0; step < 8; ++step ) {
			// All, one in some, or nothing; now and then a box goes nowhere, or there are more or fewer.
			const uint64_t part = step == 0 ? 1 : 1 + rng_below( &r, 40 );
			for ( uint32_t i = 0; i < boxes && step != 3; ++i ) {
				if ( rng_below( &r, part ) != 0 )
					continue;
				random_box( &r, kind, box );
				dbvhi_broad_phase_set( &p, i, rng_below( &r, 50 ) == 0 ? dbvhi_box_nowhere : box );
			}
			for ( uint32_t i = 0; i < boxes && step == 5 && round % 5 == 0; ++i ) // a crowd goes
				dbvhi_broad_phase_set( &p, i, dbvhi_box_nowhere );
			if ( step == 6 && boxes > 2 ) {
				boxes -= rng_below( &r, 2 );
				assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
			}
			assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
			check( &p );
			crowds += p.is_crowded;
			pairs += p.pair_count;
			looked_at += boxes * ( boxes - ( boxes > 0 ) ) / 2;
		}
		dbvhi_broad_phase_free( &p );
	}
	assert_true( dbvhi_isa_select( NULL ) );
	printf( "broad_phase: %zu pairs of %zu overlap, %zu crowds\n", pairs, looked_at, crowds );
	assert_outcomes( crowds > 0 );
	assert_outcomes( pairs > looked_at / 1000 && pairs < looked_at / 2 );
}

// A list is as long as there are boxes: more of them, and a crowd is none any more.
static void more_boxes_end_a_crowd( void **state ) {
	(void)state;
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	dbvhi_broad_phase p;
	dbvhi_broad_phase_init( &p, &allocator );
	p.pairs_a_box = 1;
	p.pairs_always = 0;
	const double box[6] = { 0, 0, 0, 1, 1, 1 };
	for ( uint32_t boxes = 3; boxes <= 6; ++boxes ) {
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		for ( uint32_t i = 0; i < boxes && i < 4; ++i )
			dbvhi_broad_phase_set( &p, i, box );
		assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
		assert_int_equal( p.is_crowded, boxes == 4 || boxes == 5 );
		check( &p );
	}
	dbvhi_broad_phase_free( &p );
}

// All boxes move at once: a little, so that the order is kept; far together; or anywhere.
static void all_move( void **state ) {
	(void)state;
	rng r = rng_announce( "broad_phase: all move", 74 );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	size_t kept = 0, made = 0;
	for ( size_t round = 0; round < rounds( 60 ); ++round ) {
		dbvhi_broad_phase p;
		dbvhi_broad_phase_init( &p, &allocator );
		const size_t boxes = 100 + rng_below( &r, MOST - 100 );
		const int kind = (int)( round % 5 );
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		double box[6];
		for ( int step = 0; step < 8; ++step ) {
			const double way = rng_below( &r, 2 ) == 0 ? 0.001 : 0.02, far = step == 4 ? 1e9 : 0.0;
			for ( uint32_t i = 0; i < boxes; ++i ) {
				memcpy( box, p.boxes + 6 * (size_t)i, sizeof box );
				for ( int k = 0; k < 3; ++k ) {
					const double by = far + rng_range( &r, -way, way );
					box[k] += by;
					box[3 + k] += by;
				}
				if ( step == 0 || step == 6 )
					random_box( &r, kind, box );
				dbvhi_broad_phase_set( &p, i, box );
			}
			const dbvhi_bulk_tree *large = &p.tree[DBVHI_LARGE_TREE];
			const double middle = large->middle[0], width = large->width;
			assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
			check( &p );
			kept += step > 0 && large->middle[0] == middle && large->width == width;
			made += step == 0 || large->middle[0] != middle || large->width != width;
			// Floats go with the boxes.
			assert_true( step != 4 || large->middle[0] != middle );
		}
		dbvhi_broad_phase_free( &p );
	}
	printf( "broad_phase: the order is kept %zu times, made %zu times\n", kept, made );
	assert_outcomes( kept > 0 && made > 0 );
}

typedef struct listing {
	size_t count, most;
	uint64_t found[4096];
} listing;

static bool list( void *context, uint32_t number ) {
	listing *l = context;
	l->found[l->count++] = number;
	return l->count < l->most;
}

static void overlaps_of_one_box( void **state ) {
	(void)state;
	rng r = rng_announce( "broad_phase: one box", 72 );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	size_t found = 0, asked = 0;
	for ( size_t round = 0; round < rounds( 60 ); ++round ) {
		dbvhi_broad_phase p;
		dbvhi_broad_phase_init( &p, &allocator );
		const size_t boxes = 1 + rng_below( &r, MOST );
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		const int kind = (int)( round % KINDS );
		double box[6];
		for ( uint32_t i = 0; i < boxes; ++i ) {
			random_box( &r, kind, box );
			dbvhi_broad_phase_set( &p, i, box );
		}
		assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
		for ( int i = 0; i < 20; ++i ) {
			random_box( &r, kind, box );
			static listing l;
			l.count = 0;
			l.most = MOST + 1;
			dbvhi_broad_phase_overlaps( &p, box, list, &l );
			qsort( l.found, l.count, sizeof *l.found, compare_u64 );
			size_t at = 0;
			for ( size_t k = 0; k < boxes; ++k ) {
				if ( dbvhi_boxes_overlap( p.boxes + 6 * k, box ) )
					assert_true( at < l.count && l.found[at++] == k );
			}
			assert_int_equal( at, l.count );
			found += at;
			asked += boxes;
			if ( at > 1 ) { // who has seen enough is asked no more
				l.count = 0;
				l.most = 1;
				dbvhi_broad_phase_overlaps( &p, box, list, &l );
				assert_int_equal( l.count, 1 );
			}
		}
		dbvhi_broad_phase_free( &p );
	}
	assert_outcomes( found > 0 && found < asked );
}

static double bound_by_x( const void *question, const double box[6] ) {
	const double *x = question;
	const double gap = fmax( fmax( box[0] - x[0], x[0] - box[3] ), fmax( box[1] - x[1], x[1] - box[4] ) );
	return gap > 0.0 ? gap : 0.0;
}

typedef struct procession {
	const dbvhi_broad_phase *phase;
	const double *point;
	double last, limit;
	size_t count, most;
	uint8_t seen[4096];
} procession;

static bool next_in_line( void *context, uint32_t number ) {
	procession *l = context;
	const double bound = bound_by_x( l->point, l->phase->boxes + 6 * (size_t)number );
	assert_true( bound >= l->last && bound <= l->limit && !l->seen[number] );
	l->last = bound;
	l->seen[number] = 1;
	return ++l->count < l->most;
}

// Boxes in the order of how near they are: all that are, none twice, and those that are nowhere not at all.
static void nearest_first( void **state ) {
	(void)state;
	rng r = rng_announce( "broad_phase: nearest first", 73 );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	dbvhi_front front = { .heap = NULL };
	size_t visited = 0, left_out = 0;
	for ( size_t round = 0; round < rounds( 140 ); ++round ) {
		dbvhi_broad_phase p;
		dbvhi_broad_phase_init( &p, &allocator );
		const size_t boxes = rng_below( &r, MOST );
		const int kind = (int)( round % KINDS );
		double box[6];
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		for ( uint32_t i = 0; i < boxes; ++i ) {
			random_box( &r, kind, box );
			dbvhi_broad_phase_set( &p, i, rng_below( &r, 20 ) == 0 ? dbvhi_box_nowhere : box );
		}
		assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
		for ( int i = 0; i < 10; ++i ) {
			random_box( &r, kind, box );
			static procession l;
			l = ( procession ){ .phase = &p, .point = box, .most = SIZE_MAX, .limit = DBL_MAX };
			if ( i % 2 == 0 ) // the limit is the bound of one of the boxes
				l.limit = boxes > 0 ? fmin( DBL_MAX, bound_by_x( box, p.boxes + 6 * rng_below( &r, boxes ) ) ) : 0.0;
			assert_int_equal( dbvhi_front_walk( &front, &p, bound_by_x, box, &l.limit, next_in_line, &l ), DBVH_OK );
			for ( size_t k = 0; k < boxes; ++k ) {
				const double *mine = p.boxes + 6 * k;
				const bool is_near = mine[0] <= mine[3] && bound_by_x( box, mine ) <= l.limit;
				assert_int_equal( l.seen[k], is_near );
				left_out += !is_near;
			}
			visited += l.count;
			if ( l.count > 2 ) { // until one has seen enough
				l = ( procession ){ .phase = &p, .point = box, .most = 2, .limit = DBL_MAX };
				assert_int_equal( dbvhi_front_walk( &front, &p, bound_by_x, box, &l.limit, next_in_line, &l ),
				                  DBVH_OK );
				assert_int_equal( l.count, 2 );
			}
		}
		dbvhi_broad_phase_free( &p );
	}
	dbvhi_free( &allocator, front.heap, front.capacity, sizeof *front.heap );
	printf( "broad_phase: %zu visited, %zu left out\n", visited, left_out );
	assert_outcomes( visited > 0 && left_out > 0 );
}

// Every box that is somewhere has one seat, and trees count their boxes.
static void check_seats( const dbvhi_broad_phase *p ) {
	size_t live[DBVHI_LARGE_TREE + 1] = { 0 };
	for ( size_t i = 0; i < p->count; ++i ) {
		const dbvhi_seat seat = p->seat[i];
		if ( seat.tree == DBVHI_NO_TREE ) {
			assert_false( dbvhi_box_is_somewhere( p->boxes + 6 * i ) );
			continue;
		}
		assert_int_equal( p->tree[seat.tree].order[seat.place], i );
		live[seat.tree] += 1;
	}
	for ( int k = 0; k <= DBVHI_LARGE_TREE; ++k )
		assert_int_equal( p->tree[k].live, live[k] );
}

static void check_one( const dbvhi_broad_phase *p, const double box[6], dbvhi_front *front ) {
	static listing l;
	l.count = 0;
	l.most = SIZE_MAX;
	dbvhi_broad_phase_overlaps( p, box, list, &l );
	qsort( l.found, l.count, sizeof *l.found, compare_u64 );
	size_t at = 0, nearest = SIZE_MAX;
	for ( size_t k = 0; k < p->count; ++k ) {
		const double *mine = p->boxes + 6 * k;
		if ( dbvhi_boxes_overlap( mine, box ) )
			assert_true( at < l.count && l.found[at++] == k );
		if ( dbvhi_box_is_somewhere( mine ) &&
		     ( nearest == SIZE_MAX || bound_by_x( box, mine ) < bound_by_x( box, p->boxes + 6 * nearest ) ) )
			nearest = k;
	}
	assert_int_equal( at, l.count );
	if ( nearest == SIZE_MAX )
		return;
	// The walk asserts that bounds ascend; the first is the least.
	static procession line;
	line = ( procession ){ .phase = p, .point = box, .most = 1, .limit = DBL_MAX };
	assert_int_equal( dbvhi_front_walk( front, p, bound_by_x, box, &line.limit, next_in_line, &line ), DBVH_OK );
	assert_true( line.last <= bound_by_x( box, p->boxes + 6 * nearest ) );
}

// The list by the number of its pairs and a sum over them.
static void check_sum( const dbvhi_broad_phase *p ) {
	size_t count = 0;
	uint64_t sum = 0, listed = 0;
	for ( uint32_t i = 0; i < p->count; ++i ) {
		for ( uint32_t j = i + 1; j < p->count; ++j ) {
			if ( dbvhi_boxes_overlap( p->boxes + 6 * (size_t)i, p->boxes + 6 * (size_t)j ) ) {
				count += 1;
				sum += ( (uint64_t)i << 32 | j ) * UINT64_C( 0x9e3779b97f4a7c15 ) >> 7;
			}
		}
	}
	assert_int_equal( p->is_crowded, count > dbvhi_broad_phase_most_pairs( p ) );
	for ( size_t i = 0; i < p->pair_count; ++i )
		listed += p->pairs[i] * UINT64_C( 0x9e3779b97f4a7c15 ) >> 7;
	assert_true( p->is_crowded || ( p->pair_count == count && listed == sum ) );
}

// Boxes come, go and move one by one, near and far; after each the question about one box has the answer of brute
// force.
static void one_by_one( void **state ) {
	(void)state;
	rng r = rng_announce( "broad_phase: one by one", 75 );
	dbvh_allocator allocator;
	assert_int_equal( dbvhi_allocator_take( NULL, &allocator, NULL ), DBVH_OK );
	dbvhi_front front = { .heap = NULL };
	size_t in_small = 0, in_third = 0, at_home = 0, copies = 0;
	const size_t count = rounds( 12 );
	for ( size_t round = 0; round < count; ++round ) {
		dbvhi_broad_phase p;
		dbvhi_broad_phase_init( &p, &allocator );
		const int kind = (int)( round % KINDS );
		size_t boxes = round % 4 == 3 ? 0 : 2000;
		assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
		double box[6];
		for ( uint32_t i = 0; i < boxes; ++i ) {
			random_box( &r, kind, box );
			dbvhi_broad_phase_set( &p, i, box );
		}
		for ( int step = 0; step < 1500; ++step ) {
			dbvhi_purse purse;
			dbvhi_meter watch;
			for ( uint64_t change = 0; change < 1 + rng_below( &r, 3 ); ++change ) {
				if ( boxes < MOST || ( rng_below( &r, 3 ) == 0 && boxes < 4000 ) ) {
					boxes += 1;
					assert_int_equal( dbvhi_broad_phase_resize( &p, boxes ), DBVH_OK );
				}
				const uint32_t number = (uint32_t)rng_below( &r, boxes );
				memcpy( box, p.boxes + 6 * (size_t)number, sizeof box );
				const uint64_t how = rng_below( &r, 8 );
				for ( int k = 0; k < 3 && how == 0; ++k ) {
					const double by = rng_range( &r, -0.01, 0.01 );
					box[k] += by;
					box[3 + k] += by;
				}
				if ( how > 1 || !dbvhi_box_is_somewhere( box ) )
					random_box( &r, kind, box );
				const dbvhi_seat before = p.seat[number];
				dbvhi_broad_phase_set( &p, number, how == 1 ? dbvhi_box_nowhere : box );
				at_home += how == 0 && before.tree == DBVHI_LARGE_TREE;
			}
			dbvhi_meter_open( &watch, &purse, NULL );
			assert_int_equal( dbvhi_broad_phase_update( &p, &watch ), DBVH_OK );
			check_one( &p, box, &front );
			in_small += p.tree[0].live > 0;
			in_third += p.tree[2].live > 0;
			if ( step % 100 == 99 )
				check_seats( &p );
			if ( step % 700 == 600 ) { // the list is made of what is in all trees
				assert_int_equal( bring_up_to_date( &p ), DBVH_OK );
				check_sum( &p );
			}
			if ( step % 400 == 399 ) { // a copy goes on
				dbvhi_broad_phase copy;
				assert_int_equal( dbvhi_broad_phase_copy( &copy, &p, &allocator ), DBVH_OK );
				dbvhi_broad_phase_free( &p );
				p = copy;
				copies += 1;
			}
		}
		dbvhi_broad_phase_free( &p );
	}
	dbvhi_free( &allocator, front.heap, front.capacity, sizeof *front.heap );
	printf(
	    "broad_phase: one by one: %zu steps with small trees, %zu with the third of them, %zu at home, %zu copies\n",
	    in_small, in_third, at_home, copies );
	assert_outcomes( in_small > 0 && in_third > 0 && at_home > 0 && copies > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( same_as_brute_force ),
	    cmocka_unit_test( more_boxes_end_a_crowd ),
	    cmocka_unit_test( all_move ),
	    cmocka_unit_test( overlaps_of_one_box ),
	    cmocka_unit_test( nearest_first ),
	    cmocka_unit_test( one_by_one ),
	};
	return test_main( argc, argv, tests );
}
