# shellcheck shell=bash disable=SC2154
# Another release of Debian, or Ubuntu, in a folder, and commands run inside it. Sourced, after deploy/lib.sh; needs root and
# $root.
#
# systems: one folder a suite, made by debootstrap and kept as a tar archive, so that each run begins with a fresh one.
systems=$root/.build-release/systems

# The suite of this machine (bookworm, trixie, ...).
own_suite() { (. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-unknown}"); }

# What ends the packages' versions for a suite: 0.1.0~deb12 is older than 0.1.0~deb13.
suite_tag() {
    case "$1" in
        bookworm) echo deb12 ;;
        trixie) echo deb13 ;;
        noble) echo ubuntu24.04 ;;
        *) fail "unknown suite: $1 (bookworm is Debian 12, trixie is Debian 13, noble is Ubuntu 24.04)" ;;
    esac
}

# The architecture of this machine in Debian's words (amd64, arm64).
own_arch() { dpkg --print-architecture; }

# The architecture that a program is for, by its ELF header's e_machine; nothing for others than these two.
program_arch() {
    case "$(od -An -v -t u2 -j 18 -N 2 "$1" 2>/dev/null | tr -d ' ')" in 62) echo amd64 ;; 183) echo arm64 ;; esac
}

# need_toolchain ARCH FOLDER: a Swift toolchain that runs on that architecture. Swift's standard library is only to be had
# with such a one: no toolchain builds for another architecture than its own. Its folder is left in `toolchain`.
need_toolchain() {
    local arch=$1 folder=$2 program found
    program=$(readlink -f "$folder/bin/swift" 2>/dev/null || true)
    [ -f "$program" ] || program=$(readlink -f "$folder/usr/bin/swift" 2>/dev/null || true)
    [ -f "$program" ] || fail "there is no Swift toolchain in $folder: it would have bin/swift or usr/bin/swift"
    found=$(program_arch "$program")
    [ "$found" = "$arch" ] || fail "no Swift toolchain for $arch: the one in $folder is for ${found:-another architecture}.
       Unpack the one for $arch from https://www.swift.org/install/linux/ and name it with --toolchain, or run this on an $arch machine"
    # shellcheck disable=SC2034 # read by the scripts that source this one
    toolchain=$(dirname "$(dirname "$program")")
}

# need_emulation ARCH: the kernel has to start programs of another architecture, in a chroot, too.
need_emulation() {
    local name=qemu-aarch64 entry
    [ "$1" = arm64 ] || name=qemu-x86_64
    entry=/proc/sys/fs/binfmt_misc/$name
    grep -qs '^flags:.*F' "$entry" \
        || fail "programs for $1 do not run here: apt-get install qemu-user-static binfmt-support, or build on an $1 machine"
}

# make_system SUITE FOLDER [ARCH]: a fresh minimal system in the folder, in which no service starts.
make_system() {
    local suite=$1 folder=$2 arch=${3:-$(own_arch)} archive mirror origin=Debian standard=http://deb.debian.org/debian
    local options=() script=()
    if [ "$(suite_tag "$suite")" = ubuntu24.04 ]; then
        origin=Ubuntu standard=http://archive.ubuntu.com/ubuntu options=("--components=main,universe")
        [ "$arch" = amd64 ] || standard=http://ports.ubuntu.com/ubuntu-ports
        # A debootstrap that is older than the suite has no script of that name. They are all the same one.
        [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=(gutsy)
    fi
    archive=$systems/$suite-$arch.tar
    mkdir -p "$systems"
    rm -rf "$folder"
    if [ ! -e "$archive" ]; then
        # The mirror that this machine uses, if any. Others publish below /debian, too: Docker, Raspberry Pi.
        # shellcheck disable=SC2016
        mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
            "Origin: $origin" "Label: $origin" "Architecture: $arch" 2>/dev/null | grep -m 1 '^https\?://' || true)
        mirror=${mirror:-$standard}
        debootstrap --arch="$arch" --variant=minbase --include=ca-certificates "${options[@]}" \
            "$suite" "$folder" "$mirror" "${script[@]}" > "$systems/debootstrap.log" 2>&1 \
            || { tail -n 5 "$systems/debootstrap.log" >&2; fail "debootstrap of $suite failed"; }
        tar -C "$folder" -cf "$archive.new" . && mv "$archive.new" "$archive"
    else
        mkdir -p "$folder" && tar -C "$folder" -xf "$archive"
    fi
    # debootstrap writes no /etc/hosts, without which localhost is nobody.
    cp /etc/resolv.conf /etc/hosts "$folder/etc/"
    # How this machine reaches its mirror (proxy, credentials); the sources themselves are debootstrap's.
    local settings
    for settings in /etc/apt/apt.conf /etc/apt/apt.conf.d /etc/apt/auth.conf.d; do
        [ ! -e "$settings" ] || cp -r "$settings" "$folder/etc/apt/"
    done
    # Its hooks run programs that are missing in there: apt-listchanges of every Debian desktop would fail each installation.
    {
        printf '#clear %s;\n' DPkg::{Pre-Invoke,Post-Invoke,Pre-Install-Pkgs} APT::Update::{Pre-Invoke,Post-Invoke,Post-Invoke-Success}
        echo 'APT::Keep-Downloaded-Packages "false";'
    } > "$folder/etc/apt/apt.conf.d/zz-tintype"
    printf '#!/bin/sh\nexit 101\n' > "$folder/usr/sbin/policy-rc.d"
    chmod +x "$folder/usr/sbin/policy-rc.d"
}

