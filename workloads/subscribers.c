/* subscribers.c: the reading ends of filter pushes (see subscribers.h). */
#include "workloads/subscribers.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/push.h"
#include "workloads/arena.h"
#include "workloads/link.h"

enum {
    HEAD_LEN = 64,        /* bytes of a push that are folded */
    PREFIX_MAX = 4,       /* bytes of a length prefix: up to 256 MiB */
    DISCARD_LEN = 262144, /* bytes thrown away by one read */
    TURN_READS = 8,       /* reads of one subscriber before the others have their turn */
    WAIT_MS = 20,
};

struct subscriber {
    int fd;              /* -1: not yet or no more */
    size_t n_prefix;     /* bytes of the prefix so far; the push begins when it is whole */
    size_t len, n_taken; /* of the push; n_taken == len: between pushes */
    uint64_t prefix;
    uint8_t head[HEAD_LEN];
    struct mpb_subscriber_tally tally;
};

struct mpb_subscribers {
    size_t map_len;
    int listen_fd, epoll_fd;
    uint16_t port;
    uint32_t n, n_accepted, n_open;
    bool has_thread;
    pthread_t thread;
    _Atomic bool stop;
    enum mpb_status status;
    struct mpb_error err;
    uint8_t discard[DISCARD_LEN];
    struct subscriber at[];
};

static uint64_t fold(uint64_t digest, uint64_t word)
{
    digest ^= word;
    digest *= UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ (digest >> 29);
}

/* One whole push of len bytes, of which head holds the first 64, zeroes behind. */
static void count_push(struct mpb_subscriber_tally *tally, const uint8_t head[HEAD_LEN], size_t len)
{
    tally->n_pushes++;
    tally->n_bytes += len;
    tally->digest = fold(tally->digest, len);
    for (size_t at = 0; at < HEAD_LEN; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, head + at, sizeof(word));
        tally->digest = fold(tally->digest, word);
    }
}

enum mpb_status mpb_subscribers_new(uint32_t n, struct mpb_subscribers **out, struct mpb_error *err)
{
    size_t map_len = sizeof(struct mpb_subscribers) + n * sizeof(struct subscriber);
    struct mpb_subscribers *s = mpb_arena_map(map_len);
    if (s == NULL) {
        return mpb_error_set(err, MPB_E_NOMEM, "filter subscribers", NULL);
    }
    s->map_len = map_len;
    s->n = n;
    s->listen_fd = -1;
    for (uint32_t i = 0; i < n; i++) {
        s->at[i].fd = -1;
    }
    s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    enum mpb_status st =
        s->epoll_fd >= 0
            ? mpb_link_listen(&s->listen_fd, &s->port, err)
            : mpb_error_sys(err, MPB_E_UNAVAILABLE, "filter subscribers", "cannot watch sockets");
    struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = n}};
    if (st == MPB_OK && epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, s->listen_fd, &event) != 0) {
        st = mpb_error_sys(err, MPB_E_UNAVAILABLE, "filter subscribers", "cannot watch a socket");
    }
    if (st != MPB_OK) {
        mpb_subscribers_free(s);
        return st;
    }
    *out = s;
    return MPB_OK;
}

uint16_t mpb_subscribers_port(const struct mpb_subscribers *subscribers)
{
    return subscribers->port;
}

static void close_one(struct mpb_subscribers *s, struct subscriber *one)
{
    close(one->fd);
    one->fd = -1;
    s->n_open--;
}

static enum mpb_status accept_all(struct mpb_subscribers *s)
{
    while (s->n_accepted < s->n) {
        int fd = accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED
                       ? MPB_OK
                       : mpb_error_sys(&s->err, MPB_E_IO, "filter subscribers", "cannot accept");
        }
        struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = s->n_accepted}};
        s->at[s->n_accepted++].fd = fd;
        s->n_open++;
        if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
            return mpb_error_sys(&s->err, MPB_E_IO, "filter subscribers", "cannot watch a socket");
        }
    }
    return MPB_OK;
}

/* One byte of a length prefix. */
static bool take_prefix(struct subscriber *one, uint8_t byte)
{
    one->prefix |= (uint64_t)(byte & 0x7f) << (7 * one->n_prefix);
    one->n_prefix++;
    if (byte >= 0x80) {
        return one->n_prefix < PREFIX_MAX;
    }
    one->len = (size_t)one->prefix;
    one->n_prefix = 0;
    one->prefix = 0;
    one->n_taken = 0;
    memset(one->head, 0, sizeof(one->head));
    return one->len > 0;
}

