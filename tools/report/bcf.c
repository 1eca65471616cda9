// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// BCF 3.0 and 2.1 (buildingSMART): a ZIP archive with a topic for each clash, which programs for buildings open: what
// it is, a camera that looks at it, and the lines in which the surfaces meet. Lengths are metres, where the files say
// what a unit is. The two versions have the same content; 2.1 knows no lists around elements of one name, and no file
// of extensions.

#include "assembly/earlier.h"
#include "assembly/sentences.h"
#include "assembly/topic.h"
#include "dualbvh/contact.h"
#include "model/properties.h"
#include "os/os.h"
#include "picture/limits.h"
#include "picture/sources.h"
#include "picture/thumbnail.h"
#include "report/archive.h"
#include "report/report.h"
#include "text/hash.h"
#include "text/hash_set.h"
#include "text/number.h"
#include "text/xml.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MOST_SNAPSHOTS = 32,
	MOST_TOPICS = 10000, // the worst; programs that show them one by one have no use for more
	MOST_WITH_LINES = 1000,
	MOST_LINES = 2000, // line segments a topic
	MOST_WORK = 5000000
};
// Steps for all topics together: the search for lines, and the drawing of snapshots. Each takes some tenths of a
// second.
static const uint64_t most_search = 10000000, most_drawing = 100000000;

typedef struct writing {
	const scene_report *report;
	bool is_21; // BCF 2.1
	archive *archive;
	dbvh_contacts *contacts;
	uint64_t search; // steps that are left
	picture drawn;
	picture_shapes shapes;
	thumbnail_maker maker;
} writing;

// A file that is made in memory.
typedef struct page {
	FILE *file;
	os_text text;
} page;

static bool page_open( page *p ) {
	*p = ( page ){ 0 };
	if ( os_text_open( &p->text ) )
		p->file = p->text.stream;
	if ( p->file != NULL )
		fputs( "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", p->file );
	return p->file != NULL;
}

static bool page_add( page *p, archive *to, const char *name ) {
	if ( !os_text_close( &p->text ) )
		return false;
	archive_add( to, name, p->text.bytes, p->text.count, false );
	return true;
}

// ------------------------------------------------------------------------------------------------
// A topic

static void put_files( const scene_findings *f, const scene_clash *c, bool is_21, FILE *file ) {
	const char *a = scene_file_of( f, c->a ), *b = scene_file_of( f, c->b );
	fputs( is_21 ? "<Header>" : "<Header><Files>", file );
	for ( int i = 0; i < ( strcmp( a, b ) == 0 ? 1 : 2 ); ++i ) {
		fprintf( file, "<File %s=\"true\">", is_21 ? "isExternal" : "IsExternal" );
		xml_element( file, "Filename", i == 0 ? a : b );
		fputs( "</File>", file );
	}
	fputs( is_21 ? "</Header>\n" : "</Files></Header>\n", file );
}

static void put_separation( const scene_clash *c, FILE *file ) {
	const scene_overlap *o = &c->overlap;
	if ( o->has_penetration )
		fprintf( file, ". The second body comes free by a move by %.6g %.6g %.6g", o->separation[0], o->separation[1],
		         o->separation[2] );
}

// The status that people have set, else what the program knows.
static const char *status_of( const scene_findings *f, const scene_clash *c ) {
	const earlier_review *review = scene_review_of( f, c );
	return review != NULL && review->status != NULL ? review->status
	       : c->standing == SCENE_ACCEPTED          ? SCENE_STATUS_ACCEPTED
	       : scene_is_known( c )                    ? SCENE_STATUS_KNOWN
	                                                : SCENE_STATUS_OPEN;
}

static void put_comment( const scene_clash *c, const char *date, const char *author, const char *text, FILE *file ) {
	char guid[SCENE_GUID_ROOM];
	fprintf( file, "<Comment Guid=\"%s\"><Date>%s</Date>", scene_comment_guid( c->id, text, guid ), date );
	xml_element( file, "Author", author );
	xml_element( file, "Comment", text );
	fputs( "</Comment>", file );
}

