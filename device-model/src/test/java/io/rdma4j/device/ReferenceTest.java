/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.SharedFile;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Ended;
import io.rdma4j.testing.OtherJvm;
import io.rdma4j.testing.Patience;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Long payloads by shared memory are read where they are, until the sender takes them back. Nobody serves a wire here
 * but the test; so it says what has happened when.
 */
@Timeout(120)
class ReferenceTest {
    /** The path MTU of the connection is 1024: that is more than goes before the first acknowledgement. */
    private static final int LONG = 1_500_003;
    private static final int SHORTER = 64 * 1024;
    private static final long FAR_AWAY = 1L << 36;
    private static final Pattern REFERENCES = Pattern.compile("(\\d+) references");

    private final RawDriver left = RawDriver.ready("emulated:refers?wire=shm&shortcut=false&progress=poll");
    private final RawDriver right = RawDriver.ready("emulated:follows?wire=shm&shortcut=false&progress=poll");
    private final RawCq leftCq = left.createCq(16);
    private final RawCq rightCq = right.createCq(16);
    private final RawQp a = left.createQp(RawQp.with().cq(leftCq));
    private final RawQp b = right.createQp(RawQp.with().cq(rightCq));
    private final RawRegion from = left.registerInOne(LONG, RawPair.ALL);
    private final RawRegion to = right.registerInOne(LONG, RawPair.ALL);

    /** A first message, after which each end knows the other. */
    @BeforeEach
    void connect() {
        a.timeout = 24;
        a.retryCnt = 7;
        RawQp.connect(a, b);
        receive(100);
        a.send(100, from.start(), 1, from.lkey);
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertThat(rightCq.poll().wrId()).isEqualTo(100);
        assertThat(references()).isZero();
        from.fill(1);
    }

    @AfterEach
    void close() {
        assertThat(left.device().counters().get(Counter.INTERNAL_ERRORS)).as(left.device()::describe).isZero();
        assertThat(right.device().counters().get(Counter.INTERNAL_ERRORS)).as(right.device()::describe).isZero();
        left.close();
        right.close();
    }

    private void receive(long wrId) {
        b.receive(wrId, to.start(), LONG, to.lkey);
    }

    private void send(long wrId, int length) {
        a.send(wrId, from.start(), length, from.lkey);
    }

    private void write(long wrId, int opcode, int length) {
        a.post(w -> w.send(wrId, opcode, SendFlags.PVRDMA_SEND_SIGNALED).imm(7).rdma(to.start(), to.rkey)
            .sge(from.start(), length, from.lkey));
    }

    /** Each end has its turn until the sender has a completion. */
    private void exchange() {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (leftCq.isEmpty()) {
            assertThat(System.nanoTime() - deadline).as(() -> left.device().describe() + right.device().describe())
                .isNegative();
            right.device().service();
            left.device().service();
        }
    }

