/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private static final Duration LONG = Duration.ofSeconds(20);

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

    /** As the compilers of a build. */
    @Test
    void killsItsChildrenToo() {
        assertThatThrownBy(() -> HostCommand.run(
            null, Duration.ofSeconds(5), List.of("sh", "-c", "sleep 60 & echo child $!; wait")))
            .isInstanceOfSatisfying(IllegalStateException.class, e -> {
                final Matcher child = Pattern.compile("it said: child (\\d+)").matcher(e.getMessage());
                assertThat(child.find()).as(e.getMessage()).isTrue();
                assertThat(Patience.ends(Long.parseLong(child.group(1)))).as("%s ends", child.group()).isTrue();
            });
    }

    @Test
    void killsWhatRunsTooLongAndShowsWhatItSaid() {
        assertThatThrownBy(() -> HostCommand.run(
            null, Duration.ofSeconds(5), List.of("sh", "-c", "echo working; exec sleep 60")))
            .isInstanceOf(IllegalStateException.class).hasMessageContaining("sleep 60").hasMessageContaining("working");
    }
}
