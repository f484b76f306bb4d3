/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.trace;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.agrona.DirectBuffer;

/**
 * Where traces go: a program asks by {@link #begin}, the one who starts it by the system property {@value #PROPERTY} or
 * the environment variable {@value #VARIABLE}, in which {@code %p} stands for the number of the process. With
 * {@value #DATA_PROPERTY} or {@value #DATA_VARIABLE} {@code true} doorbells and completions are traced too. Looked at
 * whenever a device is opened.
 */
public final class Traces {
    /** Names the file. */
    public static final String PROPERTY = "rdma4j.trace";
    /** Names the file where the property does not. */
    public static final String VARIABLE = "RDMA4J_TRACE";
    /** Asks for doorbells and completions. */
    public static final String DATA_PROPERTY = "rdma4j.trace.data";
    /** Asks for doorbells and completions where the property says nothing. */
    public static final String DATA_VARIABLE = "RDMA4J_TRACE_DATA";
    /** Most bytes of a trace. */
    public static final String LIMIT_PROPERTY = "rdma4j.trace.limit";
    /** Most bytes of a trace if nothing is said. */
    public static final long DEFAULT_LIMIT = 1L << 30;

    private static final System.Logger LOG = System.getLogger(Traces.class.getPackageName());
    private static final long MIN_LIMIT = 4096;
    private static final Map<Path, TraceFile> FILES = new ConcurrentHashMap<>();
    private static final Set<String> TOLD = new HashSet<>();

    private static boolean hooked;
    private static Path asked;
    private static boolean askedForData;
    /** Null until a device is opened. */
    private static TraceFile begun;

    private Traces() {
    }

    /**
     * Traces all devices that this process opens from now on; what property and variable say does not count.
     *
     * @param file what it held before is gone when a device is opened, and stays if none is.
     * @param data whether doorbells and completions are wanted too.
     * @throws RdmaException ENOENT or EIO if the file cannot be made; EBUSY if a program asked already and did not end
     *                       it.
     */
    public static synchronized void begin(final Path file, final boolean data) {
        if (asked != null) {
            throw error(RdmaException.EBUSY, file, "the trace " + asked + " was not ended").build();
        }
        final Path path = file.toAbsolutePath();
        try {
            TraceFile.requireRoom(path);
        } catch (final IOException e) {
            throw error(file, e);
        }
        asked = path;
        askedForData = data;
    }

    private static RdmaException error(final Path file, final IOException e) {
        return e.getCause() instanceof NoSuchFileException
            ? error(RdmaException.ENOENT, file, e.getMessage()).hint("make it, or name another").build()
            : error(RdmaException.EIO, file, e.getMessage()).build();
    }

    private static RdmaException.Builder error(final int errno, final Path file, final String why) {
        return RdmaException.of("begin trace").object(file).detail("%s", why).errno(errno)
            .hint("name a file in a folder that exists and may be written to");
    }

    /**
     * Ends what {@link #begin} began; harmless if there is nothing.
     *
     * @return whether a device was traced; else the file is as it was.
     */
    public static synchronized boolean end() {
        final TraceFile file = begun;
        asked = null;
        begun = null;
        if (file != null) {
            file.end();
        }
        return file != null;
    }

    /**
     * A device was brought up as far as its capabilities.
     *
     * @param address of the device.
     * @param version its VERSION register.
     * @param caps    holds its capabilities.
     * @param offset  where they begin.
     * @param length  their bytes.
     * @return what is to be told of it; {@link DeviceTrace#NONE} if it is not traced, also where the file that property
     *         or variable name cannot be made, which is logged once.
     * @throws RdmaException ENOENT or EIO if the file that a program asked for cannot be made any more.
     */
    public static synchronized DeviceTrace open(
        final String address, final int version, final DirectBuffer caps, final int offset, final int length) {
        final TraceFile file = asked != null ? begun() : named();
        return file == null ? DeviceTrace.NONE
            : new DeviceTrace(file, asked != null ? askedForData : Boolean.parseBoolean(
                System.getProperty(DATA_PROPERTY, System.getenv(DATA_VARIABLE))))
                .opened(address, version, caps, offset, length);
    }

    private static TraceFile begun() {
        if (begun == null) {
            try {
                begun = TraceFile.create(asked, limit());
                hook();
            } catch (final IOException e) {
                throw error(asked, e);
            }
        }
        return begun;
    }

    private static TraceFile named() {
        final String name = System.getProperty(PROPERTY, System.getenv(VARIABLE));
        if (name == null || name.isBlank()) {
            return null;
        }
        try {
            final Path path =
                Path.of(name.strip().replace("%p", Long.toString(ProcessHandle.current().pid()))).toAbsolutePath();
            TraceFile file = FILES.get(path);
            if (file == null && !TOLD.contains(name)) {
                file = TraceFile.create(path, limit());
                FILES.put(path, file);
                hook();
            }
            return file;
        } catch (final IOException | InvalidPathException e) {
            if (TOLD.add(name)) {
                LOG.log(System.Logger.Level.WARNING,
                    "nothing is traced: " + name + " (" + PROPERTY + "): " + e.getMessage());
            }
            return null;
        }
    }

    private static long limit() {
        final String text = System.getProperty(LIMIT_PROPERTY);
        try {
            return text == null ? DEFAULT_LIMIT : Math.max(MIN_LIMIT, Long.parseLong(text.strip()));
        } catch (final NumberFormatException e) {
            if (TOLD.add(LIMIT_PROPERTY)) {
                LOG.log(System.Logger.Level.WARNING, "-D" + LIMIT_PROPERTY + "=" + text + " is no number of bytes; "
                    + DEFAULT_LIMIT + " are used");
            }
            return DEFAULT_LIMIT;
        }
    }

    /** Devices that are still open when the process ends have something buffered. */
    private static void hook() {
        if (!hooked) {
            hooked = true;
            Runtime.getRuntime().addShutdownHook(new Thread(Traces::flushAll, "rdma4j-trace"));
        }
    }

    private static synchronized void flushAll() {
        FILES.values().forEach(TraceFile::flush);
        if (begun != null) {
            begun.flush();
        }
    }
}
