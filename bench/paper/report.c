// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/report.h"

#include "common/mpi.h"
#include "paper/cost.h"
#include "text/json.h"

#include <math.h>
#include <string.h>

static bool with_paper( const report *r, size_t row, size_t c ) {
	return r->rows[row].paper_row < PAPER_ROWS && algorithm_table[c].paper != PAPER_NONE;
}

// The paper's number of queries in a row over ours.
static double scale( const report *r, size_t row, size_t c ) {
	const uint64_t queries = report_cell( r, row, c )->queries;
	if ( r->rows[row].paper_row >= PAPER_ROWS || queries == 0 )
		return 1.0;
	return (double)paper_queries( r->rows[row].paper_row ) / (double)queries;
}

double report_seconds( const report *r, size_t row, size_t c ) {
	return report_cell( r, row, c )->seconds * scale( r, row, c );
}

static double volumes( const dbvh_counters *c ) {
	return (double)( c->sphere_tests > 0 ? c->sphere_tests : c->box_tests );
}

// A row's name without what the scenario says: "aligned, 1e-1" is "1e-1".
static const char *short_name( const report *r, size_t row ) {
	const char *comma = strstr( r->rows[row].name, ", " );
	return comma != NULL ? comma + 2 : strcmp( r->rows[row].name, "the path" ) == 0 ? "path" : r->rows[row].name;
}

static size_t reference( const report *r ) {
	size_t c = 0;
	while ( c + 1 < algorithm_count && !report_has( r, c ) )
		c += 1;
	return c;
}

// ------------------------------------------------------------------------------------------------
// Equation (1)

report_costs report_fit( const double *seconds, const double *counts_v, const double *counts_p, size_t count ) {
	double vv = 0.0, vp = 0.0, pp = 0.0, v1 = 0.0, p1 = 0.0;
	for ( size_t i = 0; i < count; ++i ) {
		if ( !( seconds[i] > 0.0 ) )
			continue;
		const double v = counts_v[i] / seconds[i], p = counts_p[i] / seconds[i];
		vv += v * v;
		vp += v * p;
		pp += p * p;
		v1 += v;
		p1 += p;
	}
	const double determinant = vv * pp - vp * vp;
	report_costs costs = { vv > 0.0 ? v1 / vv : 0.0, 0.0 };
	if ( determinant > 1e-9 * vv * pp ) {
		const double volume = ( v1 * pp - p1 * vp ) / determinant, primitive = ( p1 * vv - v1 * vp ) / determinant;
		if ( volume >= 0.0 && primitive >= 0.0 )
			return ( report_costs ){ volume, primitive };
		if ( volume < 0.0 )
			return ( report_costs ){ 0.0, pp > 0.0 ? p1 / pp : 0.0 };
	}
	return costs;
}

void report_measure_primitive( report *r, const dbvh_mesh_view *a, const dbvh_mesh_view *b, size_t row,
                               const measure_row *poses ) {
	// Time as many pairs as the algorithm that tests most triangles does.
	uint64_t tests = 0;
	for ( size_t c = 0; c < algorithm_count; ++c ) {
		const uint64_t own = report_cell( r, row, c )->counters.triangle_tests;
		tests = own > tests ? own : tests;
	}
	if ( mpi_rank() == 0 )
		r->primitive[row] = cost_of_triangles( a, b, poses, tests );
}

// The time of a row without its triangle tests, per pair of nodes.
static double volume_cost( const report *r, size_t row, size_t c ) {
	const measure_cell *cell = report_cell( r, row, c );
	const double v = volumes( &cell->counters ),
	             left = cell->seconds - (double)cell->counters.triangle_tests * r->primitive[row];
	return v > 0.0 ? fmax( left, 0.0 ) / v : 0.0;
}

