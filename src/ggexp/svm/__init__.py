"""Many support vector machines on one kernel matrix, which differ in the weights of cells."""
