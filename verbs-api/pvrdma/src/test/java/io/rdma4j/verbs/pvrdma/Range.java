/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Function;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.verbs.PageList;

import org.agrona.concurrent.UnsafeBuffer;

/** A range of addresses that nobody else gets, in which pages come and go. All unmapped at the end. */
final class Range implements AutoCloseable {
    static final int PAGE = PageList.PAGE_SIZE;
    static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int RESERVED =
        LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_NORESERVE;

    final long address;
    final long length;

    /** Nothing in it is there. */
    Range(final long length) {
        this.length = length;
        this.address = Libc.mmap(0, length, LibcConstants.PROT_NONE, RESERVED, -1, 0);
    }

    /** With so many pages that are there. */
    static Range of(final int pages) {
        final Range range = new Range((long) pages * PAGE);
        range.map(0, pages);
        return range;
    }

    long at(final long offset) {
        return address + offset;
    }

    /** Maps fresh pages of zeros over whatever is there. */
    void map(final int page, final int pages) {
        map(page, pages, READ_WRITE);
    }

    void map(final int page, final int pages, final int prot) {
        Libc.mmap(at((long) page * PAGE), (long) pages * PAGE, prot, LibcConstants.MAP_PRIVATE
            | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
    }

    /** Maps a file from its beginning over whatever is there, or shared memory without a file if that is -1. */
    void share(final int page, final int pages, final int fd) {
        Libc.mmap(at((long) page * PAGE), (long) pages * PAGE, READ_WRITE, LibcConstants.MAP_SHARED
            | LibcConstants.MAP_FIXED | (fd < 0 ? LibcConstants.MAP_ANONYMOUS : 0), fd, 0);
    }

    /** Takes pages away; the addresses stay reserved. */
    void unmap(final int page, final int pages) {
        Libc.mmap(at((long) page * PAGE), (long) pages * PAGE, LibcConstants.PROT_NONE,
            RESERVED | LibcConstants.MAP_FIXED, -1, 0);
    }

    /** Changes rights, and leaves the bytes. */
    void protect(final int page, final int pages, final int prot) {
        final int result = Function.getFunction(null, "mprotect")
            .invokeInt(new Object[] {at((long) page * PAGE), (long) pages * PAGE, prot});
        assertThat(result).isZero();
    }

    /** What the process sees. Only of pages that are there. */
    UnsafeBuffer bytes(final long offset, final int bytes) {
        return new UnsafeBuffer(at(offset), bytes);
    }

    void fill(final long offset, final int bytes, final int seed) {
        final UnsafeBuffer view = bytes(offset, bytes);
        for (int i = 0; i < bytes; i++) {
            view.putByte(i, Peer.pattern(i, seed));
        }
    }

    int firstDifference(final long offset, final int bytes, final int seed) {
        final UnsafeBuffer view = bytes(offset, bytes);
        for (int i = 0; i < bytes; i++) {
            if (view.getByte(i) != Peer.pattern(i, seed)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void close() {
        Libc.munmap(address, length);
    }
}
