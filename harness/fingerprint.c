/* fingerprint.c: SHA-256 by libcrypto. */
#include "harness/fingerprint.h"

#include <openssl/evp.h>
#include <stdio.h>

static enum mpb_status digest_file(FILE *f, EVP_MD_CTX *ctx, const char *path,
                                   uint8_t out[EVP_MAX_MD_SIZE], struct mpb_error *err)
{
    uint8_t chunk[16384];
    size_t n = 0;
    bool ok = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1;
    while (ok && (n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
        ok = EVP_DigestUpdate(ctx, chunk, n) == 1;
    }
    if (ferror(f)) {
        return mpb_error_sys(err, MPB_E_IO, path, "cannot be read");
    }
    unsigned len = 0;
    if (!ok || EVP_DigestFinal_ex(ctx, out, &len) != 1 || len * 2 != MPB_FINGERPRINT_LEN) {
        return mpb_error_set(err, MPB_E_UNAVAILABLE, path, "SHA-256 is not available");
    }
    return MPB_OK;
}

enum mpb_status mpb_fingerprint_file(const char *path, char out[MPB_FINGERPRINT_LEN + 1],
                                     struct mpb_error *err)
{
    uint8_t digest[EVP_MAX_MD_SIZE] = {0};
    FILE *f = fopen(path, "rbe");
    if (f == NULL) {
        return mpb_error_sys(err, MPB_E_IO, path, "cannot be opened");
    }
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    enum mpb_status st = digest_file(f, ctx, path, digest, err);
    EVP_MD_CTX_free(ctx);
    fclose(f);
    for (size_t i = 0; st == MPB_OK && i < MPB_FINGERPRINT_LEN / 2; i++) {
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    }
    return st;
}
