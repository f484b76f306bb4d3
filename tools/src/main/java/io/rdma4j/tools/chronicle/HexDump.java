/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.chronicle;

import net.openhft.chronicle.bytes.Bytes;

import java.util.List;

/** Bytes as Chronicle prints them: offset, sixteen bytes in hexadecimal, and the same as text. */
public final class HexDump {
    /** As for tests: Chronicle brings SLF4J, which else complains that nobody listens. */
    private static final String SLF4J_VERBOSITY = "slf4j.internal.verbosity";

    static {
        if (System.getProperty(SLF4J_VERBOSITY) == null) {
            System.setProperty(SLF4J_VERBOSITY, "ERROR");
        }
    }

    private HexDump() {
    }

    /**
     * The lines of a hex dump.
     *
     * @param bytes any number.
     * @return lines without line feeds; lines that equal the one before may be left out for dots.
     */
    public static List<String> lines(final byte[] bytes) {
        final Bytes<byte[]> view = Bytes.wrapForRead(bytes);
        return view.toHexString(bytes.length).lines().toList();
    }
}
