import { describe, expect, it } from 'vitest';
import { joinWords, splitWords } from '../../extension/src/words';

describe('splitWords', () => {
  it.each([
    ['', []],
    ['  --epochs  3 ', ['--epochs', '3']],
    [`--name "a b" 'c "d"'`, ['--name', 'a b', 'c "d"']],
    ['--data=" x y"', ['--data= x y']],
    ['""', ['']],
    ['"a \\"b\\" \\\\"', ['a "b" \\']],
    ['C:\\data\\x', ['C:\\data\\x']],
  ])('%s', (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it.each(['"', "a 'b", '"a\\"'])('knows that %s is not closed', (text) => {
    expect(splitWords(text)).toBeUndefined();
  });
});

describe('joinWords', () => {
  it.each([[[]], [['a', 'b c', '']], [['say "hi"', "it's", 'C:\\x y\\']], [['深い', '\t']]])(
    '%j survives',
    (words: string[]) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    },
  );
});
