/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import io.rdma4j.base.Deadline;
import java.net.InetSocketAddress;

/**
 * Connects QPs of two processes: exchanges their {@link QpAddress}es over TCP and brings both to RTS. One side listens,
 * the other one connects; when the call returns, both QPs take messages and both sides know it.
 *
 * <pre>{@code
 *   try (RdmaListener listener = RdmaConnector.listen(18515)) {
 *       listener.accept(qp, new ConnectOptions().beforeReady(c -> postReceives(qp)));
 *   }
 *
 *   RdmaConnector.connect(qp, new InetSocketAddress("192.0.2.7", 18515), new ConnectOptions());
 * }</pre>
 *
 * <p>RC QPs have to be in RESET. UD QPs may be in RESET, or in RTS: then the addresses are exchanged and nothing is
 * changed. Both sides need the same type.
 *
 * <p>If a call fails, the QP is in the state it was in before; one that had left RESET has been brought back, which
 * drops what {@link ConnectOptions#beforeReady} posted. (On a device without {@link Feature#QP_RESET} such a QP can
 * only be closed. A QP of a device that failed stays as it is.) Nothing of the TCP connection is left in any case.
 *
 * <p>What is exchanged is neither encrypted nor authenticated: whoever reaches the port can connect, and name any QP as
 * the peer. Listen beyond the loopback address in trusted networks only.
 */
public final class RdmaConnector {
    private static final String CONNECT = "connect QP over TCP";

    private RdmaConnector() {
    }

    /**
     * Connects a QP to one for which another process listens.
     *
     * @param qp      an RC QP in RESET, or a UD QP in RESET or RTS.
     * @param to      where the other process listens.
     * @param options what is particular.
     * @return what was agreed on.
     * @throws RdmaException and nothing has changed: EINVAL for null, an unknown host name, a QP in a wrong state, an
     *                       unbound GID, attributes out of range, and QPs of different types; EBADFD for a closed QP;
     *                       ECONNREFUSED if nobody listens; EHOSTUNREACH if there is no way to the host, or none to
     *                       the peer's GID ({@link RdmaContext#whyUnreachable}); EPROTO if the
     *                       peer speaks another protocol or breaks this one, EPROTONOSUPPORT if it speaks another
     *                       version; ECONNRESET if it closes before the end; ETIMEDOUT; EINTR, with the thread still
     *                       interrupted; the peer's own errno if it refused, with its reason; and what
     *                       {@link QueuePair#modify} throws. What {@link ConnectOptions#beforeReady} throws comes as it
     *                       is.
     */
    public static RdmaConnection connect(
        final QueuePair qp, final InetSocketAddress to, final ConnectOptions options) {
        final LocalEnd end = new LocalEnd(qp, options, Hello.Role.CONNECTS, CONNECT);
        requireAddress(to, CONNECT);
        final Deadline deadline = Deadline.after(options.timeout(), options.clock());
        try (PeerSocket socket = PeerSocket.connect(to, CONNECT, deadline)) {
            return new Handshake(end, socket, deadline).open();
        }
    }

    /**
     * Listens on the loopback address.
     *
     * @param port TCP port; 0 for any that is free.
     * @return a listener; the caller owns it.
     * @throws RdmaException EINVAL for a port out of range; EADDRINUSE if another process listens there; EACCES if the
     *                       port is reserved.
     */
    public static RdmaListener listen(final int port) {
        return RdmaListener.onLoopback(port);
    }

    /**
     * Listens on an address of this machine.
     *
     * @param at address and port; port 0 for any that is free.
     * @return a listener; the caller owns it.
     * @throws RdmaException EINVAL for null or an unknown host name; EADDRNOTAVAIL if it is not an address of this
     *                       machine; EADDRINUSE if another process listens there; EACCES if the port is reserved.
     */
    public static RdmaListener listen(final InetSocketAddress at) {
        return new RdmaListener(at);
    }

    static void requireAddress(final InetSocketAddress address, final String operation) {
        if (address == null || address.isUnresolved()) {
            throw RdmaException.of(operation)
                .detail("%s is not the address of a host", address)
                .errno(RdmaException.EINVAL)
                .hint("give an address, or a name that can be looked up")
                .build();
        }
    }
}
