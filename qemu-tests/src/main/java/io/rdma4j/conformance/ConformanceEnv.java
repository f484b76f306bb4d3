/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.cm.DatagramDomain;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What cases work with: the device, or the two between which messages go, the objects to close afterwards, and counts.
 * Used by one case at a time; {@link #own} and the counts may be called by several threads of that case.
 */
final class ConformanceEnv implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** How much longer everything takes on a machine that is busy on purpose. */
    private static final int BUSY = Integer.getInteger("rdma4j.patience", 1);
    /** 134 ms, or 268, and up to four times that. */
    private static final int LONG_TIMEOUT = BUSY == 1 ? 15 : 16;
    /** 1 s, and up to four times that: as long as a thread may look for a processor. */
    private static final int BUSY_TIMEOUT = 18;

    private final Effort effort;
    private final int patience;
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong interrupts = new AtomicLong();
    private final String nearAddress;
    private final String farAddress;
    private RdmaContext near;
    private RdmaContext far;
    private Random random = new Random(1);

    /**
     * Opens the device, or both.
     *
     * @param nearAddress the device under test.
     * @param farAddress  where its peers are; null for the same device.
     * @param effort      how often to repeat.
     * @param patience    factor on all deadlines, for slow machines; the system property rdma4j.patience is another
     *                    one, for busy ones.
     */
    ConformanceEnv(final String nearAddress, final String farAddress, final Effort effort, final int patience) {
        this.nearAddress = nearAddress;
        this.farAddress = farAddress;
        this.effort = effort;
        this.patience = patience * BUSY;
        open(nearAddress);
    }

    private void open(final String nearAddress) {
        near = RdmaDevices.open(nearAddress);
        try {
            far = farAddress == null ? near : RdmaDevices.open(farAddress);
        } finally {
            if (far == null) {
                near.close();
            }
        }
    }

    @Override
    public String toString() {
        return hasTwoDevices() ? nearAddress + " and " + farAddress : nearAddress;
    }

    RdmaContext device() {
        return near;
    }

    RdmaContext peer() {
        return far;
    }

    boolean hasTwoDevices() {
        return near != far;
    }

    /** Whether the driver knows one of the two devices to be peculiar in this way. */
    boolean isPeculiar(final String name) {
        return isPeculiar(near, name) || isPeculiar(far, name);
    }

    /** Whether the driver knows one device to be peculiar in this way. */
    boolean isPeculiar(final RdmaContext device, final String name) {
        return device.peculiarities().stream().anyMatch(item -> item.name().equals(name));
    }

    /** Ends the case where the two devices are served by different providers. */
    void skipBetweenKinds(final String why) {
        if (!near.address().split(":")[0].equals(far.address().split(":")[0])) {
            throw skip("two kinds of devices: %s", why);
        }
    }

    /**
     * What is as good as an answer at once. Two devices with a wire between them, on a slow machine, have to find a
     * processor each before they answer: most of a second then, in all.
     */
    int shortTimeout(final int usual) {
        return hasTwoDevices() && patience > 1 ? LONG_TIMEOUT : usual;
    }

    /** Attributes for a connection on which messages come through, also if the peer's thread waits for a processor. */
    QpAttributes patient(final QpAttributes wished) {
        return BUSY > 1 && hasTwoDevices() && !wished.has(QpAttribute.TIMEOUT)
            ? wished.timeout(BUSY_TIMEOUT) : wished;
    }

    /** Ends the case where a device is known to be peculiar in this way, with what is known of it. */
    void skipIfPeculiar(final String name) {
        for (final RdmaContext device : List.of(near, far)) {
            for (final Peculiarity item : device.peculiarities()) {
                if (item.name().equals(name)) {
                    throw skip("%s: %s (docs/judged.md)", name, item.description());
                }
            }
        }
    }

    /**
     * The domain from which all datagrams are sent: there are devices that remember the way to a peer together with
     * the domain that used it first, and can send there from no other. The fabric layer has the same difficulty: this
     * is its domain.
     */
    ProtectionDomain datagramDomain() {
        return DatagramDomain.of(near);
    }

    /** Closes the device and opens it again; a device that does not come back ends the run. */
    RdmaContext reopen() {
        final String address = near.address();
        close();
        open(address);
        return near;
    }

    int times(final int quick, final int full) {
        return effort.times(quick, full);
    }

    /** What an endpoint is given to connect, where that is not what the case is about. */
    Duration connectTimeout() {
        return patience(CONNECT_TIMEOUT);
    }

    /** A wait that is long enough on this machine. */
    Duration patience(final Duration onAFastMachine) {
        return onAFastMachine.multipliedBy(patience);
    }

    /** What a whole case may take. */
    Duration longest(final Duration usual) {
        return patience(usual).multipliedBy(effort.factor());
    }

    Random random() {
        return random;
    }

    /** Closes this object after the case, before those that were given here earlier. */
    <T extends AutoCloseable> T own(final T object) {
        synchronized (owned) {
            owned.push(object);
        }
        return object;
    }

    CaseSkipped skip(final String reason, final Object... args) {
        return new CaseSkipped(String.format(Locale.ROOT, reason, args));
    }

    void moved(final long byteCount) {
        messages.incrementAndGet();
        bytes.addAndGet(byteCount);
    }

    void interrupted() {
        interrupts.incrementAndGet();
    }

    long messages() {
        return messages.get();
    }

    long bytes() {
        return bytes.get();
    }

    long interrupts() {
        return interrupts.get();
    }

    /** Gets ready for a case: the same random numbers each time, whatever ran before. */
    void begin(final String caseName) {
        random = new Random(caseName.hashCode());
    }

    long reachableBytes() {
        return hasTwoDevices() ? near.reachableBytes() + far.reachableBytes() : near.reachableBytes();
    }

    String dump() {
        return hasTwoDevices() ? near.dump() + "\n" + far.dump() : near.dump();
    }

    /** Closes what the case opened, the last one first; the first trouble is thrown after all were tried. */
    void closeOwned() throws Exception {
        Exception first = null;
        while (true) {
            final AutoCloseable object;
            synchronized (owned) {
                object = owned.poll();
            }
            if (object == null) {
                break;
            }
            try {
                object.close();
            } catch (final Exception e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void close() {
        if (hasTwoDevices()) {
            far.close();
        }
        near.close();
    }
}
