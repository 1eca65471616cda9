// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command's half of the layer of the operating system on Windows 10 and later.

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0a00

#include "base/os_windows.h"

#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#ifndef ENABLE_VIRTUAL_TERMINAL_PROCESSING
#define ENABLE_VIRTUAL_TERMINAL_PROCESSING 4
#endif

// The streams of the C library that this process may have open: its most.
#define MOST_STREAMS 8192

static HANDLE handle_of( int file ) {
	return (HANDLE)_get_osfhandle( file );
}

// ------------------------------------------------------------------------------------------------
// The program

static UINT code_page; // the console's before the program began

static void restore_code_page( void ) {
	SetConsoleOutputCP( code_page );
}

// Takes the next word of a command line by the rules of Microsoft's C library, in place: double quotes keep blanks, and
// 2n backslashes in front of a quote are n of them, 2n + 1 are n and the quote itself. Returns the rest.
static char *take_word( char *at, char *to ) {
	bool is_quoted = false;
	while ( *at != '\0' && ( is_quoted || ( *at != ' ' && *at != '\t' ) ) ) {
		const size_t backslashes = strspn( at, "\\" );
		at += backslashes;
		const bool before_quote = *at == '"';
		const size_t kept = before_quote ? backslashes / 2 : backslashes;
		memset( to, '\\', kept );
		to += kept;
		if ( before_quote && backslashes % 2 == 0 ) {
			is_quoted = !is_quoted;
			++at;
		} else if ( before_quote || backslashes == 0 ) {
			*to++ = *at++;
		}
	}
	const bool ends = *at == '\0';
	*to = '\0';
	return ends ? at : at + 1;
}

// The first word is the program, in which backslashes mean nothing but themselves; its name is of no use here.
static char *pass_program( char *at ) {
	const bool is_quoted = *at == '"';
	at += is_quoted;
	at += strcspn( at, is_quoted ? "\"" : " \t" );
	return *at != '\0' ? at + 1 : at;
}

// The words stay for as long as the process lives. Without memory, those of the C library do.
static void take_arguments( int *argc, char ***argv ) {
	char *line = dbvhi_os_narrow( GetCommandLineW() );
	char **words = line != NULL ? calloc( strlen( line ) / 2 + 3, sizeof *words ) : NULL;
	if ( words == NULL ) {
		free( line );
		return;
	}
	int count = 0;
	words[count++] = ( *argv )[0];
	for ( char *at = pass_program( line ); at += strspn( at, " \t" ), *at != '\0'; ) {
		words[count++] = at;
		at = take_word( at, at );
	}
	*argc = count;
	*argv = words;
}

void os_begin( int *argc, char ***argv ) {
	DWORD mode;
	take_arguments( argc, argv );
	_setmode( _fileno( stdin ), _O_BINARY );
	_setmode( _fileno( stdout ), _O_BINARY );
	_setmode( _fileno( stderr ), _O_BINARY );
	if ( !GetConsoleMode( handle_of( _fileno( stdout ) ), &mode ) &&
	     !GetConsoleMode( handle_of( _fileno( stderr ) ), &mode ) )
		return;
	code_page = GetConsoleOutputCP();
	if ( SetConsoleOutputCP( CP_UTF8 ) )
		atexit( restore_code_page );
}

_Noreturn void os_exit_now( int status ) {
	_exit( status );
}

void os_print_error( const char *text, size_t count ) {
	DWORD written;
	WriteFile( GetStdHandle( STD_ERROR_HANDLE ), text, (DWORD)count, &written, NULL );
}

static void ( *volatile noted )( int signal_number );

static BOOL WINAPI on_event( DWORD event ) {
	void ( *const note )( int signal_number ) = noted;
	if ( note == NULL || ( event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT ) )
		return FALSE; // the next handler ends the process
	noted = NULL;
	note( event == CTRL_C_EVENT ? SIGINT : SIGTERM );
	return TRUE;
}

void os_note_interrupts( void ( *note )( int signal_number ) ) {
	noted = note;
	SetConsoleCtrlHandler( on_event, TRUE );
}

// Shells know an interrupted program by this status.
void os_die_of( int signal_number ) {
	(void)signal_number;
	fflush( NULL );
	ExitProcess( 0xC000013A ); // STATUS_CONTROL_C_EXIT
}

