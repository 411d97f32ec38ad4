# SPDX-License-Identifier: Apache-2.0
# tests/asked.mk - make check TESTS=... links the test programs that it names, and no others. (A file of
# its own, for automake takes what stands in Makefile.am for another rule of check-am.)
check-am: check_PROGRAMS := $(filter $(TESTS),$(check_PROGRAMS))
