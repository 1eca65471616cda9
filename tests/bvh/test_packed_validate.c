// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Packed trees as they might come from a damaged file. Whatever the bytes say, the validator ends, reads nothing
// outside the block (which lies in memory of exactly its size, for AddressSanitizer), and what it lets pass answers
// like the reference tree.

#define _POSIX_C_SOURCE 200809L // posix_memalign

#include "bvh/packed_block.h"
#include "bvh/tree.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

typedef struct forgery {
	dbvh_tree *tree, *other; // `other`, of the same mesh, is sound and has its reference tree
	dbvhi_packed *sound;     // packed form of `tree`, before forging
	size_t bytes;
	int exponent; // the mesh is scaled by this power of two
	size_t caught, passed, asked;
} forgery;

// Kinds of forgeries; those from SCALED on are packed in a unit of their own.
enum { SCALED = 6, KINDS = 12 };

static dbvh_status validate( forgery *f, char *block ) {
	dbvh_error error;
	f->tree->packed = (dbvhi_packed *)block;
	const dbvh_status status = dbvh_tree_validate( f->tree, &error );
	f->tree->packed = f->sound;
	assert_int_equal( status, error.status );
	assert_true( status == DBVH_OK || status == DBVH_INVARIANT );
	f->caught += status != DBVH_OK;
	f->passed += status == DBVH_OK;
	return status;
}

// A copy in memory of its own.
static char *copy_of( const forgery *f ) {
	char *block = NULL;
	assert_int_equal( posix_memalign( (void **)&block, 64, f->bytes ), 0 );
	memcpy( block, f->sound, f->bytes );
	return block;
}

// Verdicts and lists must be those of the reference tree.
static void ask( forgery *f, char *block, rng *r ) {
	enum { ROOM = 4096 };
	static dbvh_pair pairs[2][ROOM];
	f->tree->packed = (dbvhi_packed *)block;
	for ( int i = 0; i < 3; ++i ) {
		dbvh_pose pose = random_pose( r, i == 0 ? 0.3 : 1.5 );
		for ( int k = 0; k < 3; ++k )
			pose.pos[k] = ldexp( pose.pos[k], f->exponent );
		dbvh_collide_result results[2];
		for ( int k = 0; k < 2; ++k ) {
			const dbvh_collide_query query = { .find = DBVH_FIND_ALL,
			                                   .policy = k == 0 ? DBVH_POLICY_DUAL : DBVH_POLICY_PACKED,
			                                   .pairs = pairs[k],
			                                   .pair_capacity = ROOM };
			const dbvh_tree *tree = k == 0 ? f->other : f->tree;
			assert_int_equal( dbvh_collide( tree, NULL, f->other, &pose, &query, NULL, &results[k], NULL ), DBVH_OK );
		}
		assert_int_equal( results[0].verdict, results[1].verdict );
		assert_true( results[0].pair_count == results[1].pair_count );
		assert_memory_equal( pairs[0], pairs[1], results[0].pair_written * sizeof pairs[0][0] );
		f->asked += 1;
	}
	f->tree->packed = f->sound;
}

static void forgery_end( forgery *f ) {
	f->tree->packed = f->sound;
	dbvh_tree_destroy( f->tree );
	dbvh_tree_destroy( f->other );
}

static forgery forgery_of( rng *r, int kind ) {
	static const int exponents[] = { -60, 200, -900 };
	forgery f = { .exponent = kind >= SCALED ? exponents[kind % 3] : 0 };
	shape s = { 0 };
	if ( kind % 3 == 0 )
		shape_add_torus( &s, 1.0, 0.4, 8 + (uint32_t)rng_below( r, 8 ), 6 );
	else
		add_soup( &s, r, kind % 3 == 1 ? 1 + rng_below( r, 20 ) : 60, 0.5, 0.3, false );
	for ( size_t i = 0; i < 3 * s.vertex_count; ++i )
		s.positions[i] = ldexp( s.positions[i], f.exponent );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	options.ellipsoids = kind % 2 == 0 ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE;
	const dbvh_mesh_view view = shape_view( &s );
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &f.tree, NULL ), DBVH_OK );
	options.reference = true;
	assert_int_equal( dbvh_tree_build( &view, &options, NULL, &f.other, NULL ), DBVH_OK );
	shape_free( &s );
	f.sound = f.tree->packed;
	if ( f.sound == NULL ) { // one triangle that is a point has none
		forgery_end( &f );
		return forgery_of( r, kind );
	}
	assert_int_equal( dbvhi_packed_is_scaled( f.sound ), kind >= SCALED );
	f.bytes = f.sound->bytes;
	assert_int_equal( dbvh_tree_validate( f.tree, NULL ), DBVH_OK );
	return f;
}

