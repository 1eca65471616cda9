// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A planar arm and a free body under OMPL: validity of states against the library's own answers, of motions against
// dense samples, and what a planner makes of both.

#include "ompl.h"

#define DUALBVH_EXCEPTIONS
#include "dualbvh/dualbvh.hpp"
#include "dualbvh/ompl.hpp"

#include <array>
#include <cmath>
#include <ompl/base/DiscreteMotionValidator.h>
#include <ompl/base/goals/GoalState.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/base/spaces/SE3StateSpace.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <ompl/geometric/PathGeometric.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>
#include <random>
#include <thread>

namespace {

namespace d = dualbvh;
namespace ob = ompl::base;
namespace og = ompl::geometric;

const double pi = 3.14159265358979323846;

struct failed {
	const char *what;
};

void expect( bool right, const char *what ) {
	if ( !right )
		throw failed{ what };
}

d::Tree box( double x, double y, double z ) {
	std::vector<std::array<double, 3>> corners;
	for ( int i = 0; i < 8; ++i )
		corners.push_back( { ( i & 1 ) != 0 ? x : -x, ( i & 2 ) != 0 ? y : -y, ( i & 4 ) != 0 ? z : -z } );
	const std::vector<std::array<std::uint32_t, 3>> triangles = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 },
	                                                              { 0, 1, 4 }, { 1, 5, 4 }, { 2, 6, 3 }, { 3, 6, 7 },
	                                                              { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
	return d::Tree::build( d::mesh_view( corners, triangles ) );
}

// An arm of three bars of length 1 in a plane, two revolute joints and a continuous one, among three posts. Neighbours
// may meet.
struct arm {
	d::Tree bar = box( 0.5, 0.05, 0.05 ), post = box( 0.1, 0.1, 1.0 );
	d::Scene scene = d::Scene::create();
	d::Robot robot = d::Robot::create();
	ob::StateSpacePtr space;
	ob::SpaceInformationPtr si;
	std::shared_ptr<const d::ompl::Cell> cell;

	explicit arm( double clearance = 0.0 ) {
		std::uint32_t link = DBVH_NO_LINK, before = DBVH_NO_BODY;
		for ( int i = 0; i < 3; ++i ) {
			d::Joint joint{};
			joint.kind = i == 2 ? DBVH_JOINT_KIND_CONTINUOUS : DBVH_JOINT_KIND_REVOLUTE;
			joint.axis[2] = 1.0;
			link = robot.add_link( link, d::translation( i == 0 ? 0.0 : 1.1, 0, 0 ), joint );
			const std::uint32_t body = scene.add( bar );
			robot.attach( link, body, d::translation( 0.55, 0, 0 ) );
			if ( before != DBVH_NO_BODY ) {
				d::PairRule meets{};
				meets.may_collide = true;
				scene.set_rule( before, body, meets );
			}
			before = body;
		}
		(void)scene.add( post, d::translation( 1.6, 1.2, 0 ) );
		(void)scene.add( post, d::translation( -1.3, 1.9, 0 ) );
		(void)scene.add( post, d::translation( 0.4, -2.2, 0 ) );
		auto turning = std::make_shared<ob::RealVectorStateSpace>( 2 );
		turning->setBounds( -3.0, 3.0 );
		space = turning + std::make_shared<ob::SO2StateSpace>();
		si = std::make_shared<ob::SpaceInformation>( space );
		cell = std::make_shared<d::ompl::Cell>( robot, scene, clearance );
		si->setStateValidityChecker( std::make_shared<d::ompl::StateValidityChecker>( si, cell ) );
		si->setMotionValidator( std::make_shared<d::ompl::MotionValidator>( si, cell ) );
		si->setup();
	}
	std::vector<double> reals( const ob::State *state ) const {
		std::vector<double> q;
		space->copyToReals( q, state );
		return q;
	}
};

// A random state of a space.
struct some_state {
	ob::SpaceInformationPtr si;
	ob::State *state;
	explicit some_state( const ob::SpaceInformationPtr &of ) : si( of ), state( of->allocState() ) {}
	some_state( const some_state & ) = delete;
	some_state &operator=( const some_state & ) = delete;
	~some_state() {
		si->freeState( state );
	}
	void draw( std::mt19937_64 &random ) {
		std::uniform_real_distribution<double> angle( -3.0, 3.0 );
		std::vector<double> q;
		si->getStateSpace()->copyToReals( q, state );
		for ( double &x : q )
			x = angle( random );
		si->getStateSpace()->copyFromReals( state, q );
	}
};

template <class Work> const char *run( Work &&work ) {
	ompl::msg::setLogLevel( ompl::msg::LOG_NONE );
	try {
		work();
	} catch ( const failed &f ) {
		return f.what;
	} catch ( const std::exception &e ) {
		static char text[256];
		std::snprintf( text, sizeof text, "%s", e.what() );
		return text;
	}
	return nullptr;
}

} // namespace