static bool fit_theirs( const report *r, size_t c, report_costs *out ) {
	double seconds[REPORT_ROWS], v[REPORT_ROWS], p[REPORT_ROWS];
	size_t count = 0;
	for ( size_t row = 0; row < r->row_count; ++row ) {
		paper_counts counts;
		if ( !with_paper( r, row, c ) || !paper_table2( r->rows[row].paper_row, algorithm_table[c].paper, &counts ) )
			continue;
		seconds[count] = paper_seconds( r->rows[row].paper_row, algorithm_table[c].paper );
		v[count] = counts.spheres > 0.0 ? counts.spheres : counts.boxes;
		p[count++] = counts.triangles;
	}
	if ( count == 0 )
		return false;
	*out = report_fit( seconds, v, p, count );
	return true;
}

void report_equation( const report *r ) {
	printf( "\n%s: equation (1), T = N_v C_v + N_p C_p, a query; C_p measured on its own.\nBeside it the paper's, its "
	        "costs by "
	        "least squares (CPU: 1.66 GHz)\n",
	        r->name );
	printf( "%-6s %-14s %10s %11s %8s %9s %8s %8s | %10s %8s %8s\n", "row", "algorithm", "T us", "N_v", "C_v ns", "N_p",
	        "C_p ns", "N_p C_p", "N_v", "C_v ns", "C_p ns" );
	for ( size_t row = 0; row < r->row_count; ++row )
		for ( size_t c = 0; c < algorithm_count; ++c ) {
			const measure_cell *cell = report_cell( r, row, c );
			if ( !report_has( r, c ) || cell->queries == 0 )
				continue;
			const double n = (double)cell->queries, t = cell->seconds / n, v = volumes( &cell->counters ) / n,
			             p = (double)cell->counters.triangle_tests / n;
			const double primitive = r->primitive[row], volume = volume_cost( r, row, c );
			printf( "%-6s %-14s %10.3f %11.1f %8.2f %9.2f %8.1f %6.1f %% |", short_name( r, row ),
			        algorithm_table[c].name, t * 1e6, v, volume * 1e9, p, primitive * 1e9, 100.0 * p * primitive / t );
			report_costs theirs;
			paper_counts counts;
			if ( with_paper( r, row, c ) && fit_theirs( r, c, &theirs ) &&
			     paper_table2( r->rows[row].paper_row, algorithm_table[c].paper, &counts ) ) {
				const double nv = counts.spheres > 0.0 ? counts.spheres : counts.boxes;
				const double seconds = paper_seconds( r->rows[row].paper_row, algorithm_table[c].paper );
				printf( " %10.1f %8.1f %8.1f", nv / (double)paper_queries( r->rows[row].paper_row ),
				        fmax( seconds - counts.triangles * theirs.primitive, 0.0 ) / nv * 1e9, theirs.primitive * 1e9 );
			}
			putchar( '\n' );
		}
}

// ------------------------------------------------------------------------------------------------
// Tables

// Tables are no wider than a terminal, or a page.
enum { WIDTH = 120 };

static void print_wrapped( const char *text ) {
	while ( strlen( text ) > WIDTH ) {
		size_t end = WIDTH;
		while ( end > 0 && text[end] != ' ' )
			end -= 1;
		if ( end == 0 )
			break;
		printf( "%.*s\n", (int)end, text );
		text += end + 1;
	}
	puts( text );
}

static void print_times( const report *r ) {
	const size_t first = reference( r );
	printf( "%-6s %-14s %12s %8s %12s %12s %8s %12s %10s\n", "row", "algorithm", "us/query", "/first", "seconds",
	        "paper", "ratio", "intersecting", "pairs" );
	for ( size_t row = 0; row < r->row_count; ++row )
		for ( size_t c = 0; c < algorithm_count; ++c ) {
			const measure_cell *cell = report_cell( r, row, c );
			if ( !report_has( r, c ) || cell->queries == 0 )
				continue;
			const double seconds = report_seconds( r, row, c );
			printf( "%-6s %-14s %12.3f %8.3f %12.5f", short_name( r, row ), algorithm_table[c].name,
			        cell->seconds / (double)cell->queries * 1e6, seconds / report_seconds( r, row, first ), seconds );
			if ( with_paper( r, row, c ) ) {
				const double theirs = paper_seconds( r->rows[row].paper_row, algorithm_table[c].paper );
				printf( " %12.4f %8.4f", theirs, seconds / theirs );
			} else {
				printf( " %12s %8s", "", "" );
			}
			printf( " %12llu %10llu\n", (unsigned long long)cell->intersecting, (unsigned long long)cell->pairs );
		}
}

