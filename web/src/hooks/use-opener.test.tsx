import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { Button } from '@/components/ui/button';
import { useOpener } from '@/hooks/use-opener';

/** A form that takes the place of the button that opens it, beside something that outlasts both. */
function Card() {
  const [open, setOpen] = useState(false);
  const opener = useOpener(open);
  return (
    <>
      {!open && (
        <Button ref={opener} onClick={() => setOpen(true)}>
          Change
        </Button>
      )}
      {open && <Button onClick={() => setOpen(false)}>Cancel</Button>}
      <Button onClick={() => setOpen(false)}>Close from elsewhere</Button>
    </>
  );
}

it('gives the focus to the button that is back when the form goes', async () => {
  render(<Card />);
  expect(document.body).toHaveFocus();
  await userEvent.click(screen.getByRole('button', { name: 'Change' }));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(screen.getByRole('button', { name: 'Change' })).toHaveFocus();
});

it('leaves the focus where it is when the form goes without it', async () => {
  render(<Card />);
  await userEvent.click(screen.getByRole('button', { name: 'Change' }));
  await userEvent.click(screen.getByRole('button', { name: 'Close from elsewhere' }));
  expect(screen.getByRole('button', { name: 'Close from elsewhere' })).toHaveFocus();
});
