/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.driver.sysfs.DeviceAttributes;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.PciSysfs;

import java.nio.file.Path;

/**
 * The machine that the commands look at and change.
 *
 * @param sysfs its PCI functions.
 * @param facts what else matters.
 */
public record Machine(PciSysfs sysfs, HostFacts facts) {
    /**
     * The machine that this runs on.
     *
     * @return a machine.
     */
    public static Machine here() {
        return new Machine(new PciSysfs(), new HostFacts());
    }

    /**
     * A machine in a folder.
     *
     * @param root       the folder with {@code sys}, {@code proc} and {@code dev}.
     * @param attributes takes what is written to its sysfs.
     * @return a machine.
     */
    public static Machine at(final Path root, final DeviceAttributes attributes) {
        return new Machine(new PciSysfs(root, attributes), new HostFacts(root));
    }
}
