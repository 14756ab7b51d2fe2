import type { MouseEvent } from 'react';

/** For what lies around a dialog: a press there takes the focus neither out of it nor off a question that it brings up. */
export function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

/** For a click on a dialog that it closes: the second tap of a double tap is not meant for what lies behind it. */
export function dropSecondTap(): void {
  const drop = (event: PointerEvent) => {
    if (event.detail < 2) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('click', drop, { capture: true, once: true });
}

/**
 * For a dialog with fields, as it opens. Not on a screen that is touched, where the keyboard would cover half of the
 * form before it was seen.
 */
export function focusFirstField(event: Event): void {
  const dialog = event.currentTarget;
  if (!(dialog instanceof HTMLElement) || window.matchMedia('(pointer: coarse)').matches) return;
  const field = dialog.querySelector<HTMLElement>(
    ':is(input, select, textarea):not([type="hidden"], :disabled)',
  );
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
