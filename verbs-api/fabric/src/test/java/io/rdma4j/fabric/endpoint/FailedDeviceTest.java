/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A device that fails under an endpoint: codes, cancelled operations, and everything can be closed. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailedDeviceTest {
    @RegisterExtension
    final Sides sides = new Sides();

    @Test
    void everythingSaysSoAndCanBeClosed() {
        final Side[] both = sides.pair(Mode.PROV_KEY_VIRT::hints);
        final Side a = both[0];
        final MemoryRegion desc = a.local();
        assertThat(a.ep.receive(a.at(0), 8, desc, 1)).isZero();
        assertThat(a.ep.receive(a.at(0), 8, null, 2)).isZero();
        EmulatedDevice.lookup(a.context.address().substring("emulated:".length())).faults().fatal();
        a.context.awaitAsyncEvent(Duration.ofMillis(10));
        Await.until("the device has failed", () -> a.cq.read(entry -> { }, 8) == -FiErrno.FI_EIO);
        assertThat(a.ep.send(a.at(0), 8, desc, 3)).isEqualTo(-FiErrno.FI_EIO);
        assertThat(a.ep.write(a.at(0), 8, desc, 0, 1, 4)).isEqualTo(-FiErrno.FI_EIO);
        a.ep.close();
        final List<Done> cancelled = new ArrayList<>();
        assertThat(a.cq.read(entry -> cancelled.add(Done.of(entry)), 8)).isEqualTo(2);
        assertThat(cancelled).allMatch(d -> d.errno() == FiErrno.FI_ECANCELED).extracting(Done::context)
            .containsExactly(1L, 2L);
    }
}
