/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionEntry;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CompletionReader;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.CounterEvent;
import io.rdma4j.fabric.Endpoint;
import io.rdma4j.fabric.EndpointOption;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.Refusal;
import io.rdma4j.fabric.SharedReceiveContext;
import io.rdma4j.fabric.SharedReceiveOptions;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.Allocations;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receives that reliable datagram endpoints share. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedReceivesTest {
    private static final long ANY = FiAddr.UNSPEC;
    private static final int SIZE = 8;

    @RegisterExtension
    final World world = new World();

    /** Sends; knows {@link #one} and {@link #two}. */
    private Rank a;
    /** Has an endpoint of its own, beside those that share. */
    private Rank b;
    private SharedReceiveContext shared;
    private AddressedEndpoint one;
    private AddressedEndpoint two;
    /** Of the second endpoint. */
    private CompletionQueue other;
    /** What was taken from there. */
    private final Deque<Done> fromOther = new ArrayDeque<>();
    private long toOne;
    private long toTwo;
    private long fromA;

    private void open(final String device) {
        open(device, new SharedReceiveOptions().size(SIZE));
    }

    private void open(final String device, final SharedReceiveOptions options) {
        final Rank[] both = world.pair(device);
        a = both[0];
        b = both[1];
        other = world.keep(b.domain.openCompletionQueue(64));
        shared = world.keep(
            b.domain.openSharedReceiveContext(options.completionQueue(b.cq).addressVector(b.av)));
        one = world.keep(bound(b.cq, World.options()));
        two = world.keep(bound(other, World.options()));
        toOne = a.av.insert(one.address());
        toTwo = a.av.insert(two.address());
        fromA = b.knows(a);
    }

    private AddressedEndpoint bound(final CompletionQueue queue, final EndpointOptions options) {
        return b.domain.openAddressedEndpoint(
            options.completionQueue(queue).addressVector(b.av).sharedReceiveContext(shared));
    }

    private void progress() {
        a.progress();
        final int code = other.read(entry -> fromOther.add(Done.of(entry)), 64);
        assertThat(code).isNotNegative();
    }

    private void send(final long dest, final int length, final int seed) {
        a.fill(0, length, seed);
        a.post(() -> {
            progress();
            return a.ep.send(a.at(0), length, a.region, dest, seed);
        });
        sent(seed);
    }

    private void sendTagged(final long dest, final int length, final long tag) {
        a.post(() -> {
            progress();
            return a.ep.tagged().send(a.at(0), length, a.region, dest, tag, tag);
        });
        sent(tag);
    }

    private void sent(final long context) {
        a.until(() -> {
            progress();
            return !a.done.isEmpty();
        });
        assertThat(a.done.poll()).extracting(Done::context, Done::errno).containsExactly(context, 0);
    }

    private Done nextOf(final Deque<Done> queue) {
        a.until(() -> {
            progress();
            return !queue.isEmpty();
        });
        return queue.poll();
    }

    private void gets(final Deque<Done> queue, final Endpoint endpoint, final long context, final int length) {
        assertThat(nextOf(queue)).extracting(Done::endpoint, Done::kind, Done::context, Done::length, Done::source,
            Done::errno).containsExactly(endpoint, OperationKind.RECEIVE, context, (long) length, fromA, 0);
    }

    private int receive(final int at, final int length, final long context) {
        return shared.receive(b.at(at), length, b.region, ANY, context);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void aReceiveIsForWhicheverEndpointsMessageComesFirst(final String device) {
        open(device);
        for (int i = 0; i < 4; i++) {
            assertThat(receive(1_000 * i, 1_000, i)).isZero();
        }
        send(toTwo, 100, 1);
        send(toOne, 625, 2);
        send(toOne, 0, 3);
        send(toTwo, 64, 4);
        gets(fromOther, two, 0, 100);
        gets(b.done, one, 1, 625);
        gets(b.done, one, 2, 0);
        gets(fromOther, two, 3, 64);
        b.expect(0, 100, 1);
        b.expect(1_000, 625, 2);
        b.expect(3_000, 64, 4);
    }

    @Test
    void messagesThatCameBeforeAreTakenInTheirOrder() {
        open("");
        final long[] dests = {toOne, toTwo, toOne};
        for (int i = 0; i < dests.length; i++) {
            send(dests[i], 10 + i, i);
            waits(i + 1);
        }
        for (int i = 0; i < dests.length; i++) {
            assertThat(receive(0, 100, i)).isZero();
            gets(i == 1 ? fromOther : b.done, i == 1 ? two : one, i, 10 + i);
        }
    }

    /** So many messages have come that no receive fits. */
    private void waits(final int messages) {
        a.until(() -> {
            progress();
            return context().matcher().waiting() + context().matcher().tags().waiting() == messages;
        });
    }

    private RdmReceiveContext context() {
        return ((SharedReceives) shared).context();
    }

    @Test
    void tagsAndSourcesAreMatchedAmongAllEndpoints() {
        open("");
        final Rank c = world.rank(world.device(""), World.options());
        final long fromC = b.knows(c);
        assertThat(shared.receiveTagged(b.at(0), 100, b.region, fromC, 7, 0, 1)).isZero();
        assertThat(shared.receiveTagged(b.at(0), 100, b.region, fromA, 7, 0, 2)).isZero();
        assertThat(shared.receiveTagged(b.at(0), 100, b.region, ANY, 0, -1, 3)).isZero();
        sendTagged(toTwo, 9, 7);
        assertThat(nextOf(fromOther)).extracting(Done::endpoint, Done::context, Done::tag).containsExactly(two, 2L, 7L);
        sendTagged(toOne, 9, 7);
        assertThat(nextOf(b.done)).extracting(Done::endpoint, Done::context, Done::tag).containsExactly(one, 3L, 7L);
        assertThat(shared.cancel(1)).isZero();
        assertThat(nextOf(b.done)).extracting(Done::endpoint, Done::context, Done::errno)
            .containsExactly(null, 1L, FiErrno.FI_ECANCELED);
        assertThat(shared.cancel(1)).isEqualTo(-FiErrno.FI_ENOENT);
    }

    @Test
    void messagesAreLookedAtClaimedAndDiscarded() {
        open("");
        final Message look = new Message(1).add(b.at(0), 100, b.region).tag(5).context(9);
        assertThat(shared.receiveTagged(look, OpFlags.PEEK)).isZero();
        assertThat(nextOf(b.done)).extracting(Done::endpoint, Done::errno)
            .containsExactly(null, FiErrno.FI_ENOMSG);
        sendTagged(toTwo, 33, 5);
        sendTagged(toTwo, 34, 5);
        waits(2);
        assertThat(shared.receiveTagged(look, OpFlags.PEEK | OpFlags.CLAIM)).isZero();
        assertThat(nextOf(fromOther)).extracting(Done::endpoint, Done::length).containsExactly(two, 33L);
        assertThat(shared.receiveTagged(look, OpFlags.PEEK | OpFlags.DISCARD)).isZero();
        assertThat(nextOf(fromOther)).extracting(Done::endpoint, Done::length).containsExactly(two, 34L);
        assertThat(shared.receiveTagged(look, OpFlags.CLAIM)).isZero();
        assertThat(nextOf(fromOther)).extracting(Done::endpoint, Done::length).containsExactly(two, 33L);
    }

    @Test
    void oneBufferTakesMessagesOfAll() {
        open("", new SharedReceiveOptions().size(SIZE).leastMultiReceive(100));
        final Message whole = new Message(1).add(b.at(50), 1_000, b.region).context(7);
        assertThat(shared.receiveMessage(whole, OpFlags.MULTI_RECV)).isZero();
        send(toOne, 300, 1);
        assertThat(nextOf(b.done)).extracting(Done::endpoint, Done::buffer, Done::released)
            .containsExactly(one, b.at(50), false);
        send(toTwo, 650, 2);
        assertThat(nextOf(fromOther)).extracting(Done::endpoint, Done::buffer, Done::released)
            .containsExactly(two, b.at(350), true);
        b.expect(50, 300, 1);
        b.expect(350, 650, 2);
        assertThat(context().matcher().claimed()).isZero();
        assertThat(context().room().left()).isEqualTo(SIZE);
    }

    /** Completions of one queue have all places: what waits for the other endpoint goes on when they are read. */
    @Test
    void whatNobodyReadsStopsTheSendersOfAll() {
        open("", new SharedReceiveOptions().size(4).leastMultiReceive(100));
        final Message whole = new Message(1).add(b.at(0), 100_000, b.region).context(7);
        assertThat(shared.receiveMessage(whole, OpFlags.MULTI_RECV)).isZero();
        send(toOne, 10, 0);
        send(toTwo, 10, 0);
        nextOf(b.done);
        nextOf(fromOther);
        for (int i = 0; i < 6; i++) {
            final int number = i;
            // Nobody reads what the first one gets.
            a.until(() -> {
                progressWithoutTaking();
                return a.ep.send(a.at(0), 10, a.region, toOne, number) == 0;
            });
            a.until(() -> {
                progressWithoutTaking();
                return !a.done.isEmpty();
            });
            a.done.clear();
        }
        a.until(() -> {
            progressWithoutTaking();
            return context().matcher().waiting() == 2;
        });
        a.until(() -> {
            progressWithoutTaking();
            return a.ep.send(a.at(0), 10, a.region, toTwo, 9) == 0;
        });
        a.until(() -> {
            progressWithoutTaking();
            return context().matcher().waiting() == 3;
        });
        assertThat(fromOther).isEmpty();
        for (int i = 0; i < 6; i++) {
            assertThat(nextOf(b.done).endpoint()).isSameAs(one);
        }
        assertThat(nextOf(fromOther).endpoint()).isSameAs(two);
        assertThat(context().room().left()).isEqualTo(3);
        assertThat(context().matcher().partRoom().left()).isEqualTo(4);
    }

    private void progressWithoutTaking() {
        a.take();
        b.cq.read(entry -> { }, 0);
        other.read(entry -> fromOther.add(Done.of(entry)), 64);
    }

    @Test
    void eachSendersWindowBoundsWhatWaits() {
        open("");
        send(toOne, 1, 0);
        int sent = 1;
        for (int quiet = 0; quiet < 2_000; quiet++) {
            final int code = a.ep.send(a.at(0), 1, a.region, toOne, 0);
            assertThat(code).isIn(0, -FiErrno.FI_EAGAIN);
            sent += code == 0 ? 1 : 0;
            quiet = code == 0 ? 0 : quiet;
            progress();
            a.done.clear();
        }
        final int waiting = context().matcher().waiting();
        assertThat(waiting).isBetween(8, 16);
        // To the other endpoint there is a window of its own.
        send(toTwo, 2, 5);
        waits(waiting + 1);
        int ofOne = 0;
        for (int i = 0; i < sent + 1; i++) {
            a.post(() -> receive(0, 100, 3));
            a.until(() -> {
                progress();
                return !b.done.isEmpty() || !fromOther.isEmpty();
            });
            ofOne += b.done.size();
            b.done.clear();
            fromOther.clear();
        }
        assertThat(ofOne).isEqualTo(sent);
    }

    @Test
    void anEndpointThatClosesTakesNothingAlong() {
        open("");
        assertThat(receive(0, 200_000, 1)).isZero();
        assertThat(receive(0, 100, 2)).isZero();
        // A part of it is there: it fills the first receive.
        a.fill(0, 100_000, 3);
        a.post(() -> {
            progress();
            return a.ep.send(a.at(0), 100_000, a.region, toTwo, 5);
        });
        a.others.clear();
        b.others.clear();
        a.until(() -> {
            b.take();
            other.read(entry -> fromOther.add(Done.of(entry)), 64);
            return context().matcher().posted() == 1 || !a.done.isEmpty();
        });
        two.close();
        a.others.add(b);
        b.others.add(a);
        assertThat(context().matcher().posted()).isEqualTo(2);
        a.until(() -> {
            a.passTime();
            a.progress();
            return !a.done.isEmpty();
        });
        assertThat(a.done.poll().errno()).isNotZero();
        send(toOne, 150, 6);
        gets(b.done, one, 1, 150);
        b.expect(0, 150, 6);
        one.close();
        shared.close();
        assertThat(nextOf(b.done)).extracting(Done::endpoint, Done::context, Done::errno, Done::text)
            .containsExactly(null, 2L, FiErrno.FI_ECANCELED, "the shared receive context was closed");
        assertThat(receive(0, 1, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(shared.cancel(1)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void messagesOfAnEndpointThatClosesAreGone() {
        open("");
        send(toTwo, 1, 1);
        send(toOne, 2, 2);
        waits(2);
        two.close();
        assertThat(context().matcher().waiting()).isEqualTo(1);
        assertThat(receive(0, 10, 1)).isZero();
        gets(b.done, one, 1, 2);
    }

    /** The sender, and the second endpoint has seen it. */
    private void goes() {
        a.ep.close();
        Await.until(two::toString, () -> {
            other.read(entry -> { }, 64);
            return ((RdmEndpoint) two).connections() == 0;
        });
    }

    /** They wait in memory of the endpoint. */
    @Test
    void messagesOfAPeerThatHasGoneAreGoneWithTheEndpoint() {
        open("");
        send(toTwo, 1, 1);
        waits(1);
        goes();
        assertThat(context().matcher().waiting()).isOne();
        two.close();
        assertThat(context().matcher().waiting()).isZero();
        assertThat(receive(0, 10, 1)).isZero();
        assertThat(b.cq.read(entry -> { }, 64)).isZero();
    }

    /** Before and after its sender has gone. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimedMessageThatIsCutIsGoneWithTheEndpoint(final boolean isAlone) {
        open("");
        a.post(() -> {
            progress();
            return a.ep.tagged().send(a.at(0), 250_000, a.region, toTwo, 5, 5);
        });
        waits(1);
        final Message look = new Message(1).add(b.at(0), 100, b.region).tag(5).context(9);
        assertThat(shared.receiveTagged(look, OpFlags.PEEK | OpFlags.CLAIM)).isZero();
        assertThat(nextOf(fromOther).length()).isEqualTo(250_000);
        if (isAlone) {
            goes();
        }
        assertThat(context().matcher().tags().oldestClaimed()).isNotNull();
        two.close();
        assertThat(context().matcher().tags().oldestClaimed()).isNull();
    }

    @Test
    void aQueueThatClosesUnreadGivesItsPlacesBack() {
        open("");
        for (int i = 0; i < SIZE; i++) {
            assertThat(receive(100 * i, 100, i)).isZero();
        }
        assertThat(receive(0, 100, 0)).isEqualTo(-FiErrno.FI_EAGAIN);
        for (int i = 0; i < 3; i++) {
            a.until(() -> {
                a.progress();
                other.read(entry -> { }, 0);
                return a.ep.send(a.at(0), 10, a.region, toTwo, 1) == 0;
            });
        }
        a.until(() -> {
            a.progress();
            other.read(entry -> { }, 0);
            return context().matcher().posted() == SIZE - 3;
        });
        two.close();
        assertThat(receive(0, 100, 0)).isEqualTo(-FiErrno.FI_EAGAIN);
        other.close();
        assertThat(context().room().left()).isEqualTo(3);
        assertThat(receive(0, 100, 0)).isZero();
    }

    @Test
    void endpointsHaveNoReceivesOfTheirOwn() {
        open("");
        final Message message = new Message(1).add(b.at(0), 500, b.region);
        for (final int code : new int[] {
            one.receive(b.at(0), 8, b.region, ANY, 1), one.receive(b.bytes, 0, 8, ANY, 1),
            one.receiveMessage(message, 0), one.receiveMessage(message, OpFlags.MULTI_RECV),
            one.tagged().receive(b.at(0), 8, b.region, ANY, 1, 0, 1), one.tagged().receiveMessage(message, 0),
            one.tagged().receiveMessage(message, OpFlags.PEEK), one.receiveContext(0).receive(0, 0, null, ANY, 1),
            one.cancel(1)}) {
            assertThat(code).as(FiErrno.name(code)).isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        }
        one.close();
        assertThat(one.receive(b.at(0), 8, b.region, ANY, 1)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        open("");
        assertRefused(FiErrno.FI_EBUSY, "2 endpoints", shared::close);
        assertRefused(FiErrno.FI_EBUSY, "shared receive context", b.domain::close);
        final SharedReceiveOptions options = new SharedReceiveOptions();
        assertRefused(FiErrno.FI_EINVAL, "options is null", () -> b.domain.openSharedReceiveContext(null));
        assertRefused(FiErrno.FI_ENOAV, "vector", () -> b.domain.openSharedReceiveContext(options));
        options.addressVector(a.av);
        assertRefused(FiErrno.FI_EDOMAIN, "another domain", () -> b.domain.openSharedReceiveContext(options));
        options.addressVector(b.av);
        assertRefused(FiErrno.FI_ENOCQ, "queue", () -> b.domain.openSharedReceiveContext(options));
        options.completionQueue(a.cq);
        assertRefused(FiErrno.FI_EDOMAIN, "another domain", () -> b.domain.openSharedReceiveContext(options));
        options.completionQueue(b.cq).size(0);
        assertRefused(FiErrno.FI_EINVAL, "receive size is 0", () -> b.domain.openSharedReceiveContext(options));
        options.size(1).leastMultiReceive(0);
        assertRefused(FiErrno.FI_EINVAL, "least room", () -> b.domain.openSharedReceiveContext(options));
        assertRefused(FiErrno.FI_EINVAL, "beside a shared one",
            () -> bound(b.cq, World.options().receiveContexts(b.cq)));
        assertRefused(FiErrno.FI_EDOMAIN, "another domain", () -> a.domain.openAddressedEndpoint(
            World.options().completionQueue(a.cq).addressVector(a.av).sharedReceiveContext(shared)));
        try (AddressVector vector = b.domain.openAddressVector(new AvAttributes())) {
            assertRefused(FiErrno.FI_EINVAL, "not that of its shared", () -> b.domain.openAddressedEndpoint(
                World.options().completionQueue(b.cq).addressVector(vector).sharedReceiveContext(shared)));
        }
        one.close();
        two.close();
        shared.close();
        shared.close();
        assertRefused(FiErrno.FI_EBADFD, "closed", () -> bound(b.cq, World.options()));
    }

    private static void assertRefused(
        final int errno, final String text, final ThrowingCallable call) {
        Refusal.assertRefused(errno, call, text);
    }

    @Test
    void itHoldsItsQueueAndItsVector() {
        open("");
        one.close();
        two.close();
        b.ep.close();
        assertRefused(FiErrno.FI_EBUSY, "bound", b.cq::close);
        assertRefused(FiErrno.FI_EBUSY, "", b.av::close);
    }

    @Test
    void theLeastRoomIsAnOption() {
        open("");
        assertThat(shared.getopt(EndpointOption.MIN_MULTI_RECV)).isEqualTo(64);
        shared.setopt(EndpointOption.MIN_MULTI_RECV, 1_000);
        final Message message = new Message(1).add(b.at(0), 999, b.region);
        assertThat(shared.receiveMessage(message, OpFlags.MULTI_RECV)).isEqualTo(-FiErrno.FI_EINVAL);
        b.ep.setopt(EndpointOption.MIN_MULTI_RECV, 999);
        assertThat(b.ep.getopt(EndpointOption.MIN_MULTI_RECV)).isEqualTo(999);
        assertThat(b.ep.receiveMessage(message, OpFlags.MULTI_RECV)).isZero();
        assertRefused(FiErrno.FI_EINVAL, "2147483648", () -> b.ep.setopt(EndpointOption.MIN_MULTI_RECV, 1L << 31));
        assertRefused(FiErrno.FI_EINVAL, "is 0", () -> shared.setopt(EndpointOption.MIN_MULTI_RECV, 0));
        assertRefused(FiErrno.FI_EINVAL, "null", () -> shared.setopt(null, 0));
        assertRefused(FiErrno.FI_EINVAL, "null", () -> b.ep.getopt(null));
        assertRefused(FiErrno.FI_ENOPROTOOPT, "MIN_MULTI", () -> one.setopt(EndpointOption.MIN_MULTI_RECV, 5));
        assertRefused(FiErrno.FI_ENOPROTOOPT, "MIN_MULTI", () -> one.getopt(EndpointOption.MIN_MULTI_RECV));
        assertRefused(FiErrno.FI_ENOPROTOOPT, "CM_DATA", () -> b.ep.getopt(EndpointOption.CM_DATA_SIZE));
        assertRefused(FiErrno.FI_ENOPROTOOPT, "BUFFERED_MIN", () -> b.ep.setopt(EndpointOption.BUFFERED_MIN, 5));
        one.close();
        two.close();
        shared.close();
        b.ep.close();
        assertRefused(FiErrno.FI_EBADFD, "closed", () -> shared.getopt(EndpointOption.MIN_MULTI_RECV));
        assertRefused(FiErrno.FI_EBADFD, "closed", () -> b.ep.setopt(EndpointOption.MIN_MULTI_RECV, 5));
    }

    @Test
    void theEndpointThatGotItCounts() {
        open("");
        final Counter counter = world.keep(b.domain.openCounter());
        final AddressedEndpoint third =
            world.keep(bound(b.cq, World.options().counter(counter, CounterEvent.RECV)));
        final long toThird = a.av.insert(third.address());
        assertThat(receive(0, 10, 1)).isZero();
        assertThat(receive(0, 10, 2)).isZero();
        send(toOne, 1, 1);
        send(toThird, 1, 2);
        gets(b.done, one, 1, 1);
        gets(b.done, third, 2, 1);
        assertThat(counter.read()).isEqualTo(1);
    }

    /** Counts, and keeps nothing. */
    private static final class Tally implements CompletionReader {
        private int good;
        private int bad;

        @Override
        public void onCompletion(final CompletionEntry entry) {
            good += entry.isError() ? 0 : 1;
            bad += entry.isError() ? 1 : 0;
        }
    }

    private void await(final Tally tally, final int count) {
        tally.good = 0;
        for (int i = 0; i < 1_000_000 && tally.good + tally.bad < count; i++) {
            a.cq.read(tally, 16);
            b.cq.read(tally, 16);
            other.read(tally, 16);
        }
    }

    @Test
    void nothingIsAllocatedInSteadyState() {
        open("", new SharedReceiveOptions().size(16));
        assertThat(b.info.capabilities()).contains(Capability.TAGGED, Capability.MULTI_RECV);
        final Message whole = new Message(1).add(b.at(0), 10_100, b.region).context(2);
        receive(0, 8, 0);
        receive(0, 8, 0);
        send(toOne, 8, 0);
        send(toTwo, 8, 0);
        nextOf(b.done);
        nextOf(fromOther);
        final Tally tally = new Tally();
        final int[] refused = new int[1];
        assertThat(Allocations.perStep(4_000, () -> {
            refused[0] |= a.ep.send(a.at(0), 64, a.region, toOne, 1);
            refused[0] |= a.ep.tagged().send(a.at(0), 10_000, a.region, toTwo, 3, 1);
            await(tally, 0);
            refused[0] |= receive(0, 16_000, 3);
            refused[0] |= shared.receiveTagged(b.at(0), 16_000, b.region, fromA, 3, 0, 1);
            await(tally, 4);
            refused[0] |= shared.receiveMessage(whole, OpFlags.MULTI_RECV);
            refused[0] |= a.ep.send(a.at(0), 10_000, a.region, toTwo, 1);
            await(tally, 2);
            refused[0] |= a.ep.send(a.at(0), 64, a.region, toOne, 1);
            await(tally, 2);
        })).isZero();
        assertThat(refused[0]).isZero();
        assertThat(tally.bad).isZero();
    }
}
