/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

/** What frames are for. */
@FunctionalInterface
public interface FrameReceiver {
    /**
     * Takes a frame.
     *
     * @param frame valid until this returns
     */
    void onFrame(Frame frame);
}