extern "C" const char *ompl_states( uint64_t seed, int rounds ) {
	return run( [&] {
		arm a( 0.05 );
		some_state s( a.si );
		std::mt19937_64 random( seed );
		for ( int i = 0; i < rounds; ++i ) {
			s.draw( random );
			const std::vector<double> q = a.reals( s.state );
			std::vector<d::RobotDistancesResult> r( 1 );
			d::RobotDistancesQuery query{};
			query.find = DBVH_FIND_CLOSEST;
			a.robot.distance_batch( a.scene, q, r, query );
			const double least = r[0].nearest.distance;
			expect( a.si->isValid( s.state ) == ( least >= 0.05 ), "a state is valid where its clearance is kept" );
			double dist = -1.0;
			a.si->getStateValidityChecker()->isValid( s.state, dist );
			expect( dist == least, "clearance() is the least distance" );
		}
		// Out of bounds.
		a.space->copyFromReals( s.state, { 3.5, 0.0, 0.0 } );
		expect( !a.si->isValid( s.state ), "a state out of bounds is not valid" );
	} );
}

extern "C" const char *ompl_motions( uint64_t seed, int rounds ) {
	return run( [&] {
		arm a;
		some_state from( a.si ), to( a.si ), last( a.si ), at( a.si );
		std::mt19937_64 random( seed );
		for ( int i = 0; i < rounds; ++i ) {
			do
				from.draw( random );
			while ( !a.si->isValid( from.state ) );
			to.draw( random );
			a.space->copyFromReals( last.state, { 9.0, 9.0, 1.0 } );
			std::pair<ob::State *, double> valid( last.state, -1.0 );
			const bool is_clear = a.si->checkMotion( from.state, to.state, valid );
			expect( is_clear == a.si->checkMotion( from.state, to.state ) || !is_clear,
			        "a proof that the first way finds, the second finds" );
			double until = 1.0;
			if ( is_clear ) {
				expect( valid.second == -1.0 && a.reals( last.state )[0] == 9.0,
				        "nothing is written where the motion is valid" );
			} else {
				until = valid.second;
				expect( until >= 0.0 && until < 1.0, "the time of the last valid state is below 1" );
				expect( a.si->isValid( last.state ), "the last valid state is valid" );
				a.space->interpolate( from.state, to.state, until, at.state );
				expect( a.space->distance( at.state, last.state ) < 1e-9, "the last valid state is that of its time" );
			}
			for ( int k = 0; k <= 100; ++k ) {
				a.space->interpolate( from.state, to.state, until * k / 100.0, at.state );
				expect( a.si->isValid( at.state ), "all states up to the last valid one are valid" );
			}
		}
		expect( a.si->getMotionValidator()->getCheckedMotionCount() == 2u * (unsigned)rounds, "motions are counted" );
		// The storage may be the start or the end itself.
		a.space->copyFromReals( from.state, { 0.0, 0.0, 0.0 } );
		a.space->copyFromReals( to.state, { 1.5, 0.0, 0.0 } );
		std::pair<ob::State *, double> in_place( to.state, -1.0 );
		expect( !a.si->checkMotion( from.state, to.state, in_place ) && in_place.second > 0.0, "a post is in the way" );
		expect( std::fabs( a.reals( to.state )[0] - 1.5 * in_place.second ) < 1e-12, "the end is overwritten" );
	} );
}

