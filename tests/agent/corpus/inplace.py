"""In-place operators: augmented assignment, methods with an underscore, out= arguments."""
# steps: optimizer
import torch

w = torch.nn.Parameter(torch.rand(9, 4))
scratch = torch.empty(9, 4)
running = torch.zeros(4)
opt = torch.optim.SGD([w], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = w.clone()  # plant: aten::clone 9x4 *1  # backward: CloneBackward0
    a += 1.0  # plant: aten::add_ 9x4 scalar *1  # backward: AddBackward0
    a.mul_(2.0)  # plant: aten::mul_ 9x4  # backward: MulBackward0
    a[0] -= 0.5  # plant: aten::sub_ 4  # backward: torch::autograd::CopySlices *2
    a.sigmoid_()  # plant: aten::sigmoid_ 9x4  # backward: SigmoidBackward0
    torch.floor(w.detach(), out=scratch)  # plant: aten::floor 9x4
    running.lerp_(scratch.mean(0), 0.1)  # plant: aten::mean 9x4; aten::lerp_ 4
    loss = a.norm()  # plant: aten::linalg_vector_norm 9x4  # backward: LinalgVectorNormBackward0
    loss.backward()
    opt.step()
