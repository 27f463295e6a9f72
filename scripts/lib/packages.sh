# shellcheck shell=bash
# System packages: asked for by what they bring, so that any way of having it will do, and only Debian's apt is
# ever run. On macOS nothing here installs anything.

MISSING_PACKAGES=''

# want_command COMMAND PACKAGE
want_command() { command -v "$1" >/dev/null || MISSING_PACKAGES+=" $2"; }

# want_file PATTERN PACKAGE: a file that matches, anywhere the pattern says.
want_file() { compgen -G "$1" >/dev/null || MISSING_PACKAGES+=" $2"; }

# A C compiler, because rustc links with it.
want_linker() {
    want_command cc gcc
    on_macos || want_file /usr/include/stdio.h libc6-dev
}

want_vulkan() {
    on_macos && return
    ldconfig_has libvulkan.so.1 || MISSING_PACKAGES+=' libvulkan1'
    [ -n "$(lavapipe_icd)" ] || MISSING_PACKAGES+=' mesa-vulkan-drivers'
}

want_validation_layer() {
    on_macos || want_file '/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json' \
        vulkan-validationlayers
}

# The file that tells the Vulkan loader about lavapipe, Mesa's Vulkan on the CPU. Its name varies by release.
lavapipe_icd() { compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' | head -n 1; }

# Pins lavapipe, the same Vulkan everywhere, unless the user chose a driver.
use_lavapipe() {
    on_macos && return
    export VK_DRIVER_FILES="${VK_DRIVER_FILES:-$(lavapipe_icd)}"
}

# The list is read whole first: `grep -q` at the end of a pipe closes it early, and under pipefail that counts as a
# failure now and then.
ldconfig_has() { grep -qF "$1" <<<"$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null)"; }

# Installs all that was wanted and is missing, in one go.
install_packages() {
    [ -n "$MISSING_PACKAGES" ] || return 0
    local packages="${MISSING_PACKAGES# }"
    MISSING_PACKAGES=''
    command -v apt-get >/dev/null || die "this machine lacks: $packages" \
        "install them with your system's package manager (the names are Debian's)"
    as_root true || die "this machine lacks: $packages" "as root: apt-get install $packages"

    say "setup: apt-get install $packages"
    # What a run that was stopped left half installed would be in the way.
    as_root dpkg --configure -a >/dev/null 2>&1 || true
    apt update >/dev/null || die "apt could not read its sources" "as root: apt-get update"
    case " $packages " in *' mesa-vulkan-drivers '*) prefer_backports mesa-vulkan-drivers ;; esac
    # shellcheck disable=SC2086 # a list of names, apart
    apt install --no-install-recommends $packages >/dev/null ||
        die "apt could not install them" "as root: apt-get install $packages"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n true 2>/dev/null && sudo "$@"; fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@"; }

# Debian 12 has lavapipe 22.3, its backports 25.0 with Vulkan 1.4 and memory budgets. We work on both.
prefer_backports() {
    local codename suite sources=/etc/apt/sources.list.d/exo-mobile-backports.sources
    # shellcheck source=/dev/null
    codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
    [ "$codename" = bookworm ] || return 0
    suite="$codename-backports"
    if ! apt_knows "$suite"; then
        say "setup: adding $suite to apt's sources ($sources)"
        backports_source "$codename" | as_root tee "$sources" >/dev/null
        if ! apt update >/dev/null || ! apt_knows "$suite"; then
            as_root rm -f "$sources"
            apt update >/dev/null || true
        fi
    fi
    apt install --no-install-recommends -t "$suite" "$1" >/dev/null 2>&1 ||
        say "setup: $suite cannot be had; taking the older $1 of $codename"
}

# shellcheck disable=SC2016 # the names in these formats are apt's, not the shell's
apt_knows() { grep -qx "$1" <<<"$(apt-get indextargets --format '$(CODENAME)')"; }

# The same mirror that the machine uses already: never one of our choosing.
# shellcheck disable=SC2016
backports_source() {
    local mirror
    mirror="$(apt-get indextargets --format '$(CREATED_BY)|$(CODENAME)|$(REPO_URI)' |
        sed -n "s/^Packages|$1|//p" | head -n 1)"
    printf '%s\n' 'Types: deb' "URIs: $mirror" "Suites: $1-backports" 'Components: main' \
        'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg'
}
