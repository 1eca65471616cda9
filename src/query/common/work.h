// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Charge a search to its budget: its work on volumes, in vector tests of some tens of nanoseconds, and that on
// triangles, from its counters.

#pragma once

#include "base/assert.h"
#include "base/budget.h"
#include "dualbvh/query.h"
#include "query/common/packed_run.h"

#include <stddef.h>

typedef struct dbvhi_work {
	dbvhi_meter *meter; // NULL: no budget
	uint64_t charged;   // work of this search charged so far
	uint64_t volumes;   // the part of it on volumes
} dbvhi_work;

// Vectors of nodes that a kernel compares between two looks at a meter.
#define DBVHI_PAUSE 256

// Charge the work since the last time: `volumes` is all work on volumes so far. Returns false if the search has to end.
static inline bool dbvhi_work_charge( dbvhi_work *work, uint64_t volumes, const dbvh_counters *counters ) {
	DBVHI_ASSERT( counters != NULL );
	if ( work->meter == NULL )
		return true;
	const uint64_t done = volumes + 2 * counters->triangle_tests + 64 * counters->exact_tests;
	const uint64_t more = done - work->charged;
	work->charged = done;
	work->volumes = volumes;
	return dbvhi_meter_charge( work->meter, more + dbvhi_meter_long_steps( work->meter ) );
}

// Charge between exact decisions, of which a batch may take long.
static inline bool dbvhi_work_charge_exact( dbvhi_work *work, const dbvh_counters *counters ) {
	return dbvhi_work_charge( work, work->volumes, counters );
}

// Charge the work of a packed run, and set its next pause.
static inline bool dbvhi_work_charge_run( dbvhi_work *work, dbvhi_packed_run *run, const dbvh_counters *counters ) {
	if ( work->meter == NULL )
		return true;
	run->pause = run->node_tests + DBVHI_PAUSE;
	return dbvhi_work_charge( work, run->node_tests + run->leaf_tests + run->more_steps, counters );
}

// The first pause of a run.
static inline uint64_t dbvhi_work_first_pause( const dbvhi_work *work ) {
	return work->meter != NULL ? DBVHI_PAUSE : UINT64_MAX;
}

// Begin the work of a piece on one of its threads, 0 being the calling one, with a meter of its own; and settle at its
// end what has been charged there.
static inline void dbvhi_work_share( dbvhi_work *work, uint32_t thread, dbvhi_meter *own ) {
	work->charged = work->volumes = 0;
	if ( work->meter == NULL || thread == 0 )
		return;
	dbvhi_meter_join( own, work->meter->purse );
	work->meter = own;
}

static inline void dbvhi_work_settle( const dbvhi_work *work ) {
	if ( work->meter != NULL )
		dbvhi_meter_settle( work->meter );
}
