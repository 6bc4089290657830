#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds docker/Dockerfile as it is, runs the image and holds it to what docs/operations.md promises. Ends in "N passed,
# N failed". Usage: docker/verify.sh
#
# Where a Docker engine answers, it is used. Elsewhere, as root on Debian, podman and crun do the same on stand-ins for the
# base images (docker/standins.sh), in mount and process namespaces of their own, so that nothing outlives the script.
# VERIFY_DIR=FOLDER keeps images for the next run; VERIFY_PORT is the port that is used on this machine (18080);
# VERIFY_FLEET=1 brings up a fleet as well, and restarts its nodes under load.
set -euo pipefail
cd "$(dirname "$0")/.."
image=localhost/cookiesync:verify

if [ -z "${VERIFY_NS:-}" ]; then
    if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
        W=$(mktemp -d)
        trap 'rm -rf "$W"' EXIT
        VERIFY_NS=docker ENGINE=docker W=$W bash docker/verify.sh
        exit
    fi
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
        echo "docker/verify.sh: SKIPPED: no Docker engine, and no root with namespaces to do without" >&2
        [ -z "${CI:-}" ] || exit 1
        exit 0
    fi
    scripts/setup docker lint
    W=${VERIFY_DIR:-$(mktemp -d /var/tmp/docker-verify.XXXXXX)}
    mkdir -p "$W"
    VERIFY_NS=podman ENGINE=podman W=$W unshare --mount --pid --fork --kill-child --mount-proc \
        --propagation private bash docker/verify.sh &
    inner=$!
    # unshare does not pass SIGTERM on; --kill-child passes SIGKILL to the whole namespace.
    trap 'kill -9 "$inner" 2>/dev/null || :; wait; [ -n "${VERIFY_DIR:-}" ] || rm -rf "$W"' EXIT
    wait "$inner"
    exit
fi

passed=0 started=$(cut -d. -f1 /proc/uptime)
port=${VERIFY_PORT:-18080} base=http://127.0.0.1:${VERIFY_PORT:-18080}
step() { echo "[$(($(cut -d. -f1 /proc/uptime) - started)) s] $*"; }
ok() { # NAME, COMMAND...
    if "${@:2}" >"$W/out" 2>&1; then
        passed=$((passed + 1))
        echo "ok   $1"
    else
        cat "$W/out"
        "$ENGINE" logs cookiesync-verify 2>&1 | tail -n 5 || :
        echo "FAIL $1"
        echo "$passed passed, 1 failed"
        exit 1
    fi
}
quiet() { "$@" >"$W/log" 2>&1 || {
    cat "$W/log"
    exit 1
}; }
eq() { [ "$1" = "$2" ] || {
    echo "got '$1', expected '$2'"
    return 1
}; }
has() { grep -qF -- "$2" <<<"$1" || {
    echo "no '$2' in: $1"
    return 1
}; }
fails() { ! "$@"; }
inspect() { "$ENGINE" image inspect -f "$1" "$image"; }

# --- The image ---------------------------------------------------------------------------------------------

# shellcheck source=docker/standins.sh
. docker/standins.sh
# Of a copy, so that the two builds below see the same, whatever is edited meanwhile.
source=$W/source
rm -rf "$source" && mkdir "$source" && cp -a Package.swift Sources Tests docker .dockerignore "$source"
build=("$ENGINE" build -f "$source/docker/Dockerfile" --build-arg "VERSION=0-verify")
if [ "$ENGINE" = podman ]; then
    prepare_podman
    standin_debian
    standin_swift
    build+=(--layers --format docker --pull=never)
    step "build, with the toolchain of this machine"
    # A mount is there for every stage. So the build stage is built with it, and then taken from the cache without.
    quiet "${build[@]}" --target build -v "$(toolchain):/opt/swift:ro" -t localhost/cookiesync:build "$source"
fi
step "build docker/Dockerfile"
quiet "${build[@]}" -t "$image" "$source"
step "built"

bytes=$(inspect '{{.Size}}')
over=$(((bytes - $("$ENGINE" image inspect -f '{{.Size}}' debian:bookworm-slim)) / 1000000))
echo "     image: $((bytes / 1000000)) MB, $over MB over the base layer"
ok "at most 45 MB over the base layer" test "$over" -le 45
ok "a user that is not root, by number" eq "$(inspect '{{.Config.User}}')" 10001:10001
ok "SIGTERM stops it" eq "$(inspect '{{.Config.StopSignal}}')" SIGTERM
ok "the data are a volume" has "$(inspect '{{.Config.Volumes}}')" /data
ok "a health check" has "$("$ENGINE" image inspect "$image")" '"Healthcheck"'
ok "labels" has "$(inspect '{{.Config.Labels}}')" org.opencontainers.image.version:0-verify
ok "no missing library" fails grep -q 'not found' <<<"$("$ENGINE" run --rm --entrypoint ldd "$image" /usr/local/bin/cookiesync)"

