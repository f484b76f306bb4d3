/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.device.wire.Carrier;
import io.rdma4j.device.wire.Frame;
import io.rdma4j.device.wire.Gid;
import io.rdma4j.device.wire.Lane;
import io.rdma4j.device.wire.ShmCarrier;
import io.rdma4j.device.wire.UdpCarrier;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.hw.pvrdma.Mtu;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Bth;
import io.rdma4j.hw.roce.Icrc;
import io.rdma4j.hw.roce.Opcode;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.CampaignSeeds;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.Patience;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A connection whose other end is a script: it sends the packets that it likes, in the order that it likes. */
class WirePeerTest {
    private static final int THEIR_QPN = 0x123456;
    private static final int FIRST_PSN = 0x10;
    private static final int MTU = 1024;
    private static final int PACKETS = 8_000;
    /** More packets than the device sends in two turns. */
    private static final int LONG_READ = 400;
    private static final String FAULTS_COME_LATER = "an older JVM throws at any later place what an access has met";
    private static final long DEADLINE = Patience.nanos();
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(200);

    private final Gid ours = gid(20);
    private final Gid theirs = gid(21);
    private final UnsafeBuffer answer = new UnsafeBuffer(new byte[256]);
    private RawDriver driver;
    private RawCq cq;
    private RawQp qp;
    private RawRegion region;
    private Carrier peer;
    private Lane lane;

    private static Gid gid(int host) {
        try {
            return Gid.ofIpv4(ByteBuffer.wrap(InetAddress.getByName(Loopback.address(host)).getAddress()).getInt());
        } catch (final UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        connect(RawDriver.ready("emulated:scripted?wire=udp&address=" + Loopback.address(20)),
            UdpCarrier.open(List.of(InetAddress.getByName(Loopback.address(21))), Icrc.PORT, new Counters()));
    }

    private void connect(RawDriver device, Carrier other) {
        driver = device;
        peer = other;
        driver.unbind(0, driver.gid());
        driver.bind(0, bytes(ours), 2);
        cq = driver.createCq(256);
        qp = driver.createQp(RawQp.with().cq(cq));
        region = driver.register(driver.pd, RawPair.SIZE, 123, RawPair.ALL);
        qp.connect(THEIR_QPN, bytes(theirs));
        peer.bind(theirs);
        lane = peer.lane(theirs, ours);
    }

    /**
     * By shared memory, and nobody serves the device but the test: a packet is there when it was sent, and what waits
     * does so for as long as the test wants.
     */
    private void connectServed() {
        close();
        connect(RawDriver.ready("emulated:scripted?wire=shm&shortcut=false&progress=poll"),
            ShmCarrier.open(ShmCarrier.USUAL_RING));
        send(Opcode.SEND_ONLY, FIRST_PSN - 1, true, 4);
        final long deadline = System.nanoTime() + Patience.nanos();
        while (serve().isEmpty()) {
            assertThat(System.nanoTime() - deadline).as(driver.device()::describe).isNegative();
        }
    }

    /** A packet of the device, up to the end of its payload. */
    private record Came(int opcode, int psn, byte[] bytes) {
        boolean carries(RawRegion source, int at, int length) {
            return Arrays.equals(Arrays.copyOfRange(bytes, bytes.length - length, bytes.length),
                source.bytes(at, length));
        }
    }

    /** The device has its turn once; what it sent. */
    private List<Came> serve() {
        driver.device().service();
        return came();
    }

    /** Until it sends no more. */
    private List<Came> serveAll() {
        final List<Came> all = new ArrayList<>();
        for (List<Came> more = serve(); !more.isEmpty(); more = serve()) {
            all.addAll(more);
        }
        return all;
    }

    private List<Came> came() {
        final List<Came> all = new ArrayList<>();
        while (peer.poll(frame -> all.add(came(frame)), 64) > 0) {
            // All that there is.
        }
        return all;
    }

    private static Came came(Frame frame) {
        final byte[] bytes = new byte[frame.length];
        final UnsafeBuffer packet = new UnsafeBuffer(frame.address, frame.length);
        new UnsafeBuffer(frame.body, frame.length).getBytes(0, bytes);
        return new Came(Bth.opcode(packet, 0), Bth.psn(packet, 0), bytes);
    }

    /** Asks for packets of a READ of a region that begins with the first number. */
    private void readFrom(RawRegion source, int packet) {
        read(source, packet, source.length() / MTU);
    }

    private void read(RawRegion source, int packet, int end) {
        final long address = source.start() + (long) packet * MTU;
        send(Opcode.READ_REQUEST, FIRST_PSN + packet, false, 0, (int) (address >>> 32), (int) address, source.rkey,
            (end - packet) * MTU);
    }

    /** A READ of which the first packets are sent, and more wait; how many went. */
    private int beginLongRead(RawRegion source) {
        readFrom(source, 0);
        final List<Came> first = serve();
        assertThat(first.get(0).opcode()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(first).hasSizeBetween(1, LONG_READ - 1);
        return first.size();
    }

    @AfterEach
    void close() {
        peer.close();
        driver.close();
    }

    private static byte[] bytes(Gid gid) {
        return ByteBuffer.allocate(16).putLong(gid.high()).putLong(gid.low()).array();
    }

    private void receive(int wrId) {
        qp.receive(wrId, new long[] {region.start(), 4000, region.lkey});
    }

    /** Another queue pair instead: what is under way to the former one finds nobody. */
    private void another() {
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq));
        qp.connect(THEIR_QPN, bytes(theirs));
    }

