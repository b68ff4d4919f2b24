# shellcheck shell=bash disable=SC2034,SC2154
# Shared by the scripts beside it: saying what happens, timing it, and installing what is missing.
# Sourced, never run. Needs bash.

# One environment for every build, so that a changed locale does not rebuild the C targets.
export LC_ALL=C.UTF-8 LANG=C.UTF-8
# The toolchain's own backtracer can hang under a fuzzer and slows every crash test.
export SWIFT_BACKTRACE=enable=no

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
            apt-cache show "$package" >/dev/null 2>&1 || continue
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

need_swift() {
    command -v swift >/dev/null || fail "Swift 6.2 or newer is needed: https://www.swift.org/install/linux/"
}
