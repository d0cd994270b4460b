"""From operations to text: merged per call, planned over the project, applied in rounds."""
