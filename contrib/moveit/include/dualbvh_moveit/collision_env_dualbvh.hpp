// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file collision_env_dualbvh.hpp
/// A collision detector for MoveIt 2: exact meshes, padding as an exact clearance, distances, and continuous checks
/// that are certified over every time of the way in joint space.
///
/// Padding. MoveIt pads a mesh by moving its vertices along their normals, by which the faces of a cube move by 0.58 of
/// what is asked. Here nothing is grown: a link padded by p is p away from an object, or clashes. Scales of links other
/// than 1 are refused.
///
/// What is left out: cost sources, octrees and planes (refused with std::invalid_argument), signed distances (a
/// distance is 0 where bodies meet), the functions of CONDITIONAL entries of an AllowedCollisionMatrix, which count as
/// NEVER, and attached bodies in continuous checks. Spheres, cylinders and cones are polyhedra of 48 sides around them.
/// A contact has the nearest points of the two bodies, which are one where they meet, and a depth of 0.
///
/// Thread safety: checks may run on any number of threads. Changing the world or paddings needs the environment alone,
/// as with other detectors.

#pragma once

#include "dualbvh/dualbvh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <geometric_shapes/shapes.h>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <moveit/collision_detection/collision_detector_allocator.hpp>
#include <moveit/collision_detection/collision_env.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace collision_detection {

namespace dualbvh_detail {

inline void check( dbvh_status status, const dbvh_error &error ) {
	if ( status != DBVH_OK )
		throw std::runtime_error( std::string( "dualbvh: " ) + error.text );
}

struct TreeDestroy {
	void operator()( dbvh_tree *tree ) const {
		dbvh_tree_destroy( tree );
	}
};
struct SceneDestroy {
	void operator()( dbvh_scene *scene ) const {
		dbvh_scene_destroy( scene );
	}
};
struct RobotDestroy {
	void operator()( dbvh_robot *robot ) const {
		dbvh_robot_destroy( robot );
	}
};
using Tree = std::shared_ptr<dbvh_tree>;
using Scene = std::unique_ptr<dbvh_scene, SceneDestroy>;
using Robot = std::unique_ptr<dbvh_robot, RobotDestroy>;

struct Triangles {
	std::vector<std::array<double, 3>> vertices;
	std::vector<std::array<std::uint32_t, 3>> faces;
};

inline Triangles box_of( const double half[3] ) {
	Triangles t;
	for ( int i = 0; i < 8; ++i )
		t.vertices.push_back( { ( i & 1 ) != 0 ? half[0] : -half[0], ( i & 2 ) != 0 ? half[1] : -half[1],
		                        ( i & 4 ) != 0 ? half[2] : -half[2] } );
	t.faces = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
	            { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
	return t;
}

// A polyhedron around a body of revolution about z: rings of radius and height, between two poles.
inline Triangles round_of( const std::vector<std::array<double, 2>> &rings, double low, double high ) {
	const std::uint32_t sides = 48, last = static_cast<std::uint32_t>( rings.size() - 1 ) * sides;
	const double pi = 3.14159265358979323846, out = 1.0 / std::cos( pi / sides );
	Triangles t;
	for ( const std::array<double, 2> &ring : rings )
		for ( std::uint32_t i = 0; i < sides; ++i )
			t.vertices.push_back( { ring[0] * out * std::cos( 2.0 * pi * i / sides ),
			                        ring[0] * out * std::sin( 2.0 * pi * i / sides ), ring[1] } );
	const std::uint32_t bottom = static_cast<std::uint32_t>( t.vertices.size() ), top = bottom + 1;
	t.vertices.push_back( { 0.0, 0.0, low } );
	t.vertices.push_back( { 0.0, 0.0, high } );
	for ( std::uint32_t i = 0; i < sides; ++i ) {
		const std::uint32_t j = ( i + 1 ) % sides;
		for ( std::uint32_t first = 0; first < last; first += sides ) {
			t.faces.push_back( { first + i, first + j, first + sides + j } );
			t.faces.push_back( { first + i, first + sides + j, first + sides + i } );
		}
		t.faces.push_back( { bottom, j, i } );
		t.faces.push_back( { top, last + i, last + j } );
	}
	return t;
}

inline Triangles sphere_of( double radius ) {
	const int count = 24;
	const double pi = 3.14159265358979323846, out = radius / std::cos( 0.5 * pi / count );
	std::vector<std::array<double, 2>> rings;
	for ( int k = 1; k < count; ++k )
		rings.push_back( { out * std::sin( pi * k / count ), -out * std::cos( pi * k / count ) } );
	return round_of( rings, -out, out );
}

inline Triangles triangles_of( const shapes::Shape &shape ) {
	switch ( shape.type ) {
	case shapes::MESH: {
		const auto &mesh = static_cast<const shapes::Mesh &>( shape );
		Triangles t;
		for ( unsigned i = 0; i < mesh.vertex_count; ++i )
			t.vertices.push_back( { mesh.vertices[3 * i], mesh.vertices[3 * i + 1], mesh.vertices[3 * i + 2] } );
		for ( unsigned i = 0; i < mesh.triangle_count; ++i )
			t.faces.push_back( { mesh.triangles[3 * i], mesh.triangles[3 * i + 1], mesh.triangles[3 * i + 2] } );
		return t;
	}
	case shapes::BOX: {
		const auto &box = static_cast<const shapes::Box &>( shape );
		const double half[3] = { 0.5 * box.size[0], 0.5 * box.size[1], 0.5 * box.size[2] };
		return box_of( half );
	}
	case shapes::SPHERE:
		return sphere_of( static_cast<const shapes::Sphere &>( shape ).radius );
	case shapes::CYLINDER: {
		const auto &c = static_cast<const shapes::Cylinder &>( shape );
		return round_of( { { c.radius, -0.5 * c.length }, { c.radius, 0.5 * c.length } }, -0.5 * c.length,
		                 0.5 * c.length );
	}
	case shapes::CONE: {
		const auto &c = static_cast<const shapes::Cone &>( shape );
		return round_of( { { c.radius, -0.5 * c.length } }, -0.5 * c.length, 0.5 * c.length );
	}
	default:
		throw std::invalid_argument( "dualbvh takes meshes, boxes, spheres, cylinders and cones" );
	}
}

inline Tree tree_of( const shapes::Shape &shape ) {
	const Triangles t = triangles_of( shape );
	dbvh_mesh_view view{};
	view.positions = t.vertices.data();
	view.vertex_count = t.vertices.size();
	view.position_type = DBVH_POSITION_TYPE_FLOAT64;
	view.indices = t.faces.data();
	view.triangle_count = t.faces.size();
	view.index_type = DBVH_INDEX_TYPE_UINT32;
	dbvh_tree *tree = nullptr;
	dbvh_error error;
	check( dbvh_tree_build( &view, nullptr, nullptr, &tree, &error ), error );
	return Tree( tree, TreeDestroy() );
}

inline dbvh_pose pose_of( const Eigen::Isometry3d &transform ) {
	dbvh_pose pose;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			pose.rot[i][j] = transform( i, j );
		pose.pos[i] = transform( i, 3 );
	}
	dbvh_error error;
	check( dbvh_pose_orthonormalise( &pose, &pose, nullptr, &error ), error );
	return pose;
}

} // namespace dualbvh_detail

