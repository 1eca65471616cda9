// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Reads all other formats by assimp: Collada, FBX, 3DS, Blender, X, IFC, DXF and more. Nodes with meshes become bodies.
// assimp has positions and poses as floats, so scenes are accurate to that.

#include "base/os.h"
#include "formats/files.h"
#include "model/baked.h"
#include "model/placement.h"
#include "model/refuse.h"
#include "text/ending.h"
#include "text/grow.h"

#include <string.h>

// Does the project read this format itself, or is the ending too vague to be taken for a format?
static bool is_ours( const char *name ) {
	static const char *const ours[] = { "gltf", "glb", "3mf", "urdf", "json", "xml", "step", "stp", "p21" };
	for ( size_t i = 0; i < sizeof ours / sizeof ours[0]; ++i )
		if ( scene_has_ending( name, ours[i] ) )
			return true;
	return scene_mesh_format( name ) != DBVH_MESH_FORMAT_AUTO;
}

#ifdef DUALBVH_WITH_ASSIMP

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool scene_is_import( const char *name ) {
	const char *slash = strrchr( name, '/' ), *point = strrchr( slash != NULL ? slash : name, '.' );
	return point != NULL && !is_ours( name ) && aiIsExtensionSupported( point ) == AI_TRUE;
}

// ------------------------------------------------------------------------------------------------
// File access for assimp: the first name that it opens is that of the bytes in memory.

// A scene may name itself as a part of itself, and assimp follows.
enum { MOST_OPENED = 256 };

typedef struct files {
	const scene_source *source;
	const char *name;
	const unsigned char *bytes;
	size_t count;
	int opened;
} files;

typedef struct open_file {
	struct aiFile base;
	const unsigned char *bytes;
	unsigned char *owned; // bytes that the source releases; NULL: none
	size_t count, at;
} open_file;

static open_file *opened( struct aiFile *file ) {
	return (open_file *)(void *)file->UserData;
}

static size_t file_read( struct aiFile *file, char *out, size_t size, size_t count ) {
	open_file *f = opened( file );
	const size_t most = size > 0 ? ( f->count - f->at ) / size : 0;
	const size_t taken = count < most ? count : most;
	if ( taken > 0 )
		memcpy( out, f->bytes + f->at, size * taken );
	f->at += size * taken;
	return taken;
}

static size_t file_write( struct aiFile *file, const char *bytes, size_t size, size_t count ) {
	(void)file, (void)bytes, (void)size, (void)count;
	return 0;
}

static size_t file_tell( struct aiFile *file ) {
	return opened( file )->at;
}

static size_t file_size( struct aiFile *file ) {
	return opened( file )->count;
}

static void file_flush( struct aiFile *file ) {
	(void)file;
}

// Negative offsets arrive as large unsigned numbers.
static enum aiReturn file_seek( struct aiFile *file, size_t offset, enum aiOrigin origin ) {
	open_file *f = opened( file );
	const size_t to = origin == aiOrigin_SET ? offset : ( origin == aiOrigin_CUR ? f->at : f->count ) + offset;
	if ( to > f->count )
		return aiReturn_FAILURE;
	f->at = to;
	return aiReturn_SUCCESS;
}

// A name of assimp's as the source would have it: no "./" before it, slashes, not backslashes.
static char *clean_name( const char *name ) {
	while ( name[0] == '.' && ( name[1] == '/' || name[1] == '\\' ) )
		name += 2;
	const size_t length = strlen( name );
	char *made = malloc( length + 1 );
	for ( size_t i = 0; made != NULL && i <= length; ++i )
		made[i] = (char)( name[i] == '\\' ? '/' : name[i] );
	return made;
}

static bool find_bytes( files *all, const char *name, open_file *f ) {
	dbvh_error unseen;
	char *clean = clean_name( name );
	bool good = clean != NULL;
	if ( good && strcmp( clean, all->name ) == 0 ) {
		f->bytes = all->bytes;
		f->count = all->count;
	} else if ( good ) {
		good = *clean != '\0' && all->source->open != NULL &&
		       all->source->open( all->source->user, clean, &f->owned, &f->count, &unseen );
		f->bytes = f->owned;
	}
	free( clean );
	return good;
}

