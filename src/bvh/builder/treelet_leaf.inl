// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fits nodes of one to four triangles, most of a tree: all their corners fit into lanes.

#define TINY_POINTS ( 3 * TINY )

// The corners of each lane's triangles, relative to the first corner: coordinate k of corner i at [k][i].
typedef double tiny_points[3][TINY_POINTS][LANES];

static void load_tiny( treelet *g, const dbvhi_fit_task *tasks, int count, int corners, tiny_points out ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	// note: unused lanes repeat the first node, so that they compute no garbage.
	for ( int lane = 0; lane < LANES; ++lane ) {
		const dbvhi_fit_task *task = &tasks[lane < count ? lane : 0];
		start_lane( g, task, lane );
		const small_triangle *t = g->triangles + task->low;
		for ( int i = 0; i < corners; ++i ) {
			const uint16_t at = t[i / 3].corner[i % 3];
			for ( int k = 0; k < 3; ++k )
				out[k][i][lane] = g->points[k][at];
		}
	}
	double most[LANES];
	EACH_LANE most[l] = 0.0;
	for ( int k = 0; k < 3; ++k ) {
		for ( int i = 0; i < corners; ++i ) {
			EACH_LANE {
				const double d = out[k][i][l] - g->c.first[k][l];
				out[k][i][l] = d;
				most[l] = fabs( d ) > most[l] ? fabs( d ) : most[l];
			}
		}
	}
	EACH_LANE g->c.scale[l] = most[l] > 1e-300 ? 1.0 / most[l] : 0.0;
}

// Projects the corners on the axes: extents, and scaled positions.
static void project_tiny( fit_x16 *c, int corners, const tiny_points points, float along[3][TINY_POINTS][LANES] ) {
	for ( int k = 0; k < 3; ++k ) {
		double low[LANES], high[LANES];
		EACH_LANE low[l] = high[l] = 0.0;
		for ( int i = 0; i < corners; ++i ) {
			EACH_LANE {
				const double d = c->mesh[k][l] * points[0][i][l] + c->mesh[3 + k][l] * points[1][i][l] +
				                 c->mesh[6 + k][l] * points[2][i][l];
				low[l] = d < low[l] ? d : low[l];
				high[l] = d > high[l] ? d : high[l];
				along[k][i][l] = (float)( d * c->scale[l] );
			}
		}
		EACH_LANE {
			c->low[k][l] = low[l];
			c->high[k][l] = high[l];
		}
	}
}

// Computes the radii of the smallest spheres around given centres.
static void measure_spheres( fit_x16 *c, int corners, const tiny_points points ) {
	double farthest_sq[LANES];
	EACH_LANE farthest_sq[l] = 0.0;
	for ( int i = 0; i < corners; ++i ) {
		EACH_LANE {
			// note: measured from the absolute corner, as primitive/fit/sphere_fit does.
			const double x = ( points[0][i][l] + c->first[0][l] ) - c->centre[0][l];
			const double y = ( points[1][i][l] + c->first[1][l] ) - c->centre[1][l];
			const double z = ( points[2][i][l] + c->first[2][l] ) - c->centre[2][l];
			const double sq = x * x + y * y + z * z;
			farthest_sq[l] = sq > farthest_sq[l] ? sq : farthest_sq[l];
		}
	}
	EACH_LANE c->radius[l] = sqrt( farthest_sq[l] ) * ( 1.0 + 8.0 * 0x1p-53 ) + 0x1p-530;
}

// Lists the distinct corners, scaled, as the few points that choose axes. Returns the largest number of a lane.
static int list_tiny( treelet *g, const dbvhi_fit_task *tasks, int count, const tiny_points points ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	fit_x16 *c = &g->c;
	int counts[LANES], most = 0;
	for ( int lane = 0; lane < count; ++lane ) {
		const small_triangle *t = g->triangles + tasks[lane].low;
		const uint16_t now = ++g->now;
		const double scale = c->scale[lane];
		int listed = 0;
		for ( int i = 0; i < 3 * (int)tasks[lane].count; ++i ) {
			const uint16_t at = t[i / 3].corner[i % 3];
			for ( int k = 0; k < 3; ++k )
				c->few[k][listed][lane] = (float)( points[k][i][lane] * scale );
			listed += g->seen[at] != now;
			g->seen[at] = now;
		}
		counts[lane] = listed;
		most = listed > most ? listed : most;
	}
	for ( int lane = 0; lane < count; ++lane )
		pad_few( c, lane, counts[lane], most );
	return most;
}

