/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.state.StateFolder;
import io.rdma4j.driver.state.Warnings;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpResult;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What is in the device now, written where it survives this process: for devices that keep their objects over a reset
 * and outlive the process. The command channel tells it of each command before and after.
 *
 * <p>The device says what the handle of a new object is only when it is there. So before a creation its kind is noted
 * as being under way, and afterwards the handle: a process killed in between leaves one object of known kind and
 * unknown handle. What an address is bound to is known before, and so noted before.
 *
 * <p>Thread-safe.
 */
final class Journal implements AutoCloseable {
    static final Warnings WARNINGS = new Warnings(Journal.class);
    private static final int LONGEST_NAME = 100;

    private final JournalFile file;
    private final String name;
    private final int deviceVersion;
    private final DriverCounters counters;
    private final Map<Long, Integer> slots = new HashMap<>();
    private final BitSet used = new BitSet();
    /** Keys of what was found, as far as the device has not given their handles to something new. */
    private final Set<Long> former = new HashSet<>();
    private boolean closed;

    /**
     * Something in the device.
     *
     * @param kind   what it is.
     * @param handle by which it is destroyed.
     * @param gid    the address that is bound; zero for other kinds.
     */
    record Entry(ObjectKind kind, int handle, byte[] gid) {
        Entry(final ObjectKind kind, final int handle) {
            this(kind, handle, new byte[GidTable.GID_LENGTH]);
        }

        private long key() {
            return (long) kind.code() << Integer.SIZE | handle & 0xffff_ffffL;
        }

        @Override
        public String toString() {
            return kind + " 0x" + Integer.toHexString(handle);
        }
    }

    /** Of what cannot be written any more, once: a device that works goes on. */
    private static final class Complaint implements Consumer<String> {
        private final Path path;
        private final String device;
        private final DriverCounters counters;
        private boolean made;

        Complaint(final Path path, final String device, final DriverCounters counters) {
            this.path = path;
            this.device = device;
            this.counters = counters;
        }

        @Override
        public void accept(final String why) {
            counters.journalTroubles.increment();
            if (!made) {
                made = true;
                warn("The journal " + path + " of the device " + device + " lacks something from now on: " + why
                    + ". If this process is killed, what it made may stay in the device.");
            }
        }
    }

    private Journal(final JournalFile file, final String name, final int version, final DriverCounters counters) {
        this.file = file;
        this.name = name;
        this.deviceVersion = version;
        this.counters = counters;
        if (file != null) {
            load();
        }
    }

    /** A journal that keeps nothing. */
    static Journal none(final String why) {
        return new Journal(null, "none, " + why, 0, null);
    }

    /**
     * Opens the journal of a device. Where there can be none the device works without one, and a warning says so.
     *
     * @param folder null for the usual one.
     * @throws io.rdma4j.RdmaException EBUSY if somebody has it open.
     */
    static Journal open(final Path folder, final String device, final int version, final DriverCounters counters) {
        Path path = folder;
        try {
            path = (folder == null ? StateFolder.STATE.prepare() : StateFolder.prepare(folder))
                .resolve(fileName(device));
            final JournalFile file = JournalFile.open(path, device, new Complaint(path, device, counters));
            final Journal journal = new Journal(file, file.path().toString(), version, counters);
            if (file.objection() != null) {
                journal.complain("The journal " + file.path() + " is begun anew: " + file.objection()
                    + ". What it may have listed stays in the device " + device + '.');
            }
            return journal;
        } catch (final IOException | UnsupportedOperationException | InvalidPathException e) {
            counters.journalTroubles.increment();
            final String why = (path == null ? "" : path + ": ") + e;
            warn("The device " + device + " has no journal of live objects: " + why + ". If this process is killed,"
                + " what it made stays in the device. Name a folder of your own with " + StateFolder.VARIABLE + " or -D"
                + StateFolder.PROPERTY + '.');
            return none("no journal could be made: " + why);
        }
    }

    /** One that tells devices apart even where characters must be replaced. */
    static String fileName(final String device) {
        final String plain = device.replaceAll("[^A-Za-z0-9._:-]", "_");
        final boolean same = plain.equals(device) && plain.length() <= LONGEST_NAME && !plain.startsWith(".")
            && !plain.isEmpty();
        final int cut = Math.max(0, plain.length() - LONGEST_NAME);
        return (same ? plain : String.format("device-%08x-%s", device.hashCode(), plain.substring(cut))) + ".journal";
    }

    private void load() {
        int senseless = 0;
        for (int slot = 0; slot < JournalFile.SLOTS; slot++) {
            if (!file.isFree(slot)) {
                final Entry entry = file.entry(slot);
                if (entry == null || slots.putIfAbsent(entry.key(), slot) != null) {
                    file.free(slot);
                    senseless += entry == null ? 1 : 0;
                } else {
                    used.set(slot);
                }
            }
        }
        former.addAll(slots.keySet());
        if (senseless > 0) {
            complain("The journal " + file.path() + " has " + senseless + " entries that make no sense; they are"
                + " passed over.");
        }
    }

    private void complain(final String trouble) {
        counters.journalTroubles.increment();
        warn(trouble);
    }

    private static void warn(final String trouble) {
        WARNINGS.tell(trouble);
    }