static struct aiFile *files_open( struct aiFileIO *io, const char *name, const char *mode ) {
	files *all = (files *)(void *)io->UserData;
	if ( strpbrk( mode, "wa+" ) != NULL || all->opened++ >= MOST_OPENED )
		return NULL;
	open_file *f = calloc( 1, sizeof *f );
	if ( f == NULL || !find_bytes( all, name, f ) ) {
		free( f );
		return NULL;
	}
	f->base = ( struct aiFile ){ .ReadProc = file_read,
	                             .WriteProc = file_write,
	                             .TellProc = file_tell,
	                             .FileSizeProc = file_size,
	                             .SeekProc = file_seek,
	                             .FlushProc = file_flush,
	                             .UserData = (aiUserData)(void *)f };
	return &f->base;
}

static void files_close( struct aiFileIO *io, struct aiFile *file ) {
	const files *all = (const files *)(const void *)io->UserData;
	open_file *f = opened( file );
	if ( f->owned != NULL )
		all->source->release( all->source->user, f->owned, f->count );
	free( f );
}

// ------------------------------------------------------------------------------------------------

// Nodes with the same meshes share what is made of them.
typedef struct geometry {
	const unsigned int *meshes;
	unsigned int mesh_count;
	uint32_t next;       // next entry with the same first mesh; SCENE_NONE: none
	dbvh_mesh_view view; // triangles alone; triangle_count is 0 where there are none
	double *positions;
	uint32_t *corners;
} geometry;

enum { MOST_DEPTH = 256, MOST_ALIKE = 64 };

// Limits: a small file may scale a large mesh in a thousand ways, or combine it with others in a thousand ways.
static const size_t most_copied = (size_t)1 << 26;

typedef struct import {
	const struct aiScene *scene;
	const scene_source *source;
	scene_model *model;
	dbvh_error *error;
	geometry *geometries;
	size_t geometry_count, geometry_capacity;
	uint32_t *first_of; // by mesh: the first geometry that begins with it
	scene_baked baked;
	char *path;
	size_t path_capacity, path_budget;
	size_t copied, body_count;
	size_t lines, without_triangles, flat;
} import;

static bool refuse( import *m, dbvh_status status, const char *text ) {
	scene_refuse( m->error, status, "%s", text );
	return false;
}

static bool no_memory( import *m ) {
	scene_refuse_memory( m->error );
	return false;
}

// Check the corners before assimp works on its meshes: its own steps trust them.
static bool check_meshes( const struct aiScene *scene, dbvh_error *error ) {
	for ( unsigned int i = 0; i < scene->mNumMeshes; ++i ) {
		const struct aiMesh *mesh = scene->mMeshes[i];
		if ( mesh == NULL || ( mesh->mNumVertices > 0 && mesh->mVertices == NULL ) ||
		     ( mesh->mNumFaces > 0 && mesh->mFaces == NULL ) ) {
			scene_refuse( error, DBVH_MALFORMED, "mesh %u is not there", i );
			return false;
		}
		for ( unsigned int f = 0; f < mesh->mNumFaces; ++f )
			for ( unsigned int k = 0; k < mesh->mFaces[f].mNumIndices; ++k )
				if ( mesh->mFaces[f].mIndices[k] >= mesh->mNumVertices ) {
					scene_refuse( error, DBVH_MALFORMED, "mesh %u: face %u has vertex %u, but there are %u", i, f,
					              mesh->mFaces[f].mIndices[k], mesh->mNumVertices );
					return false;
				}
	}
	return true;
}

static bool fill_geometry( import *m, geometry *g ) {
	size_t vertices = 0, triangles = 0;
	for ( unsigned int i = 0; i < g->mesh_count; ++i ) {
		vertices += m->scene->mMeshes[g->meshes[i]]->mNumVertices;
		triangles += m->scene->mMeshes[g->meshes[i]]->mNumFaces;
	}
	m->copied += triangles;
	if ( vertices > DBVH_MAX_ELEMENTS || m->copied > most_copied )
		return refuse( m, DBVH_LIMIT, "its nodes show more than 2^26 triangles in different ways, or 2^30 vertices" );
	double *to = g->positions = malloc( ( 3 * vertices + 1 ) * sizeof *g->positions );
	uint32_t *corner = g->corners = malloc( ( 3 * triangles + 1 ) * sizeof *g->corners ), begin = 0;
	if ( g->positions == NULL || g->corners == NULL )
		return no_memory( m );
	for ( unsigned int i = 0; i < g->mesh_count; ++i ) {
		const struct aiMesh *mesh = m->scene->mMeshes[g->meshes[i]];
		for ( unsigned int v = 0; v < mesh->mNumVertices; ++v ) {
			*to++ = (double)mesh->mVertices[v].x;
			*to++ = (double)mesh->mVertices[v].y;
			*to++ = (double)mesh->mVertices[v].z;
		}
		for ( unsigned int f = 0; f < mesh->mNumFaces; ++f ) {
			const struct aiFace *face = &mesh->mFaces[f];
			m->lines += face->mNumIndices != 3;
			for ( unsigned int k = 0; k < 3 && face->mNumIndices == 3; ++k )
				*corner++ = begin + face->mIndices[k];
		}
		begin += mesh->mNumVertices;
	}
	g->view = ( dbvh_mesh_view ){ .positions = g->positions,
	                              .vertex_count = vertices,
	                              .indices = g->corners,
	                              .triangle_count = (size_t)( corner - g->corners ) / 3 };
	return true;
}

