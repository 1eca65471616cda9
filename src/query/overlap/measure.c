// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Volume, area, centroid and box of closed surfaces of faces.
//
// A face is a fan of triangles (r, p, q) from its first node, which adds r . ((p - r) x (q - r)) / 6 to the volume,
// whether or not it is convex. What the sum is off has two parts.
//
// Rounding of each term: with a = p - r and b = q - r, of 1-norms |a| and |b| and known to 2 u each, a product of them
// is off by 5 u of itself, the sum with r by 3 u more: less than 12 u |r| |a| |b|.
//
// Corners that were rounded: coordinates are off by e = o->error. Move the corners of a closed surface from where they
// are to where they were rounded to. The volume changes by the flux of the motion through the surface, at most sqrt(3)
// e times its area on the way, and the area of a triangle by at most sqrt(3) e (|a| + |b|) + 6 e^2. So, over all
// triangles, the volume changes by at most 2 e (flux + 2 e rim + 6 e^2 count), where `flux` sums areas, `rim` sums
// |a| + |b|. It matters that corners are the same for all faces that share them: the bound is by area, not by number of
// triangles. The first moments change by that times the largest coordinate. The area is no integral over a closed
// surface: each term of it is off by twice its own change.

#include "base/inline.h"
#include "base/union_find.h"
#include "query/overlap/overlap.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define U 0x1p-53
// Pairs of doubles: operations are off by 2^-103 of their results, see exact/number/dd.h.
#define UU 0x1p-100

static void add( dbvhi_sum *sum, dbvhi_dd x, double error ) {
	sum->value = dbvhi_dd_add( sum->value, x );
	sum->error += error + UU * fabs( sum->value.hi );
}

typedef struct summing {
	dbvh_overlap *o;
	dbvhi_moments *m; // moments of the surface
	double scale;
	bool in_pairs;
	dbvhi_dd cached[3]; // first node of the face
} summing;

static void see_node( const summing *s, dbvhi_node_id node ) {
	double x[3];
	const double error = dbvhi_node_in_a( s->o, node, x );
	s->m->box_error = dbvhi_larger( s->m->box_error, error );
	for ( int k = 0; k < 3; ++k ) {
		s->m->box_min[k] = x[k] < s->m->box_min[k] ? x[k] : s->m->box_min[k];
		s->m->box_max[k] = x[k] > s->m->box_max[k] ? x[k] : s->m->box_max[k];
	}
}

// A node relative to the origin, in units of 2^exponent.
typedef struct offset {
	dbvhi_dd x[3];
} offset;

static offset offset_of( const summing *s, dbvhi_node_id node ) {
	offset p;
	if ( s->in_pairs ) {
		dbvhi_node_in_pairs( s->o, node, p.x );
		return p;
	}
	double x[3];
	dbvhi_node_position( s->o, node, x );
	for ( int k = 0; k < 3; ++k )
		p.x[k] = ( dbvhi_dd ){ s->scale * x[k] - s->scale * s->o->origin[k], 0.0 };
	return p;
}

// The products of a triangle of a fan: twice its area as a vector, its term of the volume, and of the first moments.
typedef struct term {
	dbvhi_dd cross[3], volume, first[3];
} term;

static void multiply( const offset *r, const offset *p, const offset *q, term *t ) {
	double a[3], b[3], volume = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		a[k] = p->x[k].hi - r->x[k].hi;
		b[k] = q->x[k].hi - r->x[k].hi;
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = k == 2 ? 0 : k + 1, y = x == 2 ? 0 : x + 1;
		t->cross[k] = ( dbvhi_dd ){ a[x] * b[y] - a[y] * b[x], 0.0 };
		volume += r->x[k].hi * t->cross[k].hi;
	}
	t->volume = ( dbvhi_dd ){ volume, 0.0 };
	for ( int k = 0; k < 3; ++k )
		t->first[k] = ( dbvhi_dd ){ volume * ( r->x[k].hi + p->x[k].hi + q->x[k].hi ), 0.0 };
}

static void multiply_pairs( const offset *r, const offset *p, const offset *q, term *t ) {
	dbvhi_dd a[3], b[3];
	for ( int k = 0; k < 3; ++k ) {
		a[k] = dbvhi_dd_sub( p->x[k], r->x[k] );
		b[k] = dbvhi_dd_sub( q->x[k], r->x[k] );
	}
	t->volume = ( dbvhi_dd ){ 0.0, 0.0 };
	for ( int k = 0; k < 3; ++k ) {
		const int x = k == 2 ? 0 : k + 1, y = x == 2 ? 0 : x + 1;
		t->cross[k] = dbvhi_dd_sub( dbvhi_dd_mul( a[x], b[y] ), dbvhi_dd_mul( a[y], b[x] ) );
		t->volume = dbvhi_dd_add( t->volume, dbvhi_dd_mul( r->x[k], t->cross[k] ) );
	}
	for ( int k = 0; k < 3; ++k )
		t->first[k] = dbvhi_dd_mul( t->volume, dbvhi_dd_add( dbvhi_dd_add( r->x[k], p->x[k] ), q->x[k] ) );
}

