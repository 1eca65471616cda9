// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Would a distance field of A pay? A grid of lower bounds of the distance to A is asked about the spheres of B's tree,
// sixteen at a time; where none reaches as far as A, the meshes are apart, and else the search goes on as ever. Beside
// dbvh_collide() at the poses of `policies`, and at random ones. docs/laboratory.md says why the library has no such
// field.
//
// The experiment reads the packed tree. Its margins are those of the library's kernels, doubled, and not derived anew;
// every answer is compared.

#include "bvh/tree.h"
#include "common/experiment.h"
#include "common/numbers.h"
#include "common/poses.h"
#include "common/scene.h"
#include "common/stats.h"
#include "dualbvh/dualbvh.h"
#include "exact/tri_ray.h"
#include "query/common/packed_search.h"
#include "query/common/roots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16, CELLS = 64, RANDOM_POSES = 10000 };

static void must( dbvh_status status ) {
	if ( status == DBVH_OK )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", dbvh_status_text( status ) );
	exit( 2 );
}

static void *room_for( size_t count, size_t size ) {
	void *room = aligned_alloc( 64, ( count * size + 63 ) / 64 * 64 );
	if ( room == NULL )
		must( DBVH_OUT_OF_MEMORY );
	return room;
}

// ------------------------------------------------------------------------------------------------
// The field: a word a cell, a bound that rises along a gradient. Lengths in cells, about the centre of the packed tree.

#define BOUND_STEP 0.008f // 2,048 of them, from below zero to a quarter of the grid
#define BOUND_LEAST ( -2.0f )
#define GRADIENT_STEPS 63

typedef struct field {
	int32_t cells[3];
	float lower[3], per_cell; // and how many cells a unit is
	uint32_t *word;
	size_t count;
	double seconds;
} field;

// The bound on A near one cell.
typedef struct patch {
	const dbvh_tree *tree;
	double centre[3], reach; // no farther than this from the cell's centre does it matter
	double normal[3];
	double least; // normal . ( centre - a ) for all of A that matters
} patch;

static void look_at_leaf( patch *p, const dbvhi_packed_leaf *leaf ) {
	const uint32_t first = leaf->first_and_count >> 2, count = ( leaf->first_and_count & 3 ) + 1;
	for ( uint32_t i = first; i < first + count; ++i ) {
		double corner[9];
		dbvhi_tree_fragment( p->tree, i, corner );
		if ( dbvhi_point_filter( corner, p->centre, 0.0 ).low > p->reach )
			continue;
		for ( int k = 0; k < 9; k += 3 ) {
			double along = 0.0;
			for ( int j = 0; j < 3; ++j )
				along += p->normal[j] * ( p->centre[j] - corner[k + j] );
			p->least = fmin( p->least, along );
		}
	}
}

static void look_at_node( patch *p, int32_t node ) {
	const dbvhi_packed *packed = p->tree->packed;
	const dbvhi_packed_spheres *s = dbvhi_packed_spheres_of( packed ) + node;
	for ( int i = 0; i < DBVHI_WIDTH; ++i ) {
		double along = 0.0, square = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double way = p->centre[k] - packed->centre[k] - (double)s->centre[k][i];
			along += p->normal[k] * way;
			square += way * way;
		}
		const double radius = (double)s->radius[i];
		if ( radius < 0.0 || sqrt( square ) - radius > p->reach || along - radius >= p->least )
			continue;
		const int32_t child = dbvhi_packed_boxes_of( packed )[4 * node + i].child;
		if ( child >= 0 )
			look_at_node( p, child );
		else
			look_at_leaf( p, dbvhi_packed_leaves_of( packed ) + ~child );
	}
}

static uint32_t word_of( double bound, const double gradient[3] ) {
	uint32_t word = 0;
	for ( int k = 0; k < 3; ++k ) {
		const long steps = lrint( gradient[k] * GRADIENT_STEPS );
		bound -= 0.5 * fabs( gradient[k] - (double)steps / GRADIENT_STEPS );
		word = word << 7 | (uint32_t)( steps + GRADIENT_STEPS );
	}
	// A ten-thousandth of a cell for the roundings of whoever reads it.
	const double steps = floor( ( bound - 1e-4 - (double)BOUND_LEAST ) / (double)BOUND_STEP );
	return (uint32_t)fmin( fmax( steps, 0.0 ), 2047.0 ) << 21 | word;
}

