/* SPDX-License-Identifier: Apache-2.0 */
/* tools/json.h - what the JSON of all commands has in common: docs/json.md describes it. */
#ifndef HONE_TOOLS_JSON_H
#define HONE_TOOLS_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Each gives a new reference. */

/* A name; it may hold any bytes, which JSON may not. Null where S is NULL. */
json_t *json_label(const char *s);
/* A figure; null where it is not known: not finite. */
json_t *json_figure(double v);
/* The same of a time or a rate, which is not known where it is 0. */
json_t *json_positive(double v);
/* A count or a moment; null where it is 0 for not known. */
json_t *json_count(int64_t n);

/* Print JSON on standard output, with a line end, and take the reference: over several lines, or
 * on one. Return 0: what could not be written shows when the command ends. */
int json_print(json_t *json);
int json_print_line(json_t *json);
/* What that prints, without the line end, of malloc(); takes the reference. NULL where there is no memory. */
char *json_line(json_t *json);

#endif
