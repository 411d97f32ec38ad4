/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/callable.c - the functions of a kernel, by name in a loaded object. */
#include "codegen/callable.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

/* Of a function's name: beyond what codegen/export.h gives. */
enum { NAME_BYTES = 256 };

const char *const callable_suffix[] = { "_phases", "_part", "_workspace_bytes", "_packed_bytes",
					"_pack", NULL };

int callable_find(struct callable *c, void *object, const char *name)
{
	void *const functions[] = { &c->phases, &c->part, &c->workspace_bytes, &c->packed_bytes,
				    &c->pack };

	for (int i = 0; callable_suffix[i]; i++) {
		char function[NAME_BYTES];

		snprintf(function, sizeof(function), "%s%s", name, callable_suffix[i]);
		void *found = dlsym(object, function);

		if (!found)
			return err_set("does not export %s, which a kernel does", function);
		/* ISO C has no cast from an object's address to a function's; POSIX wants one. */
		memcpy(functions[i], &found, sizeof(found));
	}
	return 0;
}
