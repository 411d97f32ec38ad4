/* SPDX-License-Identifier: Apache-2.0 */
/* db/sql.c - statements, transactions, and sqlite's errors in words that say what to do. */
#include "db/sql.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/err.h"

static int io_error(struct db *db, const char *what, int e)
{

	if (e == ENOSPC || e == EDQUOT || e == EFBIG)
		return err_set("%s: no space left in %s (%s): free some or raise the limit, then "
			       "start again; all that was committed is kept",
			       what, db->path, strerror(e));
	return err_set("%s: cannot read or write %s: %s (%s): check its disk", what, db->path,
		       sqlite3_errmsg(db->sql), e ? strerror(e) : "no cause given");
}

int sql_error(struct db *db, const char *what)
{
	const char *path = db->path;
	const char *text = sqlite3_errmsg(db->sql);
	/* sqlite notes the cause for some calls only. */
	int e = sqlite3_system_errno(db->sql) ? sqlite3_system_errno(db->sql) : errno;

	switch (sqlite3_errcode(db->sql) & 0xff) {
	case SQLITE_NOTADB:
		return err_set("%s: %s is no database: give the path of one, or a new name", what,
			       path);
	case SQLITE_CORRUPT:
		return err_set("%s: %s is damaged (%s): restore a copy of it, or save what is left "
			       "with `sqlite3 %s .recover`",
			       what, path, text, path);
	case SQLITE_FULL:
		return err_set("%s: no space left for %s: free some on its disk, then start again; "
			       "all that was committed is kept",
			       what, path);
	case SQLITE_IOERR:
		return io_error(db, what, e);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set("%s: %s is locked by another process: wait for it to end, or use "
			       "another file and `hone db merge` later",
			       what, path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return err_set("%s: %s may not be written: check the permissions of the file and "
			       "of its folder",
			       what, path);
	case SQLITE_CANTOPEN:
		return err_set("%s: cannot open %s (%s): check the path and the permissions of its "
			       "folder",
			       what, path, e ? strerror(e) : text);
	}
	return err_set("%s: %s: %s: run `hone db check` on the file", what, path, text);
}

static int bind(sqlite3_stmt *stmt, const char *kinds, va_list ap)
{
	int rc = SQLITE_OK;

	for (int i = 1; kinds[i - 1] && rc == SQLITE_OK; i++) {
		const void *data;

		switch (kinds[i - 1]) {
		case 't':
			rc = sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1,
					       SQLITE_TRANSIENT);
			break;
		case 'i':
			rc = sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
			break;
		case 'd':
			rc = sqlite3_bind_double(stmt, i, va_arg(ap, double));
			break;
		case 'b':
			data = va_arg(ap, const void *);
			rc = sqlite3_bind_blob64(stmt, i, data, va_arg(ap, size_t),
						 SQLITE_TRANSIENT);
			break;
		default:
			die("sql: no kind '%c'", kinds[i - 1]);
		}
	}
	return rc;
}

static sqlite3_stmt *vprepare(struct db *db, const char *what, const char *sql, const char *kinds,
			      va_list ap)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db->sql, sql, -1, &stmt, NULL) != SQLITE_OK ||
	    bind(stmt, kinds, ap) != SQLITE_OK) {
		sql_error(db, what);
		sqlite3_finalize(stmt);
		return NULL;
	}
	return stmt;
}

sqlite3_stmt *sql_prepare(struct db *db, const char *what, const char *sql, const char *kinds, ...)
{
	va_list ap;

	va_start(ap, kinds);
	sqlite3_stmt *stmt = vprepare(db, what, sql, kinds, ap);

	va_end(ap);
	return stmt;
}

int sql_step(struct db *db, const char *what, sqlite3_stmt **stmt)
{
	errno = 0;
	int rc = sqlite3_step(*stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc != SQLITE_DONE)
		sql_error(db, what);
	sqlite3_finalize(*stmt);
	*stmt = NULL;
	return rc == SQLITE_DONE ? 0 : -1;
}

int sql_run(struct db *db, const char *what, const char *sql, const char *kinds, ...)
{
	va_list ap;
	int rc;

	va_start(ap, kinds);
	sqlite3_stmt *stmt = vprepare(db, what, sql, kinds, ap);

	va_end(ap);
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		;
	return rc;
}

int sql_int(struct db *db, const char *what, int64_t *out, const char *sql, const char *kinds, ...)
{
	va_list ap;

	va_start(ap, kinds);
	sqlite3_stmt *stmt = vprepare(db, what, sql, kinds, ap);

	va_end(ap);
	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0) {
		*out = sqlite3_column_int64(stmt, 0);
		sqlite3_finalize(stmt);
	}
	return rc;
}

char *sql_text(struct arena *a, sqlite3_stmt *stmt, int column)
{
	const unsigned char *s = sqlite3_column_text(stmt, column);

	return arena_strdup(a, s ? (const char *)s : "");
}

/* IMMEDIATE: a transaction that begins by reading could not wait for another writer later. */
int sql_begin(struct db *db, const char *what)
{
	assert(sqlite3_get_autocommit(db->sql));
	return sql_run(db, what, "BEGIN IMMEDIATE", "");
}

int sql_end(struct db *db, const char *what, int result)
{
	if (result >= 0 && sql_run(db, what, "COMMIT", "") == 0)
		return result;
	/* sqlite has rolled back by itself after some errors. */
	if (!sqlite3_get_autocommit(db->sql))
		sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int sql_shrink(struct db *db, const char *what)
{
	return sql_run(db, what, "VACUUM", "") < 0 ? -1 : sql_run(db, what, "PRAGMA wal_checkpoint(TRUNCATE)", "");
}
