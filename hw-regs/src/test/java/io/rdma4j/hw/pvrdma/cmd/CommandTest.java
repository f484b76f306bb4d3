/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandTest {
    private final UnsafeBuffer slot = new UnsafeBuffer(new byte[4096]);

    @ParameterizedTest
    @CsvSource({
        "0, QUERY_PORT, 24, 64, true",
        "1, QUERY_PKEY, 24, 24, true",
        "2, CREATE_PD, 24, 24, true",
        "3, DESTROY_PD, 24, 0, false",
        "4, CREATE_MR, 56, 32, true",
        "5, DESTROY_MR, 24, 0, false",
        "6, CREATE_CQ, 40, 24, true",
        "7, RESIZE_CQ, 24, 24, true",
        "8, DESTROY_CQ, 24, 0, false",
        "9, CREATE_QP, 80, 48, true",
        "10, MODIFY_QP, 184, 16, true",
        "11, QUERY_QP, 24, 176, true",
        "12, DESTROY_QP, 24, 24, false",
        "13, CREATE_UC, 24, 24, true",
        "14, DESTROY_UC, 24, 0, false",
        "15, CREATE_BIND, 48, 0, false",
        "16, DESTROY_BIND, 40, 0, false",
        "17, CREATE_SRQ, 56, 24, true",
        "18, MODIFY_SRQ, 40, 0, false",
        "19, QUERY_SRQ, 24, 32, true",
        "20, DESTROY_SRQ, 24, 0, false",
        "64, CREATE_MW, 24, 24, true",
        "65, DESTROY_MW, 24, 0, false",
        "66, RESIZE_CQ_RING, 40, 24, true",
    })
    void hasTheDevicesNumberAndSizes(int id, Command command, int request, int response, boolean awaited) {
        assertThat(command.id()).isEqualTo(id);
        assertThat(Command.of(id)).isSameAs(command);
        assertThat(command.ack()).isEqualTo(0x8000_0000 | id);
        assertThat(command.requestLength()).isEqualTo(request).isLessThanOrEqualTo(Command.REQUEST_MAX);
        assertThat(command.responseLength(20)).isEqualTo(response).isLessThanOrEqualTo(Command.RESPONSE_MAX);
        assertThat(command.awaitsResponse()).isEqualTo(awaited);
    }

    @ParameterizedTest
    @EnumSource(Command.class)
    void layoutsAreAsLongAsTheDeviceExpects(Command command) {
        assertThat(command.request().name()).endsWith(
            command.request() == HandleRequest.LAYOUT ? "_handle" : "_cmd_" + command.name().toLowerCase(Locale.ROOT));
        for (int version = 17; version <= 20; version++) {
            assertThat(command.response(version).length()).as("version %d", version)
                .isEqualTo(Math.max(ResponseHeader.LAYOUT.length(), command.responseLength(version)));
        }
    }

    @Test
    void thereAreTwentyOneCommandsAndThreeExtensions() {
        assertThat(Command.values()).hasSize(24);
        assertThat(Stream.of(Command.values()).filter(Command::isExtension)).hasSize(3)
            .allMatch(command -> command.id() >= 64);
        assertThat(Command.REQUEST_MAX).isEqualTo(184);
        assertThat(Command.RESPONSE_MAX).isEqualTo(176);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 21, 63, 67, 255, Integer.MIN_VALUE, Integer.MAX_VALUE})
    void knowsNoOtherNumbers(int id) {
        assertThat(Command.of(id)).isNull();
    }

    @ParameterizedTest
    @CsvSource({"17, 40", "18, 40", "19, 40", "20, 48", "21, 48"})
    void createQpAnswersByDeviceVersion(int version, int length) {
        assertThat(Command.CREATE_QP.responseLength(version)).isEqualTo(length);
        assertThat(Command.CREATE_QP.response(version).length()).isEqualTo(length);
        assertThat(Command.QUERY_PORT.responseLength(version)).isEqualTo(64);
    }

    @Test
    void oldAnswerToCreateQpHasNumberForHandle() {
        load("0100000000000000 09000080 00 000000  11220000 40000000 80000000 03000000 02000000 00000000");
        final CreateQpResult created = CreateQpResult.read(17, slot);

        assertThat(created.qpn()).isEqualTo(0x2211);
        assertThat(created.qpHandle()).isEqualTo(0x2211);
        assertThat(created.maxSendWr()).isEqualTo(64);
        assertThat(created.maxRecvWr()).isEqualTo(128);
        assertThat(created.maxSendSge()).isEqualTo(3);
        assertThat(created.maxRecvSge()).isEqualTo(2);
    }

    @Test
    void newAnswerToCreateQpHasAHandleOfItsOwn() {
        load("0100000000000000 09000080 00 000000  11220000 33440000 40000000 80000000 03000000 02000000 00000000");
        final CreateQpResult created = CreateQpResult.read(20, slot);

        assertThat(created.qpn()).isEqualTo(0x2211);
        assertThat(created.qpHandle()).isEqualTo(0x4433);
        assertThat(created.maxSendWr()).isEqualTo(64);
        assertThat(created.maxRecvSge()).isEqualTo(2);
    }

    @Test
    void oldAnswerRefusesAHandleThatIsNotTheNumber() {
        final CreateQpResult created = new CreateQpResult(5, 5, 1, 2, 3, 4);
        created.write(19, slot);

        assertThat(CreateQpResult.read(19, slot)).isEqualTo(created);
        assertThatThrownBy(() -> new CreateQpResult(5, 6, 1, 2, 3, 4).write(19, slot))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("qp_handle 6").hasMessageContaining("qpn 5");
    }

    @Test
    void newAnswerTakesAnyHandle() {
        final CreateQpResult created = new CreateQpResult(5, 6, 1, 2, 3, 4);
        created.write(20, slot);

        assertThat(CreateQpResult.read(20, slot)).isEqualTo(created);
        assertThat(hex(16)).as("the header is the caller's").isEqualTo("00".repeat(16));
    }

    @Test
    void writesCreateMr() {
        final CreateMrRequest request = new CreateMrRequest().wrap(slot, 0).set(CreateMrRequest.START, 0x14_1200)
            .set(CreateMrRequest.LENGTH, 10_000)
            .set(CreateMrRequest.PDIR_DMA, 0x1_0000_5000L).set(CreateMrRequest.PD_HANDLE, 0)
            .set(CreateMrRequest.ACCESS_FLAGS, 7).set(CreateMrRequest.NCHUNKS, 3);
        request.header().set(CommandHeader.RESPONSE, 42).cmd(Command.CREATE_MR);

        final String golden = """
            2a00000000000000 04000000 00000000  0012140000000000 1027000000000000
            0050000001000000 00000000 07000000  00000000 03000000
            """.replaceAll("\\s", "");
        assertThat(hex(CreateMrRequest.LAYOUT.length())).isEqualTo(golden);
        assertThat(request.toString()).contains("(CREATE_MR)", "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", "0x141200");
    }

    @Test
    void writesCreateMw() {
        new CreateMwRequest().wrap(slot, 0).set(CreateMwRequest.PD_HANDLE, 0x11).set(CreateMwRequest.TYPE, 2)
            .header().cmd(Command.CREATE_MW);

        assertThat(hex(24)).isEqualTo("0000000000000000" + "40000000" + "00000000" + "11000000" + "02000000");
    }

    @Test
    void writesResizeCqRing() {
        new ResizeCqRingRequest().wrap(slot, 0).set(ResizeCqRingRequest.PDIR_DMA, 0x1_0000_7000L)
            .set(ResizeCqRingRequest.CQ_HANDLE, 5).set(ResizeCqRingRequest.CQE, 256).set(ResizeCqRingRequest.NCHUNKS, 5)
            .header().cmd(Command.RESIZE_CQ_RING);

        assertThat(hex(40)).isEqualTo("0000000000000000" + "42000000" + "00000000" + "0070000001000000"
            + "05000000" + "00010000" + "05000000" + "00000000");
    }

    @Test
    void writesCreateQp() {
        new CreateQpRequest().wrap(slot, 0).set(PDIR_DMA, 0x7000).set(PD_HANDLE, 1).set(SEND_CQ_HANDLE, 2)
            .set(RECV_CQ_HANDLE, 3).set(SRQ_HANDLE, 0)
            .set(MAX_SEND_WR, 64).set(MAX_RECV_WR, 128).set(MAX_SEND_SGE, 3).set(MAX_RECV_SGE, 2).set(ACCESS_FLAGS, 1)
            .set(TOTAL_CHUNKS, 5).set(SEND_CHUNKS, 2).set(SQ_SIG_ALL, 1).set(QP_TYPE, 2)
            .header().cmd(Command.CREATE_QP);

        final String golden = """
            0000000000000000 09000000 00000000  0070000000000000 01000000 02000000
            03000000 00000000 40000000 80000000 03000000 02000000 00000000 00000000
            01000000 0500 0200 0000 01 02 00 000000
            """.replaceAll("\\s", "");
        assertThat(hex(CreateQpRequest.LAYOUT.length())).isEqualTo(golden);
    }

    @Test
    void writesModifyQpToReadyToReceive() {
        final byte[] gid = HexFormat.of().parseHex("fe80000000000000025056fffe123456");
        final ModifyQpRequest request = new ModifyQpRequest().wrap(slot, 0).set(ModifyQpRequest.QP_HANDLE, 9)
            .set(ModifyQpRequest.ATTR_MASK, 0x12_9181);
        request.header().cmd(Command.MODIFY_QP);
        request.get(ModifyQpRequest.ATTRS).set(QpAttr.QP_STATE, 2).set(QpAttr.PATH_MTU, 3).set(QpAttr.RQ_PSN, 0xabcdef)
            .set(QpAttr.DEST_QP_NUM, 17).set(QpAttr.MAX_DEST_RD_ATOMIC, 1).set(QpAttr.MIN_RNR_TIMER, 12)
            .get(QpAttr.AH_ATTR).set(AhAttr.GRH_DGID, gid).set(AhAttr.GRH_SGID_INDEX, 1).set(AhAttr.GRH_HOP_LIMIT, 64)
            .set(AhAttr.AH_FLAGS, 1).set(AhAttr.PORT_NUM, 1).set(AhAttr.DMAC, HexFormat.of().parseHex("005056123456"));

        final String header = "0000000000000000 0a000000 00000000 09000000 81911200";
        final String attributes = "02000000 00000000 03000000 00000000 00000000 efcdab00 00000000 11000000"
            + "00000000 0000 0000 00 00 00 01 0c 00 00 00 00 00 00 0000000000" + "00".repeat(24);
        final String path = "fe80000000000000025056fffe123456 00000000 01 40 00 00 0000 0000 00 00 00 01 01"
            + "005056123456 00" + "00".repeat(40);
        assertThat(hex(184)).isEqualTo((header + attributes + path).replace(" ", ""));
        assertThat(request.toString()).contains("(RTR)", "attrs.ah_attr.grh.dgid", "STATE|AV|PATH_MTU|RQ_PSN|");
    }

    @Test
    void shortPageFrameNumberClearsTheUpperHalf() {
        final CreateUcRequest request = new CreateUcRequest().wrap(slot, 0)
            .set(CreateUcRequest.PFN64, -1L).pfn(0xfebf_0001);

        assertThat(hex(24)).endsWith("0100bffe00000000");
        assertThat(request.pfn()).isEqualTo(0xfebf_0001);
        assertThat(request.get(CreateUcRequest.PFN64)).isEqualTo(0xfebf_0001L);
    }

    @Test
    void responseHeaderNamesTheCommandAnswered() {
        final ResponseHeader header = new ResponseHeader().wrap(slot, 0).set(ResponseHeader.RESPONSE, 7)
            .set(ResponseHeader.ACK, 0x8000_0013).set(ResponseHeader.ERR, 22);

        assertThat(header.toString()).contains("(QUERY_SRQ)", "0x16 (22)");
        assertThat(header.set(ResponseHeader.ACK, 0x13).toString()).as("without the flag").contains("(unknown 0x13)");
        assertThat(header.set(ResponseHeader.ACK, 0x8000_0100).toString()).contains("(unknown 0x80000100)");
    }

    @Test
    void commandHeaderNamesTheCommand() {
        final CommandHeader header = new CommandHeader().wrap(slot, 0).cmd(Command.DESTROY_SRQ);

        assertThat(header.get(CommandHeader.CMD)).isEqualTo(20);
        assertThat(header.toString()).contains("(DESTROY_SRQ)");
        assertThat(header.set(CommandHeader.CMD, 99).toString()).contains("(unknown 0x63)");
    }

    @Test
    void refusesAnAddressOfAnotherLength() {
        final CreateBindRequest request = new CreateBindRequest().wrap(slot, 0);
        assertThatThrownBy(() -> request.set(CreateBindRequest.NEW_GID,
            new byte[15])).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("15").hasMessageContaining("16");
        assertThat(hex(48)).isEqualTo("00".repeat(48));
    }

    private void load(String hex) {
        slot.putBytes(0, HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private String hex(int length) {
        final byte[] bytes = new byte[length];
        slot.getBytes(0, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