static void print_count( double ours, double theirs ) {
	if ( theirs > 0.0 )
		printf( " %12.0f %10.0f %6.3f", ours, theirs, ours / theirs );
	else
		printf( " %12.0f %10s %6s", ours, "", "" );
}

static void print_counts( const report *r ) {
	printf( "%-6s %-14s %12s %10s %6s %12s %10s %6s %12s %10s %6s\n", "row", "algorithm", "spheres", "paper", "ratio",
	        "boxes", "paper", "ratio", "triangles", "paper", "ratio" );
	for ( size_t row = 0; row < r->row_count; ++row )
		for ( size_t c = 0; c < algorithm_count; ++c ) {
			const measure_cell *cell = report_cell( r, row, c );
			if ( !report_has( r, c ) || cell->queries == 0 )
				continue;
			paper_counts counts = { 0 };
			if ( with_paper( r, row, c ) )
				paper_table2( r->rows[row].paper_row, algorithm_table[c].paper, &counts );
			const double up = scale( r, row, c );
			printf( "%-6s %-14s", short_name( r, row ), algorithm_table[c].name );
			print_count( (double)cell->counters.sphere_tests * up, counts.spheres );
			print_count( (double)cell->counters.box_tests * up, counts.boxes );
			print_count( (double)cell->counters.triangle_tests * up, counts.triangles );
			putchar( '\n' );
		}
}

void report_print( const report *r ) {
	char heading[sizeof( r->name ) + sizeof( r->title ) + 4];
	snprintf( heading, sizeof( heading ), "%s: %s", r->name, r->title );
	putchar( '\n' );
	print_wrapped( heading );
	puts( "Seconds and counts are of as many queries as the paper's row has. ratio: ours over the paper's\n\nTimes" );
	print_times( r );
	puts( "\nTests" );
	print_counts( r );
}

// ------------------------------------------------------------------------------------------------
// Tables 1 and 2 alone

// Tell whether the algorithm has a column in the tables: the paper's, by the text and by the programs, and the packed
// form.
static bool in_table( const report *r, size_t c ) {
	return report_has( r, c ) &&
	       ( algorithm_table[c].paper != PAPER_NONE || strncmp( algorithm_table[c].name, "packed", 6 ) == 0 );
}

// How many of the paper's rows `who` is faster in than `whom`.
static void print_ahead( const report *reports, size_t count, const char *who, const char *whom ) {
	const algorithm *one = algorithm_find( who ), *other = whom != NULL ? algorithm_find( whom ) : NULL;
	if ( one == NULL || ( whom != NULL && other == NULL ) )
		return;
	size_t ahead = 0, rows = 0;
	char behind[200] = "";
	for ( size_t k = 0; k < count; ++k )
		for ( size_t row = 0; row < reports[k].row_count; ++row ) {
			const report *r = &reports[k];
			if ( r->rows[row].paper_row >= PAPER_ROWS || !report_has( r, (size_t)( one - algorithm_table ) ) )
				continue;
			bool all = true;
			for ( size_t c = 0; c < algorithm_count; ++c )
				if ( report_has( r, c ) && &algorithm_table[c] != one && !algorithm_table[c].all_threads &&
				     ( other == NULL || &algorithm_table[c] == other ) )
					all = all &&
					      report_seconds( r, row, (size_t)( one - algorithm_table ) ) < report_seconds( r, row, c );
			rows += 1;
			ahead += all;
			const size_t used = strlen( behind );
			if ( !all )
				snprintf( behind + used, sizeof( behind ) - used, "%s%s", used > 0 ? "; " : "",
				          paper_row_name( r->rows[row].paper_row ) );
		}
	printf( "%s is faster than %s in %zu of %zu rows%s%s%s\n", who,
	        whom != NULL ? whom : "everything else on one thread", ahead, rows, ahead < rows ? " (not in " : "", behind,
	        ahead < rows ? ")" : "" );
}

