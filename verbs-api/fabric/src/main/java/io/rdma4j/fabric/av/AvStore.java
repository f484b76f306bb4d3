/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;

import org.agrona.MutableDirectBuffer;

/**
 * Where a vector keeps addresses: places from 0 on, each with its life ({@link AvNames}). Whatever changes it is called
 * between {@link #lock} and {@link #unlock}, by one thread of this process at a time. All else may be called by any
 * thread at any time until it is closed, and takes no lock.
 *
 * <p>A life is from 1 to {@link AvNames#mostLife}; each address that comes to a place has a higher one than the address
 * before it; a place whose life is the last one is not used again.
 */
public interface AvStore extends AutoCloseable {
    /** Instead of a queue key: the device does not tell which one a datagram's sender has. */
    long ANY_KEY = -1;

    /**
     * The type of names.
     *
     * @return MAP or TABLE.
     */
    AvType type();

    /**
     * Bits that names keep free.
     *
     * @return for receive contexts.
     */
    int rxCtxBits();

    /**
     * What is added to names.
     *
     * @return 0 for stores of one process.
     */
    default long mapAddress() {
        return 0;
    }

    /**
     * Whether processes share it: there are no user identifiers then.
     *
     * @return true if so.
     */
    default boolean isShared() {
        return false;
    }

    /**
     * Whether it cannot be changed through this object.
     *
     * @return true if so.
     */
    default boolean isReadOnly() {
        return false;
    }

    /**
     * Where a peer is. For the data path: no lock, no allocation.
     *
     * @param place any number.
     * @param life  which address of this place is meant; 0 for any.
     * @param into  filled in but for the name; what it says after false is anything.
     * @return false if it is not there.
     */
    boolean find(int place, int life, PeerAddress into);

    /**
     * Where an address with this device address is kept: the first of those with one queue key that is still there.
     * For the data path.
     *
     * @param gidHigh first half of the GID.
     * @param gidLow  second half of the GID.
     * @param qpn     queue pair number.
     * @param qkey    queue key, 0 to 0xffffffff; or {@link #ANY_KEY}.
     * @return {@link AvNames#handle}, place and life of one moment; -1 if there is none.
     */
    long placeOf(long gidHigh, long gidLow, int qpn, long qkey);

    /**
     * The life of the address at a place.
     *
     * @param place any number.
     * @return 0 if there is none.
     */
    int life(int place);

    /**
     * An address as it was inserted.
     *
     * @param place any number.
     * @param life  which address of this place is meant; 0 for any.
     * @return null if it is not there.
     */
    FabricAddress inserted(int place, int life);

    /**
     * An address as it was inserted, without allocation but for text.
     *
     * @param place  any number.
     * @param life   which address of this place is meant; 0 for any.
     * @param to     as much of it as there is room for; the range was checked.
     * @param offset first byte.
     * @param length room, 0 or more.
     * @return bytes that all of it needs; -FI_EINVAL if it is not there.
     */
    int inserted(int place, int life, MutableDirectBuffer to, int offset, int length);

    /**
     * Begins changes. Waits for other processes if it is shared.
     *
     * @throws io.rdma4j.fabric.FabricException FI_EAGAIN if others did not end in time.
     */
    void lock();

    /** Ends changes: what was changed is seen from now on, if not before. */
    void unlock();

    /**
     * So many addresses will follow: a hint.
     *
     * @param more 0 or more.
     */
    default void reserve(final int more) {
        // Nothing to prepare.
    }

    /**
     * Adds an address at the lowest free place.
     *
     * @param entry copied; with device address.
     * @return {@link AvNames#handle}; or -FI_ENOMEM if it is full, -FI_EACCES if it is for reading only.
     */
    long insert(AvEntry entry);

    /**
     * Takes an address out.
     *
     * @param place any number.
     * @param life  which address of this place is meant; 0 for any.
     * @return false if it was not there.
     */
    boolean remove(int place, int life);

    /**
     * The address is somewhere else now; what was inserted stays. One for reading only keeps that for itself, until
     * somebody else changes the address.
     *
     * @param place  any number.
     * @param life   which address of this place is meant; 0 for any.
     * @param device where; only its device address counts.
     * @return false if it was not there.
     */
    boolean resolved(int place, int life, AvEntry device);

    /**
     * A number that changes when another process, or another vector of this one, has moved an address.
     *
     * @return 0 for stores that nobody else changes.
     */
    default int moves() {
        return 0;
    }

    /**
     * Addresses in it.
     *
     * @return 0 or more.
     */
    long size();

    /**
     * Where places end, as others may change it meanwhile.
     *
     * @return all places are below it.
     */
    default int end() {
        return AvNames.MOST_PLACE;
    }

    /**
     * Bytes that it takes.
     *
     * @return 0 or more.
     */
    long memoryUse();

    /**
     * Gives memory back; nothing is called any more, but this again where it failed.
     *
     * @throws io.rdma4j.fabric.FabricException FI_EAGAIN if others that share it did not end in time: nothing is given
     *                                          up.
     */
    @Override
    void close();
}
