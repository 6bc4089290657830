// SPDX-License-Identifier: Apache-2.0
// The floor under every HTTP server on this machine: one epoll loop that receives and sends a constant. It parses
// nothing; it learns how long a request is from the first one and then counts octets.
//
// Usage: floor PORT RESPONSE_FILE
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 65536, CONNECTIONS = 4096, PIPELINE = 1024 };

static char input[BUFFER];
static char *output;
static size_t answer;
static size_t pending[CONNECTIONS];
static size_t request;

static void must(int success, const char *what) {
    if (!success) {
        perror(what);
        exit(1);
    }
}

static void load_answer(const char *path) {
    FILE *file = fopen(path, "rb");
    must(file != NULL, path);
    answer = fread(input, 1, sizeof input, file);
    fclose(file);
    output = malloc(answer * PIPELINE);
    must(output != NULL, "malloc");
    for (size_t i = 0; i < PIPELINE; i++) memcpy(output + i * answer, input, answer);
}

static int listener(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    must(fd >= 0, "socket");
    int one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    must(bind(fd, (struct sockaddr *)&address, sizeof address) == 0, "bind");
    must(listen(fd, 1024) == 0, "listen");
    return fd;
}

static void serve(int fd) {
    ssize_t count = recv(fd, input, sizeof input, 0);
    if (count <= 0) {
        close(fd);
        return;
    }
    if (request == 0) {
        char *end = memmem(input, count, "\r\n\r\n", 4);
        must(end != NULL, "first request");
        request = end + 4 - input;
    }
    pending[fd] += count;
    size_t due = pending[fd] / request;
    pending[fd] %= request;
    if (due > 0 && send(fd, output, due * answer, MSG_NOSIGNAL) != (ssize_t)(due * answer)) close(fd);
}

int main(int argc, char **argv) {
    must(argc == 3, "usage: floor PORT RESPONSE_FILE");
    load_answer(argv[2]);
    int accepting = listener(atoi(argv[1]));
    int loop = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = accepting};
    must(epoll_ctl(loop, EPOLL_CTL_ADD, accepting, &event) == 0, "epoll_ctl");
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(loop, events, 256, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd != accepting) {
                serve(events[i].data.fd);
                continue;
            }
            int fd = accept4(accepting, NULL, NULL, SOCK_NONBLOCK);
            if (fd < 0 || fd >= CONNECTIONS) continue;
            int one = 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            pending[fd] = 0;
            event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
            epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
        }
    }
}
