// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The clashes of a scene, in an order and under ids that depend on paths alone, never on the order of files.

#pragma once

#include "dualbvh/depth.h"
#include "dualbvh/overlap.h"
#include "model/assembly.h"
#include "model/rules_apply.h"
#include "model/trees.h"

typedef struct scene_findings scene_findings;
typedef struct scene_earlier scene_earlier; // earlier.h

typedef enum scene_order { SCENE_BY_DEPTH, SCENE_BY_VOLUME } scene_order;

// How a clash stands to an earlier run (standing.h). A renamed clash is unchanged but for paths.
typedef enum scene_standing {
	SCENE_NOT_COMPARED,
	SCENE_NEW,
	SCENE_WORSENED, // deeper, nearer, or of a worse kind
	SCENE_MOVED,    // elsewhere, seen from either body
	SCENE_UNSURE,   // accepted, and nobody knows that it is no worse
	SCENE_EXPIRED,  // accepted until a day that is over
	SCENE_IMPROVED, // less deep, farther, or of a better kind
	SCENE_RENAMED,
	SCENE_ACCEPTED, // somebody has accepted it as it is, or worse
	SCENE_UNCHANGED,
	SCENE_STANDING_COUNT
} scene_standing;

// A clash of an earlier report.
typedef struct scene_was {
	char *id, *a, *b, *kind;
	bool has_measure, is_volume, has_severity;
	scene_severity severity;
	dbvh_interval measure; // the depth, or the distance of a clearance; the volume where that alone has changed
	double moved;          // how far the clash is from there; 0 where that is not known
	bool is_same_pair;     // compare.h
	uint32_t number;       // number of the clash in the scene_earlier
} scene_was;

// Why a clash of an earlier run is absent from this one. It is resolved where both bodies are there, the rules ask of
// them what they asked before, and one of them has changed or moved. SCENE_ABSENT_SAME, with the same bodies and the
// same rules, points to another version of the program.
typedef enum scene_absence {
	SCENE_ABSENT_MISSING, // a body is not there
	SCENE_ABSENT_RESOLVED,
	SCENE_ABSENT_CHANGED,    // a body has other triangles, or another place, and the report does not say what was asked
	SCENE_ABSENT_RULES,      // the rules are others
	SCENE_ABSENT_UNFINISHED, // this run did not come so far
	SCENE_ABSENT_SAME,       // none of these
	SCENE_ABSENCE_COUNT
} scene_absence;

// The measures of the overlap of two bodies. Intervals are certified; places are in the world.
typedef struct scene_overlap {
	const char *type;           // "protrusion", "piercing", "envelope", ... as IfcClash has it; NULL: not known
	dbvh_overlap_reason reason; // why `components` are not known; DECIDED: they are
	bool has_volume;            // the volume is known although that is not DECIDED: a body passes through itself
	dbvh_interval volume;
	size_t components;
	bool has_depth;
	dbvh_interval depth;                  // local depth, on the side where it is less: what a fit tolerates
	dbvh_interval a_in_b, b_in_a;         // local depth of either side
	double deepest[3];                    // a point of the overlap that is that deep
	double nearest[3];                    // the point of the other surface that is nearest to it
	double allowed_depth, allowed_volume; // limits of a fit, with the sags; 0: none
	bool has_penetration;
	dbvh_interval penetration; // the least move of one body after which the two do not overlap
	double separation[3];      // such a move of B
} scene_overlap;

static inline bool scene_knows_volume( const scene_overlap *o ) {
	return o->reason == DBVH_OVERLAP_REASON_DECIDED || o->has_volume;
}

typedef struct scene_clash {
	uint32_t a, b; // by their paths: that of `a` is the lesser
	dbvh_clash_kind kind;
	dbvh_relation relation, exact;
	double distance;  // 0 unless the surfaces are apart
	double clearance; // the one that its rule asks for
	scene_overlap overlap;
	bool is_cut_short; // the time was over before all was measured
	bool has_first;    // a triangle of each, that meet or are nearest to each other
	dbvh_pair first;
	double point[3];        // a point that shows the clash
	dbvh_aabb region;       // the intersection of both boxes in the world, or the gap between them
	double size;            // the diagonal of the smaller one's box
	const scene_rule *rule; // the rule that it breaks; NULL: bodies must not meet
	uint64_t id;
	uint32_t group, cluster; // SCENE_NONE: ignored
	uint32_t ignored_by;     // entry of the ignore list, or SCENE_NONE
	scene_standing standing;
	uint32_t was; // in the earlier run, of `was`; SCENE_NONE: not there
	bool has_terms;
	uint64_t terms; // fingerprint of what the rules ask of both bodies, scene_terms()
} scene_clash;

