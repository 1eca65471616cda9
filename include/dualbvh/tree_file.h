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

/// The checks of a file before its tree is handed out.
typedef enum dbvh_file_check {
	/// The default, for files from anywhere: checksums, and in linear time that counts, offsets, indices, links and
	/// depth are possible and numbers finite, so that no query reads or writes where it may not, or does not end. One
	/// leaf in 256 is also checked for volumes that do not enclose their triangles, which would make answers wrong.
	DBVH_FILE_CHECK_SAMPLED,
	/// The checks of SAMPLED, and all checks of dbvh_tree_validate(): volumes enclose every triangle, all fragments of
	/// a divided triangle name the same corners, the content hash is that of the triangles, and the topology, which is
	/// made anew, is that of the mesh. Only this level detects a file that was forged with care, except where nothing
	/// in the file contradicts the forgery: the tree of another mesh; triangles that are marked as duplicates of
	/// others, where there is no topology; volumes that are larger than need be; a possible but wrong depth of a
	/// reference tree that is not in the file.
	DBVH_FILE_CHECK_WHOLE,
	/// The header and the table of sections alone, in constant time: for files that nobody else can have written or
	/// damaged. A query of a damaged tree may crash the process.
	DBVH_FILE_CHECK_NONE,
} dbvh_file_check;

/// Another name of DBVH_FILE_CHECK_NONE, which says that the caller trusts the file.
#define DBVH_TRUSTED DBVH_FILE_CHECK_NONE

/// Options of loading. All zero: the defaults.
typedef struct dbvh_tree_load_options {
	dbvh_file_check check;
	uint32_t thread_count; ///< threads of the check, and of later refits of the tree; 0: the library's choice (base.h)
} dbvh_tree_load_options;

/// Returns the defaults: all zero. Any thread, constant time.
DBVH_API dbvh_tree_load_options dbvh_tree_load_options_default( void );

// ------------------------------------------------------------------------------------------------
// Files

/// Saves a tree. The file is written beside `path`, as PATH.NUMBER-N.tmp, brought to the disk (fsync) and renamed: at
/// any time `path` names either the old file or the whole new one, even if the process is killed or others write at the
/// same time; a process that has the old file mapped keeps it. A file of this user keeps its permission bits (not
/// setuid, setgid and sticky) and its group; a file of another user is replaced by one of this user with the
/// permissions of the umask; until the new file is whole nobody else can open it. Where `path` is a symbolic link, the
/// file that it leads to is replaced, and the link stays. Anything that is no regular file (a pipe) is written in
/// place. Extra memory: four bytes a MiB of the file, and the records of its components. Errors: IO (the system's
/// reason; a full disk leaves nothing behind), LIMIT (a tree with ellipsoids on a big-endian machine),
/// INVALID_ARGUMENT, OUT_OF_MEMORY. Cost: linear. Thread safety: the tree is only read. Memory comes from its
/// allocator; that for file names, from the C library.
DBVH_API dbvh_status dbvh_tree_save( const dbvh_tree *tree, const char *path, dbvh_error *error );

