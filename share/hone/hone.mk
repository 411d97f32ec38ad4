# SPDX-License-Identifier: Apache-2.0
# hone.mk - kernels that hone found, as a part of a program that GNU make builds:
#
#	HONE_KERNELS = kernels
#	kernels_SOURCE = model.onnx
#	kernels_DB = tune.db
#	include $(shell pkg-config --variable=mk hone)
#
# For each folder of HONE_KERNELS there are then FOLDER/hone_kernels.h, FOLDER/hone_kernels.a, and FOLDER/manifest.json
# which says what is in them. They are made again when hone, the source, the database or the makefile has changed.
# FOLDER_FLAGS are more options of hone export: --fallback, --threads N, --target NAME. A task of which no record
# fits is an error, unless --fallback is among them. A program that is linked with the archive needs
# HONE_KERNEL_LIBS behind it. CC has to be gcc or clang.
HONE_GOAL := $(.DEFAULT_GOAL)
HONE_FOLDER := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
HONE ?= $(or $(wildcard $(abspath $(HONE_FOLDER)/../../bin/hone)),hone)
HONE_KERNEL_LIBS = -fopenmp -lm
HONE_MAKEFILE := $(firstword $(MAKEFILE_LIST))

# $(call hone-rules,FOLDER). A source with a colon is an operator's spec, and no file.
define hone-rules
$(if $($1_SOURCE),,$(error $1_SOURCE is not set: the model, operator or list that $1 has the kernels of))
$(if $($1_DB),,$(error $1_DB is not set: the database that hone tune wrote))

$1/manifest.json: $(if $(findstring :,$($1_SOURCE)),,$($1_SOURCE)) $($1_DB) $(HONE_MAKEFILE)
	@mkdir -p $1 && rm -f $$@
	$(HONE) export $($1_SOURCE) --db $($1_DB) -o $1 --complete --depfile $1/manifest.d $($1_FLAGS)

$1/hone_kernels.h: $1/manifest.json ;

$1/hone_kernels.a: $1/manifest.json $(HONE_FOLDER)/kernels.mk
	@+$(MAKE) --no-print-directory -C $1 -f $(HONE_FOLDER)/kernels.mk

-include $1/manifest.d
endef

$(foreach folder,$(HONE_KERNELS),$(eval $(call hone-rules,$(folder))))

# Which goal is the default is for the makefile to say.
.DEFAULT_GOAL := $(HONE_GOAL)