static void print_table1( const report *reports, size_t count ) {
	puts( "\nTable 1: seconds a row, on one thread but for packed-all; below, the paper's (CPU: 1.66 GHz)" );
	printf( "%-9s", "" );
	for ( size_t c = 0; c < algorithm_count; ++c )
		if ( in_table( &reports[0], c ) )
			printf( " %10s", algorithm_table[c].name );
	putchar( '\n' );
	for ( size_t k = 0; k < count; ++k )
		for ( size_t row = 0; row < reports[k].row_count; ++row ) {
			const report *r = &reports[k];
			if ( r->rows[row].paper_row >= PAPER_ROWS )
				continue;
			printf( "%-9s", paper_row_name( r->rows[row].paper_row ) );
			for ( size_t c = 0; c < algorithm_count; ++c )
				if ( in_table( r, c ) )
					printf( " %10.5f", report_seconds( r, row, c ) );
			printf( "\n%9s", "paper" );
			for ( size_t c = 0; c < algorithm_count; ++c )
				if ( in_table( r, c ) && algorithm_table[c].paper != PAPER_NONE )
					printf( " %10.4f", paper_seconds( r->rows[row].paper_row, algorithm_table[c].paper ) );
			putchar( '\n' );
		}
}

// A ratio, or nothing where the paper has no such number.
static void print_ratio( double ours, double theirs ) {
	if ( theirs > 0.0 )
		printf( " %6.3f", ours / theirs );
	else
		printf( " %6s", "-" );
}

static void print_table2( const report *reports, size_t count ) {
	puts( "\nTable 2: tests, ours over the paper's; of dual first the spheres, then of each the boxes and the "
	      "triangles" );
	printf( "%-9s", "" );
	for ( size_t c = 0; c < algorithm_count; ++c ) {
		paper_counts counts;
		if ( report_has( &reports[0], c ) && paper_table2( 0, algorithm_table[c].paper, &counts ) )
			printf( counts.spheres > 0.0 ? " %20s" : " %13s", algorithm_table[c].name );
	}
	putchar( '\n' );
	for ( size_t k = 0; k < count; ++k )
		for ( size_t row = 0; row < reports[k].row_count; ++row ) {
			const report *r = &reports[k];
			if ( r->rows[row].paper_row >= PAPER_ROWS )
				continue;
			printf( "%-9s", paper_row_name( r->rows[row].paper_row ) );
			for ( size_t c = 0; c < algorithm_count; ++c ) {
				paper_counts counts;
				if ( !report_has( r, c ) || !paper_table2( r->rows[row].paper_row, algorithm_table[c].paper, &counts ) )
					continue;
				const dbvh_counters *ours = &report_cell( r, row, c )->counters;
				const double up = scale( r, row, c );
				if ( counts.spheres > 0.0 )
					print_ratio( (double)ours->sphere_tests * up, counts.spheres );
				print_ratio( (double)ours->box_tests * up, counts.boxes );
				print_ratio( (double)ours->triangle_tests * up, counts.triangles );
			}
			putchar( '\n' );
		}
}

