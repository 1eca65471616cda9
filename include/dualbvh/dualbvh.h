// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh.h
/// dualbvh tells whether rigid triangle meshes interfere. This header includes all the others.
///
///     #include <dualbvh/dualbvh.h>
///
///     dbvh_error error;
///     dbvh_mesh *mesh = NULL;
///     if ( dbvh_mesh_load( "gear.stl", DBVH_MESH_FORMAT_AUTO, NULL, &mesh, &error ) != DBVH_OK )
///         complain( error.text );
///
///     dbvh_mesh_view view = dbvh_mesh_get_view( mesh );
///     dbvh_tree *tree = NULL;
///     if ( dbvh_tree_build( &view, NULL, NULL, &tree, &error ) != DBVH_OK )
///         complain( error.text );
///     dbvh_mesh_destroy( mesh ); // the tree keeps its own copy
///
///     dbvh_pose pose = dbvh_pose_identity(); // a second gear, moved along x
///     pose.pos[0] = 1.5;
///
///     dbvh_collide_result result;
///     if ( dbvh_collide( tree, NULL, tree, &pose, NULL, NULL, &result ) == DBVH_OK && result.verdict ==
///     DBVH_INTERSECTING )
///         puts( "they meet" );
///     dbvh_tree_destroy( tree );

#ifndef DUALBVH_H
#define DUALBVH_H

#include "dualbvh/base.h"
#include "dualbvh/closest_point.h"
#include "dualbvh/collide.h"
#include "dualbvh/contact.h"
#include "dualbvh/distance.h"
#include "dualbvh/ellipsoid.h"
#include "dualbvh/isa.h"
#include "dualbvh/mesh.h"
#include "dualbvh/primitives.h"
#include "dualbvh/query.h"
#include "dualbvh/raycast.h"
#include "dualbvh/relation.h"
#include "dualbvh/scene.h"
#include "dualbvh/self.h"
#include "dualbvh/shape.h"
#include "dualbvh/shape_cast.h"
#include "dualbvh/toi.h"
#include "dualbvh/tree.h"

#endif // DUALBVH_H
