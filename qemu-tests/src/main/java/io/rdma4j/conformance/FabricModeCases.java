/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_ENODATA;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a device offers through the fabric interfaces, and which mode bits remain of those that are offered to it. */
final class FabricModeCases {
    private FabricModeCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("fabric.infoTellsWhatTheDeviceCan", FabricModeCases::tells),
            ConformanceCase.of("fabric.modeBitsAreClearedAndNeverAdded", FabricModeCases::clears),
            ConformanceCase.of("fabric.modeBitsThatAreNeededMustBeOffered", FabricModeCases::needed),
            ConformanceCase.of("fabric.modeBitsThatWereDemandedStay", FabricModeCases::demanded),
            ConformanceCase.of("fabric.modeBasicStandsForThreeBits", FabricModeCases::basic),
            ConformanceCase.of("fabric.modeScalableStandsForNone", FabricModeCases::scalable),
            ConformanceCase.of("fabric.capabilitiesThatNoDeviceHasAreRefused", FabricModeCases::refused),
            ConformanceCase.of("fabric.domainsAreClosedLast", FabricModeCases::closedLast));
    }

    private static List<FabricInfo> ask(final ConformanceEnv env, final Set<MrMode> offered) {
        return Fabrics.getInfo(new Hints().context(env.device()).mrMode(offered));
    }

    private static void tells(final ConformanceEnv env) {
        final RdmaContext device = env.device();
        final FabricInfo info = FabricPair.info(device, hints -> hints);
        Check.equal(device.address(), info.address(), "address");
        Check.equal(EndpointType.MSG, info.endpointType(), "kind of endpoints");
        for (final Capability always : List.of(Capability.MSG, Capability.SEND, Capability.RECV)) {
            Check.that(info.capabilities().contains(always), "%s is not among %s", always, info.capabilities());
        }
        final boolean rma = device.supports(Feature.RDMA_WRITE) && device.supports(Feature.RDMA_READ);
        Check.equal(rma, info.capabilities().contains(Capability.RMA), "RMA in %s", info.capabilities());
        if (!device.supports(Feature.ATOMICS)) {
            Check.that(!info.capabilities().contains(Capability.ATOMIC), "atomics that the device does not have");
        }
        for (final MrMode mode : FabricPair.EVERYTHING) {
            final String why = info.why(mode);
            Check.that(why != null && !why.isBlank(), "nothing is said about %s", mode);
        }
        Check.that(info.domainAttributes().mrKeySize() > 0, "%s", info.domainAttributes());
        Check.that(info.domainAttributes().mrIovLimit() > 0, "%s", info.domainAttributes());
        Check.that(info.domainAttributes().mrCount() > 0, "%s", info.domainAttributes());
        Check.equal(0, info.authKey().length, "length of an authorization key that nobody gave");
    }

    /** Every set of bits, or many: what comes back is part of it, and is enough when it is offered alone. */
    private static void clears(final ConformanceEnv env) {
        final List<MrMode> bits = new ArrayList<>(FabricPair.EVERYTHING);
        final Set<Set<MrMode>> answers = new HashSet<>();
        final int step = env.times(31, 1);
        for (int chosen = (1 << bits.size()) - 1; chosen >= 0; chosen -= step) {
            final Set<MrMode> offered = EnumSet.noneOf(MrMode.class);
            for (int i = 0; i < bits.size(); i++) {
                if ((chosen & 1 << i) != 0) {
                    offered.add(bits.get(i));
                }
            }
            final Set<MrMode> needed = neededOf(env, offered);
            if (needed != null) {
                Check.that(offered.containsAll(needed), "%s came back where %s was offered", needed, offered);
                answers.add(needed);
            }
        }
        Check.that(!answers.isEmpty(), "nothing that was offered was enough");
        for (final Set<MrMode> needed : answers) {
            Check.equal(needed, neededOf(env, needed), "what is needed when just that is offered");
        }
    }

    /** What remains; null if this is not enough. */
    private static Set<MrMode> neededOf(final ConformanceEnv env, final Set<MrMode> offered) {
        try {
            return ask(env, offered).get(0).mrMode();
        } catch (final FabricException e) {
            Check.equal(FI_ENODATA, e.errno(), "errno of '%s'", e.getMessage());
            return null;
        }
    }

    private static void needed(final ConformanceEnv env) {
        final FabricInfo info = FabricPair.info(env.device(), hints -> hints);
        for (final MrMode bit : FabricPair.EVERYTHING) {
            final Set<MrMode> others = EnumSet.copyOf(FabricPair.EVERYTHING);
            others.remove(bit);
            final Set<MrMode> rest = neededOf(env, others);
            if (info.mrMode().contains(bit)) {
                if (bit != MrMode.ALLOCATED) {
                    // Telling of changed pages may stand in for pages that stay.
                    Check.that(rest == null, "%s is needed (%s), but %s will do as well", bit, info.why(bit), rest);
                }
                final String said = FabricCheck.refused(FI_ENODATA, () -> ask(env, EnumSet.noneOf(MrMode.class)),
                    "no bits").getMessage();
                Check.that(info.mrMode().stream().anyMatch(one -> said.contains(one.name())),
                    "%s are needed; the message names none of them: %s", info.mrMode(), said);
            } else {
                Check.equal(info.mrMode(), rest, "needed without an offer of %s", bit);
            }
        }
    }

    private static void demanded(final ConformanceEnv env) {
        for (final MrMode bit : List.of(MrMode.LOCAL, MrMode.RAW, MrMode.VIRT_ADDR, MrMode.PROV_KEY, MrMode.ALLOCATED,
            MrMode.RMA_EVENT, MrMode.ENDPOINT)) {
            final FabricInfo info = FabricPair.info(env.device(), hints -> hints.demand(bit));
            Check.that(info.mrMode().contains(bit), "%s was demanded, %s came back", bit, info.mrMode());
            Check.that(!info.why(bit).isBlank(), "nothing is said about %s", bit);
            final Set<MrMode> others = EnumSet.copyOf(FabricPair.EVERYTHING);
            others.remove(bit);
            FabricCheck.refused(FI_ENODATA, () -> Fabrics.getInfo(new Hints().context(env.device()).mrMode(others)
                .demand(bit)), bit + " demanded and not offered", bit.name());
        }
    }

    private static void basic(final ConformanceEnv env) {
        final FabricInfo info = ask(env, EnumSet.of(MrMode.BASIC)).get(0);
        Check.equal(Set.of(MrMode.BASIC), info.mrMode(), "mr_mode");
        final Domain domain = FabricPair.domain(env, hints -> hints.mrMode(EnumSet.of(MrMode.BASIC)));
        final FabricMemory memory = FabricMemory.of(env, domain, 64);
        memory.registered(env, domain, 77, FabricRegionCases.remoteRights());
        Check.equal(memory.at(0), memory.region().base(), "base of a region by virtual addresses");
        FabricCheck.refused(FI_ENODATA, () -> ask(env, EnumSet.of(MrMode.BASIC, MrMode.VIRT_ADDR)),
            "BASIC together with another bit", "BASIC");
    }

    private static void scalable(final ConformanceEnv env) {
        try {
            final FabricInfo info = Fabrics.getInfo(new Hints().context(env.device()).apiVersion(1, 4)
                .mrMode(EnumSet.of(MrMode.SCALABLE))).get(0);
            Check.that(Set.of(MrMode.SCALABLE).containsAll(info.mrMode()), "mr_mode is %s", info.mrMode());
            Check.that(neededOf(env, EnumSet.noneOf(MrMode.class)) != null,
                "SCALABLE is had, but nothing is not enough");
        } catch (final FabricException e) {
            Check.equal(FI_ENODATA, e.errno(), "errno of '%s'", e.getMessage());
            Check.that(neededOf(env, EnumSet.noneOf(MrMode.class)) == null,
                "no bits are enough, but not SCALABLE: %s", e.getMessage());
        }
        FabricCheck.refused(FI_ENODATA, () -> Fabrics.getInfo(new Hints().context(env.device()).apiVersion(1, 6)
            .mrMode(EnumSet.of(MrMode.SCALABLE, MrMode.LOCAL))), "SCALABLE together with another bit", "SCALABLE");
    }

    private static void refused(final ConformanceEnv env) {
        for (final Capability missing : List.of(Capability.COLLECTIVE, Capability.MULTICAST)) {
            FabricCheck.refused(FI_ENODATA, () -> FabricPair.info(env.device(), hints -> hints.capabilities(missing)),
                missing.name(), missing.name());
        }
        final RdmaContext device = env.device();
        if (!device.supports(Feature.RDMA_WRITE)) {
            FabricCheck.refused(FI_ENODATA, () -> FabricPair.info(device, hints -> hints.capabilities(Capability.RMA)),
                "RMA", device.whyNot(Feature.RDMA_WRITE));
        }
    }

    private static void closedLast(final ConformanceEnv env) {
        final FabricPair pair = FabricPair.messages(env);
        final FabricMemory memory = pair.nearMemory(64);
        final Domain domain = pair.near().domain();
        FabricCheck.refused(FI_EBUSY, domain::close, "a domain that is in use");
        Check.that(!domain.isClosed() && memory.region().isEnabled(), "it was closed all the same");
        FabricCheck.refused(FI_EBUSY, pair.near().cq()::close, "a queue that is in use");
        pair.expectMessagesFlow();
    }
}
