/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.memory.ProcessMaps;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.verbs.PageList;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.RegionPages;
import io.rdma4j.verbs.spi.Errors;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Pages in an order of the application's own: a copy of its list. */
final class ListSource implements RegionSource {
    private final long[] addresses;
    private final Object[] owners;
    private final int offset;
    private final boolean readOnly;
    private final boolean onDemand;

    /**
     * Copies.
     *
     * @param list   the pages.
     * @param offset where the region begins in the first one; not checked yet.
     */
    ListSource(final PageList list, final int offset) {
        addresses = new long[list.size()];
        owners = new Object[list.size()];
        Arrays.setAll(addresses, list::address);
        Arrays.setAll(owners, list::owner);
        this.offset = offset;
        this.readOnly = list.isReadOnly();
        onDemand = false;
    }

    private ListSource(final ListSource pages, final boolean onDemand) {
        addresses = pages.addresses;
        owners = pages.owners;
        offset = pages.offset;
        readOnly = pages.readOnly;
        this.onDemand = onDemand;
    }

    @Override
    public boolean onDemand() {
        return onDemand;
    }

    @Override
    public ListSource with(final boolean demand) {
        return demand == onDemand ? this : new ListSource(this, demand);
    }

    int pages() {
        return addresses.length;
    }

    long address(final int page) {
        return addresses[page];
    }

    Object mappedFor(final int page) {
        return RegionSource.mappedFor(owners[page], addresses[page], Pdir.PAGE_SIZE);
    }

    @Override
    public long firstByte() {
        return addresses.length == 0 ? 0 : addresses[0] + offset;
    }

    @Override
    public Collection<Object> owners() {
        final Set<Object> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        Collections.addAll(distinct, owners);
        distinct.remove(null);
        return distinct;
    }

    @Override
    public void check(
        final String operation, final PvrdmaContext context, final long length, final boolean write) {
        Errors.inRange(offset, 0, Pdir.PAGE_SIZE - 1, operation, context, "offset in the first page");
        final long needed = Pdir.pagesSpanned(offset, length);
        if (needed != addresses.length) {
            throw Errors.invalid(operation, context, "the list has %d pages, %d bytes from offset %d on need %d",
                addresses.length, length, offset, needed);
        }
        if (write && readOnly) {
            throw Errors.error(RdmaException.EFAULT, operation, context,
                "the list has pages of a read-only buffer, LOCAL_WRITE asked for");
        }
        final long[] unknown = unknownPages();
        for (final long page : unknown) {
            RegionSource.requireForeign(operation, context, page, Pdir.PAGE_SIZE);
        }
        final String hole = onDemand ? null : ProcessMaps.firstHoleInPages(unknown, write);
        if (hole != null) {
            throw Errors.error(RdmaException.EFAULT, operation, context, "list of %d pages: %s", addresses.length,
                hole);
        }
    }

    private long[] unknownPages() {
        final long[] unknown = new long[addresses.length];
        int count = 0;
        for (int page = 0; page < addresses.length; page++) {
            if (!RegionSource.isKnown(owners[page], addresses[page], Pdir.PAGE_SIZE)) {
                unknown[count++] = addresses[page];
            }
        }
        return Arrays.copyOf(unknown, count);
    }

    @Override
    public RegionPages map(final PvrdmaDevice device, final long length) {
        return onDemand ? device.mapPagesOnDemand(addresses.length, this::address, offset, length)
            : device.mapPages(addresses.length, this::address, this::mappedFor, offset, length);
    }

    @Override
    public String toString() {
        return addresses.length + " pages";
    }
}
