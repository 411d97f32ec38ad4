/* SPDX-License-Identifier: Apache-2.0 */
/* bench/search/ablation.h - evolution with a part of it taken away. */
#ifndef HONE_BENCH_SEARCH_ABLATION_H
#define HONE_BENCH_SEARCH_ABLATION_H

#include "search/strategies/strategy.h"

/* The prior and the learned model, each taken away, then each component; ends in NULL. Names begin with "-". */
extern const struct strategy *const ablations[];

#endif
