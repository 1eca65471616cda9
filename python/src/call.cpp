// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "call.h"

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
      next_look( std::chrono::steady_clock::time_point::min() ) {}

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

} // namespace dualbvh_python
