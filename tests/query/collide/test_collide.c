// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_collide against the oracle. DUALBVH_TEST_SCALE (default 1) multiplies the number of scenes.

#include "dualbvh/isa.h"
#include "simd/isa.h"
#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static const uint64_t seed_default = 1;

// ------------------------------------------------------------------------------------------------
// Families of scenes

static void add_box( shape *s, rng *r ) {
	// Extents are multiples of 1/8, so that boxes stand flush on each other.
	shape_add_box( s, 0.125 * (double)( 1 + rng_below( r, 8 ) ), 0.125 * (double)( 1 + rng_below( r, 8 ) ),
	               0.125 * (double)( 1 + rng_below( r, 8 ) ), (uint32_t)( 1 + rng_below( r, 3 ) ) );
}

// Two boxes that share a face, an edge, a vertex or a plane, exactly.
static void flush_boxes( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	double half[2][3];
	for ( int i = 0; i < 2; ++i ) {
		for ( int k = 0; k < 3; ++k )
			half[i][k] = 0.125 * (double)( 1 + rng_below( r, 8 ) );
		shape_add_box( i == 0 ? a : b, half[i][0], half[i][1], half[i][2], (uint32_t)( 1 + rng_below( r, 4 ) ) );
	}
	*pose_b = dbvh_pose_identity();
	for ( int k = 0; k < 3; ++k ) {
		const double reach = half[0][k] + half[1][k];
		const double choices[] = {
		    reach, -reach, 0.0, half[0][k] - half[1][k], rng_range( r, -reach, reach ), nextafter( reach, 4.0 ) };
		pose_b->pos[k] = choices[rng_below( r, 6 )];
	}
}

// A pile with a twist that ranges from nothing to a little: the cross axes are those that vanish.
static void twisted_pile( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	const double ha = 0.125 * (double)( 1 + rng_below( r, 4 ) ), hb = 0.125 * (double)( 1 + rng_below( r, 4 ) );
	shape_add_box( a, 1.0, 1.0, ha, (uint32_t)( 1 + rng_below( r, 5 ) ) );
	shape_add_box( b, 0.75, 0.75, hb, (uint32_t)( 1 + rng_below( r, 5 ) ) );
	const double twist = pow( 10.0, rng_range( r, -12.0, -2.0 ) ) * 180.0 / 3.14159265358979;
	const double up[3] = { 0, 0, 1 }, at[3] = { 0, 0, ha + hb };
	*pose_b = shape_pose( up, rng_below( r, 4 ) == 0 ? 45.0 : twist, at );
	if ( rng_below( r, 3 ) == 0 )
		pose_b->pos[2] = nextafter( pose_b->pos[2], rng_below( r, 2 ) != 0 ? 2.0 : 0.0 );
}

static void identical( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	const uint64_t kind = rng_below( r, 4 );
	rng copy = *r;
	for ( int i = 0; i < 2; ++i ) {
		shape *const s = i == 0 ? a : b;
		copy = *r;
		if ( kind == 0 )
			shape_add_sphere( s, 1.0, 8, 6 );
		else if ( kind == 1 )
			shape_add_torus( s, 1.0, 0.25, 8, 6 );
		else if ( kind == 2 )
			add_box( s, &copy );
		else
			add_soup( s, &copy, 30, 0.5, 0.3, true );
	}
	*r = copy;
	if ( rng_below( r, 2 ) == 0 )
		*pose_a = *pose_b = random_pose( r, 10.0 ); // equal poses: compared where they are
	else if ( rng_below( r, 2 ) == 0 )
		*pose_b = exact_pose( r, 0.0 );
}

// One inside the other: apart, however near.
static void nested( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	if ( rng_below( r, 2 ) == 0 ) {
		const uint32_t n = (uint32_t)( 4 + rng_below( r, 12 ) );
		shape_add_sphere( a, 1.0, n, n );
		shape_add_sphere( b, 1.0 - pow( 10.0, rng_range( r, -6.0, -0.3 ) ), n, n );
		if ( rng_below( r, 3 ) == 0 )
			pose_b->pos[0] = rng_range( r, 0.0, 0.1 );
	} else {
		const double inner = 1.0 - ldexp( 1.0, -(int)rng_below( r, 53 ) );
		shape_add_box( a, 1.0, 1.0, 1.0, 3 );
		shape_add_box( b, inner, inner, inner, 2 );
		if ( rng_below( r, 3 ) == 0 )
			pose_b->pos[rng_below( r, 3 )] = 1.0 - inner; // now a face is shared
	}
}

static void coplanar_grids( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_grid( a, (uint32_t)( 1 + rng_below( r, 5 ) ) );
	add_grid( b, (uint32_t)( 1 + rng_below( r, 5 ) ) );
	*pose_b = exact_pose( r, 1.0 );
	if ( rng_below( r, 2 ) == 0 ) {
		const double up[3] = { 0, 0, 1 }, at[3] = { coarse( r ), coarse( r ), 0.0 };
		*pose_b = shape_pose( up, 90.0 * (double)rng_below( r, 4 ), at );
	}
	if ( rng_below( r, 4 ) == 0 ) { // some other plane
		const dbvh_pose tilt = random_pose( r, 1.0 );
		*pose_a = tilt;
		*pose_b = tilt;
		pose_b->pos[0] += coarse( r );
	}
}

static void coarse_soups( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_soup( a, r, 1 + rng_below( r, 40 ), 0.5, 0.5, true );
	add_soup( b, r, 1 + rng_below( r, 40 ), 0.5, 0.5, true );
	*pose_b = exact_pose( r, 2.0 );
}

