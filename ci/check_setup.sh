#!/bin/sh
# check_setup.sh ROOT: ci/setup on pretended machines: nothing missing, something missing with root,
# with sudo and with neither, no apt, apt failing, wrong arguments. Nothing is installed.
set -eu
setup=$1/ci/setup
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
PATH="$work/bin:/usr/bin:/bin"
n_faults=0

# fake NAME SCRIPT: a program that only the next cases see.
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# expect WHAT STATUS PATTERN [ARG...]: run ci/setup; its status, and its words match the pattern
# (an empty pattern: it says nothing). $work/log holds what the fake apt-get was asked.
expect() {
    what=$1 status=$2 pattern=$3
    shift 3
    : >"$work/log"
    got=0
    words=$(sh "$setup" "$@" 2>&1) || got=$?
    fault=''
    [ "$got" = "$status" ] || fault="status $got, expected $status"
    if [ -z "$pattern" ]; then
        [ -z "$words" ] || fault="$fault it should say nothing"
    else
        printf '%s\n' "$words" | grep -Eq "$pattern" || fault="$fault no '$pattern' in its words"
    fi
    if [ -n "$fault" ]; then
        n_faults=$((n_faults + 1))
        echo "check_setup: $what: $fault; it said: $words"
    fi
}

asked() {
    if ! grep -Eq "$1" "$work/log"; then
        n_faults=$((n_faults + 1))
        echo "check_setup: apt-get was not asked for '$1' but: $(cat "$work/log")"
    fi
}

fake apt-get "echo \"\$@\" >>'$work/log'"
fake sudo "echo sudo >>'$work/log'; exec \"\$@\""
fake id 'echo 0'
fake dpkg-query 'printf installed'
expect 'nothing missing' 0 ''
[ ! -s "$work/log" ] || { echo 'check_setup: apt-get was called with nothing missing'; exit 1; }
expect 'nothing missing, all' 0 '' --all
expect 'unknown argument' 2 "unknown argument '--al'" --al
expect 'second argument' 2 "unknown argument 'more'" --all more

fake dpkg-query 'case "$*" in *cmocka*|*codespell*) exit 1;; *) printf installed;; esac'
expect 'one missing, root' 0 'installing: libcmocka-dev$'
asked ' update$'
asked 'install .*libcmocka-dev$'
expect 'two missing, root' 0 'installing: libcmocka-dev codespell$' --all
fake dpkg-query 'case "$*" in *cmocka*) printf config-files;; *) printf installed;; esac'
expect 'removed but configured' 0 'installing: libcmocka-dev$'

fake id 'echo 1000'
expect 'one missing, sudo' 0 'installing: libcmocka-dev$'
asked '^sudo$'
fake apt-get 'echo "E: no such package" >&2; exit 100'
expect 'apt fails' 1 'no such package'
expect 'apt fails, last line' 1 'ci/setup: apt could not install: libcmocka-dev$'

# A machine without sudo or apt: only the programs the script itself needs.
rm "$work/bin/sudo" "$work/bin/apt-get"
for program in sh chmod cat sed tr mktemp rm tail grep env; do
    ln -s "$(command -v "$program")" "$work/bin/$program"
done
PATH="$work/bin"
expect 'no apt' 0 'no apt here.* gcc g\+\+ '
fake apt-get 'exit 0'
expect 'neither root nor sudo' 1 'needs root or sudo to install: libcmocka-dev$'

echo "$n_faults faults"
[ "$n_faults" = 0 ]
