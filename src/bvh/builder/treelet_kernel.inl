// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The functions of treelet.h. Compiled for every instruction set.

#include "base/assert.h"
#include "base/sort.h"
#include "bvh/builder/fit_x16.inl"
#include "bvh/builder/split_binned.inl"
#include "bvh/builder/treelet.h"
#include "bvh/builder/wide.h"
#include "primitive/fit/sphere_fit.inl"
#include "simd/kernel_name.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define POINTS ( 3 * DBVHI_TREELET )
#define TINY 4    // nodes of up to so many triangles have loops of their own
#define MIDDLE 16 // nodes of up to so many share a queue, because they have fewer points than larger ones
#define QUEUES ( TINY + 2 )

// A triangle of a treelet: its corners are indices of the treelet's points.
typedef struct small_triangle {
	uint16_t corner[3], own;
} small_triangle;

typedef struct queue {
	dbvhi_fit_task tasks[64];
	int count;
} queue;

typedef dbvhi_surface_moments moments;

struct dbvhi_treelet_memory {
	fit_x16 c;
	double points[3][POINTS];
	double near[3][POINTS + 8]; // points of one node, contiguous
	float small[3][POINTS + 8]; // the same points, scaled
	f4 along[POINTS];
	reach reaches[DBVHI_TREELET];
	f4 sums[DBVHI_TREELET];
	moments moments[DBVHI_TREELET];
	small_triangle triangles[DBVHI_TREELET], spare[DBVHI_TREELET];
	uint32_t numbers[DBVHI_TREELET];
	uint64_t keys[DBVHI_TREELET];
	uint16_t seen[POINTS], now; // by point: the node that has listed it last
	uint16_t list[LANES][POINTS + 8], listed[LANES], chosen[LANES][FEW], ends[LANES][2];
	queue queues[QUEUES]; // one for each number of triangles up to TINY, one up to MIDDLE, one for more
};

typedef struct dbvhi_treelet_memory treelet;

// ------------------------------------------------------------------------------------------------
// Choosing axes

// Computes moments of eight triangles side by side: coordinate k of corner c at [3 c + k].
WIDE_INLINE void moments_of_eight( double p[9][8], double out[10][8] ) {
	for ( int l = 0; l < 8; ++l ) {
		const double ux = p[3][l] - p[0][l], uy = p[4][l] - p[1][l], uz = p[5][l] - p[2][l];
		const double vx = p[6][l] - p[0][l], vy = p[7][l] - p[1][l], vz = p[8][l] - p[2][l];
		const double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
		const double area = 0.5 * sqrt( nx * nx + ny * ny + nz * nz );
		// The integral of x x^T over a triangle is area / 12 * ( s s^T + sum p p^T ), with s the sum of the corners.
		const double w = area * ( 1.0 / 12.0 ), third = area * ( 1.0 / 3.0 );
		const double sx = p[0][l] + p[3][l] + p[6][l], sy = p[1][l] + p[4][l] + p[7][l],
		             sz = p[2][l] + p[5][l] + p[8][l];
		out[0][l] = area;
		out[1][l] = third * sx;
		out[2][l] = third * sy;
		out[3][l] = third * sz;
#define SECOND( s, t, a, b ) w *( s * t + p[a][l] * p[b][l] + p[3 + a][l] * p[3 + b][l] + p[6 + a][l] * p[6 + b][l] )
		out[4][l] = SECOND( sx, sx, 0, 0 );
		out[5][l] = SECOND( sy, sy, 1, 1 );
		out[6][l] = SECOND( sz, sz, 2, 2 );
		out[7][l] = SECOND( sx, sy, 0, 1 );
		out[8][l] = SECOND( sy, sz, 1, 2 );
		out[9][l] = SECOND( sz, sx, 2, 0 );
#undef SECOND
	}
}

WIDE_INLINE void moments_add( moments *a, const moments *b ) {
	for ( int i = 0; i < 10; ++i )
		a->v[i] += b->v[i];
}

