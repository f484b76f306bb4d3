/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.testing.PersianDigits;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Which folders are used, and which are not. */
class StateFolderTest {
    private static final UnaryOperator<String> NOTHING = name -> null;
    private static final long NOBODY = 65534;

    @TempDir
    Path memory;
    private StateFolder state;
    private long user;

    @BeforeEach
    void lookLikeMemory() throws IOException {
        Files.setAttribute(memory, "unix:mode", 01777);
        state = new StateFolder("test", "rdma4j.test.dir", true, memory);
        user = StateFolder.userId();
    }

    private Path prepare() throws IOException {
        return state.prepare(NOTHING, NOTHING);
    }

    private List<Path> existing() {
        return state.existing(NOTHING, NOTHING, user);
    }

    private static void mode(final Path path, final String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void giveAway(final Path path) throws IOException {
        assumeThat(Libc.geteuid()).as("needs root, to give a folder away").isZero();
        Files.setAttribute(path, "unix:uid", (int) NOBODY);
    }

    @Test
    void theUsualOnes() {
        final Map<String, String> environment = new HashMap<>();
        final StateFolder usual = StateFolder.STATE;
        assertThat(usual.usual(environment::get, 0)).containsExactly(Path.of("/run/rdma4j"));
        assertThat(usual.usual(environment::get, 7)).containsExactly(Path.of("/dev/shm/rdma4j-7"));
        environment.put("XDG_RUNTIME_DIR", "/run/user/7");
        assertThat(usual.usual(environment::get, 7))
            .containsExactly(Path.of("/run/user/7/rdma4j"), Path.of("/dev/shm/rdma4j-7"));
        assertThat(usual.usual(environment::get, 0)).containsExactly(Path.of("/run/rdma4j"));
        assertThat(state.usual(environment::get, 0))
            .containsExactly(memory.resolve("test-0"), Path.of("/run/user/7/test"));
    }

    @Test
    void theChosenOneComesFirst() throws IOException {
        final Map<String, String> environment = new HashMap<>();
        environment.put("RDMA4J_TEST_DIR", memory.resolve("x").toString());
        assertThat(state.prepare(NOTHING, environment::get)).isEqualTo(memory.resolve("x"));
        assertThat(state.prepare(name -> "rdma4j.test.dir".equals(name) ? memory.resolve("y").toString() : null,
            environment::get)).isEqualTo(memory.resolve("y"));
        assertThat(state.existing(NOTHING, environment::get, user)).containsExactly(memory.resolve("x"));
        assertThat(StateFolder.STATE.variable()).isEqualTo(StateFolder.VARIABLE);
    }

    @Test
    void isMadeForItsUserAlone() throws IOException {
        final Path made = prepare();
        assertThat(made).isEqualTo(memory.resolve("test-" + user));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made))).isEqualTo("rwx------");
        assertThat(prepare()).isEqualTo(made);
        assertThat(existing()).containsExactly(made);
    }

    /** Anybody can make a link, a file, or a folder of that name before the user does. */
    @Test
    @ExtendWith(PersianDigits.class)
    void anotherOneIsUsedWhereSomebodyTookTheUsualOne() throws IOException {
        final Path usual = memory.resolve("test-" + user);
        final Path target = Files.createDirectory(memory.resolve("target"));
        Files.createSymbolicLink(usual, target);

        final Path other = prepare();

        assertThat(other.getFileName().toString()).matches("test-" + user + "-[0-9a-f]{16}");
        assertThat(other.getParent()).isEqualTo(memory);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(other))).isEqualTo("rwx------");
        assertThat(prepare()).as("the next process takes the same").isEqualTo(other);
        assertThat(existing()).as("where others look").containsExactly(other);
        assertThat(target).isEmptyDirectory();
    }

    @Test
    void anotherUsersFolderIsNotUsed() throws IOException {
        final Path usual = Files.createDirectory(memory.resolve("test-" + user));
        final Path guessed = Files.createDirectory(memory.resolve("test-" + user + "-0000000000000000"));
        giveAway(usual);
        giveAway(guessed);
        final Path other = prepare();
        assertThat(other).isNotEqualTo(usual).isNotEqualTo(guessed);
        assertThat(prepare()).isEqualTo(other);
        assertThat(existing()).containsExactly(other);
        assertThat(usual).isEmptyDirectory();
        assertThat(guessed).isEmptyDirectory();
        assertRefused(usual, "belongs to user 65534 and has mode", "others may write there");
    }

    private static void assertRefused(final Path folder, final String... words) {
        assertThatThrownBy(() -> StateFolder.prepare(folder)).isInstanceOf(AccessDeniedException.class)
            .hasMessageContainingAll(words).hasMessageContaining(folder.toString());
    }

    @Test
    void aFolderThatIsNoneIsRefused() throws IOException {
        final Path folder = Files.createDirectory(memory.resolve("folder"));
        assertRefused(Files.createSymbolicLink(memory.resolve("link"), folder), "is a symbolic link, no folder");
        assertRefused(Files.createFile(memory.resolve("file")), "is no folder");
        assertRefused(Path.of("/"), "is no folder of a user's own");
        mode(folder, "rwxrwx---");
        assertRefused(folder, "others may write there");
    }

    /** Where the system has no memory's folder none is made for it. */
    @Test
    void whereThereIsNoFolderOfMemory() throws IOException {
        final Path none = memory.resolve("none");
        final Path runtime = Files.createDirectory(memory.resolve("runtime"));
        assertThat(new StateFolder("test", "rdma4j.test.dir", true, none).prepare(NOTHING,
            name -> "XDG_RUNTIME_DIR".equals(name) ? runtime.toString() : null)).isEqualTo(runtime.resolve("test"));
        assertThat(none).doesNotExist();
    }

    /** Whoever can rename what is above can put another folder into its place after it was looked at. */
    @Test
    void aFolderThatOthersCanReplaceIsRefused() throws IOException {
        final Path above = Files.createDirectory(memory.resolve("above"));
        mode(above, "rwxrwxrwx");
        assertRefused(above.resolve("folder"), "is in " + above + ", where anybody could replace it");
        assertThat(above).isEmptyDirectory();
        final Path below = Files.createDirectories(above.resolve("a/b"));
        assertRefused(below, "is in " + above);
        mode(above, "rwxr-xr-x");
        assertThat(StateFolder.prepare(below)).isEqualTo(below);
        mode(above, "rwxrwxr-x");
        assertThat(StateFolder.prepare(below)).as("the group is the user's own, or root's").isEqualTo(below);
        assumeThat(Libc.geteuid()).as("needs root, to give a folder away").isZero();
        Files.setAttribute(above, "unix:gid", (int) NOBODY);
        assertRefused(below, "is in " + above + ", where anybody of group 65534 could replace it");
        mode(above, "rwxr-xr-x");
        giveAway(above);
        assertRefused(below, "is in " + above + " of user 65534, who could replace it");
    }

    @Test
    void linksAboveAreFollowedAndWhereTheyLeadIsLookedAt() throws IOException {
        final Path open = Files.createDirectory(memory.resolve("open"));
        final Path link = Files.createSymbolicLink(memory.resolve("link"), open);
        assertThat(StateFolder.prepare(link.resolve("folder"))).isEqualTo(open.resolve("folder"));
        mode(open, "rwxrwxrwx");
        assertRefused(link.resolve("folder"), "is in " + open);
    }
}
