# shellcheck shell=bash disable=SC2034 # what is set here is used where this is sourced
# What the scripts share: where things are, how they fail, and how something gets into the cache. It is sourced.
set -Eeuo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${SELVEDGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/selvedge}

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# Names the command that failed and ends the shell, so that only the innermost one speaks.
give_up() {
    say "status $1 of: $2"
    exit "$1"
}
trap 'give_up "$?" "$BASH_COMMAND"' ERR

# Runs a command as root.
privileged() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_get() { privileged env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >&2; }

# Installs Debian packages; an index that is missing or outdated is fetched first.
debian() {
    if ! command -v apt-get >/dev/null; then
        say "missing, and there is no apt-get to install it: what Debian calls $*"
        exit 1
    fi
    say "installing $* with apt-get"
    apt_get install -y "$@" && return
    apt_get update
    apt_get install -y "$@"
}

# Installs the Debian packages behind a command that is not there.
need() {
    local command=$1
    shift
    command -v "$command" >/dev/null || debian "$@"
}

need_npm() { need npm nodejs npm; }
need_python() { python3 -c 'import ensurepip, venv' 2>/dev/null || debian python3 python3-venv; }
need_chromium() { need "${CHROMIUM:-chromium}" chromium; }

# Returns what stands for the contents of files in the name of a folder.
digest() { cat "$@" | sha256sum | cut -c1-16; }

# Sets `folder` to the folder of this name in the cache. Where the command USABLE denies it, the command FILL fills
# `partial`, which gets the name when it is whole: an interrupted install leaves nothing that looks like one, and of
# two at the same time the first wins.
cached() {
    local name=$1 usable=$2 fill=$3
    folder=$cache/$name
    if "$usable"; then return; fi
    mkdir -p "$cache"
    find "$cache" -maxdepth 1 -name 'partial-*' -mmin +1440 -exec rm -rf {} +
    partial=$(mktemp -d "$cache/partial-XXXXXXXX")
    trap 'rm -rf "$partial"' EXIT
    say "installing $name into $cache"
    "$fill"
    chmod 755 "$partial"
    "$usable" || rm -rf "$folder"
    mv -T "$partial" "$folder" 2>/dev/null || "$usable"
    trap - EXIT
    rm -rf "$partial"
}

# Installs what the package-lock.json of a folder names, into the cache under a name; sets `folder`.
npm_packages() {
    manifests=$2
    cached "$1-$(digest "$manifests/package.json" "$manifests/package-lock.json")" is_npm_whole npm_ci
}

# What npm writes last.
is_npm_whole() { [ -f "$folder/node_modules/.package-lock.json" ]; }

npm_ci() {
    need_npm
    cp "$manifests/package.json" "$manifests/package-lock.json" "$partial"
    npm ci --prefix "$partial" --include=dev --ignore-scripts --no-audit --no-fund --loglevel=error >&2
}

# Makes a virtual environment of what a file of requirements lists, in `partial`.
python_packages() {
    need_python
    python3 -m venv "$partial/$1"
    "$partial/$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$2" >&2
}

# The interpreter of a virtual environment is a link and breaks when the system's Python goes.
is_python_usable() { "$folder/$1/bin/python" -c '' 2>/dev/null; }

# Links npm's packages to where Node looks for them, unless somebody has installed them there.
link_packages() {
    if [ ! -d "$1/node_modules" ] || [ -L "$1/node_modules" ]; then
        ln -sfn "$folder/node_modules" "$1/node_modules"
    fi
}
