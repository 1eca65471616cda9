// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The layer of the operating system on Windows 10 and later. It needs no library for POSIX threads or files.

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0a00

#include "base/os_windows.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

// MOST_AT_A_TIME: ReadFile() and WriteFile() take less than 4 GiB at a time.
#define MOST_AT_A_TIME ( (size_t)1 << 30 )

// LONG_NAME: names of folders may have 248 characters without the prefix, those of files 260.
#define LONG_NAME 240

// Virus scanners and indexers hold files open for a moment; such a refusal is tried again, for a second in all.
#define TRIES 40
#define TRY_EVERY 25 // milliseconds

// Values of the interface of Windows 10 that the headers of older compilers lack.
#define RENAME_INFO_EX 22
#define RENAME_REPLACES 1
#define RENAME_POSIX 2

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION 2
#endif

// ------------------------------------------------------------------------------------------------
// Memory

// note: _aligned_malloc() adds the alignment and a pointer to the size, and does not look whether that overflows.
static bool is_too_large( size_t bytes, size_t alignment ) {
	return bytes > SIZE_MAX / 2 - alignment;
}

void *dbvhi_os_alloc( size_t bytes, size_t alignment ) {
	return is_too_large( bytes, alignment ) ? NULL : _aligned_malloc( bytes, alignment );
}

void dbvhi_os_free( void *memory ) {
	_aligned_free( memory );
}

void *dbvhi_os_realloc( void *memory, size_t bytes, size_t alignment ) {
	return is_too_large( bytes, alignment ) ? NULL : _aligned_realloc( memory, bytes, alignment );
}

void dbvhi_os_forget_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}

void dbvhi_os_want_large_pages( void *bytes, size_t count ) {
	(void)bytes;
	(void)count;
}

// ------------------------------------------------------------------------------------------------
// Threads and time

static unsigned __stdcall run_thread( void *argument ) {
	const dbvhi_os_thread *thread = argument;
	thread->run( thread->context );
	return 0;
}

bool dbvhi_os_thread_start( dbvhi_os_thread *thread, size_t stack_bytes, void ( *run )( void *context ),
                            void *context ) {
	thread->run = run;
	thread->context = context;
	thread->handle =
	    _beginthreadex( NULL, (unsigned)stack_bytes, run_thread, thread, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL );
	if ( thread->handle == 0 )
		thread->handle = _beginthreadex( NULL, 0, run_thread, thread, 0, NULL );
	return thread->handle != 0;
}

void dbvhi_os_thread_join( dbvhi_os_thread *thread ) {
	WaitForSingleObject( (HANDLE)thread->handle, INFINITE );
	CloseHandle( (HANDLE)thread->handle );
}

// note: a thread that ends waits for the lock of the loader, which whoever unloads a library holds: joining there would
// wait for ever. So a DLL stays once it has started threads. A program calls join_all() while it ends, before the C
// library takes down what ending threads need; a DLL calls it when the system has ended all other threads.
void dbvhi_os_at_unload( void ( *join_all )( void ) ) {
	static volatile LONG is_told;
	HMODULE self;
	if ( InterlockedExchange( &is_told, 1 ) != 0 )
		return;
	GetModuleHandleExW( GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
	                    (const wchar_t *)(uintptr_t)dbvhi_os_at_unload, &self );
	atexit( join_all );
}

uint32_t dbvhi_os_processor_count( void ) {
	DWORD_PTR own, system;
	uint32_t count = 0;
	// note: the masks are 0 for a process whose threads run in several groups of processors.
	if ( GetProcessAffinityMask( GetCurrentProcess(), &own, &system ) )
		for ( ; own != 0; own &= own - 1 )
			++count;
	return count > 0 ? count : GetActiveProcessorCount( ALL_PROCESSOR_GROUPS );
}

int dbvhi_os_process_number( void ) {
	return (int)GetCurrentProcessId();
}

// note: Sleep() rounds up to the tick of the system, by default 16 ms.
void dbvhi_os_sleep( uint32_t nanoseconds ) {
	const HANDLE timer =
	    CreateWaitableTimerExW( NULL, NULL, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_MODIFY_STATE | SYNCHRONIZE );
	const LARGE_INTEGER from_now = { .QuadPart = -(LONGLONG)( nanoseconds / 100 ) };
	if ( timer != NULL && SetWaitableTimer( timer, &from_now, 0, NULL, NULL, FALSE ) )
		WaitForSingleObject( timer, INFINITE );
	else
		Sleep( nanoseconds / 1000000 + 1 );
	if ( timer != NULL )
		CloseHandle( timer );
}

