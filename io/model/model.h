// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The content of a file of many bodies, whichever format it has. Readers fill a model in, additional files (JSON scene,
// SRDF) add rules to it, and the command turns it into a dbvh_scene. Nothing here prints.

#pragma once

#include "dualbvh/robot.h"
#include "model/ledger.h"
#include "model/severity.h"
#include "text/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number of no mesh, body, link or joint.
#define SCENE_NONE UINT32_MAX

enum { SCENE_MOST_GROUPS = 31 };

// The geometry of a body. Many bodies share one: a reader makes one mesh for each geometry and each way in which it is
// scaled or sheared, and leaves the rigid part to the poses of bodies.
typedef struct scene_mesh {
	dbvh_mesh *mesh;
	char *name;        // for sentences: the file, or the place in the file, that it came from
	uint32_t *numbers; // the number of each triangle in the file that the mesh is a part of; NULL: the same as here
} scene_mesh;

// A property that a file gives to a body: "class", "material", "guid", anything.
typedef struct scene_property {
	char *key, *value;
} scene_property;

typedef struct scene_body {
	char *path;                 // unique in the model; its parts have '/' between them and are never empty
	scene_property *properties; // properties.h
	uint32_t property_count;
	uint32_t mesh;
	uint32_t link;  // link that carries it; SCENE_NONE: the body stands in the world. Bodies of one link are never
	                // tested against each other, whatever the rules say
	dbvh_pose pose; // in the frame of its link, or in the world
	double sag;     // how far its triangles may be from what they stand for; 0 where nobody said
	uint32_t group, mask; // see dbvh_body_options; 0 where no file sets it
	uint32_t next_number; // for model.c: the last number that was appended to this path
} scene_body;

// How a link moves against its parent, by one number: an angle in radians, or a length.
typedef enum scene_joint_kind { SCENE_JOINT_FIXED, SCENE_JOINT_REVOLUTE, SCENE_JOINT_PRISMATIC } scene_joint_kind;

// A link and the joint that joins it to its parent. Parents stand before their children.
typedef struct scene_link {
	char *name, *joint;    // joint: NULL for a root
	uint32_t joint_number; // number of the joint in its file, from 0
	uint32_t parent;       // SCENE_NONE for a root
	scene_joint_kind kind;
	dbvh_joint_kind stated; // the kind in the file; `kind` turns for continuous, and is fixed for planar and floating
	dbvh_pose origin;       // frame of the joint in that of the parent; root: its place in the world
	double axis[3];         // unit length, in the frame of the joint
	double lower, upper;    // limits of the joint's number; infinite where there are none
	uint32_t mimic; // link whose joint this one follows: number = factor * its number + offset; SCENE_NONE: it follows
	                // none. That joint follows no other
	double factor, offset;
} scene_link;

// A named configuration: a number for each link of the model, 0 where nothing was said.
typedef struct scene_state {
	char *name;
	double *values;
} scene_state;

typedef enum scene_way_kind {
	SCENE_WAY_NONE,
	SCENE_WAY_STRAIGHT, // headroom above, room to pull something out
	SCENE_WAY_TURN      // the swing of a door
} scene_way_kind;

// A way that must be free: the bodies that `a` of a rule names go along it, and those of `b` are not to be in it. A
// straight way is as long as the clearance of the rule.
typedef struct scene_way {
	scene_way_kind kind;
	double axis[3];   // length about 1. STRAIGHT: the direction, in the scene; TURN: the axis, in the frame of the body
	double centre[3]; // TURN: a point of the axis, in the frame of the body
	double angle;     // TURN: in radians
} scene_way;

// A rule for bodies that patterns name. In patterns '*' stands for any characters, '?' for one, and a backslash takes
// the special meaning from the character behind it; a pattern names a body if it matches its path or a leading part of
// it that ends before a '/'. A rule with two patterns is about pairs and goes before rules with one, which go before
// the rule with none; of two equally specific rules the later one holds.
typedef struct scene_rule {
	char *a, *b;      // NULL: both, or the second alone; see above
	char *name;       // its name in reports; NULL: none
	char *reason;     // free text; NULL: none
	char *same;       // with two patterns: the rule is for pairs with one value of this property; NULL: for all
	const char *file; // the matrix that it is in, by the name that the caller gave; NULL: another file, or none
	int64_t line;     // line in its file; 0: unknown
	dbvh_pair_rule rule;
	scene_way way;           // only rules with two patterns have one
	scene_severity severity; // severity of the clashes that break it
	bool is_used;            // it matched something; set by scene_rules_apply()
	bool is_assumed;         // no file says it, a reader supposes it
} scene_rule;

// A clash that somebody has reviewed and accepts: by its id, or by patterns of the two bodies as in scene_rule (b NULL:
// any other body).
typedef struct scene_ignore_entry {
	char *id, *a, *b; // NULL where it is not given
	char *reason;     // free text; NULL: none
	int64_t line;     // line in its file; 0: unknown
	bool is_used;     // it let something pass
} scene_ignore_entry;