static double norm( const offset *p, const offset *r ) {
	return fabs( p->x[0].hi - r->x[0].hi ) + fabs( p->x[1].hi - r->x[1].hi ) + fabs( p->x[2].hi - r->x[2].hi );
}

static dbvhi_dd signed_by( dbvhi_dd x, int sign ) {
	return sign > 0 ? x : dbvhi_dd_negate( x );
}

// Add a triangle; `area` gets its vector.
static void add_triangle( const summing *s, const offset *r, const offset *p, const offset *q, int sign,
                          dbvhi_sum area[3] ) {
	term t;
	if ( s->in_pairs )
		multiply_pairs( r, p, q, &t );
	else
		multiply( r, p, q, &t );
	const double a = norm( p, r ), b = norm( q, r ), unit = s->in_pairs ? UU : U;
	const double reach = dbvhi_larger( dbvhi_larger( fabs( r->x[0].hi ), fabs( r->x[1].hi ) ), fabs( r->x[2].hi ) );
	const double error = 12.0 * unit * reach * a * b + 0x1p-1000;
	add( &s->m->volume, signed_by( t.volume, sign ), error );
	for ( int k = 0; k < 3; ++k ) {
		add( &s->m->first[k], signed_by( t.first[k], sign ),
		     ( 3.0 * reach + a + b ) * error + 8.0 * unit * fabs( t.first[k].hi ) );
		add( &area[k], t.cross[k], 6.0 * unit * a * b + 0x1p-1000 );
		s->m->flux += 0.501 * fabs( t.cross[k].hi );
	}
	s->m->rim += a + b;
	s->m->count += 1.0;
}

// Add the area of a face, of which twice the vector is given. `normal` tells outlines from holes.
static void add_area( const summing *s, const dbvhi_sum area[3], const double normal[3] ) {
	double square = 0.0, along = 0.0, error = 0.0, x[3];
	for ( int k = 0; k < 3; ++k ) {
		x[k] = 0.5 * area[k].value.hi;
		square += x[k] * x[k];
		along += x[k] * normal[k];
		error += area[k].error;
	}
	const double size = sqrt( square );
	// note: where the sign is wrong, the size is below its error, which counts twice.
	add( &s->m->area, ( dbvhi_dd ){ along < 0.0 ? -size : size, 0.0 }, 2.0 * error + 8.0 * U * size + 0x1p-500 );
}

// The normal of a triangle, to within some rounding.
static void normal_of( const summing *s, int m, uint32_t triangle, double out[3] ) {
	const uint32_t *c = s->o->body[m].topology->corner + 3 * (size_t)triangle;
	double p[3][3];
	for ( int i = 0; i < 3; ++i ) {
		dbvhi_node_position( s->o, dbvhi_vertex_node( s->o, m, c[i] ), p[i] );
		for ( int k = 0; k < 3; ++k )
			p[i][k] *= s->scale;
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
		out[k] = ( p[1][x] - p[0][x] ) * ( p[2][y] - p[0][y] ) - ( p[1][y] - p[0][y] ) * ( p[2][x] - p[0][x] );
	}
}

static void add_outline( summing *s, const dbvhi_face *f ) {
	const dbvhi_overlap_body *b = &s->o->body[f->body];
	const uint32_t triangle = b->cuts[f->cut].triangle;
	const int sign = b->solid->side[triangle];
	dbvhi_sum area[3] = { 0 };
	double normal[3];
	const offset r = offset_of( s, b->outline[f->start].node );
	offset p = r;
	for ( uint32_t i = f->start;; ) {
		see_node( s, b->outline[i].node );
		i = b->outline[i].next;
		if ( i == f->start )
			break;
		const offset q = offset_of( s, b->outline[i].node );
		add_triangle( s, &r, &p, &q, sign, area );
		p = q;
	}
	normal_of( s, (int)f->body, triangle, normal );
	add_area( s, area, normal );
}

static void add_inner_in_pairs( summing *s, int m, uint32_t triangle ) {
	const dbvhi_overlap_body *b = &s->o->body[m];
	dbvhi_sum area[3] = { 0 };
	offset p[3];
	for ( int i = 0; i < 3; ++i ) {
		const dbvhi_node_id node = dbvhi_vertex_node( s->o, m, b->topology->corner[3 * (size_t)triangle + (size_t)i] );
		see_node( s, node );
		p[i] = offset_of( s, node );
	}
	add_triangle( s, &p[0], &p[1], &p[2], b->solid->side[triangle], area );
	const double normal[3] = { area[0].value.hi, area[1].value.hi, area[2].value.hi };
	add_area( s, area, normal );
}

