// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Budgets of calls. The threads of a call share a purse; each thread has a meter and charges it for every step or batch
// of steps. A charge is an addition and a comparison; only after some thousands of steps is the meter settled with the
// purse. Only the meter that opened the purse calls is_cancelled(), so that it runs on the calling thread alone; the
// other threads see the outcome when they settle next.
//
// A single thread stops at exactly the charge that exceeds max_work, on every machine: the amount that a completed call
// has spent is therefore a budget that it completes with.

#pragma once

#include "dualbvh/base.h"

#include <stdatomic.h>

typedef struct dbvhi_purse {
	const dbvh_budget *budget; // NULL: no limit
	uint64_t limit;            // steps; UINT64_MAX: no limit
	_Atomic uint64_t spent;    // steps settled by all meters
	_Atomic int stopped;       // a dbvh_status: the reason to stop; DBVH_OK while the call may go on
} dbvhi_purse;

// Counts limb products of long exact numbers on the calling thread, since it started. A decision on coordinates whose
// exponents span the whole range of doubles takes a thousand times as long as any other; this count charges it to the
// budget.
extern _Thread_local uint64_t dbvhi_long_products;
// DBVHI_SHORT_PRODUCTS and fewer products are part of the step that caused them.
#define DBVHI_SHORT_PRODUCTS 64
// DBVHI_PRODUCTS_A_STEP products count as one step.
#define DBVHI_PRODUCTS_A_STEP 16

static inline void dbvhi_count_products( uint64_t count ) {
	if ( __builtin_expect( count > DBVHI_SHORT_PRODUCTS, 0 ) )
		dbvhi_long_products += count;
}

typedef struct dbvhi_meter {
	uint64_t used; // steps since the meter was settled
	uint64_t due;  // settle when `used` exceeds this
	dbvhi_purse *purse;
	uint64_t products; // value of dbvhi_long_products up to which products are charged, or are not this call's
	bool asks;         // this meter calls is_cancelled(), on the calling thread
} dbvhi_meter;

// Opens a purse and its first meter, for the calling thread. `budget` may be NULL and must outlive the purse, as the
// purse must every meter.
void dbvhi_meter_open( dbvhi_meter *meter, dbvhi_purse *purse, const dbvh_budget *budget );

// Reports the steps spent to the caller at the end of a call. To be called with the meter that opened the purse.
void dbvhi_meter_close( const dbvhi_meter *meter );

// Starts the meter of a further thread of the same call.
void dbvhi_meter_join( dbvhi_meter *meter, dbvhi_purse *purse );

// The slow half of dbvhi_meter_charge().
bool dbvhi_meter_settle( dbvhi_meter *meter );

// Spends `work` steps. Returns false where the call has to end, and from then on always.
static inline bool dbvhi_meter_charge( dbvhi_meter *meter, uint64_t work ) {
	meter->used += work;
	return meter->used <= meter->due || dbvhi_meter_settle( meter );
}

// Returns the steps that long products have taken since the last call of this.
static inline uint64_t dbvhi_meter_long_steps( dbvhi_meter *meter ) {
	const uint64_t steps = ( dbvhi_long_products - meter->products ) / DBVHI_PRODUCTS_A_STEP;
	meter->products += steps * DBVHI_PRODUCTS_A_STEP;
	return steps;
}

// Returns DBVH_OK, or the reason why the call has to end.
static inline dbvh_status dbvhi_purse_status( const dbvhi_purse *purse ) {
	return (dbvh_status)atomic_load_explicit( &purse->stopped, memory_order_relaxed );
}

// Returns the steps settled by all meters plus those charged to this one. Only the thread of `meter` may call it.
uint64_t dbvhi_meter_spent( const dbvhi_meter *meter );
