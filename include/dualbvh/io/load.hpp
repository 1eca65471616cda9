// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file dualbvh/io/load.hpp
/// Scenes and robots out of files, as C++17 sees them: dualbvh/io/load.h is the manual. Programs that include this link
/// dualbvh::io besides.
///
///     const char *const files[] = { "arm.urdf", "cell.glb" };
///     dualbvh::Loaded cell = dualbvh::Scene::load( files, options ); // with DUALBVH_EXCEPTIONS
///     cell.robot().collide_batch( cell.scene(), ... );

#ifndef DUALBVH_IO_LOAD_HPP
#define DUALBVH_IO_LOAD_HPP

#include "dualbvh/dualbvh.hpp"
#include "dualbvh/io/load.h"

#include <cstring>
#include <utility>
#include <vector>

namespace dualbvh {

using LoadOptions = dbvh_load_options;
using LoadedKind = dbvh_loaded_kind;

inline namespace DUALBVH_HPP_FORM {

/// The object that owns what has been loaded: see dbvh_loaded.
class Loaded {
  public:
	Loaded() noexcept = default;
	/// Takes ownership of an object that a function in C has made.
	explicit Loaded( dbvh_loaded *object ) noexcept
	    : object_( object ), scene_( dbvh_loaded_scene( object ) ), robot_( dbvh_loaded_robot( object ) ) {}
	Loaded( Loaded &&other ) noexcept
	    : object_( std::exchange( other.object_, nullptr ) ), scene_( std::move( other.scene_ ) ),
	      robot_( std::move( other.robot_ ) ) {}
	Loaded &operator=( Loaded &&other ) noexcept {
		std::swap( object_, other.object_ );
		std::swap( scene_, other.scene_ );
		std::swap( robot_, other.robot_ );
		return *this;
	}
	~Loaded() {
		scene_.release();
		robot_.release();
		dbvh_loaded_destroy( object_ );
	}
	dbvh_loaded *get() const noexcept {
		return object_;
	}
	explicit operator bool() const noexcept {
		return object_ != nullptr;
	}
	Scene &scene() noexcept {
		return scene_;
	}
	/// Returns the robot, which is empty where no file has links.
	Robot &robot() noexcept {
		return robot_;
	}
	double metres() const noexcept {
		return dbvh_loaded_metres( object_ );
	}
	std::size_t count( LoadedKind kind ) const noexcept {
		return dbvh_loaded_count( object_, kind );
	}
	/// Returns a name; nullptr: there is none of this number. See dbvh_loaded_name().
	const char *name( LoadedKind kind, std::size_t number ) const noexcept {
		return dbvh_loaded_name( object_, kind, number );
	}
	/// Finds the number of a name; UINT32_MAX: there is none. See dbvh_loaded_find().
	std::uint32_t find( LoadedKind kind, const char *name ) const noexcept {
		return dbvh_loaded_find( object_, kind, name );
	}
	/// Returns the view of a body's mesh; an empty one if there is no such body. See dbvh_loaded_mesh().
	MeshView mesh( std::uint32_t body ) const noexcept {
		const dbvh_mesh *mesh = dbvh_loaded_mesh( object_, body );
		return mesh != nullptr ? dbvh_mesh_get_view( mesh ) : MeshView{};
	}
	/// Returns the value of a property of a body; nullptr: it has no such property. See dbvh_loaded_get_property().
	const char *property( std::uint32_t body, const char *key ) const noexcept {
		const char *own, *value;
		for ( std::size_t i = 0; dbvh_loaded_get_property( object_, body, i, &own, &value ); ++i )
			if ( std::strcmp( own, key ) == 0 )
				return value;
		return nullptr;
	}
	/// Gets a rule that the scene was given; false: there are not as many. See dbvh_loaded_get_rule().
	bool rule( std::size_t index, std::uint32_t *a, std::uint32_t *b, PairRule *rule = nullptr ) const noexcept {
		return dbvh_loaded_get_rule( object_, index, a, b, rule );
	}
	/// Returns a named configuration; no numbers if there is no such state. See dbvh_loaded_get_state().
	std::vector<double> state( const char *name, RobotLayout layout = DBVH_ROBOT_LAYOUT_ANGLES ) const {
		std::vector<double> q( robot_.width( layout ) + 1 );
		if ( !dbvh_loaded_get_state( object_, find( DBVH_LOADED_KIND_STATE, name ), layout, q.data() ) )
			return {};
		q.pop_back();
		return q;
	}

  private:
	dbvh_loaded *object_ = nullptr;
	Scene scene_;
	Robot robot_;
};

inline bool load_reads( const char *ending ) noexcept {
	return dbvh_load_reads( ending );
}

/// Loads files as one scene. See dbvh_scene_load().
inline Outcome<Loaded> load( span<const char *const> files, const LoadOptions &options = dbvh_load_options_default() ) {
	return detail::outcome_of<Loaded>( [&]( Loaded &loaded, Error &error ) {
		dbvh_loaded *object = nullptr;
		const Status status = dbvh_scene_load( files.data(), files.size(), &options, &object, &error );
		loaded = Loaded( object );
		return status;
	} );
}
inline Outcome<Loaded> load( const char *file, const LoadOptions &options = dbvh_load_options_default() ) {
	return load( span<const char *const>( &file, 1 ), options );
}

inline Outcome<Loaded> Scene::load( const char *file ) {
	return dualbvh::load( file );
}
inline Outcome<Loaded> Scene::load( span<const char *const> files, const LoadOptions &options ) {
	return dualbvh::load( files, options );
}

} // namespace DUALBVH_HPP_FORM
} // namespace dualbvh

#endif // DUALBVH_IO_LOAD_HPP