// Counts of dual and sat-lite relative to those of rapid, ours over the paper's: the meshes and poses drop out.
static void print_relative( const report *reports, size_t count, const char *const names[3] ) {
	size_t column[3];
	for ( int i = 0; i < 3; ++i ) {
		const algorithm *found = algorithm_find( names[i] );
		column[i] = (size_t)( found - algorithm_table );
		if ( found == NULL || !report_has( &reports[0], column[i] ) )
			return;
	}
	printf( "%s\n%-9s %19s %19s %19s\n", names[2], "", "boxes of sat-lite", "spheres of dual", "boxes of dual" );
	for ( size_t k = 0; k < count; ++k )
		for ( size_t row = 0; row < reports[k].row_count; ++row ) {
			const report *r = &reports[k];
			paper_counts theirs[3];
			if ( r->rows[row].paper_row >= PAPER_ROWS )
				continue;
			const dbvh_counters *ours[3];
			for ( int i = 0; i < 3; ++i ) {
				paper_table2( r->rows[row].paper_row, algorithm_table[column[i]].paper, &theirs[i] );
				ours[i] = &report_cell( r, row, column[i] )->counters;
			}
			const double rapid = (double)ours[0]->box_tests, their_rapid = theirs[0].boxes;
			const double pairs[3][2] = {
			    { (double)ours[1]->box_tests / rapid, theirs[1].boxes / their_rapid },
			    { (double)ours[2]->sphere_tests / rapid, theirs[2].spheres / their_rapid },
			    { (double)ours[2]->box_tests / rapid, theirs[2].boxes / their_rapid },
			};
			printf( "%-9s", paper_row_name( r->rows[row].paper_row ) );
			for ( int i = 0; i < 3; ++i )
				printf( " %5.3f/%5.3f =%6.3f", pairs[i][0], pairs[i][1], pairs[i][0] / pairs[i][1] );
			putchar( '\n' );
		}
}

void report_tables( const report *reports, size_t count ) {
	static const char *const text[3] = { "rapid", "sat-lite", "dual" };
	static const char *const programs[3] = { "rapid-r", "sat-lite-r", "dual-r" };
	if ( count == 0 )
		return;
	print_table1( reports, count );
	print_ahead( reports, count, "dual", "rapid" );
	print_ahead( reports, count, "dual-r", "rapid-r" );
	print_ahead( reports, count, "packed", NULL );
	print_table2( reports, count );
	puts( "\nThe same relative to the boxes of rapid: ours / the paper's" );
	print_relative( reports, count, text );
	print_relative( reports, count, programs );
}

// ------------------------------------------------------------------------------------------------
// For machines

void report_csv( const report *reports, size_t count, FILE *file ) {
	for ( size_t k = 0; k < count; ++k )
		fprintf( file, "# %s: %s\n", reports[k].name, reports[k].title );
	fputs(
	    "# seconds: once through the row, the least of alternate rounds, part by part; paper_*: Chang, Wang and Kim "
	    "(2009), "
	    "for paper_queries queries, 0 where it has no number; answers and counts do not depend on the machine\n"
	    "scenario,row,algorithm,queries,intersecting,pairs,answers,sphere_tests,box_tests,triangle_tests,exact_tests,"
	    "paper_queries,paper_sphere_tests,paper_box_tests,paper_triangle_tests,paper_seconds,seconds,us_per_query,"
	    "ratio_to_first,c_v_ns,c_p_ns\n",
	    file );
	for ( size_t k = 0; k < count; ++k ) {
		const report *r = &reports[k];
		const size_t first = reference( r );
		for ( size_t row = 0; row < r->row_count; ++row )
			for ( size_t c = 0; c < algorithm_count; ++c ) {
				const measure_cell *cell = report_cell( r, row, c );
				if ( !report_has( r, c ) || cell->queries == 0 )
					continue;
				paper_counts counts = { 0 };
				double seconds = 0.0;
				if ( with_paper( r, row, c ) ) {
					paper_table2( r->rows[row].paper_row, algorithm_table[c].paper, &counts );
					seconds = paper_seconds( r->rows[row].paper_row, algorithm_table[c].paper );
				}
				const dbvh_counters *n = &cell->counters;
				fprintf( file, "%s,\"%s\",%s,%llu,%llu,%llu,%016llx,%llu,%llu,%llu,%llu,%zu,%.0f,%.0f,%.0f,%.4f,",
				         r->name, r->rows[row].name, algorithm_table[c].name, (unsigned long long)cell->queries,
				         (unsigned long long)cell->intersecting, (unsigned long long)cell->pairs,
				         (unsigned long long)cell->hash, (unsigned long long)n->sphere_tests,
				         (unsigned long long)n->box_tests, (unsigned long long)n->triangle_tests,
				         (unsigned long long)n->exact_tests,
				         r->rows[row].paper_row < PAPER_ROWS ? paper_queries( r->rows[row].paper_row ) : 0,
				         counts.spheres, counts.boxes, counts.triangles, seconds );
				fprintf( file, "%.6g,%.5g,%.4f,%.3f,%.2f\n", cell->seconds, cell->seconds / (double)cell->queries * 1e6,
				         report_seconds( r, row, c ) / report_seconds( r, row, first ), volume_cost( r, row, c ) * 1e9,
				         r->primitive[row] * 1e9 );
			}
	}
}

