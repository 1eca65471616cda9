// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// --output: the results of many cases (poses, configurations) in a file, a record a case, written as they come.
//
// What is finished is on disk a moment later, and FILE.state beside it says how much that is and what the run is
// about: --resume goes on behind it, after Ctrl-C as after kill -9, and gives the bytes of a run that nothing ended.
// Several ranks write a file each, which the last one to finish joins: the bytes, the summary and the exit status are
// those of one process. Records must therefore depend on the case alone, never on time, chance or other cases.

#pragma once

#include "results/options.h"
#include "results/work.h"

// Does all that is left to do. The exit status.
int results_run( const results_options *o, const char *command, const results_work *work );
