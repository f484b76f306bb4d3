/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.pci.PciDevice;

import java.util.Optional;
import java.util.Set;

/**
 * What a dump is read from. Whose it is closes it.
 *
 * @param view   the device as its process publishes it; {@link NothingPublished} where it is not.
 * @param pci    the function, if it is this process that has it open.
 * @param wishes what was asked for beyond the usual; unmodifiable.
 */
public record DumpSource(LiveView view, Optional<PciDevice> pci, Set<Wish> wishes) {
    /** What can be asked for. */
    public enum Wish {
        /** The bytes too, see {@link Raw}. */
        RAW,
        /** Registers too that change when they are read. */
        ICR
    }

    /**
     * Copies the wishes.
     *
     * @param view   the device.
     * @param pci    the function.
     * @param wishes copied.
     */
    public DumpSource {
        wishes = Set.copyOf(wishes);
    }

    /**
     * Whether something was asked for.
     *
     * @param wish what.
     * @return true if it was.
     */
    public boolean wants(final Wish wish) {
        return wishes.contains(wish);
    }

    /**
     * Whether the device is that of another process.
     *
     * @return true if its registers cannot be read.
     */
    public boolean isElsewhere() {
        return pci.isEmpty();
    }
}
