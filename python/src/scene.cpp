// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "scene.h"

#include "records.h"
#include "state.h"

namespace dualbvh_python {

namespace {

void set_pose( scene &s, uint32_t body, nb::handle pose ) {
	const pose_argument at( pose, "pose" );
	const dbvh_pose identity = dbvh_pose_identity();
	dbvh_error error;
	const dbvh_status status = s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		return dbvh_scene_set_pose( inner, body, at.get() ? at.get() : &identity, &error );
	} );
	check( status, error );
}

void set_poses( scene &s, nb::handle poses_in, const std::optional<std::vector<uint32_t>> &bodies ) {
	const pose_list poses( poses_in, "poses" );
	if ( bodies && bodies->size() != poses.count() )
		raise( DBVH_INVALID_ARGUMENT, "bodies and poses must be as many" );
	dbvh_error error;
	const dbvh_status status =
	    s.alone_with( bodies ? bodies->data() : nullptr, bodies ? bodies->size() : 0, [&]( dbvh_scene *inner ) {
		    return dbvh_scene_set_poses( inner, bodies ? bodies->data() : nullptr, poses.data(), poses.count(),
		                                 &error );
	    } );
	check( status, error );
}

nb::object pose( scene &s, uint32_t body ) {
	dbvh_pose at;
	s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		dbvh_scene_get_body( inner, body, nullptr, &at, nullptr );
		return DBVH_OK;
	} );
	return pose_to_array( at );
}

nb::object tree_of( scene &s, uint32_t body ) {
	nb::object found;
	s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		nb::gil_scoped_acquire acquire;
		found = record_of( inner, body )->tree;
		return DBVH_OK;
	} );
	return found;
}

std::string name_of( scene &s, uint32_t body ) {
	std::string found;
	s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		found = record_of( inner, body )->name;
		return DBVH_OK;
	} );
	return found;
}

/// group, mask, sag and radius of a body.
std::tuple<uint32_t, uint32_t, double, double> options_of( scene &s, uint32_t body ) {
	dbvh_body_options options;
	s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		dbvh_scene_get_body( inner, body, nullptr, nullptr, &options );
		return DBVH_OK;
	} );
	return { options.group, options.mask, options.sag, options.radius };
}

std::vector<uint32_t> bodies( scene &s ) {
	std::vector<uint32_t> numbers;
	s.alone( [&]( dbvh_scene *inner ) {
		for ( uint32_t b = dbvh_scene_next_body( inner, 0 ); b != DBVH_NO_BODY;
		      b = dbvh_scene_next_body( inner, b + 1 ) )
			numbers.push_back( b );
	} );
	return numbers;
}

size_t count( scene &s ) {
	return s.alone( []( dbvh_scene *inner ) { return dbvh_scene_body_count( inner ); } );
}

bool contains( scene &s, nb::handle body ) {
	uint32_t number;
	if ( !nb::try_cast( body, number ) )
		return false;
	return s.alone( [&]( dbvh_scene *inner ) { return record_of( inner, number ) != nullptr; } );
}

void note_pair_rule( const dbvh_scene *inner, uint32_t of, uint32_t other, const std::optional<dbvh_pair_rule> &rule ) {
	auto &rules = record_of( inner, of )->pair_rules;
	if ( rule )
		rules[other] = *rule;
	else
		rules.erase( other );
}

std::optional<dbvh_pair_rule> rule( scene &s, uint32_t a, uint32_t b ) {
	dbvh_pair_rule found;
	bool looked_at = false;
	s.alone_with( { a, b }, [&]( dbvh_scene *inner ) {
		looked_at = dbvh_scene_get_rule( inner, a, b, &found );
		return DBVH_OK;
	} );
	if ( !looked_at )
		return std::nullopt;
	return found;
}

std::string describe( scene &s ) {
	if ( s.is_interrupted() )
		return "<dualbvh.Scene: in use>";
	const size_t number = count( s );
	return "<dualbvh.Scene: " + std::to_string( number ) + ( number == 1 ? " body>" : " bodies>" );
}

