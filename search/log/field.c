/* SPDX-License-Identifier: Apache-2.0 */
/* search/log/field.c - a field to and from JSON, by its kind. */
#include "search/log/field.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "search/log/log.h"

static const struct log_field {
	enum log_kind kind;
	const char *key;
	size_t at;	/* of its member in a struct log_line */
} fields[] = {
#define X(kind, key, member, meaning) { LOG_##kind, key, offsetof(struct log_line, member) },
#include "search/log/field.def"
#undef X
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

/* --- writing */

/* A message or a name may hold any bytes, which JSON may not. */
static json_t *text_json(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_string("(not UTF-8)");
}

static json_t *samples_json(const struct db_record *r)
{
	json_t *all = json_array();

	for (int i = 0; i < r->n_samples; i++)
		json_array_append_new(all, json_real(r->samples[i]));
	return all;
}

static json_t *object_json(const char *text)
{
	json_t *j = text ? json_loads(text, 0, NULL) : NULL;

	if (json_is_object(j))
		return j;
	json_decref(j);
	return json_object();
}

static json_t *field_json(enum log_kind kind, const void *at)
{
	const char *text = kind <= LOG_TEXT_OR_NULL || kind == LOG_OBJECT ? *(const char *const *)at : NULL;
	double number = kind == LOG_NUMBER || kind == LOG_TIME ? *(const double *)at : 0;

	switch (kind) {
	case LOG_TEXT:
	case LOG_TEXT_OR_NULL:
		return text ? text_json(text) : json_null();
	case LOG_COUNT:
		return json_integer(*(const int *)at);
	case LOG_INTEGER:
	case LOG_SIGNED:
		return json_integer(*(const int64_t *)at);
	case LOG_NUMBER:
		return json_real(isfinite(number) ? number : 0);
	case LOG_TIME:
		return number > 0 && isfinite(number) ? json_real(number) : json_null();
	case LOG_FLAG:
		return json_boolean(*(const bool *)at);
	case LOG_STATUS:
		return json_string(trial_status_name(*(const enum trial_status *)at));
	case LOG_SAMPLES:
		return samples_json(at);
	case LOG_OBJECT:
		return object_json(text);
	}
	die("a field of a log has no kind");
}

json_t *log_line_json(const struct log_line *line)
{
	json_t *json = json_object();

	json_object_set_new(json, LOG_VERSION_KEY, json_integer(LOG_VERSION));
	for (int i = 0; i < N_FIELDS; i++)
		if (json_object_set_new(json, fields[i].key, field_json(fields[i].kind,
									(const char *)line + fields[i].at)) < 0)
			die("out of memory");
	return json;
}

/* --- reading: false where the value is of another kind */

static bool parse_samples(struct arena *a, const json_t *value, struct db_record *r)
{
	size_t n = json_array_size(value);

	if (!json_is_array(value) || n > INT_MAX)
		return false;
	double *samples = arena_many(a, double, n);

	for (size_t i = 0; i < n; i++) {
		if (!json_is_number(json_array_get(value, i)))
			return false;
		samples[i] = json_number_value(json_array_get(value, i));
	}
	r->samples = n ? samples : NULL;
	r->n_samples = (int)n;
	return true;
}

static bool parse_text(struct arena *a, const json_t *value, const char **out)
{
	if (json_is_string(value))
		*out = arena_strdup(a, json_string_value(value));
	return json_is_string(value);
}

static bool parse_object(struct arena *a, const json_t *value, const char **out)
{
	char *text = json_is_object(value) ? json_dumps(value, LOG_JSON) : NULL;

	if (text)
		*out = arena_strdup(a, text);
	free(text);
	return text;
}

static bool parse_integer(const json_t *value, int64_t least, int64_t most, int64_t *out)
{
	int64_t v = json_integer_value(value);

	*out = v;
	return json_is_integer(value) && v >= least && v <= most;
}

static bool parse_number(const json_t *value, double *out)
{
	*out = json_number_value(value);
	return json_is_number(value) && isfinite(*out) && *out >= 0;
}

static bool parse_status(const json_t *value, enum trial_status *out)
{
	return json_is_string(value) && trial_status_parse(json_string_value(value), out) &&
	       *out >= TRIAL_STORED_FIRST;
}

static bool parse_field(struct arena *a, enum log_kind kind, const json_t *value, void *to)
{
	int64_t count = 0;

	switch (kind) {
	case LOG_TEXT:
		return parse_text(a, value, to);
	case LOG_TEXT_OR_NULL:
		return json_is_null(value) || parse_text(a, value, to);
	case LOG_COUNT:
		if (!parse_integer(value, -1, INT_MAX, &count))
			return false;
		*(int *)to = (int)count;
		return true;
	case LOG_INTEGER:
		return parse_integer(value, 0, LOG_INTEGER_MOST, to);
	case LOG_SIGNED:
		return parse_integer(value, -LOG_INTEGER_MOST, LOG_INTEGER_MOST, to);
	case LOG_NUMBER:
		return parse_number(value, to);
	case LOG_TIME:
		return json_is_null(value) || parse_number(value, to);
	case LOG_FLAG:
		*(bool *)to = json_is_true(value);
		return json_is_boolean(value);
	case LOG_STATUS:
		return parse_status(value, to);
	case LOG_SAMPLES:
		return parse_samples(a, value, to);
	case LOG_OBJECT:
		return parse_object(a, value, to);
	}
	die("a field of a log has no kind");
}

const char *log_line_parse(struct arena *a, const json_t *json, struct log_line *out)
{
	*out = (struct log_line){ 0 };
	for (int i = 0; i < N_FIELDS; i++) {
		const json_t *value = json_object_get(json, fields[i].key);
		char *text;

		if (!value)
			return arena_printf(a, "it has no \"%s\"", fields[i].key);
		if (parse_field(a, fields[i].kind, value, (char *)out + fields[i].at))
			continue;
		text = json_dumps(value, LOG_JSON | JSON_ENCODE_ANY);
		const char *why = arena_printf(a, "\"%s\" cannot be %.60s", fields[i].key, text ? text : "that");

		free(text);
		return why;
	}
	return NULL;
}
