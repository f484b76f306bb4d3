#!/usr/bin/env bash
# Boots the fabric guest by hand, with --inner also the guest inside it, or opens a shell in one that runs: see
# docs/qemu.md, or --help, --inner --help.
# Environment: JAVA_HOME, and RDMA4J_OPTS for further JVM options such as -Drdma4j.qemu.memory=3072.
set -euo pipefail
module=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$module/${RDMA4J_BUILD_DIR:-target}

if [ ! -d "$target/classes" ] || [ ! -f "$target/class-path.txt" ]; then
    echo "run-guest.sh: not built; run: (cd $module/.. && mvn -q -DskipTests -am -pl qemu-tests install)" >&2
    exit 1
fi

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
class_path=$target/classes:$(cat "$target/class-path.txt")
[ ! -d "$target/test-classes" ] || class_path=$class_path:$target/test-classes

opens=()
for package in jdk.internal.misc java.lang.reflect sun.nio.ch java.nio jdk.internal.ref; do
    opens+=(--add-opens "java.base/$package=ALL-UNNAMED")
done
main=io.rdma4j.qemu.guest.GuestMain
if [ "${1:-}" = --inner ]; then
    main=io.rdma4j.qemu.inner.InnerMain
    shift
fi
# shellcheck disable=SC2086  # RDMA4J_OPTS is a list of words.
exec "$java" "${opens[@]}" --add-exports java.base/jdk.internal.ref=ALL-UNNAMED ${RDMA4J_OPTS:-} \
    -Drdma4j.qemu.output="$target/qemu" -cp "$class_path" "$main" "$@"
