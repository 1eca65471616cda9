// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Batches of poses by packets (packet.h).

#pragma once

#include "query/common/batch.h"

// Can the poses of a batch be answered by packets? Searches for all pairs fill their vectors alone, and a search with a
// limit of work has to end where a single call does.
bool dbvhi_packets_suit( const dbvh_tree *a, const dbvh_tree *b, const dbvh_collide_query *query, size_t pose_count );

// Make room for packets in a workspace (dbvhi_batch.require).
dbvh_status dbvhi_workspace_require_packets( dbvh_workspace *workspace, const dbvh_tree *a, const dbvh_tree *b );

// Answer the poses of a block that packets can answer (dbvhi_batch.ask_block). Verdicts are those of single calls; the
// first pair and the counters depend on which poses are in the block.
void dbvhi_answer_packets( const dbvhi_batch *batch, size_t first, size_t count, dbvh_workspace *workspace,
                           dbvhi_block *block );
