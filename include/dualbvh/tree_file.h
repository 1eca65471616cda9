// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file tree_file.h
/// Trees in files: built once, then loaded, or mapped and shared between processes. docs/tree-format.md describes the
/// format byte by byte. A tree has the same bytes on every machine, with every instruction set and number of threads,
/// and answers what the tree answers that was saved, bit by bit. A NULL pointer that is not said to be allowed is
/// INVALID_ARGUMENT. Stack: as base.h says of all calls.

#ifndef DUALBVH_TREE_FILE_H
#define DUALBVH_TREE_FILE_H

#include "dualbvh/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the format that is written. Files of others are refused with a sentence (UNKNOWN_FORMAT).
#define DBVH_TREE_FILE_VERSION 1

/// What is looked at before a tree from a file is handed out.
typedef enum dbvh_file_check {
	/// The default, for files from anywhere: checksums, and in linear time that counts, offsets, indices, links and
	/// depth are possible and numbers finite, so that no query reads or writes where it may not, or does not end. That
	/// volumes enclose their triangles, without which answers would be wrong, is asked of one leaf in 256.
	DBVH_FILE_CHECK_SAMPLED,
	/// The same, and everything that dbvh_tree_validate() asks: of every triangle whether volumes enclose it, whether
	/// all places of one that is divided name the same corners, whether the content hash is that of the triangles, and
	/// whether the topology is that of the mesh, which is made anew. Who forges a file with care is found out by this
	/// alone, but for what nothing in the file contradicts: the tree of another mesh; triangles that are named as the
	/// same as others, where there is no topology; volumes that are larger than need be; the depth of a reference tree
	/// that is not in the file, as long as it is a possible one.
	DBVH_FILE_CHECK_WHOLE,
	/// The head and the table of sections alone, in constant time: for files that nobody else can have written or
	/// damaged. A query about a damaged one may end the process.
	DBVH_FILE_CHECK_NONE,
} dbvh_file_check;

/// The name that says what the caller does.
#define DBVH_TRUSTED DBVH_FILE_CHECK_NONE

/// How to load. All zero: the defaults.
typedef struct dbvh_tree_load_options {
	dbvh_file_check check;
	uint32_t thread_count; ///< of the check, and of later calls that refit the tree; 0: the library's choice (base.h)
} dbvh_tree_load_options;

/// All zero. Any thread, constant time.
DBVH_API dbvh_tree_load_options dbvh_tree_load_options_default( void );

// ------------------------------------------------------------------------------------------------
// Files

/// Saves a tree. The file is written beside `path`, as PATH.NUMBER-N.tmp, brought to the disk (fsync) and renamed: at
/// any time there is either what was there before or the whole new file, whoever is killed or writes at the same time;
/// who has the old one mapped keeps it. A file of this user keeps its permission bits (not setuid, setgid and sticky)
/// and its group, one of another user is replaced by one of this user with the permissions of the umask; until it is
/// whole nobody else can open it. A link to a file stays, and that file is replaced. What `path` names that is no
/// regular file (a pipe) is written in place. Extra memory: four bytes a MiB of the file, and its components' records.
/// Errors: IO (the system's reason; a full disk leaves nothing behind), LIMIT (a tree with ellipsoids on a big-endian
/// machine), INVALID_ARGUMENT, OUT_OF_MEMORY. Cost: linear. Thread safety: the tree is only read; memory comes from its
/// allocator, but for names, from the C library.
DBVH_API dbvh_status dbvh_tree_save( const dbvh_tree *tree, const char *path, dbvh_error *error );