// The comments of the review, and the reason of an acceptance.
// False where there is no memory.
static bool put_comments( const scene_findings *f, const scene_clash *c, const char *date, bool is_21, FILE *file ) {
	const earlier_review *review = scene_review_of( f, c );
	const char *reason = review != NULL && review->accepted != NULL ? review->accepted : NULL;
	if ( review == NULL || ( review->comment_count == 0 && reason == NULL ) )
		return true;
	const char *author = review->by != NULL ? review->by : "dualbvh";
	fputs( is_21 ? "" : "<Comments>", file );
	if ( reason != NULL )
		put_comment( c, date, author, reason, file );
	scene_hash_set known = { 0 }; // comments of one text have one GUID
	bool ok = reason == NULL || scene_hash_set_add( &known, scene_comment_hash( reason ) );
	for ( size_t i = 0; i < review->comment_count && ok; ++i ) {
		const uint64_t hash = scene_comment_hash( review->comments[i] );
		if ( scene_hash_set_has( &known, hash ) )
			continue;
		put_comment( c, date, "dualbvh", review->comments[i], file );
		ok = scene_hash_set_add( &known, hash );
	}
	scene_hash_set_free( &known );
	fputs( is_21 ? "\n" : "</Comments>\n", file );
	return ok;
}

static bool add_markup( writing *w, const scene_clash *c, bool has_snapshot ) {
	const scene_findings *f = w->report->findings;
	char guid[SCENE_GUID_ROOM], view[SCENE_GUID_ROOM], id[SCENE_HASH_ROOM], name[SCENE_GUID_ROOM + 16], date[32] = "";
	const time_t now = (time_t)w->report->now;
	struct tm parts;
	page p;
	if ( !os_utc( now, &parts ) || strftime( date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts ) == 0 ||
	     !page_open( &p ) )
		return false;
	char *sentence = scene_clash_sentence( f, c );
	fputs( "<Markup>\n", p.file );
	put_files( f, c, w->is_21, p.file );
	fprintf( p.file, "<Topic Guid=\"%s\" TopicType=\"Clash\"", scene_topic_guid( c->id, SCENE_GUID_TOPIC, guid ) );
	xml_attribute( p.file, "TopicStatus", status_of( f, c ) );
	fputs( ">\n", p.file );
	xml_element( p.file, "Title", sentence != NULL ? sentence : scene_kind_word( c->kind ) );
	fprintf( p.file, "<Priority>%s</Priority>\n", scene_severity_word( scene_severity_of( c ) ) );
	fprintf( p.file, w->is_21 ? "<Labels>%s</Labels>\n" : "<Labels><Label>%s</Label></Labels>\n",
	         scene_kind_word( c->kind ) );
	xml_element( p.file, "CreationDate", date );
	xml_element( p.file, "CreationAuthor", "dualbvh" );
	const earlier_review *review = scene_review_of( f, c );
	if ( review != NULL && review->assignee != NULL )
		xml_element( p.file, "AssignedTo", review->assignee );
	fprintf( p.file, "<Description>Clash %s", scene_hash_print( c->id, id ) );
	if ( c->rule != NULL && c->rule->name != NULL ) {
		fputs( ", by the rule ", p.file );
		xml_text( p.file, c->rule->name );
	}
	put_separation( c, p.file );
	fputs( w->is_21 ? "</Description>\n</Topic>\n" : "</Description>\n", p.file );
	const bool ok = put_comments( f, c, date, w->is_21, p.file );
	fprintf( p.file, "%s Guid=\"%s\"><Viewpoint>viewpoint.bcfv</Viewpoint>",
	         w->is_21 ? "<Viewpoints" : "<Viewpoints><ViewPoint", scene_topic_guid( c->id, SCENE_GUID_VIEW, view ) );
	if ( has_snapshot )
		fputs( "<Snapshot>snapshot.png</Snapshot>", p.file );
	fputs( w->is_21 ? "</Viewpoints>\n</Markup>\n" : "</ViewPoint></Viewpoints>\n</Topic>\n</Markup>\n", p.file );
	free( sentence );
	snprintf( name, sizeof name, "%s/markup.bcf", guid );
	return page_add( &p, w->archive, name ) && ok;
}

