// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Casts of two primitives in motion.

#include "dualbvh/shape_cast.h"

#include "dualbvh/ellipsoid.h"
#include "objects.h"
#include "primitives.h"
#include "records.h"
#include "state.h"

#include <type_traits>

namespace dualbvh_python {

namespace {

using result_t = dbvh_shape_cast_result;

void refuse_moving_plane( const double *translation ) {
	if ( translation && ( translation[0] != 0 || translation[1] != 0 || translation[2] != 0 ) )
		raise( DBVH_INVALID_ARGUMENT, "a plane stays: move the sphere the other way" );
}

struct cast_question {
#define CAST( a_kind, b_kind )                                                                                         \
	dbvh_status operator()( const dbvh_##a_kind &a, const double *by_a, const dbvh_##b_kind &b, const double *by_b,    \
	                        result_t *out ) const {                                                                    \
		return dbvh_##a_kind##_##b_kind##_cast( &a, by_a, &b, by_b, out );                                             \
	}
	CAST( sphere, sphere )
	CAST( aabb, aabb )
	CAST( sphere, aabb )
	CAST( sphere, triangle )
	CAST( ellipsoid, obb )
#undef CAST
	dbvh_status operator()( const dbvh_sphere &a, const double *by_a, const dbvh_plane &b, const double *by_b,
	                        result_t *out ) const {
		refuse_moving_plane( by_b );
		return dbvh_sphere_plane_cast( &a, by_a, &b, out );
	}
};

/// The query for positions and contact of two shapes at a time.
struct contact_question {
	double time;
#define CONTACT( a_kind, b_kind )                                                                                      \
	dbvh_status operator()( const dbvh_##a_kind &a, const double *by_a, const dbvh_##b_kind &b, const double *by_b,    \
	                        dbvh_shape_cast_contact *out ) const {                                                     \
		return dbvh_##a_kind##_##b_kind##_cast_contact( &a, by_a, &b, by_b, time, out );                               \
	}
	CONTACT( sphere, sphere )
	CONTACT( aabb, aabb )
	CONTACT( sphere, aabb )
	CONTACT( sphere, triangle )
#undef CONTACT
	dbvh_status operator()( const dbvh_sphere &a, const double *by_a, const dbvh_plane &b, const double *by_b,
	                        dbvh_shape_cast_contact *out ) const {
		refuse_moving_plane( by_b );
		return dbvh_sphere_plane_cast_contact( &a, by_a, &b, time, out );
	}
};

/// Swaps the roles of A and B in an answer.
void turn_round( result_t * ) {}
void turn_round( dbvh_shape_cast_contact *c ) {
	for ( int i = 0; i < 3; ++i ) {
		std::swap( c->position_a[i], c->position_b[i] );
		std::swap( c->contact.point_a[i], c->contact.point_b[i] );
		c->contact.normal[i] = -c->contact.normal[i];
	}
}

/// Calls the function for two shapes in motion, in the order of arguments that it has.
template <class Answer, class Question>
Answer ask_moving( const Question &question, const char *name, nb::handle a, nb::handle translation_a, nb::handle b,
                   nb::handle translation_b ) {
	std::optional<vector3> by_a, by_b;
	if ( !translation_a.is_none() )
		by_a.emplace( translation_a, "translation_a" );
	if ( !translation_b.is_none() )
		by_b.emplace( translation_b, "translation_b" );
	const double *const from_a = by_a ? by_a->x : nullptr, *const from_b = by_b ? by_b->x : nullptr;
	return std::visit(
	    [&]( const auto &x, const auto &y ) -> Answer {
		    using A = std::decay_t<decltype( x )>;
		    using B = std::decay_t<decltype( y )>;
		    [[maybe_unused]] Answer out;
		    if constexpr ( std::is_invocable_v<Question, A, const double *, B, const double *, Answer *> ) {
			    check( question( x, from_a, y, from_b, &out ) );
			    return out;
		    } else if constexpr ( std::is_invocable_v<Question, B, const double *, A, const double *, Answer *> ) {
			    check( question( y, from_b, x, from_a, &out ) );
			    turn_round( &out );
			    return out;
		    } else
			    refuse<A, B>( name );
	    },
	    shape_of( a, "a" ), shape_of( b, "b" ) );
}

std::optional<result_t> shape_cast( nb::handle a, nb::handle translation_a, nb::handle b, nb::handle translation_b ) {
	const auto result = ask_moving<result_t>( cast_question(), "shape_cast", a, translation_a, b, translation_b );
	if ( !result.intersects )
		return std::nullopt;
	return result;
}

dbvh_shape_cast_contact shape_cast_contact( nb::handle a, nb::handle translation_a, nb::handle b,
                                            nb::handle translation_b, double time ) {
	return ask_moving<dbvh_shape_cast_contact>( contact_question{ time }, "shape_cast_contact", a, translation_a, b,
	                                            translation_b );
}

// ------------------------------------------------------------------------------------------------
// Many at once

/// A translation for each of some shapes, as the columns that the library takes; None: they are at rest.
class translations {
  public:
	translations( nb::handle object, size_t count, const char *what ) : given( !object.is_none() ) {
		if ( !given )
			return;
		const rows by( object, what, 3 );
		by.expect( count );
		numbers.resize( 3 * count );
		for ( size_t k = 0; k < 3; ++k ) {
			for ( size_t i = 0; i < count; ++i )
				numbers[k * count + i] = by.row( i )[k];
			column[k] = numbers.data() + k * count;
		}
	}
	const double *const *columns() const {
		return given ? column : nullptr;
	}
	/// Returns the translation of shape i, in `room`; NULL if shapes are at rest.
	const double *at( size_t i, double ( &room )[3] ) const {
		if ( !given )
			return nullptr;
		for ( size_t k = 0; k < 3; ++k )
			room[k] = column[k][i];
		return room;
	}

