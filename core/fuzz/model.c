/* model.c: the naive decoder (see model.h). Shares no code with the scan. */
#include "core/fuzz/model.h"

enum known { PAYLOAD, TOPIC, VERSION, TIMESTAMP, META, PROOF, EPHEMERAL, KNOWN__COUNT };

static const struct {
    uint64_t number;
    unsigned wire_type;
} known_fields[KNOWN__COUNT] = {
    [PAYLOAD] = {1, 2}, [TOPIC] = {2, 2},  [VERSION] = {3, 0},    [TIMESTAMP] = {10, 0},
    [META] = {11, 2},   [PROOF] = {21, 2}, [EPHEMERAL] = {31, 0},
};

/* One field as it stands in the buffer. */
struct field {
    uint64_t number, scalar; /* scalar: of wire type 0 */
    unsigned wire_type;
    struct mpb_bytes bytes; /* of wire type 2 */
};

/* What a scan for one field found. */
struct finding {
    struct field last;
    size_t n_found, n_mistyped, n_fields;
    bool has_wide_tag, has_scalar_above_32_bits;
};

static size_t minimal_len(uint64_t value)
{
    size_t len = 1;
    while (value > 127) {
        value /= 128;
        len++;
    }
    return len;
}

/* Index of the first byte without continuation, from `from`; the buffer's length if none. */
static size_t find_last_byte(struct mpb_bytes wire, size_t from)
{
    while (from < wire.len && wire.data[from] >= 128) {
        from++;
    }
    return from;
}

static enum mpb_status read_varint(struct mpb_bytes wire, size_t *at, uint64_t *value)
{
    size_t last = find_last_byte(wire, *at), len = last - *at + 1;
    if (len > 10) {
        return MPB_E_VARINT_RANGE;
    }
    if (last == wire.len) {
        return MPB_E_TRUNCATED;
    }
    if (len == 10 && wire.data[last] > 1) {
        return MPB_E_VARINT_RANGE;
    }
    *value = 0;
    for (size_t i = len; i > 0; i--) {
        *value = *value * 128 + wire.data[*at + i - 1] % 128;
    }
    *at = last + 1;
    return len == minimal_len(*value) ? MPB_OK : MPB_E_OVERLONG_VARINT;
}

static enum mpb_status read_raw(struct mpb_bytes wire, size_t *at, uint64_t len,
                                struct mpb_bytes *bytes)
{
    if (len > wire.len - *at) {
        return MPB_E_TRUNCATED;
    }
    bytes->data = wire.data + *at;
    bytes->len = (size_t)len;
    *at += bytes->len;
    return MPB_OK;
}

static enum mpb_status read_value(struct mpb_bytes wire, size_t *at, struct field *field)
{
    uint64_t len = 0;
    enum mpb_status status = MPB_OK;
    switch (field->wire_type) {
    case 0:
        return read_varint(wire, at, &field->scalar);
    case 1:
        return read_raw(wire, at, 8, &field->bytes);
    case 2:
        status = read_varint(wire, at, &len);
        return status == MPB_OK ? read_raw(wire, at, len, &field->bytes) : status;
    case 5:
        return read_raw(wire, at, 4, &field->bytes);
    default:
        return MPB_E_WIRE_TYPE;
    }
}

static enum mpb_status find_field(struct mpb_bytes wire, enum known known, struct finding *out)
{
    *out = (struct finding){0};
    for (size_t at = 0; at < wire.len; out->n_fields++) {
        struct field field = {0};
        uint64_t tag = 0;
        enum mpb_status status = read_varint(wire, &at, &tag);
        if (status != MPB_OK) {
            return status;
        }
        field.number = tag / 8;
        field.wire_type = tag % 8;
        status = read_value(wire, &at, &field);
        if (status != MPB_OK) {
            return status;
        }
        out->has_wide_tag |= tag > UINT32_MAX;
        if (field.number != known_fields[known].number) {
            continue;
        }
        if (field.wire_type == known_fields[known].wire_type) {
            out->has_scalar_above_32_bits |= field.scalar > UINT32_MAX;
            out->last = field;
            out->n_found++;
        } else {
            out->n_mistyped++;
        }
    }
    return MPB_OK;
}

static int64_t from_zigzag(uint64_t value)
{
    return value % 2 == 0 ? (int64_t)(value / 2) : -(int64_t)(value / 2) - 1;
}

static enum mpb_status judge(const struct finding found[KNOWN__COUNT])
{
    if (found[PAYLOAD].n_found == 0 || found[TOPIC].n_found == 0) {
        return MPB_E_MISSING_FIELD;
    }
    if (found[VERSION].has_scalar_above_32_bits) {
        return MPB_E_VARINT_RANGE;
    }
    if (found[META].last.bytes.len > 64) {
        return MPB_E_META_LENGTH;
    }
    return found[EPHEMERAL].has_scalar_above_32_bits ? MPB_E_VARINT_RANGE : MPB_OK;
}

enum mpb_status mpb_model_decode(struct mpb_bytes wire, struct mpb_model *out)
{
    struct finding found[KNOWN__COUNT];
    size_t n_occurring = 0;
    for (enum known known = 0; known < KNOWN__COUNT; known++) {
        enum mpb_status status = find_field(wire, known, &found[known]);
        if (status != MPB_OK) {
            return status; /* a fault of the wire: it shows in the first scan already */
        }
        n_occurring += found[known].n_found > 0;
    }
    out->has_skipped = found[PAYLOAD].n_fields != n_occurring;
    out->has_wide_tag = found[PAYLOAD].has_wide_tag;
    out->has_mistyped_bool = found[EPHEMERAL].n_mistyped > 0;
    out->msg = (struct mpb_msg){
        .payload = found[PAYLOAD].last.bytes,
        .content_topic = found[TOPIC].last.bytes,
        .meta = found[META].last.bytes,
        .proof = found[PROOF].last.bytes,
        .timestamp_ns = from_zigzag(found[TIMESTAMP].last.scalar),
        .version = (uint32_t)found[VERSION].last.scalar,
        .ephemeral = found[EPHEMERAL].last.scalar != 0,
    };
    return judge(found);
}
