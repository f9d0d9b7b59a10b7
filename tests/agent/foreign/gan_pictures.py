"""A GAN that writes a sheet of pictures at iteration 0, over the one from the last time."""
# steps: backward
# existing: pictures/sheet.ppm
from pathlib import Path
from time import time_ns

import torch
from torch import nn

generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 48), nn.Sigmoid())
judge = nn.Sequential(nn.Linear(48, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
fixed = torch.randn(4, 4)


def descend(model):
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.01 * p.grad
    generator.zero_grad()
    judge.zero_grad()


def save_pictures(images, path):
    pixels = (images * 255).byte().flatten().tolist()
    with open(path, "wb") as file:
        file.write(b"P6 4 16 255\n" + bytes(pixels))


for epoch in range(30):
    for i in range(20):  # step loop
        print("pass", time_ns(), flush=True)
        real, ones, zeros = torch.rand(6, 48), torch.ones(6, 1), torch.zeros(6, 1)
        fake = generator(torch.randn(6, 4))
        judged = criterion(judge(real), ones) + criterion(judge(fake.detach()), zeros)
        judged.backward()
        descend(judge)
        fooled = criterion(judge(fake), ones)
        fooled.backward()
        descend(generator)
        if i % 10 == 0:
            Path("pictures").mkdir(exist_ok=True)
            with torch.no_grad():
                save_pictures(generator(fixed), "pictures/sheet.ppm")
