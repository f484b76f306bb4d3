/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.concurrent.TimeUnit;

/** Regions that belong to an endpoint (FI_MR_ENDPOINT) are reached through it, and through no other. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class EndpointModeTest {
    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void regionOfOneEndpoint() {
        final Side[] both = sides.pair(() -> new Hints().capabilities(Capability.MSG, Capability.RMA)
            .mrMode(MrMode.ENDPOINT, MrMode.ALLOCATED).demand(MrMode.ENDPOINT));
        final Side a = both[0];
        final Side b = both[1];
        final MsgEndpoint a2 = a.domain.openEndpoint(new EndpointOptions().completionQueue(a.cq));
        final MsgEndpoint b2 = b.domain.openEndpoint(new EndpointOptions().completionQueue(b.cq));
        a2.connect(b2.name());
        b2.connect(a2.name());
        final MemoryRegion region = b.register(4);
        assertThat(region.isEnabled()).isFalse();
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a.ep.write(a.at(0), 8, null, 0, 4, 1));
        region.bind(b.ep);
        region.enable();
        a.succeeds(() -> a.ep.write(a.at(0), 8, null, 0, 4, 2));
        a.fails(FiErrno.FI_EKEYREJECTED, () -> a2.write(a.at(0), 8, null, 0, 4, 3));
        b.ep.close();
        assertThat(region.isEnabled()).isFalse();
        a2.close();
        b2.close();
    }
}
