/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Registration that is reported by events. */
final class FabricAsyncCases {
    private static final int PAGE = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(8);

    private FabricAsyncCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.asyncTellsOfEachRegionOnce", FabricAsyncCases::once),
            ConformanceCase.of("fabric.asyncTellsOfFailures", FabricAsyncCases::failures),
            ConformanceCase.of("fabric.asyncRefusesNonsenseAtOnce", FabricAsyncCases::nonsense),
            ConformanceCase.of("fabric.asyncClosesWhatIsStillPending", FabricAsyncCases::pending),
            ConformanceCase.of("fabric.asyncQueuesAreClosedLast", FabricAsyncCases::closedLast));
    }

    /** A domain that registers asynchronously, and where its events come. */
    private record Bound(Domain domain, EventQueue events) {
        static Bound of(final ConformanceEnv env) {
            final FabricInfo info = FabricPair.info(env.device(), hints ->
                hints.capabilities(Capability.MSG).demand(MrMode.ALLOCATED));
            final Fabric fabric = env.own(Fabrics.open(info));
            final EventQueue events = env.own(fabric.openEventQueue(0));
            final Domain domain = env.own(fabric.openDomain(info));
            domain.bind(events);
            return new Bound(domain, events);
        }

        /** So many events, each of which is there once. */
        List<EventEntry> next(final ConformanceEnv env, final int count) {
            final List<EventEntry> entries = new ArrayList<>();
            final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
            while (entries.size() < count) {
                events.awaitRead(entries::add, count - entries.size(), Duration.ofMillis(100));
                Check.that(System.nanoTime() - deadline < 0, "%d of %d events came: %s", entries.size(), count,
                    entries);
            }
            return entries;
        }
    }

    private static void once(final ConformanceEnv env) {
        final Bound bound = Bound.of(env);
        final FabricMemory memory = FabricMemory.of(env, bound.domain(), PAGE);
        final int count = Math.min(env.times(20, 200), bound.domain().info().domainAttributes().mrCount() / 2);
        final Set<Object> regions = new HashSet<>();
        for (int i = 0; i < count; i++) {
            regions.add(env.own(bound.domain().register(new MrAttributes().buffer(memory.pinned())
                .access(MrAccess.SEND, MrAccess.RECV).context("region " + i))));
        }
        final Set<Object> contexts = new HashSet<>();
        for (final EventEntry entry : bound.next(env, count)) {
            Check.equal(FabricEvent.MR_COMPLETE, entry.event(), "event");
            Check.that(!entry.isError(), "%s failed: %s", entry.context(), entry.providerError());
            Check.that(regions.remove(entry.region()), "%s was told twice, or is unknown", entry.region());
            Check.that(contexts.add(entry.context()), "%s came twice", entry.context());
            Check.equal(entry.region().context(), entry.context(), "context");
            Check.that(entry.region().isEnabled(), "%s is told and not enabled", entry.region());
        }
        Check.equal(0, bound.events().size(), "events that are left");
        Check.equal(0, bound.events().awaitRead(entry -> { }, 1, Duration.ofMillis(1)), "events after the last");
    }

    /** Memory that is not there is found out while registering; the region is there, and failed. */
    private static void failures(final ConformanceEnv env) {
        final Bound bound = Bound.of(env);
        final Object context = new Object();
        // The second page of a process: Linux maps nothing below 64 KiB.
        final MemoryRegion region = bound.domain().register(
            new MrAttributes().buffer(PAGE, PAGE).access(MrAccess.SEND).context(context));
        final EventEntry entry = bound.next(env, 1).get(0);
        Check.that(entry.region() == region && entry.context() == context, "the event is of %s", entry.region());
        Check.that(entry.isError(), "a region over memory that is not there was registered");
        Check.equal("FI_EFAULT", FiErrno.name(entry.errno()), "errno of '%s'", entry.providerError());
        Check.that(!entry.providerError().isBlank(), "nothing is said about the failure");
        Check.that(!region.isEnabled(), "%s failed and is enabled", region);
        Check.equal(MemoryRegion.KEY_NOTAVAIL, region.key(), "key of a region that failed");
        region.close();
        Check.equal(0, bound.events().size(), "events that are left");
    }

    private static void nonsense(final ConformanceEnv env) {
        final Bound bound = Bound.of(env);
        FabricCheck.refused(FI_EINVAL, () -> bound.domain().register(new MrAttributes().access(MrAccess.SEND)),
            "no buffer");
        FabricCheck.refused(FI_EINVAL, () -> bound.domain().register(new MrAttributes().buffer(PAGE, 0)
            .access(MrAccess.SEND)), "no bytes");
        Check.equal(0, bound.events().awaitRead(entry -> { }, 1, Duration.ofMillis(1)), "events of what was refused");
    }

    private static void pending(final ConformanceEnv env) {
        final Bound bound = Bound.of(env);
        final FabricMemory memory = FabricMemory.of(env, bound.domain(), 64 * PAGE);
        final int count = env.times(10, 100);
        for (int i = 0; i < count; i++) {
            final MemoryRegion region = bound.domain().register(new MrAttributes().buffer(memory.pinned())
                .access(MrAccess.SEND).context(i));
            region.close();
            Check.that(region.isClosed() && !region.isEnabled(), "%s is not closed", region);
        }
        final Set<Object> contexts = new HashSet<>();
        bound.next(env, count).forEach(entry -> contexts.add(entry.context()));
        Check.equal(count, contexts.size(), "regions that were told");
        Check.equal(0, bound.events().awaitRead(entry -> { }, 1, Duration.ofMillis(1)), "events after the last");
    }

    private static void closedLast(final ConformanceEnv env) {
        final Bound bound = Bound.of(env);
        FabricCheck.refused(FI_EBUSY, bound.events()::close, "a queue that a domain is bound to");
        FabricCheck.refused(FI_EBUSY, () -> bound.domain().bind(bound.events()), "binding twice");
        FabricCheck.refused(FI_EINVAL, () -> bound.domain().bind(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> bound.events().read(null, 1), "null");
        FabricCheck.refused(FI_EINVAL, () -> bound.events().read(entry -> { }, 0), "a limit of 0");
        bound.domain().close();
        bound.events().close();
        bound.events().close();
        Check.that(bound.events().isClosed(), "it is not closed");
    }
}
