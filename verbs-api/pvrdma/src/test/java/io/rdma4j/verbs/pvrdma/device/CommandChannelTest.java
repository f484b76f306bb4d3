/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.live.LiveDevice;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPkeyRequest;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.testing.Patience;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandChannelTest {
    private final FakePvrdma fake = new FakePvrdma();
    private final PvrdmaDevice device = fake.open();

    @AfterEach
    void everythingCanBeClosed() {
        device.close();
        assertThat(fake.iommu.mappings()).isZero();
        assertThat(device.arena().usedPages()).isZero();
    }

    private CommandHeader request(final int index) {
        return new CommandHeader().wrap(fake.requests.get(index), 0);
    }

    @Test
    void everyCommandHasAFreshKeyThatIsNotZero() {
        final Set<Long> keys = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            device.commands().destroyPd(device.commands().createPd());
        }
        for (int i = 0; i < fake.requests.size(); i++) {
            keys.add(request(i).get(CommandHeader.RESPONSE));
        }
        assertThat(keys).hasSize(40).doesNotContain(0L);
    }

    @Test
    void writesTheWholeRequestWithZeroesBehindIt() {
        final UnsafeBuffer slot = fake.iommu.at(fake.dsr.get(Dsr.CMD_SLOT_DMA), 4096);
        slot.setMemory(0, 4096, (byte) -1);

        device.commands().createPd();

        for (int i = CreatePdRequest.LAYOUT.length(); i < Command.REQUEST_MAX; i++) {
            assertThat(slot.getByte(i)).as("byte %d", i).isZero();
        }
        assertThat(slot.getByte(Command.REQUEST_MAX)).as("not written").isEqualTo((byte) -1);
    }

    @Test
    void anOldResponseIsNotTakenForANewOne() {
        device.commands().createPd();
        fake.answers = false;

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ETIMEDOUT))
            .hasMessageContaining("seen key 0x0 ack 0x0");
    }

    @Test
    void aLostResponseFailsTheDeviceAndSaysWhatWasSeen() {
        final List<Integer> events = new ArrayList<>();
        device.onAsyncEvent((type, info) -> events.add(type));
        fake.answers = false;
        final long start = System.nanoTime();

        assertThatThrownBy(() -> device.commands().queryPort(1))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ETIMEDOUT))
            .hasMessageContaining("QUERY_PORT failed on 'fake:': no response to QUERY_PORT[port_num=0x1] within 20 ms")
            .hasMessageContaining("vector 0 fired 1 times");

        assertThat(System.nanoTime() - start).isBetween(20_000_000L, Patience.nanos());
        assertThat(device.failed()).isTrue();
        assertThat(device.failure()).contains("no response to QUERY_PORT");
        assertThat(device.dumpState()).contains("FAILED", "at the time of the failure", "registers: VERSION=20");
        assertThat(device.counters()).containsEntry("responses lost", 1L);
        assertThat(events).containsExactly(EventType.PVRDMA_EVENT_DEVICE_FATAL);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, response with the wrong key, responses with a wrong key",
        "0, 1, response with the wrong ack, responses with a wrong ack"})
    void anotherCommandsResponseFailsTheDevice(
        final long keyChange, final int ackChange, final String what, final String counter) {
        fake.keyChange = keyChange;
        fake.ackChange = ackChange;

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EIO))
            .hasMessageContaining(what)
            .hasMessageContaining("expected key 0x1 ack 0x80000002, seen key 0x" + (1 + keyChange) + " ack 0x8000000"
                + (2 + ackChange));

        assertThat(device.counters()).containsEntry(counter, 1L);
        assertThat(device.failed()).isTrue();
    }

    @Test
    void aFailedDeviceThatIsHeardIsStillToldToGiveUpItsObjects() {
        final int pd = device.commands().createPd();
        device.commands().createPd();
        device.gids().bind(0, Gids.of(1));
        device.fail("because of the test");
        fake.requests.clear();

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD))
            .hasMessageContaining("because of the test");
        device.commands().destroyPd(pd);
        device.commands().destroyPd(pd);
        assertThat(device.takesCommands()).isTrue();
        device.close();

        assertThat(fake.commandNames()).containsExactly("DESTROY_PD", "DESTROY_PD", "DESTROY_BIND");
        assertThat(device.failure()).isEqualTo("because of the test");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedDeviceThatRefusesIsAskedNoMore(final boolean hasObjects) {
        device.gids().bind(0, Gids.of(1));
        device.gids().bind(1, Gids.of(2));
        for (int i = 0; hasObjects && i < 3; i++) {
            device.commands().createPd();
        }
        device.fail("because of the test");
        fake.errors.put(hasObjects ? Command.DESTROY_PD : Command.DESTROY_BIND, -5);
        fake.requests.clear();

        device.close();

        assertThat(fake.commandNames()).containsExactly(hasObjects ? "DESTROY_PD" : "DESTROY_BIND");
        assertThat(device.takesCommands()).isFalse();
        assertThat(device.commands().liveObjects()).isZero();
    }

    @Test
    void aDeviceThatDoesNotAnswerRefusesAtOnceAndClosesWithoutWaiting() {
        final int pd = device.commands().createPd();
        device.gids().bind(0, Gids.of(1));
        fake.answers = false;
        assertThatThrownBy(() -> device.commands().queryPort(1)).hasMessageContaining("no response");
        final int before = fake.requests.size();

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD))
            .hasMessageContaining("no response to QUERY_PORT");
        assertThat(device.takesCommands()).isFalse();
        device.commands().destroyPd(pd);
        assertThat(device.commands().liveObjects()).isZero();
        device.close();

        assertThat(fake.requests).hasSize(before);
        assertThat(fake.log).contains("write CTL RESET");
    }

    @Test
    void whoWaitsToDestroyWhileAResponseIsLostIsNotThrownThat() throws Exception {
        destroyAfter(() -> {
            fake.answers = false;
            assertThatThrownBy(() -> device.commands().queryPort(1)).hasMessageContaining("no response");
        });
        assertThat(fake.commandNames()).containsExactly("CREATE_PD", "QUERY_PORT");
    }

    @Test
    void whoWaitsToDestroyWhileTheDeviceIsClosedIsNotThrownThat() throws Exception {
        destroyAfter(device::close);
    }

    /** A PD, by a thread that has begun to destroy it and waits for its turn while something else happens. */
    private void destroyAfter(final Runnable event) throws Exception {
        final int pd = device.commands().createPd();
        final FutureTask<Void> destruction = new FutureTask<>(() -> device.commands().destroyPd(pd), null);
        final Thread destroyer = new Thread(destruction);
        device.channel().alone(() -> {
            destroyer.start();
            final long deadline = System.nanoTime() + Patience.nanos();
            while (destroyer.getState() != Thread.State.WAITING && System.nanoTime() < deadline) {
                Patience.pause();
            }
            event.run();
        });
        Patience.get(destruction);
        assertThat(device.commands().liveObjects()).isZero();
    }

    @Test
    void aBusThatFailsInADestroyIsNotThrown() {
        final int pd = device.commands().createPd();
        fake.failingWrite = Bar1.PVRDMA_REG_REQUEST;

        device.commands().destroyPd(pd);

        assertThat(device.failure()).contains("registers cannot be reached");
        assertThat(device.commands().liveObjects()).isZero();
    }

    @Test
    void theFirstReasonOfAFailureStays() {
        device.onAsyncEvent((type, info) -> {
            throw new IllegalStateException("listener");
        });

        device.fail("first");
        device.fail("second");

        assertThat(device.failure()).isEqualTo("first");
        assertThat(device.counters()).containsEntry("listener failures", 1L);
    }

    @ParameterizedTest
    @CsvSource({"-22,EINVAL", "-12,ENOMEM", "-5,EIO", "0xffff,EOPNOTSUPP", "22,EINVAL", "5,EIO", "-5000,EIO",
        "0x12345678,EIO", "-2147483648,EIO", "-99,EADDRNOTAVAIL"})
    void decodesTheErrorRegister(final String err, final String errno) {
        fake.errors.put(Command.CREATE_PD, Integer.decode(err));

        assertThatThrownBy(() -> device.commands().createPd())
            .isInstanceOfSatisfying(RdmaException.class,
                e -> assertThat(RdmaException.errnoName(e.errno())).isEqualTo(errno))
            .hasMessageContaining("CREATE_PD failed on 'fake:' (CREATE_PD[])")
            .hasMessageContaining(String.format("ERR 0x%x", Integer.decode(err)));

        assertThat(device.failed()).as("a refusal is no failure").isFalse();
        fake.errors.clear();
        assertThatCode(() -> device.commands().createPd()).doesNotThrowAnyException();
        assertThat(device.counters()).containsEntry("commands refused", 1L).containsEntry("commands", 2L);
    }

    @Test
    void namesTheFieldsOfTheRefusedRequest() {
        final int pd = device.commands().createPd();
        fake.errors.put(Command.CREATE_SRQ, -22);

        assertThatThrownBy(() -> device.commands().createSrq(pd, 0x5000, 64, 1, 2))
            .hasMessageContaining("CREATE_SRQ[pdir_dma=0x5000 nchunks=0x2")
            .hasMessageContaining("max_wr=0x40")
            .hasMessageContaining("the device refused a value of the request");
    }

    @Test
    void anErrorInTheResponseHeaderCountsToo() {
        fake.headerErr = 12;

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ENOMEM))
            .hasMessageContaining("response err 12");
        assertThat(device.commands().liveObjects()).isZero();
    }

    @Test
    void aVanishedDeviceIsNotTakenForEperm() {
        fake.gone = true;

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ENODEV))
            .hasMessageContaining("the device is gone");

        assertThat(device.failed()).isTrue();
        assertThat(device.takesCommands()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void needsNoInterrupt(final boolean interrupts) {
        fake.interrupts = interrupts;

        for (int i = 0; i < 10; i++) {
            device.commands().destroyPd(device.commands().createPd());
        }

        assertThat(device.failed()).isFalse();
    }

    @Test
    void anInterruptThatNeverComesIsNotWaitedForWithEachCommand() {
        fake.interrupts = false;
        for (int i = 0; i < 100; i++) {
            device.commands().queryPkey(1, 0);
        }
        assertThat(fake.vectors.waits).hasValue(3);
        assertThat(device.counters()).containsEntry("responses without an interrupt", 3L);

        fake.interrupts = true;
        device.commands().queryPkey(1, 0);
        fake.interrupts = false;
        for (int i = 0; i < 100; i++) {
            device.commands().queryPkey(1, 0);
        }
        assertThat(fake.vectors.waits).as("one that came is believed again").hasValue(6);
        assertThat(device.failed()).isFalse();
    }

    @Test
    void aLateInterruptDoesNotEndTheWaitForAResponse() {
        device.close();
        final FakePvrdma slow = new FakePvrdma();
        try (PvrdmaDevice patient = PvrdmaDevice.open(slow,
            slow.options().responseTimeoutNanos(TimeUnit.SECONDS.toNanos(20)))) {
            answerLate(slow);
            assertThat(patient.commands().createPd()).isEqualTo(77);
            slow.answers = true;
        }
    }

    private static void answerLate(final FakePvrdma fake) {
        fake.answers = false;
        fake.interrupts = false;
        final Thread late = new Thread(() -> {
            for (int i = 0; i < 5; i++) {
                fake.vectors.fire(0);
            }
            final UnsafeBuffer request = fake.iommu.at(fake.dsr.get(Dsr.CMD_SLOT_DMA), Command.REQUEST_MAX);
            final UnsafeBuffer response = fake.iommu.at(fake.dsr.get(Dsr.RESP_SLOT_DMA), Command.RESPONSE_MAX);
            final long deadline = System.nanoTime() + Patience.nanos();
            while (fake.requests.isEmpty() && System.nanoTime() < deadline) {
                Patience.pause();
            }
            response.putInt(ResponseHeader.LAYOUT.length(), 77);
            response.putInt(ResponseHeader.ACK.offset(), Command.CREATE_PD.ack());
            response.putLongVolatile(0, request.getLong(0));
            fake.vectors.fire(0);
        });
        late.start();
    }

    /** A register BAR and its response slot: the header is there at once, the body changes with each look at it. */
    private static class SlowBody extends UnsafeBuffer implements Bar {
        private final UnsafeBuffer commandSlot = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
        private final int last;
        private int looks;
        private int err;
        private long timeoutNanos = TimeUnit.SECONDS.toNanos(20);
        private InterruptVector vector;
        private DriverCounters counters;
        private CommandChannel channel;

        SlowBody(final int last) {
            super(new byte[Command.RESPONSE_MAX]);
            this.last = last;
        }

        SlowBody with(final InterruptVector newVector) {
            vector = newVector;
            return this;
        }

        private CommandChannel channel() {
            if (channel == null) {
                final LiveDevice live = LiveDevice.unpublished("slow:", "this is a test");
                counters = new DriverCounters(live);
                channel = new CommandChannel(this, commandSlot, this, timeoutNanos, new FailureLatch("slow:"),
                    counters, new CommandHistory(live, new DeviceEntry(live)), "slow:");
                channel.responseVector(vector);
            }
            return channel;
        }

        /** The body. */
        int queryPkey() {
            return channel().execute(Command.QUERY_PKEY, new QueryPkeyRequest(), request -> { },
                answer -> answer.getInt(ResponseHeader.LAYOUT.length()));
        }

        void destroyPd() {
            channel().takeBack(Command.DESTROY_PD, new HandleRequest(), request -> { });
        }

        @Override
        public int getIntVolatile(final int offset) {
            if (offset == ResponseHeader.LAYOUT.length() && looks < last) {
                putInt(offset, ++looks);
            }
            return super.getIntVolatile(offset);
        }

        @Override
        public void writeInt(final int offset, final int value) {
            looks = 0;
            putInt(ResponseHeader.ACK.offset(), Command.QUERY_PKEY.ack());
            putLong(0, commandSlot.getLong(0));
        }

        @Override
        public int readInt(final int offset) {
            return err;
        }

        @Override
        public int index() {
            return Bar1.REG_BAR;
        }

        @Override
        public long size() {
            return Bar1.SIZE;
        }

        @Override
        public long busAddress() {
            return 0;
        }

        @Override
        public boolean isMapped() {
            return false;
        }

        @Override
        public UnsafeBuffer buffer() {
            throw new AssertionError("it is not mapped");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 10})
    void withoutInterruptsTheBodyOfAResponseMayComeAfterItsHeader(final int last) {
        assertThat(new SlowBody(last).queryPkey()).isEqualTo(last);
    }

    /** What a vector says when it is asked, one after the other; 0 at the end. */
    private static class ToldVector implements InterruptVector {
        private final Deque<Long> polls = new ArrayDeque<>();

        ToldVector(final Long... polls) {
            this.polls.addAll(List.of(polls));
        }

        @Override
        public int index() {
            return Bar1.PVRDMA_INTR_VECTOR_RESPONSE;
        }

        @Override
        public long poll() {
            return polls.isEmpty() ? 0 : polls.pop();
        }

        @Override
        public long await(final long timeoutNanos) {
            return 0;
        }

        @Override
        public long fired() {
            return 0;
        }
    }

    @Test
    void aLateInterruptOfADestroyIsNotThatOfTheNextResponse() {
        final SlowBody slow = new SlowBody(10).with(new ToldVector(0L, 0L, 1L));
        slow.destroyPd();
        assertThat(slow.queryPkey()).isEqualTo(10);
    }

    @Test
    void aLateInterruptOfARefusedCommandIsNotThatOfTheNextResponse() {
        final SlowBody slow = new SlowBody(10).with(new ToldVector(0L, 0L, 1L));
        slow.err = -22;
        assertThatThrownBy(slow::queryPkey).isInstanceOf(RdmaException.class);
        slow.err = 0;
        assertThat(slow.queryPkey()).isEqualTo(10);
    }

    @Test
    void theLateInterruptOfAResponseIsNotThatOfTheNextOne() {
        final SlowBody slow = new SlowBody(10).with(new ToldVector(0L, 0L, 0L, 1L));
        assertThat(slow.queryPkey()).isEqualTo(10);
        assertThat(slow.counters.snapshot()).containsEntry("responses without an interrupt", 1L);
        assertThat(slow.queryPkey()).isEqualTo(10);
    }

    @Test
    void theInterruptOfAResponseTellsThatItIsComplete() {
        final SlowBody slow = new SlowBody(10).with(new ToldVector(0L, 0L, 2L));
        slow.destroyPd();
        assertThat(slow.queryPkey()).as("not looked at again").isZero();
    }

    @Test
    void anInterruptedThreadWaitsForTheVectorToo() {
        final SlowBody slow = new SlowBody(10).with(new ToldVector() {
            @Override
            public long await(final long timeoutNanos) {
                return Thread.currentThread().isInterrupted() ? 0 : 1;
            }
        });
        Thread.currentThread().interrupt();
        for (int i = 0; i < 3; i++) {
            slow.queryPkey();
        }
        assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        assertThat(slow.counters.snapshot()).containsEntry("responses without an interrupt", 0L);
    }

    @Test
    void aResponseThatNeverRestsIsNotWaitedForForEver() {
        final SlowBody restless = new SlowBody(Integer.MAX_VALUE);
        restless.queryPkey();
        assertThat(restless.looks).isBetween(10, 1000);
    }

    /** As a thread would that sleeps past the timeout after a look that came too early. */
    private static final class LateLook extends SlowBody {
        private boolean looked;

        LateLook() {
            super(0);
            super.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(1);
        }

        @Override
        public long getLongVolatile(final int offset) {
            if (looked) {
                return super.getLongVolatile(offset);
            }
            looked = true;
            Pause.nanos(TimeUnit.MILLISECONDS.toNanos(5));
            return 0;
        }
    }

    @Test
    void aResponseThatIsThereIsTakenAfterTheTimeoutToo() {
        assertThat(new LateLook().queryPkey()).isZero();
    }

    @Test
    void aBusThatFailsAfterTheCommandIsOutFailsTheDevice() {
        fake.handlers.put(Command.CREATE_PD, (request, response) -> fake.failingReads = true);
        assertGivenUpWithoutWaiting("refused by the test");
    }

    @Test
    void aBusThatDoesNotTakeTheCommandFailsTheDevice() {
        fake.failingWrite = Bar1.PVRDMA_REG_REQUEST;
        assertGivenUpWithoutWaiting("refused by the test");
    }

    private void assertGivenUpWithoutWaiting(final String why) {
        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EIO)).hasMessageContaining(why);
        assertThat(device.failure()).contains("registers cannot be reached").contains(why);
        assertThat(device.takesCommands()).isFalse();
        assertThat(device.commands().liveObjects()).isZero();
        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD)).hasMessageContaining(why);
    }

    @Test
    void aLostResponseIsToldAlsoWhenRegistersCannotBeRead() {
        fake.answers = false;
        // ERR after the command; what is read afterwards is only for people.
        fake.goodReads = 1;
        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ETIMEDOUT))
            .hasMessageContaining("ERR not readable, IMR not readable");
        assertThat(device.failure()).contains("no response to CREATE_PD");
    }

    @Test
    void oneCommandAtATime() throws InterruptedException {
        final int threads = 4;
        final CountDownLatch done = new CountDownLatch(threads);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int t = 0; t < threads; t++) {
            final Thread thread = new Thread(() -> {
                for (int i = 0; i < 200; i++) {
                    device.commands().queryPort(1);
                }
                done.countDown();
            });
            thread.setUncaughtExceptionHandler((who, e) -> failure.set(e));
            thread.start();
        }
        assertThat(done.await(Patience.millis(), TimeUnit.MILLISECONDS)).as("%s", failure.get()).isTrue();
        assertThat(fake.requests).hasSize(800);
    }

    @Test
    void observersSeeRequestErrorAndResponse() {
        final List<String> seen = new ArrayList<>();
        device.channel().observer((request, err, response) -> seen.add(
            CommandText.name(request.getInt(CommandHeader.CMD.offset())) + " " + err + " "
                + Integer.toHexString(response.getInt(ResponseHeader.ACK.offset()))));
        final int pd = device.commands().createPd();
        device.commands().destroyPd(pd);
        fake.errors.put(Command.CREATE_PD, -12);
        assertThatThrownBy(() -> device.commands().createPd()).isInstanceOf(RdmaException.class);
        device.channel().observer(null);
        fake.errors.clear();
        device.commands().createPd();

        assertThat(seen).containsExactly("CREATE_PD 0 80000002", "DESTROY_PD 0 80000003", "CREATE_PD -12 0");
    }

    @Test
    void replaysWhatWasRecordedWhateverItIs() {
        final UnsafeBuffer script = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
        final UnsafeBuffer response = new UnsafeBuffer(new byte[Command.RESPONSE_MAX]);
        new CommandHeader().wrap(script, 0).cmd(Command.CREATE_PD).set(CommandHeader.RESPONSE, 999);
        assertThat(device.channel().replay(script, response)).isZero();
        assertThat(response.getInt(ResponseHeader.ACK.offset())).isEqualTo(Command.CREATE_PD.ack());
        assertThat(response.getLong(0)).isNotEqualTo(999);

        new CommandHeader().wrap(script, 0).set(CommandHeader.CMD, 21);
        assertThat(device.channel().replay(script, response)).isEqualTo(0xffff);
        assertThat(device.failed()).isFalse();
    }

    @Test
    void keepsTheLastCommands() {
        for (int i = 0; i < 300; i++) {
            device.commands().queryPkey(1, i % 2);
        }
        final String[] lines = device.channel().history(1000).split("\n");

        assertThat(lines).hasSize(256);
        assertThat(lines[0]).contains("#44 QUERY_PKEY[port_num=0x1] -> ERR 0x0").contains("ack 0x80000001");
        assertThat(lines[255]).contains("#299 QUERY_PKEY[port_num=0x1 index=0x1]");
        assertThat(device.channel().history(2).split("\n")).hasSize(2);
    }

    @Test
    void aClosedDeviceRefuses() {
        device.close();

        assertThatThrownBy(() -> device.commands().createPd())
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD)).hasMessageContaining("closed");
        assertThatThrownBy(() -> device.channel().replay(new UnsafeBuffer(new byte[Command.REQUEST_MAX]),
            new UnsafeBuffer(new byte[Command.RESPONSE_MAX]))).hasMessageContaining("closed");
        assertThat(device.awaitCompletionEvents(1_000_000_000)).isFalse();
        assertThat(device.awaitAsyncEvents(1_000_000_000)).isFalse();
        assertThat(device.pollAsyncEvents()).isZero();
    }
}
