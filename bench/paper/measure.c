// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "paper/measure.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "cli/progress.h"
#include "common/cache.h"
#include "common/mpi.h"
#include "common/stats.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Shorter runs are repeated within a round, so that the clock can resolve them.
#define SHORTEST 2e-3

typedef struct part {
	size_t row, begin, count, number; // number within the row
	uint64_t key;
	bool mine, kept;
} part;

// The format of parts on disk and between ranks.
typedef struct record {
	measure_cell cells[ALGORITHM_MAX];
} record;

typedef struct run {
	const char *progress;
	const measure_row *rows;
	measure_options options;
	char folder[CACHE_PATH_SIZE];
	algorithm_scene *scene;
	void *prepared[ALGORITHM_MAX];
	void **scratch; // [thread * ALGORITHM_MAX + algorithm]
	part *parts;
	record *records;
	size_t part_count;
	size_t *todo, todo_count;
	atomic_size_t done;
} run;

static void must( bool fact, const char *what ) {
	if ( fact )
		return;
	fprintf( stderr, "dualbvh-bench: %s\n", what );
	mpi_exit( 2 );
}

static bool chosen( const run *r, size_t c ) {
	return ( r->options.algorithms >> c & 1 ) != 0;
}

// ------------------------------------------------------------------------------------------------
// Parts

// A single pose is a part of its own only where the row has no other: packed-all shares out poses where there are
// several, else the one query, and counts differently then.
static size_t parts_of( size_t count, size_t size ) {
	return count <= 1 ? count : count / size + ( count % size > 1 );
}

static void make_parts( run *r, const dbvh_mesh_view *a, const dbvh_mesh_view *b, size_t row_count ) {
	const size_t size = r->options.part > 0 ? r->options.part : MEASURE_PART; // at least 2
	for ( size_t row = 0; row < row_count; ++row )
		r->part_count += parts_of( r->rows[row].count, size );
	r->parts = calloc( r->part_count + 1, sizeof( *r->parts ) );
	r->records = calloc( r->part_count + 1, sizeof( *r->records ) );
	r->todo = calloc( r->part_count + 1, sizeof( *r->todo ) );
	must( r->parts != NULL && r->records != NULL && r->todo != NULL, "out of memory" );

	const uint64_t numbers[] = { r->options.algorithms, r->options.rounds, a->triangle_count, b->triangle_count };
	uint64_t key = cache_hash( cache_program_hash(), numbers, sizeof( numbers ) );
	for ( int which = 0; which < 2; ++which ) {
		const dbvh_mesh_view *view = which == 0 ? a : b;
		key = cache_hash( key, view->positions, 3 * view->vertex_count * sizeof( double ) );
		key = cache_hash( key, view->indices, 3 * view->triangle_count * sizeof( uint32_t ) );
	}
	size_t i = 0;
	for ( size_t row = 0; row < row_count; ++row ) {
		const measure_row *w = &r->rows[row];
		const size_t count = parts_of( w->count, size );
		for ( size_t k = 0; k < count; ++k, ++i ) {
			part *p = &r->parts[i];
			const size_t begin = k * size;
			*p = ( part ){ .row = row, .begin = begin, .count = k + 1 < count ? size : w->count - begin, .number = k };
			p->key = cache_hash( cache_hash_text( key, w->name ), w->poses + begin, p->count * sizeof( dbvh_pose ) );
			p->key = dbvhi_hash_word( dbvhi_hash_word( p->key, begin ), (uint64_t)w->find );
			p->mine = r->options.slices > 0 ? i % r->options.slices == r->options.slice - 1 : mpi_owns( i );
		}
	}
}

static void part_path( const run *r, const part *p, char path[CACHE_PATH_SIZE + 40] ) {
	snprintf( path, CACHE_PATH_SIZE + 40, "%s/part-%016llx.bin", r->folder, (unsigned long long)p->key );
}

// ------------------------------------------------------------------------------------------------
// One part

