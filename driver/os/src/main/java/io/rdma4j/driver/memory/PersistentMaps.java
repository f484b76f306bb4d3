/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What of this process' memory is a file, by {@code /proc/self/maps} (proc_pid_maps(5)). Its lines rise, and are
 *
 * <pre>
 *   7f20c8000000-7f20c8021000 rw-s 00001000 fd:01 1835031                    /var/lib/store/journal
 *   from         to           rights offset dev   inode                      name
 * </pre>
 *
 * <p>Shared mappings that have a name and yet are no file: {@code /dev/zero (deleted)} is anonymous memory,
 * {@code /memfd:NAME (deleted)} and {@code /SYSV...} are memory with a descriptor or a key, {@code /dmabuf:} another
 * device's. A deleted file has no name by which its bytes could be found again.
 */
final class PersistentMaps {
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int FIELDS = 6;
    private static final int SHARED = 3;
    private static final int DEVICE = 3;
    private static final String GONE = " (deleted)";

    private final List<String> lines;
    private final Predicate<Path> isRegularFile;

    PersistentMaps(final List<String> lines, final Predicate<Path> isRegularFile) {
        this.lines = lines;
        this.isRegularFile = isRegularFile;
    }

    static PersistentMaps ofThisProcess() {
        try {
            // A file's name has any bytes: one that is no text must not make the others unreadable.
            return new PersistentMaps(Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1), Files::isRegularFile);
        } catch (final IOException e) {
            throw RdmaException.of("look at mapped files").detail("%s cannot be read: %s", MAPS, e)
                .errno(RdmaException.EOPNOTSUPP)
                .hint("persistent memory can be registered on Linux, with /proc mounted").cause(e).build();
        }
    }

    /**
     * What covers a range.
     *
     * @param files  by the names that they had.
     * @param inodes which files these are, whatever they are called later: device and inode.
     */
    record Cover(Set<Path> files, Set<String> inodes) {
    }

    /** What is to be known of a line. */
    private interface Look {
        void at(String[] fields, long first);
    }

    /** The files that cover a range without a gap. */
    Cover cover(final long address, final long length) {
        final Cover cover = new Cover(new LinkedHashSet<>(), new LinkedHashSet<>());
        walk(address, length, (fields, at) -> {
            cover.files.add(file(fields, address, length, at));
            cover.inodes.add(inode(fields));
        });
        return cover;
    }

    /** Refuses a range some of which is in no file, or in one without a name that is none of those of before. */
    void requireCovered(final long address, final long length, final Set<String> inodes) {
        walk(address, length, (fields, at) -> {
            if (fields[1].charAt(SHARED) != 's' || !inodes.contains(inode(fields))) {
                file(fields, address, length, at);
            }
        });
    }

    private static String inode(final String[] fields) {
        return fields[DEVICE] + ' ' + fields[DEVICE + 1];
    }

    private void walk(final long address, final long length, final Look look) {
        final long end = address + length;
        long covered = address;
        for (final String line : lines) {
            final String[] fields = line.split(" +", FIELDS);
            final int dash = fields[0].indexOf('-');
            final long from = Long.parseUnsignedLong(fields[0], 0, dash, 16);
            final long to = Long.parseUnsignedLong(fields[0], dash + 1, fields[0].length(), 16);
            if (Long.compareUnsigned(to, covered) <= 0) {
                continue;
            }
            if (Long.compareUnsigned(from, covered) > 0) {
                break;
            }
            look.at(fields, covered);
            covered = to;
            if (Long.compareUnsigned(covered, end) >= 0) {
                return;
            }
        }
        throw refused(address, length, String.format("0x%x is not mapped in this process", covered))
            .errno(RdmaException.EFAULT).build();
    }

    private Path file(final String[] fields, final long address, final long length, final long at) {
        final String name = fields.length == FIELDS ? fields[FIELDS - 1] : "";
        if (fields[1].charAt(SHARED) != 's') {
            throw refused(address, length, String.format(name.startsWith("/")
                ? "0x%x is a private mapping of %s: what is written stays in this process"
                : "0x%x is anonymous memory %s", at, name).strip()).build();
        }
        try {
            // The name as it stands: " (deleted)" may belong to it, and then there is such a file.
            final Path path = Path.of(new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
            if (isRegularFile.test(path)) {
                return path;
            }
        } catch (final InvalidPathException unreadable) {
            throw refused(address, length, String.format("0x%x is in a file whose name is no text, %s", at, name))
                .cause(unreadable).build();
        }
        throw refused(address, length, String.format(
            name.endsWith(GONE) ? "0x%x is shared memory without a file, %s" : "0x%x is in %s, no regular file",
            at, name)).build();
    }

    static RdmaException.Builder refused(final long address, final long length, final String why) {
        return RdmaException.of("use persistent memory")
            .object(String.format("%d bytes at 0x%x", length, address)).detail("%s", why).errno(RdmaException.EINVAL)
            .hint("map a file of a file system, shared: FileChannel.map with READ_WRITE, or mmap with MAP_SHARED");
    }
}
