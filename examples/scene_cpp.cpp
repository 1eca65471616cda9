// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// C++ with exceptions: the clashes of a scene, and the exception of a mistake.

#define DUALBVH_EXCEPTIONS
#include <cstdio>
#include <dualbvh/dualbvh.hpp>

namespace {

dualbvh::Tree box( double x, double y, double z ) {
	const double corners[8][3] = { { -x, -y, -z }, { x, -y, -z }, { x, y, -z }, { -x, y, -z },
	                               { -x, -y, z },  { x, -y, z },  { x, y, z },  { -x, y, z } };
	const std::uint32_t triangles[12][3] = { { 0, 2, 1 }, { 0, 3, 2 }, { 4, 5, 6 }, { 4, 6, 7 },
	                                         { 0, 1, 5 }, { 0, 5, 4 }, { 1, 2, 6 }, { 1, 6, 5 },
	                                         { 2, 3, 7 }, { 2, 7, 6 }, { 3, 0, 4 }, { 3, 4, 7 } };
	dualbvh::TreeOptions options{};
	options.topology = true; // relations (inside, touching) need it
	return dualbvh::Tree::build( dualbvh::mesh_view( corners, triangles ), options );
}

} // namespace

int main() {
	try {
		const dualbvh::Tree cube = box( 1, 1, 1 ), pin = box( 0.25, 0.25, 3 );
		dualbvh::Scene scene = dualbvh::Scene::create();
		for ( const double x : { 0.0, 2.0, 4.05 } )
			scene.add( cube, dualbvh::translation( x, 0, 0 ) );
		scene.add( pin, dualbvh::translation( 4, 0, 2 ) );

		dualbvh::PairRule apart{};
		apart.clearance = 0.1;
		scene.set_default_rule( apart );
		for ( const dualbvh::Clash &clash : scene.clashes() )
			std::printf( "%u and %u: %s\n", clash.a, clash.b, dbvh_clash_kind_name( clash.kind ) );

		dualbvh::Mesh::load( "nowhere.stl" );
	} catch ( const dualbvh::Exception &exception ) {
		std::printf( "%s\n", dbvh_status_name( exception.status() ) ); // exception.what() is the sentence
	}
}

// Prints
//     0 and 1: TOUCH
//     1 and 2: CLEARANCE
//     2 and 3: HARD
//     IO
