/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_size.c - what lower() counts as statements is what is written. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "search/space/sample.h"
#include "te/operator.h"

static const char *const specs[] = {
	"matmul:m=197,n=197,k=67",
	"dense:m=32,n=1000,k=512,act=gelu",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nhwc",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nchw16c",
	"conv2d:ic=30,h=15,w=15,oc=50,k=3,s=2,p=1,bias=1,act=relu",
	"depthwise:c=96,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"conv3d:ic=16,d=8,h=28,w=28,oc=32,k=3,p=1,layout=nchw16c",
	"conv2d_transpose:ic=64,h=28,w=28,oc=32,k=4,s=2,p=1",
	"max_pool:c=64,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"layer_norm:m=512,n=1024",
};

enum { NSPECS = sizeof(specs) / sizeof(*specs), SAMPLES = 80 };

int main(void){return 0;}
