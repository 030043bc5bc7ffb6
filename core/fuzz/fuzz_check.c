/* fuzz_check.c: the properties of the decoders (see fuzz_check.h). */
#include "core/fuzz/fuzz_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fuzz/model.h"
#include "core/message.pb-c.h"
#include "core/owned.h"
#include "core/scan.h"
#include "core/view.h"

static bool mismatch(const char *what)
{
    printf("mismatch: %s\n", what);
    return false;
}

static bool is_status(const char *who, enum mpb_status status, enum mpb_status expected)
{
    if (status != expected) {
        printf("mismatch: %s says %s, the model %s\n", who, mpb_status_name(status),
               mpb_status_name(expected));
    }
    return status == expected;
}

static struct mpb_bytes bytes_of(ProtobufCBinaryData data)
{
    struct mpb_bytes bytes = {data.data, data.len};
    return bytes;
}

static struct mpb_msg msg_of(const Mpb__WakuMessage *raw)
{
    struct mpb_msg msg = {
        .payload = bytes_of(raw->payload),
        .content_topic = bytes_of(raw->content_topic),
        .meta = bytes_of(raw->meta),
        .proof = bytes_of(raw->rate_limit_proof),
        .timestamp_ns = raw->timestamp,
        .version = raw->version,
        .ephemeral = raw->ephemeral != 0,
    };
    return msg;
}

/* Plain protobuf-c, wherever its rules and ours say the same. raw is NULL when it refuses. */
static bool check_raw(const Mpb__WakuMessage *raw, enum mpb_status status,
                      const struct mpb_model *model)
{
    if (status == MPB_OK && !model->has_skipped && raw == NULL) {
        return mismatch("protobuf-c refuses what has nothing to skip");
    }
    if (raw == NULL) {
        return true;
    }
    if (status == MPB_E_TRUNCATED || status == MPB_E_WIRE_TYPE) {
        return mismatch("protobuf-c accepts a cut value or a bad wire type");
    }
    if (status == MPB_E_OVERLONG_VARINT || model->has_wide_tag) {
        return true;
    }
    struct mpb_msg msg = msg_of(raw);
    if (model->has_mistyped_bool) {
        msg.ephemeral = model->msg.ephemeral;
    }
    if (status == MPB_OK && !mpb_msg_is_equal(&msg, &model->msg)) {
        return mismatch("protobuf-c reads other fields");
    }
    if (status == MPB_E_MISSING_FIELD && raw->has_payload && raw->has_content_topic) {
        return mismatch("protobuf-c finds the missing field");
    }
    if (status == MPB_E_META_LENGTH && msg.meta.len <= MPB_MSG_META_MAX) {
        return mismatch("protobuf-c finds a short meta");
    }
    return true;
}

static bool is_within(struct mpb_bytes bytes, struct mpb_bytes wire)
{
    return bytes.len == 0 || (bytes.data >= wire.data && bytes.len <= wire.len &&
                              bytes.data - wire.data <= (ptrdiff_t)(wire.len - bytes.len));
}

static bool is_borrowed(const struct mpb_msg *msg, struct mpb_bytes wire)
{
    return is_within(msg->payload, wire) && is_within(msg->content_topic, wire) &&
           is_within(msg->meta, wire) && is_within(msg->proof, wire);
}

/* Encode msg, decode that, encode again: the same message, the same bytes, nothing skipped. */
static bool check_encoding(const struct mpb_msg *msg)
{
    size_t len = mpb_msg_encoded_len(msg);
    uint8_t *first = malloc(len), *second = malloc(len);
    struct mpb_msg back;
    bool has_skipped = true, is_ok = first != NULL && second != NULL;
    is_ok = is_ok && mpb_msg_encode(msg, first, len) == len;
    is_ok = is_ok && mpb_scan_wire((struct mpb_bytes){first, len}, &back, &has_skipped) == MPB_OK;
    is_ok = is_ok && !has_skipped && mpb_msg_is_equal(msg, &back);
    is_ok = is_ok && mpb_msg_encode(&back, second, len) == len && memcmp(first, second, len) == 0;
    free(first);
    free(second);
    return is_ok || mismatch("the encoding does not decode to the same message");
}

static bool check_accepted(struct mpb_bytes wire, const struct mpb_msg *msg,
                           const struct mpb_model *model)
{
    struct mpb_msg scanned;
    bool has_skipped = false;
    if (!mpb_msg_is_equal(msg, &model->msg)) {
        return mismatch("the view has other fields than the model");
    }
    if (!is_borrowed(msg, wire)) {
        return mismatch("the view points outside the wire");
    }
    if (mpb_scan_wire(wire, &scanned, &has_skipped) != MPB_OK ||
        has_skipped != model->has_skipped) {
        return mismatch("the scan and the model differ in what is skipped");
    }
    return check_encoding(msg);
}

bool mpb_fuzz_check_view(struct mpb_bytes wire)
{
    struct mpb_model model = {0};
    struct mpb_msg msg;
    enum mpb_status expected = mpb_model_decode(wire, &model);
    if (!is_status("the view decoder", mpb_view_decode(wire, &msg), expected)) {
        return false;
    }
    Mpb__WakuMessage *raw = mpb__waku_message__unpack(NULL, wire.len, wire.data);
    bool is_ok = check_raw(raw, expected, &model);
    if (raw != NULL) {
        mpb__waku_message__free_unpacked(raw, NULL);
    }
    return is_ok && (expected != MPB_OK || check_accepted(wire, &msg, &model));
}

bool mpb_fuzz_check_owned(struct mpb_bytes wire)
{
    struct mpb_model model = {0};
    struct mpb_owned *owned = NULL;
    enum mpb_status expected = mpb_model_decode(wire, &model);
    enum mpb_status status = mpb_owned_decode(wire, &owned);
    bool is_ok = is_status("the owned decoder", status, expected);
    if (is_ok && status == MPB_OK) {
        const struct mpb_msg *msg = mpb_owned_msg(owned);
        bool is_own = msg->payload.len == 0 || !is_within(msg->payload, wire);
        is_ok = mpb_msg_is_equal(msg, &model.msg)
                    ? is_own || mismatch("the owned message lies in the wire")
                    : mismatch("the owned decoder has other fields than the model");
    }
    mpb_owned_free(owned);
    return is_ok;
}