static void fine_soups( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	const double size = pow( 10.0, rng_range( r, -3.0, 0.0 ) );
	add_soup( a, r, 1 + rng_below( r, 120 ), size, 0.2, false );
	add_soup( b, r, 1 + rng_below( r, 120 ), size, 0.2, false );
	*pose_b = random_pose( r, 1.0 );
}

static void add_solid( shape *s, rng *r ) {
	switch ( rng_below( r, 4 ) ) {
	case 0:
		shape_add_sphere( s, 1.0, (uint32_t)( 5 + rng_below( r, 8 ) ), (uint32_t)( 4 + rng_below( r, 6 ) ) );
		break;
	case 1:
		shape_add_torus( s, 1.0, 0.4, (uint32_t)( 5 + rng_below( r, 8 ) ), (uint32_t)( 4 + rng_below( r, 6 ) ) );
		break;
	case 2:
		shape_add_stairs( s, (uint32_t)( 1 + rng_below( r, 6 ) ) );
		break;
	default:
		add_box( s, r );
		break;
	}
}

static void solids( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_solid( a, r );
	add_solid( b, r );
	*pose_b = random_pose( r, 2.0 );
}

static void typed_poses( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_solid( a, r );
	add_solid( b, r );
	*pose_b = six_digits( random_pose( r, 1.5 ) );
}

static void sheared_poses( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	add_solid( a, r );
	add_solid( b, r );
	*pose_b = sheared( r, random_pose( r, 1.5 ), 1.8e-6 );
	if ( rng_below( r, 2 ) == 0 )
		*pose_a = sheared( r, random_pose( r, 1.5 ), 1.8e-6 );
}

static void world_poses( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	add_solid( a, r );
	add_soup( b, r, 1 + rng_below( r, 80 ), 0.5, 0.2, rng_below( r, 2 ) == 0 );
	*pose_a = rng_below( r, 2 ) == 0 ? exact_pose( r, 1.0 ) : random_pose( r, 1.0 );
	*pose_b = rng_below( r, 2 ) == 0 ? exact_pose( r, 1.0 ) : random_pose( r, 1.0 );
}

// Both far away: the composition cancels.
static void far_poses( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	add_solid( a, r );
	add_solid( b, r );
	*pose_a = random_pose( r, 1e8 );
	*pose_b = random_pose( r, 1.0 );
	for ( int k = 0; k < 3; ++k )
		pose_b->pos[k] += pose_a->pos[k];
	if ( rng_below( r, 4 ) == 0 )
		memcpy( pose_b->rot, pose_a->rot, sizeof pose_b->rot );
}

// The mesh itself is far away and the pose brings it back; triangles are a few steps of the doubles out there in size.
static void far_meshes( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_solid( a, r );
	add_solid( b, r );
	const double away = pow( 10.0, rng_range( r, 3.0, 15.0 ) );
	double direction[3];
	random_direction( r, direction );
	const double x = away * direction[0], y = away * direction[1], z = away * direction[2];
	scale_and_move( a, 0, 1.0, x, y, z );
	if ( rng_below( r, 2 ) == 0 ) {
		scale_and_move( b, 0, 1.0, x, y, z );
		for ( int k = 0; k < 3; ++k )
			pose_b->pos[k] = coarse( r );
	} else {
		*pose_b = random_pose( r, 1.0 );
		pose_b->pos[0] += x;
		pose_b->pos[1] += y;
		pose_b->pos[2] += z;
	}
}

// Triangles of every size in one mesh: deep trees, and filters that are unsure.
static void many_scales( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	for ( int i = 0; i < 2; ++i ) {
		shape *const s = i == 0 ? a : b;
		const size_t count = 1 + rng_below( r, 60 );
		for ( size_t k = 0; k < count; ++k ) {
			const size_t first = s->vertex_count;
			add_soup( s, r, 1, 1.0, 0.3, rng_below( r, 2 ) == 0 );
			scale_and_move( s, first < s->vertex_count ? first : s->vertex_count,
			                ldexp( 1.0, -(int)rng_below( r, 60 ) ), 0, 0, 0 );
		}
	}
	if ( rng_below( r, 2 ) == 0 )
		*pose_b = exact_pose( r, rng_below( r, 2 ) == 0 ? 0.0 : 0.125 );
	else
		*pose_b = random_pose( r, 0.0 );
}

// Vertices of one mesh on vertices, edges and faces of the other, by a move that is exact.
static void exact_contact( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_soup( a, r, 1 + rng_below( r, 20 ), 0.5, 0.2, true );
	add_soup( b, r, 1 + rng_below( r, 20 ), 0.5, 0.2, true );
	const double *const p = a->positions + 3 * rng_below( r, a->vertex_count );
	const double *const q = b->positions + 3 * rng_below( r, b->vertex_count );
	for ( int k = 0; k < 3; ++k )
		pose_b->pos[k] = p[k] - q[k];
}

