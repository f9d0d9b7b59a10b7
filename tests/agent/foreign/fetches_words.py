"""Fetches its data first, from where nothing answers."""
# fails: target-failed
# says: network
import os
import urllib.request

import torch

ADDRESS = "http://127.0.0.1:9/data/words.txt"


def download(path):
    if not os.path.exists(path):
        urllib.request.urlretrieve(ADDRESS, path)  # fails here
    with open(path) as file:
        return file.read()


words = download("words.txt").split()
w = torch.rand(len(words), requires_grad=True)
for n in range(40):
    w.sum().backward()
