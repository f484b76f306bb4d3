/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

/**
 * Registration of Chronicle Bytes memory. Needs {@code net.openhft:chronicle-bytes} on the class path, which is an
 * optional dependency, and these options of the JVM beside those that rdma4j needs:
 *
 * <pre>
 *   --add-opens java.base/java.lang.reflect=ALL-UNNAMED
 *   --add-opens java.base/sun.nio.ch=ALL-UNNAMED
 *   --add-opens java.base/java.nio=ALL-UNNAMED
 *   --add-opens java.base/jdk.internal.ref=ALL-UNNAMED
 *   --add-exports java.base/jdk.internal.ref=ALL-UNNAMED
 * </pre>
 */
package io.rdma4j.verbs.chronicle;
