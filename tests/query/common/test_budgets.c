// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Budgets of the queries about one mesh, and of contacts: what a budget ends says what was known, and one that suffices
// changes nothing. (Of pairs: test_runaway.c. Of motions: test_sliding.c.)

#include "support/scene.h"
#include "support/unit.h"

#include <math.h>
#include <string.h>

static dbvh_tree *ball, *other;
static dbvh_workspace *workspace;
static dbvh_contacts *contacts;
static dbvh_pose apart;

static int set_up( void **state ) {
	(void)state;
	shape s = { 0 };
	shape_add_sphere( &s, 1, 64, 48 );
	ball = tree_with_topology( &s );
	other = tree_with_topology( &s );
	shape_free( &s );
	contacts = new_contacts();
	apart = dbvh_pose_identity();
	apart.pos[0] = 1.25;
	apart.pos[1] = 0.3;
	return dbvh_workspace_create( NULL, &workspace, NULL ) == DBVH_OK ? 0 : 1;
}

static int tear_down( void **state ) {
	(void)state;
	dbvh_workspace_destroy( workspace );
	dbvh_contacts_destroy( contacts );
	dbvh_tree_destroy( ball );
	dbvh_tree_destroy( other );
	return 0;
}

static bool cancel_now( void *user ) {
	*(int *)user += 1;
	return true;
}

// A query under a budget; `result` is all zero before it.
typedef dbvh_status question( const dbvh_budget *budget, void *result );

// Ask with ever larger budgets until one suffices, then with none to spend and with a caller who cancels. Returns the
// least budget that suffices.
static uint64_t walk( question *ask, void *whole, void *part, size_t size ) {
	memset( whole, 0, size );
	assert_int_equal( ask( NULL, whole ), DBVH_OK );
	uint64_t enough = 1;
	for ( ;; enough += enough / 2 + 1 ) {
		assert_true( enough < UINT64_C( 1 ) << 40 );
		memset( part, 0, size );
		const dbvh_status status = ask( &( dbvh_budget ){ .max_work = enough }, part );
		if ( status == DBVH_OK )
			break;
		assert_int_equal( status, DBVH_BUDGET_SPENT );
	}
	assert_true( enough > 1 );
	assert_memory_equal( part, whole, size );
	memset( part, 0, size );
	int asked = 0;
	const dbvh_status status = ask( &( dbvh_budget ){ .is_cancelled = cancel_now, .user = &asked }, part );
	assert_int_equal( status, asked > 0 ? DBVH_CANCELLED : DBVH_OK );
	assert_true( asked <= 1 );
	return enough;
}

// ------------------------------------------------------------------------------------------------
// One mesh

enum { ROOM = 8192 };

typedef struct hits {
	dbvh_raycast_result result;
	dbvh_ray_hit list[64];
} hits;

static dbvh_find find_mode;

static dbvh_status cast( const dbvh_budget *budget, void *out ) {
	hits *h = out;
	const dbvh_ray ray = { { -3, 0.01, 0.02 }, { 1, 0, 0 } };
	const dbvh_raycast_query query = { .find = find_mode, .hits = h->list, .hit_capacity = 64, .budget = budget };
	return dbvh_raycast( ball, NULL, &ray, &query, workspace, &h->result, NULL );
}

static void rays( void **state ) {
	(void)state;
	static const dbvh_find modes[] = { DBVH_FIND_ANY, DBVH_FIND_CLOSEST, DBVH_FIND_ALL };
	for ( int i = 0; i < 3; ++i ) {
		hits whole, part;
		find_mode = modes[i];
		const uint64_t enough = walk( cast, &whole, &part, sizeof whole );
		for ( uint64_t work = 1; work < enough; work += work / 4 + 1 ) {
			memset( &part, 0, sizeof part );
			cast( &( dbvh_budget ){ .max_work = work }, &part );
			assert_true( part.result.hit_count <= whole.result.hit_count );
			if ( find_mode == DBVH_FIND_CLOSEST && part.result.intersects )
				assert_true( part.result.first.t >= whole.result.first.t );
		}
	}
}

