/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.inner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

class KernelImageTest {
    private static final byte[] KERNEL = "\177ELF is what a kernel begins with".getBytes(StandardCharsets.ISO_8859_1);
    private static final int SETUP_SECTORS = 2;
    private static final int GAP = 24;

    private static byte[] image(final byte[] payload) {
        final byte[] image = new byte[(SETUP_SECTORS + 1) * 512 + GAP + payload.length + 100];
        image[0x1f1] = SETUP_SECTORS;
        final ByteBuffer header = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        header.put(0x202, "HdrS".getBytes(StandardCharsets.US_ASCII));
        header.putInt(0x248, GAP).putInt(0x24c, payload.length);
        header.position((SETUP_SECTORS + 1) * 512 + GAP).put(payload);
        return image;
    }

    private static byte[] gzip(final byte[] plain) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        }
        return packed.toByteArray();
    }

    @Test
    void unpacksWhatGzipPacked() throws IOException {
        assertThat(KernelImage.unpack(image(gzip(KERNEL)))).hasValueSatisfying(kernel ->
            assertThat(kernel).isEqualTo(KERNEL));
    }

    @Test
    void unpacksWhatLz4Packed() throws IOException {
        final ByteBuffer payload = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
        payload.putInt(Lz4Legacy.MAGIC).putInt(2 + KERNEL.length)
            .put((byte) 0xf0).put((byte) (KERNEL.length - 15)).put(KERNEL).putInt(KERNEL.length);
        final byte[] bytes = new byte[payload.position()];
        payload.flip().get(bytes);
        assertThat(KernelImage.unpack(image(bytes))).hasValueSatisfying(kernel ->
            assertThat(kernel).isEqualTo(KERNEL));
    }

    @Test
    void leavesAloneWhatItDoesNotKnow() throws IOException {
        assertThat(KernelImage.unpack(image("BZh is bzip2".getBytes(StandardCharsets.US_ASCII)))).isEmpty();
    }

    @Test
    void leavesAloneWhatIsNoElfFile() throws IOException {
        assertThat(KernelImage.unpack(image(gzip("no kernel".getBytes(StandardCharsets.US_ASCII))))).isEmpty();
    }

    @Test
    void refusesAnythingButABootImage() {
        assertThatThrownBy(() -> KernelImage.unpack(new byte[4096])).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("4096 bytes");
        assertThatThrownBy(() -> KernelImage.unpack(new byte[10])).isInstanceOf(IllegalArgumentException.class);
    }
}
