// The app, for people who have Android's tools. It belongs to the build of kotlin/, and takes the SDK from its sources there.
// sample-android/pom.xml compiles and tests the same sources where those tools are not.
plugins {
    // In the version that kotlin/build.gradle.kts chose for the SDK.
    id("com.android.application")
}

android {
    namespace = "dev.exo.mobile.sample"
    compileSdk = libs.versions.compile.sdk.get().toInt()
    defaultConfig {
        minSdk = libs.versions.min.sdk.get().toInt()
        targetSdk = 37
        versionCode = 1
        versionName = libs.versions.exo.get()
    }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    buildTypes.named("release") {
        isMinifyEnabled = true
        isShrinkResources = true
        proguardFiles(getDefaultProguardFile("proguard-android-optimize.txt"))
    }
    sourceSets.named("main") { kotlin.directories += "src/main/kotlin" }
}

dependencies {
    implementation(project(":aar"))
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-android:${libs.versions.coroutines.get()}")
    // Draws the QR code of a link.
    implementation("com.google.zxing:core:3.5.4")
}
