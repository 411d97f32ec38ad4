#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Exports real networks as ONNX files, with seeded random weights, for tuning and tests.

    bench/models/export.py --out /tmp/models resnet18 mobilenet_v2
    bench/models/export.py --out /tmp/models --batch 8 --keep-bn resnet50

Needs Debian's python3-torchvision (tried with torch 1.13, torchvision 0.14); the python package
onnx is not needed. Kernels do not depend on the values of weights, so random ones do; batch norms
get random statistics, so that folding them wrongly shows in the outputs.
"""
import argparse
import os
import sys

try:
    import torch
    import torchvision
    from torch import nn
except ImportError as error:
    sys.exit(f"export.py: {error}; install python3-torchvision and run with /usr/bin/python3")

SEED = 20
OPSET = 13


def conv_bn(inputs, outputs, kernel, act, stride=1, groups=1):
    """Convolution that keeps the size at stride 1, batch norm, and an activation or none."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
              nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act] if act else []))


class Residual(nn.Module):
    """x + body(x), then an activation where one is given."""

    def __init__(self, body, act=None):
        super().__init__()
        self.body = body
        self.act = act or nn.Identity()

    def forward(self, x):
        return self.act(x + self.body(x))


def darknet53():
    """The classifier of YOLOv3 (Redmon and Farhadi 2018, table 1)."""
    leaky = nn.LeakyReLU(0.1)
    layers = [conv_bn(3, 32, 3, leaky)]
    width = 32
    for blocks in (1, 2, 8, 8, 4):
        layers.append(conv_bn(width, 2 * width, 3, leaky, stride=2))
        width *= 2
        for _ in range(blocks):
            layers.append(Residual(nn.Sequential(conv_bn(width, width // 2, 1, leaky),
                                                 conv_bn(width // 2, width, 3, leaky))))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 1000))


def inverted(inputs, outputs, stride):
    """MobileNetV2's block: widen, depthwise, narrow without an activation."""
    wide = 4 * inputs
    body = nn.Sequential(conv_bn(inputs, wide, 1, nn.ReLU6()),
                         conv_bn(wide, wide, 3, nn.ReLU6(), stride, groups=wide),
                         conv_bn(wide, outputs, 1, None))
    return Residual(body) if stride == 1 and inputs == outputs else body


def tiny_cnn():
    """A small classifier with a layer of each kind: the bundled example."""
    relu = nn.ReLU()
    basic = nn.Sequential(conv_bn(16, 16, 3, relu), conv_bn(16, 16, 3, None))
    return nn.Sequential(conv_bn(3, 16, 3, relu, stride=2), Residual(basic, relu),
                         inverted(16, 24, 2), inverted(24, 24, 1), nn.MaxPool2d(2),
                         conv_bn(24, 64, 3, relu), conv_bn(64, 96, 1, relu),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, 10),
                         nn.Softmax(dim=1))


def zoo(name):
    """A model of torchvision without weights of its own."""
    options = {"inception_v3": {"init_weights": True}}
    return lambda: getattr(torchvision.models, name)(weights=None, **options.get(name, {}))


# name: constructor, side of the input image
MODELS = {
    "resnet18": (zoo("resnet18"), 224),
    "resnet50": (zoo("resnet50"), 224),
    "inception_v3": (zoo("inception_v3"), 299),
    "mobilenet_v2": (zoo("mobilenet_v2"), 224),
    "vgg19": (zoo("vgg19"), 224),
    "squeezenet1_1": (zoo("squeezenet1_1"), 224),
    "darknet53": (darknet53, 256),
    "tiny_cnn": (tiny_cnn, 64),
}


def randomize_norms(model):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.5, 1.0)
            nn.init.uniform_(module.bias, -0.1, 0.1)
            nn.init.uniform_(module.running_mean, -0.1, 0.1)
            nn.init.uniform_(module.running_var, 0.8, 1.2)


def export(name, out, batch, size, keep_bn):
    make, side = MODELS[name]
    torch.manual_seed(SEED)
    model = make()
    randomize_norms(model)
    model.eval()
    side = size or side
    path = os.path.join(out, name + ("_bn" if keep_bn else "") + ".onnx")
    image = torch.zeros(batch, 3, side, side)
    # Exporting in training mode is the only way to keep batch norms; the model stays in eval mode.
    mode = torch.onnx.TrainingMode.PRESERVE if keep_bn else torch.onnx.TrainingMode.EVAL
    torch.onnx.export(model, image, path, opset_version=OPSET, training=mode,
                      do_constant_folding=not keep_bn, input_names=["image"],
                      output_names=["scores"])
    print(f"{path}: {os.path.getsize(path)} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="NAME",
                        help="all, or some of: " + ", ".join(MODELS))
    parser.add_argument("--out", default=".", help="folder for NAME.onnx (default: here)")
    parser.add_argument("--batch", type=int, default=1, help="images a run (default: 1)")
    parser.add_argument("--size", type=int, help="side of the image (default: the model's own)")
    parser.add_argument("--keep-bn", action="store_true",
                        help="do not fold batch norms into weights; writes NAME_bn.onnx")
    args = parser.parse_args()
    names = list(MODELS) if args.names == ["all"] else args.names
    for name in names:
        if name not in MODELS:
            parser.error(f"there is no model '{name}'; there are: {', '.join(MODELS)}")
    os.makedirs(args.out, exist_ok=True)
    for name in names:
        export(name, args.out, args.batch, args.size, args.keep_bn)


if __name__ == "__main__":
    main()
