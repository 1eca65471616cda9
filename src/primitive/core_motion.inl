// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Predicates on lines through boxes, moving boxes, and spheres that move across a plane. Included between core.inl and
// core_box.inl.
//
// Slabs: the times t with low <= t rate <= high for each of three axes, the rates made positive. First and last times
// are quotients, and quotients are compared by their cross products.

#define slabs PASTE( KIND, _slabs )

typedef struct slabs {
	number low[3], high[3], rate[3];
	int way[3]; // the sign of the rate before it was made positive
} slabs;

// Turns each axis so that its rate is positive; false where a sign is not known.
STATIC bool NAME( slabs_turned )( slabs *s ) {
	number zero, low;
	set( &zero, 0.0 );
	for ( int i = 0; i < 3; ++i ) {
		s->way[i] = sign( &s->rate[i] );
		if ( s->way[i] == UNKNOWN )
			return false;
		if ( s->way[i] == -1 ) {
			sub( &low, &zero, &s->high[i] );
			sub( &s->high[i], &zero, &s->low[i] );
			copy( &s->low[i], &low );
			sub( &s->rate[i], &zero, &s->rate[i] );
		}
	}
	return true;
}

STATIC bool NAME( slabs_of )( slabs *out, const dbvhi_slabs *in ) {
	if ( in->obb != NULL ) {
		// Along a normal: |n . ( from - centre ) + t n . step| <= half * volume
		vector start, step, axis[3], normal;
		number volume, half, reach, zero;
		NAME( v_difference )( &start, in->path.from, in->obb->centre );
		NAME( v_difference )( &step, in->path.ahead, in->path.behind );
		set( &zero, 0.0 );
		for ( int i = 0; i < 3; ++i )
			NAME( v_set )( &axis[i], in->obb->axis[i] );
		for ( int i = 0; i < 3; ++i ) {
			NAME( v_cross )( &normal, &axis[( i + 1 ) % 3], &axis[( i + 2 ) % 3] );
			NAME( v_dot )( &volume, &axis[i], &normal );
			absolute( &volume, &volume );
			set( &half, in->obb->half[i] );
			mul( &reach, &half, &volume );
			NAME( v_dot )( &half, &normal, &start );
			sub( &out->high[i], &reach, &half );
			add( &out->low[i], &reach, &half );
			sub( &out->low[i], &zero, &out->low[i] );
			NAME( v_dot )( &out->rate[i], &normal, &step );
		}
	} else {
		for ( int i = 0; i < 3; ++i ) {
			difference( &out->low[i], in->min[i], in->from_max[i] );
			difference( &out->high[i], in->max[i], in->from_min[i] );
			if ( in->path.behind != NULL )
				difference( &out->rate[i], in->path.ahead[i], in->path.behind[i] );
			else
				set( &out->rate[i], in->path.ahead[i] );
		}
	}
	return NAME( slabs_turned )( out );
}

// 1: some t >= 0, and <= 1 of a segment, is in all slabs; 0: none.
STATIC int NAME( slabs_met )( const dbvhi_slabs *in ) {
	SCOPE
	slabs s;
	if ( !NAME( slabs_of )( &s, in ) )
		return UNKNOWN;
	number q;
	bool known = true;
	for ( int i = 0; i < 3; ++i ) {
		// high >= 0, and low <= rate or, without any motion, low <= 0.
		const int end = sign( &s.high[i] );
		int start = -1;
		if ( s.way[i] == 0 ) {
			start = sign( &s.low[i] );
		} else if ( in->bounded ) {
			sub( &q, &s.low[i], &s.rate[i] );
			start = sign( &q );
		}
		if ( end == -1 || start == 1 )
			return 0;
		known = known && end != UNKNOWN && start != UNKNOWN;
		for ( int j = 0; j < 3; ++j ) {
			if ( i == j || s.way[i] == 0 || s.way[j] == 0 )
				continue;
			SCOPE
			NAME( minor )( &q, &s.low[i], &s.rate[j], &s.high[j], &s.rate[i] );
			const int order = sign( &q );
			if ( order == 1 )
				return 0;
			known = known && order != UNKNOWN;
		}
	}
	return known ? 1 : UNKNOWN;
}

STATIC int NAME( slabs_during )( const dbvhi_slabs *in, double t ) {
	SCOPE
	slabs s;
	number q, at, time;
	if ( !NAME( slabs_of )( &s, in ) )
		return UNKNOWN;
	set( &time, t );
	bool known = true;
	for ( int i = 0; i < 3; ++i ) {
		SCOPE
		mul( &at, &time, &s.rate[i] );
		sub( &q, &at, &s.low[i] );
		const int after = sign( &q );
		sub( &q, &s.high[i], &at );
		const int before = sign( &q );
		if ( after == -1 || before == -1 )
			return 0;
		known = known && after != UNKNOWN && before != UNKNOWN;
	}
	return known ? 1 : UNKNOWN;
}

