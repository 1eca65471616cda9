// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "team.h"

#include "arrays.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dualbvh_python {

namespace {

size_t thread_number( uint32_t threads, size_t count ) {
	return std::max<size_t>( 1, std::min<size_t>( { threads ? threads : all_threads(), 256, count } ) );
}

class team {
  public:
	team( size_t count, size_t threads, const batch_limits &limits, interruption &interrupted,
	      std::vector<dbvh_status> &statuses, const element_question &ask )
	    : count( count ), grain( std::clamp<size_t>( count / ( 16 * threads ), 1, 64 ) ), limits( limits ),
	      interrupted( interrupted ), ask( ask ), statuses( statuses ), steps( limits.max_total ? count : 0 ) {
		statuses.assign( count, DBVH_BUDGET_SPENT );
		first.element = (int64_t)count;
	}

	void run( size_t threads ) {
		std::vector<std::thread> others;
		for ( size_t t = 1; t < threads; ++t ) {
			try {
				others.emplace_back( [this] { work( false ); } );
			} catch ( const std::system_error & ) {
				break; // the threads that were started do the work
			}
		}
		work( true );
		for ( std::thread &other : others )
			other.join();
		if ( limits.max_total && !stop )
			charge();
		interrupted.add_spent( total );
	}

	dbvh_status ending( dbvh_error &error ) const {
		if ( stop ) {
			error = { DBVH_CANCELLED, 0, -1, -1, "the caller's callback ended the call" };
			return DBVH_CANCELLED;
		}
		error = first;
		if ( first.status == DBVH_OK )
			error = { DBVH_OK, 0, -1, -1, "" };
		return first.status;
	}

  private:
	static bool is_stopped( void *self ) {
		return static_cast<team *>( self )->stop.load( std::memory_order_relaxed );
	}

	static bool is_interrupted( void *self ) {
		team *t = static_cast<team *>( self );
		if ( t->interrupted.is_due() )
			t->stop = true;
		return t->stop;
	}

	/// Blocks of elements are handed out in order, and a block that is begun is finished: so the elements that were
	/// done are the first ones, and handing out may end once their steps, in whatever order they came, exceed
	/// max_total.
	void work( bool calling ) {
		dbvh_workspace *workspace = nullptr;
		dbvh_error error;
		if ( dbvh_workspace_create( nullptr, &workspace, &error ) != DBVH_OK ) {
			if ( calling )
				note( 0, error );
			return;
		}
		const uint64_t most = smaller_limit( limits.max_work, limits.max_total );
		for ( size_t begin; !is_total_spent() && ( begin = next.fetch_add( grain ) ) < count; ) {
			for ( size_t i = begin; i < std::min( begin + grain, count ) && !is_ended( calling ); ++i )
				do_element( i, most, calling, workspace );
			if ( stop )
				break;
		}
		dbvh_workspace_destroy( workspace );
	}

	static uint64_t smaller_limit( uint64_t a, uint64_t b ) {
		return a && b ? std::min( a, b ) : a + b;
	}

	bool is_total_spent() const {
		return limits.max_total && total.load( std::memory_order_relaxed ) > limits.max_total;
	}

	bool is_ended( bool calling ) {
		return calling ? is_interrupted( this ) : is_stopped( this );
	}

	uint64_t do_element( size_t i, uint64_t max_work, bool calling, dbvh_workspace *workspace ) {
		uint64_t spent = 0;
		dbvh_error error;
		const dbvh_budget budget = { max_work, calling ? is_interrupted : is_stopped, this, 0, &spent };
		statuses[i] = ask( i, workspace, &budget, &error );
		if ( statuses[i] != DBVH_OK )
			note( i, error );
		spent = std::max<uint64_t>( spent, 1 );
		if ( limits.max_total )
			steps[i] = spent;
		total.fetch_add( spent, std::memory_order_relaxed );
		return spent;
	}

	/// Charges the elements in their order: the one that goes beyond max_total is done again with what is left, and all
	/// behind it are BUDGET_SPENT, as in a batch of the library.
	void charge() {
		uint64_t left = limits.max_total;
		size_t i = 0;
		while ( i < count && steps[i] > 0 && steps[i] <= left )
			left -= steps[i++];
		if ( i == count )
			return;
		dbvh_workspace *workspace = nullptr;
		dbvh_error error;
		if ( first.element >= (int64_t)i )
			first.element = (int64_t)count;
		std::fill( statuses.begin() + (ptrdiff_t)i, statuses.end(), DBVH_BUDGET_SPENT );
		if ( left > 0 && dbvh_workspace_create( nullptr, &workspace, &error ) == DBVH_OK )
			do_element( i++, smaller_limit( limits.max_work, left ), true, workspace );
		dbvh_workspace_destroy( workspace );
		if ( i < count )
			note( i, { DBVH_BUDGET_SPENT, 0, -1, -1, "the budget was spent before the element was reached" } );
	}

	void note( size_t i, const dbvh_error &error ) {
		const std::lock_guard<std::mutex> lock( mutex );
		if ( (int64_t)i >= first.element )
			return;
		first = error;
		first.element = (int64_t)i;
	}

	const size_t count, grain;
	const batch_limits limits;
	interruption &interrupted;
	const element_question &ask;
	std::vector<dbvh_status> &statuses;
	std::vector<uint64_t> steps; ///< with a max_total: of each element that was done, at least 1
	std::atomic<uint64_t> total{ 0 };
	std::atomic<size_t> next{ 0 };
	std::atomic<bool> stop{ false };
	std::mutex mutex;
	dbvh_error first{};
};

} // namespace

uint32_t all_threads() {
	const char *said = std::getenv( "OMP_NUM_THREADS" );
	unsigned long number = said ? std::strtoul( said, nullptr, 10 ) : 0;
	if ( number == 0 )
		number = std::thread::hardware_concurrency();
	return (uint32_t)std::clamp( number, 1ul, 256ul );
}

dbvh_status ask_each( size_t count, const batch_limits &limits, interruption &interrupted, dbvh_error &error,
                      std::vector<dbvh_status> &statuses_out, const element_question &ask ) {
	const size_t number = thread_number( limits.threads, count );
	team crew( count, number, limits, interrupted, statuses_out, ask );
	crew.run( number );
	return crew.ending( error );
}

} // namespace dualbvh_python