double dbvhi_os_seconds( void ) {
	LARGE_INTEGER ticks, rate;
	QueryPerformanceCounter( &ticks );
	QueryPerformanceFrequency( &rate );
	return (double)ticks.QuadPart / (double)rate.QuadPart;
}

// ------------------------------------------------------------------------------------------------
// Errors and names

static const struct {
	DWORD error;
	int number;
} reasons[] = {
    { ERROR_FILE_NOT_FOUND, ENOENT },      { ERROR_PATH_NOT_FOUND, ENOENT },
    { ERROR_INVALID_NAME, ENOENT },        { ERROR_BAD_NETPATH, ENOENT },
    { ERROR_BAD_PATHNAME, ENOENT },        { ERROR_INVALID_DRIVE, ENOENT },
    { ERROR_ACCESS_DENIED, EACCES },       { ERROR_SHARING_VIOLATION, EACCES },
    { ERROR_LOCK_VIOLATION, EACCES },      { ERROR_WRITE_PROTECT, EACCES },
    { ERROR_FILE_EXISTS, EEXIST },         { ERROR_ALREADY_EXISTS, EEXIST },
    { ERROR_DISK_FULL, ENOSPC },           { ERROR_HANDLE_DISK_FULL, ENOSPC },
    { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },   { ERROR_OUTOFMEMORY, ENOMEM },
    { ERROR_INVALID_HANDLE, EBADF },       { ERROR_FILE_TOO_LARGE, EFBIG },
    { ERROR_BROKEN_PIPE, EPIPE },          { ERROR_NO_DATA, EPIPE },
    { ERROR_DIRECTORY, ENOTDIR },          { ERROR_USER_MAPPED_FILE, EBUSY },
    { ERROR_TOO_MANY_OPEN_FILES, EMFILE }, { ERROR_CANT_RESOLVE_FILENAME, ELOOP },
};

bool dbvhi_os_failed( void ) {
	const DWORD error = GetLastError();
	errno = EIO;
	for ( size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i )
		if ( reasons[i].error == error )
			errno = reasons[i].number;
	return false;
}

static bool is_busy( DWORD error ) {
	return error == ERROR_SHARING_VIOLATION || error == ERROR_LOCK_VIOLATION || error == ERROR_DELETE_PENDING;
}

// The absolute name behind "\\?\", or behind "\\?\UNC\" where it is one of a network.
static wchar_t *lengthen( const wchar_t *name, DWORD room ) {
	wchar_t *made = malloc( ( room + 8 ) * sizeof *made );
	wchar_t *full = malloc( room * sizeof *full );
	if ( made != NULL && full != NULL && GetFullPathNameW( name, room, full, NULL ) < room ) {
		const bool is_remote = wcsncmp( full, L"\\\\", 2 ) == 0;
		wcscpy( made, is_remote ? L"\\\\?\\UNC" : L"\\\\?\\" );
		wcscat( made, full + is_remote );
	} else {
		free( made );
		made = NULL;
		errno = ENOMEM;
	}
	free( full );
	return made;
}

wchar_t *dbvhi_os_wide( const char *path ) {
	const int count = MultiByteToWideChar( CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0 );
	if ( count <= 0 ) {
		errno = EILSEQ;
		return NULL;
	}
	wchar_t *name = malloc( (size_t)count * sizeof *name );
	if ( name == NULL )
		return NULL;
	MultiByteToWideChar( CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, name, count );
	const DWORD room = GetFullPathNameW( name, 0, NULL, NULL );
	if ( room < LONG_NAME || wcsncmp( name, L"\\\\?\\", 4 ) == 0 )
		return name;
	wchar_t *longer = lengthen( name, room );
	free( name );
	return longer;
}

char *dbvhi_os_narrow( const wchar_t *text ) {
	const int count = WideCharToMultiByte( CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL );
	char *made = count > 0 ? malloc( (size_t)count ) : NULL;
	if ( made != NULL )
		WideCharToMultiByte( CP_UTF8, 0, text, -1, made, count, NULL, NULL );
	return made;
}