// Adds a corner as a point mass, for a surface without area.
static void moments_add_point( moments *m, const double p[3] ) {
	m->v[0] += 1.0;
	for ( int k = 0; k < 3; ++k ) {
		m->v[1 + k] += p[k];
		m->v[4 + k] += p[k] * p[k];
		m->v[7 + k] += p[k] * p[( k + 1 ) % 3];
	}
}

// Returns the factor that scales `size` to 1.
static double scale_for( double size ) {
	return size > 1e-300 ? 1.0 / size : 0.0;
}

static void set_covariance( fit_x16 *c, int l, const moments *m ) {
	DBVHI_ASSERT( (unsigned)l < LANES );
	const double inverse = m->v[0] > 0.0 ? 1.0 / m->v[0] : 0.0;
	double mean[3], covariance[6];
	for ( int k = 0; k < 3; ++k )
		mean[k] = m->v[1 + k] * inverse;
	for ( int k = 0; k < 3; ++k ) {
		covariance[k] = m->v[4 + k] * inverse - mean[k] * mean[k];
		covariance[3 + k] = m->v[7 + k] * inverse - mean[k] * mean[( k + 1 ) % 3];
	}
	// note: if rounding has left nothing of the covariance, the result is arbitrary but finite.
	double size = 0.0;
	for ( int k = 0; k < 6; ++k )
		size += fabs( covariance[k] );
	const double inverse_size = size > 1e-300 ? 1.0 / size : 0.0;
	for ( int k = 0; k < 6; ++k )
		c->covariance[k][l] = (float)( covariance[k] * inverse_size );
}

#define DIRECTIONS ( FEW / 2 )

// Chooses the extreme points in 13 directions spread over the half sphere, in the proportions of the box along the
// lane's axes: few points that span nearly the same box in any orientation near these axes. One direction a lane.
static void choose_few( fit_x16 *c, int lane, const float *x, const float *y, const float *z, size_t count,
                        uint16_t chosen[FEW] ) {
	DBVHI_ASSERT( (unsigned)lane < LANES && count > 0 );
	// Faces, edges and corners of a cube.
	static const float cube[3][LANES] = { { 1, 0, 0, 1, 1, 0, 0, 1, -1, 1, 1, 1, -1 },
	                                      { 0, 1, 0, 1, -1, 1, 1, 0, 0, 1, 1, -1, 1 },
	                                      { 0, 0, 1, 0, 0, 1, -1, 1, 1, 1, -1, 1, 1 } };
	float low[4][LANES], high[4][LANES];
	float axes[9], extent[3];
	for ( int k = 0; k < 9; ++k )
		axes[k] = c->axes[k][lane];
	for ( int k = 0; k < 3; ++k )
		EACH_LANE low[k][l] = high[k][l] = 0.0f; // the first point is the origin
	for ( size_t next = 0; next < count; next += LANES ) {
		const size_t i = next + LANES <= count ? next : count - LANES;
		EACH_LANE {
			for ( int k = 0; k < 3; ++k ) {
				const float along =
				    axes[k] * x[i + (size_t)l] + axes[3 + k] * y[i + (size_t)l] + axes[6 + k] * z[i + (size_t)l];
				low[k][l] = lower( along, low[k][l] );
				high[k][l] = higher( along, high[k][l] );
			}
		}
	}
	for ( int k = 0; k < 3; ++k ) {
		float least = low[k][0], most = high[k][0];
		EACH_LANE {
			least = lower( low[k][l], least );
			most = higher( high[k][l], most );
		}
		extent[k] = most - least > 1e-30f ? 1.0f / ( most - least ) : 0.0f;
	}
	float dx[LANES], dy[LANES], dz[LANES], lowest[LANES], highest[LANES], first[LANES], last[LANES];
	EACH_LANE {
		const float a = cube[0][l] * extent[0], b = cube[1][l] * extent[1], d = cube[2][l] * extent[2];
		dx[l] = axes[0] * a + axes[1] * b + axes[2] * d;
		dy[l] = axes[3] * a + axes[4] * b + axes[5] * d;
		dz[l] = axes[6] * a + axes[7] * b + axes[8] * d;
		lowest[l] = INFINITY;
		highest[l] = -INFINITY;
		first[l] = last[l] = 0.0f;
	}
	for ( size_t i = 0; i < count; ++i ) {
		const float px = x[i], py = y[i], pz = z[i], number = (float)i;
		EACH_LANE {
			const float along = dx[l] * px + dy[l] * py + dz[l] * pz;
			first[l] = along < lowest[l] ? number : first[l];
			lowest[l] = along < lowest[l] ? along : lowest[l];
			last[l] = along > highest[l] ? number : last[l];
			highest[l] = along > highest[l] ? along : highest[l];
		}
	}
	for ( int d = 0; d < DIRECTIONS; ++d ) {
		const size_t i = (size_t)first[d], j = (size_t)last[d];
		chosen[2 * d] = (uint16_t)i;
		chosen[2 * d + 1] = (uint16_t)j;
		c->few[0][2 * d][lane] = x[i];
		c->few[1][2 * d][lane] = y[i];
		c->few[2][2 * d][lane] = z[i];
		c->few[0][2 * d + 1][lane] = x[j];
		c->few[1][2 * d + 1][lane] = y[j];
		c->few[2][2 * d + 1][lane] = z[j];
	}
}

