/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MrAccess;
import io.rdma4j.fabric.MrMode;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.RdmaContext;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Two connected endpoints, each in a domain of its own: on the device under test, and on that of the peers. Between two
 * ends of one device there is one fabric, as in a program that uses the device.
 */
final class FabricPair {
    /** Bits that an application that copes with everything offers. */
    static final Set<MrMode> EVERYTHING = EnumSet.complementOf(EnumSet.of(MrMode.BASIC, MrMode.SCALABLE));

    private final ConformanceEnv env;
    private final FabricSide near;
    private final FabricSide far;

    private FabricPair(final ConformanceEnv env, final FabricSide near, final FabricSide far) {
        this.env = env;
        this.near = near;
        this.far = far;
    }

    /** For messages; every mode bit is offered. */
    static FabricPair messages(final ConformanceEnv env) {
        return of(env, hints -> hints.capabilities(Capability.MSG));
    }

    /** For messages, RMA and, where the device has them, atomics. */
    static FabricPair rma(final ConformanceEnv env) {
        return of(env, hints -> hints.capabilities(Capability.MSG, Capability.RMA));
    }

    /** Asks for more; what is not asked for otherwise: every mode bit is offered. */
    static FabricPair of(final ConformanceEnv env, final UnaryOperator<Hints> wishes) {
        final FabricPair pair = unconnected(env, wishes);
        pair.near.connect(pair.far);
        return pair;
    }

    static FabricPair unconnected(final ConformanceEnv env, final UnaryOperator<Hints> wishes) {
        final FabricInfo info = info(env.device(), wishes);
        final Fabric fabric = env.own(Fabrics.open(info));
        final FabricSide near = FabricSide.of(env, env.own(fabric.openDomain(info)));
        if (!env.hasTwoDevices()) {
            return new FabricPair(env, near, FabricSide.of(env, env.own(fabric.openDomain(info))));
        }
        return new FabricPair(env, near, FabricSide.of(env, domain(env, env.peer(), wishes)));
    }

    /** A domain on the device under test. */
    static Domain domain(final ConformanceEnv env, final UnaryOperator<Hints> wishes) {
        return domain(env, env.device(), wishes);
    }

    private static Domain domain(
        final ConformanceEnv env, final RdmaContext device, final UnaryOperator<Hints> wishes) {
        final FabricInfo info = info(device, wishes);
        return env.own(env.own(Fabrics.open(info)).openDomain(info));
    }

    /** What fits best on an open device. */
    static FabricInfo info(final RdmaContext device, final UnaryOperator<Hints> wishes) {
        return Fabrics.getInfo(wishes.apply(new Hints().context(device).mrMode(EVERYTHING))).get(0);
    }

    FabricSide near() {
        return near;
    }

    FabricSide far() {
        return far;
    }

    FabricInfo info() {
        return near.domain().info();
    }

    FabricMemory nearMemory(final int length) {
        return near.buffer(length);
    }

    FabricMemory farMemory(final int length) {
        return far.memory(length, 0, MrAccess.SEND, MrAccess.RECV);
    }

    /** Sends one message with descriptors, and checks what arrives and that nothing else does. */
    void send(
        final FabricMemory from, final int fromOffset, final FabricMemory to, final int toOffset, final int length) {
        final int seed = 31 * toOffset + length;
        from.fill(seed, fromOffset, length);
        to.guard();
        far.post(() -> far.endpoint().receive(to.at(toOffset), length, to.region(), seed), "receive");
        near.post(() -> near.endpoint().send(from.at(fromOffset), length, from.region(), ~(long) seed), "send");
        near.next().expect(~(long) seed, OperationKind.SEND);
        far.next().expect(seed, OperationKind.RECEIVE).expectLength(length);
        to.expectOnly(seed, toOffset, length, length + " bytes received at offset " + toOffset);
        env.moved(length);
    }

    /** Messages go through: whatever went wrong elsewhere left the connection alone. */
    void expectMessagesFlow() {
        send(nearMemory(64), 0, farMemory(64), 0, 64);
    }
}
