// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A scene as Python holds it: with references to its trees, names of bodies, and a lock, because a scene of the library
// belongs to one thread at a time and calls run without the GIL.

#pragma once

#include "call.h"
#include "dualbvh/scene.h"
#include "objects.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace dualbvh_python {

struct scene_deleter {
	void operator()( dbvh_scene *scene ) const {
		dbvh_scene_destroy( scene );
	}
};

class scene {
  public:
	struct body {
		nb::object tree; ///< none: there is no such body
		std::string name;
		std::optional<reading> use; ///< of the tree, as long as the body is there
	};
	std::vector<body> bodies; ///< by number; used with the GIL held

	scene();
	const body &at( uint32_t number ) const; ///< throws KeyError where there is none

	/// Runs `work( dbvh_scene * )` without the GIL, alone. A signal handler that asks the scene something while the
	/// same thread does gets an exception instead of a deadlock.
	template <class Work> auto alone( Work &&work ) {
		expect_other_thread();
		nb::gil_scoped_release release;
		const std::lock_guard<std::mutex> lock( mutex );
		const ownership mine( owner );
		return work( owned.get() );
	}

  private:
	struct ownership {
		std::atomic<std::thread::id> &owner;
		explicit ownership( std::atomic<std::thread::id> &o ) : owner( o ) {
			owner = std::this_thread::get_id();
		}
		~ownership() {
			owner = std::thread::id();
		}
	};
	void expect_other_thread() const;

	std::unique_ptr<dbvh_scene, scene_deleter> owned;
	std::mutex mutex;
	std::atomic<std::thread::id> owner{ std::thread::id() };
};

nb::object body_pair_dtype();

void bind_scene_pairs( nb::class_<scene> &c );
void bind_scene_queries( nb::class_<scene> &c, nb::module_ &m );
void bind_scene_batches( nb::class_<scene> &c, nb::module_ &m );

} // namespace dualbvh_python