    /** A command is about to go out. */
    synchronized void before(final UnsafeBuffer request) {
        final Command command = isOpen() ? command(request) : null;
        final ObjectKind kind = ObjectKind.createdBy(command);
        if (kind == ObjectKind.GID) {
            final CreateBindRequest bind = new CreateBindRequest().wrap(request, 0);
            enter(new Entry(kind, bind.get(CreateBindRequest.INDEX), bind.get(CreateBindRequest.NEW_GID)));
        } else if (kind != null) {
            file.underWay(command.id() + 1);
        }
    }

    /** A command was answered. One that was not stays under way. */
    synchronized void after(final UnsafeBuffer request, final int err, final UnsafeBuffer response) {
        final Command command = isOpen() ? command(request) : null;
        if (command == null) {
            return;
        }
        final boolean done = err == 0
            && (!command.awaitsResponse() || new ResponseHeader().wrap(response, 0).get(ResponseHeader.ERR) == 0);
        final ObjectKind created = ObjectKind.createdBy(command);
        if (created == ObjectKind.GID) {
            if (!done) {
                leave(new Entry(created, new CreateBindRequest().wrap(request, 0).get(CreateBindRequest.INDEX)));
            }
        } else if (created != null) {
            if (done) {
                created(created, response);
            }
            file.underWay(0);
        }
        final ObjectKind destroyed = ObjectKind.destroyedBy(command);
        if (destroyed != null && done) {
            leave(new Entry(destroyed, destroyed == ObjectKind.GID
                ? new DestroyBindRequest().wrap(request, 0).get(DestroyBindRequest.INDEX)
                    : new HandleRequest().wrap(request, 0).get(HandleRequest.HANDLE)));
        }
    }

    private boolean isOpen() {
        return file != null && !closed;
    }

    private static Command command(final UnsafeBuffer request) {
        return Command.of(new CommandHeader().wrap(request, 0).get(CommandHeader.CMD));
    }

    private void created(final ObjectKind kind, final UnsafeBuffer response) {
        if (kind == ObjectKind.QP) {
            final CreateQpResult result = CreateQpResult.read(deviceVersion, response);
            created(new Entry(kind, result.qpHandle()));
            file.lastQp(result.qpHandle() + 1);
        } else {
            created(new Entry(kind, new HandleResponse().wrap(response, 0).get(HandleResponse.HANDLE)));
        }
    }

    private void created(final Entry entry) {
        former.remove(entry.key());
        enter(entry);
    }

    private void enter(final Entry entry) {
        final int slot = slots.getOrDefault(entry.key(), used.nextClearBit(0));
        if (slot >= JournalFile.SLOTS) {
            complain("The journal " + file.path() + " is full: not all objects are in it.");
            return;
        }
        file.put(slot, entry);
        used.set(slot);
        slots.put(entry.key(), slot);
    }

    private void leave(final Entry entry) {
        former.remove(entry.key());
        final Integer slot = slots.remove(entry.key());
        if (slot != null) {
            file.free(slot);
            used.clear(slot);
        }
    }

    /** What is listed of a kind, in no order. */
    synchronized List<Entry> entries(final ObjectKind kind) {
        final List<Entry> entries = new ArrayList<>();
        if (isOpen()) {
            used.stream().mapToObj(file::entry).filter(entry -> entry != null && entry.kind() == kind)
                .forEach(entries::add);
        }
        return entries;
    }

    /**
     * Whether an entry that was found when this was opened is still what it was. A device that gave its handle to
     * something new has shown that it lost the old one.
     */
    synchronized boolean isFormer(final Entry entry) {
        return former.contains(entry.key());
    }

    /** Forgets what the device does not have. */
    synchronized void drop(final Entry entry) {
        if (isOpen()) {
            leave(entry);
        }
    }

    /** The kind of object that was being created when the process ended; null if there was none. */
    synchronized ObjectKind underWay() {
        return isOpen() ? ObjectKind.createdBy(Command.of(file.underWay() - 1)) : null;
    }

    synchronized void forgetUnderWay() {
        if (isOpen()) {
            file.underWay(0);
        }
    }

    /** The handle of the last QP that the device made; -1 if none is known. */
    synchronized int lastQp() {
        return isOpen() ? file.lastQp() - 1 : -1;
    }

    synchronized int size() {
        return slots.size();
    }

    /** Who wrote what was found, for people. */
    String origin() {
        return file == null ? "" : "process " + file.formerProcess()
            + (file.isOfOtherBoot() ? ", before the machine was started again" : "");
    }

    /** Lets go of the file; one that lists nothing is removed. */
    @Override
    public synchronized void close() {
        if (isOpen()) {
            final boolean empty = slots.isEmpty() && file.underWay() == 0;
            closed = true;
            release(empty);
        }
    }

    private void release(final boolean empty) {
        try {
            file.close(empty);
        } catch (final IOException e) {
            complain("The journal " + file.path() + " cannot be removed: " + e);
        }
    }

    /** What the system does when it kills the process. */
    synchronized void abandon() {
        closed = true;
        release(false);
    }

    @Override
    public synchronized String toString() {
        return name + (isOpen() ? ", lists " + size() : "");
    }
}
