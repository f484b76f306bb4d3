/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import io.rdma4j.RdmaException;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;

/** What went wrong on a socket, as an {@link RdmaException} with the errno that the system must have given. */
public final class SocketErrors {
    private static final int EINTR = 4;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ECONNRESET = 104;
    private static final int ECONNREFUSED = 111;

    private SocketErrors() {
    }

    /**
     * What an exception of the system's sockets says.
     *
     * @param operation what was tried.
     * @param peer      with whom, or where.
     * @param cause     what came of it.
     * @return the exception, with a hint.
     */
    public static RdmaException of(final String operation, final Object peer, final IOException cause) {
        final int errno = errno(cause);
        return RdmaException.of(operation)
            .object(peer)
            .detail("%s%s", cause instanceof UnknownHostException ? "unknown host " : "", cause.getMessage())
            .errno(errno)
            .hint(hint(errno))
            .cause(cause)
            .build();
    }

    private static int errno(final IOException e) {
        final String text = String.valueOf(e.getMessage());
        if (e instanceof BindException) {
            return text.contains("in use") ? EADDRINUSE
                : text.contains("denied") ? RdmaException.EACCES : EADDRNOTAVAIL;
        }
        if (e instanceof NoRouteToHostException || e instanceof UnknownHostException) {
            return RdmaException.EHOSTUNREACH;
        }
        if (e instanceof SocketTimeoutException) {
            return RdmaException.ETIMEDOUT;
        }
        if (e instanceof ConnectException) {
            return text.contains("refused") ? ECONNREFUSED
                : text.contains("timed out") ? RdmaException.ETIMEDOUT : RdmaException.EHOSTUNREACH;
        }
        if (text.contains("unreachable")) {
            // Of the network; the JDK has no exception of its own for that.
            return RdmaException.EHOSTUNREACH;
        }
        return text.contains("reset") || text.contains("Broken pipe") ? ECONNRESET : RdmaException.EIO;
    }

    private static String hint(final int errno) {
        return switch (errno) {
            case ECONNREFUSED -> "nobody listens there: start the listening side first, and check the port";
            case EADDRINUSE -> "another process listens there: take another port, or 0 for any that is free";
            case RdmaException.EACCES ->
                "ports below 1024 are for root: take another one, or 0 for any that is free";
            case EADDRNOTAVAIL -> "this machine does not have that address";
            case ECONNRESET -> "the other side gave up: it should say why";
            default -> "check the address and the network";
        };
    }

    /**
     * What did not come in time.
     *
     * @param operation what was tried.
     * @param peer      with whom.
     * @param format    what did not come, as {@link String#format} takes it.
     * @param args      for it.
     * @return the exception.
     */
    public static RdmaException late(
        final String operation, final Object peer, final String format, final Object... args) {
        return RdmaException.of(operation)
            .object(peer)
            .detail(format, args)
            .errno(RdmaException.ETIMEDOUT)
            .build();
    }

    /**
     * A thread that was asked to stop does; it stays marked.
     *
     * @param operation what it does.
     * @param peer      with whom.
     * @throws RdmaException EINTR if it was.
     */
    public static void checkInterrupt(final String operation, final Object peer) {
        if (Thread.currentThread().isInterrupted()) {
            throw RdmaException.of(operation).object(peer).detail("the thread was interrupted").errno(EINTR).build();
        }
    }
}
