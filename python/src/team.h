// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of queries that the library has no batch for: a loop on several threads.

#pragma once

#include "call.h"

#include <functional>
#include <vector>

namespace dualbvh_python {

/// One element of a batch: element i, with the scratch memory and the limits of its thread.
using element_question =
    std::function<dbvh_status( size_t i, dbvh_workspace *workspace, const dbvh_budget *budget, dbvh_error *error )>;

/// Limits of a batch. max_work and max_total are those of dbvh_budget, 0: none; threads 0: as many as OpenMP would use.
struct batch_limits {
	uint32_t threads;
	uint64_t max_work, max_total;
};

/// Runs `ask` for elements 0 to count - 1. statuses_out has the status of each; with a max_total, the elements behind
/// the one that it ended are BUDGET_SPENT, whether or not `ask` was called for them: the caller clears their results.
/// Returns the status of the first element that has no answer, with its index in error.element; CANCELLED, with element
/// -1, where a signal ended the batch. `ask` is called on several threads at once, without the GIL.
dbvh_status ask_each( size_t count, const batch_limits &limits, interruption &interrupted, dbvh_error &error,
                      std::vector<dbvh_status> &statuses_out, const element_question &ask );

} // namespace dualbvh_python
