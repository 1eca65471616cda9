// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/overlap.h"

#include "ask.h"
#include "interval.h"
#include "state.h"

#include <algorithm>
#include <memory>

namespace dualbvh_python {

namespace {

struct overlap_deleter {
	void operator()( dbvh_overlap *overlap ) const {
		dbvh_overlap_destroy( overlap );
	}
};

/// An overlap, with copies of its arrays.
struct overlap {
	dbvh_overlap_result result{};
	std::vector<dbvh_overlap_component> components;
	std::vector<double> vertices;
	std::vector<uint32_t> indices;
	std::vector<dbvh_overlap_source> sources;
	bool has_mesh = false;
	std::optional<dbvh_local_depth_result> depth;
	std::vector<dbvh_component_depth> depths; // of the components
};

// ------------------------------------------------------------------------------------------------
// Records

field interval_field( const char *name, size_t offset ) {
	return { name, interval_format(), offset };
}

nb::object component_dtype() {
	using T = dbvh_overlap_component;
	using M = dbvh_overlap_measure;
	const size_t at = offsetof( T, measure );
	const nb::object three = format( "(3,2)f8" );
	return make_dtype( { interval_field( "volume", at + offsetof( M, volume ) ),
	                     interval_field( "area", at + offsetof( M, area ) ),
	                     { "centroid", three, at + offsetof( M, centroid ) },
	                     { "box_min", three, at + offsetof( M, box_min ) },
	                     { "box_max", three, at + offsetof( M, box_max ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "patches_a", format( "u4" ), offsetof( T, patches_a ) },
	                     { "patches_b", format( "u4" ), offsetof( T, patches_b ) },
	                     { "loops", format( "u4" ), offsetof( T, loops ) },
	                     { "shells", format( "u4" ), offsetof( T, shells ) },
	                     { "point", triple_format(), offsetof( T, point ) },
	                     { "first_face", format( "u8" ), offsetof( T, first_face ) },
	                     { "face_count", format( "u8" ), offsetof( T, face_count ) } },
	                   sizeof( T ) );
}

nb::object overlap_dtype() {
	using T = dbvh_overlap_result;
	using M = dbvh_overlap_measure;
	const size_t at = offsetof( T, measure );
	const nb::object three = format( "(3,2)f8" );
	return make_dtype( { interval_field( "volume", at + offsetof( M, volume ) ),
	                     interval_field( "area", at + offsetof( M, area ) ),
	                     { "centroid", three, at + offsetof( M, centroid ) },
	                     { "box_min", three, at + offsetof( M, box_min ) },
	                     { "box_max", three, at + offsetof( M, box_max ) },
	                     { "kind", format( "i4" ), offsetof( T, kind ) },
	                     { "reason", format( "i4" ), offsetof( T, reason ) },
	                     { "body", format( "u4" ), offsetof( T, body ) },
	                     { "triangle", format( "u4" ), offsetof( T, triangle ) },
	                     { "other_triangle", format( "u4" ), offsetof( T, other_triangle ) },
	                     { "component_count", format( "u8" ), offsetof( T, component_count ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object depth_side_dtype() {
	using S = dbvh_local_depth_side;
	return make_dtype( { interval_field( "depth", offsetof( S, depth ) ),
	                     { "deepest", triple_format(), offsetof( S, deepest ) },
	                     { "nearest", triple_format(), offsetof( S, nearest ) },
	                     { "direction", triple_format(), offsetof( S, direction ) } },
	                   sizeof( S ) );
}

nb::object component_depth_dtype() {
	using T = dbvh_component_depth;
	const nb::object side = depth_side_dtype();
	return make_dtype( { { "a_in_b", side, offsetof( T, a_in_b ) },
	                     { "b_in_a", side, offsetof( T, b_in_a ) },
	                     interval_field( "least", offsetof( T, least ) ),
	                     { "normal", triple_format(), offsetof( T, normal ) },
	                     { "verdict", format( "i4" ), offsetof( T, verdict ) },
	                     { "reached", format( "?" ), offsetof( T, reached ) } },
	                   sizeof( T ) );
}

nb::object local_depth_dtype() {
	using T = dbvh_local_depth_result;
	const nb::object side = depth_side_dtype();
	return make_dtype( { { "a_in_b", side, offsetof( T, a_in_b ) },
	                     { "b_in_a", side, offsetof( T, b_in_a ) },
	                     interval_field( "least", offsetof( T, least ) ),
	                     { "verdict", format( "i4" ), offsetof( T, verdict ) },
	                     { "relation", format( "i4" ), offsetof( T, relation ) },
	                     { "undecided", format( "i4" ), offsetof( T, undecided ) },
	                     { "reached", format( "?" ), offsetof( T, reached ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

nb::object penetration_dtype() {
	using T = dbvh_penetration_result;
	return make_dtype( { interval_field( "depth", offsetof( T, depth ) ),
	                     { "translation", triple_format(), offsetof( T, translation ) },
	                     { "pose_b", format( "f8", 12 ), offsetof( T, pose_b ) },
	                     { "relation", format( "i4" ), offsetof( T, relation ) },
	                     { "proof", format( "i4" ), offsetof( T, proof ) },
	                     { "reached", format( "?" ), offsetof( T, reached ) },
	                     { "status", format( "i4" ), offsetof( T, status ) } },
	                   sizeof( T ) );
}

// ------------------------------------------------------------------------------------------------
// Queries

dbvh_local_depth_query local_depth_query( double allowed_depth, double relative_width, bool verdict_only ) {
	dbvh_local_depth_query query = dbvh_local_depth_query_default();
	query.allowed_depth = allowed_depth;
	query.relative_width = relative_width;
	query.verdict_only = verdict_only;
	return query;
}

dbvh_local_depth_result local_depth( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a,
                                     double allowed_depth, double relative_width, bool verdict_only,
                                     uint64_t max_work ) {
	return ask_pair( dbvh_local_depth, { a, b, pose_b, pose_a },
	                 local_depth_query( allowed_depth, relative_width, verdict_only ), max_work );
}

dbvh_penetration_query penetration_query( bool strict, double relative_width ) {
	dbvh_penetration_query query = dbvh_penetration_query_default();
	query.strict = strict;
	query.relative_width = relative_width;
	return query;
}

dbvh_penetration_result penetration_depth( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a,
                                           bool strict, double relative_width, uint64_t max_work ) {
	return ask_pair( dbvh_penetration_depth, { a, b, pose_b, pose_a }, penetration_query( strict, relative_width ),
	                 max_work );
}

dbvh_penetration_along_result penetration_along( const tree &a, const tree &b, nb::handle direction, nb::handle pose_b,
                                                 nb::handle pose_a, double relative_width, uint64_t max_work ) {
	const posed_pair pair( a, b, pose_b, pose_a );
	const vector3 along( direction, "direction" );
	return ask_one<dbvh_penetration_along_result>( penetration_query( false, relative_width ), max_work,
	                                               [&]( const dbvh_penetration_query &q, dbvh_workspace *workspace,
	                                                    dbvh_penetration_along_result *result, dbvh_error *error ) {
		                                               return dbvh_penetration_along(
		                                                   pair.a.tree, pair.a.pose.get(), pair.b.tree,
		                                                   pair.b.pose.get(), along.x, &q, workspace, result, error );
	                                               } );
}

dbvh_overlap_query overlap_query( double relative_width, bool open_holds_nothing ) {
	dbvh_overlap_query query = dbvh_overlap_query_default();
	query.relative_width = relative_width;
	query.open_holds_nothing = open_holds_nothing;
	return query;
}

/// The local depth of the overlap and of each of its components.
void find_depths( const posed_pair &pair, dbvh_overlap *scratch, uint64_t max_work, overlap &found ) {
	interruption interrupted( max_work );
	dbvh_local_depth_query query = local_depth_query( 0.0, 0.0, false );
	query.budget = interrupted.budget();
	found.depths.resize( found.components.size() );
	found.depth.emplace();
	dbvh_overlap_result result;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return dbvh_local_depth_components( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &query,
		                                    scratch, found.depths.data(), found.depths.size(), &result, &*found.depth,
		                                    &error );
	} );
	check( status, error, interrupted );
	found.depths.resize( std::min( found.depths.size(), result.component_count ) );
}

overlap find_overlap( const tree &a, const tree &b, nb::handle pose_b, nb::handle pose_a, bool wants_mesh,
                      bool wants_depth, double relative_width, bool open_holds_nothing, thread_count threads,
                      uint64_t max_work ) {
	const posed_pair pair( a, b, pose_b, pose_a );
	dbvh_overlap *made = nullptr;
	dbvh_error error;
	check( dbvh_overlap_create( nullptr, &made, &error ), error );
	const std::unique_ptr<dbvh_overlap, overlap_deleter> owned( made );
	interruption interrupted( max_work );
	dbvh_overlap_query query = overlap_query( relative_width, open_holds_nothing );
	query.mesh = wants_mesh;
	query.thread_count = threads;
	query.budget = interrupted.budget();
	overlap found;
	const dbvh_status status = without_gil( [&] {
		return dbvh_overlap_find( pair.a.tree, pair.a.pose.get(), pair.b.tree, pair.b.pose.get(), &query, made,
		                          &found.result, &error );
	} );
	check( status, error, interrupted );
	const dbvh_overlap_view view = dbvh_overlap_get( made );
	found.components.assign( view.components, view.components + view.component_count );
	found.has_mesh = wants_mesh && found.result.reason == DBVH_OVERLAP_REASON_DECIDED;
	found.vertices.assign( view.vertices, view.vertices + 3 * view.vertex_count );
	found.indices.assign( view.indices, view.indices + 3 * view.face_count );
	found.sources.assign( view.sources, view.sources + view.face_count );
	if ( wants_depth )
		find_depths( pair, made, max_work, found );
	return found;
}

/// The surface of the overlap as a Mesh; None where it was not asked for, or there is no volume.
std::optional<nb::object> mesh_of( const overlap &o ) {
	if ( !o.has_mesh || o.indices.empty() )
		return std::nullopt;
	const nb::object vertices = copy_to_array( o.vertices, format( "f8" ) ).attr( "reshape" )( -1, 3 );
	const nb::object faces = copy_to_array( o.indices, format( "u4" ) ).attr( "reshape" )( -1, 3 );
	return nb::cast( new mesh( vertices, faces ), nb::rv_policy::take_ownership );
}

/// The body and triangle of each face, n x 2.
nb::object sources_of( const overlap &o ) {
	static_assert( sizeof( dbvh_overlap_source ) == 2 * sizeof( uint32_t ), "two numbers" );
	return copy_to_array( reinterpret_cast<const uint32_t *>( o.sources.data() ), 2 * o.sources.size(), format( "u4" ) )
	    .attr( "reshape" )( -1, 2 );
}

std::vector<dbvh_interval> centroid_of( const overlap &o ) {
	return { o.result.measure.centroid, o.result.measure.centroid + 3 };
}

/// The box round the overlap, its corners rounded outwards; None where there is none.
std::optional<std::pair<array3, array3>> bounds_of( const overlap &o ) {
	if ( o.components.empty() )
		return std::nullopt;
	const dbvh_interval *low = o.result.measure.box_min, *high = o.result.measure.box_max;
	return std::pair( array3{ { low[0].lower, low[1].lower, low[2].lower } },
	                  array3{ { high[0].upper, high[1].upper, high[2].upper } } );
}

// ------------------------------------------------------------------------------------------------
// Classes

std::string interval_text( const dbvh_interval &x ) {
	return x.lower == x.upper ? number_text( x.lower )
	                          : "[" + number_text( x.lower ) + ", " + number_text( x.upper ) + "]";
}

void bind_interval( nb::module_ &m ) {
	using I = dbvh_interval;
	nb::class_<I>( m, "Interval", R"(A number that is known within bounds: lower <= truth <= upper, certified.

float() is the middle; x in interval, and comparisons with numbers, are about the bounds: interval <= 0.05 is True where
the truth certainly is.)" )
	    .def( nb::init<double, double>(), nb::arg( "lower" ), nb::arg( "upper" ) )
	    .def_ro( "lower", &I::lower )
	    .def_ro( "upper", &I::upper )
	    .def_prop_ro( "width", []( const I &x ) { return x.upper - x.lower; } )
	    .def( "__float__", []( const I &x ) { return 0.5 * x.lower + 0.5 * x.upper; } )
	    .def( "__contains__", []( const I &x, double value ) { return x.lower <= value && value <= x.upper; } )
	    .def( "__le__", []( const I &x, double value ) { return x.upper <= value; } )
	    .def( "__lt__", []( const I &x, double value ) { return x.upper < value; } )
	    .def( "__ge__", []( const I &x, double value ) { return x.lower >= value; } )
	    .def( "__gt__", []( const I &x, double value ) { return x.lower > value; } )
	    .def(
	        "__eq__",
	        []( const I &x, nb::handle other ) {
		        I y;
		        return nb::try_cast( other, y ) && x.lower == y.lower && x.upper == y.upper;
	        },
	        nb::sig( "def __eq__(self, other: object, /) -> bool" ) )
	    .def( "__hash__", []( const I &x ) { return nb::hash( nb::make_tuple( x.lower, x.upper ) ); } )
	    .def( "__repr__", []( const I &x ) {
		    return "dualbvh.Interval(" + number_text( x.lower ) + ", " + number_text( x.upper ) + ")";
	    } );
	bind_state<I>( m, "Interval" );
}

void bind_enums( nb::module_ &m ) {
	nb::enum_<dbvh_overlap_kind>( m, "OverlapKind", "The kind of an overlap, as IfcClash names them.",
	                              nb::is_arithmetic() )
	    .value( "NONE", DBVH_OVERLAP_KIND_NONE, "no common point" )
	    .value( "TOUCHING", DBVH_OVERLAP_KIND_TOUCHING, "no common volume" )
	    .value( "PROTRUSION", DBVH_OVERLAP_KIND_PROTRUSION, "one body enters the other and does not come out" )
	    .value( "A_PIERCES_B", DBVH_OVERLAP_KIND_A_PIERCES_B, "A enters B and leaves it elsewhere" )
	    .value( "B_PIERCES_A", DBVH_OVERLAP_KIND_B_PIERCES_A )
	    .value( "MUTUAL", DBVH_OVERLAP_KIND_MUTUAL, "each pierces the other" )
	    .value( "A_IN_B", DBVH_OVERLAP_KIND_A_IN_B, "envelope" )
	    .value( "B_IN_A", DBVH_OVERLAP_KIND_B_IN_A )
	    .value( "DUPLICATE", DBVH_OVERLAP_KIND_DUPLICATE )
	    .value( "UNDECIDED", DBVH_OVERLAP_KIND_UNDECIDED, "`reason` says why" );
	nb::enum_<dbvh_overlap_reason>( m, "OverlapReason", "The reason why an overlap is not decided.",
	                                nb::is_arithmetic() )
	    .value( "DECIDED", DBVH_OVERLAP_REASON_DECIDED )
	    .value( "OPEN", DBVH_OVERLAP_REASON_OPEN )
	    .value( "SELF_INTERSECTION", DBVH_OVERLAP_REASON_SELF_INTERSECTION )
	    .value( "BUDGET", DBVH_OVERLAP_REASON_BUDGET )
	    .value( "ARITHMETIC", DBVH_OVERLAP_REASON_ARITHMETIC );
	nb::enum_<dbvh_fit_verdict>( m, "FitVerdict", "Whether an overlap is within the depth that a fit allows.",
	                             nb::is_arithmetic() )
	    .value( "NONE", DBVH_FIT_VERDICT_NONE, "there is no overlap" )
	    .value( "FIT", DBVH_FIT_VERDICT_FIT )
	    .value( "CLASH", DBVH_FIT_VERDICT_CLASH )
	    .value( "UNDECIDED", DBVH_FIT_VERDICT_UNDECIDED );
	nb::enum_<dbvh_depth_proof>( m, "DepthProof", "What proved the lower end of a penetration depth.",
	                             nb::is_arithmetic() )
	    .value( "NONE", DBVH_DEPTH_PROOF_NONE, "it is 0" )
	    .value( "DISJOINT", DBVH_DEPTH_PROOF_DISJOINT, "the interiors are disjoint" )
	    .value( "CONVEX", DBVH_DEPTH_PROOF_CONVEX, "both meshes are convex" )
	    .value( "BALLS", DBVH_DEPTH_PROOF_BALLS );
}

using overlap_state =
    std::tuple<byte_state, byte_state, byte_state, byte_state, byte_state, bool, byte_state, byte_state>;

overlap_state get_state( const overlap &o ) {
	return { to_state( &o.result, 1 ),
	         to_state( o.components ),
	         to_state( o.vertices ),
	         to_state( o.indices ),
	         to_state( o.sources ),
	         o.has_mesh,
	         to_state( o.depth ? &*o.depth : nullptr, o.depth ? 1 : 0 ),
	         to_state( o.depths ) };
}

void set_state( overlap *self, const overlap_state &state ) {
	const auto &[result, components, vertices, indices, sources, has_mesh, depth, depths] = state;
	overlap made;
	made.result = from_state<dbvh_overlap_result>( result ).at( 0 );
	made.components = from_state<dbvh_overlap_component>( components );
	made.vertices = from_state<double>( vertices );
	made.indices = from_state<uint32_t>( indices );
	made.sources = from_state<dbvh_overlap_source>( sources );
	made.has_mesh = has_mesh;
	const auto measured = from_state<dbvh_local_depth_result>( depth );
	if ( !measured.empty() )
		made.depth = measured[0];
	made.depths = from_state<dbvh_component_depth>( depths );
	new ( self ) overlap( std::move( made ) );
}

std::string describe( const overlap &o ) {
	std::string text = std::string( "<dualbvh.Overlap: " ) + dbvh_overlap_kind_name( o.result.kind );
	if ( o.result.reason != DBVH_OVERLAP_REASON_DECIDED )
		text += std::string( ", " ) + dbvh_overlap_reason_name( o.result.reason );
	else if ( !o.components.empty() )
		text += ", volume " + number_text( 0.5 * o.result.measure.volume.lower + 0.5 * o.result.measure.volume.upper );
	if ( o.depth && o.depth->least.upper > 0.0 )
		text += ", depth " + interval_text( o.depth->least );
	return text + ">";
}

void bind_overlap_class( nb::module_ &m, const nb::object &component, const nb::object &depth ) {
	nb::class_<overlap>( m, "Overlap", nb::is_weak_referenceable(),
	                     "What two bodies have in common. Places are in the frame of A; measures are certified." )
	    .def_prop_ro(
	        "volume", []( const overlap &o ) { return o.result.measure.volume; },
	        "An Interval; of what is not decided, from 0 to an upper bound." )
	    .def_prop_ro( "area", []( const overlap &o ) { return o.result.measure.area; } )
	    .def_prop_ro( "centroid", centroid_of, "Three Intervals." )
	    .def_prop_ro( "bounds", bounds_of, "Its box, lower and upper corner; None where there is no volume." )
	    .def_prop_ro( "kind", []( const overlap &o ) { return o.result.kind; } )
	    .def_prop_ro( "reason", []( const overlap &o ) { return o.result.reason; } )
	    .def_prop_ro(
	        "place",
	        []( const overlap &o ) { return std::tuple( o.result.body, o.result.triangle, o.result.other_triangle ); },
	        "Where `reason` is OPEN or SELF_INTERSECTION: the body (0: A, 1: B), a triangle, and the other triangle." )
	    .def_prop_ro(
	        "components",
	        [component = nb::borrow( component )]( const overlap &o ) {
		        return copy_to_array( o.components, component );
	        },
	        nb::sig( "def components(self) -> Records" ),
	        "One record a connected part: volume, area, centroid, box_min, box_max (lower and upper ends), kind "
	        "(OverlapKind),\npatches_a, patches_b, loops, shells, point, and its faces: first_face, face_count." )
	    .def_prop_ro(
	        "depths", [depth = nb::borrow( depth )]( const overlap &o ) { return copy_to_array( o.depths, depth ); },
	        nb::sig( "def depths(self) -> Records" ),
	        "The local depth of each component, a record each: a_in_b and b_in_a (depth, deepest, nearest, "
	        "direction), least,\nnormal (the contact normal, from A to B), verdict, reached. Empty where depth=False." )
	    .def_prop_ro( "mesh", mesh_of, nb::sig( "def mesh(self) -> Mesh | None" ),
	                  "Its closed surface; None where mesh=False, or there is no volume." )
	    .def_prop_ro( "sources", sources_of, nb::sig( "def sources(self) -> NDArray[np.uint32]" ),
	                  "For each face of the mesh the body (0: A, 1: B) and the triangle that it lies on, n x 2." )
	    .def_prop_ro(
	        "local_depth", []( const overlap &o ) { return o.depth; },
	        "What local_depth() says; None where depth=False." )
	    .def_prop_ro(
	        "depth",
	        []( const overlap &o ) { return o.depth ? std::optional<dbvh_interval>( o.depth->least ) : std::nullopt; },
	        "How deep material is in material, the smaller one of both sides; None where depth=False." )
	    .def(
	        "__bool__", []( const overlap &o ) { return o.result.measure.volume.lower > 0.0; },
	        "Is there certainly a common volume?" )
	    .def( "__getstate__", get_state, nb::sig( "def __getstate__(self) -> tuple[Any, ...]" ) )
	    .def( "__setstate__", set_state, nb::arg( "state" ),
	          nb::sig( "def __setstate__(self, state: tuple[Any, ...]) -> None" ) )
	    .def( "__repr__", describe );
}

void bind_depth_classes( nb::module_ &m ) {
	using S = dbvh_local_depth_side;
	nb::class_<S>( m, "DepthSide",
	               "How deep common points lie below the surface of one body. Places in the frame of A." )
	    .def_ro( "depth", &S::depth )
	    .def_prop_ro( "deepest", []( const S &s ) { return to_array( s.deepest ); } )
	    .def_prop_ro(
	        "nearest", []( const S &s ) { return to_array( s.nearest ); }, "The point of the surface nearest to it." )
	    .def_prop_ro( "direction", []( const S &s ) { return to_array( s.direction ); } )
	    .def( "__repr__", []( const S &s ) { return "<dualbvh.DepthSide: " + interval_text( s.depth ) + ">"; } );
	bind_state<S>( m, "DepthSide" );
	using L = dbvh_local_depth_result;
	nb::class_<L>( m, "LocalDepth", "How deep two bodies are in each other." )
	    .def_ro( "least", &L::least, "The smaller one of both sides, which a fit tolerates." )
	    .def_ro( "a_in_b", &L::a_in_b, "Below the surface of B." )
	    .def_ro( "b_in_a", &L::b_in_a, "Below the surface of A." )
	    .def_ro( "verdict", &L::verdict, "Whether `least` is within allowed_depth." )
	    .def_ro( "relation", &L::relation )
	    .def_ro( "undecided", &L::undecided, "The mesh that is open: the intervals are infinite." )
	    .def_ro( "reached", &L::reached, "The intervals are as narrow as was asked for." )
	    .def( "__float__", []( const L &l ) { return 0.5 * l.least.lower + 0.5 * l.least.upper; } )
	    .def( "__repr__", []( const L &l ) {
		    return "<dualbvh.LocalDepth: " + interval_text( l.least ) + ", " + dbvh_fit_verdict_name( l.verdict ) + ">";
	    } );
	bind_state<L>( m, "LocalDepth" );
	using P = dbvh_penetration_result;
	nb::class_<P>( m, "PenetrationDepth", "The least translation of B after which the interiors are disjoint." )
	    .def_ro( "depth", &P::depth )
	    .def_prop_ro(
	        "translation", []( const P &p ) { return to_array( p.translation ); },
	        "A translation of B that is enough, in the frame of A, as long as depth.upper." )
	    .def_prop_ro(
	        "pose_b", []( const P &p ) { return pose_to_array( p.pose_b ); },
	        nb::sig( "def pose_b(self) -> NDArray[np.float64]" ), "B's pose after it, 3 x 4." )
	    .def_ro( "relation", &P::relation )
	    .def_ro( "proof", &P::proof )
	    .def_ro( "reached", &P::reached )
	    .def( "__float__", []( const P &p ) { return 0.5 * p.depth.lower + 0.5 * p.depth.upper; } )
	    .def( "__repr__", []( const P &p ) {
		    return "<dualbvh.PenetrationDepth: " + interval_text( p.depth ) + ", by " + point_text( p.translation ) +
		           ">";
	    } );
	bind_state<P>( m, "PenetrationDepth" );
	using A = dbvh_penetration_along_result;
	nb::class_<A>( m, "PenetrationAlong", "How far B has to be moved along a direction." )
	    .def_ro( "first_free", &A::first_free )
	    .def_ro( "free_for_good", &A::free_for_good )
	    .def_ro( "relation", &A::relation )
	    .def_ro( "undecided", &A::undecided )
	    .def( "__repr__", []( const A &a ) {
		    return "<dualbvh.PenetrationAlong: first free " + interval_text( a.first_free ) + ", for good " +
		           interval_text( a.free_for_good ) + ">";
	    } );
	bind_state<A>( m, "PenetrationAlong" );
}

} // namespace

void bind_overlap( nb::module_ &m ) {
	bind_interval( m );
	bind_enums( m );
	bind_depth_classes( m );
	const nb::object component = component_dtype(), overlaps = overlap_dtype(), local = local_depth_dtype(),
	                 penetration = penetration_dtype(), component_depth = component_depth_dtype();
	m.attr( "COMPONENT_DEPTH_DTYPE" ) = component_depth;
	m.attr( "OVERLAP_COMPONENT_DTYPE" ) = component;
	m.attr( "OVERLAP_DTYPE" ) = overlaps;
	m.attr( "LOCAL_DEPTH_DTYPE" ) = local;
	m.attr( "PENETRATION_DTYPE" ) = penetration;
	bind_overlap_class( m, component, component_depth );
	m.def(
	    "overlap", find_overlap, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	    nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "mesh" ) = true, nb::arg( "depth" ) = true,
	    nb::arg( "relative_width" ) = 0.0, nb::arg( "open_holds_nothing" ) = false, nb::arg( "threads" ) = 1,
	    nb::arg( "max_work" ) = 0,
	    nb::sig( "def overlap(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	             "mesh: bool = True, depth: bool = True, relative_width: float = 0.0, open_holds_nothing: bool = "
	             "False, threads: int = 1, max_work: int = 0) -> Overlap" ),
	    R"(How much and how deep do A and B overlap? Volume, area, kind, connected parts, depth, and the overlap as a mesh.

mesh                make the closed surface of the overlap, too
depth               find the local depth, too, which takes several times as long
relative_width      wanted width of the volume; 0: 1e-9
open_holds_nothing  open surfaces (sheet metal) hold nothing

Touching bodies have volume 0. Where a mesh is open, or passes through itself, `reason` says so, and the volume is an
interval from 0. Raises what collide() raises, and NoTopology for a tree without.)" );
	m.def(
	    "overlap_batch",
	    [overlaps]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, double relative_width,
	                bool open_holds_nothing, thread_count threads, uint64_t max_work, uint64_t max_total,
	                const std::string &errors ) {
		    return ask_pair_batch( dbvh_overlap_batch, { a, b, poses_b, pose_a },
		                           overlap_query( relative_width, open_holds_nothing ),
		                           { threads, max_work, max_total, errors }, overlaps );
	    },
	    nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "relative_width" ) = 0.0, nb::arg( "open_holds_nothing" ) = false, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def overlap_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	             "relative_width: float = 0.0, open_holds_nothing: bool = False, threads: int = 0, max_work: int = 0, "
	             "max_total: int = 0, errors: OnError = 'raise') -> Records" ),
	    "The volume of the overlap with B at each of n poses; poses_b, threads and errors as of collide_batch(). "
	    "Returns n records\nof OVERLAP_DTYPE; intervals are two numbers, lower and upper." );
	m.def(
	    "local_depth", local_depth, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	    nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "allowed_depth" ) = 0.0,
	    nb::arg( "relative_width" ) = 0.0, nb::arg( "verdict_only" ) = false, nb::arg( "max_work" ) = 0,
	    nb::sig( "def local_depth(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = None, *, "
	             "allowed_depth: float = 0.0, relative_width: float = 0.0, verdict_only: bool = False, max_work: int = "
	             "0) -> LocalDepth" ),
	    R"(How deep is the deepest common point below the surface of B, and of A? And is that a fit?

allowed_depth   the smaller side may be so deep: a fit, and no clash
relative_width  wanted width of both sides; 0: 1e-3
verdict_only    only the verdict counts: several times as fast, with wider intervals
max_work        steps after which the intervals stay as wide as they are; 0: 20 million, about a second

Raises what collide() raises, and NoTopology for a tree without.)" );
	m.def(
	    "local_depth_batch",
	    [local]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, double allowed_depth,
	             double relative_width, bool verdict_only, thread_count threads, uint64_t max_work, uint64_t max_total,
	             const std::string &errors ) {
		    return ask_pair_batch( dbvh_local_depth_batch, { a, b, poses_b, pose_a },
		                           local_depth_query( allowed_depth, relative_width, verdict_only ),
		                           { threads, max_work, max_total, errors }, local );
	    },
	    nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "allowed_depth" ) = 0.0, nb::arg( "relative_width" ) = 0.0, nb::arg( "verdict_only" ) = false,
	    nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def local_depth_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	             "allowed_depth: float = 0.0, relative_width: float = 0.0, verdict_only: bool = False, threads: int = "
	             "0, max_work: int = 0, max_total: int = 0, errors: OnError = 'raise') -> Records" ),
	    "local_depth() with B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n records "
	    "of\nLOCAL_DEPTH_DTYPE." );
	m.def(
	    "penetration_depth", penetration_depth, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "pose_b" ) = nb::none(),
	    nb::arg( "pose_a" ) = nb::none(), nb::kw_only(), nb::arg( "strict" ) = false, nb::arg( "relative_width" ) = 0.0,
	    nb::arg( "max_work" ) = 0,
	    nb::sig( "def penetration_depth(a: Tree, b: Tree, pose_b: PoseLike | None = None, pose_a: PoseLike | None = "
	             "None, *, strict: bool = False, relative_width: float = 0.0, max_work: int = 0) -> PenetrationDepth" ),
	    R"(The least translation of B after which the interiors are disjoint, as a certified interval, and one that is enough.

strict          after it nothing touches
relative_width  wanted width; 0: 1 %
max_work        steps after which the interval stays as wide as it is; 0: 20 million, about a second

Raises what collide() raises, NoTopology for a tree without, and OpenMesh.)" );
	m.def(
	    "penetration_depth_batch",
	    [penetration]( const tree &a, const tree &b, nb::handle poses_b, nb::handle pose_a, bool strict,
	                   double relative_width, thread_count threads, uint64_t max_work, uint64_t max_total,
	                   const std::string &errors ) {
		    return ask_pair_batch( dbvh_penetration_depth_batch, { a, b, poses_b, pose_a },
		                           penetration_query( strict, relative_width ),
		                           { threads, max_work, max_total, errors }, penetration );
	    },
	    nb::arg( "a" ), nb::arg( "b" ), nb::arg( "poses_b" ), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "strict" ) = false, nb::arg( "relative_width" ) = 0.0, nb::arg( "threads" ) = 0,
	    nb::arg( "max_work" ) = 0, nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def penetration_depth_batch(a: Tree, b: Tree, poses_b: PosesLike, pose_a: PoseLike | None = None, *, "
	             "strict: bool = False, relative_width: float = 0.0, threads: int = 0, max_work: int = 0, max_total: "
	             "int = 0, errors: OnError = 'raise') -> Records" ),
	    "penetration_depth() with B at each of n poses; poses_b, threads and errors as of collide_batch(). Returns n "
	    "records of\nPENETRATION_DTYPE." );
	m.def(
	    "penetration_along", penetration_along, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "direction" ),
	    nb::arg( "pose_b" ) = nb::none(), nb::arg( "pose_a" ) = nb::none(), nb::kw_only(),
	    nb::arg( "relative_width" ) = 0.0, nb::arg( "max_work" ) = 0,
	    nb::sig( "def penetration_along(a: Tree, b: Tree, direction: ArrayLike, pose_b: PoseLike | None = None, "
	             "pose_a: PoseLike | None = None, *, relative_width: float = 0.0, max_work: int = 0) -> "
	             "PenetrationAlong" ),
	    "How far has B to be moved along a direction, in the frame of A, until it is free for the first time, and for "
	    "good?" );
}

} // namespace dualbvh_python
