/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Asks for single mappings, which Linux 6.11 and later answer without writing out all of them
 * ({@code struct procmap_query} of {@code linux/fs.h}).
 */
final class MapsQuery {
    static final int SIZEOF_PROCMAP_QUERY = 104;
    private static final IoctlRequest PROCMAP_QUERY =
        new IoctlRequest("PROCMAP_QUERY", 0xC0686611L, SIZEOF_PROCMAP_QUERY, false);
    private static final int SIZE_OFFSET = 0;
    private static final int FLAGS_OFFSET = 8;
    private static final int ADDRESS_OFFSET = 16;
    private static final int END_OFFSET = 32;
    private static final long VMA_READABLE = 1;
    private static final long VMA_WRITABLE = 2;
    private static final long COVERING_OR_NEXT_VMA = 0x10;
    private static final long FILE_BACKED_VMA = 0x20;
    private static final int START_OFFSET = 24;

    /** Of a kernel that does not know the question, it is not asked again. */
    private static volatile boolean known = true;

    private MapsQuery() {
    }

    /**
     * Whether a range is certainly mapped with the rights.
     *
     * @param maps    the file of the process.
     * @param address of the first byte.
     * @param length  bytes.
     * @param write   whether it must be writable, too.
     * @return false if it is not, or not known: then the file's text says more.
     */
    static boolean covers(final Path maps, final long address, final long length, final boolean write) {
        if (!known || address <= 0 || length <= 0 || length > Long.MAX_VALUE - address) {
            return false;
        }
        try (Fd file = Fd.open(maps.toString(), LibcConstants.O_RDONLY)) {
            return covers(file, address, address + length, VMA_READABLE | (write ? VMA_WRITABLE : 0));
        } catch (final RdmaException e) {
            known = e.errno() == RdmaException.ENOENT;
            return false;
        }
    }

    /** Whether there is certainly no mapping of a file in a range; false if that is not known. */
    static boolean hasNoFile(final Path maps, final long address, final long length) {
        if (!known || address <= 0 || length <= 0 || length > Long.MAX_VALUE - address) {
            return false;
        }
        try (Fd file = Fd.open(maps.toString(), LibcConstants.O_RDONLY)) {
            return ask(file, address, COVERING_OR_NEXT_VMA | FILE_BACKED_VMA)
                .getLong(START_OFFSET, ByteOrder.nativeOrder()) >= address + length;
        } catch (final RdmaException e) {
            return false;
        }
    }

    private static boolean covers(final Fd file, final long from, final long to, final long rights) {
        long at = from;
        while (at < to) {
            at = ask(file, at, rights).getLong(END_OFFSET, ByteOrder.nativeOrder());
        }
        return true;
    }

    private static UnsafeBuffer ask(final Fd file, final long address, final long flags) {
        final UnsafeBuffer query = new UnsafeBuffer(ByteBuffer.allocateDirect(SIZEOF_PROCMAP_QUERY));
        query.putLong(SIZE_OFFSET, SIZEOF_PROCMAP_QUERY, ByteOrder.nativeOrder());
        query.putLong(FLAGS_OFFSET, flags, ByteOrder.nativeOrder());
        query.putLong(ADDRESS_OFFSET, address, ByteOrder.nativeOrder());
        Libc.ioctl(file.fd(), PROCMAP_QUERY, query);
        return query;
    }
}
