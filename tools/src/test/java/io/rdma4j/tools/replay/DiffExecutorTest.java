/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.verbs.Gid;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

@Timeout(60)
class DiffExecutorTest {
    private static final String DEVICE = "emulated:differential";
    private static final Gid GID = Gid.parse("::ffff:10.9.9.1");

    /** Of the standard script, which waits now and then for what does not come. */
    private static DiffRecording plain;

    @BeforeAll
    static void playTheStandardScript() {
        plain = play(DEVICE, DiffScript.standard());
    }

    private static DiffRecording play(final String address, final DiffScript script) {
        return DiffExecutor.play(script, PciDevices.open(DeviceAddress.parse(address)), GID, 1);
    }

    private static DiffRecording play(final String address, final String... lines) {
        return play(address, DiffScript.parse("rdma4j-script 1\n" + String.join("\n", lines)));
    }

    @Test
    void playsTheSameScriptTheSameWayTwice() {
        final DiffComparison same =
            DiffComparison.of(plain, play(DEVICE, DiffScript.standard()), KnownDifferences.parse(""));
        assertThat(same.holds()).as(same.toString()).isTrue();
        assertThat(same.fields()).isGreaterThan(1000);
    }

    @Test
    void olderVersionsDifferInTheAnswerToCreateQpOnly() {
        final DiffComparison versions = DiffComparison.of(play(DEVICE + "?version=19", DiffScript.standard()),
            plain, KnownDifferences.parse("""
                CAPS version 19 20 asked for
                CREATE_QP qp_handle - qp* the second layout
                """));
        assertThat(versions.holds()).as(versions.toString()).isTrue();
    }

    @Test
    void recordsErrorsOfTheDevice() {
        final Map<String, String> fields =
            play(DEVICE, "QUERY_PORT port_num=9").entries().get(0).fields();
        assertThat(fields).containsEntry("err", "0xffffffea").containsEntry("hdr.ack", "0x80000000")
            .doesNotContainKey("attrs.state");
    }

    @Test
    void givesNamesForHandlesInAnswers() {
        final DiffRecording recording = play(DEVICE, "pd7 = CREATE_PD ctx_handle=0", "cq1 = CREATE_CQ cqe=4");
        assertThat(recording.entries().get(0).fields()).containsEntry("handle", "pd7");
        assertThat(recording.entries().get(1).fields()).containsEntry("cq_handle", "cq1").containsEntry("cqe", "0x4");
    }

    @Test
    void destroysWhatAScriptLeavesBehind() {
        for (int i = 0; i < 3; i++) {
            play(DEVICE + "?max_pd=1&max_cq=2", "pd0 = CREATE_PD ctx_handle=0", "cq0 = CREATE_CQ cqe=4");
        }
        final PciDevice device = PciDevices.open(DeviceAddress.parse(DEVICE));
        final long before = device.dma().reachableBytes();
        DiffExecutor.play(DiffScript.standard(), device, GID, 1);
        assertThat(device.dma().reachableBytes()).isEqualTo(before);
    }

    @Test
    void whatHasNoNameIsDestroyedAtOnce() {
        final String create = "CREATE_PD ctx_handle=0";
        final DiffRecording recording = play(DEVICE + "?max_pd=1", create, create, "pd0 = " + create);
        assertThat(recording.entries()).allSatisfy(entry -> assertThat(entry.fields()).containsEntry("err", "0x0"));
    }

    @Test
    void namesTheLineThatMakesNoSense() {
        refuses("NOSUCH x=1", "line 2", "no such verb");
        refuses("CREATE_PD nosuch=1", "line 2", "no field nosuch");
        refuses("DESTROY_PD handle=pd0", "line 2", "'pd0'");
        refuses("CREATE_BIND new_gid=$gif", "line 2", "$gif");
        refuses("CREATE_BIND new_gid=12", "line 2", "16 bytes");
        refuses("POLL_CQ count=1", "line 2", "cq=");
    }

    private static void refuses(final String line, final String... words) {
        assertThatThrownBy(() -> play(DEVICE, line)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContainingAll(words);
    }
}
