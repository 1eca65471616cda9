// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh.hpp
/// The library in C++17: objects that free themselves, views of the caller's containers, results that hold a value or
/// an error, and poses from Eigen and GLM. A header alone, over the functions in C, which say exactly what is asked and
/// answered; all that they say of shapes, units, frames, errors, cost and threads holds here. dualbvh.h does not
/// include it.
///
///     #include <dualbvh/dualbvh.hpp>
///
///     dualbvh::Result<dualbvh::Mesh> mesh = dualbvh::Mesh::load( "gear.stl" );
///     if ( !mesh )
///         return complain( mesh.error().text );
///     dualbvh::Result<dualbvh::Tree> tree = dualbvh::Tree::build( mesh->view() );
///     if ( !tree )
///         return complain( tree.error().text );
///
///     dualbvh::Result<dualbvh::CollideResult> answer =
///         dualbvh::collide( *tree, dualbvh::identity(), *tree, dualbvh::translation( 1.5, 0, 0 ) );
///     if ( answer && answer->verdict == DBVH_INTERSECTING )
///         puts( "intersecting" );
///
/// **Without exceptions**, which is the default: a function returns a Result, true where there is a value. The header
/// throws nothing and allocates with malloc() only, and compiles with -fno-exceptions and -fno-rtti.
///
/// **With exceptions**, where DUALBVH_EXCEPTIONS is defined before the header is included: the same functions return
/// the value itself, and throw an Exception, which holds the dbvh_error and says its sentence. Then the above is
///
///     const dualbvh::Tree tree = dualbvh::Tree::build( dualbvh::Mesh::load( "gear.stl" ).view() );
///     if ( dualbvh::collide( tree, dualbvh::identity(), tree, pose ).verdict == DBVH_INTERSECTING )
///
/// Files compiled either way may be linked into one program: the two are different functions by an inline namespace. An
/// `Outcome<T>` below is a `Result<T>` or a `T`.
///
/// **Objects** (Mesh, Tree, Workspace, Scene, Contacts) own what they hold, are moved and not copied, and may be empty:
/// made without arguments, or moved from. get() is the object in C for any function that has no other form here, and
/// stays the same when the owner is moved. What is asked of an empty one is refused as a NULL is. Destroying one from
/// any thread is fine once nobody uses it.
///
/// **Views** (span) are a pointer and a count, made from arrays, std::array, std::vector, std::span and whatever else
/// has data() and size(); they are borrowed for the duration of the call, as pointers are in C.

#ifndef DUALBVH_HPP
#define DUALBVH_HPP

#include "dualbvh/dualbvh.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <utility>

#ifdef DUALBVH_EXCEPTIONS
#include <stdexcept>
#endif

