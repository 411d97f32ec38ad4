/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/packing/stored.h - buffers that take the place of others, in another order: for the pass packs. */
#ifndef HONE_SCHEDULE_PASS_PACKING_STORED_H
#define HONE_SCHEDULE_PASS_PACKING_STORED_H

#include "schedule/nest.h"

/* What stands for a buffer. */
struct stored_as {
	const struct buffer *from;
	struct buffer *to;
	const struct expr *only;	/* the index in TO of all loads of FROM; NULL: by FROM's order */
};

struct storing {
	struct arena *a;
	struct stored_as_vec VEC(struct stored_as) known;
};

/* A buffer like FROM, stored as that says; from now on it stands for FROM. */
struct buffer *store_in_order(struct storing *s, const struct buffer *from);
/* Puts what stands for a buffer in its place, all over LIST; in that of one allocated there with an order, too. */
void store_list(struct storing *s, struct nest *list);

/* Has argument I of P, a constant or what is computed of one, packed in the order in which it is read; S gets what
 * then stands for it in P's body. False, with the reason in WHY, where that cannot be. */
bool store_as_read(struct program *p, int i, struct storing *s, const char **why);

#endif