// With n the direction from the closest point a0 of A to the cell's centre c, |p - a| >= n . (p - a) for every a. Only
// points of A no farther from c than d + 2 h, h half a diagonal, can be nearer to a p of the cell than d + h, which no
// bound there exceeds. So n . (p - c) + min n . (c - a) over these is a bound; another is d - h.
static uint32_t cell_word( const dbvh_tree *tree, const double centre[3], double cell, dbvh_workspace *workspace ) {
	dbvh_closest_point_result closest;
	must( dbvh_closest_point( tree, NULL, centre, NULL, workspace, &closest, NULL ) );
	const double d = closest.distance / cell, half = 0.5 * sqrt( 3.0 );
	const double flat[3] = { 0.0, 0.0, 0.0 };
	if ( d < 1e-3 )
		return word_of( d - half, flat );
	patch p = { .tree = tree, .reach = ( d + 2.0 * half ) * cell, .least = INFINITY };
	for ( int k = 0; k < 3; ++k ) {
		p.centre[k] = centre[k];
		p.normal[k] = ( centre[k] - closest.point[k] ) / closest.distance * ( 1.0 - 1e-9 );
	}
	look_at_node( &p, 0 );
	return p.least / cell > d - half ? word_of( p.least / cell, p.normal ) : word_of( d - half, flat );
}

static field field_build( const dbvh_tree *tree, dbvh_workspace *workspace ) {
	const double start = stats_thread_now();
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, size = 0.0;
	for ( uint32_t i = 0; i < tree->triangle_count; ++i ) {
		double room[9];
		const double *corner = dbvhi_tree_triangle( tree, i, room );
		for ( int k = 0; k < 9; ++k ) {
			lower[k % 3] = fmin( lower[k % 3], corner[k] );
			upper[k % 3] = fmax( upper[k % 3], corner[k] );
		}
	}
	for ( int k = 0; k < 3; ++k )
		size = fmax( size, upper[k] - lower[k] );
	const double cell = 1.0001 * size / CELLS;
	field f = { .per_cell = (float)( 1.0 / cell ), .count = 1 };
	for ( int k = 0; k < 3; ++k ) {
		f.cells[k] = (int32_t)ceil( 1.0001 * ( upper[k] - lower[k] ) / cell ) + 2;
		lower[k] = 0.5 * ( lower[k] + upper[k] - cell * f.cells[k] );
		f.lower[k] = (float)( lower[k] - tree->packed->centre[k] );
		f.count *= (size_t)f.cells[k];
	}
	f.word = room_for( f.count, sizeof *f.word );
	for ( size_t i = 0; i < f.count; ++i ) {
		const size_t x = i % (size_t)f.cells[0], row = i / (size_t)f.cells[0];
		const size_t at[3] = { x, row % (size_t)f.cells[1], row / (size_t)f.cells[1] };
		double centre[3];
		for ( int k = 0; k < 3; ++k )
			centre[k] = lower[k] + cell * ( (double)at[k] + 0.5 );
		f.word[i] = cell_word( tree, centre, cell, workspace );
	}
	f.seconds = stats_thread_now() - start;
	return f;
}

// ------------------------------------------------------------------------------------------------
// B, as a field is asked about it: spheres of its tree in vectors, sixteen children of each of sixteen of sixteen

typedef struct sphere_vector {
	float centre[3][LANES], radius[LANES]; // the radius is negative where there is none
} sphere_vector;

enum { VECTORS = 1 + 16 + 256, NO_SPHERE = -1 };

typedef struct probe {
	sphere_vector *vector; // the children of lane i of vector v are vector 1 + 16 v + i
} probe;

static float radius_of( const dbvhi_packed *packed, int32_t id ) {
	return dbvhi_packed_spheres_of( packed )[id / 4].radius[id % 4];
}

static int add_children( const dbvhi_packed *packed, int32_t node, int32_t *ids, int count ) {
	for ( int32_t i = 4 * node; i < 4 * node + 4; ++i ) {
		if ( radius_of( packed, i ) >= 0.0f )
			ids[count++] = i;
	}
	return count;
}

