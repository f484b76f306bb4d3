/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes everything to two streams, and closes neither. */
final class TeeStream extends PrintStream {
    TeeStream(final PrintStream first, final PrintStream second) {
        super(new OutputStream() {
            @Override
            public void write(final int octet) {
                first.write(octet);
                second.write(octet);
            }

            @Override
            public void write(final byte[] bytes, final int offset, final int length) {
                first.write(bytes, offset, length);
                second.write(bytes, offset, length);
            }

            @Override
            public void flush() {
                first.flush();
                second.flush();
            }
        }, true, StandardCharsets.UTF_8);
    }
}
