/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.SystemFaults;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One call that fails in a scenario.
 *
 * @param scenario which.
 * @param others   whether it is a call of a thread that the library has made.
 * @param call     the function.
 * @param number   which of its calls, from 1; in some runs it is not made so often.
 * @param errno    with which it fails.
 */
record Case(Scenario scenario, boolean others, String call, int number, int errno) {
    private static final int REPEATED = 4;
    private static final Map<Scenario, List<Case>> ALL = new EnumMap<>(Scenario.class);

    /** Each call with each of its errnos; by a second run, as the first one in a process also asks what there is. */
    static synchronized List<Case> of(final Scenario scenario) {
        return ALL.computeIfAbsent(scenario, each -> {
            Run.plain(each, "first");
            final SystemFaults[] counted = new SystemFaults[1];
            Run.inThreadOfItsOwn(() -> {
                try (SystemFaults counting = SystemFaults.counting()) {
                    counted[0] = counting;
                    each.run(Run.name("counted"));
                }
            });
            final List<Case> cases = new ArrayList<>();
            add(cases, each, false, counted[0].calls(false));
            add(cases, each, true, counted[0].calls(true));
            return cases;
        });
    }

    /** How often the calls that can fail are made. */
    static int calls(final Scenario scenario, final boolean others) {
        return (int) of(scenario).stream().filter(each -> each.others() == others)
            .map(each -> each.call() + each.number()).distinct().count();
    }

    private static void add(
        final List<Case> cases, final Scenario scenario, final boolean others, final List<String> calls) {
        final Map<String, Integer> numbers = new HashMap<>();
        for (final String call : calls) {
            final int number = numbers.merge(call, 1, Integer::sum);
            // What other threads repeat is a loop of theirs.
            if (!others || number <= REPEATED) {
                for (final int errno : SystemFaults.errnos(call)) {
                    cases.add(new Case(scenario, others, call, number, errno));
                }
            }
        }
    }

    @Override
    public String toString() {
        return scenario + ": " + call + " number " + number + (others ? " of other threads" : "") + " fails with "
            + RdmaException.errnoName(errno);
    }
}
