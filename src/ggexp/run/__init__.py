"""The infrastructure of a run: its lock, jobs, files, fingerprints, manifest and pages."""