// Drops repeated points, extreme in several directions. Returns how many are left.
static int drop_repeated( fit_x16 *c, int lane, uint16_t chosen[FEW] ) {
	uint64_t seen[( POINTS + 8 + 63 ) / 64] = { 0 };
	int count = 0;
	for ( int i = 0; i < FEW; ++i ) {
		const uint16_t at = chosen[i];
		const bool fresh = ( seen[at / 64] >> at % 64 & 1 ) == 0;
		for ( int k = 0; k < 3; ++k )
			c->few[k][count][lane] = c->few[k][i][lane];
		chosen[count] = at;
		count += fresh;
		seen[at / 64] |= (uint64_t)1 << at % 64;
	}
	return count;
}

static void pad_few( fit_x16 *c, int lane, int from, int to ) {
	DBVHI_ASSERT( (unsigned)lane < LANES && from > 0 && to <= FEW );
	for ( int i = from; i < to; ++i ) {
		for ( int k = 0; k < 3; ++k )
			c->few[k][i][lane] = c->few[k][0][lane];
	}
}

// ------------------------------------------------------------------------------------------------
// Measuring

// Projects points on the lane's axes: extents, and scaled positions: point i's at along[where[i]], or along[i]. At
// least eight points.
WIDE_INLINE void project( fit_x16 *c, int lane, const double *x, const double *y, const double *z, size_t count,
                          const uint16_t *where, f4 *along ) {
	const double ox = c->first[0][lane], oy = c->first[1][lane], oz = c->first[2][lane], scale = c->scale[lane];
	double low[3][8], high[3][8], m[9];
	for ( int k = 0; k < 9; ++k )
		m[k] = c->mesh[k][lane];
	for ( int k = 0; k < 3; ++k )
		for ( int l = 0; l < 8; ++l )
			low[k][l] = high[k][l] = 0.0;
	for ( size_t next = 0; next < count; next += 8 ) {
		const size_t at = next + 8 <= count ? next : count - 8;
		const double *px = x + at, *py = y + at, *pz = z + at;
		float out[3][8];
		for ( int l = 0; l < 8; ++l ) {
			const double dx = px[l] - ox, dy = py[l] - oy, dz = pz[l] - oz;
			for ( int k = 0; k < 3; ++k ) {
				const double d = m[k] * dx + m[3 + k] * dy + m[6 + k] * dz;
				low[k][l] = d < low[k][l] ? d : low[k][l];
				high[k][l] = d > high[k][l] ? d : high[k][l];
				out[k][l] = (float)( d * scale );
			}
		}
		for ( size_t l = 0; l < 8; ++l )
			along[where != NULL ? where[at + l] : at + l] = ( f4 ){ out[0][l], out[1][l], out[2][l], 0.0f };
	}
	for ( int k = 0; k < 3; ++k ) {
		double least = low[k][0], most = high[k][0];
		for ( int l = 1; l < 8; ++l ) {
			least = low[k][l] < least ? low[k][l] : least;
			most = high[k][l] > most ? high[k][l] : most;
		}
		c->low[k][lane] = least;
		c->high[k][lane] = most;
	}
}