# --- One container, as hardened as the documentation says ------------------------------------------------

hardened=(--network host --read-only --tmpfs "/tmp:rw,noexec,nosuid,size=16m" --cap-drop=ALL --security-opt=no-new-privileges)
start() {
    "$ENGINE" run -d --name cookiesync-verify "${hardened[@]}" -v cookiesync-verify:/data "$image" \
        serve --port "$port" --log-format json
}
wait_http() {
    for _ in $(seq 100); do
        curl -fsS -m 2 "$1" && return
        sleep 0.1
    done
    return 1
}
inside() { "$ENGINE" exec cookiesync-verify "$@"; }
jar=$base/v1/tenants/acme/jars/alice

step "run, hardened"
"$ENGINE" rm -f cookiesync-verify >/dev/null 2>&1 || :
"$ENGINE" volume rm cookiesync-verify >/dev/null 2>&1 || :
ok "it starts" start
ok "it is alive" wait_http "$base/healthz"
ok "it is ready" wait_http "$base/readyz"
ok "the health check passes" inside cookiesync healthcheck --port "$port"
ok "it runs as 10001" eq "$(inside id -u)" 10001
ok "without capabilities" has "$(inside grep CapBnd /proc/self/status)" 0000000000000000
ok "on a read-only root" fails inside touch /x
ok "it takes a cookie" has "$(printf 'HTTP/1.1 200 OK\r\nSet-Cookie: sid=31d4; Path=/\r\n\r\n' |
    curl -sS --data-binary @- -H 'Content-Type: message/http' \
        "$jar/stores/native/ingest?url=https://www.example.com/")" '"stored"'
ok "it stops" "$ENGINE" stop -t 15 cookiesync-verify
ok "with 0 after SIGTERM, not 137" eq "$("$ENGINE" inspect -f '{{.State.ExitCode}}' cookiesync-verify)" 0
quiet "$ENGINE" rm cookiesync-verify
ok "it starts again" start
ok "and is ready again" wait_http "$base/readyz"
ok "and has the data" eq "$(curl -sS -H 'Accept: text/plain' \
    "$jar/stores/native/cookie-header?url=https://www.example.com/")" sid=31d4
quiet "$ENGINE" rm -f cookiesync-verify

step "the smoke test, against the container"
export ENGINE IMAGE=$image
quiet "$ENGINE" volume rm -f cookiesync-smoke
ok "login, sync, kill -9, logout: $(wc -l <Tests/Smoke/smoke) lines of curl" Tests/Smoke/smoke docker/as-binary
tail -n 1 "$W/out"

step "kill -9 at random moments"
ok "nothing that was acknowledged is lost" docker/kill-at-random 8
tail -n 1 "$W/out"

step "cold start"
times=$(for _ in 1 2 3 4 5; do
    "$ENGINE" run --rm "${hardened[@]}" --tmpfs /data:rw,size=16m,mode=1777 -v "$PWD/docker/cold-start:/cold-start:ro" \
        --entrypoint /bin/bash "$image" /cold-start $((port + 1))
done | sort -n | paste -sd ' ')
echo "     from exec to the first 200: $times ms"
ok "at most 150 ms, undisturbed" test "${times%% *}" -le 150

# What publishes ports leaves rules in its network, so with podman that is one of its own.
apart() { if [ "$ENGINE" = podman ]; then unshare --net bash "$1"; else bash "$1"; fi; }
export W PORT=$port
step "README.md, as it stands there"
ok "docker run with an admin token" apart docker/readme-check
step "compose, with the proxy"
[ "$ENGINE" = docker ] || standin_nginx
ok "compose: token, TLS, data over down and up" apart docker/compose-check
if [ -n "${VERIFY_FLEET:-}" ]; then
    step "compose, with a fleet"
    [ "$ENGINE" = docker ] || standin_postgres
    ok "a fleet comes up, and rolling-restart fails no request" apart docker/fleet/check
    tail -n 1 "$W/out"
fi

step "done"
"$ENGINE" volume rm -f cookiesync-verify cookiesync-smoke cookiesync-kill >/dev/null 2>&1 || :
echo "$passed passed, 0 failed"
