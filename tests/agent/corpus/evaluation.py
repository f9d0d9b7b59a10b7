"""no_grad in the step, and an evaluation in every second pass of the training loop."""
# steps: optimizer; varying
import torch
from torch import nn

model = nn.Linear(8, 5)
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
held_out = torch.rand(9, 8)


def evaluate():
    model.eval()
    with torch.no_grad():
        for part in held_out.split(3):  # plant: aten::split 9x8 *any
            scores = model(part)  # plant: aten::linear 3x8 *any
            scores.argmax(1)  # plant: aten::argmax 3x5 *any
    model.train()


for step in range(60):  # loop
    x = torch.rand(6, 8)  # plant: aten::rand
    opt.zero_grad()
    out = model(x)  # plant: aten::linear 6x8  # backward: AddmmBackward0
    with torch.no_grad():
        target = out.sign()  # plant: aten::sign 6x5
    loss = nn.functional.huber_loss(out, target)  # plant: aten::huber_loss 6x5  # backward: HuberLossBackward0
    loss.backward()
    opt.step()  # plant: aten::add_ 5x8; aten::add_ 5
    if step % 2 == 1:
        evaluate()