namespace dualbvh {

// The types in C that are data have their own names here, too.
using Status = dbvh_status;
using Error = dbvh_error;
using Allocator = dbvh_allocator;
using Budget = dbvh_budget;
using Pose = dbvh_pose;
using Pair = dbvh_pair;
using MeshView = dbvh_mesh_view;
using MeshAudit = dbvh_mesh_audit_result;
using MeshComponent = dbvh_mesh_component;
using TreeOptions = dbvh_tree_options;
using TreeStats = dbvh_tree_stats;
using OpenLoop = dbvh_open_loop;
using TreeLoadOptions = dbvh_tree_load_options;
using CacheReport = dbvh_cache_report;
using BatchOptions = dbvh_batch_options;
using Cache = dbvh_cache;
using CollideQuery = dbvh_collide_query;
using CollideResult = dbvh_collide_result;
using DistanceQuery = dbvh_distance_query;
using DistanceResult = dbvh_distance_result;
using ClearanceQuery = dbvh_clearance_query;
using ClearanceResult = dbvh_clearance_result;
using RelateQuery = dbvh_relate_query;
using RelateResult = dbvh_relate_result;
using Ray = dbvh_ray;
using Segment = dbvh_segment;
using RayHit = dbvh_ray_hit;
using RaycastQuery = dbvh_raycast_query;
using RaycastResult = dbvh_raycast_result;
using ClosestPointQuery = dbvh_closest_point_query;
using ClosestPointResult = dbvh_closest_point_result;
using Motion = dbvh_motion;
using ToiQuery = dbvh_toi_query;
using ToiResult = dbvh_toi_result;
using Shape = dbvh_shape;
using CollideShapeResult = dbvh_collide_shape_result;
using ContactsQuery = dbvh_contacts_query;
using Separation = dbvh_separation;
using Extent = dbvh_extent;
using BodyOptions = dbvh_body_options;
using PairRule = dbvh_pair_rule;
using SceneQuery = dbvh_scene_query;
using SceneResult = dbvh_scene_result;
using BodyPair = dbvh_body_pair;
using SceneCollision = dbvh_scene_collision;
using Clash = dbvh_clash;
using SceneDistanceResult = dbvh_scene_distance_result;
using ConfigurationsQuery = dbvh_configurations_query;
using ConfigurationResult = dbvh_configuration_result;
using MotionsQuery = dbvh_motions_query;
using EdgeResult = dbvh_edge_result;
using SceneHit = dbvh_scene_hit;
using SceneClosestPoint = dbvh_scene_closest_point_result;

/// The version of the library that is linked, "major.minor.patch".
inline const char *version() {
	return dbvh_version();
}

// ------------------------------------------------------------------------------------------------
// Views and arrays

template <class T> class span;

namespace common {

template <class T> struct is_span : std::false_type {};
template <class T> struct is_span<span<T>> : std::true_type {};

template <class C> using data_of = std::remove_pointer_t<decltype( std::declval<C &>().data() )>;

// Whether C has data() and size(), and its elements are those of T, perhaps without const.
template <class C, class T, class = void> struct holds : std::false_type {};
template <class C, class T>
struct holds<C, T, std::void_t<data_of<C>, decltype( std::declval<C &>().size() )>>
    : std::is_convertible<data_of<C> ( * )[], T ( * )[]> {};

} // namespace common

/// A pointer and a count: what std::span is in C++20. Borrowed; copying it is free.
template <class T> class span {
  public:
	constexpr span() noexcept = default;
	constexpr span( T *data, std::size_t size ) noexcept : data_( data ), size_( size ) {}
	template <std::size_t n> constexpr span( T ( &array )[n] ) noexcept : data_( array ), size_( n ) {}
	template <class C, class = std::enable_if_t<!common::is_span<std::decay_t<C>>::value &&
	                                            common::holds<std::remove_reference_t<C>, T>::value &&
	                                            ( std::is_lvalue_reference_v<C> || std::is_const_v<T> )>>
	constexpr span( C &&container ) noexcept
	    : data_( container.data() ), size_( static_cast<std::size_t>( container.size() ) ) {}
	template <class U, class = std::enable_if_t<std::is_convertible_v<U ( * )[], T ( * )[]>>>
	constexpr span( span<U> other ) noexcept : data_( other.data() ), size_( other.size() ) {}
	constexpr T *data() const noexcept {
		return data_;
	}
	constexpr std::size_t size() const noexcept {
		return size_;
	}
	constexpr bool empty() const noexcept {
		return size_ == 0;
	}
	constexpr T *begin() const noexcept {
		return data_;
	}
	constexpr T *end() const noexcept {
		return data_ + size_;
	}
	constexpr T &operator[]( std::size_t i ) const noexcept {
		return data_[i];
	}

  private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

/// An array that a function here returns: plain data, owned, moved and not copied, from malloc().
template <class T> class Array {
	static_assert( std::is_trivially_copyable_v<T>, "an Array holds plain data" );

  public:
	Array() noexcept = default;
	Array( Array &&other ) noexcept
	    : data_( std::exchange( other.data_, nullptr ) ), size_( std::exchange( other.size_, 0 ) ) {}
	Array &operator=( Array &&other ) noexcept {
		std::swap( data_, other.data_ );
		std::swap( size_, other.size_ );
		return *this;
	}
	~Array() {
		std::free( data_ );
	}
	T *data() noexcept {
		return data_;
	}
	const T *data() const noexcept {
		return data_;
	}
	std::size_t size() const noexcept {
		return size_;
	}
	bool empty() const noexcept {
		return size_ == 0;
	}
	T *begin() noexcept {
		return data_;
	}
	T *end() noexcept {
		return data_ + size_;
	}
	const T *begin() const noexcept {
		return data_;
	}
	const T *end() const noexcept {
		return data_ + size_;
	}
	T &operator[]( std::size_t i ) noexcept {
		return data_[i];
	}
	const T &operator[]( std::size_t i ) const noexcept {
		return data_[i];
	}
	/// Room for `size` elements, all zero; what was there is gone. False where there is no memory: it is empty then.
	bool assign_zero( std::size_t size ) noexcept {
		std::free( data_ );
		data_ = size == 0 ? nullptr : static_cast<T *>( std::calloc( size, sizeof( T ) ) );
		size_ = data_ != nullptr ? size : 0;
		return size_ == size;
	}
	/// Forgets all elements from `size` on.
	void truncate( std::size_t size ) noexcept {
		size_ = size < size_ ? size : size_;
	}

  private:
	T *data_ = nullptr;
	std::size_t size_ = 0;
};

// ------------------------------------------------------------------------------------------------
// Results

namespace common {

inline Error no_error() noexcept {
	Error error;
	error.status = DBVH_OK;
	error.line = 0;
	error.byte = error.element = -1;
	error.text[0] = '\0';
	return error;
}

// An error that this header finds itself.
inline Status refuse( Error &error, Status status, const char *text ) noexcept {
	error = no_error();
	error.status = status;
	std::snprintf( error.text, sizeof( error.text ), "%s", text );
	return status;
}

} // namespace common

#ifdef DUALBVH_EXCEPTIONS
inline namespace exceptions {

/// What is thrown; what() is error().text.
class Exception : public std::runtime_error {
  public:
	explicit Exception( const Error &error ) : std::runtime_error( error.text ), error_( error ) {}
	const Error &error() const noexcept {
		return error_;
	}
	Status status() const noexcept {
		return error_.status;
	}

  private:
	Error error_;
};

template <class T> using Outcome = T;

namespace detail {

using namespace common;

// Calls ask( value, error ), which returns a status.
template <class T, class F> T outcome_of( F &&ask ) {
	Error error = no_error();
	if constexpr ( std::is_void_v<T> ) {
		if ( ask( error ) != DBVH_OK )
			throw Exception( error );
	} else {
		T value{};
		if ( ask( value, error ) != DBVH_OK )
			throw Exception( error );
		return value;
	}
}

} // namespace detail
#else
inline namespace results {

template <class T> class Result;

namespace detail {

using namespace common;

template <class T, class F> Result<T> outcome_of( F &&ask );

} // namespace detail

/// A value or an error. Where it is false, left() is what the call left behind: all zero or empty, but for a query that
/// ran out of its budget (DBVH_BUDGET_SPENT, DBVH_CANCELLED), which then says what was known by that time.
template <class T> class [[nodiscard]] Result {
  public:
	explicit operator bool() const noexcept {
		return ok();
	}
	bool ok() const noexcept {
		return error_.status == DBVH_OK;
	}
	Status status() const noexcept {
		return error_.status;
	}
	/// Its text is "" where there is a value.
	const Error &error() const noexcept {
		return error_;
	}
	/// The value. Asked for where there is none, an assert fails.
	T &operator*() &noexcept {
		assert( ok() );
		return value_;
	}
	const T &operator*() const &noexcept {
		assert( ok() );
		return value_;
	}
	T &&operator*() &&noexcept {
		assert( ok() );
		return std::move( value_ );
	}
	T *operator->() noexcept {
		assert( ok() );
		return &value_;
	}
	const T *operator->() const noexcept {
		assert( ok() );
		return &value_;
	}
	template <class U> T value_or( U &&other ) && {
		return ok() ? std::move( value_ ) : static_cast<T>( std::forward<U>( other ) );
	}
	const T &left() const noexcept {
		return value_;
	}

  private:
	template <class U, class F> friend Result<U> detail::outcome_of( F &&ask );
	Result() noexcept = default;

	T value_{};
	Error error_ = common::no_error();
};

/// Whether it worked.
template <> class [[nodiscard]] Result<void> {
  public:
	explicit operator bool() const noexcept {
		return ok();
	}
	bool ok() const noexcept {
		return error_.status == DBVH_OK;
	}
	Status status() const noexcept {
		return error_.status;
	}
	const Error &error() const noexcept {
		return error_;
	}

  private:
	template <class U, class F> friend Result<U> detail::outcome_of( F &&ask );
	Result() noexcept = default;

	Error error_ = common::no_error();
};

template <class T> using Outcome = Result<T>;

namespace detail {

// Calls ask( value, error ), which returns a status. The result is built where the caller wants it, and never copied.
template <class T, class F> Result<T> outcome_of( F &&ask ) {
	Result<T> result;
	if constexpr ( std::is_void_v<T> )
		result.error_.status = ask( result.error_ );
	else
		result.error_.status = ask( result.value_, result.error_ );
	return result;
}

} // namespace detail
#endif

// ------------------------------------------------------------------------------------------------
// Poses

/// No rotation, no translation.
inline Pose identity() {
	return dbvh_pose_identity();
}

inline Pose translation( double x, double y, double z ) {
	Pose pose = dbvh_pose_identity();
	pose.pos[0] = x;
	pose.pos[1] = y;
	pose.pos[2] = z;
	return pose;
}

/// As dbvh_pose_check(): the deviation from a rotation.
inline Outcome<double> check( const Pose &pose ) {
	return detail::outcome_of<double>(
	    [&]( double &deviation, Error &error ) { return dbvh_pose_check( &pose, &deviation, &error ); } );
}

/// As dbvh_pose_orthonormalise().
inline Outcome<Pose> orthonormalise( const Pose &pose ) {
	return detail::outcome_of<Pose>(
	    [&]( Pose &nearest, Error &error ) { return dbvh_pose_orthonormalise( &pose, &nearest, nullptr, &error ); } );
}

/// The pose of B seen from A: see dbvh_pose_relative().
inline Pose relative( const Pose &a, const Pose &b ) {
	return dbvh_pose_relative( &a, &b );
}

// ------------------------------------------------------------------------------------------------
// Owners

namespace detail {

// What all objects have in common.
template <class T, void ( *destroy )( T * )> class Owner {
  public:
	Owner() noexcept = default;
	/// Takes over what a function in C has made.
	explicit Owner( T *object ) noexcept : object_( object ) {}
	Owner( Owner &&other ) noexcept : object_( std::exchange( other.object_, nullptr ) ) {}
	Owner &operator=( Owner &&other ) noexcept {
		std::swap( object_, other.object_ );
		return *this;
	}
	~Owner() {
		destroy( object_ );
	}
	T *get() const noexcept {
		return object_;
	}
	/// Gives it away: the caller destroys it.
	T *release() noexcept {
		return std::exchange( object_, nullptr );
	}
	explicit operator bool() const noexcept {
		return object_ != nullptr;
	}

  protected:
	T *object_ = nullptr;
};

// The number that a vertex or a triangle is made of: arrays and vectors have it as value_type or Scalar.
template <class T, class = void> struct scalar_of { using type = T; };
template <class T> struct scalar_of<T, std::void_t<typename T::value_type>> { using type = typename T::value_type; };
template <class T, std::size_t n> struct scalar_of<T[n], void> { using type = T; };

template <class T> using scalar = std::remove_cv_t<typename scalar_of<std::remove_cv_t<T>>::type>;

// How many of them an element is: 1 for a bare number, which then comes three at a time.
template <class T> constexpr std::size_t step_of() {
	return std::is_arithmetic_v<std::remove_cv_t<T>> ? 3 : 1;
}

} // namespace detail

/// A view of the caller's arrays, borrowed: vertices as doubles or floats, three each, or as elements that begin with
/// three of them (std::array, glm::vec3, Eigen::Vector3d); triangles as uint32_t or uint64_t, three each, or as
/// elements of three. A number of vertices or indices that three does not divide leaves the rest out.
template <class Positions, class Indices> MeshView mesh_view( const Positions &positions, const Indices &indices ) {
	using P = std::remove_pointer_t<decltype( std::data( positions ) )>;
	using I = std::remove_pointer_t<decltype( std::data( indices ) )>;
	using Number = detail::scalar<P>;
	using Index = detail::scalar<I>;
	static_assert( std::is_same_v<Number, double> || std::is_same_v<Number, float>, "vertices are doubles or floats" );
	static_assert( std::is_integral_v<Index> && ( sizeof( Index ) == 4 || sizeof( Index ) == 8 ),
	               "indices have 32 or 64 bits" );
	static_assert( std::is_arithmetic_v<P> || sizeof( P ) >= 3 * sizeof( Number ), "a vertex has three coordinates" );
	static_assert( std::is_arithmetic_v<I> || sizeof( I ) >= 3 * sizeof( Index ), "a triangle has three corners" );
	MeshView view{};
	view.positions = std::data( positions );
	view.vertex_count = std::size( positions ) / detail::step_of<P>();
	view.vertex_stride = std::is_arithmetic_v<P> ? 0 : sizeof( P );
	view.position_type = std::is_same_v<Number, double> ? DBVH_POSITION_TYPE_FLOAT64 : DBVH_POSITION_TYPE_FLOAT32;
	view.indices = std::data( indices );
	view.triangle_count = std::size( indices ) / detail::step_of<I>();
	view.triangle_stride = std::is_arithmetic_v<I> ? 0 : sizeof( I );
	view.index_type = sizeof( Index ) == 4 ? DBVH_INDEX_TYPE_UINT32 : DBVH_INDEX_TYPE_UINT64;
	return view;
}

/// The same without indices: three vertices a triangle.
template <class Positions> MeshView mesh_view( const Positions &positions ) {
	MeshView view = mesh_view( positions, span<const std::uint32_t>() );
	view.index_type = DBVH_INDEX_TYPE_NONE;
	return view;
}

/// A mesh: see mesh.h.
class Mesh : public detail::Owner<dbvh_mesh, dbvh_mesh_destroy> {
  public:
	using Owner::Owner;
	/// From a file; the format is told by its content.
	static Outcome<Mesh> load( const char *path, dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO,
	                           const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_load( path, format, allocator, &mesh.object_, &error );
		} );
	}
	/// From bytes in memory.
	static Outcome<Mesh> parse( const void *bytes, std::size_t byte_count,
	                            dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO,
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_parse( bytes, byte_count, format, allocator, &mesh.object_, &error );
		} );
	}
	/// A copy of a view.
	static Outcome<Mesh> create( const MeshView &view, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>(
		    [&]( Mesh &mesh, Error &error ) { return dbvh_mesh_create( &view, allocator, &mesh.object_, &error ); } );
	}
	/// Valid as long as the mesh; of an empty one, a view of nothing.
	MeshView view() const {
		return object_ != nullptr ? dbvh_mesh_get_view( object_ ) : MeshView{};
	}
	std::size_t vertex_count() const {
		return view().vertex_count;
	}
	std::size_t triangle_count() const {
		return view().triangle_count;
	}
	/// Three doubles a vertex.
	span<const double> positions() const {
		const MeshView v = view();
		return { static_cast<const double *>( v.positions ), 3 * v.vertex_count };
	}
	/// What the polygons of a file were: see dbvh_mesh_get_faces().
	dbvh_mesh_faces faces() const {
		return dbvh_mesh_get_faces( object_ );
	}
	/// Three indices a triangle.
	span<const std::uint32_t> indices() const {
		const MeshView v = view();
		return { static_cast<const std::uint32_t *>( v.indices ), 3 * v.triangle_count };
	}
};

