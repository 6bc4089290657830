// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CSQLITE_H
#define COOKIESYNC_CSQLITE_H

#include <sqlite3.h>

#endif
