/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.state.SealedMemory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What peers offer in the folder: takes their rings among the {@link ShmInlets}. By the thread that polls, under the
 * lock of the carrier.
 */
final class ShmOffers {
    /** Rings from peers; each takes mappings, of which a process has some 65,000. */
    private static final int MAX_INLETS = 1024;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;

    private final ShmFolder folder;
    private final Map<Gid, ShmFolder.Opened> homes;
    private final ShmPeers peers;
    private final ShmInlets inlets;
    private final boolean follows;
    private final Consumer<String> refusals;
    /** The folder has something that was not taken for a lack of files or memory. */
    private volatile boolean leftOver;
    /** It was sought in vain: what lies in it by the time that it is taken is of before. */
    private boolean skips;

    /**
     * With what the carrier has.
     *
     * @param folder   where they are
     * @param homes    whom they are for, also those that come
     * @param peers    whom they are from
     * @param inlets   where they go
     * @param follows  whether references of peers are followed
     * @param refusals takes the reason why one is not taken
     */
    ShmOffers(final ShmFolder folder, final Map<Gid, ShmFolder.Opened> homes, final ShmPeers peers,
        final ShmInlets inlets, final boolean follows, final Consumer<String> refusals) {
        this.folder = folder;
        this.homes = homes;
        this.peers = peers;
        this.inlets = inlets;
        this.follows = follows;
        this.refusals = refusals;
    }

    /** Whether one could not be taken that may be later. For any thread. */
    boolean isLeftOver() {
        return leftOver;
    }

    /** Who sought what was sent does not wait for what is left over. */
    void skipLeftOver() {
        skips = leftOver;
    }

    void takeAll() {
        leftOver = scan();
        skips &= leftOver;
    }

    private boolean scan() {
        boolean ranShort = false;
        try {
            for (final Path file : folder.files()) {
                final ShmFolder.Offer offer = ShmFolder.Offer.of(file);
                if (offer != null && homes.containsKey(offer.dest())) {
                    ranShort |= !tryAccept(offer);
                }
            }
            return ranShort;
        } catch (final IOException e) {
            refusals.accept(e.getMessage());
            return true;
        }
    }

    /** An offer is made once: one that was not taken because something ran short stays there. False if so. */
    private boolean tryAccept(final ShmFolder.Offer offer) {
        try {
            accept(offer);
        } catch (final IOException e) {
            refusals.accept(e.getMessage());
            if (e instanceof Full || e.getCause() instanceof RdmaException cause && isShortage(cause.errno())) {
                return false;
            }
        }
        ShmFolder.remove(offer.file());
        return true;
    }

    /** There are as many rings as there may be: some day there may be less. */
    private static final class Full extends IOException {
        private static final long serialVersionUID = 1;

        Full(final String message) {
            super(message);
        }
    }

    private static boolean isShortage(final int errno) {
        return errno == EMFILE || errno == ENFILE || errno == RdmaException.ENOMEM;
    }

    private void accept(final ShmFolder.Offer offer) throws IOException {
        final ShmPeer peer = peers.find(offer.source());
        if (peer == null) {
            return; // It ended since.
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> peers.forgetIfUnused(peer));
            final ShmFolder.Opened home = homes.get(offer.dest());
            final int before = inlets.find(peer, home);
            requireNew(offer, before);
            final SealedMemory memory = SealedMemory.open(peer.owner().pid(), offer.descriptor(),
                ShmRing.DATA_OFFSET + ShmRing.LEAST_DATA, ShmRing.DATA_OFFSET + ShmRing.MOST_DATA);
            undo.add(memory::close);
            final ShmRing.Title title = new ShmRing.Title(offer.nonce(), offer.source(), peer.owner().life(),
                offer.dest(), home.owner().life());
            if (!title.isAt(memory.address(), memory.length())) {
                throw new IOException("descriptor " + offer.descriptor() + " of process " + peer.owner().pid()
                    + " is not the ring that it offers");
            }
            final ShmInlet inlet = new ShmInlet(title, home, peer, memory, sharedBy(peer, memory));
            undo.forget();
            if (skips) {
                inlet.skip();
            }
            if (before >= 0) {
                peers.dispose(inlets.remove(before)); // Its writer has given it up: it has one ring for a peer.
            }
            inlets.add(inlet);
        }
    }

    /**
     * Whoever offers the same again and again would have this process run out of mappings. One that its writer has
     * given up may still be offered beside the next one, and files come in any order.
     */
    private void requireNew(final ShmFolder.Offer offer, final int before) throws IOException {
        if (before < 0 && inlets.size() == MAX_INLETS) {
            throw new Full("there are " + MAX_INLETS + " rings from peers already");
        }
        if (before >= 0 && inlets.get(before).nonce() - offer.nonce() >= 0) {
            throw new IOException("there is the " + inlets.get(before) + ", which was offered later, or is the same");
        }
    }

    /** Null if it shares nothing that can be read here; then its frames carry everything. */
    private PeerMemory sharedBy(final ShmPeer peer, final SealedMemory ring) {
        final int descriptor = ShmRing.sharedBy(ring.address());
        try {
            return follows && descriptor >= 0 ? PeerMemory.open(peer.owner().pid(), descriptor) : null;
        } catch (final IOException e) {
            refusals.accept(e.getMessage());
            return null;
        }
    }
}
