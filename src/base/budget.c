// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "base/budget.h"

#include "base/assert.h"

// GRAIN steps, some ten microseconds of work, lie between two accesses of the shared purse and two calls of
// is_cancelled().
#define GRAIN 4096

static void set_due( dbvhi_meter *meter, uint64_t spent ) {
	const uint64_t limit = meter->purse->limit;
	meter->used = 0;
	meter->due = limit - spent < GRAIN ? limit - spent : GRAIN;
}

// Makes every further charge go to dbvhi_meter_settle().
static void set_over( dbvhi_meter *meter ) {
	meter->used = 1;
	meter->due = 0;
}

_Thread_local uint64_t dbvhi_long_products;

dbvh_budget dbvh_budget_default( void ) {
	return ( dbvh_budget ){ .max_work = 0 };
}

static uint64_t limit_of( const dbvh_budget *budget ) {
	const uint64_t work = budget->max_work != 0 ? budget->max_work : UINT64_MAX;
	return budget->max_total != 0 && budget->max_total < work ? budget->max_total : work;
}

void dbvhi_meter_open( dbvhi_meter *meter, dbvhi_purse *purse, const dbvh_budget *budget ) {
	DBVHI_ASSERT( meter != NULL && purse != NULL );
	purse->budget = budget;
	purse->limit = budget != NULL ? limit_of( budget ) : UINT64_MAX;
	atomic_init( &purse->spent, 0 );
	atomic_init( &purse->stopped, DBVH_OK );
	dbvhi_meter_join( meter, purse );
	meter->asks = true;
}

void dbvhi_meter_join( dbvhi_meter *meter, dbvhi_purse *purse ) {
	DBVHI_ASSERT( meter != NULL && purse != NULL );
	*meter = ( dbvhi_meter ){ .due = UINT64_MAX, .purse = purse, .products = dbvhi_long_products };
	if ( purse->budget == NULL )
		return;
	if ( dbvhi_purse_status( purse ) != DBVH_OK )
		set_over( meter );
	else
		set_due( meter, atomic_load_explicit( &purse->spent, memory_order_relaxed ) );
}

bool dbvhi_meter_settle( dbvhi_meter *meter ) {
	DBVHI_ASSERT( meter->purse != NULL );
	dbvhi_purse *purse = meter->purse;
	const dbvh_budget *budget = purse->budget;
	if ( budget == NULL ) // without a budget, settling happens once in 2^64 steps
		return true;
	dbvh_status status = dbvhi_purse_status( purse );
	if ( status == DBVH_OK ) {
		meter->used += dbvhi_meter_long_steps( meter );
		const uint64_t before = atomic_fetch_add_explicit( &purse->spent, meter->used, memory_order_relaxed );
		const uint64_t spent = before + meter->used;
		if ( spent > purse->limit )
			status = DBVH_BUDGET_SPENT;
		else if ( meter->asks && budget->is_cancelled != NULL && budget->is_cancelled( budget->user ) )
			status = DBVH_CANCELLED;
		if ( status == DBVH_OK ) {
			set_due( meter, spent );
			return true;
		}
		int going_on = DBVH_OK;
		atomic_compare_exchange_strong_explicit( &purse->stopped, &going_on, (int)status, memory_order_relaxed,
		                                         memory_order_relaxed );
	}
	set_over( meter );
	return false;
}

uint64_t dbvhi_meter_spent( const dbvhi_meter *meter ) {
	DBVHI_ASSERT( meter->purse != NULL );
	const uint64_t settled = atomic_load_explicit( &meter->purse->spent, memory_order_relaxed );
	const uint64_t products = ( dbvhi_long_products - meter->products ) / DBVHI_PRODUCTS_A_STEP;
	return dbvhi_purse_status( meter->purse ) == DBVH_OK ? settled + meter->used + products : settled;
}

void dbvhi_meter_close( const dbvhi_meter *meter ) {
	const dbvh_budget *budget = meter->purse->budget;
	if ( budget != NULL && budget->spent != NULL )
		*budget->spent += dbvhi_meter_spent( meter );
}
