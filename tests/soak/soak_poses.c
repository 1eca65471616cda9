// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// soak_poses [POSES]: compares collisions of small meshes with all pairs of their triangles,
// decided in whole numbers, for POSES poses (20,000 by default), and prints a table. Every pose is asked for in a batch
// and alone, for the first pair and for all, in both orders; policies and instruction sets take turns.

// clock_gettime() is POSIX, and the dialect here is strict C.
#define _POSIX_C_SOURCE 200809L

#include "dualbvh/dualbvh.h"
#include "simd/isa.h"
#include "support/clearance.h"
#include "support/command_line.h"
#include "support/oracle.h"
#include "support/solid_shapes.h"
#include "turn.h"
#include "whole.h"

#include <string.h>
#include <time.h>

#define POSES 32 // poses a scene, which is a pair of meshes
#define MOST_TRIANGLES 64
#define MOST_PAIRS ( MOST_TRIANGLES * MOST_TRIANGLES )
#define MOST_PRINTED 5
#define POLICIES ( DBVH_POLICY_PACKED_MIXED + 1 )

typedef struct body {
	const char *kind;
	shape shape;
	dbvh_tree *tree;
	size_t count;
	int64_t corners[MOST_TRIANGLES][9];
	double scale; // `shape` has the corners times this
} body;

typedef struct tally {
	uint64_t poses, meeting, pairs, tested, wrong;
} tally;

static void must( bool holds, const char *what ) {
	if ( holds )
		return;
	printf( "soak_poses: %s\n", what );
	exit( EXIT_FAILURE );
}

// ------------------------------------------------------------------------------------------------
// Meshes of whole coordinates

static void add_triangle( shape *s, const double p[9] ) {
	uint32_t v[3];
	for ( int corner = 0; corner < 3; ++corner )
		v[corner] = shape_vertex( s, p[3 * corner], p[3 * corner + 1], p[3 * corner + 2] );
	shape_triangle( s, v[0], v[1], v[2] );
}

static void make_soup( shape *s, rng *r ) {
	const size_t count = 1 + rng_below( r, 40 );
	const uint64_t reach = 2 + rng_below( r, 14 ), size = 1 + rng_below( r, 6 );
	for ( size_t i = 0; i < count; ++i ) {
		double p[9];
		for ( int k = 0; k < 3; ++k ) {
			p[k] = (double)rng_below( r, 2 * reach + 1 ) - (double)reach;
			for ( int corner = 1; corner < 3; ++corner )
				p[3 * corner + k] = p[k] + (double)rng_below( r, 2 * size + 1 ) - (double)size;
		}
		if ( rng_below( r, 8 ) == 0 )
			memcpy( p + 6, p + 3 * rng_below( r, 2 ), 3 * sizeof *p );
		add_triangle( s, p );
		if ( rng_below( r, 12 ) == 0 )
			add_triangle( s, p );
	}
}

// A flat or stepped plate: of n x n squares.
static void make_plate( shape *s, rng *r ) {
	const uint32_t n = 1 + (uint32_t)rng_below( r, 4 );
	const double step = 1.0 + (double)rng_below( r, 4 ), bend = (double)rng_below( r, 2 );
	for ( uint32_t y = 0; y <= n; ++y ) {
		for ( uint32_t x = 0; x <= n; ++x )
			shape_vertex( s, step * x, step * y, bend * (double)rng_below( r, 2 ) );
	}
	for ( uint32_t y = 0; y < n; ++y ) {
		for ( uint32_t x = 0; x < n; ++x ) {
			const uint32_t at = x + ( n + 1 ) * y;
			shape_triangle( s, at, at + 1, at + n + 2 );
			shape_triangle( s, at, at + n + 2, at + n + 1 );
		}
	}
}

// A long thin strip round an axis: slivers that boxes hold tightly.
static void make_fan( shape *s, rng *r ) {
	const uint32_t count = 3 + (uint32_t)rng_below( r, 30 );
	const uint32_t hub = shape_vertex( s, 0.0, 0.0, (double)rng_below( r, 5 ) );
	for ( uint32_t i = 0; i <= count; ++i )
		shape_vertex( s, 16.0, (double)i - (double)( count / 2 ) > 15.0 ? 15.0 : (double)i - (double)( count / 2 ),
		              (double)rng_below( r, 2 ) );
	for ( uint32_t i = 0; i < count; ++i )
		shape_triangle( s, hub, hub + 1 + i, hub + 2 + i );
}

