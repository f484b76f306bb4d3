/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.AvFlag;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.testing.Campaign;
import io.rdma4j.testing.Steps;

import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Any calls, beside a plain map. */
@Timeout(300)
class ModelTest {
    private static final int STEPS = 150;

    private record Kept(FabricAddress address, long source) {
    }

    private enum KindOfVector {
        TABLE(AvType.TABLE, false, true), MAP(AvType.MAP, false, true),
        SYMMETRIC_TABLE(AvType.TABLE, true, true), SYMMETRIC_MAP(AvType.MAP, true, true),
        SYMMETRIC_TABLE_WITHOUT_DUPLICATES(AvType.TABLE, true, false),
        SYMMETRIC_MAP_WITHOUT_DUPLICATES(AvType.MAP, true, false);

        private final AvType type;
        private final boolean symmetric;
        private final boolean duplicates;

        KindOfVector(final AvType type, final boolean symmetric, final boolean duplicates) {
            this.type = type;
            this.symmetric = symmetric;
            this.duplicates = duplicates;
        }
    }

    /** One vector and what should be in it, in the order in which it was inserted. */
    private static final class Pair {
        private final FabricAddressVector vector;
        private final boolean table;
        private final boolean duplicates;
        private SplittableRandom random;
        private final Map<Long, Kept> model = new LinkedHashMap<>();
        private final Set<Long> gone = new HashSet<>();
        private final Map<Long, Integer> indices = new HashMap<>();
        private final Map<FabricAddress, Integer> there = new HashMap<>();
        private final BitSet places = new BitSet();

        Pair(final AvType type, final boolean symmetric, final boolean duplicates) {
            vector = symmetric ? new AvRig().open(type, AvFlag.SYMMETRIC) : new AvRig().open(type);
            table = type == AvType.TABLE;
            this.duplicates = duplicates;
        }

        void step(final SplittableRandom decisions) {
            random = decisions;
            final int what = random.nextInt(10);
            if (what < 4) {
                insertSome(random.nextInt(1, 5));
            } else if (what < 5) {
                insertSome(random.nextInt(1, 700));
            } else if (what < 8) {
                removeSome(random.nextInt(1, 4));
            } else if (what < 9) {
                removeSome(random.nextInt(1, 600));
            } else {
                identify();
            }
            compare();
        }

        /** Mostly in a row, as symmetric ones are; some anywhere, some bad, some again. */
        private void insertSome(final int count) {
            final int services = random.nextInt(1, 9);
            final int from = random.nextInt(1, 3_000);
            final FabricAddress[] addresses = new FabricAddress[count];
            final Set<FabricAddress> inCall = new HashSet<>();
            for (int i = 0; i < count; i++) {
                addresses[i] = random.nextInt(300) == 0 ? AvRig.bad()
                    : random.nextInt(500) == 0 ? AvRig.device(random.nextLong(1, 1L << 60), random.nextInt(99))
                    : AvRig.device(from + i / services, 1 + i % services);
                if (!duplicates && (there.containsKey(addresses[i]) || !inCall.add(addresses[i]))) {
                    addresses[i] = null;
                }
            }
            final boolean userIds = random.nextInt(4) == 0;
            final long[] names = new long[count];
            for (int i = 0; i < count; i++) {
                names[i] = 1_000_000L + random.nextInt(1_000);
            }
            final long[] ids = names.clone();
            final int[] errors = new int[count];
            final int inserted = vector.insert(addresses, names, new AvInsert().errors(errors).userIds(userIds));
            int expected = 0;
            for (int i = 0; i < count; i++) {
                final boolean good = addresses[i] != null && !addresses[i].equals(AvRig.bad());
                assertThat(errors[i] == 0).isEqualTo(good);
                assertThat(names[i] != FiAddr.NOTAVAIL).isEqualTo(good);
                if (good) {
                    expected++;
                    keep(names[i], addresses[i], userIds ? ids[i] : names[i]);
                }
            }
            assertThat(inserted).isEqualTo(expected);
        }

