/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.BooleanSupplier;

class FabricEndTest {
    private static void await(final FabricEnd end, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(end::state).isNegative();
            end.poll();
        }
    }

    /** The other process begins the next game when it has the last answer, before this one knows that it went out. */
    @Test
    void aMessageOfTheNextGameIsLeftToIt() {
        final FiPingPongOptions options =
            new FiPingPongOptions(EndpointType.MSG, List.of(8), 10, 0, true, Patience.duration());
        try (FabricDevice device = FabricDevice.of("emulated:", EndpointType.MSG);
            FabricEnd near = device.end(options, false); FabricEnd far = device.end(options, true)) {
            near.meet(far.name());
            far.meet(near.name());
            far.poll();
            near.poll();
            near.begin(8, 1);
            far.begin(8, 1);
            final Responder responder = new Responder(far::poll, far);
            near.move(0);
            await(near, () -> {
                if (responder.messages() == 0) {
                    responder.step();
                }
                return near.isReady();
            });
            near.take(0);
            near.begin(8, 1);
            near.move(0);
            await(near, () -> near.state().startsWith("2 sent, 2 of them confirmed"));
            await(near, () -> responder.step() >= 0 && responder.isOver());
            assertThat(responder.messages()).isEqualTo(1);
            assertThat(far.received()).as("what is told of this game").isEqualTo(1);
            far.begin(8, 1);
            final Responder next = new Responder(far::poll, far);
            await(near, () -> next.step() > 0 && next.messages() == 1);
        }
    }
}