static void add_counters( dbvh_counters *sum, const dbvh_counters *more ) {
	sum->sphere_tests += more->sphere_tests;
	sum->box_tests += more->box_tests;
	sum->triangle_tests += more->triangle_tests;
	sum->exact_tests += more->exact_tests;
}

static measure_cell tally( const algorithm_answer *answers, size_t count ) {
	measure_cell cell = { .queries = count, .hash = DBVHI_HASH_SEED };
	for ( size_t i = 0; i < count; ++i ) {
		add_counters( &cell.counters, &answers[i].counters );
		cell.intersecting += answers[i].verdict == DBVH_INTERSECTING;
		cell.pairs += answers[i].pair_count;
		cell.hash = dbvhi_hash_word( cell.hash, (uint64_t)answers[i].verdict );
		cell.hash = dbvhi_hash_word( cell.hash, answers[i].pair_count );
		cell.hash = dbvhi_hash_word( cell.hash, answers[i].pair_hash );
	}
	return cell;
}

// Seconds that asking once takes. The clock on the wall also counts the time in which some other program had a core, so
// of what is timed with it the least counts.
static double time_asking( const run *r, const part *p, size_t c, void *scratch, size_t times, bool all_threads,
                           algorithm_answer *answers ) {
	enum { WALL_TIMES = 8 };
	const measure_row *row = &r->rows[p->row];
	double least = INFINITY;
	if ( !all_threads ) {
		const double start = stats_thread_now();
		for ( size_t i = 0; i < times; ++i )
			algorithm_table[c].run( r->prepared[c], scratch, row->poses + p->begin, p->count, row->find, answers );
		return ( stats_thread_now() - start ) / (double)times;
	}
	for ( size_t i = 0; i < times || i < WALL_TIMES; ++i ) {
		const double start = stats_now();
		algorithm_table[c].run( r->prepared[c], scratch, row->poses + p->begin, p->count, row->find, answers );
		least = fmin( least, stats_now() - start );
	}
	return least;
}

// Measure the algorithms of one kind in turn, round after round. Counting and hashing are not timed.
static void run_part( run *r, const part *p, uint32_t thread, bool all_threads, record *out ) {
	algorithm_answer *answers = calloc( p->count, sizeof( *answers ) );
	must( answers != NULL, "out of memory" );
	void **scratch = &r->scratch[(size_t)thread * ALGORITHM_MAX];
	size_t repeats[ALGORITHM_MAX] = { 0 };
	// The first round warms up, fills in the answers and says how long one takes.
	for ( size_t round = 0; round <= r->options.rounds; ++round )
		for ( size_t c = 0; c < algorithm_count; ++c ) {
			const algorithm *who = &algorithm_table[c];
			if ( !chosen( r, c ) || who->all_threads != all_threads )
				continue;
			if ( scratch[c] == NULL && who->scratch != NULL )
				scratch[c] = who->scratch( r->prepared[c] );
			const double spent = time_asking( r, p, c, scratch[c], round == 0 ? 1 : repeats[c], all_threads, answers );
			if ( round == 0 ) {
				out->cells[c] = tally( answers, p->count );
				out->cells[c].seconds = spent;
				repeats[c] = 1 + (size_t)( SHORTEST / ( spent + 1e-9 ) );
			} else if ( spent < out->cells[c].seconds || round == 1 ) {
				out->cells[c].seconds = spent;
			}
		}
	free( answers );
}

static void crash_here( const run *r, const part *p ) {
	char here[80];
	snprintf( here, sizeof( here ), "%s:%zu", r->rows[p->row].name, p->number );
	if ( r->options.crash != NULL && strcmp( r->options.crash, here ) == 0 )
		abort();
}

static void run_task( void *context, size_t index, uint32_t thread ) {
	run *r = context;
	const size_t i = r->todo[index];
	crash_here( r, &r->parts[i] );
	run_part( r, &r->parts[i], thread, false, &r->records[i] );
	const size_t done = atomic_fetch_add( &r->done, 1 ) + 1;
	if ( thread == 0 )
		progress_step( r->progress, done, 2 * r->todo_count );
}

