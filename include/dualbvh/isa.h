// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file isa.h
/// The instruction set that the kernels use (CPU dispatch). For tests and measurements: answers do not depend on it,
/// but for the rounding of times of impact, which toi.h describes.

#ifndef DUALBVH_ISA_H
#define DUALBVH_ISA_H

#include "dualbvh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the name of the instruction set of the kernels in use: "avx512", "avx2", "neon" (64-bit ARM) or "baseline"
/// (what every machine of the target has). It is the fastest that the machine has, unless the environment variable
/// DBVH_ISA names another at the first use. A value that names no set of this machine and build is ignored without a
/// message: a wrong variable must not make answers impossible, and this function tells the set in use. (The project's
/// own tests have "scalar" besides.) Safe from any thread.
DBVH_API const char *dbvh_isa_name( void );

/// Chooses the kernels by name, for all queries of the process from now on; NULL goes back to the default. Meant for
/// tests and measurements; calls under way on other threads continue with the kernels they began with. Errors:
/// INVALID_ARGUMENT if this machine or build has no such kernels; the choice is left as it was then. Safe from any
/// thread.
DBVH_API dbvh_status dbvh_isa_select( const char *name, dbvh_error *error );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_ISA_H
