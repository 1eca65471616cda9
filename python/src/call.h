// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The parts that every call into the library shares: running without the GIL, the workspace of the thread, ending soon
// after Ctrl-C.

#pragma once

#include "dualbvh/query.h"
#include "errors.h"

#include <chrono>
#include <memory>
#include <nanobind/nanobind.h>

namespace dualbvh_python {

namespace nb = nanobind;

/// A workspace for one call. A thread keeps its workspaces for its next calls; it has more than one only where a signal
/// handler calls the library during a call.
class workspace_lease {
  public:
	workspace_lease();
	~workspace_lease();
	workspace_lease( const workspace_lease & ) = delete;
	workspace_lease &operator=( const workspace_lease & ) = delete;
	operator dbvh_workspace *() const {
		return workspace;
	}

  private:
	dbvh_workspace *workspace;
};

/// Lets Ctrl-C end a call: the budget's callback looks for signals now and then, and keeps the exception that a handler
/// raised.
class interruption {
  public:
	explicit interruption( uint64_t max_work = 0, uint64_t max_total = 0 );
	~interruption();
	interruption( const interruption & ) = delete;
	interruption &operator=( const interruption & ) = delete;

	const dbvh_budget *budget() const {
		return &limits;
	}
	/// Counts the steps of a call that had a budget of its own.
	void add_spent( uint64_t steps ) {
		spent += steps;
	}
	/// For callbacks that report progress: false ends the call.
	static bool go_on( void *self, size_t done, size_t total );
	/// Tells whether the call must end. Called between pieces of work, on the thread that made the call, without the
	/// GIL.
	bool is_due();
	/// Throws the exception that a handler raised, if any. Needs the GIL.
	void rethrow() const;

  private:
	static bool is_cancelled( void *self );

	dbvh_budget limits;
	uint64_t spent = 0;
	std::chrono::steady_clock::time_point next_look;
	std::unique_ptr<nb::python_error> raised;
};

/// Throws the exception of a signal handler, or that of the status, where a call failed. Needs the GIL.
inline void check( dbvh_status status, const dbvh_error &error, const interruption &interrupted ) {
	if ( status == DBVH_OK )
		return;
	interrupted.rethrow();
	raise( error );
}

/// Runs `work` without the GIL and returns what it returns.
template <class Work> auto without_gil( Work &&work ) {
	nb::gil_scoped_release release;
	return work();
}

} // namespace dualbvh_python
