#!/usr/bin/env python3
"""Scenarios macro and filter as the harness meets them: counts of every variant, repetition,
threads against processes, filter peers, overload, hostile connections, deaths and shortages.

check_macro.py TIMED COUNTING CHECKED GROUP...
"""
import contextlib
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from check_worker import (CHECKED, COUNTING, METRICS, TIMED, VARIANTS, Fault, allocator,  # noqa: E402
                          describe, expect, start)

N = 60
HOSTILE = {"garbage": "malformed", "oversize": "oversize", "slow": "cut", "dup": "duplicate",
           "flood": None}
IS_SANITIZED = any(row["name"] == "flags" and "-fsanitize" in row["doc"]
                   for row in describe(TIMED))


def options_of(variant, *more, scenario="macro", n=N):
    return ["--protocol", "1", "--scenario", scenario, "--variant", variant, "--messages", str(n),
            *more]


def parse(text, options):
    values = {}
    lines = text.split("\n")
    expect(lines[0] == "scenario,run,metric,unit,value" and lines[-1] == "", options, "header, end")
    for line in lines[1:-1]:
        scenario, run_no, metric, unit, value = line.split(",")
        info = METRICS[metric.split("/")[0]]
        expect(scenario == options[3] and unit == info["unit"], options, line)
        expect(run_no == ("0" if metric in ("peak_rss", "clock_resolution", "clock_read") else "1"),
               options, line)
        expect(metric not in values, options, "twice", line)
        if info["class"] == "exact":
            expect(re.fullmatch(r"\d+", value), options, "value", line)
            expect(int(value) < 1 << 63 or metric == "digest", options, "negative", line)
        values[metric] = float(value) if info["unit"] == "1/s" else int(value)
    return values


def run(worker, variant, *more, scenario="macro", n=N, **how):
    options = options_of(variant, *more, scenario=scenario, n=n)
    ran = start(worker, *options, **how)
    expect(ran.returncode == 0 and ran.stderr == "", options, ran.returncode, ran.stderr)
    values = parse(ran.stdout, options)
    check_sums(values, options)
    return values


def check_sums(values, options):
    """A bare row is the sum of its nodes, a node's the sum of its sites or reasons."""
    for metric, value in values.items():
        parts = [v for m, v in values.items() if m.rpartition("/")[0] == metric]
        if parts and METRICS[metric.split("/")[0]]["class"] == "exact":
            expect(sum(parts) == value, options, metric, value, parts)


def exact(values, honest=False):
    return {m: v for m, v in values.items() if METRICS[m.split("/")[0]]["class"] == "exact"
            and (not honest or m.split("/")[1:2] in (["publisher"], ["receiver"])
                 or m in ("digest", "messages"))}


# A message's decodes, hashes, encodes, copies: of the publisher, of the receiver, and what F filter
# peers add at the receiver.
AFTER = ((1, 2, 1, 0), (2, 1, 0, 0), lambda f: (0, 0, 1, 0))
PER_MESSAGE = {
    "before": ((2, 2, 1, 15), (4, 3, 0, 19), lambda f: (0, 2, 1, f)),
    "before-orc": ((2, 2, 1, 2), (4, 3, 0, 2), lambda f: (0, 2, 1, 0)),
    "after": AFTER, "after-orc": AFTER,
    "floor": ((0, 1, 0, 0), (1, 1, 0, 0), lambda f: (0, 0, 0, 0)),
    **{f"churn{k}": ((1, 2, 1, k), (2, 1, 0, k), AFTER[2]) for k in (2, 4, 8, 16)},
}
COUNTED = ("decodes", "hashes", "encodes", "copies")
ID_HASHES = {"before": 4, "before-orc": 4}


