import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Button } from '@/components/ui/button';

/** A button that is disabled from its press on, until somebody else says that the work is done. */
function Working({ done }: { done: boolean }) {
  const [pressed, setPressed] = useState(false);
  return (
    <>
      <Button disabled={pressed && !done} onClick={() => setPressed(true)}>
        Save
      </Button>
      <input aria-label="Elsewhere" />
    </>
  );
}

/** What a browser does to the focus on a control that is disabled; the one of the tests leaves it there. */
function loseFocus() {
  // Only what is not disabled can be blurred here.
  screen.getByLabelText('Elsewhere').focus();
  screen.getByLabelText('Elsewhere').blur();
  expect(document.body).toHaveFocus();
}

it('gives the focus back to a button that was disabled while it worked', async () => {
  const { rerender } = render(<Working done={false} />);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  loseFocus();
  rerender(<Working done />);
  expect(screen.getByRole('button', { name: 'Save' })).toHaveFocus();
});

it('leaves a focus that has moved on where it is', async () => {
  const { rerender } = render(<Working done={false} />);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  loseFocus();
  screen.getByLabelText('Elsewhere').focus();
  rerender(<Working done />);
  expect(screen.getByLabelText('Elsewhere')).toHaveFocus();
});
