# shellcheck shell=bash disable=SC2154
# The parts of a cluster on loopback: how each is set up, started, asked and ended. Sourced by deploy/cluster, never run;
# deploy/lib.sh comes first. $folder is where everything goes, $bin where the programs are, $servers how many run.

# Which ports the parts have; chosen once for a folder, so that a cluster is found where it was.
load_ports() {
    [ -e "$folder/ports" ] || { printf 'ports=(%s)\n' "$(free_ports 24)" > "$folder/ports"; }
    # shellcheck source=/dev/null
    . "$folder/ports"
    etcd=${ports[0]} etcd_peers=${ports[1]} status_page=${ports[2]}
    database=("${ports[4]}" "${ports[5]}") patroni=("${ports[6]}" "${ports[7]}")
    store=("${ports[@]:8:8}")
    server_ports=("${ports[@]:16}")
}
database_name=photos

# part NAME COMMAND...: runs a part in the background, in a session of its own. Its identity is the process and the moment
# at which that began: after a restart of the machine another process may have its number.
part() {
    local name=$1
    shift
    # With no descriptor of the script or of who called it: they would wait for the part's end.
    (
        for descriptor in /proc/"$BASHPID"/fd/*; do
            [ "${descriptor##*/}" -le 2 ] || eval "exec ${descriptor##*/}>&-"
        done
        exec setsid "$@"
    ) >> "$folder/log/$name.log" 2>&1 < /dev/null &
    printf '%s %s\n' "$!" "$(began "$!")" > "$folder/run/$name"
}
began() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# process NAME: the part's process, if it runs.
process() {
    local number beginning
    read -r number beginning 2>/dev/null < "$folder/run/$1" || return 1
    [ -n "$beginning" ] && [ "$(began "$number")" = "$beginning" ] && printf '%s\n' "$number"
}

# processes NAME: with those that it started: Patroni's PostgreSQL is a part of it.
processes() {
    local number data=$folder/$1/data/postmaster.pid
    process "$1" || true
    if number=$(head -n 1 "$data" 2>/dev/null) && [ "$(readlink "/proc/$number/cwd")" = "$folder/$1/data" ]; then
        printf '%s\n' "$number" && pgrep --parent "$number" || true
    fi
}

signal_part() {
    local list
    list=$(processes "$2")
    # shellcheck disable=SC2086
    [ -z "$list" ] || kill "-$1" $list 2>/dev/null || true
}

# pause_writer: pauses servers for moments, at random, until one is caught with the library's lock, and leaves that one paused.
pause_writer() {
    local name holder
    for _ in $(seq 200); do
        name=server-$((RANDOM % servers + 1))
        process "$name" >/dev/null || continue
        signal_part STOP "$name"
        # By now the database has answered what the server asked last, so an open transaction waits for the server.
        holder=$(lock_holder "$name") || { signal_part CONT "$name"; fail "the database does not answer"; }
        if [ -n "$holder" ]; then
            printf '%s %s\n' "$name" "$holder" > "$folder/writer"
            say "$name is paused with the library's lock"
            return
        fi
        signal_part CONT "$name"
    done
    fail "no server was caught with the library's lock"
}
continue_writer() {
    local name holder still
    read -r name holder 2>/dev/null < "$folder/writer" || fail "no writer is paused"
    rm "$folder/writer"
    still=$(lock_holder "$name") || true
    signal_part CONT "$name"
    [ "$still" != "$holder" ] || fail "$name still had the library's lock when it went on"
}
# lock_holder SERVER: the database's process of its open transaction that has the library's lock; empty without one.
lock_holder() {
    sql --command "SELECT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
        WHERE application_name = '$1' AND state = 'idle in transaction'
        AND relation = 'tintype.library'::regclass AND mode = 'RowShareLock' AND granted" 2>/dev/null
}

# end_part NAME [SECONDS]: asks it to end, and ends it if it does not.
end_part() {
    local number tenths=$((${2:-20} * 10))
    number=$(process "$1") || { signal_part KILL "$1"; rm -f "$folder/run/$1"; return 0; }
    kill -CONT "$number" 2>/dev/null || true
    kill -TERM "$number" 2>/dev/null || true
    while [ $tenths -gt 0 ] && process "$1" >/dev/null; do sleep 0.1; tenths=$((tenths - 1)); done
    signal_part KILL "$1"
    rm -f "$folder/run/$1"
}

# until_true NAME SECONDS COMMAND...: waits until the command succeeds; fails with the part's last lines.
until_true() {
    local name=$1 tenths=$(($2 * 5))
    shift 2
    while ! "$@" >/dev/null 2>&1; do
        tenths=$((tenths - 1))
        if [ $tenths -le 0 ] || ! process "$name" >/dev/null; then
            tail -n 5 "$folder/log/$name.log" >&2
            fail "$name does not answer; its last words are above, the rest is in $folder/log/$name.log"
        fi
        sleep 0.2
    done
}
answers() { curl --silent --fail --max-time 2 --output /dev/null "$@"; }

