/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.testing.Loopback;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import java.util.stream.Stream;

/**
 * The suite on emulated devices whose messages are packets: over UDP on loopback, over shared memory, and over a UDP
 * that loses, repeats and reorders.
 */
class WireConformanceTest {
    private static final String ONE = "emulated:wire?shortcut=false&";
    /** What carries messages from one queue pair to another; what is about one end alone is tried elsewhere. */
    private static final String[] OF_MESSAGES = {"rc.", "ud.", "srq.", "write.", "read.", "atomic.", "masked.",
        "window.", "inv.", "retry.", "protect.", "state.", "paging.", "rdm.", "datagram.", "load.",
        "order.", "notify."};
    /**
     * What succeeds, however often packets are lost. A refusal is said once, by a queue pair that is silent from then
     * on (specification, 10.3.1.7): where it is lost, the sender gives up instead.
     */
    private static final String[] DESPITE_LOSS = {"rc.every", "rc.e", "rc.batches", "rc.both", "rc.pingPong",
        "rc.completes", "rc.immediate", "rc.unsignaled", "write.", "read.", "atomic.compareAndSwap",
        "atomic.fetchAndAdd", "atomic.order", "atomic.severalQps", "atomic.lock", "load.", "rdm.message", "rdm.ranks",
        "order.", "notify."};

    private static String udp(final int host) {
        return "wire=udp&address=" + Loopback.address(host);
    }

    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> overUdp() {
        return EmulatedConformanceTest.patientSuite("emulated:near?shortcut=false&" + udp(2),
            "emulated:far?shortcut=false&" + udp(3), OF_MESSAGES);
    }

    @TestFactory
    Stream<DynamicTest> overSharedMemory() {
        return EmulatedConformanceTest.patientSuite("emulated:near?shortcut=false&wire=shm",
            "emulated:far?shortcut=false&wire=shm", OF_MESSAGES);
    }

    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> withItself() {
        return EmulatedConformanceTest.patientSuite(ONE + "wire=shm", null, "rc.", "ud.", "write.", "read.", "atomic.",
            "notify.");
    }

    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> despiteLoss() {
        return EmulatedConformanceTest.patientSuite(
            ONE + udp(4) + "&loss=drop:1,duplicate:1,reorder:1,seed:11", null, DESPITE_LOSS);
    }

    @Tag("thorough")
    @TestFactory
    Stream<DynamicTest> despiteDamage() {
        return EmulatedConformanceTest.patientSuite(
            ONE + udp(5) + "&mtu=3&loss=corrupt:1,delay:2,us:300,seed:12", null, "rc.every", "rc.pingPong",
            "write.every", "read.every", "load.", "order.", "notify.");
    }
}
