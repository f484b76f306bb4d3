/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOEQ;

import io.rdma4j.fabric.AddressVector;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Asynchronous insertion: what the events of each call say, and in which order they come. */
final class FabricVectorAsyncCases {
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private FabricVectorAsyncCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("av.asyncErrorsComeBeforeTheOneCompletion", FabricVectorAsyncCases::events),
            ConformanceCase.of("av.asyncCompletesAlsoIfAllFail", FabricVectorAsyncCases::allFail),
            ConformanceCase.of("av.asyncCallsAreToldApart", FabricVectorAsyncCases::several),
            ConformanceCase.of("av.asyncIndicesFollowTheOrderOfTheCalls", FabricVectorAsyncCases::indices),
            ConformanceCase.of("av.asyncNeedsAQueue", FabricVectorAsyncCases::needsQueue),
            ConformanceCase.of("av.asyncIsBoundOnceAndWithoutFlags", FabricVectorAsyncCases::binding),
            ConformanceCase.of("av.asyncInsertionsThatAreClosedAreCanceled", FabricVectorAsyncCases::closed),
            ConformanceCase.of("av.asyncEventsOutliveTheVector", FabricVectorAsyncCases::outlive));
    }

    /** An asynchronous vector and where it tells. */
    private record Bound(Domain domain, AddressVector vector, EventQueue events) {
        static Bound of(final ConformanceEnv env, final AvType type) {
            final FabricInfo info = FabricPair.info(env.device(), hints ->
                hints.capabilities(Capability.MSG).endpointType(EndpointType.RDM));
            final Fabric fabric = env.own(Fabrics.open(info));
            final EventQueue events = env.own(fabric.openEventQueue(0));
            final Domain domain = env.own(fabric.openDomain(info));
            return new Bound(domain,
                env.own(domain.openAddressVector(new AvAttributes().type(type).flags(AvFlag.EVENT))), events);
        }

        Bound bind() {
            vector.bind(events, 0);
            return this;
        }

        /** All events until so many insertions completed. */
        List<EventEntry> until(final ConformanceEnv env, final int completions) {
            final List<EventEntry> entries = new ArrayList<>();
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (entries.stream().filter(entry -> !entry.isError()).count() < completions) {
                events.awaitRead(entries::add, 1, Duration.ofMillis(100));
                Check.that(System.nanoTime() - deadline < 0, "%d insertions were to complete: %s", completions,
                    entries);
            }
            for (final EventEntry entry : entries) {
                Check.equal(FabricEvent.AV_COMPLETE, entry.event(), "event");
                Check.that(entry.fid() == vector, "the event is of %s", entry.fid());
            }
            return entries;
        }

        void expectNoMore() {
            Check.equal(0, events.awaitRead(entry -> { }, 1, Duration.ofMillis(20)), "events after the last");
        }
    }

    private static void events(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.MAP).bind();
        final FabricAddress[] all = FabricVectorCases.addresses(0, 6);
        all[1] = null;
        all[4] = null;
        final long[] names = new long[6];
        final Object context = new Object();
        Check.equal(0, bound.vector().insert(all, names, new AvInsert().context(context)), "of an asynchronous call");
        final List<EventEntry> entries = bound.until(env, 1);
        Check.equal(3, entries.size(), "events of one call with two bad addresses");
        final Set<Long> failed = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            Check.that(entries.get(i).isError(), "event %d is of success", i);
            Check.equal(FiErrno.name(FI_EINVAL), FiErrno.name(entries.get(i).errno()), "errno of event %d", i);
            Check.that(!entries.get(i).providerError().isBlank(), "nothing is said about the failure");
            failed.add(entries.get(i).data());
        }
        Check.equal(Set.of(1L, 4L), failed, "indices that failed");
        Check.equal(4L, entries.get(2).data(), "addresses that were inserted");
        entries.forEach(entry -> Check.that(entry.context() == context, "context of %s", entry));
        for (int i = 0; i < 6; i++) {
            if (all[i] == null) {
                Check.equal(FiAddr.NOTAVAIL, names[i], "name of address %d", i);
            } else {
                Check.equal(all[i], bound.vector().lookup(names[i]), "address %d", i);
            }
        }
        bound.expectNoMore();
    }

    private static void allFail(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.TABLE).bind();
        final long[] names = new long[3];
        bound.vector().insert(new FabricAddress[3], names, new AvInsert().context("bad"));
        final List<EventEntry> entries = bound.until(env, 1);
        Check.equal(4, entries.size(), "events");
        Check.equal(0L, entries.get(3).data(), "addresses that were inserted");
        Check.that(names[0] == FiAddr.NOTAVAIL && names[2] == FiAddr.NOTAVAIL, "names of what failed");
        bound.vector().insert(new FabricAddress[0], names, new AvInsert().context("none"));
        Check.equal(0L, bound.until(env, 1).get(0).data(), "of nothing");
        bound.expectNoMore();
    }

    private static void several(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.MAP).bind();
        final int calls = env.times(10, 100);
        for (int i = 0; i < calls; i++) {
            final FabricAddress[] all = FabricVectorCases.addresses(i * 10, 1 + i % 5);
            if (i % 3 == 0) {
                all[0] = null;
            }
            bound.vector().insert(all, new long[all.length], new AvInsert().context(i).more(i < calls - 1));
        }
        final Map<Object, Integer> errors = new HashMap<>();
        final Set<Object> over = new HashSet<>();
        for (final EventEntry entry : bound.until(env, calls)) {
            final int call = (Integer) entry.context();
            Check.that(!over.contains(call), "%s came after the call was over", entry);
            if (entry.isError()) {
                errors.merge(call, 1, Integer::sum);
            } else {
                over.add(call);
                final int bad = call % 3 == 0 ? 1 : 0;
                Check.equal(bad, errors.getOrDefault(call, 0), "errors of call %d", call);
                Check.equal(1L + call % 5 - bad, entry.data(), "inserted by call %d", call);
            }
        }
        Check.equal(calls, over.size(), "calls that are over");
        bound.expectNoMore();
    }

    private static void indices(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.TABLE).bind();
        final int calls = 20;
        for (int i = 0; i < calls; i++) {
            bound.vector().insert(FabricVectorCases.addresses(i * 3, 3), null, new AvInsert().context(i));
        }
        bound.until(env, calls);
        for (int i = 0; i < 3 * calls; i++) {
            Check.equal(FabricVectorCases.address(i), bound.vector().lookup(i), "address at index %d", i);
        }
    }

    private static void needsQueue(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.TABLE);
        FabricCheck.refused(FI_ENOEQ, () -> bound.vector().insert(FabricVectorCases.addresses(0, 1), null, null),
            "an insertion without a queue");
        FabricCheck.refused(FI_ENOEQ, () -> bound.vector().insert(FabricVectorCases.address(1)),
            "one that would tell its name, without a queue");
        bound.bind();
        FabricCheck.refused(FI_EINVAL, () -> bound.vector().insert(FabricVectorCases.address(1)),
            "one that tells its name");
        FabricCheck.refused(FI_EINVAL, () -> bound.vector().insert(FabricVectorCases.addresses(0, 1), null,
            new AvInsert().errors(new int[1])), "FI_SYNC_ERR");
        bound.vector().insert(FabricVectorCases.addresses(0, 1), null, null);
        bound.until(env, 1);
    }

    private static void binding(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.TABLE);
        FabricCheck.refused(FI_EBADFLAGS, () -> bound.vector().bind(bound.events(), 1), "flags");
        FabricCheck.refused(FI_EINVAL, () -> bound.vector().bind(null, 0), "null");
        bound.bind();
        FabricCheck.refused(FI_EBUSY, () -> bound.vector().bind(bound.events(), 0), "binding twice");
        FabricCheck.refused(FI_EBUSY, bound.events()::close, "a queue that a vector is bound to");
        final AddressVector synchronous = env.own(bound.domain().openAddressVector(new AvAttributes()));
        FabricCheck.refused(FI_EINVAL, () -> synchronous.bind(bound.events(), 0), "a vector without FI_EVENT");
        final Bound other = Bound.of(env, AvType.TABLE);
        FabricCheck.refused(FI_EINVAL, () -> other.vector().bind(bound.events(), 0), "a queue of another fabric");
    }

    /** What was not attempted is an error FI_ECANCELED, and each call completes all the same. */
    private static void closed(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.MAP).bind();
        final int calls = 20;
        final int each = env.times(200, 2000);
        for (int i = 0; i < calls; i++) {
            bound.vector().insert(FabricVectorCases.addresses(0, each), new long[each], new AvInsert().context(i));
        }
        bound.vector().close();
        final List<EventEntry> entries = new ArrayList<>();
        bound.events().read(entries::add, Integer.MAX_VALUE);
        final long[] told = new long[calls];
        final Set<Object> over = new HashSet<>();
        for (final EventEntry entry : entries) {
            final int call = (Integer) entry.context();
            if (entry.isError()) {
                Check.equal(FiErrno.name(FI_ECANCELED), FiErrno.name(entry.errno()), "errno of %s", entry);
                told[call]++;
            } else {
                Check.that(over.add(call), "call %d is over twice", call);
                Check.equal((long) each, told[call] + entry.data(), "addresses of call %d", call);
            }
        }
        Check.equal(calls, over.size(), "calls that are over when the vector is closed");
        bound.expectNoMore();
    }

    private static void outlive(final ConformanceEnv env) {
        final Bound bound = Bound.of(env, AvType.TABLE).bind();
        bound.vector().insert(FabricVectorCases.addresses(0, 2), null, new AvInsert().context("early"));
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (bound.events().size() == 0) {
            Check.that(System.nanoTime() - deadline < 0, "no event");
            Thread.onSpinWait();
        }
        bound.vector().close();
        bound.domain().close();
        final List<EventEntry> entries = bound.until(env, 1);
        Check.equal("early", entries.get(0).context(), "context");
        Check.equal(2L, entries.get(0).data(), "addresses");
        bound.events().close();
    }
}
