/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_FENCE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWirePair;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A request does not ask for an acknowledgement if another one is to follow, which then is never sent. Its peer has
 * taken it; so it is over without a timeout. Nobody serves the wires but the test.
 */
@Timeout(120)
class AskedAfterAllTest {
    /** Hours. */
    private static final int LONGEST = 31;
    private static final int PAGE = 4096;
    /** More packets than may be under way where payload is carried. */
    private static final int LONG = 192 * 1024;
    private static final int TURNS = 4;

    private final RawWirePair pair = new RawWirePair("asked");
    private final RawRegion source = pair.left.registerInOne(LONG, RawPair.ALL);
    private final RawRegion target = pair.right.registerInOne(LONG, RawPair.ALL);

    /** A first message, after which each end knows the other. */
    AskedAfterAllTest() {
        pair.a.timeout = LONGEST;
        RawQp.connect(pair.a, pair.b);
        source.fill(1);
        write(100, source.start(), 1, source.lkey);
        pair.a.ringSend();
        assertThat(serve()).containsExactly(success(100));
    }

    @AfterEach
    void close() {
        assertThat(pair.left.device().counters().get(Counter.RETRIES)).as(pair.left.device()::describe).isZero();
        pair.close();
    }

    private void read(long wrId) {
        pair.a.write(w -> w.send(wrId, PVRDMA_WR_RDMA_READ, PVRDMA_SEND_SIGNALED).rdma(target.start(), target.rkey)
            .sge(source.start(), 64, source.lkey));
    }

    private void write(long wrId, long address, int length, int lkey) {
        pair.a.write(w -> w.send(wrId, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(target.start(), target.rkey)
            .sge(address, length, lkey));
    }

    /** Each end has its turn a few times; what has completed. */
    private List<String> serve() {
        for (int i = 0; i < TURNS; i++) {
            pair.right.device().service();
            pair.left.device().service();
        }
        final List<String> all = new ArrayList<>();
        for (RawCq.Completion each = pair.leftCq.poll(); each != null; each = pair.leftCq.poll()) {
            all.add(ended(each.wrId(), each.status()));
        }
        return all;
    }

    private static String ended(long wrId, int status) {
        return wrId + " " + WcStatus.NAMES.of(status);
    }

    private static String success(long wrId) {
        return ended(wrId, WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void whatFollowsHasAKeyOfNothing() {
        read(1);
        write(2, source.start(), 64, source.lkey);
        write(3, source.start(), 64, source.lkey + 1);
        pair.a.ringSend();
        assertThat(serve()).containsExactly(success(1), success(2), ended(3, WcStatus.PVRDMA_WC_LOC_PROT_ERR));
    }

    /** It has begun, but so much is under way that it has to wait; meanwhile its region goes. */
    @Test
    void whatFollowsLosesItsRegionWhileItWaits() {
        final RawRegion gone = pair.left.register(500, 0);
        write(1, source.start(), LONG, source.lkey);
        write(2, source.start(), 2048, source.lkey);
        write(3, gone.start(), 64, gone.lkey);
        pair.a.ringSend();
        pair.right.device().service();
        assertThat(pair.left.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        assertThat(serve()).containsExactly(success(1), success(2), ended(3, WcStatus.PVRDMA_WC_LOC_PROT_ERR));
    }

    /** Its packet had asked, but did not go. */
    @Test
    void whatFollowsHasNoMemory() {
        final long nothing = Libc.mmap(0, PAGE, LibcConstants.PROT_NONE,
            LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS, -1, 0);
        try (DmaMapping mapping = pair.left.pci.dma().mapOnDemand(nothing, PAGE)) {
            final long pdir = pair.left.pdir(mapping.iova());
            final CreateMrResponse region = new CreateMrResponse().wrap(pair.left.ok(Command.CREATE_MR,
                b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, pair.left.pd)
                    .set(CreateMrRequest.START, nothing).set(CreateMrRequest.LENGTH, PAGE)
                    .set(CreateMrRequest.ACCESS_FLAGS, AccessFlags.PVRDMA_ACCESS_ON_DEMAND)
                    .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, 1)), 0);
            write(1, source.start(), 64, source.lkey);
            write(2, nothing, 64, region.get(CreateMrResponse.LKEY));
            pair.a.ringSend();
            assertThat(serve()).containsExactly(success(1), ended(2, WcStatus.PVRDMA_WC_LOC_PROT_ERR));
        } finally {
            Libc.munmap(nothing, PAGE);
        }
    }

    /** A fence holds it back until the READ is over, and then nothing begins any more. */
    @ParameterizedTest
    @ValueSource(ints = {64, 20 * 1024})
    void whatFollowsIsHeldBackByTheStepToSqd(int length) {
        final RawRegion scattered = pair.left.register(length, AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE);
        final RawEvents events = new RawEvents(pair.left);
        read(1);
        write(2, scattered.start(), length, scattered.lkey);
        pair.a.write(w -> w.send(3, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED | PVRDMA_SEND_FENCE)
            .rdma(target.start(), target.rkey).sge(source.start(), 64, source.lkey));
        pair.a.ringSend();
        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY,
            attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_SQD).set(QpAttr.EN_SQD_ASYNC_NOTIFY, 1))).isZero();
        assertThat(events.poll()).isNull();

        assertThat(serve()).containsExactly(success(1), success(2));

        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SQ_DRAINED, pair.a.handle));
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();
        assertThat(serve()).containsExactly(success(3));
    }
}
