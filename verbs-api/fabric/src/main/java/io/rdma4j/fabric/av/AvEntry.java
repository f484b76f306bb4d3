/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.FabricAddress;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/** An address on its way into a store: as it was given, and where the device finds it. Used again; not thread-safe. */
public final class AvEntry {
    private final ExpandableArrayBuffer bytes = new ExpandableArrayBuffer(64);
    private AddressFormat format;
    private int length;
    private long gidHigh;
    private long gidLow;
    private int qpn;
    private int qkey;
    private int kind;
    private Tags userIds;
    private long userId;
    private Tags authKeys;
    private long authKey;

    /** Of no address yet. */
    public AvEntry() {
        // Filled in by inserted and device.
    }

    /**
     * As it was given.
     *
     * @param newFormat how it is written.
     * @param from      copied.
     * @param offset    of its first byte.
     * @param newLength of it.
     */
    public void inserted(
        final AddressFormat newFormat, final DirectBuffer from, final int offset, final int newLength) {
        format = newFormat;
        length = newLength;
        bytes.putBytes(0, from, offset, newLength);
    }

    /**
     * As it was given.
     *
     * @param address copied.
     */
    public void inserted(final FabricAddress address) {
        final byte[] all = address.bytes();
        format = address.format();
        length = all.length;
        bytes.putBytes(0, all);
    }

    /**
     * Where the device finds it.
     *
     * @param newGidHigh first half of the GID.
     * @param newGidLow  second half of the GID.
     * @param newQpn     queue pair number, 0 to 0xffffff.
     * @param newQkey    queue key.
     * @param newKind    {@link io.rdma4j.fabric.EndpointType#value}.
     */
    public void device(
        final long newGidHigh, final long newGidLow, final int newQpn, final int newQkey, final int newKind) {
        gidHigh = newGidHigh;
        gidLow = newGidLow;
        qpn = newQpn;
        qkey = newQkey;
        kind = newKind;
    }

    /** What belongs to it; null for nothing. */
    void tags(final Tags newUserIds, final long newUserId, final Tags newAuthKeys, final long newAuthKey) {
        userIds = newUserIds;
        userId = newUserId;
        authKeys = newAuthKeys;
        authKey = newAuthKey;
    }

    /** Where it will be: by stores, before it is found there, so that nobody finds it without what belongs to it. */
    void placed(final int place, final int life) {
        if (userIds != null) {
            userIds.put(place, life, userId);
        }
        if (authKeys != null) {
            authKeys.put(place, life, authKey);
        }
    }

    /**
     * As it was given.
     *
     * @return a new object.
     */
    public FabricAddress inserted() {
        final byte[] all = new byte[length];
        bytes.getBytes(0, all);
        return FabricAddress.of(format, all);
    }

    /**
     * Bytes of the address as it was given.
     *
     * @return all of them, also for text.
     */
    public int length() {
        return length;
    }

    /**
     * Copies the address as it was given.
     *
     * @param to     where to.
     * @param offset first byte; there is room for {@link #length}.
     */
    public void copyTo(final MutableDirectBuffer to, final int offset) {
        bytes.getBytes(0, to, offset, length);
    }

    DirectBuffer bytes() {
        return bytes;
    }

    /** To be filled in. */
    MutableDirectBuffer bytes(final AddressFormat newFormat, final int newLength) {
        format = newFormat;
        length = newLength;
        return bytes;
    }

    /**
     * How it is written.
     *
     * @return the vector's format.
     */
    public AddressFormat format() {
        return format;
    }

    /**
     * First half of the GID.
     *
     * @return of the device address.
     */
    public long gidHigh() {
        return gidHigh;
    }

    /**
     * Second half of the GID.
     *
     * @return of the device address.
     */
    public long gidLow() {
        return gidLow;
    }

    /**
     * Queue pair number.
     *
     * @return of the device address.
     */
    public int qpn() {
        return qpn;
    }

    /**
     * Queue key.
     *
     * @return of the device address.
     */
    public int qkey() {
        return qkey;
    }

    /**
     * Kind of endpoint.
     *
     * @return {@link io.rdma4j.fabric.EndpointType#value} of the device address.
     */
    public int kind() {
        return kind;
    }
}