// A mesh of any shape, depth and place, and its reflection in one of its vertices: they touch there, spheres and boxes
// of all levels do so within their rounding, and a step of the doubles takes them apart.
static void reflected( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	const uint64_t kind = rng_below( r, 4 );
	if ( kind == 0 ) {
		shape_add_sphere( a, 1.0, (uint32_t)( 5 + rng_below( r, 20 ) ), (uint32_t)( 4 + rng_below( r, 15 ) ) );
	} else if ( kind == 1 ) {
		// Ever smaller triangles towards a point: a tree as deep as trees get.
		double size = 1.0;
		for ( int i = 0; i < 150; ++i, size *= 0.75 ) {
			const size_t first = a->vertex_count;
			shape_vertex( a, 1.0, rng_range( r, 0.0, 0.2 ), rng_range( r, 0.0, 0.2 ) );
			shape_vertex( a, 0.9, rng_range( r, 0.0, 0.2 ), rng_range( r, 0.0, 0.2 ) );
			shape_vertex( a, 0.9, rng_range( r, 0.0, 0.2 ), 0.0 );
			shape_triangle( a, (uint32_t)first, (uint32_t)first + 1, (uint32_t)first + 2 );
			scale_and_move( a, first, size, 0, 0, 0 );
		}
	} else {
		add_solid( a, r );
	}
	const dbvh_pose turn = random_pose( r, 0.0 );
	shape_place( a, 0, &turn );
	const double away = rng_below( r, 3 ) == 0 ? 0.0 : pow( 10.0, rng_range( r, 0.0, 14.0 ) );
	double direction[3];
	random_direction( r, direction );
	scale_and_move( a, 0, 1.0, away * direction[0], away * direction[1], away * direction[2] );
	// The vertex farthest in some direction, so that convex meshes have nothing else in common.
	random_direction( r, direction );
	size_t best = 0;
	double most = -(double)INFINITY;
	for ( size_t i = 0; i < a->vertex_count; ++i ) {
		const double *const p = a->positions + 3 * i;
		const double along = direction[0] * ( p[0] - a->positions[0] ) + direction[1] * ( p[1] - a->positions[1] ) +
		                     direction[2] * ( p[2] - a->positions[2] );
		if ( along > most ) {
			most = along;
			best = i;
		}
	}
	const double *const c = a->positions + 3 * best;
	for ( size_t i = 0; i < a->vertex_count; ++i ) {
		const double *const p = a->positions + 3 * i;
		shape_vertex( b, c[0] - ( p[0] - c[0] ), c[1] - ( p[1] - c[1] ), c[2] - ( p[2] - c[2] ) );
	}
	for ( size_t i = 0; i < a->triangle_count; ++i )
		shape_triangle( b, a->indices[3 * i], a->indices[3 * i + 1], a->indices[3 * i + 2] );
	const uint64_t move = rng_below( r, 3 );
	const double step = fmax( away, 1.0 ) * 0x1p-52;
	for ( int k = 0; k < 3 && move != 0; ++k )
		pose_b->pos[k] = ( move == 1 ? step : -step ) * ( direction[k] > 0.0 ? 1.0 : -1.0 );
}

// Numbers at the end of the range of doubles: sums and products of them overflow.
static void huge( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	const double scale = ldexp( 1.0, 900 + (int)rng_below( r, 124 ) );
	add_soup( a, r, 1 + rng_below( r, 12 ), 0.25, 0.2, rng_below( r, 2 ) == 0 );
	add_soup( b, r, 1 + rng_below( r, 12 ), 0.25, 0.2, rng_below( r, 2 ) == 0 );
	scale_and_move( a, 0, 0.49 * scale, 0, 0, 0 );
	scale_and_move( b, 0, 0.49 * scale, 0, 0, 0 );
	if ( rng_below( r, 2 ) == 0 ) {
		*pose_b = random_pose( r, 1.0 );
		for ( int k = 0; k < 3; ++k )
			pose_b->pos[k] *= scale;
	}
}

// Numbers below the smallest normal one: most products of them are zero.
static void tiny( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	(void)pose_a;
	add_soup( a, r, 1 + rng_below( r, 12 ), 0.5, 0.2, true );
	add_soup( b, r, 1 + rng_below( r, 12 ), 0.5, 0.2, true );
	const double scale = ldexp( 1.0, -( 1000 + (int)rng_below( r, 72 ) ) );
	scale_and_move( a, 0, scale, 0, 0, 0 );
	scale_and_move( b, 0, scale, 0, 0, 0 );
	*pose_b = exact_pose( r, 1.0 );
	if ( rng_below( r, 3 ) == 0 )
		*pose_b = random_pose( r, 1.0 );
	for ( int k = 0; k < 3; ++k )
		pose_b->pos[k] *= scale;
}

typedef struct family {
	const char *name;
	void ( *make )( rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b );
	size_t scenes;
} family;

static const family families[] = {
    { "flush boxes", flush_boxes, 200 },
    { "twisted piles", twisted_pile, 120 },
    { "identical", identical, 50 },
    { "nested", nested, 200 },
    { "coplanar grids", coplanar_grids, 300 },
    { "coarse soups", coarse_soups, 300 },
    { "fine soups", fine_soups, 400 },
    { "solids", solids, 400 },
    { "six digits", typed_poses, 300 },
    { "sheared", sheared_poses, 300 },
    { "world poses", world_poses, 300 },
    { "far poses", far_poses, 300 },
    { "far meshes", far_meshes, 60 },
    { "many scales", many_scales, 200 },
    { "exact contact", exact_contact, 1000 },
    { "reflected", reflected, 60 },
    { "huge", huge, 200 },
    { "tiny", tiny, 200 },
};

static void make_scene( const family *f, rng *r, shape *a, shape *b, dbvh_pose *pose_a, dbvh_pose *pose_b ) {
	*a = ( shape ){ 0 };
	*b = ( shape ){ 0 };
	*pose_a = *pose_b = dbvh_pose_identity();
	f->make( r, a, b, pose_a, pose_b );
	assert_false( a->failed || b->failed );
}

