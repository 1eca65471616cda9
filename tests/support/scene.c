// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "support/scene.h"

#include "base/os.h"
#include "bvh/tree.h"
#include "support/oracle.h"
#include "support/solids.h"

#include <string.h>

// How many differences are worth reading.
#define MOST_PRINTED 5

static void *must_alloc( size_t bytes ) {
	void *const memory = malloc( bytes > 0 ? bytes : 1 );
	if ( memory == NULL ) {
		fprintf( stderr, "the test has no memory\n" );
		exit( EXIT_FAILURE );
	}
	return memory;
}

// ------------------------------------------------------------------------------------------------
// Memory

// Each block is preceded by one line of its own that remembers the size.
#define LINE 64

static void *ledger_alloc( void *user, size_t bytes, size_t alignment ) {
	ledger *const books = user;
	books->calls += 1;
	books->mistakes += bytes == 0 || alignment == 0 || alignment > LINE || ( alignment & ( alignment - 1 ) ) != 0;
	if ( books->fail_at != 0 && ( books->once ? books->calls == books->fail_at : books->calls >= books->fail_at ) )
		return NULL;
	char *const block = dbvhi_os_alloc( LINE + ( bytes + LINE - 1 ) / LINE * LINE, LINE );
	if ( block == NULL )
		return NULL;
	memcpy( block, &bytes, sizeof bytes );
	// Fresh memory is not zero, so that reading it before writing shows.
	memset( block + LINE, 0xa5 ^ books->fill, bytes );
	books->live += 1;
	books->bytes += bytes;
	books->most = books->bytes > books->most ? books->bytes : books->most;
	return block + LINE;
}

static void ledger_free( void *user, void *memory, size_t bytes ) {
	ledger *const books = user;
	char *const block = (char *)memory - LINE;
	size_t asked;
	memcpy( &asked, block, sizeof asked );
	books->mistakes += asked != bytes;
	books->live -= 1;
	books->bytes -= asked;
	dbvhi_os_free( block );
}

dbvh_allocator ledger_allocator( ledger *books ) {
	return ( dbvh_allocator ){ .alloc = ledger_alloc, .free = ledger_free, .user = books };
}

// ------------------------------------------------------------------------------------------------
// Meshes

double coarse( rng *r ) {
	return ( (double)rng_below( r, 17 ) - 8.0 ) / 8.0;
}

void add_soup( shape *s, rng *r, size_t triangles, double size, double odd, bool grid ) {
	for ( size_t i = 0; i < triangles; ++i ) {
		double p[3][3];
		for ( int k = 0; k < 3; ++k ) {
			const double centre = grid ? coarse( r ) : rng_range( r, -1.0, 1.0 );
			for ( int corner = 0; corner < 3; ++corner )
				p[corner][k] = centre + ( grid ? coarse( r ) : size * rng_range( r, -1.0, 1.0 ) );
		}
		if ( rng_unit( r ) < odd ) {
			switch ( rng_below( r, 5 ) ) {
			case 0: // a point
				memcpy( p[1], p[0], sizeof p[0] );
				memcpy( p[2], p[0], sizeof p[0] );
				break;
			case 1: // a segment with an end twice
				memcpy( p[2], p[1], sizeof p[0] );
				break;
			case 2: // collinear as far as doubles go; exactly so on the grid
				for ( int k = 0; k < 3; ++k )
					p[2][k] = 0.5 * ( p[0][k] + p[1][k] );
				break;
			case 3: // a needle
				for ( int k = 0; k < 3; ++k )
					p[2][k] = p[1][k] + ldexp( rng_range( r, -1.0, 1.0 ), -(int)rng_below( r, 50 ) );
				break;
			default: // one that is there already
				if ( s->triangle_count > 0 ) {
					const size_t other = rng_below( r, s->triangle_count );
					const uint32_t *const t = s->indices + 3 * other;
					shape_triangle( s, t[2], t[0], t[1] );
					continue;
				}
				break;
			}
		}
		uint32_t v[3];
		for ( int corner = 0; corner < 3; ++corner )
			v[corner] = shape_vertex( s, p[corner][0], p[corner][1], p[corner][2] );
		shape_triangle( s, v[0], v[1], v[2] );
	}
}

