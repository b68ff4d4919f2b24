"""A plain PostgreSQL of Debian's that archives its log, so that it can be restored to a time."""
import os
import pathlib
import shutil
import subprocess

from system import Broken, environment, wait_for

# PostgreSQL refuses to run as root.
AS_POSTGRES = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
OLDEST = 15


def programs_of_postgresql():
    """The folder of the newest version's programs; None if none is installed."""
    versions = [each for each in pathlib.Path("/usr/lib/postgresql").glob("*/bin") if each.parent.name.isdigit()]
    newest = max(versions, key=lambda each: int(each.parent.name), default=None)
    return newest if newest and int(newest.parent.name) >= OLDEST else None


class ArchivedDatabase:
    """One server with the database `photos`, reached by a socket in its folder; docs/cluster.md has the same by hand."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = programs_of_postgresql()
        self.data, self.base, self.archive = folder / "data", folder / "base", folder / "archive"
        self.log = folder / "log"

    def create(self):
        """Makes the database, and starts it."""
        self.archive.mkdir(parents=True)
        if AS_POSTGRES:
            for each in (self.folder, self.archive):
                shutil.chown(each, "postgres", "postgres")
        self.run(self.programs / "initdb", "-D", self.data, "-U", "postgres", "--auth-local=trust",
                 "--auth-host=reject", "-E", "UTF8", "--locale=C", "--data-checksums")
        self.append("postgresql.conf", f"""
            listen_addresses = ''
            unix_socket_directories = '{self.folder}'
            shared_buffers = 64MB
            archive_mode = on
            archive_command = 'test ! -f {self.archive}/%f && cp %p {self.archive}/%f'
            restore_command = 'cp {self.archive}/%f %p'
            """)
        self.start()
        self.query("CREATE ROLE tintype LOGIN", "postgres")
        self.query("CREATE DATABASE photos OWNER tintype ENCODING 'UTF8' TEMPLATE template0", "postgres")

    @property
    def address(self):
        """For libpq, without a server's name."""
        return f"postgres:///photos?host={self.folder}&user=tintype"

    def run(self, *command):
        """Runs a command as PostgreSQL's user to its end."""
        outcome = subprocess.run(
            [*AS_POSTGRES, *map(str, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/",
            timeout=600, env=environment(), check=False,
        )
        if outcome.returncode:
            raise Broken(f"{' '.join(map(str, command))}: {outcome.stdout}{outcome.stderr}{self.said()}")
        return outcome.stdout

    def said(self):
        return self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""

    def append(self, name, settings):
        with open(self.data / name, "a", encoding="utf-8") as file:
            file.write(settings)

    def control(self, *arguments):
        # Without a log of its own, the server would hold on to the pipes that its output is read from.
        self.run(self.programs / "pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "300", *arguments)

    def start(self):
        self.control("start")

    def stop(self):
        if (self.data / "postmaster.pid").exists():
            self.control("stop", "-m", "immediate")

    def query(self, sql, database="photos"):
        return self.run(
            self.programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
            "--host", self.folder, "--username", "postgres", "--dbname", database, "--command", sql,
        ).strip()

    # Backup and restore.

    def back_up(self):
        """A base backup, in place of the one before."""
        shutil.rmtree(self.base, ignore_errors=True)
        self.run(self.programs / "pg_basebackup", "--host", self.folder, "--username", "postgres",
                 "--pgdata", self.base, "--checkpoint", "fast")

    def time(self):
        """Its own time now, as its settings take it."""
        return self.query("SELECT clock_timestamp()")

    def archive_all(self):
        """Waits until everything that was written so far is in the archive."""
        name = self.query("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.query("SELECT pg_switch_wal()")
        wait_for("the log is archived", lambda: self.query(
            f"SELECT last_archived_wal COLLATE \"C\" >= '{name}' FROM pg_stat_archiver"
        ) == "t")

    def lose(self):
        """Its disk is gone at once, with what was not archived."""
        self.stop()
        shutil.rmtree(self.data)

    def restore(self, time):
        """Sets it back to a time, from the base backup and the archive; returns when it takes writes."""
        self.run("cp", "--archive", self.base, self.data)
        self.append("postgresql.auto.conf", f"""
            recovery_target_time = '{time}'
            recovery_target_action = promote
            """)
        self.run("touch", self.data / "recovery.signal")
        mark = len(self.log.read_bytes())
        self.start()

        def takes_writes():
            try:
                return self.query("SELECT pg_is_in_recovery()", "postgres") == "f"
            except Broken:
                return False

        wait_for("PostgreSQL takes writes again", takes_writes, seconds=300)
        # It stops before the first transaction that ended later; without one it may not have read everything.
        text = self.log.read_bytes()[mark:].decode(errors="replace")
        if "recovery stopping before" not in text:
            raise Broken(f"recovery did not stop at {time}: {text[-3000:]}")
