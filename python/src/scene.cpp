// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene.h"

#include "records.h"

namespace dualbvh_python {

namespace {

uint32_t add( scene &s, nb::handle tree_object, nb::handle pose, const std::string &name, uint32_t group, uint32_t mask,
              double sag ) {
	if ( !nb::isinstance<tree>( tree_object ) )
		throw nb::type_error( "tree must be a Tree" );
	reading use( nb::cast<const tree &>( tree_object ) );
	const pose_argument at( pose, "pose" );
	dbvh_body_options options = dbvh_body_options_default();
	options.group = group;
	options.mask = mask;
	options.sag = sag;
	uint32_t number;
	dbvh_error error;
	const dbvh_status status = s.alone(
	    [&]( dbvh_scene *inner ) { return dbvh_scene_add_body( inner, use, at.get(), &options, &number, &error ); } );
	check( status, error );
	if ( s.bodies.size() <= number )
		s.bodies.resize( number + 1 );
	s.bodies[number] = { nb::borrow( tree_object ), name, std::move( use ) };
	return number;
}

void remove( scene &s, uint32_t body ) {
	s.at( body );
	dbvh_error error;
	check( s.alone( [&]( dbvh_scene *inner ) { return dbvh_scene_remove_body( inner, body, &error ); } ), error );
	s.bodies[body].use.reset();
	s.bodies[body] = {};
}

void set_pose( scene &s, uint32_t body, nb::handle pose ) {
	s.at( body );
	const pose_argument at( pose, "pose" );
	const dbvh_pose identity = dbvh_pose_identity();
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_pose( inner, body, at.get() ? at.get() : &identity, &error );
	} );
	check( status, error );
}

void set_poses( scene &s, nb::handle poses_in, const std::optional<std::vector<uint32_t>> &bodies ) {
	const pose_list poses( poses_in, "poses" );
	if ( bodies && bodies->size() != poses.count() )
		raise( DBVH_INVALID_ARGUMENT, "bodies and poses must be as many" );
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_poses( inner, bodies ? bodies->data() : nullptr, poses.data(), poses.count(), &error );
	} );
	check( status, error );
}

nb::object pose( scene &s, uint32_t body ) {
	s.at( body );
	dbvh_pose at;
	s.alone( [&]( dbvh_scene *inner ) { return dbvh_scene_get_body( inner, body, nullptr, &at, nullptr ); } );
	return pose_to_array( at );
}

std::vector<uint32_t> bodies( const scene &s ) {
	std::vector<uint32_t> numbers;
	for ( size_t i = 0; i < s.bodies.size(); ++i )
		if ( s.bodies[i].tree.is_valid() )
			numbers.push_back( (uint32_t)i );
	return numbers;
}

void set_default_rule( scene &s, const std::optional<dbvh_pair_rule> &rule ) {
	dbvh_error error;
	check( s.alone( [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_default_rule( inner, rule ? &*rule : nullptr, &error );
	} ),
	       error );
}

void set_body_rule( scene &s, uint32_t body, const std::optional<dbvh_pair_rule> &rule ) {
	s.at( body );
	dbvh_error error;
	check( s.alone( [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_body_rule( inner, body, rule ? &*rule : nullptr, &error );
	} ),
	       error );
}

void set_pair_rule( scene &s, uint32_t a, uint32_t b, const std::optional<dbvh_pair_rule> &rule ) {
	s.at( a );
	s.at( b );
	dbvh_error error;
	check( s.alone( [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_pair_rule( inner, a, b, rule ? &*rule : nullptr, &error );
	} ),
	       error );
}

std::optional<dbvh_pair_rule> rule( scene &s, uint32_t a, uint32_t b ) {
	s.at( a );
	s.at( b );
	dbvh_pair_rule found;
	if ( !s.alone( [&]( dbvh_scene *inner ) { return dbvh_scene_get_rule( inner, a, b, &found ); } ) )
		return std::nullopt;
	return found;
}

void bind_rule( nb::module_ &m ) {
	using R = dbvh_pair_rule;
	nb::class_<R>( m, "PairRule", R"(What holds for a pair of bodies. Lengths are in the unit of the scene, at least 0.

may_collide                the pair is never looked at
may_touch                  touching is no clash
clearance                  bodies less than this apart clash
touch_gap, touch_overlap   as of relate())" )
	    .def(
	        "__init__",
	        []( R *self, bool may_collide, bool may_touch, double clearance, double touch_gap, double touch_overlap ) {
		        new ( self ) R{ may_collide, may_touch, clearance, touch_gap, touch_overlap };
	        },
	        nb::kw_only(), nb::arg( "may_collide" ) = false, nb::arg( "may_touch" ) = false,
	        nb::arg( "clearance" ) = 0.0, nb::arg( "touch_gap" ) = 0.0, nb::arg( "touch_overlap" ) = 0.0 )
	    .def_ro( "may_collide", &R::may_collide )
	    .def_ro( "may_touch", &R::may_touch )
	    .def_ro( "clearance", &R::clearance )
	    .def_ro( "touch_gap", &R::touch_gap )
	    .def_ro( "touch_overlap", &R::touch_overlap )
	    .def( "__repr__", []( const R &r ) {
		    return std::string( "dualbvh.PairRule(may_collide=" ) + ( r.may_collide ? "True" : "False" ) +
		           ", may_touch=" + ( r.may_touch ? "True" : "False" ) + ", clearance=" + number_text( r.clearance ) +
		           ", touch_gap=" + number_text( r.touch_gap ) + ", touch_overlap=" + number_text( r.touch_overlap ) +
		           ")";
	    } );
}

} // namespace