// ------------------------------------------------------------------------------------------------
// What is left of earlier runs

static void marker_path( const run *r, size_t rank, char path[CACHE_PATH_SIZE + 40] ) {
	snprintf( path, CACHE_PATH_SIZE + 40, "%s/rank-%zu.running", r->folder, rank );
}

// A rank that dies leaves its marker behind. Says so once, and only to the next run.
static void report_dead( const run *r ) {
	for ( size_t rank = 0; rank < 1024; ++rank ) {
		char path[CACHE_PATH_SIZE + 40], what[120] = "";
		marker_path( r, rank, path );
		FILE *file = fopen( path, "r" );
		if ( file == NULL )
			continue;
		long process = 0;
		if ( fscanf( file, "%ld %119[^\n]", &process, what ) != 2 )
			snprintf( what, sizeof( what ), "something" );
		fclose( file );
		if ( process > 0 && kill( (pid_t)process, 0 ) == 0 )
			continue; // somebody else's run, in the same folder
		fprintf( stderr, "dualbvh-bench: rank %zu (process %ld) of an earlier run died during %s\n", rank, process,
		         what );
		remove( path );
	}
}

static void mark( const run *r, bool running ) {
	char path[CACHE_PATH_SIZE + 40];
	marker_path( r, r->options.slices > 0 ? r->options.slice - 1 : mpi_rank(), path );
	if ( !running ) {
		remove( path );
		return;
	}
	FILE *file = fopen( path, "w" );
	if ( file == NULL )
		return;
	fprintf( file, "%ld %s\n", (long)getpid(), r->progress );
	fclose( file );
}

static void load_parts( run *r ) {
	size_t kept = 0;
	for ( size_t i = 0; i < r->part_count; ++i ) {
		part *p = &r->parts[i];
		char path[CACHE_PATH_SIZE + 40];
		part_path( r, p, path );
		p->kept = cache_load( path, p->key, &r->records[i], sizeof( r->records[i] ) );
		kept += p->kept;
		if ( p->mine && !p->kept )
			r->todo[r->todo_count++] = i;
	}
	if ( kept > 0 && mpi_rank() == 0 )
		fprintf( stderr, "%s: %zu of %zu parts are there from an earlier run\n", r->progress, kept, r->part_count );
}

// ------------------------------------------------------------------------------------------------

static void compute( run *r, const dbvh_mesh_view *a, const dbvh_mesh_view *b ) {
	if ( r->todo_count == 0 )
		return;
	progress_begin( mpi_rank() == 0 );
	r->scene = algorithm_scene_create( a, b );
	for ( size_t c = 0; c < algorithm_count; ++c )
		if ( chosen( r, c ) ) {
			progress_stage( "preparing", algorithm_table[c].name );
			r->prepared[c] = algorithm_table[c].prepare( &algorithm_table[c], r->scene );
		}
	r->scratch = calloc( (size_t)DBVHI_MAX_THREADS * ALGORITHM_MAX, sizeof( *r->scratch ) );
	must( r->scratch != NULL, "out of memory" );

	// A handful of parts for each thread at a time, so that a run that dies has lost no more than those.
	const size_t batch = 4 * (size_t)dbvhi_thread_count( r->options.threads );
	size_t *all = r->todo, all_count = r->todo_count;
	for ( size_t begin = 0; begin < all_count; begin += batch ) {
		const size_t count = all_count - begin < batch ? all_count - begin : batch;
		r->todo = all + begin;
		dbvhi_parallel_for( count, 1, dbvhi_thread_count( r->options.threads ), run_task, r );
		for ( size_t k = 0; k < count; ++k ) {
			const size_t i = r->todo[k];
			run_part( r, &r->parts[i], 0, true, &r->records[i] );
			char path[CACHE_PATH_SIZE + 40];
			part_path( r, &r->parts[i], path );
			cache_store( path, r->parts[i].key, &r->records[i], sizeof( r->records[i] ) );
			progress_step( r->progress, atomic_fetch_add( &r->done, 1 ) + 1, 2 * all_count );
		}
	}
	r->todo = all;
	for ( size_t k = 0; k < (size_t)DBVHI_MAX_THREADS * ALGORITHM_MAX; ++k )
		if ( r->scratch[k] != NULL )
			algorithm_table[k % ALGORITHM_MAX].free_scratch( r->scratch[k] );
	free( r->scratch );
	for ( size_t c = 0; c < algorithm_count; ++c )
		if ( chosen( r, c ) )
			algorithm_table[c].release( r->prepared[c] );
	algorithm_scene_destroy( r->scene );
	progress_end();
}

