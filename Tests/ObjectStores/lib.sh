# shellcheck shell=bash disable=SC2154
# Starts stores that speak S3 on loopback, below a folder of their own that is removed at the end. Sourced, never run;
# deploy/lib.sh comes first.
#
# start_seaweedfs, start_rclone, start_swift: each starts a store with a bucket `photos` and the key `test:tester` with the
# secret `testing`, and puts its endpoint into $endpoint.

work=$(mktemp -d)
started=()
stop_stores() {
    local process
    # What they hold is thrown away, so nothing waits for them to end by themselves.
    for process in ${started[@]+"${started[@]}"}; do kill -KILL "$process" 2>/dev/null || true; done
    for process in ${started[@]+"${started[@]}"}; do wait "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop_stores EXIT

# background NAME COMMAND...: runs a part of a store; its output goes to $work/NAME.log.
background() {
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    started+=($!)
}

# until_up NAME URL: waits until it answers, if only to refuse a request that is not signed.
until_up() {
    local status
    for _ in $(seq 600); do
        status=$(curl --silent --output /dev/null --write-out '%{http_code}' "$2" || true)
        case $status in [234]*) return 0 ;; esac
        sleep 0.1
    done
    fail "$1 does not answer: $(tail -5 "$work/$1.log")"
}

start_seaweedfs() {
    local port
    read -r -a port <<<"$(free_ports 8)"
    mkdir "$work/seaweedfs"
    cat >"$work/identities.json" <<'JSON'
{"identities": [{"name": "test", "credentials": [{"accessKey": "test:tester", "secretKey": "testing"}],
  "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}
JSON
    # shellcheck disable=SC2046
    background seaweedfs "$tools/bin/weed" server -dir="$work/seaweedfs" -s3.config="$work/identities.json" \
        $(seaweedfs_options "${port[@]}")
    endpoint=http://127.0.0.1:${port[6]}
    until_up seaweedfs "$endpoint/"
    seaweedfs_bucket "${port[0]}" "${port[1]}" >"$work/shell.log" 2>&1 \
        || fail "SeaweedFS makes no bucket: $(tail -5 "$work/shell.log")"
}

# It takes bytes whose checksum is wrong.
start_rclone() {
    local port
    port=$(free_ports 1)
    mkdir -p "$work/rclone/photos"
    background rclone "$tools/bin/rclone" serve s3 "$work/rclone" --addr "127.0.0.1:$port" \
        --auth-key test:tester,testing --config /dev/null
    endpoint=http://127.0.0.1:$port
    until_up rclone "$endpoint/"
}

# OpenStack Swift with its s3api: one of each of its servers, one copy of everything.
start_swift() {
    local ports port kind place=0 folder=$work/swift
    read -r -a ports <<<"$(free_ports 5)"
    mkdir -p "$folder/devices/d1"
    printf '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n[storage-policy:0]\nname = p\ndefault = yes\n' \
        >"$folder/swift.conf"
    for kind in account container object; do
        port=${ports[place]}
        place=$((place + 1))
        (
            cd "$folder"
            swift-ring-builder "$kind.builder" create 4 1 1
            swift-ring-builder "$kind.builder" add "r1z1-127.0.0.1:$port/d1" 100
            swift-ring-builder "$kind.builder" rebalance
        ) >"$work/rings.log" 2>&1 || fail "Swift's rings: $(tail -5 "$work/rings.log")"
        cat >"$folder/$kind.conf" <<TEXT
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = $port
user = $(id -un)
swift_dir = $folder
devices = $folder/devices
mount_check = false
workers = 0
log_address = /dev/null
[pipeline:main]
pipeline = $kind-server
[app:$kind-server]
use = egg:swift#$kind
TEXT
        background "swift-$kind" "swift-$kind-server" "$folder/$kind.conf" --verbose
    done
    cat >"$folder/proxy.conf" <<TEXT
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${ports[3]}
user = $(id -un)
swift_dir = $folder
workers = 0
log_address = /dev/null
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk tempurl s3api tempauth copy slo dlo versioned_writes symlink proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# There is one of each: one that is slow for a moment must not be left out.
conn_timeout = 30
node_timeout = 60
recoverable_node_timeout = 60
error_suppression_limit = 1000000
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports[4]}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
$(for name in catch_errors gatekeeper healthcheck listing_formats bulk tempurl copy slo dlo versioned_writes symlink; do
        printf '[filter:%s]\nuse = egg:swift#%s\n' "$name" "$name"
    done)
TEXT
    background memcached memcached -l 127.0.0.1 -p "${ports[4]}" -u "$(id -un)"
    background swift-proxy swift-proxy-server "$folder/proxy.conf" --verbose
    endpoint=http://127.0.0.1:${ports[3]}
    until_up swift-proxy "$endpoint/healthcheck"
    # Swift's own protocol, whose container is S3's bucket.
    curl --silent --dump-header "$work/token" --header 'X-Auth-User: test:tester' --header 'X-Auth-Key: testing' \
        "$endpoint/auth/v1.0" >/dev/null
    curl --silent --show-error --fail --request PUT --header "$(tr -d '\r' <"$work/token" | grep -i '^x-auth-token:')" \
        "$(tr -d '\r' <"$work/token" | sed -n 's/^[Xx]-[Ss]torage-[Uu]rl: //p')/photos" >"$work/bucket.log" 2>&1 \
        || fail "Swift makes no bucket: $(cat "$work/bucket.log" "$work/token" "$work/swift-proxy.log")"
}

# export_store: lets servers started from here keep originals in the store that was started last.
export_store() {
    export LIBRARY_BUCKET=photos TINTYPE_S3_ENDPOINT=$endpoint TINTYPE_S3_ACCESS_KEY=test:tester
    export TINTYPE_S3_SECRET_KEY=testing
}
