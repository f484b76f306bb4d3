# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Functions that the launchers, installed or not, and test.sh share; to be sourced by bash. They print to standard error
# only.
# shellcheck shell=bash

# The enforcer in pom.xml asks for these, too.
readonly RDMA4J_MIN_JAVA=17
readonly RDMA4J_MIN_MAVEN=3.8
# What the distribution may call it; the first that is installed or on offer is taken.
# shellcheck disable=SC2034 # for those who source this file
readonly RDMA4J_JDK_PACKAGES='openjdk-17-jdk-headless|openjdk-21-jdk-headless|openjdk-25-jdk-headless'

# Java takes no name of a file or folder that the locale has no letters for, not even that of the working folder. Maven
# is Java, too.
case $(locale charmap 2>/dev/null) in
    ANSI_X3.4-1968 | '') export LC_ALL=C.UTF-8 2>/dev/null ;;
esac

note() {
    printf 'rdma4j: %s\n' "$*" >&2
}

# is_debian: whether packages come from apt here.
is_debian() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

# is_guest_root FOLDER: whether this is root, and the folder is somebody else's.
is_guest_root() {
    [ "$(id -u)" -eq 0 ] && [ "$(stat -c %u "$1")" -ne 0 ]
}

# java_major HOME: sets REPLY to the major version of the Java in HOME, 0 if there is none.
# Reads the file "release", since asking Java itself takes as long as starting it.
java_major() {
    local line version=
    REPLY=0
    [ -x "$1/bin/java" ] || return 0
    if [ -r "$1/release" ]; then
        while IFS= read -r line; do
            case $line in
                JAVA_VERSION=*) version=${line#*\"} ;;
            esac
        done <"$1/release"
    fi
    if [ -z "$version" ]; then
        version=$("$1/bin/java" -version 2>&1 </dev/null | sed -n 's/^[a-z]* version "\(.*\)/\1/p')
    fi
    version=${version%%[!0-9]*}
    REPLY=${version:-0}
}

