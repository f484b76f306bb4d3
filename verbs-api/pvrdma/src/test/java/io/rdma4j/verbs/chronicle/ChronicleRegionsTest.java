/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.MappedBytes;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ChronicleRegionsTest {
    private RdmaContext device;
    private ProtectionDomain pd;

    @TempDir
    Path folder;

    @BeforeEach
    void open() {
        device = RdmaDevices.open("emulated:chronicle");
        pd = device.allocatePd();
    }

    @AfterEach
    void close() {
        device.close();
    }

    private void send(final MemoryRegion from, final MemoryRegion to, final int length) {
        final var cq = device.createCq(1024);
        final QueuePair a = pd.createQp(new QpOptions().cq(cq));
        final QueuePair b = pd.createQp(new QpOptions().cq(cq));
        QpConnector.connect(a, b.localAddress());
        QpConnector.connect(b, a.localAddress());
        b.postReceive(1, to.address(), length, to.lkey());
        a.postSend(2, from.address(), length, from.lkey());
        int left = 2;
        final long deadline = System.nanoTime() + Patience.nanos();
        while (left > 0) {
            left -= cq.poll(c -> assertThat(c.status()).hasToString("SUCCESS"), 2);
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
        a.close();
        b.close();
    }

    @Test
    void carriesBytesBetweenStores() {
        final BytesStore<?, Void> source = BytesStore.nativeStoreWithFixedCapacity(10_000);
        final BytesStore<?, Void> target = BytesStore.nativeStoreWithFixedCapacity(10_000);
        for (int i = 0; i < 10_000; i++) {
            source.writeByte(i, (byte) (i * 7));
        }
        final MemoryRegion from = ChronicleRegions.register(pd, source);
        final MemoryRegion to = ChronicleRegions.register(pd, target, AccessFlag.LOCAL_WRITE);
        assertThat(from.length()).isEqualTo(10_000);
        assertThat(from.address()).isEqualTo(source.addressForRead(0));
        send(from, to, 10_000);
        for (int i = 0; i < 10_000; i++) {
            assertThat(target.readByte(i)).isEqualTo((byte) (i * 7));
        }
        from.close();
        to.close();
        source.releaseLast();
        target.releaseLast();
    }

    @Test
    void keepsAStoreUntilTheRegionIsClosed() {
        final BytesStore<?, Void> store = BytesStore.nativeStoreWithFixedCapacity(4096);
        final int before = store.refCount();
        final MemoryRegion first = ChronicleRegions.register(pd, store);
        final MemoryRegion second = ChronicleRegions.register(pd, store, AccessFlag.LOCAL_WRITE);
        assertThat(store.refCount()).isEqualTo(before + 2);
        first.close();
        first.close();
        assertThat(store.refCount()).isEqualTo(before + 1);
        pd.close();
        assertThat(second.isClosed()).isTrue();
        assertThat(store.refCount()).isEqualTo(before);
        store.releaseLast();
    }

    @Test
    void registersTheStoreThatElasticBytesHaveNow() {
        final Bytes<Void> bytes = Bytes.allocateElasticDirect(64);
        bytes.append("before");
        final MemoryRegion region = ChronicleRegions.register(pd, bytes);
        final long address = region.address();
        assertThat(address).isEqualTo(bytes.addressForRead(0));
        bytes.append("x".repeat(100_000));
        // They moved; the region still has the old memory, and that is still there.
        assertThat(bytes.addressForRead(0)).isNotEqualTo(address);
        assertThat(new UnsafeBuffer(address, 6).getStringWithoutLengthAscii(0, 6))
            .isEqualTo("before");
        region.close();
        bytes.releaseLast();
    }

    @Test
    void registersMappedFiles() throws IOException {
        final BytesStore<?, Void> source = BytesStore.nativeStoreWithFixedCapacity(4096);
        source.writeLong(0, 0x1122334455667788L);
        final MemoryRegion from = ChronicleRegions.register(pd, source);
        try (MappedBytes file = MappedBytes.mappedBytes(folder.resolve("file").toFile(), 64 * 1024)) {
            file.writeLong(0, 1);
            final MemoryRegion to = ChronicleRegions.register(pd, file, AccessFlag.LOCAL_WRITE);
            send(from, to, 8);
            assertThat(file.readLong(0)).isEqualTo(0x1122334455667788L);
            to.close();
        }
        from.close();
        source.releaseLast();
    }

    @Test
    void refusesWhatIsNotThereOrOnTheHeap() {
        assertRefused(RdmaException.EINVAL, BytesStore.wrap(new byte[10]), "Java heap");
        assertRefused(RdmaException.EINVAL, Bytes.allocateElasticOnHeap(10), "Java heap");
        assertRefused(RdmaException.EINVAL, null, "null");
        final BytesStore<?, Void> store = BytesStore.nativeStoreWithFixedCapacity(4096);
        store.releaseLast();
        assertRefused(RdmaException.EBADFD, store, "released");
    }

    @Test
    void letsGoOfAStoreThatCouldNotBeRegistered() {
        final BytesStore<?, Void> store = BytesStore.nativeStoreWithFixedCapacity(4096);
        final int before = store.refCount();
        assertThatThrownBy(() -> ChronicleRegions.register(pd, store, AccessFlag.REMOTE_WRITE))
            .hasMessageContaining("without LOCAL_WRITE");
        assertThat(store.refCount()).isEqualTo(before);
        store.releaseLast();
    }

    private void assertRefused(final int errno, final BytesStore<?, ?> store, final String word) {
        assertThatThrownBy(() -> ChronicleRegions.register(pd, store))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(errno))
            .hasMessageContaining(word);
    }
}
