// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The ways between configurations, against dbvh_time_of_impact() of every pair; and the boxes round what a body sweeps,
// against its points in more digits.

#include "scene/moving.h"
#include "scene/rounded.h"
#include "scene_stage.h"
#include "simd/isa.h"

#include <stdlib.h>

enum { CONFIGURATIONS = 24, MANY = 40 };

// ------------------------------------------------------------------------------------------------
// Boxes

static long double fabs_of( long double x ) {
	return x < 0 ? -x : x;
}

// The position of a point of the mesh at time t, in long doubles: the definition of dbvh_motion.
static void point_at( const dbvh_motion *m, const double x[3], long double t, long double out[3] ) {
	long double arm[3], k[3], length = 0;
	for ( int i = 0; i < 3; ++i ) {
		arm[i] = (long double)m->from.pos[i] - m->centre[i];
		for ( int j = 0; j < 3; ++j )
			arm[i] += (long double)m->from.rot[i][j] * x[j];
		k[i] = m->axis[i];
		length += k[i] * k[i];
	}
	length = sqrtl( length );
	const long double angle = t * m->angle, half = sinl( angle / 2 ), s = sinl( angle ), v = 2 * half * half;
	for ( int i = 0; i < 3 && m->angle != 0.0; ++i )
		k[i] /= length;
	long double once[3], twice[3];
	for ( int i = 0; i < 3; ++i )
		once[i] = k[( i + 1 ) % 3] * arm[( i + 2 ) % 3] - k[( i + 2 ) % 3] * arm[( i + 1 ) % 3];
	for ( int i = 0; i < 3; ++i )
		twice[i] = k[( i + 1 ) % 3] * once[( i + 2 ) % 3] - k[( i + 2 ) % 3] * once[( i + 1 ) % 3];
	for ( int i = 0; i < 3; ++i ) {
		const long double turned = m->angle != 0.0 ? arm[i] + s * once[i] + v * twice[i] : arm[i];
		out[i] = turned + m->centre[i] + t * m->shift[i];
	}
}

// Points of the body at times of the piece are in its box. How near they come to its sides says that it is not much too
// large, either.
static void boxes_enclose( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: swept boxes", 91 );
	shape mesh = { 0 };
	shape_add_box( &mesh, 1.0, 0.25, 0.5, 1 );
	const dbvh_mesh_view view = shape_view( &mesh );
	dbvh_tree *tree;
	assert_int_equal( dbvh_tree_build( &view, &( dbvh_tree_options ){ .reference = true }, NULL, &tree, NULL ),
	                  DBVH_OK );
	double nearest = INFINITY, widest = 0.0;
	for ( size_t n = 0; n < rounds( 4000 ); ++n ) {
		dbvh_pose from = random_pose( &r, 2.0 );
		if ( n % 7 == 0 )
			from = sheared( &r, from, DBVH_POSE_TOLERANCE * 0.99 );
		const bool turns = n % 3 != 0;
		dbvh_motion m = dbvh_motion_translation( &from, NULL );
		const double way = ldexp( 1.0, (int)rng_below( &r, 6 ) - 3 ), far = n % 5 == 0 ? 1e6 : 1.0;
		for ( int k = 0; k < 3; ++k ) {
			m.shift[k] = rng_below( &r, 3 ) == 0 ? 0.0 : rng_range( &r, -way, way );
			m.from.pos[k] *= far;
			m.centre[k] = m.from.pos[k] + rng_range( &r, -1.0, 1.0 ) * ( n % 11 == 0 ? 100.0 : 1.0 );
			m.axis[k] = rng_below( &r, 4 ) == 0 ? 0.0 : rng_range( &r, -1.0, 1.0 );
		}
		if ( turns && m.axis[0] != 0.0 )
			m.angle = rng_range( &r, -3.2, 3.2 );
		const uint32_t pieces = 1u << rng_below( &r, 4 ), piece = (uint32_t)rng_below( &r, pieces );
		double box[6];
		dbvhi_swept_box( tree, &m, (double)piece / pieces, (double)( piece + 1 ) / pieces, 0.0, box );
		double slack[6];
		for ( int k = 0; k < 6; ++k )
			slack[k] = INFINITY;
		for ( int step = 0; step <= 8; ++step ) {
			const long double t = ( (long double)piece + step / 8.0L ) / pieces;
			for ( size_t v = 0; v < mesh.vertex_count; ++v ) {
				long double x[3];
				point_at( &m, mesh.positions + 3 * v, t, x );
				for ( int k = 0; k < 3; ++k ) {
					assert_true( x[k] >= box[k] && x[k] <= box[3 + k] );
					slack[k] = fmin( slack[k], (double)( x[k] - box[k] ) );
					slack[3 + k] = fmin( slack[3 + k], (double)( box[3 + k] - x[k] ) );
				}
			}
		}
		for ( int k = 0; k < 6; ++k ) {
			if ( m.angle == 0.0 && far == 1.0 )
				nearest = fmin( nearest, slack[k] );
			if ( m.angle == 0.0 )
				widest = fmax( widest, slack[k] );
		}
	}
	// A box that does not turn is swept without any slack but for rounding.
	printf( "scene: slack of translations from %g to %g\n", nearest, widest );
	assert_true( nearest >= 0.0 && widest < 1e-4 && fabs_of( nearest ) < 1e-11L );
	dbvh_tree_destroy( tree );
	shape_free( &mesh );
}

