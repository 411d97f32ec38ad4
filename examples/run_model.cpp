// SPDX-License-Identifier: Apache-2.0
// examples/run_model.cpp - a model through hone's library, in C++17: what is opened is closed by its
// owner, results go into memory of the program's, and two threads run the same model at once.
//
//	c++ -std=c++17 run_model.cpp $(pkg-config --cflags --libs hone) -o run_model
//	./run_model resnet18.onnx tune.db
#include <hone.h>

#include <cstdio>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(int status)
{
	if (status < 0)
		throw std::runtime_error(hone_error());
}

struct Closer {
	void operator()(hone_model *m) const { hone_close(m); }
	void operator()(hone_instance *i) const { hone_instance_free(i); }
};

using Model = std::unique_ptr<hone_model, Closer>;
using Instance = std::unique_ptr<hone_instance, Closer>;

Model open(const char *path, const char *db)
{
	hone_options options{};
	hone_model *model;

	options.db = db;
	check(hone_open(path, &options, &model));
	return Model(model);
}

Instance instance_of(const hone_model *model)
{
	hone_instance *instance;

	check(hone_instance_new(model, &instance));
	return Instance(instance);
}

// Tensors with memory of their own, as the model describes them; all elements zero.
class Tensors {
public:
	Tensors() = default;
	Tensors(Tensors &&) = default;
	Tensors(const Tensors &) = delete;
	void add(const hone_tensor &t)
	{
		if (t.ndim < 0 || t.type.bits == 0)
			throw std::runtime_error(std::string(t.name) + " is no tensor of known rank");
		std::vector<int64_t> shape(t.shape, t.shape + t.ndim);
		size_t bytes = t.type.bits / 8;

		for (int64_t extent : shape) {
			if (extent < 0)
				throw std::runtime_error(std::string(t.name) + " has an open dim");
			bytes *= static_cast<size_t>(extent);
		}
		shapes.push_back(std::move(shape));
		memory.emplace_back(bytes);

		DLTensor dl{};

		dl.data = memory.back().data();
		dl.device = { kDLCPU, 0 };
		dl.ndim = t.ndim;
		dl.dtype = t.type;
		dl.shape = shapes.back().data();
		tensors.push_back(dl);
	}
	const DLTensor *data() const { return tensors.data(); }
	int size() const { return static_cast<int>(tensors.size()); }
	const DLTensor &operator[](size_t i) const { return tensors[i]; }

private:
	std::vector<std::vector<int64_t>> shapes;
	std::vector<std::vector<unsigned char>> memory;
	std::vector<DLTensor> tensors;
};

// One run on zeros, in an instance of its own.
Tensors run(const hone_model *model)
{
	Instance instance = instance_of(model);
	Tensors inputs, outputs;
	hone_tensor t;

	for (int i = 0; i < hone_input_count(model); i++) {
		check(hone_input(model, i, &t));
		inputs.add(t);
	}
	for (int i = 0; i < hone_output_count(model); i++) {
		check(hone_output(model, i, &t));
		outputs.add(t);
	}
	check(hone_run_into(instance.get(), inputs.data(), inputs.size(), outputs.data(),
			    outputs.size()));
	return outputs;
}

void print(const char *name, const DLTensor &t)
{
	int64_t count = 1;

	for (int i = 0; i < t.ndim; i++)
		count *= t.shape[i];
	std::printf("%s =", name);
	if (t.dtype.code != kDLFloat || t.dtype.bits != 32)
		std::printf(" (no floats of 32 bits)");
	else
		for (int64_t i = 0; i < count && i < 4; i++)
			std::printf(" %g", static_cast<const float *>(t.data)[i]);
	std::printf("\n");
}

} // namespace

int main(int argc, char **argv)
{
	if (argc < 2) {
		std::fprintf(stderr, "Usage: run_model MODEL [DATABASE]\n");
		return 2;
	}
	try {
		Model model = open(argv[1], argc > 2 ? argv[2] : nullptr);
		auto other = std::async(std::launch::async, run, model.get());
		Tensors mine = run(model.get()), theirs = other.get();

		for (const Tensors *results : { &mine, &theirs })
			for (int i = 0; i < results->size(); i++) {
				hone_tensor t;

				check(hone_output(model.get(), i, &t));
				print(t.name, (*results)[static_cast<size_t>(i)]);
			}
	} catch (const std::exception &e) {
		std::fprintf(stderr, "run_model: %s\n", e.what());
		return 1;
	}
}
