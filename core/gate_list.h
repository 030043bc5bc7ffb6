/* gate_list.h: every point of the path where a message passes a gate of the runtime and may be
 * deep-copied, once. X(ID, SITE, MECHANISM, times, lives_until)
 * The copies a variant makes are the gates it passes times what its memory model charges. */
/* clang-format off */
#define MPB_GATE_LIST(X) \
    X(PUBLISH_CAPTURE,       PUBLISH,       ASYNC_PARAM, 1, "publish returns") \
    X(PUBLISH_BIND,          PUBLISH,       AWAIT_BIND,  1, "publish returns") \
    X(SELF_DELIVER_BIND,     SELF_DELIVER,  RESULT,      2, "site returns") \
    X(ON_SEND_BIND,          ON_SEND,       RESULT,      2, "site returns") \
    X(ON_RECV_BIND,          ON_RECV,       RESULT,      2, "site returns") \
    X(VALIDATOR_BIND,        VALIDATOR,     RESULT,      2, "site returns") \
    X(ON_VALIDATED_BIND,     ON_VALIDATED,  RESULT,      2, "site returns") \
    X(TOPIC_HANDLER_BIND,    TOPIC_HANDLER, RESULT,      2, "site returns") \
    X(TOPIC_HANDLER_CAPTURE, TOPIC_HANDLER, ASYNC_PARAM, 1, "the chain ends") \
    X(TRACE_CAPTURE,         TRACE,         ASYNC_PARAM, 1, "handler returns") \
    X(FILTER_CAPTURE,        FILTER,        ASYNC_PARAM, 1, "handler returns") \
    X(ARCHIVE_CAPTURE,       ARCHIVE,       ASYNC_PARAM, 1, "handler returns") \
    X(ARCHIVE_PUT,           ARCHIVE,       ASYNC_PARAM, 1, "put returns") \
    X(ARCHIVE_STORED,        ARCHIVE,       COMPLETION,  1, "eviction") \
    X(STORE_SYNC_CAPTURE,    STORE_SYNC,    ASYNC_PARAM, 1, "handler returns") \
    X(EVENT_CAPTURE,         EVENT,         ASYNC_PARAM, 1, "handler returns") \
    X(EVENT_OBJECT,          EVENT,         AWAIT_BIND,  1, "the chain ends") \
    X(APP_CAPTURE,           APP,           ASYNC_PARAM, 1, "handler returns") \
    X(APP_HANDOFF,           APP,           RESULT,      1, "application returns") \
    X(PUSH_BUFFER,           PUSH,          PEER_BUFFER, 1, "sent; one for each peer")
/* clang-format on */
