// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The tests of dualbvh.hpp, in the form that the file which includes this has chosen. NAME( x ) is hpp_results_x or
// hpp_exceptions_x; VALUE( x ) is the value of what a function returns; STATUS_OF( x ) is the status that it ends with.

#include "hpp.h"

#include <array>
#include <cmath>
#include <cstring>
#include <dualbvh/dualbvh.hpp>
#include <vector>

#define EXPECT( what )                                                                                                 \
	do {                                                                                                               \
		if ( !( what ) )                                                                                               \
			return __LINE__;                                                                                           \
	} while ( false )

namespace {

namespace d = dualbvh;

const double corners[8][3] = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                               { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };
const std::uint32_t triangles[12][3] = { { 0, 2, 1 }, { 0, 3, 2 }, { 4, 5, 6 }, { 4, 6, 7 }, { 0, 1, 5 }, { 0, 5, 4 },
                                         { 1, 2, 6 }, { 1, 6, 5 }, { 2, 3, 7 }, { 2, 7, 6 }, { 3, 0, 4 }, { 3, 4, 7 } };

d::Tree box( bool topology = false ) {
	d::TreeOptions options{};
	options.topology = topology;
	return VALUE( d::Tree::build( d::mesh_view( corners, triangles ), options ) );
}

// A comb of n blades along x, each a triangle in a plane of constant x: two of them, turned, have many pairs.
d::Tree comb( int n, bool turned ) {
	std::vector<std::array<double, 3>> blades;
	for ( int i = 0; i < n; ++i )
		for ( const double s : { -1.0, 0.0, 1.0 } ) {
			const double along = -0.5 + ( i + 0.25 ) / n, across = 3 * s, up = s == 0.0 ? 3 : -1;
			if ( turned )
				blades.push_back( { across, along, up } );
			else
				blades.push_back( { along, across, up } );
		}
	return VALUE( d::Tree::build( d::mesh_view( blades ) ) );
}

bool same( const d::CollideResult &x, const d::CollideResult &y ) {
	return x.verdict == y.verdict && x.first.a == y.first.a && x.first.b == y.first.b && x.pair_count == y.pair_count &&
	       x.status == y.status;
}

} // namespace

// Owners are moved, not copied, and may be empty; what is asked of an empty one is refused.
int NAME( owners )( void ) {
	static_assert( !std::is_copy_constructible_v<d::Tree> && !std::is_copy_assignable_v<d::Mesh> );
	static_assert( std::is_nothrow_move_constructible_v<d::Tree> && std::is_nothrow_move_assignable_v<d::Scene> );
	static_assert( std::is_nothrow_default_constructible_v<d::Contacts> );
	d::Tree a = box();
	const dbvh_tree *object = a.get();
	EXPECT( object != nullptr && a && a.stats().triangle_count == 12 );
	d::Tree b = std::move( a );
	EXPECT( b.get() == object && !a && a.stats().triangle_count == 0 );
	a = std::move( b );
	EXPECT( a.get() == object && !b );
	EXPECT( STATUS_OF( d::collide( a, d::identity(), b, d::identity() ) ) == DBVH_INVALID_ARGUMENT );
	d::Tree c( a.release() );
	EXPECT( !a && c.get() == object );
	std::vector<d::Tree> many;
	many.push_back( std::move( c ) );
	many.push_back( box() );
	EXPECT( many[0].get() == object );
	d::Mesh empty;
	EXPECT( empty.triangle_count() == 0 && empty.positions().empty() );
	EXPECT( d::Contacts().contacts().empty() && d::Overlap().components().empty() && d::Scene().size() == 0 );
	EXPECT( std::strcmp( d::version(), dbvh_version() ) == 0 );
	return 0;
}

