/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/pass.c - one pass over the records of a device: the trials of each task, what failed and
 * why, how steady the machine was, what measured them. */
#include "tools/report/data.h"

#include <stdlib.h>
#include <string.h>

/* --- by task */

/* Place of the task with this ID, which are in order; -1: not one of them. */
static int find_task(const struct report_pass *p, int64_t id)
{
	int lo = 0, hi = p->tasks.n;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (p->tasks.at[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->tasks.n && p->tasks.at[lo].id == id ? lo : -1;
}

static int by_id(const void *x, const void *y)
{
	const struct db_task *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

static bool is_asked(const struct report_query *q, const struct db_task *t)
{
	return !q->task || strncmp(t->key, q->task, strlen(q->task)) == 0 ||
	       strcmp(t->name, q->task) == 0;
}

static int list_tasks_asked(struct report_pass *p)
{
	struct db_task_vec all;

	if (db_tasks(p->data->look.db, p->data->arena, &all) < 0)
		return -1;
	for (int i = 0; i < all.n; i++)
		if (is_asked(p->data->asked, &all.at[i]))
			vec_push(p->data->arena, &p->tasks, all.at[i]);
	if (p->tasks.n)
		qsort(p->tasks.at, (size_t)p->tasks.n, sizeof(*p->tasks.at), by_id);
	return 0;
}

/* --- failures */

enum {
	MESSAGE_BYTES = 160,	/* of a first line, which names what was wrong */
	FAILURES_MOST = 40,	/* kinds; what comes later is "other" */
};

/* Bytes of the number that S begins with: 12, 1.5, 0x7f; 0: none. */
static size_t number_bytes(const char *s)
{
	static const char digits[] = "0123456789";

	if (s[0] == '0' && s[1] == 'x')
		return 2 + strspn(s + 2, "0123456789abcdefABCDEF");
	size_t n = strspn(s, digits);

	return n && s[n] == '.' ? n + 1 + strspn(s + n + 1, digits) : n;
}

/* The first line of MESSAGE, numbers as #: what differs in those alone is one kind. */
static const char *message_kind(struct arena *a, const char *message)
{
	char *out = arena_many(a, char, MESSAGE_BYTES + 1);

	for (int n = 0; *message && *message != '\n' && n < MESSAGE_BYTES; n++) {
		size_t number = number_bytes(message);

		out[n] = number ? '#' : *message;
		message += number ? number : 1;
	}
	return out;
}

static struct report_failure *failure_of(struct report_data *r, enum trial_status status,
					 const char *message)
{
	for (int i = 0; i < r->failures.n; i++)
		if (r->failures.at[i].status == status &&
		    strcmp(r->failures.at[i].message, message) == 0)
			return &r->failures.at[i];
	if (r->failures.n >= FAILURES_MOST && strcmp(message, "other") != 0)
		return failure_of(r, status, "other");
	vec_push(r->arena, &r->failures, (struct report_failure){ .status = status, .message = message });
	return &r->failures.at[r->failures.n - 1];
}

static void add_failure(struct report_data *r, const struct db_record *record)
{
	struct report_failure *f = failure_of(r, record->status,
					      message_kind(r->arena, record->message));

	f->trials++;
	if (!f->task)
		f->task = arena_strdup(r->arena, record->task_key);
}

static int by_trials(const void *x, const void *y)
{
	const struct report_failure *a = x, *b = y;

	if (a->trials != b->trials)
		return a->trials > b->trials ? -1 : 1;
	return a->status != b->status ? (a->status > b->status) - (a->status < b->status)
				      : strcmp(a->message, b->message);
}

/* --- what measured */

static void count_label(struct arena *a, struct report_count_vec *v, const char *label)
{
	for (int i = 0; i < v->n; i++)
		if (strcmp(v->at[i].label, label) == 0) {
			v->at[i].records++;
			return;
		}
	vec_push(a, v, (struct report_count){ arena_strdup(a, label), 1 });
}

static int take_record(void *ctx, const struct db_record *record)
{
	struct report_pass *p = ctx;
	struct report_data *r = p->data;
	int i = find_task(p, record->task);

	if (i < 0 || (r->campaign.id && record->campaign != r->campaign.id))
		return 0;
	struct noise_sample noise = noise_of(p->scratch, record);

	arena_reset(p->scratch);
	count_label(r->arena, &r->toolchains, record->toolchain_text);
	count_label(r->arena, &r->versions, record->hone ? record->hone : "not known");
	if (record->status == TRIAL_OK)
		vec_push(r->arena, &p->noise, noise);
	if (record->final)
		return 0;
	trial_table_add(r->arena, &p->tables[i], record);
	if (record->status != TRIAL_OK && record->status != TRIAL_LOST_RACE)
		add_failure(r, record);
	return 0;
}

int report_pass_read(struct report_pass *p, struct report_data *r)
{
	struct db_want want = query_want(&r->look);

	*p = (struct report_pass){ .data = r };
	if (list_tasks_asked(p) < 0)
		return -1;
	p->tables = arena_many(r->arena, struct trial_table, p->tasks.n ? p->tasks.n : 1);
	p->scratch = arena_new();
	int rc = db_each(r->look.db, &want, take_record, p);

	arena_free(p->scratch);
	if (rc < 0)
		return -1;
	for (int i = 0; i < p->tasks.n; i++)
		trial_table_end(&p->tables[i]);
	if (r->failures.n)
		qsort(r->failures.at, (size_t)r->failures.n, sizeof(*r->failures.at), by_trials);
	return 0;
}
