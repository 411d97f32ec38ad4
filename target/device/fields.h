/* SPDX-License-Identifier: Apache-2.0 */
/* target/device/fields.h - the fields of a device's instructions, as bits and as text: one description for all ways.
 *
 * In:   a function of the device's that goes through the fields of an instruction: each call takes what the field is, and gives what it
 *       is from then on.
 * Out:  the instruction's bits, which follow one another from the lowest of the first byte; its text, a line; or what is wrong with it.
 * Holds: what was wrong first is in `why`, and nothing is done from then on. */
#ifndef HONE_TARGET_DEVICE_FIELDS_H
#define HONE_TARGET_DEVICE_FIELDS_H

#include "base/text.h"

struct fields {
	enum { FIELDS_ENCODE, FIELDS_DECODE, FIELDS_CHECK, FIELDS_PRINT, FIELDS_PARSE } way;
	uint8_t *bytes;		/* ENCODE: 0 before; DECODE */
	int at;			/* the next bit; of texts: whether there was a word */
	struct text *out;	/* PRINT */
	struct scan *scan;	/* PARSE: there it is told, too, what was wrong */
	const char *why;
};

/* Texts may leave out what is not used. */
static inline bool fields_are_text(const struct fields *v)
{
	return v->way >= FIELDS_PRINT;
}

/* A number of WIDTH bits, LEAST or more, behind WORD in texts; a word of one character stands without blanks: 14x14. */
int64_t field_number(struct fields *v, const char *word, int width, int64_t least, int64_t value);
/* A bit; a word that is there or not. */
bool field_flag(struct fields *v, const char *word, bool value);
/* One of N that have names. */
int field_name(struct fields *v, int width, int n, const char *const *names, int value);
/* Are the bits up to number N 0? */
bool fields_end(struct fields *v, int n);

#endif
