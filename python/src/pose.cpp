// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "dualbvh/isa.h"
#include "objects.h"
#include "records.h"

#include <cmath>
#include <cstring>

namespace dualbvh_python {

namespace {

void rows_of( const dbvh_pose &pose, double *rows ) {
	for ( int r = 0; r < 3; ++r ) {
		std::memcpy( rows + 4 * r, pose.rot[r], sizeof pose.rot[r] );
		rows[4 * r + 3] = pose.pos[r];
	}
}

nb::object poses_from_quaternions( nb::handle quaternions, nb::handle translations ) {
	const doubles q( quaternions, "quaternions" ), t( translations, "translations" );
	q.expect( { -1, 4 } );
	t.expect( { (long)q.extent( 0 ), 3 } );
	new_array rows( 12 * q.extent( 0 ), format( "f8" ) );
	for ( size_t i = 0; i < q.extent( 0 ); ++i )
		rows_of( dbvh_pose_from_quaternion( q.data() + 4 * i, t.data() + 3 * i ), rows.data<double>() + 12 * i );
	return rows.release().attr( "reshape" )( -1, 3, 4 );
}

double check_pose( nb::handle object ) {
	const pose_argument pose( object, "pose" );
	const dbvh_pose identity = dbvh_pose_identity();
	double deviation;
	dbvh_error error;
	check( dbvh_pose_check( pose.get() ? pose.get() : &identity, &deviation, &error ), error );
	return deviation;
}

nb::object orthonormalise( nb::handle object ) {
	const pose_argument pose( object, "pose" );
	const dbvh_pose identity = dbvh_pose_identity();
	dbvh_pose nearest;
	dbvh_error error;
	check( dbvh_pose_orthonormalise( pose.get() ? pose.get() : &identity, &nearest, nullptr, &error ), error );
	return pose_to_array( nearest );
}

nb::object relative_pose( nb::handle pose_a, nb::handle pose_b ) {
	const pose_argument a( pose_a, "pose_a" ), b( pose_b, "pose_b" );
	const dbvh_pose identity = dbvh_pose_identity();
	return pose_to_array( dbvh_pose_relative( a.get() ? a.get() : &identity, b.get() ? b.get() : &identity ) );
}

void select_isa( std::optional<std::string> name ) {
	dbvh_error error;
	check( dbvh_isa_select( name ? name->c_str() : nullptr, &error ), error );
}

} // namespace

void bind_pose( nb::module_ &m ) {
	m.def( "poses_from_quaternions", poses_from_quaternions, nb::arg( "quaternions" ), nb::arg( "translations" ),
	       nb::sig( "def poses_from_quaternions(quaternions: ArrayLike, translations: ArrayLike) -> "
	                "NDArray[np.float64]" ),
	       "The rows of [R|t], n x 3 x 4, of quaternions n x 4 (x, y, z, w; normalised here) and translations n x 3." );
	m.def( "check_pose", check_pose, nb::arg( "pose" ).none(),
	       nb::sig( "def check_pose(pose: PoseLike | None) -> float" ),
	       "Checks a pose as every query does and returns the largest entry of |rot^T rot - I|. Raises NotFinite, "
	       "NotRigid, with a\nsentence that says what is wrong." );
	m.def( "orthonormalise", orthonormalise, nb::arg( "pose" ).none(),
	       nb::sig( "def orthonormalise(pose: PoseLike | None) -> NDArray[np.float64]" ),
	       "The pose with the nearest rotation, 3 x 4. Raises NotFinite, NotRigid (a mirror image, or singular)." );
	m.def( "relative_pose", relative_pose, nb::arg( "pose_a" ).none(), nb::arg( "pose_b" ).none(),
	       nb::sig( "def relative_pose(pose_a: PoseLike | None, pose_b: PoseLike | None) -> NDArray[np.float64]" ),
	       "The pose of B seen from A, 3 x 4: the one rounded composition that a query does." );
	m.def( "isa_name", dbvh_isa_name,
	       "The instruction set of the kernels in use: 'avx512', 'avx2', 'neon' or 'baseline'." );
	m.def( "select_isa", select_isa, nb::arg( "name" ) = nb::none(),
	       nb::sig( "def select_isa(name: str | None = None) -> None" ),
	       "Chooses the kernels of this process by name, for measurements; None goes back to the fastest. Raises "
	       "InvalidArgument." );
}

} // namespace dualbvh_python
