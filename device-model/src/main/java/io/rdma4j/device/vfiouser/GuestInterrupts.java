/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import static io.rdma4j.device.vfiouser.Protocol.ACTION_MASK;
import static io.rdma4j.device.vfiouser.Protocol.ACTION_TRIGGER;
import static io.rdma4j.device.vfiouser.Protocol.ACTION_UNMASK;
import static io.rdma4j.device.vfiouser.Protocol.DATA_BOOL;
import static io.rdma4j.device.vfiouser.Protocol.DATA_EVENTFD;
import static io.rdma4j.device.vfiouser.Protocol.DATA_NONE;
import static io.rdma4j.device.vfiouser.Protocol.INTX;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.PassedFiles;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.agrona.DirectBuffer;

/**
 * The client's eventfds: one for each vector and one for the interrupt line. Any thread makes a note that one is to
 * fire, the server's thread sets them, and the client's signals them.
 *
 * <p>A vector that fires without an eventfd stays noted, and fires when it gets one: QEMU takes all away for a moment
 * whenever a guest enables one more. Whoever has made a note or set an eventfd wakes the thread after it, and the
 * thread looks at all of them after it was woken; so none is lost. For the same reason one fires twice if its eventfd
 * goes while it is signalled. A reset of the device, or a driver that begins, ends both, as notes are of the device's
 * life in which they were made: the next driver's first interrupt must not be the last one's. Linux' is not ready for
 * it and takes the guest down.
 */
final class GuestInterrupts implements InterruptOutput {
    private static final int MSI_CAPABILITY = 5;

    private final ServedFunction device;
    private final Runnable attention;
    private final int messageIndex;
    private final int vectors;
    /** Of the vectors, and behind them of the line. */
    private final AtomicReferenceArray<PassedEvent> events;
    /** The life of the device in which each was to fire last, 0 if it has fired. */
    private final AtomicIntegerArray noted;
    private final AtomicInteger life = new AtomicInteger(1);
    /** How many the device has enabled, from vector 0. */
    private int enabled;
    private final AtomicBoolean lineMasked = new AtomicBoolean();
    private final ClientThread thread;

    /**
     * Without eventfds; the client's thread is there from now on.
     *
     * @param device    is not told of this yet.
     * @param attention run when the device wants to be looked after.
     */
    GuestInterrupts(ServedFunction device, Runnable attention) {
        this.device = device;
        this.attention = attention;
        this.messageIndex = hasCapability(MsixCapability.CAP_ID) ? Protocol.MSIX : Protocol.MSI;
        this.vectors = messageIndex == Protocol.MSIX || hasCapability(MSI_CAPABILITY)
            ? device.interrupts().available() : 0;
        this.events = new AtomicReferenceArray<>(vectors + 1);
        this.noted = new AtomicIntegerArray(vectors + 1);
        this.thread = new ClientThread(device.address().path(), this::signalAll);
    }

    private boolean hasCapability(int id) {
        int at = (device.config().read(PciConfig.STATUS_OFFSET, 2) & PciConfig.STATUS_CAP_LIST) == 0 ? 0
            : device.config().read(PciConfig.CAP_PTR_OFFSET, 1) & ~3;
        // As many as fit, for a list that is a circle.
        for (int i = 0; i < PciConfig.SPACE_LENGTH / 4 && at >= PciConfig.LENGTH; i++) {
            if (device.config().read(at + PciConfig.CAP_ID_OFFSET, 1) == id) {
                return true;
            }
            at = device.config().read(at + PciConfig.CAP_NEXT_OFFSET, 1) & ~3;
        }
        return false;
    }

    /** How many interrupts there are of a kind. */
    int count(int index) {
        if (index == INTX) {
            return device.config().read(PciConfig.INTERRUPT_PIN_OFFSET, 1) == 0 ? 0 : 1;
        }
        return index == messageIndex ? vectors : 0;
    }

    /** What the client is told of a kind. */
    int flags(int index) {
        return count(index) == 0 ? 0 : index == INTX
            ? Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE | Protocol.IRQ_AUTOMASKED
            : Protocol.IRQ_EVENTFD | Protocol.IRQ_NORESIZE;
    }

    @Override
    public void message(int vector) {
        if (vector < vectors) {
            note(vector);
        }
    }

    private void note(int slot) {
        note(slot, life.get());
        thread.wake();
    }

    /** A note of an earlier life replaces none of a later one. */
    private void note(int slot, int when) {
        noted.accumulateAndGet(slot, when, Math::max);
    }

    private void signalAll() {
        for (int slot = 0; slot < noted.length(); slot++) {
            final PassedEvent to = events.get(slot);
            final int when = to == null ? 0 : noted.getAndSet(slot, 0);
            if (when != 0 && when != life.get()) {
                forgotten(slot);
            } else if (when != 0 && !to.signal()) {
                // Whoever replaced it wakes this thread, and then it is for the new one.
                note(slot, when);
            }
        }
    }

