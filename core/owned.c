/* owned.c: the materialising decoder: strict scan first, then protobuf-c. */
#include "core/owned.h"

#include "core/message_pb.h"
#include "core/scan.h"
#include "instrument/heap.h"

struct mpb_owned {
    struct mpb_msg msg; /* points into proto */
    Mpb__WakuMessage *proto;
};

static void *pb_alloc(void *ctx, size_t n_bytes)
{
    (void)ctx;
    return mpb_heap_alloc(n_bytes);
}

static void pb_free(void *ctx, void *ptr)
{
    (void)ctx;
    mpb_heap_free(ptr);
}

static ProtobufCAllocator pb_allocator(void)
{
    ProtobufCAllocator allocator = {pb_alloc, pb_free, NULL};
    return allocator;
}

static struct mpb_bytes bytes_view(const ProtobufCBinaryData *data)
{
    struct mpb_bytes bytes = {data->data, data->len};
    return bytes;
}

/* Absent fields are zero: protobuf-c leaves a field's default there. */
static struct mpb_msg proto_view(const Mpb__WakuMessage *proto)
{
    struct mpb_msg msg = {
        .payload = bytes_view(&proto->payload),
        .content_topic = bytes_view(&proto->content_topic),
        .meta = bytes_view(&proto->meta),
        .proof = bytes_view(&proto->rate_limit_proof),
        .timestamp_ns = proto->timestamp,
        .version = proto->version,
        .ephemeral = proto->ephemeral != 0,
    };
    return msg;
}

/* Unpack a wire that the scan accepted and that holds nothing to skip: protobuf-c then refuses it
 * only for want of memory, or for a field above 2^31-1 bytes. */
static enum mpb_status unpack(struct mpb_bytes wire, struct mpb_owned **out)
{
    ProtobufCAllocator allocator = pb_allocator();
    struct mpb_owned *owned = mpb_heap_alloc(sizeof(*owned));
    if (owned == NULL) {
        return MPB_E_NOMEM;
    }
    owned->proto = mpb__waku_message__unpack(&allocator, wire.len, wire.data);
    if (owned->proto == NULL) {
        mpb_heap_free(owned);
        return MPB_E_NOMEM;
    }
    owned->msg = proto_view(owned->proto);
    *out = owned;
    return MPB_OK;
}

/* Unpack only the known fields' last occurrences, from a buffer written anew. Given the hostile
 * wire itself, protobuf-c would keep unknown fields (44 times their size) and copy each
 * occurrence of a repeated one, and would refuse mistyped fields and field number 0. */
static enum mpb_status unpack_cleaned(const struct mpb_msg *msg, struct mpb_owned **out)
{
    struct mpb_bytes wire = {.len = mpb_msg_encoded_len(msg)};
    uint8_t *cleaned = mpb_heap_alloc(wire.len);
    if (cleaned == NULL) {
        return MPB_E_NOMEM;
    }
    Mpb__WakuMessage proto;
    mpb__message_pb_fill(msg, &proto);
    mpb__waku_message__pack(&proto, cleaned);
    wire.data = cleaned;
    enum mpb_status status = unpack(wire, out);
    mpb_heap_free(cleaned);
    return status;
}

enum mpb_status mpb_owned_decode(struct mpb_bytes wire, struct mpb_owned **out)
{
    struct mpb_msg msg;
    bool has_skipped;
    MPB_PROBE_ADD(DECODES, 1);
    MPB_PROBE_ADD(DECODED_BYTES, wire.len);
    enum mpb_status status = mpb_scan_wire(wire, &msg, &has_skipped);
    if (status != MPB_OK) {
        return status;
    }
    return has_skipped ? unpack_cleaned(&msg, out) : unpack(wire, out);
}

const struct mpb_msg *mpb_owned_msg(const struct mpb_owned *owned)
{
    return &owned->msg;
}

void mpb_owned_free(struct mpb_owned *owned)
{
    if (owned == NULL) {
        return;
    }
    ProtobufCAllocator allocator = pb_allocator();
    mpb__waku_message__free_unpacked(owned->proto, &allocator);
    mpb_heap_free(owned);
}

const char *mpb_owned_library(void)
{
    return "protobuf-c " PROTOBUF_C_VERSION;
}
