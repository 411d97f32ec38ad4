/* SPDX-License-Identifier: Apache-2.0 */
/* tools/list.c - task lists (*.tasks): a line a task, `#` begins a comment.
 *
 *	matmul:m=512,n=512,k=512
 *	4 x conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1	# counts four times
 *	my_op.te					# beside the list */
#include "tools/list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "te/operator.h"

enum { LIST_MAX = 1 << 20, MAX_WEIGHT = 1000000 };

/* A bare name that is not here is that of a list that comes with hone. */
static const char *locate(struct arena *a, const char *path)
{
	if (strchr(path, '/') || access(path, F_OK) == 0)
		return path;
	const char *folder = program_folder(a);
	const char *built = arena_printf(a, "%s/bench/suites/%s", folder ? folder : ".", path);
	const char *installed = arena_printf(a, "%s/suites/%s", HONE_DATADIR, path);

	if (access(built, F_OK) == 0)
		return built;
	return access(installed, F_OK) == 0 ? installed : path;
}

/* LINE without its comment and the blanks around it; it is cut. */
static char *trim(char *line)
{
	line[strcspn(line, "#")] = '\0';
	line += strspn(line, " \t\r");
	size_t n = strlen(line);

	while (n > 0 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	return line;
}

/* Takes "N x " off the front of a line: N, 1 where it is not there, -1 and a message where N is no
 * weight. */
static long take_weight(char **line)
{
	char *end;
	long weight = strtol(*line, &end, 10);

	if (end == *line || strncmp(end, " x ", 3) != 0)
		return 1;
	if (weight < 1 || weight > MAX_WEIGHT)
		return err_set("the weight '%.*s' is not in 1..%d", (int)(end - *line), *line,
			       MAX_WEIGHT);
	*line = end + 3 + strspn(end + 3, " ");
	return weight;
}

/* Equal tasks are one that counts more often, as in models. */
static void add(struct arena *a, struct task_vec *tasks, struct task *t)
{
	for (int i = 0; i < tasks->n; i++)
		if (strcmp(tasks->at[i]->key, t->key) == 0) {
			tasks->at[i]->weight += t->weight;
			return;
		}
	vec_push(a, tasks, t);
}

static int add_line(struct arena *a, const char *path, char *line, struct task_vec *tasks)
{
	long weight = take_weight(&line);
	const char *slash = strrchr(path, '/');
	size_t n = strlen(line);
	const char *source = line;

	if (weight < 0)
		return -1;
	if (slash && *line != '/' && n > 3 && strcmp(line + n - 3, ".te") == 0)
		source = arena_printf(a, "%.*s%s", (int)(slash + 1 - path), path, line);
	const struct dag *dag = source_dag(a, source);

	if (!dag)
		return -1;
	add(a, tasks, task_new(a, dag, source, (double)weight));
	return 0;
}

int list_tasks(struct arena *a, const char *name, struct task_vec *out)
{
	const char *path = locate(a, name);
	size_t size;
	char *text = file_read(a, path, LIST_MAX, &size);

	if (!text)
		return -1;
	if (strlen(text) != size)
		return err_set("%s: holds a zero byte, so it is no text", path);
	for (int number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");
		char *next = text + length + (text[length] == '\n');

		text[length] = '\0';
		char *line = trim(text);

		if (*line && add_line(a, path, line, out) < 0)
			return err_prefix("%s:%d", path, number);
		text = next;
	}
	return out->n ? 0 : err_set("%s: lists no task", path);
}