static void json_cell( json *j, const report *r, size_t row, size_t c ) {
	const measure_cell *cell = report_cell( r, row, c );
	json_open( j, '{' );
	json_put_string( j, "algorithm", algorithm_table[c].name );
	json_put_count( j, "queries", cell->queries );
	json_put_count( j, "intersecting", cell->intersecting );
	json_put_count( j, "pairs", cell->pairs );
	char text[20];
	snprintf( text, sizeof( text ), "%016llx", (unsigned long long)cell->hash );
	json_put_string( j, "answers", text );
	json_put_count( j, "sphere_tests", cell->counters.sphere_tests );
	json_put_count( j, "box_tests", cell->counters.box_tests );
	json_put_count( j, "triangle_tests", cell->counters.triangle_tests );
	json_put_count( j, "exact_tests", cell->counters.exact_tests );
	json_put_real( j, "seconds", cell->seconds );
	json_put_real( j, "c_v", volume_cost( r, row, c ) );
	json_put_real( j, "c_p", r->primitive[row] );
	if ( with_paper( r, row, c ) ) {
		paper_counts counts;
		const size_t paper_row = r->rows[row].paper_row;
		json_key( j, "paper" );
		json_open( j, '{' );
		json_put_count( j, "queries", paper_queries( paper_row ) );
		json_put_real( j, "seconds", paper_seconds( paper_row, algorithm_table[c].paper ) );
		if ( paper_table2( paper_row, algorithm_table[c].paper, &counts ) ) {
			if ( counts.spheres > 0.0 )
				json_put_real( j, "sphere_tests", counts.spheres );
			json_put_real( j, "box_tests", counts.boxes );
			json_put_real( j, "triangle_tests", counts.triangles );
		}
		json_close( j, '}' );
	}
	json_close( j, '}' );
}

void report_json( const report *reports, size_t count, FILE *file ) {
	json j = { .file = file };
	json_open( &j, '{' );
	json_put_string( &j, "version", dbvh_version() );
	json_key( &j, "scenarios" );
	json_open( &j, '[' );
	for ( size_t k = 0; k < count; ++k ) {
		const report *r = &reports[k];
		json_open( &j, '{' );
		json_put_string( &j, "name", r->name );
		json_put_string( &j, "title", r->title );
		json_put_string( &j, "axis", r->axis );
		json_key( &j, "rows" );
		json_open( &j, '[' );
		for ( size_t row = 0; row < r->row_count; ++row ) {
			json_break( &j );
			json_open( &j, '{' );
			json_put_string( &j, "name", r->rows[row].name );
			json_put_real( &j, "x", r->rows[row].x );
			json_key( &j, "algorithms" );
			json_open( &j, '[' );
			for ( size_t c = 0; c < algorithm_count; ++c )
				if ( report_has( r, c ) && report_cell( r, row, c )->queries > 0 ) {
					json_break( &j );
					json_cell( &j, r, row, c );
				}
			json_close( &j, ']' );
			json_close( &j, '}' );
		}
		json_close( &j, ']' );
		json_close( &j, '}' );
	}
	json_close( &j, ']' );
	json_close( &j, '}' );
	fputc( '\n', file );
}