class CollisionEnvDualbvh : public CollisionEnv {
  public:
	CollisionEnvDualbvh( const moveit::core::RobotModelConstPtr &model, double padding = 0.0, double scale = 1.0 )
	    : CollisionEnv( model, padding, scale ) {
		begin();
	}
	CollisionEnvDualbvh( const moveit::core::RobotModelConstPtr &model, const WorldPtr &world, double padding = 0.0,
	                     double scale = 1.0 )
	    : CollisionEnv( model, world, padding, scale ) {
		begin();
	}
	CollisionEnvDualbvh( const CollisionEnvDualbvh &other, const WorldPtr &world ) : CollisionEnv( other, world ) {
		begin();
	}
	~CollisionEnvDualbvh() override {
		getWorld()->removeObserver( observer_ );
	}

	void checkSelfCollision( const CollisionRequest &req, CollisionResult &res,
	                         const moveit::core::RobotState &state ) const override {
		collide( req, res, state, nullptr, true );
	}
	void checkSelfCollision( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &state,
	                         const AllowedCollisionMatrix &acm ) const override {
		collide( req, res, state, &acm, true );
	}
	void checkRobotCollision( const CollisionRequest &req, CollisionResult &res,
	                          const moveit::core::RobotState &state ) const override {
		collide( req, res, state, nullptr, false );
	}
	void checkRobotCollision( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &state,
	                          const AllowedCollisionMatrix &acm ) const override {
		collide( req, res, state, &acm, false );
	}
	void checkRobotCollision( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &state1,
	                          const moveit::core::RobotState &state2,
	                          const AllowedCollisionMatrix &acm ) const override {
		collide_between( req, res, state1, state2, &acm );
	}
	void checkRobotCollision( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &state1,
	                          const moveit::core::RobotState &state2 ) const override {
		collide_between( req, res, state1, state2, nullptr );
	}
	void distanceSelf( const DistanceRequest &req, DistanceResult &res,
	                   const moveit::core::RobotState &state ) const override {
		measure( req, res, state, true );
	}
	void distanceRobot( const DistanceRequest &req, DistanceResult &res,
	                    const moveit::core::RobotState &state ) const override {
		measure( req, res, state, false );
	}
	using CollisionEnv::distanceRobot;
	using CollisionEnv::distanceSelf;