  private:
	bool given;
	std::vector<double> numbers;
	const double *column[3] = {};
};

struct cast_batch_question {
#define CAST( a_kind, b_kind )                                                                                         \
	dbvh_status operator()( const std::vector<dbvh_##a_kind> &a, const translations &by_a,                             \
	                        const std::vector<dbvh_##b_kind> &b, const translations &by_b, result_t *out,              \
	                        dbvh_error *error ) const {                                                                \
		const columns of_a( a ), of_b( b );                                                                            \
		const auto x = of_a.as<dbvh_##a_kind##_array>();                                                               \
		const auto y = of_b.as<dbvh_##b_kind##_array>();                                                               \
		return dbvh_##a_kind##_##b_kind##_cast_batch( &x, by_a.columns(), &y, by_b.columns(), out, error );            \
	}
	CAST( sphere, sphere )
	CAST( aabb, aabb )
	CAST( sphere, triangle )
#undef CAST
	dbvh_status operator()( const std::vector<dbvh_sphere> &a, const translations &by_a,
	                        const std::vector<dbvh_plane> &b, const translations &by_b, result_t *out,
	                        dbvh_error *error ) const {
		if ( by_b.columns() ) {
			*error = { DBVH_INVALID_ARGUMENT, 0, -1, -1, "planes stay: move the spheres the other way" };
			return error->status;
		}
		const columns of_a( a ), of_b( b );
		const auto x = of_a.as<dbvh_sphere_array>();
		const auto y = of_b.as<dbvh_plane_array>();
		return dbvh_sphere_plane_cast_batch( &x, by_a.columns(), &y, out, error );
	}
	// The library has no batch of these.
	dbvh_status operator()( const std::vector<dbvh_sphere> &a, const translations &by_a,
	                        const std::vector<dbvh_aabb> &b, const translations &by_b, result_t *out,
	                        dbvh_error *error ) const {
		return in_turn( a, by_a, b, by_b, out, error );
	}
	dbvh_status operator()( const std::vector<dbvh_ellipsoid> &a, const translations &by_a,
	                        const std::vector<dbvh_obb> &b, const translations &by_b, result_t *out,
	                        dbvh_error *error ) const {
		return in_turn( a, by_a, b, by_b, out, error );
	}