static bool is_alike( const geometry *g, const struct aiNode *node ) {
	return g->mesh_count == node->mNumMeshes &&
	       memcmp( g->meshes, node->mMeshes, g->mesh_count * sizeof *g->meshes ) == 0;
}

// SCENE_NONE after filling in *error.
static uint32_t geometry_of( import *m, const struct aiNode *node ) {
	for ( unsigned int i = 0; i < node->mNumMeshes; ++i )
		if ( node->mMeshes[i] >= m->scene->mNumMeshes ) {
			refuse( m, DBVH_MALFORMED, "a node shows a mesh that is not there" );
			return SCENE_NONE;
		}
	uint32_t *first = &m->first_of[node->mMeshes[0]], at = *first;
	for ( int i = 0; at != SCENE_NONE && i < MOST_ALIKE; at = m->geometries[at].next, ++i )
		if ( is_alike( &m->geometries[at], node ) )
			return at;
	if ( !scene_grow( &m->geometries, &m->geometry_capacity, m->geometry_count, sizeof *m->geometries ) ) {
		no_memory( m );
		return SCENE_NONE;
	}
	geometry *g = &m->geometries[m->geometry_count];
	*g = ( geometry ){ .meshes = node->mMeshes, .mesh_count = node->mNumMeshes, .next = *first };
	*first = (uint32_t)m->geometry_count++;
	return fill_geometry( m, g ) ? *first : SCENE_NONE;
}

// ------------------------------------------------------------------------------------------------
// Nodes

static scene_affine affine_of( const struct aiMatrix4x4 *t ) {
	return ( scene_affine ){ { { (double)t->a1, (double)t->a2, (double)t->a3, (double)t->a4 },
	                           { (double)t->b1, (double)t->b2, (double)t->b3, (double)t->b4 },
	                           { (double)t->c1, (double)t->c2, (double)t->c3, (double)t->c4 } } };
}

static bool is_affine( const struct aiMatrix4x4 *t ) {
	return t->d1 == 0 && t->d2 == 0 && t->d3 == 0 && t->d4 == 1;
}

static bool add_body( import *m, const struct aiNode *node, const scene_affine *world ) {
	double linear[3][3];
	dbvh_pose pose;
	bool is_rigid;
	dbvh_error inner;
	const uint32_t number = geometry_of( m, node );
	if ( number == SCENE_NONE )
		return false;
	const geometry *g = &m->geometries[number];
	m->without_triangles += g->view.triangle_count == 0;
	if ( g->view.triangle_count == 0 )
		return true;
	if ( !scene_split_affine( world->row, &pose, linear, &is_rigid ) ) {
		++m->flat;
		return true;
	}
	const size_t before = m->model->mesh_count;
	const uint32_t mesh = scene_baked_mesh( &m->baked, m->model, number, &g->view, linear, m->path, &inner );
	if ( mesh == SCENE_NONE ) {
		scene_refuse( m->error, inner.status, "node '%.60s': %.170s", m->path, inner.text );
		return false;
	}
	m->copied += m->model->mesh_count > before ? g->view.triangle_count : 0;
	if ( m->copied > most_copied )
		return refuse( m, DBVH_LIMIT, "its nodes show more than 2^26 triangles in different ways" );
	++m->body_count;
	return scene_add_body( m->model, m->path, mesh, &pose ) != SCENE_NONE || no_memory( m );
}

