/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Beside other classes: it sleeps for most of its time, and changes nothing that others look at. */
@Execution(ExecutionMode.CONCURRENT)
class HostCommandTest {
    private static final Duration LONG = Patience.duration();

    @Test
    void mixesErrorsIntoTheOutput() {
        final var outcome = HostCommand.run(null, LONG, List.of("sh", "-c", "echo out; echo err >&2; exit 4"));
        assertThat(outcome.exitCode()).isEqualTo(4);
        assertThat(outcome.succeeded()).isFalse();
        assertThat(outcome.text()).contains("out").contains("err");
    }

    @Test
    void keepsBinaryOutputApartFromErrors() {
        final var outcome = HostCommand.output(LONG, List.of("sh", "-c", "printf '\\001\\377'; echo err >&2"));
        assertThat(outcome.output()).containsExactly(1, -1);
    }

    @Test
    void saysNotFoundAsShellsDo() {
        assertThat(HostCommand.run(null, LONG, List.of("/nonexistent/program")).exitCode()).isEqualTo(127);
    }

    /** What the end of a shell is told with that runs too long, and has said something. */
    private static String killed(final String script, final Pattern said) {
        final Throwable thrown = Patience.cutOff(
            time -> catchThrowable(() -> HostCommand.run(null, time, List.of("sh", "-c", script))),
            seen -> said.matcher(String.valueOf(seen)).find());
        assertThat(thrown).isInstanceOf(IllegalStateException.class);
        return thrown.getMessage();
    }

    /** As the compilers of a build. */
    @Test
    void killsItsChildrenToo() {
        final Pattern said = Pattern.compile("it said: child (\\d+)");
        final String message = killed("sleep 600 & echo child $!; wait", said);
        final Matcher child = said.matcher(message);
        assertThat(child.find()).as(message).isTrue();
        assertThat(Patience.ends(Long.parseLong(child.group(1)))).as("%s ends", child.group()).isTrue();
    }

    @Test
    void killsWhatRunsTooLongAndShowsWhatItSaid() {
        assertThat(killed("echo working; exec sleep 600", Pattern.compile("it said: working"))).contains("sleep 600")
            .contains("it said: working");
    }
}