// The largest are divided while there is room.
static int divide( const dbvhi_packed *packed, int32_t ids[LANES + 3], int count ) {
	while ( count <= LANES - 3 ) {
		int largest = -1;
		for ( int i = 0; i < count; ++i ) {
			if ( dbvhi_packed_boxes_of( packed )[ids[i]].child >= 0 &&
			     ( largest < 0 || radius_of( packed, ids[i] ) > radius_of( packed, ids[largest] ) ) )
				largest = i;
		}
		if ( largest < 0 )
			break;
		const int32_t node = dbvhi_packed_boxes_of( packed )[ids[largest]].child;
		ids[largest] = ids[--count];
		count = add_children( packed, node, ids, count );
	}
	return count;
}

static probe probe_build( const dbvh_tree *tree ) {
	const dbvhi_packed *packed = tree->packed;
	const probe p = { room_for( VECTORS, sizeof( sphere_vector ) ) };
	int32_t( *id )[LANES] = room_for( VECTORS, sizeof *id );
	for ( int v = 0; v < VECTORS; ++v ) {
		const int32_t parent = v == 0 ? NO_SPHERE : id[( v - 1 ) / 16][( v - 1 ) % 16];
		const int32_t node = v == 0 ? 0 : parent == NO_SPHERE ? -1 : dbvhi_packed_boxes_of( packed )[parent].child;
		int32_t ids[LANES + 3] = { parent };
		// A leaf is its own child.
		int count = node >= 0 ? add_children( packed, node, ids, 0 ) : parent != NO_SPHERE;
		count = node >= 0 ? divide( packed, ids, count ) : count;
		for ( int i = 0; i < LANES; ++i ) {
			id[v][i] = i < count ? ids[i] : NO_SPHERE;
			const dbvhi_packed_spheres *s = dbvhi_packed_spheres_of( packed ) + ( i < count ? ids[i] / 4 : 0 );
			for ( int k = 0; k < 3; ++k )
				p.vector[v].centre[k][i] = s->centre[k][i < count ? ids[i] % 4 : 0];
			p.vector[v].radius[i] = i < count ? s->radius[ids[i] % 4] : -1.0f;
		}
	}
	free( id );
	return p;
}

// ------------------------------------------------------------------------------------------------
// The question

typedef struct question {
	const field *field;
	const probe *probe;
	float rot[3][3], pos[3]; // to cells
	float stretch, margin;
	float last[3], size[3];
} question;

// If more spheres of the second level are left, the search takes over.
#define MOST_LEFT 24

#define FIELD_NAME( name ) name##_anywhere
#include "field_question.inl"
#undef FIELD_NAME

#if defined( __x86_64__ ) && !defined( __clang__ )
#define HAVE_WIDE
#pragma GCC push_options
#pragma GCC target( "avx2,fma" )
#define FIELD_NAME( name ) name##_avx2
#include "field_question.inl"
#undef FIELD_NAME
#pragma GCC target( "avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512" )
#define FIELD_NAME( name ) name##_avx512
#include "field_question.inl"
#undef FIELD_NAME
#pragma GCC pop_options
#endif

static bool ask( const question *q ) {
#ifdef HAVE_WIDE
	if ( dbvhi_isa_level() == DBVHI_ISA_AVX512 )
		return is_far_avx512( q );
	if ( dbvhi_isa_level() == DBVHI_ISA_AVX2 )
		return is_far_avx2( q );
#endif
	return is_far_anywhere( q );
}

typedef struct scene {
	const dbvh_tree *a, *b;
	field field;
	probe probe;
	dbvh_workspace *workspace;
} scene;

static bool collide( const scene *s, const dbvh_pose *pose ) {
	dbvh_collide_result result;
	must( dbvh_collide( s->a, NULL, s->b, pose, NULL, s->workspace, &result, NULL ) );
	return result.verdict == DBVH_INTERSECTING;
}

