// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// C++: all overlaps of a scene, the deepest first, with the pairs that a rule lets overlap. With exceptions.

#define DUALBVH_EXCEPTIONS
#include <algorithm>
#include <array>
#include <cstdio>
#include <dualbvh/dualbvh.hpp>
#include <vector>

namespace {

const std::vector<std::array<double, 3>> corners = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                                                     { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };
const std::vector<std::uint32_t> triangles = { 0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                               1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 };

double middle( const dualbvh::Interval &x ) {
	return 0.5 * x.lower + 0.5 * x.upper;
}

} // namespace

int main() {
	dualbvh::TreeOptions options = dbvh_tree_options_default();
	options.topology = true;
	const auto box = dualbvh::Tree::build( dualbvh::mesh_view( corners, triangles ), options );
	auto scene = dualbvh::Scene::create();
	for ( const double x : { 0.0, 1.75, 3.25, 5.125 } )
		scene.add( box, dualbvh::translation( x, 0, 0 ) );
	dualbvh::PairRule pressed{};
	pressed.allowed_depth = 0.3;
	scene.set_rule( 0, 1, pressed );

	const auto found = scene.overlaps();
	std::vector<dualbvh::SceneOverlap> sorted( found.begin(), found.end() );
	std::sort( sorted.begin(), sorted.end(),
	           []( const auto &x, const auto &y ) { return middle( x.depth ) > middle( y.depth ); } );
	for ( const dualbvh::SceneOverlap &o : sorted )
		std::printf( "%u and %u: %.3g deep, volume %.3g: %s\n", o.a, o.b, middle( o.depth ), middle( o.volume ),
		             dbvh_fit_verdict_name( o.verdict ) );
}

// Prints
//     1 and 2: 0.5 deep, volume 2: CLASH
//     0 and 1: 0.25 deep, volume 1: FIT
//     2 and 3: 0.125 deep, volume 0.5: CLASH
