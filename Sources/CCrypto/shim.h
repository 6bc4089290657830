// SPDX-License-Identifier: Apache-2.0
#ifndef COOKIESYNC_CCRYPTO_H
#define COOKIESYNC_CCRYPTO_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#endif
