// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Counts what a call spends of its budget. A purse is shared by the threads of one call; each thread has a meter, which
// it charges with every step, or with every batch of them: an addition and a comparison until some thousands have come
// together. Only the meter that opened the purse asks the caller, so that is_cancelled runs on the calling thread
// alone; the others see what it said the next time they settle.
//
// One thread alone stops where exactly the first charge takes it above max_work, whatever the machine: what a whole
// call has spent is a budget that it completes with.

#pragma once

#include "dualbvh/base.h"

#include <stdatomic.h>

typedef struct dbvhi_purse {
	const dbvh_budget *budget; // NULL: no limit
	uint64_t limit;            // of steps; UINT64_MAX: none
	_Atomic uint64_t spent;    // what has been settled
	_Atomic int stopped;       // a dbvh_status: why the call has to end; DBVH_OK as long as it may go on
} dbvhi_purse;

// Products of limbs in numbers of many limbs, of the calling thread, ever: a decision about numbers from end to end of
// the doubles takes a thousand times as long as any other, and says so here.
extern _Thread_local uint64_t dbvhi_long_products;
// A product in a shorter number is part of the step that counts it.
#define DBVHI_SHORT_PRODUCTS 64
// So many are a step.
#define DBVHI_PRODUCTS_A_STEP 16

static inline void dbvhi_count_products( uint64_t count ) {
	if ( __builtin_expect( count > DBVHI_SHORT_PRODUCTS, 0 ) )
		dbvhi_long_products += count;
}

typedef struct dbvhi_meter {
	uint64_t used; // since it was settled
	uint64_t due;  // settled when more than this is used
	dbvhi_purse *purse;
	uint64_t products; // dbvhi_long_products that are charged, or are others'
	bool asks;         // on the calling thread
} dbvhi_meter;

// For the calling thread. `budget` may be NULL and must outlive the purse, as the purse must every meter.
void dbvhi_meter_open( dbvhi_meter *meter, dbvhi_purse *purse, const dbvh_budget *budget );

// At the end of a call, by the meter that opened the purse: tells the caller what was spent.
void dbvhi_meter_close( const dbvhi_meter *meter );

// For a further thread of the same call.
void dbvhi_meter_join( dbvhi_meter *meter, dbvhi_purse *purse );

// The slow half of dbvhi_meter_charge().
bool dbvhi_meter_settle( dbvhi_meter *meter );

// Spends `work` steps. Returns false where the call has to end, and from then on always.
static inline bool dbvhi_meter_charge( dbvhi_meter *meter, uint64_t work ) {
	meter->used += work;
	return meter->used <= meter->due || dbvhi_meter_settle( meter );
}

// The steps that long products have taken since this was asked last.
static inline uint64_t dbvhi_meter_long_steps( dbvhi_meter *meter ) {
	const uint64_t steps = ( dbvhi_long_products - meter->products ) / DBVHI_PRODUCTS_A_STEP;
	meter->products += steps * DBVHI_PRODUCTS_A_STEP;
	return steps;
}

// DBVH_OK, or why the call has to end.
static inline dbvh_status dbvhi_purse_status( const dbvhi_purse *purse ) {
	return (dbvh_status)atomic_load_explicit( &purse->stopped, memory_order_relaxed );
}

// All that has been charged to the purse's settled meters and to this one, by whose thread it is asked.
uint64_t dbvhi_meter_spent( const dbvhi_meter *meter );
