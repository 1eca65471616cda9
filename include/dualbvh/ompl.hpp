// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

/// @file ompl.hpp
/// Validity of states and motions for OMPL: a robot (robot.h) in a scene (scene.h). Motions are certified over every
/// time; OMPL's own validator samples them. Header-only; OMPL 1.5 or later. Not part of dualbvh.hpp.
///
///     auto cell = std::make_shared<dualbvh::ompl::Cell>( robot, scene, 0.01 );
///     si->setStateValidityChecker( std::make_shared<dualbvh::ompl::StateValidityChecker>( si, cell ) );
///     si->setMotionValidator( std::make_shared<dualbvh::ompl::MotionValidator>( si, cell ) );
///
/// States. The numbers of a state, as StateSpace::copyToReals() gives them, are a configuration of the robot in the
/// layout DBVH_ROBOT_LAYOUT_ANGLES: a RealVectorStateSpace for revolute and prismatic joints, SO2StateSpace for
/// continuous ones, SE2StateSpace for planar and SE3StateSpace for floating ones, or a CompoundStateSpace of these in
/// the order of the links. These spaces interpolate as edges of robot.h go; a space that interpolates otherwise
/// (Dubins) has no validator here.
///
/// Errors. A call of the library that fails throws ompl::Exception; a state that is refused (a number that is NaN, a
/// quaternion that is not of length 1) is not valid.
///
/// Thread safety: a cell may be asked by any number of threads at once; each has a snapshot of the scene of its own.
/// The robot and the trees of the scene are only read, and must outlive the cell and stay as they are.

#ifndef DUALBVH_OMPL_HPP
#define DUALBVH_OMPL_HPP

#include "dualbvh/robot.h"

#include <limits>
#include <memory>
#include <mutex>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/util/Exception.h>
#include <string>
#include <utility>
#include <vector>

namespace dualbvh {
namespace ompl {

namespace base = ::ompl::base;

/// A robot in a scene as it was when the cell was made: later changes of the scene are not seen.
class Cell {
  public:
	/// `clearance`: the least one of every pair, where no rule of the scene asks for more.
	Cell( const dbvh_robot *robot, const dbvh_scene *scene, double clearance = 0.0 )
	    : robot_( robot ), clearance_( clearance ) {
		dbvh_error error;
		if ( robot == nullptr )
			throw ::ompl::Exception( "dualbvh", "there is no robot" );
		first_ = copy_of( scene, &error );
	}
	/// The same for the classes of dualbvh.hpp.
	template <class Robot, class Scene, class = decltype( std::declval<const Robot &>().get() )>
	Cell( const Robot &robot, const Scene &scene, double clearance = 0.0 )
	    : Cell( robot.get(), scene.get(), clearance ) {}

	const dbvh_robot *robot() const {
		return robot_;
	}
	double clearance() const {
		return clearance_;
	}
	std::size_t width() const {
		return dbvh_robot_width( robot_, DBVH_ROBOT_LAYOUT_ANGLES );
	}

	/// Calls work( scene ) with a scene that no other thread uses.
	template <class Work> auto with_scene( Work &&work ) const {
		Lease lease( *this );
		return work( lease.scene.get() );
	}

  private:
	struct Destroy {
		void operator()( dbvh_scene *scene ) const {
			dbvh_scene_destroy( scene );
		}
	};
	using Owned = std::unique_ptr<dbvh_scene, Destroy>;

	// A scene from the pool, given back in the end.
	struct Lease {
		const Cell &cell;
		Owned scene;
		explicit Lease( const Cell &of ) : cell( of ) {
			const std::lock_guard<std::mutex> lock( cell.mutex_ );
			if ( !cell.pool_.empty() ) {
				scene = std::move( cell.pool_.back() );
				cell.pool_.pop_back();
			} else {
				dbvh_error error;
				scene = copy_of( cell.first_.get(), &error );
			}
		}
		~Lease() {
			const std::lock_guard<std::mutex> lock( cell.mutex_ );
			cell.pool_.push_back( std::move( scene ) );
		}
		Lease( const Lease & ) = delete;
		Lease &operator=( const Lease & ) = delete;
	};

