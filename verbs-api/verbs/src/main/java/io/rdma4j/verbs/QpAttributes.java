/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Attributes of a QP with the set of those that were given; as {@code struct ibv_qp_attr} with its mask. Setting an
 * attribute puts it into the set. Mutable, not thread-safe.
 */
public final class QpAttributes {
    private final EnumSet<QpAttribute> given = EnumSet.noneOf(QpAttribute.class);
    private QpState state;
    private QpState curState;
    private Set<AccessFlag> accessFlags = Set.of();
    private int pkeyIndex;
    private int port;
    private int qkey;
    private AhAttributes ah;
    private Mtu pathMtu;
    private int timeout;
    private int retryCnt;
    private int rnrRetry;
    private int rqPsn;
    private int sqPsn;
    private int maxRdAtomic;
    private int maxDestRdAtomic;
    private int minRnrTimer;
    private int destQpn;
    private boolean sqdAsyncNotify;
    private boolean sqDraining;

    /** Creates an empty set of attributes. */
    public QpAttributes() {
        // Nothing is given yet.
    }

    /**
     * The usual way to name a transition.
     *
     * @param state the state to go to.
     * @return attributes with that state.
     */
    public static QpAttributes to(final QpState state) {
        return new QpAttributes().state(state);
    }

    /**
     * The attributes that were given.
     *
     * @return an unmodifiable view.
     */
    public Set<QpAttribute> given() {
        return Collections.unmodifiableSet(given);
    }

    /**
     * Whether an attribute was given.
     *
     * @param attribute the attribute.
     * @return true if so.
     */
    public boolean has(final QpAttribute attribute) {
        return given.contains(attribute);
    }

    /**
     * The attributes that were given, as the mask on the wire.
     *
     * @return bits of {@link QpAttribute}, or-ed.
     */
    public int mask() {
        int mask = 0;
        for (final QpAttribute attribute : given) {
            mask |= attribute.bit();
        }
        return mask;
    }

    /**
     * Sets: state to go to.
     *
     * @param value a state.
     * @return this.
     */
    public QpAttributes state(final QpState value) {
        state = value;
        given.add(QpAttribute.STATE);
        return this;
    }

    /**
     * Sets: state that the QP is assumed to be in.
     *
     * @param value a state.
     * @return this.
     */
    public QpAttributes curState(final QpState value) {
        curState = value;
        given.add(QpAttribute.CUR_STATE);
        return this;
    }

    /**
     * Sets: what peers may do by way of this QP, with regions that allow it, too.
     *
     * @param first REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC; others mean nothing here.
     * @param more  of them.
     * @return this.
     * @throws NullPointerException if one of them is null.
     */
    public QpAttributes accessFlags(final AccessFlag first, final AccessFlag... more) {
        return accessFlags(EnumSet.of(first, more));
    }

    /**
     * Sets: what peers may do by way of this QP, with regions that allow it, too.
     *
     * @param rights REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC, or none; copied.
     * @return this.
     * @throws NullPointerException if it is null, or one of them.
     */
    public QpAttributes accessFlags(final Set<AccessFlag> rights) {
        final EnumSet<AccessFlag> copy = EnumSet.noneOf(AccessFlag.class);
        copy.addAll(rights);
        accessFlags = Collections.unmodifiableSet(copy);
        given.add(QpAttribute.ACCESS_FLAGS);
        return this;
    }

    /**
     * Sets: index of the partition key.
     *
     * @param value from 0.
     * @return this.
     */
    public QpAttributes pkeyIndex(final int value) {
        pkeyIndex = value;
        given.add(QpAttribute.PKEY_INDEX);
        return this;
    }

    /**
     * Sets: port.
     *
     * @param value from 1.
     * @return this.
     */
    public QpAttributes port(final int value) {
        port = value;
        given.add(QpAttribute.PORT);
        return this;
    }

    /**
     * Sets: queue key (UD).
     *
     * @param value 32 bits.
     * @return this.
     */
    public QpAttributes qkey(final int value) {
        qkey = value;
        given.add(QpAttribute.QKEY);
        return this;
    }

    /**
     * Sets: way to the peer (RC).
     *
     * @param value attributes.
     * @return this.
     */
    public QpAttributes ah(final AhAttributes value) {
        ah = value;
        given.add(QpAttribute.AV);
        return this;
    }

