/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.GidType;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** GIDs of RoCE version 1, and libraries that do not tell of which version one is. */
@EnabledIf("hasGcc")
class GidTypesTest {
    private static final long NO_FUNCTION = 0;

    private IbvContext context;

    static boolean hasGcc() {
        return Stub.isThere();
    }

    @AfterEach
    void everythingIsGivenBack() {
        Stub.ask("stub_refuse_states", 0);
        Stub.ask("stub_ports", 1);
        Stub.ask("stub_gids", 3);
        Stub.ask("stub_gid_types", GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        if (context != null) {
            context.close();
        }
        Stub.assertNothingIsLeft();
    }

    private void open(final int first, final int second) {
        Stub.ask("stub_gid_types", first, second);
        context = Stub.open();
    }

    private QpAttributes toRtr(final QueuePair qp, final int source) {
        return QpAttributes.to(QpState.RTR).ah(new AhAttributes(Gid.parse("fe80::9"), source, 64, 0, 0, 0, 1))
            .pathMtu(Mtu.MTU_1024).destQpn(qp.qpNumber()).rqPsn(0).maxDestRdAtomic(1).minRnrTimer(12);
    }

    private QueuePair refusedQp() {
        final QueuePair qp = context.allocatePd().createQp(
            new QpOptions().cq(context.createCq(64)).maxSendWr(8).maxReceiveWr(8));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        Stub.ask("stub_refuse_states", RdmaException.ETIMEDOUT);
        return qp;
    }

    @Test
    void aDeviceWithoutVersion2SaysSoWhenAPeerIsNotFound() {
        open(GidTypes.ROCE_V1, GidTypes.ROCE_V1);
        assertThat(context.queryGid(1, 0)).isEqualTo(Gid.parse("fe80::1"));
        assertThat(context.queryGidType(1, 0)).isEqualTo(GidType.ROCE_V1);
        final QueuePair qp = refusedQp();
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 0))).hasMessageContaining("EHOSTUNREACH")
            .hasMessageContaining("GID index 0, fe80::1, is of RoCE version 1")
            .hasMessageContaining("this port has none of version 2");
    }

    @Test
    void whereThereIsVersion2ItIsNamed() {
        open(GidTypes.ROCE_V1, GidTypes.ROCE_V2);
        assertThat(context.queryGidType(1, 0)).isEqualTo(GidType.ROCE_V2);
        assertThat(context.queryGidType(1, 1)).isEqualTo(GidType.ROCE_V1);
        final QueuePair qp = refusedQp();
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 1)))
            .hasMessageContaining("GID index 1, fe80::1, is of RoCE version 1")
            .hasMessageContaining("send from GID index 0, ::ffff:10.0.0.7");
        assertThatThrownBy(() -> qp.modify(toRtr(qp, 0))).hasMessageContaining("is the peer's GID reachable");
    }

    /** As in Ubuntu 20.04, whose rdma-core 28 lacks the function. */
    @Test
    void theKernelTellsWhereTheLibraryDoesNot(@TempDir final Path ports) throws IOException {
        open(GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        final Path files = Files.createDirectories(ports.resolve("1/gid_attrs/types"));
        Files.writeString(files.resolve("0"), "IB/RoCE v1\n");
        Files.writeString(files.resolve("1"), "RoCE v2\n");
        final GidTypes types = new GidTypes(context, NO_FUNCTION, ports);
        assertThat(types.of(1, 0)).isEqualTo(GidTypes.ROCE_V1);
        assertThat(types.of(1, 1)).isEqualTo(GidTypes.ROCE_V2);
        assertThat(types.of(1, 2)).isEqualTo(GidTypes.NONE);
        final GidTable table = new GidTable(context, types, null);
        assertThat(table.get(1, 0)).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
        assertThat(table.typeOf(1, 1)).isEqualTo(GidType.ROCE_V1);
    }

    /** Each port has a network device, and a table, of its own. */
    @Test
    void ofEachPortTheBestOneIsFirst(@TempDir final Path ports) throws IOException {
        Stub.ask("stub_ports", 2);
        open(GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        for (int port = 1; port <= 2; port++) {
            final Path files = Files.createDirectories(ports.resolve(port + "/gid_attrs/types"));
            Files.writeString(files.resolve(Integer.toString(port - 1)), "IB/RoCE v1\n");
            Files.writeString(files.resolve(Integer.toString(2 - port)), "RoCE v2\n");
        }
        final GidTable table = new GidTable(context, new GidTypes(context, NO_FUNCTION, ports), null);
        assertThat(table.get(1, 0)).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
        assertThat(table.get(1, 1)).isEqualTo(Gid.parse("fe80::1"));
        assertThat(table.get(2, 0)).isEqualTo(Gid.parse("fe80::101"));
        assertThat(table.get(2, 1)).isEqualTo(Gid.parse("::ffff:10.0.1.7"));
    }

    /** The library has a byte for the index; SoftRoCE has a table of 1,024. */
    @Test
    void aGidThatTheLibraryCannotNameHasNoIndex() {
        Stub.ask("stub_gids", 1000);
        open(GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        assertThat(context.attributes().gidTableLength()).isEqualTo(256);
        assertThat(context.queryPort(1).gidTableLength()).isEqualTo(256);
        assertThat(context.queryGid(1, 255)).isEqualTo(Gid.ZERO);
        assertThatThrownBy(() -> context.queryGid(1, 256)).hasMessageContaining("GID index")
            .hasMessageContaining("EINVAL");
    }

    @Test
    void aQueuePairTellsTheGidOfItsPort() {
        Stub.ask("stub_ports", 2);
        open(GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        final QueuePair qp = context.allocatePd().createQp(
            new QpOptions().cq(context.createCq(64)).maxSendWr(8).maxReceiveWr(8));
        assertThat(qp.localAddress().gid()).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
        qp.modify(QpAttributes.to(QpState.INIT).port(2).pkeyIndex(0).accessFlags(Set.of()));
        assertThat(qp.localAddress().gid()).isEqualTo(Gid.parse("::ffff:10.0.1.7"));
    }

    @Test
    void whereNobodyTellsTheFirstOneIsTaken(@TempDir final Path ports) {
        open(GidTypes.ROCE_V2, GidTypes.ROCE_V2);
        final GidTable table = new GidTable(context, new GidTypes(context, NO_FUNCTION, ports), null);
        assertThat(table.get(1, 0)).isEqualTo(Gid.parse("fe80::1"));
        assertThat(table.typeOf(1, 0)).isEqualTo(GidType.ROCE_V2);
        assertThat(table.objection(1, 0)).isNull();
        final GidTable wished =
            new GidTable(context, new GidTypes(context, NO_FUNCTION, ports), Gid.parse("::ffff:10.0.0.7"));
        assertThat(wished.get(1, 0)).isEqualTo(Gid.parse("::ffff:10.0.0.7"));
    }
}