static dbvh_status closest( const dbvh_budget *budget, void *out ) {
	const double point[3] = { 0.01, 0.02, 0.03 }; // in the middle, where all of the surface is about as close
	const dbvh_closest_point_query query = { .budget = budget };
	return dbvh_closest_point( ball, NULL, point, &query, workspace, out, NULL );
}

static void points( void **state ) {
	(void)state;
	dbvh_closest_point_result whole, part;
	const uint64_t enough = walk( closest, &whole, &part, sizeof whole );
	int found = 0;
	for ( uint64_t work = 1; work < enough; work += work / 4 + 1 ) {
		memset( &part, 0, sizeof part );
		closest( &( dbvh_budget ){ .max_work = work }, &part );
		found += part.found;
		assert_true( !part.found || part.distance >= whole.distance );
	}
	assert_true( found > 0 );
}

typedef struct list {
	dbvh_collide_shape_result result;
	uint32_t triangles[ROOM];
} list;

static dbvh_status overlap( const dbvh_budget *budget, void *out ) {
	list *l = out;
	const dbvh_shape s = { DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0.5, 0, 0 }, 0.75 } };
	const dbvh_collide_shape_query query = {
	    .find = find_mode, .triangles = l->triangles, .triangle_capacity = ROOM, .budget = budget };
	return dbvh_collide_shape( ball, NULL, &s, &query, workspace, &l->result, NULL );
}

static void shapes( void **state ) {
	(void)state;
	static list whole, part;
	find_mode = DBVH_FIND_ANY;
	walk( overlap, &whole, &part, sizeof whole );
	find_mode = DBVH_FIND_ALL;
	const uint64_t enough = walk( overlap, &whole, &part, sizeof whole );
	int found = 0;
	for ( uint64_t work = 1; work < enough; work += work / 4 + 1 ) {
		memset( &part, 0, sizeof part );
		overlap( &( dbvh_budget ){ .max_work = work }, &part );
		assert_true( part.result.triangle_count <= whole.result.triangle_count );
		found += part.result.intersects;
	}
	assert_true( found > 0 );
}

// Each element has the whole budget; cancelling one cancels all others.
static void batches( void **state ) {
	(void)state;
	enum { COUNT = 32 };
	double at[3 * COUNT];
	dbvh_ray lines[COUNT];
	for ( int i = 0; i < 3 * COUNT; ++i )
		at[i] = 0.001 * i;
	for ( int i = 0; i < COUNT; ++i )
		lines[i] = ( dbvh_ray ){ { -3, 0.01 * i, 0.003 }, { 1, 0, 0 } };
	for ( uint32_t threads = 1; threads <= 3; threads += 2 ) {
		const dbvh_batch_options options = { .thread_count = threads };
		dbvh_closest_point_result many[COUNT], one;
		const dbvh_budget some = { .max_work = 200 };
		const dbvh_closest_point_query query = { .budget = &some };
		dbvh_error error;
		assert_int_equal( dbvh_closest_point_batch( ball, NULL, at, COUNT, &query, &options, many, &error ),
		                  DBVH_BUDGET_SPENT );
		for ( int i = 0; i < COUNT; ++i ) {
			memset( &one, 0, sizeof one );
			one.status = dbvh_closest_point( ball, NULL, at + 3 * i, &query, workspace, &one, NULL );
			assert_int_equal( many[i].status, one.status );
			assert_true( many[i].found == one.found && many[i].distance == one.distance );
		}
		int asked = 0;
		const dbvh_budget none = { .is_cancelled = cancel_now, .user = &asked };
		dbvh_raycast_result casts[COUNT];
		const dbvh_raycast_query all = { .find = DBVH_FIND_ALL, .budget = &none };
		const dbvh_status status = dbvh_raycast_batch( ball, NULL, lines, COUNT, &all, &options, casts, &error );
		// Other threads may have finished before this one is asked.
		assert_true( status == DBVH_CANCELLED || ( status == DBVH_OK && ( asked == 0 || threads > 1 ) ) );
		if ( status == DBVH_CANCELLED )
			assert_memory_equal( error.text, "rays[", 5 );
	}
}