static const char *make_shape( shape *s, rng *r ) {
	switch ( rng_below( r, 6 ) ) {
	case 0:
		make_soup( s, r );
		return "soup";
	case 1:
		make_plate( s, r );
		return "plate";
	case 2:
		make_fan( s, r );
		return "fan";
	default:
		add_random_solid( s, r, 3 + (int)rng_below( r, 10 ) );
		return "solid";
	}
}

static void make_body( body *out, rng *r, double scale ) {
	memset( out, 0, sizeof *out );
	do {
		shape_free( &out->shape );
		out->kind = make_shape( &out->shape, r );
	} while ( out->shape.triangle_count == 0 || out->shape.triangle_count > MOST_TRIANGLES );
	shape *const s = &out->shape;
	must( !s->failed, "out of memory" );
	out->count = s->triangle_count;
	out->scale = scale;
	for ( size_t t = 0; t < s->triangle_count; ++t ) {
		for ( int k = 0; k < 9; ++k ) {
			const double x = s->positions[3 * s->indices[3 * t + (size_t)( k / 3 )] + (size_t)( k % 3 )];
			out->corners[t][k] = (int64_t)x;
			must( (double)out->corners[t][k] == x && fabs( x ) <= 24.0, "a mesh is not of small whole coordinates" );
		}
	}
	for ( size_t i = 0; i < 3 * s->vertex_count; ++i )
		s->positions[i] *= scale;
	dbvh_tree_options options = dbvh_tree_options_default();
	options.leaf_size = rng_below( r, 4 ) == 0 ? 1 + (uint32_t)rng_below( r, 6 ) : 1;
	options.sphere_fit = rng_below( r, 4 ) == 0 ? DBVH_NODE_SPHERE_BOX_CENTRE : DBVH_NODE_SPHERE_SMALLEST;
	options.box_fit = rng_below( r, 4 ) == 0 ? DBVH_BOX_FIT_COVARIANCE : DBVH_BOX_FIT_BEST;
	options.split = rng_below( r, 4 ) == 0 ? DBVH_SPLIT_MEAN : DBVH_SPLIT_COST;
	options.thread_count = 1;
	options.reference = true;
	options.ellipsoids = rng_below( r, 4 ) == 0 ? DBVH_ELLIPSOIDS_ALL : DBVH_ELLIPSOIDS_NONE;
	const dbvh_mesh_view view = shape_view( s );
	must( dbvh_tree_build( &view, &options, NULL, &out->tree, NULL ) == DBVH_OK, "a tree was refused" );
}

static void free_body( body *b ) {
	dbvh_tree_destroy( b->tree );
	shape_free( &b->shape );
}

// ------------------------------------------------------------------------------------------------
// Poses

static whole_pose make_pose( rng *r, const body *a, const body *b, bool *near_out ) {
	whole_pose pose = rng_below( r, 2 ) == 0 ? right_pose( r, 9 ) : any_pose( r, 9.0 );
	*near_out = false;
	if ( rng_below( r, 3 ) == 0 )
		return pose;
	// A corner of B on a corner of A, in the middle of a side, or a step beside that.
	const int64_t *const x = a->corners[rng_below( r, a->count )], *const y = b->corners[rng_below( r, b->count )];
	const size_t from = rng_below( r, 3 ), to = rng_below( r, 3 ), corner = rng_below( r, 3 );
	const int64_t beside = rng_below( r, 2 ) == 0 ? 0 : 1;
	for ( size_t k = 0; k < 3; ++k ) {
		int64_t at = 0;
		for ( size_t j = 0; j < 3; ++j )
			at += pose.rot[k][j] * y[3 * corner + j];
		const int64_t between = pose.one * ( x[3 * from + k] + x[3 * to + k] );
		pose.pos[k] = between / 2 - at + ( (int64_t)rng_below( r, 3 ) - 1 ) * beside;
	}
	*near_out = true;
	return pose;
}

