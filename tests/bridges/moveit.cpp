// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A cube on a rail, as MoveIt would ask about it: the rail is a box below it, the cube a mesh with edges of 1
// that slides, the flap a box that turns on the cube.

#include "moveit.h"

#include "../../contrib/moveit/src/plugin.cpp"

#include <cstdio>

namespace {

namespace cd = collision_detection;
using moveit::core::LinkModel;

struct failed {
	const char *what;
};

void expect( bool right, const char *what ) {
	if ( !right )
		throw failed{ what };
}

template <class Work> const char *run( Work &&work ) {
	try {
		work();
	} catch ( const failed &f ) {
		return f.what;
	} catch ( const std::exception &e ) {
		static char text[256];
		std::snprintf( text, sizeof text, "%s", e.what() );
		return text;
	}
	return nullptr;
}

Eigen::Isometry3d at( double x, double y, double z ) {
	Eigen::Isometry3d t;
	t.m[0][3] = x;
	t.m[1][3] = y;
	t.m[2][3] = z;
	return t;
}

// A cube with faces at +-0.5 + `grown`, as a mesh.
std::shared_ptr<shapes::Mesh> cube_mesh( double grown ) {
	const double half[3] = { 0.5 + grown, 0.5 + grown, 0.5 + grown };
	const cd::dualbvh_detail::Triangles t = cd::dualbvh_detail::box_of( half );
	auto mesh = std::make_shared<shapes::Mesh>( 8u, 12u );
	for ( std::size_t i = 0; i < 24; ++i )
		mesh->vertices[i] = t.vertices[i / 3][i % 3];
	for ( std::size_t i = 0; i < 36; ++i )
		mesh->triangles[i] = t.faces[i / 3][i % 3];
	return mesh;
}

struct stage {
	std::shared_ptr<moveit::core::RobotModel> model = std::make_shared<moveit::core::RobotModel>();
	const LinkModel *rail, *cube, *flap;
	std::shared_ptr<cd::World> objects = std::make_shared<cd::World>();
	std::shared_ptr<cd::CollisionEnvDualbvh> env;

	explicit stage( double padding = 0.0 ) {
		Eigen::Vector3d x, z;
		x[0] = z[2] = 1.0;
		rail =
		    add( "rail", nullptr, std::make_shared<moveit::core::JointModel>( moveit::core::JointModel::FIXED, 0, 0 ),
		         {}, std::make_shared<shapes::Box>( 1.0, 0.5, 0.5 ) );
		cube = add( "cube", rail, std::make_shared<moveit::core::PrismaticJointModel>( 0, x ), at( 0, 0, 1 ),
		            cube_mesh( 0.0 ) );
		flap = add( "flap", cube, std::make_shared<moveit::core::RevoluteJointModel>( 1, z, false ), at( 0, 0, 1 ),
		            std::make_shared<shapes::Box>( 3.0, 0.1, 0.1 ) );
		model->groups["flap"].links = { flap };
		env = std::make_shared<cd::CollisionEnvDualbvh>( model, objects, padding );
	}
	const LinkModel *add( const char *name, const LinkModel *parent, std::shared_ptr<moveit::core::JointModel> joint,
	                      Eigen::Isometry3d origin, shapes::ShapeConstPtr shape ) {
		model->links.push_back( std::make_unique<LinkModel>( name, parent, std::move( joint ), origin,
		                                                     std::vector<shapes::ShapeConstPtr>{ shape } ) );
		return model->links.back().get();
	}
	moveit::core::RobotState state( double x, double angle ) const {
		moveit::core::RobotState s;
		Eigen::Isometry3d turned = at( x, 0, 2 );
		turned.m[0][0] = turned.m[1][1] = std::cos( angle );
		turned.m[1][0] = std::sin( angle );
		turned.m[0][1] = -std::sin( angle );
		s.positions = { x, angle };
		s.poses = { { rail, at( 0, 0, 0 ) }, { cube, at( x, 0, 1 ) }, { flap, turned } };
		return s;
	}
	bool hits_world( double x, double angle ) const {
		cd::CollisionRequest req;
		cd::CollisionResult res;
		env->checkRobotCollision( req, res, state( x, angle ) );
		return res.collision;
	}
};

} // namespace

