/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import io.rdma4j.RdmaException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The owner of one mapping. It is unmapped once, whatever threads try: a second time would hit whatever is at the
 * address by then. Whoever closes it makes sure that nobody touches the memory any more; that crashes the JVM.
 */
public final class MappedMemory implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final AtomicLong BYTES = new AtomicLong();

    private final long address;
    private final long length;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MappedMemory(final long address, final long length) {
        this.address = address;
        this.length = length;
        COUNT.incrementAndGet();
        BYTES.addAndGet(length);
    }

    /**
     * Maps memory; the parameters are those of {@link Libc#mmap}.
     *
     * @param addressHint where it should be, page-aligned; 0 for anywhere
     * @param length      bytes
     * @param prot        {@code PROT_} flags
     * @param flags       {@code MAP_} flags
     * @param fd          the file; -1 with {@code MAP_ANONYMOUS}
     * @param offset      where in the file, page-aligned
     * @return the owner
     * @throws RdmaException if it cannot be mapped
     */
    public static MappedMemory map(final long addressHint, final long length, final int prot, final int flags,
            final int fd, final long offset) {
        return new MappedMemory(Libc.mmap(addressHint, length, prot, flags, fd, offset), length);
    }

    /**
     * Maps anonymous memory of this process alone, readable and writable.
     *
     * @param length bytes
     * @return the owner
     * @throws RdmaException ENOMEM if there is none
     */
    public static MappedMemory anonymous(final long length) {
        return map(0, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
    }

    /**
     * Takes over a mapping that somebody else made.
     *
     * @param address page-aligned
     * @param length  bytes
     * @return the owner
     * @throws RdmaException EINVAL if that is no range of memory
     */
    public static MappedMemory of(final long address, final long length) {
        Checks.range("mapped memory", address, length);
        Checks.pageAligned("mapped memory", "address", address);
        return new MappedMemory(address, length);
    }

    /**
     * Where it is.
     *
     * @return the address
     * @throws RdmaException EBADFD after close
     */
    public long address() {
        if (closed.get()) {
            throw RdmaException.of("use of mapped memory").detail("%d bytes at %#x are unmapped", length, address)
                .errno(RdmaException.EBADFD).build();
        }
        return address;
    }

    /**
     * How large it is.
     *
     * @return bytes, as asked for
     */
    public long length() {
        return length;
    }

    /**
     * Whether it is still mapped.
     *
     * @return false after close
     */
    public boolean isOpen() {
        return !closed.get();
    }

    /**
     * Unmaps the memory. Nothing happens the second time.
     *
     * @throws RdmaException if the kernel refuses; it then stays mapped for good
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Libc.munmap(address, length);
            COUNT.decrementAndGet();
            BYTES.addAndGet(-length);
        }
    }

    /**
     * How many there are that are not unmapped, in the whole process; for tests that look for leaks.
     *
     * @return the number
     */
    public static int mappedCount() {
        return COUNT.get();
    }

    /**
     * How many bytes they have together.
     *
     * @return the sum of their lengths
     */
    public static long mappedBytes() {
        return BYTES.get();
    }

    @Override
    public String toString() {
        return String.format("%d bytes at %#x%s", length, address, closed.get() ? ", unmapped" : "");
    }
}
