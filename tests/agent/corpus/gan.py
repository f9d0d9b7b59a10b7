"""Two optimizers that step in turn: one pass of the loop, not each of their steps, is one step."""
# steps: optimizer
import torch
from torch import nn

generator = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 6))
critic = nn.Sequential(nn.Linear(6, 14), nn.LeakyReLU(0.2), nn.Linear(14, 1))
generator_opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
one, zero = torch.ones(7, 1), torch.zeros(7, 1)
judge = nn.BCEWithLogitsLoss()

for step in range(60):  # loop
    real = torch.rand(7, 6)  # plant: aten::rand
    noise = torch.randn(7, 4)  # plant: aten::randn
    fake = generator(noise)  # plant: aten::linear 7x4; aten::linear 7x10; aten::tanh 7x10  # backward: TanhBackward0

    critic_opt.zero_grad()
    on_real = critic(real)
    on_fake = critic(fake.detach())
    critic_loss = judge(on_real, one) + judge(on_fake, zero)  # backward: BinaryCrossEntropyWithLogitsBackward0 *2
    critic_loss.backward()
    critic_opt.step()  # plant: aten::addcdiv_ 14x6; aten::addcdiv_ 1x14

    generator_opt.zero_grad()
    generator_loss = judge(critic(fake).neg(), zero)  # plant: aten::neg 7x1 *any  # backward: NegBackward0; BinaryCrossEntropyWithLogitsBackward0
    generator_loss.backward()
    generator_opt.step()  # plant: aten::addcdiv_ 10x4; aten::addcdiv_ 6x10