// ------------------------------------------------------------------------------------------------
// Whole triangles in doubles: most of the work where meshes are fine. Terms are summed plainly in runs of RUN, and runs
// without a loss.

#define RUN 16

typedef struct run {
	double volume, first[3], area;
	// Sums over the triangles, to which errors are proportional: of reach |a| |b|, of that times reach + |a| + |b|, of
	// |a| |b|, of |a| + |b|, and of the areas' components.
	double cubes, fourths, squares, rim, flux;
	size_t count;
	double low[3], high[3]; // box in the frame of A
} run;

// A mesh, and where its corners are in the frame of the query and in that of A.
typedef struct corners_of_mesh {
	const dbvhi_topology *topology;
	const int8_t *side;
	const dbvh_pose *pose;        // NULL: stays
	bool as_placed;               // the frame of the query is that of A
	const dbvh_pose *a_from_here; // frame of A from that of the mesh, where that is neither; else NULL
	double origin[3], scale;
	double box_error; // of what is in the frame of A
} corners_of_mesh;

static inline void apply( const dbvh_pose *pose, const double p[3], double out[3] ) {
	for ( int k = 0; k < 3; ++k )
		out[k] = pose->rot[k][0] * p[0] + pose->rot[k][1] * p[1] + pose->rot[k][2] * p[2] + pose->pos[k];
}

// A corner in the frame of A, in which boxes are.
static inline const double *corner_in_a( const corners_of_mesh *mesh, uint32_t corner, double room[3] ) {
	const double *at = mesh->topology->position + 3 * (size_t)corner;
	const dbvh_pose *pose = mesh->a_from_here != NULL ? mesh->a_from_here : mesh->as_placed ? mesh->pose : NULL;
	if ( pose == NULL )
		return at;
	apply( pose, at, room );
	return room;
}

static inline void see( const double x[3], run *sum ) {
	for ( int k = 0; k < 3; ++k ) {
		sum->low[k] = x[k] < sum->low[k] ? x[k] : sum->low[k];
		sum->high[k] = x[k] > sum->high[k] ? x[k] : sum->high[k];
	}
}

// Add a triangle to a run.
static inline void add_to_run( const corners_of_mesh *mesh, uint32_t triangle, run *sum ) {
	const double sign = mesh->side[triangle];
	double p[3][3], a[3], c[3], cross[3], square = 0.0, volume = 0.0, flux = 0.0, na = 0.0, nc = 0.0, reach = 0.0;
	for ( int i = 0; i < 3; ++i ) {
		const double *at =
		    mesh->topology->position + 3 * (size_t)mesh->topology->corner[3 * (size_t)triangle + (size_t)i];
		double x[3] = { at[0], at[1], at[2] }, in_a[3];
		if ( mesh->pose != NULL )
			apply( mesh->pose, at, x );
		if ( mesh->a_from_here != NULL )
			apply( mesh->a_from_here, at, in_a );
		see( mesh->a_from_here != NULL ? in_a : mesh->as_placed ? x : at, sum );
		for ( int k = 0; k < 3; ++k )
			p[i][k] = mesh->scale * x[k] - mesh->origin[k];
	}
	for ( int k = 0; k < 3; ++k ) {
		a[k] = p[1][k] - p[0][k];
		c[k] = p[2][k] - p[0][k];
		na += fabs( a[k] );
		nc += fabs( c[k] );
		reach = dbvhi_larger( reach, fabs( p[0][k] ) );
	}
	for ( int k = 0; k < 3; ++k ) {
		const int x = k == 2 ? 0 : k + 1, y = x == 2 ? 0 : x + 1;
		cross[k] = a[x] * c[y] - a[y] * c[x];
		volume += p[0][k] * cross[k];
		square += cross[k] * cross[k];
		flux += fabs( cross[k] );
	}
	volume *= sign;
	sum->volume += volume;
	for ( int k = 0; k < 3; ++k )
		sum->first[k] += volume * ( p[0][k] + p[1][k] + p[2][k] );
	sum->area += 0.5 * sqrt( square );
	const double product = na * nc, cube = reach * product;
	sum->cubes += cube;
	sum->fourths += cube * ( reach + na + nc );
	sum->squares += product;
	sum->rim += na + nc;
	sum->flux += flux;
	sum->count += 1;
}

