# SPDX-License-Identifier: Apache-2.0
"""DLPack's structures and capsules, by ctypes.

A capsule "dltensor" has a DLManagedTensor that whoever takes it renames and then owns; one that nobody
took is ended by its destructor."""

import ctypes
import threading
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p

CPU = 1


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("device", DLDevice), ("ndim", c_int32), ("dtype", DLDataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


DELETER = ctypes.CFUNCTYPE(None, POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("dl_tensor", DLTensor), ("manager_ctx", c_void_p), ("deleter", DELETER)]

_NAME = ctypes.create_string_buffer(b"dltensor")
_USED = ctypes.create_string_buffer(b"used_dltensor")


def _api(name, result, *arguments):
    """A function of the interpreter, with a declaration of our own."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_is_valid = _api("PyCapsule_IsValid", c_int, ctypes.py_object, c_char_p)
_pointer = _api("PyCapsule_GetPointer", c_void_p, ctypes.py_object, c_char_p)
_rename = _api("PyCapsule_SetName", c_int, ctypes.py_object, c_char_p)
_new = _api("PyCapsule_New", ctypes.py_object, c_void_p, c_char_p, c_void_p)
# Of a capsule that is being destroyed, which must get no more references.
_dying_is_valid = _api("PyCapsule_IsValid", c_int, c_void_p, c_char_p)
_dying_pointer = _api("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)


def _delete(address):
    managed = ctypes.cast(address, POINTER(DLManagedTensor))
    if managed.contents.deleter:
        managed.contents.deleter(managed)


class Managed:
    """A DLManagedTensor at an address, which is ended with this."""

    def __init__(self, address):
        self.address = address
        self.tensor = ctypes.cast(address, POINTER(DLManagedTensor)).contents.dl_tensor

    def __del__(self):
        _delete(self.address)


def take(source):
    """What SOURCE, which has __dlpack__(), gives, as Managed."""
    device = source.__dlpack_device__()
    if int(device[0]) != CPU:
        raise ValueError(f"a tensor on device type {int(device[0])}: hone runs on the CPU; copy it there first")
    capsule = source.__dlpack__()
    if not _is_valid(capsule, _NAME):
        raise ValueError(f"the capsule of {type(source).__name__} was taken already, or is none of DLPack")
    managed = Managed(_pointer(capsule, _NAME))
    _rename(capsule, _USED)
    return managed


# --- what is given away

_exports = {}    # by address: the structure, and what it refers to
_exports_lock = threading.RLock()    # a deleter may run wherever memory is given back


@DELETER
def _release(managed):
    with _exports_lock:
        _exports.pop(ctypes.addressof(managed.contents), None)


@ctypes.PYFUNCTYPE(None, c_void_p)
def _destroy(capsule):
    if _dying_is_valid(capsule, _NAME):
        _delete(_dying_pointer(capsule, _NAME))


def give(tensor, owner):
    """A capsule with TENSOR, a DLTensor; OWNER, which keeps its memory, lives as long as the taker wants."""
    managed = DLManagedTensor(tensor, None, _release)
    address = ctypes.addressof(managed)
    with _exports_lock:
        _exports[address] = (managed, owner)
    return _new(address, _NAME, ctypes.cast(_destroy, c_void_p))
