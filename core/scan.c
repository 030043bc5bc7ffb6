/* scan.c: the strict pass over an encoded message (see scan.h, rule_list.h).
 *
 * Everything inlines into one loop that makes no call for a well-formed field: a view decode
 * costs some tens of nanoseconds, so a call a field would show. Faults leave by cold functions.
 *
 * Two removals differ in kind: a build without a refusing rule goes on past the fault (lengths
 * are cut at the buffer's end, so it never reads beyond), a build without a tolerating rule
 * refuses, or reads the field as a laxer decoder would. */
#include "core/scan.h"

#include "core/rule_list.h"
#include "core/varint.h"

enum mpb_rule {
    MPB_RULE_NONE,
#define MPB_X(id, name, doc) MPB_RULE_##id,
    MPB_RULE_LIST(MPB_X)
#undef MPB_X
};

#ifndef MPB_RULE_REMOVED
#define MPB_RULE_REMOVED MPB_RULE_NONE
#endif
#define MPB_RULE_HOLDS(id) (MPB_RULE_##id != MPB_RULE_REMOVED)
#define MPB_RULE_BROKEN(id, condition) (MPB_RULE_HOLDS(id) && (condition))

/* Field number << 3 | wire type, as in the table of msg.h. */
enum {
    TAG_PAYLOAD = 1 << 3 | 2,
    TAG_CONTENT_TOPIC = 2 << 3 | 2,
    TAG_VERSION = 3 << 3 | 0,
    TAG_TIMESTAMP = 10 << 3 | 0,
    TAG_META = 11 << 3 | 2,
    TAG_PROOF = 21 << 3 | 2,
    TAG_EPHEMERAL = 31 << 3 | 0,
};

enum {
    SEEN_PAYLOAD = 1 << 0,
    SEEN_CONTENT_TOPIC = 1 << 1,
    SEEN_VERSION = 1 << 2,
    SEEN_TIMESTAMP = 1 << 3,
    SEEN_META = 1 << 4,
    SEEN_PROOF = 1 << 5,
    SEEN_EPHEMERAL = 1 << 6,
};

enum place { PLACE_TAG, PLACE_LENGTH, PLACE_VALUE, PLACE_SKIPPED };

/* For functions that take the scanner: once one of them is a real call, the scanner has to live
 * in memory, and the whole scan takes twice as long. */
#define SCAN_INLINE static inline __attribute__((always_inline))

struct scanner {
    const uint8_t *at, *end;
    struct mpb_msg msg;
    unsigned seen;
    bool has_skipped, is_version_wide, is_ephemeral_wide;
};

/* The outcome of a function that moves ahead without the scanner. */
struct step {
    const uint8_t *at;
    enum mpb_status status;
};

/* The rule that a faulty varint breaks, MPB_OK if it breaks none that holds. */
static MPB_COLD enum mpb_status judge_varint(unsigned faults, enum place place)
{
    bool is_overlong = (faults & MPB__VARINT_OVERLONG) != 0;
    if (MPB_RULE_BROKEN(VARINT_ENDS, faults & MPB__VARINT_CUT)) {
        return MPB_E_TRUNCATED;
    }
    if (MPB_RULE_BROKEN(VARINT_64_BITS, faults & MPB__VARINT_WIDE)) {
        return MPB_E_VARINT_RANGE;
    }
    if (MPB_RULE_BROKEN(MINIMAL_TAG, is_overlong && place == PLACE_TAG) ||
        MPB_RULE_BROKEN(MINIMAL_LENGTH, is_overlong && place == PLACE_LENGTH) ||
        MPB_RULE_BROKEN(MINIMAL_VALUE, is_overlong && place == PLACE_VALUE) ||
        MPB_RULE_BROKEN(MINIMAL_SKIPPED, is_overlong && place == PLACE_SKIPPED)) {
        return MPB_E_OVERLONG_VARINT;
    }
    return MPB_OK;
}

SCAN_INLINE enum mpb_status take_varint(struct scanner *s, enum place place, uint64_t *value)
{
    if (s->at < s->end && *s->at < 0x80) {
        *value = *s->at++;
        return MPB_OK;
    }
    size_t n_bytes = place == PLACE_VALUE ? mpb__varint_take_nine(s->at, s->end, value)
                                          : mpb__varint_take_short(s->at, s->end, value);
    if (n_bytes > 0) {
        s->at += n_bytes;
        return MPB_OK;
    }
    struct mpb__varint varint = mpb__varint_read(s->at, s->end);
    s->at = varint.next;
    *value = varint.value;
    return varint.faults == 0 ? MPB_OK : judge_varint(varint.faults, place);
}

