// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh.hpp
/// The library in C++17: objects that free themselves, views of the caller's containers, results that hold a value or
/// an error, and poses from Eigen and GLM. A header alone, over the functions in C, whose declarations are the manual:
/// all that they say of shapes, units, frames, errors, cost and threads holds here. dualbvh.h does not include it.
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
/// **Objects** (Mesh, Tree, Workspace, Scene, Robot, Contacts, Overlap) own an object in C, are moved and not copied,
/// and may be empty: made without arguments, or moved from. get() is the object in C, for functions that have no form
/// here; it stays the same when the owner is moved. Calls on an empty object are refused as a NULL is in C. Destroying
/// one from any thread is fine once nobody uses it.
///
/// **Views** (span) are a pointer and a count, made from arrays, std::array, std::vector, std::span and any other
/// container with data() and size(); they are borrowed for the duration of the call, as pointers are in C.
///
/// Its parts are in cpp/, one topic each.

#ifndef DUALBVH_HPP
#define DUALBVH_HPP

#include "dualbvh/cpp/contact.hpp"
#include "dualbvh/cpp/mesh.hpp"
#include "dualbvh/cpp/outcome.hpp"
#include "dualbvh/cpp/overlap.hpp"
#include "dualbvh/cpp/pair.hpp"
#include "dualbvh/cpp/pose.hpp"
#include "dualbvh/cpp/query.hpp"
#include "dualbvh/cpp/robot.hpp"
#include "dualbvh/cpp/scene.hpp"
#include "dualbvh/cpp/single.hpp"
#include "dualbvh/cpp/span.hpp"
#include "dualbvh/cpp/tree.hpp"
#include "dualbvh/cpp/types.hpp"

#endif // DUALBVH_HPP

// The guards above do not cover these two: if Eigen or GLM is included later, include this header again after it.
#include "dualbvh/cpp/eigen.hpp"
#include "dualbvh/cpp/glm.hpp"
