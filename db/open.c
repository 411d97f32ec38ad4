/* SPDX-License-Identifier: Apache-2.0 */
/* db/open.c - from a path to a handle: what kind of file it is, and which way it may be opened. */
#include "db/sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

/* Samples are stored as the doubles of a little-endian machine. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file format is little-endian");

static const char what[] = "opening the database";

/* Bytes of one text or blob: the largest that hone writes, the search state of a campaign over
 * thousands of tasks, has some megabytes. */
enum { VALUE_MAX = 64 << 20 };

static char *copy(const char *s)
{
	char *c = strdup(s);

	if (!c)
		die("out of memory");
	return c;
}

static bool folder_is_writable(const char *path)
{
	char *folder = copy(path);
	char *slash = strrchr(folder, '/');

	if (slash)
		slash[slash == folder] = '\0';
	bool ok = access(slash ? folder : ".", W_OK | X_OK) == 0;

	free(folder);
	return ok;
}

static int64_t size_with(const char *path, const char *suffix)
{
	struct text name = { 0 };
	struct stat st;

	text_printf(&name, "%s%s", path, suffix);
	int64_t size = stat(name.s, &st) == 0 ? (int64_t)st.st_size : -1;

	text_free(&name);
	return size;
}

/* What sqlite would report poorly, or not at all: it falls back to reading, silently. */
static int check_path(const char *path, enum db_mode mode)
{
	struct stat st;

	if (path[0] == '\0')
		return err_set("%s: the path is empty: give the name of a file", what);
	if (stat(path, &st) < 0) {
		if (errno != ENOENT)
			return err_set("%s: %s: %s: check the path", what, path, strerror(errno));
		if (mode != DB_WRITE)
			return err_set("%s: there is no file %s: check the path; `hone tune --db` "
				       "makes a database",
				       what, path);
	} else if (S_ISDIR(st.st_mode)) {
		return err_set("%s: %s is a folder: give the name of a file in it", what, path);
	} else if (!S_ISREG(st.st_mode)) {
		return err_set("%s: %s is no regular file: give another path", what, path);
	} else if (access(path, mode == DB_READ ? R_OK : W_OK) < 0) {
		return err_set("%s: %s may not be %s: %s: change its permissions or use a copy",
			       what, path, mode == DB_READ ? "read" : "written", strerror(errno));
	}
	if (mode != DB_READ && !folder_is_writable(path))
		return err_set("%s: cannot write in the folder of %s: %s: sqlite keeps its log "
			       "beside the file; use a folder where you may write",
			       what, path, strerror(errno));
	return 0;
}

/* A reader that may write opens so, too: then it can recover and tidy up the log of a killed
 * writer. In a read-only folder that is not possible; a file without a log can still be read as
 * one that nobody changes. */
static const char *access_of(const char *path, enum db_mode mode)
{
	if (mode == DB_WRITE)
		return "mode=rwc";
	if (mode == DB_MODIFY || (access(path, W_OK) == 0 && folder_is_writable(path)))
		return "mode=rw";
	bool has_log = size_with(path, "-wal") > 0 || size_with(path, "-shm") >= 0;

	return has_log ? "mode=ro" : "mode=ro&immutable=1";
}

char *sql_uri(const char *path, const char *access)
{
	struct text uri = { 0 };

	/* "file:" would take a leading // for a host. */
	text_puts(&uri, path[0] == '/' ? "file://" : "file:");
	for (const char *p = path; *p; p++) {
		if (*p == '?' || *p == '#' || *p == '%')
			text_printf(&uri, "%%%02x", (unsigned)*p);
		else
			text_putn(&uri, p, 1);
	}
	text_printf(&uri, "?%s", access);
	return uri.s;
}

