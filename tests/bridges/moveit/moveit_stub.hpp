// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// As much of MoveIt 2, geometric_shapes and Eigen as the adapter names: declarations by their published interfaces,
// with just enough behind them for a test.

#pragma once

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace Eigen {

struct Vector3d {
	std::array<double, 3> x{};
	double &operator[]( int i ) {
		return x[static_cast<std::size_t>( i )];
	}
	double operator[]( int i ) const {
		return x[static_cast<std::size_t>( i )];
	}
	void setZero() {
		x = {};
	}
};

struct Isometry3d {
	double m[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
	double operator()( int i, int j ) const {
		return m[i][j];
	}
};

} // namespace Eigen

namespace shapes {

enum ShapeType { UNKNOWN_SHAPE, SPHERE, CYLINDER, CONE, BOX, PLANE, MESH, OCTREE };

struct Shape {
	ShapeType type;
	explicit Shape( ShapeType of ) : type( of ) {}
	virtual ~Shape() = default;
};
struct Sphere : Shape {
	double radius;
	explicit Sphere( double r ) : Shape( SPHERE ), radius( r ) {}
};
struct Cylinder : Shape {
	double radius, length;
	Cylinder( double r, double l ) : Shape( CYLINDER ), radius( r ), length( l ) {}
};
struct Cone : Shape {
	double radius, length;
	Cone( double r, double l ) : Shape( CONE ), radius( r ), length( l ) {}
};
struct Box : Shape {
	double size[3];
	Box( double x, double y, double z ) : Shape( BOX ), size{ x, y, z } {}
};
struct Plane : Shape {
	Plane() : Shape( PLANE ) {}
};
struct Mesh : Shape {
	unsigned vertex_count, triangle_count;
	double *vertices;
	unsigned *triangles;
	Mesh( unsigned v, unsigned t )
	    : Shape( MESH ), vertex_count( v ), triangle_count( t ), vertices( new double[3 * v] ),
	      triangles( new unsigned[3 * t] ) {}
	~Mesh() override {
		delete[] vertices;
		delete[] triangles;
	}
	Mesh( const Mesh & ) = delete;
	Mesh &operator=( const Mesh & ) = delete;
};
using ShapeConstPtr = std::shared_ptr<const Shape>;

} // namespace shapes

namespace moveit::core {

class JointModel {
  public:
	enum JointType { UNKNOWN, REVOLUTE, PRISMATIC, PLANAR, FLOATING, FIXED };
	JointModel( JointType type, std::size_t first, std::size_t count )
	    : type_( type ), first_( first ), count_( count ) {}
	virtual ~JointModel() = default;
	JointType getType() const {
		return type_;
	}
	std::size_t getVariableCount() const {
		return count_;
	}
	std::size_t getFirstVariableIndex() const {
		return first_;
	}

  private:
	JointType type_;
	std::size_t first_, count_;
};
class RevoluteJointModel : public JointModel {
  public:
	RevoluteJointModel( std::size_t first, Eigen::Vector3d axis, bool continuous )
	    : JointModel( REVOLUTE, first, 1 ), axis_( axis ), continuous_( continuous ) {}
	bool isContinuous() const {
		return continuous_;
	}
	const Eigen::Vector3d &getAxis() const {
		return axis_;
	}

  private:
	Eigen::Vector3d axis_;
	bool continuous_;
};
class PrismaticJointModel : public JointModel {
  public:
	PrismaticJointModel( std::size_t first, Eigen::Vector3d axis ) : JointModel( PRISMATIC, first, 1 ), axis_( axis ) {}
	const Eigen::Vector3d &getAxis() const {
		return axis_;
	}

  private:
	Eigen::Vector3d axis_;
};

class LinkModel {
  public:
	LinkModel( std::string name, const LinkModel *parent, std::shared_ptr<JointModel> joint, Eigen::Isometry3d origin,
	           std::vector<shapes::ShapeConstPtr> shapes )
	    : name_( std::move( name ) ), parent_( parent ), joint_( std::move( joint ) ), origin_( origin ),
	      shapes_( std::move( shapes ) ), local_( shapes_.size() ) {}
	const std::string &getName() const {
		return name_;
	}
	const std::vector<shapes::ShapeConstPtr> &getShapes() const {
		return shapes_;
	}
	const std::vector<Eigen::Isometry3d> &getCollisionOriginTransforms() const {
		return local_;
	}
	const JointModel *getParentJointModel() const {
		return joint_.get();
	}
	const LinkModel *getParentLinkModel() const {
		return parent_;
	}
	const Eigen::Isometry3d &getJointOriginTransform() const {
		return origin_;
	}

  private:
	std::string name_;
	const LinkModel *parent_;
	std::shared_ptr<JointModel> joint_;
	Eigen::Isometry3d origin_;
	std::vector<shapes::ShapeConstPtr> shapes_;
	std::vector<Eigen::Isometry3d> local_;
};

class JointModelGroup {
  public:
	std::set<const LinkModel *> links;
	const std::set<const LinkModel *> &getUpdatedLinkModelsSet() const {
		return links;
	}
};

class RobotModel {
  public:
	std::vector<std::unique_ptr<LinkModel>> links;
	std::map<std::string, JointModelGroup> groups;
	std::vector<const LinkModel *> getLinkModels() const {
		std::vector<const LinkModel *> all;
		for ( const auto &link : links )
			all.push_back( link.get() );
		return all;
	}
	std::vector<const LinkModel *> getLinkModelsWithCollisionGeometry() const {
		std::vector<const LinkModel *> all;
		for ( const auto &link : links )
			if ( !link->getShapes().empty() )
				all.push_back( link.get() );
		return all;
	}
	bool hasJointModelGroup( const std::string &name ) const {
		return groups.count( name ) > 0;
	}
	const JointModelGroup *getJointModelGroup( const std::string &name ) const {
		return &groups.at( name );
	}
};
using RobotModelConstPtr = std::shared_ptr<const RobotModel>;

class AttachedBody {
  public:
	std::string name;
	const LinkModel *link;
	std::vector<shapes::ShapeConstPtr> shapes;
	std::vector<Eigen::Isometry3d> poses;
	std::set<std::string> touch_links;
	const std::string &getName() const {
		return name;
	}
	const LinkModel *getAttachedLink() const {
		return link;
	}
	const std::vector<shapes::ShapeConstPtr> &getShapes() const {
		return shapes;
	}
	const std::vector<Eigen::Isometry3d> &getGlobalCollisionBodyTransforms() const {
		return poses;
	}
	const std::set<std::string> &getTouchLinks() const {
		return touch_links;
	}
};

// A state whose links stand where the test says.
class RobotState {
  public:
	std::vector<double> positions;
	std::map<const LinkModel *, Eigen::Isometry3d> poses;
	std::vector<AttachedBody> attached;
	const Eigen::Isometry3d &getCollisionBodyTransform( const LinkModel *link, std::size_t ) const {
		return poses.at( link );
	}
	double getVariablePosition( int index ) const {
		return positions.at( static_cast<std::size_t>( index ) );
	}
	void getAttachedBodies( std::vector<const AttachedBody *> &bodies ) const {
		bodies.clear();
		for ( const AttachedBody &body : attached )
			bodies.push_back( &body );
	}
};

} // namespace moveit::core

namespace collision_detection {

namespace BodyTypes {
enum Type { ROBOT_LINK, ROBOT_ATTACHED, WORLD_OBJECT };
}
using BodyType = BodyTypes::Type;

namespace AllowedCollision {
enum Type { NEVER, ALWAYS, CONDITIONAL };
}

class AllowedCollisionMatrix {
  public:
	void setEntry( const std::string &a, const std::string &b, bool allowed ) {
		entries_[std::minmax( a, b )] = allowed;
	}
	bool getAllowedCollision( const std::string &a, const std::string &b, AllowedCollision::Type &type ) const {
		const auto found = entries_.find( std::minmax( a, b ) );
		if ( found != entries_.end() )
			type = found->second ? AllowedCollision::ALWAYS : AllowedCollision::NEVER;
		return found != entries_.end();
	}

  private:
	std::map<std::pair<std::string, std::string>, bool> entries_;
};

struct Contact {
	Eigen::Vector3d pos, normal;
	double depth = 0.0;
	std::string body_name_1;
	BodyType body_type_1;
	std::string body_name_2;
	BodyType body_type_2;
	double percent_interpolation = 0.0;
	Eigen::Vector3d nearest_points[2];
};

struct CollisionResult;
struct CollisionRequest {
	std::string group_name;
	bool pad_environment_collisions = true;
	bool pad_self_collisions = false;
	bool distance = false;
	bool detailed_distance = false;
	bool cost = false;
	bool contacts = false;
	std::size_t max_contacts = 1;
	std::size_t max_contacts_per_pair = 1;
	std::function<bool( const CollisionResult & )> is_done = nullptr;
};

namespace DistanceRequestTypes {
enum DistanceRequestType { GLOBAL, SINGLE, LIMITED, ALL };
}
using DistanceRequestType = DistanceRequestTypes::DistanceRequestType;

struct DistanceRequest {
	DistanceRequestType type = DistanceRequestType::GLOBAL;
	std::size_t max_contacts_per_body = 1;
	std::string group_name;
	const std::set<const moveit::core::LinkModel *> *active_components_only = nullptr;
	const AllowedCollisionMatrix *acm = nullptr;
	double distance_threshold = std::numeric_limits<double>::max();
};
struct DistanceResultsData {
	double distance = std::numeric_limits<double>::max();
	Eigen::Vector3d nearest_points[2];
	std::string link_names[2];
	BodyType body_types[2] = { BodyType::WORLD_OBJECT, BodyType::WORLD_OBJECT };
	Eigen::Vector3d normal;
	bool operator<( const DistanceResultsData &other ) {
		return distance < other.distance;
	}
};
using DistanceMap = std::map<std::pair<std::string, std::string>, std::vector<DistanceResultsData>>;
struct DistanceResult {
	bool collision = false;
	DistanceResultsData minimum_distance;
	DistanceMap distances;
};
struct CollisionResult {
	bool collision = false;
	double distance = std::numeric_limits<double>::max();
	DistanceResult distance_result;
	std::size_t contact_count = 0;
	std::map<std::pair<std::string, std::string>, std::vector<Contact>> contacts;
};

class World {
  public:
	enum ActionBits { UNINITIALIZED = 0, CREATE = 1, DESTROY = 2, MOVE_SHAPE = 4, ADD_SHAPE = 8, REMOVE_SHAPE = 16 };
	class Action {
	  public:
		Action( int bits ) : bits_( bits ) {}
		operator ActionBits() const {
			return static_cast<ActionBits>( bits_ );
		}

	  private:
		int bits_;
	};
	struct Object {
		std::string id_;
		std::vector<shapes::ShapeConstPtr> shapes_;
		std::vector<Eigen::Isometry3d> global_shape_poses_;
	};
	using ObjectPtr = std::shared_ptr<Object>;
	using ObjectConstPtr = std::shared_ptr<const Object>;
	using ObserverHandle = int;
	using ObserverCallbackFn = std::function<void( const ObjectConstPtr &, Action )>;

	ObserverHandle addObserver( const ObserverCallbackFn &callback ) {
		observers_[++last_] = callback;
		return last_;
	}
	void removeObserver( ObserverHandle handle ) {
		observers_.erase( handle );
	}
	void put( const std::string &id, const shapes::ShapeConstPtr &shape, const Eigen::Isometry3d &pose ) {
		auto object = std::make_shared<Object>( Object{ id, { shape }, { pose } } );
		const int action = objects_.count( id ) > 0 ? MOVE_SHAPE : CREATE | ADD_SHAPE;
		objects_[id] = object;
		for ( const auto &observer : observers_ )
			observer.second( object, action );
	}
	void take_away( const std::string &id ) {
		const ObjectPtr object = objects_.at( id );
		objects_.erase( id );
		for ( const auto &observer : observers_ )
			observer.second( object, DESTROY );
	}
	std::map<std::string, ObjectPtr>::const_iterator begin() const {
		return objects_.begin();
	}
	std::map<std::string, ObjectPtr>::const_iterator end() const {
		return objects_.end();
	}

  private:
	std::map<std::string, ObjectPtr> objects_;
	std::map<ObserverHandle, ObserverCallbackFn> observers_;
	ObserverHandle last_ = 0;
};
using WorldPtr = std::shared_ptr<World>;

class CollisionEnv {
  public:
	CollisionEnv( const moveit::core::RobotModelConstPtr &model, double padding = 0.0, double scale = 1.0 )
	    : CollisionEnv( model, std::make_shared<World>(), padding, scale ) {}
	CollisionEnv( const moveit::core::RobotModelConstPtr &model, const WorldPtr &world, double padding = 0.0,
	              double scale = 1.0 )
	    : robot_model_( model ), world_( world ) {
		for ( const moveit::core::LinkModel *link : model->getLinkModelsWithCollisionGeometry() ) {
			link_padding_[link->getName()] = padding;
			link_scale_[link->getName()] = scale;
		}
	}
	CollisionEnv( const CollisionEnv &other, const WorldPtr &world )
	    : robot_model_( other.robot_model_ ), link_padding_( other.link_padding_ ), link_scale_( other.link_scale_ ),
	      world_( world ) {}
	virtual ~CollisionEnv() = default;
	virtual void checkSelfCollision( const CollisionRequest &, CollisionResult &,
	                                 const moveit::core::RobotState & ) const = 0;
	virtual void checkSelfCollision( const CollisionRequest &, CollisionResult &, const moveit::core::RobotState &,
	                                 const AllowedCollisionMatrix & ) const = 0;
	virtual void checkRobotCollision( const CollisionRequest &, CollisionResult &,
	                                  const moveit::core::RobotState & ) const = 0;
	virtual void checkRobotCollision( const CollisionRequest &, CollisionResult &, const moveit::core::RobotState &,
	                                  const AllowedCollisionMatrix & ) const = 0;
	virtual void checkRobotCollision( const CollisionRequest &, CollisionResult &, const moveit::core::RobotState &,
	                                  const moveit::core::RobotState &, const AllowedCollisionMatrix & ) const = 0;
	virtual void checkRobotCollision( const CollisionRequest &, CollisionResult &, const moveit::core::RobotState &,
	                                  const moveit::core::RobotState & ) const = 0;
	virtual void distanceSelf( const DistanceRequest &, DistanceResult &, const moveit::core::RobotState & ) const = 0;
	double distanceSelf( const moveit::core::RobotState &state ) const {
		DistanceRequest req;
		DistanceResult res;
		distanceSelf( req, res, state );
		return res.minimum_distance.distance;
	}
	virtual void distanceRobot( const DistanceRequest &, DistanceResult &, const moveit::core::RobotState & ) const = 0;
	double distanceRobot( const moveit::core::RobotState &state ) const {
		DistanceRequest req;
		DistanceResult res;
		distanceRobot( req, res, state );
		return res.minimum_distance.distance;
	}
	virtual void setWorld( const WorldPtr &world ) {
		world_ = world != nullptr ? world : std::make_shared<World>();
	}
	const WorldPtr &getWorld() {
		return world_;
	}
	const moveit::core::RobotModelConstPtr &getRobotModel() const {
		return robot_model_;
	}
	void setLinkPadding( const std::string &link, double padding ) {
		link_padding_[link] = padding;
		updatedPaddingOrScaling( { link } );
	}
	const std::map<std::string, double> &getLinkPadding() const {
		return link_padding_;
	}
	void setLinkScale( const std::string &link, double scale ) {
		link_scale_[link] = scale;
		updatedPaddingOrScaling( { link } );
	}
	double getLinkScale( const std::string &link ) const {
		const auto found = link_scale_.find( link );
		return found != link_scale_.end() ? found->second : 1.0;
	}

  protected:
	virtual void updatedPaddingOrScaling( const std::vector<std::string> & ) {}
	moveit::core::RobotModelConstPtr robot_model_;
	std::map<std::string, double> link_padding_, link_scale_;

  private:
	WorldPtr world_;
};
using CollisionEnvPtr = std::shared_ptr<CollisionEnv>;
using CollisionEnvConstPtr = std::shared_ptr<const CollisionEnv>;

class CollisionDetectorAllocator {
  public:
	virtual ~CollisionDetectorAllocator() = default;
	virtual const std::string &getName() const = 0;
	virtual CollisionEnvPtr allocateEnv( const WorldPtr &world,
	                                     const moveit::core::RobotModelConstPtr &model ) const = 0;
	virtual CollisionEnvPtr allocateEnv( const CollisionEnvConstPtr &orig, const WorldPtr &world ) const = 0;
	virtual CollisionEnvPtr allocateEnv( const moveit::core::RobotModelConstPtr &model ) const = 0;
};
using CollisionDetectorAllocatorPtr = std::shared_ptr<CollisionDetectorAllocator>;

template <class Env, class Allocator> class CollisionDetectorAllocatorTemplate : public CollisionDetectorAllocator {
  public:
	const std::string &getName() const override {
		return Allocator::NAME;
	}
	CollisionEnvPtr allocateEnv( const WorldPtr &world, const moveit::core::RobotModelConstPtr &model ) const override {
		return std::make_shared<Env>( model, world );
	}
	CollisionEnvPtr allocateEnv( const CollisionEnvConstPtr &orig, const WorldPtr &world ) const override {
		return std::make_shared<Env>( dynamic_cast<const Env &>( *orig ), world );
	}
	CollisionEnvPtr allocateEnv( const moveit::core::RobotModelConstPtr &model ) const override {
		return std::make_shared<Env>( model );
	}
	static CollisionDetectorAllocatorPtr create() {
		return std::make_shared<Allocator>();
	}
};

class CollisionPlugin;

} // namespace collision_detection

namespace planning_scene {

class PlanningScene {
  public:
	collision_detection::CollisionDetectorAllocatorPtr detector;
	void allocateCollisionDetector( const collision_detection::CollisionDetectorAllocatorPtr &allocator ) {
		detector = allocator;
	}
};
using PlanningScenePtr = std::shared_ptr<PlanningScene>;

} // namespace planning_scene

namespace collision_detection {

class CollisionPlugin {
  public:
	virtual ~CollisionPlugin() = default;
	virtual bool initialize( const planning_scene::PlanningScenePtr &scene ) const = 0;
};

} // namespace collision_detection

#define PLUGINLIB_EXPORT_CLASS( of, base )                                                                             \
	std::unique_ptr<base> make_exported_plugin() {                                                                     \
		return std::make_unique<of>();                                                                                 \
	}
