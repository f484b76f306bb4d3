/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(120)
class FiPingPongTest {
    private static final String DEVICE = "emulated:fi-pingpong-silent";
    private static final Duration WAIT = Patience.duration();

    private static FiPingPongOptions options(final EndpointType type, final Duration timeout) {
        return new FiPingPongOptions(type, List.of(64), 3, true, timeout);
    }

    /** The other end meets this one, and is silent then. */
    @ParameterizedTest
    @EnumSource(value = EndpointType.class, names = {"MSG", "RDM", "DGRAM"})
    void nothingComes(final EndpointType type) throws Exception {
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             FabricDevice here = FabricDevice.of(DEVICE, type);
             FabricDevice there = FabricDevice.of(DEVICE, type)) {
            final Thread waits = new Thread(() -> {
                try (FabricMeeting meeting = FabricMeeting.accept(server, WAIT, WAIT)) {
                    new FiPingPong(here, options(type, Duration.ofMillis(200))).with(meeting);
                }
            });
            waits.setUncaughtExceptionHandler((thread, e) -> thrown.set(e));
            waits.start();
            final FiPingPongOptions options = options(type, WAIT);
            try (FabricMeeting meeting = FabricMeeting.connect(
                new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), options.timeout());
                 FabricEnd end = there.end(options, false)) {
                meeting.introduce(options, "fake:", end);
                meeting.meet();
                waits.join();
            }
        }
        assertThat(thrown.get()).isInstanceOf(DiagnosedException.class)
            .hasMessageContainingAll("fi_pingpong failed on '" + DEVICE + "'", "nothing came for 0.2 s", "0 received",
                "the other end is in another process", "ETIMEDOUT");
        assertThat(((DiagnosedException) thrown.get()).diagnosis()).contains("domain of " + DEVICE);
    }
}
