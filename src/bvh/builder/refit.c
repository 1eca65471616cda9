// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Refits a tree whose vertices have moved.
//
// The points are loaded, the sharing of vertices is checked, the root's volumes are fitted to all points, and then
// those of all nodes (refit.h).
//
// Measurements are in doubles, relative to the new centre of the tree. With u = 2^-53, P the size of a position and C
// that of the centre, a difference to the centre is off by u ( P + C ), a projection by 4 u P more, and centres and
// offsets consist of these. Extents and radii are enlarged by 64 u ( P + C + R ), more than the sum of all these
// errors.

#include "bvh/builder/refit.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "base/fpenv.h"
#include "base/inline.h"
#include "base/parallel.h"
#include "base/status.h"
#include "bvh/builder/builder.h"
#include "bvh/builder/fit.h"
#include "bvh/packed/pack.h"
#include "mesh/view.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define CHUNK 4096 // triangles, or points, of a task
#define AHEAD 24   // distance of prefetching, in triangles

typedef struct refit {
	dbvh_tree *tree;
	const dbvh_mesh_view *view;
	const dbvhi_refit_isa *isa;
	uint32_t thread_count;
	double *x[3];          // moved points
	uint32_t *first_point; // by leaf index, and one more: number of points that smaller leaf indices use
	uint32_t *lowest;      // by group of leaf indices: lowest point used
	// Results of chunks, combined afterwards:
	double ( *reached )[8];
	size_t wrong; // lowest triangle whose corners are no longer shared, SIZE_MAX if none
	size_t *wrong_in;
	uint64_t *hash_of;
	dbvhi_node root;
	double largest;
	dbvhi_refit_nodes nodes;
	uint64_t hash;
} refit;

static size_t chunks_of( size_t count ) {
	return ( count + CHUNK - 1 ) / CHUNK;
}

// ------------------------------------------------------------------------------------------------
// Sharing of points

#define GROUP DBVHI_REFIT_GROUP

static size_t groups_of( const dbvh_tree *tree ) {
	return ( tree->triangle_count + GROUP - 1 ) / GROUP;
}

static void count_points( refit *r ) {
	const dbvh_tree *tree = r->tree;
	uint32_t next = 0;
	for ( size_t i = 0; i < groups_of( tree ); ++i )
		r->lowest[i] = UINT32_MAX;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		r->first_point[i] = next;
		const uint32_t *c = tree->corner + 3 * i;
		const uint32_t least = c[0] < c[1] ? c[0] : c[1], low = least < c[2] ? least : c[2];
		for ( size_t k = 0; k < 3; ++k )
			next = c[k] >= next ? c[k] + 1 : next;
		r->lowest[i / GROUP] = low < r->lowest[i / GROUP] ? low : r->lowest[i / GROUP];
	}
	r->first_point[tree->triangle_count] = next;
	DBVHI_ASSERT( next == tree->vertex_count );
}

// ------------------------------------------------------------------------------------------------
// The points

static bool is_at( const refit *r, uint32_t point, const double p[3] ) {
	return r->x[0][point] == p[0] && r->x[1][point] == p[1] && r->x[2][point] == p[2];
}

