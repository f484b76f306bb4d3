/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.pvrdma.device.PvrdmaOptions;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device that answers and writes anything: the JVM lives, each call comes back in its time, with a code or an
 * RdmaException, and closing gives back what the device could reach.
 */
@Timeout(120)
class HostileDeviceTest {
    private static final AtomicLong NAMES = new AtomicLong();
    private static final int STEPS = 150;
    private static final Duration SHORT = Duration.ofMillis(1);

    private final StringBuilder read = new StringBuilder();
    private int told;

    /** What a program does, as long as the device lets it. */
    private interface Step {
        void run(Peer near, Peer far, PvrdmaContext context);
    }

    private static final List<Step> CALLS = List.of(
        (near, far, context) -> near.qp.postSend(1, near.at(0), 64, near.lkey()),
        (near, far, context) -> near.qp.postSend(new SendRequest().wrId(2).opcode(SendOpcode.RDMA_WRITE)
            .sge(near.at(64), 8, near.lkey()).remote(far.at(0), far.region.rkey())),
        (near, far, context) -> near.qp.postSend(new SendRequest().wrId(3).opcode(SendOpcode.RDMA_READ)
            .sge(near.at(64), 8, near.lkey()).remote(far.at(0), far.region.rkey())),
        (near, far, context) -> far.qp.postReceive(4, far.at(128), 128, far.lkey()),
        (near, far, context) -> near.cq.requestNotify(false),
        (near, far, context) -> near.cq.awaitEvent(SHORT),
        (near, far, context) -> near.qp.query(),
        (near, far, context) -> context.queryPort(1),
        (near, far, context) -> context.dump(),
        (near, far, context) -> context.awaitAsyncEvent(SHORT),
        (near, far, context) -> near.pd.register(near.at(0), 4096, AccessFlag.LOCAL_WRITE).close(),
        (near, far, context) -> context.createCq(16).close(),
        (near, far, context) -> near.cq.resize(600),
        (near, far, context) -> near.pd.createSrq(16, 1).close(),
        (near, far, context) -> near.pd.createQp(new QpOptions().type(QpType.UD).cq(near.cq)).close(),
        (near, far, context) -> {
            near.qp.modify(QpAttributes.to(QpState.RESET));
            far.qp.modify(QpAttributes.to(QpState.RESET));
            near.connect(far);
        });

    @Campaign(value = "hostile-device", usual = 8)
    void harmsNobody(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final HostileDevice device = new HostileDevice(PciDevices.open(
            DeviceAddress.parse("emulated:hostile" + NAMES.incrementAndGet())), random);
        final PvrdmaContext context = new PvrdmaContext("emulated:", PvrdmaDevice.open(device,
            new PvrdmaOptions().responseTimeoutNanos(TimeUnit.MILLISECONDS.toNanos(300))));
        try {
            use(context, device, random);
        } finally {
            closes(context);
        }
        assertThat(context.reachableBytes()).isZero();
        CampaignSeeds.count("steps", STEPS);
        CampaignSeeds.count("words written", device.written());
    }

    /** Else the other one shows nothing. */
    @Test
    void somethingIsRefused() {
        for (int seed = 1; told == 0; seed++) {
            assertThat(seed).isLessThan(100);
            harmsNobody(seed);
        }
    }

    private void use(final PvrdmaContext context, final HostileDevice device, final SplittableRandom random) {
        context.bindGid(0, Gid.linkLocal(context.device.caps().nodeGuid()));
        final List<Peer> peers = List.of(Peer.rc(context), Peer.rc(context));
        peers.get(0).connect(peers.get(1));
        final int pace = random.nextInt(1, 12);
        final int words = random.nextInt(1, 60);
        if (random.nextBoolean()) {
            device.lie();
        }
        for (int i = 0; i < STEPS; i++) {
            if (random.nextInt(pace) == 0) {
                device.scribble(words);
            }
            try {
                CALLS.get(random.nextInt(CALLS.size())).run(peers.get(i & 1), peers.get(~i & 1), context);
                poll(peers.get(i & 1));
            } catch (final RdmaException refused) {
                told++;
                assertThat(refused).hasMessageNotContaining("null");
            }
        }
    }

    private void poll(final Peer peer) {
        final int code = peer.cq.poll(c -> {
            read.setLength(0);
            read.append(c).append(c.opcode()).append(c.status()).append(c.immData()).append(c.invalidatedRkey())
                .append(c.sourceQp()).append(c.vendorError()).append(c.qpNumber());
            assertThat(c.byteLength()).isNotNegative();
        }, 32);
        assertThat(code >= 0 || code == ReturnCode.DEVICE_FAILED).as("code %d", code).isTrue();
    }

    /** A device that answers nothing any more may have it told. */
    private static void closes(final PvrdmaContext context) {
        try {
            context.close();
        } catch (final RdmaException told) {
            context.close();
        }
    }
}
