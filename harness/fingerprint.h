/* fingerprint.h: the SHA-256 of a binary, so that a figure can be traced to the bytes that made it.
 */
#ifndef MPB_HARNESS_FINGERPRINT_H
#define MPB_HARNESS_FINGERPRINT_H

#include "instrument/status.h"

MPB_BEGIN_DECLS

#define MPB_FINGERPRINT_LEN 64

/* Lower-case hex of the file's SHA-256 into out, terminated. MPB_E_IO naming the path. Reads the
 * whole file. */
MPB_MUST_USE enum mpb_status
mpb_fingerprint_file(const char *path, char out[MPB_FINGERPRINT_LEN + 1], struct mpb_error *err);

MPB_END_DECLS

#endif
