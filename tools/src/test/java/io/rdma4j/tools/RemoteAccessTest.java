/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;

import java.util.Set;

/** A refused remote access is explained: by the QP, and by {@code errors --pid}. */
class RemoteAccessTest {
    private static final int LENGTH = 64;

    private final RdmaContext context = RdmaDevices.open("emulated:remote-access");

    /** Writes to offset 4096 of memory, of which the region has 8192 bytes; both texts. */
    private String write(final Set<AccessFlag> qpRights, final AccessFlag regionRight, final int keyDelta,
        final int length) {
        return write(qpRights, regionRight, keyDelta, length, WcStatus.REM_ACCESS_ERR);
    }

    private String write(final Set<AccessFlag> qpRights, final AccessFlag regionRight, final int keyDelta,
        final int length, final WcStatus status) {
        try (context;
             ProtectionDomain pd = context.allocatePd();
             PinnedMemory memory = context.allocate(8192);
             MemoryRegion own = pd.register(memory, AccessFlag.LOCAL_WRITE);
             MemoryRegion target = pd.register(memory, AccessFlag.LOCAL_WRITE, regionRight);
             CompletionQueue cq = context.createCq(512);
             QueuePair a = pd.createQp(new QpOptions().cq(cq));
             QueuePair b = pd.createQp(new QpOptions().cq(cq))) {
            QpConnector.connect(a, b.localAddress());
            QpConnector.connect(b, a.localAddress(), new QpAttributes().accessFlags(qpRights));
            assertThat(a.failure()).isNull();
            final long address = memory.address() + 4096;
            final int rkey = target.rkey() + keyDelta;
            a.postSend(new SendRequest().wrId(7).opcode(SendOpcode.RDMA_WRITE).remote(address, rkey)
                .sge(memory.address(), length, own.lkey()));
            // The emulated device did it on this thread.
            assertThat(cq.poll(done -> assertThat(done.status()).isEqualTo(status), 1)).isOne();
            final String where = String.format("%d bytes at remote address 0x%x with rkey 0x%x", length, address, rkey);
            assertThat(a.failure()).contains("RDMA_WRITE", "wr_id 0x7", where, status.name(), a.toString());
            assertThat(b.failure()).as("of receives nothing is told").isNull();
            final Cli.Outcome errors = Cli.run("errors", "--pid", Long.toString(ProcessHandle.current().pid()), "-d",
                "emulated:remote-access");
            assertThat(errors.exitCode()).as(errors.err()).isZero();
            assertThat(errors.out()).contains(a.failure(), String.format("QP 0x%06x", b.qpNumber()),
                String.format("%d bytes at 0x%x with rkey 0x%x", length, address, rkey));
            return errors.out();
        }
    }

    @Test
    void byTheQp() {
        assertThat(write(Set.of(AccessFlag.REMOTE_READ), AccessFlag.REMOTE_WRITE, 0, LENGTH,
            WcStatus.REM_INV_REQ_ERR)).contains("the QP does not grant REMOTE_WRITE");
    }

    @Test
    void byTheRegion() {
        assertThat(write(Set.of(AccessFlag.REMOTE_WRITE), AccessFlag.REMOTE_READ, 0, LENGTH))
            .contains("the region does not grant REMOTE_WRITE", "access LOCAL_WRITE|REMOTE_READ");
    }

    @Test
    void byTheKey() {
        assertThat(write(Set.of(AccessFlag.REMOTE_WRITE), AccessFlag.REMOTE_WRITE, 1, LENGTH))
            .contains("no region or window has this rkey");
    }

    @Test
    void byTheLength() {
        assertThat(write(Set.of(AccessFlag.REMOTE_WRITE), AccessFlag.REMOTE_WRITE, 0, 4097))
            .contains("does not hold all of these bytes");
    }
}