/// As dbvh_mesh_save().
inline Outcome<void> save( const MeshView &view, const char *path, dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO ) {
	return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_mesh_save( &view, path, format, &error ); } );
}

namespace detail {

// Asks ask( room, capacity, count, error ) until there is room for everything, and keeps it in `all`.
template <class T, class F> Status gather( Array<T> &all, Error &error, F &&ask ) {
	std::size_t capacity = 64;
	for ( ;; ) {
		if ( !all.assign_zero( capacity ) )
			return refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the list" );
		std::size_t count = 0, written = 0;
		const Status status = ask( all.data(), capacity, count, written, error );
		if ( status != DBVH_OK || count <= capacity ) {
			all.truncate( written );
			return status;
		}
		capacity = count;
	}
}

} // namespace detail

/// As dbvh_mesh_view_check().
inline Outcome<void> check( const MeshView &view ) {
	return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_mesh_view_check( &view, &error ); } );
}

/// As dbvh_mesh_audit(), without the components.
inline Outcome<MeshAudit> audit( const MeshView &view ) {
	return detail::outcome_of<MeshAudit>( [&]( MeshAudit &result, Error &error ) {
		return dbvh_mesh_audit( &view, nullptr, &result, nullptr, 0, &error );
	} );
}

/// The connected components, by their lowest triangle: those that dbvh_mesh_audit() lists.
inline Outcome<Array<MeshComponent>> components( const MeshView &view ) {
	return detail::outcome_of<Array<MeshComponent>>( [&]( Array<MeshComponent> &all, Error &error ) {
		return detail::gather(
		    all, error,
		    [&]( MeshComponent *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
			    MeshAudit result{};
			    const Status status = dbvh_mesh_audit( &view, nullptr, &result, room, capacity, &e );
			    count = result.component_count;
			    written = count < capacity ? count : capacity;
			    return status;
		    } );
	} );
}

/// For each triangle the index of its component in components().
inline Outcome<Array<std::uint32_t>> label_components( const MeshView &view ) {
	return detail::outcome_of<Array<std::uint32_t>>( [&]( Array<std::uint32_t> &labels, Error &error ) {
		const bool soup = view.index_type == DBVH_INDEX_TYPE_NONE;
		if ( !labels.assign_zero( soup ? view.vertex_count / 3 : view.triangle_count ) )
			return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the labels" );
		return dbvh_mesh_label_components( &view, nullptr, labels.data(), nullptr, &error );
	} );
}

/// Where the surface of a tree is open: each loop has its points, three doubles each, in `points`.
struct OpenLoops {
	Array<OpenLoop> loops;
	Array<double> points;
};

/// The upper part of a tree, and its triangles in the order of the leaves.
struct TreeNodes {
	Array<dbvh_tree_node> nodes;
	Array<std::uint32_t> order;
};

