from . import calibration as calibration
from . import distribution as distribution
from . import privacy_loss as privacy_loss
from . import sensitivity as sensitivity
from . import several_coordinates as several_coordinates
from .distribution import GeneralizedGaussian as GeneralizedGaussian
from .mechanisms import Mechanism as Mechanism