static run empty_run( void ) {
	return ( run ){ .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
}

// Add a run to the sums. A term of the volume is at most its share of `cubes`, as the components of a x b are at most
// |a| |b| together; a plain sum of 16 terms is off by at most 15 u times the sum of their sizes.
static void close_run( run *sum, dbvhi_moments *m ) {
	if ( sum->count == 0 )
		return;
	const double count = (double)sum->count;
	// 12 u of each term by its factors, 15 u by the sum.
	add( &m->volume, ( dbvhi_dd ){ sum->volume, 0.0 }, 28.0 * U * sum->cubes + count * 0x1p-1000 );
	// A term is at most 3 times its share of `fourths`; 12 u of it by that of the volume, 8 u by the other factor, 7 u
	// by the sum.
	for ( int k = 0; k < 3; ++k )
		add( &m->first[k], ( dbvhi_dd ){ sum->first[k], 0.0 }, 108.0 * U * sum->fourths + count * 0x1p-1000 );
	// Each component of the vector is off by 6 u |a| |c|, of which half is area; the area is at most half of |a| |c|.
	add( &m->area, ( dbvhi_dd ){ sum->area, 0.0 }, 32.0 * U * sum->squares + count * 0x1p-500 );
	m->flux += 0.501 * sum->flux;
	m->rim += sum->rim;
	m->count += count;
	for ( int k = 0; k < 3; ++k ) {
		m->box_min[k] = dbvhi_smaller( m->box_min[k], sum->low[k] );
		m->box_max[k] = dbvhi_larger( m->box_max[k], sum->high[k] );
	}
	*sum = empty_run();
}

// The inverse of the relative pose, rounded: that of a matrix that is nearly orthonormal, by cofactors.
static dbvh_pose inverse_of( const dbvh_overlap *o ) {
	dbvh_pose inverse = dbvh_pose_identity(), turn = o->relative.frame_from_moved;
	memset( turn.pos, 0, sizeof turn.pos );
	dbvhi_placed placed = o->body[1].placed;
	placed.pose = &turn;
	for ( int k = 0; k < 3; ++k ) {
		const dbvhi_vec column = dbvhi_unplaced( &placed, ( dbvhi_vec ){ { k == 0, k == 1, k == 2 } } );
		for ( int i = 0; i < 3; ++i )
			inverse.rot[i][k] = column.v[i];
	}
	dbvhi_vec pos;
	memcpy( pos.v, o->relative.frame_from_moved.pos, sizeof pos.v );
	pos = dbvhi_unplaced( &placed, pos );
	for ( int i = 0; i < 3; ++i )
		inverse.pos[i] = -pos.v[i];
	return inverse;
}

static corners_of_mesh place_mesh( const dbvh_overlap *o, int m, double scale, const dbvh_pose *inverse ) {
	const dbvhi_overlap_body *b = &o->body[m];
	corners_of_mesh mesh = { .topology = b->topology,
	                         .side = b->solid->side,
	                         .pose = b->placed.moved ? &o->relative.frame_from_moved : NULL,
	                         .as_placed = !o->swapped,
	                         .a_from_here = o->swapped && m == 0 ? inverse : NULL,
	                         .scale = scale };
	double size = o->body[0].tree->largest;
	for ( int k = 0; k < 3; ++k ) {
		mesh.origin[k] = scale * o->origin[k];
		size = dbvhi_larger( size, o->body[0].tree->largest + fabs( o->relative.frame_from_moved.pos[k] ) );
	}
	if ( m == ( o->swapped ? 0 : 1 ) )
		mesh.box_error = o->swapped ? dbvhi_inverse_error( o, size ) : o->error;
	return mesh;
}

// Add the triangles that are not cut of one mesh.
static bool add_inner( summing *s, int m, const dbvh_pose *inverse ) {
	dbvh_overlap *o = s->o;
	const dbvhi_overlap_body *b = &o->body[m];
	const corners_of_mesh mesh = place_mesh( o, m, s->scale, inverse );
	run sum = empty_run();
	uint32_t face = DBVHI_NONE;
	for ( size_t i = 0; i < b->inner_count; ++i ) {
		const dbvhi_inner *inner = &b->inner[i];
		if ( inner->face != face || sum.count == RUN ) {
			face = inner->face;
			dbvhi_moments *next = &o->moments[o->surface_of[dbvhi_union_root( o->surface, face )]];
			if ( s->m != NULL && ( next != s->m || sum.count == RUN ) )
				close_run( &sum, s->m );
			if ( !dbvhi_overlap_charge( o, 1 ) )
				return false;
			s->m = next;
			s->m->box_error = dbvhi_larger( s->m->box_error, mesh.box_error );
			if ( s->m->node == DBVHI_NONE )
				s->m->node = dbvhi_vertex_node( o, m, b->topology->corner[3 * (size_t)inner->triangle] );
		}
		add_to_run( &mesh, inner->triangle, &sum );
	}
	if ( s->m != NULL )
		close_run( &sum, s->m );
	return true;
}

// ------------------------------------------------------------------------------------------------
// Clusters

// Sums over some clusters of one surface, about a point of the mesh's frame.
typedef struct cluster_run {
	dbvhi_sums sums;
	double centre[3];
	double outline; // in the mesh's unit
	bool any;
} cluster_run;

static void add_cluster( cluster_run *all, const dbvhi_cluster *cluster, double outline ) {
	dbvhi_sums part = cluster->sums;
	all->outline += outline;
	if ( !all->any ) {
		all->any = true;
		all->outline = outline;
		all->sums = part;
		memcpy( all->centre, cluster->centre, sizeof all->centre );
		return;
	}
	double d[3], off = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		d[k] = cluster->centre[k] - all->centre[k];
		off = dbvhi_larger( off, 2.0 * U * fabs( d[k] ) );
	}
	dbvhi_sums_shift( &part, d, off );
	dbvhi_sums_add( &all->sums, &part );
}