// ------------------------------------------------------------------------------------------------
// All elements together

enum { MANY = 96 };

typedef struct batch_case {
	dbvh_pose poses[MANY];
	dbvh_motion motions[MANY];
	dbvh_ray rays[MANY];
	double points[3 * MANY];
} batch_case;

// A batch with that budget; the results are MANY of `size`, with the status at `status_at`.
typedef struct batch_question {
	const char *name;
	size_t size, status_at;
	dbvh_status ( *ask )( const batch_case *c, const dbvh_budget *budget, const dbvh_batch_options *options,
	                      void *results, dbvh_error *error );
} batch_question;

#define BATCH( name )                                                                                                  \
	static dbvh_status many_##name( const batch_case *c, const dbvh_budget *budget, const dbvh_batch_options *options, \
	                                void *results, dbvh_error *error )

BATCH( collide ) {
	const dbvh_collide_query query = { .find = DBVH_FIND_ALL, .budget = budget };
	return dbvh_collide_batch( ball, NULL, ball, c->poses, MANY, &query, options, results, error );
}

BATCH( distance ) {
	const dbvh_distance_query query = { .budget = budget };
	return dbvh_distance_batch( ball, NULL, ball, c->poses, MANY, &query, options, results, error );
}

BATCH( clearance ) {
	const dbvh_clearance_query query = { .max_distance = 0.5, .budget = budget };
	return dbvh_check_clearance_batch( ball, NULL, ball, c->poses, MANY, &query, options, results, error );
}

BATCH( impact ) {
	const dbvh_toi_query query = { .budget = budget };
	return dbvh_time_of_impact_batch( ball, NULL, ball, c->motions, MANY, &query, options, results, error );
}

BATCH( raycast ) {
	const dbvh_raycast_query query = { .find = DBVH_FIND_CLOSEST, .budget = budget };
	return dbvh_raycast_batch( ball, NULL, c->rays, MANY, &query, options, results, error );
}

BATCH( closest ) {
	const dbvh_closest_point_query query = { .budget = budget };
	return dbvh_closest_point_batch( ball, NULL, c->points, MANY, &query, options, results, error );
}

static const batch_question batches_of_many[] = {
    { "collide", sizeof( dbvh_collide_result ), offsetof( dbvh_collide_result, status ), many_collide },
    { "distance", sizeof( dbvh_distance_result ), offsetof( dbvh_distance_result, status ), many_distance },
    { "clearance", sizeof( dbvh_clearance_result ), offsetof( dbvh_clearance_result, status ), many_clearance },
    { "impact", sizeof( dbvh_toi_result ), offsetof( dbvh_toi_result, status ), many_impact },
    { "raycast", sizeof( dbvh_raycast_result ), offsetof( dbvh_raycast_result, status ), many_raycast },
    { "closest", sizeof( dbvh_closest_point_result ), offsetof( dbvh_closest_point_result, status ), many_closest },
};

static dbvh_status status_of( const batch_question *q, const void *results, size_t i ) {
	dbvh_status status;
	memcpy( &status, (const char *)results + i * q->size + q->status_at, sizeof status );
	return status;
}

