/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/** What exists in the device, by kind, and the one way to create and to destroy it. */
final class LiveObjects {
    final ResourceTable pds;
    final ResourceTable mrs;
    final ResourceTable mws;
    final ResourceTable cqs;
    final ResourceTable qps;
    final ResourceTable srqs;

    private final CommandChannel channel;
    private final FailureLatch latch;
    private volatile boolean closing;
    private volatile boolean closed;

    LiveObjects(
        final CommandChannel channel, final FailureLatch latch, final DeviceLimits limits, final Object deviceName) {
        this.channel = channel;
        this.latch = latch;
        pds = new ResourceTable("PD", "max_pd", limits.maxPd(), deviceName);
        mrs = new ResourceTable("MR", "max_mr", limits.maxMr(), deviceName);
        mws = new ResourceTable("MW", "max_mw", limits.maxMw(), deviceName);
        cqs = new ResourceTable("CQ", "max_cq", limits.maxCq(), deviceName);
        qps = new ResourceTable("QP", "max_qp", limits.maxQp(), deviceName);
        srqs = new ResourceTable("SRQ", "max_srq", limits.maxSrq(), deviceName);
    }

    /**
     * Creates and counts an object. A handle that cannot be named in a doorbell, or that another object has, shows that
     * the device is out of its mind.
     */
    <T> T create(
        final ResourceTable table, final int doorbellMask, final Supplier<T> command,
        final ToIntFunction<T> handleOf) {
        table.reserve();
        final T result;
        try (Undo undo = new Undo()) {
            undo.add(table::cancel);
            result = command.get();
            undo.forget();
        } catch (final RdmaException e) {
            throw table.refused(e);
        }
        final int handle = handleOf.applyAsInt(result);
        if (!table.enter(handle) || doorbellMask != 0 && (handle & ~doorbellMask) != 0) {
            latch.fail(String.format("the device gave handle 0x%x, which is in use or does not fit a doorbell: %s",
                handle, this));
            latch.check("create object");
        }
        return result;
    }

    void destroy(final Command command, final ResourceTable table, final int handle) {
        if (latch.failed() || closed) {
            destroyLast(command, table, handle);
            return;
        }
        if (!table.exit(handle)) {
            // Whoever closes the device may have destroyed it since the look at closed.
            if (!closing) {
                table.require(command.name(), handle);
            }
            return;
        }
        boolean destroyed = false;
        try {
            channel.takeBack(command, new HandleRequest(), r -> r.set(HandleRequest.HANDLE, handle));
            destroyed = true;
        } catch (final RdmaException e) {
            if (!closed && !latch.isDeaf()) {
                throw e;
            }
            // Closed or given up while this waited for its turn, or given up by this very command: the reset takes it.
            destroyed = true;
        } finally {
            if (destroyed) {
                table.cancel();
            } else {
                table.enter(handle);
            }
        }
    }

    /** The device was given up or closed: what it will not give back now it loses in the reset, if ever. */
    private void destroyLast(final Command command, final ResourceTable table, final int handle) {
        if (!table.leave(handle) || closed || latch.isDeaf()) {
            return;
        }
        try {
            channel.takeBack(command, new HandleRequest(), r -> r.set(HandleRequest.HANDLE, handle));
        } catch (final RdmaException e) {
            // The channel has counted and recorded it. Trying the others too might take long.
            latch.failDeaf(e.getMessage());
        }
    }

    int count() {
        return pds.count() + mrs.count() + mws.count() + cqs.count() + qps.count() + srqs.count();
    }

    /** Destroys what its owners left, users before what they use, and refuses everything from then on. */
    void close() {
        closing = true;
        destroyAll(Command.DESTROY_QP, qps);
        destroyAll(Command.DESTROY_SRQ, srqs);
        destroyAll(Command.DESTROY_CQ, cqs);
        destroyAll(Command.DESTROY_MW, mws);
        destroyAll(Command.DESTROY_MR, mrs);
        destroyAll(Command.DESTROY_PD, pds);
        closed = true;
    }

    private void destroyAll(final Command command, final ResourceTable table) {
        for (final int handle : table.youngestFirst()) {
            try {
                destroy(command, table, handle);
            } catch (final RdmaException e) {
                // The device keeps it; the channel has counted and recorded the refusal, and the reset follows.
                table.leave(handle);
            }
        }
    }

    @Override
    public String toString() {
        return (mws.limit() == 0 ? List.of(pds, mrs, cqs, qps, srqs) : List.of(pds, mrs, mws, cqs, qps, srqs))
            .toString();
    }
}