        private void keep(final long name, final FabricAddress address, final long source) {
            if (table) {
                assertThat(name).as("lowest free index").isEqualTo(places.nextClearBit(0));
            } else {
                assertThat(gone).as("names that were removed").doesNotContain(name);
            }
            assertThat(model.put(name, new Kept(address, source))).as("name 0x%x twice", name).isNull();
            indices.put(name, AvRig.find(vector, name).index());
            places.set(indices.get(name));
            there.merge(address, 1, Integer::sum);
        }

        private void removeSome(final int count) {
            final List<Long> names = new ArrayList<>(model.keySet());
            final long[] batch = new long[count];
            int bad = 0;
            for (int i = 0; i < count; i++) {
                batch[i] = names.isEmpty() || random.nextInt(200) == 0 ? 1L << 61
                    : names.remove(random.nextInt(3) == 0 ? random.nextInt(names.size()) : names.size() / 2);
                final Kept kept = model.remove(batch[i]);
                gone.add(batch[i]);
                if (kept == null) {
                    bad++;
                } else {
                    places.clear(indices.remove(batch[i]));
                    there.merge(kept.address, -1, (a, b) -> a + b == 0 ? null : a + b);
                }
            }
            if (bad == 0) {
                vector.remove(batch, count, 0);
            } else {
                assertThatThrownBy(() -> vector.remove(batch, count, 0)).isInstanceOf(FabricException.class)
                    .hasMessageContaining(bad + " of " + count);
            }
        }

        private void identify() {
            for (final Map.Entry<Long, Kept> entry : model.entrySet()) {
                if (random.nextInt(10) == 0) {
                    final long id = 5_000_000L + random.nextInt(1_000);
                    vector.userId(entry.getKey(), id, 0);
                    entry.setValue(new Kept(entry.getValue().address, id));
                }
            }
        }

        private void compare() {
            assertThat(vector.size()).isEqualTo(model.size());
            final Map<FabricAddress, Long> first = new HashMap<>();
            model.forEach((name, kept) -> first.putIfAbsent(kept.address, name));
            final PeerAddress peer = new PeerAddress();
            for (final Map.Entry<Long, Kept> entry : model.entrySet()) {
                if (random.nextInt(1 + model.size() / 40) != 0) {
                    continue;
                }
                final long name = entry.getKey();
                final FabricAddress address = entry.getValue().address;
                assertThat(vector.find(name, peer)).as("0x%x in %s", name, vector).isTrue();
                assertThat(AvRig.device(peer.gidLow(), peer.qpn())).isEqualTo(address);
                assertThat(peer.qkey()).isEqualTo(AvRig.QKEY);
                assertThat(peer.index()).isEqualTo(indices.get(name));
                assertThat(vector.lookup(name)).isEqualTo(address);
                final long reported = first.get(address);
                assertThat(vector.nameOf(peer.gidHigh(), peer.gidLow(), peer.qpn())).isEqualTo(reported);
                assertThat(vector.source(peer.gidHigh(), peer.gidLow(), peer.qpn()))
                    .isEqualTo(model.get(reported).source);
            }
            for (int i = 0; i < 20; i++) {
                final FabricAddress any = AvRig.device(random.nextInt(1, 3_000), random.nextInt(1, 10));
                assertThat(vector.nameOf(AvRig.GID_HIGH, any.gid().low(), any.qpn()))
                    .isEqualTo(first.getOrDefault(any, FiAddr.NOTAVAIL));
            }
            gone.stream().limit(20).filter(name -> !model.containsKey(name))
                .forEach(name -> assertThat(vector.find(name, peer)).as("0x%x was removed", name).isFalse());
        }
    }

    @Campaign(value = "model", usual = 12)
    void anyCalls(final long seed) {
        final KindOfVector kind = KindOfVector.values()[Math.floorMod(seed, KindOfVector.values().length)];
        Steps.run(seed, STEPS, steps -> run(kind, seed, steps));
    }

    private static void run(final KindOfVector kind, final long seed, final int... steps) {
        final Pair pair = new Pair(kind.type, kind.symmetric, kind.duplicates);
        for (final int step : steps) {
            try {
                pair.step(Steps.random(seed, step));
            } catch (final AssertionError | RuntimeException e) {
                throw new AssertionError(kind + ", step " + step + ", " + pair.vector, e);
            }
        }
    }
}
