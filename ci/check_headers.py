#!/usr/bin/env python3
"""Every header compiles alone and twice included, strictly.

check_headers.py LANGUAGE COMPILER... -- HEADER...   LANGUAGE is c or c++; COMPILER one or more
words, with the include folders. Proves first that a header which leans on another one fails.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tree

STANDARDS = {"c": "c11", "c++": "c++17"}
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE", "-fsyntax-only"]
PLANTED = {
    "leans on another header": "static inline size_t f(void) { return 0; }\n",
    "has no guard": "struct mpb_twice { int x; };\n",
}


def compiles(command, language, header):
    """None, or the compiler's words."""
    # A declaration of its own: a unit of macros only would be empty, which C forbids.
    unit = f'#include "{header}"\n#include "{header}"\nextern int mpb_not_empty;\n'
    result = subprocess.run(
        [*command, f"-std={STANDARDS[language]}", *STRICT, "-x", language, "-"],
        input=unit, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"},
    )
    return None if result.returncode == 0 else result.stderr.strip()


def blind_spots(command, language):
    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder, "planted.h")
        for what, text in PLANTED.items():
            planted.write_text(text)
            if compiles(command, language, planted) is None:
                yield f"self-test: a header that {what} passes"


def main(language, rest):
    split = rest.index("--")
    command, headers = rest[:split], rest[split + 1:]
    faults = list(blind_spots(command, language))
    if not headers:
        faults.append("no headers given")
    with ThreadPoolExecutor(2) as pool:
        for words in pool.map(lambda header: compiles(command, language, header), headers):
            if words:
                faults.append(words)
    print(f"{len(headers)} headers as {STANDARDS[language]}")
    return tree.report("check_headers", faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
