/* SPDX-License-Identifier: Apache-2.0 */
/* hone.h - the public interface of libhone, an auto-tuner for deep-learning kernels.
 *
 * Functions that fail return NULL or a negative number; hone_error() then says what happened,
 * where, and what to do. Nothing here prints or exits. */
#ifndef HONE_H
#define HONE_H

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_API __attribute__((visibility("default")))

/* The version of the library, for example "0.1.0". Static. */
HONE_API const char *hone_version(void);

/* The calling thread's last error; "" where there was none. Valid until the thread's next call of
 * a hone function. */
HONE_API const char *hone_error(void);

#ifdef __cplusplus
}
#endif

#endif
