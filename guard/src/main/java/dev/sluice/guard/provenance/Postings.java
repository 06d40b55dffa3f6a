package dev.sluice.guard.provenance;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * In which texts each word, or each passage, stands; by numbers of texts, none of them negative, each higher than the last.
 *
 * <p>Of more than {@link Provenance#MOST_PLACES} texts it keeps that many and the newest one.
 */
final class Postings {

    static final int[] NONE = {};

    /** The number of the only text, as most have just one; else the place in {@link #lists}, negated. */
    private final LongTable table;

    private final List<int[]> lists = new ArrayList<>();
    private final Deque<Integer> unused = new ArrayDeque<>();

    Postings() {
        this.table = new LongTable();
    }

    /** Makes one for so many words or passages. */
    Postings(int expected) {
        this.table = new LongTable(expected);
    }

    int size() {
        return table.size();
    }

    /** Returns the texts in which {@code key} stands; more than {@link Provenance#MOST_PLACES} where there are more. */
    int[] of(long key) {
        int value = table.get(key, Integer.MIN_VALUE);
        return value >= 0 ? new int[] {value} : value == Integer.MIN_VALUE ? NONE : lists.get(~value);
    }

    /** Returns how many texts {@link #of} returns. */
    int count(long key) {
        int value = table.get(key, Integer.MIN_VALUE);
        return value >= 0 ? 1 : value == Integer.MIN_VALUE ? 0 : lists.get(~value).length;
    }

    /** The last place of a full list is the newest one, with more between. */
    void add(long key, int id) {
        int place = table.place(key, id);
        int value = table.at(place);
        if (value >= 0) {
            if (value != id) {
                table.set(place, ~keep(new int[] {value, id}));
            }
        } else {
            int[] list = lists.get(~value);
            if (list.length > Provenance.MOST_PLACES) {
                list[Provenance.MOST_PLACES] = id;
            } else if (list[list.length - 1] != id) {
                int[] longer = Arrays.copyOf(list, list.length + 1);
                longer[list.length] = id;
                lists.set(~value, longer);
            }
        }
    }

    private int keep(int[] list) {
        if (unused.isEmpty()) {
            lists.add(list);
            return lists.size() - 1;
        }
        int place = unused.remove();
        lists.set(place, list);
        return place;
    }

    /** A list that was full stays full until its newest place is forgotten, the last of all: some were not noted. */
    void remove(long key, int id) {
        int value = table.get(key, Integer.MIN_VALUE);
        if (value >= 0) {
            if (value == id) {
                table.remove(key);
            }
            return;
        }
        if (value == Integer.MIN_VALUE) {
            return;
        }
        int[] list = lists.get(~value);
        if (list.length > Provenance.MOST_PLACES) {
            if (list[Provenance.MOST_PLACES] == id) {
                drop(~value);
                table.remove(key);
            }
            return;
        }
        int[] shorter = Arrays.stream(list).filter(each -> each != id).toArray();
        if (shorter.length == 1) {
            drop(~value);
            table.put(key, shorter[0]);
        } else {
            lists.set(~value, shorter);
        }
    }

    private void drop(int place) {
        lists.set(place, NONE);
        unused.add(place);
    }
}
