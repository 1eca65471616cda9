// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The links of a robot as one tree, and its bodies.

#include "formats/urdf/robot.h"
#include "formats/urdf/robot_shapes.h"
#include "model/links.h"
#include "model/refuse.h"
#include "text/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No link, no joint of a robot.
#define NONE SIZE_MAX

typedef struct builder {
	const robot *robot;
	const scene_source *source;
	scene_model *model;
	dbvh_error *error;
	scene_names link_names, joint_names;
	size_t *parent_joint;             // by link; NONE for the root
	size_t *first_child, *next_child; // joints below a link, in the order of the file
	size_t *parent_link, *child_link; // by joint
	uint32_t *number;                 // by link: its number in the model
	robot_shapes shapes;
} builder;

// ------------------------------------------------------------------------------------------------
// The tree

static bool allocate( builder *b ) {
	const size_t links = b->robot->link_count, joints = b->robot->joint_count;
	b->parent_joint = malloc( ( links + 1 ) * sizeof( size_t ) );
	b->first_child = malloc( ( links + 1 ) * sizeof( size_t ) );
	b->next_child = malloc( ( joints + 1 ) * sizeof( size_t ) );
	b->parent_link = malloc( ( joints + 1 ) * sizeof( size_t ) );
	b->child_link = malloc( ( joints + 1 ) * sizeof( size_t ) );
	b->number = malloc( ( links + 1 ) * sizeof( uint32_t ) );
	if ( b->parent_joint == NULL || b->first_child == NULL || b->next_child == NULL || b->parent_link == NULL ||
	     b->child_link == NULL || b->number == NULL ) {
		scene_refuse_memory( b->error );
		return false;
	}
	for ( size_t i = 0; i < links; ++i ) {
		b->parent_joint[i] = b->first_child[i] = NONE;
		b->number[i] = SCENE_NONE;
	}
	return true;
}

// Names of links and joints are those of one robot, or of several with a prefix each.
static bool is_free( builder *b, const scene_names *taken, const char *name, int64_t line, const char *what ) {
	char *full = scene_prefixed( b->model, name );
	const bool free_name = full != NULL && scene_names_find( taken, full ) == SCENE_NONE;
	if ( full == NULL )
		scene_refuse_memory( b->error );
	else if ( !free_name )
		scene_refuse_at( b->error, DBVH_MALFORMED, line, "the scene has a robot with a %s '%.100s' already", what,
		                 full );
	free( full );
	return free_name;
}

static bool check_other_robots( builder *b ) {
	const robot *r = b->robot;
	scene_link_names taken;
	if ( b->model->link_count == 0 )
		return true;
	if ( !scene_link_names_make( b->model, &taken ) ) {
		scene_refuse_memory( b->error );
		return false;
	}
	bool good = true;
	for ( size_t i = 0; good && i < r->link_count; ++i )
		good = is_free( b, &taken.links, r->links[i].name, r->links[i].line, "link" );
	for ( size_t i = 0; good && i < r->joint_count; ++i )
		good = is_free( b, &taken.joints, r->joints[i].name, r->joints[i].line, "joint" );
	scene_link_names_free( &taken );
	return good;
}

static bool name_all( builder *b ) {
	const robot *r = b->robot;
	for ( size_t i = 0; i < r->link_count; ++i ) {
		if ( scene_names_find( &b->link_names, r->links[i].name ) != SCENE_NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, r->links[i].line, "there are two links '%.100s'",
			                 r->links[i].name );
			return false;
		}
		if ( !scene_names_add( &b->link_names, r->links[i].name, (uint32_t)i ) ) {
			scene_refuse_memory( b->error );
			return false;
		}
	}
	for ( size_t i = 0; i < r->joint_count; ++i ) {
		if ( scene_names_find( &b->joint_names, r->joints[i].name ) != SCENE_NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, r->joints[i].line, "there are two joints '%.100s'",
			                 r->joints[i].name );
			return false;
		}
		if ( !scene_names_add( &b->joint_names, r->joints[i].name, (uint32_t)i ) ) {
			scene_refuse_memory( b->error );
			return false;
		}
	}
	return true;
}