// Puts the name of a node behind the first `length` characters of the path.
static bool extend_path( import *m, size_t *length, const struct aiNode *node, unsigned int number ) {
	const size_t bound = sizeof node->mName.data;
	size_t own = node->mName.length < bound ? node->mName.length : bound;
	const char *end = memchr( node->mName.data, '\0', own );
	own = end != NULL ? (size_t)( end - node->mName.data ) : own;
	const size_t needed = *length + own + 32;
	if ( needed > m->path_budget )
		return refuse( m, DBVH_LIMIT, "the names of its nodes are longer than a file of this size should need" );
	m->path_budget -= needed;
	if ( needed > m->path_capacity ) {
		char *grown = realloc( m->path, 2 * needed );
		if ( grown == NULL )
			return no_memory( m );
		m->path = grown;
		m->path_capacity = 2 * needed;
	}
	char *to = m->path + *length;
	if ( *length > 0 )
		*to++ = '/';
	if ( own > 0 ) {
		memcpy( to, node->mName.data, own );
		to[own] = '\0';
	} else {
		sprintf( to, "node-%u", number );
	}
	*length = (size_t)( to - m->path ) + strlen( to );
	return true;
}

// `length` is that of the path of the parent. `outer` is NULL where the node stands at the origin, whatever it says.
static bool add_node( import *m, const struct aiNode *node, const scene_affine *outer, size_t length, int depth,
                      unsigned int number ) {
	if ( node == NULL )
		return true;
	if ( depth > MOST_DEPTH )
		return refuse( m, DBVH_LIMIT, "nodes are nested more than 256 deep" );
	if ( !extend_path( m, &length, node, number ) )
		return false;
	if ( !is_affine( &node->mTransformation ) ) {
		scene_refuse( m->error, DBVH_MALFORMED, "node '%.100s': its matrix is not affine", m->path );
		return false;
	}
	const scene_affine own = affine_of( &node->mTransformation );
	const scene_affine world = outer != NULL ? scene_affine_compose( outer, &own ) : scene_affine_identity();
	if ( node->mNumMeshes > 0 && !add_body( m, node, &world ) )
		return false;
	// The root is assimp's, or the scene as a whole: it says nothing of its children.
	if ( depth == 0 )
		length = 0;
	for ( unsigned int i = 0; i < node->mNumChildren; ++i )
		if ( !add_node( m, node->mChildren[i], &world, length, depth + 1, i ) )
			return false;
	return true;
}

// ------------------------------------------------------------------------------------------------

// The decimal number that became this float.
static double decimal_of( double value ) {
	char text[64];
	snprintf( text, sizeof text, "%.7g", value );
	return strtod( text, NULL );
}

// The scale of the root's matrix. With Collada, assimp converts to metres there (and turns nothing, as no other axes
// were asked for); the scale is divided out again, so that the numbers of the file stay what they are. 0: not a mere
// scale.
static double scale_of_root( const struct aiNode *root ) {
	const struct aiMatrix4x4 *t = &root->mTransformation;
	const bool is_scale = t->a1 > 0 && t->b2 == t->a1 && t->c3 == t->a1 && t->a2 == 0 && t->a3 == 0 && t->a4 == 0 &&
	                      t->b1 == 0 && t->b3 == 0 && t->b4 == 0 && t->c1 == 0 && t->c2 == 0 && t->c4 == 0;
	return is_scale && is_affine( t ) && isfinite( t->a1 ) ? decimal_of( (double)t->a1 ) : 0.0;
}

// FBX says how many centimetres a unit has. 0: not known.
static double fbx_metres( const struct aiScene *scene ) {
	const struct aiMetadata *facts = scene->mMetaData;
	for ( unsigned int i = 0; facts != NULL && i < facts->mNumProperties; ++i ) {
		const struct aiMetadataEntry *value = &facts->mValues[i];
		double factor = 0.0;
		if ( strcmp( facts->mKeys[i].data, "UnitScaleFactor" ) != 0 || value->mData == NULL )
			continue;
		if ( value->mType == AI_FLOAT )
			factor = (double)*(const float *)value->mData;
		else if ( value->mType == AI_DOUBLE )
			factor = *(const double *)value->mData;
		return factor > 1e-9 && factor < 1e9 ? decimal_of( factor ) / 100.0 : 0.0;
	}
	return 0.0;
}

static bool add_notes( import *m ) {
	const struct {
		size_t count;
		const char *one, *many;
	} notes[] = {
	    { m->lines, "point or line is left out", "points or lines are left out" },
	    { m->without_triangles, "node has no triangles, and makes no body",
	      "nodes have no triangles, and make no body" },
	    { m->flat, "node is scaled flat, and makes no body", "nodes are scaled flat, and make no body" },
	};
	for ( size_t i = 0; i < sizeof notes / sizeof notes[0]; ++i )
		if ( notes[i].count > 0 && !scene_add_note( m->model, "%s: %zu %s", m->source->name, notes[i].count,
		                                            notes[i].count == 1 ? notes[i].one : notes[i].many ) )
			return no_memory( m );
	return true;
}