// Loads a chunk of leaf indices: stores the points that it uses first, compares later uses within the chunk, and hashes
// the triangles.
DBVHI_INLINE void load_chunk( const refit *r, const dbvh_mesh_view *view, size_t index ) {
	const dbvh_tree *tree = r->tree;
	const size_t first = index * CHUNK, count = tree->triangle_count;
	const size_t end = first + CHUNK < count ? first + CHUNK : count;
	uint32_t next = r->first_point[first];
	const uint32_t before = next;
	dbvhi_hash_kernel *const kernel = dbvhi_hash_table[dbvhi_isa_level()];
	dbvhi_hash_batch batch;
	size_t batched = 0;
	uint64_t hash = 0;
	size_t wrong = SIZE_MAX;
	for ( size_t i = first; i < end; ++i ) {
		uint32_t corner[3];
		double *p = batch.corners[batched];
		const size_t number = tree->triangle[i];
		if ( i + AHEAD < count ) {
			dbvhi_view_expect_triangle( view, tree->triangle[i + AHEAD] );
			dbvhi_view_expect_vertices( view, tree->triangle[i + AHEAD / 2] );
		}
		dbvhi_view_triangle( view, number, corner );
		for ( size_t k = 0; k < 3; ++k ) {
			const uint32_t point = tree->corner[3 * i + k];
			dbvhi_view_vertex( view, corner[k], p + 3 * k );
			if ( point == next ) {
				for ( size_t j = 0; j < 3; ++j )
					r->x[j][next] = p[3 * k + j];
				next += 1;
			} else if ( point >= before && !is_at( r, point, p + 3 * k ) && number < wrong ) {
				wrong = number;
			}
		}
		batch.number[batched++] = (uint32_t)number;
		if ( batched == DBVHI_HASH_BATCH || i + 1 == end ) {
			hash += kernel( &batch, batched );
			batched = 0;
		}
	}
	r->wrong_in[index] = wrong;
	r->hash_of[index] = hash;
}

static void load_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	const refit *r = context;
	if ( dbvhi_view_is_plain( r->view ) ) {
		const dbvh_mesh_view plain = dbvhi_view_plain( r->view );
		load_chunk( r, &plain, index );
	} else {
		load_chunk( r, r->view, index );
	}
}

// Compares the points that a chunk shares with earlier chunks.
static void compare_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	const refit *r = context;
	const dbvh_tree *tree = r->tree;
	const size_t first = index * CHUNK, count = tree->triangle_count;
	const uint32_t before = r->first_point[first];
	for ( size_t i = first; i < first + CHUNK && i < count; ++i ) {
		if ( r->lowest[i / GROUP] >= before ) {
			i |= GROUP - 1; // skip the rest of the group
			continue;
		}
		const uint32_t *point = tree->corner + 3 * i;
		if ( point[0] >= before && point[1] >= before && point[2] >= before )
			continue;
		uint32_t corner[3];
		dbvhi_view_triangle( r->view, tree->triangle[i], corner );
		for ( size_t k = 0; k < 3; ++k ) {
			double p[3];
			dbvhi_view_vertex( r->view, corner[k], p );
			if ( point[k] < before && !is_at( r, point[k], p ) && tree->triangle[i] < r->wrong_in[index] )
				r->wrong_in[index] = tree->triangle[i];
		}
	}
}

// True if every twin still has the corners of its kept triangle, in any order. Adds the hashes of the twins.
static bool compare_twins( refit *r ) {
	const dbvhi_twins *t = r->tree->twins;
	for ( uint32_t i = 0; t != NULL && i < t->leaf_index_count; ++i ) {
		for ( uint32_t n = t->begin[i] + 1; n < t->begin[i + 1]; ++n ) {
			uint32_t corner[3];
			double p[9];
			unsigned taken = 0;
			dbvhi_view_triangle( r->view, t->number[n], corner );
			for ( size_t k = 0; k < 3; ++k )
				dbvhi_view_vertex( r->view, corner[k], p + 3 * k );
			r->hash += dbvhi_mesh_hash_triangle( t->number[n], p );
			for ( size_t k = 0; k < 3; ++k ) {
				unsigned j = 0;
				while ( j < 3 &&
				        ( ( taken >> j & 1 ) != 0 || !is_at( r, r->tree->corner[3 * i + k], p + 3 * (size_t)j ) ) )
					j += 1;
				taken |= 1u << j;
			}
			if ( taken != 7 ) {
				r->wrong = t->number[n];
				return false;
			}
		}
	}
	return true;
}

static dbvhi_points points_in( const refit *r, size_t first, size_t end ) {
	return ( dbvhi_points ){ r->x[0] + first, r->x[1] + first, r->x[2] + first, end - first };
}