// Finds the corner farthest from a point, the first of several, and its squared distance.
WIDE_INLINE void farthest_tiny( int corners, const tiny_points points, double from[3][LANES], double out[3][LANES],
                                double sq[LANES] ) {
	EACH_LANE sq[l] = -1.0;
	for ( int i = 0; i < corners; ++i ) {
		EACH_LANE {
			const double x = points[0][i][l], y = points[1][i][l], z = points[2][i][l];
			const double dx = x - from[0][l], dy = y - from[1][l], dz = z - from[2][l];
			const double d = dx * dx + dy * dy + dz * dz;
			out[0][l] = d > sq[l] ? x : out[0][l];
			out[1][l] = d > sq[l] ? y : out[1][l];
			out[2][l] = d > sq[l] ? z : out[2][l];
			sq[l] = d > sq[l] ? d : sq[l];
		}
	}
}

// Finds the smallest spheres that two or three points define; `done` marks the lanes where that succeeds.
static void enclose_tiny( fit_x16 *c, int corners, const tiny_points points, double done[LANES] ) {
	double a[3][LANES], b[3][LANES], d[3][LANES], centre[3][LANES], second[3][LANES], sq[LANES], radius_sq[LANES];
	double second_sq[LANES];
	for ( int k = 0; k < 3; ++k )
		EACH_LANE {
			centre[k][l] = 0.0;
			a[k][l] = b[k][l] = d[k][l] = 0.0;
		}
	farthest_tiny( corners, points, centre, a, sq );
	farthest_tiny( corners, points, a, b, sq );
	EACH_LANE {
		radius_sq[l] = 0.25 * sq[l];
		for ( int k = 0; k < 3; ++k )
			centre[k][l] = a[k][l] + 0.5 * ( b[k][l] - a[k][l] );
	}
	farthest_tiny( corners, points, centre, d, sq );
	EACH_LANE {
		// The third point lies outside the first sphere, so its angle is acute; the other angles tell which points
		// define the next sphere.
		const dbvhi_vec u = dbvhi_sub( vec_at( a, l ), vec_at( d, l ) ),
		                v = dbvhi_sub( vec_at( b, l ), vec_at( d, l ) );
		const double uu = dbvhi_dot( u, u ), vv = dbvhi_dot( v, v ), uv = dbvhi_dot( u, v ), det = uu * vv - uv * uv;
		const bool at_a = uu <= uv, at_b = vv <= uv, sound = det > 1e-14 * uu * vv && det > 1e-300;
		const double half = 0.5 / ( sound ? det : 1.0 );
		const double cu = at_a ? 0.0 : at_b ? 0.5 : vv * ( uu - uv ) * half;
		const double cv = at_a ? 0.5 : at_b ? 0.0 : uu * ( vv - uv ) * half;
		double grown = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const double offset = cu * u.v[k] + cv * v.v[k];
			second[k][l] = d[k][l] + offset;
			grown += offset * offset;
		}
		second_sq[l] = sound || at_a || at_b ? grown : -1.0;
	}
	double first_done[LANES];
	EACH_LANE first_done[l] = sq[l] <= radius_sq[l] * ( 1.0 + 1e-12 ) ? 1.0 : 0.0;
	farthest_tiny( corners, points, second, d, sq );
	EACH_LANE {
		done[l] = first_done[l] > 0.0 || sq[l] <= second_sq[l] * ( 1.0 + 1e-12 ) ? 1.0 : 0.0;
		for ( int k = 0; k < 3; ++k )
			c->centre[k][l] = c->first[k][l] + ( first_done[l] > 0.0 ? centre[k][l] : second[k][l] );
	}
	measure_spheres( c, corners, points );
}

// ------------------------------------------------------------------------------------------------
// One triangle

