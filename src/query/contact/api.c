// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts: the pairs that intersect, the intersection of each, and the points that several of them share.

#include "base/assert.h"
#include "base/fpenv.h"
#include "base/parallel.h"
#include "base/status.h"
#include "exact/tri_tri.h"
#include "exact/tri_tri_features.h"
#include "query/collide/collide.h"
#include "query/common/arguments.h"
#include "query/contact/contact.h"

#include <string.h>

// The number of pairs or points that a thread takes at a time: well below a millisecond.
#define GRAIN 256
#define FIRST_PAIRS 1024

// ------------------------------------------------------------------------------------------------
// The object

dbvh_status dbvh_contacts_create( const dbvh_allocator *allocator, dbvh_contacts **contacts_out, dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( contacts_out, sizeof *contacts_out, "contacts_out", error ) );
	dbvh_allocator a;
	DBVHI_TRY( dbvhi_allocator_take( allocator, &a, error ) );
	dbvh_contacts *c = dbvhi_alloc( &a, 1, sizeof *c );
	if ( c == NULL )
		return dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	memset( c, 0, sizeof *c );
	c->allocator = a;
	const dbvh_status status = dbvh_workspace_create( &a, &c->workspace, error );
	if ( status != DBVH_OK ) {
		dbvhi_free( &a, c, 1, sizeof *c );
		return status;
	}
	*contacts_out = c;
	return DBVH_OK;
}

void dbvh_contacts_destroy( dbvh_contacts *contacts ) {
	if ( contacts == NULL )
		return;
	const dbvh_allocator a = contacts->allocator;
	dbvh_workspace_destroy( contacts->workspace );
	for ( int i = 0; i < DBVHI_STORE_COUNT; ++i ) {
		const dbvhi_store *store = &contacts->stores[i];
		dbvhi_free( &a, store->memory, store->capacity, store->size );
	}
	dbvhi_free( &a, contacts, 1, sizeof *contacts );
}

dbvh_contacts_view dbvh_contacts_get( const dbvh_contacts *contacts ) {
	if ( contacts == NULL )
		return ( dbvh_contacts_view ){ 0 };
	return contacts->view;
}

void *dbvhi_contacts_room( dbvh_contacts *c, int store, size_t count, size_t size ) {
	DBVHI_ASSERT( (unsigned)store < DBVHI_STORE_COUNT && size > 0 );
	dbvhi_store *s = &c->stores[store];
	s->size = size;
	return dbvhi_grow( &c->allocator, &s->memory, &s->capacity, count > 0 ? count : 1, size ) ? s->memory : NULL;
}

dbvhi_part dbvhi_part_of( const dbvhi_topology *topology, uint32_t triangle, int place ) {
	DBVHI_ASSERT( triangle < topology->triangle_count );
	DBVHI_ASSERT( place >= 0 && place <= DBVHI_FACE );
	if ( place == DBVHI_FACE )
		return (dbvhi_part)DBVH_FEATURE_KIND_TRIANGLE << 32 | triangle;
	const size_t k = 3 * (size_t)triangle;
	if ( place >= DBVHI_EDGE( 0 ) ) {
		const uint32_t edge = topology->edge[k + (size_t)( place - DBVHI_EDGE( 0 ) )];
		if ( edge != DBVHI_NO_EDGE )
			return (dbvhi_part)DBVH_FEATURE_KIND_EDGE << 32 | edge;
		place -= DBVHI_EDGE( 0 ); // both ends are one point
	}
	return (dbvhi_part)DBVH_FEATURE_KIND_VERTEX << 32 | topology->corner[k + (size_t)place];
}

// ------------------------------------------------------------------------------------------------
// What pairs share

typedef struct cutter {
	const dbvhi_relative_pose *relative;
	const dbvhi_topology *a, *b;
	double error;
	const dbvh_pair *pairs;
	size_t count;
	dbvhi_shared_points *cuts;
	const dbvhi_point_key *keys;
	dbvh_contact_point *points;
	dbvhi_meter *meter; // meter of the calling thread
} cutter;

typedef struct posed_pair {
	double fixed[9], moved[9], image[9];
	dbvhi_points points;
} posed_pair;

static void read_triangle( const dbvhi_topology *t, uint32_t triangle, double corners_out[9] ) {
	DBVHI_ASSERT( triangle < t->triangle_count );
	for ( int k = 0; k < 3; ++k )
		memcpy( corners_out + 3 * k, t->position + 3 * (size_t)t->corner[3 * (size_t)triangle + (size_t)k],
		        3 * sizeof( double ) );
}

