// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The outputs of pictures: a page, thumbnails, models for other programs.

#pragma once

#include "cli/args.h"
#include "picture/picture.h"
#include "picture/section.h"
#include "picture/sources.h"

typedef struct picture_outputs {
	const char *html, *png; // a page; a folder of thumbnails. NULL: not wanted
	arg_texts models;       // files of dualbvh export
	bool has_section;       // an .svg is a section, else a plot of distances
	section_plane section;
	uint32_t layers; // content of models, bits of picture/model.h
	uint32_t level;  // level of trees
	uint32_t budget; // triangles to draw; 0: PICTURE_BUDGET
	picture_wishes wishes;
} picture_outputs;

enum { PICTURE_BUDGET = 1000000 };

// Options of every command that can make a page, for the tables; `pictures` is the member of the settings.
#define PICTURE_HTML_ENTRY( pictures )                                                                                 \
	{                                                                                                                  \
		"html", 0, "FILE", ARG_TO( ARG_TEXT, pictures.html ),                                                          \
		    "also write a page that shows it, for any browser, in one file and without a network"                      \
	}
#define PICTURE_PNG_ENTRY( pictures )                                                                                  \
	{                                                                                                                  \
		"png", 0, "FOLDER", ARG_TO( ARG_TEXT, pictures.png ),                                                          \
		    "also write a small picture of each group of clashes, beside what FOLDER holds"                            \
	}

// Is anything wanted?
bool picture_outputs_any( const picture_outputs *outputs );

// Lists what a picture must have for these outputs.
picture_wishes picture_outputs_wishes( const picture_outputs *outputs );

// Before the work: would a page or a model replace one of the files that are read (NULL: one that is not named), is
// there a folder for it, would a page stand among what the command `reports` on standard output, and is the frame of
// the page there? ARGS_GO_ON, or the exit status after a sentence.
int picture_outputs_check( const picture_outputs *outputs, const char *command, const char *const *inputs,
                           size_t input_count, bool reports );

// The first of these alone, for files that become known later.
int picture_outputs_spare( const picture_outputs *outputs, const char *command, const char *const *inputs,
                           size_t input_count );

// Does a page or a model go to standard output, where nothing else may stand then?
bool picture_outputs_are_printed( const picture_outputs *outputs );

// Writes all; each file under another name first. The exit status: EXIT_CLEAR, or EXIT_ERROR after a sentence. What was
// written into files is said on standard output unless `quiet`.
int picture_outputs_write( const picture_outputs *outputs, const picture *p, bool quiet );

// picture_outputs_write() for two meshes that were read, with topology, at all poses.
int picture_outputs_write_pair( const picture_outputs *outputs, const mesh_pair *pair, bool quiet );
