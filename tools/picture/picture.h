// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The content of all pictures of an answer: bodies and where they stand, clashes, the lines and regions of contact, the
// shortest way between two bodies, motions, levels of trees. The page, the exports and the thumbnails are all drawn
// from this. Lengths and places are exact doubles in the frame that the command prints in.

#pragma once

#include "dualbvh/depth.h"
#include "dualbvh/dualbvh.h"
#include "dualbvh/overlap.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number of no body, group, frame or pose.
#define PICTURE_NONE UINT32_MAX

// Geometry that bodies share; the caller's arrays, three doubles a vertex, three numbers a triangle.
typedef struct picture_mesh {
	dbvh_mesh_view view;
	const dbvh_tree *tree; // NULL: none is at hand
	dbvh_aabb box;
} picture_mesh;

typedef struct picture_body {
	char *path;
	const char *file; // the caller's
	uint32_t mesh;
	dbvh_pose pose;
	uint32_t link;   // link of the robot that carries it; PICTURE_NONE: none
	dbvh_pose local; // pose in the frame of its link
} picture_body;

// A connected part of a contact.
typedef struct picture_place {
	dbvh_aabb box;
	double length, area;
	uint32_t clash;
} picture_place;

// A polyline of contact: points[first] and so on. A region: a convex polygon that lies in both surfaces.
typedef struct picture_line {
	size_t first, count;
	uint32_t clash, place;
	bool closed, is_boundary; // boundary: of a flat region
} picture_line;

typedef struct picture_region {
	size_t first, count;
	uint32_t clash, place;
} picture_region;

typedef struct picture_clash {
	char *id, *sentence;  // the id is "" where there is none
	const char *kind;     // a word: "hard", "clearance", ...
	const char *standing; // NULL, "ignored", or what scene_standing_word() says
	uint32_t a, b;        // bodies; the same one where a mesh meets itself
	double point[3];      // the centre of the view
	double size;          // how much there is to see around it
	bool has_middle;
	double middle[3]; // middle of what both boxes have in common: the place of review files
	bool has_first;
	dbvh_pair first; // a triangle of each
	bool has_witness;
	double witness[2][3], distance; // points of A and of B that are that far apart
	bool has_move;
	double move[3]; // moving B by it parts the two
	// Measures of an overlap, as intervals; `type` is how IfcClash calls it. NULL, false: not known.
	const char *type;
	bool has_depth, has_volume, has_deepest;
	dbvh_interval depth, volume;
	double deepest[2][3]; // the deepest point, and the point of the other surface that is nearest to it
	// The overlap as a closed mesh, where it was wished for: memory of the picture.
	double *solid_vertices;
	uint32_t *solid_corners;
	size_t solid_vertex_count, solid_face_count;
	uint32_t group, frame; // PICTURE_NONE: of no group; at all times
	bool contacts_left_out;
	bool counts; // for the exit status of the command
	size_t first_place, place_count, first_line, line_count, first_region, region_count;
} picture_clash;

typedef struct picture_group {
	char *name;
} picture_group;

// A body that moves: a pose for each frame.
typedef struct picture_track {
	uint32_t body;
	dbvh_pose *poses;
} picture_track;

// The state of one frame.
typedef enum picture_state { PICTURE_CLEAR, PICTURE_CLASHING, PICTURE_UNKNOWN } picture_state;
typedef struct picture_frame {
	double time;     // number of the pose, or leg and time within it
	double distance; // NaN: not asked for
	picture_state state;
} picture_frame;

typedef struct picture_node {
	uint32_t level, parent, triangle_count;
	bool is_visited;
	dbvh_sphere sphere;
	dbvh_obb box;
	dbvh_ellipsoid ellipsoid;
} picture_node;

// The upper levels of the tree of a body, in the frame of its mesh.
typedef struct picture_levels {
	uint32_t body;
	picture_node *nodes;
	size_t count;
	uint32_t depth; // levels of the whole tree
	size_t total;   // nodes of the whole tree
} picture_levels;

