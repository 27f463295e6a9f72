// The build for people who have Android's tools. It makes the archive for apps and publishes it; kotlin/pom.xml compiles and
// tests the same sources where those tools are not. docs/packaging.md says how to use both.
pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositoriesMode = RepositoriesMode.FAIL_ON_PROJECT_REPOS
    repositories {
        google()
        mavenCentral()
    }
}

rootProject.name = "exo-mobile-kotlin"
include(":aar", ":sample-android")
project(":sample-android").projectDir = file("../sample-android")
