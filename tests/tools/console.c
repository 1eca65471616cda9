// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Runs a command on a console of Windows, and writes what stands there when it has ended: what pseudo-terminals are
// elsewhere.
//
//   console COLUMNS FILE PROGRAM [ARGUMENT...]     its status is that of the program
//
// The console is a screen buffer of its own behind the one that is shown, which can be as wide as one likes.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

enum { ROWS = 300, MOST_COLUMNS = 400 };

static void give_up( const char *what ) {
	fprintf( stderr, "console: %s: error %lu\n", what, GetLastError() );
	exit( 125 );
}

static HANDLE make_screen( int columns ) {
	SECURITY_ATTRIBUTES inherited = { sizeof inherited, NULL, TRUE };
	const HANDLE screen = CreateConsoleScreenBuffer( GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE,
	                                                 &inherited, CONSOLE_TEXTMODE_BUFFER, NULL );
	if ( screen == INVALID_HANDLE_VALUE )
		give_up( "no screen buffer" );
	// A window is not larger than its buffer at any time.
	const SMALL_RECT small = { 0, 0, 0, 0 }, window = { 0, 0, (SHORT)( columns - 1 ), 23 };
	SetConsoleWindowInfo( screen, TRUE, &small );
	if ( !SetConsoleScreenBufferSize( screen, ( COORD ){ (SHORT)columns, ROWS } ) )
		give_up( "no such size" );
	if ( !SetConsoleWindowInfo( screen, TRUE, &window ) )
		give_up( "no such window" );
	return screen;
}

// The command line behind the first three words, as it is: no quote is lost.
static wchar_t *rest_of_line( int words ) {
	wchar_t *at = GetCommandLineW();
	for ( ; words > 0; --words ) {
		for ( int quoted = 0; *at != 0 && ( quoted || *at != ' ' ); ++at )
			quoted ^= *at == '"';
		at += wcsspn( at, L" " );
	}
	return at;
}

static DWORD run_on( HANDLE screen ) {
	STARTUPINFOW start = { .cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES };
	PROCESS_INFORMATION process;
	DWORD status = 125;
	start.hStdInput = GetStdHandle( STD_INPUT_HANDLE );
	start.hStdOutput = start.hStdError = screen;
	if ( !CreateProcessW( NULL, rest_of_line( 3 ), NULL, NULL, TRUE, 0, NULL, NULL, &start, &process ) )
		give_up( "the program does not start" );
	WaitForSingleObject( process.hProcess, INFINITE );
	GetExitCodeProcess( process.hProcess, &status );
	return status;
}

// Rows in UTF-8 without blanks at their ends.
static void write_screen( HANDLE screen, int columns, const char *path ) {
	CONSOLE_SCREEN_BUFFER_INFO info;
	wchar_t row[MOST_COLUMNS];
	char text[4 * MOST_COLUMNS];
	FILE *out = fopen( path, "wb" );
	if ( out == NULL || !GetConsoleScreenBufferInfo( screen, &info ) )
		give_up( path );
	for ( SHORT y = 0; y < info.dwCursorPosition.Y + ( info.dwCursorPosition.X > 0 ); ++y ) {
		DWORD count = 0;
		ReadConsoleOutputCharacterW( screen, row, (DWORD)columns, ( COORD ){ 0, y }, &count );
		while ( count > 0 && row[count - 1] == ' ' )
			--count;
		const int bytes = WideCharToMultiByte( CP_UTF8, 0, row, (int)count, text, sizeof text, NULL, NULL );
		fprintf( out, "%.*s\n", bytes, text );
	}
	fclose( out );
}

int main( int argc, char **argv ) {
	const int columns = argc > 3 ? atoi( argv[1] ) : 0;
	if ( columns < 1 || columns > MOST_COLUMNS ) {
		fputs( "usage: console COLUMNS FILE PROGRAM [ARGUMENT...]\n", stderr );
		return 125;
	}
	const HANDLE screen = make_screen( columns );
	const DWORD status = run_on( screen );
	write_screen( screen, columns, argv[2] );
	return (int)status;
}
