/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;

/**
 * What the end that begins says to one in another process when its operation is no message itself: now and then that it
 * is still there (nothing, in a message), and at last farewell (one byte). An end that only lends its memory would not
 * know otherwise.
 */
final class SignalMessages {
    private static final int FAREWELL_BYTES = 1;

    private final PingPongEnd end;
    private final RegisteredMemory slot;
    private final ReceiveRequest[] receives = new ReceiveRequest[PingPongEnd.RECEIVES];
    private final SendRequest send = new SendRequest();

    SignalMessages(final PingPongEnd end) {
        this.end = end;
        slot = new RegisteredMemory(end.pd(), FAREWELL_BYTES);
        for (int i = 0; i < PingPongEnd.RECEIVES; i++) {
            receives[i] = new ReceiveRequest().wrId(i).sge(slot.address(), FAREWELL_BYTES, slot.lkey());
        }
    }

    /** Makes room for the peer's. */
    void listen() {
        for (final ReceiveRequest receive : receives) {
            end.post(receive);
        }
    }

    void sayStillHere() {
        end.post(send.sge(slot.address(), 0, slot.lkey()));
    }

    void sayFarewell() {
        end.post(send.sge(slot.address(), FAREWELL_BYTES, slot.lkey()));
    }

    boolean isStillHere() {
        return end.hasMessage() && end.arrivedBytes() == 0;
    }

    boolean isFarewell() {
        return end.hasMessage() && end.arrivedBytes() == FAREWELL_BYTES;
    }

    /** Makes room for the next word. */
    void take() {
        end.post(receives[end.take()]);
    }
}
