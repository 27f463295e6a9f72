buildscript {
    dependencies {
        // Android's plugin brings a Kotlin of its own, which is older than ours.
        classpath(libs.kotlin.gradle)
    }
}

plugins {
    alias(libs.plugins.android.library) apply false
    alias(libs.plugins.dokka) apply false
}
