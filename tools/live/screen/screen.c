/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/screen/screen.c - the terminal: keys in, cells out. What stands in them is of tools/live/view/view.c. */
#include "tools/live/screen/screen.h"

#include <unistd.h>

#include "base/err.h"
#include "config.h"

#ifndef HAVE_NCURSESW

bool screen_is_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

const char *screen_absent(void)
{
	return "this hone was built without ncurses (package libncurses-dev)";
}

int screen_watch(const struct live_watch *w)
{
	(void)w;
	return err_set("hone status --watch: %s", screen_absent());
}

#else

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <wchar.h>

#include "base/clock.h"
#include "tools/live/screen/restore.h"
#include "tools/live/screen/terminfo.h"
#include "tools/live/view/view.h"

const char *screen_absent(void)
{
	return NULL;
}

bool screen_is_possible(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && terminfo_is_screen();
}

struct screen {
	SCREEN *terminal;	/* of ncurses */
	const struct live_watch *watch;
	struct live_view view;
	struct status_vec now;	/* in LOOKED */
	struct arena *looked, *drawn;
	attr_t styles[STYLE_COUNT];
	bool utf8;
	struct hash128 first;	/* stamp of the first look */
	bool has_looked;
	bool begun, ended;	/* of live_is_over() */
	double next;		/* when to look again; seconds of clock_s() */
};

/* --- the terminal */

static void guard(void)
{
	struct text escapes = { 0 };

	terminfo_leave(&escapes);
	restore_begin(text_str(&escapes));
	text_free(&escapes);
}

static void choose_styles(struct screen *s)
{
	static const short parts[] = { COLOR_CYAN, COLOR_MAGENTA, COLOR_YELLOW, COLOR_GREEN,
				       COLOR_BLUE, COLOR_RED,	  COLOR_WHITE,	COLOR_WHITE };
	bool colours = has_colors() && start_color() == OK && use_default_colors() == OK;

	s->styles[STYLE_STRONG] = A_BOLD;
	s->styles[STYLE_HEAD] = A_REVERSE;
	s->styles[STYLE_FAINT] = A_DIM;
	for (int i = 0; i < STYLE_COUNT - STYLE_PART; i++)
		s->styles[STYLE_PART + i] = i % 2 ? A_BOLD : A_NORMAL;
	if (!colours)
		return;
	init_pair(1, COLOR_GREEN, -1);
	init_pair(2, COLOR_RED, -1);
	s->styles[STYLE_GOOD] = COLOR_PAIR(1);
	s->styles[STYLE_BAD] = COLOR_PAIR(2);
	for (short i = 0; i < STYLE_COUNT - STYLE_PART; i++) {
		init_pair((short)(3 + i), COLOR_BLACK, parts[i]);
		s->styles[STYLE_PART + i] = COLOR_PAIR(3 + i);
	}
}

static int open_screen(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	guard();
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal) {
		restore_end();
		return err_set("hone status --watch: the terminal cannot be used: check TERM, or see "
			       "blocks of text by hone status --watch | cat");
	}
	set_escdelay(50);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	choose_styles(s);
	return 0;
}

static void close_screen(struct screen *s)
{
	endwin();
	restore_end();
	delscreen(s->terminal);
}

static void show(const struct screen *s, const struct canvas *c)
{
	for (int row = 0; row < c->rows; row++) {
		for (int i = 0; i < c->columns; i++) {
			const struct canvas_cell *cell = &c->cells[row * c->columns + i];
			const wchar_t text[2] = { (wchar_t)cell->c, 0 };
			cchar_t one;

			if (!cell->c)
				continue;
			setcchar(&one, text, s->styles[cell->style] & A_ATTRIBUTES,
				 (short)PAIR_NUMBER(s->styles[cell->style]), NULL);
			mvadd_wch(row, i, &one);
		}
	}
	refresh();
}