def check_counts():
    expect(list(PER_MESSAGE) and set(PER_MESSAGE) == set(VARIANTS), "a variant without a row")
    for variant, (publisher, receiver, added) in PER_MESSAGE.items():
        for peers in (0, 3):
            got = run(COUNTING, variant, "--filter-peers", str(peers), "--mix", "8:1,3k:2,90k:1")
            extra = added(peers) if peers else (0, 0, 0, 0)
            for i, metric in enumerate(COUNTED):
                expect(got[f"{metric}/publisher"] == publisher[i] * N, variant, peers, metric,
                       "publisher", got[f"{metric}/publisher"])
                expect(got[f"{metric}/receiver"] == (receiver[i] + extra[i]) * N, variant, peers,
                       metric, "receiver", got[f"{metric}/receiver"])
            expect(got["id_hashes"] == ID_HASHES.get(variant, 2) * N, variant, "id_hashes")
            expect(got["pushed"] == got["pushed/receiver"] == peers * N, variant, "pushed")
            expect(got["delivered"] == 2 * N and got["archived"] == N, variant, "delivered")
            for metric in ("dropped", "rejected", "refused"):
                expect(got[metric] == 0, variant, metric)
            push_copies = got.get("copies/receiver/push", 0)
            expect(push_copies == (peers * N if variant == "before" else 0), variant, "push copies")


def check_archives():
    for variant, copies, hashes in (("before", 17, 2), ("before-orc", 1, 2), ("after", 0, 1)):
        got = run(COUNTING, variant, "--archive", "none", "--mix", "8:1")
        expect(got["copies/receiver"] == copies * N, variant, got["copies/receiver"])
        expect(got["hashes/receiver"] == hashes * N, variant, got["hashes/receiver"])


def check_reference_counts():
    """N = 1000, seed 42: the process-wide figures of the reference document."""
    for variant, decodes, hashes, hashed, decoded in (
            ("before", 6000, 5000, 325_000_000, 390_328_500),
            ("after", 3000, 3000, 195_000_000, 195_164_250)):
        got = run(COUNTING, variant, n=1000)
        expect((got["decodes"], got["hashes"], got["hashed_bytes"], got["decoded_bytes"])
               == (decodes, hashes, hashed, decoded), variant, got["decoded_bytes"])


def check_repeats():
    for worker, variant in ((COUNTING, "before"), (COUNTING, "floor"), (TIMED, "after")):
        options = ("--filter-peers", "3", "--mix", "8:1,100-3000:3,50k:1", "--archive-capacity", "20")
        first = exact(run(worker, variant, *options))
        for how in ((), (), (), ("--nodes", "processes"), ("--nodes", "processes")):
            again = exact(run(worker, variant, *options, *how))
            expect(again == first, variant, how, set(again.items()) ^ set(first.items()))


def check_totals():
    """The timed worker's totals, from the allocator, are the counting worker's, node by node."""
    if not allocator().startswith("jemalloc"):
        print(f"# not compared: usable_bytes of the timed worker (allocator: {allocator()})")
        return
    for variant in ("before", "before-orc", "after", "floor"):
        timed, counted = (run(w, variant, "--filter-peers", "3") for w in (TIMED, COUNTING))
        for metric in ("usable_bytes", "freed_bytes"):
            for node in ("publisher", "receiver"):
                name = f"{metric}/{node}"
                expect(timed[name] == counted[name], variant, name, timed[name], counted[name])


def check_bytes():
    for variant in VARIANTS:
        run(CHECKED, variant, "--mix", "8:1,9-2000:5,70k:1", "--filter-peers", "2")


def check_filter():
    expect(run(TIMED, "after", scenario="filter")["pushed"] == 20 * N, "20 peers by default")
    for how in ("threads", "processes"):
        got = run(TIMED, "before", "--filter-peers", "1000", "--mix", "2k:1,70k:1", "--nodes", how,
                  scenario="filter", n=10)
        expect(got["pushed/receiver"] == 10_000, how, got["pushed/receiver"])
    few = start(TIMED, *options_of("after", "--filter-peers", "100"), preexec_fn=lambda: (
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))))
    expect(few.returncode == 77 and re.fullmatch(r".*100 peers need.*hard limit is 100\n",
                                                 few.stderr), few.returncode, few.stderr)
    soft = run(TIMED, "after", "--filter-peers", "60", preexec_fn=lambda: (
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 1000))))
    expect(soft["pushed"] == 60 * N, "a low soft limit")