void add_grid( shape *s, uint32_t n ) {
	const uint32_t base = (uint32_t)s->vertex_count;
	for ( uint32_t i = 0; i <= n; ++i ) {
		for ( uint32_t j = 0; j <= n; ++j )
			shape_vertex( s, (double)i / n, (double)j / n, 0.0 );
	}
	for ( uint32_t i = 0; i < n; ++i ) {
		for ( uint32_t j = 0; j < n; ++j ) {
			const uint32_t at = base + i * ( n + 1 ) + j;
			shape_triangle( s, at, at + n + 1, at + n + 2 );
			shape_triangle( s, at, at + n + 2, at + 1 );
		}
	}
}

void scale_and_move( shape *s, size_t first, double scale, double x, double y, double z ) {
	const double move[3] = { x, y, z };
	for ( size_t i = 3 * first; i < 3 * s->vertex_count; ++i )
		s->positions[i] = scale * s->positions[i] + move[i % 3];
}

shape scaled_copy( const shape *s, int exponent ) {
	shape out = { 0 };
	for ( size_t i = 0; i < s->vertex_count; ++i ) {
		const double *const p = s->positions + 3 * i;
		shape_vertex( &out, ldexp( p[0], exponent ), ldexp( p[1], exponent ), ldexp( p[2], exponent ) );
	}
	for ( size_t i = 0; i < s->triangle_count; ++i )
		shape_triangle( &out, s->indices[3 * i], s->indices[3 * i + 1], s->indices[3 * i + 2] );
	return out;
}

// ------------------------------------------------------------------------------------------------
// Poses

void random_direction( rng *r, double out[3] ) {
	double length_sq;
	do {
		length_sq = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			out[k] = rng_range( r, -1.0, 1.0 );
			length_sq += out[k] * out[k];
		}
	} while ( length_sq > 1.0 || length_sq < 1e-4 );
	for ( int k = 0; k < 3; ++k )
		out[k] /= sqrt( length_sq );
}

dbvh_pose random_pose( rng *r, double reach ) {
	double q[4], norm_sq;
	do {
		norm_sq = 0.0;
		for ( int k = 0; k < 4; ++k ) {
			q[k] = rng_range( r, -1.0, 1.0 );
			norm_sq += q[k] * q[k];
		}
	} while ( norm_sq > 1.0 || norm_sq < 1e-4 );
	const double pos[3] = { rng_range( r, -reach, reach ), rng_range( r, -reach, reach ),
	                        rng_range( r, -reach, reach ) };
	return dbvh_pose_from_quaternion( q, pos );
}

dbvh_pose exact_pose( rng *r, double reach ) {
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const double zero[3] = { 0, 0, 0 };
	const dbvh_pose one = shape_pose( axes[rng_below( r, 3 )], 90.0 * (double)rng_below( r, 4 ), zero );
	const dbvh_pose two = shape_pose( axes[rng_below( r, 3 )], 90.0 * (double)rng_below( r, 4 ), zero );
	dbvh_pose out = dbvh_pose_identity();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] =
			    one.rot[i][0] * two.rot[0][j] + one.rot[i][1] * two.rot[1][j] + one.rot[i][2] * two.rot[2][j];
		out.pos[i] = reach * coarse( r );
	}
	return out;
}

dbvh_pose six_digits( dbvh_pose pose ) {
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = round( 1e6 * pose.rot[i][j] ) / 1e6;
		pose.pos[i] = round( 1e6 * pose.pos[i] ) / 1e6;
	}
	return pose;
}

