/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/pending.h - core operators on their way: calls of them fail until they are there. */
#ifndef HONE_GRAPH_ONNX_PENDING_H
#define HONE_GRAPH_ONNX_PENDING_H

#include "graph/ir/op.h"

extern const struct core_op core_arg_max __attribute__((weak));
extern const struct core_op core_arg_min __attribute__((weak));
extern const struct core_op core_cumsum __attribute__((weak));
extern const struct core_op core_cumprod __attribute__((weak));
extern const struct core_op core_normalize __attribute__((weak));
extern const struct core_op core_random_uniform __attribute__((weak));
extern const struct core_op core_random_normal __attribute__((weak));
extern const struct core_op core_resize __attribute__((weak));
extern const struct core_op core_conv_transpose __attribute__((weak));
extern const struct core_op core_max_pool_indices __attribute__((weak));
extern const struct core_op core_lrn __attribute__((weak));
extern const struct core_op core_dft __attribute__((weak));
extern const struct core_op core_grid_sample __attribute__((weak));
extern const struct core_op core_roi_align __attribute__((weak));
extern const struct core_op core_max_roi_pool __attribute__((weak));
extern const struct core_op core_deform_conv __attribute__((weak));
extern const struct core_op core_max_unpool __attribute__((weak));
extern const struct core_op core_col2im __attribute__((weak));
extern const struct core_op core_det __attribute__((weak));

#endif
