/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Native;
import io.rdma4j.RdmaException;
import io.rdma4j.testing.Ended;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

/** What a JVM says in which the C library cannot be called, or less is allowed: each is a JVM of its own. */
class LoadingTest {
    private static final boolean ASKS_FOR_NATIVE_ACCESS = Runtime.version().feature() >= 24;
    private static final String[] EACH_FAILED = {"1: geteuid failed: ", "2: open failed: ", "3: mmap failed: ",
        "4: sysconf failed: ", "5: eventfd failed: "};

    @Test
    void withoutItsLibraryEveryCallGivesTheSameClearException() throws Exception {
        final String said = run(List.of("-Djna.nounpack=true", "-Djna.nosys=true", "-Djna.boot.library.path=/nowhere"),
            true, "calls");
        assertThat(said).contains(EACH_FAILED)
            .contains("1: geteuid failed: JNA cannot load or bind the C library: ",
                "2: open failed: JNA cannot load or bind the C library: ", "jna.tmpdir", "[EOPNOTSUPP]",
                "--enable-native-access");
    }

    @Test
    void withoutJnaOnTheClassPathItSaysSo() throws Exception {
        assertThat(run(List.of(), false, "calls")).contains(EACH_FAILED)
            .contains("com.sun.jna", "have jna 5 on the class path");
    }

    @Test
    void whereFilesMayNotBeUnpackedItSaysSo() throws Exception {
        assertThat(run(List.of("-Djna.tmpdir=/proc/nowhere"), true, "calls"))
            .contains(EACH_FAILED).contains("jna.tmpdir");
    }

    @Test
    void whereNativeAccessIsDeniedItSaysSo() throws Exception {
        if (ASKS_FOR_NATIVE_ACCESS) {
            assertThat(run(List.of("--illegal-native-access=deny"), true, "calls")).contains(EACH_FAILED)
                .contains("IllegalCallerException", "--enable-native-access");
        } else { // Nobody can deny it yet.
            assertThat(run(List.of(), true, "calls")).isEqualTo("1: ok\n2: ok\n3: ok\n4: ok\n5: ok");
        }
    }

    @Test
    void readingConstantsNeedsNoJna() throws Exception {
        assertThat(run(List.of(), false, "constants")).isEqualTo("O_RDWR 2, nofollow " + LibcConstants.O_NOFOLLOW
            + ", FIONREAD 0x541b");
    }

    @Test
    void otherSystemsAreRefusedByName() {
        assertThat(Calls.unsupported("Linux", "amd64")).isNull();
        assertThat(Calls.unsupported("Linux", "aarch64")).isNull();
        for (final String[] system : new String[][] {{"Linux", "x86"}, {"Linux", "riscv64"}, {"Mac OS X", "aarch64"},
            {"Windows 11", "amd64"}, {"", ""}}) {
            final String whyNot = Calls.unsupported(system[0], system[1]);
            assertThat(whyNot).contains("64-bit Linux", system[0], system[1]);
            final RdmaException e = Calls.unavailable("mmap", whyNot, null);
            assertThat(e).hasMessageStartingWith("mmap failed: this needs a JVM on 64-bit Linux")
                .hasMessageContaining("emulated:");
            assertThat(e.errno()).isEqualTo(RdmaException.EOPNOTSUPP);
        }
    }

    /** Root may lock as much as it likes; so this JVM has given that right up, and has a limit of 64 KiB. */
    @Test
    void lockingBeyondTheLimitIsEnomem() throws Exception {
        final List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -l 64 && exec \"$@\"", "sh"));
        if (Libc.geteuid() == 0) {
            assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "root needs setpriv to give up CAP_IPC_LOCK");
            command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        command.addAll(java(nativeAccess(), true, "mlock"));
        assertThat(run(command)).contains("limit 65536", "within the limit: ok", "mlock failed: address 0x",
            "length 1048576 [ENOMEM]", "64 KiB may be locked", "VmLck 4");
    }

    private static List<String> nativeAccess() {
        return ASKS_FOR_NATIVE_ACCESS ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
    }

    private static String run(final List<String> options, final boolean withJna, final String what) throws Exception {
        return run(java(options, withJna, what));
    }

    private static List<String> java(final List<String> options, final boolean withJna, final String what)
            throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Xmx32m",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"));
        command.addAll(options);
        final List<String> path = new ArrayList<>();
        path.add(home(LoadingTest.class));
        path.add(home(Libc.class));
        path.add(home(RdmaException.class));
        path.add(home(DirectBuffer.class));
        if (withJna) {
            path.add(home(Native.class));
        }
        command.addAll(List.of("-cp", String.join(File.pathSeparator, path), ChildJvm.class.getName(), what));
        return command;
    }

    private static String home(final Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    private static String run(final List<String> command) throws Exception {
        final Ended ended = Ended.of(command);
        assertThat(ended.code()).as("%s", ended.output()).isZero();
        return ended.output().trim();
    }
}
