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

    private final ShmFolder folder;
    private final int ringSize;
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
    private final ShmPeers peers;
    private volatile ShmLane[] lanes = {};
    private volatile boolean closed;
    /** Nonce of the last ring that was offered: they count upwards, so a reader knows the later one of two. */
    private long lastRing = ShmFolder.random();
    private long folderSeen = -1;
    private int looks;

    /** The thread's that polls, from here on. */
    private final ShmInlets inlets;
    private final ShmOffers offers;
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
        this.shared = shared;
        this.own = own;
        peers = new ShmPeers(folder);
        inlets = new ShmInlets(own.address());
        offers = new ShmOffers(folder, homes, peers, inlets, follows, this::refuse);
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
            final ShmPeer peer = home == null ? null : peers.find(dest);
            if (peer == null) {
                return null;
            }
            undo.add(() -> peers.forgetIfUnused(peer));
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
        return lanes.length == 0 && (closed || inbox.knocks() == knocksSeen && !offers.isLeftOver())
            && inlets.size() == 0;
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
        if (offers.isLeftOver() || inbox.knocks() != knocksSeen) {
            lookedAt = System.nanoTime();
            look(true);
        }
        offers.skipLeftOver();
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
        if (knocks != knocksSeen || time != folderSeen || offers.isLeftOver()) {
            folderSeen = System.currentTimeMillis() - time < CLOCK_MILLIS ? -1 : time;
            if (missed) {
                // Whoever is still missed is missed anew.
                missed = false;
                epoch.incrementAndGet();
            }
            offers.takeAll();
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
                peers.dispose(lane);
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
                peers.dispose(inlets.remove(i));
            }
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
                cleanup.run(() -> peers.dispose(lane));
            }
            lanes = new ShmLane[0];
            for (int i = 0; i < inlets.size(); i++) {
                final ShmInlet inlet = inlets.get(i);
                cleanup.run(() -> peers.dispose(inlet));
            }
            inlets.clear();
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
