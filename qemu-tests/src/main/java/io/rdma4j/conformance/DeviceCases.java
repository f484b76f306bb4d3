/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.Peculiarity;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Initialisation, capabilities, ports, partition keys, GIDs. */
final class DeviceCases {
    private DeviceCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("device.tellsItsLimits", DeviceCases::tellsItsLimits),
            ConformanceCase.of("device.saysWhyAFeatureIsMissing", DeviceCases::saysWhyAFeatureIsMissing),
            ConformanceCase.of("device.dumpsItsState", DeviceCases::dumpsItsState),
            ConformanceCase.of("device.waitsForEventsWithADeadline", DeviceCases::waitsForEventsWithADeadline),
            ConformanceCase.of("port.tellsItsState", DeviceCases::portTellsItsState),
            ConformanceCase.of("port.isActive", DeviceCases::portIsActive).needs(Feature.PORT_STATE),
            ConformanceCase.of("port.refusesNumbersThatAreNotThere", DeviceCases::portRefuses),
            ConformanceCase.of("pkey.isAFullMemberOfTheDefaultPartition", DeviceCases::pkeyIsDefault),
            ConformanceCase.of("pkey.refusesAnIndexThatIsNotThere", DeviceCases::pkeyRefuses),
            ConformanceCase.of("gid.indexZeroIsBoundAtOpen", DeviceCases::gidZeroIsBound),
            ConformanceCase.of("gid.bindsRebindsUnbinds", DeviceCases::gidBinds)
                .needs(Feature.GID_OF_CHOICE),
            ConformanceCase.of("gid.bindsManyIndices", DeviceCases::gidBindsMany)
                .needs(Feature.GID_OF_CHOICE),
            ConformanceCase.of("gid.refusesWhatCannotBeBound", DeviceCases::gidRefuses)
                .needs(Feature.GID_OF_CHOICE),
            ConformanceCase.of("gid.comesBackAfterItWasUnbound", DeviceCases::gidComesBack)
                .needs(Feature.GID_OF_CHOICE),
            ConformanceCase.of("gid.servesFromAnotherIndex", DeviceCases::gidServes)
                .needs(Feature.GID_OF_CHOICE));
    }

    /** Those that must come last: after the very last everything made from the device is gone. */
    static List<ConformanceCase> last() {
        return List.of(ConformanceCase.of("device.memoryDoesNotGrow", DeviceCases::memoryDoesNotGrow)
            .within(Duration.ofSeconds(60)), ConformanceCase.of("device.opensAgainAfterClose", DeviceCases::opensAgain)
            .within(Duration.ofSeconds(30)));
    }

    private static void tellsItsLimits(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        atLeast(1, device.maxQp(), "maxQp");
        atLeast(1, device.maxQpWr(), "maxQpWr");
        atLeast(1, device.maxSge(), "maxSge");
        atLeast(1, device.maxCq(), "maxCq");
        atLeast(1, device.maxCqe(), "maxCqe");
        atLeast(1, device.maxMr(), "maxMr");
        atLeast(1, device.maxPd(), "maxPd");
        atLeast(1, device.maxAh(), "maxAh");
        atLeast(1, device.maxPkeys(), "maxPkeys");
        atLeast(1, device.gidTableLength(), "gidTableLength");
        atLeast(1, device.physicalPortCount(), "physicalPortCount");
        Check.that(device.maxMrSize() >= 4096, "maxMrSize is %d", device.maxMrSize());
        for (int sge = 1; sge <= device.maxSge(); sge++) {
            atLeast(1, device.maxSendWr(sge), "maxSendWr(" + sge + ")");
            atLeast(1, device.maxReceiveWr(sge), "maxReceiveWr(" + sge + ")");
        }
        Check.that(device.maxSrq() == 0 || device.maxSrqWr(1) > 0 && device.maxSrqSge() > 0,
            "%d SRQs of %d requests of %d elements", device.maxSrq(), device.maxSrqWr(1), device.maxSrqSge());
        Check.that(!device.name().isBlank(), "the device has no name");
        Check.that(device.firmwareVersion().matches("\\d+\\.\\d+\\.\\d+"), "firmware %s", device.firmwareVersion());
        Check.that(device.deviceVersion() > 0, "device version %d", device.deviceVersion());
        // A device in software has neither: then the vendor is 24 bits of ones.
        Check.that(device.vendorId() == 0xffffff || device.vendorId() != 0 && device.vendorPartId() != 0,
            "vendor 0x%x part 0x%x", device.vendorId(), device.vendorPartId());
    }

    private static void atLeast(final int least, final int value, final String name) {
        Check.that(value >= least, "%s is %d, at least %d was expected", name, value, least);
    }

    private static void saysWhyAFeatureIsMissing(final ConformanceEnv env) {
        for (final Feature feature : Feature.values()) {
            final String whyNot = env.device().whyNot(feature);
            if (env.device().supports(feature)) {
                Check.equal(null, whyNot, "reason against %s, which is supported", feature);
            } else {
                Check.that(whyNot != null && !whyNot.isBlank(), "%s is missing without a reason", feature);
            }
        }
        for (final Peculiarity peculiarity : env.device().peculiarities()) {
            Check.that(!peculiarity.name().isBlank() && !peculiarity.description().isBlank(), "blank %s", peculiarity);
        }
    }

    private static void dumpsItsState(final ConformanceEnv env) {
        RcPair.connected(env, 4, 1);
        Check.that(env.device().dump().lines().count() > 3, "the dump is short: %s", env.device().dump());
        Check.that(!env.device().address().isBlank(), "no address");
        Check.that(!env.device().isFailed(), "failed: %s", env.device().failure());
        Check.equal(null, env.device().failure(), "failure");
    }

    private static void waitsForEventsWithADeadline(final ConformanceEnv env) {
        AsyncEvent earlier = env.device().pollAsyncEvent();
        for (int i = 0; i < 1000 && earlier != null; i++) {
            earlier.acknowledge();
            earlier = env.device().pollAsyncEvent();
        }
        final long start = System.nanoTime();
        final AsyncEvent event = env.device().awaitAsyncEvent(Duration.ofMillis(20));
        final long waited = System.nanoTime() - start;
        if (event != null) {
            event.acknowledge();
        }
        Check.that(event != null || waited > 15_000_000, "waited %d ns instead of 20 ms", waited);
    }

    private static void portTellsItsState(final ConformanceEnv env) {
        for (int number = 1; number <= env.device().attributes().physicalPortCount(); number++) {
            final PortAttributes port = env.device().queryPort(number);
            Check.equal(number, port.port(), "number of port");
            Check.that(port.activeMtu().compareTo(port.maxMtu()) <= 0, "active MTU above the maximum: %s", port);
            Check.that(port.gidTableLength() > 0 && port.pkeyTableLength() > 0, "empty tables: %s", port);
            Check.that(port.maxMessageSize() > 0, "longest message: %s", port);
            Check.equal("Ethernet", port.linkLayer(), "link layer");
        }
    }

    private static void portIsActive(final ConformanceEnv env) {
        Check.equal(PortState.ACTIVE, env.device().queryPort(1).state(), "state of port 1");
    }

    private static void portRefuses(final ConformanceEnv env) {
        for (final int port : badPorts(env)) {
            Check.refused(EINVAL, () -> env.device().queryPort(port), "query of port " + port, "port");
            Check.refused(EINVAL, () -> env.device().queryGid(port, 0), "GID of port " + port, "port");
            Check.refused(EINVAL, () -> env.device().queryPkey(port, 0), "pkey of port " + port, "port");
        }
    }

    /** Also numbers that become good ones when only their low byte is looked at. */
    private static int[] badPorts(final ConformanceEnv env) {
        final int count = env.device().attributes().physicalPortCount();
        return new int[] {0, -1, count + 1, 255, 257, Integer.MAX_VALUE, Integer.MIN_VALUE};
    }

    private static void pkeyIsDefault(final ConformanceEnv env) {
        Check.equal(0xffff, env.device().queryPkey(1, 0), "partition key at index 0");
    }

    private static void pkeyRefuses(final ConformanceEnv env) {
        final int length = env.device().queryPort(1).pkeyTableLength();
        for (final int index : new int[] {-1, length, 256, Integer.MAX_VALUE}) {
            Check.refused(EINVAL, () -> env.device().queryPkey(1, index), "pkey at index " + index, "index");
        }
    }

    private static void gidZeroIsBound(final ConformanceEnv env) {
        final Gid gid = env.device().queryGid(1, 0);
        Check.that(!gid.isZero() && !gid.isMulticast(), "GID at index 0 is %s", gid);
        final QueuePair qp = Node.near(env, 4).rc(4, 1);
        Check.equal(gid, qp.localAddress().gid(), "GID in the address of a QP");
    }

    private static void gidBinds(final ConformanceEnv env) {
        final RdmaContext device = env.device();
        final Gid first = Gid.parse("fe80::4a:0:0:1");
        final Gid second = Gid.parse("::ffff:10.231.7.9");
        Check.equal(Gid.ZERO, device.queryGid(1, 1), "GID before it was bound");
        env.own(() -> device.unbindGid(1));
        device.bindGid(1, first);
        Check.equal(first, device.queryGid(1, 1), "GID after it was bound");
        device.bindGid(1, second);
        Check.equal(second, device.queryGid(1, 1), "GID after another was bound");
        device.bindGid(1, second);
        Check.equal(second, device.queryGid(1, 1), "GID after it was bound twice");
        device.unbindGid(1);
        Check.equal(Gid.ZERO, device.queryGid(1, 1), "GID after it was unbound");
        device.unbindGid(1);
    }

    private static void gidBindsMany(final ConformanceEnv env) {
        final RdmaContext device = env.device();
        final int length = Math.min(env.times(8, 64), device.attributes().gidTableLength());
        for (int i = 1; i < length; i++) {
            final int index = i;
            env.own(() -> device.unbindGid(index));
            device.bindGid(i, new Gid(0xfe80_0000_0000_0000L, 0x4a00_0000L + i));
        }
        for (int i = 1; i < length; i++) {
            Check.equal(0x4a00_0000L + i, device.queryGid(1, i).low(), "GID at index " + i);
        }
    }

    private static void gidRefuses(final ConformanceEnv env) {
        final RdmaContext device = env.device();
        final int length = device.attributes().gidTableLength();
        final Gid gid = Gid.parse("fe80::4a:0:0:1");
        for (final int index : new int[] {-1, length, 256 + 1, Integer.MAX_VALUE}) {
            Check.refused(EINVAL, () -> device.bindGid(index, gid), "bind at index " + index, "index");
            Check.refused(EINVAL, () -> device.unbindGid(index), "unbind at index " + index, "index");
            Check.refused(EINVAL, () -> device.queryGid(1, index), "query at index " + index, "index");
        }
        Check.refused(EINVAL, () -> device.bindGid(1, Gid.ZERO), "bind of the zero GID", "GID");
        Check.equal(Gid.ZERO, device.queryGid(1, 1), "GID at index 1 after all that");
    }

    private static void gidComesBack(final ConformanceEnv env) {
        final Gid gid = env.device().queryGid(1, 0);
        try {
            env.device().unbindGid(0);
            Check.equal(Gid.ZERO, env.device().queryGid(1, 0), "GID at index 0 after unbind");
        } finally {
            env.device().bindGid(0, gid);
        }
        final RcPair pair = RcPair.connected(env, 4, 1);
        pair.exchange(pair.near().memory(4096), 0, pair.far().memory(4096), 0, 777);
    }

    private static void gidServes(final ConformanceEnv env) {
        final RdmaContext device = env.device();
        env.own(() -> device.unbindGid(1));
        device.bindGid(1, device.queryGid(1, 0));
        final Node near = Node.near(env, 4);
        final Node far = Node.far(env, 4);
        final QueuePair from = near.rc(4, 1);
        final QueuePair to = far.rc(4, 1);
        QpConnector.connect(from, to.localAddress(),
            new QpAttributes().ah(new AhAttributes(to.localAddress().gid(), 1, 64, 0, 0, 0, 1)));
        QpConnector.connect(to, from.localAddress());
        final Memory source = near.memory(4096).fill(3, 0, 500);
        final Memory target = far.memory(4096);
        Check.ok(to.postReceive(1, target.at(0), 500, target.lkey()), "post receive");
        Check.ok(from.postSend(2, source.at(0), 500, source.lkey()), "post send");
        near.sent().next().expect(2, WcOpcode.SEND);
        far.received().next().expect(1, WcOpcode.RECV).expectBytes(500);
        target.expectPattern(3, 0, 500, "message from GID index 1");
        env.moved(500);
    }

    /**
     * One of everything, made and closed again and again: once the driver's stores have filled, nothing is added. How
     * much they hold depends on how fast the rounds are, as some memory rests for a time before it is used again, so
     * there are several blocks of rounds: a page lost each time would show in all of them. The slack is what stores of
     * a driver may still move by.
     */
    private static void memoryDoesNotGrow(final ConformanceEnv env) {
        final int rounds = env.times(200, 500);
        long grown = Long.MAX_VALUE;
        for (int block = 0; block < 5 && grown >= rounds * 4096L * 3 / 4; block++) {
            final long before = env.reachableBytes();
            for (int i = 0; i < rounds; i++) {
                oneOfEverything(env);
            }
            grown = env.reachableBytes() - before;
        }
        Check.that(grown < rounds * 4096L * 3 / 4, "%d bytes more are reached after %d rounds, %d a round", grown,
            rounds, grown / rounds);
    }

    private static void oneOfEverything(final ConformanceEnv env) {
        try (ProtectionDomain pd = env.device().allocatePd();
            CompletionQueue cq = env.device().createCq(64);
            PinnedMemory memory = env.device().allocate(8192);
            MemoryRegion region = pd.register(memory.address() + 5, 5000, AccessFlag.LOCAL_WRITE);
            QueuePair qp = pd.createQp(new QpOptions().cq(cq).maxSendWr(16).maxReceiveWr(16));
            AddressHandle ah = pd.createAh(AhAttributes.to(env.peer().queryGid(1, 0)))) {
            qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
            Check.ok(qp.postReceive(1, region.address(), 100, region.lkey()), "post receive");
            Check.that(!ah.isClosed() && !memory.isClosed(), "closed too early");
        }
    }

    private static void opensAgain(final ConformanceEnv env) {
        final RdmaContext former = env.device();
        final Node node = Node.near(env, 4);
        final QueuePair qp = node.rc(4, 1);
        final Memory memory = node.memory(4096);
        env.reopen();
        Check.that(former.isClosed() && qp.isClosed() && node.pd().isClosed() && node.sendCq().isClosed()
            && memory.region().isClosed() && memory.pinned().isClosed(), "closing the device left something open");
        former.close();
        Check.refused(EBADFD, former::allocatePd, "allocating from a closed device", "closed");
        Check.refused(EBADFD, () -> former.createCq(4), "creating on a closed device", "closed");
        Check.refused(EBADFD, () -> former.queryPort(1), "query of a closed device", "closed");
        Check.refused(EBADFD, () -> former.allocate(4096), "memory of a closed device", "closed");
        Check.that(!former.dump().isEmpty(), "a closed device has no dump");
        final RcPair pair = RcPair.connected(env, 4, 1);
        pair.exchange(pair.near().memory(8192), 100, pair.far().memory(8192), 200, 5000);
    }
}
