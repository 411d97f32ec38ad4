/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/table.h - grids that a person or an earlier run decided on, as a file.
 *
 *	{"tensors": {"NAME": {"type": "u8", "scale": 0.0078, "zero_point": 128}, "OTHER": "float"},
 *	 "nodes": {"LABEL": "float"}}
 *
 * A tensor is the data of all nodes that read it; a node is its own data alone, and goes before the
 * tensor. A tensor without a name is %NUMBER, its value in main behind the pass `scales`. */
#ifndef HONE_GRAPH_QUANTIZE_TABLE_H
#define HONE_GRAPH_QUANTIZE_TABLE_H

#include "graph/quantize/quantize.h"

struct quant_entry {
	const char *name;
	bool node;			/* else a tensor */
	struct quant_grid grid;		/* scale 0: "float" */
};

struct quant_table {
	const char *path;
	struct {
		struct quant_entry *at;
		int n, cap;
	} entries;
};

/* NULL and a message that names the file and the entry. */
struct quant_table *quant_table_read(struct arena *a, const char *path);
/* Gives SITES of G what T says of them. -1 and a message where it names what is not there, or asks for
 * integers where there can be none. */
int quant_table_use(struct arena *a, const struct quant_table *t, const struct graph *g,
		    struct quant_site_vec *sites);
/* Writes what Q settled on: read again, it gives the same graph. -1 and a message. */
int quant_table_write(const char *path, const struct quant *q);

#endif
