// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Nodes of the cut triangles. Signs are sought in doubles, about coordinates that are off by o->error at most; where
// these do not decide, in numbers of any length: a contact point is a mean of corners with determinants for weights, so
// its homogeneous coordinates are sums of products of doubles.

#include "base/inline.h"
#include "exact/number/dyadic.h"
#include "exact/tri_tri.h"
#include "query/overlap/overlap.h"

#include <math.h>
#include <string.h>

#define U 0x1p-53

typedef struct vertex_of {
	int body;
	uint32_t vertex;
} vertex_of;

static vertex_of open_node( const dbvh_overlap *o, dbvhi_node_id node ) {
	const uint32_t points = (uint32_t)o->found.point_count, first = (uint32_t)o->body[0].topology->point_count;
	DBVHI_ASSERT( node >= points );
	return node - points < first ? ( vertex_of ){ 0, node - points } : ( vertex_of ){ 1, node - points - first };
}

static void vertex_position( const dbvh_overlap *o, vertex_of v, double out[3] ) {
	const double *p = o->body[v.body].topology->position + 3 * (size_t)v.vertex;
	if ( !o->body[v.body].placed.moved ) {
		for ( int k = 0; k < 3; ++k )
			out[k] = p[k];
		return;
	}
	const dbvh_pose *pose = &o->relative.frame_from_moved;
	for ( int k = 0; k < 3; ++k )
		out[k] = pose->rot[k][0] * p[0] + pose->rot[k][1] * p[1] + pose->rot[k][2] * p[2] + pose->pos[k];
}

void dbvhi_vertex_position( const dbvh_overlap *o, dbvhi_node_id node, double out[3] ) {
	vertex_position( o, open_node( o, node ), out );
}

// ------------------------------------------------------------------------------------------------
// Exact coordinates: (x, y, z) / w, w > 0

typedef struct homogeneous {
	dbvhi_dyadic x[3], w;
} homogeneous;

static void open_vertex( const dbvh_overlap *o, vertex_of v, dbvhi_dyadic out[3] ) {
	const double *p = o->body[v.body].topology->position + 3 * (size_t)v.vertex;
	if ( !o->body[v.body].placed.moved ) {
		for ( int k = 0; k < 3; ++k )
			dbvhi_dyadic_set( &out[k], p[k] );
		return;
	}
	const dbvh_pose *pose = &o->relative.frame_from_moved;
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dyadic_set( &out[k], pose->pos[k] );
		for ( int j = 0; j < 3; ++j ) {
			dbvhi_dyadic entry, x;
			dbvhi_dyadic_set( &entry, pose->rot[k][j] );
			dbvhi_dyadic_set( &x, p[j] );
			dbvhi_dyadic_mul( &entry, &entry, &x );
			dbvhi_dyadic_add( &out[k], &out[k], &entry );
		}
	}
}

static void difference( const dbvhi_dyadic p[3], const dbvhi_dyadic q[3], dbvhi_dyadic out[3] ) {
	for ( int k = 0; k < 3; ++k )
		dbvhi_dyadic_sub( &out[k], &p[k], &q[k] );
}

static void cross_along( int axis, const dbvhi_dyadic p[3], const dbvhi_dyadic q[3], dbvhi_dyadic *out ) {
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	dbvhi_dyadic left, right;
	dbvhi_dyadic_mul( &left, &p[x], &q[y] );
	dbvhi_dyadic_mul( &right, &p[y], &q[x] );
	dbvhi_dyadic_sub( out, &left, &right );
}

// det [q - p, r - p, s - p]
static void determinant( dbvhi_dyadic p[3], dbvhi_dyadic q[3], dbvhi_dyadic r[3], dbvhi_dyadic s[3],
                         dbvhi_dyadic *out ) {
	dbvhi_dyadic u[3], v[3], w[3], term;
	difference( q, p, u );
	difference( r, p, v );
	difference( s, p, w );
	dbvhi_dyadic_set( out, 0.0 );
	for ( int k = 0; k < 3; ++k ) {
		cross_along( k, u, v, &term );
		dbvhi_dyadic_mul( &term, &term, &w[k] );
		dbvhi_dyadic_add( out, out, &term );
	}
}

