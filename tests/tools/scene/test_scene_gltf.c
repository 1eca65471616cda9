// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// glTF and GLB: random files against positions that are computed in long double along the tree of nodes, and files that
// break each of the rules.

#include "formats/files.h"
#include "gltf_writer.h"
#include "memory_source.h"
#include "support/rng.h"
#include "support/rounds.h"
#include "support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static memory_files no_files;

static dbvh_status read_bytes( const void *bytes, size_t count, memory_files *files, scene_model *model,
                               dbvh_error *error ) {
	const scene_source source = memory_source( files );
	*error = ( dbvh_error ){ .byte = -1, .element = -1 };
	return scene_read_gltf( bytes, count, &source, model, error );
}

static void must_read( const void *bytes, size_t count, scene_model *model ) {
	dbvh_error error;
	if ( read_bytes( bytes, count, &no_files, model, &error ) != DBVH_OK )
		fail_msg( "%s", error.text );
}

// ------------------------------------------------------------------------------------------------
// Random files

typedef struct expected {
	const gltf_test_scene *scene;
	const scene_model *model;
	size_t bodies, rigid, mirrored;
} expected;

static void check_triangles( expected *e, const gltf_test_node *node, const long double world[3][4], bool is_rigid,
                             long double size ) {
	const gltf_test_mesh *m = &e->scene->meshes[node->mesh];
	const scene_body *body = &e->model->bodies[e->bodies];
	const dbvh_mesh_view view = dbvh_mesh_get_view( e->model->meshes[body->mesh].mesh );
	const double *positions = view.positions;
	const uint32_t *corners = view.indices;
	const long double det = world[0][0] * ( world[1][1] * world[2][2] - world[1][2] * world[2][1] ) -
	                        world[0][1] * ( world[1][0] * world[2][2] - world[1][2] * world[2][0] ) +
	                        world[0][2] * ( world[1][0] * world[2][1] - world[1][1] * world[2][0] );
	assert_int_equal( view.triangle_count, m->triangle_count );
	assert_int_equal( dbvh_pose_check( &body->pose, NULL, NULL ), DBVH_OK );
	e->rigid += is_rigid;
	e->mirrored += det < 0.0L;
	for ( size_t c = 0; c < 3 * m->triangle_count; ++c ) {
		// A mirror turns the triangle round.
		const size_t at = det < 0.0L && c % 3 != 0 ? c / 3 * 3 + 3 - c % 3 : c;
		const float *from = m->positions[m->corners[at]];
		const double *p = positions + 3 * (size_t)corners[c];
		for ( int i = 0; i < 3; ++i ) {
			long double wanted = world[i][3], found = (long double)body->pose.pos[i];
			for ( int j = 0; j < 3; ++j ) {
				wanted += world[i][j] * (long double)from[j];
				found += (long double)body->pose.rot[i][j] * (long double)p[j];
			}
			if ( !( fabsl( wanted - found ) <= 1e-13L * size ) )
				fail_msg( "%s: corner %zu is off by %Lg", body->path, c, wanted - found );
			assert_true( !is_rigid || p[i] == (double)from[i] );
		}
	}
}

static void check_path( expected *e, const char *path ) {
	const char *found = e->model->bodies[e->bodies].path;
	size_t taken = 0;
	for ( size_t i = 0; i < e->bodies; ++i )
		taken += strcmp( e->model->bodies[i].path, path ) == 0;
	if ( taken == 0 )
		assert_string_equal( found, path );
	else
		assert_true( strncmp( found, path, strlen( path ) ) == 0 && found[strlen( path )] == '#' );
}

