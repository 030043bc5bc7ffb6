/* test_subscribers.c: the readers of filter pushes: true pushes verify, in whatever pieces they
 * come; a push too few, a bit, a length, a byte that is no frame are found. */
#include "workloads/subscribers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/push.h"
#include "core/tests/socket_fixture.h"
#include "workloads/link.h"

enum { N_MESSAGES = 30, N_SUBSCRIBERS = 3, VICTIM = 17 };

enum fault { NONE, ONE_MISSING, ONE_TWICE, BIT, SHORT, NO_FRAME, ENDLESS_PREFIX };

/* Push idx as the node frames it, to out; its length. */
static size_t frame_of(const struct mpb_workload *workload, size_t idx, uint8_t *out)
{
    uint8_t header[MPB_PUSH_HEADER_MAX];
    struct mpb_bytes topic = MPB_BYTES_OF(MPB_WORKLOAD_PUBSUB_TOPIC);
    size_t message_len = mpb_workload_encoded_len(workload, idx);
    size_t header_len = mpb_push_header(message_len, header);
    size_t len = header_len + message_len + 2 + topic.len, n = 0;
    for (size_t left = len; n == 0 || left > 0; left >>= 7) {
        out[n++] = (uint8_t)((left & 0x7f) | (left >= 0x80 ? 0x80 : 0));
    }
    memcpy(out + n, header, header_len);
    mpb_workload_encode(workload, idx, out + n + header_len);
    mpb_push_trailer(topic, out + n + header_len + message_len, 2 + topic.len);
    return n + len;
}

static void send_pieces(int fd, const uint8_t *bytes, size_t len, size_t piece)
{
    while (len > 0) {
        size_t n = len < piece ? len : piece;
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0) {
            return; /* the reader has given up already */
        }
        bytes += sent;
        len -= (size_t)sent;
    }
}

static void send_all(const struct mpb_workload *workload, int fd, enum fault fault, size_t piece)
{
    uint8_t *frame = malloc(mpb_workload_max_encoded_len(workload) + 100);
    for (size_t i = 0; i < N_MESSAGES; i++) {
        size_t len = frame_of(workload, i, frame);
        bool is_victim = i == VICTIM;
        if (is_victim && fault == NO_FRAME) {
            send_pieces(fd, (const uint8_t *)"\0", 1, 1);
        } else if (is_victim && fault == ENDLESS_PREFIX) {
            send_pieces(fd, (const uint8_t *)"\xff\xff\xff\xff\xff", 5, 5);
        } else if (is_victim && fault == BIT) {
            frame[20] ^= 1;
        } else if (is_victim && fault == SHORT) {
            frame[0]--;
            len--;
        } else if (is_victim && fault == ONE_TWICE) {
            send_pieces(fd, frame, len, piece);
        }
        if (!is_victim || fault != ONE_MISSING) {
            send_pieces(fd, frame, len, piece);
        }
    }
    free(frame);
}

static enum mpb_status session(enum fault fault, size_t piece, uint64_t n_taken,
                               struct mpb_error *err)
{
    struct mpb_mix mix;
    struct mpb_workload *workload = NULL;
    struct mpb_subscribers *subscribers = NULL;
    assert_int_equal(mpb_mix_parse("8:1,300:2,5k:1,100k:1", "--mix", &mix, NULL), MPB_OK);
    struct mpb_workload_cfg cfg = {42, &mix, 0, N_MESSAGES, 1, 0};
    assert_int_equal(mpb_workload_new(&cfg, &workload, NULL), MPB_OK);
    assert_int_equal(mpb_subscribers_new(N_SUBSCRIBERS, &subscribers, NULL), MPB_OK);
    assert_int_equal(mpb_subscribers_start(subscribers, NULL), MPB_OK);
    for (int i = 0; i < N_SUBSCRIBERS; i++) {
        int fd = -1;
        assert_int_equal(mpb_link_connect(mpb_subscribers_port(subscribers), 5000, &fd, NULL),
                         MPB_OK);
        assert_int_equal(fcntl(fd, F_SETFL, 0), 0);
        send_all(workload, fd, i == 1 ? fault : NONE, i == 1 ? piece : SIZE_MAX);
        close(fd);
    }
    enum mpb_status st = mpb_subscribers_finish(subscribers, err);
    struct mpb_subscribers_claim claim = {workload, NULL, N_MESSAGES, n_taken};
    if (st == MPB_OK) {
        st = mpb_subscribers_verify(subscribers, &claim, err);
    }
    mpb_subscribers_free(subscribers);
    mpb_workload_free(workload);
    return st;
}

