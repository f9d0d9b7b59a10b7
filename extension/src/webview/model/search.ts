/** Texts that contain what somebody looks for: every word, in any order and case. */

export function matcher(query: string): ((text: string) => boolean) | null {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return (text) => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
}

/** 1 for each of `texts` that matches; null: nothing is looked for. */
export function matching(texts: readonly string[], query: string): Uint8Array | null {
  const matches = matcher(query);
  return matches && Uint8Array.from(texts, (text) => (matches(text) ? 1 : 0));
}
