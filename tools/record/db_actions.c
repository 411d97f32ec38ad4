/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/db_actions.c - what the actions of `hone db` do with a database that is open. */
#include "tools/record/db_actions.h"

#include <jansson.h>
#include <stdio.h>

#include "search/measurers/replayable.h"
#include "tools/command.h"
#include "tools/json.h"

int db_action_check(struct db *db, struct arena *a, const struct db_command_options *o)
{
	struct db_problem_vec problems;

	if (db_check(db, a, &problems) < 0 || replayable_check(db, a, &problems) < 0)
		return command_failed();
	if (o->json) {
		json_t *list = json_array();

		for (int i = 0; i < problems.n; i++)
			json_array_append_new(list, json_label(problems.at[i]));
		int rc = json_print(json_pack("{s:o, s:b, s:o}", "file", json_label(o->file), "ok",
					      problems.n == 0, "problems", list));

		return problems.n ? EXIT_FAILED : rc;
	}
	for (int i = 0; i < problems.n; i++)
		printf("%s: %s\n", o->file, problems.at[i]);
	if (!problems.n)
		printf("%s: sound (schema %d)\n", o->file, db_version());
	return problems.n ? EXIT_FAILED : EXIT_OK;
}

static json_t *task_json(const struct db_task_stats *t)
{
	json_t *trials = json_object();

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		json_object_set_new(trials, trial_status_name((enum trial_status)i),
				    json_integer(t->trials[i]));
	return json_pack("{s:s, s:o, s:f, s:I, s:o, s:o, s:b, s:b}", "task", t->task.key,
			 "name", json_label(t->task.name), "flop", t->task.flop, "trials", (json_int_t)t->n_trials,
			 "by_status", trials, "best_us",
			 json_positive(t->best_us), "confirmed", t->confirmed, "estimate",
			 t->estimate);
}

static int print_stats_json(const struct db_stats *s, const struct db_command_options *o)
{
	json_t *campaigns = json_object(), *tasks = json_array();

	for (int i = 0; i < CAMPAIGN_STATE_COUNT; i++)
		json_object_set_new(campaigns, campaign_state_name((enum campaign_state)i),
				    json_integer(s->campaigns[i]));
	for (int i = 0; i < s->n_tasks; i++)
		json_array_append_new(tasks, task_json(&s->tasks[i]));
	return json_print(json_pack(
		"{s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "file", json_label(o->file),
		"schema", db_version(), "bytes", (json_int_t)s->bytes, "devices",
		(json_int_t)s->devices, "toolchains", (json_int_t)s->toolchains, "records",
		(json_int_t)s->records, "rounds", (json_int_t)s->rounds, "campaigns", campaigns, "tasks", tasks));
}

int db_action_stats(struct db *db, struct arena *a, const struct db_command_options *o)
{
	struct db_stats s;

	if (db_stats(db, a, &s) < 0)
		return command_failed();
	if (o->json)
		return print_stats_json(&s, o);
	printf("%s: %.1f KiB, %lld records of %d tasks, %lld devices, %lld toolchains\n",
	       o->file, (double)s.bytes / 1024, (long long)s.records, s.n_tasks,
	       (long long)s.devices, (long long)s.toolchains);
	printf("campaigns:");
	for (int i = 0; i < CAMPAIGN_STATE_COUNT; i++)
		printf(" %lld %s%s", (long long)s.campaigns[i],
		       campaign_state_name((enum campaign_state)i),
		       i + 1 < CAMPAIGN_STATE_COUNT ? "," : "\n");
	if (s.n_tasks)
		printf("\n%-32s  %7s %7s %7s %9s %10s  %s\n", "key", "trials", "ok", "failed",
		       "best us", "GFLOP/s", "name");
	for (int i = 0; i < s.n_tasks; i++) {
		const struct db_task_stats *t = &s.tasks[i];
		int64_t good = t->trials[TRIAL_OK] + t->trials[TRIAL_LOST_RACE];

		printf("%-32s  %7lld %7lld %7lld ", t->task.key, (long long)t->n_trials,
		       (long long)t->trials[TRIAL_OK], (long long)(t->n_trials - good));
		if (t->best_us > 0)
			printf("%9.1f %10.1f", t->best_us, t->task.flop / t->best_us / 1e3);
		else
			printf("%9s %10s", "-", "-");
		const char *caveat = db_task_caveat(t);

		printf("  %s%s%s\n", t->task.name, *caveat ? ", " : "", caveat);
	}
	return EXIT_OK;
}

static json_t *merged_json(const char *from, const struct db_merged *m)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "from", json_label(from),
			 "records", (json_int_t)m->records, "duplicates",
			 (json_int_t)m->duplicates, "tasks", (json_int_t)m->tasks, "campaigns",
			 (json_int_t)m->campaigns, "rounds", (json_int_t)m->rounds, "devices", (json_int_t)m->devices, "toolchains",
			 (json_int_t)m->toolchains);
}

int db_action_merge(struct db *db, struct arena *a, const struct db_command_options *o)
{
	json_t *list = json_array();

	(void)a;
	for (int i = 0; i < o->n_from; i++) {
		struct db_merged m;

		if (db_merge(db, o->from[i], &m) < 0) {
			json_decref(list);
			return command_failed();
		}
		json_array_append_new(list, merged_json(o->from[i], &m));
		if (!o->json)
			printf("%s: %lld records added (%lld were there), %lld tasks, %lld "
			       "campaigns, %lld devices, %lld toolchains\n",
			       o->from[i], (long long)m.records, (long long)m.duplicates,
			       (long long)m.tasks, (long long)m.campaigns,
			       (long long)m.devices, (long long)m.toolchains);
	}
	if (o->json)
		return json_print(list);
	json_decref(list);
	return EXIT_OK;
}

int db_action_prune(struct db *db, struct arena *a, const struct db_command_options *o)
{
	struct db_pruned p;

	(void)a;
	if (db_prune(db, &o->prune, &p) < 0)
		return command_failed();
	if (o->json)
		return json_print(json_pack("{s:I, s:I, s:I, s:I, s:I}", "removed_ok",
					    (json_int_t)p.ok, "removed_failed",
					    (json_int_t)p.failed, "removed_rounds",
					    (json_int_t)p.rounds, "bytes_before",
					    (json_int_t)p.bytes_before, "bytes_after",
					    (json_int_t)p.bytes_after));
	printf("%s: removed %lld ok and %lld failed records; %.1f KiB before, %.1f KiB now\n",
	       o->file, (long long)p.ok, (long long)p.failed,
	       (double)p.bytes_before / 1024, (double)p.bytes_after / 1024);
	return EXIT_OK;
}

/* Opening for writing has done it. */
int db_action_upgrade(struct db *db, struct arena *a, const struct db_command_options *o)
{
	(void)db;
	(void)a;
	if (o->json)
		return json_print(json_pack("{s:i}", "schema", db_version()));
	printf("%s: schema %d\n", o->file, db_version());
	return EXIT_OK;
}
