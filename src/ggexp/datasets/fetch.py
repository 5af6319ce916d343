"""Fetch one verified file from the first of several sources that has it."""

import logging
import lzma
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import pooch
import requests
import urllib3

TIMEOUT = 30.0  # s without a byte, after which a server counts as stalled
DEADLINE = 300.0  # s for one attempt, to stop even if a server keeps sending single bytes
ATTEMPTS = 3  # at each address
MAX_ARCHIVE_BYTES = 100_000_000  # bytes of a zip; only the size of its member is configured
CHUNK = 65_536  # bytes
WEB = ("http://", "https://")  # the beginnings of addresses; other sources are files

logger = logging.getLogger(__name__)
pooch.get_logger().setLevel(logging.WARNING)  # its messages bypass the log


def fetch(destination: Path, file: Mapping[str, Any], project: Path) -> Path:
    """Return the destination, where the described file now exists; a wrong one is replaced.

    file: an entry of ``download.files`` in the configuration, whose sources are tried in turn.
    project: the folder to which the paths of sources refer.
    """
    name, size, sha256 = destination.name, file["bytes"], file["sha256"]
    failures = []
    if destination.exists() and pooch.file_hash(str(destination)) != sha256.lower():
        failures.append(f"{destination}: a file with another sha256")
    for source in file["sources"]:
        store = pooch.create(
            path=destination.parent,
            base_url="",
            registry={name: f"sha256:{sha256}"},
            urls={name: source},
            retry_if_failed=ATTEMPTS - 1 if source.startswith(WEB) else 0,
        )
        try:
            store.fetch(
                name,
                downloader=lambda source, path, _: _copy_source(source, Path(path), size, project),
            )
            destination.chmod(0o644)  # it was a temporary file, which only its owner may read
            return destination
        except Exception as error:  # after any error the next source may have the file
            failures.append(f"{source}: {type(error).__name__}: {error}")
            logger.warning("%s", failures[-1])
    raise OSError(
        f"{name} was not found. Tried:\n  "
        + "\n  ".join(failures)
        + f"\nIt has {size:,} bytes and the sha256 {sha256}."
        f"\nPut the file at {destination}."
    )


def _copy_source(source: str, file: Path, size: int, project: Path) -> None:
    """Write the content of the source to a file; raise ValueError unless it has `size` bytes."""
    with file.open("w+b") as target:
        if not source.startswith(WEB):
            with (lzma.open if source.endswith(".xz") else open)(project / source, "rb") as stream:
                _copy(stream.read, target, limit=size)
        elif "#" in source:
            url, member = source.split("#", 1)
            with tempfile.TemporaryFile() as archive:
                _transfer(url, archive, limit=MAX_ARCHIVE_BYTES)
                with zipfile.ZipFile(archive) as members, members.open(member) as stream:
                    _copy(stream.read, target, limit=size)
        else:
            _transfer(source, target, limit=size)
        if (received := target.tell()) != size:
            target.seek(0)
            raise ValueError(
                f"{received:,} bytes instead of {size:,}; they begin {target.read(40)!r}"
            )


def _transfer(url: str, target: IO[bytes], *, limit: int) -> None:
    """Write the response of an address to the target; raise if it has more than `limit` bytes."""
    try:
        with requests.get(url, stream=True, timeout=TIMEOUT) as response:
            response.raise_for_status()
            # read1 returns the bytes received so far, so that _copy can check its deadline
            _copy(lambda n: response.raw.read1(n, decode_content=True), target, limit=limit)
    except urllib3.exceptions.HTTPError as error:  # an error after which pooch retries
        raise requests.exceptions.ConnectionError(error) from error


def _copy(read: Callable[[int], bytes], target: IO[bytes], *, limit: int) -> None:
    """Copy all bytes that `read` returns; raise after `limit` bytes or after the deadline."""
    start = time.monotonic()
    received = 0
    while chunk := read(CHUNK):
        previous, received = received, received + len(chunk)
        if received > limit:
            raise ValueError(f"more than the {limit:,} bytes expected")
        if time.monotonic() - start > DEADLINE:
            raise TimeoutError(f"only {received:,} bytes in {DEADLINE:.0f} s")
        if previous >> 20 != received >> 20:
            logger.info("%d MiB so far", received >> 20)
        target.write(chunk)
