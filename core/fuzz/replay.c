/* replay.c: every file of a corpus through the checks of its fuzzing targets, without a fuzzer.
 * Usage: replay DIR [rpc]. Exit status 0: all hold, 1: a mismatch, 2: no corpus there. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fuzz/fuzz_check.h"

#define INPUT_LEN_MAX 4096 /* bytes; the corpus is pruned to that */

/* In an allocation of exactly its size, so that a sanitizer sees a read past the end. */
static bool check_input(const uint8_t *data, size_t len, bool is_rpc)
{
    uint8_t *exact = malloc(len > 0 ? len : 1);
    if (exact == NULL) {
        return false;
    }
    memcpy(exact, data, len);
    struct mpb_bytes wire = {exact, len};
    bool is_ok = true;
    if (is_rpc) {
        is_ok = mpb_fuzz_check_rpc(wire);
    } else {
        bool is_view_ok = mpb_fuzz_check_view(wire), is_owned_ok = mpb_fuzz_check_owned(wire);
        is_ok = is_view_ok && is_owned_ok;
    }
    free(exact);
    return is_ok;
}

/* Check the named file: 1 and *n_bad counted up if a check fails, 0 if it cannot be read. */
static size_t replay_file(const char *dir, const char *name, bool is_rpc, size_t *n_bad)
{
    char path[1024];
    uint8_t data[INPUT_LEN_MAX + 1];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }
    size_t len = fread(data, 1, sizeof(data), f);
    bool is_whole = ferror(f) == 0 && len <= INPUT_LEN_MAX;
    fclose(f);
    if (is_whole && !check_input(data, len, is_rpc)) {
        printf("  in %s\n", name);
        ++*n_bad;
    }
    return is_whole ? 1 : 0;
}

int main(int argc, char **argv)
{
    bool is_rpc = argc == 3 && strcmp(argv[2], "rpc") == 0;
    DIR *dir = argc == 2 || is_rpc ? opendir(argv[1]) : NULL;
    size_t n_inputs = 0, n_files = 0, n_bad = 0;
    if (dir == NULL) {
        fprintf(stderr, "replay: give one folder with a corpus\n");
        return 2;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        if (entry->d_name[0] != '.') {
            n_files++;
            n_inputs += replay_file(argv[1], entry->d_name, is_rpc, &n_bad);
        }
    }
    closedir(dir);
    printf("%zu inputs, %zu mismatches\n", n_inputs, n_bad);
    if (n_inputs == 0 || n_inputs != n_files) {
        fprintf(stderr, "replay: %s: %zu of %zu files could be read\n", argv[1], n_inputs, n_files);
        return 2;
    }
    return n_bad > 0 ? 1 : 0;
}
