// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file base.h
/// The foundations of every other header: version, export macro, status codes, errors, allocators, budgets, threads and
/// poses.
///
/// Conventions that hold for the whole library:
/// - Lengths are in the caller's unit, whatever it is. There is no absolute length constant anywhere:
///   scaling a scene by a power of two changes no verdict.
/// - Whether a call succeeded is a dbvh_status; whether meshes intersect is a dbvh_verdict (collide.h). The two are
///   never mixed, and they are the two enumerations whose values carry the prefix of the library alone: DBVH_OK,
///   DBVH_INTERSECTING.
/// - A query takes trees and poses, the query structure, a workspace, a pointer to the result, and a dbvh_error, in
///   this order. The dbvh_error may always be NULL, the others where the declaration says so. Query and options
///   structures may be all zero, which asks for the defaults; each also has a function that returns them
///   (`dbvh_*_default()`).
/// - A call that refuses an argument sets the result to zero, returns a status, and puts a sentence that names the
///   argument and the broken rule into the dbvh_error. A batch refuses single elements: the others have their answers.
/// - No function prints, aborts, exits or reads the clock, and none but dbvh_isa_select() changes a global.
/// - Objects are opaque and, once made, immutable: any number of threads may read one at the same time.
///   Only a dbvh_workspace is written to, and it belongs to one thread at a time.
/// - Threads are started for a call that may use several (`thread_count`). Where the system starts fewer, those that
///   there are share the work. No thread works on when the call returns: one that was never scheduled until then
///   touches nothing any more and ends once it runs. So a process may be forked between calls, and the child may use
///   threads.
/// - No call uses more than 56 KiB of stack in an optimised build by gcc, nor more than 60 KiB by clang (`test_stack`
///   measures each), on whatever thread.
/// - A pointer parameter is borrowed for the duration of the call unless its comment says otherwise.
/// - The caller's floating-point environment changes no answer: rounding mode, flushing of subnormals (on in any
///   program linked with -ffast-math), unmasked exceptions. Every function that computes reads the control register
///   (MXCSR and the x87 control word, FPCR, FPC; elsewhere fegetenv()), sets the default where it differs (round to
///   nearest, nothing flushed or trapped) and restores it before it returns, on every thread that it uses; that takes 3
///   to 10 ns. Where something was set, the register is restored bit by bit, flags included; where nothing was, flags
///   that the call raises stay raised, as after any arithmetic. The caller's allocator is called in the default
///   environment, and must neither change it nor leave by longjmp() or an exception. A signal handler that interrupts a
///   call finds whatever environment the system gives it.
/// - Supported compilers are GCC and Clang, for the library as for its callers, in C11, C17 and C++17; `__attribute__`
///   and `__builtin` functions are used. The library refuses to be compiled with -ffast-math, -Ofast or the like.

#ifndef DUALBVH_BASE_H
#define DUALBVH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of these headers.
#define DBVH_VERSION_MAJOR 0
#define DBVH_VERSION_MINOR 2
#define DBVH_VERSION_PATCH 0

/// DBVH_API marks the functions that the library exports.
#if defined( _WIN32 ) // a file of definitions lists what the DLL exports
#if defined( DBVH_SHARED )
#define DBVH_API __declspec( dllimport )
#else
#define DBVH_API
#endif
#elif defined( __GNUC__ ) // GCC and Clang
#define DBVH_API __attribute__( ( visibility( "default" ) ) )
#else
#define DBVH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library that is linked, "major.minor.patch". Any thread, constant time.
DBVH_API const char *dbvh_version( void );

// ------------------------------------------------------------------------------------------------
// Status

/// Every status: enumerator suffix, and the sentence dbvh_status_text() returns.
#define DBVH_STATUS_LIST( X )                                                                                          \
	X( OK, "the call succeeded" )                                                                                      \
	X( INVALID_ARGUMENT, "an argument is NULL or outside its range" )                                                  \
	X( OUT_OF_MEMORY, "the allocator returned no memory" )                                                             \
	X( LIMIT, "the input is larger than this library handles" )                                                        \
	X( NOT_FINITE, "a number is NaN or infinite" )                                                                     \
	X( NOT_RIGID, "the matrix of a pose is too far from a rotation" )                                                  \
	X( INDEX_RANGE, "a triangle names a vertex that does not exist" )                                                  \
	X( EMPTY, "the mesh has no triangles" )                                                                            \
	X( IO, "the file could not be read or written" )                                                                   \
	X( UNKNOWN_FORMAT, "the file is of no format this library reads" )                                                 \
	X( MALFORMED, "the file breaks the rules of its format" )                                                          \
	X( TRUNCATED, "the file ends before what it promises" )                                                            \
	X( INVARIANT, "a stored structure breaks one of its invariants" )                                                  \
	X( NO_TOPOLOGY, "the tree was built without the topology that this query needs" )                                  \
	X( BUDGET_SPENT, "the budget was spent before the answer was known" )                                              \
	X( CANCELLED, "the caller's callback ended the call" )

