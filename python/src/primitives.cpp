// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/primitives.h"

#include "dualbvh/collide.h"
#include "dualbvh/distance.h"
#include "dualbvh/ellipsoid.h"
#include "dualbvh/fit.h"
#include "dualbvh/self.h"
#include "objects.h"
#include "primitives.h"
#include "records.h"
#include "state.h"

#include <type_traits>

namespace dualbvh_python {

namespace {

// Each query is a set of overloads, one for each pair of kinds; a pair that has none in either order is refused.

#define PAIR( a_kind, b_kind, function, result )                                                                       \
	dbvh_status operator()( const dbvh_##a_kind &a, const dbvh_##b_kind &b, result *out ) const {                      \
		return function( &a, &b, out );                                                                                \
	}

struct intersect_question {
	static constexpr const char *name = "intersect";
#define INTERSECT( a, b ) PAIR( a, b, dbvh_##a##_##b##_intersect, bool )
	INTERSECT( sphere, sphere )
	INTERSECT( sphere, aabb )
	INTERSECT( sphere, obb )
	INTERSECT( sphere, capsule )
	INTERSECT( sphere, triangle )
	INTERSECT( aabb, aabb )
	INTERSECT( aabb, obb )
	INTERSECT( obb, obb )
	INTERSECT( capsule, capsule )
	INTERSECT( capsule, triangle )
	INTERSECT( capsule, aabb )
	INTERSECT( capsule, obb )
	INTERSECT( triangle, aabb )
	INTERSECT( triangle, obb )
	INTERSECT( segment, sphere )
	INTERSECT( segment, aabb )
	INTERSECT( segment, obb )
	INTERSECT( segment, triangle )
	INTERSECT( ellipsoid, ellipsoid )
	INTERSECT( ellipsoid, sphere )
	INTERSECT( ellipsoid, aabb )
#undef INTERSECT
	dbvh_status operator()( const dbvh_ellipsoid &a, const dbvh_obb &b, bool *out ) const {
		return dbvh_ellipsoid_obb_intersect( &a, &b, DBVH_ELLIPSOID_METHOD_DESCENT, out );
	}
	dbvh_status operator()( const dbvh_triangle &a, const dbvh_triangle &b, bool *out ) const {
		return dbvh_triangles_intersect( &a, &b, nullptr, out, nullptr );
	}
#define ON_PLANE( kind )                                                                                               \
	dbvh_status operator()( const dbvh_##kind &a, const dbvh_plane &b, bool *out ) const {                             \
		dbvh_plane_distance distance;                                                                                  \
		const dbvh_status status = dbvh_##kind##_plane_distance( &a, &b, &distance );                                  \
		*out = status == DBVH_OK && distance.side == 0;                                                                \
		return status;                                                                                                 \
	}
	ON_PLANE( sphere )
	ON_PLANE( aabb )
	ON_PLANE( obb )
	ON_PLANE( capsule )
	ON_PLANE( triangle )
#undef ON_PLANE
};

struct signed_distance_question {
	static constexpr const char *name = "signed_distance";
#define SIGNED( a, b ) PAIR( a, b, dbvh_##a##_##b##_signed_distance, dbvh_signed_distance )
	SIGNED( sphere, sphere )
	SIGNED( sphere, aabb )
	SIGNED( sphere, obb )
	SIGNED( sphere, capsule )
	SIGNED( sphere, triangle )
	SIGNED( sphere, plane )
	SIGNED( aabb, aabb )
	SIGNED( aabb, obb )
	SIGNED( obb, obb )
	SIGNED( capsule, capsule )
	SIGNED( capsule, triangle )
	SIGNED( capsule, aabb )
	SIGNED( capsule, obb )
#undef SIGNED
};

struct distance_question {
	static constexpr const char *name = "distance";
	PAIR( capsule, triangle, dbvh_capsule_triangle_distance, double )
	PAIR( capsule, aabb, dbvh_capsule_aabb_distance, double )
	PAIR( capsule, obb, dbvh_capsule_obb_distance, double )
	PAIR( triangle, aabb, dbvh_triangle_aabb_distance, double )
	PAIR( triangle, obb, dbvh_triangle_obb_distance, double )
	dbvh_status operator()( const dbvh_triangle &a, const dbvh_triangle &b, double *out ) const {
		dbvh_triangles_distance_result result;
		const dbvh_status status = dbvh_triangles_distance( &a, &b, nullptr, &result, nullptr );
		*out = result.distance;
		return status;
	}
#define DISTANCE( a_kind, b_kind )                                                                                     \
	dbvh_status operator()( const dbvh_##a_kind &a, const dbvh_##b_kind &b, double *out ) const {                      \
		dbvh_signed_distance result;                                                                                   \
		const dbvh_status status = dbvh_##a_kind##_##b_kind##_signed_distance( &a, &b, &result );                      \
		*out = result.distance;                                                                                        \
		return status;                                                                                                 \
	}
	DISTANCE( sphere, sphere )
	DISTANCE( sphere, aabb )
	DISTANCE( sphere, obb )
	DISTANCE( sphere, capsule )
	DISTANCE( sphere, triangle )
	DISTANCE( sphere, plane )
	DISTANCE( aabb, aabb )
	DISTANCE( aabb, obb )
	DISTANCE( obb, obb )
	DISTANCE( capsule, capsule )
#undef DISTANCE
};

struct plane_distance_question {
	static constexpr const char *name = "plane_distance";
#define PLANE( kind ) PAIR( kind, plane, dbvh_##kind##_plane_distance, dbvh_plane_distance )
	PLANE( sphere )
	PLANE( aabb )
	PLANE( obb )
	PLANE( capsule )
	PLANE( triangle )
#undef PLANE
};

/// The hit of a segment or a ray on a shape; `exit` is NaN for a triangle.
struct line_hit {
	bool intersects, inside;
	double enter, exit;
	double point[3];
};

struct hit_question {
	static constexpr const char *name = "hit";
#define INTERVAL( line, kind )                                                                                         \
	dbvh_status operator()( const dbvh_##line &a, const dbvh_##kind &b, line_hit *out ) const {                        \
		dbvh_hit_interval hit;                                                                                         \
		const dbvh_status status = dbvh_##line##_##kind##_hit( &a, &b, &hit );                                         \
		*out = { hit.intersects, hit.inside, hit.enter, hit.exit, { hit.point[0], hit.point[1], hit.point[2] } };      \
		return status;                                                                                                 \
	}
	INTERVAL( segment, sphere )
	INTERVAL( ray, sphere )
	INTERVAL( segment, aabb )
	INTERVAL( ray, aabb )
	INTERVAL( segment, obb )
	INTERVAL( ray, obb )
	INTERVAL( segment, plane )
	INTERVAL( ray, plane )
#undef INTERVAL
#define FIRST( line )                                                                                                  \
	dbvh_status operator()( const dbvh_##line &a, const dbvh_triangle &b, line_hit *out ) const {                      \
		dbvh_hit hit;                                                                                                  \
		const dbvh_status status = dbvh_##line##_triangle_hit( &a, &b, &hit );                                         \
		*out = { hit.intersects, false, hit.t, hit.t, { hit.point[0], hit.point[1], hit.point[2] } };                  \
		return status;                                                                                                 \
	}
	FIRST( segment )
	FIRST( ray )
#undef FIRST
};

#undef PAIR

/// Swaps the roles of A and B in an answer.
void turn_round( bool * ) {}
void turn_round( double * ) {}
void turn_round( dbvh_plane_distance * ) {}
void turn_round( line_hit * ) {}
void turn_round( dbvh_signed_distance *s ) {
	for ( int i = 0; i < 3; ++i ) {
		std::swap( s->point_a[i], s->point_b[i] );
		s->normal[i] = -s->normal[i];
	}
}

/// Calls the function for a pair of kinds, in the order of arguments that it has.
template <class Question, class A, class B, class Answer> dbvh_status ask( const A &a, const B &b, Answer *out ) {
	constexpr Question question;
	if constexpr ( std::is_invocable_v<Question, A, B, Answer *> )
		return question( a, b, out );
	else {
		const dbvh_status status = question( b, a, out );
		turn_round( out );
		return status;
	}
}

template <class Question, class Answer, class A, class B>
constexpr bool has_answer =
    std::is_invocable_v<Question, A, B, Answer *> || std::is_invocable_v<Question, B, A, Answer *>;

template <class Question, class Answer> Answer answer( nb::handle a, nb::handle b ) {
	return std::visit(
	    []( const auto &x, const auto &y ) -> Answer {
		    using A = std::decay_t<decltype( x )>;
		    using B = std::decay_t<decltype( y )>;
		    if constexpr ( has_answer<Question, Answer, A, B> ) {
			    Answer out;
			    check( ask<Question>( x, y, &out ) );
			    return out;
		    } else
			    refuse<A, B>( Question::name );
	    },
	    shape_of( a, "a" ), shape_of( b, "b" ) );
}

// ------------------------------------------------------------------------------------------------
// Many at once

/// Calls the library's own batch of a query where there is one: the overloads below.
struct no_batch {};

template <class Question> struct own_batch { no_batch operator()( ... ) const; };

#define BATCH( a_kind, b_kind, function, result )                                                                      \
	dbvh_status operator()( const std::vector<dbvh_##a_kind> &a, const std::vector<dbvh_##b_kind> &b, result *out,     \
	                        dbvh_error *error ) const {                                                                \
		const columns of_a( a ), of_b( b );                                                                            \
		const auto x = of_a.as<dbvh_##a_kind##_array>();                                                               \
		const auto y = of_b.as<dbvh_##b_kind##_array>();                                                               \
		return function( &x, &y, out, error );                                                                         \
	}

template <> struct own_batch<intersect_question> {
#define INTERSECT( a, b ) BATCH( a, b, dbvh_##a##_##b##_intersect_batch, uint8_t )
	INTERSECT( sphere, sphere )
	INTERSECT( sphere, aabb )
	INTERSECT( aabb, aabb )
	INTERSECT( obb, obb )
	INTERSECT( sphere, triangle )
	INTERSECT( capsule, capsule )
	INTERSECT( segment, sphere )
	INTERSECT( segment, aabb )
	INTERSECT( capsule, obb )
#undef INTERSECT
	dbvh_status operator()( const std::vector<dbvh_ellipsoid> &a, const std::vector<dbvh_obb> &b, uint8_t *out,
	                        dbvh_error *error ) const {
		if ( a.size() != 1 ) {
			for ( size_t i = 0; i < a.size(); ++i ) {
				bool one;
				const dbvh_status status = dbvh_ellipsoid_obb_intersect( &a[i], &b[b.size() == 1 ? 0 : i],
				                                                         DBVH_ELLIPSOID_METHOD_DESCENT, &one );
				out[i] = one;
				if ( status != DBVH_OK ) {
					error->status = status;
					error->element = (int64_t)i;
					return status;
				}
			}
			return DBVH_OK;
		}
		dbvh_obb_pack *pack = nullptr;
		dbvh_status status = dbvh_obb_pack_create( b.data(), b.size(), nullptr, &pack, error );
		if ( status == DBVH_OK )
			status = dbvh_ellipsoid_obb_intersect_batch( &a[0], pack, out, error );
		dbvh_obb_pack_destroy( pack );
		return status;
	}
};

template <> struct own_batch<distance_question> {
	BATCH( sphere, sphere, dbvh_sphere_sphere_distance_batch, double )
	BATCH( sphere, aabb, dbvh_sphere_aabb_distance_batch, double )
	BATCH( sphere, triangle, dbvh_sphere_triangle_distance_batch, double )
	BATCH( capsule, capsule, dbvh_capsule_capsule_distance_batch, double )
};

#undef BATCH

/// Calls the single function in a loop, where the library has no batch. `Out` is the array's element for an Answer.
template <class Question, class Answer, class A, class B, class Out>
dbvh_status ask_in_turn( const std::vector<A> &a, const std::vector<B> &b, size_t count, Out *out, dbvh_error *error ) {
	dbvh_status first = DBVH_OK;
	for ( size_t i = 0; i < count; ++i ) {
		Answer one;
		const dbvh_status status = ask<Question>( a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i], &one );
		out[i] = status == DBVH_OK ? Out( one ) : Out{};
		if ( status != DBVH_OK && first == DBVH_OK ) {
			first = status;
			*error = { status, 0, -1, (int64_t)i, "" };
		}
	}
	return first;
}

template <class Question, class Answer, class Out> nb::object answers( nb::handle a, nb::handle b, nb::handle dtype ) {
	return std::visit(
	    [&]( const auto &x, const auto &y ) -> nb::object {
		    using A = typename std::decay_t<decltype( x )>::value_type;
		    using B = typename std::decay_t<decltype( y )>::value_type;
		    if constexpr ( has_answer<Question, Answer, A, B> ) {
			    const size_t count = pair_count( x.size(), y.size() );
			    new_array results( count, dtype );
			    Out *out = results.data<Out>();
			    dbvh_error error = { DBVH_OK, 0, -1, -1, "" };
			    const dbvh_status status = without_gil( [&] {
				    if ( count == 0 )
					    return DBVH_OK;
				    using Batch = own_batch<Question>;
				    if constexpr ( std::is_invocable_r_v<dbvh_status, Batch, decltype( x ), decltype( y ), Out *,
				                                         dbvh_error *> )
					    return Batch()( x, y, out, &error );
				    else if constexpr ( std::is_invocable_r_v<dbvh_status, Batch, decltype( y ), decltype( x ), Out *,
				                                              dbvh_error *> )
					    return Batch()( y, x, out, &error );
				    else
					    return ask_in_turn<Question, Answer>( x, y, count, out, &error );
			    } );
			    if ( status != DBVH_OK && !error.text[0] )
				    raise( status, dbvh_status_text( status ), error.element );
			    check( status, error );
			    return results.release();
		    } else
			    refuse<A, B>( Question::name );
	    },
	    shapes_of( a, "a" ), shapes_of( b, "b" ) );
}

nb::object signed_distance_dtype() {
	using T = dbvh_signed_distance;
	return make_dtype( { { "distance", format( "f8" ), offsetof( T, distance ) },
	                     { "depth", format( "f8" ), offsetof( T, depth ) },
	                     { "point_a", triple_format(), offsetof( T, point_a ) },
	                     { "point_b", triple_format(), offsetof( T, point_b ) },
	                     { "normal", triple_format(), offsetof( T, normal ) } },
	                   sizeof( T ) );
}

nb::object plane_distance_dtype() {
	using T = dbvh_plane_distance;
	return make_dtype(
	    { { "side", format( "i4" ), offsetof( T, side ) }, { "distance", format( "f8" ), offsetof( T, distance ) } },
	    sizeof( T ) );
}

nb::object line_hit_dtype() {
	using T = line_hit;
	return make_dtype( { { "intersects", format( "?" ), offsetof( T, intersects ) },
	                     { "inside", format( "?" ), offsetof( T, inside ) },
	                     { "enter", format( "f8" ), offsetof( T, enter ) },
	                     { "exit", format( "f8" ), offsetof( T, exit ) },
	                     { "point", triple_format(), offsetof( T, point ) } },
	                   sizeof( T ) );
}

// ------------------------------------------------------------------------------------------------
// Bounds, ellipsoids

dbvh_aabb bounds( nb::handle object ) {
	const any_shape shape = shape_of( object, "shape" );
	dbvh_aabb out;
	if ( const auto *sphere = std::get_if<dbvh_sphere>( &shape ) )
		check( dbvh_sphere_to_aabb( sphere, &out ) );
	else if ( const auto *obb = std::get_if<dbvh_obb>( &shape ) )
		check( dbvh_obb_to_aabb( obb, &out ) );
	else if ( const auto *capsule = std::get_if<dbvh_capsule>( &shape ) )
		check( dbvh_capsule_to_aabb( capsule, &out ) );
	else
		throw nb::type_error( "bounds() takes a Sphere, an Obb or a Capsule" );
	return out;
}

dbvh_ellipsoid fit_ellipsoid( nb::handle points ) {
	const doubles x( points, "points" );
	x.expect( { -1, 3 } );
	dbvh_ellipsoid ellipsoid;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_ellipsoid_fit( x.data(), x.extent( 0 ), nullptr, &ellipsoid, &error ); } );
	check( status, error );
	return ellipsoid;
}