SCAN_INLINE enum mpb_status take_bytes(struct scanner *s, struct mpb_bytes *out)
{
    uint64_t len = 0;
    enum mpb_status status = take_varint(s, PLACE_LENGTH, &len);
    if (status != MPB_OK) {
        return status;
    }
    uint64_t n_left = (uint64_t)(s->end - s->at);
    if (MPB_RULE_BROKEN(LENGTH_FITS, len > n_left)) {
        return MPB_E_TRUNCATED;
    }
    out->data = s->at;
    out->len = (size_t)(len > n_left ? n_left : len);
    s->at += out->len;
    return MPB_OK;
}

SCAN_INLINE enum mpb_status skip_fixed(struct scanner *s, size_t n_bytes)
{
    size_t n_left = (size_t)(s->end - s->at);
    if (MPB_RULE_BROKEN(FIXED_FITS, n_bytes > n_left)) {
        return MPB_E_TRUNCATED;
    }
    s->at += n_bytes > n_left ? n_left : n_bytes;
    return MPB_OK;
}

SCAN_INLINE enum mpb_status skip_value(struct scanner *s, unsigned wire_type)
{
    uint64_t ignored = 0;
    struct mpb_bytes ignored_bytes = {0};
    switch (wire_type) {
    case 0:
        return take_varint(s, PLACE_SKIPPED, &ignored);
    case 1:
        return skip_fixed(s, 8);
    case 2:
        return take_bytes(s, &ignored_bytes);
    case 5:
        return skip_fixed(s, 4);
    default:
        return MPB_OK;
    }
}

static bool is_known(uint64_t number)
{
    return number == 1 || number == 2 || number == 3 || number == 10 || number == 11 ||
           number == 21 || number == 31;
}

/* True if a decoder without one of the tolerating rules would refuse this field. */
static bool is_refused(uint64_t number)
{
    return (!MPB_RULE_HOLDS(ZERO_SKIPPED) && number == 0) ||
           (!MPB_RULE_HOLDS(MISTYPED_SKIPPED) && is_known(number)) ||
           (!MPB_RULE_HOLDS(UNKNOWN_SKIPPED) && !is_known(number));
}

/* Skip the value at `at` of a field that is none of ours. */
static MPB_COLD struct step skip_field(const uint8_t *at, const uint8_t *end, uint64_t tag)
{
    struct scanner s = {.at = at, .end = end};
    unsigned wire_type = tag & 7;
    struct step step = {at, MPB_E_WIRE_TYPE};
    if (MPB_RULE_BROKEN(NO_GROUPS, wire_type == 3 || wire_type == 4) ||
        MPB_RULE_BROKEN(NO_UNASSIGNED, wire_type >= 6) || is_refused(tag >> 3)) {
        return step;
    }
    step.status = skip_value(&s, wire_type);
    step.at = s.at;
    return step;
}

/* Note that a field occurred; true if this occurrence's value is to be kept. */
SCAN_INLINE bool note(struct scanner *s, unsigned field)
{
    bool is_repeated = (s->seen & field) != 0;
    s->seen |= field;
    s->has_skipped |= is_repeated;
    return MPB_RULE_HOLDS(LAST_WINS) || !is_repeated;
}

SCAN_INLINE enum mpb_status take_bytes_field(struct scanner *s, unsigned field,
                                             struct mpb_bytes *out)
{
    struct mpb_bytes bytes = {0};
    enum mpb_status status = take_bytes(s, &bytes);
    if (status == MPB_OK && note(s, field)) {
        *out = bytes;
    }
    return status;
}

SCAN_INLINE enum mpb_status take_version(struct scanner *s)
{
    uint64_t value = 0;
    enum mpb_status status = take_varint(s, PLACE_VALUE, &value);
    s->is_version_wide |= value > UINT32_MAX;
    if (status == MPB_OK && note(s, SEEN_VERSION)) {
        s->msg.version = (uint32_t)value;
    }
    return status;
}

SCAN_INLINE enum mpb_status take_timestamp(struct scanner *s)
{
    uint64_t value = 0;
    enum mpb_status status = take_varint(s, PLACE_VALUE, &value);
    if (status == MPB_OK && note(s, SEEN_TIMESTAMP)) {
        s->msg.timestamp_ns = (int64_t)(value >> 1 ^ (0 - (value & 1))); /* zigzag */
    }
    return status;
}

SCAN_INLINE enum mpb_status take_ephemeral(struct scanner *s)
{
    uint64_t value = 0;
    enum mpb_status status = take_varint(s, PLACE_VALUE, &value);
    s->is_ephemeral_wide |= value > UINT32_MAX;
    if (status == MPB_OK && note(s, SEEN_EPHEMERAL)) {
        s->msg.ephemeral = MPB_RULE_HOLDS(NONZERO_IS_TRUE) ? value != 0 : value == 1;
    }
    return status;
}

