/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/archive.c - tar, compressed, by libarchive. */
#include "tools/record/archive.h"

#include "base/err.h"
#include "base/text.h"
#include "config.h"

#include <string.h>

bool archive_is_name(const char *path)
{
	return text_ends_with(path, ".tar.gz") || text_ends_with(path, ".tgz") ||
	       text_ends_with(path, ".tar.zst");
}

bool archive_is(const char *text, size_t n)
{
	return n >= 4 && (memcmp(text, "\x1f\x8b", 2) == 0 || memcmp(text, "\x28\xb5\x2f\xfd", 4) == 0);
}

#ifndef HAVE_LIBARCHIVE

static int is_missing(const char *path)
{
	return err_set("%s: this hone was built without libarchive (package libarchive-dev): build it with that, "
		       "or use a folder or a log (.jsonl)", path);
}

json_t *archive_files(struct arena *a, const char *folder)
{
	(void)a;
	is_missing(folder);
	return NULL;
}

int archive_write(const char *path, const char *folder, const char *root)
{
	(void)folder;
	(void)root;
	return is_missing(path);
}

char *archive_records(struct arena *a, const char *path, size_t *n)
{
	(void)a;
	*n = 0;
	is_missing(path);
	return NULL;
}

#else

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "codegen/export.h"
#include "base/vec.h"

/* 1980, as other formats begin: tar warns of 1970. */
#define MOMENT 315532800
#define FILE_MOST ((size_t)1 << 32)
/* Of an archive, unpacked. */
#define ALL_MOST ((int64_t)1 << 34)

struct archive_names VEC(const char *);

static int by_name(const FTSENT **x, const FTSENT **y)
{
	return strcmp((*x)->fts_name, (*y)->fts_name);
}

