/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/component.h - what evolution consists of, to be taken away in turn. */
#ifndef HONE_SEARCH_STRATEGIES_COMPONENT_H
#define HONE_SEARCH_STRATEGIES_COMPONENT_H

enum component {
#define X(id, name, meaning) COMPONENT_##id,
#include "search/strategies/component.def"
#undef X
	COMPONENTS
};

#endif