// The point p + num / den (q - p).
static void point_between( dbvhi_dyadic p[3], dbvhi_dyadic q[3], dbvhi_dyadic num, dbvhi_dyadic den,
                           homogeneous *out ) {
	if ( den.sign < 0 ) {
		den.sign = -den.sign;
		num.sign = -num.sign;
	}
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dyadic step, base;
		dbvhi_dyadic_sub( &step, &q[k], &p[k] );
		dbvhi_dyadic_mul( &step, &step, &num );
		dbvhi_dyadic_mul( &base, &p[k], &den );
		dbvhi_dyadic_add( &out->x[k], &base, &step );
	}
	out->w = den;
}

// The point where an edge crosses the plane of a triangle.
static void edge_at_face( dbvhi_dyadic p[3], dbvhi_dyadic q[3], dbvhi_dyadic t[3][3], homogeneous *out ) {
	dbvhi_dyadic at_p, at_q, den;
	determinant( t[0], t[1], t[2], p, &at_p );
	determinant( t[0], t[1], t[2], q, &at_q );
	dbvhi_dyadic_sub( &den, &at_p, &at_q );
	point_between( p, q, at_p, den, out );
}

// The point where the lines of two edges in one plane cross.
static void edge_at_edge( dbvhi_dyadic p[3], dbvhi_dyadic q[3], dbvhi_dyadic r[3], dbvhi_dyadic s[3],
                          homogeneous *out ) {
	dbvhi_dyadic u[3], v[3], w[3], num, den;
	difference( q, p, u );
	difference( s, r, v );
	difference( r, p, w );
	int axis = 0;
	for ( ;; ++axis ) {
		DBVHI_ASSERT( axis < 3 );
		cross_along( axis, u, v, &den );
		if ( den.sign != 0 || axis == 2 )
			break;
	}
	cross_along( axis, w, v, &num );
	point_between( p, q, num, den, out );
}

static void copy_vertex( dbvhi_dyadic p[3], homogeneous *out ) {
	for ( int k = 0; k < 3; ++k )
		out->x[k] = p[k];
	dbvhi_dyadic_set( &out->w, 1.0 );
}

static void open_point( const dbvh_overlap *o, dbvhi_node_id point, homogeneous *out ) {
	const dbvhi_point_key *keys = o->contacts->stores[DBVHI_STORE_KEYS].memory;
	const dbvhi_shared_points *cuts = o->contacts->stores[DBVHI_STORE_CUTS].memory;
	const dbvhi_point_key *key = &keys[point];
	const dbvhi_cell cell = cuts[key->contact].cell[key->cell];
	const dbvh_pair pair = o->found.contacts[key->contact].pair;
	dbvhi_dyadic corner[2][3][3];
	for ( int m = 0; m < 2; ++m ) {
		const uint32_t *c = o->body[m].topology->corner + 3 * (size_t)( m == 0 ? pair.a : pair.b );
		for ( int i = 0; i < 3; ++i )
			open_vertex( o, ( vertex_of ){ m, c[i] }, corner[m][i] );
	}
	const int place[2] = { cell.fixed, cell.moved };
	for ( int m = 0; m < 2; ++m ) {
		if ( place[m] < DBVHI_EDGE( 0 ) ) {
			copy_vertex( corner[m][place[m]], out );
			return;
		}
	}
	const int edge = place[0] != DBVHI_FACE ? 0 : 1, k = place[edge] - DBVHI_EDGE( 0 ), l = dbvhi_next_corner( k );
	if ( place[!edge] == DBVHI_FACE ) {
		edge_at_face( corner[edge][k], corner[edge][l], corner[!edge], out );
		return;
	}
	const int i = place[1] - DBVHI_EDGE( 0 ), j = dbvhi_next_corner( i );
	edge_at_edge( corner[0][k], corner[0][l], corner[1][i], corner[1][j], out );
}

static void open_exactly( const dbvh_overlap *o, dbvhi_node_id node, homogeneous *out ) {
	if ( node < o->found.point_count ) {
		open_point( o, node, out );
		return;
	}
	dbvhi_dyadic p[3];
	open_vertex( o, open_node( o, node ), p );
	copy_vertex( p, out );
}