static void set_sphere( fit_x16 *c, int lane, const dbvhi_sphere *sphere ) {
	DBVHI_ASSERT( (unsigned)lane < LANES );
	DBVHI_ASSERT( sphere->radius >= 0.0 );
	put_vec( c->centre, lane, sphere->centre );
	c->radius[lane] = sphere->radius;
}

// ------------------------------------------------------------------------------------------------
// Treelets

static queue *queue_for( treelet *g, uint32_t count ) {
	DBVHI_ASSERT( count >= 1 && count <= DBVHI_TREELET );
	return &g->queues[count <= TINY ? count - 1 : count <= MIDDLE ? TINY : TINY + 1];
}

static void push( treelet *g, const dbvhi_fit_task *parent, uint32_t right, uint32_t low, uint32_t count,
                  uint32_t block, const fit_x16 *c, int lane ) {
	DBVHI_ASSERT( (unsigned)lane < LANES && count > 0 );
	queue *q = queue_for( g, count );
	dbvhi_fit_task *task = &q->tasks[q->count++];
	task->node = parent->block + right;
	task->block = block;
	task->low = low;
	task->count = count;
	task->depth = parent->depth + 1;
	task->parent = frame_of( c, lane );
}

// Writes a node and queues its children; `left` triangles go left, or it is a leaf.
static void finish( treelet *g, const dbvhi_build_plan *plan, const dbvhi_fit_task *task, int lane, uint32_t left,
                    uint32_t first ) {
	DBVHI_ASSERT( (unsigned)lane < LANES );
	const fit_x16 *c = &g->c;
	dbvhi_node *node = &plan->nodes[task->node];
	if ( task->count <= plan->options->leaf_size ) {
		write_node( c, lane, node, first + task->low, task->count, first + task->low, task->count );
		return;
	}
	DBVHI_ASSERT( left > 0 && left < task->count );
	if ( plan->to_pack && task->count <= TINY ) {
		// note: a child of three triangles is still fitted, because its own axes decide their order.
		write_node( c, lane, node, first + task->low, task->count, first + task->low, task->count );
		if ( task->count == 4 && left == 1 )
			push( g, task, 1, task->low + left, 3, task->block + 2, c, lane );
		if ( task->count == 4 && left == 3 )
			push( g, task, 0, task->low, 3, task->block + 2, c, lane );
		return;
	}
	write_node( c, lane, node, task->block, 0, first + task->low, task->count );
	push( g, task, 0, task->low, left, task->block + 2, c, lane );
	push( g, task, 1, task->low + left, task->count - left, task->block + 2 * left, c, lane );
}

// Lists the distinct points of a node, in the order of first use by its triangles.
static void list_near( treelet *g, const dbvhi_fit_task *task, int lane ) {
	const uint16_t now = ++g->now;
	uint16_t *list = g->list[lane];
	uint32_t count = 0;
	for ( uint32_t i = task->low; i < task->low + task->count; ++i ) {
		for ( int corner = 0; corner < 3; ++corner ) {
			const uint16_t at = g->triangles[i].corner[corner];
			list[count] = at;
			count += g->seen[at] != now;
			g->seen[at] = now;
		}
	}
	while ( count < 8 ) {
		list[count] = list[0];
		count += 1;
	}
	g->listed[lane] = (uint16_t)count;
}