typedef struct scene_model {
	scene_mesh *meshes;
	size_t mesh_count, mesh_capacity;
	// Trees out of tree files. A mesh takes one where its triangles are the same; a mesh that was scaled or cut into
	// parts takes none.
	dbvh_tree **trees;
	size_t tree_count, tree_capacity;
	scene_body *bodies;
	size_t body_count, body_capacity;
	scene_link *links;
	size_t link_count, link_capacity;
	scene_state *states;
	size_t state_count, state_capacity;
	scene_rule *rules;
	size_t rule_count, rule_capacity;
	scene_ignore_entry *ignores;
	size_t ignore_count, ignore_capacity;
	scene_names paths; // paths of the bodies
	// "door/": stands before the path of every body that is added, and before the names of links, joints and states
	// that readers add; NULL: nothing does.
	const char *prefix;
	char *group_names[SCENE_MOST_GROUPS]; // group i is bit i + 1; bit 0 is that of bodies without a group
	size_t group_count;
	size_t renamed_count; // bodies whose path was taken
	double metres;        // the length of one unit; 0 where nobody said
	double wants_sag;    // asked of readers: the sag of what is not made of triangles, in the unit of the scene if that
	                     // is known, else in that of the file; 0: as they like
	bool wants_visual;   // asked of readers: of robots the <visual> geometry in place of the <collision> geometry
	bool holds_no_joint; // asked of readers: nobody holds planar and floating joints at 0, so no note says it
	bool skips_bad_faces; // asked of readers: mesh files come without faces that cross themselves
	size_t skipped_count; // how many such faces were left out
	// The ledger that counts what is made for the model; NULL: own_ledger.
	scene_ledger own_ledger, *ledger;
	char **notes; // sentences that the user should see: what was left out, what was assumed
	size_t note_count, note_capacity;
} scene_model;

// All zero is an empty model, too.
void scene_model_free( scene_model *model );

// The ledger of the model.
scene_ledger *scene_ledger_of( scene_model *model );

// Add an element, copying texts and taking a mesh over (destroying it on failure). Each returns the number of the
// element, or SCENE_NONE where there is no memory (or there are 2^31 of them).
uint32_t scene_add_mesh( scene_model *model, dbvh_mesh *mesh, const char *name );
// The number that a triangle of a body has in its file.
uint32_t scene_triangle_number( const scene_model *model, uint32_t body, uint32_t triangle );
// Takes the tree over, destroying it on failure. False where there is no memory.
bool scene_add_tree( scene_model *model, dbvh_tree *tree );
// Takes over all trees of another model.
bool scene_take_trees( scene_model *model, scene_model *from );
// A path that is taken gets "#2", "#3", ... behind it; an empty part is called "unnamed".
uint32_t scene_add_body( scene_model *model, const char *path, uint32_t mesh, const dbvh_pose *pose );
// The prefix and a name, to be freed; NULL where there is no memory.
char *scene_prefixed( const scene_model *model, const char *name );
uint32_t scene_add_link( scene_model *model, const char *name, uint32_t parent );
uint32_t scene_add_state( scene_model *model, const char *name );
uint32_t scene_add_rule( scene_model *model, const char *a, const char *b, const dbvh_pair_rule *rule );
// Any of the texts may be NULL.
uint32_t scene_add_ignore( scene_model *model, const char *id, const char *a, const char *b, const char *reason );
bool scene_add_note( scene_model *model, const char *format, ... );

// Sets a text of the model (a name, a reason) to a copy. False where there is no memory.
bool scene_set_text( char **place, const char *text );

// A position in the growing arrays of a model: names everything that is added after it.
typedef struct scene_mark {
	size_t mesh_count, body_count, link_count, state_count, rule_count;
} scene_mark;
scene_mark scene_mark_of( const scene_model *model );

// Moves what was added after the mark: bodies without a link and root links.
void scene_move_from( scene_model *model, const scene_mark *mark, const dbvh_pose *pose );

// Changes the unit of what was added after the mark: meshes, places, joints, states and rules become factor times as
// large. Errors: NOT_FINITE, OUT_OF_MEMORY.
dbvh_status scene_scale_from( scene_model *model, const scene_mark *mark, double factor, dbvh_error *error );

// "s" unless n is 1: sentences are for people.
#define SCENE_PLURAL( n ) ( ( n ) == 1 ? "" : "s" )

// Places all bodies for a number for each link (NULL: all 0), by dbvh_robot_place(); poses_out has room for body_count.
// False where there is no memory, or a number is not finite.
bool scene_place( const scene_model *model, const double *values, dbvh_pose *poses_out );

// Is the path named by the pattern?
bool scene_matches( const char *pattern, const char *path );

// Does the pattern match the whole text?
bool scene_matches_text( const char *pattern, const char *text );

// The pattern that matches this text and nothing else, to be freed; NULL where there is no memory.
char *scene_exact_pattern( const char *text );
