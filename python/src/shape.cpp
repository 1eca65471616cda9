// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "shape.h"

#include "dualbvh/primitives.h"
#include "errors.h"
#include "objects.h"
#include "records.h"
#include "state.h"

#include <cstring>
#include <utility>

namespace dualbvh_python {

namespace {

/// A column of shapes: `width` doubles a shape, from an argument.
struct column {
	nb::handle object;
	const char *name;
	size_t width;
};

/// The doubles of one shape in the order of its members, which are nothing but doubles.
template <class Shape> Shape one( std::initializer_list<column> columns ) {
	Shape shape;
	double *out = reinterpret_cast<double *>( &shape );
	for ( const column &c : columns ) {
		const doubles numbers( c.object, c.name );
		if ( c.width == 9 )
			numbers.expect( { 3, 3 } );
		else if ( c.width == 1 )
			numbers.expect( {} );
		else
			numbers.expect( { (long)c.width } );
		std::memcpy( out, numbers.data(), c.width * sizeof *out );
		out += c.width;
	}
	return shape;
}

template <class Shape, size_t... I> shape_array many_of( const column *columns, std::index_sequence<I...> ) {
	const rows given[] = { rows( columns[I].object, columns[I].name, columns[I].width )... };
	std::vector<Shape> shapes( common_count( { &given[I]... } ) );
	for ( size_t i = 0; i < shapes.size(); ++i ) {
		double *out = reinterpret_cast<double *>( &shapes[i] );
		for ( size_t c = 0; c < sizeof...( I ); out += columns[c++].width )
			std::memcpy( out, given[c].row( i ), columns[c].width * sizeof *out );
	}
	return { std::move( shapes ) };
}

/// Makes n shapes; a value that is given once holds for all of them.
template <class Shape, size_t N> shape_array many( const column ( &columns )[N] ) {
	return many_of<Shape>( columns, std::make_index_sequence<N>() );
}

std::string rows_text( const double ( &x )[3][3] ) {
	return "(" + point_text( x[0] ) + ", " + point_text( x[1] ) + ", " + point_text( x[2] ) + ")";
}

nb::object matrix( const double ( &x )[3][3] ) {
	new_array array( 9, format( "f8" ) );
	std::memcpy( array.data<void>(), x, sizeof x );
	return array.release().attr( "reshape" )( 3, 3 );
}

template <class T, double ( T::*member )[3]> array3 triple( const T &shape ) {
	return to_array( shape.*member );
}

template <class T, double ( T::*member )[3][3]> nb::object axes( const T &shape ) {
	return matrix( shape.*member );
}

template <class T> bool same( const T &a, const T &b ) {
	return std::memcmp( &a, &b, sizeof a ) == 0;
}

template <class T, class Class> void bind_equality( Class &c ) {
	c.def(
	    "__eq__", []( const T &a, nb::handle b ) { return nb::isinstance<T>( b ) && same( a, nb::cast<T>( b ) ); },
	    nb::sig( "def __eq__(self, other: object, /) -> bool" ) );
	c.def( "__hash__",
	       []( const T &a ) { return nb::hash( nb::bytes( reinterpret_cast<const char *>( &a ), sizeof a ) ); } );
}

void bind_round( nb::module_ &m ) {
	using S = dbvh_sphere;
	auto sphere = nb::class_<S>( m, "Sphere", "All points within `radius` of `centre`." );
	sphere
	    .def(
	        "__init__",
	        []( S *self, nb::handle centre, nb::handle radius ) {
		        new ( self ) S( one<S>( { { centre, "centre", 3 }, { radius, "radius", 1 } } ) );
	        },
	        nb::arg( "centre" ), nb::arg( "radius" ),
	        nb::sig( "def __init__(self, centre: ArrayLike, radius: float) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle centres, nb::handle radii ) {
		        return many<S>( { { centres, "centres", 3 }, { radii, "radii", 1 } } );
	        },
	        nb::arg( "centres" ), nb::arg( "radii" ),
	        nb::sig( "def array(centres: ArrayLike, radii: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n; either once for all." )
	    .def_prop_ro( "centre", triple<S, &S::centre> )
	    .def_ro( "radius", &S::radius )
	    .def( "__repr__", []( const S &s ) {
		    return "dualbvh.Sphere(" + point_text( s.centre ) + ", " + number_text( s.radius ) + ")";
	    } );
	bind_equality<S>( sphere );

	using C = dbvh_capsule;
	auto capsule = nb::class_<C>( m, "Capsule", "All points within `radius` of the segment between two points." );
	capsule
	    .def(
	        "__init__",
	        []( C *self, nb::handle start, nb::handle end, nb::handle radius ) {
		        new ( self ) C( one<C>( { { start, "start", 3 }, { end, "end", 3 }, { radius, "radius", 1 } } ) );
	        },
	        nb::arg( "start" ), nb::arg( "end" ), nb::arg( "radius" ),
	        nb::sig( "def __init__(self, start: ArrayLike, end: ArrayLike, radius: float) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle starts, nb::handle ends, nb::handle radii ) {
		        return many<C>( { { starts, "starts", 3 }, { ends, "ends", 3 }, { radii, "radii", 1 } } );
	        },
	        nb::arg( "starts" ), nb::arg( "ends" ), nb::arg( "radii" ),
	        nb::sig( "def array(starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n x 3, n; each once for all, too." )
	    .def_prop_ro( "start", triple<C, &C::from> )
	    .def_prop_ro( "end", triple<C, &C::to> )
	    .def_ro( "radius", &C::radius )
	    .def( "__repr__", []( const C &s ) {
		    return "dualbvh.Capsule(" + point_text( s.from ) + ", " + point_text( s.to ) + ", " +
		           number_text( s.radius ) + ")";
	    } );
	bind_equality<C>( capsule );
}

void bind_aabb( nb::module_ &m ) {
	using A = dbvh_aabb;
	auto aabb = nb::class_<A>( m, "Aabb", "A box along the axes of space: min <= max in each coordinate." );
	aabb.def(
	        "__init__",
	        []( A *self, nb::handle min, nb::handle max ) {
		        new ( self ) A( one<A>( { { min, "min", 3 }, { max, "max", 3 } } ) );
	        },
	        nb::arg( "min" ), nb::arg( "max" ),
	        nb::sig( "def __init__(self, min: ArrayLike, max: ArrayLike) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle mins, nb::handle maxs ) {
		        return many<A>( { { mins, "mins", 3 }, { maxs, "maxs", 3 } } );
	        },
	        nb::arg( "mins" ), nb::arg( "maxs" ),
	        nb::sig( "def array(mins: ArrayLike, maxs: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n x 3; either once for all." )
	    .def_prop_ro( "min", triple<A, &A::min> )
	    .def_prop_ro( "max", triple<A, &A::max> )
	    .def( "__repr__",
	          []( const A &s ) { return "dualbvh.Aabb(" + point_text( s.min ) + ", " + point_text( s.max ) + ")"; } );
	bind_equality<A>( aabb );
}

/// An Obb or an Ellipsoid: a centre, three axes as rows, three half lengths.
template <class T> void bind_oriented( nb::module_ &m, const char *name, const char *doc ) {
	auto oriented = nb::class_<T>( m, name, doc );
	oriented
	    .def(
	        "__init__",
	        []( T *self, nb::handle centre, nb::handle axes, nb::handle half ) {
		        new ( self ) T( one<T>( { { centre, "centre", 3 }, { axes, "axes", 9 }, { half, "half", 3 } } ) );
	        },
	        nb::arg( "centre" ), nb::arg( "axes" ), nb::arg( "half" ),
	        nb::sig( "def __init__(self, centre: ArrayLike, axes: ArrayLike, half: ArrayLike) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle centres, nb::handle axes, nb::handle halves ) {
		        return many<T>( { { centres, "centres", 3 }, { axes, "axes", 9 }, { halves, "halves", 3 } } );
	        },
	        nb::arg( "centres" ), nb::arg( "axes" ), nb::arg( "halves" ),
	        nb::sig( "def array(centres: ArrayLike, axes: ArrayLike, halves: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n x 3 x 3, n x 3; each once for all, too." )
	    .def_prop_ro( "centre", triple<T, &T::centre> )
	    .def_prop_ro( "axes", axes<T, &T::axis>, nb::sig( "def axes(self) -> NDArray[np.float64]" ),
	                  "3 x 3; a row is an axis." )
	    .def_prop_ro( "half", triple<T, &T::half> )
	    .def( "__repr__", []( const T &s ) {
		    return std::string( "dualbvh." ) + kind_name<T> + "(" + point_text( s.centre ) + ", " +
		           rows_text( s.axis ) + ", " + point_text( s.half ) + ")";
	    } );
	bind_equality<T>( oriented );
}

void bind_plane( nb::module_ &m ) {
	using P = dbvh_plane;
	auto plane = nb::class_<P>( m, "Plane", "All x with normal . x = offset; the side `normal` points to is above." );
	plane
	    .def(
	        "__init__",
	        []( P *self, nb::handle normal, nb::handle offset ) {
		        new ( self ) P( one<P>( { { normal, "normal", 3 }, { offset, "offset", 1 } } ) );
	        },
	        nb::arg( "normal" ), nb::arg( "offset" ),
	        nb::sig( "def __init__(self, normal: ArrayLike, offset: float) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle normals, nb::handle offsets ) {
		        return many<P>( { { normals, "normals", 3 }, { offsets, "offsets", 1 } } );
	        },
	        nb::arg( "normals" ), nb::arg( "offsets" ),
	        nb::sig( "def array(normals: ArrayLike, offsets: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n; either once for all." )
	    .def_prop_ro( "normal", triple<P, &P::normal> )
	    .def_ro( "offset", &P::offset )
	    .def( "__repr__", []( const P &s ) {
		    return "dualbvh.Plane(" + point_text( s.normal ) + ", " + number_text( s.offset ) + ")";
	    } );
	plane
	    .def_static(
	        "from_point",
	        []( nb::handle point, nb::handle normal ) {
		        const vector3 at( point, "point" ), up( normal, "normal" );
		        P made;
		        check( dbvh_plane_from_point( at.x, up.x, &made ) );
		        return made;
	        },
	        nb::arg( "point" ), nb::arg( "normal" ),
	        nb::sig( "def from_point(point: ArrayLike, normal: ArrayLike) -> Plane" ),
	        "Through a point, with a normal of any length but zero; the offset is rounded to nearest." )
	    .def_static(
	        "from_points",
	        []( nb::handle a, nb::handle b, nb::handle c ) {
		        const vector3 x( a, "a" ), y( b, "b" ), z( c, "c" );
		        P made;
		        check( dbvh_plane_from_points( x.x, y.x, z.x, &made ) );
		        return made;
	        },
	        nb::arg( "a" ), nb::arg( "b" ), nb::arg( "c" ),
	        nb::sig( "def from_points(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Plane" ),
	        "Through three points, anticlockwise seen from above, with a unit normal. Raises InvalidArgument where "
	        "they "
	        "are in a\nline." );
	bind_equality<P>( plane );
}

void bind_lines( nb::module_ &m ) {
	using S = dbvh_segment;
	auto segment = nb::class_<S>( m, "Segment", "start + t (end - start), t from 0 to 1." );
	segment
	    .def(
	        "__init__",
	        []( S *self, nb::handle start, nb::handle end ) {
		        new ( self ) S( one<S>( { { start, "start", 3 }, { end, "end", 3 } } ) );
	        },
	        nb::arg( "start" ), nb::arg( "end" ),
	        nb::sig( "def __init__(self, start: ArrayLike, end: ArrayLike) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle starts, nb::handle ends ) {
		        return many<S>( { { starts, "starts", 3 }, { ends, "ends", 3 } } );
	        },
	        nb::arg( "starts" ), nb::arg( "ends" ),
	        nb::sig( "def array(starts: ArrayLike, ends: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n x 3; either once for all." )
	    .def_prop_ro( "start", triple<S, &S::from> )
	    .def_prop_ro( "end", triple<S, &S::to> )
	    .def( "__repr__", []( const S &s ) {
		    return "dualbvh.Segment(" + point_text( s.from ) + ", " + point_text( s.to ) + ")";
	    } );
	bind_equality<S>( segment );

	using R = dbvh_ray;
	auto ray = nb::class_<R>( m, "Ray", "origin + t direction, t >= 0." );
	ray.def(
	       "__init__",
	       []( R *self, nb::handle origin, nb::handle direction ) {
		       new ( self ) R( one<R>( { { origin, "origin", 3 }, { direction, "direction", 3 } } ) );
	       },
	       nb::arg( "origin" ), nb::arg( "direction" ),
	       nb::sig( "def __init__(self, origin: ArrayLike, direction: ArrayLike) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle origins, nb::handle directions ) {
		        return many<R>( { { origins, "origins", 3 }, { directions, "directions", 3 } } );
	        },
	        nb::arg( "origins" ), nb::arg( "directions" ),
	        nb::sig( "def array(origins: ArrayLike, directions: ArrayLike) -> ShapeArray" ),
	        "n of them: n x 3, n x 3; either once for all." )
	    .def_prop_ro( "origin", triple<R, &R::from> )
	    .def_prop_ro( "direction", triple<R, &R::direction> )
	    .def( "__repr__", []( const R &s ) {
		    return "dualbvh.Ray(" + point_text( s.from ) + ", " + point_text( s.direction ) + ")";
	    } );
	bind_equality<R>( ray );
}

void bind_triangle( nb::module_ &m ) {
	using T = dbvh_triangle;
	auto triangle = nb::class_<T>( m, "Triangle", "A triangle by its corners; its surface, not its edge alone." );
	triangle
	    .def(
	        "__init__",
	        []( T *self, nb::handle corners ) {
		        new ( self ) T( one<T>( { { corners, "corners", 9 } } ) );
	        },
	        nb::arg( "corners" ), nb::sig( "def __init__(self, corners: ArrayLike) -> None" ) )
	    .def_static(
	        "array",
	        []( nb::handle corners ) {
		        return many<T>( { { corners, "corners", 9 } } );
	        },
	        nb::arg( "corners" ), nb::sig( "def array(corners: ArrayLike) -> ShapeArray" ), "n of them: n x 3 x 3." )
	    .def_prop_ro( "corners", axes<T, &T::corner>, nb::sig( "def corners(self) -> NDArray[np.float64]" ), "3 x 3." )
	    .def( "__repr__", []( const T &s ) { return "dualbvh.Triangle(" + rows_text( s.corner ) + ")"; } );
	bind_equality<T>( triangle );
}

/// Tries the alternatives of any_shape one after the other.
template <size_t I = 0> bool find_shape( nb::handle object, any_shape &shape ) {
	if constexpr ( I < std::variant_size_v<any_shape> ) {
		using T = std::variant_alternative_t<I, any_shape>;
		if ( !nb::isinstance<T>( object ) )
			return find_shape<I + 1>( object, shape );
		shape = nb::cast<const T &>( object );
		return true;
	}
	return false;
}

} // namespace

size_t shape_array::count() const {
	return std::visit( []( const auto &list ) { return list.size(); }, shapes );
}

const char *shape_array::kind() const {
	return std::visit(
	    []( const auto &list ) { return kind_name<typename std::decay_t<decltype( list )>::value_type>; }, shapes );
}

any_shape shape_of( nb::handle object, const char *what ) {
	any_shape shape;
	if ( !find_shape( object, shape ) )
		throw nb::type_error( ( std::string( what ) + " must be a shape: a Sphere, Aabb, Obb, Ellipsoid, Capsule, "
		                                              "Plane, Segment, Ray or Triangle" )
		                          .c_str() );
	return shape;
}

any_shapes shapes_of( nb::handle object, const char *what ) {
	if ( nb::isinstance<shape_array>( object ) )
		return nb::cast<const shape_array &>( object ).shapes;
	return std::visit( []( const auto &shape ) { return any_shapes( std::vector{ shape } ); },
	                   shape_of( object, what ) );
}

dbvh_shape to_collide_shape( const any_shape &shape, bool below ) {
	dbvh_shape out;
	if ( const auto *sphere = std::get_if<dbvh_sphere>( &shape ) ) {
		out.kind = DBVH_SHAPE_KIND_SPHERE;
		out.as.sphere = *sphere;
	} else if ( const auto *aabb = std::get_if<dbvh_aabb>( &shape ) ) {
		out.kind = DBVH_SHAPE_KIND_AABB;
		out.as.aabb = *aabb;
	} else if ( const auto *obb = std::get_if<dbvh_obb>( &shape ) ) {
		out.kind = DBVH_SHAPE_KIND_OBB;
		out.as.obb = *obb;
	} else if ( const auto *ellipsoid = std::get_if<dbvh_ellipsoid>( &shape ) ) {
		out.kind = DBVH_SHAPE_KIND_ELLIPSOID;
		out.as.ellipsoid = *ellipsoid;
	} else if ( const auto *capsule = std::get_if<dbvh_capsule>( &shape ) ) {
		out.kind = DBVH_SHAPE_KIND_CAPSULE;
		out.as.capsule = *capsule;
	} else if ( const auto *plane = std::get_if<dbvh_plane>( &shape ) ) {
		out.kind = below ? DBVH_SHAPE_KIND_HALF_SPACE : DBVH_SHAPE_KIND_PLANE;
		out.as.plane = *plane;
	} else
		throw nb::type_error( "a mesh is compared with a Sphere, Aabb, Obb, Ellipsoid, Capsule or Plane; for rays and "
		                      "segments see raycast() and segment_cast()" );
	return out;
}

namespace {

using shape_array_state = std::pair<std::string, byte_state>;

/// The kind and the shapes.
shape_array_state state_of( const shape_array &s ) {
	return { s.kind(), std::visit( []( const auto &list ) { return to_state( list ); }, s.shapes ) };
}

template <size_t I = 0> any_shapes shapes_of_state( const shape_array_state &state ) {
	if constexpr ( I < std::variant_size_v<any_shape> ) {
		using T = std::variant_alternative_t<I, any_shape>;
		return state.first == kind_name<T> ? any_shapes( from_state<T>( state.second ) )
		                                   : shapes_of_state<I + 1>( state );
	}
	raise( DBVH_INVALID_ARGUMENT, "the state is of no kind of shapes" );
}

void bind_shape_array( nb::module_ &m ) {
	nb::class_<shape_array>( m, "ShapeArray", nb::is_weak_referenceable(),
	                         "Shapes of one kind, as Sphere.array() and its like make them." )
	    .def( "__len__", &shape_array::count )
	    .def_prop_ro( "kind", &shape_array::kind, "The name of their class." )
	    .def( "__getstate__", state_of, nb::sig( "def __getstate__(self) -> tuple[str, tuple[str, bytes]]" ) )
	    .def(
	        "__setstate__",
	        []( shape_array *self, const shape_array_state &state ) {
		        new ( self ) shape_array{ shapes_of_state( state ) };
	        },
	        nb::arg( "state" ), nb::sig( "def __setstate__(self, state: tuple[str, tuple[str, bytes]]) -> None" ) )
	    .def( "__repr__", []( const shape_array &s ) {
		    return "<dualbvh.ShapeArray: " + std::to_string( s.count() ) + " of " + s.kind() + ">";
	    } );
}

} // namespace

void bind_shapes( nb::module_ &m ) {
	bind_shape_array( m );
	bind_round( m );
	bind_aabb( m );
	bind_oriented<dbvh_obb>( m, "Obb",
	                         "A box along its own axes: centre + sum of t[i] axes[i], |t[i]| <= half[i]. The axes, the "
	                         "rows of `axes`, should be\nunit vectors at right angles." );
	bind_oriented<dbvh_ellipsoid>(
	    m, "Ellipsoid",
	    "centre + sum of t[i] axes[i] with the sum of (t[i] / half[i])**2 at most 1; half[i] "
	    "> 0." );
	bind_plane( m );
	bind_lines( m );
	bind_triangle( m );
	bind_state<dbvh_sphere>( m, "Sphere" );
	bind_state<dbvh_capsule>( m, "Capsule" );
	bind_state<dbvh_aabb>( m, "Aabb" );
	bind_state<dbvh_obb>( m, "Obb" );
	bind_state<dbvh_ellipsoid>( m, "Ellipsoid" );
	bind_state<dbvh_plane>( m, "Plane" );
	bind_state<dbvh_segment>( m, "Segment" );
	bind_state<dbvh_ray>( m, "Ray" );
	bind_state<dbvh_triangle>( m, "Triangle" );
}

} // namespace dualbvh_python
