"""Fetching one verified file from the first of several places that has it."""

import logging
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import pooch
import requests
import urllib3

TIMEOUT = 30.0  # s without a byte, after which a server is taken to have stalled
DEADLINE = 300.0  # s for one attempt: a server that sends a byte now and then must end as well
ATTEMPTS = 3  # at each address
MAX_ARCHIVE_BYTES = 100_000_000  # bytes of a zip; its size is not configured, only its member's is
CHUNK = 65_536  # bytes

logger = logging.getLogger(__name__)
pooch.get_logger().setLevel(logging.WARNING)  # it prints past the log, into a live display


class FetchError(OSError):
    """No place had the file: the message tells each place's error and how to supply the file."""


def fetch(
    destination: Path, *, size: int, sha256: str, addresses: Sequence[str], mirror: str | None
) -> Path:
    """Return the destination, where the file of this size (in bytes) and sha256 now lies.

    destination: its last part names the file. A file that lies there already is kept if its
        sha256 is right; else it is replaced, in one step, once a right one has been fetched.
    addresses: http(s) addresses, tried in turn; ``….zip#member`` is a member of a zip there,
        which is read by its exact name and never extracted to a path that the zip chooses.
    mirror: a folder, or the http(s) address of one, tried first; None for none.

    Raises FetchError where no place has the file.
    """
    name = destination.name
    places = [*([_within(mirror, name)] if mirror else []), *addresses]
    failures = []
    if destination.exists() and pooch.file_hash(str(destination)) != sha256.lower():
        failures.append(f"{destination}: a file with another sha256")
    for place in places:
        store = pooch.create(
            path=destination.parent,
            base_url="",
            registry={name: f"sha256:{sha256}"},
            urls={name: place},
            retry_if_failed=ATTEMPTS - 1 if _is_address(place) else 0,
        )
        try:
            store.fetch(name, downloader=lambda place, file, _: _download(place, Path(file), size))
            destination.chmod(0o644)  # a temporary file, renamed, is its owner's alone
            return destination
        except Exception as error:  # whatever it is, the next place may have the file
            failures.append(f"{place}: {type(error).__name__}: {error}")
            logger.warning("%s", failures[-1])
    raise FetchError(
        f"{name} was not found. Tried:\n  "
        + "\n  ".join(failures)
        + f"\nIt has {size:,} bytes and the sha256 {sha256}."
        "\nThere are two ways to supply it:\n  name a folder or address that has it, in the "
        "environment variable GGEXP_MIRROR or in the configuration (download.mirror);\n  "
        f"or put the file at {destination}."
    )


def verify(path: Path, sha256: str) -> None:
    """Raise ValueError if the file, which somebody may have put there by hand, is another one."""
    found = pooch.file_hash(str(path))
    if found != sha256.lower():
        raise ValueError(
            f"{path}: its sha256 is {found}, expected {sha256}. Delete the file, and the next run "
            "fetches it."
        )


def _is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _within(mirror: str, name: str) -> str:
    """Return the place of the file in a mirror."""
    if _is_address(mirror):
        return f"{mirror.rstrip('/')}/{name}"
    return str(Path(mirror).expanduser() / name)


def _download(place: str, file: Path, size: int) -> None:
    """Write what the place holds to the file; raise ValueError unless it has `size` bytes."""
    with file.open("w+b") as target:
        if not _is_address(place):
            with open(place, "rb") as source:
                _copy(source.read, target, limit=size)
        elif "#" in place:
            url, member = place.split("#", 1)
            with tempfile.TemporaryFile() as archive:
                _transfer(url, archive, limit=MAX_ARCHIVE_BYTES)
                with zipfile.ZipFile(archive) as members, members.open(member) as source:
                    _copy(source.read, target, limit=size)
        else:
            _transfer(place, target, limit=size)
        if (received := target.tell()) != size:
            target.seek(0)
            raise ValueError(
                f"{received:,} bytes instead of {size:,}; they begin {target.read(40)!r}"
            )


def _transfer(url: str, target: IO[bytes], *, limit: int) -> None:
    """Write what the address sends to the target, at most `limit` bytes."""
    try:
        with requests.get(url, stream=True, timeout=TIMEOUT) as response:
            response.raise_for_status()
            # read1 returns what has arrived, so that _copy sees its deadline pass
            _copy(lambda n: response.raw.read1(n, decode_content=True), target, limit=limit)
    except urllib3.exceptions.HTTPError as error:  # a kind of error that pooch tries again
        raise requests.exceptions.ConnectionError(error) from error


def _copy(read: Callable[[int], bytes], target: IO[bytes], *, limit: int) -> None:
    """Copy to the end of what `read` returns; raise beyond `limit` bytes or the deadline."""
    start = time.monotonic()
    received = 0
    while chunk := read(CHUNK):
        before, received = received, received + len(chunk)
        if received > limit:
            raise ValueError(f"more than the {limit:,} bytes expected")
        if time.monotonic() - start > DEADLINE:
            raise TimeoutError(f"only {received:,} bytes in {DEADLINE:.0f} s")
        if before >> 20 != received >> 20:
            logger.info("%d MiB so far", received >> 20)
        target.write(chunk)
