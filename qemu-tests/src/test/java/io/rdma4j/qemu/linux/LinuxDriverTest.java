/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.device.common.Counter;
import io.rdma4j.qemu.guest.GuestContext;
import io.rdma4j.qemu.guest.GuestResult;
import io.rdma4j.qemu.guest.QemuTest;
import io.rdma4j.qemu.guest.ServedParts;
import io.rdma4j.qemu.guest.UnpackedPackages;
import io.rdma4j.qemu.tools.DevinfoText;
import io.rdma4j.testing.TestBudget;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Linux' own driver for the paravirtual device, with rdma-core and perftest, on emulated devices of this process: one
 * boot of a guest whose QEMU plugs them in by vfio-user. Usually what takes less than a minute; all of it with
 * {@code -Drdma4j.tests.long=true}. Left out, and counted, where the package archive has not what it takes.
 */
@QemuTest
@Tag("linux")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LinuxDriverTest {
    private static final boolean LONG = Boolean.getBoolean(TestBudget.PROPERTY);
    private static final List<String> ADDRESSES = List.of("emulated:linux-a", "emulated:linux-b");

    /** Of this process, too; its GID is none of the network's. */
    private static final String HOST = "emulated:linux-host?gid=::ffff:10.0.2.99";
    /** What perftest and the examples of rdma-core exchange addresses by. */
    private static final String LISTENS = "grep -q ':4853 [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6";

    /** Null if it could not be booted. */
    private static ServedGuest guest;
    private static String devinfo;
    private static Path driver;

    @BeforeAll
    @Timeout(900)
    static void boots() {
        final Optional<ServedParts> parts = ServedParts.prepare();
        if (parts.isPresent()) {
            driver = parts.get().driver();
            devinfo = Rdma4j.run("devinfo", "-v", "-d", ADDRESSES.get(0)).out();
            guest = ServedGuest.boot(parts.get(), new GuestContext().name("linux-driver").memoryMib(1024), ADDRESSES);
            say("in", parts.get().qemuVersion());
            say("in", line("uname -sr"));
            say("is", "vmw_pvrdma of linux-source " + line("cat " + driver.resolveSibling("version")));
            say("under rdma-core", line("dpkg-query -W -f '${Version}' ibverbs-providers"));
            say("under perftest", line("dpkg-query -W -f '${Version}' perftest"));
        } else {
            say("left out:", ServedParts.MISSING);
        }
    }

    /** For the last lines of a test run. */
    private static void say(final String what, final String which) {
        System.out.println("Linux' driver: " + what + ' ' + which);
    }

    private static String line(final String script) {
        final GuestResult result = guest.run(script);
        assertThat(result.exitCode()).as(String.join("\n", result.output())).isZero();
        return String.join(" ", result.output()).strip();
    }

    @AfterAll
    static void ends() {
        if (guest != null) {
            for (int i = 0; i < ADDRESSES.size(); i++) {
                say(ADDRESSES.get(i), guest.device(i).counters().toString().strip().replaceAll("\\s*\\R\\s*", "; "));
            }
            guest.close();
        }
    }

    @BeforeEach
    void couldBeBooted() {
        assumeTrue(guest != null, ServedParts.MISSING);
    }

    @Test
    @Order(1)
    void theDriverTakesBothDevices() {
        final String log = String.join("\n", guest.run("dmesg | grep 'vmw_pvrdma 0000:'").output());
        for (int i = 0; i < ADDRESSES.size(); i++) {
            assertThat(log).contains("1" + i + ".1: device version 20, driver version 20",
                "1" + i + ".1: paired device to eth" + i, "1" + i + ".1: attached to device");
        }
        assertThat(log).doesNotContainPattern("error|fail|could not");
    }

    /**
     * What both print is the same, but for the name, the form of a version, windows, which Linux' driver knows nothing
     * of, and two flags that it adds by itself.
     */
    @Test
    @Order(2)
    void devinfoSaysWhatIbvDevinfoSays() {
        final String said = String.join("\n", guest.run("ibv_devinfo -v -d vmw_pvrdma0").output());
        final Map<String, String> theirs = DevinfoText.fields(said);
        final Map<String, String> ours = DevinfoText.fields(devinfo);
        final Set<String> both = new TreeSet<>(theirs.keySet());
        both.retainAll(ours.keySet());
        assertThat(both).hasSizeGreaterThanOrEqualTo(48);
        final Set<String> others = new TreeSet<>(both);
        others.removeIf(name -> theirs.get(name).equals(ours.get(name)));
        assertThat(others).containsExactly("fw_ver", "hca_id", "max_mw", "port_cap_flags");
        assertThat(theirs).containsEntry("fw_ver", ours.get("fw_ver").replaceFirst("(\\d+)$", "00$1"))
            .containsEntry("max_mw", "0").containsEntry("port_cap_flags", "0x04010000");
        assertThat(DevinfoText.gids(said)).contains("::ffff:10.0.2.15, RoCE v2");
        say("ibv_devinfo", both.size() + " fields compared, " + others.size() + " differ as they have to");
    }

    @TestFactory
    @Order(3)
    Stream<DynamicTest> pingPongs() {
        final List<String> tests = new ArrayList<>(List.of("rc -n 100 -c", "ud -n 100 -c", "srq -n 100 -c"));
        if (LONG) {
            tests.addAll(List.of("rc -n 200 -e -c", "ud -n 200 -e -c", "srq -n 200 -e -c", "rc -n 50 -s 1000000 -c",
                "rc -n 100 -m 256 -c"));
        }
        return tests.stream().map(test -> DynamicTest.dynamicTest("ibv_" + test.replaceFirst(" ", "_pingpong "),
            () -> pingPong(test, "-g 1", 0, 0)));
    }

    private static void pingPong(final String test, final String gid, final int server, final int client) {
        final String[] words = test.split(" ", 2);
        final String command = "ibv_" + words[0] + "_pingpong " + gid + ' ' + words[1] + " -d vmw_pvrdma";
        final ServedGuest.Pair pair = guest.pair(60, LISTENS, command + server, command + client + " 127.0.0.1");
        assertThat(pair.result().exitCode()).as(pair.all()).isZero();
        final String iterations = words[1].replaceFirst(".*-n (\\d+).*", "$1");
        assertThat(pair.server()).contains(iterations + " iters in").doesNotContain("invalid data");
        assertThat(pair.client()).contains(iterations + " iters in").doesNotContain("invalid data");
    }

    @TestFactory
    @Order(4)
    Stream<DynamicTest> perftest() {
        final List<String> tests = new ArrayList<>(List.of("send_lat -n 100 -s 64", "write_bw -n 200 -s 4096",
            "read_lat -n 100 -s 64", "atomic_lat -n 100 -A FETCH_AND_ADD"));
        if (LONG) {
            tests.addAll(List.of("send_lat -n 100 -s 64 -e", "send_lat -n 100 -s 64 -c UD", "send_bw -n 200 -s 4096",
                "send_bw -n 200 -s 1024 -c UD", "send_bw -n 200 -s 1024 -b", "write_lat -n 100 -s 64",
                "write_lat -n 100 -s 65536", "write_bw -n 20 -s 1000000", "write_bw -n 100 -s 4096 -q 4 -b",
                "read_bw -n 200 -s 4096", "read_bw -n 20 -s 1000000", "read_bw -n 100 -s 4096 -q 4 -b",
                "atomic_lat -n 100 -A CMP_AND_SWAP", "atomic_bw -n 200 -A FETCH_AND_ADD",
                "atomic_bw -n 200 -A CMP_AND_SWAP"));
        }
        return tests.stream().map(test -> DynamicTest.dynamicTest("ib_" + test, () -> perftest(test, "-x 1", 0, 0)));
    }

    private static void perftest(final String test, final String gid, final int server, final int client) {
        final String command = "ib_" + test + ' ' + gid + " -F -d vmw_pvrdma";
        final ServedGuest.Pair pair = guest.pair(60, LISTENS, command + server, command + client + " 127.0.0.1");
        assertThat(pair.result().exitCode()).as(pair.all()).isZero();
        final int all = Integer.parseInt(option(test, "-n", "")) * Integer.parseInt(option(test, "-q", "1"));
        assertThat(pair.client()).containsPattern("(?m)^ *" + option(test, "-s", "8") + " +" + all + ' ');
    }

    private static String option(final String words, final String option, final String fallback) {
        return words.contains(option + ' ') ? words.replaceFirst(".*" + option + " (\\d+).*", "$1") : fallback;
    }

    /** By their link-local GIDs: by IPv4 the kernel asks the network, which leads from one to itself. */
    @TestFactory
    @Order(5)
    Stream<DynamicTest> betweenTwoDevices() {
        return Stream.of(DynamicTest.dynamicTest("ibv_rc_pingpong", () -> pingPong("rc -n 100 -c", "-g 0", 0, 1)),
            DynamicTest.dynamicTest("ibv_ud_pingpong", () -> pingPong("ud -n 100 -c", "-g 0", 1, 0)),
            DynamicTest.dynamicTest("ib_write_bw", () -> perftest("write_bw -n 100 -s 4096", "-x 0", 0, 1)),
            DynamicTest.dynamicTest("ib_read_lat", () -> perftest("read_lat -n 100 -s 4096", "-x 0", 1, 0)))
            .limit(LONG ? 4 : 1);
    }

    @TestFactory
    @Order(6)
    Stream<DynamicTest> connectionManager() {
        final String at = "10.0.2.15";
        final List<List<String>> pairs = new ArrayList<>(List.of(
            List.of("rping -s -a " + at + " -C 10 -V", "rping -c -a " + at + " -C 10 -V")));
        if (LONG) {
            pairs.addAll(List.of(
                List.of("rping -s -a " + at + " -C 10 -S 4000 -V", "rping -c -a " + at + " -C 10 -S 4000 -V"),
                List.of("ucmatose -c 3 -C 10 -S 100", "ucmatose -c 3 -C 10 -S 100 -s " + at),
                List.of("udaddy -C 10", "udaddy -C 10 -s " + at),
                List.of("rdma_server", "rdma_client -s " + at),
                List.of("rstream -b " + at + " -I 10 -S 4096 -C 20 -T v", "rstream -s " + at
                    + " -I 10 -S 4096 -C 20 -T v"),
                List.of("riostream -b " + at + " -I 10 -S 4096 -C 20 -T v", "riostream -s " + at
                    + " -I 10 -S 4096 -C 20 -T v")));
        }
        return pairs.stream().map(pair -> DynamicTest.dynamicTest(pair.get(1), () -> manage(pair)));
    }

    private static void manage(final List<String> pair) {
        final String folder = rdmaTools().root().resolve("usr/bin") + "/";
        final ServedGuest.Pair ran =
            guest.pair(40, "rdma res show cm_id | grep -q LISTEN", folder + pair.get(0), folder + pair.get(1));
        assertThat(ran.result().exitCode()).as(ran.all()).isZero();
    }

    /** Programs of rdma-core that need not be installed, and tests that packages have among their documents. */
    private static UnpackedPackages rdmaTools() {
        final Optional<UnpackedPackages> tools = UnpackedPackages.ofThisRelease(
            GuestContext.defaultCache(), "rdma-tools", "rdmacm-utils", "python3-pyverbs");
        assumeTrue(tools.isPresent(), "the package archive cannot be reached, or has no rdmacm-utils, python3-pyverbs");
        return tools.get();
    }

    /** Linux' driver at one end, ours at the other, and the device between them. */
    @TestFactory
    @Order(7)
    Stream<DynamicTest> perftestAndOurs() {
        // The kernel wants to know where that is; no packet goes there by the network card.
        final String script = "/sbin/ip neigh replace 10.0.2.99 lladdr 02:00:00:00:00:63 dev eth0 nud permanent";
        assertThat(guest.run(script).exitCode()).isZero();
        final List<DynamicTest> tests = new ArrayList<>();
        for (final String test : List.of("write_lat", "send_lat", "read_lat", "atomic_lat", "send_bw", "write_bw",
            "read_bw")) {
            tests.add(DynamicTest.dynamicTest(test + ", ours answers", () -> oursAnswers(test)));
            tests.add(DynamicTest.dynamicTest(test + ", ours asks", () -> oursAsks(test)));
        }
        return tests.stream().limit(LONG ? tests.size() : 2);
    }

    private static String[] ours(final String test, final String... more) {
        final List<String> words = new ArrayList<>(List.of("perf", test, "-d", HOST, "--peer", "perftest",
            "-n", "100", "-s", bytes(test), "--timeout", "60"));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private static String bytes(final String test) {
        return test.startsWith("atomic") ? "8" : "1024";
    }

    private static String theirs(final String test) {
        return "ib_" + test + " -x 1 -F -d vmw_pvrdma0 -n 100" + (test.startsWith("atomic") ? "" : " -s 1024");
    }

    private static void oursAnswers(final String test) throws Exception {
        final int port = Rdma4j.freePort();
        final FutureTask<Rdma4j> server = new FutureTask<>(
            () -> Rdma4j.run(ours(test, "--listen=127.0.0.1:" + port)));
        new Thread(server, "perf").start();
        Rdma4j.awaitListener(port);
        final GuestResult result = guest.run("timeout 60 " + theirs(test) + " -p " + port + " 10.0.2.2 2>&1");
        final Rdma4j ours = server.get(60, TimeUnit.SECONDS);
        assertMoved(test, result, ours);
    }

    private static void oursAsks(final String test) {
        guest.run("rm -f /run/server.code; (timeout 60 " + theirs(test) + "; echo $? >/run/server.code) "
            + ">/run/server.log 2>&1 </dev/null & " + untilListens());
        final Rdma4j ours = Rdma4j.run(ours(test, "127.0.0.1:" + guest.port()));
        final GuestResult result = guest.run(until("[ -s /run/server.code ]")
            + "; cat /run/server.log; exit \"$(cat /run/server.code)\"");
        assertMoved(test, result, ours);
    }

    private static String untilListens() {
        return until(LISTENS);
    }

    private static String until(final String condition) {
        return "for i in $(seq 300); do " + condition + " && break; sleep 0.1; done";
    }

    /** The end that answers a READ, a WRITE or an atomic prints no figures. */
    private static void assertMoved(final String test, final GuestResult theirs, final Rdma4j ours) {
        final String both = String.join("\n", theirs.output()) + '\n' + ours.out();
        assertThat(theirs.exitCode()).as("%s %s", both, ours.err()).isZero();
        assertThat(ours.exitCode()).as("%s %s", both, ours.err()).isZero();
        assertThat(both).containsPattern("(?m)^ *" + bytes(test) + " +(99|100) ");
    }

    /** What leaves the driver as it found it, and what does not. */
    @TestFactory
    @Order(8)
    Stream<DynamicTest> whatTakesLonger() {
        return !LONG ? Stream.empty() : Stream.of(DynamicTest.dynamicTest("pyverbs", LinuxDriverTest::pyverbs),
            DynamicTest.dynamicTest("driver unloaded and loaded again", LinuxDriverTest::unloadAndLoad),
            DynamicTest.dynamicTest("device reset while traffic runs", LinuxDriverTest::resetUnderTraffic));
    }

    private static void pyverbs() {
        final GuestResult result = guest.run("timeout 600 sh /run/guest-share/pyverbs.sh " + rdmaTools().root());
        final PyverbsReport report = PyverbsReport.parse(result.output());
        say("pyverbs", report.summary());
        assertThat(report.unexplained()).as(String.join("\n", result.output())).isEmpty();
        assertThat(report.complete()).isTrue();
        assertThat(report.passed()).hasSizeGreaterThanOrEqualTo(45).contains("test_rdmacm_async_traffic",
            "test_rdmacm_async_udp_traffic", "test_atomic_cmp_and_swap", "test_ro_rc_traffic");
    }

    private static void unloadAndLoad() {
        for (int i = 0; i < 3; i++) {
            reload();
            pingPong("rc -n 50 -c", "-g 1", 0, 0);
        }
    }

    /** As setup does it: the links come up when the driver is there. */
    private static void reload() {
        final GuestResult result = guest.run("set -e; ip link set eth0 down; ip link set eth1 down; "
            + "rmmod vmw_pvrdma; busybox insmod " + driver + "; ip link set eth0 up; ip link set eth1 up; "
            + "for i in $(seq 300); do grep -q '[1-9a-f]' /sys/class/infiniband/vmw_pvrdma0/ports/1/gids/1 && exit; "
            + "sleep 0.1; done; exit 1");
        assertThat(result.exitCode()).as(String.join("\n", result.output())).isZero();
    }

    /** By its control register, behind the driver's back: what was under way ends, and the driver can begin anew. */
    private static void resetUnderTraffic() {
        final GuestResult result = guest.run("ib_write_bw -d vmw_pvrdma0 -x 1 -F -D 60 >/run/s.log 2>&1 </dev/null & "
            + untilListens() + "; ib_write_bw -d vmw_pvrdma0 -x 1 -F -D 60 127.0.0.1 >/run/c.log 2>&1 </dev/null & "
            + until("rdma res | grep -q 'vmw_pvrdma0:.* qp 3 '") + "; sleep 3; "
            + "bar=$(sed -n 2p /sys/bus/pci/devices/0000:00:10.1/resource | cut -d' ' -f1); "
            + "busybox pidof ib_write_bw && busybox devmem $((bar + 12)) 32 2 && sleep 1; "
            + "busybox killall -9 ib_write_bw; " + until("! busybox pidof ib_write_bw >/dev/null") + "; "
            + "busybox pidof ib_write_bw || echo none; dmesg | grep vmw_pvrdma | tail");
        assertThat(result.output().get(0)).as("both ran").matches("\\d+ \\d+");
        assertThat(result.output().get(1)).as("those that were killed").isEqualTo("none");
        assertThat(String.join("\n", result.output())).as("the driver finds a device that knows nothing of it")
            .contains("failed to write request");
        reload();
        pingPong("rc -n 50 -c", "-g 1", 0, 0);
    }

    @Test
    @Order(20)
    void theKernelHasNothingToComplainOf() {
        final List<String> complaints = guest.run("dmesg | grep -E 'BUG|WARNING|Oops|Call Trace|segfault|lockup'")
            .output();
        assertThat(complaints).isEmpty();
        for (int i = 0; i < ADDRESSES.size(); i++) {
            assertThat(guest.device(i).counters().get(Counter.INTERNAL_ERRORS)).isZero();
        }
        assertThat(guest.events()).allMatch(event -> event.equals("client connected"));
    }
}
