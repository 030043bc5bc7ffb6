#!/usr/bin/env python3
"""Which module may include which: the floors of the house, as tables.

check_floors.py ROOT: first proves on a planted tree that each kind of fault is seen, then checks
the tree at ROOT. One line a fault; exit 1 if there is any.
"""
import pathlib
import re
import sys
import tempfile

import tree

# A part of the tree -> the modules it may include, besides itself. The longest match counts.
FLOORS = {
    "instrument": "",
    "core": "instrument",
    "reports": "instrument",
    "workloads": "core reports instrument",
    "harness": "reports instrument",
    "ci": "harness reports instrument",
    "harness/cli": "ci harness reports instrument",
}

# External header (its beginning) -> the only places that may include it.
EXTERNALS = {
    "jemalloc/": "instrument/",
    "openssl/": "core/ harness/fingerprint.c",
    "protobuf-c/": "core/",
    "sqlite3.h": "core/archive_",
    "jansson.h": "reports/",
    "cmocka.h": "*/tests/",
}

C_LIBRARY = set(
    "assert ctype dirent dlfcn errno fcntl fenv float fnmatch ftw glob inttypes limits locale malloc "
    "math poll pthread regex sched semaphore setjmp signal spawn stdarg stdatomic stdbool stddef "
    "stdint stdio stdlib string strings termios time unistd".split()
)
C_LIBRARY_FOLDERS = ("sys/", "linux/", "netinet/", "arpa/")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def part_of(path):
    """The key of FLOORS that path belongs to, or None."""
    keys = [key for key in FLOORS if path.startswith(key + "/")]
    return max(keys, key=len, default=None)


def check_quoted(path, target):
    part = part_of(path)
    module = part.partition("/")[0]
    other = target.partition("/")[0]
    if "/" not in target or other not in {key.partition("/")[0] for key in FLOORS}:
        return f'"{target}": write includes from the root, "module/file.h"'
    if other != module and other not in FLOORS[part].split():
        return f'"{target}": {part} stands below or beside {other}'
    if target.startswith("harness/cli/") and part != "harness/cli":
        return f'"{target}": only harness/cli may include it'
    return None


def check_angled(path, target):
    for prefix, places in EXTERNALS.items():
        if target.startswith(prefix):
            allowed = any(
                "/tests/" in path if place == "*/tests/" else path.startswith(place)
                for place in places.split()
            )
            return None if allowed else f"<{target}>: allowed only in {places}"
    if target.startswith(C_LIBRARY_FOLDERS) or target.removesuffix(".h") in C_LIBRARY:
        return None
    return f"<{target}>: unknown external header; give it a row in ci/check_floors.py"


def check(root):
    faults = []
    for file in tree.files(root, ".c", ".h", ".cc"):
        path = file.relative_to(root).as_posix()
        if part_of(path) is None:
            faults.append(f"{path}: belongs to no module")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                ask = check_quoted if match[1] == '"' else check_angled
                fault = ask(path, match[2])
                if fault:
                    faults.append(f"{path}:{number}: {fault}")
    return faults


PLANTED = {
    "instrument/up.c": '#include "core/msg.h"',
    "core/sideways.c": '#include "reports/csv.h"',
    "reports/sideways.h": '#include "core/msg.h"',
    "harness/worker.c": '#include "workloads/mix.h"',
    "harness/linked.c": '  #  include "core/msg.h"',
    "harness/down.c": '#include "harness/cli/cmd.h"',
    "workloads/short.c": '#include "mix.h"',
    "workloads/hash.c": "#include <openssl/evp.h>",
    "core/json.c": "#include <jansson.h>",
    "core/database.c": "#include <sqlite3.h>",
    "core/untested.c": "#include <cmocka.h>",
    "reports/new.c": "#include <zstd.h>",
    "stray.c": "",
}


def blind_spots():
    """The planted faults that the check does not see, and good lines it would refuse."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        good = root / "harness/cli/good.c"
        good.parent.mkdir(parents=True)
        good.write_text('#include "harness/arm.h"\n#include <stdio.h>\n#include <sys/wait.h>\n')
        for path, line in PLANTED.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(line + "\n")
        seen = {fault.partition(":")[0] for fault in check(root)}
    return sorted(seen ^ PLANTED.keys())


if __name__ == "__main__":
    blind = [f"self-test: planted {path} judged wrongly" for path in blind_spots()]
    sys.exit(tree.report("check_floors", blind or check(pathlib.Path(sys.argv[1]))))
