import type { MouseEvent } from 'react';

/** For what lies around a dialog: a press there takes the focus neither out of it nor off a question that it brings up. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
