/* SPDX-License-Identifier: Apache-2.0 */
/* tests/kernel_text.h - what C text of kernels that tests write by hand has in common. */
#ifndef HONE_TESTS_KERNEL_TEXT_H
#define HONE_TESTS_KERNEL_TEXT_H

/* One phase, whose body follows. */
#define KERNEL_PROTOTYPE                                                                           \
	"int32_t hone_kernel_phases(void)\n{ return 1; }\n"                                        \
	"void hone_kernel_part(int32_t phase, void *const *args, void *workspace, "                \
	"int32_t thread, int32_t threads)"

#define NO_WORKSPACE                                                                               \
	"size_t hone_kernel_workspace_bytes(int32_t threads)\n{ (void)threads; return 0; }\n"

#define NOTHING_PACKED                                                                             \
	"size_t hone_kernel_packed_bytes(int32_t input)\n{ (void)input; return 0; }\n"             \
	"void hone_kernel_pack(int32_t input, const void *raw, void *packed)\n"                    \
	"{ (void)input, (void)raw, (void)packed; }\n"

#endif