// A bar that sweeps through a plate between two samples.
extern "C" const char *ompl_thin_plate( void ) {
	return run( [&] {
		arm a;
		const d::Tree plate = box( 0.2, 0.0005, 0.2 );
		(void)a.scene.add( plate, d::translation( 3.0, 0.5, 0 ) );
		auto si = std::make_shared<ob::SpaceInformation>( a.space );
		auto cell = std::make_shared<d::ompl::Cell>( a.robot, a.scene );
		si->setStateValidityChecker( std::make_shared<d::ompl::StateValidityChecker>( si, cell ) );
		si->setMotionValidator( std::make_shared<d::ompl::MotionValidator>( si, cell ) );
		si->setStateValidityCheckingResolution( 0.1 );
		si->setup();
		some_state from( si ), to( si );
		a.space->copyFromReals( from.state, { -0.1, 0.0, 0.0 } );
		a.space->copyFromReals( to.state, { 0.4, 0.0, 0.0 } );
		expect( si->isValid( from.state ) && si->isValid( to.state ), "both ends are valid" );
		const ob::DiscreteMotionValidator sampled( si );
		expect( sampled.checkMotion( from.state, to.state ), "samples miss the plate" );
		expect( !si->checkMotion( from.state, to.state ), "the certificate does not" );
	} );
}

extern "C" const char *ompl_free_body( uint64_t seed, int rounds ) {
	return run( [&] {
		const d::Tree cube = box( 0.4, 0.2, 0.1 ), wall = box( 0.05, 1.0, 1.0 );
		d::Scene scene = d::Scene::create();
		d::Robot robot = d::Robot::create();
		d::Joint floating{};
		floating.kind = DBVH_JOINT_KIND_FLOATING;
		const std::uint32_t link = robot.add_link( DBVH_NO_LINK, d::identity(), floating ), body = scene.add( cube );
		robot.attach( link, body );
		(void)scene.add( wall );
		auto space = std::make_shared<ob::SE3StateSpace>();
		ob::RealVectorBounds bounds( 3 );
		bounds.setLow( -2.0 );
		bounds.setHigh( 2.0 );
		space->setBounds( bounds );
		auto si = std::make_shared<ob::SpaceInformation>( space );
		auto cell = std::make_shared<d::ompl::Cell>( robot, scene );
		si->setStateValidityChecker( std::make_shared<d::ompl::StateValidityChecker>( si, cell ) );
		si->setMotionValidator( std::make_shared<d::ompl::MotionValidator>( si, cell ) );
		si->setup();
		some_state from( si ), to( si ), at( si );
		ompl::RNG::setSeed( (std::uint_fast32_t)seed | 1 );
		const ob::StateSamplerPtr sampler = si->allocStateSampler();
		int clear = 0;
		for ( int i = 0; i < rounds; ++i ) {
			do
				sampler->sampleUniform( from.state );
			while ( !si->isValid( from.state ) );
			sampler->sampleUniform( to.state );
			std::vector<double> a, b, row( 7 ), own;
			space->copyToReals( a, from.state );
			space->copyToReals( b, to.state );
			const std::vector<double> time = { 0.375 };
			robot.between( a, b, time, row );
			space->interpolate( from.state, to.state, 0.375, at.state );
			space->copyToReals( own, at.state );
			double with = 0.0;
			for ( int k = 0; k < 3; ++k )
				expect( std::fabs( row[k] - own[k] ) < 1e-12, "both interpolate positions alike" );
			for ( int k = 3; k < 7; ++k )
				with += row[k] * own[k];
			expect( std::fabs( with ) > 1.0 - 1e-9, "both interpolate rotations alike" );
			if ( !si->checkMotion( from.state, to.state ) )
				continue;
			clear += 1;
			for ( int k = 0; k <= 100; ++k ) {
				space->interpolate( from.state, to.state, k / 100.0, at.state );
				expect( si->isValid( at.state ), "all states of a valid motion are valid" );
			}
		}
		// Away from the wall, and through it.
		space->copyFromReals( from.state, { 1.5, 0, 0, 0, 0, 0, 1 } );
		space->copyFromReals( to.state, { 1.5, 1.5, 0, 0, 0, 1, 0 } );
		expect( si->checkMotion( from.state, to.state ), "beside the wall is clear" );
		space->copyFromReals( to.state, { -1.5, 0, 0, 0, 0, 1, 0 } );
		expect( !si->checkMotion( from.state, to.state ), "through the wall is not" );
	} );
}

