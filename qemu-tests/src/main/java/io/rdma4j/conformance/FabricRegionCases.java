/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EDOMAIN;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_EKEYREJECTED;
import static io.rdma4j.fabric.FiErrno.FI_ENOKEY;
import static io.rdma4j.fabric.FiErrno.FI_ENOSYS;
import static io.rdma4j.fabric.FiErrno.FI_EOPBADSTATE;
import static io.rdma4j.fabric.FiErrno.FI_ETOOSMALL;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Counter;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.HmemIface;
import io.rdma4j.fabric.MemoryRegion;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrAttributes;
import io.rdma4j.fabric.MrFlag;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Regions, their keys and states, as far as no peer is needed to see them: on every device. */
final class FabricRegionCases {
    private static final int PAGE = 4096;

    private FabricRegionCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.regionTellsWhatWasRegistered", FabricRegionCases::tells),
            ConformanceCase.of("fabric.regionRefusesWhatMakesNoSense", FabricRegionCases::refuses),
            ConformanceCase.of("fabric.regionRefusesFlagsAndInterfacesThatAreNotHere", FabricRegionCases::flags),
            ConformanceCase.of("fabric.regionsOverlap", FabricRegionCases::overlap),
            ConformanceCase.of("fabric.regionClosesTwiceWithoutHarm", FabricRegionCases::closesTwice),
            ConformanceCase.of("fabric.regionOfSeveralBuffersIsOne", FabricRegionCases::several),
            ConformanceCase.of("fabric.regionOfBuffersApartIsOne", FabricRegionCases::apart),
            ConformanceCase.of("fabric.keyIsWhatTheApplicationAskedFor", FabricRegionCases::applicationKeys),
            ConformanceCase.of("fabric.keyOfTheProviderIsUnique", FabricRegionCases::providerKeys),
            ConformanceCase.of("fabric.keyIsNotThereWithoutRemoteRights", FabricRegionCases::noKey),
            ConformanceCase.of("fabric.rawKeyTellsItsSizeFirst", FabricRegionCases::rawKey),
            ConformanceCase.of("fabric.rawKeyIsMappedAndReleased", FabricRegionCases::mapped),
            ConformanceCase.of("fabric.bindCountersOrSayWhyNot", FabricRegionCases::bindCounter),
            ConformanceCase.of("fabric.bindComesBeforeEnableWhereRegionsAreCounted", FabricRegionCases::rmaEvent)
                .needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS),
            ConformanceCase.of("fabric.bindToAnEndpointThenEnable", FabricRegionCases::endpoint),
            ConformanceCase.of("fabric.refreshKeepsKeysOrSaysWhyNot", FabricRegionCases::refresh));
    }

    static MrAccess[] remoteRights() {
        return new MrAccess[] {MrAccess.REMOTE_READ, MrAccess.REMOTE_WRITE};
    }

    private static Domain domain(final ConformanceEnv env) {
        return FabricPair.domain(env, hints -> hints);
    }

    private static void tells(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final FabricMemory memory = FabricMemory.of(env, domain, 3 * PAGE);
        final Object context = new Object();
        final MemoryRegion region = env.own(domain.register(new MrAttributes().buffer(memory.at(13), 5000)
            .access(MrAccess.SEND, MrAccess.RECV, MrAccess.REMOTE_READ).requestedKey(5).context(context)));
        Check.equal(memory.at(13), region.address(), "address");
        Check.equal(5000L, region.length(), "length");
        Check.equal(Set.of(MrAccess.SEND, MrAccess.RECV, MrAccess.REMOTE_READ), region.access(), "access");
        Check.equal(domain, region.domain(), "domain");
        Check.that(context == region.context(), "context is %s", region.context());
        Check.that(region.isEnabled() && !region.isClosed(), "%s is not enabled", region);
        final boolean virtual = domain.info().mrMode().contains(MrMode.VIRT_ADDR);
        Check.equal(virtual ? memory.at(13) : 0L, region.base(), "base with mr_mode %s", domain.info().mrMode());
        Check.that(region.key() != MemoryRegion.KEY_NOTAVAIL, "%s has no key", region);
        region.close();
        Check.that(region.isClosed() && !region.isEnabled(), "%s is not closed", region);
        Check.equal(MemoryRegion.KEY_NOTAVAIL, region.key(), "key of a closed region");
        FabricCheck.refused(FI_EBADFD, () -> region.rawAttributes(new byte[256]), "raw key of a closed region");
    }

    private static void refuses(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final long start = FabricMemory.of(env, domain, PAGE).at(0);
        refuse(domain, new MrAttributes().buffer(start, 0).access(MrAccess.SEND), "no bytes");
        refuse(domain, new MrAttributes().buffer(start, -1).access(MrAccess.SEND), "-1 bytes");
        refuse(domain, new MrAttributes().buffer(-PAGE, 2 * PAGE).access(MrAccess.SEND), "a range that wraps");
        refuse(domain, new MrAttributes().buffer(start, Long.MAX_VALUE).access(MrAccess.SEND), "a length that wraps");
        refuse(domain, new MrAttributes().buffer(start, 8), "no rights");
        refuse(domain, new MrAttributes().access(MrAccess.SEND), "no buffer");
        refuse(domain, new MrAttributes().buffer(start, 8).access(MrAccess.SEND).offset(1), "an offset");
        refuse(domain, new MrAttributes().buffer(start, 8).access(MrAccess.COLLECTIVE), "COLLECTIVE alone");
        FabricCheck.refused(FI_EINVAL, () -> domain.register(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> domain.register(start, 8, null, 0), "null rights");
        final MrAttributes many = new MrAttributes().access(MrAccess.SEND);
        final int limit = domain.info().domainAttributes().mrIovLimit();
        final long page = FabricMemory.of(env, domain, PAGE).at(0);
        for (int i = 0; i <= limit; i++) {
            many.buffer(page, PAGE);
        }
        FabricCheck.refused(FI_EINVAL, () -> domain.register(many), "more buffers than mr_iov_limit",
            String.valueOf(limit));
        domain.close();
        FabricCheck.refused(FI_EBADFD, () -> domain.register(start, 8, Set.of(MrAccess.SEND), 0), "a closed domain");
    }

    private static void refuse(final Domain domain, final MrAttributes attributes, final String what) {
        FabricCheck.refused(FI_EINVAL, () -> domain.register(attributes), what);
    }

    private static void flags(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints -> hints.capabilities(Capability.MSG));
        final long start = FabricMemory.of(env, domain, PAGE).at(0);
        for (final MrFlag flag : List.of(MrFlag.HMEM_DEVICE_ONLY, MrFlag.HMEM_HOST_ALLOC, MrFlag.AUTH_KEY)) {
            FabricCheck.refused(FI_EBADFLAGS, () -> domain.register(
                new MrAttributes().buffer(start, 8).access(MrAccess.SEND).flags(flag)), flag.name(), flag.name());
        }
        // Without the capability the interface is not looked at.
        env.own(domain.register(new MrAttributes().buffer(start, 8).access(MrAccess.SEND).iface(HmemIface.CUDA, 3)));
    }

    private static void overlap(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.nearMemory(3 * PAGE);
        final FabricMemory to = pair.farMemory(3 * PAGE);
        final Domain domain = pair.far().domain();
        final Set<MrAccess> rights = EnumSet.of(MrAccess.RECV);
        final MemoryRegion inner = env.own(domain.register(to.at(100), PAGE, rights, 0));
        final MemoryRegion twin = env.own(domain.register(to.at(100), PAGE, rights, 0));
        final MemoryRegion across = env.own(domain.register(to.at(50), 2 * PAGE, rights, 0));
        twin.close();
        to.region().close();
        for (final MemoryRegion region : List.of(inner, across)) {
            from.fill(5, 0, 500);
            to.guard();
            pair.far().post(() -> pair.far().endpoint().receive(to.at(300), 500, region, 1), "receive");
            pair.near().post(() -> pair.near().endpoint().send(from.at(0), 500, from.region(), 2), "send");
            pair.near().next();
            pair.far().next().expectLength(500);
            to.expectOnly(5, 300, 500, "through " + region);
            env.moved(500);
        }
    }

    private static void closesTwice(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE);
        final MemoryRegion region = domain.register(memory.at(0), PAGE, Set.of(MrAccess.REMOTE_READ), 9);
        region.close();
        final MemoryRegion other = env.own(domain.register(memory.at(0), PAGE, Set.of(MrAccess.REMOTE_READ), 9));
        region.close();
        Check.that(other.isEnabled() && other.key() != MemoryRegion.KEY_NOTAVAIL, "the second close hit %s", other);
    }

    /** Whole pages in another order: each byte arrives through the one region, wherever it lies. */
    private static void several(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.nearMemory(PAGE);
        final FabricMemory to = pair.far().memory(8 * PAGE);
        final int[] pages = {6, 1, 4};
        final MrAttributes attributes = new MrAttributes().access(MrAccess.RECV);
        attributes.buffer(to.at(6 * PAGE + 100), PAGE - 100).buffer(to.at(PAGE), PAGE).buffer(to.at(4 * PAGE), 200);
        final MemoryRegion region = env.own(pair.far().domain().register(attributes));
        Check.equal(2L * PAGE + 100, region.length(), "length of all buffers");
        Check.equal(to.at(6 * PAGE + 100), region.address(), "address of the first");
        for (final int page : pages) {
            final int offset = page * PAGE + 120;
            from.fill(page, 0, 70);
            to.guard();
            pair.far().post(() -> pair.far().endpoint().receive(to.at(offset), 70, region, page), "receive");
            pair.near().post(() -> pair.near().endpoint().send(from.at(0), 70, from.region(), page), "send");
            pair.near().next();
            pair.far().next().expectLength(70);
            to.expectOnly(page, offset, 70, "in page " + page);
            env.moved(70);
        }
        FabricCheck.code(FI_EINVAL, pair.far().endpoint().receive(to.at(4 * PAGE + 190), 20, region, 1),
            "a receive that goes beyond the last buffer");
        FabricCheck.code(FI_EINVAL, pair.far().endpoint().receive(to.at(2 * PAGE), 20, region, 1),
            "a receive between two buffers");
    }

    /** Nothing begins or ends at a page, two share one: each is sent from and received into by the one descriptor. */
    private static void apart(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory from = pair.near().memory(4 * PAGE);
        final FabricMemory to = pair.far().memory(4 * PAGE);
        final int[] begins = {2 * PAGE + 100, 70, 700};
        final MemoryRegion source = env.own(pair.near().domain().register(apart(from, begins, MrAccess.SEND)));
        final MemoryRegion sink = env.own(pair.far().domain().register(apart(to, begins, MrAccess.RECV)));
        Check.equal(600L, sink.length(), "length of all buffers");
        Check.equal(to.at(begins[0]), sink.address(), "address of the first");
        for (final int begin : begins) {
            from.fill(begin, begin, 200);
            to.guard();
            pair.far().post(() -> pair.far().endpoint().receive(to.at(begin), 200, sink, 1), "receive");
            pair.near().post(() -> pair.near().endpoint().send(from.at(begin), 200, source, 2), "send");
            pair.near().next();
            pair.far().next().expectLength(200);
            to.expectOnly(begin, begin, 200, "at " + begin);
            env.moved(200);
        }
        FabricCheck.code(FI_EINVAL, pair.far().endpoint().receive(to.at(70), 201, sink, 1),
            "a receive that goes beyond its buffer");
        // Two that touch are one.
        final MemoryRegion touching = env.own(pair.near().domain().register(new MrAttributes().access(MrAccess.SEND)
            .buffer(from.at(3), 100).buffer(from.at(103), 50)));
        pair.far().post(() -> pair.far().endpoint().receive(to.at(700), 150, sink, 1), "receive");
        pair.near().post(() -> pair.near().endpoint().send(from.at(3), 150, touching, 2), "send");
        pair.near().next();
        pair.far().next().expectLength(150);
    }

    /** Buffers of 200 bytes each. */
    static MrAttributes apart(final FabricMemory memory, final int[] begins, final MrAccess... access) {
        final MrAttributes attributes = new MrAttributes().access(access);
        for (final int begin : begins) {
            attributes.buffer(memory.at(begin), 200);
        }
        return attributes;
    }

    private static void applicationKeys(final ConformanceEnv env) {
        final Domain domain = domain(env);
        if (domain.info().mrMode().contains(MrMode.PROV_KEY)) {
            throw env.skip("keys are the provider's: %s", domain.info().why(MrMode.PROV_KEY));
        }
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE);
        final Set<MrAccess> rights = EnumSet.of(MrAccess.REMOTE_READ);
        final List<MemoryRegion> regions = new ArrayList<>();
        for (final long key : new long[] {0, 1, 0x1234_5678_9abcL, Integer.MAX_VALUE, 1L << 47}) {
            final MemoryRegion region = env.own(domain.register(memory.at(0), 8, rights, key));
            Check.equal(key, region.key(), "key");
            regions.add(region);
        }
        FabricCheck.refused(FI_ENOKEY, () -> domain.register(memory.at(0), 8, rights, 1), "a key in use", "1");
        FabricCheck.refused(FI_EKEYREJECTED, () -> domain.register(memory.at(0), 8, rights, -1L),
            "the key that stands for none");
        regions.get(1).close();
        Check.equal(1L, env.own(domain.register(memory.at(0), 8, rights, 1)).key(), "key that was closed");
        // Another domain has keys of its own.
        final Domain other = domain(env);
        Check.equal(0L, env.own(other.register(FabricMemory.of(env, other, 8).at(0), 8, rights, 0)).key(), "key");
        // Regions without remote rights use up no key.
        final MemoryRegion local = env.own(domain.register(memory.at(0), 8, EnumSet.of(MrAccess.SEND), 0));
        Check.equal(MemoryRegion.KEY_NOTAVAIL, local.key(), "key of a local region");
    }

    private static void providerKeys(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints -> hints.demand(MrMode.PROV_KEY));
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE);
        final Set<Long> keys = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            final MemoryRegion region = env.own(domain.register(memory.at(0), 8, Set.of(remoteRights()), 7));
            Check.that(region.key() != MemoryRegion.KEY_NOTAVAIL, "%s has no key", region);
            Check.that(keys.add(region.key()), "key 0x%x was given out twice", region.key());
        }
    }

    private static void noKey(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE);
        final MemoryRegion region = env.own(domain.register(new MrAttributes().buffer(memory.pinned())
            .access(MrAccess.SEND, MrAccess.RECV, MrAccess.READ, MrAccess.WRITE).requestedKey(3)));
        Check.equal(MemoryRegion.KEY_NOTAVAIL, region.key(), "key");
        final Domain raw = FabricPair.domain(env, hints -> hints.demand(MrMode.RAW));
        final FabricMemory other = FabricMemory.of(env, raw, PAGE).registered(env, raw, 3, remoteRights());
        Check.equal(MemoryRegion.KEY_NOTAVAIL, other.region().key(), "key where raw keys are used");
    }

    private static void rawKey(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE).registered(env, domain, 3, remoteRights());
        final int size = memory.region().rawKeySize();
        Check.equal(domain.info().domainAttributes().mrKeySize(), size, "mr_key_size");
        FabricCheck.refused(FI_ETOOSMALL, () -> memory.region().rawAttributes(new byte[0]), "no room",
            String.valueOf(size));
        FabricCheck.refused(FI_ETOOSMALL, () -> memory.region().rawAttributes(new byte[size - 1]), "a byte too few");
        FabricCheck.refused(FI_EINVAL, () -> memory.region().rawAttributes(null), "null");
        Check.equal(memory.region().base(), memory.region().rawAttributes(new byte[size]), "base address");
        Check.equal(memory.region().base(), memory.region().rawAttributes(new byte[size + 9]), "with room to spare");
    }

    private static void mapped(final ConformanceEnv env) {
        final Domain here = domain(env);
        final Domain there = domain(env);
        final FabricMemory memory = FabricMemory.of(env, there, PAGE).registered(env, there, 3, remoteRights());
        final byte[] raw = new byte[memory.region().rawKeySize()];
        final long base = memory.region().rawAttributes(raw);
        final long key = here.mapRaw(base, raw);
        Check.that(key != MemoryRegion.KEY_NOTAVAIL, "the mapped key is FI_KEY_NOTAVAIL");
        FabricCheck.refused(FI_EBUSY, here::close, "closing a domain with a mapped key", "key");
        FabricCheck.refused(FI_EINVAL, () -> there.unmapKey(key), "a key that another domain mapped");
        here.unmapKey(key);
        FabricCheck.refused(FI_EINVAL, () -> here.unmapKey(key), "unmapping twice");
        FabricCheck.refused(FI_EINVAL, () -> here.mapRaw(base, new byte[raw.length - 1]), "a raw key cut off");
        FabricCheck.refused(FI_EINVAL, () -> here.mapRaw(base, null), "null");
        final byte[] broken = raw.clone();
        broken[raw.length / 2] ^= 0x10;
        FabricCheck.refused(FI_EINVAL, () -> here.mapRaw(base, broken), "a raw key with a bit turned");
        here.close();
    }

    private static void bindCounter(final ConformanceEnv env) {
        final boolean counts = env.device().supports(Feature.ATOMICS) && env.device().supports(Feature.RDMA_WRITE)
            && env.device().supports(Feature.RDMA_READ);
        final Domain domain = FabricPair.domain(env, hints -> counts
            ? hints.capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT) : hints);
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE).registered(env, domain, 3, remoteRights());
        FabricCheck.refused(FI_EINVAL, () -> memory.region().bind((Counter) null), "null");
        final Domain other = domain(env);
        final Counter foreign = env.own(other.openCounter());
        final Counter counter = env.own(domain.openCounter());
        if (counts) {
            FabricCheck.refused(FI_EDOMAIN, () -> memory.region().bind(foreign), "a counter of another domain");
            memory.region().bind(counter);
            FabricCheck.refused(FI_EBUSY, memory.region()::close, "a region that is bound to a counter");
            Check.that(memory.region().isEnabled(), "%s was closed all the same", memory.region());
            counter.close();
            memory.region().close();
        } else {
            FabricCheck.refused(FI_ENOSYS, () -> memory.region().bind(counter), "a counter where nothing is counted");
            memory.region().close();
        }
    }

    private static void rmaEvent(final ConformanceEnv env) {
        final Domain domain = FabricPair.domain(env, hints ->
            hints.capabilities(Capability.MSG, Capability.RMA, Capability.RMA_EVENT).demand(MrMode.RMA_EVENT));
        final FabricMemory memory = FabricMemory.of(env, domain, PAGE);
        final MrAttributes attributes = new MrAttributes().buffer(memory.pinned()).access(remoteRights());
        final MemoryRegion plain = env.own(domain.register(attributes));
        final Counter counter = env.own(domain.openCounter());
        Check.that(plain.isEnabled(), "%s is not to be counted, and disabled", plain);
        FabricCheck.refused(FI_EOPBADSTATE, () -> plain.bind(counter), "a region that is not to be counted");
        final MemoryRegion region = domain.register(attributes.requestedKey(1).flags(MrFlag.RMA_EVENT));
        Check.that(!region.isEnabled(), "%s is enabled from the start", region);
        Check.equal(MemoryRegion.KEY_NOTAVAIL, region.key(), "key of a disabled region");
        region.bind(counter);
        region.enable();
        Check.that(region.isEnabled() && region.key() != MemoryRegion.KEY_NOTAVAIL, "%s is not enabled", region);
        FabricCheck.refused(FI_EOPBADSTATE, region::enable, "enabling twice");
        FabricCheck.refused(FI_EOPBADSTATE, () -> region.bind(env.own(domain.openCounter())), "binding afterwards");
        counter.close();
        region.close();
    }

    private static void endpoint(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.of(env, hints -> hints.capabilities(Capability.MSG).demand(MrMode.ENDPOINT));
        final FabricMemory from = pair.near().memory(PAGE);
        final FabricMemory to = pair.far().memory(PAGE);
        final MrAttributes attributes = new MrAttributes().buffer(to.pinned()).access(MrAccess.RECV);
        final MemoryRegion region = pair.far().domain().register(attributes);
        Check.that(!region.isEnabled(), "%s is enabled from the start", region);
        FabricCheck.refused(FI_EOPBADSTATE, region::enable, "enabling without an endpoint");
        final int disabled = pair.far().endpoint().receive(to.at(0), 64, region, 1);
        Check.that(disabled < 0, "a disabled region was taken as descriptor");
        FabricCheck.refused(FI_EDOMAIN, () -> region.bind(pair.near().endpoint()), "an endpoint of another domain");
        region.bind(pair.far().endpoint());
        FabricCheck.refused(FI_EBUSY, () -> region.bind(pair.far().endpoint()), "a second endpoint");
        region.enable();
        from.fill(3, 0, 64);
        to.guard();
        pair.far().post(() -> pair.far().endpoint().receive(to.at(0), 64, region, 1), "receive");
        pair.near().post(() -> pair.near().endpoint().send(from.at(0), 64, null, 2), "send");
        pair.near().next();
        pair.far().next().expectLength(64);
        to.expectOnly(3, 0, 64, "through a region of the endpoint");
        env.moved(64);
        FabricCheck.refused(FI_EBUSY, region::close, "a region whose endpoint is open");
        Check.that(region.isEnabled(), "%s was closed all the same", region);
        pair.far().endpoint().close();
        Check.that(!region.isEnabled(), "%s outlives its endpoint", region);
        region.close();
    }

    private static void refresh(final ConformanceEnv env) {
        final Domain domain = domain(env);
        final FabricMemory memory = FabricMemory.of(env, domain, 4 * PAGE).registered(env, domain, 3,
            remoteRights());
        final MemoryRegion region = memory.region();
        final long key = region.key();
        if (env.device().supports(Feature.REFRESH)) {
            region.refresh();
            region.refresh(memory.at(PAGE), PAGE, memory.at(0), 8);
            FabricCheck.refused(FI_EINVAL, () -> region.refresh(memory.at(0)), "half a range");
            FabricCheck.refused(FI_EINVAL, () -> region.refresh((long[]) null), "null");
            FabricCheck.refused(FI_EINVAL, () -> region.refresh(memory.at(4 * PAGE), 8), "a range not inside");
        } else {
            FabricCheck.refused(FI_ENOSYS, region::refresh, env.device().whyNot(Feature.REFRESH));
        }
        Check.equal(key, region.key(), "key after a refresh");
        Check.that(region.isEnabled(), "%s is disabled after a refresh", region);
        region.close();
        FabricCheck.refused(FI_EBADFD, region::refresh, "a closed region");
    }
}
