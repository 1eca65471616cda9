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
	team( size_t count, size_t threads, uint64_t max_work, interruption &interrupted, const element_question &ask )
	    : count( count ), grain( std::clamp<size_t>( count / ( 16 * threads ), 1, 64 ) ), max_work( max_work ),
	      interrupted( interrupted ), ask( ask ) {
		first.status = DBVH_OK;
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

	void work( bool calling ) {
		dbvh_workspace *workspace = nullptr;
		dbvh_error error;
		if ( dbvh_workspace_create( nullptr, &workspace, &error ) != DBVH_OK ) {
			if ( calling )
				note( 0, error );
			return;
		}
		const dbvh_budget budget = { max_work, calling ? is_interrupted : is_stopped, this, 0, nullptr };
		for ( size_t begin; ( begin = next.fetch_add( grain ) ) < count; ) {
			for ( size_t i = begin; i < std::min( begin + grain, count ) && !budget.is_cancelled( this ); ++i ) {
				if ( ask( i, workspace, &budget, &error ) != DBVH_OK )
					note( i, error );
			}
			if ( stop )
				break;
		}
		dbvh_workspace_destroy( workspace );
	}

	void note( size_t i, const dbvh_error &error ) {
		const std::lock_guard<std::mutex> lock( mutex );
		if ( (int64_t)i >= first.element )
			return;
		first = error;
		first.element = (int64_t)i;
	}

	const size_t count, grain;
	const uint64_t max_work;
	interruption &interrupted;
	const element_question &ask;
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

dbvh_status ask_each( size_t count, uint32_t threads, uint64_t max_work, interruption &interrupted, dbvh_error &error,
                      const element_question &ask ) {
	const size_t number = thread_number( threads, count );
	team crew( count, number, max_work, interrupted, ask );
	crew.run( number );
	return crew.ending( error );
}

} // namespace dualbvh_python
