/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.imageio.ImageIO;

import static org.assertj.core.api.Assertions.assertThat;

/** Writes a picture with sixteen steps of each colour and a palette: less than half as long for a repository. */
final class SmallPicture {
    private static final int STEP = 17;
    private static final int BYTE = 0xff;
    private static final int PALETTE = 256;

    private SmallPicture() {
    }

    static void write(final BufferedImage image, final Path file) throws IOException {
        final Map<Integer, Integer> palette = new LinkedHashMap<>();
        final int[] pixels = new int[image.getWidth() * image.getHeight()];
        for (int i = 0; i < pixels.length; i++) {
            final int colour = rounded(image.getRGB(i % image.getWidth(), i / image.getWidth()));
            palette.putIfAbsent(colour, palette.size());
            pixels[i] = palette.get(colour);
        }
        final BufferedImage small = new BufferedImage(
            image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, colours(palette));
        small.getRaster().setPixels(0, 0, image.getWidth(), image.getHeight(), pixels);
        assertThat(ImageIO.write(small, "png", file.toFile())).isTrue();
    }

    private static IndexColorModel colours(final Map<Integer, Integer> palette) {
        assertThat(palette).as("colours").hasSizeLessThanOrEqualTo(PALETTE);
        final List<Integer> colours = new ArrayList<>(palette.keySet());
        final byte[][] channels = new byte[3][colours.size()];
        for (int i = 0; i < colours.size(); i++) {
            for (int channel = 0; channel < channels.length; channel++) {
                channels[channel][i] = (byte) (colours.get(i) >> 16 - 8 * channel);
            }
        }
        return new IndexColorModel(Byte.SIZE, colours.size(), channels[0], channels[1], channels[2]);
    }

    private static int rounded(final int colour) {
        return rounded(colour, 16) | rounded(colour, 8) | rounded(colour, 0);
    }

    private static int rounded(final int colour, final int shift) {
        return Math.round((colour >> shift & BYTE) / (float) STEP) * STEP << shift;
    }
}
