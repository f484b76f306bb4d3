/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.cmd.AhAttr;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifyQpRequest;
import io.rdma4j.hw.pvrdma.cmd.ModifySrqRequest;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryQpResponse;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PvrdmaCommandsTest {
    private static final long PDIR = 0x123_4567_8000L;

    private final FakePvrdma fake = new FakePvrdma();
    private PvrdmaDevice device;

    private PvrdmaCommands open() {
        device = fake.open();
        return device.commands();
    }

    @AfterEach
    void nothingIsLeft() {
        device.close();
        assertThat(device.commands().liveObjects()).isZero();
        assertThat(fake.iommu.mappings()).isZero();
    }

    private UnsafeBuffer last() {
        return fake.requests.get(fake.requests.size() - 1);
    }

    private static CreateQp qp(final int pd, final int cq) {
        return new CreateQp().pd(pd).cqs(cq, cq).pdirDma(PDIR);
    }

    @Test
    void createsACqAsAsked() {
        final CqHandle cq = open().createCq(PDIR, 128, 3);

        assertThat(cq).isEqualTo(new CqHandle(0, 128));
        final CreateCqRequest request = new CreateCqRequest().wrap(last(), 0);
        assertThat(request.get(CreateCqRequest.PDIR_DMA)).isEqualTo(PDIR);
        assertThat(request.get(CreateCqRequest.CTX_HANDLE)).isZero();
        assertThat(request.get(CreateCqRequest.CQE)).isEqualTo(128);
        assertThat(request.get(CreateCqRequest.NCHUNKS)).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"0,1", "-1,1", "100,3", "16384,257", "64,1", "64,3"})
    void refusesCqSizesBeforeTheDeviceSeesThem(final int cqe, final int nchunks) {
        final PvrdmaCommands commands = open();

        assertThatThrownBy(() -> commands.createCq(PDIR, cqe, nchunks))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
        assertThatThrownBy(() -> commands.createCq(0, 64, 2)).hasMessageContaining("pdir_dma");
        assertThat(fake.requests).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65, 96, 128, 0x40000000})
    void aDeviceThatGrantsMoreThanThereIsMemoryForIsGivenUp(final int granted) {
        fake.handlers.put(Command.CREATE_CQ, (request, response) -> response.putInt(20, granted));
        final PvrdmaCommands commands = open();

        assertThatThrownBy(() -> commands.createCq(PDIR, 64, 2))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD))
            .hasMessageContaining("answered " + granted + " entries when asked for 64");
        assertThat(device.failed()).isTrue();
        device.close();
        assertThat(fake.commandNames()).as("it has the CQ all the same").containsExactly("CREATE_CQ", "DESTROY_CQ");
    }

    @Test
    void aQpNumberThatNoPacketCanCarryFailsTheDevice() {
        fake.handlers.put(Command.CREATE_QP, (request, response) -> response.putInt(16, 0x1000000));
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();

        assertThatThrownBy(() -> commands.createQp(qp(pd, cq)))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD))
            .hasMessageContaining("QP number 0x1000000");
        assertThat(device.failed()).isTrue();
        fake.requests.clear();
        device.close();
        assertThat(fake.commandNames()).containsExactly("DESTROY_QP", "DESTROY_CQ", "DESTROY_PD");
    }

    @Test
    void createsAnRcQpAsAsked() {
        fake.handlers.put(Command.CREATE_QP, (request, response) -> {
            response.putInt(16, 0x1234);
            response.putInt(20, 0xabcdef);
            response.putInt(24, 64);
        });
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();

        final QpHandle handle = commands.createQp(qp(pd, cq).send(64, 3).recv(128, 1).signalAll(true));

        assertThat(handle.qpn()).isEqualTo(0x1234);
        assertThat(handle.handle()).isEqualTo(0xabcdef);
        assertThat(handle.maxSendWr()).isEqualTo(64);
        final CreateQpRequest request = new CreateQpRequest().wrap(last(), 0);
        assertThat(List.of(request.get(PD_HANDLE), request.get(SEND_CQ_HANDLE), request.get(RECV_CQ_HANDLE),
            request.get(MAX_SEND_WR), request.get(MAX_SEND_SGE), request.get(MAX_RECV_WR), request.get(MAX_RECV_SGE),
            request.get(TOTAL_CHUNKS), request.get(SEND_CHUNKS), request.get(SQ_SIG_ALL), request.get(QP_TYPE),
            request.get(IS_SRQ), request.get(ACCESS_FLAGS), request.get(MAX_INLINE_DATA)))
            .containsExactly(pd, cq, cq, 64, 3, 128, 1, 4, 2, 1, QpType.PVRDMA_QPT_RC, 0, 1, 0);
    }

    @Test
    void anOldDeviceHasOneNumberForHandleAndQpn() {
        fake.version = 19;
        fake.handlers.put(Command.CREATE_QP, (request, response) -> {
            response.putInt(16, 0x77);
            response.putInt(20, 32);
        });
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();

        final QpHandle handle = commands.createQp(qp(pd, cq).send(32, 1).recv(32, 1).type(QpType.PVRDMA_QPT_UD));

        assertThat(handle.qpn()).isEqualTo(0x77);
        assertThat(handle.handle()).isEqualTo(0x77);
        assertThat(handle.maxSendWr()).isEqualTo(32);
    }

    @Test
    void aQpWithAnSrqHasNoReceiveQueue() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int srq = commands.createSrq(pd, PDIR, 64, 2, 2);

        commands.createQp(qp(pd, cq).srq(srq).send(32, 1).recv(4096, 16));

        final CreateQpRequest request = new CreateQpRequest().wrap(last(), 0);
        assertThat(request.get(IS_SRQ)).isEqualTo(1);
        assertThat(request.get(SRQ_HANDLE)).isEqualTo(srq);
        assertThat(request.get(MAX_RECV_WR)).isZero();
        assertThat(request.get(MAX_RECV_SGE)).isZero();
        assertThat(request.get(TOTAL_CHUNKS)).isEqualTo(2);
    }

    @Test
    void refusesQpsThatDoNotFit() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int before = fake.requests.size();

        for (final CreateQp bad : List.of(qp(pd, cq).send(3, 1), qp(pd, cq).send(0, 1), qp(pd, cq).send(16384, 1),
            qp(pd, cq).send(1, 17), qp(pd, cq).send(1, 0), qp(pd, cq).recv(5, 1), qp(pd, cq).recv(1, 99),
            qp(pd, cq).pdirDma(0), qp(pd + 1, cq), qp(pd, cq + 1), qp(pd, cq).srq(9))) {
            assertThatThrownBy(() -> commands.createQp(bad)).as("%s", bad)
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
        }
        for (final int type : new int[] {0, 1, 3, 5}) {
            assertThatThrownBy(() -> commands.createQp(qp(pd, cq).type(type)))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EOPNOTSUPP));
        }
        assertThat(fake.requests).hasSize(before);
    }

    @Test
    void countsObjectsSoThatTheDeviceNeverSeesOneTooMany() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        commands.createPd();
        commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final List<Integer> srqs = List.of(commands.createSrq(pd, PDIR, 64, 1, 2),
            commands.createSrq(pd, PDIR, 64, 1, 2));
        for (int i = 0; i < 3; i++) {
            commands.createCq(PDIR, 64, 2);
        }
        for (int i = 0; i < 4; i++) {
            commands.createQp(qp(pd, cq));
        }
        final int before = fake.requests.size();

        refusesOneMore("max_pd of the device is 3", commands::createPd);
        refusesOneMore("max_cq of the device is 4", () -> commands.createCq(PDIR, 64, 2).handle());
        refusesOneMore("max_qp of the device is 4", () -> commands.createQp(qp(pd, cq)).handle());
        refusesOneMore("max_srq of the device is 2", () -> commands.createSrq(pd, PDIR, 64, 1, 2));
        assertThat(fake.requests).hasSize(before);

        commands.destroySrq(srqs.get(0));
        commands.createSrq(pd, PDIR, 64, 1, 2);
        assertThat(commands.liveObjects()).isEqualTo(13);
    }

    private static void refusesOneMore(final String why, final IntSupplier create) {
        assertThatThrownBy(create::getAsInt).satisfies(e -> Errors.hasErrno(e, RdmaException.ENOMEM))
            .hasMessageContaining(why).hasMessageContaining("close a");
    }

    @Test
    void aRefusedCreationFreesItsPlace() {
        final PvrdmaCommands commands = open();
        fake.errors.put(Command.CREATE_PD, -12);
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(commands::createPd).hasMessageContaining("ERR");
        }
        fake.errors.clear();

        for (int i = 0; i < 3; i++) {
            commands.createPd();
        }
        assertThat(commands.liveObjects()).isEqualTo(3);
    }

    @Test
    void aHandleGivenTwiceFailsTheDevice() {
        fake.handlers.put(Command.CREATE_PD, (request, response) -> response.putInt(16, 5));
        final PvrdmaCommands commands = open();
        commands.createPd();

        assertThatThrownBy(commands::createPd).hasMessageContaining("handle 0x5, which is in use");
        assertThat(device.failed()).isTrue();
    }

    @Test
    void aHandleThatNoDoorbellCanNameFailsTheDevice() {
        fake.handlers.put(Command.CREATE_CQ, (request, response) -> response.putInt(16, 0x1000000));
        final PvrdmaCommands commands = open();

        assertThatThrownBy(() -> commands.createCq(PDIR, 64, 2)).hasMessageContaining("0x1000000");
        assertThat(device.failed()).isTrue();
    }

    @Test
    void refusesHandlesThatDoNotExist() {
        final PvrdmaCommands commands = open();
        final Consumer<QpAttr> nothing = attr -> { };
        for (final Runnable bad : List.<Runnable>of(() -> commands.destroyPd(0), () -> commands.destroyMr(0),
            () -> commands.destroyCq(-1), () -> commands.destroyQp(1), () -> commands.destroySrq(7),
            () -> commands.modifyQp(0, 1, nothing), () -> commands.queryQp(0, 1, nothing),
            () -> commands.modifySrq(0, 1), () -> commands.querySrq(0, attr -> { }),
            () -> commands.createSrq(0, PDIR, 64, 1, 2), () -> commands.createMr(0, 0x1000, 1, 1, null, 1))) {
            assertThatThrownBy(bad::run).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL))
                .hasMessageContaining("there is no");
        }
        assertThat(fake.requests).isEmpty();
    }

    @Test
    void modifiesAndQueriesAQp() {
        fake.handlers.put(Command.QUERY_QP, (request, response) ->
            response.setMemory(16, QpAttr.LAYOUT.length(), (byte) 0x11));
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int qp = commands.createQp(qp(pd, cq)).handle();

        commands.modifyQp(qp, 0x1001, attr -> attr.set(QpAttr.QP_STATE, 3).set(QpAttr.RQ_PSN, 0x123456));
        final ModifyQpRequest request = new ModifyQpRequest().wrap(last(), 0);
        assertThat(request.get(ModifyQpRequest.QP_HANDLE)).isEqualTo(qp);
        assertThat(request.get(ModifyQpRequest.ATTR_MASK)).isEqualTo(0x1001);
        assertThat(request.get(ModifyQpRequest.ATTRS).get(QpAttr.QP_STATE)).isEqualTo(3);
        assertThat(request.get(ModifyQpRequest.ATTRS).get(QpAttr.RQ_PSN)).isEqualTo(0x123456);
        assertThat(request.get(ModifyQpRequest.ATTRS).get(QpAttr.SQ_PSN)).isZero();

        final List<Integer> seen = new ArrayList<>();
        commands.queryQp(qp, -1, attr -> seen.addAll(List.of(attr.get(QpAttr.QP_STATE), attr.get(QpAttr.PKEY_INDEX),
            attr.get(QpAttr.AH_ATTR).get(AhAttr.SL))));
        assertThat(seen).containsExactly(0x11111111, 0x1111, 0x11);
    }

    @Test
    void clearsWhatQemuFillsWithGarbage() {
        fake.qemu().handlers.put(Command.QUERY_QP, (request, response) ->
            response.setMemory(16, QpAttr.LAYOUT.length(), (byte) 0x11));
        final PvrdmaCommands commands = open();
        final int qp = commands.createQp(qp(commands.createPd(), commands.createCq(PDIR, 64, 2).handle())).handle();

        commands.queryQp(qp, -1, attr -> {
            assertThat(attr.get(QpAttr.QP_ACCESS_FLAGS)).isEqualTo(0x11111111);
            for (int i = QpAttr.PKEY_INDEX.offset(); i < QpAttr.LAYOUT.length(); i++) {
                assertThat(attr.buffer().getByte(attr.offset() + i)).as("byte %d", i).isZero();
            }
            assertThat(attr.offset()).isEqualTo(QueryQpResponse.ATTRS.offset());
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void modifiesAndQueriesAnSrqAlsoWhereTheNumbersAreSwapped(final boolean swapped) {
        if (swapped) {
            fake.qemu();
        }
        fake.handlers.put(Command.QUERY_SRQ, (request, response) -> {
            response.putInt(16, 64);
            response.putInt(24, 7);
        });
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int srq = commands.createSrq(pd, PDIR, 64, 1, 2);
        final CreateSrqRequest create = new CreateSrqRequest().wrap(last(), 0);
        assertThat(List.of(create.get(CreateSrqRequest.PD_HANDLE), create.get(CreateSrqRequest.NCHUNKS),
            create.get(CreateSrqRequest.ATTRS).get(SrqAttr.MAX_WR),
            create.get(CreateSrqRequest.ATTRS).get(SrqAttr.MAX_SGE)))
            .containsExactly(pd, 2, 64, 1);

        commands.modifySrq(srq, 7);
        final ModifySrqRequest modify = new ModifySrqRequest().wrap(last(), 0);
        assertThat(new CommandHeader().wrap(last(), 0).get(CommandHeader.CMD)).isEqualTo(swapped ? 19 : 18);
        assertThat(List.of(modify.get(ModifySrqRequest.SRQ_HANDLE), modify.get(ModifySrqRequest.ATTR_MASK),
            modify.get(ModifySrqRequest.ATTRS).get(SrqAttr.SRQ_LIMIT)))
            .containsExactly(srq, 2, 7);

        final List<Integer> seen = new ArrayList<>();
        commands.querySrq(srq, attr -> seen.addAll(List.of(attr.get(SrqAttr.MAX_WR), attr.get(SrqAttr.SRQ_LIMIT))));
        assertThat(new CommandHeader().wrap(last(), 0).get(CommandHeader.CMD)).isEqualTo(swapped ? 18 : 19);
        assertThat(seen).containsExactly(64, 7);
    }

    @Test
    void queriesPortsAndPkeys() {
        fake.handlers.put(Command.QUERY_PORT, (request, response) -> response.putInt(16, 4));
        fake.handlers.put(Command.QUERY_PKEY, (request, response) -> response.putInt(16, 0xffff));
        final PvrdmaCommands commands = open();

        assertThat(commands.queryPort(1).get(PortAttr.STATE)).isEqualTo(4);
        assertThat(commands.queryPkey(1, 1)).isEqualTo(0xffff);
        for (final Runnable bad : List.<Runnable>of(() -> commands.queryPort(0), () -> commands.queryPort(2),
            () -> commands.queryPkey(1, 2), () -> commands.queryPkey(1, -1), () -> commands.queryPkey(9, 0))) {
            assertThatThrownBy(bad::run).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL));
        }
    }

    @Test
    void registersTheDirectoryThatItIsGiven() {
        fake.handlers.put(Command.CREATE_MR, (request, response) -> {
            response.putInt(20, 0x100);
            response.putInt(24, 0x200);
        });
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        try (DmaPages pages = device.arena().allocate(2);
            PageDirectory directory = PageDirectory.of(device.arena(), pages)) {
            final MrKeys keys = commands.createMr(pd, 0x5010, 5000, 7, directory, 2);
            assertThat(keys.lkey()).isEqualTo(0x100);
            assertThat(keys.rkey()).isEqualTo(0x200);
            final CreateMrRequest request = new CreateMrRequest().wrap(last(), 0);
            assertThat(request.get(CreateMrRequest.START)).isEqualTo(0x5010);
            assertThat(request.get(CreateMrRequest.LENGTH)).isEqualTo(5000);
            assertThat(request.get(CreateMrRequest.PDIR_DMA)).isEqualTo(directory.pdirDma());
            assertThat(List.of(request.get(CreateMrRequest.PD_HANDLE), request.get(CreateMrRequest.ACCESS_FLAGS),
                request.get(CreateMrRequest.FLAGS), request.get(CreateMrRequest.NCHUNKS)))
                .containsExactly(pd, 7, 0, 2);
            commands.destroyMr(keys.handle());
        }
    }

    @Test
    void closeDestroysWhatWasLeftUsersFirst() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        final int cq = commands.createCq(PDIR, 64, 2).handle();
        final int srq = commands.createSrq(pd, PDIR, 64, 1, 2);
        commands.createQp(qp(pd, cq).srq(srq));
        commands.createQp(qp(pd, cq));
        fake.errors.put(Command.DESTROY_SRQ, -16);
        fake.requests.clear();

        device.close();

        assertThat(fake.commandNames()).containsExactly("DESTROY_QP", "DESTROY_QP", "DESTROY_SRQ", "DESTROY_CQ",
            "DESTROY_PD");
        assertThat(commands.liveObjects()).isZero();
        commands.destroyPd(pd);
        assertThat(fake.requests).hasSize(5);
    }

    @Test
    void aRefusedDestructionKeepsTheObjectCounted() {
        final PvrdmaCommands commands = open();
        final int pd = commands.createPd();
        fake.errors.put(Command.DESTROY_PD, -16);

        assertThatThrownBy(() -> commands.destroyPd(pd)).satisfies(e -> Errors.hasErrno(e, RdmaException.EBUSY));

        assertThat(commands.liveObjects()).isEqualTo(1);
        fake.errors.clear();
        commands.destroyPd(pd);
        assertThat(commands.liveObjects()).isZero();
    }
}