static void check_node( expected *e, size_t number, const long double parent[3][4], const char *above, bool is_rigid,
                        long double size ) {
	const gltf_test_node *node = &e->scene->nodes[number];
	long double world[3][4], largest = 0.0L;
	char path[600], name[40];
	for ( int i = 0; i < 3; ++i ) {
		long double sum = 0.0L;
		for ( int j = 0; j < 4; ++j ) {
			world[i][j] = j == 3 ? parent[i][3] : 0.0L;
			for ( int k = 0; k < 3; ++k )
				world[i][j] += parent[i][k] * node->local[k][j];
			sum += fabsl( node->local[i][j] ) + 1.0L;
		}
		largest = fmaxl( largest, sum );
	}
	snprintf( name, sizeof name, "node-%zu", number );
	snprintf( path, sizeof path, "%s%s%s", above, *above != '\0' ? "/" : "",
	          node->name[0] != '\0' ? node->name : name );
	is_rigid = is_rigid && node->is_rotation;
	size *= largest;
	if ( node->mesh >= 0 ) {
		assert_true( e->bodies < e->model->body_count );
		check_path( e, path );
		check_triangles( e, node, world, is_rigid, 10.0L * size );
		++e->bodies;
	}
	for ( size_t i = 0; i < e->scene->node_count; ++i )
		if ( e->scene->nodes[i].parent == (int)number )
			check_node( e, i, world, path, is_rigid, size );
}

static void test_random_files( void **state ) {
	(void)state;
	static const long double identity[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
	rng r = rng_announce( "gltf", 81 );
	size_t rigid = 0, mirrored = 0, bodies = 0;
	for ( size_t n = rounds( 1500 ); n-- > 0; ) {
		gltf_test_scene scene;
		gltf_test_bytes glb = { 0 };
		scene_model model = { 0 };
		dbvh_error error;
		gltf_test_random( &r, &scene, &glb );
		size_t with_mesh = 0;
		for ( size_t i = 0; i < scene.node_count; ++i )
			with_mesh += scene.nodes[i].mesh >= 0;
		const dbvh_status status = read_bytes( glb.bytes, glb.count, &no_files, &model, &error );
		if ( status != ( with_mesh > 0 ? DBVH_OK : DBVH_EMPTY ) )
			fail_msg( "%s", error.text );
		expected e = { .scene = &scene, .model = &model };
		for ( size_t i = 0; i < scene.node_count; ++i )
			if ( scene.nodes[i].parent < 0 )
				check_node( &e, i, identity, "", true, 1.0L );
		assert_int_equal( e.bodies, model.body_count );
		assert_true( status != DBVH_OK || model.metres == 1.0 );
		rigid += e.rigid;
		mirrored += e.mirrored;
		bodies += e.bodies;
		scene_model_free( &model );
		// Cut anywhere, it is refused, and nothing else happens.
		const size_t cut = rng_below( &r, glb.count );
		assert_int_not_equal( read_bytes( glb.bytes, cut, &no_files, &model, &error ), DBVH_OK );
		assert_true( error.text[0] != '\0' );
		scene_model_free( &model );
		free( glb.bytes );
	}
	printf( "%zu bodies, %zu of them rigid, %zu mirrored\n", bodies, rigid, mirrored );
	assert_outcomes( rigid > bodies / 20 && mirrored > bodies / 20 && rigid + mirrored < bodies );
}

// A byte changed anywhere: whatever comes of it, it comes with a sentence or a sound model.
static void test_damaged_files( void **state ) {
	(void)state;
	rng r = rng_announce( "damaged gltf", 82 );
	size_t refused = 0, read = 0;
	for ( size_t n = rounds( 1500 ); n-- > 0; ) {
		gltf_test_scene scene;
		gltf_test_bytes glb = { 0 };
		gltf_test_random( &r, &scene, &glb );
		for ( int changes = 1 + (int)rng_below( &r, 3 ); changes-- > 0; )
			glb.bytes[rng_below( &r, glb.count )] = (unsigned char)rng_below( &r, 256 );
		scene_model model = { 0 };
		dbvh_error error;
		const dbvh_status status = read_bytes( glb.bytes, glb.count, &no_files, &model, &error );
		assert_int_equal( error.status, status );
		assert_int_equal( status == DBVH_OK, error.text[0] == '\0' );
		for ( size_t i = 0; status == DBVH_OK && i < model.body_count; ++i ) {
			assert_true( model.bodies[i].mesh < model.mesh_count );
			assert_int_equal( dbvh_pose_check( &model.bodies[i].pose, NULL, NULL ), DBVH_OK );
		}
		++*( status == DBVH_OK ? &read : &refused );
		scene_model_free( &model );
		free( glb.bytes );
	}
	assert_outcomes( refused > 0 && read > 0 );
}

// ------------------------------------------------------------------------------------------------
// Files by hand

// Three positions: the origin and a step along x and y; and the head and the end of a file that has them.
#define TRIANGLE "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
#define BUFFERS "\"buffers\":[{\"byteLength\":36,\"uri\":\"" TRIANGLE "\"}],"
#define VIEWS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
#define ACCESSORS "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],"
#define MESHES "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
#define NODES "\"nodes\":[{\"mesh\":0}]"
#define BEGIN "{\"asset\":{\"version\":\"2.0\"},"
#define HEAD BEGIN BUFFERS VIEWS ACCESSORS MESHES
#define INDICES( list, type, count )                                                                                   \
	BEGIN "\"buffers\":[{\"byteLength\":36,\"uri\":\"" TRIANGLE "\"},{\"byteLength\":4,\"uri\":\"" list "\"}],"        \
	      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":1,\"byteLength\":4}],"                        \
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3},"                    \
	      "{\"bufferView\":1,\"componentType\":" type ",\"type\":\"SCALAR\",\"count\":" count "}],"                    \
	      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}]," NODES "}"

