/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.CqAttributes;
import io.rdma4j.fabric.CqFormat;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.TaggedMessages;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.verbs.RdmaContext;

import java.util.concurrent.TimeUnit;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tagged messages: which receive they go to, and what becomes of those that wait. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RdmTaggedTest {
    private static final long TAG = 0xfedc_ba98_7654_3210L;
    private static final long ANY = FiAddr.UNSPEC;

    @RegisterExtension
    final World world = new World();

    private Rank a;
    private Rank b;
    private long toB;
    private long toA;

    private void open(final String device) {
        final Rank[] both = world.pair(device);
        a = both[0];
        b = both[1];
        toB = a.knows(b);
        toA = b.knows(a);
    }

    private TaggedMessages tagged(final Rank rank) {
        return rank.ep.tagged();
    }

    private void send(final int length, final long tag) {
        final Done done =
            a.succeeds(() -> tagged(a).send(a.at(0), length, a.region, toB, tag, length));
        assertThat(done.kind()).isEqualTo(OperationKind.TAGGED_SEND);
    }

    private void receive(final long tag, final long ignore, final long context) {
        b.post(() -> tagged(b).receive(b.at(0), 1_000, b.region, ANY, tag, ignore, context));
    }

    private Done gets(final long context, final int length, final long tag) {
        final Done done = b.next();
        assertThat(done).isEqualTo(new Done(
            b.ep, OperationKind.TAGGED_RECEIVE, context, length, false, 0, toA, tag, 0, 0, "", 0, false));
        return done;
    }

    private Done search(final long tag, final long ignore, final long context, final long flags) {
        final Message message =
            new Message(1).add(b.at(0), 1_000, b.region).tag(tag).ignore(ignore).context(context);
        b.post(() -> tagged(b).receiveMessage(message, flags));
        return b.next();
    }

    private void arrive() {
        for (int i = 0; i < 50; i++) {
            a.progress();
        }
    }

    private int undrained() {
        return ((RdmEndpoint) b.ep).resources().links().undrained();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void aMessageGoesToTheReceiveWithItsTag(final String device) {
        open(device);
        receive(TAG + 1, 0, 1);
        receive(TAG, 0, 2);
        receive(1, 0, 3);
        send(10, TAG);
        gets(2, 10, TAG);
        send(11, 1);
        gets(3, 11, 1);
        send(12, TAG + 1);
        gets(1, 12, TAG + 1);
    }

    @Test
    void bitsThatAreIgnoredMayDiffer() {
        open("");
        receive(TAG, 0xff, 1);
        receive(0, -1, 2);
        send(10, TAG ^ 0x55);
        gets(1, 10, TAG ^ 0x55);
        receive(TAG, 0xff, 3);
        send(11, TAG ^ 0x155);
        gets(2, 11, TAG ^ 0x155);
        send(12, TAG | 0xff);
        gets(3, 12, TAG | 0xff);
    }

    @Test
    void theReceiveThatWasPostedFirstIsUsed() {
        open("");
        receive(TAG, 0, 1);
        receive(0, -1, 2);
        b.post(() -> tagged(b).receive(b.at(0), 1_000, b.region, toA, TAG, 0, 3));
        receive(TAG, 0, 4);
        for (int i = 1; i <= 4; i++) {
            send(i, TAG);
            gets(i, i, TAG);
        }
    }

    @Test
    void theMessageThatCameFirstIsTaken() {
        open("");
        send(1, 5);
        send(2, TAG);
        send(3, 5);
        send(4, 7);
        arrive();
        receive(TAG, 0, 1);
        gets(1, 2, TAG);
        receive(5, 0, 2);
        gets(2, 1, 5);
        receive(0, -1, 3);
        gets(3, 3, 5);
        receive(0, 0xf, 4);
        gets(4, 4, 7);
    }

    @Test
    void taggedAndUntaggedAreApart() {
        open("");
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, ANY, 1));
        send(8, 0);
        arrive();
        assertThat(b.done).isEmpty();
        receive(0, -1, 2);
        gets(2, 8, 0);
        receive(0, -1, 3);
        a.succeeds(() -> a.ep.send(a.at(0), 9, a.region, toB, 0));
        assertThat(b.next().context()).isEqualTo(1);
        assertThat(b.done).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void longMessagesComeInPieces(final String device) {
        open(device);
        final int length = (int) Math.min(60_000, a.domain.info().endpointAttributes().maxMessageSize());
        for (int i = 0; i < 6; i++) {
            final int n = i;
            final boolean early = i % 2 == 0;
            a.fill(0, length, i);
            if (early) {
                b.post(() -> tagged(b).receive(b.at(0), length, b.region, toA, n, 0, n));
            }
            a.post(() -> tagged(a).send(a.at(0), length, a.region, toB, n, n));
            if (!early) {
                arrive();
                b.post(() -> tagged(b).receive(b.at(0), length, b.region, toA, n, 0, n));
            }
            assertThat(b.next().length()).isEqualTo(length);
            b.expect(0, length, i);
            a.next();
        }
    }

    @Test
    void dataTravelsBesideIt() {
        open("");
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[16]);
        receive(0, -1, 1);
        receive(0, -1, 2);
        receive(0, -1, 3);
        receive(0, -1, 4);
        a.succeeds(() -> tagged(a).sendWithData(a.at(0), 5, a.region, -7, toB, 11, 1));
        a.post(() -> tagged(a).injectWithData(heap, 0, 6, 70, toB, 12));
        a.post(() -> tagged(a).inject(heap, 0, 7, toB, 13));
        a.succeeds(() -> tagged(a).sendMessage(new Message(2).add(a.at(0), 3, a.region).add(a.at(8), 5, a.region)
            .peer(toB).tag(14).data(71), OpFlags.REMOTE_CQ_DATA));
        final int[] data = {-7, 70, 0, 71};
        for (int i = 0; i < 4; i++) {
            final Done done = b.next();
            assertThat(done.tag()).isEqualTo(11 + i);
            assertThat(done.length()).isEqualTo(5 + i);
            assertThat(done.hasData()).isEqualTo(i != 2);
            assertThat(done.data()).isEqualTo(data[i]);
        }
        assertThat(a.done).as("what is injected does not complete").isEmpty();
    }

    @Test
    void theFirstMessageMayWaitForItsConnection() {
        open("");
        a.post(() -> tagged(a).inject(new UnsafeBuffer(new byte[16]), 0, 7, toB, TAG));
        receive(TAG, 0, 1);
        gets(1, 7, TAG);
    }

    @Test
    void aMessageThatIsTooLongIsCut() {
        open("");
        b.post(() -> tagged(b).receive(b.at(0), 4, b.region, ANY, 3, 0, 1));
        send(10, 3);
        final Done done = b.next();
        assertThat(done.errno()).isEqualTo(FiErrno.FI_ETRUNC);
        assertThat(done.length()).isEqualTo(4);
        assertThat(done.overflow()).isEqualTo(6);
        assertThat(done.tag()).isEqualTo(3);
    }

    @Test
    void aDirectedReceiveTakesFromItsPeerOnly() {
        open("");
        final Rank c = world.rank(world.device(""), World.options());
        world.acquainted(a, b, c);
        final long toC = b.knows(c);
        final long fromC = c.knows(b);
        b.post(() -> tagged(b).receive(b.at(0), 64, b.region, toC, 9, 0, 1));
        b.post(() -> tagged(b).receive(b.at(0), 64, b.region, toA, 9, 0, 2));
        b.post(() -> tagged(b).receive(b.at(0), 64, b.region, toC, 9, 1, 3));
        send(5, 9);
        gets(2, 5, 9);
        send(6, 9);
        arrive();
        assertThat(b.done).isEmpty();
        for (int i = 0; i < 2; i++) {
            c.succeeds(() -> tagged(c).send(c.at(0), 7, c.region, fromC, 9, 0));
            final Done done = b.next();
            assertThat(done.context()).isEqualTo(i == 0 ? 1 : 3);
            assertThat(done.source()).isEqualTo(toC);
        }
        b.post(() -> tagged(b).receive(b.at(0), 64, b.region, toC, 9, 0, 4));
        receive(9, 0, 5);
        gets(5, 6, 9);
    }

    @Test
    void messagesThatWaitStopTheirSenderAtTheWindow() {
        final Rank[] both = world.pair(world.device(""), world.device(""), World.options(),
            World.options().window(4, 256));
        a = both[0];
        b = both[1];
        toB = a.knows(b);
        toA = b.knows(a);
        send(1, 1);
        int sent = 1;
        for (int i = 0; i < 10_000; i++) {
            final int n = sent;
            if (tagged(a).send(a.at(0), n + 1, a.region, toB, n + 1, n) == 0) {
                a.next();
                sent++;
            }
            a.progress();
        }
        assertThat(sent).isEqualTo(4);
        receive(3, 0, 3);
        gets(3, 3, 3);
        assertThat(search(4, 0, 4, OpFlags.PEEK | OpFlags.DISCARD).length()).isEqualTo(4);
        send(5, 5);
        receive(5, 0, 5);
        gets(5, 5, 5);
        receive(0, -1, 1);
        gets(1, 1, 1);
        receive(0, -1, 2);
        gets(2, 2, 2);
    }

    @Test
    void theLastOfManyMessagesComesThroughIfTheWindowHasRoomForAll() {
        final EndpointOptions narrow = World.options().window(4, 256);
        final Rank[] both = world.pair(world.device(""), world.device(""), World.options(), narrow);
        a = both[0];
        b = both[1];
        toB = a.knows(b);
        toA = b.knows(a);
        send(9, 0);
        receive(0, 0, 0);
        gets(0, 9, 0);
        for (int tag = 1; tag <= 3; tag++) {
            send(tag, tag);
        }
        receive(4, 0, 4);
        a.post(() -> tagged(a).send(a.at(0), 4, a.region, toB, 4, 4));
        gets(4, 4, 4);
    }

    @Test
    void aLookTellsOfAMessageAndTakesNothing() {
        open("");
        final Done none = search(TAG, 0, 1, OpFlags.PEEK);
        assertThat(none.errno()).isEqualTo(FiErrno.FI_ENOMSG);
        assertThat(none.context()).isEqualTo(1);
        a.succeeds(() -> tagged(a).sendWithData(a.at(0), 33, a.region, 44, toB, TAG, 0));
        arrive();
        for (int i = 0; i < 3; i++) {
            assertThat(search(TAG ^ 1, 1, 2, OpFlags.PEEK)).isEqualTo(new Done(
                b.ep, OperationKind.TAGGED_RECEIVE, 2, 33, true, 44, toA, TAG, 0, 0, "", 0, false));
        }
        assertThat(search(TAG ^ 1, 0, 2, OpFlags.PEEK).errno()).isEqualTo(FiErrno.FI_ENOMSG);
        receive(TAG, 0, 3);
        assertThat(b.next().length()).isEqualTo(33);
        assertThat(search(0, -1, 4, OpFlags.PEEK).errno()).isEqualTo(FiErrno.FI_ENOMSG);
    }

    @Test
    void aClaimedMessageIsForItsContextAlone() {
        open("");
        a.fill(0, 20, 5);
        send(20, TAG);
        send(21, TAG);
        arrive();
        assertThat(search(TAG, 0, 100, OpFlags.PEEK | OpFlags.CLAIM).length()).isEqualTo(20);
        assertThat(search(TAG, 0, 101, OpFlags.PEEK).length()).isEqualTo(21);
        receive(TAG, 0, 1);
        gets(1, 21, TAG);
        assertThat(search(TAG, 0, 99, OpFlags.CLAIM).errno()).isEqualTo(FiErrno.FI_ENOMSG);
        assertThat(search(0, 0, 100, OpFlags.CLAIM)).isEqualTo(new Done(
            b.ep, OperationKind.TAGGED_RECEIVE, 100, 20, false, 0, toA, TAG, 0, 0, "", 0, false));
        b.expect(0, 20, 5);
        assertThat(search(TAG, 0, 100, OpFlags.CLAIM).errno()).isEqualTo(FiErrno.FI_ENOMSG);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 60_000})
    void whatIsDiscardedIsGone(final int length) {
        open("");
        b.bytes.setMemory(0, length, (byte) 0x55);
        a.fill(0, length, 1);
        for (final long flags : new long[] {OpFlags.PEEK, OpFlags.CLAIM}) {
            a.post(() -> tagged(a).send(a.at(0), length, a.region, toB, TAG, 0));
            arrive();
            if (flags == OpFlags.CLAIM) {
                assertThat(search(TAG, 0, 8, OpFlags.PEEK | OpFlags.CLAIM).errno()).isZero();
            }
            final Done done = search(TAG, 0, 8, flags | OpFlags.DISCARD);
            assertThat(done.errno()).isZero();
            assertThat(done.length()).isEqualTo(length);
            assertThat(done.overflow()).isZero();
            a.next();
            assertThat(search(TAG, 0, 8, OpFlags.PEEK).errno()).isEqualTo(FiErrno.FI_ENOMSG);
        }
        b.bytes.setMemory(length, length, (byte) 0x55);
        assertThat(b.memory.buffer().getByte(0)).isEqualTo((byte) 0x55);
        send(3, 3);
        receive(3, 0, 1);
        gets(1, 3, 3);
    }

    /** A complete message of the link waits, too: the claimed one is told first, or last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theLinkOfAClaimedMessageThatBreaksOffGoesWithItsLastMessage(final boolean toldFirst) {
        open("");
        send(20, 1);
        a.post(() -> tagged(a).send(a.at(0), 250_000, a.region, toB, TAG, 0));
        arrive();
        assertThat(search(TAG, 0, 8, OpFlags.PEEK | OpFlags.CLAIM).length()).isEqualTo(250_000);
        a.ep.close();
        b.until(() -> {
            b.passTime();
            return b.ep.toString().contains("0 links");
        });
        for (final boolean told : new boolean[] {toldFirst, !toldFirst}) {
            assertThat(undrained()).isOne();
            if (told) {
                assertThat(search(0, 0, 8, OpFlags.CLAIM).error()).isEqualTo("FI_ECONNRESET");
            } else {
                receive(1, 0, 1);
                assertThat(b.next().length()).isEqualTo(20);
            }
        }
        assertThat(undrained()).isZero();
    }

    /** Before and after a receive took it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClaimedMessageThatBreaksOffIsTold(final boolean taken) {
        open("");
        a.post(() -> tagged(a).send(a.at(0), 250_000, a.region, toB, TAG, 0));
        arrive();
        assertThat(search(TAG, 0, 8, OpFlags.PEEK | OpFlags.CLAIM).length()).isEqualTo(250_000);
        final Message message = new Message(1).add(b.at(0), 250_000, b.region).context(8);
        if (taken) {
            b.post(() -> tagged(b).receiveMessage(message, OpFlags.CLAIM));
        }
        b.post(() -> tagged(b).receive(b.at(0), 8, b.region, ANY, TAG, 0, 9));
        a.ep.close();
        if (taken) {
            final Done done = b.nextAfterSilence();
            assertThat(done.context()).isEqualTo(8);
            assertThat(done.error()).isEqualTo("FI_ECONNRESET");
        } else {
            b.until(() -> {
                b.passTime();
                b.post(() -> tagged(b).receiveMessage(message, OpFlags.PEEK | OpFlags.DISCARD));
                b.next();
                return b.ep.toString().contains("0 links");
            });
            assertThat(undrained()).as("it is to be told").isOne();
            assertThat(search(0, 0, 8, OpFlags.CLAIM).error()).isEqualTo("FI_ECONNRESET");
            assertThat(search(0, 0, 8, OpFlags.CLAIM).error()).as("once").isEqualTo("FI_ENOMSG");
        }
        assertThat(undrained()).isZero();
        assertThat(b.done).as("the other receive waits on").isEmpty();
    }

    @Test
    void flagsThatMakeNoSenseAreRefused() {
        open("");
        final Message message = new Message(1).add(b.at(0), 10, b.region);
        for (final long flags : new long[] {OpFlags.DISCARD, OpFlags.PEEK | OpFlags.CLAIM | OpFlags.DISCARD,
            OpFlags.PEEK | OpFlags.INJECT, OpFlags.CLAIM | 1L << 40, OpFlags.INJECT}) {
            assertThat(tagged(b).receiveMessage(message, flags)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        }
        assertThat(b.ep.receiveMessage(message, OpFlags.PEEK)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(tagged(a).sendMessage(message.peer(toB), OpFlags.PEEK)).isEqualTo(-FiErrno.FI_EBADFLAGS);
        assertThat(tagged(b).receiveMessage(null, OpFlags.PEEK)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(tagged(b).receiveMessage(message.peer(99), OpFlags.PEEK)).isEqualTo(-FiErrno.FI_EINVAL);
        assertThat(tagged(b).receive(b.at(0), -1, b.region, ANY, 0, 0, 0)).isEqualTo(-FiErrno.FI_EINVAL);
    }

    @Test
    void receivesCanBeTakenBack() {
        open("");
        receive(TAG, 0, 1);
        receive(0, -1, 2);
        b.post(() -> tagged(b).receive(b.at(0), 64, b.region, toA, TAG, 0, 3));
        for (final long context : new long[] {2, 3}) {
            assertThat(b.ep.cancel(context)).isZero();
            final Done done = b.next();
            assertThat(done.errno()).isEqualTo(FiErrno.FI_ECANCELED);
            assertThat(done.kind()).isEqualTo(OperationKind.TAGGED_RECEIVE);
            assertThat(done.context()).isEqualTo(context);
            assertThat(b.ep.cancel(context)).isEqualTo(-FiErrno.FI_ENOENT);
        }
        send(9, 3);
        arrive();
        assertThat(b.done).isEmpty();
        send(8, TAG);
        gets(1, 8, TAG);
    }

    @Test
    void closingTellsOfReceivesAndDropsWhatWaits() {
        open("");
        receive(TAG, 0, 1);
        send(8, 3);
        send(9, 4);
        arrive();
        assertThat(search(3, 0, 5, OpFlags.PEEK | OpFlags.CLAIM).errno()).isZero();
        b.ep.close();
        final Done done = b.next();
        assertThat(done.errno()).isEqualTo(FiErrno.FI_ECANCELED);
        assertThat(done.tag()).isEqualTo(TAG);
        assertThat(tagged(b).receive(b.at(0), 8, b.region, ANY, 0, 0, 0)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(tagged(b).inject(new UnsafeBuffer(new byte[8]), 0, 8, toA, 0)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void contextsHaveTaggedReceivesOfTheirOwn() {
        final RdmaContext device = world.device("");
        final AvAttributes vector = new AvAttributes().rxCtxBits(2);
        a = world.rank(device, World.hints(device), World.options(), vector);
        b = world.rank(device, World.hints(device), World.options(), vector,
            (rank, own) -> own.receiveContexts(rank.cq, rank.cq));
        world.acquainted(a, b);
        toB = a.knows(b);
        toA = b.knows(a);
        receive(TAG, 0, 1);
        b.post(() -> b.ep.receiveContext(1).receiveTagged(b.at(0), 64, b.region, ANY, TAG, 0, 2));
        a.succeeds(() -> tagged(a).send(a.at(0), 7, a.region, FiAddr.rxAddr(toB, 1, 2), TAG, 0));
        gets(2, 7, TAG);
        send(8, TAG);
        gets(1, 8, TAG);
    }

    @Test
    void whoDidNotAskForTagsHasNone() {
        final RdmaContext device = world.device("");
        a = world.rank(device, World.options());
        b = world.rank(device, World.hints(device).capabilities(Capability.MSG), World.options(), new AvAttributes());
        world.acquainted(a, b);
        toB = a.knows(b);
        assertThatThrownBy(() -> b.ep.tagged()).isInstanceOf(FabricException.class).hasMessageContaining("TAGGED");
        assertThat(b.ep.receiveContext(0).receiveTagged(b.at(0), 8, b.region, ANY, 0, 0, 0))
            .isEqualTo(-FiErrno.FI_EOPNOTSUPP);
        a.fails(FiErrno.FI_EOPNOTSUPP, () -> tagged(a).send(a.at(0), 8, a.region, toB, 1, 1));
        a.until(() -> tagged(a).send(a.at(0), 8, a.region, toB, 1, 1) == -FiErrno.FI_EOPNOTSUPP);
        b.post(() -> b.ep.receive(b.at(0), 100, b.region, ANY, 1));
        a.succeeds(() -> a.ep.send(a.at(0), 9, a.region, toB, 0));
        assertThat(b.next().length()).as("other messages go through").isEqualTo(9);
    }

    @Test
    void entriesHaveTheTag() {
        open("");
        final RdmaContext device = world.device("");
        final CompletionQueue[] queue = new CompletionQueue[1];
        final Rank c = world.rank(device, World.hints(device), World.options(), new AvAttributes(), (rank, own) -> {
            queue[0] = rank.keep(rank.domain.openCompletionQueue(new CqAttributes().format(CqFormat.TAGGED)));
            own.completionQueue(queue[0]);
        });
        final long toC = a.knows(c);
        final UnsafeBuffer entries = new UnsafeBuffer(new byte[2 * CqFormat.TAGGED.size()]);
        assertThat(c.ep.tagged().receive(c.at(0), 64, c.region, ANY, TAG, 3, 55)).isZero();
        a.post(() -> tagged(a).sendWithData(a.at(0), 7, a.region, -2, toC, TAG ^ 2, 0));
        a.until(() -> queue[0].read(entries, 0, 1) == 1);
        assertThat(entries.getLong(0)).isEqualTo(55);
        assertThat(entries.getLong(8)).as("FI_RECV, FI_TAGGED, FI_REMOTE_CQ_DATA")
            .isEqualTo(1L << 10 | 1L << 3 | 1L << 17);
        assertThat(entries.getLong(16)).isEqualTo(7);
        assertThat(entries.getLong(24)).isZero();
        assertThat(entries.getLong(32)).isEqualTo(0xffff_fffeL);
        assertThat(entries.getLong(40)).isEqualTo(TAG ^ 2);
    }
}