// A total budget finishes the elements up to one, which no number of threads changes, with the answers of no budget.
static void check_total( const batch_question *q, const batch_case *c, uint64_t total, const void *whole ) {
	static _Alignas( 64 ) char alone[MANY * 1024], together[MANY * 1024];
	uint64_t spent = 0;
	const dbvh_budget budget = { .max_total = total, .spent = &spent };
	dbvh_batch_options options = { .thread_count = 1 };
	dbvh_error error;
	const dbvh_status status = q->ask( c, &budget, &options, alone, &error );
	const size_t end = status == DBVH_OK ? MANY : (size_t)error.element;
	assert_int_equal( status, end < MANY ? DBVH_BUDGET_SPENT : DBVH_OK );
	assert_memory_equal( alone, whole, end * q->size );
	for ( size_t i = end; i < MANY; ++i )
		assert_int_equal( status_of( q, alone, i ), DBVH_BUDGET_SPENT );
	const uint64_t spent_alone = spent;
	for ( uint32_t threads = 2; threads <= 3; ++threads ) {
		options.thread_count = threads;
		spent = 0;
		assert_int_equal( q->ask( c, &budget, &options, together, &error ), status );
		assert_memory_equal( together, alone, MANY * q->size );
		assert_true( spent == spent_alone );
	}
}

static void totals( void **state ) {
	(void)state;
	rng r = rng_announce( "totals of batches", 41 );
	static batch_case c;
	static _Alignas( 64 ) char whole[MANY * 1024];
	for ( int i = 0; i < MANY; ++i ) {
		c.poses[i] = dbvh_pose_identity();
		for ( int k = 0; k < 3; ++k ) {
			c.poses[i].pos[k] = rng_range( &r, -1.5, 1.5 );
			c.points[3 * i + k] = rng_range( &r, -2.0, 2.0 );
			c.rays[i].from[k] = rng_range( &r, -3.0, 3.0 );
			c.rays[i].direction[k] = -c.rays[i].from[k] + rng_range( &r, -1.0, 1.0 );
		}
		const double way[3] = { 3.0, rng_range( &r, -1.0, 1.0 ), 0.0 };
		dbvh_pose from = c.poses[i];
		from.pos[0] -= 3.0;
		c.motions[i] = dbvh_motion_translation( &from, way );
	}
	for ( size_t k = 0; k < sizeof batches_of_many / sizeof batches_of_many[0]; ++k ) {
		const batch_question *q = &batches_of_many[k];
		assert_true( q->size <= 1024 );
		uint64_t spent = 0;
		const dbvh_budget unlimited = { .spent = &spent };
		const dbvh_batch_options alone = { .thread_count = 1 };
		assert_int_equal( q->ask( &c, &unlimited, &alone, whole, NULL ), DBVH_OK );
		assert_true( spent >= MANY );
		printf( "%s: %.0f steps each\n", q->name, (double)spent / MANY );
		check_total( q, &c, 1, whole );
		check_total( q, &c, spent - 1, whole );
		check_total( q, &c, spent, whole );
		for ( int i = 0; i < 4; ++i )
			check_total( q, &c, 1 + rng_below( &r, spent ), whole );
		// Just enough.
		const dbvh_budget enough = { .max_total = spent };
		assert_int_equal( q->ask( &c, &enough, &alone, whole, NULL ), DBVH_OK );
	}
}

static bool cancel_third( void *user ) {
	return ++*(int *)user >= 3;
}

// A million elements that cost next to nothing can be cancelled, too.
static void batches_of_little( void **state ) {
	(void)state;
	enum { COUNT = 4096 };
	static dbvh_pose poses[COUNT];
	static dbvh_collide_result results[COUNT];
	for ( int i = 0; i < COUNT; ++i ) {
		poses[i] = dbvh_pose_identity();
		poses[i].pos[0] = 100.0 + i;
	}
	for ( uint32_t count = 1; count <= 3; count += 2 ) {
		int asked = 0;
		const dbvh_budget budget = { .is_cancelled = cancel_third, .user = &asked };
		const dbvh_collide_query query = { .budget = &budget };
		const dbvh_batch_options options = { .thread_count = count };
		const dbvh_status status =
		    dbvh_collide_batch( ball, NULL, ball, poses, COUNT, &query, &options, results, NULL );
		// Other threads may do all the work before this one asks a third time.
		assert_true( status == DBVH_CANCELLED || ( status == DBVH_OK && count > 1 ) );
		if ( status != DBVH_CANCELLED )
			continue;
		assert_int_equal( asked, 3 );
		// On one thread all elements from the first cancelled one on are cancelled; other threads may have answered the
		// last.
		size_t left = 0;
		for ( int i = 0; i < COUNT; ++i )
			left += results[i].status == DBVH_CANCELLED;
		assert_true( left > 0 && ( count > 1 || results[COUNT - 1].status == DBVH_CANCELLED ) );
	}
}

