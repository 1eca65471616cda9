// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The Python object for a scene: a scene of the library, and a lock, because such a scene belongs to one thread at a
// time and calls run without the GIL.
//
// There is one list of bodies, the library's. The data of the binding (the tree's object, the name, the rules) is
// attached to each body there, so that a number, its body and its data appear and vanish in one step, under the lock.

#pragma once

#include "call.h"
#include "dualbvh/scene.h"
#include "objects.h"

#include <atomic>
#include <map>
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

/// The data attached to a body. Made and destroyed with the GIL held; read and changed under the scene's lock.
struct body_record {
	nb::object tree;
	reading use; ///< the shared lock on the tree, as long as the body exists
	std::string name;
	std::optional<dbvh_pair_rule> rule;
	std::map<uint32_t, dbvh_pair_rule> pair_rules; ///< keyed by the other body, whose record has the same rule

	body_record( nb::handle tree, std::string name );
};

/// Returns the data of body `number`; NULL where there is no such body. Call it under the lock.
body_record *record_of( const dbvh_scene *inner, uint32_t number );

class scene {
  public:
	std::optional<dbvh_pair_rule> default_rule; ///< the default rule that was set; used under the lock

	scene();
	~scene();

	/// Runs `work( dbvh_scene * )` without the GIL, under the lock. A signal handler that calls the scene while the
	/// same thread is in a call of it gets an exception instead of a deadlock. Code that takes the GIL within holds the
	/// lock, and no code waits for the lock while it holds the GIL.
	template <class Work> auto alone( Work &&work ) {
		expect_other_thread();
		nb::gil_scoped_release release;
		const std::lock_guard<std::mutex> lock( mutex );
		const ownership mine( owner );
		return work( owned.get() );
	}

	/// alone() for queries of some bodies that return a status: throws KeyError where one of the bodies does not exist
	/// by the time of the call.
	template <class Work> dbvh_status alone_with( const uint32_t *bodies, size_t count, Work &&work ) {
		std::optional<uint32_t> missing;
		const dbvh_status status = alone( [&]( dbvh_scene *inner ) {
			for ( size_t i = 0; i < count && !missing; ++i )
				if ( !record_of( inner, bodies[i] ) )
					missing = bodies[i];
			return missing ? DBVH_INVALID_ARGUMENT : work( inner );
		} );
		if ( missing )
			refuse_body( *missing );
		return status;
	}

	template <class Work> dbvh_status alone_with( std::initializer_list<uint32_t> bodies, Work &&work ) {
		return alone_with( bodies.begin(), bodies.size(), work );
	}

	template <class Work> dbvh_status alone_with( const std::optional<uint32_t> &body, Work &&work ) {
		return alone_with( body ? &*body : nullptr, body ? 1 : 0, work );
	}

	/// Tells whether this thread has interrupted a call of the scene (by a signal).
	bool is_interrupted() const {
		return owner.load() == std::this_thread::get_id();
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
	[[noreturn]] static void refuse_body( uint32_t number );

	std::unique_ptr<dbvh_scene, scene_deleter> owned;
	std::mutex mutex;
	std::atomic<std::thread::id> owner{ std::thread::id() };
};

// Functions that change a scene.

uint32_t add_body( scene &s, nb::handle tree, nb::handle pose, const std::string &name, uint32_t group, uint32_t mask,
                   double sag, double radius );
void remove_body( scene &s, uint32_t body );
void set_default_rule( scene &s, const std::optional<dbvh_pair_rule> &rule );
void set_body_rule( scene &s, uint32_t body, const std::optional<dbvh_pair_rule> &rule );
void set_pair_rule( scene &s, uint32_t a, uint32_t b, const std::optional<dbvh_pair_rule> &rule );

nb::object body_pair_dtype();

void bind_scene_state( nb::class_<scene> &c );

void bind_scene_pairs( nb::class_<scene> &c );
void bind_scene_queries( nb::class_<scene> &c, nb::module_ &m );
void bind_scene_batches( nb::class_<scene> &c, nb::module_ &m );

} // namespace dualbvh_python
