/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Deadline;

/**
 * What two sides say to each other. Both tell of their QPs (HELLO) and bring them to RTS; each tells that its own is
 * there (READY), and then that it knows the same of the other (DONE). So nobody returns before both QPs take messages,
 * and before the other side knows it, too.
 *
 * <p>One case is left, as it must be: a side that has heard all is content, while its last word is lost because the TCP
 * connection breaks just then. The other side fails, and its QP answers nothing.
 */
final class Handshake {
    private final LocalEnd end;
    private final PeerSocket socket;
    private final Deadline deadline;

    Handshake(final LocalEnd end, final PeerSocket socket, final Deadline deadline) {
        this.end = end;
        this.socket = socket;
        this.deadline = deadline;
    }

    /** As the side that connects. */
    RdmaConnection open() {
        try {
            socket.send(ConnectWire.hello(end.hello()), deadline);
            // The listener may serve others first, so this is the one answer that may take all the time there is.
            return agree(socket.awaitHello(deadline));
        } catch (final RuntimeException | Error e) {
            undo(e);
            throw e;
        }
    }

    /** As the side that listens, which has heard the first word. */
    RdmaConnection answer(final Hello theirs) {
        try {
            socket.send(ConnectWire.hello(end.hello()), soon());
            return agree(theirs);
        } catch (final RuntimeException | Error e) {
            undo(e);
            throw e;
        }
    }

    private RdmaConnection agree(final Hello theirs) {
        refuseIf(end.objection(theirs));
        final RdmaConnection connection = join(theirs);
        end.options().beforeReady().accept(connection);
        exchange(ConnectWire.READY);
        exchange(ConnectWire.DONE);
        return connection;
    }

    private RdmaConnection join(final Hello theirs) {
        try {
            refuseIf(end.absence(theirs));
            return end.join(theirs, socket.address());
        } catch (final RdmaException e) {
            // A peer that refused, and whose device is closed already, is gone as well: but what it said is the reason.
            final RdmaException said = e.errno() == RdmaException.EHOSTUNREACH ? socket.refusal() : null;
            throw said == null ? e : said;
        }
    }

    private void refuseIf(final ConnectWire.BadMessage objection) {
        if (objection != null) {
            throw objection.from(socket.address(), end.operation());
        }
    }

    private void exchange(final int kind) {
        socket.send(ConnectWire.signal(kind), soon());
        socket.awaitSignal(kind, soon());
    }

    private Deadline soon() {
        return Deadline.after(end.options().patience(), end.options().clock()).earlier(deadline);
    }

    /** Before the QP changes, the peer is told: it may wait for nothing else. */
    private void undo(final Throwable why) {
        socket.refuse(why);
        end.leave(why);
    }
}