/* n bytes of the current push came, or were thrown away. */
static void advance(struct subscriber *one, size_t n)
{
    one->n_taken += n;
    if (one->n_taken == one->len) {
        count_push(&one->tally, one->head, one->len);
    }
}

/* Bytes as they came; false: they are no frames. */
static bool feed(struct subscriber *one, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        size_t n_here = one->len - one->n_taken < n ? one->len - one->n_taken : n;
        if (n_here == 0) {
            if (!take_prefix(one, *bytes)) {
                return false;
            }
            n_here = 1;
        } else {
            size_t room = one->n_taken < HEAD_LEN ? HEAD_LEN - one->n_taken : 0;
            if (room > 0) {
                memcpy(one->head + one->n_taken, bytes, n_here < room ? n_here : room);
            }
            advance(one, n_here);
        }
        bytes += n_here;
        n -= n_here;
    }
    return true;
}

/* Read once: the beginning of a push into memory, the rest of one into nothing. Returns what recv()
 * did, or -1 with EBADMSG. */
static ssize_t read_once(struct mpb_subscribers *s, struct subscriber *one)
{
    size_t n_left = one->len - one->n_taken;
    if (n_left > 0 && one->n_taken >= HEAD_LEN) {
        ssize_t n = recv(one->fd, s->discard, n_left < DISCARD_LEN ? n_left : DISCARD_LEN,
                         MSG_DONTWAIT | MSG_TRUNC);
        advance(one, n > 0 ? (size_t)n : 0);
        return n;
    }
    uint8_t start[PREFIX_MAX + HEAD_LEN];
    ssize_t n = recv(one->fd, start, sizeof(start), MSG_DONTWAIT);
    if (n > 0 && !feed(one, start, (size_t)n)) {
        errno = EBADMSG;
        return -1;
    }
    return n;
}

static enum mpb_status serve(struct mpb_subscribers *s, struct subscriber *one)
{
    for (int i = 0; i < TURN_READS && one->fd >= 0; i++) {
        ssize_t n = read_once(s, one);
        if (n == 0 || (n < 0 && errno == ECONNRESET)) {
            close_one(s, one);
        } else if (n < 0 && errno == EBADMSG) {
            return mpb_error_set(&s->err, MPB_E_INPUT, "filter subscribers", "bytes of no frame");
        } else if (n < 0 && errno != EINTR) {
            return errno == EAGAIN
                       ? MPB_OK
                       : mpb_error_sys(&s->err, MPB_E_IO, "filter subscribers", "cannot read");
        }
    }
    return MPB_OK;
}

static enum mpb_status turn(struct mpb_subscribers *s)
{
    struct epoll_event events[64];
    int n = epoll_wait(s->epoll_fd, events, MPB_ARRAY_LEN(events), WAIT_MS);
    enum mpb_status st = MPB_OK;
    if (n < 0 && errno != EINTR) {
        return mpb_error_sys(&s->err, MPB_E_IO, "filter subscribers", "cannot wait");
    }
    for (int i = 0; i < n && st == MPB_OK; i++) {
        uint32_t which = events[i].data.u32;
        st = which == s->n ? accept_all(s) : serve(s, &s->at[which]);
    }
    return st;
}

static void *thread_main(void *self)
{
    struct mpb_subscribers *s = self;
    enum mpb_status st = MPB_OK;
    while (st == MPB_OK && (s->n_accepted < s->n || s->n_open > 0)) {
        bool is_last = atomic_load(&s->stop) && s->n_open == 0;
        st = turn(s);
        if (is_last && s->n_open == 0) {
            break;
        }
    }
    s->status = st;
    return NULL;
}

enum mpb_status mpb_subscribers_start(struct mpb_subscribers *subscribers, struct mpb_error *err)
{
    if (pthread_create(&subscribers->thread, NULL, thread_main, subscribers) != 0) {
        return mpb_error_set(err, MPB_E_NOMEM, "filter subscribers", "no thread");
    }
    subscribers->has_thread = true;
    return MPB_OK;
}