// Boxes along axes of their own, that touch but for rounding, or nearly: what is told apart does not meet.
static void roots_that_touch( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: roots", 96 );
	shape mesh = { 0 };
	shape_add_box( &mesh, 1.0, 0.25, 0.5, 1 );
	const dbvh_mesh_view view = shape_view( &mesh );
	const double half[3] = { 1.0, 0.25, 0.5 };
	dbvh_tree *tree;
	assert_int_equal( dbvh_tree_build( &view, &( dbvh_tree_options ){ .reference = true }, NULL, &tree, NULL ),
	                  DBVH_OK );
	size_t seen[2][2] = { { 0 } };
	for ( size_t n = 0; n < rounds( 20000 ); ++n ) {
		dbvh_pose a = random_pose( &r, n % 3 == 0 ? 1000.0 : 1.0 ), b = a;
		// Face to face, edge to edge or corner to corner along A's axes; now and then turned, or farther by a hair.
		for ( int k = 0; k < 3; ++k ) {
			const double way = half[k] * ( (double)rng_below( &r, 3 ) - 1.0 ) * 2.0;
			for ( int i = 0; i < 3; ++i )
				b.pos[i] += a.rot[i][k] * way;
		}
		if ( n % 4 == 0 )
			b.pos[rng_below( &r, 3 )] += ldexp( rng_range( &r, -1.0, 1.0 ), -(int)rng_below( &r, 50 ) );
		if ( n % 8 == 1 )
			b = random_pose( &r, 1.5 );
		// Deviations move the surfaces by as much: some of these touch before, and meet now.
		if ( n % 5 == 0 )
			b = sheared( &r, b, DBVH_POSE_TOLERANCE * 0.99 );
		if ( n % 10 == 0 )
			a = sheared( &r, a, DBVH_POSE_TOLERANCE * 0.99 );
		double of_a, of_b, box[6];
		assert_int_equal( dbvh_pose_check( &a, &of_a, NULL ), DBVH_OK );
		assert_int_equal( dbvh_pose_check( &b, &of_b, NULL ), DBVH_OK );
		const double most = fmax( of_a, of_b );
		dbvh_collide_result met;
		assert_int_equal( dbvh_collide( tree, &a, tree, &b, NULL, NULL, &met, NULL ), DBVH_OK );
		for ( int grown = 0; grown < 2; ++grown ) { // the slack is enough by itself
			dbvhi_posed_root root_a, root_b;
			dbvhi_posed_root_make( tree, &a, 8.0 * grown * most, &root_a, box );
			dbvhi_posed_root_make( tree, &b, 8.0 * grown * most, &root_b, box );
			const bool apart = dbvhi_posed_roots_apart( &root_a, &root_b, dbvhi_roots_slack( most, 2.0 ) );
			seen[apart][met.verdict == DBVH_INTERSECTING] += 1;
		}
	}
	printf( "scene: roots: %zu apart, %zu meet, %zu neither\n", seen[1][0], seen[0][1], seen[0][0] );
	assert_true( seen[1][1] == 0 && seen[1][0] > 0 && seen[0][1] > 0 );
	dbvh_tree_destroy( tree );
	shape_free( &mesh );
}