dbvh_pose sheared( rng *r, dbvh_pose pose, double deviation ) {
	// rot (I + E / 2) with E symmetric: the deviation is E, and a little of its square.
	double e[3][3];
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = i; j < 3; ++j )
			e[i][j] = e[j][i] = ( rng_below( r, 2 ) != 0 ? 0.998 : -0.998 ) * deviation * 0.5;
	}
	dbvh_pose out = pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			out.rot[i][j] += pose.rot[i][0] * e[0][j] + pose.rot[i][1] * e[1][j] + pose.rot[i][2] * e[2][j];
	}
	return out;
}

void print_pose( const char *name, const dbvh_pose *pose ) {
	if ( pose == NULL ) {
		printf( "\t// %s is NULL\n", name );
		return;
	}
	printf( "\tconst dbvh_pose %s = { { ", name );
	for ( int i = 0; i < 3; ++i )
		printf( "%s{ %a, %a, %a }", i > 0 ? ", " : "", pose->rot[i][0], pose->rot[i][1], pose->rot[i][2] );
	printf( " }, { %a, %a, %a } };\n", pose->pos[0], pose->pos[1], pose->pos[2] );
}

// ------------------------------------------------------------------------------------------------
// Comparison

static int compare_pairs( const void *p, const void *q ) {
	const dbvh_pair *const x = p, *const y = q;
	if ( x->a != y->a )
		return x->a < y->a ? -1 : 1;
	return ( x->b > y->b ) - ( x->b < y->b );
}

static void mirror( dbvh_pair *pairs, size_t count ) {
	for ( size_t i = 0; i < count; ++i )
		pairs[i] = ( dbvh_pair ){ pairs[i].b, pairs[i].a };
	if ( count > 1 )
		qsort( pairs, count, sizeof *pairs, compare_pairs );
}

// The twelve numbers one after the other, as the rule orders them: the matrix first.
static int order_of( const dbvh_pose *a, const dbvh_pose *b ) {
	for ( int k = 0; k < 12; ++k ) {
		const double x = k < 9 ? a->rot[k / 3][k % 3] : a->pos[k - 9];
		const double y = k < 9 ? b->rot[k / 3][k % 3] : b->pos[k - 9];
		if ( x != y )
			return x < y ? -1 : 1;
	}
	return 0;
}

size_t truth_of( const dbvh_mesh_view *a, const dbvh_pose *pose_a, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                 dbvh_pair **pairs_out ) {
	const dbvh_pose identity = dbvh_pose_identity();
	const dbvh_pose *const pa = pose_a != NULL ? pose_a : &identity, *const pb = pose_b != NULL ? pose_b : &identity;
	const int order = order_of( pa, pb );
	if ( order == 0 )
		return oracle_collide( a, b, NULL, pairs_out );
	const bool a_stays = order_of( pa, &identity ) == 0, b_stays = order_of( pb, &identity ) == 0;
	if ( a_stays || ( !b_stays && order < 0 ) ) {
		const dbvh_pose relative = dbvh_pose_relative( pa, pb );
		return oracle_collide( a, b, &relative, pairs_out );
	}
	const dbvh_pose relative = dbvh_pose_relative( pb, pa );
	const size_t count = oracle_collide( b, a, &relative, pairs_out );
	if ( pairs_out != NULL )
		mirror( *pairs_out, count );
	return count;
}

static const char *const policy_names[] = { "default", "dual",   "rapid",     "sat-lite",
                                            "sphere",  "packed", "ellipsoid", "mixed" };

static void differ( tally *t, const char *what, const char *how, int policy, bool swapped, size_t expected, size_t got,
                    const dbvh_pose *pose_a, const dbvh_pose *pose_b ) {
	if ( t->differences++ >= MOST_PRINTED )
		return;
	printf( "DIFFERENCE %s: %s (policy %s%s): the truth has %zu pairs, the answer %zu\n", what, how,
	        policy_names[policy], swapped ? ", B and A" : "", expected, got );
	print_pose( "pose_a", pose_a );
	print_pose( "pose_b", pose_b );
	fflush( stdout );
}