static whole_pose compose( const whole_pose *outer, const whole_pose *inner ) {
	whole_pose out = { .one = inner->one };
	for ( int i = 0; i < 3; ++i ) {
		out.pos[i] = outer->pos[i] * inner->one;
		for ( int j = 0; j < 3; ++j ) {
			out.pos[i] += outer->rot[i][j] * inner->pos[j];
			for ( int k = 0; k < 3; ++k )
				out.rot[i][j] += outer->rot[i][k] * inner->rot[k][j];
		}
	}
	return out;
}

// ------------------------------------------------------------------------------------------------
// The truth

static size_t truth_of( const body *a, const body *b, const whole_pose *pose, dbvh_pair *pairs_out, uint64_t *tested ) {
	static int64_t image[MOST_TRIANGLES][9], low[MOST_TRIANGLES][3], high[MOST_TRIANGLES][3];
	for ( size_t j = 0; j < b->count; ++j ) {
		whole_place( pose, b->corners[j], image[j] );
		for ( int k = 0; k < 3; ++k ) {
			low[j][k] = high[j][k] = image[j][k];
			for ( int corner = 1; corner < 3; ++corner ) {
				const int64_t x = image[j][3 * corner + k];
				low[j][k] = x < low[j][k] ? x : low[j][k];
				high[j][k] = x > high[j][k] ? x : high[j][k];
			}
		}
	}
	size_t count = 0;
	for ( size_t i = 0; i < a->count; ++i ) {
		int64_t fixed[9], least[3], most[3];
		for ( int k = 0; k < 9; ++k )
			fixed[k] = a->corners[i][k] * pose->one;
		for ( int k = 0; k < 3; ++k ) {
			least[k] = most[k] = fixed[k];
			for ( int corner = 1; corner < 3; ++corner ) {
				least[k] = fixed[3 * corner + k] < least[k] ? fixed[3 * corner + k] : least[k];
				most[k] = fixed[3 * corner + k] > most[k] ? fixed[3 * corner + k] : most[k];
			}
		}
		for ( size_t j = 0; j < b->count; ++j ) {
			bool apart = false;
			for ( int k = 0; k < 3; ++k )
				apart |= most[k] < low[j][k] || high[j][k] < least[k];
			if ( apart )
				continue;
			*tested += 1;
			if ( pose->one == 1 ? oracle_triangles_meet_int( fixed, image[j] )
			                    : whole_triangles_meet( fixed, image[j] ) )
				pairs_out[count++] = ( dbvh_pair ){ (uint32_t)i, (uint32_t)j };
		}
	}
	return count;
}

static int by_a_then_b( const void *x, const void *y ) {
	const dbvh_pair *const p = x, *const q = y;
	return p->a != q->a ? ( p->a > q->a ) - ( p->a < q->a ) : ( p->b > q->b ) - ( p->b < q->b );
}

// ------------------------------------------------------------------------------------------------
// The comparison

typedef struct scene {
	const body *a, *b;
	dbvh_pose pose_a, poses[POSES];
	size_t count[POSES];
	dbvh_pair truth[POSES][MOST_PAIRS];
	size_t index; // number of the scene
	tally *tally;
} scene;

static void wrong( const scene *s, size_t pose, const char *what, const dbvh_collide_result *r ) {
	if ( s->tally->wrong++ >= MOST_PRINTED )
		return;
	printf( "WRONG, scene %zu (%s and %s), pose %zu, %s, %s: %s, %zu pairs, the truth is %zu\n", s->index, s->a->kind,
	        s->b->kind, pose, dbvh_isa_name(), what, r->verdict == DBVH_INTERSECTING ? "meeting" : "apart",
	        r->pair_count, s->count[pose] );
	fflush( stdout );
}

static bool is_true_pair( const scene *s, size_t pose, dbvh_pair p ) {
	return bsearch( &p, s->truth[pose], s->count[pose], sizeof p, by_a_then_b ) != NULL;
}

static bool is_right_first( const scene *s, size_t i, const dbvh_collide_result *r ) {
	return r->status == DBVH_OK && ( r->verdict == DBVH_INTERSECTING ) == ( s->count[i] > 0 ) &&
	       ( s->count[i] == 0 || is_true_pair( s, i, r->first ) );
}

static bool is_right_list( const scene *s, size_t i, const dbvh_collide_result *r, const dbvh_pair *pairs ) {
	return is_right_first( s, i, r ) && r->pair_count == s->count[i] && r->pair_written == s->count[i] &&
	       memcmp( pairs, s->truth[i], s->count[i] * sizeof *pairs ) == 0;
}

