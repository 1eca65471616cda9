// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The doors of test_stack.c to trees in files and memory.

// Tree A as the bytes of a file, and back.
static _Alignas( 64 ) unsigned char tree_bytes[1 << 22];
static size_t write_tree( const scene *s ) {
	size_t count = 0;
	dbvh_tree_write( s->at->a, tree_bytes, sizeof tree_bytes, &count, NULL );
	return count <= sizeof tree_bytes ? count : 0;
}
DOOR( tree_write ) {
	s->done += write_tree( s ) > 0;
}
DOOR( tree_parse ) {
	dbvh_tree *t = NULL;
	s->done += dbvh_tree_parse( tree_bytes, write_tree( s ), NULL, NULL, &t, NULL ) == DBVH_OK;
	dbvh_tree_destroy( t );
}
DOOR( tree_borrow ) {
	const dbvh_tree_load_options whole = { .check = DBVH_FILE_CHECK_WHOLE, .thread_count = 1 };
	dbvh_tree *t = NULL;
	s->done += dbvh_tree_borrow( tree_bytes, write_tree( s ), &whole, NULL, &t, NULL ) == DBVH_OK;
	dbvh_tree_destroy( t );
}
DOOR( tree_save ) {
	static const char path[] = "test_stack_tree.dbvh";
	dbvh_tree *loaded = NULL, *mapped = NULL;
	s->done += dbvh_tree_save( s->at->a, path, NULL ) == DBVH_OK;
	dbvh_tree_load( path, NULL, NULL, &loaded, NULL );
	dbvh_tree_map( path, NULL, NULL, &mapped, NULL );
	dbvh_tree_destroy( loaded );
	dbvh_tree_destroy( mapped );
	remove( path );
}
// The same call has measured them.
#define call_tree_load call_tree_get_options
#define call_tree_map call_tree_get_options
DOOR( tree_get_mesh ) {
	dbvh_mesh *mesh = NULL;
	s->done += dbvh_tree_get_mesh( s->at->a, NULL, &mesh, NULL ) == DBVH_OK;
	dbvh_mesh_destroy( mesh );
}
DOOR( tree_get_options ) {
	s->done += dbvh_tree_get_options( s->at->a ).leaf_size > 0;
}
#define call_tree_load_options_default call_tree_get_options
#define call_is_tree_file call_tree_get_options
DOOR( tree_key ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	s->done += dbvh_tree_key( &view, NULL ) != 0;
}
DOOR( tree_build_cached ) {
	const dbvh_mesh_view view = shape_view( &s->at->mesh );
	dbvh_tree *t = NULL;
	s->done += dbvh_tree_build_cached( &view, NULL, "no/such/folder", false, NULL, NULL, &t, NULL, NULL ) == DBVH_OK;
	dbvh_tree_destroy( t );
}
