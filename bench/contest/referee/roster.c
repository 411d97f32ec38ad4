/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/roster.c - finds the programs of contestants, and asks each for its entries. */
#include "bench/contest/referee/roster.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/referee/player.h"

/* Importing a Python engine takes seconds, on a busy machine many. */
#define ENTRIES_LIMIT_S 120.0

enum contestant_kind { PROGRAM, ENGINE };

static const struct listed {
	const char *name;
	enum contestant_kind kind;
	const char *install;
} list[] = {
#define X(name, kind, install) {#name, kind, install},
#include "bench/contest/contestants.def"
#undef X
};

enum { LISTED = sizeof(list) / sizeof(*list) };

static const struct {
	const char *ours;	/* of hone-contestant-NAME */
	const char *script;	/* what speaks for an engine */
	bool programs;		/* libraries take part */
} kinds[] = {
	[ROSTER_KERNELS] = {"hone", "engine.py", true},
	[ROSTER_MODELS] = {"model", "whole.py", false},
};

static bool takes_part(enum roster_kind kind, const struct listed *l)
{
	return l->kind == ENGINE || kinds[kind].programs;
}

const char *roster_names(struct arena *a, enum roster_kind kind)
{
	const char *names = "";

	for (int i = 0; i < LISTED; i++)
		if (takes_part(kind, &list[i]))
			names = arena_printf(a, "%s%s%s", names, *names ? ", " : "", list[i].name);
	return names;
}

/* PEER is the contestant NAME, or one of its entries. */
static bool means(const char *peer, const char *name)
{
	size_t n = strlen(name);

	return strncmp(peer, name, n) == 0 && (peer[n] == '\0' || peer[n] == '/');
}

bool roster_knows(enum roster_kind kind, const char *name)
{
	for (int i = 0; i < LISTED; i++)
		if (takes_part(kind, &list[i]) && means(name, list[i].name))
			return true;
	return false;
}

/* The first of the places where FILE can be opened as MODE says: beside this program, or where
 * hone is installed. */
static const char *find(struct arena *a, const char *beside, const char *installed, int mode)
{
	const char *folder = getenv("HONE_CONTESTANTS");

	if (!folder || !*folder)
		folder = program_folder(a);
	if (folder)
		beside = arena_printf(a, "%s/%s", folder, beside);
	return folder && access(beside, mode) == 0 ? beside
	       : access(installed, mode) == 0	   ? installed
						   : NULL;
}

static const char *const *program_argv(struct arena *a, const char *name)
{
	const char *beside = arena_printf(a, "hone-contestant-%s", name);
	const char *installed = arena_printf(a, "%s/%s", HONE_LIBEXECDIR, beside);
	const char *program = find(a, beside, installed, X_OK);
	const char **argv = arena_many(a, const char *, 2);

	argv[0] = program;
	return program ? argv : NULL;
}

/* The Python of the virtual environment that bench/contest/setup makes. */
static const char *engine_python(struct arena *a)
{
	const char *venv = getenv("HONE_CONTEST_VENV"), *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (!venv || !*venv)
		venv = data && *data
			       ? arena_printf(a, "%s/hone/contest", data)
			       : arena_printf(a, "%s/.local/share/hone/contest", home ? home : "");
	const char *python = arena_printf(a, "%s/bin/python", venv);

	return access(python, X_OK) == 0 ? python : NULL;
}

static const char *const *engine_argv(struct arena *a, enum roster_kind kind, const char *name)
{
	const char *python = engine_python(a), *file = kinds[kind].script;
	const char *script = find(a, arena_printf(a, "bench/contest/%s", file),
				  arena_printf(a, HONE_DATADIR "/contest/%s", file), R_OK);
	const char **argv = arena_many(a, const char *, 4);

	argv[0] = python;
	argv[1] = script;
	argv[2] = name;
	return python && script ? argv : NULL;
}

/* Its entries, of which PEERS names all or some. The reason it is absent, or NULL. */
static const char *enter(struct arena *a, const char *name, const char *const *argv,
			 const char *const *peers, int n, const char *log, struct roster *out)
{
	static const char *const env[] = {NULL};
	struct entry_vec entries = {0};
	struct player p;
	const char *text;

	if (!argv)
		return "it is not there";
	player_start(a, &p, argv, env, log, ENTRIES_LIMIT_S);
	enum answer got = player_entries(a, &p, &entries, &text);
	int64_t bare_kb = player_peak_kb(&p);

	player_end(&p);
	if (got != ANSWER_OK)
		return text;
	for (int i = 0; i < entries.n; i++) {
		const char *full = arena_printf(a, "%s/%s", name, entries.at[i].name);
		bool wanted = n == 0;

		for (int j = 0; j < n; j++)
			wanted |= strcmp(peers[j], name) == 0 || strcmp(peers[j], full) == 0;
		if (wanted)
			vec_push(a, &out->competitors,
				 (struct competitor){full, entries.at[i].name, entries.at[i].clock,
						     text, argv, bare_kb});
	}
	return NULL;
}

static int enter_hone(struct arena *a, enum roster_kind kind, const char *log, struct roster *out)
{
	const char *ours = kinds[kind].ours;
	const char *const *argv = program_argv(a, ours);
	const char *why = argv ? enter(a, ours, argv, NULL, 0, log, out) : NULL;

	if (!argv)
		return err_set("hone-contestant-%s is neither beside hone nor in %s (install "
			       "hone, or set HONE_CONTESTANTS)",
			       ours, HONE_LIBEXECDIR);
	if (why || out->competitors.n != 1)
		return err_set("%s: %s", argv[0], why ? why : "has not one entry");
	out->competitors.at[0].name = "hone";
	return 0;
}

/* PEER is an absent contestant's, or has competitors. */
static bool is_entered(const struct roster *r, const char *peer)
{
	for (int i = 0; i < r->absent.n; i++)
		if (means(peer, r->absent.at[i].name))
			return true;
	for (int i = 0; i < r->competitors.n; i++)
		if (means(r->competitors.at[i].name, peer))
			return true;
	return false;
}

int roster_open(struct arena *a, enum roster_kind kind, const char *const *peers, int n,
		const char *log, struct roster *out)
{
	*out = (struct roster){0};
	if (enter_hone(a, kind, log, out) < 0)
		return -1;
	for (int i = 0; i < LISTED; i++) {
		const struct listed *l = &list[i];
		bool wanted = n == 0;

		for (int j = 0; j < n; j++)
			wanted |= means(peers[j], l->name);
		if (!wanted || !takes_part(kind, l))
			continue;
		const char *const *argv = l->kind == PROGRAM ? program_argv(a, l->name)
							     : engine_argv(a, kind, l->name);
		const char *why = enter(a, l->name, argv, peers, n, log, out);

		if (why)
			vec_push(a, &out->absent, (struct absentee){l->name, why, l->install});
	}
	for (int j = 0; j < n; j++)
		if (!is_entered(out, peers[j]))
			return err_set("%s: there is no such entry (--peer %.*s takes all of "
				       "them)",
				       peers[j], (int)strcspn(peers[j], "/"), peers[j]);
	return 0;
}