	void setWorld( const WorldPtr &world ) override {
		if ( world == getWorld() )
			return;
		getWorld()->removeObserver( observer_ );
		CollisionEnv::setWorld( world );
		observe();
	}

  protected:
	void updatedPaddingOrScaling( const std::vector<std::string> &links ) override {
		for ( const std::string &link : links )
			if ( getLinkScale( link ) != 1.0 )
				throw std::invalid_argument( "dualbvh takes no scale of a link: its clearance is the padding" );
	}

  private:
	using LinkModel = moveit::core::LinkModel;
	using JointModel = moveit::core::JointModel;

	struct Part {
		dualbvh_detail::Tree tree;
		const LinkModel *link;
		std::size_t index; // of the shape in the link
	};
	// Bodies of a check: parts of links, attached bodies, objects.
	struct Body {
		dualbvh_detail::Tree tree;
		dbvh_pose pose;
		std::string name;
		BodyType type;
		const LinkModel *link; // NULL: an object
		double padding;
		const std::set<std::string> *touch_links; // of an attached body
	};

	void begin() {
		for ( const LinkModel *link : getRobotModel()->getLinkModelsWithCollisionGeometry() ) {
			if ( getLinkScale( link->getName() ) != 1.0 )
				throw std::invalid_argument( "dualbvh takes no scale of a link: its clearance is the padding" );
			for ( std::size_t i = 0; i < link->getShapes().size(); ++i )
				parts_.push_back( { dualbvh_detail::tree_of( *link->getShapes()[i] ), link, i } );
		}
		observe();
	}

	// --------------------------------------------------------------------------------------------
	// The world: trees of its shapes, made once and shared while a shape lives.

	void observe() {
		observer_ = getWorld()->addObserver(
		    [this]( const World::ObjectConstPtr &object, World::Action action ) { on_change( object, action ); } );
		objects_.clear();
		for ( const auto &entry : *getWorld() )
			take_object( entry.second );
	}
	void on_change( const World::ObjectConstPtr &object, World::Action action ) {
		if ( action == World::DESTROY )
			objects_.erase( object->id_ );
		else
			take_object( object );
	}
	void take_object( const World::ObjectConstPtr &object ) {
		std::vector<std::pair<shapes::ShapeConstPtr, dualbvh_detail::Tree>> trees, &old = objects_[object->id_].trees;
		for ( const shapes::ShapeConstPtr &shape : object->shapes_ ) {
			const auto known =
			    std::find_if( old.begin(), old.end(), [&]( const auto &x ) { return x.first == shape; } );
			trees.push_back( known != old.end() ? *known : std::make_pair( shape, dualbvh_detail::tree_of( *shape ) ) );
		}
		old.swap( trees );
		objects_[object->id_].poses.clear();
		for ( const Eigen::Isometry3d &pose : object->global_shape_poses_ )
			objects_[object->id_].poses.push_back( dualbvh_detail::pose_of( pose ) );
	}

	// --------------------------------------------------------------------------------------------
	// Bodies and pairs of a check