static bool find_link( builder *b, const robot_joint *joint, const char *role, const char *name, size_t *out ) {
	const uint32_t found = scene_names_find( &b->link_names, name );
	*out = found;
	if ( found != SCENE_NONE )
		return true;
	scene_refuse_at( b->error, DBVH_MALFORMED, joint->line,
	                 "the %s of joint '%.80s' is link '%.80s', which is not there", role, joint->name, name );
	return false;
}

// Joints from the last to the first, so that children are in the order of the file.
static bool join_links( builder *b ) {
	const robot *r = b->robot;
	for ( size_t i = r->joint_count; i-- > 0; ) {
		const robot_joint *joint = &r->joints[i];
		if ( !find_link( b, joint, "parent", joint->parent, &b->parent_link[i] ) ||
		     !find_link( b, joint, "child", joint->child, &b->child_link[i] ) )
			return false;
		const size_t parent = b->parent_link[i], child = b->child_link[i];
		if ( b->parent_joint[child] != NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, joint->line,
			                 "link '%.60s' is the child of two joints, '%.60s' and '%.60s'; a robot is a tree",
			                 joint->child, joint->name, r->joints[b->parent_joint[child]].name );
			return false;
		}
		b->parent_joint[child] = i;
		b->next_child[i] = b->first_child[parent];
		b->first_child[parent] = i;
	}
	return true;
}

static bool find_root( builder *b, size_t *root ) {
	const robot *r = b->robot;
	*root = NONE;
	for ( size_t i = 0; i < r->link_count; ++i ) {
		if ( b->parent_joint[i] != NONE )
			continue;
		if ( *root != NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, r->links[i].line,
			                 "links '%.80s' and '%.80s' have no parent; a robot is one tree, with one root",
			                 r->links[*root].name, r->links[i].name );
			return false;
		}
		*root = i;
	}
	if ( r->link_count == 0 )
		scene_refuse_at( b->error, DBVH_EMPTY, 0, "there is no link in the robot" );
	else if ( *root == NONE )
		scene_refuse_at( b->error, DBVH_MALFORMED, r->links[0].line,
		                 "the joints make a loop: every link has a parent, and none is the root" );
	return *root != NONE;
}

static bool add_joint( builder *b, scene_link *link, size_t j ) {
	const robot_joint *joint = &b->robot->joints[j];
	link->joint = scene_prefixed( b->model, joint->name );
	link->joint_number = (uint32_t)j;
	link->kind = joint->kind;
	link->origin = joint->origin;
	memcpy( link->axis, joint->axis, sizeof link->axis );
	link->lower = joint->lower;
	link->upper = joint->upper;
	link->stated = joint->stated;
	const bool is_held = !b->model->holds_no_joint &&
	                     ( joint->stated == DBVH_JOINT_KIND_PLANAR || joint->stated == DBVH_JOINT_KIND_FLOATING );
	return link->joint != NULL && ( !is_held || scene_add_note( b->model,
	                                                            "joint '%s' is floating or planar; it is held "
	                                                            "where it is at 0",
	                                                            link->joint ) );
}

static bool add_link( builder *b, size_t link ) {
	const size_t j = b->parent_joint[link];
	char *name = scene_prefixed( b->model, b->robot->links[link].name );
	const uint32_t number =
	    name != NULL ? scene_add_link( b->model, name, j != NONE ? b->number[b->parent_link[j]] : SCENE_NONE )
	                 : SCENE_NONE;
	free( name );
	b->number[link] = number;
	if ( number != SCENE_NONE && ( j == NONE || add_joint( b, &b->model->links[number], j ) ) )
		return true;
	scene_refuse_memory( b->error );
	return false;
}

