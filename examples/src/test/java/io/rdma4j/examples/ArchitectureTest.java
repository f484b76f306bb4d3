/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Examples are what an application can write: they know the public interfaces and nothing behind them. */
@AnalyzeClasses(packages = "io.rdma4j.examples")
class ArchitectureTest {
    @ArchTest
    static final ArchRule EXAMPLES_KNOW_THE_PUBLIC_INTERFACES = noClasses().should()
        .dependOnClassesThat(resideInAPackage("io.rdma4j..").and(DescribedPredicate.not(resideInAnyPackage(
            "io.rdma4j", "io.rdma4j.fabric", "io.rdma4j.verbs", "io.rdma4j.examples"))));

    @ArchTest
    static final ArchRule EXAMPLES_MAKE_NO_SYSTEM_CALLS = noClasses().should()
        .dependOnClassesThat().resideInAnyPackage("com.sun.jna..", "sun.misc..", "jdk.internal..");
}