// ------------------------------------------------------------------------------------------------
// A view

static void put_point( FILE *file, const char *name, const double x[3], double scale ) {
	char text[3][REAL_ROOM];
	for ( int k = 0; k < 3; ++k )
		real_text( scale * x[k], text[k] );
	fprintf( file, "<%s><X>%s</X><Y>%s</Y><Z>%s</Z></%s>\n", name, text[0], text[1], text[2], name );
}

// From above, the front and one side, as far away as the smaller of the two is large.
static void put_camera( const scene_clash *c, double metres, bool is_21, FILE *file ) {
	const double third = 0.57735026918962576, sixth = 0.40824829046386302; // 1 / sqrt 3, 1 / sqrt 6
	const double direction[3] = { -third, third, -third }, up[3] = { -sixth, sixth, 2.0 * sixth };
	const double away = c->size > 0.0 ? 1.5 * c->size : 1.0;
	double eye[3];
	for ( int k = 0; k < 3; ++k )
		eye[k] = c->point[k] - away * direction[k];
	fputs( "<PerspectiveCamera>\n", file );
	put_point( file, "CameraViewPoint", eye, metres );
	put_point( file, "CameraDirection", direction, 1.0 );
	put_point( file, "CameraUpVector", up, 1.0 );
	fputs( "<FieldOfView>60</FieldOfView>\n", file );
	fputs( is_21 ? "" : "<AspectRatio>1.3333333333333333</AspectRatio>\n", file );
	fputs( "</PerspectiveCamera>\n", file );
}

