/* An implementation that does harm when a manifest says so: as a program of the contract,
 * as a session, and as a library. The variable HOSTILE says what harm, or else the word
 * after "hostile" in the manifest. It rejects what is hostile, accepts what has "good" in
 * it, and rejects all else.
 *
 * cc hostile.c -o hostile; cc -shared -fPIC -DLIBRARY hostile.c -o libhostile.so */

#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *own;
static int is_session;
static char harm[64];

static void sleep_for_ever(void) {
    for (;;) pause();
}

static void put(int stream, const char *text) {
    if (write(stream, text, strlen(text)) < 0) _exit(9);
}

/* Ten gigabytes, on each of the streams that are asked for. */
static void flood(int out, int err, const char *piece) {
    char block[65536];
    size_t size = strlen(piece);
    for (size_t at = 0; at < sizeof block; at++) block[at] = piece[at % size];
    if (out && err && fork() == 0) out = 0;
    for (long left = 10L << 30; left > 0; left -= sizeof block)
        if (write(out ? 1 : 2, block, sizeof block) < 0) break;
}

/* Whether this is the daemon. */
static int is_daemon(void) {
    if (fork() != 0) return 0;
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 64; fd++) close(fd);
    return 1;
}

/* Goes on as another program, with nothing but the mark in its environment: without that
 * the test would not find it either. */
static void run_bare(const char *program, const char *word) {
    char mark[4096] = "";
    const char *known = getenv("HOSTILE_MARK");
    if (known) snprintf(mark, sizeof mark, "HOSTILE_MARK=%s", known);
    char *environment[] = {mark, NULL};
    execle(program, program, word, NULL, environment);
}

static void daemonise(int keeps_environment) {
    if (!is_daemon()) return;
    if (!keeps_environment) run_bare("/bin/sleep", "600");
    sleep_for_ever();
}

/* For some time, all documents of all cases that run. */
static void delete_all(int millis) {
    char pattern[4096];
    snprintf(pattern, sizeof pattern, "%s/tmp/*/in/*.yaml", getenv("HOSTILE_MARK"));
    for (; millis > 0; millis--) {
        glob_t found;
        if (glob(pattern, 0, NULL, &found) == 0)
            for (size_t at = 0; at < found.gl_pathc; at++) unlink(found.gl_pathv[at]);
        globfree(&found);
        usleep(1000);
    }
}

static void mount_on(const char *what, const char *target) {
    char source[4096];
    snprintf(source, sizeof source, "%s/%s", getenv("HOSTILE_MARK"), what);
    if (mount(source, target, NULL, MS_BIND, NULL) != 0) _exit(9);
}

static void fork_without_end(void) {
    /* Bounded, so that a test that fails does not harm the machine. */
    for (int count = 0; count < 300; count++)
        if (fork() == 0) {
            if (count % 3 == 0) setsid();
            signal(SIGTERM, SIG_IGN);
            sleep_for_ever();
        }
    sleep_for_ever();
}

static void allocate_without_end(void) {
    for (;;) {
        char *block = malloc(16 << 20);
        if (block == NULL) abort();
        memset(block, 1, 16 << 20);
    }
}

static void fill_folder(void) {
    char block[65536], name[64];
    memset(block, 'x', sizeof block);
    /* Bounded as well. */
    for (int count = 0; count < 64; count++) {
        snprintf(name, sizeof name, "%s/full-%d", getenv("TMPDIR"), count);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        for (int blocks = 0; file >= 0 && blocks < 16; blocks++)
            if (write(file, block, sizeof block) < 0) blocks = 16;
        close(file);
    }
}

static void write_tricks(void) {
    static const char tricks[] =
        "\xff\xfe\xc3\x28 a\0b \033[2J\033[31m\033]0;title\a\r\n"
        "::error file=x,line=1::forged\n::stop-commands::pause\n##[error]forged\n"
        "</script><script>alert(1)</script>]]><!--\n"
        "ok 1 - forged\nnot ok 2 - forged\n1..0 # SKIP forged\n"
        "all: conforms\nvalidator-strict: conforms\n\xe2\x80\xae reversed\n";
    for (int stream = is_session ? 2 : 1; stream <= 2; stream++)
        if (write(stream, tricks, sizeof tricks - 1) < 0) _exit(9);
}

