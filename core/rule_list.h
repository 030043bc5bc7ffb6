/* rule_list.h: every rule of acceptance of an encoded WakuMessage, once. X(ID, name, doc)
 *
 * The rules are those of the decoder that nodes run. It scans the whole buffer once for each of
 * the seven fields; a varint's own width is checked in every one of those scans, a field's own
 * range only in its own. The first group refuses messages, the second tolerates what a stricter
 * decoder would refuse or read otherwise. A build with -DMPB_RULE_REMOVED=MPB_RULE_<ID> lacks one
 * of them; the replay of the fuzzing corpus must catch each such build (fuzz/). */
/* clang-format off */
#define MPB_RULE_LIST(X) \
    X(VARINT_ENDS,      "varint_ends",      "a varint (tag, length or value) ends before the buffer does") \
    X(VARINT_64_BITS,   "varint_64_bits",   "a varint, skipped ones too, has at most 10 bytes and 64 bits") \
    X(MINIMAL_TAG,      "minimal_tag",      "a tag is encoded in as few bytes as possible") \
    X(MINIMAL_LENGTH,   "minimal_length",   "a length is encoded in as few bytes as possible") \
    X(MINIMAL_VALUE,    "minimal_value",    "a known field's varint is encoded in as few bytes as possible") \
    X(MINIMAL_SKIPPED,  "minimal_skipped",  "a skipped varint is encoded in as few bytes as possible") \
    X(LENGTH_FITS,      "length_fits",      "length-delimited bytes, skipped ones too, end within the buffer") \
    X(FIXED_FITS,       "fixed_fits",       "fixed 4 or 8 bytes end within the buffer") \
    X(NO_GROUPS,        "no_groups",        "wire types 3 and 4 (groups) refuse the message") \
    X(NO_UNASSIGNED,    "no_unassigned",    "wire types 6 and 7 refuse the message") \
    X(PAYLOAD_PRESENT,  "payload_present",  "payload occurs, possibly empty") \
    X(TOPIC_PRESENT,    "topic_present",    "content_topic occurs, possibly empty") \
    X(VERSION_RANGE,    "version_range",    "version is below 2^32, in every occurrence") \
    X(META_LENGTH,      "meta_length",      "meta has at most 64 bytes, in its last occurrence") \
    X(EPHEMERAL_RANGE,  "ephemeral_range",  "ephemeral is below 2^32, in every occurrence") \
    \
    X(LAST_WINS,        "last_wins",        "of a repeated field the last occurrence counts") \
    X(MISTYPED_SKIPPED, "mistyped_skipped", "a known field of another wire type is skipped, as if absent") \
    X(UNKNOWN_SKIPPED,  "unknown_skipped",  "unknown fields of wire types 0, 1, 2 and 5 are skipped") \
    X(ZERO_SKIPPED,     "zero_skipped",     "field number 0 is skipped as any unknown field") \
    X(WIDE_TAG_SKIPPED, "wide_tag_skipped", "a tag above 32 bits is an unknown field, not a known one cut short") \
    X(NONZERO_IS_TRUE,  "nonzero_is_true",  "any non-zero ephemeral is true")
/* clang-format on */
