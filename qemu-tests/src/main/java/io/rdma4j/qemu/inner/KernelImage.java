/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * The kernel inside a boot image. A processor that is emulated unpacks it slowly; QEMU starts the unpacked one, too.
 *
 * <pre>
 *   boot image   0x1f1 u8  sectors of set-up code, after the first; 0 means 4
 *                0x202     "HdrS"
 *                0x248 u32 where, behind the set-up code, the packed kernel begins     0x24c u32 its length
 *   payload      packed kernel, in its last four bytes the length of the unpacked one
 * </pre>
 */
final class KernelImage {
    private static final int SETUP_SECTORS = 0x1f1;
    private static final int USUAL_SETUP_SECTORS = 4;
    private static final int SECTOR = 512;
    private static final int MAGIC_OFFSET = 0x202;
    private static final int MAGIC = 'H' | 'd' << 8 | 'r' << 16 | 'S' << 24;
    private static final int PAYLOAD_OFFSET = 0x248;
    private static final int PAYLOAD_LENGTH = 0x24c;
    private static final int GZIP = 0x8b1f;
    private static final int ELF = 0x7f | 'E' << 8 | 'L' << 16 | 'F' << 24;

    private KernelImage() {
    }

    /**
     * Takes the kernel out.
     *
     * @param image a bzImage for x86.
     * @return an ELF file; empty if it is packed in a way that is not known here (the image itself boots, too).
     * @throws IOException              if it cannot be unpacked.
     * @throws IllegalArgumentException if this is no such image.
     */
    static Optional<byte[]> unpack(final byte[] image) throws IOException {
        final ByteBuffer header = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        if (image.length < PAYLOAD_LENGTH + Integer.BYTES || header.getInt(MAGIC_OFFSET) != MAGIC) {
            throw new IllegalArgumentException("not a boot image of Linux for x86: " + image.length + " bytes");
        }
        final int sectors = image[SETUP_SECTORS] == 0 ? USUAL_SETUP_SECTORS : image[SETUP_SECTORS] & 0xff;
        final byte[] payload = new byte[header.getInt(PAYLOAD_LENGTH)];
        header.position((sectors + 1) * SECTOR + header.getInt(PAYLOAD_OFFSET)).get(payload);
        return unpackPayload(payload).filter(KernelImage::isElf);
    }

    private static Optional<byte[]> unpackPayload(final byte[] payload) throws IOException {
        final ByteBuffer words = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        if (words.getInt(0) == Lz4Legacy.MAGIC) {
            return Optional.of(Lz4Legacy.unpack(payload, words.getInt(payload.length - Integer.BYTES)));
        }
        if ((words.getShort(0) & 0xffff) == GZIP) {
            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(payload))) {
                return Optional.of(in.readNBytes(words.getInt(payload.length - Integer.BYTES)));
            }
        }
        return Optional.empty();
    }

    private static boolean isElf(final byte[] kernel) {
        return kernel.length > Integer.BYTES
            && ByteBuffer.wrap(kernel).order(ByteOrder.LITTLE_ENDIAN).getInt(0) == ELF;
    }
}
