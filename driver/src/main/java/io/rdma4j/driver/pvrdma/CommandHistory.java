/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The last commands, kept without allocation. Guarded by the lock of the {@link CommandChannel}. */
final class CommandHistory {
    static final int CAPACITY = 256;

    private static final int ERR_OFFSET = Command.REQUEST_MAX;
    private static final int RESPONSE_OFFSET = ERR_OFFSET + 8;
    private static final int ENTRY_LENGTH = RESPONSE_OFFSET + Command.RESPONSE_MAX;

    private final UnsafeBuffer entries = new UnsafeBuffer(new byte[CAPACITY * ENTRY_LENGTH]);
    private long recorded;

    void record(final DirectBuffer request, final int err, final DirectBuffer response) {
        final int entry = (int) (recorded % CAPACITY) * ENTRY_LENGTH;
        entries.putBytes(entry, request, 0, Command.REQUEST_MAX);
        entries.putInt(entry + ERR_OFFSET, err);
        entries.putBytes(entry + RESPONSE_OFFSET, response, 0, Command.RESPONSE_MAX);
        recorded++;
    }

    /** The last commands, the oldest first, one line each. */
    String format(final int last) {
        final StringBuilder text = new StringBuilder();
        for (long i = Math.max(0, recorded - Math.min(last, CAPACITY)); i < recorded; i++) {
            final int entry = (int) (i % CAPACITY) * ENTRY_LENGTH;
            final ResponseHeader response = new ResponseHeader().wrap(entries, entry + RESPONSE_OFFSET);
            text.append(String.format("  #%d %s -> ERR 0x%x, response key 0x%x ack 0x%x err %d%n", i,
                CommandText.request(entries, entry), entries.getInt(entry + ERR_OFFSET),
                response.response(), response.ack(), response.err()));
        }
        return text.toString();
    }
}