def check_overload(how, n):
    """Publish far faster than the receiver can take: how many messages the queue dropped."""
    got = run(COUNTING, "after", "--rate", "1000000", "--filter-peers", "30", "--mix", "150k:1",
              "--archive-capacity", "50", "--nodes", how, n=n)
    lost = got["dropped/publisher"]
    expect(got["saturated"] == 1, how, "not saturated")
    expect(lost == got.get("dropped/publisher/queue_full", 0) == got["dropped"], how, lost)
    expect(got["delivered/publisher"] == got["messages"] == n, how)
    expect(got["delivered/receiver"] == n - lost, how, got["delivered/receiver"], lost)
    expect(got["archived"] == n - lost, how, "archived")
    expect(got["pushed/receiver"] == 30 * (n - lost), how, "pushed")
    return lost


def check_open_loop():
    calm = run(TIMED, "after", "--rate", "500", "--mix", "1k:1")
    is_kept = calm["msg_per_s"] >= 0.99 * 500  # not on a machine that is busy otherwise
    expect(calm["saturated"] == (0 if is_kept else 1) and calm["offered_per_s"] == 500, "calm",
           calm["msg_per_s"])
    expect(calm["dropped"] == 0 and calm["delivered"] == 2 * N, "calm", calm)
    for how in ("threads", "processes"):
        # Queue and socket buffers (up to 36 MB) hold some 750 of these; the receiver, with its
        # pushes, takes ten times the publisher's time for each, unless a busy machine holds the
        # publisher back: then the sums close all the same, and more messages are tried.
        for n in (1200, 1200, 3000):
            lost = check_overload(how, n)
            if lost > 0:
                break
        expect(lost > 0 or IS_SANITIZED, how, "nothing was lost: the check checks nothing")
    closed = run(TIMED, "after")
    expect("saturated" not in closed and "offered_per_s" not in closed, "closed loop")


def check_hostile():
    for worker, variant, more in ((COUNTING, "before", ()), (TIMED, "after", ("--filter-peers", "2")),
                                  (COUNTING, "floor", ("--nodes", "processes"))):
        options = ("--mix", "20k:1,70k:1", *more)
        honest = exact(run(worker, variant, *options, n=300), honest=True)
        expect(len(honest) > (100 if worker == COUNTING else 10), "too few rows", len(honest))
        for kind, reason in HOSTILE.items():
            for rate in ("100", "5000") + (("max",) if kind == "flood" else ()):
                got = run(worker, variant, *options, "--hostile", f"{kind},{rate}", n=300)
                what = (variant, kind, rate)
                same = exact(got, honest=True)
                expect(same == honest, *what, set(same.items()) ^ set(honest.items()))
                fates = got["dropped/hostile"] + got["rejected/hostile"]
                expect(fates > 0, *what, "nothing came")
                expect(reason is None or got[f"dropped/hostile/{reason}"] == fates, *what, "reason")
                expect(reason is not None or got["rejected/hostile"] == fates, *what, "reason")
                expect(got["delivered/hostile"] == 0, *what, "delivered")
                if worker == COUNTING:
                    expect(got["allocs/hostile"] == got["frees/hostile"] > 0, *what, "a leak")
                    expect(got["peak_bytes/hostile"] < 1 << 20, *what, got["peak_bytes/hostile"])


def check_wrong_options():
    for value in ("x", "", "garbage", "garbage,", "garbage,0", "garbage,max", "flood,1000001",
                  "dup,1,2", ",1", "flood,-1", "none,1", "Garbage,1", "garbage,1.5", "slow,1 "):
        ran = start(TIMED, *options_of("after", "--hostile", value))
        expect(ran.returncode == 2 and ran.stdout == "" and ran.stderr.count("\n") == 1
               and "--hostile" in ran.stderr, repr(value), ran.returncode, ran.stderr)
    ran = start(TIMED, *options_of("after", "--mix", "8:1,153522:1"))
    expect(ran.returncode == 2 and "--mix" in ran.stderr, ran.returncode, ran.stderr)
    run(TIMED, "after", "--mix", "boundary")


def children(pid):
    try:
        return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_gone(pid):
    try:
        return "State:\tZ" in pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