#define ALL_TAKEN ((uint64_t)N_MESSAGES * N_SUBSCRIBERS)

static void test_true_pushes_verify(void **state)
{
    (void)state;
    static const size_t pieces[] = {SIZE_MAX, 1000, 67, 3};
    for (size_t i = 0; i < MPB_ARRAY_LEN(pieces); i++) {
        struct mpb_error err = {.status = MPB_OK};
        if (session(NONE, pieces[i], ALL_TAKEN, &err) != MPB_OK) {
            fail_msg("in pieces of %zu: %s", pieces[i], err.text);
        }
    }
}

static void test_faults_are_found(void **state)
{
    (void)state;
    static const struct {
        enum fault fault;
        enum mpb_status status;
        const char *words;
    } planted[] = {
        {ONE_MISSING, MPB_E_VERIFY, "pushes of filter subscriber 1: got 29, expected 30"},
        {ONE_TWICE, MPB_E_VERIFY, "pushes of filter subscriber 1: got 31, expected 30"},
        {BIT, MPB_E_VERIFY, "digest of filter subscriber 1"},
        {SHORT, MPB_E_VERIFY, "bytes of filter subscriber 1"},
        {NO_FRAME, MPB_E_INPUT, "bytes of no frame"},
        {ENDLESS_PREFIX, MPB_E_INPUT, "bytes of no frame"},
    };
    for (size_t i = 0; i < MPB_ARRAY_LEN(planted); i++) {
        struct mpb_error err = {.status = MPB_OK};
        assert_int_equal(session(planted[i].fault, SIZE_MAX, ALL_TAKEN, &err), planted[i].status);
        if (strncmp(err.text, planted[i].words, strlen(planted[i].words)) != 0) {
            fail_msg("fault %d is called '%s'", planted[i].fault, err.text);
        }
    }
}

/* A push that the node says it dropped may be missing, but no other. */
static void test_dropped_pushes_close(void **state)
{
    (void)state;
    struct mpb_error err = {.status = MPB_OK};
    assert_int_equal(session(ONE_MISSING, SIZE_MAX, ALL_TAKEN - 1, &err), MPB_OK);
    assert_int_equal(session(ONE_MISSING, SIZE_MAX, ALL_TAKEN - 2, &err), MPB_E_VERIFY);
    assert_int_equal(session(NONE, SIZE_MAX, ALL_TAKEN - 1, &err), MPB_E_VERIFY);
}

/* Nobody ever connects: the thread ends when it is told to. */
static void test_nobody_comes(void **state)
{
    (void)state;
    struct mpb_subscribers *subscribers = NULL;
    assert_int_equal(mpb_subscribers_new(5, &subscribers, NULL), MPB_OK);
    assert_int_equal(mpb_subscribers_start(subscribers, NULL), MPB_OK);
    assert_int_equal(mpb_subscribers_finish(subscribers, NULL), MPB_OK);
    assert_int_equal(mpb_subscribers_tally(subscribers, 4)->n_pushes, 0);
    mpb_subscribers_free(subscribers);
    mpb_subscribers_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_true_pushes_verify),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_dropped_pushes_close),
        cmocka_unit_test(test_nobody_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
