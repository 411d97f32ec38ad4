# SPDX-License-Identifier: Apache-2.0
# kernels.mk - hone_kernels.a of the folder that hone export wrote, which is the current one:
#
#	make -C FOLDER -f kernels.mk
#
# What is compiled is what manifest.json lists, each file by the command that it begins with; -fPIC lets the
# archive be a part of shared libraries, too. hone.mk and the CMake package call this.
FILES := $(shell sed -n 's/^ *"file": "\(hone_[A-Za-z0-9_]*\.c\)",*$$/\1/p' manifest.json)
$(if $(FILES),,$(error $(CURDIR)/manifest.json lists no kernel: it is no folder of hone export))

hone_kernels.a: $(FILES:.c=.o) manifest.json
	rm -f $@
	$(AR) rcs $@ $(FILES:.c=.o)

%.o: %.c
	$(CC) $(shell sed -n 's/^ \* Compile   cc \(.*\) -c .*/\1/p' $<) -fPIC -c -o $@ $<