// ------------------------------------------------------------------------------------------------
// The root

static void root_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, end = first + CHUNK, count = r->tree->vertex_count;
	const dbvhi_points points = points_in( r, first, end < count ? end : count );
	double *out = r->reached[index], low[3], high[3];
	for ( int k = 0; k < 3; ++k ) {
		low[k] = INFINITY;
		high[k] = -INFINITY;
	}
	r->isa->reach( &points, r->root.rot.m, r->root.pos.v, low, high );
	for ( int k = 0; k < 3; ++k ) {
		out[k] = low[k];
		out[3 + k] = high[k];
	}
	out[6] = r->isa->farthest( &points, r->root.sphere_outside.v, 0.0 );
	out[7] = 0.0;
	for ( size_t i = 0; i < points.count; ++i )
		out[7] = dbvhi_larger(
		    out[7], dbvhi_larger( dbvhi_larger( fabs( points.x[i] ), fabs( points.y[i] ) ), fabs( points.z[i] ) ) );
}

static void measure_root( refit *r, double out[8] ) {
	const size_t chunks = chunks_of( r->tree->vertex_count );
	dbvhi_parallel_for( chunks, 1, r->thread_count, root_task, r );
	memcpy( out, r->reached[0], 8 * sizeof out[0] );
	for ( size_t i = 1; i < chunks; ++i ) {
		for ( int k = 0; k < 3; ++k )
			out[k] = fmin( out[k], r->reached[i][k] );
		for ( int k = 3; k < 8; ++k )
			out[k] = dbvhi_larger( out[k], r->reached[i][k] );
	}
}

// Returns where the sphere's centre goes along an axis of its box, from the box's centre: it keeps its relative
// position.
static double carried( double place, double half, double half_now ) {
	const double part = half > 0.0 ? place / half : 0.0;
	return ( part < -1.0 ? -1.0 : part > 1.0 ? 1.0 : part ) * half_now;
}

// Moves the root to the middle of the measured extents, unless it is nearer than `at_least` of its size.
static bool centre_root( refit *r, const double found[8], double at_least ) {
	const dbvhi_node *before = &r->tree->root;
	dbvhi_node *root = &r->root;
	dbvhi_vec middle, ball;
	double away = 0.0, size = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double half = 0.5 * found[3 + k] - 0.5 * found[k];
		middle.v[k] = 0.5 * found[k] + 0.5 * found[3 + k];
		ball.v[k] = carried( before->sphere_inside.v[k], before->half.v[k], half );
		away = dbvhi_larger( away, fabs( middle.v[k] ) );
		size = dbvhi_larger( size, half );
	}
	if ( !( away >= at_least * size ) )
		return false;
	root->pos = dbvhi_add( root->pos, dbvhi_mat_apply( &root->rot, middle ) );
	root->sphere_outside = dbvhi_add( root->pos, dbvhi_mat_apply( &root->rot, ball ) );
	root->sphere_inside = ball;
	return true;
}

// Fits the root along its old axes: measured from the old centre, then from the new one, and again if the mesh was so
// far from the old centre that rounding has misplaced the new one. False where floats would not do.
static bool fit_root( refit *r ) {
	dbvhi_node *root = &r->root;
	*root = r->tree->root;
	double found[8], half[3];
	measure_root( r, found );
	r->largest = found[7];
	bool moved = centre_root( r, found, 0.0 );
	for ( int i = 0; i < 3 && moved; ++i ) {
		measure_root( r, found );
		moved = i < 2 && centre_root( r, found, 0x1p-10 );
	}
	double sum = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		half[k] = dbvhi_larger( -found[k], found[3 + k] );
		sum += half[k];
	}
	for ( int k = 0; k < 3; ++k )
		half[k] += 6.0 * dbvhi_projection_error( sum );
	// Order extents ascending; the frame keeps its handedness.
	for ( int pass = 0; pass < 2; ++pass ) {
		for ( int k = 0; k < 2; ++k ) {
			if ( !( half[k] > half[k + 1] ) )
				continue;
			const double swapped = half[k];
			half[k] = half[k + 1];
			half[k + 1] = swapped;
			for ( int i = 0; i < 3; ++i ) {
				const double column = root->rot.m[i][k];
				root->rot.m[i][k] = root->rot.m[i][k + 1];
				root->rot.m[i][k + 1] = -column;
			}
			const double place = root->sphere_inside.v[k];
			root->sphere_inside.v[k] = root->sphere_inside.v[k + 1];
			root->sphere_inside.v[k + 1] = -place;
		}
	}
	memcpy( root->half.v, half, sizeof half );
	root->radius = sqrt( found[6] ) * ( 1.0 + 16.0 * 0x1p-53 ) + 0x1p-500;
	return dbvhi_packed_holds( r->largest, root->radius );
}

