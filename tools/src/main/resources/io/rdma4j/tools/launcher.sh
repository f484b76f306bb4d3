#!/usr/bin/env bash
# Copyright 2026 the rdma4j authors.
# SPDX-License-Identifier: Apache-2.0
#
# Starts the rdma4j command line that 'rdma4j install' has put here.
#
#   JAVA_HOME        the Java to run on, if it is 17 or newer; else the one on the PATH or one of the distribution's
#   RDMA4J_OPTS      further options for the JVM

set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")
bin=${self%/*}
lib=${bin%/*}/lib/rdma4j

# shellcheck source=tools/lib.sh
. "$lib/lib.sh"

find_java || {
    note "no Java $RDMA4J_MIN_JAVA or newer was found in JAVA_HOME, on the PATH or in /usr/lib/jvm"
    exit 1
}
run_jar "$lib/rdma4j.jar" "$@"
