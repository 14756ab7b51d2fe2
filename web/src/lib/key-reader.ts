/** Longest pause between two characters of a barcode scanner, in ms; the quickest typist takes about twice as long. */
export const SCANNER_PAUSE_MS = 50;
/** The shortest code; a shorter run with Enter is no code. */
const LEAST_CODE = 2;

const MODIFIERS = new Set(['Shift', 'CapsLock', 'AltGraph']);

export type KeyEvent =
  /** A person pressed a key or a foot pedal. */
  | { type: 'key'; key: string }
  /** A barcode scanner read a code. */
  | { type: 'code'; code: string };

/**
 * Tells a barcode scanner, which types quickly and ends with Enter, from keys that a person presses. A key is told
 * only once no other one followed it at once: the digits of a code must not act by themselves.
 */
export class KeyReader {
  #run: string[] = [];
  #last = -Infinity;
  readonly #ends: readonly string[];

  /** `ends` are the keys that a scanner may press after a code. */
  constructor(ends: readonly string[] = ['Enter']) {
    this.#ends = ends;
  }

  /** Takes a key as `KeyboardEvent.key` names it, pressed at `now` in ms; what is certain by now. */
  press(key: string, now: number): KeyEvent[] {
    const before = now - this.#last > SCANNER_PAUSE_MS ? this.#end() : [];
    this.#last = now;
    if (!this.#ends.includes(key)) {
      // A scanner presses Shift before each capital letter.
      if (!MODIFIERS.has(key)) this.#run.push(key);
      return before;
    }
    if (this.#run.length >= LEAST_CODE && this.#run.every((one) => one.length === 1)) {
      const code = this.#run.join('').trim();
      this.#run = [];
      return code === '' ? before : [...before, { type: 'code', code }];
    }
    if (this.#run.length > 0) {
      this.#run = [];
      return before;
    }
    return [...before, { type: 'key', key }];
  }

  /** Whether a key pressed at `now` follows another one as quickly as only a scanner types. */
  isInRun(now: number): boolean {
    return this.#run.length > 0 && now - this.#last <= SCANNER_PAUSE_MS;
  }

  /** To be asked `SCANNER_PAUSE_MS` after a key: the key that stayed alone. */
  settle(now: number): KeyEvent[] {
    return now - this.#last >= SCANNER_PAUSE_MS ? this.#end() : [];
  }

  /** Forgets what was typed. */
  clear(): void {
    this.#run = [];
  }

  #end(): KeyEvent[] {
    const [key, ...more] = this.#run;
    this.#run = [];
    // No person presses several so quickly: it is what a scanner typed without its Enter.
    return key === undefined || more.length > 0 ? [] : [{ type: 'key', key }];
  }
}