// Eight roots at once as one by one, on every instruction set.
static void roots_in_lanes( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: lanes", 97 );
	stage s;
	raise( &s, &r );
	size_t isa_count, overlaps = 0;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t n = 0; n < rounds( 300 ); ++n ) {
		assert_true( dbvhi_isa_select( isa[n % isa_count].name ) );
		const dbvhi_posed_roots_kernels *kernel = dbvhi_posed_roots_table[dbvhi_isa_level()];
		dbvhi_root_lanes roots;
		dbvhi_posed_lanes lanes;
		dbvh_pose poses[DBVHI_ROOT_LANES];
		const dbvh_tree *trees[DBVHI_ROOT_LANES];
		double radii[DBVHI_ROOT_LANES];
		const size_t count = 1 + rng_below( &r, DBVHI_ROOT_LANES );
		for ( size_t i = 0; i < DBVHI_ROOT_LANES; ++i ) {
			poses[i] = n % 3 == 0 ? sheared( &r, random_pose( &r, 2.0 ), 1e-6 ) : random_pose( &r, 2.0 );
			trees[i] = i < count ? s.trees[rng_below( &r, TREES )] : trees[0];
			if ( rng_below( &r, 20 ) == 0 )
				poses[i].pos[1] = rng_below( &r, 2 ) == 0 ? NAN : INFINITY;
			if ( rng_below( &r, 20 ) == 0 )
				poses[i].rot[1][2] += 0.5;
			radii[i] = rng_below( &r, 2 ) == 0 ? 0.0 : rng_range( &r, 0.0, 2.0 );
			dbvhi_root_lane( trees[i], radii[i], &roots, (int)i );
		}
		kernel->gather( poses, count, &lanes );
		kernel->place( &roots, &lanes );
		kernel->grow( &roots, 1e-5, 3.0, &lanes );
		double boxes[DBVHI_ROOT_LANES][6];
		for ( int i = 0; i < (int)count; ++i ) {
			double deviation;
			const dbvh_status status = dbvh_pose_check( &poses[i], &deviation, NULL );
			assert_int_equal( status == DBVH_OK, lanes.checked[i] <= 1.0 && lanes.deviation[i] <= DBVH_POSE_TOLERANCE &&
			                                         lanes.determinant[i] >= 0.0 );
			dbvhi_posed_root root;
			const double grown = 1e-5 * ( trees[i]->largest + 3.0 ) + dbvhi_stretched( radii[i], 1e-5 / 2.0 );
			dbvhi_posed_root_make( trees[i], &poses[i], grown, &root, boxes[i] );
			if ( status != DBVH_OK )
				continue;
			assert_true( lanes.deviation[i] == deviation );
			for ( int k = 0; k < 3; ++k ) {
				// Sums may be in another order.
				assert_true( fabs( lanes.lower[k][i] - boxes[i][k] ) < 1e-14 );
				assert_true( fabs( lanes.upper[k][i] - boxes[i][3 + k] ) < 1e-14 );
				assert_true( fabs( lanes.centre[k][i] - root.centre[k] ) < 1e-14 );
				assert_true( fabs( lanes.ball[k][i] - root.ball[k] ) < 1e-14 );
				for ( int j = 0; j < 3; ++j )
					assert_true( fabs( lanes.axis[k][j][i] - root.axis[k][j] ) < 1e-14 );
			}
		}
		for ( int i = 0; i < (int)count; ++i ) {
			const uint32_t near = kernel->near( &lanes, i, &lanes );
			for ( int j = 0; j < (int)count; ++j ) {
				bool overlap = true;
				for ( int k = 0; k < 3; ++k )
					overlap =
					    overlap && lanes.lower[k][i] <= lanes.upper[k][j] && lanes.lower[k][j] <= lanes.upper[k][i];
				assert_int_equal( near >> j & 1, overlap );
				overlaps += overlap;
			}
		}
	}
	assert_true( dbvhi_isa_select( NULL ) && overlaps > 0 );
	strike( &s );
}

// ------------------------------------------------------------------------------------------------
// Edges

static dbvh_motion motion_of( const dbvh_pose *from, const dbvh_pose *to, const double *centre ) {
	dbvh_motion m;
	assert_int_equal( dbvh_motion_between( from, to, centre, &m, NULL ), DBVH_OK );
	return m;
}

typedef struct path {
	stage s;
	size_t moved;
	dbvh_pose poses[CONFIGURATIONS * MOST];
	dbvh_edge edges[MANY];
	size_t edge_count;
	double centres[MOST][3];
	dbvh_motions_query query;
} path;

