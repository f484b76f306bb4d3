/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.base.LiveKind;
import io.rdma4j.fabric.live.AvKind;
import io.rdma4j.fabric.live.CacheKind;
import io.rdma4j.verbs.live.AhKind;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.MrKind;
import io.rdma4j.verbs.live.MwKind;
import io.rdma4j.verbs.live.PdKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;
import io.rdma4j.verbs.pvrdma.live.DeviceKind;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;
import io.rdma4j.verbs.pvrdma.live.GidKind;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Collectors;

/** What tools read in other processes has the codes and places that it always had. */
class KindsTest {
    static final List<LiveKind> ALL = List.of(DeviceKind.KIND, EventRingKind.KIND, GidKind.KIND, PdKind.KIND,
        MrKind.KIND, MwKind.KIND, CqKind.KIND, SrqKind.KIND, QpKind.KIND, AhKind.KIND, CacheKind.KIND, AvKind.KIND);

    /**
     * Behind the stroke are counters. Lines become longer, a dash may become a name, and there may be more lines;
     * nothing else changes.
     */
    @Test
    void namesInTheirPlaces() {
        assertThat(ALL.stream().map(KindsTest::line).collect(Collectors.joining("\n", "", "\n"))).isEqualTo("""
            1 DEVICE: version dsr_iova cmd_slot_iova resp_slot_iova ctl imr err uar_pfn state vectors |
            2 EVENT_RING: iova num_pages element_length pdir_dma |
            3 GID: gid_high gid_low type |
            4 PD: |
            5 MR: pd lkey rkey access iova length address pdir_dma pages flags |
            6 MW: pd rkey type |
            7 CQ: ring_iova ring_length cqes_offset cqe pdir_dma | polls empty_polls completions bytes_sent \
            bytes_received arms dropped - status_0 status_1 status_2 status_3 status_4 status_5 status_6 \
            status_7 status_8 status_9 status_10 status_11 status_12 status_13 status_14 status_15 status_16 \
            status_17 status_18 status_19 status_20 status_21 status_22 status_23
            8 SRQ: pd ring_iova ring_length rq_offset max_wr max_sge srq_limit pdir_dma | rq_posted rq_doorbells \
            rq_full rq_taken
            9 QP: qpn type state pd send_cq recv_cq srq ring_iova ring_length sq_offset sq_max_wr sq_max_sge \
            rq_offset rq_max_wr rq_max_sge dest_qpn pdir_dma path_mtu qkey sq_psn rq_psn inline_lkey | sq_posted \
            sq_doorbells sq_full - - - - - rq_posted rq_doorbells rq_full - - - - - sq_retired sq_skipped - - - - - - \
            rq_retired rq_skipped
            10 AH: pd port gid_index dgid_high dgid_low dlid sl hop_limit traffic_class |
            11 CACHE: max_cached_count max_cached_size | hits misses evictions invalidations cached_count \
            cached_size
            12 AV: type flags | addresses inserted removed failed
            """);
    }

    private static String line(final LiveKind kind) {
        return String.format("%d %s: %s | %s", kind.code(), kind, String.join(" ", kind.attributes()),
            kind.counters().stream().map(name -> name.isEmpty() ? "-" : name).collect(Collectors.joining(" ")))
            .strip().replace(":  |", ": |");
    }

    @Test
    void placesOfCountersThatBeginALine() {
        assertThat(List.of(QpKind.SQ_POSTED, QpKind.RQ_POSTED, QpKind.SQ_RETIRED, QpKind.RQ_RETIRED))
            .containsExactly(0, 8, 16, 24);
        assertThat(CqKind.STATUS).isEqualTo(8);
        assertThat(CqKind.KIND.counters()).hasSize(CqKind.STATUS + CqKind.STATUSES);
    }
}
