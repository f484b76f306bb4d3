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
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.agrona.DirectBuffer;

/**
 * The client's eventfds: one for the interrupt line and one for each vector. Any thread fires them; the server's sets
 * them.
 *
 * <p>A vector that fires without an eventfd is noted, and fires when it gets one: QEMU takes all away for a moment
 * whenever a guest enables one more. First the note is made and then the eventfd looked for; setting it does it the
 * other way round; so one of the two fires.
 */
final class GuestInterrupts implements InterruptOutput {
    private static final int MSI_CAPABILITY = 5;

    private final ServedFunction device;
    private final Runnable attention;
    private final int messageIndex;
    private final AtomicReferenceArray<EventFd> vectors;
    private final AtomicBoolean[] missed;
    /** How many the device has enabled, from vector 0. */
    private int enabled;
    private volatile EventFd line;
    private final AtomicBoolean lineMasked = new AtomicBoolean();

    /**
     * Without eventfds.
     *
     * @param device    is not told of this yet.
     * @param attention run when the device wants to be looked after.
     */
    GuestInterrupts(ServedFunction device, Runnable attention) {
        this.device = device;
        this.attention = attention;
        this.messageIndex = hasCapability(MsixCapability.CAP_ID) ? Protocol.MSIX : Protocol.MSI;
        final int count = messageIndex == Protocol.MSIX || hasCapability(MSI_CAPABILITY)
            ? device.interrupts().available() : 0;
        this.vectors = new AtomicReferenceArray<>(count);
        this.missed = new AtomicBoolean[count];
        for (int i = 0; i < count; i++) {
            missed[i] = new AtomicBoolean();
        }
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
        return index == messageIndex ? vectors.length() : 0;
    }

    /** What the client is told of a kind. */
    int flags(int index) {
        return count(index) == 0 ? 0 : index == INTX
            ? Protocol.IRQ_EVENTFD | Protocol.IRQ_MASKABLE | Protocol.IRQ_AUTOMASKED
            : Protocol.IRQ_EVENTFD | Protocol.IRQ_NORESIZE;
    }

    @Override
    public void message(int vector) {
        if (vector < missed.length) {
            missed[vector].set(true);
            flush(vector);
        }
    }

    /** Whoever replaced the eventfd in the midst of it may have found no note: then it is for the new one. */
    private void flush(int vector) {
        EventFd to = vectors.get(vector);
        while (to != null && missed[vector].getAndSet(false) && !signal(to)) {
            missed[vector].set(true);
            final EventFd next = vectors.get(vector);
            to = next == to ? null : next;
        }
    }

    /** False if it was just taken away. */
    private static boolean signal(EventFd to) {
        try {
            to.signal();
            return true;
        } catch (final RdmaException e) {
            return false;
        }
    }

    /** It is masked by firing, until the client says that its guest has looked. */
    @Override
    public void line() {
        final EventFd to = line;
        if (to != null && device.isLineAsserted() && lineMasked.compareAndSet(false, true)) {
            signal(to);
        }
    }

    @Override
    public void attention() {
        attention.run();
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
            final EventFd taken = some ? take(files) : null;
            if (index == INTX) {
                setLine(taken);
            } else {
                setVector(i, taken);
            }
        }
        if (index != INTX && some && start + count > enabled) {
            enabled = start + count;
            device.interrupts().enable(enabled);
        }
    }

    private static EventFd take(PassedFiles files) {
        final Fd file = files.takeFirst();
        try (Undo undo = new Undo()) {
            undo.add(file::close);
            final EventFd taken = EventFd.of(file);
            undo.forget();
            return taken;
        }
    }

    /** Takes an eventfd over, or null for none. */
    void setVector(int vector, EventFd to) {
        final EventFd old = vectors.getAndSet(vector, to);
        if (old != null) {
            old.close();
        }
        flush(vector);
    }

    private void setLine(EventFd to) {
        final EventFd old = line;
        line = to;
        if (old != null) {
            old.close();
        }
        mask(false);
    }

    /** For clients that try the way of an interrupt. */
    private void loopBack(int index, int start, int count, DirectBuffer data, int at) {
        for (int i = 0; i < count; i++) {
            final EventFd to = index == INTX ? line : vectors.get(start + i);
            if (to != null && (data == null || data.getByte(at + i) != 0)) {
                signal(to);
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
            for (int i = 0; i < vectors.length(); i++) {
                setVector(i, null);
            }
        }
    }

    /** The guest's machine is gone: nothing fires, and nothing is noted. */
    void reset() {
        clear(INTX);
        clear(messageIndex);
        for (final AtomicBoolean each : missed) {
            each.set(false);
        }
    }
}
