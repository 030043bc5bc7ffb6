/* status_list.h: every way to fail, once. X(ID, name, text)
 * name is lower_snake and stable (it is printed as the reason in rejected/<name> rows);
 * text completes the sentence "<where>: <text>". The decode group follows the acceptance
 * rules of the wire format; see core/rule_list.h. */
/* clang-format off */
#define MPB_STATUS_LIST(X) \
    X(USAGE,           "usage",           "wrong usage") \
    X(INPUT,           "input",           "bad input") \
    X(IO,              "io",              "input/output error") \
    X(NOMEM,           "nomem",           "out of memory") \
    X(EXISTS,          "exists",          "already exists") \
    X(UNAVAILABLE,     "unavailable",     "not available here") \
    X(INCOMPLETE,      "incomplete",      "incomplete") \
    X(INTERRUPTED,     "interrupted",     "interrupted") \
    X(TIMEOUT,         "timeout",         "took longer than its time limit") \
    X(VERIFY,          "verify",          "the work does not verify") \
    X(INTERNAL,        "internal",        "internal error") \
    X(TRUNCATED,       "truncated",       "a value runs past the end of the buffer") \
    X(OVERLONG_VARINT, "overlong_varint", "a varint is longer than it needs to be") \
    X(VARINT_RANGE,    "varint_range",    "a varint does not fit its field") \
    X(WIRE_TYPE,       "wire_type",       "a group or an unassigned wire type") \
    X(MISSING_FIELD,   "missing_field",   "a required field is missing") \
    X(META_LENGTH,     "meta_length",     "meta is longer than 64 bytes") \
    X(REJECTED,        "rejected",        "a validator rejected the message")
/* clang-format on */