// The roots are asked before the field, as by dbvh_collide(), which takes over where the field cannot tell.
static bool collide_by_field( const scene *s, const dbvh_pose *pose, size_t *handed_over ) {
	dbvhi_mesh_pair meshes;
	double deviation;
	dbvhi_roots roots = dbvhi_test_roots( s->a, NULL, s->b, pose, 0.0, DBVH_POLICY_DEFAULT, &deviation );
	if ( dbvhi_roots_disjoint( roots ) )
		return false;
	must( dbvhi_init_pair( &meshes, s->a, NULL, s->b, pose, 0.0, DBVH_POLICY_DEFAULT, deviation, &roots ) );
	dbvhi_packed_run run;
	dbvhi_packed_init( &meshes, &run );
	const field *f = &s->field;
	question q = { .field = f, .probe = &s->probe };
	for ( int k = 0; k < 3; ++k ) {
		for ( int j = 0; j < 3; ++j )
			q.rot[k][j] = run.rot[k][j] * f->per_cell;
		q.pos[k] = ( run.pos[k] - f->lower[k] ) * f->per_cell;
		q.size[k] = (float)f->cells[k];
		q.last[k] = (float)( f->cells[k] - 1 );
	}
	q.stretch = f->per_cell * ( 1.0f + run.margin_relative );
	q.margin = 2.0f * run.margin * f->per_cell;
	if ( meshes.fixed == s->a && ask( &q ) )
		return false;
	*handed_over += 1;
	return collide( s, pose );
}

// ------------------------------------------------------------------------------------------------
// The measurement

// How much of the time the search itself takes for poses that are apart, but whose roots are not. A field that knew
// them all at no cost would spare that, and no more.
static double share_of_misses( const scene *s, const dbvh_pose *poses, size_t count ) {
	double sum[2] = { 0.0, 0.0 };
	for ( size_t i = 0; i < count; ++i ) {
		double deviation, least = INFINITY;
		bool meet = false;
		for ( int round = 0; round < 3; ++round ) {
			const double start = stats_now();
			meet = collide( s, &poses[i] );
			least = fmin( least, stats_now() - start );
		}
		const dbvhi_roots roots = dbvhi_test_roots( s->a, NULL, s->b, &poses[i], 0.0, DBVH_POLICY_DEFAULT, &deviation );
		sum[!meet && !dbvhi_roots_disjoint( roots )] += least;
	}
	return sum[1] / ( sum[0] + sum[1] );
}

static bool measure( const bench_options *options, const char *name, const scene *s, const dbvh_pose *poses,
                     size_t count ) {
	bool *meet = room_for( count, sizeof *meet );
	double seconds[2][64];
	size_t hits = 0, wrong = 0, handed_over = 0;
	for ( size_t round = 0; round < options->rounds; ++round ) {
		double start = stats_thread_now();
		for ( size_t i = 0; i < count; ++i )
			meet[i] = collide( s, &poses[i] );
		seconds[0][round] = stats_thread_now() - start;
		handed_over = 0;
		start = stats_thread_now();
		for ( size_t i = 0; i < count; ++i )
			wrong += collide_by_field( s, &poses[i], &handed_over ) != meet[i];
		seconds[1][round] = stats_thread_now() - start;
	}
	for ( size_t i = 0; i < count; ++i )
		hits += meet[i];
	const double many = (double)count, share = share_of_misses( s, poses, count );
	const double plain = stats_median( seconds[0], options->rounds ) / many * 1e6;
	const double by_field = stats_median( seconds[1], options->rounds ) / many * 1e6;
	char perfect[32] = "-";
	if ( hits > 0 )
		snprintf( perfect, sizeof perfect, "%.2f", 1.0 / ( 1.0 - share ) );
	printf( "%-28s %7zu %6.1f %9.1f %9.3f %9.3f %7.2f %9s%s\n", name, count, 100.0 * (double)hits / many,
	        100.0 * (double)handed_over / many, plain, by_field, plain / by_field, perfect,
	        wrong == 0 ? "" : "  WRONG ANSWERS" );
	if ( options->csv != NULL )
		fprintf( options->csv, "\"%s\",%zu,%zu,%zu,%.4f,%.4f,%.3f,%s,%zu\n", name, count, hits, handed_over, plain,
		         by_field, plain / by_field, perfect, wrong );
	fflush( stdout );
	free( meet );
	return wrong == 0;
}