// ------------------------------------------------------------------------------------------------
// Coordinates for measures

double dbvhi_node_in_a( const dbvh_overlap *o, dbvhi_node_id node, double out[3] ) {
	const bool is_vertex = node >= o->found.point_count;
	if ( is_vertex && open_node( o, node ).body == ( o->swapped ? 1 : 0 ) ) {
		const vertex_of v = open_node( o, node );
		memcpy( out, o->body[v.body].topology->position + 3 * (size_t)v.vertex, 3 * sizeof *out );
		return 0.0;
	}
	dbvhi_vec x;
	dbvhi_node_position( o, node, x.v );
	double size = 0.0;
	for ( int k = 0; k < 3; ++k )
		size = dbvhi_larger( size, fabs( x.v[k] ) );
	if ( o->swapped ) {
		for ( int k = 0; k < 3; ++k )
			size = dbvhi_larger( size, fabs( x.v[k] ) + fabs( o->relative.frame_from_moved.pos[k] ) );
		x = dbvhi_unplaced( &o->body[1].placed, x );
		memcpy( out, x.v, 3 * sizeof *out );
		return dbvhi_inverse_error( o, size );
	}
	memcpy( out, x.v, 3 * sizeof *out );
	return is_vertex ? o->error : U * size + 0x1p-1074;
}

dbvhi_dd dbvhi_leading_digits( const dbvhi_dyadic *x, int *exponent_out ) {
	dbvhi_dd sum = { 0.0, 0.0 };
	*exponent_out = 0;
	if ( x->sign == 0 )
		return sum;
	const uint32_t bits = dbvhi_limbs_bits( x->limb, x->length );
	*exponent_out = (int)bits + x->exponent * DBVHI_LIMB_BITS;
	// note: limbs are taken in pieces of 32 bits, which doubles hold.
	const uint32_t pieces = x->length * ( DBVHI_LIMB_BITS / 32 );
	for ( uint32_t i = pieces, taken = 0; i-- > 0 && taken < 6; ++taken ) {
		const dbvhi_limb limb = x->limb[i / ( DBVHI_LIMB_BITS / 32 )];
		const uint32_t piece = (uint32_t)( limb >> 32 * ( i % ( DBVHI_LIMB_BITS / 32 ) ) );
		sum = dbvhi_dd_add( sum, ( dbvhi_dd ){ ldexp( (double)piece, (int)( 32 * i ) - (int)bits ), 0.0 } );
	}
	return x->sign > 0 ? sum : dbvhi_dd_negate( sum );
}

static void point_in_pairs( const dbvh_overlap *o, dbvhi_node_id node, dbvhi_dd out[3] ) {
	DBVHI_DYADIC_ROOM;
	homogeneous p;
	open_exactly( o, node, &p );
	for ( int k = 0; k < 3; ++k ) {
		dbvhi_dyadic origin;
		dbvhi_dyadic_set( &origin, o->origin[k] );
		dbvhi_dyadic_mul( &origin, &origin, &p.w );
		dbvhi_dyadic_sub( &p.x[k], &p.x[k], &origin );
		int num_exponent, den_exponent;
		const dbvhi_dd num = dbvhi_leading_digits( &p.x[k], &num_exponent ),
		               den = dbvhi_leading_digits( &p.w, &den_exponent ),
		               x = num.hi != 0.0 ? dbvhi_dd_div( num, den ) : num;
		const int exponent = num_exponent - den_exponent - o->exponent;
		out[k] = ( dbvhi_dd ){ ldexp( x.hi, exponent ), ldexp( x.lo, exponent ) };
	}
}

