/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.driver.live.LiveView;
import io.rdma4j.driver.live.LiveViews;
import io.rdma4j.testing.CutOffFile;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SendTemplate;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.PdKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The provider on stub.c of test-support, compiled where there is a C compiler: no device is needed. */
@EnabledIf("hasGcc")
class StubDeviceTest {
    private static final int WR = 8;
    private static final int EIO = 5;
    private static final int ENOMEM = 12;
    private static final int EINVAL = 22;
    private static final int EMFILE = 24;

    private RdmaContext context;
    private ProtectionDomain pd;
    private CompletionQueue cq;
    private PinnedMemory memory;
    private MemoryRegion region;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    static List<String> calls() {
        return Runtime.version().feature() >= 22 ? List.of("jna", "ffm", "critical") : List.of("jna");
    }

    private void open(final String calls) {
        System.setProperty("rdma4j.ibv.calls", calls);
        context = new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0"));
        pd = context.allocatePd();
        cq = context.createCq(64);
        memory = context.allocate(8192);
        region = pd.register(memory, AccessFlag.LOCAL_WRITE);
    }

    @AfterEach
    void everythingIsGivenBack() {
        System.clearProperty("rdma4j.ibv.calls");
        if (context != null) {
            context.close();
            assertThat(context.reachableBytes()).isZero();
        }
        Stub.assertNothingIsLeft();
    }

    private QueuePair ready(final QpOptions options) {
        return Stub.connected(pd.createQp((options.sendCq() == null ? options.cq(cq) : options)
            .maxSendWr(WR).maxReceiveWr(WR)));
    }

