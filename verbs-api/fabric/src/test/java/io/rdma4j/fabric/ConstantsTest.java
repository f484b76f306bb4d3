/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers as they are in libfabric's headers: programs that were written for it bring them along. */
@Timeout(60)
class ConstantsTest {
    /** rdma/fabric.h. */
    @ParameterizedTest
    @CsvSource({
        "MSG, 1", "RMA, 2", "TAGGED, 3", "ATOMIC, 4", "MULTICAST, 5", "COLLECTIVE, 6", "READ, 8", "WRITE, 9",
        "RECV, 10", "SEND, 11", "REMOTE_READ, 12", "REMOTE_WRITE, 13", "MULTI_RECV, 16", "HMEM, 47", "RMA_PMEM, 49",
        "LOCAL_COMM, 51", "REMOTE_COMM, 52", "RMA_EVENT, 56", "SOURCE, 57", "DIRECTED_RECV, 59", "AV_USER_ID, 41",
        "SHARED_AV, 53", "NAMED_RX_CTX, 58", "FENCE, 21", "TRIGGER, 20"})
    void capabilities(final Capability capability, final int shift) {
        assertThat(capability.bit()).isEqualTo(1L << shift);
    }

    /** rdma/fabric.h. */
    @ParameterizedTest
    @CsvSource({
        "BASIC, 0", "SCALABLE, 1", "LOCAL, 2", "RAW, 3", "VIRT_ADDR, 4", "ALLOCATED, 5", "PROV_KEY, 6",
        "MMU_NOTIFY, 7", "RMA_EVENT, 8", "ENDPOINT, 9", "HMEM, 10", "COLLECTIVE, 11"})
    void modeBits(final MrMode mode, final int shift) {
        assertThat(mode.bit()).isEqualTo(1L << shift);
    }

    /** rdma/fabric.h. */
    @ParameterizedTest
    @CsvSource({
        "COLLECTIVE, 6", "READ, 8", "WRITE, 9", "RECV, 10", "SEND, 11", "REMOTE_READ, 12", "REMOTE_WRITE, 13"})
    void rights(final MrAccess access, final int shift) {
        assertThat(access.bit()).isEqualTo(1L << shift);
    }

    /** rdma/fabric.h and rdma/fi_domain.h. */
    @ParameterizedTest
    @CsvSource({
        "DMABUF, 40", "HMEM_HOST_ALLOC, 45", "HMEM_DEVICE_ONLY, 46", "RMA_PMEM, 49", "RMA_EVENT, 56", "AUTH_KEY, 57"})
    void registrationFlags(final MrFlag flag, final int shift) {
        assertThat(flag.bit()).isEqualTo(1L << shift);
    }

    @ParameterizedTest
    @CsvSource({
        "RAR, 0", "RAW, 1", "RAS, 2", "WAR, 3", "WAW, 4", "WAS, 5", "SAR, 6", "SAW, 7", "SAS, 8", "RMA_RAR, 32",
        "RMA_RAW, 33", "RMA_WAR, 34", "RMA_WAW, 35", "ATOMIC_RAR, 36", "ATOMIC_RAW, 37", "ATOMIC_WAR, 38",
        "ATOMIC_WAW, 39"})
    void orders(final MessageOrder order, final int shift) {
        assertThat(order.bit()).isEqualTo(1L << shift);
    }

    /** Each in the order of its enum in the headers. */
    @Test
    void numbers() {
        assertThat(Arrays.stream(HmemIface.values()).map(HmemIface::value)).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(Arrays.stream(EndpointType.values()).map(EndpointType::value)).containsExactly(1, 2, 3);
        assertThat(Arrays.stream(AddressFormat.values()).map(AddressFormat::value)).containsExactly(0, 2, 3, 9);
        assertThat(Arrays.stream(Threading.values()).map(Threading::value)).containsExactly(1, 2, 3, 4, 5);
        assertThat(Arrays.stream(Progress.values()).map(Progress::value)).containsExactly(1, 2);
        assertThat(Arrays.stream(ResourceManagement.values()).map(ResourceManagement::value)).containsExactly(1, 2);
        assertThat(Arrays.stream(AvType.values()).map(AvType::value)).containsExactly(0, 1, 2);
        assertThat(Arrays.stream(CompletionOrder.values()).map(CompletionOrder::value)).containsExactly(0, 0x1ff);
    }

