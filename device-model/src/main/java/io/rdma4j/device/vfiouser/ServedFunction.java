/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.vfiouser;

import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.driver.pci.PciDevice;

/**
 * A function of the model as a machine sees it that it is plugged into: besides what its driver sees, the machine's
 * memory, its interrupts, and the time that it takes to think.
 */
public interface ServedFunction extends PciDevice {
    /**
     * Lets the device reach memory.
     *
     * @param iova    where the device sees it, page-aligned; 0, too.
     * @param address where this process has it mapped, page-aligned; no page of it may vanish.
     * @param length  bytes, whole pages.
     * @throws IllegalArgumentException if that overlaps what is mapped.
     */
    void mapMemory(long iova, long address, long length);

    /**
     * Ends what {@link #mapMemory} began. When this returns, no access of the device to that memory is under way, and
     * none will begin.
     *
     * @param iova   first, page-aligned.
     * @param length bytes, of one or several mappings in whole.
     * @throws io.rdma4j.RdmaException EINVAL if there is none, or one that is only in part inside.
     */
    void unmapMemory(long iova, long length);

    /**
     * Says where interrupts go. Messages are those of the vectors that {@link #interrupts()} enables.
     *
     * @param output is told from now on; {@link InterruptOutput#NONE} ends that.
     */
    void interruptsTo(InterruptOutput output);

    /**
     * Brings the device into its state after power-up, as the machine is gone that it was plugged into. That is more
     * than {@link #reset()}, which a device may not offer, and which leaves what platforms set up. The memory stays
     * mapped.
     */
    void powerUp();

    /**
     * {@return whether the interrupt line is asserted}
     */
    boolean isLineAsserted();

    /**
     * Has the device do what waits for a time, and some of what waits for nothing.
     *
     * @return nanoseconds until there is something to do again: 0 if there is more already, {@link Long#MAX_VALUE} if
     *         nothing waits.
     */
    long service();
}