// Every bit of the header matters, but for the last ones of the extent, which may be larger than it need be, and of the
// centre where no reference tree says which it is: what is counted from it is held against the triangles, and where
// that is accepted, answers are right.
static void every_bit_of_the_header( void **state ) {
	(void)state;
	rng r = rng_announce( "forged headers", 1 );
	size_t flipped = 0, passed = 0;
	for ( int kind = 0; kind < KINDS; ++kind ) {
		forgery f = forgery_of( &r, kind );
		char *block = copy_of( &f );
		for ( size_t bit = 0; bit < 8 * sizeof( dbvhi_packed ); ++bit ) {
			block[bit / 8] ^= (char)( 1u << bit % 8 );
			const dbvh_status status = validate( &f, block );
			const bool extent = bit / 64 == offsetof( dbvhi_packed, extent ) / 8;
			const bool centre = bit / 64 >= offsetof( dbvhi_packed, centre ) / 8 &&
			                    bit / 64 < offsetof( dbvhi_packed, extent ) / 8 && !dbvhi_tree_has_reference( f.tree );
			if ( status == DBVH_OK && !extent && !centre )
				fail_msg( "bit %zu of the header is not looked at", bit );
			if ( status == DBVH_OK )
				ask( &f, block, &r );
			block[bit / 8] ^= (char)( 1u << bit % 8 );
			flipped += 1;
		}
		// Whole fields.
		for ( size_t field = 0; field < sizeof( dbvhi_packed ) / 4; ++field ) {
			static const uint32_t wrong[] = { 0, 1, 0x7fffffff, 0x80000000, UINT32_MAX, 0x7ff00000, 0xfff80000 };
			for ( size_t i = 0; i < sizeof wrong / sizeof wrong[0] + 20; ++i ) {
				const uint32_t value = i < sizeof wrong / sizeof wrong[0] ? wrong[i] : (uint32_t)rng_u64( &r );
				memcpy( block + 4 * field, &value, 4 );
				if ( memcmp( block, f.sound, sizeof( dbvhi_packed ) ) != 0 && validate( &f, block ) == DBVH_OK )
					ask( &f, block, &r );
				memcpy( block, f.sound, sizeof( dbvhi_packed ) );
				flipped += 1;
			}
		}
		passed += f.passed;
		free( block );
		forgery_end( &f );
	}
	printf( "headers: %zu forged, %zu harmless\n", flipped, passed );
	assert_true( passed < flipped / 8 );
}

// Do two corners of a triangle of a leaf differ?
static bool has_edge( const dbvhi_packed_leaf *leaf ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int lane = 0; lane < DBVHI_WIDTH; ++lane ) {
			if ( leaf->corner[0][i][lane] != leaf->corner[1][i][lane] ||
			     leaf->corner[0][i][lane] != leaf->corner[2][i][lane] )
				return true;
		}
	}
	return false;
}

