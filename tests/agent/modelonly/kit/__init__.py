from .backbone import Backbone as Backbone
from .probe import Probe as Probe