// ------------------------------------------------------------------------------------------------
// Contacts

typedef struct found {
	size_t contacts, points, polylines, clusters;
	double length;
} found;

static uint32_t threads;

static dbvh_status find_contacts( const dbvh_budget *budget, void *out ) {
	found *f = out;
	const dbvh_contacts_query query = { .thread_count = threads, .budget = budget };
	const dbvh_status status = dbvh_contacts_find( ball, NULL, other, &apart, &query, contacts, NULL );
	const dbvh_contacts_view v = dbvh_contacts_get( contacts );
	*f = ( found ){ v.contact_count, v.point_count, v.polyline_count, v.cluster_count, 0.0 };
	for ( size_t i = 0; i < v.polyline_count; ++i )
		f->length += v.polylines[i].length;
	assert_true( status == DBVH_OK || f->contacts == 0 );
	return status;
}

static void contacts_of_two( void **state ) {
	(void)state;
	for ( threads = 1; threads <= 3; threads += 2 ) {
		found whole, part;
		walk( find_contacts, &whole, &part, sizeof whole );
		assert_true( whole.contacts > 100 && whole.polylines == 1 );
	}
}

static dbvh_status measure_overlap( const dbvh_budget *budget, void *out ) {
	const double ways[6] = { 1, 0, 0, 0.5, 0.25, 0 };
	const dbvh_contacts_query query = { .budget = budget };
	bool common = false;
	return dbvh_overlap_extents( ball, NULL, other, &apart, ways, 2, &query, contacts, out, &common, NULL );
}

static void overlaps( void **state ) {
	(void)state;
	dbvh_extent whole[2], part[2];
	walk( measure_overlap, whole, part, sizeof whole );
	assert_true( whole[0].max - whole[0].min > 0.5 );
}

static dbvh_status separate( const dbvh_budget *budget, void *out ) {
	const dbvh_contacts_query query = { .budget = budget };
	return dbvh_separating_translation( ball, NULL, other, &apart, &query, contacts, out, NULL );
}

static void separations( void **state ) {
	(void)state;
	dbvh_separation whole, part;
	const uint64_t enough = walk( separate, &whole, &part, sizeof whole );
	int known = 0;
	for ( uint64_t work = 1000; work < enough; work += work / 2 ) {
		memset( &part, 0, sizeof part );
		const dbvh_status status = separate( &( dbvh_budget ){ .max_work = work }, &part );
		assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
		if ( part.length == 0.0 )
			continue;
		// The best translation known when the budget ended separates, and is no shorter than the complete answer.
		known += 1;
		assert_true( part.length >= whole.length );
		dbvh_relate_result result;
		assert_int_equal( dbvh_relate( ball, NULL, other, &part.pose_b, NULL, workspace, &result, NULL ), DBVH_OK );
		assert_int_equal( result.relation, DBVH_RELATION_DISJOINT );
	}
	assert_true( known > 0 );
}

// ------------------------------------------------------------------------------------------------
// Motions that take as long as they are allowed to

typedef struct toil {
	shape a, b;
	dbvh_motion motion_a, motion_b;
} toil;

static void add_loose( shape *s, const double p[9] ) {
	const uint32_t first = shape_vertex( s, p[0], p[1], p[2] );
	shape_vertex( s, p[3], p[4], p[5] );
	shape_vertex( s, p[6], p[7], p[8] );
	shape_triangle( s, first, first + 1, first + 2 );
}

