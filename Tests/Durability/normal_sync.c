// SPDX-License-Identifier: Apache-2.0
// A mutant for the power-cut test, put before libsqlite3 by LD_PRELOAD: when the last pragma has been set, and
// `synchronous = FULL` verified, it turns the connection back to NORMAL. The product has no such switch.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

typedef int (*exec_function)(void *, const char *, void *, void *, char **);

int sqlite3_exec(void *db, const char *sql, void *callback, void *argument, char **error) {
    exec_function real = (exec_function)dlsym(RTLD_NEXT, "sqlite3_exec");
    int code = real(db, sql, callback, argument, error);
    if (code == 0 && strstr(sql, "journal_size_limit"))
        real(db, "PRAGMA synchronous = NORMAL", 0, 0, 0);
    return code;
}