dbvh_sphere fit_sphere( nb::handle points ) {
	const doubles x( points, "points" );
	x.expect( { -1, 3 } );
	dbvh_sphere sphere;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_sphere_fit( x.data(), x.extent( 0 ), nullptr, &sphere, &error ); } );
	check( status, error );
	return sphere;
}

dbvh_obb fit_obb( nb::handle points ) {
	const doubles x( points, "points" );
	x.expect( { -1, 3 } );
	dbvh_obb box;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_obb_fit( x.data(), x.extent( 0 ), nullptr, &box, &error ); } );
	check( status, error );
	return box;
}

void bind_answers( nb::module_ &m ) {
	using S = dbvh_signed_distance;
	nb::class_<S>( m, "SignedDistance", "The distance of two shapes, or the depth of one in the other." )
	    .def_ro( "distance", &S::distance, "0 where they intersect." )
	    .def_ro( "depth", &S::depth, "The length of the shortest translation that leaves the shapes touching only." )
	    .def_prop_ro( "point_a", []( const S &s ) { return to_array( s.point_a ); } )
	    .def_prop_ro( "point_b", []( const S &s ) { return to_array( s.point_b ); } )
	    .def_prop_ro(
	        "normal", []( const S &s ) { return to_array( s.normal ); },
	        "From a to b: moving b by depth * normal ends the overlap." )
	    .def( "__float__", []( const S &s ) { return s.distance > 0 ? s.distance : -s.depth; } )
	    .def( "__repr__", []( const S &s ) {
		    return "<dualbvh.SignedDistance: " +
		           ( s.distance > 0 ? number_text( s.distance ) + " apart" : number_text( s.depth ) + " deep" ) +
		           ", normal " + point_text( s.normal ) + ">";
	    } );
	using H = line_hit;
	nb::class_<H>( m, "Hit", "The hit of a segment or a ray on a shape: t from `enter` to `exit`." )
	    .def_ro( "enter", &H::enter )
	    .def_ro( "exit", &H::exit, "The last t; that of `enter` for a triangle." )
	    .def_ro( "inside", &H::inside, "True if the segment or ray starts inside the shape." )
	    .def_prop_ro(
	        "point", []( const H &h ) { return to_array( h.point ); }, "The point at `enter`." )
	    .def( "__repr__", []( const H &h ) {
		    return "<dualbvh.Hit: t " + number_text( h.enter ) + " to " + number_text( h.exit ) + ", at " +
		           point_text( h.point ) + ">";
	    } );
}

} // namespace

