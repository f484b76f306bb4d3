/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.layout.Layout;
import org.junit.jupiter.api.Test;

class RegistersTest {

    @Test
    void registersAreWhereTheDeviceHasThem() {
        assertThat(Bar1.LAYOUT.fields().stream().map(f -> Integer.toHexString(f.offset()) + " " + f.name()))
            .containsExactly("0 VERSION", "4 DSRLOW", "8 DSRHIGH", "c CTL", "10 REQUEST", "14 ERR", "18 ICR", "1c IMR",
                "20 MACL", "24 MACH");
        assertThat(Bar1.LAYOUT.fields()).allMatch(f -> f.kind() == Layout.Kind.U32);
        assertThat(Bar1.name(0x14)).isEqualTo("ERR");
        assertThat(Bar1.name(0x16)).isEqualTo("unknown 0x16");
        assertThat(Bar1.SIZE).isEqualTo(256).isGreaterThanOrEqualTo(Bar1.LENGTH);
    }

    @Test
    void identifiesTheDevice() {
        assertThat(Bar1.PVRDMA_VENDOR_ID).isEqualTo(0x15ad);
        assertThat(Bar1.PVRDMA_DEVICE_ID).isEqualTo(0x0820);
        assertThat(new int[] {Bar1.MSIX_BAR, Bar1.REG_BAR, Bar1.UAR_BAR}).containsExactly(0, 1, 2);
        assertThat(new int[] {Bar1.PVRDMA_ROCEV1_VERSION, Bar1.PVRDMA_ROCEV2_VERSION, Bar1.PVRDMA_PPN64_VERSION,
            Bar1.PVRDMA_QPHANDLE_VERSION, Bar1.DRIVER_VERSION}).containsExactly(17, 18, 19, 20, 20);
    }

    @Test
    void controlAndCausesHaveNumbersAndNames() {
        assertThat(Bar1.PVRDMA_DEVICE_CTL_ACTIVATE).isZero();
        assertThat(Bar1.PVRDMA_DEVICE_CTL_UNQUIESCE).isEqualTo(1);
        assertThat(Bar1.PVRDMA_DEVICE_CTL_RESET).isEqualTo(2);
        assertThat(Bar1.CTL_NAMES.of(2)).isEqualTo("RESET");
        assertThat(Bar1.CTL_NAMES.of(3)).isEqualTo("unknown 0x3");
        assertThat(new int[] {Bar1.PVRDMA_INTR_CAUSE_RESPONSE, Bar1.PVRDMA_INTR_CAUSE_ASYNC, Bar1.PVRDMA_INTR_CAUSE_CQ})
            .containsExactly(1, 2, 4);
        assertThat(Bar1.CAUSE_NAMES.of(5)).isEqualTo("RESPONSE|CQ");
    }

    @Test
    void doorbellWordsCarryHandleAndRequest() {
        assertThat(new int[] {Uar.QP_OFFSET, Uar.CQ_OFFSET, Uar.SRQ_OFFSET}).containsExactly(0, 4, 8);
        assertThat(Uar.qpSend(0x123456)).isEqualTo(0x4012_3456);
        assertThat(Uar.qpRecv(0x123456)).isEqualTo(0x8012_3456);
        assertThat(Uar.cqArmSol(0x123456)).isEqualTo(0x2012_3456);
        assertThat(Uar.cqArm(0x123456)).isEqualTo(0x4012_3456);
        assertThat(Uar.cqPoll(0x123456)).isEqualTo(0x8012_3456);
        assertThat(Uar.srqRecv(0x123456)).isEqualTo(0x4012_3456);
        assertThat(Uar.handle(0xe012_3456)).isEqualTo(0x12_3456);
    }

    @Test
    void handleOf25BitsDoesNotReachTheRequestBits() {
        assertThat(Uar.qpSend(-1)).isEqualTo(0x40ff_ffff);
        assertThat(Uar.cqPoll(0x7f00_0001)).isEqualTo(0x8000_0001);
    }
}
