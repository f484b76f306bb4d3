/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A part of a BAR, mapped into this process.
 *
 * <p>When the device is closed the mapping becomes ordinary memory at the same address, and is unmapped when nobody
 * holds its buffer any more: who writes a moment too late writes into nothing, and nothing keeps the device busy.
 */
final class BarMapping {
    private static final Cleaner CLEANER = Cleaner.create();

    private final long offset;
    private final MappedMemory memory;
    private final UnsafeBuffer buffer;

    private BarMapping(final long offset, final int size, final MappedMemory memory) {
        this.offset = offset;
        this.memory = memory;
        // The buffer keeps the ByteBuffer, and the ByteBuffer the mapping.
        final ByteBuffer window = Libc.directBuffer(memory.address(), size);
        CLEANER.register(window, memory::close);
        buffer = new UnsafeBuffer(window);
    }

    /**
     * Maps a part of a BAR. The kernel maps whole pages; a BAR below a page has one of its own where that is allowed.
     *
     * @param device has it.
     * @param region the BAR.
     * @param area   the part, whose beginning is aligned to pages.
     * @return the mapping.
     */
    static BarMapping map(final VfioDevice device, final RegionInfo region, final RegionInfo.Area area) {
        final long page = Libc.pageSize();
        final long length = (area.size() + page - 1) / page * page;
        return new BarMapping(area.offset(), (int) area.size(),
            device.map(length, region.offset() + area.offset()));
    }

    /** Whether a part can be mapped and be one buffer. */
    static boolean fits(final RegionInfo region, final RegionInfo.Area area) {
        return area.size() <= Integer.MAX_VALUE && area.size() >= Integer.BYTES
            && (region.offset() + area.offset()) % Libc.pageSize() == 0;
    }

    /** First byte, from the beginning of the BAR. */
    long offset() {
        return offset;
    }

    boolean covers(final long register) {
        return register >= offset && register - offset <= buffer.capacity() - Integer.BYTES;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** From now on this is memory of the process alone. */
    void replace() {
        Libc.mmap(memory.address(), memory.length(), LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
    }
}
