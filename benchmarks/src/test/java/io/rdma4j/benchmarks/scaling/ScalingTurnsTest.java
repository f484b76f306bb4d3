/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Few and many are measured in turns: what is compared is then of the same minutes of the machine, and of the same
 * compiled code.
 */
@Tag("slow")
@Timeout(300)
class ScalingTurnsTest {
    private static final int TURNS = 2;

    private final ScalingSamples samples = new ScalingSamples();

    private List<String> inOrder(final String... wanted) {
        return samples.lines().stream().map(line -> line.split(" ")[1]).filter(List.of(wanted)::contains).toList();
    }

    @Test
    void regions() throws Exception {
        new ScalingRegions(samples, TURNS, true).run();
        final String few = "regions.1.packed.random.one";
        final String many = "regions.10000.packed.random.one";
        assertThat(inOrder(few, many)).containsExactly(few, many, few, many);
    }

    @Test
    void connections() throws Exception {
        new ScalingConnections(samples, TURNS, true).run();
        final String few = "qps.1.random.send";
        final String many = "qps.1024.random.send";
        assertThat(inOrder(few, many)).containsExactly(few, many, few, many);
    }
}
