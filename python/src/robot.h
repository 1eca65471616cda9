// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The Python object for a robot.

#pragma once

#include "dualbvh/robot.h"
#include "errors.h"

#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <shared_mutex>

namespace dualbvh_python {

namespace nb = nanobind;

struct robot_deleter {
	void operator()( dbvh_robot *robot ) const {
		dbvh_robot_destroy( robot );
	}
};

/// A robot, and a lock: calls run without the GIL, and one that changes it must be the only one.
class robot {
  public:
	robot() {
		dbvh_robot *made = nullptr;
		dbvh_error error;
		check_status( dbvh_robot_create( nullptr, &made, &error ), error );
		owned.reset( made );
	}
	/// Runs `work( const dbvh_robot * )` without the GIL, while nothing changes the robot.
	template <class Work> auto read( Work &&work ) const {
		nb::gil_scoped_release release;
		return read_within( work );
	}
	/// read() for code that has released the GIL.
	template <class Work> auto read_within( Work &&work ) const {
		const std::shared_lock<std::shared_mutex> lock( mutex );
		return work( static_cast<const dbvh_robot *>( owned.get() ) );
	}
	/// Runs `work( dbvh_robot *, dbvh_error * )` alone, and throws what it returns.
	template <class Work> void change( Work &&work ) {
		dbvh_error error;
		dbvh_status status;
		{
			nb::gil_scoped_release release;
			const std::unique_lock<std::shared_mutex> lock( mutex );
			status = work( owned.get(), &error );
		}
		check_status( status, error );
	}
	static void check_status( dbvh_status status, const dbvh_error &error ) {
		if ( status != DBVH_OK )
			raise( error );
	}

  private:
	std::unique_ptr<dbvh_robot, robot_deleter> owned;
	mutable std::shared_mutex mutex;
};

} // namespace dualbvh_python
