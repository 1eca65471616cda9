// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// dbvh_tree_build() and dbvh_tree_destroy(): the steps of a build, and the end of a tree.

#include "base/alloc.h"
#include "base/fpenv.h"
#include "base/status.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/fast.h"
#include "bvh/builder/trial.h"
#include "bvh/ellipsoid/ellipsoids.h"
#include "bvh/packed/pack.h"
#include "bvh/tree.h"
#include "mesh/view.h"

#include <string.h>

dbvh_tree_options dbvh_tree_options_default( void ) {
	return ( dbvh_tree_options ){ .leaf_size = 0 };
}

static bool take_triangles( dbvh_tree *tree ) {
	tree->corners = dbvhi_alloc( &tree->allocator, 9 * tree->triangle_count, sizeof( double ) );
	tree->triangle = dbvhi_alloc( &tree->allocator, tree->triangle_count, sizeof( uint32_t ) );
	return tree->corners != NULL && tree->triangle != NULL;
}

static void free_triangles( dbvh_tree *tree ) {
	dbvhi_tree_free( tree, tree->corners, 9 * tree->triangle_count, sizeof( double ) );
	dbvhi_tree_free( tree, tree->triangle, tree->triangle_count, sizeof( uint32_t ) );
	dbvhi_tree_free( tree, tree->fragment, tree->triangle_count, sizeof( uint32_t ) );
	tree->fragment = NULL;
	tree->corners = NULL;
	tree->triangle = NULL;
}

// Leaves duplicate triangles out. (*first_out)[i] is the lowest twin of triangle i; NULL if there are no twins. The
// search uses the memory that later holds the triangles.
static dbvh_status leave_twins_out( dbvh_tree *tree, const dbvh_mesh_view *view, uint32_t **first_out ) {
	const size_t count = tree->mesh_triangle_count;
	// note: the table takes at most four words a triangle, and corners have nine.
	uint64_t *table = (uint64_t *)(void *)tree->corners;
	const size_t distinct = dbvhi_twins_find( view, count, table, tree->triangle );
	if ( distinct == count )
		return DBVH_OK;
	*first_out = tree->triangle;
	tree->triangle = NULL;
	free_triangles( tree );
	tree->triangle_count = distinct;
	return take_triangles( tree ) ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

static dbvh_status add_topology( dbvh_tree *tree, const dbvh_mesh_view *view ) {
	tree->topology = dbvhi_topology_create( view, &tree->allocator, NULL );
	tree->leaf = dbvhi_alloc( &tree->allocator, tree->mesh_triangle_count, sizeof *tree->leaf );
	if ( tree->topology == NULL || tree->leaf == NULL )
		return DBVH_OUT_OF_MEMORY;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		uint32_t twin_count;
		const uint32_t *twins = dbvhi_tree_twins( tree, (uint32_t)i, &twin_count );
		for ( uint32_t k = 0; k < twin_count; ++k )
			tree->leaf[twins[k]] = (uint32_t)i;
	}
	return DBVH_OK;
}

bool dbvhi_options_keep_reference( const dbvh_tree_options *o ) {
	return o->reference || o->topology || o->ellipsoids != DBVH_ELLIPSOIDS_NONE || o->leaf_size > 1 ||
	       o->box_fit != DBVH_BOX_FIT_BEST || o->split != DBVH_SPLIT_COST || o->sphere_fit == DBVH_NODE_SPHERE_RITTER;
}

// True if the options allow fragments: the default tree only, since others are there to be compared with publications.
bool dbvhi_options_may_divide( const dbvh_tree_options *o ) {
	return o->fragments != DBVH_FRAGMENTS_NONE && o->box_fit == DBVH_BOX_FIT_BEST && o->split == DBVH_SPLIT_COST &&
	       !( o->fragments == DBVH_FRAGMENTS_FEW && o->quality == DBVH_QUALITY_FAST ) &&
	       o->sphere_fit != DBVH_NODE_SPHERE_RITTER && o->leaf_size == 1;
}

