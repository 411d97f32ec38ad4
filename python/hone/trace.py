# SPDX-License-Identifier: Apache-2.0
"""@hone.function: a Python function over tensors becomes a graph, by being called once with tensors that have
types alone."""

import functools
import inspect
import re
import threading

from . import arrays
from .campaign import tune as tune_source
from .errors import HoneError, TraceError, trace_error
from .graph import Lines
from .tensor import Tensor, constant
from .types import DType, TensorType

_WORD = re.compile(r"\A[A-Za-z_][A-Za-z0-9_]*\Z")


def _signature(python):
    """The signature, with annotations that are text (from __future__ import annotations) as what they say."""
    try:
        return inspect.signature(python, eval_str=True)
    except (NameError, TypeError):    # of names that are local somewhere; Python 3.9
        return inspect.signature(python)


class Traced:
    """What a function became for one set of types: .graph, and how its results are handed back."""

    def __init__(self, graph, structure):
        self.graph = graph
        self.structure = structure
        self.lock = threading.Lock()
        self.opened = None    # a Model

    def model(self, db, threads):
        """The model, opened by the first who asks."""
        with self.lock:
            if self.opened is None:
                self.opened = self.graph.model(db, threads)
            return self.opened


class Function:
    """A Python function that runs as a graph; @hone.function makes one.

    A parameter is a tensor where it is annotated with a type (hone.f32[32, "N"]; hone.f32 for any shape) or given
    an array or a type; all else is part of the program: for another value the function is traced anew. Arrays that
    the function uses from outside become constants as they are when it is traced."""

    def __init__(self, python, db=None, threads=0):
        functools.update_wrapper(self, python)
        self.python = python
        self.db = db
        self.threads = threads
        self._signature = _signature(python)
        self._traced = {}
        self._lock = threading.Lock()

    # --- what a call is for

    def _fail(self, message):
        code = self.python.__code__
        return TraceError(f"{self.__name__}: {message}", code.co_filename, code.co_firstlineno)

    def _bind(self, args, named):
        """By parameter what was given, or its annotation where that is a type and nothing was."""
        for name, parameter in self._signature.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise self._fail(f"*{name}: a traced function has named parameters")
        bound = self._signature.bind_partial(*args, **named)
        bound.apply_defaults()
        for name, parameter in self._signature.parameters.items():
            if name not in bound.arguments:
                if not isinstance(parameter.annotation, TensorType):
                    raise self._fail(f"what is {name}? give an array or a type, or annotate it")
                bound.arguments[name] = parameter.annotation
        return {name: bound.arguments[name] for name in self._signature.parameters}

    def _declared(self, name, value):
        """The type that VALUE is to have by the annotation; None where it is no tensor."""
        kind = self._signature.parameters[name].annotation
        if isinstance(kind, DType):
            return TensorType(kind, None)
        if isinstance(kind, TensorType):
            return kind
        return TensorType("f32", None) if isinstance(value, TensorType) or arrays.is_array(value) else None

    def _fit(self, name, declared, kind, sizes):
        """KIND, which has to be what is DECLARED; SIZES of symbols are learned."""
        shape = declared.shape
        fits = kind.dtype == declared.dtype and (shape is None or len(shape) == len(kind.shape or ()))
        for want, have in zip(shape or (), kind.shape or ()) if fits else ():
            if isinstance(want, str) and _WORD.match(want) and isinstance(have, int):
                want = sizes.setdefault(want, have)
            fits = fits and (want == have or want is None or isinstance(want, str))
        if not fits:
            known = "".join(f", {symbol} is {size}" for symbol, size in sizes.items())
            raise self._fail(f"{name} is {kind}, where {declared} is declared{known}")

    def _types(self, given):
        """The TensorType of each parameter that is a tensor, and the values of the others."""
        types, others, sizes = {}, {}, {}
        for name, value in given.items():
            declared = self._declared(name, value)
            if declared is None:
                others[name] = value
                continue
            if isinstance(value, TensorType):
                kind = value
            elif arrays.is_array(value):
                kind = arrays.type_of(value)
            else:
                tensor, keep = arrays.as_tensor(value, declared)
                kind = arrays.type_of(keep if isinstance(keep, arrays.Array) else keep[0])
                del tensor
            annotation = self._signature.parameters[name].annotation
            if isinstance(annotation, (TensorType, DType)):
                self._fit(name, declared, kind, sizes)
            types[name] = kind
        known = {name: TensorType(kind.dtype, None if kind.shape is None else
                                  [sizes.get(x, x) for x in kind.shape]) for name, kind in types.items()}
        return known, others

    # --- tracing

    def _result(self, lines, value):
        """Names of the tensors that VALUE has, and how to make one like it of results."""
        if isinstance(value, Tensor):
            if value.lines is not lines:
                raise self._fail("it returns a tensor of another function")
            return [value.name], lambda results: next(results)
        if arrays.is_array(value) or isinstance(value, (int, float)):
            if isinstance(value, (int, float)):
                value = arrays.array(value)
            return [constant(lines, value).name], lambda results: next(results)
        if isinstance(value, dict):
            names, makers = self._results(lines, value.values())
            keys = list(value)
            return names, lambda results: {key: make(results) for key, make in zip(keys, makers)}
        if isinstance(value, (tuple, list)):
            names, makers = self._results(lines, value)
            kind = list if isinstance(value, list) else tuple
            return names, lambda results: kind([make(results) for make in makers])
        raise self._fail(f"it returns {value!r}, which is no tensor, and no tuple, list or dict of them")

    def _results(self, lines, values):
        pairs = [self._result(lines, value) for value in values]
        return [name for names, _ in pairs for name in names], [make for _, make in pairs]

    def _trace(self, types, others):
        name = self.__name__ if _WORD.match(self.__name__) else "function"
        words = {key: key if _WORD.match(key) else f"input.{i}" for i, key in enumerate(types)}
        try:
            lines = Lines(name, [(words[key], kind) for key, kind in types.items()])
        except HoneError as error:
            raise self._fail(error) from None
        given = {key: Tensor(lines, words[key], kind) for key, kind in types.items()}
        names, structure = self._result(lines, self._call(self.python, {**given, **others}))
        return Traced(lines.end(names), structure)

    def _call(self, python, arguments):
        """PYTHON of ARGUMENTS by name; those before a / go by place."""
        bound = self._signature.bind_partial()
        bound.arguments.update({name: arguments[name] for name in self._signature.parameters})
        return python(*bound.args, **bound.kwargs)

    def _traced_for(self, given):
        types, others = self._types(given)
        try:
            key = (tuple(types.items()), tuple(others.items()))
            found = self._traced.get(key)
        except TypeError:
            raise self._fail("a parameter that is no tensor has to be hashable: "
                             f"{', '.join(others)}") from None
        if found is None:
            found = self._trace(types, others)
            with self._lock:
                found = self._traced.setdefault(key, found)
        return found, types

    # --- what one asks of it

    def trace(self, *args, **named):
        """The hone.Graph for arguments, which are arrays or types; those that are annotated need not be given."""
        return self._traced_for(self._bind(args, named))[0].graph

    def text(self, *args, **named):
        """The graph in hone's text form."""
        return self.trace(*args, **named).text()

    def model(self, *args, **named):
        """The hone.Model that runs it."""
        return self._traced_for(self._bind(args, named))[0].model(self.db, self.threads)

    def __call__(self, *args, **named):
        """Runs it on arrays; within another function that is traced it becomes a part of that."""
        if any(isinstance(x, Tensor) for x in [*args, *named.values()]):
            return self.python(*args, **named)
        given = self._bind(args, named)
        traced, types = self._traced_for(given)
        missing = [name for name in types if isinstance(given[name], TensorType)]
        if missing:
            raise trace_error(f"{self.__name__}: to run it takes arrays; what is {', '.join(missing)}?")
        model = traced.model(self.db, self.threads)
        results = model.run_arrays(*(given[name] for name in types))
        return traced.structure(iter([x.numpy() if x.dtype.numpy else x for x in results]))

    run = __call__

    def tune(self, *args, db=None, progress=None, **options):
        """Tunes its kernels for ARGS, as trace() takes them: hone.tune() with a graph. From then on it runs with the
        kernels of DB."""
        named = {name: options.pop(name) for name in [*options] if name in self._signature.parameters}
        db = db if db is not None else self.db
        if db is None:
            raise self._fail("tune() needs a database: db=\"tune.db\"")
        graph = self.trace(*args, **named)
        if self.threads:
            options.setdefault("threads", self.threads)
        campaign = tune_source(graph, db, progress=progress, **options)
        self.use(db, self.threads or options.get("threads", 1))
        return campaign

    def use(self, db, threads=None):
        """Runs with the kernels of DB from now on; also where it has new ones since it was opened."""
        with self._lock:
            self.db = db
            self.threads = self.threads if threads is None else threads
            for traced in self._traced.values():
                with traced.lock:
                    traced.opened = None    # it is closed when its last run has ended

    def __get__(self, instance, owner=None):
        if instance is not None:
            raise TypeError(f"{self.__name__}: methods cannot be traced; give a function what it needs")
        return self

    def __repr__(self):
        return f"<hone.Function {self.__name__}{self._signature}>"


def function(python=None, *, db=None, threads=0):
    """Makes a graph of a Python function over tensors: @hone.function, or @hone.function(db="tune.db", threads=2)."""
    if python is None:
        return lambda fn: Function(fn, db, threads)
    return Function(python, db, threads)