static void test_refusals( void **state ) {
	(void)state;
	static const struct {
		const char *text, *sentence;
		dbvh_status status;
	} cases[] = {
	    // Nodes
	    { HEAD "\"nodes\":[{\"children\":[1]},{\"children\":[0]}]}", "form a circle", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0},{\"children\":[3]},{\"children\":[1]},{\"children\":[2]},{\"children\":[2]}]}",
	      "node 2 is a child of node 3 and of node 4", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"children\":[0]}]}", "node 0 is its own ancestor", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"children\":[1]},{\"children\":[2]},{\"mesh\":0}],\"scenes\":[{\"nodes\":[1]}]}",
	      "is no root: it is a child of node 0", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0,0]}]}", "names node 0 twice", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[1]}]}", "a node that is not there", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0}],\"scene\":2,\"scenes\":[{\"nodes\":[0]}]}", "'scene' is 2", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"children\":[7]}]}", "a child that is no node", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"children\":[-1]}]}", "a child that is no node", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"children\":7}]}", "node 0: 'children' is no array", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[7]}", "node 0 is no object", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":1}]}", "node 0 names mesh 1, but there is 1", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":\"a\"}]}", "'mesh' is no whole number", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0.5}]}", "'mesh' is no whole number", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"name\":3}]}", "'name' is no text", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"name\":\"lid\",\"mesh\":0,\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2]}]}",
	      "node 0 ('lid'): its matrix is not affine", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"matrix\":[1,0,0,0.5,0,1,0,0,0,0,1,0,0,0,0,1]}]}", "not affine",
	      DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"matrix\":[1,0,0]}]}", "'matrix' is no array of 16 numbers", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"scale\":[1,2,null]}]}", "no number", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"scale\":[1,1,1],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]}",
	      "a matrix and a translation", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"rotation\":[0,0,0,0]}]}", "a quaternion of length 0", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"translation\":[1e400,0,0]}]}", "not sound JSON", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[{\"scale\":[1e300,1,1],\"children\":[1]},{\"mesh\":0,\"scale\":[1e300,1,1]}]}", "not finite",
	      DBVH_NOT_FINITE },
	    { HEAD "\"nodes\":[{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{}}}}]}",
	      "no TRANSLATION, ROTATION or SCALE", DBVH_MALFORMED },
	    { HEAD "\"nodes\":[]}", "no node that the file shows", DBVH_EMPTY },
	    { BEGIN "\"nodes\":{}}", "'nodes' is no array", DBVH_MALFORMED },
	    // Meshes
	    { BEGIN BUFFERS VIEWS ACCESSORS "\"meshes\":[{}]," NODES "}", "mesh 0 has no 'primitives'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS ACCESSORS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1}}]}]," NODES "}",
	      "primitive 0 of mesh 0 names accessor 1, but there is 1", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS ACCESSORS
	      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":7}]}]," NODES "}",
	      "of no known 'mode'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS ACCESSORS "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":0}]}"
	                                    "]," NODES "}",
	      "accessor 0 holds no indices", DBVH_MALFORMED },
	    { INDICES( "data:;base64,AAEDAA==", "5121", "3" ), "index 2 is 3, but accessor 0 has 3 positions",
	      DBVH_INDEX_RANGE },
	    { INDICES( "data:;base64,AAECAA==", "5123", "3" ), "has 3 elements of 2 bytes from byte 0 of bufferView 1",
	      DBVH_MALFORMED },
	    { INDICES( "data:;base64,AAECAA==", "5126", "1" ), "accessor 1 holds no indices", DBVH_MALFORMED },
	    { INDICES( "data:;base64,AAECA", "5121", "3" ), "no sound base64", DBVH_MALFORMED },
	    { INDICES( "data:;base64,AAE!AA==", "5121", "3" ), "no sound base64", DBVH_MALFORMED },
	    { INDICES( "data:,abcd", "5121", "3" ), "not in base64", DBVH_MALFORMED },
	    { INDICES( "data:;base64,AAEC", "5121", "3" ), "buffer 1 has 4 bytes by its 'byteLength', but there are 3",
	      DBVH_TRUNCATED },
	    { INDICES( "gone.bin", "5121", "3" ), "buffer 1, 'gone.bin'", DBVH_IO },
	    // Accessors, views and buffers
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":4}]," MESHES NODES "}",
	      "accessor 0 has 4 elements of 12 bytes", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"byteOffset\":37,\"componentType\":5126,\"type\":\"VEC3\","
	      "\"count\":3}]," MESHES NODES "}",
	      "from byte 37", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":"
	                          "9007199254740991}]," MESHES NODES "}",
	      "accessor 0 has 9007199254740991 elements", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":9007199254740991}]," MESHES NODES "}",
	      "without a bufferView", DBVH_LIMIT },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":0}]," MESHES NODES "}",
	      "wrong 'count'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"MAT3\",\"count\":1}]," MESHES NODES "}",
	      "wrong 'type'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC2\",\"count\":3}]," MESHES NODES "}",
	      "holds no positions", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5124,\"type\":\"VEC3\",\"count\":3}]," MESHES NODES "}",
	      "wrong 'componentType'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"sparse\":{\"count\":"
	      "4,"
	      "\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}}}]," MESHES NODES "}",
	      "sparse part has a wrong 'count'", DBVH_MALFORMED },
	    { BEGIN BUFFERS VIEWS
	      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,\"sparse\":{\"count\":"
	      "2,"
	      "\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{\"bufferView\":0}}}]," MESHES NODES "}",
	      "not above the one before", DBVH_INDEX_RANGE },
	    { BEGIN BUFFERS VIEWS "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":3,"
	                          "\"sparse\":{\"count\":1,"
	                          "\"indices\":{\"bufferView\":0,\"byteOffset\":14,\"componentType\":5121},\"values\":{"
	                          "\"bufferView\":0}}}]," MESHES NODES "}",
	      "beyond its end", DBVH_INDEX_RANGE },
	    { BEGIN BUFFERS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":37}]," ACCESSORS MESHES NODES "}",
	      "bufferView 0 has 37 bytes from byte 0 on, but buffer 0 has only 36", DBVH_MALFORMED },
	    { BEGIN BUFFERS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,\"byteStride\":8}]," ACCESSORS MESHES NODES
	                    "}",
	      "elements every 8 bytes", DBVH_MALFORMED },
	    { BEGIN BUFFERS "\"bufferViews\":[{\"byteLength\":36}]," ACCESSORS MESHES NODES "}", "has no 'buffer'",
	      DBVH_MALFORMED },
	    { BEGIN BUFFERS "\"bufferViews\":[{\"buffer\":3,\"byteLength\":36}]," ACCESSORS MESHES NODES "}",
	      "buffer 3 is named, but there is 1", DBVH_MALFORMED },
	    { BEGIN BUFFERS ACCESSORS MESHES NODES "}", "names bufferView 0, but there are 0", DBVH_MALFORMED },
	    { BEGIN "\"buffers\":[{\"byteLength\":36}]," VIEWS ACCESSORS MESHES NODES "}",
	      "buffer 0 is missing: it has no 'uri', and the file has no binary chunk", DBVH_MALFORMED },
	    { BEGIN "\"buffers\":[{\"uri\":\"" TRIANGLE "\"}]," VIEWS ACCESSORS MESHES NODES "}", "has no 'byteLength'",
	      DBVH_MALFORMED },
	    // Extensions
	    { BEGIN "\"extensionsRequired\":[\"ACME_wobble\"]," BUFFERS VIEWS ACCESSORS MESHES NODES "}",
	      "requires the extension ACME_wobble", DBVH_UNKNOWN_FORMAT },
	    { BEGIN BUFFERS "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{"
	                    "}}}]," ACCESSORS MESHES NODES "}",
	      "the compressed bufferView 0 has no 'buffer'", DBVH_MALFORMED },
	    { BEGIN "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":3}],\"meshes\":[{\"primitives\":[{"
	            "\"attributes\":{\"POSITION\":0},\"extensions\":{\"KHR_draco_mesh_compression\":{}}}]}]," NODES "}",
	      "is compressed by Draco, and names no 'indices'", DBVH_MALFORMED },
	    // The file
	    { "{}", "no 'asset'", DBVH_MALFORMED },
	    { "{\"asset\":{\"version\":\"1.0\"}}", "glTF 1.0", DBVH_UNKNOWN_FORMAT },
	    { "{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}}", "glTF 2.1", DBVH_UNKNOWN_FORMAT },
	    { "[]", "the JSON is no object", DBVH_MALFORMED },
	    { "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[\n{\"mesh\":}]}", "not sound JSON", DBVH_MALFORMED },
	    { "{\"asset\":{\"version\":\"2.0\"},\"asset\":{}}", "duplicate", DBVH_MALFORMED },
	    { "{\"asset\":", "not sound JSON", DBVH_TRUNCATED },
	    { "glTF", "ends after 4 bytes", DBVH_TRUNCATED },
	};
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		scene_model model = { 0 };
		dbvh_error error;
		const dbvh_status status = read_bytes( cases[i].text, strlen( cases[i].text ), &no_files, &model, &error );
		if ( status != cases[i].status || strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "case %zu: %s: %s\nwanted: %s", i, dbvh_status_name( status ), error.text, cases[i].sentence );
		scene_model_free( &model );
	}
}

