/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/shell.h - text of scripts that bash and zsh both read. */
#ifndef HONE_TOOLS_DESCRIBE_SHELL_H
#define HONE_TOOLS_DESCRIBE_SHELL_H

#include "base/text.h"

/* VARIABLE=('a' 'b') of WORDS, which any of SEPARATORS stands between. */
void shell_list(struct text *out, const char *variable, const char *words, const char *separators);
/* The function _hone_value: from a word to what may take its place. */
void shell_values(struct text *out);

#endif
