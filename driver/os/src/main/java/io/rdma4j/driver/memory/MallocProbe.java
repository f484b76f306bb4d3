/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import io.rdma4j.driver.libc.Malloc;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Whether the malloc of this process is one whose memory is recognised. Names of libraries are not enough: it may be
 * linked in or loaded under another name, and a coming glibc may write other headers. So some memory is asked of it.
 */
final class MallocProbe {
    /** The first is beyond what malloc ever takes from an arena (DEFAULT_MMAP_THRESHOLD_MAX), and changes no limit. */
    private static final List<Long> SIZES = List.of(40L << 20, 64L);
    private static final String UNKNOWN = "the malloc of this process is none whose memory can be told from other "
        + "private memory: only shared mappings are watched";

    private MallocProbe() {
    }

    /** Null, or why no private memory is to be watched. */
    static String refusal(final String tunables, final LongFunction<Boolean> recognised) {
        if (tunables != null && tunables.contains("hugetlb")) {
            return "GLIBC_TUNABLES asks for hugepages, so that arenas of malloc lie elsewhere";
        }
        for (final long size : SIZES) {
            final long block = Malloc.allocate(size);
            if (block == 0) {
                return UNKNOWN;
            }
            try {
                if (!recognised.apply(block) || !recognised.apply(block + size - 1)) {
                    return UNKNOWN;
                }
            } finally {
                Malloc.free(block);
            }
        }
        return null;
    }
}