static void sum_moments( treelet *g, const dbvhi_fit_task *task, int lane ) {
	moments sum = { { 0 } };
	for ( uint32_t i = task->low; i < task->low + task->count; ++i )
		moments_add( &sum, &g->moments[g->triangles[i].own] );
	if ( !( sum.v[0] > 0.0 ) ) {
		memset( &sum, 0, sizeof sum );
		for ( uint32_t i = 3 * task->low; i < 3 * ( task->low + task->count ); ++i ) {
			const uint16_t at = g->triangles[i / 3].corner[i % 3];
			const double p[3] = { g->points[0][at] - g->points[0][0], g->points[1][at] - g->points[1][0],
			                      g->points[2][at] - g->points[2][0] };
			moments_add_point( &sum, p );
		}
	}
	set_covariance( &g->c, lane, &sum );
}

static void start_lane( treelet *g, const dbvhi_fit_task *task, int lane ) {
	DBVHI_ASSERT( (unsigned)lane < LANES );
	const uint16_t at = g->triangles[task->low].corner[0];
	set_parent( &g->c, lane, &task->parent );
	for ( int k = 0; k < 3; ++k )
		g->c.first[k][lane] = g->points[k][at];
}

// Copies a node's points into one array.
static void gather( treelet *g, int lane ) {
	DBVHI_ASSERT( (unsigned)lane < LANES );
	const uint16_t *list = g->list[lane];
	for ( size_t i = 0; i < g->listed[lane]; ++i ) {
		for ( int k = 0; k < 3; ++k )
			g->near[k][i] = g->points[k][list[i]];
	}
}

// Returns the maximum of `most` and the largest distance of at least eight numbers from another.
static double farthest_along( const double *x, size_t count, double from, double most ) {
	double lanes[8];
	for ( int l = 0; l < 8; ++l )
		lanes[l] = most;
	for ( size_t next = 0; next < count; next += 8 ) {
		const size_t at = next + 8 <= count ? next : count - 8;
		for ( int l = 0; l < 8; ++l ) {
			const double d = fabs( x[at + (size_t)l] - from );
			lanes[l] = d > lanes[l] ? d : lanes[l];
		}
	}
	for ( int l = 0; l < 8; ++l )
		most = lanes[l] > most ? lanes[l] : most;
	return most;
}

static void scale_near( treelet *g, int lane ) {
	fit_x16 *c = &g->c;
	double most = 0.0;
	for ( int k = 0; k < 3; ++k )
		most = farthest_along( g->near[k], g->listed[lane], c->first[k][lane], most );
	c->scale[lane] = scale_for( most );
	for ( int k = 0; k < 3; ++k ) {
		const double first = c->first[k][lane], scale = c->scale[lane];
		for ( size_t i = 0; i < g->listed[lane]; ++i )
			g->small[k][i] = (float)( ( g->near[k][i] - first ) * scale );
	}
}

// Splits at the median on the longest axis, for branches that have become too deep.
static size_t divide_at_median( treelet *g, const dbvhi_fit_task *task, const f4 *sums, int axis ) {
	DBVHI_ASSERT( task->count >= 2 && (unsigned)axis < 3 );
	const size_t count = task->count;
	small_triangle *triangles = g->triangles + task->low;
	uint64_t *keys = g->keys;
	for ( size_t i = 0; i < count; ++i ) {
		const float value = sums[i][axis];
		uint32_t bits;
		memcpy( &bits, &value, sizeof bits );
		keys[i] = (uint64_t)( bits >> 31 ? ~bits : bits | 0x80000000u ) << 32 | i;
	}
	dbvhi_sort_u64( keys, count );
	memcpy( g->spare, triangles, count * sizeof triangles[0] );
	for ( size_t i = 0; i < count; ++i )
		triangles[i] = g->spare[(uint32_t)keys[i]];
	return count / 2;
}