# find_java [PROGRAM]: sets JAVA_HOME to that of the first Java that is new enough and has bin/PROGRAM (default: java):
# the one that JAVA_HOME names, the one on the PATH, or one of the distribution's. Fails if there is none.
find_java() {
    local program=${1:-java} on_path candidate
    on_path=$(command -v java || true)
    if [ -n "$on_path" ]; then
        on_path=$(readlink -f "$on_path")
    fi
    for candidate in "${JAVA_HOME:-}" "${on_path%/bin/java}" "${RDMA4J_JVMS:-/usr/lib/jvm}"/*; do
        if [ -n "$candidate" ] && [ -x "$candidate/bin/$program" ]; then
            java_major "$candidate"
            if [ "$REPLY" -ge "$RDMA4J_MIN_JAVA" ]; then
                JAVA_HOME=$candidate
                return 0
            fi
        fi
    done
    return 1
}

# package_installed PACKAGE: whether dpkg has it installed.
package_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# choose_package 'A|B|C': sets REPLY to the first that apt offers; if there is none to the first, and fails.
choose_package() {
    local alternatives alternative
    IFS='|' read -r -a alternatives <<<"$1"
    for alternative in "${alternatives[@]}"; do
        if apt-cache show --no-all-versions "$alternative" >/dev/null 2>&1; then
            REPLY=$alternative
            return
        fi
    done
    REPLY=${alternatives[0]}
    return 1
}

# missing_packages 'A|B' C ...: sets MISSING to those arguments of which no alternative is installed.
missing_packages() {
    local wanted alternative alternatives
    MISSING=()
    for wanted in "$@"; do
        IFS='|' read -r -a alternatives <<<"$wanted"
        for alternative in "${alternatives[@]}"; do
            package_installed "$alternative" && continue 2
        done
        MISSING+=("$wanted")
    done
}

# ensure_packages 'A|B' C ...: makes sure that packages of the distribution are installed, of A|B one of the two.
# Installs what is missing as root or through sudo without a password; else prints the command that does, and fails.
ensure_packages() {
    local as_root=() wanted log
    if ! is_debian; then
        note "please install what Debian calls ${*//|/ or }; this system has no apt to do it with"
        return 1
    fi
    missing_packages "$@"
    [ ${#MISSING[@]} -gt 0 ] || return 0

    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            choose_packages "${MISSING[@]}"
            note "packages are missing; this installs them:"
            printf '    %s\n' "$(install_command)" >&2
            return 1
        fi
        as_root=(sudo -n)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive)
    log=$(mktemp)
    note 'packages are missing; updating the list of packages ...'
    # Whether a list that could not be updated matters shows when installing.
    "${as_root[@]}" apt-get update -q >"$log" 2>&1 || true
    choose_packages "${MISSING[@]}"
    if [ ${#OFFERED[@]} -gt 0 ] && ! install_offered "$log" "${as_root[@]}"; then
        return 1
    fi
    rm -f "$log"
    if [ ${#UNKNOWN[@]} -gt 0 ]; then
        note "apt offers no ${UNKNOWN[*]} here"
        return 1
    fi
}

# install_offered LOG COMMAND ...: installs OFFERED by that command, which becomes root.
install_offered() {
    local log=$1
    shift
    note "installing ${OFFERED[*]} ..."
    if ! "$@" apt-get install -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 "${OFFERED[@]}" \
        >>"$log" 2>&1 </dev/null; then
        note "apt-get could not install ${OFFERED[*]}:"
        grep '^E:' "$log" >&2 || tail -n 5 "$log" >&2
        note "all of its output is in $log"
        return 1
    fi
}

# refresh_package_lists: as root or through sudo without a password, where there is apt; else does nothing.
refresh_package_lists() {
    local as_root=()
    is_debian || return 0
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 0
        as_root=(sudo -n)
    fi
    "${as_root[@]}" apt-get update -q >/dev/null 2>&1 || note 'the package lists could not be refreshed'
}

# choose_packages 'A|B' C ...: sets CHOSEN to one package for each argument, OFFERED and UNKNOWN to those of them that
# apt offers and does not offer: for one that it does not know it would install none.
choose_packages() {
    local wanted
    CHOSEN=() OFFERED=() UNKNOWN=()
    for wanted in "$@"; do
        if choose_package "$wanted"; then
            OFFERED+=("$REPLY")
        else
            UNKNOWN+=("$REPLY")
        fi
        CHOSEN+=("$REPLY")
    done
}

# install_command: prints the one command that installs CHOSEN.
install_command() {
    local apt="apt-get update && apt-get install -y --no-install-recommends ${CHOSEN[*]}"
    if command -v sudo >/dev/null; then
        printf "sudo sh -c '%s'" "$apt"
    else
        printf "su -c '%s'" "$apt"
    fi
}

# lock_build ROOT: waits until nobody else builds in that folder. Descriptor 9 has the lock, until it is closed.
lock_build() {
    mkdir -p "$1/target"
    exec 9>"$1/target/rdma4j-build.lock"
    if ! command -v flock >/dev/null; then
        note 'no flock here (util-linux): two builds at once would disturb each other'
    elif ! flock -n 9; then
        note 'waiting for another build ...'
        flock 9
    fi
}

# ensure_jdk [PACKAGE ...]: sets JAVA_HOME to a JDK that can build rdma4j; makes sure that it is there, and packages.
ensure_jdk() {
    find_java javac || set -- "$RDMA4J_JDK_PACKAGES" "$@"
    if [ $# -gt 0 ]; then
        ensure_packages "$@" || return 1
        hash -r
        find_java javac || {
            note "no JDK $RDMA4J_MIN_JAVA or newer was found in JAVA_HOME, on the PATH or in /usr/lib/jvm"
            return 1
        }
    fi
    export JAVA_HOME
}

# ensure_jdk_and_maven: likewise, and makes sure that mvn is there and new enough; one that tells no version is taken.
ensure_jdk_and_maven() {
    local missing='' version is least
    command -v mvn >/dev/null || missing=maven
    ensure_jdk ${missing:+"$missing"} || return 1
    version=$(mvn -v 2>/dev/null </dev/null | sed -n 's/.*Apache Maven \([0-9][0-9.]*\).*/\1/p') || true
    IFS=. read -r -a is <<<"${version:-$RDMA4J_MIN_MAVEN}"
    IFS=. read -r -a least <<<"$RDMA4J_MIN_MAVEN"
    if ((is[0] < least[0] || is[0] == least[0] && ${is[1]:-0} < least[1])); then
        note "Maven $RDMA4J_MIN_MAVEN or newer is needed, $(command -v mvn) is $version: put one from" \
            'https://maven.apache.org/download.cgi first on the PATH, or use a newer distribution'
        return 1
    fi
}

# class_archive JAR: classes as the JVM wants them, which halves the time to start. Each build of Java has its own,
# beside the jar; made when there is none for this jar, which needs one short run. Sets REPLY to its file; to nothing
# where none can be made.
class_archive() {
    local jar=$1 folder=${1%/*} archive made
    archive=$(cksum 2>/dev/null <"$JAVA_HOME/release") || archive=
    archive=$folder/rdma4j-${archive%% *}.jsa
    REPLY=
    if [ ! -e "$archive" ] || [ "$jar" -nt "$archive" ]; then
        { [ -r "$JAVA_HOME/release" ] && [ -w "$folder" ] && ! is_guest_root "$folder"; } || return 0
        made=$archive.$$
        # Java ends by itself then, with 130, and so looks as if it had dealt with it: here nothing would end.
        trap 'rm -f "$made"; exit 130' INT
        # Not what the environment asks to trace: its file may be what the command itself is to read.
        "$JAVA_HOME/bin/java" -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$made" -Drdma4j.trace= -jar "$jar" devinfo \
            >/dev/null 2>&1 </dev/null || true
        trap - INT
        # Where this Java makes none an empty file says so to the next start.
        [ -s "$made" ] || : >"$made"
        mv -f "$made" "$archive"
    fi
    [ ! -s "$archive" ] || REPLY=$archive
}

# run_jar JAR ARGUMENT ...: becomes the Java of JAVA_HOME that runs it, with the options of RDMA4J_OPTS.
run_jar() {
    local jar=$1 options=(-XX:+UseSerialGC)
    shift
    REPLY=
    case " ${RDMA4J_OPTS:-} ${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} " in
        # Java ends where two are chosen; and another collector's archive is another one.
        *-XX:+Use*GC*) options=() ;;
        *) class_archive "$jar" ;;
    esac
    # An archive that does not fit is no reason for a JVM to say so on standard output.
    [ -z "$REPLY" ] || options+=(-XX:SharedArchiveFile="$REPLY" -Xshare:auto -Xlog:disable -Xlog:all=error:stderr)
    java_major "$JAVA_HOME"
    # Chronicle Bytes, which only --raw needs, makes these JDKs complain.
    [ "$REPLY" -lt 24 ] || options+=(--sun-misc-unsafe-memory-access=allow)
    # shellcheck disable=SC2086 # several options
    exec "$JAVA_HOME/bin/java" "${options[@]}" ${RDMA4J_OPTS:-} -jar "$jar" "$@"
}
