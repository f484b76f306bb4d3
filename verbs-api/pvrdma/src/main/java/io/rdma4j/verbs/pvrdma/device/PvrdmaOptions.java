/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.RingGeometry;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** How the driver runs a device. Set before opening; the device takes a copy. Not thread-safe. */
public final class PvrdmaOptions {
    private long responseTimeoutNanos = TimeUnit.SECONDS.toNanos(10);
    private int eventRingPages = RingGeometry.LINUX_EVENT_RING_PAGES;
    private int interruptVectors = Bar1.PVRDMA_MAX_INTERRUPTS;
    private CommandObserver observer;
    private Path stateFolder;

    /** Begins with what Linux does: ten seconds for a response, event rings of four pages, three vectors. */
    public PvrdmaOptions() {
        // The fields say it.
    }

    PvrdmaOptions copy() {
        return new PvrdmaOptions()
            .responseTimeoutNanos(responseTimeoutNanos)
            .eventRingPages(eventRingPages)
            .interruptVectors(interruptVectors)
            .commandObserver(observer)
            .stateFolder(stateFolder);
    }

    /**
     * How long a command may take.
     *
     * @return nanoseconds.
     */
    public long responseTimeoutNanos() {
        return responseTimeoutNanos;
    }

    /**
     * Sets how long a command may take.
     *
     * @param nanos above 0.
     * @return this.
     * @throws IllegalArgumentException if it is not above 0.
     */
    public PvrdmaOptions responseTimeoutNanos(final long nanos) {
        if (nanos <= 0) {
            throw new IllegalArgumentException("response timeout " + nanos + " ns, must be above 0");
        }
        this.responseTimeoutNanos = nanos;
        return this;
    }

    /**
     * Pages of each event ring, the state page included.
     *
     * @return at least 2.
     */
    public int eventRingPages() {
        return eventRingPages;
    }

    /**
     * Sets the pages of each event ring. Linux' four give rings whose size is not a power of two, and is the only
     * number known to work on ESXi.
     *
     * @param pages the state page included, 2 to 511.
     * @return this.
     * @throws IllegalArgumentException if it is out of range.
     */
    public PvrdmaOptions eventRingPages(final int pages) {
        if (pages < 2 || pages > 511) {
            throw new IllegalArgumentException(pages + " pages of an event ring, allowed are 2 to 511");
        }
        this.eventRingPages = pages;
        return this;
    }

    /**
     * Interrupt vectors to ask for.
     *
     * @return 0 if the driver shall only poll.
     */
    public int interruptVectors() {
        return interruptVectors;
    }

    /**
     * Sets how many interrupt vectors to ask for; fewer are accepted.
     *
     * @param vectors 0 to {@link Bar1#PVRDMA_MAX_INTERRUPTS}; with 0 the driver polls.
     * @return this.
     * @throws IllegalArgumentException if it is out of range.
     */
    public PvrdmaOptions interruptVectors(final int vectors) {
        if (vectors < 0 || vectors > Bar1.PVRDMA_MAX_INTERRUPTS) {
            throw new IllegalArgumentException(
                vectors + " vectors, allowed are 0 to " + Bar1.PVRDMA_MAX_INTERRUPTS);
        }
        this.interruptVectors = vectors;
        return this;
    }

    /**
     * Who sees each command from the first on.
     *
     * @return null for nobody.
     */
    public CommandObserver commandObserver() {
        return observer;
    }

    /**
     * Sets who sees each command from the first on.
     *
     * @param commandObserver null for nobody.
     * @return this.
     */
    public PvrdmaOptions commandObserver(final CommandObserver commandObserver) {
        this.observer = commandObserver;
        return this;
    }

    /**
     * Where the journal of live objects is, for devices that need one.
     *
     * @return null for the usual folder.
     */
    public Path stateFolder() {
        return stateFolder;
    }

    /**
     * Sets where the journal of live objects is. It lists what is in a device that keeps its objects when this process
     * is killed, so that the next one to open the device can destroy them; both must use the same folder. The usual one
     * is what the system property {@code rdma4j.state.dir} or the environment variable {@code RDMA4J_STATE_DIR} names,
     * else {@code /run/rdma4j} for root, {@code $XDG_RUNTIME_DIR/rdma4j}, or {@code /dev/shm/rdma4j-UID}; see
     * {@link io.rdma4j.driver.state.StateFolder}.
     *
     * @param folder nobody else may write to it; is made if it does not exist; null for the usual one.
     * @return this.
     */
    public PvrdmaOptions stateFolder(final Path folder) {
        this.stateFolder = folder;
        return this;
    }
}