// Divides a node of more than TINY triangles, whose points have been projected.
static size_t divide_near( treelet *g, const dbvhi_build_plan *plan, const dbvhi_fit_task *task, int lane ) {
	DBVHI_ASSERT( task->count >= 2 && (unsigned)lane < LANES );
	const int count = (int)task->count;
	small_triangle *triangles = g->triangles + task->low;
	f4 least = f4_set( INFINITY ), most = f4_set( -INFINITY );
	for ( int i = 0; i < count; ++i ) {
		const f4 a = g->along[triangles[i].corner[0]], b = g->along[triangles[i].corner[1]],
		         c = g->along[triangles[i].corner[2]];
		const f4 sum = a + b + c;
		g->reaches[i] = reach_of( a, b, c );
		g->sums[i] = sum;
		least = f4_min( sum, least );
		most = f4_max( sum, most );
	}
	if ( task->depth >= plan->free_depth ) {
		int longest = 0;
		for ( int k = 1; k < 3; ++k ) {
			if ( g->c.high[k][lane] - g->c.low[k][lane] > g->c.high[longest][lane] - g->c.low[longest][lane] )
				longest = k;
		}
		return divide_at_median( g, task, g->sums, longest );
	}
	small_triangle *spare = g->spare;
	if ( count <= EXACT ) {
		const places p = { g->reaches, g->sums };
		uint8_t order[EXACT];
		const size_t left = divide_exactly( &p, count, order );
		if ( left == 0 )
			return task->count / 2;
		memcpy( spare, triangles, task->count * sizeof spare[0] );
		for ( int i = 0; i < count; ++i )
			triangles[i] = spare[order[i]];
		return left;
	}
	histogram h;
	int bin = 0;
	histogram_start( &h, least, most );
	for ( int i = 0; i < count; ++i )
		histogram_add( &h, &g->reaches[i], g->sums[i] );
	const int axis = histogram_best( &h, 1, &bin );
	if ( axis < 0 )
		return task->count / 2;
	size_t left = 0, right = 0;
	for ( int i = 0; i < count; ++i ) {
		const small_triangle t = triangles[i];
		const bool goes_left = bin_of( &h, g->sums[i] )[axis] < bin;
		triangles[left] = t;
		spare[right] = t;
		left += goes_left;
		right += !goes_left;
	}
	memcpy( triangles + left, spare, right * sizeof spare[0] );
	return left;
}

// Finds the smallest sphere. Starts with the two points at the ends of the longest axis, if known, and goes on with the
// few extreme ones before it looks at all.
static dbvhi_sphere near_sphere( treelet *g, int lane, int few ) {
	const dbvhi_point_set points = { g->near[0], g->near[1], g->near[2], g->listed[lane] };
	const size_t i = g->ends[lane][0], j = g->ends[lane][1];
	if ( i == j )
		return sphere_smallest( points );
	sphere_search search = sphere_between( point_at( points, i ), point_at( points, j ) );
	if ( !( search.radius_sq > 0.0 ) )
		return sphere_smallest( points );
	if ( points.count > 2 * FEW ) {
		double x[FEW], y[FEW], z[FEW];
		for ( int k = 0; k < few; ++k ) {
			const uint16_t at = g->chosen[lane][k];
			x[k] = points.x[at];
			y[k] = points.y[at];
			z[k] = points.z[at];
		}
		sphere_finish( &search, ( dbvhi_point_set ){ x, y, z, (size_t)few } );
	}
	return sphere_finish( &search, points );
}

