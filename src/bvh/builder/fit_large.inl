// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Fits nodes of more triangles than a treelet, one at a time. Samples choose the axes; those are then measured on all
// points.

#define MOMENT_SAMPLE 2048
#define POINT_SAMPLE 1024
#define SPLIT_SAMPLE 4096

static dbvhi_vec corner_from( const dbvhi_part *part, size_t triangle, int corner, dbvhi_vec origin ) {
	return dbvhi_sub( dbvhi_part_corner( part, triangle, corner ), origin );
}

static void sample_moments( fit_x16 *c, const dbvhi_part *part ) {
	const dbvhi_vec origin = dbvhi_part_corner( part, 0, 0 );
	const size_t step = ( part->count + MOMENT_SAMPLE - 1 ) / MOMENT_SAMPLE;
	moments sum = { { 0 } };
	for ( size_t i = 0; i < part->count; ) {
		double p[9][8], out[10][8];
		size_t used = 0;
		for ( ; used < 8 && i < part->count; ++used, i += step ) {
			for ( int corner = 0; corner < 3; ++corner ) {
				const dbvhi_vec v = corner_from( part, i, corner, origin );
				for ( int k = 0; k < 3; ++k )
					p[3 * corner + k][used] = v.v[k];
			}
		}
		for ( size_t l = used; l < 8; ++l ) {
			for ( int k = 0; k < 9; ++k )
				p[k][l] = 0.0; // no area
		}
		moments_of_eight( p, out );
		for ( int k = 0; k < 10; ++k ) {
			for ( int l = 0; l < 8; ++l )
				sum.v[k] += out[k][l];
		}
	}
	if ( !( sum.v[0] > 0.0 ) ) {
		memset( &sum, 0, sizeof sum );
		for ( size_t i = 0; i < 3 * part->count; ++i )
			moments_add_point( &sum, corner_from( part, i / 3, (int)( i % 3 ), origin ).v );
	}
	set_covariance( c, 0, &sum );
}

// Chooses FEW points that represent all: from a corner of about POINT_SAMPLE triangles, or from all points of smaller
// nodes. `scratch` as for divide().
static void sample_few( fit_x16 *c, const dbvhi_part *part, double *scratch, double exact[3][FEW] ) {
	const bool whole = part->count <= POINT_SAMPLE;
	const size_t most = whole ? part->points.count : POINT_SAMPLE, row = most > LANES ? most : LANES;
	float *const near[3] = { (float *)scratch, (float *)scratch + row, (float *)scratch + 2 * row };
	const size_t step = ( part->count + POINT_SAMPLE - 1 ) / POINT_SAMPLE;
	const double *const points[3] = { part->points.x, part->points.y, part->points.z };
	size_t count = 0;
	if ( whole ) {
		for ( ; count < part->points.count; ++count ) {
			for ( int k = 0; k < 3; ++k )
				near[k][count] = (float)( ( points[k][count] - c->first[k][0] ) * c->scale[0] );
		}
	} else {
		for ( size_t i = 0; i < part->count; i += step, ++count ) {
			const uint32_t at = part->triangles[i].corner[count % 3];
			for ( int k = 0; k < 3; ++k )
				near[k][count] = (float)( ( points[k][at] - c->first[k][0] ) * c->scale[0] );
		}
	}
	for ( ; count < LANES; ++count ) {
		for ( int k = 0; k < 3; ++k )
			near[k][count] = near[k][0];
	}
	uint16_t chosen[FEW];
	choose_few( c, 0, near[0], near[1], near[2], count, chosen );
	// Read the same points in the mesh's precision.
	for ( int i = 0; i < FEW; ++i ) {
		const size_t n = chosen[i];
		const size_t at = whole ? ( n < part->points.count ? n : 0 ) : part->triangles[n * step].corner[n % 3];
		for ( int k = 0; k < 3; ++k )
			exact[k][i] = points[k][at];
	}
}

static size_t divide_large_at_median( const dbvhi_part *part, const f4 *along, int axis, dbvhi_build_triangle *spare ) {
	uint64_t *keys = (uint64_t *)spare;
	dbvhi_build_triangle *triangles = part->triangles;
	for ( int pass = 0; pass < 2; ++pass ) {
		uint64_t middle = pass == 0 ? 0 : keys[part->count / 2];
		size_t low = 0, high = part->count;
		while ( low < high ) {
			const uint32_t *corner = triangles[low].corner;
			const float value = along[corner[0]][axis] + along[corner[1]][axis] + along[corner[2]][axis];
			uint32_t bits;
			memcpy( &bits, &value, sizeof bits );
			const uint64_t key = (uint64_t)( bits >> 31 ? ~bits : bits | 0x80000000u ) << 32 | triangles[low].number;
			if ( pass == 0 ) {
				keys[low++] = key;
			} else if ( key < middle ) {
				low += 1;
			} else {
				const dbvhi_build_triangle t = triangles[low];
				triangles[low] = triangles[--high];
				triangles[high] = t;
			}
		}
		if ( pass == 0 )
			dbvhi_sort_u64( keys, part->count );
	}
	return part->count / 2;
}

