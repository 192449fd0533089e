"""The internal macros that other packages call: the one list of them, but for those of `partitions`."""

from .hosting import HOST

HOME = f"{HOST}.main."
COLUMN_TEXTS = f"{HOME}_ranking_column_texts"
COMMON_TYPE = f"{HOME}_ranking_common_type"
COMPARE_OPTIONS = f"{HOME}_ranking_compare_options"
FAMILY = f"{HOME}_ranking_family"
IS_NUMBER = f"{HOME}_ranking_is_number"
IS_USER = f"{HOME}_ranking_is_user"
LIKE = f"{HOME}_ranking_like_"  # and grades, systems or runs
LISTS = f"{HOME}_ranking_contents_lists"
MEAN_INTERVAL = f"{HOME}_ranking_mean_interval"
NEAREST_COLUMN = f"{HOME}_ranking_nearest_column"
