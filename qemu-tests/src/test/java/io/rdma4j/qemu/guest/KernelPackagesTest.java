/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;

class KernelPackagesTest {
    private static List<String> resolve(final Map<String, List<String>> depends) {
        return KernelPackages.resolve(KernelKind.FULL.entryPoints(), name -> depends.getOrDefault(name, List.of()));
    }

    @Test
    void readsWhatAptCachePrints() {
        assertThat(KernelPackages.parse("""
            linux-image-amd64
              Depends: linux-image-6.1.0-56-amd64
             |Depends: initramfs-tools
              Depends: <linux-initramfs-tool>
              Suggests: linux-doc-6.1
              PreDepends: dpkg
            """)).containsExactly("linux-image-6.1.0-56-amd64", "initramfs-tools", "<linux-initramfs-tool>", "dpkg");
    }

    @Test
    void followsDebiansPackageToTheVersionedOne() {
        assertThat(resolve(Map.of(
            "linux-image-amd64", List.of("linux-image-6.1.0-56-amd64"),
            "linux-image-6.1.0-56-amd64", List.of("kmod", "linux-base", "initramfs-tools"))))
            .containsExactly("linux-image-6.1.0-56-amd64");
    }

    @Test
    void takesUbuntusModulePackagesAlong() {
        assertThat(resolve(Map.of(
            "linux-image-generic", List.of("linux-modules-extra-6.8.0-41-generic", "linux-image-6.8.0-41-generic",
                "linux-firmware"),
            "linux-image-6.8.0-41-generic", List.of("kmod", "linux-modules-6.8.0-41-generic"))))
            .containsExactly("linux-image-6.8.0-41-generic", "linux-modules-extra-6.8.0-41-generic",
                "linux-modules-6.8.0-41-generic");
    }

    @Test
    void findsTheSmallKernelForItself() {
        final Map<String, List<String>> depends = Map.of(
            "linux-image-amd64", List.of("linux-image-6.1.0-56-amd64"),
            "linux-image-cloud-amd64", List.of("linux-image-6.1.0-56-cloud-amd64"));
        assertThat(KernelPackages.resolve(KernelKind.SMALL.entryPoints(), name ->
            depends.getOrDefault(name, List.of()))).containsExactly("linux-image-6.1.0-56-cloud-amd64");
    }

    @Test
    void findsNothingWherePackageListsAreMissing() {
        assertThat(resolve(Map.of())).isEmpty();
    }
}
