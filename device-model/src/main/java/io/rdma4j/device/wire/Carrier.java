/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.util.List;

/**
 * Takes frames to other processes and hosts, and brings theirs. A frame is one packet of the transport: from
 * {@link io.rdma4j.hw.roce.Bth} to the pad, a multiple of 4 bytes. The headers of the network in front of it and the
 * check sum behind it are the carrier's.
 *
 * <p>A carrier may lose, repeat and reorder frames, but does not change them. Nobody is trusted: what comes from a peer
 * is a frame of a proper length, and nothing else is promised.
 *
 * <p>{@link #poll} is called by one thread at a time; the rest by any thread. Nothing on the data path allocates.
 */
public interface Carrier extends AutoCloseable {
    /** Bytes that a frame may {@linkplain Lane#claimReference refer to}. */
    int MAX_REFERENCE = 128 * 1024;

    /**
     * {@return the most bytes of payload that a frame may have here, as the number that stands for a path MTU: 1 for
     * 256, 5 for 4096}
     */
    int mtu();

    /**
     * {@return bytes of the longest frame that it takes}
     */
    int maxFrame();

    /**
     * {@return the GIDs that can be bound here, the usual one first; empty if any can}
     */
    default List<Gid> gids() {
        return List.of();
    }

    /**
     * Makes the device known under a GID of its own. Until then nothing comes for it.
     *
     * @param gid which
     * @return false if this carrier has no way for such a GID: it is not one of its addresses
     * @throws io.rdma4j.RdmaException EADDRINUSE if somebody else has it
     */
    boolean bind(Gid gid);

    /**
     * Takes a GID back; harmless if it was not bound.
     *
     * @param gid which
     */
    void unbind(Gid gid);

    /**
     * The way to a peer. Asked once for a connection, and for a datagram whenever the peer is another one than last
     * time; so it is quick for a peer that is known, but it may make files or sockets for another one.
     *
     * @param source a GID of this device that was bound
     * @param dest   GID of the peer
     * @return the way, the same one each time; null if nobody can be reached there
     */
    Lane lane(Gid source, Gid dest);

    /**
     * Whether somebody may have that GID, as far as it can be known without sending anything.
     *
     * @param dest GID of the peer
     * @return false if nobody has it
     */
    boolean reaches(Gid dest);

    /**
     * {@return whether a frame arrives at most once, and never behind one that was sent later by the same lane}
     */
    default boolean isOrdered() {
        return false;
    }

    /**
     * {@return a number that changes whenever {@link #lane} may have another answer, or a lane has closed}
     */
    int epoch();

    /**
     * {@return whether nobody else is known, so that {@link #await} may last: whoever comes ends it}
     */
    default boolean isLonely() {
        return false;
    }

    /**
     * Takes frames that have come, and makes room for frames to go if others could not go.
     *
     * @param receiver of each
     * @param limit    how many at most
     * @return how many there were
     */
    int poll(FrameReceiver receiver, int limit);

    /**
     * Whether frames lie here though the last {@link #poll} took none, as it does not look everywhere each time. Called
     * by who polls.
     *
     * @return false if none had come before that poll
     */
    default boolean hasMore() {
        return false;
    }

    /**
     * Has {@link #hasMore} and {@link #poll} know of all that was sent until now, also by peers that nobody has heard
     * of; what cannot be had now does not come later. Called by who polls.
     */
    default void seek() {
        // They do anyway.
    }

    /**
     * Sends what was committed, as far as it has not gone by itself.
     */
    void flush();

    /**
     * Waits until a frame may have come, somebody calls {@link #wakeUp}, or the time is over. Called by the thread that
     * polls, when there was nothing.
     *
     * @param nanos at most
     */
    void await(long nanos);

    /**
     * Takes back all references that peers have not followed to the end. When this returns, payload that is changed
     * counts for nothing where it is read; what was referred to has to be sent again. Locks of queues may be held.
     */
    default void withdraw() {
        // There are none.
    }

    /** Has the thread in {@link #await}, or the next one, come back at once. */
    void wakeUp();

    /** Takes back all GIDs, and gives back files, memory and sockets. Called when nobody polls or sends any more. */
    @Override
    void close();
}
