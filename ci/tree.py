"""The project's own files, for the checkers of this folder."""
import os
import pathlib

MODULES = ("instrument", "reports", "core", "workloads", "harness", "ci")
# Kept byte for byte as they are: inputs and expected outputs of tests.
DATA_FOLDERS = {"data", "golden", "corpus"}


def files(root, *suffixes, data=False):
    """Paths under the modules of root ending in one of suffixes (none: all), sorted; root's own
    files too. Test data only if asked for."""
    root = pathlib.Path(root)
    found = [p for p in root.iterdir() if p.is_file()]
    for module in (*MODULES, ".ci"):
        for folder, subfolders, names in os.walk(root / module):
            subfolders[:] = [
                s for s in subfolders if s != "__pycache__" and (data or s not in DATA_FOLDERS)
            ]
            found += [pathlib.Path(folder, name) for name in names]
    return sorted(p for p in found if not suffixes or p.suffix in suffixes)


def report(checker, faults):
    """Print one line a fault; the exit status of the checker."""
    for fault in faults:
        print(f"{checker}: {fault}")
    return 1 if faults else 0
