/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/replay.c - a fuzzer's main where there is no libFuzzer: each file of its corpus, once.
 *
 *	tests/fuzz/replay_te [FILE...]
 *
 * An input that ends the process is named on stderr before. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 20 };

static int replay(const char *path)
{
	struct arena *a = arena_new();
	size_t size;
	char *data = file_read(a, path, INPUT_MAX, &size);

	if (!data) {
		fprintf(stderr, "%s\n", err_get());
	} else {
		fprintf(stderr, "%s\n", path);
		LLVMFuzzerTestOneInput((const uint8_t *)data, size);
	}
	arena_free(a);
	return data ? 0 : -1;
}

/* The corpus that belongs to the program replay_NAME: corpus/NAME beside the sources. */
static int replay_corpus(const char *program)
{
	const char *srcdir = getenv("srcdir"), *name = strstr(program, "replay_");
	struct arena *a = arena_new();
	char *folder = arena_printf(a, "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".",
				    name ? name + strlen("replay_") : program);
	DIR *d = opendir(folder);
	int n = 0, rc = 0;

	if (!d)
		fprintf(stderr, "%s: there is no such folder\n", folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.') {
			rc |= replay(arena_printf(a, "%s/%s", folder, e->d_name));
			n++;
		}
	if (d)
		closedir(d);
	printf("%d inputs\n", n);
	arena_free(a);
	return rc == 0 && n > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++)
		rc |= replay(argv[i]);
	return argc > 1 ? rc != 0 : replay_corpus(argv[0]);
}
