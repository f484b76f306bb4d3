/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.DeviceAddress;
import io.rdma4j.testing.Gcc;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ibv.lib.VerbsLibrary;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Set;

/** The library of the tests, stub.c, compiled and loaded once in a JVM. */
final class Stub {
    /** Functions in which threads can be held, by their numbers in stub.c. */
    enum Place {
        NONE, GET_CQ_EVENT, GET_ASYNC_EVENT, QUERY_GID_EX, CREATE_CQ, REG_MR, POST_SEND, CREATE_SRQ, POLL_CQ, MODIFY_QP,
        QUERY_QP, REQ_NOTIFY_CQ, DEREG_MR, MODIFY_SRQ
    }

    private static final long DEADLINE_NANOS = Patience.nanos();
    private static final VerbsLibrary LIBRARY = load();

    private Stub() {
    }

    static boolean isThere() {
        return Gcc.isThere();
    }

    private static VerbsLibrary load() {
        try {
            System.setProperty("rdma4j.ibv.library",
                Gcc.stubOfLibibverbs(Files.createTempDirectory("rdma4j-stub")).toString());
            System.setProperty("rdma4j.ibv.check", "off");
            return VerbsLibrary.load();
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static IbvContext open() {
        return (IbvContext) new IbvVerbsProvider().open(DeviceAddress.parse("ibv:stub0"));
    }

    /** The same as if a driver of that name drove it. */
    static IbvContext openAs(final String driver) {
        final DeviceAddress address = DeviceAddress.parse("ibv:stub0");
        final IbvContext context =
            new IbvContext(address.toString(), LIBRARY, Devices.open(address, LIBRARY), driver, null);
        context.start();
        return context;
    }

    /** {@return the queue pair, connected with itself} */
    static QueuePair connected(final QueuePair qp) {
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        qp.modify(QpAttributes.to(QpState.RTR).ah(AhAttributes.to(qp.pd().context().queryGid(1, 0)))
            .pathMtu(Mtu.MTU_1024).destQpn(qp.qpNumber()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12));
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(0).timeout(14).retryCnt(7).rnrRetry(7).maxRdAtomic(1));
        return qp;
    }

    /** Calls a function of its own. */
    static long ask(final String function, final Object... arguments) {
        return LIBRARY.call(LIBRARY.find(function), arguments);
    }

    /** Threads that come there stay, until {@link Place#NONE} is held. */
    static void hold(final Place place) {
        ask("stub_hold", place.ordinal());
    }

    static void awaitHeld() {
        final long end = System.nanoTime() + DEADLINE_NANOS;
        while (ask("stub_held") == 0) {
            assertThat(System.nanoTime() - end).as("nobody comes to where threads are held").isNegative();
            Patience.pause();
        }
    }

    /** Until a thread can go no further: it waits for a lock, or for another thread, and not for a moment only. */
    static void awaitBlocked(final Thread thread) {
        final long end = System.nanoTime() + DEADLINE_NANOS;
        while (!isBlocked(ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId(), Integer.MAX_VALUE))) {
            assertThat(System.nanoTime() - end).as("%s goes on", thread).isNegative();
            Patience.pause();
        }
    }

    /** State and stack of one moment. */
    private static boolean isBlocked(final ThreadInfo thread) {
        return thread == null || thread.getThreadState() != Thread.State.RUNNABLE
            && Arrays.stream(thread.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("settle"));
    }

    static void assertNothingIsLeft() {
        assertThat(ask("stub_live")).as("objects that are left").isZero();
        assertThat(ask("stub_misuse")).as("uses of destroyed objects").isZero();
        assertThat(ask("stub_unacked")).as("events not acknowledged").isZero();
    }
}
