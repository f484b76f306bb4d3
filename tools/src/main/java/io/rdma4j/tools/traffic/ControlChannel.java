/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.Completion;
import io.rdma4j.verbs.CompletionHandler;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A connection for words between the ends: what comes next, and what came of it. The words come in the order in which
 * they were said, but in no order with what the lanes carry.
 *
 * <pre>
 *   0  word (4)   4  bytes of a message (4)   8  count (8)
 * </pre>
 */
final class ControlChannel implements CompletionHandler {
    /** Client: a part with messages of so many bytes begins. */
    static final int START = 1;
    /** Server: it may begin. */
    static final int READY = 2;
    /** Client: it ends, after so many messages. */
    static final int STOP = 3;
    /** Server: so many came. */
    static final int DONE = 4;
    /** Client: still there, though nothing comes. */
    static final int ALIVE = 5;
    /** Client: that was all. */
    static final int BYE = 6;

    private static final int SLOTS = 16;
    private static final int SLOT_BYTES = 64;
    private static final int WORD = 0;
    private static final int BYTES = 4;
    private static final int COUNT = 8;
    private static final int LENGTH = 16;

    private final QueuePair qp;
    private final CompletionQueue cq;
    private final RegisteredMemory words;
    private final UnsafeBuffer memory;
    private final SendRequest send = new SendRequest();
    private final ReceiveRequest receive = new ReceiveRequest();
    private long said;
    private long sent;
    private long heard;
    private long taken;
    private WcStatus failure = WcStatus.SUCCESS;
    /** Bytes of the first word that is none, if one came. */
    private int length = LENGTH;

    ControlChannel(final ProtectionDomain pd) {
        cq = pd.context().createCq(2 * SLOTS);
        qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(SLOTS).maxReceiveWr(SLOTS));
        words = new RegisteredMemory(pd, 2 * SLOTS * SLOT_BYTES);
        memory = words.buffer();
    }

    QueuePair qp() {
        return qp;
    }

    /** The QP takes receives. */
    void listen() {
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    private void postReceive(final int slot) {
        check(qp.postReceive(receive.wrId(slot)
            .sge(words.address() + (long) slot * SLOT_BYTES, LENGTH, words.lkey())), "post receive");
    }

    /** Says a word. */
    void say(final int word, final int bytes, final long count) {
        final int at = (SLOTS + (int) (said % SLOTS)) * SLOT_BYTES;
        memory.putInt(at + WORD, word);
        memory.putInt(at + BYTES, bytes);
        memory.putLong(at + COUNT, count);
        check(qp.postSend(send.wrId(SLOTS + said).sge(words.address() + at, LENGTH, words.lkey())), "post send");
        said++;
    }

    /** Says {@link #ALIVE}, unless the peer has not heard the last ones yet. */
    void sayAlive() {
        poll();
        if (said - sent < SLOTS / 2) {
            say(ALIVE, 0, 0);
        }
    }

    /**
     * Looks for completions.
     *
     * @return whether there is a word to be taken.
     */
    boolean poll() {
        check(cq.poll(this, SLOTS), "poll");
        if (failure != WcStatus.SUCCESS) {
            throw failed("hear the other end", "a completion has status " + failure);
        }
        if (length != LENGTH) {
            throw refused("it said " + length + " bytes instead of " + LENGTH);
        }
        return heard > taken;
    }

    @Override
    public void onCompletion(final Completion completion) {
        if (completion.status() != WcStatus.SUCCESS) {
            failure = completion.status();
        } else if (completion.opcode() == WcOpcode.RECV) {
            heard++;
            length = length == LENGTH ? completion.byteLength() : length;
        } else {
            sent++;
        }
    }

    int word() {
        return memory.getInt(slot() + WORD);
    }

    int bytes() {
        return memory.getInt(slot() + BYTES);
    }

    long count() {
        return memory.getLong(slot() + COUNT);
    }

    private int slot() {
        return (int) (taken % SLOTS) * SLOT_BYTES;
    }

    /** Makes room for the next word. */
    void take() {
        postReceive((int) (taken++ % SLOTS));
    }

    /** Waits until everything that was said has gone, or the peer with it. */
    void flush(final Patience patience) {
        while (sent < said) {
            if (!poll()) {
                patience.idle();
            }
        }
    }

    private void check(final int code, final String operation) {
        if (code < 0) {
            final String why = qp.pd().context().failure();
            throw failed(operation, "returned " + ReturnCode.nameOf(code) + (why == null ? "" : ": " + why));
        }
    }

    private RdmaException failed(final String operation, final String detail) {
        return failure(operation, detail).errno(RdmaException.EIO).build();
    }

    /** What to throw when the other end says what it may not. */
    RdmaException refused(final String detail) {
        return failure("hear the other end", detail).errno(RdmaException.EINVAL)
            .hint("start rdma4j perf on both sides, in the same version").build();
    }

    private RdmaException.Builder failure(final String operation, final String detail) {
        return RdmaException.of(operation).device(qp.pd().context().address()).object(this).detail("%s", detail);
    }

    @Override
    public String toString() {
        return String.format("control QP 0x%06x (%d said, %d heard)", qp.qpNumber(), said, heard);
    }
}
