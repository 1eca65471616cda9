// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The elements of a URDF file: wiki.ros.org/urdf/XML, and the <capsule> that several readers know besides.

#include "dualbvh/robot.h"
#include "formats/urdf/robot.h"
#include "formats/xml.h"
#include "text/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The place of an element, by its name and its parent. The content of an unknown element is unknown.
typedef enum place {
	PLACE_FILE,
	PLACE_ROBOT,
	PLACE_LINK,
	PLACE_COLLISION, // or the <visual>, if that is wanted
	PLACE_GEOMETRY,
	PLACE_JOINT,
	PLACE_OTHER,
} place;

typedef struct reader {
	robot *out;
	bool wants_visual, has_robot;
	scene_xml *xml;
} reader;

static void refuse_memory( reader *r ) {
	scene_xml_refuse( r->xml, DBVH_OUT_OF_MEMORY, "there is no memory for the robot" );
}

// ------------------------------------------------------------------------------------------------
// Attributes

// A copy of a name that must be there and not be empty.
static char *name_of( reader *r, const char *element, const char *const *attributes, const char *name ) {
	const char *text = scene_xml_get( attributes, name );
	if ( text == NULL || text[0] == '\0' ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<%s> has no %s", element, name );
		return NULL;
	}
	char *copy = scene_copy( text );
	if ( copy == NULL )
		refuse_memory( r );
	return copy;
}

// Numbers that may be missing; what `out` has stays then. False where they are missing or wrong.
static bool numbers_of( reader *r, const char *element, const char *const *attributes, const char *name, double *out,
                        int count ) {
	const char *text = scene_xml_get( attributes, name );
	if ( text == NULL )
		return false;
	double read[3];
	if ( !scene_xml_reals( text, read, count ) ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "%s of <%s> is %s, and '%.60s' is not%s", name, element,
		                  count == 1 ? "a number" : "three numbers", text,
		                  strstr( text, "${" ) != NULL ? "; run xacro on the file first" : "" );
		return false;
	}
	memcpy( out, read, (size_t)count * sizeof *out );
	return true;
}

static void need_number( reader *r, const char *element, const char *const *attributes, const char *name,
                         double *out ) {
	if ( scene_xml_get( attributes, name ) == NULL )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<%s> has no %s", element, name );
	else
		numbers_of( r, element, attributes, name, out, 1 );
}

static void read_origin( reader *r, const char *const *attributes, dbvh_pose *out ) {
	double rpy[3] = { 0.0, 0.0, 0.0 };
	numbers_of( r, "origin", attributes, "xyz", out->pos, 3 );
	numbers_of( r, "origin", attributes, "rpy", rpy, 3 );
	*out = dbvh_pose_from_rpy( rpy, out->pos );
}

// ------------------------------------------------------------------------------------------------
// Links

static place begin_link( reader *r, const char *const *attributes ) {
	robot *out = r->out;
	if ( !scene_grow( &out->links, &out->link_capacity, out->link_count, sizeof *out->links ) ) {
		refuse_memory( r );
		return PLACE_OTHER;
	}
	char *name = name_of( r, "link", attributes, "name" );
	if ( name == NULL )
		return PLACE_OTHER;
	out->links[out->link_count++] =
	    ( robot_link ){ .name = name, .first_geometry = out->geometry_count, .line = scene_xml_line( r->xml ) };
	return PLACE_LINK;
}

static robot_geometry *this_geometry( reader *r ) {
	return &r->out->geometries[r->out->geometry_count - 1];
}

static place begin_collision( reader *r, const char *const *attributes ) {
	robot *out = r->out;
	const char *name = scene_xml_get( attributes, "name" );
	char *copy = name != NULL && name[0] != '\0' ? scene_copy( name ) : NULL;
	if ( ( name != NULL && name[0] != '\0' && copy == NULL ) ||
	     !scene_grow( &out->geometries, &out->geometry_capacity, out->geometry_count, sizeof *out->geometries ) ) {
		free( copy );
		refuse_memory( r );
		return PLACE_OTHER;
	}
	out->geometries[out->geometry_count++] = ( robot_geometry ){ .name = copy,
	                                                             .size = { NAN, NAN, NAN }, // none yet
	                                                             .scale = { 1.0, 1.0, 1.0 },
	                                                             .origin = dbvh_pose_identity(),
	                                                             .line = scene_xml_line( r->xml ) };
	++out->links[out->link_count - 1].geometry_count;
	return PLACE_COLLISION;
}

