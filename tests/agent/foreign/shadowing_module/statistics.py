WHOSE = "the script's"


def spread(x):
    return (x - x.mean()).square().mean()
