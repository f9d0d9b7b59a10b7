"""PPO on a made-up environment: rollouts of 32 steps, then two epochs of two mini-batches."""

import gymnasium
import numpy
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback


class Balance(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (8,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = numpy.zeros(8, numpy.float32)
        return self.state, {}

    def step(self, action):
        noise = self.np_random.random(8, numpy.float32)  # environment
        self.state = numpy.clip(self.state + noise * (2 * action - 1), -1, 1)  # environment
        return self.state, float(1 - abs(self.state[0])), bool(self.state[0] >= 1), False, {}


class Tell(BaseCallback):
    iterations = -1

    def _on_rollout_start(self):
        self.iterations += 1
        print(f"TRUTH {self.iterations}", flush=True)

    def _on_step(self):
        return True


if __name__ == "__main__":
    model = PPO("MlpPolicy", Balance(), n_steps=32, batch_size=16, n_epochs=2, device="cpu")
    model.learn(10_000, callback=[Tell()])  # optimizer