    /** rdma/fi_errno.h: Linux' numbers, and its own from 256 on. */
    @ParameterizedTest
    @CsvSource({
        "FI_EPERM, 1", "FI_EAGAIN, 11", "FI_EACCES, 13", "FI_EINVAL, 22", "FI_ENOSYS, 38", "FI_ENODATA, 61",
        "FI_EOVERFLOW, 75", "FI_ECONNRESET, 104", "FI_ENOBUFS, 105", "FI_EISCONN, 106", "FI_ENOTCONN, 107",
        "FI_ESHUTDOWN, 108", "FI_ETIMEDOUT, 110", "FI_EALREADY, 114", "FI_EREMOTEIO, 121", "FI_ECANCELED, 125",
        "FI_EKEYREJECTED, 129", "FI_EOTHER, 256", "FI_ETOOSMALL, 257", "FI_EOPBADSTATE, 258", "FI_EAVAIL, 259",
        "FI_EBADFLAGS, 260", "FI_ENOEQ, 261", "FI_EDOMAIN, 262", "FI_ENOCQ, 263", "FI_ECRC, 264", "FI_ETRUNC, 265",
        "FI_ENOKEY, 266", "FI_ENOAV, 267", "FI_EOVERRUN, 268", "FI_ENORX, 269", "FI_ENOMR, 270",
        "FI_EFIREWALLADDR, 271"})
    void errors(final String name, final int number) throws ReflectiveOperationException {
        assertThat(FiErrno.class.getField(name).getInt(null)).isEqualTo(number);
        assertThat(FiErrno.name(number)).isEqualTo(name);
        assertThat(FiErrno.name(-number)).isEqualTo(name);
    }

    @Test
    void eachErrorHasANumberOfItsOwn() throws IllegalAccessException {
        final Map<Integer, String> seen = new HashMap<>();
        for (final Field field : FiErrno.class.getFields()) {
            assertThat(seen.put(field.getInt(null), field.getName())).as(field.getName()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {9999, -9999, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void anErrorWithoutANameIsItsNumber(final int number) {
        assertThat(FiErrno.name(number)).isEqualTo(Integer.toString(number));
    }

    @Test
    void setsBecomeBitsAndBack() {
        assertThat(MrMode.of(MrMode.bits(EnumSet.allOf(MrMode.class)))).isEqualTo(EnumSet.allOf(MrMode.class));
        assertThat(MrAccess.of(MrAccess.bits(EnumSet.allOf(MrAccess.class)))).isEqualTo(EnumSet.allOf(MrAccess.class));
        assertThat(MrFlag.of(MrFlag.bits(EnumSet.allOf(MrFlag.class)))).isEqualTo(EnumSet.allOf(MrFlag.class));
        assertThat(Capability.of(Capability.bits(EnumSet.allOf(Capability.class))))
            .isEqualTo(EnumSet.allOf(Capability.class));
    }

    static List<LongFunction<? extends Set<?>>> decoders() {
        return List.of(MrMode::of, MrAccess::of, MrFlag::of, Capability::of);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void unknownBitsAreRefusedByNumber(final LongFunction<? extends Set<?>> decoder) {
        assertThat(decoder.apply(0)).isEmpty();
        assertThatThrownBy(() -> decoder.apply(1L << 63)).isInstanceOfSatisfying(FabricException.class, e -> {
            assertThat(e.errno()).isEqualTo(FiErrno.FI_EBADFLAGS);
            assertThat(e).hasMessageContaining("0x8000000000000000");
        });
        assertThatThrownBy(() -> decoder.apply(-1)).isInstanceOf(FabricException.class);
    }

    static List<Supplier<Long>> encodersOfNull() {
        return List.of(() -> MrMode.bits(null), () -> MrAccess.bits(null), () -> MrFlag.bits(null),
            () -> Capability.bits(null));
    }

    @ParameterizedTest
    @MethodSource("encodersOfNull")
    void nullIsNoSet(final Supplier<Long> encoder) {
        assertThatThrownBy(encoder::get).isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(FiErrno.FI_EINVAL));
    }
}
