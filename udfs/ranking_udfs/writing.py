"""Write files completely or not at all. Every package may import it."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yield a path to write to. Its file replaces `path` at the end unless there was an error.

    A replaced file keeps its mode, and a symlink stays a symlink. Devices and pipes are written directly.
    """
    target = os.path.realpath(path)
    is_there = os.path.exists(path)  # The real path of a pipe, `/proc/7/fd/pipe:[9]`, does not exist.
    if is_there and not os.path.isfile(path):
        yield os.fspath(path)
        return
    folder, name = os.path.split(target)
    temporary = os.path.join(
        folder, f".{secrets.token_hex(4)}.{name}"
    )  # The extension selects the compression.
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if is_there else 0o666))
        yield temporary
        if is_there:
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(temporary, target)
    except OSError as error:
        if error.filename != temporary:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
