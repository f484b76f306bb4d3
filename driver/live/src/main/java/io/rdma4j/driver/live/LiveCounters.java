/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.util.ArrayList;
import java.util.List;

/**
 * The places of counters, by kind of object. Each counter has one writer at a time, which stores totals; a reader may
 * be a little late, and never sees half a number.
 */
public final class LiveCounters {
    /** How many counters an object has room for. */
    public static final int MAX = 32;

    private LiveCounters() {
    }

    /** A completion queue; written by the thread that polls. */
    public static final class Cq {
        /** {@code polls}. */
        public static final int POLLS = 0;
        /** {@code empty_polls}. */
        public static final int EMPTY_POLLS = 1;
        /** {@code completions}. */
        public static final int COMPLETIONS = 2;
        /** {@code bytes_sent}. */
        public static final int BYTES_SENT = 3;
        /** {@code bytes_received}. */
        public static final int BYTES_RECEIVED = 4;
        /** {@code arms}. */
        public static final int ARMS = 5;
        /** {@code dropped}. */
        public static final int DROPPED = 6;
        /**
         * Completions of status 0; that of status {@code n} is {@code n} places behind. The status is the device's,
         * {@code io.rdma4j.hw.pvrdma.WcStatus}; there are {@value #STATUSES}.
         */
        public static final int STATUS = 8;
        /** How many of them there are; all higher ones are counted with the last. */
        public static final int STATUSES = 24;
        /** Their names; those of statuses are {@code status_0} and so on. */
        public static final List<String> NAMES = names();

        private static List<String> names() {
            final List<String> names = new ArrayList<>(List.of(
                "polls", "empty_polls", "completions", "bytes_sent", "bytes_received", "arms", "dropped", ""));
            for (int status = 0; status < STATUSES; status++) {
                names.add("status_" + status);
            }
            return List.copyOf(names);
        }

        private Cq() {
        }
    }

    /**
     * A queue pair. Each writer has a cache line: who posts sends, who posts receives, who polls for sends, and who
     * polls for receives. The posted and retired ones are sequence numbers of the queues, whose slots are their low
     * bits.
     */
    public static final class Qp {
        /** Sends shown to the device, by number. */
        public static final int SQ_POSTED = 0;
        /** Doorbells of the send queue. */
        public static final int SQ_DOORBELLS = 1;
        /** Sends refused because the queue was full. */
        public static final int SQ_FULL = 2;
        /** Receives shown to the device, by number. */
        public static final int RQ_POSTED = 8;
        /** Doorbells of the receive queue. */
        public static final int RQ_DOORBELLS = 9;
        /** Receives refused because the queue was full. */
        public static final int RQ_FULL = 10;
        /** Sends below this number are completed. */
        public static final int SQ_RETIRED = 16;
        /** Receives below this number are completed. */
        public static final int RQ_RETIRED = 24;
        /** Their names; places without one are empty. */
        public static final List<String> NAMES = List.of("sq_posted", "sq_doorbells", "sq_full", "", "", "", "", "",
            "rq_posted", "rq_doorbells", "rq_full", "", "", "", "", "", "sq_retired", "", "", "", "", "", "", "",
            "rq_retired");

        private Qp() {
        }
    }

    /** A shared receive queue; written by the thread that posts. */
    public static final class Srq {
        /** {@code rq_posted}. */
        public static final int RQ_POSTED = 0;
        /** {@code rq_doorbells}. */
        public static final int RQ_DOORBELLS = 1;
        /** {@code rq_full}. */
        public static final int RQ_FULL = 2;
        /** {@code rq_taken}. */
        public static final int RQ_TAKEN = 3;
        /** Their names. */
        public static final List<String> NAMES = List.of("rq_posted", "rq_doorbells", "rq_full", "rq_taken");

        private Srq() {
        }
    }

    /** A registration cache. */
    public static final class Cache {
        /** {@code hits}. */
        public static final int HITS = 0;
        /** {@code misses}. */
        public static final int MISSES = 1;
        /** {@code evictions}. */
        public static final int EVICTIONS = 2;
        /** {@code invalidations}. */
        public static final int INVALIDATIONS = 3;
        /** {@code cached_count}. */
        public static final int CACHED_COUNT = 4;
        /** {@code cached_size}. */
        public static final int CACHED_SIZE = 5;
        /** Their names. */
        public static final List<String> NAMES = List.of("hits", "misses", "evictions", "invalidations",
            "cached_count", "cached_size");

        private Cache() {
        }
    }

    /** An address vector. */
    public static final class Av {
        /** {@code addresses}. */
        public static final int ADDRESSES = 0;
        /** {@code inserted}. */
        public static final int INSERTED = 1;
        /** {@code removed}. */
        public static final int REMOVED = 2;
        /** {@code failed}. */
        public static final int FAILED = 3;
        /** Their names. */
        public static final List<String> NAMES = List.of("addresses", "inserted", "removed", "failed");

        private Av() {
        }
    }
}
