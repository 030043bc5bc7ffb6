#!/usr/bin/env python3
"""Run an outside checker over the project's own files; skip (77) where it is not installed.

check_tool.py format|spelling|tidy ROOT BUILD_DIR
Each first has to find fault with a planted file: a check that cannot fail proves nothing.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tree

SKIP = 77
# Names and test data that look like misspellings.
SPELLING_IGNORED = "allocatedp,befoer,befor,hel"

# In tests these find what is meant: an assertion leaves by longjmp, which looks like a leak; bytes
# without an end, numbers read back from text and pointers made of integers are what is tested; and
# a product of small constants stays small.
TIDY_NOT_IN_TESTS = (
    "-clang-analyzer-*,-cert-err34-c,-bugprone-not-null-terminated-result,"
    "-performance-no-int-to-ptr,-bugprone-implicit-widening-of-multiplication-result"
)


def run(*command):
    """None if the tool is content, else its words."""
    result = subprocess.run(command, capture_output=True, text=True)
    return None if result.returncode == 0 else (result.stdout + result.stderr).strip()


def format_faults(root, files):
    return run("clang-format", f"--style=file:{root}/.clang-format", "--dry-run", "-Werror", *files)


def spelling_faults(_root, files):
    return run("codespell", f"--ignore-words-list={SPELLING_IGNORED}", *files)


def tidy_faults(root, files, compile_dir=None):
    """Each file by itself, two at a time; without compile_dir, as plain C11."""
    base = ["clang-tidy", "--quiet", f"--config-file={root}/.clang-tidy"]
    how = ["-p", str(compile_dir)] if compile_dir else []
    plain = [] if compile_dir else ["--", "-std=c11"]

    def one(file):
        less = [f"--checks={TIDY_NOT_IN_TESTS}"] if "/tests/" in str(file) else []
        return run(*base, *less, *how, file, *plain)

    with ThreadPoolExecutor(2) as pool:
        words = [w for w in pool.map(one, files) if w]
    noise = re.compile(r"^\d+ warnings?( treated as errors?| generated\.)?.*$\n?", re.M)
    return "\n".join(noise.sub("", w) for w in words) or None


def own_compile_commands(root, build_dir, out_dir):
    """Write out_dir/compile_commands.json: one entry for each first-party .c; their paths.
    A source compiled in several flavours would otherwise be checked once a flavour. Warning flags
    are the compiler's business: clang knows not all of gcc's."""
    own = {str(p.resolve()) for p in tree.files(root, ".c")}
    entries = {}
    for entry in json.loads(pathlib.Path(build_dir, "compile_commands.json").read_text()):
        path = str(pathlib.Path(entry["directory"], entry["file"]).resolve())
        if path in own:
            command = re.sub(r"\s-W(?!l,)[\w=+-]+", "", entry["command"])
            entries[path] = {**entry, "file": path, "command": command}
    pathlib.Path(out_dir, "compile_commands.json").write_text(json.dumps(list(entries.values())))
    return sorted(entries)


def check_format(root, _build_dir):
    return format_faults(root, tree.files(root, ".c", ".h", ".cc"))


def check_spelling(root, _build_dir):
    return spelling_faults(root, tree.files(root, ".c", ".h", ".py", ".md", ".build", ".sh", ""))


def check_tidy(root, build_dir):
    with tempfile.TemporaryDirectory() as folder:
        files = own_compile_commands(root, build_dir, folder)
        if not files:
            return "compile_commands.json names no file of the project"
        return tidy_faults(root, files, folder)


# name: (program, its version or None for any, planted text, faults of files, check of the tree)
TOOLS = {
    "format": ("clang-format", "version 14", "int  x ;\n", format_faults, check_format),
    "spelling": ("codespell", None, "/* \164eh end */\n", spelling_faults, check_spelling),
    "tidy": (
        "clang-tidy", "version 14",
        "int f(int a, int b);\nint f(int c, int b)\n{\n    return c / (b - b);\n}\n",
        tidy_faults, check_tidy,
    ),
}


def main(name, root, build_dir):
    program, version, planted_text, faults_of, check = TOOLS[name]
    if shutil.which(program) is None:
        print(f"{program} is not installed")
        return SKIP
    if version and version not in run_version(program):
        print(f"{program} is not {version}, which {root}/.{program} is written for")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder, "planted.c")
        planted.write_text(planted_text)
        if faults_of(root, [planted]) is None:
            print(f"self-test: {program} finds no fault in a planted file")
            return 1
    words = check(root, build_dir)
    if words:
        print(words)
    return 1 if words else 0


def run_version(program):
    return subprocess.run([program, "--version"], capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