// Invariants of the content, broken one at a time.
static void every_invariant( void **state ) {
	(void)state;
	rng r = rng_announce( "forged content", 2 );
	size_t count = 0;
	for ( int kind = 0; kind < KINDS; ++kind ) {
		forgery f = forgery_of( &r, kind );
		char *block = copy_of( &f );
		dbvhi_packed *packed = (dbvhi_packed *)block;
		dbvhi_packed_spheres *spheres = (dbvhi_packed_spheres *)( block + packed->sphere_offset );
		dbvhi_packed_box *boxes = (dbvhi_packed_box *)( block + packed->box_offset );
		dbvhi_packed_leaf *leaves = (dbvhi_packed_leaf *)( block + packed->leaf_offset );
		const float nudge = kind >= SCALED ? 0x1p30f : 0x1p-8f; // a part of the mesh, which has 2^38 units of its own
#define BREAK( lvalue, value )                                                                                         \
	do {                                                                                                               \
		const dbvhi_packed *const before = f.sound;                                                                    \
		( lvalue ) = ( value );                                                                                        \
		if ( memcmp( block, before, f.bytes ) != 0 ) {                                                                 \
			if ( validate( &f, block ) == DBVH_OK )                                                                    \
				fail_msg( "%s = %s is not seen, kind %d", #lvalue, #value, kind );                                     \
			count += 1;                                                                                                \
			memcpy( block, before, f.bytes );                                                                          \
		}                                                                                                              \
	} while ( 0 )
		const uint32_t stride = is_short_run() ? 3 : 1;
		for ( uint32_t n = 0; n < packed->node_count; n += stride ) {
			for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
				dbvhi_packed_box *box = &boxes[DBVHI_WIDTH * n + (uint32_t)i];
				float *radius = &spheres[n].radius[i];
				const bool empty = *radius == DBVHI_NO_CHILD;
				BREAK( *radius, DBVHI_NO_CHILD ); // a lane that is lost
				if ( empty ) {
					BREAK( *radius, 1.0f ); // one that is revived
					BREAK( box->pair[0], 1 );
					BREAK( spheres[n].centre[2][i], 1.0f );
					BREAK( *box, boxes[DBVHI_WIDTH * n] );
					continue;
				}
				BREAK( *radius, 0.0f );
				BREAK( *radius, -*radius );
				BREAK( *radius, NAN );
				BREAK( *radius, INFINITY );
				BREAK( *radius, 0x1p100f );
				BREAK( spheres[n].centre[0][i], 0x1p100f );
				BREAK( spheres[n].centre[1][i], NAN );
				BREAK( box->child, 0 );
				BREAK( box->child, (int32_t)n );
				BREAK( box->child, INT32_MAX );
				BREAK( box->child, INT32_MIN );
				BREAK( box->child, (int32_t)packed->node_count );
				BREAK( box->child, ~(int32_t)packed->leaf_count );
				BREAK( box->child, ~0 );
				BREAK( box->pair[1], 0 ); // an offset and half an extent less
				BREAK( box->pair[2], -1 );
				BREAK( box->pair[2], 0 );
			}
		}
		for ( uint32_t n = 0; n < packed->leaf_count; n += stride ) {
			dbvhi_packed_leaf *leaf = &leaves[n];
			const uint32_t many = leaf->first_and_count & 3;
			BREAK( leaf->first_and_count, leaf->first_and_count ^ 1 );
			BREAK( leaf->first_and_count, leaf->first_and_count ^ 2 );
			BREAK( leaf->first_and_count, leaf->first_and_count + 4 );
			BREAK( leaf->first_and_count, UINT32_MAX );
			BREAK( leaf->first_and_count, many );
			if ( has_edge( leaf ) ) { // a leaf of points may say that its edges are of length 0
				BREAK( leaf->sizes, 0 );
				BREAK( leaf->sizes, leaf->sizes & 0xffff );
				BREAK( leaf->sizes, leaf->sizes & 0xffff0000u );
			}
			BREAK( leaf->sizes, UINT32_MAX );
			BREAK( leaf->sizes, leaf->sizes | 0x7f800000 );
			BREAK( leaf->sizes, leaf->sizes | 0x7f80 );
			for ( int i = 0; i < 9; ++i ) {
				for ( int lane = 0; lane < DBVHI_WIDTH; ++lane ) {
					BREAK( leaf->corner[i / 3][i % 3][lane], 0x1p100f );
					BREAK( leaf->corner[i / 3][i % 3][lane], NAN );
					BREAK( leaf->corner[i / 3][i % 3][lane], leaf->corner[i / 3][i % 3][lane] + nudge );
				}
			}
			BREAK( leaf->origin[0], leaf->origin[0] + nudge );
			BREAK( leaf->origin[1], NAN );
		}
		if ( packed->ellipsoid_count > 0 ) {
			uint8_t *marks = (uint8_t *)block + packed->mark_offset;
			dbvhi_packed_ellipsoid *e = (dbvhi_packed_ellipsoid *)( block + packed->ellipsoid_offset );
			for ( uint32_t n = 0; n < packed->node_count; ++n ) {
				BREAK( marks[n], 0 );
				BREAK( marks[n], 1 );
				BREAK( marks[n], 255 );
			}
			for ( uint32_t n = 0; n < packed->ellipsoid_count; ++n ) {
				BREAK( e[n].reach.longest, 0.0 );
				BREAK( e[n].reach.longest, NAN );
				BREAK( e[n].to_ball.m[0][0], NAN );
				BREAK( e[n].to_ball.m[1][1], 0x1p60 );
				BREAK( e[n].reach.shape[0], 0.0 );
				BREAK( e[n].reach.shape[5], NAN );
				BREAK( e[n].reach.centre.v[0], 0x1p60 );
				BREAK( e[n].reach.centre.v[1], NAN );
			}
		}
#undef BREAK
		free( block );
		forgery_end( &f );
	}
	printf( "content: %zu invariants broken\n", count );
	assert_outcomes( count > 1000 );
}

static void random_bytes( void **state ) {
	(void)state;
	rng r = rng_announce( "forged bytes", 3 );
	size_t caught = 0, passed = 0, asked = 0;
	const size_t trees = rounds( 24 );
	for ( size_t t = 0; t < trees; ++t ) {
		forgery f = forgery_of( &r, (int)( t % KINDS ) );
		char *block = copy_of( &f );
		for ( int i = 0; i < 250; ++i ) {
			const size_t from = i % 5 == 0 ? 0 : sizeof( dbvhi_packed );
			for ( uint64_t n = 1 + rng_below( &r, i % 2 == 0 ? 1 : 8 ); n > 0; --n ) {
				const size_t at = from + (size_t)rng_below( &r, f.bytes - from );
				block[at] = (char)( i % 3 == 0 ? block[at] ^ (char)( 1u << rng_below( &r, 8 ) ) : (char)rng_u64( &r ) );
			}
			if ( validate( &f, block ) == DBVH_OK && i % 4 == 1 )
				ask( &f, block, &r );
			memcpy( block, f.sound, f.bytes );
		}
		caught += f.caught;
		passed += f.passed;
		asked += f.asked;
		free( block );
		forgery_end( &f );
	}
	printf( "bytes: %zu forged trees caught, %zu harmless, %zu queries of those\n", caught, passed, asked );
	assert_outcomes( caught > 0 && passed > 0 && asked > 0 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( every_bit_of_the_header ),
	    cmocka_unit_test( every_invariant ),
	    cmocka_unit_test( random_bytes ),
	};
	return test_main( argc, argv, tests );
}