/* Two processes that make the same file meet here, where sqlite does not wait by itself. */
static int set_wal(struct db *db)
{
	struct arena *a = arena_new();
	sqlite3_stmt *stmt = NULL;
	int rc;

	for (int waited = 0;; waited += 10) {
		stmt = sql_prepare(db, what, "PRAGMA journal_mode = WAL", "");
		rc = stmt ? sql_step(db, what, &stmt) : -1;
		if (rc >= 0 || waited >= DB_BUSY_MS ||
		    (sqlite3_errcode(db->sql) & 0xff) != SQLITE_BUSY)
			break;
		sqlite3_sleep(10);
	}
	if (rc > 0 && strcmp(sql_text(a, stmt, 0), "wal") != 0)
		rc = err_set("%s: the file system of %s cannot hold a database log (a network "
			     "file system?): use a local disk",
			     what, db->path);
	sqlite3_finalize(stmt);
	arena_free(a);
	return rc < 0 ? -1 : 0;
}

static int set_up(struct db *db, const struct migration *m, int n)
{
	bool empty;

	sqlite3_extended_result_codes(db->sql, 1);
	sqlite3_busy_timeout(db->sql, DB_BUSY_MS);
	/* A file may come from anywhere: its schema gets no powers, and no value fills the memory. */
	sqlite3_limit(db->sql, SQLITE_LIMIT_LENGTH, VALUE_MAX);
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	if (sql_run(db, what, "PRAGMA foreign_keys = ON", "") < 0 ||
	    sql_run(db, what, "PRAGMA synchronous = FULL", "") < 0 ||
	    schema_identify(db, n, &empty) < 0)
		return -1;
	if (db->mode == DB_READ)
		return sql_run(db, what, "PRAGMA query_only = ON", "");
	if (sqlite3_db_readonly(db->sql, "main"))
		return err_set("%s: %s can only be read: change its permissions or use a copy",
			       what, db->path);
	return schema_upgrade(db, m, n);
}

static struct db *open_file(const char *path, enum db_mode mode, const struct migration *m, int n)
{
	struct db *db = calloc(1, sizeof(*db));

	if (!db)
		die("out of memory");
	db->path = copy(path);
	db->access = access_of(path, mode);
	db->mode = mode;
	db->hold = -1;
	int flags = SQLITE_OPEN_URI | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	char *uri = sql_uri(path, db->access);
	int rc = sqlite3_open_v2(uri, &db->sql, flags, NULL);

	free(uri);
	if (rc != SQLITE_OK) {
		if (!db->sql)
			die("out of memory");
		sql_error(db, what);
	} else if (set_up(db, m, n) == 0) {
		return db;
	}
	db_close(db);
	return NULL;
}

/* A new file is made under a name of its own and appears whole, with its tables: who reads at that
 * moment, as a compiler that looks for what others have measured, finds none or all of it. */
static int make_file(const char *path, const struct migration *m, int n)
{
	struct text made = { 0 };
	int rc = -1;

	text_printf(&made, "%s.%ld", path, (long)getpid());
	struct db *db = open_file(made.s, DB_WRITE, m, n);

	if (db) {
		db_close(db);
		rc = link(made.s, path) == 0 || errno == EEXIST
			     ? 0
			     : err_set("%s: cannot make %s: %s: use a local disk", what, path,
				       strerror(errno));
	}
	unlink(made.s);
	text_free(&made);
	return rc;
}

struct db *db_open_with(const char *path, enum db_mode mode, const struct migration *m, int n)
{
	if (check_path(path, mode) < 0)
		return NULL;
	if (mode == DB_WRITE && access(path, F_OK) < 0 && make_file(path, m, n) < 0)
		return NULL;
	struct db *db = open_file(path, mode, m, n);

	if (db && mode != DB_READ && set_wal(db) < 0) {
		db_close(db);
		return NULL;
	}
	return db;
}

struct db *db_open(const char *path, enum db_mode mode)
{
	return db_open_with(path, mode, db_migrations, db_migration_count);
}

void db_close(struct db *db)
{
	if (!db)
		return;
	hold_drop(db);
	if (sqlite3_close(db->sql) != SQLITE_OK)
		die("db: a statement was left open");
	free(db->path);
	free(db);
}

const char *db_path(const struct db *db)
{
	return db->path;
}

int64_t db_file_bytes(const struct db *db)
{
	int64_t wal = size_with(db->path, "-wal");

	return size_with(db->path, "") + (wal > 0 ? wal : 0);
}
