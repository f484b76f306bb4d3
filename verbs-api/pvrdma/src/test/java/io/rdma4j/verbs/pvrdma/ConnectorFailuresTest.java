/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Loopback;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.ConnectClock;
import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaListener;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Everything that can be wrong with the other side: a named exception, a QP as before, and no socket left. */
class ConnectorFailuresTest {
    private static final int EINTR = 4;
    private static final int EPROTO = 71;
    private static final int EPROTONOSUPPORT = 93;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ECONNRESET = 104;
    private static final int ECONNREFUSED = 111;
    private static final int ECANCELED = 125;
    private static final QpAddress SOMEWHERE = new QpAddress(Gid.parse("fe80::77"), 0x77, 0x1234, 0);

    @RegisterExtension
    final Devices devices = new Devices();

    private Peer peer;
    private List<String> before;

    @BeforeEach
    void open() throws IOException {
        peer = Peer.rc(devices.open());
        devices.open().bindGid(1, SOMEWHERE.gid());
        // The first selector of a process makes descriptors that stay.
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            assertThat(listener.address().getAddress().isLoopbackAddress()).isTrue();
        }
        before = sockets();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (sockets().size() > before.size() && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(sockets()).as("sockets and selectors, before: %s", before).hasSizeLessThanOrEqualTo(before.size());
        assertThat(peer.qp.isClosed() ? QpState.RESET : peer.qp.state()).isEqualTo(QpState.RESET);
    }

