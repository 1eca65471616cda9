// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file isa.h
/// Which instruction set the kernels use. For tests and measurements: answers do not depend on it.

#ifndef DUALBVH_ISA_H
#define DUALBVH_ISA_H

#include "dualbvh/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The instruction set of the kernels in use: "avx512", "avx2", "neon" (64-bit ARM), "baseline" (what every machine of
/// the target has) or "scalar". The fastest that the machine has, unless the environment variable DBVH_ISA names
/// another at the first use. A value that names none that this machine and build have is passed over, as if it were not
/// set, and nothing is said: a wrong variable must not make answers impossible, and this function tells what is in use.
/// Answers do not depend on it.
DBVH_API const char *dbvh_isa_name( void );

/// Chooses the kernels by name, for all queries of the process from now on; NULL goes back to the default. Meant for
/// tests and measurements. INVALID_ARGUMENT if this machine or build has no such kernels. Safe from any thread.
DBVH_API dbvh_status dbvh_isa_select( const char *name );

#ifdef __cplusplus
}
#endif

#endif // DUALBVH_ISA_H
