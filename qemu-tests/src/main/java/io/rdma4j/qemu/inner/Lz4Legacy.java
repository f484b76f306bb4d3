/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Unpacks what {@code lz4 -l} writes, in which form distributions pack their kernels.
 *
 * <pre>
 *   u32 magic   0x184C2102
 *   blocks      u32 length, then that many bytes:
 *     sequence  token: high half literals, low half match length - 4; 15 means that bytes follow that are added, up to
 *               the first that is not 255; the literals; u16 how far back the match begins
 * </pre>
 */
final class Lz4Legacy {
    static final int MAGIC = 0x184C2102;

    private static final int MIN_MATCH = 4;
    private static final int LONG_LENGTH = 15;
    private static final int BYTE = 0xff;

    private final byte[] out;
    private int end;

    private Lz4Legacy(final int length) {
        out = new byte[length];
    }

    /**
     * Unpacks.
     *
     * @param packed the magic number and the blocks; what follows the last one is left alone.
     * @param length bytes that come out.
     * @return the bytes.
     * @throws IllegalArgumentException if it is not of that form or of that length.
     */
    static byte[] unpack(final byte[] packed, final int length) {
        final ByteBuffer in = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        try {
            if (in.getInt() != MAGIC) {
                throw new IllegalArgumentException("not in the legacy format of lz4");
            }
            final Lz4Legacy target = new Lz4Legacy(length);
            while (target.end < length) {
                final int block = in.getInt();
                target.block(in, in.position() + block);
            }
            return target.out;
        } catch (final BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("damaged, or not " + length + " bytes when unpacked", e);
        }
    }

    private void block(final ByteBuffer in, final int blockEnd) {
        while (in.position() < blockEnd) {
            final int token = in.get() & BYTE;
            final int literals = length(in, token >>> 4);
            in.get(out, end, literals);
            end += literals;
            if (in.position() < blockEnd) {
                final int distance = in.getShort() & 0xffff;
                match(distance, length(in, token & LONG_LENGTH) + MIN_MATCH);
            }
        }
    }

    private static int length(final ByteBuffer in, final int short4) {
        int length = short4;
        if (short4 == LONG_LENGTH) {
            int more = in.get() & BYTE;
            length += more;
            while (more == BYTE) {
                more = in.get() & BYTE;
                length += more;
            }
        }
        return length;
    }

    /** It may reach into what it writes: byte by byte where it does. */
    private void match(final int distance, final int length) {
        final int from = end - distance;
        if (distance == 0 || from < 0) {
            throw new IllegalArgumentException("a match begins " + distance + " before byte " + end);
        }
        if (distance >= length) {
            System.arraycopy(out, from, out, end, length);
        } else {
            for (int i = 0; i < length; i++) {
                out[end + i] = out[from + i];
            }
        }
        end += length;
    }
}