// Chooses fragments and makes room for them, if any triangles are to be divided. `first` as from leave_twins_out().
static dbvh_status divide_triangles( dbvh_tree *tree, const dbvh_mesh_view *view, const uint32_t *first,
                                     dbvhi_fragment_rule rule, dbvhi_fragment **fragments_out ) {
	size_t count = 0;
	const dbvh_status status =
	    dbvhi_fragments_choose( view, first, tree->triangle_count, rule, &tree->allocator, fragments_out, &count );
	if ( status != DBVH_OK || *fragments_out == NULL )
		return status;
	free_triangles( tree );
	tree->triangle_count = count;
	tree->fragment = dbvhi_alloc( &tree->allocator, count, sizeof *tree->fragment );
	return take_triangles( tree ) && tree->fragment != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
}

// How a tree is built.
typedef struct manner {
	const dbvhi_fragment_rule *rule; // rule of fragments; NULL: all triangles stay whole
	bool only_divided;               // build nothing if the rule divides no triangle
	bool reference;                  // keep the reference tree
} manner;

// Builds the tree over distinct triangles, and the lists of twins.
static dbvh_status build_distinct( dbvh_tree *tree, const dbvh_mesh_view *view, manner how ) {
	if ( !take_triangles( tree ) )
		return DBVH_OUT_OF_MEMORY;
	uint32_t *first = NULL;
	dbvh_status status = leave_twins_out( tree, view, &first );
	dbvhi_fragment *fragments = NULL;
	if ( status == DBVH_OK && how.rule != NULL )
		status = divide_triangles( tree, view, first, *how.rule, &fragments );
	const bool is_wanted = status == DBVH_OK && ( fragments != NULL || !how.only_divided );
	const bool is_packed_alone = is_wanted && !how.reference;
	if ( is_packed_alone && fragments == NULL && tree->options.quality == DBVH_QUALITY_FAST )
		status = dbvhi_build_fast( tree, view, first );
	if ( is_packed_alone && status == DBVH_OK && tree->packed == NULL )
		status = dbvhi_build_packed( tree, view, first, fragments );
	if ( is_wanted && status == DBVH_OK && tree->packed == NULL )
		status = dbvhi_build_reference( tree, view, first, fragments );
	dbvhi_free( &tree->allocator, fragments, tree->triangle_count, sizeof *fragments );
	if ( is_wanted && status == DBVH_OK && first != NULL ) {
		tree->twins = dbvhi_twins_create( first, tree->mesh_triangle_count, tree->triangle, tree->triangle_count,
		                                  &tree->allocator );
		status = tree->twins != NULL ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	}
	dbvhi_free( &tree->allocator, first, tree->mesh_triangle_count, sizeof *first );
	return status;
}

// Frees topology and twins. In a tree with a backing, their arrays lie there, but the structures and the components
// have memory of their own.
static void free_parts( dbvh_tree *tree ) {
	if ( tree->backing.bytes == NULL ) {
		dbvhi_topology_destroy( tree->topology, &tree->allocator );
		dbvhi_twins_destroy( tree->twins, &tree->allocator );
		return;
	}
	if ( tree->topology != NULL )
		dbvhi_free( &tree->allocator, tree->topology->components, tree->topology->component_count,
		            sizeof *tree->topology->components );
	dbvhi_free( &tree->allocator, tree->topology, 1, sizeof *tree->topology );
	dbvhi_free( &tree->allocator, tree->twins, 1, sizeof *tree->twins );
}

