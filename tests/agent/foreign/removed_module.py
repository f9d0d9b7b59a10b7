"""Written for an older torch: the module that it imports is gone, though torch itself is there."""
# fails: target-failed
# says: torch._six
import torch
from torch._six import string_classes  # fails here

assert isinstance("x", string_classes)
