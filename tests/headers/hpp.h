// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests of dualbvh.hpp, in each of its two forms. Each returns 0, or the line of hpp.inl that fails.

#pragma once

#ifdef __cplusplus
extern "C" {
#endif

int hpp_results_owners( void ), hpp_exceptions_owners( void );
int hpp_results_views( void ), hpp_exceptions_views( void );
int hpp_results_refusals( void ), hpp_exceptions_refusals( void );
int hpp_results_pairs( void ), hpp_exceptions_pairs( void );
int hpp_results_mesh( void ), hpp_exceptions_mesh( void );
int hpp_results_scene( void ), hpp_exceptions_scene( void );
int hpp_results_bodies( void ), hpp_exceptions_bodies( void );
int hpp_results_robots( void ), hpp_exceptions_robots( void );
int hpp_results_budget( void );
int hpp_eigen( void ), hpp_glm( void ); // -1 where they are not there

#ifdef __cplusplus
}
#endif
