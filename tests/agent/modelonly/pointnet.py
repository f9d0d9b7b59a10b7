# expect: found PointNetCls
import torch
import torch.nn as nn
import torch.nn.functional as F


class TNet(nn.Module):
    def __init__(self, k=3):
        super().__init__()
        self.k = k
        self.convs = nn.Sequential(nn.Conv1d(k, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 128, 1))
        self.fc = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, k * k))

    def forward(self, x):
        x = self.convs(x).max(dim=2)[0]
        return self.fc(x).view(-1, self.k, self.k) + torch.eye(self.k, device=x.device)


class PointNetCls(nn.Module):
    def __init__(self, num_class=40):
        super().__init__()
        self.tnet = TNet(3)
        self.conv1, self.conv2 = nn.Conv1d(3, 64, 1), nn.Conv1d(64, 256, 1)
        self.head = nn.Linear(256, num_class)

    def forward(self, pointcloud):
        x = torch.bmm(self.tnet(pointcloud).transpose(1, 2), pointcloud)
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        return F.log_softmax(self.head(x.max(2)[0]), dim=1)
