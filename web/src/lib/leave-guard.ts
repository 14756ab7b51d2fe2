/** Forms with something typed that is not saved; each is known by an object of its own. */
const typed = new Set<object>();

/** Whether leaving the screen would lose what was typed. */
export function isLeavingGuarded(): boolean {
  return typed.size > 0;
}

/** Asks before the screen is left, until the returned function is called. */
export function guardLeaving(): () => void {
  const form = {};
  typed.add(form);
  // No longer than needed: browsers keep no page for the way back that listens to this.
  window.addEventListener('beforeunload', ask);
  return () => {
    typed.delete(form);
    if (typed.size === 0) letLeave();
  };
}

/** Asks no more of what is typed by now: whoever leaves has chosen to, or it is kept. */
export function letLeave(): void {
  typed.clear();
  window.removeEventListener('beforeunload', ask);
}

/** The browser asks in words of its own. */
function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
