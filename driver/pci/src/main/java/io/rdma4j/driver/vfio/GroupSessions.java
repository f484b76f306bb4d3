/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.sysfs.PciFunction;
import java.util.Map;
import java.util.TreeMap;

/**
 * The IOMMU groups that this process has open. The kernel gives out a group once at a time, so several functions of one
 * group share the open group, its container and its bus addresses; the last one closes it. Thread-safe.
 */
final class GroupSessions {
    private final VfioSystem system;
    private final Map<Integer, GroupSession> sessions = new TreeMap<>();

    GroupSessions(final VfioSystem system) {
        this.system = system;
    }

    /** A device, and its share in its group. */
    final class Lease implements AutoCloseable {
        private final GroupSession session;
        private final VfioDevice device;
        private boolean returned;

        private Lease(final GroupSession session, final VfioDevice device) {
            this.session = session;
            this.device = device;
        }

        VfioDevice device() {
            return device;
        }

        Iommu iommu() {
            return session.iommu();
        }

        IovaAllocator iovas() {
            return session.iovas();
        }

        /** Closes the device, and the group after its last device. Harmless when called again. */
        @Override
        public void close() {
            synchronized (GroupSessions.this) {
                if (!returned) {
                    returned = true;
                    giveBack(session, device);
                }
            }
        }

        @Override
        public String toString() {
            return session.toString();
        }
    }

    /**
     * Opens a device and, if it is the first of its group, the group.
     *
     * @param paths    where the files are.
     * @param function the device.
     * @param failures says why not.
     * @return the device; the caller closes it.
     * @throws io.rdma4j.RdmaException EBUSY if this process has it open; else as the kernel says, with what to do.
     */
    synchronized Lease open(final VfioPaths paths, final PciFunction function, final OpenFailures failures) {
        final int number = function.iommuGroup();
        final boolean first = !sessions.containsKey(number);
        final GroupSession session =
            first ? GroupSession.open(system, paths, function, failures) : sessions.get(number);
        try (Undo undo = new Undo()) {
            if (first) {
                undo.add(session::close);
            }
            final VfioDevice device = session.open(function, failures);
            sessions.put(number, session);
            undo.forget();
            return new Lease(session, device);
        }
    }

    private void giveBack(final GroupSession session, final VfioDevice device) {
        session.closed(device);
        final Cleanup cleanup = new Cleanup().run(device::close);
        if (session.isUnused()) {
            sessions.remove(session.number());
            cleanup.run(session::close);
        }
        cleanup.throwIfFailed();
    }

    /** Groups that are open, for leak checks. */
    synchronized int size() {
        return sessions.size();
    }
}
