"""Many support vector machines that share a kernel matrix and differ in the weights of cells."""
