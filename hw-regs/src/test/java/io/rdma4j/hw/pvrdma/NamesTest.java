/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.layout.Names;
import java.lang.reflect.Field;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Holds the numbers of the enumerations against lists in the order of their numbers. */
class NamesTest {

    record Numbers(Class<?> type, String prefix, boolean bits, int first, String names) {
    }

    static Stream<Numbers> numbers() {
        return Stream.of(
            new Numbers(WrOpcode.class, "PVRDMA_WR_", false, 0, "RDMA_WRITE RDMA_WRITE_WITH_IMM SEND SEND_WITH_IMM "
                + "RDMA_READ ATOMIC_CMP_AND_SWP ATOMIC_FETCH_AND_ADD LSO SEND_WITH_INV RDMA_READ_WITH_INV LOCAL_INV "
                + "FAST_REG_MR MASKED_ATOMIC_CMP_AND_SWP MASKED_ATOMIC_FETCH_AND_ADD BIND_MW REG_SIG_MR ERROR"),
            new Numbers(WcStatus.class, "PVRDMA_WC_", false, 0, "SUCCESS LOC_LEN_ERR LOC_QP_OP_ERR LOC_EEC_OP_ERR "
                + "LOC_PROT_ERR WR_FLUSH_ERR MW_BIND_ERR BAD_RESP_ERR LOC_ACCESS_ERR REM_INV_REQ_ERR REM_ACCESS_ERR "
                + "REM_OP_ERR RETRY_EXC_ERR RNR_RETRY_EXC_ERR LOC_RDD_VIOL_ERR REM_INV_RD_REQ_ERR REM_ABORT_ERR "
                + "INV_EECN_ERR INV_EEC_STATE_ERR FATAL_ERR RESP_TIMEOUT_ERR GENERAL_ERR"),
            new Numbers(QpState.class, "PVRDMA_QPS_", false, 0, "RESET INIT RTR RTS SQD SQE ERR"),
            new Numbers(QpType.class, "PVRDMA_QPT_", false, 0, "SMI GSI RC UC UD"),
            new Numbers(EventType.class, "PVRDMA_EVENT_", false, 0, "CQ_ERR QP_FATAL QP_REQ_ERR QP_ACCESS_ERR COMM_EST "
                + "SQ_DRAINED PATH_MIG PATH_MIG_ERR DEVICE_FATAL PORT_ACTIVE PORT_ERR LID_CHANGE PKEY_CHANGE SM_CHANGE "
                + "SRQ_ERR SRQ_LIMIT_REACHED QP_LAST_WQE_REACHED CLIENT_REREGISTER GID_CHANGE"),
            new Numbers(PortState.class, "PVRDMA_PORT_", false, 0, "NOP DOWN INIT ARMED ACTIVE ACTIVE_DEFER"),
            new Numbers(Mtu.class, "PVRDMA_MTU_", false, 1, "256 512 1024 2048 4096"),
            new Numbers(NetworkHdrType.class, "PVRDMA_NETWORK_", false, 0, "IB IPV4 IPV6"),
            new Numbers(DeviceMode.class, "PVRDMA_DEVICE_MODE_", false, 0, "ROCE IWARP IB"),
            new Numbers(SendFlags.class, "PVRDMA_SEND_", true, 0, "FENCE SIGNALED SOLICITED INLINE IP_CSUM"),
            new Numbers(WcFlags.class, "PVRDMA_WC_", true, 0, "GRH WITH_IMM WITH_INVALIDATE IP_CSUM_OK WITH_SMAC "
                + "WITH_VLAN WITH_NETWORK_HDR_TYPE"),
            new Numbers(QpAttrMask.class, "PVRDMA_QP_", true, 0, "STATE CUR_STATE EN_SQD_ASYNC_NOTIFY ACCESS_FLAGS "
                + "PKEY_INDEX PORT QKEY AV PATH_MTU TIMEOUT RETRY_CNT RNR_RETRY RQ_PSN MAX_QP_RD_ATOMIC ALT_PATH "
                + "MIN_RNR_TIMER SQ_PSN MAX_DEST_RD_ATOMIC PATH_MIG_STATE CAP DEST_QPN"),
            new Numbers(MrFlags.class, "PVRDMA_MR_FLAG_", true, 0, "DMA FRMR"),
            new Numbers(GidType.class, "PVRDMA_GID_TYPE_FLAG_", true, 0, "ROCE_V1 ROCE_V2"),
            new Numbers(AhFlags.class, "PVRDMA_AH_", true, 0, "GRH"),
            new Numbers(SrqAttrMask.class, "PVRDMA_SRQ_", true, 0, "MAX_WR LIMIT"),
            new Numbers(BmmeFlags.class, "PVRDMA_BMME_FLAG_", true, 0, "LOCAL_INV REMOTE_INV FAST_REG_WR"),
            new Numbers(ExtensionFlags.class, "RDMA4J_EXT_", true, 0, "MEMORY_WINDOWS CQ_RESIZE LARGE_REGIONS "
                + "ON_DEMAND_PAGING"),
            new Numbers(AtomicOps.class, "PVRDMA_ATOMIC_OP_", true, 0, "COMP_SWAP FETCH_ADD MASK_COMP_SWAP "
                + "MASK_FETCH_ADD"));
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void numbersFollowTheDevice(Numbers numbers) throws ReflectiveOperationException {
        final List<String> names = List.of(numbers.names.split(" "));
        for (int i = 0; i < names.size(); i++) {
            final int value = numbers.bits ? 1 << i : numbers.first + i;
            final Field constant = numbers.type.getField(numbers.prefix + names.get(i));
            assertThat(constant.getInt(null)).as(names.get(i)).isEqualTo(value);
            assertThat(name(numbers.type, value)).isEqualTo(names.get(i));
        }
        assertThat(numbers.type.getFields()).as("no constant without a number here").hasSize(names.size() + 1);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void unknownNumbersAreToldAsSuch(Numbers numbers) throws ReflectiveOperationException {
        assertThat(name(numbers.type, 1 << 30)).isEqualTo(numbers.bits ? "0x40000000" : "unknown 0x40000000");
        final String rest = "|0x" + Integer.toHexString(-1 << numbers.names.split(" ").length);
        assertThat(name(numbers.type, -1))
            .isEqualTo(numbers.bits ? numbers.names.replace(' ', '|') + rest : "unknown 0xffffffff");
    }

    @Test
    void completionOpcodesLeaveAGapBeforeReceives() {
        assertThat(WcOpcode.PVRDMA_WC_SEND).isZero();
        assertThat(WcOpcode.PVRDMA_WC_RDMA_WRITE).isEqualTo(1);
        assertThat(WcOpcode.PVRDMA_WC_RDMA_READ).isEqualTo(2);
        assertThat(WcOpcode.PVRDMA_WC_COMP_SWAP).isEqualTo(3);
        assertThat(WcOpcode.PVRDMA_WC_FETCH_ADD).isEqualTo(4);
        assertThat(WcOpcode.PVRDMA_WC_BIND_MW).isEqualTo(5);
        assertThat(WcOpcode.PVRDMA_WC_LSO).isEqualTo(6);
        assertThat(WcOpcode.PVRDMA_WC_LOCAL_INV).isEqualTo(7);
        assertThat(WcOpcode.PVRDMA_WC_FAST_REG_MR).isEqualTo(8);
        assertThat(WcOpcode.PVRDMA_WC_MASKED_COMP_SWAP).isEqualTo(9);
        assertThat(WcOpcode.PVRDMA_WC_MASKED_FETCH_ADD).isEqualTo(10);
        assertThat(WcOpcode.PVRDMA_WC_RECV).isEqualTo(128);
        assertThat(WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM).isEqualTo(129);
        assertThat(WcOpcode.NAMES.of(11)).isEqualTo("unknown 0xb");
        assertThat(WcOpcode.NAMES.of(129)).isEqualTo("RECV_RDMA_WITH_IMM");
    }

    @Test
    void accessFlagsAreBits() {
        assertThat(new int[] {AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE, AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE,
            AccessFlags.PVRDMA_ACCESS_REMOTE_READ, AccessFlags.PVRDMA_ACCESS_REMOTE_ATOMIC,
            AccessFlags.PVRDMA_ACCESS_MW_BIND, AccessFlags.PVRDMA_ZERO_BASED, AccessFlags.PVRDMA_ACCESS_ON_DEMAND})
            .containsExactly(1, 2, 4, 8, 16, 32, 64);
        assertThat(AccessFlags.NAMES.of(0x25)).isEqualTo("LOCAL_WRITE|REMOTE_READ|ZERO_BASED");
    }

    @Test
    void masksArePrintedCompletely() {
        assertThat(SendFlags.NAMES.of(0)).isEqualTo("0");
        assertThat(SendFlags.NAMES.of(0x86)).isEqualTo("SIGNALED|SOLICITED|0x80");
    }

    @ParameterizedTest
    @CsvSource({"1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096"})
    void mtuCodesAndBytesBelongTogether(int code, int bytes) {
        assertThat(Mtu.bytes(code)).isEqualTo(bytes);
        assertThat(Mtu.of(bytes)).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 6, 128, 300, 1500, 8192, Integer.MIN_VALUE})
    void refusesWhatIsNoMtu(int value) {
        assertThatThrownBy(() -> Mtu.bytes(value)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(value));
        assertThatThrownBy(() -> Mtu.of(value)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(String.valueOf(value));
    }

    @Test
    void fastRegistrationNeedsAllThreeBits() {
        assertThat(BmmeFlags.hasFastRegistration(7)).isTrue();
        assertThat(BmmeFlags.hasFastRegistration(0xff)).isTrue();
        assertThat(BmmeFlags.hasFastRegistration(6)).isFalse();
        assertThat(BmmeFlags.hasFastRegistration(0)).isFalse();
    }

    private static String name(Class<?> type, int value) throws ReflectiveOperationException {
        return ((Names) type.getField("NAMES").get(null)).of(value);
    }
}