// Each link before its children, these in the order of the file.
static bool add_links( builder *b, size_t root ) {
	size_t added = 0;
	for ( size_t link = root;; ) {
		if ( !add_link( b, link ) )
			return false;
		++added;
		size_t next = b->first_child[link];
		while ( next == NONE && link != root ) { // up to the next one that has a sibling
			next = b->next_child[b->parent_joint[link]];
			link = b->parent_link[b->parent_joint[link]];
		}
		if ( next == NONE )
			break;
		link = b->child_link[next];
	}
	for ( size_t i = 0; added < b->robot->link_count && i < b->robot->link_count; ++i ) {
		if ( b->number[i] == SCENE_NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, b->robot->links[i].line,
			                 "the joints make a loop, in which link '%.80s' is or hangs", b->robot->links[i].name );
			return false;
		}
	}
	return true;
}

// Who follows somebody that follows somebody follows the latter.
static bool set_mimic( builder *b, size_t j ) {
	const robot *r = b->robot;
	scene_link *link = &b->model->links[b->number[b->child_link[j]]];
	double factor = 1.0, offset = 0.0;
	size_t at = j;
	for ( size_t steps = 0; r->joints[at].mimic != NULL; ++steps ) {
		const robot_joint *joint = &r->joints[at];
		offset += factor * joint->offset;
		factor *= joint->factor;
		const uint32_t next = scene_names_find( &b->joint_names, joint->mimic );
		if ( next == SCENE_NONE ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, joint->line,
			                 "joint '%.80s' mimics joint '%.80s', which is not there", joint->name, joint->mimic );
			return false;
		}
		if ( steps > r->joint_count ) {
			scene_refuse_at( b->error, DBVH_MALFORMED, joint->line, "joint '%.80s' mimics itself, by way of '%.80s'",
			                 joint->name, joint->mimic );
			return false;
		}
		at = next;
	}
	link->mimic = b->number[b->child_link[at]];
	link->factor = factor;
	link->offset = offset;
	return true;
}

static bool set_mimics( builder *b ) {
	for ( size_t j = 0; j < b->robot->joint_count; ++j )
		if ( b->robot->joints[j].mimic != NULL && !set_mimic( b, j ) )
			return false;
	return true;
}

// ------------------------------------------------------------------------------------------------
// Bodies

// "link", or "link/name" where the link has several; "link/3" where the third has no name.
static char *path_of( const robot_link *link, size_t i, const robot_geometry *g ) {
	char number[24];
	snprintf( number, sizeof number, "%zu", i + 1 );
	const char *name = g->name != NULL ? g->name : number;
	char *path = malloc( strlen( link->name ) + strlen( name ) + 2 );
	if ( path == NULL )
		return NULL;
	strcpy( path, link->name );
	return link->geometry_count > 1 ? strcat( strcat( path, "/" ), name ) : path;
}

static bool add_body( builder *b, size_t l, size_t i ) {
	const robot_link *link = &b->robot->links[l];
	const robot_geometry *g = &b->robot->geometries[link->first_geometry + i];
	if ( robot_shape_is_empty( g ) ) {
		if ( scene_add_note( b->model, "link '%s' has a solid of size 0; it is left out", link->name ) )
			return true;
		scene_refuse_memory( b->error );
		return false;
	}
	double sag = 0.0;
	const uint32_t mesh = robot_shape_mesh( &b->shapes, b->source, b->model, g, &sag, b->error );
	if ( mesh == SCENE_NONE ) {
		scene_blame( b->error, g->line, "link '%.60s': ", link->name );
		return false;
	}
	char *path = path_of( link, i, g );
	const uint32_t body = path != NULL ? scene_add_body( b->model, path, mesh, &g->origin ) : SCENE_NONE;
	free( path );
	if ( body == SCENE_NONE ) {
		scene_refuse_memory( b->error );
		return false;
	}
	b->model->bodies[body].link = b->number[l];
	b->model->bodies[body].sag = sag;
	return true;
}