static void test_lengths_of_glb( void **state ) {
	(void)state;
	rng r = { 5 };
	static const struct {
		size_t at;
		int change;
		const char *sentence;
	} cases[] = {
	    { 4, 1, "version 3" }, { 8, 1, "by its header, but the file has" }, { 8, -1, "but the file goes on" },
	    { 12, 4, "" },         { 14, 1, "chunk 0 of the GLB has" },         { 16, 1, "the first chunk of a GLB" } };
	for ( size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i ) {
		gltf_test_scene scene;
		gltf_test_bytes glb = { 0 };
		scene_model model = { 0 };
		dbvh_error error;
		gltf_test_random( &r, &scene, &glb );
		glb.bytes[cases[i].at] = (unsigned char)( glb.bytes[cases[i].at] + cases[i].change );
		assert_int_not_equal( read_bytes( glb.bytes, glb.count, &no_files, &model, &error ), DBVH_OK );
		if ( strstr( error.text, cases[i].sentence ) == NULL )
			fail_msg( "%zu: %s", i, error.text );
		scene_model_free( &model );
		free( glb.bytes );
	}
}

// ------------------------------------------------------------------------------------------------
// What is taken

static void test_plain_file( void **state ) {
	(void)state;
	static const char text[] = "\xEF\xBB\xBF" HEAD "\"extras\":{\"header\":\"a\\u0000b\"}," NODES "}\n\n";
	scene_model model = { 0 };
	must_read( text, sizeof text - 1, &model );
	assert_int_equal( model.body_count, 1 );
	assert_string_equal( model.bodies[0].path, "node-0" );
	const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[0].mesh );
	assert_int_equal( view.triangle_count, 1 );
	assert_true( ( (const double *)view.positions )[3] == 1.0 && ( (const double *)view.positions )[7] == 1.0 );
	assert_int_equal( model.note_count, 0 );
	scene_model_free( &model );
}