  private:
	template <class A, class B>
	static dbvh_status in_turn( const std::vector<A> &a, const translations &by_a, const std::vector<B> &b,
	                            const translations &by_b, result_t *out, dbvh_error *error ) {
		constexpr cast_question question;
		dbvh_status first = DBVH_OK;
		const size_t count = std::max( a.size(), b.size() );
		for ( size_t i = 0; i < count; ++i ) {
			const size_t of_a = a.size() == 1 ? 0 : i, of_b = b.size() == 1 ? 0 : i;
			double x[3], y[3];
			const dbvh_status status = question( a[of_a], by_a.at( of_a, x ), b[of_b], by_b.at( of_b, y ), &out[i] );
			if ( status != DBVH_OK && first == DBVH_OK ) {
				first = status;
				*error = { status, 0, -1, (int64_t)i, "" };
			}
		}
		return first;
	}
};

nb::object shape_cast_batch( nb::handle a, nb::handle by_a, nb::handle b, nb::handle by_b, nb::handle dtype ) {
	return std::visit(
	    [&]( const auto &x, const auto &y ) -> nb::object {
		    using A = std::decay_t<decltype( x )>;
		    using B = std::decay_t<decltype( y )>;
		    constexpr bool straight =
		        std::is_invocable_v<cast_batch_question, A, translations, B, translations, result_t *, dbvh_error *>;
		    constexpr bool turned =
		        std::is_invocable_v<cast_batch_question, B, translations, A, translations, result_t *, dbvh_error *>;
		    if constexpr ( straight || turned ) {
			    const translations of_a( by_a, x.size(), "translations_a" ), of_b( by_b, y.size(), "translations_b" );
			    const size_t count = pair_count( x.size(), y.size() );
			    new_array results( count, dtype );
			    result_t *const out = results.data<result_t>();
			    dbvh_error error = { DBVH_OK, 0, -1, -1, "" };
			    constexpr cast_batch_question question;
			    const dbvh_status status = without_gil( [&] {
				    if ( count == 0 )
					    return DBVH_OK;
				    if constexpr ( straight )
					    return question( x, of_a, y, of_b, out, &error );
				    else
					    return question( y, of_b, x, of_a, out, &error );
			    } );
			    if ( status != DBVH_OK && !error.text[0] )
				    raise( status, dbvh_status_text( status ), error.element );
			    check( status, error );
			    return results.release();
		    } else
			    refuse<typename A::value_type, typename B::value_type>( "shape_cast_batch" );
	    },
	    shapes_of( a, "a" ), shapes_of( b, "b" ) );
}

nb::object shape_cast_dtype() {
	using T = result_t;
	return make_dtype( { { "intersects", format( "?" ), offsetof( T, intersects ) },
	                     { "at_start", format( "?" ), offsetof( T, at_start ) },
	                     { "at_end", format( "?" ), offsetof( T, at_end ) },
	                     { "enter", format( "f8" ), offsetof( T, enter ) },
	                     { "exit", format( "f8" ), offsetof( T, exit ) } },
	                   sizeof( T ) );
}

} // namespace

void bind_shape_cast( nb::module_ &m ) {
	using C = dbvh_shape_cast_result;
	nb::class_<C>( m, "ShapeCast", "When two shapes in motion touch: times from 0 to 1." )
	    .def_ro( "enter", &C::enter )
	    .def_ro( "exit", &C::exit )
	    .def_ro( "at_start", &C::at_start )
	    .def_ro( "at_end", &C::at_end )
	    .def( "__repr__", []( const C &c ) {
		    return "<dualbvh.ShapeCast: from " + number_text( c.enter ) + " to " + number_text( c.exit ) + ">";
	    } );
	m.def( "shape_cast", shape_cast, nb::arg( "a" ), nb::arg( "translation_a" ).none(), nb::arg( "b" ),
	       nb::arg( "translation_b" ) = nb::none(),
	       nb::sig( "def shape_cast(a: Shape, translation_a: ArrayLike | None, b: Shape, translation_b: ArrayLike | "
	                "None = None) -> ShapeCast | None" ),
	       "When do two shapes touch that move by a translation each (None: not at all) from time 0 to 1? None: "
	       "never." );

	using P = dbvh_shape_cast_contact;
	nb::class_<P>( m, "ShapeCastContact",
	               "The positions of two shapes in motion at one time, and their contact there." )
	    .def_prop_ro(
	        "position_a", []( const P &p ) { return to_array( p.position_a ); },
	        "The centre of a sphere or a box, the first corner of a triangle; 0 for a plane." )
	    .def_prop_ro( "position_b", []( const P &p ) { return to_array( p.position_b ); } )
	    .def_ro( "contact", &P::contact, "The signed distance of the shapes at these positions." )
	    .def( "__repr__", []( const P &p ) {
		    return "<dualbvh.ShapeCastContact: at " + point_text( p.contact.point_a ) + ", normal " +
		           point_text( p.contact.normal ) + ">";
	    } );
	m.def( "shape_cast_contact", shape_cast_contact, nb::arg( "a" ), nb::arg( "translation_a" ).none(), nb::arg( "b" ),
	       nb::arg( "translation_b" ).none(), nb::arg( "time" ),
	       nb::sig( "def shape_cast_contact(a: Shape, translation_a: ArrayLike | None, b: Shape, translation_b: "
	                "ArrayLike | None, time: float) -> ShapeCastContact" ),
	       "Where are the two shapes of a shape_cast() at a time, `enter` or `exit` of its answer, and where do they "
	       "touch? Raises\nInvalidArgument for a time that is not in 0 to 1." );
	bind_state<C>( m, "ShapeCast" );
	bind_state<P>( m, "ShapeCastContact" );
	const nb::object dtype = shape_cast_dtype();
	m.attr( "SHAPE_CAST_DTYPE" ) = dtype;
	m.def(
	    "shape_cast_batch",
	    [dtype]( nb::handle a, nb::handle by_a, nb::handle b, nb::handle by_b ) {
		    return shape_cast_batch( a, by_a, b, by_b, dtype );
	    },
	    nb::arg( "a" ), nb::arg( "translations_a" ).none(), nb::arg( "b" ), nb::arg( "translations_b" ) = nb::none(),
	    nb::sig( "def shape_cast_batch(a: Shape | ShapeArray, translations_a: ArrayLike | None, b: Shape | ShapeArray, "
	             "translations_b: ArrayLike | None = None) -> Records" ),
	    "shape_cast() of as many pairs as there are shapes: shape i of a and of b, or one of either with each of the "
	    "other;\ntranslations are n x 3, one for each shape, or 3 numbers for all. Returns records of "
	    "SHAPE_CAST_DTYPE: "
	    "intersects, at_start,\nat_end, enter, exit." );
}

} // namespace dualbvh_python
