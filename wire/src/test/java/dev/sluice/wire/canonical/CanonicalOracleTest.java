package dev.sluice.wire.canonical;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.upokecenter.cbor.CBORObject;
import dev.sluice.wire.json.JsonIndex;
import dev.sluice.wire.json.RandomJson;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Random records against encoders of others, and against themselves in another spelling. */
class CanonicalOracleTest {

    private static final int RECORDS = 5_000;

    private static final JsonMapper TREES = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @Test
    void jcs_isThatOfAnother() throws IOException {
        Random random = new Random(8785);
        RandomJson texts = new RandomJson(random, () -> exactNumber(random));
        for (int i = 0; i < RECORDS; i++) {
            String json = texts.object(4);
            String expected = new JsonCanonicalizer(json).getEncodedString();
            assertEquals(expected, jcs(json), json);
            assertEquals(expected, jcs(expected), json);
            assertEquals(expected, JcsCanonicalizer.text(TREES.readTree(json)), json);
            assertEquals(
                    expected, jcs(texts.respelled(JsonIndex.parse(bytes(json)).root())), json);
        }
    }

    @Test
    void cbor_isThatOfAnother() {
        Random random = new Random(8949);
        RandomJson texts = new RandomJson(random, () -> anyNumber(random));
        for (int i = 0; i < RECORDS; i++) {
            String json = texts.object(4);
            JsonIndex.Value value = JsonIndex.parse(bytes(json)).root();
            byte[] expected = cbor(value).EncodeToBytes();
            assertEquals(
                    HexFormat.of().formatHex(expected),
                    HexFormat.of().formatHex(Canonicalizations.CBOR.canonicalize(value)),
                    json);
            assertArrayEquals(expected, Canonicalizations.CBOR.canonicalize(bytes(texts.respelled(value))), json);
        }
    }

    private static CBORObject cbor(JsonIndex.Value value) {
        return switch (value.kind()) {
            case OBJECT -> {
                CBORObject map = CBORObject.NewMap();
                value.members().forEach(member -> map.set(CBORObject.FromObject(member.name()), cbor(member.value())));
                yield map;
            }
            case ARRAY -> {
                CBORObject array = CBORObject.NewArray();
                value.elements().forEach(element -> array.Add(cbor(element)));
                yield array;
            }
            case STRING -> CBORObject.FromObject(value.string());
            case NUMBER -> number(value.raw());
            case TRUE -> CBORObject.True;
            case FALSE -> CBORObject.False;
            case NULL -> CBORObject.Null;
        };
    }

    private static CBORObject number(String text) {
        boolean integer = !text.equals("-0") && text.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
        return integer
                ? CBORObject.FromObject((Object) new BigInteger(text))
                : CBORObject.FromObject(Double.parseDouble(text));
    }

    /** Integers up to 2^53, and doubles; no subnormal ones, on which the other encoder never returns. */
    private static String exactNumber(Random random) {
        return switch (random.nextInt(6)) {
            case 0 -> Long.toString(random.nextLong() >> (11 + random.nextInt(53)));
            case 1 -> Integer.toString(random.nextInt(20) - 10);
            case 2 -> Double.toString(normal(random));
            case 3 -> random.nextInt(1000) + "." + random.nextInt(1000);
            case 4 -> random.nextInt(1000) + (random.nextBoolean() ? "e" : "E+") + random.nextInt(30);
            default -> "-" + random.nextInt(100) + "." + random.nextInt(100) + "E-" + random.nextInt(30);
        };
    }

    private static String anyNumber(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> new BigInteger(random.nextInt(200), random).toString();
            case 1 ->
                new BigInteger(random.nextInt(80), random)
                        .add(BigInteger.ONE)
                        .negate()
                        .toString();
            case 2 -> Float.toString(finite(Float.intBitsToFloat(random.nextInt())));
            case 3 -> Double.toString(Math.scalb((double) random.nextInt(4096), -random.nextInt(40)));
            default -> exactNumber(random);
        };
    }

    private static double normal(Random random) {
        double value = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(value) && Math.abs(value) >= Double.MIN_NORMAL ? value : normal(random);
    }

    private static float finite(float value) {
        return Float.isFinite(value) ? value : 0.5f;
    }

    private static String jcs(String json) {
        return new String(Canonicalizations.JCS.canonicalize(bytes(json)), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
