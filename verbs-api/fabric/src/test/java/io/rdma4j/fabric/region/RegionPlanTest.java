/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes.DmaBufRange;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.EnumSet;
import java.util.Set;

/** How a dma-buf is named (checklist 15); that peers reach it so is shown in a guest that has some. */
@Timeout(60)
class RegionPlanTest {
    private static final long OFFSET = 0x2000;
    private static final long LENGTH = 0x5000;

    @RegisterExtension
    final Domains domains = new Domains();

    /** Peers count from 0, or from the base address plus the offset, whether or not this process has it mapped. */
    @ParameterizedTest
    @CsvSource({"false, 0, 0, 0", "false, 0x7000000, 0, 0x7002000", "true, 0x7000000, 0x7002000, 0x7002000",
        "true, 0, 0x2000, 0"})
    void aDmaBufBeginsAtItsBaseAddressPlusItsOffset(
        final boolean virtual, final String baseAddress, final String base, final String address) {
        final Domain domain = domains.open(hints -> {
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.HMEM);
            final Set<MrMode> modes = EnumSet.of(MrMode.HMEM);
            if (virtual) {
                modes.add(MrMode.VIRT_ADDR);
            }
            hints.mrMode(modes).demand(modes);
        });
        final RegionPlan plan = new RegionPlan(null, new DmaBufRange(5, OFFSET, LENGTH, Long.decode(baseAddress)),
            EnumSet.of(MrAccess.REMOTE_READ), EnumSet.of(MrFlag.DMABUF), 7, null, null,
            new RegionRules(domain.info(), domains.context()));
        assertThat(plan.base()).isEqualTo(Long.decode(base));
        assertThat(plan.address()).isEqualTo(Long.decode(address));
        assertThat(plan.length()).isEqualTo(LENGTH);
    }
}