static void test_other_files( void **state ) {
	(void)state;
	static const char text[] =
	    BEGIN "\"buffers\":[{\"byteLength\":36,\"uri\":\"my%20data/a%2Bb.bin\"}]," VIEWS ACCESSORS MESHES NODES "}";
	// The bytes of three positions, which have no zero among them: a text ends there.
	static const char positions[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKL";
	const memory_file file = { "my data/a+b.bin", positions };
	memory_files files = { &file, 1, 0, 0 };
	scene_model model = { 0 };
	dbvh_error error;
	assert_int_equal( read_bytes( text, sizeof text - 1, &files, &model, &error ), DBVH_OK );
	assert_int_equal( files.opened, 1 );
	assert_int_equal( files.released, 1 );
	float x;
	memcpy( &x, positions + 4, sizeof x );
	const dbvh_mesh_view view = dbvh_mesh_get_view( model.meshes[0].mesh );
	assert_true( ( (const double *)view.positions )[1] == (double)x );
	scene_model_free( &model );
}

// Instances with the same scale share a mesh, whichever way they are turned; one that is not scaled has the mesh
// itself.
static void test_sharing( void **state ) {
	(void)state;
	rng r = { 77 };
	gltf_test_bytes text = { 0 };
	gltf_test_print( &text, "%s", HEAD );
	gltf_test_print( &text, "\"nodes\":[{\"scale\":[0.001,0.001,0.001],\"children\":[1" );
	for ( int i = 2; i <= 100; ++i )
		gltf_test_print( &text, ",%d", i );
	gltf_test_print( &text, "]}" );
	for ( int i = 0; i < 200; ++i ) {
		double q[4];
		for ( int k = 0; k < 4; ++k )
			q[k] = rng_range( &r, -1.0, 1.0 );
		gltf_test_print( &text, ",{\"mesh\":0,\"rotation\":[%.7g,%.7g,%.7g,%.7g],\"translation\":[%d,0,0]}", q[0], q[1],
		                 q[2], q[3], i );
	}
	gltf_test_print( &text, "]}" );
	scene_model model = { 0 };
	must_read( text.bytes, text.count, &model );
	assert_int_equal( model.body_count, 200 );
	assert_int_equal( model.mesh_count, 2 );
	for ( size_t i = 0; i < 200; ++i )
		assert_int_equal( model.bodies[i].mesh, model.bodies[i < 100 ? 0 : 199].mesh );
	scene_model_free( &model );
	free( text.bytes );
}

static void test_notes( void **state ) {
	(void)state;
	static const char text[] = BEGIN BUFFERS VIEWS ACCESSORS
	    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":0}]},{\"mode\":1,"
	    "\"attributes\":{"
	    "\"POSITION\":0}},{\"attributes\":{}}]},{\"primitives\":[{\"mode\":0,\"attributes\":{\"POSITION\":0}}]}],"
	    "\"nodes\":[{\"mesh\":0,\"skin\":0},{\"mesh\":1},{\"mesh\":0,\"scale\":[0,0,0]},{\"mesh\":0,\"scale\":[1,1,0]}]"
	    ","
	    "\"extensionsRequired\":[\"KHR_materials_unlit\",\"EXT_mesh_gpu_instancing\"]}";
	scene_model model = { 0 };
	must_read( text, sizeof text - 1, &model );
	assert_int_equal( model.body_count, 2 ); // flat is flat, but there
	assert_int_equal( model.note_count, 6 );
	assert_string_equal( model.notes[0], "test: 2 primitives of points or lines are left out" );
	scene_model_free( &model );
}

static void test_incomplete_triangles( void **state ) {
	(void)state;
	static const char text[] = INDICES( "data:;base64,AAECAA==", "5121", "4" );
	scene_model model = { 0 };
	must_read( text, sizeof text - 1, &model );
	assert_int_equal( dbvh_mesh_get_view( model.meshes[0].mesh ).triangle_count, 1 );
	assert_int_equal( model.note_count, 1 );
	scene_model_free( &model );
	// Two corners are no triangle at all.
	static const char few[] = INDICES( "data:;base64,AAECAA==", "5121", "2" );
	dbvh_error error;
	assert_int_equal( read_bytes( few, sizeof few - 1, &no_files, &model, &error ), DBVH_EMPTY );
	scene_model_free( &model );
}

static void test_instances( void **state ) {
	(void)state;
	// The three positions serve as translations, too.
	static const char text[] = HEAD "\"nodes\":[{\"name\":\"row\",\"mesh\":0,\"translation\":[0,0,5],\"extensions\":{"
	                                "\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":0}}}}]}";
	scene_model model = { 0 };
	must_read( text, sizeof text - 1, &model );
	assert_int_equal( model.body_count, 3 );
	assert_int_equal( model.mesh_count, 1 );
	assert_string_equal( model.bodies[2].path, "row/instance-3" );
	assert_true( model.bodies[1].pose.pos[0] == 1.0 && model.bodies[2].pose.pos[1] == 1.0 );
	assert_true( model.bodies[0].pose.pos[2] == 5.0 );
	scene_model_free( &model );
}

