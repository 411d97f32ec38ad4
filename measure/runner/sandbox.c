/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/sandbox.c - a seccomp filter, and Landlock rules below it: what no list of calls foresees
 * still changes no file. */
#include "measure/runner/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The filter knows arguments by their low halves, which come first on all of these. */
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

static const struct {
	const char *name, *meaning;
	int number;
} denied[] = {
#define X(call, meaning) { #call, meaning, __NR_##call },
#include "measure/runner/denied.def"
#undef X
/* Refused for some arguments only. */
#ifdef __NR_open
	{ "open", "opens a file for writing", __NR_open },
#endif
	{ "openat", "opens a file for writing", __NR_openat },
	{ "clone", "starts a process", __NR_clone },
	{ "kill", "signals another process", __NR_kill },
	{ "tgkill", "signals another process", __NR_tgkill },
	{ "prlimit64", "touches another process", __NR_prlimit64 },
	{ "prctl", "outlives hone", __NR_prctl },
};

enum {
	N_DENIED = sizeof(denied) / sizeof(denied[0]),
	FILTER_MAX = 2 * N_DENIED + 64,
};

const char *sandbox_call(int number, const char **meaning)
{
	for (int i = 0; i < N_DENIED; i++)
		if (denied[i].number == number) {
			*meaning = denied[i].meaning;
			return denied[i].name;
		}
	return NULL;
}

/* --- the filter */

#ifdef ARCHITECTURE
struct filter {
	struct sock_filter at[FILTER_MAX];
	unsigned short n;
};

static void put(struct filter *f, uint16_t code, uint32_t k, uint8_t if_true, uint8_t if_false)
{
	f->at[f->n++] = (struct sock_filter){ code, if_true, if_false, k };
}

static void answer(struct filter *f, uint32_t action)
{
	put(f, BPF_RET | BPF_K, action, 0, 0);
}

/* The next so many INSTRUCTIONS are for call NUMBER alone. */
static void when(struct filter *f, int number, uint8_t instructions)
{
	put(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, instructions);
}

/* Allows call NUMBER where COMPARE (BPF_JEQ, or BPF_JSET: has a bit of) its argument ARG with VALUE
 * is as WANTED. */
static void restrict_call(struct filter *f, int number, int arg, uint16_t compare, uint32_t value,
			  bool wanted)
{
	when(f, number, 4);
	put(f, BPF_LD | BPF_W | BPF_ABS,
	    (uint32_t)(offsetof(struct seccomp_data, args) + sizeof(uint64_t) * (size_t)arg), 0, 0);
	put(f, BPF_JMP | compare | BPF_K, value, wanted, !wanted);
	answer(f, SECCOMP_RET_TRAP);
	answer(f, SECCOMP_RET_ALLOW);
}