// Fits nodes of one triangle. Axes along the longest edge and the normal: the smallest box around a triangle is flush
// with it. The smallest sphere has that edge for a diameter unless the triangle is acute.
static void grow_single( treelet *g, const dbvhi_build_plan *plan, const dbvhi_fit_task *tasks, int count,
                         uint32_t first ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	fit_x16 *c = &g->c;
	tiny_points p;
	double edge[3][LANES], other[3][LANES], sound[LANES];
	float along[3][TINY_POINTS][LANES];
	load_tiny( g, tasks, count, 3, p );
	EACH_LANE {
		const dbvhi_vec b = { { p[0][1][l], p[1][1][l], p[2][1][l] } }, d = { { p[0][2][l], p[1][2][l], p[2][2][l] } };
		const dbvhi_vec bd = dbvhi_sub( d, b );
		const double sq0 = dbvhi_dot( b, b ), sq1 = dbvhi_dot( bd, bd ), sq2 = dbvhi_dot( d, d );
		// Find the longest edge, the first of several, its start `base`, and the offset from there to the third corner.
		dbvhi_vec e, o, base;
		double ee = sq0;
		for ( int k = 0; k < 3; ++k ) {
			e.v[k] = sq1 > sq0 ? bd.v[k] : b.v[k];
			o.v[k] = sq1 > sq0 ? -b.v[k] : d.v[k];
			base.v[k] = sq1 > sq0 ? b.v[k] : 0.0;
		}
		ee = sq1 > sq0 ? sq1 : sq0;
		for ( int k = 0; k < 3; ++k ) {
			e.v[k] = sq2 > ee ? -d.v[k] : e.v[k];
			o.v[k] = sq2 > ee ? b.v[k] - d.v[k] : o.v[k];
			base.v[k] = sq2 > ee ? d.v[k] : base.v[k];
		}
		ee = sq2 > ee ? sq2 : ee;
		const double oo = dbvhi_dot( o, o ), eo = dbvhi_dot( e, o ), det = ee * oo - eo * eo;
		const bool acute = oo > eo && det > 1e-14 * ee * oo && det > 1e-300;
		const double inverse = 0.5 / ( acute ? det : 1.0 );
		const double along_e = acute ? oo * ( ee - eo ) * inverse : 0.5,
		             along_o = acute ? ee * ( oo - eo ) * inverse : 0.0;
		for ( int k = 0; k < 3; ++k )
			c->centre[k][l] = c->first[k][l] + ( base.v[k] + ( along_e * e.v[k] + along_o * o.v[k] ) );
		put_vec( edge, l, e );
		put_vec( other, l, o );
		// A sliver or point, or a triangle so small beside the mesh or so narrow that fourth powers underflow, is left
		// to dbvhi_frame_from().
		sound[l] = det > 1e-280 && det > 1e-14 * ee * oo ? 1.0 : 0.0;
		const double whole = sound[l] > 0.0 ? ee : 1.0;
		const dbvhi_vec x = dbvhi_scale( 1.0 / sqrt( whole ), e );
		dbvhi_vec y = dbvhi_sub( o, dbvhi_scale( dbvhi_dot( x, o ), x ) );
		const double yy = dbvhi_dot( y, y );
		y = dbvhi_scale( 1.0 / sqrt( yy > 0.0 ? yy : 1.0 ), y );
		y = dbvhi_sub( y, dbvhi_scale( dbvhi_dot( x, y ), x ) );
		const dbvhi_vec z = dbvhi_cross( x, y );
		put_mat( c->mesh, l,
		         orthonormal_again( ( dbvhi_mat ){
		             { { x.v[0], y.v[0], z.v[0] }, { x.v[1], y.v[1], z.v[1] }, { x.v[2], y.v[2], z.v[2] } } } ) );
	}
	for ( int lane = 0; lane < count; ++lane ) {
		if ( !( sound[lane] > 0.0 ) )
			put_mat( c->mesh, lane, dbvhi_frame_from( vec_at( edge, lane ), vec_at( other, lane ) ) );
	}
	place_axes( c );
	project_tiny( c, 3, p, along );
	place_boxes( c, plan->limit );
	if ( plan->options->sphere_fit == DBVH_NODE_SPHERE_BOX_CENTRE ) {
		for ( int k = 0; k < 3; ++k )
			EACH_LANE c->centre[k][l] = c->frame[9 + k][l];
	}
	measure_spheres( c, 3, p );
	place_spheres( c, plan->limit );
	rescale( c, plan->factor );
	for ( int lane = 0; lane < count; ++lane )
		finish( g, plan, &tasks[lane], lane, 0, first );
}

// ------------------------------------------------------------------------------------------------
// Two to four

// Every way to divide three or four triangles: masks of those that go left.
static const unsigned char ways_of_three[] = { 1, 2, 4 };
static const unsigned char ways_of_four[] = { 3, 5, 9, 1, 2, 4, 8 };

typedef float tiny_reach[3][TINY][LANES];

static void cost_of_mask( const tiny_reach low, const tiny_reach high, unsigned mask, float cost[LANES] ) {
	float extent[3][LANES];
	int first = 0, size = 0;
	while ( ( mask >> first & 1 ) == 0 )
		first += 1;
	for ( int k = 0; k < 3; ++k ) {
		float least[LANES], most[LANES];
		EACH_LANE {
			least[l] = low[k][first][l];
			most[l] = high[k][first][l];
		}
		for ( int i = first + 1; mask >> i != 0; ++i ) {
			if ( ( mask >> i & 1 ) == 0 )
				continue;
			EACH_LANE {
				least[l] = lower( low[k][i][l], least[l] );
				most[l] = higher( high[k][i][l], most[l] );
			}
		}
		EACH_LANE extent[k][l] = most[l] - least[l];
	}
	for ( unsigned m = mask; m != 0; m >>= 1 )
		size += (int)( m & 1 );
	const float steps = dbvhi_steps_down_f( (size_t)size );
	EACH_LANE cost[l] += steps * overlap_cost( extent[0][l], extent[1][l], extent[2][l] );
}