// Every kind of array makes the same tree.
int NAME( views )( void ) {
	const std::uint64_t hash = box().stats().content_hash;
	const std::vector<double> flat( &corners[0][0], &corners[0][0] + 24 );
	const std::vector<std::uint32_t> indices( &triangles[0][0], &triangles[0][0] + 36 );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( flat, indices ) ) ).stats().content_hash == hash );
	std::vector<float> floats( flat.begin(), flat.end() );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( floats, indices ) ) ).stats().content_hash == hash );
	std::array<std::array<float, 4>, 8> padded; // four floats a vertex, as GPUs have them
	for ( std::size_t i = 0; i < 8; ++i )
		padded[i] = { floats[3 * i], floats[3 * i + 1], floats[3 * i + 2], 7.0F };
	std::vector<std::array<std::uint64_t, 3>> longs( 12 );
	for ( std::size_t i = 0; i < 36; ++i )
		longs[i / 3][i % 3] = indices[i];
	EXPECT( VALUE( d::Tree::build( d::mesh_view( padded, longs ) ) ).stats().content_hash == hash );
	std::vector<double> soup;
	for ( const std::uint32_t i : indices )
		soup.insert( soup.end(), corners[i], corners[i] + 3 );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( soup ) ) ).stats().content_hash == hash );
	EXPECT( VALUE( d::Tree::build( d::mesh_view( d::span<const double>( soup ) ) ) ).stats().content_hash == hash );

	std::vector<int> numbers = { 1, 2, 3 };
	d::span<int> writable = numbers;
	d::span<const int> readable = writable;
	writable[1] = 5;
	int sum = 0;
	for ( const int number : readable )
		sum += number;
	EXPECT( sum == 9 && readable.size() == 3 && readable.data() == numbers.data() && !readable.empty() );
	static_assert( !std::is_convertible_v<const std::vector<int> &, d::span<int>> );
	static_assert( !std::is_convertible_v<std::vector<int>, d::span<int>>, "of what is gone soon only const" );
	static_assert( !std::is_convertible_v<std::vector<float> &, d::span<const int>> );
	return 0;
}

// A refusal says what the function in C says.
int NAME( refusals )( void ) {
	EXPECT( STATUS_OF( d::Mesh::load( "nowhere.stl" ) ) == DBVH_IO );
	EXPECT( STATUS_OF( d::Mesh::parse( "solid", 5 ) ) != DBVH_OK );
	std::uint32_t wrong[12][3];
	std::memcpy( wrong, triangles, sizeof( wrong ) );
	wrong[7][1] = 8;
	d::Error error;
	EXPECT( ERROR_OF( d::Tree::build( d::mesh_view( corners, wrong ) ), error ) );
	EXPECT( error.status == DBVH_INDEX_RANGE && error.element == 7 && error.text[0] != '\0' );
	const d::Tree tree = box();
	d::Pose sheared = d::identity();
	sheared.rot[0][1] = 0.5;
	EXPECT( STATUS_OF( d::check( sheared ) ) == DBVH_NOT_RIGID );
	EXPECT( VALUE( d::check( d::identity() ) ) < 1e-14 );
	EXPECT( VALUE( d::check( VALUE( d::orthonormalise( sheared ) ) ) ) < 1e-14 );
	EXPECT( STATUS_OF( d::collide( tree, sheared, tree, d::identity() ) ) == DBVH_NOT_RIGID );
	EXPECT( STATUS_OF( d::relate( tree, d::identity(), tree, d::identity() ) ) == DBVH_NO_TOPOLOGY );

	// A batch with one refused pose answers the others; rooms that do not suffice are refused.
	const std::vector<d::Pose> poses = { d::identity(), sheared, d::translation( 3, 0, 0 ) };
	std::vector<d::CollideResult> results( 3 );
	EXPECT( ERROR_OF( d::collide_batch( tree, d::identity(), tree, poses, results ), error ) );
	EXPECT( error.status == DBVH_NOT_RIGID && error.element == 1 );
	EXPECT( results[0].verdict == DBVH_INTERSECTING && results[1].status == DBVH_NOT_RIGID );
	EXPECT( results[2].verdict == DBVH_DISJOINT && results[2].status == DBVH_OK );
	results.pop_back();
	EXPECT( STATUS_OF( d::collide_batch( tree, d::identity(), tree, poses, results ) ) == DBVH_INVALID_ARGUMENT );
	return 0;
}

