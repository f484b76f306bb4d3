#!/usr/bin/env bash
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Runs an example: examples/run.sh [NAME [DEVICE]]; without a name it lists them. Builds on first use.
#
#   JAVA_HOME     the Java to run on, if it is 17 or newer; else the one on the PATH or one of the distribution's
#   RDMA4J_BUILD  if not empty: build again, after changes of the sources

set -euo pipefail

module=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
target=$module/target

# shellcheck source=tools/lib.sh
. "$module/../tools/lib.sh"

is_built() {
    [ -f "$target/class-path.txt" ] && [ -z "${RDMA4J_BUILD:-}" ]
}

if ! is_built; then
    if is_guest_root "$module"; then
        note 'not built yet, and root does not build in the folder of another: run examples/run.sh first, as yourself'
        exit 1
    fi
    lock_build "$module/.."
    if ! is_built; then
        ensure_jdk_and_maven
        note 'building the examples ...'
        (cd "$module/.." && mvn -B -q -Dstyle.color=never -pl examples -am -Dmaven.test.skip=true \
            -Dcheckstyle.skip=true package </dev/null 9>&-) >&2
    fi
    exec 9>&-
fi
find_java || { note "no Java $RDMA4J_MIN_JAVA or newer was found"; exit 1; }
java_major "$JAVA_HOME"
options=(--add-opens java.base/jdk.internal.misc=ALL-UNNAMED)
if [ "$REPLY" -ge 24 ]; then
    # JNA and Agrona use what these JDKs warn of.
    options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
fi
exec "$JAVA_HOME/bin/java" "${options[@]}" -cp "$target/classes:$(cat "$target/class-path.txt")" \
    io.rdma4j.examples.Examples "$@"
