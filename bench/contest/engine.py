#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""engine.py NAME: an inference engine as a contestant of `hone bench`.

Speaks the lines of bench/contest/referee/conversation.h on standard input and output. Runs DIR/model.onnx,
whose inputs are named arg0, arg1, ... and read from DIR/arg0.bin, ...; any number of inputs and
outputs, of the model's types. Needs the virtual environment that bench/contest/setup makes.
"""
import collections
import os
import sys
import tempfile
import time

MAX_KERNELS = 6  # kinds of kernels that are named; a whole model has many


class Cannot(Exception):
    """The engine cannot do the task: a normal answer."""


class Model:
    """What an engine does not say of a model: how the memory of an argument becomes its tensor.

    bench/contest/libraries/onnx_write.h says how metadata tell it; an argument without any lies in memory
    as the model has it.
    """

    def __init__(self, path):
        import onnx
        self.path = path
        model = onnx.load(path, load_external_data=False)
        self.nodes = model.graph.node
        self.props = {prop.key: prop.value for prop in model.metadata_props}

    def parse(self, name):
        if name not in self.props:
            return None
        shape, order = self.props[name].split("/")
        return [int(n) for n in shape.split()], [int(n) for n in order.split()]

    def to_model(self, name, flat, shape):
        import numpy
        layout = self.parse(name)
        if layout:
            flat = flat.reshape(layout[0]).transpose(layout[1])
        return numpy.ascontiguousarray(flat.reshape(shape))

    def to_memory(self, name, array):
        import numpy
        layout = self.parse(name)
        if layout:
            shape, order = layout
            array = array.reshape([shape[d] for d in order]).transpose(numpy.argsort(order))
        return numpy.ascontiguousarray(array)

    def weights(self):
        """The second operands of its convolutions; None where it has no convolution."""
        convolutions = [node for node in self.nodes if node.op_type == "Conv"]
        return {node.input[1] for node in convolutions} if convolutions else None


def read_argument(folder, model, name, dtype, shape):
    """The array of an argument; one dimension that the model leaves open follows from its size."""
    import numpy
    shape = [n if isinstance(n, int) and n >= 0 else -1 for n in shape]
    flat = numpy.fromfile(os.path.join(folder, name + ".bin"), dtype=dtype)
    return model.to_model(name, flat, shape)


def move_channels(array, source, target):
    import numpy
    return numpy.ascontiguousarray(numpy.moveaxis(array, source, target))


def tally(kinds):
    """'3 Conv, Gemm' of a list of words; the most frequent first."""
    counts = collections.Counter(kinds).most_common()
    words = [kind if n == 1 else f"{n} {kind}" for kind, n in counts[:MAX_KERNELS]]
    return ", ".join(words) + (", ..." if len(counts) > MAX_KERNELS else "")


class OnnxRuntime:
    """ONNX Runtime: every optimization, inputs and outputs bound to memory that stays."""

    ENTRIES = {"model": "weights packed before; activations in NCHW; the engine's own reorders and "
                        "a call from Python in the clock; inputs and outputs bound, not copied"}

    @staticmethod
    def version():
        import onnxruntime
        return f"ONNX Runtime {onnxruntime.__version__}, CPU"

    @staticmethod
    def options(threads):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.log_severity_level = 3
        return options

    def __init__(self, folder, model, _, threads):
        import onnxruntime
        self.model = model
        options = self.options(threads)
        with tempfile.TemporaryDirectory() as scratch:
            optimized = os.path.join(scratch, "optimized.onnx")
            options.optimized_model_filepath = optimized
            self.session = onnxruntime.InferenceSession(model.path, options,
                                                        providers=["CPUExecutionProvider"])
            # what is left after optimization; nothing where it could not be saved
            self.nodes = Model(optimized).nodes if os.path.exists(optimized) else []
        self.run_options = onnxruntime.RunOptions()
        self.bind(folder)

    @staticmethod
    def element(type_name):
        """The numpy type of "tensor(float)"."""
        import onnx
        name = type_name.removeprefix("tensor(").removesuffix(")")
        onnx_name = {"float": "FLOAT", "double": "DOUBLE"}.get(name, name.upper())
        return onnx.helper.tensor_dtype_to_np_dtype(getattr(onnx.TensorProto, onnx_name))

    def bind(self, folder):
        import onnxruntime
        self.binding = self.session.io_binding()
        self.given = []  # the binding does not keep them alive
        for given in self.session.get_inputs():
            array = read_argument(folder, self.model, given.name, self.element(given.type),
                                  given.shape)
            self.given.append(onnxruntime.OrtValue.ortvalue_from_numpy(array))
            self.binding.bind_ortvalue_input(given.name, self.given[-1])
        for result in self.session.get_outputs():
            self.binding.bind_output(result.name, "cpu")
        self.run()
        # the memory of the first results takes all later ones
        self.results = self.binding.get_outputs()
        for result, value in zip(self.session.get_outputs(), self.results):
            self.binding.bind_ortvalue_output(result.name, value)

    def run(self):
        self.session.run_with_iobinding(self.binding, self.run_options)

    def kernel(self):
        return tally(node.op_type for node in self.nodes)

    def outputs(self):
        for result, value in zip(self.session.get_outputs(), self.results):
            yield result.name, value.numpy()


class OpenVino:
    """OpenVINO on the CPU, tuned for latency, in f32 where the CPU would be faster in less."""

    ENTRIES = {"model": "weights packed before; activations in NCHW; the engine's own reorders and "
                        "a call from Python in the clock; inputs and outputs shared, not copied",
               "nhwc": "the same with activations in NHWC, in which its convolutions work"}
    IMAGES = {3: ("NCW", "NWC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}

    @staticmethod
    def version():
        import openvino
        return f"OpenVINO {openvino.get_version().split('-')[0]}, CPU"

    @staticmethod
    def options(threads):
        return {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_NUM_THREADS": threads,
            "NUM_STREAMS": 1,
            "INFERENCE_PRECISION_HINT": "f32",
            # the referee has given this process its cores
            "ENABLE_CPU_PINNING": False,
        }

    def __init__(self, folder, model, entry, threads):
        import openvino
        core = openvino.Core()
        network = core.read_model(model.path)
        self.model = model
        self.images = set()  # names of what is in NHWC
        if entry == "nhwc":
            network = self.channels_last(network)
        self.compiled = core.compile_model(network, "CPU", self.options(threads))
        self.request = self.compiled.create_infer_request()
        self.arrays = []  # the request does not keep them alive
        for given, plain in zip(self.compiled.inputs, core.read_model(model.path).inputs):
            array = read_argument(folder, model, given.any_name, given.element_type.to_dtype(),
                                  [n.get_length() if n.is_static else -1
                                   for n in plain.partial_shape])
            if given.any_name in self.images:
                array = move_channels(array, 1, -1)
            self.arrays.append(array)
            self.request.set_tensor(given, openvino.Tensor(array, shared_memory=True))

    def channels_last(self, network):
        """The network with its images in NHWC; weights stay as they are."""
        from openvino import Layout
        from openvino.preprocess import PrePostProcessor
        weights = self.model.weights()
        if weights is None:
            raise Cannot("it has no convolution")
        processor = PrePostProcessor(network)
        for ports, side in ((network.inputs, processor.input), (network.outputs, processor.output)):
            for i, port in enumerate(ports):
                rank = len(port.partial_shape)
                if rank in self.IMAGES and port.any_name not in weights:
                    plain, own = self.IMAGES[rank]
                    side(i).model().set_layout(Layout(plain))
                    side(i).tensor().set_layout(Layout(own))
                    self.images.add(port.any_name)
        return processor.build()

    def run(self):
        self.request.infer(share_outputs=True)

    def kernel(self):
        kinds = []
        for op in self.compiled.get_runtime_model().get_ordered_ops():
            info = op.get_rt_info()
            kind = str(info["layerType"].value if "layerType" in info else op.get_type_name())
            if kind not in ("Input", "Output", "Parameter", "Result", "Const", "Constant"):
                name = info["primitiveType"].value if "primitiveType" in info else ""
                kinds.append(f"{kind} {name}".strip())
        return tally(kinds)

    def outputs(self):
        for result in self.compiled.outputs:
            array = self.request.get_tensor(result).data
            name = result.any_name
            yield name, move_channels(array, -1, 1) if name in self.images else array


ENGINES = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


class Contestant:
    """One engine and the task that it is prepared for."""

    def __init__(self, engine, answers):
        self.engine = engine
        self.answers = answers
        self.prepared = None

    def entries(self, _):
        for entry, clock in self.engine.ENTRIES.items():
            print(f"entry {entry}\t{clock}", file=self.answers)
        return self.engine.version()

    def begin(self, rest):
        """Forgets what was prepared; folder, entry and threads of the request."""
        folder, entry, threads = rest.rsplit(" ", 2)
        self.prepared = None
        if entry not in self.engine.ENTRIES:
            raise ValueError(f"there is no entry '{entry}'")
        return folder, entry, int(threads)

    def prepare(self, rest):
        folder, entry, threads = self.begin(rest)
        path = os.path.join(folder, "model.onnx")
        reason = os.path.join(folder, "model.why")
        if not os.path.exists(path) and os.path.exists(reason):
            with open(reason, encoding="utf-8") as file:
                raise Cannot(file.read().strip())
        self.prepared = self.engine(folder, Model(path), entry, threads)
        return self.prepared.kernel()

    def demand(self):
        if not self.prepared:
            raise ValueError("nothing is prepared")
        return self.prepared

    def check(self, path):
        prepared = self.demand()
        prepared.run()
        with open(path, "wb") as file:
            for name, array in prepared.outputs():
                prepared.model.to_memory(name, array).tofile(file)
        return ""

    def run(self, count):
        run = self.demand().run
        begin = time.monotonic_ns()
        for _ in range(int(count)):
            run()
        return str(time.monotonic_ns() - begin)

    def serve(self, line):
        word, _, rest = line.partition(" ")
        requests = {"entries": self.entries, "prepare": self.prepare, "check": self.check,
                    "run": self.run}
        try:
            answer = "ok " + requests[word](rest) if word in requests else "error no such request"
        except Cannot as reason:
            answer = f"cannot {reason}"
        # whatever an engine raises is its answer, and ends nothing
        except Exception as error:  # pylint: disable=broad-exception-caught
            answer = f"error {type(error).__name__}: {error}"
        print(" ".join(answer.split()), file=self.answers, flush=True)


def converse(engines, kind):
    """Answers as the one of ENGINES that the command line names; KIND is the Contestant's."""
    if len(sys.argv) != 2 or sys.argv[1] not in engines:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} {'|'.join(engines)} (started by hone bench)")
    # what the engine prints belongs to standard error
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    contestant = kind(engines[sys.argv[1]], answers)
    for line in sys.stdin:
        line = line.rstrip("\n")
        if line == "quit":
            break
        contestant.serve(line)


if __name__ == "__main__":
    converse(ENGINES, Contestant)
