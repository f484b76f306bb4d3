/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Feature;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What devices of some drivers do otherwise than the InfiniBand specification says; docs/judged.md has the rules. */
enum Quirk {
    /** Local protection and length errors, of sends and receives, on either side. */
    VAGUE_LOCAL_ERRORS("local-errors-are-qp-operation-errors", "rxe",
        "says LOC_QP_OP_ERR of requests whose elements have a wrong key, bounds, domain or rights, or a receive that is "
            + "too short, and tells the peer REM_OP_ERR"),
    /** There are none of QP_FATAL, QP_REQ_ERR and QP_ACCESS_ERR. */
    NO_QP_ERROR_EVENTS("no-events-of-failed-qps", "rxe",
        "raises no asynchronous event for a QP that goes to the error state, as when it refuses a peer",
        Feature.QP_ERROR_EVENTS),
    /** A receive is only seen when a message, or a change of state, comes. */
    LATE_RECEIVES_STAY("receives-in-err-are-not-flushed", "rxe",
        "does not flush a receive that is posted when the QP is in the error state; the driver moves the QP from ERR to "
            + "ERR each time, and then it does"),
    /** Without our own check, and a region of zeroes, the process would crash. */
    UNBIND_READS_REGION("unbinding-reads-a-region", "rxe",
        "has a library that reads the region of a window of type 1 also when it is bound to nothing, where there is none; "
            + "the driver gives it an empty one"),
    /** The library refuses; no packet is sent. */
    ATOMICS_CHECKED_BY_LIBRARY("misaligned-atomics-are-not-posted", "rxe",
        "has a library that refuses to post an atomic whose remote address is no multiple of 8, where the peer should"),
    /** As table "responder error behavior" of the specification says: an operation that the QP is not set up for. */
    QP_RIGHTS_ARE_REQUESTS("missing-right-of-the-qp-is-an-invalid-request", "rxe",
        "answers an operation that the QP does not allow as an invalid request, not as a violation of access"),
    /** Linux 6.1, rxe_resp.c, check_rkey. */
    WINDOW_BOUNDS("windows-reach-all-of-their-region", "rxe",
        "compares what a peer asks for through a memory window with the bounds of the region, not those of the window"),
    /** Index in the upper 24 bits, which counts up. */
    KEYS_COUNT_UP("keys-count-up", "rxe", "gives keys one after the other", Feature.KEYS_NOT_REUSED),
    /** Everything but SoftRoCE. */
    NIC_STORES("memory-written-by-the-nic", null,
        "writes memory past the processor's page tables", Feature.PROCESSOR_STORES);

    private static final String RXE = "rxe";

    private final String title;
    private final String driver;
    private final String description;
    private final Set<Feature> features;

    Quirk(final String title, final String driver, final String description, final Feature... features) {
        this.title = title;
        this.driver = driver;
        this.description = description;
        this.features = Set.of(features);
    }

    /** Those of a driver. */
    static List<Quirk> of(final String driver) {
        return Stream.of(values())
            .filter(quirk -> quirk.driver == null ? !RXE.equals(driver) : quirk.driver.equals(driver)).toList();
    }

    String title() {
        return title;
    }

    String description() {
        return description;
    }

    Set<Feature> features() {
        return features;
    }
}