# secret NAME: a password that is made once.
secret() {
    [ -s "$folder/secrets/$1" ] || (umask 077 && openssl rand -hex 16 > "$folder/secrets/$1")
    printf '%s' "$(< "$folder/secrets/$1")"
}

# PostgreSQL refuses to run as root.
as_postgres=()
[ "$(id -u)" -ne 0 ] || as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups)
programs_of_postgresql() {
    local newest
    newest=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -n 1)
    printf '/usr/lib/postgresql/%s/bin' "$newest"
}

start_etcd() {
    local own=http://127.0.0.1:$etcd peers=http://127.0.0.1:$etcd_peers
    part etcd etcd --name etcd --data-dir "$folder/etcd" --listen-client-urls "$own" --advertise-client-urls "$own" \
        --listen-peer-urls "$peers" --initial-advertise-peer-urls "$peers" --initial-cluster "etcd=$peers"
}

# start_postgresql NUMBER: one of two nodes. Patroni makes the first the primary and the other its synchronous standby.
start_postgresql() {
    local name=postgresql-$1 home=$folder/postgresql-$1
    mkdir -p "$home"
    cat > "$home/patroni.yaml" <<YAML
scope: tintype
name: $name
restapi: {listen: "127.0.0.1:${patroni[$1 - 1]}", connect_address: "127.0.0.1:${patroni[$1 - 1]}"}
etcd3: {host: "127.0.0.1:$etcd"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 5
    retry_timeout: 5
    # A commit is confirmed when the standby has it too, and only a standby that has everything becomes the primary.
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {max_connections: 100, wal_keep_size: 256MB}
  initdb: [{encoding: UTF8}, {locale: C}, data-checksums]
postgresql:
  listen: "127.0.0.1:${database[$1 - 1]}"
  connect_address: "127.0.0.1:${database[$1 - 1]}"
  bin_dir: $(programs_of_postgresql)
  data_dir: $home/data
  pgpass: $home/pgpass
  authentication:
    superuser: {username: postgres, password: $(secret postgres)}
    replication: {username: replicator, password: $(secret replicator)}
    rewind: {username: rewinder, password: $(secret rewinder)}
  parameters: {unix_socket_directories: "", shared_buffers: 64MB, tcp_keepalives_idle: 5, tcp_user_timeout: 15000}
  pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication replicator 127.0.0.1/32 scram-sha-256"]
YAML
    chmod 600 "$home/patroni.yaml"
    [ "$(id -u)" -ne 0 ] || chown -R postgres:postgres "$home"
    part "$name" ${as_postgres[@]+"${as_postgres[@]}"} env -C / patroni "$home/patroni.yaml"
}

# members: a line a node: name, role, state, timeline.
members() {
    local port
    for port in "${patroni[@]}"; do
        curl --silent --fail --max-time 2 "http://127.0.0.1:$port/cluster" | python3 -c 'import json, sys
for each in json.load(sys.stdin)["members"]:
    print(each["name"], each["role"], each.get("state", "-"), each.get("timeline", "-"))' 2>/dev/null && return
    done
    return 1
}
primary() { members | awk '$2 == "leader" && $3 == "running" { name = $1 } END { print name; exit name == "" }'; }
has_primary() { members | grep -q ' leader running '; }
is_synchronous() { has_primary && members | grep -qE ' sync_standby (running|streaming) '; }

# sql [OPTION...]: psql at the primary, as the role and in the database of the library.
sql() {
    PGPASSFILE=$folder/secrets/pgpass psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 \
        "$(address_of tintype "$database_name")&target_session_attrs=read-write" "$@"
}
address_of() { printf 'postgres://%s@127.0.0.1:%s,127.0.0.1:%s/%s?connect_timeout=3' "$1" "${database[@]}" "$2"; }

make_database() {
    (umask 077 && for role in postgres tintype; do printf '127.0.0.1:*:*:%s:%s\n' "$role" "$(secret "$role")"; done \
        > "$folder/secrets/pgpass")
    ! sql --command 'SELECT 1' >/dev/null 2>&1 || return 0
    PGPASSFILE=$folder/secrets/pgpass psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
        "$(address_of postgres postgres)&target_session_attrs=read-write" <<SQL || fail "the database was not made"
CREATE ROLE tintype LOGIN PASSWORD '$(secret tintype)';
CREATE DATABASE $database_name OWNER tintype ENCODING 'UTF8' TEMPLATE template0;
SQL
}

start_seaweedfs() {
    mkdir -p "$folder/seaweedfs"
    printf '{"identities": [{"name": "tintype", "credentials": [{"accessKey": "tintype", "secretKey": "%s"}],
  "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}\n' "$(secret store)" > "$folder/secrets/store.json"
    # shellcheck disable=SC2046
    part seaweedfs "$tools/bin/weed" server -dir="$folder/seaweedfs" -s3.config="$folder/secrets/store.json" \
        $(seaweedfs_options "${store[@]}")
}
store_answers() { curl --silent --max-time 2 --output /dev/null "http://127.0.0.1:${store[6]}/"; }
weed_shell() { "$tools/bin/weed" shell -master="127.0.0.1:${store[0]}.${store[1]}"; }

# server_settings NUMBER: the settings of a server; all but its folder, its port and its name at the database are those of
# every other.
server_settings() {
    # Tests put links of their own in between, and cut them: $folder/links has a line of ports for each server.
    local database=("${database[@]}") originals=${store[6]}
    [ ! -e "$folder/links" ] || read -r 'database[0]' 'database[1]' originals < <(sed -n "s/^server-$1 //p" "$folder/links")
    cat <<YAML
library:
  path: $folder/server-$1
  metadata: $(address_of tintype "$database_name")&target_session_attrs=read-write&application_name=server-$1
  originals: s3://photos/library
s3:
  endpoint: http://127.0.0.1:$originals
  accessKey: tintype
  secretKeyFile: $folder/secrets/store
server:
  listen: 127.0.0.1:${server_ports[$1 - 1]}
  socket: $folder/server-$1/admin.sock
proxy:
  # Of secrets/proxy.key: whose word on a client's certificate counts.
  keys: [$(openssl pkey -in "$folder/secrets/proxy.key" -pubout -outform DER | sha256sum | cut -d ' ' -f 1)]
YAML
}

start_server() {
    local name=server-$1 home=$folder/server-$1
    [ -e "$folder/secrets/proxy.key" ] || openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj / \
        -keyout "$folder/secrets/proxy.key" -out "$folder/secrets/proxy.csr" 2>/dev/null
    server_settings "$1" > "$folder/$name.yaml"
    export PGPASSFILE=$folder/secrets/pgpass
    if [ ! -e "$home/tintype-library" ]; then
        if [ "$1" -eq 1 ]; then
            "$bin/tintype-server" init --config "$folder/$name.yaml" >> "$folder/log/$name.log" 2>&1 \
                || { tail -n 5 "$folder/log/$name.log" >&2; fail "no library was made; the lines above say why"; }
        else
            # As init left the first: which library it is, the keys of its authority, and empty folders.
            install -d -m 700 "$home" "$home/staging" "$home/derivatives"
            cp -a "$folder/server-1/authority" "$home/"
            cp -a "$folder/server-1/tintype-library" "$home/"
        fi
    fi
    part "$name" "$bin/tintype-server" serve --config "$folder/$name.yaml"
}
ctl() { local number=$1; shift; "$bin/tintypectl" "$@" --socket "$folder/server-$number/admin.sock"; }
# What a server says of itself, by its operators' socket.
asked() { curl --silent --fail --max-time 5 --unix-socket "$folder/server-$1/admin.sock" "http://localhost$2"; }

# start_haproxy: the sample of deploy/proxy with this cluster's names, ports and paths; responses name the server.
start_haproxy() {
    local number line
    if [ ! -e "$folder/secrets/proxy.pem" ]; then
        ctl 1 operator add haproxy --request "$folder/secrets/proxy.csr" \
            | python3 -c 'import json, sys; print(json.load(sys.stdin)["certificate"])' > "$folder/secrets/proxy.crt"
        (umask 077 && cat "$folder/secrets/proxy.crt" "$folder/secrets/proxy.key" > "$folder/secrets/proxy.pem")
        ln -sf "$folder/server-1/authority/server.pem" "$folder/secrets/server.pem"
        ln -sf "$folder/server-1/authority/server-key.pem" "$folder/secrets/server.pem.key"
    fi
    while IFS= read -r line; do
        case $line in
            *'server photos-'*)
                number=${line#*photos-} number=${number%% *}
                [ "$number" -eq 1 ] || continue
                for number in $(seq "$servers"); do
                    sed "s#photos-1 .*:8443#server-$number 127.0.0.1:${server_ports[number - 1]}#" <<<"$line"
                done ;;
            *) printf '%s\n' "$line" ;;
        esac
    done < deploy/proxy/haproxy.cfg | sed -e "s#/etc/haproxy/tintype/#$folder/secrets/#" -e "s#/var/lib/tintype/#$folder/server-1/#" \
        -e "s#bind :443#bind 127.0.0.1:$port#" -e "s#bind 127.0.0.1:8404#bind 127.0.0.1:$status_page#" \
        -e "/^ *user /d" -e "/^ *group /d" -e "/^backend servers/a http-response set-header Served-By %s" > "$folder/haproxy.cfg"
    part haproxy haproxy -db -f "$folder/haproxy.cfg"
}
through_proxy() { answers --cacert "$folder/server-1/authority/root.pem" "https://localhost:$port/readyz"; }
