/** A key for people: the space bar has no sign of its own. */
export function keyName(key: string): string {
  return key === ' ' ? 'Space' : key.length === 1 ? key.toUpperCase() : key;
}