    private int references() {
        final Matcher found = REFERENCES.matcher(left.device().describe());
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    private void assertArrived(RawRegion source, int length) {
        assertThat(to.bytes(0, length)).isEqualTo(source.bytes(0, length));
        assertThat(to.bytes(length, to.length() - length)).containsOnly(0);
    }

    /** What was read of memory that changed is never announced by the last bytes of a message. */
    private void assertNotAnnounced(int length) {
        assertThat(to.getLong(length - Long.BYTES)).isZero();
        assertThat(rightCq.poll()).isNull();
    }

    /** A thread that had no processor for a while finds an answer and a time that is over. */
    @Test
    void whatHasComeIsLookedAtBeforeTheClock() {
        receive(1);
        send(2, 64);
        right.device().service();
        left.device().faults().passTime(Duration.ofHours(1));
        left.device().service();
        assertThat(leftCq.poll().wrId()).isEqualTo(2);
        assertThat(left.device().counters().get(Counter.RETRIES)).isZero();
    }

    /** Then the numbers of all that follows are others there: no message may be lost in silence. */
    @Test
    void whereThePathMtuIsAnotherOneItIsRefused() {
        final RawQp sender = left.createQp(RawQp.with().cq(leftCq));
        final RawQp receiver = right.createQp(RawQp.with().cq(rightCq));
        sender.timeout = 24;
        receiver.pathMtu = 1;
        RawQp.connect(sender, receiver);
        receiver.receive(1, to.start(), LONG, to.lkey);
        sender.send(2, from.start(), SHORTER, from.lkey);
        exchange();
        assertThat(references()).isPositive();
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {1025, 2048, SHORTER - 1, SHORTER, SHORTER + 1, LONG - 8})
    void longMessagesAreReadWhereTheyAre(int length) {
        receive(1);
        send(2, length);
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        final RawCq.Completion came = rightCq.poll();
        assertThat(came.wrId()).isEqualTo(1);
        assertThat(came.byteLen()).isEqualTo(length);
        assertArrived(from, length);
        assertThat(references()).isPositive();
        assertThat(left.device().counters().get(Counter.RETRIES)).isZero();
    }

    /** A payload of which the pad would be behind the last byte that there is. */
    @Test
    void aMessageMayEndWhereTheSharedFileEnds() throws IOException {
        RawRegion last;
        do {
            last = left.registerInOne(2 * Pdir.PAGE_SIZE, RawPair.ALL);
        } while (!endsTheSharedFile(last));
        last.fill(3);
        receive(1);
        a.send(2, last.start() + 1, last.length() - 1, last.lkey);
        assertThat(references()).isPositive();
        right.device().service();
        assertThat(rightCq.isEmpty()).as(right.device()::describe).isFalse();
        assertThat(rightCq.poll().byteLen()).isEqualTo(last.length() - 1);
        assertThat(to.bytes(0, last.length() - 1)).isEqualTo(last.bytes(1, last.length() - 1));
    }

    private static boolean endsTheSharedFile(RawRegion region) throws IOException {
        final SharedFile file = region.memory(0).shared().orElseThrow();
        return Files.size(Path.of("/proc/self/fd/" + file.descriptor())) == file.offset() + region.length();
    }

    @Test
    void writesAreReadWhereTheyAre() {
        write(2, WrOpcode.PVRDMA_WR_RDMA_WRITE, LONG - 8);
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertArrived(from, LONG - 8);
        assertThat(references()).isPositive();
    }

    @Test
    void shortMessagesAndScatteredOnesAreCarried() {
        final RawRegion scattered = left.register(10_000, RawPair.ALL);
        scattered.fill(3);
        receive(1);
        send(2, 1024);
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        receive(3);
        a.send(4, scattered.start(), 10_000, scattered.lkey);
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertArrived(scattered, 10_000);
        assertThat(references()).isZero();
    }

    /**
     * A peer maps no more of the file. In another JVM: what this one allocates from then on would lie there, too. As
     * much is shared as its heap may have, which it does not use.
     */
    @Test
    void whatLiesBehindTheFirst64GiBIsCarried() throws Exception {
        final Ended ended = Ended.of(OtherJvm.command(List.of("-Xms32m", "-Xmx80g"), FarAway.class));
        assertThat(ended.code()).as("%s", ended.output()).isZero();
    }

    /** What the other JVM does. */
    static final class FarAway {
        private FarAway() {
        }

        public static void main(final String[] args) throws ReflectiveOperationException {
            final Class<?> pages = Class.forName("io.rdma4j.driver.dma.SharedPages");
            final Field process = pages.getDeclaredField("PROCESS");
            process.setAccessible(true);
            final Field size = pages.getDeclaredField("size");
            size.setAccessible(true);
            size.setLong(process.get(null), FAR_AWAY);
            final ReferenceTest test = new ReferenceTest();
            assertThat(test.from.memory(0).shared().orElseThrow().offset()).isGreaterThanOrEqualTo(FAR_AWAY);
            test.connect();
            test.write(2, WrOpcode.PVRDMA_WR_RDMA_WRITE, LONG - 8);
            test.exchange();
            assertThat(test.leftCq.poll().status()).isZero();
            test.assertArrived(test.from, LONG - 8);
            assertThat(test.references()).isZero();
            assertThat(test.left.device().counters().get(Counter.RETRIES)).isZero();
            test.close();
        }
    }

    @Test
    void theEndOfAConnectionTakesItsMessagesBack() {
        receive(1);
        send(2, SHORTER);
        assertThat(references()).isPositive();
        a.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        from.fill(2);
        right.device().service();
        assertNotAnnounced(SHORTER);
        b.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(rightCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
    }

    /** The peer lives and reads later: what it gets then is what was sent, as the program has its memory again. */
    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
        WrOpcode.PVRDMA_WR_SEND})
    void aRequestThatNobodyAnswersTakesItsBytesBack(int opcode) {
        // With each repetition it is taken in one turn.
        final int length = 5000;
        receive(1);
        write(2, opcode, length);
        assertThat(references()).isPositive();
        final byte[] sent = from.bytes(0, length);
        for (int tries = 0; tries <= a.retryCnt; tries++) {
            assertThat(leftCq.isEmpty()).isTrue();
            left.device().faults().passTime(Duration.ofHours(1));
            left.device().service();
        }
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        from.fill(2);
        right.device().service();
        assertThat(to.bytes(0, length)).as("what was sent again has its bytes").isEqualTo(sent);
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
        WrOpcode.PVRDMA_WR_SEND})
    void theEndOfARegionTakesItsBytesBack(int opcode) {
        receive(1);
        write(2, opcode, SHORTER);
        assertThat(references()).isPositive();
        assertThat(left.destroy(Command.DESTROY_MR, from.handle)).isZero();
        from.fill(2);
        right.device().service();
        assertNotAnnounced(SHORTER);
        exchange();
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        right.device().service();
        assertNotAnnounced(SHORTER);
    }

    /** Nobody asks whose reference it was: what is taken back in vain comes once more, with its bytes. */
    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
        WrOpcode.PVRDMA_WR_SEND})
    void theEndOfAnotherRegionCostsARepetition(int opcode) {
        final RawRegion other = left.register(100, 0);
        receive(1);
        write(2, opcode, LONG - 8);
        final int before = references();
        assertThat(before).isPositive();
        assertThat(left.destroy(Command.DESTROY_MR, other.handle)).isZero();
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertArrived(from, LONG - 8);
        if (opcode != WrOpcode.PVRDMA_WR_RDMA_WRITE) {
            assertThat(rightCq.poll().wrId()).isEqualTo(1);
        }
        assertThat(left.device().counters().get(Counter.RETRIES)).as("nobody waited for a timeout").isZero();
    }

    /** In the middle of a message, some of which has arrived. */
    @Test
    void aMessageGoesOnWhereItWasTakenBack() {
        final RawRegion other = left.register(100, 0);
        receive(1);
        send(2, LONG - 8);
        right.device().service();
        left.device().service();
        assertThat(leftCq.isEmpty()).isTrue();
        assertThat(left.destroy(Command.DESTROY_MR, other.handle)).isZero();
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertThat(rightCq.poll().byteLen()).isEqualTo(LONG - 8);
        assertArrived(from, LONG - 8);
    }

    @Test
    void whoHasReadEverythingIsNotAskedToReadAgain() {
        final RawRegion other = left.register(100, 0);
        receive(1);
        send(2, SHORTER);
        right.device().service();
        assertThat(rightCq.poll().wrId()).isEqualTo(1);
        assertThat(left.destroy(Command.DESTROY_MR, other.handle)).isZero();
        exchange();
        assertThat(leftCq.poll().status()).isZero();
        assertThat(right.device().counters().get(Counter.RESENT_PACKETS)).isZero();
    }
}
