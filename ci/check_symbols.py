#!/usr/bin/env python3
"""The noun of a function is the file that holds it: no look-up needed to find one.

check_symbols.py ROOT BUILD_DIR: every global symbol that <module>/[...]/<file>.c defines starts
with mpb_<file>_ or mpb__<file>_ (or is mpb_<file>). Read with nm from the built objects.
"""
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile

import tree

# Files -> another beginning that they may define, and why.
ALSO = {
    "instrument/status.c": ("mpb_error_", "struct mpb_error belongs to the status idiom"),
    "core/chain.c": ("mpb_node_deliver", "the node's way into its handler chain"),
    "core/publish.c": ("mpb_node_publish", "the node's way from the application to its peers"),
    "harness/cli/cmd_*.c": ("mpb_command_", "rows of the command list"),
    "reports/session.c": ("mpb_pairs_", "the key-value lists that sessions are made of"),
}
# A program's own entry, and what compilers and sanitizers add.
NOT_OURS = ("main", "_", "asan.", "LLVMFuzzer")


def defined(objects):
    """Object -> its global symbols; one call of nm for all of them."""
    symbols = {str(obj): [] for obj in objects}
    result = subprocess.run(
        ["nm", "-A", "--defined-only", "--extern-only", *symbols],
        check=True, capture_output=True, text=True,
    )
    for line in result.stdout.splitlines():
        obj, _, rest = line.partition(":")
        symbols[obj].append(rest.split()[-1])
    return symbols


def stray(path, symbols):
    """The symbols that the file at path may not define."""
    noun = pathlib.Path(path).stem
    allowed = (f"mpb_{noun}_", f"mpb__{noun}_")
    allowed += tuple(also for files, (also, _why) in ALSO.items() if fnmatch.fnmatch(path, files))
    return [s for s in symbols if s != f"mpb_{noun}" and not s.startswith((*allowed, *NOT_OURS))]


def objects(root, build_dir):
    """(path from the root, built object) of each first-party source, its tests left out."""
    own = {p.resolve(): p.relative_to(root).as_posix() for p in tree.files(root, ".c")}
    for entry in json.loads((build_dir / "compile_commands.json").read_text()):
        path = own.get(pathlib.Path(entry["directory"], entry["file"]).resolve())
        obj = pathlib.Path(entry["directory"], entry["output"])
        if path and "/tests/" not in path and obj.exists():
            yield path, obj


def blind():
    """True unless a planted object with a stray name is found out."""
    with tempfile.TemporaryDirectory() as folder:
        obj = pathlib.Path(folder, "noun.o")
        source = "int mpb_noun_get(void){return 0;} int mpb_other(void){return 0;}"
        subprocess.run(["cc", "-c", "-x", "c", "-", "-o", obj], input=source, text=True, check=True)
        return stray("core/noun.c", defined([obj])[str(obj)]) != ["mpb_other"]


def main(root, build_dir):
    faults = ["self-test: a stray name passes"] if blind() else []
    built = dict((str(obj), path) for path, obj in objects(root, build_dir))
    if not built:
        return tree.report("check_symbols", ["no built objects found"])
    for obj, symbols in defined(built).items():
        faults += [f"{built[obj]}: defines {symbol}" for symbol in stray(built[obj], symbols)]
    print(f"{len(built)} objects")
    return tree.report("check_symbols", sorted(set(faults)))


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