// Turned anyhow, and anywhere within `spread` of what the spheres about both trees reach.
static void random_poses( const scene *s, double spread, dbvh_pose *poses ) {
	uint64_t state = 5;
	const dbvhi_packed *a = s->a->packed, *b = s->b->packed;
	for ( size_t i = 0; i < RANDOM_POSES; ++i ) {
		double q[4], square = 0.0;
		while ( square < 0.01 || square > 1.0 ) {
			square = 0.0;
			for ( int k = 0; k < 4; ++k ) {
				q[k] = 2.0 * next_number( &state ) - 1.0;
				square += q[k] * q[k];
			}
		}
		const double w = q[0], x = q[1], y = q[2], z = q[3], t = 2.0 / square;
		poses[i] =
		    ( dbvh_pose ){ .rot = { { 1 - t * ( y * y + z * z ), t * ( x * y - w * z ), t * ( x * z + w * y ) },
		                            { t * ( x * y + w * z ), 1 - t * ( x * x + z * z ), t * ( y * z - w * x ) },
		                            { t * ( x * z - w * y ), t * ( y * z + w * x ), 1 - t * ( x * x + y * y ) } } };
		for ( int k = 0; k < 3; ++k ) {
			const double *row = poses[i].rot[k];
			poses[i].pos[k] = a->centre[k] +
			                  spread * ( a->extent + b->extent ) * ( 2.0 * next_number( &state ) - 1.0 ) -
			                  row[0] * b->centre[0] - row[1] * b->centre[1] - row[2] * b->centre[2];
		}
	}
}

int bench_field( const bench_options *options ) {
	static const char *const names[POSES_ROWS] = { "0 % apart", "1 % apart", "2 % apart", "3 % apart",
	                                               "4 % apart", "5 % apart", "1 % inside" };
	scene_mesh mesh = scene_choose( options->mesh );
	dbvh_tree *tree = scene_tree( &mesh.view, NULL );
	if ( tree->packed == NULL ) {
		fprintf( stderr, "dualbvh-bench: this mesh has no packed form\n" );
		return 2;
	}
	scene s = { .a = tree, .b = tree };
	must( dbvh_workspace_create( NULL, &s.workspace, NULL ) );
	must( dbvh_workspace_reserve( s.workspace, tree, tree, 0, NULL ) );
	s.field = field_build( tree, s.workspace );
	s.probe = probe_build( tree );
	printf( "%s against its copy\nThe field of one has %d x %d x %d cells, %zu KB, and took %.2f s; the spheres of the "
	        "other\n%zu KB; the packed tree %zu KB\n\n",
	        mesh.label, s.field.cells[0], s.field.cells[1], s.field.cells[2], s.field.count * sizeof( uint32_t ) >> 10,
	        s.field.seconds, VECTORS * sizeof( sphere_vector ) >> 10, tree->packed_bytes >> 10 );
	printf( "%-28s %7s %6s %9s %9s %9s %7s %9s\n", "", "poses", "hits", "left to", "collide", "with the", "",
	        "a perfect" );
	printf( "%-28s %7s %6s %9s %9s %9s %7s %9s\n", "", "", "%", "collide %", "us", "field", "ratio", "field's" );
	if ( options->csv != NULL )
		fprintf( options->csv, "poses,count,hits,left_to_collide,collide_us,field_us,ratio,perfect_ratio,wrong\n" );
	bool right = true;
	pose_set set = poses_by_sphere( tree, options->sample );
	for ( int row = 0; row < POSES_ROWS; ++row )
		right &= measure( options, names[row], &s, set.rows[row], set.count );
	pose_set_free( &set );
	dbvh_pose *poses = room_for( RANDOM_POSES, sizeof *poses );
	static const double spreads[] = { 0.5, 0.8 };
	for ( int i = 0; i < 2; ++i ) {
		char name[64];
		snprintf( name, sizeof name, "random, within %.1f of reach", spreads[i] );
		random_poses( &s, spreads[i], poses );
		right &= measure( options, name, &s, poses, RANDOM_POSES );
	}
	free( poses );
	free( s.field.word );
	free( s.probe.vector );
	dbvh_workspace_destroy( s.workspace );
	dbvh_tree_destroy( tree );
	scene_free( &mesh );
	return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