/* Names below FOLDER of what is there, folders with a / at their end. */
static int list(struct arena *a, const char *folder, struct archive_names *out)
{
	char *const paths[] = { arena_strdup(a, folder), NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	size_t skip = strlen(folder) + 1;

	if (!fts)
		return err_set("%s cannot be read: %s", folder, strerror(errno));
	for (FTSENT *e; (e = fts_read(fts));)
		if (e->fts_level > 0 && (e->fts_info == FTS_D || e->fts_info == FTS_F))
			vec_push(a, out, arena_printf(a, "%s%s", e->fts_path + skip, e->fts_info == FTS_D ? "/" : ""));
	fts_close(fts);
	return 0;
}

/* --- the manifest's list */

static const char licence_mark[] = "SPDX-License-Identifier: ";

/* What hone wrote is anybody's; sources of hone's own that come along say what they are; numbers are the model's. */
static json_t *licence_json(struct arena *a, const char *name, const char *bytes, size_t n)
{
	const char *head = arena_strndup(a, bytes ? bytes : "", n < 4096 ? n : 4096);
	const char *mark = strstr(head, licence_mark);

	if (text_ends_with(name, ".bin") || text_ends_with(name, ".npy"))
		return json_null();
	if (!mark)
		return json_string(EXPORT_LICENCE);
	mark += strlen(licence_mark);
	return json_stringn(mark, strcspn(mark, " \n*"));
}

static json_t *file_json(struct arena *a, const char *folder, const char *name)
{
	size_t n;
	char hash[HASH_TEXT];
	const unsigned char *bytes = file_map(a, arena_printf(a, "%s/%s", folder, name), FILE_MOST, &n);

	if (!bytes && n > 0)
		return NULL;
	hash_text(hash_bytes(bytes ? bytes : (const unsigned char *)"", n), hash);
	return json_pack("{s:s, s:I, s:s, s:o}", "file", name, "bytes", (json_int_t)n, "xxh128", hash, "licence",
			 licence_json(a, name, (const char *)bytes, n));
}

json_t *archive_files(struct arena *a, const char *folder)
{
	struct archive_names names = { 0 };
	json_t *files = json_array();

	if (list(a, folder, &names) < 0)
		return json_decref(files), NULL;
	for (int i = 0; i < names.n; i++) {
		if (text_ends_with(names.at[i], "/"))
			continue;
		json_t *one = file_json(a, folder, names.at[i]);

		if (!one)
			return json_decref(files), NULL;
		json_array_append_new(files, one);
	}
	return files;
}

/* --- writing */

static int failed(struct archive *w, const char *path)
{
	const char *why = archive_error_string(w);

	return err_set("%s: the archive cannot be written: %s", path, why ? why : "for an unknown reason");
}

static int put(struct arena *a, struct archive *w, const char *path, const char *folder, const char *root,
	       const char *name)
{
	bool is_folder = !*name || text_ends_with(name, "/");
	struct archive_entry *e = archive_entry_new();
	const unsigned char *bytes = NULL;
	size_t n = 0;

	if (!is_folder) {
		bytes = file_map(a, arena_printf(a, "%s/%s", folder, name), FILE_MOST, &n);
		if (!bytes && n > 0)
			return archive_entry_free(e), -1;
	}
	archive_entry_set_pathname(e, arena_printf(a, "%s/%s", root, name));
	archive_entry_set_filetype(e, is_folder ? AE_IFDIR : AE_IFREG);
	archive_entry_set_perm(e, is_folder ? 0755 : 0644);
	archive_entry_set_size(e, (int64_t)n);
	archive_entry_set_mtime(e, MOMENT, 0);
	int rc = archive_write_header(w, e) == ARCHIVE_OK && archive_write_data(w, bytes, n) == (ssize_t)n
			 ? 0
			 : failed(w, path);

	archive_entry_free(e);
	return rc;
}

static int put_all(struct arena *a, struct archive *w, const char *path, const char *part, const char *folder,
		   const char *root)
{
	struct archive_names names = { 0 };
	bool zstd = text_ends_with(path, ".zst");
	int rc = list(a, folder, &names);

	if (rc == 0 && (archive_write_set_format_pax_restricted(w) != ARCHIVE_OK ||
			(zstd ? archive_write_add_filter_zstd(w) : archive_write_add_filter_gzip(w)) != ARCHIVE_OK ||
			(!zstd && archive_write_set_filter_option(w, "gzip", "timestamp", NULL) != ARCHIVE_OK) ||
			archive_write_open_filename(w, part) != ARCHIVE_OK))
		rc = failed(w, path);
	if (rc == 0)
		rc = put(a, w, path, folder, root, "");
	for (int i = 0; i < names.n && rc == 0; i++)
		rc = put(a, w, path, folder, root, names.at[i]);
	if (rc == 0 && archive_write_close(w) != ARCHIVE_OK)
		rc = failed(w, path);
	return rc;
}

int archive_write(const char *path, const char *folder, const char *root)
{
	struct arena *a = arena_new();
	struct archive *w = archive_write_new();
	const char *part = arena_printf(a, "%s.part-%jd", path, (intmax_t)getpid());
	int rc = w ? put_all(a, w, path, part, folder, root) : err_set("%s: no memory for an archive", path);

	archive_write_free(w);
	if (rc == 0 && rename(part, path) < 0)
		rc = err_set("%s cannot be written: %s", path, strerror(errno));
	if (rc < 0)
		unlink(part);
	arena_free(a);
	return rc;
}

/* --- reading */

/* A file that was read, by what its name is below the archive's folder. */
struct entry_hash {
	const char *name;
	char hash[HASH_TEXT];
	bool is_listed;
};

struct archive_reader {
	struct arena *a;
	const char *path;
	struct archive *in;
	int64_t bytes;		/* so far */
	struct entry_hashes VEC(struct entry_hash) files;
	char *manifest, *records;
	size_t n_manifest, n_records;
};

/* NULL where NAME is that of something in a folder, and below that. */
static const char *name_fault(const char *name)
{
	if (!name || !*name)
		return "has an entry without a name";
	if (*name == '/')
		return "has an absolute name in it";
	for (const char *s = name; *s; s += strcspn(s, "/"), s += strspn(s, "/"))
		if (strcspn(s, "/") == 2 && strncmp(s, "..", 2) == 0)
			return "has a name in it that leads out of its folder";
	return strchr(name, '/') ? NULL : "has a file beside its folder";
}

static int refuse(const struct archive_reader *r, const char *why)
{
	return err_set("%s: nothing is taken of it: it %s", r->path, why);
}

/* All of the entry that comes next, on the heap. */
static char *read_entry(struct archive_reader *r, size_t *n)
{
	struct text all = { 0 };
	char buffer[1 << 16];
	ssize_t got;

	while ((got = archive_read_data(r->in, buffer, sizeof(buffer))) > 0) {
		text_putn(&all, buffer, (size_t)got);
		r->bytes += got;
		if (r->bytes > ALL_MOST || all.n > FILE_MOST) {
			refuse(r, "is larger than any that hone writes");
			break;
		}
	}
	if (got < 0)
		refuse(r, arena_printf(r->a, "is damaged or cut off (%s)", archive_error_string(r->in)));
	*n = all.n;
	if (got == 0)
		return all.s ? all.s : calloc(1, 1);
	text_free(&all);
	return NULL;
}

static int take_entry(struct archive_reader *r, struct archive_entry *e)
{
	const char *name = archive_entry_pathname(e), *why = name_fault(name);
	size_t n;

	if (archive_entry_filetype(e) == AE_IFDIR && (!why || (*name && !strchr(name, '/') && strcmp(name, "..") != 0)))
		return 0;
	if (why)
		return refuse(r, why);
	if (archive_entry_filetype(e) != AE_IFREG || archive_entry_hardlink(e))
		return refuse(r, "has something in it that is no file, such as a link");
	char *bytes = read_entry(r, &n);

	if (!bytes)
		return -1;
	struct entry_hash file = { .name = arena_strdup(r->a, strchr(name, '/') + 1) };

	hash_text(hash_bytes(bytes, n), file.hash);
	vec_push(r->a, &r->files, file);
	if (strcmp(file.name, ARCHIVE_MANIFEST) == 0)
		r->manifest = arena_memdup(r->a, bytes, r->n_manifest = n);
	if (strcmp(file.name, ARCHIVE_RECORDS) == 0)
		r->records = arena_memdup(r->a, bytes, r->n_records = n);
	free(bytes);
	return 0;
}

static int check_listed(struct archive_reader *r, const json_t *listed)
{
	const char *name = json_string_value(json_object_get(listed, "file"));
	const char *hash = json_string_value(json_object_get(listed, "xxh128"));

	for (int i = 0; name && hash && i < r->files.n; i++) {
		struct entry_hash *f = &r->files.at[i];

		if (strcmp(f->name, name) != 0)
			continue;
		f->is_listed = true;
		return strcmp(f->hash, hash) == 0
			       ? 0
			       : refuse(r, arena_printf(r->a, "has a file %s that is not the one of its manifest: "
							      "the hash is %s, not %s", name, f->hash, hash));
	}
	return refuse(r, arena_printf(r->a, "lacks the file %s of its manifest", name ? name : "without a name"));
}

static int check_manifest(struct archive_reader *r)
{
	json_t *json = r->manifest ? json_loadb(r->manifest, r->n_manifest, 0, NULL) : NULL;
	json_t *files = json_object_get(json, "files"), *one;
	size_t i;
	int rc = json_is_array(files) && r->records ? 0
						    : refuse(r, "is none that hone export wrote: it has no "
								ARCHIVE_MANIFEST " with files, or no " ARCHIVE_RECORDS);

	json_array_foreach(files, i, one) {
		if (rc == 0)
			rc = check_listed(r, one);
	}
	for (int k = 0; k < r->files.n && rc == 0; k++)
		if (!r->files.at[k].is_listed && strcmp(r->files.at[k].name, ARCHIVE_MANIFEST) != 0)
			rc = refuse(r, arena_printf(r->a, "has a file %s that its manifest does not tell of",
						    r->files.at[k].name));
	json_decref(json);
	return rc;
}

static int read_all(struct archive_reader *r)
{
	struct archive_entry *e;
	int rc;

	archive_read_support_filter_gzip(r->in);
	archive_read_support_filter_zstd(r->in);
	archive_read_support_format_tar(r->in);
	if (archive_read_open_filename(r->in, r->path, 1 << 16) != ARCHIVE_OK)
		return refuse(r, arena_printf(r->a, "is no archive of hone (%s)", archive_error_string(r->in)));
	while ((rc = archive_read_next_header(r->in, &e)) == ARCHIVE_OK)
		if (take_entry(r, e) < 0)
			return -1;
	if (rc != ARCHIVE_EOF)
		return refuse(r, arena_printf(r->a, "is damaged or cut off (%s)", archive_error_string(r->in)));
	return check_manifest(r);
}

char *archive_records(struct arena *a, const char *path, size_t *n)
{
	struct archive_reader r = { .a = a, .path = path, .in = archive_read_new() };
	int rc = r.in ? read_all(&r) : err_set("%s: no memory for an archive", path);

	archive_read_free(r.in);
	*n = rc == 0 ? r.n_records : 0;
	return rc == 0 ? r.records : NULL;
}

#endif
