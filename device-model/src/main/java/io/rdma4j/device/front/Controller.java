/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.memory.DmaFault;
import io.rdma4j.device.memory.EmulatedIommu;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * What the registers make the device do: load the shared region, activate, execute commands, reset. One thing at a
 * time.
 */
public final class Controller {
    /** ERR for a request that is none: no shared region, or an unknown command. */
    static final int UNKNOWN = 0xffff;

    private final DeviceOptions options;
    private final Counters counters;
    private final EmulatedIommu iommu;
    private final Engine engine;
    private final EventRings events;
    private final CommandChannel channel;
    private final ReentrantLock lock = new ReentrantLock();
    private SharedRegion region;
    private volatile boolean active;
    /** Failed for good: nothing but a reset helps. */
    private boolean dead;

    /**
     * A device that knows no shared region yet.
     *
     * @param options  of the device.
     * @param counters of the device.
     * @param iommu    translates.
     * @param engine   of the device.
     * @param events   rings to be attached.
     * @param channel  executes commands.
     */
    public Controller(DeviceOptions options, Counters counters, EmulatedIommu iommu, Engine engine, EventRings events,
        CommandChannel channel) {
        this.options = options;
        this.counters = counters;
        this.iommu = iommu;
        this.engine = engine;
        this.events = events;
        this.channel = channel;
    }

    private int locked(IntSupplier action) {
        lock.lock();
        try {
            return action.getAsInt();
        } finally {
            lock.unlock();
        }
    }

    /** DSRHIGH was written; returns what ERR is to show. */
    int loadSharedRegion(long iova) {
        return locked(() -> {
            detach();
            try {
                region = SharedRegion.load(iommu, iova, options);
                events.asyncRing().attach(region.asyncPages());
                events.notificationRing().attach(region.notificationPages());
                return 0;
            } catch (final CommandError e) {
                counters.record(Counter.BAD_DSR, e.getMessage());
                return -e.errno();
            } catch (final DmaFault e) {
                counters.record(Counter.BAD_DSR, e.getMessage());
                return -CommandError.EFAULT;
            }
        });
    }

    private void detach() {
        region = null;
        active = false;
        events.asyncRing().attach(null);
        events.notificationRing().attach(null);
    }

    int activate() {
        return locked(() -> {
            active = region != null && !dead;
            return active || !dead && options.has(Quirk.PLAIN_REGISTERS) ? 0 : -CommandError.EFAULT;
        });
    }

    int unquiesce() {
        return active ? 0 : -CommandError.EINVAL;
    }

    /** Whether the driver has activated the device. */
    boolean isActive() {
        return active;
    }

    /** Frees every object, and forgets the shared region unless the device is one that does not. */
    public void reset() {
        locked(() -> {
            dead = false;
            engine.reset();
            if (!options.has(Quirk.WEAK_RESET)) {
                detach();
            }
            return 0;
        });
    }

    /** The device fails: its objects are gone, and it refuses commands until it is reset and set up anew. */
    public void die() {
        locked(() -> {
            dead = true;
            active = false;
            engine.close();
            return 0;
        });
    }

    /** The function goes away: frees everything. */
    public void close() {
        locked(() -> {
            dead = false;
            engine.close();
            detach();
            return 0;
        });
    }

    int execute() {
        return locked(() -> {
            if (region == null || dead || !active && !options.has(Quirk.PLAIN_REGISTERS)) {
                counters.record(Counter.COMMANDS_REFUSED, "a request before the shared region is loaded and active, or"
                    + " of a device that failed");
                return UNKNOWN;
            }
            return channel.execute(region);
        });
    }

    /** Waits until no command is being executed. */
    @SuppressWarnings("LockNotBeforeTry") // Nothing is done under it: to have had it is all.
    public void quiesce() {
        lock.lock();
        lock.unlock();
    }
}