	double padding_of( const LinkModel *link ) const {
		const auto found = getLinkPadding().find( link->getName() );
		return found != getLinkPadding().end() ? found->second : 0.0;
	}
	std::vector<Body> robot_bodies( const moveit::core::RobotState &state ) const {
		std::vector<Body> bodies;
		for ( const Part &part : parts_ )
			bodies.push_back(
			    { part.tree, dualbvh_detail::pose_of( state.getCollisionBodyTransform( part.link, part.index ) ),
			      part.link->getName(), BodyTypes::ROBOT_LINK, part.link, padding_of( part.link ), nullptr } );
		std::vector<const moveit::core::AttachedBody *> attached;
		state.getAttachedBodies( attached );
		for ( const moveit::core::AttachedBody *body : attached )
			for ( std::size_t i = 0; i < body->getShapes().size(); ++i )
				bodies.push_back( { attached_tree( body->getShapes()[i] ),
				                    dualbvh_detail::pose_of( body->getGlobalCollisionBodyTransforms()[i] ),
				                    body->getName(), BodyTypes::ROBOT_ATTACHED, body->getAttachedLink(),
				                    padding_of( body->getAttachedLink() ), &body->getTouchLinks() } );
		return bodies;
	}
	// The tree of an attached shape: made once, and kept while anybody else has the shape.
	dualbvh_detail::Tree attached_tree( const shapes::ShapeConstPtr &shape ) const {
		const std::lock_guard<std::mutex> lock( attaching_ );
		for ( auto i = attached_.begin(); i != attached_.end(); )
			i = i->first.use_count() == 1 ? attached_.erase( i ) : std::next( i );
		dualbvh_detail::Tree &tree = attached_[shape];
		if ( !tree )
			tree = dualbvh_detail::tree_of( *shape );
		return tree;
	}
	std::vector<Body> world_bodies() const {
		std::vector<Body> bodies;
		for ( const auto &object : objects_ )
			for ( std::size_t i = 0; i < object.second.trees.size(); ++i )
				bodies.push_back( { object.second.trees[i].second, object.second.poses[i], object.first,
				                    BodyTypes::WORLD_OBJECT, nullptr, 0.0, nullptr } );
		return bodies;
	}
	static bool is_touching_link( const Body &attached, const Body &other ) {
		return attached.touch_links != nullptr &&
		       ( attached.touch_links->count( other.name ) > 0 || attached.link == other.link );
	}
	static bool is_allowed( const Body &a, const Body &b, const AllowedCollisionMatrix *acm ) {
		AllowedCollision::Type type;
		if ( a.name == b.name || is_touching_link( a, b ) || is_touching_link( b, a ) )
			return true;
		return acm != nullptr && acm->getAllowedCollision( a.name, b.name, type ) && type == AllowedCollision::ALWAYS;
	}
	// Calls visit( a, b ) for each pair that is looked at, until it returns false.
	template <class Visit>
	void each_pair( const moveit::core::RobotState &state, const AllowedCollisionMatrix *acm,
	                const std::set<const LinkModel *> *active, bool self, Visit &&visit ) const {
		const std::vector<Body> own = robot_bodies( state ), others = self ? std::vector<Body>() : world_bodies();
		for ( std::size_t i = 0; i < own.size(); ++i ) {
			const std::vector<Body> &with = self ? own : others;
			for ( std::size_t j = self ? i + 1 : 0; j < with.size(); ++j ) {
				const bool is_active = active == nullptr || active->count( own[i].link ) > 0 ||
				                       ( self && active->count( with[j].link ) > 0 );
				if ( is_active && !is_allowed( own[i], with[j], acm ) && !visit( own[i], with[j] ) )
					return;
			}
		}
	}
	const std::set<const LinkModel *> *active_of( const std::string &group ) const {
		return getRobotModel()->hasJointModelGroup( group )
		           ? &getRobotModel()->getJointModelGroup( group )->getUpdatedLinkModelsSet()
		           : nullptr;
	}
	static double clearance_of( const Body &a, const Body &b, bool self, const CollisionRequest &req ) {
		const bool padded = self ? req.pad_self_collisions : req.pad_environment_collisions;
		return padded ? std::max( 0.0, a.padding + b.padding ) : 0.0;
	}
	static dbvh_distance_result distance_of( const Body &a, const Body &b, double limit ) {
		dbvh_distance_query query = dbvh_distance_query_default();
		query.limit = limit;
		dbvh_distance_result result;
		dbvh_error error;
		dualbvh_detail::check(
		    dbvh_distance( a.tree.get(), &a.pose, b.tree.get(), &b.pose, &query, nullptr, &result, &error ), error );
		return result;
	}
	// Do the two meet, or keep less than the clearance?
	static bool do_clash( const Body &a, const Body &b, double clearance ) {
		dbvh_clearance_query query = dbvh_clearance_query_default();
		query.max_distance = clearance > 0.0 ? std::nextafter( clearance, 0.0 ) : 0.0;
		dbvh_clearance_result result;
		dbvh_error error;
		dualbvh_detail::check(
		    dbvh_check_clearance( a.tree.get(), &a.pose, b.tree.get(), &b.pose, &query, nullptr, &result, &error ),
		    error );
		return result.within;
	}