enum mpb_status mpb_subscribers_finish(struct mpb_subscribers *subscribers, struct mpb_error *err)
{
    if (!subscribers->has_thread) {
        return MPB_OK;
    }
    atomic_store(&subscribers->stop, true);
    pthread_join(subscribers->thread, NULL);
    subscribers->has_thread = false;
    if (subscribers->status != MPB_OK && err != NULL) {
        *err = subscribers->err;
    }
    return subscribers->status;
}

const struct mpb_subscriber_tally *mpb_subscribers_tally(const struct mpb_subscribers *subscribers,
                                                         uint32_t which)
{
    return &subscribers->at[which].tally;
}

/* The tally of one subscriber that reads everything. */
static enum mpb_status expect(const struct mpb_subscribers_claim *claim,
                              struct mpb_subscriber_tally *out)
{
    struct mpb_bytes topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC);
    size_t cap = MPB_PUSH_HEADER_MAX + mpb_workload_max_encoded_len(claim->workload) +
                 MPB_PUSH_HEADER_MAX + topic.len + HEAD_LEN;
    uint8_t *scratch = mpb_arena_map(cap);
    if (scratch == NULL) {
        return MPB_E_NOMEM;
    }
    for (size_t k = 0; k < claim->n_messages; k++) {
        size_t idx = claim->index != NULL ? claim->index[k] : k;
        size_t message_len = mpb_workload_encoded_len(claim->workload, idx);
        size_t n = mpb_push_header(message_len, scratch);
        mpb_workload_encode(claim->workload, idx, scratch + n);
        n += message_len;
        n += mpb_push_trailer(topic, scratch + n, MPB_PUSH_HEADER_MAX + topic.len);
        memset(scratch + n, 0, HEAD_LEN);
        count_push(out, scratch, n);
    }
    mpb_arena_unmap(scratch, cap);
    return MPB_OK;
}

static enum mpb_status mismatch(struct mpb_error *err, uint32_t which, const char *what,
                                uint64_t got, uint64_t want)
{
    return mpb_error_set(err, MPB_E_VERIFY, "verify",
                         "%s of filter subscriber %u: got %llu, expected %llu", what,
                         (unsigned)which, (unsigned long long)got, (unsigned long long)want);
}

enum mpb_status mpb_subscribers_verify(const struct mpb_subscribers *subscribers,
                                       const struct mpb_subscribers_claim *claim,
                                       struct mpb_error *err)
{
    struct mpb_subscriber_tally expected = {0};
    bool is_whole = claim->n_taken == claim->n_messages * subscribers->n;
    uint64_t n_read = 0;
    enum mpb_status st = expect(claim, &expected);
    if (st != MPB_OK) {
        return mpb_error_set(err, st, "filter subscribers", NULL);
    }
    for (uint32_t i = 0; i < subscribers->n; i++) {
        const struct mpb_subscriber_tally *t = &subscribers->at[i].tally;
        n_read += t->n_pushes;
        if (!is_whole && t->n_pushes < expected.n_pushes) {
            continue;
        }
        if (t->n_pushes != expected.n_pushes) {
            return mismatch(err, i, "pushes", t->n_pushes, expected.n_pushes);
        }
        if (t->n_bytes != expected.n_bytes) {
            return mismatch(err, i, "bytes", t->n_bytes, expected.n_bytes);
        }
        if (t->digest != expected.digest) {
            return mismatch(err, i, "digest", t->digest, expected.digest);
        }
    }
    return n_read == claim->n_taken
               ? MPB_OK
               : mpb_error_set(err, MPB_E_VERIFY, "verify",
                               "filter subscribers read %llu pushes, %llu left the node",
                               (unsigned long long)n_read, (unsigned long long)claim->n_taken);
}

void mpb_subscribers_free(struct mpb_subscribers *subscribers)
{
    if (subscribers == NULL) {
        return;
    }
    enum mpb_status ignored = mpb_subscribers_finish(subscribers, NULL);
    (void)ignored;
    for (uint32_t i = 0; i < subscribers->n; i++) {
        if (subscribers->at[i].fd >= 0) {
            close(subscribers->at[i].fd);
        }
    }
    if (subscribers->listen_fd >= 0) {
        close(subscribers->listen_fd);
    }
    if (subscribers->epoll_fd >= 0) {
        close(subscribers->epoll_fd);
    }
    mpb_arena_unmap(subscribers, subscribers->map_len);
}
