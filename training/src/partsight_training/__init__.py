"""Training, calibration and export of Partsight's part-type recognition models."""
