"""Convert the layouts of Arrow arrays that an engine may pass to plain layouts."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..measures import ragged
from ..measures.arrays import Bools, Floats, Ints
from .hugeint import integers_from_hugeint
from .types import is_boolean, sql_type


def plain_array(argument: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the argument as one array in a plain layout."""
    if isinstance(argument, pa.ChunkedArray):
        argument = argument.chunk(0) if argument.num_chunks == 1 else argument.combine_chunks()
    return plain_layout(argument)


def copy_to_arrow_memory(array: pa.Array) -> pa.Array:
    """Copy a result into memory allocated by Arrow.

    A thread of pyarrow may release the result while Python exits. Releasing NumPy's memory needs the
    interpreter, and aborts the process with pyarrow before 25 (https://github.com/apache/arrow/issues/49942).
    """
    return pa.concat_arrays([array])


def plain_layout(array: pa.Array) -> pa.Array:
    """Convert to a layout that Arrow's kernels support: no views of strings or bytes."""
    kind, types = array.type, pa.types
    if not has_views(kind) or sql_type(kind) == "BIGNUM":
        return array
    if types.is_string_view(kind):
        return array.cast(pa.large_string())
    if types.is_binary_view(kind):
        return array.cast(pa.large_binary())
    if types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(array.indices, plain_layout(array.dictionary))
    if isinstance(kind, pa.BaseExtensionType):
        return plain_layout(array.storage)
    if types.is_struct(kind):
        plain = [plain_layout(array.field(i)) for i in range(kind.num_fields)]
        return pa.StructArray.from_arrays(plain, [field.name for field in kind], mask=array.is_null())
    values, offsets = flatten_lists(array)
    if types.is_map(kind):
        starts = pa.array(offsets, pa.int32(), mask=np.append(array.is_null(), False))
        return pa.MapArray.from_arrays(starts, values.field(0), values.field(1))
    return pa.LargeListArray.from_arrays(pa.array(offsets), values, mask=array.is_null())


def has_views(kind: pa.DataType) -> bool:
    """Return whether a type contains views."""
    types = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return has_views(kind.storage_type)
    if types.is_dictionary(kind):
        return has_views(kind.value_type)
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return True
    return not types.is_union(kind) and any(has_views(kind.field(i).type) for i in range(kind.num_fields))


def valid_rows(array: pa.Array) -> Bools:
    valid: Bools = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def flatten_lists(array: pa.Array) -> tuple[pa.Array, Ints]:
    """Return the items of all lists (or entries of MAPs) end to end, and offsets; NULL lists are empty."""
    kind, types = array.type, pa.types
    if types.is_null(kind):
        return pa.nulls(0), np.zeros(len(array) + 1, np.int64)
    if types.is_map(kind):
        pairs = [plain_layout(array.keys), plain_layout(array.items)]
        values = pa.StructArray.from_arrays(pairs, ["key", "value"])
        lengths = pc.if_else(array.is_valid(), pa.array(np.diff(array.offsets.to_numpy())), 0)
    else:
        values, lengths = array.values, pc.list_value_length(array)
    if lengths.null_count:
        lengths = lengths.fill_null(0)
    sizes = lengths.to_numpy(zero_copy_only=False)
    offsets = ragged.offsets_of(sizes)
    if types.is_fixed_size_list(kind):
        starts = (array.offset + np.arange(len(array))) * kind.list_size
    else:
        starts = array.offsets.to_numpy()[: len(array)]
    used = starts[sizes > 0]
    if np.array_equal(used - used[:1], offsets[:-1][sizes > 0]):  # end to end, as in DuckDB's arrays
        return plain_layout(values.slice(used[0] if len(used) else 0, offsets[-1])), offsets
    # `flatten` does not support every type if a list is NULL.
    indices = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)
    return plain_layout(values).take(pa.array(indices)), offsets


def to_floats(array: pa.Array) -> Floats:
    """Convert numbers of any type to float64, NULL to NaN."""
    if is_boolean(array.type) and isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    elif isinstance(array.type, pa.BaseExtensionType):
        integers = integers_from_hugeint(array).to_pylist()  # A cast would round differently from Python.
        array = pa.array([None if value is None else float(value) for value in integers], pa.float64())
    values: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return values
