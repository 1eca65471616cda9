// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The doors of test_memory.c to trees in files and memory.

// Tree A of a pair as the bytes of a file; made anew only where it is another one.
static const char tree_file[] = "test_memory_tree.dbvh";
static _Alignas( 64 ) uint8_t tree_bytes[1 << 19];
static size_t write_tree( const scene *s, int variant ) {
	static size_t count;
	static int written = -1;
	if ( written == variant )
		return count;
	const dbvh_mesh_view view = shape_view( &s->pairs[variant / 2].mesh_a );
	const dbvh_tree_options o = { .topology = variant % 2 == 0, .thread_count = 1 };
	dbvh_tree *t = NULL;
	assert_int_equal( dbvh_tree_build( &view, &o, NULL, &t, NULL ), DBVH_OK );
	assert_int_equal( dbvh_tree_write( t, tree_bytes, sizeof tree_bytes, &count, NULL ), DBVH_OK );
	assert_true( count <= sizeof tree_bytes );
	dbvh_tree_destroy( t );
	written = variant;
	return count;
}
static void put_tree_file( const scene *s, int variant ) {
	const size_t count = write_tree( s, variant );
	FILE *const f = fopen( tree_file, "wb" );
	assert_non_null( f );
	assert_true( fwrite( tree_bytes, 1, count, f ) == count );
	assert_int_equal( fclose( f ), 0 );
}
static dbvh_status end_tree( scene *s, dbvh_status status, const dbvh_error *e, dbvh_tree *t ) {
	check_error( status, e );
	dbvh_tree_stats stats = { 0 };
	if ( status == DBVH_OK )
		stats = dbvh_tree_get_stats( t );
	else
		OUT( t );
	OUT( stats.content_hash );
	dbvh_tree_destroy( t );
	remove( tree_file );
	return status;
}
DOOR( tree_save ) {
	dbvh_error e;
	const dbvh_status status = dbvh_tree_save( s->pairs[variant].a, tree_file, &e );
	check_error( status, &e );
	assert_int_equal( remove( tree_file ) == 0, status == DBVH_OK );
	return status;
}
DOOR( tree_write ) {
	dbvh_error e;
	static uint8_t bytes[1 << 19];
	size_t count = 7;
	const dbvh_status status = dbvh_tree_write( s->pairs[variant].b, bytes, sizeof bytes, &count, &e );
	check_error( status, &e );
	OUT( count );
	return status;
}
DOOR( tree_load ) {
	put_tree_file( s, variant );
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_tree_load( tree_file, NULL, &s->allocator, &t, &e );
	return end_tree( s, status, &e, t );
}
DOOR( tree_map ) {
	put_tree_file( s, variant );
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_tree_map( tree_file, NULL, &s->allocator, &t, &e );
	return end_tree( s, status, &e, t );
}
DOOR( tree_parse ) {
	const size_t count = write_tree( s, variant );
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_tree_parse( tree_bytes, count, NULL, &s->allocator, &t, &e );
	return end_tree( s, status, &e, t );
}
// The refit takes memory, too: it moves the tree out of the borrowed bytes.
DOOR( tree_borrow ) {
	const size_t count = write_tree( s, variant );
	const dbvh_mesh_view view = shape_view( &s->pairs[variant / 2].mesh_a );
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	dbvh_status status = dbvh_tree_borrow( tree_bytes, count, NULL, &s->allocator, &t, &e );
	if ( status == DBVH_OK && variant % 2 != 0 ) {
		status = dbvh_tree_refit( t, &view, &e );
		if ( status != DBVH_OK ) {
			dbvh_tree_destroy( t );
			t = NULL;
		}
	}
	return end_tree( s, status, &e, t );
}
DOOR( tree_get_mesh ) {
	dbvh_mesh *m = (dbvh_mesh *)s;
	dbvh_error e;
	const dbvh_status status = dbvh_tree_get_mesh( variant < PAIRS ? s->pairs[variant].a : s->pairs[variant - PAIRS].b,
	                                               &s->allocator, &m, &e );
	check_error( status, &e );
	size_t count = status == DBVH_OK ? dbvh_mesh_get_view( m ).vertex_count : 0;
	if ( status != DBVH_OK )
		OUT( m );
	OUT( count );
	dbvh_mesh_destroy( m );
	return status;
}
// The folder does not exist, and a tree that cannot be saved is no failure: the allocations of saving are not reached.
DOOR( tree_build_cached ) {
	const dbvh_mesh_view view = shape_view( &s->pairs[variant].mesh_a );
	const dbvh_tree_options o = { .thread_count = 1 };
	dbvh_tree *t = (dbvh_tree *)s;
	dbvh_error e;
	const dbvh_status status =
	    dbvh_tree_build_cached( &view, &o, "no/such/folder", false, NULL, &s->allocator, &t, NULL, &e );
	return end_tree( s, status, &e, t );
}
