"""Its data's path holds only in the folder of the script, and it is started from the one above."""
# fails: target-failed
# says: data/words.txt
# says: project
# cwd: .
import torch

with open("data/words.txt") as file:  # fails here
    words = file.read().split()
w = torch.rand(len(words), requires_grad=True)
for n in range(40):
    w.sum().backward()
