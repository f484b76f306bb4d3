/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricInfo;
import io.rdma4j.fabric.Fabrics;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Each example is run, and what it says it did is looked for. */
@Timeout(60)
class ExamplesTest {
    private static final String EMULATED = "emulated:examples-test";
    private static final String MESSAGES_ONLY = "emulated:examples-test?quirks=qemu-7.2";
    private static final Pattern RESULT = Pattern.compile("  (.*?)  +(\\S.*)");

    /** A name service of this test's own: others of this machine may have services of the same numbers. */
    @BeforeAll
    static void usesAPortOfItsOwn() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            System.setProperty("rdma4j.name.port", Integer.toString(socket.getLocalPort()));
        }
    }

    @AfterAll
    static void givesItBack() {
        System.clearProperty("rdma4j.name.port");
    }

    static Stream<String> names() {
        return Examples.all().stream().map(Examples.Example::name);
    }

    private static String run(final int expected, final String... args) throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final int code = Examples.run(args, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        final String text = bytes.toString(StandardCharsets.UTF_8);
        assertThat(code).as(text).isEqualTo(expected);
        return text;
    }

    /** What stands on the right, of the lines of one section with this on the left. */
    private static List<String> results(final String text, final int section, final String left) {
        final String[] sections = text.split("\n\n");
        return sections[section].lines().map(RESULT::matcher).filter(Matcher::matches)
            .filter(line -> line.group(1).startsWith(left)).map(line -> line.group(2)).toList();
    }

    private static String result(final String text, final int section, final String left) {
        assertThat(results(text, section, left)).as("'%s' in section %d of%n%s", left, section, text).hasSize(1);
        return results(text, section, left).get(0);
    }

    @ParameterizedTest
    @MethodSource("names")
    void endsWellOnEachDevice(final String name) throws Exception {
        assertThat(run(0, name, EMULATED)).doesNotContain("not on this device");
        assertThat(run(0, name, MESSAGES_ONLY)).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("names")
    void isAligned(final String name) throws Exception {
        final String text = run(0, name, EMULATED);
        assertThat(text.lines().filter(line -> line.startsWith("  "))).isNotEmpty()
            .allSatisfy(line -> assertThat(line.substring(46, 47)).isEqualTo(" "))
            .allSatisfy(line -> assertThat(line.substring(47)).doesNotStartWith(" "));
    }

    @Test
    void listsThemWithoutAName() throws Exception {
        assertThat(run(0)).contains("usage").contains("virt-addr").contains("async");
        assertThat(run(2, "no-such")).contains("usage");
        assertThat(run(2, "local", EMULATED, "more")).contains("usage");
    }

    @Test
    void everyModeBitHasItsExample() {
        for (final String bit : List.of("LOCAL", "RAW", "VIRT_ADDR", "ALLOCATED", "PROV_KEY", "MMU_NOTIFY",
            "RMA_EVENT", "ENDPOINT", "HMEM", "COLLECTIVE")) {
            assertThat(Examples.all()).anyMatch(example -> example.question().startsWith("FI_MR_" + bit + ":"));
        }
    }

    @Test
    void saysWhatADeviceWithoutRmaLacks() throws Exception {
        assertThat(run(0, "raw", MESSAGES_ONLY)).contains("not on this device").contains("RMA");
    }

    @Test
    void saysThatADeviceIsNotThere() throws Exception {
        assertThat(run(1, "local", "emulate:")).contains("emulate").doesNotContain("not on this device");
        assertThat(run(1, "all-to-all", EMULATED + ",vfio:0000:ff:1f.7")).contains("0000:ff:1f.7");
        assertThat(run(0, "local", "emulated:commas?quirks=no-events,port-down")).isNotBlank();
    }

    @Test
    void local() throws Exception {
        final String text = run(0, "local", EMULATED);
        assertThat(result(text, 1, "mr_mode")).isEqualTo("[]");
        assertThat(result(text, 1, "send")).isEqualTo("FI_SUCCESS");
        assertThat(result(text, 1, "the peer has")).isEqualTo("\"hello from anywhere\"");
        assertThat(result(text, 2, "mr_mode")).isEqualTo("[LOCAL]");
        assertThat(results(text, 2, "send")).containsExactly("FI_EINVAL", "FI_SUCCESS");
        assertThat(result(text, 2, "the peer has")).isEqualTo("\"hello from a region\"");
    }

    @Test
    void raw() throws Exception {
        final String text = run(0, "raw", EMULATED);
        assertThat(result(text, 1, "key()")).isEqualTo("0x7");
        assertThat(result(text, 2, "key()")).isEqualTo("FI_KEY_NOTAVAIL");
        assertThat(result(text, 2, "rawAttributes")).matches("[0-9a-f]{32}\\.\\.\\.");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "write")).isEqualTo("FI_SUCCESS");
            assertThat(result(text, section, "the target has")).isEqualTo("\"written by a peer\"");
        }
    }

    @Test
    void virtAddr() throws Exception {
        final String text = run(0, "virt-addr", EMULATED);
        assertThat(result(text, 1, "base()")).isEqualTo("0");
        assertThat(result(text, 2, "base()")).isEqualTo("address() of the region");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "write")).isEqualTo("FI_SUCCESS");
            assertThat(result(text, section, "the target has at 100")).isEqualTo("\"at offset 100\"");
        }
    }

    @Test
    void allocated() throws Exception {
        final String text = run(0, "allocated", EMULATED);
        assertThat(result(text, 1, "mr_mode")).isEqualTo("[ALLOCATED]");
        assertThat(result(text, 1, "register(addresses without")).isEqualTo("FI_EFAULT");
        assertThat(result(text, 1, "the target has")).isEqualTo("\"pages that came later\"");
        assertThat(result(text, 2, "mr_mode")).isEqualTo("[]");
        assertThat(result(text, 2, "register(addresses without")).isEqualTo("enabled: true");
        assertThat(result(text, 2, "write(...) while there are none")).startsWith("FI_E");
        assertThat(results(text, 2, "the target has")).containsExactly("\"pages that came later\"",
            "\"pages that came again\"");
        assertThat(result(text, 2, "they go")).isEqualTo("\"" + ".".repeat(21) + "\"");
    }

    @Test
    void provKey() throws Exception {
        final String text = run(0, "prov-key", EMULATED);
        assertThat(result(text, 1, "register")).isEqualTo("key() is 2026");
        assertThat(result(text, 1, "the same key again")).isEqualTo("FI_ENOKEY");
        assertThat(result(text, 2, "register")).isEqualTo("key() is another: the provider's");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "the target has")).isEqualTo("\"by this key\"");
        }
    }

    @Test
    void mmuNotify() throws Exception {
        final String text = run(0, "mmu-notify", EMULATED);
        assertThat(result(text, 1, "register")).isEqualTo("enabled");
        assertThat(result(text, 2, "mr_mode")).isEqualTo("[MMU_NOTIFY]");
        assertThat(result(text, 2, "register")).isEqualTo("disabled");
        assertThat(result(text, 2, "pages come; refresh()")).isEqualTo("enabled");
        for (final int section : new int[] {1, 2}) {
            assertThat(results(text, section, "the target has")).containsExactly("\"the first pages\"",
                "\"other pages\"");
        }
    }

    @Test
    void rmaEvent() throws Exception {
        final String text = run(0, "rma-event", EMULATED);
        assertThat(result(text, 1, "register")).isEqualTo("enabled");
        assertThat(result(text, 2, "register")).startsWith("disabled");
        assertThat(result(text, 2, "bind(another counter) now")).isEqualTo("FI_EOPBADSTATE");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "the counter")).isEqualTo("3");
        }
    }

    @Test
    void endpoint() throws Exception {
        final String text = run(0, "endpoint", EMULATED);
        assertThat(result(text, 1, "register")).isEqualTo("enabled");
        assertThat(result(text, 2, "register")).isEqualTo("disabled");
        assertThat(result(text, 2, "bind")).isEqualTo("disabled");
        assertThat(result(text, 2, "enable()")).isEqualTo("enabled");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "received")).isEqualTo("\"through an endpoint\"");
        }
    }

    @Test
    void hmem() throws Exception {
        final String text = run(0, "hmem", EMULATED);
        assertThat(result(text, 1, "mr_mode")).isEqualTo("[]");
        assertThat(result(text, 2, "mr_mode")).isEqualTo("[HMEM]");
        for (final int section : new int[] {1, 2}) {
            assertThat(result(text, section, "the peer has")).isEqualTo("\"memory of the host\"");
        }
        assertThat(result(text, 3, "getInfo")).isEqualTo("FI_ENODATA");
    }

    @Test
    void collective() throws Exception {
        final String text = run(0, "collective", EMULATED);
        assertThat(result(text, 1, "mr_mode")).isEqualTo("[]");
        assertThat(result(text, 2, "register(..., COLLECTIVE) alone")).startsWith("FI_EINVAL");
        assertThat(result(text, 2, "register(...)")).isEqualTo("[COLLECTIVE, SEND]");
        assertThat(result(text, 2, "the peer has")).isEqualTo("\"marked for collective use\"");
        assertThat(result(text, 3, "getInfo")).isEqualTo("FI_ENODATA");
    }

    @Test
    void cache() throws Exception {
        final String text = run(0, "cache", EMULATED);
        assertThat(results(text, 1, "the same again")).containsExactly("found", "found");
        assertThat(results(text, 1, "1 MiB, for reading").get(0)).startsWith("registered");
        assertThat(results(text, 1, "1 MiB, for reading").get(2)).startsWith("registered");
        assertThat(result(text, 1, "100 bytes in it, to be written")).startsWith("registered");
        assertThat(Arrays.asList(text.split("\n"))).anyMatch(line -> line.matches(" +flush\\(\\) +0 entries left"));
    }

    @Test
    void async() throws Exception {
        final String text = run(0, "async", EMULATED);
        assertThat(result(text, 1, "register")).isEqualTo("enabled");
        assertThat(result(text, 2, "event MR_COMPLETE, my")).endsWith(": FI_SUCCESS").startsWith("of the region");
        assertThat(result(text, 2, "event MR_COMPLETE, nobody's")).endsWith(": FI_EFAULT").startsWith("of the region");
        assertThat(results(text, 2, "the region now")).containsExactly("enabled", "not enabled");
    }

    @ParameterizedTest
    @ValueSource(strings = {EMULATED, MESSAGES_ONLY})
    void allToAll(final String device) throws Exception {
        final String text = run(0, "all-to-all", device);
        assertThat(results(text, 1, "rank ")).containsExactly("00 10 20 30", "01 11 21 31", "02 12 22 32",
            "03 13 23 33");
        assertThat(result(text, 2, "not started")).contains(device.equals(EMULATED) ? "name 4 devices" : "has no wire");
    }

    @Tag("thorough")
    @Test
    @Timeout(180)
    void emulatedDevicesOfFourProcessesReachEachOther() throws Exception {
        final String text = run(0, "all-to-all", String.join(",", EMULATED, "emulated:b", "emulated:c", "emulated:d"));
        assertThat(results(text, 1, "rank ")).hasSize(4);
        assertThat(results(text, 2, "rank ")).containsExactly("00 10 20 30", "01 11 21 31", "02 12 22 32",
            "03 13 23 33");
    }

    @ParameterizedTest
    @ValueSource(strings = {"emulated:d?wire=none", "emulated:d?quirks=qemu-7.2"})
    void fourProcessesNeedDevicesThatReachEachOther(final String last) throws Exception {
        final String text = run(0, "all-to-all", String.join(",", EMULATED, "emulated:b", "emulated:c", last));
        assertThat(results(text, 1, "rank ")).hasSize(4);
        assertThat(result(text, 2, "not started")).contains(last + " has no wire");
    }

    @Test
    void aRankThatFailsIsNoResult() throws Exception {
        final Process good = new ProcessBuilder("echo", "00 10").start();
        assertThat(AllToAllExample.result(1, good)).isEqualTo("00 10");
        final Process bad = new ProcessBuilder("sh", "-c", "echo 00 10; exit 3").start();
        assertThatIllegalStateException().isThrownBy(() -> AllToAllExample.result(2, bad))
            .withMessageContaining("rank 2").withMessageContaining("3");
    }

    @Tag("slow")
    @Test
    void aRankWhosePeerIsGoneFails() {
        final FabricInfo info = Rank.info(EMULATED, AddressFormat.DEVICE);
        try (Fabric fabric = Fabrics.open(info); Rank rank = new Rank(fabric, info, 0, 2, null)) {
            final Rank gone = new Rank(fabric, info, 1, 2, null);
            rank.know(new FabricAddress[] {rank.address(), gone.address()});
            gone.close();
            assertThatIllegalStateException().isThrownBy(rank::allToAll).withMessageContaining("rank 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {EMULATED, MESSAGES_ONLY})
    void vector(final String device) throws Exception {
        final String text = run(0, "vector", device);
        assertThat(result(text, 1, "insertSymmetric")).isEqualTo("3 inserted: [0, 1, 2]");
        assertThat(result(text, 1, "lookup(2)")).isEqualTo("the address of the third");
        assertThat(result(text, 1, "straddr")).isEqualTo("fi_sockaddr_in://127.0.0.1:PORT");
        assertThat(result(text, 2, "remove(1), lookup(1)")).isEqualTo("FI_EINVAL");
        assertThat(result(text, 2, "insert(address)")).isEqualTo("1");
        assertThat(result(text, 3, "received")).isEqualTo("11 bytes: \"to number 1\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {EMULATED, MESSAGES_ONLY})
    void datagram(final String device) throws Exception {
        final String text = run(0, "datagram", device);
        assertThat(result(text, 1, "received")).isEqualTo("11 bytes: \"by datagram\"");
        assertThat(result(text, 1, "source")).isEqualTo("FI_ADDR_NOTAVAIL");
        assertThat(result(text, 2, "source")).isEqualTo("0");
        assertThat(result(text, 3, "send")).isEqualTo("FI_EMSGSIZE");
    }

    @ParameterizedTest
    @ValueSource(strings = {EMULATED, MESSAGES_ONLY})
    void connect(final String device) throws Exception {
        final String text = run(0, "connect", device);
        assertThat(result(text, 1, "event CONNREQ")).isEqualTo("FI_SUCCESS, \"may I?\"");
        assertThat(results(text, 1, "event CONNECTED")).containsExactly("FI_SUCCESS, \"yes\"", "FI_SUCCESS, \"\"");
        assertThat(results(text, 1, "isConnected()")).containsExactly("true", "false");
        assertThat(result(text, 2, "event CONNECTED")).isEqualTo("FI_ECONNREFUSED, \"no room\"");
    }
}
