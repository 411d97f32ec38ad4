/* SPDX-License-Identifier: Apache-2.0 */
/* search/log/field.h - the fields of a line of a log, from one table, for who writes and who reads it. */
#ifndef HONE_SEARCH_LOG_FIELD_H
#define HONE_SEARCH_LOG_FIELD_H

#include <jansson.h>

#include "db/import.h"

enum log_kind {
	LOG_TEXT,
	LOG_TEXT_OR_NULL,
	LOG_COUNT,	/* an int */
	LOG_INTEGER,	/* an int64_t */
	LOG_SIGNED,	/* one that may be below 0 */
	LOG_NUMBER,
	LOG_TIME,	/* a double that is null in JSON where it is 0 */
	LOG_FLAG,
	LOG_STATUS,
	LOG_SAMPLES,	/* of a struct db_record */
	LOG_OBJECT,	/* a text that is a JSON object */
};

/* What a line says. */
struct log_line {
	struct db_import of;
	const char *target;	/* name; NULL: not known */
	const char *steps_hash;
};

/* A new object with all that LINE says. */
json_t *log_line_json(const struct log_line *line);
/* What JSON says, in A. NULL, or which field is missing or of another kind, in A. */
const char *log_line_parse(struct arena *a, const json_t *json, struct log_line *out);

#endif