void dbvhi_node_in_pairs( const dbvh_overlap *o, dbvhi_node_id node, dbvhi_dd out[3] ) {
	if ( node < o->found.point_count ) {
		point_in_pairs( o, node, out );
		return;
	}
	const vertex_of v = open_node( o, node );
	const double *p = o->body[v.body].topology->position + 3 * (size_t)v.vertex, scale = ldexp( 1.0, -o->exponent );
	const dbvh_pose *pose = &o->relative.frame_from_moved;
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_dd origin = { -scale * o->origin[k], 0.0 };
		if ( !o->body[v.body].placed.moved ) {
			out[k] = dbvhi_dd_add( ( dbvhi_dd ){ scale * p[k], 0.0 }, origin );
			continue;
		}
		out[k] = dbvhi_dd_add( ( dbvhi_dd ){ scale * pose->pos[k], 0.0 }, origin );
		for ( int j = 0; j < 3; ++j )
			out[k] = dbvhi_dd_add( out[k], dbvhi_dd_product( pose->rot[k][j], scale * p[j] ) );
	}
}

// ------------------------------------------------------------------------------------------------
// Signs

static int compare_exactly( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q ) {
	DBVHI_DYADIC_ROOM;
	homogeneous a, b;
	dbvhi_dyadic left, right;
	open_exactly( o, p, &a );
	open_exactly( o, q, &b );
	dbvhi_dyadic_mul( &left, &a.x[axis], &b.w );
	dbvhi_dyadic_mul( &right, &b.x[axis], &a.w );
	dbvhi_dyadic_sub( &left, &left, &right );
	return left.sign;
}

int dbvhi_node_compare( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q ) {
	if ( p == q )
		return 0;
	double a[3], b[3];
	dbvhi_node_position( o, p, a );
	dbvhi_node_position( o, q, b );
	// note: rounded once, contact points keep their order, unless they become equal.
	const bool rounded_once = p < o->found.point_count && q < o->found.point_count;
	const double d = a[axis] - b[axis], bound = rounded_once ? 0.0 : 2.0 * o->error;
	if ( fabs( d ) > bound )
		return d > 0.0 ? 1 : -1;
	return compare_exactly( o, axis, p, q );
}

// ------------------------------------------------------------------------------------------------
// Vertices alone: exact/orient.h knows short cuts for coordinates of few digits and for flat parts.

// The vertex at a node; false if there is none, but a contact point inside an edge of both meshes or of a face.
static bool is_at_vertex( const dbvh_overlap *o, dbvhi_node_id node, vertex_of *out ) {
	if ( node >= o->found.point_count ) {
		*out = open_node( o, node );
		return true;
	}
	const dbvhi_point_key *key = (const dbvhi_point_key *)o->contacts->stores[DBVHI_STORE_KEYS].memory + node;
	const dbvhi_part part[2] = { key->a, key->b };
	for ( int m = 0; m < 2; ++m ) {
		if ( part[m] >> 32 == DBVH_FEATURE_KIND_VERTEX ) {
			*out = ( vertex_of ){ m, (uint32_t)part[m] };
			return true;
		}
	}
	return false;
}

// Nothing is rounded off a vertex of the mesh that stays, or of one that a turn by right angles and a shift without
// rest have moved.
bool dbvhi_node_is_exact( const dbvh_overlap *o, int axis, dbvhi_node_id node ) {
	vertex_of v;
	if ( !is_at_vertex( o, node, &v ) )
		return false;
	if ( !o->body[v.body].placed.moved )
		return true;
	const double *row = o->relative.frame_from_moved.rot[axis], offset = o->relative.frame_from_moved.pos[axis];
	const int along = row[0] != 0.0 ? 0 : row[1] != 0.0 ? 1 : 2;
	if ( fabs( row[along] ) != 1.0 || row[along == 2 ? 0 : along + 1] != 0.0 || row[along == 0 ? 2 : along - 1] != 0.0 )
		return false;
	// What a sum rounds off is found by Knuth's sum.
	const double turned = row[along] * o->body[v.body].topology->position[3 * (size_t)v.vertex + (size_t)along];
	const double sum = turned + offset, back = sum - turned;
	return ( turned - ( sum - back ) ) + ( offset - back ) == 0.0;
}

static bool are_coordinates_exact( const dbvh_overlap *o, const dbvhi_node_id *node, int count, int axis ) {
	for ( int i = 0; i < count; ++i ) {
		if ( !dbvhi_node_is_exact( o, axis, node[i] ) )
			return false;
	}
	return true;
}