typedef enum dbvh_status {
#define DBVH_STATUS_ENUM( name, text ) DBVH_##name,
	DBVH_STATUS_LIST( DBVH_STATUS_ENUM )
#undef DBVH_STATUS_ENUM
	    DBVH_STATUS_COUNT
} dbvh_status;

/// The enumerator's name without its prefix, for example "NOT_FINITE"; "?" for a number that is no status.
DBVH_API const char *dbvh_status_name( dbvh_status status );

/// One sentence, without a final stop, that says what the status means in general.
DBVH_API const char *dbvh_status_text( dbvh_status status );

/// The error of one call. Every function that takes a `dbvh_error *`, which may be NULL, fills it in: on success with
/// the status DBVH_OK and the text "".
typedef struct dbvh_error {
	dbvh_status status;
	int64_t line;    ///< line of the text file that is wrong, from 1; 0 where there is none
	int64_t byte;    ///< offset into the file or memory, from 0; -1 where there is none
	int64_t element; ///< index of the vertex, triangle, pose or node concerned, from 0; -1 where there is none
	char text[256];  ///< a sentence for people that names the argument and the rule, without a final full stop
} dbvh_error;

// ------------------------------------------------------------------------------------------------
// Memory

/// The source of an object's memory. NULL in place of a dbvh_allocator means malloc() and free(); where one is given,
/// both functions are needed, or the call returns DBVH_INVALID_ARGUMENT. A query without a workspace takes its memory
/// from the allocator of its tree (of two, the first): where threads share a tree, give each a workspace, or the tree
/// an allocator that all of them may use at once. The allocator is copied into the object and must stay usable until
/// that object is destroyed; its functions are called only from the thread that called the library.
typedef struct dbvh_allocator {
	/// Returns a block of `bytes` (> 0), aligned to `alignment` (a power of two, at most 64), or NULL.
	void *( *alloc )( void *user, size_t bytes, size_t alignment );
	/// Frees a block of alloc; `bytes` is the size that was asked for. Never called with NULL.
	void ( *free )( void *user, void *memory, size_t bytes );
	void *user;
} dbvh_allocator;

// ------------------------------------------------------------------------------------------------
// Budgets

/// A limit on the work of a call. All zero: no limit.
///
/// A call that spends its budget returns DBVH_BUDGET_SPENT, one that is cancelled DBVH_CANCELLED. Its result then holds
/// what was known by that time, as the query's own header describes. On one thread a call always stops at the same
/// step, so max_work gives the same answer everywhere on the same instruction set. A budget never changes a call that
/// completes.
///
/// A call of many elements (a batch of poses, rays or motions, or a query of all pairs of bodies of a scene) returns
/// the elements that are finished. The status of each element, or a list, names those that are not.
///
/// - max_work ends the elements that cost more than it, and no others.
/// - max_total ends the call. Elements are charged in their order, at least a step each, whatever order threads do
///   them in: the first elements are finished, the next one was given what was left of the budget, and all behind it
///   are marked as not reached. Neither the set of finished elements nor their results depend on the number of threads,
///   except as dbvh_scene_distance() says. Several threads may do work that is thrown away: while an earlier element is
///   under way they go on with later ones, and an element that was cut off is done once more.
/// - is_cancelled and progress callbacks end all elements that are not finished. Which ones are finished by then
///   depends on the clock.
typedef struct dbvh_budget {
	/// Steps: volume tests, triangle pairs and exact decisions, weighed by their cost, so that 10^6 of them take 5 to
	/// 100 milliseconds, mostly 10 to 50. 0: no limit. In a call of many elements the limit holds for each of the
	/// queries that they consist of. A call takes at most twice the limit and 65,536 steps, mostly the limit and a few
	/// thousand: one exact decision about coordinates from end to end of the range of doubles takes some ten thousand.
	uint64_t max_work;
	/// A callback that ends the call by returning true; NULL: none. It is called on the calling thread only, every few
	/// thousand steps, at least every 5 milliseconds, and every half a millisecond or so while only other threads work
	/// for the call. It may read a clock, which the library never does, or a flag that another thread sets. It must not
	/// call back into the same workspace or scene, and must not leave by longjmp() or an exception.
	bool ( *is_cancelled )( void *user );
	void *user; ///< passed to is_cancelled
	/// The most steps for all elements of a call together. 0: no limit. A call of one query has the smaller of the two
	/// limits.
	uint64_t max_total;
	/// A counter to which the steps of the call are added when it ends; NULL: none. A call that finished completes
	/// again with that number as its limit. Steps may be missing where one query is divided among threads, and where a
	/// call of many elements was cancelled: those behind the first element that was not finished.
	uint64_t *spent;
} dbvh_budget;

/// Returns the default, all zero: no limit. Any thread, constant time.
DBVH_API dbvh_budget dbvh_budget_default( void );

// ------------------------------------------------------------------------------------------------
// Threads
//
// A `thread_count` is the most threads that a call uses, the calling one among them, and at most 256. 1 is the calling
// thread alone. No answer depends on the number except where that is said. 0 leaves the choice to the library,
// everywhere by one rule: calls with many independent pieces of work, builds and batches, take as many threads as
// OpenMP would, whether the library uses it or not (OMP_NUM_THREADS, else all processors); a query of one pair of
// meshes stays on the calling thread, since programs often run many of these side by side.