// Counters must tell a possible story. Pairs of triangles that are the same are compared once.
static bool plausible( int policy, bool twins, const dbvh_collide_result *result ) {
	const dbvh_counters *const c = &result->counters;
	const bool spheres = policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_DUAL || policy == DBVH_POLICY_SPHERE ||
	                     policy >= DBVH_POLICY_PACKED;
	// The roots of two packed trees are first compared by their ellipsoids, if they have some.
	const uint64_t ellipsoid_tests = c->ellipsoid_pair_tests + c->ellipsoid_box_tests;
	const bool asked = ( policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_PACKED_MIXED ) && ellipsoid_tests > 0;
	const bool has_ellipsoids = policy == DBVH_POLICY_DEFAULT || policy >= DBVH_POLICY_ELLIPSOID;
	if ( ellipsoid_tests > 0 && !has_ellipsoids )
		return false;
	if ( ( spheres != ( c->sphere_tests > 0 ) && !asked ) || ( policy == DBVH_POLICY_SPHERE && c->box_tests > 0 ) )
		return false;
	if ( spheres && policy != DBVH_POLICY_SPHERE && c->box_tests > c->sphere_tests )
		return false;
	if ( !spheres && c->box_tests == 0 )
		return false;
	const size_t compared = twins && result->pair_count > 0 ? 1 : result->pair_count;
	return c->exact_tests <= c->triangle_tests && compared <= c->triangle_tests &&
	       ( result->verdict == DBVH_INTERSECTING ) == ( result->pair_count > 0 );
}

static bool is_pair_in( const dbvh_pair *pairs, size_t count, dbvh_pair pair ) {
	return count > 0 && bsearch( &pair, pairs, count, sizeof pair, compare_pairs ) != NULL;
}

static void compare_one( tally *t, const char *what, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                         const dbvh_pose *pose_b, dbvh_workspace *workspace, int policy, bool swapped,
                         const dbvh_pair *truth, size_t count, dbvh_pair *room ) {
	dbvh_collide_result result;
	dbvh_collide_query query = { .find = DBVH_FIND_ANY, .policy = (dbvh_policy)policy };
	const dbvh_verdict verdict = count > 0 ? DBVH_INTERSECTING : DBVH_DISJOINT;
	const bool twins = a->twins != NULL || b->twins != NULL;
	dbvh_status status = dbvh_collide( a, pose_a, b, pose_b, &query, workspace, &result, NULL );
	t->queries += 1;
	if ( status != DBVH_OK || result.verdict != verdict || result.pair_count != ( count > 0 ) ||
	     result.pair_written != 0 || ( count > 0 && !is_pair_in( truth, count, result.first ) ) )
		differ( t, what, status == DBVH_OK ? "first" : dbvh_status_name( status ), policy, swapped, count,
		        result.pair_count, pose_a, pose_b );
	else if ( !plausible( policy, twins, &result ) )
		differ( t, what, "counters of first", policy, swapped, count, result.pair_count, pose_a, pose_b );

	// Capacities in turn: more than enough, none, one pair, half, all but one, all.
	const size_t capacities[] = { count + 1, 0, 1, count / 2, count > 0 ? count - 1 : 0, count };
	for ( int k = 0; k < 3; ++k ) {
		const size_t capacity = capacities[k == 0 ? 0 : ( t->queries + (uint64_t)k ) % 6];
		const dbvh_pair fence = { 0xdeadbeef, 0xdeadbeef };
		room[capacity] = fence;
		query = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL,
		                                .policy = (dbvh_policy)policy,
		                                .pairs = capacity > 0 ? room : NULL,
		                                .pair_capacity = capacity };
		status = dbvh_collide( a, pose_a, b, pose_b, &query, workspace, &result, NULL );
		t->queries += 1;
		const size_t written = capacity < count ? capacity : count;
		const bool same = status == DBVH_OK && result.verdict == verdict && result.pair_count == count &&
		                  result.pair_written == written &&
		                  ( written == 0 || memcmp( room, truth, written * sizeof *room ) == 0 ) &&
		                  ( count == 0 || compare_pairs( &result.first, &truth[0] ) == 0 ) &&
		                  room[capacity].a == fence.a && room[capacity].b == fence.b;
		if ( !same )
			differ( t, what, status == DBVH_OK ? "all" : dbvh_status_name( status ), policy, swapped, count,
			        result.pair_count, pose_a, pose_b );
		else if ( !plausible( policy, twins, &result ) )
			differ( t, what, "counters of all", policy, swapped, count, result.pair_count, pose_a, pose_b );
		if ( policy == DBVH_POLICY_DUAL && k == 0 && !swapped )
			t->exact_tests += result.counters.exact_tests;
	}
}

