"""DQN on a made-up environment: rollouts before ``learning_starts`` are no training."""

import gymnasium
import numpy
from stable_baselines3 import DQN
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
    def _on_rollout_start(self):
        # One gradient step per iteration, so the algorithm's own count is that of iterations.
        print(f"TRUTH {self.model._n_updates}", flush=True)

    def _on_step(self):
        return True


if __name__ == "__main__":
    model = DQN(
        "MlpPolicy", Balance(), train_freq=4, learning_starts=40, buffer_size=1000, device="cpu"
    )
    model.learn(10_000, callback=Tell())  # optimizer