static bool has_shape( const robot_geometry *g ) {
	return g->file != NULL || !isnan( g->size[0] );
}

static void end_collision( reader *r ) {
	if ( !has_shape( this_geometry( r ) ) )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "a %s of link '%.80s' has no geometry",
		                  r->wants_visual ? "<visual>" : "<collision>", r->out->links[r->out->link_count - 1].name );
}

static void read_size( reader *r, robot_geometry *g, const char *element, const char *const *attributes,
                       bool has_length ) {
	double radius = 0.0, length = 0.0;
	need_number( r, element, attributes, "radius", &radius );
	if ( has_length )
		need_number( r, element, attributes, "length", &length );
	g->size[0] = radius;
	g->size[1] = length;
	g->size[2] = 0.0;
}

static void read_shape( reader *r, const char *element, const char *const *attributes ) {
	robot_geometry *g = this_geometry( r );
	if ( has_shape( g ) ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "<%s> is the second one in its <geometry>; there is one in each",
		                  element );
		return;
	}
	if ( strcmp( element, "mesh" ) == 0 ) {
		g->file = name_of( r, "mesh", attributes, "filename" );
		numbers_of( r, element, attributes, "scale", g->scale, 3 );
		if ( g->scale[0] == 0.0 || g->scale[1] == 0.0 || g->scale[2] == 0.0 )
			scene_xml_refuse( r->xml, DBVH_MALFORMED, "the scale of a mesh is 0" );
	} else if ( strcmp( element, "box" ) == 0 ) {
		g->solid = SCENE_SOLID_BOX;
		if ( !numbers_of( r, element, attributes, "size", g->size, 3 ) )
			scene_xml_refuse( r->xml, DBVH_MALFORMED, "<box> has no size" );
	} else if ( strcmp( element, "sphere" ) == 0 ) {
		g->solid = SCENE_SOLID_SPHERE;
		read_size( r, g, element, attributes, false );
	} else if ( strcmp( element, "cylinder" ) == 0 || strcmp( element, "capsule" ) == 0 ) {
		g->solid = element[1] == 'y' ? SCENE_SOLID_CYLINDER : SCENE_SOLID_CAPSULE;
		read_size( r, g, element, attributes, true );
	} else {
		scene_xml_refuse( r->xml, DBVH_MALFORMED,
		                  "<%.60s> is no geometry that is known: mesh, box, sphere, cylinder, capsule", element );
	}
	if ( g->size[0] < 0.0 || g->size[1] < 0.0 || g->size[2] < 0.0 )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "a size of the %s is below 0", element );
}

// ------------------------------------------------------------------------------------------------
// Joints

static robot_joint *this_joint( reader *r ) {
	return &r->out->joints[r->out->joint_count - 1];
}

static bool read_kind( reader *r, const char *type, robot_joint *joint ) {
	static const struct {
		const char *name;
		scene_joint_kind kind;
		dbvh_joint_kind stated;
	} kinds[] = { { "revolute", SCENE_JOINT_REVOLUTE, DBVH_JOINT_KIND_REVOLUTE },
	              { "continuous", SCENE_JOINT_REVOLUTE, DBVH_JOINT_KIND_CONTINUOUS },
	              { "prismatic", SCENE_JOINT_PRISMATIC, DBVH_JOINT_KIND_PRISMATIC },
	              { "fixed", SCENE_JOINT_FIXED, DBVH_JOINT_KIND_FIXED },
	              { "floating", SCENE_JOINT_FIXED, DBVH_JOINT_KIND_FLOATING },
	              { "planar", SCENE_JOINT_FIXED, DBVH_JOINT_KIND_PLANAR } };
	for ( size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i ) {
		if ( strcmp( type, kinds[i].name ) == 0 ) {
			joint->kind = kinds[i].kind;
			joint->stated = kinds[i].stated;
			return true;
		}
	}
	scene_xml_refuse( r->xml, DBVH_MALFORMED,
	                  "joint '%.80s' is of type '%.40s'; types are revolute, continuous, prismatic, fixed, floating "
	                  "and planar",
	                  joint->name, type );
	return false;
}

