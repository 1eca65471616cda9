// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Overlaps of random solids against volumes in rational arithmetic, and of bodies of unit cubes against counting.

#include "dualbvh/overlap.h"
#include "dualbvh/relation.h"
#include "support/oracle.h"
#include "support/rounds.h"
#include "support/scene.h"
#include "support/solid_shapes.h"
#include "support/solids.h"
#include "support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_shape( const char *name, const shape *s ) {
	printf( "# %s\n", name );
	for ( size_t i = 0; i < s->vertex_count; ++i )
		printf( "v %.17g %.17g %.17g\n", s->positions[3 * i], s->positions[3 * i + 1], s->positions[3 * i + 2] );
	for ( size_t i = 0; i < s->triangle_count; ++i )
		printf( "f %u %u %u\n", s->indices[3 * i] + 1, s->indices[3 * i + 1] + 1, s->indices[3 * i + 2] + 1 );
}

static dbvh_overlap *new_overlap( void ) {
	dbvh_overlap *overlap = NULL;
	assert_int_equal( dbvh_overlap_create( NULL, &overlap, NULL ), DBVH_OK );
	return overlap;
}

static bool is_in( dbvh_interval x, double truth ) {
	return x.lower <= truth && truth <= x.upper;
}

static double width_of( dbvh_interval x ) {
	return x.upper > 0.0 ? ( x.upper - x.lower ) / x.upper : 0.0;
}

// ------------------------------------------------------------------------------------------------
// The mesh

static int compare_sides( const void *p, const void *q ) {
	return memcmp( p, q, 2 * sizeof( uint32_t ) );
}

static int compare_faces( const void *p, const void *q ) {
	return memcmp( p, q, 3 * sizeof( uint32_t ) );
}

// Every side of a face is that of another the other way round, as often; and no two faces have the same corners.
static bool is_closed( const uint32_t *indices, size_t face_count ) {
	uint32_t( *there )[2] = malloc( 3 * face_count * sizeof *there + 1 );
	uint32_t( *back )[2] = malloc( 3 * face_count * sizeof *back + 1 );
	uint32_t( *face )[3] = malloc( face_count * sizeof *face + 1 );
	for ( size_t i = 0; i < 3 * face_count; ++i ) {
		const uint32_t from = indices[i], to = indices[i % 3 == 2 ? i - 2 : i + 1];
		there[i][0] = back[i][1] = from;
		there[i][1] = back[i][0] = to;
	}
	for ( size_t i = 0; i < face_count; ++i ) {
		const uint32_t *c = indices + 3 * i;
		face[i][0] = c[0] < c[1] ? ( c[0] < c[2] ? c[0] : c[2] ) : ( c[1] < c[2] ? c[1] : c[2] );
		face[i][2] = c[0] > c[1] ? ( c[0] > c[2] ? c[0] : c[2] ) : ( c[1] > c[2] ? c[1] : c[2] );
		face[i][1] = c[0] ^ c[1] ^ c[2] ^ face[i][0] ^ face[i][2];
	}
	qsort( there, 3 * face_count, sizeof *there, compare_sides );
	qsort( back, 3 * face_count, sizeof *back, compare_sides );
	qsort( face, face_count, sizeof *face, compare_faces );
	bool closed = memcmp( there, back, 3 * face_count * sizeof *there ) == 0;
	for ( size_t i = 1; i < face_count; ++i )
		closed = closed && memcmp( face[i], face[i - 1], sizeof *face ) != 0;
	free( there );
	free( back );
	free( face );
	return closed;
}

// Volume and area of rounded faces.
static void measure_mesh( const dbvh_overlap_view *v, size_t first, size_t count, double *volume, double *area ) {
	*volume = *area = 0.0;
	for ( size_t i = first; i < first + count; ++i ) {
		const double *p = v->vertices + 3 * v->indices[3 * i], *q = v->vertices + 3 * v->indices[3 * i + 1],
		             *r = v->vertices + 3 * v->indices[3 * i + 2];
		double cross[3], size = 0.0;
		for ( int k = 0; k < 3; ++k ) {
			const int x = ( k + 1 ) % 3, y = ( k + 2 ) % 3;
			cross[k] = ( q[x] - p[x] ) * ( r[y] - p[y] ) - ( q[y] - p[y] ) * ( r[x] - p[x] );
			*volume += p[k] * cross[k] / 6.0;
			size += cross[k] * cross[k];
		}
		*area += 0.5 * sqrt( size );
	}
}

