/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Puts one message after the other together from what arrives, in pieces of any size. It never reads beyond the
 * message, nor holds more than the longest one, and refuses as soon as a byte cannot belong to a message.
 */
final class FrameReader {
    private static final int ECONNRESET = 104;

    private final ByteBuffer header = ByteBuffer.allocate(ConnectWire.HEADER_LENGTH);
    private final ByteBuffer payload = ByteBuffer.allocate(ConnectWire.MAX_PAYLOAD).limit(0);
    private boolean hasHeader;

    /**
     * Takes what is there. Not to be called again between a message that is complete and {@link #next()}.
     *
     * @return whether a message is complete; then {@link #kind()} and {@link #payload()} tell it until {@link #next()}.
     * @throws ConnectWire.BadMessage if it cannot become a message, or the peer closed.
     */
    boolean read(final ReadableByteChannel from) throws IOException {
        while (!isComplete()) {
            final int count = from.read(hasHeader ? payload : header);
            if (count < 0) {
                throw ended();
            }
            if (count == 0) {
                return false;
            }
            if (!hasHeader) {
                examineHeader();
            }
        }
        payload.flip();
        return true;
    }

    private boolean isComplete() {
        return hasHeader && !payload.hasRemaining();
    }

    private void examineHeader() {
        if (!ConnectWire.canBeHeader(header)) {
            throw ConnectWire.malformed("it speaks another protocol: %s", printable());
        }
        if (!header.hasRemaining()) {
            payload.clear().limit(ConnectWire.payloadLength(header));
            hasHeader = true;
        }
    }

    private String printable() {
        final StringBuilder text = new StringBuilder("\"");
        for (int i = 0; i < header.position(); i++) {
            final char c = (char) (header.get(i) & 0xff);
            text.append(c >= ' ' && c <= '~' ? String.valueOf(c) : String.format("\\x%02x", (int) c));
        }
        return text.append('"').toString();
    }

    private ConnectWire.BadMessage ended() {
        final int got = header.position() + (hasHeader ? payload.position() : 0);
        if (got == 0) {
            return new ConnectWire.BadMessage(ECONNRESET, "it closed the connection");
        }
        final int expected = ConnectWire.HEADER_LENGTH + (hasHeader ? payload.limit() : 0);
        return new ConnectWire.BadMessage(ECONNRESET, "it closed the connection after " + got + " of "
            + (hasHeader ? "" : "at least ") + expected + " bytes of a message");
    }

    /** Whether the message is one of this protocol, complete or not. */
    boolean hasHeader() {
        return !header.hasRemaining();
    }

    int kind() {
        return ConnectWire.kind(header);
    }

    /** From 0 to its limit. */
    ByteBuffer payload() {
        return payload;
    }

    /** Begins with the next message. */
    void next() {
        header.clear();
        payload.clear().limit(0);
        hasHeader = false;
    }
}