// A few bodies that wander a little or far, among others that stay.
static void lay( path *p, rng *r, size_t n ) {
	memset( p, 0, sizeof *p );
	raise( &p->s, r );
	p->s.size = 5.0 + (double)rng_below( r, 5 );
	p->moved = 1 + rng_below( r, 5 );
	const size_t others = n % 3 == 0 ? 0 : rng_below( r, 12 );
	while ( p->s.count < p->moved + others )
		add_body( &p->s, r );
	if ( p->s.count > 1 ) {
		const dbvh_pair_rule allowed = { .may_collide = true };
		assert_int_equal( dbvh_scene_set_pair_rule( p->s.scene, p->s.bodies[0], p->s.bodies[1], &allowed, NULL ),
		                  DBVH_OK );
	}
	const double step = n % 4 == 0 ? 0.1 : n % 4 == 1 ? 0.5 : n % 4 == 2 ? 4.0 : 0.0;
	for ( size_t k = 0; k < p->moved; ++k )
		p->poses[k] = somewhere( &p->s, r );
	for ( size_t i = p->moved; i < CONFIGURATIONS * p->moved; ++i ) {
		p->poses[i] = p->poses[i - p->moved];
		if ( step == 0.0 ) {
			p->poses[i] = somewhere( &p->s, r );
			continue;
		}
		const dbvh_pose turn = random_pose( r, 0.0 );
		for ( int k = 0; k < 3; ++k )
			p->poses[i].pos[k] += rng_range( r, -step, step );
		if ( rng_below( r, 3 ) == 0 )
			memcpy( p->poses[i].rot, turn.rot, sizeof turn.rot );
	}
	for ( size_t k = 0; k < p->moved; ++k ) {
		for ( int j = 0; j < 3; ++j )
			p->centres[k][j] = rng_range( r, -1.0, 1.0 );
	}
	p->query = ( dbvh_motions_query ){ .bodies = others > 0 ? p->s.bodies : NULL,
	                                   .body_count = p->moved,
	                                   .centres = n % 2 == 0 ? NULL : (const double( * )[3])p->centres,
	                                   .tolerance = n % 5 == 0 ? 0x1p-10 : 0.0,
	                                   .policy = n % 2 == 0 ? DBVH_POLICY_DEFAULT : DBVH_POLICY_PACKED };
	p->edge_count = CONFIGURATIONS - 1;
	if ( n % 3 == 2 ) {
		p->edge_count = 1 + rng_below( r, MANY );
		for ( size_t i = 0; i < p->edge_count; ++i )
			p->edges[i] = ( dbvh_edge ){ rng_below( r, CONFIGURATIONS ), rng_below( r, CONFIGURATIONS ) };
		p->query.edges = p->edges;
		p->query.edge_count = p->edge_count;
	}
}

// The place of a body in the list of what moves; `moved` if it stays.
static size_t place_of( const path *p, uint32_t body ) {
	if ( p->query.bodies == NULL ) {
		size_t place = 0;
		for ( uint32_t b = dbvh_scene_next_body( p->s.scene, 0 ); b != body;
		      b = dbvh_scene_next_body( p->s.scene, b + 1 ) )
			place += 1;
		return place;
	}
	size_t place = 0;
	while ( place < p->moved && p->query.bodies[place] != body )
		place += 1;
	return place;
}

static dbvh_motion motion_in( const path *p, dbvh_edge edge, uint32_t body, size_t place ) {
	dbvh_pose pose;
	assert_true( dbvh_scene_get_body( p->s.scene, body, NULL, &pose, NULL ) );
	if ( place == p->moved )
		return dbvh_motion_translation( &pose, NULL );
	return motion_of( &p->poses[edge.from * p->moved + place], &p->poses[edge.to * p->moved + place],
	                  p->query.centres != NULL ? p->query.centres[place] : NULL );
}

