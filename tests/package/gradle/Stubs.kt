// What Gradle generates for our build scripts, as far as they use it: the accessors of plugins and of the version catalogue.
@file:Suppress("unused", "UNUSED_PARAMETER")

import com.android.build.api.dsl.LibraryExtension
import com.android.build.api.variant.LibraryAndroidComponentsExtension
import org.gradle.api.NamedDomainObjectProvider
import org.gradle.api.PolymorphicDomainObjectContainer
import org.gradle.api.Project
import org.gradle.api.Task
import org.gradle.api.artifacts.MinimalExternalModuleDependency
import org.gradle.api.artifacts.dsl.DependencyHandler
import org.gradle.api.component.SoftwareComponent
import org.gradle.api.component.SoftwareComponentContainer
import org.gradle.api.provider.Property
import org.gradle.api.provider.Provider
import org.gradle.api.publish.PublishingExtension
import org.gradle.api.tasks.TaskContainer
import org.gradle.api.tasks.TaskProvider
import org.gradle.plugin.use.PluginDependenciesSpec
import org.gradle.plugin.use.PluginDependency
import org.gradle.plugin.use.PluginDependencySpec
import org.gradle.plugins.signing.SigningExtension
import kotlin.properties.ReadOnlyProperty
import kotlin.reflect.KClass
import kotlin.reflect.KProperty

// Of the plugins.
fun Project.plugins(block: PluginDependenciesSpec.() -> Unit): Unit = TODO()

val PluginDependenciesSpec.`maven-publish`: PluginDependencySpec get() = TODO()
val PluginDependenciesSpec.signing: PluginDependencySpec get() = TODO()

fun Project.android(block: LibraryExtension.() -> Unit): Unit = TODO()

val Project.androidComponents: LibraryAndroidComponentsExtension get() = TODO()

fun Project.dependencies(block: DependencyHandler.() -> Unit): Unit = TODO()

fun DependencyHandler.api(notation: Any): Unit = TODO()

val Project.publishing: PublishingExtension get() = TODO()

fun Project.publishing(block: PublishingExtension.() -> Unit): Unit = TODO()

fun Project.signing(block: SigningExtension.() -> Unit): Unit = TODO()

// Of Gradle's Kotlin.
inline fun <reified T : Any> PolymorphicDomainObjectContainer<in T>.register(
    name: String,
    noinline block: T.() -> Unit,
): NamedDomainObjectProvider<T> = TODO()

operator fun SoftwareComponentContainer.get(name: String): SoftwareComponent = TODO()

fun <T> Property<T>.assign(value: T?): Unit = TODO()

class Registering<T : Task> {
    operator fun provideDelegate(
        receiver: Any?,
        property: KProperty<*>,
    ): ReadOnlyProperty<Any?, TaskProvider<T>> = TODO()
}

fun <T : Task> TaskContainer.registering(
    type: KClass<T>,
    block: T.() -> Unit,
): Registering<T> = TODO()

// Of the version catalogue.
@Suppress("ktlint:standard:class-naming")
object libs {
    object plugins {
        val dokka: Provider<PluginDependency> get() = TODO()

        object android {
            val library: Provider<PluginDependency> get() = TODO()
        }
    }

    object versions {
        val exo: Provider<String> get() = TODO()
        val ndk: Provider<String> get() = TODO()

        object compile {
            val sdk: Provider<String> get() = TODO()
        }

        object min {
            val sdk: Provider<String> get() = TODO()

            object compile {
                val sdk: Provider<String> get() = TODO()
            }
        }
    }

    object kotlin {
        val stdlib: Provider<MinimalExternalModuleDependency> get() = TODO()
    }

    val coroutines: Provider<MinimalExternalModuleDependency> get() = TODO()
    val jna: Provider<MinimalExternalModuleDependency> get() = TODO()
}
