/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.rdma4j.base.LiveKind;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.spi.FabricProvider;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.spi.VerbsProvider;

import java.util.ArrayList;
import java.util.List;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** The house, as docs/adr/0001 draws it: who may know whom. Here, because all modules are on this class path. */
@ArchTag("sources")
@AnalyzeClasses(packages = "io.rdma4j", importOptions = ArchitectureTest.NoTests.class)
class ArchitectureTest {
    private static final String OURS = "io.rdma4j..";
    private static final String HW = "io.rdma4j.hw..";
    private static final String QUEUES = "io.rdma4j.queues..";
    private static final String ERRORS = "io.rdma4j";
    /** What everybody may know. */
    private static final String BASE = "io.rdma4j.base";
    private static final String DRIVER = "io.rdma4j.driver..";
    private static final String DEVICE = "io.rdma4j.device..";
    private static final String VERBS = "io.rdma4j.verbs..";
    private static final String FABRIC = "io.rdma4j.fabric..";
    private static final String FABRIC_API = "io.rdma4j.fabric";
    private static final String MEMORY = "io.rdma4j.driver.memory";
    private static final String STATE = "io.rdma4j.driver.state";
    private static final String WAIT = "io.rdma4j.driver.wait";
    private static final String TOOLS = "io.rdma4j.tools..";
    private static final String SERVER = "io.rdma4j.device.vfiouser";
    private static final String IBVERBS = "io.rdma4j.verbs.ibv..";
    private static final String IBVERBS_CALLS = "io.rdma4j.verbs.ibv.lib";
    private static final String HOST = "io.rdma4j.driver.sysfs";
    private static final String[] INSIDE = {"io.rdma4j.driver.live", "io.rdma4j.driver.pci",
        "io.rdma4j.verbs.pvrdma.device", "io.rdma4j.verbs.pvrdma", "io.rdma4j.verbs.pvrdma.trace",
        "io.rdma4j.verbs.pvrdma.live", "io.rdma4j.fabric.live", "io.rdma4j.verbs.live"};
    private static final String[] PUBLIC_API = {"io.rdma4j.verbs", "io.rdma4j.verbs.spi"};

    @ArchTest
    static final ArchRule LAYOUTS_KNOW_NOTHING_OF_OURS = only(HW).mayKnow(HW);

    @ArchTest
    static final ArchRule BASE_KNOWS_ERRORS = only(BASE, ERRORS).mayKnow(ERRORS);

    @ArchTest
    static final ArchRule QUEUES_KNOW_LAYOUTS = only(QUEUES).mayKnow(QUEUES, HW);

    @ArchTest
    static final ArchRule DRIVER_KNOWS_LAYOUTS_AND_NOT_QUEUES = only(DRIVER, ERRORS).mayKnow(DRIVER, ERRORS, HW);

    @ArchTest
    static final ArchRule DEVICE_KNOWS_THE_SEAM_AND_THE_RINGS =
        only(DEVICE).mayKnow(DEVICE, DRIVER, ERRORS, QUEUES, HW);

    @ArchTest
    static final ArchRule VERBS_JOIN_DRIVER_AND_QUEUES = only(VERBS).mayKnow(VERBS, DRIVER, ERRORS, QUEUES, HW);

    @ArchTest
    static final ArchRule IBVERBS_KNOWS_NEITHER_PCI_NOR_PVRDMA = only(IBVERBS).mayKnow(
        IBVERBS, PUBLIC_API[0], PUBLIC_API[1], ERRORS, "io.rdma4j.driver.libc", MEMORY, INSIDE[0], INSIDE[7]);

    @ArchTest
    static final ArchRule FABRIC_IS_WRITTEN_AGAINST_THE_PUBLIC_API_WATCHES_MEMORY_WAITS_AND_SHARES_FILES =
        only(FABRIC).mayKnow(FABRIC, ERRORS, PUBLIC_API[0], PUBLIC_API[1], MEMORY, WAIT,
            STATE);

    @ArchTest
    static final ArchRule FABRIC_API_KNOWS_NOTHING_OF_ITS_IMPLEMENTATION =
        only(FABRIC_API, "io.rdma4j.fabric.spi").mayKnow(
            FABRIC_API, "io.rdma4j.fabric.spi", ERRORS, PUBLIC_API[0], PUBLIC_API[1]);

    @ArchTest
    static final ArchRule FABRIC_NAMES_ARE_NEUTRAL_OF_THE_DEVICE = classes().that().resideInAPackage(FABRIC)
        .and().haveModifier(JavaModifier.PUBLIC).should().haveNameNotMatching("(?i).*pvrdma.*");

