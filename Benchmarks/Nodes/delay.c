/* Passes TCP connections on to another port, and delivers each part after a delay, in both directions.
 *
 * usage: delay MICROSECONDS PORT TARGET [PORT TARGET]…
 *
 * It stands between programs of one machine as if they were on several, where the kernel has no network emulation.
 * What is read together is delivered together, so that a delay does not limit the rate. It runs until it is ended.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINKS = 1024, PORTS = 16, PART = 65536 };

/* What one end has sent and the other has not received yet. */
struct part {
    struct part *next;
    int64_t due;
    size_t start, size;
    char bytes[];
};

/* One direction of a connection. */
struct way {
    int from, to;
    int open;
    struct part *first, **last;
};

static struct way ways[2 * LINKS];
static int ways_count;
static int64_t delay;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct sockaddr_in address(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static int listener(int port) {
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in place = address(port);
    if (file < 0 || setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0) fail("socket");
    if (bind(file, (struct sockaddr *)&place, sizeof place) < 0 || listen(file, 128) < 0) fail("listen");
    return file;
}

static void add_way(int from, int to) {
    struct way *way = &ways[ways_count++];
    *way = (struct way){.from = from, .to = to, .open = 1};
    way->last = &way->first;
}

static void link_up(int listening, int target) {
    int one = 1, client = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client < 0) return;
    int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in place = address(target);
    if (ways_count + 2 > 2 * LINKS || server < 0 || connect(server, (struct sockaddr *)&place, sizeof place) < 0) {
        close(client);
        if (server >= 0) close(server);
        return;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    add_way(client, server);
    add_way(server, client);
}

/* Reads what there is. The end of the connection is a part without bytes. */
static void take(struct way *way, int64_t time) {
    struct part *part = malloc(sizeof *part + PART);
    if (!part) fail("malloc");
    ssize_t size = recv(way->from, part->bytes, PART, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        free(part);
        return;
    }
    if (size <= 0) {
        size = 0;
        way->open = 0;
    }
    struct part *fitting = realloc(part, sizeof *part + (size_t)size);
    if (fitting) part = fitting;
    part->next = NULL;
    part->due = time + delay;
    part->start = 0;
    part->size = (size_t)size;
    *way->last = part;
    way->last = &part->next;
}

/* Delivers what is due. */
static void deliver(struct way *way, int64_t time) {
    while (way->first && way->first->due <= time) {
        struct part *part = way->first;
        if (part->size == 0) {
            shutdown(way->to, SHUT_WR);
        } else {
            ssize_t sent =
                send(way->to, part->bytes + part->start, part->size - part->start, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
            if (sent >= 0) part->start += (size_t)sent;
            if (sent >= 0 && part->start < part->size) return;
        }
        way->first = part->next;
        if (!way->first) way->last = &way->first;
        free(part);
    }
}

/* Removes the connections whose two directions have ended. */
static void clean(void) {
    for (int i = 0; i < ways_count; i += 2) {
        if (ways[i].open || ways[i + 1].open || ways[i].first || ways[i + 1].first) continue;
        close(ways[i].from);
        close(ways[i].to);
        ways_count -= 2;
        for (int side = 0; side < 2; side++) {
            struct way *hole = &ways[i + side], *moved = &ways[ways_count + side];
            if (hole == moved) continue;
            *hole = *moved;
            if (!hole->first) hole->last = &hole->first;
        }
        i -= 2;
    }
}

int main(int count, char **arguments) {
    int ports[PORTS], targets[PORTS], ports_count = 0;
    if (count < 4 || count % 2 != 0 || count > 2 + 2 * PORTS) {
        fputs("usage: delay MICROSECONDS PORT TARGET [PORT TARGET]…\n", stderr);
        return 2;
    }
    delay = atoll(arguments[1]) * 1000;
    for (int i = 2; i < count; i += 2) {
        ports[ports_count] = listener(atoi(arguments[i]));
        targets[ports_count++] = atoi(arguments[i + 1]);
    }
    static struct pollfd polled[PORTS + 2 * LINKS];
    for (;;) {
        int64_t time = now(), next = INT64_MAX;
        for (int i = 0; i < ways_count; i++) deliver(&ways[i], time);
        clean();
        for (int i = 0; i < ports_count; i++) polled[i] = (struct pollfd){.fd = ports[i], .events = POLLIN};
        for (int i = 0; i < ways_count; i++) {
            struct part *first = ways[i].first;
            if (first && first->due > time && first->due < next) next = first->due;
            polled[ports_count + i] = (struct pollfd){.fd = ways[i].open ? ways[i].from : -1, .events = POLLIN};
            /* Only a part that is due and did not fit waits for room. */
            if (first && first->due <= time && next > time + 100000) next = time + 100000;
        }
        struct timespec wait = {.tv_sec = (next - time) / 1000000000, .tv_nsec = (next - time) % 1000000000};
        int ways_polled = ways_count;
        if (ppoll(polled, (nfds_t)(ports_count + ways_polled), next == INT64_MAX ? NULL : &wait, NULL) < 0) {
            if (errno == EINTR) continue;
            fail("ppoll");
        }
        time = now();
        for (int i = 0; i < ways_polled; i++)
            if (polled[ports_count + i].revents) take(&ways[i], time);
        for (int i = 0; i < ports_count; i++)
            if (polled[i].revents) link_up(ports[i], targets[i]);
    }
}