// ------------------------------------------------------------------------------------------------
// Nodes

// Stores the moved vertices, and makes the working points relative to the centre.
static void settle_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, count = r->tree->vertex_count;
	for ( size_t i = first; i < first + CHUNK && i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k ) {
			r->tree->vertices[3 * i + k] = r->x[k][i];
			r->x[k][i] -= r->nodes.packer.centre[k];
		}
	}
}

static void refit_nodes( refit *r ) {
	dbvh_tree *tree = r->tree;
	dbvhi_packed *packed = tree->packed;
	dbvhi_refit_nodes *nodes = &r->nodes;
	memcpy( nodes->packer.centre, r->root.pos.v, sizeof nodes->packer.centre );
	nodes->packer.root_radius = r->root.radius;
	nodes->packer.vertices = tree->vertices;
	nodes->packer.corner = tree->corner;
	for ( int k = 0; k < 3; ++k )
		nodes->x[k] = r->x[k];
	dbvhi_parallel_for( chunks_of( tree->vertex_count ), 1, r->thread_count, settle_task, r );
	dbvhi_refit_nodes_run( nodes );
	packed->extent = nodes->extent * ( 1.0 + 0x1p-20 );
	packed->unit = dbvhi_packed_unit( packed->extent );
	packed->content_hash = r->hash;
	memcpy( packed->centre, nodes->packer.centre, sizeof packed->centre );
	tree->root = r->root;
	tree->largest = r->largest;
	tree->hash = r->hash;
	tree->keeps_order = true;
}

// ------------------------------------------------------------------------------------------------

static bool take_memory( refit *r ) {
	const dbvh_tree *tree = r->tree;
	const dbvh_allocator *a = &tree->allocator;
	const size_t most = tree->mesh_triangle_count > tree->vertex_count ? tree->mesh_triangle_count : tree->vertex_count;
	bool taken = true;
	for ( int k = 0; k < 3; ++k )
		taken = ( r->x[k] = dbvhi_alloc( a, tree->vertex_count, sizeof( double ) ) ) != NULL && taken;
	r->first_point = dbvhi_alloc( a, tree->triangle_count + 1, sizeof *r->first_point );
	r->reached = dbvhi_alloc( a, chunks_of( most ), sizeof *r->reached );
	r->wrong_in = dbvhi_alloc( a, chunks_of( most ), sizeof *r->wrong_in );
	r->hash_of = dbvhi_alloc( a, chunks_of( most ), sizeof *r->hash_of );
	r->lowest = dbvhi_alloc( a, groups_of( tree ), sizeof *r->lowest );
	r->nodes = ( dbvhi_refit_nodes ){
	    .tree = r->tree, .first_point = r->first_point, .lowest = r->lowest, .thread_count = r->thread_count };
	return dbvhi_refit_nodes_take( &r->nodes ) && taken && r->first_point != NULL && r->reached != NULL &&
	       r->wrong_in != NULL && r->hash_of != NULL && r->lowest != NULL;
}

