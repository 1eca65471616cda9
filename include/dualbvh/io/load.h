// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh/io/load.h
/// Scenes and robots out of files: glTF, 3MF, URDF with SRDF, JSON scenes, meshes, STEP and Collada where built in.
///
/// The component `dualbvh::io`, a library of its own (libdualbvh-io): the core needs nothing but the C library, readers
/// of XML and JSON are linked by this one. `find_package( dualbvh COMPONENTS io )`, `pkg-config dualbvh-io`.
///
///     const char *files[] = { "arm.urdf", "cell.glb" };
///     dbvh_load_options options = dbvh_load_options_default();
///     options.srdf = "arm.srdf";
///     dbvh_loaded *cell;
///     if ( dbvh_scene_load( files, 2, &options, &cell, &error ) != DBVH_OK )
///         puts( error.text ); // "arm.urdf:12: link 'hand': ..."
///     dbvh_scene *scene = dbvh_loaded_scene( cell );
///     dbvh_robot *robot = dbvh_loaded_robot( cell );
///
/// What is loaded: a scene of all bodies with the rules of the files, the trees that it stands on (with topology), the
/// robot that carries some of the bodies, and their names. docs/scene-format.md says what is read of each format and
/// how bodies are named: paths, whose parts have '/' between them. Bodies are numbered by their paths, from 0, whatever
/// the order of the files.
///
/// Lengths are those of the first file that has a unit: URDF and glTF have metres, 3MF millimetres or its own. Files in
/// another unit are converted, and a note says so. A file without a unit is taken as it is.
///
/// Robots. All links of all files are one dbvh_robot: link i of the names is link i of it. Links without a parent hang
/// on the world by a joint of kind `base`. Joints are revolute, continuous, prismatic, fixed, planar and floating, as
/// URDF has them, with limits; a joint that others follow (mimic) is revolute in place of continuous, because turns
/// count there. Bodies of one link are never checked against each other. Neighbouring links, and pairs that an SRDF
/// disables, may meet by rules of the scene. Bodies stand where the links are in the configuration `state`, or where
/// all joints are 0.
///
/// Rules of a JSON scene hold wherever bodies are moved to, up to 20,000 bodies; of more, rules that name two patterns
/// are given to the pairs that are near each other as loaded, and a note says so. Rules that ask for a free way, and
/// clashes that a file says are accepted, are for the command `dualbvh scene`: a note says how many are left out.
///
/// Files of strangers. Whatever a file holds, a call ends with a scene or a status; a file names no other outside of
/// its folder and of the packages, unless `allow_outside`; what is made of the files, instances included, takes no more
/// than `most_memory`. Sentences about files that another one names quote nothing of their content.
///
/// Thread safety: calls about different dbvh_loaded are independent. One is only read by the functions that take it as
/// const; its scene belongs to one thread at a time. Memory is that of the C library.

#ifndef DUALBVH_IO_LOAD_H
#define DUALBVH_IO_LOAD_H

#include "dualbvh/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a mesh file becomes bodies.
typedef enum dbvh_load_split {
	DBVH_LOAD_SPLIT_FILE,      ///< one body
	DBVH_LOAD_SPLIT_OBJECT,    ///< one for each `o` or `g` of OBJ, `solid` of STL; other formats: one
	DBVH_LOAD_SPLIT_COMPONENT, ///< one for each connected component
	/// Objects, where the file has several; objects that continue each other across open edges are one.
	DBVH_LOAD_SPLIT_AUTO,
	DBVH_LOAD_SPLIT_COUNT
} dbvh_load_split;

/// Options of loading. Zero-initialised: files of strangers, one body a mesh file, a robot that stands on the world.
typedef struct dbvh_load_options {
	const char *srdf; ///< SRDF file about the first file that has links; NULL: none
	/// Name of the state (a `group_state` of the SRDF, a state of a JSON scene) in which the robot stands; NULL: all
	/// joints are 0.
	const char *state;
	const char *const *packages; ///< folders of ROS packages, "name=folder", for package://name/...
	size_t package_count;
	dbvh_load_split split;
	double sag;            ///< chordal error for STEP, in the unit of the file; 0: 0.1 mm
	bool wants_visual;     ///< of robots the <visual> geometry in place of the <collision> geometry
	bool skip_bad_faces;   ///< see dbvh_mesh_read_options
	bool allow_outside;    ///< files may name others outside of their folder and of packages
	uint32_t most_memory;  ///< MiB for meshes and bodies; 0: 128, and 32 times the bytes of the files
	dbvh_joint_kind base;  ///< FIXED, PLANAR or FLOATING: how links without a parent hang on the world
	const char *cache;     ///< folder of trees, see dbvh_tree_build_cached(); NULL: none
	uint32_t thread_count; ///< for building trees; 0: the library's choice, see base.h
	/// A callback that is told how many trees are built; it ends the call as CANCELLED by returning false. NULL: none.
	bool ( *progress )( void *user, size_t done, size_t total );
	void *user; ///< passed to progress
} dbvh_load_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_load_options dbvh_load_options_default( void );

