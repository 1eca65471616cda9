// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// BCF 2.1 and 3.0 that came back: what people have said in another program about clashes of a review.

#pragma once

#include "assembly/earlier.h"

typedef struct bcf_news {
	size_t topics;                        // of clashes of the review
	size_t statuses, assignees, comments; // that the review did not have
} bcf_news;

// Takes status, assignee and comments of the topics of an archive into the review. A status that the program writes by
// itself changes nothing where nobody has set another one. Comments that the review has, or has written, are not taken
// again. Errors: MALFORMED, TRUNCATED, LIMIT, OUT_OF_MEMORY; UNKNOWN_FORMAT in a build without libzip or expat.
dbvh_status bcf_take( scene_earlier *review, const unsigned char *bytes, size_t count, bcf_news *news_out,
                      dbvh_error *error );