/// What all queries take: see tree.h. It keeps what it needs of the mesh.
class Tree : public detail::Owner<dbvh_tree, dbvh_tree_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Tree> build( const MeshView &view, const TreeOptions &options = {},
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_build( &view, &options, allocator, &tree.object_, &error );
		} );
	}
	/// From a file of save(): read, or mapped. See tree_file.h.
	static Outcome<Tree> load( const char *path, const TreeLoadOptions &options = {},
	                           const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_load( path, &options, allocator, &tree.object_, &error );
		} );
	}
	static Outcome<Tree> map( const char *path, const TreeLoadOptions &options = {},
	                          const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_map( path, &options, allocator, &tree.object_, &error );
		} );
	}
	/// From bytes of write(): copied, or borrowed as long as the tree is there, aligned to 64.
	static Outcome<Tree> parse( span<const unsigned char> bytes, const TreeLoadOptions &options = {},
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_parse( bytes.data(), bytes.size(), &options, allocator, &tree.object_, &error );
		} );
	}
	static Outcome<Tree> borrow( span<const unsigned char> bytes, const TreeLoadOptions &options = {},
	                             const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_borrow( bytes.data(), bytes.size(), &options, allocator, &tree.object_, &error );
		} );
	}
	/// build(), or what is in a folder of trees. See dbvh_tree_build_cached().
	static Outcome<Tree> build_cached( const MeshView &view, const char *folder, const TreeOptions &options = {},
	                                   bool mapped = false, const TreeLoadOptions &load_options = {},
	                                   CacheReport *report = nullptr, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_build_cached( &view, &options, folder, mapped, &load_options, allocator, &tree.object_,
			                               report, &error );
		} );
	}
	Outcome<void> save( const char *path ) const {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_tree_save( object_, path, &error ); } );
	}
	/// What save() would write.
	Outcome<Array<unsigned char>> write() const {
		return detail::outcome_of<Array<unsigned char>>( [&]( Array<unsigned char> &bytes, Error &error ) {
			std::size_t count = 0;
			const Status counted = dbvh_tree_write( object_, nullptr, 0, &count, &error );
			if ( counted != DBVH_OK )
				return counted;
			if ( !bytes.assign_zero( count ) )
				return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the bytes" );
			return dbvh_tree_write( object_, bytes.data(), bytes.size(), &count, &error );
		} );
	}
	/// Its triangles, in file order. See dbvh_tree_get_mesh().
	Outcome<Mesh> mesh( const Allocator *allocator = nullptr ) const {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			dbvh_mesh *made = nullptr;
			const Status status = dbvh_tree_get_mesh( object_, allocator, &made, &error );
			mesh = Mesh( made );
			return status;
		} );
	}
	/// How it was built; all zero for an empty one.
	TreeOptions options() const {
		return object_ != nullptr ? dbvh_tree_get_options( object_ ) : TreeOptions{};
	}
	/// The same triangles, moved; nobody may use the tree meanwhile.
	Outcome<void> refit( const MeshView &view ) {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_tree_refit( object_, &view, &error ); } );
	}
	/// All zero for an empty one.
	TreeStats stats() const {
		return object_ != nullptr ? dbvh_tree_get_stats( object_ ) : TreeStats{};
	}
	/// Checks every invariant.
	Outcome<void> validate() const {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_tree_validate( object_, &error ); } );
	}
	/// The upper part of the reference tree, at most so many nodes. See dbvh_tree_get_nodes().
	Outcome<TreeNodes> nodes( std::size_t most = static_cast<std::size_t>( -1 ) ) const {
		return detail::outcome_of<TreeNodes>( [&]( TreeNodes &found, Error &error ) {
			const TreeStats facts = stats();
			const std::size_t capacity = most < facts.node_count ? most : facts.node_count;
			if ( !found.nodes.assign_zero( capacity ) || !found.order.assign_zero( facts.fragment_count ) )
				return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the nodes" );
			std::size_t count = 0;
			const Status status = dbvh_tree_get_nodes( object_, found.nodes.data(), capacity, found.order.data(),
			                                           found.order.size(), &count, &error );
			found.nodes.truncate( count );
			return status;
		} );
	}
	/// Holes and ends of one component or of all; a tree with topology. See dbvh_tree_open_loops().
	Outcome<OpenLoops> open_loops( std::size_t component = DBVH_ALL_COMPONENTS ) const {
		return detail::outcome_of<OpenLoops>( [&]( OpenLoops &found, Error &error ) {
			std::size_t loops = 0, points = 0;
			const Status counted =
			    dbvh_tree_open_loops( object_, component, nullptr, 0, nullptr, 0, &loops, &points, &error );
			if ( counted != DBVH_OK )
				return counted;
			if ( !found.loops.assign_zero( loops ) || !found.points.assign_zero( 3 * points ) )
				return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the loops" );
			return dbvh_tree_open_loops( object_, component, found.loops.data(), loops,
			                             reinterpret_cast<double( * )[3]>( found.points.data() ), points, nullptr,
			                             nullptr, &error );
		} );
	}
};

/// What names a tree in a folder of them: see dbvh_tree_key().
inline std::uint64_t tree_key( const MeshView &view, const TreeOptions &options = {} ) {
	return dbvh_tree_key( &view, &options );
}

/// Do bytes begin like a file of a tree?
inline bool is_tree_file( span<const unsigned char> bytes ) {
	return dbvh_is_tree_file( bytes.data(), bytes.size() );
}

/// Scratch memory of one thread, so that queries allocate nothing: see query.h.
class Workspace : public detail::Owner<dbvh_workspace, dbvh_workspace_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Workspace> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Workspace>( [&]( Workspace &workspace, Error &error ) {
			return dbvh_workspace_create( allocator, &workspace.object_, &error );
		} );
	}
	Outcome<void> reserve( const Tree &a, const Tree &b, std::size_t pair_capacity = 0,
	                       std::uint32_t thread_count = 1 ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			return dbvh_workspace_reserve_threads( object_, a.get(), b.get(), pair_capacity, thread_count, &error );
		} );
	}
};

namespace detail {

inline dbvh_workspace *of( Workspace *workspace ) noexcept {
	return workspace != nullptr ? workspace->get() : nullptr;
}

// What the queries of two meshes have in common, in C.
template <class Query, class R>
using PairFunction = Status( const dbvh_tree *, const Pose *, const dbvh_tree *, const Pose *, const Query *,
                             dbvh_workspace *, R *, Error * );
template <class P, class Query, class R>
using PairBatch = Status( const dbvh_tree *, const P *, const dbvh_tree *, const P *, std::size_t, const Query *,
                          const BatchOptions *, R *, Error * );
// And those of one mesh.
template <class P, class Query, class R>
using MeshFunction = Status( const dbvh_tree *, const Pose *, const P *, const Query *, dbvh_workspace *, R *,
                             Error * );
template <class P, class Query, class R>
using MeshBatch = Status( const dbvh_tree *, const Pose *, const P *, std::size_t, const Query *, const BatchOptions *,
                          R *, Error * );

template <class Query, class R>
Outcome<R> ask_pair( PairFunction<Query, R> *function, const Tree &a, const Pose &pose_a, const Tree &b,
                     const Pose &pose_b, const Query &query, Workspace *workspace ) {
	return outcome_of<R>( [&]( R &result, Error &error ) {
		return function( a.get(), &pose_a, b.get(), &pose_b, &query, of( workspace ), &result, &error );
	} );
}

template <class P, class Query, class R>
Outcome<R> ask_mesh( MeshFunction<P, Query, R> *function, const Tree &tree, const Pose &pose, const P *about,
                     const Query &query, Workspace *workspace ) {
	return outcome_of<R>( [&]( R &result, Error &error ) {
		return function( tree.get(), &pose, about, &query, of( workspace ), &result, &error );
	} );
}

// A batch has as many places for answers as questions, or is refused: `ask( error )` is called where it has.
template <class F> Outcome<void> ask_batch( std::size_t questions, std::size_t answers, F &&ask ) {
	return outcome_of<void>( [&]( Error &error ) {
		if ( questions != answers )
			return refuse( error, DBVH_INVALID_ARGUMENT, "results: there must be as many as are asked for" );
		return ask( error );
	} );
}

template <class P, class Query, class R>
Outcome<void> ask_pair_batch( PairBatch<P, Query, R> *function, const Tree &a, const P &place_a, const Tree &b,
                              span<const P> places_b, span<R> results, const Query &query,
                              const BatchOptions &options ) {
	return ask_batch( places_b.size(), results.size(), [&]( Error &error ) {
		return function( a.get(), &place_a, b.get(), places_b.data(), places_b.size(), &query, &options, results.data(),
		                 &error );
	} );
}

template <class P, class Query, class R>
Outcome<void> ask_mesh_batch( MeshBatch<P, Query, R> *function, const Tree &tree, const Pose &pose,
                              span<const P> questions, span<R> results, const Query &query,
                              const BatchOptions &options ) {
	return ask_batch( questions.size(), results.size(), [&]( Error &error ) {
		return function( tree.get(), &pose, questions.data(), questions.size(), &query, &options, results.data(),
		                 &error );
	} );
}

// Every one of a list that a query writes: `room`, `capacity` are its members, `count` and `written` those of its
// result; ask( query, result, error ).
template <class T, class Query, class R, class F>
Outcome<Array<T>> ask_all( Query query, T *Query::*room, std::size_t Query::*capacity, std::size_t R::*count,
                           std::size_t R::*written, F &&ask ) {
	query.find = DBVH_FIND_ALL;
	return outcome_of<Array<T>>( [&]( Array<T> &all, Error &error ) {
		return gather( all, error, [&]( T *list, std::size_t size, std::size_t &found, std::size_t &got, Error &e ) {
			query.*room = list;
			query.*capacity = size;
			R result{};
			const Status status = ask( query, result, e );
			found = result.*count;
			got = result.*written;
			return status;
		} );
	} );
}

} // namespace detail

