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

    private final PassiveListener listener;
    private final ConnectMessage message;
    private final FabricAddress source;
    private final AtomicReference<Answer> answer = new AtomicReference<>(Answer.NONE);
    private volatile Reason reason = Reason.APPLICATION;
    private volatile byte[] told = {};
    private volatile boolean isWithdrawn;
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
        if (answer.get() == Answer.VOID) {
            return;
        }
        answer("reject connection", Answer.REFUSED);
        told = data;
        listener.refused(this);
    }

    private void answer(final String operation, final Answer now) {
        final Answer before = answer.compareAndExchange(Answer.NONE, now);
        if (before == Answer.VOID) {
            throw MsgConnection.refuse(operation, FiErrno.FI_ETIMEDOUT, "%s is void: who asked waits no longer", this);
        }
        if (before != Answer.NONE) {
            throw MsgConnection.refuse(operation, FiErrno.FI_EALREADY, "%s was answered before: %s", this, before);
        }
    }

    void accept() {
        answer("accept connection", Answer.ACCEPTED);
    }

    /** It was accepted, but cannot be connected. */
    void fail(final Reason why) {
        reason = why;
        answer.set(Answer.REFUSED);
        listener.refused(this);
    }

    /** False if it was answered before. */
    boolean close(final Answer how, final Reason why) {
        if (answer.compareAndSet(Answer.NONE, how)) {
            reason = why;
            return true;
        }
        return false;
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
        return answer.get();
    }

    Reason reason() {
        return reason;
    }

    byte[] told() {
        return told;
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
