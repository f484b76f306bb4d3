/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What the structs of {@code linux/vfio.h} have in common: most begin with their own length. */
final class Structs {
    /** In nearly every struct: its length in bytes, including what follows it. */
    static final int ARGSZ_OFFSET = 0;
    /** In nearly every struct: what is valid, or what is wanted. */
    static final int FLAGS_OFFSET = 4;

    private Structs() {
    }

    /** Zeroed memory outside the heap, as the kernel needs it. */
    static UnsafeBuffer allocate(final int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    /** A zeroed struct that says its length. */
    static UnsafeBuffer sized(final int length) {
        final UnsafeBuffer struct = allocate(length);
        struct.putInt(ARGSZ_OFFSET, length, LITTLE_ENDIAN);
        return struct;
    }

    static int argsz(final DirectBuffer struct) {
        return struct.getInt(ARGSZ_OFFSET, LITTLE_ENDIAN);
    }

    static int flags(final DirectBuffer struct) {
        return struct.getInt(FLAGS_OFFSET, LITTLE_ENDIAN);
    }
}