// Turn the sums into the frame of the query, about its origin, and add them to those of the surface.
//
// Corners of clusters are where they are, and those of the faces beside them where they were rounded to. Against a
// closed surface of rounded corners, for which moved_volume() is a bound, the volume changes by the motion's flux
// through the clusters, and by what the motion sweeps out along the outlines of all of them together, seen from the
// origin: at most e times the length of these and their largest coordinate. Corners of the mesh that stays are not
// rounded.
static void close_clusters( const summing *s, int m, cluster_run *all ) {
	const dbvh_overlap *o = s->o;
	const dbvhi_overlap_body *b = &o->body[m];
	const double factor = ldexp( 1.0, b->clusters->exponent - o->exponent );
	static const double identity[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	const dbvh_pose *pose = &o->relative.frame_from_moved;
	const double( *rot )[3] = b->placed.moved ? pose->rot : identity;
	dbvhi_sums_turn( &all->sums, rot, factor );
	double d[3], off = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		const double *c = all->centre;
		const double turned = factor * ( rot[k][0] * c[0] + rot[k][1] * c[1] + rot[k][2] * c[2] ),
		             size = factor * ( fabs( rot[k][0] * c[0] ) + fabs( rot[k][1] * c[1] ) + fabs( rot[k][2] * c[2] ) ),
		             pos = b->placed.moved ? s->scale * pose->pos[k] : 0.0, origin = s->scale * o->origin[k];
		d[k] = turned + pos - origin;
		off = dbvhi_larger( off, 8.0 * U * ( size + fabs( pos ) + fabs( origin ) ) );
	}
	dbvhi_sums_shift( &all->sums, d, off );
	const dbvhi_sums *sums = &all->sums;
	add( &s->m->volume, ( dbvhi_dd ){ sums->v, 0.0 }, sums->error_v );
	for ( int k = 0; k < 3; ++k )
		add( &s->m->first[k], ( dbvhi_dd ){ sums->f[k], 0.0 }, sums->error_f );
	add( &s->m->area, ( dbvhi_dd ){ sums->area, 0.0 }, sums->error_area );
	s->m->flux += 0.501 * sums->flux;
	if ( b->placed.moved )
		s->m->outline += 1.02 * sums->radius * ( s->scale * all->outline );
	all->any = false;
}

// How far a cluster's box reaches in the frame of A, and rounding on the way there.
static void reach_in_a( const corners_of_mesh *mesh, const dbvhi_cluster *c, double low[3], double high[3] ) {
	const dbvh_pose *pose = mesh->a_from_here != NULL ? mesh->a_from_here : mesh->as_placed ? mesh->pose : NULL;
	for ( int k = 0; k < 3; ++k ) {
		low[k] = pose != NULL ? pose->pos[k] : c->low[k];
		high[k] = pose != NULL ? pose->pos[k] : c->high[k];
		double size = pose != NULL ? fabs( pose->pos[k] ) : 0.0;
		for ( int j = 0; pose != NULL && j < 3; ++j ) {
			const double x = pose->rot[k][j] * c->low[j], y = pose->rot[k][j] * c->high[j];
			low[k] += dbvhi_smaller( x, y );
			high[k] += dbvhi_larger( x, y );
			size += dbvhi_larger( fabs( x ), fabs( y ) );
		}
		low[k] -= 32.0 * U * size;
		high[k] += 32.0 * U * size;
	}
}

static void see_triangle( const corners_of_mesh *mesh, uint32_t triangle, run *box ) {
	for ( size_t k = 0; k < 3; ++k ) {
		double x[3];
		see( corner_in_a( mesh, mesh->topology->corner[3 * (size_t)triangle + k], x ), box );
	}
}

// Make the box hold the corners of a cluster. Clusters that do not reach out of it are passed over, so that the box is
// that of all corners whatever the order.
static void see_cluster( const corners_of_mesh *mesh, const dbvhi_clusters *all, uint32_t cluster, run *box ) {
	const dbvhi_cluster *c = &all->clusters[cluster];
	double low[3], high[3];
	reach_in_a( mesh, c, low, high );
	bool holds = true;
	for ( int k = 0; k < 3; ++k )
		holds = holds && low[k] >= box->low[k] && high[k] <= box->high[k];
	if ( holds )
		return;
	for ( uint32_t i = 0; i < c->count; ++i ) {
		const uint32_t item = all->members[c->first + i];
		if ( c->level > 0 ) {
			see_cluster( mesh, all, item, box );
			continue;
		}
		see_triangle( mesh, item, box );
	}
}

