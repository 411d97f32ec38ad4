/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/campaigns.h - the deeds of hone campaigns, one file each or two that belong together. */
#ifndef HONE_TOOLS_CAMPAIGNS_CAMPAIGNS_H
#define HONE_TOOLS_CAMPAIGNS_CAMPAIGNS_H

#include "db/db.h"

struct campaigns_args {
	const char *db_path;
	struct db *db;		/* opened as the deed needs it */
	struct arena *arena;
	char **words;		/* behind the deed */
	int n;
	bool json, yes;
};

/* Each returns an exit status, or -1 and a message. */
int campaigns_list(const struct campaigns_args *args);
int campaigns_show(const struct campaigns_args *args);
int campaigns_name(const struct campaigns_args *args);
int campaigns_note(const struct campaigns_args *args);
int campaigns_delete(const struct campaigns_args *args);
int campaigns_compare(const struct campaigns_args *args);

#endif
