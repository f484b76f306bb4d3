/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/** Another RDM endpoint, by its address: there is one object for it as long as there is, or will be, a link. */
public final class Peer {
    private final PeerId id;
    private Object attachment;
    /** Being made from here. */
    private Attempt dial;
    /** Being made from there. */
    private Attempt half;
    private Link link;
    /** The other end, where the peer is this endpoint itself. */
    private Link loop;
    private ConnectIds ids;
    /** Until when this side waits for what comes of the peer's dialing; null if it wants no link. */
    private Term wanted;
    private boolean isBusy;

    Peer(final PeerId id) {
        this.id = id;
    }

    /**
     * Which endpoint it is.
     *
     * @return the same as long as there is this object.
     */
    public PeerId id() {
        return id;
    }

    /**
     * The link to it.
     *
     * @return null if none is established.
     */
    public Link link() {
        return link;
    }

    /**
     * What the owner of the links keeps here.
     *
     * @return null if nothing was kept.
     */
    public Object attachment() {
        return attachment;
    }

    /**
     * Keeps something of the owner's.
     *
     * @param object may be null.
     */
    public void attachment(final Object object) {
        attachment = object;
    }

    Attempt dial() {
        return dial;
    }

    void dial(final Attempt attempt) {
        dial = attempt;
    }

    Attempt half() {
        return half;
    }

    void half(final Attempt attempt) {
        half = attempt;
    }

    /** Of the link, as this side says them; null without one. */
    ConnectIds ids() {
        return ids;
    }

    void link(final Link established, final ConnectIds which) {
        link = established;
        ids = which;
    }

    Link loop() {
        return loop;
    }

    void loop(final Link end) {
        loop = end;
    }

    /** This side wants a link too: for how long it waits for the peer's; null for not. */
    Term wanted() {
        return wanted;
    }

    void wanted(final Term term) {
        wanted = term;
    }

    boolean isMaking() {
        return dial != null || half != null;
    }

    boolean isForgotten() {
        return link == null && loop == null && !isMaking();
    }

    /** Whether it is in the broker's list of those with timers. */
    boolean isBusy() {
        return isBusy;
    }

    void busy(final boolean value) {
        isBusy = value;
    }

    @Override
    public String toString() {
        return "peer " + id + (link == null ? "" : ", linked") + (dial == null ? "" : ", dialing")
            + (half == null ? "" : ", half-open");
    }
}
