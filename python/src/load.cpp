// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Files of scenes and robots: Scene.load(), of the component dualbvh::io.

#include "dualbvh/io/load.h"

#include "ask.h"
#include "file_name.h"
#include "robot.h"
#include "scene.h"

#include <nanobind/stl/unique_ptr.h>
#include <unordered_map>

namespace dualbvh_python {

namespace {

/// The owner of trees and names that the library has loaded, as long as any tree of it is in use.
using keeper_t = std::shared_ptr<dbvh_loaded>;

/// The result of Scene.load(): plain objects of Python.
struct loaded {
	nb::object scene, robot;
	double metres = 0.0;
	nb::list bodies, links, joints, notes, properties;
	nb::dict states;
};

/// Text of a file, whose bytes may be anything.
nb::str text_of( const char *text ) {
	return nb::steal<nb::str>( PyUnicode_DecodeUTF8( text, (Py_ssize_t)strlen( text ), "replace" ) );
}

nb::list names_of( const dbvh_loaded *from, dbvh_loaded_kind kind ) {
	nb::list names;
	for ( size_t i = 0; i < dbvh_loaded_count( from, kind ); ++i )
		names.append( text_of( dbvh_loaded_name( from, kind, i ) ) );
	return names;
}

nb::list properties_of( const dbvh_loaded *from ) {
	nb::list all;
	const char *key, *value;
	for ( uint32_t body = 0; body < dbvh_loaded_count( from, DBVH_LOADED_KIND_BODY ); ++body ) {
		nb::dict own;
		for ( size_t i = 0; dbvh_loaded_get_property( from, body, i, &key, &value ); ++i )
			own[text_of( key )] = text_of( value );
		all.append( own );
	}
	return all;
}

nb::dict states_of( dbvh_loaded *from ) {
	nb::dict states;
	const nb::object array = nb::module_::import_( "numpy" ).attr( "array" );
	std::vector<double> q( dbvh_robot_width( dbvh_loaded_robot( from ), DBVH_ROBOT_LAYOUT_ANGLES ) + 1 );
	for ( size_t i = 0; dbvh_loaded_get_state( from, i, DBVH_ROBOT_LAYOUT_ANGLES, q.data() ); ++i ) {
		nb::list row;
		for ( size_t k = 0; k + 1 < q.size(); ++k )
			row.append( q[k] );
		states[text_of( dbvh_loaded_name( from, DBVH_LOADED_KIND_STATE, i ) )] = array( row, "f8" );
	}
	return states;
}

/// A Scene with the bodies and rules of the loaded one, under the same numbers. Bodies that share a tree share its
/// Tree.
nb::object scene_of( const keeper_t &from ) {
	const nb::object made = nb::cast( std::make_unique<scene>() );
	scene &to = nb::cast<scene &>( made );
	const dbvh_scene *const inner = dbvh_loaded_scene( from.get() );
	std::unordered_map<const dbvh_tree *, nb::object> trees;
	for ( uint32_t b = 0; b < dbvh_loaded_count( from.get(), DBVH_LOADED_KIND_BODY ); ++b ) {
		const dbvh_tree *own = nullptr;
		dbvh_pose pose;
		dbvh_body_options options;
		dbvh_scene_get_body( inner, b, &own, &pose, &options );
		nb::object &shared = trees[own];
		if ( !shared.is_valid() )
			shared = nb::cast( std::make_unique<tree>( const_cast<dbvh_tree *>( own ), from ) );
		const auto name = nb::cast<std::string>( text_of( dbvh_loaded_name( from.get(), DBVH_LOADED_KIND_BODY, b ) ) );
		add_body( to, shared, pose_to_array( pose ), name, options.group, options.mask, options.sag, options.radius );
	}
	uint32_t a, b;
	dbvh_pair_rule rule;
	for ( size_t i = 0; dbvh_loaded_get_rule( from.get(), i, &a, &b, &rule ); ++i ) {
		if ( a == DBVH_NO_BODY )
			set_default_rule( to, rule );
		else if ( b == DBVH_NO_BODY )
			set_body_rule( to, a, rule );
		else
			set_pair_rule( to, a, b, rule );
	}
	return made;
}

dbvh_status copy_robot( const dbvh_robot *from, dbvh_robot *to, dbvh_error *error ) {
	dbvh_status status = DBVH_OK;
	uint32_t parent, followed, body, link;
	dbvh_pose origin, at;
	dbvh_joint joint;
	double factor, offset;
	for ( uint32_t i = 0; status == DBVH_OK && dbvh_robot_get_link( from, i, &parent, &origin, &joint ); ++i )
		status = dbvh_robot_add_link( to, parent, &origin, &joint, nullptr, error );
	for ( uint32_t i = 0; status == DBVH_OK && i < dbvh_robot_link_count( from ); ++i )
		if ( dbvh_robot_get_followed( from, i, &followed, &factor, &offset ) )
			status = dbvh_robot_follow( to, i, followed, factor, offset, error );
	for ( size_t i = 0; status == DBVH_OK && dbvh_robot_get_body( from, i, &body, &link, &at ); ++i )
		status = dbvh_robot_attach( to, link, body, &at, error );
	return status;
}

nb::object robot_of( dbvh_loaded *from ) {
	const dbvh_robot *const inner = dbvh_loaded_robot( from );
	if ( !inner )
		return nb::none();
	const nb::object made = nb::cast( std::make_unique<robot>() );
	nb::cast<robot &>( made ).change(
	    [&]( dbvh_robot *to, dbvh_error *error ) { return copy_robot( inner, to, error ); } );
	return made;
}

/// Names of files: one, or a sequence.
std::vector<file_name> files_of( nb::handle files ) {
	std::vector<file_name> names;
	if ( nb::isinstance<nb::str>( files ) || nb::isinstance<nb::bytes>( files ) || nb::hasattr( files, "__fspath__" ) )
		names.emplace_back( files );
	else
		for ( const nb::handle file : files )
			names.emplace_back( file );
	return names;
}

/// "name=folder" of a dictionary of folders.
std::vector<std::string> packages_of( const std::optional<nb::dict> &packages ) {
	std::vector<std::string> texts;
	if ( packages )
		for ( const auto &[name, folder] : *packages )
			texts.push_back( nb::cast<std::string>( name ) + "=" + file_name( folder ).encoded.c_str() );
	return texts;
}

std::vector<const char *> pointers_of( const std::vector<std::string> &texts ) {
	std::vector<const char *> pointers;
	for ( const std::string &text : texts )
		pointers.push_back( text.c_str() );
	return pointers;
}

loaded load( nb::handle files, nb::handle srdf, const std::optional<std::string> &state,
             const std::optional<nb::dict> &packages, dbvh_load_split split, double sag, bool visual,
             bool skip_bad_faces, bool allow_outside, uint32_t most_memory, dbvh_joint_kind base, nb::handle cache,
             thread_count threads ) {
	const std::vector<file_name> names = files_of( files );
	const std::vector<std::string> folders = packages_of( packages );
	const std::vector<const char *> folder_texts = pointers_of( folders );
	std::vector<const char *> paths;
	for ( const file_name &name : names )
		paths.push_back( name.encoded.c_str() );
	const std::optional<file_name> groups = srdf.is_none() ? std::nullopt : std::optional<file_name>( srdf );
	const std::optional<file_name> trees = cache.is_none() ? std::nullopt : std::optional<file_name>( cache );
	interruption interrupted;
	dbvh_load_options options = dbvh_load_options_default();
	options.srdf = groups ? groups->encoded.c_str() : nullptr;
	options.state = state ? state->c_str() : nullptr;
	options.packages = folder_texts.data();
	options.package_count = folder_texts.size();
	options.split = split;
	options.sag = sag;
	options.wants_visual = visual;
	options.skip_bad_faces = skip_bad_faces;
	options.allow_outside = allow_outside;
	options.most_memory = most_memory;
	options.base = base;
	options.cache = trees ? trees->encoded.c_str() : nullptr;
	options.thread_count = threads;
	options.progress = interruption::go_on;
	options.user = &interrupted;
	dbvh_loaded *made = nullptr;
	dbvh_error error;
	const dbvh_status status =
	    without_gil( [&] { return dbvh_scene_load( paths.data(), paths.size(), &options, &made, &error ); } );
	check( status, error, interrupted );
	const keeper_t keeper( made, dbvh_loaded_destroy );

	loaded out;
	out.scene = scene_of( keeper );
	out.robot = robot_of( made );
	out.metres = dbvh_loaded_metres( made );
	out.bodies = names_of( made, DBVH_LOADED_KIND_BODY );
	out.links = names_of( made, DBVH_LOADED_KIND_LINK );
	out.joints = names_of( made, DBVH_LOADED_KIND_JOINT );
	out.notes = names_of( made, DBVH_LOADED_KIND_NOTE );
	out.properties = properties_of( made );
	if ( dbvh_loaded_robot( made ) )
		out.states = states_of( made );
	return out;
}

} // namespace

void bind_load( nb::module_ &m ) {
	nb::enum_<dbvh_load_split>( m, "LoadSplit", "How a mesh file becomes bodies.", nb::is_arithmetic() )
	    .value( "FILE", DBVH_LOAD_SPLIT_FILE )
	    .value( "OBJECT", DBVH_LOAD_SPLIT_OBJECT )
	    .value( "COMPONENT", DBVH_LOAD_SPLIT_COMPONENT )
	    .value( "AUTO", DBVH_LOAD_SPLIT_AUTO );
	nb::class_<loaded>( m, "Loaded", R"(What Scene.load() has read.

scene       Scene: bodies and rules of the files
robot       Robot that carries some of the bodies; None where no file has links
metres      length of the unit; 0 where no file says it
bodies      paths of the bodies, by their numbers
links       names of the links, by their numbers; joints: the names of the joints above them
states      named configurations: rows of numbers in the layout ANGLES
properties  what the files say of each body ("class", "material"), a dict each
notes       sentences: what was left out, assumed or converted)" )
	    .def_prop_ro(
	        "scene", []( const loaded &l ) { return l.scene; }, nb::sig( "def scene(self) -> Scene" ) )
	    .def_prop_ro(
	        "robot", []( const loaded &l ) { return l.robot; }, nb::sig( "def robot(self) -> Robot | None" ) )
	    .def_ro( "metres", &loaded::metres )
	    .def_prop_ro(
	        "bodies", []( const loaded &l ) { return l.bodies; }, nb::sig( "def bodies(self) -> list[str]" ) )
	    .def_prop_ro(
	        "links", []( const loaded &l ) { return l.links; }, nb::sig( "def links(self) -> list[str]" ) )
	    .def_prop_ro(
	        "joints", []( const loaded &l ) { return l.joints; }, nb::sig( "def joints(self) -> list[str]" ) )
	    .def_prop_ro(
	        "notes", []( const loaded &l ) { return l.notes; }, nb::sig( "def notes(self) -> list[str]" ) )
	    .def_prop_ro(
	        "states", []( const loaded &l ) { return l.states; },
	        nb::sig( "def states(self) -> dict[str, NDArray[np.float64]]" ) )
	    .def_prop_ro(
	        "properties", []( const loaded &l ) { return l.properties; },
	        nb::sig( "def properties(self) -> list[dict[str, str]]" ) )
	    .def( "__repr__", []( const loaded &l ) {
		    const size_t bodies = l.bodies.size(), links = l.links.size();
		    return "<dualbvh.Loaded: " + std::to_string( bodies ) + ( bodies == 1 ? " body, " : " bodies, " ) +
		           std::to_string( links ) + ( links == 1 ? " link>" : " links>" );
	    } );
	m.def(
	    "load_reads", []( const char *ending ) { return dbvh_load_reads( ending ); }, nb::arg( "ending" ),
	    "Tell whether this build reads files of an ending, such as 'urdf': what reads them is optional." );
	// note: a static method of a class that is bound elsewhere, before the kinds of joints are known.
	nb::cpp_function_def(
	    load, nb::scope( m.attr( "Scene" ) ), nb::name( "load" ), nb::arg( "files" ), nb::kw_only(),
	    nb::arg( "srdf" ) = nb::none(), nb::arg( "state" ) = nb::none(), nb::arg( "packages" ) = nb::none(),
	    nb::arg( "split" ) = DBVH_LOAD_SPLIT_FILE, nb::arg( "sag" ) = 0.0, nb::arg( "visual" ) = false,
	    nb::arg( "skip_bad_faces" ) = false, nb::arg( "allow_outside" ) = false, nb::arg( "most_memory" ) = 0,
	    nb::arg( "base" ) = DBVH_JOINT_KIND_FIXED, nb::arg( "cache" ) = nb::none(), nb::arg( "threads" ) = 0,
	    nb::sig( "def load(files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, srdf: str | "
	             "os.PathLike[str] | None = None, state: str | None = None, packages: dict[str, str | "
	             "os.PathLike[str]] | None = None, split: LoadSplit = LoadSplit.FILE, sag: float = 0.0, visual: bool "
	             "= False, skip_bad_faces: bool = False, allow_outside: bool = False, most_memory: int = 0, base: "
	             "JointKind = JointKind.FIXED, cache: str | os.PathLike[str] | None = None, threads: int = 0) -> "
	             "Loaded" ),
	    R"(Loads files as one scene: glTF, GLB, 3MF, URDF, JSON scenes, STL, OBJ, PLY, OFF, and what else is built in.

srdf            SRDF file: which links may meet, named states
state           the state in which the robot stands; None: all joints are 0
packages        folders of ROS packages by name, for package://name/...
split           how a mesh file becomes bodies
sag             chordal error for STEP, in the unit of the file
visual          of robots the <visual> geometry in place of the <collision> geometry
skip_bad_faces  leave out faces of mesh files that cross or touch themselves
allow_outside   files may name others outside of their folder and of packages
most_memory     MiB for meshes and bodies; 0: 128, and 32 times the bytes of the files
base            FIXED, PLANAR or FLOATING: how links without a parent hang on the world
cache           folder of trees, as of Tree.cached()

Sentences of exceptions begin with the file and its line.)" );
}

} // namespace dualbvh_python
