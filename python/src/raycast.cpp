// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/raycast.h"

#include "ask.h"
#include "raycast.h"
#include "state.h"

#include <cstring>

namespace dualbvh_python {

namespace {

using result_t = dbvh_raycast_result;

/// The traits of rays; segments have the same members. A `line` is given by a point and a direction, or by two points.
struct rays {
	using line = dbvh_ray;
	static constexpr const char *from = "origin", *other = "direction", *from_many = "origins",
	                            *other_many = "directions";
	static constexpr auto single = dbvh_raycast;
	static constexpr auto batch = dbvh_raycast_batch;
};

struct segments {
	using line = dbvh_segment;
	static constexpr const char *from = "start", *other = "end", *from_many = "starts", *other_many = "ends";
	static constexpr auto single = dbvh_segment_cast;
	static constexpr auto batch = dbvh_segment_cast_batch;
};

nb::object raycast_dtype() {
	return make_dtype( { { "intersects", format( "?" ), offsetof( result_t, intersects ) },
	                     { "triangle", format( "u4" ), offsetof( result_t, first.triangle ) },
	                     { "t", format( "f8" ), offsetof( result_t, first.t ) },
	                     { "point", triple_format(), offsetof( result_t, first.point ) },
	                     { "status", format( "i4" ), offsetof( result_t, status ) },
	                     { "hit_count", format( "u8" ), offsetof( result_t, hit_count ) },
	                     { "counters", counters_dtype(), offsetof( result_t, counters ) } },
	                   sizeof( result_t ) );
}

template <class Kind> typename Kind::line line_of( nb::handle from, nb::handle other ) {
	const vector3 x( from, Kind::from ), y( other, Kind::other );
	typename Kind::line line;
	static_assert( sizeof line == sizeof x.x + sizeof y.x, "six doubles" );
	std::memcpy( &line, x.x, sizeof x.x );
	std::memcpy( reinterpret_cast<char *>( &line ) + sizeof x.x, y.x, sizeof y.x );
	return line;
}

template <class Kind> std::vector<typename Kind::line> lines_of( nb::handle from, nb::handle other ) {
	const rows x( from, Kind::from_many, 3 ), y( other, Kind::other_many, 3 );
	std::vector<typename Kind::line> lines( common_count( { &x, &y } ) );
	for ( size_t i = 0; i < lines.size(); ++i ) {
		char *line = reinterpret_cast<char *>( &lines[i] );
		std::memcpy( line, x.row( i ), 3 * sizeof( double ) );
		std::memcpy( line + 3 * sizeof( double ), y.row( i ), 3 * sizeof( double ) );
	}
	return lines;
}

constexpr list_place hit_list_of{ &dbvh_raycast_query::hits, &dbvh_raycast_query::hit_capacity, &result_t::hit_count };

dbvh_raycast_query raycast_query( bool any ) {
	dbvh_raycast_query query = dbvh_raycast_query_default();
	query.find = any ? DBVH_FIND_ANY : DBVH_FIND_CLOSEST;
	return query;
}

/// One line, as ask_one() and ask_list() call it.
template <class Kind> auto single_call( const posed_tree &mesh, const typename Kind::line &line ) {
	return [&]( const dbvh_raycast_query &q, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		return Kind::single( mesh.tree, mesh.pose.get(), &line, &q, workspace, result, error );
	};
}

/// Many lines, as ask_batch() and ask_batch_lists() call it.
template <class Kind> auto batch_call( const posed_tree &mesh, const std::vector<typename Kind::line> &lines ) {
	return [&]( const dbvh_raycast_query &q, const dbvh_batch_options &options, result_t *out, dbvh_error *error ) {
		return Kind::batch( mesh.tree, mesh.pose.get(), lines.data(), lines.size(), &q, &options, out, error );
	};
}

template <class Kind>
std::optional<dbvh_ray_hit> cast( const tree &t, nb::handle from, nb::handle other, nb::handle pose,
                                  uint64_t max_work ) {
	const auto line = line_of<Kind>( from, other );
	const posed_tree mesh( t, pose );
	const auto result = ask_one<result_t>( raycast_query( false ), max_work, single_call<Kind>( mesh, line ) );
	if ( !result.intersects )
		return std::nullopt;
	return result.first;
}

template <class Kind>
nb::object cast_all( const tree &t, nb::handle from, nb::handle other, nb::handle pose, uint64_t max_work,
                     nb::handle dtype ) {
	const auto line = line_of<Kind>( from, other );
	const posed_tree mesh( t, pose );
	return copy_to_array( ask_list( hit_list_of, raycast_query( false ), max_work, single_call<Kind>( mesh, line ) ),
	                      dtype );
}

template <class Kind>
nb::object cast_batch( const tree &t, nb::handle from, nb::handle other, nb::handle pose, bool any,
                       const batch_arguments &how, nb::handle dtype ) {
	const auto lines = lines_of<Kind>( from, other );
	const posed_tree mesh( t, pose );
	return ask_batch<result_t>( lines.size(), raycast_query( any ), how, dtype, batch_call<Kind>( mesh, lines ) );
}

template <class Kind>
records_and_lists cast_all_batch( const tree &t, nb::handle from, nb::handle other, nb::handle pose,
                                  const batch_arguments &how, nb::handle dtype, nb::handle hit_dtype ) {
	const auto lines = lines_of<Kind>( from, other );
	const posed_tree mesh( t, pose );
	lists<dbvh_ray_hit> hits( lines.size() );
	const nb::object records = ask_batch_lists( hit_list_of, &dbvh_raycast_query::hit_begin, hits,
	                                            raycast_query( false ), how, dtype, batch_call<Kind>( mesh, lines ) );
	return { records, copy_to_array( hits.all, hit_dtype ), hits.offsets() };
}

/// The four functions of a kind, whose names begin with `name`.
template <class Kind> struct texts {
	std::string single, all, batch, all_batch;
	texts( const std::string &name ) {
		const std::string one = std::string( Kind::from ) + ": ArrayLike, " + Kind::other + ": ArrayLike";
		const std::string many = std::string( Kind::from_many ) + ": ArrayLike, " + Kind::other_many + ": ArrayLike";
		const std::string rest =
		    ", threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError = 'raise') -> ";
		single = "def " + name + "(tree: Tree, " + one +
		         ", pose: PoseLike | None = None, *, max_work: int = 0) -> RayHit | None";
		all = "def " + name + "_all(tree: Tree, " + one +
		      ", pose: PoseLike | None = None, *, max_work: int = 0) -> Records";
		batch = "def " + name + "_batch(tree: Tree, " + many + ", pose: PoseLike | None = None, *, any: bool = False" +
		        rest + "Records";
		all_batch = "def " + name + "_all_batch(tree: Tree, " + many + ", pose: PoseLike | None = None, *" + rest +
		            "tuple[Records, Records, NDArray[np.uint64]]";
	}
};

template <class Kind>
void bind_kind( nb::module_ &m, const char *name, const char *about, nb::object dtype, nb::object hit_dtype ) {
	static const texts<Kind> sig( name );
	static const std::string all_name = std::string( name ) + "_all", batch_name = std::string( name ) + "_batch",
	                         all_batch_name = std::string( name ) + "_all_batch";
	m.def( name, cast<Kind>, nb::arg( "tree" ), nb::arg( Kind::from ), nb::arg( Kind::other ),
	       nb::arg( "pose" ) = nb::none(), nb::kw_only(), nb::arg( "max_work" ) = 0, nb::sig( sig.single.c_str() ),
	       about );
	m.def(
	    all_name.c_str(),
	    [hit_dtype]( const tree &t, nb::handle from, nb::handle other, nb::handle pose, uint64_t max_work ) {
		    return cast_all<Kind>( t, from, other, pose, max_work, hit_dtype );
	    },
	    nb::arg( "tree" ), nb::arg( Kind::from ), nb::arg( Kind::other ), nb::arg( "pose" ) = nb::none(), nb::kw_only(),
	    nb::arg( "max_work" ) = 0, nb::sig( sig.all.c_str() ),
	    "One hit for each triangle that is hit, sorted by t: records of RAY_HIT_DTYPE (triangle, t, point)." );
	m.def(
	    batch_name.c_str(),
	    [dtype]( const tree &t, nb::handle from, nb::handle other, nb::handle pose, bool any, thread_count threads,
	             uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		    return cast_batch<Kind>( t, from, other, pose, any, { threads, max_work, max_total, errors }, dtype );
	    },
	    nb::arg( "tree" ), nb::arg( Kind::from_many ), nb::arg( Kind::other_many ), nb::arg( "pose" ) = nb::none(),
	    nb::kw_only(), nb::arg( "any" ) = false, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise", nb::sig( sig.batch.c_str() ),
	    "The first hit of each of n lines, on several threads. They are given by two arrays of n x 3, of which one may "
	    "be "
	    "3 numbers,\nthe same for all lines. `any` asks only whether there is a hit, which is faster. Returns n "
	    "records "
	    "of RAYCAST_DTYPE:\nintersects, triangle, t, point, status, hit_count, counters." );
	m.def(
	    all_batch_name.c_str(),
	    [dtype, hit_dtype]( const tree &t, nb::handle from, nb::handle other, nb::handle pose, thread_count threads,
	                        uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		    return cast_all_batch<Kind>( t, from, other, pose, { threads, max_work, max_total, errors }, dtype,
		                                 hit_dtype );
	    },
	    nb::arg( "tree" ), nb::arg( Kind::from_many ), nb::arg( Kind::other_many ), nb::arg( "pose" ) = nb::none(),
	    nb::kw_only(), nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0,
	    nb::arg( "errors" ) = "raise", nb::sig( sig.all_batch.c_str() ),
	    "All hits of n lines: the records of the batch, all hits, and n + 1 offsets; those of line i are "
	    "hits[offsets[i]:\noffsets[i + 1]]." );
}

} // namespace

nb::object ray_hit_dtype() {
	using T = dbvh_ray_hit;
	return make_dtype( { { "triangle", format( "u4" ), offsetof( T, triangle ) },
	                     { "t", format( "f8" ), offsetof( T, t ) },
	                     { "point", triple_format(), offsetof( T, point ) } },
	                   sizeof( T ) );
}

void bind_raycast( nb::module_ &m ) {
	nb::class_<dbvh_ray_hit>( m, "RayHit", "The first hit of a ray or a segment on a triangle." )
	    .def_ro( "triangle", &dbvh_ray_hit::triangle )
	    .def_ro( "t", &dbvh_ray_hit::t, "The exact parameter, rounded to nearest." )
	    .def_prop_ro( "point", []( const dbvh_ray_hit &h ) { return to_array( h.point ); } )
	    .def( "__repr__", []( const dbvh_ray_hit &h ) {
		    return "<dualbvh.RayHit: triangle " + std::to_string( h.triangle ) + ", t " + number_text( h.t ) + ", at " +
		           point_text( h.point ) + ">";
	    } );
	bind_state<dbvh_ray_hit>( m, "RayHit" );
	const nb::object dtype = raycast_dtype(), hit_dtype = ray_hit_dtype();
	m.attr( "RAYCAST_DTYPE" ) = dtype;
	m.attr( "RAY_HIT_DTYPE" ) = hit_dtype;
	bind_kind<rays>( m, "raycast",
	                 "The first hit of the ray origin + t direction, t >= 0, on the mesh at `pose`. None: no hit. "
	                 "Which triangle is\nhit first is decided exactly; a hit through an edge or a corner is a hit.",
	                 dtype, hit_dtype );
	bind_kind<segments>( m, "segment_cast",
	                     "The first hit of the segment from `start` to `end`. Both ends belong to it; t goes from 0 "
	                     "to 1.",
	                     dtype, hit_dtype );
}

} // namespace dualbvh_python
