/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.verbs.pvrdma.live.GidKind;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The addresses of the device. The device cannot be asked for them, so this keeps a copy of what was bound. Binding an
 * index that is bound unbinds it first. Thread-safe.
 */
public final class GidTable {
    /** Bytes of a GID. */
    public static final int GID_LENGTH = 16;

    private final PvrdmaCommands commands;
    private final DeviceProfile profile;
    private final Object deviceName;
    private final int defaultType;
    /** Changed under the lock; printed without it, since who holds it may be waiting for the device. */
    private final AtomicReferenceArray<byte[]> gids;
    private final LivePublisher live;
    private final LiveEntry[] published;

    GidTable(
        final PvrdmaCommands commands, final int length, final int version, final int gidTypes,
        final DeviceProfile profile, final LivePublisher live, final Object deviceName) {
        this.commands = commands;
        this.profile = profile;
        this.deviceName = deviceName;
        this.live = live;
        this.published = new LiveEntry[length];
        this.gids = new AtomicReferenceArray<>(length);
        this.defaultType = version < Bar1.PVRDMA_ROCEV2_VERSION ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1 : gidTypes;
    }

    /**
     * The type of all GIDs of this device.
     *
     * @return {@link GidType#PVRDMA_GID_TYPE_FLAG_ROCE_V1} or {@link GidType#PVRDMA_GID_TYPE_FLAG_ROCE_V2}.
     */
    public int type() {
        return defaultType;
    }

    /**
     * Size of the table.
     *
     * @return entries, indices run from 0.
     */
    public int length() {
        return gids.length();
    }

    /**
     * Binds an address with the type of the device.
     *
     * @param index where.
     * @param gid   16 bytes, not all zero.
     * @throws RdmaException as {@link #bind(int, byte[], int)}.
     */
    public void bind(final int index, final byte[] gid) {
        bind(index, gid, defaultType);
    }

    /**
     * Binds an address. If the index is bound and the device refuses the new address, the index is unbound.
     *
     * @param index where.
     * @param gid   16 bytes, not all zero.
     * @param type  {@link #type()}; devices know one type at a time.
     * @throws RdmaException EINVAL for a bad index or GID, EOPNOTSUPP for another type, or as the device says.
     */
    public synchronized void bind(final int index, final byte[] gid, final int type) {
        checkIndex("bind GID", index);
        checkGid(gid);
        if (type != defaultType) {
            throw RdmaException.of("bind GID")
                .device(deviceName)
                .detail("type %s, the device has %s", GidType.NAMES.of(type), GidType.NAMES.of(defaultType))
                .errno(RdmaException.EOPNOTSUPP)
                .build();
        }
        unbind(index);
        commands.createBind(index, gid, type);
        remember(index, gid, type);
    }

    /**
     * Unbinds an address. Harmless if the index is not bound.
     *
     * @param index where.
     * @throws RdmaException EINVAL for a bad index, or as the device says.
     */
    public synchronized void unbind(final int index) {
        checkIndex("unbind GID", index);
        final byte[] bound = gids.get(index);
        if (bound != null) {
            commands.destroyBind(index, bound);
            forget(index);
        }
    }

    private void remember(final int index, final byte[] gid, final int type) {
        gids.set(index, gid.clone());
        final ByteBuffer bytes = ByteBuffer.wrap(gid);
        published[index] = live.add(GidKind.KIND, index).set(GidKind.GID_HIGH, bytes.getLong())
            .set(GidKind.GID_LOW, bytes.getLong()).set(GidKind.TYPE, type);
        published[index].publish();
    }

    private void forget(final int index) {
        gids.set(index, null);
        published[index].close();
    }

    /** Unbinds all, as far as the device lets us. */
    synchronized void unbindAll() {
        for (int index = gids.length() - 1; index >= 0; index--) {
            try {
                unbind(index);
            } catch (final RdmaException e) {
                // The channel has counted and recorded the refusal; the reset follows.
                forget(index);
                commands.unbindRefused(e);
            }
        }
    }

    /**
     * What is bound.
     *
     * @param index where.
     * @return a copy of the 16 bytes, or null if nothing is bound there.
     * @throws RdmaException EINVAL for a bad index.
     */
    public synchronized byte[] get(final int index) {
        checkIndex("get GID", index);
        final byte[] bound = gids.get(index);
        return bound == null ? null : bound.clone();
    }

    /**
     * Whether something is bound.
     *
     * @param index where.
     * @return true if it is.
     * @throws RdmaException EINVAL for a bad index.
     */
    public synchronized boolean isBound(final int index) {
        checkIndex("get GID", index);
        return gids.get(index) != null;
    }

    private void checkIndex(final String operation, final int index) {
        if (index < 0 || index >= gids.length()) {
            throw RdmaException.of(operation)
                .device(deviceName)
                .detail("index %d, allowed are 0 to %d", index, gids.length() - 1)
                .errno(RdmaException.EINVAL)
                .build();
        }
    }

    private void checkGid(final byte[] gid) {
        if (gid.length != GID_LENGTH || isZero(gid, 0)) {
            throw badGid(gid, "16 bytes are needed, not all zero");
        }
        if (profile.has(Quirk.GID_ZERO_INTERFACE_ID) && isZero(gid, GID_LENGTH / 2)) {
            throw badGid(gid, "this device " + Quirk.GID_ZERO_INTERFACE_ID.description());
        }
    }

    private RdmaException badGid(final byte[] gid, final String why) {
        return RdmaException.of("bind GID")
            .device(deviceName)
            .detail("%s: %s", HexFormat.of().formatHex(gid), why)
            .errno(RdmaException.EINVAL)
            .build();
    }

    private static boolean isZero(final byte[] gid, final int from) {
        for (int i = from; i < gid.length; i++) {
            if (gid[i] != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("GidTable[");
        for (int index = 0; index < gids.length(); index++) {
            final byte[] bound = gids.get(index);
            if (bound != null) {
                text.append(text.length() > 9 ? " " : "").append(index).append('=')
                    .append(HexFormat.of().formatHex(bound));
            }
        }
        return text.append(']').toString();
    }
}
