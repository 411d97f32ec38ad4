/* SPDX-License-Identifier: Apache-2.0 */
/* target/device/description.c - reads, prints and checks descriptions of devices. */
#include "target/device/description.h"

#include "base/file.h"

enum { FILE_BYTES_MOST = 1 << 16 };

static int value(const void *of, const struct described *f)
{
	return *(const int *)(const void *)((const char *)of + f->offset);
}

static bool allows(const struct described *f, int64_t v)
{
	return v >= f->least && v <= f->most && (f->values == DESCRIBED_ANY || (v & (v - 1)) == 0);
}

const char *description_wrong(const struct description *d, const void *of)
{
	for (int i = 0; i < d->n; i++)
		if (!allows(&d->field[i], value(of, &d->field[i])))
			return d->field[i].name;
	return NULL;
}

static int unknown(const struct description *d, const struct scan *s)
{
	struct text names = { 0 };

	for (int i = 0; i < d->n; i++)
		text_printf(&names, "%s%s", i ? " " : "", d->field[i].name);
	scan_error(s, "expected a field of %s (%s)", d->what, text_str(&names));
	text_free(&names);
	return -1;
}

int description_scan(const struct description *d, void *out, struct scan *s)
{
	int i = 0;
	int64_t v;

	while (i < d->n && !scan_token(s, d->field[i].name))
		i++;
	if (i == d->n)
		return unknown(d, s);
	const struct described *f = &d->field[i];

	if (!scan_int(s, &v) || !allows(f, v))
		return scan_error(s, "%s: a whole number from %d to %d%s", f->name, f->least, f->most,
				  f->values == DESCRIBED_POWER ? ", a power of two" : "");
	*(int *)(void *)((char *)out + f->offset) = (int)v;
	return scan_line_end(s) ? 0 : scan_error(s, "expected the end of the line");
}

int description_parse(const struct description *d, void *out, const char *file, const char *text)
{
	struct scan s = scan_text(file, text);

	scan_line_end(&s);
	while (!scan_at_end(&s))
		if (description_scan(d, out, &s) < 0)
			return -1;
	return 0;
}

int description_load(const struct description *d, void *out, const char *path)
{
	struct arena *a = arena_new();
	const char *text = file_read(a, path, FILE_BYTES_MOST, NULL);
	int rc = text ? description_parse(d, out, path, text) : -1;

	arena_free(a);
	return rc;
}

void description_print(struct text *out, const struct description *d, const void *of)
{
	for (int i = 0; i < d->n; i++)
		text_printf(out, "%s %d\n", d->field[i].name, value(of, &d->field[i]));
}
