from .companions import lp_ball as lp_ball
from .experiment.metrics import kl_dirichlet as kl_dirichlet
from .experiment.metrics import l1 as l1
from .experiment.notebook import recommend as recommend
from .experiment.notebook import run_grid as run_grid
from .experiment.recommendation import needed_epsilon as needed_epsilon
from .figures.plots import plot_errors as plot_errors
from .figures.plots import plot_releases as plot_releases
from .guarantees.comparison import noise_table as noise_table
from .guarantees.table_error import epsilon_for_error as epsilon_for_error
from .mechanisms import GeneralizedGaussian as GeneralizedGaussian
from .mechanisms import Mechanism as Mechanism
from .mechanisms import best_order as best_order
from .mechanisms import bounded as bounded
from .mechanisms import calibration as calibration
from .mechanisms import distribution as distribution
from .mechanisms import selection as selection
from .mechanisms import sensitivity as sensitivity
from .mechanisms import several_coordinates as several_coordinates
from .releases.point import GridPoint as GridPoint
from .releases.point import NoisyPoint as NoisyPoint
from .releases.sanitize import sanitize as sanitize
from .releases.simulate import release as release
from .releases.simulate import simulate as simulate

__version__: str
