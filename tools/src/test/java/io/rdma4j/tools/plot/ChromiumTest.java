/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.imageio.ImageIO;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The page as a browser shows it: every label inside its chart and apart from the others, every line drawn, nothing
 * asked of the network. With {@code -Drdma4j.chromium=required} a machine without the browser fails.
 */
@Tag("sources")
@Timeout(180)
class ChromiumTest {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 2600;
    /** As far as a page of one test reaches. */
    private static final int PICTURE_HEIGHT = 1400;
    private static final int BLUE = 0x0b62c4;
    private static final int ORANGE = 0xd9480f;
    private static final long SECONDS = 120;
    /** Adds what is wrong with the layout to the document. */
    private static final String LOOK = """
        <script>
        const wrong = [];
        const meets = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1
          && b.top < a.bottom - 1;
        for (const svg of document.querySelectorAll('figure > svg')) {
          const frame = svg.getBoundingClientRect();
          const labels = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
          labels.forEach(([text, box], i) => {
            if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
                || box.bottom > frame.bottom + 1) wrong.push(text + ' is cut off');
            labels.slice(i + 1).forEach(([other, there]) => {
              if (meets(box, there)) wrong.push(text + ' and ' + other + ' overlap');
            });
          });
        }
        if (document.documentElement.scrollWidth > window.innerWidth) wrong.push('the page is too wide');
        const said = document.createElement('p');
        said.textContent = 'LOOKED ' + document.querySelectorAll('figure > svg').length + ' WRONG '
          + wrong.join('; ') + ' END';
        document.body.append(said);
        </script>
        """;

    @TempDir
    private Path folder;

    private static boolean isThere() {
        return Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "chromium")));
    }

    private static void requireChromium() {
        if ("required".equals(System.getProperty("rdma4j.chromium"))) {
            assertThat(isThere()).as("chromium is on the PATH: apt-get install chromium").isTrue();
        }
        assumeTrue(isThere(), "there is no chromium on the PATH");
    }

    private String chromium(final Path page, final int height, final String... options)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of("chromium", "--headless", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
            "--user-data-dir=" + folder.resolve("profile"), "--window-size=" + WIDTH + "," + height));
        command.addAll(List.of(options));
        command.add(page.toUri().toString());
        final Path out = folder.resolve("out");
        final Path err = folder.resolve("err");
        final Process process = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile())
            .start();
        final boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("chromium ends; it said %s", Files.readString(err)).isTrue();
        assertThat(process.exitValue()).as("%s", Files.readString(err)).isZero();
        return Files.readString(out);
    }

    private static String page() {
        return PerfPage.html(List.of(
            Runs.latency("emulated:", 1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 20, 1 << 23),
            Runs.latency("vfio:0000:0b:00.1", 12, 64, 4096), Runs.bandwidth("emulated:", 1, 64, 4096, 65536)));
    }

    @Test
    void labelsAreReadable() throws IOException, InterruptedException {
        requireChromium();
        final Path page = Files.writeString(folder.resolve("look.html"), page().replace("</body>", LOOK + "</body>"));
        assertThat(chromium(page, HEIGHT, "--dump-dom")).contains("LOOKED 18 WRONG  END");
    }

    @Test
    void linesAreDrawn() throws IOException, InterruptedException {
        requireChromium();
        final Path page = Files.writeString(folder.resolve("page.html"), PerfPage.html(
            List.of(Runs.latency("emulated:", 1, 64), Runs.latency("vfio:0000:0b:00.1", 12, 64))));
        final Path picture = folder.resolve("page.png");
        chromium(page, PICTURE_HEIGHT, "--screenshot=" + picture);
        final BufferedImage image = ImageIO.read(picture.toFile());
        assertThat(image.getWidth()).isEqualTo(WIDTH);
        assertThat(count(image, BLUE)).as("pixels of the first run's line").isGreaterThan(500);
        assertThat(count(image, ORANGE)).as("pixels of the second run's line").isGreaterThan(500);
    }

    private static long count(final BufferedImage image, final int colour) {
        long count = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                count += (image.getRGB(x, y) & 0xffffff) == colour ? 1 : 0;
            }
        }
        return count;
    }
}