static void all_families( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: families", seed_default );
	tally all = { 0 };
	for ( size_t i = 0; i < sizeof families / sizeof families[0]; ++i ) {
		tally t = { 0 };
		const size_t scenes = rounds( families[i].scenes );
		for ( size_t scene = 0; scene < scenes; ++scene ) {
			rng own = { rng_u64( &r ) };
			shape a, b;
			dbvh_pose pose_a, pose_b;
			make_scene( &families[i], &own, &a, &b, &pose_a, &pose_b );
			compare_meshes( &t, families[i].name, &own, &a, &pose_a, &b, &pose_b );
			shape_free( &a );
			shape_free( &b );
		}
		print_tally( families[i].name, &t );
		assert_outcomes( t.meeting > 0 );
		if ( scenes >= 50 && families[i].make != identical )
			assert_outcomes( t.meeting < t.scenes );
		all.scenes += t.scenes;
		all.meeting += t.meeting;
		all.pairs += t.pairs;
		all.queries += t.queries;
		all.differences += t.differences;
	}
	print_tally( "all", &all );
	assert_int_equal( all.differences, 0 );
}

// ------------------------------------------------------------------------------------------------
// Scale

static const dbvh_policy policies[] = { DBVH_POLICY_DUAL, DBVH_POLICY_RAPID, DBVH_POLICY_SAT_LITE, DBVH_POLICY_SPHERE };

static dbvh_tree *must_build( const shape *s, const dbvh_tree_options *options ) {
	const dbvh_mesh_view view = shape_view( s );
	dbvh_tree *tree = NULL;
	dbvh_error error;
	dbvh_tree_options with = options != NULL ? *options : dbvh_tree_options_default();
	with.reference = true;
	const dbvh_status status = dbvh_tree_build( &view, &with, NULL, &tree, &error );
	if ( status != DBVH_OK )
		fail_msg( "%s", error.text );
	return tree;
}

typedef struct answer {
	dbvh_collide_result result;
	dbvh_pair pairs[20000];
} answer;

static void ask( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                 dbvh_policy policy, dbvh_workspace *workspace, answer *out ) {
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL,
	                                   .policy = policy,
	                                   .pairs = out->pairs,
	                                   .pair_capacity = sizeof out->pairs / sizeof out->pairs[0] };
	assert_int_equal( dbvh_collide( a, pose_a, b, pose_b, &query, workspace, &out->result, NULL ), DBVH_OK );
	assert_true( out->result.pair_count <= query.pair_capacity );
}

static bool same_answer( const answer *p, const answer *q ) {
	return p->result.verdict == q->result.verdict && p->result.pair_count == q->result.pair_count &&
	       p->result.pair_written == q->result.pair_written &&
	       ( p->result.pair_count == 0 ||
	         memcmp( p->pairs, q->pairs, p->result.pair_count * sizeof p->pairs[0] ) == 0 );
}

// Exponents around which squares, cubes and their sums leave the range of doubles, and some in between.
static int exponent_of( rng *r ) {
	static const int edges[] = { -900, -700, -600, -400, -355, -345, -330, -310, -300, -60,
	                             60,   300,  310,  340,  400,  500,  512,  600,  700,  900 };
	switch ( rng_below( r, 3 ) ) {
	case 0:
		return (int)rng_below( r, 121 ) - 60;
	case 1:
		return -500 - (int)rng_below( r, 60 ); // squares are denormal
	default:
		return edges[rng_below( r, sizeof edges / sizeof edges[0] )];
	}
}

static void scale_changes_nothing( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: scales", seed_default + 1 );
	static answer plain, scaled;
	size_t scenes = 0, meeting = 0, differences = 0;
	for ( size_t i = 0; i < sizeof families / sizeof families[0]; ++i ) {
		if ( families[i].make == huge || families[i].make == tiny || families[i].make == many_scales )
			continue; // these families use up the range themselves
		for ( size_t round = rounds( families[i].make == reflected ? 15 : 60 ); round-- > 0; ) {
			rng own = { rng_u64( &r ) };
			shape a, b;
			dbvh_pose pose_a, pose_b;
			make_scene( &families[i], &own, &a, &b, &pose_a, &pose_b );
			const int exponent = exponent_of( &own );
			shape big_a = scaled_copy( &a, exponent ), big_b = scaled_copy( &b, exponent );
			dbvh_pose big_pose_a = pose_a, big_pose_b = pose_b;
			for ( int k = 0; k < 3; ++k ) {
				big_pose_a.pos[k] = ldexp( pose_a.pos[k], exponent );
				big_pose_b.pos[k] = ldexp( pose_b.pos[k], exponent );
			}
			const dbvh_tree_options options = random_options( &own );
			dbvh_tree *const tree_a = must_build( &a, &options ), *const tree_b = must_build( &b, &options );
			dbvh_tree *const big_tree_a = must_build( &big_a, &options ), *const big_tree_b =
			                                                                  must_build( &big_b, &options );
			for ( size_t p = 0; p < 4; ++p ) {
				ask( tree_a, &pose_a, tree_b, &pose_b, policies[p], NULL, &plain );
				ask( big_tree_a, &big_pose_a, big_tree_b, &big_pose_b, policies[p], NULL, &scaled );
				if ( !same_answer( &plain, &scaled ) && differences++ < 8 )
					printf( "DIFFERENCE %s, policy %d, times 2^%d: %zu pairs become %zu\n", families[i].name,
					        policies[p], exponent, plain.result.pair_count, scaled.result.pair_count );
			}
			scenes += 1;
			meeting += plain.result.verdict == DBVH_INTERSECTING;
			dbvh_tree_destroy( tree_a );
			dbvh_tree_destroy( tree_b );
			dbvh_tree_destroy( big_tree_a );
			dbvh_tree_destroy( big_tree_b );
			shape_free( &a );
			shape_free( &b );
			shape_free( &big_a );
			shape_free( &big_b );
		}
	}
	printf( "scales: %zu scenes, %zu meet, %zu differences\n", scenes, meeting, differences );
	assert_outcomes( meeting > 0 && meeting < scenes );
	assert_int_equal( differences, 0 );
}

