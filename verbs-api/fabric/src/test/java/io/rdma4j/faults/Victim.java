/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import io.rdma4j.driver.libc.SystemFaults;
import io.rdma4j.testing.LineProcess;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that is killed at one of its system calls: it kills itself before it makes that one. */
final class Victim extends LineProcess {
    private Victim(final List<String> options, final String... args) throws IOException {
        super(Victim.class, options, args);
    }

    /**
     * Runs a scenario until that call.
     *
     * @return false if it went to its end, as it makes fewer calls.
     */
    static boolean isKilled(
        final Scenario scenario, final String name, final boolean others, final int number, final Path folders)
        throws IOException {
        final List<String> options = new ArrayList<>(List.of("-Xmx128m"));
        FaultsTest.FOLDERS.forEach(each -> options.add("-D" + each + '=' + folders.resolve(each)));
        try (Victim victim = new Victim(options, scenario.name(), name, Boolean.toString(others),
            Integer.toString(number))) {
            final String said = victim.answerOrEnd();
            if (said != null && !said.equals("went well")) {
                throw new AssertionError(scenario + " in another process: " + said);
            }
            return said == null;
        }
    }

    /**
     * In that process.
     *
     * @param args the scenario, the name of the run, whose call, and which.
     */
    public static void main(final String[] args) {
        String said = "went well";
        try (SystemFaults killing =
            SystemFaults.killing(Boolean.parseBoolean(args[2]), Integer.parseInt(args[3]))) {
            Scenario.valueOf(args[0]).run(args[1]);
            said += !killing.hasFailed() ? "" : ", but a call failed";
        } catch (final RuntimeException | Error e) {
            said = e.toString().replace('\n', ' ');
        }
        System.out.println(said);
    }
}