void bind_rule( nb::module_ &m ) {
	using R = dbvh_pair_rule;
	nb::class_<R>( m, "PairRule", R"(The rule of a pair of bodies. Lengths are in the unit of the scene, at least 0.

may_collide                the pair is never looked at
may_touch                  touching is no clash
clearance                  bodies less than this apart clash
touch_gap, touch_overlap   as of relate()
allowed_depth              an overlap whose local_depth() is at most this is a fit, and no clash; sags are added
allowed_volume             an overlap of at most this volume is a fit; where both limits are set, both hold)" )
	    .def(
	        "__init__",
	        []( R *self, bool may_collide, bool may_touch, double clearance, double touch_gap, double touch_overlap,
	            double allowed_depth, double allowed_volume ) {
		        new ( self )
		            R{ may_collide, may_touch, clearance, touch_gap, touch_overlap, allowed_depth, allowed_volume };
	        },
	        nb::kw_only(), nb::arg( "may_collide" ) = false, nb::arg( "may_touch" ) = false,
	        nb::arg( "clearance" ) = 0.0, nb::arg( "touch_gap" ) = 0.0, nb::arg( "touch_overlap" ) = 0.0,
	        nb::arg( "allowed_depth" ) = 0.0, nb::arg( "allowed_volume" ) = 0.0 )
	    .def_ro( "may_collide", &R::may_collide )
	    .def_ro( "may_touch", &R::may_touch )
	    .def_ro( "clearance", &R::clearance )
	    .def_ro( "touch_gap", &R::touch_gap )
	    .def_ro( "touch_overlap", &R::touch_overlap )
	    .def_ro( "allowed_depth", &R::allowed_depth )
	    .def_ro( "allowed_volume", &R::allowed_volume )
	    .def( "__repr__", []( const R &r ) {
		    return std::string( "dualbvh.PairRule(may_collide=" ) + ( r.may_collide ? "True" : "False" ) +
		           ", may_touch=" + ( r.may_touch ? "True" : "False" ) + ", clearance=" + number_text( r.clearance ) +
		           ", touch_gap=" + number_text( r.touch_gap ) + ", touch_overlap=" + number_text( r.touch_overlap ) +
		           ", allowed_depth=" + number_text( r.allowed_depth ) +
		           ", allowed_volume=" + number_text( r.allowed_volume ) + ")";
	    } );
	bind_state<R>( m, "PairRule" );
}

} // namespace

scene::scene() {
	dbvh_scene *made = nullptr;
	dbvh_error error;
	check( dbvh_scene_create( nullptr, &made, &error ), error );
	owned.reset( made );
}

scene::~scene() {
	std::vector<std::unique_ptr<body_record>>
	    records; // destroyed after the library's scene, whose bodies point to them
	for ( uint32_t b = dbvh_scene_next_body( owned.get(), 0 ); b != DBVH_NO_BODY;
	      b = dbvh_scene_next_body( owned.get(), b + 1 ) )
		records.emplace_back( record_of( owned.get(), b ) );
	owned.reset();
}

void scene::refuse_body( uint32_t number ) {
	throw nb::key_error( ( "there is no body " + std::to_string( number ) ).c_str() );
}

body_record::body_record( nb::handle t, std::string n )
    : tree( nb::borrow( t ) ), use( nb::cast<const class tree &>( t ) ), name( std::move( n ) ) {}

body_record *record_of( const dbvh_scene *inner, uint32_t number ) {
	dbvh_body_options options;
	if ( !dbvh_scene_get_body( inner, number, nullptr, nullptr, &options ) )
		return nullptr;
	return static_cast<body_record *>( options.user );
}

void scene::expect_other_thread() const {
	if ( is_interrupted() ) {
		PyErr_SetString( PyExc_RuntimeError, "the scene is in use by a call that this one interrupts" );
		throw nb::python_error();
	}
}

uint32_t add_body( scene &s, nb::handle tree_object, nb::handle pose, const std::string &name, uint32_t group,
                   uint32_t mask, double sag, double radius ) {
	if ( !nb::isinstance<tree>( tree_object ) )
		throw nb::type_error( "tree must be a Tree" );
	const pose_argument at( pose, "pose" );
	dbvh_body_options options = dbvh_body_options_default();
	options.group = group;
	options.mask = mask;
	options.sag = sag;
	options.radius = radius;
	auto record = std::make_unique<body_record>( tree_object, name );
	options.user = record.get();
	uint32_t number;
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		const dbvh_status added = dbvh_scene_add_body( inner, record->use, at.get(), &options, &number, &error );
		if ( added == DBVH_OK )
			record.release(); // the scene owns it from now on
		return added;
	} );
	check( status, error );
	return number;
}

void remove_body( scene &s, uint32_t body ) {
	std::unique_ptr<body_record> removed;
	dbvh_error error;
	const dbvh_status status = s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		body_record *const record = record_of( inner, body );
		const dbvh_status done = dbvh_scene_remove_body( inner, body, &error );
		if ( done == DBVH_OK ) {
			removed.reset( record );
			for ( const auto &[other, rule] : record->pair_rules )
				record_of( inner, other )->pair_rules.erase( body );
		}
		return done;
	} );
	check( status, error );
}

void set_default_rule( scene &s, const std::optional<dbvh_pair_rule> &rule ) {
	dbvh_error error;
	const dbvh_status status = s.alone( [&]( dbvh_scene *inner ) {
		const dbvh_status set = dbvh_scene_set_default_rule( inner, rule ? &*rule : nullptr, &error );
		if ( set == DBVH_OK )
			s.default_rule = rule;
		return set;
	} );
	check( status, error );
}

void set_body_rule( scene &s, uint32_t body, const std::optional<dbvh_pair_rule> &rule ) {
	dbvh_error error;
	const dbvh_status status = s.alone_with( { body }, [&]( dbvh_scene *inner ) {
		const dbvh_status set = dbvh_scene_set_body_rule( inner, body, rule ? &*rule : nullptr, &error );
		if ( set == DBVH_OK )
			record_of( inner, body )->rule = rule;
		return set;
	} );
	check( status, error );
}

