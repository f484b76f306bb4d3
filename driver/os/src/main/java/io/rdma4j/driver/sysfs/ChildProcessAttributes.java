/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lets {@code cat} read and write. A thread that is stuck in such a system call, no signal ends; it would keep this
 * process from ending, while a child just stays behind. The files are opened here, which waits for nothing.
 */
final class ChildProcessAttributes implements DeviceAttributes {
    private static final Charset CHARSET = StandardCharsets.ISO_8859_1;

    @Override
    public boolean mayWrite(final Path file) {
        return Files.isWritable(file);
    }

    @Override
    public void write(final Path file, final String text, final Duration limit)
        throws IOException, TimeoutException, InterruptedException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (!mayWrite(file)) {
            throw new AccessDeniedException(file.toString());
        }
        final Process process = cat().redirectOutput(file.toFile()).start();
        // One write(2): sysfs takes each for an order of its own, and cat hands on what it gets at once.
        try (OutputStream in = process.getOutputStream()) {
            in.write(text.getBytes(CHARSET));
        }
        await(process, limit);
    }

    @Override
    public String read(final Path file, final Duration limit)
        throws IOException, TimeoutException, InterruptedException {
        final Process process = cat().redirectInput(file.toFile()).start();
        await(process, limit);
        return text(process.getInputStream());
    }

    /** The words of its messages are looked up, so they have to be English. */
    private static ProcessBuilder cat() {
        final ProcessBuilder builder = new ProcessBuilder("cat");
        builder.environment().put("LC_ALL", "C");
        return builder;
    }

    /** An attribute has a page at most, which a pipe holds: the child does not wait for us. */
    private static void await(final Process process, final Duration limit)
        throws IOException, TimeoutException, InterruptedException {
        if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("the kernel has not returned within " + limit.toMillis() + " ms");
        }
        if (process.exitValue() != 0) {
            throw new IOException(text(process.getErrorStream()).strip().replaceFirst("^.*: ", ""));
        }
    }

    private static String text(final InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), CHARSET);
    }
}