const dbvh_tree_options keeps_reference = { .reference = true };

bool has_form( const dbvh_tree *a, const dbvh_tree *b, int policy ) {
	return policy == DBVH_POLICY_DEFAULT || policy == DBVH_POLICY_PACKED || policy == DBVH_POLICY_PACKED_MIXED ||
	       ( a->nodes != NULL && b->nodes != NULL );
}

static void expect_refusal( tally *t, const char *what, const dbvh_tree *a, const dbvh_tree *b, int policy ) {
	const dbvh_collide_query query = { .policy = (dbvh_policy)policy };
	dbvh_collide_result result;
	dbvh_error error;
	if ( dbvh_collide( a, NULL, b, NULL, &query, NULL, &result, &error ) != DBVH_INVALID_ARGUMENT ||
	     strstr( error.text, "dbvh_tree_options.reference" ) == NULL )
		differ( t, what, "not refused", policy, false, 0, 0, NULL, NULL );
}

void compare_query( tally *t, const char *what, const dbvh_tree *tree_a, const dbvh_mesh_view *a,
                    const dbvh_pose *pose_a, const dbvh_tree *tree_b, const dbvh_mesh_view *b, const dbvh_pose *pose_b,
                    dbvh_workspace *workspace ) {
	dbvh_pair *truth = NULL;
	const size_t count = truth_of( a, pose_a, b, pose_b, &truth );
	dbvh_pair *const room = must_alloc( ( count + 2 ) * sizeof *room );
	t->scenes += 1;
	t->meeting += count > 0;
	t->pairs += count;
	for ( int swapped = 0; swapped < 2; ++swapped ) {
		if ( swapped != 0 )
			mirror( truth, count );
		for ( int policy = DBVH_POLICY_DEFAULT; policy <= DBVH_POLICY_PACKED_MIXED; ++policy ) {
			if ( !has_form( tree_a, tree_b, policy ) )
				expect_refusal( t, what, tree_a, tree_b, policy );
			else if ( swapped == 0 )
				compare_one( t, what, tree_a, pose_a, tree_b, pose_b, workspace, policy, false, truth, count, room );
			else
				compare_one( t, what, tree_b, pose_b, tree_a, pose_a, workspace, policy, true, truth, count, room );
		}
	}
	free( room );
	free( truth );
}

dbvh_tree_options random_options( rng *r ) {
	static const uint32_t sizes[] = { 1, 1, 1, 2, 3, 4, 8, 17, 64 };
	// Start from the defaults, so that options that this function does not know keep theirs.
	dbvh_tree_options options = dbvh_tree_options_default();
	options.leaf_size = sizes[rng_below( r, sizeof sizes / sizeof sizes[0] )];
	options.sphere_fit = (dbvh_node_sphere)rng_below( r, 2 );
	options.box_fit = (dbvh_box_fit)rng_below( r, 2 );
	options.thread_count = 1;
	// Ellipsoids take no random number of their own, so that the following ones stay as they were; few trees have them,
	// since fitting takes long.
	if ( options.leaf_size == 2 )
		options.ellipsoids = DBVH_ELLIPSOIDS_MIXED;
	if ( options.leaf_size == 3 || ( options.leaf_size == 1 && options.sphere_fit == DBVH_NODE_SPHERE_BOX_CENTRE &&
	                                 options.box_fit == DBVH_BOX_FIT_COVARIANCE ) )
		options.ellipsoids = DBVH_ELLIPSOIDS_ALL;
	if ( options.leaf_size == 1 && options.box_fit == DBVH_BOX_FIT_BEST &&
	     options.sphere_fit == DBVH_NODE_SPHERE_BOX_CENTRE )
		options.fragments = DBVH_FRAGMENTS_ALL;
	static unsigned turn; // without a throw, too
	options.reference = turn++ / 2 % 2 == 0;
	return options;
}

