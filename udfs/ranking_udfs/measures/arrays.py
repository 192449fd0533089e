"""NumPy and its types, imported when a measure first computes.

Names and options of measures are all that SQL over tables reads of them, as in the command, and half of the
time that the command's modules take to import would be NumPy's.
"""

from typing import TYPE_CHECKING, Any

__all__ = ["Bools", "Floats", "Ints", "NDArray", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
else:

    class Later:
        """NumPy, of which each name is looked up once."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            return self.__dict__.setdefault(name, getattr(numpy, name))

    np = Later()
    NDArray = list  # which annotations may subscript
    Ints = Floats = Bools = Any
