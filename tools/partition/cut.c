/* SPDX-License-Identifier: Apache-2.0 */
/* tools/partition/cut.c - calls, their shares, and why not more of them. */
#include "tools/partition/cut.h"

#include <stdio.h>

#include "graph/ir/op.h"
#include "tools/json.h"

static const char *who(const struct cut_report *r, int backend)
{
	return backend == REGION_HOST ? "hone" : r->backends[backend].generator->name;
}

static const struct binding *call_at(const struct cut_report *r, const struct offload_call *c)
{
	return function_at(r->from->functions.at[c->function], c->value);
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* --- text */

const char *demand_reason(struct demand d)
{
	return d.kind == DEMAND_KEEP ? "the user keeps it" : d.kind == DEMAND_OFFLOAD ? "the user sends it there" : NULL;
}

void cut_print_calls(const struct cut_report *r, bool left)
{
	printf("%-8s %6s %-12s %-10s %8s  %s\n", "by", "region", "operator", "pattern", "MACs",
	       "result, node, why");
	for (int i = 0; i < r->cut->calls.n; i++) {
		const struct offload_call *c = &r->cut->calls.at[i];
		const struct binding *b = call_at(r, c);

		if (left && c->backend != REGION_HOST)
			continue;
		const char *why = c->why ? c->why : demand_reason(b->origin->demand);

		printf("%-8s %6s %-12s %-10s %7.2f%%  %s %s%s%s\n", who(r, c->backend),
		       c->region < 0 ? "-" : arena_printf(r->arena, "%d", c->region), b->op->name,
		       c->pattern ? c->pattern : "-", percent(r->macs[i], r->all_macs),
		       type_string(r->arena, b->type), b->origin->label, why ? ": " : "", why ? why : "");
	}
}

void cut_print_shares(const struct cut_report *r)
{
	for (int b = REGION_HOST; b < r->n; b++) {
		struct cut_share s = cut_share_of(r, b);

		printf("%s: %d of %d nodes (%.1f%%), %.1f%% of the multiply-adds", who(r, b), s.nodes,
		       r->cut->calls.n, percent(s.nodes, r->cut->calls.n), percent(s.macs, r->all_macs));
		if (b == REGION_HOST)
			printf("\n");
		else
			printf(", in %d region%s (%s)\n", s.regions, s.regions == 1 ? "" : "s",
			       r->backends[b].version);
	}
}

/* --- JSON */

json_t *demand_json(struct demand d)
{
	static const char *const words[] = { NULL, "keep", "offload" };

	return json_label(words[d.kind]);
}

static json_t *call_json(const struct cut_report *r, int call)
{
	const struct offload_call *c = &r->cut->calls.at[call];
	const struct binding *b = call_at(r, c);

	return json_pack("{s:s, s:o, s:s, s:o, s:f, s:s, s:o, s:o, s:o}", "by", who(r, c->backend), "region",
			 c->region < 0 ? json_null() : json_integer(c->region), "op", b->op->name,
			 "pattern", json_label(c->pattern), "macs", r->macs[call], "result",
			 type_string(r->arena, b->type), "node", json_label(b->origin->label), "reason",
			 json_label(c->why), "demand", demand_json(b->origin->demand));
}

static json_t *share_json(const struct cut_report *r, int backend)
{
	struct cut_share s = cut_share_of(r, backend);

	return json_pack("{s:s, s:o, s:i, s:i, s:f}", "by", who(r, backend), "version",
			 json_label(backend == REGION_HOST ? NULL : r->backends[backend].version), "nodes",
			 s.nodes, "regions", s.regions, "macs", s.macs);
}

json_t *cut_json(const struct cut_report *r)
{
	json_t *calls = json_array(), *shares = json_array();

	for (int i = 0; i < r->cut->calls.n; i++)
		json_array_append_new(calls, call_json(r, i));
	for (int b = REGION_HOST; b < r->n; b++)
		json_array_append_new(shares, share_json(r, b));
	return json_pack("{s:o, s:o}", "shares", shares, "nodes", calls);
}
