/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import static io.rdma4j.verbs.QpAttribute.ACCESS_FLAGS;
import static io.rdma4j.verbs.QpAttribute.ALT_PATH;
import static io.rdma4j.verbs.QpAttribute.AV;
import static io.rdma4j.verbs.QpAttribute.CUR_STATE;
import static io.rdma4j.verbs.QpAttribute.DEST_QPN;
import static io.rdma4j.verbs.QpAttribute.EN_SQD_ASYNC_NOTIFY;
import static io.rdma4j.verbs.QpAttribute.MAX_DEST_RD_ATOMIC;
import static io.rdma4j.verbs.QpAttribute.MAX_QP_RD_ATOMIC;
import static io.rdma4j.verbs.QpAttribute.MIN_RNR_TIMER;
import static io.rdma4j.verbs.QpAttribute.PATH_MIG_STATE;
import static io.rdma4j.verbs.QpAttribute.PATH_MTU;
import static io.rdma4j.verbs.QpAttribute.PKEY_INDEX;
import static io.rdma4j.verbs.QpAttribute.PORT;
import static io.rdma4j.verbs.QpAttribute.QKEY;
import static io.rdma4j.verbs.QpAttribute.RETRY_CNT;
import static io.rdma4j.verbs.QpAttribute.RNR_RETRY;
import static io.rdma4j.verbs.QpAttribute.RQ_PSN;
import static io.rdma4j.verbs.QpAttribute.SQ_PSN;
import static io.rdma4j.verbs.QpAttribute.STATE;
import static io.rdma4j.verbs.QpAttribute.TIMEOUT;
import static io.rdma4j.verbs.QpState.ERR;
import static io.rdma4j.verbs.QpState.INIT;
import static io.rdma4j.verbs.QpState.RESET;
import static io.rdma4j.verbs.QpState.RTR;
import static io.rdma4j.verbs.QpState.RTS;
import static io.rdma4j.verbs.QpState.SQD;
import static io.rdma4j.verbs.QpState.SQE;
import static io.rdma4j.verbs.QpType.RC;
import static io.rdma4j.verbs.QpType.UD;

import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which attributes a change of state needs and which it allows, by the InfiniBand specification (modify queue pair,
 * QP state transition properties). A change that is not listed does not exist.
 */
public final class QpTransitions {
    private record Change(QpType type, QpState from, QpState to) {
    }

    private record Rule(Set<QpAttribute> required, Set<QpAttribute> optional) {
    }

    private static final Map<QpType, Map<QpState, Map<QpState, Rule>>> RULES = new EnumMap<>(QpType.class);

    static {
        initAndReady();
        running();
        for (final QpType type : QpType.values()) {
            for (final QpState from : QpState.values()) {
                rule(type, from, RESET, none(), none());
                if (from != RESET) {
                    rule(type, from, ERR, none(), none());
                }
            }
        }
    }

    private QpTransitions() {
    }