void bind_primitives( nb::module_ &m ) {
	bind_answers( m );
	bind_state<dbvh_signed_distance>( m, "SignedDistance" );
	bind_state<line_hit>( m, "Hit" );
	m.def( "intersect", answer<intersect_question, bool>, nb::arg( "a" ), nb::arg( "b" ),
	       nb::sig( "def intersect(a: Shape, b: Shape) -> bool" ),
	       "Do two shapes have a point in common? Exact, without a tolerance (ellipsoids: to within a stated margin). "
	       "TypeError for a\npair of kinds that there is no test for." );
	m.def(
	    "self_intersect",
	    []( const dbvh_triangle &a, const dbvh_triangle &b ) {
		    bool met;
		    dbvh_error error;
		    check( dbvh_triangles_self_intersect( &a, &b, &met, &error ), error );
		    return met;
	    },
	    nb::arg( "a" ), nb::arg( "b" ),
	    "Do two triangles of one mesh intersect beyond the corners that they share? Exact: what self_collide() "
	    "asks." );
	m.def( "signed_distance", answer<signed_distance_question, dbvh_signed_distance>, nb::arg( "a" ), nb::arg( "b" ),
	       nb::sig( "def signed_distance(a: Shape, b: Shape) -> SignedDistance" ),
	       "The distance of two shapes, or the depth of one in the other." );
	m.def( "shape_distance", answer<distance_question, double>, nb::arg( "a" ), nb::arg( "b" ),
	       nb::sig( "def shape_distance(a: Shape, b: Shape) -> float" ),
	       "The smallest double that is not less than the distance of two shapes; 0 where they intersect." );
	m.def(
	    "plane_distance",
	    []( nb::handle shape, nb::handle plane ) {
		    const auto result = answer<plane_distance_question, dbvh_plane_distance>( shape, plane );
		    return std::pair<int, double>( result.side, result.distance );
	    },
	    nb::arg( "shape" ), nb::arg( "plane" ),
	    nb::sig( "def plane_distance(shape: Shape, plane: Plane) -> tuple[int, float]" ),
	    "On which side of a plane is a shape, 1 above, -1 below, 0 on it; and how far from it, with that sign?" );
	m.def(
	    "hit",
	    []( nb::handle line, nb::handle shape ) -> std::optional<line_hit> {
		    const line_hit result = answer<hit_question, line_hit>( line, shape );
		    return result.intersects ? std::optional<line_hit>( result ) : std::nullopt;
	    },
	    nb::arg( "line" ), nb::arg( "shape" ), nb::sig( "def hit(line: Segment | Ray, shape: Shape) -> Hit | None" ),
	    "The hit of a Segment or a Ray on a Sphere, Aabb, Obb, Plane or Triangle. None: no hit." );
	m.def( "bounds", bounds, nb::arg( "shape" ), nb::sig( "def bounds(shape: Sphere | Obb | Capsule) -> Aabb" ),
	       "The smallest Aabb of doubles that holds the shape." );
	m.def( "fit_sphere", fit_sphere, nb::arg( "points" ), nb::sig( "def fit_sphere(points: ArrayLike) -> Sphere" ),
	       "The smallest ball that encloses n x 3 points. Raises Limit, NotFinite." );
	m.def( "fit_obb", fit_obb, nb::arg( "points" ), nb::sig( "def fit_obb(points: ArrayLike) -> Obb" ),
	       "A tight oriented box that encloses n x 3 points, half extents ascending. Raises Limit, NotFinite." );
	m.def( "fit_ellipsoid", fit_ellipsoid, nb::arg( "points" ),
	       nb::sig( "def fit_ellipsoid(points: ArrayLike) -> Ellipsoid" ),
	       "The ellipsoid of least volume that encloses n x 3 points, to within 1 %. Raises Limit, NotFinite." );

	const nb::object signed_dtype = signed_distance_dtype(), plane_dtype = plane_distance_dtype(),
	                 hit_dtype = line_hit_dtype();
	m.attr( "SIGNED_DISTANCE_DTYPE" ) = signed_dtype;
	m.attr( "PLANE_DISTANCE_DTYPE" ) = plane_dtype;
	m.attr( "HIT_DTYPE" ) = hit_dtype;
	m.def(
	    "intersect_batch",
	    []( nb::handle a, nb::handle b ) { return answers<intersect_question, bool, uint8_t>( a, b, format( "?" ) ); },
	    nb::arg( "a" ), nb::arg( "b" ),
	    nb::sig( "def intersect_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> NDArray[np.bool_]" ),
	    "intersect() of as many pairs as there are shapes: shape i of a and of b, or one of either with each of the "
	    "other." );
	m.def(
	    "shape_distance_batch",
	    []( nb::handle a, nb::handle b ) { return answers<distance_question, double, double>( a, b, format( "f8" ) ); },
	    nb::arg( "a" ), nb::arg( "b" ),
	    nb::sig( "def shape_distance_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> NDArray[np.float64]" ),
	    "shape_distance() for many pairs." );
	m.def(
	    "signed_distance_batch",
	    [signed_dtype]( nb::handle a, nb::handle b ) {
		    return answers<signed_distance_question, dbvh_signed_distance, dbvh_signed_distance>( a, b, signed_dtype );
	    },
	    nb::arg( "a" ), nb::arg( "b" ),
	    nb::sig( "def signed_distance_batch(a: Shape | ShapeArray, b: Shape | ShapeArray) -> Records" ),
	    "signed_distance() for many pairs: records of SIGNED_DISTANCE_DTYPE." );
	m.def(
	    "plane_distance_batch",
	    [plane_dtype]( nb::handle a, nb::handle b ) {
		    return answers<plane_distance_question, dbvh_plane_distance, dbvh_plane_distance>( a, b, plane_dtype );
	    },
	    nb::arg( "shapes" ), nb::arg( "planes" ),
	    nb::sig( "def plane_distance_batch(shapes: Shape | ShapeArray, planes: Plane | ShapeArray) -> Records" ),
	    "plane_distance() for many pairs: records of PLANE_DISTANCE_DTYPE." );
	m.def(
	    "hit_batch",
	    [hit_dtype]( nb::handle a, nb::handle b ) {
		    return answers<hit_question, line_hit, line_hit>( a, b, hit_dtype );
	    },
	    nb::arg( "lines" ), nb::arg( "shapes" ),
	    nb::sig( "def hit_batch(lines: Segment | Ray | ShapeArray, shapes: Shape | ShapeArray) -> Records" ),
	    "hit() for many pairs: records of HIT_DTYPE." );
}

} // namespace dualbvh_python