// A link padded by p keeps p, whatever its shape. A mesh whose vertices are moved by p along their normals, as MoveIt
// does it, grows by p / sqrt( 3 ).
extern "C" const char *moveit_padding( void ) {
	return run( [] {
		const double p = 0.125, by_vertices = p / std::sqrt( 3.0 );
		stage s( p );
		s.objects->put( "wall", std::make_shared<shapes::Box>( 1.0, 1.0, 1.0 ), at( 3.0, 0, 1 ) );
		// The cube's face is at x + 0.5, the wall's at 2.5.
		expect( !s.hits_world( 2.0 - p, 1.5 ), "a gap of p is kept" );
		expect( s.hits_world( 2.0 - p + 0x1p-40, 1.5 ), "less is not" );
		expect( !s.hits_world( 2.0 - 2.0 * p, 1.5 ), "more is" );
		const auto grown = cube_mesh( by_vertices );
		expect( grown->vertices[0] == -0.5 - by_vertices && by_vertices < 0.58 * p,
		        "a cube grows by 0.58 of what is asked" );
		const double gap = 0.75 * p; // MoveIt's padded cube is clear, though the gap is below the padding
		expect( gap > by_vertices && s.hits_world( 2.0 - gap, 1.5 ), "the clearance is exact where the mesh is not" );
		cd::CollisionRequest req;
		cd::CollisionResult res;
		req.pad_environment_collisions = false;
		s.env->checkRobotCollision( req, res, s.state( 2.0 - gap, 1.5 ) );
		expect( !res.collision, "without padding the gap is enough" );
		s.env->setLinkPadding( "cube", 0.0 );
		expect( !s.hits_world( 2.0 - gap, 1.5 ), "a padding can be changed" );
	} );
}

extern "C" const char *moveit_self( void ) {
	return run( [] {
		stage s( 0.2 );
		cd::AllowedCollisionMatrix acm;
		cd::CollisionRequest req;
		cd::CollisionResult res;
		s.env->checkSelfCollision( req, res, s.state( 0, 0 ) );
		expect( !res.collision, "nothing of the robot meets without padding" );
		req.pad_self_collisions = req.contacts = true;
		req.max_contacts = 9;
		s.env->checkSelfCollision( req, res, s.state( 0, 0 ) );
		expect( res.collision && res.contact_count == 1, "with padding the cube is too near the rail" );
		expect( res.contacts.count( { "cube", "rail" } ) == 1, "contacts are by names in order" );
		const cd::Contact &c = res.contacts.begin()->second[0];
		expect( c.body_name_1 == "cube" && c.normal[2] == -1.0 && c.nearest_points[0][2] == 0.5, "nearest points" );
		acm.setEntry( "cube", "rail", true );
		res = {};
		s.env->checkSelfCollision( req, res, s.state( 0, 0 ), acm );
		expect( !res.collision, "the matrix allows it" );
	} );
}

extern "C" const char *moveit_world( void ) {
	return run( [] {
		stage s;
		s.objects->put( "ball", std::make_shared<shapes::Sphere>( 0.5 ), at( 3.0, 0, 1 ) );
		expect( s.hits_world( 2.5, 1.5 ) && !s.hits_world( 0, 1.5 ), "an object that is added" );
		s.objects->put( "ball", std::make_shared<shapes::Sphere>( 0.5 ), at( -3.0, 0, 1 ) );
		expect( !s.hits_world( 2.5, 1.5 ) && s.hits_world( -2.5, 1.5 ), "one that moves" );
		cd::AllowedCollisionMatrix acm;
		acm.setEntry( "ball", "cube", true );
		cd::CollisionRequest req;
		cd::CollisionResult res;
		s.env->checkRobotCollision( req, res, s.state( -2.5, 1.5 ), acm );
		expect( !res.collision, "one that is allowed" );
		req.group_name = "flap";
		s.env->checkRobotCollision( req, res, s.state( -2.5, 1.5 ) );
		expect( !res.collision, "only links of the group are looked at" );
		cd::CollisionEnvDualbvh copy( *s.env, s.objects );
		s.objects->take_away( "ball" );
		expect( !s.hits_world( -2.5, 1.5 ), "one that is taken away" );
		copy.checkRobotCollision( {}, res, s.state( -2.5, 1.5 ) );
		expect( !res.collision, "copies see the world, too" );
		auto other = std::make_shared<cd::World>();
		other->put( "box", std::make_shared<shapes::Box>( 1, 1, 1 ), at( -3.0, 0, 1 ) );
		s.env->setWorld( other );
		expect( s.hits_world( -2.5, 1.5 ), "another world" );
	} );
}

