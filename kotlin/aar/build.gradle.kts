// The archive for apps: the generated bindings, the layer that every JVM has, and what only Android has, in one.
import org.gradle.api.publish.maven.MavenPublication

plugins {
    alias(libs.plugins.android.library)
    alias(libs.plugins.dokka)
    `maven-publish`
    signing
}

group = "dev.exo.mobile"
version = libs.versions.exo.get()

// What ./scripts/package makes of the Rust core: the bindings and a library for each kind of device.
val made = rootDir.resolve("../target")
val core by tasks.registering(Exec::class) {
    description = "Builds the Rust core for phones, and its bindings."
    commandLine(rootDir.resolve("../scripts/package").path, "android", "--for-gradle")
    val ndk = androidComponents.sdkComponents.ndkDirectory.get()
    environment("ANDROID_NDK_HOME", ndk.asFile.path)
}
tasks.named("preBuild") { dependsOn(core) }

fun Provider<String>.number() = get().toInt()

android {
    namespace = "dev.exo.mobile.android"
    compileSdk =
        libs.versions.compile.sdk
            .number()
    ndkVersion = libs.versions.ndk.get()
    defaultConfig {
        minSdk =
            libs.versions.min.sdk
                .number()
        consumerProguardFiles("../android/consumer-rules.pro")
        aarMetadata {
            minCompileSdk =
                libs.versions.min.compile.sdk
                    .number()
        }
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    sourceSets.named("main") {
        manifest.srcFile("../android/src/main/AndroidManifest.xml")
        kotlin.directories += setOf("../common/src/main/kotlin", "../android/src/main/kotlin", "$made/bindings/kotlin")
        jniLibs.directories += "$made/package/jni"
    }
    publishing { singleVariant("release") { withSourcesJar() } }
}

dependencies {
    api(libs.kotlin.stdlib)
    api(libs.coroutines)
    // As an archive: its other half is a library for each kind of device.
    api(variantOf(libs.jna) { artifactType("aar") })
}

val documentation by tasks.registering(Jar::class) {
    archiveClassifier = "javadoc"
    from(tasks.named("dokkaGeneratePublicationHtml"))
}

publishing {
    publications.register<MavenPublication>("release") {
        artifactId = "exo-mobile"
        artifact(documentation)
        afterEvaluate { from(components["release"]) }
        pom {
            val home = "https://github.com/exo-explore/exo-mobile"
            name = "Exo Mobile"
            description = "An Android phone as a member of an exo AI cluster"
            url = home
            licenses {
                license {
                    name = "Apache-2.0"
                    url = "https://www.apache.org/licenses/LICENSE-2.0.txt"
                }
            }
            developers {
                developer {
                    name = "The Exo Mobile authors"
                    url = home
                }
            }
            scm {
                url = home
                connection = "scm:git:$home.git"
            }
        }
    }
    // `publish` puts everything into a folder, which a release uploads.
    repositories {
        maven {
            name = "folder"
            url = uri(made.resolve("package/gradle"))
        }
    }
}

// With ORG_GRADLE_PROJECT_signingKey and ORG_GRADLE_PROJECT_signingPassword set, what is published is signed.
signing {
    val key = providers.gradleProperty("signingKey").orNull
    isRequired = key != null
    useInMemoryPgpKeys(key, providers.gradleProperty("signingPassword").orNull)
    sign(publishing.publications)
}