void compare_meshes( tally *t, const char *what, rng *r, const shape *a, const dbvh_pose *pose_a, const shape *b,
                     const dbvh_pose *pose_b ) {
	const dbvh_mesh_view view_a = shape_view( a ), view_b = shape_view( b );
	const dbvh_tree_options options_a = random_options( r ), options_b = random_options( r );
	dbvh_tree *const tree_a = tree_of( a, &options_a ), *const tree_b = tree_of( b, &options_b );
	compare_query( t, what, tree_a, &view_a, pose_a, tree_b, &view_b, pose_b, NULL );
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
}

void print_tally( const char *what, const tally *t ) {
	printf( "%-28s %6llu scenes %6llu meet %6llu apart %9llu pairs %8llu queries %6llu differ\n", what,
	        (unsigned long long)t->scenes, (unsigned long long)t->meeting,
	        (unsigned long long)( t->scenes - t->meeting ), (unsigned long long)t->pairs,
	        (unsigned long long)t->queries, (unsigned long long)t->differences );
	fflush( stdout );
}

// ------------------------------------------------------------------------------------------------
// Trees

dbvh_tree *tree_of( const shape *s, const dbvh_tree_options *options ) {
	if ( s->failed ) {
		fprintf( stderr, "the shape has no memory\n" );
		exit( EXIT_FAILURE );
	}
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	if ( dbvh_tree_build( &view, options, NULL, &tree, &error ) != DBVH_OK ) {
		fprintf( stderr, "no tree: %s\n", error.text );
		exit( EXIT_FAILURE );
	}
	return tree;
}

dbvh_tree *tree_with_topology( const shape *s ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	return tree_of( s, &options );
}

dbvh_tree *take_tree( shape *s ) {
	dbvh_tree *tree = tree_with_topology( s );
	shape_free( s );
	return tree;
}

// ------------------------------------------------------------------------------------------------
// What they say

dbvh_relation oracle_relation( const shape *a, const shape *b, const dbvh_pose *pose ) {
	const dbvh_mesh_view va = shape_view( a ), vb = shape_view( b );
	const oracle_solids_answer o = oracle_solids( &va, &vb, pose );
	if ( !o.both )
		return oracle_collide( &va, &vb, pose, NULL ) > 0 ? DBVH_RELATION_TOUCHING : DBVH_RELATION_DISJOINT;
	if ( o.only_a && o.only_b )
		return DBVH_RELATION_OVERLAPPING;
	if ( !o.only_a && !o.only_b )
		return DBVH_RELATION_EQUAL;
	return o.only_a ? DBVH_RELATION_B_IN_A : DBVH_RELATION_A_IN_B;
}

dbvh_relation swapped_relation( dbvh_relation r ) {
	return r == DBVH_RELATION_A_IN_B ? DBVH_RELATION_B_IN_A : r == DBVH_RELATION_B_IN_A ? DBVH_RELATION_A_IN_B : r;
}

dbvh_contacts *new_contacts( void ) {
	dbvh_contacts *contacts = NULL;
	if ( dbvh_contacts_create( NULL, &contacts, NULL ) != DBVH_OK ) {
		fprintf( stderr, "the test has no memory\n" );
		exit( EXIT_FAILURE );
	}
	return contacts;
}
