// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Every function that takes memory, with an allocator that fails at its n-th call, for every n there is: once that call
// alone, once all from there on. Each time the call says OUT_OF_MEMORY, its results are zero, nothing is lost, and the
// same objects give the right answer afterwards. The table below has every function of the headers that returns a
// status and is handed a tree, a workspace, contacts, an allocator or the options of a batch; the test says which one
// it lacks.

#include "support/clearance.h"
#include "support/line.h"
#include "support/scene.h"
#include "support/unit.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

enum { PAIRS = 4, POSES = 3, ROOM = 32 };

typedef struct pair {
	shape mesh_a, mesh_b;
	dbvh_tree *a, *b;
	dbvh_pose pose; // pose of b
} pair;

typedef struct scene {
	ledger books;
	dbvh_allocator allocator;
	pair pairs[PAIRS];
	const pair *at;
	dbvh_workspace *workspace;
	dbvh_contacts *contacts;
	dbvh_overlap *overlap;
	// Everything that the call wrote, all of it zero after an error.
	unsigned char out[1 << 14];
	size_t written;
} scene;

static void write_out( scene *s, const void *bytes, size_t count ) {
	assert_true( s->written + count <= sizeof s->out );
	memcpy( s->out + s->written, bytes, count );
	s->written += count;
}

#define OUT( x ) write_out( s, &( x ), sizeof( x ) )
// Structures may have padding: what it holds before is the same each time, and not zero.
#define START( x ) memset( &( x ), 0x55, sizeof( x ) )

static void check_error( dbvh_status status, const dbvh_error *e ) {
	assert_int_equal( e->status, status );
	assert_true( ( e->text[0] != '\0' ) == ( status != DBVH_OK ) );
}

// ------------------------------------------------------------------------------------------------
// Inputs

static void build_pair( scene *s, pair *p ) {
	dbvh_tree_options options = dbvh_tree_options_default();
	options.topology = true;
	options.thread_count = 1;
	const dbvh_mesh_view a = shape_view( &p->mesh_a ), b = shape_view( &p->mesh_b );
	assert_int_equal( dbvh_tree_build( &a, &options, &s->allocator, &p->a, NULL ), DBVH_OK );
	options.ellipsoids = DBVH_ELLIPSOIDS_ALL;
	assert_int_equal( dbvh_tree_build( &b, &options, &s->allocator, &p->b, NULL ), DBVH_OK );
}

static void make_pairs( scene *s, rng *r ) {
	// Solids that cross.
	shape_add_torus( &s->pairs[0].mesh_a, 1.0, 0.4, 12, 8 );
	shape_add_box( &s->pairs[0].mesh_b, 1.0, 1.0, 1.0, 2 );
	s->pairs[0].pose = random_pose( r, 0.5 );
	// Sheets and solids with corners on each other.
	shape_add_box( &s->pairs[1].mesh_a, 1.0, 1.0, 1.0, 1 );
	add_grid( &s->pairs[1].mesh_a, 3 );
	shape_add_box( &s->pairs[1].mesh_b, 1.0, 1.0, 1.0, 1 );
	add_grid( &s->pairs[1].mesh_b, 3 );
	add_soup( &s->pairs[1].mesh_b, r, 12, 1.0, 0.2, true );
	s->pairs[1].pose = dbvh_pose_identity();
	s->pairs[1].pose.pos[0] = 0.5;
	// Each triangle twice.
	for ( int k = 0; k < 2; ++k )
		shape_add_box( &s->pairs[2].mesh_a, 1.0, 1.0, 1.0, 1 );
	shape_add_box( &s->pairs[2].mesh_b, 1.0, 0.5, 2.0, 1 );
	s->pairs[2].pose = dbvh_pose_identity();
	s->pairs[2].pose.pos[1] = 0.25;
	// Apart.
	shape_add_box( &s->pairs[3].mesh_a, 1.0, 1.0, 1.0, 1 );
	shape_add_torus( &s->pairs[3].mesh_b, 1.0, 0.25, 8, 6 );
	s->pairs[3].pose = random_pose( r, 0.0 );
	s->pairs[3].pose.pos[2] += 4.0;
	for ( int i = 0; i < PAIRS; ++i )
		build_pair( s, &s->pairs[i] );
}

// ------------------------------------------------------------------------------------------------
// The functions

#define DOOR( name ) static dbvh_status call_##name( scene *s, int variant )
#define PLAIN (void)variant