// A file must not grow beyond measure: the same accessor again and again, deep nodes, long names.
static void test_small_files_stay_small( void **state ) {
	(void)state;
	gltf_test_bytes text = { 0 };
	scene_model model = { 0 };
	dbvh_error error;
	gltf_test_print( &text, "%s", HEAD "\"nodes\":[{\"mesh\":0,\"children\":[1]}" );
	for ( int i = 1; i < 300; ++i )
		gltf_test_print( &text, i < 299 ? ",{\"mesh\":0,\"children\":[%d]}" : ",{\"mesh\":0}", i + 1 );
	gltf_test_print( &text, "]}" );
	assert_int_equal( read_bytes( text.bytes, text.count, &no_files, &model, &error ), DBVH_LIMIT );
	scene_model_free( &model );

	text.count = 0;
	gltf_test_print( &text, "%s",
	                 BEGIN BUFFERS VIEWS "\"accessors\":[{\"componentType\":5126,\"type\":\"VEC3\",\"count\":300000}"
	                                     "],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}" );
	for ( int i = 0; i < 100; ++i )
		gltf_test_print( &text, ",{\"attributes\":{\"POSITION\":0}}" );
	gltf_test_print( &text, "]}]," NODES "}" );
	assert_int_equal( read_bytes( text.bytes, text.count, &no_files, &model, &error ), DBVH_LIMIT );
	assert_non_null( strstr( error.text, "again and again" ) );
	scene_model_free( &model );
	free( text.bytes );
}