static bool add_scene( import *m ) {
	const scene_affine identity = scene_affine_identity();
	const size_t count = (size_t)m->scene->mNumMeshes + 1;
	m->first_of = malloc( count * sizeof *m->first_of );
	if ( m->first_of == NULL )
		return no_memory( m );
	for ( size_t i = 0; i < count; ++i )
		m->first_of[i] = SCENE_NONE;
	const struct aiNode *root = m->scene->mRootNode;
	const bool is_collada = scene_has_ending( m->source->name, "dae" ) || scene_has_ending( m->source->name, "zae" );
	const double scale = is_collada && root != NULL ? scale_of_root( root ) : 0.0;
	if ( root != NULL && !add_node( m, root, scale > 0.0 ? NULL : &identity, 0, 0, 0 ) )
		return false;
	if ( m->body_count == 0 )
		return refuse( m, DBVH_EMPTY, "no node of the file has a mesh with triangles" );
	m->model->metres = !is_collada ? fbx_metres( m->scene ) : scale > 0.0 ? scale : 1.0;
	return add_notes( m );
}

static void import_free( import *m ) {
	for ( size_t i = 0; i < m->geometry_count; ++i ) {
		free( m->geometries[i].positions );
		free( m->geometries[i].corners );
	}
	free( m->geometries );
	free( m->first_of );
	free( m->path );
	scene_baked_free( &m->baked );
	if ( m->scene != NULL )
		aiReleaseImport( m->scene );
}

// Polygons become triangles; nothing else is touched. assimp would also join vertices, but those that are near each
// other as well, and that moves triangles.
static const struct aiScene *load( files *all, dbvh_error *error ) {
	struct aiFileIO io = { .OpenProc = files_open, .CloseProc = files_close, .UserData = (aiUserData)(void *)all };
	struct aiPropertyStore *settings = aiCreatePropertyStore();
	if ( settings == NULL ) {
		scene_refuse_memory( error );
		return NULL;
	}
	// Without this a file without meshes gets some, to show its nodes.
	aiSetImportPropertyInteger( settings, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1 );
	// Without this FBX gets several nodes for each one of the file.
	aiSetImportPropertyInteger( settings, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0 );
	// Without this the whole scene is turned where y is not up, unlike in other files.
	aiSetImportPropertyInteger( settings, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1 );
	const struct aiScene *scene = aiImportFileExWithProperties( all->name, 0, &io, settings );
	aiReleasePropertyStore( settings );
	if ( scene != NULL && !check_meshes( scene, error ) ) {
		aiReleaseImport( scene );
		return NULL;
	}
	if ( scene != NULL )
		scene = aiApplyPostProcessing( scene, aiProcess_Triangulate );
	if ( scene == NULL )
		scene_refuse( error, DBVH_MALFORMED, "assimp cannot read it: %.200s", aiGetErrorString() );
	return scene;
}

dbvh_status scene_read_import( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                               dbvh_error *error ) {
	const char *slash = dbvhi_os_last_separator( source->name );
	files all = { .source = source, .name = slash != NULL ? slash + 1 : source->name, .bytes = bytes, .count = count };
	dbvh_error own = { .byte = -1, .element = -1 };
import m = {.source = source, .model = model, .error = & own };
	m.path_budget = count < SIZE_MAX / 64 - ( 1 << 24 ) ? 64 * ( count + ( 1 << 20 ) ) : SIZE_MAX;
	m.scene = load( &all, &own );
	const bool good = m.scene != NULL && add_scene( &m );
	import_free( &m );
	if ( error != NULL )
		*error = own;
	return good ? DBVH_OK : own.status;
}

#else

// Without assimp the common endings are still known, so that the sentence names what is missing.
bool scene_is_import( const char *name ) {
	static const char *const common[] = { "dae", "zae", "fbx",  "3ds", "ase", "blend", "x",   "dxf",
	                                      "lwo", "ac",  "ms3d", "x3d", "amf", "b3d",   "cob", "irr" };
	for ( size_t i = 0; i < sizeof common / sizeof common[0]; ++i )
		if ( scene_has_ending( name, common[i] ) )
			return !is_ours( name );
	return false;
}

dbvh_status scene_read_import( const unsigned char *bytes, size_t count, const scene_source *source, scene_model *model,
                               dbvh_error *error ) {
	(void)bytes, (void)count, (void)source, (void)model;
	return scene_refuse_without( error, "assimp", "files of this kind; Blender imports most of them and exports glTF" );
}

#endif
