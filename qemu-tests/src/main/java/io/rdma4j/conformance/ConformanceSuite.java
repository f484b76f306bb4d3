/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** All cases, by area, in the order in which they are run: what later ones build on comes first. */
final class ConformanceSuite {
    private static final String WITHOUT = "!";

    private ConformanceSuite() {
    }

    static List<ConformanceCase> cases() {
        final List<ConformanceCase> all = new ArrayList<>();
        all.addAll(DeviceCases.cases());
        all.addAll(DomainCases.cases());
        all.addAll(RegistrationCases.cases());
        all.addAll(RegionKindCases.cases());
        all.addAll(ReregisterCases.cases());
        all.addAll(PagingCases.cases());
        all.addAll(CqCases.cases());
        all.addAll(ResizeCases.cases());
        all.addAll(ChannelCases.cases());
        all.addAll(QpCases.cases());
        all.addAll(QueueCases.cases());
        all.addAll(RcCases.cases());
        all.addAll(TemplateCases.cases());
        all.addAll(RdmaCases.cases());
        all.addAll(AtomicCases.cases());
        all.addAll(MaskedAtomicCases.cases());
        all.addAll(ProtectionCases.cases());
        all.addAll(WindowCases.cases());
        all.addAll(FastRegionCases.cases());
        all.addAll(RetryCases.cases());
        all.addAll(StateCases.cases());
        all.addAll(EventCases.cases());
        all.addAll(UdCases.cases());
        all.addAll(SrqCases.cases());
        all.addAll(LoadCases.cases());
        all.addAll(MixedCases.cases());
        all.addAll(FabricModeCases.cases());
        all.addAll(FabricRegionCases.cases());
        all.addAll(FabricPagingCases.cases());
        all.addAll(FabricMessageCases.cases());
        all.addAll(FabricCacheCases.cases());
        all.addAll(FabricAsyncCases.cases());
        all.addAll(FabricRmaCases.cases());
        all.addAll(FabricRevocationCases.cases());
        all.addAll(FabricVectorCases.cases());
        all.addAll(FabricVectorAsyncCases.cases());
        all.addAll(FabricVectorNameCases.cases());
        all.addAll(FabricEventCases.cases());
        all.addAll(FabricQueueCases.cases());
        all.addAll(FabricConnectCases.cases());
        all.addAll(FabricTagCases.cases());
        all.addAll(FabricDatagramCases.cases());
        all.addAll(FabricReliableCases.cases());
        all.addAll(FabricTaggedCases.cases());
        all.addAll(FabricSharedCases.cases());
        all.addAll(FabricReliableRmaCases.cases());
        all.addAll(FabricOrderCases.cases());
        all.addAll(FabricRankCases.cases());
        all.addAll(DeviceCases.last());
        requireDifferentNames(all);
        return List.copyOf(all);
    }

    /**
     * The cases whose names contain one of several patterns, with commas between them, where {@code *} stands for
     * anything; with {@code !} in front, those that contain none of them.
     */
    static List<ConformanceCase> matching(final String pattern) {
        final boolean isWithout = pattern.startsWith(WITHOUT);
        final Predicate<String> named = Arrays.stream(pattern.substring(isWithout ? WITHOUT.length() : 0).split(","))
            .map(ConformanceSuite::stands).reduce(Predicate::or).orElseThrow();
        return cases().stream().filter(test -> named.test(test.name()) != isWithout).toList();
    }

    private static Predicate<String> stands(final String pattern) {
        return Pattern.compile(Pattern.quote(pattern).replace("*", "\\E.*\\Q")).asPredicate();
    }

    private static void requireDifferentNames(final List<ConformanceCase> all) {
        final Set<String> names = new HashSet<>();
        for (final ConformanceCase test : all) {
            if (!names.add(test.name())) {
                throw new IllegalStateException("two cases are called " + test.name());
            }
        }
    }
}
