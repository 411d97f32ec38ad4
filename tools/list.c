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

/* 75,000 lines of operators with all their parameters have some megabytes. */
enum { LIST_MAX = 64 << 20, MAX_WEIGHT = 1000000 };

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

/* Where a key is among the tasks: slots of a hash table, at least twice as many as tasks. */
struct places {
	int *at;	/* -1: free */
	int slots;	/* a power of two */
};

static int *find(const struct places *p, const struct task_vec *tasks, const char *key)
{
	unsigned slot = (unsigned)hash_bytes(key, strlen(key)).lo;

	for (;; slot++) {
		int *place = &p->at[slot & (unsigned)(p->slots - 1)];

		if (*place < 0 || strcmp(tasks->at[*place]->key, key) == 0)
			return place;
	}
}

static void grow(struct arena *a, struct places *p, const struct task_vec *tasks)
{
	p->slots = p->slots ? 4 * p->slots : 64;
	p->at = arena_many(a, int, p->slots);
	for (int i = 0; i < p->slots; i++)
		p->at[i] = -1;
	for (int i = 0; i < tasks->n; i++)
		*find(p, tasks, tasks->at[i]->key) = i;
}

/* Equal tasks are one that counts more often, as in models. */
static void add(struct arena *a, struct places *p, struct task_vec *tasks, struct task *t)
{
	if (2 * tasks->n >= p->slots)
		grow(a, p, tasks);
	int *place = find(p, tasks, t->key);

	if (*place >= 0) {
		tasks->at[*place]->weight += t->weight;
		return;
	}
	*place = tasks->n;
	vec_push(a, tasks, t);
}

static int add_line(struct arena *a, const char *path, char *line, struct places *places,
		    struct task_vec *tasks)
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
	add(a, places, tasks, task_new(a, dag, source, (double)weight));
	return 0;
}

int list_parse(struct arena *a, const char *path, char *text, struct task_vec *out)
{
	struct places places = { 0 };

	for (int number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");
		char *next = text + length + (text[length] == '\n');

		text[length] = '\0';
		char *line = trim(text);

		if (*line && add_line(a, path, line, &places, out) < 0)
			return err_prefix("%s:%d", path, number);
		text = next;
	}
	return out->n ? 0 : err_set("%s: lists no task", path);
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
	return list_parse(a, path, text, out);
}
