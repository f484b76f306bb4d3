/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.info;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many regions are promised. */
@Timeout(60)
class RegionCountTest {
    private static final String DEVICE = "emulated:rc?max_mr=100";

    private static Hints counting() {
        return new Hints().address(DEVICE).capabilities(Capability.RMA, Capability.ATOMIC, Capability.RMA_EVENT);
    }

    @Test
    void aRegionThatIsCountedTakesTwoOfTheDevice() {
        // 12 are the provider's.
        assertThat(Fabrics.getInfo(new Hints().address(DEVICE)).get(0).domainAttributes().mrCount()).isEqualTo(88);
        assertThat(Fabrics.getInfo(counting()).get(0).domainAttributes().mrCount()).isEqualTo(44);
        final FabricException refused = catchThrowableOfType(FabricException.class,
            () -> Fabrics.getInfo(counting().mrCount(45)));
        assertThat(refused).isNotNull();
        assertThat(FiErrno.name(refused.errno())).isEqualTo("FI_ENODATA");
        assertThat(refused.getMessage()).contains("mr_cnt 44");
    }
}
