import { Holders } from '@/lib/holders';

/** Forms with something typed that is not saved, and that somebody is asked about before they leave. */
const forms = new Holders();

/** Whether leaving the screen would lose what was typed. */
export function isLeavingGuarded(): boolean {
  return forms.any;
}

/** Asks before the screen is left, until the returned function is called. */
export function guardLeaving(): () => void {
  const letGo = forms.hold();
  // No longer than needed: browsers keep no page for the way back that listens to this.
  window.addEventListener('beforeunload', ask);
  return () => {
    letGo();
    if (!forms.any) letLeave();
  };
}

/** Asks no more of what is typed by now: whoever leaves has chosen to, or it is kept. */
export function letLeave(): void {
  forms.clear();
  window.removeEventListener('beforeunload', ask);
}

/** The browser asks in words of its own. */
function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
