/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;

import org.agrona.DirectBuffer;

/**
 * Sends and receives datagrams, which may be lost, doubled, late and out of order. For one thread at a time.
 */
public interface UdEnd extends AutoCloseable {
    /** Most bytes of a datagram here: they fit the smallest MTU that is in use, header included. */
    int MAX_MESSAGE = 512;

    /**
     * Where it is.
     *
     * @return the GID of the port.
     */
    Gid gid();

    /**
     * Who it is.
     *
     * @return queue pair number.
     */
    int qpn();

    /**
     * What datagrams for it have to carry.
     *
     * @return queue key.
     */
    int qkey();

    /**
     * Sends a copy. Does not allocate if it went to that GID before and not to too many others since.
     *
     * @param gidHigh first half of the GID.
     * @param gidLow  second half.
     * @param qpn     queue pair there.
     * @param qkey    its queue key.
     * @param message on the heap or not.
     * @param offset  first byte.
     * @param length  bytes, 0 to {@link #MAX_MESSAGE}.
     * @return 0; -FI_EAGAIN if no room is left: poll, and try again; -FI_EMSGSIZE, -FI_EINVAL for arguments that make
     *         no sense; -FI_ENOMEM if the device has no way to one more GID; -FI_EHOSTUNREACH if nobody has that;
     *         -FI_EIO if it failed; -FI_EBADFD if closed.
     */
    int send(long gidHigh, long gidLow, int qpn, int qkey, DirectBuffer message, int offset, int length);

    /**
     * Takes what arrived, and notes what was sent. Does not allocate.
     *
     * @param handler told of each datagram; it may send.
     * @param limit   completions to look at, above 0.
     * @return completions that were looked at; -FI_EIO if the device failed, -FI_EBADFD if closed, -FI_EINVAL.
     */
    int poll(UdHandler handler, int limit);

    /**
     * Where to wait for completions, without polling.
     *
     * @return null where nobody can wait.
     */
    default CompletionQueue events() {
        return null;
    }

    /** Closes it. Harmless when called again. */
    @Override
    void close();
}
