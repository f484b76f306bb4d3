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

    private final Journal journal;
    private final CommandChannel channel;
    private final Bar uar;
    private final DriverCounters counters;
    private final Object deviceName;

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
     * Destroys what an earlier process left, before this one makes anything.
     *
     * @throws RdmaException if the device does not answer any more; what is left stays listed.
     */
    void destroyOfOthers() {
        final ObjectKind underWay = journal.underWay();
        final int found = journal.size();
        if (found == 0 && underWay == null) {
            return;
        }
        final long before = counters.leftoversDestroyed.get();
        counters.leftoversFound.getAndAdd(found);
        counters.leftoversGuessed.getAndAdd(underWay == null ? 0 : 1);
        final List<Journal.Entry> guesses = guesses(underWay);
        for (final ObjectKind kind : ObjectKind.values()) {
            final List<Journal.Entry> listed = journal.entries(kind);
            listed.forEach(this::destroyOrForget);
            if (kind == underWay) {
                guesses.forEach(this::tryToDestroy);
            }
            if (kind == ObjectKind.QP && (kind == underWay || !listed.isEmpty())) {
                settleCqs();
            }
        }
        journal.forgetUnderWay();
        LOG.log(System.Logger.Level.INFO, String.format(
            "%s: %s left %d objects in the device%s; %d of them were there and are destroyed", deviceName,
            journal.origin(), found, underWay == null ? "" : " and was about to make a " + underWay,
            counters.leftoversDestroyed.get() - before));
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
    private void settleCqs() {
        Pause.nanos(SETTLE_NANOS);
        journal.entries(ObjectKind.CQ).forEach(cq -> uar.writeInt(Uar.CQ_OFFSET, Uar.cqPoll(cq.handle())));
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
                    settleCqs();
                }
            }
        } catch (final RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "the rest stays listed: asking a device that does not listen, or that"
                + " failed and refuses, might take long", e);
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
