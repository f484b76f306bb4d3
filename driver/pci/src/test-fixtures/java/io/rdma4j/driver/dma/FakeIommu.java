/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

import org.agrona.concurrent.UnsafeBuffer;

/** Translates as a device would, counts, and refuses on demand. */
public final class FakeIommu implements Iommu {
    private record Window(long address, long length, Object owner) {
    }

    /** A range whose pages changed. */
    public record Refreshed(long address, long bytes, boolean write) {
    }

    /** What happened, in order. */
    public final List<String> log = new ArrayList<>();
    /** What was refreshed: from where in the process, how many bytes, and whether the device writes there. */
    public final List<Refreshed> refreshed = new ArrayList<>();
    private final TreeMap<Long, Window> windows = new TreeMap<>();
    private int mapsUntilRefusal = Integer.MAX_VALUE;
    private int unmapsUntilRefusal = Integer.MAX_VALUE;
    private int refusal = RdmaException.ENOMEM;
    private long largest = Long.MAX_VALUE;
    private int refreshesUntilRefusal = Integer.MAX_VALUE;
    private int maxMappings = Integer.MAX_VALUE;
    private long runLength = Long.MAX_VALUE;

    /** Makes the n-th map call from now on fail, once; 1 is the next. */
    public void refuseMap(final int n) {
        mapsUntilRefusal = n;
    }

    /** Makes the n-th unmap call from now on fail, once; 1 is the next. */
    public void refuseUnmap(final int n) {
        unmapsUntilRefusal = n;
    }

    /** Makes the n-th refresh call from now on fail, once; 1 is the next. */
    public void refuseRefresh(final int n) {
        refreshesUntilRefusal = n;
    }

    /** Makes map calls that are refused fail with this errno. */
    public void refuseWith(final int errno) {
        refusal = errno;
    }

    /** Refuses everything that is larger. */
    public void refuseAbove(final long bytes) {
        largest = bytes;
    }

    /** Says how many mappings there can be; it does not enforce it. */
    public void maxMappings(final int limit) {
        maxMappings = limit;
    }

    /** Tells a device addresses that follow each other only for so many bytes, as if nothing translated. */
    public void tellRunsOf(final long bytes) {
        runLength = bytes;
    }

    @Override
    public LongUnaryOperator busAddresses(final long iova) {
        return offset -> iova + offset + offset / runLength * (1L << 30);
    }

    @Override
    public int maxMappings() {
        return maxMappings;
    }

    @Override
    public synchronized void map(final long iova, final long address, final long length, final Object owner) {
        if (--mapsUntilRefusal == 0 || length > largest) {
            throw RdmaException.of("map").detail("refused by the test").errno(refusal).build();
        }
        final Map.Entry<Long, Window> below = windows.lowerEntry(iova + length);
        if (iova % 4096 != 0 || address % 4096 != 0 || length <= 0 || length % 4096 != 0 || iova == 0
            || below != null && below.getKey() + below.getValue().length > iova) {
            throw new AssertionError(String.format("bad map iova=0x%x address=0x%x length=%d over %s", iova, address,
                length, below));
        }
        windows.put(iova, new Window(address, length, owner));
        log.add("map");
    }

    @Override
    public synchronized void unmap(final long iova, final long length) {
        if (--unmapsUntilRefusal == 0) {
            throw RdmaException.of("unmap").detail("refused by the test").errno(RdmaException.EIO).build();
        }
        final Window window = windows.remove(iova);
        if (window == null || window.length != length) {
            throw new AssertionError(String.format("unmap of what is not mapped: iova=0x%x length=%d", iova, length));
        }
        log.add("unmap");
    }

    @Override
    public boolean mapsOnDemand() {
        return true;
    }

    @Override
    public synchronized void mapOnDemand(final long iova, final long address, final long length) {
        windows.put(iova, new Window(address, length, null));
        log.add("map on demand");
    }

    @Override
    public boolean refreshes() {
        return true;
    }

    @Override
    public synchronized void refresh(
        final Range mapping, final long changed, final long bytes, final boolean write) {
        if (--refreshesUntilRefusal == 0) {
            throw RdmaException.of("refresh").detail("refused by the test").errno(RdmaException.EFAULT).build();
        }
        final Window window = windows.get(mapping.iova());
        if (window == null || window.length != mapping.length() || window.address != mapping.address()
            || changed < window.address || changed + bytes > window.address + window.length) {
            throw new AssertionError("refresh of what is not mapped: " + mapping + " of " + windows);
        }
        refreshed.add(new Refreshed(changed, bytes, write));
        log.add("refresh");
    }

    @Override
    public synchronized void suspend(final Range mapping) {
        log.add("suspend");
    }

    /** Memory at a bus address; it must be mapped in one piece. */
    public synchronized UnsafeBuffer at(final long iova, final int length) {
        final Map.Entry<Long, Window> window = windows.floorEntry(iova);
        if (window == null || iova + length > window.getKey() + window.getValue().length) {
            throw new AssertionError(String.format("the device accesses 0x%x + %d, which is not mapped: %s", iova,
                length, windows));
        }
        return new UnsafeBuffer(window.getValue().address + iova - window.getKey(), length);
    }

    /** How many mappings there are. */
    public synchronized int mappings() {
        return windows.size();
    }

    /** What the mapping at a bus address keeps alive. */
    public synchronized Object owner(final long iova) {
        return windows.floorEntry(iova).getValue().owner;
    }
}
