"""nn.Sequential: all its layers run under library frames, so their line is the one that calls it."""
# steps: optimizer
import torch
from torch import nn

encoder = nn.Sequential(
    nn.Linear(9, 15),
    nn.Tanh(),
    nn.Sequential(nn.Linear(15, 6), nn.LayerNorm(6), nn.GELU()),
)
decoder = nn.Sequential(nn.Linear(6, 9), nn.Sigmoid())
opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
x = torch.rand(5, 9)

for step in range(60):  # loop
    opt.zero_grad()
    code = encoder(x)  # plant: aten::linear 5x9; aten::tanh 5x15; aten::linear 5x15; aten::layer_norm 5x6; aten::gelu 5x6  # backward: TanhBackward0; NativeLayerNormBackward0; GeluBackward0
    out = decoder(code)  # plant: aten::linear 5x6; aten::sigmoid 5x9  # backward: SigmoidBackward0
    loss = nn.functional.l1_loss(out, x)  # plant: aten::l1_loss 5x9  # backward: AbsBackward0; MeanBackward0
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 15x9; aten::addcdiv_ 6x15; aten::addcdiv_ 9x6
