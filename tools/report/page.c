/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/page.c - the page: its frame, and what it brings along to look and draw. */
#include "tools/report/page.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "tools/report/html.h"

static const char plot_style[] =
#include "tools/report/uplot_css.inc"
	;
static const char style[] =
#include "tools/report/page_css.inc"
	;
static const char plot_script[] =
#include "tools/report/uplot_js.inc"
	;
/* which is to be with each copy of the two */
static const char plot_licence[] =
#include "tools/report/uplot_licence.inc"
	;
static const char script[] =
#include "tools/report/page_js.inc"
	;

void write_plot(FILE *to, const char *kind, int x, const char *y, const char *axes)
{
	fprintf(to, "<div class=plot data-kind=%s data-x=%d data-y=\"%s\" data-log=\"%s\"></div>\n", kind,
		x, y, axes);
}

void write_task_link(FILE *to, const struct report_task *t)
{
	fprintf(to, "<a href=\"#task-%s\">", t->task->key);
	html_name(to, t->task->name);
	fputs("</a>", to);
}

/* A style or a script. */
static void open_element(FILE *to, const char *name, const struct report_data *r)
{
	if (r->asked->nonce)
		fprintf(to, "<%s nonce=\"%s\">\n", name, r->asked->nonce);
	else
		fprintf(to, "<%s>\n", name);
}

static void write_head(FILE *to, const struct report_data *r)
{
	fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
	      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=color-scheme content=\"light dark\">\n"
	      "<link rel=icon href=\"data:,\">\n<title>hone report: ", to);
	html_text(to, r->look.device->name);
	fputs("</title>\n", to);
	open_element(to, "style", r);
	fprintf(to, "%s%s</style>\n</head>\n<body>\n", plot_style, style);
	fputs("<header>\n<h1>hone report</h1>\n<p>", to);
	html_text(to, r->look.device->name);
	fputs(", device <code>", to);
	html_short(to, r->look.device->fingerprint);
	fputs("</code>", to);
	if (r->campaign.id)
		fprintf(to, ", campaign %jd", (intmax_t)r->campaign.id);
	fputs("</p>\n<nav><a href=\"#summary\">summary</a> <a href=\"#tasks\">tasks</a> "
	      "<a href=\"#roofline\">roofline</a> <a href=\"#search\">search</a> "
	      "<a href=\"#machine\">machine</a> <a href=\"#kernels\">kernels</a></nav>\n"
	      "</header>\n<main>\n", to);
}

static void write_end(FILE *to, const struct report_data *r)
{
	fputs("</main>\n", to);
	open_element(to, "script", r);
	fprintf(to, "/* uPlot\n%s*/\n%s</script>\n", plot_licence, plot_script);
	open_element(to, "script", r);
	fprintf(to, "%s</script>\n", script);
	if (r->asked->tail)
		fputs(r->asked->tail, to);
	fputs("</body>\n</html>\n", to);
}

static int write_page(FILE *to, const struct report_data *r)
{
	write_head(to, r);
	write_summary(to, r);
	write_tasks(to, r);
	write_roofline(to, r);
	write_search(to, r);
	write_machine(to, r);
	if (write_each_task(to, r) < 0)
		return -1;
	write_end(to, r);
	return fflush(to) || ferror(to) ? err_set("the report cannot be written: %s", strerror(errno)) : 0;
}

int report_write(FILE *to, struct db *db, const struct report_query *query)
{
	struct report_data r;
	int rc = report_data_read(&r, db, query) < 0 ? -1 : write_page(to, &r);

	report_data_free(&r);
	return rc;
}
