# SPDX-License-Identifier: Apache-2.0
"""The version of hone that this package belongs to; tests hold it against the library's."""

__version__ = "0.2.0"
