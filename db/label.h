/* SPDX-License-Identifier: Apache-2.0 */
/* db/label.h - what people call campaigns, and what they note of them.
 *
 * A campaign is meant by its name, its number, or the beginning of its uid (LABEL_UID_LEAST digits or more), in this order.
 * Holds: no two campaigns of a file are called alike. Where files were merged that gave one name to several, it is that of
 *        the first that got it, and others have ~ and part of their uid behind it, until the first is gone or renamed. */
#ifndef HONE_DB_LABEL_H
#define HONE_DB_LABEL_H

#include "db/db.h"

/* Digits; bytes. */
enum { LABEL_UID_LEAST = 4, LABEL_NAME_MOST = 100, LABEL_NOTE_MOST = 10000 };

/* The campaign that TEXT means, in A, without its search state. -1 and a message where there is none, which has the names
 * that are like it or else some that there are, or where it may be several. */
int label_find(struct db *db, struct arena *a, const char *text, struct db_campaign *out);
/* Whether NAME can be given: no number, no white space at its ends, nothing that a terminal, a list of sides
 * (tools/compare/side.h) or a merge takes for its own. -1 and a message. */
int label_check(const char *name);
/* Whether NOTE can be. -1 and a message. */
int label_check_note(const char *note);
/* The id of the campaign that is called NAME, 0 where none is; -1 and a message. */
int64_t label_holder(struct db *db, const char *name);
/* Calls campaign ID so, which no other campaign of the file is called; "" takes the name away. -1 and a message. */
int label_name(struct db *db, int64_t id, const char *name);
/* "" takes the note away. */
int label_note(struct db *db, int64_t id, const char *note);

#endif
