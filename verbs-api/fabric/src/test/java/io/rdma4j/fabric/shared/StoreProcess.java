/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.testing.LineProcess;
import io.rdma4j.fabric.av.AvStore;
import io.rdma4j.fabric.av.PeerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Another process with a shared vector: takes a line, answers a line. */
final class StoreProcess extends LineProcess {
    StoreProcess(final Path folder) throws IOException {
        super(StoreProcess.class, List.of("-Xmx64m", "-D" + SharedFolder.PROPERTY + "=" + folder));
    }

    /**
     * In the other process.
     *
     * @param args none.
     * @throws IOException if the test has gone.
     */
    public static void main(final String[] args) throws IOException {
        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        AvStore store = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            final String[] words = line.split(" ");
            try {
                switch (words[0]) {
                    case "open" -> store = Stores.open(words.length > 2 ? words[2] : Stores.DOMAIN,
                        Stores.attributes(words[1]));
                    case "read" -> store = Stores.open(Stores.reading(words[1]));
                    default -> out.println(answer(store, words, out));
                }
                if (words[0].equals("open") || words[0].equals("read")) {
                    out.println("ok " + Long.toHexString(store.mapAddress()));
                }
            } catch (final FabricException e) {
                out.println("errno " + e.errno());
            }
        }
    }

    private static String answer(final AvStore store, final String[] words, final PrintWriter out) {
        return switch (words[0]) {
            case "insert" -> Long.toString(Stores.insert(store, Integer.parseInt(words[1])));
            case "fill" -> {
                for (int i = 0; i < Integer.parseInt(words[1]); i++) {
                    Stores.insert(store, i);
                }
                yield "filled";
            }
            case "remove" -> Boolean.toString(Stores.remove(store, Integer.parseInt(words[1])));
            case "find" -> {
                final PeerAddress peer = new PeerAddress();
                yield store.find(Integer.parseInt(words[1]), 0, peer) ? Integer.toString(peer.qpn()) : "none";
            }
            case "lock" -> {
                store.lock();
                yield "locked";
            }
            case "close" -> {
                store.close();
                yield "closed";
            }
            case "churn" -> churn(store, Integer.parseInt(words[1]), out);
            default -> "what?";
        };
    }

    private static String churn(final AvStore store, final int seed, final PrintWriter out) {
        final Random random = new Random(seed);
        out.println("churning");
        while (true) {
            // Many changes for each lock, so that whoever kills this process is likely to meet one of them.
            store.lock();
            for (int i = 0; i < 10_000; i++) {
                final int place = random.nextInt(128);
                switch (random.nextInt(4)) {
                    case 0 -> store.remove(place, 0);
                    case 1 -> store.resolved(place, 0, Stores.entry(random.nextInt(100)));
                    default -> {
                        if (store.size() < 128) {
                            store.insert(Stores.entry(random.nextInt(100)));
                        }
                    }
                }
            }
            store.unlock();
        }
    }
}