typedef struct scene_absent {
	char *id, *a, *b, *kind;
	scene_absence why;
	uint32_t number; // number of the clash in the scene_earlier
} scene_absent;

// The clashes that one body explains best, as groups.c chooses it; and clusters of those that lie together.
typedef struct scene_group {
	uint32_t body;
	size_t first, count; // in `grouped`
	uint32_t first_cluster, cluster_count;
} scene_group;

typedef struct scene_cluster {
	size_t first, count; // in `grouped`
	dbvh_aabb region;
} scene_cluster;

struct scene_findings {
	const scene_assembly *assembly;
	const scene_trees *trees;
	const scene_rule_book *book; // NULL: nobody knows the rules of pairs
	dbvh_scene *scene;
	size_t pair_count, done_count; // pairs of bodies whose boxes are near each other, and how many were looked at
	bool is_finished, is_late;     // late: --timeout
	scene_clash *clashes;          // by paths
	size_t clash_count;
	uint32_t *worst; // clashes that are not ignored, the worst first
	size_t worst_count;
	scene_group *groups; // by their number of clashes
	size_t group_count;
	scene_cluster *clusters;
	size_t cluster_count;
	uint32_t *grouped; // clashes, by group and cluster
	bool has_baseline, baseline_has_same_rules;
	bool is_recheck;              // only pairs that the earlier run knows were looked at
	const scene_earlier *earlier; // the caller's, with what people have decided; NULL: none
	scene_was *was;               // a clash of the baseline each
	size_t was_count;
	scene_absent *absent; // by paths
	size_t absent_count;
	uint64_t rules;                // fingerprint
	size_t sketched_count;         // clashes that the time did not suffice to describe: their places are those of boxes
	scene_order order;             // the measure by which overlaps are sorted
	scene_severity least_severity; // clashes of a lesser one do not count
};

// The callbacks of a search; NULL: none.
typedef struct scene_watch {
	bool ( *progress )( void *user, size_t done, size_t total ); // pairs of bodies; false ends the search
	bool ( *is_over )( void *user );                             // asked by several threads at a time
	void *user;
} scene_watch;

// Finds all clashes and fits, and describes them. Where `progress` ended the search, is_finished is false, and the
// clashes found by then have only the data of their boxes.
dbvh_status scene_find( const scene_assembly *assembly, const scene_trees *trees, const scene_rule_book *book,
                        dbvh_scene *scene, uint32_t thread_count, const scene_watch *watch,
                        scene_findings *findings_out, dbvh_error *error );
void scene_findings_free( scene_findings *findings );

// The fingerprint of a body's triangles, place and sag.
uint64_t scene_body_fingerprint( const scene_findings *findings, uint32_t body );

// The severity that the rule of the clash has.
scene_severity scene_severity_of( const scene_clash *clash );

// Is the clash known as it is, or as a worse one, or accepted?
bool scene_is_known( const scene_clash *clash );

// Has the clash a volume that is known and not 0?
bool scene_has_volume( const scene_clash *clash );

// Does the clash count: no fit, not ignored, not known by the baseline, and as severe as is asked for?
bool scene_clash_counts( const scene_findings *findings, const scene_clash *clash );

// The path of a body; never NULL.
const char *scene_path( const scene_findings *findings, uint32_t body );

// "hard", "containment", ...
const char *scene_kind_word( dbvh_clash_kind kind );
// The kind that has this word. False: none has.
bool scene_kind_read( const char *word, dbvh_clash_kind *out );
// "overlap", "touch", "clearance" or "undecidable": what goes into ids. A clash that changes within one word keeps its
// id: an overlap that becomes a containment is no new clash, a touch that becomes an overlap is.
const char *scene_trouble_word( dbvh_clash_kind kind );
// "new", "worsened", and so on; NULL where nothing was compared
const char *scene_standing_word( scene_standing standing );
// "protrusion", "piercing", "envelope", "duplicate", "touching", as IfcClash names overlaps; NULL where it is not
// decided
const char *scene_type_word( dbvh_overlap_kind kind );
// "disjoint", "a_in_b", ... as `check --json` has it
const char *scene_relation_word( dbvh_relation relation );

// To be called when ignored clashes are known: sorts the worst first, and makes groups. False where there is no memory.
bool scene_sort_worst( scene_findings *findings );
bool scene_group_clashes( scene_findings *findings );