// Triangles on each other, less than floats tell apart; a fan of a circle; the same stacks where they intersect at the
// start, but for the last; and a far orbit, which is nothing but pieces of time.
static void make_toil( toil *t, int kind, uint32_t n ) {
	memset( t, 0, sizeof *t );
	t->motion_a = t->motion_b = dbvh_motion_translation( NULL, NULL );
	t->motion_b.axis[2] = t->motion_b.angle = 1.0;
	t->motion_b.from.pos[2] = kind == 2 ? -0.5e-9 : 1e-6;
	for ( int side = 0; side < 2 && kind < 3; ++side ) {
		for ( uint32_t i = 0; i < n; ++i ) {
			double c[2] = { 1.0, 0.0 }, d[2] = { 0.0, 1.0 };
			const double z = kind == 1 ? 0.0 : 1e-12 * i;
			if ( kind == 1 ) {
				shape_turn( i, n, &c[0], &d[0] );
				shape_turn( ( i + 1 ) % n, n, &c[1], &d[1] );
			}
			add_loose( side == 0 ? &t->a : &t->b, ( const double[9] ){ 0, 0, z, c[0], d[0], z, c[1], d[1], z } );
		}
	}
	if ( kind < 3 )
		return;
	shape_add_sphere( &t->a, 1.0, 12, 8 );
	shape_add_sphere( &t->b, 1.0, 12, 8 );
	t->motion_b.from.pos[0] = 1e7;
	t->motion_b.from.pos[2] = 0.0;
	t->motion_b.centre[0] = 1e7 + 1e7;
	t->motion_b.angle = 1000.0;
	t->motion_b.shift[2] = 1e-3;
}

static bool go_on( void *user ) {
	*(uint64_t *)user += 1;
	return false;
}

// At most twice the budget, and a question every two grains of it (budget.c); whatever is left out, never past the
// first contact. A caller who wants no more is heard at once.
static void motions( void **state ) {
	(void)state;
	size_t ended = 0;
	for ( int kind = 0; kind < 4; ++kind ) {
		toil t;
		make_toil( &t, kind, 600 );
		dbvh_tree *a = tree_of( &t.a, NULL ), *b = tree_of( &t.b, NULL );
		for ( uint64_t most = 2000; most <= 8000000; most *= 4 ) {
			uint64_t spent = 0, asked = 0;
			const dbvh_budget budget = { .max_work = most, .spent = &spent, .is_cancelled = go_on, .user = &asked };
			const dbvh_toi_query query = { .budget = &budget };
			dbvh_toi_result x;
			const dbvh_status status =
			    dbvh_time_of_impact( a, &t.motion_a, b, &t.motion_b, &query, workspace, &x, NULL );
			assert_true( status == DBVH_OK || status == DBVH_BUDGET_SPENT );
			assert_true( spent <= 2 * most && ( status == DBVH_OK || spent > most ) );
			assert_true( asked >= spent / 8192 );
			ended += status == DBVH_BUDGET_SPENT;
			if ( status == DBVH_BUDGET_SPENT )
				assert_int_equal( x.verdict, DBVH_TOI_VERDICT_UNDECIDED );
			int calls = 0;
			const dbvh_budget nervous = { .is_cancelled = cancel_now, .user = &calls, .spent = &spent };
			const dbvh_toi_query cut = { .budget = &nervous };
			spent = 0;
			const dbvh_status over = dbvh_time_of_impact( a, &t.motion_a, b, &t.motion_b, &cut, workspace, &x, NULL );
			assert_true( over == DBVH_CANCELLED ? calls == 1 && spent <= 8192 : calls == 0 && over == DBVH_OK );
		}
		dbvh_tree_destroy( a );
		dbvh_tree_destroy( b );
		shape_free( &t.a );
		shape_free( &t.b );
	}
	printf( "motions: %zu budgets ended a search\n", ended );
	assert_true( ended > 6 );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown( motions, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( rays, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( points, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( shapes, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( batches, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( batches_of_little, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( totals, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( contacts_of_two, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( overlaps, set_up, tear_down ),
	    cmocka_unit_test_setup_teardown( separations, set_up, tear_down ),
	};
	return test_main( argc, argv, tests );
}