char *dbvhi_os_real_path( const char *path ) {
	wchar_t *name = dbvhi_os_wide( path ), *full = NULL;
	char *made = NULL;
	if ( name == NULL )
		return NULL;
	const HANDLE file = CreateFileW( name, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
	                                 NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL );
	free( name );
	if ( file == INVALID_HANDLE_VALUE ) {
		dbvhi_os_failed();
		return NULL;
	}
	const DWORD room = GetFinalPathNameByHandleW( file, NULL, 0, FILE_NAME_NORMALIZED );
	full = room > 0 ? malloc( ( room + 1 ) * sizeof *full ) : NULL;
	if ( full == NULL || GetFinalPathNameByHandleW( file, full, room + 1, FILE_NAME_NORMALIZED ) == 0 ) {
		dbvhi_os_failed();
	} else {
		wchar_t *begin = full;
		if ( wcsncmp( begin, L"\\\\?\\UNC\\", 8 ) == 0 )
			*( begin += 6 ) = L'\\';
		else if ( wcsncmp( begin, L"\\\\?\\", 4 ) == 0 )
			begin += 4;
		made = dbvhi_os_narrow( begin );
		for ( char *c = made; c != NULL && *c != '\0'; ++c )
			*c = (char)( *c == '\\' ? '/' : *c );
	}
	free( full );
	CloseHandle( file );
	return made;
}

const char *dbvhi_os_last_separator( const char *path ) {
	const char *last = path[0] != '\0' && path[1] == ':' ? path + 1 : NULL;
	for ( const char *c = path; *c != '\0'; ++c )
		if ( dbvhi_os_is_separator( *c ) )
			last = c;
	return last;
}

bool dbvhi_os_is_separator( char c ) {
	return c == '/' || c == '\\';
}

bool dbvhi_os_is_absolute( const char *path ) {
	return dbvhi_os_is_separator( *path ) || ( *path != '\0' && path[1] == ':' );
}

bool dbvhi_os_go_up( char *path ) {
	const char *last = dbvhi_os_last_separator( path );
	if ( last == NULL || *last == ':' )
		return false;
	size_t kept = (size_t)( last - path );
	// note: "C:" is the current folder of the drive, "C:/" its root.
	kept += kept == 2 && path[1] == ':';
	if ( path[kept] == '\0' )
		return false;
	path[kept] = '\0';
	return true;
}

// ------------------------------------------------------------------------------------------------
// Files

static HANDLE handle_of( int file ) {
	return (HANDLE)_get_osfhandle( file );
}

// Junctions and symbolic links, but not files of a cloud's folder, which are reparse points as well.
static bool is_link( HANDLE file ) {
	FILE_ATTRIBUTE_TAG_INFO info;
	return GetFileInformationByHandleEx( file, FileAttributeTagInfo, &info, sizeof info ) &&
	       ( info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ) != 0 && IsReparseTagNameSurrogate( info.ReparseTag );
}

static bool facts_of_handle( HANDLE file, dbvhi_os_facts *out ) {
	BY_HANDLE_FILE_INFORMATION info;
	*out = ( dbvhi_os_facts ){ .kind = DBVHI_OS_OTHER, .mode = 0666, .is_own = true, .is_trusted = true };
	if ( GetFileType( file ) != FILE_TYPE_DISK )
		return true;
	if ( !GetFileInformationByHandle( file, &info ) )
		return dbvhi_os_failed();
	if ( !is_link( file ) )
		out->kind = ( info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ) != 0 ? DBVHI_OS_FOLDER : DBVHI_OS_REGULAR;
	out->size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
	out->device = info.dwVolumeSerialNumber;
	out->number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
	return true;
}

// CreateFileW() that waits for those who hold a file for a moment. INVALID_HANDLE_VALUE with errno.
static HANDLE create( const char *path, DWORD access, DWORD disposition, DWORD flags ) {
	wchar_t *name = dbvhi_os_wide( path );
	HANDLE file = INVALID_HANDLE_VALUE;
	for ( int i = 0; name != NULL && i < TRIES; ++i ) {
		file = CreateFileW( name, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, disposition,
		                    flags, NULL );
		if ( file != INVALID_HANDLE_VALUE || !is_busy( GetLastError() ) )
			break;
		Sleep( TRY_EVERY );
	}
	if ( name != NULL && file == INVALID_HANDLE_VALUE ) {
		dbvhi_os_failed();
		const DWORD attributes = errno == EACCES ? GetFileAttributesW( name ) : INVALID_FILE_ATTRIBUTES;
		if ( attributes != INVALID_FILE_ATTRIBUTES && ( attributes & FILE_ATTRIBUTE_DIRECTORY ) != 0 )
			errno = EISDIR;
	}
	free( name );
	return file;
}