static void test_many_nodes( void **state ) {
	(void)state;
	gltf_test_bytes text = { 0 };
	const int count = 100000;
	gltf_test_print( &text, "%s", HEAD "\"nodes\":[{\"mesh\":0}" );
	for ( int i = 1; i < count; ++i )
		gltf_test_print( &text, ",{\"name\":\"bolt\",\"mesh\":0,\"translation\":[%d,0,0]}", i );
	gltf_test_print( &text, "]}" );
	scene_model model = { 0 };
	must_read( text.bytes, text.count, &model );
	assert_int_equal( model.body_count, count );
	assert_int_equal( model.mesh_count, 1 );
	assert_string_equal( model.bodies[count - 1].path, "bolt#99999" );
	scene_model_free( &model );
	free( text.bytes );
}

int main( int argc, char **argv ) {
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test( test_random_files ),
	    cmocka_unit_test( test_damaged_files ),
	    cmocka_unit_test( test_refusals ),
	    cmocka_unit_test( test_lengths_of_glb ),
	    cmocka_unit_test( test_plain_file ),
	    cmocka_unit_test( test_other_files ),
	    cmocka_unit_test( test_sharing ),
	    cmocka_unit_test( test_notes ),
	    cmocka_unit_test( test_incomplete_triangles ),
	    cmocka_unit_test( test_instances ),
	    cmocka_unit_test( test_small_files_stay_small ),
	    cmocka_unit_test( test_many_nodes ),
	};
	return test_main( argc, argv, tests );
}