// Is the mesh closed, in all and component by component, and has it the measures that were found, but for rounding?
static bool mesh_is_right( const dbvh_overlap_result *found, const dbvh_overlap_view *v, const shape *a,
                           const shape *b ) {
	bool ok = v->face_count == found->face_count && ( v->face_count > 0 ) == ( found->component_count > 0 );
	size_t next = 0;
	for ( size_t i = 0; i < v->component_count && ok; ++i ) {
		const dbvh_overlap_component *c = &v->components[i];
		double volume, area;
		measure_mesh( v, c->first_face, c->face_count, &volume, &area );
		ok = c->first_face == next && is_closed( v->indices + 3 * c->first_face, c->face_count ) &&
		     fabs( volume - c->measure.volume.lower ) < 1e-9 && fabs( area - c->measure.area.lower ) < 1e-9;
		next += c->face_count;
	}
	ok = ok && next == v->face_count;
	for ( size_t i = 0; i < 3 * v->face_count; ++i )
		ok = ok && v->indices[i] < v->vertex_count;
	for ( size_t i = 0; i < v->face_count; ++i )
		ok = ok && v->sources[i].triangle < ( v->sources[i].body == 0 ? a : b )->triangle_count;
	return ok;
}

// ------------------------------------------------------------------------------------------------
// Random solids

static dbvh_overlap_kind swapped_kind( dbvh_overlap_kind kind ) {
	switch ( kind ) {
	case DBVH_OVERLAP_KIND_A_IN_B:
		return DBVH_OVERLAP_KIND_B_IN_A;
	case DBVH_OVERLAP_KIND_B_IN_A:
		return DBVH_OVERLAP_KIND_A_IN_B;
	case DBVH_OVERLAP_KIND_A_PIERCES_B:
		return DBVH_OVERLAP_KIND_B_PIERCES_A;
	case DBVH_OVERLAP_KIND_B_PIERCES_A:
		return DBVH_OVERLAP_KIND_A_PIERCES_B;
	default:
		return kind;
	}
}

static bool agrees( dbvh_overlap_kind kind, dbvh_relation relation ) {
	switch ( relation ) {
	case DBVH_RELATION_DISJOINT:
		return kind == DBVH_OVERLAP_KIND_NONE;
	case DBVH_RELATION_TOUCHING:
		return kind == DBVH_OVERLAP_KIND_TOUCHING;
	case DBVH_RELATION_A_IN_B:
		return kind == DBVH_OVERLAP_KIND_A_IN_B;
	case DBVH_RELATION_B_IN_A:
		return kind == DBVH_OVERLAP_KIND_B_IN_A;
	case DBVH_RELATION_EQUAL:
		return kind == DBVH_OVERLAP_KIND_DUPLICATE;
	default:
		return kind >= DBVH_OVERLAP_KIND_PROTRUSION && kind <= DBVH_OVERLAP_KIND_MUTUAL;
	}
}

static dbvh_pose any_pose( rng *r, uint64_t kind, int size ) {
	dbvh_pose pose = dbvh_pose_identity();
	if ( kind < 8 ) {
		for ( int k = 0; k < 3 && kind > 3; ++k )
			pose.pos[k] = (double)rng_below( r, 3 ) - 1.0;
	} else if ( kind < 12 ) {
		pose = exact_pose( r, 1.0 );
		for ( int k = 0; k < 3; ++k ) {
			pose.pos[k] = (double)rng_below( r, 3 ) - 1.0;
			for ( int j = 0; j < 3; ++j )
				pose.pos[k] += pose.rot[k][j] < 0.0 ? size : 0.0;
		}
	} else {
		pose = random_pose( r, 2.0 );
	}
	return pose;
}