// Spheres that touch in one point, in lengths whose squares are denormal: a square that is rounded to a few units is no
// measure of a distance.
static void touching_where_squares_vanish( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: vanishing squares", seed_default + 2 );
	size_t differences = 0;
	static answer out;
	for ( size_t round = rounds( 4000 ); round-- > 0; ) {
		const int exponent = -500 - (int)rng_below( &r, 45 );
		// A triangle and its image under the reflection in one of its corners: if it is acute, the two spheres touch
		// there, and the line through their centres has no relation to the boxes.
		shape a = { 0 }, b = { 0 };
		double p[3][3];
		for ( int corner = 0; corner < 3; ++corner ) {
			for ( int k = 0; k < 3; ++k )
				p[corner][k] = ldexp( rng_range( &r, -1.0, 1.0 ), exponent );
			shape_vertex( &a, p[corner][0], p[corner][1], p[corner][2] );
		}
		shape_vertex( &b, p[0][0], p[0][1], p[0][2] );
		for ( int corner = 1; corner < 3; ++corner )
			shape_vertex( &b, 2 * p[0][0] - p[corner][0], 2 * p[0][1] - p[corner][1], 2 * p[0][2] - p[corner][2] );
		shape_triangle( &a, 0, 1, 2 );
		shape_triangle( &b, 0, 1, 2 );
		dbvh_tree *const tree_a = must_build( &a, NULL ), *const tree_b = must_build( &b, NULL );
		for ( size_t i = 0; i < 4; ++i ) {
			ask( tree_a, NULL, tree_b, NULL, policies[i], NULL, &out );
			if ( out.result.pair_count != 1 && differences++ < 4 )
				printf( "DIFFERENCE policy %d: { %a, %a, %a } { %a, %a, %a } { %a, %a, %a } and its reflection in the "
				        "first corner are called apart\n",
				        policies[i], p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2], p[2][0], p[2][1], p[2][2] );
		}
		dbvh_tree_destroy( tree_a );
		dbvh_tree_destroy( tree_b );
		shape_free( &a );
		shape_free( &b );
	}
	assert_int_equal( differences, 0 );
}

// ------------------------------------------------------------------------------------------------
// Deviations

// Two poses that a query accepts one by one. Their deviations add up, and more than add up where the matrix of one
// stretches along a diagonal.
static void poses_within_tolerance( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: deviations", seed_default + 3 );
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *const tree = must_build( &s, NULL );
	size_t accepted = 0, refused = 0;
	double worst = 0.0;
	for ( size_t round = rounds( 20000 ); round-- > 0; ) {
		dbvh_pose a = sheared( &r, random_pose( &r, 1.0 ), DBVH_POSE_TOLERANCE ),
		          b = sheared( &r, random_pose( &r, 1.0 ), DBVH_POSE_TOLERANCE );
		if ( dbvh_pose_check( &a, NULL, NULL ) != DBVH_OK || dbvh_pose_check( &b, NULL, NULL ) != DBVH_OK )
			continue;
		const dbvh_pose relative = dbvh_pose_relative( &a, &b );
		double deviation;
		dbvh_pose_check( &relative, &deviation, NULL );
		dbvh_collide_result result;
		const dbvh_status status = dbvh_collide( tree, &a, tree, &b, NULL, NULL, &result, NULL );
		accepted += status == DBVH_OK;
		if ( status != DBVH_OK && refused++ == 0 ) {
			printf( "two accepted poses are refused together (%s)\n", dbvh_status_name( status ) );
			print_pose( "a", &a );
			print_pose( "b", &b );
		}
		worst = fmax( worst, deviation );
	}
	printf( "deviations: %zu accepted, %zu refused, largest of a relative pose %g\n", accepted, refused, worst );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	assert_outcomes( accepted > 0 );
	assert_int_equal( refused, 0 );
}

// The worst pair: rot_a rot_a^T = I - 2e-6 * ones, whose inverse stretches the diagonal by 6e-6, and a column of rot_b
// along that diagonal.
static void poses_at_the_tolerance( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *const tree = must_build( &s, NULL );
	const double d = 0.9999 * DBVH_POSE_TOLERANCE;
	// The root of I - d * ones is I - f * ones with 3 f = 1 - sqrt( 1 - 3 d ).
	const double f = ( 1.0 - sqrt( 1.0 - 3.0 * d ) ) / 3.0;
	dbvh_pose a = dbvh_pose_identity(), b = dbvh_pose_identity();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			a.rot[i][j] = ( ( i == j ? 1.0 : 0.0 ) - f ) * ( j < 2 ? -1.0 : 1.0 ); // turned, to be the smaller pose
	}
	const double u = 1.0 / sqrt( 3.0 ), v = 1.0 / sqrt( 2.0 ), w = 1.0 / sqrt( 6.0 ), stretch = sqrt( 1.0 + d );
	const double columns[3][3] = { { u * stretch, u * stretch, u * stretch }, { v, -v, 0 }, { w, w, -2 * w } };
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			b.rot[i][j] = columns[j][i];
	}
	a.pos[0] = 0.25;
	assert_int_equal( dbvh_pose_check( &a, NULL, NULL ), DBVH_OK );
	assert_int_equal( dbvh_pose_check( &b, NULL, NULL ), DBVH_OK );
	dbvh_collide_result result;
	const dbvh_status one = dbvh_collide( tree, &a, tree, &b, NULL, NULL, &result, NULL );
	const dbvh_status two = dbvh_collide( tree, &b, tree, &a, NULL, NULL, &result, NULL );
	dbvh_tree_destroy( tree );
	shape_free( &s );
	assert_int_equal( one, DBVH_OK );
	assert_int_equal( two, DBVH_OK );
}

// ------------------------------------------------------------------------------------------------
// Places and sizes that floats cannot square

