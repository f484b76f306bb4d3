/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
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
        assertThat(CommandLayouts.request(command).length()).isEqualTo(command.requestLength());
        for (int version = 17; version <= 20; version++) {
            assertThat(CommandLayouts.response(command, version).length()).as("version %d", version)
                .isEqualTo(Math.max(ResponseHeader.LENGTH, command.responseLength(version)));
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
        assertThat(CreateQpResponse.forVersion(version).layout().length()).isEqualTo(length);
        assertThat(Command.QUERY_PORT.responseLength(version)).isEqualTo(64);
    }

    @Test
    void oldAnswerToCreateQpHasNumberForHandle() {
        load("0100000000000000 09000080 00 000000  11220000 40000000 80000000 03000000 02000000 00000000");
        final CreateQpResult created = CreateQpResponse.forVersion(17).wrap(slot, 0);

        assertThat(created.header().ack()).isEqualTo(Command.CREATE_QP.ack());
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
        final CreateQpResult created = CreateQpResponse.forVersion(20).wrap(slot, 0);

        assertThat(created.qpn()).isEqualTo(0x2211);
        assertThat(created.qpHandle()).isEqualTo(0x4433);
        assertThat(created.maxSendWr()).isEqualTo(64);
        assertThat(created.maxRecvSge()).isEqualTo(2);
    }

    @Test
    void oldAnswerRefusesAHandleThatIsNotTheNumber() {
        final CreateQpResult created = CreateQpResponse.forVersion(19).wrap(slot, 0).qpn(5);

        assertThat(created.qpHandle(5).qpHandle()).isEqualTo(5);
        assertThatThrownBy(() -> created.qpHandle(6)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("qp_handle 6").hasMessageContaining("qpn 5");
    }

    @Test
    void newAnswerTakesAnyHandle() {
        assertThat(CreateQpResponse.forVersion(20).wrap(slot, 0).qpn(5).qpHandle(6).qpHandle()).isEqualTo(6);
    }

    @Test
    void writesCreateMr() {
        final CreateMrRequest request = new CreateMrRequest().wrap(slot, 0).start(0x14_1200).length(10_000)
            .pdirDma(0x1_0000_5000L).pd(0).access(7).nchunks(3);
        request.header().response(42).cmd(Command.CREATE_MR);

        final String golden = """
            2a00000000000000 04000000 00000000  0012140000000000 1027000000000000
            0050000001000000 00000000 07000000  00000000 03000000
            """.replaceAll("\\s", "");
        assertThat(hex(CreateMrRequest.LENGTH)).isEqualTo(golden);
        assertThat(request.toString()).contains("(CREATE_MR)", "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ", "0x141200");
    }

    @Test
    void writesCreateMw() {
        new CreateMwRequest().wrap(slot, 0).pd(0x11).type(2).header().cmd(Command.CREATE_MW);

        assertThat(hex(24)).isEqualTo("0000000000000000" + "40000000" + "00000000" + "11000000" + "02000000");
    }

    @Test
    void writesResizeCqRing() {
        new ResizeCqRingRequest().wrap(slot, 0).pdirDma(0x1_0000_7000L).cqHandle(5).cqe(256).nchunks(5)
            .header().cmd(Command.RESIZE_CQ_RING);

        assertThat(hex(40)).isEqualTo("0000000000000000" + "42000000" + "00000000" + "0070000001000000"
            + "05000000" + "00010000" + "05000000" + "00000000");
    }

    @Test
    void writesCreateQp() {
        new CreateQpRequest().wrap(slot, 0).pdirDma(0x7000).pd(1).sendCq(2).recvCq(3).srq(0)
            .maxSendWr(64).maxRecvWr(128).maxSendSge(3).maxRecvSge(2).access(1).totalChunks(5).sendChunks(2)
            .sqSigAll(1).qpType(2)
            .header().cmd(Command.CREATE_QP);

        final String golden = """
            0000000000000000 09000000 00000000  0070000000000000 01000000 02000000
            03000000 00000000 40000000 80000000 03000000 02000000 00000000 00000000
            01000000 0500 0200 0000 01 02 00 000000
            """.replaceAll("\\s", "");
        assertThat(hex(CreateQpRequest.LENGTH)).isEqualTo(golden);
    }

    @Test
    void writesModifyQpToReadyToReceive() {
        final byte[] gid = HexFormat.of().parseHex("fe80000000000000025056fffe123456");
        final ModifyQpRequest request = new ModifyQpRequest().wrap(slot, 0).qpHandle(9).attrMask(0x12_9181);
        request.header().cmd(Command.MODIFY_QP);
        request.qpAttr().qpState(2).pathMtu(3).rqPsn(0xabcdef).destQpNum(17).maxDestRdAtomic(1).minRnrTimer(12)
            .ahAttr().dgid(gid).sgidIndex(1).hopLimit(64).ahFlags(1).portNum(1)
            .dmac(HexFormat.of().parseHex("005056123456"));

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
        final CreateUcRequest request = new CreateUcRequest().wrap(slot, 0).pfn64(-1L).pfn(0xfebf_0001);

        assertThat(hex(24)).endsWith("0100bffe00000000");
        assertThat(request.pfn()).isEqualTo(0xfebf_0001);
        assertThat(request.pfn64()).isEqualTo(0xfebf_0001L);
    }

    @Test
    void responseHeaderNamesTheCommandAnswered() {
        final ResponseHeader header = new ResponseHeader().wrap(slot, 0).response(7).ack(0x8000_0013).err(22);

        assertThat(header.toString()).contains("(QUERY_SRQ)", "0x16 (22)");
        assertThat(header.ack(0x13).toString()).as("without the flag").contains("(unknown 13)");
        assertThat(header.ack(0x8000_0100).toString()).contains("(unknown 80000100)");
    }

    @Test
    void commandHeaderNamesTheCommand() {
        final CommandHeader header = new CommandHeader().wrap(slot, 0).cmd(Command.DESTROY_SRQ);

        assertThat(header.cmd()).isEqualTo(20);
        assertThat(header.toString()).contains("(DESTROY_SRQ)");
        assertThat(header.cmd(99).toString()).contains("(unknown 99)");
    }

    @Test
    void refusesAnAddressOfAnotherLength() {
        final CreateBindRequest request = new CreateBindRequest().wrap(slot, 0);
        assertThatThrownBy(() -> request.gid(new byte[15])).isInstanceOf(IllegalArgumentException.class)
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