/* What is done, given the path of the manifest; 0 to go on and reject. */
static int misbehave(const char *manifest) {
    const char *what = harm;
#define IS(name) (strcmp(what, name) == 0)
    if (IS("never-exits")) {
        char path[4096];
        snprintf(path, sizeof path, "%s/hanging", getenv("HOSTILE_MARK"));
        close(open(path, O_CREAT | O_WRONLY, 0600));
        sleep_for_ever();
    }
    if (IS("ignores-sigterm")) {
        for (int number = 1; number < 32; number++) signal(number, SIG_IGN);
        for (;;) {}
    }
    if (IS("child-holds-stdout") && fork() == 0) sleep_for_ever();
    if (IS("child-holds-stdout-elsewhere") && fork() == 0) {
        setsid();
        sleep_for_ever();
    }
    if (IS("forks-without-end")) fork_without_end();
    if (IS("daemonises")) daemonise(1);
    if (IS("daemonises-without-environment")) daemonise(0);
    if (IS("deletes-all")) delete_all(300);
    if (IS("deletes-all-later") && is_daemon()) {
        delete_all(60000);
        _exit(0);
    }
    if (IS("deletes-all-later-without-environment") && is_daemon()) run_bare(own, "delete-all");
    if (IS("mounts")) {
        char target[4096];
        snprintf(target, sizeof target, "%s/a", getenv("TMPDIR"));
        mkdir(target, 0700);
        mount_on("victim", target);
        mount_on("victim", getenv("TMPDIR"));
    }
    if (IS("mounts-on-document")) mount_on("victim/kept", manifest);
    if (IS("floods-both")) flood(1, 1, "0123456789abcde\n");
    if (IS("floods-stdout")) flood(1, 0, "0123456789abcde\n");
    if (IS("floods-stderr")) flood(0, 1, "0123456789abcde\n");
    if (IS("endless-line")) flood(1, 0, "x");
    if (IS("closes-stdout")) {
        close(1);
        sleep_for_ever();
    }
    if (IS("reads-stdin")) {
        char byte;
        for (;;)
            if (read(0, &byte, 1) <= 0) usleep(1000);
    }
    if (IS("allocates")) allocate_without_end();
    if (IS("deletes")) unlink(manifest);
    if (IS("rewrites")) {
        chmod(manifest, 0644);
        int file = open(manifest, O_WRONLY | O_TRUNC);
        put(file, "project_id: good\n");
        close(file);
    }
    if (IS("replaces-by-link")) {
        unlink(manifest);
        if (symlink("/etc/passwd", manifest)) return 9;
    }
    if (IS("makes-unreadable")) chmod(manifest, 0);
    if (IS("removes-folder")) {
        char line[4096];
        snprintf(line, sizeof line, "rm -rf \"$(dirname \"$(dirname '%s')\")\"", manifest);
        if (system(line) < 0) return 9;
    }
    if (IS("fills-folder")) fill_folder();
    if (IS("fills-folder-and-stays")) {
        fill_folder();
        sleep_for_ever();
    }
    if (IS("writes-to-descriptors"))
        for (int fd = 3; fd < 64; fd++)
            if (write(fd, "forged\n", 7) == 7) _exit(9);
    if (IS("writes-tricks")) write_tricks();
    if (IS("exits-256")) exit(256);
    if (IS("exits-137")) exit(137);
    if (IS("exits-2")) exit(2);
    if (IS("crashes")) *(volatile int *)0 = 1;
    if (IS("stops-itself")) raise(SIGSTOP);
    if (IS("changes-own-mode")) chmod(own, 0600);
    if (IS("kills-its-group")) kill(0, SIGKILL);
    if (IS("kills-the-harness")) {
        daemonise(1);
        if (fork() == 0) sleep_for_ever();
        kill(getppid(), SIGKILL);
        sleep_for_ever();
    }
    if (IS("takes-its-time")) {
        /* One more millisecond each time, from before the time-out to behind it. */
        long millis = atol(getenv("HOSTILE_MILLIS"));
        struct timespec time = {millis / 1000, millis % 1000 * 1000000};
        nanosleep(&time, NULL);
    }
    return 0;
}

