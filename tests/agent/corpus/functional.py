"""Functions of torch.nn.functional: their frames are the library's, their cost the user's line."""
# steps: optimizer
import torch
import torch.nn.functional as F

images = torch.rand(4, 3, 9, 9)
labels = torch.tensor([0, 1, 2, 3])
kernel = torch.nn.Parameter(torch.rand(6, 3, 3, 3) * 0.1)
weight = torch.nn.Parameter(torch.rand(11, 54) * 0.1)
scale = torch.nn.Parameter(torch.ones(11))
opt = torch.optim.Adam([kernel, weight, scale], lr=1e-3)

for step in range(60):  # loop
    opt.zero_grad()
    a = F.conv2d(images, kernel)  # plant: aten::conv2d 4x3x9x9  # backward: ConvolutionBackward0
    b = F.max_pool2d(a, 2)  # plant: aten::max_pool2d 4x6x7x7  # backward: MaxPool2DWithIndicesBackward0
    c = F.gelu(b)  # plant: aten::gelu 4x6x3x3  # backward: GeluBackward0
    d = F.dropout(c.flatten(1), 0.1)  # plant: aten::flatten 4x6x3x3; aten::dropout 4x54  # backward: MulBackward0
    e = F.linear(d, weight)  # plant: aten::linear 4x54  # backward: MmBackward0
    f = F.layer_norm(e, (11,), scale)  # plant: aten::layer_norm 4x11  # backward: NativeLayerNormBackward0
    g = F.softplus(f)  # plant: aten::softplus 4x11  # backward: SoftplusBackward0
    loss = F.cross_entropy(g, labels)  # plant: aten::cross_entropy_loss 4x11  # backward: NllLossBackward0; LogSoftmaxBackward0
    loss.backward()
    opt.step()  # plant: aten::addcdiv_ 6x3x3x3; aten::addcdiv_ 11x54; aten::addcdiv_ 11