# in_system FOLDER COMMAND...: runs a command there. Mounts live as long as the command, so nothing is left to unmount.
# Variables: BIND, folders of this machine (FROM:TO) that it sees.
in_system() {
    local folder=$1
    shift
    # shellcheck disable=SC2016
    BINDS="${BIND[*]:-}" unshare --mount bash -c '
        set -e
        folder=$0
        mount --make-rprivate /
        mount -t proc proc "$folder/proc"
        for bind in $BINDS; do mkdir -p "$folder${bind#*:}"; mount --rbind "${bind%%:*}" "$folder${bind#*:}"; done
        exec env -i PATH="${TOOLCHAIN:+$TOOLCHAIN/bin:}/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive SWIFT_BACKTRACE=enable=no chroot "$folder" "$@"' "$folder" "$@"
}

# make_build_system SUITE ARCH: a system in which the toolchain of this machine compiles; its folder is left in `system`. What
# was made before is used again while the same packages are needed.
make_build_system() {
    local suite=$1 arch=$2 needed
    system=$systems/$suite-$arch-build
    mapfile -t needed < <(awk '$2 !~ /[?]$/ && ($1 == "build") || $1 == "packaging" && $2 ~ /^(debhelper|dpkg-dev|fakeroot)$/ { print $2 }' "$root/deploy/packages.txt")
    # What the toolchain's own programs are linked with, and a C library to link ours with.
    needed+=(g++ libedit2 libncurses6 libxml2 python3)
    [ "$(cat "$system/.ready" 2>/dev/null)" != "${needed[*]}" ] || return 0
    say "a fresh $suite for $arch, with what the build needs"
    make_system "$suite" "$system" "$arch"
    in_system "$system" apt-get update -qq
    in_system "$system" apt-get install -y -qq --no-install-recommends "${needed[@]}" \
        > "$system.log" 2>&1 \
        || { tail -n 5 "$system.log" >&2; fail "the packages of deploy/packages.txt could not be installed in $suite"; }
    in_system "$system" git config --global --replace-all safe.directory '*'
    echo "${needed[*]}" > "$system/.ready"
}

# need_bound_toolchain ARCH [FOLDER]: the toolchain that is bound into other systems, in `toolchain` and TOOLCHAIN.
need_bound_toolchain() {
    need_swift
    local own
    # The command may be a launcher, such as swiftly's: the compiler knows where its own library is.
    own=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p')
    need_toolchain "$1" "${2:-$own}"
    [ "$toolchain" != /usr ] || fail "the Swift toolchain must lie in a folder of its own (/opt/swift) to be bound into another system"
    [ "$1" = "$(own_arch)" ] || need_emulation "$1"
    # sudo has a PATH of its own, in which there is no Swift.
    [ "$(id -u)" -eq 0 ] || fail "chroot needs root: sudo env PATH=\"\$PATH\" $0"
    export TOOLCHAIN=$toolchain
}