    private static List<String> sockets() throws IOException {
        final List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (final Path file : files.toList()) {
                final String target = target(file);
                if (target.startsWith("socket:") || target.startsWith("anon_inode:[event")) {
                    found.add(target);
                }
            }
        }
        return found;
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return "closed meanwhile";
        }
    }

    /** Where it is known that nothing comes. */
    private static ConnectOptions quick() {
        return new ConnectOptions().timeout(Duration.ofMillis(100));
    }

    /** The time is over when somebody was turned away. */
    private static ConnectOptions untilRefused(final RdmaListener listener) {
        return ConnectClock.endsAfter(patient(), () -> listener.refused() > 0);
    }

    /** The time is over when this side is ready. */
    private static ConnectOptions untilReady(final Peer own) {
        return ConnectClock.endsAfter(patient(), () -> own.qp.state() == QpState.RTS);
    }

    /** Of the peer's HELLO; what comes after it is to come soon. */
    private static ConnectOptions patientAtFirst() {
        return patient().patience(Duration.ofMillis(300));
    }

    private static ConnectOptions patient() {
        return new ConnectOptions().timeout(Patience.duration()).patience(Patience.duration().dividedBy(2));
    }

    /** What a side that listens does. */
    @FunctionalInterface
    private interface Script {
        void play(ScriptedPeer peer) throws IOException;
    }

    /** On a busy machine the other thread takes its time, which is to show only where a deadline is the matter. */
    private void connectTo(final Script script, final int errno, final String... words) throws IOException {
        connectTo(script, patient(), errno, words);
    }

    private void connectTo(final Script script, final ConnectOptions options, final int errno,
            final String... words) throws IOException {
        try (ServerSocket server = ScriptedPeer.listen()) {
            play(server, script);
            assertRefused(errno, () -> RdmaConnector.connect(peer.qp, ScriptedPeer.address(server), options), words);
        }
    }

    private static void play(final ServerSocket server, final Script script) {
        Background.run(() -> {
            try (ScriptedPeer other = new ScriptedPeer(server.accept())) {
                script.play(other);
            } catch (final IOException e) {
                // The connector's view of it is what is looked at.
                return;
            }
        });
    }

    /** Of one who only speaks: all of it is there before anybody listens. */
    private void acceptWhoSaid(final Script script, final String... words) throws IOException {
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            script.play(other);
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(peer.qp, untilRefused(listener)), words);
        }
    }

    private void acceptFrom(final Script script, final int errno, final String... words) throws IOException {
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            Background.run(() -> {
                try {
                    script.play(other);
                } catch (final IOException e) {
                    // The listener's view of it is what is looked at.
                    return;
                }
            });
            assertRefused(errno, () -> listener.accept(peer.qp, patient()), words);
        }
    }

    private byte[] hello(final int role) {
        return ScriptedPeer.hello(role, ScriptedPeer.RC, SOMEWHERE);
    }

    @Test
    void nobodyListens() throws IOException {
        try (Socket deaf = Loopback.deafPort()) {
            assertRefused(ECONNREFUSED,
                () -> RdmaConnector.connect(peer.qp, (InetSocketAddress) deaf.getLocalSocketAddress(), patient()),
                "nobody listens there", String.valueOf(deaf.getLocalPort()));
        }
    }

    @Test
    void thePeerSpeaksAnotherProtocol() throws IOException {
        connectTo(other -> other.say("HTTP/1.1 400 Bad Request\r\n\r\n").hear(), EPROTO, "another protocol: \"H");
        acceptWhoSaid(other -> other.say("GET / HTTP/1.1\r\n\r\n"), "no suitable peer",
            "another protocol: \"GET /");
    }

    @Test
    void thePeerSpeaksAnotherVersion() throws IOException {
        final byte[] next = ScriptedPeer.message(2, ScriptedPeer.HELLO, new byte[50]);
        connectTo(other -> other.say(next).hear(), EPROTONOSUPPORT, "version 2", "here is 1");
        acceptWhoSaid(other -> other.say(next), "version 2", "here is 1");
    }

    @Test
    void aPeerOfAnotherVersionIsToldSo() throws Exception {
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            other.say(ScriptedPeer.message(2, ScriptedPeer.HELLO, new byte[50]));
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(peer.qp, untilRefused(listener)));
            final ScriptedPeer.Message answer = other.hear();
            assertThat(answer.kind()).isEqualTo(ScriptedPeer.REFUSED);
            assertThat(answer.payload().getInt(0)).isEqualTo(EPROTONOSUPPORT);
            assertThat(answer.text()).contains("version 2");
        }
    }

    @Test
    void aMessageIsTruncated() throws IOException {
        final byte[] part = Arrays.copyOf(hello(ScriptedPeer.LISTENS), 30);
        connectTo(other -> {
            other.hear();
            other.say(part);
        }, ECONNRESET, "after 30 of 52 bytes", "while HELLO was awaited");
        acceptWhoSaid(other -> other.say(Arrays.copyOf(hello(ScriptedPeer.CONNECTS), 30)).close(),
            "after 30 of 52 bytes");
    }

    @Test
    void thePeerClosesInTheMiddle() throws IOException {
        connectTo(ScriptedPeer::hear, ECONNRESET, "closed the connection", "HELLO");
        connectTo(other -> {
            other.say(hello(ScriptedPeer.LISTENS)).hear();
            other.hear();
        }, ECONNRESET, "closed the connection", "READY");
        connectTo(other -> {
            other.say(hello(ScriptedPeer.LISTENS), ScriptedPeer.signal(ScriptedPeer.READY)).hear();
            other.hear();
            other.hear();
        }, ECONNRESET, "closed the connection", "DONE");
        acceptFrom(other -> {
            other.say(hello(ScriptedPeer.CONNECTS)).hear();
            other.hear();
            other.close();
        }, ECONNRESET, "closed the connection", "READY");
    }

    @Test
    void thePeerSaysNothingMore() throws IOException {
        final AtomicBoolean heard = new AtomicBoolean();
        connectTo(other -> {
            other.hear();
            heard.set(true);
            // Nothing of use, but whoever sleeps looks at the clock.
            other.say(Arrays.copyOf(hello(ScriptedPeer.LISTENS), 1)).hear();
        }, ConnectClock.endsAfter(patient(), heard::get), RdmaException.ETIMEDOUT, "HELLO was awaited");
        connectTo(other -> {
            other.say(hello(ScriptedPeer.LISTENS));
            while (other.hear() != null) {
                Thread.onSpinWait();
            }
        }, patientAtFirst(), RdmaException.ETIMEDOUT, "READY was awaited");
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            other.say(hello(ScriptedPeer.CONNECTS));
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(peer.qp, untilReady(peer)),
                "READY was awaited");
        }
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(peer.qp, quick()), "no peer came in time");
        }
    }

    @Test
    void thePeerBreaksTheOrder() throws IOException {
        connectTo(other -> other.say(ScriptedPeer.signal(ScriptedPeer.READY)).hear(), EPROTO,
            "READY where HELLO belongs");
        connectTo(other -> other.say(hello(ScriptedPeer.LISTENS), ScriptedPeer.signal(ScriptedPeer.DONE)).hear(),
            EPROTO, "DONE where READY belongs");
        acceptWhoSaid(other -> other.say(ScriptedPeer.signal(ScriptedPeer.READY)), "it began with READY");
        acceptFrom(other -> other.say(hello(ScriptedPeer.CONNECTS), hello(ScriptedPeer.CONNECTS)),
            EPROTO, "HELLO where READY belongs");
    }

    @Test
    void bothSidesConnect() throws IOException {
        connectTo(other -> other.say(hello(ScriptedPeer.CONNECTS)).hear(), EPROTO, "connects as well");
    }

    @Test
    void thePeerRefusesAndSaysWhy() throws IOException {
        final byte[] why = ScriptedPeer.message(1, ScriptedPeer.REFUSED, new byte[] {0, 0, 0, 12, 'f', 'u', 'l', 'l'});
        connectTo(other -> {
            other.hear();
            other.say(why);
        }, RdmaException.ENOMEM, "it refused: full");
        acceptFrom(other -> other.say(hello(ScriptedPeer.CONNECTS), why), RdmaException.ENOMEM, "it refused: full");
    }

    /** The QP takes messages before READY goes out, and the call ends only after the peer knows and says so. */
    @Test
    void nobodyReturnsBeforeBothKnow() throws Exception {
        final Peer real = Peer.rc(devices.open());
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            final CompletableFuture<RdmaConnection> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(real.qp, patient()), Background::run);
            other.say(hello(ScriptedPeer.CONNECTS));
            assertThat(other.hearKind()).isEqualTo(ScriptedPeer.HELLO);
            assertThat(other.hearKind()).isEqualTo(ScriptedPeer.READY);
            assertThat(real.qp.state()).isEqualTo(QpState.RTS);
            assertThat(accepted).isNotDone();
            other.say(ScriptedPeer.signal(ScriptedPeer.READY));
            assertThat(other.hearKind()).isEqualTo(ScriptedPeer.DONE);
            Thread.sleep(50);
            assertThat(accepted).isNotDone();
            other.say(ScriptedPeer.signal(ScriptedPeer.DONE));
            assertThat(Patience.get(accepted).remote()).isEqualTo(SOMEWHERE);
            assertThat(other.hearKind()).as("the end").isZero();
        }
    }

    @Test
    void theTypesDiffer() throws Exception {
        final Peer datagrams = new Peer(devices.open(), new QpOptions().type(QpType.UD));
        final Peer right = Peer.rc(devices.open());
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            final CompletableFuture<RdmaConnection> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(right.qp, patient()), Background::run);
            assertRefused(RdmaException.EINVAL,
                () -> RdmaConnector.connect(datagrams.qp, listener.address(), patient()), "UD", "RC");
            assertThat(datagrams.qp.state()).isEqualTo(QpState.RESET);
            assertThat(accepted).as("still waits for the right one").isNotDone();
            RdmaConnector.connect(Peer.rc(devices.open()).qp, listener.address(), patient());
            Patience.get(accepted);
            assertThat(listener.refused()).isEqualTo(1);
        }
        connectTo(other -> other.say(ScriptedPeer.hello(ScriptedPeer.LISTENS, ScriptedPeer.UD, SOMEWHERE)).hear(),
            RdmaException.EINVAL, "UD", "RC");
    }

    @Test
    void theOwnQpIsInAWrongState() throws Exception {
        try (ServerSocket server = ScriptedPeer.listen(); RdmaListener listener = RdmaConnector.listen(0)) {
            server.setSoTimeout(100);
            peer.qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
            assertRefused(RdmaException.EINVAL,
                () -> RdmaConnector.connect(peer.qp, ScriptedPeer.address(server), quick()), "INIT", "RESET");
            assertRefused(RdmaException.EINVAL, () -> listener.accept(peer.qp, quick()), "INIT", "RESET");
            assertThat(peer.qp.state()).isEqualTo(QpState.INIT);
            peer.qp.close();
            assertRefused(RdmaException.EBADFD,
                () -> RdmaConnector.connect(peer.qp, ScriptedPeer.address(server), quick()), "closed");
            assertThatThrownBy(server::accept).as("nobody was asked").isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void theOwnSideIsNotFit() throws Exception {
        final InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(null, to, quick()));
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(peer.qp, to, null));
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(peer.qp, null, quick()));
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(peer.qp,
            InetSocketAddress.createUnresolved("no.such.host.invalid", 1), quick()), "no.such.host.invalid");
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(peer.qp, to,
            quick().attributes(new QpAttributes().maxRdAtomic(1000))), "MAX_QP_RD_ATOMIC is 1000");
        final AhAttributes elsewhere = new AhAttributes(Gid.ZERO, 1, 64, 0, 0, 0, 1);
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.connect(peer.qp, to,
            quick().attributes(new QpAttributes().ah(elsewhere))), "GID index 1", "bindGid");
    }

    @Test
    void optionsAreChecked() {
        final ConnectOptions options = new ConnectOptions();
        assertRefused(RdmaException.EINVAL, () -> options.timeout(Duration.ZERO), "PT0S");
        assertRefused(RdmaException.EINVAL, () -> options.patience(null), "null");
        assertRefused(RdmaException.EINVAL, () -> options.privateData(new byte[1025]), "1025", "1024");
        assertRefused(RdmaException.EINVAL, () -> options.attributes(null));
        assertRefused(RdmaException.EINVAL, () -> options.beforeReady(null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheApplicationThrowsEndsBothSides(final boolean onTheListeningSide) throws Exception {
        final Peer far = Peer.rc(devices.open());
        final ConnectOptions objecting = patient().beforeReady(c -> {
            assertThat(peer.qp.postReceive(1, peer.at(0), 8, peer.lkey())).isZero();
            throw new IllegalStateException("no room for " + c.remote());
        });
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            final CompletableFuture<RdmaConnection> other = CompletableFuture.supplyAsync(() -> onTheListeningSide
                ? RdmaConnector.connect(far.qp, listener.address(), patient())
                : listener.accept(far.qp, patient()), Background::run);
            assertThatThrownBy(() -> {
                if (onTheListeningSide) {
                    listener.accept(peer.qp, objecting);
                } else {
                    RdmaConnector.connect(peer.qp, listener.address(), objecting);
                }
            }).isInstanceOf(IllegalStateException.class).hasMessageContaining("no room");
            assertThatThrownBy(() -> Patience.get(other)).isInstanceOf(ExecutionException.class)
                .cause().isInstanceOf(RdmaException.class).hasMessageContaining("it refused: IllegalStateException")
                .satisfies(e -> assertThat(((RdmaException) e).errno()).isEqualTo(ECANCELED));
        }
        assertThat(far.qp.state()).isEqualTo(QpState.RESET);
        Completions.assertNone(peer.cq);
    }

    @Test
    void aQpCanBeConnectedAfterAFailure() throws Exception {
        thePeerClosesInTheMiddle();
        final Peer far = Peer.rc(devices.open());
        final Peer near = Peer.rc(devices.open());
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            try (ScriptedPeer deserter = ScriptedPeer.connect(listener.address())) {
                deserter.say(hello(ScriptedPeer.CONNECTS));
                assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(near.qp, untilReady(near)));
            }
            final CompletableFuture<RdmaConnection> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(near.qp, patient()), Background::run);
            RdmaConnector.connect(far.qp, listener.address(), patient());
            Patience.get(accepted);
        }
        assertThat(far.qp.postReceive(1, far.at(0), 8, far.lkey())).isZero();
        assertThat(near.qp.postSend(1, near.at(0), 8, near.lkey())).isZero();
        Completions.awaitSuccess(near.cq);
    }

    @Test
    void silentAndBabblingPeersDoNotKeepTheRightOneOut() throws Exception {
        final Peer near = Peer.rc(devices.open());
        final List<ScriptedPeer> crowd = new ArrayList<>();
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            final CompletableFuture<RdmaConnection> accepted =
                CompletableFuture.supplyAsync(() -> listener.accept(near.qp, patient()), Background::run);
            final byte[] start = Arrays.copyOf(hello(ScriptedPeer.CONNECTS), 40);
            for (int i = 0; i < 200; i++) {
                final ScriptedPeer one = ScriptedPeer.connect(listener.address());
                crowd.add(one);
                switch (i % 4) {
                    case 0 -> one.say("EHLO\r\n");
                    case 1 -> one.say(start);
                    case 2 -> one.say("\u0000");
                    default -> { }
                }
            }
            RdmaConnector.connect(Peer.rc(devices.open()).qp, listener.address(), patient());
            Patience.get(accepted);
            // Half of 200 say something wrong; of those who say nothing wrong only 64 are kept.
            assertThat(listener.refused()).isGreaterThanOrEqualTo(100);
        } finally {
            for (final ScriptedPeer one : crowd) {
                one.close();
            }
        }
    }

    @Test
    void whoSpellsHisHelloTooSlowlyIsTurnedAway() throws Exception {
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer slow = ScriptedPeer.connect(listener.address())) {
            // It would take him a minute, which is longer than this side waits for anybody.
            final byte[] hello = ScriptedPeer.hello(ScriptedPeer.CONNECTS, ScriptedPeer.RC, 5, 16, SOMEWHERE,
                new byte[ConnectOptions.MAX_PRIVATE_DATA]);
            Background.run(() -> spell(slow, hello));
            final long start = System.nanoTime();
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(peer.qp,
                untilRefused(listener).patience(Duration.ofMillis(300))), "did not say HELLO within PT0.3S");
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isGreaterThanOrEqualTo(300);
            assertThat(listener.refused()).isEqualTo(1);
        }
    }

    private static void spell(final ScriptedPeer slow, final byte[] message) {
        try {
            for (final byte b : message) {
                slow.say(new byte[] {b});
                Thread.sleep(50);
            }
        } catch (final IOException | InterruptedException e) {
            // He was turned away, which is what is looked at.
            return;
        }
    }

    @Test
    void whoGaveUpIsNotTakenFromTheQueue() throws Exception {
        final Peer near = Peer.rc(devices.open());
        final Peer far = Peer.rc(devices.open());
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            ScriptedPeer.connect(listener.address()).say(hello(ScriptedPeer.CONNECTS)).close();
            final CompletableFuture<RdmaConnection> connected = CompletableFuture.supplyAsync(
                () -> RdmaConnector.connect(far.qp, listener.address(), patient()), Background::run);
            RdmaConnection connection = null;
            for (int i = 0; connection == null && i < 2; i++) {
                connection = acceptOrNull(listener, near);
            }
            assertThat(connection).isNotNull();
            assertThat(connection.remote()).isEqualTo(far.qp.localAddress());
            Patience.get(connected);
        }
    }

    /** Null if the deserter was chosen: his end need not have been seen when his HELLO was. */
    private static RdmaConnection acceptOrNull(final RdmaListener listener, final Peer near) {
        try {
            return listener.accept(near.qp, patient());
        } catch (final RdmaException e) {
            assertThat(e.errno()).as(e.getMessage()).isEqualTo(ECONNRESET);
            return null;
        }
    }

    /** At a port that nobody is given who asks for any: it stays free. */
    @Test
    void closingTheListenerEndsWaiting() throws Exception {
        final RdmaListener listener = RdmaConnector.listen(new InetSocketAddress(Loopback.address(62), 13_792));
        final CompletableFuture<RdmaConnection> accepted =
            CompletableFuture.supplyAsync(() -> listener.accept(peer.qp, patient()), Background::run);
        Thread.sleep(100);
        assertThat(accepted).isNotDone();
        listener.close();
        listener.close();
        assertThatThrownBy(() -> Patience.get(accepted)).hasCauseInstanceOf(RdmaException.class)
            .hasMessageContaining("EBADFD");
        assertRefused(RdmaException.EBADFD, () -> listener.accept(peer.qp, quick()), "closed");
        assertRefused(ECONNREFUSED, () -> RdmaConnector.connect(peer.qp, listener.address(), patient()));
    }

    @Test
    void anInterruptEndsWaiting() throws Exception {
        try (ServerSocket silent = ScriptedPeer.listen(); RdmaListener listener = RdmaConnector.listen(0)) {
            Thread.currentThread().interrupt();
            assertRefused(EINTR, () -> RdmaConnector.connect(peer.qp, ScriptedPeer.address(silent), patient()),
                "interrupted");
            assertThat(Thread.interrupted()).isTrue();
            Thread.currentThread().interrupt();
            assertRefused(EINTR, () -> listener.accept(peer.qp, patient()), "interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void theAddressToListenAtIsNotToBeHad() {
        try (RdmaListener listener = RdmaConnector.listen(0)) {
            assertRefused(EADDRINUSE, () -> RdmaConnector.listen(listener.address().getPort()), "another port");
        }
        assertRefused(EADDRNOTAVAIL, () -> RdmaConnector.listen(new InetSocketAddress("192.0.2.1", 0)));
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.listen(-1), "-1");
        assertRefused(RdmaException.EINVAL, () -> RdmaConnector.listen(null));
    }

    @Test
    void aQpThatCannotBeUsedAgainIsLeftInResetToo() throws Exception {
        final Peer once = Peer.rc(devices.open(Devices.QEMU));
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer deserter = ScriptedPeer.connect(listener.address())) {
            deserter.say(hello(ScriptedPeer.CONNECTS));
            assertRefused(RdmaException.ETIMEDOUT, () -> listener.accept(once.qp, untilReady(once)), "READY");
        }
        assertThat(once.qp.state()).isEqualTo(QpState.RESET);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aQpThatIsConnectedByOthersMeanwhileStaysConnected(final boolean thePeerRefuses) throws IOException {
        final Peer near = Peer.rc(devices.open());
        final Peer far = Peer.rc(devices.open());
        final byte[] answer = thePeerRefuses
            ? ScriptedPeer.message(1, ScriptedPeer.REFUSED, new byte[] {0, 0, 0, RdmaException.EINVAL, '!'})
            : hello(ScriptedPeer.LISTENS);
        try (ServerSocket server = ScriptedPeer.listen()) {
            play(server, other -> {
                other.hear();
                near.connect(far);
                other.say(answer).hear();
            });
            assertRefused(RdmaException.EINVAL,
                () -> RdmaConnector.connect(near.qp, ScriptedPeer.address(server), patient()));
        }
        assertThat(near.qp.state()).isEqualTo(QpState.RTS);
    }

    @Test
    void aQpThatIsClosedMeanwhileStaysClosed() throws Exception {
        final PvrdmaContext device = devices.open();
        final Peer near = Peer.rc(device);
        try (RdmaListener listener = RdmaConnector.listen(0);
            ScriptedPeer other = ScriptedPeer.connect(listener.address())) {
            other.say(hello(ScriptedPeer.CONNECTS));
            assertThatThrownBy(() -> listener.accept(near.qp, patient().beforeReady(c -> near.qp.close())
                .patience(Duration.ofMillis(200)))).isInstanceOf(RdmaException.class);
            assertThat(near.qp.isClosed()).isTrue();
        }
    }
}
