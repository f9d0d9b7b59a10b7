/** Command lines as a person writes them: words, held together by quotes. */

/** The words of `text`; undefined where a quote is not closed. */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === quote) {
      quote = '';
    } else if (!quote && (char === '"' || char === "'")) {
      quote = char;
      word ??= '';
    } else if (char === '\\' && quote === '"' && /["\\]/.test(text.charAt(at + 1))) {
      at += 1;
      word = (word ?? '') + text.charAt(at);
    } else if (!quote && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}

/** A text that `splitWords` makes the same words of. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) =>
      /^[^\s"']+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, (char) => `\\${char}`)}"`,
    )
    .join(' ');
}
