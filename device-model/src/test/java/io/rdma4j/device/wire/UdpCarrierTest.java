/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;


import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ends on addresses of this host. */
@Timeout(120)
class UdpCarrierTest {
    private static final String FIRST = "127.71.0.2";
    private static final String SECOND = "127.71.0.3";
    private static final int MANY = 10_000;
    private static final int WINDOW = 64;
    private static final long LONG = Patience.nanos();

    @Test
    void tenThousandFramesComeAsTheyWere() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            int next = 0;
            for (int sent = 0; sent < MANY; sent += WINDOW) {
                final int window = Math.min(WINDOW, MANY - sent);
                for (int i = 0; i < window; i++) {
                    assertThat(ends.send(sent + i, length(sent + i, ends.from.maxFrame()))).isTrue();
                }
                ends.from.flush();
                for (Ends.Came came : ends.receive(window)) {
                    assertThat(came.bytes()).hasSize(length(next, ends.from.maxFrame()));
                    assertThat(Ends.isWhole(came.bytes(), next)).as("frame %d", next).isTrue();
                    next++;
                }
            }
            assertThat(next).isEqualTo(MANY);
            assertThat(ends.counters.toString()).isEqualTo(new Counters().toString());
        }
    }

    private static int length(int number, int max) {
        return Bth.LENGTH + number * 52 % (max - Bth.LENGTH + Integer.BYTES);
    }

    @Test
    void tellsWhereAFrameComesFromAndHow() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            assertThat(ends.from.mtu()).isEqualTo(5);
            assertThat(ends.from.maxFrame()).isEqualTo(4096 + 64);
            Ends.send(ends.lane, 1, 16, 0x2a, 3);
            Ends.send(ends.lane, 2, 16, 0, 0);
            Ends.send(ends.lane, 3, 16, 0xff, 255);
            ends.from.flush();
            final List<Ends.Came> came = ends.receive(3);
            assertThat(came).extracting(Ends.Came::trafficClass).containsExactly(0x2a, 0, 0xff);
            assertThat(came).extracting(Ends.Came::hopLimit).containsExactly(3, 64, 255);
            assertThat(came).allMatch(each -> each.source().equals(ends.here) && each.dest().equals(ends.there)
                && each.flowLabel() == 0);
            assertThat(ends.count(Counter.WIRE_MARKED)).isEqualTo(1);
        }
    }

    /** The other address that is not a loopback one, if there is any. */
    private static String otherIpv6() throws Exception {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
            .filter(each -> each instanceof Inet6Address && !each.isLoopbackAddress() && !each.isLinkLocalAddress())
            .map(InetAddress::getHostAddress).map(text -> text.replaceFirst("%.*", "")).findFirst().orElse(null);
    }

    private static boolean hasIpv6() throws Exception {
        return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
            .anyMatch(each -> each instanceof Inet6Address && each.isLoopbackAddress());
    }

    @Test
    void overIpv6TooAndToItself() throws Exception {
        assumeTrue(hasIpv6(), "this host has no ::1");
        final Counters counters = new Counters();
        final Gid gid = Ends.gid("::1");
        try (UdpCarrier carrier = Ends.open("::1", counters)) {
            carrier.bind(gid);
            final Lane lane = carrier.lane(gid, gid);
            for (int i = 0; i < 100; i++) {
                Ends.send(lane, i, 12 + 4 * i, i == 1 ? 0x2b : 0, i == 1 ? 9 : 0);
            }
            carrier.flush();
            final List<Ends.Came> came = Ends.receive(carrier, 100);
            for (int i = 0; i < 100; i++) {
                assertThat(Ends.isWhole(came.get(i).bytes(), i)).isTrue();
                assertThat(came.get(i).source()).isEqualTo(gid);
                assertThat(came.get(i).trafficClass()).isEqualTo(i == 1 ? 0x2b : 0);
                assertThat(came.get(i).hopLimit()).isEqualTo(i == 1 ? 9 : 64);
            }
            assertThat(counters.toString()).doesNotContain("check sum");
        }
    }

    @Test
    void betweenTwoAddressesOfIpv6() throws Exception {
        final String other = otherIpv6();
        assumeTrue(hasIpv6() && other != null, "this host has no second IPv6 address");
        try (Ends ends = Ends.overUdp("::1", other)) {
            assertThat(ends.to.lane(ends.there, Ends.gid(FIRST))).as("another family").isNull();
            ends.send(1, 64);
            ends.from.flush();
            final Ends.Came came = ends.receive(1).get(0);
            assertThat(Ends.isWhole(came.bytes(), 1)).isTrue();
            assertThat(came.source()).isEqualTo(ends.here);
            assertThat(came.dest()).isEqualTo(ends.there);
        }
    }

    @Test
    void nothingComesForAGidThatIsNotBound() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            ends.to.unbind(ends.there);
            assertThat(ends.to.lane(ends.there, ends.here)).isNull();
            ends.send(1, 16);
            ends.from.flush();
            Ends.await(ends.to, Counter.NO_PEER, 1, ends.counters);
            assertThat(ends.to.bind(ends.there)).isTrue();
            assertThat(ends.to.bind(ends.here)).as("not its address").isFalse();
            ends.send(2, 16);
            ends.from.flush();
            assertThat(ends.receive(1).get(0).psn()).isEqualTo(2);
        }
    }

    @Test
    void severalAddressesAreSeveralGids() {
        final Counters counters = new Counters();
        try (UdpCarrier carrier = Ends.open(FIRST + "," + SECOND, counters)) {
            final Gid first = Ends.gid(FIRST);
            final Gid second = Ends.gid(SECOND);
            assertThat(carrier.gids()).containsExactly(first, second);
            assertThat(carrier.bind(first) && carrier.bind(second)).isTrue();
            Ends.send(carrier.lane(first, second), 1, 16, 0, 0);
            Ends.send(carrier.lane(second, first), 2, 16, 0, 0);
            carrier.flush();
            assertThat(Ends.receive(carrier, 2)).extracting(Ends.Came::dest)
                .containsExactlyInAnyOrder(first, second);
        }
    }

    @Test
    void aWayIsTheSameEachTimeAndClosesWithItsGid() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            assertThat(ends.from.lane(ends.here, new Gid(ends.there.high(), ends.there.low()))).isSameAs(ends.lane);
            assertThat(ends.from.lane(ends.there, ends.here)).as("not our source").isNull();
            final int epoch = ends.from.epoch();
            ends.from.unbind(ends.here);
            assertThat(ends.from.epoch()).isNotEqualTo(epoch);
            assertThat(ends.lane.isOpen()).isFalse();
            assertThat(ends.send(1, 16)).isFalse();
            ends.from.unbind(ends.here);
            ends.from.bind(ends.here);
            assertThat(ends.from.lane(ends.here, ends.there)).isNotSameAs(ends.lane);
            ends.from.close();
            assertThat(ends.from.bind(ends.here)).isFalse();
            ends.from.flush();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "224.0.0.1", "255.255.255.255", "ff02::1", "::", "::1"})
    void someAddressesAreNobodys(String address) {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            assertThat(ends.from.lane(ends.here, Ends.gid(address))).isNull();
            assertThat(ends.from.reaches(Ends.gid(address))).isFalse();
            assertThat(ends.from.reaches(ends.there)).isTrue();
            assertThat(ends.from.reaches(Ends.gid("8.8.8.8"))).isTrue();
        }
    }

    @Test
    void remembersOnlySoManyPeers() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            final int epoch = ends.from.epoch();
            for (int i = 1; i < UdpCarrier.MAX_LANES; i++) {
                ends.from.lane(ends.here, Gid.ofIpv4(0x0a00_0000 + i));
            }
            assertThat(ends.from.epoch()).isEqualTo(epoch);
            assertThat(ends.lane.isOpen()).isTrue();
            final Lane last = ends.from.lane(ends.here, Gid.ofIpv4(0x0b00_0000));
            assertThat(ends.lane.isOpen()).as("the one known longest").isFalse();
            assertThat(ends.from.epoch()).isNotEqualTo(epoch);
            assertThat(ends.count(Counter.WIRE_PEERS_FORGOTTEN)).isEqualTo(1);
            assertThat(ends.from.lane(ends.here, ends.there).isOpen()).isTrue();
            assertThat(last.isOpen()).isTrue();
        }
    }

    /** A broadcast address of a network is one that nobody may send to; a frame there is lost, those beside it go. */
    @Test
    void whatTheNetworkRefusesIsALostFrame() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            final Lane refused = ends.from.lane(ends.here, Ends.gid("127.255.255.255"));
            ends.send(1, 16);
            Ends.send(refused, 2, 16, 0, 0);
            ends.send(3, 16);
            ends.from.flush();
            assertThat(ends.receive(2)).extracting(Ends.Came::psn).containsExactly(1, 3);
            assertThat(ends.count(Counter.WIRE_REFUSED)).isEqualTo(1);
        }
    }

    @Test
    void aFullBatchGoesByItself() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            for (int i = 0; i < UdpOutbox.BATCH; i++) {
                ends.send(i, 16);
            }
            assertThat(ends.receive(UdpOutbox.BATCH)).hasSize(UdpOutbox.BATCH);
        }
    }

    @Test
    void aClaimIsChecked() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            for (int wrong : new int[] {-4, 0, 8, 13, ends.from.maxFrame() + 4, Integer.MAX_VALUE}) {
                assertThatThrownBy(() -> ends.lane.claim(wrong)).isInstanceOf(IllegalArgumentException.class);
            }
            assertThat(ends.lane.claim(12) % Long.BYTES).isZero();
            assertThat(ends.lane.claim(ends.from.maxFrame())).as("forgotten, and again").isNotZero();
        }
    }

    @Test
    void anAddressOfSomebodyElseIsRefused() {
        try (UdpCarrier first = Ends.open(FIRST, new Counters())) {
            assertThat(first.toString()).contains(FIRST, Integer.toString(Ends.PORT));
            assertThatThrownBy(() -> Ends.open(SECOND + "," + FIRST, new Counters()))
                .isInstanceOf(RdmaException.class).hasMessageContaining("EADDRINUSE")
                .hasMessageContaining(FIRST).hasMessageContaining("SoftRoCE").hasMessageContaining("namespace");
            Ends.open(SECOND, new Counters()).close();
        }
        assertThatThrownBy(() -> Ends.open("8.8.8.8", new Counters())).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EADDRNOTAVAIL").hasMessageContaining("8.8.8.8").hasMessageContaining("ip addr");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"localhost | localhost", "1.2 | digits", "127.0.0.1, | ''",
        "1.2.3.400 | 1.2.3.400", "10.0.0.256 | 10.0.0.256", "1.2.3.4.5 | 1.2.3.4.5", "16909060 | 16909060",
        "010.0.0.1 | 010.0.0.1", "::g | ::g", "::1.2.3.256 | ::1", "localhost:1 | localhost:1", "1.2.3.4%1 | 1.2.3.4",
        "cafe%a:b | cafe", "::ffff:1.2.3.4%1 | ::ffff"})
    void addressesAreInDigits(String text, String named) {
        assertThatThrownBy(() -> UdpCarrier.parseAddresses(text)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("EINVAL").hasMessageContaining("digits").hasMessageContaining(named);
    }

    @Test
    void anInterfaceIsTheOneOfItsName() throws Exception {
        final int loopback = NetworkInterface.getByName("lo").getIndex();
        assertThat(UdpCarrier.parseAddresses("fe80::1%lo,fe80::2%77,fe80::3"))
            .extracting(each -> ((Inet6Address) each).getScopeId()).containsExactly(loopback, 77, 0);
        assertThatThrownBy(() -> UdpCarrier.parseAddresses("fe80::1%nothere")).isInstanceOf(RdmaException.class)
            .hasMessageContaining("ENODEV").hasMessageContaining("nothere");
    }

    @Test
    void someCannotBeOnesOwn() {
        for (String address : List.of("0.0.0.0", "::", "224.0.0.1", "ff02::1", FIRST + "," + FIRST)) {
            assertThatThrownBy(() -> Ends.open(address, new Counters())).isInstanceOf(RdmaException.class)
                .hasMessageContaining("EINVAL");
        }
        final List<InetAddress> any = UdpCarrier.parseAddresses(FIRST);
        for (int port : new int[] {0, -1, 65_536}) {
            assertThatThrownBy(() -> UdpCarrier.open(any, port, new Counters())).isInstanceOf(RdmaException.class)
                .hasMessageContaining("port " + port).hasMessageContaining("4791");
        }
    }

    @Test
    void noAddressIsTheLoopbackOne() {
        try (UdpCarrier carrier = Ends.open("", new Counters())) {
            assertThat(carrier.gids()).containsExactly(Ends.gid("127.0.0.1"));
        }
    }

    @ParameterizedTest
    @CsvSource({"65536, 5", "9000, 5", "4180, 5", "4179, 4", "1500, 3", "1280, 3", "1107, 2", "576, 1", "68, 1"})
    void theMtuFitsInTheLinks(int link, int number) {
        assertThat(UdpCarrier.mtuOf(link)).isEqualTo(number);
    }

    @Test
    void aWakeUpEndsTheWait() throws Exception {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            ends.to.wakeUp();
            ends.to.await(LONG); // Asked for before.
            ends.to.await(1_000); // Nobody asked.
            final FutureTask<Long> waiting = new FutureTask<>(() -> {
                final long begun = System.nanoTime();
                ends.to.await(LONG);
                return System.nanoTime() - begun;
            });
            final Thread thread = new Thread(waiting, "waiter");
            thread.setDaemon(true);
            thread.start();
            while (!waiting.isDone()) {
                ends.to.wakeUp();
                Thread.sleep(1);
            }
            assertThat(waiting.get()).isLessThan(LONG);
        }
    }

    @Test
    void aFrameEndsTheWait() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            ends.send(1, 16);
            ends.from.flush();
            final long begun = System.nanoTime();
            ends.to.await(LONG);
            assertThat(System.nanoTime() - begun).isLessThan(LONG);
            assertThat(ends.receive(1)).hasSize(1);
        }
    }

    @Test
    void pollTakesNoMoreThanAskedFor() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            for (int i = 0; i < 10; i++) {
                ends.send(i, 16);
            }
            ends.from.flush();
            ends.to.await(LONG);
            assertThat(ends.to.poll(frame -> { }, 3)).isBetween(1, 3);
        }
    }

    /** Threads that send to different peers share a socket. No more is under way than any receive buffer takes. */
    @Test
    void severalThreadsSend() throws Exception {
        final int threads = 4;
        final int each = 500;
        final Semaphore window = new Semaphore(WINDOW);
        final Counters counters = new Counters();
        try (UdpCarrier from = Ends.open(FIRST, counters);
            UdpCarrier to = Ends.open(SECOND + ",127.71.0.4", counters)) {
            from.bind(Ends.gid(FIRST));
            to.gids().forEach(to::bind);
            final Thread[] senders = new Thread[threads];
            for (int t = 0; t < threads; t++) {
                final int first = t * each;
                final Lane lane = from.lane(Ends.gid(FIRST), to.gids().get(t % 2));
                senders[t] = new Thread(() -> {
                    for (int i = first; i < first + each; i++) {
                        window.acquireUninterruptibly();
                        Ends.send(lane, i, 12 + i % 64 * 4, 0, 0);
                        from.flush();
                    }
                });
                // It waits for ever if a frame is lost.
                senders[t].setDaemon(true);
                senders[t].start();
            }
            final List<Ends.Came> came = new ArrayList<>();
            while (came.size() < threads * each) {
                final List<Ends.Came> some = Ends.receive(to, 1);
                came.addAll(some);
                window.release(some.size());
            }
            assertThat(came).allMatch(frame -> Ends.isWhole(frame.bytes(), frame.psn()));
            assertThat(came).extracting(Ends.Came::psn).doesNotHaveDuplicates();
            for (Thread sender : senders) {
                sender.join();
            }
        }
    }

    @Test
    void nothingIsAllocatedForAFrame() {
        try (Ends ends = Ends.overUdp(FIRST, SECOND)) {
            final FrameReceiver receiver = frame -> { };
            assertThat(Allocations.perStep(1, MANY / 20, () -> run(ends, receiver)))
                .as("bytes for %d frames", MANY).isLessThan(MANY / 10);
        }
    }

    private static void run(Ends ends, FrameReceiver receiver) {
        for (int sent = 0; sent < MANY; sent++) {
            final Lane lane = ends.from.lane(ends.here, ends.there);
            lane.lock().lock();
            if (lane.claim(64) == 0) {
                throw new AssertionError("no room");
            }
            lane.commit(sent & 4, 0, 0);
            lane.lock().unlock();
            if (sent % 16 == 15) {
                ends.from.flush();
                int came = 0;
                while (came < 16) {
                    ends.to.wakeUp();
                    ends.to.await(LONG);
                    came += ends.to.poll(receiver, 16);
                }
            }
        }
    }
}