    /**
     * Sets: payload of a packet.
     *
     * @param value an MTU.
     * @return this.
     */
    public QpAttributes pathMtu(final Mtu value) {
        pathMtu = value;
        given.add(QpAttribute.PATH_MTU);
        return this;
    }

    /**
     * Sets: how long to wait for an acknowledgement.
     *
     * @param value 0 to 31: 4.096 us times two to the power of it; 0 for ever.
     * @return this.
     */
    public QpAttributes timeout(final int value) {
        timeout = value;
        given.add(QpAttribute.TIMEOUT);
        return this;
    }

    /**
     * Sets: how often to try again.
     *
     * @param value 0 to 7.
     * @return this.
     */
    public QpAttributes retryCnt(final int value) {
        retryCnt = value;
        given.add(QpAttribute.RETRY_CNT);
        return this;
    }

    /**
     * Sets: how often to try again when the peer has no receive posted.
     *
     * @param value 0 to 7; 7 for ever.
     * @return this.
     */
    public QpAttributes rnrRetry(final int value) {
        rnrRetry = value;
        given.add(QpAttribute.RNR_RETRY);
        return this;
    }

    /**
     * Sets: first packet sequence number of the peer.
     *
     * @param value 24 bits.
     * @return this.
     */
    public QpAttributes rqPsn(final int value) {
        rqPsn = value;
        given.add(QpAttribute.RQ_PSN);
        return this;
    }

    /**
     * Sets: first own packet sequence number.
     *
     * @param value 24 bits.
     * @return this.
     */
    public QpAttributes sqPsn(final int value) {
        sqPsn = value;
        given.add(QpAttribute.SQ_PSN);
        return this;
    }

    /**
     * Sets: READs and atomics under way that this side may begin.
     *
     * @param value a count.
     * @return this.
     */
    public QpAttributes maxRdAtomic(final int value) {
        maxRdAtomic = value;
        given.add(QpAttribute.MAX_QP_RD_ATOMIC);
        return this;
    }

    /**
     * Sets: READs and atomics under way that this side accepts.
     *
     * @param value a count.
     * @return this.
     */
    public QpAttributes maxDestRdAtomic(final int value) {
        maxDestRdAtomic = value;
        given.add(QpAttribute.MAX_DEST_RD_ATOMIC);
        return this;
    }

    /**
     * Sets: how long a peer waits when no receive is posted here.
     *
     * @param value 0 to 31, a code of the InfiniBand specification.
     * @return this.
     */
    public QpAttributes minRnrTimer(final int value) {
        minRnrTimer = value;
        given.add(QpAttribute.MIN_RNR_TIMER);
        return this;
    }

    /**
     * Sets: number of the peer's QP.
     *
     * @param value 24 bits.
     * @return this.
     */
    public QpAttributes destQpn(final int value) {
        destQpn = value;
        given.add(QpAttribute.DEST_QPN);
        return this;
    }

    /**
     * Sets: whether an event tells when the send queue is drained.
     *
     * @param value true for an event.
     * @return this.
     */
    public QpAttributes sqdAsyncNotify(final boolean value) {
        sqdAsyncNotify = value;
        given.add(QpAttribute.EN_SQD_ASYNC_NOTIFY);
        return this;
    }

    /**
     * State to go to.
     *
     * @return a state.
     */
    public QpState state() {
        return state;
    }

    /**
     * State that the QP is assumed to be in.
     *
     * @return a state.
     */
    public QpState curState() {
        return curState;
    }

    /**
     * What peers may do.
     *
     * @return rights, unmodifiable.
     */
    public Set<AccessFlag> accessFlags() {
        return accessFlags;
    }

    /**
     * Index of the partition key.
     *
     * @return from 0.
     */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * Port.
     *
     * @return from 1.
     */
    public int port() {
        return port;
    }

    /**
     * Queue key (UD).
     *
     * @return 32 bits.
     */
    public int qkey() {
        return qkey;
    }

    /**
     * Way to the peer (RC).
     *
     * @return attributes.
     */
    public AhAttributes ah() {
        return ah;
    }

    /**
     * Payload of a packet.
     *
     * @return an MTU.
     */
    public Mtu pathMtu() {
        return pathMtu;
    }