	static Owned copy_of( const dbvh_scene *scene, dbvh_error *error ) {
		dbvh_scene *copy = nullptr;
		if ( dbvh_scene_clone( scene, nullptr, &copy, error ) != DBVH_OK )
			throw ::ompl::Exception( "dualbvh", error->text );
		return Owned( copy );
	}

	const dbvh_robot *robot_;
	double clearance_;
	Owned first_; // never asked, so that it can be copied while others are
	mutable std::mutex mutex_;
	mutable std::vector<Owned> pool_;
};

namespace detail {

// Is it a configuration that is refused, and no failure of the call?
inline bool is_refused( dbvh_status status ) {
	return status == DBVH_NOT_FINITE || status == DBVH_NOT_RIGID || status == DBVH_LIMIT;
}

inline void check_status( dbvh_status status, const dbvh_error &error ) {
	if ( status != DBVH_OK && !is_refused( status ) )
		throw ::ompl::Exception( "dualbvh", error.text );
}

inline void check_width( const base::SpaceInformation *si, const Cell &cell ) {
	std::vector<double> numbers;
	si->getStateSpace()->computeLocations(); // setup() does it, too, which may come later
	base::State *state = si->allocState();
	si->getStateSpace()->copyToReals( numbers, state );
	si->freeState( state );
	if ( numbers.size() != cell.width() )
		throw ::ompl::Exception( "dualbvh", "a state has " + std::to_string( numbers.size() ) +
		                                        " numbers and a configuration of the robot " +
		                                        std::to_string( cell.width() ) );
}

} // namespace detail

/// Whether a state keeps the bounds of its space and all clearances; clearance() is the least distance of any pair that
/// is checked, 0 where bodies collide.
class StateValidityChecker : public base::StateValidityChecker {
  public:
	StateValidityChecker( const base::SpaceInformationPtr &si, std::shared_ptr<const Cell> cell )
	    : base::StateValidityChecker( si ), cell_( std::move( cell ) ) {
		detail::check_width( si_, *cell_ );
		specs_.clearanceComputationType = base::StateValidityCheckerSpecs::EXACT;
	}
	using base::StateValidityChecker::clearance;
	using base::StateValidityChecker::isValid;

	bool isValid( const base::State *state ) const override {
		dbvh_robot_distances_query query = dbvh_robot_distances_query_default();
		query.margin = cell_->clearance();
		dbvh_robot_distances_result result;
		return si_->satisfiesBounds( state ) && ask( state, query, &result ) == DBVH_OK && !result.found;
	}
	double clearance( const base::State *state ) const override {
		dbvh_robot_distances_query query = dbvh_robot_distances_query_default();
		query.find = DBVH_FIND_CLOSEST;
		dbvh_robot_distances_result result;
		if ( ask( state, query, &result ) != DBVH_OK )
			return 0.0;
		return result.found ? result.nearest.distance : std::numeric_limits<double>::infinity();
	}

  private:
	dbvh_status ask( const base::State *state, dbvh_robot_distances_query query,
	                 dbvh_robot_distances_result *result ) const {
		std::vector<double> q;
		si_->getStateSpace()->copyToReals( q, state );
		query.thread_count = 1;
		dbvh_error error;
		const dbvh_status status = cell_->with_scene( [&]( dbvh_scene *scene ) {
			return dbvh_robot_distance_batch( cell_->robot(), scene, q.data(), 1, &query, result, &error );
		} );
		detail::check_status( status, error );
		return status;
	}