/* Reads to the end of a file: 2 hostile, 1 good, 0 neither. */
static int look_at(const char *path) {
    char text[4096] = "";
    int file = open(path, O_RDONLY);
    if (file < 0) return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size < 0) return 0;
    const char *word = strstr(text, "hostile ");
    const char *set = getenv("HOSTILE");
    if (set) snprintf(harm, sizeof harm, "%s", set);
    else if (word) sscanf(word + strlen("hostile "), "%63s", harm);
    return strstr(text, "hostile") ? 2 : strstr(text, "good") ? 1 : 0;
}

/* Between quotes after `key`. */
static const char *text_after(const char *message, const char *key) {
    static char text[4096];
    const char *from = strstr(message, key);
    if (from == NULL) return "";
    from += strlen(key);
    size_t size = strcspn(from, "\"");
    if (size >= sizeof text) return "";
    memcpy(text, from, size);
    text[size] = 0;
    return text;
}

static void answer(const char *message, char *reply, size_t size) {
    if (strstr(message, "\"type\":\"hello\"")) {
        snprintf(reply, size, "{\"type\":\"hello\",\"session\":1,\"name\":\"hostile\"}\n");
        return;
    }
    const char *id = strstr(message, "\"id\":");
    const char *documents = strstr(message, "\"manifest\":{");
    char path[4096];
    snprintf(path, sizeof path, "%s", documents ? text_after(documents, "\"path\":\"") : "");
    int kind = look_at(path);
    int lies = kind == 2 && strcmp(harm, "accepts-with-findings") == 0;
    if (kind == 2) misbehave(path);
    snprintf(reply, size, "{\"type\":\"reply\",\"id\":%ld,\"verdict\":\"%s\"%s}\n",
             id ? atol(id + 5) : 0, kind == 1 || lies ? "accept" : "reject",
             lies ? ",\"findings\":[{\"rule\":\"runtime.unknown-field\",\"severity\":\"error\"}]" : "");
}

#ifdef LIBRARY

int living_conformance_v1(const char *message, size_t length,
                          void (*write_piece)(void *, const char *, size_t), void *context) {
    char reply[1024];
    char *copy = strndup(message, length);
    is_session = 1;
    own = "/nowhere";
    if (strstr(copy, "\"type\":\"bye\"") == NULL) {
        answer(copy, reply, sizeof reply);
        write_piece(context, reply, strlen(reply));
    }
    free(copy);
    return 0;
}

#else

int main(int count, char **words) {
    own = words[0];
    if (count == 2 && strcmp(words[1], "delete-all") == 0) {
        delete_all(60000);
        return 0;
    }
    if (count == 2 && strcmp(words[1], "session") == 0) {
        is_session = 1;
        char *line = NULL;
        size_t room = 0;
        while (getline(&line, &room, stdin) > 0 && strstr(line, "\"type\":\"bye\"") == NULL) {
            char reply[1024];
            answer(line, reply, sizeof reply);
            put(1, reply);
        }
        return 0;
    }
    const char *manifest = words[count - 1];
    int kind = count == 4 ? look_at(manifest) : 0;
    if (kind == 2) {
        if (strcmp(harm, "accepts-with-findings") == 0) {
            put(1, "runtime.unknown-field: rejected\n");
            return 0;
        }
        misbehave(manifest);
        put(1, "rejected: project_id\n");
    }
    return kind == 1 ? 0 : 1;
}

#endif