    /**
     * How long to wait for an acknowledgement.
     *
     * @return 0 to 31: 4.096 us times two to the power of it; 0 for ever.
     */
    public int timeout() {
        return timeout;
    }

    /**
     * How often to try again.
     *
     * @return 0 to 7.
     */
    public int retryCnt() {
        return retryCnt;
    }

    /**
     * How often to try again when the peer has no receive posted.
     *
     * @return 0 to 7; 7 for ever.
     */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * First packet sequence number of the peer.
     *
     * @return 24 bits.
     */
    public int rqPsn() {
        return rqPsn;
    }

    /**
     * First own packet sequence number.
     *
     * @return 24 bits.
     */
    public int sqPsn() {
        return sqPsn;
    }

    /**
     * READs and atomics under way that this side may begin.
     *
     * @return a count.
     */
    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    /**
     * READs and atomics under way that this side accepts.
     *
     * @return a count.
     */
    public int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }

    /**
     * How long a peer waits when no receive is posted here.
     *
     * @return 0 to 31, a code of the InfiniBand specification.
     */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Number of the peer's QP.
     *
     * @return 24 bits.
     */
    public int destQpn() {
        return destQpn;
    }

    /**
     * Whether an event tells when the send queue is drained.
     *
     * @return true for an event.
     */
    public boolean sqdAsyncNotify() {
        return sqdAsyncNotify;
    }

    /**
     * For providers, which say so in {@link QueuePair#query}: whether the send queue is draining. {@link
     * QueuePair#modify} overlooks it: it is not among those {@link #given}, and has no bit in {@link #mask}.
     *
     * @param value true if so.
     * @return this.
     */
    public QpAttributes sqDraining(final boolean value) {
        sqDraining = value;
        return this;
    }

    /**
     * Whether the send queue is draining: the QP is in SQD, and what was begun before is not over. False where the
     * device does not answer ({@link Feature#QP_QUERY_ALL}).
     *
     * @return true if so when {@link QueuePair#query} asked; false in attributes that come from elsewhere.
     */
    public boolean sqDraining() {
        return sqDraining;
    }

    /**
     * Takes over what others say of how a QP is; what says how to change one is left out.
     *
     * @param others those that were given there replace these.
     * @return this.
     * @throws NullPointerException if it is null.
     */
    public QpAttributes merge(final QpAttributes others) {
        return merge(Objects.requireNonNull(others, "others"), others.given());
    }

    /**
     * Takes over some of what others say of how a QP is.
     *
     * @param others those that were given there replace these.
     * @param some   which of them.
     * @return this.
     * @throws NullPointerException if one of them is null.
     */
    public QpAttributes merge(final QpAttributes others, final Set<QpAttribute> some) {
        Objects.requireNonNull(others, "others");
        for (final QpAttribute attribute : Objects.requireNonNull(some, "some")) {
            if (others.has(attribute)) {
                copy(attribute, others);
            }
        }
        return this;
    }

    private void copy(final QpAttribute attribute, final QpAttributes from) {
        switch (attribute) {
            case STATE -> state(from.state());
            case ACCESS_FLAGS -> accessFlags(from.accessFlags());
            case PKEY_INDEX -> pkeyIndex(from.pkeyIndex());
            case PORT -> port(from.port());
            case QKEY -> qkey(from.qkey());
            case AV -> ah(from.ah());
            case PATH_MTU -> pathMtu(from.pathMtu());
            case TIMEOUT -> timeout(from.timeout());
            case RETRY_CNT -> retryCnt(from.retryCnt());
            case RNR_RETRY -> rnrRetry(from.rnrRetry());
            case RQ_PSN -> rqPsn(from.rqPsn());
            case SQ_PSN -> sqPsn(from.sqPsn());
            case MAX_QP_RD_ATOMIC -> maxRdAtomic(from.maxRdAtomic());
            case MAX_DEST_RD_ATOMIC -> maxDestRdAtomic(from.maxDestRdAtomic());
            case MIN_RNR_TIMER -> minRnrTimer(from.minRnrTimer());
            case DEST_QPN -> destQpn(from.destQpn());
            // The others say how to change a QP, not how it is.
            default -> { }
        }
    }

    @Override
    public String toString() {
        return "QpAttributes[state=" + state + " given=" + given + "]";
    }
}
