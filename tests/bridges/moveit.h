// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#pragma once

// The questions of moveit.cpp: each returns NULL, or what is wrong.
#ifdef __cplusplus
extern "C" {
#endif
const char *moveit_padding( void );
const char *moveit_self( void );
const char *moveit_world( void );
const char *moveit_attached( void );
const char *moveit_distances( void );
const char *moveit_between( void );
const char *moveit_shapes( void );
const char *moveit_plugin( void );
#ifdef __cplusplus
}
#endif