static void test_random_solids( void **state ) {
	(void)state;
	rng r = rng_announce( "overlap", 1 );
	const size_t count = rounds( 1000 );
	size_t wrong = 0, undecided = 0, seen[DBVH_OVERLAP_KIND_UNDECIDED + 1] = { 0 };
	dbvh_overlap *overlap = new_overlap();
	for ( size_t i = 0; i < count; ++i ) {
		shape a = { 0 }, b = { 0 };
		const int size = 2 + (int)rng_below( &r, 3 ), other = rng_below( &r, 3 ) == 0 ? 6 : size;
		add_random_solid( &a, &r, size );
		add_random_solid( &b, &r, other );
		const dbvh_pose pose = any_pose( &r, rng_below( &r, 16 ), other );
		dbvh_tree *ta = tree_with_topology( &a ), *tb = tree_with_topology( &b );
		dbvh_overlap_result there, back;
		dbvh_relate_result relation;
		const dbvh_overlap_query with_mesh = { .mesh = true };
		assert_int_equal( dbvh_overlap_find( tb, &pose, ta, NULL, NULL, overlap, &back, NULL ), DBVH_OK );
		assert_int_equal( dbvh_overlap_find( ta, NULL, tb, &pose, &with_mesh, overlap, &there, NULL ), DBVH_OK );
		assert_int_equal( dbvh_relate( ta, NULL, tb, &pose, NULL, NULL, &relation, NULL ), DBVH_OK );
		seen[there.kind] += 1;
		const dbvh_mesh_view va = shape_view( &a ), vb = shape_view( &b );
		double truth = 0.0;
		bool ok = back.kind == swapped_kind( there.kind ) &&
		          memcmp( &back.measure.volume, &there.measure.volume, sizeof back.measure.volume ) == 0;
		if ( there.reason == DBVH_OVERLAP_REASON_DECIDED ) {
			ok = ok && oracle_common_volume_is_in( &va, &vb, &pose, there.measure.volume.lower,
			                                       there.measure.volume.upper, &truth );
			ok = ok && agrees( there.kind, relation.relation ) && width_of( there.measure.volume ) < 1e-9;
			const dbvh_overlap_view view = dbvh_overlap_get( overlap );
			const bool mesh_ok = mesh_is_right( &there, &view, &a, &b );
			if ( ok && !mesh_ok )
				printf( "the mesh is wrong\n" );
			ok = ok && mesh_ok;
		} else {
			undecided += 1;
		}
		if ( !ok && ++wrong <= 3 ) {
			printf( "round %zu: [%.17g, %.17g] %s %s and back %s, should be %.17g %s\n", i, there.measure.volume.lower,
			        there.measure.volume.upper, dbvh_overlap_kind_name( there.kind ),
			        dbvh_overlap_reason_name( there.reason ), dbvh_overlap_kind_name( back.kind ), truth,
			        dbvh_relation_name( relation.relation ) );
			print_pose( "pose", &pose );
			print_shape( "a", &a );
			print_shape( "b", &b );
		}
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &a );
		shape_free( &b );
	}
	dbvh_overlap_destroy( overlap );
	for ( int k = 0; k <= DBVH_OVERLAP_KIND_UNDECIDED; ++k )
		printf( "%s %zu\n", dbvh_overlap_kind_name( (dbvh_overlap_kind)k ), seen[k] );
	printf( "undecided %zu of %zu\n", undecided, count );
	assert_int_equal( wrong, 0 );
}

// ------------------------------------------------------------------------------------------------
// Unit cubes

enum { GRID = 4 };

typedef struct cubes {
	bool cell[GRID * GRID * GRID];
	int part[GRID * GRID * GRID]; // 1 and above: connected part of the common cells
	int part_count, volume, area;
	double first[3], low[3], high[3];
} cubes;

static bool has( const cubes *c, int x, int y, int z ) {
	return x >= 0 && y >= 0 && z >= 0 && x < GRID && y < GRID && z < GRID && c->cell[x + GRID * ( y + GRID * z )];
}

static void flood( cubes *c, int x, int y, int z ) {
	if ( !has( c, x, y, z ) || c->part[x + GRID * ( y + GRID * z )] != 0 )
		return;
	c->part[x + GRID * ( y + GRID * z )] = c->part_count;
	for ( int way = -1; way <= 1; way += 2 ) {
		flood( c, x + way, y, z );
		flood( c, x, y + way, z );
		flood( c, x, y, z + way );
	}
}

