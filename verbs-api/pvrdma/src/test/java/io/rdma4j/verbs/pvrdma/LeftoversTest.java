/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.PvrdmaOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed, and its device, which keeps everything over a reset, is opened by the next one. */
class LeftoversTest {
    private static final String QP = "\n  qp 0x";
    private static final String CQ = "\n  cq 0x";
    private static final String SRQ = "\n  srq 0x";
    private static final String EMPTY = "user contexts 0, protection domains 0, regions 0, windows 0\n";

    @TempDir
    Path folder;
    private final EmulatedDevice emulated =
        (EmulatedDevice) PciDevices.open(DeviceAddress.parse("emulated:leftovers?quirks=qemu-7.2"));
    private Path state;

    private OtherPlatform platform() {
        final OtherPlatform platform = new OtherPlatform(emulated);
        platform.persistentName = "0000:0b:00.1";
        return platform;
    }

    private PvrdmaContext open(final OtherPlatform platform) {
        final PvrdmaContext context = new PvrdmaContext("emulated:leftovers",
            PvrdmaDevice.open(platform, new PvrdmaOptions().stateFolder(state)));
        context.bindGid(0, Gid.linkLocal(context.device.caps().nodeGuid()));
        return context;
    }

    /** What is locked by a process that lives on in this test is not locked for the next one. */
    private void newProcess() throws IOException {
        final Path next = Files.createTempDirectory(folder, "state");
        if (state != null) {
            try (Stream<Path> files = Files.list(state)) {
                for (final Path file : files.toList()) {
                    Files.copy(file, next.resolve(file.getFileName()));
                }
            }
        }
        state = next;
    }

    private static Peer[] connected(final PvrdmaContext context) {
        final Peer a = Peer.rc(context);
        final Peer b = Peer.rc(context);
        a.connect(b);
        for (int i = 0; i < 8; i++) {
            assertThat(b.qp.postReceive(i, b.at(64 * i), 64, b.lkey())).isEqualTo(ReturnCode.OK);
        }
        return new Peer[] {a, b};
    }

    private static void exchange(final Peer a, final Peer b) {
        a.fill(0, 64, 5);
        assertThat(a.qp.postSend(1, a.at(0), 64, a.lkey())).isEqualTo(ReturnCode.OK);
        final long deadline = System.nanoTime() + Patience.nanos();
        int completions = 0;
        while (completions < 1 && System.nanoTime() < deadline) {
            completions += b.cq.poll(c -> assertThat(c.status()).isEqualTo(WcStatus.SUCCESS), 1);
        }
        assertThat(b.firstDifference(0, 64, 5)).isEqualTo(-1);
    }

    @Test
    void theNextProcessFindsAnEmptyDevice() throws IOException {
        newProcess();
        final OtherPlatform first = platform();
        final PvrdmaContext killed = open(first);
        final Peer[] peers = connected(killed);
        killed.allocatePd().createSrq(16, 1);
        exchange(peers[0], peers[1]);
        final int objects = killed.device.commands().liveObjects();
        assertThat(objects).isEqualTo(3 + 2 + 2 + 2 + 1);
        first.kill();
        assertThat(emulated.describe()).contains("protection domains 3, regions 2", QP, CQ, SRQ);

        newProcess();
        final PvrdmaDevice next = PvrdmaDevice.open(platform(), new PvrdmaOptions().stateFolder(state));

        assertThat(next.counters()).containsEntry("leftovers found", objects + 1L)
            .containsEntry("leftovers destroyed", objects + 1L);
        assertThat(emulated.describe()).contains(EMPTY).doesNotContain(QP, CQ, SRQ);
        assertThat(emulated.violations()).isZero();
        next.close();
        assertThat(emulated.describe()).contains(EMPTY);
        try (Stream<Path> files = Files.list(state)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void trafficGoesOnAfterTheRestart() throws IOException {
        newProcess();
        for (int life = 0; life < 3; life++) {
            final OtherPlatform platform = platform();
            final PvrdmaContext context = open(platform);
            final Peer[] peers = connected(context);
            exchange(peers[0], peers[1]);
            platform.kill();
            newProcess();
        }
        final PvrdmaContext last = open(platform());
        assertThat(last.device.commands().liveObjects()).isZero();
        last.close();
        assertThat(emulated.describe()).contains(EMPTY);
    }
}