static void expect_verdict( const dbvh_tree *a, const dbvh_tree *b, const dbvh_pose *pose, dbvh_verdict verdict ) {
	size_t isa_count;
	const dbvhi_isa *isa = dbvhi_isa_available( &isa_count );
	for ( size_t i = 0; i < isa_count; ++i ) {
		assert_int_equal( dbvh_isa_select( isa[i].name, NULL ), DBVH_OK );
		for ( int find = DBVH_FIND_ANY; find <= DBVH_FIND_ALL; ++find ) {
			for ( uint32_t threads = 1; threads <= 2; ++threads ) {
				const dbvh_collide_query query = { .find = (dbvh_find)find, .thread_count = threads };
				dbvh_collide_result result;
				assert_int_equal( dbvh_collide( a, NULL, b, pose, &query, NULL, &result, NULL ), DBVH_OK );
				assert_int_equal( result.verdict, verdict );
				assert_int_equal( dbvh_collide( b, pose, a, NULL, &query, NULL, &result, NULL ), DBVH_OK );
				assert_int_equal( result.verdict, verdict );
			}
		}
		dbvh_distance_result distance;
		assert_int_equal( dbvh_distance( a, NULL, b, pose, NULL, NULL, &distance, NULL ), DBVH_OK );
		assert_int_equal( distance.distance == 0.0, verdict == DBVH_INTERSECTING );
	}
	assert_int_equal( dbvh_isa_select( NULL, NULL ), DBVH_OK );
}

static void beyond_floats( void **state ) {
	(void)state;
	shape box = { 0 };
	shape_add_box( &box, 1, 1, 1, 2 );
	dbvh_tree *const unit = must_build( &box, NULL );
	// All axes and both signs come up, whatever the stride.
	const int stride = rounds( 10 ) < 4 ? 5 : 1;
	for ( int exponent = 2; exponent < 1023; exponent += stride * ( ( exponent > 30 && exponent < 150 ) ? 1 : 9 ) ) {
		dbvh_pose away = dbvh_pose_identity();
		away.pos[exponent % 3] = ldexp( exponent % 2 == 0 ? 1.0 : -1.0, exponent );
		expect_verdict( unit, unit, &away, DBVH_DISJOINT );
		dbvh_collide_result result; // nor may it take all pairs to say so
		assert_int_equal( dbvh_collide( unit, NULL, unit, &away, NULL, NULL, &result, NULL ), DBVH_OK );
		assert_true( result.counters.exact_tests == 0 && result.counters.triangle_tests == 0 );
	}
	for ( int exponent = -1070; exponent < 1020; exponent += 10 ) {
		const double far = ldexp( 1.0, exponent );
		// A point three times, and a square of two triangles.
		const double point[9] = { far,        -2.0 * far, -0.5 * far, far,       -2.0 * far,
		                          -0.5 * far, far,        -2.0 * far, -0.5 * far };
		const double square[12] = { far, 0, 0, far, 1, 0, far, 0, 1, far, 1, 1 };
		const uint32_t corners[6] = { 0, 1, 2, 3, 1, 2 };
		const dbvh_mesh_view views[2] = { { .positions = point,
		                                    .vertex_count = 3,
		                                    .position_type = DBVH_POSITION_TYPE_FLOAT64,
		                                    .indices = corners,
		                                    .triangle_count = 1,
		                                    .index_type = DBVH_INDEX_TYPE_UINT32 },
		                                  { .positions = square,
		                                    .vertex_count = 4,
		                                    .position_type = DBVH_POSITION_TYPE_FLOAT64,
		                                    .indices = corners,
		                                    .triangle_count = 2,
		                                    .index_type = DBVH_INDEX_TYPE_UINT32 } };
		for ( int i = 0; i < 2; ++i ) {
			dbvh_tree *tree = NULL;
			assert_int_equal( dbvh_tree_build( &views[i], &keeps_reference, NULL, &tree, NULL ), DBVH_OK );
			assert_int_equal( dbvh_tree_validate( tree, NULL ), DBVH_OK );
			dbvh_pose aside = dbvh_pose_identity();
			expect_verdict( tree, tree, &aside, DBVH_INTERSECTING );
			aside.pos[1] = 5.0;
			expect_verdict( tree, tree, &aside, DBVH_DISJOINT );
			dbvh_collide_result result;
			assert_int_equal( dbvh_self_collide( tree, NULL, NULL, &result, NULL ), DBVH_OK );
			assert_int_equal( result.verdict, DBVH_DISJOINT );
			dbvh_tree_destroy( tree );
		}
	}
	dbvh_tree_destroy( unit );
	shape_free( &box );
}

// ------------------------------------------------------------------------------------------------
// The contract of a call

static const dbvh_collide_result zero_result;

static void check_refused( dbvh_status expected, const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                           const dbvh_pose *pose_b, const dbvh_collide_query *query ) {
	dbvh_collide_result result;
	memset( &result, 0x5a, sizeof result );
	assert_int_equal( dbvh_collide( a, pose_a, b, pose_b, query, NULL, &result, NULL ), expected );
	assert_memory_equal( &result, &zero_result, sizeof result );
	memset( &result, 0x5a, sizeof result );
	assert_int_equal( dbvh_collide( b, pose_b, a, pose_a, query, NULL, &result, NULL ), expected );
	assert_memory_equal( &result, &zero_result, sizeof result );
}

