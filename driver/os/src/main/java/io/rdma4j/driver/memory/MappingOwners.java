/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.AddressSpace;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.memory.MappingAreas.Area;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whose memory must not be watched: the JVM's and its malloc's. A thread that unmaps such memory may be one for which a
 * safepoint waits, or hold a lock of malloc's. It would wait in the kernel for our reader, and the reader, which is a
 * Java thread, at the safepoint for it, for ever.
 *
 * <p>What malloc does is known of glibc ({@code malloc/arena.c}, {@code malloc/malloc.c}): the main arena is
 * {@code [heap]}; others lie in regions of 64 MiB, aligned to that, which begin with a {@code heap_info}; and large
 * blocks have a mapping of their own, which {@link MallocBlocks} finds. What is in doubt is refused.
 */
final class MappingOwners {
    private static final Set<String> NOT_OURS = Set.of("[heap]", "[stack]", "[vdso]", "[vvar]", "[vvar_vclock]",
        "[vsyscall]");
    private static final List<String> OTHER_MALLOCS = List.of("libjemalloc", "libtcmalloc", "libmimalloc",
        "libsnmalloc", "libhoard", "ld-musl");
    private static final long HEAP_MAX_SIZE = 64L << 20;
    private static final int HEAP_INFO = 4 * Long.BYTES;
    private static final long FLAGS = 7;

    /** Asked once; whoever watches memory needs the answer. */
    private static final class Probe {
        static final String REFUSAL = MallocProbe.refusal(System.getenv("GLIBC_TUNABLES"), address -> {
            final MappingAreas areas = MappingAreas.ofThisProcess();
            final Area area = areas.at(address);
            return area != null && (NOT_OURS.contains(area.name()) || ofGlibc(areas, address, address + 1, 0) != null);
        });
    }

    private MappingOwners() {
    }

    /** Null, or why a part of a mapping is not to be watched. */
    static String refusal(final Area area, final MappingAreas all, final long from, final long to,
            final long proven) {
        if (NOT_OURS.contains(area.name()) || area.name().startsWith("[stack:")) {
            return "this memory belongs to the system or to malloc";
        }
        if (area.rights().charAt(0) != 'r') {
            return "this memory cannot be read";
        }
        if (area.rights().charAt(2) == 'x' || area.name().endsWith(".jsa")
            || area.name().contains("java_heap")) {
            return "this memory belongs to the JVM";
        }
        if (area.name().startsWith("/SYSV")) {
            return "System V shared memory can be detached without notice";
        }
        if (area.name().startsWith("[anon: glibc")) {
            return "this memory belongs to malloc";
        }
        return area.privateAnonymous() ? ofMalloc(all, from, to, proven) : null;
    }

    private static String ofMalloc(final MappingAreas all, final long from, final long to, final long proven) {
        for (final String name : OTHER_MALLOCS) {
            if (all.anyContains(name)) {
                return name + " is loaded, which keeps its memory in mappings like this one";
            }
        }
        return Probe.REFUSAL == null ? ofGlibc(all, from, to, proven) : Probe.REFUSAL;
    }

    private static String ofGlibc(final MappingAreas all, final long from, final long to, final long proven) {
        try {
            for (long base = from & -HEAP_MAX_SIZE; base < to; base += HEAP_MAX_SIZE) {
                if (arena(all, base, from)) {
                    return "this memory belongs to an arena of malloc";
                }
            }
            return new MallocBlocks(all).refusal(from, to, proven);
        } catch (final RdmaException e) {
            return "it cannot be found out whether malloc owns this memory: " + e.getMessage();
        }
    }

    /** {@code struct heap_info}: ar_ptr, prev, size, mprotect_size. */
    private static boolean arena(final MappingAreas all, final long base, final long from) {
        final UnsafeBuffer words = new UnsafeBuffer(ByteBuffer.allocateDirect(HEAP_INFO));
        if (AddressSpace.peek(base, 0, HEAP_INFO, words) == 0) {
            return false;
        }
        final long arena = words.getLong(0);
        final long size = words.getLong(2 * Long.BYTES);
        final long usable = words.getLong(3 * Long.BYTES);
        return arena > 0 && (arena & FLAGS) == 0 && all.at(arena) != null && size > 0 && size <= usable
            && usable <= HEAP_MAX_SIZE && wholePages(size) && wholePages(usable) && from < base + usable;
    }

    private static boolean wholePages(final long size) {
        return (size & Libc.pageSize() - 1) == 0;
    }
}
