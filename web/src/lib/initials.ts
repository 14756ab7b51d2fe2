/** The first letter of a word as people see it: an emoji, which is two units of text, stays whole. */
export function firstLetter(word: string): string {
  return [...word.trim()][0] ?? '';
}