typedef struct picture {
	char *title;
	double metres; // length of a unit; 0: unknown
	// The search came to its end, and all its clashes are in the picture. If false, the first note says what is
	// missing.
	bool is_complete;
	picture_mesh *meshes;
	size_t mesh_count, mesh_capacity;
	picture_body *bodies;
	size_t body_count, body_capacity;
	picture_clash *clashes;
	size_t clash_count, clash_capacity;
	picture_group *groups;
	size_t group_count, group_capacity;
	picture_place *places;
	size_t place_count, place_capacity;
	picture_line *lines;
	size_t line_count, line_capacity;
	picture_region *regions;
	size_t region_count, region_capacity;
	double ( *points )[3];
	size_t point_count, point_capacity;
	picture_track *tracks;
	size_t track_count, track_capacity;
	picture_frame *frames;
	size_t frame_count, frame_capacity;
	const char *time_name; // "pose", "time", "configuration"
	// A robot: its links, the caller's, and a number for each of them at every frame, as in scene_state. Bodies of
	// links have tracks, too.
	const struct scene_link *links;
	size_t link_count;
	double *joint_values; // owned
	char *review;         // the review file that a compared run leaves; NULL: nothing was compared. Owned
	picture_levels levels[2];
	size_t level_count;
	char **notes; // sentences for whoever looks
	size_t note_count, note_capacity;
	void **owned; // memory that lives as long as the picture
	size_t owned_count, owned_capacity;
	bool has_failed; // there was no memory for something
} picture;

void picture_free( picture *p );

// Add an element. Each returns its number; PICTURE_NONE where there is no memory, and p->has_failed stays true then, so
// that one question at the end is enough. A mesh that is there already (the same array) is found again.
uint32_t picture_append_mesh( picture *p, const dbvh_mesh_view *view, const dbvh_tree *tree ); // without looking
uint32_t picture_add_mesh( picture *p, const dbvh_mesh_view *view, const dbvh_tree *tree );
uint32_t picture_add_body( picture *p, const char *path, const char *file, uint32_t mesh, const dbvh_pose *pose );
uint32_t picture_add_group( picture *p, const char *name );
// Takes over id and sentence, which may be NULL where there was no memory.
uint32_t picture_add_clash( picture *p, const picture_clash *clash );
uint32_t picture_add_frame( picture *p, double time, double distance, picture_state state );
// Poses of a body for every frame that there is, to be filled in. NULL where there is no memory.
dbvh_pose *picture_add_track( picture *p, uint32_t body );
void picture_add_note( picture *p, const char *format, ... );

// Takes over memory that bodies point to: it is freed with the picture. Returns it, or NULL where there is none.
void *picture_own( picture *p, void *memory );

// A text of its own, or NULL with p->has_failed.
char *picture_print( picture *p, const char *format, ... );

// Contacts that were found between two bodies become lines, regions and places of the clash that was added last, moved
// by `pose` (NULL: as they are).
void picture_add_contacts( picture *p, const dbvh_contacts_view *found, const dbvh_pose *pose );

// The overlap that was found between two bodies becomes the solid of the clash that was added last, moved by `pose`
// (NULL: as it is).
void picture_add_overlap( picture *p, const dbvh_overlap_view *found, const dbvh_pose *pose );

// The box round all places of a clash; false where it has none.
bool picture_places_box( const picture *p, const picture_clash *clash, dbvh_aabb *out );

// Upper levels of the tree of a body, at most `most` nodes.
bool picture_add_levels( picture *p, uint32_t body, size_t most );
// Marks the nodes of both trees that a search for all intersections at these poses looks at, as the paper's does:
// spheres, then boxes, and the larger of two nodes is divided.
void picture_mark_visited( picture *p, const dbvh_pose *pose_a, const dbvh_pose *pose_b );

// The pose of a body at a frame (PICTURE_NONE: its own pose).
dbvh_pose picture_pose( const picture *p, uint32_t body, uint32_t frame );

// The box round a body as it stands, and round all of them. Empty ones have min above max.
dbvh_aabb picture_bounds_of( const picture *p, uint32_t body, uint32_t frame );
// A box that may be larger where the body is turned, and takes no look at its vertices.
dbvh_aabb picture_box_of( const picture *p, uint32_t body, uint32_t frame );
dbvh_aabb picture_bounds( const picture *p );

static inline void picture_place_point( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
}