void dbvh_tree_destroy( dbvh_tree *tree ) {
	if ( tree == NULL )
		return;
	const dbvh_allocator allocator = tree->allocator;
	const dbvhi_backing backing = tree->backing;
	if ( tree->packed != NULL )
		dbvhi_tree_free( tree, tree->packed, tree->packed->bytes, 1 );
	free_parts( tree );
	dbvhi_tree_free( tree, tree->ellipsoids, tree->ellipsoid_capacity, sizeof *tree->ellipsoids );
	dbvhi_tree_free( tree, tree->ellipsoid_wanted, tree->node_count / 64 + 1, sizeof *tree->ellipsoid_wanted );
	dbvhi_tree_free( tree, tree->ellipsoid_at, tree->node_count, sizeof *tree->ellipsoid_at );
	dbvhi_tree_free( tree, tree->leaf, tree->mesh_triangle_count, sizeof *tree->leaf );
	dbvhi_tree_free( tree, tree->nodes, tree->node_capacity, sizeof( dbvhi_node ) );
	dbvhi_tree_free( tree, tree->vertices, 3 * tree->vertex_count, sizeof *tree->vertices );
	dbvhi_tree_free( tree, tree->corner, 3 * tree->triangle_count, sizeof *tree->corner );
	free_triangles( tree );
	dbvhi_free( &allocator, tree, 1, sizeof *tree );
	if ( backing.bytes != NULL && backing.release != NULL )
		backing.release( &allocator, backing.bytes, backing.size );
}

// Builds a tree without derived parts. *tree_out is to be destroyed whatever is returned.
static dbvh_status build_one( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                              const dbvh_allocator *allocator, manner how, dbvh_tree **tree_out ) {
	dbvh_tree *tree = dbvhi_alloc( allocator, 1, sizeof *tree );
	*tree_out = tree;
	if ( tree == NULL )
		return DBVH_OUT_OF_MEMORY;
	memset( tree, 0, sizeof *tree );
	tree->allocator = *allocator;
	tree->options = *options;
	tree->mesh_triangle_count = tree->triangle_count = dbvhi_view_triangle_count( view );
	return build_distinct( tree, view, how );
}

// Fragment rules to try, the most fragments first. docs/design/fragments.md has their gains.
static const dbvhi_fragment_rule rules[] = {
    { 2.0, 3.0, 1.0 }, { 2.0, 2.0, 1.0 }, { 8.0, 1.5, 1.0 }, { 32.0, 1.5, 1.0 }, { 32.0, 1.25, 1.0 } };

// The rule of DBVH_FRAGMENTS_FEW: triangles so much longer than wide that hardly any machine part has them, a tenth
// more triangles at most, and only if it removes much of the squared lengths. Without the last condition, machine parts
// lose as often as they gain.
static const dbvhi_fragment_rule few = { 512.0, 1.1, 0.7 };

// Finds the rule that makes sample queries cheapest; NULL if none does.
static dbvh_status find_rule( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                              const dbvh_allocator *allocator, const dbvhi_fragment_rule **rule_out ) {
	dbvhi_trial trial;
	dbvh_tree *plain = NULL;
	dbvh_status status = DBVH_OK;
	*rule_out = NULL;
	for ( size_t i = 0; i < sizeof rules / sizeof rules[0] && status == DBVH_OK; ++i ) {
		dbvh_tree *next = NULL;
		bool better = false, divided = false;
		status = build_one( view, options, allocator, ( manner ){ &rules[i], true, true }, &next );
		divided = status == DBVH_OK && next->fragment != NULL;
		if ( divided && plain == NULL ) {
			status = build_one( view, options, allocator, ( manner ){ .reference = true }, &plain );
			if ( status == DBVH_OK )
				status = dbvhi_trial_begin( &trial, plain );
		}
		if ( divided && status == DBVH_OK )
			status = dbvhi_trial_compare( &trial, next, &better );
		if ( better )
			*rule_out = &rules[i];
		dbvh_tree_destroy( next );
		if ( !divided )
			break; // a stricter rule would not either
	}
	dbvh_tree_destroy( plain );
	return status;
}

static dbvh_status check_value( unsigned value, unsigned last, const char *name, const char *type, dbvh_error *error ) {
	return value <= last
	           ? DBVH_OK
	           : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.%s is %u, which is no %s", name, value, type );
}