SCAN_INLINE enum mpb_status take_field(struct scanner *s, uint64_t tag)
{
    struct step step;
    switch (tag) {
    case TAG_PAYLOAD:
        return take_bytes_field(s, SEEN_PAYLOAD, &s->msg.payload);
    case TAG_CONTENT_TOPIC:
        return take_bytes_field(s, SEEN_CONTENT_TOPIC, &s->msg.content_topic);
    case TAG_VERSION:
        return take_version(s);
    case TAG_TIMESTAMP:
        return take_timestamp(s);
    case TAG_META:
        return take_bytes_field(s, SEEN_META, &s->msg.meta);
    case TAG_PROOF:
        return take_bytes_field(s, SEEN_PROOF, &s->msg.proof);
    case TAG_EPHEMERAL:
        return take_ephemeral(s);
    default:
        step = skip_field(s->at, s->end, tag);
        s->at = step.at;
        s->has_skipped = true;
        return step.status;
    }
}

/* The rules about whole fields, in the order in which nodes read the fields. */
SCAN_INLINE enum mpb_status judge_fields(const struct scanner *s)
{
    if (MPB_RULE_BROKEN(PAYLOAD_PRESENT, !(s->seen & SEEN_PAYLOAD)) ||
        MPB_RULE_BROKEN(TOPIC_PRESENT, !(s->seen & SEEN_CONTENT_TOPIC))) {
        return MPB_E_MISSING_FIELD;
    }
    if (MPB_RULE_BROKEN(VERSION_RANGE, s->is_version_wide)) {
        return MPB_E_VARINT_RANGE;
    }
    if (MPB_RULE_BROKEN(META_LENGTH, s->msg.meta.len > MPB_MSG_META_MAX)) {
        return MPB_E_META_LENGTH;
    }
    if (MPB_RULE_BROKEN(EPHEMERAL_RANGE, s->is_ephemeral_wide)) {
        return MPB_E_VARINT_RANGE;
    }
    return MPB_OK;
}

/* True if the next tag is this one, of one byte (or two, as fields 16 to 31 have); it is taken. */
SCAN_INLINE bool take_tag(struct scanner *s, unsigned tag)
{
    ptrdiff_t n_bytes = tag < 0x80 ? 1 : 2;
    if (s->end - s->at < n_bytes || s->at[0] != tag || (n_bytes == 2 && s->at[1] != 1)) {
        return false;
    }
    s->at += n_bytes;
    return true;
}

/* Take the fields that come in the order in which encoders write them: the loop's work without
 * its switch, a third faster. Whatever comes otherwise is left to the loop. */
SCAN_INLINE enum mpb_status take_in_order(struct scanner *s)
{
    enum mpb_status status = MPB_OK;
    if (take_tag(s, TAG_PAYLOAD)) {
        status = take_bytes_field(s, SEEN_PAYLOAD, &s->msg.payload);
    }
    if (status == MPB_OK && take_tag(s, TAG_CONTENT_TOPIC)) {
        status = take_bytes_field(s, SEEN_CONTENT_TOPIC, &s->msg.content_topic);
    }
    if (status == MPB_OK && take_tag(s, TAG_VERSION)) {
        status = take_version(s);
    }
    if (status == MPB_OK && take_tag(s, TAG_TIMESTAMP)) {
        status = take_timestamp(s);
    }
    if (status == MPB_OK && take_tag(s, TAG_META)) {
        status = take_bytes_field(s, SEEN_META, &s->msg.meta);
    }
    if (status == MPB_OK && take_tag(s, TAG_PROOF)) {
        status = take_bytes_field(s, SEEN_PROOF, &s->msg.proof);
    }
    if (status == MPB_OK && take_tag(s, TAG_EPHEMERAL)) {
        status = take_ephemeral(s);
    }
    return status;
}

enum mpb_status mpb_scan_wire(struct mpb_bytes wire, struct mpb_msg *out, bool *has_skipped)
{
    struct scanner s = {.at = wire.data, .end = wire.len > 0 ? wire.data + wire.len : wire.data};
    enum mpb_status status = take_in_order(&s);
    while (status == MPB_OK && s.at < s.end) {
        uint64_t tag = 0;
        status = take_varint(&s, PLACE_TAG, &tag);
        if (status == MPB_OK) {
            status = take_field(&s, MPB_RULE_HOLDS(WIDE_TAG_SKIPPED) ? tag : (uint32_t)tag);
        }
    }
    if (status == MPB_OK) {
        status = judge_fields(&s);
    }
    if (status == MPB_OK) {
        *out = s.msg;
        *has_skipped = s.has_skipped;
    }
    return status;
}
