// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "objects.h"

namespace nb = nanobind;

namespace {

/// Gives the type of the module's functions, or methods, an attribute __signature__, which inspect.signature() asks
/// for. The type is immutable for Python's setattr; writing to its dictionary is safe because the type belongs to this
/// module alone (NB_DOMAIN) and no attribute of it has been looked up yet.
void set_signature( nb::handle type, nb::handle property ) {
	const nb::object referents = nb::module_::import_( "gc" ).attr( "get_referents" )( type.attr( "__dict__" ) );
	nb::cast<nb::dict>( referents[0] )["__signature__"] = property;
	PyType_Modified( reinterpret_cast<PyTypeObject *>( type.ptr() ) );
}

} // namespace

NB_MODULE( _core, m ) {
	using namespace dualbvh_python;
	m.doc() = "The functions and classes of dualbvh, which that package offers under its own name.";
	m.def( "version", dbvh_version, "The version of the library, 'major.minor.patch'." );
	m.attr( "POSE_TOLERANCE" ) = DBVH_POSE_TOLERANCE;
	bind_spent( m );
	bind_pose( m );
	bind_mesh( m );
	bind_tree( m );
	bind_collide( m );
	bind_distance( m );
	bind_relation( m );
	bind_contact( m );
	bind_overlap( m );
	bind_raycast( m );
	bind_closest_point( m );
	bind_time_of_impact( m );
	bind_shapes( m );
	bind_collide_shape( m );
	bind_primitives( m );
	bind_shape_cast( m );
	bind_scene( m );
	bind_robot( m );
	bind_load( m );
	m.def( "_set_signature", set_signature, nb::arg( "type" ), nb::arg( "property" ) );
}