// The oracle for two bodies on an edge: dbvh_time_of_impact(). False if the rules or the planning group leave the pair
// out.
static bool brute_force( const path *p, dbvh_edge edge, uint32_t a, uint32_t b, dbvh_toi_result *out ) {
	const size_t place_a = place_of( p, a ), place_b = place_of( p, b );
	if ( ( place_a == p->moved && place_b == p->moved ) || !dbvh_scene_get_rule( p->s.scene, a, b, NULL ) )
		return false;
	const dbvh_motion motion_a = motion_in( p, edge, a, place_a ), motion_b = motion_in( p, edge, b, place_b );
	const dbvh_tree *tree_a, *tree_b;
	assert_true( dbvh_scene_get_body( p->s.scene, a, &tree_a, NULL, NULL ) );
	assert_true( dbvh_scene_get_body( p->s.scene, b, &tree_b, NULL, NULL ) );
	const dbvh_toi_query query = { .tolerance = p->query.tolerance, .policy = p->query.policy };
	assert_int_equal( dbvh_time_of_impact( tree_a, &motion_a, tree_b, &motion_b, &query, NULL, out, NULL ), DBVH_OK );
	return true;
}

typedef struct sums_of {
	size_t edges[DBVH_TOI_VERDICT_UNDECIDED + 1], pairs, late;
} sums_of;

static void check_edge( const path *p, dbvh_edge edge, const dbvh_edge_result *first, const dbvh_edge_result *any,
                        sums_of *sums ) {
	dbvh_edge_result truth = { .verdict = DBVH_TOI_VERDICT_CLEAR, .time = 1.0, .upper = INFINITY };
	bool meets = false;
	for ( uint32_t i = dbvh_scene_next_body( p->s.scene, 0 ); i != DBVH_NO_BODY;
	      i = dbvh_scene_next_body( p->s.scene, i + 1 ) ) {
		for ( uint32_t j = dbvh_scene_next_body( p->s.scene, i + 1 ); j != DBVH_NO_BODY;
		      j = dbvh_scene_next_body( p->s.scene, j + 1 ) ) {
			dbvh_toi_result x;
			if ( !brute_force( p, edge, i, j, &x ) )
				continue;
			sums->pairs += 1;
			if ( any->verdict != DBVH_TOI_VERDICT_CLEAR && any->bodies.a == i && any->bodies.b == j )
				assert_memory_equal( &any->impact, &x, sizeof x );
			if ( x.verdict == DBVH_TOI_VERDICT_CLEAR )
				continue;
			meets = meets || x.verdict == DBVH_TOI_VERDICT_CONTACT;
			if ( truth.verdict == DBVH_TOI_VERDICT_CLEAR || x.time < truth.time ) {
				truth.verdict = x.verdict;
				truth.time = x.time;
				truth.bodies = ( dbvh_body_pair ){ i, j };
				truth.impact = x;
			}
			truth.upper = fmin( truth.upper, x.upper );
		}
	}
	assert_int_equal( first->status, DBVH_OK );
	assert_int_equal( first->verdict, truth.verdict );
	assert_true( first->time == truth.time );
	assert_true( first->bodies.a == truth.bodies.a && first->bodies.b == truth.bodies.b );
	assert_memory_equal( &first->impact, &truth.impact, sizeof truth.impact );
	assert_true( truth.verdict != DBVH_TOI_VERDICT_CONTACT || first->upper >= truth.upper );
	assert_true( ( any->verdict == DBVH_TOI_VERDICT_CONTACT ) == meets );
	assert_true( ( any->verdict == DBVH_TOI_VERDICT_CLEAR ) == ( truth.verdict == DBVH_TOI_VERDICT_CLEAR ) );
	sums->edges[truth.verdict] += 1;
	sums->late += truth.verdict == DBVH_TOI_VERDICT_CONTACT && truth.time > 0.0;
}

static void edges_against_brute_force( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: motions", 92 );
	static path p;
	static dbvh_edge_result first[MANY], again[MANY], any[MANY], any_again[MANY];
	sums_of sums = { 0 };
	for ( size_t n = 0; n < rounds( 24 ); ++n ) {
		lay( &p, &r, n );
		dbvh_error error;
		dbvh_motions_query q = p.query;
		q.find = DBVH_FIND_CLOSEST;
		q.thread_count = 1;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, first, &error ), DBVH_OK );
		q.thread_count = 3;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, again, &error ), DBVH_OK );
		q.find = DBVH_FIND_ANY;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, any, &error ), DBVH_OK );
		q.thread_count = 1;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, any_again, &error ),
		                  DBVH_OK );
		for ( size_t i = 0; i < p.edge_count; ++i ) {
			assert_memory_equal( &first[i], &again[i], sizeof *first );
			assert_memory_equal( &any[i], &any_again[i], sizeof *any );
			const dbvh_edge edge = p.query.edges != NULL ? p.query.edges[i] : ( dbvh_edge ){ i, i + 1 };
			check_edge( &p, edge, &first[i], &any[i], &sums );
		}
		strike( &p.s );
	}
	printf( "scene: %zu edges clear, %zu meet, %zu of them on the way, %zu come close; %zu pairs\n", sums.edges[0],
	        sums.edges[1], sums.late, sums.edges[2], sums.pairs );
	assert_outcomes( rounds( 20 ) < 4 || ( sums.edges[DBVH_TOI_VERDICT_CLEAR] > 0 && sums.late > 0 ) );
}

