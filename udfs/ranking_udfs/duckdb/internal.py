"""The internal macros that other packages call: the one list of them, but for those of `partitions`."""

from .hosting import HOST

HOME = f"{HOST}.main."
IS_USER = f"{HOME}_ranking_is_user"
MEAN_INTERVAL = f"{HOME}_ranking_mean_interval"
