// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Robots: links, joints, and certified edges in joint space.

#include "robot.h"

#include "ask.h"
#include "scene.h"

namespace dualbvh_python {

namespace {

using edge_t = dbvh_robot_edge_result;
using configuration_t = dbvh_configuration_result;
using distance_t = dbvh_robot_distance;
using distances_t = dbvh_robot_distances_result;

nb::object robot_edge_dtype() {
	using T = edge_t;
	return make_dtype( { { "verdict", format( "i4" ), offsetof( T, verdict ) },
	                     { "free_until", format( "f8" ), offsetof( T, free_until ) },
	                     { "time", format( "f8" ), offsetof( T, time ) },
	                     { "within", format( "f8" ), offsetof( T, within ) },
	                     { "bodies", body_pair_dtype(), offsetof( T, bodies ) },
	                     { "question_count", format( "u8" ), offsetof( T, question_count ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object robot_distance_dtype() {
	using T = distance_t;
	return make_dtype( { { "bodies", body_pair_dtype(), offsetof( T, bodies ) },
	                     { "distance", format( "f8" ), offsetof( T, distance ) },
	                     { "margin", format( "f8" ), offsetof( T, margin ) },
	                     { "triangles", pair_dtype(), offsetof( T, triangles ) },
	                     { "point_a", format( "f8", 3 ), offsetof( T, point_a ) },
	                     { "point_b", format( "f8", 3 ), offsetof( T, point_b ) },
	                     { "normal", format( "f8", 3 ), offsetof( T, normal ) } },
	                   sizeof( T ) );
}

nb::object robot_distances_dtype( nb::handle distance ) {
	using T = distances_t;
	return make_dtype( { { "found", format( "?" ), offsetof( T, found ) },
	                     { "nearest", nb::borrow( distance ), offsetof( T, nearest ) },
	                     { "pair_count", format( "u8" ), offsetof( T, pair_count ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object pose_format() {
	return make_dtype( { { "rows", format( "f8", 12 ), 0 } }, sizeof( dbvh_pose ) );
}

size_t width_of( const robot &r, dbvh_robot_layout layout ) {
	return r.read( [&]( const dbvh_robot *inner ) { return dbvh_robot_width( inner, layout ); } );
}

/// Configurations that an argument gives, n x width; a single one counts as a row.
struct row_list {
	doubles numbers;
	size_t count;
	row_list( nb::handle object, const char *what, size_t width ) : numbers( object, what ) {
		const bool one = numbers.dimensions() == 1;
		if ( one )
			numbers.expect( { (long)width } );
		else
			numbers.expect( { -1, (long)width } );
		count = one ? 1 : numbers.extent( 0 );
	}
};

uint32_t add_link( robot &r, const std::optional<uint32_t> &parent, nb::handle origin, dbvh_joint_kind kind,
                   nb::handle axis, const std::optional<std::pair<double, double>> &limits ) {
	const pose_argument at( origin, "origin" );
	dbvh_joint joint = dbvh_joint_default();
	joint.kind = kind;
	if ( !axis.is_none() ) {
		const vector3 given( axis, "axis" );
		for ( int k = 0; k < 3; ++k )
			joint.axis[k] = given.x[k];
	}
	if ( limits ) {
		joint.has_limits = true;
		joint.lower = limits->first;
		joint.upper = limits->second;
	}
	uint32_t link = DBVH_NO_LINK;
	r.change( [&]( dbvh_robot *inner, dbvh_error *error ) {
		return dbvh_robot_add_link( inner, parent ? *parent : DBVH_NO_LINK, at.get(), &joint, &link, error );
	} );
	return link;
}

void follow( robot &r, uint32_t link, uint32_t followed, double factor, double offset ) {
	r.change( [&]( dbvh_robot *inner, dbvh_error *error ) {
		return dbvh_robot_follow( inner, link, followed, factor, offset, error );
	} );
}

void attach( robot &r, uint32_t link, uint32_t body, nb::handle pose ) {
	const pose_argument at( pose, "pose" );
	r.change( [&]( dbvh_robot *inner, dbvh_error *error ) {
		return dbvh_robot_attach( inner, link, body, at.get(), error );
	} );
}

void detach( robot &r, uint32_t body ) {
	r.change( [&]( dbvh_robot *inner, dbvh_error *error ) { return dbvh_robot_detach( inner, body, error ); } );
}

nb::dict link_of( const robot &r, uint32_t link ) {
	uint32_t parent, followed = 0;
	dbvh_pose origin;
	dbvh_joint joint;
	double factor = 0.0, offset = 0.0;
	bool is_there = false, follows = false;
	r.read( [&]( const dbvh_robot *inner ) {
		is_there = dbvh_robot_get_link( inner, link, &parent, &origin, &joint );
		follows = is_there && dbvh_robot_get_followed( inner, link, &followed, &factor, &offset );
	} );
	if ( !is_there )
		throw nb::key_error( std::to_string( link ).c_str() );
	nb::dict out;
	out["parent"] = parent == DBVH_NO_LINK ? nb::none() : nb::cast( parent );
	out["origin"] = pose_to_array( origin );
	out["joint"] = joint.kind;
	out["axis"] = to_object( to_array( joint.axis ) );
	out["limits"] = joint.has_limits ? nb::cast( std::make_pair( joint.lower, joint.upper ) ) : nb::none();
	out["follows"] = follows ? nb::cast( std::make_tuple( followed, factor, offset ) ) : nb::none();
	return out;
}

std::vector<std::pair<uint32_t, uint32_t>> bodies_of( const robot &r ) {
	std::vector<std::pair<uint32_t, uint32_t>> all;
	r.read( [&]( const dbvh_robot *inner ) {
		uint32_t body, link;
		for ( size_t i = 0; dbvh_robot_get_body( inner, i, &body, &link, nullptr ); ++i )
			all.push_back( { body, link } );
	} );
	return all;
}

nb::object body_pose( const robot &r, uint32_t number ) {
	dbvh_pose pose;
	bool found = false;
	r.read( [&]( const dbvh_robot *inner ) {
		uint32_t body;
		for ( size_t i = 0; !found && dbvh_robot_get_body( inner, i, &body, nullptr, &pose ); ++i )
			found = body == number;
	} );
	if ( !found )
		throw nb::key_error( std::to_string( number ).c_str() );
	return pose_to_array( pose );
}

std::optional<size_t> column( const robot &r, uint32_t link, dbvh_robot_layout layout ) {
	const size_t at = r.read( [&]( const dbvh_robot *inner ) { return dbvh_robot_column( inner, link, layout ); } );
	return at == DBVH_NO_COLUMN ? std::nullopt : std::optional<size_t>( at );
}

/// n x m x 3 x 4, of links or of attached bodies: rotation and translation side by side.
nb::object place( const robot &r, nb::handle q, dbvh_robot_layout layout, bool links, nb::handle dtype ) {
	const row_list given( q, "q", width_of( r, layout ) );
	const size_t each = r.read( [&]( const dbvh_robot *inner ) {
		return links ? dbvh_robot_link_count( inner ) : dbvh_robot_body_count( inner );
	} );
	new_array out( given.count * each, dtype );
	dbvh_pose *poses = out.data<dbvh_pose>();
	dbvh_error error;
	const dbvh_status status = r.read( [&]( const dbvh_robot *inner ) {
		return dbvh_robot_place( inner, layout, given.numbers.data(), given.count, links ? poses : nullptr,
		                         links ? nullptr : poses, &error );
	} );
	robot::check_status( status, error );
	for ( size_t i = 0; i < given.count * each; ++i ) { // rot and pos become rows of [R|t]
		const dbvh_pose pose = poses[i];
		double *rows = reinterpret_cast<double *>( &poses[i] );
		for ( int k = 0; k < 3; ++k ) {
			for ( int j = 0; j < 3; ++j )
				rows[4 * k + j] = pose.rot[k][j];
			rows[4 * k + 3] = pose.pos[k];
		}
	}
	return out.release()["rows"].attr( "reshape" )( given.count, each, 3, 4 );
}

nb::object between( const robot &r, nb::handle from, nb::handle to, nb::handle times, dbvh_robot_layout layout ) {
	const size_t width = width_of( r, layout );
	const row_list a( from, "from", width ), b( to, "to", width );
	const doubles at( times, "times" );
	at.expect( { -1 } );
	const size_t count = at.extent( 0 );
	new_array out( count * width, format( "f8" ) );
	dbvh_error error;
	const dbvh_status status = r.read( [&]( const dbvh_robot *inner ) {
		return dbvh_robot_between( inner, layout, a.numbers.data(), b.numbers.data(), at.data(), count,
		                           out.data<double>(), &error );
	} );
	robot::check_status( status, error );
	return out.release().attr( "reshape" )( count, width );
}

nb::object collide_batch( const robot &r, scene &s, nb::handle q, dbvh_robot_layout layout, double max_distance,
                          thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors,
                          nb::handle dtype ) {
	const refusals refused( errors );
	const row_list given( q, "q", width_of( r, layout ) );
	new_array results( given.count, dtype );
	interruption interrupted( max_work, max_total );
	dbvh_configurations_query query = dbvh_configurations_query_default();
	query.max_distance = max_distance;
	query.thread_count = threads;
	query.budget = interrupted.budget();
	query.progress = interruption::go_on;
	query.user = &interrupted;
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		return r.read_within( [&]( const dbvh_robot *of ) {
			return dbvh_robot_collide_batch( of, inner, layout, given.numbers.data(), given.count, &query,
			                                 results.data<configuration_t>(), &error );
		} );
	} );
	refused.check( status, error, interrupted );
	return results.release();
}

/// The arguments that questions about distances share.
struct distance_arguments {
	dbvh_robot_layout layout;
	thread_count threads;
	uint64_t max_work, max_total;
	const std::string &errors;
};

/// Asks `query`, with lists in `into` if that is not NULL.
nb::object ask_distances( const robot &r, scene &s, nb::handle q, dbvh_robot_distances_query query,
                          const distance_arguments &how, lists<distance_t> *into, nb::handle dtype ) {
	const refusals refused( how.errors );
	const row_list given( q, "q", width_of( r, how.layout ) );
	new_array results( given.count, dtype );
	distances_t *out = results.data<distances_t>();
	interruption interrupted( how.max_work, how.max_total );
	query.layout = how.layout;
	query.thread_count = how.threads;
	query.budget = interrupted.budget();
	query.progress = interruption::go_on;
	query.user = &interrupted;
	if ( into )
		into->begin.resize( given.count + 1 );
	dbvh_error error;
	const auto ask = [&]( const dbvh_robot *of, dbvh_scene *inner ) {
		return dbvh_robot_distance_batch( of, inner, given.numbers.data(), given.count, &query, out, &error );
	};
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		return r.read_within( [&]( const dbvh_robot *of ) {
			if ( !into )
				return ask( of, inner );
			return count_and_list(
			    *into, error, [&]( size_t i ) { return out[i].pair_count; },
			    [&]( distance_t *room, size_t, const size_t *begin ) {
				    query.distances = room;
				    query.distance_begin = begin;
				    return ask( of, inner );
			    } );
		} );
	} );
	refused.check( status, error, interrupted );
	return results.release();
}

nb::object distance_batch( const robot &r, scene &s, nb::handle q, double limit, const distance_arguments &how,
                           nb::handle dtype ) {
	dbvh_robot_distances_query query = dbvh_robot_distances_query_default();
	query.find = DBVH_FIND_CLOSEST;
	query.limit = limit;
	return ask_distances( r, s, q, query, how, nullptr, dtype );
}

nb::object margin_batch( const robot &r, scene &s, nb::handle q, double margin, const distance_arguments &how,
                         nb::handle dtype ) {
	dbvh_robot_distances_query query = dbvh_robot_distances_query_default();
	query.margin = margin;
	return ask_distances( r, s, q, query, how, nullptr, dtype );
}

records_and_lists near_pairs_batch( const robot &r, scene &s, nb::handle q, double margin,
                                    const distance_arguments &how, nb::handle dtype, nb::handle pair ) {
	dbvh_robot_distances_query query = dbvh_robot_distances_query_default();
	query.find = DBVH_FIND_ALL;
	query.margin = margin;
	lists<distance_t> found( 0 );
	nb::object records = ask_distances( r, s, q, query, how, &found, dtype );
	new_array all( found.all.size(), pair );
	std::copy( found.all.begin(), found.all.end(), all.data<distance_t>() );
	return { records, all.release(), found.offsets() };
}

nb::object edge_batch( const robot &r, scene &s, nb::handle q,
                       const std::optional<std::vector<std::pair<size_t, size_t>>> &edges, dbvh_robot_layout layout,
                       bool first, double clearance, double tolerance, thread_count threads, uint64_t max_work,
                       uint64_t max_total, const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const row_list given( q, "q", width_of( r, layout ) );
	std::vector<dbvh_edge> ways;
	if ( edges )
		for ( const auto &[from, to] : *edges )
			ways.push_back( { from, to } );
	const size_t count = edges ? ways.size() : given.count > 0 ? given.count - 1 : 0;
	new_array results( count, dtype );
	interruption interrupted( max_work, max_total );
	static const dbvh_edge none = { 0, 0 };
	dbvh_robot_edges_query query = dbvh_robot_edges_query_default();
	query.layout = layout;
	query.find = first ? DBVH_FIND_CLOSEST : DBVH_FIND_ANY;
	query.edges = edges ? ( ways.empty() ? &none : ways.data() ) : nullptr;
	query.edge_count = ways.size();
	query.clearance = clearance;
	query.tolerance = tolerance;
	query.budget = interrupted.budget();
	query.thread_count = threads;
	query.progress = interruption::go_on;
	query.user = &interrupted;
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		return r.read_within( [&]( const dbvh_robot *of ) {
			return dbvh_robot_edge_batch( of, inner, given.numbers.data(), given.count, &query, results.data<edge_t>(),
			                              &error );
		} );
	} );
	if ( status != DBVH_BUDGET_SPENT )
		refused.check( status, error, interrupted );
	return results.release();
}

nb::object pose_from_rpy( nb::handle rpy, nb::handle pos ) {
	const vector3 angles( rpy, "rpy" );
	vector3 at = angles;
	if ( pos.is_none() )
		at.x[0] = at.x[1] = at.x[2] = 0.0;
	else
		at = vector3( pos, "pos" );
	return pose_to_array( dbvh_pose_from_rpy( angles.x, at.x ) );
}

void bind_kinds( nb::module_ &m ) {
	nb::enum_<dbvh_joint_kind>( m, "JointKind", "How a link moves against its parent.", nb::is_arithmetic() )
	    .value( "FIXED", DBVH_JOINT_KIND_FIXED )
	    .value( "REVOLUTE", DBVH_JOINT_KIND_REVOLUTE )
	    .value( "CONTINUOUS", DBVH_JOINT_KIND_CONTINUOUS )
	    .value( "PRISMATIC", DBVH_JOINT_KIND_PRISMATIC )
	    .value( "PLANAR", DBVH_JOINT_KIND_PLANAR )
	    .value( "FLOATING", DBVH_JOINT_KIND_FLOATING );
	nb::enum_<dbvh_robot_layout>( m, "RobotLayout", "The numbers of a configuration.", nb::is_arithmetic() )
	    .value( "ANGLES", DBVH_ROBOT_LAYOUT_ANGLES )
	    .value( "PINOCCHIO", DBVH_ROBOT_LAYOUT_PINOCCHIO );
	nb::enum_<dbvh_robot_verdict>( m, "EdgeVerdict", "The answer about an edge in joint space.", nb::is_arithmetic() )
	    .value( "CLEAR", DBVH_ROBOT_VERDICT_CLEAR )
	    .value( "COLLIDES", DBVH_ROBOT_VERDICT_COLLIDES )
	    .value( "CLOSE", DBVH_ROBOT_VERDICT_CLOSE )
	    .value( "UNDECIDED", DBVH_ROBOT_VERDICT_UNDECIDED );
	m.def(
	    "sine_cosine",
	    []( double angle ) {
		    double sine, cosine;
		    dbvh_sine_cosine( angle, &sine, &cosine );
		    return std::make_pair( sine, cosine );
	    },
	    nb::arg( "angle" ), "Sine and cosine by the library's own arithmetic: the same bits on every machine." );
	m.def( "pose_from_rpy", pose_from_rpy, nb::arg( "rpy" ), nb::arg( "pos" ) = nb::none(),
	       nb::sig( "def pose_from_rpy(rpy: ArrayLike, pos: ArrayLike | None = None) -> NDArray[np.float64]" ),
	       "A pose, 3 x 4, from roll, pitch and yaw as URDF has them, about the fixed axes x, y, z." );
}

} // namespace

void bind_robot( nb::module_ &m ) {
	bind_kinds( m );
	const nb::object edges = robot_edge_dtype(), poses = pose_format();
	const nb::object configurations = m.attr( "CONFIGURATION_DTYPE" );
	const nb::object distance = robot_distance_dtype(), distances = robot_distances_dtype( distance );
	m.attr( "ROBOT_EDGE_DTYPE" ) = edges;
	m.attr( "ROBOT_DISTANCE_DTYPE" ) = distance;
	m.attr( "ROBOT_DISTANCES_DTYPE" ) = distances;
	const auto layout = nb::arg( "layout" ) = DBVH_ROBOT_LAYOUT_ANGLES;
	nb::class_<robot>( m, "Robot", R"(Links and joints that carry bodies of a Scene; edges in joint space, certified.

A robot is a tree of links. attach() hangs bodies of a scene on them; the rules of the scene say which pairs are checked
and how far apart they stay. A configuration is a row of numbers, those of the first link first, see RobotLayout and
robot.h. Calls may come from several threads.)" )
	    .def( nb::init<>() )
	    .def(
	        "add_link", add_link, nb::arg( "parent" ) = nb::none(), nb::arg( "origin" ) = nb::none(),
	        nb::arg( "joint" ) = DBVH_JOINT_KIND_FIXED, nb::arg( "axis" ) = nb::none(), nb::kw_only(),
	        nb::arg( "limits" ) = nb::none(),
	        nb::sig( "def add_link(self, parent: int | None = None, origin: PoseLike | None = None, joint: JointKind = "
	                 "JointKind.FIXED, axis: ArrayLike | None = None, *, limits: tuple[float, float] | None = None) "
	                 "-> int" ),
	        "Add a link below `parent` (None: the world), the frame of whose joint is at `origin`, and return its "
	        "number. The axis of a revolute, continuous or prismatic joint is x unless given." )
	    .def( "follow", follow, nb::arg( "link" ), nb::arg( "followed" ), nb::arg( "factor" ) = 1.0,
	          nb::arg( "offset" ) = 0.0,
	          "Make the joint of a link follow that of another: its number is factor times the other's plus offset." )
	    .def( "attach", attach, nb::arg( "link" ), nb::arg( "body" ), nb::arg( "pose" ) = nb::none(),
	          nb::sig( "def attach(self, link: int, body: int, pose: PoseLike | None = None) -> None" ),
	          "Attach a body of the scene to a link, at `pose` in its frame. A body that is attached moves to it." )
	    .def( "detach", detach, nb::arg( "body" ), "Detach a body; it stands where the scene has it." )
	    .def(
	        "__len__",
	        []( const robot &r ) {
		        return r.read( []( const dbvh_robot *inner ) { return dbvh_robot_link_count( inner ); } );
	        },
	        "The number of links." )
	    .def( "link", link_of, nb::arg( "link" ), nb::sig( "def link(self, link: int) -> dict[str, Any]" ),
	          "What a link was added with: parent, origin, joint, axis, limits, follows." )
	    .def_prop_ro( "bodies", bodies_of, "Attached bodies, ascending, each with its link." )
	    .def( "body_pose", body_pose, nb::arg( "body" ),
	          nb::sig( "def body_pose(self, body: int) -> NDArray[np.float64]" ),
	          "The pose of an attached body in the frame of its link, 3 x 4." )
	    .def( "width", width_of, layout, "How many numbers a configuration has." )
	    .def( "column", column, nb::arg( "link" ), layout,
	          "Where the numbers of a link's joint begin in a configuration; None: it has none." )
	    .def(
	        "place",
	        [poses]( const robot &r, nb::handle q, dbvh_robot_layout of, bool links ) {
		        return place( r, q, of, links, poses );
	        },
	        nb::arg( "q" ), layout, nb::kw_only(), nb::arg( "links" ) = false,
	        nb::sig( "def place(self, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, links: bool = False) "
	                 "-> NDArray[np.float64]" ),
	        "Where attached bodies are in n configurations, n x m x 3 x 4, ascending; with `links` where links are." )
	    .def( "between", between, nb::arg( "start" ), nb::arg( "end" ), nb::arg( "times" ), layout,
	          nb::sig( "def between(self, start: ArrayLike, end: ArrayLike, times: ArrayLike, layout: RobotLayout = "
	                   "RobotLayout.ANGLES) -> NDArray[np.float64]" ),
	          "Configurations on the way between two, at times from 0 to 1." )
	    .def(
	        "collide_batch",
	        [configurations]( const robot &r, scene &s, nb::handle q, dbvh_robot_layout of, double max_distance,
	                          thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		        return collide_batch( r, s, q, of, max_distance, threads, max_work, max_total, errors, configurations );
	        },
	        nb::arg( "scene" ), nb::arg( "q" ), layout, nb::kw_only(), nb::arg( "max_distance" ) = 0.0,
	        nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	        nb::arg( "errors" ) = "raise",
	        nb::sig( "def collide_batch(self, scene: Scene, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, "
	                 "max_distance: float = 0.0, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	                 "OnError = 'raise') -> Records" ),
	        "Whether any pair of bodies collides, for each of n configurations: records as of Scene.collide_batch()." )
	    .def(
	        "distance_batch",
	        [distances]( const robot &r, scene &s, nb::handle q, dbvh_robot_layout of, double limit,
	                     thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		        return distance_batch( r, s, q, limit, { of, threads, max_work, max_total, errors }, distances );
	        },
	        nb::arg( "scene" ), nb::arg( "q" ), layout, nb::kw_only(), nb::arg( "limit" ) = 0.0,
	        nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	        nb::arg( "errors" ) = "raise",
	        nb::sig(
	            "def distance_batch(self, scene: Scene, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, "
	            "limit: float = 0.0, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	            "OnError = 'raise') -> Records" ),
	        R"(The least distance of any pair that is checked, for each of n configurations, with its nearest points and normal.

limit  the largest distance of interest, beyond which nothing is found; 0: none

Returns n records of ROBOT_DISTANCES_DTYPE: found, nearest (bodies, distance, margin, triangles, point_a, point_b, normal),
pair_count, status.)" )
	    .def(
	        "margin_batch",
	        [distances]( const robot &r, scene &s, nb::handle q, dbvh_robot_layout of, double margin,
	                     thread_count threads, uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		        return margin_batch( r, s, q, margin, { of, threads, max_work, max_total, errors }, distances );
	        },
	        nb::arg( "scene" ), nb::arg( "q" ), layout, nb::kw_only(), nb::arg( "margin" ) = 0.0,
	        nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	        nb::arg( "errors" ) = "raise",
	        nb::sig( "def margin_batch(self, scene: Scene, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, "
	                 "margin: float = 0.0, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	                 "OnError = 'raise') -> Records" ),
	        R"(Whether any pair is nearer than its margin, for each of n configurations: the lowest such pair, in records as of
distance_batch(). The margin of a pair is `margin`, or the clearance of its rule where that is larger; a pair that collides
is nearer than any.)" )
	    .def(
	        "near_pairs_batch",
	        [distances, distance]( const robot &r, scene &s, nb::handle q, dbvh_robot_layout of, double margin,
	                               thread_count threads, uint64_t max_work, uint64_t max_total,
	                               const std::string &errors ) {
		        return near_pairs_batch( r, s, q, margin, { of, threads, max_work, max_total, errors }, distances,
		                                 distance );
	        },
	        nb::arg( "scene" ), nb::arg( "q" ), layout, nb::kw_only(), nb::arg( "margin" ) = 0.0,
	        nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	        nb::arg( "errors" ) = "raise",
	        nb::sig(
	            "def near_pairs_batch(self, scene: Scene, q: ArrayLike, layout: RobotLayout = RobotLayout.ANGLES, *, "
	            "margin: float = 0.0, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: "
	            "OnError = 'raise') -> tuple[Records, Records, NDArray[np.uint64]]" ),
	        R"(Every pair that is nearer than its margin, for each of n configurations: see margin_batch().

Returns the records, of which pair_count is the number of pairs and nearest the nearest of them, all pairs as records of
ROBOT_DISTANCE_DTYPE, ascending, and n + 1 offsets into them.)" )
	    .def(
	        "edge_batch",
	        [edges]( const robot &r, scene &s, nb::handle q,
	                 const std::optional<std::vector<std::pair<size_t, size_t>>> &ways, dbvh_robot_layout of,
	                 bool first, double clearance, double tolerance, thread_count threads, uint64_t max_work,
	                 uint64_t max_total, const std::string &errors ) {
		        return edge_batch( r, s, q, ways, of, first, clearance, tolerance, threads, max_work, max_total, errors,
		                           edges );
	        },
	        nb::arg( "scene" ), nb::arg( "q" ), nb::arg( "edges" ) = nb::none(), layout, nb::kw_only(),
	        nb::arg( "first" ) = false, nb::arg( "clearance" ) = 0.0, nb::arg( "tolerance" ) = 0.0,
	        nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	        nb::arg( "errors" ) = "raise",
	        nb::sig( "def edge_batch(self, scene: Scene, q: ArrayLike, edges: Sequence[tuple[int, int]] | None = None, "
	                 "layout: RobotLayout = RobotLayout.ANGLES, *, first: bool = False, clearance: float = 0.0, "
	                 "tolerance: float = 0.0, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError "
	                 "= 'raise') -> Records" ),
	        R"(Whether the straight way in joint space stays clear, for each edge between n configurations. CLEAR is a proof
about every time, not about samples.

edges      pairs of indices of configurations; None: from each to the next
first      look for the first collision on the way, so that free_until is as late as the tolerance allows
clearance  of every pair at least; the clearance of its rule holds where it is larger
tolerance  a length: pairs that come nearer than clearance and tolerance are CLOSE; 0: 2^-17 of the robot's reach

Returns a record of ROBOT_EDGE_DTYPE an edge: verdict (EdgeVerdict), free_until (the edge is proved clear up to this
time), time, within, bodies, question_count, status.)" );
}

} // namespace dualbvh_python
