// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file cpp/tree.hpp
/// Trees. Part of dualbvh.hpp, which is what programs include.

#ifndef DUALBVH_CPP_TREE_HPP
#define DUALBVH_CPP_TREE_HPP

#include "dualbvh/cpp/mesh.hpp"

namespace dualbvh {
inline namespace DUALBVH_HPP_FORM {

/// The loops of open edges of a mesh; the points of all loops, three doubles each, are in `points`.
struct OpenLoops {
	Array<OpenLoop> loops;
	Array<double> points;
};

/// The upper part of a tree, and its triangles in the order of the leaves.
struct TreeNodes {
	Array<dbvh_tree_node> nodes;
	Array<std::uint32_t> order;
};

/// A bounding volume hierarchy, which all queries take: see tree.h. It keeps its own copy of the triangles.
class Tree : public detail::Owner<dbvh_tree, dbvh_tree_destroy> {
  public:
	using Owner::Owner;
	static Outcome<Tree> build( const MeshView &view, const TreeOptions &options = {},
	                            const Allocator *allocator = nullptr ) {
		return detail::outcome_of<Tree>( [&]( Tree &tree, Error &error ) {
			return dbvh_tree_build( &view, &options, allocator, &tree.object_, &error );
		} );
	}
	/// Reads, or maps, a file of save(). See dbvh_tree_load() and dbvh_tree_map().
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
	/// Makes a tree from bytes of write(), which are copied, or borrowed (aligned to 64) as long as the tree exists.
	/// See dbvh_tree_parse() and dbvh_tree_borrow().
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
	/// build() with a cache in a folder. See dbvh_tree_build_cached().
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
	/// Returns the bytes that save() would write.
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
	/// Returns the triangles, in file order, as a mesh. See dbvh_tree_get_mesh().
	Outcome<Mesh> mesh( const Allocator *allocator = nullptr ) const {
		return detail::outcome_of<Mesh>( [&]( Mesh &mesh, Error &error ) {
			dbvh_mesh *made = nullptr;
			const Status status = dbvh_tree_get_mesh( object_, allocator, &made, &error );
			mesh = Mesh( made );
			return status;
		} );
	}
	/// Returns the options of the build; all zero for an empty tree.
	TreeOptions options() const {
		return object_ != nullptr ? dbvh_tree_get_options( object_ ) : TreeOptions{};
	}
	/// Moves the vertices of the tree; no other thread may use it meanwhile. See dbvh_tree_refit().
	Outcome<void> refit( const MeshView &view ) {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_tree_refit( object_, &view, &error ); } );
	}
	/// Returns facts about the tree; all zero for an empty one.
	TreeStats stats() const {
		return object_ != nullptr ? dbvh_tree_get_stats( object_ ) : TreeStats{};
	}
	/// Checks every invariant. See dbvh_tree_validate().
	Outcome<void> validate() const {
		return detail::outcome_of<void>( [&]( Error &error ) { return dbvh_tree_validate( object_, &error ); } );
	}
	/// Lists the upper part of the reference tree, at most `most` nodes. See dbvh_tree_get_nodes().
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
	/// Lists the loops of open edges of one component or of all; a tree with topology. See dbvh_tree_open_loops().
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

/// Returns the key of a tree in a cache: see dbvh_tree_key().
inline std::uint64_t tree_key( const MeshView &view, const TreeOptions &options = {} ) {
	return dbvh_tree_key( &view, &options );
}

/// Tells whether bytes begin like a tree file.
inline bool is_tree_file( span<const unsigned char> bytes ) {
	return dbvh_is_tree_file( bytes.data(), bytes.size() );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_CPP_TREE_HPP
