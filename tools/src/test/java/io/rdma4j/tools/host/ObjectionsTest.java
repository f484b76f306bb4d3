/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.host;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.sysfs.HostFacts;
import io.rdma4j.driver.sysfs.NetInterface;
import io.rdma4j.driver.sysfs.PciFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** With interfaces that have addresses, which no folder can make up. */
class ObjectionsTest {
    @TempDir
    private Path root;

    private void bindWith(final boolean isUp) {
        final NetInterface eth0 = new NetInterface("eth0", isUp, List.of("192.0.2.5"), false);
        final Objections objections = new Objections(new HostFacts(root));
        objections.lookAtCompanion(new PciFunction("0000:0b:00.0", 0x15ad, 0x07b0, 0, 0, 0x020000, "vmxnet3", 11,
            List.of(eth0), List.of(), List.of()));
        final List<String> warnings = new ArrayList<>();
        objections.raise("bind", "bind 0b:00.1", false, warnings::add);
        assertThat(warnings).isEmpty();
    }

    /** Linux leaves the addresses to it. */
    @Test
    void anInterfaceThatWasTakenDownAsTheRefusalSaysIsNoObjection() {
        assertThatThrownBy(() -> bindWith(true)).isInstanceOf(RdmaException.class).hasMessageContainingAll(
            "0000:0b:00.0 carries the active network interface eth0 (up, 192.0.2.5)",
            "run first: sudo ip link set eth0 down");
        bindWith(false);
    }
}
