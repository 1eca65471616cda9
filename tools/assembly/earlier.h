// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The clashes of an earlier run and the bodies that they are about. A report (baseline.h), a review file (review.h) and
// the findings of another model are read into this one form; match.c finds which body and which clash of this run each
// has become, and standing.c says how a clash stands to its past. Nothing else compares runs.

#pragma once

#include "assembly/findings.h"

typedef struct earlier_body {
	char *path, *guid; // guid: NULL where there is none
	bool has_fingerprint, has_shape, has_pose;
	uint64_t fingerprint; // scene_body_fingerprint()
	uint64_t shape;       // hash of the triangles alone
	dbvh_pose pose;
	uint32_t now;  // the body of the model that it has become; SCENE_NONE: none. Set by scene_match_bodies()
	uint32_t next; // number in the next review of a body that the model has no more; scene_review_next() sets it
} earlier_body;

// The decisions of people about a clash; a text is NULL where nobody said anything.
typedef struct earlier_review {
	char *accepted; // the reason
	char *lapsed;   // the reason of an acceptance that the clash has outgrown
	char *by, *until, *assignee;
	char *status; // of the topic in BCF
	char **comments;
	size_t comment_count, comment_capacity;
	uint64_t *seen; // hashes of all comments that came by BCF: one that was deleted does not come again
	size_t seen_count, seen_capacity;
	char *edited;       // when status and assignee became what they are: a time
	bool has_edited_as; // `edited` is that of the status and assignee of this hash
	uint64_t edited_as;
	bool is_edited_by_hand; // since the last run. Set by scene_review_date()
	char *unsure; // the day since when only measures tell whether the acceptance covers the clash: its bodies have
	              // changed
	char *found, *resolved, *gone; // days, and behind that of `gone` the reason
} earlier_review;

// A point of the world, and the same point in the frames of both bodies.
typedef struct earlier_place {
	bool is_known, is_in_a, is_in_b; // the members below that are set
	bool has_frames;                 // all three are set
	double world[3], in_a[3], in_b[3];
} earlier_place;

typedef struct earlier_clash {
	uint64_t id;
	uint32_t a, b; // earlier bodies
	dbvh_clash_kind kind;
	char *rule; // its name, or NULL
	bool has_depth, has_volume, has_distance, has_terms;
	bool has_severity;
	dbvh_interval depth, volume;
	double distance;
	earlier_place middle; // middle of the region
	earlier_place point;  // the deepest of the overlap, the touch, or the middle of the gap
	uint64_t terms;       // scene_terms()
	scene_severity severity;
	earlier_review review;
	uint32_t now; // the clash of the findings that it has become; SCENE_NONE: absent. Set by scene_match_clashes()
} earlier_clash;

struct scene_earlier {
	earlier_body *bodies;
	size_t body_count, body_capacity;
	earlier_clash *clashes;
	size_t clash_count, clash_capacity;
	scene_names paths; // number of a body
	uint64_t rules;    // fingerprint of all rules
	double metres;     // the length of one unit; 0 where nobody said
	bool has_review;
	char today[11]; // "2026-12-31", for dates of reviews; "": acceptances never end
};

// Brings all lengths into a unit of so many metres; does nothing where one of the units is not known (0). Bodies lose
// the hashes of their triangles then, since the same numbers are other triangles.
void scene_earlier_convert( scene_earlier *earlier, double metres );

// The decisions of people about a clash, or NULL.
const earlier_review *scene_review_of( const scene_findings *findings, const scene_clash *clash );

void scene_earlier_free( scene_earlier *earlier );

// The number of the body with this path, a new one where there is none; SCENE_NONE: no memory.
uint32_t scene_earlier_body( scene_earlier *earlier, const char *path );

// Adds a clash without ids, kinds and places. NULL: no memory.
earlier_clash *scene_earlier_add( scene_earlier *earlier );

// Frees the texts of a review.
void scene_review_clear( earlier_review *review );

// Adds all clashes of the findings, and their bodies, as they are now. False where there is no memory.
bool scene_earlier_take( scene_earlier *earlier, const scene_findings *findings );

// Sets a place from a point of the world.
void scene_earlier_place( earlier_place *to, const double world[3], const dbvh_pose *a, const dbvh_pose *b );

// Sets everything of the clash but its id, bodies and review from a clash of the findings.
bool scene_earlier_refresh( earlier_clash *to, const scene_findings *findings, const scene_clash *from );
// Sets everything of the body but `now` from the body of the model. False where there is no memory.
bool scene_earlier_refresh_body( earlier_body *to, const scene_findings *findings, uint32_t body );

// x in the frame of a pose, and back.
void scene_into_frame( const dbvh_pose *pose, const double x[3], double out[3] );
void scene_out_of_frame( const dbvh_pose *pose, const double x[3], double out[3] );
// The pose of b in the frame of a.
dbvh_pose scene_relative_pose( const dbvh_pose *a, const dbvh_pose *b );

// match.c: the hash of a path without the numbers that tell bodies of one name apart ("bolt#2").
uint64_t scene_path_family( const char *path );

// match.c: converts the earlier run into the unit of the model, and finds which body of it each earlier one has become,
// by GUID, path, shape and place, and by the clashes of the findings, if there are any yet. Bodies that have become
// none, or none has become, have SCENE_NONE. then_out: by body of the model, the earlier one; the caller frees it.
// False where there is no memory.
bool scene_match_bodies( const scene_findings *findings, scene_earlier *earlier, uint32_t **then_out );

// match.c: which clash of the findings each earlier clash has become; scene_match_bodies() has been called.
// `most_moved` is how far a clash may be from its place to be known by its place alone, as in scene_tolerance.
bool scene_match_clashes( const scene_findings *findings, scene_earlier *earlier, const uint32_t *then,
                          double most_moved );
