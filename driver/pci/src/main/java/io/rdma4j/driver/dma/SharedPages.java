/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.FileCalls;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.pci.SharedFile;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * Ordinary pages that other processes can read: parts of one memfd of this process, which they open as
 * {@code /proc/PID/fd/N} if they may read the process at all (ptrace(2), PTRACE_MODE_READ). One descriptor, whatever
 * the number of devices; it is not inherited, and stays open until the process ends.
 *
 * <p>A part whose block was collected is unmapped, punched out of the file, which gives the pages back and makes them
 * zero, and used again. Until then a late writer writes into a part that is nobody else's. The file grows as needed and
 * is sealed against shrinking: if somebody cut it off, a touch behind its new end would be a SIGBUS. Thread-safe.
 */
final class SharedPages {
    /** The file of this process. */
    static final SharedPages PROCESS = new SharedPages(SharedPages::createFile, System::gc,
        text -> System.getLogger(SharedPages.class.getName()).log(System.Logger.Level.INFO, text));
    /** When so much waits for the garbage collector, it is asked to look, as for direct buffers of the JVM. */
    static final long COLLECT_BYTES = 128L << 20;

    private static final int READ_WRITE = LibcConstants.PROT_READ | LibcConstants.PROT_WRITE;
    private static final int POPULATED = LibcConstants.MAP_SHARED | LibcConstants.MAP_POPULATE;

    private final IntSupplier create;
    private final Runnable collector;
    private final Consumer<String> log;
    private final Reclaim.Account account = new Reclaim.Account();
    /** Lengths by offset; neighbours are joined. */
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private int fd = -1;
    private long size;
    private long everWhenCollected;
    private boolean said;

    /**
     * Without a file yet.
     *
     * @param create    makes the file and gives its descriptor, or throws an {@link RdmaException}.
     * @param collector asks for a garbage collection.
     * @param log       takes the one message about memory that could not be shared.
     */
    SharedPages(final IntSupplier create, final Runnable collector, final Consumer<String> log) {
        this.create = create;
        this.collector = collector;
        this.log = log;
    }

    static int createFile() {
        final int made = Libc.memfdCreate("rdma4j", LibcConstants.MFD_ALLOW_SEALING);
        try (Undo undo = new Undo()) {
            undo.add(() -> Libc.close(made));
            FileCalls.addSeals(made, LibcConstants.F_SEAL_SHRINK | LibcConstants.F_SEAL_SEAL);
            undo.forget();
            return made;
        }
    }

    /**
     * Takes pages that others can read, else those that they cannot: to be seen is a convenience.
     *
     * @param length    in whole pages.
     * @param otherwise takes that many bytes elsewhere.
     * @return the memory, zeroed and touched.
     */
    HostBlock allocateOr(final int length, final IntFunction<HostBlock> otherwise) {
        try {
            return allocate(length);
        } catch (final RdmaException e) {
            sayOnce(e);
            return otherwise.apply(length);
        }
    }

    private void sayOnce(final RdmaException why) {
        final boolean first;
        synchronized (this) {
            first = !said;
            said = true;
        }
        if (first) {
            log.accept("other processes cannot see rings and tables of this one: " + why.getMessage() + " (said once)");
        }
    }

    /**
     * Takes pages that others can read.
     *
     * @param length in whole pages.
     * @return the memory, zeroed and touched.
     * @throws RdmaException if the kernel refuses the file, its growth or the mapping.
     */
    HostBlock allocate(final int length) {
        collectIfMuchWaits();
        final long offset = take(length);
        try (Undo undo = new Undo()) {
            undo.addIfGood(() -> giveBack(offset, length));
            // This says that there is no memory where a touch would be a signal.
            Libc.fallocate(fd, offset, length);
            final MappedMemory mapping = MappedMemory.map(0, length, READ_WRITE, POPULATED, fd, offset);
            undo.add(mapping::close);
            final HostBlock block = block(mapping, offset, length);
            undo.forget();
            return block;
        }
    }

    private HostBlock block(final MappedMemory mapping, final long offset, final int length) {
        return Reclaim.block(new Reclaim.Place(mapping, mapping.address(), new SharedFile(fd, offset)), length,
            PageKind.KB4, length, () -> end(mapping, offset, length), account);
    }

    private void end(final MappedMemory mapping, final long offset, final int length) {
        mapping.close();
        giveBack(offset, length);
    }

    private void collectIfMuchWaits() {
        final boolean due;
        synchronized (this) {
            final long ever = account.ever();
            due = account.now() >= COLLECT_BYTES && ever - everWhenCollected >= COLLECT_BYTES;
            everWhenCollected = due ? ever : everWhenCollected;
        }
        if (due) {
            collector.run();
        }
    }

    private synchronized long take(final int length) {
        final Map.Entry<Long, Long> part = free.entrySet().stream().filter(each -> each.getValue() >= length)
            .findFirst().orElse(null);
        if (part == null) {
            return grow(length);
        }
        final long offset = part.getKey();
        final long rest = part.getValue() - length;
        free.remove(offset);
        if (rest > 0) {
            free.put(offset + length, rest);
        }
        return offset;
    }

    /** Nothing but the number changes: there is memory behind it when it is allocated. */
    private long grow(final int length) {
        if (fd < 0) {
            fd = create.getAsInt();
        }
        final Map.Entry<Long, Long> last = free.lastEntry();
        final boolean atEnd = last != null && last.getKey() + last.getValue() == size;
        final long offset = atEnd ? last.getKey() : size;
        Libc.ftruncate(fd, offset + length);
        size = offset + length;
        if (atEnd) {
            free.remove(offset);
        }
        return offset;
    }

    /** What cannot be made empty is not used again. */
    private void giveBack(final long offset, final int length) {
        FileCalls.punchHole(fd, offset, length);
        synchronized (this) {
            final Map.Entry<Long, Long> below = free.floorEntry(offset);
            final boolean joins = below != null && below.getKey() + below.getValue() == offset;
            final Long above = free.remove(offset + length);
            free.put(joins ? below.getKey() : offset,
                (joins ? below.getValue() : 0) + length + (above == null ? 0 : above));
        }
    }

    /** Of the file; -1 if there is none yet. */
    synchronized int descriptor() {
        return fd;
    }

    /** What waits for the garbage collector. */
    Reclaim.Account account() {
        return account;
    }

    /** For leak checks: bytes of the file that blocks have, collected or not. */
    synchronized long usedBytes() {
        return size - free.values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public synchronized String toString() {
        return "SharedPages[" + (fd < 0 ? "no file" : "fd=" + fd + " used=" + usedBytes() + " size=" + size
            + " parts=" + free.size()) + "]";
    }
}
