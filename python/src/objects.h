// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What Python holds of the library: meshes and trees. And the functions that put the parts of the module together.

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

/// A view, and what keeps it alive: a mesh of the library, or the caller's arrays.
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

/// What Mesh() is made of where an argument may be anything with triangles: a Mesh, the name of a file, a mesh of
/// trimesh or of Open3D.
nb::object as_mesh( nb::handle object );

struct tree_deleter {
	void operator()( dbvh_tree *tree ) const {
		dbvh_tree_destroy( tree );
	}
};

/// A tree, and who uses it: calls run without the GIL, and one that changes the tree must be alone with it.
class tree {
  public:
	explicit tree( dbvh_tree *built ) : owned( built ) {}

  private:
	friend class reading;
	friend class writing;
	std::unique_ptr<dbvh_tree, tree_deleter> owned;
	mutable size_t readers = 0; ///< changed with the GIL held, as `written`
	bool written = false;
};

/// While it lasts a tree may be read, and is not changed. It begins and ends with the GIL held.
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

/// While it lasts nobody else uses a tree. Throws RuntimeError where somebody does: a call on another thread, one that
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

void bind_pose( nb::module_ &m );
void bind_mesh( nb::module_ &m );
void bind_tree( nb::module_ &m );
void bind_tree_files( nb::module_ &m, nb::class_<tree> &c );
void bind_collide( nb::module_ &m );
void bind_distance( nb::module_ &m );
void bind_relation( nb::module_ &m );
void bind_contact( nb::module_ &m );
void bind_raycast( nb::module_ &m );
void bind_closest_point( nb::module_ &m );
void bind_time_of_impact( nb::module_ &m );
void bind_shapes( nb::module_ &m );
void bind_collide_shape( nb::module_ &m );
void bind_primitives( nb::module_ &m );
void bind_shape_cast( nb::module_ &m );
void bind_scene( nb::module_ &m );

} // namespace dualbvh_python
