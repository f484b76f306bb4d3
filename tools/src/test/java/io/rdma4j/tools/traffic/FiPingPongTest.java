/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(120)
class FiPingPongTest {
    private static final String DEVICE = "emulated:fi-pingpong-silent";
    private static final Duration WAIT = Patience.duration();

    private static FiPingPongOptions options(final EndpointType type, final Duration timeout) {
        return new FiPingPongOptions(type, List.of(64), 3, 3, true, timeout);
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
                    new FiPingPong(here, options(type, Duration.ofMillis(200))).with(meeting, rows -> { });
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

    /** Each byte in time, and never all of them. */
    @Test
    void aStrangerThatDribblesIsNotWaitedFor() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
             FabricDevice here = FabricDevice.of(DEVICE, EndpointType.MSG)) {
            final CompletableFuture<Void> stranger = CompletableFuture.runAsync(
                () -> dribble(new InetSocketAddress(server.getInetAddress(), server.getLocalPort())),
                Background::run);
            try (FabricMeeting meeting = FabricMeeting.accept(server, WAIT, Duration.ofMillis(300))) {
                assertThatThrownBy(
                    () -> new FiPingPong(here, options(EndpointType.MSG, WAIT)).with(meeting, rows -> { }))
                    .isInstanceOfSatisfying(FabricException.class,
                        e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_ETIMEDOUT))
                    .hasMessageContainingAll("the other process at", "within 0.3 s");
            }
            Patience.get(stranger);
        }
    }

    /** As a process of ours would begin, with a text that is announced to be long; a byte in 20 ms, for 20 s. */
    private static void dribble(final InetSocketAddress to) {
        final byte[] said = ByteBuffer.allocate(1000).putInt(0x66_70_70_01).putLong(1).putLong(2).put((byte) 0)
            .putInt(1024).array();
        try (Socket socket = new Socket(to.getAddress(), to.getPort())) {
            for (final byte each : said) {
                socket.getOutputStream().write(each);
                Thread.sleep(20);
            }
        } catch (final IOException | InterruptedException e) {
            // It was sent away.
        }
    }
}
