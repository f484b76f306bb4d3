/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class EndedTest {
    private static final Pattern CHILD = Pattern.compile("did not end in \\d+ s: child (\\d+)");

    /** One that prints nothing and has a child that keeps the output open. */
    @Test
    void aProgramThatDoesNotEndIsKilledAtItsDeadline() {
        final List<String> command = List.of("sh", "-c", "sleep 600 & echo child $!; wait");
        final Throwable thrown = Patience.cutOff(time -> catchThrowable(() -> Ended.of(command, time)),
            seen -> CHILD.matcher(String.valueOf(seen)).find());
        assertThat(thrown).isInstanceOf(IOException.class);
        final Matcher child = CHILD.matcher(thrown.getMessage());
        assertThat(child.find()).as(thrown.getMessage()).isTrue();
        assertThat(Patience.ends(Long.parseLong(child.group(1)))).as("%s ends", child.group()).isTrue();
    }

    @Test
    void takesAllThatAProgramPrints() throws IOException, InterruptedException {
        assertThat(Ended.of(List.of("seq", "100000")).lines()).hasSize(100_000)
            .endsWith("100000");
    }
}
