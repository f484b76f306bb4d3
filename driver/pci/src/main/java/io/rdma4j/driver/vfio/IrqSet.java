/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.concurrent.UnsafeBuffer;

/** {@code struct vfio_irq_set}: joins interrupts with eventfds, or parts them. */
final class IrqSet {
    static final int INDEX_OFFSET = 8;
    static final int START_OFFSET = 12;
    static final int COUNT_OFFSET = 16;
    static final int DATA_OFFSET = 20;
    /** Without data. */
    static final int LENGTH = 20;

    static final int VFIO_IRQ_SET_DATA_NONE = 1;
    static final int VFIO_IRQ_SET_DATA_EVENTFD = 1 << 2;
    static final int VFIO_IRQ_SET_ACTION_TRIGGER = 1 << 5;

    static final Layout LAYOUT = Layout.of("vfio_irq_set", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u32("index", INDEX_OFFSET)
        .u32("start", START_OFFSET)
        .u32("count", COUNT_OFFSET)
        .build();

    private IrqSet() {
    }

    /** From now on each of these interrupts, from number 0, counts in its eventfd. */
    static UnsafeBuffer trigger(final int index, final int[] eventFds) {
        final UnsafeBuffer struct = header(LENGTH + eventFds.length * Integer.BYTES,
            VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, index, eventFds.length);
        for (int i = 0; i < eventFds.length; i++) {
            struct.putInt(DATA_OFFSET + i * Integer.BYTES, eventFds[i], LITTLE_ENDIAN);
        }
        return struct;
    }

    /** None of these interrupts is in use any more. */
    static UnsafeBuffer disable(final int index) {
        return header(LENGTH, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, index, 0);
    }

    private static UnsafeBuffer header(final int length, final int flags, final int index, final int count) {
        final UnsafeBuffer struct = Structs.sized(length);
        struct.putInt(Structs.FLAGS_OFFSET, flags, LITTLE_ENDIAN);
        struct.putInt(INDEX_OFFSET, index, LITTLE_ENDIAN);
        struct.putInt(COUNT_OFFSET, count, LITTLE_ENDIAN);
        return struct;
    }
}
