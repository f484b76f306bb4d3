/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.testing.OtherJvm;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Variables of the environment, in processes that really have them. */
@Tag("slow")
class EnvironmentTest {
    private static final int LONGEST_SECONDS = 50;

    @TempDir
    Path folder;

    /** Says whether memory of accelerators is offered, and whether a domain has a cache that is on. */
    public static void main(final String[] arguments) {
        System.out.println("hmem " + told(() -> Fabrics.getInfo(new Hints().address("emulated:environment")
            .capabilities(Capability.MSG, Capability.HMEM).mrMode(MrMode.HMEM)).size()));
        System.out.println("cache " + told(EnvironmentTest::cache));
    }

    private static Object cache() {
        final FabricInfo info = Fabrics.getInfo(new Hints().address("emulated:environment")).get(0);
        try (Fabric fabric = Fabrics.open(info); Domain domain = fabric.openDomain(info)) {
            return domain.cache().isEnabled();
        }
    }

    private static String told(final Supplier<Object> question) {
        try {
            return String.valueOf(question.get());
        } catch (final FabricException e) {
            return FiErrno.name(e.errno()) + " " + e.getMessage();
        }
    }

    private List<String> with(final String variable, final String value) throws IOException, InterruptedException {
        final Path output = folder.resolve("output");
        final ProcessBuilder builder = new ProcessBuilder(OtherJvm.command(List.of(), EnvironmentTest.class))
            .redirectErrorStream(true).redirectOutput(output.toFile());
        if (variable != null) {
            builder.environment().put(variable, value);
        }
        final Process process = builder.start();
        try {
            assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).as("ends: %s", Files.readString(output))
                .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readAllLines(output).stream()
            .filter(line -> line.startsWith("hmem ") || line.startsWith("cache ")).toList();
    }

    @Test
    void withoutVariablesAllIsOffered() throws Exception {
        assertThat(with(null, null)).containsExactly("hmem 1", "cache true");
    }

    @Test
    void peerToPeerIsForbiddenByAVariable() throws Exception {
        assertThat(with("FI_HMEM_DISABLE_P2P", "1").get(0)).startsWith("hmem FI_ENODATA");
    }

    @Test
    void theCacheIsSwitchedOffByAVariable() throws Exception {
        assertThat(with("FI_MR_CACHE_MONITOR", "disabled").get(1)).isEqualTo("cache false");
    }

    @Test
    void aBadVariableIsNamed() throws Exception {
        assertThat(with("FI_MR_CACHE_MAX_COUNT", "many").get(1)).contains("FI_EINVAL", "FI_MR_CACHE_MAX_COUNT", "many");
    }
}
