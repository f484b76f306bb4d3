/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The files that {@link Libc#poll} waits for, and what came for each. Made once and used again and again; one thread at
 * a time.
 *
 * <p>In memory: {@code struct timespec}, then an array of {@code struct pollfd}.
 * <pre>
 *    0                   8                  16       20    22     24
 *   +-------------------+-------------------+--------+------+-------+--------
 *   | tv_sec            | tv_nsec           | fd     |events|revents| next fd
 *   +-------------------+-------------------+--------+------+-------+--------
 * </pre>
 */
public final class PollSet {
    private static final int TV_SEC_OFFSET = 0;
    private static final int TV_NSEC_OFFSET = 8;
    private static final int FDS_OFFSET = 16;
    private static final int SIZEOF_POLLFD = 8;
    private static final int FD_OFFSET = 0;
    private static final int EVENTS_OFFSET = 4;
    private static final int REVENTS_OFFSET = 6;
    private static final int MAX_CAPACITY = 1 << 20;
    private static final long ONE_SECOND = 1_000_000_000L;

    private final UnsafeBuffer memory;
    private final int capacity;
    private int size;

    /**
     * An empty set.
     *
     * @param capacity how many files it has room for
     * @throws RdmaException EINVAL if that is not between 1 and 2^20
     */
    public PollSet(final int capacity) {
        Checks.that(capacity > 0 && capacity <= MAX_CAPACITY, "poll set", "capacity %d is not between 1 and %d",
            capacity, MAX_CAPACITY);
        this.capacity = capacity;
        memory = new UnsafeBuffer(ByteBuffer.allocateDirect(FDS_OFFSET + capacity * SIZEOF_POLLFD));
    }

    /**
     * Adds a file. It is watched until the set is cleared; whoever closes the file before has the set find
     * {@code POLLNVAL}, or another file of the same number.
     *
     * @param fd     the file descriptor
     * @param events {@code POLL} flags to wait for; errors and hang-ups are always reported
     * @return its index
     * @throws RdmaException EBADF for a negative descriptor, ENOMEM if the set is full
     */
    public int add(final int fd, final int events) {
        Checks.fd("poll set", fd);
        if (size == capacity) {
            throw RdmaException.of("poll set").detail("fd %d: it has room for %d files", fd, capacity)
                .errno(RdmaException.ENOMEM).build();
        }
        final int at = FDS_OFFSET + size * SIZEOF_POLLFD;
        memory.putInt(at + FD_OFFSET, fd);
        memory.putShort(at + EVENTS_OFFSET, (short) events);
        memory.putShort(at + REVENTS_OFFSET, (short) 0);
        return size++;
    }

    /**
     * What the last {@link Libc#poll} found for a file.
     *
     * @param index what {@link #add} returned
     * @return {@code POLL} flags; 0 for nothing
     * @throws RdmaException EINVAL for an index that there is not
     */
    public int revents(final int index) {
        if (index < 0 || index >= size) { // Not through Checks.that: its arguments would be boxed each time.
            throw Checks.invalid("poll set", "index %d of %d", index, size);
        }
        return memory.getShort(FDS_OFFSET + index * SIZEOF_POLLFD + REVENTS_OFFSET);
    }

    /**
     * How many files are in it.
     *
     * @return the number
     */
    public int size() {
        return size;
    }

    /** Takes all files out. */
    public void clear() {
        size = 0;
    }

    long fdsAddress() {
        return memory.addressOffset() + FDS_OFFSET;
    }

    /** Writes the timeout and says where. */
    long timeout(final long nanos) {
        final long atLeastZero = Math.max(0, nanos);
        memory.putLong(TV_SEC_OFFSET, atLeastZero / ONE_SECOND);
        memory.putLong(TV_NSEC_OFFSET, atLeastZero % ONE_SECOND);
        return memory.addressOffset() + TV_SEC_OFFSET;
    }

    /** After a call that failed the kernel has written none of them. */
    void clearRevents() {
        for (int i = 0; i < size; i++) {
            memory.putShort(FDS_OFFSET + i * SIZEOF_POLLFD + REVENTS_OFFSET, (short) 0);
        }
    }
}