extern "C" const char *moveit_attached( void ) {
	return run( [] {
		stage s;
		s.objects->put( "wall", std::make_shared<shapes::Box>( 1, 1, 1 ), at( 3.0, 0, 1 ) );
		moveit::core::RobotState state = s.state( 0, 1.5 );
		state.attached.push_back(
		    { "tool", s.cube, { std::make_shared<shapes::Box>( 2, 0.2, 0.2 ) }, { at( 1.6, 0, 1 ) }, {} } );
		cd::CollisionRequest req;
		cd::CollisionResult res;
		s.env->checkRobotCollision( req, res, state );
		expect( res.collision, "what is attached meets the wall" );
		res = {};
		s.env->checkSelfCollision( req, res, state );
		expect( !res.collision, "the link that carries it may meet it" );
		state.attached[0].poses = { at( 0, 0, 2 ) };
		s.env->checkSelfCollision( req, res, state );
		expect( res.collision, "another link may not" );
		state.attached[0].touch_links = { "flap" };
		res = {};
		s.env->checkSelfCollision( req, res, state );
		expect( !res.collision, "unless it is a touch link" );
	} );
}

extern "C" const char *moveit_distances( void ) {
	return run( [] {
		stage s;
		s.objects->put( "wall", std::make_shared<shapes::Box>( 1, 1, 1 ), at( 3.0, 0, 1 ) );
		s.objects->put( "post", std::make_shared<shapes::Box>( 1, 1, 1 ), at( -4.0, 0, 1 ) );
		expect( s.env->distanceRobot( s.state( 0.5, 1.5 ) ) == 1.5, "the least distance to the world" );
		expect( s.env->distanceSelf( s.state( 0, 0 ) ) == 0.25, "the least distance of the robot's own links" );
		cd::DistanceRequest req;
		cd::DistanceResult res;
		s.env->distanceRobot( req, res, s.state( 0.5, 1.5 ) );
		expect( res.minimum_distance.link_names[0] == "cube" && res.minimum_distance.link_names[1] == "wall" &&
		            res.minimum_distance.normal[0] == 1.0 && res.minimum_distance.nearest_points[0][0] == 1.0,
		        "names, points and normal" );
		req.type = cd::DistanceRequestType::ALL;
		res = {};
		s.env->distanceRobot( req, res, s.state( 0.5, 1.5 ) );
		expect( res.distances.size() == 6, "all pairs" );
		req.distance_threshold = 2.0;
		res = {};
		s.env->distanceRobot( req, res, s.state( 0.5, 1.5 ) );
		expect( res.distances.count( { "cube", "wall" } ) == 1 && res.distances.count( { "cube", "post" } ) == 0,
		        "none beyond the threshold" );
		res = {};
		s.env->distanceRobot( req, res, s.state( 2.0, 1.5 ) );
		expect( res.collision && res.minimum_distance.distance == 0.0, "a distance of 0 is a collision" );
		cd::CollisionRequest both;
		cd::CollisionResult with;
		both.distance = both.detailed_distance = true;
		s.env->checkRobotCollision( both, with, s.state( 0.5, 1.5 ) );
		expect( !with.collision && with.distance == 1.5 && with.distance_result.minimum_distance.distance == 1.5,
		        "a check with distances" );
	} );
}