bool os_program( char *out, size_t room ) {
	enum { ROOM = 32768 }; // the longest name
	wchar_t *wide = malloc( ROOM * sizeof *wide );
	const DWORD length = wide != NULL ? GetModuleFileNameW( NULL, wide, ROOM ) : 0;
	char *path = length > 0 && length < ROOM ? dbvhi_os_narrow( wide ) : NULL;
	const bool fits = path != NULL && strlen( path ) < room;
	if ( fits )
		strcpy( out, path );
	free( path );
	free( wide );
	return fits;
}

bool os_program_folder( char *out, size_t room ) {
	char *slash = os_program( out, room ) ? strrchr( out, '\\' ) : NULL;
	if ( slash != NULL )
		slash[1] = '\0';
	return slash != NULL;
}

void os_become( const char *program, char *const *words ) {
	(void)program, (void)words;
}

const char *os_environment( const char *name ) {
	static char *kept;
	wchar_t *wide = dbvhi_os_wide( name );
	const wchar_t *value = wide != NULL ? _wgetenv( wide ) : NULL;
	free( kept );
	kept = value != NULL ? dbvhi_os_narrow( value ) : NULL;
	free( wide );
	return kept;
}

void os_raise_file_limit( void ) {
	_setmaxstdio( MOST_STREAMS );
}

bool os_utc( time_t seconds, struct tm *out ) {
	return gmtime_s( out, &seconds ) == 0;
}

// ------------------------------------------------------------------------------------------------
// Terminal

bool os_is_terminal( FILE *stream ) {
	DWORD mode;
	return GetConsoleMode( handle_of( _fileno( stream ) ), &mode ) != 0;
}

// One less than there are: a console goes to the next line once the last column is written, and to the one after that
// at the end of the line.
size_t os_terminal_columns( FILE *stream ) {
	CONSOLE_SCREEN_BUFFER_INFO info;
	return GetConsoleScreenBufferInfo( handle_of( _fileno( stream ) ), &info )
	           ? (size_t)( info.srWindow.Right - info.srWindow.Left )
	           : 0;
}

// A console that understands no codes gets none.
const char *os_terminal_kind( FILE *stream ) {
	const char *kind = getenv( "TERM" );
	const HANDLE console = handle_of( _fileno( stream ) );
	DWORD mode;
	if ( GetConsoleMode( console, &mode ) && !SetConsoleMode( console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING ) )
		return "dumb";
	return kind != NULL ? kind : "console";
}

// ------------------------------------------------------------------------------------------------
// Files

int os_file_of( FILE *stream ) {
	return _fileno( stream );
}

int os_duplicate_standard_output( void ) {
	return _dup( _fileno( stdout ) );
}

// note: the C library says "invalid argument" of it.
bool os_is_closed_pipe( int number ) {
	return number == EPIPE || ( number == EINVAL && GetFileType( handle_of( _fileno( stdout ) ) ) == FILE_TYPE_PIPE );
}

bool os_make_folder( const char *path ) {
	wchar_t *wide = dbvhi_os_wide( path );
	const bool made = wide != NULL && ( CreateDirectoryW( wide, NULL ) || dbvhi_os_failed() );
	free( wide );
	return made;
}

bool os_list( const char *folder, bool ( *see )( void *user, const char *name ), void *user ) {
	WIN32_FIND_DATAW entry;
	char *pattern = malloc( strlen( folder ) + 3 );
	if ( pattern == NULL )
		return false;
	strcat( strcpy( pattern, folder ), "/*" );
	wchar_t *wide = dbvhi_os_wide( pattern );
	free( pattern );
	const HANDLE list = wide != NULL ? FindFirstFileW( wide, &entry ) : INVALID_HANDLE_VALUE;
	free( wide );
	if ( list == INVALID_HANDLE_VALUE )
		return dbvhi_os_failed();
	bool goes_on;
	do {
		char *name = dbvhi_os_narrow( entry.cFileName );
		goes_on = name == NULL || see( user, name );
		free( name );
	} while ( goes_on && FindNextFileW( list, &entry ) );
	FindClose( list );
	return true;
}