// ------------------------------------------------------------------------------------------------
// Two meshes
//
// Queries are those in C, with poses and queries that may be left out where they stand last, and a workspace that may
// be left out.

/// Do A and B intersect? See dbvh_collide().
inline Outcome<CollideResult> collide( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                       const CollideQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_collide, a, pose_a, b, pose_b, query, workspace );
}

/// The same, faster for two that move little from call to call; `cache` is theirs, and begins as Cache{}. See
/// dbvh_collide_cached().
inline Outcome<CollideResult> collide_cached( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                              Cache &cache, const CollideQuery &query = {},
                                              Workspace *workspace = nullptr ) {
	return detail::outcome_of<CollideResult>( [&]( CollideResult &result, Error &error ) {
		return dbvh_collide_cached( a.get(), &pose_a, b.get(), &pose_b, &query, &cache, detail::of( workspace ),
		                            &result, &error );
	} );
}

/// Every pair of triangles that intersects, sorted by a, then by b. Asks once where 64 are enough, else twice.
/// `query.find`, `pairs` and `pair_capacity` are not read. With DBVH_BUDGET_SPENT, left() has those found until then.
inline Outcome<Array<Pair>> collide_all( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                         const CollideQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_all(
	    query, &CollideQuery::pairs, &CollideQuery::pair_capacity, &CollideResult::pair_count,
	    &CollideResult::pair_written, [&]( const CollideQuery &q, CollideResult &result, Error &error ) {
		    return dbvh_collide( a.get(), &pose_a, b.get(), &pose_b, &q, detail::of( workspace ), &result, &error );
	    } );
}

/// B at many poses; `results` has a place for each. What is refused spoils no other: the error names the first, and
/// each result has its own status. See dbvh_collide_batch().
inline Outcome<void> collide_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                    span<CollideResult> results, const CollideQuery &query = {},
                                    const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_collide_batch, a, pose_a, b, poses_b, results, query, options );
}

/// How far apart are they? See dbvh_distance().
inline Outcome<DistanceResult> distance( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                         const DistanceQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_distance, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_distance_batch().
inline Outcome<void> distance_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                     span<DistanceResult> results, const DistanceQuery &query = {},
                                     const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_distance_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Are they at most query.max_distance apart? See dbvh_check_clearance().
inline Outcome<ClearanceResult> check_clearance( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                                 const ClearanceQuery &query, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_check_clearance, a, pose_a, b, pose_b, query, workspace );
}

/// Every pair of triangles that is, as collide_all().
inline Outcome<Array<Pair>> clearance_all( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                           const ClearanceQuery &query, Workspace *workspace = nullptr ) {
	return detail::ask_all( query, &ClearanceQuery::pairs, &ClearanceQuery::pair_capacity, &ClearanceResult::pair_count,
	                        &ClearanceResult::pair_written,
	                        [&]( const ClearanceQuery &q, ClearanceResult &result, Error &error ) {
		                        return dbvh_check_clearance( a.get(), &pose_a, b.get(), &pose_b, &q,
		                                                     detail::of( workspace ), &result, &error );
	                        } );
}

/// See dbvh_check_clearance_batch().
inline Outcome<void> check_clearance_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                            span<ClearanceResult> results, const ClearanceQuery &query,
                                            const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_check_clearance_batch, a, pose_a, b, poses_b, results, query, options );
}

/// Inside, outside, touching, overlapping? Trees with topology. See dbvh_relate().
inline Outcome<RelateResult> relate( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
                                     const RelateQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::ask_pair( dbvh_relate, a, pose_a, b, pose_b, query, workspace );
}

/// See dbvh_relate_batch().
inline Outcome<void> relate_batch( const Tree &a, const Pose &pose_a, const Tree &b, span<const Pose> poses_b,
                                   span<RelateResult> results, const RelateQuery &query = {},
                                   const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_relate_batch, a, pose_a, b, poses_b, results, query, options );
}

/// When do they touch first, each in its motion? See dbvh_time_of_impact().
inline Outcome<ToiResult> time_of_impact( const Tree &a, const Motion &motion_a, const Tree &b, const Motion &motion_b,
                                          const ToiQuery &query = {}, Workspace *workspace = nullptr ) {
	return detail::outcome_of<ToiResult>( [&]( ToiResult &result, Error &error ) {
		return dbvh_time_of_impact( a.get(), &motion_a, b.get(), &motion_b, &query, detail::of( workspace ), &result,
		                            &error );
	} );
}

/// See dbvh_time_of_impact_batch().
inline Outcome<void> time_of_impact_batch( const Tree &a, const Motion &motion_a, const Tree &b,
                                           span<const Motion> motions_b, span<ToiResult> results,
                                           const ToiQuery &query = {}, const BatchOptions &options = {} ) {
	return detail::ask_pair_batch( dbvh_time_of_impact_batch, a, motion_a, b, motions_b, results, query, options );
}

/// At rest at a pose.
inline Motion rest( const Pose &pose = dbvh_pose_identity() ) {
	return dbvh_motion_translation( &pose, nullptr );
}

/// A screw motion from one pose to another. See dbvh_motion_between().
inline Outcome<Motion> motion_between( const Pose &from, const Pose &to ) {
	return detail::outcome_of<Motion>(
	    [&]( Motion &motion, Error &error ) { return dbvh_motion_between( &from, &to, nullptr, &motion, &error ); } );
}

/// The pose at time t of a motion.
inline Pose pose_at( const Motion &motion, double t ) {
	return dbvh_motion_pose( &motion, t );
}