    private List<String> poll() {
        final List<String> all = new ArrayList<>();
        assertThat(cq.poll(c -> all.add(c.wrId() + " " + c.opcode() + " " + c.status() + " " + c.byteLength()), 64))
            .isEqualTo(all.size());
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"FFM", "jna ", ""})
    void aWayToCallThatThereIsNotIsRefused(final String calls) {
        assertThatThrownBy(() -> open(calls)).isInstanceOf(RdmaException.class).hasMessageContainingAll(
            "open device failed (-Drdma4j.ibv.calls=" + calls + ")", "EINVAL", "give jna, ffm or critical");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ffm", "critical"})
    @EnabledForJreRange(max = JRE.JAVA_21)
    void aWayToCallThatThisJvmHasNotIsRefused(final String calls) {
        assertThatThrownBy(() -> open(calls)).isInstanceOf(RdmaException.class).hasMessageContainingAll(
            "open device failed (-Drdma4j.ibv.calls=" + calls + ")", "JDK 22", "EOPNOTSUPP", "leave it out");
    }

    private static long eventFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(StubDeviceTest::isEvent).count();
        }
    }

    private static boolean isEvent(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString().equals("anon_inode:[eventfd]");
        } catch (final IOException e) {
            return false; // Closed meanwhile, as that of the folder.
        }
    }

    /** The library makes its channel first; then the file that ends a wait is refused, or a change of the channel's. */
    @ParameterizedTest
    @ValueSource(strings = {"eventfd", "fcntl 4"})
    void aChannelForWhichNobodyCanWaitIsGivenBack(final String call) throws IOException {
        open("jna");
        final long objects = Stub.ask("stub_live");
        final long files = eventFiles();
        try (SystemFaults faults = SystemFaults.failing(false, call, 1, EMFILE)) {
            assertThatThrownBy(() -> context.createCq(16)).isInstanceOf(RdmaException.class)
                .hasMessageContaining("EMFILE");
            assertThat(faults.hasFailed()).isTrue();
        }
        assertThat(Stub.ask("stub_live")).as("objects").isEqualTo(objects);
        assertThat(eventFiles()).as("files").isEqualTo(files);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void sendsWithImmediateDataToItself(final String calls) {
        open(calls);
        final QueuePair qp = ready(new QpOptions().maxSendSge(2));
        final UnsafeBuffer bytes = memory.buffer();
        bytes.putStringWithoutLengthAscii(0, "hello, ");
        bytes.putStringWithoutLengthAscii(100, "world");
        assertThat(qp.postReceive(5, memory.address() + 4096, 64, region.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(qp.postSend(new SendRequest(2).wrId(-3).opcode(SendOpcode.SEND_WITH_IMM).immData(0x12345678)
            .addSge(memory.address(), 7, region.lkey()).addSge(memory.address() + 100, 5, region.lkey())))
            .isEqualTo(ReturnCode.OK);
        final List<String> all = new ArrayList<>();
        cq.poll(c -> all.add(c.wrId() + " " + c.opcode() + " " + c.byteLength() + " " + c.hasImmData() + " "
            + Integer.toHexString(c.immData()) + " " + (c.queuePair() == qp)), 64);
        assertThat(all).element(0).isEqualTo("5 RECV 12 true 12345678 true");
        assertThat(all).element(1).asString().startsWith("-3 SEND 12 false");
        assertThat(bytes.getStringWithoutLengthAscii(4096, 12)).isEqualTo("hello, world");
    }

    /** Another process would see the same file. */
    @ParameterizedTest
    @MethodSource("calls")
    void othersSeeTheObjectsAndWhatTheyCounted(final String calls) {
        open(calls);
        final QueuePair qp = ready(new QpOptions());
        assertThat(qp.postReceive(1, memory.address(), 64, region.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(qp.postSend(2, memory.address() + 64, 20, region.lkey())).isEqualTo(ReturnCode.OK);
        assertThat(poll()).hasSize(2);
        assertThat(poll()).isEmpty();
        try (LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), context.address())) {
            assertThat(view.objects(PdKind.KIND)).hasSize(1);
            assertThat(view.objects(MrKind.KIND)).singleElement()
                .satisfies(mr -> assertThat(mr.attribute(MrKind.LKEY)).isEqualTo(region.lkey() & 0xffff_ffffL))
                .satisfies(mr -> assertThat(mr.attribute(MrKind.ADDRESS)).isEqualTo(memory.address()));
            final LiveObject seen = view.objects(QpKind.KIND).get(0);
            assertThat(seen.attribute(QpKind.QPN)).isEqualTo(qp.qpNumber());
            assertThat(seen.attribute(QpKind.STATE)).isEqualTo(QpState.RTS.ordinal());
            assertThat(List.of(seen.counter(QpKind.SQ_POSTED), seen.counter(QpKind.SQ_RETIRED),
                seen.counter(QpKind.RQ_POSTED), seen.counter(QpKind.RQ_RETIRED))).containsOnly(1L);
            final LiveObject queue = view.objects(CqKind.KIND).get(0);
            assertThat(List.of(queue.counter(CqKind.POLLS), queue.counter(CqKind.EMPTY_POLLS),
                queue.counter(CqKind.COMPLETIONS), queue.counter(CqKind.BYTES_SENT),
                queue.counter(CqKind.BYTES_RECEIVED))).containsExactly(2L, 1L, 2L, 20L, 20L);
            qp.modify(QpAttributes.to(QpState.ERR));
            assertThat(view.objects(QpKind.KIND).get(0).attribute(QpKind.STATE)).isEqualTo(QpState.ERR.ordinal());
            qp.close();
            assertThat(view.objects(QpKind.KIND)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void batchIsOneCallAndEndsWhereTheLibraryRefuses(final String calls) {
        open(calls);
        final QueuePair qp = ready(new QpOptions());
        final SendRequest[] requests = new SendRequest[5];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(i)
                .sge(memory.address(), 8, region.lkey()).remote(1, 2);
        }
        final long before = Stub.ask("stub_posts");
        assertThat(qp.postSend(requests, 5)).isEqualTo(5);
        assertThat(Stub.ask("stub_posts") - before).isEqualTo(1);
        assertThat(poll()).hasSize(5);
        Stub.ask("stub_fail", 2, EINVAL);
        assertThat(qp.postSend(requests, 5)).isEqualTo(2);
        assertThat(poll()).containsExactly("0 RDMA_WRITE SUCCESS 8", "1 RDMA_WRITE SUCCESS 8");
        Stub.ask("stub_fail", 0, ENOMEM);
        assertThat(qp.postSend(requests[0])).isEqualTo(ReturnCode.QUEUE_FULL);
        Stub.ask("stub_fail", 0, EINVAL);
        assertThat(qp.postSend(requests, 5)).isEqualTo(ReturnCode.INVALID_REQUEST);
        for (int i = 0; i < WR; i++) {
            assertThat(qp.postSend(requests[0])).isEqualTo(ReturnCode.OK);
        }
        assertThat(qp.postSend(requests[0])).isEqualTo(ReturnCode.QUEUE_FULL);
        assertThat(poll()).hasSize(WR);
        Stub.ask("stub_fail", 0, EIO);
        assertThat(qp.postSend(requests[0])).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(context.isFailed()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void templatesAndPayloadsOfTheirOwn(final String calls) {
        open(calls);
        for (final int longest : new int[] {64, 1024}) {
            // The library has 256 bytes of inline data: the longer ones are read from where they were copied to.
            final QueuePair qp = ready(new QpOptions().maxInline(longest));
            final UnsafeBuffer source = new UnsafeBuffer(new byte[longest]);
            source.setMemory(0, longest, (byte) longest);
            final SendTemplate template = qp.prepare(new SendRequest().inline(source, 0, longest),
                new SendRequest().sge(memory.address(), 3, region.lkey()));
            source.setMemory(0, longest, (byte) 1);
            for (int round = 0; round < 3 * WR; round++) {
                assertThat(qp.postReceive(1, memory.address() + 4096, 2048, region.lkey())).isZero();
                assertThat(qp.postReceive(2, memory.address() + 2048, 2048, region.lkey())).isZero();
                assertThat(template.wrId(0, 10 + round).post()).isEqualTo(2);
                assertThat(poll()).containsExactly("1 RECV SUCCESS " + longest, 10 + round + " SEND SUCCESS " + longest,
                    "2 RECV SUCCESS 3", "0 SEND SUCCESS 3");
                assertThat(memory.buffer().getByte(4096 + longest - 1)).isEqualTo((byte) longest);
            }
            qp.close();
        }
    }

    /** Linux' vmw_pvrdma creates such a queue pair, and says that it has no inline data. */
    @Test
    void aQueuePairThatGotLessInlineDataThanItAskedForIsNotAskedForMore() {
        open("jna");
        try {
            Stub.ask("stub_inline", 0);
            final QueuePair qp = ready(new QpOptions().maxInline(64));
            assertThat(qp.postReceive(1, memory.address() + 4096, 2048, region.lkey())).isZero();
            assertThat(qp.postSend(new SendRequest().inline(new UnsafeBuffer(new byte[64]), 0, 64))).isZero();
            assertThat(poll()).hasSize(2);
            assertThat(Stub.ask("stub_misuse")).isZero();
        } finally {
            Stub.ask("stub_inline", 256);
        }
    }

    @Test
    void completionsOfAClosedQpAreNobodys() {
        open("jna");
        final QueuePair gone = ready(new QpOptions());
        for (int i = 0; i < WR; i++) {
            assertThat(gone.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(i).remote(1, 2))).isZero();
        }
        gone.close();
        assertThat(gone.postSend(1, 2, 3, 4)).isEqualTo(ReturnCode.CLOSED);
        final QueuePair qp = ready(new QpOptions());
        assertThat(qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(77).remote(1, 2))).isZero();
        assertThat(poll()).containsExactly("77 RDMA_WRITE SUCCESS 0");
        assertThat(cq.dropped()).isEqualTo(WR);
        qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(qp.postReceive(1, 2, 3, 4)).isEqualTo(ReturnCode.WRONG_STATE);
    }

    /** The library notices uses of a QP that is destroyed. */
    @ParameterizedTest
    @MethodSource("calls")
    void closingWaitsForWhoPosts(final String calls) throws InterruptedException {
        open(calls);
        for (int round = 0; round < TestBudget.rounds(100, 2000); round++) {
            final QueuePair qp = ready(new QpOptions());
            final CountDownLatch posts = new CountDownLatch(50);
            final Thread poster = new Thread(() -> {
                final SendRequest request = new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 2);
                while (qp.postSend(request) != ReturnCode.CLOSED) {
                    posts.countDown();
                    cq.poll(c -> { }, 16);
                }
            });
            poster.start();
            Patience.await(posts, "the first posts");
            qp.close();
            poster.join();
        }
    }

    /** Room that a closed QP's completions take is found again beside a thread that polls all the time. */
    @Test
    void roomIsSweptBesideAPoller() throws InterruptedException {
        open("jna");
        final AtomicBoolean over = new AtomicBoolean();
        final AtomicInteger answers = new AtomicInteger();
        final Thread poller = new Thread(() -> {
            while (!over.get()) {
                answers.addAndGet(Math.min(0, cq.poll(c -> { }, 4)));
            }
        });
        poller.start();
        try {
            for (int round = 0; round < 50; round++) {
                final QueuePair qp = ready(new QpOptions());
                for (int i = 0; i < WR; i++) {
                    qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 2));
                }
                qp.close();
            }
        } finally {
            over.set(true);
            poller.join();
        }
        assertThat(answers).hasValue(0);
    }

    /** Nobody else can take away what is in the way: the handler's own poll is under way until it returns. */
    @Test
    void roomIsSweptOutOfAHandlerWhoseCompletionStays() {
        open("jna");
        final QueuePair qp = ready(new QpOptions());
        final QueuePair gone = ready(new QpOptions());
        final QueuePair again = ready(new QpOptions());
        ready(new QpOptions());
        assertThat(qp.postReceive(1, memory.address() + 4096, 64, region.lkey())).isZero();
        assertThat(qp.postSend(new SendRequest().wrId(2).opcode(SendOpcode.SEND_WITH_IMM).immData(0x12345678)
            .sge(memory.address(), 5, region.lkey()).flags(0))).isZero();
        final SendRequest write = new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 2);
        for (int i = 0; i < WR; i++) {
            assertThat(gone.postSend(write)).isZero();
            assertThat(again.postSend(write)).isZero();
        }
        gone.close();
        final List<String> all = new ArrayList<>();
        assertThat(cq.poll(c -> {
            pd.createQp(new QpOptions().cq(cq).maxSendWr(WR).maxReceiveWr(WR));
            again.modify(QpAttributes.to(QpState.RESET));
            again.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
            all.add(c.wrId() + " " + c.byteLength() + " " + Integer.toHexString(c.immData()));
        }, 1)).isEqualTo(1);
        assertThat(all).containsExactly("1 5 12345678");
        assertThat(cq.dropped()).isEqualTo(2 * WR);
        assertThat(poll()).isEmpty();
    }

    @Test
    void eventsOfCompletionsAreAcknowledged() {
        open("jna");
        final QueuePair qp = ready(new QpOptions());
        assertThat(cq.awaitEvent(Duration.ZERO)).isFalse();
        assertThat(cq.requestNotify(false)).isZero();
        assertThat(qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).remote(1, 2))).isZero();
        assertThat(cq.awaitEvent(Patience.duration())).isTrue();
        assertThat(cq.awaitEvent(Duration.ofMillis(5))).isFalse();
        assertThat(poll()).hasSize(1);
    }

    @Test
    void sharedReceivesKeepTheirPlaces() {
        open("jna");
        final SharedReceiveQueue srq = pd.createSrq(4, 2);
        final QueuePair qp = ready(new QpOptions().srq(srq));
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < 4; i++) {
                assertThat(srq.postReceive(new ReceiveRequest(2).wrId(i)
                    .addSge(memory.address() + 4096, 4, region.lkey()))).isZero();
            }
            assertThat(srq.postReceive(9, memory.address(), 1, region.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
            for (int i = 0; i < 4; i++) {
                assertThat(qp.postSend(100 + i, memory.address(), 2 + 2 * (i / 3), region.lkey())).isZero();
            }
            assertThat(poll()).contains("0 RECV SUCCESS 2", "3 RECV SUCCESS 4", "103 SEND SUCCESS 4").hasSize(8);
        }
        assertThat(qp.postReceive(1, 2, 3, 4)).isEqualTo(ReturnCode.HAS_SRQ);
        assertThatThrownBy(srq::close).hasMessageContaining("EBUSY");
        // Longer than the receive, whatever the device says.
        assertThat(srq.postReceive(5, memory.address() + 4096, 4, region.lkey())).isZero();
        assertThat(qp.postSend(6, memory.address(), 5, region.lkey())).isZero();
        final List<String> told = new ArrayList<>();
        cq.poll(c -> told.add(c.wrId() + " " + c.status() + " " + c.byteLength() + " " + c.vendorError()), 64);
        assertThat(told).containsExactlyInAnyOrder("5 " + WcStatus.LOC_LEN_ERR + " 0 0", "6 SUCCESS 5 0");
        assertThat(qp.failure()).contains("RECV failed", "wr_id 0x5, the message is longer than the 4 bytes of the "
            + "receive: ", "LOC_LEN_ERR");
    }

    /** The longest message that there is. Its length is no int, and neither is that of its buffers. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageOfTwoGibibytesFitsIntoAsMany(final boolean shared) {
        open("jna");
        final SharedReceiveQueue srq = shared ? pd.createSrq(4, 2) : null;
        final QueuePair qp = ready(new QpOptions().maxReceiveSge(2).srq(srq));
        final ReceiveRequest two = new ReceiveRequest(2).wrId(1).addSge(memory.address(), 1 << 30, region.lkey())
            .addSge(memory.address(), 1 << 30, region.lkey());
        for (int more = 0; more <= 1; more++) {
            assertThat(shared ? srq.postReceive(two) : qp.postReceive(two)).isZero();
            Stub.ask("stub_length", (1 << 31) + more);
            assertThat(qp.postSend(2, memory.address(), 4, region.lkey())).isZero();
            assertThat(poll()).contains(more == 0 ? "1 RECV SUCCESS " + Integer.MAX_VALUE : "1 RECV LOC_LEN_ERR 0");
            assertThat(qp.state()).isEqualTo(more == 0 ? QpState.RTS : QpState.ERR);
        }
    }

    private void reach(final SharedReceiveQueue srq) {
        Stub.ask("stub_event", ((IbvSrq) srq).pointer, AsyncEventType.SRQ_LIMIT_REACHED.ordinal());
        context.awaitAsyncEvent(Patience.duration()).acknowledge();
    }

    /** The device tells once: then there is no limit any more. */
    @Test
    void othersSeeTheLimitOfASharedQueueAsLongAsItIsArmed() throws InterruptedException {
        open("jna");
        final SharedReceiveQueue srq = pd.createSrq(8, 1);
        try (LiveView view = LiveViews.ofPid(ProcessHandle.current().pid(), context.address())) {
            final LongSupplier limit = () -> view.objects(SrqKind.KIND).get(0).attribute(SrqKind.SRQ_LIMIT);
            srq.armLimit(4);
            assertThat(limit.getAsLong()).isEqualTo(4);
            reach(srq);
            assertThat(limit.getAsLong()).as("it was reached").isZero();
            srq.armLimit(5);
            Stub.ask("stub_refuse_states", EINVAL);
            assertThatThrownBy(() -> srq.armLimit(6)).hasMessageContaining("ibv_modify_srq");
            assertThat(limit.getAsLong()).as("a refusal changes nothing").isEqualTo(5);
            Stub.ask("stub_limit", ((IbvSrq) srq).pointer, 0);
            assertThat(srq.queryLimit()).isZero();
            assertThat(limit.getAsLong()).as("it was asked for").isZero();
            Stub.ask("stub_refuse_states", 0);
            Stub.hold(Stub.Place.MODIFY_SRQ);
            final Thread armer = new Thread(() -> srq.armLimit(7));
            armer.start();
            Stub.awaitHeld();
            reach(srq);
            Stub.hold(Stub.Place.NONE);
            Patience.join(armer);
            assertThat(limit.getAsLong()).as("it was reached before the library came back").isZero();
        } finally {
            Stub.hold(Stub.Place.NONE);
            Stub.ask("stub_refuse_states", 0);
        }
    }

    /** Shared receives that completed and were not polled when their QP was closed take room. */
    @Test
    void roomIsKeptForSharedReceivesOfAClosedQp() {
        open("jna");
        final CompletionQueue sent = context.createCq(64);
        final SharedReceiveQueue srq = pd.createSrq(32, 1);
        final QueuePair qp = ready(new QpOptions().srq(srq).sendCq(sent).receiveCq(cq));
        for (int i = 0; i < 32; i++) {
            assertThat(srq.postReceive(i, memory.address() + 4096, 4, region.lkey())).isZero();
            assertThat(qp.postSend(i, memory.address(), 4, region.lkey())).isZero();
            assertThat(sent.poll(c -> { }, 1)).isEqualTo(1);
        }
        qp.close();
        final QpOptions all = new QpOptions().sendCq(sent).receiveCq(cq).maxSendWr(8).maxReceiveWr(64);
        assertThatThrownBy(() -> pd.createQp(all)).hasMessageContaining("left by closed QPs");
        assertThat(poll()).isEmpty();
        pd.createQp(all);
    }

    @Test
    void deviceThatIsGoneEndsInCodes() {
        open("jna");
        final QueuePair qp = ready(new QpOptions());
        Stub.ask("stub_event", 0L, AsyncEventType.DEVICE_FATAL.ordinal());
        final AsyncEvent event = context.awaitAsyncEvent(Patience.duration());
        assertThat(event.type()).isEqualTo(AsyncEventType.DEVICE_FATAL);
        assertThat(event.element()).isSameAs(context);
        event.acknowledge();
        assertThat(qp.postSend(1, memory.address(), 1, region.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(qp.postReceive(1, memory.address(), 1, region.lkey())).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThat(cq.poll(c -> { }, 1)).isEqualTo(ReturnCode.DEVICE_FAILED);
        assertThatThrownBy(() -> context.allocatePd()).hasMessageContaining("was removed")
            .hasMessageContaining("EBADFD");
        assertThat(context.dump()).contains("stub0", "was removed");
    }

    @Test
    void choosesARoutableGid() {
        open("jna");
        assertThat(context.queryGid(1, 0)).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
        assertThat(context.queryGid(1, 1)).isEqualTo(Gid.parse("fe80::1"));
        assertThat(context.queryGid(1, 2)).isEqualTo(Gid.ZERO);
        context.bindGid(1, Gid.parse("fe80::1"));
        assertThatThrownBy(() -> context.bindGid(2, Gid.parse("fe80::2"))).hasMessageContaining("EOPNOTSUPP")
            .hasMessageContaining(context.whyNot(Feature.GID_OF_CHOICE));
        try (RdmaContext other = new IbvVerbsProvider().open(DeviceAddress.parse("ibv:?gid=fe80::1"))) {
            assertThat(other.queryGid(1, 0)).isEqualTo(Gid.parse("fe80::1"));
            assertThat(other.queryGid(1, 1)).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
        }
        assertThatThrownBy(() -> new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0?gid=fe80::7")))
            .hasMessageContaining("no port has GID fe80::7");
    }

    /** It is a function that old libraries and drivers have not. */
    @ParameterizedTest
    @CsvSource({"0, 0, 0, 0", "1, 0, 3, 31", "1, 95, 0, 0", "1, 38, 0, 0"})
    void asksForMoreThanTheFirstAttributes(final int has, final int answer, final long general, final int rc) {
        Stub.ask("stub_extended", has, answer);
        try {
            open("jna");
        } finally {
            Stub.ask("stub_extended", 0, 0);
        }
        final IbvAttributes attributes = (IbvAttributes) context.attributes();
        assertThat(attributes.firmwareVersion()).isEqualTo("1.2.3");
        assertThat(attributes.maxQp()).isEqualTo(1000);
        assertThat(attributes.odpGeneralCaps()).isEqualTo(general);
        assertThat(attributes.odpRcCaps()).isEqualTo(rc);
        assertThat(attributes.odpUdCaps()).isEqualTo(rc & 1);
        assertThat(attributes.details()).containsEntry("max_ee", "0").containsEntry("atomic_cap", "ATOMIC_HCA (1)")
            .containsEntry("general_odp_caps", general == 0 ? "NO SUPPORT" : "ODP_SUPPORT, ODP_SUPPORT_IMPLICIT")
            .containsEntry("ud_odp_caps", rc == 0 ? "NO SUPPORT" : "SUPPORT_SEND")
            .containsEntry("xrc_odp_caps", rc == 0 ? "NO SUPPORT" : "SUPPORT_WRITE, Unknown flags: 0x80000000")
            .containsEntry("device_cap_flags_ex",
                rc == 0 ? "0x0" : "0x4400000000 RAW_SCATTER_FCS, Unknown flags: 0x4000000000")
            .containsEntry("hca_core_clock", rc == 0 ? "not supported" : "1000kHZ")
            .containsEntry("tag_matching", "not supported");
    }

    @Test
    void attributesThatAreRefusedFailTheOpening() {
        Stub.ask("stub_extended", 1, EIO);
        try {
            assertThatThrownBy(() -> new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0")))
                .hasMessageContaining("ibv_query_device_ex refused").hasMessageContaining("EIO");
        } finally {
            Stub.ask("stub_extended", 0, 0);
        }
    }

    @Test
    void namesAndListsDevices() {
        assertThat(new IbvVerbsProvider().list()).extracting(device -> device.address()).containsExactly("ibv:stub0");
        assertThatThrownBy(() -> new IbvVerbsProvider().open(DeviceAddress.parse("ibv:mlx5_0")))
            .isInstanceOf(RdmaException.class).hasMessageContaining("no device 'mlx5_0', but stub0")
            .hasMessageContaining("ENODEV");
        assertThatThrownBy(() -> new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0?x=1")))
            .hasMessageContaining("unknown option 'x'");
    }

    @Test
    void opcodeOfAFailureIsThatOfTheRequest() {
        assertThat(Opcodes.completion(SendOpcode.RDMA_WRITE_WITH_IMM)).isEqualTo(WcOpcode.RDMA_WRITE);
        assertThat(Opcodes.completion(SendOpcode.FAST_REG_MR)).isEqualTo(WcOpcode.UNKNOWN);
    }

    @Test
    void aMappedFileThatWasCutOffIsRefused() {
        open("jna");
        for (final int longest : new int[] {64, 1024}) {
            final QueuePair qp = ready(new QpOptions().maxInline(longest));
            try (CutOffFile file = new CutOffFile(longest)) {
                final UnsafeBuffer source = new UnsafeBuffer(file.bytes());
                final SendTemplate template =
                    qp.prepare(new SendRequest().inline(new UnsafeBuffer(new byte[longest]), 0, longest));
                file.cutOff();
                for (int i = 0; i < 20_000; i++) {
                    assertThat(qp.postSendInline(5, source, 0, longest)).isEqualTo(ReturnCode.INVALID_REQUEST);
                    assertThat(qp.postSend(new SendRequest().inline(source, 0, longest)))
                        .isEqualTo(ReturnCode.INVALID_REQUEST);
                }
                assertThatThrownBy(() -> template.inline(0, source, 0, longest)).hasMessageContaining("is gone");
                assertThatThrownBy(() -> qp.prepare(new SendRequest().inline(source, 0, longest)))
                    .isInstanceOf(RdmaException.class);
                file.growAgain();
                source.putByte(longest - 1, (byte) 9);
                assertThat(qp.postReceive(1, memory.address() + 4096, 2048, region.lkey())).isZero();
                assertThat(qp.postSendInline(6, source, 0, longest)).isZero();
                assertThat(poll()).containsExactly("1 RECV SUCCESS " + longest, "6 SEND SUCCESS " + longest);
                assertThat(memory.buffer().getByte(4096 + longest - 1)).isEqualTo((byte) 9);
            }
            qp.close();
        }
    }
}