    private static void initAndReady() {
        rule(RC, RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS), none());
        rule(UD, RESET, INIT, EnumSet.of(PKEY_INDEX, PORT, QKEY), none());
        rule(RC, INIT, INIT, none(), EnumSet.of(PKEY_INDEX, PORT, ACCESS_FLAGS));
        rule(UD, INIT, INIT, none(), EnumSet.of(PKEY_INDEX, PORT, QKEY));
        rule(RC, INIT, RTR,
            EnumSet.of(AV, PATH_MTU, DEST_QPN, RQ_PSN, MAX_DEST_RD_ATOMIC, MIN_RNR_TIMER),
            EnumSet.of(ALT_PATH, ACCESS_FLAGS, PKEY_INDEX));
        rule(UD, INIT, RTR, none(), EnumSet.of(PKEY_INDEX, QKEY));
        rule(RC, RTR, RTS,
            EnumSet.of(TIMEOUT, RETRY_CNT, RNR_RETRY, SQ_PSN, MAX_QP_RD_ATOMIC),
            EnumSet.of(CUR_STATE, ALT_PATH, ACCESS_FLAGS, MIN_RNR_TIMER, PATH_MIG_STATE));
        rule(UD, RTR, RTS, EnumSet.of(SQ_PSN), EnumSet.of(CUR_STATE, QKEY));
    }

    private static void running() {
        final Set<QpAttribute> connected =
            EnumSet.of(CUR_STATE, ACCESS_FLAGS, ALT_PATH, PATH_MIG_STATE, MIN_RNR_TIMER);
        final Set<QpAttribute> datagram = EnumSet.of(CUR_STATE, QKEY);
        rule(RC, RTS, RTS, none(), connected);
        rule(UD, RTS, RTS, none(), datagram);
        rule(RC, RTS, SQD, none(), EnumSet.of(EN_SQD_ASYNC_NOTIFY));
        rule(UD, RTS, SQD, none(), EnumSet.of(EN_SQD_ASYNC_NOTIFY));
        rule(RC, SQD, RTS, none(), connected);
        rule(UD, SQD, RTS, none(), datagram);
        rule(RC, SQD, SQD, none(), EnumSet.of(PORT, AV, TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC,
            MAX_DEST_RD_ATOMIC, ALT_PATH, ACCESS_FLAGS, PKEY_INDEX, MIN_RNR_TIMER, PATH_MIG_STATE));
        rule(UD, SQD, SQD, none(), EnumSet.of(PKEY_INDEX, QKEY));
        // Only datagram queues have this state: a failed send of a connected QP ends the connection.
        rule(UD, SQE, RTS, none(), datagram);
    }

    private static Set<QpAttribute> none() {
        return EnumSet.noneOf(QpAttribute.class);
    }

    private static void rule(
        final QpType type, final QpState from, final QpState to,
        final Set<QpAttribute> required, final Set<QpAttribute> optional) {
        RULES.computeIfAbsent(type, key -> new EnumMap<>(QpState.class))
            .computeIfAbsent(from, key -> new EnumMap<>(QpState.class))
            .put(to, new Rule(required, optional));
    }

    private static Rule find(final Change change) {
        return RULES.get(change.type).getOrDefault(change.from, Map.of()).get(change.to);
    }

    /**
     * Whether a QP of this type can go from one state to the other.
     *
     * @param type of the QP.
     * @param from its state.
     * @param to   the other state.
     * @return true if there is such a change.
     */
    public static boolean exists(final QpType type, final QpState from, final QpState to) {
        return find(new Change(type, from, to)) != null;
    }

    /**
     * What must be given for a change that exists, besides the state.
     *
     * @param type of the QP.
     * @param from its state.
     * @param to   the other state.
     * @return attributes; not to be changed.
     */
    public static Set<QpAttribute> required(final QpType type, final QpState from, final QpState to) {
        return find(new Change(type, from, to)).required;
    }

    /**
     * What may be given for a change that exists.
     *
     * @param type of the QP.
     * @param from its state.
     * @param to   the other state.
     * @return attributes; not to be changed.
     */
    public static Set<QpAttribute> optional(final QpType type, final QpState from, final QpState to) {
        return find(new Change(type, from, to)).optional;
    }

    /**
     * What is wrong with a change.
     *
     * @param type  of the QP.
     * @param from  its state.
     * @param to    the other state; null if none was named.
     * @param given what is to be set.
     * @return a sentence that names the attributes, or null.
     */
    public static String objection(
        final QpType type, final QpState from, final QpState to, final Set<QpAttribute> given) {
        if (to == null) {
            return "STATE is missing: name it also if it stays, by QpAttributes.to(" + from + ")";
        }
        final Rule rule = find(new Change(type, from, to));
        final String change = type + " QP from " + from + " to " + to;
        if (rule == null) {
            return "there is no way for a " + change + "; from " + from + " it can go to "
                + RULES.get(type).get(from).keySet();
        }
        final Set<QpAttribute> missing = EnumSet.copyOf(rule.required);
        missing.removeAll(given);
        final Set<QpAttribute> extra = EnumSet.noneOf(QpAttribute.class);
        extra.addAll(given);
        extra.remove(STATE);
        extra.removeAll(rule.required);
        extra.removeAll(rule.optional);
        final List<String> faults = new ArrayList<>();
        if (!missing.isEmpty()) {
            faults.add(missing + " missing");
        }
        if (!extra.isEmpty()) {
            faults.add(extra + " not allowed");
        }
        return faults.isEmpty() ? null : change + ": " + String.join(", ", faults);
    }
}
