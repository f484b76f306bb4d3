/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import org.junit.jupiter.api.Test;

/** Each room of the device knows only those below it. */
class RoomsTest {
    @Test
    void dependInOneDirection() {
        // ArchUnit's own option knows target/test-classes alone: the other JDK's classes are in another folder.
        final ImportOption noTests = location -> !location.contains("/test-classes/");
        final JavaClasses classes = new ClassFileImporter().withImportOption(noTests)
            .importPackages("io.rdma4j.device");
        assertThat(classes.contain(RoomsTest.class)).isFalse();
        layeredArchitecture().consideringOnlyDependenciesInLayers()
            .layer("device").definedBy("io.rdma4j.device")
            .layer("front").definedBy("io.rdma4j.device.front")
            .layer("engine").definedBy("io.rdma4j.device.engine")
            .layer("link").definedBy("io.rdma4j.device.link")
            .layer("memory").definedBy("io.rdma4j.device.memory")
            .layer("common").definedBy("io.rdma4j.device.common")
            .whereLayer("device").mayNotBeAccessedByAnyLayer()
            .whereLayer("front").mayOnlyBeAccessedByLayers("device")
            .whereLayer("engine").mayOnlyBeAccessedByLayers("device", "front")
            .whereLayer("link").mayOnlyBeAccessedByLayers("device", "engine")
            .whereLayer("memory").mayOnlyBeAccessedByLayers("device", "front", "engine", "link")
            .check(classes);
    }
}
