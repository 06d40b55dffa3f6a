package dev.sluice.benchmarks;

import com.upokecenter.cbor.CBORObject;
import com.upokecenter.cbor.JSONOptions;
import dev.sluice.wire.canonical.Canonicalizations;
import dev.sluice.wire.json.JsonIndex;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.erdtman.jcs.JsonCanonicalizer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** From a JSON value to the sha256 of its canonical form, by us and by others, and sha256 alone. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CanonicalBenchmark {

    /** What is canonicalised: {@code record} or {@code document}. */
    @Param({"record", "document"})
    public String input = "";

    private static final JSONOptions NUMBERS = new JSONOptions("numberconversion=intorfloat");

    private byte[] json = {};
    private byte[] jcs = {};
    private byte[] cbor = {};
    private JsonIndex.Value index = JsonIndex.parse(new byte[] {'0'}).root();
    private CBORObject object = CBORObject.Null;
    private MessageDigest sha;

    /** Has the JDK's sha256. */
    public CanonicalBenchmark() {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes the input, and checks that all agree on its digests. */
    @Setup
    public void prepare() throws IOException {
        json = input.equals("record") ? Records.one() : Records.many();
        jcs = Canonicalizations.JCS.canonicalize(json);
        cbor = Canonicalizations.CBOR.canonicalize(json);
        index = JsonIndex.parse(json).root();
        object = CBORObject.FromJSONBytes(json, NUMBERS);
        if (!Arrays.equals(shaOfJcs(), jcsOfErdtman())
                || !Arrays.equals(shaOfCbor(), cborOfUpokecenter())
                || !Arrays.equals(shaOfCbor(), cborOfUpokecenterObject())) {
            throw new IllegalStateException("the digests differ");
        }
    }

    /** The hash of the canonical JSON alone. */
    @Benchmark
    public byte[] shaOfJcs() {
        return sha.digest(jcs);
    }

    /** Our JCS, from bytes. */
    @Benchmark
    public byte[] jcsOfSluice() {
        return sha.digest(Canonicalizations.JCS.canonicalize(json));
    }

    /** Our JCS, from a parsed text. */
    @Benchmark
    public byte[] jcsOfSluiceIndex() {
        return sha.digest(Canonicalizations.JCS.canonicalize(index));
    }

    /** The usual library's JCS, from bytes. */
    @Benchmark
    public byte[] jcsOfErdtman() throws IOException {
        return sha.digest(new JsonCanonicalizer(json).getEncodedUTF8());
    }

    /** The hash of the deterministic CBOR alone. */
    @Benchmark
    public byte[] shaOfCbor() {
        return sha.digest(cbor);
    }

    /** Our CBOR, from the bytes of JSON. */
    @Benchmark
    public byte[] cborOfSluice() {
        return sha.digest(Canonicalizations.CBOR.canonicalize(json));
    }

    /** Our CBOR, from a parsed text. */
    @Benchmark
    public byte[] cborOfSluiceIndex() {
        return sha.digest(Canonicalizations.CBOR.canonicalize(index));
    }

    /** The library's CBOR, from the bytes of JSON. */
    @Benchmark
    public byte[] cborOfUpokecenter() {
        return sha.digest(CBORObject.FromJSONBytes(json, NUMBERS).EncodeToBytes());
    }

    /** The library's CBOR, from its own objects in memory. */
    @Benchmark
    public byte[] cborOfUpokecenterObject() {
        return sha.digest(object.EncodeToBytes());
    }
}