static void fill(struct filter *f)
{
	const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	const uint32_t self = (uint32_t)getpid();

	put(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	put(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	answer(f, SECCOMP_RET_KILL_PROCESS);
	put(f, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	/* Those whose arguments lie in memory, where no filter sees them: as on an older kernel. The
	 * C library then takes clone, and open. */
	when(f, __NR_clone3, 1);
	answer(f, SECCOMP_RET_ERRNO | ENOSYS);
	when(f, __NR_openat2, 1);
	answer(f, SECCOMP_RET_ERRNO | ENOSYS);
#ifdef __NR_open
	restrict_call(f, __NR_open, 1, BPF_JSET, writing, false);
#endif
	restrict_call(f, __NR_openat, 2, BPF_JSET, writing, false);
	restrict_call(f, __NR_clone, 0, BPF_JSET, CLONE_THREAD, true);
	restrict_call(f, __NR_kill, 0, BPF_JEQ, self, true);
	restrict_call(f, __NR_tgkill, 0, BPF_JEQ, self, true);
	restrict_call(f, __NR_prlimit64, 0, BPF_JEQ, 0, true);
	restrict_call(f, __NR_prctl, 0, BPF_JEQ, PR_SET_PDEATHSIG, false);
#define X(call, meaning)                                                                           \
	when(f, __NR_##call, 1);                                                                   \
	answer(f, SECCOMP_RET_TRAP);
#include "measure/runner/denied.def"
#undef X
#ifdef __x86_64__
	/* x32: the same calls by other numbers */
	put(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
	answer(f, SECCOMP_RET_KILL_PROCESS);
#endif
	answer(f, SECCOMP_RET_ALLOW);
}

/* SPEC_ALLOW: else kernels before 5.16 run the process without speculative stores, which is slower
 * than the kernel will be for its user. */
static bool filter_calls(void)
{
	struct filter f = { .n = 0 };

	fill(&f);
	struct sock_fprog program = { f.n, f.at };

	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		       &program) == 0;
}
#else
static bool filter_calls(void)
{
	return false;
}
#endif

/* --- Landlock */

/* As of version 6, whatever version the headers are: linux/landlock.h. */
struct sandbox_rules {
	uint64_t files, network, scopes;
};

/* Nothing of it is granted anywhere; reading is not among it. */
static struct sandbox_rules rules_of(int version)
{
	const uint64_t write_file = 1u << 1, remove_and_make = 0x1ff0, refer = 1u << 13,
		       truncate = 1u << 14, tcp = 3, scopes = 3;

	return (struct sandbox_rules){
		.files = write_file | remove_and_make | (version >= 2 ? refer : 0) |
			 (version >= 3 ? truncate : 0),
		.network = version >= 4 ? tcp : 0,
		.scopes = version >= 6 ? scopes : 0,
	};
}

static int restrict_files(void)
{
#ifdef __NR_landlock_create_ruleset
	const unsigned ask_version = 1;
	long version = syscall(__NR_landlock_create_ruleset, NULL, 0, ask_version);

	if (version < 1)
		return 0;
	struct sandbox_rules rules = rules_of((int)version);
	size_t size = version >= 6 ? sizeof(rules) : sizeof(uint64_t) * (version >= 4 ? 2 : 1);
	int fd = (int)syscall(__NR_landlock_create_ruleset, &rules, size, 0);

	if (fd < 0)
		return 0;
	long rc = syscall(__NR_landlock_restrict_self, fd, 0);

	close(fd);
	return rc == 0 ? (int)version : 0;
#else
	return 0;
#endif
}

/* --- the one exception */

#if defined(__x86_64__)
#define ARG0(m) ((m)->gregs[REG_RDI])
#define ARG1(m) ((m)->gregs[REG_RSI])
#define RESULT(m) ((m)->gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARG0(m) ((m)->regs[0])
#define ARG1(m) ((m)->regs[1])
#define RESULT(m) ((m)->regs[0])
#elif defined(ARCHITECTURE)
#define ARG0(m) ((m)->__gregs[REG_A0])
#define ARG1(m) ((m)->__gregs[REG_A0 + 1])
#define RESULT(m) ((m)->__gregs[REG_A0])
#endif

#ifdef ARCHITECTURE
/* By a file of this name copies of LLVM's OpenMP runtime in a process find each other; it aborts
 * where it cannot make one (llvm-project, openmp/runtime/src/kmp_runtime.cpp). */
static bool is_openmp_mark(const char *path)
{
	static const char mark[] = "/dev/shm/__KMP_REGISTERED_LIB_";

	return strncmp(path, mark, sizeof(mark) - 1) == 0;
}

bool sandbox_answer(int number, void *context)
{
	mcontext_t *m = &((ucontext_t *)context)->uc_mcontext;

	if (number == __NR_openat && is_openmp_mark((const char *)ARG1(m))) {
		RESULT(m) = syscall(__NR_memfd_create, "openmp", 0);
		return true;
	}
#ifdef __NR_unlink
	bool removes = number == __NR_unlink && is_openmp_mark((const char *)ARG0(m));
#else
	bool removes = false;
#endif
	if (removes || (number == __NR_unlinkat && is_openmp_mark((const char *)ARG1(m)))) {
		RESULT(m) = 0;
		return true;
	}
	return false;
}
#else
bool sandbox_answer(int number, void *context)
{
	(void)number;
	(void)context;
	return false;
}
#endif

/* --- */

struct sandbox sandbox_enter(void)
{
	struct sandbox s = { 0 };

#if !defined(__SANITIZE_ADDRESS__)	/* whose leak checker is a process of its own */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
		s.landlock = restrict_files();
		s.filter = filter_calls();
	}
#endif
	return s;
}

struct sandbox sandbox_try(void)
{
	enum { FILTER = 64 };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct sandbox s = sandbox_enter();

		_exit(s.landlock % FILTER + (s.filter ? FILTER : 0));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return (struct sandbox){ 0 };
	return (struct sandbox){ .filter = WEXITSTATUS(status) >= FILTER,
				 .landlock = WEXITSTATUS(status) % FILTER };
}