static size_t divide_by_bins( const dbvhi_part *part, const f4 *along, dbvhi_build_triangle *spare ) {
	dbvhi_build_triangle *triangles = part->triangles;
	const size_t step = ( part->count + SPLIT_SAMPLE - 1 ) / SPLIT_SAMPLE;
	f4 least = f4_set( INFINITY ), most = f4_set( -INFINITY );
	for ( size_t i = 0; i < part->count; i += step ) {
		const uint32_t *corner = triangles[i].corner;
		const f4 sum = along[corner[0]] + along[corner[1]] + along[corner[2]];
		least = f4_min( sum, least );
		most = f4_max( sum, most );
	}
	histogram h;
	int bin = 0;
	histogram_start( &h, least, most );
	for ( size_t i = 0; i < part->count; i += step ) {
		const uint32_t *corner = triangles[i].corner;
		const f4 p = along[corner[0]], q = along[corner[1]], r = along[corner[2]];
		const reach one = reach_of( p, q, r );
		histogram_add( &h, &one, p + q + r );
	}
	const int axis = histogram_best( &h, step, &bin );
	if ( axis < 0 )
		return part->count / 2;
	size_t left = 0, right = 0;
	for ( size_t i = 0; i < part->count; ++i ) {
		const dbvhi_build_triangle t = triangles[i];
		const f4 sum = along[t.corner[0]] + along[t.corner[1]] + along[t.corner[2]];
		const bool goes_left = bin_of( &h, sum )[axis] < bin;
		triangles[left] = t;
		spare[right] = t;
		left += goes_left;
		right += !goes_left;
	}
	memcpy( triangles + left, spare, right * sizeof spare[0] );
	return left;
}

// APART forbids inlining, so that the temporaries of all phases do not add up on the stack.
#define APART __attribute__( ( noinline ) )

static APART void choose_axes( fit_x16 *c, const dbvhi_part *part, double *scratch, double exact[3][FEW] ) {
	sample_moments( c, part );
	find_eigenvectors( c );
	sample_few( c, part, scratch, exact );
}

static APART void improve_axes( fit_x16 *c ) {
	refine_axes( c, FEW, 4, 5 );
	widen_axes( c );
}

static APART dbvhi_sphere smallest_sphere( double exact[3][FEW], dbvhi_point_set points ) {
	const dbvhi_point_set few = { exact[0], exact[1], exact[2], FEW };
	sphere_search search = sphere_start( few );
	sphere_finish( &search, few );
	return sphere_finish( &search, points );
}

static APART size_t divide_further( const dbvhi_part *part, const f4 *along, bool is_deep, int longest,
                                    dbvhi_build_triangle *spare ) {
	return is_deep ? divide_large_at_median( part, along, longest, spare ) : divide_by_bins( part, along, spare );
}

static size_t divide( const dbvhi_build_plan *plan, const dbvhi_fit_task *task, const dbvhi_part *part,
                      dbvhi_frame *frame_out, double *scratch, dbvhi_build_triangle *spare ) {
	DBVHI_ASSERT( task->count > DBVHI_TREELET );
	DBVHI_ASSERT( part->count == task->count );
	fit_x16 one;
	fit_x16 *c = &one;
	memset( c, 0, sizeof one );
	f4 *along = (f4 *)scratch;
	set_parent( c, 0, &task->parent );
	put_vec( c->first, 0, dbvhi_part_corner( part, 0, 0 ) );
	dbvhi_point_set points = part->points;
	double padded[3][8];
	if ( points.count < 8 ) { // many copies of few points
		for ( size_t i = 0; i < 8; ++i ) {
			const size_t from = i < points.count ? i : 0;
			padded[0][i] = points.x[from];
			padded[1][i] = points.y[from];
			padded[2][i] = points.z[from];
		}
		points = ( dbvhi_point_set ){ padded[0], padded[1], padded[2], 8 };
	}
	double size = farthest_along( points.x, points.count, c->first[0][0], 0.0 );
	size = farthest_along( points.y, points.count, c->first[1][0], size );
	c->scale[0] = scale_for( farthest_along( points.z, points.count, c->first[2][0], size ) );
	double exact[3][FEW];
	choose_axes( c, part, scratch, exact );
	improve_axes( c );
	place_axes( c );
	project( c, 0, points.x, points.y, points.z, points.count, NULL, along );
	place_boxes( c, plan->limit );
	dbvhi_sphere sphere;
	if ( plan->options->sphere_fit == DBVH_NODE_SPHERE_SMALLEST ) {
		sphere = smallest_sphere( exact, points );
	} else {
		sphere = sphere_about( vec_at( c->frame + 9, 0 ), points );
	}
	set_sphere( c, 0, &sphere );
	place_spheres( c, plan->limit );
	rescale( c, plan->factor );
	write_node( c, 0, &plan->nodes[task->node], task->block, 0, task->low, task->count );
	*frame_out = frame_of( c, 0 );
	int longest = 0;
	for ( int k = 1; k < 3; ++k ) {
		if ( c->high[k][0] - c->low[k][0] > c->high[longest][0] - c->low[longest][0] )
			longest = k;
	}
	return divide_further( part, along, task->depth >= plan->free_depth, longest, spare );
}
