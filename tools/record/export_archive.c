/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_archive.c - a folder with all that belongs together, packed. */
#include "tools/record/export_archive.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/export.h"
#include "graph/model.h"
#include "runtime/library/library.h"
#include "runtime/open.h"
#include "search/log/log.h"
#include "tools/command.h"
#include "tools/record/archive.h"

/* --- the log */

int64_t export_log(const struct query *q, int top, const char *path)
{
	const char **keys = q->source ? arena_many(q->arena, const char *, q->tasks.n + 1) : NULL;
	struct log_want want = { .keys = keys, .n = q->source ? q->tasks.n : 0, .threads = q->threads,
				 .target = q->target ? device_mark(q->device) : NULL, .exact = q->exact, .top = top };
	struct text lines = { 0 };

	for (int i = 0; i < want.n; i++)
		keys[i] = q->tasks.at[i]->key;
	int64_t n = log_write(&lines, q->db, &want);

	if (n == 0)
		n = err_set("%s: has no record of %s; run hone tune", q->db_path, q->source ? q->source : "anything");
	if (n > 0 && file_write(path, lines.s, lines.n) < 0)
		n = -1;
	text_free(&lines);
	return n;
}

/* --- a model */

int export_library(const struct query *q, const char *folder)
{
	struct arena *a = q->arena;
	const struct open_options how = { .model = q->source, .db = q->db_path, .target = q->target,
					  .threads = q->threads, .exact = q->exact,
					  .listener = { command_hear, NULL } };
	const struct onnx_options as_is = { .ndims = 0 };
	struct library_check check;
	struct opened model;
	struct graph *plain = model_read(a, q->source, &as_is);

	if (!plain || open_model(a, &how, &model) < 0 ||
	    library_check_make(a, plain, model.code, &check) < 0)
		return -1;
	return library_write(&(struct library_order){ model.code, folder, library_name(a, q->source), q->source,
						      &check, q->threads });
}

/* --- operators */

int export_makefile(const struct query *q, const char *folder)
{
	struct arena *a = q->arena;
	const char *text = arena_printf(
		a,
		"# Makefile - libhone_kernels.a of the kernels in " ARCHIVE_KERNELS "/, which hone_kernels.h there declares.\n"
		"# FLAGS are those that they were verified with.\n"
		"FLAGS = %s\n"
		"KERNELS = $(patsubst %%.c,%%.o,$(wildcard " ARCHIVE_KERNELS "/*.c))\n\n"
		"libhone_kernels.a: $(KERNELS)\n\trm -f $@\n\t$(AR) rcs $@ $(KERNELS)\n\n"
		"%%.o: %%.c\n\t$(CC) $(FLAGS) -fPIC -c -o $@ $<\n\n"
		"clean:\n\trm -f $(KERNELS) libhone_kernels.a\n\n.PHONY: clean\n",
		export_flags(a, q->device->target));

	return file_write(arena_printf(a, "%s/Makefile", folder), text, strlen(text));
}

/* --- the archive */

/* Its only folder: the name of the file without what says that it is an archive. */
static const char *root_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(a, slash ? slash + 1 : path);
	char *end = strstr(name, text_ends_with(name, ".tgz") ? ".tgz" : ".tar.");

	if (end)
		*end = '\0';
	return *name && strcmp(name, "..") != 0 ? name : "hone";
}

static int put_manifest(struct arena *a, json_t *manifest, const char *folder)
{
	json_t *files = archive_files(a, folder);

	if (!files)
		return -1;
	json_object_set_new(manifest, "files", files);
	char *text = json_dumps(manifest, JSON_INDENT(2) | JSON_REAL_PRECISION(10));

	if (!text)
		die("out of memory");
	const char *lines = arena_printf(a, "%s\n", text);

	free(text);
	return file_write(arena_printf(a, "%s/" ARCHIVE_MANIFEST, folder), lines, strlen(lines));
}

int export_pack(const struct query *q, int top, json_t *manifest, const char *folder, const char *path)
{
	struct arena *a = q->arena;

	if (export_log(q, top, arena_printf(a, "%s/" ARCHIVE_RECORDS, folder)) < 0 ||
	    put_manifest(a, manifest, folder) < 0)
		return -1;
	return archive_write(path, folder, root_of(a, path));
}
