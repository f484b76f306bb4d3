/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.spi.QpTransitions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class QpTransitionsTest {
    /** Type, from, to, required, optional: written down a second time, from the specification's table. */
    private static final String TABLE = """
        RC RESET INIT PKEY_INDEX,PORT,ACCESS_FLAGS -
        UD RESET INIT PKEY_INDEX,PORT,QKEY -
        RC INIT  INIT - PKEY_INDEX,PORT,ACCESS_FLAGS
        UD INIT  INIT - PKEY_INDEX,PORT,QKEY
        RC INIT  RTR  AV,PATH_MTU,DEST_QPN,RQ_PSN,MAX_DEST_RD_ATOMIC,MIN_RNR_TIMER ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        UD INIT  RTR  - PKEY_INDEX,QKEY
        RC RTR   RTS  TIMEOUT,RETRY_CNT,RNR_RETRY,SQ_PSN,MAX_QP_RD_ATOMIC \
            CUR_STATE,ALT_PATH,ACCESS_FLAGS,MIN_RNR_TIMER,PATH_MIG_STATE
        UD RTR   RTS  SQ_PSN CUR_STATE,QKEY
        RC RTS   RTS  - CUR_STATE,ACCESS_FLAGS,ALT_PATH,PATH_MIG_STATE,MIN_RNR_TIMER
        UD RTS   RTS  - CUR_STATE,QKEY
        RC RTS   SQD  - EN_SQD_ASYNC_NOTIFY
        UD RTS   SQD  - EN_SQD_ASYNC_NOTIFY
        RC SQD   RTS  - CUR_STATE,ACCESS_FLAGS,ALT_PATH,PATH_MIG_STATE,MIN_RNR_TIMER
        UD SQD   RTS  - CUR_STATE,QKEY
        RC SQD   SQD  - PORT,AV,TIMEOUT,RETRY_CNT,RNR_RETRY,MAX_QP_RD_ATOMIC, \
            MAX_DEST_RD_ATOMIC,ALT_PATH,ACCESS_FLAGS,PKEY_INDEX,MIN_RNR_TIMER,PATH_MIG_STATE
        UD SQD   SQD  - PKEY_INDEX,QKEY
        UD SQE   RTS  - CUR_STATE,QKEY
        """.replaceAll(" +", " ").replace(", ", ",");

    private record Row(Set<QpAttribute> required, Set<QpAttribute> optional) {
    }

    private static Row row(final QpType type, final QpState from, final QpState to) {
        if (to == QpState.RESET || to == QpState.ERR && from != QpState.RESET) {
            return new Row(Set.of(), Set.of());
        }
        final List<String[]> rows = TABLE.lines().map(line -> line.trim().split(" "))
            .filter(r -> r[0].equals(type.name()) && r[1].equals(from.name()) && r[2].equals(to.name()))
            .collect(Collectors.toList());
        return rows.isEmpty() ? null : new Row(attributes(rows.get(0)[3]), attributes(rows.get(0)[4]));
    }

    private static Set<QpAttribute> attributes(final String names) {
        return names.equals("-") ? Set.of()
            : Arrays.stream(names.split(",")).map(QpAttribute::valueOf).collect(Collectors.toSet());
    }

    static Stream<Arguments> everyChange() {
        return Arrays.stream(QpType.values()).flatMap(type -> Arrays.stream(QpState.values()).flatMap(from ->
            Arrays.stream(QpState.values()).map(to -> Arguments.of(type, from, to))));
    }

    static Stream<Arguments> changesThatExist() {
        return everyChange().filter(a -> row((QpType) a.get()[0], (QpState) a.get()[1], (QpState) a.get()[2]) != null);
    }

    @ParameterizedTest
    @MethodSource("everyChange")
    void existsAsTheSpecificationSays(final QpType type, final QpState from, final QpState to) {
        assertThat(QpTransitions.exists(type, from, to)).isEqualTo(row(type, from, to) != null);
        if (row(type, from, to) == null) {
            assertThat(QpTransitions.objection(type, from, to, Set.of()))
                .contains("no way", type.name(), "from " + from + " to " + to);
        }
    }

    @ParameterizedTest
    @MethodSource("changesThatExist")
    void needsAndAllowsWhatTheSpecificationSays(final QpType type, final QpState from, final QpState to) {
        final Row row = row(type, from, to);

        assertThat(QpTransitions.required(type, from, to)).isEqualTo(row.required);
        assertThat(QpTransitions.optional(type, from, to)).isEqualTo(row.optional);
    }

    @ParameterizedTest
    @MethodSource("changesThatExist")
    void namesEachMissingAttribute(final QpType type, final QpState from, final QpState to) {
        final Row row = row(type, from, to);
        for (final QpAttribute missing : row.required) {
            final Set<QpAttribute> given = EnumSet.of(QpAttribute.STATE);
            given.addAll(row.required);
            given.remove(missing);

            assertThat(QpTransitions.objection(type, from, to, given)).endsWith("[" + missing + "] missing");
        }
    }

    @ParameterizedTest
    @MethodSource("changesThatExist")
    void namesEachAttributeThatIsNotAllowed(final QpType type, final QpState from, final QpState to) {
        final Row row = row(type, from, to);
        final Set<QpAttribute> allowed = EnumSet.of(QpAttribute.STATE);
        allowed.addAll(row.required);
        allowed.addAll(row.optional);
        assertThat(QpTransitions.objection(type, from, to, allowed)).isNull();

        for (final QpAttribute extra : EnumSet.complementOf(EnumSet.copyOf(allowed))) {
            final Set<QpAttribute> given = EnumSet.copyOf(allowed);
            given.add(extra);

            assertThat(QpTransitions.objection(type, from, to, given)).endsWith("[" + extra + "] not allowed");
        }
    }
}