@contextlib.contextmanager
def with_child(*more):
    """A pass with processes, and its receiver."""
    worker = subprocess.Popen([TIMED, *options_of("before", "--nodes", "processes", *more, n=50_000)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not children(worker.pid) and worker.poll() is None:
        time.sleep(0.001)
    child = children(worker.pid)[0]
    try:
        yield worker, child
    finally:
        worker.kill()
        worker.wait()


def check_deaths():
    """Whoever dies: a failed pass with the reason, soon, and nobody left behind."""
    rng = random.Random(1)
    crash = signal.SIGTERM if IS_SANITIZED else signal.SIGSEGV  # which a sanitizer catches
    for sig in (signal.SIGKILL, crash, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL):
        for more in ((), ("--filter-peers", "2"), ("--hostile", "flood,max")):
            with with_child(*more) as (worker, child):
                time.sleep(rng.choice((0, 0.001, 0.02, 0.2)))
                os.kill(child, sig)
                out, err = worker.communicate(timeout=10)
                expect(worker.returncode == 1 and out == "", sig, more, worker.returncode, err)
                expect(err.count("\n") == 1 and f"killed by signal {int(sig)}" in err, sig, err)
    with with_child() as (worker, child):
        time.sleep(0.2)
        worker.kill()
        worker.wait()
        time.sleep(0.3)
        expect(is_gone(child), "an orphan")


def check_stopped():
    """A node that stands still is noticed after 10 s and put down."""
    with with_child() as (worker, child):
        time.sleep(0.2)
        os.kill(child, signal.SIGSTOP)
        out, err = worker.communicate(timeout=30)
        expect(worker.returncode == 1 and out == "" and "no progress" in err, err)
        expect(is_gone(child), "an orphan")


def check_shortages():
    outcomes = set()
    for limit in range(4, 14):
        for more in ((), ("--nodes", "processes"), ("--hostile", "garbage,100")):
            ran = start(TIMED, *options_of("after", *more, n=200), timeout=30, preexec_fn=lambda: (
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))))
            outcomes.add(ran.returncode)
            expect(ran.returncode in (0, 1, 77, 127), limit, more, ran.returncode, ran.stderr)
            expect(ran.returncode == 0 or (ran.stdout == "" and ran.stderr.count("\n") == 1),
                   limit, more, ran.stderr)
    expect({0, 1, 77} <= outcomes, "the limits tested nothing", outcomes)
    for network, code, said in (("true", 1, "unreachable"),
                                ("ip link set lo up; echo 50000 50001 >"
                                 "/proc/sys/net/ipv4/ip_local_port_range", 1, "assign")):
        ran = subprocess.run(["unshare", "-n", "sh", "-c", f'{network}; exec "$@"', "sh", TIMED,
                              *options_of("after", scenario="filter")], check=False,
                             capture_output=True, text=True, timeout=30)
        if "msgpath-worker" not in ran.stderr:
            print("# not checked: no loopback, no ports (unshare:", ran.stderr.strip() + ")")
            return
        expect(ran.returncode == code and said in ran.stderr, ran.returncode, ran.stderr)


def check_sanitized():
    """Everything that has threads, once, under the sanitizers."""
    for how in ("threads", "processes"):
        for variant in ("before", "after", "floor"):
            run(COUNTING, variant, "--filter-peers", "3", "--nodes", how)
        for kind in HOSTILE:
            run(TIMED, "before", "--hostile", f"{kind},500", "--nodes", how)
    run(TIMED, "before", "--hostile", "flood,max", n=200)
    run(TIMED, "before", "--rate", "1000000", "--filter-peers", "50", n=700)


GROUPS = {
    "counts": [check_counts, check_archives, check_reference_counts, check_bytes],
    "repeats": [check_repeats, check_totals],
    "filter": [check_filter, check_open_loop],
    "hostile": [check_hostile, check_wrong_options],
    "deaths": [check_deaths, check_shortages],
    "stopped": [check_stopped],
    "sanitized": [check_sanitized],
}

if __name__ == "__main__":
    if sys.argv[4:] == ["sanitized"] and not IS_SANITIZED:
        print("skipped: not a sanitized build")
        sys.exit(77)
    n_failed = 0
    for check in (c for group in sys.argv[4:] for c in GROUPS[group]):
        began = time.monotonic()
        try:
            check()
            print(f"ok - {check.__name__} ({time.monotonic() - began:.1f} s)")
        except Fault as fault:
            n_failed += 1
            print(f"not ok - {check.__name__}: {fault}")
    sys.exit(1 if n_failed else 0)
