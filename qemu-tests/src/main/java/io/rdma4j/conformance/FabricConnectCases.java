/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EADDRINUSE;
import static io.rdma4j.fabric.FiErrno.FI_EALREADY;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_ECONNREFUSED;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOEQ;
import static io.rdma4j.fabric.FiErrno.FI_ENOTCONN;
import static io.rdma4j.fabric.FiErrno.FI_EOPBADSTATE;
import static io.rdma4j.fabric.FiErrno.FI_ETIMEDOUT;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Connections that are asked for, accepted and refused. */
final class FabricConnectCases {
    private static final int PAGE = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(8);
    private static final byte[] HELLO = {1, 2, 3, 4, 5};
    private static final byte[] WELCOME = {9, 8, 7};

    private FabricConnectCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("cm.acceptConnectsBothSides", FabricConnectCases::accept),
            ConformanceCase.of("cm.privateDataOfAnySize", FabricConnectCases::privateData),
            ConformanceCase.of("cm.rejectTellsWhy", FabricConnectCases::reject),
            ConformanceCase.of("cm.shutdownIsToldToTheOtherSide", FabricConnectCases::shutdown),
            ConformanceCase.of("cm.connectToNobodyTimesOut", FabricConnectCases::nobody),
            ConformanceCase.of("cm.connectBeforeListenIsRefused", FabricConnectCases::notListening),
            ConformanceCase.of("cm.manyConnectToOne", FabricConnectCases::many),
            ConformanceCase.of("cm.closedListenerRefusesWhatIsPending", FabricConnectCases::closedListener),
            ConformanceCase.of("cm.addressesOfSocketsAreResolved", FabricConnectCases::sockets),
            ConformanceCase.of("cm.nonsenseIsRefused", FabricConnectCases::nonsense));
    }

    /** A device's fabric with an event queue and a domain. */
    private static final class Side {
        private final ConformanceEnv env;
        private final FabricInfo info;
        private final Fabric fabric;
        private final EventQueue events;
        private final Domain domain;
        private final CompletionQueue cq;
        private final Deque<EventEntry> read = new ArrayDeque<>();

        Side(final ConformanceEnv env, final RdmaContext device, final AddressFormat format) {
            NamePort.choose();
            this.env = env;
            info = FabricPair.info(device, hints ->
                hints.capabilities(Capability.MSG).addressFormat(format));
            fabric = env.own(Fabrics.open(info));
            events = env.own(fabric.openEventQueue(0));
            domain = env.own(fabric.openDomain(info));
            cq = env.own(domain.openCompletionQueue(64));
        }

        PassiveEndpoint listener() {
            final PassiveEndpoint listener = env.own(fabric.openPassiveEndpoint(info, events, null));
            listener.listen();
            return listener;
        }

        EndpointOptions options() {
            return new EndpointOptions().completionQueue(cq).eventQueue(events).connectTimeout(env.connectTimeout());
        }

        MsgEndpoint endpoint() {
            return env.own(domain.openEndpoint(options()));
        }

        MsgEndpoint endpoint(final ConnectionRequest request) {
            return env.own(domain.openEndpoint(options().request(request)));
        }

        void readOnce() {
            events.read(read::add, 16);
            cq.read(entry -> { }, 0);
        }
    }

    /** Who connects, and who is connected to. */
    private record Two(ConformanceEnv env, Side near, Side far) {
        static Two of(final ConformanceEnv env) {
            return of(env, AddressFormat.DEVICE);
        }

        static Two of(final ConformanceEnv env, final AddressFormat format) {
            return new Two(env, new Side(env, env.device(), format), new Side(env, env.peer(), format));
        }

        EventEntry next(final Side side) {
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (side.read.isEmpty()) {
                near.readOnce();
                far.readOnce();
                Check.that(System.nanoTime() - deadline < 0, "no event within %d ms", env.patience(PATIENCE)
                    .toMillis());
            }
            return side.read.poll();
        }

        EventEntry next(final Side side, final FabricEvent wanted) {
            final EventEntry entry = next(side);
            Check.equal(wanted, entry.event(), "event, of %s, errno %s, '%s'", entry.fid(),
                FiErrno.name(entry.errno()), entry.providerError());
            return entry;
        }

        EventEntry connected(final Side side, final MsgEndpoint endpoint) {
            final EventEntry entry = next(side, FabricEvent.CONNECTED);
            Check.that(!entry.isError(), "connecting failed: %s %s", FiErrno.name(entry.errno()),
                entry.providerError());
            Check.that(entry.fid() == endpoint, "the event is of %s", entry.fid());
            Check.that(endpoint.isConnected(), "%s is not connected", endpoint);
            return entry;
        }

        /** A connected pair. */
        MsgEndpoint[] connect(final PassiveEndpoint listener) {
            final MsgEndpoint active = near.endpoint();
            active.connect(listener.address(), HELLO);
            final ConnectionRequest request = next(far, FabricEvent.CONNREQ).request();
            final MsgEndpoint accepting = far.endpoint(request);
            accepting.accept(WELCOME);
            connected(near, active);
            connected(far, accepting);
            return new MsgEndpoint[] {active, accepting};
        }

        void expectMessage(final MsgEndpoint from, final Side fromSide, final MsgEndpoint to, final Side toSide) {
            final FabricMemory out = FabricMemory.of(env, fromSide.domain, PAGE).fill(5, 0, 100);
            final FabricMemory in = FabricMemory.of(env, toSide.domain, PAGE).guard();
            final List<FabricWc> done = new ArrayList<>();
            Check.equal(0, to.receive(in.at(70), 100, null, 1), "receive");
            Check.equal(0, from.send(out.at(0), 100, null, 2), "send");
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (done.size() < 2) {
                fromSide.cq.read(entry -> done.add(FabricWc.of(entry)), 4);
                toSide.cq.read(entry -> done.add(FabricWc.of(entry)), 4);
                Check.that(System.nanoTime() - deadline < 0, "no completion: %s; %s, %s", done, from, to);
            }
            done.forEach(wc -> Check.equal(0, wc.errno(), "errno of %s", wc));
            in.expectOnly(5, 70, 100, "a message");
            env.moved(100);
        }
    }

    private static void accept(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        final MsgEndpoint active = two.near.endpoint();
        active.connect(listener.address(), HELLO);
        Check.that(!active.isConnected(), "connected before anybody accepted");
        final EventEntry asked = two.next(two.far, FabricEvent.CONNREQ);
        Check.that(asked.fid() == listener, "the request is of %s", asked.fid());
        Check.that(Arrays.equals(HELLO, asked.privateData()), "private data %s", Arrays.toString(asked.privateData()));
        Check.that(Arrays.equals(HELLO, asked.request().privateData()), "private data of the request");
        Check.equal(AddressFormat.DEVICE, asked.request().source().format(), "format of who asks");
        final MsgEndpoint accepting = two.far.endpoint(asked.request());
        accepting.accept(WELCOME);
        final EventEntry answer = two.connected(two.near, active);
        Check.that(Arrays.equals(WELCOME, answer.privateData()), "private data of the answer: %s",
            Arrays.toString(answer.privateData()));
        two.connected(two.far, accepting);
        two.expectMessage(active, two.near, accepting, two.far);
        two.expectMessage(accepting, two.far, active, two.near);
        FabricCheck.refused(FI_EALREADY, () -> accepting.accept(null), "accepting twice");
        FabricCheck.refused(FI_EALREADY, () -> asked.request().reject(null), "refusing what was accepted");
    }

    private static void privateData(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        for (final int length : new int[] {0, 1, 100, MsgEndpoint.MAX_PRIVATE_DATA}) {
            final byte[] data = new byte[length];
            Arrays.fill(data, (byte) (length + 3));
            final MsgEndpoint active = two.near.endpoint();
            active.connect(listener.address(), length == 0 ? null : data);
            final EventEntry asked = two.next(two.far, FabricEvent.CONNREQ);
            Check.that(Arrays.equals(data, asked.privateData()), "%d bytes: %s", length,
                Arrays.toString(asked.privateData()));
            final MsgEndpoint accepting = two.far.endpoint(asked.request());
            accepting.accept(length == 0 ? null : data);
            Check.that(Arrays.equals(data, two.connected(two.near, active).privateData()), "%d bytes back", length);
            two.connected(two.far, accepting);
        }
        final MsgEndpoint active = two.near.endpoint();
        final byte[] tooLong = new byte[MsgEndpoint.MAX_PRIVATE_DATA + 1];
        FabricCheck.refused(FI_EINVAL, () -> active.connect(listener.address(), tooLong), "257 bytes");
    }

    private static void reject(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        for (final byte[] why : new byte[][] {null, WELCOME}) {
            final MsgEndpoint active = two.near.endpoint();
            active.connect(listener.address(), HELLO);
            final ConnectionRequest request = two.next(two.far, FabricEvent.CONNREQ).request();
            FabricCheck.refused(FI_EINVAL, () -> request.reject(new byte[MsgEndpoint.MAX_PRIVATE_DATA + 1]),
                "257 bytes");
            request.reject(why);
            FabricCheck.refused(FI_EALREADY, () -> request.reject(why), "refusing twice");
            final EventEntry answer = two.next(two.near, FabricEvent.CONNECTED);
            Check.that(answer.isError() && answer.fid() == active, "%s", answer);
            Check.equal(FiErrno.name(FI_ECONNREFUSED), FiErrno.name(answer.errno()), "errno");
            Check.that(Arrays.equals(why == null ? new byte[0] : why, answer.privateData()), "private data %s",
                Arrays.toString(answer.privateData()));
            Check.that(!active.isConnected(), "%s is connected", active);
        }
    }

    private static void shutdown(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        for (int i = 0; i < 2; i++) {
            final MsgEndpoint[] ends = two.connect(listener);
            final Side side = i == 0 ? two.near : two.far;
            final Side other = i == 0 ? two.far : two.near;
            ends[i].shutdown();
            final EventEntry entry = two.next(other, FabricEvent.SHUTDOWN);
            Check.that(entry.fid() == ends[1 - i], "the event is of %s", entry.fid());
            Check.that(!ends[0].isConnected() && !ends[1].isConnected(), "still connected: %s, %s", ends[0], ends[1]);
            FabricCheck.code(FI_ENOTCONN, ends[1 - i].send(FabricMemory.of(env, other.domain, PAGE).at(0), 8, null, 1),
                "sending after the end");
            FabricCheck.refused(FI_ENOTCONN, ends[i]::shutdown, "ending it twice");
            Check.that(side.read.isEmpty(), "who ended it is told of %s", side.read);
        }
    }

    private static void nobody(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        final FabricAddress address = listener.address();
        listener.close();
        final MsgEndpoint active = env.own(two.near.domain.openEndpoint(
            two.near.options().connectTimeout(env.patience(Duration.ofMillis(200)))));
        active.connect(address, null);
        final EventEntry entry = two.next(two.near, FabricEvent.CONNECTED);
        Check.that(entry.errno() == FI_ETIMEDOUT || entry.errno() == FI_ECONNREFUSED, "errno %s",
            FiErrno.name(entry.errno()));
        Check.that(!active.isConnected(), "%s is connected", active);
    }

    private static void notListening(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint silent = env.own(two.far.fabric.openPassiveEndpoint(two.far.info, two.far.events, null));
        final MsgEndpoint early = two.near.endpoint();
        early.connect(silent.address(), null);
        final EventEntry entry = two.next(two.near, FabricEvent.CONNECTED);
        Check.equal(FiErrno.name(FI_ECONNREFUSED), FiErrno.name(entry.errno()), "errno before listen");
        Check.that(two.far.read.isEmpty(), "a request came before listen: %s", two.far.read);
        silent.listen();
        silent.listen();
        two.connect(silent);
    }

    private static void many(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        final int count = 4;
        final List<MsgEndpoint> active = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            active.add(two.near.endpoint());
            active.get(i).connect(listener.address(), new byte[] {(byte) i});
        }
        final MsgEndpoint[] accepting = new MsgEndpoint[count];
        for (int i = 0; i < count; i++) {
            final EventEntry entry = two.next(two.far);
            Check.equal(FabricEvent.CONNREQ, entry.event(), "event");
            final int who = entry.privateData()[0];
            Check.equal(null, accepting[who], "first request of %d", who);
            accepting[who] = two.far.endpoint(entry.request());
        }
        for (final MsgEndpoint one : accepting) {
            one.accept(null);
        }
        for (int i = 0; i < count; i++) {
            Check.equal(0, two.next(two.near, FabricEvent.CONNECTED).errno(), "errno");
            Check.equal(0, two.next(two.far, FabricEvent.CONNECTED).errno(), "errno");
        }
        for (int i = 0; i < count; i++) {
            two.expectMessage(active.get(i), two.near, accepting[i], two.far);
        }
    }

    private static void closedListener(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        final MsgEndpoint active = two.near.endpoint();
        active.connect(listener.address(), null);
        final ConnectionRequest request = two.next(two.far, FabricEvent.CONNREQ).request();
        FabricCheck.refused(FI_EBUSY, two.far.fabric::close, "a fabric with a passive endpoint");
        listener.close();
        listener.close();
        Check.that(listener.isClosed(), "it is not closed");
        final EventEntry entry = two.next(two.near, FabricEvent.CONNECTED);
        Check.equal(FiErrno.name(FI_ECONNREFUSED), FiErrno.name(entry.errno()), "errno of who asked");
        Check.that(request.privateData().length == 0, "private data that nobody gave");
    }

    private static void sockets(final ConformanceEnv env) {
        for (final AddressFormat format : new AddressFormat[] {AddressFormat.SOCKADDR_IN, AddressFormat.STR}) {
            final Two two = Two.of(env, format);
            final PassiveEndpoint listener = two.far.listener();
            Check.equal(format, listener.address().format(), "format of the address");
            final MsgEndpoint[] ends = two.connect(listener);
            two.expectMessage(ends[0], two.near, ends[1], two.far);
            if (format == AddressFormat.SOCKADDR_IN) {
                final byte[] bytes = listener.address().bytes();
                final String port = Integer.toString((bytes[2] & 0xff) << 8 | bytes[3] & 0xff);
                FabricCheck.refused(FI_EADDRINUSE, () -> two.far.fabric.openPassiveEndpoint(two.far.info,
                    two.far.events, port), "a service that another one has");
            }
        }
    }

    private static void nonsense(final ConformanceEnv env) {
        final Two two = Two.of(env);
        final PassiveEndpoint listener = two.far.listener();
        final MsgEndpoint without = env.own(two.near.domain.openEndpoint(
            new EndpointOptions().completionQueue(two.near.cq)));
        FabricCheck.refused(FI_ENOEQ, () -> without.connect(listener.address(), null), "connecting without a queue");
        final MsgEndpoint endpoint = two.near.endpoint();
        FabricCheck.refused(FI_EINVAL, () -> endpoint.connect(null, null), "null");
        FabricCheck.refused(FI_EOPBADSTATE, () -> endpoint.accept(null), "accepting without a request");
        FabricCheck.refused(FI_ENOTCONN, endpoint::shutdown, "ending what never was");
        FabricCheck.refused(FI_EINVAL, () -> endpoint.connect(
            FabricAddress.of(AddressFormat.DEVICE, new byte[FabricAddress.size(AddressFormat.DEVICE)]), null),
            "an address of zeros");
        FabricCheck.refused(FI_ENOEQ, () -> two.far.fabric.openPassiveEndpoint(two.far.info, null, null),
            "listening without a queue");
        FabricCheck.refused(FI_EINVAL, () -> two.far.fabric.openPassiveEndpoint(null, two.far.events, null), "null");
        FabricCheck.refused(FI_EBUSY, two.near.events::close, "a queue with endpoints");
        endpoint.connect(listener.address(), null);
        FabricCheck.refused(FI_EALREADY, () -> endpoint.connect(listener.address(), null), "connecting twice");
    }
}
