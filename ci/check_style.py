#!/usr/bin/env python3
"""What no formatter sees: tabs, trailing blanks, invisible characters, line ends, file length,
file names that occur twice.

check_style.py ROOT: proves on planted files that each fault is seen, then checks the tree.
"""
import pathlib
import re
import sys
import tempfile

import tree

SUFFIXES = {".c", ".h", ".cc", ".py", ".sh", ".md", ".build", ".txt", ".proto", ".ini", ""}
# Lists (*_list.h) may be as long as they need; tests hold tables of cases.
MAX_LINES = 400
MAX_TEST_LINES = 500

LINE_FAULTS = {
    "tab": re.compile(r"\t"),
    "trailing blank": re.compile(r"[ \t]+$"),
    "carriage return": re.compile(r"\r"),
    # soft hyphen, no-break space, zero-width and bidirectional controls, byte order mark
    "invisible character": re.compile(
        "[\u00ad\u00a0\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\ufeff]"
    ),
}


def check_text(path, text):
    faults = []
    for number, line in enumerate(text.split("\n"), 1):
        faults += [f"{path}:{number}: {w}" for w, bad in LINE_FAULTS.items() if bad.search(line)]
    if text and not text.endswith("\n"):
        faults.append(f"{path}: no newline at the end")
    if text.endswith("\n\n"):
        faults.append(f"{path}: blank line at the end")
    most = MAX_TEST_LINES if "/tests/" in path else MAX_LINES
    if path.endswith((".c", ".h", ".cc", ".py")) and text.count("\n") > most:
        if not path.endswith("_list.h"):
            faults.append(f"{path}: {text.count(chr(10))} lines, at most {most}")
    return faults


def check_names(paths):
    """A function's noun is its file's name: a name has to lead to one file. Fuzz targets are
    programs of their own."""
    first, faults = {}, []
    for path in (p for p in paths if p.suffix in {".c", ".h"} and "fuzz" not in p.parts):
        other = first.setdefault(path.name, path)
        if other is not path:
            faults.append(f"{path.as_posix()}: there is {other.as_posix()} already")
    return faults


def check(root):
    faults = check_names([p.relative_to(root) for p in tree.files(root)])
    for file in tree.files(root):
        if file.suffix in SUFFIXES:
            path = file.relative_to(root).as_posix()
            try:
                faults += check_text(path, file.read_bytes().decode("utf-8"))
            except UnicodeDecodeError as bad:
                faults.append(f"{path}: not UTF-8 at byte {bad.start}")
    return faults


PLANTED = {
    "core/tab.c": b"\tint x;\n",
    "core/blank.h": b"int x; \n",
    "core/crlf.c": b"int x;\r\n",
    "core/hidden.c": "int x\u200b;\n".encode(),
    "core/bidi.c": "/* \u202e */\n".encode(),
    "core/end.c": b"int x;",
    "core/empty_end.c": b"int x;\n\n",
    "core/long.c": b"int x;\n" * (MAX_LINES + 1),
    "core/tests/long.c": b"int x;\n" * (MAX_TEST_LINES + 1),
    "core/latin.c": b"/* \xe9 */\n",
    "ci/script": b"echo \n",
    "reports/well.c": b"int x;\n",
}
FAULTLESS = {
    "core/well.c": "/* caf\u00e9 */\nint x;\n".encode(),
    "core/rule_list.h": b"int x;\n" * (MAX_LINES + 1),
    "core/tests/table.c": b"int x;\n" * (MAX_LINES + 1),
}


def blind_spots():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        planted = {**PLANTED, **FAULTLESS}
        for path, content in planted.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        seen = {fault.partition(":")[0] for fault in check(root)}
    return sorted(seen ^ PLANTED.keys())


if __name__ == "__main__":
    blind = [f"self-test: planted {path} judged wrongly" for path in blind_spots()]
    sys.exit(tree.report("check_style", blind or check(pathlib.Path(sys.argv[1]))))
