/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.dmabuf;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory of this process as a dma-buf: {@code udmabuf} makes one of a memfd (linux/udmabuf.h). It is no module, but a
 * part of the kernel or absent.
 */
final class UdmaBuf {
    private static final String NAME = "udmabuf";
    private static final Path DEVICE = Path.of("/dev/udmabuf");
    /** struct udmabuf_create: u32 memfd, u32 flags, u64 offset, u64 size. */
    private static final IoctlRequest UDMABUF_CREATE = new IoctlRequest("UDMABUF_CREATE", 0x4018_7542L, 24, false);
    private static final int FLAGS_OFFSET = 4;
    private static final int SIZE_OFFSET = 16;
    private static final int UDMABUF_FLAGS_CLOEXEC = 1;

    private UdmaBuf() {
    }

    /** Whether this kernel has it. */
    static boolean isThere() {
        return Files.exists(DEVICE);
    }

    /** A dma-buf of a new memfd, which must not be able to shrink. */
    static Fd create(final long bytes) {
        try (Fd device = Fd.open(DEVICE.toString(), LibcConstants.O_RDWR);
            Fd memory = Fd.of(Libc.memfdCreate(NAME, LibcConstants.MFD_ALLOW_SEALING), NAME)) {
            Libc.ftruncate(memory.fd(), bytes);
            FileCalls.addSeals(memory.fd(), LibcConstants.F_SEAL_SHRINK);
            final UnsafeBuffer request = new UnsafeBuffer(ByteBuffer.allocateDirect(UDMABUF_CREATE.minLength()));
            request.putInt(0, memory.fd(), ByteOrder.nativeOrder());
            request.putInt(FLAGS_OFFSET, UDMABUF_FLAGS_CLOEXEC, ByteOrder.nativeOrder());
            request.putLong(SIZE_OFFSET, bytes, ByteOrder.nativeOrder());
            return Fd.of(Libc.ioctl(device.fd(), UDMABUF_CREATE, request), "dma-buf of udmabuf");
        }
    }
}