bool dbvhi_os_facts_of( const char *path, bool follows, dbvhi_os_facts *out ) {
	const HANDLE file = create( path, FILE_READ_ATTRIBUTES, OPEN_EXISTING,
	                            FILE_FLAG_BACKUP_SEMANTICS | ( follows ? 0 : FILE_FLAG_OPEN_REPARSE_POINT ) );
	if ( file == INVALID_HANDLE_VALUE )
		return false;
	const bool done = facts_of_handle( file, out );
	CloseHandle( file );
	return done;
}

bool dbvhi_os_facts_of_open( int file, dbvhi_os_facts *out ) {
	return facts_of_handle( handle_of( file ), out );
}

int dbvhi_os_open( const char *path, unsigned how, unsigned mode ) {
	(void)mode;
	const bool writes = ( how & ( DBVHI_OS_WRITE | DBVHI_OS_READ_WRITE ) ) != 0;
	const DWORD access = ( writes ? GENERIC_WRITE : 0 ) | ( ( how & DBVHI_OS_WRITE ) != 0 ? 0 : GENERIC_READ );
	const DWORD disposition = ( how & DBVHI_OS_NEW ) != 0      ? CREATE_NEW
	                          : ( how & DBVHI_OS_CREATE ) != 0 ? OPEN_ALWAYS
	                                                           : OPEN_EXISTING;
	const bool no_link = ( how & DBVHI_OS_NO_LINK ) != 0;
	// A folder can be opened to be read, and is found to be one then, as on POSIX.
	const DWORD folders = writes ? 0 : FILE_FLAG_BACKUP_SEMANTICS;
	const HANDLE handle = create( path, access, disposition,
	                              FILE_ATTRIBUTE_NORMAL | folders | ( no_link ? FILE_FLAG_OPEN_REPARSE_POINT : 0 ) );
	if ( handle == INVALID_HANDLE_VALUE )
		return -1;
	const bool is_refused = no_link && is_link( handle );
	const int file = is_refused ? -1 : _open_osfhandle( (intptr_t)handle, _O_BINARY | ( writes ? 0 : _O_RDONLY ) );
	if ( file < 0 )
		CloseHandle( handle );
	if ( is_refused )
		errno = ELOOP;
	return file;
}

bool dbvhi_os_close( int file ) {
	return _close( file ) == 0;
}

FILE *dbvhi_os_fopen( const char *path ) {
	dbvhi_os_facts facts;
	const int file = dbvhi_os_open( path, DBVHI_OS_READ, 0 );
	const bool is_folder = file >= 0 && dbvhi_os_facts_of_open( file, &facts ) && facts.kind == DBVHI_OS_FOLDER;
	FILE *stream = file >= 0 && !is_folder ? _fdopen( file, "rb" ) : NULL;
	if ( file >= 0 && stream == NULL )
		_close( file );
	if ( is_folder )
		errno = EISDIR;
	return stream;
}

FILE *dbvhi_os_stream_of( int file, const char *mode ) {
	return _fdopen( file, mode );
}

bool dbvhi_os_seek( FILE *stream, int64_t offset, int whence ) {
	return _fseeki64( stream, offset, whence ) == 0;
}

int64_t dbvhi_os_tell( FILE *stream ) {
	return _ftelli64( stream );
}

ptrdiff_t dbvhi_os_read_at( int file, uint64_t at, void *bytes, size_t count ) {
	OVERLAPPED place = { .Offset = (DWORD)at, .OffsetHigh = (DWORD)( at >> 32 ) };
	DWORD taken = 0;
	if ( ReadFile( handle_of( file ), bytes, (DWORD)( count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME ), &taken,
	               &place ) ||
	     GetLastError() == ERROR_HANDLE_EOF )
		return (ptrdiff_t)taken;
	dbvhi_os_failed();
	return -1;
}

