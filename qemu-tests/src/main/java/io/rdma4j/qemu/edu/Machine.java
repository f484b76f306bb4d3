/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.driver.sysfs.PciFunction;
import io.rdma4j.driver.sysfs.PciResource;
import io.rdma4j.driver.sysfs.PciSysfs;
import io.rdma4j.hw.pci.PciConfig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The guest: what its kernel says about the devices, and what can be done to them. */
final class Machine {
    static final String SHARED_FIRST = "0000:00:" + EduMain.SHARED_SLOT + ".0";
    static final String SHARED_SECOND = "0000:00:" + EduMain.SHARED_SLOT + ".1";

    private final PciSysfs pci = new PciSysfs();

    PciSysfs pci() {
        return pci;
    }

    PciFunction function(final String address) {
        return pci.find(address).orElseThrow(() -> new IllegalStateException("no " + address + " in " + pci.list()));
    }

    String bindAll() {
        for (final String address : List.of(SHARED_FIRST, SHARED_SECOND, EduClaims.SINGLE, OtherDeviceClaims.ROCKER,
            OtherDeviceClaims.TESTDEV)) {
            pci.bind(function(address), PciFunction.VFIO_PCI);
        }
        return function(SHARED_FIRST) + " group " + function(SHARED_FIRST).iommuGroup() + "; "
            + function(SHARED_SECOND) + " group " + function(SHARED_SECOND).iommuGroup() + "; "
            + function(EduClaims.SINGLE) + " group " + function(EduClaims.SINGLE).iommuGroup();
    }

    Path groupFile(final String address) {
        return pci.groupFile(function(address).iommuGroup());
    }

    long barAddress(final String address) {
        return function(address).resources().stream().filter(bar -> bar.index() == 0).findFirst()
            .map(PciResource::start).orElse(-1L);
    }

    /** Whether the function may not do DMA, as after closing. */
    boolean isIdle(final String address) {
        try {
            final byte[] config = Files.readAllBytes(pci.configFile(function(address)));
            return (config[PciConfig.COMMAND_OFFSET] & PciConfig.BUS_MASTER) == 0;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void write(final Path file, final String text) {
        try {
            Files.writeString(file, text);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