/// Points and curves of contact: see contact.h. Each search replaces what was there.
class Contacts : public detail::Owner<dbvh_contacts, dbvh_contacts_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Contacts> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Contacts>( [&]( Contacts &contacts, Error &error ) {
			return dbvh_contacts_create( allocator, &contacts.object_, &error );
		} );
	}
	Outcome<void> find( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                    const ContactsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			return dbvh_contacts_find( a.get(), &pose_a, b.get(), &pose_b, &query, object_, &error );
		} );
	}
	/// See dbvh_separating_translation().
	Outcome<Separation> separate( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                              const ContactsQuery &query = {} ) {
		return detail::outcome_of<Separation>( [&]( Separation &separation, Error &error ) {
			return dbvh_separating_translation( a.get(), &pose_a, b.get(), &pose_b, &query, object_, &separation,
			                                    &error );
		} );
	}
	/// How far what the bodies have in common reaches along directions, three doubles each: extents[i] along direction
	/// i. False where they have no common point. See dbvh_overlap_extents().
	Outcome<bool> overlap_extents( const Tree &a, const Pose &pose_a, const Tree &b, const Pose &pose_b,
	                               span<const double> directions, span<Extent> extents,
	                               const ContactsQuery &query = {} ) {
		return detail::outcome_of<bool>( [&]( bool &common, Error &error ) {
			if ( directions.size() != 3 * extents.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "extents: there must be one for each direction" );
			return dbvh_overlap_extents( a.get(), &pose_a, b.get(), &pose_b, directions.data(), extents.size(), &query,
			                             object_, extents.data(), &common, &error );
		} );
	}
	// Valid until the next search.
	span<const dbvh_contact> contacts() const {
		const dbvh_contacts_view v = view();
		return { v.contacts, v.contact_count };
	}
	span<const dbvh_contact_point> points() const {
		const dbvh_contacts_view v = view();
		return { v.points, v.point_count };
	}
	span<const dbvh_polyline> polylines() const {
		const dbvh_contacts_view v = view();
		return { v.polylines, v.polyline_count };
	}
	span<const dbvh_path_entry> path() const {
		const dbvh_contacts_view v = view();
		return { v.path, v.path_count };
	}
	span<const dbvh_cluster> clusters() const {
		const dbvh_contacts_view v = view();
		return { v.clusters, v.cluster_count };
	}
	dbvh_contacts_view view() const {
		return object_ != nullptr ? dbvh_contacts_get( object_ ) : dbvh_contacts_view{};
	}
};

// ------------------------------------------------------------------------------------------------
// One mesh

/// Does it intersect itself? See dbvh_self_collide().
inline Outcome<CollideResult> self_collide( const Tree &tree, const CollideQuery &query = {},
                                            Workspace *workspace = nullptr ) {
	return detail::outcome_of<CollideResult>( [&]( CollideResult &result, Error &error ) {
		return dbvh_self_collide( tree.get(), &query, detail::of( workspace ), &result, &error );
	} );
}

/// Every pair of triangles that does, the lower number first, as collide_all().
inline Outcome<Array<Pair>> self_collide_all( const Tree &tree, const CollideQuery &query = {},
                                              Workspace *workspace = nullptr ) {
	return detail::ask_all( query, &CollideQuery::pairs, &CollideQuery::pair_capacity, &CollideResult::pair_count,
	                        &CollideResult::pair_written,
	                        [&]( const CollideQuery &q, CollideResult &result, Error &error ) {
		                        return dbvh_self_collide( tree.get(), &q, detail::of( workspace ), &result, &error );
	                        } );
}

namespace detail {

// The hit that comes first.
inline RaycastQuery first_hit() {
	RaycastQuery query{};
	query.find = DBVH_FIND_CLOSEST;
	return query;
}

template <class Line>
Outcome<Array<RayHit>> all_hits( MeshFunction<Line, RaycastQuery, RaycastResult> *function, const Tree &tree,
                                 const Pose &pose, const Line &line, Workspace *workspace ) {
	return ask_all( RaycastQuery{}, &RaycastQuery::hits, &RaycastQuery::hit_capacity, &RaycastResult::hit_count,
	                &RaycastResult::hit_written, [&]( const RaycastQuery &q, RaycastResult &result, Error &error ) {
		                return function( tree.get(), &pose, &line, &q, of( workspace ), &result, &error );
	                } );
}

} // namespace detail

/// What does a ray hit first? Unless `query` asks for something else: dbvh_raycast() with DBVH_FIND_CLOSEST.
inline Outcome<RaycastResult> raycast( const Tree &tree, const Pose &pose, const Ray &ray,
                                       const RaycastQuery &query = detail::first_hit(),
                                       Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_raycast, tree, pose, &ray, query, workspace );
}

/// Every triangle that it hits, by t, then by triangle.
inline Outcome<Array<RayHit>> raycast_all( const Tree &tree, const Pose &pose, const Ray &ray,
                                           Workspace *workspace = nullptr ) {
	return detail::all_hits( dbvh_raycast, tree, pose, ray, workspace );
}

/// See dbvh_raycast_batch(); the first hit of each, as raycast().
inline Outcome<void> raycast_batch( const Tree &tree, const Pose &pose, span<const Ray> rays,
                                    span<RaycastResult> results, const RaycastQuery &query = detail::first_hit(),
                                    const BatchOptions &options = {} ) {
	return detail::ask_mesh_batch( dbvh_raycast_batch, tree, pose, rays, results, query, options );
}

/// The same of segments: see dbvh_segment_cast().
inline Outcome<RaycastResult> segment_cast( const Tree &tree, const Pose &pose, const Segment &segment,
                                            const RaycastQuery &query = detail::first_hit(),
                                            Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_segment_cast, tree, pose, &segment, query, workspace );
}

inline Outcome<Array<RayHit>> segment_cast_all( const Tree &tree, const Pose &pose, const Segment &segment,
                                                Workspace *workspace = nullptr ) {
	return detail::all_hits( dbvh_segment_cast, tree, pose, segment, workspace );
}

inline Outcome<void> segment_cast_batch( const Tree &tree, const Pose &pose, span<const Segment> segments,
                                         span<RaycastResult> results, const RaycastQuery &query = detail::first_hit(),
                                         const BatchOptions &options = {} ) {
	return detail::ask_mesh_batch( dbvh_segment_cast_batch, tree, pose, segments, results, query, options );
}

/// See dbvh_closest_point().
inline Outcome<ClosestPointResult> closest_point( const Tree &tree, const Pose &pose, const double ( &point )[3],
                                                  const ClosestPointQuery &query = {},
                                                  Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_closest_point, tree, pose, &point[0], query, workspace );
}

/// The same for many points, three doubles each. See dbvh_closest_point_batch().
inline Outcome<void> closest_point_batch( const Tree &tree, const Pose &pose, span<const double> points,
                                          span<ClosestPointResult> results, const ClosestPointQuery &query = {},
                                          const BatchOptions &options = {} ) {
	return detail::ask_batch( points.size(), 3 * results.size(), [&]( Error &error ) {
		return dbvh_closest_point_batch( tree.get(), &pose, points.data(), results.size(), &query, &options,
		                                 results.data(), &error );
	} );
}

/// Inside, outside, on the surface? A tree with topology. See dbvh_locate_point().
inline Outcome<dbvh_location> locate_point( const Tree &tree, const Pose &pose, const double ( &point )[3] ) {
	return detail::outcome_of<dbvh_location>( [&]( dbvh_location &location, Error &error ) {
		return dbvh_locate_point( tree.get(), &pose, point, &location, &error );
	} );
}

/// A sphere, a box, a capsule ... against the mesh. See dbvh_collide_shape().
inline Outcome<CollideShapeResult> collide_shape( const Tree &tree, const Pose &pose, const Shape &shape,
                                                  const dbvh_collide_shape_query &query = {},
                                                  Workspace *workspace = nullptr ) {
	return detail::ask_mesh( dbvh_collide_shape, tree, pose, &shape, query, workspace );
}

