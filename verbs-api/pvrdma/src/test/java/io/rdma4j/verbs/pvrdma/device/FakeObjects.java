/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;

import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a device like QEMU's holds, whoever drives it: the lowest free handle for most kinds, a number that counts on
 * for QPs, and no objection to the destruction of PDs, regions and user contexts that are not there.
 */
final class FakeObjects {
    private static final int EINVAL = -22;

    final Map<ObjectKind, TreeMap<Integer, String>> live = new EnumMap<>(ObjectKind.class);
    /** The device behind it serves others too. */
    int nextQp = 0x11;

    FakeObjects() {
        for (final ObjectKind kind : ObjectKind.values()) {
            live.put(kind, new TreeMap<>());
        }
    }

    synchronized int create(final Command command, final UnsafeBuffer request) {
        final ObjectKind kind = ObjectKind.createdBy(command);
        final TreeMap<Integer, String> objects = live.get(kind);
        int handle = 0;
        String what = "";
        if (kind == ObjectKind.GID) {
            final CreateBindRequest bind = new CreateBindRequest().wrap(request, 0);
            handle = bind.get(CreateBindRequest.INDEX);
            what = HexFormat.of().formatHex(bind.get(CreateBindRequest.NEW_GID));
        } else if (kind == ObjectKind.QP) {
            handle = nextQp++;
        } else {
            handle = objects.isEmpty() || objects.lastKey() == objects.size() - 1 ? objects.size() : 0;
            while (objects.containsKey(handle)) {
                handle++;
            }
        }
        objects.put(handle, what);
        return handle;
    }

    /** What ERR becomes. */
    synchronized int destroy(final Command command, final UnsafeBuffer request) {
        final ObjectKind kind = ObjectKind.destroyedBy(command);
        if (kind == null) {
            return 0;
        }
        if (kind == ObjectKind.GID) {
            final DestroyBindRequest bind = new DestroyBindRequest().wrap(request, 0);
            return live.get(kind).remove(bind.get(DestroyBindRequest.INDEX),
                HexFormat.of().formatHex(bind.get(DestroyBindRequest.DEST_GID))) ? 0 : EINVAL;
        }
        final int handle = new HandleRequest().wrap(request, 0).get(HandleRequest.HANDLE);
        final boolean found = live.get(kind).remove(handle) != null;
        return found || kind == ObjectKind.PD || kind == ObjectKind.MR || kind == ObjectKind.UC ? 0 : EINVAL;
    }

    synchronized void clear() {
        live.values().forEach(Map::clear);
    }

    synchronized int count() {
        return live.values().stream().mapToInt(Map::size).sum();
    }

    @Override
    public synchronized String toString() {
        return live.toString();
    }
}
