/* metric_list.h: every metric, once. X(ID, name, UNIT, BETTER, CLASS, OWNER, SHAPE, doc)
 *
 * CLASS  EXACT compared for equality, TIMED by block statistics, LEVEL by ranges.
 * OWNER  the kind of pass whose row counts (TIMED or COUNTING); the other kind's is dropped.
 * SHAPE  SUM the bare name is the sum of its parts (name/site) and is a total per run that
 *        reports divide by messages; POINT neither.
 * A scenario's headline is the first TIMED metric it prints, in this order. */
/* clang-format off */
#define MPB_METRIC_LIST(X) \
    X(MESSAGES,          "messages",          COUNT, NONE,   EXACT, COUNTING, POINT, "messages pushed through the path in the run") \
    X(PAYLOAD_BYTES,     "payload_bytes",     BYTES, NONE,   EXACT, COUNTING, POINT, "payload bytes of the run's messages") \
    X(DELIVERED,         "delivered",         COUNT, NONE,   EXACT, COUNTING, SUM,   "messages that reached the application's handler") \
    X(ARCHIVED,          "archived",          COUNT, NONE,   EXACT, COUNTING, SUM,   "messages the archive stored") \
    X(REJECTED,          "rejected",          COUNT, NONE,   EXACT, COUNTING, SUM,   "messages refused by codec or validator, by reason") \
    X(DROPPED,           "dropped",           COUNT, NONE,   EXACT, COUNTING, SUM,   "messages lost to a limit, by reason") \
    X(REFUSED,           "refused",           COUNT, NONE,   EXACT, COUNTING, SUM,   "delivered messages the archive did not store, by reason") \
    X(PUSHED,            "pushed",            COUNT, NONE,   EXACT, COUNTING, SUM,   "MessagePush buffers handed to filter peers") \
    X(DIGEST,            "digest",            COUNT, NONE,   EXACT, COUNTING, POINT, "order-dependent 64-bit fold of prefix, length and timestamp of every delivery") \
    X(MSG_PER_S,         "msg_per_s",         PER_S, HIGHER, TIMED, TIMED,    POINT, "messages / wall") \
    X(WALL,              "wall",              NS,    LOWER,  TIMED, TIMED,    POINT, "sum of the messages' clocks") \
    X(CPU,               "cpu",               NS,    LOWER,  TIMED, TIMED,    POINT, "thread CPU time within the messages' clocks") \
    X(CPU_PER_MSG,       "cpu_per_msg",       NS,    LOWER,  TIMED, TIMED,    POINT, "cpu / messages, rounded to ns") \
    X(NS_PER_MSG_P50,    "ns_per_msg_p50",    NS,    LOWER,  TIMED, TIMED,    POINT, "sorted[n/2] of the messages' clocks") \
    X(NS_PER_MSG_P90,    "ns_per_msg_p90",    NS,    LOWER,  TIMED, TIMED,    POINT, "sorted[min(n-1, n*90/100)] of the messages' clocks") \
    X(NS_PER_MSG_P99,    "ns_per_msg_p99",    NS,    LOWER,  TIMED, TIMED,    POINT, "sorted[min(n-1, n*99/100)] of the messages' clocks") \
    X(NS_PER_MSG_MAX,    "ns_per_msg_max",    NS,    LOWER,  TIMED, TIMED,    POINT, "the slowest message's clock") \
    X(E2E_NS_P50,        "e2e_ns_p50",        NS,    LOWER,  TIMED, TIMED,    POINT, "macro: sorted[n/2], intended send time to the return of the receiver's handler") \
    X(E2E_NS_P90,        "e2e_ns_p90",        NS,    LOWER,  TIMED, TIMED,    POINT, "macro: sorted[min(n-1, n*90/100)] of the same") \
    X(E2E_NS_P99,        "e2e_ns_p99",        NS,    LOWER,  TIMED, TIMED,    POINT, "macro: sorted[min(n-1, n*99/100)] of the same") \
    X(E2E_NS_MAX,        "e2e_ns_max",        NS,    LOWER,  TIMED, TIMED,    POINT, "macro: the slowest message, end to end") \
    X(LOOP_WALL,         "loop_wall",         NS,    LOWER,  TIMED, TIMED,    POINT, "the whole loop, preparation of arriving bytes included") \
    X(DECODES,           "decodes",           COUNT, LOWER,  EXACT, COUNTING, SUM,   "WakuMessage decodes begun, counted inside the codec") \
    X(DECODED_BYTES,     "decoded_bytes",     BYTES, LOWER,  EXACT, COUNTING, SUM,   "encoded bytes given to those decodes") \
    X(ENCODES,           "encodes",           COUNT, LOWER,  EXACT, COUNTING, SUM,   "WakuMessage and MessagePush serialisations") \
    X(ENCODED_BYTES,     "encoded_bytes",     BYTES, LOWER,  EXACT, COUNTING, SUM,   "bytes those serialisations wrote") \
    X(HASHES,            "hashes",            COUNT, LOWER,  EXACT, COUNTING, SUM,   "message hashes, counted inside the hash function") \
    X(HASHED_BYTES,      "hashed_bytes",      BYTES, LOWER,  EXACT, COUNTING, SUM,   "payload + meta bytes of those hashes (topics and time not counted)") \
    X(ID_HASHES,         "id_hashes",         COUNT, LOWER,  EXACT, COUNTING, SUM,   "gossipsub message ids: SHA-256 over the encoded message") \
    X(ID_HASHED_BYTES,   "id_hashed_bytes",   BYTES, LOWER,  EXACT, COUNTING, SUM,   "encoded bytes of those ids") \
    X(COPIES,            "copies",            COUNT, LOWER,  EXACT, COUNTING, SUM,   "deep copies of a message (at push: of the push buffer)") \
    X(COPIED_BYTES,      "copied_bytes",      BYTES, LOWER,  EXACT, COUNTING, SUM,   "bytes those copies moved: payload, content topic, meta, proof; at push the whole push") \
    X(ALLOCS,            "allocs",            COUNT, LOWER,  EXACT, COUNTING, SUM,   "allocations in the measured heap") \
    X(FREES,             "frees",             COUNT, LOWER,  EXACT, COUNTING, SUM,   "frees in the measured heap") \
    X(REALLOCS,          "reallocs",          COUNT, LOWER,  EXACT, COUNTING, SUM,   "of those, resizings (each is one free and one allocation)") \
    X(REQUESTED_BYTES,   "requested_bytes",   BYTES, LOWER,  EXACT, COUNTING, SUM,   "bytes asked for, cumulative") \
    X(USABLE_BYTES,      "usable_bytes",      BYTES, LOWER,  EXACT, COUNTING, SUM,   "bytes given (the allocator's size classes), cumulative") \
    X(FREED_BYTES,       "freed_bytes",       BYTES, NONE,   EXACT, COUNTING, SUM,   "usable bytes given back, cumulative") \
    X(LIVE_BYTES,        "live_bytes",        BYTES, LOWER,  LEVEL, COUNTING, POINT, "usable bytes of the measured heap alive at the end of the run") \
    X(PEAK_BYTES,        "peak_bytes",        BYTES, LOWER,  LEVEL, COUNTING, POINT, "most usable bytes of the measured heap alive at once in the run") \
    X(RETAINED_HALF_BYTES, "retained_half_bytes", BYTES, LOWER, LEVEL, COUNTING, POINT, "retained_bytes when half of the run's messages were done: what has reached its plateau no longer grows") \
    X(RETAINED_BYTES,    "retained_bytes",    BYTES, LOWER,  LEVEL, COUNTING, POINT, "bytes of messages that an owner (archive, message_cache, seen_cache, queue) holds or references at the end of the run; queue: at most") \
    X(PEAK_RSS,          "peak_rss",          BYTES, LOWER,  LEVEL, TIMED,    POINT, "largest resident set of the worker process") \
    X(MINOR_FAULTS,      "minor_faults",      COUNT, LOWER,  LEVEL, TIMED,    POINT, "minor page faults of the loop's thread") \
    X(CLOCK_MINOR_FAULTS,"clock_minor_faults",COUNT, LOWER,  LEVEL, TIMED,    POINT, "of those, within the messages' clocks") \
    X(MAJOR_FAULTS,      "major_faults",      COUNT, LOWER,  LEVEL, TIMED,    POINT, "major page faults of the loop's thread") \
    X(CTX_VOLUNTARY,     "ctx_voluntary",     COUNT, LOWER,  LEVEL, TIMED,    POINT, "voluntary context switches of the loop's thread") \
    X(CTX_INVOLUNTARY,   "ctx_involuntary",   COUNT, LOWER,  LEVEL, TIMED,    POINT, "involuntary context switches of the loop's thread") \
    X(OFFERED_PER_S,     "offered_per_s",     PER_S, NONE,   LEVEL, TIMED,    POINT, "macro: the rate asked for with --rate") \
    X(SATURATED,         "saturated",         COUNT, NONE,   LEVEL, TIMED,    POINT, "macro: 1 when less than 0.99 of the rate asked for reached the receiver's application") \
    X(CLOCK_RESOLUTION,  "clock_resolution",  NS,    NONE,   LEVEL, TIMED,    POINT, "smallest step seen between two readings of the clock") \
    X(CLOCK_READ,        "clock_read",        NS,    NONE,   LEVEL, TIMED,    POINT, "cost of one reading of the clock, median of batches")
/* clang-format on */
