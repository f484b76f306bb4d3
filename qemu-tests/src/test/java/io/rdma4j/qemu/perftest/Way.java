/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.perftest;

import io.rdma4j.qemu.guest.FabricGuest;
import io.rdma4j.testing.OtherJvm;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Who measures: perftest, the same with ends that let each other run, or the command of this project. */
enum Way {
    PERFTEST("perftest"),
    PERFTEST_YIELDING("perftest, ends yield"),
    RDMA4J("rdma4j perf");

    /** perftest's and perf's own. */
    private static final int PORT = 18515;
    private static final String HERE = "127.0.0.1";
    /** Waits until the server listens: 0A is TCP_LISTEN, the port is in hexadecimal digits (proc(5)). */
    private static final String BOTH_ENDS = """
        %1$s >"$RDMA4J_FOLDER/server.log" 2>&1 &
        server=$!
        until cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ':%2$04X 0*:0000 0A'; do
            kill -0 $server || { cat "$RDMA4J_FOLDER/server.log"; exit 1; }
            sleep 0.1
        done
        %3$s
        code=$?
        [ $code = 0 ] || kill $server
        wait $server || { cat "$RDMA4J_FOLDER/server.log"; exit 1; }
        exit $code
        """;

    private final String title;

    Way(final String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /**
     * What starts a server, then a client of it, both in this guest, and ends with the client's code.
     *
     * @param test       such as send_lat.
     * @param bytes      of a message.
     * @param iterations that are measured.
     * @param yielding   the library that is preloaded so that polls yield.
     */
    List<String> command(final String test, final int bytes, final int iterations, final String yielding) {
        final List<String> shared = new ArrayList<>(List.of("-s", Integer.toString(bytes), "-n",
            Integer.toString(iterations), "-m", "1024", "-F", "-p", Integer.toString(PORT)));
        if (!test.startsWith("read")) {
            shared.addAll(List.of("-I", Integer.toString(bytes)));
        }
        final List<String> server = program(test, yielding);
        server.addAll(shared);
        final List<String> client = new ArrayList<>(server);
        if (this == RDMA4J) {
            server.add("--server");
        }
        client.add(HERE);
        return List.of("sh", "-c", String.format(Locale.ROOT, BOTH_ENDS, words(server), PORT, words(client)));
    }

    private List<String> program(final String test, final String yielding) {
        if (this == RDMA4J) {
            final List<String> java = new ArrayList<>();
            java.add(OtherJvm.java());
            java.addAll(OtherJvm.neededOptions());
            java.addAll(List.of("-XX:+UseSerialGC", "-Dagrona.disable.bounds.checks=true", "-cp",
                OtherJvm.classPath(), "io.rdma4j.tools.Main", "perf", test, "-d",
                "ibv:" + FabricGuest.IBDEV, "--timeout", "600"));
            return java;
        }
        final List<String> perftest = new ArrayList<>();
        if (this == PERFTEST_YIELDING) {
            perftest.addAll(List.of("env", "LD_PRELOAD=" + yielding));
            if (test.startsWith("write")) {
                perftest.add("YIELD_AFTER_POST=1");
            }
        }
        // In cycles, as it cannot tell how long one takes there; of the GIDs the one that follows the IPv4 address.
        perftest.addAll(List.of("ib_" + test, "-C", "-d", FabricGuest.IBDEV, "-x", "1",
            "--use_old_post_send"));
        return perftest;
    }

    private static String words(final List<String> words) {
        return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }
}