static place begin_joint( reader *r, const char *const *attributes ) {
	robot *out = r->out;
	if ( !scene_grow( &out->joints, &out->joint_capacity, out->joint_count, sizeof *out->joints ) ) {
		refuse_memory( r );
		return PLACE_OTHER;
	}
	char *name = name_of( r, "joint", attributes, "name" );
	if ( name == NULL )
		return PLACE_OTHER;
	robot_joint *joint = &out->joints[out->joint_count++];
	*joint = ( robot_joint ){ .name = name,
	                          .factor = 1.0,
	                          .origin = dbvh_pose_identity(),
	                          .axis = { 1.0, 0.0, 0.0 },
	                          .lower = -INFINITY,
	                          .upper = INFINITY,
	                          .line = scene_xml_line( r->xml ) };
	const char *type = scene_xml_get( attributes, "type" );
	if ( type == NULL ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "joint '%.80s' has no type", name );
		return PLACE_OTHER;
	}
	if ( !read_kind( r, type, joint ) )
		return PLACE_OTHER;
	if ( strcmp( type, "continuous" ) == 0 )
		joint->lower = joint->upper = NAN; // not to be set by <limit>
	return PLACE_JOINT;
}

static void read_name( reader *r, const char *element, const char *const *attributes, const char *name, char **out ) {
	if ( *out != NULL )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "joint '%.80s' has two <%s>", this_joint( r )->name, element );
	else
		*out = name_of( r, element, attributes, name );
}

static void read_limit( reader *r, robot_joint *joint, const char *const *attributes ) {
	if ( isnan( joint->lower ) )
		return;
	joint->lower = joint->upper = 0.0; // URDF's default for a missing limit
	numbers_of( r, "limit", attributes, "lower", &joint->lower, 1 );
	numbers_of( r, "limit", attributes, "upper", &joint->upper, 1 );
	if ( joint->lower > joint->upper )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "the lower limit of joint '%.80s' is above its upper one",
		                  joint->name );
}

static void read_part_of_joint( reader *r, const char *element, const char *const *attributes ) {
	robot_joint *joint = this_joint( r );
	if ( strcmp( element, "origin" ) == 0 ) {
		read_origin( r, attributes, &joint->origin );
	} else if ( strcmp( element, "parent" ) == 0 ) {
		read_name( r, element, attributes, "link", &joint->parent );
	} else if ( strcmp( element, "child" ) == 0 ) {
		read_name( r, element, attributes, "link", &joint->child );
	} else if ( strcmp( element, "axis" ) == 0 ) {
		numbers_of( r, element, attributes, "xyz", joint->axis, 3 );
	} else if ( strcmp( element, "limit" ) == 0 ) {
		read_limit( r, joint, attributes );
	} else if ( strcmp( element, "mimic" ) == 0 ) {
		read_name( r, element, attributes, "joint", &joint->mimic );
		numbers_of( r, element, attributes, "multiplier", &joint->factor, 1 );
		numbers_of( r, element, attributes, "offset", &joint->offset, 1 );
	}
}

static void normalise_axis( reader *r, robot_joint *joint ) {
	double *a = joint->axis;
	const double most = fmax( fmax( fabs( a[0] ), fabs( a[1] ) ), fabs( a[2] ) );
	if ( joint->kind == SCENE_JOINT_FIXED )
		return;
	if ( most == 0.0 ) {
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "the axis of joint '%.80s' is 0", joint->name );
		return;
	}
	for ( int i = 0; i < 3; ++i )
		a[i] /= most;
	const double length = sqrt( a[0] * a[0] + a[1] * a[1] + a[2] * a[2] );
	for ( int i = 0; i < 3; ++i )
		a[i] /= length;
}

static void end_joint( reader *r ) {
	robot_joint *joint = this_joint( r );
	if ( joint->parent == NULL || joint->child == NULL )
		scene_xml_refuse( r->xml, DBVH_MALFORMED, "joint '%.80s' has no <%s>", joint->name,
		                  joint->parent == NULL ? "parent>, or one without a link" : "child>, or one without a link" );
	if ( isnan( joint->lower ) ) {
		joint->lower = -INFINITY;
		joint->upper = INFINITY;
	}
	normalise_axis( r, joint );
}