/// Tells whether this build reads files of an ending ("urdf", "glb"; case does not matter): the libraries that read
/// them are optional. "srdf" is one of them. Constant time, any thread.
DBVH_API bool dbvh_load_reads( const char *ending );

/// The object that owns what has been loaded: the scene, trees and meshes below it, the robot and all names.
typedef struct dbvh_loaded dbvh_loaded;

/// Loads files as one scene. Where two files have a body of the same path, their paths get the files' names in front.
/// `options` NULL stands for the defaults. Cost: reading, and building a tree of each mesh, on several threads.
///
/// Errors: INVALID_ARGUMENT (no file, an option, a state that there is not, an SRDF without a robot), IO, MALFORMED,
/// UNKNOWN_FORMAT (also a format that this build does not read), EMPTY (no bodies), NOT_FINITE, NOT_RIGID, LIMIT (more
/// than most_memory), CANCELLED, OUT_OF_MEMORY, and those of dbvh_tree_build(). error->text begins with the file and
/// its line, where it has lines, and names the element; *loaded_out is NULL then.
DBVH_API dbvh_status dbvh_scene_load( const char *const *files, size_t file_count, const dbvh_load_options *options,
                                      dbvh_loaded **loaded_out, dbvh_error *error );

/// Frees what has been loaded, with its scene and robot. NULL is allowed.
DBVH_API void dbvh_loaded_destroy( dbvh_loaded *loaded );

/// Returns the scene. It is valid until `loaded` is destroyed, and may be edited; body numbers and names go together as
/// long as loaded bodies are not removed. NULL for NULL.
DBVH_API dbvh_scene *dbvh_loaded_scene( dbvh_loaded *loaded );

/// Returns the robot, with the bodies that its links carry attached; valid and open to changes as the scene. NULL where
/// no file has links, and for NULL.
DBVH_API dbvh_robot *dbvh_loaded_robot( dbvh_loaded *loaded );

/// Returns the length of the unit in metres; 0 where no file has said it, and for NULL.
DBVH_API double dbvh_loaded_metres( const dbvh_loaded *loaded );

/// The kinds of things that have names.
typedef enum dbvh_loaded_kind {
	DBVH_LOADED_KIND_BODY,  ///< bodies of the scene; a name is a path
	DBVH_LOADED_KIND_LINK,  ///< links of the robot
	DBVH_LOADED_KIND_JOINT, ///< joints of the robot: joint i moves link i; "" for a link without a parent
	DBVH_LOADED_KIND_STATE, ///< named configurations
	DBVH_LOADED_KIND_NOTE,  ///< sentences for people: what was left out, assumed or converted
	DBVH_LOADED_KIND_COUNT
} dbvh_loaded_kind;

/// Returns how many there are of a kind; 0 for NULL and for an unknown kind. Constant time.
DBVH_API size_t dbvh_loaded_count( const dbvh_loaded *loaded, dbvh_loaded_kind kind );

/// Returns a name, valid until `loaded` is destroyed; NULL if there is none of this number. Constant time.
DBVH_API const char *dbvh_loaded_name( const dbvh_loaded *loaded, dbvh_loaded_kind kind, size_t number );

/// Finds the number of a name; UINT32_MAX (DBVH_NO_BODY, DBVH_NO_LINK) if there is none. Constant time, for states and
/// notes linear.
DBVH_API uint32_t dbvh_loaded_find( const dbvh_loaded *loaded, dbvh_loaded_kind kind, const char *name );

/// Returns the mesh of a body as loaded, in its frame: many bodies may share one. NULL if there is no such body.
DBVH_API const dbvh_mesh *dbvh_loaded_mesh( const dbvh_loaded *loaded, uint32_t body );

/// Gets property `index` of a body: what its file says of it, such as "class" or "material". False, and nothing is
/// written, if there are not as many. The texts are valid until `loaded` is destroyed.
DBVH_API bool dbvh_loaded_get_property( const dbvh_loaded *loaded, uint32_t body, size_t index, const char **key_out,
                                        const char **value_out );

/// Gets rule `index` of those that the scene was given, such as the pairs of links that may meet (the allowed collision
/// matrix): of a pair of bodies; of a body, *b_out is DBVH_NO_BODY; of all, both are. Any pointer may be NULL. False,
/// and nothing is written, if there are not as many.
DBVH_API bool dbvh_loaded_get_rule( const dbvh_loaded *loaded, size_t index, uint32_t *a_out, uint32_t *b_out,
                                    dbvh_pair_rule *rule_out );

/// Gets a named configuration: q_out has room for dbvh_robot_width() numbers. Joints that the state does not name are
/// 0, a floating base is at the origin. False, and nothing is written, if there is no such state or layout.
DBVH_API bool dbvh_loaded_get_state( const dbvh_loaded *loaded, size_t state, dbvh_robot_layout layout, double *q_out );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_IO_LOAD_H