// Fits up to sixteen nodes of more than TINY triangles.
static void grow_large( treelet *g, const dbvhi_build_plan *plan, const dbvhi_fit_task *tasks, int count,
                        uint32_t first ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	fit_x16 *c = &g->c;
	for ( int lane = 0; lane < count; ++lane ) {
		start_lane( g, &tasks[lane], lane );
		list_near( g, &tasks[lane], lane );
		sum_moments( g, &tasks[lane], lane );
	}
	find_eigenvectors( c );
	int few = 0, counts[LANES];
	for ( int lane = 0; lane < count; ++lane ) {
		gather( g, lane );
		scale_near( g, lane );
		// note: branches on triangles, not points, so that the tree does not depend on whether equal corners share a
		// vertex.
		if ( 3 * tasks[lane].count <= FEW ) {
			counts[lane] = (int)g->listed[lane];
			g->ends[lane][0] = g->ends[lane][1] = 0; // ends unknown
			for ( int i = 0; i < counts[lane]; ++i ) {
				for ( int k = 0; k < 3; ++k )
					c->few[k][i][lane] = g->small[k][i];
			}
		} else {
			size_t near = g->listed[lane];
			for ( ; near < LANES; ++near ) {
				for ( int k = 0; k < 3; ++k )
					g->small[k][near] = g->small[k][0];
			}
			choose_few( c, lane, g->small[0], g->small[1], g->small[2], near, g->chosen[lane] );
			int longest = 0;
			for ( int k = 1; k < 3; ++k )
				longest = c->covariance[k][lane] > c->covariance[longest][lane] ? k : longest;
			g->ends[lane][0] = g->chosen[lane][2 * longest];
			g->ends[lane][1] = g->chosen[lane][2 * longest + 1];
			counts[lane] = drop_repeated( c, lane, g->chosen[lane] );
		}
		few = counts[lane] > few ? counts[lane] : few;
	}
	for ( int lane = 0; lane < count; ++lane )
		pad_few( c, lane, counts[lane], few );
	refine_axes( c, few, 4, 5 );
	widen_axes( c );
	place_axes( c );
	uint32_t left[LANES];
	for ( int lane = 0; lane < count; ++lane ) {
		const size_t near = g->listed[lane];
		gather( g, lane );
		project( c, lane, g->near[0], g->near[1], g->near[2], near, g->list[lane], g->along );
		if ( plan->options->sphere_fit == DBVH_NODE_SPHERE_SMALLEST ) {
			const dbvhi_sphere sphere = near_sphere( g, lane, counts[lane] );
			set_sphere( c, lane, &sphere );
		}
		if ( tasks[lane].count > plan->options->leaf_size )
			left[lane] = (uint32_t)divide_near( g, plan, &tasks[lane], lane );
	}
	place_boxes( c, plan->limit );
	if ( plan->options->sphere_fit == DBVH_NODE_SPHERE_BOX_CENTRE ) {
		for ( int lane = 0; lane < count; ++lane ) {
			gather( g, lane );
			const dbvhi_sphere sphere =
			    sphere_about( vec_at( c->frame + 9, lane ),
			                  ( dbvhi_point_set ){ g->near[0], g->near[1], g->near[2], g->listed[lane] } );
			set_sphere( c, lane, &sphere );
		}
	}
	place_spheres( c, plan->limit );
	rescale( c, plan->factor );
	for ( int lane = 0; lane < count; ++lane )
		finish( g, plan, &tasks[lane], lane, left[lane], first );
}

#include "bvh/builder/treelet_leaf.inl"

// Computes the moments of all triangles of a treelet, about its first point.
static void measure_moments( treelet *g, uint32_t count ) {
	DBVHI_ASSERT( count > 0 && count <= DBVHI_TREELET );
	for ( uint32_t first = 0; first < count; first += 8 ) {
		double p[9][8], out[10][8];
		for ( uint32_t l = 0; l < 8; ++l ) {
			const small_triangle *t = &g->triangles[first + l < count ? first + l : count - 1];
			for ( int i = 0; i < 9; ++i )
				p[i][l] = g->points[i % 3][t->corner[i / 3]] - g->points[i % 3][0];
		}
		moments_of_eight( p, out );
		for ( uint32_t l = 0; l < 8 && first + l < count; ++l ) {
			for ( int i = 0; i < 10; ++i )
				g->moments[first + l].v[i] = out[i][l];
		}
	}
}

