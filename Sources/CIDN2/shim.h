// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CIDN2_H
#define COOKIESYNC_CIDN2_H

#include <idn2.h>

#endif
