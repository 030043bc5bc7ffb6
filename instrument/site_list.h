/* site_list.h: every place on the path where a decode, encode, hash, copy or allocation
 * happens, once. X(ID, name, doc). Counters are kept per site; names are part of metric names. */
/* clang-format off */
#define MPB_SITE_LIST(X) \
    X(OTHER,         "other",         "outside every named site: set-up and tear-down of the node") \
    X(INBOUND,       "inbound",       "micro: the bytes that arrive, in a buffer of the measured heap, before the clock") \
    X(PUBLISH,       "publish",       "publisher: hash and encode of the application's message") \
    X(SELF_DELIVER,  "self_deliver",  "publisher: its own topic handler (a node delivers to itself first)") \
    X(ON_SEND,       "on_send",       "publisher: observer called for each peer sent to") \
    X(TRANSPORT,     "transport",     "frames: joining header and message, receiving") \
    X(ON_RECV,       "on_recv",       "receiver: observer called for each message of a frame") \
    X(VALIDATOR,     "validator",     "receiver: the ordered validator") \
    X(ON_VALIDATED,  "on_validated",  "receiver: observer called after validation") \
    X(TOPIC_HANDLER, "topic_handler", "the topic handler, which starts the handler chain") \
    X(TRACE,         "trace",         "handler chain: counts and traces the message") \
    X(FILTER,        "filter",        "handler chain: matches the filter subscriptions") \
    X(ARCHIVE,       "archive",       "handler chain: stores the message") \
    X(STORE_SYNC,    "store_sync",    "handler chain: notes (time, hash) for reconciliation") \
    X(EVENT,         "event",         "handler chain: the message-seen event") \
    X(APP,           "app",           "handler chain: the application's handler") \
    X(PUSH,          "push",          "filter push: one MessagePush for the matching peers") \
    X(SEEN_CACHE,    "seen_cache",    "message ids seen in the last two minutes") \
    X(MESSAGE_CACHE, "message_cache", "messages kept for peers that ask again")
/* clang-format on */
