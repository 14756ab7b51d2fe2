import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
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

it('gives the focus back where the browser took it at once', async () => {
  const { rerender } = render(<Working done={false} />);
  const button = screen.getByRole('button', { name: 'Save' });
  const observed = button.setAttribute.bind(button);
  button.setAttribute = (name, value) => {
    observed(name, value);
    if (name === 'disabled') button.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  };
  // What has the focus is asked for before the tests' browser could lose it.
  const query = vi.spyOn(document, 'querySelector').mockReturnValue(null);
  await userEvent.click(button);
  query.mockRestore();
  expect(button).toBeDisabled();
  const active = vi.spyOn(document, 'activeElement', 'get').mockReturnValue(document.body);
  const focus = vi.spyOn(button, 'focus');
  rerender(<Working done />);
  active.mockRestore();
  expect(focus).toHaveBeenCalledOnce();
});

it('leaves a focus that has moved on where it is', async () => {
  const { rerender } = render(<Working done={false} />);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  loseFocus();
  screen.getByLabelText('Elsewhere').focus();
  rerender(<Working done />);
  expect(screen.getByLabelText('Elsewhere')).toHaveFocus();
});