static void pose_pair( const cutter *c, dbvh_pair pair, posed_pair *out ) {
	read_triangle( c->a, pair.a, c->relative->a_moves ? out->moved : out->fixed );
	read_triangle( c->b, pair.b, c->relative->a_moves ? out->fixed : out->moved );
	dbvhi_triangle_move( &c->relative->frame_from_moved, out->moved, out->image );
	dbvhi_points_init( &out->points, out->fixed, out->moved, out->image, &c->relative->frame_from_moved, c->error );
}

// Exchange the roles of the meshes, so that "fixed" stands for A also if B is the fixed mesh.
static void swap_roles( dbvhi_shared_points *m ) {
	for ( int i = 0; i < m->count; ++i )
		m->cell[i] = ( dbvhi_cell ){ m->cell[i].moved, m->cell[i].fixed };
	m->direction = -m->direction;
	if ( m->facing < 0 ) {
		for ( int i = 0, j = m->count - 1; i < j; ++i, --j ) {
			const dbvhi_cell t = m->cell[i];
			m->cell[i] = m->cell[j];
			m->cell[j] = t;
		}
	}
}

// Charge a block of pairs or points, a microsecond or two each, from any thread. Returns false if the budget is spent.
static bool charge_block( const cutter *c, size_t count, uint32_t thread ) {
	if ( thread == 0 )
		return dbvhi_meter_charge( c->meter, 64 * count );
	dbvhi_meter own;
	dbvhi_meter_join( &own, c->meter->purse );
	return dbvhi_meter_charge( &own, 64 * count ) && dbvhi_meter_settle( &own );
}

static void cut_block( void *context, size_t block, uint32_t thread ) {
	const cutter *c = context;
	const size_t end = ( block + 1 ) * GRAIN < c->count ? ( block + 1 ) * GRAIN : c->count;
	if ( !charge_block( c, end - block * GRAIN, thread ) )
		return;
	posed_pair posed;
	for ( size_t i = block * GRAIN; i < end; ++i ) {
		pose_pair( c, c->pairs[i], &posed );
		dbvhi_triangles_cut( &posed.points, &c->cuts[i] );
		if ( c->relative->a_moves )
			swap_roles( &c->cuts[i] );
	}
}

static void place_block( void *context, size_t block, uint32_t thread ) {
	const cutter *c = context;
	const size_t end = ( block + 1 ) * GRAIN < c->count ? ( block + 1 ) * GRAIN : c->count;
	if ( !charge_block( c, end - block * GRAIN, thread ) )
		return;
	posed_pair posed;
	for ( size_t i = block * GRAIN; i < end; ++i ) {
		const dbvhi_point_key *key = &c->keys[i];
		pose_pair( c, c->pairs[key->contact], &posed );
		dbvhi_cell cell = c->cuts[key->contact].cell[key->cell];
		if ( c->relative->a_moves )
			cell = ( dbvhi_cell ){ cell.moved, cell.fixed };
		dbvhi_cell_position( &posed.points, cell, c->relative->a_moves, c->points[i].position );
	}
}

static void for_blocks( cutter *c, size_t count, uint32_t thread_count, dbvhi_task *task ) {
	c->count = count;
	dbvhi_parallel_for( ( count + GRAIN - 1 ) / GRAIN, 1, thread_count, task, c );
}

// ------------------------------------------------------------------------------------------------
// Which points are the same

static dbvh_feature feature_of( dbvhi_part part, uint32_t triangle, int place ) {
	DBVHI_ASSERT( place >= 0 && place <= DBVHI_FACE );
	return ( dbvh_feature ){
	    .triangle = triangle,
	    .kind = (dbvh_feature_kind)( part >> 32 ),
	    .index = (uint32_t)( place == DBVHI_FACE ? 0 : place % 3 ),
	};
}

// Keep the lowest triangle that has a feature. Pairs are sorted, so that is the first one of A, but not of B.
static void name_lowest( dbvh_feature *feature, uint32_t triangle, int place ) {
	if ( triangle < feature->triangle ) {
		feature->triangle = triangle;
		feature->index = (uint32_t)( place == DBVHI_FACE ? 0 : place % 3 );
	}
}

typedef struct naming {
	dbvh_contacts *c;
	dbvhi_point_key *keys;
	dbvh_contact_point *points;
	uint32_t *table; // 1 + the number of a point; 0 is free
	size_t mask;
	size_t count;
} naming;

