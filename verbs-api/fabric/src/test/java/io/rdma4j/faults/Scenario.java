/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Programs that use the library from the opening of a device to its closing, and check that all went well. */
enum Scenario {
    /** Two queue pairs of a device, and a message. */
    TRAFFIC("?wire=none", VerbsScenarios::traffic),
    /** The same in ordinary pages, which are locked. */
    LOCKED_PAGES("?wire=none&pages=4K&mlock=true", VerbsScenarios::traffic),
    /** The same in pages of a pool, as far as there are any. */
    HUGE_PAGES("?wire=none&pages=2M&mlock=true", VerbsScenarios::largeMemory),
    /** The same in transparent large pages. */
    TRANSPARENT_PAGES("?wire=none&pages=thp", VerbsScenarios::largeMemory),
    /** Memory of all kinds, registered, changed, and given back. */
    REGISTRATION(2, "?wire=none&pages=4K&mlock=true", VerbsScenarios::registration),
    /** Waiting by a channel, and for an event of the device. */
    EVENTS("?wire=none", VerbsScenarios::events),
    /** A message through a wire of shared memory, served by who posts and polls. */
    SHM(4, "?wire=shm&shortcut=false&progress=poll", VerbsScenarios::betweenDevices),
    /** The same, served by threads. */
    SHM_THREADS(3, "?wire=shm&shortcut=false", VerbsScenarios::betweenDevices),
    /** A message through sockets, served by who posts and polls. */
    UDP("?wire=udp&shortcut=false&progress=poll&port=0", VerbsScenarios::betweenSockets),
    /** The same, served by threads. */
    UDP_THREADS("?wire=udp&shortcut=false&port=0", VerbsScenarios::betweenSockets),
    /** Connected endpoints, with queues that are waited for by their files. */
    CONNECTED("?wire=none", FabricScenarios::connected),
    /** Reliable datagrams, a vector that processes share, and a name that others can ask for. */
    DATAGRAMS("?wire=none", FabricScenarios::datagrams),
    /** Memory that is registered behind the scenes, and unmapped, which is watched. */
    CACHE(3, "?wire=none&mlock=true&pages=4K", FabricScenarios::cache);

    /** So many come before the first one comes again. */
    private static final List<Scenario> TURNS = Arrays.stream(values())
        .flatMap(each -> Stream.generate(() -> each).limit(each.turns)).toList();

    private final int turns;
    private final String options;
    private final Consumer<Place> program;

    Scenario(final String options, final Consumer<Place> program) {
        this(1, options, program);
    }

    /** Those that make many calls have several turns. */
    Scenario(final int turns, final String options, final Consumer<Place> program) {
        this.turns = turns;
        this.options = options;
        this.program = program;
    }

    /** Of that seed. */
    static Scenario of(final long seed) {
        return TURNS.get((int) Long.remainderUnsigned(seed, TURNS.size()));
    }

    /** How many seeds before that one have the same scenario. */
    static long earlier(final long seed) {
        final int turn = (int) Long.remainderUnsigned(seed, TURNS.size());
        final Scenario scenario = TURNS.get(turn);
        return Long.divideUnsigned(seed, TURNS.size()) * scenario.turns + turn - TURNS.indexOf(scenario);
    }

    /** Runs it once; what is thrown is of rdma4j, or the scenario has not gone well. */
    void run(final String name) {
        program.accept(new Place(name, options));
    }

    /**
     * Where a scenario runs.
     *
     * @param name    of this run, which no other has.
     * @param options of its devices.
     */
    record Place(String name, String options) {
        /** The address of a device. */
        String device(final int index) {
            return "emulated:" + name + '-' + index + options;
        }
    }
}