DOOR( tree_build ) {
	const pair *p = &s->pairs[variant % PAIRS];
	const dbvh_mesh_view view = shape_view( &p->mesh_a );
	dbvh_tree_options o = dbvh_tree_options_default();
	o.thread_count = 1;
	switch ( variant / PAIRS ) {
	case 0:
		break;
	case 1:
		o.topology = true;
		o.leaf_size = 4;
		break;
	case 2:
		o.topology = true;
		o.box_fit = DBVH_BOX_FIT_COVARIANCE;
		o.split = DBVH_SPLIT_MEAN;
		o.fill = DBVH_FILL_RULE_EVEN_ODD;
		break;
	case 3:
		o.ellipsoids = DBVH_ELLIPSOIDS_ALL;
		break;
	default:
		o.ellipsoids = DBVH_ELLIPSOIDS_MIXED;
	}
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_tree_build( &view, &o, &s->allocator, &t, &e );
	check_error( status, &e );
	dbvh_tree_stats stats = { 0 };
	if ( status == DBVH_OK )
		stats = dbvh_tree_get_stats( t );
	else
		OUT( t );
	OUT( stats.content_hash );
	OUT( stats.bytes );
	dbvh_tree_destroy( t );
	return status;
}
DOOR( tree_refit ) {
	const dbvh_mesh_view view = shape_view( &s->pairs[variant].mesh_a );
	dbvh_tree *t = NULL;
	dbvh_error e;
	dbvh_status status = dbvh_tree_build( &view, NULL, &s->allocator, &t, &e );
	if ( status == DBVH_OK )
		status = dbvh_tree_refit( t, &view, &e );
	check_error( status, &e );
	dbvh_tree_destroy( t );
	return status;
}
#include "memory_tree_files.inl"
DOOR( tree_validate ) {
	dbvh_error e;
	const dbvh_status status =
	    dbvh_tree_validate( variant < PAIRS ? s->pairs[variant].a : s->pairs[variant - PAIRS].b, &e );
	check_error( status, &e );
	return status;
}
DOOR( tree_open_loops ) {
	PLAIN;
	double points[ROOM][3];
	dbvh_open_loop loops[4];
	size_t counts[2] = { 7, 7 };
	memset( points, 0, sizeof points );
	memset( loops, 0, sizeof loops );
	const dbvh_status status =
	    dbvh_tree_open_loops( s->at->a, DBVH_ALL_COMPONENTS, loops, 4, points, ROOM, &counts[0], &counts[1], NULL );
	OUT( counts );
	OUT( points );
	OUT( loops );
	return status;
}
DOOR( tree_get_nodes ) {
	PLAIN;
	dbvh_tree_node nodes[3];
	uint32_t order[3] = { 7, 7, 7 };
	size_t count = 7;
	memset( nodes, 0, sizeof nodes );
	const dbvh_status status = dbvh_tree_get_nodes( s->at->a, nodes, 3, order, 3, &count, NULL );
	OUT( count );
	OUT( nodes );
	return status;
}
DOOR( locate_point ) {
	PLAIN;
	dbvh_location out;
	START( out );
	static const double point[3] = { 0.25, 0.25, 0.25 };
	const dbvh_status status = dbvh_locate_point( s->at->a, &s->at->pose, point, &out, NULL );
	OUT( out );
	return status;
}

DOOR( workspace_create ) {
	PLAIN;
	dbvh_workspace *w = (dbvh_workspace *)s;
	const dbvh_status status = dbvh_workspace_create( &s->allocator, &w, NULL );
	if ( status != DBVH_OK )
		OUT( w );
	dbvh_workspace_destroy( w );
	return status;
}
DOOR( workspace_reserve ) {
	PLAIN;
	return dbvh_workspace_reserve( s->workspace, s->at->a, s->at->b, 100, NULL );
}
DOOR( workspace_reserve_threads ) {
	PLAIN;
	return dbvh_workspace_reserve_threads( s->workspace, s->at->a, s->at->b, 100, 3, NULL );
}

static const dbvh_policy policies[] = { DBVH_POLICY_DEFAULT, DBVH_POLICY_DUAL, DBVH_POLICY_RAPID, DBVH_POLICY_SPHERE };