    @ArchTest
    static final ArchRule TOOLS_ARE_WRITTEN_AGAINST_THE_PUBLIC_API_ADMINISTER_THE_HOST_SERVE_DEVICES_AND_LOOK_INSIDE =
        only(TOOLS).mayKnow(TOOLS, ERRORS, PUBLIC_API[0], PUBLIC_API[1], FABRIC_API, HOST, HW, INSIDE[0], INSIDE[1],
            INSIDE[2], INSIDE[3], INSIDE[4], INSIDE[5], INSIDE[6], INSIDE[7], STATE, SERVER);

    @ArchTest
    static final ArchRule PUBLIC_API_IS_NEUTRAL_OF_THE_DEVICE = noClasses().that().resideInAnyPackage(PUBLIC_API)
        .should().dependOnClassesThat(resideInAPackage(OURS).and(DescribedPredicate.not(
            resideInAnyPackage(ERRORS, BASE, PUBLIC_API[0], PUBLIC_API[1]))));

    @ArchTest
    static final ArchRule PUBLIC_NAMES_ARE_NEUTRAL_OF_THE_DEVICE = classes().that().resideInAnyPackage(PUBLIC_API)
        .and().haveModifier(JavaModifier.PUBLIC).should().haveNameNotMatching("(?i).*pvrdma.*");

    @ArchTest
    static final ArchRule JNA_STAYS_WITH_THE_SYSTEM_CALLS = noClasses().that()
        .resideOutsideOfPackages("io.rdma4j.driver.libc..", "io.rdma4j.driver.vfio..", IBVERBS_CALLS)
        .should().dependOnClassesThat().resideInAPackage("com.sun.jna..");

    @ArchTest
    static final ArchRule CHRONICLE_STAYS_IN_ITS_BRIDGE = noClasses().that()
        .resideOutsideOfPackages("io.rdma4j.verbs.chronicle..", "io.rdma4j.tools.chronicle..")
        .should().dependOnClassesThat().resideInAPackage("net.openhft..");

    @ArchTest
    static final ArchRule ONLY_TOOLS_PRINT = noClasses().that().resideOutsideOfPackage(TOOLS)
        .should(ACCESS_STANDARD_STREAMS);

    @ArchTest
    static final ArchRule ONLY_MAIN_ENDS_THE_PROCESS = noClasses().that().doNotBelongToAnyOf(Main.class)
        .should().callMethod(System.class, "exit", int.class)
        .orShould().callMethod(Runtime.class, "exit", int.class)
        .orShould().callMethod(Runtime.class, "halt", int.class);

    @ArchTest
    static final ArchRule LOGGING_IS_SYSTEM_LOGGER = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES = slices().matching("io.rdma4j.(**)").should().beFreeOfCycles()
        .ignoreDependency(RdmaDevices.class, VerbsProvider.class)
        .ignoreDependency(Fabrics.class, FabricProvider.class)
        .because("only the lists of devices may look back, to ask the providers through the service loader");

    @ArchTest
    static final ArchRule KINDS_OF_OBJECTS_ARE_DEFINED_BY_THEIR_OWNERS = noFields().that().areStatic()
        .and().haveRawType(LiveKind.class).should().beDeclaredInClassesThat().resideInAnyPackage(BASE, DRIVER)
        .because("what publishes objects for others does not know what they are");

    /** A reader has nothing but the code to tell an object by. */
    @ArchTest
    static void kindsHaveCodesAndNamesOfTheirOwn(final JavaClasses all) throws ReflectiveOperationException {
        final List<LiveKind> kinds = new ArrayList<>();
        for (final JavaClass each : all) {
            for (final JavaField field : each.getFields()) {
                if (field.getModifiers().contains(JavaModifier.STATIC)
                    && field.getRawType().isEquivalentTo(LiveKind.class)) {
                    kinds.add((LiveKind) field.reflect().get(null));
                }
            }
        }
        assertThat(kinds).hasSizeGreaterThan(1);
        assertThat(kinds).extracting(LiveKind::code).doesNotHaveDuplicates();
        assertThat(kinds).extracting(LiveKind::name).doesNotHaveDuplicates();
    }

    private static Layer only(final String... packages) {
        return new Layer(packages);
    }

    /** Packages, and what of ours they may depend on. */
    private record Layer(String... packages) {
        ArchRule mayKnow(final String... known) {
            return noClasses().that().resideInAnyPackage(packages).should()
                .dependOnClassesThat(resideInAPackage(OURS).and(DescribedPredicate.not(resideInAnyPackage(known)))
                    .and(DescribedPredicate.not(resideInAPackage(BASE))))
                .because("only these may be known: " + String.join(", ", known));
        }
    }

    /** Wherever a build puts its test classes; what runs them is none of the product. */
    static final class NoTests implements ImportOption {
        @Override
        public boolean includes(final Location location) {
            return !location.contains("/test-classes/") && !location.contains("/io/rdma4j/testing/");
        }
    }
}