    /** A packet: what follows the header is made of words. */
    private void send(int opcode, int psn, boolean asks, int length, int... words) {
        lane.lock().lock();
        final int total = Bth.LENGTH + Integer.BYTES * words.length + length + Bth.pad(length);
        final long address = lane.claim(total);
        final UnsafeBuffer frame = new UnsafeBuffer(address, total);
        frame.setMemory(0, total, (byte) 7);
        Bth.put(frame, 0, opcode, Bth.flags(false, length), qp.qpn, psn, asks);
        for (int i = 0; i < words.length; i++) {
            frame.putInt(Bth.LENGTH + i * Integer.BYTES, words[i], ByteOrder.BIG_ENDIAN);
        }
        lane.commit(0, 0, 64);
        lane.lock().unlock();
        peer.flush();
    }

    private void write(int opcode, int psn, long address, int rkey, int length) {
        send(opcode, psn, true, length, (int) (address >>> 32), (int) address, rkey, length);
    }

    /** The next packet of the device; its syndrome is kept in {@link #answer}. */
    private int answered() {
        return answered(() -> { });
    }

    /** What is asked again and again is answered once or more often. */
    private int answered(Runnable question) {
        final int[] opcode = {-1};
        final long begun = System.nanoTime();
        long asked = begun - AGAIN;
        while (opcode[0] < 0) {
            if (System.nanoTime() - asked >= AGAIN) {
                asked = System.nanoTime();
                question.run();
            }
            assertThat(System.nanoTime() - begun).as("no answer came%n%s", driver.device().describe())
                .isLessThan(DEADLINE);
            peer.poll(frame -> {
                answer.putBytes(0, new UnsafeBuffer(frame.address, Math.min(64, frame.length)), 0,
                    Math.min(64, frame.length));
                opcode[0] = Bth.opcode(answer, 0);
            }, 1);
        }
        return opcode[0];
    }

    private void expectAck(int psn, int syndrome, int msn) {
        assertThat(answered()).isEqualTo(Opcode.ACKNOWLEDGE);
        assertThat(Bth.destQp(answer, 0)).isEqualTo(THEIR_QPN);
        assertThat(Bth.psn(answer, 0)).isEqualTo(psn);
        assertThat(Aeth.NAMES.of(Aeth.syndrome(answer, Bth.LENGTH))).isEqualTo(Aeth.NAMES.of(syndrome));
        assertThat(Aeth.msn(answer, Bth.LENGTH)).isEqualTo(msn);
    }

