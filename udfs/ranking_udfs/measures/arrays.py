"""NumPy and its types, imported when a measure is first computed.

SQL over tables, and thus the command, needs only the names and options of measures. Importing NumPy would
double the import time of the command's modules.
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
        """NumPy, imported on first use. Each name is looked up once."""

        def __getattr__(self, name: str) -> Any:
            import numpy

            return self.__dict__.setdefault(name, getattr(numpy, name))

    np = Later()
    NDArray = list  # Annotations can subscript it.
    Ints = Floats = Bools = Any
