/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/strategy.c - the table of strategies. */
#include "search/strategies/strategy.h"

static const struct strategy *const strategies[] = {
#define X(name) &strategy_##name,
#include "search/strategies/strategies.def"
#undef X
};

const struct strategy *strategy_find(const char *name)
{
	for (size_t i = 0; i < sizeof(strategies) / sizeof(*strategies); i++)
		if (strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

const char *strategy_names(void)
{
	static const char names[] =
#define X(name) " " #name
#include "search/strategies/strategies.def"
#undef X
		;

	return names + 1;
}
