#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For docker/verify.sh, where there is no image registry: podman made to work in a bare machine or container, and base
# images under the official names, made of this machine's Debian mirror and Swift toolchain.

prepare_podman() {
    # crun refuses a tree of cgroups v1 and v2 together: the v2 half is hidden, in this mount namespace only. podman's locks
    # and state are kept apart as well.
    if mountpoint -q /sys/fs/cgroup/unified; then umount /sys/fs/cgroup/unified; fi
    local folder processes
    for folder in /dev/shm /run/libpod /run/crun; do
        mkdir -p "$folder"
        mount -t tmpfs tmpfs "$folder"
    done
    processes=$(ulimit -Hu) # podman lowers its own to 32768 first
    if [ "$processes" = unlimited ] || [ "$processes" -gt 32768 ]; then processes=32768; fi
    cat >"$W/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=$processes:$processes"]
netns = "host"
cgroups = "disabled"
log_driver = "k8s-file"
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
compat_api_enforce_docker_hub = false
[network]
network_backend = "netavark"
network_config_dir = "$W/networks"
EOF
    printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$W" "$W" >"$W/storage.conf"
    : >"$W/registries.conf"
    export CONTAINERS_CONF=$W/containers.conf CONTAINERS_STORAGE_CONF=$W/storage.conf
    export CONTAINERS_REGISTRIES_CONF=$W/registries.conf
    podman rm -fa -t 0 >/dev/null 2>&1 && podman volume prune -f >/dev/null
    chmod 755 "$W"
}

# The folder of the toolchain: what lies above usr/bin/swift.
toolchain() {
    local swift
    swift=$(realpath "$(command -v swift)")
    echo "${swift%/usr/bin/*}"
}

standin_debian() {
    podman image exists localhost/debian:bookworm-slim && return
    step "stand-in for debian:bookworm-slim"
    local sources
    for sources in /etc/apt/sources.list.d/*debian.sources /etc/apt/sources.list; do
        [ ! -s "$sources" ] || break
    done
    # As the official image has it: apt keeps nothing.
    printf '%s\n' 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };' \
        'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' >"$W/docker-clean"
    # shellcheck disable=SC2016 # the hooks' own variables
    quiet env TMPDIR="$W" mmdebstrap --variant=minbase --mode=root --include=usr-is-merged \
        --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --aptopt='Acquire::Languages "none"' \
        --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
        --dpkgopt=force-unsafe-io --dpkgopt=path-exclude=/usr/share/{man,doc,info,locale}/'*' \
        --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --customize-hook="cp '$W/docker-clean' \"\$1/etc/apt/apt.conf.d/\"" \
        --customize-hook='rm -rf "$1"/var/cache/apt/*.bin "$1"/var/cache/debconf/*-old "$1"/var/log/*.log "$1"/etc/hostname "$1"/etc/resolv.conf' \
        '' "$W/base.tar" "$sources"
    quiet podman import -c 'CMD ["bash"]' "$W/base.tar" localhost/debian:bookworm-slim
    rm "$W/base.tar"
}

standin() { # NAME; a Dockerfile on standard input
    podman image exists "localhost/$1" && return
    step "stand-in for $1"
    mkdir -p "$W/context"
    cat >"$W/context/Dockerfile"
    quiet podman build --format docker --pull=never -t "localhost/$1" "$W/context"
}

# What the official image installs; the toolchain itself is mounted when the build runs.
standin_swift() {
    standin swift:6.3.1-bookworm <<'EOF'
FROM debian:bookworm-slim
RUN apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
    binutils libicu-dev libcurl4-openssl-dev libedit-dev libsqlite3-dev libncurses-dev libpython3-dev libxml2-dev \
    pkg-config uuid-dev tzdata git ca-certificates gcc libc6-dev libstdc++-12-dev >/dev/null && rm -rf /var/lib/apt/lists/*
ENV PATH=/opt/swift/usr/bin:$PATH
EOF
}

standin_nginx() {
    standin nginx:1.28-bookworm <<'EOF'
FROM debian:bookworm-slim
RUN apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends nginx-light >/dev/null \
 && rm -rf /var/lib/apt/lists/*
STOPSIGNAL SIGQUIT
EOF
}

# What the official image does with its first start, as far as compose.yaml needs it: a password from a file, and scripts
# that run while it listens on its socket alone. The server is Debian's.
standin_postgres() {
    mkdir -p "$W/context"
    cat >"$W/context/entrypoint" <<'EOF'
#!/usr/bin/env bash
set -eu
if [ "$(id -u)" = 0 ]; then
    install -d -o postgres -m 700 "$PGDATA"
    exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initdb -U postgres -A scram-sha-256 --auth-local=trust --pwfile="$POSTGRES_PASSWORD_FILE" >/dev/null
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    pg_ctl -o "-c listen_addresses=" -w start >/dev/null
    for script in /docker-entrypoint-initdb.d/*.sh; do . "$script"; done
    pg_ctl -m fast -w stop >/dev/null
fi
exec postgres -c listen_addresses='*'
EOF
    chmod 755 "$W/context/entrypoint"
    standin postgres:17-bookworm <<'EOF'
FROM debian:bookworm-slim
RUN apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends postgresql-15 >/dev/null \
 && rm -rf /var/lib/apt/lists/* /var/lib/postgresql/15 && install -d -o postgres /var/run/postgresql
ENV PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
COPY entrypoint /usr/local/bin/
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint"]
EOF
}