dbvh_status dbvhi_tree_options_check( const dbvh_tree_options *o, dbvh_error *error ) {
	if ( o->leaf_size > 64 )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.leaf_size is %u; it must be at most 64",
		                        (unsigned)o->leaf_size );
	dbvh_status status = check_value( o->sphere_fit, DBVH_NODE_SPHERE_RITTER, "sphere_fit", "dbvh_node_sphere", error );
	if ( status == DBVH_OK )
		status = check_value( o->box_fit, DBVH_BOX_FIT_RAPID, "box_fit", "dbvh_box_fit", error );
	if ( status == DBVH_OK )
		status = check_value( o->split, DBVH_SPLIT_VARIANCE, "split", "dbvh_split", error );
	if ( status == DBVH_OK )
		status = check_value( o->fill, DBVH_FILL_RULE_EVEN_ODD, "fill", "dbvh_fill_rule", error );
	if ( status == DBVH_OK )
		status = check_value( o->quality, DBVH_QUALITY_FAST, "quality", "dbvh_quality", error );
	if ( status == DBVH_OK )
		status = check_value( o->ellipsoids, DBVH_ELLIPSOIDS_ALL, "ellipsoids", "dbvh_ellipsoids", error );
	if ( status == DBVH_OK )
		status = check_value( o->fragments, DBVH_FRAGMENTS_NONE, "fragments", "dbvh_fragments", error );
	if ( status == DBVH_OK && !DBVHI_POLICIES && o->ellipsoids != DBVH_ELLIPSOIDS_NONE )
		status = dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "options.ellipsoids: this build has none" );
	// note: ellipsoids are scaled by half.v[2] as the longest extent, which RAPID's boxes do not guarantee.
	if ( status == DBVH_OK && o->box_fit == DBVH_BOX_FIT_RAPID && o->ellipsoids != DBVH_ELLIPSOIDS_NONE )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
		                        "options.ellipsoids: there are none with DBVH_BOX_FIT_RAPID" );
	return status;
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_build( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                                                    const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                                    dbvh_error *error ) {
	DBVHI_TRY( dbvhi_answer_clear( tree_out, sizeof *tree_out, "tree_out", error ) );
	dbvh_tree_options chosen = options != NULL ? *options : dbvh_tree_options_default();
	dbvh_status status = dbvhi_tree_options_check( &chosen, error );
	chosen.leaf_size = chosen.leaf_size > 0 ? chosen.leaf_size : 1;
	if ( status == DBVH_OK )
		status = dbvh_mesh_view_check( view, error );
	if ( status != DBVH_OK )
		return status;

	dbvh_allocator a;
	status = dbvhi_allocator_take( allocator, &a, error );
	if ( status != DBVH_OK )
		return status;
	dbvh_tree *tree = NULL;
	const dbvhi_fragment_rule *rule = chosen.fragments == DBVH_FRAGMENTS_ALL ? &rules[0] : &few;
	if ( !dbvhi_options_may_divide( &chosen ) )
		rule = NULL;
	else if ( chosen.fragments == DBVH_FRAGMENTS_CHOSEN )
		status = find_rule( view, &chosen, &a, &rule );
	if ( status == DBVH_OK ) {
		const manner how = { .rule = rule, .reference = dbvhi_options_keep_reference( &chosen ) };
		status = build_one( view, &chosen, &a, how, &tree );
	}
	if ( status == DBVH_OK && chosen.topology )
		status = add_topology( tree, view );
	if ( status == DBVH_OK && DBVHI_POLICIES && chosen.ellipsoids != DBVH_ELLIPSOIDS_NONE )
		status = dbvhi_add_ellipsoids( tree );
	if ( status == DBVH_OK && tree->packed == NULL )
		status = dbvhi_pack( tree, dbvhi_thread_count( chosen.thread_count ), &tree->packed );
	if ( status != DBVH_OK ) {
		dbvh_tree_destroy( tree );
		return dbvhi_error_status( error, status );
	}
	dbvhi_tree_set_packed( tree, tree->packed, tree->packed != NULL ? (size_t)tree->packed->bytes : 0 );
	dbvhi_root_box_align( tree );
	*tree_out = tree;
	return DBVH_OK;
}

dbvh_status dbvh_tree_build( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                             const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_build( view, options, allocator, tree_out, error ) );
}