// A GlobalId of IFC has 22 characters of its own 64 digits.
static bool is_ifc_guid( const char *guid ) {
	return guid != NULL && strlen( guid ) == 22 &&
	       strspn( guid, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$" ) == 22;
}

static void put_component( FILE *file, const scene_body *body ) {
	const char *guid = scene_guid_of( body );
	if ( is_ifc_guid( guid ) )
		fprintf( file, "<Component IfcGuid=\"%s\">", guid );
	else
		fputs( "<Component>", file );
	xml_element( file, "AuthoringToolId", body->path );
	fputs( "</Component>", file );
}

static void place( const dbvh_pose *pose, const double x[3], double out[3] ) {
	for ( int i = 0; i < 3; ++i )
		out[i] = pose->rot[i][0] * x[0] + pose->rot[i][1] * x[1] + pose->rot[i][2] * x[2] + pose->pos[i];
}

// The contacts of two bodies, as far as they are cheap to have and the time is not over.
static bool find_contacts( writing *w, const scene_clash *c ) {
	const scene_findings *f = w->report->findings;
	const scene_body *a = &f->assembly->model.bodies[c->a], *b = &f->assembly->model.bodies[c->b];
	uint64_t spent = 0;
	dbvh_budget budget = picture_budget( w->search < MOST_WORK ? w->search : MOST_WORK );
	const dbvh_contacts_query query = { .budget = &budget };
	if ( !c->has_first || c->kind == DBVH_CLASH_KIND_CLEARANCE || w->search == 0 || picture_is_over() )
		return false;
	budget.spent = &spent;
	const dbvh_status status = dbvh_contacts_find( f->trees->trees[a->mesh], &a->pose, f->trees->trees[b->mesh],
	                                               &b->pose, &query, w->contacts, NULL );
	w->search -= spent < w->search ? spent : w->search;
	return status == DBVH_OK;
}

static void put_lines( writing *w, const scene_clash *c, double metres, FILE *file ) {
	const scene_body *a = &w->report->findings->assembly->model.bodies[c->a];
	if ( !find_contacts( w, c ) )
		return;
	const dbvh_contacts_view found = dbvh_contacts_get( w->contacts );
	size_t left = MOST_LINES;
	if ( found.polyline_count == 0 )
		return;
	fputs( "<Lines>\n", file );
	for ( size_t i = 0; i < found.polyline_count; ++i ) {
		const dbvh_polyline *line = &found.polylines[i];
		const size_t steps = line->point_count - !line->closed;
		for ( size_t k = 0; k < steps && left > 0; ++k, --left ) {
			double from[3], to[3];
			const size_t next = k + 1 < line->point_count ? k + 1 : 0;
			place( &a->pose, found.points[found.path[line->first + k].point].position, from );
			place( &a->pose, found.points[found.path[line->first + next].point].position, to );
			fputs( "<Line>", file );
			put_point( file, "StartPoint", from, metres );
			put_point( file, "EndPoint", to, metres );
			fputs( "</Line>\n", file );
		}
	}
	fputs( "</Lines>\n", file );
}

static bool add_view( writing *w, const scene_clash *c, bool has_lines ) {
	const scene_findings *f = w->report->findings;
	const double metres = f->assembly->model.metres > 0.0 ? f->assembly->model.metres : 1.0;
	char guid[SCENE_GUID_ROOM], view[SCENE_GUID_ROOM], name[SCENE_GUID_ROOM + 16];
	page p;
	if ( !page_open( &p ) )
		return false;
	fprintf( p.file, "<VisualizationInfo Guid=\"%s\">\n<Components>\n<Selection>",
	         scene_topic_guid( c->id, SCENE_GUID_VIEW, view ) );
	put_component( p.file, &f->assembly->model.bodies[c->a] );
	put_component( p.file, &f->assembly->model.bodies[c->b] );
	fputs( "</Selection>\n<Visibility DefaultVisibility=\"true\"/>\n</Components>\n", p.file );
	put_camera( c, metres, w->is_21, p.file );
	if ( has_lines )
		put_lines( w, c, metres, p.file );
	fputs( "</VisualizationInfo>\n", p.file );
	snprintf( name, sizeof name, "%s/viewpoint.bcfv", scene_topic_guid( c->id, SCENE_GUID_TOPIC, guid ) );
	return page_add( &p, w->archive, name );
}

// ------------------------------------------------------------------------------------------------
// The archive

// Write the different statuses or assignees of the reviews, in the order of the clashes.
static bool put_words( const scene_findings *f, const char *element, bool are_users, FILE *file ) {
	static const char *const statuses[] = { SCENE_STATUS_OPEN, SCENE_STATUS_KNOWN, SCENE_STATUS_ACCEPTED };
	scene_names known = { 0 };
	bool ok = true;
	if ( are_users )
		fputs( "<User>dualbvh</User>", file );
	for ( uint32_t i = 0; ok && !are_users && i < 3; ++i ) {
		xml_element( file, element, statuses[i] );
		ok = scene_names_add( &known, statuses[i], i );
	}
	for ( size_t i = 0; ok && i < f->worst_count && i < MOST_TOPICS; ++i ) {
		const earlier_review *review = scene_review_of( f, &f->clashes[f->worst[i]] );
		const char *word = review == NULL ? NULL : are_users ? review->assignee : review->status;
		if ( word == NULL || scene_names_find( &known, word ) != UINT32_MAX )
			continue;
		xml_element( file, element, word );
		ok = scene_names_add( &known, word, 0 );
	}
	scene_names_free( &known );
	return ok;
}

static bool add_version( archive *to, bool is_21 ) {
	page p;
	if ( !page_open( &p ) )
		return false;
	fputs( is_21 ? "<Version VersionId=\"2.1\"><DetailedVersion>2.1</DetailedVersion></Version>\n"
	             : "<Version VersionId=\"3.0\"/>\n",
	       p.file );
	return page_add( &p, to, "bcf.version" );
}

static bool add_extensions( const scene_findings *f, archive *to ) {
	page p;
	if ( !page_open( &p ) )
		return false;
	fputs( "<Extensions>\n<TopicTypes><TopicType>Clash</TopicType></TopicTypes>\n<TopicStatuses>", p.file );
	bool ok = put_words( f, "TopicStatus", false, p.file );
	fputs( "</TopicStatuses>\n<Priorities>", p.file );
	for ( int i = 0; i < SCENE_SEVERITY_COUNT; ++i )
		xml_element( p.file, "Priority", scene_severity_word( (scene_severity)i ) );
	fputs( "</Priorities>\n<TopicLabels>", p.file );
	for ( int i = 0; i < DBVH_CLASH_KIND_FIT; ++i )
		xml_element( p.file, "TopicLabel", scene_kind_word( (dbvh_clash_kind)i ) );
	fputs( "</TopicLabels>\n<Users>", p.file );
	ok = put_words( f, "User", true, p.file ) && ok;
	fputs( "</Users>\n</Extensions>\n", p.file );
	return page_add( &p, to, "extensions.xml" ) && ok;
}

// A picture of the clash, while there is time and work left for it; `*is_there_out` says whether there is one.
static bool add_snapshot( writing *w, size_t number, const scene_clash *c, bool *is_there_out ) {
	char guid[SCENE_GUID_ROOM], name[SCENE_GUID_ROOM + 16];
	bytes made = { 0 };
	*is_there_out = false;
	if ( number >= w->drawn.clash_count || w->maker.raster.work >= most_drawing || picture_is_over() )
		return true;
	const bool ok = thumbnail_make( &w->maker, (uint32_t)number, &made );
	*is_there_out = ok && made.count > 0;
	if ( *is_there_out ) {
		snprintf( name, sizeof name, "%s/snapshot.png", scene_topic_guid( c->id, SCENE_GUID_TOPIC, guid ) );
		archive_add( w->archive, name, made.at, made.count, true );
	} else
		bytes_free( &made );
	return ok;
}

static bool add_topic( writing *w, size_t number, const scene_clash *c ) {
	char guid[SCENE_GUID_ROOM], name[SCENE_GUID_ROOM + 1];
	bool has_snapshot;
	snprintf( name, sizeof name, "%s/", scene_topic_guid( c->id, SCENE_GUID_TOPIC, guid ) );
	archive_add( w->archive, name, NULL, 0, true );
	return add_snapshot( w, number, c, &has_snapshot ) && add_markup( w, c, has_snapshot ) &&
	       add_view( w, c, number < MOST_WITH_LINES );
}

// Draw the picture that snapshots are taken from; nothing where the time is over.
static bool begin_drawing( writing *w ) {
	const picture_wishes wishes = { .most_clashes = MOST_SNAPSHOTS, .most_work = most_search };
	return picture_is_over() || ( picture_from_scene( w->report->findings, &wishes, &w->drawn ) &&
	                              picture_shapes_make( &w->drawn, THUMBNAIL_BUDGET, &w->shapes ) &&
	                              thumbnail_begin( &w->maker, &w->drawn, &w->shapes ) );
}

static bool is_given_up( void *report ) {
	return report_is_given_up( report );
}

static void write_bcf( const scene_report *report, bool is_21, FILE *file ) {
	const scene_findings *f = report->findings;
	writing w = { .report = report, .is_21 = is_21, .search = most_search, .archive = archive_begin( report->now ) };
	bool ok = w.archive != NULL && dbvh_contacts_create( NULL, &w.contacts, NULL ) == DBVH_OK && begin_drawing( &w ) &&
	          add_version( w.archive, is_21 ) && ( is_21 || add_extensions( f, w.archive ) );
	for ( size_t i = 0; ok && i < f->worst_count && i < MOST_TOPICS && !report_is_given_up( report ); ++i )
		if ( f->clashes[f->worst[i]].kind != DBVH_CLASH_KIND_FIT )
			ok = add_topic( &w, i, &f->clashes[f->worst[i]] );
	if ( w.archive != NULL )
		ok = archive_end( w.archive, file, is_given_up, (void *)report ) && ok;
	thumbnail_end( &w.maker );
	picture_shapes_free( &w.shapes );
	picture_free( &w.drawn );
	dbvh_contacts_destroy( w.contacts );
	if ( !ok )
		errno = ENOMEM;
}

void report_bcf( const scene_report *report, FILE *file ) {
	write_bcf( report, false, file );
}

void report_bcf21( const scene_report *report, FILE *file ) {
	write_bcf( report, true, file );
}
