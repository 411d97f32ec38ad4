/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/cpuinfo.c - reads /proc/cpuinfo and the CPU quota of cgroups. */
#include "measure/device/cpuinfo.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROC_LIMIT = 64 << 10 }; /* the first processor and the totals come first */

/* ISA extensions that change which kernels are possible or fast. Sorted: the list is hashed. */
static const char *const known_flags[] = {
	"amx_bf16", "amx_int8", "amx_tile",    "asimd",	      "asimddp",     "asimdhp",
	"avx",	    "avx2",	"avx512_bf16", "avx512_fp16", "avx512_vnni", "avx512bw",
	"avx512dq", "avx512f",	"avx512vl",    "avx_vnni",    "bf16",	     "f16c",
	"fma",	    "i8mm",	"sse4_2",      "sve",	      "sve2",
};

char *proc_read(struct arena *a, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *data;
	size_t n = 0;

	if (fd < 0)
		return NULL;
	/* such files have no size to ask for */
	data = arena_alloc(a, PROC_LIMIT + 1);
	while (n < PROC_LIMIT) {
		ssize_t got = read(fd, data + n, PROC_LIMIT - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	return data;
}

/* The value of the first line "KEY : value" of TEXT; NULL where there is none. */
static char *field(struct arena *a, const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, n) != 0)
			continue;

		const char *p = line + n + strspn(line + n, " \t");

		if (*p != ':')
			continue;
		p++;
		p += strspn(p, " \t");
		return arena_strndup(a, p, strcspn(p, "\n"));
	}
	return NULL;
}

/* The first of two fields that is there, as a number; x86 writes decimal, ARM 0x. */
static int number(struct arena *a, const char *text, const char *key, const char *other)
{
	const char *v = field(a, text, key);

	if (!v)
		v = field(a, text, other);
	return v ? (int)strtol(v, NULL, 0) : 0;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = words; (p = strstr(p, word)); p += n) {
		if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

static const char *filter_flags(struct arena *a, const char *words)
{
	const char *flags = "";

	for (size_t i = 0; i < sizeof(known_flags) / sizeof(known_flags[0]); i++) {
		if (has_word(words, known_flags[i]))
			flags = arena_printf(a, "%s%s%s", flags, *flags ? " " : "", known_flags[i]);
	}
	return flags;
}

/* How flags of x86 begin that name instructions which compilers use; the others tell of the system. */
static const char *const compiled[] = {
	"abm", "adx", "aes", "amx", "avx", "bmi", "f16c", "fma", "gfni", "movbe", "movdir", "pclmulqdq", "popcnt",
	"sha_ni", "sse", "ssse", "tbm", "vaes", "vpclmulqdq", "xop",
};

static bool is_compiled(const char *word)
{
	for (size_t i = 0; i < sizeof(compiled) / sizeof(compiled[0]); i++)
		if (strncmp(word, compiled[i], strlen(compiled[i])) == 0)
			return true;
	return false;
}

/* Those of WORDS, of an x86, that compilers use. */
static const char *filter_compiled(struct arena *a, const char *words)
{
	const char *out = "";

	for (const char *p = words; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (is_compiled(p))
			out = arena_printf(a, "%s%s%.*s", out, *out ? " " : "", (int)strcspn(p, " "), p);
	return out;
}

struct cpuinfo cpuinfo_parse(struct arena *a, const char *text)
{
	struct cpuinfo cpu = {0};
	const char *flags = field(a, text, "flags"), *features = flags ? NULL : field(a, text, "Features");

	cpu.extensions = features ? features : filter_compiled(a, flags ? flags : "");
	if (!flags)
		flags = features;
	cpu.vendor = field(a, text, "vendor_id");
	if (!cpu.vendor)
		cpu.vendor = field(a, text, "CPU implementer");
	cpu.model = field(a, text, "model name");
	cpu.family = number(a, text, "cpu family", "CPU architecture");
	cpu.model_number = number(a, text, "model", "CPU part");
	cpu.stepping = number(a, text, "stepping", "CPU revision");
	cpu.flags = filter_flags(a, flags ? flags : "");
	if (!cpu.vendor)
		cpu.vendor = "unknown";
	if (!cpu.model) {
		cpu.model = cpu.model_number ? arena_printf(a, "%s part 0x%x", cpu.vendor,
							    (unsigned)cpu.model_number)
					     : "unknown";
	}
	return cpu;
}

struct cpuinfo cpuinfo_read(struct arena *a)
{
	const char *text = proc_read(a, "/proc/cpuinfo");

	return cpuinfo_parse(a, text ? text : "");
}

const char *cpuinfo_lacks(struct arena *a, const char *extensions)
{
	const char *here = cpuinfo_read(a).extensions, *out = "";

	for (const char *p = extensions; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		const char *word = arena_strndup(a, p, strcspn(p, " "));

		if (!has_word(here, word))
			out = arena_printf(a, "%s%s%s", out, *out ? " " : "", word);
	}
	return out;
}

/* CPUs that one cgroup folder grants; 0 where it sets no limit. */
static double folder_quota(struct arena *a, const char *folder, bool v2)
{
	const char *quota, *period;

	if (v2) {
		quota = proc_read(a, arena_printf(a, "%s/cpu.max", folder));
		period = quota ? strchr(quota, ' ') : NULL;
	} else {
		quota = proc_read(a, arena_printf(a, "%s/cpu.cfs_quota_us", folder));
		period = proc_read(a, arena_printf(a, "%s/cpu.cfs_period_us", folder));
	}
	if (!quota || !period)
		return 0;

	/* "max" and -1 mean none */
	double q = strtod(quota, NULL), p = strtod(period, NULL);

	return q > 0 && p > 0 ? q / p : 0;
}

/* The smallest quota from folder MOUNT PATH up to MOUNT. Inside a container PATH may be the
 * host's, so that only the folders near the mount exist. */
static double path_quota(struct arena *a, const char *mount, const char *path, bool v2)
{
	char *folder = arena_printf(a, "%s%s", mount, path);
	size_t top = strlen(mount);
	double least = 0;

	for (;;) {
		double q = folder_quota(a, folder, v2);
		char *slash = strrchr(folder, '/');

		if (q > 0 && (least == 0 || q < least))
			least = q;
		if (strlen(folder) <= top || !slash || (size_t)(slash - folder) < top)
			return least;
		*slash = '\0';
	}
}

double cgroup_quota(const char *root)
{
	struct arena *a = arena_new();
	char *text = proc_read(a, arena_printf(a, "%s/proc/self/cgroup", root));
	double least = 0;
	char *save = NULL;

	/* lines "0::/path" (v2) and "4:cpu,cpuacct:/path" (v1) */
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		names++;

		bool v2 = *names == '\0';
		bool cpu = strcmp(names, "cpu") == 0 || strncmp(names, "cpu,", 4) == 0 ||
			   strstr(names, ",cpu,") ||
			   (strlen(names) > 4 && strcmp(names + strlen(names) - 4, ",cpu") == 0);

		if (!v2 && !cpu)
			continue;

		const char *mount =
			arena_printf(a, "%s/sys/fs/cgroup%s%s", root, v2 ? "" : "/", names);
		double q = path_quota(a, mount, path, v2);

		if (q > 0 && (least == 0 || q < least))
			least = q;
	}
	arena_free(a);
	return least;
}
