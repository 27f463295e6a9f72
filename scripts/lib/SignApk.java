import com.android.apksig.ApkSigner;
import com.android.apksig.ApkVerifier;
import java.io.File;
import java.io.FileInputStream;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** Signs an APK with the one key of a key store, and reads it back as Android would: SignApk KEYS PASSWORD IN OUT OLDEST. */
class SignApk {
    public static void main(String[] arguments) throws Exception {
        var password = arguments[1].toCharArray();
        var keys = KeyStore.getInstance("PKCS12");
        try (var file = new FileInputStream(arguments[0])) {
            keys.load(file, password);
        }
        var name = keys.aliases().nextElement();
        var signer = new ApkSigner.SignerConfig.Builder(
            name, (PrivateKey) keys.getKey(name, password), List.of((X509Certificate) keys.getCertificate(name))).build();
        var oldest = Integer.parseInt(arguments[4]);
        var out = new File(arguments[3]);
        new ApkSigner.Builder(List.of(signer))
            .setInputApk(new File(arguments[2]))
            .setOutputApk(out)
            .setMinSdkVersion(oldest)
            .setV1SigningEnabled(false)
            .setV2SigningEnabled(true)
            .setV3SigningEnabled(true)
            .build()
            .sign();
        var verdict = new ApkVerifier.Builder(out).setMinCheckedPlatformVersion(oldest).build().verify();
        verdict.getErrors().forEach(System.err::println);
        if (!verdict.isVerified() || !verdict.isVerifiedUsingV2Scheme() || !verdict.isVerifiedUsingV3Scheme()) {
            System.err.println("the APK is not signed as Android wants it, by the schemes 2 and 3");
            System.exit(1);
        }
    }
}
