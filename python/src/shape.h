// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The shapes of geometry.h, one at a time or many of a kind.

#pragma once

#include "arrays.h"
#include "dualbvh/geometry.h"
#include "dualbvh/shape.h"

#include <variant>
#include <vector>

namespace dualbvh_python {

/// A dbvh_box has the same answers, to the bit, as the dbvh_obb with the axes of space, and is converted to it here.
using any_shape = std::variant<dbvh_sphere, dbvh_aabb, dbvh_obb, dbvh_ellipsoid, dbvh_capsule, dbvh_plane, dbvh_segment,
                               dbvh_ray, dbvh_triangle>;

/// Shapes of one kind, one after the other.
using any_shapes = std::variant<std::vector<dbvh_sphere>, std::vector<dbvh_aabb>, std::vector<dbvh_obb>,
                                std::vector<dbvh_ellipsoid>, std::vector<dbvh_capsule>, std::vector<dbvh_plane>,
                                std::vector<dbvh_segment>, std::vector<dbvh_ray>, std::vector<dbvh_triangle>>;

/// The name of a kind in Python.
template <class Shape> constexpr const char *kind_name = "";
template <> inline constexpr const char *kind_name<dbvh_sphere> = "Sphere";
template <> inline constexpr const char *kind_name<dbvh_aabb> = "Aabb";
template <> inline constexpr const char *kind_name<dbvh_obb> = "Obb";
template <> inline constexpr const char *kind_name<dbvh_ellipsoid> = "Ellipsoid";
template <> inline constexpr const char *kind_name<dbvh_capsule> = "Capsule";
template <> inline constexpr const char *kind_name<dbvh_plane> = "Plane";
template <> inline constexpr const char *kind_name<dbvh_segment> = "Segment";
template <> inline constexpr const char *kind_name<dbvh_ray> = "Ray";
template <> inline constexpr const char *kind_name<dbvh_triangle> = "Triangle";

struct shape_array {
	any_shapes shapes;
	size_t count() const;
	const char *kind() const;
};

/// Returns the shape of an object. Throws TypeError if it is none.
any_shape shape_of( nb::handle object, const char *what );

/// Returns the shapes of an object, a shape_array or one shape.
any_shapes shapes_of( nb::handle object, const char *what );

/// For dbvh_collide_shape(); throws TypeError for a segment, a ray and a triangle. `below`: a plane stands for the
/// half-space below it.
dbvh_shape to_collide_shape( const any_shape &shape, bool below );

} // namespace dualbvh_python