// Go down to a triangle that is likely to be the extreme one along an axis: the box is then nearly what it will be, and
// most clusters are passed over, in whatever order they come.
static void see_extreme( const corners_of_mesh *mesh, const dbvhi_clusters *all, uint32_t cluster, int axis, bool upper,
                         run *box ) {
	while ( all->clusters[cluster].level > 0 ) {
		const dbvhi_cluster *c = &all->clusters[cluster];
		double most = -INFINITY;
		cluster = all->members[c->first];
		for ( uint32_t i = 0; i < c->count; ++i ) {
			double low[3], high[3];
			reach_in_a( mesh, &all->clusters[all->members[c->first + i]], low, high );
			const double reach = upper ? high[axis] : -low[axis];
			if ( reach > most ) {
				most = reach;
				cluster = all->members[c->first + i];
			}
		}
	}
	for ( uint32_t i = 0; i < all->clusters[cluster].count; ++i )
		see_triangle( mesh, all->members[all->clusters[cluster].first + i], box );
}

static void see_clusters( const corners_of_mesh *mesh, const dbvhi_overlap_body *b, const dbvhi_unit *unit,
                          dbvhi_moments *m ) {
	const dbvhi_cluster *c = &b->clusters->clusters[unit->cluster];
	run box = empty_run();
	for ( int k = 0; k < 3; ++k ) {
		box.low[k] = m->box_min[k];
		box.high[k] = m->box_max[k];
	}
	if ( mesh->a_from_here == NULL && ( !mesh->as_placed || mesh->pose == NULL ) ) {
		// note: corners of this box are coordinates of corners of triangles.
		see( c->low, &box );
		see( c->high, &box );
	} else {
		for ( int k = 0; k < 6; ++k ) {
			double low[3], high[3];
			reach_in_a( mesh, c, low, high );
			if ( k % 2 == 0 ? high[k / 2] > box.high[k / 2] : low[k / 2] < box.low[k / 2] )
				see_extreme( mesh, b->clusters, unit->cluster, k / 2, k % 2 == 0, &box );
		}
		see_cluster( mesh, b->clusters, unit->cluster, &box );
	}
	for ( int k = 0; k < 3; ++k ) {
		m->box_min[k] = box.low[k];
		m->box_max[k] = box.high[k];
	}
}

// A triangle of a cluster.
static uint32_t triangle_of( const dbvhi_clusters *c, uint32_t cluster ) {
	while ( c->clusters[cluster].level > 0 )
		cluster = c->members[c->clusters[cluster].first];
	return c->members[c->clusters[cluster].first];
}

// Add the clusters of one mesh.
static bool add_units( summing *s, int m, const dbvh_pose *inverse ) {
	dbvh_overlap *o = s->o;
	const dbvhi_overlap_body *b = &o->body[m];
	const corners_of_mesh mesh = place_mesh( o, m, s->scale, inverse );
	cluster_run all = { .any = false };
	s->m = NULL;
	for ( size_t i = 0; i < b->unit_count; ++i ) {
		const dbvhi_unit *unit = &b->units[i];
		dbvhi_moments *next = &o->moments[o->surface_of[dbvhi_union_root( o->surface, unit->face )]];
		if ( all.any && next != s->m )
			close_clusters( s, m, &all );
		s->m = next;
		next->box_error = dbvhi_larger( next->box_error, mesh.box_error );
		if ( next->node == DBVHI_NONE )
			next->node =
			    dbvhi_vertex_node( o, m, b->topology->corner[3 * (size_t)triangle_of( b->clusters, unit->cluster )] );
		add_cluster( &all, &b->clusters->clusters[unit->cluster], unit->outline );
		see_clusters( &mesh, b, unit, next );
		if ( !dbvhi_overlap_charge( o, 1 ) )
			return false;
	}
	if ( all.any )
		close_clusters( s, m, &all );
	return true;
}

static bool add_all_inner_in_pairs( summing *s, int m ) {
	dbvh_overlap *o = s->o;
	const dbvhi_overlap_body *b = &o->body[m];
	for ( size_t i = 0; i < b->inner_count; ++i ) {
		s->m = &o->moments[o->surface_of[dbvhi_union_root( o->surface, b->inner[i].face )]];
		if ( s->m->node == DBVHI_NONE )
			s->m->node = dbvhi_vertex_node( o, m, b->topology->corner[3 * (size_t)b->inner[i].triangle] );
		add_inner_in_pairs( s, m, b->inner[i].triangle );
		if ( !dbvhi_overlap_charge( o, 16 ) )
			return false;
	}
	return true;
}

static dbvhi_moments no_moments( void ) {
	dbvhi_moments m = { .node = DBVHI_NONE };
	for ( int k = 0; k < 3; ++k ) {
		m.box_min[k] = INFINITY;
		m.box_max[k] = -INFINITY;
	}
	return m;
}

