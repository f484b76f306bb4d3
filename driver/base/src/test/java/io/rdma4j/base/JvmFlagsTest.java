/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a JVM needs, and how that is said. What a JVM without it says is tested with a sample. */
class JvmFlagsTest {
    @Test
    void eachJdkNeedsItsOwn() {
        assertThat(JvmFlags.flags("ALL-UNNAMED", 17))
            .containsExactly("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        assertThat(JvmFlags.flags("ALL-UNNAMED", 23)).hasSize(1);
        assertThat(JvmFlags.flags("ALL-UNNAMED", 24)).containsExactly(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");
        assertThat(JvmFlags.flags("org.agrona.core", 25)).startsWith(
            "--add-opens=java.base/jdk.internal.misc=org.agrona.core", "--enable-native-access=com.sun.jna");
    }

    @Test
    void theAdviceCanBePasted() {
        assertThat(JvmFlags.advice(List.of("--a=1")).lines()).containsExactly(
            "add them:",
            "  command line  java --a=1 ...",
            "  Surefire      <argLine>--a=1</argLine>",
            "  Gradle        jvmArgs(\"--a=1\")",
            "  manifest      Add-Opens: java.base/jdk.internal.misc");
        assertThat(JvmFlags.advice(List.of("--a=1", "--b")).lines()).contains(
            "  Gradle        jvmArgs(\"--a=1\", \"--b\")",
            "                Enable-Native-Access: ALL-UNNAMED");
    }

    @Test
    void otherFailuresAreNotOfFlags() {
        assertThat(JvmFlags.areMissing(new IllegalStateException(new IllegalCallerException()))).isFalse();
    }

    /** Nothing opens that package to the module of logging. */
    @Test
    void aModuleToWhichNothingIsOpenIsRefused() {
        final Class<?> named = java.util.logging.Logger.class;
        assertThatThrownBy(() -> JvmFlags.require("open device", named))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EPERM))
            .matches(JvmFlags::areMissing).matches(e -> JvmFlags.areMissing(new IllegalStateException(e)))
            .hasMessageStartingWith("open device failed: this JVM (Java ")
            .hasMessageContaining("--add-opens=java.base/jdk.internal.misc=java.logging");
    }
}
