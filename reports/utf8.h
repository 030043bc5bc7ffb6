/* utf8.h: is this text UTF-8 (RFC 3629), and a copy that is. Everything a session keeps is
 * UTF-8, so that what was written can be read back by a strict reader. */
#ifndef MPB_REPORTS_UTF8_H
#define MPB_REPORTS_UTF8_H

#include "instrument/base.h"

MPB_BEGIN_DECLS

/* Bytes of text[len] up to the first that is not UTF-8; len if all is. Overlong forms,
 * surrogates and values above U+10FFFF are not. */
size_t mpb_utf8_valid_bytes(const char *text, size_t len);
/* A copy with every offending byte replaced by U+FFFD; the caller frees it. NULL: no memory. */
MPB_MUST_USE char *mpb_utf8_copy(const char *text);

MPB_END_DECLS

#endif
