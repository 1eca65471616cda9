// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The Python objects for meshes and trees, and the functions that bind the parts of the module.

#pragma once

#include "arrays.h"
#include "dualbvh/mesh.h"
#include "dualbvh/tree.h"

#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <utility>

namespace dualbvh_python {

namespace nb = nanobind;

struct mesh_deleter {
	void operator()( dbvh_mesh *mesh ) const {
		dbvh_mesh_destroy( mesh );
	}
};

/// A view and its owner: a mesh of the library, or the caller's arrays.
struct mesh {
	dbvh_mesh_view view{};
	std::unique_ptr<dbvh_mesh, mesh_deleter> owned;
	nb::object vertices, faces; ///< the arrays that are borrowed
	buffer vertex_memory, face_memory;
	std::string source; ///< the file's name, for the repr

	mesh() = default;
	mesh( nb::handle vertices, nb::handle faces );
	explicit mesh( dbvh_mesh *from, std::string source = "" );
};

/// Returns the Mesh for an argument that may be anything with triangles: a Mesh, the name of a file, a mesh of trimesh
/// or of Open3D.
nb::object as_mesh( nb::handle object );

struct tree_deleter {
	std::shared_ptr<void> keeper; ///< the owner of a tree that came with others; empty: nobody else owns the tree
	void operator()( dbvh_tree *tree ) const {
		if ( !keeper )
			dbvh_tree_destroy( tree );
	}
};

/// A tree, and a count of its users: calls run without the GIL, and a call that changes the tree must be the only one.
class tree {
  public:
	explicit tree( dbvh_tree *built, std::shared_ptr<void> keeper = nullptr )
	    : owned( built, tree_deleter{ std::move( keeper ) } ) {}

  private:
	friend class reading;
	friend class writing;
	std::unique_ptr<dbvh_tree, tree_deleter> owned;
	mutable size_t readers = 0; ///< changed with the GIL held, as `written`
	bool written = false;
};

/// A shared lock on a tree: it may be read and is not changed. Taken and released with the GIL held.
class reading {
  public:
	explicit reading( const tree &t );
	reading( reading &&other ) noexcept : from( std::exchange( other.from, nullptr ) ) {}
	reading &operator=( reading &&other ) noexcept {
		std::swap( from, other.from );
		return *this;
	}
	~reading() {
		if ( from )
			--from->readers;
	}
	operator const dbvh_tree *() const {
		return from->owned.get();
	}

  private:
	const tree *from;
};

/// An exclusive lock on a tree. Throws RuntimeError where the tree is in use: by a call on another thread, one that
/// this call interrupts, or a scene.
class writing {
  public:
	explicit writing( tree &t );
	writing( const writing & ) = delete;
	writing &operator=( const writing & ) = delete;
	~writing() {
		to.written = false;
	}
	operator dbvh_tree *() const {
		return to.owned.get();
	}

  private:
	tree &to;
};

void bind_spent( nb::module_ &m );
void bind_pose( nb::module_ &m );
void bind_mesh( nb::module_ &m );
void bind_tree( nb::module_ &m );
void bind_tree_files( nb::module_ &m, nb::class_<tree> &c );
void bind_collide( nb::module_ &m );
void bind_distance( nb::module_ &m );
void bind_relation( nb::module_ &m );
void bind_contact( nb::module_ &m );
void bind_overlap( nb::module_ &m );
void bind_raycast( nb::module_ &m );
void bind_closest_point( nb::module_ &m );
void bind_time_of_impact( nb::module_ &m );
void bind_shapes( nb::module_ &m );
void bind_collide_shape( nb::module_ &m );
void bind_primitives( nb::module_ &m );
void bind_shape_cast( nb::module_ &m );
void bind_scene( nb::module_ &m );
void bind_robot( nb::module_ &m );
void bind_load( nb::module_ &m );

} // namespace dualbvh_python
