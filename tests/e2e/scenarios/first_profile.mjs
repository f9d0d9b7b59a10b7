/** A person's first minutes: profile, read, fix, profile again. */
import assert from 'node:assert/strict';
import { eventually, until } from '../lib/until.mjs';
import { PROFILE, PROFILING, A_STEP, RUN_LIMIT, COST, runToTheEnd } from './shared.mjs';

const MEMORY = /^↑ \d+(\.\d+)? [kMG]?B$/;

export const scenarios = [
  {
    name: 'a lens stands above each module class and above the __main__ guard',
    async check({ bench, sample }) {
      const title = 'Profile this model';
      await bench.goTo(sample.line('class Residual(nn.Module)'));
      // The first answer of a server that has just been started.
      await eventually(async () => {
        assert.deepEqual(await bench.codeLenses(), [
          { title, above: 'class Residual(nn.Module):' },
          { title, above: 'class SmallResNet(nn.Module):' },
        ]);
      }, 60_000);
      await bench.goTo(sample.line('if __name__'));
      await eventually(async () => {
        assert.deepEqual(await bench.codeLenses(), [
          { title: 'Profile this loop', above: '        for images, labels in train_loader:' },
          { title, above: 'if __name__ == "__main__":' },
        ]);
      });
      await bench.shot('01-lenses');
    },
  },
  {
    name: 'the first profile, from the palette, shows its progress and its phases',
    async check({ bench }) {
      await bench.command(PROFILE);
      await bench.notified(PROFILING);
      await bench.notified(A_STEP, RUN_LIMIT);
      await bench.shot('02-progress');
      await bench.gone(PROFILING, RUN_LIMIT);
      const seen = (await bench.notificationTexts()).join('\n');
      for (const phase of ['starting', 'warming up', 'measuring', 'capturing', 'analysing']) {
        assert.match(seen, new RegExp(phase), `the progress never said "${phase}"`);
      }
      assert.match(seen, /step \d+ of \d+/);
    },
  },
  {
    name: 'each line that costs has a hint, and no other line',
    async check({ bench, sample }) {
      const conv = sample.line('self.norm1(self.conv1(x))');
      assert.match(await bench.hintAt(conv, sample.row(conv)), COST);
      await bench.shot('03-hints');
      // The smallest of them is several per cent of the step; `optimizer.step()` may be too little.
      const expected = [
        'picture = F.conv2d(picture[None], kernel, padding=(0, 2), groups=3)',
        'self.norm1(self.conv1(x))',
        'self.norm2(self.conv2(y))',
      ];
      const hints = await bench.inlayHints(
        sample.text,
        expected.map((text) => sample.line(text)),
      );
      for (const [line, hint] of hints) {
        assert.ok(COST.test(hint) || MEMORY.test(hint), `line ${line}: "${hint}"`);
        const code = sample.row(line).trim();
        assert.doesNotMatch(code, /^(#|class |import |from |@|"""|$)/, `a hint on "${code}"`);
      }
      const shares = [...hints.values()].map((hint) => Number.parseFloat(hint)).filter(Boolean);
      const sum = shares.reduce((total, share) => total + share, 0);
      assert.ok(sum > 80 && sum < 101, `the shares add up to ${sum} %`);
    },
  },
  {
    name: 'the hover of a line tells forward, backward, memory and operators',
    async check({ bench, sample }) {
      const text = await bench.hover(sample.line('self.norm1(self.conv1(x))'));
      for (const word of ['forward', 'backward', 'memory', 'conv']) {
        assert.match(text, new RegExp(word, 'i'), text);
      }
      await bench.shot('04-hover');
      await bench.leaveHover();
    },
  },
  {
    name: 'the Problems view has the slow input, on its line',
    async check({ bench, sample }) {
      const line = sample.line('# expect: slow-input');
      const rows = await bench.problems('slow-input');
      assert.equal(rows.length, 1, rows.join('\n'));
      assert.match(rows[0], new RegExp(`\\[Ln ${line}, Col \\d+\\]`));
      assert.match(rows[0], /Stepscope/i);
      await bench.shot('05-problems');
      await bench.closePanel();
    },
  },
  {
    name: 'its quick fix edits the source',
    async check({ bench, sample }) {
      const argument = sample.line('num_workers=0');
      const titles = await bench.openQuickFixes(sample.line('# expect: slow-input'));
      await bench.shot('06-quick-fix');
      const title = titles.find((text) => /worker/.test(text));
      assert.ok(title, `offered: ${titles.join(', ')}`);
      await bench.chooseQuickFix(title);
      await until('the line has changed', async () => {
        await bench.goTo(argument);
        return /num_workers=[1-9]/.test((await bench.visibleLines()).get(argument) ?? '');
      });
      await bench.shot('07-fixed');
      assert.match(sample.text, /num_workers=0/, 'the fix saved the file unasked');
    },
  },
  {
    name: 'hints after an edit move with their lines, and a changed line says so',
    async check({ bench, sample }) {
      const before = sample.line('self.norm1(self.conv1(x))');
      const row = sample.row(before);
      await bench.goTo(1);
      await bench.page.keyboard.press('Home');
      await bench.page.keyboard.press('Enter');
      assert.match(await bench.hintAt(before + 1, row), COST);
      await bench.page.keyboard.press('Control+z');

      await bench.goTo(before);
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.type('#');
      await until('the hint is marked', async () => {
        const shown = (await bench.visibleLines()).get(before) ?? '';
        return /#.* % .*before.* edit\)?$/.test(shown.trimEnd());
      });
      await bench.shot('08-edited');
      await bench.page.keyboard.press('Control+z');
      await until('the edit is undone', async () => {
        return !(await bench.visibleLines()).get(before)?.includes('#');
      });
    },
  },
  {
    name: 'a second profile saves the file and runs what it says now',
    async check({ bench, sample }) {
      await bench.focusEditor();
      await bench.command(PROFILE);
      await runToTheEnd(bench);
      assert.match(sample.text, /num_workers=[1-9]/);
      const conv = sample.line('self.norm1(self.conv1(x))');
      assert.match(await bench.hintAt(conv, sample.row(conv)), COST);
      await bench.shot('09-second-profile');
    },
  },
];
