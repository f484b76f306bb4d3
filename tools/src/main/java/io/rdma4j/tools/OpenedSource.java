/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.tools.dump.DumpSource;
import io.rdma4j.tools.dump.NothingPublished;
import io.rdma4j.tools.dump.Sample;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.pvrdma.UnderlyingDevice;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;

/** A source of dumps, and what was opened for it. */
final class OpenedSource implements AutoCloseable {
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private DumpSource source;

    private OpenedSource() {
    }

    static OpenedSource ofProcess(final long pid, final String address, final Set<DumpSource.Wish> wishes) {
        final OpenedSource result = new OpenedSource();
        final LiveView view = result.keep(LiveViews.ofPid(pid, address));
        result.source = new DumpSource(view, Optional.empty(), wishes);
        return result;
    }

    static OpenedSource ofFunction(final String address, final Set<DumpSource.Wish> wishes) {
        final OpenedSource result = new OpenedSource();
        final PciDevice pci = result.keep(PciDevices.open(DeviceAddress.parse(address)));
        result.source = new DumpSource(
            new NothingPublished(address, "not brought up", ""), Optional.of(pci), wishes);
        return result;
    }

    static OpenedSource ofOwn(final String address, final boolean sample, final Set<DumpSource.Wish> wishes) {
        final OpenedSource result = new OpenedSource();
        try (Undo undo = new Undo()) {
            undo.add(result::close);
            result.openOwn(address, sample, wishes);
            undo.forget();
        }
        return result;
    }

    /** Switches memory decoding on until this is closed: without it registers cannot be read. */
    OpenedSource decodingMemory() {
        final ConfigSpace config = source.pci().orElseThrow().config();
        final int command = config.read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        keep(() -> config.write(PciConfig.COMMAND_OFFSET, Short.BYTES, command));
        config.write(PciConfig.COMMAND_OFFSET, Short.BYTES, command | PciConfig.MEMORY);
        return this;
    }

    private void openOwn(final String address, final boolean sample, final Set<DumpSource.Wish> wishes) {
        final RdmaContext context = keep(RdmaDevices.open(address));
        final PvrdmaDevice device = UnderlyingDevice.of(context).orElseThrow(() -> RdmaException.of("dump")
            .device(address).detail("it is no pvrdma device: its registers and rings are not rdma4j's")
            .errno(RdmaException.EOPNOTSUPP)
            .hint("'rdma4j devinfo -v -d %s' prints what it tells of itself", address).build());
        if (sample) {
            keep(Sample.make(context));
        }
        source = new DumpSource(view(device), Optional.of(device.pci()), wishes);
    }

    /** One that does not publish itself, for lack of room or because it was told so, still has its registers. */
    private LiveView view(final PvrdmaDevice device) {
        final String address = device.address().toString();
        try {
            return keep(LiveViews.ofPid(ProcessHandle.current().pid(), address));
        } catch (final RdmaException e) {
            return new NothingPublished(address, device.profile().name(), e.getMessage());
        }
    }

    private <T extends AutoCloseable> T keep(final T resource) {
        opened.push(resource);
        return resource;
    }

    DumpSource source() {
        return source;
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            closeOne(opened.pop());
        }
    }

    private static void closeOne(final AutoCloseable resource) {
        try {
            resource.close();
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            throw new IllegalStateException(resource + " could not be closed", e);
        }
    }
}
