"""The report and its events in the formats of other tools."""