void set_pair_rule( scene &s, uint32_t a, uint32_t b, const std::optional<dbvh_pair_rule> &rule ) {
	dbvh_error error;
	const dbvh_status status = s.alone_with( { a, b }, [&]( dbvh_scene *inner ) {
		const dbvh_status set = dbvh_scene_set_pair_rule( inner, a, b, rule ? &*rule : nullptr, &error );
		if ( set == DBVH_OK ) {
			note_pair_rule( inner, a, b, rule );
			note_pair_rule( inner, b, a, rule );
		}
		return set;
	} );
	check( status, error );
}

nb::object body_pair_dtype() {
	using T = dbvh_body_pair;
	return make_dtype( { { "a", format( "u4" ), offsetof( T, a ) }, { "b", format( "u4" ), offsetof( T, b ) } },
	                   sizeof( T ) );
}

void bind_scene( nb::module_ &m ) {
	bind_rule( m );
	nb::class_<scene> c( m, "Scene", nb::is_weak_referenceable(),
	                     R"(A scene of many bodies: the pairs that clash, the nearest pair, the first hit of a ray.

A body is a Tree at a pose; many bodies may share a tree. Bodies are known by numbers, which stay theirs until they are
removed. Two bodies are looked at if the group of each is in the mask of the other and no rule lets them collide. Any
thread may use a scene; calls wait for each other. A copy, or what a pickle gives, has the bodies and rules of one moment,
under the same numbers.)" );
	c.def( nb::init<>() )
	    .def(
	        "add", add_body, nb::arg( "tree" ), nb::arg( "pose" ) = nb::none(), nb::kw_only(), nb::arg( "name" ) = "",
	        nb::arg( "group" ) = 0, nb::arg( "mask" ) = 0, nb::arg( "sag" ) = 0.0, nb::arg( "radius" ) = 0.0,
	        nb::sig( "def add(self, tree: Tree, pose: PoseLike | None = None, *, name: str = '', group: int = 0, mask: "
	                 "int = 0, sag: float = 0.0, radius: float = 0.0) -> int" ),
	        R"(Adds a body and returns its number.

group   the groups that it is in, a bit each; 0 stands for 1
mask    the groups that it is checked against; 0 stands for all
sag     how far its triangles may be from the surface that they stand for; added to touch_gap, touch_overlap and
        allowed_depth of its pairs: a pin whose facets overlap its bore all round is a fit
radius  the body is all points at most this far from the triangles. A triangle whose corners coincide is a point, one
        with two that do is a segment: so this makes spheres, capsules, clouds of points and padded meshes, exactly.
        Queries that do not take radii yet say so: scene.h has the table)" )
	    .def( "remove", remove_body, nb::arg( "body" ), "Removes a body and its rules. KeyError if there is none." )
	    .def( "set_pose", set_pose, nb::arg( "body" ), nb::arg( "pose" ).none(),
	          nb::sig( "def set_pose(self, body: int, pose: PoseLike | None) -> None" ), "Moves a body." )
	    .def( "set_poses", set_poses, nb::arg( "poses" ), nb::arg( "bodies" ) = nb::none(),
	          nb::sig( "def set_poses(self, poses: PosesLike, bodies: Sequence[int] | None = None) -> None" ),
	          "Moves many bodies; None: all, in ascending order. If one pose is refused none moves." )
	    .def( "pose", pose, nb::arg( "body" ), nb::sig( "def pose(self, body: int) -> NDArray[np.float64]" ), "3 x 4." )
	    .def( "tree", tree_of, nb::arg( "body" ), nb::sig( "def tree(self, body: int) -> Tree" ) )
	    .def( "name", name_of, nb::arg( "body" ) )
	    .def( "options", options_of, nb::arg( "body" ), "group, mask, sag and radius, as add() takes them." )
	    .def_prop_ro( "bodies", bodies, "The numbers of all bodies, ascending." )
	    .def( "__len__", count )
	    .def( "__contains__", contains, nb::sig( "def __contains__(self, body: object) -> bool" ) )
	    .def( "set_default_rule", set_default_rule, nb::arg( "rule" ).none(),
	          "The rule for pairs that have no other; None: they must not meet." )
	    .def( "set_body_rule", set_body_rule, nb::arg( "body" ), nb::arg( "rule" ).none(),
	          "The rule of a body, for its pairs that have none of their own; None removes it." )
	    .def( "set_pair_rule", set_pair_rule, nb::arg( "a" ), nb::arg( "b" ), nb::arg( "rule" ).none(),
	          "The rule of a pair, which goes before all others; None removes it." )
	    .def( "rule", rule, nb::arg( "a" ), nb::arg( "b" ),
	          "The rule that applies to a pair; None if the pair is never checked." )
	    .def( "__repr__", describe );
	bind_scene_state( c );
	bind_scene_queries( c, m );
	bind_scene_pairs( c );
	bind_scene_batches( c, m );
}

} // namespace dualbvh_python
