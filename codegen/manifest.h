/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/manifest.h - what is in a folder of exported kernels, as JSON; for codegen/export.c only. */
#ifndef HONE_CODEGEN_MANIFEST_H
#define HONE_CODEGEN_MANIFEST_H

#include "codegen/export.h"

/* Writes DIR/manifest.json of those kernels of SET that are not refused. It, a new reference; NULL and a message. */
json_t *manifest_write(struct arena *a, const char *dir, const struct export_set *set);

#endif
