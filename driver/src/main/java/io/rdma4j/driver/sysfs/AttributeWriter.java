/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Writes the files through which sysfs takes orders. A test puts a kernel of its own here. */
public interface AttributeWriter {
    /**
     * Writes to the files as they are.
     *
     * @return a writer.
     */
    static AttributeWriter ofFiles() {
        return new AttributeWriter() {
            @Override
            public boolean mayWrite(final Path file) {
                return Files.isWritable(file);
            }

            @Override
            public void write(final Path file, final String text) throws IOException {
                // One write(2): sysfs takes each for an order of its own.
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
                }
            }
        };
    }

    /**
     * Whether this user may write to a file.
     *
     * @param file the file.
     * @return true if so.
     */
    boolean mayWrite(Path file);

    /**
     * Writes to a file that is there.
     *
     * @param file the file.
     * @param text what to write.
     * @throws IOException if the kernel refuses it.
     */
    void write(Path file, String text) throws IOException;
}
