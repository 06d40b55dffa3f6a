package dev.sluice.guard.provenance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.sluice.labels.Label;
import dev.sluice.labels.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the index of a session is made of, each beside what it stands in for. */
class IndexTest {

    @ParameterizedTest
    @ValueSource(ints = {12, 200, 5_000})
    void table_isAMap(int keys) {
        SplittableRandom random = new SplittableRandom(keys);
        LongTable table = new LongTable();
        Map<Long, Integer> map = new HashMap<>();
        for (int i = 0; i < 20 * keys; i++) {
            long key = random.nextInt(keys) * 0x1_0000_0001L; // few, and alike in both halves
            if (random.nextInt(3) == 0) {
                table.remove(key);
                map.remove(key);
            } else {
                int value = random.nextInt();
                table.put(key, value);
                map.put(key, value);
            }
            assertEquals(map.size(), table.size());
            long other = random.nextInt(keys) * 0x1_0000_0001L;
            assertEquals(map.getOrDefault(other, -7), table.get(other, -7));
        }
        for (long i = 0; i < keys; i++) {
            assertEquals(map.getOrDefault(i * 0x1_0000_0001L, -7), table.get(i * 0x1_0000_0001L, -7));
        }
    }

    /** Texts go in the order in which they came, as sessions forget them. */
    @Test
    void postings_areTheFirstTextsAndTheNewest() {
        SplittableRandom random = new SplittableRandom(3);
        Postings postings = new Postings();
        Map<Integer, List<Integer>> lists = new HashMap<>();
        List<int[]> texts = new ArrayList<>();
        int oldest = 0;
        for (int id = 0; id < 4_000; id++) {
            int[] keys = {random.nextInt(4), 4 + random.nextInt(30), 40 + random.nextInt(1_000)};
            texts.add(keys);
            for (int key : keys) {
                postings.add(key, id);
                postings.add(key, id); // a word that a text has twice
                List<Integer> list = lists.computeIfAbsent(key, none -> new ArrayList<>());
                if (list.size() > Provenance.MOST_PLACES) {
                    list.set(Provenance.MOST_PLACES, id);
                } else {
                    list.add(id);
                }
            }
            while (texts.size() - oldest > 300) {
                for (int key : texts.get(oldest)) {
                    postings.remove(key, oldest);
                    List<Integer> list = lists.getOrDefault(key, List.of());
                    boolean full = list.size() > Provenance.MOST_PLACES;
                    if (full && list.get(Provenance.MOST_PLACES) == oldest) {
                        lists.remove(key);
                    } else if (!full) {
                        list.remove(Integer.valueOf(oldest));
                    }
                }
                oldest++;
            }
            for (int key : keys) {
                int[] expected = lists.getOrDefault(key, List.of()).stream()
                        .mapToInt(Integer::intValue)
                        .toArray();
                assertArrayEquals(expected, postings.of(key));
                assertEquals(expected.length, postings.count(key));
            }
        }
        for (; oldest < texts.size(); oldest++) {
            for (int key : texts.get(oldest)) {
                postings.remove(key, oldest);
            }
        }
        assertEquals(0, postings.size());
        assertEquals(0, postings.of(1).length);
        assertEquals(0, postings.count(1));
    }

    @Test
    void pieces_areFoundUntilTheyAreForgotten() {
        Pieces pieces = new Pieces();
        Place place = new Place(Label.BOTTOM, false, new Origin(Instant.EPOCH, "c1", "mail", "read"));
        for (int i = 0; i < 500; i++) {
            assertEquals(i, pieces.add(Piece.of("text " + i, true, place)));
            while (pieces.size() > 1 + i / 3) {
                pieces.remove();
            }
            assertEquals(i + 1 - pieces.size(), pieces.oldest());
            assertNull(pieces.get(pieces.oldest() - 1));
            assertNull(pieces.get(i + 1));
            for (int id = pieces.oldest(); id <= i; id++) {
                Piece piece = pieces.get(id);
                assertNotNull(piece);
                assertEquals("text " + id, piece.text());
            }
        }
    }

    /** ASCII is read without the way over Unicode forms, and must come to the same words. */
    @Test
    void asciiText_hasTheWordsThatItHasBesideOtherSigns() {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 3_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(60);
            for (int at = 0; at < length; at++) {
                int sign = random.nextInt(3) == 0 ? random.nextInt(0x80) : "aZ0 .-!?".charAt(random.nextInt(8));
                text.append((char) sign);
            }
            Tokens plain = Tokens.of(text.toString());
            Tokens beside = Tokens.of(text + " \u00e9");

            assertEquals(plain.size() + 1, beside.size(), text.toString());
            for (int word = 0; word < plain.size(); word++) {
                assertEquals(plain.word(word), beside.word(word), text.toString());
            }
        }
    }
}
