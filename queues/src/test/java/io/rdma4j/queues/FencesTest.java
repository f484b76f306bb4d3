/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * With which accesses the indices are stored and loaded. On x86 a plain one would behave the same until some compiler
 * moves it, so the compiled class is asked what it calls. Whether that is enough is what the concurrency tests show.
 */
@Timeout(60)
class FencesTest {
    @Test
    void indicesAreStoredWithReleaseAndLoadedWithAcquire() throws IOException {
        final Set<String> names = namesIn(Fences.class);
        assertThat(names).contains("putIntRelease", "getIntAcquire", "fullFence");
        assertThat(names).doesNotContain("putInt", "getInt", "putIntOpaque", "getIntOpaque", "putLong");
    }

    @Test
    void nobodyElseTouchesAnIndex() throws IOException {
        for (final Class<?> ring : new Class<?>[] {WorkQueue.class, CompletionQueue.class, SequencedQueue.class,
            SendQueue.class, ReceiveQueue.class, SharedReceiveQueue.class, MappedDoorbell.class}) {
            assertThat(namesIn(ring)).as("%s", ring).doesNotContain("putInt", "getInt", "putIntRelease",
                "getIntAcquire", "putIntOpaque", "putIntVolatile", "putOrderedInt");
        }
    }

    /** All strings in the constant pool, as the JVM specification lays it out in 4.4. */
    private static Set<String> namesIn(final Class<?> type) throws IOException {
        final Set<String> names = new HashSet<>();
        try (DataInputStream in = new DataInputStream(
            type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class"))) {
            in.readInt();
            in.readInt();
            final int count = in.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                final int tag = in.readUnsignedByte();
                if (tag == 1) {
                    names.add(in.readUTF());
                } else {
                    in.skipNBytes(lengthOf(tag));
                    i += tag == 5 || tag == 6 ? 1 : 0;
                }
            }
        }
        return names;
    }

    private static int lengthOf(final int tag) {
        return switch (tag) {
            case 7, 8, 16, 19, 20 -> 2;
            case 15 -> 3;
            case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
            case 5, 6 -> 8;
            default -> throw new IllegalArgumentException("tag " + tag + " in a class file");
        };
    }
}
