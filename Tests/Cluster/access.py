"""A library on several servers as operators see it, and the parts of a cluster that deploy/cluster has started."""
import collections
import hashlib
import json
import re
import shutil
import subprocess
import urllib.request

from system import Broken, environment, wait_for

NODES = ("postgresql-1", "postgresql-2")
# Not through a proxy of this machine's.
HTTP = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Operators:
    """A library on servers 1 to N, asked through the operators' sockets in their folders, and what a box needs to enrol."""

    def __init__(self, programs, folder, url, servers):
        self.programs = programs
        self.folder = folder
        self.url = url
        self.servers = range(1, servers + 1)
        self.turn = 0

    def socket(self, server):
        return str(self.folder / f"server-{server}" / "admin.sock")

    def tintypectl(self, *arguments, server=1, timeout=300):
        return subprocess.run(
            [str(self.programs / "tintypectl"), *arguments, "--socket", self.socket(server)],
            capture_output=True, text=True, timeout=timeout, env=environment(), check=False,
        )

    def tell(self, *arguments, server=1):
        """Runs a command that must succeed, and gives what it prints."""
        outcome = self.tintypectl(*arguments, server=server)
        if outcome.returncode:
            raise Broken(f"tintypectl {' '.join(arguments)}: {outcome.stderr}")
        return outcome.stdout

    def ask(self, *arguments, server=1):
        return json.loads(self.tell(*arguments, "--json", server=server))

    def token(self):
        command = ("enrollment-token", "create", "--max", "addOnly", "--uses", "1", "--expires", "1h")
        return self.ask(*command)["token"]

    def assets(self, server=1):
        return self.ask("asset", "list", "--all", "--hidden", server=server)["assets"]

    def histories(self):
        """The histories that began, oldest first, as the audit has them."""
        entries = self.ask("audit", "tail", "--count", "100000")["entries"]
        return [entry["content"] for entry in entries if entry["content"]["event"] == "epoch.begin"]

    def writes(self, title):
        """Whether a server takes a change; each call asks the next server."""
        self.turn += 1
        server = self.servers[self.turn % len(self.servers)]
        try:
            return self.tintypectl("album", "create", title, "--quiet", server=server, timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def answers(self):
        """Whether every server does."""
        return all(self.tintypectl("library", "stats", server=server).returncode == 0 for server in self.servers)

    def findings(self):
        """What `library verify` finds after reading every byte."""
        verified = self.tintypectl("library", "verify", "--hash", "--json")
        if not verified.stdout:
            raise Broken(f"library verify: {verified.stderr}")
        return json.loads(verified.stdout)["findings"]

    def check(self, digests, folder):
        """Each of these files is one asset, for every server, comes back as it was, and nothing else does."""
        once = collections.Counter(digests)
        for server in self.servers:
            assets = self.assets(server)
            listed = collections.Counter(asset["resources"][0]["digest"] for asset in assets)
            if listed != once or len({asset["id"] for asset in assets}) != len(assets):
                raise Broken(f"promise 5: server-{server} lacks {(once - listed).total()} files, "
                             f"and lists {(listed - once).total()} that it should not")
        self.ask("export", str(folder), "--no-sidecars")
        files = [file for file in folder.rglob("*") if file.is_file() and not file.name.startswith(".")]
        exported = collections.Counter(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)
        shutil.rmtree(folder)
        if exported != once:
            raise Broken(f"promise 3: {(once - exported).total()} files do not come back, "
                         f"{(exported - once).total()} are others")
        audit = self.tintypectl("audit", "verify")
        if audit.returncode:
            raise Broken(f"audit verify: {audit.stderr}")


class Cluster(Operators):
    """The parts by their names."""

    def __init__(self, programs, folder, port, servers, options):
        super().__init__(programs, folder, f"https://localhost:{port}", servers)
        self.places = ["--folder", str(folder), "--port", str(port), "--servers", str(servers), "--as-built", *options]
        ports = [int(number) for number in re.findall(r"\d+", (folder / "ports").read_text())]
        # In the order of load_ports in deploy/cluster.sh.
        self.databases = dict(zip(NODES, ports[4:6]))
        self.patronis = dict(zip(NODES, ports[6:8]))

    def control(self, *words):
        """Runs deploy/cluster to its end."""
        if subprocess.run(["deploy/cluster", *words, *self.places], check=False).returncode:
            raise Broken(f"deploy/cluster {' '.join(words)} failed; its last words are above")

    # What servers say.

    def logs(self):
        return [self.folder / "log" / f"server-{server}.log" for server in self.servers]

    def marks(self):
        """Where the servers' logs end now."""
        return [log.stat().st_size for log in self.logs()]

    def said(self, marks):
        """The servers' logs from there on."""
        return [log.read_bytes()[mark:].decode(errors="replace") for log, mark in zip(self.logs(), marks)]

    def counted_histories(self):
        """How many new histories each server has counted; counts are taken at most every ten seconds."""
        counts = []
        for server in self.servers:
            metrics = subprocess.run(
                ["curl", "--silent", "--show-error", "--fail", "--max-time", "20", "--unix-socket",
                 self.socket(server), "http://localhost/metrics"],
                capture_output=True, text=True, check=False,
            )
            found = re.search(r"^tintype_library_new_epochs_total(?:\{.*\})? (\S+)$", metrics.stdout, re.MULTILINE)
            if not found:
                raise Broken(f"server-{server} does not count new histories: {metrics.stderr}")
            counts.append(float(found[1]))
        return counts

    # The databases.

    def query(self, sql, node=None, role="tintype"):
        """The answer of a node, or of whichever is the primary."""
        ports = [self.databases[node]] if node else self.databases.values()
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        address = f"postgres://{role}@{hosts}/photos?connect_timeout=3"
        answer = subprocess.run(
            ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
             "--command", sql, address if node else f"{address}&target_session_attrs=read-write"],
            capture_output=True, text=True, timeout=60, check=False,
            env=environment() | {"PGPASSFILE": str(self.folder / "secrets" / "pgpass")},
        )
        if answer.returncode:
            raise Broken(f"{node or 'the primary'} does not answer {sql}: {answer.stderr}")
        return answer.stdout.strip()

    def receipts(self, node=None):
        return int(self.query("SELECT count(*) FROM tintype.receipt", node))

    def change(self, node=None):
        return int(self.query("SELECT change_number FROM tintype.library", node))

    def patroni(self, path, change=None):
        """What the first Patroni that runs answers, also to a change of its settings; None without one."""
        body = None if change is None else json.dumps(change).encode()
        for port in self.patronis.values():
            request = urllib.request.Request(
                f"http://127.0.0.1:{port}/{path}", body, {"Content-Type": "application/json"},
                method="GET" if change is None else "PATCH",
            )
            try:
                with HTTP.open(request, timeout=5) as answer:
                    return json.load(answer)
            except (OSError, ValueError):
                continue
        return None

    def members(self):
        return (self.patroni("cluster") or {}).get("members", [])

    def standby(self):
        """The node that runs and is not the primary."""
        return next(member["name"] for member in self.members() if member["role"] != "leader")

    def set_synchronous(self, is_synchronous):
        """Lets commits wait for the standby, or not; then it may also take over however far behind it is."""
        change = {"synchronous_mode": is_synchronous, "maximum_lag_on_failover": None if is_synchronous else 1 << 40}
        wait_for("Patroni takes its settings", lambda: self.patroni("config", change))

    def wait_for_asynchronous(self):
        def is_asynchronous():
            members = self.members()
            return (
                len(members) == len(NODES) and all(member["role"] != "sync_standby" for member in members)
                and self.query("SHOW synchronous_standby_names") == ""
            )

        wait_for("commits wait for no standby", is_asynchronous)

    def cut_off_standby(self):
        """Ends replication, as a network between the databases that fails: the standby stays up and gets no more.

        A process that receives is not paused instead: what has reached its socket would arrive when it goes on.
        """
        self.query("ALTER ROLE replicator NOLOGIN", role="postgres")

        def is_cut_off():
            self.query("SELECT pg_terminate_backend(pid) FROM pg_stat_replication", role="postgres")
            return self.query("SELECT count(*) FROM pg_stat_replication", role="postgres") == "0"

        wait_for("the standby is cut off", is_cut_off)

    def join_standby(self):
        """Lets the old primary come back as the standby, without what only it has."""
        # What the standby had received last may be that nobody replicates.
        self.query("ALTER ROLE replicator LOGIN", role="postgres")
        self.set_synchronous(True)
        self.control("start", "postgresql")