static bool add_bodies( builder *b, size_t first_link ) {
	// In the order of the links of the model.
	size_t *robot_link_of = malloc( ( b->robot->link_count + 1 ) * sizeof *robot_link_of );
	if ( robot_link_of == NULL ) {
		scene_refuse_memory( b->error );
		return false;
	}
	for ( size_t i = 0; i < b->robot->link_count; ++i )
		robot_link_of[b->number[i] - first_link] = i;
	const size_t first_body = b->model->body_count;
	bool good = true;
	for ( size_t n = 0; good && n < b->robot->link_count; ++n ) {
		const size_t l = robot_link_of[n];
		for ( size_t i = 0; good && i < b->robot->links[l].geometry_count; ++i )
			good = add_body( b, l, i );
	}
	free( robot_link_of );
	if ( good && b->model->body_count == first_body ) {
		scene_refuse_at( b->error, DBVH_EMPTY, 0, "no link of the robot has a <%s>",
		                 b->model->wants_visual ? "visual" : "collision" );
		good = false;
	}
	const double most = robot_shapes_most_sag( &b->shapes );
	if ( good && most > 0.0 &&
	     !scene_add_note( b->model, "round solids stand as polyhedra around them, at most %.2g m outside of them",
	                      most ) ) {
		scene_refuse_memory( b->error );
		good = false;
	}
	return good;
}

// ------------------------------------------------------------------------------------------------
// Neighbours

// The next link above that carries a body: one without is as good as a part of its child.
static uint32_t parent_with_body( const scene_model *model, const bool *has_body, uint32_t link ) {
	do
		link = model->links[link].parent;
	while ( link != SCENE_NONE && !has_body[link] );
	return link;
}

static bool add_neighbours( builder *b, size_t first_link ) {
	scene_model *model = b->model;
	bool *has_body = calloc( model->link_count, sizeof *has_body );
	bool good = has_body != NULL;
	for ( size_t i = 0; good && i < model->body_count; ++i )
		if ( model->bodies[i].link != SCENE_NONE )
			has_body[model->bodies[i].link] = true;
	for ( size_t i = first_link; good && i < model->link_count; ++i ) {
		const uint32_t parent = has_body[i] ? parent_with_body( model, has_body, (uint32_t)i ) : SCENE_NONE;
		if ( parent == SCENE_NONE )
			continue;
		char *pattern_a = scene_exact_pattern( model->links[parent].name );
		char *pattern_b = scene_exact_pattern( model->links[i].name );
		const dbvh_pair_rule rule = { .may_collide = true };
		const uint32_t number =
		    pattern_a != NULL && pattern_b != NULL ? scene_add_rule( model, pattern_a, pattern_b, &rule ) : SCENE_NONE;
		free( pattern_a );
		free( pattern_b );
		good = number != SCENE_NONE;
		if ( good ) {
			model->rules[number].is_assumed = true;
			model->rules[number].reason = scene_copy( "adjacent links" );
			good = model->rules[number].reason != NULL;
		}
	}
	free( has_body );
	if ( !good )
		scene_refuse_memory( b->error );
	return good;
}

// ------------------------------------------------------------------------------------------------

static bool build( builder *b ) {
	const size_t first_link = b->model->link_count;
	size_t root;
	if ( !allocate( b ) || !name_all( b ) || !check_other_robots( b ) || !join_links( b ) || !find_root( b, &root ) ||
	     !add_links( b, root ) || !set_mimics( b ) || !add_bodies( b, first_link ) || !add_neighbours( b, first_link ) )
		return false;
	b->model->metres = 1.0;
	return true;
}

dbvh_status robot_build( const robot *r, const scene_source *source, scene_model *model, dbvh_error *error ) {
	builder b = { .robot = r, .source = source, .model = model, .error = error };
	const bool good = build( &b );
	robot_shapes_free( &b.shapes );
	free( b.parent_joint );
	free( b.first_child );
	free( b.next_child );
	free( b.parent_link );
	free( b.child_link );
	free( b.number );
	scene_names_free( &b.link_names );
	scene_names_free( &b.joint_names );
	return good ? DBVH_OK : error->status;
}