// Queries of two trees say what the functions in C say; lists are whole however long they are.
int NAME( pairs )( void ) {
	const d::Tree a = comb( 40, false ), b = comb( 40, true ), cube = box( true );
	d::Workspace workspace = VALUE( d::Workspace::create() );
	DONE( workspace.reserve( a, b, 1600 ) );
	for ( const double x : { 0.0, 0.3, 0.9, 6.5 } ) {
		const d::Pose pose = d::translation( x, 0, 0 );
		d::CollideResult expected;
		dbvh_collide_query query{};
		std::vector<d::Pair> pairs( 1600 );
		query.find = DBVH_FIND_ALL;
		query.pairs = pairs.data();
		query.pair_capacity = pairs.size();
		EXPECT( dbvh_collide( a.get(), nullptr, b.get(), &pose, &query, nullptr, &expected, nullptr ) == DBVH_OK );
		EXPECT( same( VALUE( d::collide( a, d::identity(), b, pose, query, &workspace ) ), expected ) );
		const auto found = VALUE( d::collide_all( a, d::identity(), b, pose, {}, &workspace ) );
		EXPECT( found.size() == expected.pair_count && found.empty() == ( x == 6.5 ) );
		EXPECT( x != 0.0 || found.size() > 64 ); // more than there is room for at first
		EXPECT( found.empty() || std::memcmp( found.data(), pairs.data(), found.size() * sizeof( d::Pair ) ) == 0 );
	}

	d::Cache cache{};
	for ( const double x : { 2.5, 2.25, 2.0, 1.75, 2.125 } ) {
		const d::Pose pose = d::translation( x, 0, 0 );
		EXPECT( VALUE( d::collide_cached( cube, d::identity(), cube, pose, cache ) ).verdict ==
		        ( x <= 2 ? DBVH_INTERSECTING : DBVH_DISJOINT ) );
	}

	EXPECT( VALUE( d::distance( cube, d::identity(), cube, d::translation( 2.5, 0, 0 ) ) ).distance == 0.5 );
	d::ClearanceQuery near{};
	near.max_distance = 0.5;
	EXPECT( VALUE( d::check_clearance( cube, d::identity(), cube, d::translation( 2.5, 0, 0 ), near ) ).within );
	EXPECT( !VALUE( d::check_clearance( cube, d::identity(), cube, d::translation( 2.75, 0, 0 ), near ) ).within );
	EXPECT( VALUE( d::relate( cube, d::identity(), cube, d::translation( 2, 0, 0 ) ) ).relation ==
	        DBVH_RELATION_TOUCHING );

	const double shift[3] = { -2, 0, 0 };
	const d::Pose start = d::translation( 3, 0, 0 );
	const d::Motion motions[] = { dbvh_motion_translation( &start, shift ), d::rest( start ) };
	d::ToiResult impacts[2];
	DONE( d::time_of_impact_batch( cube, d::rest(), cube, motions, impacts ) );
	EXPECT( impacts[0].verdict == DBVH_TOI_VERDICT_CONTACT && std::fabs( impacts[0].time - 0.5 ) < 1e-5 );
	EXPECT( impacts[1].verdict == DBVH_TOI_VERDICT_CLEAR );
	const d::Motion screw = VALUE( d::motion_between( start, d::translation( 1, 0, 0 ) ) );
	EXPECT( VALUE( d::time_of_impact( cube, d::rest(), cube, screw ) ).time == impacts[0].time );

	d::Contacts contacts = VALUE( d::Contacts::create() );
	DONE( contacts.find( cube, d::identity(), cube, d::translation( 1, 1, 1 ) ) );
	EXPECT( contacts.contacts().size() > 5 && contacts.clusters().size() == 1 && contacts.polylines().size() == 1 );
	EXPECT( contacts.points().size() == contacts.view().point_count && contacts.path().size() > 3 );
	const d::Separation apart = VALUE( contacts.separate( cube, d::identity(), cube, d::translation( 1.5, 0.25, 0 ) ) );
	EXPECT( !apart.disjoint && apart.length >= 0.5 && apart.length < 0.51 );

	d::Overlap overlap = VALUE( d::Overlap::create() );
	d::OverlapQuery with_mesh{};
	with_mesh.mesh = true;
	const d::Pose half_in = d::translation( 1.5, 0, 0 ); // half a unit deep
	const d::OverlapResult both = VALUE( overlap.find( cube, d::identity(), cube, half_in, with_mesh ) );
	EXPECT( both.measure.volume.lower <= 2.0 && both.measure.volume.upper >= 2.0 && overlap.components().size() == 1 );
	EXPECT( overlap.indices().size() == 3 * overlap.sources().size() && overlap.vertices().size() >= 24 );
	const d::Pose several[] = { half_in, d::translation( 4, 0, 0 ) };
	d::OverlapResult overlaps[2];
	DONE( d::overlap_batch( cube, d::identity(), cube, several, overlaps ) );
	EXPECT( overlaps[0].kind == DBVH_OVERLAP_KIND_PROTRUSION && overlaps[1].kind == DBVH_OVERLAP_KIND_NONE );
	d::LocalDepthQuery allowed{};
	allowed.allowed_depth = 0.6;
	EXPECT( VALUE( d::local_depth( cube, d::identity(), cube, half_in, allowed ) ).verdict == DBVH_FIT_VERDICT_FIT );
	d::ComponentDepth component[1];
	const d::OverlapDepths deep =
	    VALUE( overlap.find_depths( cube, d::identity(), cube, half_in, component, allowed ) );
	EXPECT( deep.overlap.component_count == 1 && deep.depth.verdict == DBVH_FIT_VERDICT_FIT );
	EXPECT( component[0].least.lower <= 0.5 && component[0].least.upper >= 0.5 && component[0].normal[0] > 0.99 );
	d::LocalDepthResult depths[2];
	DONE( d::local_depth_batch( cube, d::identity(), cube, several, depths ) );
	EXPECT( depths[0].least.lower <= 0.5 && depths[0].least.upper >= 0.5 && depths[1].least.upper == 0.0 );
	const d::PenetrationResult way_out = VALUE( d::penetration_depth( cube, d::identity(), cube, half_in ) );
	EXPECT( way_out.depth.lower <= 0.5 && way_out.depth.upper >= 0.5 );
	d::PenetrationResult ways_out[2];
	DONE( d::penetration_depth_batch( cube, d::identity(), cube, several, ways_out ) );
	EXPECT( ways_out[1].depth.upper == 0.0 );
	const double upwards[] = { 0, 0, 1 };
	EXPECT( VALUE( d::penetration_along( cube, d::identity(), cube, half_in, upwards ) ).first_free.upper >= 2.0 );

	const double along[] = { 1, 0, 0, 0, 2, 0 };
	d::Extent extents[2];
	EXPECT( VALUE(
	    contacts.overlap_extents( cube, d::identity(), cube, d::translation( 1.5, 0.25, 0 ), along, extents ) ) );
	EXPECT( extents[0].min == 0.5 && extents[0].max == 1 && extents[1].min == -1.5 && extents[1].max == 2 );
	EXPECT(
	    !VALUE( contacts.overlap_extents( cube, d::identity(), cube, d::translation( 3, 0, 0 ), along, extents ) ) );
	EXPECT( STATUS_OF( contacts.overlap_extents( cube, d::identity(), cube, d::identity(), { along, 3 }, extents ) ) ==
	        DBVH_INVALID_ARGUMENT );
	EXPECT( d::pose_at( screw, 1 ).pos[0] == 1 && d::relative( start, start ).pos[0] == 0 );
	near.max_distance = 0;
	const auto touching = VALUE( d::collide_all( cube, d::identity(), cube, d::translation( 2, 0, 0 ) ) );
	EXPECT( VALUE( d::clearance_all( cube, d::identity(), cube, d::translation( 2, 0, 0 ), near ) ).size() ==
	        touching.size() );
	near.max_distance = 0.5;

	d::DistanceResult distances[2];
	d::RelateResult relations[2];
	d::ClearanceResult clearances[2];
	const std::vector<d::Pose> poses = { d::translation( 0.5, 0, 0 ), d::translation( 4, 0, 0 ) };
	DONE( d::distance_batch( cube, d::identity(), cube, poses, distances ) );
	DONE( d::relate_batch( cube, d::identity(), cube, poses, relations ) );
	DONE( d::check_clearance_batch( cube, d::identity(), cube, poses, clearances, near ) );
	EXPECT( distances[0].distance == 0 && distances[1].distance == 2 );
	EXPECT( relations[0].relation == DBVH_RELATION_OVERLAPPING && relations[1].relation == DBVH_RELATION_DISJOINT );
	EXPECT( clearances[0].within && !clearances[1].within );
	return 0;
}

