/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class NamedLinesTest {
    private final List<String> writes = new ArrayList<>();
    private final PrintStream out = new PrintStream(new NamedLines("main", new ByteArrayOutputStream() {
        @Override
        public void write(final byte[] bytes) throws IOException {
            writes.add(new String(bytes, StandardCharsets.UTF_8));
        }
    }), false, StandardCharsets.UTF_8);

    @Test
    void writesALineAtOnceBehindItsName() {
        out.print("a");
        out.print("b");
        out.flush();
        assertThat(writes).isEmpty();
        out.print("c\nd\n");
        out.flush();
        assertThat(writes).containsExactly("main|abc\n", "main|d\n");
    }
}