// Passing by so near that dbvh_time_of_impact() calls it close: boxes do not tell the two apart either. The first of
// the two boxes has edges of length `size`.
static void pass_by( double size, size_t seen[] ) {
	shape mesh[2] = { { 0 }, { 0 } };
	dbvh_tree *tree[2];
	dbvh_scene *scene;
	uint32_t bodies[2];
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( int i = 0; i < 2; ++i ) {
		const double half = i == 0 ? 0.5 * size : 0.5;
		shape_add_box( &mesh[i], half, half, half, 1 );
		const dbvh_mesh_view view = shape_view( &mesh[i] );
		assert_int_equal( dbvh_tree_build( &view, &( dbvh_tree_options ){ .reference = true }, NULL, &tree[i], NULL ),
		                  DBVH_OK );
		assert_int_equal( dbvh_scene_add_body( scene, tree[i], NULL, NULL, &bodies[i], NULL ), DBVH_OK );
	}
	for ( int n = 0; n < 4 * 60; ++n ) {
		const bool stays = n % 2 == 0;
		const double far = n / 2 % 2 == 0 ? 0.0 : 4096.0, gap = ldexp( 1.0, -n / 4 );
		dbvh_pose poses[4] = { dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity() };
		for ( int i = 0; i < 4; ++i )
			poses[i].pos[2] = far;
		poses[1].pos[0] = poses[3].pos[0] = 0.5 * size + 0.5 + gap;
		poses[1].pos[1] = -3.0;
		poses[3].pos[1] = 3.0;
		const dbvh_motion a = motion_of( &poses[0], &poses[2], NULL ), b = motion_of( &poses[1], &poses[3], NULL );
		dbvh_toi_result truth;
		assert_int_equal( dbvh_time_of_impact( tree[0], &a, tree[1], &b, NULL, NULL, &truth, NULL ), DBVH_OK );
		dbvh_motions_query q = { .bodies = bodies + stays, .body_count = stays ? 1 : 2 };
		dbvh_edge_result edge;
		assert_int_equal( dbvh_scene_set_pose( scene, bodies[0], &poses[0], NULL ), DBVH_OK );
		const dbvh_pose one[2] = { poses[1], poses[3] };
		assert_int_equal( dbvh_scene_motion_batch( scene, stays ? one : poses, 2, &q, &edge, NULL ), DBVH_OK );
		assert_int_equal( edge.verdict, truth.verdict );
		seen[truth.verdict] += 1;
	}
	dbvh_scene_destroy( scene );
	for ( int i = 0; i < 2; ++i ) {
		dbvh_tree_destroy( tree[i] );
		shape_free( &mesh[i] );
	}
}

static void a_hair_apart( void **state ) {
	(void)state;
	static const double sizes[] = { 1.0, 0x1p20 };
	for ( int i = 0; i < 2; ++i ) {
		size_t seen[DBVH_TOI_VERDICT_UNDECIDED + 1] = { 0 };
		pass_by( sizes[i], seen );
		assert_true( seen[DBVH_TOI_VERDICT_CLEAR] > 0 && seen[DBVH_TOI_VERDICT_CLOSE] > 0 );
		assert_true( sizes[i] > 1.0 || seen[DBVH_TOI_VERDICT_CONTACT] > 0 );
	}
}

// ------------------------------------------------------------------------------------------------
// What ends a call early, what is refused, and memory

static bool stop_at_three( void *user, size_t done, size_t total ) {
	size_t *asked = user;
	assert_true( done <= total );
	return ++*asked < 3;
}

static bool always( void *user ) {
	++*(size_t *)user;
	return true;
}

