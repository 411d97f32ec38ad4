/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/options.c - one option behind the other. */
#include "partition/generators/vdla/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

enum { TRIALS_MOST = 1000000 };

static int read_trials(const char *text, int *out)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < 1 || n > TRIALS_MOST)
		return err_set("trials=%s: give a whole number from 1 to %d", text, TRIALS_MOST);
	*out = (int)n;
	return 0;
}

static int read_option(struct vdla_options *o, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return vdla_machine_load(&o->machine, word);
	*value++ = '\0';
	if (strcmp(word, "machine") == 0)
		return vdla_machine_load(&o->machine, value);
	if (strcmp(word, "trials") == 0)
		return read_trials(value, &o->trials);
	if (strcmp(word, "db") != 0)
		return err_set("there is no option '%s': give a machine's file, or machine=FILE, db=FILE, trials=N with commas between", word);
	if (strlen(value) >= sizeof(o->db))
		return err_set("db=%s: the path is too long", value);
	strcpy(o->db, value);
	return 0;
}

int vdla_options_parse(const char *text, struct vdla_options *out)
{
	struct arena *a = arena_new();
	char *rest = arena_strdup(a, text);
	int rc = 0;

	*out = (struct vdla_options){ .machine = vdla_machine_default };
	for (char *word; rc == 0 && (word = strtok_r(rest, ",", &rest));)
		rc = read_option(out, word);
	arena_free(a);
	if (rc < 0)
		return -1;
	return out->trials && !*out->db ? err_set("trials=%d: of which database? give db=FILE, too", out->trials) : 0;
}
