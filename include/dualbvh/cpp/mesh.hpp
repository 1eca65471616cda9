// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/mesh.hpp
/// Meshes, and views of them. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_MESH_HPP
#define DUALBVH_CPP_MESH_HPP

#include "dualbvh/cpp/outcome.hpp"
#include "dualbvh/cpp/span.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

namespace detail {

// The base of all objects: the owner of an object in C, destroyed by `destroy`.
template <class T, void ( *destroy )( T * )> class Owner {
  public:
	Owner() noexcept = default;
	/// Takes ownership of an object that a function in C has made.
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
	/// Releases the ownership: the caller destroys the object.
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

// The number of array elements that make a vertex or a triangle: 3 bare numbers, or 1 compound.
template <class T> constexpr std::size_t step_of() {
	return std::is_arithmetic_v<std::remove_cv_t<T>> ? 3 : 1;
}

} // namespace detail

/// A view of the caller's arrays, borrowed: vertices as doubles or floats, three each, or as elements that begin with
/// three of them (std::array, glm::vec3, Eigen::Vector3d); triangles as uint32_t or uint64_t, three each, or as
/// elements of three. Where the number of coordinates or indices is no multiple of three, the rest is left out.
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

/// Makes a view without indices: three vertices a triangle.
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
	/// Reads a file with options: see dbvh_mesh_load_with().
	static Outcome<Mesh> load( const char *path, const dbvh_mesh_read_options &options,
	                           dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_load_with( path, format, &options, allocator, &mesh.object_, &error );
		} );
	}
	/// Reads a mesh from bytes in memory: see dbvh_mesh_parse().
	static Outcome<Mesh> parse( const void *bytes, std::size_t byte_count,
	                            dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO,
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_parse( bytes, byte_count, format, allocator, &mesh.object_, &error );
		} );
	}
	/// Parses bytes with options: see dbvh_mesh_parse_with().
	static Outcome<Mesh> parse( const void *bytes, std::size_t byte_count, const dbvh_mesh_read_options &options,
	                            dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO,
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_parse_with( bytes, byte_count, format, &options, allocator, &mesh.object_, &error );
		} );
	}
	/// Makes an owned mesh, a copy of a view: see dbvh_mesh_create().
	static Outcome<Mesh> create( const MeshView &view, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>(
		    [&]( Mesh &mesh, Error &error ) { return dbvh_mesh_create( &view, allocator, &mesh.object_, &error ); } );
	}
	/// Makes the convex hull of the vertices of a view, such as mesh_view( points ): see dbvh_mesh_create_hull().
	static Outcome<Mesh> hull( const MeshView &points, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_create_hull( &points, allocator, &mesh.object_, &error );
		} );
	}
	/// Makes the surfaces of boxes: see dbvh_mesh_create_boxes().
	static Outcome<Mesh> boxes( span<const dbvh_aabb> boxes, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_create_boxes( boxes.data(), boxes.size(), allocator, &mesh.object_, &error );
		} );
	}
	/// Makes the surface of a height field: see dbvh_mesh_create_height_field().
	static Outcome<Mesh> height_field( const dbvh_height_field &field, const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			return dbvh_mesh_create_height_field( &field, allocator, &mesh.object_, &error );
		} );
	}
	/// A view that is valid as long as the mesh; of an empty mesh, a view of nothing.
	MeshView view() const {
		return object_ != nullptr ? dbvh_mesh_get_view( object_ ) : MeshView{};
	}
	std::size_t vertex_count() const {
		return view().vertex_count;
	}
	std::size_t triangle_count() const {
		return view().triangle_count;
	}
	/// The positions, three doubles a vertex.
	span<const double> positions() const {
		const MeshView v = view();
		return { static_cast<const double *>( v.positions ), 3 * v.vertex_count };
	}
	/// Counts of the polygons of the file: see dbvh_mesh_get_faces().
	dbvh_mesh_faces faces() const {
		return dbvh_mesh_get_faces( object_ );
	}
	/// Faces that were left out: see dbvh_mesh_get_skipped_faces(). Valid as long as the mesh.
	span<const dbvh_skipped_face> skipped_faces() const {
		std::size_t count = 0;
		const dbvh_skipped_face *faces = dbvh_mesh_get_skipped_faces( object_, &count );
		return { faces, count };
	}
	/// The indices, three a triangle.
	span<const std::uint32_t> indices() const {
		const MeshView v = view();
		return { static_cast<const std::uint32_t *>( v.indices ), 3 * v.triangle_count };
	}
};

/// Writes a view to a file: see dbvh_mesh_save().
inline Outcome<void> save( const MeshView &view, const char *path, dbvh_mesh_format format = DBVH_MESH_FORMAT_AUTO ) {
	return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_mesh_save( &view, path, format, &error ); } );
}

namespace detail {

// Calls ask( room, capacity, count, written, error ) until there is room for the whole list, which is left in `all`.
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

/// Checks a view: see dbvh_mesh_view_check().
inline Outcome<void> check( const MeshView &view ) {
	return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_mesh_view_check( &view, &error ); } );
}

/// Audits a mesh: see dbvh_mesh_audit(). The components are listed by components().
inline Outcome<MeshAudit> audit( const MeshView &view ) {
	return detail::outcome_of<MeshAudit>( [&]( MeshAudit &result, Error &error ) {
		return dbvh_mesh_audit( &view, nullptr, &result, nullptr, 0, &error );
	} );
}

/// Lists the connected components by their lowest triangle: see dbvh_mesh_audit().
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

/// Labels each triangle with the index of its component in components(): see dbvh_mesh_label_components().
inline Outcome<Array<std::uint32_t>> label_components( const MeshView &view ) {
	return detail::outcome_of<Array<std::uint32_t>>( [&]( Array<std::uint32_t> &labels, Error &error ) {
		const bool soup = view.index_type == DBVH_INDEX_TYPE_NONE;
		if ( !labels.assign_zero( soup ? view.vertex_count / 3 : view.triangle_count ) )
			return detail::refuse( error, DBVH_OUT_OF_MEMORY, "there is no memory for the labels" );
		return dbvh_mesh_label_components( &view, nullptr, labels.data(), nullptr, &error );
	} );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_MESH_HPP