bool os_write_at( int file, uint64_t at, const void *bytes, size_t count ) {
	OVERLAPPED place = { .Offset = (DWORD)at, .OffsetHigh = (DWORD)( at >> 32 ) };
	DWORD taken = 0;
	LARGE_INTEGER before;
	const HANDLE handle = handle_of( file );
	// note: WriteFile() moves the position, which a stream over the file relies on.
	if ( !SetFilePointerEx( handle, ( LARGE_INTEGER ){ .QuadPart = 0 }, &before, FILE_CURRENT ) )
		return dbvhi_os_failed();
	const bool done = WriteFile( handle, bytes, (DWORD)count, &taken, &place ) && taken == count;
	if ( !done )
		dbvhi_os_failed();
	return SetFilePointerEx( handle, before, NULL, FILE_BEGIN ) && done;
}

bool os_truncate( int file, uint64_t size ) {
	const errno_t why = _chsize_s( file, (long long)size );
	errno = why != 0 ? why : errno;
	return why == 0;
}

// A byte far behind every file: locks of Windows keep others from reading what is locked.
static OVERLAPPED far_away( void ) {
	return ( OVERLAPPED ){ .Offset = 0, .OffsetHigh = 0x40000000 };
}

os_locked os_lock( int file, bool waits ) {
	OVERLAPPED place = far_away();
	const DWORD how = LOCKFILE_EXCLUSIVE_LOCK | ( waits ? 0 : LOCKFILE_FAIL_IMMEDIATELY );
	// note: os_is_locked() of another process holds the lock for a moment.
	for ( int i = 0; i < 20; ++i ) {
		if ( LockFileEx( handle_of( file ), how, 0, 1, 0, &place ) )
			return OS_LOCKED;
		if ( GetLastError() != ERROR_LOCK_VIOLATION && GetLastError() != ERROR_IO_PENDING ) {
			dbvhi_os_failed();
			return OS_NOT_LOCKED;
		}
		Sleep( 5 );
	}
	return OS_HELD;
}

bool os_is_locked( int file ) {
	OVERLAPPED place = far_away();
	if ( !LockFileEx( handle_of( file ), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place ) )
		return GetLastError() == ERROR_LOCK_VIOLATION || GetLastError() == ERROR_IO_PENDING;
	UnlockFileEx( handle_of( file ), 0, 1, 0, &place );
	return false;
}

// Windows has no streams over memory: a temporary file, which is in memory as long as there is enough.
bool os_text_open( os_text *text ) {
	wchar_t folder[MAX_PATH + 1], name[MAX_PATH + 1];
	*text = ( os_text ){ 0 };
	if ( GetTempPathW( MAX_PATH, folder ) == 0 || GetTempFileNameW( folder, L"dbv", 0, name ) == 0 )
		return dbvhi_os_failed();
	const HANDLE file = CreateFileW( name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_ALWAYS,
	                                 FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL );
	if ( file == INVALID_HANDLE_VALUE )
		return dbvhi_os_failed();
	const int descriptor = _open_osfhandle( (intptr_t)file, _O_BINARY );
	text->stream = descriptor >= 0 ? _fdopen( descriptor, "w+b" ) : NULL;
	if ( text->stream == NULL && descriptor >= 0 )
		_close( descriptor );
	else if ( descriptor < 0 )
		CloseHandle( file );
	return text->stream != NULL;
}

static bool read_back( os_text *text ) {
	const long long count = fflush( text->stream ) == 0 && !ferror( text->stream ) ? _ftelli64( text->stream ) : -1;
	text->bytes = count >= 0 ? malloc( (size_t)count + 1 ) : NULL;
	if ( text->bytes == NULL || _fseeki64( text->stream, 0, SEEK_SET ) != 0 )
		return false;
	text->count = (size_t)count;
	text->bytes[text->count] = '\0';
	return fread( text->bytes, 1, text->count, text->stream ) == text->count;
}

bool os_text_close( os_text *text ) {
	const bool is_whole = read_back( text );
	fclose( text->stream );
	text->stream = NULL;
	if ( is_whole )
		return true;
	free( text->bytes );
	*text = ( os_text ){ 0 };
	return false;
}
