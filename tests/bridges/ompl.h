// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

#include <stdint.h>

// The questions of ompl.cpp: each returns NULL, or what is wrong. `rounds`: how many random cases.
#ifdef __cplusplus
extern "C" {
#endif
const char *ompl_states( uint64_t seed, int rounds );
const char *ompl_motions( uint64_t seed, int rounds );
const char *ompl_thin_plate( void );
const char *ompl_free_body( uint64_t seed, int rounds );
const char *ompl_plan( uint64_t seed );
const char *ompl_threads( uint64_t seed );
const char *ompl_refusals( void );
#ifdef __cplusplus
}
#endif
