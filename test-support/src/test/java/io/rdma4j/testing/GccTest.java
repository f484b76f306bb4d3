/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GccTest {
    /** One that prints nothing and has a child that keeps the output open. */
    @Test
    void aProgramThatDoesNotEndIsKilledAtItsDeadline() {
        final List<String> command = List.of("sh", "-c", "sleep 60 & echo child $!; wait");
        assertThatThrownBy(() -> Gcc.run(command, Duration.ofSeconds(3))).isInstanceOfSatisfying(IOException.class,
            e -> {
                final Matcher child = Pattern.compile("did not end in 3 s: child (\\d+)").matcher(e.getMessage());
                assertThat(child.find()).as(e.getMessage()).isTrue();
                assertThat(Patience.ends(Long.parseLong(child.group(1)))).as("%s ends", child.group()).isTrue();
            });
    }

    @Test
    void takesAllThatAProgramPrints() throws IOException, InterruptedException {
        assertThat(Gcc.run(List.of("seq", "100000"), Patience.duration()).lines()).hasSize(100_000)
            .endsWith("100000");
    }
}
