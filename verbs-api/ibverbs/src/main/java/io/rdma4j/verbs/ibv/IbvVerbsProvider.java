/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.DeviceAddress;
import io.rdma4j.base.Undo;
import io.rdma4j.verbs.DeviceInfo;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ibv.lib.VerbsLibrary;
import io.rdma4j.verbs.spi.VerbsProvider;

import java.util.List;
import java.util.Set;

/**
 * Opens RDMA devices of the kernel through libibverbs: {@code ibv:mlx5_0}, {@code ibv:rxe0}, {@code ibv:} for the first
 * one. The option {@code gid} names the GID to send from by default, one that the device has.
 */
public final class IbvVerbsProvider implements VerbsProvider {
    private static final String SCHEME = "ibv";
    private static final String GID = "gid";

    /** For {@link java.util.ServiceLoader}. */
    public IbvVerbsProvider() {
        // Stateless.
    }

    @Override
    public List<String> schemes() {
        return List.of(SCHEME);
    }

    @Override
    public boolean serves(final DeviceAddress address) {
        return SCHEME.equals(address.scheme());
    }

    /** Without the library there are none: that it is missing is told to those who ask for one. */
    @Override
    public List<DeviceInfo> list() {
        return !VerbsLibrary.isThere() ? List.of() : Devices.names(VerbsLibrary.load()).stream()
            .map(name -> new DeviceInfo(SCHEME + ':' + name, "RDMA device of the kernel, through libibverbs")).toList();
    }

    @Override
    public RdmaContext open(final DeviceAddress address) {
        address.requireOnly(Set.of(GID));
        final Gid gid = address.options().containsKey(GID) ? Gid.parse(address.option(GID, "")) : null;
        final VerbsLibrary library = VerbsLibrary.load();
        try (Undo undo = new Undo()) {
            final long opened = Devices.open(address, library);
            undo.add(() -> library.closeDevice(opened));
            final IbvContext context =
                new IbvContext(address.toString(), library, opened, ContextCheck.driver(opened), gid);
            undo.forget();
            context.start();
            return context;
        }
    }
}