DOOR( collide ) {
	dbvh_pair pairs[ROOM];
	dbvh_collide_result out;
	START( out );
	memset( pairs, 0, sizeof pairs );
	const dbvh_collide_query q = {
	    .find = DBVH_FIND_ALL, .policy = policies[variant], .pairs = pairs, .pair_capacity = ROOM, .thread_count = 2 };
	const dbvh_status status = dbvh_collide( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->workspace, &out, NULL );
	OUT( out );
	if ( status == DBVH_OK )
		OUT( pairs );
	return status;
}
DOOR( collide_batch ) {
	dbvh_collide_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	for ( int i = 0; i < POSES; ++i ) {
		poses[i] = s->at->pose;
		poses[i].pos[0] += 0.25 * i;
	}
	// With a total, several threads take a list of what each pose has spent.
	const dbvh_budget enough = { .max_total = UINT64_MAX - 1 };
	const dbvh_collide_query q = { .find = DBVH_FIND_ALL, .budget = variant % 2 == 1 ? &enough : NULL };
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_collide_batch( s->at->a, NULL, s->at->b, poses, POSES, &q, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
DOOR( collide_cached ) {
	dbvh_collide_result out;
	START( out );
	// The second call is near enough to the first for it to look for room.
	dbvh_cache cache = dbvh_cache_default();
	dbvh_pose pose = s->at->pose;
	const dbvh_collide_query q = { .policy = policies[variant] };
	dbvh_status status = DBVH_OK;
	for ( int i = 0; i < 2 && status == DBVH_OK; ++i ) {
		status = dbvh_collide_cached( s->at->a, NULL, s->at->b, &pose, &q, &cache, s->workspace, &out, NULL );
		pose.pos[0] += 1e-4;
	}
	OUT( out );
	return status;
}
DOOR( distance ) {
	dbvh_distance_result out;
	START( out );
	const dbvh_distance_query q = { .policy = policies[variant], .thread_count = 2 };
	const dbvh_status status = dbvh_distance( s->at->a, NULL, s->at->b, &s->at->pose, &q, s->workspace, &out, NULL );
	OUT( out );
	return status;
}
DOOR( check_clearance ) {
	dbvh_pair pairs[ROOM];
	dbvh_collide_result out;
	START( out );
	memset( pairs, 0, sizeof pairs );
	const dbvh_collide_query q = {
	    .find = DBVH_FIND_ALL, .policy = policies[variant], .pairs = pairs, .pair_capacity = ROOM };
	const dbvh_status status =
	    check_clearance( s->at->a, NULL, s->at->b, &s->at->pose, 3.0, &q, s->workspace, &out, NULL );
	OUT( out );
	if ( status == DBVH_OK )
		OUT( pairs );
	return status;
}
static void some_poses( const scene *s, dbvh_pose poses[POSES] ) {
	for ( int i = 0; i < POSES; ++i ) {
		poses[i] = s->at->pose;
		poses[i].pos[0] += 0.25 * i;
	}
}
DOOR( distance_batch ) {
	dbvh_distance_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	some_poses( s, poses );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_distance_batch( s->at->a, NULL, s->at->b, poses, POSES, NULL, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
DOOR( check_clearance_batch ) {
	dbvh_clearance_result out[POSES];
	START( out );
	dbvh_pose poses[POSES];
	some_poses( s, poses );
	const dbvh_clearance_query q = { .max_distance = 3.0, .find = DBVH_FIND_ALL };
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_check_clearance_batch( s->at->a, NULL, s->at->b, poses, POSES, &q, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
DOOR( self_collide ) {
	dbvh_pair pairs[ROOM];
	dbvh_collide_result out;
	START( out );
	memset( pairs, 0, sizeof pairs );
	const dbvh_collide_query q = {
	    .find = DBVH_FIND_ALL, .policy = policies[variant], .pairs = pairs, .pair_capacity = ROOM };
	const dbvh_status status = dbvh_self_collide( s->at->a, &q, s->workspace, &out, NULL );
	OUT( out );
	if ( status == DBVH_OK )
		OUT( pairs );
	return status;
}
#include "memory_of_relations.inl"
static test_line line_at( int i ) {
	return ( test_line ){ .from = { -3.0, 0.1 * i, 0.05 }, .to = { 3.0, 0.2, 0.1 }, .is_ray = false };
}
static dbvh_status cast_one( scene *s, bool is_ray ) {
	dbvh_ray_hit hits[ROOM];
	dbvh_raycast_result out;
	START( out );
	memset( hits, 0, sizeof hits );
	test_line line = line_at( 0 );
	line.is_ray = is_ray;
	const dbvh_raycast_query q = { .find = DBVH_FIND_ALL, .hits = hits, .hit_capacity = ROOM };
	const dbvh_status status = line_cast( s->at->a, &s->at->pose, &line, &q, s->workspace, &out, NULL );
	OUT( out );
	if ( status == DBVH_OK )
		OUT( hits );
	return status;
}
DOOR( raycast ) {
	PLAIN;
	return cast_one( s, true );
}
DOOR( segment_cast ) {
	PLAIN;
	return cast_one( s, false );
}
static dbvh_status cast_many( scene *s, bool is_ray, int variant ) {
	test_line lines[POSES];
	dbvh_raycast_result out[POSES];
	START( out );
	for ( int i = 0; i < POSES; ++i )
		lines[i] = line_at( i );
	lines[0].is_ray = is_ray;
	const dbvh_raycast_query q = { .find = DBVH_FIND_ALL };
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = line_cast_batch( s->at->a, &s->at->pose, lines, POSES, &q, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
DOOR( raycast_batch ) {
	return cast_many( s, true, variant );
}
DOOR( segment_cast_batch ) {
	return cast_many( s, false, variant );
}
static const double points[POSES][3] = { { 3.0, 0.0, 0.0 }, { 0.1, 0.2, 0.3 }, { -1.0, -2.0, 0.5 } };
DOOR( closest_point ) {
	PLAIN;
	dbvh_closest_point_result out;
	START( out );
	const dbvh_status status = dbvh_closest_point( s->at->a, &s->at->pose, points[0], NULL, s->workspace, &out, NULL );
	OUT( out );
	return status;
}
DOOR( closest_point_batch ) {
	dbvh_closest_point_result out[POSES];
	START( out );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_closest_point_batch( s->at->a, &s->at->pose, points[0], POSES, NULL, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}
DOOR( collide_shape ) {
	PLAIN;
	uint32_t triangles[ROOM] = { 0 };
	dbvh_collide_shape_result out;
	START( out );
	const dbvh_shape ball = { .kind = DBVH_SHAPE_KIND_SPHERE, .as.sphere = { { 0.5, 0.0, 0.0 }, 0.75 } };
	const dbvh_collide_shape_query q = { .find = DBVH_FIND_ALL, .triangles = triangles, .triangle_capacity = ROOM };
	const dbvh_status status = dbvh_collide_shape( s->at->a, &s->at->pose, &ball, &q, s->workspace, &out, NULL );
	OUT( out );
	if ( status == DBVH_OK )
		OUT( triangles );
	return status;
}

static dbvh_motion motion_at( const scene *s, int i ) {
	dbvh_motion m = {
	    .from = s->at->pose, .shift = { 0.5 * i, 0.25, -8.0 }, .axis = { 0.0, 0.0, 1.0 }, .angle = 0.5 * i };
	m.from.pos[2] += 4.0;
	return m;
}
DOOR( time_of_impact ) {
	dbvh_toi_result out;
	START( out );
	const dbvh_motion m = motion_at( s, variant % 2 );
	const dbvh_toi_query q = { .policy = policies[variant / 2] };
	const dbvh_status status = dbvh_time_of_impact( s->at->a, NULL, s->at->b, &m, &q, s->workspace, &out, NULL );
	OUT( out );
	return status;
}
DOOR( time_of_impact_batch ) {
	dbvh_toi_result out[POSES];
	START( out );
	dbvh_motion m[POSES];
	for ( int i = 0; i < POSES; ++i )
		m[i] = motion_at( s, i );
	const dbvh_batch_options o = { .thread_count = (uint32_t)variant, .workspace = s->workspace };
	dbvh_error e;
	const dbvh_status status = dbvh_time_of_impact_batch( s->at->a, NULL, s->at->b, m, POSES, NULL, &o, out, &e );
	check_error( status, &e );
	OUT( out );
	return status;
}

DOOR( contacts_create ) {
	PLAIN;
	dbvh_contacts *c = (dbvh_contacts *)s;
	const dbvh_status status = dbvh_contacts_create( &s->allocator, &c, NULL );
	if ( status != DBVH_OK )
		OUT( c );
	dbvh_contacts_destroy( c );
	return status;
}
static void write_contacts( scene *s ) {
	const dbvh_contacts_view v = dbvh_contacts_get( s->contacts );
	const size_t counts[] = { v.contact_count,  v.corner_count, v.point_count,
	                          v.polyline_count, v.path_count,   v.cluster_count };
	OUT( counts );
	double sum = 0.0;
	for ( size_t i = 0; i < v.cluster_count; ++i )
		sum += v.clusters[i].length + v.clusters[i].area;
	OUT( sum );
}
DOOR( contacts_find ) {
	const dbvh_status status =
	    dbvh_contacts_find( s->at->a, NULL, s->at->b, &s->at->pose,
	                        &( dbvh_contacts_query ){ .thread_count = (uint32_t)variant }, s->contacts, NULL );
	write_contacts( s );
	return status;
}
DOOR( overlap_extents ) {
	static const double ways[2][3] = { { 0, 0, 1 }, { 1, 0, 0.5 } };
	dbvh_extent out[2];
	bool common = true;
	START( out );
	const dbvh_status status = dbvh_overlap_extents( s->at->a, NULL, s->at->b, &s->at->pose, (const double *)ways, 2,
	                                                 &( dbvh_contacts_query ){ .thread_count = (uint32_t)variant },
	                                                 s->contacts, out, &common, NULL );
	OUT( out );
	OUT( common );
	return status;
}
#include "memory_of_overlaps.inl"

DOOR( separating_translation ) {
	PLAIN;
	dbvh_separation out;
	START( out );
	const dbvh_status status =
	    dbvh_separating_translation( s->at->a, NULL, s->at->b, &s->at->pose, NULL, s->contacts, &out, NULL );
	OUT( out );
	return status;
}

// A capture of the pair.
static const char capture_file[] = "test_memory.dbvh";
static void save_capture( const scene *s ) {
	const dbvh_capture x = { .call = DBVH_CAPTURE_CALL_COLLIDE,
	                         .mesh_a = shape_view( &s->at->mesh_a ),
	                         .mesh_b = shape_view( &s->at->mesh_b ) };
	assert_int_equal( dbvh_capture_save( &x, capture_file, NULL ), DBVH_OK );
}
#include "memory_meshes.inl"
#include "memory_of_scenes.inl"

// The source of a function's memory.
typedef enum source {
	OWN,       // an allocator that is handed over, or the tree's
	WORKSPACE, // a workspace, or that of the tree where there is none
	GIVEN,     // a workspace always
	CONTACTS,
	OVERLAP,
	NONE, // nowhere: it takes none
} source;

typedef struct door {
	const char *name;
	dbvh_status ( *call )( scene *s, int variant );
	source from;
	int variants;
	size_t failures;
} door;

#define ENTRY( name, from, variants ) { "dbvh_" #name, call_##name, from, variants, 0 },
static door doors[] = {
    // clang-format off
	ENTRY( tree_build, OWN, 5 * PAIRS ) ENTRY( tree_refit, OWN, PAIRS ) ENTRY( tree_validate, OWN, 2 * PAIRS ) ENTRY( tree_open_loops, OWN, 1 )
	ENTRY( tree_save, OWN, PAIRS ) ENTRY( tree_write, OWN, PAIRS ) ENTRY( tree_load, OWN, 2 * PAIRS ) ENTRY( tree_map, OWN, 2 * PAIRS )
	ENTRY( tree_parse, OWN, 2 * PAIRS ) ENTRY( tree_borrow, OWN, 2 * PAIRS ) ENTRY( tree_get_mesh, OWN, 2 * PAIRS )
	ENTRY( tree_build_cached, OWN, PAIRS )
	ENTRY( tree_get_nodes, NONE, 1 )
	ENTRY( locate_point, NONE, 1 )
	ENTRY( workspace_create, OWN, 1 ) ENTRY( workspace_reserve, GIVEN, 1 ) ENTRY( workspace_reserve_threads, GIVEN, 1 )
	ENTRY( collide, WORKSPACE, 4 ) ENTRY( collide_cached, WORKSPACE, 4 ) ENTRY( collide_batch, WORKSPACE, 4 ) ENTRY( distance, WORKSPACE, 4 )
	ENTRY( check_clearance, WORKSPACE, 4 ) ENTRY( self_collide, WORKSPACE, 4 ) ENTRY( relate, WORKSPACE, 2 )
	ENTRY( penetration_depth, WORKSPACE, 2 ) ENTRY( penetration_along, WORKSPACE, 1 ) ENTRY( local_depth, WORKSPACE, 2 )
	ENTRY( penetration_depth_batch, WORKSPACE, 2 ) ENTRY( local_depth_batch, WORKSPACE, 2 )
	ENTRY( distance_batch, WORKSPACE, 4 ) ENTRY( check_clearance_batch, WORKSPACE, 4 ) ENTRY( relate_batch, WORKSPACE, 4 )
	ENTRY( raycast, WORKSPACE, 1 ) ENTRY( segment_cast, WORKSPACE, 1 )
	ENTRY( raycast_batch, WORKSPACE, 4 ) ENTRY( segment_cast_batch, WORKSPACE, 4 ) ENTRY( closest_point, WORKSPACE, 1 )
	ENTRY( closest_point_batch, WORKSPACE, 4 ) ENTRY( collide_shape, WORKSPACE, 1 )
	ENTRY( time_of_impact, WORKSPACE, 4 ) ENTRY( time_of_impact_batch, WORKSPACE, 4 )
	ENTRY( contacts_create, OWN, 1 ) ENTRY( contacts_find, CONTACTS, 3 ) ENTRY( overlap_extents, CONTACTS, 2 )
	ENTRY( separating_translation, CONTACTS, 1 )
	ENTRY( overlap_create, OWN, 1 ) ENTRY( overlap_find, OVERLAP, 2 ) ENTRY( local_depth_components, OVERLAP, 2 ) ENTRY( overlap_batch, WORKSPACE, 2 )
	ENTRY( mesh_create_hull, OWN, 1 ) ENTRY( mesh_create_boxes, OWN, 1 ) ENTRY( mesh_create_height_field, OWN, 1 )
	ENTRY( mesh_create, OWN, 1 ) ENTRY( mesh_parse, OWN, 4 ) ENTRY( mesh_load, OWN, 4 ) ENTRY( mesh_audit, OWN, 1 )
	ENTRY( mesh_parse_with, OWN, 2 ) ENTRY( mesh_load_with, OWN, 2 )
	ENTRY( mesh_label_components, OWN, 1 )
	ENTRY( capture_load, OWN, 1 ) ENTRY( capture_parse, OWN, 1 )
	ENTRY( scene_create, OWN, 1 ) ENTRY( scene_clone, OWN, 3 ) ENTRY( robot_create, OWN, 1 ) ENTRY( scene_add_body, OWN, 1 ) ENTRY( scene_contacts, CONTACTS, 1 )
	ENTRY( sphere_fit, OWN, 1 ) ENTRY( obb_fit, OWN, 1 ) ENTRY( ellipsoid_fit, OWN, 1 ) ENTRY( obb_pack_create, OWN, 1 )
    // clang-format on
};

// ------------------------------------------------------------------------------------------------
// Failing

typedef struct state {
	size_t live, bytes;
} state;

static state state_of( const scene *s ) {
	return ( state ){ s->books.live, s->books.bytes };
}

static void check_state( const scene *s, const door *d, int variant, state before ) {
	if ( s->books.live != before.live || s->books.bytes != before.bytes )
		printf( "%s %d: %zu blocks lost, %zu bytes\n", d->name, variant, s->books.live - before.live,
		        s->books.bytes - before.bytes );
	assert_int_equal( s->books.live, before.live );
	assert_int_equal( s->books.bytes, before.bytes );
	assert_int_equal( s->books.mistakes, 0 );
}

static void open_objects( scene *s, source from ) {
	s->workspace = NULL;
	s->contacts = NULL;
	s->overlap = NULL;
	if ( from == GIVEN )
		assert_int_equal( dbvh_workspace_create( &s->allocator, &s->workspace, NULL ), DBVH_OK );
	if ( from == CONTACTS )
		assert_int_equal( dbvh_contacts_create( &s->allocator, &s->contacts, NULL ), DBVH_OK );
	if ( from == OVERLAP )
		assert_int_equal( dbvh_overlap_create( &s->allocator, &s->overlap, NULL ), DBVH_OK );
}

static void close_objects( scene *s ) {
	dbvh_workspace_destroy( s->workspace );
	dbvh_contacts_destroy( s->contacts );
	dbvh_overlap_destroy( s->overlap );
	s->workspace = NULL;
	s->contacts = NULL;
	s->overlap = NULL;
}

static dbvh_status call( scene *s, const door *d, int variant ) {
	s->written = 0;
	return d->call( s, variant );
}

// Each request for memory fails, once alone and once with all that follow; in a short run beyond the first few only
// some.
static void fail_everywhere( scene *s, door *d, source from, int variant ) {
	static unsigned char right[sizeof s->out];
	const state before = state_of( s );
	open_objects( s, from );
	const size_t first = s->books.calls;
	assert_int_equal( call( s, d, variant ), DBVH_OK );
	const size_t calls = s->books.calls - first, size = s->written;
	memcpy( right, s->out, size );
	close_objects( s );
	check_state( s, d, variant, before );
	for ( size_t i = 0; i < 2 * calls; i += i < 16 || !is_short_run() ? 1 : 5 ) { // odd: both ways
		open_objects( s, from );
		const state opened = state_of( s );
		s->books.once = i % 2 == 0;
		s->books.fail_at = s->books.calls + 1 + i / 2;
		const dbvh_status status = call( s, d, variant );
		s->books.fail_at = 0;
		if ( status != DBVH_OUT_OF_MEMORY )
			printf( "%s %d: allocation %zu of %zu fails: %s\n", d->name, variant, i / 2, calls,
			        dbvh_status_name( status ) );
		assert_int_equal( status, DBVH_OUT_OF_MEMORY );
		for ( size_t k = 0; k < s->written; ++k ) {
			if ( s->out[k] != 0 )
				printf( "%s %d: allocation %zu of %zu fails: byte %zu of what was written is %02x\n", d->name, variant,
				        i / 2, calls, k, s->out[k] );
			assert_int_equal( s->out[k], 0 );
		}
		if ( from != GIVEN && from != CONTACTS && from != OVERLAP )
			check_state( s, d, variant, opened );
		assert_int_equal( call( s, d, variant ), DBVH_OK );
		assert_int_equal( s->written, size );
		assert_memory_equal( s->out, right, size );
		close_objects( s );
		check_state( s, d, variant, before );
		d->failures += 1;
	}
}

static void allocations_fail( void **unused ) {
	(void)unused;
	rng r = rng_announce( "memory", 1 );
	static scene s;
	s.allocator = ledger_allocator( &s.books );
	make_pairs( &s, &r );
	size_t failures = 0;
	for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i ) {
		door *d = &doors[i];
		for ( int p = 0; p < PAIRS; ++p ) {
			s.at = &s.pairs[p];
			for ( int variant = 0; variant < d->variants; ++variant ) {
				if ( ( d->call == call_tree_build || d->call == call_tree_validate || d->call == call_mesh_parse ||
				       d->call == call_mesh_load ) &&
				     p > 0 )
					continue; // inputs of their own
				if ( p > 1 && rounds( 10 ) < 4 )
					continue; // each takes long under the sanitizers
				if ( d->call == call_separating_translation && p == 2 && rounds( 1 ) < 2 )
					continue; // some seconds
				fail_everywhere( &s, d, d->from, variant );
				if ( d->from == WORKSPACE )
					fail_everywhere( &s, d, GIVEN, variant );
			}
		}
		printf( "%6zu failures: %s\n", d->failures, d->name );
		assert_true( ( d->failures > 0 ) == ( d->from != NONE ) );
		failures += d->failures;
	}
	printf( "memory: %zu failures in %zu functions\n", failures, sizeof doors / sizeof doors[0] );
	for ( int i = 0; i < PAIRS; ++i ) {
		dbvh_tree_destroy( s.pairs[i].a );
		dbvh_tree_destroy( s.pairs[i].b );
		shape_free( &s.pairs[i].mesh_a );
		shape_free( &s.pairs[i].mesh_b );
	}
	assert_int_equal( s.books.live, 0 );
	assert_int_equal( s.books.bytes, 0 );
	assert_int_equal( s.books.mistakes, 0 );
}

// ------------------------------------------------------------------------------------------------
// Taking nothing else
//
// A query of trees that are const takes memory from its workspace, or from the allocator of a tree and gives it back.
// The linker hands all that the library asks of the C library to these two (see CMakeLists.txt).

void *__real_aligned_alloc( size_t alignment, size_t size );
void *__wrap_aligned_alloc( size_t alignment, size_t size );
void *__real_realloc( void *memory, size_t size );
void *__wrap_realloc( void *memory, size_t size );
static size_t from_c_library; // counts one thread: the calls below start no others

void *__wrap_aligned_alloc( size_t alignment, size_t size ) {
	from_c_library += 1;
	return __real_aligned_alloc( alignment, size );
}

void *__wrap_realloc( void *memory, size_t size ) {
	from_c_library += 1;
	return __real_realloc( memory, size );
}

static void add_plate( shape *s, uint32_t cells, double z ) {
	for ( uint32_t i = 0; i <= cells; ++i )
		for ( uint32_t j = 0; j <= cells; ++j )
			shape_vertex( s, 2.0 * i / cells - 1.0, 2.0 * j / cells - 1.0, z );
	for ( uint32_t i = 0; i < cells; ++i )
		for ( uint32_t j = 0; j < cells; ++j ) {
			const uint32_t at = i * ( cells + 1 ) + j;
			shape_triangle( s, at, at + cells + 1, at + cells + 2 );
			shape_triangle( s, at, at + cells + 2, at + 1 );
		}
}

// Questions that floats do not answer: a plate that turns on another, at next to no gap; a mesh of another world; poses
// and rays from far away.
static void ask_hard( scene *s, const dbvh_tree *huge, int question ) {
	const dbvh_tree *a = s->at->a, *b = s->at->b;
	dbvh_pose far = dbvh_pose_identity();
	far.pos[0] = 0x1p70;
	dbvh_status status = DBVH_OK;
	if ( question == 0 ) {
		dbvh_motion turn = dbvh_motion_translation( NULL, NULL );
		turn.axis[2] = turn.angle = 1.0;
		dbvh_toi_result x;
		status = dbvh_time_of_impact( a, NULL, b, &turn, NULL, s->workspace, &x, NULL );
		assert_int_equal( x.verdict, DBVH_TOI_VERDICT_CLEAR );
		assert_true( x.counters.triangle_tests > 100 );
	} else if ( question == 1 ) {
		dbvh_collide_result x;
		status = dbvh_collide( a, NULL, huge, NULL, NULL, s->workspace, &x, NULL );
		assert_int_equal( x.verdict, DBVH_DISJOINT );
		assert_true( x.counters.sphere_tests > 0 );
	} else if ( question == 2 ) {
		dbvh_distance_result x;
		status = dbvh_distance( a, NULL, b, &far, NULL, s->workspace, &x, NULL );
		assert_true( x.found && x.distance > 0x1p69 );
	} else {
		static const double from[3] = { 0x1p200, 0.1, 0.3 }, way[3] = { -1.0, 0.0, 0.0 };
		const dbvh_ray ray = { { from[0], from[1], from[2] }, { way[0], way[1], way[2] } };
		dbvh_raycast_result x;
		status = dbvh_raycast( a, NULL, &ray, NULL, s->workspace, &x, NULL );
	}
	assert_int_equal( status, DBVH_OK );
}

// The allocator of the test takes a block of the C library for each of its own.
static size_t taken_so_far( const scene *s ) {
	return from_c_library - s->books.calls;
}

static void expect_nothing_taken( scene *s, const char *what, int variant, state before, size_t taken ) {
	if ( taken_so_far( s ) != taken )
		printf( "%s %d: takes %zu blocks of the C library\n", what, variant, taken_so_far( s ) - taken );
	assert_int_equal( taken_so_far( s ), taken );
	const state after = state_of( s );
	assert_true( after.live == before.live && after.bytes == before.bytes );
}

static void queries_take_nothing_else( void **unused ) {
	(void)unused;
	rng r = rng_announce( "const trees", 2 );
	static scene s;
	s.allocator = ledger_allocator( &s.books );
	make_pairs( &s, &r );
	pair plates = { .pose = dbvh_pose_identity() };
	add_plate( &plates.mesh_a, 12, 0.0 );
	add_plate( &plates.mesh_b, 12, 1e-9 );
	shape world = { 0 };
	shape_add_box( &world, 0x1p60, 0x1p60, 0x1p60, 2 );
	const dbvh_mesh_view world_view = shape_view( &world );
	dbvh_tree *huge = NULL;
	assert_int_equal( dbvh_tree_build( &world_view, NULL, &s.allocator, &huge, NULL ), DBVH_OK );
	// Once as they are, which keeps their reference trees, and once without.
	for ( int alone = 0; alone < 2; ++alone ) {
		for ( int p = 0; p <= PAIRS; ++p ) {
			pair *at = p < PAIRS ? &s.pairs[p] : &plates;
			const dbvh_mesh_view a = shape_view( &at->mesh_a ), b = shape_view( &at->mesh_b );
			const dbvh_tree_options options = { .thread_count = 1, .topology = alone == 0 };
			dbvh_tree_destroy( at->a );
			dbvh_tree_destroy( at->b );
			assert_int_equal( dbvh_tree_build( &a, &options, &s.allocator, &at->a, NULL ), DBVH_OK );
			assert_int_equal( dbvh_tree_build( &b, &options, &s.allocator, &at->b, NULL ), DBVH_OK );
			s.at = at;
			const state before = state_of( &s );
			for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i ) {
				const door *d = &doors[i];
				// With one thread: others have stacks of their own.
				const bool batch = strstr( d->name, "_batch" ) != NULL;
				if ( d->from != WORKSPACE && d->from != NONE )
					continue;
				for ( int variant = 0; variant < ( batch ? 2 : d->variants ); ++variant ) {
					for ( int given = 0; given < 2; ++given ) {
						const size_t taken = taken_so_far( &s );
						open_objects( &s, given == 1 ? GIVEN : WORKSPACE );
						const dbvh_status status = call( &s, d, variant );
						close_objects( &s );
						assert_true( status == DBVH_OK || alone == 1 );
						assert_true( status == DBVH_OK || status == DBVH_INVALID_ARGUMENT ||
						             status == DBVH_NO_TOPOLOGY );
						expect_nothing_taken( &s, d->name, variant, before, taken );
					}
				}
			}
			for ( int question = 0; question < 4 && p == PAIRS; ++question ) {
				const size_t taken = taken_so_far( &s );
				open_objects( &s, GIVEN );
				ask_hard( &s, huge, question );
				close_objects( &s );
				expect_nothing_taken( &s, "a hard question", question, before, taken );
			}
		}
	}
	for ( int p = 0; p <= PAIRS; ++p ) {
		pair *at = p < PAIRS ? &s.pairs[p] : &plates;
		dbvh_tree_destroy( at->a );
		dbvh_tree_destroy( at->b );
		shape_free( &at->mesh_a );
		shape_free( &at->mesh_b );
	}
	dbvh_tree_destroy( huge );
	shape_free( &world );
	assert_true( s.books.live == 0 && s.books.mistakes == 0 );
}

// ------------------------------------------------------------------------------------------------
// The table

static bool holds( const char *text, size_t length, const char *word ) {
	for ( size_t i = 0; i + strlen( word ) <= length; ++i ) {
		if ( strncmp( text + i, word, strlen( word ) ) == 0 )
			return true;
	}
	return false;
}

// Names after "DBVH_API dbvh_status" whose parameters are of the kinds above.
static size_t names_missing( const char *text, size_t *seen ) {
	static const char *const kinds[] = { "dbvh_tree *",       "dbvh_workspace *",     "dbvh_contacts *",
	                                     "dbvh_allocator *",  "dbvh_batch_options *", "dbvh_tree **",
	                                     "dbvh_workspace **", "dbvh_overlap *" };
	size_t missing = 0;
	while ( ( text = strstr( text, "\nDBVH_API dbvh_status " ) ) != NULL ) {
		text += strlen( "\nDBVH_API dbvh_status " );
		const char *end = strchr( text, ';' );
		assert_non_null( end );
		bool takes = false;
		for ( size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k )
			takes = takes || holds( text, (size_t)( end - text ), kinds[k] );
		if ( !takes )
			continue;
		size_t length = 0;
		while ( isalnum( (unsigned char)text[length] ) || text[length] == '_' )
			++length;
		bool known = false;
		for ( size_t i = 0; i < sizeof doors / sizeof doors[0]; ++i )
			known = known || ( strlen( doors[i].name ) == length && strncmp( doors[i].name, text, length ) == 0 );
		if ( !known )
			printf( "not in the table: %.*s\n", (int)length, text );
		missing += !known;
		*seen += 1;
	}
	return missing;
}

static void table_is_complete( void **unused ) {
	(void)unused;
	DIR *folder = opendir( DUALBVH_HEADERS );
	assert_non_null( folder );
	size_t seen = 0, missing = 0;
	for ( const struct dirent *e; ( e = readdir( folder ) ) != NULL; ) {
		if ( strstr( e->d_name, ".h" ) == NULL )
			continue;
		char path[1024];
		snprintf( path, sizeof path, "%s/%s", DUALBVH_HEADERS, e->d_name );
		FILE *f = fopen( path, "rb" );
		assert_non_null( f );
		static char text[1 << 20];
		text[fread( text, 1, sizeof text - 1, f )] = '\0';
		fclose( f );
		missing += names_missing( text, &seen );
	}
	closedir( folder );
	assert_int_equal( missing, 0 );
	assert_int_equal( seen, sizeof doors / sizeof doors[0] );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( table_is_complete ),
	    cmocka_unit_test( allocations_fail ),
	    cmocka_unit_test( queries_take_nothing_else ),
	};
	return test_main( argc, argv, tests );
}
