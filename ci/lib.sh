# ci/lib.sh: shared by ci/demo and ci/test, which source it from the root of the tree.

# configure DIR [OPTION...]: a Meson build folder with these options, new or already there.
# One line on success; Meson's own words on failure.
configure() {
    dir=$1
    shift
    again=''
    [ ! -f "$dir/build.ninja" ] || again='--reconfigure'
    # shellcheck disable=SC2086 # empty or one word
    if ! out=$(meson setup $again "$dir" "$@" 2>&1); then
        printf '%s\n' "$out" >&2
        echo "$0: meson could not configure $dir (if it is a broken build folder, remove it)" >&2
        return 1
    fi
    echo "configured $dir $*"
}
