/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Destroys what a journal lists. Whoever made it, it is nobody's: a device has one owner at a time. So a handle that
 * the device does not know, or that was only guessed, does no harm.
 */
final class Leftovers {
    /** How many handles are tried for an object of which only the kind is known. */
    static final int GUESSES = 16;
    private static final System.Logger LOG = System.getLogger(Leftovers.class.getPackageName());
    /** Completions of the QPs that were destroyed reach their CQs within this time. */
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** QEMU forgets these while a QP uses them, and the device behind it keeps them. */
    private static final Set<ObjectKind> USED_BY_QPS = EnumSet.of(ObjectKind.SRQ, ObjectKind.CQ, ObjectKind.PD);

    private final Journal journal;
    private final CommandChannel channel;
    private final Bar uar;
    private final DriverCounters counters;
    private final Object deviceName;
    /** What a QP may use of which nobody knows the number. */
    private final List<Journal.Entry> postponed = new ArrayList<>();

    Leftovers(
        final Journal journal, final CommandChannel channel, final Bar uar, final DriverCounters counters,
        final Object deviceName) {
        this.journal = journal;
        this.channel = channel;
        this.uar = uar;
        this.counters = counters;
        this.deviceName = deviceName;
    }

    /**
     * Destroys what an earlier process left, before this one makes anything. If that was in the middle of the first
     * creation of a QP, nobody knows near which number this one is: then what it may use stays until
     * {@link #firstQpMade}.
     *
     * @return whether a first QP of this process is to be told.
     * @throws RdmaException if the device does not answer any more; what is left stays listed.
     */
    boolean destroyOfOthers() {
        final ObjectKind underWay = journal.underWay();
        final int found = journal.size();
        if (found == 0 && underWay == null) {
            return false;
        }
        final boolean lost = underWay == ObjectKind.QP && journal.lastQp() < 0;
        final long before = counters.leftoversDestroyed.get();
        counters.leftoversFound.getAndAdd(found);
        counters.leftoversGuessed.getAndAdd(underWay == null ? 0 : 1);
        final List<Journal.Entry> guesses = guesses(underWay);
        for (final ObjectKind kind : ObjectKind.values()) {
            final List<Journal.Entry> listed = journal.entries(kind);
            if (lost && USED_BY_QPS.contains(kind)) {
                postponed.addAll(listed);
                continue;
            }
            listed.forEach(this::destroyOrForget);
            if (kind == underWay) {
                guesses.forEach(this::tryToDestroy);
            }
            if (kind == ObjectKind.QP && (kind == underWay || !listed.isEmpty())) {
                settle(journal.entries(ObjectKind.CQ));
            }
        }
        journal.forgetUnderWay();
        LOG.log(System.Logger.Level.INFO, String.format(
            "%s: %s left %d objects in the device%s; %d of them were there and are destroyed%s", deviceName,
            journal.origin(), found, underWay == null ? "" : " and was about to make a " + underWay,
            counters.leftoversDestroyed.get() - before,
            lost ? ", " + postponed.size() + " wait for the first QP: the lost one has a number below" : ""));
        return lost;
    }

    /**
     * The device behind the device counts QPs upwards: one that was lost is some numbers below the first of this
     * process, which has no other QP yet. What that QP may use has been made, and a device that was started anew since
     * has lost what was listed and gives the same handles out again: who has one now keeps it.
     *
     * @param handle of that one.
     * @throws RdmaException if the device does not answer any more.
     */
    void firstQpMade(final int handle) {
        for (int i = 1; i <= GUESSES && i <= handle; i++) {
            tryToDestroy(new Journal.Entry(ObjectKind.QP, handle - i));
        }
        settle(postponed.stream().filter(entry -> entry.kind() == ObjectKind.CQ && journal.isFormer(entry)).toList());
        // Another thread may be about to be given the handle.
        postponed.forEach(entry -> channel.alone(() -> destroyFormer(entry)));
        postponed.clear();
    }

    /** Forgets what an earlier process left, because the function was reset since: nothing of it is in the device. */
    void forgetOfOthers() {
        final int found = journal.size();
        counters.leftoversFound.getAndAdd(found);
        for (final ObjectKind kind : ObjectKind.values()) {
            journal.entries(kind).forEach(journal::drop);
        }
        journal.forgetUnderWay();
        if (found > 0) {
            LOG.log(System.Logger.Level.INFO, String.format(
                "%s: %s left %d objects in the device; they ended when the function was reset", deviceName,
                journal.origin(), found));
        }
    }

    /**
     * No completion may be under way when a CQ is destroyed: QEMU frees the ring before it stops to fill it. Without
     * QPs no new ones come about; its own thread delivers most of those that there are, and a POLL all that are left,
     * before it returns.
     */
    private void settle(final List<Journal.Entry> cqs) {
        Pause.nanos(SETTLE_NANOS);
        cqs.forEach(cq -> uar.writeInt(Uar.CQ_OFFSET, Uar.cqPoll(cq.handle())));
    }

    /**
     * Destroys what the tables of this process do not know, at its end. What the device keeps nevertheless stays listed
     * for the next one who opens it.
     */
    void destroyOwn() {
        try {
            for (final ObjectKind kind : ObjectKind.values()) {
                final List<Journal.Entry> listed = journal.entries(kind);
                listed.forEach(this::tryToDestroy);
                if (kind == ObjectKind.QP && !listed.isEmpty()) {
                    settle(journal.entries(ObjectKind.CQ));
                }
            }
        } catch (final RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "the rest stays listed: asking a device that does not listen, or that"
                + " failed and refuses, might take long", e);
        }
    }

    private void destroyFormer(final Journal.Entry entry) {
        if (journal.isFormer(entry)) {
            destroyOrForget(entry);
        } else {
            counters.leftoversRefused.increment();
        }
    }

    /** The device may not have it any more, or never give it up however often it is asked. */
    private void destroyOrForget(final Journal.Entry entry) {
        if (tryToDestroy(entry)) {
            counters.leftoversDestroyed.increment();
        } else {
            counters.leftoversRefused.increment();
            journal.drop(entry);
        }
    }

    /** False if the device refuses; throws if it does not answer any more. */
    private boolean tryToDestroy(final Journal.Entry entry) {
        try {
            if (entry.kind() == ObjectKind.GID) {
                channel.takeBack(entry.kind().destroy(), new DestroyBindRequest(),
                    r -> r.set(DestroyBindRequest.INDEX, entry.handle()).set(DestroyBindRequest.DEST_GID, entry.gid()));
            } else {
                channel.takeBack(entry.kind().destroy(), new HandleRequest(),
                    r -> r.set(HandleRequest.HANDLE, entry.handle()));
            }
            return true;
        } catch (final RdmaException e) {
            if (channel.reachesDevice()) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Where an object of unknown handle may be. Devices that keep their objects give out the lowest free handle, and
     * take QP numbers from a device behind them, which counts upwards.
     */
    private List<Journal.Entry> guesses(final ObjectKind kind) {
        final List<Journal.Entry> guesses = new ArrayList<>();
        if (kind == ObjectKind.QP) {
            for (int i = 1; journal.lastQp() >= 0 && i <= GUESSES; i++) {
                guesses.add(new Journal.Entry(kind, journal.lastQp() + i));
            }
        } else if (kind != null) {
            final Set<Integer> taken = new HashSet<>();
            journal.entries(kind).forEach(entry -> taken.add(entry.handle()));
            for (int handle = 0; guesses.size() < GUESSES; handle++) {
                if (!taken.contains(handle)) {
                    guesses.add(new Journal.Entry(kind, handle));
                }
            }
        }
        return guesses;
    }
}
