import torch


def train_on(model, batch):
    loss = model(batch).square().mean()
    loss.backward()
    apply_gradients(model, 0.01)


def apply_gradients(model, rate):
    with torch.no_grad():
        for p in model.parameters():
            p.sub_(p.grad, alpha=rate)
            p.grad = None


def evaluate(model, batches):
    with torch.no_grad():
        return sum(model(batch).mean().item() for batch in batches)