static void compare_batch( const scene *s, dbvh_policy policy, dbvh_workspace *workspace ) {
	static dbvh_pair pairs[POSES * MOST_PAIRS];
	dbvh_collide_result results[POSES];
	size_t begin[POSES + 1] = { 0 };
	for ( size_t i = 0; i < POSES; ++i )
		begin[i + 1] = begin[i] + s->count[i];
	dbvh_collide_query query = {
	    .find = DBVH_FIND_ALL, .policy = policy, .pairs = pairs, .pair_capacity = begin[POSES], .pair_begin = begin };
	const dbvh_batch_options options = { .thread_count = 1, .workspace = workspace };
	must( dbvh_collide_batch( s->a->tree, &s->pose_a, s->b->tree, s->poses, POSES, &query, &options, results, NULL ) ==
	          DBVH_OK,
	      "a batch was refused" );
	for ( size_t i = 0; i < POSES; ++i ) {
		if ( !is_right_list( s, i, &results[i], pairs + begin[i] ) )
			wrong( s, i, "batch, all pairs", &results[i] );
	}
	must( dbvh_collide_batch( s->a->tree, &s->pose_a, s->b->tree, s->poses, POSES, NULL, &options, results, NULL ) ==
	          DBVH_OK,
	      "a batch was refused" );
	for ( size_t i = 0; i < POSES; ++i ) {
		if ( !is_right_first( s, i, &results[i] ) )
			wrong( s, i, "batch, first pair", &results[i] );
	}
}

static void compare_alone( const scene *s, size_t i, dbvh_policy policy, dbvh_workspace *workspace ) {
	static dbvh_pair pairs[MOST_PAIRS];
	const dbvh_tree *const a = s->a->tree, *const b = s->b->tree;
	const dbvh_pose *const pose_a = &s->pose_a, *const pose_b = &s->poses[i];
	char what[64];
	snprintf( what, sizeof what, "alone, policy %d", (int)policy );
	dbvh_collide_query query = { .find = DBVH_FIND_ALL, .policy = policy, .pairs = pairs, .pair_capacity = MOST_PAIRS };
	dbvh_collide_result result;
	must( dbvh_collide( a, pose_a, b, pose_b, &query, workspace, &result, NULL ) == DBVH_OK, "a query was refused" );
	if ( !is_right_list( s, i, &result, pairs ) )
		wrong( s, i, what, &result );
	// The other way round, the lists are the same but for their order.
	must( dbvh_collide( b, pose_b, a, pose_a, &query, workspace, &result, NULL ) == DBVH_OK, "a query was refused" );
	bool right = result.pair_count == s->count[i];
	for ( size_t k = 0; right && k < result.pair_count; ++k )
		right = is_true_pair( s, i, ( dbvh_pair ){ pairs[k].b, pairs[k].a } );
	if ( !right )
		wrong( s, i, "the other way round", &result );
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ANY, .policy = policy };
	must( dbvh_collide( a, pose_a, b, pose_b, &query, workspace, &result, NULL ) == DBVH_OK, "a query was refused" );
	if ( !is_right_first( s, i, &result ) )
		wrong( s, i, "first pair", &result );
	if ( i % 8 != 0 )
		return;
	// The least reach there is finds what touches, and what does not is farther than 0.
	must( check_clearance( a, pose_a, b, pose_b, 0x1p-1074, &query, workspace, &result, NULL ) == DBVH_OK,
	      "a query was refused" );
	dbvh_distance_query how_far = { .policy = policy };
	dbvh_distance_result distance;
	must( dbvh_distance( a, pose_a, b, pose_b, &how_far, workspace, &distance, NULL ) == DBVH_OK,
	      "a query was refused" );
	if ( ( distance.distance == 0.0 ) != ( s->count[i] > 0 ) ||
	     ( s->count[i] > 0 && result.verdict != DBVH_INTERSECTING ) )
		wrong( s, i, "distance", &result );
}