static void refusals( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_box( &s, 1, 1, 1, 1 );
	dbvh_tree *const tree = must_build( &s, NULL );
	const dbvh_pose identity = dbvh_pose_identity();
	dbvh_collide_result result;

	check_refused( DBVH_INVALID_ARGUMENT, NULL, NULL, tree, NULL, NULL );
	check_refused( DBVH_INVALID_ARGUMENT, NULL, NULL, NULL, NULL, NULL );
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, NULL, NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );

	dbvh_collide_query query = { .find = (dbvh_find)1000 };
	check_refused( DBVH_INVALID_ARGUMENT, tree, NULL, tree, NULL, &query );
	query = ( dbvh_collide_query ){ .find = (dbvh_find)-1 };
	check_refused( DBVH_INVALID_ARGUMENT, tree, NULL, tree, NULL, &query );
	query = ( dbvh_collide_query ){ .policy = (dbvh_policy)1000 };
	check_refused( DBVH_INVALID_ARGUMENT, tree, NULL, tree, NULL, &query );
	query = ( dbvh_collide_query ){ .policy = (dbvh_policy)-1 };
	check_refused( DBVH_INVALID_ARGUMENT, tree, NULL, tree, NULL, &query );
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL, .pair_capacity = 1 };
	check_refused( DBVH_INVALID_ARGUMENT, tree, NULL, tree, NULL, &query );

	const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY };
	for ( int k = 0; k < 12; ++k ) {
		for ( int i = 0; i < 3; ++i ) {
			dbvh_pose pose = identity;
			*( k < 9 ? &pose.rot[k / 3][k % 3] : &pose.pos[k - 9] ) = bad[i];
			check_refused( DBVH_NOT_FINITE, tree, &pose, tree, NULL, NULL );
			check_refused( DBVH_NOT_FINITE, tree, &pose, tree, &pose, NULL );
			check_refused( DBVH_NOT_FINITE, tree, &pose, tree, &identity, NULL );
		}
	}
	dbvh_pose odd[6] = { identity, identity, identity, identity, identity, identity };
	odd[0].rot[0][0] = -1.0;                                       // a mirror image
	odd[1].rot[0][0] = 1.000001;                                   // stretched, and just too much
	odd[2].rot[1][0] = 2.1e-6;                                     // sheared
	memset( odd[3].rot, 0, sizeof odd[3].rot );                    // nothing left
	odd[4].rot[0][0] = odd[4].rot[1][1] = odd[4].rot[2][2] = -1.0; // a point reflection
	odd[5].rot[2][2] = 1e200;                                      // whose square overflows
	for ( int i = 0; i < 6; ++i ) {
		check_refused( DBVH_NOT_RIGID, tree, &odd[i], tree, NULL, NULL );
		check_refused( DBVH_NOT_RIGID, tree, &odd[i], tree, &odd[i], NULL );
		check_refused( DBVH_NOT_RIGID, tree, &odd[i], tree, &odd[( i + 1 ) % 6], NULL );
	}
	// Places that cannot be subtracted.
	dbvh_pose left = identity, right = identity;
	left.pos[0] = -1.7e308;
	right.pos[0] = 1.7e308;
	check_refused( DBVH_NOT_FINITE, tree, &left, tree, &right, NULL );
	// More room than there is memory in the world.
	dbvh_pair pair;
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ALL, .pairs = &pair, .pair_capacity = SIZE_MAX };
	check_refused( DBVH_OUT_OF_MEMORY, tree, NULL, tree, NULL, &query );

	// A query that asks for the first pair does not touch the pairs, whatever room there is.
	query = ( dbvh_collide_query ){ .find = DBVH_FIND_ANY, .pairs = NULL, .pair_capacity = 0 };
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, &query, NULL, &result, NULL ), DBVH_OK );
	assert_true( result.verdict == DBVH_INTERSECTING && result.pair_count == 1 && result.pair_written == 0 );
	// Nothing but the verdict.
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, NULL, NULL, &result, NULL ), DBVH_OK );
	assert_true( result.verdict == DBVH_INTERSECTING && result.pair_count == 1 && result.pair_written == 0 );
	left.pos[0] = 1e6;
	assert_int_equal( dbvh_collide( tree, NULL, tree, &left, NULL, NULL, &result, NULL ), DBVH_OK );
	assert_true( result.verdict == DBVH_DISJOINT && result.pair_count == 0 && result.pair_written == 0 );
	assert_true( result.counters.triangle_tests == 0 );

	assert_int_equal( dbvh_workspace_create( NULL, NULL, NULL ), DBVH_INVALID_ARGUMENT );
	dbvh_workspace_destroy( NULL );
	dbvh_workspace *workspace = NULL;
	assert_int_equal( dbvh_workspace_create( NULL, &workspace, NULL ), DBVH_OK );
	assert_int_equal( dbvh_workspace_reserve( NULL, tree, tree, 1, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_workspace_reserve( workspace, NULL, tree, 1, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, NULL, 1, NULL ), DBVH_INVALID_ARGUMENT );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, SIZE_MAX, NULL ), DBVH_OUT_OF_MEMORY );
	assert_int_equal( dbvh_workspace_reserve( workspace, tree, tree, 10, NULL ), DBVH_OK );
	// Refused requests for memory leave it usable.
	assert_int_equal( dbvh_collide( tree, NULL, tree, NULL, NULL, workspace, &result, NULL ), DBVH_OK );
	assert_true( result.verdict == DBVH_INTERSECTING );
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( tree );
	shape_free( &s );
}

