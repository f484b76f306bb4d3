/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Numbers of the interface against those of the device. */
class MappingTest {
    @ParameterizedTest
    @CsvSource({"SEND, 2", "SEND_WITH_IMM, 3", "SEND_WITH_INV, 8", "RDMA_WRITE, 0", "RDMA_WRITE_WITH_IMM, 1",
        "RDMA_READ, 4", "ATOMIC_CMP_AND_SWP, 5", "ATOMIC_FETCH_AND_ADD, 6", "RDMA_READ_WITH_INV, 9", "LOCAL_INV, 10",
        "FAST_REG_MR, 11", "MASKED_ATOMIC_CMP_AND_SWP, 12", "MASKED_ATOMIC_FETCH_AND_ADD, 13", "BIND_MW, 14"})
    void mapsOpcodesOfRequests(final SendOpcode opcode, final int wire) {
        assertThat(Opcodes.wire(opcode)).isEqualTo(wire);
        assertThat(WrOpcode.NAMES.of(wire)).isEqualTo(opcode.name());
    }

    @Test
    void everyOperationHasANumberOfItsOwn() {
        assertThat(Arrays.stream(SendOpcode.values()).mapToInt(Opcodes::wire).distinct().count())
            .isEqualTo(SendOpcode.values().length);
    }

    @ParameterizedTest
    @CsvSource({"0, SEND", "1, RDMA_WRITE", "2, RDMA_READ", "3, COMP_SWAP", "4, FETCH_ADD", "5, BIND_MW", "6, UNKNOWN",
        "7, LOCAL_INV", "8, FAST_REG_MR", "9, MASKED_COMP_SWAP", "10, MASKED_FETCH_ADD", "11, UNKNOWN", "127, UNKNOWN",
        "128, RECV", "129, RECV_RDMA_WITH_IMM", "130, UNKNOWN", "-1, UNKNOWN", "2147483647, UNKNOWN"})
    void mapsOpcodesOfCompletions(final int wire, final WcOpcode opcode) {
        assertThat(Opcodes.completion(wire)).isEqualTo(opcode);
    }

    @Test
    void tellsReceivesFromSends() {
        assertThat(Opcodes.isReceive(128)).isTrue();
        assertThat(Opcodes.isReceive(129)).isTrue();
        for (int send = 0; send <= 10; send++) {
            assertThat(Opcodes.isReceive(send)).isFalse();
        }
    }