static uint32_t point_of( naming *n, const dbvh_pair *pair, uint32_t contact, uint32_t index, dbvhi_cell cell ) {
	const dbvhi_part a = dbvhi_part_of( n->c->topology_a, pair->a, cell.fixed );
	const dbvhi_part b = dbvhi_part_of( n->c->topology_b, pair->b, cell.moved );
	size_t slot = (size_t)dbvhi_hash_word( dbvhi_hash_word( DBVHI_HASH_SEED, a ), b ) & n->mask;
	while ( n->table[slot] != 0 ) {
		const uint32_t found = n->table[slot] - 1;
		if ( n->keys[found].a == a && n->keys[found].b == b ) {
			name_lowest( &n->points[found].a, pair->a, cell.fixed );
			name_lowest( &n->points[found].b, pair->b, cell.moved );
			return found;
		}
		slot = ( slot + 1 ) & n->mask;
	}
	const uint32_t fresh = (uint32_t)n->count++;
	n->table[slot] = fresh + 1;
	n->keys[fresh] = ( dbvhi_point_key ){ a, b, contact, index };
	n->points[fresh] = ( dbvh_contact_point ){
	    .a = feature_of( a, pair->a, cell.fixed ),
	    .b = feature_of( b, pair->b, cell.moved ),
	};
	return fresh;
}

// Build contacts, corners and points, without positions. Cells with the same two parts are the same point.
static dbvh_status name_points( dbvh_contacts *c, const dbvh_pair *pairs, size_t pair_count,
                                dbvhi_shared_points *cuts ) {
	size_t most = 0;
	for ( size_t i = 0; i < pair_count; ++i )
		most += cuts[i].count;
	if ( most >= UINT32_MAX )
		return DBVH_LIMIT;
	size_t slots = 16;
	while ( slots < 2 * most )
		slots *= 2;
	dbvh_contact *contacts = dbvhi_contacts_room( c, DBVHI_STORE_CONTACTS, pair_count, sizeof *contacts );
	uint32_t *corners = dbvhi_contacts_room( c, DBVHI_STORE_CORNERS, most, sizeof *corners );
	naming n = {
	    .c = c,
	    .keys = dbvhi_contacts_room( c, DBVHI_STORE_KEYS, most, sizeof *n.keys ),
	    .points = dbvhi_contacts_room( c, DBVHI_STORE_POINTS, most, sizeof *n.points ),
	    .table = dbvhi_contacts_room( c, DBVHI_STORE_TABLE, slots, sizeof *n.table ),
	    .mask = slots - 1,
	};
	if ( contacts == NULL || corners == NULL || n.keys == NULL || n.points == NULL || n.table == NULL )
		return DBVH_OUT_OF_MEMORY;
	memset( n.table, 0, slots * sizeof *n.table );

	size_t corner_count = 0;
	for ( size_t i = 0; i < pair_count; ++i ) {
		dbvhi_shared_points *cut = &cuts[i];
		const size_t first = corner_count;
		uint8_t kept = 0;
		for ( uint8_t k = 0; k < cut->count; ++k ) {
			const uint32_t point = point_of( &n, &pairs[i], (uint32_t)i, kept, cut->cell[k] );
			bool known = false;
			for ( size_t j = first; j < corner_count; ++j )
				known = known || corners[j] == point;
			if ( known )
				continue;
			cut->cell[kept++] = cut->cell[k];
			corners[corner_count++] = point;
		}
		cut->count = kept;
		contacts[i] = ( dbvh_contact ){
		    .pair = pairs[i],
		    .kind = kept == 1   ? DBVH_CONTACT_KIND_POINT
		            : kept == 2 ? DBVH_CONTACT_KIND_SEGMENT
		                        : DBVH_CONTACT_KIND_POLYGON,
		    .corner_count = kept,
		    .first_corner = first,
		};
	}
	c->view.contacts = contacts;
	c->view.contact_count = pair_count;
	c->view.corners = corners;
	c->view.corner_count = corner_count;
	c->view.points = n.points;
	c->view.point_count = n.count;
	return DBVH_OK;
}

// ------------------------------------------------------------------------------------------------

dbvh_contacts_query dbvh_contacts_query_default( void ) {
	return ( dbvh_contacts_query ){ .thread_count = 0 };
}

// List all pairs that intersect in the store of pairs.
static dbvh_status find_pairs( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                               uint32_t thread_count, dbvh_contacts *c, dbvhi_meter *meter, size_t *count_out ) {
	// note: without a budget there is nothing to charge.
	const dbvhi_collide_options intersecting = { .meter = meter->purse->budget != NULL ? meter : NULL };
	size_t wanted = FIRST_PAIRS;
	for ( ;; ) {
		dbvh_collide_query query = { .find = DBVH_FIND_ALL, .thread_count = thread_count };
		query.pairs = dbvhi_contacts_room( c, DBVHI_STORE_PAIRS, wanted, sizeof *query.pairs );
		if ( query.pairs == NULL )
			return DBVH_OUT_OF_MEMORY;
		query.pair_capacity = c->stores[DBVHI_STORE_PAIRS].capacity;
		dbvh_collide_result result;
		DBVHI_TRY( dbvhi_collide_checked( a, pose_a, b, pose_b, &intersecting, &query, c->workspace, &result ) );
		*count_out = result.pair_count;
		if ( result.pair_count == result.pair_written )
			return DBVH_OK;
		wanted = result.pair_count;
	}
}