/// Which triangles it intersects, in ascending order.
inline Outcome<Array<std::uint32_t>> collide_shape_all( const Tree &tree, const Pose &pose, const Shape &shape,
                                                        Workspace *workspace = nullptr ) {
	using Query = dbvh_collide_shape_query;
	return detail::ask_all(
	    Query{}, &Query::triangles, &Query::triangle_capacity, &CollideShapeResult::triangle_count,
	    &CollideShapeResult::triangle_written, [&]( const Query &q, CollideShapeResult &result, Error &error ) {
		    return dbvh_collide_shape( tree.get(), &pose, &shape, &q, detail::of( workspace ), &result, &error );
	    } );
}

// ------------------------------------------------------------------------------------------------
// Many bodies

/// Many bodies, and rules about them: see scene.h. Trees must outlive the scene; where their owners are moved to does
/// not matter.
class Scene : public detail::Owner<dbvh_scene, dbvh_scene_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Scene> create( const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Scene>(
		    [&]( Scene &scene, Error &error ) { return dbvh_scene_create( allocator, &scene.object_, &error ); } );
	}
	/// The number of the body.
	Outcome<std::uint32_t> add( const Tree &tree, const Pose &pose = dbvh_pose_identity(),
	                            const BodyOptions &options = {} ) {
		return detail::outcome_of<std::uint32_t>( [&]( std::uint32_t &body, Error &error ) {
			return dbvh_scene_add_body( object_, tree.get(), &pose, &options, &body, &error );
		} );
	}
	Outcome<void> remove( std::uint32_t body ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_remove_body( object_, body, &error ); } );
	}
	Outcome<void> move( std::uint32_t body, const Pose &pose ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pose( object_, body, &pose, &error ); } );
	}
	/// Many at once; without `bodies`, all of the scene in ascending order. See dbvh_scene_set_poses().
	Outcome<void> move( span<const Pose> poses, span<const std::uint32_t> bodies = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( bodies.data() != nullptr && bodies.size() != poses.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT, "poses: there must be one for each body" );
			return dbvh_scene_set_poses( object_, bodies.data(), poses.data(), poses.size(), &error );
		} );
	}
	std::size_t size() const {
		return dbvh_scene_body_count( object_ );
	}
	/// The lowest body that is not below `from`; DBVH_NO_BODY: none. See dbvh_scene_next_body().
	std::uint32_t next( std::uint32_t from = 0 ) const {
		return dbvh_scene_next_body( object_, from );
	}
	bool contains( std::uint32_t body ) const {
		return dbvh_scene_get_body( object_, body, nullptr, nullptr, nullptr );
	}
	/// Where a body is; the identity if there is none.
	Pose pose( std::uint32_t body ) const {
		Pose pose = dbvh_pose_identity();
		dbvh_scene_get_body( object_, body, nullptr, &pose, nullptr );
		return pose;
	}
	Outcome<void> set_default_rule( const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_default_rule( object_, &rule, &error ); } );
	}
	Outcome<void> set_rule( std::uint32_t a, std::uint32_t b, const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pair_rule( object_, a, b, &rule, &error ); } );
	}
	/// Of one body, for its pairs that have none of their own.
	Outcome<void> set_rule( std::uint32_t body, const PairRule &rule ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_body_rule( object_, body, &rule, &error ); } );
	}
	/// Forgets the rule of a body, or of a pair.
	Outcome<void> remove_rule( std::uint32_t body ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_body_rule( object_, body, nullptr, &error ); } );
	}
	Outcome<void> remove_rule( std::uint32_t a, std::uint32_t b ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_set_pair_rule( object_, a, b, nullptr, &error ); } );
	}
	/// Whether a pair is looked at, and what holds for it in the end. See dbvh_scene_get_rule().
	bool looks_at( std::uint32_t a, std::uint32_t b, PairRule *rule = nullptr ) const {
		return dbvh_scene_get_rule( object_, a, b, rule );
	}
	/// Every pair of bodies that is looked at and whose boxes overlap, ascending.
	Outcome<Array<BodyPair>> pairs() {
		return detail::outcome_of<Array<BodyPair>>( [&]( Array<BodyPair> &all, Error &error ) {
			return detail::gather(
			    all, error,
			    [&]( BodyPair *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
				    dbvh_scene_result result{};
				    const Status status = dbvh_scene_pairs( object_, room, capacity, &result, &e );
				    count = result.pair_count;
				    written = result.written_count;
				    return status;
			    } );
		} );
	}
	/// Every pair of bodies whose surfaces meet, ascending. See dbvh_scene_collide(); `query.find` is not read. *counts
	/// says how many pairs were looked at, and with a budget how many have no answer.
	Outcome<Array<SceneCollision>> collide( SceneQuery query = {}, SceneResult *counts = nullptr ) {
		return list<SceneCollision>( query, counts, dbvh_scene_collide );
	}
	/// Every clash by the rules, ascending. See dbvh_scene_clashes(); `query.find` is not read, *counts as of
	/// collide().
	Outcome<Array<Clash>> clashes( SceneQuery query = {}, SceneResult *counts = nullptr ) {
		return list<Clash>( query, counts, dbvh_scene_clashes );
	}
	/// The two bodies nearest to each other. See dbvh_scene_distance().
	Outcome<SceneDistanceResult> distance( const dbvh_scene_distance_query &query = {} ) {
		return detail::outcome_of<SceneDistanceResult>( [&]( SceneDistanceResult &result, Error &error ) {
			return dbvh_scene_distance( object_, &query, &result, &error );
		} );
	}
	/// One pair, whatever rules say of looking at it: relate() with the tolerances of its rule, distance(), and what
	/// Contacts::find() finds. See dbvh_scene_relate() and what follows it.
	Outcome<RelateResult> relate( std::uint32_t a, std::uint32_t b, const Budget *budget = nullptr ) {
		return detail::outcome_of<RelateResult>( [&]( RelateResult &result, Error &error ) {
			return dbvh_scene_relate( object_, a, b, budget, &result, &error );
		} );
	}
	Outcome<DistanceResult> pair_distance( std::uint32_t a, std::uint32_t b, const DistanceQuery &query = {} ) {
		return detail::outcome_of<DistanceResult>( [&]( DistanceResult &result, Error &error ) {
			return dbvh_scene_pair_distance( object_, a, b, &query, &result, &error );
		} );
	}
	Outcome<void> contacts( std::uint32_t a, std::uint32_t b, Contacts &into, const ContactsQuery &query = {} ) {
		return detail::outcome_of<void>(
		    [&]( Error &error ) { return dbvh_scene_contacts( object_, a, b, &query, into.get(), &error ); } );
	}
	/// The body that a ray hits first: DBVH_NO_BODY, none. See dbvh_scene_raycast().
	Outcome<SceneHit> raycast( const Ray &ray ) {
		return detail::outcome_of<SceneHit>(
		    [&]( SceneHit &hit, Error &error ) { return dbvh_scene_raycast( object_, &ray, &hit, &error ); } );
	}
	/// The body closest to a point: DBVH_NO_BODY, none within the limit. See dbvh_scene_closest_point().
	Outcome<SceneClosestPoint> closest_point( const double ( &point )[3], const ClosestPointQuery &query = {} ) {
		return detail::outcome_of<SceneClosestPoint>( [&]( SceneClosestPoint &result, Error &error ) {
			return dbvh_scene_closest_point( object_, point, &query, &result, &error );
		} );
	}
	/// The bodies with a surface that meets a box, ascending. See dbvh_scene_overlap_aabb().
	Outcome<Array<std::uint32_t>> overlap( const dbvh_aabb &box ) {
		return detail::outcome_of<Array<std::uint32_t>>( [&]( Array<std::uint32_t> &all, Error &error ) {
			return detail::gather(
			    all, error,
			    [&]( std::uint32_t *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
				    const Status status = dbvh_scene_overlap_aabb( object_, &box, room, capacity, &count, &e );
				    written = count < capacity ? count : capacity;
				    return status;
			    } );
		} );
	}
	/// Configurations: results.size() times as many poses as bodies are named. See dbvh_scene_collide_batch().
	Outcome<void> collide_batch( span<const Pose> poses, span<ConfigurationResult> results,
	                             const ConfigurationsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			if ( poses.size() != bodies_of( query ) * results.size() )
				return detail::refuse( error, DBVH_INVALID_ARGUMENT,
				                       "poses: there must be one for each body of each result" );
			return dbvh_scene_collide_batch( object_, poses.data(), results.size(), &query, results.data(), &error );
		} );
	}
	/// The ways between configurations, one to the next unless query.edges says otherwise; a result for each. See
	/// dbvh_scene_motion_batch().
	Outcome<void> motion_batch( span<const Pose> poses, span<EdgeResult> results, const MotionsQuery &query = {} ) {
		return detail::outcome_of<void>( [&]( Error &error ) {
			const std::size_t bodies = bodies_of( query ), count = bodies > 0 ? poses.size() / bodies : 0;
			const std::size_t edges = query.edges != nullptr ? query.edge_count : count > 0 ? count - 1 : 0;
			if ( poses.size() != bodies * count || results.size() != edges )
				return detail::refuse(
				    error, DBVH_INVALID_ARGUMENT,
				    "poses and results: one for each body of each configuration, and one for each edge" );
			return dbvh_scene_motion_batch( object_, poses.data(), count, &query, results.data(), &error );
		} );
	}

  private:
	template <class Query> std::size_t bodies_of( const Query &query ) const {
		return query.bodies != nullptr ? query.body_count : size();
	}
	template <class T, class F> Outcome<Array<T>> list( SceneQuery query, SceneResult *counts, F *ask ) {
		SceneResult own{};
		SceneResult &result = counts != nullptr ? *counts : own;
		query.find = DBVH_FIND_ALL;
		return detail::outcome_of<Array<T>>( [&]( Array<T> &all, Error &error ) {
			if ( query.budget == nullptr && query.progress == nullptr )
				return detail::gather(
				    all, error,
				    [&]( T *room, std::size_t capacity, std::size_t &count, std::size_t &written, Error &e ) {
					    const Status status = ask( object_, &query, room, capacity, &result, &e );
					    count = result.found_count;
					    written = result.written_count;
					    return status;
				    } );
			// What may be ended early is asked once, with room for all.
			Status status = dbvh_scene_pairs( object_, nullptr, 0, &result, &error );
			if ( status != DBVH_OK )
				return status;
			if ( !all.assign_zero( result.pair_count ) )
				return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the list" );
			status = ask( object_, &query, all.data(), all.size(), &result, &error );
			all.truncate( result.written_count );
			return status;
		} );
	}
};

} // inline namespace
} // namespace dualbvh

