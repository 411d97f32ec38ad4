/* SPDX-License-Identifier: Apache-2.0 */
/* bench/peer.c - the list of peers. */
#include "bench/peer.h"

#include "base/err.h"
#include "base/text.h"

static const struct peer *const list[] = {
#define X(name) &peer_##name,
#include "bench/peers.def"
#undef X
	NULL,
};

const struct peer *const *peers(void)
{
	return list;
}

const struct peer *peer_find(const char *name)
{
	struct text names = { 0 };

	for (int i = 0; list[i]; i++)
		if (strcmp(list[i]->name, name) == 0)
			return list[i];
	for (int i = 0; list[i]; i++)
		text_printf(&names, "%s%s", i ? ", " : "", list[i]->name);
	err_set("there is no peer %s; there are %s", name, text_str(&names));
	text_free(&names);
	return NULL;
}
