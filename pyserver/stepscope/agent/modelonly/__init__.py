"""Files that only define modules: a constructor and inputs are found, then steps are made of them.

Everything that was found is Python text, so that what the report shows is what ran, and what a
person may write down instead.
"""