	// --------------------------------------------------------------------------------------------
	// Checks

	static void put_contact( CollisionResult &res, const Body &a, const Body &b, const dbvh_distance_result &d,
	                         double time ) {
		const bool in_order = a.name < b.name;
		const Body &first = in_order ? a : b, &second = in_order ? b : a;
		Contact contact;
		double length = 0.0;
		for ( int k = 0; k < 3; ++k )
			length += d.between[k] * d.between[k];
		length = std::sqrt( length );
		for ( int k = 0; k < 3; ++k ) {
			contact.pos[k] = 0.5 * ( d.point_a[k] + d.point_b[k] );
			contact.normal[k] = length > 0.0 ? ( in_order ? d.between[k] : -d.between[k] ) / length : 0.0;
			contact.nearest_points[0][k] = in_order ? d.point_a[k] : d.point_b[k];
			contact.nearest_points[1][k] = in_order ? d.point_b[k] : d.point_a[k];
		}
		contact.body_name_1 = first.name;
		contact.body_name_2 = second.name;
		contact.body_type_1 = first.type;
		contact.body_type_2 = second.type;
		contact.percent_interpolation = time;
		std::vector<Contact> &list = res.contacts[{ first.name, second.name }];
		list.push_back( contact );
		res.contact_count += 1;
	}
	void collide( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &state,
	              const AllowedCollisionMatrix *acm, bool self ) const {
		each_pair( state, acm, active_of( req.group_name ), self, [&]( const Body &a, const Body &b ) {
			const double clearance = clearance_of( a, b, self, req );
			if ( !do_clash( a, b, clearance ) )
				return true;
			res.collision = true;
			if ( !req.contacts )
				return false;
			const auto key = std::minmax( a.name, b.name );
			const auto found = res.contacts.find( { key.first, key.second } );
			if ( found == res.contacts.end() || found->second.size() < req.max_contacts_per_pair )
				put_contact( res, a, b, distance_of( a, b, 0.0 ), 0.0 );
			return res.contact_count < req.max_contacts && !( req.is_done && req.is_done( res ) );
		} );
		if ( !req.distance )
			return;
		DistanceRequest distance;
		distance.group_name = req.group_name;
		distance.acm = acm;
		distance.active_components_only = active_of( req.group_name );
		DistanceResult measured;
		measure( distance, measured, state, self );
		res.distance = std::min( res.distance, measured.minimum_distance.distance );
		if ( req.detailed_distance && measured.minimum_distance < res.distance_result.minimum_distance )
			res.distance_result = measured;
	}
	static DistanceResultsData data_of( const Body &a, const Body &b, const dbvh_distance_result &d ) {
		DistanceResultsData data;
		double length = 0.0;
		data.distance = d.distance;
		data.link_names[0] = a.name;
		data.link_names[1] = b.name;
		data.body_types[0] = a.type;
		data.body_types[1] = b.type;
		for ( int k = 0; k < 3; ++k )
			length += d.between[k] * d.between[k];
		length = std::sqrt( length );
		for ( int k = 0; k < 3; ++k ) {
			data.nearest_points[0][k] = d.point_a[k];
			data.nearest_points[1][k] = d.point_b[k];
			data.normal[k] = length > 0.0 ? d.between[k] / length : 0.0;
		}
		return data;
	}
	void measure( const DistanceRequest &req, DistanceResult &res, const moveit::core::RobotState &state,
	              bool self ) const {
		const bool only_least = req.type == DistanceRequestType::GLOBAL;
		each_pair( state, req.acm, req.active_components_only, self, [&]( const Body &a, const Body &b ) {
			double limit = req.distance_threshold;
			if ( only_least )
				limit = std::min( limit, res.minimum_distance.distance );
			if ( limit <= 0.0 )
				return !only_least;
			const dbvh_distance_result d = distance_of( a, b, limit );
			if ( !d.found )
				return true;
			const DistanceResultsData data = data_of( a, b, d );
			res.collision = res.collision || d.distance == 0.0;
			if ( data.distance < res.minimum_distance.distance )
				res.minimum_distance = data;
			keep_distance( req, res, data );
			return true;
		} );
	}
	static void keep_distance( const DistanceRequest &req, DistanceResult &res, const DistanceResultsData &data ) {
		if ( req.type == DistanceRequestType::GLOBAL )
			return;
		const auto key = std::minmax( data.link_names[0], data.link_names[1] );
		std::vector<DistanceResultsData> &list = res.distances[{ key.first, key.second }];
		const std::size_t most = req.type == DistanceRequestType::SINGLE    ? 1
		                         : req.type == DistanceRequestType::LIMITED ? req.max_contacts_per_body
		                                                                    : std::numeric_limits<std::size_t>::max();
		if ( list.size() < most )
			list.push_back( data );
		else if ( req.type == DistanceRequestType::SINGLE && data.distance < list[0].distance )
			list[0] = data;
	}

