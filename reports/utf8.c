/* utf8.c: validation by the table of RFC 3629 section 4. */
#include "reports/utf8.h"

#include <stdlib.h>
#include <string.h>

/* One row a lead byte range: how many bytes follow, and the range of the first of them. */
static const struct {
    uint8_t lead_min, lead_max, n_more, next_min, next_max;
} forms[] = {
    {0x00, 0x7f, 0, 0x00, 0x00}, {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

static bool follows(const uint8_t *p, size_t len, size_t form)
{
    size_t n = forms[form].n_more;
    if (n >= len) {
        return false;
    }
    if (n > 0 && (p[1] < forms[form].next_min || p[1] > forms[form].next_max)) {
        return false;
    }
    for (size_t i = 2; i <= n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return false;
        }
    }
    return true;
}

/* Bytes of the character at p[len], 0 if it is not one. */
static size_t character_bytes(const uint8_t *p, size_t len)
{
    for (size_t i = 0; len > 0 && i < MPB_ARRAY_LEN(forms); i++) {
        if (p[0] >= forms[i].lead_min && p[0] <= forms[i].lead_max) {
            return follows(p, len, i) ? forms[i].n_more + 1U : 0;
        }
    }
    return 0;
}

size_t mpb_utf8_valid_bytes(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        size_t n = character_bytes((const uint8_t *)text + at, len - at);
        if (n == 0) {
            break;
        }
        at += n;
    }
    return at;
}

char *mpb_utf8_copy(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    size_t len = strlen(text);
    char *copy = malloc(3 * len + 1);
    size_t n = 0, at = 0;
    while (copy != NULL && at < len) {
        size_t good = mpb_utf8_valid_bytes(text + at, len - at);
        memcpy(copy + n, text + at, good);
        n += good;
        at += good;
        if (at < len) {
            memcpy(copy + n, replacement, 3);
            n += 3;
            at++;
        }
    }
    if (copy != NULL) {
        copy[n] = '\0';
    }
    return copy;
}
