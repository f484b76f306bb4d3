/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

/**
 * Memory between two pages that nobody may touch. What a test unmaps of it stays a hole, as nothing that the JVM maps
 * is so small; elsewhere the stack of a thread that starts just then may come to lie there.
 */
public final class FencedPages implements AutoCloseable {
    private static final long PAGE = Libc.pageSize();
    private static final int RW = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;

    private final long address;
    private final long length;

    /** Of some pages that can be read and written, and are not touched yet; few, for the reason above. */
    public FencedPages(final int pages) {
        length = pages * PAGE;
        address = Libc.mmap(0, length + 2 * PAGE, LibcConstants.PROT_NONE, ANONYMOUS, -1, 0) + PAGE;
        Libc.mmap(address, length, RW, ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
    }

    public long address() {
        return address;
    }

    @Override
    public void close() {
        Libc.munmap(address - PAGE, length + 2 * PAGE);
    }
}
