// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// C++: do two meshes intersect, with which triangles, and how far apart are they at many poses? Without exceptions.

#include <array>
#include <cstdio>
#include <dualbvh/dualbvh.hpp>
#include <vector>

namespace {

// Positions as floats, as a renderer has them, and indices: nothing is copied but into the tree.
const std::vector<std::array<float, 3>> corners = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                                                    { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };
const std::vector<std::uint32_t> triangles = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                               1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };

int complain( const dualbvh::Error &error ) {
	std::fprintf( stderr, "%s: %s\n", dbvh_status_name( error.status ), error.text );
	return EXIT_FAILURE;
}

} // namespace

int main() {
	const auto box = dualbvh::Tree::build( dualbvh::mesh_view( corners, triangles ) );
	if ( !box )
		return complain( box.error() );

	const auto pairs = dualbvh::collide_all( *box, dualbvh::identity(), *box, dualbvh::translation( 1.5, 1.5, 1.5 ) );
	if ( !pairs )
		return complain( pairs.error() );
	std::printf( "%zu pairs of triangles, the first is %u and %u\n", pairs->size(), ( *pairs )[0].a, ( *pairs )[0].b );

	std::vector<dualbvh::Pose> poses;
	for ( int i = 0; i < 4; ++i )
		poses.push_back( dualbvh::translation( 1.5 + i, 0, 0 ) );
	std::vector<dualbvh::DistanceResult> distances( poses.size() );
	const auto done = dualbvh::distance_batch( *box, dualbvh::identity(), *box, poses, distances );
	if ( !done )
		return complain( done.error() );
	for ( const dualbvh::DistanceResult &result : distances )
		std::printf( "%g ", result.distance );
	std::puts( "apart" );
}

// Prints
//     14 pairs of triangles, the first is 2 and 4
//     0 0.5 1.5 2.5 apart
