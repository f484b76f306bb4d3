/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes whole lines, each behind a name and a bar: several processes share a console, and one write is one line there.
 */
final class NamedLines extends OutputStream {
    private final byte[] head;
    private final OutputStream out;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    NamedLines(final String name, final OutputStream out) {
        this.head = (name + '|').getBytes(StandardCharsets.UTF_8);
        this.out = out;
        line.writeBytes(head);
    }

    @Override
    public synchronized void write(final int b) throws IOException {
        line.write(b);
        if (b == '\n') {
            out.write(line.toByteArray());
            out.flush();
            line.reset();
            line.writeBytes(head);
        }
    }

    @Override
    public synchronized void write(final byte[] bytes, final int offset, final int length) throws IOException {
        for (int i = 0; i < length; i++) {
            write(bytes[offset + i]);
        }
    }
}
