/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize/args.c - the command line of `hone quantize`. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/args/query.h"
#include "tools/quantize/quantize.h"

static const char doc[] =
	"Makes convolutions and products with constant weights of MODEL sums of integers of 8 bits: data u8 "
	"with a scale and a zero for each tensor, weights i8 with a scale for each output channel, sums of "
	"32 bits. Runs of MODEL on samples tell the scales; runs on others, how right the result is. What "
	"the model itself quantizes stays on its grid. hone run, compile, tune and build take the result.\v"
	"Example:\n"
	"  hone quantize resnet18.onnx -o resnet18-int8.json\n"
	"  hone quantize net.onnx -o net.json --calibrate images.npy --method entropy --explain\n"
	"  hone quantize net.onnx --keep /fc/Gemm --write-table net.table.json\n"
	"  hone quantize net.onnx -o net.json --table net.table.json --held-out 200\n"
	"  hone quantize net.onnx -o net-int.json --integers-only\n"
	"  hone quantize net.onnx -o net-bf16.json --to bf16\n";

enum { KEY_METHOD = 256, KEY_PERCENTILE, KEY_DATA, KEY_SAMPLES, KEY_SEED, KEY_HELD_OUT, KEY_KEEP,
       KEY_TABLE, KEY_WRITE_TABLE, KEY_UNCORRECTED, KEY_TO, KEY_EXPLAIN, KEY_CALIBRATE,
       KEY_AGREEMENT, KEY_INTEGERS_ONLY };

enum { HELD_OUT = 50 };

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "file for the quantized graph, hone's JSON; its name ends in .json", 0 },
	{ "method", KEY_METHOD, "minmax|percentile|entropy", 0,
	  "how ranges are found: minmax (all that was seen), percentile (all but a few; the default), "
	  "entropy (the least divergence)", 0 },
	{ "percentile", KEY_PERCENTILE, "P", 0,
	  "so many percent are not above the range, and as many not below (default 99.99)", 0 },
	{ "calibrate", KEY_CALIBRATE, "FILE", 0,
	  "a sample: an .npy or .pb file for a model of one input (.npy: of several along its first dim), or "
	  "a folder with input_0.npy, input_1.pb, ...; may be given again (default: random samples)", 0 },
	{ "samples", KEY_SAMPLES, "N", 0, "random samples to calibrate on (default 64)", 0 },
	{ "held-out", KEY_HELD_OUT, "N", 0,
	  "random samples that have decided nothing, to compare on (default 50; 0: none)", 0 },
	{ "seed", KEY_SEED, "N", 0, "of random samples (default 0)", 0 },
	{ "keep", KEY_KEEP, "LABEL", 0, "a node that stays float; may be given again", 0 },
	{ "table", KEY_TABLE, "FILE", 0, "scales and zeros, or \"float\", by tensor and node", 0 },
	{ "write-table", KEY_WRITE_TABLE, "FILE", 0, "the same as they were found", 0 },
	{ "data", KEY_DATA, "u8|i8", 0, "type of quantized data (default u8)", 0 },
	{ "agreement", KEY_AGREEMENT, "P", 0,
	  "of a classifier so many nodes stay float that P percent of random samples that calibration does not "
	  "see keep their class (default 97; 0: none stays float for it)", 0 },
	{ "integers-only", KEY_INTEGERS_ONLY, NULL, 0,
	  "integers also between convolutions and products: activations, sums, pools and means, of data i8 whose zero "
	  "is 0; --agreement is 0 then", 0 },
	{ "uncorrected", KEY_UNCORRECTED, NULL, 0, "leave biases as they are", 0 },
	{ "to", KEY_TO, "i8|bf16|f16", 0,
	  "type to make it of (default i8); bf16, f16: data and weights in these, sums in f32, nothing to calibrate", 0 },
	{ "explain", KEY_EXPLAIN, NULL, 0, "a line for each convolution and product", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text, with all that --explain tells", 0 },
	{ 0 },
};

static void add(struct argp_state *state, const char *option, const char **list, int *n, const char *arg)
{
	if (*n == QUANTIZE_MAX_LIST)
		argp_error(state, "at most %d %s", QUANTIZE_MAX_LIST, option);
	list[(*n)++] = arg;
}

static double percent(struct argp_state *state, const char *option, const char *arg, double least)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= least && v <= 100))
		argp_error(state, "%s '%s': give a number of %g to 100", option, arg, least);
	return v;
}