scene::scene() {
	dbvh_scene *made = nullptr;
	dbvh_error error;
	check( dbvh_scene_create( nullptr, &made, &error ), error );
	owned.reset( made );
}

const scene::body &scene::at( uint32_t number ) const {
	if ( number >= bodies.size() || !bodies[number].tree.is_valid() )
		throw nb::key_error( ( "there is no body " + std::to_string( number ) ).c_str() );
	return bodies[number];
}

void scene::expect_other_thread() const {
	if ( owner.load() == std::this_thread::get_id() ) {
		PyErr_SetString( PyExc_RuntimeError, "the scene is in use by a call that this one interrupts" );
		throw nb::python_error();
	}
}

nb::object body_pair_dtype() {
	using T = dbvh_body_pair;
	return make_dtype( { { "a", format( "u4" ), offsetof( T, a ) }, { "b", format( "u4" ), offsetof( T, b ) } },
	                   sizeof( T ) );
}

void bind_scene( nb::module_ &m ) {
	bind_rule( m );
	nb::class_<scene> c( m, "Scene", R"(Many bodies: which of them clash, which is nearest, what does a ray hit?

A body is a Tree at a pose; many bodies may share a tree. Bodies are known by numbers, which stay theirs until they are
removed. Two bodies are looked at if the group of each is in the mask of the other and no rule lets them collide. Any
thread may use a scene; calls wait for each other.)" );
	c.def( nb::init<>() )
	    .def(
	        "add", add, nb::arg( "tree" ), nb::arg( "pose" ) = nb::none(), nb::kw_only(), nb::arg( "name" ) = "",
	        nb::arg( "group" ) = 0, nb::arg( "mask" ) = 0, nb::arg( "sag" ) = 0.0,
	        nb::sig( "def add(self, tree: Tree, pose: PoseLike | None = None, *, name: str = '', group: int = 0, mask: "
	                 "int = 0, sag: float = 0.0) -> int" ),
	        R"(Adds a body and returns its number.

group  the groups that it is in, a bit each; 0 stands for 1
mask   the groups that it is checked against; 0 stands for all
sag    how far its triangles may be from the surface that they stand for; added to touch_gap and touch_overlap of its
       pairs, which a pin whose facets overlap its bore all round does not become a touch by)" )
	    .def( "remove", remove, nb::arg( "body" ), "Removes a body and its rules. KeyError if there is none." )
	    .def( "set_pose", set_pose, nb::arg( "body" ), nb::arg( "pose" ).none(),
	          nb::sig( "def set_pose(self, body: int, pose: PoseLike | None) -> None" ), "Moves a body." )
	    .def( "set_poses", set_poses, nb::arg( "poses" ), nb::arg( "bodies" ) = nb::none(),
	          nb::sig( "def set_poses(self, poses: PosesLike, bodies: Sequence[int] | None = None) -> None" ),
	          "Moves many bodies; None: all, in ascending order. If one pose is refused none moves." )
	    .def( "pose", pose, nb::arg( "body" ), nb::sig( "def pose(self, body: int) -> NDArray[np.float64]" ), "3 x 4." )
	    .def(
	        "tree", []( const scene &s, uint32_t body ) { return s.at( body ).tree; }, nb::arg( "body" ),
	        nb::sig( "def tree(self, body: int) -> Tree" ) )
	    .def(
	        "name", []( const scene &s, uint32_t body ) { return s.at( body ).name; }, nb::arg( "body" ) )
	    .def_prop_ro( "bodies", bodies, "The numbers of all bodies, ascending." )
	    .def( "__len__", []( const scene &s ) { return bodies( s ).size(); } )
	    .def( "__contains__",
	          []( const scene &s, uint32_t body ) { return body < s.bodies.size() && s.bodies[body].tree.is_valid(); } )
	    .def( "set_default_rule", set_default_rule, nb::arg( "rule" ).none(),
	          "The rule for pairs that have no other; None: they must not meet." )
	    .def( "set_body_rule", set_body_rule, nb::arg( "body" ), nb::arg( "rule" ).none(),
	          "The rule of a body, for its pairs that have none of their own; None removes it." )
	    .def( "set_pair_rule", set_pair_rule, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "rule" ).none(),
	          "The rule of a pair, which goes before all others; None removes it." )
	    .def( "rule", rule, nb::arg( "a" ), nb::arg( "b" ),
	          "What holds for a pair in the end; None if the two are never looked at." )
	    .def( "__repr__", []( const scene &s ) {
		    const size_t count = bodies( s ).size();
		    return "<dualbvh.Scene: " + std::to_string( count ) + ( count == 1 ? " body>" : " bodies>" );
	    } );
	bind_scene_queries( c, m );
	bind_scene_pairs( c );
	bind_scene_batches( c, m );
}

} // namespace dualbvh_python
