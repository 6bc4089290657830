// SPDX-License-Identifier: Apache-2.0
// Linux calls that the Glibc module does not export.
#ifndef COOKIESYNC_CLINUX_H
#define COOKIESYNC_CLINUX_H

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

// accept4 is declared behind _GNU_SOURCE, which cannot be defined here: it changes the layout of types that the
// Glibc module has already imported.
extern int accept4(int, struct sockaddr *, socklen_t *, int);

// Behind _GNU_SOURCE as well.
extern int pthread_setname_np(pthread_t, const char *);

// prctl is variadic, which Swift does not import.
static inline int cookiesync_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif
