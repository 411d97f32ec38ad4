/* SPDX-License-Identifier: Apache-2.0 */
/* base/opaque.h - loops that are timed, and that a compiler would leave out. */
#ifndef HONE_BASE_OPAQUE_H
#define HONE_BASE_OPAQUE_H

/* Hides from the compiler what the vector X holds, and keeps it in a register. */
#if defined(__x86_64__)
#define OPAQUE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

#endif
