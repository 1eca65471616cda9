// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The subcommands.

#pragma once

// argv[0] is the subcommand's own name. Each returns an exit status.
int cmd_info( int argc, char **argv );
int cmd_check( int argc, char **argv );
int cmd_scene( int argc, char **argv );
int cmd_distance( int argc, char **argv );
int cmd_toi( int argc, char **argv );
int cmd_self( int argc, char **argv );
int cmd_gen( int argc, char **argv );
int cmd_build( int argc, char **argv );
int cmd_view( int argc, char **argv );
int cmd_export( int argc, char **argv );
int cmd_replay( int argc, char **argv );
