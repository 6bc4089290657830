// SPDX-License-Identifier: Apache-2.0
// What the disk allows: one loop that makes a batch of records durable, and then the next. No client, no protocol.
//
//     limit append|sqlite DIRECTORY BATCH SECONDS VALUE-BYTES
//
// append: the records of a batch in one write to a file, and fdatasync. sqlite: each by a prepared statement into a keyed
// table, the batch one transaction, with the settings of cookiesync's own files. Prints records per second, the 50th
// and 99th percentile of a batch in milliseconds, and microseconds of processor time per record.

#define _GNU_SOURCE
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JARS = 700, MAX_BATCH = 256, MAX_VALUE = 8192 };

static unsigned serial;
static char value[MAX_VALUE];
static double samples[4000000];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// A key and a value as durable.c sends them.
static size_t record(char *key, char *text) {
    unsigned number = serial++;
    sprintf(key, "bench:jar-%u", number % JARS);
    return (size_t)sprintf(text, "%08x%s", number, value);
}

static void append(int file, int batch) {
    static char text[MAX_BATCH * (MAX_VALUE + 64)];
    size_t length = 0;
    for (int i = 0; i < batch; i++) {
        char key[32], one[MAX_VALUE + 16];
        record(key, one);
        length += (size_t)sprintf(text + length, "%s sid=%s\n", key, one);
    }
    if (write(file, text, length) != (ssize_t)length || fdatasync(file)) fail("append");
}

static void run(sqlite3 *database, const char *sql) {
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK) fail(sqlite3_errmsg(database));
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) fail(sqlite3_errmsg(database));
    return statement;
}

static void step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("step");
    sqlite3_reset(statement);
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 6) return 64;
    int plain = !strcmp(argv[1], "append"), batch = atoi(argv[3]), width = atoi(argv[5]), file = -1;
    double seconds = atof(argv[4]);
    if (batch < 1 || batch > MAX_BATCH || width < 8 || width >= MAX_VALUE) return 64;
    memset(value, 'v', (size_t)width - 8);
    char path[4096];
    snprintf(path, sizeof path, "%s/limit-%s-%d", argv[2], argv[1], (int)getpid());
    sqlite3 *database = NULL;
    sqlite3_stmt *begin = NULL, *put = NULL, *commit = NULL;
    if (plain) {
        file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
        if (file < 0) fail("open");
    } else {
        if (sqlite3_open(path, &database) != SQLITE_OK) fail("open");
        run(database, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                      "CREATE TABLE cookie (key TEXT, name TEXT, value BLOB, PRIMARY KEY (key, name)) WITHOUT ROWID");
        begin = prepare(database, "BEGIN IMMEDIATE");
        put = prepare(database, "INSERT OR REPLACE INTO cookie VALUES (?, 'sid', ?)");
        commit = prepare(database, "COMMIT");
    }
    size_t count = 0;
    double start = now(), last = start;
    while (last < start + seconds && count < sizeof samples / sizeof *samples) {
        if (plain) {
            append(file, batch);
        } else {
            step(begin);
            for (int i = 0; i < batch; i++) {
                char key[32], one[MAX_VALUE + 16];
                size_t length = record(key, one);
                sqlite3_bind_text(put, 1, key, -1, SQLITE_TRANSIENT);
                sqlite3_bind_blob(put, 2, one, (int)length, SQLITE_TRANSIENT);
                step(put);
            }
            step(commit);
        }
        double end = now();
        samples[count++] = end - last;
        last = end;
    }
    qsort(samples, count, sizeof *samples, compare);
    double records = count * (double)batch, busy = clock() / (double)CLOCKS_PER_SEC;
    printf("%.0f %.3f %.3f %.2f\n", records / (last - start), samples[count / 2] * 1e3, samples[count * 99 / 100] * 1e3,
           busy / records * 1e6);
    return 0;
}