// Count what two bodies have in common; B is moved by whole numbers.
static cubes common_cubes( const bool *a, const bool *b, const int move[3] ) {
	cubes c = { .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
	cubes moved = { 0 };
	memcpy( moved.cell, b, sizeof moved.cell );
	for ( int i = 0; i < GRID * GRID * GRID; ++i ) {
		const int at[3] = { i % GRID, i / GRID % GRID, i / GRID / GRID };
		c.cell[i] = a[i] && has( &moved, at[0] - move[0], at[1] - move[1], at[2] - move[2] );
	}
	for ( int i = 0; i < GRID * GRID * GRID; ++i ) {
		const int at[3] = { i % GRID, i / GRID % GRID, i / GRID / GRID };
		if ( !c.cell[i] )
			continue;
		c.volume += 1;
		for ( int k = 0; k < 3; ++k ) {
			c.first[k] += at[k] + 0.5;
			c.low[k] = fmin( c.low[k], at[k] );
			c.high[k] = fmax( c.high[k], at[k] + 1.0 );
			for ( int way = -1; way <= 1; way += 2 )
				c.area += !has( &c, at[0] + ( k == 0 ? way : 0 ), at[1] + ( k == 1 ? way : 0 ),
				                at[2] + ( k == 2 ? way : 0 ) );
		}
		if ( c.part[i] == 0 ) {
			c.part_count += 1;
			flood( &c, at[0], at[1], at[2] );
		}
	}
	return c;
}

static bool is_right( const cubes *truth, const dbvh_overlap_result *found, dbvh_overlap_view view ) {
	const dbvh_overlap_measure *m = &found->measure;
	bool ok = found->reason == DBVH_OVERLAP_REASON_DECIDED && is_in( m->volume, truth->volume ) &&
	          is_in( m->area, truth->area ) && found->component_count == (size_t)truth->part_count &&
	          view.component_count == found->component_count && width_of( m->volume ) < 1e-9 &&
	          width_of( m->area ) < 1e-9;
	for ( int k = 0; k < 3 && truth->volume > 0; ++k )
		ok = ok && is_in( m->centroid[k], truth->first[k] / truth->volume ) && is_in( m->box_min[k], truth->low[k] ) &&
		     is_in( m->box_max[k], truth->high[k] ) && m->box_max[k].upper - m->box_max[k].lower < 1e-9 &&
		     m->centroid[k].upper - m->centroid[k].lower < 1e-9;
	// The parts, each by its volume.
	int size[GRID * GRID * GRID + 1] = { 0 };
	for ( int i = 0; i < GRID * GRID * GRID; ++i )
		size[truth->part[i]] += truth->part[i] != 0;
	for ( size_t i = 0; i < view.component_count && ok; ++i ) {
		bool matched = false;
		for ( int part = 1; part <= truth->part_count && !matched; ++part ) {
			matched = size[part] > 0 && is_in( view.components[i].measure.volume, size[part] );
			if ( matched )
				size[part] = 0;
		}
		ok = matched;
	}
	return ok;
}

static void fill( rng *r, bool *cell ) {
	const uint64_t of_ten = 3 + rng_below( r, 7 );
	for ( int i = 0; i < GRID * GRID * GRID; ++i )
		cell[i] = rng_below( r, 10 ) < of_ten;
	cell[rng_below( r, GRID * GRID * GRID )] = true;
}

static void test_cubes( void **state ) {
	(void)state;
	rng r = rng_announce( "cubes", 2 );
	const size_t count = rounds( 400 );
	size_t wrong = 0, several = 0;
	dbvh_overlap *overlap = new_overlap();
	for ( size_t i = 0; i < count; ++i ) {
		bool cell[2][GRID * GRID * GRID];
		shape s[2] = { { 0 }, { 0 } };
		dbvh_tree *tree[2];
		int move[3];
		dbvh_pose pose = dbvh_pose_identity();
		for ( int m = 0; m < 2; ++m ) {
			fill( &r, cell[m] );
			add_voxels( &s[m], cell[m], GRID );
			if ( rng_below( &r, 4 ) == 0 ) { // inside out
				for ( size_t t = 0; t < s[m].triangle_count; ++t ) {
					const uint32_t first = s[m].indices[3 * t];
					s[m].indices[3 * t] = s[m].indices[3 * t + 1];
					s[m].indices[3 * t + 1] = first;
				}
			}
			tree[m] = tree_with_topology( &s[m] );
		}
		for ( int k = 0; k < 3; ++k ) {
			move[k] = (int)rng_below( &r, 5 ) - 2;
			pose.pos[k] = move[k];
		}
		const cubes truth = common_cubes( cell[0], cell[1], move );
		dbvh_overlap_result found;
		const dbvh_overlap_query with_mesh = { .mesh = true };
		assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], &pose, &with_mesh, overlap, &found, NULL ),
		                  DBVH_OK );
		const dbvh_overlap_view view = dbvh_overlap_get( overlap );
		several += truth.part_count > 1;
		if ( ( !is_right( &truth, &found, view ) || !mesh_is_right( &found, &view, &s[0], &s[1] ) ) && ++wrong <= 3 ) {
			printf( "round %zu: [%.17g, %.17g] area [%.17g, %.17g] %zu parts %s, should be %d, %d, %d\n", i,
			        found.measure.volume.lower, found.measure.volume.upper, found.measure.area.lower,
			        found.measure.area.upper, found.component_count, dbvh_overlap_reason_name( found.reason ),
			        truth.volume, truth.area, truth.part_count );
			print_pose( "pose", &pose );
			print_shape( "a", &s[0] );
			print_shape( "b", &s[1] );
		}
		for ( int m = 0; m < 2; ++m ) {
			dbvh_tree_destroy( tree[m] );
			shape_free( &s[m] );
		}
	}
	dbvh_overlap_destroy( overlap );
	printf( "%zu of %zu in several parts\n", several, count );
	assert_true( several > 0 || count < 100 );
	assert_int_equal( wrong, 0 );
}

