/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventReader;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.testing.LineProcess;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.List;

/** An event queue in a JVM that has no memory for another event. */
@Timeout(120)
class EventQueueMemoryTest {
    /** What it answers. */
    private static final String KEPT = "lost 0, first 1";

    private static final class Small extends LineProcess {
        Small() throws IOException {
            super(EventQueueMemoryTest.class, List.of("-Xmx14m", "-XX:+UseSerialGC"));
        }
    }

    /** The small JVM: writes until there is no memory, and reads the first. */
    public static void main(final String[] args) {
        System.out.println(fill());
    }

    private static String fill() {
        final FabricEventQueue queue = new FabricEventQueue(null, 0, closed -> { });
        final EventEntry first = EventRecord.of(FabricEvent.NOTIFY, null, null).data(1);
        final EventEntry other = EventRecord.of(FabricEvent.NOTIFY, null, null).data(2);
        final long[] read = new long[1];
        final EventReader reader = entry -> read[0] = entry.data();
        queue.write(first);
        int written = 1;
        while (write(queue, other)) {
            written++;
        }
        final int lost = written - queue.size();
        write(queue, other);
        queue.read(reader, 1);
        queue.close();
        return "lost " + lost + ", first " + read[0];
    }

    private static boolean write(final FabricEventQueue queue, final EventEntry entry) {
        try {
            queue.write(entry);
            return true;
        } catch (final OutOfMemoryError e) {
            return false;
        }
    }

    @Test
    void whatIsInItStaysWhereMemoryEnds() throws IOException {
        try (Small small = new Small()) {
            assertThat(small.answer()).isEqualTo(KEPT);
        }
    }
}
