/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.testing.Campaign;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;


/** A key gives access to the bytes of its region and to none beside them, whatever address and length are asked for. */
@Timeout(180)
class BoundsPropertyTest {
    private static final int RUNS = 400;
    private static final int NEARBY = 3;

    @RegisterExtension
    static final Device DEVICE = new Device("emulated:bounds");

    @FuzzTest(maxDuration = "60s")
    void accessEndsWhereTheRegionDoes(final byte[] data) {
        run(new Choices(data));
    }

    @Campaign(value = "model", usual = RUNS)
    void accessEndsWhereTheRegionDoesForAnySeed(final long seed) {
        run(Choices.of(seed));
    }

    private static void run(final Choices choices) {
        try (Side near = new Side(DEVICE.context(), 1); Side far = new Side(DEVICE.context(), 2)) {
            Side.connect(near, far);
            final MemoryRegion source = near.register(0, Side.LENGTH);
            final MemoryRegion target = far.register(choices);
            final long address = address(choices, target);
            final int length = choices.oneIn(2) ? choices.below(Side.LENGTH) : length(choices, target, address);
            final boolean read = choices.oneIn(2);
            access(near, source, read ? SendOpcode.RDMA_READ : SendOpcode.RDMA_WRITE, address, length, target.rkey());
            final WcStatus status = Outcomes.await(near.cq, 1).list.get(0).status();
            final boolean inside = length == 0 || isInside(target, address, length);
            assertThat(status).as("0x%x+%d of %s", address, length, target)
                .isEqualTo(inside ? WcStatus.SUCCESS : WcStatus.REM_ACCESS_ERR);
            if (inside) {
                final int offset = length == 0 ? 0 : far.offsetOf(target) + (int) (address - target.iova());
                copyInModel(near, far, read, offset, length);
            }
            assertUntouched(near);
            assertUntouched(far);
        }
    }

    /** Mostly about where the region begins or ends, sometimes anywhere. */
    private static long address(final Choices choices, final MemoryRegion region) {
        final int nearby = choices.between(-NEARBY, NEARBY);
        return switch (choices.below(5)) {
            case 0 -> region.iova() + nearby;
            case 1 -> region.iova() + region.length() + nearby;
            case 2 -> region.iova() + choices.below((int) region.length());
            case 3 -> nearby;
            default -> ((long) choices.below(1 << 24) << 40) + nearby;
        };
    }

    /** One that ends about where the region does, if there is one. */
    private static int length(final Choices choices, final MemoryRegion region, final long address) {
        final long rest = region.iova() + region.length() - address + choices.between(-NEARBY, NEARBY);
        return rest < 0 || rest > Side.LENGTH ? 1 : (int) rest;
    }

    private static void access(final Side side, final MemoryRegion local, final SendOpcode opcode, final long address,
        final int length, final int rkey) {
        final SendRequest request = new SendRequest(1).opcode(opcode).remote(address, rkey)
            .sge(local.address(), length, local.lkey());
        assertThat(ReturnCode.nameOf(side.qp.postSend(request))).isEqualTo("OK");
    }

    private static boolean isInside(final MemoryRegion region, final long address, final int length) {
        return address >= region.iova() && address <= region.iova() + region.length() - length;
    }

    private static void copyInModel(
        final Side near, final Side far, final boolean read, final int offset, final int length) {
        if (read) {
            near.model.putBytes(0, far.model, offset, length);
        } else {
            far.model.putBytes(offset, near.model, 0, length);
        }
    }

    private static void assertUntouched(final Side side) {
        assertThat(side.bytes.compareTo(side.model)).as("memory differs from the model").isZero();
    }
}
