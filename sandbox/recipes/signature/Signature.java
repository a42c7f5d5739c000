import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Signature {
    /** Whether header, the X-Svc-Hook-Signature of a request, belongs to its raw body. */
    static boolean isSigned(String secret, byte[] rawBody, String header) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        byte[] expected = Base64.getEncoder().encode(mac.doFinal(rawBody));
        return header != null && MessageDigest.isEqual(header.getBytes(UTF_8), expected);
    }

    // POSTHORN_SECRET=… java Signature.java SIGNATURE < body
    public static void main(String[] args) throws Exception {
        boolean signed = isSigned(System.getenv("POSTHORN_SECRET"), System.in.readAllBytes(), args[0]);
        System.out.println(signed ? "signed" : "not signed");
    }
}