// Tetrahedra far away, whose points of contact are rounded by far more than the terms of the sums, in doubles alone.
static void test_far( void **state ) {
	(void)state;
	rng r = rng_announce( "far", 6 );
	dbvh_overlap *overlap = new_overlap();
	for ( size_t i = 0; i < rounds( 60 ); ++i ) {
		shape s[2] = { { 0 }, { 0 } };
		dbvh_tree *tree[2];
		for ( int m = 0; m < 2; ++m ) {
			double p[4][3];
			do {
				for ( int k = 0; k < 12; ++k )
					p[k / 3][k % 3] = 0x1p20 + 4.0 * rng_unit( &r );
			} while ( !add_tetra( &s[m], (const double( * )[3])p ) );
			tree[m] = tree_with_topology( &s[m] );
		}
		const dbvh_mesh_view va = shape_view( &s[0] ), vb = shape_view( &s[1] );
		const dbvh_pose here = dbvh_pose_identity();
		for ( int narrow = 0; narrow < 2; ++narrow ) {
			const dbvh_overlap_query query = { .relative_width = narrow ? 1e-12 : 1.0 };
			dbvh_overlap_result found;
			double truth;
			assert_int_equal( dbvh_overlap_find( tree[0], NULL, tree[1], NULL, &query, overlap, &found, NULL ),
			                  DBVH_OK );
			assert_true( oracle_common_volume_is_in( &va, &vb, &here, found.measure.volume.lower,
			                                         found.measure.volume.upper, &truth ) );
		}
		for ( int m = 0; m < 2; ++m ) {
			dbvh_tree_destroy( tree[m] );
			shape_free( &s[m] );
		}
	}
	dbvh_overlap_destroy( overlap );
}

// A plate within a block that has cavities: what they have in common is a plate with holes.
static void test_holes( void **state ) {
	(void)state;
	rng r = rng_announce( "holes", 5 );
	dbvh_overlap *overlap = new_overlap();
	for ( size_t i = 0; i < rounds( 40 ); ++i ) {
		shape plate = { 0 }, block = { 0 };
		add_block( &plate, ( const double[3] ){ 0, 0, 0 }, ( const double[3] ){ 8, 8, 1 }, false, false );
		add_block( &block, ( const double[3] ){ -1, -1, -3 }, ( const double[3] ){ 9, 9, 4 }, false, false );
		double truth = 64.0;
		for ( int cell = 0; cell < 64; ++cell ) {
			if ( rng_below( &r, 3 ) == 0 )
				continue;
			double low[3] = { cell % 8 + 0.0625, cell / 8 + 0.0625, -1 }, high[3] = { 0, 0, 2 };
			for ( int k = 0; k < 2; ++k ) {
				low[k] += (double)rng_below( &r, 16 ) / 64.0;
				high[k] = low[k] + (double)( 1 + rng_below( &r, 32 ) ) / 64.0;
			}
			add_block( &block, low, high, rng_below( &r, 2 ) == 0, true );
			truth -= ( high[0] - low[0] ) * ( high[1] - low[1] );
		}
		dbvh_tree *ta = tree_with_topology( &plate ), *tb = tree_with_topology( &block );
		const dbvh_overlap_query with_mesh = { .mesh = true };
		dbvh_overlap_result found;
		assert_int_equal( dbvh_overlap_find( ta, NULL, tb, NULL, &with_mesh, overlap, &found, NULL ), DBVH_OK );
		const dbvh_overlap_view view = dbvh_overlap_get( overlap );
		assert_true( is_in( found.measure.volume, truth ) && width_of( found.measure.volume ) < 1e-9 );
		assert_int_equal( found.component_count, 1 );
		assert_true( mesh_is_right( &found, &view, &plate, &block ) );
		dbvh_tree_destroy( ta );
		dbvh_tree_destroy( tb );
		shape_free( &plate );
		shape_free( &block );
	}
	dbvh_overlap_destroy( overlap );
}

int main( int argc, char **argv ) {
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_cubes ),
	    cmocka_unit_test( test_holes ),
	    cmocka_unit_test( test_far ),
	    cmocka_unit_test( test_random_solids ),
	};
	return test_main( argc, argv, tests );
}