// Is t at most the first time in all slabs, and at least the last one? 1 or 0.
STATIC int NAME( slabs_until )( const dbvhi_slabs *in, double t ) {
	SCOPE
	slabs s;
	number q, time;
	if ( !NAME( slabs_of )( &s, in ) )
		return UNKNOWN;
	set( &time, t );
	bool known = true;
	for ( int i = 0; i < 3; ++i ) {
		if ( s.way[i] == 0 )
			continue;
		mul( &q, &time, &s.rate[i] );
		sub( &q, &s.low[i], &q );
		const int before = sign( &q );
		if ( before == 0 || before == 1 )
			return 1;
		known = known && before != UNKNOWN;
	}
	return known ? 0 : UNKNOWN;
}

STATIC int NAME( slabs_since )( const dbvhi_slabs *in, double t ) {
	SCOPE
	slabs s;
	number q, time;
	if ( !NAME( slabs_of )( &s, in ) )
		return UNKNOWN;
	set( &time, t );
	bool known = true;
	for ( int i = 0; i < 3; ++i ) {
		if ( s.way[i] == 0 )
			continue;
		mul( &q, &time, &s.rate[i] );
		sub( &q, &q, &s.high[i] );
		const int after = sign( &q );
		if ( after == 0 || after == 1 )
			return 1;
		known = known && after != UNKNOWN;
	}
	return known ? 0 : UNKNOWN;
}

// ------------------------------------------------------------------------------------------------
// A ray and a ball

STATIC int NAME( point_ray_compared )( const double point[3], const dbvhi_path *ray, const dbvhi_sum *terms ) {
	SCOPE
	number sum, square, along, dd, cc, h;
	vector w, d, c;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( v_difference )( &w, point, ray->from );
	NAME( v_set )( &d, ray->ahead );
	NAME( v_dot )( &along, &w, &d );
	const int after_start = sign( &along ), start = NAME( length_compared )( &w, &square );
	if ( after_start <= 0 || start == -1 )
		return start;
	NAME( v_dot )( &dd, &d, &d );
	NAME( v_cross )( &c, &w, &d );
	NAME( v_dot )( &cc, &c, &c );
	mul( &h, &square, &dd );
	sub( &h, &cc, &h );
	const int line = sign( &h );
	return after_start == 1 || ( line == 1 && sign( &dd ) == 1 ) ? line : UNKNOWN;
}

// A point of a path, at time t, and a triangle.
STATIC int NAME( place_triangle_compared )( const dbvhi_path *path, double t, const dbvh_triangle *triangle,
                                            const dbvhi_sum *terms ) {
	SCOPE
	number sum, square;
	vector at, step;
	triangle_parts parts;
	int answer;
	if ( !NAME( square_of )( terms, &sum, &square, &answer ) )
		return answer;
	NAME( place )( path, t, &at, &step );
	NAME( parts_of )( &parts, triangle );
	return NAME( point_triangle )( &at, &parts, &square );
}

// ------------------------------------------------------------------------------------------------
// A sphere that crosses a plane

STATIC int NAME( path_plane_phase )( const dbvhi_path *path, const dbvh_plane *plane, double radius, double t ) {
	SCOPE
	vector at, step, normal;
	number h, rate, offset, r, square, nn, q;
	NAME( place )( path, t, &at, &step );
	NAME( v_set )( &normal, plane->normal );
	set( &offset, plane->offset );
	set( &r, radius );
	NAME( v_dot )( &h, &normal, &at );
	sub( &h, &h, &offset );
	NAME( v_dot )( &rate, &normal, &step );
	NAME( v_dot )( &nn, &normal, &normal );
	mul( &square, &r, &r );
	NAME( minor )( &q, &h, &h, &square, &nn );
	const int distance = sign( &q );
	if ( distance == -1 || distance == UNKNOWN )
		return distance == -1 ? DBVHI_DURING : UNKNOWN;
	const int side = sign( &h ), way = sign( &rate );
	if ( side == UNKNOWN || way == UNKNOWN )
		return UNKNOWN;
	if ( side == 0 )
		return DBVHI_GRAZES; // a radius of 0, on the plane
	if ( distance == 0 )
		return side * way < 0 ? DBVHI_BEGINS : DBVHI_ENDS;
	return side * way < 0 ? DBVHI_BEFORE : DBVHI_AFTER;
}

// The side of the plane on which a path ends.
STATIC int NAME( path_plane_side )( const dbvhi_path *path, const dbvh_plane *plane ) {
	SCOPE
	vector at, step, normal;
	number h, offset;
	NAME( place )( path, path->end, &at, &step );
	NAME( v_set )( &normal, plane->normal );
	set( &offset, plane->offset );
	NAME( v_dot )( &h, &normal, &at );
	sub( &h, &h, &offset );
	return sign( &h );
}

// sign( distance of the end of a path from the plane - radius )
STATIC int NAME( path_plane_compared )( const dbvhi_path *path, const dbvh_plane *plane, double radius ) {
	SCOPE
	vector at, step, normal;
	number h, offset, r, square, nn;
	NAME( place )( path, path->end, &at, &step );
	NAME( v_set )( &normal, plane->normal );
	set( &offset, plane->offset );
	NAME( v_dot )( &h, &normal, &at );
	sub( &h, &h, &offset );
	NAME( v_dot )( &nn, &normal, &normal );
	set( &r, radius );
	mul( &square, &r, &r );
	return NAME( ratio_compared )( &h, &nn, &square );
}

#undef slabs