// The points of up to four vertices: at most three of either mesh, or four of one, whose orientation in space no pose
// changes.
typedef struct vertex_points {
	double fixed[9], moved[9], image[9];
	dbvhi_points points;
	int index[4];
} vertex_points;

static void gather( const dbvh_overlap *o, const vertex_of *v, int count, vertex_points *out ) {
	static const dbvh_pose identity = { .rot = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
	int own[2] = { 0, 0 };
	for ( int i = 0; i < count; ++i )
		own[v[i].body] += 1;
	const bool alone = own[0] == 4 || own[1] == 4;
	memset( out->fixed, 0, sizeof out->fixed );
	memset( out->moved, 0, sizeof out->moved );
	int used[2] = { 0, 0 };
	for ( int i = 0; i < count; ++i ) {
		const int m = alone ? i == 3 : v[i].body;
		const double *p = o->body[v[i].body].topology->position + 3 * (size_t)v[i].vertex;
		memcpy( ( m == 0 ? out->fixed : out->moved ) + 3 * used[m], p, 3 * sizeof *p );
		out->index[i] = 3 * m + used[m]++;
	}
	// note: places that are not used repeat others, so that they bring no digits of their own.
	for ( int m = 0; m < 2; ++m ) {
		double *list = m == 0 ? out->fixed : out->moved;
		for ( int i = used[m]; i < 3 && used[m] > 0; ++i )
			memcpy( list + 3 * i, list, 3 * sizeof *list );
	}
	const dbvh_pose *pose = alone ? &identity : &o->relative.frame_from_moved;
	dbvhi_triangle_move( pose, out->moved, out->image );
	dbvhi_points_init( &out->points, out->fixed, out->moved, out->image, pose, alone ? 0.0 : o->body[1].placed.error );
}

static int orient2d_exactly( const dbvh_overlap *o, int axis, const dbvhi_node_id node[3] ) {
	DBVHI_DYADIC_ROOM;
	const int x = ( axis + 1 ) % 3, y = ( axis + 2 ) % 3;
	homogeneous p[3];
	dbvhi_dyadic sum, term;
	for ( int i = 0; i < 3; ++i )
		open_exactly( o, node[i], &p[i] );
	dbvhi_dyadic_set( &sum, 0.0 );
	for ( int i = 0; i < 3; ++i ) {
		const homogeneous *a = &p[i], *b = &p[( i + 1 ) % 3], *c = &p[( i + 2 ) % 3];
		dbvhi_dyadic left, right;
		dbvhi_dyadic_mul( &left, &b->x[x], &c->x[y] );
		dbvhi_dyadic_mul( &right, &b->x[y], &c->x[x] );
		dbvhi_dyadic_sub( &term, &left, &right );
		dbvhi_dyadic_mul( &term, &term, &a->w );
		dbvhi_dyadic_add( &sum, &sum, &term );
	}
	return sum.sign;
}

// The differences of two coordinates of q and r from those of p, as rounded.
typedef struct spread_2d {
	double ux, uy, vx, vy;
} spread_2d;

static spread_2d spread_of( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	const int x = axis == 2 ? 0 : axis + 1, y = x == 2 ? 0 : x + 1;
	double a[3], b[3], c[3];
	dbvhi_node_position( o, p, a );
	dbvhi_node_position( o, q, b );
	dbvhi_node_position( o, r, c );
	return ( spread_2d ){ b[x] - a[x], b[y] - a[y], c[x] - a[x], c[y] - a[y] };
}

// The sign of ux vy - uy vx, or 0 where doubles are not sure.
static int filter_2d( const dbvh_overlap *o, const spread_2d *s ) {
	const double ux = s->ux, uy = s->uy, vx = s->vx, vy = s->vy;
	const double size = dbvhi_larger( dbvhi_larger( fabs( ux ), fabs( uy ) ), dbvhi_larger( fabs( vx ), fabs( vy ) ) );
	const double det = ux * vy - uy * vx;
	return fabs( det ) > dbvhi_error_of_2d( o, size ) ? dbvhi_sign_of( det ) : 0;
}

int dbvhi_node_orient2d_filter( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	const spread_2d s = spread_of( o, axis, p, q, r );
	return filter_2d( o, &s );
}

int dbvhi_node_orient2d( const dbvh_overlap *o, int axis, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r ) {
	const spread_2d s = spread_of( o, axis, p, q, r );
	const int sign = filter_2d( o, &s );
	if ( sign != 0 )
		return sign;
	// note: without a turn this decides most corners and sides in a plane across an axis.
	if ( ( s.ux == 0.0 || s.vy == 0.0 ) && ( s.uy == 0.0 || s.vx == 0.0 ) ) {
		const dbvhi_node_id node[3] = { p, q, r };
		if ( are_coordinates_exact( o, node, 3, ( axis + 1 ) % 3 ) &&
		     are_coordinates_exact( o, node, 3, ( axis + 2 ) % 3 ) )
			return 0;
	}
	vertex_of v[3];
	if ( is_at_vertex( o, p, &v[0] ) && is_at_vertex( o, q, &v[1] ) && is_at_vertex( o, r, &v[2] ) ) {
		vertex_points at;
		gather( o, v, 3, &at );
		return dbvhi_points_orient2d( &at.points, axis, at.index[0], at.index[1], at.index[2] );
	}
	return orient2d_exactly( o, axis, ( dbvhi_node_id[3] ){ p, q, r } );
}

int dbvhi_node_orient3d( const dbvh_overlap *o, dbvhi_node_id p, dbvhi_node_id q, dbvhi_node_id r, dbvhi_node_id s ) {
	double at[4][3], u[3], v[3], w[3], size = 0.0;
	const dbvhi_node_id node[4] = { p, q, r, s };
	for ( int i = 0; i < 4; ++i )
		dbvhi_node_position( o, node[i], at[i] );
	for ( int k = 0; k < 3; ++k ) {
		u[k] = at[1][k] - at[0][k];
		v[k] = at[2][k] - at[0][k];
		w[k] = at[3][k] - at[0][k];
		size = dbvhi_larger( size, dbvhi_larger( fabs( u[k] ), dbvhi_larger( fabs( v[k] ), fabs( w[k] ) ) ) );
	}
	const double det = u[0] * ( v[1] * w[2] - v[2] * w[1] ) + u[1] * ( v[2] * w[0] - v[0] * w[2] ) +
	                   u[2] * ( v[0] * w[1] - v[1] * w[0] );
	if ( fabs( det ) > dbvhi_error_of_3d( o, size ) )
		return dbvhi_sign_of( det );
	for ( int k = 0; k < 3; ++k ) {
		if ( u[k] == 0.0 && v[k] == 0.0 && w[k] == 0.0 && are_coordinates_exact( o, node, 4, k ) )
			return 0;
	}
	vertex_of vertex[4];
	vertex_points vertices;
	for ( int i = 0; i < 4; ++i )
		vertex[i] = open_node( o, node[i] );
	gather( o, vertex, 4, &vertices );
	// note: det [p - s, q - s, r - s] is minus det [q - p, r - p, s - p].
	return -dbvhi_points_orient3d( &vertices.points, vertices.index[0], vertices.index[1], vertices.index[2],
	                               vertices.index[3] );
}

int dbvhi_node_projection( const dbvh_overlap *o, int body, uint32_t triangle, int *turn_out ) {
	const uint32_t *c = o->body[body].topology->corner + 3 * (size_t)triangle;
	const dbvhi_node_id node[3] = { dbvhi_vertex_node( o, body, c[0] ), dbvhi_vertex_node( o, body, c[1] ),
	                                dbvhi_vertex_node( o, body, c[2] ) };
	double p[3][3], u[3], v[3], n[3];
	for ( int i = 0; i < 3; ++i )
		dbvhi_node_position( o, node[i], p[i] );
	for ( int k = 0; k < 3; ++k ) {
		u[k] = p[1][k] - p[0][k];
		v[k] = p[2][k] - p[0][k];
	}
	dbvhi_cross_rounded( u, v, n );
	int axis = dbvhi_steepest( n );
	// note: two axes may be all of the area that doubles lose.
	while ( ( *turn_out = dbvhi_node_orient2d( o, axis, node[0], node[1], node[2] ) ) == 0 )
		axis = ( axis + 1 ) % 3;
	return axis;
}