static bool number_surfaces( dbvh_overlap *o ) {
	if ( !DBVHI_ROOM( o, o->surface_of, o->surface_of_capacity, o->face_count ) )
		return false;
	memset( o->surface_of, 0xff, o->face_count * sizeof *o->surface_of );
	o->surface_count = 0;
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		if ( !dbvhi_face_bounds( &o->faces[i] ) )
			continue;
		const uint32_t root = dbvhi_union_root( o->surface, i );
		if ( o->surface_of[root] == DBVHI_NONE )
			o->surface_of[root] = (uint32_t)o->surface_count++;
	}
	return DBVHI_ROOM( o, o->moments, o->moments_capacity, o->surface_count );
}

static uint32_t first_inner( const dbvhi_overlap_body *b ) {
	return b->inner_count > 0 ? b->inner[0].triangle : triangle_of( b->clusters, b->units[0].cluster );
}

// Choose the unit, in which no point of the smaller body is farther from another than some units, and an origin.
static void choose_unit( dbvh_overlap *o ) {
	const double r[2] = { dbvhi_tree_root( o->body[0].tree )->radius, dbvhi_tree_root( o->body[1].tree )->radius };
	const double size = r[0] < r[1] ? r[0] : r[1];
	int exponent = 0;
	frexp( size, &exponent );
	o->exponent = size > 0.0 ? ( exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent ) : 0;
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		if ( !dbvhi_face_bounds( f ) )
			continue;
		const dbvhi_overlap_body *b = &o->body[f->body];
		const dbvhi_node_id node =
		    f->start != DBVHI_NONE
		        ? b->outline[f->start].node
		        : dbvhi_vertex_node( o, (int)f->body, b->topology->corner[3 * (size_t)first_inner( b )] );
		dbvhi_node_position( o, node, o->origin );
		return;
	}
}

