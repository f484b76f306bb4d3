/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The file of a shared vector, mapped as a whole: holes take address space and no memory. Unmapped by the collector,
 * when nobody can reach it any more.
 */
final class SharedMemory {
    final SharedLayout layout;
    /** Header, bits and index. */
    final UnsafeBuffer front;
    private final UnsafeBuffer[] windows;

    SharedMemory(final FileChannel channel, final SharedLayout layout, final FileChannel.MapMode mode)
        throws IOException {
        this.layout = layout;
        front = new UnsafeBuffer(channel.map(mode, 0, layout.front));
        windows = new UnsafeBuffer[(layout.most - 1) / SharedLayout.WINDOW + 1];
        final int entries = Math.min(layout.most, SharedLayout.WINDOW);
        for (int i = 0; i < windows.length; i++) {
            windows[i] = new UnsafeBuffer(
                channel.map(mode, layout.position(i * entries), (long) entries * layout.entrySize));
        }
    }

    /** Where the entry of a place is, at {@link #offset}. */
    UnsafeBuffer window(final int place) {
        return windows[place / SharedLayout.WINDOW];
    }

    int offset(final int place) {
        return place % SharedLayout.WINDOW * layout.entrySize;
    }
}
