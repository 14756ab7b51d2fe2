/** From one key of a scanner to the next, at most. People who type quickly take 60 ms and more. */
const GAP_MS = 50;
/** Characters of a scan, at least: two keys are easily pressed at once by a person. */
const FEWEST = 4;
/** At most: what is longer is no number. */
const MOST = 500;
/** What scanners put in front of a code when they are told to name its kind (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z]\d/;

/** What a key means: nothing, a part of what seems to be a scan, or the end of one. */
export type TypedKey = { type: 'none' } | { type: 'typing' } | { type: 'scanned'; text: string };

/** Tells the keys of a barcode scanner that types from those of a person, by their speed. */
export class TypedScan {
  private text = '';
  private lastMs = -Infinity;

  /** The next key, as `KeyboardEvent.key` names it, and when it was pressed. */
  next(key: string, atMs: number): TypedKey {
    // Shift comes before each capital letter.
    if (key === 'Shift' || key === 'CapsLock') return { type: 'none' };
    const isQuick = atMs - this.lastMs <= GAP_MS;
    if (!isQuick) this.text = '';
    this.lastMs = atMs;
    if (key === 'Enter' || key === 'Tab') {
      const text = this.text.replace(SYMBOLOGY, '').trim();
      const isScan = isQuick && text.length >= FEWEST && this.text.length <= MOST;
      this.clear();
      return isScan ? { type: 'scanned', text } : { type: 'none' };
    }
    if (Array.from(key).length !== 1) {
      this.clear();
      return { type: 'none' };
    }
    if (this.text.length <= MOST) this.text += key;
    return { type: this.text.length > 1 ? 'typing' : 'none' };
  }

  /** Forgets what was typed. */
  clear(): void {
    this.text = '';
    this.lastMs = -Infinity;
  }
}