	// --------------------------------------------------------------------------------------------
	// Continuous checks: the way in joint space, certified.

	// The robot of a check, with the numbers of its links.
	struct Moving {
		dualbvh_detail::Robot robot;
		std::vector<const JointModel *> joints; // those with numbers of their own, in the order of the links
	};

	Moving robot_of() const {
		dbvh_robot *made = nullptr;
		dbvh_error error;
		dualbvh_detail::check( dbvh_robot_create( nullptr, &made, &error ), error );
		Moving moving{ dualbvh_detail::Robot( made ), {} };
		std::map<const LinkModel *, std::uint32_t> numbers;
		for ( const LinkModel *link : getRobotModel()->getLinkModels() ) { // parents first
			const JointModel *joint = link->getParentJointModel();
			const LinkModel *parent = link->getParentLinkModel();
			dbvh_joint own = dbvh_joint_default();
			dbvh_pose origin = dualbvh_detail::pose_of( link->getJointOriginTransform() );
			switch ( joint->getType() ) {
			case JointModel::REVOLUTE: {
				const auto *turning = static_cast<const moveit::core::RevoluteJointModel *>( joint );
				own.kind = turning->isContinuous() ? DBVH_JOINT_KIND_CONTINUOUS : DBVH_JOINT_KIND_REVOLUTE;
				for ( int k = 0; k < 3; ++k )
					own.axis[k] = turning->getAxis()[k];
				break;
			}
			case JointModel::PRISMATIC:
				own.kind = DBVH_JOINT_KIND_PRISMATIC;
				for ( int k = 0; k < 3; ++k )
					own.axis[k] = static_cast<const moveit::core::PrismaticJointModel *>( joint )->getAxis()[k];
				break;
			case JointModel::PLANAR:
				own.kind = DBVH_JOINT_KIND_PLANAR;
				break;
			case JointModel::FLOATING:
				own.kind = DBVH_JOINT_KIND_FLOATING;
				break;
			default:
				break;
			}
			// note: a joint that follows another has a number of its own in a state, which MoveIt keeps in step.
			std::uint32_t number;
			dualbvh_detail::check( dbvh_robot_add_link( made, parent != nullptr ? numbers.at( parent ) : DBVH_NO_LINK,
			                                            &origin, &own, &number, &error ),
			                       error );
			numbers[link] = number;
			if ( own.kind != DBVH_JOINT_KIND_FIXED )
				moving.joints.push_back( joint );
		}
		for ( std::size_t i = 0; i < parts_.size(); ++i ) {
			const dbvh_pose local =
			    dualbvh_detail::pose_of( parts_[i].link->getCollisionOriginTransforms()[parts_[i].index] );
			dualbvh_detail::check( dbvh_robot_attach( made, numbers.at( parts_[i].link ),
			                                          static_cast<std::uint32_t>( i ), &local, &error ),
			                       error );
		}
		return moving;
	}
	static void put_row( const Moving &moving, const moveit::core::RobotState &state, std::vector<double> &q ) {
		for ( const JointModel *joint : moving.joints )
			for ( std::size_t k = 0; k < joint->getVariableCount(); ++k )
				q.push_back( state.getVariablePosition( static_cast<int>( joint->getFirstVariableIndex() + k ) ) );
	}
	// The parts of links and the objects, with a rule for each pair of one and the other alone.
	dualbvh_detail::Scene scene_of( const std::vector<Body> &own, const std::vector<Body> &others,
	                                const std::set<const LinkModel *> *active, const AllowedCollisionMatrix *acm,
	                                const CollisionRequest &req ) const {
		dbvh_scene *scene = nullptr;
		dbvh_error error;
		dualbvh_detail::check( dbvh_scene_create( nullptr, &scene, &error ), error );
		dualbvh_detail::Scene owned( scene );
		dbvh_pair_rule meets = dbvh_pair_rule_default();
		meets.may_collide = true;
		dualbvh_detail::check( dbvh_scene_set_default_rule( scene, &meets, &error ), error );
		for ( const std::vector<Body> *list : { &own, &others } )
			for ( const Body &body : *list ) {
				std::uint32_t number;
				dualbvh_detail::check(
				    dbvh_scene_add_body( scene, body.tree.get(), &body.pose, nullptr, &number, &error ), error );
			}
		for ( std::size_t i = 0; i < own.size(); ++i )
			for ( std::size_t j = 0; j < others.size(); ++j ) {
				if ( is_allowed( own[i], others[j], acm ) ||
				     ( active != nullptr && active->count( own[i].link ) == 0 ) )
					continue;
				dbvh_pair_rule rule = dbvh_pair_rule_default();
				rule.clearance = clearance_of( own[i], others[j], false, req );
				dualbvh_detail::check( dbvh_scene_set_pair_rule( scene, static_cast<std::uint32_t>( i ),
				                                                 static_cast<std::uint32_t>( own.size() + j ), &rule,
				                                                 &error ),
				                       error );
			}
		return owned;
	}
	void collide_between( const CollisionRequest &req, CollisionResult &res, const moveit::core::RobotState &from,
	                      const moveit::core::RobotState &to, const AllowedCollisionMatrix *acm ) const {
		std::vector<Body> own = robot_bodies( from );
		own.resize( parts_.size() );
		const std::vector<Body> others = world_bodies();
		const dualbvh_detail::Scene scene = scene_of( own, others, active_of( req.group_name ), acm, req );
		const Moving moving = robot_of();
		std::vector<double> q;
		put_row( moving, from, q );
		put_row( moving, to, q );
		dbvh_robot_edges_query query = dbvh_robot_edges_query_default();
		query.find = DBVH_FIND_CLOSEST;
		query.thread_count = 1;
		dbvh_robot_edge_result result;
		dbvh_error error;
		dualbvh_detail::check(
		    dbvh_robot_edge_batch( moving.robot.get(), scene.get(), q.data(), 2, &query, &result, &error ), error );
		if ( result.verdict == DBVH_ROBOT_VERDICT_CLEAR )
			return;
		res.collision = true;
		if ( !req.contacts || res.contact_count >= req.max_contacts )
			return;
		// The bodies as they are at that time.
		std::vector<double> row( q.size() / 2 );
		std::vector<dbvh_pose> poses( own.size() );
		dualbvh_detail::check( dbvh_robot_between( moving.robot.get(), DBVH_ROBOT_LAYOUT_ANGLES, q.data(),
		                                           q.data() + row.size(), &result.time, 1, row.data(), &error ),
		                       error );
		dualbvh_detail::check( dbvh_robot_place( moving.robot.get(), DBVH_ROBOT_LAYOUT_ANGLES, row.data(), 1, nullptr,
		                                         poses.data(), &error ),
		                       error );
		Body a = own[result.bodies.a];
		const Body &b = others[result.bodies.b - own.size()];
		a.pose = poses[result.bodies.a];
		put_contact( res, a, b, distance_of( a, b, 0.0 ), result.time );
	}
	struct Object {
		std::vector<std::pair<shapes::ShapeConstPtr, dualbvh_detail::Tree>> trees;
		std::vector<dbvh_pose> poses;
	};
	std::vector<Part> parts_;
	std::map<std::string, Object> objects_;
	World::ObserverHandle observer_;
	mutable std::mutex attaching_;
	mutable std::map<shapes::ShapeConstPtr, dualbvh_detail::Tree> attached_;
};

/// The allocator that MoveIt asks for by the name "dualbvh".
class CollisionDetectorAllocatorDualbvh
    : public CollisionDetectorAllocatorTemplate<CollisionEnvDualbvh, CollisionDetectorAllocatorDualbvh> {
  public:
	static inline const std::string NAME = "dualbvh";
};

} // namespace collision_detection
