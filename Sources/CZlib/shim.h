// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CZLIB_H
#define COOKIESYNC_CZLIB_H

#include <zlib.h>

#endif