// A plan whose every piece is certified: dense samples find nothing.
extern "C" const char *ompl_plan( uint64_t seed ) {
	return run( [&] {
		ompl::RNG::setSeed( (std::uint_fast32_t)seed | 1 );
		arm a( 0.01 );
		some_state from( a.si ), to( a.si ), at( a.si );
		a.space->copyFromReals( from.state, { 0.0, 0.0, 0.0 } );
		a.space->copyFromReals( to.state, { 1.4, 0.1, 0.0 } );
		expect( a.si->isValid( from.state ) && a.si->isValid( to.state ), "start and goal are valid" );
		auto problem = std::make_shared<ob::ProblemDefinition>( a.si );
		problem->setStartAndGoalStates( from.state, to.state );
		og::RRTConnect planner( a.si );
		planner.setProblemDefinition( problem );
		planner.setup();
		const ob::PlannerStatus status = planner.ob::Planner::solve( 20.0 );
		expect( status == ob::PlannerStatus::EXACT_SOLUTION, "RRTConnect finds a way round the posts" );
		og::PathGeometric path = *problem->getSolutionPath()->as<og::PathGeometric>();
		expect( path.check() && path.getStateCount() > 2, "the path is valid and goes round" );
		for ( std::size_t i = 0; i + 1 < path.getStateCount(); ++i ) {
			for ( int k = 0; k <= 200; ++k ) {
				a.space->interpolate( path.getState( i ), path.getState( i + 1 ), k / 200.0, at.state );
				expect( a.si->isValid( at.state ), "no sample of the path collides" );
			}
		}
	} );
}

extern "C" const char *ompl_threads( uint64_t seed ) {
	return run( [&] {
		arm a;
		enum { THREADS = 4, STATES = 100 };
		std::vector<std::vector<bool>> answers( THREADS, std::vector<bool>( STATES ) );
		std::vector<std::thread> threads;
		for ( int t = 0; t < THREADS; ++t )
			threads.emplace_back( [&, t] {
				some_state from( a.si ), to( a.si );
				std::mt19937_64 random( seed );
				for ( int i = 0; i < STATES; ++i ) {
					from.draw( random );
					to.draw( random );
					answers[(std::size_t)t][(std::size_t)i] =
					    a.si->isValid( from.state ) && a.si->checkMotion( from.state, to.state );
				}
			} );
		for ( std::thread &t : threads )
			t.join();
		for ( const std::vector<bool> &own : answers )
			expect( own == answers[0], "threads get the same answers" );
	} );
}

extern "C" const char *ompl_refusals( void ) {
	return run( [&] {
		arm a;
		auto small = std::make_shared<ob::RealVectorStateSpace>( 2 );
		small->setBounds( -1.0, 1.0 );
		auto si = std::make_shared<ob::SpaceInformation>( small );
		bool threw = false;
		try {
			d::ompl::MotionValidator validator( si, a.cell );
		} catch ( const ompl::Exception & ) {
			threw = true;
		}
		expect( threw, "a space with another number of numbers is refused" );
		some_state s( a.si ), t( a.si );
		a.space->copyFromReals( s.state, { std::nan( "" ), 0.0, 0.0 } );
		a.space->copyFromReals( t.state, { 0.0, 0.0, 0.0 } );
		expect( !a.si->isValid( s.state ), "NaN is not valid" );
		expect( !a.si->checkMotion( t.state, s.state ), "nor is the way to it" );
	} );
}
