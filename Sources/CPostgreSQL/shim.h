// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CPOSTGRESQL_H
#define COOKIESYNC_CPOSTGRESQL_H

#include <libpq-fe.h>

// Character macros, which Swift does not import as numbers.
static const int cpostgresql_diagnostic_state = PG_DIAG_SQLSTATE;
static const int cpostgresql_diagnostic_severity = PG_DIAG_SEVERITY_NONLOCALIZED;

#endif