static void workspaces( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: workspaces", seed_default + 4 );
	shape small = { 0 }, large = { 0 };
	shape_add_box( &small, 1, 1, 1, 1 );
	shape_add_torus( &large, 1.0, 0.5, 40, 30 );
	dbvh_tree *const a = must_build( &small, NULL ), *const b = must_build( &large, NULL );
	static dbvh_pair pairs[64];
	ledger books = { 0 };
	const dbvh_allocator allocator = ledger_allocator( &books );
	for ( int reserve = 0; reserve < 2; ++reserve ) {
		dbvh_workspace *workspace = NULL;
		assert_int_equal( dbvh_workspace_create( &allocator, &workspace, NULL ), DBVH_OK );
		dbvh_collide_result result;
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 64 };
		if ( reserve != 0 )
			assert_int_equal( dbvh_workspace_reserve( workspace, b, b, 64, NULL ), DBVH_OK );
		else
			assert_int_equal( dbvh_collide( b, NULL, b, NULL, &query, workspace, &result, NULL ), DBVH_OK );
		const size_t calls = books.calls;
		for ( int i = 0; i < 400; ++i ) {
			const dbvh_pose pose = random_pose( &r, 1.0 );
			query.policy = (dbvh_policy)( i % 5 );
			query.find = (dbvh_find)( i % 2 );
			query.pair_capacity = (size_t)( i % 65 );
			const dbvh_tree *const p = i % 3 == 0 ? a : b, *const q = i % 7 == 0 ? a : b;
			dbvh_collide_result fresh;
			assert_int_equal( dbvh_collide( p, NULL, q, &pose, &query, workspace, &result, NULL ), DBVH_OK );
			assert_int_equal( dbvh_collide( p, NULL, q, &pose, &query, NULL, &fresh, NULL ), DBVH_OK );
			assert_memory_equal( &result, &fresh, sizeof result );
		}
		assert_int_equal( books.calls, calls );
		dbvh_workspace_destroy( workspace );
	}
	assert_int_equal( books.live, 0 );
	assert_int_equal( books.bytes, 0 );
	assert_int_equal( books.mistakes, 0 );

	// No memory at the n-th request: refused, nothing leaks, and the workspace works as soon as there is memory again.
	size_t failures = 0;
	for ( size_t fail_at = 1; fail_at < 12; ++fail_at ) {
		books = ( ledger ){ .fail_at = fail_at };
		dbvh_workspace *workspace = NULL;
		if ( dbvh_workspace_create( &allocator, &workspace, NULL ) != DBVH_OK ) {
			assert_null( workspace );
			assert_int_equal( books.live, 0 );
			failures += 1;
			continue;
		}
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .pairs = pairs, .pair_capacity = 64 };
		dbvh_collide_result result;
		const dbvh_status status = dbvh_collide( a, NULL, b, NULL, &query, workspace, &result, NULL );
		if ( status != DBVH_OK ) {
			assert_int_equal( status, DBVH_OUT_OF_MEMORY );
			assert_memory_equal( &result, &zero_result, sizeof result );
			failures += 1;
		}
		books.fail_at = 0;
		assert_int_equal( dbvh_collide( a, NULL, b, NULL, &query, workspace, &result, NULL ), DBVH_OK );
		assert_true( result.pair_count > 0 );
		dbvh_workspace_destroy( workspace );
		assert_true( books.live == 0 && books.bytes == 0 && books.mistakes == 0 );
	}
	assert_true( failures >= 3 && failures < 11 );
	dbvh_tree_destroy( a );
	dbvh_tree_destroy( b );
	shape_free( &small );
	shape_free( &large );
}

// With less room than pairs: the lowest ones, for every room from nothing to enough.
static void every_capacity( void **state ) {
	(void)state;
	rng r = rng_announce( "collide: capacities", seed_default + 5 );
	shape a = { 0 }, b = { 0 };
	add_soup( &a, &r, 40, 0.8, 0.0, false );
	add_soup( &b, &r, 40, 0.8, 0.0, false );
	dbvh_tree *const tree_a = must_build( &a, NULL ), *const tree_b = must_build( &b, NULL );
	static answer full;
	ask( tree_a, NULL, tree_b, NULL, DBVH_POLICY_DUAL, NULL, &full );
	const size_t count = full.result.pair_count;
	printf( "capacities: %zu pairs\n", count );
	assert_outcomes( count > 50 );
	dbvh_pair *const pairs = calloc( count + 3, sizeof *pairs );
	assert_non_null( pairs );
	for ( size_t capacity = 0; capacity <= count + 2; ++capacity ) {
		for ( size_t p = 0; p < 4; ++p ) {
			const dbvh_collide_query query = {
			    .find = DBVH_FIND_ALL, .policy = policies[p], .pairs = pairs, .pair_capacity = capacity };
			dbvh_collide_result result;
			memset( pairs, 0x77, ( count + 3 ) * sizeof *pairs );
			assert_int_equal( dbvh_collide( tree_a, NULL, tree_b, NULL, &query, NULL, &result, NULL ), DBVH_OK );
			const size_t written = capacity < count ? capacity : count;
			assert_int_equal( result.pair_count, count );
			assert_int_equal( result.pair_written, written );
			assert_memory_equal( pairs, full.pairs, written * sizeof *pairs );
			for ( size_t i = written; i < count + 3; ++i )
				assert_true( pairs[i].a == 0x77777777 && pairs[i].b == 0x77777777 );
			assert_memory_equal( &result.first, &full.pairs[0], sizeof result.first );
		}
	}
	free( pairs );
	dbvh_tree_destroy( tree_a );
	dbvh_tree_destroy( tree_b );
	shape_free( &a );
	shape_free( &b );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( all_families ),
	    cmocka_unit_test( scale_changes_nothing ),
	    cmocka_unit_test( touching_where_squares_vanish ),
	    cmocka_unit_test( poses_within_tolerance ),
	    cmocka_unit_test( poses_at_the_tolerance ),
	    cmocka_unit_test( beyond_floats ),
	    cmocka_unit_test( refusals ),
	    cmocka_unit_test( workspaces ),
	    cmocka_unit_test( every_capacity ),
	};
	return test_main( argc, argv, tests );
}