static enum element type_among(struct argp_state *state, const char *option, const char *arg,
			       const enum element *types, int n)
{
	enum element e;

	for (int i = 0; element_parse(arg, &e) && i < n; i++)
		if (types[i] == e)
			return e;
	argp_error(state, "%s '%s' is no type for it", option, arg);
	return ELEMENT_COUNT;
}

static const char *json_file(struct argp_state *state, const char *arg)
{
	if (strlen(arg) < 6 || strcmp(arg + strlen(arg) - 5, ".json") != 0)
		argp_error(state, "--output '%s': give a name that ends in .json", arg);
	return arg;
}

enum { MOST_SAMPLES = 1000 * 1000 };

static void begin(struct argp_state *state, struct quantize_args *args)
{
	args->how = quantize_usual;
	args->held_out = HELD_OUT;
	state->child_inputs[0] = &args->m;
}

/* What contradicts --integers-only, and what follows from it. */
static void end_integers_only(struct argp_state *state, struct quantize_args *args)
{
	if (args->how.to != ELEMENT_I8)
		argp_error(state, "--integers-only is of i8: not with --to %s", element_name(args->how.to));
	if (args->data && args->how.sites.element != ELEMENT_I8)
		argp_error(state, "--integers-only has data of i8: not with --data %s",
			   element_name(args->how.sites.element));
	if (args->table || args->write_table)
		argp_error(state, "--integers-only has no table: scales there are of data that sums read alone");
	if (args->agreement && args->how.agreement > 0)
		argp_error(state, "--integers-only keeps nothing float for the class: not with --agreement but 0; "
			   "--keep LABEL says what stays float");
	args->how.sites.element = ELEMENT_I8;
	args->how.agreement = 0;
}

static void end(struct argp_state *state, struct quantize_args *args)
{
	if (args->how.to != ELEMENT_I8 && (args->table || args->write_table || args->ncalibrate))
		argp_error(state, "--to %s has no scales: no table, no --calibrate", element_name(args->how.to));
	if (args->how.sites.scheme == &quant_integers)
		end_integers_only(state, args);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const enum element data[] = { ELEMENT_U8, ELEMENT_I8 };
	static const enum element to[] = { ELEMENT_I8, ELEMENT_BF16, ELEMENT_F16 };
	struct quantize_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		begin(state, args);
		return 0;
	case 'o':
		args->output = json_file(state, arg);
		return 0;
	case KEY_METHOD:
		if (!quant_method_parse(arg, &args->how.sites.method))
			argp_error(state, "--method '%s': there are minmax, percentile, entropy", arg);
		return 0;
	case KEY_PERCENTILE:
		args->how.sites.percentile = percent(state, "--percentile", arg, 50);
		return 0;
	case KEY_CALIBRATE:
		add(state, "--calibrate", args->calibrate, &args->ncalibrate, arg);
		return 0;
	case KEY_SAMPLES:
		args->how.samples = argp_int(state, "--samples", arg, 1, MOST_SAMPLES);
		return 0;
	case KEY_HELD_OUT:
		args->held_out = argp_int(state, "--held-out", arg, 0, MOST_SAMPLES);
		return 0;
	case KEY_SEED:
		args->how.seed = (uint64_t)argp_number(state, "--seed", arg, 0);
		return 0;
	case KEY_KEEP:
		add(state, "--keep", args->keep, &args->nkeep, arg);
		return 0;
	case KEY_TABLE:
		args->table = arg;
		return 0;
	case KEY_WRITE_TABLE:
		args->write_table = arg;
		return 0;
	case KEY_DATA:
		args->data = true;
		args->how.sites.element = type_among(state, "--data", arg, data, 2);
		return 0;
	case KEY_AGREEMENT:
		args->agreement = true;
		args->how.agreement = percent(state, "--agreement", arg, 0) / 100;
		return 0;
	case KEY_INTEGERS_ONLY:
		args->how.sites.scheme = &quant_integers;
		return 0;
	case KEY_UNCORRECTED:
		args->how.uncorrected = true;
		return 0;
	case KEY_TO:
		args->how.to = type_among(state, "--to", arg, to, 3);
		return 0;
	case KEY_EXPLAIN:
		args->explain = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_END:
		end(state, args);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &model_argp, 0, NULL, 0 }, { 0 } };
const struct argp quantize_argp = { options, parse, "MODEL", doc, children, NULL, NULL };

void quantize_parse(int argc, char **argv, struct quantize_args *args)
{
	argp_parse(&quantize_argp, argc, argv, 0, NULL, args);
	args->how.sites.sites.keep = args->keep;
	args->how.sites.sites.nkeep = args->nkeep;
}