// ------------------------------------------------------------------------------------------------
// Elements

static place begin_in_robot( reader *r, const char *element, const char *const *attributes ) {
	if ( strcmp( element, "link" ) == 0 )
		return begin_link( r, attributes );
	if ( strcmp( element, "joint" ) == 0 )
		return begin_joint( r, attributes );
	if ( strcmp( element, "macro" ) == 0 || strcmp( element, "include" ) == 0 )
		scene_xml_refuse( r->xml, DBVH_UNKNOWN_FORMAT, "<%s>: this is xacro; run xacro on the file first", element );
	if ( r->out->link_count == 0 &&
	     ( strcmp( element, "disable_collisions" ) == 0 || strcmp( element, "group" ) == 0 ) )
		scene_xml_refuse( r->xml, DBVH_UNKNOWN_FORMAT, "<%s>: this is an SRDF, which adds to the URDF of a robot",
		                  element );
	return PLACE_OTHER;
}

static place begin_in( reader *r, place outer, const char *element, const char *const *attributes ) {
	switch ( outer ) {
	case PLACE_FILE:
		if ( strcmp( element, "robot" ) == 0 )
			return PLACE_ROBOT;
		scene_xml_refuse( r->xml, DBVH_UNKNOWN_FORMAT, "a URDF file begins with <robot>, and this one with <%.60s>",
		                  element );
		return PLACE_OTHER;
	case PLACE_ROBOT:
		return begin_in_robot( r, element, attributes );
	case PLACE_LINK:
		return strcmp( element, r->wants_visual ? "visual" : "collision" ) == 0 ? begin_collision( r, attributes )
		                                                                        : PLACE_OTHER;
	case PLACE_COLLISION:
		if ( strcmp( element, "origin" ) == 0 )
			read_origin( r, attributes, &this_geometry( r )->origin );
		return strcmp( element, "geometry" ) == 0 ? PLACE_GEOMETRY : PLACE_OTHER;
	case PLACE_GEOMETRY:
		read_shape( r, element, attributes );
		return PLACE_OTHER;
	case PLACE_JOINT:
		read_part_of_joint( r, element, attributes );
		return PLACE_OTHER;
	case PLACE_OTHER:
		break;
	}
	return PLACE_OTHER;
}

static int on_begin( void *user, scene_xml *xml, int outer, const char *element, const char *const *attributes ) {
	reader *r = user;
	r->xml = xml;
	return begin_in( r, (place)outer, element, attributes );
}

static void on_end( void *user, scene_xml *xml, int ended ) {
	reader *r = user;
	r->xml = xml;
	if ( ended == PLACE_COLLISION )
		end_collision( r );
	else if ( ended == PLACE_JOINT )
		end_joint( r );
}

dbvh_status robot_read( const unsigned char *bytes, size_t count, bool wants_visual, robot *out, dbvh_error *error ) {
	reader r = { .out = out, .wants_visual = wants_visual };
	const scene_xml_handler handler = { on_begin, on_end, &r, NULL };
	return scene_xml_read( bytes, count, &handler, error );
}

void robot_free( robot *r ) {
	for ( size_t i = 0; i < r->link_count; ++i )
		free( r->links[i].name );
	for ( size_t i = 0; i < r->joint_count; ++i ) {
		free( r->joints[i].name );
		free( r->joints[i].parent );
		free( r->joints[i].child );
		free( r->joints[i].mimic );
	}
	for ( size_t i = 0; i < r->geometry_count; ++i ) {
		free( r->geometries[i].name );
		free( r->geometries[i].file );
	}
	free( r->links );
	free( r->joints );
	free( r->geometries );
	*r = ( robot ){ 0 };
}

dbvh_status scene_read_urdf( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                             dbvh_error *error ) {
	robot r = { 0 };
	dbvh_status status = robot_read( bytes, count, model->wants_visual, &r, error );
	if ( status == DBVH_OK )
		status = robot_build( &r, source, model, error );
	robot_free( &r );
	return status;
}
