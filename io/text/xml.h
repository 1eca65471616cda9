// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Text that may stand in XML 1.0.

#pragma once

#include <stdio.h>

// Writes a text as content or as the value of an attribute in double quotes. What XML forbids (control characters,
// U+FFFE, bytes that are no UTF-8) becomes U+FFFD.
void xml_text( FILE *file, const char *text );

// Writes ` name="text"`.
void xml_attribute( FILE *file, const char *name, const char *text );

// Writes `<name>text</name>` and a line end, or nothing of a text that is NULL.
void xml_element( FILE *file, const char *name, const char *text );