dbvhi_overlap_outcome dbvhi_overlap_sum( dbvh_overlap *o, bool in_pairs ) {
	if ( !in_pairs ) {
		if ( !number_surfaces( o ) )
			return DBVHI_OVERLAP_NO_MEMORY;
		choose_unit( o );
	}
	for ( size_t i = 0; i < o->surface_count; ++i )
		o->moments[i] = no_moments();
	summing s = { .o = o, .scale = ldexp( 1.0, -o->exponent ), .in_pairs = in_pairs };
	for ( uint32_t i = 0; i < o->face_count; ++i ) {
		const dbvhi_face *f = &o->faces[i];
		if ( !dbvhi_face_bounds( f ) || f->start == DBVHI_NONE )
			continue;
		s.m = &o->moments[o->surface_of[dbvhi_union_root( o->surface, i )]];
		if ( s.m->node == DBVHI_NONE )
			s.m->node = o->body[f->body].outline[f->start].node;
		add_outline( &s, f );
		if ( !dbvhi_overlap_charge( o, in_pairs ? 64 : 4 ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	if ( in_pairs && !dbvhi_overlap_expand( o ) )
		return DBVHI_OVERLAP_NO_MEMORY;
	const dbvh_pose inverse = o->swapped ? inverse_of( o ) : dbvh_pose_identity();
	for ( int m = 0; m < 2; ++m ) {
		s.m = NULL;
		if ( !( in_pairs ? add_all_inner_in_pairs( &s, m )
		                 : add_inner( &s, m, &inverse ) && add_units( &s, m, &inverse ) ) )
			return DBVHI_OVERLAP_STOPPED;
	}
	return DBVHI_OVERLAP_OK;
}

// ------------------------------------------------------------------------------------------------
// Intervals

static void add_sum( dbvhi_sum *sum, const dbvhi_sum *x ) {
	add( sum, x->value, x->error );
}

void dbvhi_moments_join( dbvhi_moments *sum, const dbvhi_moments *m ) {
	add_sum( &sum->volume, &m->volume );
	add_sum( &sum->area, &m->area );
	for ( int k = 0; k < 3; ++k ) {
		add_sum( &sum->first[k], &m->first[k] );
		sum->box_min[k] = fmin( sum->box_min[k], m->box_min[k] );
		sum->box_max[k] = fmax( sum->box_max[k], m->box_max[k] );
	}
	sum->box_error = fmax( sum->box_error, m->box_error );
	sum->flux += m->flux;
	sum->rim += m->rim;
	sum->count += m->count;
	sum->outline += m->outline;
}

// How far coordinates are off, in units of 2^exponent.
static double corner_error( const dbvh_overlap *o, bool in_pairs ) {
	const double scale = ldexp( 1.0, -o->exponent );
	if ( !in_pairs )
		return scale * o->error + 0x1p-1000;
	double size = 0.0;
	for ( int k = 0; k < 3; ++k )
		size = fmax( size, fabs( o->relative.frame_from_moved.pos[k] ) );
	size += o->body[0].tree->largest + 2.0 * o->body[1].tree->largest;
	return 0x1p-96 * ( scale * size ) + 0x1p-1000;
}

// The largest coordinate of the overlap, in units of 2^exponent: at most the extent of the smaller body. A pose
// stretches by far less than the slack.
#define REACH 8.0

static double moved_volume( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs ) {
	const double e = corner_error( o, in_pairs );
	return 2.0 * e * ( m->flux + m->outline + 2.0 * e * m->rim + 6.0 * e * e * m->count );
}

double dbvhi_moments_volume_error( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs ) {
	return ( 6.0 * moved_volume( o, m, in_pairs ) + m->volume.error ) * ( 1.0 + 0x1p-20 );
}

// [value - error, value + error] / divisor, times 2^exponent, rounded outwards; not below 0.
static dbvh_interval interval_of( double value, double error, double divisor, int exponent ) {
	const double low = nextafter( ( value - error ) / divisor, -INFINITY ),
	             high = nextafter( ( value + error ) / divisor, INFINITY );
	dbvh_interval out = { ldexp( nextafter( low, -INFINITY ), exponent ),
	                      ldexp( nextafter( high, INFINITY ), exponent ) };
	// note: ldexp() rounds among the denormal numbers, and overflows to infinity.
	out.lower = nextafter( out.lower, -INFINITY );
	out.upper = nextafter( out.upper, INFINITY );
	if ( !( out.lower > 0.0 ) )
		out.lower = 0.0;
	return out;
}

static dbvh_interval to_the_box( dbvh_interval x, dbvh_interval low, dbvh_interval high ) {
	if ( !( x.lower >= low.lower ) )
		x.lower = low.lower;
	if ( !( x.upper <= high.upper ) )
		x.upper = high.upper;
	return x;
}

// The centroid in the frame of the query: middle and error of each coordinate, absolute.
static void centre( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs, double out[3], double error[3] ) {
	const double volume = 4.0 * m->volume.value.hi,
	             off = 4.0 * dbvhi_moments_volume_error( o, m, in_pairs ) + 4.0 * U * volume;
	for ( int k = 0; k < 3; ++k ) {
		const double first = m->first[k].value.hi;
		const double first_off =
		    m->first[k].error + 24.0 * REACH * moved_volume( o, m, in_pairs ) + 4.0 * U * fabs( first );
		const double q = first / volume;
		const double q_off =
		    ( first_off + fabs( q ) * off ) / ( volume - off ) * ( 1.0 + 0x1p-20 ) + 8.0 * U * fabs( q );
		const double scale = ldexp( 1.0, o->exponent );
		out[k] = o->origin[k] + scale * q;
		error[k] = volume > off ? scale * q_off + 4.0 * U * ( fabs( o->origin[k] ) + scale * fabs( q ) ) + 0x1p-1040
		                        : INFINITY;
	}
}

static void close_centroid( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs, dbvh_overlap_measure *out ) {
	double error[3];
	dbvhi_vec c;
	centre( o, m, in_pairs, c.v, error );
	if ( o->swapped ) {
		double most = 0.0, size = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			most += error[k];
			size = fmax( size, fabs( c.v[k] ) + fabs( o->relative.frame_from_moved.pos[k] ) );
		}
		c = dbvhi_unplaced( &o->body[1].placed, c );
		for ( int k = 0; k < 3; ++k )
			error[k] = 1.001 * most + 0x1p-46 * size + 0x1p-1040;
	}
	for ( int k = 0; k < 3; ++k ) {
		const dbvh_interval x = { nextafter( c.v[k] - error[k], -INFINITY ), nextafter( c.v[k] + error[k], INFINITY ) };
		out->centroid[k] = to_the_box( x, out->box_min[k], out->box_max[k] );
	}
}

static dbvh_interval around( double x, double error ) {
	if ( error == 0.0 )
		return ( dbvh_interval ){ x, x };
	return ( dbvh_interval ){ nextafter( x - error, -INFINITY ), nextafter( x + error, INFINITY ) };
}

void dbvhi_moments_close( const dbvh_overlap *o, const dbvhi_moments *m, bool in_pairs, dbvh_overlap_measure *out ) {
	const double e = corner_error( o, in_pairs );
	out->volume =
	    interval_of( m->volume.value.hi, dbvhi_moments_volume_error( o, m, in_pairs ) + fabs( m->volume.value.lo ), 6.0,
	                 3 * o->exponent );
	out->area = interval_of( m->area.value.hi,
	                         ( m->area.error + 4.0 * e * m->rim + 12.0 * e * e * m->count ) * ( 1.0 + 0x1p-20 ) +
	                             fabs( m->area.value.lo ),
	                         1.0, 2 * o->exponent );
	for ( int k = 0; k < 3; ++k ) {
		out->box_min[k] = around( m->box_min[k], m->box_error );
		out->box_max[k] = around( m->box_max[k], m->box_error );
	}
	close_centroid( o, m, in_pairs, out );
}
