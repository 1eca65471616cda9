// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

//! The functions of parry that bench/peers calls.

use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::{Mat3, Pose, Rotation, Vector};
use parry3d_f64::partitioning::BvhNode;
use parry3d_f64::query;
use parry3d_f64::shape::TriMesh;
use std::ffi::c_void;
use std::slice;

/// Takes `3 * vertex_count` coordinates and `3 * triangle_count` indices; null where parry refuses the mesh.
#[no_mangle]
pub unsafe extern "C" fn parry_mesh_new(
    positions: *const f64,
    vertex_count: usize,
    indices: *const u32,
    triangle_count: usize,
) -> *mut TriMesh {
    let points = slice::from_raw_parts(positions, 3 * vertex_count)
        .chunks_exact(3)
        .map(|p| Vector::new(p[0], p[1], p[2]))
        .collect();
    let triangles = slice::from_raw_parts(indices, 3 * triangle_count)
        .chunks_exact(3)
        .map(|t| [t[0], t[1], t[2]])
        .collect();
    match TriMesh::new(points, triangles) {
        Ok(mesh) => Box::into_raw(Box::new(mesh)),
        Err(_) => std::ptr::null_mut(),
    }
}

#[no_mangle]
pub unsafe extern "C" fn parry_mesh_free(mesh: *mut TriMesh) {
    if !mesh.is_null() {
        drop(Box::from_raw(mesh));
    }
}

/// A matrix row by row, and where it puts the origin.
#[no_mangle]
pub unsafe extern "C" fn parry_pose_new(rot: *const f64, pos: *const f64) -> *mut Pose {
    let (r, p) = (slice::from_raw_parts(rot, 9), slice::from_raw_parts(pos, 3));
    let matrix = Mat3::from_cols(
        Vector::new(r[0], r[3], r[6]),
        Vector::new(r[1], r[4], r[7]),
        Vector::new(r[2], r[5], r[8]),
    );
    let turn = Rotation::from_mat3(&matrix);
    Box::into_raw(Box::new(Pose::from_parts(Vector::new(p[0], p[1], p[2]), turn)))
}

#[no_mangle]
pub unsafe extern "C" fn parry_pose_free(pose: *mut Pose) {
    drop(Box::from_raw(pose));
}

/// The library's own question: each triangle of one mesh against the tree of the other.
#[no_mangle]
pub unsafe extern "C" fn parry_intersect(a: &TriMesh, b: &TriMesh, pose: &Pose) -> bool {
    query::intersection_test(&Pose::identity(), a, pose, b).is_ok_and(|result| result.intersecting)
}

/// Both trees at once, as the library itself goes through them where it cuts meshes. Calls `found` for every pair of
/// triangles until that returns false.
#[no_mangle]
pub unsafe extern "C" fn parry_pairs(
    a: &TriMesh,
    b: &TriMesh,
    pose: &Pose,
    found: extern "C" fn(context: *mut c_void, a: u32, b: u32) -> bool,
    context: *mut c_void,
) {
    let check = |m: &BvhNode, n: &BvhNode| m.aabb().intersects(&n.aabb().transform_by(pose));
    for (i, j) in a.bvh().leaf_pairs(b.bvh(), check) {
        let (s, t) = (a.triangle(i), b.triangle(j));
        let hit = query::intersection_test(&Pose::identity(), &s, pose, &t).is_ok_and(|result| result.intersecting);
        if hit && !found(context, i, j) {
            return;
        }
    }
}

#[no_mangle]
pub unsafe extern "C" fn parry_distance(a: &TriMesh, b: &TriMesh, pose: &Pose) -> f64 {
    query::distance(&Pose::identity(), a, pose, b).map_or(f64::NAN, |result| result.distance)
}
