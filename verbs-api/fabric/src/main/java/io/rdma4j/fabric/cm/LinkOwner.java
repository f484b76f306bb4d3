/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/**
 * What a {@link LinkBroker} makes links for. Called by the thread that calls the broker, out of its calls; may call the
 * broker back.
 */
public interface LinkOwner {
    /**
     * Makes one end of a link, with its receives posted: the first message may come as soon as it is connected.
     *
     * @param peer whom it will lead to; it may have an older link, or a second one that is just coming about.
     * @return the end. The broker closes it if nothing comes of it; it is the owner's from
     *         {@link #established} on.
     * @throws io.rdma4j.fabric.FabricException if there is no room: the peer is told to try again later.
     */
    Link openLink(Peer peer);

    /**
     * A peer that there is no link with, and none being made, asks for one.
     *
     * @param id   the peer.
     * @param told what it says of itself, not to be trusted; as the peer's {@link LinkBroker#tell}.
     * @return false to leave it without an answer for now: it asks again.
     */
    boolean mayAnswer(PeerId id, byte[] told);

    /**
     * A link is there.
     *
     * @param peer      whom it leads to.
     * @param link      of {@link #openLink}; the owner closes it.
     * @param initiator true at the side that has to send the first message, at once; false at the side that got it.
     */
    void established(Peer peer, Link link, boolean initiator);

    /**
     * Dialing failed.
     *
     * @param peer  whom.
     * @param errno FI_ETIMEDOUT if it did not answer, FI_EHOSTUNREACH if nobody has its GID, FI_ECONNREFUSED for
     *              another authorization key, another kind of endpoint or another version, FI_ENOMEM if no link could
     *              be made.
     */
    void failed(Peer peer, int errno);

    /**
     * The peer began anew: what the owner has of it is void. {@link #established} with the new link follows at once.
     * The owner closes the old link.
     *
     * @param peer whose link it was.
     */
    void replaced(Peer peer);

    /**
     * The peer ended its link, or itself. What it sent before may still be in the link's queue. The owner closes the
     * link.
     *
     * @param peer whose link it was.
     */
    void ended(Peer peer);
}
