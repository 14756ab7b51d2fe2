/** The first letter of a word as people see it: an emoji, which is several units of text, stays whole. */
export function firstLetter(word: string): string {
  const [first] = new Intl.Segmenter().segment(word.trim());
  return first?.segment ?? '';
}