bool dbvhi_os_write( int file, const void *bytes, size_t count ) {
	for ( const char *at = bytes; count > 0; ) {
		DWORD taken = 0;
		if ( !WriteFile( handle_of( file ), at, (DWORD)( count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME ), &taken,
		                 NULL ) )
			return dbvhi_os_failed();
		if ( taken == 0 ) {
			errno = ENOSPC;
			return false;
		}
		at += taken;
		count -= taken;
	}
	return true;
}

bool dbvhi_os_sync( int file ) {
	const HANDLE handle = handle_of( file );
	return GetFileType( handle ) != FILE_TYPE_DISK || FlushFileBuffers( handle ) || dbvhi_os_failed();
}

// dbvhi_os_rename() returns when the new name is on disk.
void dbvhi_os_sync_folder_of( const char *path ) {
	(void)path;
}

void *dbvhi_os_map( int file, size_t size, bool all_at_once ) {
	(void)size;
	const HANDLE map = CreateFileMappingW( handle_of( file ), NULL, PAGE_READONLY, 0, 0, NULL );
	void *bytes = map != NULL ? MapViewOfFile( map, FILE_MAP_READ, 0, 0, size ) : NULL;
	if ( bytes == NULL )
		dbvhi_os_failed();
	if ( map != NULL )
		CloseHandle( map );
	if ( bytes != NULL && all_at_once )
		PrefetchVirtualMemory( GetCurrentProcess(), 1, &( WIN32_MEMORY_RANGE_ENTRY ){ bytes, size }, 0 );
	return bytes;
}

void dbvhi_os_unmap( void *bytes, size_t size ) {
	(void)size;
	UnmapViewOfFile( bytes );
}

// Renames an open file over another one, which those who have it open keep, as on POSIX; Windows 10 and later can, on
// the usual file systems.
static bool rename_open( HANDLE file, const wchar_t *target ) {
	const size_t length = wcslen( target ) * sizeof *target, bytes = sizeof( FILE_RENAME_INFO ) + length;
	FILE_RENAME_INFO *info = calloc( 1, bytes );
	if ( info == NULL )
		return false;
	*(DWORD *)info = RENAME_REPLACES | RENAME_POSIX;
	info->FileNameLength = (DWORD)length;
	memcpy( info->FileName, target, length );
	const bool done = SetFileInformationByHandle( file, RENAME_INFO_EX, info, (DWORD)bytes );
	free( info );
	return done;
}

static bool rename_now( const wchar_t *source, const wchar_t *target ) {
	const HANDLE file =
	    CreateFileW( source, DELETE | SYNCHRONIZE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
	                 OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL );
	if ( file == INVALID_HANDLE_VALUE )
		return false;
	const bool done = rename_open( file, target );
	CloseHandle( file );
	return done || MoveFileExW( source, target, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH );
}

// May a refusal pass? A file that another process has open is refused as one without permission.
static bool may_pass( DWORD why, const wchar_t *target ) {
	const DWORD attributes = GetFileAttributesW( target );
	return is_busy( why ) || ( why == ERROR_ACCESS_DENIED && attributes != INVALID_FILE_ATTRIBUTES &&
	                           ( attributes & ( FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY ) ) == 0 );
}

// note: ReplaceFileW() would keep the access list of the old file, but takes several steps.
bool dbvhi_os_rename( const char *from, const char *to ) {
	wchar_t *source = dbvhi_os_wide( from ), *target = dbvhi_os_wide( to );
	bool done = false;
	for ( int i = 0; source != NULL && target != NULL && i < TRIES; ++i ) {
		done = rename_now( source, target );
		const DWORD why = GetLastError();
		if ( done )
			break;
		dbvhi_os_failed();
		if ( !may_pass( why, target ) )
			break;
		Sleep( TRY_EVERY );
	}
	free( source );
	free( target );
	return done;
}

bool dbvhi_os_remove( const char *path ) {
	wchar_t *name = dbvhi_os_wide( path );
	bool done = false;
	for ( int i = 0; name != NULL && !done && i < TRIES; ++i ) {
		done = DeleteFileW( name );
		if ( done || !is_busy( GetLastError() ) )
			break;
		Sleep( TRY_EVERY );
	}
	if ( name != NULL && !done )
		dbvhi_os_failed();
	free( name );
	return done;
}

bool dbvhi_os_set_mode( int file, unsigned mode ) {
	(void)file;
	(void)mode;
	return true;
}

bool dbvhi_os_set_group( int file, uint64_t group ) {
	(void)file;
	(void)group;
	return true;
}
