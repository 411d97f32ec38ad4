/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/kernel.c - what hone show prints of a record, in a page. */
#include "tools/report/kernel.h"

#include "measure/device/simulated.h"
#include "schedule/text/nest_text.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"
#include "tools/record/assembly.h"
#include "tools/report/html.h"

struct kernel_texts {
	const char *steps, *nest;
	const char *c;		/* NULL: of a simulated device */
	const char *assembly;	/* or its instructions; NULL where it was not asked for */
};

static const char *take(struct arena *a, struct text *t)
{
	const char *s = arena_strdup(a, text_str(t));

	text_free(t);
	return s;
}

static int read_texts(struct arena *a, const struct report_data *r, const struct best *b,
		      struct kernel_texts *out)
{
	struct text steps = { 0 }, nest = { 0 };

	state_print(&steps, b->state);
	program_print(&nest, b->program);
	bool simulated = device_is_simulated(r->look.device);

	*out = (struct kernel_texts){ .steps = take(a, &steps), .nest = take(a, &nest), .c = simulated ? NULL : b->source };
	if (!r->asked->assembly)
		return 0;
	out->assembly = assembly_of(a, r->look.device, r->asked->cc, b->source);
	return out->assembly ? 0 : -1;
}

static void write_text(FILE *to, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(to, "<details><summary>%s</summary><pre>", name);
	html_text(to, text);
	fputs("</pre></details>\n", to);
}

static void write_measured(FILE *to, const struct db_record *r)
{
	bool in_model = strcmp(r->cache, cache_state_name(CACHE_MODEL)) == 0;

	fprintf(to, "the %s of %d samples", in_model ? "median" : "least", r->n_samples);
	if (r->final && r->others >= 0)
		fprintf(to, ", in turn with %d other%s", r->others, r->others == 1 ? "" : "s");
	fprintf(to, ", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
}

/* What the figure rests on. */
static void write_record(FILE *to, struct arena *a, const struct device *d, const struct best *b)
{
	const struct db_record *r = &b->record;

	fprintf(to, "<p>Record %jd, of ", (intmax_t)r->id);
	print_moment(to, r->created);
	fputs(" UTC: ", to);
	if (device_is_simulated(d))
		fprintf(to, "cycles that a simulator counted, %s", report_turns_name(a, r->threads));
	else
		write_measured(to, r);
	fputs("; hone ", to);
	html_text(to, r->hone ? r->hone : "of old");
	fputs("; ", to);
	html_text(to, r->toolchain_text);
	fputs(".", to);
	if (b->state->amplification > 0)
		fprintf(to, " It is derived: roundings are at most %.3g times those of sums as written.",
			b->state->amplification);
	fputs("</p>\n", to);
}

static size_t length(const char *s)
{
	return s ? html_text_bytes(s) : 0;
}

static int write_texts(FILE *to, struct arena *a, const struct report_data *r, const struct report_task *t,
		       size_t *room)
{
	struct kernel_texts texts;

	if (read_texts(a, r, &t->row.best, &texts) < 0)
		return -1;
	size_t bytes = length(texts.steps) + length(texts.nest) + length(texts.c) + length(texts.assembly);

	fputs("<h4>The best kernel</h4>\n", to);
	write_record(to, a, r->look.device, &t->row.best);
	if (bytes > *room) {
		fputs("<p>Its text is not here, since those of tasks that take longer fill the page: "
		      "<code>hone show</code> prints it, and so does a report with <code>--task</code>.</p>\n", to);
		return 0;
	}
	*room -= bytes;
	write_text(to, "Operator", t->task->text);
	write_text(to, "Steps", texts.steps);
	write_text(to, "Loop nest", texts.nest);
	write_text(to, "C", texts.c);
	write_text(to, texts.c ? "Assembly" : "Instructions", texts.assembly);
	return 0;
}

int kernel_write(FILE *to, const struct report_data *r, const struct report_task *t, size_t *room)
{
	if (!t->row.found) {
		fputs("<p>No kernel was found yet.</p>\n", to);
		return 0;
	}
	struct arena *a = arena_new();
	int rc = write_texts(to, a, r, t, room);

	arena_free(a);
	return rc;
}
