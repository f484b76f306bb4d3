/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.tools;

import static io.rdma4j.qemu.tools.CommandLines.rdma4j;
import static io.rdma4j.qemu.tools.CommandLines.rdma4jAsNobody;
import static io.rdma4j.qemu.tools.CommandLines.system;
import static io.rdma4j.qemu.tools.RxeFabricClaims.DEVICE;

import io.rdma4j.RdmaException;
import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.WcStatus;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What is said where something is wrong with the device, or with what is asked of it. */
final class RxeBadInputClaims {
    private static final String FILE = "/dev/infiniband/uverbs0";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DOWN = "port 1 is DOWN";
    private static final int EMPTY_INDEX = 9;
    private static final int LENGTH = 64;

    private RxeBadInputClaims() {
    }

    static String unknownName() {
        return rdma4j("devinfo -d ibv:nope").require(1, "open device failed on 'ibv:nope'",
            "there is no device 'nope', but " + FabricGuest.IBDEV, "ENODEV");
    }

    static String gidThatIsNotThere() {
        return rdma4j("devinfo -d " + DEVICE + "?gid=fe80::7").require(1, "no port has GID fe80::7, but ",
            "::ffff:" + FabricGuest.IP_ADDRESS, "EINVAL");
    }

    /** Fails unless the call is refused with these words. */
    private static String refused(final Runnable call, final String... words) {
        try {
            call.run();
        } catch (final RdmaException e) {
            for (final String word : words) {
                if (!e.getMessage().contains(word)) {
                    throw new IllegalStateException("no '" + word + "' in: " + e.getMessage(), e);
                }
            }
            return e.getMessage();
        }
        throw new IllegalStateException("not refused, expected was " + List.of(words));
    }

    private static QpAttributes toRtr(final QueuePair peer, final AhAttributes way) {
        return QpAttributes.to(QpState.RTR).ah(way).pathMtu(Mtu.MTU_1024).destQpn(peer.qpNumber()).rqPsn(0)
            .maxDestRdAtomic(1).minRnrTimer(12);
    }

    private static QueuePair initial(final ProtectionDomain pd, final CompletionQueue cq) {
        final QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        return qp;
    }

    static String emptyGidIndex() {
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            if (context.queryGidType(1, 0) != GidType.ROCE_V2) {
                throw new IllegalStateException("GID index 0 is " + context.queryGidType(1, 0));
            }
            final QueuePair qp = initial(context.allocatePd(), context.createCq(64));
            return refused(() -> qp.modify(toRtr(qp,
                new AhAttributes(context.queryGid(1, 0), EMPTY_INDEX, 64, 0, 0, 0, 1))), "modify QP failed",
                "source GID index " + EMPTY_INDEX + " is unbound", "EINVAL");
        }
    }

    static String lacks() {
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            final List<Feature> missing = new ArrayList<>();
            for (final Feature feature : Feature.values()) {
                if (!context.supports(feature)) {
                    missing.add(feature);
                    if (context.whyNot(feature).isBlank()) {
                        throw new IllegalStateException("no reason for " + feature);
                    }
                }
            }
            return missing + ", such as: " + refused(() -> context.allocatePd().allocateFastRegion(4),
                "allocate fast region failed", context.whyNot(Feature.FAST_REGISTRATION), "EOPNOTSUPP");
        }
    }

    static String noRights() throws IOException, InterruptedException {
        system("chmod 600 " + FILE).require(0);
        try {
            return rdma4jAsNobody("devinfo -d " + DEVICE).require(1, "open device failed on '" + DEVICE + "'",
                FILE + " must be readable and writable for this user", "EACCES", "udev");
        } finally {
            system("chmod 666 " + FILE).require(0);
        }
    }

    static String littleMemory() throws IOException, InterruptedException {
        rdma4jAsNobody("pingpong -d " + DEVICE + " -s 1m -n 5").require(0);
        return rdma4jAsNobody(64, "pingpong -d " + DEVICE + " -s 1m -n 5").require(1, "register memory failed",
            "RLIMIT_MEMLOCK allows 64 KiB", "ENOMEM", "'ulimit -l ", "limits.conf", "LimitMEMLOCK=");
    }

    private static void link(final String state) throws IOException, InterruptedException {
        system("ip link set " + FabricGuest.NETDEV + " " + state).require(0);
    }

    private static void awaitEvent(final RdmaContext context, final AsyncEventType type) {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        final List<AsyncEventType> seen = new ArrayList<>();
        while (System.nanoTime() - end < 0) {
            final AsyncEvent event = context.awaitAsyncEvent(PATIENCE);
            if (event != null) {
                seen.add(event.type());
                event.acknowledge();
                if (event.type() == type) {
                    return;
                }
            }
        }
        throw new IllegalStateException(type + " did not come, but " + seen);
    }

    /** Of a connected QP whose packets reach nobody. */
    private static String failedSend(final RdmaContext context, final QueuePair qp, final CompletionQueue cq,
        final MemoryRegion region) {
        final List<WcStatus> seen = new ArrayList<>();
        final int code = qp.postSend(1, region.address(), LENGTH, region.lkey());
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (code == 0 && seen.isEmpty() && System.nanoTime() - end < 0) {
            cq.poll(c -> seen.add(c.status()), 1);
        }
        // As the driver of SoftRoCE tells it; a device that sends into the void says RETRY_EXC_ERR.
        if (!List.of(WcStatus.LOC_QP_OP_ERR).equals(seen) || !qp.failure().contains(DOWN)) {
            throw new IllegalStateException("code " + code + ", completions " + seen + ", " + qp.failure() + ", "
                + context.queryPort(1));
        }
        return qp.failure();
    }

    static String portDown() throws IOException, InterruptedException {
        try (RdmaContext context = RdmaDevices.open(DEVICE)) {
            final ProtectionDomain pd = context.allocatePd();
            final CompletionQueue cq = context.createCq(64);
            final PinnedMemory memory = context.allocate(LENGTH);
            final MemoryRegion region = pd.register(memory, AccessFlag.LOCAL_WRITE);
            final QueuePair connected = pd.createQp(new QpOptions().cq(cq).maxSendWr(8).maxReceiveWr(8));
            QpConnector.connect(connected, connected.localAddress());
            final QueuePair late = initial(pd, cq);
            final AhAttributes way = AhAttributes.to(context.queryGid(1, 0));
            final String refusal;
            final String failure;
            link("down");
            try {
                awaitEvent(context, AsyncEventType.PORT_ERR);
                if (context.queryPort(1).state() != PortState.DOWN) {
                    throw new IllegalStateException("the port is " + context.queryPort(1));
                }
                failure = failedSend(context, connected, cq, region);
                refusal = refused(() -> late.modify(toRtr(connected, way)), "from INIT to RTR", DOWN);
                // Devices can be looked at all the same.
                rdma4j("devinfo -d " + DEVICE).require(0, "PORT_DOWN");
            } finally {
                link("up");
            }
            awaitEvent(context, AsyncEventType.PORT_ACTIVE);
            return failure + " | " + refusal;
        }
    }
}