/// Reads a tree from a regular file into one block of memory, once its head says that it is one. `options` and
/// `allocator` may be NULL. Cost: linear, some thirty times faster than building, four to six times with a topology or
/// a reference tree (docs/design/tree-files.md).
/// Errors: IO; UNKNOWN_FORMAT (no tree, or one of another version); TRUNCATED and MALFORMED with the place in
/// error->byte where it is known; INVARIANT for what has the right checksums and is no tree; LIMIT, INVALID_ARGUMENT,
/// OUT_OF_MEMORY. *tree_out is NULL then. The check takes up to three bytes a triangle meanwhile, two more with a
/// reference tree and eight more with fragments; DBVH_FILE_CHECK_WHOLE of a tree with a topology as much as that, and
/// O(n log n). Any thread.
DBVH_API dbvh_status dbvh_tree_load( const char *path, const dbvh_tree_load_options *options,
                                     const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

/// The same without reading: the file is mapped read-only and answers queries in place; processes that map the same
/// file share its memory, and pages come in as queries ask for them. Only what names the arrays is allocated, and the
/// records of components where the tree has a topology. The file must not be changed in place while it is mapped, nor
/// cut short: the system ends processes for that (SIGBUS); dbvh_tree_save() replaces it instead, which disturbs nobody.
/// Cost with DBVH_TRUSTED: microseconds, and linear in the components and in the checksums, which are four bytes a MiB;
/// else one look at every byte. Errors: those of
/// dbvh_tree_load(); LIMIT on a big-endian machine, which has to turn all bytes: it can load.
DBVH_API dbvh_status dbvh_tree_map( const char *path, const dbvh_tree_load_options *options,
                                    const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Memory

/// Do bytes begin like a tree file, of whatever version? Eight are enough. Any thread, constant time.
DBVH_API bool dbvh_is_tree_file( const void *bytes, size_t byte_count );

/// Writes what dbvh_tree_save() would: up to `capacity` bytes to `bytes` (NULL where it is 0); *byte_count_out is how
/// many there are, and nothing is written where that is more than `capacity`, which is DBVH_OK, too: compare the two.
/// Cost and extra memory: those of dbvh_tree_save(); without room for the bytes, of the components and ellipsoids
/// alone. Errors: LIMIT, INVALID_ARGUMENT, OUT_OF_MEMORY; *byte_count_out is 0 then. Thread safety: the tree is only
/// read.
DBVH_API dbvh_status dbvh_tree_write( const dbvh_tree *tree, void *bytes, size_t capacity, size_t *byte_count_out,
                                      dbvh_error *error );

/// dbvh_tree_load() of bytes in memory, which are copied. Cost and errors: the same, without IO. Any thread.
DBVH_API dbvh_status dbvh_tree_parse( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                                      const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

/// dbvh_tree_map() of bytes in memory, aligned to 64, which have to stay as they are until the tree is destroyed: of a
/// segment that processes share, or of an executable. Cost and errors: those of dbvh_tree_map(), without IO;
/// INVALID_ARGUMENT also where they are not aligned. Any thread.
DBVH_API dbvh_status dbvh_tree_borrow( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                                       const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// What is in a tree

/// How a tree was built; thread_count is that of the build, or of the load. The defaults for NULL. Any thread, constant
/// time.
DBVH_API dbvh_tree_options dbvh_tree_get_options( const dbvh_tree *tree );

/// The triangles of a tree as a mesh of its own, in file order: to show them, to build another tree from them, or to
/// refit. Coordinates are those that the tree was built from, bit by bit, but for the sign of zeroes with a topology.
/// Vertices are numbered by the tree; those that no triangle used are gone. Without a topology, a triangle that is the
/// same as an earlier one has the corners in the order of that; where there is a reference tree, too, each triangle has
/// three vertices of its own. Cost O(n); memory for two such meshes. Errors: LIMIT (more than 2^30 vertices),
/// INVALID_ARGUMENT, OUT_OF_MEMORY; *mesh_out is NULL then. Thread safety: the tree is only read.
DBVH_API dbvh_status dbvh_tree_get_mesh( const dbvh_tree *tree, const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                         dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Caches

/// What names a tree in a cache: a hash of the triangles of a checked view in file order, of the options but for
/// thread_count, and of the version of the format. The same on every machine. 0 for a view or options that
/// are refused. Cost O(n), no memory. Any thread.
DBVH_API uint64_t dbvh_tree_key( const dbvh_mesh_view *view, const dbvh_tree_options *options );

/// What a cached build did.
typedef struct dbvh_cache_report {
	bool was_cached;  ///< the tree is from the folder
	bool is_saved;    ///< it was built, and is there now
	dbvh_error error; ///< why a file that was there was not used, or the new one not saved; DBVH_OK where neither is
} dbvh_cache_report;

/// dbvh_tree_build() with a folder of trees: the file KEY.dbvh of `folder` (dbvh_tree_key() in hexadecimal) is loaded,
/// or mapped where `mapped` is true, and compared with the view, triangle by triangle, so that nothing depends on the
/// hash alone; where there is none, or it is damaged or of another version, the tree is built and saved there, as
/// dbvh_tree_save() does. Several processes may use a folder at once. A folder that cannot be written, or is full,
/// costs time and nothing else: *report_out (may be NULL) says so. So does a folder that others can put files into,
/// which is neither read nor written: one of another user but root, or one that group or world may write to and that is
/// not sticky. An entry that is a link or a pipe, belongs to another user but root, or can be written by others is not
/// read either, and replaced by a file of this user's own. Nothing is ever removed from it, nor what
/// processes leave there that are killed while they save (*.tmp). `load_options` (may be NULL) is how what is found is
/// checked; its thread_count is not used, that of `options` is. Errors: those of dbvh_tree_build(), and
/// INVALID_ARGUMENT where `folder` is an empty string or load_options->check none that there is. Thread safety: as
/// dbvh_tree_build().
DBVH_API dbvh_status dbvh_tree_build_cached( const dbvh_mesh_view *view, const dbvh_tree_options *options,
                                             const char *folder, bool mapped,
                                             const dbvh_tree_load_options *load_options,
                                             const dbvh_allocator *allocator, dbvh_tree **tree_out,
                                             dbvh_cache_report *report_out, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_TREE_FILE_H