static double now( void ) {
	struct timespec t;
	clock_gettime( CLOCK_MONOTONIC, &t );
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *const kinds[] = { "right angles", "right angles, near", "any turn", "any turn, near" };

int main( int argc, char **argv ) {
	static const char *const name = "poses";
	const test_command_line line = test_command_line_read(
	    argc, argv, ( test_usage ){ .operands = "[POSES]", .parts = true }, &name, 1, sizeof name );
	const uint64_t poses = test_operand( &line, 0, 20000 ), part = line.part, parts = line.parts;
	const uint64_t seed = rng_announce( "soak_poses", 20261122 ).state;
	const double began = now();
	size_t isa_count;
	const dbvhi_isa *const isas = dbvhi_isa_available( &isa_count );
	dbvh_workspace *workspace = NULL;
	must( dbvh_workspace_create( NULL, &workspace, NULL ) == DBVH_OK, "out of memory" );
	scene *const s = malloc( sizeof *s );
	must( s != NULL, "out of memory" );
	tally each[4] = { { 0 } };
	const uint64_t scenes = ( poses / parts + POSES - 1 ) / POSES;
	for ( uint64_t n = 0; n < scenes; ++n ) {
		rng r = { seed };
		r.state = rng_u64( &r ) + part;
		r.state = rng_u64( &r ) + n;
		r.state = rng_u64( &r );
		body a, b;
		const double scale = rng_below( &r, 4 ) == 0 ? ldexp( 1.0, (int)rng_below( &r, 81 ) - 40 ) : 1.0;
		make_body( &a, &r, scale );
		make_body( &b, &r, scale );
		s->a = &a;
		s->b = &b;
		s->index = n;
		const whole_pose outer = right_pose( &r, 20 );
		const bool both = rng_below( &r, 3 ) == 0;
		s->pose_a = both ? whole_to_pose( &outer, scale ) : dbvh_pose_identity();
		int kind[POSES];
		tally wrongs = { 0 };
		s->tally = &wrongs;
		for ( size_t i = 0; i < POSES; ++i ) {
			bool near = false;
			whole_pose pose = make_pose( &r, &a, &b, &near );
			// If both bodies are posed, the relative pose must be exact, whichever of the two is the frame.
			if ( both && pose.one != 1 )
				pose = right_pose( &r, 9 );
			kind[i] = ( pose.one != 1 ? 2 : 0 ) + near;
			tally *const t = &each[kind[i]];
			s->count[i] = truth_of( &a, &b, &pose, s->truth[i], &t->tested );
			t->poses += 1;
			t->meeting += s->count[i] > 0;
			t->pairs += s->count[i];
			const whole_pose placed = both ? compose( &outer, &pose ) : pose;
			s->poses[i] = whole_to_pose( &placed, scale );
		}
		must( dbvh_isa_select( isas[n % isa_count].name, NULL ) == DBVH_OK, "an instruction set was refused" );
		compare_batch( s, n / isa_count % 2 == 0 ? DBVH_POLICY_DEFAULT : (dbvh_policy)( n / isa_count / 2 % POLICIES ),
		               workspace );
		for ( size_t i = 0; i < POSES; ++i )
			compare_alone( s, i, (dbvh_policy)( ( i + n ) % POLICIES ), workspace );
		each[0].wrong += wrongs.wrong;
		free_body( &a );
		free_body( &b );
	}
	tally all = { 0 };
	printf( "%-20s %12s %12s %12s %14s\n", "poses", "number", "meeting", "pairs", "pairs tried" );
	for ( int k = 0; k < 4; ++k ) {
		const tally *const t = &each[k];
		printf( "%-20s %12llu %12llu %12llu %14llu\n", kinds[k], (unsigned long long)t->poses,
		        (unsigned long long)t->meeting, (unsigned long long)t->pairs, (unsigned long long)t->tested );
		all.poses += t->poses;
		all.meeting += t->meeting;
		all.pairs += t->pairs;
		all.tested += t->tested;
		all.wrong += t->wrong;
	}
	printf( "%-20s %12llu %12llu %12llu %14llu, %llu wrong, %.0f us a pose\n", "all", (unsigned long long)all.poses,
	        (unsigned long long)all.meeting, (unsigned long long)all.pairs, (unsigned long long)all.tested,
	        (unsigned long long)all.wrong, 1e6 * ( now() - began ) / (double)all.poses );
	dbvh_workspace_destroy( workspace );
	free( s );
	return all.wrong == 0 && all.meeting > 0 && all.meeting < all.poses ? EXIT_SUCCESS : EXIT_FAILURE;
}
