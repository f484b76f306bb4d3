/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.state.SealedMemory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Takes frames to other processes of this user on this host, through rings in shared memory: one for each pair of GIDs
 * and direction, so that whoever writes garbage costs itself its ring. Nothing is lost, repeated or reordered, as long
 * as both ends live. See {@link ShmFolder} for how they find each other, {@link ShmRing} for what they share, and
 * {@link ShmInbox} for how they wake each other.
 *
 * <p>Who is seen when: a new peer at once, by its knock; a dead one within 50 ms of polling. Memory of others is
 * unmapped by the thread that polls, between two frames, and by {@link #close}; so nobody reads what is not mapped.
 */
public final class ShmCarrier implements Carrier {
    /** Bytes of data in each ring unless told otherwise: 60 frames of 4 KiB, and both ends fit into a level-2 cache. */
    public static final int USUAL_RING = 256 * 1024;

    /** IBV_MTU_4096. */
    private static final int MTU = 5;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Whoever knocks all the time is heard as often as this. */
    private static final long KNOCK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /** The folder's time stands still for as long as this, also while files come. */
    private static final long CLOCK_MILLIS = 50;
    /** Of so many looks one is into the folder, which makes garbage. */
    private static final int FOLDER_LOOKS = 8;
    private static final long MOST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int BUSY_LOOKS = 63;
    /** Rings from peers; each takes mappings, of which a process has some 65,000. */
    private static final int MAX_INLETS = 1024;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;

    private final ShmFolder folder;
    private final int ringSize;
    /** Whether references of peers are followed. */
    private final boolean follows;
    /** The file in which this process shares its memory; below 0 if it does not. */
    private final IntSupplier shared;
    private final long nonce = ShmFolder.random();
    private final int pid = (int) ProcessHandle.current().pid();
    private final ShmInbox inbox;
    private final MappedMemory own;
    private final AtomicInteger epoch = new AtomicInteger();
    private final AtomicBoolean woken = new AtomicBoolean();
    private final AtomicLong brokenRings = new AtomicLong();
    private final AtomicLong lostPeers = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();
    private volatile String lastRefusal = "";

    /** Of what follows; also of all files. */
    private final Object control = new Object();
    private final Map<Gid, ShmFolder.Opened> homes = new HashMap<>();
    private final Map<Gid, ShmPeer> peers = new HashMap<>();
    private volatile ShmLane[] lanes = {};
    private volatile boolean closed;
    /** Nonce of the last ring that was offered: they count upwards, so a reader knows the later one of two. */
    private long lastRing = ShmFolder.random();
    private long folderSeen = -1;
    /** The folder has something that was not taken for a lack of files or memory. */
    private volatile boolean leftOver;
    /** It was sought in vain: what lies in it by the time that it is taken is of before. */
    private boolean skips;
    private int looks;

    /** The thread's that polls, from here on. */
    private final ShmInlets inlets;
    private int polls;
    private volatile int knocksSeen;
    private long lookedAt = System.nanoTime() - LOOK_NANOS;
    /** Set by others: there is something to clean up. */
    private volatile boolean changed;
    /** Set by others: somebody was not there who may come. */
    private volatile boolean missed;

    private ShmCarrier(final ShmFolder folder, final int ringSize, final boolean follows, final IntSupplier shared,
        final MappedMemory own) {
        this.folder = folder;
        this.ringSize = ringSize;
        this.follows = follows;
        this.shared = shared;
        this.own = own;
        inlets = new ShmInlets(own.address());
        inbox = ShmInbox.create(nonce);
    }

    /**
     * Opens one without any GID, with rings of {@link #USUAL_RING}.
     *
     * @param follows whether frames of peers may be longer than {@link #maxFrame}, as they refer to their payload
     * @param shared  gives the file in which this process shares its memory, to which its own frames may refer; a
     *                number below 0 as long as there is none
     * @return the carrier
     * @throws RdmaException EACCES if there is no folder that this user alone can write to; EOPNOTSUPP where there is
     *                       no Linux
     */
    public static ShmCarrier open(final boolean follows, final IntSupplier shared) {
        return open(ShmFolder.prepare(), USUAL_RING, follows, shared);
    }

    /**
     * Opens one without any GID, whose frames carry everything.
     *
     * @param ringBytes bytes of data in each ring that it writes, a power of two from 64 KiB to 16 MiB
     * @return the carrier
     * @throws RdmaException as {@link #open(boolean, IntSupplier)}; EINVAL for another size
     */
    public static ShmCarrier open(final int ringBytes) {
        return open(ShmFolder.prepare(), ringBytes);
    }

    static ShmCarrier open(final ShmFolder folder, final int ringBytes) {
        return open(folder, ringBytes, false, () -> -1);
    }

    static ShmCarrier open(final ShmFolder folder, final int ringBytes, final boolean follows,
        final IntSupplier shared) {
        if (!ShmRing.isSize(ringBytes)) {
            throw RdmaException.of("open shared-memory carrier").detail("ring of %d bytes", ringBytes)
                .errno(RdmaException.EINVAL).hint("use a power of two from %d to %d", ShmRing.LEAST_DATA,
                    ShmRing.MOST_DATA).build();
        }
        try (Undo undo = new Undo()) {
            final MappedMemory own = MappedMemory.anonymous(ShmInlet.SMALL);
            undo.add(own::close);
            final ShmCarrier opened = new ShmCarrier(folder, ringBytes, follows, shared, own);
            undo.forget();
            return opened;
        }
    }

    @Override
    public int mtu() {
        return MTU;
    }

    @Override
    public int maxFrame() {
        return ShmRing.MAX_FRAME;
    }

    @Override
    public boolean bind(final Gid gid) {
        if (gid.high() == 0 && gid.low() == 0) {
            return false;
        }
        synchronized (control) {
            requireOpen("bind");
            if (!homes.containsKey(gid)) {
                folder.sweep();
                homes.put(gid, folder.claim(
                    new ShmFolder.Owner(gid, ShmFolder.random(), pid, inbox.descriptor(), nonce)));
                epoch.incrementAndGet();
            }
            return true;
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw RdmaException.of(operation).detail("the carrier is closed").errno(RdmaException.EBADFD).build();
        }
    }

    @Override
    public void unbind(final Gid gid) {
        try {
            leave(gid);
        } finally {
            wakeUp();
        }
    }

    private void leave(final Gid gid) {
        synchronized (control) {
            final ShmFolder.Opened home = homes.remove(gid);
            if (home == null) {
                return;
            }
            for (final ShmLane lane : lanes) {
                if (lane.source().equals(gid)) {
                    lane.shut();
                }
            }
            epoch.incrementAndGet();
            changed = true;
            folder.release(home);
        }
    }

    @Override
    public Lane lane(final Gid source, final Gid dest) {
        final ShmLane known = find(source, dest);
        if (known != null) {
            return known;
        }
        synchronized (control) {
            requireOpen("find a peer");
            final ShmLane made = find(source, dest);
            return made != null ? made : connect(source, dest);
        }
    }

    private ShmLane find(final Gid source, final Gid dest) {
        for (final ShmLane lane : lanes) {
            if (lane.connects(source, dest) && lane.isOpen()) {
                return lane;
            }
        }
        return null;
    }

    private ShmLane connect(final Gid source, final Gid dest) {
        try (Undo undo = new Undo()) {
            final ShmFolder.Opened home = homes.get(source);
            final ShmPeer peer = home == null ? null : peer(dest);
            if (peer == null) {
                return null;
            }
            undo.add(() -> forgetIfUnused(peer));
            final ShmRing.Title title = new ShmRing.Title(++lastRing, source, home.owner().life(), dest,
                peer.owner().life());
            final SealedMemory memory = SealedMemory.create("rdma4j-ring", ShmRing.DATA_OFFSET + ringSize);
            undo.add(memory::close);
            title.write(memory.address(), ringSize);
            ShmRing.shareBy(memory.address(), shared.getAsInt());
            final Path offer = folder.offer(title, memory.descriptor());
            final ShmLane lane = new ShmLane(title, peer, memory, ringSize, offer);
            undo.forget();
            final ShmLane[] more = Arrays.copyOf(lanes, lanes.length + 1);
            more[lanes.length] = lane;
            // Before anybody sends by it: whoever seeks what was sent knows of it.
            peer.inbox().knock();
            lanes = more;
            // Whoever sleeps because nobody was there looks after this peer from now on.
            wakeUp();
            return lane;
        } catch (final IOException | RdmaException e) {
            // No room for a ring, or no descriptor for it: nothing that whoever sends can mend.
            refuse(e.getMessage());
            return null;
        }
    }

    /** One that lives; null if there is none. Whoever does not use it then, forgets it. */
    private ShmPeer peer(final Gid gid) throws IOException {
        final ShmPeer known = peers.get(gid);
        if (known != null && !known.isGone()) {
            return known;
        }
        final ShmPeer found = ShmPeer.find(folder, gid);
        if (found != null) {
            peers.put(gid, found);
        }
        return found;
    }

    private void forgetIfUnused(final ShmPeer peer) {
        peer.use();
        release(peer);
    }

    private void release(final ShmPeer peer) {
        if (peer.isLastUser()) {
            peers.remove(peer.owner().gid(), peer);
        }
        peer.release();
    }

    private void refuse(final String why) {
        refusals.incrementAndGet();
        lastRefusal = why;
    }

    @Override
    public boolean reaches(final Gid dest) {
        try {
            // Who came between the look and the note of it is met by a second look: the poller may have seen it before.
            return folder.isTaken(dest) || miss() && folder.isTaken(dest);
        } catch (final IOException e) {
            refuse(e.getMessage()); // It says why to whoever asks why nobody is reached.
            return false;
        }
    }

    /** Somebody is not there; false if that was noted before. */
    private boolean miss() {
        if (missed) {
            return false;
        }
        missed = true;
        // Any thread asks, also one that meets the end, when the memory of what is woken goes.
        synchronized (control) {
            wakeUp();
        }
        return true;
    }

    /** No peer and no ring, nor one on offer. What {@link #lookIntoFolder} writes last is read first. */
    @Override
    public boolean isLonely() {
        return lanes.length == 0 && (closed || inbox.knocks() == knocksSeen && !leftOver) && inlets.size() == 0;
    }

    @Override
    public boolean isOrdered() {
        return true;
    }

    @Override
    public int epoch() {
        return epoch.get();
    }

    @Override
    public int poll(final FrameReceiver receiver, final int limit) {
        if (changed || inbox.knocks() != knocksSeen) {
            lookIfDue(KNOCK_NANOS);
        }
        final int taken = inlets.poll(receiver, limit);
        if (inlets.sawEnd()) {
            changed = true;
        }
        if (taken == 0 || (++polls & BUSY_LOOKS) == 0) {
            lookIfDue(LOOK_NANOS);
        }
        return taken;
    }

    @Override
    public boolean hasMore() {
        return inlets.hasFrame();
    }

    @Override
    public void seek() {
        if (leftOver || inbox.knocks() != knocksSeen) {
            lookedAt = System.nanoTime();
            look(true);
        }
        skips = leftOver;
    }

    private void lookIfDue(final long nanos) {
        final long now = System.nanoTime();
        if (now - lookedAt >= nanos) {
            lookedAt = now;
            look(false);
        }
    }

    /** Sees who has gone and who has come. By the thread that polls. */
    private void look(final boolean seeks) {
        synchronized (control) {
            if (closed) {
                return;
            }
            looks++;
            changed = false;
            dropLanes();
            dropInlets();
            final int knocks = inbox.knocks();
            // Whoever offers something knocks; a knock that was lost costs some looks.
            if (seeks || knocks != knocksSeen || missed || looks % FOLDER_LOOKS == 0) {
                lookIntoFolder(knocks);
            }
        }
    }

    private void lookIntoFolder(final int knocks) {
        final long time = folder.changed();
        if (knocks != knocksSeen || time != folderSeen || leftOver) {
            folderSeen = System.currentTimeMillis() - time < CLOCK_MILLIS ? -1 : time;
            leftOver = scan();
            skips &= leftOver;
            knocksSeen = knocks;
        }
    }

    private void dropLanes() {
        for (final ShmLane lane : lanes) {
            final boolean lost = lane.peer().isGone(looks);
            if (lost || !lane.isOpen()) {
                if (lost) {
                    lostPeers.incrementAndGet();
                }
                lanes = Arrays.stream(lanes).filter(other -> other != lane).toArray(ShmLane[]::new);
                epoch.incrementAndGet();
                new Cleanup().run(lane::dispose).run(() -> release(lane.peer())).throwIfFailed();
            }
        }
    }

    /** What a dead peer sent is taken first. */
    private void dropInlets() {
        for (int i = inlets.size() - 1; i >= 0; i--) {
            final ShmInlet inlet = inlets.get(i);
            if (inlet.isBroken()) {
                brokenRings.incrementAndGet();
                refuse("garbage in the " + inlet);
            }
            if (inlet.isBroken() || inlet.hasEnded() || !homes.containsValue(inlet.home())
                || inlet.peer().isGone(looks) && inlet.isDrained()) {
                drop(i);
            }
        }
    }

    private void drop(final int index) {
        final ShmInlet inlet = inlets.get(index);
        inlets.remove(index);
        new Cleanup().run(inlet::dispose).run(() -> release(inlet.peer())).throwIfFailed();
    }

    /** Returns whether something is left over. */
    private boolean scan() {
        boolean ranShort = false;
        // Whoever is still missed is missed anew.
        if (missed) {
            missed = false;
            epoch.incrementAndGet();
        }
        try {
            for (final Path file : folder.files()) {
                final ShmFolder.Offer offer = ShmFolder.Offer.of(file);
                if (offer != null && homes.containsKey(offer.dest())) {
                    ranShort |= !tryAccept(offer);
                }
            }
            return ranShort;
        } catch (final IOException e) {
            refuse(e.getMessage());
            return true;
        }
    }

    /** An offer is made once: one that was not taken because something ran short stays there. False if so. */
    private boolean tryAccept(final ShmFolder.Offer offer) {
        try {
            accept(offer);
        } catch (final IOException e) {
            refuse(e.getMessage());
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
        final ShmPeer peer = peer(offer.source());
        if (peer == null) {
            return; // It ended since.
        }
        try (Undo undo = new Undo()) {
            undo.add(() -> forgetIfUnused(peer));
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
                drop(before); // Its writer has given it up: it has one ring for a peer.
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
            refuse(e.getMessage());
            return null;
        }
    }

    @Override
    public void flush() {
        // A frame is seen when it is committed.
    }

    @Override
    public void await(final long nanos) {
        final long begin = System.nanoTime();
        final long most = Math.min(nanos, MOST_NANOS);
        final int before = epoch.get();
        while (!woken.getAndSet(false)) {
            lookIfDue(changed ? 0 : inbox.knocks() != knocksSeen ? KNOCK_NANOS : LOOK_NANOS);
            final long left = most - (System.nanoTime() - begin);
            if (left <= 0 || epoch.get() != before || sleep(left)) {
                return;
            }
        }
    }

    private long untilLook() {
        if (inbox.knocks() != knocksSeen) {
            return Math.max(1, KNOCK_NANOS - (System.nanoTime() - lookedAt));
        }
        return isLonely() && !missed ? MOST_NANOS : LOOK_NANOS;
    }

    /** Returns whether there is something to do. */
    private boolean sleep(final long nanos) {
        inbox.announceSleep();
        // Who knocked before that was said does not wake it: the time until the next look is known only now.
        final boolean found = isBusy() || inbox.sleep(Math.min(nanos, untilLook()));
        inbox.endSleep();
        return found;
    }

    /** After it was said that this one sleeps: what came before may not wake it. */
    private boolean isBusy() {
        if (woken.get() || changed || inbox.knocks() != knocksSeen && System.nanoTime() - lookedAt >= KNOCK_NANOS) {
            return true;
        }
        if (inlets.hasSome()) {
            return true;
        }
        for (final ShmLane lane : lanes) {
            if (lane.mayHaveRoom()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void withdraw() {
        for (final ShmLane lane : lanes) {
            lane.withdraw();
        }
    }

    @Override
    public void wakeUp() {
        woken.set(true);
        if (!closed) {
            inbox.wake();
        }
    }

    /**
     * {@return rings of peers that were closed because there was garbage in them}
     */
    public long brokenRings() {
        return brokenRings.get();
    }

    /**
     * {@return lanes that ended because the peer did}
     */
    public long lostPeers() {
        return lostPeers.get();
    }

    /**
     * {@return how often something in the folder, or behind it, was not what it should be}
     */
    public long refusals() {
        return refusals.get();
    }

    @Override
    public void close() {
        synchronized (control) {
            if (closed) {
                return;
            }
            closed = true;
            final Cleanup cleanup = new Cleanup();
            homes.values().forEach(home -> cleanup.run(() -> folder.release(home)));
            homes.clear();
            for (final ShmLane lane : lanes) {
                cleanup.run(lane::dispose).run(() -> release(lane.peer()));
            }
            lanes = new ShmLane[0];
            for (int i = 0; i < inlets.size(); i++) {
                final ShmInlet inlet = inlets.get(i);
                cleanup.run(inlet::dispose).run(() -> release(inlet.peer()));
            }
            inlets.clear();
            peers.clear();
            epoch.incrementAndGet();
            cleanup.run(inbox::close).run(own::close).throwIfFailed();
        }
    }

    @Override
    public String toString() {
        synchronized (control) {
            return "shared-memory carrier in " + folder + ", GIDs " + homes.keySet() + ", lanes "
                + Arrays.toString(lanes) + ", " + inlets.size() + " rings from peers, " + brokenRings + " broken, "
                + lostPeers + " peers lost, " + refusals + " refused"
                + (lastRefusal.isEmpty() ? "" : ", the last one: " + lastRefusal);
        }
    }
}
