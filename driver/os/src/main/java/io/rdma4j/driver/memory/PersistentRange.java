/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Registered memory whose bytes are those of files (FI_RMA_PMEM): a range of this process' addresses that shared
 * mappings of regular files cover. Anything else is refused: what is written there is in no file, however often it is
 * flushed.
 *
 * <p>{@link #flush} is msync with {@code MS_SYNC} on the pages that the bytes touch. When it returns, what a processor
 * of this machine stored before is in the files, as far as the file system keeps its word; that holds for every file
 * system, also for DAX. Stores of the emulated device are a processor's. For a device that stores by itself use
 * {@link #flushAfterDma}.
 *
 * <p>On DAX, where a mapping was made with {@code MAP_SYNC}, writing back the processor's cache lines would do, and
 * faster. Java offers that only through a {@link java.nio.MappedByteBuffer} that was mapped with
 * {@code jdk.nio.mapmode.ExtendedMapMode.READ_WRITE_SYNC}, whose {@code force()} does it; for an address there is
 * nothing, so this calls msync there, too. Character devices ({@code /dev/dax0.0}) have no msync and are refused.
 *
 * <p>What is mapped is looked at when the object is made, and again at each flush: msync succeeds where it has nothing
 * to write, on anonymous memory that came there meanwhile. A file that lost its name is the same file. Immutable, and
 * thread-safe; a flush takes as long as the disk does.
 */
public final class PersistentRange {
    private static final String FLUSH = "flush persistent memory";
    private static final Set<String> WITHOUT_DISK = Set.of("tmpfs", "devtmpfs", "ramfs", "hugetlbfs");

    private final long address;
    private final long length;
    private final Set<Path> files;
    private final Set<String> inodes;

    private PersistentRange(final long address, final long length, final PersistentMaps.Cover cover) {
        this.address = address;
        this.length = length;
        files = Set.copyOf(cover.files());
        inodes = Set.copyOf(cover.inodes());
    }

    /**
     * Looks at what is mapped in a range.
     *
     * @param address of the first byte, any alignment
     * @param length  bytes, at least 1
     * @return the range
     * @throws RdmaException EINVAL if some of it is no shared mapping of a regular file with a name, or if that is no
     *                       range at all; EFAULT if nothing is mapped somewhere; EOPNOTSUPP where the system does not
     *                       tell
     */
    public static PersistentRange of(final long address, final long length) {
        if (address <= 0 || length <= 0 || address > Long.MAX_VALUE - length) {
            throw PersistentMaps.refused(address, length, "that is no range of memory").build();
        }
        return new PersistentRange(address, length, PersistentMaps.ofThisProcess().cover(address, length));
    }

    /**
     * Where it begins.
     *
     * @return the address of the first byte
     */
    public long address() {
        return address;
    }

    /**
     * How long it is.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * The files that have the bytes.
     *
     * @return their names, as they were when the range was looked at; unmodifiable
     */
    public Set<Path> files() {
        return files;
    }

    /**
     * Whether all of the files are on file systems that keep them on something: those of tmpfs and hugetlbfs are gone
     * when the machine is switched off, though they outlive the process.
     *
     * @return false if one of them is in main memory only, or if that cannot be found out
     */
    public boolean outlivesPowerLoss() {
        for (final Path file : files) {
            try {
                if (WITHOUT_DISK.contains(Files.getFileStore(file).type())) {
                    return false;
                }
            } catch (final IOException gone) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes all of it to the files and waits until that is done.
     *
     * @throws RdmaException as {@link #flush(long, long)}
     */
    public void flush() {
        flush(address, length);
    }

    /**
     * Writes what a processor stored to the files, and waits until that is done.
     *
     * @param from  address of the first byte, within the range
     * @param bytes how many; the pages that they touch are written
     * @throws RdmaException EINVAL if that is not within the range, or in no file any more; ENOMEM if it was unmapped
     *                       meanwhile; EIO if the file cannot be written
     */
    public void flush(final long from, final long bytes) {
        requireWithin(from, bytes);
        final long page = Libc.pageSize();
        final long start = from & -page;
        requireThere(from, bytes);
        try {
            FileCalls.msync(start, from + bytes - start);
        } catch (final RdmaException e) {
            throw failure(from, bytes, e);
        }
    }

    /**
     * Writes what a device stored by DMA to the files, and waits until that is done. The kernel did not see these
     * stores, and leaves out pages that it believes unchanged: this tells it first that all of them are changed, so
     * that all are written. Needs Linux 5.14 and a mapping that may be written.
     *
     * @param from  address of the first byte, within the range
     * @param bytes how many; the pages that they touch are written
     * @throws RdmaException as {@link #flush(long, long)}; also EINVAL before Linux 5.14 and for a mapping that
     *                       may only be read, EFAULT for pages behind the end of the file
     */
    public void flushAfterDma(final long from, final long bytes) {
        requireWithin(from, bytes);
        final long page = Libc.pageSize();
        final long start = from & -page;
        requireThere(from, bytes);
        try {
            // Faults the pages in as a store does, which marks each as changed, and leaves their bytes alone.
            Libc.madvise(start, from + bytes - start, LibcConstants.MADV_POPULATE_WRITE);
            FileCalls.msync(start, from + bytes - start);
        } catch (final RdmaException e) {
            throw failure(from, bytes, e);
        }
    }

    private void requireWithin(final long from, final long bytes) {
        if (from < address || bytes <= 0 || bytes > length || from - address > length - bytes) {
            throw RdmaException.of(FLUSH).object(this)
                .detail("%d bytes at 0x%x are not within it", bytes, from).errno(RdmaException.EINVAL).build();
        }
    }

    private void requireThere(final long from, final long bytes) {
        try {
            PersistentMaps.ofThisProcess().requireCovered(from, bytes, inodes);
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EFAULT) {
                throw e;
            }
            // As msync says it.
            throw RdmaException.of(FLUSH).object(this).detail("%s", e.getMessage()).errno(RdmaException.ENOMEM)
                .hint("the files must stay mapped until the region that was registered over them is closed").cause(e)
                .build();
        }
    }

    private RdmaException failure(final long from, final long bytes, final RdmaException cause) {
        return RdmaException.of(FLUSH).object(this).detail("%d bytes at 0x%x: %s", bytes, from, cause.getMessage())
            .errno(cause.errno()).hint("the files must stay mapped, and as long as they are, until the region that "
                + "was registered over them is closed").cause(cause).build();
    }

    @Override
    public String toString() {
        return String.format("PersistentRange[%d bytes at 0x%x, %s]", length, address, files);
    }
}
