// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "ask.h"
#include "dualbvh/shape.h"
#include "shape.h"
#include "team.h"

namespace dualbvh_python {

namespace {

using result_t = dbvh_collide_shape_result;

/// dbvh_collide_shape(), as ask_one() and ask_list() call it.
auto shape_call( const posed_tree &mesh, const dbvh_shape &shape ) {
	return [&]( const dbvh_collide_shape_query &q, dbvh_workspace *workspace, result_t *result, dbvh_error *error ) {
		return dbvh_collide_shape( mesh.tree, mesh.pose.get(), &shape, &q, workspace, result, error );
	};
}

bool collide_shape( const tree &t, nb::handle object, nb::handle pose, bool below, uint64_t max_work ) {
	const dbvh_shape shape = to_collide_shape( shape_of( object, "shape" ), below );
	const posed_tree mesh( t, pose );
	return ask_one<result_t>( dbvh_collide_shape_query_default(), max_work, shape_call( mesh, shape ) ).intersects;
}

nb::object collide_shape_triangles( const tree &t, nb::handle object, nb::handle pose, bool below, uint64_t max_work ) {
	constexpr list_place triangles{ &dbvh_collide_shape_query::triangles, &dbvh_collide_shape_query::triangle_capacity,
	                                &result_t::triangle_count };
	const dbvh_shape shape = to_collide_shape( shape_of( object, "shape" ), below );
	const posed_tree mesh( t, pose );
	return copy_to_array(
	    ask_list( triangles, dbvh_collide_shape_query_default(), max_work, shape_call( mesh, shape ) ),
	    format( "u4" ) );
}

std::vector<dbvh_shape> shapes_in( nb::handle object, bool below ) {
	return std::visit(
	    [below]( const auto &list ) {
		    std::vector<dbvh_shape> shapes;
		    shapes.reserve( list.size() );
		    for ( const auto &shape : list )
			    shapes.push_back( to_collide_shape( shape, below ) );
		    return shapes;
	    },
	    shapes_of( object, "shapes" ) );
}

nb::object collide_shape_batch( const tree &t, nb::handle object, nb::handle poses_in, bool below,
                                const batch_limits &limits, const std::string &errors, nb::handle dtype ) {
	const refusals refused( errors );
	const std::vector<dbvh_shape> shapes = shapes_in( object, below );
	std::optional<pose_list> poses;
	if ( !poses_in.is_none() )
		poses.emplace( poses_in, "poses" );
	const size_t pose_count = poses ? poses->count() : 1;
	if ( shapes.size() != pose_count && shapes.size() != 1 && pose_count != 1 )
		raise( DBVH_INVALID_ARGUMENT, "shapes and poses must be as many, or one of either" );
	const size_t count = shapes.empty() || pose_count == 0 ? 0 : std::max( shapes.size(), pose_count );
	const reading use( t );
	std::vector<uint8_t> intersects( count );
	std::vector<dbvh_status> statuses;
	interruption interrupted;
	dbvh_error error;
	const dbvh_status status = without_gil( [&] {
		return ask_each( count, limits, interrupted, error, statuses,
		                 [&]( size_t i, dbvh_workspace *workspace, const dbvh_budget *budget, dbvh_error *e ) {
			                 const dbvh_pose *pose = poses ? &poses->data()[pose_count == 1 ? 0 : i] : nullptr;
			                 dbvh_collide_shape_query query = dbvh_collide_shape_query_default();
			                 query.budget = budget;
			                 result_t result;
			                 const dbvh_status s = dbvh_collide_shape( use, pose, &shapes[shapes.size() == 1 ? 0 : i],
			                                                           &query, workspace, &result, e );
			                 intersects[i] = result.intersects;
			                 return s;
		                 } );
	} );
	refused.check( status, error, interrupted );
	return values_or_records( intersects, statuses, refused, format( "?" ), dtype );
}

} // namespace

void bind_collide_shape( nb::module_ &m ) {
	m.def(
	    "collide_shape", collide_shape, nb::arg( "tree" ), nb::arg( "shape" ), nb::arg( "pose" ) = nb::none(),
	    nb::kw_only(), nb::arg( "below" ) = false, nb::arg( "max_work" ) = 0,
	    nb::sig( "def collide_shape(tree: Tree, shape: Solid, pose: PoseLike | None = None, *, below: bool = False, "
	             "max_work: int = 0) -> "
	             "bool" ),
	    "Does the surface of the mesh at `pose` intersect a Sphere, Aabb, Obb, Ellipsoid, Capsule (all solid) or "
	    "Plane, given in the\ncommon frame? Exact; touching counts. below: a Plane stands for the half-space below it, "
	    "normal . x <= offset." );
	m.def( "collide_shape_triangles", collide_shape_triangles, nb::arg( "tree" ), nb::arg( "shape" ),
	       nb::arg( "pose" ) = nb::none(), nb::kw_only(), nb::arg( "below" ) = false, nb::arg( "max_work" ) = 0,
	       nb::sig( "def collide_shape_triangles(tree: Tree, shape: Solid, pose: PoseLike | None = None, *, below: "
	                "bool = False, max_work: "
	                "int = 0) -> NDArray[np.uint32]" ),
	       "The triangles that intersect the shape, in ascending order." );
	const nb::object dtype = value_and_status_dtype<uint8_t>( "intersects", "?" );
	m.attr( "COLLIDE_SHAPE_DTYPE" ) = dtype;
	const auto batch = [dtype]( const tree &t, nb::handle shapes, nb::handle poses, bool below, thread_count threads,
	                            uint64_t max_work, uint64_t max_total, const std::string &errors ) {
		return collide_shape_batch( t, shapes, poses, below, { threads, max_work, max_total }, errors, dtype );
	};
	m.def(
	    "collide_shape_batch", batch, nb::arg( "tree" ), nb::arg( "shapes" ), nb::arg( "poses" ) = nb::none(),
	    nb::kw_only(), nb::arg( "below" ) = false, nb::arg( "threads" ) = 0, nb::arg( "max_work" ) = 0,
	    nb::arg( "max_total" ) = 0, nb::arg( "errors" ) = "raise",
	    nb::sig( "def collide_shape_batch(tree: Tree, shapes: Solid | ShapeArray, poses: PosesLike | None = None, *, "
	             "below: bool = False, threads: int = 0, max_work: int = 0, max_total: int = 0, errors: OnError = "
	             "'raise') -> NDArray[Any]" ),
	    "collide_shape() for n shapes, at n poses of the mesh, or one of either, on several threads. Returns n bools; "
	    "with\nerrors='keep' n records of COLLIDE_SHAPE_DTYPE: intersects, status. Limits and errors as of "
	    "collide_batch()." );
}

} // namespace dualbvh_python
