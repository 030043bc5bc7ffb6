# ci/lib.sh: shared by ci/demo and ci/test, which source it from the root of the tree.

# configure DIR [OPTION...]: a Meson build folder with these options, new or already there.
# One line on success; Meson's own words on failure.
configure() {
    dir=$1
    shift
    if [ -f "$dir/build.ninja" ]; then
        # `setup --reconfigure` with options would ignore some of them, c_args for one.
        out=$(meson configure "$dir" "$@" 2>&1 && meson setup --reconfigure "$dir" 2>&1)
    else
        out=$(meson setup "$dir" "$@" 2>&1)
    fi || {
        printf '%s\n' "$out" >&2
        echo "$0: meson could not configure $dir (if it is a broken build folder, remove it)" >&2
        return 1
    }
    echo "configured $dir $*"
}
