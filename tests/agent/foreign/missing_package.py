"""Imports a package that is not installed."""
# fails: usage | target-failed
# says: a_package_that_nobody_has
# says: {python}
import torch
from a_package_that_nobody_has.nn import Net  # fails here

Net()(torch.rand(3)).sum().backward()
