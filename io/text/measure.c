// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

#include "text/measure.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

const char *measure_unit( double metres ) {
	static const struct {
		double metres;
		const char *name;
	} units[] = { { 1.0, "m" },     { 0.01, "cm" },   { 0.001, "mm" }, { 1e-6, "um" },
	              { 1000.0, "km" }, { 0.0254, "in" }, { 0.3048, "ft" } };
	for ( size_t i = 0; i < sizeof units / sizeof units[0]; ++i )
		if ( metres == units[i].metres )
			return units[i].name;
	return "";
}

static bool is_narrow( dbvh_interval x ) {
	return x.upper - x.lower <= 0.01 * x.upper;
}

double measure_value( dbvh_interval x ) {
	return is_narrow( x ) ? 0.5 * x.lower + 0.5 * x.upper : x.upper;
}

// A number of few digits, without an exponent up to a thousand million.
static void put_few( double x, int digits, char text[24] ) {
	snprintf( text, 24, "%.*g", digits, x );
	if ( fabs( x ) >= 100.0 && fabs( x ) < 1e9 )
		snprintf( text, 24, "%.0f", strtod( text, NULL ) );
}

const char *measure_text( dbvh_interval x, double metres, int power, char text[MEASURE_ROOM] ) {
	const char *unit = measure_unit( metres );
	char behind[8] = "";
	if ( *unit != '\0' )
		snprintf( behind, sizeof behind, power == 3 ? " %s3" : " %s", unit );
	// Digits that the width makes meaningless are left out.
	const int digits = x.upper - x.lower <= 1e-5 * x.upper ? 5 : 3;
	char lower[24], upper[24];
	put_few( is_narrow( x ) ? measure_value( x ) : x.upper, digits, upper );
	put_few( x.lower, digits, lower );
	if ( !isfinite( x.upper ) )
		snprintf( text, MEASURE_ROOM, "at least %s%s", lower, behind );
	else if ( is_narrow( x ) )
		snprintf( text, MEASURE_ROOM, "%s%s", upper, behind );
	else if ( x.lower > 0.0 )
		snprintf( text, MEASURE_ROOM, "%s to %s%s", lower, upper, behind );
	else
		snprintf( text, MEASURE_ROOM, "at most %s%s", upper, behind );
	return text;
}
