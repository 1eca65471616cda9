// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Consistency of redundant facts about the mesh: the corners of divided triangles, the lists of twins, and the content
// hash. If copies differ, no mesh belongs to the tree, and answers would depend on the path of a query.

#include "base/assert.h"
#include "base/sort.h"
#include "bvh/builder/mesh_hash.h"
#include "bvh/validate/validate.h"

static bool same_corners( const dbvh_tree *tree, uint32_t one, uint32_t other ) {
	double room[2][9];
	return memcmp( dbvhi_tree_triangle( tree, one, room[0] ), dbvhi_tree_triangle( tree, other, room[1] ),
	               sizeof room[0] ) == 0;
}

// Compares all leaf indices of a triangle, which must have the same corners bit for bit. Sorted by triangle, each is
// compared with the next.
const char *dbvhi_check_divided( const dbvh_tree *tree, uint64_t *room ) {
	const size_t count = tree->triangle_count;
	DBVHI_ASSERT( room != NULL && tree->fragment != NULL );
	for ( size_t i = 0; i < count; ++i )
		room[i] = (uint64_t)tree->triangle[i] << 32 | i;
	dbvhi_sort_u64( room, count );
	for ( size_t i = 1; i < count; ++i ) {
		if ( room[i] >> 32 == room[i - 1] >> 32 && !same_corners( tree, (uint32_t)room[i - 1], (uint32_t)room[i] ) )
			return "two fragments of a triangle have other corners";
	}
	return NULL;
}

// Marks of a triangle of the mesh: kept at a leaf index, listed as a twin.
enum { STANDS = 1, LISTED = 2 };

// Checks the twins listed at a leaf index: the lowest is the triangle kept there, and no other is kept anywhere.
static const char *check_leaf_index( const dbvh_tree *tree, size_t leaf_index, unsigned char *seen ) {
	const dbvhi_twins *t = tree->twins;
	const uint32_t begin = t->begin[leaf_index], end = t->begin[leaf_index + 1];
	const bool is_divided = dbvhi_tree_is_divided( tree, (uint32_t)leaf_index );
	// note: a divided triangle has no twins and is listed once at most.
	if ( is_divided && begin == end )
		return NULL;
	if ( begin >= end || end > t->number_count || ( is_divided && end - begin > 1 ) )
		return "a place has none, or too many";
	if ( t->number[begin] != tree->triangle[leaf_index] )
		return "the first of a place is not its triangle";
	for ( uint32_t k = begin; k < end; ++k ) {
		const uint32_t number = t->number[k];
		if ( number >= t->number_count || ( seen[number] & LISTED ) != 0 || ( k > begin && seen[number] != 0 ) )
			return "a triangle is at two places or does not exist";
		if ( k > begin && number < t->number[k - 1] )
			return "those of a place are not in ascending order";
		seen[number] |= LISTED;
	}
	return NULL;
}

const char *dbvhi_check_twins( const dbvh_tree *tree, unsigned char *seen ) {
	const dbvhi_twins *t = tree->twins;
	if ( t->leaf_index_count != tree->triangle_count || t->number_count != tree->mesh_triangle_count ||
	     t->begin[0] != 0 || t->begin[t->leaf_index_count] != t->number_count )
		return "they are of another tree";
	for ( size_t i = 0; i < t->leaf_index_count; ++i )
		seen[tree->triangle[i]] |= STANDS;
	const char *rule = NULL;
	for ( size_t i = 0; i < t->leaf_index_count && rule == NULL; ++i )
		rule = check_leaf_index( tree, i, seen );
	return rule;
}

// Hashes the kept triangles; a divided one at its first fragment.
static uint64_t hash_of_triangles( const dbvh_tree *tree ) {
	uint64_t sum = 0;
	for ( size_t i = 0; i < tree->triangle_count; ++i ) {
		double room[9];
		if ( tree->fragment == NULL || dbvhi_fragment_key( tree->fragment[i] ) >> 16 == 0 )
			sum += dbvhi_mesh_hash_triangle( tree->triangle[i], dbvhi_tree_triangle( tree, (uint32_t)i, room ) );
	}
	return dbvhi_mesh_hash_whole( sum, tree->mesh_triangle_count );
}

const char *dbvhi_check_hash( const dbvh_tree *tree ) {
	static const char rule[] = "the content hash is not that of the triangles";
	const dbvhi_topology *t = tree->topology;
	if ( t != NULL ) {
		const dbvh_mesh_view view = { .positions = t->position,
		                              .vertex_count = t->point_count,
		                              .indices = t->corner,
		                              .triangle_count = t->triangle_count };
		return dbvhi_mesh_hash( &view, t->triangle_count ) == tree->hash ? NULL : rule;
	}
	// note: of twins only the kept one's order of corners is known, so a mesh with twins has no hash to compare.
	return tree->twins != NULL || hash_of_triangles( tree ) == tree->hash ? NULL : rule;
}
