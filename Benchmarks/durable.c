// SPDX-License-Identifier: Apache-2.0
// A closed loop of durable writes, the same client for cookiesync and for Redis: every connection sends one write of
// the same value, waits for its answer, and sends the next. With `fetch` it reads what was written.
//
//     durable http|fetch|redis PORT CONNECTIONS SECONDS VALUE-BYTES
//
// Prints calls per second, and the 50th and 99th percentile in milliseconds.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 256, JARS = 700, BUFFER = 16384 };

struct connection {
    int socket;
    double sent;
    size_t got;
    char answer[BUFFER];
};

static struct connection connections[MAX];
static char value[8192];
static unsigned serial;
static int fetches;
static double *samples;
static size_t sample_count, sample_limit = 4000000;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "durable: %s: %s\n", what, strerror(errno));
    exit(1);
}

// The same key and value for both: a jar, and in it a cookie of one name.
static size_t request(char *out, int http) {
    unsigned number = serial++;
    char text[16384];
    if (fetches) {
        return sprintf(out,
                       "GET /v1/tenants/bench/jars/jar-%u/stores/native/cookie-header?url=https://www.example.com/"
                       " HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       number % JARS);
    }
    if (!http) {
        int key = snprintf(text, sizeof text, "bench:jar-%u", number % JARS);
        return sprintf(out, "*4\r\n$4\r\nHSET\r\n$%d\r\n%s\r\n$3\r\nsid\r\n$%zu\r\n%08x%s\r\n", key, text,
                       strlen(value) + 8, number, value);
    }
    int body = snprintf(text, sizeof text,
                        "{\"url\":\"https://www.example.com/\",\"headers\":[[\"Set-Cookie\",\"sid=%08x%s\"]]}", number,
                        value);
    return sprintf(out,
                   "POST /v1/tenants/bench/jars/jar-%u/stores/native/ingest HTTP/1.1\r\nHost: localhost\r\n"
                   "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                   number % JARS, body, text);
}

static void send_next(struct connection *connection, int http) {
    char text[32768];
    size_t length = request(text, http);
    connection->got = 0;
    connection->sent = now();
    if (send(connection->socket, text, length, MSG_NOSIGNAL) != (ssize_t)length) fail("send");
}

// Whether the answer is complete; a refusal ends the run.
static int is_complete(struct connection *connection, int http) {
    char *answer = connection->answer;
    answer[connection->got] = 0;
    if (!http) {
        if (connection->got && *answer != ':') {
            fprintf(stderr, "durable: %s\n", answer);
            exit(1);
        }
        return strstr(answer, "\r\n") != NULL;
    }
    char *end = strstr(answer, "\r\n\r\n");
    if (!end) return 0;
    char *length = strcasestr(answer, "content-length:");
    if (strncmp(answer, "HTTP/1.1 200", 12) || !length) {
        fprintf(stderr, "durable: %.200s\n", answer);
        exit(1);
    }
    return connection->got >= (size_t)(end + 4 - answer) + strtoul(length + 15, NULL, 10);
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    if (argc != 6) return 64;
    fetches = !strcmp(argv[1], "fetch");
    // Several of these at once are not to be at the same jars all the time.
    serial = (unsigned)getpid() * 97;
    int http = fetches || !strcmp(argv[1], "http"), count = atoi(argv[3]), poller = epoll_create1(0);
    double seconds = atof(argv[4]);
    memset(value, 'v', (size_t)atoi(argv[5]) - 8);
    samples = malloc(sample_limit * sizeof *samples);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[2]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < count && i < MAX; i++) {
        int on = 1;
        connections[i].socket = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connections[i].socket, (void *)&address, sizeof address)) fail("connect");
        setsockopt(connections[i].socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
        epoll_ctl(poller, EPOLL_CTL_ADD, connections[i].socket, &event);
    }
    double start = now();
    for (int i = 0; i < count; i++) send_next(&connections[i], http);
    while (now() < start + seconds) {
        struct epoll_event events[MAX];
        int ready = epoll_wait(poller, events, MAX, 1000);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            ssize_t got = recv(connection->socket, connection->answer + connection->got,
                               BUFFER - 1 - connection->got, 0);
            if (got <= 0) fail("receive");
            connection->got += (size_t)got;
            if (!is_complete(connection, http)) continue;
            if (sample_count < sample_limit) samples[sample_count++] = now() - connection->sent;
            send_next(connection, http);
        }
    }
    double rate = sample_count / (now() - start);
    qsort(samples, sample_count, sizeof *samples, compare);
    printf("%.0f %.3f %.3f\n", rate, samples[sample_count / 2] * 1e3, samples[sample_count * 99 / 100] * 1e3);
    return 0;
}
