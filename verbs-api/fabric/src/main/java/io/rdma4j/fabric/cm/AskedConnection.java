/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.endpoint.NameCheck;

import java.util.concurrent.atomic.AtomicReference;

/** A request that came to a passive endpoint. Thread-safe. */
final class AskedConnection implements ConnectionRequest {
    /** What has come of it. */
    enum Answer { NONE, ACCEPTED, REFUSED, VOID }

    /** All of an answer at once: whoever sees it refused tells the reason and the data. */
    private record Reply(Answer answer, Reason reason, byte[] told) {
    }

    private static final byte[] NOTHING = {};
    private static final Reply NONE = new Reply(Answer.NONE, Reason.APPLICATION, NOTHING);

    private final PassiveListener listener;
    private final ConnectMessage message;
    private final FabricAddress source;
    private final AtomicReference<Reply> reply = new AtomicReference<>(NONE);
    private volatile boolean isWithdrawn;
    /** This and what follows is guarded by the lock of its listener's channel. */
    private boolean wasTold;
    private long deadline;

    AskedConnection(final PassiveListener listener, final ConnectMessage message) {
        this.listener = listener;
        this.message = message;
        source = NameCheck.address(message.name());
    }

    @Override
    public FabricInfo info() {
        return listener.info();
    }

    @Override
    public FabricAddress source() {
        return source;
    }

    @Override
    public byte[] privateData() {
        return message.data().clone();
    }

    @Override
    public void reject(final byte[] privateData) {
        final byte[] data = MsgConnection.data("reject connection", privateData);
        if (answer() == Answer.VOID) {
            return;
        }
        answer("reject connection", new Reply(Answer.REFUSED, Reason.APPLICATION, data));
        listener.refused(this);
    }

    private void answer(final String operation, final Reply now) {
        final Answer before = reply.compareAndExchange(NONE, now).answer;
        if (before == Answer.VOID) {
            throw MsgConnection.refuse(operation, FiErrno.FI_ETIMEDOUT, "%s is void: who asked waits no longer", this);
        }
        if (before != Answer.NONE) {
            throw MsgConnection.refuse(operation, FiErrno.FI_EALREADY, "%s was answered before: %s", this, before);
        }
    }

    void accept() {
        answer("accept connection", new Reply(Answer.ACCEPTED, Reason.APPLICATION, NOTHING));
    }

    /** It was accepted, but cannot be connected. */
    void fail(final Reason why) {
        reply.set(new Reply(Answer.REFUSED, why, NOTHING));
        listener.refused(this);
    }

    /** False if it was answered before. */
    boolean close(final Answer how, final Reason why) {
        return reply.compareAndSet(NONE, new Reply(how, why, NOTHING));
    }

    /** Who asked is gone: if it was accepted the endpoint that did has to know. */
    void withdraw() {
        isWithdrawn = true;
        close(Answer.VOID, Reason.NONE);
    }

    boolean isWithdrawn() {
        return isWithdrawn;
    }

    Answer answer() {
        return reply.get().answer;
    }

    Reason reason() {
        return reply.get().reason;
    }

    byte[] told() {
        return reply.get().told;
    }

    /** Whether a refusal went out at least once. */
    boolean wasTold() {
        return wasTold;
    }

    void sent() {
        wasTold = true;
    }

    ConnectMessage message() {
        return message;
    }

    byte[] name() {
        return message.name();
    }

    /** As who asked says them. */
    ConnectIds ids() {
        return message.ids();
    }

    PeerId from() {
        return message.source();
    }

    /** Who asked still waits; so long. */
    void heard(final long now, final int waitMillis) {
        deadline = now + Math.min(waitMillis, PassiveListener.LONGEST_MILLIS) * 1_000_000L;
    }

    boolean isOver(final long now) {
        return now - deadline >= 0;
    }

    long dueAt() {
        return deadline;
    }

    @Override
    public String toString() {
        return "request of " + source;
    }
}