    /** The client heard nothing of the line, and will not unmask it: whatever asserts it now fires. */
    private void forgotten(int slot) {
        if (slot == vectors) {
            mask(false);
        }
    }

    @Override
    public void forget() {
        life.incrementAndGet();
    }

    /** It is masked by firing, until the client says that its guest has looked. */
    @Override
    public void line() {
        if (events.get(vectors) != null && device.isLineAsserted() && lineMasked.compareAndSet(false, true)) {
            note(vectors);
        }
    }

    @Override
    public void attention() {
        attention.run();
    }

    @Override
    public boolean isLookedAfter() {
        return true;
    }

    /**
     * Does what SET_IRQS asks for.
     *
     * @param flags one kind of data, one action.
     * @param index of the kind of interrupts.
     * @param start the first of them.
     * @param count how many.
     * @param data  a byte for each, for {@link Protocol#DATA_BOOL}.
     * @param at    where they begin.
     * @param files what came; those that are not taken are closed by the caller.
     */
    void set(int flags, int index, int start, int count, DirectBuffer data, int at, PassedFiles files) {
        final int available = index >= 0 && index < Protocol.NUM_IRQS ? count(index) : 0;
        if (start < 0 || count < 0 || start > available || count > available - start) {
            throw refused(flags, index, "interrupts %d to %d of %d", start, start + (long) count - 1, available);
        }
        switch (flags) {
            case DATA_NONE | ACTION_TRIGGER -> {
                if (count == 0) {
                    clear(index);
                } else {
                    loopBack(index, start, count, null, 0);
                }
            }
            case DATA_BOOL | ACTION_TRIGGER -> loopBack(index, start, count, data, at);
            case DATA_EVENTFD | ACTION_TRIGGER -> {
                if (files.count() != 0 && files.count() != count) {
                    throw refused(flags, index, "%d interrupts, %d files", count, files.count());
                }
                assign(index, start, count, files);
            }
            case DATA_NONE | ACTION_MASK, DATA_NONE | ACTION_UNMASK -> {
                if (index != INTX) {
                    throw refused(flags, index, "messages are masked in the guest");
                }
                mask((flags & ACTION_MASK) != 0);
            }
            default -> throw refused(flags, index, "no such combination of data and action");
        }
    }

    private static RdmaException refused(int flags, int index, String why, Object... args) {
        return RdmaException.of("set interrupts").object(String.format("index %d, flags 0x%x", index, flags))
            .detail(why, args).errno(RdmaException.EINVAL).build();
    }

    private void mask(boolean masked) {
        lineMasked.set(masked);
        line();
    }

    private void assign(int index, int start, int count, PassedFiles files) {
        final boolean some = files.count() > 0;
        for (int i = start; i < start + count; i++) {
            final PassedEvent taken = some ? new PassedEvent(take(files)) : null;
            if (index == INTX) {
                setLine(taken);
            } else {
                setEvent(i, taken);
            }
        }
        if (index != INTX && some && start + count > enabled) {
            enabled = start + count;
            device.interrupts().enable(enabled);
        }
    }

    private EventFd take(PassedFiles files) {
        final Fd file = files.takeFirst();
        try (Undo undo = new Undo()) {
            undo.add(() -> thread.discard(file));
            final EventFd taken = EventFd.of(file);
            undo.forget();
            return taken;
        }
    }

    /** Takes an eventfd over, or null for none. */
    void setEvent(int slot, PassedEvent to) {
        final PassedEvent old = events.getAndSet(slot, to);
        if (old != null) {
            old.close();
        }
        thread.wake();
    }

    private void setLine(PassedEvent to) {
        noted.set(vectors, 0);
        setEvent(vectors, to);
        mask(false);
    }

    /** For clients that try the way of an interrupt. */
    private void loopBack(int index, int start, int count, DirectBuffer data, int at) {
        for (int i = 0; i < count; i++) {
            final int slot = index == INTX ? vectors : start + i;
            if (events.get(slot) != null && (data == null || data.getByte(at + i) != 0)) {
                note(slot);
            }
        }
    }

    private void clear(int index) {
        if (index == INTX) {
            setLine(null);
        } else if (index == messageIndex) {
            if (enabled > 0) {
                enabled = 0;
                device.interrupts().disable();
            }
            for (int i = 0; i < vectors; i++) {
                setEvent(i, null);
            }
        }
    }

    /** The guest's machine is gone: nothing fires. */
    void reset() {
        clear(INTX);
        clear(messageIndex);
    }

    /** Whoever has made this closes it. */
    ClientThread thread() {
        return thread;
    }
}
