/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.DeviceAddress;
import java.util.List;

/**
 * Opens devices of one address scheme. Found through {@link java.util.ServiceLoader}: list the class in
 * {@code META-INF/services/io.rdma4j.driver.pci.PciDeviceProvider}. Implementations are stateless towards callers and
 * thread-safe.
 */
public interface PciDeviceProvider {
    /**
     * The scheme that this provider serves.
     *
     * @return lower-case letters, such as {@code "emulated"}.
     */
    String scheme();

    /**
     * What an address of this scheme looks like, for help texts and errors.
     *
     * @return one line, such as {@code "vfio:DOMAIN:BUS:DEV.FN - a PCI function bound to vfio-pci"}.
     */
    String usage();

    /**
     * Devices that could be opened now without further knowledge.
     *
     * @return addresses, possibly none; never null.
     */
    List<DeviceAddress> list();

    /**
     * Opens a device.
     *
     * @param address an address with this provider's scheme.
     * @return the open device; the caller owns it.
     * @throws io.rdma4j.RdmaException ENODEV if there is no such device, EINVAL for an option it does not know, EBUSY
     *                                 if it is open already, EACCES without the rights; the hint says what to do.
     */
    PciDevice open(DeviceAddress address);
}