	std::shared_ptr<const Cell> cell_;
};

/// Whether a motion is valid, by dbvh_robot_edge_batch(): true is a proof that every pair keeps its clearance at every
/// time. A motion on which bodies come nearer than the tolerance without colliding (CLOSE) counts as not valid.
///
/// `lastValid` as OMPL has it: where the motion is not valid, its time is that up to which the motion is proved valid
/// (less a part in 2^40, so that other ways of rounding stay before it), and its state that of this time, itself valid;
/// where it is valid, nothing is written.
class MotionValidator : public base::MotionValidator {
  public:
	/// `tolerance`: that of dbvh_robot_edges_query; 0 stands for a share of the robot's reach.
	MotionValidator( const base::SpaceInformationPtr &si, std::shared_ptr<const Cell> cell, double tolerance = 0.0 )
	    : base::MotionValidator( si ), cell_( std::move( cell ) ), tolerance_( tolerance ) {
		detail::check_width( si_, *cell_ );
	}

	bool checkMotion( const base::State *from, const base::State *to ) const override {
		return count( is_certified( from, to, DBVH_FIND_ANY, nullptr, nullptr ) );
	}
	bool checkMotion( const base::State *from, const base::State *to,
	                  std::pair<base::State *, double> &lastValid ) const override {
		std::vector<double> q;
		double until = 0.0;
		if ( is_certified( from, to, DBVH_FIND_CLOSEST, &q, &until ) )
			return count( true );
		if ( lastValid.first != nullptr ) {
			// note: the state may be `from` or `to` itself.
			if ( until > 0.0 ) {
				si_->getStateSpace()->copyFromReals( lastValid.first, row_at( q, until ) );
				si_->enforceBounds( lastValid.first ); // angles of SO2 within half a turn
			} else if ( lastValid.first != from )
				si_->copyState( lastValid.first, from );
		}
		lastValid.second = until;
		return count( false );
	}

  private:
	bool is_certified( const base::State *from, const base::State *to, dbvh_find find, std::vector<double> *q_out,
	                   double *until ) const {
		std::vector<double> q, end;
		si_->getStateSpace()->copyToReals( q, from );
		si_->getStateSpace()->copyToReals( end, to );
		q.insert( q.end(), end.begin(), end.end() );
		dbvh_robot_edges_query query = dbvh_robot_edges_query_default();
		query.find = find;
		query.clearance = cell_->clearance();
		query.tolerance = tolerance_;
		query.thread_count = 1;
		dbvh_robot_edge_result result;
		dbvh_error error;
		const dbvh_status status = cell_->with_scene( [&]( dbvh_scene *scene ) {
			return dbvh_robot_edge_batch( cell_->robot(), scene, q.data(), 2, &query, &result, &error );
		} );
		detail::check_status( status, error );
		const bool in_bounds = si_->satisfiesBounds( to );
		if ( until != nullptr )
			*until = status == DBVH_OK && in_bounds ? result.free_until * ( 1.0 - 0x1p-40 ) : 0.0;
		if ( q_out != nullptr )
			q_out->swap( q );
		return status == DBVH_OK && in_bounds && result.verdict == DBVH_ROBOT_VERDICT_CLEAR;
	}

	// The configuration at a time, of which the certificate speaks.
	std::vector<double> row_at( const std::vector<double> &q, double time ) const {
		const std::size_t width = cell_->width();
		std::vector<double> row( width );
		dbvh_error error;
		const dbvh_status status = dbvh_robot_between( cell_->robot(), DBVH_ROBOT_LAYOUT_ANGLES, q.data(),
		                                               q.data() + width, &time, 1, row.data(), &error );
		if ( status != DBVH_OK )
			throw ::ompl::Exception( "dualbvh", error.text );
		return row;
	}

	// OMPL's counters, which threads share.
	bool count( bool valid ) const {
		const std::lock_guard<std::mutex> lock( counting_ );
		( valid ? valid_ : invalid_ ) += 1;
		return valid;
	}

	std::shared_ptr<const Cell> cell_;
	double tolerance_;
	mutable std::mutex counting_;
};

} // namespace ompl
} // namespace dualbvh

#endif // DUALBVH_OMPL_HPP
