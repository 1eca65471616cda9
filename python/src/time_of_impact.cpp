// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "time_of_impact.h"

#include "ask.h"
#include "state.h"

namespace dualbvh_python {

namespace {

using result_t = dbvh_toi_result;

/// A motion as an argument: None is at rest.
const dbvh_motion *motion_or_null( nb::handle object, const char *what ) {
	if ( object.is_none() )
		return nullptr;
	if ( !nb::isinstance<dbvh_motion>( object ) )
		throw nb::type_error( ( std::string( what ) + " must be a Motion or None" ).c_str() );
	return &nb::cast<const dbvh_motion &>( object );
}

dbvh_motion translation( nb::handle pose, nb::handle shift ) {
	const pose_argument from( pose, "pose" );
	const vector3 by( shift, "shift" );
	return dbvh_motion_translation( from.get(), by.x );
}

dbvh_motion between( const dbvh_pose *from, const dbvh_pose *to, const double *centre, int64_t element, bool keep ) {
	dbvh_motion motion;
	dbvh_error error;
	const dbvh_status status = dbvh_motion_between( from, to, centre, &motion, &error );
	error.element = element;
	if ( !keep )
		check( status, error );
	return motion;
}

std::optional<vector3> centre_of( nb::handle object ) {
	if ( object.is_none() )
		return std::nullopt;
	return vector3( object, "centre" );
}

dbvh_motion motion_between( nb::handle pose_from, nb::handle pose_to, nb::handle centre ) {
	const pose_argument from( pose_from, "pose_from" ), to( pose_to, "pose_to" );
	const std::optional<vector3> middle = centre_of( centre );
	return between( from.get(), to.get(), middle ? middle->x : nullptr, -1, false );
}

std::vector<dbvh_motion> motions_between( nb::handle poses_from, nb::handle poses_to, nb::handle centre,
                                          const std::string &errors ) {
	const refusals refused( errors );
	const pose_list from( poses_from, "poses_from" ), to( poses_to, "poses_to" );
	if ( from.count() != to.count() )
		raise( DBVH_INVALID_ARGUMENT, "poses_from and poses_to must be as many" );
	const std::optional<vector3> middle = centre_of( centre );
	std::vector<dbvh_motion> motions;
	motions.reserve( from.count() );
	for ( size_t i = 0; i < from.count(); ++i )
		motions.push_back(
		    between( &from.data()[i], &to.data()[i], middle ? middle->x : nullptr, (int64_t)i, refused.are_kept() ) );
	return motions;
}

dbvh_toi_query toi_query( double tolerance, double start, dbvh_policy policy ) {
	dbvh_toi_query query = dbvh_toi_query_default();
	query.tolerance = tolerance;
	query.start = start;
	query.policy = policy;
	return query;
}

result_t time_of_impact( const tree &a, const tree &b, nb::handle motion_b, nb::handle motion_a, double tolerance,
                         double start, dbvh_policy policy, uint64_t max_work ) {
	const dbvh_motion *of_a = motion_or_null( motion_a, "motion_a" ), *of_b = motion_or_null( motion_b, "motion_b" );
	const reading use_a( a ), use_b( b );
	return ask_one<result_t>(
	    toi_query( tolerance, start, policy ), max_work,
	    [&]( const dbvh_toi_query &q, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		    return dbvh_time_of_impact( use_a, of_a, use_b, of_b, &q, workspace, result, error );
	    } );
}

nb::object time_of_impact_batch( const tree &a, const tree &b, const std::vector<dbvh_motion> &motions_b,
                                 nb::handle motion_a, const dbvh_toi_query &query, const batch_arguments &how,
                                 nb::handle dtype ) {
	const dbvh_motion *of_a = motion_or_null( motion_a, "motion_a" );
	const reading use_a( a ), use_b( b );
	return ask_batch<result_t>(
	    motions_b.size(), query, how, dtype,
	    [&]( const dbvh_toi_query &q, const dbvh_batch_options &options, result_t *out, dbvh_error *error ) {
		    return dbvh_time_of_impact_batch( use_a, of_a, use_b, motions_b.data(), motions_b.size(), &q, &options, out,
		                                      error );
	    } );
}

const char *verdict_name( dbvh_toi_verdict verdict ) {
	static const char *const names[] = { "clear", "contact", "close", "undecided" };
	return names[verdict];
}

std::string describe( const result_t &r ) {
	std::string text = std::string( "<dualbvh.TimeOfImpact: " ) + verdict_name( r.verdict );
	if ( r.verdict != DBVH_TOI_VERDICT_CLEAR )
		text += ( r.verdict == DBVH_TOI_VERDICT_UNDECIDED ? " from time " : " at time " ) + number_text( r.time );
	if ( r.verdict == DBVH_TOI_VERDICT_CONTACT || r.verdict == DBVH_TOI_VERDICT_CLOSE )
		text += ", triangle " + std::to_string( r.pair.a ) + " of A and " + std::to_string( r.pair.b ) + " of B at " +
		        point_text( r.point_b );
	return text + ">";
}

void bind_motion( nb::module_ &m ) {
	nb::class_<dbvh_motion>( m, "Motion",
	                         "A pose for every time from 0 to 1: a translation, or a turn about an axis of constant "
	                         "direction while its\ncentre goes straight on." )
	    .def_static( "translation", translation, nb::arg( "pose" ).none(), nb::arg( "shift" ),
	                 nb::sig( "def translation(pose: PoseLike | None, shift: ArrayLike) -> Motion" ),
	                 "From `pose` by `shift`, 3 numbers, without turning." )
	    .def_static( "between", motion_between, nb::arg( "pose_from" ).none(), nb::arg( "pose_to" ).none(),
	                 nb::arg( "centre" ) = nb::none(),
	                 nb::sig( "def between(pose_from: PoseLike | None, pose_to: PoseLike | None, centre: ArrayLike | "
	                          "None = None) -> Motion" ),
	                 "From one pose to another by a turn of at most half a circle. `centre`, in the frame of the mesh, "
	                 "goes straight;\nNone: a screw motion. Raises NotFinite, NotRigid." )
	    .def_static(
	        "between_batch", motions_between, nb::arg( "poses_from" ), nb::arg( "poses_to" ),
	        nb::arg( "centre" ) = nb::none(), nb::kw_only(), nb::arg( "errors" ) = "raise",
	        nb::sig( "def between_batch(poses_from: PosesLike, poses_to: PosesLike, centre: ArrayLike | None = "
	                 "None, *, errors: OnError = 'raise') -> list[Motion]" ),
	        "between() for n pairs of poses. With errors='keep' a motion with a pose that is refused is all zero, "
	        "which "
	        "every\nquery refuses: time_of_impact_batch(..., errors='keep') gives it a status." )
	    .def(
	        "pose", []( const dbvh_motion &self, double t ) { return pose_to_array( dbvh_motion_pose( &self, t ) ); },
	        nb::arg( "t" ), nb::sig( "def pose(self, t: float) -> NDArray[np.float64]" ), "The pose at time t, 3 x 4." )
	    .def_ro( "angle", &dbvh_motion::angle, "In radians." )
	    .def_prop_ro( "axis", []( const dbvh_motion &self ) { return to_array( self.axis ); } )
	    .def_prop_ro(
	        "centre", []( const dbvh_motion &self ) { return to_array( self.centre ); },
	        "The centre of the turn at time 0." )
	    .def_prop_ro(
	        "shift", []( const dbvh_motion &self ) { return to_array( self.shift ); },
	        "The way of the centre from time 0 to 1." )
	    .def( "__repr__", []( const dbvh_motion &self ) {
		    return "<dualbvh.Motion: by " + point_text( self.shift ) +
		           ( self.angle != 0 ? ", turning " + number_text( self.angle ) + " about " + point_text( self.axis )
		                             : std::string() ) +
		           ">";
	    } );
}

} // namespace

nb::object toi_dtype() {
	return make_dtype( { { "verdict", format( "i4" ), offsetof( result_t, verdict ) },
	                     { "time", format( "f8" ), offsetof( result_t, time ) },
	                     { "upper", format( "f8" ), offsetof( result_t, upper ) },
	                     { "distance", format( "f8" ), offsetof( result_t, distance ) },
	                     { "pair", pair_dtype(), offsetof( result_t, pair ) },
	                     { "point_a", triple_format(), offsetof( result_t, point_a ) },
	                     { "point_b", triple_format(), offsetof( result_t, point_b ) },
	                     { "normal", triple_format(), offsetof( result_t, normal ) },
	                     { "status", format( "i4" ), offsetof( result_t, status ) },
	                     { "counters", counters_dtype(), offsetof( result_t, counters ) } },
	                   sizeof( result_t ) );
}

void bind_time_of_impact( nb::module_ &m ) {
	bind_motion( m );
	nb::enum_<dbvh_toi_verdict>( m, "TimeOfImpactVerdict", "The verdict about a motion.", nb::is_arithmetic() )
	    .value( "CLEAR", DBVH_TOI_VERDICT_CLEAR, "they intersect at no time" )
	    .value( "CONTACT", DBVH_TOI_VERDICT_CONTACT, "they do, first at `time` or at most the tolerance later" )
	    .value( "CLOSE", DBVH_TOI_VERDICT_CLOSE, "at `time` they are closer than rounding tells" )
	    .value( "UNDECIDED", DBVH_TOI_VERDICT_UNDECIDED, "the budget ended the search at `time`" );
	nb::class_<result_t>( m, "TimeOfImpact", "When meshes in motion touch first. True in a condition unless clear." )
	    .def_ro( "verdict", &result_t::verdict )
	    .def( "__bool__", []( const result_t &r ) { return r.verdict != DBVH_TOI_VERDICT_CLEAR; } )
	    .def_ro( "time", &result_t::time, "There is no contact before it; 1 where the motion is clear." )
	    .def_ro( "upper", &result_t::upper, "A time at which collide() says that they intersect; or infinity." )
	    .def_ro( "distance", &result_t::distance, "An upper bound of the distance at `time`." )
	    .def_prop_ro( "pair", []( const result_t &r ) { return to_pair( r.pair ); } )
	    .def_prop_ro(
	        "point_a", []( const result_t &r ) { return to_array( r.point_a ); },
	        "A point of each at `time`, in the common frame." )
	    .def_prop_ro( "point_b", []( const result_t &r ) { return to_array( r.point_b ); } )
	    .def_prop_ro(
	        "normal", []( const result_t &r ) { return to_array( r.normal ); },
	        "From A to B; 0 where they intersect at the start already." )
	    .def_ro( "counters", &result_t::counters )
	    .def( "__repr__", describe );

	bind_state<dbvh_motion>( m, "Motion" );
	bind_state<result_t>( m, "TimeOfImpact" );
	const nb::object dtype = toi_dtype();
	m.attr( "TIME_OF_IMPACT_DTYPE" ) = dtype;
	m.def( "time_of_impact", time_of_impact, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "motion_b" ) = nb::none(),
	       nb::arg( "motion_a" ) = nb::none(), nb::kw_only(), nb::arg( "tolerance" ) = 0.0, nb::arg( "start" ) = 0.0,
	       nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "max_work" ) = 0,
	       nb::sig( "def time_of_impact(a: Tree, b: Tree, motion_b: Motion | None = None, motion_a: Motion | None = "
	                "None, *, tolerance: float = 0.0, start: float = 0.0, policy: Policy = Policy.DEFAULT, max_work: "
	                "int = 0) -> TimeOfImpact" ),
	       R"(When do A and B, each in its motion (None: at rest), touch for the first time?

tolerance  how much later than `time` the confirmed contact may be; 0 stands for 2**-20 of the motion
start      the time from which on contacts are looked for
max_work   where it ends the search, the verdict is UNDECIDED and `time` says how far it got

Holds for every time, not for samples of it. Raises InvalidArgument, NotFinite, NotRigid.)" );
	const auto batch = [dtype]( const tree &a, const tree &b, const std::vector<dbvh_motion> &motions_b,
	                            nb::handle motion_a, double tolerance, double start, dbvh_policy policy,
	                            thread_count threads, uint64_t max_work, uint64_t max_total,
	                            const std::string &errors ) {
		return time_of_impact_batch( a, b, motions_b, motion_a, toi_query( tolerance, start, policy ),
		                             { threads, max_work, max_total, errors }, dtype );
	};
	m.def(
	    "time_of_impact_batch", batch, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "motions_b" ),
	    nb::arg( "motion_a" ) = nb::none(), nb::kw_only(), nb::arg( "tolerance" ) = 0.0, nb::arg( "start" ) = 0.0,
	    nb::arg( "policy" ) = DBVH_POLICY_DEFAULT, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def time_of_impact_batch(a: Tree, b: Tree, motions_b: Sequence[Motion], motion_a: Motion | None = "
	             "None, *, tolerance: float = 0.0, start: float = 0.0, policy: Policy = Policy.DEFAULT, threads: int "
	             "= 0, max_work: int = 0, max_total: int = 0, errors: OnError = 'raise') -> Records" ),
	    "time_of_impact() for n motions of B, on several threads. Returns n records of TIME_OF_IMPACT_DTYPE: verdict "
	    "(a number of\nTimeOfImpactVerdict), time, upper, distance, pair, point_a, point_b, normal, status, "
	    "counters." );
}

} // namespace dualbvh_python
