#include "tools/source.h"
#include "te/text.h"
#include "base/file.h"
int source_tasks(struct arena *a, const char *source, struct task_vec *out)
{
	char *t = file_read(a, source, 1<<20, NULL);
	const struct dag *dag = t ? dag_parse(a, source, t) : NULL;
	if (!dag) return -1;
	vec_push(a, out, task_new(a, dag, source, 1));
	return 0;
}
