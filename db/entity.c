/* SPDX-License-Identifier: Apache-2.0 */
/* db/entity.c - devices, toolchains and tasks: found by their identity, added where new. */
#include "db/sql.h"

#include "base/clock.h"

/* The id that FIND gives for KEY, 0 where it gives none. All three below look first: nearly always
 * it is there, and a look takes no lock. */
static int64_t id_of(struct db *db, const char *what, const char *find, const char *key)
{
	int64_t id = 0;
	int rc = sql_int(db, what, &id, find, "t", key);

	return rc < 0 ? -1 : id;
}

int64_t db_device(struct db *db, const char *fingerprint, const char *description)
{
	static const char what[] = "saving the device";
	static const char find[] = "SELECT id FROM devices WHERE fingerprint = ?";
	int64_t same = 0;

	if (sql_int(db, what, &same,
		    "SELECT id FROM devices WHERE fingerprint = ? AND description = ?", "tt",
		    fingerprint, description) < 0)
		return -1;
	if (same > 0)
		return same;
	if (sql_run(db, what,
		    "INSERT INTO devices (fingerprint, description, created)"
		    " VALUES (?, ?, ?) ON CONFLICT (fingerprint)"
		    " DO UPDATE SET description = excluded.description",
		    "tti", fingerprint, description, clock_wall()) < 0)
		return -1;
	return id_of(db, what, find, fingerprint);
}

int64_t db_toolchain(struct db *db, const char *text)
{
	static const char what[] = "saving the toolchain";
	static const char find[] = "SELECT id FROM toolchains WHERE text = ?";
	int64_t id = id_of(db, what, find, text);

	if (id != 0)
		return id;
	if (sql_run(db, what, "INSERT INTO toolchains (text) VALUES (?) ON CONFLICT DO NOTHING",
		    "t", text) < 0)
		return -1;
	return id_of(db, what, find, text);
}

int64_t db_task(struct db *db, const struct db_task *task)
{
	static const char what[] = "saving the task";
	static const char find[] = "SELECT id FROM tasks WHERE key = ?";
	int64_t id = id_of(db, what, find, task->key);

	if (id != 0)
		return id;
	if (sql_run(db, what,
		    "INSERT INTO tasks (key, name, text, flop) VALUES (?, ?, ?, ?)"
		    " ON CONFLICT (key) DO NOTHING",
		    "tttd", task->key, task->name, task->text, task->flop) < 0)
		return -1;
	return id_of(db, what, find, task->key);
}

int db_add_tasks(struct db *db, const struct db_task *tasks, int n, int64_t *ids)
{
	static const char what[] = "saving the tasks";
	static const char find[] = "SELECT id FROM tasks WHERE key = ?";
	bool all = true;
	int rc = 0;

	for (int i = 0; i < n; i++) {
		ids[i] = id_of(db, what, find, tasks[i].key);
		if (ids[i] < 0)
			return -1;
		all &= ids[i] > 0;
	}
	if (all)
		return 0;
	if (sql_begin(db, what) < 0)
		return -1;
	for (int i = 0; i < n && rc == 0; i++) {
		if (ids[i] == 0)
			ids[i] = db_task(db, &tasks[i]);
		rc = ids[i] < 0 ? -1 : 0;
	}
	return sql_end(db, what, rc);
}

int db_devices(struct db *db, struct arena *a, struct db_device_vec *out)
{
	static const char what[] = "reading the devices";
	sqlite3_stmt *stmt = sql_prepare(
		db, what, "SELECT id, fingerprint, description FROM devices ORDER BY id", "");
	int rc;

	*out = (struct db_device_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		vec_push(a, out, (struct db_device){
			.id = sqlite3_column_int64(stmt, 0),
			.fingerprint = sql_text(a, stmt, 1),
			.description = sql_text(a, stmt, 2),
		});
	return rc;
}

static struct db_task read_task(struct arena *a, sqlite3_stmt *stmt)
{
	return (struct db_task){
		.id = sqlite3_column_int64(stmt, 0),
		.key = sql_text(a, stmt, 1),
		.name = sql_text(a, stmt, 2),
		.text = sql_text(a, stmt, 3),
		.flop = sqlite3_column_double(stmt, 4),
	};
}

int db_tasks(struct db *db, struct arena *a, struct db_task_vec *out)
{
	static const char what[] = "reading the tasks";
	sqlite3_stmt *stmt = sql_prepare(
		db, what, "SELECT id, key, name, text, flop FROM tasks ORDER BY id", "");
	int rc;

	*out = (struct db_task_vec){ 0 };
	if (!stmt)
		return -1;
	while ((rc = sql_step(db, what, &stmt)) > 0)
		vec_push(a, out, read_task(a, stmt));
	return rc;
}

int db_find_task(struct db *db, struct arena *a, const char *key, struct db_task *out)
{
	static const char what[] = "reading a task";
	sqlite3_stmt *stmt = sql_prepare(
		db, what, "SELECT id, key, name, text, flop FROM tasks WHERE key = ?", "t", key);

	if (!stmt)
		return -1;
	int rc = sql_step(db, what, &stmt);

	if (rc > 0)
		*out = read_task(a, stmt);
	sqlite3_finalize(stmt);
	return rc;
}
