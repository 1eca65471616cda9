// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "call.h"

#include "objects.h"

#include <atomic>
#include <memory>
#include <vector>

namespace dualbvh_python {

namespace {

/// The workspaces of a thread that no call is using.
struct idle_workspaces {
	std::vector<dbvh_workspace *> list;
	~idle_workspaces() {
		for ( dbvh_workspace *workspace : list )
			dbvh_workspace_destroy( workspace );
	}
};

thread_local idle_workspaces idle;

/// The steps of all calls of a thread so far. Shared with the objects that count, which may outlive the thread.
using step_counter = std::shared_ptr<std::atomic<uint64_t>>;

const step_counter &steps_of_thread() {
	thread_local const step_counter steps = std::make_shared<std::atomic<uint64_t>>( 0 );
	return steps;
}

/// The steps of one thread between two moments.
struct spent_steps {
	step_counter counter;
	uint64_t before = 0, after = 0;
	bool is_counting = false;

	void enter() {
		counter = steps_of_thread();
		before = counter->load();
		is_counting = true;
	}
	void leave() {
		if ( is_counting )
			after = counter->load();
		is_counting = false;
	}
	uint64_t steps() const {
		return ( is_counting ? counter->load() : after ) - before;
	}
};

/// The time between two checks for signals, give or take a few thousand steps.
constexpr std::chrono::milliseconds patience{ 20 };

} // namespace

workspace_lease::workspace_lease() {
	if ( idle.list.empty() ) {
		idle.list.reserve( 4 );
		dbvh_error error;
		check( dbvh_workspace_create( nullptr, &workspace, &error ), error );
		return;
	}
	workspace = idle.list.back();
	idle.list.pop_back();
}

workspace_lease::~workspace_lease() {
	if ( idle.list.size() < 4 )
		idle.list.push_back( workspace );
	else
		dbvh_workspace_destroy( workspace );
}

interruption::interruption( uint64_t max_work, uint64_t max_total )
    : limits{ max_work, is_cancelled, this, max_total, nullptr },
      next_look( std::chrono::steady_clock::time_point::min() ) {
	limits.spent = &spent;
}

interruption::~interruption() {
	steps_of_thread()->fetch_add( spent, std::memory_order_relaxed );
}

bool interruption::is_due() {
	if ( raised )
		return true;
	const auto now = std::chrono::steady_clock::now();
	if ( now < next_look )
		return false;
	if ( next_look != std::chrono::steady_clock::time_point::min() ) {
		nb::gil_scoped_acquire acquire;
		if ( PyErr_CheckSignals() != 0 )
			raised = std::make_unique<nb::python_error>();
	}
	next_look = std::chrono::steady_clock::now() + patience;
	return raised != nullptr;
}

bool interruption::is_cancelled( void *self ) {
	return static_cast<interruption *>( self )->is_due();
}

bool interruption::go_on( void *self, size_t, size_t ) {
	return !static_cast<interruption *>( self )->is_due();
}

void interruption::rethrow() const {
	if ( raised )
		throw nb::python_error( *raised );
}

void bind_spent( nb::module_ &m ) {
	nb::class_<spent_steps>( m, "Spent",
	                         "Counts the steps that calls take, in which `max_work` and `max_total` are given:\n\n"
	                         "    with dualbvh.Spent() as spent:\n"
	                         "        dualbvh.distance_batch(a, b, poses)\n"
	                         "    print(spent.steps)\n\n"
	                         "Counts the calls of the thread that enters it, threads that these use included." )
	    .def( nb::init<>() )
	    .def(
	        "__enter__",
	        []( nb::handle self ) {
		        nb::cast<spent_steps &>( self ).enter();
		        return nb::borrow( self );
	        },
	        nb::sig( "def __enter__(self) -> Spent" ) )
	    .def(
	        "__exit__", []( spent_steps &self, nb::args ) { self.leave(); },
	        nb::sig( "def __exit__(self, *args: object) -> None" ) )
	    .def_prop_ro(
	        "steps", &spent_steps::steps,
	        "The steps so far, or until the end of the block. A call that finished completes again with as many "
	        "for its\nlimit." )
	    .def( "__repr__", []( const spent_steps &self ) {
		    return "<dualbvh.Spent: " + std::to_string( self.steps() ) + " steps>";
	    } );
}

} // namespace dualbvh_python