static void free_memory( refit *r ) {
	const dbvh_tree *tree = r->tree;
	const dbvh_allocator *a = &tree->allocator;
	const size_t most = tree->mesh_triangle_count > tree->vertex_count ? tree->mesh_triangle_count : tree->vertex_count;
	for ( int k = 0; k < 3; ++k )
		dbvhi_free( a, r->x[k], tree->vertex_count, sizeof( double ) );
	dbvhi_free( a, r->first_point, tree->triangle_count + 1, sizeof *r->first_point );
	dbvhi_free( a, r->reached, chunks_of( most ), sizeof *r->reached );
	dbvhi_free( a, r->wrong_in, chunks_of( most ), sizeof *r->wrong_in );
	dbvhi_free( a, r->hash_of, chunks_of( most ), sizeof *r->hash_of );
	dbvhi_free( a, r->lowest, groups_of( tree ), sizeof *r->lowest );
	dbvhi_refit_nodes_free( &r->nodes );
}

// Loads the points, and checks that they are still shared as before.
static dbvh_status load( refit *r, dbvh_error *error ) {
	const size_t chunks = chunks_of( r->tree->triangle_count );
	if ( !dbvhi_refit_nodes_find( &r->nodes ) )
		return dbvhi_error_set( error, DBVH_INVARIANT, "the packed form has a node before its parent" );
	count_points( r );
	dbvhi_parallel_for( chunks, 1, r->thread_count, load_task, r );
	dbvhi_parallel_for( chunks, 1, r->thread_count, compare_task, r );
	r->wrong = SIZE_MAX;
	r->hash = 0;
	for ( size_t i = 0; i < chunks; ++i ) {
		r->wrong = r->wrong_in[i] < r->wrong ? r->wrong_in[i] : r->wrong;
		r->hash += r->hash_of[i];
	}
	const bool apart = r->wrong != SIZE_MAX;
	if ( !apart && compare_twins( r ) ) {
		r->hash = dbvhi_mesh_hash_whole( r->hash, r->tree->mesh_triangle_count );
		return DBVH_OK;
	}
	if ( error != NULL )
		error->element = (int64_t)r->wrong;
	return apart ? dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                                "triangle %zu has a corner that another triangle shared, and no longer does",
	                                r->wrong )
	             : dbvhi_error_set( error, DBVH_INVALID_ARGUMENT,
	                                "triangle %zu was the same as another, and no longer is", r->wrong );
}

// Copies the arrays to be written out of the tree's backing, which may be a shared mapping.
static bool take_over( dbvh_tree *tree ) {
	if ( tree->backing.bytes == NULL || tree->is_taken_over )
		return true;
	const dbvh_allocator *a = &tree->allocator;
	const size_t vertices = 3 * tree->vertex_count;
	double *own = dbvhi_alloc( a, vertices, sizeof *own );
	dbvhi_packed *packed = dbvhi_alloc( a, tree->packed_bytes, 1 );
	if ( own == NULL || packed == NULL ) {
		dbvhi_free( a, own, vertices, sizeof *own );
		dbvhi_free( a, packed, tree->packed_bytes, 1 );
		return false;
	}
	memcpy( own, tree->vertices, vertices * sizeof *own );
	memcpy( packed, tree->packed, tree->packed_bytes );
	tree->vertices = own;
	tree->packed = packed;
	tree->is_taken_over = true;
	return true;
}

static refit start( dbvh_tree *tree, const dbvh_mesh_view *view ) {
	return ( refit ){ .tree = tree,
	                  .view = view,
	                  .isa = dbvhi_refit_table[dbvhi_isa_level()],
	                  .thread_count = dbvhi_builder_threads( tree->triangle_count,
	                                                         dbvhi_thread_count( tree->options.thread_count ) ) };
}