#endif // DUALBVH_HPP

// ------------------------------------------------------------------------------------------------
// Eigen, where <Eigen/Geometry> is included before. (Or include this header again behind it.)

#if defined( EIGEN_WORLD_VERSION ) && !defined( DUALBVH_HPP_EIGEN )
#define DUALBVH_HPP_EIGEN

namespace dualbvh {

/// From an isometry or an affine transform, in doubles or floats. What is no rotation is refused where it is used.
template <class S, int mode, int options> Pose pose( const Eigen::Transform<S, 3, mode, options> &t ) {
	Pose p;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			p.rot[i][j] = static_cast<double>( t.matrix()( i, j ) );
		p.pos[i] = static_cast<double>( t.matrix()( i, 3 ) );
	}
	return p;
}

/// From a quaternion, which is normalised, and a translation.
template <class Q, class V> Pose pose( const Eigen::QuaternionBase<Q> &q, const Eigen::MatrixBase<V> &translation ) {
	const double xyzw[4] = { static_cast<double>( q.x() ), static_cast<double>( q.y() ), static_cast<double>( q.z() ),
	                         static_cast<double>( q.w() ) };
	const double pos[3] = { static_cast<double>( translation[0] ), static_cast<double>( translation[1] ),
	                        static_cast<double>( translation[2] ) };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// To an isometry. Of floats: rounded to nearest.
template <class S = double> Eigen::Transform<S, 3, Eigen::Isometry> to_eigen( const Pose &pose ) {
	Eigen::Transform<S, 3, Eigen::Isometry> t = Eigen::Transform<S, 3, Eigen::Isometry>::Identity();
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			t.matrix()( i, j ) = static_cast<S>( pose.rot[i][j] );
		t.matrix()( i, 3 ) = static_cast<S>( pose.pos[i] );
	}
	return t;
}

/// A view of matrices with three rows a column, as Eigen stores them, or with three columns by rows: those whose three
/// coordinates lie side by side. Nothing is copied.
template <class S, int rows, int cols, int order, class I, int index_rows, int index_cols, int index_order>
MeshView mesh_view( const Eigen::Matrix<S, rows, cols, order> &vertices,
                    const Eigen::Matrix<I, index_rows, index_cols, index_order> &triangles ) {
	static_assert( ( order & Eigen::RowMajor ) != 0 ? cols == 3 : rows == 3, "coordinates must lie side by side" );
	static_assert( ( index_order & Eigen::RowMajor ) != 0 ? index_cols == 3 : index_rows == 3,
	               "indices must lie side by side" );
	return mesh_view( span<const S>( vertices.data(), static_cast<std::size_t>( vertices.size() ) ),
	                  span<const I>( triangles.data(), static_cast<std::size_t>( triangles.size() ) ) );
}

} // namespace dualbvh
#endif

// ------------------------------------------------------------------------------------------------
// GLM, where <glm/glm.hpp> is included before, and <glm/gtc/quaternion.hpp> for quaternions.

#if defined( GLM_VERSION ) && !defined( DUALBVH_HPP_GLM )
#define DUALBVH_HPP_GLM

namespace dualbvh {

/// From a column-major matrix, as GLM keeps it; its last row is not read.
template <class S, glm::qualifier q> Pose pose( const glm::mat<4, 4, S, q> &m ) {
	Pose p;
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			p.rot[i][j] = static_cast<double>( m[j][i] );
		p.pos[i] = static_cast<double>( m[3][i] );
	}
	return p;
}

/// From a quaternion, which is normalised, and a translation.
template <class S, glm::qualifier q> Pose pose( const glm::qua<S, q> &r, const glm::vec<3, S, q> &translation ) {
	const double xyzw[4] = { static_cast<double>( r.x ), static_cast<double>( r.y ), static_cast<double>( r.z ),
	                         static_cast<double>( r.w ) };
	const double pos[3] = { static_cast<double>( translation.x ), static_cast<double>( translation.y ),
	                        static_cast<double>( translation.z ) };
	return dbvh_pose_from_quaternion( xyzw, pos );
}

/// To a column-major matrix; its last row is 0 0 0 1. Of floats: rounded to nearest.
template <class S = float> glm::mat<4, 4, S, glm::defaultp> to_glm( const Pose &pose ) {
	glm::mat<4, 4, S, glm::defaultp> m( S( 1 ) );
	for ( int i = 0; i < 3; ++i ) {
		for ( int j = 0; j < 3; ++j )
			m[j][i] = static_cast<S>( pose.rot[i][j] );
		m[3][i] = static_cast<S>( pose.pos[i] );
	}
	return m;
}

} // namespace dualbvh
#endif
