/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class ProcessorsTest {
    @TempDir
    private Path root;

    private void file(final String name, final String text) throws IOException {
        final Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<String> machine(
        final String allowed, final String online, final String isolated, final String governor) throws IOException {
        file("proc/self/status", "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + allowed + "\n");
        file("proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast 9000\n");
        file("sys/devices/system/cpu/online", online + "\n");
        file("sys/devices/system/cpu/isolated", isolated + "\n");
        for (int cpu = 0; cpu < 8 && governor != null; cpu++) {
            file("sys/devices/system/cpu/cpu" + cpu + "/cpufreq/scaling_governor", governor + "\n");
        }
        assertThat(Processors.of(root).model()).isEqualTo("Fast 9000");
        return Processors.of(root).advice(2);
    }

    @Test
    void saysWhatItFound() throws IOException {
        assertThat(machine("2-3", "0-7", "2-3", "performance")).containsExactly(
            "Processors: this process may run on 2,3 of 0,1,2,3,4,5,6,7; isolated: 2,3; governor: performance.");
    }

    @Test
    void isolatedProcessorsThatAreNotUsedAreNamed() throws IOException {
        assertThat(machine("0-1,4-7", "0-7", "2-3", "performance").get(1)).contains("taskset -c 2,3 ./rdma4j perf");
    }

    @Test
    void withoutIsolationItSaysHow() throws IOException {
        final List<String> advice = machine("0-7", "0-7", "", "powersave");
        assertThat(advice.get(0)).contains("isolated: none", "governor: powersave");
        assertThat(advice.get(1)).contains("isolcpus=", "taskset -c");
        assertThat(advice.get(2)).contains("cpupower frequency-set -g performance");
    }

    @Test
    void fewProcessorsAndOne() throws IOException {
        assertThat(machine("0-1", "0-1", "", null).get(1)).contains("2 processors are too few");
        assertThat(machine("5", "0-7", "", null).get(1)).contains("2 threads spin on 1 processor", "--one-thread");
    }

    @Test
    void aMachineThatTellsNothingIsNoFailure() {
        final Processors nothing = Processors.of(root.resolve("nowhere"));
        assertThat(nothing.advice(1).get(0)).isEqualTo(
            "Processors: this process may run on (unknown) of (unknown); isolated: none; governor: not visible here.");
    }

    @Test
    void garbageIsNoList() {
        assertThat(Processors.parse("x,1-,-3,99999,3-1").stream().toArray()).containsExactly(3);
        assertThat(Processors.parse("0-9999").cardinality()).isEqualTo(4097);
        assertThat(Processors.parse("").isEmpty()).isTrue();
    }
}