/// Reads a tree from a regular file into one block of memory, if its header is that of a tree. `options` and
/// `allocator` may be NULL. Cost: linear, some thirty times faster than building, four to six times with a topology or
/// a reference tree (docs/design/tree-files.md). Errors: IO; UNKNOWN_FORMAT (no tree, or one of another version);
/// TRUNCATED and MALFORMED with the place in error->byte where it is known; INVARIANT where checksums are right and the
/// content is no tree; LIMIT, INVALID_ARGUMENT, OUT_OF_MEMORY. *tree_out is NULL then. The check takes up to three
/// bytes a triangle meanwhile, two more with a reference tree and eight more with fragments; DBVH_FILE_CHECK_WHOLE of a
/// tree with a topology as much as that, and O(n log n). Any thread.
DBVH_API dbvh_status dbvh_tree_load( const char *path, const dbvh_tree_load_options *options,
                                     const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

/// Maps a tree file read-only, and answers queries in place: processes that map the same file share its memory, and
/// pages are read as queries touch them. Only the object itself is allocated, and the records of components where the
/// tree has a topology. The file must not be changed in place or truncated while it is mapped: the system ends
/// processes for that (SIGBUS). dbvh_tree_save() replaces a file, which is safe. Cost with DBVH_TRUSTED: microseconds,
/// and linear in the components and in the checksums, which are four bytes a MiB; otherwise every byte is read once.
/// Errors: those of dbvh_tree_load(); LIMIT on a big-endian machine, which has to swap all bytes: use dbvh_tree_load()
/// there.
DBVH_API dbvh_status dbvh_tree_map( const char *path, const dbvh_tree_load_options *options,
                                    const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Memory

/// Tells whether bytes begin like a tree file, of any version. Eight bytes are enough. Any thread, constant time.
DBVH_API bool dbvh_is_tree_file( const void *bytes, size_t byte_count );

/// Writes the content of a file of dbvh_tree_save() to `bytes`, which has room for `capacity` bytes (NULL where that is
/// 0). *byte_count_out is the size of the content. Where that is more than `capacity`, nothing is written and the call
/// returns DBVH_OK, too: compare the two. Cost and extra memory: those of dbvh_tree_save(); where the room is too
/// small, those of the components and ellipsoids alone. Errors: LIMIT, INVALID_ARGUMENT, OUT_OF_MEMORY; *byte_count_out
/// is 0 then. Thread safety: the tree is only read.
DBVH_API dbvh_status dbvh_tree_write( const dbvh_tree *tree, void *bytes, size_t capacity, size_t *byte_count_out,
                                      dbvh_error *error );

/// Reads a tree from bytes in memory, which are copied, like dbvh_tree_load(). Cost and errors: the same, without IO.
/// Any thread.
DBVH_API dbvh_status dbvh_tree_parse( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                                      const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

/// Makes a tree that reads bytes in memory in place, like dbvh_tree_map(): they are aligned to 64 and must not change
/// until the tree is destroyed. For shared memory, or data in an executable. Cost and errors: those of dbvh_tree_map(),
/// without IO; INVALID_ARGUMENT also where they are not aligned. Any thread.
DBVH_API dbvh_status dbvh_tree_borrow( const void *bytes, size_t byte_count, const dbvh_tree_load_options *options,
                                       const dbvh_allocator *allocator, dbvh_tree **tree_out, dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// What is in a tree

/// Returns the options that a tree was built with; thread_count is that of the build, or of the load. The defaults for
/// NULL. Any thread, constant time.
DBVH_API dbvh_tree_options dbvh_tree_get_options( const dbvh_tree *tree );

/// Makes a mesh of the triangles of a tree, in file order: to show them, to build another tree from them, or to refit.
/// Coordinates are those that the tree was built from, bit by bit, but for the sign of zeroes with a topology. The tree
/// numbers the vertices anew, without unused ones. Without a topology, a duplicate of an earlier triangle has its
/// corners in the order of that triangle; with a reference tree and no topology each triangle has three vertices of its
/// own. Cost O(n); memory for two such meshes. Errors: LIMIT (more than 2^30 vertices), INVALID_ARGUMENT,
/// OUT_OF_MEMORY; *mesh_out is NULL then. Thread safety: the tree is only read.
DBVH_API dbvh_status dbvh_tree_get_mesh( const dbvh_tree *tree, const dbvh_allocator *allocator, dbvh_mesh **mesh_out,
                                         dbvh_error *error );

// ------------------------------------------------------------------------------------------------
// Caches

/// Returns the key of a tree in a cache: a hash of the triangles of a checked view in file order, of the options but
/// for thread_count, and of the version of the format. The same on every machine. 0 for a view or options that are
/// refused. Cost O(n), no memory. Any thread.
DBVH_API uint64_t dbvh_tree_key( const dbvh_mesh_view *view, const dbvh_tree_options *options );

/// The outcome of a cached build.
typedef struct dbvh_cache_report {
	bool was_cached;  ///< the tree is from the folder
	bool is_saved;    ///< the tree was built and saved to the folder
	dbvh_error error; ///< why an existing file was not used, or the new one not saved; else DBVH_OK
} dbvh_cache_report;

/// dbvh_tree_build() with a folder of trees: the file KEY.dbvh of `folder` (dbvh_tree_key() in hexadecimal) is loaded,
/// or mapped where `mapped` is true, and compared with the view, triangle by triangle, so that nothing depends on the
/// hash alone. Where the file does not exist, is damaged or of another version, the tree is built and saved there, as
/// dbvh_tree_save() does. Several processes may use a folder at once. A folder that cannot be written, or is full,
/// costs only time: *report_out (may be NULL) says so. A folder that others can put files into is neither read nor
/// written, and reported likewise: one that belongs to another user but root, or that group or world may write to and
/// is not sticky. A file in it that is a link or a pipe, belongs to another user but root, or can be written by others
/// is not read, and replaced by a file of this user. Nothing is ever removed from the folder, not even the temporary
/// files (*.tmp) of processes that were killed while they saved. `load_options` (may be NULL) says how a file that is
/// found is checked; its thread_count is not used, that of `options` is. Errors: those of dbvh_tree_build(), and
/// INVALID_ARGUMENT where `folder` is an empty string or load_options->check is no enumerator. Thread safety: as
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
