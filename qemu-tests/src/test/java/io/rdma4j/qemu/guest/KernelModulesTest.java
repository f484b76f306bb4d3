/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

class KernelModulesTest {
    @TempDir
    private Path folder;

    private KernelModules modules;

    @BeforeEach
    void writesModulesDep() throws IOException {
        Files.writeString(folder.resolve("modules.dep"), String.join("\n",
            "kernel/drivers/virtio/virtio.ko: kernel/drivers/virtio/virtio_ring.ko",
            "kernel/drivers/virtio/virtio_ring.ko:",
            "kernel/net/9p/9pnet.ko.xz:",
            "kernel/net/9p/9pnet_virtio.ko.xz: kernel/net/9p/9pnet.ko.xz kernel/drivers/virtio/virtio.ko"
                + " kernel/drivers/virtio/virtio_ring.ko",
            "kernel/drivers/vfio/vfio-pci-core.ko.zst:"));
        modules = KernelModules.read(folder);
    }

    private List<String> order(final String... names) {
        return modules.inLoadOrder(List.of(names)).stream().map(file -> folder.relativize(file).toString()).toList();
    }

    @Test
    void loadsWhatAModuleNeedsBeforeIt() {
        assertThat(order("9pnet_virtio")).containsExactly(
            "kernel/drivers/virtio/virtio_ring.ko", "kernel/drivers/virtio/virtio.ko", "kernel/net/9p/9pnet.ko.xz",
            "kernel/net/9p/9pnet_virtio.ko.xz");
    }

    @Test
    void loadsNothingTwice() {
        assertThat(order("virtio", "9pnet_virtio", "virtio")).doesNotHaveDuplicates().hasSize(4)
            .startsWith("kernel/drivers/virtio/virtio_ring.ko", "kernel/drivers/virtio/virtio.ko");
    }

    @Test
    void takesHyphensForUnderscores() {
        assertThat(order("vfio-pci-core")).isEqualTo(order("vfio_pci_core")).hasSize(1);
        assertThat(modules.has("vfio-pci-core")).isTrue();
        assertThat(modules.has("rdma_rxe")).isFalse();
    }

    @Test
    void namesTheModuleThatIsMissing() {
        assertThatThrownBy(() -> order("rdma_rxe")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("'rdma_rxe'").hasMessageContaining(folder.toString());
    }

    @Test
    void unpacksACompressedModule() throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(new byte[] {0x7f, 'E', 'L', 'F'});
        }
        final Path file = Files.write(folder.resolve("dummy.ko.gz"), packed.toByteArray());
        assertThat(KernelModules.load(file)).containsExactly(0x7f, 'E', 'L', 'F');
    }

    @Test
    void saysWhichModuleCannotBeUnpacked() throws IOException {
        final Path file = Files.write(folder.resolve("dummy.ko.gz"), new byte[] {1, 2, 3});
        assertThatThrownBy(() -> KernelModules.load(file)).isInstanceOf(IOException.class)
            .hasMessageContaining("dummy.ko.gz");
    }
}
