/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.Libc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages of a userfaultfd, as read(2) delivers them: {@code struct uffd_msg} of {@code linux/userfaultfd.h}.
 * <pre>
 *    0       1         8                  16                 24                 32
 *   +-------+---------+------------------+------------------+------------------+
 *   | event | 0       | remap.from       | remap.to         | remap.len        |
 *   |       |         | remove.start     | remove.end       |                  |
 *   +-------+---------+------------------+------------------+------------------+
 * </pre>
 */
final class UserfaultEvents {
    static final int UFFD_EVENT_REMAP = 0x14;
    static final int UFFD_EVENT_REMOVE = 0x15;
    static final int UFFD_EVENT_UNMAP = 0x16;
    static final int SIZEOF_UFFD_MSG = 32;

    private static final int EVENT_OFFSET = 0;
    private static final int FROM_OFFSET = 8;
    private static final int TO_OFFSET = 16;
    private static final int LENGTH_OFFSET = 24;
    private static final int CAPACITY = 16;

    private final UnsafeBuffer memory;
    private int count;

    UserfaultEvents() {
        memory = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY * SIZEOF_UFFD_MSG));
    }

    /** Fills it from a file. */
    void readFrom(final int fd) {
        count = 0;
        count = (int) Libc.read(fd, memory, memory.capacity()) / SIZEOF_UFFD_MSG;
    }

    int count() {
        return count;
    }

    int event(final int index) {
        return memory.getByte(index * SIZEOF_UFFD_MSG + EVENT_OFFSET) & 0xFF;
    }

    /** Of the range that was unmapped, moved away from or emptied. */
    long from(final int index) {
        return field(index, FROM_OFFSET);
    }

    /** The address after that range. */
    long to(final int index) {
        return event(index) == UFFD_EVENT_REMAP ? from(index) + field(index, LENGTH_OFFSET) : field(index, TO_OFFSET);
    }

    /** Where it was moved. */
    long newFrom(final int index) {
        return field(index, TO_OFFSET);
    }

    private long field(final int index, final int offset) {
        return memory.getLong(index * SIZEOF_UFFD_MSG + offset, ByteOrder.nativeOrder());
    }

    /** For a kernel that is none. */
    void put(final int event, final long first, final long second, final long third) {
        final int at = count++ * SIZEOF_UFFD_MSG;
        memory.putByte(at + EVENT_OFFSET, (byte) event);
        memory.putLong(at + FROM_OFFSET, first);
        memory.putLong(at + TO_OFFSET, second);
        memory.putLong(at + LENGTH_OFFSET, third);
    }

    void clear() {
        count = 0;
    }
}
