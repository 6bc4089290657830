// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CSQLITE_H
#define COOKIESYNC_CSQLITE_H

#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call.
static inline int csqlite_keep_wal_on_close(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// So is sqlite3_config. Without statistics of memory, which nobody asks for, no allocation takes a lock that all connections
// share.
static inline int csqlite_leave_out_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// SQLITE_TRANSIENT is a macro that casts -1 to a function pointer, which Swift does not import.
static inline int csqlite_bind_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_text(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT);
}

#endif