    @Test
    void mapsFlags() {
        assertThat(Opcodes.flags(0)).isZero();
        assertThat(Opcodes.flags(SendRequest.FENCE)).isEqualTo(1);
        assertThat(Opcodes.flags(SendRequest.SIGNALED)).isEqualTo(2);
        assertThat(Opcodes.flags(SendRequest.SOLICITED)).isEqualTo(4);
        assertThat(Opcodes.flags(7)).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(WcStatus.class)
    void knowsEachStatus(final WcStatus status) {
        assertThat(WcStatus.of(status.ordinal())).isEqualTo(status);
        assertThat(io.rdma4j.hw.pvrdma.WcStatus.NAMES.of(status.ordinal())).contains(status.name());
    }

    @Test
    void toleratesNumbersThatAreNone() {
        assertThat(WcStatus.of(-1)).isEqualTo(WcStatus.GENERAL_ERR);
        assertThat(WcStatus.of(22)).isEqualTo(WcStatus.GENERAL_ERR);
        assertThat(AsyncEventType.of(-1)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.of(19)).isEqualTo(AsyncEventType.UNKNOWN);
        assertThat(AsyncEventType.of(18)).isEqualTo(AsyncEventType.GID_CHANGE);
        assertThat(PortState.of(9)).isEqualTo(PortState.NOP);
        assertThat(PortState.of(4)).isEqualTo(PortState.ACTIVE);
        assertThatThrownBy(() -> QpState.of(7)).hasMessageContaining("7");
        assertThatThrownBy(() -> Mtu.of(0)).hasMessageContaining("0");
        assertThat(Mtu.of(5).bytes()).isEqualTo(4096);
    }

    @Test
    void readsACompletionInPlace() {
        final UnsafeBuffer ring = new UnsafeBuffer(ByteBuffer.allocateDirect(2 * Cqe.LENGTH));
        final int at = Cqe.LENGTH;
        Cqe.immData(ring, at, 0x04030201);
        Cqe.srcQp(ring, at, 0x1234);
        Cqe.wcFlags(ring, at, 3);
        Cqe.vendorErr(ring, at, 0x201);
        Cqe.status(ring, at, 12);
        Cqe.pkeyIndex(ring, at, 5);
        final CqeCompletion c = new CqeCompletion(true, true).wrap(ring, at, null, -9).outcome(129, 12, 77);

        assertThat(c.wrId()).isEqualTo(-9);
        assertThat(c.status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(c.opcode()).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
        assertThat(c.byteLength()).as("of a failure").isZero();
        assertThat(c.outcome(129, 0, 77).byteLength()).isEqualTo(77);
        assertThat(c.outcome(129, 12, 77).status()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(c.hasImmData()).isTrue();
        assertThat(c.immData()).as("in network order").isEqualTo(0x01020304);
        assertThat(c.sourceQp()).isEqualTo(0x1234);
        assertThat(c.vendorError()).isEqualTo(0x201);
        assertThat(c.pkeyIndex()).isEqualTo(5);
        assertThat(c.toString()).contains("RETRY_EXC_ERR", "0x201");
        assertThat(c.outcome(129, 0, 77).vendorError()).as("of a success").isZero();
        assertThat(c.toString()).contains("vendorError=0x0 ");
        Cqe.status(ring, at, 0);
        assertThat(c.outcome(129, 1, 77).vendorError()).as("of what the driver refused").isZero();
        assertThat(c.isInvalidated()).isFalse();
        Cqe.wcFlags(ring, at, 4);
        assertThat(c.isInvalidated()).isTrue();
        assertThat(c.outcome(0, 0, 77).isInvalidated()).as("a send").isFalse();
        assertThat(c.invalidatedRkey()).as("a key, in the order of the device").isEqualTo(0x04030201);
        Cqe.wcFlags(ring, at, 0);
        assertThat(c.hasImmData()).isFalse();
    }

    @Test
    void derivesTheMacOfALinkLocalAddress() {
        final Gid gid = Gid.parse("fe80::211:22ff:fe33:4455");
        assertThat(Addresses.mac(gid)).containsExactly(0x00, 0x11, 0x22, 0x33, 0x44, 0x55);
        assertThat(Addresses.mac(Gid.parse("10.0.0.1"))).containsOnly(0);
    }

    @Test
    void keepsTheBitsOfTheSpecification() {
        int bit = 1;
        for (final QpAttribute attribute : QpAttribute.values()) {
            assertThat(attribute.bit()).isEqualTo(bit);
            bit <<= 1;
        }
        bit = 1;
        for (final AccessFlag flag : AccessFlag.values()) {
            // A zero-based region has options instead; those that a device may ignore begin at bit 20.
            bit = flag == AccessFlag.ON_DEMAND ? bit << 1 : flag == AccessFlag.RELAXED_ORDERING ? 1 << 20 : bit;
            assertThat(flag.bit()).isEqualTo(bit);
            bit <<= 1;
        }
        assertThat(QpAttributes.to(QpState.INIT).port(1).qkey(0).mask()).isEqualTo(1 | 0x20 | 0x40);
        assertThat(io.rdma4j.hw.pvrdma.QpState.NAMES.of(QpState.SQE.ordinal())).contains("SQE");
    }

    @Test
    void namesEveryReturnCode() {
        assertThat(ReturnCode.nameOf(ReturnCode.QUEUE_FULL)).isEqualTo("QUEUE_FULL");
        assertThat(ReturnCode.nameOf(ReturnCode.HAS_SRQ)).isEqualTo("HAS_SRQ");
        assertThat(ReturnCode.nameOf(5)).isEqualTo("OK");
        assertThat(ReturnCode.nameOf(-99)).isEqualTo("code -99");
    }
}
