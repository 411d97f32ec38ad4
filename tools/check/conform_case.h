/* SPDX-License-Identifier: Apache-2.0 */
/* tools/check/conform_case.h - one case of a conformance suite: a folder with model.onnx and folders
 * test_data_set_N of input_I.pb and output_I.pb. */
#ifndef HONE_TOOLS_CHECK_CONFORM_CASE_H
#define HONE_TOOLS_CHECK_CONFORM_CASE_H

#include "base/arena.h"

enum conform_status {
	CONFORM_PASSED,
	CONFORM_FAILED,		/* it ran and gave something else, or ended before */
	CONFORM_UNSUPPORTED,	/* the model could not be read */
};

const char *conform_status_name(enum conform_status s);

/* Reads the model in FOLDER, interprets it with all its sets of data, and compares. *WHY, in A, is
 * the reason where it did not pass. */
enum conform_status conform_case(struct arena *a, const char *folder, const char **why);

#endif
