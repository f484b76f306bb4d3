/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.live.LiveCommand;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The last commands, kept where others can see them. Thread-safe. */
final class CommandHistory {
    private final LiveDevice live;
    private final DeviceEntry device;

    /** The entry is told of ERR. */
    CommandHistory(final LiveDevice live, final DeviceEntry device) {
        this.live = live;
        this.device = device;
    }

    /** A command that began then, and has ended now. */
    void record(
        final long epochNanos, final long startNanos, final DirectBuffer request, final int err,
        final DirectBuffer response) {
        live.command(epochNanos, System.nanoTime() - startNanos, err, request, response);
        device.err(err);
    }

    /** The last commands, the oldest first, one line each. */
    String format(final int last) {
        final StringBuilder text = new StringBuilder();
        for (final LiveCommand command : live.commands(last)) {
            final ResponseHeader response = new ResponseHeader().wrap(new UnsafeBuffer(command.response()), 0);
            text.append(String.format("  #%d %s -> ERR 0x%x, response key 0x%x ack 0x%x err %d%n", command.number(),
                CommandText.request(new UnsafeBuffer(command.request()), 0), command.err(),
                response.get(ResponseHeader.RESPONSE), response.get(ResponseHeader.ACK),
                response.get(ResponseHeader.ERR)));
        }
        return text.toString();
    }
}
