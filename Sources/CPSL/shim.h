// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CPSL_H
#define COOKIESYNC_CPSL_H

#include <libpsl.h>

#endif