static uint32_t build_treelet( const dbvhi_build_plan *plan, const dbvhi_fit_task *root, const dbvhi_part *part,
                               treelet *g ) {
	DBVHI_ASSERT( root->count >= 1 && root->count <= DBVHI_TREELET );
	const uint32_t count = root->count;
	for ( uint32_t i = 0; i < count; ++i ) {
		const dbvhi_build_triangle *t = &part->triangles[i];
		g->triangles[i] = ( small_triangle ){
		    { (uint16_t)t->corner[0], (uint16_t)t->corner[1], (uint16_t)t->corner[2] }, (uint16_t)i };
		g->numbers[i] = t->number;
	}
	memcpy( g->points[0], part->points.x, part->points.count * sizeof( double ) );
	memcpy( g->points[1], part->points.y, part->points.count * sizeof( double ) );
	memcpy( g->points[2], part->points.z, part->points.count * sizeof( double ) );
	memset( &g->c, 0, sizeof g->c ); // unused lanes are computed, too
	memset( g->seen, 0, sizeof g->seen );
	g->now = 0;
	for ( int i = 0; i < QUEUES; ++i )
		g->queues[i].count = 0;
	measure_moments( g, count );

	uint32_t deepest = 0;
	const uint32_t first = root->low;
	queue *start = queue_for( g, count );
	start->tasks[start->count] = *root;
	start->tasks[start->count++].low = 0;
	for ( ;; ) {
		// Full batches first, the smallest nodes first, so that queues stay short; otherwise the newest of the largest.
		int chosen = -1;
		for ( int i = 0; i < QUEUES && chosen < 0; ++i )
			chosen = g->queues[i].count >= LANES ? i : -1;
		for ( int i = QUEUES - 1; i >= 0 && chosen < 0; --i )
			chosen = g->queues[i].count > 0 ? i : -1;
		if ( chosen < 0 )
			break;
		queue *q = &g->queues[chosen];
		const int taken = q->count < LANES ? q->count : LANES;
		dbvhi_fit_task tasks[LANES];
		q->count -= taken;
		memcpy( tasks, q->tasks + q->count, (size_t)taken * sizeof tasks[0] );
		// Levels below that are not built: one for two triangles, two for three or four.
		const uint32_t below =
		    plan->to_pack && chosen < TINY ? (uint32_t)( chosen + 1 ) / 2 + (uint32_t)( chosen == 2 ) : 0;
		for ( int i = 0; i < taken; ++i )
			deepest = tasks[i].depth + below > deepest ? tasks[i].depth + below : deepest;
		if ( chosen == 0 )
			grow_single( g, plan, tasks, taken, first );
		else if ( chosen < TINY )
			grow_tiny( g, plan, tasks, taken, chosen + 1, first );
		else
			grow_large( g, plan, tasks, taken, first );
	}
	for ( uint32_t i = 0; i < count; ++i )
		part->triangles[i].number = g->numbers[g->triangles[i].own];
	return deepest;
}

#include "bvh/builder/fit_large.inl"

static void moments_apart( double corners[9][8], dbvhi_surface_moments out[8] ) {
	double sums[10][8];
	moments_of_eight( corners, sums );
	for ( int l = 0; l < 8; ++l ) {
		for ( int i = 0; i < 10; ++i )
			out[l].v[i] = sums[i][l];
	}
}

static void principal_axes( const dbvhi_surface_moments *const of[LANES], int count, dbvhi_mat out[LANES] ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	fit_x16 c;
	for ( int l = 0; l < LANES; ++l )
		set_covariance( &c, l, of[l < count ? l : 0] );
	find_eigenvectors( &c );
	for ( int l = 0; l < count; ++l ) {
		int order[3] = { 0, 1, 2 };
		for ( int step = 0; step < 3; ++step ) {
			const int k = step % 2;
			if ( c.covariance[order[k]][l] > c.covariance[order[k + 1]][l] ) {
				const int swapped = order[k];
				order[k] = order[k + 1];
				order[k + 1] = swapped;
			}
		}
		const bool turned = ( order[1] + 3 - order[0] ) % 3 == 2;
		for ( int i = 0; i < 3; ++i ) {
			for ( int k = 0; k < 3; ++k ) {
				const double x = (double)c.axes[3 * i + order[k]][l];
				out[l].m[i][k] = turned && k == 2 ? -x : x;
			}
		}
		// note: each Newton step doubles the number of correct digits, which floats begin.
		out[l] = orthonormal_again( orthonormal_again( out[l] ) );
	}
}

extern const dbvhi_builder_isa DBVHI_KERNEL_NAME( dbvhi_builder );
const dbvhi_builder_isa DBVHI_KERNEL_NAME( dbvhi_builder ) = { sizeof( treelet ), divide, build_treelet, moments_apart,
                                                               principal_axes };
