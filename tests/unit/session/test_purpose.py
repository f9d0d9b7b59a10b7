"""What a file does when it is run, told from its text alone."""

from __future__ import annotations

import pytest

from stepscope.session.purpose import purpose_of

CLASS = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("text", "only_defines"),
    [
        pytest.param(CLASS, True, id="a class"),
        pytest.param(f'"""Doc."""\nimport torch\nN = 3\n{CLASS}', True, id="constants"),
        pytest.param(
            f"try:\n    import x\nexcept E:\n    x = None\n{CLASS}", True, id="try import"
        ),
        pytest.param(f"{CLASS}\ndef make():\n    return Net()\n", True, id="a factory"),
        pytest.param(f"{CLASS}\nprint(Net()(3))\n", False, id="a call"),
        pytest.param(f"{CLASS}\nif __name__ == '__main__':\n    print(1)\n", False, id="a guard"),
        pytest.param(f"{CLASS}\nfor x in y:\n    Net()(x)\n", False, id="a loop"),
        pytest.param(f"{CLASS}\nx = torch.zeros(3)\n", True, id="a call of torch"),
        pytest.param(
            f"{CLASS}\ndef run():\n    return 1\nx = run()\n", False, id="a function that runs"
        ),
        pytest.param(f"{CLASS}\nh = Net().fit(x)\n", False, id="a fit"),
        pytest.param("def f():\n    return 1\n", False, id="no class"),
        pytest.param("class A:\n    pass\n", False, id="no base"),
        pytest.param("class (", False, id="no Python"),
    ],
)
def test_files_of_nothing_but_definitions(text: str, only_defines: bool) -> None:
    assert purpose_of(text).only_defines is only_defines


@pytest.mark.parametrize(
    ("text", "trains"),
    [
        pytest.param("for x in y:\n    opt.step()\n", True, id="a loop"),
        pytest.param(
            "def main():\n    for x in y:\n        opt.step()\n"
            "if __name__ == '__main__':\n    main()\n",
            True,
            id="through main",
        ),
        pytest.param("def train():\n    opt.step()\n", False, id="never called"),
        pytest.param("while True:\n    loss.backward()\n", True, id="by hand"),
        pytest.param("net(x).sum().backward()\n", False, id="a smoke test"),
        pytest.param("trainer.fit(net)\n", True, id="a framework"),
        pytest.param("scheduler.step()\n", False, id="a scheduler alone"),
        pytest.param(f"{CLASS}\nprint(Net()(x).shape)\n", False, id="one call"),
        pytest.param(
            "class T:\n    def step(self):\n        self.o.step()\n", False, id="a method"
        ),
    ],
)
def test_what_trains_when_it_is_run(text: str, trains: bool) -> None:
    assert purpose_of(text).trains is trains
