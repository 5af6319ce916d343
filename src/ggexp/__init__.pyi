from . import calibration as calibration
from . import distribution as distribution
from . import sensitivity as sensitivity
from .distribution import GeneralizedGaussian as GeneralizedGaussian
from .mechanisms import Mechanism as Mechanism
