// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The earlier run that a run is compared with, by --baseline, --review or --compare. At most one of them is given.

#include "assembly/baseline.h"
#include "assembly/bcf.h"
#include "assembly/review.h"
#include "cli/replace.h"
#include "cmd/scene_job.h"
#include "model/whole_file.h"
#include "text/day.h"
#include "text/hash.h"

#include <errno.h>
#include <stdlib.h>

static void print_left( const bcf_news *news ) {
	static const char *const sentences[] = {
	    [BCF_LEFT_OLDER] = "the status and assignee of the review stay, which are newer than the topic",
	    [BCF_LEFT_ACCEPTED] = "'Accepted' accepts nothing; a line 'accepted: REASON' in the review does",
	    [BCF_LEFT_OWN] = "the status stays what the program finds; it is one of its own words" };
	enum { MOST_LINES = 20 };
	char id[SCENE_HASH_ROOM];
	for ( size_t i = 0; i < news->left_count && i < MOST_LINES; ++i )
		printf( "  %s: %s\n", scene_hash_print( news->left[i].id, id ), sentences[news->left[i].what] );
	if ( news->left_count > MOST_LINES )
		printf( "  and so of %zu more\n", news->left_count - MOST_LINES );
}

static void print_news( const char *file, const bcf_news *news ) {
	printf( "%s: %zu topic%s of the review; new: %zu status%s, %zu assignee%s, %zu comment%s", file, news->topics,
	        SCENE_PLURAL( news->topics ), news->statuses, news->statuses == 1 ? "" : "es", news->assignees,
	        SCENE_PLURAL( news->assignees ), news->comments, SCENE_PLURAL( news->comments ) );
	if ( news->others > 0 )
		printf( "; %zu topic%s of no clash of the review", news->others, SCENE_PLURAL( news->others ) );
	putchar( '\n' );
	print_left( news );
}

// Take what people have said in other programs into the review.
static int take_topics( scene_job *job, int64_t now ) {
	for ( size_t i = 0; i < job->from_bcf.count; ++i ) {
		const char *file = job->from_bcf.texts[i];
		dbvh_error error = { 0 };
		unsigned char *bytes;
		size_t count;
		bcf_news news;
		if ( scene_disk_read( file, &bytes, &count, NULL, &error ) != DBVH_OK )
			return complain_of( file, &error );
		const dbvh_status status = bcf_take( &job->earlier, bytes, count, now, &news, &error );
		free( bytes );
		if ( status == DBVH_OK && !job->quiet && !job->as_json )
			print_news( file, &news );
		bcf_news_free( &news );
		if ( status != DBVH_OK )
			return complain_of( file, &error );
	}
	return ARGS_GO_ON;
}

int scene_job_read_earlier( scene_job *job, int64_t now ) {
	const char *file = job->baseline != NULL ? job->baseline : job->review;
	dbvh_error error = { 0 };
	unsigned char *bytes;
	size_t count;
	if ( file == NULL )
		return ARGS_GO_ON;
	if ( scene_disk_read( file, &bytes, &count, NULL, &error ) != DBVH_OK ) {
		job->earlier.has_review = job->review != NULL;
		if ( job->review == NULL || errno != ENOENT )
			return complain_of( file, &error );
		// The first run makes the review.
		return job->from_bcf.count == 0
		           ? ARGS_GO_ON
		           : complain(
		                 "%s: the file is not there, so that %s has no clash to speak of; a run without --from-bcf "
		                 "makes it",
		                 file, job->from_bcf.texts[0] );
	}
	const dbvh_status status = job->baseline != NULL ? scene_baseline_read( &job->earlier, bytes, count, &error )
	                                                 : scene_review_read( &job->earlier, bytes, count, &error );
	free( bytes );
	if ( status != DBVH_OK )
		return complain_of( file, &error );
	return scene_review_date( &job->earlier, now ) ? take_topics( job, now ) : complain_memory();
}

int scene_job_stand( scene_job *job, int64_t now ) {
	if ( job->baseline == NULL && job->review == NULL && job->compared.count == 0 )
		return ARGS_GO_ON;
	scene_day_print( now, job->earlier.today );
	job->findings.earlier = &job->earlier;
	return scene_stand( &job->findings, &job->earlier, &job->tolerance ) ? ARGS_GO_ON : complain_memory();
}

static int write_review( const char *file, const scene_earlier *review ) {
	replacement r;
	if ( !replacement_open( &r, file, "the review" ) )
		return EXIT_ERROR;
	errno = 0;
	if ( !scene_review_write( review, r.stream ) ) {
		replacement_abandon( &r );
		return complain_memory();
	}
	return replacement_close( &r ) ? EXIT_CLEAR : EXIT_ERROR;
}

int scene_job_keep_review( scene_job *job ) {
	scene_earlier next = { 0 };
	if ( job->review == NULL )
		return EXIT_CLEAR;
	if ( job->scene == NULL ) // ended early: nothing was looked at, and only topics of BCF can be new
		return job->from_bcf.count > 0 ? write_review( job->review, &job->earlier ) : EXIT_CLEAR;
	const int status = scene_review_next( &job->findings, &job->earlier, &next ) ? write_review( job->review, &next )
	                                                                             : complain_memory();
	scene_earlier_free( &next );
	return status;
}
