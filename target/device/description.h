/* SPDX-License-Identifier: Apache-2.0 */
/* target/device/description.h - what a device is, as whole numbers with names, and as a text of them.
 *
 * In:   a table of fields of a struct of the device's, each an int.
 * Out:  a text with a line "field number" for each, and the struct that such a text describes; # begins a comment.
 * Holds: numbers that are read are those that their field may have. */
#ifndef HONE_TARGET_DEVICE_DESCRIPTION_H
#define HONE_TARGET_DEVICE_DESCRIPTION_H

#include "base/text.h"

struct description {
	const char *what;	/* "a machine" */
	int n;
	const struct described {
		const char *name;
		size_t offset;	/* in the struct */
		int least, most;
		enum { DESCRIBED_ANY, DESCRIBED_POWER /* of two */ } values;
	} *field;
};

/* Reads TEXT into OUT, whose other fields stay; -1 and a message with FILE, line, what and what is allowed. */
int description_parse(const struct description *d, void *out, const char *file, const char *text);
/* The same of the file PATH; -1 and a message where it cannot be read, too. */
int description_load(const struct description *d, void *out, const char *path);
/* One such line; -1 and a message. */
int description_scan(const struct description *d, void *out, struct scan *s);
/* All fields of OF in the order of the table, as is read back. */
void description_print(struct text *out, const struct description *d, const void *of);
/* NULL, or the first field of OF whose value is not allowed. */
const char *description_wrong(const struct description *d, const void *of);

#endif