static void draw(struct screen *s)
{
	int rows, columns;

	getmaxyx(stdscr, rows, columns);
	arena_reset(s->drawn);
	struct canvas c = canvas_new(s->drawn, columns, rows, s->utf8);

	live_draw(&c, s->drawn, &s->now, &s->view);
	erase();
	show(s, &c);
}

/* --- keys */

static enum live_key key_of(int c)
{
	static const struct {
		int c;
		enum live_key key;
	} keys[] = {
		{ 'q', LIVE_KEY_QUIT },		   { 'Q', LIVE_KEY_QUIT },
		{ KEY_UP, LIVE_KEY_UP },	   { 'k', LIVE_KEY_UP },
		{ KEY_DOWN, LIVE_KEY_DOWN },	   { 'j', LIVE_KEY_DOWN },
		{ KEY_PPAGE, LIVE_KEY_PAGE_UP },   { KEY_NPAGE, LIVE_KEY_PAGE_DOWN },
		{ KEY_HOME, LIVE_KEY_FIRST },	   { 'g', LIVE_KEY_FIRST },
		{ KEY_END, LIVE_KEY_LAST },	   { 'G', LIVE_KEY_LAST },
		{ 's', LIVE_KEY_SORT },		   { 'r', LIVE_KEY_BACKWARDS },
		{ 'p', LIVE_KEY_PAUSE },	   { ' ', LIVE_KEY_PAUSE },
		{ 'c', LIVE_KEY_CAMPAIGN },	   { '\t', LIVE_KEY_CAMPAIGN },
		{ '?', LIVE_KEY_HELP },		   { 'h', LIVE_KEY_HELP },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].c == c)
			return keys[i].key;
	return LIVE_KEY_NONE;
}

/* What was typed since; false: to quit. A new size is a key, too. */
static bool take_keys(struct screen *s, bool *changed)
{
	for (int c = getch(); c != ERR; c = getch()) {
		enum live_key key = key_of(c);

		if (key == LIVE_KEY_QUIT)
			return false;
		live_press(&s->view, &s->now, key);
		*changed |= key != LIVE_KEY_NONE || c == KEY_RESIZE;
	}
	return true;
}

/* Until a key, a new size, a signal or the next look; false: the terminal is gone. */
static bool wait_for_keys(const struct screen *s)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	double left = s->next - clock_s();
	int ms = left <= 0 ? 0 : left > 1 ? 1000 : (int)(left * 1e3) + 1;

	if (poll(&in, 1, ms) < 0)
		return errno == EINTR;
	return !(in.revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* --- campaigns */

/* What there is is kept until the next has been read. */
static int look(struct screen *s)
{
	struct arena *a = arena_new();
	double from = clock_s();
	struct status_vec now;

	if (status_look(&s->watch->query, a, &now) < 0) {
		arena_free(a);
		return -1;
	}
	arena_free(s->looked);
	s->looked = a;
	s->now = now;
	if (!s->has_looked)
		s->first = live_stamp(&now);
	s->has_looked = true;
	s->ended = live_is_over(&now, s->first, &s->begun);
	s->next = clock_s() + live_pause(clock_s() - from);
	return 0;
}

static int watch(struct screen *s)
{
	bool changed = true;

	while (!*s->watch->stop) {
		if (!s->view.paused && clock_s() >= s->next) {
			if (look(s) < 0)
				return -1;
			changed = true;
		} else if (s->view.paused && clock_s() >= s->next) {
			s->next = clock_s() + live_pause(0);
		}
		if (s->ended && s->watch->until_done)
			return 0;
		if (changed)
			draw(s);
		changed = false;
		if (!wait_for_keys(s) || !take_keys(s, &changed))
			return 0;
	}
	return 0;
}

int screen_watch(const struct live_watch *w)
{
	struct screen s = { .watch = w, .view.db = w->query.db, .looked = arena_new(), .drawn = arena_new() };
	int rc = open_screen(&s);

	if (rc == 0) {
		rc = watch(&s);
		close_screen(&s);
	}
	arena_free(s.looked);
	arena_free(s.drawn);
	return rc;
}

#endif