extern "C" const char *moveit_between( void ) {
	return run( [] {
		stage s( 0.01 );
		s.objects->put( "sheet", std::make_shared<shapes::Box>( 0.001, 0.2, 0.2 ), at( 3.0, 0, 1 ) );
		cd::CollisionRequest req;
		cd::CollisionResult res;
		req.contacts = true;
		expect( !s.hits_world( 0, 1.5 ) && !s.hits_world( 5, 1.5 ), "both ends are clear" );
		s.env->checkRobotCollision( req, res, s.state( 0, 1.5 ), s.state( 5, 1.5 ) );
		expect( res.collision && res.contact_count == 1, "the sheet is in the way" );
		const cd::Contact &c = res.contacts.at( { "cube", "sheet" } )[0];
		expect( c.percent_interpolation > 0.4 && c.percent_interpolation < 0.75, "somewhere on the way" );
		res = {};
		s.env->checkRobotCollision( req, res, s.state( 0, 1.5 ), s.state( 2.4, 1.5 ) );
		expect( !res.collision, "before it the way is clear" );
		// A flap that turns through it, in joint space.
		s.objects->put( "sheet", std::make_shared<shapes::Box>( 0.2, 0.001, 0.2 ), at( 1.2, 0.6, 2 ) );
		s.env->checkRobotCollision( req, res, s.state( 0, 0.1 ), s.state( 0, 1.2 ) );
		expect( res.collision && res.contacts.count( { "flap", "sheet" } ) == 1, "a turn meets it" );
		cd::AllowedCollisionMatrix acm;
		acm.setEntry( "sheet", "flap", true );
		res = {};
		s.env->checkRobotCollision( req, res, s.state( 0, 0.1 ), s.state( 0, 1.2 ), acm );
		expect( !res.collision, "unless it may" );
	} );
}

extern "C" const char *moveit_shapes( void ) {
	return run( [] {
		stage s;
		// Each touches the face of the cube at 0.5 when its own is there: round ones are polyhedra around them.
		const std::vector<std::pair<shapes::ShapeConstPtr, double>> all = {
		    { std::make_shared<shapes::Sphere>( 0.5 ), 0.5 },
		    { std::make_shared<shapes::Cylinder>( 0.5, 2.0 ), 0.5 },
		    { std::make_shared<shapes::Cone>( 0.5, 2.0 ), 0.24 },
		    { cube_mesh( 0.0 ), 0.5 } };
		for ( const auto &shape : all ) {
			s.objects->put( "solid", shape.first, at( 0.5 + shape.second, 0, 1 ) );
			expect( s.hits_world( 0.0, 1.5 ), "a shape that touches the cube" );
			s.objects->put( "solid", shape.first, at( 0.52 + 0.5, 0, 1 ) );
			expect( !s.hits_world( 0.0, 1.5 ), "one that does not" );
		}
		bool threw = false;
		try {
			s.objects->put( "floor", std::make_shared<shapes::Plane>(), at( 0, 0, 0 ) );
		} catch ( const std::invalid_argument & ) {
			threw = true;
		}
		expect( threw, "a plane is refused" );
		threw = false;
		try {
			s.env->setLinkScale( "cube", 1.1 );
		} catch ( const std::invalid_argument & ) {
			threw = true;
		}
		expect( threw, "a scale is refused" );
	} );
}

extern "C" const char *moveit_plugin( void ) {
	return run( [] {
		auto scene = std::make_shared<planning_scene::PlanningScene>();
		expect( make_exported_plugin()->initialize( scene ) && scene->detector->getName() == "dualbvh", "the plug-in" );
		stage s;
		const cd::CollisionEnvPtr env = scene->detector->allocateEnv( s.objects, s.model );
		expect( env->distanceSelf( s.state( 0, 0 ) ) == 0.25, "an environment that it makes" );
		expect( scene->detector->allocateEnv( env, s.objects )->distanceSelf( s.state( 0, 0 ) ) == 0.25, "a copy" );
		expect( scene->detector->allocateEnv( s.model )->distanceSelf( s.state( 0, 0 ) ) == 0.25, "one of its own" );
	} );
}