// Finds the cheapest way for each lane, as a mask of the triangles that go left.
static void divide_tiny( int triangles, float along[3][TINY_POINTS][LANES], float way[LANES] ) {
	DBVHI_ASSERT( triangles >= 2 && triangles <= TINY );
	tiny_reach low, high;
	for ( int k = 0; k < 3; ++k ) {
		for ( int i = 0; i < triangles; ++i ) {
			EACH_LANE {
				const float a = along[k][3 * i][l], b = along[k][3 * i + 1][l], d = along[k][3 * i + 2][l];
				low[k][i][l] = lower( lower( a, b ), d );
				high[k][i][l] = higher( higher( a, b ), d );
			}
		}
	}
	const unsigned char *ways = triangles == 3 ? ways_of_three : ways_of_four;
	const size_t count = triangles == 3 ? sizeof ways_of_three : sizeof ways_of_four;
	const unsigned all = ( 1u << triangles ) - 1;
	float best[LANES];
	EACH_LANE {
		best[l] = INFINITY;
		way[l] = 1.0f;
	}
	for ( size_t i = 0; i < count; ++i ) {
		float cost[LANES];
		EACH_LANE cost[l] = 0.0f;
		cost_of_mask( low, high, ways[i], cost );
		cost_of_mask( low, high, all & ~(unsigned)ways[i], cost );
		const float this_way = (float)ways[i];
		EACH_LANE {
			way[l] = cost[l] < best[l] ? this_way : way[l];
			best[l] = lower( cost[l], best[l] );
		}
	}
}

static uint32_t rearrange_tiny( small_triangle *t, int triangles, unsigned mask ) {
	DBVHI_ASSERT( triangles >= 2 && triangles <= TINY );
	DBVHI_ASSERT( mask != 0 && mask < ( 1u << triangles ) - 1 );
	small_triangle sorted[TINY];
	uint32_t left = 0;
	for ( int side = 0, at = 0; side < 2; ++side ) {
		for ( int i = 0; i < triangles; ++i ) {
			if ( (int)( mask >> i & 1 ) != side ) {
				sorted[at++] = t[i];
				left += side == 0;
			}
		}
	}
	memcpy( t, sorted, (size_t)triangles * sizeof sorted[0] );
	return left;
}

static void grow_tiny( treelet *g, const dbvhi_build_plan *plan, const dbvhi_fit_task *tasks, int count, int triangles,
                       uint32_t first ) {
	DBVHI_ASSERT( count >= 1 && count <= LANES );
	DBVHI_ASSERT( triangles >= 2 && triangles <= TINY );
	fit_x16 *c = &g->c;
	const int corners = 3 * triangles;
	tiny_points p;
	float along[3][TINY_POINTS][LANES], way[LANES];
	load_tiny( g, tasks, count, corners, p );
	for ( int lane = 0; lane < LANES; ++lane )
		sum_moments( g, &tasks[lane < count ? lane : 0], lane );
	find_eigenvectors( c );
	refine_axes( c, list_tiny( g, tasks, count, p ), 2, 4 );
	widen_axes( c );
	place_axes( c );
	project_tiny( c, corners, p, along );
	if ( plan->options->sphere_fit == DBVH_NODE_SPHERE_SMALLEST ) {
		double done[LANES];
		enclose_tiny( c, corners, p, done );
		for ( int lane = 0; lane < count; ++lane ) {
			if ( done[lane] > 0.0 )
				continue;
			const small_triangle *t = g->triangles + tasks[lane].low;
			const int padded = corners < 8 ? 8 : corners;
			for ( int i = 0; i < padded; ++i ) {
				const uint16_t at = i < corners ? t[i / 3].corner[i % 3] : t[0].corner[0];
				for ( int k = 0; k < 3; ++k )
					g->near[k][i] = g->points[k][at];
			}
			const dbvhi_sphere sphere =
			    sphere_smallest( ( dbvhi_point_set ){ g->near[0], g->near[1], g->near[2], (size_t)padded } );
			set_sphere( c, lane, &sphere );
		}
		place_boxes( c, plan->limit );
	} else {
		place_boxes( c, plan->limit );
		for ( int k = 0; k < 3; ++k )
			EACH_LANE c->centre[k][l] = c->frame[9 + k][l];
		measure_spheres( c, corners, p );
	}
	place_spheres( c, plan->limit );
	rescale( c, plan->factor );
	if ( triangles > 2 )
		divide_tiny( triangles, along, way );
	for ( int lane = 0; lane < count; ++lane ) {
		uint32_t left = 1;
		if ( triangles > 2 && (uint32_t)triangles > plan->options->leaf_size )
			left = rearrange_tiny( g->triangles + tasks[lane].low, triangles, (unsigned)way[lane] );
		finish( g, plan, &tasks[lane], lane, left, first );
	}
}