static void budgets_and_cancelling( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: budgets of motions", 93 );
	static path p;
	static dbvh_edge_result whole[MANY], out[MANY], again[MANY];
	size_t spent = 0, done = 0;
	dbvh_error error;
	for ( size_t n = 0; n < 12; ++n ) {
		lay( &p, &r, n );
		dbvh_motions_query q = p.query;
		q.find = DBVH_FIND_CLOSEST;
		q.thread_count = 1;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, whole, &error ), DBVH_OK );
		const dbvh_budget budget = { .max_work = 500 };
		q.budget = &budget;
		const dbvh_status status = dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, out, &error );
		q.thread_count = 2;
		assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, again, &error ), status );
		size_t first = p.edge_count;
		for ( size_t i = 0; i < p.edge_count; ++i ) {
			assert_memory_equal( &out[i], &again[i], sizeof *out );
			assert_true( ( out[i].verdict == DBVH_TOI_VERDICT_UNDECIDED ) == ( out[i].status == DBVH_BUDGET_SPENT ) );
			if ( out[i].status == DBVH_OK ) {
				assert_memory_equal( &out[i], &whole[i], offsetof( dbvh_edge_result, impact ) );
				done += 1;
				continue;
			}
			first = first < i ? first : i;
			// A time is certified only as far as the search came.
			assert_true( out[i].time <= whole[i].time );
			spent += 1;
		}
		assert_int_equal( status, first < p.edge_count ? DBVH_BUDGET_SPENT : DBVH_OK );
		if ( status != DBVH_OK )
			assert_int_equal( error.element, first );
		q = p.query;
		q.thread_count = 1;
		size_t asked = 0;
		q.progress = stop_at_three;
		q.user = &asked;
		if ( p.edge_count > 5 ) {
			assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, out, &error ),
			                  DBVH_CANCELLED );
			// The callback is also asked within an edge that takes long.
			assert_true( error.element >= 0 && error.element <= 3 );
			for ( int64_t i = 0; i < error.element; ++i )
				assert_int_equal( out[i].status, DBVH_OK );
			assert_true( out[error.element].status == DBVH_CANCELLED &&
			             out[error.element].verdict == DBVH_TOI_VERDICT_UNDECIDED );
		}
		strike( &p.s );
	}
	printf( "scene: a small budget ends %zu edges, %zu are done\n", spent, done );
	assert_true( spent > 0 && done > 0 );
	// A callback that says so ends the call within the search of a pair: two links of a chain, of which one turns.
	shape mesh = { 0 };
	shape_add_torus( &mesh, 1.0, 0.4, 120, 90 );
	const dbvh_mesh_view view = shape_view( &mesh );
	dbvh_tree *tree;
	dbvh_scene *scene;
	uint32_t body;
	assert_int_equal( dbvh_tree_build( &view, &( dbvh_tree_options ){ .reference = true }, NULL, &tree, NULL ),
	                  DBVH_OK );
	assert_int_equal( dbvh_scene_create( NULL, &scene, NULL ), DBVH_OK );
	for ( int i = 0; i < 2; ++i )
		assert_int_equal( dbvh_scene_add_body( scene, tree, NULL, NULL, &body, NULL ), DBVH_OK );
	dbvh_pose poses[4] = { dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity(), dbvh_pose_identity() };
	const double across[4] = { 1.0, 0.0, 0.0, 1.0 }, round[4] = { 0.0, 0.0, 0.8, 0.6 }, middle[3] = { 1.0, 0.0, 0.0 };
	poses[1] = poses[3] = dbvh_pose_from_quaternion( across, middle );
	poses[2] = dbvh_pose_from_quaternion( round, poses[2].pos );
	size_t asked = 0;
	const dbvh_budget impatient = { .is_cancelled = always, .user = &asked };
	const dbvh_motions_query q = { .budget = &impatient, .thread_count = 1 };
	assert_int_equal( dbvh_scene_motion_batch( scene, poses, 2, &q, out, &error ), DBVH_CANCELLED );
	assert_true( asked > 0 && out[0].verdict == DBVH_TOI_VERDICT_UNDECIDED && out[0].status == DBVH_CANCELLED );
	dbvh_scene_destroy( scene );
	dbvh_tree_destroy( tree );
	shape_free( &mesh );
}