// Rebuilds a tree that cannot be refitted. With a reference tree or fragments, every node and everything derived from
// nodes (ellipsoids), points (topology) or shapes (fragments) would have to follow, which is most of a build. A block
// in a unit of its own, before or after, is rare.
static dbvh_status build_anew( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	dbvh_tree *built;
	DBVHI_TRY( dbvh_tree_build( view, &tree->options, &tree->allocator, &built, error ) );
	const dbvh_tree before = *tree;
	*tree = *built;
	*built = before;
	dbvh_tree_destroy( built );
	return DBVH_OK;
}

static dbvh_status refit_moved( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	refit r = start( tree, view );
	dbvh_status status = take_memory( &r ) ? load( &r, error ) : dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	const bool holds = status == DBVH_OK && fit_root( &r );
	if ( holds && !take_over( tree ) )
		status = dbvhi_error_status( error, DBVH_OUT_OF_MEMORY );
	if ( holds && status == DBVH_OK )
		refit_nodes( &r );
	free_memory( &r );
	return status == DBVH_OK && !holds ? build_anew( tree, view, error ) : status;
}

static void hash_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, count = r->tree->mesh_triangle_count;
	r->hash_of[index] = dbvhi_mesh_hash_part( r->view, first, first + CHUNK < count ? first + CHUNK : count );
}

static void own_vertices_task( void *context, size_t index, uint32_t thread ) {
	(void)thread;
	refit *r = context;
	const size_t first = index * CHUNK, count = r->tree->vertex_count;
	for ( size_t i = first; i < first + CHUNK && i < count; ++i ) {
		for ( size_t k = 0; k < 3; ++k )
			r->x[k][i] = r->tree->vertices[3 * i + k];
	}
}

dbvh_status dbvhi_refit_first( dbvh_tree *tree, const dbvh_mesh_view *view ) {
	refit r = start( tree, view );
	const bool taken = take_memory( &r ) && dbvhi_refit_nodes_find( &r.nodes );
	dbvh_status status = taken ? DBVH_OK : DBVH_OUT_OF_MEMORY;
	if ( taken ) {
		const size_t chunks = chunks_of( tree->mesh_triangle_count );
		count_points( &r );
		dbvhi_parallel_for( chunks_of( tree->vertex_count ), 1, r.thread_count, own_vertices_task, &r );
		dbvhi_parallel_for( chunks, 1, r.thread_count, hash_task, &r );
		for ( size_t i = 0; i < chunks; ++i )
			r.hash += r.hash_of[i];
		r.hash = dbvhi_mesh_hash_whole( r.hash, tree->mesh_triangle_count );
		status = fit_root( &r ) ? DBVH_OK : DBVH_LIMIT;
	}
	if ( status == DBVH_OK )
		refit_nodes( &r );
	free_memory( &r );
	return status;
}

static _Atomic uint64_t refits;

uint64_t dbvhi_tree_refits( void ) {
	return atomic_load( &refits );
}

static DBVHI_NOINLINE_FP dbvh_status do_tree_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	dbvhi_error_clear( error );
	if ( tree == NULL )
		return dbvhi_error_null( error, "tree" );
	DBVHI_TRY( dbvh_mesh_view_check( view, error ) );
	if ( dbvhi_view_triangle_count( view ) != tree->mesh_triangle_count )
		return dbvhi_error_set( error, DBVH_INVALID_ARGUMENT, "view has %zu triangles, but tree has %zu",
		                        dbvhi_view_triangle_count( view ), tree->mesh_triangle_count );
	const bool can_move = tree->corners == NULL && tree->fragment == NULL && dbvhi_tree_in_floats( tree );
	const dbvh_status status = can_move ? refit_moved( tree, view, error ) : build_anew( tree, view, error );
	tree->revision = atomic_fetch_add( &refits, 1 ) + 1;
	return status;
}

dbvh_status dbvh_tree_refit( dbvh_tree *tree, const dbvh_mesh_view *view, dbvh_error *error ) {
	DBVHI_IN_DEFAULT_FPENV( dbvh_status, do_tree_refit( tree, view, error ) );
}