// Queries of one tree; a mesh written and read again.
int NAME( mesh )( void ) {
	const d::Tree cube = box( true );
	const d::Ray ray = { { -5, 0.25, 0.5 }, { 1, 0, 0 } }, miss = { { -5, 2, 0 }, { 1, 0, 0 } };
	EXPECT( VALUE( d::raycast( cube, d::identity(), ray ) ).first.t == 4 );
	EXPECT( !VALUE( d::raycast( cube, d::identity(), miss ) ).intersects );
	EXPECT( VALUE( d::raycast_all( cube, d::identity(), ray ) ).size() == 2 );
	const d::Ray rays[] = { ray, miss };
	d::RaycastResult hits[2];
	DONE( d::raycast_batch( cube, d::identity(), rays, hits ) );
	EXPECT( hits[0].first.t == 4 && !hits[1].intersects );
	const d::Segment segments[] = { { { -5, 0.25, 0.5 }, { 5, 0.25, 0.5 } }, { { -5, 0.25, 0.5 }, { -4, 0.25, 0.5 } } };
	EXPECT( VALUE( d::segment_cast( cube, d::identity(), segments[0] ) ).first.t == 0.4 );
	EXPECT( VALUE( d::segment_cast_all( cube, d::identity(), segments[0] ) ).size() == 2 );
	EXPECT( VALUE( d::segment_cast_all( cube, d::identity(), segments[1] ) ).empty() );
	DONE( d::segment_cast_batch( cube, d::identity(), segments, hits ) );
	EXPECT( hits[0].first.t == 0.4 && !hits[1].intersects );
	const double inside[3] = { 0.5, 0, 0 }, outside[3] = { 2, 0, 0 };
	const double points[] = { 0.5, 0, 0, 2, 0, 0 };
	d::ClosestPointResult closest[2];
	DONE( d::closest_point_batch( cube, d::identity(), points, closest ) );
	EXPECT( closest[0].distance == 0.5 && closest[1].distance == 1 );
	EXPECT( STATUS_OF( d::closest_point_batch( cube, d::identity(), { points, 5 }, closest ) ) ==
	        DBVH_INVALID_ARGUMENT );
	EXPECT( VALUE( d::closest_point( cube, d::identity(), outside ) ).distance == 1 );
	EXPECT( VALUE( d::locate_point( cube, d::identity(), inside ) ) == DBVH_LOCATION_INSIDE );
	EXPECT( VALUE( d::locate_point( cube, d::identity(), outside ) ) == DBVH_LOCATION_OUTSIDE );
	EXPECT( VALUE( d::self_collide( cube ) ).verdict == DBVH_DISJOINT );
	const std::vector<std::array<double, 3>> crossed = { { 0, 0, 0 },  { 4, 0, 0 }, { 0, 4, 0 },
	                                                     { 1, 1, -1 }, { 1, 1, 1 }, { 2, 1, 1 } };
	const auto crossing = VALUE( d::self_collide_all( VALUE( d::Tree::build( d::mesh_view( crossed ) ) ) ) );
	EXPECT( crossing.size() == 1 && crossing[0].a == 0 && crossing[0].b == 1 );
	d::Shape ball{};
	ball.kind = DBVH_SHAPE_KIND_SPHERE;
	ball.as.sphere.radius = 1.5;
	EXPECT( VALUE( d::collide_shape( cube, d::identity(), ball ) ).intersects );
	const auto met = VALUE( d::collide_shape_all( cube, d::translation( 2.25, 0, 0 ), ball ) );
	EXPECT( met.size() == 2 && met[0] + 1 == met[1] );
	ball.as.sphere.radius = 0.5;
	EXPECT( !VALUE( d::collide_shape( cube, d::identity(), ball ) ).intersects );

	EXPECT( VALUE( d::Mesh::hull( d::mesh_view( corners ) ) ).triangle_count() == 12 );
	const dbvh_aabb cells[2] = { { { 0, 0, 0 }, { 1, 1, 1 } }, { { 1, 0, 0 }, { 2, 1, 1 } } };
	EXPECT( VALUE( d::Mesh::boxes( { cells, 2 } ) ).triangle_count() == 24 );
	const double heights[6] = { 0, 1, 2, 3, 4, 5 };
	dbvh_height_field field{};
	field.heights = heights;
	field.column_count = 3;
	field.row_count = 2;
	field.step[0] = field.step[1] = 1;
	EXPECT( VALUE( d::Mesh::height_field( field ) ).triangle_count() == 4 );
	const d::Mesh mesh = VALUE( d::Mesh::create( d::mesh_view( corners, triangles ) ) );
	EXPECT( mesh.vertex_count() == 8 && mesh.positions().size() == 24 && mesh.indices()[3] == 0 );
	EXPECT( VALUE( d::audit( mesh.view() ) ).closed_component_count == 1 );
	DONE( d::check( mesh.view() ) );
	EXPECT( STATUS_OF( d::check( d::MeshView{} ) ) != DBVH_OK && mesh.faces().polygon_count == 0 );
	EXPECT( VALUE( d::components( mesh.view() ) ).size() == 1 && VALUE( d::components( mesh.view() ) )[0].closed );
	std::vector<std::array<double, 3>> apart; // triangles that share nothing: more than there is room for at first
	for ( int i = 0; i < 300; ++i )
		apart.push_back( { 3.0 * ( i / 3 ) + i % 2, double( i % 3 ), 0 } );
	EXPECT( VALUE( d::components( d::mesh_view( apart ) ) ).size() == 100 );
	const auto labels = VALUE( d::label_components( d::mesh_view( apart ) ) );
	EXPECT( labels.size() == 100 && labels[0] == 0 && labels[99] == 99 );
	DONE( cube.validate() );
	const auto all = VALUE( cube.nodes() ), top = VALUE( cube.nodes( 3 ) );
	EXPECT( all.nodes.size() == cube.stats().node_count && all.order.size() == 12 &&
	        all.nodes[0].triangle_count == 12 );
	EXPECT( top.nodes.size() == 3 && top.nodes[2].parent == 0 && VALUE( cube.nodes( 2 ) ).nodes.size() == 1 );
	EXPECT( VALUE( cube.open_loops() ).loops.empty() );
	d::TreeOptions with_topology{};
	with_topology.topology = true;
	const auto open = VALUE( VALUE( d::Tree::build( d::mesh_view( apart ), with_topology ) ).open_loops( 7 ) );
	EXPECT( open.loops.size() == 1 && open.loops[0].component == 7 && open.points.size() == 9 );
	const char off[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
	d::Mesh parsed = VALUE( d::Mesh::parse( off, sizeof( off ) - 1 ) );
	EXPECT( parsed.triangle_count() == 1 );
	EXPECT( STATUS_OF( d::save( mesh.view(), "box.unknown" ) ) == DBVH_UNKNOWN_FORMAT );

	const auto bytes = VALUE( cube.write() );
	EXPECT( d::is_tree_file( bytes ) && !d::is_tree_file( { bytes.data(), 4 } ) );
	const d::Tree read = VALUE( d::Tree::parse( bytes ) );
	EXPECT( read.stats().content_hash == cube.stats().content_hash && read.options().topology );
	EXPECT( STATUS_OF( d::Tree::parse( { bytes.data(), bytes.size() - 1 } ) ) != DBVH_OK );
	EXPECT( STATUS_OF( d::Tree::borrow( { bytes.data() + 1, bytes.size() - 1 } ) ) != DBVH_OK );
	EXPECT( STATUS_OF( d::Tree::load( "nowhere.dbvh" ) ) == DBVH_IO );
	EXPECT( STATUS_OF( d::Tree::map( "nowhere.dbvh" ) ) == DBVH_IO );
	EXPECT( STATUS_OF( cube.save( "nowhere/there.dbvh" ) ) == DBVH_IO );
	EXPECT( VALUE( cube.mesh() ).triangle_count() == 12 );
	EXPECT( d::tree_key( d::mesh_view( corners, triangles ) ) != 0 );
	d::CacheReport report{};
	const d::Tree built =
	    VALUE( d::Tree::build_cached( d::mesh_view( corners, triangles ), "nowhere/there", {}, false, {}, &report ) );
	EXPECT( built.stats().triangle_count == 12 && !report.was_cached && !report.is_saved );

	d::Tree moved = box();
	double larger[8][3];
	for ( int i = 0; i < 24; ++i )
		larger[i / 3][i % 3] = 2 * corners[i / 3][i % 3];
	DONE( moved.refit( d::mesh_view( larger, triangles ) ) );
	EXPECT( VALUE( d::distance( moved, d::identity(), cube, d::translation( 4, 0, 0 ) ) ).distance == 1 );
	return 0;
}

int NAME( scene )( void ) {
	d::Tree cube = box( true );
	d::Scene scene = VALUE( d::Scene::create() );
	for ( int i = 0; i < 100; ++i ) // 99 pairs that touch: more than there is room for at first
		EXPECT( VALUE( scene.add( cube, d::translation( 2 * i, 0, 0 ) ) ) == std::uint32_t( i ) );
	const d::Tree elsewhere = std::move( cube ); // a scene does not mind moved trees
	EXPECT( scene.size() == 100 && VALUE( scene.collide() ).size() == 99 );
	const auto clashes = VALUE( scene.clashes() );
	EXPECT( clashes.size() == 99 && clashes[0].kind == DBVH_CLASH_KIND_TOUCH && clashes[98].b == 99 );
	d::Budget enough{};
	std::uint64_t spent = 0;
	enough.spent = &spent;
	d::SceneQuery whole{};
	whole.budget = &enough;
	d::SceneResult counts{};
	EXPECT( VALUE( scene.clashes( whole, &counts ) ).size() == 99 );
	EXPECT( counts.done_count == counts.pair_count && counts.open_count == 0 && spent >= 99 );
	enough.max_total = spent;
	EXPECT( VALUE( scene.collide( whole, &counts ) ).size() == 99 && counts.found_count == 99 );
	enough.max_total = spent / 2;
	EXPECT( STATUS_OF( scene.clashes( whole, &counts ) ) == DBVH_BUDGET_SPENT );
	EXPECT( counts.open_count > 0 && counts.found_count > 0 && counts.written_count == counts.found_count );
	d::PairRule rule{};
	rule.may_touch = true;
	DONE( scene.set_rule( 0, 1, rule ) );
	EXPECT( VALUE( scene.clashes() ).size() == 98 );
	DONE( scene.set_default_rule( rule ) );
	EXPECT( VALUE( scene.clashes() ).empty() );
	DONE( scene.move( 99, d::translation( 500, 0, 0 ) ) );
	EXPECT( VALUE( scene.collide() ).size() == 98 );
	for ( std::uint32_t body = 2; body < 100; ++body )
		DONE( scene.remove( body ) );
	EXPECT( STATUS_OF( scene.remove( 99 ) ) == DBVH_INVALID_ARGUMENT );
	EXPECT( VALUE( scene.distance() ).distance == 0 );
	d::Scene snapshot = VALUE( scene.clone() );
	EXPECT( snapshot.size() == scene.size() && VALUE( snapshot.distance() ).distance == 0 );

	const std::vector<d::Pose> poses = { d::identity(), d::translation( 1, 0, 0 ), d::identity(),
	                                     d::translation( 5, 0, 0 ) };
	std::vector<d::ConfigurationResult> results( 2 );
	DONE( scene.collide_batch( poses, results ) );
	EXPECT( results[0].verdict == DBVH_INTERSECTING && results[1].verdict == DBVH_DISJOINT );
	results.resize( 3 );
	EXPECT( STATUS_OF( scene.collide_batch( poses, results ) ) == DBVH_INVALID_ARGUMENT );
	d::EdgeResult ways[1];
	DONE( scene.motion_batch( poses, ways ) );
	EXPECT( ways[0].verdict == DBVH_TOI_VERDICT_CONTACT && ways[0].time == 0 );
	EXPECT( STATUS_OF( scene.motion_batch( poses, { ways, 0 } ) ) == DBVH_INVALID_ARGUMENT );
	return 0;
}

// An arm of two links, of which the second carries a cube.
int NAME( robots )( void ) {
	const d::Tree cube = box( true );
	d::Scene scene = VALUE( d::Scene::create() );
	const std::uint32_t still = VALUE( scene.add( cube ) ), moved = VALUE( scene.add( cube ) );
	d::Robot robot = VALUE( d::Robot::create() );
	d::Joint joint{};
	joint.kind = DBVH_JOINT_KIND_PRISMATIC;
	const std::uint32_t base = VALUE( robot.add_link( DBVH_NO_LINK, d::translation( -5, 0, 0 ), joint ) );
	const std::uint32_t tip = VALUE( robot.add_link( base, d::identity(), joint ) );
	DONE( robot.follow( tip, base, 0.0 ) );
	DONE( robot.attach( tip, moved ) );
	EXPECT( STATUS_OF( robot.detach( still ) ) == DBVH_INVALID_ARGUMENT );
	EXPECT( robot.width() == 1 && robot.column( base ) == 0 && robot.link_count() == 2 && robot.body_count() == 1 );
	std::uint32_t number = 9;
	double factor = 1;
	EXPECT( robot.link( tip, &number ) && number == base && robot.followed( tip, &number, &factor ) && factor == 0 );
	EXPECT( robot.body( 0, &number ) && number == moved );
	const std::vector<double> q = { 0, 10 };
	std::vector<d::Pose> bodies( 2 ), links( 4 );
	DONE( robot.place( q, bodies, links ) );
	EXPECT( bodies[1].pos[0] == 5 && links[2].pos[0] == 5 );
	EXPECT( STATUS_OF( robot.place( q, { bodies.data(), 1 } ) ) == DBVH_INVALID_ARGUMENT );
	std::vector<double> half( 1 );
	const std::vector<double> time = { 0.5 };
	DONE( robot.between( { q.data(), 1 }, { q.data() + 1, 1 }, time, half ) );
	EXPECT( half[0] == 5 );
	std::vector<d::ConfigurationResult> results( 2 );
	DONE( robot.collide_batch( scene, q, results ) );
	EXPECT( results[0].verdict == DBVH_DISJOINT && results[1].verdict == DBVH_DISJOINT );
	std::vector<d::RobotDistancesResult> distances( 2 );
	d::RobotDistancesQuery closest{};
	closest.find = DBVH_FIND_CLOSEST;
	DONE( robot.distance_batch( scene, q, distances, closest ) );
	EXPECT( distances[0].found && distances[0].nearest.bodies.b == moved && distances[0].nearest.distance > 0 );
	EXPECT( STATUS_OF( robot.distance_batch( scene, q, { distances.data(), 1 } ) ) == DBVH_INVALID_ARGUMENT );
	std::vector<d::RobotEdgeResult> edges( 1 );
	DONE( robot.edge_batch( scene, q, edges ) );
	EXPECT( edges[0].verdict == DBVH_ROBOT_VERDICT_COLLIDES && edges[0].bodies.b == moved );
	EXPECT( STATUS_OF( robot.edge_batch( scene, q, { edges.data(), 0 } ) ) == DBVH_INVALID_ARGUMENT );
	DONE( robot.detach( moved ) );
	return 0;
}

// Rules of bodies, bodies by number, and questions about one pair or something else.
int NAME( bodies )( void ) {
	const d::Tree cube = box( true );
	d::Scene scene = VALUE( d::Scene::create() );
	for ( int i = 0; i < 3; ++i )
		EXPECT( VALUE( scene.add( cube ) ) == std::uint32_t( i ) );
	const d::Pose apart[] = { d::identity(), d::translation( 1.5, 0, 0 ), d::translation( 0, 5, 0 ) };
	DONE( scene.move( apart ) );
	EXPECT( scene.pose( 2 ).pos[1] == 5 && scene.contains( 2 ) && !scene.contains( 3 ) );
	EXPECT( scene.next() == 0 && scene.next( 2 ) == 2 && scene.next( 3 ) == DBVH_NO_BODY );
	EXPECT( VALUE( scene.pairs() ).size() == 1 && VALUE( scene.pairs() )[0].b == 1 );

	EXPECT( VALUE( scene.relate( 0, 1 ) ).relation == DBVH_RELATION_OVERLAPPING );
	EXPECT( VALUE( scene.pair_distance( 0, 2 ) ).distance == 3 );
	EXPECT( STATUS_OF( scene.pair_distance( 0, 3 ) ) == DBVH_INVALID_ARGUMENT );
	EXPECT( VALUE( scene.overlaps() ).size() <= VALUE( scene.clashes() ).size() );

	d::Contacts contacts = VALUE( d::Contacts::create() );
	DONE( scene.contacts( 0, 1, contacts ) );
	EXPECT( contacts.clusters().size() == 1 );
	EXPECT( STATUS_OF( scene.contacts( 0, 0, contacts ) ) == DBVH_INVALID_ARGUMENT && contacts.clusters().empty() );

	EXPECT( VALUE( scene.raycast( { { 0, 9, 0 }, { 0, -1, 0 } } ) ).body == 2 );
	EXPECT( VALUE( scene.raycast( { { 0, 9, 0 }, { 0, 1, 0 } } ) ).body == DBVH_NO_BODY );
	const double point[3] = { 0, 3.5, 0 };
	EXPECT( VALUE( scene.closest_point( point ) ).body == 2 &&
	        VALUE( scene.closest_point( point ) ).closest.distance == 0.5 );
	const auto in_box = VALUE( scene.overlap( { { 0, 0, 0 }, { 1.25, 1.25, 1.25 } } ) );
	EXPECT( in_box.size() == 2 && in_box[0] == 0 && in_box[1] == 1 );

	d::PairRule rule{};
	rule.may_collide = true;
	DONE( scene.set_rule( 1, rule ) );
	EXPECT( !scene.looks_at( 0, 1 ) && VALUE( scene.collide() ).empty() );
	DONE( scene.set_rule( 0, 1, d::PairRule{} ) );
	EXPECT( scene.looks_at( 0, 1, &rule ) && !rule.may_collide && VALUE( scene.collide() ).size() == 1 );
	DONE( scene.remove_rule( 0, 1 ) );
	EXPECT( !scene.looks_at( 0, 1 ) );
	DONE( scene.remove_rule( 1 ) );
	EXPECT( scene.looks_at( 0, 1 ) );
	const std::uint32_t two[] = { 0, 1 };
	EXPECT( STATUS_OF( scene.move( { apart, 1 }, two ) ) == DBVH_INVALID_ARGUMENT );
	DONE( scene.move( { apart + 1, 2 }, two ) );
	EXPECT( scene.pose( 0 ).pos[0] == 1.5 && scene.pose( 1 ).pos[1] == 5 );
	return 0;
}