static dbvh_status find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b, const dbvh_pose *pose_b,
                         uint32_t thread_count, bool joined, dbvh_contacts *c, dbvhi_meter *meter ) {
	size_t pair_count = 0;
	DBVHI_TRY( find_pairs( a, pose_a, b, pose_b, thread_count, c, meter, &pair_count ) );
	if ( pair_count >= UINT32_MAX )
		return DBVH_LIMIT;
	dbvhi_relative_pose relative;
	DBVHI_TRY( dbvhi_pose_relate( pose_a, pose_b, &relative ) );
	const dbvh_pair *pairs = c->stores[DBVHI_STORE_PAIRS].memory;
	dbvhi_shared_points *cuts = dbvhi_contacts_room( c, DBVHI_STORE_CUTS, pair_count, sizeof *cuts );
	if ( cuts == NULL )
		return DBVH_OUT_OF_MEMORY;
	const uint32_t threads = thread_count > 1 ? dbvhi_thread_count( thread_count ) : 1;
	cutter work = {
	    .relative = &relative,
	    .a = a->topology,
	    .b = b->topology,
	    .error = dbvhi_move_error( &relative.frame_from_moved, ( relative.a_moves ? a : b )->largest ),
	    .pairs = pairs,
	    .cuts = cuts,
	    .meter = meter,
	};
	for_blocks( &work, pair_count, threads, cut_block );
	// note: this charges the rest, which is linear: naming points, joining them to polylines and clusters.
	if ( !dbvhi_meter_charge( meter, 16 * pair_count ) )
		return dbvhi_purse_status( meter->purse );
	c->topology_a = a->topology;
	c->topology_b = b->topology;
	DBVHI_TRY( name_points( c, pairs, pair_count, cuts ) );
	work.keys = c->stores[DBVHI_STORE_KEYS].memory;
	work.points = c->stores[DBVHI_STORE_POINTS].memory;
	for_blocks( &work, c->view.point_count, threads, place_block );
	if ( !dbvhi_meter_charge( meter, 16 * c->view.point_count ) )
		return dbvhi_purse_status( meter->purse );
	return !joined || ( dbvhi_contacts_chain( c ) && dbvhi_contacts_cluster( c ) ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

static dbvh_status find_checked( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, uint32_t thread_count, bool joined, dbvh_contacts *contacts,
                                 dbvhi_meter *meter, dbvh_error *error ) {
	if ( contacts == NULL )
		return dbvhi_error_null( error, "contacts" );
	contacts->view = ( dbvh_contacts_view ){ 0 };
	DBVHI_TRY( dbvhi_check_trees( a, b, error ) );
	DBVHI_TRY( dbvhi_check_topology( a, "tree a", error ) );
	DBVHI_TRY( dbvhi_check_topology( b, "tree b", error ) );
	const dbvh_status status = find( a, pose_a, b, pose_b, thread_count, joined, contacts, meter );
	if ( status != DBVH_OK )
		contacts->view = ( dbvh_contacts_view ){ 0 };
	contacts->topology_a = contacts->topology_b = NULL;
	return status == DBVH_OK ? status : dbvhi_blame_poses( status, pose_a, pose_b, error );
}

dbvh_status dbvhi_contacts_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                 dbvhi_meter *meter, dbvh_error *error ) {
	return find_checked( a, pose_a, b, pose_b, query != NULL ? query->thread_count : 0, true, contacts, meter, error );
}

dbvh_status dbvhi_contacts_list( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                 const dbvh_pose *pose_b, uint32_t thread_count, dbvh_contacts *contacts,
                                 dbvhi_meter *meter, dbvh_error *error ) {
	return find_checked( a, pose_a, b, pose_b, thread_count, false, contacts, meter, error );
}

static DBVHI_NOINLINE_FP dbvh_status do_contacts_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                                       const dbvh_pose *pose_b, const dbvh_contacts_query *query,
                                                       dbvh_contacts *contacts, dbvh_error *error ) {
	dbvhi_error_clear( error );
	dbvhi_purse purse;
	dbvhi_meter meter;
	dbvhi_meter_open( &meter, &purse, query != NULL ? query->budget : NULL );
	const dbvh_status status = dbvhi_contacts_find( a, pose_a, b, pose_b, query, contacts, &meter, error );
	dbvhi_meter_close( &meter );
	return status;
}

dbvh_status dbvh_contacts_find( const dbvh_tree *a, const dbvh_pose *pose_a, const dbvh_tree *b,
                                const dbvh_pose *pose_b, const dbvh_contacts_query *query, dbvh_contacts *contacts,
                                dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV(
	    dbvh_status, dbvhi_error_finish( error, do_contacts_find( a, pose_a, b, pose_b, query, contacts, error ) ) );
}
