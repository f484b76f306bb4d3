/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;

import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Memory of a file that another process cuts off while it is registered: who reads it next gets an error of the JVM. It
 * ends the work of that doorbell; nobody else waits for ever, and what was sent before has arrived.
 */
@Timeout(60)
class CutOffMemoryTest {
    private static final int PAGE = 4096;
    private static final int LENGTH = 64;

    @RegisterExtension
    final Devices devices = new Devices();

    @TempDir
    Path folder;

    private FileChannel file;

    private MemoryRegion lend(final Peer to) throws Exception {
        file = FileChannel.open(folder.resolve("lent"), StandardOpenOption.CREATE, StandardOpenOption.READ,
            StandardOpenOption.WRITE);
        final MappedByteBuffer lent = file.map(FileChannel.MapMode.READ_WRITE, 0, PAGE);
        return to.pd.register(lent, AccessFlag.LOCAL_WRITE);
    }

    private void cutOff() throws Exception {
        file.truncate(0);
        file.close();
    }

    private static SendRequest send(final long wrId, final long address, final int lkey) {
        return new SendRequest().wrId(wrId).flags(0).sge(address, LENGTH, lkey);
    }

    private static void receives(final Peer peer, final int count) {
        for (int i = 0; i < count; i++) {
            assertThat(peer.qp.postReceive(i, peer.at(LENGTH * i), LENGTH, peer.lkey())).isZero();
        }
    }

    private static void exchange(final Peer from, final Peer to, final long wrId) {
        assertThat(to.qp.postReceive(wrId, to.at(0), LENGTH, to.lkey())).isZero();
        assertThat(from.qp.postSend(wrId, from.at(0), LENGTH, from.lkey())).isZero();
        for (final Peer peer : List.of(to, from)) {
            final Completions.Copy completion = Completions.await(peer.cq, 1).get(0);
            assertThat(completion.status()).isEqualTo(WcStatus.SUCCESS);
            assertThat(completion.wrId()).isEqualTo(wrId);
        }
    }

    /** Where code is compiled, the error comes up some time later, and the message counts as sent. */
    private static void inAThreadOfItsOwn(final Runnable work) throws Exception {
        final List<Throwable> thrown = new CopyOnWriteArrayList<>();
        final Thread thread = new Thread(work);
        thread.setUncaughtExceptionHandler((who, what) -> thrown.add(what));
        thread.start();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(thrown).allMatch(InternalError.class::isInstance);
    }

    /** Of a row of sends: the first, one in the middle, the last. */
    @ParameterizedTest
    @ValueSource(ints = {0, 3, 5})
    void whatWasSentBeforeArrivesAndNothingStaysLocked(final int lost) throws Exception {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        a.connect(b);
        exchange(a, b, 77);
        final Peer c = new Peer(a.context, a.pd, a.cq, new QpOptions());
        final Peer d = new Peer(b.context, b.pd, b.cq, new QpOptions());
        c.connect(d);
        final MemoryRegion lent = lend(a);
        receives(b, 6);
        cutOff();
        final SendRequest[] row = new SendRequest[6];
        for (int i = 0; i < row.length; i++) {
            row[i] = i == lost ? send(i, lent.address(), lent.lkey()) : send(i, a.at(0), a.lkey());
        }

        inAThreadOfItsOwn(() -> a.qp.postSend(row, row.length));

        for (int i = 0; i < lost; i++) {
            assertThat(Completions.await(b.cq, 1).get(0).wrId()).isEqualTo(i);
        }
        b.cq.poll(completion -> assertThat(completion.wrId()).isGreaterThanOrEqualTo(lost), row.length);
        exchange(c, d, 88);
        b.qp.close();
        a.qp.close();
        exchange(c, d, 99);
    }
}