static void what_is_refused( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: refusals of motions", 94 );
	static path p;
	static dbvh_edge_result whole[MANY], out[MANY];
	dbvh_error error;
	lay( &p, &r, 4 );
	dbvh_motions_query q = p.query;
	assert_int_equal( dbvh_scene_motion_batch( NULL, p.poses, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, NULL, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, 2, &q, NULL, &error ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, NULL, 1, &q, NULL, &error ), DBVH_OK ); // no edge
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, NULL, 0, NULL, NULL, &error ), DBVH_OK );
	q.find = DBVH_FIND_ALL;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	q = p.query;
	q.tolerance = 2.0;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	assert_true( strstr( error.text, "query.tolerance" ) != NULL );
	const dbvh_edge beyond[2] = { { 0, 1 }, { 2, 1 } };
	q = p.query;
	q.edges = beyond;
	q.edge_count = 2;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	assert_string_equal( error.text, "query.edges[1] names a configuration that is not there: there are 2" );
	const uint32_t twice[2] = { p.s.bodies[0], p.s.bodies[0] };
	q = p.query;
	q.bodies = twice;
	q.body_count = 2;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, 2, &q, out, &error ), DBVH_INVALID_ARGUMENT );
	// A pose that is refused spoils the edges that it is an end of.
	q = p.query;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, whole, &error ), DBVH_OK );
	p.poses[5 * p.moved].rot[0][0] = 3.0;
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &q, out, &error ), DBVH_NOT_RIGID );
	assert_int_equal( error.element, 4 );
	assert_true( strstr( error.text, "body[0]: to: the 3x3 part R" ) != NULL );
	for ( size_t i = 0; i < p.edge_count; ++i )
		assert_true( out[i].status == ( i == 4 || i == 5 ? DBVH_NOT_RIGID : DBVH_OK ) &&
		             ( i == 4 || i == 5 || out[i].verdict == whole[i].verdict ) );
	strike( &p.s );
}

// Every allocation fails once.
static void memory_that_fails( void **state ) {
	(void)state;
	rng r = rng_announce( "scene: memory of motions", 95 );
	static path p;
	static dbvh_edge_result out[MANY], again[MANY];
	lay( &p, &r, 0 );
	assert_int_equal( dbvh_scene_motion_batch( p.s.scene, p.poses, CONFIGURATIONS, &p.query, out, NULL ), DBVH_OK );
	size_t failures = 0;
	for ( size_t n = 1;; ++n ) {
		ledger books = { 0 };
		const dbvh_allocator allocator = ledger_allocator( &books );
		dbvh_scene *scene;
		assert_int_equal( dbvh_scene_create( &allocator, &scene, NULL ), DBVH_OK );
		for ( size_t i = 0; i < p.s.count; ++i ) {
			const dbvh_tree *tree;
			dbvh_body_options options;
			uint32_t number;
			assert_true( dbvh_scene_get_body( p.s.scene, p.s.bodies[i], &tree, NULL, &options ) );
			assert_int_equal( dbvh_scene_add_body( scene, tree, NULL, &options, &number, NULL ), DBVH_OK );
		}
		if ( p.s.count > 1 ) {
			const dbvh_pair_rule allowed = { .may_collide = true };
			assert_int_equal( dbvh_scene_set_pair_rule( scene, 0, 1, &allowed, NULL ), DBVH_OK );
		}
		books.fail_at = books.calls + n;
		dbvh_motions_query q = p.query;
		q.thread_count = 2;
		const dbvh_status status = dbvh_scene_motion_batch( scene, p.poses, CONFIGURATIONS, &q, again, NULL );
		books.fail_at = 0;
		if ( status == DBVH_OK )
			assert_memory_equal( again, out, p.edge_count * sizeof *out );
		else
			assert_int_equal( dbvh_scene_motion_batch( scene, p.poses, CONFIGURATIONS, &q, again, NULL ), DBVH_OK );
		dbvh_scene_destroy( scene );
		assert_true( books.live == 0 && books.mistakes == 0 );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		failures += 1;
	}
	assert_true( failures > 4 );
	strike( &p.s );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( boxes_enclose ),   cmocka_unit_test( roots_that_touch ),
	    cmocka_unit_test( roots_in_lanes ),  cmocka_unit_test( edges_against_brute_force ),
	    cmocka_unit_test( a_hair_apart ),    cmocka_unit_test( budgets_and_cancelling ),
	    cmocka_unit_test( what_is_refused ), cmocka_unit_test( memory_that_fails ),
	};
	return test_main( argc, argv, tests );
}
