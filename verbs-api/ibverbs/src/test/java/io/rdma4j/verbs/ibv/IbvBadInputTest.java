/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Ended;
import io.rdma4j.testing.Gcc;
import io.rdma4j.testing.OtherJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What is said where the library is not there or is another one, has no devices, or the process may lock little. */
@EnabledIf("hasGcc")
class IbvBadInputTest {
    @TempDir
    private Path folder;

    static boolean hasGcc() {
        return Gcc.isThere();
    }

    /** What a process says that opens ibv:stub0; a shell command before it. */
    private static String said(final String before, final Path library) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", before + "; exec \"$@\"", "sh"));
        command.addAll(OtherJvm.command(List.of("-Drdma4j.ibv.check=off", "-Drdma4j.ibv.library=" + library),
            OpenMain.class, "ibv:stub0"));
        final Ended ended = Ended.of(command);
        assertThat(ended.code()).as("%s", ended.output()).isZero();
        return ended.output();
    }

    @Test
    void noLibrary() throws Exception {
        final Path missing = folder.resolve("missing.so");
        assertThat(said(":", missing)).startsWith("[]\nload " + missing + " failed")
            .contains("No such file", "EOPNOTSUPP", "install libibverbs1 and ibverbs-providers");
    }

    @Test
    void libraryWithoutASymbol() throws Exception {
        final Path old = Gcc.stubOfLibibverbs(folder, "int ibv_resize_cq(", "int ibv_resize_cqs(");
        assertThat(said(":", old)).startsWith("[]\nload " + old + " failed")
            .contains("it is too old, or no libibverbs", "ibv_resize_cq", "EOPNOTSUPP", "install libibverbs1");
    }

    /** Without the library's function the kernel tells of which version a GID is. */
    @Test
    void typesOfGidsByTheKernelsFolderOfTheDevice() throws Exception {
        final Path old = Gcc.stubOfLibibverbs(folder, "int _ibv_query_gid_ex(", "int _ibv_query_gid_none(");
        assertThat(said(":", old)).contains("types by /sys/class/infiniband/stub0/ports");
    }

    /** What a younger one has in front of a context is something else there. */
    @Test
    void contextsOfAnOlderLibraryAreShorter() throws Exception {
        final Path old = Gcc.stubOfLibibverbs(folder, "all->sz = sizeof(*all);",
            "all->sz = 600; *(long *) (all->before + sizeof(all->before) + 8 - 320) = 1;");
        assertThat(said(":", old)).contains("device ibv:stub0 stub0", "GID index 0 is ::ffff:10.0.0.7");
        final Path none = Gcc.stubOfLibibverbs(folder, "all->sz = sizeof(*all);", "all->sz = 328;");
        assertThat(said(":", none)).contains("context is not as expected: it has 328 bytes", "EIO");
    }

    @Test
    void noDevices() throws Exception {
        final Path library = Gcc.stubOfLibibverbs(folder);
        assertThat(said("export STUB_DEVICES=0", library)).startsWith("[]\nopen device failed on 'ibv:stub0'")
            .contains("this machine has no RDMA device", "ENODEV", "rdma link add", "/dev/infiniband");
        assertThat(said("export STUB_DEVICES=-1", library)).startsWith("[]\nopen device failed on 'ibv:stub0'")
            .contains("the list of RDMA devices cannot be read", "ENODEV", "modprobe ib_uverbs");
    }

    @Test
    void littleMemoryToLock() throws Exception {
        assertThat(said("ulimit -l 64", Gcc.stubOfLibibverbs(folder))).contains("register memory failed",
            "+1048576 with []", "RLIMIT_MEMLOCK allows 64 KiB, 0 KiB are pinned already", "ENOMEM", "'ulimit -l 1024'",
            "LimitMEMLOCK=1024K");
    }
}