static void add_part( const part *p, const record *from, measure_cell *cells ) {
	for ( size_t c = 0; c < algorithm_count; ++c ) {
		measure_cell *to = &cells[p->row * algorithm_count + c];
		const measure_cell *more = &from->cells[c];
		if ( more->queries == 0 )
			continue;
		to->seconds += more->seconds;
		to->queries += more->queries;
		to->intersecting += more->intersecting;
		to->pairs += more->pairs;
		add_counters( &to->counters, &more->counters );
		to->hash = dbvhi_hash_word( to->hash, more->hash );
	}
}

bool measure_rows( const char *progress, const dbvh_mesh_view *a, const dbvh_mesh_view *b, const measure_row *rows,
                   size_t row_count, const measure_options *options, measure_cell *cells ) {
	run r = { .progress = progress, .rows = rows, .options = *options };
	if ( options->cache != NULL )
		snprintf( r.folder, sizeof( r.folder ), "%s", options->cache );
	else
		cache_path( "parts", r.folder );
	cache_make_folder( r.folder );
	make_parts( &r, a, b, row_count );
	if ( mpi_rank() == 0 && options->slices == 0 )
		report_dead( &r );
	mpi_max( 0 ); // nobody marks before the old marks are gone
	mark( &r, true );
	load_parts( &r );
	compute( &r, a, b );

	const bool whole = options->slices == 0;
	if ( whole ) {
		mpi_exchange( r.records, sizeof( *r.records ), r.part_count );
		memset( cells, 0, row_count * algorithm_count * sizeof( *cells ) );
		for ( size_t i = 0; i < r.part_count; ++i )
			add_part( &r.parts[i], &r.records[i], cells );
	}
	mark( &r, false );
	for ( size_t i = 0; whole && options->cache == NULL && mpi_rank() == 0 && i < r.part_count; ++i ) {
		char path[CACHE_PATH_SIZE + 40];
		part_path( &r, &r.parts[i], path );
		remove( path );
	}
	free( r.parts );
	free( r.records );
	free( r.todo );
	return whole;
}

bool measure_agree( const measure_row *rows, size_t row_count, uint32_t algorithms, const measure_cell *cells ) {
	bool agree = true;
	for ( size_t row = 0; row < row_count; ++row ) {
		const measure_cell *first = NULL;
		for ( size_t c = 0; c < algorithm_count; ++c ) {
			const measure_cell *cell = &cells[row * algorithm_count + c];
			if ( ( algorithms >> c & 1 ) == 0 )
				continue;
			if ( first == NULL )
				first = cell;
			if ( cell->hash != first->hash ) {
				printf( "ANSWERS DIFFER: %s in the row '%s': %llu poses meet, %llu pairs; the first says %llu, %llu\n",
				        algorithm_table[c].name, rows[row].name, (unsigned long long)cell->intersecting,
				        (unsigned long long)cell->pairs, (unsigned long long)first->intersecting,
				        (unsigned long long)first->pairs );
				agree = false;
			}
		}
	}
	return agree;
}
