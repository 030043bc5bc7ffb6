#!/usr/bin/env python3
"""Probes cost nothing when off: compare machine code of three builds of one source.

check_zero_cost.py SOURCE_DIR OFF.a STRIP.a ON.a
Each object of OFF must equal STRIP's (probes' macros replaced by nothing), instruction by
instruction and relocation by relocation. Each object whose source uses probes or the measured
heap must differ in ON: otherwise the comparison could not see a probe at all.
"""
import pathlib
import re
import subprocess
import sys

import tree

USES_PROBES = re.compile(r"\b(MPB_PROBE_\w+|mpb_heap_\w+)\s*\(")
MEMBER = re.compile(r"^(?:.*[/(])?([\w.+-]+\.o)\)?:\s+file format")


def disassemble(archive):
    """Member name -> its code as lines, without the addresses in front of them."""
    result = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", archive],
        check=True, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    )
    members, code = {}, None
    for line in result.stdout.splitlines():
        match = MEMBER.match(line)
        if match:
            code = members.setdefault(match[1], [])
        elif code is not None and line.strip():
            code.append(re.sub(r"^\s*[0-9a-f]+:?\s+", "", line))
    return members


def first_difference(a, b):
    """None, or the first pair of lines that differ."""
    for x, y in zip(a, b):
        if x != y:
            return f"'{x}' against '{y}'"
    return None if len(a) == len(b) else f"{len(a)} lines against {len(b)}"


def check(source_dir, off, strip, on):
    faults, probed = [], 0
    if off.keys() != strip.keys() or off.keys() != on.keys() or not off:
        return ["the three libraries do not hold the same objects"], 0
    for member, code in sorted(off.items()):
        difference = first_difference(code, strip[member])
        if difference:
            faults.append(f"{member}: off is not strip: {difference}")
        source = pathlib.Path(source_dir, member.removesuffix(".o"))
        if source.exists() and USES_PROBES.search(source.read_text()):
            probed += 1
            if first_difference(code, on[member]) is None:
                faults.append(f"{member}: its source uses probes, yet on equals off")
    if not probed:
        faults.append("no object uses probes: the test has no power")
    return faults, probed


def main(source_dir, *archives):
    off, strip, on = map(disassemble, archives)
    faults, probed = check(source_dir, off, strip, on)
    print(f"{len(off)} objects compared, {probed} with probes")
    return tree.report("check_zero_cost", faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