// ------------------------------------------------------------------------------------------------
// Poses

/// The affine map x -> rot * x + pos from an object's own frame to a common one, taken literally: the twelve
/// doubles are the placement, and answers are exact about the mesh they place. rot is stored by rows
/// (rot[row][column]). It should be a rotation; a deviation max |rot^T rot - I|, as dbvh_pose_check() computes it, up
/// to DBVH_POSE_TOLERANCE is accepted, a larger one, a mirror image (determinant below 0), NaN or infinity is refused
/// where the pose is used: the error says what is wrong, dbvh_pose_orthonormalise() repairs it.
typedef struct dbvh_pose {
	double rot[3][3];
	double pos[3];
} dbvh_pose;

/// The largest entry of |rot^T rot - I| that is accepted: the error of rounding to float, and not more, because a
/// matrix that is farther from a rotation shears the mesh, and the answer would be exact about the sheared one. Entries
/// that are each off by e deviate by at most 2 sqrt( 3 ) e and a little: 1.1e-7 for rotations rounded to float (e =
/// 2^-25), some 1e-6 where they were computed in floats, 1.74e-6 with six digits after the point (e = 5e-7), as "%f"
/// prints them. Four digits (0.7071) deviate by 2e-5, and move a point ten units away by 1e-4.
#define DBVH_POSE_TOLERANCE 2e-6

/// Returns the identity: no rotation, no translation. Any thread, constant time.
DBVH_API dbvh_pose dbvh_pose_identity( void );

/// Makes a pose from twelve numbers, the rows of the 3x4 matrix [R|t]: r00 r01 r02 t0 r10 ... t2, copied bit by bit. As
/// the conversions that follow it checks nothing, takes constant time and is safe from any thread.
DBVH_API dbvh_pose dbvh_pose_from_rows( const double rows[12] );

/// Makes a pose from the first three rows of a row-major 4x4 matrix; the last row is not read.
DBVH_API dbvh_pose dbvh_pose_from_row_major( const double m[16] );

/// Makes a pose from the first three rows of a column-major 4x4 matrix, the layout of OpenGL and Eigen.
DBVH_API dbvh_pose dbvh_pose_from_column_major( const double m[16] );

/// Makes a pose from a column-major 4x4 matrix of floats, which are widened without rounding: the layout of OpenGL,
/// cglm, GLM and raylib. (For cglm's own types see cglm.h.)
DBVH_API dbvh_pose dbvh_pose_from_column_major_float( const float m[16] );

/// Writes a pose as a column-major 4x4 matrix of floats, rounded to nearest; the last row is 0 0 0 1.
DBVH_API void dbvh_pose_to_column_major_float( const dbvh_pose *pose, float m_out[16] );

/// Makes a pose from a quaternion (x, y, z, w), which is normalised, and a translation. A zero quaternion gives a
/// matrix of NaN, which every function that takes a pose refuses.
DBVH_API dbvh_pose dbvh_pose_from_quaternion( const double xyzw[4], const double pos[3] );

/// Checks a pose as every query does. *deviation_out (may be NULL) becomes the largest entry of |rot^T rot - I|,
/// computed in doubles plus 6 * 2^-52: not less than the true one for every pose that is accepted. The sentence in
/// *error says which number is not finite, which columns of rot are not of length 1 or not at right angles and by how
/// much, or that rot is a mirror image. Errors: INVALID_ARGUMENT (pose is NULL), NOT_FINITE, NOT_RIGID. Some 20 ns; any
/// thread.
DBVH_API dbvh_status dbvh_pose_check( const dbvh_pose *pose, double *deviation_out, dbvh_error *error );

/// Finds the nearest rotation: *pose_out has the rotation for which the sum of the squared differences of the nine
/// entries is least (the orthogonal factor of the polar decomposition, by Newton's iteration; Higham 1986), and pos bit
/// by bit. It deviates by less than 2^-48, and for a matrix that itself deviates by less than 0.1 every entry is within
/// 2^-48 of the nearest rotation's. A length common to all columns does not matter; *moved_out (may be NULL) is the
/// largest
/// |difference| of an entry, which tells typing errors from rounding. `pose_out` may be `pose`.
/// Errors: INVALID_ARGUMENT (a NULL), NOT_FINITE, NOT_RIGID (a mirror image, or a matrix that is singular or nearly so:
/// its determinant is at most some 2^-40 of the cube of its largest entry); *pose_out and *moved_out are left alone
/// then. Under a microsecond, no memory; safe from any thread.
DBVH_API dbvh_status dbvh_pose_orthonormalise( const dbvh_pose *pose, dbvh_pose *pose_out, double *moved_out,
                                               dbvh_error *error );

/// Returns the pose of B in the frame of A, both given in a common frame: the one rounded composition that a query does
/// when neither pose is the identity. Where `a` is the identity the result is `b` bit by bit. Any thread, constant
/// time.
DBVH_API dbvh_pose dbvh_pose_relative( const dbvh_pose *a, const dbvh_pose *b );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_BASE_H
