// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// BCF 2.1 and 3.0 that came back: what people have said in another program about clashes of a review.

#pragma once

#include "assembly/earlier.h"

// A part of a topic that was not taken, and why.
typedef enum bcf_left_what {
	BCF_LEFT_OLDER,    // its status and assignee: those of the review are newer
	BCF_LEFT_ACCEPTED, // the status Accepted: the review has no reason
	BCF_LEFT_OWN       // another status that the program finds out by itself, in a topic that somebody has changed
} bcf_left_what;

typedef struct bcf_left {
	uint64_t id; // the clash
	bcf_left_what what;
} bcf_left;

typedef struct bcf_news {
	size_t topics;                        // topics that belong to a clash of the review
	size_t others;                        // topics of no clash of the review
	size_t statuses, assignees, comments; // counts of what is new to the review
	bcf_left *left;
	size_t left_count, left_capacity;
} bcf_news;

// Takes status, assignee and comments of the topics of an archive into the review, in which scene_review_date() has
// been called. Of status and assignee the newer ones stay: a topic is as old as its ModifiedDate, else as the latest of
// its creation and comments, and without any date, or with one more than a day ahead, older than all that the review
// says. A status that the program writes
// by itself changes nothing where nobody has set another one. Comments that the review has, had, or has written are not
// taken again. `now`: seconds since 1970. The news are to be freed in any case. Cost: proportional to the archive.
// Errors: MALFORMED, TRUNCATED, LIMIT, OUT_OF_MEMORY; UNKNOWN_FORMAT in a build without libzip or expat.
dbvh_status bcf_take( scene_earlier *review, const unsigned char *bytes, size_t count, int64_t now, bcf_news *news_out,
                      dbvh_error *error );
void bcf_news_free( bcf_news *news );

// bcf_take() for the markup of one topic, which adds to `news`.
dbvh_status bcf_take_markup( earlier_clash *clash, const unsigned char *bytes, size_t count, int64_t now,
                             bcf_news *news, dbvh_error *error );
