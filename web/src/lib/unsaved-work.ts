/** What is on screen and nowhere else; each holder is known by an object of its own. */
const holders = new Set<object>();

/** Whether anything on screen would be lost with the screen. */
export function hasUnsavedWork(): boolean {
  return holders.size > 0;
}

/** Says that something is on screen and nowhere else, until the returned function is called. */
export function holdUnsavedWork(): () => void {
  const holder = {};
  holders.add(holder);
  return () => {
    holders.delete(holder);
  };
}
