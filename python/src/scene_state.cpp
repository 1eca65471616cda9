// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pickling and copying of scenes: the state is read in one step, under the lock. A copy has the same bodies under the
// same numbers, and gives the next body the same number, too.

#include "ask.h"
#include "scene.h"

namespace dualbvh_python {

namespace {

using optional_rule = std::optional<dbvh_pair_rule>;

/// The state of a body in a pickle: number, tree, pose, name, group, mask, sag, radius, rule.
using body_state =
    std::tuple<uint32_t, nb::object, nb::object, std::string, uint32_t, uint32_t, double, double, optional_rule>;
using pair_rule_state = std::tuple<uint32_t, uint32_t, dbvh_pair_rule>;
using scene_state = std::tuple<optional_rule, std::vector<body_state>, std::vector<pair_rule_state>>;

body_state state_of( const dbvh_scene *inner, uint32_t number ) {
	dbvh_pose pose;
	dbvh_body_options options;
	dbvh_scene_get_body( inner, number, nullptr, &pose, &options );
	const body_record &record = *record_of( inner, number );
	return { number,       record.tree, pose_to_array( pose ), record.name, options.group,
	         options.mask, options.sag, options.radius,        record.rule };
}

scene_state get_state( scene &s ) {
	scene_state state;
	s.alone( [&]( dbvh_scene *inner ) {
		nb::gil_scoped_acquire acquire;
		auto &[default_rule, bodies, pair_rules] = state;
		default_rule = s.default_rule;
		for ( uint32_t b = dbvh_scene_next_body( inner, 0 ); b != DBVH_NO_BODY;
		      b = dbvh_scene_next_body( inner, b + 1 ) ) {
			bodies.push_back( state_of( inner, b ) );
			for ( const auto &[other, rule] : record_of( inner, b )->pair_rules )
				if ( b < other )
					pair_rules.emplace_back( b, other, rule );
		}
	} );
	return state;
}

/// Adds the bodies to a new scene. Free numbers among them are taken by placeholders meanwhile.
void add_bodies( scene &s, const std::vector<body_state> &bodies ) {
	std::vector<uint32_t> gaps;
	uint32_t next = 0;
	for ( const auto &[number, tree, pose, name, group, mask, sag, radius, rule] : bodies ) {
		for ( ; next < number; ++next )
			gaps.push_back( add_body( s, tree, nb::none(), "", 0, 0, 0, 0 ) );
		if ( add_body( s, tree, pose, name, group, mask, sag, radius ) != number )
			raise( DBVH_INVALID_ARGUMENT, "the bodies of the state are not in ascending order" );
		if ( rule )
			set_body_rule( s, number, rule );
		++next;
	}
	for ( uint32_t gap : gaps )
		remove_body( s, gap );
}

void set_state( scene *self, const scene_state &state ) {
	const auto &[default_rule, bodies, pair_rules] = state;
	new ( self ) scene;
	try {
		set_default_rule( *self, default_rule );
		add_bodies( *self, bodies );
		for ( const auto &[a, b, rule] : pair_rules )
			set_pair_rule( *self, a, b, rule );
	} catch ( ... ) {
		self->~scene();
		throw;
	}
}

} // namespace

void bind_scene_state( nb::class_<scene> &c ) {
	c.def( "__getstate__", get_state, nb::sig( "def __getstate__(self) -> tuple[Any, ...]" ) )
	    .def( "__setstate__", set_state, nb::arg( "state" ),
	          nb::sig( "def __setstate__(self, state: tuple[Any, ...]) -> None" ) );
}

} // namespace dualbvh_python
