// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Self-intersection beside CGAL's (Polygon_mesh_processing::self_intersections, exact predicates), one thread:
//
//   dualbvh-bench-self MESH...
//
// Corners with equal coordinates are made one vertex first, because CGAL knows neighbours by their vertices; meshes
// that are then no manifold have no CGAL answer. Degenerate triangles are outside of what CGAL defines. The tree, or
// CGAL's list of boxes, is built from the mesh anew: that time is given apart for the tree, and is part of CGAL's.

#include "common/stats.h"
#include "dualbvh/dualbvh.h"

#include <algorithm>
#include <array>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
namespace processing = CGAL::Polygon_mesh_processing;

constexpr int ROUNDS = 3;

bool make_mesh( const dbvh_mesh_view &view, Mesh &out ) {
	std::vector<Kernel::Point_3> points;
	std::map<std::array<double, 3>, size_t> numbers;
	std::vector<size_t> number( view.vertex_count );
	const double *p = (const double *)view.positions;
	for ( size_t i = 0; i < view.vertex_count; ++i ) {
		const std::array<double, 3> at = { p[3 * i] + 0.0, p[3 * i + 1] + 0.0, p[3 * i + 2] + 0.0 };
		const auto found = numbers.emplace( at, points.size() );
		if ( found.second )
			points.emplace_back( at[0], at[1], at[2] );
		number[i] = found.first->second;
	}
	const uint32_t *t = (const uint32_t *)view.indices;
	std::vector<std::array<size_t, 3>> triangles( view.triangle_count );
	for ( size_t i = 0; i < view.triangle_count; ++i )
		triangles[i] = { number[t[3 * i]], number[t[3 * i + 1]], number[t[3 * i + 2]] };
	if ( !processing::is_polygon_soup_a_polygon_mesh( triangles ) )
		return false;
	processing::polygon_soup_to_polygon_mesh( points, triangles, out );
	return true;
}

int run( const char *path ) {
	dbvh_error error;
	dbvh_mesh *mesh = nullptr;
	if ( dbvh_mesh_load( path, DBVH_MESH_FORMAT_AUTO, nullptr, &mesh, &error ) != DBVH_OK ) {
		std::fprintf( stderr, "%s: %s\n", path, error.text );
		return 1;
	}
	const dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
	dbvh_tree_options options = dbvh_tree_options_default();
	options.thread_count = 1;
	dbvh_tree *tree = nullptr;
	dbvh_workspace *workspace = nullptr;
	double start = stats_thread_now();
	if ( dbvh_tree_build( &view, &options, nullptr, &tree, &error ) != DBVH_OK ||
	     dbvh_workspace_create( nullptr, &workspace, NULL ) != DBVH_OK )
		return 1;
	const double build = stats_thread_now() - start;

	std::vector<dbvh_pair> found( 1 );
	dbvh_collide_result result = {};
	double ours = 1e30, theirs = 1e30;
	for ( int round = 0; round < ROUNDS; ++round ) {
		dbvh_collide_query query = {};
		query.find = DBVH_FIND_ALL;
		query.pairs = found.data();
		query.pair_capacity = found.size();
		start = stats_thread_now();
		dbvh_self_collide( tree, &query, workspace, &result, NULL );
		ours = std::min( ours, stats_thread_now() - start );
		if ( result.pair_count > found.size() )
			found.resize( result.pair_count );
	}
	Pairs mine, other;
	for ( size_t i = 0; i < result.pair_written; ++i )
		mine.emplace_back( found[i].a, found[i].b );

	const char *name = std::strrchr( path, '/' );
	std::printf( "%s: %zu triangles, %zu pairs, %.1f ms after a build of %.1f ms", name != nullptr ? name + 1 : path,
	             view.triangle_count, result.pair_count, 1e3 * ours, 1e3 * build );
	Mesh surface;
	if ( !make_mesh( view, surface ) ) {
		std::printf( "; no manifold for CGAL\n" );
	} else {
		for ( int round = 0; round < ROUNDS; ++round ) {
			std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> raw;
			start = stats_thread_now();
			processing::self_intersections( surface, std::back_inserter( raw ) );
			theirs = std::min( theirs, stats_thread_now() - start );
			other.clear();
			for ( const auto &pair : raw )
				other.emplace_back( std::min( pair.first.idx(), pair.second.idx() ),
				                    std::max( pair.first.idx(), pair.second.idx() ) );
		}
		std::sort( other.begin(), other.end() );
		Pairs different;
		std::set_symmetric_difference( mine.begin(), mine.end(), other.begin(), other.end(),
		                               std::back_inserter( different ) );
		std::printf( "; CGAL %zu pairs, %.1f ms, %zu different\n", other.size(), 1e3 * theirs, different.size() );
	}
	dbvh_workspace_destroy( workspace );
	dbvh_tree_destroy( tree );
	dbvh_mesh_destroy( mesh );
	return 0;
}

} // namespace

int main( int count, char **arguments ) {
	if ( count < 2 ) {
		std::fprintf( stderr, "usage: dualbvh-bench-self MESH...\n" );
		return 2;
	}
	int failed = 0;
	for ( int i = 1; i < count; ++i )
		failed |= run( arguments[i] );
	return failed;
}