    @Test
    void aMessageOfThreePacketsIsOneCompletion() {
        receive(1);
        send(Opcode.SEND_FIRST, FIRST_PSN, false, MTU);
        send(Opcode.SEND_MIDDLE, FIRST_PSN + 1, true, MTU);
        expectAck(FIRST_PSN + 1, Aeth.ACK, 0);
        send(Opcode.SEND_LAST, FIRST_PSN + 2, true, 5);
        expectAck(FIRST_PSN + 2, Aeth.ACK, 1);
        assertThat(cq.await().status()).isZero();
    }

    /** There is room for twice as much. */
    @Test
    void aMessageIsNotLongerThanTheDeviceSaysThatOneMayBe() {
        connectServed();
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq));
        qp.pathMtu = Mtu.PVRDMA_MTU_4096;
        qp.connect(THEIR_QPN, bytes(theirs));
        final RawRegion room = driver.registerRepeating(Pdir.MAX_PAGES, RawPair.ALL);
        qp.receive(1, new long[] {room.start(), room.length(), room.lkey},
            new long[] {room.start(), room.length(), room.lkey});
        for (int i = 0; i < Pdir.MAX_PAGES; i++) {
            send(i == 0 ? Opcode.SEND_FIRST : Opcode.SEND_MIDDLE, FIRST_PSN + i, i % 16 == 15, Pdir.PAGE_SIZE);
            if (i % 16 == 15) {
                assertThat(serve()).last().matches(came -> came.opcode() == Opcode.ACKNOWLEDGE);
            }
        }
        assertThat(cq.poll()).isNull();

        send(Opcode.SEND_LAST, FIRST_PSN + Pdir.MAX_PAGES, true, 1);
        serve();

        assertThat(cq.poll()).matches(c -> c.wrId() == 1 && c.status() == WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    /** Nobody else would hear of it, and it would take its place in the shared queue for ever. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiveOfASharedQueueIsGivenUpWithTheQueuePairThatTookIt(boolean isReset) {
        connectServed();
        final RawSrq srq = driver.createSrq(16, 1);
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq).srq(srq));
        qp.connect(THEIR_QPN, bytes(theirs));
        srq.receive(5, region.start(), 4000, region.lkey);
        send(Opcode.SEND_FIRST, FIRST_PSN, true, MTU);
        final long deadline = System.nanoTime() + DEADLINE;
        while (serve().isEmpty()) {
            assertThat(System.nanoTime() - deadline).as(driver.device()::describe).isNegative();
        }
        assertThat(cq.poll()).isNull();
        if (isReset) {
            assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        } else {
            qp.destroy();
        }
        final RawCq.Completion given = cq.poll();
        assertThat(given.wrId()).isEqualTo(5);
        assertThat(given.status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
    }

    @Test
    void aGapIsToldOnceAndARepeatIsAcknowledgedWithoutAnEffect() {
        receive(1);
        receive(2);
        send(Opcode.SEND_ONLY, FIRST_PSN + 1, true, 4);
        expectAck(FIRST_PSN, Aeth.NAK_SEQUENCE, 0);
        send(Opcode.SEND_ONLY, FIRST_PSN + 2, true, 4);
        send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        expectAck(FIRST_PSN, Aeth.ACK, 1);
        send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        expectAck(FIRST_PSN, Aeth.ACK, 1);
        send(Opcode.SEND_ONLY, FIRST_PSN + 1, true, 4);
        expectAck(FIRST_PSN + 1, Aeth.ACK, 2);
        assertThat(cq.await().wrId()).isEqualTo(1);
        assertThat(cq.await().wrId()).isEqualTo(2);
        assertThat(cq.poll()).isNull();
        assertThat(driver.device().counters().get(Counter.RESENT_PACKETS)).isEqualTo(3);
    }

    /** A requester whose READ was not answered yet could take that for the end of it. */
    @Test
    void theAcknowledgementOfARepeatDoesNotReachOverWhatCameLater() {
        write(Opcode.WRITE_ONLY, FIRST_PSN, region.start(), region.rkey, 4);
        expectAck(FIRST_PSN, Aeth.ACK, 1);
        send(Opcode.READ_REQUEST, FIRST_PSN + 1, false, 0, (int) (region.start() >>> 32), (int) region.start(),
            region.rkey, 4);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_ONLY);
        write(Opcode.WRITE_ONLY, FIRST_PSN, region.start(), region.rkey, 4);
        expectAck(FIRST_PSN, Aeth.ACK, 2);
    }

    @Test
    void withoutAReceiveTheSenderIsAskedToWait() {
        send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        expectAck(FIRST_PSN, Aeth.RNR_NAK | 1, 0);
        receive(1);
        send(Opcode.SEND_ONLY, FIRST_PSN, true, 4);
        expectAck(FIRST_PSN, Aeth.ACK, 1);
    }

    @Test
    void aReadIsAnsweredAgainFromTheMiddle() {
        write(Opcode.READ_REQUEST, FIRST_PSN, region.start(), region.rkey, 0);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_ONLY);
        send(Opcode.READ_REQUEST, FIRST_PSN + 1, false, 0, (int) (region.start() >>> 32), (int) region.start(),
            region.rkey, 2 * MTU + 1);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_MIDDLE);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_LAST);
        final long middle = region.start() + MTU;
        send(Opcode.READ_REQUEST, FIRST_PSN + 2, false, 0, (int) (middle >>> 32), (int) middle, region.rkey, MTU + 1);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_FIRST);
        assertThat(Bth.psn(answer, 0)).isEqualTo(FIRST_PSN + 2);
        assertThat(answered()).isEqualTo(Opcode.READ_RESPONSE_LAST);
    }

    @Test
    void datagramsAreNumberedFromTheFirstNumberOn() {
        connectServed();
        final RawQp sender = driver.createQp(RawQp.with().ud().cq(cq));
        sender.connect(0, bytes(theirs));
        for (int i = 0; i < 3; i++) {
            sender.post(w -> w.send(1, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED)
                .datagram(driver.pd, THEIR_QPN, RawQp.QKEY, bytes(theirs)).sge(region.start(), 40, region.lkey));
        }
        assertThat(serve()).extracting(Came::opcode, Came::psn).containsExactly(
            tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN), tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN + 1),
            tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN + 2));
        assertThat(sender.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 3);
    }

    /** A packet of it was lost, or the answer came too late: what is asked for again is a request of its own. */
    @ParameterizedTest
    @ValueSource(ints = {0, 10, 128, LONG_READ - 2, LONG_READ - 1})
    void aReadIsAnsweredFromItsBeginningAlsoWhileItIsBeingAnswered(int again) {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        source.fill(3);
        assertThat(beginLongRead(source)).as("packet 128 is the next one").isEqualTo(128);

        readFrom(source, again);

        final List<Came> answers = serve();
        if (again > 0) {
            // A late copy of the first request changes nothing in front of the end of this answer.
            readFrom(source, 0);
        }
        answers.addAll(serveAll());
        assertThat(answers).hasSizeGreaterThanOrEqualTo(LONG_READ - again);
        final Came first = answers.get(0);
        assertThat(first.psn()).isEqualTo(FIRST_PSN + again);
        assertThat(Opcode.NAMES.of(first.opcode())).isEqualTo(Opcode.NAMES.of(again == LONG_READ - 1
            ? Opcode.READ_RESPONSE_ONLY : Opcode.READ_RESPONSE_FIRST));
        for (int i = again; i < LONG_READ; i++) {
            final Came each = answers.get(i - again);
            assertThat(each.psn()).isEqualTo(FIRST_PSN + i);
            assertThat(Opcode.ends(each.opcode())).isEqualTo(i == LONG_READ - 1);
            assertThat(each.carries(source, i * MTU, MTU)).as("packet %d", i).isTrue();
        }
    }

    /** A packet of an answer was lost that had left already: all from there on is asked for again, in order. */
    @Test
    void whatIsAskedForAgainIsAnsweredInThatOrder() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        read(source, 0, 10);
        assertThat(serveAll()).hasSize(10);
        readFrom(source, 10);
        assertThat(serve()).hasSizeBetween(1, LONG_READ - 11);

        read(source, 5, 10);
        readFrom(source, 10);

        final List<Came> answers = serveAll();
        assertThat(answers.subList(answers.size() - LONG_READ + 5, answers.size())).extracting(Came::psn)
            .containsExactlyElementsOf(IntStream.range(5, LONG_READ).mapToObj(i -> FIRST_PSN + i).toList());
    }

    /** An answer, and an acknowledgement behind it. */
    @Test
    void whatWaitsIsNotSentAfterTheStepToError() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        write(Opcode.WRITE_ONLY, FIRST_PSN + LONG_READ, region.start(), region.rkey, 4);
        assertThat(serve()).isNotEmpty().noneMatch(each -> each.opcode() == Opcode.ACKNOWLEDGE);

        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        assertThat(serve()).isEmpty();
        assertThat(driver.device().describe()).doesNotContain("answers wait");
    }

    /** The queue pair is in the error state by itself then, and the peer is to know why. */
    @Test
    void aRefusalThatWaitsIsSentAlsoIfTheProgramTakesTheSameStep() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        write(Opcode.WRITE_ONLY, FIRST_PSN + LONG_READ, region.start(), region.rkey + 1, 4);
        assertThat(serve()).isNotEmpty().noneMatch(each -> each.opcode() == Opcode.ACKNOWLEDGE);

        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        final List<Came> answers = serveAll();
        final byte[] last = answers.get(answers.size() - 1).bytes();
        assertThat(Aeth.NAMES.of(Aeth.syndrome(new UnsafeBuffer(last), Bth.LENGTH)))
            .isEqualTo(Aeth.NAMES.of(Aeth.NAK_REMOTE_ACCESS));
    }

    /** What it would answer is of memory that the program may use for something else. */
    @Test
    void whatWaitsIsNotSentWhenThePeerWasGivenUp() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        beginLongRead(source);
        qp.send(1, region.start(), 4, region.lkey);
        final long begun = System.nanoTime();
        while (state(qp) != QpState.PVRDMA_QPS_ERR) {
            assertThat(System.nanoTime() - begun).as(driver.device()::describe).isLessThan(DEADLINE);
            driver.device().faults().passTime(Duration.ofSeconds(1));
            driver.device().service();
        }
        assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        came();

        assertThat(serve()).isEmpty();
        assertThat(driver.device().describe()).doesNotContain("answers wait");
    }

    @Test
    void answersThatAPeerDoesNotReadAreForgottenUntilItAsksAgain() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        readFrom(source, 0);
        for (int i = 0; i < LONG_READ; i++) {
            driver.device().service();
        }
        assertThat(driver.device().describe()).contains("answers wait for room");

        driver.device().faults().passTime(Duration.ofMinutes(1));
        driver.device().service();
        driver.device().service();

        assertThat(driver.device().describe()).doesNotContain("answers wait");
        came();
        readFrom(source, 0);
        assertThat(serveAll()).hasSize(LONG_READ);
    }

    /** Its number comes round after 2^24 packets, of which a READ is many. */
    @Test
    void anAtomicThatIsRepeatedHasTheResultOfTheNewestWithItsNumber() {
        connectServed();
        final int packets = 1 << 20;
        final long length = (long) packets * MTU;
        final long[] pages = new long[(int) (length / Pdir.PAGE_SIZE)];
        Arrays.fill(pages, region.memory(0).iova());
        final long pdir = driver.pdir(pages);
        final int rkey = new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, 0L)
            .set(CreateMrRequest.LENGTH, length).set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, pages.length)), 0)
            .get(CreateMrResponse.RKEY);
        assertThat(added(FIRST_PSN, rkey)).isZero();
        int psn = FIRST_PSN + 1;
        while (psn != FIRST_PSN + (1 << 24)) {
            final int asked = Math.min(packets, FIRST_PSN + (1 << 24) - psn);
            send(Opcode.READ_REQUEST, psn, false, 0, 0, 0, rkey, asked * MTU);
            serve();
            // The peer has all but the last packet.
            send(Opcode.READ_REQUEST, psn + asked - 1, false, 0, 0, (asked - 1) * MTU, rkey, MTU);
            final List<Came> answers = serveAll();
            assertThat(answers.get(answers.size() - 1).psn()).isEqualTo(psn + asked - 1 & 0xff_ffff);
            psn += asked;
        }
        assertThat(added(psn, rkey)).isEqualTo(1);
        assertThat(added(psn, rkey)).as("the same once more").isEqualTo(1);
    }

    @Test
    void anAtomicThatIsRepeatedBeforeItsAnswerHasLeftIsAnsweredOnce() {
        connectServed();
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_SQD)).isZero();
        assertThat(qp.modify(QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC,
            attributes -> attributes.set(QpAttr.MAX_DEST_RD_ATOMIC, 2))).isZero();
        beginLongRead(driver.registerInOne(LONG_READ * MTU, RawPair.ALL));
        final long word = region.start() + 7 & -8;
        final List<Came> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            send(Opcode.FETCH_ADD, FIRST_PSN + LONG_READ, true, 0, (int) (word >>> 32), (int) word, region.rkey, 0, 1,
                0, 0);
            answers.addAll(serve());
        }
        answers.addAll(serveAll());
        assertThat(answers).filteredOn(each -> each.opcode() == Opcode.ATOMIC_ACKNOWLEDGE).hasSize(1);
    }

    /** Adds 1 to the first word of a region; what it was before. */
    private long added(int psn, int rkey) {
        send(Opcode.FETCH_ADD, psn, true, 0, 0, 0, rkey, 0, 1, 0, 0);
        final List<Came> answers = serveAll();
        assertThat(answers).hasSize(1);
        assertThat(answers.get(0).opcode()).isEqualTo(Opcode.ATOMIC_ACKNOWLEDGE);
        return new UnsafeBuffer(answers.get(0).bytes()).getLong(Bth.LENGTH + Aeth.LENGTH, ByteOrder.BIG_ENDIAN);
    }

    /** Who goes on from a number that the peer has taken would have it take the next message for a repeat. */
    @Test
    void aNumberThatWasAcknowledgedIsNotUsedAgain() {
        connectServed();
        final RawRegion gone = driver.registerInOne(MTU, RawPair.ALL);
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq));
        // 2.4 hours.
        qp.timeout = 31;
        qp.connect(THEIR_QPN, bytes(theirs));
        qp.send(1, region.start(), 40, region.lkey);
        qp.send(2, region.start(), 40, region.lkey);
        qp.send(3, gone.start(), 40, gone.lkey);
        assertThat(serve()).hasSize(3);
        driver.device().faults().passTime(Duration.ofHours(3));
        assertThat(serve()).as("the second time").hasSize(3);
        assertThat(driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        // The peer has taken the first one, and had no receive for the second one; then one for its copy.
        acknowledge(FIRST_PSN, Aeth.ACK);
        acknowledge(FIRST_PSN + 1, Aeth.RNR_NAK);
        acknowledge(FIRST_PSN + 1, Aeth.ACK);
        serve();
        for (final int status : new int[] {0, 0, WcStatus.PVRDMA_WC_LOC_PROT_ERR}) {
            assertThat(cq.poll().status()).isEqualTo(status);
        }
        assertThat(qp.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 3);
    }

    /** What overtakes a packet has the peer miss that one, which it may take later: nobody knows its number. */
    @ParameterizedTest
    @ValueSource(ints = {Aeth.NAK_SEQUENCE, Aeth.RNR_NAK | 1})
    void aNumberThatWasRefusedIsNotUsedAgainWherePacketsOvertakeEachOther(int refusal) {
        final RawRegion gone = driver.registerInOne(MTU, RawPair.ALL);
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq));
        qp.timeout = 31;
        qp.connect(THEIR_QPN, bytes(theirs));
        qp.send(1, gone.start(), 40, gone.lkey);
        qp.send(2, region.start(), 40, region.lkey);
        for (int i = 0; i < 2; i++) {
            assertThat(answered()).isEqualTo(Opcode.SEND_ONLY);
        }
        assertThat(driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        acknowledge(FIRST_PSN, refusal);
        assertThat(cq.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(1L, WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(cq.await()).extracting(RawCq.Completion::wrId, RawCq.Completion::status)
            .containsExactly(2L, WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(qp.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 2);
    }

    /** As if it had been answered before it was forbidden. */
    @Test
    void aReadThatLooksLikeARepeatIsNotAnsweredWhereNoneIsAllowed() {
        connectServed();
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_SQD)).isZero();
        assertThat(qp.modify(QpAttrMask.PVRDMA_QP_MAX_DEST_RD_ATOMIC,
            attributes -> attributes.set(QpAttr.MAX_DEST_RD_ATOMIC, 0))).isZero();
        send(Opcode.READ_REQUEST, FIRST_PSN - 1, false, 0, (int) (region.start() >>> 32), (int) region.start(),
            region.rkey, 4);
        assertThat(serveAll()).noneMatch(each -> each.opcode() == Opcode.READ_RESPONSE_ONLY);
    }

    private void acknowledge(int psn, int syndrome) {
        send(Opcode.ACKNOWLEDGE, psn, false, 0, syndrome << 24);
    }

    /** Memory of a file in the device's reach. */
    private CreateMrResponse register(MappedMemory file) {
        driver.device().mapMemory(0, file.address(), file.length());
        final long pdir = driver.pdir(LongStream.range(0, file.length() / Pdir.PAGE_SIZE)
            .map(page -> page * Pdir.PAGE_SIZE).toArray());
        return new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
            .set(CreateMrRequest.PD_HANDLE, driver.pd).set(CreateMrRequest.START, 0)
            .set(CreateMrRequest.LENGTH, file.length()).set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL)
            .set(CreateMrRequest.PDIR_DMA, pdir)
            .set(CreateMrRequest.NCHUNKS, (int) (file.length() / Pdir.PAGE_SIZE))), 0);
    }

    private void onMemoryOfAFile(BiConsumer<Integer, CreateMrResponse> test) {
        final int fd = Libc.memfdCreate("cut-off", 0);
        Libc.ftruncate(fd, LONG_READ * MTU);
        try (MappedMemory memory = MappedMemory.map(0, LONG_READ * MTU, LibcConstants.PROT_READ
            | LibcConstants.PROT_WRITE, LibcConstants.MAP_SHARED, fd, 0)) {
            test.accept(fd, register(memory));
            close();
        } finally {
            Libc.close(fd);
        }
    }

    private static int state(RawQp of) {
        return of.query().get(QpAttr.QP_STATE);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = FAULTS_COME_LATER)
    void anAnswerThatWaitsAndMeetsAFaultEndsItsConnection() {
        connectServed();
        onMemoryOfAFile((fd, file) -> {
            send(Opcode.READ_REQUEST, FIRST_PSN, false, 0, 0, 0, file.get(CreateMrResponse.RKEY), LONG_READ * MTU);
            assertThat(serve()).hasSizeBetween(1, LONG_READ - 1);
            Libc.ftruncate(fd, 0);
            assertThat(serveAll()).noneMatch(each -> Opcode.ends(each.opcode()));
            assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).isPositive();
            assertThat(QpState.NAMES.of(state(qp))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_ERR));
        });
    }

    /** Others that wait with it go on. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_19, disabledReason = FAULTS_COME_LATER)
    void aSendThatWaitsAndMeetsAFaultEndsItsConnectionAlone() {
        connectServed();
        final RawRegion source = driver.registerInOne(LONG_READ * MTU, RawPair.ALL);
        final RawQp other = driver.createQp(RawQp.with().cq(cq));
        other.connect(THEIR_QPN + 1, bytes(theirs));
        onMemoryOfAFile((fd, file) -> {
            readFrom(source, 0);
            for (int i = 0; i < LONG_READ; i++) {
                driver.device().service();
            }
            other.send(1, 0, MTU, file.get(CreateMrResponse.LKEY));
            assertThat(driver.device().describe()).contains("waits for room");
            Libc.ftruncate(fd, 0);
            final List<Came> answers = came();
            answers.addAll(serveAll());
            assertThat(answers).anyMatch(each -> each.opcode() == Opcode.READ_RESPONSE_LAST);
            assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
            assertThat(QpState.NAMES.of(state(other))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_ERR));
            assertThat(QpState.NAMES.of(state(qp))).isEqualTo(QpState.NAMES.of(QpState.PVRDMA_QPS_RTS));
        });
    }

    @Test
    void aWriteOutsideOfTheRegionIsRefusedAndEndsTheConnection() {
        write(Opcode.WRITE_ONLY, FIRST_PSN, region.start() + RawPair.SIZE - 3, region.rkey, 4);
        expectAck(FIRST_PSN, Aeth.NAK_REMOTE_ACCESS, 0);
        assertThat(qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void aRequestIsSentAgainUntilItIsAcknowledged() {
        qp.post(w -> w.send(9, WrOpcode.PVRDMA_WR_SEND,
            SendFlags.PVRDMA_SEND_SIGNALED).sge(region.start(), 40, region.lkey));
        assertThat(answered()).isEqualTo(Opcode.SEND_ONLY);
        assertThat(Bth.asksAck(answer, 0)).isTrue();
        assertThat(answered()).as("once more").isEqualTo(Opcode.SEND_ONLY);
        assertThat(Bth.psn(answer, 0)).isEqualTo(FIRST_PSN);
        assertThat(cq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    /** Anything at all, with the right check sum: from this peer, to this queue pair. */
    @Campaign(value = "hostile-peer", usual = 3)
    void nothingThatAPeerSendsDoesHarm(long seed) {
        final Random random = new Random(seed);
        for (int i = 0; i < region.length(); i++) {
            region.put(i, 1);
        }
        final byte[] before = new byte[123];
        region.memory(0).buffer().getBytes(0, before);
        int psn = FIRST_PSN;
        for (int i = 0; i < PACKETS; i++) {
            if (qp.query().get(QpAttr.QP_STATE) != QpState.PVRDMA_QPS_RTS) {
                another();
                psn = FIRST_PSN;
                receive(i);
                cq.poll();
            }
            if (random.nextInt(4) == 0 && !qp.sendsAreFull()) {
                qp.post(w -> w.send(1, random.nextInt(5), 2).rdma(region.start(), region.rkey)
                    .sge(region.start(), random.nextInt(4000), region.lkey));
            }
            final int opcode = random.nextInt(3) == 0 ? random.nextInt(256) : random.nextInt(24);
            final long address = region.start() + random.nextInt(RawPair.SIZE + 2000) - 1000;
            final int length = random.nextBoolean() ? MTU : random.nextInt(MTU + 64);
            send(opcode, psn + random.nextInt(5) - 2, random.nextBoolean(), length, random.nextBoolean()
                ? random.nextInt() : (int) (address >>> 32), (int) address, random.nextInt(8) == 0 ? random.nextInt()
                : region.rkey, random.nextBoolean() ? length : random.nextInt(), random.nextInt(), random.nextInt());
            psn += random.nextInt(2);
            while (cq.poll() != null) {
                // Makes room.
            }
            peer.poll(frame -> { }, 64);
        }
        CampaignSeeds.count("packets", PACKETS);
        final byte[] after = new byte[123];
        region.memory(0).buffer().getBytes(0, after);
        assertThat(after).as("in front of the region").isEqualTo(before);
        assertThat(driver.device().counters().get(Counter.INTERNAL_ERRORS)).as(driver.device().describe()).isZero();
        qp.destroy();
        qp = driver.createQp(RawQp.with().cq(cq));
        qp.connect(THEIR_QPN + 1, bytes(theirs));
        receive(77);
        do {
            // What was said to the queue pairs before may still come; and where that fills a socket, a packet is lost.
            answered(() -> send(Opcode.SEND_ONLY, FIRST_PSN, true, 4));
        } while (Bth.destQp(answer, 0) == THEIR_QPN);
        assertThat(Bth.psn(answer, 0)).isEqualTo(FIRST_PSN);
        assertThat(Aeth.syndrome(answer, Bth.LENGTH)).isEqualTo(Aeth.ACK);
    }
}
