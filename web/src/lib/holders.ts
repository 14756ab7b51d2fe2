/** Who holds something at the moment; each is known by an object of its own. */
export class Holders {
  readonly #held = new Set<object>();

  get any(): boolean {
    return this.#held.size > 0;
  }

  /** Holds until the returned function is called. */
  hold(): () => void {
    const holder = {};
    this.#held.add(holder);
    return () => {
      this.#held.delete(holder);
    };
  }

  /** As if all had let go. */
  clear(): void {
    this.#held.clear();
  }
}
